/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Muscles: values of the curves that follow from their definition, derivatives against differences,
 * activation over time, a weight that a muscle holds, the range that joints leave to its length. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include "mechanism/muscle.h"

/* A resting length of 1 m, so that L is the length. */
static const mo_muscle UNIT = {.range = {0, 1},
                               .force = 10,
                               .lmin = 0.5,
                               .lmax = 1.6,
                               .vmax = 2,
                               .fpmax = 1.3,
                               .fvmax = 1.2,
                               .length_range = {0, 1}};

static void the_curves_have_their_values(void **state)
{
    (void)state;
    static const struct {
        double activation, length, speed, effort;
    } AT[] = {
        {1, 1, 0, -10},                          /* at rest at its resting length */
        {0.5, 1, 0, -5},                         /* half of it active */
        {1, 0.5, 0, 0},                          /* too short */
        {1, 0.3, 0, 0},        {1, 0.75, 0, -5}, /* half way down on the short side */
        {0, 1.3, 0, -6.5},                       /* passive: fpmax / 2 half way to lmax */
        {1, 1.3, 0, -5 - 6.5},                   /* both */
        {0, 1.6, 0, -19.5},                      /* on the tangent: 3/2 fpmax */
        {1, 1, -2, 0},                           /* shortens at its largest speed */
        {1, 1, -1, -2.5},                        /* at half of that: 1/4 */
        {1, 1, 0.4, -12},                        /* stretched: fvmax */
        {1, 1, 5, -12},        {0, 0.8, 3, 0},   /* slack */
    };
    for (size_t k = 0; k < sizeof AT / sizeof AT[0]; ++k) {
        const mo_muscle_effort e =
            mo_muscle_pull(&UNIT, AT[k].activation, AT[k].length, AT[k].speed);
        CHECK_NEAR(e.effort, AT[k].effort, 1e-13);
    }
    const mo_muscle twice = {.range = {0.75, 1.05},
                             .force = 3,
                             .lmin = 0.5,
                             .lmax = 1.6,
                             .vmax = 1.5,
                             .fpmax = 1.3,
                             .fvmax = 1.2,
                             .length_range = {0.2, 0.8}};
    /* L0 = 0.6 / 0.3 = 2 m; L = 1 at 0.2 + 0.25 * 2 */
    CHECK_NEAR(mo_muscle_pull(&twice, 1, 0.7, 0).effort, -3, 1e-13);
    CHECK_NEAR(mo_muscle_pull(&twice, 1, 0.7, -1.5).effort, -3 * 0.25, 1e-13);
}

static void derivatives_are_those_of_the_curves(void **state)
{
    (void)state;
    mo_random random = {4};
    const double d = 1e-6;
    for (int round = 0; round < 1000; ++round) {
        double x[3];
        fill_uniform(&random, 0, 1, 3, x);
        const double length = 0.3 + 1.6 * x[1], speed = -3 + 5 * x[2];
        const mo_muscle_effort e = mo_muscle_pull(&UNIT, x[0], length, speed);
        const double by_length = (mo_muscle_pull(&UNIT, x[0], length + d, speed).effort -
                                  mo_muscle_pull(&UNIT, x[0], length - d, speed).effort) /
                                 (2 * d);
        const double by_speed = (mo_muscle_pull(&UNIT, x[0], length, speed + d).effort -
                                 mo_muscle_pull(&UNIT, x[0], length, speed - d).effort) /
                                (2 * d);
        CHECK_NEAR(e.by_length, by_length, 2e-4); /* second derivatives jump */
        CHECK_NEAR(e.by_speed, by_speed, 2e-4);
    }
}

static void activation_rises_and_falls_with_its_time_constants(void **state)
{
    (void)state;
    const double tau[2] = {0.01, 0.04};
    CHECK_NEAR(mo_muscle_rate(1, 0, tau), 1 / (0.01 * 0.5), 1e-10);
    CHECK_NEAR(mo_muscle_rate(1, 0.5, tau), 0.5 / (0.01 * 1.25), 1e-10);
    CHECK_NEAR(mo_muscle_rate(0, 1, tau), -1 / (0.04 / 2), 1e-10);
    CHECK_NEAR(mo_muscle_rate(7, 1, tau), 0, 0); /* controls are put into 0 to 1 */
    CHECK_NEAR(mo_muscle_rate(-7, 0, tau), 0, 0);
}

#define HANGING                                                                                    \
    "<mujoco><option timestep='.002'/><worldbody><site name='top' pos='0 0 2'/><body pos='0 0 "    \
    "1'><joint type='slide' axis='0 0 1' range='-.3 .4' damping='5'/><geom size='.1' mass='2'/>"   \
    "<site name='m'/></body></worldbody><tendon><spatial name='t'><site site='top'/><site "        \
    "site='m'/></spatial></tendon><actuator><muscle tendon='t' %s/></actuator></mujoco>"

/* A weight that hangs on a muscle comes to rest where the muscle pulls with it. */
static void a_muscle_holds_a_weight(void **state)
{
    (void)state;
    robot_world w;
    char text[1000];
    snprintf(text, sizeof text, HANGING, "force='60' lengthrange='.6 1.3'");
    open_text(text, &w);
    assert_int_equal(w.model.note_count, 0);
    CHECK(mo_robot_set_control(w.robot, w.world, 0, 0.55, NULL) == MO_OK);
    run(&w, 5);
    const mo_actuator_state a = mo_mechanism_actuator(w.world, mo_world_mechanism(w.world, 0), 0);
    CHECK_NEAR(a.state, 0.55, 1e-9);
    CHECK_NEAR(a.speed, 0, 1e-6);
    CHECK_NEAR(a.effort, -2 * 9.81, 1e-3);
    CHECK_NEAR(mo_muscle_pull(&(mo_muscle){.range = {0.75, 1.05},
                                           .force = 60,
                                           .lmin = 0.5,
                                           .lmax = 1.6,
                                           .vmax = 1.5,
                                           .fpmax = 1.3,
                                           .fvmax = 1.2,
                                           .length_range = {0.6, 1.3}},
                              0.55, a.length, 0)
                   .effort,
               -2 * 9.81, 1e-3);
    close_world(&w);
}

/* Without lengthrange the limits of the joint give it: the tendon is 1 - q long.  Without force the
 * scale does: 200 / (1 / m). */
static void a_muscle_takes_its_range_and_force_from_the_mechanism(void **state)
{
    (void)state;
    robot_world w[2];
    char text[1000];
    double q[2];
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text, HANGING, k ? "force='400' lengthrange='.6 1.3'" : "");
        open_text(text, w + k);
        CHECK(mo_robot_set_control(w[k].robot, w[k].world, 0, 0.4, NULL) == MO_OK);
        run(w + k, 0.3);
        mo_robot_get(w[k].robot, w[k].world, q + k, NULL);
    }
    CHECK(fabs(q[0]) > 1e-3);
    CHECK_NEAR(q[0], q[1], 1e-9);
    close_world(w);
    close_world(w + 1);
}

static void bad_muscles_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "lmin='1.1'",   "lmax='1'",   "vmax='0'",          "fvmax='1'",       "fpmax='-1'",
        "range='1 .5'", "scale='-1'", "lengthrange='2 1'", "timeconst='0 1'", "timeconst='1 -1'"};
    for (size_t k = 0; k < sizeof BAD / sizeof BAD[0]; ++k) {
        char text[1000];
        mo_model model;
        mo_message why = {{0}};
        snprintf(text, sizeof text, HANGING, BAD[k]);
        CHECK(mo_model_read(folder_put(&folder, "model.xml", text), NULL, &model, &why) != MO_OK);
        CHECK(strstr(why.text, "line 1"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_curves_have_their_values),
        cmocka_unit_test(derivatives_are_those_of_the_curves),
        cmocka_unit_test(activation_rises_and_falls_with_its_time_constants),
        cmocka_unit_test(a_muscle_holds_a_weight),
        cmocka_unit_test(a_muscle_takes_its_range_and_force_from_the_mechanism),
        cmocka_unit_test(bad_muscles_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
