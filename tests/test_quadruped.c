/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A quadruped with twelve servos stands on its feet for a minute. */
#include <string.h>

#include "check.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"

enum { LEGS = 4, LINKS = 1 + 3 * LEGS, JOINTS = 1 + 3 * LEGS };

typedef struct quadruped {
    mo_link_def link[LINKS];
    mo_axis_def joint[JOINTS];
    mo_actuator_def servo[3 * LEGS];
    mo_mechanism_def def;
} quadruped;

static const double HIP = 0.7, KNEE = -1.4, LENGTH = 0.2, FOOT = 0.02;

/* Abduction about x, hip and knee about y; the shank hangs from the thigh, which hangs from the
 * hip. */
static void define_leg(quadruped *robot, int leg)
{
    const double side = leg % 2 ? -1 : 1, front = leg < 2 ? 1 : -1;
    const double target[3] = {0, HIP, KNEE};
    for (int part = 0; part < 3; ++part) {
        const int k = 1 + 3 * leg + part;
        mo_link_def *link = robot->link + k;
        *link = mo_default_link(part ? k - 1 : 0);
        link->pose = part == 0   ? mo_pose_at(0.2 * front, 0.12 * side, 0)
                     : part == 1 ? mo_pose_at(0, 0.03 * side, 0)
                                 : mo_pose_at(0, 0, -LENGTH);
        robot->joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        mo_vec3_set(robot->joint[k].axis, part == 0, part > 0, 0);
        robot->joint[k].initial = target[part];
        robot->joint[k].armature = 0.005;
        robot->joint[k].has_limits = 1;
        robot->joint[k].lower = part == 2 ? -2.5 : -1;
        robot->joint[k].upper = part == 2 ? -0.3 : 1.5;
        mo_actuator_def *servo = robot->servo + 3 * leg + part;
        *servo = mo_actuator_position(k, 300, 6);
        servo->target = target[part];
        servo->lower = -40;
        servo->upper = 40;
    }
}

/* How it starts, and what its feet and joints are like. */
typedef struct kind {
    double deep;         /* m: how far its feet are in the ground */
    double rolling;      /* m */
    double dry_friction; /* N m, of each joint */
} kind;

static mo_mechanism_id add_quadruped(mo_world *world, kind of)
{
    quadruped robot = {.def = mo_default_mechanism()};
    robot.link[0] = mo_default_link(-1);
    robot.link[0].pose = mo_pose_at(0, 0, 2 * LENGTH * cos(HIP) + FOOT - of.deep);
    robot.joint[0] = mo_default_axis(MO_AXIS_FREE, 0);
    for (int leg = 0; leg < LEGS; ++leg)
        define_leg(&robot, leg);
    for (int k = 1; k < JOINTS; ++k)
        robot.joint[k].dry_friction = of.dry_friction;
    robot.def.links = robot.link;
    robot.def.joints = robot.joint;
    robot.def.actuators = robot.servo;
    robot.def.link_count = LINKS;
    robot.def.joint_count = JOINTS;
    robot.def.actuator_count = 3 * LEGS;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &robot.def, NULL);
    CHECK(id.index);
    for (int k = 0; k < LINKS; ++k) {
        const int part = k == 0 ? -1 : (k - 1) % 3;
        const double top[3] = {0, 0, -0.03}, end[3] = {0, 0, -LENGTH};
        mo_shape_def shape = part < 0    ? mo_shape_box(0.25, 0.08, 0.05)
                             : part == 0 ? mo_shape_ball(0.03)
                                         : mo_shape_capsule(top, end, FOOT);
        shape.material.friction = 0.8;
        shape.material.rolling = of.rolling;
        CHECK(mo_world_add_shape(world, mo_mechanism_link(world, id, k), &shape, NULL).index);
    }
    return id;
}

static void foot_of(const mo_world *world, mo_mechanism_id id, int leg, double out[3])
{
    const double end[3] = {0, 0, -LENGTH};
    const mo_pose shank = mo_body_get(world, mo_mechanism_link(world, id, 3 + 3 * leg)).pose;
    mo_pose_point(&shank, end, out);
}

static void run(mo_world *world, double h, double seconds)
{
    for (int k = 0; k < (int)lround(seconds / h); ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, h, &report, NULL) == MO_OK);
        CHECK(report.status == MO_SOLVED);
    }
}

static mo_world *make_ground(void)
{
    mo_world *world;
    const mo_world_def def = mo_default_world();
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    const mo_body_def ground = mo_default_body(MO_BODY_FIXED);
    mo_shape_def plane = mo_shape_plane();
    plane.material.friction = 0.8;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &ground, NULL), &plane, NULL).index);
    return world;
}

/* How far its feet move in some seconds. */
static double creep(mo_world *world, mo_mechanism_id id, double seconds)
{
    double before[LEGS][3], most = 0;
    for (int leg = 0; leg < LEGS; ++leg)
        foot_of(world, id, leg, before[leg]);
    run(world, 2e-3, seconds);
    for (int leg = 0; leg < LEGS; ++leg) {
        double now[3];
        foot_of(world, id, leg, now);
        mo_vec3_minus(now, before[leg], now);
        most = fmax(most, mo_vec3_norm(now));
    }
    return most;
}

static void it_stands_for_a_minute_without_creep_of_its_feet(void **state)
{
    (void)state;
    mo_world *world = make_ground();
    const mo_mechanism_id id = add_quadruped(world, (kind){0});
    run(world, 2e-3, 5);
    CHECK_BELOW(creep(world, id, 60), 1e-9);
    double force = 0;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        CHECK(contact.mode != MO_CONTACT_SLIDES);
        force += fabs(contact.impulse[2]) / 2e-3;
    }
    double mass = 0;
    for (int k = 0; k < LINKS; ++k)
        mass += mo_body_get(world, mo_mechanism_link(world, id, k)).mass;
    CHECK_NEAR(force, 9.81 * mass, 1e-6 * force);
    CHECK(mo_mechanism_q(world, id)[2] > 0.25);
    mo_world_destroy(world);
}

/* Feet that roll, joints with dry friction, and a start 1 mm in the ground: what each step leaves
 * must not return as a motion.  At rest nothing moves at all. */
static void it_comes_to_rest_from_a_start_in_the_ground(void **state)
{
    (void)state;
    static const kind kinds[] = {
        {1e-3, 0.01, 0.2}, {1e-3, 0, 0.2}, {1e-3, 0.001, 0}, {1e-3, 0, 0}, {0, 0.01, 0.2}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        mo_world *world = make_ground();
        const mo_mechanism_id id = add_quadruped(world, kinds[k]);
        run(world, 2e-3, 4);
        CHECK(creep(world, id, 1) == 0);
        mo_world_destroy(world);
    }
}

/* Targets that change by next to nothing in a step are followed, also from rest. */
static void it_leaves_rest_with_its_servos(void **state)
{
    (void)state;
    static const double changes[] = {1e-12, 1e-10, 1e-7}; /* rad a step */
    enum { STEPS = 2000, KNEE_OF_A_LEG = 2 };
    for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k) {
        mo_world *world = make_ground();
        const mo_mechanism_id id = add_quadruped(world, (kind){1e-3, 0, 0});
        run(world, 2e-3, 4);
        const double before = mo_mechanism_q(world, id)[7 + KNEE_OF_A_LEG];
        for (int step = 1; step <= STEPS; ++step) {
            for (int leg = 0; leg < LEGS; ++leg) {
                CHECK(mo_mechanism_set_target(world, id, 3 * leg + KNEE_OF_A_LEG,
                                              KNEE + step * changes[k], NULL) == MO_OK);
            }
            run(world, 2e-3, 2e-3);
        }
        CHECK(creep(world, id, 2) < 2e-6);
        const double moved = mo_mechanism_q(world, id)[7 + KNEE_OF_A_LEG] - before;
        CHECK_NEAR(moved, STEPS * changes[k], 1e-9 + 0.01 * STEPS * changes[k]);
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_stands_for_a_minute_without_creep_of_its_feet),
        cmocka_unit_test(it_comes_to_rest_from_a_start_in_the_ground),
        cmocka_unit_test(it_leaves_rest_with_its_servos),
    };
    return cmocka_run_group_tests_name("quadruped", tests, NULL, NULL);
}
