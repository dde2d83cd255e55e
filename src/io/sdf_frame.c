/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* SDF: elements of the output tree, and poses of frames that refer to each other. */
#include "io/sdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/c_locale.h"
#include "linalg/vec3.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* NULL if memory runs out, here and below. */
mo_xml_node *mo_sdf_add(mo_sdf *s, mo_xml_node *parent, const char *name, const mo_xml_node *from)
{
    mo_xml_node *node = parent || !s->root ? mo_pool_take(&s->r->tree, 1, sizeof *node) : NULL;
    if (!node) {
        mo_reader_no_memory(s->r);
        return NULL;
    }
    *node = (mo_xml_node){.name = name, .file = from->file, .line = from->line, .parent = parent};
    if (parent && parent->last) {
        parent->last->next = node;
    } else if (parent) {
        parent->first = node;
    }
    if (parent) {
        parent->last = node;
    }
    return node;
}

/* Nothing if there is no text. */
bool mo_sdf_set(mo_sdf *s, mo_xml_node *node, const char *attribute, const char *text)
{
    mo_xml_attribute *more = node && text ? mo_pool_take(&s->r->tree, 1, sizeof *more) : NULL;
    if (more) {
        *more = (mo_xml_attribute){.name = attribute, .value = text, .next = node->attributes};
        node->attributes = more;
    }
    return (node && (more || !text)) || mo_reader_no_memory(s->r);
}

const char *mo_sdf_join(mo_sdf *s, const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = mo_pool_take(&s->r->tree, size, 1);
    if (!text) {
        mo_reader_no_memory(s->r);
        return NULL;
    }
    snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

const char *mo_sdf_numbers(mo_sdf *s, const double *x, int count)
{
    char text[200] = "";
    size_t used = 0;
    mo_c_locale numbers = mo_c_locale_begin();
    for (int k = 0; k < count && used < sizeof text; ++k) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", k ? " " : "", x[k]);
    }
    mo_c_locale_end(&numbers);
    return mo_sdf_join(s, text, "", "");
}

bool mo_sdf_set_origin(mo_sdf *s, mo_xml_node *node, const mo_pose *pose)
{
    const double *q = pose->orientation, xyzw[4] = {q[1], q[2], q[3], q[0]};
    mo_xml_node *origin = node ? mo_sdf_add(s, node, "origin", node) : NULL;
    return origin && mo_sdf_set(s, origin, "xyz", mo_sdf_numbers(s, pose->position, 3)) &&
           mo_sdf_set(s, origin, "quat_xyzw", mo_sdf_numbers(s, xyzw, 4));
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The text of a child, or NULL. */
const char *mo_sdf_text(const mo_xml_node *node, const char *child)
{
    const mo_xml_node *found = node ? mo_xml_child(node, child) : NULL;
    return found ? found->text : NULL;
}

const mo_xml_node *mo_sdf_down(const mo_xml_node *node, const char *first, const char *second)
{
    node = mo_xml_child(node, first);
    return node ? mo_xml_child(node, second) : NULL;
}

/* <pose>x y z roll pitch yaw</pose> of an element, in the frame it names; the identity for none. */
bool mo_sdf_pose(mo_sdf *s, const mo_xml_node *of, mo_pose *out)
{
    static const double DEGREE = 3.14159265358979323846 / 180;
    const mo_xml_node *node = mo_xml_child(of, "pose");
    double x[6] = {0};
    *out = mo_pose_identity();
    if (!node || !node->text) {
        return true;
    }
    const char *format = mo_xml_get(node, "rotation_format"), *in = mo_xml_get(node, "degrees");
    if (format && strcmp(format, "euler_rpy") != 0) {
        return mo_reader_fail(s->r, node, "has rotation_format=\"%.40s\"; euler_rpy is read",
                              format);
    }
    if (!mo_reader_numbers(s->r, node, "text", node->text, 6, 6, x, NULL)) {
        return false;
    }
    double all[4] = {1, 0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        double turn[4], next[4];
        mo_quat_about(axis, x[3 + k] * (in && strcmp(in, "true") == 0 ? DEGREE : 1), turn);
        mo_quat_multiply(turn, all, next);
        memcpy(all, next, sizeof all);
    }
    mo_vec3_copy(x, out->position);
    mo_quat_normalise(all);
    memcpy(out->orientation, all, sizeof all);
    return true;
}

static mo_pose inverse_of(const mo_pose *pose)
{
    static const double ORIGIN[3] = {0};
    mo_pose back = {.orientation = {pose->orientation[0], -pose->orientation[1],
                                    -pose->orientation[2], -pose->orientation[3]}};
    mo_pose_point_back(pose, ORIGIN, back.position);
    return back;
}

/* a^-1 b */
mo_pose mo_sdf_between(const mo_pose *a, const mo_pose *b)
{
    const mo_pose back = inverse_of(a);
    return mo_pose_compose(&back, b);
}

/* The link, frame, joint or model of that name (the first `length` characters). */
static const mo_xml_node *find_frame(const mo_xml_node *model, const char *name, size_t length)
{
    for (const mo_xml_node *child = model->first; child; child = child->next) {
        const char *own = mo_xml_get(child, "name");
        if (own && strlen(own) == length && strncmp(own, name, length) == 0 &&
            (strcmp(child->name, "link") == 0 || strcmp(child->name, "frame") == 0 ||
             strcmp(child->name, "joint") == 0 || strcmp(child->name, "model") == 0)) {
            return child;
        }
    }
    return NULL;
}

/* The pose of a frame in its model: that of the one it is given in, then its own. */
bool mo_sdf_frame(mo_sdf *s, const mo_xml_node *model, const mo_xml_node *from, const char *name,
                  int level, mo_pose *out)
{
    *out = mo_pose_identity();
    if (!name || !name[0] || strcmp(name, "__model__") == 0) {
        return true;
    }
    const char *scope = strstr(name, "::");
    const size_t length = scope ? (size_t)(scope - name) : strlen(name);
    const mo_xml_node *node = find_frame(model, name, length);
    if (!node) {
        return mo_reader_fail(s->r, from, "names the frame '%.80s', which is not there", name);
    }
    if (level > MO_SDF_FRAME_LEVELS) {
        return mo_reader_fail(s->r, from, "names frames in a circle, or more than %d, at '%.80s'",
                              (int)MO_SDF_FRAME_LEVELS, name);
    }
    const mo_xml_node *given = mo_xml_child(node, "pose");
    const char *in = given ? mo_xml_get(given, "relative_to") : NULL;
    if (!in || !in[0]) {
        in = strcmp(node->name, "frame") == 0   ? mo_xml_get(node, "attached_to")
             : strcmp(node->name, "joint") == 0 ? mo_sdf_text(node, "child")
                                                : "";
    }
    mo_pose base, own, inner = mo_pose_identity();
    if (!mo_sdf_frame(s, model, node, in, level + 1, &base) || !mo_sdf_pose(s, node, &own) ||
        (scope && !mo_sdf_frame(s, node, from, scope + 2, level + 1, &inner))) {
        return false;
    }
    base = mo_pose_compose(&base, &own);
    *out = mo_pose_compose(&base, &inner);
    return true;
}

bool mo_sdf_place(mo_sdf *s, const mo_sdf_model *m, const mo_xml_node *from, const char *name,
                  mo_pose *out)
{
    mo_pose in_model = mo_pose_identity();
    const bool is_world = name && strcmp(name, "world") == 0;
    if (!is_world && !mo_sdf_frame(s, m->node, from, name, 0, &in_model)) {
        return false;
    }
    *out = is_world ? mo_pose_identity() : mo_pose_compose(&m->pose, &in_model);
    return true;
}
