/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Joints closed at the end of a step: implicit Euler, solved by Newton's method.
 *     M (v+ - v) = h F + J(x+)' r,      g(x+) = 0,      x+ = x + h v+,                          (1)
 * with g the joint errors and J their derivatives.  Around a guess v*, with x* = x + h v* and the
 * last impulses r*,
 *     g(x*) + h J(x*) (v+ - v*) = 0,    M (v+ - v) + h K (v+ - v*) = h F + J(x*)' r             (2)
 * is a contact problem with another mass; its solution is the next guess.  The geometric stiffness
 * K = -d(J' r*) / dx [tournier2015] makes this converge for light links that pull heavy ones.  An
 * impulse p at the lever arm a gives (3), a rod under tension (4), without their negative parts,
 * which does not change the solution of (1):
 *     K = (a.p) 1 - (a p' + p a') / 2  (spin) (3);   K = 2 (|p| / d) (1 - e e')  (velocity)     (4)
 *
 * No body rotates by more than a radian between guesses.  Rotation under tension loses h w^2 / 2 of
 * its angular momentum per second, so (1) is used only for steps that gain energy (passive.c).
 * Limits: K does not include the rows that hold orientations (weld, prismatic).
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/joint_rows.h"

/* ---- prediction ------------------------------------------------------------------------------ */

typedef struct stay {
    double x[2][3], orientation[2][4];
} stay;

/* Moves the bodies of the joint to the poses of next_v. */
static void go_ahead(mo_world *world, const mo_sim_joint *joint, double h, stay *from)
{
    for (int side = 0; side < 2; ++side) {
        mo_sim_body *body = joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
        if (body) {
            mo_vec3_copy(body->x, from->x[side]);
            memcpy(from->orientation[side], body->orientation, sizeof from->orientation[side]);
            mo_vec3_along(from->x[side], h, body->next_v, body->x);
            mo_advance_turn(from->orientation[side], body->next_v + 3, h, body->orientation);
        }
    }
}

static void come_back(mo_world *world, const mo_sim_joint *joint, const stay *from)
{
    for (int side = 0; side < 2; ++side) {
        mo_sim_body *body = joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
        if (body) {
            mo_vec3_copy(from->x[side], body->x);
            memcpy(body->orientation, from->orientation[side], sizeof from->orientation[side]);
        }
    }
}

/* Rows at the poses of next_v.  The current error of a projected joint is left to the
 * projection. */
static void hold_ahead(mo_world *world, const mo_sim_joint *joint, double h, mo_joint_rows *rows)
{
    stay from;
    go_ahead(world, joint, h, &from);
    mo_joint_hold(world, joint, rows);
    come_back(world, joint, &from);
    if (mo_joint_is_projected(world, joint)) {
        mo_joint_rows here;
        mo_joint_hold(world, joint, &here);
        for (int k = 0; k < rows->count; ++k)
            rows->error[k] -= here.error[k];
    }
}

void mo_joint_hold_ahead(mo_world *world, const mo_sim_joint *joint, double h, mo_joint_rows *rows,
                         double *w)
{
    hold_ahead(world, joint, h, rows);
    for (int k = 0; k < rows->count; ++k) {
        w[k] = rows->error[k] / h;
        for (int side = 0; side < 2; ++side) {
            const mo_sim_body *body =
                joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
            if (body) {
                w[k] -= mo_vec3_dot(rows->line[side][k], body->next_v) +
                        mo_vec3_dot(rows->line[side][k] + 3, body->next_v + 3);
            }
        }
    }
}

double mo_joints_error_ahead(mo_world *world, double h)
{
    double worst = 0;
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        mo_joint_rows rows;
        hold_ahead(world, joint, h, &rows);
        worst = fmax(worst, mo_joint_gap(world, joint, &rows));
    }
    return worst;
}

/* ---- guesses --------------------------------------------------------------------------------- */

static const double FARTHEST = 1; /* rad, from one guess to the next */

double *mo_guess_take(const mo_world *world)
{
    double *guess =
        mo_memory_array(&world->allocator, 6 * (size_t)world->living_count, sizeof *guess);
    for (int k = 0; guess && k < world->living_count; ++k)
        memcpy(guess + 6 * k, world->body[world->living[k]].next_v, 6 * sizeof *guess);
    return guess;
}

int mo_guess_cut(mo_world *world, double h, double *guess)
{
    double most = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        double change[3];
        mo_vec3_minus(body->next_v + 3, guess + 6 * k + 3, change);
        most = body->first_joint != MO_NONE ? fmax(most, h * mo_vec3_norm(change)) : most;
    }
    const double part = most > FARTHEST ? FARTHEST / most : 1;
    for (int k = 0; k < world->living_count; ++k) {
        double *v = world->body[world->living[k]].next_v, *from = guess + 6 * k;
        for (int i = 0; i < 6 && part < 1; ++i)
            v[i] = from[i] + part * (v[i] - from[i]);
        memcpy(from, v, 6 * sizeof *from);
    }
    return part < 1;
}

/* ---- stiffness ------------------------------------------------------------------------------- */

/* (3), for a link under the impulse p at the arm a: K gains its positive part, about axes across
 * the arm. */
static void add_turning(const double arm[3], const double p[3], double K[36])
{
    const double length = mo_vec3_norm(arm);
    const double k = 0.5 * (mo_vec3_dot(arm, p) + length * mo_vec3_norm(p));
    for (int i = 0; i < 3 && length > 0; ++i)
        for (int j = 0; j < 3; ++j)
            K[(3 + i) * 6 + 3 + j] += k * ((i == j) - arm[i] * arm[j] / (length * length));
}

/* (4), for a rod along e under the impulse p. */
static void add_swinging(const double e[3], double length, const double p[3], double K[36])
{
    for (int i = 0; i < 3 && length > 0; ++i)
        for (int j = 0; j < 3; ++j)
            K[i * 6 + j] += 2 * mo_vec3_norm(p) / length * ((i == j) - e[i] * e[j]);
}

/* Impulse on the body at its side, and its arm, both at the new poses. */
static void pull(mo_world *world, const mo_sim_joint *joint, int side, double h, double p[3],
                 double arm[3], double apart[3])
{
    mo_joint_rows rows;
    double anchor[2][3];
    stay from;
    go_ahead(world, joint, h, &from);
    mo_joint_hold(world, joint, &rows);
    mo_joint_anchors(world, joint, anchor);
    mo_vec3_minus(anchor[side], world->body[joint->body[side]].x, arm);
    mo_vec3_minus(anchor[1], anchor[0], apart);
    come_back(world, joint, &from);
    mo_vec3_set(p, 0, 0, 0);
    for (int k = 0; k < rows.count; ++k)
        mo_vec3_along(p, joint->impulse[k], rows.line[side][k], p);
}

void mo_joints_stiffness(mo_world *world, int place, double h, double K[36])
{
    memset(K, 0, 36 * sizeof *K);
    for (int j = world->body[place].first_joint; j != MO_NONE;) {
        const mo_sim_joint *joint = world->joint + j;
        const int side = joint->body[1] == place;
        double p[3], arm[3], apart[3], e[3];
        pull(world, joint, side, h, p, arm, apart);
        add_turning(arm, p, K);
        const double distance = mo_vec3_norm(apart);
        mo_vec3_scale(distance > 0 ? 1 / distance : 0, apart, e);
        const double along = mo_vec3_dot(p, e) * (side ? 1 : -1);
        if (joint->def.kind == MO_JOINT_DISTANCE && along < 0) /* b is pulled towards a */
            add_swinging(e, distance, p, K);
        j = joint->next[side];
    }
}
