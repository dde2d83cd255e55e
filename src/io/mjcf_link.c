/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What ties bodies to each other beside the tree (contact exclusions, equalities), and keyframes. */
#include <math.h>
#include <string.h>

#include "io/mjcf.h"

/* The thing of a kind that an attribute names; -1 and a sentence where it is not there. */
static int find(mo_mjcf *m, const mo_xml_node *node, char kind, const char *attribute,
                const char *what)
{
    const char *name = mo_xml_get(node, attribute);
    const int place = mo_reader_name_find(m->r, kind, name);
    if (place < 0) {
        mo_reader_fail(m->r, node, name ? "has the %s '%.80s', which is not there" : "has no %s%s",
                       name ? what : attribute, name ? name : "");
    }
    return place;
}

/* ---- contacts ----------------------------------------------------------------------------------- */

static bool read_contact(mo_mjcf *m, const mo_xml_node *node)
{
    if (strcmp(node->name, "pair") == 0) {
        if (find(m, node, 'g', "geom1", "geom") < 0 || find(m, node, 'g', "geom2", "geom") < 0) {
            return false;
        }
        mo_reader_note(m->r, node,
                       "> is not read: the two geoms touch as contype, conaffinity and friction "
                       "of their own say");
        return true;
    }
    if (strcmp(node->name, "exclude") != 0) {
        return true;
    }
    const int a = find(m, node, 'b', "body1", "body");
    const int b = a < 0 ? -1 : find(m, node, 'b', "body2", "body");
    return a >= 0 && b >= 0 && mo_reader_exclude(m->r, a, b);
}

/* ---- equalities --------------------------------------------------------------------------------- */

static bool read_weld(mo_mjcf *m, const mo_xml_node *node, mo_model_equality *e)
{
    double seven[7] = {0, 0, 0, 0, 0, 0, 0};
    int count = 0;
    if (!mo_mjcf_numbers(m, node, NULL, "relpose", 7, 7, seven, &count)) {
        return false;
    }
    /* A quaternion of zeros asks for the reference configuration. */
    e->has_pose = seven[3] != 0 || seven[4] != 0 || seven[5] != 0 || seven[6] != 0;
    if (e->has_pose) {
        double norm = 0;
        for (int k = 3; k < 7; ++k) {
            norm = hypot(norm, seven[k]);
        }
        for (int k = 0; k < 4; ++k) {
            e->pose.orientation[k] = seven[3 + k] / norm;
        }
        memcpy(e->pose.position, seven, 3 * sizeof seven[0]);
    }
    return true;
}

static bool read_couple(mo_mjcf *m, const mo_xml_node *node, mo_model_equality *e)
{
    e->a = find(m, node, 'j', "joint1", "joint");
    e->b = mo_xml_get(node, "joint2") ? find(m, node, 'j', "joint2", "joint") : -1;
    e->polynomial[1] = 1;
    if (m->r->error || !mo_mjcf_numbers(m, node, NULL, "polycoef", 1, 5, e->polynomial, NULL)) {
        return false;
    }
    const mo_model_joint *joints = m->r->model->joints;
    return (joints[e->a].kind >= MO_MODEL_SLIDE &&
            (e->b < 0 || joints[e->b].kind >= MO_MODEL_SLIDE)) ||
           mo_reader_fail(m->r, node, "couples joints that are not hinges or slides");
}

static bool read_equality(mo_mjcf *m, const mo_xml_node *node)
{
    static const char *const KINDS[] = {"connect", "weld", "joint", NULL};
    static const char *const TRUTH[] = {"false", "true", NULL};
    int active = 1, kind = 0, anchors = 0;
    while (KINDS[kind] && strcmp(KINDS[kind], node->name) != 0) {
        ++kind;
    }
    if (!mo_mjcf_word(m, node, "equality", "active", TRUTH, &active)) {
        return false;
    }
    if (!active || m->set.no_equality) {
        return true;
    }
    if (!KINDS[kind]) {
        mo_reader_note(m->r, node, "> among equalities is not read: nothing is held");
        return true;
    }
    mo_model_equality *e = mo_reader_add_equality(m->r, node, mo_xml_get(node, "name"));
    if (!e) {
        return false;
    }
    e->kind = (mo_model_equality_kind)kind;
    if (e->kind == MO_MODEL_COUPLE) {
        return read_couple(m, node, e);
    }
    e->a = find(m, node, 'b', "body1", "body");
    e->b = mo_xml_get(node, "body2") ? find(m, node, 'b', "body2", "body") : 0;
    if (m->r->error || !mo_mjcf_numbers(m, node, NULL, "anchor", 3, 3, e->anchor, &anchors)) {
        return false;
    }
    if (e->kind == MO_MODEL_CONNECT && !anchors) {
        return mo_reader_fail(m->r, node, "has no anchor");
    }
    return e->kind == MO_MODEL_CONNECT || read_weld(m, node, e);
}

/* ---- keyframes ---------------------------------------------------------------------------------- */

static bool read_key(mo_mjcf *m, const mo_xml_node *node)
{
    const mo_model *model = m->r->model;
    mo_model_key *key = mo_reader_add_key(m->r, node, mo_xml_get(node, "name"));
    return key && mo_mjcf_number(m, node, NULL, "time", &key->time) &&
           mo_mjcf_numbers(m, node, NULL, "qpos", model->q_count, model->q_count, key->q, NULL) &&
           mo_mjcf_numbers(m, node, NULL, "qvel", model->v_count, model->v_count, key->v, NULL) &&
           mo_mjcf_numbers(m, node, NULL, "ctrl", model->actuator_count, model->actuator_count,
                           key->control, NULL);
}

static bool each(mo_mjcf *m, const char *section, bool (*read)(mo_mjcf *, const mo_xml_node *))
{
    for (const mo_xml_node *at = mo_xml_child(m->r->root, section); at;
         at = mo_xml_next(at, section)) {
        for (const mo_xml_node *node = at->first; node; node = node->next) {
            if (!read(m, node)) {
                return false;
            }
        }
    }
    return true;
}

bool mo_mjcf_links(mo_mjcf *m)
{
    return each(m, "contact", read_contact) && each(m, "equality", read_equality) &&
           each(m, "keyframe", read_key);
}
