/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Internal data of a problem: arrays of blocks, and the views that are created on demand. */
#ifndef MO_PROBLEM_DATA_H
#define MO_PROBLEM_DATA_H

#include <stdint.h>

#include "base/memory.h"
#include "law/law_ops.h"
#include "linalg/dense.h"
#include "moreau/problem.h"

typedef struct mo_law_ref {
    uint32_t param; /* offset of its packed parameters in `param` */
    uint8_t kind;
} mo_law_ref;

#define MO_LAW_BIT(kind) (1u << (kind))

typedef struct mo_views mo_views; /* made on demand and kept: see views.h */

struct mo_problem {
    mo_allocator allocator;
    mo_form form;
    int body_count, constraint_count, dof_count, row_count;

    /* Bodies: velocities body_start[b] .. body_start[b+1] of v, n x n values from mass_start[b]. */
    int *body_start;
    size_t *mass_start;
    double *M;
    double *factor; /* M = L U, both in one square: see mo_factor_symmetric */
    double *f;
    uint8_t *asymmetric; /* for each body; */
    int is_symmetric;    /* no body is: U = L' everywhere */
    uint32_t *body_id;   /* by which constraints are coloured; NULL: their numbers */

    /* Constraints: rows row_start[i] .. row_start[i+1] of u, r, w. */
    int *row_start;
    mo_law_ref *law;
    unsigned laws; /* MO_LAW_BIT of every kind that occurs */
    double *param;
    size_t param_count;
    double *w;
    double *compliance; /* one a row, or NULL if every law is hard */
    double *rate_scale; /* of closing speeds, one a constraint, where they are limited; or NULL */

    /* Blocks block_start[i] .. block_start[i+1] of constraint i, by rising index (body, or column
     * constraint), their values consecutively from value_start[i]. */
    int *block_start;
    int *block_index;
    size_t *value_start;
    double *values;

    /* The compact form of contacts (compact.h) where the builder was given some, else NULL.  Their
     * Jacobians, and the factors of rigid bodies, are there only after mo_problem_write_rows. */
    struct mo_compact *compact;

    mo_views *views;
};

/* Writes the Jacobians of compact contacts and the factors of rigid bodies, once. */
void mo_problem_write_rows(const mo_problem *problem);

static inline int mo_body_dim(const mo_problem *problem, int body)
{
    return problem->body_start[body + 1] - problem->body_start[body];
}

static inline int mo_constraint_dim(const mo_problem *problem, int constraint)
{
    return problem->row_start[constraint + 1] - problem->row_start[constraint];
}

/* Columns of a block: the velocities of its body, or the rows of its column constraint. */
static inline int mo_block_columns(const mo_problem *problem, int index)
{
    return problem->form == MO_FORM_GLOBAL ? mo_body_dim(problem, index)
                                           : mo_constraint_dim(problem, index);
}

static inline const mo_law_ops *mo_constraint_law(const mo_problem *problem, int constraint)
{
    return mo_law_ops_of((mo_law_kind)problem->law[constraint].kind);
}

static inline const double *mo_constraint_param(const mo_problem *problem, int constraint)
{
    return problem->param + problem->law[constraint].param;
}

static inline const double *mo_body_factor(const mo_problem *problem, int body)
{
    return problem->factor + problem->mass_start[body];
}

/* u += block x, d x n.  Blocks of three rows and three columns fill every reduced problem in space,
 * those of two every one in the plane. */
static inline void mo_add_block(int d, int n, const double *block, const double *x, double *u)
{
    if (d == 3 && n == 3) {
        u[0] += (block[0] * x[0] + block[1] * x[1]) + block[2] * x[2];
        u[1] += (block[3] * x[0] + block[4] * x[1]) + block[5] * x[2];
        u[2] += (block[6] * x[0] + block[7] * x[1]) + block[8] * x[2];
    } else if (d == 2 && n == 2) {
        u[0] += block[0] * x[0] + block[1] * x[1];
        u[1] += block[2] * x[0] + block[3] * x[1];
    } else if (d == 2 && n == 3) { /* a contact of a free body in the plane */
        u[0] += (block[0] * x[0] + block[1] * x[1]) + block[2] * x[2];
        u[1] += (block[3] * x[0] + block[4] * x[1]) + block[5] * x[2];
    } else {
        for (int j = 0; j < d; ++j)
            u[j] += mo_dot(n, block + (size_t)j * n, x);
    }
}

/* The same for impulses x, which are zero where a contact is open. */
static inline void mo_add_response(int d, int n, const double *block, const double *x, double *u)
{
    int k = 0;
    while (k < n && x[k] == 0)
        ++k;
    if (k < n) mo_add_block(d, n, block, x, u);
}

/* u += sum_j W_ij x_j, row i of the blocks of a reduced problem; d is a constant where this is
 * inlined, and the sums stay in registers. */
static inline void mo_add_row(const int d, const mo_problem *W, int i, const double *x, double *u)
{
    const double *block = W->values + W->value_start[i];
    double sum[MO_BILATERAL_MAX_DIM];
    for (int a = 0; a < d; ++a)
        sum[a] = u[a];
    for (int k = W->block_start[i]; k < W->block_start[i + 1]; ++k) {
        const int j = W->block_index[k], n = mo_constraint_dim(W, j);
        mo_add_response(d, n, block, x + W->row_start[j], sum);
        block += d * n;
    }
    for (int a = 0; a < d; ++a)
        u[a] = sum[a];
}

static inline void mo_reduced_row(const mo_problem *W, int i, const double *x, double *u)
{
    const int d = mo_constraint_dim(W, i);
    if (d == 3)
        mo_add_row(3, W, i, x, u);
    else if (d == 2)
        mo_add_row(2, W, i, x, u);
    else
        mo_add_row(d, W, i, x, u);
}

/* The velocity a law sees: u + compliance r, of constraint i with rows starting at `row`. */
static inline void mo_law_velocity(const mo_problem *problem, int row, int d, const double *u,
                                   const double *r, double *law_u)
{
    for (int k = 0; k < d; ++k)
        law_u[k] = problem->compliance ? u[k] + problem->compliance[row + k] * r[k] : u[k];
}

/* Starts of the consecutive d x d blocks (or start = NULL); returns the numbers of all. */
size_t mo_square_starts(const mo_problem *problem, size_t *start);

/* The constraints on each body (or column constraint) b: list[start[b]] .. list[start[b + 1] - 1],
 * rising.  `start` has room for body_count + 2 numbers, `list` for one for each block. */
void mo_list_incidence(const mo_problem *problem, int *start, int *list);

/* The linear maps without f and w: v += H r, u += H' x; reduced: v += W' r, u += W x. */
void mo_problem_push(const mo_problem *problem, const double *r, double *v);
void mo_problem_pull(const mo_problem *problem, const double *x, double *u);

/* The same computations as in problem.h, with the caller's scratch for v (dof_count entries; unused
 * and possibly NULL for a reduced problem). */
void mo_problem_response_into(const mo_problem *problem, const double *r, double *v, double *u);

#endif
