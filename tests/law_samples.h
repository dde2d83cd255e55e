/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* One of each kind of law. */
#ifndef MO_TESTS_LAW_SAMPLES_H
#define MO_TESTS_LAW_SAMPLES_H

#include "check.h"

#include <string.h>

#include "law/law_ops.h"
#include "linalg/dense.h"

enum { TRIALS = 3000 };

/* A law with its dimension, as the loops below run over them. */
typedef struct sample {
    mo_law law;
    int d;
} sample;

static const double box_lower[3] = {-1, -INFINITY, 0.25}, box_upper[3] = {2, 0.5, INFINITY};
static const double slide_plane[1] = {-1}, slide_space[2] = {0.6, -0.8};

static inline int make_samples(sample *out)
{
    static const double mus[] = {0, 0.01, 0.3, 1, 2, 50, INFINITY};
    int count = 0;
    for (int d = 2; d <= 3; ++d)
        for (int k = 0; k < 7; ++k)
            out[count++] = (sample){mo_law_coulomb(mus[k]), d};
    out[count++] = (sample){mo_law_frictionless(), 1};
    out[count++] = (sample){mo_law_bilateral(), 1};
    out[count++] = (sample){mo_law_bilateral(), 5};
    out[count++] = (sample){mo_law_box(box_lower, box_upper), 1};
    out[count++] = (sample){mo_law_box(box_lower, box_upper), 3};
    out[count++] = (sample){mo_law_rolling(0.4, 0.1), 5};
    out[count++] = (sample){mo_law_rolling(0, 0.5), 5};
    out[count++] = (sample){mo_law_rolling(1.5, 0), 5};
    for (int k = 0; k < 6; ++k) { /* from a ray to a needle, a ball in the middle */
        static const double torsions[] = {0, 0.3, 0.3, 1e-3, 0, 5};
        out[count++] = (sample){mo_law_soft_finger(mus[k], torsions[k]), 4};
    }
    out[count++] = (sample){mo_law_soft_finger(0, 0.4), 4};
    for (int k = 0; k < 6; ++k) {
        static const int facets[] = {4, 3, 5, 8, 6, 64};
        out[count++] = (sample){mo_law_faceted(mus[k], facets[k]), 3};
        out[count++] = (sample){mo_law_pyramid(mus[k]), 3};
        out[count++] =
            (sample){mo_law_sliding(mus[k], k % 2 ? slide_space : slide_plane), 2 + k % 2};
    }
    return count;
}

enum { MAX_SAMPLES = 64, MAX_D = 6 };

/* A sliding contact whose own impulse pushes it in has no solution once it is driven in. */
static inline int has_solution(const sample *s, const double *W, const double *b)
{
    double effect = W[0];
    for (int k = 1; k < s->d && s->law.kind == MO_LAW_SLIDING; ++k)
        effect -= s->law.mu * W[k] * s->law.direction[k - 1];
    return b[0] >= 0 || effect > 0;
}

static inline double distance2(int d, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < d; ++k)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

/* W = A A' + skew part, A d x rank with columns of very different length. */
static inline void random_block(mo_random *random, int d, int rank, double spread, double skew,
                                double *W)
{
    double A[MAX_D * MAX_D];
    for (int k = 0; k < rank; ++k) {
        const double length = pow(10, uniform(random, -spread, 0));
        for (int i = 0; i < d; ++i)
            A[i * MAX_D + k] = length * uniform(random, -1, 1);
    }
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            W[i * d + j] = 0;
            for (int k = 0; k < rank; ++k)
                W[i * d + j] += A[i * MAX_D + k] * A[j * MAX_D + k];
        }
    }
    for (int i = 0; i < d; ++i) {
        for (int j = i + 1; j < d; ++j) {
            const double twist = skew * uniform(random, -1, 1) * sqrt(W[i * d + i] * W[j * d + j]);
            W[i * d + j] += twist;
            W[j * d + i] -= twist;
        }
    }
}

#endif
