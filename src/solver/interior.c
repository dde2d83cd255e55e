/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/interior.h"

#include <math.h>
#include <string.h>

#include "base/pace.h"
#include "linalg/dense.h"
#include "measure/measure_blocks.h"

/* Regularises the matrix of a joint, whose rows may repeat those of others; in units of W_ii. */
static const double JOINT = 1e-9;

/*
 * Added to T^2, in units of W_ii.  Where contacts stick with forces far larger than the velocities
 * are small, T^2 falls below the rounding of W, which is singular where they are redundant.  It
 * slows the drift of r in that null space and does not move the solution.
 */
static const double STUCK = 1e-12;

/*
 * The least sigma.  Where a contact slides, p and z meet on opposite sides of the boundary, and an
 * angle t between them costs only t^2 in p.z: longer steps leave angles of the order sqrt(tau), and
 * half of the digits are lost.
 */
static const double LEAST_SIGMA = 0.1;

/* Such a short predictor gives no second-order information. */
static const double SHORT = 0.1;

/* Step lengths below and above which the weight of the gradient of phi is reduced and restored. */
static const double HELD_BACK = 0.3, LONG = 0.9;

/* ---- products with E ------------------------------------------------------------------------- */

/* y = E x; x += E' y. */
static void into_cone(const mo_law_cone *cone, int d, const double *x, double *y)
{
    for (int a = 0; a < cone->dim; ++a)
        y[a] = mo_dot(d, cone->E + a * d, x);
}

static void out_of_cone(const mo_law_cone *cone, int d, const double *y, double *x)
{
    for (int a = 0; a < cone->dim; ++a)
        mo_axpy(d, y[a], cone->E + a * d, x);
}

/* ---- the problem and the start --------------------------------------------------------------- */

/* The largest row sum of D W_ii D, D = diag(weight): the size of W_ii in the units of the cones; 1
 * where it is zero. */
static double block_scale(int d, const double *W, const double *weight)
{
    double most = 0;
    for (int j = 0; j < d; ++j) {
        double sum = 0;
        for (int k = 0; k < d; ++k)
            sum += 0.5 * fabs(W[j * d + k] + W[k * d + j]) * weight[j] * weight[k];
        most = fmax(most, sum);
    }
    return most > 0 && isfinite(most) ? most : 1;
}

/* The rows of block i: which are fixed, and their size on the rim; joints have neither. */
static void rows_of(const mo_interior *s, int i, mo_law_rows *rows, double *weight)
{
    const int d = mo_constraint_dim(s->problem, i);
    if (s->cone_start[i] == s->cone_start[i + 1] && d > MO_LAW_MAX_DIM) {
        memset(rows, 0, sizeof *rows);
        for (int k = 0; k < d; ++k)
            weight[k] = 1;
        return;
    }
    mo_interior_cones(s->problem, i, NULL, rows);
    memcpy(weight, rows->weight, (size_t)d * sizeof *weight);
}

/* Finds the scale of block i and stretches its cones to it; the squared size of its q in these
 * units. */
static double scale_block(mo_interior *s, int i)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    mo_law_rows rows;
    double weight[MO_BILATERAL_MAX_DIM], size = 0;
    rows_of(s, i, &rows, weight);
    s->scale[i] = block_scale(d, mo_interior_diagonal(&s->matrix, i), weight);
    mo_interior_cones(problem, i, s->cone + s->cone_start[i], NULL);
    for (int k = s->cone_start[i]; k < s->cone_start[i + 1]; ++k) {
        const double root = sqrt(s->scale[i]);
        s->cone[k].offset *= root;
        mo_scale(s->cone[k].dim * d, root, s->cone[k].E);
    }
    for (int k = 0; k < d; ++k) {
        const int is_small = d <= MO_LAW_MAX_DIM;
        s->fixed[row + k] = is_small && rows.fixed[k];
        s->r[row + k] = is_small && rows.fixed[k] ? rows.value[k] : 0;
        size += s->u[row + k] * s->u[row + k] * weight[k] * weight[k] / s->scale[i];
    }
    return size;
}

double mo_interior_begin(mo_interior *s, const double *shift, const double *weight,
                         const double *centre)
{
    double most = 0;
    s->s = shift;
    s->weight = weight;
    s->centre = centre;
    s->least_slope = 1;
    s->by_arc = 0;
    memset(s->r, 0, (size_t)s->problem->row_count * sizeof *s->r);
    mo_interior_velocity(&s->matrix, s->r, s->u);
    for (int i = 0; i < s->problem->constraint_count; ++i)
        most = fmax(most, scale_block(s, i));
    return most > 0 ? sqrt(most) : 1;
}

/* Inside a box: near zero, but at least beta from a bound, or at the midpoint. */
static void start_in_box(mo_interior *s, int i, double beta)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const double *lower = mo_constraint_param(problem, i), *upper = lower + d;
    for (int k = 0; k < d; ++k) {
        if (!s->fixed[row + k]) {
            const double away = fmin(beta / sqrt(s->scale[i]), 0.5 * (upper[k] - lower[k]));
            s->r[row + k] = fmin(fmax(0, lower[k] + away), upper[k] - away);
        }
    }
}

static void find_slacks(mo_interior *s)
{
    const mo_problem *problem = s->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        mo_pace_every(i + 1, 128);
        for (int k = s->cone_start[i]; k < s->cone_start[i + 1]; ++k) {
            double *p = s->p + s->first[k];
            into_cone(s->cone + k, d, s->r + row, p);
            p[0] += s->cone[k].offset;
        }
    }
}

void mo_interior_start(mo_interior *s, double beta)
{
    const mo_problem *problem = s->problem;
    for (int k = 0; k < problem->row_count; ++k) /* values from an earlier start */
        s->r[k] = s->fixed[k] ? s->r[k] : 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        if (problem->law[i].kind == MO_LAW_BOX)
            start_in_box(s, i, beta);
        else if (s->cone_start[i] <
                 s->cone_start[i + 1]) /* all other laws have a normal with cones around it */
            s->r[problem->row_start[i]] = beta / sqrt(s->scale[i]);
    }
    find_slacks(s);
    s->slope = 1;
    s->arc = (mo_arc){0};
    for (int k = 0; k < s->cone_count; ++k) { /* p is along e, so that this is central */
        double *z = s->z + s->first[k];
        memset(z, 0, (size_t)s->cone[k].dim * sizeof *z);
        z[0] = beta * (beta / s->p[s->first[k]]);
    }
}

/* Is the law of block i one cone with a diagonal E, and none of its rows fixed? */
static int is_one_cone(const mo_interior *s, int i)
{
    const mo_law_kind kind = (mo_law_kind)s->problem->law[i].kind;
    return kind == MO_LAW_FRICTIONLESS ||
           (kind == MO_LAW_COULOMB && !s->fixed[s->problem->row_start[i + 1] - 1] &&
            !isinf(mo_constraint_param(s->problem, i)[0]));
}

void mo_interior_start_near(mo_interior *s, double beta, const double *r)
{
    const mo_problem *problem = s->problem;
    mo_interior_start(s, beta);
    mo_interior_velocity(&s->matrix, r, s->u);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const mo_law_cone *cone = s->cone + s->cone_start[i];
        double uhat[MO_LAW_MAX_DIM], p[MO_LORENTZ_MAX], x[MO_LORENTZ_MAX];
        if (!is_one_cone(s, i)) continue;
        mo_constraint_law(problem, i)->shift(mo_constraint_param(problem, i), d, s->u + row, uhat);
        for (int j = 0; j < d; ++j)
            x[j] = cone->E[j * d + j] * r[row + j] - uhat[j] / cone->E[j * d + j];
        mo_lorentz_split(d, beta * beta, x, p, s->z + s->first[s->cone_start[i]]);
        for (int j = 0; j < d; ++j)
            s->r[row + j] = p[j] / cone->E[j * d + j];
    }
    find_slacks(s);
}

/* ---- measures of progress -------------------------------------------------------------------- */

/* phi of block i at yhat, and its gradient. */
static double shift_of(const mo_interior *s, int i, const double *yhat, double *gradient)
{
    const mo_problem *problem = s->problem;
    const int d = mo_constraint_dim(problem, i);
    const mo_law_kind kind = (mo_law_kind)problem->law[i].kind;
    memset(gradient, 0, (size_t)d * sizeof *gradient);
    if (s->s || d == 1 || kind == MO_LAW_BOX || kind == MO_LAW_BILATERAL) return s->s ? s->s[i] : 0;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i);
    const double capped = MO_CONES_MU_MOST; /* an infinite mu: see law/cones.h */
    double at[MO_LAW_MAX_DIM], uhat[MO_LAW_MAX_DIM], G[MO_LAW_MAX_DIM * MO_LAW_MAX_DIM];
    p = isinf(p[0]) ? &capped : p;
    memcpy(at, yhat, (size_t)d * sizeof *at);
    at[0] = 0; /* so that the shift is not lost in the rounding of the normal part */
    law->shift(p, d, at, uhat);
    law->shift_derivative(p, d, at, G);
    memcpy(gradient + 1, G + 1, (size_t)(d - 1) * sizeof *gradient);
    return uhat[0];
}

/* u, yhat, the rest of (1), g and tau at r and z. */
static void evaluate(mo_interior *s)
{
    const mo_problem *problem = s->problem;
    double sum = 0;
    mo_interior_velocity(&s->matrix, s->r, s->u);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double *yhat = s->yhat + row, *rest = s->rest + row;
        mo_pace_every(i + 1, 128);
        memset(yhat, 0, (size_t)d * sizeof *yhat);
        for (int k = s->cone_start[i]; k < s->cone_start[i + 1]; ++k)
            out_of_cone(s->cone + k, d, s->z + s->first[k], yhat);
        mo_law_velocity(problem, row, d, s->u + row, s->r + row, rest);
        rest[0] += shift_of(s, i, yhat, s->g + row);
        for (int k = 0; k < d; ++k) {
            rest[k] += s->weight ? s->weight[i] * (s->r[row + k] - s->centre[row + k]) : 0;
            rest[k] = s->fixed[row + k] ? 0 : rest[k] - yhat[k];
            s->g[row + k] *= s->slope;
            sum += rest[k] * rest[k] / s->scale[i];
        }
    }
    s->rest_norm = sqrt(sum);
    find_slacks(s);
    s->tau = mo_dot(s->cone_rows, s->p, s->z) / (s->cone_count ? s->cone_count : 1);
}

double mo_interior_misfit(mo_interior *s)
{
    const mo_problem *problem = s->problem;
    double most = 0;
    evaluate(s);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *rest = s->rest + problem->row_start[i];
        most = fmax(most, mo_dot(mo_constraint_dim(problem, i), rest, rest) / s->scale[i]);
    }
    return sqrt(most);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* C += E' (T^2 + STUCK) E of one cone. */
static void add_cone(const mo_law_cone *cone, const mo_scaling *scaling, int d, double *C)
{
    const int n = cone->dim;
    double Q[MO_LORENTZ_MAX * MO_LORENTZ_MAX];
    mo_scaling_square(n, scaling, Q);
    for (int a = 0; a < n; ++a)
        Q[a * n + a] += STUCK;
    for (int a = 0; a < n; ++a) {
        double row[MO_LAW_MAX_DIM] = {0};
        for (int b = 0; b < n; ++b)
            mo_axpy(d, Q[a * n + b], cone->E + b * d, row);
        for (int j = 0; j < d; ++j)
            mo_axpy(d, cone->E[a * d + j], row, C + j * d);
    }
}

/* x -= e_N (g.x), for the n columns of a block x of d rows. */
static void shear(int d, int n, const double *g, double *x)
{
    for (int k = 1; k < d; ++k)
        mo_axpy(n, -g[k], x + k * n, x);
}

/* C of every block, and the factors; false where an iterate has left its cone or the matrix is
 * singular. */
static int factor(mo_interior *s)
{
    const mo_problem *problem = s->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double *C = s->C + s->C_start[i];
        mo_pace_every(i + 1, 128);
        memset(C, 0, (s->C_start[i + 1] - s->C_start[i]) * sizeof *C);
        for (int k = s->cone_start[i]; k < s->cone_start[i + 1]; ++k) {
            if (!mo_scaling_set(s->cone[k].dim, s->p + s->first[k], s->z + s->first[k],
                                s->scaling + k))
                return 0;
            add_cone(s->cone + k, s->scaling + k, d, C);
        }
        shear(d, d, s->g + row, C);
        const double soft = (s->weight ? s->weight[i] : 0) +
                            (s->cone_start[i] == s->cone_start[i + 1] ? JOINT * s->scale[i] : 0);
        for (int k = 0; k < d; ++k)
            C[k * d + k] += soft + (problem->compliance ? problem->compliance[row + k] : 0);
    }
    return mo_interior_factor(&s->matrix, s->C, s->C_start, s->fixed);
}

/* ---- directions ------------------------------------------------------------------------------ */

/*
 * target of every cone becomes T h of (3): of the predictor, or centred at `centre`, with the
 * second order of the predictor or without.
 */
typedef enum aims { AIM_PREDICTOR, AIM_CENTRE, AIM_CORRECTOR } aims;
static void aim(mo_interior *s, aims what, double centre)
{
    for (int k = 0; k < s->cone_count; ++k) {
        const int n = s->cone[k].dim, at = s->first[k];
        double lambda[MO_LORENTZ_MAX], a[MO_LORENTZ_MAX], b[MO_LORENTZ_MAX];
        mo_pace_every(k + 1, 128);
        if (what == AIM_PREDICTOR) { /* T h = -T lambda = -z */
            for (int j = 0; j < n; ++j)
                s->target[at + j] = -s->z[at + j];
            continue;
        }
        mo_scaling_apply(n, s->scaling + k, s->p + at, lambda);
        mo_scaling_apply(n, s->scaling + k, s->dp + at, a);
        mo_scaling_undo(n, s->scaling + k, s->dz + at, b);
        mo_lorentz_product(n, a, b, a);
        for (int j = 0; j < n; ++j)
            a[j] = (j == 0 ? centre : 0) - (what == AIM_CORRECTOR ? a[j] : 0);
        mo_lorentz_divide(n, lambda, a, b);
        for (int j = 0; j < n; ++j) /* lambda \ (lambda o lambda) = lambda */
            b[j] -= lambda[j];
        mo_scaling_apply(n, s->scaling + k, b, s->target + at);
    }
}

void mo_interior_direction(mo_interior *s, int is_refined)
{
    const mo_problem *problem = s->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        double *right = s->dr + row;
        mo_pace_every(i + 1, 128);
        memset(right, 0, (size_t)d * sizeof *right);
        for (int k = s->cone_start[i]; k < s->cone_start[i + 1]; ++k)
            out_of_cone(s->cone + k, d, s->target + s->first[k], right);
        shear(d, 1, s->g + row, right);
        mo_axpy(d, -1, s->rest + row, right);
    }
    mo_interior_solve(&s->matrix, is_refined, s->dr);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        mo_pace_every(i + 1, 128);
        for (int k = s->cone_start[i]; k < s->cone_start[i + 1]; ++k) {
            const int n = s->cone[k].dim, at = s->first[k];
            double half[MO_LORENTZ_MAX], whole[MO_LORENTZ_MAX];
            into_cone(s->cone + k, d, s->dr + row, s->dp + at);
            mo_scaling_apply(n, s->scaling + k, s->dp + at, half);
            mo_scaling_apply(n, s->scaling + k, half, whole);
            for (int j = 0; j < n; ++j)
                s->dz[at + j] = s->target[at + j] - whole[j];
        }
    }
}

double mo_interior_longest(const mo_interior *s, double most)
{
    for (int k = 0; k < s->cone_count; ++k) {
        const int n = s->cone[k].dim, at = s->first[k];
        mo_pace_every(k + 1, 128);
        most = mo_lorentz_step(n, s->p + at, s->dp + at, most);
        most = mo_lorentz_step(n, s->z + at, s->dz + at, most);
    }
    return most;
}

/* tau after a step of length a. */
static double tau_after(const mo_interior *s, double a)
{
    double sum = 0;
    for (int k = 0; k < s->cone_rows; ++k)
        sum += (s->p[k] + a * s->dp[k]) * (s->z[k] + a * s->dz[k]);
    return sum / (s->cone_count ? s->cone_count : 1);
}

void mo_interior_aim_centre(mo_interior *s)
{
    aim(s, AIM_CENTRE, s->tau);
}

/* The direction of Mehrotra's rule from the factors, and its length. */
static double plain_step(mo_interior *s)
{
    aim(s, AIM_PREDICTOR, 0);
    mo_interior_direction(s, 0);
    const double a = mo_interior_longest(s, 1), ratio = fmin(1, fmax(0, tau_after(s, a) / s->tau));
    s->sigma = fmax(LEAST_SIGMA, 0.998 * pow(ratio, fmax(1, 3 * a * a)));
    aim(s, a < SHORT ? AIM_CENTRE : AIM_CORRECTOR, s->sigma * s->tau);
    mo_interior_direction(s, 1);
    const double part = 0.9 + 0.09 * a;
    return fmin(1, part * mo_interior_longest(s, 1 / part));
}

double mo_interior_step(mo_interior *s)
{
    evaluate(s);
    if (!factor(s)) return 0;
    s->length = s->arc.is_on ? 0 : plain_step(s);
    if (s->by_arc && mo_arc_is_due(s)) s->length = mo_arc_step(s);
    if (!mo_all_finite(s->dr, (size_t)s->problem->row_count)) return 0;
    s->slope = s->length > LONG ? 1 : s->length > HELD_BACK ? s->slope : s->least_slope;
    mo_axpy(s->problem->row_count, s->length, s->dr, s->r);
    mo_axpy(s->cone_rows, s->length, s->dz, s->z);
    return s->length;
}
