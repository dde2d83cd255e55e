/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/batch_point.h"

#include "linalg/vec3.h"

void mo_batch_fill_point(const mo_batches *b, const mo_batch *batch, int k, int lane, int i)
{
    const mo_compact_contact *contact = b->compact->contact + b->compact->contact_of[i];
    const double *w = b->problem->w + b->problem->row_start[i], *e = contact->frame;
    mo_points *points = mo_batch_points(b, batch, k);
    b->constraint[(size_t)(batch->point + k) * MO_LANES + (size_t)lane] = i;
    points->mu[lane] = *mo_constraint_param(b->problem, i);
    for (int x = 0; x < 3; ++x) {
        points->n[x * MO_LANES + lane] = e[x];
        points->w[x * MO_LANES + lane] = w[0] * e[x] + w[1] * e[3 + x] + w[2] * e[6 + x];
    }
    for (int side = 0; side < 2; ++side) {
        const double *arm = contact->arm[side];
        if (batch->is_central) {
            points->arms[side * MO_LANES + lane] = mo_vec3_dot(arm, e);
            continue;
        }
        for (int x = 0; x < 3; ++x)
            points->arms[(3 * side + x) * MO_LANES + lane] = arm[x];
    }
}
