/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The simulator against closed forms and conservation laws. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

static const double G = 9.81;

static mo_world *make_world(mo_world_def def)
{
    mo_world *world;
    mo_message why = {{0}};
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    return world;
}

static mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    mo_message why = {{0}};
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    const mo_body_id body = mo_world_add_body(world, &def, &why);
    const mo_shape_id made = mo_world_add_shape(world, body, &shape, &why);
    if (!made.index) {
        fail_msg("%s", why.text);
    }
    return body;
}

static mo_shape_def rough(mo_shape_def shape, double mu)
{
    shape.material.friction = mu;
    return shape;
}

/* So many steps, each of them solved. */
static mo_step_report go(mo_world *world, double h, int steps)
{
    mo_step_report report = {0};
    mo_message why = {{0}};
    for (int k = 0; k < steps; ++k) {
        if (mo_world_step(world, h, &report, &why)) {
            fail_msg("step %d: %s", k, why.text);
        }
        if (report.status != MO_SOLVED) {
            fail_msg("step %d: %s", k, report.message.text);
        }
    }
    return report;
}

static void set_velocity(mo_world *world, mo_body_id body, double x, double y, double z)
{
    const mo_body_state now = mo_body_get(world, body);
    CHECK(mo_body_set(world, body, &now.pose, (const double[3]){x, y, z}, now.spin, NULL) == MO_OK);
}

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
            if (rolls == 0 && mo_world_contact(world, 0).mode == MO_CONTACT_STICKS) {
                rolls = mo_world_time(world);
            }
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
    for (int k = 0; k < 10; ++k) {
        top = add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0.5), mo_pose_at(0, 0, 0.5 + k));
    }
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
    for (int k = 0; k < 10; ++k) {
        top = add(world, MO_BODY_FREE, mo_shape_box(0.5, 0.5, 0), mo_pose_at(0, 0.5 + k, 0));
    }
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
            if (last > 0 && now <= 0) {
                crossed[crossings++] = mo_world_time(world);
            }
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
        if (limited) {
            CHECK_NEAR(q, 1, 1e-6);
        } else {
            CHECK_NEAR(q, 12, 0.2); /* nearly two turns */
        }
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
    for (int k = 0; k < 5; ++k) {
        CHECK_BELOW(mo_joint_get(world, mo_world_joint(world, k)).error, 1e-9);
    }
    mo_world_destroy(world);
}

static void what_sleeps_wakes_when_it_is_hit(void **state)
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

/* ---- state and bad input --------------------------------------------------------------------- */

static mo_world *heap(void)
{
    mo_world *world = make_world(mo_default_world());
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    for (int k = 0; k < 6; ++k) {
        add(world, MO_BODY_FREE, k % 2 ? mo_shape_box(0.2, 0.15, 0.1) : mo_shape_ball(0.15),
            mo_pose_turned(0.05 * k, 0, 0.3 + 0.4 * k, (const double[3]){1, 2, 3}, 0.4 * k));
    }
    return world;
}

static void a_run_that_is_saved_and_loaded_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    mo_world *one = heap(), *other = heap();
    go(one, 0.01, 60);
    const size_t size = mo_world_save(one, NULL, 0);
    void *bytes = malloc(size);
    CHECK(mo_world_save(one, bytes, size) == size);
    CHECK(mo_world_load(other, bytes, size, NULL) == MO_OK);
    go(one, 0.01, 60);
    go(other, 0.01, 60);
    for (int k = 0; k < mo_world_body_count(one); ++k) {
        const mo_body_state a = mo_body_get(one, mo_world_body(one, k)),
                            b = mo_body_get(other, mo_world_body(other, k));
        CHECK(memcmp(&a.pose, &b.pose, sizeof a.pose) == 0);
        CHECK(memcmp(a.velocity, b.velocity, sizeof a.velocity) == 0);
    }
    mo_message why = {{0}};
    CHECK(mo_world_load(other, bytes, size - 1, &why) == MO_ERR_FORMAT && why.text[0]);
    memset((char *)bytes + 100, 0xff, 64); /* numbers that are none */
    CHECK(mo_world_load(other, bytes, size, &why) == MO_ERR_FORMAT);
    free(bytes);
    mo_world_destroy(one);
    mo_world_destroy(other);
}

static void a_step_too_long_for_its_contacts_is_refused_with_a_remedy(void **state)
{
    (void)state;
    mo_world *world = heap();
    mo_message why = {{0}};
    const mo_body_state before = mo_body_get(world, mo_world_body(world, 1));
    CHECK(mo_world_step(world, 1e5, NULL, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "too long") && strstr(why.text, "at most"));
    const mo_body_state after = mo_body_get(world, mo_world_body(world, 1));
    CHECK(memcmp(&before.pose, &after.pose, sizeof before.pose) == 0);
    CHECK(memcmp(before.velocity, after.velocity, sizeof before.velocity) == 0);
    CHECK(memcmp(before.spin, after.spin, sizeof before.spin) == 0);
    CHECK(mo_world_step(world, 1, NULL, &why) == MO_OK);
    mo_world_destroy(world);
}

/* Of a driven body: nowhere, once that is asked for. */
static void vanish(void *user, double time, mo_pose *pose)
{
    (void)time;
    *pose = mo_pose_at(*(int *)user ? NAN : 0, 0, -9);
}

static void add_vanishing(mo_world *world, int *vanishes)
{
    mo_body_def def = mo_default_body(MO_BODY_DRIVEN);
    def.pose = mo_pose_at(0, 0, -9);
    def.motion = vanish;
    def.motion_user = vanishes;
    CHECK(mo_world_add_body(world, &def, NULL).index);
}

static void a_step_that_would_bring_nan_is_refused_and_nothing_changes(void **state)
{
    (void)state;
    mo_world *world = heap();
    int vanishes = 0;
    add_vanishing(world, &vanishes);
    go(world, 0.01, 5);
    const mo_body_id ball = mo_world_body(world, 1);
    const mo_body_state before = mo_body_get(world, ball);
    mo_message why = {{0}};
    CHECK(mo_world_step(world, -1, NULL, &why) == MO_ERR_ARGUMENT && why.text[0]);
    CHECK(mo_world_step(world, NAN, NULL, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_body_apply_force(world, ball, (const double[3]){NAN, 0, 0}, before.centre, &why));
    CHECK(strstr(why.text, "finite"));
    CHECK(mo_body_apply_torque(world, ball, (const double[3]){0, INFINITY, 0}, &why));
    const double push[3] = {1e100, 0, 0}, far[3] = {0, 1e100, 0}; /* a moment beyond any state */
    CHECK(mo_body_apply_force(world, ball, push, far, &why) == MO_ERR_ARGUMENT);
    vanishes = 1;
    CHECK(mo_world_step(world, 0.01, NULL, &why) != MO_OK && why.text[0]);
    vanishes = 0;
    const mo_body_state after = mo_body_get(world, ball);
    CHECK(memcmp(&before.pose, &after.pose, sizeof before.pose) == 0);
    CHECK_NEAR(mo_world_time(world), 0.05, 1e-12);
    CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_OK);
    mo_world_destroy(world);
}

static void bad_definitions_get_a_sentence(void **state)
{
    (void)state;
    mo_message why = {{0}};
    mo_world *world = make_world(mo_default_world());
    const mo_body_id body = add(world, MO_BODY_FREE, mo_shape_ball(1), mo_pose_identity());
    mo_shape_def bad[] = {mo_shape_ball(-1),
                          mo_shape_ball(NAN),
                          mo_shape_box(1, 0, 1),
                          mo_shape_plane(),
                          rough(mo_shape_ball(1), -0.1),
                          mo_shape_cylinder(0, 1),
                          {.kind = (mo_shape_kind)99}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        why.text[0] = 0;
        CHECK(mo_world_add_shape(world, body, &bad[k], &why).index == 0);
        CHECK(strlen(why.text) > 10);
    }
    mo_body_def odd = mo_default_body(MO_BODY_FREE);
    odd.pose.orientation[0] = 2;
    CHECK(mo_world_add_body(world, &odd, &why).index == 0);
    const mo_joint_def self = mo_default_joint(MO_JOINT_BALL, body, body);
    CHECK(mo_world_add_joint(world, &self, &why).index == 0);
    mo_world_remove_body(world, body, NULL);
    CHECK(!mo_world_has_body(world, body));
    CHECK(mo_world_add_shape(world, body, &bad[3], &why).index == 0); /* a stale id */
    go(world, 0.01, 1);                                               /* an empty world is fine */
    const mo_body_def weightless = mo_default_body(MO_BODY_FREE);
    mo_world_add_body(world, &weightless, NULL);
    CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_ERR_ARGUMENT);
    mo_world_destroy(world);
}

/* One call for a body with one shape; where the shape is refused, no body is left behind. */
static void a_solid_is_a_body_with_one_shape(void **state)
{
    (void)state;
    const mo_shape_def plane = mo_shape_plane(), box = mo_shape_box(0.1, 0.1, 0.1);
    const mo_pose pose = mo_pose_at(0, 0, 2);
    mo_message why = {{0}};
    mo_world *world;
    CHECK(mo_world_create(NULL, NULL, &world, &why) == MO_OK); /* the default world */
    CHECK(mo_world_definition(world).gravity[2] == mo_default_world().gravity[2]);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, &why).index);
    const mo_body_id solid = mo_world_add_solid(world, MO_BODY_FREE, &box, &pose, &why);
    const mo_body_state found = mo_body_get(world, solid);
    CHECK(found.shape_count == 1 && found.pose.position[2] == 2);
    CHECK_NEAR(found.mass, 8, 1e-12);
    CHECK(!mo_world_add_solid(world, MO_BODY_FREE, &plane, NULL, &why).index && why.text[0]);
    CHECK(mo_world_body_count(world) == 2);
    mo_world_destroy(world);
}

/* Rolling friction acts on a ball, and not on the corners of a box, whose normals bear all
 * moments. */
static void a_face_has_no_rolling_moments(void **state)
{
    (void)state;
    mo_world *world;
    mo_shape_def floor = mo_shape_plane(), ball = mo_shape_ball(0.1),
                 box = mo_shape_box(0.1, 0.1, 0.1);
    floor.material.rolling = ball.material.rolling = box.material.rolling = 0.01;
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL).index);
    for (int k = 0; k < 2; ++k) {
        const mo_pose pose = mo_pose_at(k, 0, 0.1);
        const mo_body_id id =
            mo_world_add_solid(world, MO_BODY_FREE, k ? &box : &ball, &pose, NULL);
        const double v[3] = {0.5, 0, 0}, spin[3] = {0, k ? 0 : 5, 0};
        CHECK(id.index && mo_body_set(world, id, &pose, v, spin, NULL) == MO_OK);
    }
    mo_step_report report;
    CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK && report.status == MO_SOLVED);
    CHECK(mo_world_contact_count(world) == 5);
    for (int k = 0; k < 5; ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        const double normal = contact.impulse[2], moment = -contact.moment[1];
        const int is_ball = contact.point[0] < 0.5;
        CHECK(normal > 0);
        CHECK_NEAR(moment, is_ball ? 0.01 * normal : 0, 1e-9 * normal);
    }
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solid_is_a_body_with_one_shape),
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
        cmocka_unit_test(what_sleeps_wakes_when_it_is_hit),
        cmocka_unit_test(torsional_friction_stops_a_spinning_ball),
        cmocka_unit_test(a_run_that_is_saved_and_loaded_goes_on_with_the_same_bits),
        cmocka_unit_test(a_step_too_long_for_its_contacts_is_refused_with_a_remedy),
        cmocka_unit_test(a_step_that_would_bring_nan_is_refused_and_nothing_changes),
        cmocka_unit_test(bad_definitions_get_a_sentence),
        cmocka_unit_test(a_face_has_no_rolling_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
