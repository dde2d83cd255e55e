/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Starts of robots that are put in order. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>

#include "moreau/joint.h"

/* ---- a start that is put in order ------------------------------------------------------------ */

/* A model that starts far beyond a limit comes back to it without a kick. */
static void a_start_beyond_a_limit_is_mended_slowly(void **state)
{
    (void)state;
    robot_world w;
    double q = 0, v = 0, fastest = 0;
    open_text(
        "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint damping='100' "
        "range='30 70'/><geom type='capsule' size='.05' fromto='0 0 0 1 0 "
        "0'/></body></worldbody></mujoco>",
        &w);
    for (int k = 0; k < 200; ++k) {
        run(&w, 0.01);
        mo_robot_get(w.robot, w.world, &q, &v);
        fastest = fmax(fastest, fabs(v));
    }
    const double degree = 3.14159265358979323846 / 180;
    CHECK(q >= 30 * degree - 1e-6 && q < 40 * degree);
    CHECK_BELOW(fastest, 0.4 * degree / 0.01 * 1.0001);
    close_world(&w);
}

static void joints_and_loops_are_put_in_order(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    const double q[3] = {0.3, 0.1, -0.2}; /* the loop is open by centimetres */
    open_scene("linkage", NULL, &w);
    CHECK(mo_robot_set(w.robot, w.world, q, NULL, &why) == MO_OK);
    const mo_joint_id pin = mo_world_joint(w.world, 0);
    CHECK(mo_joint_get(w.world, pin).error > 1e-3);
    CHECK(mo_robot_order(w.robot, w.world, &why) == MO_OK);
    CHECK_BELOW(mo_joint_get(w.world, pin).error, 1e-12);
    assert_int_equal(mo_robot_note_count(w.robot), 1);
    CHECK(strstr(mo_robot_note(w.robot, 0), "loops are open by up to"));
    CHECK(mo_robot_order(w.robot, w.world, &why) == MO_OK); /* in order: nothing to say */
    assert_int_equal(mo_robot_note_count(w.robot), 1);
    close_world(&w);

    double at[2];
    open_text(WORLD("<body><joint name='a' range='10 50' limited='true'/><geom size='.1'/></body>"
                    "<body pos='1 0 0'><joint range='-50 50' limited='true'/><geom size='.1'/>"
                    "</body>"),
              &w);
    CHECK(mo_robot_order(w.robot, w.world, &why) == MO_OK);
    mo_robot_get(w.robot, w.world, at, NULL);
    CHECK_NEAR(at[0], 10 * 3.14159265358979323846 / 180, 1e-15);
    CHECK_NEAR(at[1], 0, 0);
    assert_int_equal(mo_robot_note_count(w.robot), 1);
    assert_string_equal(mo_robot_note(w.robot, 0),
                        "1 joint is beyond its limit at the start ('a' by 0.175): moved to it");
    close_world(&w);
}

/* A pendulum wedged against a table that it overlaps: it can rise only by sliding, which friction
 * does not allow.  Nothing asks for a velocity, so every step has a solution, which is rest. */
static void a_wedged_link_rests(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco><option timestep='0.001'/><worldbody>"
              "<geom type='box' size='1 1 0.1' friction='1'/>"
              "<body pos='0 0 0.79995'><joint axis='0 1 0'/><geom type='sphere' size='0.1' "
              "pos='0.01 0 -0.6' friction='1'/></body></worldbody></mujoco>",
              &w);
    for (int k = 0; k < 50; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(w.world, 0.001, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED && !report.is_compliant);
        CHECK_BELOW(report.kinetic_energy, 1e-15);
    }
    close_world(&w);
}

/* An arm that points into a ball, nearly at its centre, has a short lever to leave it: it turns by
 * little in a step all the same, and comes out without gaining speed. */
static void an_arm_leaves_a_ball_without_a_jump(void **state)
{
    (void)state;
    robot_world w;
    mo_step_report report;
    double q = -1.5707963267948966, before;
    open_text("<mujoco><option gravity='0 0 0'/><default><geom size='0.05'/></default><worldbody>"
              "<geom type='sphere' pos='0.68 0.0003 0'/><body><joint axis='0 0 1' damping='1'/>"
              "<geom type='capsule' fromto='0 0 0 0 0.6 0'/></body></worldbody></mujoco>",
              &w);
    CHECK(mo_robot_set(w.robot, w.world, &q, NULL, NULL) == MO_OK);
    for (int k = 0; k < 40; ++k) {
        before = q;
        CHECK(mo_world_step(w.world, 0.002, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        CHECK_BELOW(report.kinetic_energy, 1e-9);
        mo_robot_get(w.robot, w.world, &q, NULL);
        CHECK_BELOW(fabs(q - before), 0.5);
    }
    CHECK_BELOW(report.penetration, 1e-3 * 0.05);
    close_world(&w);
}

static void bodies_that_overlap_at_the_start_are_named(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    open_text(WORLD("<body name='one'><freejoint/><geom size='.1'/></body>"
                    "<body name='two' pos='.19 0 0'><freejoint/><geom size='.1'/></body>"),
              &w);
    CHECK(mo_robot_order(w.robot, w.world, &why) == MO_OK);
    assert_int_equal(mo_robot_note_count(w.robot), 1);
    assert_string_equal(mo_robot_note(w.robot, 0),
                        "bodies overlap at the start at 1 point, most of all 'one' and 'two', by "
                        "10 mm: contact moves them apart");
    close_world(&w);
}

static void controls_begin_in_their_range(void **state)
{
    (void)state;
    robot_world w;
    open_text(MJCF("<worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
                   "<actuator><position joint='j' ctrlrange='1 2' ctrllimited='true'/>"
                   "</actuator>"),
              &w);
    int number = 0;
    const mo_mechanism_id id = mo_robot_actuator(w.robot, 0, &number);
    CHECK_NEAR(mo_mechanism_actuator(w.world, id, number).target, 1, 0);
    close_world(&w);
}

/* Three equal cranks carry one plate: two loops, of which one is redundant, and a crank that is
 * longer by 2e-9 m, so that they contradict each other wherever it swings. */
static void redundant_loops_that_contradict_each_other_swing_on(void **state)
{
    (void)state;
    robot_world w = {0};
    open_text("<mujoco><option timestep='0.002'/><worldbody>"
              "<body name='a' pos='0 0 1'><joint type='hinge' axis='0 1 0'/>"
              "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.01' contype='0' conaffinity='0'/>"
              "<body name='plate' pos='0 0 -.3'><joint type='hinge' axis='0 1 0'/>"
              "<geom type='box' pos='.2 0 0' size='.2 .05 .01' contype='0' conaffinity='0'/>"
              "</body></body>"
              "<body name='b' pos='.2 0 1'><joint type='hinge' axis='0 1 0'/>"
              "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.01' contype='0' conaffinity='0'/>"
              "</body>"
              "<body name='c' pos='.4 0 1'><joint type='hinge' axis='0 1 0'/>"
              "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.01' contype='0' conaffinity='0'/>"
              "</body></worldbody><equality>"
              "<connect body1='b' body2='plate' anchor='0 0 -.3'/>"
              "<connect body1='c' body2='plate' anchor='0 0 -.300000002'/></equality></mujoco>",
              &w);
    double v[4] = {3, -3, 3, 3}, start = 0, most = 0, least = INFINITY, worst = 0;
    mo_message why = {{0}};
    CHECK(!mo_robot_set(w.robot, w.world, NULL, v, &why));
    for (int k = 0; k < 1000; ++k) {
        mo_step_report report;
        CHECK(!mo_world_step(w.world, 0.002, &report, &why));
        CHECK(report.status == MO_SOLVED);
        const double energy = report.kinetic_energy + report.potential_energy;
        start = k == 0 ? energy : start;
        most = fmax(most, energy);
        least = fmin(least, report.kinetic_energy);
        for (int j = 0; j < mo_world_joint_count(w.world); ++j) {
            worst = fmax(worst, mo_joint_get(w.world, mo_world_joint(w.world, j)).error);
        }
    }
    CHECK_BELOW(worst, 3e-9);
    CHECK(most <= start + 1e-2 * fabs(start));
    CHECK_BELOW(least, 0.1); /* it has swung to a turning point */
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_beyond_a_limit_is_mended_slowly),
        cmocka_unit_test(joints_and_loops_are_put_in_order),
        cmocka_unit_test(redundant_loops_that_contradict_each_other_swing_on),
        cmocka_unit_test(bodies_that_overlap_at_the_start_are_named),
        cmocka_unit_test(a_wedged_link_rests),
        cmocka_unit_test(an_arm_leaves_a_ball_without_a_jump),
        cmocka_unit_test(controls_begin_in_their_range),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
