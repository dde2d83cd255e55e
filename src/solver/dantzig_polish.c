/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The last phase of `dantzig` for contacts in space: from the paper's friction to Coulomb's law.
 *
 * [baraff1994, section 5.6] keeps the direction that a friction force had when it reached its disc,
 * and requires only that it opposes the motion in part (21).  The modes are then mostly right, the
 * directions are not.  Newton's method on the natural map finishes:
 *
 *     z(r) = r - P(r - rho uhat(W r + q)),    (I - P' (I - rho G (W + shift I))) dr = -z
 *
 * P' and G are the derivatives of the projection and of the shift uhat; rho = 1 / s^2 converts u to
 * the units of r.  W is singular if more contacts stick than there are velocities, so a multiple of
 * the identity is added in the matrix but not in z, which keeps the solution.  A step that does not
 * reduce |z|, even when halved, is repeated with a larger shift; after a full step the shift
 * decreases.
 */
#include <math.h>
#include <string.h>

#include "solver/dantzig.h"

void dgesv_(const int *n, const int *columns, double *A, const int *lda, int *pivots, double *b,
            const int *ldb, int *info);

static const double SHIFT_LEAST = 1e-6, SHIFT_MOST = 1; /* the diagonal of A is about one */

/* The argument of the projection of block i: r - rho uhat. */
static void argument_of(const mo_dantzig *z, int i, const double *u, const double *r, double *x)
{
    const mo_problem *problem = z->problem;
    const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
    mo_constraint_law(problem, i)->shift(mo_constraint_param(problem, i), d, u + row, x);
    for (int k = 0; k < d; ++k) {
        const double s = z->scale[row + k];
        x[k] = r[row + k] - x[k] / (s * s);
    }
}

/* s z of all blocks; returns its norm. */
static double natural_map(const mo_dantzig *z, const double *u, const double *r, double *out)
{
    const mo_problem *problem = z->problem;
    double x[MO_BILATERAL_MAX_DIM], sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        argument_of(z, i, u, r, x);
        mo_constraint_law(problem, i)->project(mo_constraint_param(problem, i), d, x, x);
        for (int k = 0; k < d; ++k) {
            out[row + k] = z->scale[row + k] * (r[row + k] - x[k]);
            sum += out[row + k] * out[row + k];
        }
    }
    return sqrt(sum);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* S (scaled: s_k P_kl / s_l) and T = S s_l^-1 G s_m: the rows of block i are I - S + T (A +
 * shift). */
static void block_factors(const mo_dantzig *z, int i, const double *u, const double *r, double *S,
                          double *T)
{
    const mo_problem *problem = z->problem;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i), *s = z->scale + problem->row_start[i];
    const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
    double x[MO_LAW_MAX_DIM], G[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    argument_of(z, i, u, r, x);
    law->project_derivative(p, d, x, S);
    law->shift_derivative(p, d, u + row, G);
    for (int k = 0; k < d; ++k) {
        for (int l = 0; l < d; ++l) {
            S[k * d + l] *= s[k] / s[l];
        }
        for (int m = 0; m < d; ++m) {
            double sum = 0;
            for (int l = 0; l < d; ++l) {
                sum += S[k * d + l] * G[l * d + m] / s[l];
            }
            T[k * d + m] = sum * s[m];
        }
    }
}

/* The rows of block i in the matrix. */
static void fill_block(mo_dantzig *z, int i, const double *u, const double *r, double shift)
{
    const int row = z->problem->row_start[i], d = mo_constraint_dim(z->problem, i), n = z->n;
    double S[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM], T[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    block_factors(z, i, u, r, S, T);
    for (int j = 0; j < n; ++j) {
        const double *A = z->W + (size_t)j * n + row;
        double *J = z->J + (size_t)j * n + row;
        for (int k = 0; k < d; ++k) {
            double sum = 0;
            for (int m = 0; m < d; ++m) {
                sum += T[k * d + m] * A[m];
            }
            J[k] = sum;
        }
    }
    for (int k = 0; k < d; ++k) {
        for (int l = 0; l < d; ++l) {
            z->J[(size_t)(row + l) * n + row + k] += (k == l) - S[k * d + l] + shift * T[k * d + l];
        }
    }
}

/* A joint: z = rho u, whatever r is. */
static void fill_joint(mo_dantzig *z, int i, double shift)
{
    const int row = z->problem->row_start[i], end = z->problem->row_start[i + 1], n = z->n;
    for (int j = 0; j < n; ++j) {
        for (int k = row; k < end; ++k) {
            z->J[(size_t)j * n + k] = z->W[(size_t)j * n + k] + (j == k ? shift : 0);
        }
    }
}

/* The step dr, scaled, into z->step; false where the matrix is singular. */
static int find_step(mo_dantzig *z, const double *u, const double *r, const double *value,
                     double shift)
{
    const int one = 1;
    int info = 0;
    for (int i = 0; i < z->problem->constraint_count; ++i) {
        if (z->problem->law[i].kind == MO_LAW_BILATERAL) {
            fill_joint(z, i, shift);
        } else {
            fill_block(z, i, u, r, shift);
        }
    }
    for (int k = 0; k < z->n; ++k) {
        z->step[k] = -value[k];
    }
    dgesv_(&z->n, &one, z->J, &z->n, z->newton_pivots, z->step, &z->n, &info);
    return info == 0;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* Takes the longest of the steps 1, 1/2, 1/4, ... that makes |z| smaller; its length, or zero
 * where none does. */
static double search(mo_dantzig *z, double *norm, double *value, double *r, double *u)
{
    enum { HALVINGS = 12 };
    const size_t bytes = (size_t)z->n * sizeof *r;
    double t = 1;
    for (int k = 0; k < HALVINGS; ++k, t /= 2) {
        for (int i = 0; i < z->n; ++i) {
            z->trial[i] = r[i] + t * z->step[i] / z->scale[i];
        }
        mo_dantzig_velocity(z, z->trial, z->trial_u);
        const double now = natural_map(z, z->trial_u, z->trial, z->trial_value);
        if (now < (1 - 1e-4 * t) * *norm) {
            memcpy(r, z->trial, bytes);
            memcpy(u, z->trial_u, bytes);
            memcpy(value, z->trial_value, bytes);
            *norm = now;
            return t;
        }
    }
    return 0;
}

int mo_dantzig_polish(mo_dantzig *z)
{
    double *r = z->df, *u = z->da, *value = z->row, shift = SHIFT_LEAST;
    mo_dantzig_unscale(z, z->f, r);
    mo_dantzig_velocity(z, r, u);
    double norm = natural_map(z, u, r, value);
    for (int k = 0; k < z->options->dantzig.polish && shift <= SHIFT_MOST; ++k) {
        const double length = find_step(z, u, r, value, shift) ? search(z, &norm, value, r, u) : 0;
        if (length == 1) {
            shift = mo_larger(shift / 10, SHIFT_LEAST);
        } else if (length == 0) {
            shift *= 100;
        }
        mo_dantzig_import(z, r);
        mo_dantzig_refresh(z);
        z->next_check = 0;
        if (mo_dantzig_tick(z)) {
            return 1;
        }
    }
    return 0;
}
