/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The LCP of the feasible interior point method, conversion to impulses, and the final step. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "problem/views.h"
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
    mo_lcp_layout(problem, MO_LCP_EXACT, facets, arena, &f->lcp);
    const mo_error error = mo_problem_sweep(problem, MO_SWEEP_NATURAL, &f->sweep);
    if (error) {
        return error;
    }
    const size_t all = (size_t)f->lcp.size;
    f->n = f->lcp.size - f->lcp.free_count;
    const size_t n = (size_t)f->n;
    mo_lcp_joints_layout(f->lcp.free_count, f->n, arena, &f->joints);
    f->work_size = (LAPACK_COLUMNS + 3) * (f->n + 1);
    f->A = MO_TAKE(arena, all * all, double);
    f->S = f->lcp.free_count ? MO_TAKE(arena, n * n, double) : f->A;
    f->K = MO_TAKE(arena, n * n, double);
    f->rows = MO_TAKE(arena, n * n, double);
    f->b = MO_TAKE(arena, all, double);
    f->scale = MO_TAKE(arena, all, double);
    f->all_z = MO_TAKE(arena, all, double);
    f->all_w = MO_TAKE(arena, all, double);
    f->c = MO_TAKE(arena, n, double);
    f->z = MO_TAKE(arena, n, double);
    f->w = MO_TAKE(arena, n, double);
    f->p = MO_TAKE(arena, n, double);
    f->dz = MO_TAKE(arena, n, double);
    f->dw = MO_TAKE(arena, n, double);
    f->work = MO_TAKE(arena, f->work_size, double);
    f->v = MO_TAKE(arena, problem->dof_count, double);
    f->pivot = MO_TAKE(arena, n, int);
    f->active = MO_TAKE(arena, n, int);
    return MO_OK;
}

void mo_fip_multiply(const mo_fip *f, const double *x, double *y)
{
    for (int i = 0; i < f->n; ++i) {
        y[i] = mo_dot(f->n, f->S + (size_t)i * f->n, x);
    }
}

void mo_fip_prepare(mo_run *run, mo_fip *f)
{
    double most = 0;
    mo_lcp_matrix(&f->lcp, f->sweep, f->A);
    mo_lcp_vector(&f->lcp, f->v, run->u, f->b);
    mo_lcp_scales(&f->lcp, f->A, 0, f->scale);
    mo_lcp_apply_scales(&f->lcp, f->scale, f->A, f->b);
    if (f->lcp.free_count) {
        mo_lcp_joints_eliminate(&f->joints, f->A, f->b, f->S, f->c);
    } else {
        memcpy(f->c, f->b, (size_t)f->n * sizeof *f->c);
    }
    for (int k = 0; k < f->n; ++k) {
        most = fmax(most, fabs(f->c[k]));
    }
    f->size = most > 0 ? most : 1;
    for (int k = 0; k < f->n; ++k) {
        f->c[k] /= f->size;
    }
    for (int k = 0; k < f->joints.rank; ++k) {
        f->joints.y[k] /= f->size;
    }
}

/* ---- back to impulses ------------------------------------------------------------------------ */

/* run->r and run->u of all_z, which is scaled.  all_w is spoilt: it holds z in the units of the
 * problem. */
static void set_impulse(mo_run *run, mo_fip *f)
{
    for (int k = 0; k < f->lcp.size; ++k) {
        f->all_w[k] = f->size * f->scale[k] * f->all_z[k];
    }
    mo_lcp_impulse(&f->lcp, f->all_w, run->r);
    mo_problem_response_into(run->problem, run->r, f->v, run->u);
}

/* all_z from the pairs x. */
static void set_point(mo_run *run, mo_fip *f, const double *x)
{
    double *pairs = f->all_z + f->lcp.free_count;
    memcpy(pairs, x, (size_t)f->n * sizeof *pairs);
    mo_lcp_joints_recover(&f->joints, pairs, f->all_z);
    set_impulse(run, f);
}

void mo_fip_keep_ray(mo_run *run, mo_fip *f, const double *y)
{
    double *pairs = f->all_z + f->lcp.free_count;
    memcpy(pairs, y, (size_t)f->n * sizeof *pairs);
    mo_lcp_joints_backward(&f->joints, NULL, pairs, f->all_z);
    for (int k = 0; k < f->lcp.size; ++k) {
        f->all_w[k] = f->scale[k] * f->all_z[k];
    }
    mo_lcp_ray(&f->lcp, f->all_w, run->r);
    mo_run_keep_ray(run, run->r);
}

int mo_fip_check(mo_run *run, mo_fip *f)
{
    set_point(run, f, f->z);
    return mo_run_check(run, f->iteration, run->u, run->r);
}

/* ---- the active set -------------------------------------------------------------------------- */

/* K = S on the active rows and columns, and x = -w there. */
static void gather(const mo_fip *f, int count, const double *w, double *x)
{
    for (int i = 0; i < count; ++i) {
        const double *line = f->S + (size_t)f->active[i] * f->n;
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

/* One correction of all_z: w on joints and on the active set, from the true velocity, is made to
 * vanish. */
static void correct(mo_run *run, mo_fip *f, int count, double reach)
{
    const int joints = f->lcp.free_count, all = f->lcp.size;
    double *change = f->dw, *pairs = f->dz, *w = f->all_w; /* the direction has been used up */
    memcpy(f->b, f->all_w, (size_t)all * sizeof *f->b);    /* b has been used up, too */
    mo_lcp_slack(&f->lcp, f->b, run->r, run->u, w);
    for (int k = 0; k < all; ++k) {
        w[k] *= f->scale[k] / f->size;
    }
    mo_lcp_joints_forward(&f->joints, w, w + joints);
    solve_active(f, count, w + joints, reach, change);
    memset(pairs, 0, (size_t)f->n * sizeof *pairs);
    for (int k = 0; k < count; ++k) {
        pairs[f->active[k]] = change[k];
    }
    mo_lcp_joints_backward(&f->joints, w, pairs, f->b);
    memcpy(f->b + joints, pairs, (size_t)f->n * sizeof *pairs);
    for (int k = 0; k < all; ++k) {
        f->all_z[k] += f->b[k];
        f->all_z[k] = k < joints || f->all_z[k] > 0 ? f->all_z[k] : 0;
    }
    set_impulse(run, f);
}

int mo_fip_polish(mo_run *run, mo_fip *f)
{
    int count = 0;
    double most = 1;
    for (int k = 0; k < f->n; ++k) {
        const int is_active = f->z[k] >= f->w[k];
        f->dz[k] = is_active ? f->z[k] : 0;
        most = fmax(most, f->z[k]);
        if (is_active) {
            f->active[count++] = k;
        }
    }
    set_point(run, f, f->dz);
    for (int k = 0; k < CORRECTIONS; ++k) {
        correct(run, f, count, most);
        if (mo_run_check(run, f->iteration, run->u, run->r)) {
            return 1;
        }
    }
    return 0;
}
