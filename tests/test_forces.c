/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The acceleration level: closed forms, transitions, and the limit of time stepping. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"

static const double G = 9.81;

static mo_world *new_world(int dimension)
{
    const mo_world_def def = dimension == 2 ? mo_default_planar_world() : mo_default_world();
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    return world;
}

static mo_body_id add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose,
                      double mu)
{
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    shape.material.friction = mu;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(mo_world_add_shape(world, body, &shape, NULL).index);
    return body;
}

static void set(mo_world *world, mo_body_id body, double vx, double vy, double vz, double wx,
                double wy, double wz)
{
    const mo_pose pose = mo_body_get(world, body).pose;
    const double v[3] = {vx, vy, vz}, w[3] = {wx, wy, wz};
    CHECK(mo_body_set(world, body, &pose, v, w, NULL) == MO_OK);
}

static mo_forces solve(mo_world *world, mo_friction_model friction)
{
    mo_force_options options = mo_default_force_options();
    options.friction = friction;
    mo_forces forces = {0};
    mo_message why = {{0}};
    if (mo_world_forces(world, &options, &forces, &why) != MO_OK) {
        fail_msg("%s", why.text);
    }
    if (forces.status != MO_SOLVED) {
        fail_msg("%s: %s", mo_status_word(forces.status), forces.message.text);
    }
    return forces;
}

static double total_force(const mo_forces *forces, int axis)
{
    double sum = 0;
    for (int k = 0; k < forces->contact_count; ++k) {
        sum += forces->contacts[k].force[axis];
    }
    return sum;
}

static void check_transitions(const mo_forces *forces, mo_transition expected)
{
    CHECK(forces->contact_count > 0);
    for (int k = 0; k < forces->contact_count; ++k) {
        if (forces->contacts[k].transition != expected) {
            fail_msg("contact %d %s, but should be: %s", k,
                     mo_transition_name(forces->contacts[k].transition),
                     mo_transition_name(expected));
        }
    }
}

static void a_block_rests_slips_slides_and_leaves(void **state)
{
    (void)state;
    const double mu = 0.4, mass = 1000 * 0.4 * 0.3 * 0.2;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.2, 0.15, 0.1), mo_pose_at(0, 0, 0.1), mu);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_ROLLS);
    CHECK_NEAR(total_force(&forces, 2), mass * G, 1e-7 * mass);
    CHECK_BELOW(fabs(forces.accelerations[1][2]), 1e-8);
    mo_forces_clear(&forces);

    /* a push at the height of the floor, so that it does not tip: half beyond what friction holds */
    const double push[3] = {1.5 * mu * mass * G, 0, 0}, at[3] = {0, 0, 0};
    mo_body_push(world, block, push, at);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_SLIPS);
    CHECK_NEAR(forces.accelerations[1][0], 0.5 * mu * G, 1e-6);
    mo_forces_clear(&forces);
    CHECK(mo_world_step(world, 1e-9, NULL, NULL) == MO_OK); /* spends the push */

    set(world, block, 0.6, 0.8, 0, 0, 0, 0);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_SLIDES);
    CHECK(forces.sliding == 4 && forces.rolling == 0);
    CHECK_NEAR(forces.accelerations[1][0], -0.6 * mu * G, 1e-6);
    CHECK_NEAR(forces.accelerations[1][1], -0.8 * mu * G, 1e-6);
    mo_forces_clear(&forces);

    set(world, block, 0, 0, -1, 0, 0, 0);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_IMPACT);
    CHECK_NEAR(forces.accelerations[1][2], -G, 1e-9);
    mo_forces_clear(&forces);
    const double lift[3] = {0, 0, 2 * mass * G};
    set(world, block, 0, 0, 0, 0, 0, 0);
    mo_body_push(world, block, lift, at);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_BREAKS);
    CHECK_NEAR(forces.accelerations[1][2], G, 1e-9);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

static void the_pyramid_holds_more_along_its_diagonal(void **state)
{
    (void)state;
    const double mu = 0.5, mass = 1000 * 8 * 0.001;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1), mo_pose_at(0, 0, 0.1), mu);
    const double force = 1.2 * mu * mass * G / sqrt(2), at[3] = {0, 0, 0};
    const double push[3] = {force, force, 0};
    mo_body_push(world, block, push, at);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_SLIPS);
    mo_forces_clear(&forces);
    forces = solve(world, MO_FRICTION_PYRAMID);
    check_transitions(&forces, MO_TRANSITION_ROLLS);
    CHECK_BELOW(fabs(forces.accelerations[1][0]), 1e-7);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* Normal force of a ball that rolls over the top of another one: m g - m v^2 / (R + r), from the curvature of both. */
static void a_ball_on_a_ball_feels_the_curvature_of_its_path(void **state)
{
    (void)state;
    const double R = 0.5, r = 0.1, v = 0.9, mass = 1000 * 4.0 / 3 * acos(-1.0) * r * r * r;
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_ball(R), mo_pose_identity(), 0.8);
    const mo_body_id ball =
        add(world, MO_BODY_FREE, mo_shape_ball(r), mo_pose_at(0, 0, R + r), 0.8);
    set(world, ball, v, 0, 0, 0, v / r, 0);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_ROLLS);
    CHECK_NEAR(total_force(&forces, 2), mass * (G - v * v / (R + r)), 1e-5 * mass);
    CHECK_NEAR(forces.accelerations[1][2], -v * v / (R + r), 1e-6);
    mo_forces_clear(&forces);
    /* faster than sqrt(g (R + r)) it flies */
    set(world, ball, 3, 0, 0, 0, 3 / r, 0);
    forces = solve(world, MO_FRICTION_CONE);
    check_transitions(&forces, MO_TRANSITION_BREAKS);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* A rod with one end on a smooth floor, turning: N (1 + 3 cos^2) = m (g - L w^2 sin). */
static void a_turning_rod_presses_by_the_book(void **state)
{
    (void)state;
    const double L = 1, radius = 0.01, angle = 0.7, spin = 1.3;
    mo_world *world = new_world(2);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 0);
    const double a[3] = {-L, 0, 0}, b[3] = {L, 0, 0};
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = 2;
    def.inertia[2] = 2 * L * L / 3;
    def.pose = mo_pose_planar(0, L * sin(angle) + radius, angle);
    def.velocity[1] = L * cos(angle) * spin;
    def.spin[2] = spin;
    const mo_body_id rod = mo_world_add_body(world, &def, NULL);
    mo_shape_def shape = mo_shape_capsule(a, b, radius);
    shape.material.friction = 0;
    CHECK(mo_world_add_shape(world, rod, &shape, NULL).index);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    CHECK(forces.contact_count == 1 && forces.sliding == 1);
    const double c = cos(angle),
                 expected = 2 * (G - L * spin * spin * sin(angle)) / (1 + 3 * c * c);
    CHECK_NEAR(total_force(&forces, 1), expected, 1e-6 * expected);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* ---- the limit of time stepping ----------------------------------------------------------------- */

/*
 * A tripod sliding and turning about the vertical (three feet: the forces of four would not be unique), a ball that slides and rolls, a three-link
 * arm whose tip drags on the floor.
 */
static mo_world *make_mixture(mo_mechanism_id *arm)
{
    mo_world *world = new_world(3);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), 0.5);
    const mo_body_id tripod =
        add(world, MO_BODY_FREE, mo_shape_box(0.2, 0.15, 0.05), mo_pose_at(0, 0, 0.15), 0.5);
    for (int k = 0; k < 3; ++k) {
        mo_shape_def foot = mo_shape_ball(0.05);
        foot.pose = mo_pose_at(0.2 * cos(2.1 * k), 0.15 * sin(2.1 * k), -0.1);
        CHECK(mo_world_add_shape(world, tripod, &foot, NULL).index);
    }
    set(world, tripod, 1, 0.3, 0, 0, 0, 2);
    const mo_body_id ball =
        add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(3, 0, 0.1), 0.3);
    set(world, ball, 1, 0, 0, 2, -5, 3);
    mo_link_def link[3];
    mo_axis_def joint[3];
    for (int k = 0; k < 3; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].pose = k ? mo_pose_at(0.5, 0, 0) : mo_pose_at(0, 5, 0.6);
        link[k].mass = 1;
        link[k].inertia[0] = 0.01;
        link[k].inertia[1] = link[k].inertia[2] = 0.02;
        link[k].centre[0] = 0.25;
        joint[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        mo_vec3_set(joint[k].axis, 0, k > 0, k == 0);
        joint[k].damping = 0.1;
    }
    joint[1].stiffness = 3;
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = 3;
    *arm = mo_world_add_mechanism(world, &def, NULL);
    CHECK(arm->index);
    mo_shape_def tip = mo_shape_ball(0.05);
    tip.pose = mo_pose_at(0.5, 0, 0);
    CHECK(mo_world_add_shape(world, mo_mechanism_link(world, *arm, 2), &tip, NULL).index);
    /* the tip on the floor: 0.6 - 0.5 sin a - 0.5 sin (a + b) = 0.05, and moving about the vertical alone */
    const double a = 0.3, sum = asin((0.55 - 0.5 * sin(a)) / 0.5);
    const double q[3] = {0.2, a, sum - a}, v[3] = {1.5, 0, 0};
    CHECK(mo_mechanism_set(world, *arm, q, v, NULL) == MO_OK);
    return world;
}

static double distance_to_step(double h)
{
    mo_mechanism_id arm;
    mo_world *world = make_mixture(&arm);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    CHECK(forces.sliding == 5 && forces.impacts == 0);
    double before[3][6], worst = 0, v[3];
    memcpy(v, mo_mechanism_v(world, arm), sizeof v);
    for (int k = 1; k <= 2; ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        mo_vec3_copy(body.velocity, before[k]);
        mo_vec3_copy(body.spin, before[k] + 3);
    }
    mo_step_report report;
    CHECK(mo_world_step(world, h, &report, NULL) == MO_OK && report.status == MO_SOLVED);
    for (int k = 1; k <= 2; ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst,
                         fabs((body.velocity[i] - before[k][i]) / h - forces.accelerations[k][i]));
            worst = fmax(worst, fabs((body.spin[i] - before[k][3 + i]) / h -
                                     forces.accelerations[k][3 + i]));
        }
    }
    for (int i = 0; i < 3; ++i) {
        worst = fmax(worst, fabs((mo_mechanism_v(world, arm)[i] - v[i]) / h -
                                 forces.joint_accelerations[i]));
    }
    mo_forces_clear(&forces);
    mo_world_destroy(world);
    return worst;
}

static void time_stepping_tends_to_it_at_first_order(void **state)
{
    (void)state;
    const double coarse = distance_to_step(1e-3), fine = distance_to_step(5e-4),
                 finest = distance_to_step(2.5e-4);
    CHECK_BELOW(coarse, 0.5);
    CHECK_BELOW(fine, 0.55 * coarse);
    CHECK_BELOW(finest, 0.55 * fine);
}

/* ---- no force ----------------------------------------------------------------------------------- */

/* Painleve's rod: its lower end slides towards it, and pressing makes it dig in. */
static void where_no_force_exists_there_is_an_impulse(void **state)
{
    (void)state;
    const double L = 1, radius = 0.01, angle = 1.2, mu = 2.5, mass = 1;
    mo_world *world = new_world(2);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const double a[3] = {-L, 0, 0}, b[3] = {L, 0, 0};
    const double arm = L * cos(angle), height = L * sin(angle) + radius;
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = mass;
    def.inertia[2] = mass * L * L / 3;
    def.pose = mo_pose_planar(0, height, angle);
    def.velocity[0] = -4;
    const mo_body_id rod = mo_world_add_body(world, &def, NULL);
    mo_shape_def shape = mo_shape_capsule(a, b, radius);
    shape.material.friction = mu;
    CHECK(mo_world_add_shape(world, rod, &shape, NULL).index);
    mo_force_options options = mo_default_force_options();
    mo_forces forces = {0};
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_OK);
    /* A~ = 1/m + (arm^2 - mu arm height)/I is negative, and so is b = -g: no c_n >= 0 with a_n = A~ c_n + b >= 0, perpendicular */
    const double I = def.inertia[2];
    CHECK(1 / mass + (arm * arm - mu * arm * height) / I < 0);
    CHECK(forces.is_impulsive && forces.status == MO_SOLVED);
    CHECK(forces.contact_count == 1);
    const mo_contact_force *contact = forces.contacts;
    CHECK(contact->force[1] > 0 && contact->force[0] > 0);
    CHECK_BELOW(contact->force[0], mu * contact->force[1] * (1 + 1e-9));
    /* after it the end neither penetrates nor slides on */
    CHECK_BELOW(-contact->acceleration[1], 1e-6);
    CHECK_BELOW(fabs(contact->acceleration[0]), 1e-6);
    CHECK_NEAR(forces.accelerations[1][0], contact->force[0] / mass, 1e-6);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* ---- joints, mechanisms, the world ---------------------------------------------------------------- */

static void a_pendulum_of_joints_and_one_of_links_agree(void **state)
{
    (void)state;
    mo_world *world = new_world(3);
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    def.mass = 1;
    def.inertia[0] = 0.01;
    def.inertia[1] = def.inertia[2] = 0.1;
    def.centre[0] = 0.5;
    def.spin[1] = 2;
    def.velocity[2] = -1;
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    mo_joint_def pin = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, body);
    mo_vec3_set(pin.axis, 0, 1, 0);
    CHECK(mo_world_add_joint(world, &pin, NULL).index);
    mo_link_def link = mo_default_link(-1);
    link.mass = 1;
    memcpy(link.inertia, def.inertia, sizeof link.inertia);
    link.centre[0] = 0.5;
    mo_axis_def axis = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_vec3_set(axis.axis, 0, 1, 0);
    mo_mechanism_def mechanism = mo_default_mechanism();
    mechanism.links = &link;
    mechanism.joints = &axis;
    mechanism.link_count = mechanism.joint_count = 1;
    const mo_mechanism_id id = mo_world_add_mechanism(world, &mechanism, NULL);
    const double v = 2;
    CHECK(mo_mechanism_set(world, id, NULL, &v, NULL) == MO_OK);
    mo_forces forces = solve(world, MO_FRICTION_CONE);
    const double expected = G * 0.5 / (0.1 + 0.25); /* about y, downwards */
    CHECK_NEAR(forces.joint_accelerations[0], expected, 1e-9);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(forces.accelerations[0][i], forces.accelerations[1][i], 1e-6);
    }
    CHECK_NEAR(forces.accelerations[1][0], -0.5 * 4, 1e-9); /* centripetal */
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

static void the_world_stays_as_it_is(void **state)
{
    (void)state;
    mo_mechanism_id arm;
    mo_world *world = make_mixture(&arm);
    CHECK(mo_world_step(world, 1e-3, NULL, NULL) == MO_OK);
    const size_t size = mo_world_save(world, NULL, 0);
    char *before = malloc(size), *after = malloc(size);
    mo_world_save(world, before, size);
    mo_force_options options = mo_default_force_options();
    options.gap = 1e-3;
    options.speed = 1e-2;
    mo_forces forces = {0};
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_OK);
    CHECK(mo_world_save(world, after, size) == size);
    CHECK(memcmp(before, after, size) == 0);
    options.speed = -1;
    CHECK(mo_world_forces(world, &options, &forces, NULL) == MO_ERR_ARGUMENT);
    free(before);
    free(after);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
}

/* ---- steps by forces ------------------------------------------------------------------------------ */

static mo_world *by_forces(mo_world *world)
{
    mo_world_def def = mo_world_definition(world);
    def.level = MO_LEVEL_ACCELERATION;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    return world;
}

static void run(mo_world *world, double h, double seconds)
{
    for (int k = 0; k < (int)lround(seconds / h); ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        if (mo_world_step(world, h, &report, &why) != MO_OK || report.status != MO_SOLVED) {
            fail_msg("step %d: %s%s", k, why.text, report.message.text);
        }
    }
}

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

/* The tripod, the ball and the arm, moved by forces and by time stepping: the same to first order. */
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
        for (int k = 0; k < 2; ++k) {
            worst = fmax(worst, fabs(end[0][k].position[i] - end[1][k].position[i]));
        }
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

/* ---- variations ----------------------------------------------------------------------------------- */

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

/* ---- memory ----------------------------------------------------------------------------------------- */

typedef struct scarcity {
    int left, failed;
} scarcity;

static void *scarce_reallocate(void *user, void *p, size_t size)
{
    scarcity *s = user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    if (s->left-- <= 0) {
        s->failed = 1;
        return NULL;
    }
    return realloc(p, size);
}

/* A mechanism comes, a step is taken, forces are asked for: whichever request fails, nothing breaks and nothing leaks. */
static mo_error use_memory(const mo_allocator *allocator)
{
    const mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    mo_error error = mo_world_create(&def, allocator, &world, NULL);
    if (error) {
        return error;
    }
    mo_link_def link[2] = {mo_default_link(-1), mo_default_link(0)};
    mo_axis_def joint[2] = {mo_default_axis(MO_AXIS_FREE, 0), mo_default_axis(MO_AXIS_REVOLUTE, 1)};
    const mo_actuator_def servo = mo_actuator_position(1, 10, 1);
    joint[1].dry_friction = 0.1;
    link[0].pose = mo_pose_at(0, 0, 0.1);
    link[1].pose = mo_pose_at(0.3, 0, 0);
    mo_mechanism_def mechanism = mo_default_mechanism();
    mechanism.links = link;
    mechanism.joints = joint;
    mechanism.actuators = &servo;
    mechanism.link_count = mechanism.joint_count = 2;
    mechanism.actuator_count = 1;
    mo_message why = {{0}};
    const mo_mechanism_id id = mo_world_add_mechanism(world, &mechanism, &why);
    const mo_body_def fixed = mo_default_body(MO_BODY_FIXED);
    const mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    int is_built = id.index != 0;
    for (int k = 0; k < 2 && is_built; ++k) {
        is_built =
            mo_world_add_shape(world, mo_mechanism_link(world, id, k), &ball, NULL).index != 0;
    }
    const mo_body_id floor = is_built ? mo_world_add_body(world, &fixed, NULL) : (mo_body_id){0};
    is_built = floor.index && mo_world_add_shape(world, floor, &plane, NULL).index;
    error = is_built ? mo_world_step(world, 1e-3, NULL, NULL) : MO_ERR_MEMORY;
    mo_forces forces = {0};
    mo_force_options options = mo_default_force_options();
    options.speed = 1e-2;
    error = error ? error : mo_world_forces(world, &options, &forces, NULL);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
    return error;
}

static void memory_that_runs_out_breaks_nothing(void **state)
{
    (void)state;
    scarcity s = {0};
    for (int n = 0;; ++n) {
        s = (scarcity){.left = n};
        const mo_allocator allocator = {scarce_reallocate, &s};
        const mo_error error = use_memory(&allocator);
        if (!s.failed) {
            CHECK(error == MO_OK && n > 50);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_rests_slips_slides_and_leaves),
        cmocka_unit_test(the_pyramid_holds_more_along_its_diagonal),
        cmocka_unit_test(a_ball_on_a_ball_feels_the_curvature_of_its_path),
        cmocka_unit_test(a_turning_rod_presses_by_the_book),
        cmocka_unit_test(time_stepping_tends_to_it_at_first_order),
        cmocka_unit_test(where_no_force_exists_there_is_an_impulse),
        cmocka_unit_test(a_pendulum_of_joints_and_one_of_links_agree),
        cmocka_unit_test(the_world_stays_as_it_is),
        cmocka_unit_test(a_block_stepped_by_forces_stops_where_it_should),
        cmocka_unit_test(a_ball_stepped_by_forces_bounces_when_it_should),
        cmocka_unit_test(both_levels_move_alike),
        cmocka_unit_test(known_accelerations_ask_for_their_efforts_through_contact),
        cmocka_unit_test(an_assembly_at_rest_holds_or_not),
        cmocka_unit_test(a_first_order_world_moves_while_it_is_pushed),
        cmocka_unit_test(quasistatic_motion_keeps_forces_in_balance),
        cmocka_unit_test(memory_that_runs_out_breaks_nothing),
    };
    return cmocka_run_group_tests_name("forces", tests, NULL, NULL);
}
