/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/batch_point.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

/* W in the axes n, t, o of the contact: NN, tN, oN, tt, to, oo. */
static void respond(const mo_batches *b, const mo_compact_contact *contact, double W[6])
{
    memset(W, 0, 6 * sizeof *W);
    for (int side = 0; side < 2; ++side) {
        if (contact->body[side] >= b->problem->body_count) {
            continue;
        }
        const mo_rigid *rigid = b->compact->rigid + contact->body[side];
        double I[9], moment[3][3], spin[3][3];
        mo_mat3_symmetric(rigid->inverse_inertia, I);
        for (int k = 0; k < 3; ++k) {
            mo_vec3_cross(contact->arm[side], contact->frame + 3 * k, moment[k]);
            mo_mat3_apply(I, moment[k], spin[k]);
        }
        W[0] += rigid->inverse_mass + mo_vec3_dot(moment[0], spin[0]);
        W[1] += mo_vec3_dot(moment[1], spin[0]);
        W[2] += mo_vec3_dot(moment[2], spin[0]);
        W[3] += rigid->inverse_mass + mo_vec3_dot(moment[1], spin[1]);
        W[4] += mo_vec3_dot(moment[1], spin[2]);
        W[5] += rigid->inverse_mass + mo_vec3_dot(moment[2], spin[2]);
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
    const double *t = contact->frame + 3, *o = t + 3;
    double W[6];
    respond(b, contact, W);
    const double W_N = W[0], t_N = W[1], o_N = W[2], W_T = largest_eigenvalue(W[3], W[4], W[5]);
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
