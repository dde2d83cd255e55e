/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The variations of [trinkle1997, section 2.5]: known accelerations, assemblies at rest, the
 * first-order world, quasistatic motion. */
#include "forces_tools.h"

/* A pusher on a slide is to accelerate by 1 m/s^2, a block before it: what effort does that take?
 */
static void known_accelerations_ask_for_their_efforts_through_contact(void **state)
{
    (void)state;
    const double mu = 0.4, block_mass = 1000 * 0.2 * 0.2 * 0.2, a = 1;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1), mo_pose_at(0.2, 0, 0.1), mu);
    mo_link_def link = mo_default_link(-1);
    link.pose = mo_pose_at(0, 0, 0.101); /* a little above the floor, and pushing low */
    link.mass = 3;
    mo_axis_def slide = mo_default_axis(MO_AXIS_PRISMATIC, 0);
    mo_vec3_set(slide.axis, 1, 0, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &slide;
    def.link_count = def.joint_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    mo_shape_def plate = mo_shape_box(0.1, 0.05, 0.1);
    plate.material.friction = 0; /* else it would also carry some of the weight */
    CHECK(mo_world_add_shape(world, mo_mechanism_link(world, id, 0), &plate, NULL).index);
    const mo_known_acceleration known = {.mechanism = id, .velocity = 0, .acceleration = a};
    mo_force_options options = mo_default_force_options();
    options.known = &known;
    options.known_count = 1;
    mo_forces forces = {0};
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_OK && forces.status == MO_SOLVED);
    CHECK_NEAR(forces.joint_accelerations[0], a, 1e-9);
    CHECK_NEAR(forces.known_efforts[0], 3 * a + block_mass * (a + mu * G), 1e-6 * block_mass);
    CHECK_NEAR(forces.accelerations[1][0], a, 1e-7);
    mo_forces_clear(&forces);
    mo_known_acceleration wrong = known;
    wrong.velocity = 1;
    options.known = &wrong;
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_ERR_ARGUMENT);
    mo_world_destroy(world);
}

/* Two links in the plane of x and z, turning; the known acceleration of the first, the known effort
 * of the second. */
static void known_accelerations_and_known_efforts_mix(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_link_def link[2];
    mo_axis_def joint[2];
    for (int k = 0; k < 2; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].pose = mo_pose_at(k, 0, 0);
        link[k].mass = 1 + k;
        link[k].centre[0] = 0.5;
        link[k].inertia[0] = link[k].inertia[1] = link[k].inertia[2] = 0.1;
        joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        mo_vec3_set(joint[k].axis, 0, 1, 0);
    }
    mo_actuator_def motor = mo_actuator_motor(1);
    motor.target = 3;
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = 2;
    def.actuators = &motor;
    def.actuator_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    const double q[2] = {0.3, 0.9}, v[2] = {1, -2};
    double M[4], b[2], needed[2];
    CHECK(!mo_mechanism_set(world, id, q, v, NULL));
    CHECK(!mo_mechanism_mass_matrix(world, id, M, NULL) && !mo_mechanism_bias(world, id, b, NULL));
    mo_known_acceleration known[2] = {{.mechanism = id, .velocity = 0, .acceleration = 1.5},
                                      {.mechanism = id, .velocity = 1, .acceleration = -0.5}};
    mo_force_options options = mo_default_force_options();
    options.known = known;
    options.known_count = 1;
    mo_forces forces = {0};
    CHECK(!mo_world_forces(world, &options, &forces, NULL) && forces.status == MO_SOLVED);
    const double a = (3 - b[1] - M[2] * 1.5) / M[3];
    CHECK_NEAR(forces.joint_accelerations[1], a, 1e-8);
    CHECK_NEAR(forces.known_efforts[0], M[0] * 1.5 + M[1] * a + b[0], 1e-8);
    options.known_count = 2; /* both: inverse dynamics, besides the motor */
    CHECK(!mo_world_forces(world, &options, &forces, NULL) && forces.status == MO_SOLVED);
    CHECK(!mo_mechanism_inverse(world, id, (const double[2]){1.5, -0.5}, needed, NULL));
    CHECK_NEAR(forces.known_efforts[0], needed[0], 1e-8);
    CHECK_NEAR(forces.known_efforts[1], needed[1] - 3, 1e-8);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* A hinge at its upper limit cannot accelerate further: that is proven, not given up. */
static void an_acceleration_into_a_limit_has_no_effort(void **state)
{
    (void)state;
    for (int round = 0; round < 2; ++round) {
        mo_world *world = new_world(3);
        mo_link_def link = mo_default_link(-1);
        link.mass = 1;
        link.inertia[0] = link.inertia[1] = link.inertia[2] = 0.1;
        mo_axis_def hinge = mo_default_axis(MO_AXIS_REVOLUTE, 0);
        hinge.has_limits = 1;
        hinge.lower = -1;
        mo_mechanism_def def = mo_default_mechanism();
        def.links = &link;
        def.joints = &hinge;
        def.link_count = def.joint_count = 1;
        const mo_known_acceleration known = {.mechanism = mo_world_add_mechanism(world, &def, NULL),
                                             .acceleration = round ? -2 : 2};
        mo_force_options options = mo_default_force_options();
        options.known = &known;
        options.known_count = 1;
        mo_forces forces = {0};
        CHECK(!mo_world_forces(world, &options, &forces, NULL));
        CHECK(forces.status == (round ? MO_SOLVED : MO_NO_SOLUTION));
        CHECK(!round || fabs(forces.known_efforts[0] + 0.2) < 1e-9);
        mo_forces_clear(&forces);
        mo_world_destroy(world);
    }
}

/* A ball that is turned about the normal: torsion holds up to torsion times the normal force, then
 * it slips. */
static void a_soft_finger_holds_a_moment(void **state)
{
    (void)state;
    const double r = 0.1, torsion = 0.02, mass = 1000 * 4.0 / 3 * acos(-1.0) * r * r * r;
    for (int round = 0; round < 2; ++round) {
        mo_world *world = new_world(3);
        mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(r);
        plane.material.torsion = ball.material.torsion = torsion;
        add(world, MO_BODY_FIXED, plane, mo_pose_identity(), 0.5);
        const mo_body_id body = add(world, MO_BODY_FREE, ball, mo_pose_at(0, 0, r), 0.5);
        const double most = torsion * mass * G, moment[3] = {0, 0, (round ? 1.5 : 0.8) * most};
        mo_body_apply_torque(world, body, moment, NULL);
        mo_forces forces = solve(world, MO_FRICTION_CONE);
        const double inertia = 0.4 * mass * r * r;
        CHECK(forces.contact_count == 1);
        CHECK_NEAR(forces.contacts[0].moment[2], round ? -most : -moment[2], 1e-6 * most);
        CHECK_NEAR(forces.accelerations[1][5], round ? 0.5 * most / inertia : 0, 1e-5);
        mo_forces_clear(&forces);
        mo_world_destroy(world);
    }
}

/* A block pressed down off its middle, on four feet: forces of equal springs, P/4 (1 + x_i e / a^2)
 * each beside the weight. */
static void soft_contacts_spread_forces_as_springs_do(void **state)
{
    (void)state;
    const double a = 0.2, b = 0.15, mass = 1000 * 8 * a * b * 0.1, press = 200, e = 0.08;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 0.5);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(a, b, 0.1), mo_pose_at(0, 0, 0.1), 0.5);
    const double down[3] = {0, 0, -press}, at[3] = {e, 0, 0.2};
    mo_body_apply_force(world, block, down, at, NULL);
    mo_force_options options = mo_default_force_options();
    options.softness = 1e-6;
    mo_forces forces = {0};
    CHECK(!mo_world_forces(world, &options, &forces, NULL) && forces.status == MO_SOLVED);
    CHECK(forces.contact_count == 4 && forces.moving == 0);
    check_transitions(&forces, MO_TRANSITION_ROLLS);
    for (int k = 0; k < 4; ++k) {
        const double x = forces.contacts[k].point[0];
        const double expected = mass * G / 4 + press / 4 * (1 + x * e / (a * a));
        CHECK_NEAR(forces.contacts[k].force[2], expected, 1e-3 * expected);
    }
    options.softness = -1;
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_ERR_ARGUMENT);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* Two towers: the one whose upper block hangs over too far loses that block alone. */
static void failing_parts_are_reported(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 0.5);
    for (int tower = 0; tower < 2; ++tower) {
        const double x = 3 * tower, overhang = tower ? 0.11 : 0.09;
        add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.05), mo_pose_at(x, 0, 0.05), 0.5);
        add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.05), mo_pose_at(x + overhang, 0, 0.15),
            0.5);
    }
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    CHECK(forces.body_count == 5 && forces.moving == 1);
    for (int k = 0; k < 5; ++k)
        CHECK(forces.is_moving[k] == (k == 4));
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

static void an_assembly_at_rest_holds_or_not(void **state)
{
    (void)state;
    for (int round = 0; round < 2; ++round) {
        const double overhang = round ? 0.11 : 0.09; /* of a block 0.2 long */
        mo_world *world = new_world(3);
        add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 0.5);
        add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.05), mo_pose_at(0, 0, 0.05), 0.5);
        add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.05), mo_pose_at(overhang, 0, 0.15), 0.5);
        mo_forces forces = solve(world, MO_FRICTION_CONE);
        CHECK((forces.moving == 0) == (round == 0));
        mo_forces_clear(&forces);
        mo_world_destroy(world);
    }
}

static void a_first_order_world_moves_while_it_is_pushed(void **state)
{
    (void)state;
    const double mu = 0.3, tau = 0.5, h = 1e-2, mass = 1000 * 8 * 0.001;
    mo_world *world = new_world(3);
    mo_world_def def = mo_world_definition(world);
    def.first_order = tau;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1), mo_pose_at(0, 0, 0.1), mu);
    const double push[3] = {2 * mu * mass * G, 0, 0}, at[3] = {0, 0, 0};
    for (int k = 0; k < 20; ++k) {
        mo_body_apply_force(world, block, push, at, NULL);
        run(world, h, h);
        CHECK_NEAR(mo_body_get(world, block).velocity[0], tau * mu * G, 1e-6);
        /* the force on the floor is the weight, whatever tau */
        double force = 0;
        for (int c = 0; c < mo_world_contact_count(world); ++c)
            force += fabs(mo_world_contact(world, c).impulse[2]) / h;
        CHECK_NEAR(force, mass * G, 1e-6 * force);
    }
    run(world, h, h);
    CHECK_BELOW(fabs(mo_body_get(world, block).velocity[0]), 1e-9);
    def.level = MO_LEVEL_ACCELERATION;
    CHECK(mo_world_change(world, &def, NULL) == MO_ERR_ARGUMENT);
    mo_world_destroy(world);
}

/* A hinge with a spring, without inertia to speak of: a large tau puts it where its moments balance
 * within a step. */
static void quasistatic_motion_keeps_forces_in_balance(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_world_def def = mo_world_definition(world);
    def.first_order = 1e6;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    mo_link_def link = mo_default_link(-1);
    link.mass = 1;
    link.centre[0] = 0.5;
    link.inertia[0] = link.inertia[1] = link.inertia[2] = 0.1;
    mo_axis_def hinge = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_vec3_set(hinge.axis, 0, 1, 0);
    hinge.stiffness = 10;
    mo_mechanism_def mechanism = mo_default_mechanism();
    mechanism.links = &link;
    mechanism.joints = &hinge;
    mechanism.link_count = mechanism.joint_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &mechanism, NULL);
    run(world, 1e-2, 0.1);
    const double q = mo_mechanism_q(world, id)[0];
    CHECK_NEAR(10 * q, 0.5 * G * cos(q), 1e-6);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_accelerations_ask_for_their_efforts_through_contact),
        cmocka_unit_test(known_accelerations_and_known_efforts_mix),
        cmocka_unit_test(an_acceleration_into_a_limit_has_no_effort),
        cmocka_unit_test(a_soft_finger_holds_a_moment),
        cmocka_unit_test(soft_contacts_spread_forces_as_springs_do),
        cmocka_unit_test(failing_parts_are_reported),
        cmocka_unit_test(an_assembly_at_rest_holds_or_not),
        cmocka_unit_test(a_first_order_world_moves_while_it_is_pushed),
        cmocka_unit_test(quasistatic_motion_keeps_forces_in_balance),
    };
    return cmocka_run_group_tests_name("variations of forces", tests, NULL, NULL);
}
