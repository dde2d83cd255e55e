/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Something odd in a heap.  With one joint or one mechanism it is solved coarsely while it moves,
 * as without it, and joints stay closed.  A kinematic body that does not move is as good as a fixed
 * one.  A jam between kinematic plates has no solution. */
#include "check.h"

#include <math.h>

#include "moreau/moreau.h"
#include "worlds.h"

static const double COARSE = 1e-3, FINE = 1e-8, H = 0.01, LONG = 0.3, TOP = 1.9; /* s, m */

static mo_world *build_heap(void)
{
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world = NULL;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", 80, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "shape", 1, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    return world;
}

/* Two rods on a hinge, above the heap. */
static mo_joint_id add_rods(mo_world *world)
{
    mo_body_id rod[2];
    const mo_shape_def box = mo_shape_box(LONG, 0.05, 0.05);
    for (int k = 0; k < 2; ++k) {
        const mo_pose at = mo_pose_at((2 * k - 1) * (LONG + 0.01), 0, TOP);
        rod[k] = mo_world_add_solid(world, MO_BODY_FREE, &box, &at, NULL);
        CHECK(rod[k].index > 0);
    }
    mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, rod[0], rod[1]);
    hinge.anchor[2] = TOP;
    hinge.axis[1] = 1;
    hinge.axis[2] = 0;
    const mo_joint_id joint = mo_world_add_joint(world, &hinge, NULL);
    CHECK(joint.index > 0);
    return joint;
}

/* Three links on hinges, in joint coordinates. */
static void add_chain(mo_world *world)
{
    const mo_shape_def box = mo_shape_box(LONG, 0.05, 0.05);
    mo_link_def link[3];
    mo_axis_def axis[3];
    for (int k = 0; k < 3; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].pose = mo_pose_at(k ? 2 * LONG + 0.02 : 0, 0, k ? 0 : TOP);
        axis[k] = mo_default_axis(k ? MO_AXIS_REVOLUTE : MO_AXIS_FREE, k);
        axis[k].axis[1] = k > 0;
        axis[k].axis[2] = 0;
        axis[k].anchor[0] = k ? -(LONG + 0.01) : 0;
        link[k].mass = 5;
        link[k].inertia[0] = 0.01;
        link[k].inertia[1] = link[k].inertia[2] = 0.15;
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = axis;
    def.link_count = def.joint_count = 3;
    const mo_mechanism_id chain = mo_world_add_mechanism(world, &def, NULL);
    CHECK(chain.index > 0);
    for (int k = 0; k < 3; ++k) {
        const mo_body_id body = mo_mechanism_link(world, chain, k);
        CHECK(mo_world_add_shape(world, body, &box, NULL).index > 0);
    }
}

/* Takes a step, which is solved to the tolerance that it reports.  Is it coarse, and does it meet
 * the aim of heaps, a tenth of that? */
static int solves_coarsely(mo_world *world, mo_step_report *report)
{
    CHECK(mo_world_step(world, H, report, NULL) == MO_OK);
    CHECK(report->status == MO_SOLVED);
    CHECK_BELOW(report->residual.natural_relative, report->tolerance);
    CHECK(report->tolerance == COARSE || report->tolerance == FINE);
    return report->tolerance == COARSE && report->residual.natural_relative <= 0.1 * COARSE;
}

static void a_hinge_leaves_the_heap_around_it_coarse(void **state)
{
    (void)state;
    mo_world *world = build_heap();
    mo_step_report report = {0};
    const mo_joint_id hinge = add_rods(world);
    double energy = INFINITY, all = 1, widest = 0;
    int coarse = 0;
    for (int k = 0; k < 150; ++k) {
        coarse += solves_coarsely(world, &report);
        const double now = report.kinetic_energy + report.potential_energy;
        CHECK_BELOW(now - energy, 1e-6 * all);
        all = k ? all : now;
        energy = now;
        widest = fmax(widest, mo_joint_get(world, hinge).error);
    }
    CHECK(coarse > 60);
    CHECK_BELOW(widest, 1e-2 * LONG); /* first order in h, as without the heap */
    mo_world_destroy(world);
}

static void a_mechanism_leaves_the_heap_around_it_coarse(void **state)
{
    (void)state;
    mo_world *world = build_heap();
    mo_step_report report = {0};
    int coarse = 0;
    add_chain(world);
    for (int k = 0; k < 150; ++k)
        coarse += solves_coarsely(world, &report);
    CHECK(coarse > 60);
    mo_world_destroy(world);
}

/* Iterations of a heap on a block of this kind until it rests. */
static int iterations_on(mo_body_kind kind)
{
    mo_world *world = build_heap();
    const mo_shape_def box = mo_shape_box(0.4, 0.4, 0.05);
    const mo_pose at = mo_pose_at(0, 0, 0.05);
    mo_step_report report = {0};
    int iterations = 0;
    CHECK(mo_world_add_solid(world, kind, &box, &at, NULL).index > 0);
    for (int k = 0; k < 400; ++k) {
        CHECK(mo_world_step(world, H, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        iterations += report.iterations;
    }
    CHECK(report.kinetic_energy == 0);
    mo_world_destroy(world);
    return iterations;
}

static void a_kinematic_body_that_does_not_move_is_as_good_as_a_fixed_one(void **state)
{
    (void)state;
    const int fixed = iterations_on(MO_BODY_FIXED), driven = iterations_on(MO_BODY_DRIVEN);
    CHECK_BELOW(driven, 1.2 * fixed);
}

/* A plate on each side of the heap, whose speed is +-v. */
static void set_plates(mo_world *world, const mo_body_id side[2], double v)
{
    const double spin[3] = {0};
    for (int k = 0; k < 2; ++k) {
        const double speed[3] = {(1 - 2 * k) * v};
        const mo_pose at = mo_body_get(world, side[k]).pose;
        CHECK(mo_body_set(world, side[k], &at, speed, spin, NULL) == MO_OK);
    }
}

/* Plates press a heap until no velocity obeys both, whatever the friction.  Of n such steps in a
 * row about 2 log2(n) are tried with all methods, the others end after the sweeps of a round, with
 * full and with less friction; once the plates go back, steps are solved again. */
static void a_jam_is_not_tried_with_all_methods_in_every_step(void **state)
{
    (void)state;
    enum { JAMMED = 45, BACK = 60, FREE = 62, STEPS = 100, SWEEPS = 610, REMEDIES = 3 };
    mo_world *world = build_heap();
    const mo_shape_def plate = mo_shape_box(0.1, 3, 3);
    mo_body_id side[2];
    for (int k = 0; k < 2; ++k) {
        mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
        def.pose = mo_pose_at(2 * k - 1, 0, 2);
        side[k] = mo_world_add_body(world, &def, NULL);
        CHECK(mo_world_add_shape(world, side[k], &plate, NULL).index > 0);
    }
    set_plates(world, side, 1);
    int unsolved = 0, misses = 0, tried = 0; /* the last two in a row */
    for (int step = 0; step < STEPS; ++step) {
        mo_step_report report;
        if (step == BACK) set_plates(world, side, -1);
        CHECK(mo_world_step(world, H, &report, NULL) == MO_OK);
        const int is_missed = report.status != MO_SOLVED;
        unsolved += is_missed && step >= JAMMED && step < BACK;
        misses = is_missed ? misses + 1 : 0;
        tried = is_missed ? tried + (report.iterations > SWEEPS * (report.rounds + REMEDIES)) : 0;
        CHECK(!is_missed || tried <= 2 + 2 * log2(misses));
        CHECK(step < FREE || report.status == MO_SOLVED);
    }
    CHECK(unsolved > 10);
    mo_world_destroy(world);
}

/* Boxes in a box, two pairs of them joined by hinges: the heap comes to rest, and its steps are
 * fine. */
static void a_heap_with_hinges_comes_to_rest(void **state)
{
    (void)state;
    enum { BOXES = 60, STEPS = 800 };
    mo_world *world = NULL;
    mo_random random = {.state = 5};
    mo_body_id body[BOXES];
    mo_step_report report;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    for (int side = 0; side < 5; ++side) {
        static const double TURNS[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
        const mo_shape_def wall = mo_shape_half_space(TURNS[side], side == 0 ? 0 : -0.45);
        CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &wall, NULL, NULL).index);
    }
    for (int k = 0; k < BOXES; ++k) {
        double axis[3];
        fill_uniform(&random, -1, 1, 3, axis);
        const mo_shape_def box = mo_shape_box(0.05 + 0.03 * fabs(axis[0]), 0.06, 0.08);
        const mo_pose at = mo_pose_turned(-0.3 + 0.2 * (k % 4), -0.3 + 0.2 * (k / 4 % 4),
                                          0.15 + 0.22 * (k / 16), axis, 3 * axis[1]);
        body[k] = mo_world_add_solid(world, MO_BODY_FREE, &box, &at, NULL);
    }
    for (int k = 0; k < 2; ++k) {
        mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, body[8 * k], body[8 * k + 1]);
        const mo_body_state a = mo_body_get(world, hinge.a), b = mo_body_get(world, hinge.b);
        for (int i = 0; i < 3; ++i)
            hinge.anchor[i] = 0.5 * (a.centre[i] + b.centre[i]);
        CHECK(mo_world_add_joint(world, &hinge, NULL).index);
    }
    for (int k = 0; k < STEPS; ++k)
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
    CHECK(report.contacts > 64 && report.status == MO_SOLVED && report.tolerance == 1e-8);
    CHECK(report.kinetic_energy == 0 && report.iterations == 0);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinge_leaves_the_heap_around_it_coarse),
        cmocka_unit_test(a_mechanism_leaves_the_heap_around_it_coarse),
        cmocka_unit_test(a_kinematic_body_that_does_not_move_is_as_good_as_a_fixed_one),
        cmocka_unit_test(a_jam_is_not_tried_with_all_methods_in_every_step),
        cmocka_unit_test(a_heap_with_hinges_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
