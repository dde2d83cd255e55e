/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Joints of mechanisms, their state, and definitions that are refused. */
#include "mechanism_worlds.h"

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
    for (int k = 1; k < 4; ++k)
        shape_on(world, id, k, mo_shape_ball(0.1));
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
    for (int k = 0; k < 3; ++k)
        CHECK(mo_body_get(world, mo_mechanism_link(world, id, k)).is_asleep);
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

static void errors_in_definitions_are_named(void **state)
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
        cmocka_unit_test(limits_stop_and_dry_friction_holds),
        cmocka_unit_test(springs_and_servos_settle_where_statics_puts_them),
        cmocka_unit_test(a_saturated_servo_is_a_motor_at_its_limit),
        cmocka_unit_test(a_control_is_asked_once_a_step),
        cmocka_unit_test(a_saved_world_goes_on_with_the_same_bits),
        cmocka_unit_test(a_mechanism_falls_asleep_and_wakes_as_a_whole),
        cmocka_unit_test(a_mechanism_goes_with_its_links),
        cmocka_unit_test(planar_mechanisms_move_in_the_plane),
        cmocka_unit_test(errors_in_definitions_are_named),
    };
    return cmocka_run_group_tests_name("mechanism", tests, NULL, NULL);
}
