/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Joints of a URDF file, their limits, motors and dynamics: urdf.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/urdf.h"
#include "linalg/vec3.h"

static const char *const TYPES[] = {"fixed",  "revolute", "continuous", "prismatic",
                                    "planar", "floating", "ball"};

mo_urdf_type mo_urdf_type_of(const mo_xml_node *node)
{
    const char *text = mo_xml_get(node, "type");
    int k = MO_URDF_FIXED;
    text = text && strcmp(text, "spherical") == 0 ? "ball" : text; /* Bullet */
    while (k < MO_URDF_UNKNOWN && (!text || strcmp(text, TYPES[k]) != 0))
        ++k;
    return (mo_urdf_type)k;
}

static bool read_axis(mo_urdf *u, const mo_xml_node *node, double axis[3])
{
    const mo_xml_node *given = mo_xml_child(node, "axis");
    mo_vec3_set(axis, 1, 0, 0);
    if (given && !mo_reader_attribute(u->r, given, "xyz", 3, 3, axis, NULL)) return false;
    const double length = mo_vec3_norm(axis);
    MO_FAIL_IF(!(length > 1e-14), mo_reader_fail(u->r, given, "has length zero"));
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

static bool read_limits(mo_urdf *u, const mo_xml_node *node, mo_urdf_type type, int place)
{
    mo_model_joint *joint = u->r->model->joints + place;
    const mo_xml_node *limit = mo_xml_child(node, "limit");
    double effort = 0;
    if (!limit) {
        if (type == MO_URDF_REVOLUTE || type == MO_URDF_PRISMATIC) {
            mo_reader_note(u->r, node, "> of type %s has no <limit>: its motion is unlimited",
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
    MO_PASS(mo_urdf_number(u, limit, "effort", &effort));
    if (type != MO_URDF_CONTINUOUS) {
        MO_PASS(mo_reader_range(u->r, limit, "lower and upper", pair, joint->range));
        const int is_turned = joint->range[0] > joint->range[1];
        if (is_turned) { /* a convention for joints without limits */
            mo_reader_note(u->r, limit,
                           "> has a lower limit above the upper one: both are ignored");
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
                     !mo_urdf_number(u, dynamics, "spring_reference", &joint->spring_ref)))
        return false;
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
    if (joint) mo_vec3_copy(axis, joint->axis);
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

static bool add_floating(mo_urdf *u, const mo_xml_node *node, int body)
{
    static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1};
    mo_model *model = u->r->model;
    const int parent = model->bodies[body].parent;
    if (mo_reader_moves(model, parent)) {
        return add_part(u, node, ".x", MO_MODEL_SLIDE, body, X) &&
               add_part(u, node, ".y", MO_MODEL_SLIDE, body, Y) &&
               add_part(u, node, ".z", MO_MODEL_SLIDE, body, Z) &&
               add_part(u, node, ".turn", MO_MODEL_BALL, body, Z);
    }
    /* A floating body: a child of the world, at the pose given by its static parents. */
    for (int up = parent; up > 0; up = model->bodies[up].parent) {
        model->bodies[body].pose =
            mo_pose_compose(&model->bodies[up].pose, &model->bodies[body].pose);
    }
    model->bodies[body].parent = 0;
    return add_part(u, node, "", MO_MODEL_FREE, body, Z) != NULL;
}

bool mo_urdf_joint(mo_urdf *u, const mo_xml_node *node, int body)
{
    const mo_urdf_type type = mo_urdf_type_of(node);
    double axis[3];
    if (type == MO_URDF_UNKNOWN) {
        const char *text = mo_xml_get(node, "type");
        return mo_reader_fail(u->r, node, "has the type '%.60s', which is not a joint type of URDF",
                              text ? text : "");
    }
    if (type == MO_URDF_FIXED) return true;
    MO_PASS(read_axis(u, node, axis));
    if (type == MO_URDF_PLANAR) return add_planar(u, node, body, axis);
    if (type == MO_URDF_FLOATING) return add_floating(u, node, body);
    if (type == MO_URDF_BALL) {
        mo_model_joint *ball = add_part(u, node, "", MO_MODEL_BALL, body, axis);
        return ball && read_dynamics(u, node, ball);
    }
    mo_model_joint *joint = add_part(
        u, node, "", type == MO_URDF_PRISMATIC ? MO_MODEL_SLIDE : MO_MODEL_HINGE, body, axis);
    return joint && read_dynamics(u, node, joint) &&
           read_limits(u, node, type, u->r->model->joint_count - 1);
}
