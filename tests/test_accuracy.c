/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What tumbles is solved coarsely, what rests finely, and what rests does not creep. */
#include "check.h"

#include "moreau/moreau.h"
#include "worlds.h"

static const double COARSE = 1e-3, FINE = 1e-8;

static mo_world *build_heap(int count)
{
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world = NULL;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", count, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "shape", 1, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    return world;
}

static void boxes_that_fall_are_coarse_and_come_to_rest(void **state)
{
    (void)state;
    mo_world *world = build_heap(60);
    mo_step_report report = {0};
    int coarse = 0;
    for (int k = 0; k < 500; ++k) {
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED && report.residual.natural_relative <= report.tolerance);
        CHECK(report.tolerance == COARSE || report.tolerance == FINE);
        coarse += report.tolerance == COARSE;
    }
    CHECK(coarse > 20);
    CHECK(report.tolerance == FINE && report.kinetic_energy == 0 && report.iterations == 0);
    mo_world_destroy(world);
}

static void a_tolerance_that_is_given_is_obeyed(void **state)
{
    (void)state;
    static const double tol[2] = {1e-6, 1e-8};
    for (int i = 0; i < 2; ++i) {
        mo_world *world = build_heap(30);
        mo_world_def def = mo_world_definition(world);
        mo_message why = {{0}};
        def.solver.tol = tol[i];
        def.moving_tol = i ? 0 : def.moving_tol;
        CHECK(mo_world_change(world, &def, &why) == MO_OK);
        for (int k = 0; k < 60; ++k) {
            mo_step_report report;
            CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
            CHECK(report.tolerance == tol[i]);
            CHECK_BELOW(report.residual.natural_relative, tol[i]);
        }
        def.moving_tol = -1;
        CHECK(mo_world_change(world, &def, &why) == MO_ERR_ARGUMENT);
        mo_world_destroy(world);
    }
}

/* Boxes that fall on the floor, tilted, in columns that lean on each other. */
static mo_world *build_fall(void)
{
    const mo_shape_def floor = mo_shape_plane(), box = mo_shape_box(0.1, 0.08, 0.06);
    const double axis[3] = {1, 2, 3};
    mo_message why = {{0}};
    mo_world *world = NULL;
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, &why).index > 0);
    for (int k = 0; k < 60; ++k) {
        const mo_pose at = mo_pose_turned(0.19 * (k % 4), 0.19 * (k / 4 % 4), 0.2 + 0.25 * (k / 16),
                                          axis, 0.7 * k);
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, &box, &at, &why).index > 0);
    }
    return world;
}

/* A tower beside the heap, which shares no body with it, stands as it does alone. */
static void bodies_at_rest_are_solved_finely_while_others_tumble(void **state)
{
    (void)state;
    mo_world *world = build_fall();
    const mo_shape_def cube = mo_shape_box(0.1, 0.1, 0.1);
    mo_body_id tower[5];
    mo_message why = {{0}};
    int coarse = 0;
    for (int k = 0; k < 5; ++k) {
        const mo_pose at = mo_pose_at(20 + 0.02 * (k % 2), 0, 0.1 + 0.2 * k);
        tower[k] = mo_world_add_solid(world, MO_BODY_FREE, &cube, &at, &why);
        CHECK(tower[k].index > 0);
    }
    for (int step = 0; step < 80; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        coarse += report.tolerance == COARSE;
    }
    CHECK(coarse > 20);
    for (int k = 0; k < 5; ++k) {
        const mo_body_state s = mo_body_get(world, tower[k]);
        CHECK_NEAR(s.pose.position[2], 0.1 + 0.2 * k, 1e-11);
        CHECK_NEAR(s.pose.position[0], 20 + 0.02 * (k % 2), 1e-11);
    }
    mo_world_destroy(world);
}

/* A cube that falls on the heap at 20 m/s, beside its middle. */
static void add_hammer(mo_world *world, double beside)
{
    mo_message why = {{0}};
    const mo_shape_def cube = mo_shape_box(0.05, 0.05, 0.05);
    const double down[3] = {0, 0, -20}, none[3] = {0, 0, 0};
    const mo_pose above = mo_pose_at(beside, 0.02, 1);
    const mo_body_id hammer = mo_world_add_solid(world, MO_BODY_FREE, &cube, &above, &why);
    CHECK(hammer.index > 0);
    CHECK(mo_body_set(world, hammer, &above, down, none, &why) == MO_OK);
}

/* m/s, of a point of the body, at most. */
static double speed_of(const mo_body_state *s, double size)
{
    const double *v = s->velocity, *w = s->spin;
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
           size * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

/* Contacts of a body that bear. */
static int bearing_contacts(const mo_world *world, mo_body_id body)
{
    mo_contact contact[64];
    const int count = mo_body_contacts(world, body, contact, 64);
    int bearing = 0;
    for (int k = 0; k < count && k < 64; ++k)
        bearing += contact[k].mode != MO_CONTACT_APART;
    return bearing;
}

/* The fastest body, m/s.  A box that stands on two opposite corners alone turns about the line
 * through them, on which its centre of mass lies: no torque stops it, and it does not count. */
static double fastest(const mo_world *world, double size, int least_contacts)
{
    double most = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_id id = mo_world_body(world, k);
        const mo_body_state s = mo_body_get(world, id);
        if (s.kind == MO_BODY_FREE && bearing_contacts(world, id) >= least_contacts)
            most = fmax(most, speed_of(&s, size));
    }
    return most;
}

/* The longest step of those that start near rest, with no body in motion; all of them end at rest.
 */
static int longest_step_near_rest(mo_world *world)
{
    const double size = 0.1, moves = 1e-3 * size, creeps = 1e-7; /* m, m/s, m/s */
    mo_step_report report = {0};
    int longest = 0, coarse = 0;
    for (int k = 0; k < 600; ++k) {
        const int is_slow = fastest(world, size, 0) < moves;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK(report.residual.natural_relative <= report.tolerance || report.status != MO_SOLVED);
        coarse += report.tolerance == COARSE;
        longest = k > 0 && is_slow && report.iterations > longest ? report.iterations : longest;
    }
    CHECK(coarse > 20 && report.tolerance == FINE);
    CHECK_BELOW(fastest(world, size, 3), creeps);
    return longest;
}

/* Near rest the digits are found in several steps, and none of them is long. */
static void a_heap_that_is_hit_comes_to_rest_in_short_steps(void **state)
{
    (void)state;
    static const struct {
        int count;
        double beside;
    } heap[] = {{100, 0.01}, {60, 0.05}, {140, 0.02}};
    for (size_t k = 0; k < sizeof heap / sizeof *heap; ++k) {
        mo_world *world = build_heap(heap[k].count);
        add_hammer(world, heap[k].beside);
        CHECK(longest_step_near_rest(world) <= 300);
        mo_world_destroy(world);
    }
}

/*
 * A ball that turns slowly about the vertical, on a stack of more than 64 contacts: nothing stops
 * it, and it is too fast to be at rest.  The stack below stays finely solved and does not creep.
 */
static void what_turns_without_friction_leaves_the_rest_at_rest(void **state)
{
    (void)state;
    const mo_shape_def floor = mo_shape_plane(), cube = mo_shape_box(0.1, 0.1, 0.1),
                       ball = mo_shape_ball(0.1);
    const double none[3] = {0, 0, 0}, spin[3] = {0, 0, 5e-4}; /* rad/s */
    const int count = 20;
    mo_world *world = NULL;
    mo_message why = {{0}};
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, &why).index > 0);
    for (int k = 0; k < count; ++k) {
        const mo_pose at = mo_pose_at(0.01 * (k % 2), 0, 0.1 + 0.2 * k);
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, &cube, &at, &why).index > 0);
    }
    const mo_pose above = mo_pose_at(0.01, 0.02, 0.1 + 0.2 * count);
    const mo_body_id top = mo_world_add_solid(world, MO_BODY_FREE, &ball, &above, &why);
    CHECK(top.index > 0 && mo_body_set(world, top, &above, none, spin, &why) == MO_OK);
    for (int step = 0; step < 40; ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK && report.status == MO_SOLVED);
        CHECK(report.tolerance == FINE);
        CHECK_BELOW(fastest(world, 0.1, 2), 1e-10); /* the ball has one contact */
    }
    CHECK_NEAR(mo_body_get(world, top).spin[2], spin[2], 1e-9);
    mo_world_destroy(world);
}

/* At rest nothing moves, and a small push moves it. */
static void rest_ends_with_a_push(void **state)
{
    (void)state;
    mo_world *world = NULL;
    mo_message why = {{0}};
    mo_step_report report = {0};
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK);
    const mo_shape_def cube = mo_shape_box(0.1, 0.1, 0.1), floor = mo_shape_plane();
    const mo_pose at = mo_pose_at(0, 0, 0.1);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, &why).index > 0);
    const mo_body_id body = mo_world_add_solid(world, MO_BODY_FREE, &cube, &at, &why);
    for (int k = 0; k < 10; ++k)
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
    CHECK(report.kinetic_energy == 0);
    const double up[3] = {0, 0, 8 * (0.098 + 1e-3)}, where[3] = {0, 0, 0.1}; /* N s: 8 kg */
    CHECK(mo_body_apply_impulse(world, body, up, where, &why) == MO_OK);
    CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
    CHECK_NEAR(mo_body_get(world, body).velocity[2], 1e-3 + 0.098 - 0.0981, 1e-9);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_fall_are_coarse_and_come_to_rest),
        cmocka_unit_test(a_tolerance_that_is_given_is_obeyed),
        cmocka_unit_test(bodies_at_rest_are_solved_finely_while_others_tumble),
        cmocka_unit_test(a_heap_that_is_hit_comes_to_rest_in_short_steps),
        cmocka_unit_test(what_turns_without_friction_leaves_the_rest_at_rest),
        cmocka_unit_test(rest_ends_with_a_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
