/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scenes that move: every one builds, runs, and does the same three times; some against what is
 * known of them. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"
#include "worlds.h"

static mo_world *build(const char *name, const char *parameter, double value)
{
    const world_scene *scene = world_scene_find(name);
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world;
    CHECK(scene != NULL);
    world_default_values(scene, values);
    if (parameter && world_set_value(scene, values, parameter, value, &why))
        fail_msg("%s", why.text);
    if (scene->build(values, &world, &why)) fail_msg("%s: %s", name, why.text);
    return world;
}

/* Small sizes of the large ones. */
static mo_world *build_small(const world_scene *scene)
{
    static const char *const SMALLER[][2] = {{"beads", "count"},
                                             {"heap", "count"},
                                             {"funnel", "count"},
                                             {"brazil-nut", "count"},
                                             {"drum", "count"}};
    for (size_t k = 0; k < sizeof SMALLER / sizeof *SMALLER; ++k)
        if (strcmp(scene->name, SMALLER[k][0]) == 0) return build(scene->name, SMALLER[k][1], 27);
    if (strcmp(scene->name, "wall") == 0) return build("wall", "length", 4);
    return build(scene->name, strcmp(scene->name, "kapla") == 0 ? "layers" : NULL, 8);
}

static void set_threads(mo_world *world, int threads)
{
    mo_world_def def = mo_world_definition(world);
    def.solver.threads = threads;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
}

static void load_from(const mo_world *one, mo_world *other, const char *name)
{
    mo_message why = {{0}};
    const size_t size = mo_world_save(one, NULL, 0);
    void *bytes = malloc(size);
    CHECK(bytes && mo_world_save(one, bytes, size) == size);
    if (mo_world_load(other, bytes, size, &why)) fail_msg("%s: %s", name, why.text);
    free(bytes);
}

static void check_same_bits(const mo_world *one, const mo_world *other, const char *name)
{
    for (int b = 0; b < mo_world_body_count(one); ++b) {
        const mo_body_state x = mo_body_get(one, mo_world_body(one, b)),
                            y = mo_body_get(other, mo_world_body(other, b));
        if (memcmp(&x.pose, &y.pose, sizeof x.pose) != 0 ||
            memcmp(x.velocity, y.velocity, sizeof x.velocity) != 0 ||
            memcmp(x.spin, y.spin, sizeof x.spin) != 0)
            fail_msg("%s: body %d has other bits", name, b);
    }
}

/* On one thread, on two, and saved and loaded on the way. */
static void every_scene_runs_and_has_the_same_bits_three_times(void **state)
{
    (void)state;
    enum { STEPS = 16, SAVED = 8 };
    for (int k = 0; k < world_scene_count(); ++k) {
        const world_scene *scene = world_scene_at(k);
        mo_world *worlds[3];
        mo_message why = {{0}};
        for (int i = 0; i < 3; ++i)
            worlds[i] = build_small(scene);
        set_threads(worlds[1], 2);
        for (int step = 0; step < STEPS; ++step) {
            mo_step_report report;
            if (step == SAVED) load_from(worlds[0], worlds[2], scene->name);
            for (int i = step < SAVED ? 1 : 2; i >= 0; --i)
                if (mo_world_step(worlds[i], scene->step, &report, &why))
                    fail_msg("%s: %s", scene->name, why.text);
            if (report.status != MO_SOLVED)
                fail_msg("%s, step %d: %s", scene->name, step, report.message.text);
        }
        check_same_bits(worlds[0], worlds[1], scene->name);
        check_same_bits(worlds[0], worlds[2], scene->name);
        for (int i = 0; i < 3; ++i)
            mo_world_destroy(worlds[i]);
    }
}

/* What is to stand: no body moves by more than a millionth of a millimetre in a second. */
static void structures_at_rest_stay_at_rest(void **state)
{
    (void)state;
    static const char *const STANDING[] = {"stack", "arch", "cannonball", "wall", "kapla"};
    for (size_t k = 0; k < sizeof STANDING / sizeof *STANDING; ++k) {
        const world_scene *scene = world_scene_find(STANDING[k]);
        mo_world *world = build_small(scene);
        const int bodies = mo_world_body_count(world);
        double first[64][3];
        CHECK(bodies <= 64);
        for (int b = 0; b < bodies; ++b) {
            memcpy(first[b], mo_body_get(world, mo_world_body(world, b)).pose.position,
                   sizeof first[b]);
        }
        for (int step = 0; step < 50; ++step) {
            mo_step_report report;
            CHECK(mo_world_step(world, scene->step, &report, NULL) == MO_OK &&
                  report.status == MO_SOLVED);
        }
        for (int b = 0; b < bodies; ++b) {
            const mo_body_state now = mo_body_get(world, mo_world_body(world, b));
            for (int i = 0; i < 3; ++i)
                CHECK_NEAR(now.pose.position[i], first[b][i], 1e-9);
        }
        mo_world_destroy(world);
    }
}

/*
 * At rest a step costs a residual and now and then one linear system, on more contacts than are
 * needed, at rest between neighbours (a wall) and with heavy things on light ones; and what is
 * saved and loaded goes on alike.
 */
static void bodies_at_rest_cost_little(void **state)
{
    (void)state;
    enum { SETTLES = 15, STEPS = 45 };
    static const struct {
        const char *scene, *smaller;
        double size, ratio;
    } AT_REST[] = {
        {"wall", "length", 5, 1}, {"wall", "length", 5, 1e4}, {"kapla", "layers", 15, 1e4}};
    for (size_t k = 0; k < sizeof AT_REST / sizeof *AT_REST; ++k) {
        const world_scene *scene = world_scene_find(AT_REST[k].scene);
        double values[WORLD_PARAMETERS];
        mo_world *worlds[2];
        int iterations = 0;
        world_default_values(scene, values);
        CHECK(world_set_value(scene, values, AT_REST[k].smaller, AT_REST[k].size, NULL) == MO_OK);
        CHECK(world_set_value(scene, values, "ratio", AT_REST[k].ratio, NULL) == MO_OK);
        for (int i = 0; i < 2; ++i)
            CHECK(scene->build(values, &worlds[i], NULL) == MO_OK);
        for (int step = 0; step < STEPS; ++step) {
            mo_step_report report;
            CHECK(mo_world_step(worlds[0], scene->step, &report, NULL) == MO_OK);
            CHECK(report.status == MO_SOLVED);
            if (step == SETTLES) {
                load_from(worlds[0], worlds[1], scene->name);
            } else if (step > SETTLES) {
                CHECK(mo_world_step(worlds[1], scene->step, NULL, NULL) == MO_OK);
                CHECK(report.residual.natural_relative <= 1e-10);
                iterations += report.iterations;
            }
        }
        if (iterations > 3 * (STEPS - SETTLES))
            fail_msg("%s: %d iterations at rest", scene->name, iterations);
        check_same_bits(worlds[0], worlds[1], scene->name);
        mo_world_destroy(worlds[0]);
        mo_world_destroy(worlds[1]);
    }
}

/* What rounding leaves of the gaps, over a short step, is no speed: short steps cost no more than
 * others. */
static void short_steps_of_bodies_at_rest_cost_little(void **state)
{
    (void)state;
    for (double h = 1e-6; h < 1e-2; h *= 10) {
        mo_world *world = build("wall", "length", 6);
        int iterations = 0;
        for (int step = 0; step < 4; ++step) {
            mo_step_report report;
            CHECK(mo_world_step(world, h, &report, NULL) == MO_OK && report.status == MO_SOLVED);
            iterations += report.iterations;
        }
        if (iterations > 120) fail_msg("%d iterations with steps of %g s", iterations, h);
        mo_world_destroy(world);
    }
}

/* One ball in, one ball out: after the impacts the last one has the speed of the first. */
static void the_cradle_hands_the_momentum_through(void **state)
{
    (void)state;
    mo_world *world = build("cradle", NULL, 0);
    double fastest = 0, last_fastest = 0;
    for (int step = 0; step < 900; ++step) {
        CHECK(mo_world_step(world, 0.001, NULL, NULL) == MO_OK);
        fastest = fmax(fastest, mo_body_get(world, mo_world_body(world, 0)).velocity[0]);
        last_fastest = fmax(last_fastest, mo_body_get(world, mo_world_body(world, 4)).velocity[0]);
    }
    CHECK_NEAR(fastest, sqrt(2 * 9.81 * (1 - cos(acos(-1.0) / 6))), 0.02);
    CHECK_NEAR(last_fastest, fastest, 0.02 * fastest);
    CHECK_NEAR(mo_body_get(world, mo_world_body(world, 2)).velocity[0], 0, 0.05 * fastest);
    mo_world_destroy(world);
}

/* A break without friction and with restitution one: until the cushions, momentum stays, and energy
 * does not grow. */
static void the_break_keeps_its_momentum(void **state)
{
    (void)state;
    const world_scene *scene = world_scene_find("billiard");
    double values[WORLD_PARAMETERS], before[3], after[3], turn[3];
    mo_world *world;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "mu", 0, NULL) == MO_OK);
    CHECK(world_set_value(scene, values, "restitution", 1, NULL) == MO_OK);
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    mo_world_momentum(world, before, turn);
    const double energy = mo_world_kinetic_energy(world);
    for (int step = 0; step < 110; ++step)
        CHECK(mo_world_step(world, scene->step, NULL, NULL) == MO_OK);
    mo_world_momentum(world, after, turn);
    CHECK_NEAR(after[0], before[0], 1e-9 * before[0]);
    CHECK_NEAR(after[1], before[1], 1e-9 * before[0]);
    CHECK(mo_world_kinetic_energy(world) <= energy * (1 + 1e-9));
    CHECK(mo_world_kinetic_energy(world) >= energy * (1 - 1e-6));
    int moving = 0; /* the triangle has burst */
    for (int b = 0; b < mo_world_body_count(world); ++b)
        moving += fabs(mo_body_get(world, mo_world_body(world, b)).velocity[1]) > 0.1;
    CHECK(moving >= 8);
    mo_world_destroy(world);
}

/* It spins, leans, rolls on its rim and lies flat at last. */
static void the_coin_settles_flat(void **state)
{
    (void)state;
    const world_scene *scene = world_scene_find("spinning-coin");
    mo_world *world = build("spinning-coin", NULL, 0);
    const mo_body_id coin = mo_world_body(world, 1);
    const double first = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
    const double weight = 9.81 * mo_body_get(world, coin).mass;
    double lowest = 1, energy = first;
    for (int step = 0; step < lround(scene->time / scene->step); ++step) {
        mo_step_report report;
        CHECK(mo_world_step(world, scene->step, &report, NULL) == MO_OK &&
              report.status == MO_SOLVED);
        const double now = report.kinetic_energy + report.potential_energy;
        /* a step may lift by what the rim sank in the one before, and give as much speed */
        CHECK(now <= energy + 2 * weight * report.penetration + 1e-9 * first && now <= first);
        energy = now;
        lowest = fmin(lowest, mo_body_get(world, coin).pose.position[2]);
    }
    const mo_body_state end = mo_body_get(world, coin);
    double axis[3];
    mo_pose_vector(&end.pose, (const double[3]){0, 0, 1}, axis);
    CHECK_NEAR(fabs(axis[2]), 1, 1e-9);
    CHECK_NEAR(end.pose.position[2], 0.0015, 1e-9);
    CHECK(lowest > 0.0015 - 1e-4 * 0.02);
    CHECK_BELOW(mo_world_kinetic_energy(world), 1e-12);
    mo_world_destroy(world);
}

/* The slider is where the closed form says: x = a cos q + sqrt(b^2 - a^2 sin^2 q). */
static void the_slider_follows_its_crank(void **state)
{
    (void)state;
    mo_world *world = build("slider-crank", NULL, 0);
    for (int step = 0; step < 400; ++step)
        CHECK(mo_world_step(world, 0.005, NULL, NULL) == MO_OK);
    const double q = mo_joint_get(world, mo_world_joint(world, 0)).q, a = 0.2, b = 0.6;
    const double x = mo_body_get(world, mo_world_body(world, 2)).pose.position[0];
    CHECK_NEAR(q, 12, 0.05);
    CHECK_NEAR(x, a * cos(q) + sqrt(b * b - a * a * sin(q) * sin(q)), 1e-3);
    mo_world_destroy(world);
}

static void the_gripper_lifts_what_friction_can_hold(void **state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; ++heavy) {
        /*
         * Two fingers with 200 N and mu 0.6 hold 240 N, 24 kg.  The lighter box slips until it has
         * the palm's speed.
         */
        mo_world *world = build("gripper", "mass", heavy ? 40 : 10);
        for (int step = 0; step < 200; ++step)
            CHECK(mo_world_step(world, 0.005, NULL, NULL) == MO_OK);
        const double z = mo_body_get(world, mo_world_body(world, 1)).pose.position[2];
        const double slip = 0.2 * 0.2 / (2 * (240.0 / 10 - 9.81)); /* of a box that does not turn */
        if (heavy)
            CHECK_NEAR(z, 0.1, 1e-3);
        else
            CHECK_NEAR(z, 0.1 + 0.2 * 0.75 - slip, 1e-3); /* a step of the palm */
        mo_world_destroy(world);
    }
}

static void wrong_names_and_values_get_a_sentence(void **state)
{
    (void)state;
    const world_scene *scene = world_scene_find("beads");
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "coutn", 3, &why) == MO_ERR_ARGUMENT &&
          strstr(why.text, "coutn"));
    CHECK(world_set_value(scene, values, "mu", -1, &why) == MO_ERR_ARGUMENT &&
          strstr(why.text, "mu"));
    CHECK(world_set_value(scene, values, "mu", NAN, &why) == MO_ERR_ARGUMENT);
    CHECK(world_set_value(scene, values, "count", 2.5, &why) == MO_ERR_ARGUMENT &&
          strstr(why.text, "whole"));
    CHECK(world_create_default("no such scene", &world, &why) == MO_ERR_ARGUMENT && world == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_runs_and_has_the_same_bits_three_times),
        cmocka_unit_test(structures_at_rest_stay_at_rest),
        cmocka_unit_test(bodies_at_rest_cost_little),
        cmocka_unit_test(short_steps_of_bodies_at_rest_cost_little),
        cmocka_unit_test(the_cradle_hands_the_momentum_through),
        cmocka_unit_test(the_break_keeps_its_momentum),
        cmocka_unit_test(the_coin_settles_flat),
        cmocka_unit_test(the_slider_follows_its_crank),
        cmocka_unit_test(the_gripper_lifts_what_friction_can_hold),
        cmocka_unit_test(wrong_names_and_values_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
