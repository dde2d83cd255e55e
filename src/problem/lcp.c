/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Unknowns and couplings of the LCP view for each law: the table in lcp.h.
 *
 * The constraints are processed twice, for the free unknowns and for the pairs, and first on a
 * counting view; sizes and contents come from the same code.
 */
#include "problem/lcp.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"

typedef enum pass { FREE, PAIRS } pass;

typedef struct writer {
    mo_lcp *lcp; /* its arrays are NULL while counting */
    int size, ties;
} writer;

int mo_lcp_takes(const mo_problem *problem, int constraint)
{
    const int kind = problem->law[constraint].kind;
    return kind != MO_LAW_COULOMB || isfinite(mo_constraint_param(problem, constraint)[0]);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A new unknown of this role that touches `rows` rows from `row` on. */
static mo_lcp_unknown *add_unknown(writer *to, mo_lcp_role role, int constraint, int row, int rows)
{
    static const mo_lcp_unknown none = {0};
    const int k = to->size++;
    if (!to->lcp->unknown) return NULL;
    to->lcp->unknown[k] = none;
    to->lcp->unknown[k].role = role;
    to->lcp->unknown[k].constraint = constraint;
    to->lcp->unknown[k].row = row;
    to->lcp->unknown[k].rows = rows;
    to->lcp->constant[k] = 0;
    return to->lcp->unknown + k;
}

static void add_tie(writer *to, int row, int column, double value)
{
    const int k = to->ties++;
    if (to->lcp->tie) to->lcp->tie[k] = (mo_lcp_tie){row, column, value};
}

/* A pair (z, w) that touches one row, with the same sign in both. */
static void add_single(writer *to, mo_lcp_role role, int constraint, int row, double sign)
{
    mo_lcp_unknown *unknown = add_unknown(to, role, constraint, row, 1);
    if (unknown) unknown->impulse[0] = unknown->test[0] = sign;
}

static void set_offset(writer *to, int row, double value)
{
    if (to->lcp->offset) to->lcp->offset[row] = value;
}

/* ---- laws ------------------------------------------------------------------------------------ */

static void write_joint(writer *to, int i, pass now)
{
    const mo_problem *problem = to->lcp->problem;
    for (int row = problem->row_start[i]; now == FREE && row < problem->row_start[i + 1]; ++row)
        add_single(to, MO_LCP_JOINT, i, row, 1);
}

static void write_box_row(writer *to, int i, int row, double lower, double upper, pass now)
{
    const int from_below = isfinite(lower), is_free = !from_below && !isfinite(upper);
    set_offset(to, row, from_below ? lower : is_free ? 0 : upper);
    if (is_free != (now == FREE) || lower == upper) return;
    const int distance = to->size;
    add_single(to, is_free ? MO_LCP_JOINT : MO_LCP_BOUNDED, i, row, is_free || from_below ? 1 : -1);
    if (from_below && isfinite(upper)) {
        const int press = to->size;
        add_unknown(to, MO_LCP_PRESS, i, row, 0);
        add_tie(to, distance, press, 1);
        add_tie(to, press, distance, -1);
        if (to->lcp->constant) to->lcp->constant[press] = upper - lower;
    }
}

static void write_box(writer *to, int i, pass now)
{
    const mo_problem *problem = to->lcp->problem;
    const double *bounds = mo_constraint_param(problem, i);
    const int d = mo_constraint_dim(problem, i);
    for (int k = 0; k < d; ++k)
        write_box_row(to, i, problem->row_start[i] + k, bounds[k], bounds[d + k], now);
}

/* r_N and u_N; the impulse lies along the axis, and the relaxed row reads the velocity along it. */
static int write_normal(writer *to, int i, const double *axis)
{
    const int row = to->lcp->problem->row_start[i], d = mo_constraint_dim(to->lcp->problem, i);
    const int normal = to->size;
    mo_lcp_unknown *unknown = add_unknown(to, MO_LCP_NORMAL, i, row, d);
    if (unknown) {
        memcpy(unknown->impulse, axis, (size_t)d * sizeof *axis);
        unknown->test[0] = 1;
        if (to->lcp->variant == MO_LCP_RELAXED)
            memcpy(unknown->test, axis, (size_t)d * sizeof *axis);
    }
    return normal;
}

/* The directions of a group and their slip speed [anitescu2004, eq. 2.7, 4.17, 4.27]. */
static void write_group(writer *to, int i, const mo_law_facets *facets, int g, int normal)
{
    const int row = to->lcp->problem->row_start[i], d = mo_constraint_dim(to->lcp->problem, i);
    const int first = to->size, count = facets->start[g + 1] - facets->start[g],
              slip = first + count;
    for (int j = 0; j < count; ++j) {
        mo_lcp_unknown *unknown = add_unknown(to, MO_LCP_DIRECTION, i, row, d);
        if (unknown) {
            const double *D = facets->direction[facets->start[g] + j];
            unknown->group = g;
            unknown->index = j;
            memcpy(unknown->impulse, D, (size_t)d * sizeof *D);
            memcpy(unknown->test, D, (size_t)d * sizeof *D);
        }
    }
    if (to->lcp->variant == MO_LCP_FIXED_SLIP) return;
    mo_lcp_unknown *unknown = add_unknown(to, MO_LCP_SLIP, i, row, 0);
    if (unknown) unknown->group = g;
    add_tie(to, slip, normal, facets->mu[g]);
    for (int j = 0; j < count; ++j) {
        add_tie(to, first + j, slip, 1);
        add_tie(to, slip, first + j, -1);
    }
    if (to->lcp->variant == MO_LCP_RELAXED) add_tie(to, normal, slip, -facets->mu[g]);
}

static void write_cone(writer *to, int i)
{
    const mo_problem *problem = to->lcp->problem;
    const int kind = problem->law[i].kind, d = mo_constraint_dim(problem, i);
    mo_law_facets facets;
    mo_constraint_law(problem, i)
        ->facets(mo_constraint_param(problem, i), d, to->lcp->facets, &facets);
    const int normal = write_normal(to, i, facets.axis);
    for (int g = 0; g < facets.groups; ++g) {
        if (facets.mu[g] > 0) {
            write_group(to, i, &facets, g, normal);
            to->lcp->uses_facets |= kind == MO_LAW_ROLLING || kind == MO_LAW_SOFT_FINGER ||
                                    (kind == MO_LAW_COULOMB && d == 3);
        }
    }
}

/* [trinkle1997, eq. 32-33]: s+_k - mu r_N instead of r_k.  Relaxed: |u_k| = u_k + 2 a-_k. */
static void write_slacks(writer *to, int i)
{
    const int row = to->lcp->problem->row_start[i], d = mo_constraint_dim(to->lcp->problem, i);
    const double mu = mo_constraint_param(to->lcp->problem, i)[0], axis[3] = {1, -mu, -mu};
    const int normal = write_normal(to, i, axis);
    for (int k = 1; k < d && mu > 0; ++k) {
        const int slack = to->size, recede = slack + 1;
        add_single(to, MO_LCP_SLACK, i, row + k, 1);
        mo_lcp_unknown *unknown = add_unknown(to, MO_LCP_RECEDE, i, row + k, 0);
        if (unknown) unknown[-1].index = unknown->index = k;
        add_tie(to, slack, recede, 1);
        add_tie(to, recede, normal, 2 * mu);
        add_tie(to, recede, slack, -1);
        if (to->lcp->variant == MO_LCP_RELAXED) add_tie(to, normal, recede, -2 * mu);
    }
}

/* Is the set of frictions a product of intervals, and to be written so? */
static int uses_slacks(const mo_lcp *lcp, int i)
{
    const int kind = lcp->problem->law[i].kind;
    const int is_product = kind == MO_LAW_PYRAMID ||
                           (kind == MO_LAW_COULOMB && mo_constraint_dim(lcp->problem, i) == 2);
    return is_product && (lcp->variant == MO_LCP_EXACT || lcp->variant == MO_LCP_RELAXED);
}

static void write_block(writer *to, int i, pass now)
{
    const int kind = to->lcp->problem->law[i].kind;
    if (kind == MO_LAW_BILATERAL)
        write_joint(to, i, now);
    else if (kind == MO_LAW_BOX)
        write_box(to, i, now);
    else if (now == PAIRS && uses_slacks(to->lcp, i))
        write_slacks(to, i);
    else if (now == PAIRS)
        write_cone(to, i);
}

static void write_all(writer *to)
{
    mo_lcp *lcp = to->lcp;
    const int count = lcp->problem->constraint_count;
    for (int now = FREE; now <= PAIRS; ++now) {
        int *start = now == FREE ? lcp->free_start : lcp->pair_start;
        for (int i = 0; i <= count; ++i) {
            if (start) start[i] = to->size;
            if (i < count) write_block(to, i, (pass)now);
        }
        if (now == FREE) lcp->free_count = to->size;
    }
    lcp->size = to->size;
    lcp->tie_count = to->ties;
}

/* ---- the view -------------------------------------------------------------------------------- */

void mo_lcp_layout(const mo_problem *problem, mo_lcp_variant variant, int facets, mo_arena *arena,
                   mo_lcp *lcp)
{
    *lcp = (mo_lcp){.problem = problem, .variant = variant, .facets = facets};
    writer counter = {lcp, 0, 0};
    write_all(&counter);
    lcp->unknown = MO_TAKE(arena, lcp->size, mo_lcp_unknown);
    lcp->tie = MO_TAKE(arena, lcp->tie_count, mo_lcp_tie);
    lcp->constant = MO_TAKE(arena, lcp->size, double);
    lcp->offset = MO_TAKE(arena, problem->row_count, double);
    MO_TAKE_EACH(arena, problem->constraint_count + 1, int, &lcp->free_start, &lcp->pair_start);
    if (arena->base) {
        memset(lcp->offset, 0, (size_t)problem->row_count * sizeof *lcp->offset);
        writer real = {lcp, 0, 0};
        write_all(&real);
    }
}

/* ---- room for a sparse matrix ---------------------------------------------------------------- */

static size_t block_size(const mo_lcp *lcp, int i)
{
    mo_lcp counting = {.problem = lcp->problem, .variant = lcp->variant, .facets = lcp->facets};
    writer counter = {&counting, 0, 0};
    write_block(&counter, i, FREE);
    write_block(&counter, i, PAIRS);
    return (size_t)counter.size;
}

mo_error mo_lcp_check(const mo_problem *problem, int facets, int most_unknowns, const char *method,
                      mo_message *why)
{
    mo_arena counting = {0};
    mo_lcp lcp;
    for (int i = 0; i < problem->constraint_count; ++i) {
        MO_FAIL_IF(!mo_lcp_takes(problem, i),
                   mo_fail(why, MO_ERR_UNSUPPORTED,
                           "method %s does not take the infinite mu of constraint %d", method, i));
    }
    mo_lcp_layout(problem, MO_LCP_EXACT, facets, &counting, &lcp);
    MO_FAIL_IF(lcp.size > most_unknowns,
               mo_fail(why, MO_ERR_UNSUPPORTED,
                       "method %s accepts at most %d unknowns, but this problem has %d", method,
                       most_unknowns, lcp.size));
    return MO_OK;
}

size_t mo_lcp_fill(const mo_lcp *lcp, const mo_problem *W)
{
    const size_t all = (size_t)lcp->size * (size_t)lcp->size;
    size_t fill = 0;
    if (lcp->free_count > 0) return all; /* joints, once eliminated, couple everything */
    for (int i = 0; i < W->constraint_count; ++i) {
        const size_t size = block_size(lcp, i);
        fill += size * size; /* ties, compliance and the like */
        for (int k = W->block_start[i]; k < W->block_start[i + 1]; ++k)
            fill += size * block_size(lcp, W->block_index[k]);
    }
    return fill < all ? fill : all;
}

/* ---- r, u and w from z ----------------------------------------------------------------------- */

void mo_lcp_ray(const mo_lcp *lcp, const double *z, double *r)
{
    memset(r, 0, (size_t)lcp->problem->row_count * sizeof *r);
    for (int k = 0; k < lcp->size; ++k) {
        const mo_lcp_unknown *unknown = lcp->unknown + k;
        mo_axpy(unknown->rows, z[k], unknown->impulse, r + unknown->row);
    }
}

void mo_lcp_impulse(const mo_lcp *lcp, const double *z, double *r)
{
    mo_lcp_ray(lcp, z, r);
    mo_axpy(lcp->problem->row_count, 1, lcp->offset, r);
}

void mo_lcp_slack(const mo_lcp *lcp, const double *z, const double *r, const double *u, double *w)
{
    double law_u[MO_LAW_MAX_DIM];
    for (int k = 0; k < lcp->size; ++k) {
        const mo_lcp_unknown *unknown = lcp->unknown + k;
        const int row = unknown->row;
        mo_law_velocity(lcp->problem, row, unknown->rows, u + row, r + row, law_u);
        w[k] = lcp->constant[k] + mo_dot(unknown->rows, unknown->test, law_u);
    }
    for (int t = 0; t < lcp->tie_count; ++t)
        w[lcp->tie[t].row] += lcp->tie[t].value * z[lcp->tie[t].column];
}
