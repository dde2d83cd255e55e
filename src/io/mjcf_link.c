/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Contact exclusions and pairs, equalities, and keyframes. */
#include <math.h>
#include <string.h>

#include "collide/pose.h"
#include "io/mjcf.h"
#include "linalg/vec3.h"

int mo_mjcf_find(mo_mjcf *m, const mo_xml_node *node, char kind, const char *attribute,
                 const char *what)
{
    const char *name = mo_xml_get(node, attribute);
    const int place = mo_reader_name_find(m->r, kind, name);
    if (place < 0) {
        mo_reader_fail(m->r, node,
                       name ? "refers to the %s '%.80s', which is not defined" : "has no %s%s",
                       name ? what : attribute, name ? name : "");
    }
    return place;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* The material of a pair: its own values, or the combination of the two geoms. */
static bool read_pair(mo_mjcf *m, const mo_xml_node *node)
{
    const int a = mo_mjcf_find(m, node, 'g', "geom1", "geom");
    const int b = a < 0 ? -1 : mo_mjcf_find(m, node, 'g', "geom2", "geom");
    MO_PASS(b >= 0);
    const mo_model_geom *geoms = m->r->model->geoms;
    const mo_material both =
        mo_material_combine(&geoms[a].shape.material, &geoms[b].shape.material);
    double friction[5] = {both.friction, both.friction, both.torsion, both.rolling, both.rolling};
    int dims = both.dims, count = 0;
    MO_PASS(mo_mjcf_whole(m, node, "pair", "condim", &dims) &&
            mo_mjcf_numbers(m, node, "pair", "friction", 1, 5, friction, &count));
    MO_PASS(mo_mjcf_check_contact(m, node, dims, friction, 5));
    if ((count > 1 && friction[0] != friction[1]) || (count > 4 && friction[3] != friction[4])) {
        mo_reader_note(m->r, node,
                       " friction> differs between directions: the first value is used");
    }
    if (m->set.no_contact) return true;
    mo_model_pair *pair = mo_reader_add_pair(m->r, node, a, b);
    if (pair) {
        pair->material = (mo_material){.friction = friction[0],
                                       .torsion = friction[2],
                                       .rolling = friction[3],
                                       .rule = MO_COMBINE_MAXIMUM,
                                       .dims = dims};
    }
    return pair != NULL;
}

bool mo_mjcf_contact(mo_mjcf *m, const mo_xml_node *node)
{
    if (strcmp(node->name, "pair") == 0) return read_pair(m, node);
    if (strcmp(node->name, "exclude") != 0) return true;
    const int a = mo_mjcf_find(m, node, 'b', "body1", "body");
    const int b = a < 0 ? -1 : mo_mjcf_find(m, node, 'b', "body2", "body");
    return a >= 0 && b >= 0 && mo_reader_exclude(m->r, a, b);
}

/* ---- equalities ------------------------------------------------------------------------------ */

static bool read_weld(mo_mjcf *m, const mo_xml_node *node, mo_model_equality *e)
{
    double seven[7] = {0, 0, 0, 0, 0, 0, 0};
    int count = 0;
    MO_PASS(mo_mjcf_numbers(m, node, NULL, "relpose", 7, 7, seven, &count));
    /* A zero quaternion means the reference configuration. */
    e->has_pose = seven[3] != 0 || seven[4] != 0 || seven[5] != 0 || seven[6] != 0;
    if (e->has_pose) {
        double norm = 0;
        for (int k = 3; k < 7; ++k)
            norm = hypot(norm, seven[k]);
        for (int k = 0; k < 4; ++k)
            e->pose.orientation[k] = seven[3 + k] / norm;
        memcpy(e->pose.position, seven, 3 * sizeof seven[0]);
    }
    return true;
}

static bool read_couple(mo_mjcf *m, const mo_xml_node *node, mo_model_equality *e)
{
    const int of_tendons = e->kind == MO_MODEL_TENDONS;
    const char *what = of_tendons ? "tendon" : "joint";
    e->a = mo_mjcf_find(m, node, what[0], of_tendons ? "tendon1" : "joint1", what);
    e->b = mo_xml_get(node, of_tendons ? "tendon2" : "joint2")
               ? mo_mjcf_find(m, node, what[0], of_tendons ? "tendon2" : "joint2", what)
               : -1;
    e->polynomial[1] = 1;
    MO_PASS(!m->r->error && mo_mjcf_numbers(m, node, NULL, "polycoef", 1, 5, e->polynomial, NULL));
    if (of_tendons) return true;
    const mo_model_joint *joints = m->r->model->joints;
    return (joints[e->a].kind >= MO_MODEL_SLIDE &&
            (e->b < 0 || joints[e->b].kind >= MO_MODEL_SLIDE)) ||
           mo_reader_fail(m->r, node, "couples joints that are not hinges or slides");
}

/* Sites instead of bodies (MuJoCo 3): held together where the reference has the first one. */
static bool read_by_sites(mo_mjcf *m, const mo_xml_node *node, mo_model_equality *e)
{
    const int one = mo_mjcf_find(m, node, 's', "site1", "site");
    const int other = one < 0 ? -1 : mo_mjcf_find(m, node, 's', "site2", "site");
    MO_PASS(other >= 0);
    const mo_model_site *sites = m->r->model->sites;
    e->a = sites[one].body;
    e->b = sites[other].body;
    memcpy(e->anchor, sites[one].pose.position, sizeof e->anchor);
    if (e->kind == MO_MODEL_WELD) { /* of b in a: to the first site, and back from the other */
        const mo_pose back = mo_pose_inverse(&sites[other].pose);
        e->pose = mo_pose_compose(&sites[one].pose, &back);
        e->has_pose = 1;
    }
    return true;
}

bool mo_mjcf_equality(mo_mjcf *m, const mo_xml_node *node)
{
    static const char *const KINDS[] = {"connect", "weld", "joint", "tendon", NULL};
    int active = 1, kind = 0, anchors = 0;
    while (KINDS[kind] && strcmp(KINDS[kind], node->name) != 0)
        ++kind;
    MO_PASS(mo_mjcf_truth(m, node, "equality", "active", &active));
    if (!active || m->set.no_equality) return true;
    if (!KINDS[kind]) {
        mo_reader_note(m->r, node, "> is not a supported equality: ignored");
        return true;
    }
    mo_model_equality *e = mo_reader_add_equality(m->r, node, mo_xml_get(node, "name"));
    MO_PASS(e);
    e->kind = (mo_model_equality_kind)kind;
    if (e->kind == MO_MODEL_COUPLE || e->kind == MO_MODEL_TENDONS) return read_couple(m, node, e);
    if (mo_xml_get(node, "site1")) return read_by_sites(m, node, e);
    e->a = mo_mjcf_find(m, node, 'b', "body1", "body");
    e->b = mo_xml_get(node, "body2") ? mo_mjcf_find(m, node, 'b', "body2", "body") : 0;
    MO_PASS(!m->r->error && mo_mjcf_numbers(m, node, NULL, "anchor", 3, 3, e->anchor, &anchors));
    MO_FAIL_IF(e->kind == MO_MODEL_CONNECT && !anchors,
               mo_reader_fail(m->r, node, "has no anchor"));
    return e->kind == MO_MODEL_CONNECT || read_weld(m, node, e);
}

/* ---- keyframes ------------------------------------------------------------------------------- */

/* mpos and mquat: three and four numbers for each mocap body. */
static bool read_mocap(mo_mjcf *m, const mo_xml_node *node, mo_model_key *key)
{
    const int count = m->r->model->mocap_count;
    double *numbers = mo_pool_take(&m->r->tree, 7 * (size_t)count + 1, sizeof *numbers);
    int positions = 0, turns = 0;
    MO_FAIL_IF(!numbers, mo_reader_no_memory(m->r));
    MO_PASS(
        mo_mjcf_numbers(m, node, NULL, "mpos", 3 * count, 3 * count, numbers, &positions) &&
        mo_mjcf_numbers(m, node, NULL, "mquat", 4 * count, 4 * count, numbers + 3 * count, &turns));
    for (int k = 0; k < count; ++k) {
        if (positions) memcpy(key->mocap[k].position, numbers + 3 * k, 3 * sizeof *numbers);
        if (turns) {
            memcpy(key->mocap[k].orientation, numbers + 3 * count + 4 * k, 4 * sizeof *numbers);
            mo_quat_normalise(key->mocap[k].orientation);
        }
    }
    return true;
}

/* Quaternions of length one; one of length zero is no rotation, as in MuJoCo. */
static void normalise_key(mo_mjcf *m, const mo_xml_node *node, double *q)
{
    const mo_model *model = m->r->model;
    for (int k = 0; k < model->joint_count; ++k) {
        const mo_model_joint *joint = model->joints + k;
        if (joint->kind >= MO_MODEL_SLIDE) continue;
        double *turn = q + joint->first_q + (joint->kind == MO_MODEL_FREE ? 3 : 0);
        if (mo_vec3_dot(turn + 1, turn + 1) + turn[0] * turn[0] < 1e-20) {
            mo_reader_note(m->r, node, " qpos> has a quaternion of length zero: 1 0 0 0 is used");
            turn[0] = 1;
            mo_vec3_set(turn + 1, 0, 0, 0);
        }
        mo_quat_normalise(turn);
    }
}

bool mo_mjcf_key(mo_mjcf *m, const mo_xml_node *node)
{
    const mo_model *model = m->r->model;
    mo_model_key *key = mo_reader_add_key(m->r, node, mo_xml_get(node, "name"));
    const bool good =
        key && mo_mjcf_number(m, node, NULL, "time", &key->time) &&
        mo_mjcf_numbers(m, node, NULL, "qpos", model->q_count, model->q_count, key->q, NULL) &&
        mo_mjcf_numbers(m, node, NULL, "qvel", model->v_count, model->v_count, key->v, NULL) &&
        mo_mjcf_numbers(m, node, NULL, "ctrl", model->actuator_count, model->actuator_count,
                        key->control, NULL) &&
        read_mocap(m, node, key);
    if (good) normalise_key(m, node, key->q);
    return good;
}
