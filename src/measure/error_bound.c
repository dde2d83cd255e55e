/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Bound on the distance of an approximate solution from an exact one: interval Newton on its modes,
 * in Krawczyk's form [krawczyk1969].
 *
 * 1. The modes that the point fits best give n equations F(r) = 0 (mode_equations.h).
 * 2. Newton's method refines r to x.  With C near F'(x)^-1 and the box X = x +- p,
 *
 *        K(X) = x - C F(x) + (I - C F'(X)) (X - x)                                              (1)
 *
 *    If K(X) lies inside X, F has one root r* in X, and K(X) contains it.  W, q, F and F' are
 *    intervals with all rounding, so this holds for the exact problem.
 * 3. If all of K(X) satisfies every inequality of the modes, r* is a solution.
 *
 * If large impulses cancel in u = W r + q, the error of u is bounded by u*_k - u_k = -z' F(r) with
 * F'(.)' z = W_k' over a box that contains r* and r (2).
 * Limits: no result if impulses are not unique or the solution is on the boundary of a mode.
 */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "measure/measure_blocks.h"
#include "measure/mode_equations.h"
#include "moreau/certificate.h"

enum { NEWTON_STEPS = 12, INFLATIONS = 12 };

typedef struct krawczyk {
    const mo_enclosure *e;
    int n, unit_count;
    mo_unit *units;
    mo_unit_mode *modes;
    double *x, *p, *C;  /* n, n, n x n */
    mo_interval *R, *U; /* the box X, then K(X); u of it */
    mo_interval *F, *J; /* n, n x n */
    mo_interval *z;     /* C F(x) */
} krawczyk;

/* ---- F and its derivatives over the box R ---------------------------------------------------- */

/* A line of J: by_u W + by_r. */
static void write_line(krawczyk *k, const mo_unit *unit, const mo_mode_row *row, int at)
{
    mo_interval *line = k->J + (size_t)at * k->n;
    for (int j = 0; j < k->n; ++j) {
        line[j] = mo_interval_exact(0);
        for (int i = 0; i < unit->dim; ++i) {
            line[j] = mo_interval_add(
                line[j], mo_interval_mul(row->by_u[i], k->e->W[(unit->row + i) * k->n + j]));
        }
    }
    for (int i = 0; i < unit->dim; ++i)
        line[unit->row + i] = mo_interval_add(line[unit->row + i], row->by_r[i]);
}

/* F, and J if requested; false if the modes do not have n equations. */
static int evaluate(krawczyk *k, bool with_derivatives)
{
    mo_mode_row rows[MO_CONE_MOST_ROWS];
    int at = 0;
    mo_enclosure_velocity(k->e, k->R, k->U);
    for (int m = 0; m < k->unit_count; ++m) {
        const mo_unit *unit = &k->units[m];
        const int count = mo_mode_rows(unit, &k->modes[m], k->e->unit_r[unit->row],
                                       k->U + unit->row, k->R + unit->row, rows);
        if (count != unit->dim) return 0;
        for (int i = 0; i < count; ++i) {
            k->F[at] = rows[i].value;
            if (with_derivatives) write_line(k, unit, &rows[i], at);
            ++at;
        }
    }
    return at == k->n;
}

/* ---- Newton, then Krawczyk ------------------------------------------------------------------- */

/* C near the inverse of J at the point; z = C F. */
static int linearise(krawczyk *k)
{
    mo_intervals_of(k->n, k->x, k->R);
    MO_PASS(evaluate(k, true));
    for (int i = 0; i < k->n * k->n; ++i)
        k->C[i] = k->J[i].mid;
    if (!mo_all_finite(k->C, (size_t)(k->n * k->n)) || !mo_invert_small(k->n, k->C)) return 0;
    for (int i = 0; i < k->n; ++i)
        k->z[i] = mo_interval_combine(mo_interval_exact(0), k->n, k->C + i * k->n, k->F);
    return 1;
}

static int refine(krawczyk *k)
{
    double last = INFINITY;
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        double size = 0;
        MO_PASS(linearise(k));
        for (int i = 0; i < k->n; ++i)
            size = fmax(size, fabs(k->z[i].mid));
        if (!(size < 0.5 * last)) /* converged to rounding, or diverged */
            break;
        last = size;
        for (int i = 0; i < k->n; ++i)
            k->x[i] -= k->z[i].mid;
    }
    return mo_all_finite(k->x, (size_t)k->n) && linearise(k);
}

/* K(X) - x, entry i, for the box x +- p with J = F'(X). */
static mo_interval shift_of(const krawczyk *k, int i)
{
    mo_interval sum = mo_interval_neg(k->z[i]);
    for (int j = 0; j < k->n; ++j) {
        mo_interval entry = mo_interval_exact(i == j ? 1 : 0);
        for (int m = 0; m < k->n; ++m)
            entry = mo_interval_fma(entry, -k->C[i * k->n + m], k->J[m * k->n + j]);
        sum = mo_interval_add(sum, mo_interval_mul(entry, (mo_interval){0, k->p[j]}));
    }
    return sum;
}

/* (1): is K(X) inside X?  Then R holds it; otherwise p grows to contain it with a margin. */
static int encloses(krawczyk *k)
{
    int inside = 1;
    for (int i = 0; i < k->n; ++i)
        k->R[i] = (mo_interval){k->x[i], k->p[i]};
    MO_PASS(evaluate(k, true));
    for (int i = 0; i < k->n; ++i) {
        const mo_interval shift = shift_of(k, i);
        inside = inside && mo_interval_size(shift) < k->p[i];
        k->R[i] = mo_interval_add(mo_interval_exact(k->x[i]), shift);
    }
    for (int i = 0; i < k->n && !inside; ++i) {
        const double size = mo_interval_size(mo_interval_add(k->R[i], mo_interval_exact(-k->x[i])));
        k->p[i] = fmax(1.5 * size, 2 * k->p[i]);
    }
    return inside;
}

static int find_root(krawczyk *k)
{
    int found = 0;
    MO_PASS(refine(k));
    for (int i = 0; i < k->n; ++i)
        k->p[i] = 2 * mo_interval_size(k->z[i]) + DBL_EPSILON * fabs(k->x[i]) + DBL_MIN;
    for (int round = 0; round < INFLATIONS && !found; ++round) {
        found = encloses(k);
        found = found && mo_all_finite(k->p, (size_t)k->n);
    }
    return found;
}

/* An equation that determines a single number gives its exact value. */
static void write_zeros(krawczyk *k)
{
    mo_mode_row rows[MO_CONE_MOST_ROWS];
    for (int m = 0; m < k->unit_count; ++m) {
        const mo_unit *unit = &k->units[m];
        const int count = mo_mode_rows(unit, &k->modes[m], k->e->unit_r[unit->row],
                                       k->U + unit->row, k->R + unit->row, rows);
        for (int i = 0; i < count; ++i) {
            const int which = rows[i].is_zero_of;
            if (which >= 0)
                (which < 16 ? k->U : k->R)[unit->row + which % 16] = mo_interval_exact(0);
        }
    }
}

static int modes_are_met(const krawczyk *k)
{
    int met = 1;
    for (int m = 0; m < k->unit_count && met; ++m) {
        const mo_unit *unit = &k->units[m];
        met = mo_mode_is_met(unit, &k->modes[m], k->e->unit_r[unit->row], k->U + unit->row,
                             k->R + unit->row);
    }
    return met;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* (2): F(r), and F'(.)' over the hull of r* and r into J; returns a of mo_root_prepare. */
static double prepare_hull(krawczyk *k, const double *r)
{
    const int n = k->n;
    mo_interval *root = k->z; /* free by now */
    memcpy(root, k->R, (size_t)n * sizeof *root);
    for (int i = 0; i < n; ++i) {
        const double at = r[i] / k->e->unit_r[i];
        k->R[i] = mo_interval_between(fmin(at, mo_interval_lower(root[i])),
                                      fmax(at, mo_interval_upper(root[i])));
    }
    double a = INFINITY;
    if (evaluate(k, true)) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                const mo_interval kept = k->J[i * n + j];
                k->J[i * n + j] = k->J[j * n + i];
                k->J[j * n + i] = kept;
            }
        }
        a = mo_root_prepare(n, k->J, k->C);
    }
    memcpy(k->R, root, (size_t)n * sizeof *root);
    return a;
}

/* F at the point r instead of F over the hull; J is unchanged. */
static void values_at(krawczyk *k, const double *r)
{
    mo_interval *root = k->z;
    memcpy(root, k->R, (size_t)k->n * sizeof *root);
    for (int i = 0; i < k->n; ++i)
        k->R[i] = mo_interval_exact(r[i] / k->e->unit_r[i]);
    evaluate(k, false);
    memcpy(k->R, root, (size_t)k->n * sizeof *root);
}

/* (2) for row i. */
static double distance_by_values(krawczyk *k, int i, double a)
{
    mo_interval *z = k->U; /* free by now */
    mo_root_enclose(k->n, k->J, k->C, a, k->e->W + (size_t)i * k->n, z);
    return mo_interval_size(mo_interval_dot(mo_interval_exact(0), k->n, z, k->F));
}

/* W (r* - r), directly and by (2). */
static double velocity_distance(krawczyk *k, const double *r)
{
    const double a = prepare_hull(k, r);
    double most = 0;
    values_at(k, r);
    for (int i = 0; i < k->n; ++i) {
        mo_interval sum = mo_interval_exact(0);
        for (int j = 0; j < k->n; ++j) {
            const mo_interval far =
                mo_interval_add(k->R[j], mo_interval_exact(-r[j] / k->e->unit_r[j]));
            sum = mo_interval_add(sum, mo_interval_mul(k->e->W[i * k->n + j], far));
        }
        double far = mo_interval_size(sum);
        if (a < 0.5) far = fmin(far, distance_by_values(k, i, a));
        most = fmax(most, far * k->e->unit_u[i]);
    }
    return most;
}

static double impulse_distance(const krawczyk *k, const double *r)
{
    double most = 0;
    for (int i = 0; i < k->n; ++i) {
        const mo_interval far =
            mo_interval_add(k->R[i], mo_interval_exact(-r[i] / k->e->unit_r[i]));
        most = fmax(most, mo_interval_size(far) * k->e->unit_r[i]);
    }
    return most;
}

/* f + H r* of one body, in the units of the problem. */
static void load_of(const krawczyk *k, const mo_body_view *view, int body, mo_interval *load)
{
    const mo_problem *problem = k->e->problem;
    mo_intervals_of(view->dim, view->f, load);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_constraint_view c = mo_problem_constraint(problem, i);
        for (int b = 0; b < c.block_count; ++b) {
            const mo_block_view block = mo_problem_block(problem, i, b);
            for (int m = 0; block.index == body && m < c.dim * view->dim; ++m) {
                const int row = c.offset + m / view->dim;
                const mo_interval r =
                    mo_interval_mul(mo_interval_exact(k->e->unit_r[row]), k->R[row]);
                load[m % view->dim] = mo_interval_fma(load[m % view->dim], block.values[m], r);
            }
        }
    }
}

/* Adds the velocity errors of one body; false if its M cannot be inverted safely. */
static int body_distance(const krawczyk *k, int body, const double *v, mo_interval *scratch,
                         double *energy, double *most)
{
    const mo_body_view view = mo_problem_body(k->e->problem, body);
    const int d = view.dim;
    mo_interval *M = scratch, *load = M + d * d, *root = load + d;
    double *inverse = (double *)(root + d), far[MO_SMALL];
    mo_intervals_of(d * d, view.M, M);
    const double a = mo_root_prepare(d, M, inverse);
    if (!(a < 0.5)) return 0;
    load_of(k, &view, body, load);
    mo_root_enclose(d, M, inverse, a, load, root);
    for (int i = 0; i < d; ++i) {
        far[i] = mo_interval_size(mo_interval_add(root[i], mo_interval_exact(-v[i])));
        *most = fmax(*most, far[i]);
    }
    for (int i = 0; i < d * d; ++i)
        *energy += far[i / d] * fabs(view.M[i]) * far[i % d];
    return 1;
}

static mo_error body_distances(const krawczyk *k, const double *v, mo_error_bound *bound)
{
    const mo_problem *problem = k->e->problem;
    const size_t room = (size_t)MO_SMALL * (MO_SMALL + 2) * sizeof(mo_interval) +
                        (size_t)MO_SMALL * MO_SMALL * sizeof(double);
    mo_interval *scratch = mo_memory_array(&problem->allocator, room, 1);
    double energy = 0, most = 0;
    MO_NEED_MEMORY(scratch, NULL);
    int good = 1;
    for (int b = 0; b < problem->body_count && good; ++b)
        good = body_distance(k, b, v + problem->body_start[b], scratch, &energy, &most);
    mo_memory_free(&problem->allocator, scratch);
    bound->v = good ? most : INFINITY;
    bound->v_energy = good ? sqrt(energy) * (1 + 1e-12) : INFINITY;
    return MO_OK;
}

/* ---- interface ------------------------------------------------------------------------------- */

static void lay_out(krawczyk *k, mo_arena *arena)
{
    const size_t n = (size_t)k->n;
    k->units = MO_TAKE(arena, n + 1, mo_unit);
    k->modes = MO_TAKE(arena, n + 1, mo_unit_mode);
    MO_TAKE_EACH(arena, n, double, &k->x, &k->p);
    k->C = MO_TAKE(arena, n * n, double);
    MO_TAKE_EACH(arena, n, mo_interval, &k->R, &k->U, &k->F, &k->z);
    k->J = MO_TAKE(arena, n * n, mo_interval);
}

/* The given point, its velocities and modes. */
static void start(krawczyk *k, const double *r)
{
    double u[MO_CONE_MOST_ROWS];
    k->unit_count = mo_units_list(k->e->problem, k->units);
    for (int i = 0; i < k->n; ++i) {
        k->x[i] = r[i] / k->e->unit_r[i];
        k->R[i] = mo_interval_exact(k->x[i]);
    }
    mo_enclosure_velocity(k->e, k->R, k->U);
    for (int m = 0; m < k->unit_count; ++m) {
        const mo_unit *unit = &k->units[m];
        for (int i = 0; i < unit->dim; ++i)
            u[i] = k->U[unit->row + i].mid;
        k->modes[m] = mo_mode_of(unit, k->e->unit_r[unit->row], u, k->x + unit->row);
    }
}

static mo_error bound_in(krawczyk *k, const double *v, const double *r, mo_error_bound *bound)
{
    start(k, r);
    if (!find_root(k)) {
        mo_say(&bound->message, "%s",
               "the equations of the contacts' modes have no root that could be enclosed: the "
               "impulses are not unique, or this is not near a solution");
        return MO_OK;
    }
    for (int round = 0; round < 2; ++round) { /* impulses that are zero narrow the velocities */
        mo_enclosure_velocity(k->e, k->R, k->U);
        write_zeros(k);
    }
    if (!modes_are_met(k)) {
        mo_say(&bound->message, "%s",
               "the root of the contacts' modes is on a border between modes, or no solution");
        return MO_OK;
    }
    bound->is_proven = 1;
    bound->r = impulse_distance(k, r);
    const mo_error error = v ? body_distances(k, v, bound) : MO_OK;
    bound->u = velocity_distance(k, r); /* spoils the workspace */
    return error;
}

static mo_error bound_with(const mo_enclosure *e, const double *v, const double *r,
                           mo_error_bound *bound)
{
    krawczyk k = {.e = e, .n = e->n};
    mo_arena arena = {0};
    lay_out(&k, &arena);
    void *memory = mo_arena_allocate(&arena, &e->problem->allocator);
    MO_NEED_MEMORY(memory, NULL);
    lay_out(&k, &arena);
    const mo_error error = bound_in(&k, v, r, bound);
    mo_memory_free(&e->problem->allocator, memory);
    return error;
}

mo_error mo_bound_error(const mo_problem *problem, const double *v, const double *r,
                        mo_error_bound *bound)
{
    MO_NEED(problem && (r || problem->row_count == 0) && bound, NULL);
    mo_enclosure enclosure;
    *bound = (mo_error_bound){.v = INFINITY, .v_energy = INFINITY, .u = INFINITY, .r = INFINITY};
    MO_FAIL_IF(!mo_all_finite(r, (size_t)problem->row_count) ||
                   (v && (problem->form != MO_FORM_GLOBAL ||
                          !mo_all_finite(v, (size_t)problem->dof_count))),
               MO_ERR_ARGUMENT);
    mo_error error = mo_enclosure_create(problem, &enclosure, &bound->message);
    if (error) return error == MO_ERR_UNSUPPORTED ? MO_OK : error;
    error = bound_with(&enclosure, v, r, bound);
    mo_enclosure_destroy(&enclosure);
    return error;
}
