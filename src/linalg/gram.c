/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/gram.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lanes4.h"

static const double DEPENDENT = 1e-9; /* of the largest pivot: a direction that others give */
static const double MUCH = 0.7;       /* of its length: a line that keeps less is made again */

INLINE double dot(int ld, const double *x, const double *y)
{
    lanes sum = {0};
    for (int k = 0; k < ld; k += LANES) {
        sum += *(const lanes *)(x + k) * *(const lanes *)(y + k);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* y += a x */
INLINE void add_line(int ld, double a, const double *x, double *y)
{
    for (int k = 0; k < ld; k += LANES) {
        *(lanes *)(y + k) += a * *(const lanes *)(x + k);
    }
}

/* Lines of L' into Q, up to the rank, which is returned: G loses each. */
INLINE int factor_lines(int n, int ld, double *G, double *Q)
{
    double most = 0;
    for (int k = 0; k < n; ++k, Q += ld) {
        int best = 0;
        for (int j = 1; j < n; ++j) {
            best = G[j * (ld + 1)] > G[best * (ld + 1)] ? j : best;
        }
        const double pivot = G[best * (ld + 1)];
        most = k == 0 ? pivot : most;
        if (!(pivot > DEPENDENT * most)) {
            return k;
        }
        const double root = sqrt(pivot);
        for (int j = 0; j < ld; ++j) {
            Q[j] = G[best * ld + j] / root;
        }
        for (int j = 0; j < n; ++j) {
            if (Q[j] != 0) {
                add_line(ld, -Q[j], Q, G + (size_t)j * (size_t)ld);
            }
        }
        G[best * (ld + 1)] = -1; /* taken */
    }
    return n;
}

/* The k lines of Q become orthonormal, by Gram and Schmidt's method, twice where a line loses much:
 * L' = R' Q'. */
INLINE void make_orthonormal(int k, int ld, double *Q, double *R)
{
    memset(R, 0, (size_t)k * (size_t)k * sizeof *R);
    for (int i = 0; i < k; ++i) {
        double *line = Q + (size_t)i * (size_t)ld;
        double length = sqrt(dot(ld, line, line)), before = INFINITY;
        while (length < MUCH * before && before > 0) {
            before = length;
            for (int j = 0; j < i; ++j) {
                const double *other = Q + (size_t)j * (size_t)ld, part = dot(ld, line, other);
                R[j * k + i] += part;
                add_line(ld, -part, other, line);
            }
            length = sqrt(dot(ld, line, line));
        }
        R[i * k + i] = length;
        for (int j = 0; j < ld; ++j) {
            line[j] /= length;
        }
    }
}

INLINE void subtract_block(int d, int k, const double *E, const double *V, double *x, double *H)
{
    for (int b = 0; b < d; ++b) {
        memset(x, 0, (size_t)k * sizeof *x);
        for (int e = 0; e < d; ++e) {
            mo_axpy(k, E[b * d + e], V + (size_t)e * (size_t)k, x);
        }
        for (int i = 0; i < k; ++i) {
            mo_axpy(i + 1, -V[(size_t)b * (size_t)k + i], x, H + (size_t)i * (size_t)k);
        }
    }
}

static int rank_anywhere(int n, int ld, double *G, double *Q)
{
    return factor_lines(n, ld, G, Q);
}

MO_WIDE int rank_wide(int n, int ld, double *G, double *Q)
{
    return factor_lines(n, ld, G, Q);
}

static void orthonormal_anywhere(int k, int ld, double *Q, double *R)
{
    make_orthonormal(k, ld, Q, R);
}

MO_WIDE void orthonormal_wide(int k, int ld, double *Q, double *R)
{
    make_orthonormal(k, ld, Q, R);
}

static void subtract_anywhere(int d, int k, const double *E, const double *V, double *x, double *H)
{
    subtract_block(d, k, E, V, x, H);
}

MO_WIDE void subtract_wide(int d, int k, const double *E, const double *V, double *x, double *H)
{
    subtract_block(d, k, E, V, x, H);
}

int mo_gram_rank(int n, int ld, double *G, double *Q)
{
    return (mo_has_wide() ? rank_wide : rank_anywhere)(n, ld, G, Q);
}

void mo_gram_orthonormal(int k, int ld, double *Q, double *R)
{
    (mo_has_wide() ? orthonormal_wide : orthonormal_anywhere)(k, ld, Q, R);
}

void mo_gram_subtract(int d, int k, const double *E, const double *V, double *x, double *H)
{
    (mo_has_wide() ? subtract_wide : subtract_anywhere)(d, k, E, V, x, H);
}
