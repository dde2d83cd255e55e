/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Shapes at the end of a step: they do not overlap, pass through each other or throw each other. */
#include "check.h"

#include <string.h>

#include "base/clock.h"
#include "moreau/moreau.h"
#include "worlds.h"

static mo_world *build_heap(int count, int shape, double speed, double tol)
{
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world = NULL;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", count, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "shape", shape, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_id body = mo_world_body(world, k);
        const mo_body_state s = mo_body_get(world, body);
        const double down[3] = {0, 0, -speed};
        if (s.kind == MO_BODY_FREE)
            CHECK(mo_body_set(world, body, &s.pose, down, s.spin, &why) == MO_OK);
    }
    mo_world_def def = mo_world_definition(world);
    def.solver.tol = tol;
    CHECK(mo_world_change(world, &def, &why) == MO_OK);
    return world;
}

/* The judge is the narrow phase at the poses that the step has left, over the radius of a ball of
 * the heap: the other shapes are larger. */
static void check_overlap_of_heap(int shape, double tol)
{
    static const double RADIUS = 0.1;
    mo_world *world = build_heap(60, shape, 4, tol);
    double worst = 0, sum = 0;
    const int steps = 100;
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        const double overlap = mo_world_penetration(world) / RADIUS;
        worst = fmax(worst, overlap);
        sum += overlap;
    }
    CHECK_BELOW(worst, 1e-2);
    CHECK_BELOW(sum / steps, 2e-3);
    mo_world_destroy(world);
}

static void no_body_of_a_heap_ends_a_step_inside_another(void **state)
{
    (void)state;
    for (int shape = 1; shape <= 5; ++shape)
        check_overlap_of_heap(shape, 1e-3);
}

/* A coarse tolerance bounds a norm over all contacts; none may penetrate all the same. */
static void coarse_tolerances_leave_no_overlap(void **state)
{
    (void)state;
    for (int shape = 0; shape <= 5; ++shape)
        check_overlap_of_heap(shape, 0.25);
}

/* ---- thin walls ------------------------------------------------------------------------------ */

enum { WALL_BOX, WALL_MESH, WALL_HULL, WALL_PLANE, WALLS };
static const double WALL = 5e-4; /* m: half its thickness */

static mo_shape_def wall_of(int kind)
{
    static double corner[24];
    static const int faces[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    for (int k = 0; k < 8; ++k) {
        corner[3 * k] = k & 1 ? WALL : -WALL;
        corner[3 * k + 1] = k & 2 ? 2 : -2;
        corner[3 * k + 2] = k & 4 ? 2 : -2;
    }
    return kind == WALL_BOX    ? mo_shape_box(WALL, 2, 2)
           : kind == WALL_MESH ? mo_shape_mesh(corner, 8, faces, 36)
           : kind == WALL_HULL ? mo_shape_hull(corner, 8)
                               : mo_shape_plane();
}

/* The plane faces the shots. */
static mo_pose pose_of_wall(int kind)
{
    const double axis[3] = {0, 1, 0};
    return kind == WALL_PLANE ? mo_pose_turned(-WALL, 0, 0, axis, -acos(0)) : mo_pose_at(0, 0, 0);
}

/* Things of a centimetre. */
static mo_shape_def thing_of(int kind)
{
    static const double a[3] = {0, 0, -0.004}, b[3] = {0, 0, 0.004};
    return kind == 0   ? mo_shape_ball(0.005)
           : kind == 1 ? mo_shape_capsule(a, b, 0.001)
                       : mo_shape_box(0.005, 0.005, 0.005);
}

/* At 100 m/s towards the wall, with a spin of about a turn a step. */
static mo_body_def shot(mo_random *random)
{
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    double length = 0;
    for (int i = 0; i < 4; ++i) {
        def.pose.orientation[i] = uniform(random, -1, 1);
        length += def.pose.orientation[i] * def.pose.orientation[i];
    }
    for (int i = 0; i < 4; ++i)
        def.pose.orientation[i] /= sqrt(length);
    const double way[3] = {1, uniform(random, -1, 1), uniform(random, -1, 1)};
    const double norm = sqrt(1 + way[1] * way[1] + way[2] * way[2]);
    const double from = 0.1 + 0.4 * mo_random_unit(random);
    for (int i = 0; i < 3; ++i) {
        def.velocity[i] = 100 * way[i] / norm;
        def.pose.position[i] = i == 0 ? -from : 0;
        def.spin[i] = 300 * uniform(random, -1, 1);
    }
    return def;
}

/* One shot; no step may add more than this part of energy.  Returns the steps that are not solved.
 * With a time limit, the clock counts its calls (base/clock.h), `looks` of which end a solve, or
 * up to 300 by chance if there are none. */
static int shoot_with(mo_random *random, int k, const mo_body_def *flies, mo_options solver,
                      double gain, int looks)
{
    static const double PART = 0.25; /* of the limit: the time of a solve, at least */
    /* sqrt(2 m) c, with m = 1 g and the speed c = 1e-6 size / h at which positions are corrected:
     * 1e-8 of the energy of a shot */
    static const double CORRECTION = 0.0447 * 1e-6 * 0.0087 / 0.01;
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    def.gravity[2] = 0;
    def.solver = solver;
    mo_world *world = NULL;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const mo_shape_def wall = wall_of(k % WALLS), thing = thing_of(k / WALLS % 3);
    const mo_pose at = pose_of_wall(k % WALLS);
    mo_world_add_solid(world, MO_BODY_FIXED, &wall, &at, &why);
    const mo_body_id body = mo_world_add_body(world, flies, &why);
    CHECK(mo_world_add_shape(world, body, &thing, &why).index > 0);
    double before = INFINITY;
    int unsolved = 0, is_waiting = 0;
    const double rest = 1e-20 * mo_world_kinetic_energy(world); /* 1e-10 of the speed of the shot */
    for (int step = 0; step < 6;) {
        mo_step_report report;
        if (isfinite(solver.time_limit) && !is_waiting) {
            const double count = looks > 0 ? looks : pow(300, mo_random_unit(random));
            mo_clock_count(PART * solver.time_limit / count);
        }
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        is_waiting = report.is_waiting;
        if (is_waiting) continue;
        ++step;
        unsolved += report.status != MO_SOLVED;
        const mo_body_state s = mo_body_get(world, body);
        if (fabs(s.pose.position[1]) > 1.9 || fabs(s.pose.position[2]) > 1.9)
            break; /* beside the wall */
        CHECK_BELOW(s.pose.position[0], 0);
        CHECK_BELOW(report.kinetic_energy, before * (1 + gain) + CORRECTION * sqrt(before) + rest);
        before = report.kinetic_energy;
    }
    mo_world_destroy(world);
    mo_clock_count(0);
    return unsolved;
}

static int shoot(mo_random *random, int k, mo_options solver, double gain)
{
    const mo_body_def flies = shot(random);
    return shoot_with(random, k, &flies, solver, gain, 0);
}

static void nothing_passes_through_a_thin_wall(void **state)
{
    (void)state;
    mo_random random = {.state = 1};
    int unsolved = 0;
    for (int k = 0; k < 240; ++k)
        unsolved += shoot(&random, k, mo_default_world().solver, 1e-9);
    CHECK(unsolved <= 10);
}

/* Solves end at every look at the clock up to the 20th, and at fewer later: the same in each step,
 * until all are solved in three runs (some are unsolved with any limit). */
static void energy_gained_by_an_interrupted_step_is_removed(void **state)
{
    (void)state;
    mo_random random = {.state = 1};
    mo_options hasty = mo_default_world().solver;
    int unsolved = 0;
    hasty.time_limit = 1;
    for (int k = 0; k < 3 * WALLS; ++k) {
        const mo_body_def flies = shot(&random);
        for (int looks = 1, done = 0; done < 3 && looks < 300; looks += 1 + looks / 20) {
            const int left = shoot_with(&random, k, &flies, hasty, 3e-6, looks);
            done = left > 0 ? 0 : done + 1;
            unsolved += left;
        }
    }
    for (int k = 0; k < 3000; ++k) /* at another point in each step */
        shoot(&random, k, hasty, 3e-6);
    CHECK(unsolved > 200);
}

/* A kinematic wall that turns about a line in it, while things slide along it at 100 m/s. */
static void nothing_passes_through_a_wall_that_turns(void **state)
{
    (void)state;
    mo_random random = {.state = 1};
    for (int k = 0; k < 240; ++k) {
        mo_message why = {{0}};
        mo_world_def def = mo_default_world();
        def.gravity[2] = 0;
        mo_world *world = NULL;
        CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
        const mo_shape_def wall = wall_of(k % WALL_PLANE), thing = thing_of(k / WALL_PLANE % 3);
        mo_body_def turns = mo_default_body(MO_BODY_DRIVEN);
        turns.spin[2] = k % 2 ? 5 : -15; /* rad/s */
        const mo_body_id first = mo_world_add_body(world, &turns, &why);
        CHECK(mo_world_add_shape(world, first, &wall, &why).index > 0);
        const mo_body_def flies = shot(&random);
        const mo_body_id second = mo_world_add_body(world, &flies, &why);
        CHECK(mo_world_add_shape(world, second, &thing, &why).index > 0);
        for (int step = 0; step < 6; ++step) {
            CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_OK);
            const double angle = turns.spin[2] * 0.01 * (step + 1);
            const mo_body_state at = mo_body_get(world, second);
            const double *x = at.pose.position;
            const double off = cos(angle) * x[0] + sin(angle) * x[1],
                         along = cos(angle) * x[1] - sin(angle) * x[0];
            if (fabs(along) > 1.9 || fabs(x[2]) > 1.9) break; /* beside the wall */
            CHECK_BELOW(off, 0);
        }
        mo_world_destroy(world);
    }
}

/* The residual has the unit of an impulse: to a coarse tolerance, that on a rod of 0.03 g may be
 * wrong by more than its momentum. */
static void light_bodies_gain_no_energy_by_tolerance(void **state)
{
    (void)state;
    mo_random random = {.state = 1};
    mo_options fine = mo_default_world().solver, coarse = fine;
    fine.tol = 1e-6;
    coarse.tol = 1e-5;
    for (int k = 0; k < 300; ++k) {
        shoot(&random, k, fine, 1e-5);
        shoot(&random, k, coarse, 1e-5);
    }
}

/* Ten iterations leave slips of metres a second at contacts that stick: the next step does not take
 * them back with as much speed. */
static void penetration_left_by_an_unsolved_step_is_removed_slowly(void **state)
{
    (void)state;
    mo_random random = {.state = 1};
    mo_options starved = mo_default_world().solver;
    starved.max_iter = 10;
    for (int k = 0; k < 400; ++k)
        shoot(&random, k, starved, 1e-5);
}

/* ---- steps that turn and fly far ------------------------------------------------------------- */

/* Rods, plates, boxes and cylinders of a centimetre. */
static mo_shape_def far_of(int kind)
{
    static const double a[3] = {0, 0, -0.004}, b[3] = {0, 0, 0.004};
    return kind == 0   ? mo_shape_capsule(a, b, 0.001)
           : kind == 1 ? mo_shape_box(0.005, 0.004, 0.0005)
           : kind == 2 ? mo_shape_box(0.005, 0.003, 0.002)
                       : mo_shape_cylinder(0.001, 0.005);
}

/* Two of them meet in the first step over many times their size, and turn by up to six radians in
 * it; their masses differ by up to a thousand. */
static void meet(mo_random *random, int k)
{
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    def.gravity[2] = 0;
    def.solver.tol = k % 2 ? 1e-6 : 1e-8;
    mo_world *world = NULL;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const double gap = 0.02 + 0.2 * mo_random_unit(random);
    for (int side = 0; side < 2; ++side) {
        mo_body_def body = shot(random);
        body.mass = 1e-4 * (side ? pow(10, 3 * uniform(random, -1, 1)) : 1);
        for (int i = 0; i < 3; ++i) {
            body.pose.position[i] = i == 0 && side ? gap : 0;
            body.velocity[i] = side ? uniform(random, -1, 1) : 0;
            body.spin[i] *= 2;
        }
        body.velocity[0] -= side ? gap / 0.01 * (1 + 0.5 * uniform(random, -1, 1)) : 0;
        const mo_shape_def shape = far_of((k / 2 + side * (k / 8)) % 4);
        const mo_body_id id = mo_world_add_body(world, &body, &why);
        CHECK(mo_world_add_shape(world, id, &shape, &why).index > 0);
    }
    const double start = mo_world_kinetic_energy(world);
    double before = start;
    for (int step = 0; step < 4; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        CHECK_BELOW(report.kinetic_energy, before + 1e-5 * start);
        before = report.kinetic_energy;
    }
    mo_world_destroy(world);
}

static void fast_rotating_bodies_gain_no_energy(void **state)
{
    (void)state;
    mo_random random = {.state = 3};
    for (int k = 0; k < 800; ++k)
        meet(&random, k);
}

/* ---- overlap at the start -------------------------------------------------------------------- */

enum { FREE_KINDS = 5, MESH = 7, PAIR_KINDS = 8 };

/* Of about 0.1 m; those from FREE_KINDS on are static. */
static mo_shape_def pair_shape(int kind)
{
    static const double a[3] = {0, 0, -0.06}, b[3] = {0, 0, 0.06};
    static const double corner[18] = {0.08, 0,     0, -0.08, 0, 0,    0, 0.07, 0,
                                      0,    -0.07, 0, 0,     0, 0.06, 0, 0,    -0.06};
    static const double box[24] = {-0.1, -0.1, -0.1, 0.1,  -0.1, -0.1, -0.1, 0.1,
                                   -0.1, 0.1,  0.1,  -0.1, -0.1, -0.1, 0.1,  0.1,
                                   -0.1, 0.1,  -0.1, 0.1,  0.1,  0.1,  0.1,  0.1};
    static const int faces[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    const mo_shape_def shapes[PAIR_KINDS] = {
        mo_shape_ball(0.1),           mo_shape_box(0.06, 0.06, 0.06),
        mo_shape_capsule(a, b, 0.05), mo_shape_cylinder(0.07, 0.07),
        mo_shape_hull(corner, 6),     mo_shape_plane(),
        mo_shape_box(0.1, 0.1, 0.1),  mo_shape_mesh(box, 8, faces, 36)};
    return shapes[kind];
}

static mo_pose near_the_origin(mo_random *random)
{
    const double axis[3] = {uniform(random, -1, 1), uniform(random, -1, 1), 1};
    return mo_pose_turned(0.04 * uniform(random, -1, 1), 0.04 * uniform(random, -1, 1),
                          0.04 * uniform(random, -1, 1), axis, uniform(random, -3, 3));
}

/*
 * Two bodies that start at rest, one inside the other.  Velocities part them at c = max(g h, 1e-6
 * size / h) at most, and the projection of positions lifts what stands on something static by no
 * more than both radii: the bound of docs/simulation.md.
 */
static void part_two(mo_random *random, int a, int b, double gravity)
{
    static const double H = 0.01, SIZE = 0.1, RADII = 0.11 + 0.18;
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    def.gravity[2] = -gravity;
    mo_world *world = NULL;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const mo_shape_def shapes[2] = {pair_shape(a), pair_shape(b)};
    double mass = 0;
    for (int side = 0; side < 2; ++side) {
        const int is_free = side == 0 || b < FREE_KINDS;
        mo_pose pose = is_free ? near_the_origin(random) : mo_pose_at(0, 0, 0);
        if (b == MESH && side == 0) /* which does not push out what is deeper */
            pose.position[2] += 0.14;
        const mo_body_id id = mo_world_add_solid(world, is_free ? MO_BODY_FREE : MO_BODY_FIXED,
                                                 shapes + side, &pose, &why);
        mass += is_free ? mo_body_get(world, id).mass : 0;
    }
    CHECK(mo_world_penetration(world) > 1e-3 || b == MESH);
    const double lift = b < FREE_KINDS ? 0 : mass * gravity * RADII;
    const double speed = fmax(gravity * H, 1e-6 * SIZE / H);
    const double start = mo_world_potential_energy(world);
    for (int k = 0; k < 60; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, H, &report, &why) == MO_OK);
        CHECK_BELOW(report.kinetic_energy + report.potential_energy,
                    start + lift + mass * speed * speed);
    }
    CHECK_BELOW(mo_world_penetration(world), 1.5e-3 * SIZE);
    mo_world_destroy(world);
}

static void any_two_that_overlap_part_within_the_bound_of_energy(void **state)
{
    (void)state;
    mo_random random = {.state = 4};
    for (int a = 0; a < FREE_KINDS; ++a) {
        for (int b = 0; b < PAIR_KINDS; ++b)
            for (int k = 0; k < 4; ++k)
                part_two(&random, a, b, k % 2 ? 9.81 : 0);
    }
}

/* Ten bodies of all kinds within a centimetre of each other. */
static mo_world *build_cluster(double gravity)
{
    static const double a[3] = {0, 0, -0.06}, b[3] = {0, 0, 0.06};
    const mo_shape_def shapes[] = {mo_shape_ball(0.1), mo_shape_box(0.06, 0.08, 0.1),
                                   mo_shape_capsule(a, b, 0.05), mo_shape_cylinder(0.07, 0.07)};
    mo_random random = {.state = 2};
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    def.gravity[2] = -gravity;
    mo_world *world = NULL;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    const mo_shape_def floor = mo_shape_plane();
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, &why);
    for (int k = 0; k < 10; ++k) {
        const double axis[3] = {uniform(&random, -1, 1), uniform(&random, -1, 1), 1};
        const mo_pose pose =
            mo_pose_turned(0.05 * uniform(&random, -1, 1), 0.05 * uniform(&random, -1, 1),
                           0.5 + 0.05 * uniform(&random, -1, 1), axis, uniform(&random, -1, 1));
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, shapes + k % 4, &pose, &why).index > 0);
    }
    return world;
}

static void bodies_that_overlap_at_the_start_separate_at_rest(void **state)
{
    (void)state;
    mo_world *world = build_cluster(0);
    CHECK(mo_world_penetration(world) > 0.05);
    double fastest = 0;
    for (int k = 0; k < 100; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        fastest = fmax(fastest, report.kinetic_energy);
    }
    CHECK_BELOW(mo_world_penetration(world), 1e-3 * 0.15);
    CHECK_BELOW(fastest, 1e-6); /* J: shallow overlap is taken back by velocities of mm/s */
    mo_world_destroy(world);
}

/* With gravity: no more energy than what lifts all of it by the size of the cluster. */
static void bodies_that_overlap_at_the_start_are_not_thrown(void **state)
{
    (void)state;
    mo_world *world = build_cluster(9.81);
    double weight = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        weight += s.kind == MO_BODY_FREE ? 9.81 * s.mass : 0;
    }
    const double start = mo_world_potential_energy(world);
    for (int k = 0; k < 150; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK_BELOW(report.kinetic_energy + report.potential_energy, start + 0.1 * weight);
    }
    CHECK_BELOW(mo_world_penetration(world), 1e-3 * 0.15);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_body_of_a_heap_ends_a_step_inside_another),
        cmocka_unit_test(coarse_tolerances_leave_no_overlap),
        cmocka_unit_test(nothing_passes_through_a_thin_wall),
        cmocka_unit_test(nothing_passes_through_a_wall_that_turns),
        cmocka_unit_test(light_bodies_gain_no_energy_by_tolerance),
        cmocka_unit_test(energy_gained_by_an_interrupted_step_is_removed),
        cmocka_unit_test(penetration_left_by_an_unsolved_step_is_removed_slowly),
        cmocka_unit_test(fast_rotating_bodies_gain_no_energy),
        cmocka_unit_test(any_two_that_overlap_part_within_the_bound_of_energy),
        cmocka_unit_test(bodies_that_overlap_at_the_start_separate_at_rest),
        cmocka_unit_test(bodies_that_overlap_at_the_start_are_not_thrown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
