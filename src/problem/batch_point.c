/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/batch_point.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

/* W of a contact in its own frame. */
static void contact_W(const mo_batches *b, const mo_compact_contact *contact, double W[9])
{
    memset(W, 0, 9 * sizeof *W);
    for (int side = 0; side < 2; ++side) {
        if (contact->body[side] >= b->problem->body_count) {
            continue;
        }
        const mo_rigid *rigid = b->compact->rigid + contact->body[side];
        double J[3][6], by[3][6];
        for (int k = 0; k < 3; ++k) {
            mo_vec3_copy(contact->frame + 3 * k, J[k]);
            mo_vec3_cross(contact->arm[side], contact->frame + 3 * k, J[k] + 3);
            mo_rigid_accelerate(rigid, J[k], by[k]);
        }
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                W[3 * i + j] += mo_vec3_dot(J[i], by[j]) + mo_vec3_dot(J[i] + 3, by[j] + 3);
            }
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

static void set_inverses(const mo_batches *b, const mo_compact_contact *contact, int central,
                         mo_points *points, int lane)
{
    double W[9], W_N, W_T, coupling = 0;
    if (central) {
        central_W(b, contact, &W_N, &W_T);
    } else {
        contact_W(b, contact, W);
        W_N = W[0];
        W_T = largest_eigenvalue(W[4], W[5], W[8]);
        coupling = sqrt((W[1] * W[1] + W[2] * W[2]) / (W_N * W_T));
    }
    points->inverse_N[lane] = 1 / W_N;
    points->inverse_T[lane] = 1 / W_T;
    points->apart[lane] = 1 / (1 + coupling);
}

void mo_batch_fill_point(const mo_batches *b, const mo_batch *batch, int k, int lane, int i)
{
    const mo_compact_contact *contact = b->compact->contact + b->compact->contact_of[i];
    const double *w = b->problem->w + b->problem->row_start[i];
    mo_points *points = mo_batch_points(b, batch, k);
    set_inverses(b, contact, batch->is_central, points, lane);
    b->constraint[(size_t)(batch->point + k) * MO_LANES + (size_t)lane] = i;
    points->mu[lane] = *mo_constraint_param(b->problem, i);
    for (int x = 0; x < 3; ++x) {
        points->n[x * MO_LANES + lane] = contact->frame[x];
        points->w[x * MO_LANES + lane] =
            w[0] * contact->frame[x] + w[1] * contact->frame[3 + x] + w[2] * contact->frame[6 + x];
        for (int side = 0; side < 2 && !batch->is_central; ++side) {
            points->arms[(3 * side + x) * MO_LANES + lane] = contact->arm[side][x];
        }
    }
    for (int side = 0; side < 2 && batch->is_central; ++side) {
        points->arms[side * MO_LANES + lane] = mo_vec3_dot(contact->arm[side], contact->frame);
    }
}
