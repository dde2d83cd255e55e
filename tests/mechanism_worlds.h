/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Mechanisms by hand. */
#ifndef MO_TESTS_MECHANISM_WORLDS_H
#define MO_TESTS_MECHANISM_WORLDS_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"

static const double PI = 3.14159265358979323846;

static inline mo_world *new_world(int dimension)
{
    const mo_world_def def = dimension == 2 ? mo_default_planar_world() : mo_default_world();
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static inline mo_mechanism_id add(mo_world *world, const mo_mechanism_def *def)
{
    mo_message why = {{0}};
    const mo_mechanism_id id = mo_world_add_mechanism(world, def, &why);
    if (!id.index) fail_msg("%s", why.text);
    return id;
}

static inline void shape_on(mo_world *world, mo_mechanism_id id, int link, mo_shape_def shape)
{
    mo_message why = {{0}};
    if (!mo_world_add_shape(world, mo_mechanism_link(world, id, link), &shape, &why).index)
        fail_msg("%s", why.text);
}

static inline void add_floor(mo_world *world, double friction)
{
    const mo_body_def def = mo_default_body(MO_BODY_FIXED);
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    mo_shape_def plane = mo_shape_plane();
    plane.material.friction = friction;
    CHECK(mo_world_add_shape(world, body, &plane, NULL).index);
}

static inline void run(mo_world *world, double h, double seconds)
{
    const int steps = (int)lround(seconds / h);
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        if (mo_world_step(world, h, &report, &why) != MO_OK) fail_msg("%s", why.text);
        if (report.status != MO_SOLVED) fail_msg("step %d: %s", k, report.message.text);
    }
}

/* A chain of rods of one metre along x, hinged about y; no shapes, so that nothing touches. */
enum { MOST = 16 };
static inline mo_mechanism_id add_chain(mo_world *world, int count, double damping)
{
    mo_link_def link[MOST];
    mo_axis_def joint[MOST];
    for (int k = 0; k < count; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].pose = mo_pose_at(k > 0, 0, 0);
        link[k].mass = 1;
        link[k].inertia[0] = 0.01;
        link[k].inertia[1] = link[k].inertia[2] = 1.0 / 12;
        link[k].centre[0] = 0.5;
        joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        mo_vec3_set(joint[k].axis, 0, 1, 0);
        joint[k].damping = damping;
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = count;
    return add(world, &def);
}

/* The same of free bodies and hinges. */
static inline mo_body_id add_jointed_chain(mo_world *world, int count)
{
    mo_body_id last = {0};
    for (int k = 0; k < count; ++k) {
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        body.pose = mo_pose_at(k, 0, 0);
        body.mass = 1;
        body.inertia[0] = 0.01;
        body.inertia[1] = body.inertia[2] = 1.0 / 12;
        body.centre[0] = 0.5;
        const mo_body_id own = mo_world_add_body(world, &body, NULL);
        mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, last, own);
        mo_vec3_set(joint.anchor, k, 0, 0);
        mo_vec3_set(joint.axis, 0, 1, 0);
        CHECK(mo_world_add_joint(world, &joint, NULL).index);
        last = own;
    }
    return last;
}

static inline double energy_of(const mo_world *world)
{
    return mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
}

#endif
