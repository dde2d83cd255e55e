/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Canonical impulses (canonical.h) of small problems, in dense form.
 *
 * The columns of N are the directions in which r may change: the rows of blocks that stick, the
 * rays of those that slide, of length 1 in the norm |.|_D.  With r = N s and G = N' W N,
 *
 *     G = L L',  L = Q R,       y = Q x,       min over x of  theta(Q x) - s*' Q x            (1)
 *
 * is the dual of canonical.h: L from Cholesky's method with pivoting, n x k for the rank k of G; Q
 * has orthonormal columns; s = proj_K(y).  Newton's method begins at x = Q' s*, the solution where
 * no cone is active.  Where k = n there is nothing to choose.  At rest, a Newton step removes the
 * velocity of N first:
 *
 *     s* - Q (R R')^-1 Q' N' u                                                                 (2)
 *
 * Limits: where Newton's method fails, the impulses stay as they are.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "linalg/gram.h"
#include "problem/dense_delassus.h"
#include "problem/views.h"
#include "solver/canonical.h"

static const double LEAST = 1e-7;   /* of the mean diagonal: weight of the row of a joint */
static const double ENOUGH = 1e-14; /* of s*: the error of s is rounding */
static const double CLOSE = 3e-13;  /* of s*: one more step ... */
static const double QUICK = 0.3;    /* ... is taken only where each gains so much */
static const double NEAR = 1e-8;    /* of s*: good enough where Newton's method ends */
static const double FLAT = 0.1;     /* of the slope: the minimum along a step is found */
static const double LINEAR = 0.99;  /* of the slope: a step that leaves more has no minimum */
static const double TINY = 1e-12;   /* added to Q' J Q, which may be singular; and ... */
static const double DAMPING = 1e-2; /* ... at least this part of the error, far from the minimum */
enum { STEPS = 40, SEARCH = 12 };

typedef struct dense {
    const mo_problem *problem;
    const double *W; /* the view */
    int n, k;        /* directions, and the rank of G */
    int ld;          /* numbers of a line of G and Q, those beyond n zero */
    uint8_t *kind;
    double *ray;   /* of length 1 in the norm of D, for blocks on a ray */
    double *scale; /* of each row of a free block: 1 / sqrt(D) */
    double *G;     /* n x ld */
    double *Q;     /* k x ld: its lines are orthonormal */
    double *R;     /* k x k, upper triangle by lines */
    int *row;      /* of each direction: its row, or the first of the block of a ray */
    int *length;   /* 0, or the rows of that block */
    double *start; /* s* */
    double *s, *x, *y, *dx, *dy, *base;
    double *r, *u, *v;
    double *V; /* lines of Q' J for one block */
} dense;

static size_t room_of(const mo_problem *problem)
{
    const size_t n = (size_t)problem->row_count;
    return 2 * n * (n + 3) + n * n + (11 + MO_BILATERAL_MAX_DIM) * (n + 3) +
           (size_t)problem->dof_count + n + (size_t)problem->constraint_count;
}

static dense lay_out(const mo_problem *problem, double *p)
{
    const size_t n = (size_t)problem->row_count;
    dense c = {.problem = problem, .G = p, .Q = p + n * (n + 3)};
    c.R = c.Q + n * (n + 3);
    p = c.R + n * n;
    const size_t wide = n + 3; /* of vectors: lines of Q have up to three numbers more */
    c.ray = p;
    c.scale = p + wide;
    c.s = p + 2 * wide;
    c.x = p + 3 * wide;
    c.y = p + 4 * wide;
    c.r = p + 5 * wide;
    c.u = p + 6 * wide;
    c.start = p + 7 * wide;
    c.dx = p + 8 * wide;
    c.dy = p + 9 * wide;
    c.base = p + 10 * wide;
    c.V = p + 11 * wide;
    c.v = c.V + MO_BILATERAL_MAX_DIM * wide;
    c.row = (int *)(c.v + problem->dof_count);
    c.length = c.row + n;
    c.kind = (uint8_t *)(c.length + n);
    return c;
}

/* ---- directions ------------------------------------------------------------------------------ */

/* Scales directions by D, which is 1 but for the rows of joints (canonical.h). */
static void set_scales(dense *c)
{
    const mo_problem *problem = c->problem;
    const size_t ld = (size_t)mo_dense_ld(problem);
    c->n = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const int is_joint = problem->law[i].kind == MO_LAW_BILATERAL;
        const double *W = c->W + (size_t)row * (ld + 1);
        double mean = 0;
        for (int k = 0; k < d; ++k)
            mean += W[(size_t)k * (ld + 1)] / d;
        for (int k = 0; k < d; ++k) {
            const double D = is_joint && mean > 0 ? fmax(W[(size_t)k * (ld + 1)] / mean, LEAST) : 1;
            c->scale[row + k] = 1 / sqrt(D);
        }
        if (c->kind[i] == MO_CANONICAL_RAY) { /* no joint has one */
            const double length = sqrt(mo_dot(d, c->ray + row, c->ray + row));
            for (int k = 0; k < d; ++k)
                c->ray[row + k] /= length;
        }
        for (int k = 0; c->kind[i] != MO_CANONICAL_FIXED && k < d; ++k) {
            if (k == 0 || c->kind[i] == MO_CANONICAL_FREE) {
                c->row[c->n] = row + k;
                c->length[c->n++] = c->kind[i] == MO_CANONICAL_RAY ? d : 0;
            }
        }
    }
    c->ld = (c->n + 3) / 4 * 4;
    for (int k = c->n; k < c->ld; ++k)
        c->y[k] = c->s[k] = c->start[k] = 0;
}

/* y = N' x */
static void gather(const dense *c, const double *x, double *y)
{
    for (int j = 0; j < c->n; ++j) {
        const int row = c->row[j], d = c->length[j];
        y[j] = d ? mo_dot(d, c->ray + row, x + row) : c->scale[row] * x[row];
    }
}

/* G, one line for each direction. */
static void write_gram(const dense *c)
{
    const size_t ld = (size_t)mo_dense_ld(c->problem), n = (size_t)c->ld;
    memset(c->G, 0, (size_t)c->n * n * sizeof *c->G);
    for (int j = 0; j < c->n; ++j) {
        const int row = c->row[j], d = c->length[j];
        const double *W = c->W + (size_t)row * ld;
        double *line = c->G + (size_t)j * n;
        if (d == 0) {
            gather(c, W, line);
            mo_scale(c->n, c->scale[row], line);
        } else {
            memset(c->u, 0, (size_t)c->problem->row_count * sizeof *c->u);
            for (int k = 0; k < d; ++k)
                mo_axpy(c->problem->row_count, c->ray[row + k], W + (size_t)k * ld, c->u);
            gather(c, c->u, line);
        }
    }
}

/* ---- the impulses ---------------------------------------------------------------------------- */

/* x = Q' y, for a y whose numbers beyond n are finite */
static void to_range(const dense *c, const double *y, double *x)
{
    mo_gram_times(c->k, c->ld, c->Q, y, x);
}

/* x = (R R')^-1 x */
static void divide(const dense *c, double *x)
{
    const int k = c->k;
    for (int i = k - 1; i >= 0; --i)
        x[i] = (x[i] - mo_dot(k - 1 - i, c->R + i * k + i + 1, x + i + 1)) / c->R[i * (k + 1)];
    for (int i = 0; i < k; ++i) {
        x[i] /= c->R[i * (k + 1)];
        for (int j = i + 1; j < k; ++j)
            x[j] -= c->R[i * k + j] * x[i];
    }
}

/* s = Q x */
static void from_range(const dense *c, const double *x, double *s)
{
    mo_gram_combine(c->k, c->ld, x, c->Q, s);
}

/* (2): c->start loses the velocity u. */
static void correct_start(const dense *c, const double *u)
{
    gather(c, u, c->y);
    to_range(c, c->y, c->x);
    divide(c, c->x);
    from_range(c, c->x, c->s);
    mo_axpy(c->n, -1, c->s, c->start);
}

/* What the r of blocks on a ray has beside it moves others, which the start makes up for. */
static void leave_sides(const dense *c, const mo_result *result)
{
    const mo_problem *problem = c->problem;
    const size_t ld = (size_t)mo_dense_ld(problem);
    memset(c->u, 0, (size_t)problem->row_count * sizeof *c->u);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double along = mo_dot(d, c->ray + row, result->r + row);
        for (int k = 0; c->kind[i] == MO_CANONICAL_RAY && k < d; ++k) {
            const double side = result->r[row + k] - along * c->ray[row + k];
            mo_axpy(problem->row_count, -side, c->W + (size_t)(row + k) * ld, c->u);
        }
    }
    correct_start(c, c->u);
}

/* s*; where nothing slides it loses the velocity of what sticks. */
static void set_start(const dense *c, int is_still, const mo_result *result)
{
    gather(c, result->r, c->start);
    for (int j = 0; j < c->n; ++j) { /* N^-1 r*, not N' r* */
        const double scale = c->length[j] ? 1 : c->scale[c->row[j]];
        c->start[j] /= scale * scale;
    }
    if (is_still)
        correct_start(c, result->u);
    else
        leave_sides(c, result);
}

/* s of the dual variable y; J, where it is wanted, into G. */
static void evaluate(const dense *c, const double *y, double *s, double *J)
{
    const mo_problem *problem = c->problem;
    for (int i = 0, at = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        const double *p = mo_constraint_param(problem, i);
        if (c->kind[i] == MO_CANONICAL_RAY) {
            s[at] = fmax(0, y[at]);
            if (J) *J++ = y[at] > 0;
            ++at;
        } else if (c->kind[i] == MO_CANONICAL_FREE) {
            mo_constraint_law(problem, i)->project(p, d, y + at, s + at);
            if (J) {
                mo_constraint_law(problem, i)->project_derivative(p, d, y + at, J);
                J += d * d;
            }
            at += d;
        }
    }
}

/* H = Q' J Q = 1 - Q' (1 - J) Q and the damping, into R, its lower triangle; J lies in G, block by
 * block. */
static void write_hessian(const dense *c, double damping)
{
    const mo_problem *problem = c->problem;
    const int k = c->k;
    double *J = c->G;
    memset(c->R, 0, (size_t)k * (size_t)k * sizeof *c->R);
    for (int a = 0; a < k; ++a)
        c->R[a * (k + 1)] = 1 + damping;
    for (int i = 0, at = 0; i < problem->constraint_count; ++i) {
        const int d = c->kind[i] == MO_CANONICAL_FREE ? mo_constraint_dim(problem, i)
                                                      : c->kind[i] == MO_CANONICAL_RAY;
        int is_active = 0;
        for (int e = 0; e < d * d; ++e)
            J[e] = -J[e];
        for (int e = 0; e < d; ++e)
            J[e * (d + 1)] += 1;
        for (int e = 0; e < d * d; ++e)
            is_active |= J[e] != 0;
        for (int a = 0; is_active && a < k; ++a)
            for (int e = 0; e < d; ++e)
                c->V[e * k + a] = c->Q[(size_t)a * (size_t)c->ld + (size_t)(at + e)];
        if (is_active) mo_gram_subtract(d, k, J, c->V, c->s, c->R);
        J += d * d;
        at += d;
    }
}

/* The slope of the dual function at y = base - t dy, along -dy. */
static double slope_at(const dense *c, double t)
{
    double sum = 0;
    for (int k = 0; k < c->n; ++k)
        c->y[k] = c->base[k] - t * c->dy[k];
    evaluate(c, c->y, c->s, NULL);
    for (int k = 0; k < c->n; ++k)
        sum += c->dy[k] * (c->start[k] - c->s[k]);
    return sum;
}

/* y - t dy with t = 1, or less if the dual function, which is convex, rises before: its slope is
 * brought near zero by regula falsi (Illinois).  False where the dual falls without end, as it does
 * where no s has the motion of s* to its last digits. */
static int search_line(const dense *c)
{
    memcpy(c->base, c->y, (size_t)c->n * sizeof *c->y);
    double low = 0, high = 1, at_low = slope_at(c, 0), at_high = slope_at(c, 1), now = at_high;
    const double first = fabs(at_low);
    for (int k = 0, last = 0; k < SEARCH && at_low < 0 && at_high > 0 && fabs(now) > FLAT * first;
         ++k) {
        const double t = low + (high - low) * at_low / (at_low - at_high);
        now = slope_at(c, t);
        if (now > 0) {
            high = t;
            at_high = now;
            at_low *= last > 0 ? 0.5 : 1;
        } else {
            low = t;
            at_low = now;
            at_high *= last < 0 ? 0.5 : 1;
        }
        last = now > 0 ? 1 : -1;
    }
    return at_high > -LINEAR * first;
}

/* Is the error of s, over |s*|, what rounding leaves? */
static int is_near(double error, double last)
{
    return error <= ENOUGH || (error <= CLOSE && error > QUICK * last);
}

/* The minimum of the dual over y = Q x by Newton's method, from (1); false where it fails. */
static int minimise(const dense *c)
{
    const double size = sqrt(mo_dot(c->n, c->start, c->start));
    double error = 0, last = INFINITY;
    to_range(c, c->start, c->x);
    from_range(c, c->x, c->y);
    for (int step = 0, goes_on = 1; goes_on; ++step, last = error) {
        evaluate(c, c->y, c->s, c->G);
        mo_axpy(c->n, -1, c->start, c->s);
        to_range(c, c->s, c->dx);
        error = sqrt(mo_dot(c->k, c->dx, c->dx)) / (size > 0 ? size : 1);
        if (is_near(error, last) || step == STEPS) break;
        write_hessian(c, TINY + DAMPING * error);
        MO_PASS(mo_factor_symmetric(c->k, c->R));
        mo_solve_factored(c->k, c->R, c->dx);
        from_range(c, c->dx, c->dy);
        goes_on = search_line(c);
    }
    evaluate(c, c->y, c->s, NULL);
    return error <= NEAR;
}

/* r = N s */
static void write_impulses(const dense *c, const mo_result *result)
{
    const mo_problem *problem = c->problem;
    const double *s = c->s;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        for (int k = 0; k < d; ++k) {
            c->r[row + k] = c->kind[i] == MO_CANONICAL_FIXED ? result->r[row + k]
                            : c->kind[i] == MO_CANONICAL_RAY ? *s * c->ray[row + k]
                                                             : s[k] * c->scale[row + k];
        }
        s += c->kind[i] == MO_CANONICAL_FREE ? d : c->kind[i] == MO_CANONICAL_RAY;
    }
}

static mo_error run(dense *c, const mo_options *options, int needs_rest, mo_result *result,
                    int *is_done)
{
    const int is_still = mo_canonical_kinds(c->problem, options, result, c->kind, c->ray);
    *is_done = is_still || !needs_rest;
    if (!*is_done) return MO_OK;
    set_scales(c);
    write_gram(c);
    c->k = mo_gram_rank(c->n, c->ld, c->G, c->Q);
    if (c->k == c->n && !is_still) { /* there is no other r */
        result->is_canonical = 1;
        return MO_OK;
    }
    mo_gram_orthonormal(c->k, c->ld, c->Q, c->R, c->x);
    set_start(c, is_still, result);
    if (!minimise(c)) return MO_OK;
    write_impulses(c, result);
    return mo_canonical_accept(c->problem, options, c->r, c->u, c->v, result);
}

mo_error mo_canonical_dense(const mo_problem *problem, const mo_options *options, int needs_rest,
                            mo_result *result, int *is_done)
{
    double *memory = mo_memory_array(&problem->allocator, room_of(problem), sizeof *memory);
    MO_NEED_MEMORY(memory, NULL);
    dense c = lay_out(problem, memory);
    mo_error error = mo_problem_dense(problem, &c.W);
    error = error ? error : run(&c, options, needs_rest, result, is_done);
    mo_memory_free(&problem->allocator, memory);
    return error;
}
