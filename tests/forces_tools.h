/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Worlds and questions of the tests of the acceleration level. */
#ifndef TESTS_FORCES_TOOLS_H
#define TESTS_FORCES_TOOLS_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"

static const double G = 9.81;

static inline mo_world *new_world(int dimension)
{
    const mo_world_def def = dimension == 2 ? mo_default_planar_world() : mo_default_world();
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static inline mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose,
                             double mu)
{
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    shape.material.friction = mu;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(mo_world_add_shape(world, body, &shape, NULL).index);
    return body;
}

static inline void set(mo_world *world, mo_body_id body, double vx, double vy, double vz, double wx,
                       double wy, double wz)
{
    const mo_pose pose = mo_body_get(world, body).pose;
    const double v[3] = {vx, vy, vz}, w[3] = {wx, wy, wz};
    CHECK(mo_body_set(world, body, &pose, v, w, NULL) == MO_OK);
}

static inline mo_forces solve(mo_world *world, mo_friction_model friction)
{
    mo_force_options options = mo_default_force_options();
    options.friction = friction;
    mo_forces forces = {0};
    mo_message why = {{0}};
    if (mo_world_forces(world, &options, &forces, &why) != MO_OK) fail_msg("%s", why.text);
    if (forces.status != MO_SOLVED)
        fail_msg("%s: %s", mo_status_name(forces.status), forces.message.text);
    return forces;
}

static inline double total_force(const mo_forces *forces, int axis)
{
    double sum = 0;
    for (int k = 0; k < forces->contact_count; ++k)
        sum += forces->contacts[k].force[axis];
    return sum;
}

static inline void check_transitions(const mo_forces *forces, mo_transition expected)
{
    CHECK(forces->contact_count > 0);
    for (int k = 0; k < forces->contact_count; ++k) {
        if (forces->contacts[k].transition != expected) {
            fail_msg("contact %d %s, but should be: %s", k,
                     mo_transition_name(forces->contacts[k].transition),
                     mo_transition_name(expected));
        }
    }
}

/*
 * A tripod sliding and turning about the vertical (three feet: the forces of four would not be
 * unique), a ball that slides and rolls, a three-link arm whose tip drags on the floor.
 */
static inline mo_world *make_mixture(mo_mechanism_id *arm)
{
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 0.5);
    const mo_body_id tripod =
        add(world, MO_BODY_FREE, mo_shape_box(0.2, 0.15, 0.05), mo_pose_at(0, 0, 0.15), 0.5);
    for (int k = 0; k < 3; ++k) {
        mo_shape_def foot = mo_shape_ball(0.05);
        foot.pose = mo_pose_at(0.2 * cos(2.1 * k), 0.15 * sin(2.1 * k), -0.1);
        CHECK(mo_world_add_shape(world, tripod, &foot, NULL).index);
    }
    set(world, tripod, 1, 0.3, 0, 0, 0, 2);
    const mo_body_id ball =
        add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(3, 0, 0.1), 0.3);
    set(world, ball, 1, 0, 0, 2, -5, 3);
    mo_link_def link[3];
    mo_axis_def joint[3];
    for (int k = 0; k < 3; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].pose = k ? mo_pose_at(0.5, 0, 0) : mo_pose_at(0, 5, 0.6);
        link[k].mass = 1;
        link[k].inertia[0] = 0.01;
        link[k].inertia[1] = link[k].inertia[2] = 0.02;
        link[k].centre[0] = 0.25;
        joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        mo_vec3_set(joint[k].axis, 0, k > 0, k == 0);
        joint[k].damping = 0.1;
    }
    joint[1].stiffness = 3;
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = 3;
    *arm = mo_world_add_mechanism(world, &def, NULL);
    CHECK(arm->index);
    mo_shape_def tip = mo_shape_ball(0.05);
    tip.pose = mo_pose_at(0.5, 0, 0);
    CHECK(mo_world_add_shape(world, mo_mechanism_link(world, *arm, 2), &tip, NULL).index);
    /* the tip on the floor: 0.6 - 0.5 sin a - 0.5 sin (a + b) = 0.05, and moving about the vertical
     * alone */
    const double a = 0.3, sum = asin((0.55 - 0.5 * sin(a)) / 0.5);
    const double q[3] = {0.2, a, sum - a}, v[3] = {1.5, 0, 0};
    CHECK(mo_mechanism_set(world, *arm, q, v, NULL) == MO_OK);
    return world;
}

static inline mo_world *by_forces(mo_world *world)
{
    mo_world_def def = mo_world_definition(world);
    def.level = MO_LEVEL_ACCELERATION;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    return world;
}

static inline void run(mo_world *world, double h, double seconds)
{
    for (int k = 0; k < (int)lround(seconds / h); ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        if (mo_world_step(world, h, &report, &why) != MO_OK || report.status != MO_SOLVED)
            fail_msg("step %d: %s%s", k, why.text, report.message.text);
    }
}

#endif
