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

/* ---- the tree -------------------------------------------------------------------------------- */

/* The links and joints of the file, by place. */
typedef struct urdf_tree {
    const mo_xml_node **links, **joints;
    int link_count, joint_count;
    int *parent_of;            /* of link k: the joint above it, or -1 */
    int *first, *next;         /* joints below a link: a list through next, in the file's order */
    int *child;                /* of a joint: the link */
    int *has_mass, *has_shape; /* of a link: has it, or a descendant, mass or shapes? */
} urdf_tree;

static int count_of(const mo_xml_node *root, const char *name)
{
    int count = 0;
    MO_XML_EACH (node, root, name)
        ++count;
    return count;
}

static bool allocate_tree(mo_urdf *u, urdf_tree *t)
{
    mo_pool *pool = &u->r->tree;
    const size_t joints = (size_t)count_of(u->r->root, "joint") + 1;
    const size_t links = (size_t)count_of(u->r->root, "link") + joints; /* and assumed ones */
    return (MO_POOL_EACH(pool, links, const mo_xml_node *, &t->links) &&
            MO_POOL_EACH(pool, joints, const mo_xml_node *, &t->joints) &&
            MO_POOL_EACH(pool, links, int, &t->parent_of, &t->first, &t->has_mass, &t->has_shape) &&
            MO_POOL_EACH(pool, joints, int, &t->next, &t->child)) ||
           mo_reader_no_memory(u->r);
}

static bool add_link(mo_urdf *u, urdf_tree *t, const mo_xml_node *node, const char *name)
{
    MO_PASS(mo_reader_name_add(u->r, node, 'l', name, t->link_count));
    t->parent_of[t->link_count] = t->first[t->link_count] = -1;
    t->links[t->link_count++] = node;
    return true;
}

/* An assumed link has the node of the <parent> that names it. */
static const char *link_name(const mo_xml_node *node)
{
    return mo_xml_get(node, strcmp(node->name, "parent") == 0 ? "link" : "name");
}

static bool read_links(mo_urdf *u, urdf_tree *t)
{
    MO_XML_EACH (node, u->r->root, "link") {
        const char *name = mo_xml_get(node, "name");
        MO_FAIL_IF(!name || !name[0], mo_reader_fail(u->r, node, "has no name"));
        MO_PASS(add_link(u, t, node, name));
    }
    return t->link_count > 0 || mo_reader_fail(u->r, u->r->root, "has no <link>");
}

static int find_link(mo_urdf *u, const mo_xml_node *joint, const char *side)
{
    const char *name = mo_xml_get(mo_xml_child(joint, side), "link");
    const int place = mo_reader_name_find(u->r, 'l', name);
    if (place < 0) {
        mo_reader_fail(u->r, joint, "has the %s '%.80s', which is not a link of this file", side,
                       name ? name : "");
    }
    return place;
}

/* A part of a robot may be attached to a link of another file, or to a "world" that is not defined:
 * an empty link is assumed. */
static bool assume_parent(mo_urdf *u, urdf_tree *t, const mo_xml_node *joint)
{
    const mo_xml_node *node = mo_xml_child(joint, "parent");
    const char *name = mo_xml_get(node, "link");
    if (!name || !name[0] || mo_reader_name_find(u->r, 'l', name) >= 0) return true;
    mo_reader_note_of(u->r, node, name, "> is not a link of this file: an empty link is assumed");
    return add_link(u, t, node, name);
}

static bool read_joints(mo_urdf *u, urdf_tree *t)
{
    MO_XML_EACH (node, u->r->root, "joint") {
        t->joints[t->joint_count++] = node;
        MO_PASS(assume_parent(u, t, node));
    }
    /* From the last to the first, so that each list is in the order of the file. */
    for (int k = t->joint_count - 1; k >= 0; --k) {
        const int parent = find_link(u, t->joints[k], "parent");
        const int child = parent < 0 ? -1 : find_link(u, t->joints[k], "child");
        MO_PASS(child >= 0);
        MO_FAIL_IF(t->parent_of[child] >= 0,
                   mo_reader_fail(u->r, t->joints[k],
                                  "is a second parent joint of its child; a link has one parent"));
        t->parent_of[child] = k;
        t->child[k] = child;
        t->next[k] = t->first[parent];
        t->first[parent] = k;
    }
    return true;
}

/* Marks a link and all its ancestors. */
static void mark_upwards(mo_urdf *u, const urdf_tree *t, int link, int *mark)
{
    while (link >= 0 && !mark[link]) {
        const int joint = t->parent_of[link];
        mark[link] = 1;
        link = joint < 0 ? -1 : find_link(u, t->joints[joint], "parent");
    }
}

static void find_masses(mo_urdf *u, const urdf_tree *t)
{
    for (int k = 0; k < t->link_count; ++k) {
        const mo_xml_node *inertial = mo_xml_child(t->links[k], "inertial");
        const char *text = mo_xml_get(mo_xml_child(inertial, "mass"), "value");
        double value = 0;
        if (text && mo_text_number(text, &value) && value > 0) mark_upwards(u, t, k, t->has_mass);
        if (mo_xml_child(t->links[k], "collision")) mark_upwards(u, t, k, t->has_shape);
    }
}

/* Massless frames often have joints; joints that move no mass are fixed. */
static bool is_massless(const urdf_tree *t, int link)
{
    return !t->has_mass[link] && !t->has_shape[link];
}

static bool read_joint_of(mo_urdf *u, const urdf_tree *t, int link, int place)
{
    const mo_xml_node *node = t->joints[t->parent_of[link]];
    if (!is_massless(t, link) || mo_urdf_type_of(node) == MO_URDF_UNKNOWN)
        return mo_urdf_joint(u, node, place);
    if (mo_urdf_type_of(node) != MO_URDF_FIXED) {
        const char *name = mo_xml_get(node, "name");
        mo_reader_note_of(u->r, node, name ? name : "", "> moves no mass: treated as fixed");
    }
    return true;
}

/* A walk to the parents, one step per link, ends at the root or in a cycle. */
static bool report_cycle(mo_urdf *u, const urdf_tree *t)
{
    for (int k = 0; k < t->link_count; ++k) {
        int link = k;
        for (int up = 0; up < t->link_count && t->parent_of[link] >= 0; ++up)
            link = find_link(u, t->joints[t->parent_of[link]], "parent");
        MO_FAIL_IF(t->parent_of[link] >= 0,
                   mo_reader_fail(u->r, t->joints[t->parent_of[link]],
                                  "closes a cycle of links: '%.80s' is its own ancestor",
                                  link_name(t->links[link])));
    }
    return mo_reader_fail(u->r, u->r->root, "has links that are not connected to the root");
}

/* Adds the links from the root down, without recursion, since chains may be long. */
static bool walk(mo_urdf *u, const urdf_tree *t, int root)
{
    mo_model *model = u->r->model;
    mo_pool *pool = &u->r->tree;
    int *waiting, *above, *reversed, count = 0, read = 0;
    MO_FAIL_IF(!MO_POOL_EACH(pool, t->link_count + 1, int, &waiting, &above) ||
                   !MO_POOL_EACH(pool, t->joint_count + 1, int, &reversed),
               mo_reader_no_memory(u->r));
    waiting[count] = root;
    above[count++] = 0;
    while (count > 0) {
        const int link = waiting[--count], joint = t->parent_of[link];
        mo_model_body *body =
            mo_reader_add_body(u->r, t->links[link], link_name(t->links[link]), above[count]);
        const int place = model->body_count - 1;
        ++read;
        u->weighs_by_shape = !t->has_mass[link];
        if (!body ||
            (joint >= 0 && (!mo_urdf_origin(u, t->joints[joint], &body->pose) ||
                            !read_joint_of(u, t, link, place))) ||
            !mo_urdf_link(u, t->links[link], place))
            return false;
        int below = 0;
        for (int j = t->first[link]; j >= 0; j = t->next[j])
            reversed[below++] = j;
        while (below > 0) {
            waiting[count] = t->child[reversed[--below]];
            above[count++] = place;
        }
    }
    return read == t->link_count || report_cycle(u, t);
}

/* ---- mimic ----------------------------------------------------------------------------------- */

/* Is there a joint of that name that does not move? */
static bool is_fixed_joint(const urdf_tree *t, const char *name)
{
    for (int k = 0; k < t->joint_count && name; ++k)
        if (mo_xml_equals(t->joints[k], "name", name))
            return mo_urdf_type_of(t->joints[k]) == MO_URDF_FIXED || is_massless(t, t->child[k]);
    return false;
}

/* q of the joint is the offset. */
static bool hold_at_offset(mo_urdf *u, const mo_xml_node *node, const mo_xml_node *mimic)
{
    mo_model_equality *e = mo_reader_add_equality(u->r, mimic, mo_xml_get(node, "name"));
    MO_PASS(e);
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
    const mo_urdf_type type = mo_urdf_type_of(node);
    if (!mimic || is_massless(t, t->child[k]) ||
        (type != MO_URDF_REVOLUTE && type != MO_URDF_CONTINUOUS && type != MO_URDF_PRISMATIC))
        return true;
    const char *name = mo_xml_get(mimic, "joint");
    const int other = mo_reader_name_find(u->r, 'j', name);
    if (other < 0 && is_fixed_joint(t, name)) {
        mo_reader_note(u->r, mimic, "> follows a fixed joint: it is held at the offset");
        return hold_at_offset(u, node, mimic);
    }
    MO_FAIL_IF(
        other < 0 || u->r->model->joints[other].kind < MO_MODEL_SLIDE,
        mo_reader_fail(u->r, mimic,
                       "follows the joint '%.80s', which is not revolute, continuous or prismatic",
                       name ? name : ""));
    mo_model_equality *e = mo_reader_add_equality(u->r, mimic, name);
    MO_PASS(e);
    e->kind = MO_MODEL_COUPLE;
    e->a = mo_reader_name_find(u->r, 'j', mo_xml_get(node, "name"));
    e->b = other;
    e->polynomial[1] = 1;
    MO_FAIL_IF(e->a < 0 || e->a == e->b,
               mo_reader_fail(u->r, mimic, "is in a joint without a name, or follows itself"));
    return mo_urdf_number(u, mimic, "offset", &e->polynomial[0]) &&
           mo_urdf_number(u, mimic, "multiplier", &e->polynomial[1]);
}

static bool read_mimics(mo_urdf *u, const urdf_tree *t)
{
    for (int k = 0; k < t->joint_count; ++k)
        MO_PASS(read_mimic(u, t, k));
    return true;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static void list_unread(mo_reader *r)
{
    static const char OF_JOINTS[] =
        " parent child origin axis limit dynamics mimic safety_controller calibration ";
    for (const mo_xml_node *node = r->root->first; node; node = node->next) {
        const int is_joint = strcmp(node->name, "joint") == 0;
        if (strncmp(node->name, "xacro:", 6) == 0)
            mo_reader_note(r, node, "> is a xacro macro: expand the file with xacro first");
        else if (strcmp(node->name, "link") != 0 && !is_joint &&
                 strcmp(node->name, "material") != 0)
            mo_reader_note(r, node, "> is not supported: ignored");
        for (const mo_xml_node *part = is_joint ? node->first : NULL; part; part = part->next)
            if (!mo_text_has_word(OF_JOINTS, part->name))
                mo_reader_note(r, part, "> of a joint is not supported: ignored");
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
    MO_PASS(!r->error && mo_reader_add_body(r, NULL, NULL, -1) && allocate_tree(&u, &t) &&
            read_links(&u, &t) && read_joints(&u, &t));
    for (int k = 0; k < t.link_count; ++k) {
        if (t.parent_of[k] < 0) {
            MO_FAIL_IF(root >= 0,
                       mo_reader_fail(r, t.links[k],
                                      "is not the child of any joint, and neither is '%.80s'; a "
                                      "model has one root link",
                                      link_name(t.links[root])));
            root = k;
        }
    }
    MO_FAIL_IF(root < 0,
               mo_reader_fail(r, r->root, "has no root: every link is the child of a joint"));
    find_masses(&u, &t);
    return walk(&u, &t, root) && mo_reader_place_joints(r) && read_mimics(&u, &t);
}
