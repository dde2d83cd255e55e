/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Steps with a time limit.  With a limit of nothing a step is suspended wherever it can be: what a
 * caller sees meanwhile is the state of its start, to the last bit.
 */
#include "scene_world.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "moreau/joint.h"
#include "moreau/mechanism.h"
#include "moreau/moreau.h"

static void set_limit(mo_world *world, double seconds)
{
    mo_world_def def = mo_world_definition(world);
    def.solver.time_limit = seconds;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
}

typedef struct saved {
    char *bytes;
    size_t size;
} saved;

static saved save(const mo_world *world)
{
    saved s = {.size = mo_world_save(world, NULL, 0)};
    s.bytes = malloc(s.size);
    CHECK(s.bytes && mo_world_save(world, s.bytes, s.size) == s.size);
    return s;
}

static int is_same(const saved *a, const saved *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static mo_mechanism_id add_link(mo_world *world, double dry_friction)
{
    mo_link_def link = mo_default_link(-1);
    mo_axis_def axis = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_mechanism_def mechanism = mo_default_mechanism();
    link.mass = link.inertia[0] = link.inertia[1] = link.inertia[2] = 1;
    axis.dry_friction = dry_friction;
    mechanism.links = &link, mechanism.link_count = 1;
    mechanism.joints = &axis, mechanism.joint_count = 1;
    return mo_world_add_mechanism(world, &mechanism, NULL);
}

/* Scenes with contacts, impacts, joints and sleep. */
static const struct {
    const char *name, *parameter;
    double value;
    int sleeping;
} SCENES[] = {
    {"stack", "count", 3, 0}, {"heap", "count", 12, 0}, {"chain", "links", 4, 0},
    {"cradle", NULL, 0, 0},   {"stack", "count", 3, 1},
};

static void a_waiting_step_shows_the_state_of_its_start(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof SCENES / sizeof *SCENES; ++s) {
        mo_world *world = scene_world(SCENES[s].name, SCENES[s].parameter, SCENES[s].value);
        mo_world_def def = mo_world_definition(world);
        def.sleeping = SCENES[s].sleeping;
        CHECK(mo_world_change(world, &def, NULL) == MO_OK);
        const mo_mechanism_id link = add_link(world, 0.1);
        for (int k = 0; k < 60; ++k)
            CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
        const double turning = 3; /* rad/s, against dry friction */
        CHECK(mo_mechanism_set(world, link, NULL, &turning, NULL) == MO_OK);
        set_limit(world, 0);
        const double penetration = mo_world_penetration(world), time = mo_world_time(world);
        const mo_body_id body = mo_world_body(world, 1);
        saved start = save(world);
        mo_step_report report = {.is_waiting = 1};
        int calls = 0;
        for (; report.is_waiting; ++calls) {
            CHECK(calls < 100000 && mo_world_step(world, 0.01, &report, NULL) == MO_OK);
            saved now = save(world);
            CHECK(is_same(&start, &now) == report.is_waiting);
            CHECK(mo_body_get(world, body).user_data == &report || calls == 0);
            CHECK(mo_body_set_user_data(world, body, &report, NULL) == MO_OK); /* no change */
            CHECK(!report.is_waiting || report.status == MO_TIME_LIMIT);
            CHECK(!report.is_waiting || report.kinetic_energy == mo_world_kinetic_energy(world));
            CHECK(!report.is_waiting || mo_world_penetration(world) == penetration);
            free(now.bytes);
        }
        CHECK(calls > 10); /* it was suspended in many places */
        CHECK_NEAR(mo_world_time(world), time + 0.01, 1e-12);
        free(start.bytes);
        mo_world_destroy(world);
    }
}

/* The bits of a step do not depend on where it was suspended, as long as its solves end by
 * themselves: here they need one iteration. */
static void a_step_in_pieces_is_the_step(void **state)
{
    (void)state;
    mo_world *whole = scene_world("stack", "count", 3), *pieces = scene_world("stack", "count", 3);
    for (int k = 0; k < 30; ++k) {
        CHECK(mo_world_step(whole, 0.01, NULL, NULL) == MO_OK);
        CHECK(mo_world_step(pieces, 0.01, NULL, NULL) == MO_OK);
    }
    for (int k = 0; k < 5; ++k) {
        mo_step_report report = {.is_waiting = 1};
        CHECK(mo_world_step(whole, 0.01, NULL, NULL) == MO_OK);
        set_limit(pieces, 0);
        for (int call = 0; call < 20; ++call)
            CHECK(mo_world_step(pieces, 0.01, &report, NULL) == MO_OK && report.is_waiting);
        set_limit(pieces, INFINITY);
        CHECK(mo_world_step(pieces, 0.01, &report, NULL) == MO_OK && !report.is_waiting);
        CHECK(report.status == MO_SOLVED);
        saved a = save(whole), b = save(pieces);
        CHECK(is_same(&a, &b));
        free(a.bytes);
        free(b.bytes);
    }
    mo_world_destroy(whole);
    mo_world_destroy(pieces);
}

/* While many bodies move, a solve aims below its tolerance.  One that the time limit ends between
 * the two has met it.  A counted clock ends solves after so many looks, on any machine. */
static void a_step_within_its_tolerance_is_solved(void **state)
{
    (void)state;
    int between = 0;
    for (int looks = 3; looks <= 60; looks += 3) {
        mo_world *world = scene_world("beads", "count", 80);
        set_limit(world, 1);
        mo_clock_count(1.0 / looks);
        for (int k = 0; k < 120; ++k) {
            mo_step_report report = {.is_waiting = 1};
            while (report.is_waiting)
                CHECK(mo_world_step(world, 0.02, &report, NULL) == MO_OK);
            const double aim = 0.1 * report.tolerance, left = report.residual.natural_relative;
            const int is_coarse = report.tolerance > 1e-8 && report.islands == 1; /* all of it */
            between += is_coarse && left > aim && left <= report.tolerance;
            CHECK(report.status == MO_SOLVED || !is_coarse || left > report.tolerance);
        }
        mo_clock_count(0);
        mo_world_destroy(world);
    }
    CHECK(between > 0);
}

/* Wherever a step waits: a change gives it up and counts, and a world can be destroyed. */
static void a_step_is_given_up_anywhere(void **state)
{
    (void)state;
    const double start[3] = {0, 0, 0}, up[3] = {0, 0, 2};
    int waits = 1;
    for (int calls = 1; waits && calls < 1000; ++calls) {
        mo_world *world = scene_world("stack", "count", 2);
        mo_step_report report = {.is_waiting = 1};
        set_limit(world, 0);
        for (int k = 0; k < calls && report.is_waiting; ++k)
            CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        waits = report.is_waiting;
        if (waits && calls % 2) {
            const double time = mo_world_time(world);
            const mo_body_id top = mo_world_body(world, 2);
            const mo_body_state before = mo_body_get(world, top);
            CHECK(mo_body_set(world, top, &before.pose, up, start, NULL) == MO_OK);
            CHECK(mo_world_time(world) == time);
            set_limit(world, INFINITY);
            CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
            CHECK(report.status == MO_SOLVED && !report.is_waiting);
            CHECK_NEAR(mo_body_get(world, top).velocity[2], 2 - 0.0981, 1e-9);
        }
        mo_world_destroy(world);
    }
    CHECK(!waits);
}

/* A step of another length is another step. */
static void another_length_gives_a_step_up(void **state)
{
    (void)state;
    mo_world *world = scene_world("stack", "count", 2);
    mo_step_report report;
    set_limit(world, 0);
    for (int k = 0; k < 30; ++k)
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK && report.is_waiting);
    set_limit(world, INFINITY);
    CHECK(mo_world_step(world, 0.02, &report, NULL) == MO_OK && !report.is_waiting);
    CHECK_NEAR(mo_world_time(world), 0.02, 1e-15);
    mo_world_destroy(world);
}

/* A world that is changed at every call advances all the same. */
static void a_world_that_is_changed_at_every_call_advances(void **state)
{
    (void)state;
    mo_world *world = scene_world("heap", "count", 20);
    const double force[3] = {0, 0, 0.1};
    set_limit(world, 2e-4);
    for (int k = 0; k < 20000 && mo_world_time(world) < 0.5; ++k) {
        const mo_body_id body = mo_world_body(world, 7);
        const mo_body_state s = mo_body_get(world, body);
        CHECK(mo_body_apply_force(world, body, force, s.centre, NULL) == MO_OK);
        CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    }
    CHECK(mo_world_time(world) >= 0.5);
    mo_world_destroy(world);
}

/* ---- calls while a step waits ---------------------------------------------------------------- */

/* A stack, a pendulum on a hinge and a mechanism of one link, in a step that waits. */
typedef struct waiting {
    mo_world *world;
    mo_joint_id hinge;
    mo_mechanism_id mechanism;
} waiting;

static waiting wait_with_parts(void)
{
    waiting w = {.world = scene_world("stack", "count", 4)};
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    const mo_shape_def ball = mo_shape_ball(0.1);
    def.pose = mo_pose_at(6, 0, 5);
    const mo_body_id body = mo_world_add_body(w.world, &def, NULL);
    mo_world_add_shape(w.world, body, &ball, NULL);
    mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, body);
    hinge.anchor[0] = 5, hinge.anchor[2] = 5;
    hinge.axis[0] = hinge.axis[2] = 0, hinge.axis[1] = 1;
    w.hinge = mo_world_add_joint(w.world, &hinge, NULL);
    w.mechanism = add_link(w.world, 0);
    CHECK(w.hinge.index > 0 && w.mechanism.index > 0);
    mo_step_report report = {0};
    set_limit(w.world, 0);
    CHECK(mo_world_step(w.world, 0.01, &report, NULL) == MO_OK);
    CHECK(report.is_waiting);
    return w;
}

static mo_error remove_hinge(waiting *w)
{
    return mo_world_remove_joint(w->world, w->hinge, NULL);
}

static mo_error remove_mechanism(waiting *w)
{
    return mo_world_remove_mechanism(w->world, w->mechanism, NULL);
}

static mo_error turn_mechanism(waiting *w)
{
    return mo_mechanism_set(w->world, w->mechanism, (const double[]){1}, (const double[]){3}, NULL);
}

static mo_error push_mechanism(waiting *w)
{
    return mo_mechanism_push(w->world, w->mechanism, (const double[]){5}, NULL);
}

static mo_error drive_hinge(waiting *w)
{
    return mo_joint_set_drive(w->world, w->hinge, MO_DRIVE_VELOCITY, 1, 1e3, NULL);
}

/* The step after the change is one of the changed world. */
static void a_change_while_a_step_waits_is_not_lost(void **state)
{
    (void)state;
    mo_error (*const CHANGES[])(waiting *) = {remove_hinge, remove_mechanism, turn_mechanism,
                                              push_mechanism, drive_hinge};
    for (size_t k = 0; k < sizeof CHANGES / sizeof *CHANGES; ++k) {
        waiting w = wait_with_parts();
        mo_step_report report = {.is_waiting = 1};
        CHECK(CHANGES[k](&w) == MO_OK);
        while (report.is_waiting)
            CHECK(mo_world_step(w.world, 0.01, &report, NULL) == MO_OK);
        mo_world *world = w.world;
        const double *q = mo_mechanism_q(world, w.mechanism);
        const double *v = mo_mechanism_v(world, w.mechanism);
        const mo_body_state hung = mo_body_get(world, mo_world_body(world, 5));
        CHECK_NEAR(mo_world_time(world), 0.01, 1e-15);
        CHECK((q == NULL) == (k == 1));
        switch (k) {
        case 0: /* it falls */
            CHECK_NEAR(hung.velocity[2], -0.0981, 1e-4);
            break;
        case 2:
            CHECK_NEAR(q[0], 1.03, 1e-9);
            CHECK_NEAR(v[0], 3, 1e-9);
            break;
        case 3:
            CHECK_NEAR(v[0], 0.05, 1e-9);
            break;
        case 4:
            CHECK_NEAR(fabs(hung.velocity[2]), 1, 1e-3);
            break;
        default:
            break;
        }
        mo_world_destroy(world);
    }
}

/* What is refused leaves the step that waits as it is: the saved state keeps its bytes. */
static void a_refused_call_leaves_the_step_that_waits(void **state)
{
    (void)state;
    waiting w = wait_with_parts();
    mo_world *world = w.world;
    const mo_body_id body = mo_world_body(world, 2), gone = {99, 1};
    const mo_pose nowhere = mo_pose_at(NAN, 0, 0);
    const double nan[3] = {NAN, NAN, NAN}, zero[3] = {0};
    mo_body_def bad_body = mo_default_body(MO_BODY_FREE);
    mo_shape_def bad_ball = mo_shape_ball(-1);
    mo_world_def bad_world = mo_world_definition(world);
    const mo_joint_def bad_joint = mo_default_joint(MO_JOINT_BALL, body, body);
    const mo_mechanism_def empty = mo_default_mechanism();
    mo_material bad_material = mo_default_material();
    mo_step_report report = {0};
    saved before = save(world);
    bad_body.mass = bad_world.gravity[0] = bad_material.friction = NAN;
    CHECK(mo_world_remove_body(world, gone, NULL));
    CHECK(mo_body_set(world, body, &nowhere, zero, zero, NULL));
    CHECK(mo_body_apply_force(world, body, nan, zero, NULL));
    CHECK(mo_body_apply_torque(world, body, nan, NULL));
    CHECK(mo_body_apply_impulse(world, body, nan, zero, NULL));
    CHECK(mo_body_set_material(world, body, &bad_material, NULL));
    CHECK(mo_world_add_body(world, &bad_body, NULL).index == 0);
    CHECK(mo_world_add_shape(world, body, &bad_ball, NULL).index == 0);
    CHECK(mo_world_add_joint(world, &bad_joint, NULL).index == 0);
    CHECK(mo_world_add_mechanism(world, &empty, NULL).index == 0);
    CHECK(mo_world_change(world, &bad_world, NULL));
    CHECK(mo_world_load(world, before.bytes, before.size - 1, NULL));
    CHECK(mo_world_exclude(world, gone, body, NULL));
    CHECK(mo_mechanism_set(world, w.mechanism, nan, NULL, NULL));
    CHECK(mo_mechanism_push(world, w.mechanism, nan, NULL));
    CHECK(mo_joint_set_drive(world, w.hinge, MO_DRIVE_VELOCITY, NAN, 1, NULL));
    saved after = save(world);
    CHECK(is_same(&before, &after));
    CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
    CHECK(report.is_waiting); /* resumed: a step that begins again would not wait */
    free(before.bytes);
    free(after.bytes);
    mo_world_destroy(world);
}

/* A call that is refused after it had to end the step that waits: wherever that was. */
static void a_call_that_is_refused_late_leaves_the_state(void **state)
{
    (void)state;
    const mo_shape_def plane = mo_shape_plane();
    int found = 0, is_waiting = 1;
    for (int calls = 1; is_waiting; ++calls) {
        waiting w = wait_with_parts();
        mo_step_report report = {0};
        for (int k = 0; k < calls; ++k)
            CHECK(mo_world_step(w.world, 0.01, &report, NULL) == MO_OK);
        is_waiting = report.is_waiting;
        saved before = save(w.world);
        found += is_waiting && report.rounds > 0;
        CHECK(mo_world_add_solid(w.world, MO_BODY_FREE, &plane, NULL, NULL).index == 0);
        saved after = save(w.world);
        CHECK(is_same(&before, &after));
        free(before.bytes);
        free(after.bytes);
        mo_world_destroy(w.world);
    }
    CHECK(found > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_waiting_step_shows_the_state_of_its_start),
        cmocka_unit_test(a_step_in_pieces_is_the_step),
        cmocka_unit_test(a_step_within_its_tolerance_is_solved),
        cmocka_unit_test(a_step_is_given_up_anywhere),
        cmocka_unit_test(another_length_gives_a_step_up),
        cmocka_unit_test(a_world_that_is_changed_at_every_call_advances),
        cmocka_unit_test(a_change_while_a_step_waits_is_not_lost),
        cmocka_unit_test(a_refused_call_leaves_the_step_that_waits),
        cmocka_unit_test(a_call_that_is_refused_late_leaves_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
