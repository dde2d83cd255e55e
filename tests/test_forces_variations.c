/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The variations of [trinkle1997, section 2.5]: known accelerations, assemblies at rest, the first-order world, quasistatic motion. */
#include "forces_tools.h"

/* A pusher on a slide is to accelerate by 1 m/s^2, a block before it: what effort does that take? */
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
        mo_body_push(world, block, push, at);
        run(world, h, h);
        CHECK_NEAR(mo_body_get(world, block).velocity[0], tau * mu * G, 1e-6);
        /* the force on the floor is the weight, whatever tau */
        double force = 0;
        for (int c = 0; c < mo_world_contact_count(world); ++c) {
            force += fabs(mo_world_contact(world, c).impulse[2]) / h;
        }
        CHECK_NEAR(force, mass * G, 1e-6 * force);
    }
    run(world, h, h);
    CHECK_BELOW(fabs(mo_body_get(world, block).velocity[0]), 1e-9);
    def.level = MO_LEVEL_ACCELERATION;
    CHECK(mo_world_change(world, &def, NULL) == MO_ERR_ARGUMENT);
    mo_world_destroy(world);
}

/* A hinge with a spring, without inertia to speak of: a large tau puts it where its moments balance within a step. */
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
        cmocka_unit_test(an_assembly_at_rest_holds_or_not),
        cmocka_unit_test(a_first_order_world_moves_while_it_is_pushed),
        cmocka_unit_test(quasistatic_motion_keeps_forces_in_balance),
    };
    return cmocka_run_group_tests_name("variations of forces", tests, NULL, NULL);
}
