/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Mechanisms in a world: motion, limits, friction, actuators, contact, loops, sleep, state. */
#include "mechanism_worlds.h"

/* Velocities are those of the middle of a step, where the energy is known to second order. */
static void a_passive_chain_keeps_its_energy_to_second_order(void **state)
{
    (void)state;
    static const double SIZE[] = {2e-3, 1e-3, 5e-4};
    double most[3] = {0};
    for (int round = 0; round < 3; ++round) {
        const double h = SIZE[round];
        mo_world *world = new_world(3), *twin = new_world(3);
        const mo_mechanism_id id = add_chain(world, 3, 0), other = add_chain(twin, 3, 0);
        const double before = energy_of(world);
        for (int k = 0; k < (int)lround(5 / h); ++k) {
            double q[3];
            run(world, h, h);
            for (int i = 0; i < 3; ++i)
                q[i] = mo_mechanism_q(world, id)[i] - 0.5 * h * mo_mechanism_v(world, id)[i];
            CHECK(mo_mechanism_set(twin, other, q, mo_mechanism_v(world, id), NULL) == MO_OK);
            most[round] = fmax(most[round], fabs(energy_of(twin) - before));
        }
        CHECK(mo_world_kinetic_energy(world) > 1);
        mo_world_destroy(world);
        mo_world_destroy(twin);
    }
    CHECK_BELOW(most[0], 0.1);
    CHECK_BELOW(most[1], 0.3 * most[0]);
    CHECK_BELOW(most[2], 0.3 * most[1]);
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
    for (int k = 0; k < mo_world_contact_count(world); ++k)
        CHECK(mo_world_contact(world, k).mode != MO_CONTACT_SLIDES);
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

/* Two links beside each other, 2 mm apart, on a base that flies at 20 m/s. */
static void links_that_fly_together_have_no_contacts_to_solve(void **state)
{
    (void)state;
    mo_link_def link[3] = {mo_default_link(-1), mo_default_link(0), mo_default_link(0)};
    mo_axis_def axis[3] = {mo_default_axis(MO_AXIS_FREE, 0), mo_default_axis(MO_AXIS_REVOLUTE, 1),
                           mo_default_axis(MO_AXIS_REVOLUTE, 2)};
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.link_count = 3;
    def.joints = axis;
    def.joint_count = 3;
    link[1].pose.position[0] = -0.101;
    link[2].pose.position[0] = 0.101;
    mo_world *world = new_world(3);
    const mo_mechanism_id id = add(world, &def);
    shape_on(world, id, 0, mo_shape_ball(0.01));
    shape_on(world, id, 1, mo_shape_box(0.1, 0.1, 0.1));
    shape_on(world, id, 2, mo_shape_box(0.1, 0.1, 0.1));
    for (int way = 0; way < 6; ++way) { /* velocity along each axis, both ways */
        double v[8] = {0};
        v[way / 2] = way % 2 ? -20 : 20;
        CHECK(mo_mechanism_set(world, id, NULL, v, NULL) == MO_OK);
        for (int k = 0; k < 20; ++k) {
            mo_step_report report;
            CHECK(mo_world_step(world, 2e-3, &report, NULL) == MO_OK);
            CHECK(report.status == MO_SOLVED && report.contacts == 0);
        }
    }
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_passive_chain_keeps_its_energy_to_second_order),
        cmocka_unit_test(a_chain_of_links_moves_like_one_of_joints),
        cmocka_unit_test(a_free_link_spins_without_gain_or_loss),
        cmocka_unit_test(fast_spin_stays_finite_at_any_step),
        cmocka_unit_test(a_free_link_slides_and_bounces_like_a_free_body),
        cmocka_unit_test(a_gripper_holds_a_thousand_times_its_fingers),
        cmocka_unit_test(a_loop_is_closed_by_a_joint_of_two_links),
        cmocka_unit_test(links_of_one_mechanism_touch_but_not_their_neighbours),
        cmocka_unit_test(links_that_fly_together_have_no_contacts_to_solve),
    };
    return cmocka_run_group_tests_name("mechanism", tests, NULL, NULL);
}
