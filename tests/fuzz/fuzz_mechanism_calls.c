/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random calls that build and move mechanisms, and models of robots. */
#include <math.h>

#include "fuzz_calls.h"

static fuzz_outcome of(mo_error error)
{
    return error ? FUZZ_REFUSED : FUZZ_TAKEN;
}

/* ---- mechanisms ------------------------------------------------------------------------------ */

enum { MOST_LINKS = 5, MOST_AXES = 6, MOST_PATH = 4 };

typedef struct parts {
    mo_link_def links[MOST_LINKS];
    mo_axis_def axes[MOST_AXES];
    mo_actuator_def actuators[3];
    mo_tendon_def tendons[2];
    mo_tendon_point path[MOST_PATH];
    int joints[2];
    double coefficients[2];
} parts;

static mo_link_def a_link(fuzz_place *p, int k)
{
    mo_link_def link = mo_default_link(fuzz_below(p, 3) ? k - 1 : fuzz_below(p, k + 1) - 1);
    link.pose = fuzz_pose(p);
    link.mass = fuzz_number(p, 0.1, 3);
    fuzz_numbers(p, 0.05, 0.09, 3, link.inertia);
    fuzz_numbers(p, -0.2, 0.2, 3, link.centre);
    link.gravity_compensation = fuzz_below(p, 4) ? 0 : fuzz_number(p, 0, 1);
    return link;
}

static mo_axis_def an_axis(fuzz_place *p, int link)
{
    mo_axis_def axis = mo_default_axis(
        fuzz_below(p, 3) ? MO_AXIS_REVOLUTE : (mo_axis_kind)fuzz_choice(p, MO_AXIS_KIND_COUNT),
        link);
    fuzz_numbers(p, -0.3, 0.3, 3, axis.anchor);
    fuzz_numbers(p, -1, 1, 3, axis.axis);
    axis.reference = fuzz_below(p, 4) ? 0 : fuzz_number(p, -1, 1);
    axis.initial = fuzz_below(p, 3) ? 0 : fuzz_number(p, -1, 1);
    axis.has_limits = fuzz_below(p, 3) == 0;
    axis.lower = fuzz_number(p, -1, 0);
    axis.upper = fuzz_number(p, 0, 1);
    axis.dry_friction = fuzz_below(p, 3) ? 0 : fuzz_number(p, 0, 5);
    axis.damping = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 5);
    axis.armature = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 1);
    axis.stiffness = fuzz_below(p, 3) ? 0 : fuzz_number(p, 0, 1e3);
    axis.rest = fuzz_below(p, 3) ? 0 : fuzz_number(p, -1, 1);
    return axis;
}

static mo_actuator_def an_actuator(fuzz_place *p, int joints, int tendons)
{
    mo_actuator_def a =
        mo_actuator_position(fuzz_choice(p, joints), fuzz_number(p, 0, 1e3), fuzz_number(p, 0, 10));
    fuzz_numbers(p, -1, 1, 6, a.gear);
    a.on = (mo_transmission)fuzz_choice(p, tendons ? 3 : 1);
    a.tendon = fuzz_below(p, tendons + 1);
    a.lower = fuzz_below(p, 2) ? -INFINITY : fuzz_number(p, -50, 0);
    a.upper = fuzz_below(p, 2) ? INFINITY : fuzz_number(p, 0, 50);
    a.target = fuzz_number(p, -1, 1);
    a.dynamics = fuzz_below(p, 3) ? MO_DYNAMICS_NONE : (mo_actuator_dynamics)fuzz_choice(p, 5);
    a.time_constant = fuzz_number(p, 0.01, 1);
    a.time_constant_off = fuzz_number(p, 0.01, 1);
    a.is_muscle = a.dynamics == MO_DYNAMICS_MUSCLE;
    a.muscle = (mo_muscle){{0.75, 1.05}, fuzz_number(p, 1, 100), 0.5, 1.6, 1.5, 1.3, 1.2, {0.1, 2}};
    return a;
}

static mo_tendon_def a_tendon(fuzz_place *p, parts *of_it, int links, int joints)
{
    mo_tendon_def t = mo_default_tendon();
    if (fuzz_below(p, 2)) {
        for (int k = 0; k < MOST_PATH; ++k) {
            mo_tendon_point *point = of_it->path + k;
            const int is_between = k == 1 && fuzz_below(p, 2);
            *point = (mo_tendon_point){.kind = MO_TENDON_SITE};
            point->kind = is_between ? (mo_tendon_point_kind)fuzz_below(p, 3) : MO_TENDON_SITE;
            point->link = fuzz_below(p, links + 1) - 1;
            point->pose = fuzz_pose(p);
            point->radius = fuzz_number(p, 0.05, 0.3);
            point->has_side = fuzz_below(p, 2);
            point->side_link = point->link;
            fuzz_numbers(p, -0.5, 0.5, 3, point->side);
            point->divisor = fuzz_number(p, 1, 2);
        }
        t.path = of_it->path;
        t.path_count = 2 + fuzz_below(p, MOST_PATH - 1);
    } else {
        of_it->joints[0] = fuzz_below(p, joints);
        of_it->joints[1] = fuzz_below(p, joints);
        fuzz_numbers(p, -1, 1, 2, of_it->coefficients);
        t.joints = of_it->joints;
        t.coefficients = of_it->coefficients;
        t.count = 1 + (of_it->joints[0] != of_it->joints[1]);
    }
    t.has_limits = fuzz_below(p, 2);
    t.lower = fuzz_number(p, -1, 0.2);
    t.upper = fuzz_number(p, 0.2, 3);
    t.stiffness = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 1e3);
    t.damping = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 10);
    t.dry_friction = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 10);
    return t;
}

fuzz_outcome fuzz_add_mechanism(fuzz_place *p)
{
    parts own;
    mo_mechanism_def def = mo_default_mechanism();
    if (mo_world_body_count(p->world) >= FUZZ_MOST_BODIES) return FUZZ_TAKEN;
    def.links = own.links, def.joints = own.axes;
    def.actuators = own.actuators, def.tendons = own.tendons;
    def.link_count = 1 + fuzz_below(p, MOST_LINKS);
    for (int k = 0; k < def.link_count; ++k) {
        own.links[k] = a_link(p, k);
        if (fuzz_below(p, 6)) own.axes[def.joint_count++] = an_axis(p, k);
    }
    def.tendon_count = def.joint_count && fuzz_below(p, 3) == 0;
    def.actuator_count = def.joint_count ? fuzz_below(p, 4) : 0;
    if (def.tendon_count) own.tendons[0] = a_tendon(p, &own, def.link_count, def.joint_count);
    for (int k = 0; k < def.actuator_count; ++k)
        own.actuators[k] = an_actuator(p, def.joint_count, def.tendon_count);
    def.collide_parents = fuzz_below(p, 2);
    if (fuzz_below(p, 4) == 0) {
        def.medium.density = fuzz_number(p, 0, 1e3);
        def.medium.viscosity = fuzz_number(p, 0, 1);
        fuzz_numbers(p, -3, 3, 3, def.medium.wind);
    }
    return mo_world_add_mechanism(p->world, &def, &p->why).index ? FUZZ_TAKEN : FUZZ_REFUSED;
}

fuzz_outcome fuzz_couple(fuzz_place *p)
{
    const mo_mechanism_id id = fuzz_mechanism(p);
    const int joints = mo_mechanism_get(p->world, id).joint_count + 1;
    mo_coupling_def def = mo_default_coupling(fuzz_below(p, joints), fuzz_below(p, joints) - 1);
    fuzz_numbers(p, -1, 1, 5, def.polynomial);
    def.of_tendons = fuzz_below(p, 4) == 0;
    return of(mo_mechanism_couple(p->world, id, &def, &p->why));
}

fuzz_outcome fuzz_set_mechanism(fuzz_place *p)
{
    const mo_mechanism_id id = fuzz_mechanism(p);
    const mo_mechanism_info info = mo_mechanism_get(p->world, id);
    double q[256], v[256]; /* a model has at most that many */
    fuzz_numbers(p, -1.5, 1.5, 256, q);
    fuzz_numbers(p, -3, 3, 256, v);
    switch (fuzz_below(p, 3)) {
    case 0:
        return of(mo_mechanism_set(p->world, id, fuzz_below(p, 2) ? q : NULL, v, &p->why));
    case 1:
        return of(mo_mechanism_push(p->world, id, v, &p->why));
    default:
        return of(mo_mechanism_set_target(p->world, id, fuzz_choice(p, info.actuator_count + 1),
                                          v[0], &p->why));
    }
}

fuzz_outcome fuzz_move_robot(fuzz_place *p)
{
    double x[256];
    const mo_pose to = fuzz_pose(p);
    fuzz_numbers(p, -1, 1, 256, x);
    if (!p->robot || p->model.q_count > 256) return FUZZ_TAKEN;
    switch (fuzz_below(p, 6)) {
    case 0:
        return of(mo_robot_set(p->robot, p->world, x, x + 1, &p->why));
    case 1:
        return of(mo_robot_set_controls(p->robot, p->world, x, &p->why));
    case 2:
        return of(mo_robot_order(p->robot, p->world, &p->why));
    case 3:
        return of(mo_robot_move_mocap(p->robot, p->world, fuzz_below(p, 4), &to, x[0], &p->why));
    case 4:
        return p->model.key_count == 0
                   ? FUZZ_TAKEN
                   : of(mo_robot_set_key(p->robot, p->world, p->model.keys, &p->why));
    default:
        return of(mo_robot_sense(p->robot, p->world, x[0], x, &p->why));
    }
}
