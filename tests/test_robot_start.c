/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Starts of robots that are put in order. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>

#include "moreau/joint.h"

/* ---- a start that is put in order ------------------------------------------------------------ */

/* A model that starts far beyond a limit comes back to it without a kick. */
static void a_start_beyond_a_limit_is_corrected_without_a_kick(void **state)
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
    CHECK(strstr(mo_robot_note(w.robot, 0), "loops open by up to"));
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
                        "1 joint starts outside its limit ('a' by 0.175): moved to it");
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
    assert_string_equal(
        mo_robot_note(w.robot, 0),
        "bodies overlap at the start at 1 point, the deepest between 'one' and 'two' by "
        "10 mm: contact separates them");
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
    double v[4] = {3, -3, 3, 3}, start = 0, most = 0, least = INFINITY, worst = 0, strongest = 0;
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
            const mo_joint_state joint = mo_joint_get(w.world, mo_world_joint(w.world, j));
            worst = fmax(worst, joint.error);
            strongest = fmax(strongest, mo_vec3_norm(joint.force));
        }
    }
    CHECK_BELOW(worst, 3e-9);
    CHECK_BELOW(strongest, 30); /* the weight of all is 11 N */
    CHECK(most <= start + 1e-2 * fabs(start));
    CHECK_BELOW(least, 0.1); /* it has swung to a turning point */
    close_world(&w);
}

/* ---- loops ----------------------------------------------------------------------------------- */

#define UNTOUCHED " contype='0' conaffinity='0'"

/* Two cranks and a plate without friction or damping; the loop is closed where all q are 0. */
static void open_four_bar(int has_loop, robot_world *w)
{
    char text[1200];
    snprintf(text, sizeof text,
             "<mujoco><worldbody>"
             "<body name='a' pos='0 0 1'><joint axis='0 1 0'/>"
             "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.01'" UNTOUCHED "/>"
             "<body name='p' pos='.3 0 0'><joint axis='0 1 0'/>"
             "<geom type='box' pos='.25 0 0' size='.25 .05 .01'" UNTOUCHED "/></body></body>"
             "<body name='b' pos='.5 0 1'><joint axis='0 1 0'/>"
             "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.01'" UNTOUCHED "/></body>"
             "</worldbody>%s</mujoco>",
             has_loop ? "<equality><connect body1='b' body2='p' anchor='.3 0 0'/></equality>" : "");
    open_text(text, w);
}

typedef struct motion {
    double first, most, least; /* energy in the second step, and in any later one, J */
    double kinetic;            /* after the first step, J */
    double open;               /* the worst error of a loop after any step, m */
} motion;

static motion follow(robot_world *w, robot_world *twin, double h, double time)
{
    motion m = {.most = -INFINITY, .least = INFINITY};
    for (int k = 0; k < (int)lround(time / h); ++k) {
        mo_step_report report;
        double before[64];
        mo_robot_get(w->robot, w->world, before, NULL);
        CHECK(mo_world_step(w->world, h, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        const double energy = middle_energy(w, twin, before);
        m.first = k == 1 ? energy : m.first;
        m.kinetic = k == 0 ? report.kinetic_energy : m.kinetic;
        m.most = k > 0 ? fmax(m.most, energy) : m.most;
        m.least = k > 0 ? fmin(m.least, energy) : m.least;
        for (int j = 0; j < mo_world_joint_count(w->world); ++j)
            m.open = fmax(m.open, mo_joint_get(w->world, mo_world_joint(w->world, j)).error);
    }
    return m;
}

/* Without mo_robot_order: the loops are closed by the first step, as a displacement. */
static void open_loops_are_closed_by_a_step_without_a_kick(void **state)
{
    (void)state;
    static const double STARTS[][3] = {{0.3, 0.1, -0.2}, {0.05, 0.02, -0.03}, {-0.4, 0.5, 0}};
    for (size_t k = 0; k < sizeof STARTS / sizeof *STARTS; ++k) {
        for (int scene = 0; scene < 2; ++scene) {
            robot_world w, twin;
            if (scene) {
                open_scene("linkage", NULL, &w);
                open_scene("linkage", NULL, &twin);
            } else {
                open_four_bar(1, &w);
                open_four_bar(1, &twin);
            }
            CHECK(mo_robot_set(w.robot, w.world, STARTS[k], NULL, NULL) == MO_OK);
            CHECK(mo_joint_get(w.world, mo_world_joint(w.world, 0)).error > 5e-3);
            const motion m = follow(&w, &twin, 0.002, 0.5);
            CHECK_BELOW(m.open, 1e-10);
            CHECK_BELOW(m.kinetic, 1e-3); /* what falls for 2 ms has */
            CHECK_BELOW(m.most - m.first, 1e-3);
            close_world(&w);
            close_world(&twin);
        }
    }
}

/* The errors are those of the time step, which fall with h, and no larger than an open chain's. */
static void a_passive_loop_conserves_energy_as_an_open_chain_does(void **state)
{
    (void)state;
    double range[2][2];
    for (int has_loop = 0; has_loop < 2; ++has_loop) {
        for (int fine = 0; fine < 2; ++fine) {
            robot_world w, twin;
            open_four_bar(has_loop, &w);
            open_four_bar(has_loop, &twin);
            const motion m = follow(&w, &twin, fine ? 0.001 : 0.002, 2);
            range[has_loop][fine] = m.most - m.least;
            CHECK_BELOW(m.open, 1e-11);
            close_world(&w);
            close_world(&twin);
        }
        CHECK_BELOW(range[has_loop][1], 0.3 * range[has_loop][0]);
    }
    CHECK(range[1][0] > 0);
    CHECK_BELOW(range[1][0], range[0][0]);
    CHECK_BELOW(range[1][1], range[0][1]);
}

/* Arms with dry friction, coupled in pairs, that a servo holds against gravity: at rest a step is
 * solved from the impulses of the last one. */
static void couplings_at_rest_start_from_their_impulses(void **state)
{
    (void)state;
    char text[4000] = "<mujoco><option timestep='0.002'/><worldbody>", part[400];
    for (int k = 0; k < 6; ++k) {
        snprintf(part, sizeof part,
                 "<body pos='0 %d 0'><joint name='j%d' axis='0 1 0' frictionloss='.3' "
                 "damping='.5'/><geom type='capsule' fromto='0 0 0 .%d 0 0' size='.02'" UNTOUCHED
                 "/></body>",
                 k, k, 3 + k);
        strcat(text, part);
    }
    strcat(text, "</worldbody><equality>");
    for (int k = 0; k < 6; k += 2) {
        snprintf(part, sizeof part, "<joint joint1='j%d' joint2='j%d' polycoef='0 -%d.5 0 0 0'/>",
                 k, k + 1, k % 3);
        strcat(text, part);
    }
    strcat(text, "</equality><actuator><position joint='j0' kp='40'/>"
                 "<position joint='j3' kp='40'/></actuator></mujoco>");
    robot_world w;
    open_text(text, &w);
    run(&w, 6);
    mo_step_report report;
    for (int k = 0; k < 10; ++k) {
        CHECK(mo_world_step(w.world, 0.002, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
        CHECK_BELOW(report.kinetic_energy, 1e-20);
        CHECK(report.iterations <= 1);
    }
    close_world(&w);
}

/* The base of an arm, which has no mass where the file fixes it to the world. */
static void a_released_root_without_mass_gets_that_of_its_shapes(void **state)
{
    (void)state;
    mo_model model;
    mo_message why = {{0}};
    const char *path = folder_put(
        &folder, "base.urdf",
        "<robot name='r'><link name='base'><collision><origin xyz='0 0 .5'/><geometry><box size='1 "
        "1 1'/></geometry></collision></link><link name='foot'><collision><origin xyz='0 0 -1'/>"
        "<geometry><sphere radius='.5'/></geometry></collision></link><joint name='f' "
        "type='fixed'><parent link='base'/><child link='foot'/><origin xyz='0 0 .5'/></joint>"
        "<link name='arm'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
        "</link><joint name='a' type='continuous'><parent link='base'/><child link='arm'/>"
        "<origin xyz='0 0 1'/><axis xyz='0 1 0'/></joint></robot>");
    assert_int_equal(mo_model_read(path, NULL, &model, &why), MO_OK);
    assert_int_equal(mo_model_release(&model, 1, &why), MO_OK);
    const double box = 1000, ball = 1000 * 3.14159265358979323846 / 6;
    CHECK_NEAR(model.bodies[1].mass, box + ball, 1e-9 * box);
    CHECK_NEAR(model.bodies[1].centre[2], (0.5 * box - 0.5 * ball) / (box + ball), 1e-12);
    CHECK(strstr(model.notes[model.note_count - 1].text, "'base' gets a free joint") != NULL);
    mo_world *world;
    mo_robot *robot;
    const mo_world_def def = mo_model_world(&model);
    assert_int_equal(mo_world_create(&def, NULL, &world, &why), MO_OK);
    assert_int_equal(mo_model_build(&model, world, NULL, &robot, &why), MO_OK);
    mo_step_report report;
    for (int k = 0; k < 10; ++k)
        assert_int_equal(mo_world_step(world, 0.01, &report, &why), MO_OK);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
}

/* Contact cannot part what a weld holds: such a pair has no contacts, and every step a solution. */
static void welded_bodies_may_overlap(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco><worldbody><geom type='plane' size='9 9 1'/><body name='a' pos='0 0 1.1'>"
              "<freejoint/><geom size='1'/></body><body name='b' pos='1.5 0 1.1'><freejoint/>"
              "<geom size='1'/></body></worldbody><equality><weld body1='a' body2='b'/></equality>"
              "</mujoco>",
              &w);
    run(&w, 0.3);
    assert_int_equal(mo_world_contact_count(w.world), 2); /* with the floor */
    CHECK_NEAR(body_of(&w, "b").pose.position[0] - body_of(&w, "a").pose.position[0], 1.5, 1e-9);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_beyond_a_limit_is_corrected_without_a_kick),
        cmocka_unit_test(joints_and_loops_are_put_in_order),
        cmocka_unit_test(redundant_loops_that_contradict_each_other_swing_on),
        cmocka_unit_test(open_loops_are_closed_by_a_step_without_a_kick),
        cmocka_unit_test(a_passive_loop_conserves_energy_as_an_open_chain_does),
        cmocka_unit_test(couplings_at_rest_start_from_their_impulses),
        cmocka_unit_test(bodies_that_overlap_at_the_start_are_named),
        cmocka_unit_test(a_wedged_link_rests),
        cmocka_unit_test(an_arm_leaves_a_ball_without_a_jump),
        cmocka_unit_test(controls_begin_in_their_range),
        cmocka_unit_test(a_released_root_without_mass_gets_that_of_its_shapes),
        cmocka_unit_test(welded_bodies_may_overlap),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
