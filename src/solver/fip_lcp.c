/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The LCP of the feasible interior point method, conversion to impulses, and the final step. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "solver/fip.h"

void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *columns, const double *A, const int *lda,
             const int *pivot, double *B, const int *ldb, int *info);
void dgelsy_(const int *m, const int *n, const int *columns, double *A, const int *lda, double *B,
             const int *ldb, int *pivot, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

enum { CORRECTIONS = 3, LAPACK_COLUMNS = 32 };

mo_error mo_fip_layout(const mo_problem *problem, int facets, mo_arena *arena, mo_fip *f)
{
    *f = (mo_fip){0};
    MO_TRY(mo_lcp_system_layout(problem, facets, arena, &f->lcp));
    const size_t n = (size_t)f->lcp.n;
    f->work_size = (LAPACK_COLUMNS + 3) * (f->lcp.n + 1);
    MO_TAKE_EACH(arena, n * n, double, &f->K, &f->rows);
    MO_TAKE_EACH(arena, n, double, &f->z, &f->w, &f->p, &f->dz, &f->dw);
    f->work = MO_TAKE(arena, f->work_size, double);
    MO_TAKE_EACH(arena, n, int, &f->pivot, &f->active);
    return MO_OK;
}

void mo_fip_multiply(const mo_fip *f, const double *x, double *y)
{
    for (int i = 0; i < f->lcp.n; ++i) {
        y[i] = mo_dot(f->lcp.n, f->lcp.S + (size_t)i * f->lcp.n, x);
    }
}

void mo_fip_prepare(mo_run *run, mo_fip *f)
{
    mo_lcp_system_assemble(run, &f->lcp, &f->lcp.lcp, MO_SCALES_ROOTS);
    const double most = mo_largest(f->lcp.n, f->lcp.c);
    mo_lcp_system_resize(&f->lcp, most > 0 ? most : 1);
}

int mo_fip_check(mo_run *run, mo_fip *f)
{
    mo_lcp_system_put(run, &f->lcp, f->z);
    return mo_run_check(run, f->iteration, run->u, run->r);
}

/* ---- the active set -------------------------------------------------------------------------- */

/* K = S on the active rows and columns, and x = -w there. */
static void gather(const mo_fip *f, int count, const double *w, double *x)
{
    for (int i = 0; i < count; ++i) {
        const double *line = f->lcp.S + (size_t)f->active[i] * f->lcp.n;
        x[i] = -w[f->active[i]];
        for (int j = 0; j < count; ++j) {
            f->K[(size_t)j * count + i] = line[f->active[j]];
        }
    }
}

/* Did the solution of the system stay near the point, as it does where the matrix is not singular?
 */
static int is_near(int count, const double *x, double reach)
{
    for (int k = 0; k < count; ++k) {
        if (!(fabs(x[k]) <= reach)) {
            return 0;
        }
    }
    return 1;
}

/* x with S_active x = -w there; the shortest of least squares where S_active is singular. */
static void solve_active(mo_fip *f, int count, const double *w, double reach, double *x)
{
    const int one = 1;
    const double rank_tolerance = 1e-11; /* of singular values: S has numbers of about one */
    int info, rank;
    if (count == 0) {
        return;
    }
    gather(f, count, w, x);
    dgetrf_(&count, &count, f->K, &count, f->pivot, &info);
    if (info == 0) {
        dgetrs_("N", &count, &one, f->K, &count, f->pivot, x, &count, &info);
        if (is_near(count, x, reach)) {
            return;
        }
    }
    gather(f, count, w, x);
    memset(f->pivot, 0, (size_t)count * sizeof *f->pivot);
    dgelsy_(&count, &count, &one, f->K, &count, x, &count, f->pivot, &rank_tolerance, &rank,
            f->work, &f->work_size, &info);
}

/* One correction of the point: w on joints and on the active set, from the true velocity, is made
 * to vanish. */
static void correct(mo_run *run, mo_fip *f, int count, double reach)
{
    double *change = f->dw, *pairs = f->dz; /* no further progress along the direction */
    mo_lcp_system_slack(run, &f->lcp);
    solve_active(f, count, f->lcp.w + f->lcp.lcp.free_count, reach, change);
    memset(pairs, 0, (size_t)f->lcp.n * sizeof *pairs);
    for (int k = 0; k < count; ++k) {
        pairs[f->active[k]] = change[k];
    }
    mo_lcp_system_move(run, &f->lcp, pairs);
}

int mo_fip_polish(mo_run *run, mo_fip *f)
{
    int count = 0;
    double most = 1;
    for (int k = 0; k < f->lcp.n; ++k) {
        const int is_active = f->z[k] >= f->w[k];
        f->dz[k] = is_active ? f->z[k] : 0;
        most = fmax(most, f->z[k]);
        if (is_active) {
            f->active[count++] = k;
        }
    }
    mo_lcp_system_put(run, &f->lcp, f->dz);
    for (int k = 0; k < CORRECTIONS; ++k) {
        correct(run, f, count, most);
        if (mo_run_check(run, f->iteration, run->u, run->r)) {
            return 1;
        }
    }
    return 0;
}
