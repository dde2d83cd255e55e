/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Rods of Painlevé's kind in motion.
 *
 * The free rod.  With s, c the sine and cosine of its angle, m its mass and J its inertia, a normal
 * force N at the tip that slides forward, with the friction mu N against it, accelerates the tip
 * upwards by N B / m - g with
 *
 *     B = 1 + (m / J) c (c - mu s)          (half length 1)
 *
 * so that the tip stays down with N = m g / B.  Where B < 0, every force pulls the tip further
 * down.  Then the step finds the impulse that stops the tip: r = -W^-1 (0, u0) with W the response
 * of the tip.
 *
 * The rod on the rail [acary2011, example 2.1] is a mass at B, joined by a hinge to A, which is
 * driven.
 */
#include <math.h>
#include <string.h>

#include "motion.h"
#include "worlds.h"

static const double G = 9.81, SPEED = 3;

/* ---- free ------------------------------------------------------------------------------------ */

static mo_error build_free(double mu, double angle, mo_world **world, mo_message *why)
{
    const double values[] = {mu, angle, SPEED};
    return world_scene_find("painleve")->build(values, world, why);
}

/* The one contact's normal impulse, and the speed of the tip along the ground. */
static void look_at_tip(const mo_world *world, double *impulse, double *slip)
{
    *impulse = *slip = 0;
    for (int k = 0; k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        const double side = contact.normal[1] > 0 ? 1 : -1; /* the tip may be either of the two */
        *impulse += side * contact.impulse[1];
        *slip = side * contact.velocity[0];
    }
}

/* J / m of the rod: half length 1, round ends of radius r. */
static double gyration(double r)
{
    /* a rectangle 2 x 2r and two half disks whose centres of mass are 4 r / (3 pi) from the
     * rectangle */
    const double pi = acos(-1.0), box = 4 * r, ends = pi * r * r, out = 4 * r / (3 * pi);
    const double of_box = box * (4 + 4 * r * r) / 12;
    const double of_ends = ends * (r * r / 2 - out * out + (1 + out) * (1 + out));
    return (of_box + of_ends) / (box + ends);
}

mo_error ac_jam_rod(double mu, double angle, double h, ac_jam *jam, mo_message *why)
{
    mo_world *world = NULL;
    mo_step_report report;
    mo_error error = build_free(mu, angle, &world, why);
    error = error ? error : mo_world_step(world, h, &report, why);
    if (error) {
        mo_world_destroy(world);
        return error;
    }
    const mo_body_id rod = mo_world_body(world, mo_world_body_count(world) - 1);
    const double m = mo_body_get(world, rod).mass, r = mo_body_shape(world, rod, 0).radius;
    /* the tip is the lowest point of the round end */
    const double s = sin(angle) + r, c = cos(angle), k = 1 / gyration(r);
    const double W_nn = 1 + k * c * c, W_tt = 1 + k * s * s, W_nt = k * s * c;
    double impulse, slip;
    look_at_tip(world, &impulse, &slip);
    *jam = (ac_jam){.mu = mu, .limit = W_nn / W_nt, .h = h};
    jam->force = impulse / (h * m * G);
    jam->impulse = impulse / (m * SPEED);
    jam->slip = slip / SPEED;
    jam->expected = mu < jam->limit ? 1 / (W_nn - mu * W_nt) : INFINITY;
    jam->jammed = mu < jam->limit ? 0 : W_nt / (W_nn * W_tt - W_nt * W_nt);
    jam->is_solved = report.status == MO_SOLVED;
    mo_world_destroy(world);
    return MO_OK;
}

mo_error ac_fall_rod(double mu, double angle, ac_fall *fall, mo_message *why)
{
    static const double h = 1e-3;
    mo_world *world = NULL;
    memset(fall, 0, sizeof *fall);
    fall->mu = mu;
    mo_error error = build_free(mu, angle, &world, why);
    double energy = 0, first = 0;
    if (!error) first = energy = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
    while (!error && fall->steps < AC_FALL_STEPS) {
        mo_step_report report;
        error = mo_world_step(world, h, &report, why);
        if (!error) {
            const mo_body_state rod = mo_body_get(world, mo_world_body(world, 1));
            const double *q = rod.pose.orientation,
                         now = report.kinetic_energy + report.potential_energy;
            double *row = fall->row[fall->steps++], impulse, slip;
            look_at_tip(world, &impulse, &slip);
            row[0] = mo_world_time(world);
            row[1] = -2 * atan2(q[3], q[0]);
            row[2] = slip;
            row[3] = impulse / (h * rod.mass * G);
            fall->unsolved += report.status != MO_SOLVED;
            fall->gain = fmax(fall->gain, (now - energy) / first);
            energy = now;
        }
    }
    mo_world_destroy(world);
    return error;
}

/* ---- on the rail ----------------------------------------------------------------------------- */

static mo_body_id add(mo_world *world, const mo_body_def *def, mo_shape_def shape, double mu,
                      mo_message *why)
{
    const mo_body_id body = mo_world_add_body(world, def, why);
    shape.material.friction = mu;
    return body.index && mo_world_add_shape(world, body, &shape, why).index ? body
                                                                            : (mo_body_id){0};
}

/* The mass is a ball so small that the ground touches it where the rod ends. */
static mo_error build_rail(double theta, double mu, mo_world **world, mo_message *why)
{
    const double small = 1e-6, height = cos(theta);
    const mo_world_def definition = mo_default_planar_world();
    mo_error error = mo_world_create(&definition, NULL, world, why);
    if (error) return error;
    mo_body_def ground = mo_default_body(MO_BODY_FIXED), upper = mo_default_body(MO_BODY_DRIVEN),
                lower = mo_default_body(MO_BODY_FREE);
    upper.pose = mo_pose_at(0, height + small, 0);
    upper.velocity[0] = 1;
    lower.pose = mo_pose_at(sin(theta), small, 0);
    lower.velocity[0] = 1;
    lower.mass = 1;
    lower.inertia[2] = 1e-9;
    const mo_body_id A = mo_world_add_body(*world, &upper, why);
    const mo_body_id B = add(*world, &lower, mo_shape_ball(small), mu, why);
    const int has_ground = add(*world, &ground, mo_shape_plane(), mu, why).index != 0;
    mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, A, B);
    hinge.anchor[1] = height + small;
    return A.index && B.index && has_ground && mo_world_add_joint(*world, &hinge, why).index
               ? MO_OK
               : MO_ERR_ARGUMENT;
}

mo_error ac_drag_rod(double theta, double mu, int steps, ac_rail *rail, mo_message *why)
{
    static const double h = 1e-3;
    mo_world *world = NULL;
    *rail = (ac_rail){.theta = theta, .mu = mu};
    rail->expected = tan(theta) > mu ? tan(theta) / (tan(theta) - mu) : NAN;
    mo_error error = build_rail(theta, mu, &world, why);
    while (!error && rail->steps < steps) {
        mo_step_report report;
        error = mo_world_step(world, h, &report, why);
        if (!error && rail->steps++ == 0) {
            double impulse, slip;
            look_at_tip(world, &impulse, &slip);
            rail->force = impulse / (h * G);
            rail->status = report.status;
        }
        rail->unsolved += !error && report.status != MO_SOLVED;
        rail->residual = error ? 0 : fmax(rail->residual, report.residual.natural_relative);
    }
    mo_world_destroy(world);
    return error;
}
