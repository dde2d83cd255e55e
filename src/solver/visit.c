/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/visit.h"

/* new_r <- (1 - omega) r + omega new_r, brought back into its set. */
static inline void over_relax(const mo_law_ops *law, const double *p, int d, double omega,
                              const double *r, double *new_r)
{
    if (omega != 1) {
        for (int k = 0; k < d; ++k)
            new_r[k] = r[k] + omega * (new_r[k] - r[k]);
        law->project(p, d, new_r, new_r);
    }
}

/* r <- new_r; dr is the change, and |dr|^2 is returned. */
static inline double take(int d, const double *new_r, double *r, double *dr)
{
    double moved = 0;
    for (int k = 0; k < d; ++k) {
        dr[k] = new_r[k] - r[k];
        moved += dr[k] * dr[k];
        r[k] = new_r[k];
    }
    return moved;
}

static double visit_any(const mo_visitor *c, int position, int i)
{
    const mo_problem *problem = c->sweep->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i), *W = mo_sweep_diagonal(c->sweep, position);
    double u[MO_BILATERAL_MAX_DIM], b[MO_BILATERAL_MAX_DIM], new_r[MO_BILATERAL_MAX_DIM];
    double *r = c->r + row;

    /* b = (u + compliance r) - (W_ii + compliance) r: the effect of the other blocks */
    mo_sweep_velocity(c->sweep, position, c->x, u);
    mo_law_velocity(problem, row, d, u, r, b);
    for (int k = 0; k < d; ++k)
        b[k] -= mo_dot(d, W + k * d, r);
    law->solve(p, d, W, b, new_r);
    over_relax(law, p, d, c->omega, r, new_r);
    const double moved = take(d, new_r, r, u);
    if (moved > 0) mo_sweep_apply(c->sweep, position, u, c->x);
    return moved;
}

/* A row of a whitened Jacobian times the velocities of a free body, 6 or 3; n is a constant where
 * this is inlined. */
static inline double row_of_body(const int n, const double *A, const double *x)
{
    return n == 6 ? mo_sweep_dot_6(A, x) : (A[0] * x[0] + A[1] * x[1]) + A[2] * x[2];
}

static inline void push_body(const int d, const int n, const double *A, const double *dr, double *x)
{
    if (n == 6) {
        mo_sweep_push_3x6(A, dr, x);
        return;
    }
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < d; ++j)
            x[k] += A[j * n + k] * dr[j];
}

/*
 * A coulomb contact of d rows between free bodies of n velocities, in space (3, 6) or in the plane
 * (2, 3).  An open one that stays open costs only its normal row.
 */
static inline double visit_free_bodies(const mo_visitor *c, int position, int i, const int d,
                                       const int n)
{
    const mo_problem *problem = c->sweep->problem;
    const int row = problem->row_start[i], *body = problem->block_index + problem->block_start[i];
    const int two = problem->block_start[i + 1] - problem->block_start[i] == 2;
    const double *W = mo_sweep_diagonal(c->sweep, position), *A = W + d * d, *B = A + d * n;
    const double *p = mo_constraint_param(problem, i), *w = problem->w + row;
    double *x = c->x + (size_t)n * (size_t)body[0];
    double *y = two ? c->x + (size_t)n * (size_t)body[1] : NULL;
    double *r = c->r + row, b[3] = {0}, new_r[3], dr[3];

    for (int k = 0; k < d; ++k) {
        b[k] = w[k] + row_of_body(n, A + n * k, x);
        b[k] = two ? b[k] + row_of_body(n, B + n * k, y) : b[k];
        if (k == 0 && b[0] >= 0 && r[0] == 0 && r[1] == 0 && r[d - 1] == 0) return 0;
    }
    for (int k = 0; k < d; ++k)
        b[k] -= mo_dot(d, W + d * k, r);
    mo_law_coulomb_ops.solve(p, d, W, b, new_r);
    over_relax(&mo_law_coulomb_ops, p, d, c->omega, r, new_r);
    const double moved = take(d, new_r, r, dr);
    if (moved > 0) {
        push_body(d, n, A, dr, x);
        if (two) push_body(d, n, B, dr, y);
    }
    return moved;
}

/* A block of d rows of W with blocks of one size: b is summed without the diagonal block, so
 * nothing is subtracted. */
static inline double visit_rows(const mo_visitor *c, int position, int i, const int d)
{
    const mo_problem *problem = c->sweep->problem;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i),
                 *W = problem->values + problem->value_start[i];
    double *r = c->r + (size_t)d * (size_t)i, b[3], dr[3], new_r[3];
    const double *w = problem->w + (size_t)d * (size_t)i;
    for (int k = 0; k < d; ++k)
        b[k] = w[k];
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k, W += d * d) {
        const int j = problem->block_index[k];
        if (j != i) mo_add_block(d, d, W, c->r + (size_t)d * (size_t)j, b);
    }
    law->solve(p, d, mo_sweep_diagonal(c->sweep, position), b, new_r);
    over_relax(law, p, d, c->omega, r, new_r);
    return take(d, new_r, r, dr);
}

static inline int is_contact(const mo_problem *problem, int i, int d)
{
    const int bodies = problem->block_start[i + 1] - problem->block_start[i];
    return problem->law[i].kind == MO_LAW_COULOMB && mo_constraint_dim(problem, i) == d &&
           (bodies == 1 || bodies == 2);
}

double mo_visit(const mo_visitor *visitor, int position)
{
    const int i = visitor->sweep->constraint[position];
    if (visitor->kind == MO_VISIT_TRIPLES) return visit_rows(visitor, position, i, 3);
    if (visitor->kind == MO_VISIT_PAIRS) return visit_rows(visitor, position, i, 2);
    if (visitor->kind == MO_VISIT_FREE_BODIES && is_contact(visitor->sweep->problem, i, 3))
        return visit_free_bodies(visitor, position, i, 3, 6);
    if (visitor->kind == MO_VISIT_FLAT_BODIES && is_contact(visitor->sweep->problem, i, 2))
        return visit_free_bodies(visitor, position, i, 2, 3);
    return visit_any(visitor, position, i);
}

/* Does start hold 0, size, 2 size, ... ? */
static int are_all(const int *start, int count, int size)
{
    for (int k = 0; k < count; ++k)
        if (start[k + 1] != size * (k + 1)) return 0;
    return 1;
}

static mo_visit_kind kind_of(const mo_problem *problem)
{
    if (problem->compliance) return MO_VISIT_ANY;
    if (problem->form == MO_FORM_REDUCED) {
        return are_all(problem->row_start, problem->constraint_count, 3)   ? MO_VISIT_TRIPLES
               : are_all(problem->row_start, problem->constraint_count, 2) ? MO_VISIT_PAIRS
                                                                           : MO_VISIT_ANY;
    }
    return !problem->is_symmetric                                 ? MO_VISIT_ANY
           : are_all(problem->body_start, problem->body_count, 6) ? MO_VISIT_FREE_BODIES
           : are_all(problem->body_start, problem->body_count, 3) ? MO_VISIT_FLAT_BODIES
                                                                  : MO_VISIT_ANY;
}

mo_visitor mo_visitor_begin(const mo_sweep *sweep, double omega, double *r, double *x)
{
    return (mo_visitor){sweep, omega, r, x, kind_of(sweep->problem)};
}
