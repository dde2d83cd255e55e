/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Spatial tendons against closed forms: belts, helices, rings, pulleys, ropes, springs; moment arms
 * against differences of lengths. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>

#define STILL "<option gravity='0 0 0' timestep='.001'/><compiler angle='radian'/>"
#define GEOM "<geom size='.05' mass='1' contype='0' conaffinity='0'/>"

static mo_tendon_state tendon_of(const robot_world *w, int k)
{
    int number = -1;
    const mo_mechanism_id id = mo_robot_tendon(w->robot, k, &number);
    CHECK(id.index > 0);
    return mo_mechanism_tendon(w->world, id, number);
}

static void set(robot_world *w, const double *q, const double *v)
{
    mo_message why = {{0}};
    if (mo_robot_set(w->robot, w->world, q, v, &why)) fail_msg("%s", why.text);
}

/* From (-2, 0, -.1) over a drum of radius .5 at the origin to a point of an arm of length 1.5 at
 * the angle q, .3 higher: two tangents and the arc between them, unrolled to a straight line.  A
 * sphere is the same without the height. */
static double belt(double q, double rise)
{
    const double r = 0.5, pi = acos(-1);
    const double flat =
        sqrt(4 - r * r) + sqrt(1.5 * 1.5 - r * r) + r * (pi - q - acos(r / 2) - acos(r / 1.5));
    return hypot(flat, rise);
}

static void a_belt_around_a_drum_is_tangents_and_an_arc(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco>" STILL "<worldbody><site name='a' pos='-2 0 -.1'/><site name='a0' "
              "pos='-2 0 0'/><site name='up' pos='0 1 0'/><geom name='drum' type='cylinder' "
              "size='.5 1' contype='0' conaffinity='0'/><geom name='ball' size='.5' contype='0' "
              "conaffinity='0'/><body><joint axis='0 0 1'/>" GEOM
              "<site name='b' pos='1.5 0 .2'/><site name='b0' pos='1.5 0 0'/></body></worldbody>"
              "<tendon><spatial><site site='a'/><geom geom='drum' sidesite='up'/><site site='b'/>"
              "</spatial><spatial><site site='a0'/><geom geom='ball' sidesite='up'/><site "
              "site='b0'/></spatial></tendon></mujoco>",
              &w);
    assert_int_equal(w.model.note_count, 0);
    for (int k = -10; k <= 10; ++k) {
        const double q = 0.05 * k, one = 1;
        set(&w, &q, &one);
        const mo_tendon_state drum = tendon_of(&w, 0), ball = tendon_of(&w, 1);
        CHECK_NEAR(drum.length, belt(q, 0.3), 1e-13);
        CHECK_NEAR(ball.length, belt(q, 0), 1e-13);
        CHECK_NEAR(ball.speed, -0.5, 1e-13); /* the arm of a belt is the radius */
        CHECK_NEAR(drum.speed, -0.5 * belt(q, 0) / belt(q, 0.3), 1e-13);
    }
    const double high = 2.5, free = 1; /* past both tangents the line is straight */
    set(&w, &high, &free);
    CHECK_NEAR(tendon_of(&w, 1).length, sqrt(4 + 2.25 + 6 * cos(high)), 1e-13);
    close_world(&w);
}

/* A line beside a ring is pulled to it: by symmetry to its nearest point. */
static void a_ring_holds_a_tendon_from_inside(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco>" STILL "<worldbody><site name='a' pos='-1 0 0'/><site name='in' "
              "pos='0 -2.1 0'/><geom name='ring' type='cylinder' size='.3 1' pos='0 -2 0' "
              "contype='0' conaffinity='0'/><body><joint type='slide' axis='0 1 0'/>" GEOM
              "<site name='b' pos='1 0 0'/></body></worldbody><tendon><spatial><site site='a'/>"
              "<geom geom='ring' sidesite='in'/><site site='b'/></spatial></tendon></mujoco>",
              &w);
    const double q = 0, v = 1;
    set(&w, &q, &v);
    CHECK_NEAR(tendon_of(&w, 0).length, 2 * hypot(1, 1.7), 1e-12);
    CHECK_NEAR(tendon_of(&w, 0).speed, 1.7 / hypot(1, 1.7), 1e-12);
    close_world(&w);
}

/* Moment arms of a crowded tendon on a chain with every kind of joint are the differences of its
 * length. */
static void moment_arms_are_derivatives_of_the_length(void **state)
{
    (void)state;
    static const char TEXT[] =
        "<mujoco>" STILL "<worldbody><site name='w' pos='.1 -.5 .2'/><site name='s' pos='0 .2 "
        ".5'/><body name='f' pos='.3 0 .4'><freejoint/>" GEOM
        "<geom name='ball' size='.2' pos='.1 .1 0' contype='0' conaffinity='0'/><site name='f' "
        "pos='.3 .2 .1'/><site name='in' pos='.55 .35 .1'/><geom name='ring' type='cylinder' "
        "size='.1 .1' pos='.5 .4 .1' euler='.3 .4 0' contype='0' conaffinity='0'/><body pos='1 0 "
        "0'><joint type='ball'/>" GEOM "<geom name='drum' type='cylinder' size='.15 .1' pos='.2 0 "
        "0' contype='0' conaffinity='0'/><site name='b' pos='.1 .4 0'/><body pos='.5 0 0'><joint "
        "axis='1 1 0'/>" GEOM "<site name='h' pos='.5 .1 -.2'/></body></body></body><body "
        "pos='2 1 0'><joint type='slide'/>" GEOM "<site name='t'/></body></worldbody><tendon>"
        "<spatial><site site='w'/><geom geom='ball' sidesite='s'/><site site='b'/><geom "
        "geom='drum'/><site site='h'/><pulley divisor='3'/><site site='f'/><geom geom='ring' "
        "sidesite='in'/><site site='t'/><site site='h'/></spatial></tendon></mujoco>";
    robot_world w;
    mo_random random = {5};
    open_text(TEXT, &w);
    assert_int_equal(mo_world_mechanism_count(w.world), 1); /* the tendon ties both trees */
    const double d = 1e-6;
    for (int round = 0; round < 200; ++round) {
        double q[13], v[11], sides[2];
        fill_uniform(&random, -1, 1, 13, q);
        fill_uniform(&random, -1, 1, 11, v);
        mo_quat_normalise(q + 3);
        mo_quat_normalise(q + 7);
        set(&w, q, v);
        const double speed = tendon_of(&w, 0).speed, length = tendon_of(&w, 0).length;
        for (int side = 0; side < 2; ++side) { /* a step of the world without forces moves q */
            double moved[11];
            for (int k = 0; k < 11; ++k)
                moved[k] = side ? v[k] : -v[k];
            const double keep = w.model.step;
            set(&w, q, moved);
            w.model.step = d;
            run(&w, d);
            w.model.step = keep;
            sides[side] = tendon_of(&w, 0).length;
        }
        /* where the path changes its kind within d the difference is one-sided, but continuous */
        CHECK(fabs(sides[1] - length) < 100 * d && fabs(sides[0] - length) < 100 * d);
        CHECK_NEAR(speed, (sides[1] - sides[0]) / (2 * d), 2e-4);
    }
    close_world(&w);
}

/* A mass on a rope that may be 1 m long hangs with its weight in the rope; on a tackle whose length
 * counts each metre three times, with a third of it. */
static void a_rope_carries_a_weight(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco><option timestep='.001'/><worldbody><site name='a' pos='0 0 2'/><site "
              "name='c' pos='0 5 2'/><body name='m' pos='0 0 1.01'><freejoint/><geom size='.1' "
              "mass='3'/><site name='m'/></body><body pos='0 5 1.51'><joint type='slide'/><geom "
              "size='.1' mass='3'/><site name='n'/></body></worldbody><tendon><spatial range='0 "
              "1'><site site='a'/><site site='m'/></spatial><spatial range='0 1.5'><site "
              "site='c'/><site site='n'/><pulley divisor='.5'/><site site='c'/><site site='n'/>"
              "</spatial></tendon></mujoco>",
              &w);
    run(&w, 0.2);
    const mo_tendon_state rope = tendon_of(&w, 0), tackle = tendon_of(&w, 1);
    CHECK_NEAR(rope.length, 1, 1e-6);
    CHECK_NEAR(rope.limit_effort, -3 * 9.81, 1e-6);
    CHECK_NEAR(tackle.length, 1.5, 1e-6); /* z = 1.5: l = 0.5 + 0.5 / 0.5 */
    CHECK_NEAR(tackle.limit_effort, -9.81, 1e-6);
    close_world(&w);
}

/* m x'' = -k (l - l0) along a path to a fixed point: a spring in space keeps its energy, and swings
 * with sqrt(k / m). */
static void a_tendon_is_a_spring_in_space(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco>" STILL "<worldbody><site name='a'/><body pos='0 0 1'><joint type='slide' "
              "axis='0 0 1' springref='.2'/><geom size='.1' mass='2'/><site name='m'/></body>"
              "</worldbody><tendon><spatial stiffness='50'><site site='a'/><site site='m'/>"
              "</spatial></tendon></mujoco>",
              &w);
    const double rate = 5, pi = acos(-1);
    double q;
    run(&w, pi / rate); /* half a period, from -0.2 to 0.2 beside the rest at q = .2 */
    mo_robot_get(w.robot, w.world, &q, NULL);
    CHECK_NEAR(q, 0.4, 2e-3); /* first order in the step: damping h k / 2 m */
    close_world(&w);
}

static void bad_paths_are_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *path, *sentence;
    } CASES[] = {
        {"<site site='a'/>", "has no two consecutive sites"},
        {"<site site='a'/><pulley/><site site='b'/>", "has no two consecutive sites"},
        {"<geom geom='g'/><site site='a'/><site site='b'/>", "not between two sites"},
        {"<site site='a'/><geom geom='box'/><site site='b'/>",
         "is neither a sphere nor a cylinder"},
        {"<site site='a'/><geom geom='g' sidesite='no'/><site site='b'/>", "'no'"},
        {"<site site='a'/><site site='no'/>", "'no'"},
        {"<pulley divisor='0'/><site site='a'/><site site='b'/>", "must be positive"},
        {"<site site='a'/><geom/><site site='b'/>", "geom"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        char text[1000];
        mo_model model;
        mo_message why = {{0}};
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><site name='a'/><body><joint/><geom name='g' size='.1'/><geom "
                 "name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
                 "<spatial>%s</spatial></tendon></mujoco>",
                 CASES[k].path);
        const char *path = folder_put(&folder, "model.xml", text);
        CHECK(mo_model_read(path, NULL, &model, &why) != MO_OK);
        if (!strstr(why.text, CASES[k].sentence))
            fail_msg("'%s' has no '%s'", why.text, CASES[k].sentence);
    }
}

/* Nothing moves: the tendon, what drives it and what follows it are left alone. */
static void a_tendon_between_still_bodies_does_nothing(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco><worldbody><site name='a'/><site name='b' pos='1 0 0'/><body pos='3 0 0'>"
              "<joint name='j'/>" GEOM "</body></worldbody><tendon><spatial name='t'><site "
              "site='a'/><site site='b'/></spatial></tendon><equality><tendon tendon1='t'/>"
              "</equality><actuator><motor tendon='t'/></actuator></mujoco>",
              &w);
    run(&w, 0.01);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_belt_around_a_drum_is_tangents_and_an_arc),
        cmocka_unit_test(a_ring_holds_a_tendon_from_inside),
        cmocka_unit_test(moment_arms_are_derivatives_of_the_length),
        cmocka_unit_test(a_rope_carries_a_weight),
        cmocka_unit_test(a_tendon_is_a_spring_in_space),
        cmocka_unit_test(bad_paths_are_refused_with_a_sentence),
        cmocka_unit_test(a_tendon_between_still_bodies_does_nothing),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
