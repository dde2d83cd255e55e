/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/enclosure.h"

#include "base/error.h"

/* ---- linear systems -------------------------------------------------------------------------- */

double mo_root_prepare(int n, const mo_interval *E, double *R)
{
    for (int k = 0; k < n * n; ++k)
        R[k] = E[k].mid;
    if (n > MO_SMALL || !mo_invert_small(n, R)) return INFINITY;
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            mo_interval entry = mo_interval_exact(i == j ? -1 : 0);
            for (int k = 0; k < n; ++k)
                entry = mo_interval_fma(entry, R[i * n + k], E[k * n + j]);
            sum += mo_interval_size(entry);
        }
        sum *= 1 + (n + 1) * DBL_EPSILON;
        worst = sum <= worst ? worst : sum; /* keeps a NaN */
    }
    return worst;
}

/* e = R (c - E x) */
static void correction(int n, const double *R, const mo_interval *E, const mo_interval *c,
                       const double *x, mo_interval *e)
{
    mo_interval d[MO_SMALL];
    for (int i = 0; i < n; ++i) {
        d[i] = c[i];
        for (int j = 0; j < n; ++j)
            d[i] = mo_interval_fma(d[i], -x[j], E[i * n + j]);
    }
    for (int i = 0; i < n; ++i)
        e[i] = mo_interval_combine(mo_interval_exact(0), n, R + i * n, d);
}

void mo_root_enclose(int n, const mo_interval *E, const double *R, double a, const mo_interval *c,
                     mo_interval *X)
{
    double x[MO_SMALL] = {0};
    mo_interval e[MO_SMALL];
    for (int pass = 0; pass < 3; ++pass) { /* from 0: the first pass makes R c, two refine it */
        correction(n, R, E, c, x, e);
        for (int i = 0; i < n; ++i)
            x[i] += e[i].mid;
    }
    correction(n, R, E, c, x, e);
    double largest = 0;
    for (int i = 0; i < n; ++i)
        largest = fmax(largest, mo_interval_size(e[i]));
    const double spread = largest * a / (1 - a);
    for (int i = 0; i < n; ++i) {
        const double size = e[i].mid == 0 && e[i].rad == 0 ? 0 : mo_interval_size(e[i]);
        X[i] = (mo_interval){x[i], (size + spread) * (1 + 16 * DBL_EPSILON)};
    }
}

double mo_reach_of(mo_interval c, int n, double size)
{
    const double least = -mo_interval_upper(c), above = size * (1 + (n + 1) * DBL_EPSILON);
    return !(least > 0) ? 0 : above == 0 ? INFINITY : least / above * (1 - 4 * DBL_EPSILON);
}

/* ---- one body -------------------------------------------------------------------------------- */

void mo_intervals_of(int count, const double *x, mo_interval *intervals)
{
    for (int k = 0; k < count; ++k)
        intervals[k] = mo_interval_exact(x[k]);
}

/* Workspace of one body: columns of M^-1 [J' f], one for each row and f, MO_SMALL numbers each; M,
 * and an approximate inverse. */
typedef struct scratch {
    mo_interval *X, *M;
    double *R;
} scratch;

/* Adds this body's part of W and q. */
static bool add_body(mo_enclosure *e, int body, const int *owner, const double *const *rows,
                     const scratch *room)
{
    const mo_body_view view = mo_problem_body(e->problem, body);
    const int n = view.dim;
    mo_interval *X = room->X, *M = room->M;
    double *R = room->R;
    if (n > MO_SMALL) return false;
    mo_intervals_of(n * n, view.M, M);
    const double a = mo_root_prepare(n, M, R);
    if (!(a < 0.5)) return false;
    for (int j = 0; j <= e->n; ++j) {
        if (j == e->n || owner[j]) {
            mo_interval column[MO_SMALL];
            mo_intervals_of(n, j < e->n ? rows[j] : view.f, column);
            mo_root_enclose(n, M, R, a, column, X + (size_t)j * MO_SMALL);
        }
    }
    for (int i = 0; i < e->n; ++i) {
        for (int j = 0; owner[i] && j <= e->n; ++j) {
            mo_interval *entry = j < e->n ? &e->W[i * e->n + j] : &e->q[i];
            for (int k = 0; (j == e->n || owner[j]) && k < n; ++k)
                *entry = mo_interval_fma(*entry, rows[i][k], X[(size_t)j * MO_SMALL + k]);
        }
    }
    return true;
}

/* Rows that act on the body, and their Jacobians. */
static void find_rows(const mo_problem *problem, int body, int *owner, const double **rows)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        for (int k = 0; k < view.dim; ++k)
            owner[view.offset + k] = 0;
        for (int b = 0; b < view.block_count; ++b) {
            const mo_block_view block = mo_problem_block(problem, i, b);
            for (int k = 0; block.index == body && k < view.dim; ++k) {
                owner[view.offset + k] = 1;
                rows[view.offset + k] = block.values + (size_t)k * mo_body_dim(problem, body);
            }
        }
    }
}

static mo_error add_bodies(mo_enclosure *e, mo_message *why)
{
    int owner[MO_ENCLOSURE_MOST_ROWS];
    const double *rows[MO_ENCLOSURE_MOST_ROWS] = {NULL};
    const size_t columns = (size_t)(e->n + 1) * MO_SMALL, square = (size_t)MO_SMALL * MO_SMALL;
    mo_interval *X = mo_memory_array(&e->problem->allocator, columns + 2 * square, sizeof *X);
    MO_NEED_MEMORY(X, why);
    const scratch room = {X, X + columns, (double *)(X + columns + square)};
    mo_error error = MO_OK;
    for (int b = 0; b < e->problem->body_count && !error; ++b) {
        find_rows(e->problem, b, owner, rows);
        if (!add_body(e, b, owner, rows, &room)) {
            error = mo_fail(
                why, MO_ERR_UNSUPPORTED,
                "the mass matrix of body %d is too large or too close to singular for an enclosure",
                b);
        }
    }
    mo_memory_free(&e->problem->allocator, X);
    return error;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static void add_couplings(mo_enclosure *e)
{
    for (int i = 0; i < e->problem->constraint_count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(e->problem, i);
        for (int b = 0; b < view.block_count; ++b) {
            const mo_block_view block = mo_problem_block(e->problem, i, b);
            const mo_constraint_view column = mo_problem_constraint(e->problem, block.index);
            for (int k = 0; k < view.dim * column.dim; ++k) {
                const int row = view.offset + k / column.dim, at = column.offset + k % column.dim;
                e->W[row * e->n + at] =
                    mo_interval_add(e->W[row * e->n + at], mo_interval_exact(block.values[k]));
            }
        }
    }
}

void mo_enclosure_velocity(const mo_enclosure *enclosure, const mo_interval *r, mo_interval *u)
{
    const int n = enclosure->n;
    for (int i = 0; i < n; ++i)
        u[i] = mo_interval_dot(enclosure->q[i], n, enclosure->W + (size_t)i * n, r);
}

mo_interval mo_row_enclosure(const mo_problem *problem, int i, int k, double w, const double *v)
{
    const int blocks = mo_problem_constraint(problem, i).block_count;
    mo_interval u = mo_interval_exact(w);
    for (int b = 0; b < blocks; ++b) {
        const mo_block_view block = mo_problem_block(problem, i, b);
        const int n = mo_body_dim(problem, block.index), start = problem->body_start[block.index];
        for (int j = 0; j < n; ++j)
            u = mo_interval_fma(u, v[start + j], mo_interval_exact(block.values[k * n + j]));
    }
    return u;
}

double mo_power_of_two(double x)
{
    int exponent = 0;
    if (!(x > 0) || isinf(x)) return 1;
    frexp(x, &exponent);
    return ldexp(1, exponent > 400 ? 400 : exponent < -400 ? -400 : exponent);
}

/* sqrt of the mean diagonal of block i; 0 if W_ii is zero. */
static double root_diagonal(const mo_enclosure *e, const mo_constraint_view *view)
{
    double trace = 0;
    for (int k = view->offset; k < view->offset + view->dim; ++k)
        trace += fabs(e->W[k * e->n + k].mid);
    return sqrt(trace / view->dim);
}

static double largest_bound(const mo_constraint_view *view)
{
    double largest = 0;
    for (int k = 0; view->law.kind == MO_LAW_BOX && k < view->dim; ++k) {
        largest = isinf(view->law.lower[k]) ? largest : fmax(largest, fabs(view->law.lower[k]));
        largest = isinf(view->law.upper[k]) ? largest : fmax(largest, fabs(view->law.upper[k]));
    }
    return largest;
}

static void choose_units(mo_enclosure *e)
{
    const int count = e->problem->constraint_count;
    double largest_root = 0, Q = 0;
    for (int i = 0; i < count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(e->problem, i);
        largest_root = fmax(largest_root, root_diagonal(e, &view));
    }
    for (int i = 0; i < count; ++i) {
        const mo_constraint_view view = mo_problem_constraint(e->problem, i);
        double root = root_diagonal(e, &view);
        root = mo_power_of_two(root > 0 ? root : largest_root);
        for (int k = view.offset; k < view.offset + view.dim; ++k) {
            e->unit_u[k] = root;
            Q = fmax(Q, fabs(e->q[k].mid) / root);
        }
        Q = fmax(Q, largest_bound(&view) * root);
    }
    Q = mo_power_of_two(Q);
    for (int k = 0; k < e->n; ++k) {
        e->unit_r[k] = Q / e->unit_u[k];
        e->unit_u[k] *= Q;
    }
}

static mo_interval times_power(mo_interval a, double factor)
{
    const double mid = a.mid * factor;
    const int underflows = a.mid != 0 && fabs(mid) < DBL_MIN;
    return (mo_interval){mid, a.rad > 0 || underflows ? a.rad * factor + DBL_MIN : 0};
}

static void apply_units(mo_enclosure *e)
{
    for (int i = 0; i < e->n; ++i) {
        for (int j = 0; j < e->n; ++j) {
            e->W[i * e->n + j] =
                times_power(times_power(e->W[i * e->n + j], e->unit_r[j]), 1 / e->unit_u[i]);
        }
        e->q[i] = times_power(e->q[i], 1 / e->unit_u[i]);
    }
}

static mo_error fill(mo_enclosure *e, mo_message *why)
{
    const int n = e->n;
    for (int k = 0; k < n * n; ++k)
        e->W[k] = mo_interval_exact(0);
    for (int i = 0; i < n; ++i)
        e->q[i] = mo_interval_exact(e->problem->w[i]);
    mo_error error = MO_OK;
    if (e->problem->form == MO_FORM_GLOBAL)
        error = add_bodies(e, why);
    else
        add_couplings(e);
    for (int i = 0; e->problem->compliance && i < n; ++i) {
        e->W[i * n + i] =
            mo_interval_add(e->W[i * n + i], mo_interval_exact(e->problem->compliance[i]));
    }
    choose_units(e);
    apply_units(e);
    return error;
}

mo_error mo_enclosure_create(const mo_problem *problem, mo_enclosure *enclosure, mo_message *why)
{
    const int n = problem->row_count;
    *enclosure = (mo_enclosure){.problem = problem, .n = n};
    MO_FAIL_IF(n > MO_ENCLOSURE_MOST_ROWS,
               mo_fail(why, MO_ERR_UNSUPPORTED, "the problem has %d rows; the limit is %d", n,
                       MO_ENCLOSURE_MOST_ROWS));
    const size_t intervals = (size_t)n * (n + 1);
    enclosure->memory =
        mo_memory_array(&problem->allocator, intervals + (size_t)n, sizeof(mo_interval));
    MO_NEED_MEMORY(enclosure->memory, why);
    enclosure->W = enclosure->memory;
    enclosure->q = enclosure->W + (size_t)n * n;
    enclosure->unit_r = (double *)(enclosure->q + n);
    enclosure->unit_u = enclosure->unit_r + n;
    const mo_error error = fill(enclosure, why);
    if (error) mo_enclosure_destroy(enclosure);
    return error;
}

void mo_enclosure_destroy(mo_enclosure *enclosure)
{
    mo_memory_free(&enclosure->problem->allocator, enclosure->memory);
    enclosure->memory = NULL;
}
