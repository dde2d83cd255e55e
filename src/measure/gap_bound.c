/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The duality gap of a pair (v, r) with the sliding speeds frozen, as a bound on the error of v.
 *
 * With a = w + shift the problem is convex [acary2011, eq. 3.15]: v minimises P(v) = 1/2 v' M v -
 * f' v where H' v + a is in K* (and zero for joints).  For v with H' v + a in K*, r in K and p = M
 * v - H r - f, the gap between P(v) and the dual function at r is
 *
 *     gap = r' (H' v + a) + 1/2 p' M^-1 p                                                       (1)
 *
 * since f = M v - H r - p; and P grows by at least 1/2 |v - v*|_M^2 from its minimum: |v - v*|_M <=
 * sqrt(2 gap).  The shift is chosen so that v is feasible: s e_N with s = g(u_T) + max(0, -u_N),
 * g(u_T) = mu |u_T| for Coulomb's cone, and -u for joints. A box [l, b] adds r_k u_k - min(l_k u_k,
 * b_k u_k) in place of r' u.  All of it in intervals: rounding is included.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "measure/measure_blocks.h"
#include "measure/unit_cone.h"
#include "moreau/certificate.h"

/* The sums so far; boxes and joints are taken row by row. */
typedef struct gap {
    const mo_problem *problem;
    const double *v, *r;
    double *shift;
    mo_interval *p; /* M v - H r - f */
    mo_interval sum;
    double beyond;
    int is_good;
} gap;

/* ---- laws ------------------------------------------------------------------------------------ */

/* An upper bound of g(u_T): the least s with (s, u_T) in K*. */
static double speed_above(const mo_unit *unit, const mo_interval *u)
{
    double rays[MO_CONE_MOST_RAYS][MO_CONE_MOST_ROWS], c[MO_CONE_MOST_ROWS], most = 0;
    int groups[MO_CONE_MOST_GROUPS + 1];
    const int count = mo_cone_rays(unit, 0, rays);
    for (int j = 0; j < count; ++j) {
        mo_interval sum = mo_interval_exact(0);
        for (int k = 1; k < unit->dim; ++k)
            sum = mo_interval_fma(sum, -rays[j][k], u[k]);
        most = fmax(most, mo_interval_upper(sum));
    }
    const int group_count = count > 0 ? 0 : mo_cone_groups(unit, groups, c);
    for (int g = 0; g < group_count; ++g) {
        mo_interval sum = mo_interval_exact(0);
        for (int k = groups[g]; k < groups[g + 1]; ++k) {
            const mo_interval scaled = mo_interval_mul(mo_interval_exact(c[k]), u[k]);
            sum = mo_interval_add(sum, mo_interval_mul(scaled, scaled));
        }
        most =
            nextafter(most + nextafter(sqrt(fmax(0, mo_interval_upper(sum))), INFINITY), INFINITY);
    }
    return most;
}

/* r of one contact, put into K; false if that fails. */
static int put_into_cone(const mo_unit *unit, const double *r, double *inside)
{
    mo_law_project(&unit->law, unit->dim, r, inside);
    for (int k = 1; k < unit->dim; ++k)
        inside[k] *= 1 - 64 * DBL_EPSILON;
    return mo_cone_has_impulse(unit, 0, inside);
}

static void add_contact(gap *g, const mo_unit *unit, const mo_interval *u, double *r)
{
    const double speed = speed_above(unit, u), lack = fmax(0, -mo_interval_lower(u[0]));
    const double s = lack > 0 ? nextafter(speed + lack, INFINITY) : speed;
    g->is_good = g->is_good && put_into_cone(unit, g->r + unit->row, r) && isfinite(s);
    g->sum = mo_interval_add(g->sum, mo_interval_mul(mo_interval_exact(r[0]),
                                                     mo_interval_add(u[0], mo_interval_exact(s))));
    for (int k = 1; k < unit->dim; ++k)
        g->sum = mo_interval_fma(g->sum, r[k], u[k]);
    g->beyond = fmax(g->beyond, lack);
    if (g->shift) {
        memset(g->shift + unit->row, 0, (size_t)unit->dim * sizeof *g->shift);
        g->shift[unit->row] = s;
    }
}

/* One row of a joint, or of a box without a bound in the direction of u: u is shifted to zero. */
static void add_joint_row(gap *g, int row, mo_interval u, double r, double *kept)
{
    *kept = r;
    g->beyond = fmax(g->beyond, mo_interval_size(u));
    g->sum =
        mo_interval_add(g->sum, mo_interval_mul(mo_interval_exact(r), (mo_interval){0, u.rad}));
    if (g->shift) g->shift[row] = -u.mid;
}

static void add_box_row(gap *g, const mo_law *law, int k, int row, mo_interval u, double *kept)
{
    const double bound = u.mid > 0 ? law->lower[k] : law->upper[k];
    const double r = fmin(fmax(g->r[row], law->lower[k]), law->upper[k]);
    const int holds_zero = fabs(u.mid) <= u.rad;
    if (isinf(bound) || (holds_zero && (isinf(law->lower[k]) || isinf(law->upper[k])))) {
        add_joint_row(g, row, u, r, kept);
        return;
    }
    *kept = r;
    if (g->shift) g->shift[row] = 0;
    /* |u| times the distance to the bound; the other bound where the interval holds zero */
    const mo_interval far = mo_interval_add(mo_interval_exact(r), mo_interval_exact(-bound));
    mo_interval part = mo_interval_mul(far, u);
    if (holds_zero) part.rad += 2 * u.rad * (law->upper[k] - law->lower[k]);
    g->sum = mo_interval_add(g->sum, part);
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* p -= H r, row k of constraint i. */
static void take_off(gap *g, const mo_constraint_view *view, int i, int k, double r)
{
    for (int b = 0; b < view->block_count; ++b) {
        const mo_block_view block = mo_problem_block(g->problem, i, b);
        const int n = mo_body_dim(g->problem, block.index);
        mo_interval *p = g->p + g->problem->body_start[block.index];
        for (int j = 0; j < n; ++j)
            p[j] = mo_interval_fma(p[j], -r, mo_interval_exact(block.values[k * n + j]));
    }
}

static void add_constraint(gap *g, int i)
{
    const mo_constraint_view view = mo_problem_constraint(g->problem, i);
    const mo_unit unit = {i, view.offset, view.dim, view.law};
    if (view.law.kind == MO_LAW_BOX || view.law.kind == MO_LAW_BILATERAL) {
        for (int k = 0; k < view.dim; ++k) {
            const mo_interval u = mo_row_enclosure(g->problem, i, k, view.w[k], g->v);
            double kept = 0;
            if (view.law.kind == MO_LAW_BOX)
                add_box_row(g, &view.law, k, view.offset + k, u, &kept);
            else
                add_joint_row(g, view.offset + k, u, g->r[view.offset + k], &kept);
            take_off(g, &view, i, k, kept);
        }
        return;
    }
    mo_interval u[MO_CONE_MOST_ROWS];
    double r[MO_CONE_MOST_ROWS];
    for (int k = 0; k < view.dim; ++k)
        u[k] = mo_row_enclosure(g->problem, i, k, view.w[k], g->v);
    add_contact(g, &unit, u, r);
    for (int k = 0; k < view.dim; ++k)
        take_off(g, &view, i, k, r[k]);
}

/* p = M v - f */
static void begin_balance(gap *g)
{
    for (int b = 0; b < g->problem->body_count; ++b) {
        const mo_body_view view = mo_problem_body(g->problem, b);
        const int start = g->problem->body_start[b];
        for (int i = 0; i < view.dim; ++i) {
            mo_interval sum = mo_interval_exact(-view.f[i]);
            for (int j = 0; j < view.dim; ++j) {
                sum = mo_interval_fma(sum, g->v[start + j],
                                      mo_interval_exact(view.M[i * view.dim + j]));
            }
            g->p[start + i] = sum;
        }
    }
}

/* 1/2 p' M^-1 p of one body. */
static void add_body(gap *g, int b, mo_interval *scratch)
{
    const mo_body_view view = mo_problem_body(g->problem, b);
    const int d = view.dim;
    const mo_interval *p = g->p + g->problem->body_start[b];
    if (d > MO_SMALL) {
        g->is_good = 0;
        return;
    }
    mo_interval *M = scratch, *y = M + d * d;
    double *inverse = (double *)(y + d);
    mo_intervals_of(d * d, view.M, M);
    const double a = mo_root_prepare(d, M, inverse);
    g->is_good = g->is_good && a < 0.5;
    if (g->is_good) {
        mo_root_enclose(d, M, inverse, a, p, y);
        for (int i = 0; i < d; ++i) {
            g->sum = mo_interval_add(
                g->sum, mo_interval_mul(mo_interval_exact(0.5), mo_interval_mul(p[i], y[i])));
        }
    }
}

/* ---- interface ------------------------------------------------------------------------------- */

static const char *reason_against(const mo_problem *problem)
{
    const char *reason = NULL;
    if (problem->form != MO_FORM_GLOBAL)
        reason = "a local problem has no bodies";
    else if (problem->compliance || !problem->is_symmetric)
        reason = "it needs hard laws and symmetric masses";
    for (int i = 0; i < problem->constraint_count && !reason; ++i) {
        const mo_law law = mo_problem_constraint(problem, i).law;
        if (law.kind == MO_LAW_SLIDING)
            reason = "a contact that slides in a known direction is not a convex problem";
        else if (isinf(law.mu) || isinf(law.mu_torsion))
            reason = "it needs finite friction coefficients";
    }
    return reason;
}

static mo_error bound_in(gap *g, mo_frozen_bound *bound)
{
    const mo_allocator *allocator = &g->problem->allocator;
    const size_t small = MO_SMALL, dofs = (size_t)g->problem->dof_count;
    const size_t room =
        (dofs + small * (small + 1)) * sizeof(mo_interval) + small * small * sizeof(double);
    g->p = mo_memory_array(allocator, room, 1);
    MO_NEED_MEMORY(g->p, NULL);
    begin_balance(g);
    for (int i = 0; i < g->problem->constraint_count && g->is_good; ++i)
        add_constraint(g, i);
    for (int b = 0; b < g->problem->body_count && g->is_good; ++b)
        add_body(g, b, g->p + dofs);
    const double most = mo_interval_upper(g->sum);
    if (g->is_good && isfinite(most)) {
        bound->v_energy = sqrt(2 * fmax(0, most)) * (1 + 4 * DBL_EPSILON);
        bound->beyond = g->beyond;
    } else {
        mo_say(&bound->message, "%s", "a mass matrix could not be inverted safely");
    }
    mo_memory_free(allocator, g->p);
    return MO_OK;
}

mo_error mo_bound_frozen(const mo_problem *problem, const double *v, const double *r, double *shift,
                         mo_frozen_bound *bound)
{
    MO_NEED(problem && (v || problem->dof_count == 0) && (r || problem->row_count == 0) && bound,
            NULL);
    gap g = {.problem = problem,
             .v = v,
             .r = r,
             .shift = shift,
             .sum = mo_interval_exact(0),
             .is_good = 1};
    const char *reason = reason_against(problem);
    *bound = (mo_frozen_bound){.v_energy = INFINITY, .beyond = INFINITY};
    if (reason) {
        mo_say(&bound->message, "%s", reason);
        return MO_OK;
    }
    MO_FAIL_IF(!mo_all_finite(v, (size_t)problem->dof_count) ||
                   !mo_all_finite(r, (size_t)problem->row_count),
               MO_ERR_ARGUMENT);
    return bound_in(&g, bound);
}
