/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The simulator against closed forms and conservation laws. */
#include "world_steps.h"

/* ---- one block, one ball --------------------------------------------------------------------- */

/* Gravity is tilted rather than the plane; turned in the plane of the slope, to see that no
 * direction is special. */
static mo_world *incline(double mu, double direction, mo_body_id *block)
{
    mo_world_def def = mo_default_world();
    const double slope = atan(0.5);
    def.gravity[0] = G * sin(slope) * cos(direction);
    def.gravity[1] = G * sin(slope) * sin(direction);
    def.gravity[2] = -G * cos(slope);
    mo_world *world = make_world(def);
    add(world, MO_BODY_FIXED, rough(mo_shape_plane(), mu), mo_pose_identity());
    *block =
        add(world, MO_BODY_FREE, rough(mo_shape_box(0.5, 0.5, 0.25), mu), mo_pose_at(0, 0, 0.25));
    return world;
}

static void a_block_on_an_incline_rests_or_slides_by_the_book(void **state)
{
    (void)state;
    for (int k = 0; k < 4;
         ++k) { /* in two directions, far from the edge of sliding and near to it */
        const double turn = k % 2 * acos(-1.0) / 4, apart = k < 2 ? 0.01 : 1e-6, mu = 0.5 - apart;
        mo_body_id block;
        mo_world *world = incline(0.5 + apart, turn, &block);
        go(world, 0.01, 1000);
        mo_body_state now = mo_body_get(world, block);
        CHECK_BELOW(hypot(now.pose.position[0], now.pose.position[1]), 1e-12);
        mo_world_destroy(world);

        world = incline(mu, turn, &block);
        const mo_step_report report = go(world, 0.01, 100);
        now = mo_body_get(world, block);
        const double slope = atan(0.5), expected = G * (sin(slope) - mu * cos(slope));
        CHECK(report.contacts == 4);
        CHECK_NEAR(hypot(now.velocity[0], now.velocity[1]), expected, 1e-9);
        CHECK_NEAR(now.pose.position[2], 0.25, 1e-12);
        mo_world_destroy(world);
    }
}

static void a_sliding_ball_comes_to_roll_at_five_sevenths(void **state)
{
    (void)state;
    const double mu = 0.3, v0 = 2;
    for (int k = 0; k < 6; ++k) {
        const double h = pow(10, -2 - k / 2), turn = k % 2 * acos(-1.0) / 4;
        mo_world *world = make_world(mo_default_world());
        add(world, MO_BODY_FIXED, rough(mo_shape_plane(), mu), mo_pose_identity());
        const mo_body_id ball =
            add(world, MO_BODY_FREE, rough(mo_shape_ball(0.1), mu), mo_pose_at(0, 0, 0.1));
        set_velocity(world, ball, v0 * cos(turn), v0 * sin(turn), 0);
        double rolls = 0;
        while (mo_world_time(world) < 0.5) {
            go(world, h, 1);
            if (rolls == 0 && mo_world_contact(world, 0).mode == MO_CONTACT_STICKS)
                rolls = mo_world_time(world);
        }
        CHECK_NEAR(rolls, 2 * v0 / (7 * mu * G), h);
        CHECK_NEAR(mo_body_get(world, ball).velocity[0], 5.0 / 7 * v0 * cos(turn), 1e-9);
        CHECK_NEAR(mo_body_get(world, ball).velocity[1], 5.0 / 7 * v0 * sin(turn), 1e-9);
        mo_world_destroy(world);
    }
}

static void a_ball_bounces_by_its_restitution(void **state)
{
    (void)state;
    mo_world *world = make_world(mo_default_world());
    mo_shape_def ball = mo_shape_ball(0.1), plane = mo_shape_plane();
    ball.material.restitution = 0.5;
    add(world, MO_BODY_FIXED, plane, mo_pose_identity());
    const mo_body_id body = add(world, MO_BODY_FREE, ball, mo_pose_at(0, 0, 1.1));
    const double h = 1e-3;
    double fastest_down = 0, fastest_up = 0;
    for (int k = 0; k < 700; ++k) {
        go(world, h, 1);
        const double v = mo_body_get(world, body).velocity[2];
        fastest_down = fmin(fastest_down, v);
        fastest_up = fmax(fastest_up, v);
    }
    CHECK_NEAR(fastest_down, -sqrt(2 * G), 2 * G * h);
    CHECK_NEAR(fastest_up, -0.5 * fastest_down, 2 * G * h);
    mo_world_destroy(world);
}

static void a_fast_ball_does_not_pass_through_a_thin_wall(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    def.gravity[2] = 0;
    mo_world *world = make_world(def);
    add(world, MO_BODY_FIXED, mo_shape_box(0.01, 1, 1), mo_pose_at(1, 0, 0));
    const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(0.05), mo_pose_at(0, 0, 0));
    set_velocity(world, ball, 100, 0, 0); /* a metre a step */
    go(world, 0.01, 50);
    CHECK_BELOW(mo_body_get(world, ball).pose.position[0], 1 - 0.01 - 0.05 + 1e-6);
    mo_world_destroy(world);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static void a_stack_of_cubes_stands_without_creep(void **state)
{
    (void)state;
    mo_world *world = make_world(mo_default_world());
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    mo_body_id top = {0};
    for (int k = 0; k < 10; ++k)
        top = add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0.5), mo_pose_at(0, 0, 0.5 + k));
    const mo_step_report report = go(world, 0.02, 100);
    const mo_body_state now = mo_body_get(world, top);
    CHECK(report.contacts == 40);
    CHECK_BELOW(fabs(now.pose.position[0]) + fabs(now.pose.position[1]), 1e-9);
    CHECK_NEAR(now.pose.position[2], 9.5, 1e-9);
    CHECK_BELOW(report.penetration, 1e-9);
    CHECK_BELOW(mo_world_penetration(world), 1e-9);
    mo_world_destroy(world);
}

static void a_planar_stack_stands_too(void **state)
{
    (void)state;
    mo_world *world = make_world(mo_default_planar_world());
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    mo_body_id top = {0};
    for (int k = 0; k < 10; ++k)
        top = add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0), mo_pose_at(0, 0.5 + k, 0));
    const mo_step_report report = go(world, 0.02, 100);
    CHECK(report.contacts == 20);
    CHECK_NEAR(mo_body_get(world, top).pose.position[1], 9.5, 1e-9);
    CHECK_BELOW(fabs(mo_body_get(world, top).pose.position[0]), 1e-9);
    mo_world_destroy(world);
}

/* ---- conservation ---------------------------------------------------------------------------- */

static void a_free_body_keeps_its_angular_momentum_and_gains_no_energy(void **state)
{
    (void)state;
    double loss[2];
    for (int k = 0; k < 2; ++k) {
        mo_world_def def = mo_default_world();
        def.gravity[2] = 0;
        mo_world *world = make_world(def);
        const mo_body_id body =
            add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.3, 0.1), mo_pose_identity());
        const mo_pose pose = mo_pose_identity();
        CHECK(mo_body_set(world, body, &pose, (const double[3]){1, 2, 3},
                          (const double[3]){0.1, 3, 0.2}, NULL) == MO_OK);
        double p0[3], L0[3], p[3], L[3], energy = mo_world_kinetic_energy(world);
        const double first = energy, h = k ? 1e-3 : 2e-3;
        mo_world_momentum(world, p0, L0);
        for (int step = 0; step < (int)(2 / h); ++step) {
            go(world, h, 1);
            const double now = mo_world_kinetic_energy(world);
            CHECK_BELOW(now, energy * (1 + 1e-13));
            energy = now;
        }
        mo_world_momentum(world, p, L);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(L[i], L0[i], 1e-9 * fabs(L0[1]));
            CHECK_NEAR(p[i], p0[i], 1e-12 * fabs(p0[i]));
        }
        loss[k] = first - energy;
        mo_world_destroy(world);
    }
    CHECK_NEAR(loss[0] / loss[1], 2, 0.1); /* first order */
}

/* Boxes and balls thrown on a heap; also with bounces. */
static void energy_never_grows_in_a_heap(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; ++planar) {
        mo_world *world = make_world(planar ? mo_default_planar_world() : mo_default_world());
        mo_random random = {41};
        mo_body_id bodies[12];
        add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
        for (int k = 0; k < 12; ++k) {
            mo_shape_def shape = k % 2 ? mo_shape_box(0.2, 0.15, 0.1) : mo_shape_ball(0.15);
            shape.material.restitution = k % 3 ? 0.4 : 0;
            const double up = 0.4 + 0.6 * k, aside = uniform(&random, -0.2, 0.2);
            const double turn = uniform(&random, -3, 3);
            bodies[k] = add(
                world, MO_BODY_FREE, shape,
                planar ? mo_pose_planar(aside, up, turn)
                       : mo_pose_turned(aside, 0.1 * aside, up, (const double[3]){1, 2, 3}, turn));
        }
        double energy = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
        const double first = energy;
        int unsolved = 0;
        for (int k = 0; k < 700; ++k) {
            mo_step_report report;
            CHECK(mo_world_step(world, 0.005, &report, NULL) == MO_OK);
            unsolved += report.status != MO_SOLVED;
            const double now = report.kinetic_energy + report.potential_energy;
            CHECK_BELOW(now, energy + 1e-6 * first);
            energy = fmin(now, energy);
        }
        CHECK(unsolved == 0);
        for (int k = 1; k < 12; k += 2) { /* the boxes came to rest; the balls roll away */
            const mo_body_state now = mo_body_get(world, bodies[k]);
            CHECK_BELOW(hypot(hypot(now.velocity[0], now.velocity[1]), now.velocity[2]), 1e-6);
        }
        mo_world_destroy(world);
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void a_pendulum_swings_with_its_period(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; ++planar) {
        mo_world_def def = planar ? mo_default_planar_world() : mo_default_world();
        mo_world *world = make_world(def);
        /* a ball on a massless arm of 1 m, started at 0.1 rad from below: gravity is along -y or -z
         */
        const double a = 0.1, x = sin(a), down = -cos(a);
        const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(0.1),
                                    planar ? mo_pose_at(x, down, 0) : mo_pose_at(x, 0, down));
        mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, ball);
        joint.axis[1] = -1;
        joint.axis[2] = 0;
        mo_message why = {{0}};
        const mo_joint_id id = mo_world_add_joint(world, &joint, &why);
        CHECK(id.index > 0);
        const double h = 1e-4, I = planar ? 1 + 0.005 : 1 + 0.4 * 0.01;
        const double period = 2 * acos(-1.0) * sqrt(I / G) * (1 + a * a / 16);
        double last = 1, crossed[2] = {0};
        int crossings = 0;
        while (crossings < 2) {
            go(world, h, 1);
            const double now = mo_body_get(world, ball).pose.position[0];
            if (last > 0 && now <= 0) crossed[crossings++] = mo_world_time(world);
            last = now;
        }
        CHECK_NEAR(crossed[1] - crossed[0], period, 2e-3 * period);
        CHECK_BELOW(mo_joint_get(world, id).error, 1e-7);
        mo_world_destroy(world);
    }
}

static void a_motor_turns_at_its_speed_and_a_weak_one_stalls(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; ++weak) {
        mo_world *world = make_world(mo_default_planar_world());
        /* a bar of 1 m and 1 kg/m^2 * 0.1 m, hinged at one end, held up against gravity */
        mo_shape_def bar = mo_shape_box(0.5, 0.05, 0);
        bar.density = 10;
        const mo_body_id body = add(world, MO_BODY_FREE, bar, mo_pose_at(0.5, 0, 0));
        mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, body);
        joint.drive = MO_DRIVE_VELOCITY;
        joint.target = 1;
        joint.max_effort = weak ? 0.4 * G * 0.5 : INFINITY; /* the moment of the weight is 0.5 G */
        const mo_joint_id id = mo_world_add_joint(world, &joint, NULL);
        go(world, 0.001, 500);
        const mo_joint_state now = mo_joint_get(world, id);
        if (weak) {
            CHECK_BELOW(now.q, 0);
            CHECK_NEAR(now.effort, joint.max_effort, 1e-9);
        } else {
            CHECK_NEAR(now.speed, 1, 1e-9);
            CHECK_NEAR(now.q, 0.5, 1e-9);
            CHECK_NEAR(now.effort, 0.5 * G * cos(now.q), 0.02);
        }
        mo_world_destroy(world);
    }
}

static void limits_stop_a_door_and_angles_go_beyond_a_turn(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    def.gravity[2] = 0;
    for (int limited = 0; limited < 2; ++limited) {
        mo_world *world = make_world(def);
        const mo_body_id door =
            add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.05, 1), mo_pose_at(0.5, 0, 0));
        mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, door);
        joint.has_limits = limited;
        joint.lower = -1;
        joint.upper = 1;
        const mo_joint_id id = mo_world_add_joint(world, &joint, NULL);
        const mo_pose pose = mo_pose_at(0.5, 0, 0);
        CHECK(mo_body_set(world, door, &pose, (const double[3]){0, 2, 0},
                          (const double[3]){0, 0, 4}, NULL) == MO_OK);
        go(world, 0.01, 300);
        const double q = mo_joint_get(world, id).q;
        if (limited)
            CHECK_NEAR(q, 1, 1e-6);
        else
            CHECK_NEAR(q, 12, 0.2); /* nearly two turns */
        mo_world_destroy(world);
    }
}

static void a_chain_that_is_projected_gains_no_energy_and_does_not_drift(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    def.projection = 1;
    mo_world *world = make_world(def);
    mo_body_id last = {0};
    for (int k = 0; k < 5; ++k) {
        const mo_body_id link = add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.02, 0.02),
                                    mo_pose_at(0.1 + 0.2 * k, 0, 0));
        mo_joint_def joint = mo_default_joint(MO_JOINT_BALL, last, link);
        joint.anchor[0] = 0.2 * k;
        CHECK(mo_world_add_joint(world, &joint, NULL).index > 0);
        last = link;
    }
    double energy = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
    const double weight = 5 * 8 * 0.1 * 0.02 * 0.02 * 1000 * G;
    for (int k = 0; k < 300; ++k) {
        const mo_step_report report = go(world, 0.005, 1);
        const double now = report.kinetic_energy + report.potential_energy;
        CHECK_BELOW(
            now, energy + 1e-4 * weight); /* the projection may lift by a tenth of a millimetre */
        energy = fmin(now, energy);
    }
    for (int k = 0; k < 5; ++k)
        CHECK_BELOW(mo_joint_get(world, mo_world_joint(world, k)).error, 1e-9);
    mo_world_destroy(world);
}

static void sleeping_bodies_wake_when_hit(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    def.sleeping = 1;
    mo_world *world = make_world(def);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    const mo_body_id low =
        add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0.5), mo_pose_at(0, 0, 0.5));
    const mo_body_id high =
        add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0.5), mo_pose_at(0, 0, 1.5));
    mo_step_report report = go(world, 0.01, 100);
    CHECK(mo_body_get(world, low).is_asleep && mo_body_get(world, high).is_asleep);
    CHECK(report.contacts == 0);
    const mo_body_id ball = add(world, MO_BODY_FREE, mo_shape_ball(0.2), mo_pose_at(-1.5, 0, 1.5));
    set_velocity(world, ball, 20, 0, 0);
    go(world, 0.01, 15);
    CHECK(!mo_body_get(world, low).is_asleep && !mo_body_get(world, high).is_asleep);
    CHECK(mo_body_get(world, high).pose.position[0] > 1e-3); /* pushed */
    mo_world_destroy(world);
}

/* A ball spins on the spot: its spin falls by 5/2 mu_torsion g t / r^2, and stops. */
static void torsional_friction_stops_a_spinning_ball(void **state)
{
    (void)state;
    mo_world *world = make_world(mo_default_world());
    mo_shape_def shape = mo_shape_ball(0.1), plane = mo_shape_plane();
    shape.material.torsion = plane.material.torsion = 0.01;
    add(world, MO_BODY_FIXED, plane, mo_pose_identity());
    const mo_body_id ball = add(world, MO_BODY_FREE, shape, mo_pose_at(0, 0, 0.1));
    const mo_pose pose = mo_pose_at(0, 0, 0.1);
    CHECK(mo_body_set(world, ball, &pose, (const double[3]){0, 0, 0}, (const double[3]){0, 0, 10},
                      NULL) == MO_OK);
    go(world, 0.001, 200);
    CHECK_NEAR(mo_body_get(world, ball).spin[2], 10 - 2.5 * 0.01 * G * 0.2 / 0.01, 1e-6);
    go(world, 0.001, 400);
    CHECK_NEAR(mo_body_get(world, ball).spin[2], 0, 1e-9);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_an_incline_rests_or_slides_by_the_book),
        cmocka_unit_test(a_sliding_ball_comes_to_roll_at_five_sevenths),
        cmocka_unit_test(a_ball_bounces_by_its_restitution),
        cmocka_unit_test(a_fast_ball_does_not_pass_through_a_thin_wall),
        cmocka_unit_test(a_stack_of_cubes_stands_without_creep),
        cmocka_unit_test(a_planar_stack_stands_too),
        cmocka_unit_test(a_free_body_keeps_its_angular_momentum_and_gains_no_energy),
        cmocka_unit_test(energy_never_grows_in_a_heap),
        cmocka_unit_test(a_pendulum_swings_with_its_period),
        cmocka_unit_test(a_motor_turns_at_its_speed_and_a_weak_one_stalls),
        cmocka_unit_test(limits_stop_a_door_and_angles_go_beyond_a_turn),
        cmocka_unit_test(a_chain_that_is_projected_gains_no_energy_and_does_not_drift),
        cmocka_unit_test(sleeping_bodies_wake_when_hit),
        cmocka_unit_test(torsional_friction_stops_a_spinning_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
