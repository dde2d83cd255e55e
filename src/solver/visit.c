/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/visit.h"

/* new_r <- (1 - omega) r + omega new_r, brought back into its set. */
static inline void over_relax(const mo_law_ops *law, const double *p, int d, double omega,
                              const double *r, double *new_r)
{
    if (omega != 1) {
        for (int k = 0; k < d; ++k) {
            new_r[k] = r[k] + omega * (new_r[k] - r[k]);
        }
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

    /* b = (u + compliance r) - (W_ii + compliance) r: what the others do to this block */
    mo_sweep_velocity(c->sweep, position, c->x, u);
    mo_law_velocity(problem, row, d, u, r, b);
    for (int k = 0; k < d; ++k) {
        b[k] -= mo_dot(d, W + k * d, r);
    }
    law->solve(p, d, W, b, new_r);
    over_relax(law, p, d, c->omega, r, new_r);
    const double moved = take(d, new_r, r, u);
    if (moved > 0) {
        mo_sweep_apply(c->sweep, position, u, c->x);
    }
    return moved;
}

/* A coulomb contact in space between free bodies.  One that is apart and stays so costs its normal row. */
static double visit_free_bodies(const mo_visitor *c, int position, int i)
{
    const mo_problem *problem = c->sweep->problem;
    const int row = problem->row_start[i], *body = problem->block_index + problem->block_start[i];
    const int two = problem->block_start[i + 1] - problem->block_start[i] == 2;
    const double *W = mo_sweep_diagonal(c->sweep, position), *A = W + 9, *B = A + 18;
    const double *p = mo_constraint_param(problem, i), *w = problem->w + row;
    double *x = c->x + 6 * (size_t)body[0], *y = two ? c->x + 6 * (size_t)body[1] : NULL;
    double *r = c->r + row, b[3], new_r[3], dr[3];

    b[0] = two ? w[0] + mo_sweep_dot_6(A, x) + mo_sweep_dot_6(B, y) : w[0] + mo_sweep_dot_6(A, x);
    if (b[0] >= 0 && r[0] == 0 && r[1] == 0 && r[2] == 0) {
        return 0;
    }
    for (int k = 1; k < 3; ++k) {
        b[k] = w[k] + mo_sweep_dot_6(A + 6 * k, x);
        b[k] = two ? b[k] + mo_sweep_dot_6(B + 6 * k, y) : b[k];
    }
    for (int k = 0; k < 3; ++k) {
        b[k] -= mo_dot(3, W + 3 * k, r);
    }
    mo_law_coulomb_ops.solve(p, 3, W, b, new_r);
    over_relax(&mo_law_coulomb_ops, p, 3, c->omega, r, new_r);
    const double moved = take(3, new_r, r, dr);
    if (moved > 0) {
        mo_sweep_push_3x6(A, dr, x);
        if (two) {
            mo_sweep_push_3x6(B, dr, y);
        }
    }
    return moved;
}

/* A block of three rows of W: b is summed without the diagonal block, and nothing is subtracted. */
static double visit_triple(const mo_visitor *c, int position, int i)
{
    const mo_problem *problem = c->sweep->problem;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i),
                 *W = problem->values + problem->value_start[i];
    double *r = c->r + 3 * (size_t)i, dr[3], new_r[3];
    const double *w = problem->w + 3 * (size_t)i;
    double b[3] = {w[0], w[1], w[2]};
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k, W += 9) {
        const int j = problem->block_index[k];
        const double *s = c->r + 3 * (size_t)j;
        if (j != i) {
            b[0] += (W[0] * s[0] + W[1] * s[1]) + W[2] * s[2];
            b[1] += (W[3] * s[0] + W[4] * s[1]) + W[5] * s[2];
            b[2] += (W[6] * s[0] + W[7] * s[1]) + W[8] * s[2];
        }
    }
    law->solve(p, 3, mo_sweep_diagonal(c->sweep, position), b, new_r);
    over_relax(law, p, 3, c->omega, r, new_r);
    return take(3, new_r, r, dr);
}

static int is_contact(const mo_problem *problem, int i)
{
    const int bodies = problem->block_start[i + 1] - problem->block_start[i];
    return problem->law[i].kind == MO_LAW_COULOMB && mo_constraint_dim(problem, i) == 3 &&
           (bodies == 1 || bodies == 2);
}

double mo_visit(const mo_visitor *visitor, int position)
{
    const int i = visitor->sweep->constraint[position];
    if (visitor->kind == MO_VISIT_TRIPLES) {
        return visit_triple(visitor, position, i);
    }
    if (visitor->kind == MO_VISIT_FREE_BODIES && is_contact(visitor->sweep->problem, i)) {
        return visit_free_bodies(visitor, position, i);
    }
    return visit_any(visitor, position, i);
}

/* Does start hold 0, size, 2 size, ... ? */
static int are_all(const int *start, int count, int size)
{
    for (int k = 0; k < count; ++k) {
        if (start[k + 1] != size * (k + 1)) {
            return 0;
        }
    }
    return 1;
}

static mo_visit_kind kind_of(const mo_problem *problem)
{
    if (problem->compliance) {
        return MO_VISIT_ANY;
    }
    if (problem->form == MO_FORM_REDUCED) {
        return are_all(problem->row_start, problem->constraint_count, 3) ? MO_VISIT_TRIPLES
                                                                         : MO_VISIT_ANY;
    }
    return problem->is_symmetric && are_all(problem->body_start, problem->body_count, 6)
               ? MO_VISIT_FREE_BODIES
               : MO_VISIT_ANY;
}

mo_visitor mo_visitor_begin(const mo_sweep *sweep, double omega, double *r, double *x)
{
    return (mo_visitor){sweep, omega, r, x, kind_of(sweep->problem)};
}
