/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The tree of bodies: poses, inertias (given or inferred from geoms), joints. */
#include <math.h>
#include <string.h>

#include "io/mjcf.h"
#include "linalg/principal.h"
#include "linalg/vec3.h"

/* ---- inertia --------------------------------------------------------------------------------- */

static bool read_inertial(mo_mjcf *m, const mo_xml_node *node, mo_mass *out)
{
    mo_pose pose = mo_pose_identity();
    mo_mass given = {0};
    int diagonal = 0, full = 0;
    double six[6];
    MO_PASS(mo_mjcf_frame(m, node, NULL, &pose) &&
            mo_mjcf_number(m, node, NULL, "mass", &given.mass) &&
            mo_mjcf_numbers(m, node, NULL, "diaginertia", 3, 3, given.inertia, &diagonal) &&
            mo_mjcf_numbers(m, node, NULL, "fullinertia", 6, 6, six, &full));
    MO_FAIL_IF(!mo_xml_get(node, "mass") || (!diagonal && !full),
               mo_reader_fail(m->r, node, "needs mass, and diaginertia or fullinertia"));
    MO_FAIL_IF(diagonal && full,
               mo_reader_fail(m->r, node, "has both diaginertia and fullinertia; give one"));
    MO_FAIL_IF(given.mass < 0, mo_reader_fail(m->r, node, "has a negative mass"));
    if (full) /* xx yy zz xy xz yz, as ours */
        memcpy(given.inertia, six, sizeof six);
    mo_mass_place(&given, &pose, 1, out);
    return true;
}

/* Principal moments raised to a least one, or made equal where they violate A + B >= C. */
static void correct_inertia(const mo_mjcf_compiler *set, double inertia[6])
{
    double value[3], Q[9];
    mo_principal_axes(inertia, value, Q);
    const double mean = (value[0] + value[1] + value[2]) / 3;
    const double largest = fmax(value[0], fmax(value[1], value[2]));
    const int unbalanced = set->balance_inertia && 2 * largest > 3 * mean;
    int change = unbalanced;
    for (int k = 0; k < 3; ++k) {
        change |= value[k] < set->least_inertia;
        value[k] = unbalanced ? mean : fmax(value[k], set->least_inertia);
    }
    if (change) mo_principal_compose(value, Q, inertia);
}

static bool set_mass(mo_mjcf *m, const mo_xml_node *node, int place, const mo_mass *given,
                     const mo_mass *of_geoms)
{
    mo_model_body *body = m->r->model->bodies + place;
    const int infer = mo_mjcf_by(m, node)->inertia_from_geoms == MO_MJCF_YES ||
                      (mo_mjcf_by(m, node)->inertia_from_geoms == MO_MJCF_AUTO && !given);
    const mo_mass none = {0};
    mo_mass_give(infer ? of_geoms : given ? given : &none, body);
    body->mass = fmax(body->mass, mo_mjcf_by(m, node)->least_mass);
    if (mo_mjcf_by(m, node)->balance_inertia || mo_mjcf_by(m, node)->least_inertia > 0)
        correct_inertia(mo_mjcf_by(m, node), body->inertia);
    return mo_reader_check_body(m->r, node, body);
}

/* ---- joints ---------------------------------------------------------------------------------- */

bool mo_mjcf_passive(mo_mjcf *m, const mo_xml_node *node, const char *kind, double *stiffness,
                     double *damping, double *dry_friction)
{
    const bool is_read = mo_mjcf_amount(m, node, kind, "stiffness", stiffness) &&
                         mo_mjcf_amount(m, node, kind, "damping", damping) &&
                         mo_mjcf_amount(m, node, kind, "frictionloss", dry_friction);
    if (m->set.no_passive) *stiffness = *damping = 0;
    if (m->set.no_friction_loss) *dry_friction = 0;
    return is_read;
}

static bool read_spring(mo_mjcf *m, const mo_xml_node *node, mo_model_joint *joint)
{
    return mo_mjcf_passive(m, node, "joint", &joint->stiffness, &joint->damping,
                           &joint->dry_friction) &&
           mo_mjcf_amount(m, node, "joint", "armature", &joint->armature) &&
           mo_mjcf_number(m, node, "joint", "ref", &joint->ref) &&
           mo_mjcf_number(m, node, "joint", "springref", &joint->spring_ref);
}

/* A joint into the frame of its body; the range in the file's unit of angle. */
static bool read_joint(mo_mjcf *m, const mo_xml_node *node, int body)
{
    static const char *const TYPES[] = {"free", "ball", "slide", "hinge", NULL};
    int kind = MO_MODEL_HINGE;
    const char *name = mo_xml_get(node, "name");
    MO_PASS(mo_mjcf_word(m, node, "joint", "type", TYPES, &kind));
    mo_model_joint *joint = mo_reader_add_joint(m->r, node, name, (mo_model_joint_kind)kind, body);
    MO_PASS(joint && mo_mjcf_numbers(m, node, "joint", "pos", 3, 3, joint->anchor, NULL) &&
            mo_mjcf_numbers(m, node, "joint", "axis", 3, 3, joint->axis, NULL) &&
            read_spring(m, node, joint) &&
            (kind == MO_MODEL_FREE || mo_mjcf_limits(m, node, "joint", "limited", "range",
                                                     &joint->has_limits, joint->range)) &&
            mo_mjcf_limits(m, node, "joint", "actuatorfrclimited", "actuatorfrcrange",
                           &joint->has_effort_range, joint->effort_range));
    const double length = mo_vec3_norm(joint->axis);
    MO_FAIL_IF(kind >= MO_MODEL_SLIDE && !(length > 1e-14),
               mo_reader_fail(m->r, node, "has an axis of length zero"));
    mo_vec3_scale(length > 0 ? 1 / length : 0, joint->axis, joint->axis);
    if (kind == MO_MODEL_HINGE || kind == MO_MODEL_BALL) {
        joint->range[0] *= mo_mjcf_by(m, node)->degree;
        joint->range[1] *= mo_mjcf_by(m, node)->degree;
    }
    if (kind == MO_MODEL_HINGE) {
        joint->ref *= mo_mjcf_by(m, node)->degree;
        joint->spring_ref *= mo_mjcf_by(m, node)->degree;
    } else if (kind != MO_MODEL_SLIDE) {
        joint->ref = joint->spring_ref = 0;
    }
    joint->has_limits = joint->has_limits && kind != MO_MODEL_FREE && !m->set.no_limits;
    if (kind == MO_MODEL_FREE) memset(joint->anchor, 0, sizeof joint->anchor);
    return true;
}

static bool check_joints(mo_mjcf *m, const mo_xml_node *node, int place)
{
    const mo_model_body *body = m->r->model->bodies + place;
    int turns = 0;
    for (int k = 0; k < body->joint_count; ++k) {
        const mo_model_joint_kind kind = m->r->model->joints[body->first_joint + k].kind;
        turns += kind == MO_MODEL_BALL || kind == MO_MODEL_FREE;
        MO_FAIL_IF(kind == MO_MODEL_FREE && (body->joint_count > 1 || body->parent != 0),
                   mo_reader_fail(m->r, node,
                                  body->parent ? "has a free joint but is not a child of the world"
                                               : "has a free joint and other joints"));
    }
    return turns < 2 || mo_reader_fail(m->r, node, "has %d ball joints; it can have one", turns);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* The children of a body, or of a <frame> in it. */
typedef struct body_parts {
    int place;
    mo_mass given, of_geoms;
    int has_inertial;
} body_parts;

/* The pose of a <frame> after those around it. */
static bool enter_frame(mo_mjcf *m, const mo_xml_node *node)
{
    mo_pose own = mo_pose_identity();
    MO_PASS(mo_mjcf_frame(m, node, NULL, &own));
    m->frame = mo_pose_compose(&m->frame, &own);
    return true;
}

/* Joints first: whether a body moves decides what shapes it may have. */
static bool read_joints(mo_mjcf *m, const mo_xml_node *node, int place)
{
    for (const mo_xml_node *child = node->first; child; child = child->next) {
        MO_PASS(strcmp(child->name, "joint") != 0 || read_joint(m, child, place));
        MO_PASS(strcmp(child->name, "freejoint") != 0 ||
                mo_reader_add_joint(m->r, child, mo_xml_get(child, "name"), MO_MODEL_FREE, place));
    }
    return true;
}

static bool read_shapes(mo_mjcf *m, const mo_xml_node *node, body_parts *parts)
{
    for (const mo_xml_node *child = node->first; child; child = child->next) {
        if (strcmp(child->name, "inertial") == 0) {
            if (!read_inertial(m, child, &parts->given)) return false;
            parts->has_inertial = 1;
        } else if (strcmp(child->name, "geom") == 0) {
            if (!mo_mjcf_geom(m, child, parts->place, &parts->of_geoms)) return false;
        } else if (strcmp(child->name, "site") == 0) {
            if (!mo_mjcf_site(m, child, parts->place)) return false;
        } else if (strcmp(child->name, "frame") == 0) {
            const mo_pose around = m->frame;
            if (!enter_frame(m, child) || !read_shapes(m, child, parts)) return false;
            m->frame = around;
        }
    }
    return true;
}

static bool read_parts(mo_mjcf *m, const mo_xml_node *node, int place)
{
    body_parts parts = {.place = place};
    return read_joints(m, node, place) && check_joints(m, node, place) &&
           read_shapes(m, node, &parts) &&
           (place == 0 ||
            set_mass(m, node, place, parts.has_inertial ? &parts.given : NULL, &parts.of_geoms));
}

static bool read_below(mo_mjcf *m, const mo_xml_node *node, int parent);

static bool read_body(mo_mjcf *m, const mo_xml_node *node, int parent)
{
    const mo_pose around = m->frame;
    mo_model_body *body = mo_reader_add_body(m->r, node, mo_xml_get(node, "name"), parent);
    const int place = m->r->model->body_count - 1;
    MO_PASS(body && mo_mjcf_frame(m, node, NULL, &body->pose) &&
            mo_mjcf_number(m, node, NULL, "gravcomp", &body->gravity_compensation) &&
            mo_mjcf_truth(m, node, NULL, "mocap", &body->is_mocap));
    body->pose = mo_pose_compose(&around, &body->pose);
    if (body->is_mocap) {
        ++m->r->model->mocap_count;
        MO_FAIL_IF(parent != 0,
                   mo_reader_fail(m->r, node, "is a mocap body, but not a child of the world"));
    }
    m->frame = mo_pose_identity();
    const bool is_read = read_parts(m, node, place) && read_below(m, node, place);
    m->frame = around;
    MO_FAIL_IF(is_read && m->r->model->bodies[place].is_mocap &&
                   m->r->model->bodies[place].joint_count > 0,
               mo_reader_fail(m->r, node, "is a mocap body, but has a joint"));
    return is_read;
}

/* The bodies in a body or <frame>. */
static bool read_below(mo_mjcf *m, const mo_xml_node *node, int parent)
{
    for (const mo_xml_node *child = node->first; child; child = child->next) {
        if (strcmp(child->name, "body") == 0) {
            if (!read_body(m, child, parent)) return false;
        } else if (strcmp(child->name, "frame") == 0) {
            const mo_pose around = m->frame;
            if (!enter_frame(m, child) || !read_below(m, child, parent)) return false;
            m->frame = around;
        }
    }
    return true;
}

/* Scales all masses and inertias to the total mass of the file. */
static void scale_masses(mo_model *model, double total)
{
    double sum = 0;
    for (int k = 1; k < model->body_count; ++k)
        sum += model->bodies[k].mass;
    for (int k = 1; k < model->body_count && sum > 0; ++k) {
        model->bodies[k].mass *= total / sum;
        for (int e = 0; e < 6; ++e)
            model->bodies[k].inertia[e] *= total / sum;
    }
}

bool mo_mjcf_bodies(mo_mjcf *m)
{
    const mo_xml_node *world = mo_xml_child(m->r->root, "worldbody");
    MO_FAIL_IF(!world, mo_reader_fail(m->r, m->r->root, "has no <worldbody>"));
    MO_PASS(mo_reader_add_body(m->r, world, "world", -1));
    for (const mo_xml_node *section = world; section; section = mo_xml_next(section, "worldbody"))
        MO_PASS(read_parts(m, section, 0) && read_below(m, section, 0));
    MO_FAIL_IF(m->r->model->bodies[0].joint_count > 0,
               mo_reader_fail(m->r, world, "has a joint; joints belong to bodies"));
    if (m->compilers[0].total_mass > 0) scale_masses(m->r->model, m->compilers[0].total_mass);
    return mo_reader_place_joints(m->r);
}
