/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A step says what it has left, and is not solved then. */
#include "scene_world.h"

#include <string.h>

#include "base/clock.h"
#include "moreau/moreau.h"
#include "scarce_memory.h"

static void a_step_without_errors_reports_none(void **state)
{
    (void)state;
    mo_world *world = scene_world("stack", "count", 3);
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED && report.rounds >= 1);
        CHECK(report.late_contacts == 0 && report.impacts_left == 0 && report.held_back == 0);
        CHECK(!report.is_compliant && !report.is_waiting);
        CHECK_BELOW(report.overlap, 1e-3);
    }
    mo_world_destroy(world);
}

/* A rod of 1 cm that turns and flies at a thin wall is stopped on its way. */
static void bodies_held_back_are_counted(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_random random = {.state = 3};
    int held = 0;
    for (int k = 0; k < 100; ++k) {
        mo_world_def def = mo_default_world();
        memset(def.gravity, 0, sizeof def.gravity);
        mo_world *world = NULL;
        CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
        const mo_shape_def wall = mo_shape_box(5e-4, 2, 2);
        const double a[3] = {0, 0, -0.004}, b[3] = {0, 0, 0.004};
        const mo_shape_def rod = mo_shape_capsule(a, b, 0.001);
        mo_world_add_solid(world, MO_BODY_FIXED, &wall, NULL, &why);
        mo_body_def flies = mo_default_body(MO_BODY_FREE);
        const double axis[3] = {uniform(&random, -1, 1), uniform(&random, -1, 1), 1};
        flies.pose = mo_pose_turned(-0.3, 0, 0, axis, uniform(&random, -3, 3));
        for (int i = 0; i < 3; ++i) {
            flies.velocity[i] = 60;
            flies.spin[i] = uniform(&random, -200, 200);
        }
        CHECK(mo_world_add_shape(world, mo_world_add_body(world, &flies, &why), &rod, &why).index);
        for (int step = 0; step < 5; ++step) {
            mo_step_report report;
            CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
            held += report.held_back;
            CHECK(!report.held_back || report.status != MO_SOLVED);
            CHECK(!report.held_back || strstr(report.message.text, "stopped") != NULL);
        }
        mo_world_destroy(world);
    }
    CHECK(held > 0);
}

/* A ball between two walls, a millimetre apart from each: it would bounce a thousand times. */
static void impacts_that_are_left_are_counted(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    memset(def.gravity, 0, sizeof def.gravity);
    mo_world *world = NULL;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    mo_shape_def wall = mo_shape_box(0.1, 1, 1), ball = mo_shape_ball(0.1);
    wall.material.restitution = ball.material.restitution = 1;
    for (int side = -1; side <= 1; side += 2) {
        const mo_pose pose = mo_pose_at(0.201 * side, 0, 0);
        CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &wall, &pose, &why).index);
    }
    mo_body_def flies = mo_default_body(MO_BODY_FREE);
    flies.velocity[0] = 100;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &flies, &why), &ball, &why).index);
    mo_step_report report;
    CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
    CHECK(report.impacts_left > 0 && report.status == MO_ITERATION_LIMIT);
    CHECK(strstr(report.message.text, "bounce") != NULL);
    mo_world_destroy(world);
}

/* Balls in a row, apart by more than the margin: each round shows that one more is hit. */
static void late_contacts_that_are_left_are_counted(void **state)
{
    (void)state;
    enum { BALLS = 30 };
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    memset(def.gravity, 0, sizeof def.gravity);
    mo_world *world = NULL;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const mo_shape_def ball = mo_shape_ball(0.1);
    for (int k = 0; k < BALLS; ++k) {
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        body.pose = mo_pose_at(0.205 * k, 0, 0);
        body.velocity[0] = k == 0 ? 15 : 0;
        body.mass = k == 0 ? 1e4 : 0; /* which the others hardly slow down */
        CHECK(mo_world_add_shape(world, mo_world_add_body(world, &body, &why), &ball, &why).index);
    }
    mo_step_report report;
    CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
    CHECK(report.late_contacts > 0 && report.status == MO_ITERATION_LIMIT);
    CHECK(strstr(report.message.text, "still close") != NULL);
    CHECK(report.rounds > 10);
    mo_world_destroy(world);
}

/* Capsules fall on each other, and the overlap that may be left is below rounding.  The velocities
 * are solved: this rule alone makes such a step unsolved. */
static void remaining_overlap_is_reported(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_world *world = scene_world("heap", "shape", 2);
    mo_world_def def = mo_world_definition(world);
    def.overlap = 1e-18;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    int deep = 0;
    for (int k = 0; k < 40; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.02, &report, &why) == MO_OK);
        if (report.overlap - report.overlap_before > 10 * def.overlap) {
            ++deep;
            CHECK(report.residual.natural_relative <= report.tolerance);
            CHECK(report.late_contacts == 0 && report.held_back == 0);
            CHECK(report.status == MO_ITERATION_LIMIT);
            CHECK(strstr(report.message.text, "still overlap by") != NULL);
        }
    }
    CHECK(deep > 0);
    mo_world_destroy(world);
}

/* A box hangs on a fixed point and on a kinematic body that moves away from it at 1 m/s. */
static void open_joints_are_reported(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_world *world = NULL;
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK);
    const mo_shape_def box = mo_shape_box(0.1, 0.1, 0.1);
    const mo_body_id hangs = mo_world_add_solid(world, MO_BODY_FREE, &box, NULL, &why);
    mo_body_def pulls = mo_default_body(MO_BODY_DRIVEN);
    pulls.pose = mo_pose_at(1, 0, 0);
    pulls.velocity[0] = 1;
    const mo_body_id away = mo_world_add_body(world, &pulls, &why);
    mo_joint_def left = mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, hangs),
                 right = mo_default_joint(MO_JOINT_BALL, away, hangs);
    left.anchor[0] = -0.1;
    right.anchor[0] = 0.1;
    CHECK(mo_world_add_joint(world, &left, &why).index &&
          mo_world_add_joint(world, &right, &why).index);
    mo_step_report report = {0};
    for (int k = 0; k < 10; ++k)
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
    CHECK(report.status != MO_SOLVED);
    CHECK(strstr(report.message.text, "remain open") != NULL);
    mo_world_destroy(world);
}

/* Three boxes hang between a fixed point and a kinematic body that moves away, over a ground that
 * rises: joints open whatever is tried. */
static void solves_without_a_solution_are_limited(void **state)
{
    (void)state;
    enum { BOXES = 3 };
    mo_message why = {{0}};
    mo_world *world = NULL;
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK);
    const mo_shape_def box = mo_shape_box(0.1, 0.1, 0.1), plane = mo_shape_plane();
    mo_body_def pulls = mo_default_body(MO_BODY_DRIVEN), rises = pulls;
    pulls.pose = mo_pose_at(0.25 * BOXES, 0, 0.1);
    pulls.velocity[0] = rises.velocity[2] = 1;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &rises, &why), &plane, &why).index);
    mo_body_id last = {0};
    for (int k = 0; k <= BOXES; ++k) {
        const mo_pose pose = mo_pose_at(0.25 * k, 0, 0.101);
        const mo_body_id next = k < BOXES
                                    ? mo_world_add_solid(world, MO_BODY_FREE, &box, &pose, &why)
                                    : mo_world_add_body(world, &pulls, &why);
        mo_joint_def joint = mo_default_joint(MO_JOINT_BALL, last, next);
        joint.anchor[0] = 0.25 * k - 0.125;
        joint.anchor[2] = 0.101;
        CHECK(mo_world_add_joint(world, &joint, &why).index);
        last = next;
    }
    int spent = 0;
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        if (strstr(report.message.text, "solves found no solution, and no more were tried")) {
            ++spent;
            CHECK(report.status != MO_SOLVED && report.rounds < 60);
        }
    }
    CHECK(spent > 0);
    mo_world_destroy(world);
}

/* Forty balls at nearly one place: each has more deep overlaps than a step takes. */
static void omitted_pairs_are_reported(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_random random = {.state = 1};
    mo_world *world = NULL;
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK);
    const mo_shape_def ball = mo_shape_ball(0.1);
    for (int k = 0; k < 40; ++k) {
        const mo_pose pose =
            mo_pose_at(uniform(&random, -0.02, 0.02), uniform(&random, -0.02, 0.02),
                       uniform(&random, -0.02, 0.02));
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, &ball, &pose, &why).index);
    }
    mo_step_report report;
    CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
    CHECK(report.status != MO_SOLVED && strstr(report.message.text, "left out") != NULL);
    mo_world_destroy(world);
}

/* Two boxes inside each other; a request for memory fails, and all later ones of the step.  Where
 * these are those of the projection, the step is taken and says that it was not. */
static void a_projection_without_memory_is_reported(void **state)
{
    (void)state;
    int steps = 0, left_out = 0;
    for (int failed = 1; failed; ++steps) {
        scarce memory = {.left = SCARCE_PLENTY};
        const mo_allocator allocator = {scarce_reallocate, &memory};
        const mo_shape_def box = mo_shape_box(0.1, 0.1, 0.1);
        mo_message why = {{0}};
        mo_world *world = NULL;
        mo_step_report report;
        CHECK(mo_world_create(NULL, &allocator, &world, &why) == MO_OK);
        for (int k = 0; k < 2; ++k) {
            const mo_pose at = mo_pose_at(0.15 * k, 0, 0);
            CHECK(mo_world_add_solid(world, MO_BODY_FREE, &box, &at, &why).index);
        }
        memory.left = steps;
        const mo_error error = mo_world_step(world, 0.01, &report, &why);
        failed = memory.left < 0;
        memory.left = SCARCE_PLENTY;
        if (!error && strstr(report.message.text, "positions were not projected")) {
            ++left_out;
            CHECK(report.status != MO_SOLVED && mo_world_time(world) == 0.01);
        }
        CHECK(failed || report.overlap < 0.3); /* 0.05 of 0.17 m, of which a part is removed */
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK && !report.message.text[0]);
        mo_world_destroy(world);
        CHECK(memory.live == 0);
    }
    CHECK(left_out > 0);
}

/* The phases take the time of the step, and no more. */
static void times_of_phases_are_those_of_the_step(void **state)
{
    (void)state;
    mo_world *world = scene_world("heap", "count", 100);
    for (int k = 0; k < 60; ++k) {
        mo_step_report report;
        const double start = mo_clock();
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        const double all = mo_clock() - start;
        const double phases[] = {report.seconds_collide, report.seconds_assemble,
                                 report.seconds_solve, report.seconds_advance};
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            CHECK(phases[i] >= 0);
            sum += phases[i];
        }
        CHECK(sum > 0 && sum <= all);
        CHECK(report.seconds_project >= 0 && report.seconds_project <= report.seconds_advance);
    }
    mo_world_destroy(world);
}

/* A time of nothing: the state stays, and without a limit the world goes on from there. */
static void a_step_without_time_waits(void **state)
{
    (void)state;
    mo_world *world = scene_world("heap", "count", 40);
    mo_step_report report;
    for (int k = 0; k < 30; ++k)
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
    mo_world_def def = mo_world_definition(world);
    const mo_body_id body = mo_world_body(world, 5);
    const mo_body_state before = mo_body_get(world, body);
    const double time = mo_world_time(world), energy = mo_world_kinetic_energy(world);
    def.solver.time_limit = 0;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
    const mo_body_state after = mo_body_get(world, body);
    CHECK(report.status == MO_TIME_LIMIT && report.is_waiting && report.message.text[0]);
    CHECK(mo_world_time(world) == time && report.kinetic_energy == energy);
    CHECK(memcmp(&before.pose, &after.pose, sizeof before.pose) == 0);
    CHECK(memcmp(before.velocity, after.velocity, sizeof before.velocity) == 0);
    CHECK(mo_world_definition(world).solver.time_limit == 0);
    def.solver.time_limit = INFINITY;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
    CHECK(report.status == MO_SOLVED && mo_world_time(world) > time);
    mo_world_destroy(world);
}

/* Two plates close on a box: no velocity obeys.  The answer is bounded by the plates', and said to
 * be that of contacts that give way. */
static void without_a_solution_contacts_give_way(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    memset(def.gravity, 0, sizeof def.gravity);
    mo_world *world = NULL;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const mo_shape_def box = mo_shape_box(0.1, 0.1, 0.1);
    CHECK(mo_world_add_solid(world, MO_BODY_FREE, &box, NULL, &why).index);
    for (int side = -1; side <= 1; side += 2) {
        mo_body_def plate = mo_default_body(MO_BODY_DRIVEN);
        plate.pose.position[0] = 0.2001 * side;
        plate.velocity[0] = -0.1 * side;
        CHECK(mo_world_add_shape(world, mo_world_add_body(world, &plate, &why), &box, &why).index);
    }
    int compliant = 0;
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        compliant += report.is_compliant;
        CHECK(!report.is_compliant || (report.status != MO_SOLVED && report.message.text[0]));
        CHECK_BELOW(report.kinetic_energy, 0.5 * 8 * 0.1 * 0.1); /* 8 kg at the plates' speed */
    }
    CHECK(compliant > 0);
    mo_world_destroy(world);
}

/* A heap whose steps take longer than their limit: the state stays while a step waits, time goes on
 * all the same, and nothing overlaps more for it.  A call has some 30 looks at a counted clock. */
static void a_suspended_step_is_resumed_by_the_next_call(void **state)
{
    (void)state;
    mo_world *world = scene_world("heap", "count", 150);
    mo_world_def def = mo_world_definition(world);
    def.moving_tol = 0;
    def.solver.tol = 1e-3;
    def.solver.time_limit = 1;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    const mo_body_id body = mo_world_body(world, 10);
    double deepest = 0;
    int waiting = 0;
    mo_clock_count(1.0 / 30);
    for (int k = 0; k < 20000 && mo_world_time(world) < 0.6; ++k) {
        const mo_body_state before = mo_body_get(world, body);
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        const mo_body_state after = mo_body_get(world, body);
        CHECK(!report.is_waiting || memcmp(&before.pose, &after.pose, sizeof before.pose) == 0);
        waiting += report.is_waiting;
        deepest = fmax(deepest, report.penetration);
    }
    mo_clock_count(0);
    CHECK(waiting > 0 && mo_world_time(world) >= 0.6);
    CHECK_BELOW(deepest, 2e-3); /* m, of bodies of 0.1 m */
    mo_world_destroy(world);
}

/* Two sweeps do not solve a mechanism. */
static void an_unsolved_step_gives_its_reason(void **state)
{
    (void)state;
    mo_world *world = scene_world("blockfeeder", NULL, 0);
    mo_world_def def = mo_world_definition(world);
    def.solver.method = "nsgs";
    def.solver.max_iter = 2;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    int unsolved = 0;
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        unsolved += report.status != MO_SOLVED;
        CHECK((report.status == MO_SOLVED) == !report.message.text[0]);
    }
    CHECK(unsolved > 0);
    mo_world_destroy(world);
}

/* What is changed while a step waits counts in that step. */
static void a_change_while_a_step_waits_counts(void **state)
{
    (void)state;
    mo_world *world = scene_world("stack", "count", 3);
    mo_world_def def = mo_world_definition(world);
    mo_message why = {{0}};
    mo_step_report report;
    def.solver.time_limit = 0;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK && report.is_waiting);
    const mo_body_id top = mo_world_body(world, 3);
    const mo_body_state s = mo_body_get(world, top);
    const double up[3] = {0, 0, s.mass};
    def.solver.time_limit = INFINITY;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    CHECK(mo_body_apply_impulse(world, top, up, s.centre, &why) == MO_OK);
    CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK && !report.is_waiting);
    CHECK_NEAR(mo_body_get(world, top).velocity[2], 1 - 0.0981, 1e-9);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_without_errors_reports_none),
        cmocka_unit_test(bodies_held_back_are_counted),
        cmocka_unit_test(impacts_that_are_left_are_counted),
        cmocka_unit_test(late_contacts_that_are_left_are_counted),
        cmocka_unit_test(remaining_overlap_is_reported),
        cmocka_unit_test(open_joints_are_reported),
        cmocka_unit_test(solves_without_a_solution_are_limited),
        cmocka_unit_test(omitted_pairs_are_reported),
        cmocka_unit_test(a_projection_without_memory_is_reported),
        cmocka_unit_test(times_of_phases_are_those_of_the_step),
        cmocka_unit_test(a_step_without_time_waits),
        cmocka_unit_test(without_a_solution_contacts_give_way),
        cmocka_unit_test(a_suspended_step_is_resumed_by_the_next_call),
        cmocka_unit_test(an_unsolved_step_gives_its_reason),
        cmocka_unit_test(a_change_while_a_step_waits_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
