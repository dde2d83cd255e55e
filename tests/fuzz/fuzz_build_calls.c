/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random calls that build and change a world: bodies, shapes, joints, mechanisms, models. */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_calls.h"

static fuzz_outcome of(mo_error error)
{
    return error ? FUZZ_REFUSED : FUZZ_TAKEN;
}

/* ---- the world ------------------------------------------------------------------------------- */

void fuzz_end(fuzz_place *p)
{
    mo_robot_destroy(p->robot);
    mo_model_clear(&p->model);
    mo_events_destroy(p->events);
    mo_recording_clear(&p->recording);
    mo_world_destroy(p->world);
    mo_world_destroy(p->twin);
    free(p->state);
    p->robot = NULL, p->events = NULL, p->world = p->twin = NULL, p->state = NULL;
    p->state_size = 0;
    p->is_recording = p->is_timed = 0;
}

static void read_model(fuzz_place *p)
{
    static const char *const NAMES[] = {"arm",  "biped",   "falling_boxes", "gripper",
                                        "hand", "linkage", "quadruped",     "slider_crank"};
    char path[512];
    snprintf(path, sizeof path, "%s/scenes/models/%s.xml", MOREAU_SOURCE_DIR,
             NAMES[fuzz_below(p, 8)]);
    if (mo_model_read(path, NULL, &p->model, NULL) == MO_OK)
        (void)mo_model_build(&p->model, p->world, NULL, &p->robot, NULL);
}

void fuzz_begin(fuzz_place *p)
{
    mo_world_def def = fuzz_definition(p);
    if (mo_world_create(&def, NULL, &p->world, &p->why) != MO_OK) {
        def = mo_default_world();
        def.solver.max_iter = 300;
        (void)mo_world_create(&def, NULL, &p->world, NULL);
    }
    if (fuzz_below(p, 3)) {
        const mo_shape_def floor = mo_shape_plane();
        mo_world_add_solid(p->world, MO_BODY_FIXED, &floor, NULL, NULL);
    }
    if (fuzz_below(p, 5) == 0) read_model(p);
    (void)mo_events_create(NULL, &p->events);
}

static fuzz_outcome change(fuzz_place *p)
{
    mo_world_def def = fuzz_definition(p), old = mo_world_definition(p->world);
    if (fuzz_below(p, 2)) { /* a change of the limit alone resumes a suspended step */
        const double limits[] = {0, 1e-9, 1e-5, 1e-3, NAN, -1, INFINITY, INFINITY};
        def = old;
        def.solver.time_limit = limits[fuzz_below(p, 8)];
    }
    const mo_error error = mo_world_change(p->world, &def, &p->why);
    p->is_timed |= isfinite(mo_world_definition(p->world).solver.time_limit);
    return of(error);
}

static fuzz_outcome create_copies(fuzz_place *p)
{
    mo_world *batch = NULL;
    const mo_error error = mo_world_create_copies(p->world, fuzz_choice(p, 4), &batch, &p->why);
    for (int k = 0; !error && k < 2; ++k) {
        (void)mo_world_copy_body(batch, fuzz_below(p, 4), fuzz_below(p, 4));
        (void)mo_world_step(batch, 0.01, NULL, NULL);
    }
    mo_world_destroy(batch);
    return of(error);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static int is_full(const fuzz_place *p)
{
    return mo_world_body_count(p->world) >= FUZZ_MOST_BODIES;
}

static fuzz_outcome add_body(fuzz_place *p)
{
    mo_body_def def = mo_default_body((mo_body_kind)fuzz_choice(p, MO_BODY_LINK));
    def.pose = fuzz_pose(p);
    fuzz_numbers(p, -3, 3, 3, def.velocity);
    fuzz_numbers(p, -9, 9, 3, def.spin);
    if (fuzz_below(p, 2)) {
        def.mass = fuzz_number(p, 1e-3, 10);
        fuzz_numbers(p, 0.5, 0.9, 3, def.inertia);
        fuzz_numbers(p, -0.1, 0.1, 3, def.centre);
    }
    if (fuzz_below(p, 4) == 0) {
        def.linear_damping = fuzz_number(p, 0, 10);
        def.angular_damping = fuzz_number(p, 0, 10);
    }
    return is_full(p) || mo_world_add_body(p->world, &def, &p->why).index ? FUZZ_TAKEN
                                                                          : FUZZ_REFUSED;
}

static fuzz_outcome add_shape(fuzz_place *p)
{
    double points[48];
    int indices[96];
    const mo_shape_def shape = fuzz_shape(p, points, indices);
    return mo_world_add_shape(p->world, fuzz_body(p), &shape, &p->why).index ? FUZZ_TAKEN
                                                                             : FUZZ_REFUSED;
}

static fuzz_outcome add_solid(fuzz_place *p)
{
    double points[48];
    int indices[96];
    const mo_shape_def shape = fuzz_shape(p, points, indices);
    const mo_pose pose = fuzz_pose(p);
    const mo_body_kind kind = fuzz_below(p, 5) ? MO_BODY_FREE : (mo_body_kind)fuzz_below(p, 4);
    return is_full(p) || mo_world_add_solid(p->world, kind, &shape, &pose, &p->why).index
               ? FUZZ_TAKEN
               : FUZZ_REFUSED;
}

static fuzz_outcome remove_something(fuzz_place *p)
{
    switch (fuzz_below(p, 4)) {
    case 0:
        return of(mo_world_remove_shape(p->world, fuzz_shape_id(p), &p->why));
    case 1:
        return of(mo_world_remove_body(p->world, fuzz_body(p), &p->why));
    case 2:
        return of(mo_world_remove_joint(p->world, fuzz_joint(p), &p->why));
    default:
        return of(mo_world_remove_mechanism(p->world, fuzz_mechanism(p), &p->why));
    }
}

static fuzz_outcome set_body(fuzz_place *p)
{
    const mo_pose pose = fuzz_pose(p);
    double velocity[3], spin[3];
    fuzz_numbers(p, -5, 5, 3, velocity);
    fuzz_numbers(p, -9, 9, 3, spin);
    return of(mo_body_set(p->world, fuzz_body(p), &pose, velocity, spin, &p->why));
}

static fuzz_outcome push_body(fuzz_place *p)
{
    const mo_body_id body = fuzz_body(p);
    double force[3], at[3];
    fuzz_numbers(p, -100, 100, 3, force);
    fuzz_numbers(p, -1, 1, 3, at);
    switch (fuzz_below(p, 3)) {
    case 0:
        return of(mo_body_apply_force(p->world, body, force, at, &p->why));
    case 1:
        return of(mo_body_apply_torque(p->world, body, force, &p->why));
    default:
        return of(mo_body_apply_impulse(p->world, body, force, at, &p->why));
    }
}

static fuzz_outcome set_material(fuzz_place *p)
{
    const mo_material material = fuzz_material(p);
    switch (fuzz_below(p, 3)) {
    case 0:
        return of(mo_body_set_material(p->world, fuzz_body(p), &material, &p->why));
    case 1:
        return of(mo_world_pair(p->world, fuzz_shape_id(p), fuzz_shape_id(p), &material, &p->why));
    default:
        return of(mo_world_exclude(p->world, fuzz_body(p), fuzz_body(p), &p->why));
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

static fuzz_outcome add_joint(fuzz_place *p)
{
    mo_joint_def def =
        mo_default_joint((mo_joint_kind)fuzz_choice(p, MO_JOINT_KIND_COUNT),
                         fuzz_below(p, 3) ? fuzz_body(p) : (mo_body_id){0}, fuzz_body(p));
    fuzz_numbers(p, -1, 1, 3, def.anchor);
    fuzz_numbers(p, -1, 1, 3, def.anchor_b);
    fuzz_numbers(p, -1, 1, 3, def.axis);
    def.has_limits = fuzz_below(p, 2);
    def.lower = fuzz_number(p, -1, 0);
    def.upper = fuzz_number(p, 0, 1);
    def.dry_friction = fuzz_below(p, 3) ? 0 : fuzz_number(p, 0, 10);
    def.drive = (mo_drive_kind)fuzz_choice(p, 3);
    def.target = fuzz_number(p, -2, 2);
    def.max_effort = fuzz_below(p, 3) ? fuzz_number(p, 0, 100) : INFINITY;
    def.stiffness = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 1e4);
    def.damping = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 1e2);
    def.collide = fuzz_below(p, 2);
    def.has_pose = fuzz_below(p, 4) == 0;
    def.pose = fuzz_pose(p);
    return mo_world_joint_count(p->world) >= FUZZ_MOST_BODIES ||
                   mo_world_add_joint(p->world, &def, &p->why).index
               ? FUZZ_TAKEN
               : FUZZ_REFUSED;
}

static fuzz_outcome drive_joint(fuzz_place *p)
{
    return of(mo_joint_set_drive(p->world, fuzz_joint(p), (mo_drive_kind)fuzz_choice(p, 3),
                                 fuzz_number(p, -3, 3), fuzz_number(p, 0, 50), &p->why));
}

const fuzz_call FUZZ_BUILD_CALLS[] = {
    {"mo_world_change", 2, change},
    {"mo_world_create_copies", 1, create_copies},
    {"mo_world_add_body", 3, add_body},
    {"mo_world_add_shape", 5, add_shape},
    {"mo_world_add_solid", 8, add_solid},
    {"mo_world_remove", 2, remove_something},
    {"mo_body_set", 2, set_body},
    {"mo_body_apply", 3, push_body},
    {"mo_body_set_material", 2, set_material},
    {"mo_world_add_joint", 4, add_joint},
    {"mo_joint_set_drive", 1, drive_joint},
    {"mo_world_add_mechanism", 2, fuzz_add_mechanism},
    {"mo_mechanism_couple", 1, fuzz_couple},
    {"mo_mechanism_set", 3, fuzz_set_mechanism},
    {"mo_robot", 3, fuzz_move_robot},
};
const int FUZZ_BUILD_COUNT = sizeof FUZZ_BUILD_CALLS / sizeof *FUZZ_BUILD_CALLS;
