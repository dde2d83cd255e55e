/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The least squares problem is solved by its normal equations on columns of unit length, with complete pivoting: changes
 * that repeat each other are left out by the pivots that vanish.
 */
#include "solver/anderson.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

void mo_anderson_layout(mo_arena *arena, int n, int memory, mo_anderson *out)
{
    const size_t rows = (size_t)n, columns = (size_t)memory;
    mo_anderson own = {.n = n, .memory = memory};
    own.dS = MO_TAKE(arena, rows * columns, double);
    own.dF = MO_TAKE(arena, rows * columns, double);
    own.s_last = MO_TAKE(arena, rows, double);
    own.f_last = MO_TAKE(arena, rows, double);
    own.f = MO_TAKE(arena, rows, double);
    own.gram = MO_TAKE(arena, columns * columns, double);
    if (out) {
        *out = own;
    }
}

void mo_anderson_reset(mo_anderson *anderson)
{
    anderson->count = anderson->next = anderson->has_last = 0;
}

static double *column(const mo_anderson *anderson, double *of, int k)
{
    return of + (size_t)k * (size_t)anderson->n;
}

/* Keeps the last change, in the place of the oldest one, and its products with the others. */
static void keep_change(mo_anderson *a, const double *s)
{
    const int n = a->n, at = a->next;
    double *dS = column(a, a->dS, at), *dF = column(a, a->dF, at);
    for (int k = 0; k < n; ++k) {
        dS[k] = s[k] - a->s_last[k];
        dF[k] = a->f[k] - a->f_last[k];
    }
    a->next = (at + 1) % a->memory;
    a->count = a->count < a->memory ? a->count + 1 : a->count;
    for (int k = 0; k < a->count; ++k) {
        a->gram[at * a->memory + k] = a->gram[k * a->memory + at] = mo_dot(n, dF, column(a, a->dF, k));
    }
}

/* gamma: the combination of the dF nearest to f. */
static void combine(const mo_anderson *a, double *gamma)
{
    const int m = a->count;
    double A[MO_ANDERSON_MOST * MO_ANDERSON_MOST], b[MO_ANDERSON_MOST], scale[MO_ANDERSON_MOST];
    for (int i = 0; i < m; ++i) {
        const double square = a->gram[i * a->memory + i];
        scale[i] = square > 0 ? 1 / sqrt(square) : 0;
        b[i] = scale[i] * mo_dot(a->n, a->dF + (size_t)i * (size_t)a->n, a->f);
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            A[i * m + j] = scale[i] * scale[j] * a->gram[i * a->memory + j];
        }
        A[i * m + i] += 1e-12; /* below this, a change is a repetition of others */
    }
    mo_solve_small(m, A, b, gamma);
    for (int i = 0; i < m; ++i) {
        gamma[i] *= scale[i];
    }
}

void mo_anderson_move(mo_anderson *a, const double *image, double *s)
{
    const int n = a->n;
    const size_t bytes = (size_t)n * sizeof *s;
    double gamma[MO_ANDERSON_MOST];
    for (int k = 0; k < n; ++k) {
        a->f[k] = image[k] - s[k];
    }
    if (a->has_last && a->memory > 0) {
        keep_change(a, s);
    }
    memcpy(a->s_last, s, bytes);
    memcpy(a->f_last, a->f, bytes);
    a->has_last = 1;
    memcpy(s, image, bytes);
    combine(a, gamma);
    for (int i = 0; i < a->count; ++i) {
        mo_axpy(n, -gamma[i], column(a, a->dS, i), s);
        mo_axpy(n, -gamma[i], column(a, a->dF, i), s);
    }
}
