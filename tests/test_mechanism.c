/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Mechanisms in a world: motion, limits, friction, actuators, contact, loops, sleep, state. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"

static const double PI = 3.14159265358979323846;

static mo_world *new_world(int dimension)
{
    const mo_world_def def = dimension == 2 ? mo_default_planar_world() : mo_default_world();
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static mo_mechanism_id add(mo_world *world, const mo_mechanism_def *def)
{
    mo_message why = {{0}};
    const mo_mechanism_id id = mo_world_add_mechanism(world, def, &why);
    if (!id.index) {
        fail_msg("%s", why.text);
    }
    return id;
}

static void shape_on(mo_world *world, mo_mechanism_id id, int link, mo_shape_def shape)
{
    mo_message why = {{0}};
    if (!mo_world_add_shape(world, mo_mechanism_link(world, id, link), &shape, &why).index) {
        fail_msg("%s", why.text);
    }
}

static void add_floor(mo_world *world, double friction)
{
    const mo_body_def def = mo_default_body(MO_BODY_FIXED);
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    mo_shape_def plane = mo_shape_plane();
    plane.material.friction = friction;
    CHECK(mo_world_add_shape(world, body, &plane, NULL).index);
}

static void run(mo_world *world, double h, double seconds)
{
    const int steps = (int)lround(seconds / h);
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        if (mo_world_step(world, h, &report, &why) != MO_OK) {
            fail_msg("%s", why.text);
        }
        if (report.status != MO_SOLVED) {
            fail_msg("step %d: %s", k, report.message.text);
        }
    }
}

/* A chain of rods of one metre along x, hinged about y; no shapes, so that nothing touches. */
enum { MOST = 16 };
static mo_mechanism_id add_chain(mo_world *world, int count, double damping)
{
    mo_link_def link[MOST];
    mo_axis_def joint[MOST];
    for (int k = 0; k < count; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].pose = mo_pose_at(k > 0, 0, 0);
        link[k].mass = 1;
        link[k].inertia[0] = 0.01;
        link[k].inertia[1] = link[k].inertia[2] = 1.0 / 12;
        link[k].centre[0] = 0.5;
        joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        mo_vec3_set(joint[k].axis, 0, 1, 0);
        joint[k].damping = damping;
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = count;
    return add(world, &def);
}

/* The same of free bodies and hinges. */
static mo_body_id add_jointed_chain(mo_world *world, int count)
{
    mo_body_id last = {0};
    for (int k = 0; k < count; ++k) {
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        body.pose = mo_pose_at(k, 0, 0);
        body.mass = 1;
        body.inertia[0] = 0.01;
        body.inertia[1] = body.inertia[2] = 1.0 / 12;
        body.centre[0] = 0.5;
        const mo_body_id own = mo_world_add_body(world, &body, NULL);
        mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, last, own);
        mo_vec3_set(joint.anchor, k, 0, 0);
        mo_vec3_set(joint.axis, 0, 1, 0);
        CHECK(mo_world_add_joint(world, &joint, NULL).index);
        last = own;
    }
    return last;
}

static double energy_of(const mo_world *world)
{
    return mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
}

static void a_passive_chain_keeps_its_energy_to_first_order(void **state)
{
    (void)state;
    double error[2];
    for (int round = 0; round < 2; ++round) {
        mo_world *world = new_world(3);
        add_chain(world, 3, 0);
        const double before = energy_of(world);
        run(world, round ? 5e-4 : 1e-3, 1);
        error[round] = fabs(energy_of(world) - before);
        CHECK(mo_world_kinetic_energy(world) > 1);
        mo_world_destroy(world);
    }
    CHECK_BELOW(error[0], 0.1);
    CHECK_BELOW(error[1], 0.6 * error[0]);
}

static double tip_difference(double h)
{
    double tip[2][3];
    mo_world *world = new_world(3);
    const mo_mechanism_id id = add_chain(world, 4, 0);
    run(world, h, 0.5);
    mo_vec3_copy(mo_body_get(world, mo_mechanism_link(world, id, 3)).centre, tip[0]);
    mo_world_destroy(world);
    world = new_world(3);
    const mo_body_id last = add_jointed_chain(world, 4);
    run(world, h, 0.5);
    mo_vec3_copy(mo_body_get(world, last).centre, tip[1]);
    mo_world_destroy(world);
    mo_vec3_minus(tip[0], tip[1], tip[0]);
    return mo_vec3_norm(tip[0]);
}

static void a_chain_of_links_moves_like_one_of_joints(void **state)
{
    (void)state;
    const double coarse = tip_difference(2e-3), fine = tip_difference(1e-3);
    CHECK_BELOW(coarse, 0.05);
    CHECK_BELOW(fine, 0.6 * coarse);
}

static mo_mechanism_id add_free_link(mo_world *world, mo_pose pose, double mass)
{
    mo_link_def link = mo_default_link(-1);
    link.pose = pose;
    link.mass = mass;
    const mo_axis_def joint = mo_default_axis(MO_AXIS_FREE, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &joint;
    def.link_count = def.joint_count = 1;
    return add(world, &def);
}

static void a_free_link_spins_without_gain_or_loss(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_world_def def = mo_world_definition(world);
    mo_vec3_set(def.gravity, 0, 0, 0);
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    const mo_mechanism_id id = add_free_link(world, mo_pose_identity(), 0);
    shape_on(world, id, 0, mo_shape_box(0.1, 0.2, 0.4));
    const double v[6] = {0, 0, 0, 0.01, 30, 0.02}; /* about the middle axis: it tumbles */
    CHECK(mo_mechanism_set(world, id, NULL, v, NULL) == MO_OK);
    const double before = mo_world_kinetic_energy(world);
    double linear[3], first[3], last[3];
    mo_world_momentum(world, linear, first);
    run(world, 1e-2, 10);
    mo_world_momentum(world, linear, last);
    CHECK_NEAR(mo_world_kinetic_energy(world), before, 1e-9 * before);
    CHECK_NEAR(mo_vec3_norm(last), mo_vec3_norm(first), 1e-9 * mo_vec3_norm(first));
    mo_world_destroy(world);
}

static void fast_spin_stays_finite_at_any_step(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_mechanism_id id = add_chain(world, 1, 0);
    const mo_mechanism_id other = add_free_link(world, mo_pose_at(0, 5, 0), 0);
    shape_on(world, other, 0, mo_shape_box(0.1, 0.2, 0.4));
    const double v[6] = {0, 0, 0, 500, 400, 300};
    CHECK(mo_mechanism_set(world, other, NULL, v, NULL) == MO_OK);
    CHECK(mo_mechanism_set(world, id, NULL, v + 3, NULL) == MO_OK);
    const double before = energy_of(world);
    run(world, 0.1, 20);
    CHECK_BELOW(energy_of(world), before * 1.1);
    mo_world_destroy(world);
}

/* ---- contact --------------------------------------------------------------------------------- */

static void a_free_link_slides_and_bounces_like_a_free_body(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    add_floor(world, 0.3);
    mo_shape_def box = mo_shape_box(0.2, 0.15, 0.1);
    box.material.friction = 0.3;
    const mo_mechanism_id id = add_free_link(world, mo_pose_at(0, 0, 0.1), 0);
    shape_on(world, id, 0, box);
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.pose = mo_pose_at(0, 2, 0.1);
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(mo_world_add_shape(world, body, &box, NULL).index);
    const double velocity[3] = {1, 0, 0}, v[6] = {1}, none[3] = {0};
    CHECK(mo_body_set(world, body, &def.pose, velocity, none, NULL) == MO_OK);
    CHECK(mo_mechanism_set(world, id, NULL, v, NULL) == MO_OK);
    run(world, 1e-3, 0.2);
    const double x = mo_mechanism_q(world, id)[0], slid = mo_body_get(world, body).pose.position[0];
    CHECK_NEAR(x, slid, 1e-9);
    CHECK_NEAR(mo_mechanism_v(world, id)[0], 1 - 0.3 * 9.81 * 0.2, 1e-6);
    mo_world_destroy(world);

    world = new_world(3);
    const mo_body_def ground = mo_default_body(MO_BODY_FIXED);
    mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    plane.material.restitution = ball.material.restitution = 0.8;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &ground, NULL), &plane, NULL).index);
    const mo_mechanism_id bouncing = add_free_link(world, mo_pose_at(0, 0, 1.1), 0);
    shape_on(world, bouncing, 0, ball);
    run(world, 1e-4, sqrt(2 / 9.81) + 0.01);
    CHECK_NEAR(mo_mechanism_v(world, bouncing)[2], 0.8 * sqrt(2 * 9.81) - 0.1, 0.02);
    mo_world_destroy(world);
}

/* Two fingers on slides, of a gram each, squeeze a cube of a kilogram. */
static void a_gripper_holds_a_thousand_times_its_fingers(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_link_def link[3] = {mo_default_link(-1), mo_default_link(0), mo_default_link(0)};
    mo_axis_def joint[2];
    mo_actuator_def motor[2];
    link[0].mass = 1;
    for (int k = 0; k < 2; ++k) {
        link[1 + k].pose = mo_pose_at(k ? 0.06 : -0.06, 0, 0);
        link[1 + k].mass = 0.001;
        joint[k] = mo_default_axis(MO_AXIS_PRISMATIC, 1 + k);
        mo_vec3_set(joint[k].axis, k ? -1 : 1, 0, 0);
        motor[k] = mo_actuator_motor(k);
        motor[k].target = 20;
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.actuators = motor;
    def.link_count = 3;
    def.joint_count = def.actuator_count = 2;
    const mo_mechanism_id id = add(world, &def);
    CHECK(mo_body_get(world, mo_mechanism_link(world, id, 0)).kind == MO_BODY_FIXED);
    mo_shape_def pad = mo_shape_box(0.01, 0.02, 0.02);
    pad.material.friction = 0.5;
    shape_on(world, id, 1, pad);
    shape_on(world, id, 2, pad);
    mo_body_def cube = mo_default_body(MO_BODY_FREE);
    cube.mass = 1;
    const mo_body_id held = mo_world_add_body(world, &cube, NULL);
    mo_shape_def box = mo_shape_box(0.05, 0.05, 0.05);
    box.material.friction = 0.5;
    CHECK(mo_world_add_shape(world, held, &box, NULL).index);
    run(world, 2e-3, 0.1);
    double start[3], moved[3];
    mo_vec3_copy(mo_body_get(world, held).pose.position, start);
    run(world, 2e-3, 3);
    mo_vec3_minus(mo_body_get(world, held).pose.position, start, moved);
    CHECK_BELOW(mo_vec3_norm(moved), 1e-9);
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        CHECK(mo_world_contact(world, k).mode != MO_CONTACT_SLIDES);
    }
    /* 2 * 0.5 * 9 N is less than its weight: now it falls */
    CHECK(mo_mechanism_set_target(world, id, 0, 9, NULL) == MO_OK);
    CHECK(mo_mechanism_set_target(world, id, 1, 9, NULL) == MO_OK);
    run(world, 2e-3, 0.1);
    CHECK(mo_body_get(world, held).velocity[2] < -0.05);
    mo_world_destroy(world);
}

static void a_loop_is_closed_by_a_joint_of_two_links(void **state)
{
    (void)state;
    /* four bars: the chain's free end is pinned where it is; the middle angle then follows from the
     * first */
    mo_world *world = new_world(3);
    const mo_mechanism_id id = add_chain(world, 3, 0);
    const double folded[3] = {-PI / 2, PI / 2, PI / 2}; /* up, along x, down to (1, 0, 0) */
    CHECK(mo_mechanism_set(world, id, folded, NULL, NULL) == MO_OK);
    mo_joint_def pin =
        mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, mo_mechanism_link(world, id, 2));
    const double end[3] = {1, 0, 0};
    const mo_pose last = mo_body_get(world, mo_mechanism_link(world, id, 2)).pose;
    mo_pose_point(&last, end, pin.anchor);
    CHECK_NEAR(pin.anchor[0], 1, 1e-12);
    CHECK_NEAR(pin.anchor[2], 0, 1e-12);
    const mo_joint_id joint = mo_world_add_joint(world, &pin, NULL);
    CHECK(joint.index);
    const double push[3] = {0.5, 0, 0};
    CHECK(mo_mechanism_set(world, id, NULL, push, NULL) == MO_OK);
    for (int k = 0; k < 10; ++k) {
        run(world, 1e-3, 0.05);
        /* a parallelogram: the middle rod stays level */
        const double *q = mo_mechanism_q(world, id);
        CHECK_NEAR(q[0] + q[1], 0, 1e-4);
        CHECK_BELOW(mo_joint_get(world, joint).error, 1e-4);
    }
    CHECK(fabs(mo_mechanism_q(world, id)[0] + PI / 2) > 0.1);
    mo_world_destroy(world);
}

static void links_of_one_mechanism_touch_but_not_their_neighbours(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_mechanism_id id = add_chain(world, 3, 0.5);
    for (int k = 0; k < 3; ++k) {
        const double from[3] = {0.05, 0, 0}, to[3] = {0.95, 0, 0};
        shape_on(world, id, k, mo_shape_capsule(from, to, 0.1));
    }
    const double folded[3] = {0, 2, 2}; /* the third comes back to the first */
    CHECK(mo_mechanism_set(world, id, folded, NULL, NULL) == MO_OK);
    const double fold[3] = {0, 3, 3};
    int touched = 0;
    for (int k = 0; k < 500; ++k) {
        CHECK(mo_mechanism_push(world, id, fold, NULL) == MO_OK);
        run(world, 2e-3, 2e-3);
        for (int c = 0; c < mo_world_contact_count(world); ++c) {
            const mo_contact contact = mo_world_contact(world, c);
            int a, b;
            mo_body_mechanism(world, contact.a, &a);
            mo_body_mechanism(world, contact.b, &b);
            CHECK(abs(a - b) == 2);
            touched += contact.mode != MO_CONTACT_APART;
        }
    }
    CHECK(touched > 50);
    CHECK_BELOW(mo_world_penetration(world), 1e-3);
    CHECK(mo_world_exclude(world, mo_mechanism_link(world, id, 0), mo_mechanism_link(world, id, 2),
                           NULL) == MO_OK);
    run(world, 2e-3, 0.01);
    CHECK(mo_world_contact_count(world) == 0);
    mo_world_destroy(world);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* One hinge about y with a rod of one kilogram and one metre along x. */
static mo_mechanism_id add_rod(mo_world *world, const mo_axis_def *properties,
                               const mo_actuator_def *actuator)
{
    mo_link_def link = mo_default_link(-1);
    link.mass = 1;
    link.inertia[0] = 0.01;
    link.inertia[1] = link.inertia[2] = 1.0 / 12;
    link.centre[0] = 0.5;
    mo_axis_def joint = *properties;
    joint.kind = MO_AXIS_REVOLUTE;
    joint.link = 0;
    mo_vec3_set(joint.axis, 0, 1, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &joint;
    def.actuators = actuator;
    def.link_count = def.joint_count = 1;
    def.actuator_count = actuator != NULL;
    return add(world, &def);
}

static void limits_stop_and_dry_friction_holds(void **state)
{
    (void)state;
    const double weight = 9.81 * 0.5;
    mo_world *world = new_world(3);
    mo_axis_def limited = {.has_limits = 1, .lower = -0.5, .upper = 0.4};
    const mo_mechanism_id stopped = add_rod(world, &limited, NULL);
    mo_axis_def rough = {.dry_friction = 1.01 * weight};
    const mo_mechanism_id held = add_rod(world, &rough, NULL);
    rough.dry_friction = 0.5 * weight;
    const mo_mechanism_id slips = add_rod(world, &rough, NULL);
    run(world, 1e-3, 1e-3); /* M a = weight - friction */
    CHECK_NEAR(mo_mechanism_v(world, slips)[0], 1e-3 * 0.5 * weight / (1.0 / 3), 1e-9);
    run(world, 1e-3, 2);
    CHECK_NEAR(mo_mechanism_q(world, stopped)[0], 0.4, 1e-9);
    CHECK_NEAR(mo_mechanism_joint(world, stopped, 0).limit_effort, -weight * cos(0.4), 1e-6);
    CHECK_BELOW(fabs(mo_mechanism_q(world, held)[0]), 1e-10);
    CHECK_NEAR(fabs(mo_mechanism_joint(world, held, 0).friction_effort[0]), weight, 1e-6);
    mo_world_destroy(world);
}

static void springs_and_servos_settle_where_statics_puts_them(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_axis_def plain = {0};
    mo_axis_def sprung = {.stiffness = 1e4, .damping = 50, .rest = 0.3};
    const mo_mechanism_id spring = add_rod(world, &sprung, NULL);
    mo_actuator_def servo = mo_actuator_position(0, 1e5, 1e3); /* stiff against steps of 5 ms */
    servo.target = -0.7;
    const mo_mechanism_id driven = add_rod(world, &plain, &servo);
    servo.lower = -3;
    servo.upper = 3; /* cannot lift it: it comes to rest where 3 N m carry it */
    mo_axis_def damped = {.damping = 2};
    const mo_mechanism_id weak = add_rod(world, &damped, &servo);
    mo_actuator_def speed = mo_actuator_velocity(0, 1e4);
    speed.target = 2;
    const mo_mechanism_id turning = add_rod(world, &plain, &speed);
    run(world, 5e-3, 10);
    const double q = mo_mechanism_q(world, spring)[0], weight = 9.81 * 0.5;
    CHECK_NEAR(1e4 * (q - 0.3), weight * cos(q), 1e-6);
    const double p = mo_mechanism_q(world, driven)[0];
    CHECK_NEAR(1e5 * (p + 0.7), weight * cos(p), 1e-6);
    CHECK_NEAR(mo_mechanism_actuator(world, driven, 0).effort, -weight * cos(p), 1e-6);
    const mo_actuator_state at_limit = mo_mechanism_actuator(world, weak, 0);
    CHECK(at_limit.is_saturated);
    CHECK_NEAR(at_limit.effort, -3, 1e-9);
    CHECK_NEAR(weight * cos(mo_mechanism_q(world, weak)[0]), 3, 1e-4);
    CHECK_NEAR(mo_mechanism_v(world, turning)[0], 2, 1e-3);
    mo_world_destroy(world);
}

/* The saturated servo is a box row: the answer is the same as that of a motor with its limit. */
static void a_saturated_servo_is_a_motor_at_its_limit(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_axis_def plain = {0};
    mo_actuator_def servo = mo_actuator_position(0, 1e4, 10), motor = mo_actuator_motor(0);
    servo.target = 1;
    servo.upper = motor.target = 0.2;
    servo.lower = -0.2;
    const mo_mechanism_id a = add_rod(world, &plain, &servo), b = add_rod(world, &plain, &motor);
    run(world, 1e-3, 0.2);
    CHECK_NEAR(mo_mechanism_q(world, a)[0], mo_mechanism_q(world, b)[0], 1e-9);
    CHECK(mo_mechanism_actuator(world, a, 0).is_saturated);
    mo_world_destroy(world);
}

static void count_and_push(void *user, double time, double h, const double *q, const double *v,
                           double *effort)
{
    (void)time;
    (void)h;
    ++*(int *)user;
    effort[0] -= 9.81 * 0.5 * cos(q[0]) + v[0]; /* carries the weight, and damps */
}

static void a_control_is_asked_once_a_step(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_axis_def plain = {0};
    const mo_mechanism_id id = add_rod(world, &plain, NULL);
    int asked = 0;
    CHECK(mo_mechanism_set_control(world, id, count_and_push, &asked, NULL) == MO_OK);
    run(world, 1e-3, 0.5);
    CHECK(asked == 500);
    CHECK_BELOW(fabs(mo_mechanism_q(world, id)[0]), 1e-10);
    mo_world_destroy(world);
}

/* ---- state ----------------------------------------------------------------------------------- */

static void a_saved_world_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    add_floor(world, 0.5);
    const mo_mechanism_id id = add_chain(world, 4, 0.1);
    for (int k = 1; k < 4; ++k) {
        shape_on(world, id, k, mo_shape_ball(0.1));
    }
    const double lifted[4] = {-1, 0.3, 0.3, 0.3};
    CHECK(mo_mechanism_set(world, id, lifted, NULL, NULL) == MO_OK);
    run(world, 2e-3, 0.6);
    const size_t size = mo_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    CHECK(mo_world_save(world, bytes, size) == size);
    double q[2][4];
    for (int round = 0; round < 2; ++round) {
        run(world, 2e-3, 0.4);
        memcpy(q[round], mo_mechanism_q(world, id), sizeof q[round]);
        CHECK(mo_world_load(world, bytes, size, NULL) == MO_OK);
    }
    CHECK(memcmp(q[0], q[1], sizeof q[0]) == 0);
    free(bytes);
    mo_world_destroy(world);
}

static void a_mechanism_falls_asleep_and_wakes_as_a_whole(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_world_def def = mo_world_definition(world);
    def.sleeping = 1;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    const mo_mechanism_id id = add_chain(world, 3, 20);
    run(world, 5e-3, 60);
    CHECK(mo_mechanism_get(world, id).is_asleep);
    for (int k = 0; k < 3; ++k) {
        CHECK(mo_body_get(world, mo_mechanism_link(world, id, k)).is_asleep);
    }
    const double force[3] = {30, 0, 0}, at[3] = {0, 0, -3};
    mo_body_apply_force(world, mo_mechanism_link(world, id, 2), force, at, NULL);
    CHECK(!mo_mechanism_get(world, id).is_asleep);
    run(world, 5e-3, 5e-3);
    CHECK(fabs(mo_mechanism_v(world, id)[0]) + fabs(mo_mechanism_v(world, id)[2]) > 1e-3);
    mo_world_destroy(world);
}

static void a_mechanism_goes_with_its_links(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    const mo_mechanism_id a = add_chain(world, 3, 0), b = add_chain(world, 2, 0);
    CHECK(mo_world_mechanism_count(world) == 2 && mo_world_body_count(world) == 5);
    mo_world_remove_body(world, mo_mechanism_link(world, a, 1), NULL);
    CHECK(mo_world_mechanism_count(world) == 1 && mo_world_body_count(world) == 2);
    CHECK(!mo_mechanism_q(world, a) && mo_mechanism_q(world, b));
    run(world, 1e-2, 0.1);
    mo_world_remove_mechanism(world, b, NULL);
    CHECK(mo_world_body_count(world) == 0);
    mo_world_destroy(world);
}

static void planar_mechanisms_move_in_the_plane(void **state)
{
    (void)state;
    mo_world *world = new_world(2);
    mo_link_def link[2] = {mo_default_link(-1), mo_default_link(0)};
    mo_axis_def joint[2] = {mo_default_axis(MO_AXIS_PLANAR, 0),
                            mo_default_axis(MO_AXIS_REVOLUTE, 1)};
    link[0].pose = mo_pose_planar(0, 2, 0);
    link[1].pose = mo_pose_planar(1, 0, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = 2;
    const mo_mechanism_id id = add(world, &def);
    shape_on(world, id, 0, mo_shape_box(0.5, 0.1, 0.1));
    shape_on(world, id, 1, mo_shape_box(0.3, 0.1, 0.1));
    add_floor(world, 0.5);
    const double v[4] = {1, 0, 3, -2};
    CHECK(mo_mechanism_set(world, id, NULL, v, NULL) == MO_OK);
    double linear[3], angular[3];
    mo_world_momentum(world, linear, angular);
    const double before = linear[0];
    run(world, 1e-3, 0.2);
    mo_world_momentum(world, linear, angular);
    CHECK_NEAR(linear[0], before, 1e-2 * fabs(before)); /* first order */
    run(world, 1e-3, 4);
    CHECK_BELOW(mo_world_kinetic_energy(world), 1e-6);
    CHECK_BELOW(mo_world_penetration(world), 1e-4);
    mo_world_destroy(world);
}

static void what_is_wrong_with_a_definition_is_said(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_link_def link[2] = {mo_default_link(-1), mo_default_link(0)};
    mo_axis_def joint = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_mechanism_def def = mo_default_mechanism();
    mo_message why = {{0}};
    CHECK(!mo_world_add_mechanism(world, &def, &why).index && why.text[0]);
    def.links = link;
    def.joints = &joint;
    def.link_count = 2;
    def.joint_count = 1;
    link[1].parent = 1;
    CHECK(!mo_world_add_mechanism(world, &def, &why).index && strstr(why.text, "parent"));
    link[1].parent = 0;
    joint.link = 7;
    CHECK(!mo_world_add_mechanism(world, &def, &why).index && strstr(why.text, "link 7"));
    joint.link = 1;
    joint.kind = MO_AXIS_FREE;
    CHECK(!mo_world_add_mechanism(world, &def, &why).index && strstr(why.text, "free"));
    joint.kind = MO_AXIS_REVOLUTE;
    mo_vec3_set(joint.axis, 0, 0, 0);
    CHECK(!mo_world_add_mechanism(world, &def, &why).index && strstr(why.text, "axis"));
    mo_vec3_set(joint.axis, 0, 0, 1);
    const mo_mechanism_id weightless = mo_world_add_mechanism(world, &def, &why);
    CHECK(weightless.index);
    CHECK(mo_world_step(world, 1e-3, NULL, &why) != MO_OK && strstr(why.text, "mass"));
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_passive_chain_keeps_its_energy_to_first_order),
        cmocka_unit_test(a_chain_of_links_moves_like_one_of_joints),
        cmocka_unit_test(a_free_link_spins_without_gain_or_loss),
        cmocka_unit_test(fast_spin_stays_finite_at_any_step),
        cmocka_unit_test(a_free_link_slides_and_bounces_like_a_free_body),
        cmocka_unit_test(a_gripper_holds_a_thousand_times_its_fingers),
        cmocka_unit_test(a_loop_is_closed_by_a_joint_of_two_links),
        cmocka_unit_test(links_of_one_mechanism_touch_but_not_their_neighbours),
        cmocka_unit_test(limits_stop_and_dry_friction_holds),
        cmocka_unit_test(springs_and_servos_settle_where_statics_puts_them),
        cmocka_unit_test(a_saturated_servo_is_a_motor_at_its_limit),
        cmocka_unit_test(a_control_is_asked_once_a_step),
        cmocka_unit_test(a_saved_world_goes_on_with_the_same_bits),
        cmocka_unit_test(a_mechanism_falls_asleep_and_wakes_as_a_whole),
        cmocka_unit_test(a_mechanism_goes_with_its_links),
        cmocka_unit_test(planar_mechanisms_move_in_the_plane),
        cmocka_unit_test(what_is_wrong_with_a_definition_is_said),
    };
    return cmocka_run_group_tests_name("mechanism", tests, NULL, NULL);
}
