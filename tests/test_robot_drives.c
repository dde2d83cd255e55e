/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What drives and ties the joints of a robot: tendons, couplings between trees, thrusters, dynamics
 * of actuators, gravity compensation, mocap bodies; all against closed forms. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>

#define STILL "<option gravity='0 0 0' timestep='.001'/>"

static void set_control(robot_world *w, const char *name, double control)
{
    mo_message why = {{0}};
    const int k = mo_model_find_actuator(&w->model, name);
    CHECK(k >= 0);
    if (mo_robot_set_control(w->robot, w->world, k, control, &why)) fail_msg("%s", why.text);
}

static mo_tendon_state tendon_of(const robot_world *w, const char *name)
{
    int number = -1;
    const mo_mechanism_id id =
        mo_robot_tendon(w->robot, mo_model_find_tendon(&w->model, name), &number);
    CHECK(id.index > 0);
    return mo_mechanism_tendon(w->world, id, number);
}

/* ---- tendons --------------------------------------------------------------------------------- */

/*
 * A gripper whose palm stands still: two trees, one tendon that is half the sum of both fingers,
 * one coupling.  The servo in the length of the tendon closes both fingers on a bar, whose width
 * stops them; the two halves of its effort press from both sides, kp (target - length) / 2 each.
 */
#define FINGER(side, axis)                                                                         \
    "<body name='" side "' pos='" axis "'><joint name='" side "' type='slide' axis='" axis "'/>"   \
    "<geom type='box' size='.1 .1 .1' mass='.5'/></body>"

static void a_tendon_closes_two_fingers_of_two_trees(void **state)
{
    (void)state;
    robot_world w;
    double q[3], force[3];
    open_text(
        "<mujoco>" STILL "<worldbody>" FINGER("left", "1 0 0") FINGER(
            "right",
            "-1 0 0") "<body name='bar'><joint type='slide' axis='1 0 0'/><geom type='box' "
                      "size='.3 .2 .2' "
                      "mass='1'/></body></worldbody><tendon><fixed name='split'><joint "
                      "joint='left' coef='.5'/>"
                      "<joint joint='right' coef='.5'/></fixed></tendon><equality><joint "
                      "joint1='left' "
                      "joint2='right'/></equality><actuator><general name='grip' tendon='split' "
                      "biastype='affine' gainprm='100' biasprm='0 -100 -20'/></actuator></mujoco>",
        &w);
    assert_int_equal(w.model.note_count, 0);
    assert_int_equal(mo_world_mechanism_count(w.world), 2); /* both fingers in one; the bar */
    set_control(&w, "grip", -2);
    run(&w, 3);
    mo_robot_get(w.robot, w.world, q, NULL);
    CHECK_NEAR(q[0], -0.6, 1e-6); /* from 1 to the bar's 0.3 and the finger's own 0.1 */
    CHECK_NEAR(q[1], q[0], 1e-8);
    CHECK_NEAR(tendon_of(&w, "split").length, -0.6, 1e-6);
    force_on(&w, "left", force);
    CHECK_NEAR(force[0], 0.5 * 100 * (2 - 0.6), 1e-3);
    close_world(&w);
}

/* l = a + 2 b may not be longer than 0.5; a pushes with 3 N, b with nothing: the tendon pulls at
 * both with its one force. */
static void a_tendon_has_limits_and_friction(void **state)
{
    (void)state;
    robot_world w;
    open_text(
        "<mujoco>" STILL "<worldbody><body><joint name='a' type='slide' damping='2'/><geom "
        "size='.1' mass='1'/></body><body pos='1 0 0'><joint name='b' type='slide' stiffness='10' "
        "damping='2'/><geom size='.1' mass='1'/></body><body pos='2 0 0'><joint name='c' "
        "type='slide'/><geom size='.1' mass='1'/></body></worldbody><tendon><fixed name='t' "
        "range='-9 .5'><joint joint='a'/><joint joint='b' coef='2'/></fixed><fixed name='u' "
        "frictionloss='2'><joint joint='c' coef='2'/></fixed></tendon><actuator><motor name='a' "
        "joint='a'/><motor name='c' joint='c'/></actuator></mujoco>",
        &w);
    double q[3], v[3];
    set_control(&w, "a", 3);
    set_control(&w, "c", 3.9); /* below 2 N times the coefficient */
    run(&w, 10);
    mo_robot_get(w.robot, w.world, q, v);
    const mo_tendon_state t = tendon_of(&w, "t");
    CHECK_NEAR(t.length, 0.5, 1e-6);
    CHECK_NEAR(t.limit_effort, -3,
               1e-3); /* holds a back with 3, and so b with 6: its spring gives way */
    CHECK_NEAR(q[1], -6.0 / 10, 1e-3);
    CHECK_NEAR(q[2], 0, 1e-12);
    set_control(&w, "c", 5);
    run(&w, 1);
    mo_robot_get(w.robot, w.world, NULL, v);
    CHECK_NEAR(v[2], 5 - 4, 1e-6); /* m v = (5 - 2 * 2) t */
    close_world(&w);
}

/* Two masses on a tendon a - b: they swing against each other with the reduced mass, about a centre
 * that stands still. */
static void a_tendon_is_a_spring_with_slack(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    open_text(
        "<mujoco>" STILL "<worldbody><body><joint name='a' type='slide'/><geom size='.1' "
        "mass='1'/></body><body pos='1 0 0'><joint name='b' type='slide'/><geom size='.1' "
        "mass='3'/></body></worldbody><tendon><fixed name='t' stiffness='12' springlength='-.1 "
        ".1'><joint joint='a'/><joint joint='b' coef='-1'/></fixed></tendon></mujoco>",
        &w);
    double q[2] = {0.05, 0}, v[2];
    CHECK(mo_robot_set(w.robot, w.world, q, NULL, &why) == MO_OK);
    run(&w, 0.5);
    mo_robot_get(w.robot, w.world, q, v);
    CHECK_NEAR(q[0], 0.05, 0); /* slack */
    /* Stretched by 0.3 beyond the slack, it is slack again after a quarter of 2 pi sqrt(m / k), m =
     * 3/4. */
    q[0] = 0.4;
    CHECK(mo_robot_set(w.robot, w.world, q, NULL, &why) == MO_OK);
    const double quarter = 0.5 * 3.14159265358979323846 * sqrt(0.75 / 12);
    w.model.step = quarter / 4000;
    run(&w, quarter);
    mo_robot_get(w.robot, w.world, q, v);
    CHECK_NEAR(q[0] - q[1], 0.1, 1e-3);
    CHECK_NEAR(v[0] - v[1], -0.3 * 4, 2e-3); /* amplitude times sqrt(k / m) */
    CHECK_NEAR(v[0] + 3 * v[1], 0, 1e-12);
    close_world(&w);
}

/* Equalities between tendons, in one tree and across trees, and between joints of two trees. */
static void tendons_and_joints_of_two_trees_follow(void **state)
{
    (void)state;
    robot_world w;
    double q[4];
    open_text(
        "<mujoco>" STILL "<worldbody><body><joint name='a' type='slide'/><geom size='.1' "
        "mass='1'/></body><body pos='1 0 0'><joint name='b' type='slide' ref='.2'/><geom size='.1' "
        "mass='1'/></body><body pos='2 0 0'><joint name='c' type='slide'/><geom size='.1' "
        "mass='1'/>"
        "</body><body pos='3 0 0'><joint name='d' type='slide'/><geom size='.1' mass='1'/></body>"
        "</worldbody><tendon><fixed name='t'><joint joint='a' coef='2'/></fixed><fixed "
        "name='u'><joint joint='b'/></fixed></tendon><equality><tendon tendon1='u' tendon2='t' "
        "polycoef='0 1 .5'/><joint joint1='d' joint2='c' polycoef='0 -3'/></equality><actuator>"
        "<motor name='a' joint='a'/><motor name='c' joint='c'/></actuator></mujoco>",
        &w);
    assert_int_equal(mo_robot_note_count(w.robot), 0);
    set_control(&w, "a", 1);
    set_control(&w, "c", 1);
    run(&w, 0.5);
    mo_robot_get(w.robot, w.world, q, NULL);
    const double x = 2 * q[0];
    CHECK(x > 0.01);
    CHECK_NEAR(q[1] - 0.2, x + 0.5 * x * x, 1e-6);
    CHECK_NEAR(q[3], -3 * q[2], 1e-9);
    CHECK_NEAR(q[2], 0.5 * 0.25 / 10, 1e-4); /* 1 N on 1 + 3^2 kg */
    close_world(&w);
}

/* ---- actuators ------------------------------------------------------------------------------- */

/* Four rotors, each with a quarter of the weight; then one more newton on all, which lifts; then a
 * couple, which turns. */
static void rotors_lift_a_drone(void **state)
{
    (void)state;
    robot_world w;
    double q[7], v[6];
#define ROTOR(name, at, spin) "<motor name='" name "' site='" name "' gear='0 0 1 0 0 " spin "'/>"
    open_text(
        "<mujoco><option gravity='0 0 -10' timestep='.001'/><worldbody><body name='drone' pos='0 0 "
        "1'><freejoint/><geom type='box' size='.3 .3 .1' mass='4'/><site name='n' pos='.2 0 .05'/>"
        "<site name='s' pos='-.2 0 .05'/><site name='w' pos='0 .2 .05'/><site name='e' pos='0 -.2 "
        ".05'/></body></worldbody><actuator>" ROTOR("n", , ".1") ROTOR("s", , ".1")
            ROTOR("w", , "-.1") ROTOR("e", , "-.1") "</actuator></mujoco>",
        &w);
    assert_int_equal(w.model.note_count, 0);
    static const char *const NAMES[] = {"n", "s", "w", "e"};
    for (int k = 0; k < 4; ++k)
        set_control(&w, NAMES[k], 10);
    run(&w, 1);
    mo_robot_get(w.robot, w.world, q, v);
    CHECK_NEAR(q[2], 1, 1e-12);
    for (int k = 0; k < 4; ++k)
        set_control(&w, NAMES[k], 11);
    run(&w, 0.5);
    mo_robot_get(w.robot, w.world, NULL, v);
    CHECK_NEAR(v[2], 0.5, 1e-9); /* 4 N on 4 kg */
    CHECK_NEAR(v[5], 0, 1e-12);
    set_control(&w, "w", 9);
    set_control(&w, "e", 9); /* .1 * (11 + 11 - 9 - 9) N m about z, inertia 4/3 (.09 + .09) */
    run(&w, 0.1);
    mo_robot_get(w.robot, w.world, NULL, v);
    CHECK_NEAR(v[5], 0.4 * 0.1 / (4.0 / 3 * 0.18), 1e-6);
    close_world(&w);
}

/* States of actuators: an integrator, a filter and its exact form, on joints that are held by their
 * force alone. */
static void states_of_actuators_follow_their_controls(void **state)
{
    (void)state;
    robot_world w;
    open_text(
        "<mujoco>" STILL "<worldbody><body><joint name='a'/><geom size='.1' mass='1'/></body>"
        "</worldbody><actuator><general name='i' joint='a' dyntype='integrator' actlimited='true' "
        "actrange='-1 .3'/><general name='f' joint='a' dyntype='filter' dynprm='.2'/><general "
        "name='e' joint='a' dyntype='filterexact' dynprm='.2'/></actuator></mujoco>",
        &w);
    static const char *const NAMES[] = {"i", "f", "e"};
    double states[3];
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < 3; ++k)
            set_control(&w, NAMES[k], 2);
        run(&w, 0.1);
        for (int k = 0; k < 3; ++k) {
            int number;
            const mo_mechanism_id id = mo_robot_actuator(w.robot, k, &number);
            states[k] = mo_mechanism_actuator(w.world, id, number).state;
        }
        CHECK_NEAR(states[0], round ? 0.3 : 0.2, 1e-12);
        CHECK_NEAR(states[1], 2 * (1 - pow(1 - 0.001 / 0.2, 100 * (round + 1))), 1e-12);
        CHECK_NEAR(states[2], 2 * (1 - exp(-0.1 * (round + 1) / 0.2)), 1e-12);
    }
    close_world(&w);
}

/* A servo of damping ratio 1 about a mass of 2 kg with gear 3: 2 sqrt(kp m / 9) in units of its
 * length. */
static void a_damping_ratio_is_one_of_the_mass(void **state)
{
    (void)state;
    robot_world w;
    int number;
    open_text("<mujoco>" STILL "<worldbody><body><joint name='a' type='slide'/><geom size='.1' "
              "mass='2'/></body></worldbody><actuator><position joint='a' kp='50' dampratio='1' "
              "gear='3'/></actuator></mujoco>",
              &w);
    const mo_mechanism_id id = mo_robot_actuator(w.robot, 0, &number);
    CHECK_NEAR(mo_mechanism_actuator(w.world, id, number).bias[2], -2 * sqrt(50 * 2.0 / 9), 1e-12);
    close_world(&w);
}

/* ---- weight, mocap --------------------------------------------------------------------------- */

static void gravity_is_compensated(void **state)
{
    (void)state;
    robot_world w;
    double v[7];
    open_text(
        "<mujoco><option gravity='0 0 -10' timestep='.001'/><worldbody><body gravcomp='1'><joint "
        "type='slide'/><geom size='.1' pos='0 0 .5' mass='1'/></body><body pos='1 0 0' "
        "gravcomp='.5'>"
        "<freejoint/><geom size='.1' mass='1'/></body></worldbody></mujoco>",
        &w);
    const double before = mo_world_kinetic_energy(w.world) + mo_world_potential_energy(w.world);
    run(&w, 0.5);
    mo_robot_get(w.robot, w.world, NULL, v);
    CHECK_NEAR(v[0], 0, 1e-15);
    CHECK_NEAR(v[3], -0.5 * 5, 1e-12);
    const double after = mo_world_kinetic_energy(w.world) + mo_world_potential_energy(w.world);
    CHECK_NEAR(after, before, 1e-2); /* of first order in the step; 6.25 J change hands */
    close_world(&w);
}

/* A mocap body pushes a box along the floor as fast as it is moved, and a weld to another carries a
 * ball. */
static void a_mocap_body_moves_what_it_touches_and_holds(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    open_text("<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='9 9 1'/><body "
              "name='push' "
              "mocap='true' pos='-.4 0 .1'><geom type='box' size='.1 .1 .05'/></body><body "
              "name='box' pos='0 0 "
              ".1'><freejoint/><geom type='box' size='.1 .1 .1'/></body><body name='hold' "
              "mocap='true' pos='0 3 "
              "2'/><body name='ball' pos='0 3 1'><freejoint/><geom "
              "size='.1'/></body></worldbody><equality><weld "
              "body1='hold' body2='ball'/></equality><keyframe><key name='k' mpos='-.3 0 .1 0 3 "
              "2'/></keyframe>"
              "</mujoco>",
              &w);
    assert_int_equal(w.model.note_count, 0);
    CHECK(mo_robot_set_key(w.robot, w.world, w.model.keys, &why) == MO_OK);
    const int push = mo_model_find_body(&w.model, "push"),
              hold = mo_model_find_body(&w.model, "hold");
    CHECK_NEAR(body_of(&w, "push").pose.position[0], -0.3, 1e-15);
    mo_pose to = mo_pose_at(0.2, 0, 0.1), up = mo_pose_at(1, 3, 2.5);
    CHECK(mo_robot_move_mocap(w.robot, w.world, push, &to, 0.5, &why) == MO_OK);
    CHECK(mo_robot_move_mocap(w.robot, w.world, hold, &up, 0.5, &why) == MO_OK);
    run(&w, 0.5);
    CHECK_NEAR(body_of(&w, "push").pose.position[0], 0.2, 1e-9);
    CHECK_NEAR(body_of(&w, "box").pose.position[0], 0.4, 1e-6);
    CHECK_NEAR(body_of(&w, "box").velocity[0], 1, 1e-6);
    CHECK_NEAR(body_of(&w, "ball").pose.position[0], 1, 1e-6);
    CHECK_NEAR(body_of(&w, "ball").pose.position[2], 1.5, 1e-6);
    CHECK(mo_robot_move_mocap(w.robot, w.world, mo_model_find_body(&w.model, "box"), &to, 0,
                              &why) != MO_OK);
    close_world(&w);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Gives out memory until a number of requests, then none. */
static void *limited(void *user, void *p, size_t size)
{
    int *left = user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return (*left)-- > 0 ? realloc(p, size) : NULL;
}

/* With one request more each time: a sentence, nothing that leaks, and in the end a robot. */
static void memory_that_runs_out_gets_a_sentence(void **state)
{
    (void)state;
    const char *path =
        folder_put(&folder, "all.xml",
                   "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body "
                   "name='m' mocap='true'/><body><joint "
                   "name='a' type='slide'/><geom name='a' size='.1'/><site name='s'/></body><body "
                   "pos='1 0 0'><joint name='b' "
                   "type='slide'/><geom size='.1'/></body></worldbody><contact><pair geom1='a' "
                   "geom2='floor'/></contact><tendon>"
                   "<fixed name='t' stiffness='1'><joint joint='a'/><joint "
                   "joint='b'/></fixed></tendon><equality><joint joint1='a' "
                   "joint2='b'/></equality><actuator><motor tendon='t'/><motor site='s'/><position "
                   "joint='a' dampratio='1'/>"
                   "</actuator><keyframe><key mpos='1 2 3'/></keyframe></mujoco>");
    int requests = 0, built = 0;
    while (!built && requests < 3000) {
        int left = requests;
        const mo_allocator allocator = {.reallocate = limited, .user = &left};
        mo_model model = {0};
        mo_world *world = NULL;
        mo_robot *robot = NULL;
        mo_message why = {{0}};
        mo_error error = mo_model_read(path, &allocator, &model, &why);
        const mo_world_def def = mo_model_world(&model);
        error = error ? error : mo_world_create(&def, &allocator, &world, &why);
        error = error ? error : mo_model_build(&model, world, &allocator, &robot, &why);
        CHECK(!error || why.text[0]);
        built = !error;
        mo_robot_destroy(robot);
        mo_world_destroy(world);
        mo_model_clear(&model);
        requests += requests < 50 ? 1 : 3;
    }
    CHECK(built && requests > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tendon_closes_two_fingers_of_two_trees),
        cmocka_unit_test(a_tendon_has_limits_and_friction),
        cmocka_unit_test(a_tendon_is_a_spring_with_slack),
        cmocka_unit_test(tendons_and_joints_of_two_trees_follow),
        cmocka_unit_test(rotors_lift_a_drone),
        cmocka_unit_test(states_of_actuators_follow_their_controls),
        cmocka_unit_test(a_damping_ratio_is_one_of_the_mass),
        cmocka_unit_test(gravity_is_compensated),
        cmocka_unit_test(a_mocap_body_moves_what_it_touches_and_holds),
        cmocka_unit_test(memory_that_runs_out_gets_a_sentence),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
