/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/batch_point.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

/* K e of each axis e of the frame: the velocity at the point that a unit of impulse along e causes,
 * in the axes of the world; W = frame K frame'. */
static void respond(const mo_batches *b, const mo_compact_contact *contact, double K[3][3])
{
    memset(K, 0, 9 * sizeof(double));
    for (int side = 0; side < 2; ++side) {
        if (contact->body[side] >= b->problem->body_count) {
            continue;
        }
        const mo_rigid *rigid = b->compact->rigid + contact->body[side];
        const double *a = contact->arm[side];
        double I[9];
        mo_mat3_symmetric(rigid->inverse_inertia, I);
        for (int k = 0; k < 3; ++k) {
            const double *e = contact->frame + 3 * k;
            double moment[3], spin[3], turn[3];
            mo_vec3_cross(a, e, moment);
            mo_mat3_apply(I, moment, spin);
            mo_vec3_cross(spin, a, turn);
            mo_vec3_along(K[k], rigid->inverse_mass, e, K[k]);
            mo_vec3_along(K[k], 1, turn, K[k]);
        }
    }
}

static double largest_eigenvalue(double a, double b, double c)
{
    return 0.5 * (a + c) + sqrt(0.25 * (a - c) * (a - c) + b * b);
}

/* The same of a central one: W_NN, and W_TT = W_T I. */
static void central_W(const mo_batches *b, const mo_compact_contact *contact, double *W_N,
                      double *W_T)
{
    *W_N = *W_T = 0;
    for (int side = 0; side < 2; ++side) {
        if (contact->body[side] < b->problem->body_count) {
            const mo_rigid *rigid = b->compact->rigid + contact->body[side];
            const double lever = mo_vec3_dot(contact->arm[side], contact->frame);
            *W_N += rigid->inverse_mass;
            *W_T += rigid->inverse_mass + lever * lever * rigid->inverse_inertia[0];
        }
    }
}

static void fill_central(const mo_batches *b, const mo_compact_contact *contact, mo_points *points,
                         int lane)
{
    double W_N, W_T;
    central_W(b, contact, &W_N, &W_T);
    points->inverse_N[lane] = 1 / W_N;
    points->inverse_T[lane] = 1 / W_T;
    points->apart[lane] = 1;
    for (int side = 0; side < 2; ++side) {
        points->arms[side * MO_LANES + lane] = mo_vec3_dot(contact->arm[side], contact->frame);
    }
}

static void fill_general(const mo_batches *b, const mo_compact_contact *contact, mo_points *points,
                         int lane)
{
    const double *n = contact->frame, *t = n + 3, *o = n + 6;
    double K[3][3];
    respond(b, contact, K);
    const double W_N = mo_vec3_dot(n, K[0]), t_N = mo_vec3_dot(t, K[0]), o_N = mo_vec3_dot(o, K[0]);
    const double W_T =
        largest_eigenvalue(mo_vec3_dot(t, K[1]), mo_vec3_dot(t, K[2]), mo_vec3_dot(o, K[2]));
    points->inverse_N[lane] = 1 / W_N;
    points->inverse_T[lane] = 1 / W_T;
    points->apart[lane] = 1 / (1 + sqrt((t_N * t_N + o_N * o_N) / (W_N * W_T)));
    for (int x = 0; x < 3; ++x) {
        points->arms[x * MO_LANES + lane] = contact->arm[0][x];
        points->arms[(3 + x) * MO_LANES + lane] = contact->arm[1][x];
        points->arms[(6 + x) * MO_LANES + lane] = t_N * t[x] + o_N * o[x];
    }
}

void mo_batch_fill_point(const mo_batches *b, const mo_batch *batch, int k, int lane, int i)
{
    const mo_compact_contact *contact = b->compact->contact + b->compact->contact_of[i];
    const double *w = b->problem->w + b->problem->row_start[i];
    mo_points *points = mo_batch_points(b, batch, k);
    if (batch->is_central) {
        fill_central(b, contact, points, lane);
    } else {
        fill_general(b, contact, points, lane);
    }
    b->constraint[(size_t)(batch->point + k) * MO_LANES + (size_t)lane] = i;
    points->mu[lane] = *mo_constraint_param(b->problem, i);
    for (int x = 0; x < 3; ++x) {
        points->n[x * MO_LANES + lane] = contact->frame[x];
        points->w[x * MO_LANES + lane] =
            w[0] * contact->frame[x] + w[1] * contact->frame[3 + x] + w[2] * contact->frame[6 + x];
    }
}
