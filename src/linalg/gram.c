/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/gram.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lanes4.h"

static const double DEPENDENT = 1e-9; /* of the largest pivot: a direction that depends on others */
static const double TAKEN = -1;       /* on the diagonal of G: no pivot any more */
/* relative to its length: a line that keeps less is orthogonalised again */
static const double MUCH = 0.7;

/* x_i = Q_i . y for the k lines of Q. */
INLINE void dots(int k, int ld, const double *Q, const double *y, double *x)
{
    int i = 0;
    for (; i + GROUP <= k; i += GROUP)
        group_dots(ld, ld, Q + (size_t)i * (size_t)ld, y, x + i);
    for (; i < k; ++i) {
        lanes sum = {0};
        for (int e = 0; e < ld; e += LANES)
            sum += *(const lanes *)(Q + (size_t)i * (size_t)ld + e) * *(const lanes *)(y + e);
        x[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/* y += a sum_i x_i Q_i, sixteen numbers at a time. */
INLINE void add_lines(int k, int ld, double a, const double *x, const double *Q, double *y)
{
    int e = 0;
    for (; e + 4 * LANES <= ld; e += 4 * LANES) {
        lanes *to = (lanes *)(y + e);
        lanes s = to[0], t = to[1], u = to[2], v = to[3];
        for (int i = 0; i < k; ++i) {
            const lanes *line = (const lanes *)(Q + (size_t)i * (size_t)ld + e);
            const double part = a * x[i];
            s += part * line[0];
            t += part * line[1];
            u += part * line[2];
            v += part * line[3];
        }
        to[0] = s;
        to[1] = t;
        to[2] = u;
        to[3] = v;
    }
    for (; e < ld; e += LANES) {
        lanes s = *(lanes *)(y + e);
        for (int i = 0; i < k; ++i)
            s += a * x[i] * *(const lanes *)(Q + (size_t)i * (size_t)ld + e);
        *(lanes *)(y + e) = s;
    }
}

/* y += a x */
INLINE void add_line(int ld, double a, const double *x, double *y)
{
    for (int k = 0; k < ld; k += LANES)
        *(lanes *)(y + k) += a * *(const lanes *)(x + k);
}

/* Lines of L' into Q, up to the rank, which is returned: G loses each. */
INLINE int factor_lines(int n, int ld, double *G, double *Q)
{
    double most = 0;
    for (int k = 0; k < n; ++k, Q += ld) {
        int best = 0;
        for (int j = 1; j < n; ++j)
            best = G[j * (ld + 1)] > G[best * (ld + 1)] ? j : best;
        const double pivot = G[best * (ld + 1)];
        most = k == 0 ? pivot : most;
        if (!(pivot > DEPENDENT * most)) return k;
        const double root = sqrt(pivot);
        for (int j = 0; j < ld; ++j)
            Q[j] = G[best * ld + j] / root;
        for (int j = 0; j < n; ++j)
            if (Q[j] != 0 && G[j * (ld + 1)] != TAKEN)
                add_line(ld, -Q[j], Q, G + (size_t)j * (size_t)ld);
        G[best * (ld + 1)] = TAKEN;
    }
    return n;
}

/* The k lines of Q become orthonormal, by Gram and Schmidt's method, twice where a line loses much:
 * L' = R' Q'.  `part` has k numbers. */
INLINE void make_orthonormal(int k, int ld, double *Q, double *R, double *part)
{
    memset(R, 0, (size_t)k * (size_t)k * sizeof *R);
    for (int i = 0; i < k; ++i) {
        double *line = Q + (size_t)i * (size_t)ld, square, length, before = INFINITY;
        dots(1, ld, line, line, &square);
        length = sqrt(square);
        while (length < MUCH * before && before > 0) {
            before = length;
            dots(i, ld, Q, line, part);
            for (int j = 0; j < i; ++j)
                R[j * k + i] += part[j];
            add_lines(i, ld, -1, part, Q, line);
            dots(1, ld, line, line, &square);
            length = sqrt(square);
        }
        R[i * k + i] = length;
        for (int j = 0; j < ld; ++j)
            line[j] /= length;
    }
}

INLINE void subtract_block(int d, int k, const double *E, const double *V, double *x, double *H)
{
    for (int b = 0; b < d; ++b) {
        memset(x, 0, (size_t)k * sizeof *x);
        for (int e = 0; e < d; ++e)
            mo_axpy(k, E[b * d + e], V + (size_t)e * (size_t)k, x);
        for (int i = 0; i < k; ++i)
            mo_axpy(i + 1, -V[(size_t)b * (size_t)k + i], x, H + (size_t)i * (size_t)k);
    }
}

MO_WIDTHS(int, rank, (int n, int ld, double *G, double *Q), return factor_lines(n, ld, G, Q))
MO_WIDTHS(void, orthonormal, (int k, int ld, double *Q, double *R, double *part),
          make_orthonormal(k, ld, Q, R, part))
MO_WIDTHS(void, times, (int k, int ld, const double *Q, const double *y, double *x),
          dots(k, ld, Q, y, x))
MO_WIDTHS(void, combine, (int k, int ld, const double *x, const double *Q, double *y),
          add_lines(k, ld, 1, x, Q, y))
MO_WIDTHS(void, subtract, (int d, int k, const double *E, const double *V, double *x, double *H),
          subtract_block(d, k, E, V, x, H))

int mo_gram_rank(int n, int ld, double *G, double *Q)
{
    return (mo_has_wide() ? rank_wide : rank_plain)(n, ld, G, Q);
}

void mo_gram_orthonormal(int k, int ld, double *Q, double *R, double *x)
{
    (mo_has_wide() ? orthonormal_wide : orthonormal_plain)(k, ld, Q, R, x);
}

void mo_gram_times(int k, int ld, const double *Q, const double *y, double *x)
{
    (mo_has_wide() ? times_wide : times_plain)(k, ld, Q, y, x);
}

void mo_gram_combine(int k, int ld, const double *x, const double *Q, double *y)
{
    memset(y, 0, (size_t)ld * sizeof *y);
    (mo_has_wide() ? combine_wide : combine_plain)(k, ld, x, Q, y);
}

void mo_gram_subtract(int d, int k, const double *E, const double *V, double *x, double *H)
{
    (mo_has_wide() ? subtract_wide : subtract_plain)(d, k, E, V, x, H);
}
