/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Steps by forces (--level acceleration): where things stop and bounce, beside time stepping. */
#include "forces_tools.h"
#include "worlds.h"

/* v^2 / (2 mu g), and it stays there. */
static double stopping_error(double h)
{
    const double mu = 0.5, v = 1;
    mo_world *world = by_forces(new_world(3));
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.2, 0.15, 0.02), mo_pose_at(0, 0, 0.02), mu);
    set(world, block, v, 0, 0, 0, 0, 0);
    run(world, h, 1);
    const mo_body_state body = mo_body_get(world, block);
    CHECK_BELOW(fabs(body.velocity[0]), 1e-9);
    mo_world_destroy(world);
    return fabs(body.pose.position[0] - v * v / (2 * mu * G));
}

static void a_block_stepped_by_forces_stops_where_it_should(void **state)
{
    (void)state;
    const double coarse = stopping_error(4e-3), fine = stopping_error(2e-3);
    CHECK_BELOW(coarse, 4e-3);
    CHECK_BELOW(fine, 0.6 * coarse);
}

static void a_ball_stepped_by_forces_bounces_when_it_should(void **state)
{
    (void)state;
    mo_world *world = by_forces(new_world(3));
    mo_body_def def = mo_default_body(MO_BODY_FIXED);
    mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    plane.material.restitution = ball.material.restitution = 0.7;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &def, NULL), &plane, NULL).index);
    def = mo_default_body(MO_BODY_FREE);
    def.pose = mo_pose_at(0, 0, 1.1);
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(mo_world_add_shape(world, body, &ball, NULL).index);
    const double fall = sqrt(2 / G), up = 0.7 * G * fall, after = 0.3, h = 1e-3;
    run(world, h, fall + after);
    const double z = 0.1 + up * after - G * after * after / 2;
    CHECK_NEAR(mo_body_get(world, body).pose.position[2], z, 10 * h);
    run(world, h, 6); /* it comes to rest */
    CHECK_NEAR(mo_body_get(world, body).pose.position[2], 0.1, 1e-4);
    CHECK_BELOW(mo_world_kinetic_energy(world), 1e-6);
    mo_world_destroy(world);
}

/* The tripod, the ball and the arm, moved by forces and by time stepping: the same to first order.
 */
static double level_difference(double h)
{
    mo_pose end[2][2];
    double q[2][3];
    for (int level = 0; level < 2; ++level) {
        mo_mechanism_id arm;
        mo_world *world = make_mixture(&arm);
        world = level ? by_forces(world) : world;
        run(world, h, 0.3);
        end[level][0] = mo_body_get(world, mo_world_body(world, 1)).pose;
        end[level][1] = mo_body_get(world, mo_world_body(world, 2)).pose;
        memcpy(q[level], mo_mechanism_q(world, arm), sizeof q[level]);
        mo_world_destroy(world);
    }
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        worst = fmax(worst, fabs(q[0][i] - q[1][i]));
        for (int k = 0; k < 2; ++k)
            worst = fmax(worst, fabs(end[0][k].position[i] - end[1][k].position[i]));
    }
    return worst;
}

static void both_levels_move_alike(void **state)
{
    (void)state;
    const double coarse = level_difference(4e-3), fine = level_difference(1e-3);
    CHECK_BELOW(coarse, 2e-2);
    CHECK_BELOW(fine, 0.4 * coarse);
}

/* Steps start from the forces of the last one, which are part of the state. */
static void a_run_by_forces_that_is_loaded_has_the_same_bits(void **state)
{
    (void)state;
    mo_mechanism_id arm;
    mo_world *world = by_forces(make_mixture(&arm));
    run(world, 1e-3, 0.05);
    const size_t size = mo_world_save(world, NULL, 0);
    char *middle = malloc(size), *end = malloc(size), *again = malloc(size);
    CHECK(middle && end && again && mo_world_save(world, middle, size) == size);
    run(world, 1e-3, 0.05);
    const size_t at_end = mo_world_save(world, NULL, 0);
    CHECK(at_end <= size && mo_world_save(world, end, size) == at_end);
    mo_world_destroy(world);
    world = by_forces(make_mixture(&arm));
    CHECK(mo_world_load(world, middle, size, NULL) == MO_OK);
    run(world, 1e-3, 0.05);
    CHECK(mo_world_save(world, again, size) == at_end && memcmp(end, again, at_end) == 0);
    free(middle);
    free(end);
    free(again);
    mo_world_destroy(world);
}

/* ---- joints and mechanisms by forces --------------------------------------------------------- */

/* Twenty bodies on ball joints fall from level and whip: the sum of energies stays, to first order.
 */
static double worst_energy(double h)
{
    mo_world *world = NULL;
    CHECK(world_create_default("chain", &world, NULL) == MO_OK);
    by_forces(world);
    const double first = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
    double most = 0, worst = 0;
    for (int k = 0; k < (int)lround(1 / h); ++k) {
        run(world, h, h);
        const double kinetic = mo_world_kinetic_energy(world);
        worst = fmax(worst, fabs(kinetic + mo_world_potential_energy(world) - first));
        most = fmax(most, kinetic);
    }
    mo_world_destroy(world);
    return worst / most;
}

static void a_falling_chain_keeps_its_energy(void **state)
{
    (void)state;
    const double coarse = worst_energy(1e-2), fine = worst_energy(5e-3);
    CHECK_BELOW(coarse, 0.02);
    CHECK_BELOW(fine, 0.6 * coarse);
}

/* Three rods hang straight down from each other: each pin carries those below it. */
static void joints_report_their_load_on_both_levels(void **state)
{
    (void)state;
    for (int level = 0; level < 2; ++level) {
        mo_world *world = new_world(3);
        world = level ? by_forces(world) : world;
        mo_body_id above = {0};
        mo_joint_id pin[3];
        for (int k = 0; k < 3; ++k) {
            mo_body_def def = mo_default_body(MO_BODY_FREE);
            def.mass = 2;
            def.inertia[0] = def.inertia[1] = 0.2;
            def.inertia[2] = 0.01;
            def.pose = mo_pose_at(0, 0, -0.5 - k);
            const mo_body_id body = mo_world_add_body(world, &def, NULL);
            mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, above, body);
            mo_vec3_set(joint.axis, 0, 1, 0);
            joint.anchor[2] = -k;
            joint.dry_friction = 0.1;
            pin[k] = mo_world_add_joint(world, &joint, NULL);
            CHECK(pin[k].index);
            above = body;
        }
        run(world, 1e-3, 0.02);
        for (int k = 0; k < 3; ++k) {
            const mo_joint_state joint = mo_joint_get(world, pin[k]);
            CHECK_NEAR(joint.force[2], (3 - k) * 2 * G, 1e-5);
            CHECK_NEAR(joint.error, 0, 1e-9);
        }
        mo_world_destroy(world);
    }
}

/* A rod of 1 kg and 1 m on a hinge about y, level at first, where a positive angle leads down. */
static mo_mechanism_id add_hinged_rod(mo_world *world, mo_axis_def joint,
                                      const mo_actuator_def *servo)
{
    mo_link_def link = mo_default_link(-1);
    link.mass = 1;
    link.centre[0] = 0.5;
    link.inertia[0] = 1e-3;
    link.inertia[1] = link.inertia[2] = 1.0 / 12;
    mo_vec3_set(joint.axis, 0, 1, 0);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &joint;
    def.link_count = def.joint_count = 1;
    def.actuators = servo;
    def.actuator_count = servo != NULL;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    CHECK(id.index);
    return id;
}

/* It falls onto its limit, and rests there with m g cos(1) / 2. */
static void a_rod_by_forces_comes_to_rest_on_its_limit(void **state)
{
    (void)state;
    mo_world *world = by_forces(new_world(3));
    mo_axis_def joint = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    joint.has_limits = 1;
    joint.lower = -1;
    joint.upper = 1;
    const mo_mechanism_id id = add_hinged_rod(world, joint, NULL);
    run(world, 1e-3, 1);
    CHECK_NEAR(mo_mechanism_q(world, id)[0], 1, 1e-8);
    CHECK_NEAR(mo_mechanism_v(world, id)[0], 0, 1e-8);
    CHECK_NEAR(mo_mechanism_joint(world, id, 0).limit_effort, -0.5 * G * cos(1), 1e-5);
    mo_world_destroy(world);
}

/* A stiff servo needs no small step; one that is too weak gives all it has, and the rod falls as it
 * does in time stepping. */
static void servos_by_forces_are_stiff_and_saturate(void **state)
{
    (void)state;
    double q[2];
    for (int level = 0; level < 2; ++level) {
        mo_world *world = new_world(3);
        world = level ? by_forces(world) : world;
        mo_actuator_def stiff = mo_actuator_position(0, 1e6, 1e3), weak = stiff;
        weak.lower = -2;
        weak.upper = 2;
        const mo_axis_def joint = mo_default_axis(MO_AXIS_REVOLUTE, 0);
        const mo_mechanism_id firm = add_hinged_rod(world, joint, &stiff),
                              limp = add_hinged_rod(world, joint, &weak);
        run(world, 1e-3, 0.3);
        CHECK_NEAR(mo_mechanism_q(world, firm)[0], 0.5 * G / 1e6, 1e-9);
        CHECK_NEAR(mo_mechanism_actuator(world, firm, 0).effort, -0.5 * G, 1e-4);
        CHECK(mo_mechanism_actuator(world, limp, 0).is_saturated);
        CHECK_NEAR(mo_mechanism_actuator(world, limp, 0).effort, -2, 1e-9);
        q[level] = mo_mechanism_q(world, limp)[0];
        mo_world_destroy(world);
    }
    CHECK(q[0] > 0.2);
    CHECK_NEAR(q[1], q[0], 1e-6);
}

/* Against dry friction F it goes on for m v^2 / (2 F), and stays. */
static void dry_friction_by_forces_stops_a_slide(void **state)
{
    (void)state;
    const double v = 1.5, friction = 4, h = 1e-3;
    mo_world *world = by_forces(new_world(3));
    mo_link_def link = mo_default_link(-1);
    link.mass = 2;
    link.inertia[0] = link.inertia[1] = link.inertia[2] = 1;
    mo_axis_def slide = mo_default_axis(MO_AXIS_PRISMATIC, 0);
    mo_vec3_set(slide.axis, 1, 0, 0);
    slide.dry_friction = friction;
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &slide;
    def.link_count = def.joint_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &def, NULL);
    CHECK(!mo_mechanism_set(world, id, NULL, &v, NULL));
    run(world, h, 1);
    CHECK_NEAR(mo_mechanism_q(world, id)[0], 2 * v * v / (2 * friction), v * h);
    CHECK_NEAR(mo_mechanism_v(world, id)[0], 0, 1e-12);
    mo_world_destroy(world);
}

/* Painleve's rod jams, jumps and falls: no step loses time over it. */
static void steps_without_forces_take_their_time(void **state)
{
    (void)state;
    mo_world *world = NULL;
    const double h = 1e-3;
    CHECK(world_create_default("painleve", &world, NULL) == MO_OK);
    by_forces(world);
    const double first = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
    for (int k = 1; k <= 300; ++k) {
        CHECK(mo_world_step(world, h, NULL, NULL) == MO_OK);
        CHECK_NEAR(mo_world_time(world), k * h, 1e-9);
        CHECK_BELOW(mo_world_kinetic_energy(world) + mo_world_potential_energy(world),
                    first * (1 + 1e-3));
    }
    mo_world_destroy(world);
}

/* A spinning cube with restitution 1 falls on four corners, which one sweep does not solve; it
 * leaves the ground, so that the forces after the impact are solved. */
static void an_unsolved_impact_is_reported(void **state)
{
    (void)state;
    for (int max_iter = 1; max_iter <= 1000; max_iter += 999) {
        mo_world_def def = mo_default_world();
        def.level = MO_LEVEL_ACCELERATION;
        def.solver.method = "nsgs";
        def.solver.max_iter = max_iter;
        mo_world *world;
        mo_shape_def plane = mo_shape_plane(), cube = mo_shape_box(0.1, 0.1, 0.1);
        plane.material.restitution = cube.material.restitution = 1;
        const mo_pose pose = mo_pose_at(0, 0, 0.1);
        mo_step_report report;
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, NULL).index);
        const mo_body_id body = mo_world_add_solid(world, MO_BODY_FREE, &cube, &pose, NULL);
        set(world, body, 1, 0, -5, 3, 0, 1);
        CHECK(mo_world_step(world, 1e-3, &report, NULL) == MO_OK);
        CHECK_BELOW(-mo_body_get(world, body).velocity[2], 0);
        CHECK(report.tolerance == def.solver.tol);
        CHECK((report.status == MO_SOLVED) == (max_iter > 1));
        CHECK((report.status == MO_SOLVED) == !report.message.text[0]);
        CHECK((report.status == MO_SOLVED) ==
              (report.residual.natural_relative <= report.tolerance));
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stepped_by_forces_stops_where_it_should),
        cmocka_unit_test(a_ball_stepped_by_forces_bounces_when_it_should),
        cmocka_unit_test(both_levels_move_alike),
        cmocka_unit_test(a_run_by_forces_that_is_loaded_has_the_same_bits),
        cmocka_unit_test(a_falling_chain_keeps_its_energy),
        cmocka_unit_test(joints_report_their_load_on_both_levels),
        cmocka_unit_test(a_rod_by_forces_comes_to_rest_on_its_limit),
        cmocka_unit_test(servos_by_forces_are_stiff_and_saturate),
        cmocka_unit_test(dry_friction_by_forces_stops_a_slide),
        cmocka_unit_test(steps_without_forces_take_their_time),
        cmocka_unit_test(an_unsolved_impact_is_reported),
    };
    return cmocka_run_group_tests_name("steps by forces", tests, NULL, NULL);
}
