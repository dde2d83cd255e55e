/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/gram.h"

#include <math.h>
#include <string.h>

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

INLINE void fill_line(int a, int k, int ld, const double *x, const double *Q, double shift,
                      double *H)
{
    for (int b = 0; b <= a; ++b) {
        H[a * k + b] = H[b * k + a] = dot(ld, x, Q + (size_t)b * (size_t)ld);
    }
    H[a * (k + 1)] += shift;
}

INLINE int factor(int n, int ld, double *G, double *Q, double *R)
{
    const int k = factor_lines(n, ld, G, Q);
    make_orthonormal(k, ld, Q, R);
    return k;
}

static int factor_anywhere(int n, int ld, double *G, double *Q, double *R)
{
    return factor(n, ld, G, Q, R);
}

MO_WIDE int factor_wide(int n, int ld, double *G, double *Q, double *R)
{
    return factor(n, ld, G, Q, R);
}

static void fill_line_anywhere(int a, int k, int ld, const double *x, const double *Q, double shift,
                               double *H)
{
    fill_line(a, k, ld, x, Q, shift, H);
}

MO_WIDE void fill_line_wide(int a, int k, int ld, const double *x, const double *Q, double shift,
                            double *H)
{
    fill_line(a, k, ld, x, Q, shift, H);
}

int mo_gram_factor(int n, int ld, double *G, double *Q, double *R)
{
    return (mo_has_wide() ? factor_wide : factor_anywhere)(n, ld, G, Q, R);
}

void mo_gram_line(int a, int k, int ld, const double *x, const double *Q, double shift, double *H)
{
    (mo_has_wide() ? fill_line_wide : fill_line_anywhere)(a, k, ld, x, Q, shift, H);
}
