/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Anderson's acceleration of s = F(s) [anderson1965], [walker2011].
 *
 * With f = F(s) - s, and ds, df the changes of s and f over the last rounds (a few columns), the least of |f - df g| over g says
 * which mixture of those rounds would have had the smallest f if F were linear:
 *
 *     s+ = s + f - (ds + df) g,      not negative
 *
 * Safeguard: a mixture with a larger |f| than the round it came from is taken back; s becomes the image of that round, as without
 * acceleration, and the memory is emptied.  So the method never does worse than one round in two of successive approximations.
 *
 * Limits: F has kinks where contacts begin to slide or open, and the memory is of little use across them.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/shift_outer.h"

enum { DEPTH_MOST = 20 };
static const double REGULARISE =
    1e-12; /* of the normal equations, relative to their largest entry */

void mo_shift_anderson_layout(int n, int depth, mo_arena *arena, mo_shift_anderson *anderson)
{
    mo_shift_anderson own = {.depth = depth < DEPTH_MOST ? depth : DEPTH_MOST};
    own.s = MO_TAKE(arena, n, double);
    own.f = MO_TAKE(arena, n, double);
    own.ds = MO_TAKE(arena, (size_t)n * (size_t)own.depth, double);
    own.df = MO_TAKE(arena, (size_t)n * (size_t)own.depth, double);
    if (anderson) {
        *anderson = own;
    }
}

void mo_shift_anderson_begin(mo_shift_anderson *a)
{
    a->count = a->is_mixed = a->has_base = 0;
}

/* The newest change takes the place of the oldest; f = F(s) - s becomes the base. */
static void remember(mo_shift_anderson *a, int n, const double *s, const double *image)
{
    const size_t slot = (size_t)(a->count % a->depth) * (size_t)n;
    for (int i = 0; i < n; ++i) {
        const double f = image[i] - s[i];
        if (a->has_base) {
            a->ds[slot + (size_t)i] = s[i] - a->s[i];
            a->df[slot + (size_t)i] = f - a->f[i];
        }
        a->s[i] = s[i];
        a->f[i] = f;
    }
    a->count += a->has_base;
    a->has_base = 1;
    a->size = sqrt(mo_dot(n, a->f, a->f));
}

/* g of the least |f - df g|, by its normal equations; returns how many columns there are. */
static int least_squares(const mo_shift_anderson *a, int n, double *g)
{
    const int m = a->count < a->depth ? a->count : a->depth;
    double A[DEPTH_MOST * DEPTH_MOST], b[DEPTH_MOST], most = 0;
    for (int j = 0; j < m; ++j) {
        const double *column = a->df + (size_t)j * (size_t)n;
        for (int k = 0; k < m; ++k) {
            A[j * m + k] = mo_dot(n, column, a->df + (size_t)k * (size_t)n);
        }
        b[j] = mo_dot(n, column, a->f);
        most = fmax(most, A[j * m + j]);
    }
    for (int j = 0; j < m; ++j) {
        A[j * m + j] += REGULARISE * most;
    }
    mo_solve_small(m, A, b, g);
    return m;
}

static void mix(const mo_shift_anderson *a, int n, double *s)
{
    double g[DEPTH_MOST];
    const int m = least_squares(a, n, g);
    for (int i = 0; i < n; ++i) {
        s[i] = a->s[i] + a->f[i];
    }
    for (int j = 0; j < m; ++j) {
        mo_axpy(n, -g[j], a->ds + (size_t)j * (size_t)n, s);
        mo_axpy(n, -g[j], a->df + (size_t)j * (size_t)n, s);
    }
    for (int i = 0; i < n; ++i) {
        s[i] = s[i] > 0 ? s[i] : 0; /* also where it is not a number */
    }
}

mo_shift_end mo_shift_anderson_next(mo_run *run, mo_shift_loop *loop, void *context)
{
    mo_shift_anderson *a = context;
    const int n = run->problem->constraint_count;
    if (a->is_mixed && !(mo_shift_distance(n, loop->image, loop->s) <= a->size)) {
        for (int i = 0; i < n; ++i) {
            loop->s[i] = a->s[i] + a->f[i];
        }
        mo_shift_anderson_begin(a);
        return MO_SHIFT_GOES_ON;
    }
    remember(a, n, loop->s, loop->image);
    mix(a, n, loop->s);
    a->is_mixed = a->count > 0;
    return MO_SHIFT_GOES_ON;
}
