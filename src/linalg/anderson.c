/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/anderson.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Regularisation of the normal equations, relative to their largest entry. */
static const double REGULARISE = 1e-12;

void mo_anderson_layout(mo_arena *arena, int n, int depth, mo_anderson *out)
{
    *out = (mo_anderson){.n = n, .depth = depth < MO_ANDERSON_MOST ? depth : MO_ANDERSON_MOST};
    const size_t columns = (size_t)out->depth;
    MO_TAKE_EACH(arena, n, double, &out->x, &out->f);
    MO_TAKE_EACH(arena, (size_t)n * columns, double, &out->dx, &out->df);
    out->gram = MO_TAKE(arena, columns * columns, double);
}

void mo_anderson_clear(mo_anderson *a)
{
    a->count = a->has_base = 0;
}

static double dot(const mo_anderson *a, const double *x, const double *y)
{
    if (!a->weight) return mo_dot(a->n, x, y);
    double sum = 0;
    for (int k = 0; k < a->n; ++k)
        sum += a->weight[k] * x[k] * y[k];
    return sum;
}

double mo_anderson_distance(const mo_anderson *a, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < a->n; ++k)
        sum += (a->weight ? a->weight[k] : 1) * (y[k] - x[k]) * (y[k] - x[k]);
    return sqrt(sum);
}

static int columns_of(const mo_anderson *a)
{
    return a->count < a->depth ? a->count : a->depth;
}

void mo_anderson_push(mo_anderson *a, const double *x, const double *image)
{
    const int slot = a->count % a->depth;
    double *dx = a->dx + (size_t)slot * (size_t)a->n, *df = a->df + (size_t)slot * (size_t)a->n;
    for (int k = 0; k < a->n; ++k) {
        const double f = image[k] - x[k];
        if (a->has_base) {
            dx[k] = x[k] - a->x[k];
            df[k] = f - a->f[k];
        }
        a->x[k] = x[k];
        a->f[k] = f;
    }
    a->count += a->has_base;
    for (int j = 0; a->has_base && j < columns_of(a); ++j) {
        a->gram[slot * a->depth + j] = a->gram[j * a->depth + slot] =
            dot(a, df, a->df + (size_t)j * (size_t)a->n);
    }
    a->has_base = 1;
    a->size = sqrt(dot(a, a->f, a->f));
}

void mo_anderson_mix(const mo_anderson *a, double *y)
{
    const int m = columns_of(a);
    double A[MO_ANDERSON_MOST * MO_ANDERSON_MOST], b[MO_ANDERSON_MOST], g[MO_ANDERSON_MOST],
        most = 0;
    for (int j = 0; j < m; ++j) {
        memcpy(A + j * m, a->gram + j * a->depth, (size_t)m * sizeof *A);
        b[j] = dot(a, a->df + (size_t)j * (size_t)a->n, a->f);
        most = fmax(most, A[j * m + j]);
    }
    for (int j = 0; j < m; ++j)
        A[j * m + j] += REGULARISE * most;
    mo_solve_small(m, A, b, g);
    for (int k = 0; k < a->n; ++k)
        y[k] = a->x[k] + a->f[k];
    for (int j = 0; j < m; ++j) {
        mo_axpy(a->n, -g[j], a->dx + (size_t)j * (size_t)a->n, y);
        mo_axpy(a->n, -g[j], a->df + (size_t)j * (size_t)a->n, y);
    }
}
