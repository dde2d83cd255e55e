/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The tree of a URDF file.  Links become bodies in the order of a walk from the root, children in
 * the order of the file; the pose of a child in its parent is the origin of its joint, and the
 * joint acts at the child's origin.
 *
 *   revolute, continuous   hinge          prismatic   slide           fixed   no joint
 *   planar                 two slides along and a hinge about the axis
 *   floating               a free joint where the parent is the world or is fixed to it, otherwise
 *                          three slides and a ball
 */
#include "io/urdf.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/vec3.h"

/* ---- joints ---------------------------------------------------------------------------------- */

typedef enum urdf_type {
    FIXED,
    REVOLUTE,
    CONTINUOUS,
    PRISMATIC,
    PLANAR,
    FLOATING,
    BALL, /* of SDF */
    UNKNOWN
} urdf_type;
static const char *const TYPES[] = {"fixed",  "revolute", "continuous", "prismatic",
                                    "planar", "floating", "ball"};

static urdf_type type_of(const mo_xml_node *node)
{
    const char *text = mo_xml_get(node, "type");
    int k = FIXED;
    while (k < UNKNOWN && (!text || strcmp(text, TYPES[k]) != 0)) {
        ++k;
    }
    return (urdf_type)k;
}

static bool read_axis(mo_urdf *u, const mo_xml_node *node, double axis[3])
{
    const mo_xml_node *given = mo_xml_child(node, "axis");
    const char *xyz = given ? mo_xml_get(given, "xyz") : NULL;
    mo_vec3_set(axis, 1, 0, 0);
    if (xyz && !mo_reader_numbers(u->r, given, "xyz", xyz, 3, 3, axis, NULL)) {
        return false;
    }
    const double length = mo_vec3_norm(axis);
    if (!(length > 1e-14)) {
        return mo_reader_fail(u->r, given, "has length zero");
    }
    mo_vec3_scale(1 / length, axis, axis);
    return true;
}

/* A motor of the joint's name, as strong as its limit of effort. */
static bool add_motor(mo_urdf *u, const mo_xml_node *node, int joint, double effort)
{
    mo_model_actuator *motor = mo_reader_add_actuator(u->r, node, mo_xml_get(node, "name"));
    if (motor) {
        motor->joint = joint;
        motor->has_force_range = effort > 0;
        motor->force_range[0] = -effort;
        motor->force_range[1] = effort;
    }
    return motor != NULL;
}

static bool read_limits(mo_urdf *u, const mo_xml_node *node, urdf_type type, int place)
{
    mo_model_joint *joint = u->r->model->joints + place;
    const mo_xml_node *limit = mo_xml_child(node, "limit");
    double effort = 0;
    if (!limit) {
        if (type == REVOLUTE || type == PRISMATIC) {
            mo_reader_note(u->r, node,
                           "> of type %s has no <limit>: it turns or slides without end",
                           TYPES[type]);
        }
        return add_motor(u, node, place, 0);
    }
    char both[2][40] = {"0", "0"};
    for (int k = 0; k < 2; ++k) {
        const char *text = mo_xml_get(limit, k ? "upper" : "lower");
        snprintf(both[k], sizeof both[k], "%.30s", text ? text : "0");
    }
    char pair[90];
    snprintf(pair, sizeof pair, "%s %s", both[0], both[1]);
    if (!mo_urdf_number(u, limit, "effort", &effort)) {
        return false;
    }
    if (type != CONTINUOUS) {
        if (!mo_reader_range(u->r, limit, "lower and upper", pair, joint->range)) {
            return false;
        }
        const int is_turned = joint->range[0] > joint->range[1];
        if (is_turned) { /* by custom: without limits */
            mo_reader_note(u->r, limit, "> has a lower limit above the upper one: it has none");
        }
        joint->has_limits = !is_turned && (isfinite(joint->range[0]) || isfinite(joint->range[1]));
    }
    return add_motor(u, node, place, effort);
}

static bool read_dynamics(mo_urdf *u, const mo_xml_node *node, mo_model_joint *joint)
{
    const mo_xml_node *dynamics = mo_xml_child(node, "dynamics");
    if (dynamics && (!mo_urdf_number(u, dynamics, "damping", &joint->damping) ||
                     !mo_urdf_number(u, dynamics, "friction", &joint->dry_friction) ||
                     !mo_urdf_number(u, dynamics, "spring_stiffness", &joint->stiffness) ||
                     !mo_urdf_number(u, dynamics, "spring_reference", &joint->spring_ref))) {
        return false;
    }
    return (joint->damping >= 0 && joint->dry_friction >= 0 && joint->stiffness >= 0) ||
           mo_reader_fail(u->r, dynamics, "has a negative damping, friction or stiffness");
}

static mo_model_joint *add_part(mo_urdf *u, const mo_xml_node *node, const char *end,
                                mo_model_joint_kind kind, int body, const double axis[3])
{
    const char *name = mo_xml_get(node, "name");
    char full[256];
    snprintf(full, sizeof full, "%.200s%s", name ? name : "", end);
    const char *kept = mo_pool_text(&u->r->tree, full, strlen(full));
    mo_model_joint *joint = kept ? mo_reader_add_joint(u->r, node, kept, kind, body) : NULL;
    if (joint) {
        mo_vec3_copy(axis, joint->axis);
    }
    return joint;
}

static bool add_planar(mo_urdf *u, const mo_xml_node *node, int body, const double normal[3])
{
    double t[3], o[3];
    mo_vec3_tangents(normal, t, o);
    return add_part(u, node, ".x", MO_MODEL_SLIDE, body, t) &&
           add_part(u, node, ".y", MO_MODEL_SLIDE, body, o) &&
           add_part(u, node, ".turn", MO_MODEL_HINGE, body, normal);
}

static bool is_still(const mo_model *model, int body)
{
    while (body > 0 && model->bodies[body].joint_count == 0) {
        body = model->bodies[body].parent;
    }
    return body <= 0;
}

static bool add_floating(mo_urdf *u, const mo_xml_node *node, int body)
{
    static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};
    mo_model *model = u->r->model;
    const int parent = model->bodies[body].parent;
    if (!is_still(model, parent)) {
        return add_part(u, node, ".x", MO_MODEL_SLIDE, body, X) &&
               add_part(u, node, ".y", MO_MODEL_SLIDE, body, Y) &&
               add_part(u, node, ".z", MO_MODEL_SLIDE, body, Z) &&
               add_part(u, node, ".turn", MO_MODEL_BALL, body, Z);
    }
    /* Free in the world: a child of the world, where the still bodies above it have it. */
    for (int up = parent; up > 0; up = model->bodies[up].parent) {
        model->bodies[body].pose =
            mo_pose_compose(&model->bodies[up].pose, &model->bodies[body].pose);
    }
    model->bodies[body].parent = 0;
    return add_part(u, node, "", MO_MODEL_FREE, body, Z) != NULL;
}

static bool read_joint(mo_urdf *u, const mo_xml_node *node, int body)
{
    const urdf_type type = type_of(node);
    double axis[3];
    const int is_sdf = strcmp(u->r->model->format, "SDF") == 0;
    if (type == UNKNOWN || (type == BALL && !is_sdf)) {
        const char *text = mo_xml_get(node, "type");
        return mo_reader_fail(u->r, node, "has the type '%.60s', which URDF does not have",
                              text ? text : "");
    }
    if (type == FIXED) {
        return true;
    }
    if (!read_axis(u, node, axis)) {
        return false;
    }
    if (type == PLANAR) {
        return add_planar(u, node, body, axis);
    }
    if (type == FLOATING) {
        return add_floating(u, node, body);
    }
    if (type == BALL) {
        mo_model_joint *ball = add_part(u, node, "", MO_MODEL_BALL, body, axis);
        return ball && read_dynamics(u, node, ball);
    }
    mo_model_joint *joint =
        add_part(u, node, "", type == PRISMATIC ? MO_MODEL_SLIDE : MO_MODEL_HINGE, body, axis);
    return joint && read_dynamics(u, node, joint) &&
           read_limits(u, node, type, u->r->model->joint_count - 1);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* The links and joints of the file, by place. */
typedef struct urdf_tree {
    const mo_xml_node **links, **joints;
    int link_count, joint_count;
    int *parent_of;          /* of link k: the joint above it, or -1 */
    int *first, *next;       /* joints below a link: a list through next, in the file's order */
    int *child;              /* of a joint: the link */
    int *weighs, *has_shape; /* of a link: has it, or something on it, mass, or shapes? */
} urdf_tree;

static int count_of(const mo_xml_node *root, const char *name)
{
    int count = 0;
    for (const mo_xml_node *node = mo_xml_child(root, name); node; node = mo_xml_next(node, name)) {
        ++count;
    }
    return count;
}

static bool allocate_tree(mo_urdf *u, urdf_tree *t)
{
    mo_pool *pool = &u->r->tree;
    const size_t links = (size_t)count_of(u->r->root, "link") + 1;
    const size_t joints = (size_t)count_of(u->r->root, "joint") + 1;
    t->links = mo_pool_take(pool, links, sizeof *t->links);
    t->joints = mo_pool_take(pool, joints, sizeof *t->joints);
    t->parent_of = mo_pool_take(pool, links, sizeof *t->parent_of);
    t->first = mo_pool_take(pool, links, sizeof *t->first);
    t->next = mo_pool_take(pool, joints, sizeof *t->next);
    t->child = mo_pool_take(pool, joints, sizeof *t->child);
    t->weighs = mo_pool_take(pool, links, sizeof *t->weighs);
    t->has_shape = mo_pool_take(pool, links, sizeof *t->has_shape);
    return (t->links && t->joints && t->parent_of && t->first && t->next && t->child && t->weighs &&
            t->has_shape) ||
           mo_reader_no_memory(u->r);
}

static bool read_links(mo_urdf *u, urdf_tree *t)
{
    for (const mo_xml_node *node = mo_xml_child(u->r->root, "link"); node;
         node = mo_xml_next(node, "link")) {
        const char *name = mo_xml_get(node, "name");
        if (!name || !name[0]) {
            return mo_reader_fail(u->r, node, "has no name");
        }
        if (!mo_reader_name_add(u->r, node, 'l', name, t->link_count)) {
            return false;
        }
        t->parent_of[t->link_count] = t->first[t->link_count] = -1;
        t->links[t->link_count++] = node;
    }
    return t->link_count > 0 || mo_reader_fail(u->r, u->r->root, "has no <link>");
}

static int find_link(mo_urdf *u, const mo_xml_node *joint, const char *side)
{
    const mo_xml_node *node = mo_xml_child(joint, side);
    const char *name = node ? mo_xml_get(node, "link") : NULL;
    const int place = mo_reader_name_find(u->r, 'l', name);
    if (place < 0) {
        mo_reader_fail(u->r, joint, "has the %s '%.80s', which is no link of this file", side,
                       name ? name : "");
    }
    return place;
}

static bool read_joints(mo_urdf *u, urdf_tree *t)
{
    for (const mo_xml_node *node = mo_xml_child(u->r->root, "joint"); node;
         node = mo_xml_next(node, "joint")) {
        t->joints[t->joint_count++] = node;
    }
    /* From the last to the first, so that each list is in the order of the file. */
    for (int k = t->joint_count - 1; k >= 0; --k) {
        const int parent = find_link(u, t->joints[k], "parent");
        const int child = parent < 0 ? -1 : find_link(u, t->joints[k], "child");
        if (child < 0) {
            return false;
        }
        if (t->parent_of[child] >= 0) {
            return mo_reader_fail(u->r, t->joints[k],
                                  "is a second joint above its child; a link has one parent");
        }
        t->parent_of[child] = k;
        t->child[k] = child;
        t->next[k] = t->first[parent];
        t->first[parent] = k;
    }
    return true;
}

/* Marks a link and all those it hangs on. */
static void mark_upwards(mo_urdf *u, const urdf_tree *t, int link, int *mark)
{
    while (link >= 0 && !mark[link]) {
        const int joint = t->parent_of[link];
        mark[link] = 1;
        link = joint < 0 ? -1 : find_link(u, t->joints[joint], "parent");
    }
}

static void find_weights(mo_urdf *u, const urdf_tree *t)
{
    for (int k = 0; k < t->link_count; ++k) {
        const mo_xml_node *inertial = mo_xml_child(t->links[k], "inertial");
        const mo_xml_node *mass = inertial ? mo_xml_child(inertial, "mass") : NULL;
        const char *text = mass ? mo_xml_get(mass, "value") : NULL;
        double value = 0;
        if (text && mo_text_number(text, &value) && value > 0) {
            mark_upwards(u, t, k, t->weighs);
        }
        if (mo_xml_child(t->links[k], "collision")) {
            mark_upwards(u, t, k, t->has_shape);
        }
    }
}

/* Frames that only name a place often hang on joints: what moves no mass is fixed. */
static bool is_weightless(const urdf_tree *t, int link)
{
    return !t->weighs[link] && !t->has_shape[link];
}

static bool read_joint_of(mo_urdf *u, const urdf_tree *t, int link, int place)
{
    const mo_xml_node *node = t->joints[t->parent_of[link]];
    if (!is_weightless(t, link) || type_of(node) == UNKNOWN) {
        return read_joint(u, node, place);
    }
    if (type_of(node) != FIXED) {
        const char *name = mo_xml_get(node, "name");
        mo_reader_note_of(u->r, node, name ? name : "",
                          "> moves nothing that has mass: it is fixed");
    }
    return true;
}

/* Upwards from a link, as often as there are links, ends at the root or in a circle. */
static bool say_circle(mo_urdf *u, const urdf_tree *t)
{
    for (int k = 0; k < t->link_count; ++k) {
        int link = k;
        for (int up = 0; up < t->link_count && t->parent_of[link] >= 0; ++up) {
            link = find_link(u, t->joints[t->parent_of[link]], "parent");
        }
        if (t->parent_of[link] >= 0) {
            return mo_reader_fail(u->r, t->joints[t->parent_of[link]],
                                  "closes a circle of links: '%.80s' is above itself",
                                  mo_xml_get(t->links[link], "name"));
        }
    }
    return mo_reader_fail(u->r, u->r->root, "has links that hang on nothing");
}

/* From the root down, without recursion: chains may be long. */
static bool walk(mo_urdf *u, const urdf_tree *t, int root)
{
    mo_model *model = u->r->model;
    int *waiting = mo_pool_take(&u->r->tree, (size_t)t->link_count + 1, sizeof *waiting);
    int *above = mo_pool_take(&u->r->tree, (size_t)t->link_count + 1, sizeof *above);
    int *reversed = mo_pool_take(&u->r->tree, (size_t)t->joint_count + 1, sizeof *reversed);
    int count = 0, read = 0;
    if (!waiting || !above || !reversed) {
        return mo_reader_no_memory(u->r);
    }
    waiting[count] = root;
    above[count++] = 0;
    while (count > 0) {
        const int link = waiting[--count], joint = t->parent_of[link];
        mo_model_body *body = mo_reader_add_body(u->r, t->links[link],
                                                 mo_xml_get(t->links[link], "name"), above[count]);
        const int place = model->body_count - 1;
        ++read;
        u->weighs_by_shape = !t->weighs[link];
        if (!body ||
            (joint >= 0 && (!mo_urdf_origin(u, t->joints[joint], &body->pose) ||
                            !read_joint_of(u, t, link, place))) ||
            !mo_urdf_link(u, t->links[link], place)) {
            return false;
        }
        int below = 0;
        for (int j = t->first[link]; j >= 0; j = t->next[j]) {
            reversed[below++] = j;
        }
        while (below > 0) {
            waiting[count] = t->child[reversed[--below]];
            above[count++] = place;
        }
    }
    return read == t->link_count || say_circle(u, t);
}

/* ---- mimic ----------------------------------------------------------------------------------- */

/* Is there a joint of that name in the file, which moves nothing? */
static bool is_fixed_joint(const urdf_tree *t, const char *name)
{
    for (int k = 0; k < t->joint_count && name; ++k) {
        const char *known = mo_xml_get(t->joints[k], "name");
        if (known && strcmp(known, name) == 0) {
            return type_of(t->joints[k]) == FIXED || is_weightless(t, t->child[k]);
        }
    }
    return false;
}

/* q of the joint is the offset. */
static bool hold_at_offset(mo_urdf *u, const mo_xml_node *node, const mo_xml_node *mimic)
{
    mo_model_equality *e = mo_reader_add_equality(u->r, mimic, mo_xml_get(node, "name"));
    if (!e) {
        return false;
    }
    e->kind = MO_MODEL_COUPLE;
    e->a = mo_reader_name_find(u->r, 'j', mo_xml_get(node, "name"));
    e->b = -1;
    return e->a >= 0 ? mo_urdf_number(u, mimic, "offset", &e->polynomial[0])
                     : mo_reader_fail(u->r, mimic, "is in a joint without a name");
}

/* q of the joint is multiplier times that of the other one, and offset. */
static bool read_mimic(mo_urdf *u, const urdf_tree *t, int k)
{
    const mo_xml_node *node = t->joints[k];
    const mo_xml_node *mimic = mo_xml_child(node, "mimic");
    const urdf_type type = type_of(node);
    if (!mimic || is_weightless(t, t->child[k]) ||
        (type != REVOLUTE && type != CONTINUOUS && type != PRISMATIC)) {
        return true;
    }
    const char *name = mo_xml_get(mimic, "joint");
    const int other = mo_reader_name_find(u->r, 'j', name);
    if (other < 0 && is_fixed_joint(t, name)) {
        mo_reader_note(u->r, mimic, "> follows a joint that is fixed: it stays where that has it");
        return hold_at_offset(u, node, mimic);
    }
    if (other < 0 || u->r->model->joints[other].kind < MO_MODEL_SLIDE) {
        return mo_reader_fail(u->r, mimic,
                              "follows the joint '%.80s', which does not turn or slide",
                              name ? name : "");
    }
    mo_model_equality *e = mo_reader_add_equality(u->r, mimic, name);
    if (!e) {
        return false;
    }
    e->kind = MO_MODEL_COUPLE;
    e->a = mo_reader_name_find(u->r, 'j', mo_xml_get(node, "name"));
    e->b = other;
    e->polynomial[1] = 1;
    if (e->a < 0 || e->a == e->b) {
        return mo_reader_fail(u->r, mimic, "is in a joint without a name, or follows itself");
    }
    return mo_urdf_number(u, mimic, "offset", &e->polynomial[0]) &&
           mo_urdf_number(u, mimic, "multiplier", &e->polynomial[1]);
}

static bool read_mimics(mo_urdf *u, const urdf_tree *t)
{
    for (int k = 0; k < t->joint_count; ++k) {
        if (!read_mimic(u, t, k)) {
            return false;
        }
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void list_unread(mo_reader *r)
{
    static const char *const OF_JOINTS[] = {"parent",     "child",    "origin", "axis",
                                            "limit",      "dynamics", "mimic",  "safety_controller",
                                            "calibration"};
    for (const mo_xml_node *node = r->root->first; node; node = node->next) {
        const int is_joint = strcmp(node->name, "joint") == 0;
        if (strncmp(node->name, "xacro:", 6) == 0) {
            mo_reader_note(r, node, "> is of xacro: expand the file with it first");
        } else if (strcmp(node->name, "link") != 0 && !is_joint &&
                   strcmp(node->name, "material") != 0) {
            mo_reader_note(r, node, "> is not understood: ignored");
        }
        for (const mo_xml_node *part = is_joint ? node->first : NULL; part; part = part->next) {
            size_t k = 0;
            while (k < 9 && strcmp(part->name, OF_JOINTS[k]) != 0) {
                ++k;
            }
            if (k == 9) {
                mo_reader_note(r, part, "> of a joint is not understood: ignored");
            }
        }
    }
}

bool mo_urdf_read(mo_reader *r)
{
    mo_urdf u = {.r = r};
    urdf_tree t = {0};
    int root = -1;
    r->is_lenient = 1;
    r->model->name = mo_reader_text(r, mo_xml_get(r->root, "name"));
    list_unread(r);
    if (r->error || !mo_reader_add_body(r, NULL, NULL, -1) || !allocate_tree(&u, &t) ||
        !read_links(&u, &t) || !read_joints(&u, &t)) {
        return false;
    }
    for (int k = 0; k < t.link_count; ++k) {
        if (t.parent_of[k] < 0) {
            if (root >= 0) {
                return mo_reader_fail(
                    r, t.links[k], "hangs on no joint, and neither does '%.80s'; there is one root",
                    mo_xml_get(t.links[root], "name"));
            }
            root = k;
        }
    }
    if (root < 0) {
        return mo_reader_fail(r, r->root, "has no root: every link is the child of a joint");
    }
    find_weights(&u, &t);
    return walk(&u, &t, root) && mo_reader_place_joints(r) && read_mimics(&u, &t);
}
