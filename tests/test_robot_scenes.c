/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Our scenes stand, grasp, turn and push as they are meant to. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>

#include "moreau/joint.h"

/* ---- our scenes ------------------------------------------------------------------------------ */

static void the_quadruped_stands_on_its_feet(void **state)
{
    (void)state;
    static const char *const FEET[] = {"front_right_foot", "front_left_foot", "rear_right_foot",
                                       "rear_left_foot"};
    robot_world w;
    double sum = 0, mass = 0, before[4][3];
    open_scene("quadruped", "stand", &w);
    run(&w, 6);
    for (int k = 0; k < 4; ++k)
        mo_vec3_copy(body_of(&w, FEET[k]).pose.position, before[k]);
    run(&w, 1);
    for (int k = 0; k < 4; ++k) {
        double force[3], moved[3];
        force_on(&w, FEET[k], force);
        CHECK(force[2] > 10);
        sum += force[2];
        mo_vec3_minus(body_of(&w, FEET[k]).pose.position, before[k], moved);
        CHECK_BELOW(mo_vec3_norm(moved), 1e-9);
    }
    for (int k = 1; k < w.model.body_count; ++k)
        mass += w.model.bodies[k].mass;
    CHECK_NEAR(sum, 9.81 * mass, 1e-6 * sum);
    CHECK(body_of(&w, "trunk").pose.position[2] > 0.25);
    close_world(&w);
}

static void the_biped_stands(void **state)
{
    (void)state;
    robot_world w;
    open_scene("biped", "stand", &w);
    run(&w, 2);
    CHECK(body_of(&w, "torso").pose.position[2] > 0.85);
    CHECK_BELOW(mo_vec3_norm(body_of(&w, "torso").velocity), 1e-3);
    close_world(&w);
}

static void the_arm_pushes_the_box(void **state)
{
    (void)state;
    robot_world w;
    open_scene("arm", "push", &w);
    const double before = body_of(&w, "box").pose.position[1];
    run(&w, 2.5);
    CHECK(body_of(&w, "box").pose.position[1] > before + 0.03);
    CHECK_NEAR(body_of(&w, "box").pose.position[2], 0.28, 1e-4);
    close_world(&w);
}

static void the_gripper_lifts_the_bar(void **state)
{
    (void)state;
    robot_world w;
    open_scene("gripper", "lift", &w);
    run(&w, 1.5);
    const mo_body_state bar = body_of(&w, "bar");
    CHECK(bar.pose.position[2] > 0.12);
    CHECK_BELOW(mo_vec3_norm(bar.velocity), 1e-3);
    close_world(&w);
}

static void the_hand_turns_the_ball(void **state)
{
    (void)state;
    robot_world w;
    open_scene("hand", "grasp", &w);
    run(&w, 0.5);
    const double height = body_of(&w, "ball").pose.position[2];
    mo_message why;
    for (int k = 0; k < 3; ++k)
        assert_int_equal(mo_robot_set_control(w.robot, w.world, 3 * k, 0.3, &why), MO_OK);
    run(&w, 0.5);
    const mo_body_state ball = body_of(&w, "ball");
    CHECK(fabs(ball.pose.orientation[3]) > 0.05); /* turned about z */
    CHECK_NEAR(ball.pose.position[2], height, 0.01);
    close_world(&w);
}

static void the_loop_of_the_linkage_stays_closed(void **state)
{
    (void)state;
    robot_world w;
    open_scene("linkage", "turn", &w);
    for (int k = 0; k < 20; ++k) {
        run(&w, 0.1);
        const mo_body_state rocker = body_of(&w, "rocker"), coupler = body_of(&w, "coupler");
        const double end[3] = {0, 0, 0.2}, tip[3] = {0.3, 0, 0.1};
        double a[3], b[3], apart[3];
        mo_pose_point(&rocker.pose, end, a);
        mo_pose_point(&coupler.pose, tip, b);
        mo_vec3_minus(a, b, apart);
        CHECK_BELOW(mo_vec3_norm(apart), 1e-4);
    }
    double q[3];
    mo_robot_get(w.robot, w.world, q, NULL);
    CHECK(fabs(q[0]) > 6.3); /* the crank went round */
    close_world(&w);
}

static void the_crank_pin_stays_in_its_bearing(void **state)
{
    (void)state;
    robot_world w;
    double far_left = 1, far_right = -1;
    open_scene("slider_crank", "start", &w);
    for (int k = 0; k < 100; ++k) {
        run(&w, 0.01);
        const mo_body_state crank = body_of(&w, "crank"), rod = body_of(&w, "rod");
        const double pin[3] = {0.05, 0, 0}, ring[3] = {-0.15, 0, 0};
        double a[3], b[3], apart[3], q[3];
        mo_pose_point(&crank.pose, pin, a);
        mo_pose_point(&rod.pose, ring, b);
        mo_vec3_minus(a, b, apart);
        CHECK_BELOW(mo_vec3_norm(apart), 1.3e-3);
        mo_robot_get(w.robot, w.world, q, NULL);
        far_left = fmin(far_left, q[1]);
        far_right = fmax(far_right, q[1]);
    }
    CHECK_NEAR(far_right - far_left, 0.1, 0.003); /* the stroke is twice the crank */
    close_world(&w);
}

/* ---- a light foot ---------------------------------------------------------------------------- */

/* A passive leg of 43 kg falls on a round foot of some grams, which each impact turns fast: its toe
 * and its heel end steps inside the ground.  Nothing may lift the leg for that.  What the step's
 * length adds to the energy of limbs that swing is below 0.05 J. */
static void a_light_foot_lifts_no_body(void **state)
{
    (void)state;
    static const double MASS[] = {0.3, 0.05}, HEIGHT[] = {0.02, 0.04}, START[] = {0.64, 0.7};
    for (int trial = 0; trial < 8; ++trial) {
        char text[2000];
        robot_world w = {0}, twin = {0};
        snprintf(text, sizeof text,
                 WORLD("<geom type=\"plane\" size=\"5 5 1\"/><body pos=\"0 0 %g\"><freejoint/>"
                       "<geom type=\"box\" size=\"0.1 0.1 0.2\" pos=\"0 0 0.3\" mass=\"40\"/>"
                       "<body pos=\"0 0 0.06\"><joint type=\"hinge\" axis=\"0 1 0\"/>"
                       "<geom type=\"capsule\" fromto=\"0 0 -0.05 0 0 -0.3\" size=\"0.03\""
                       " mass=\"2\"/>"
                       "<body pos=\"0 0 -0.32\"><joint type=\"hinge\" axis=\"0 1 0\"/>"
                       "<geom type=\"capsule\" fromto=\"0 0 -0.03 0 0 -0.25\" size=\"0.025\""
                       " mass=\"1\"/>"
                       "<body pos=\"0 0 -0.3\">"
                       "<joint type=\"hinge\" axis=\"0 1 0\" range=\"-50 30\" limited=\"true\"/>"
                       "<joint type=\"hinge\" axis=\"1 0 0\" range=\"-15 15\" limited=\"true\"/>"
                       "<geom type=\"ellipsoid\" size=\"0.12 0.06 %g\" pos=\"0.03 0 -0.04\""
                       " mass=\"%g\"/></body></body></body></body>"),
                 START[trial / 4], HEIGHT[trial / 2 % 2], MASS[trial % 2]);
        open_text(text, &w);
        open_text(text, &twin);
        double before = INFINITY, gained = 0;
        for (int k = 0; k < 500; ++k) {
            mo_step_report report = {0};
            double q[64];
            mo_robot_get(w.robot, w.world, q, NULL);
            CHECK(mo_world_step(w.world, w.model.step, &report, NULL) == MO_OK);
            CHECK(report.status == MO_SOLVED);
            const double energy = middle_energy(&w, &twin, q);
            gained += fmax(0, energy - before);
            before = energy;
        }
        CHECK_BELOW(gained, 0.05);
        close_world(&w);
        close_world(&twin);
    }
}

/* ---- many mechanisms ------------------------------------------------------------------------- */

/* Sixteen chains of three boxes fall on each other: hard steps may keep the coarse tolerance, and
 * say so. */
static void a_heap_of_chains_reports_its_tolerance(void **state)
{
    (void)state;
    static char text[16000];
    robot_world w = {0};
    int used = snprintf(text, sizeof text,
                        "<mujoco><option timestep=\"0.005\"/><worldbody>"
                        "<geom type=\"plane\" size=\"5 5 1\"/>");
    for (int k = 0; k < 16; ++k) {
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "<body pos=\"%g %g %g\" euler=\"%d %d 0\"><freejoint/>"
                     "<geom type=\"box\" size=\"0.1 0.05 0.03\" mass=\"1\"/><body pos=\"0.12 0 0\">"
                     "<joint type=\"hinge\" axis=\"0 1 0\"/>"
                     "<geom type=\"box\" size=\"0.1 0.05 0.03\" pos=\"0.1 0 0\" mass=\"1\"/>"
                     "<body pos=\"0.22 0 0\"><joint type=\"hinge\" axis=\"0 0 1\"/>"
                     "<geom type=\"box\" size=\"0.1 0.05 0.03\" pos=\"0.1 0 0\" mass=\"1\"/>"
                     "</body></body></body>",
                     0.05 * (k % 3) - 0.2, 0.06 * (k % 4) - 0.1, 0.1 + 0.14 * k, 20 * k, 13 * k);
    }
    snprintf(text + used, sizeof text - (size_t)used, "</worldbody></mujoco>");
    open_text(text, &w);
    const mo_world_def def = mo_world_definition(w.world);
    double before = INFINITY;
    for (int k = 0; k < 100; ++k) {
        mo_step_report report = {0};
        CHECK(mo_world_step(w.world, w.model.step, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        CHECK(report.tolerance == def.solver.tol || report.tolerance == def.moving_tol);
        CHECK_BELOW(report.residual.natural_relative, report.tolerance);
        const double energy = report.kinetic_energy + report.potential_energy;
        CHECK_BELOW(energy, before * (1 + 1e-6));
        before = energy;
    }
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_light_foot_lifts_no_body),
        cmocka_unit_test(a_heap_of_chains_reports_its_tolerance),
        cmocka_unit_test(the_quadruped_stands_on_its_feet),
        cmocka_unit_test(the_biped_stands),
        cmocka_unit_test(the_arm_pushes_the_box),
        cmocka_unit_test(the_gripper_lifts_the_bar),
        cmocka_unit_test(the_hand_turns_the_ball),
        cmocka_unit_test(the_loop_of_the_linkage_stays_closed),
        cmocka_unit_test(the_crank_pin_stays_in_its_bearing),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
