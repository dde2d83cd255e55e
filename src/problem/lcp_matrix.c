/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The dense matrices of the LCP view (lcp.h), block by block.
 *
 * With M eliminated, W_ij is the sum of pull_ib push_jb' (sweep.h) over the bodies that i and j
 * share: for each body, every pair of its constraints adds T_i' (pull push') R_j.  A body with many
 * contacts (a moving floor) makes A dense; in a pile A is sparse.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "problem/lcp.h"

/* The unknowns of a constraint: those in `begin` .. `end` of each kind. */
typedef struct span {
    int begin[2], end[2];
} span;

static span unknowns_of(const mo_lcp *lcp, int i)
{
    return (span){{lcp->free_start[i], lcp->pair_start[i]},
                  {lcp->free_start[i + 1], lcp->pair_start[i + 1]}};
}

/* A gains T_i' B R_j for a block B of d_i x d_j numbers. */
static void add_block(const mo_lcp *lcp, int i, int j, const double *B, double *A)
{
    const mo_problem *problem = lcp->problem;
    const int dj = mo_constraint_dim(problem, j), row_i = problem->row_start[i],
              row_j = problem->row_start[j];
    const span rows = unknowns_of(lcp, i), columns = unknowns_of(lcp, j);
    const size_t n = (size_t)lcp->size;
    double tested[MO_BILATERAL_MAX_DIM];
    for (int s = 0; s < 2; ++s) {
        for (int k = rows.begin[s]; k < rows.end[s]; ++k) {
            const mo_lcp_unknown *row = lcp->unknown + k;
            memset(tested, 0, (size_t)dj * sizeof *tested);
            for (int a = 0; a < row->rows; ++a) {
                mo_axpy(dj, row->test[a], B + (row->row - row_i + a) * dj, tested);
            }
            for (int c = 0; c < 2 && row->rows > 0; ++c) {
                for (int l = columns.begin[c]; l < columns.end[c]; ++l) {
                    const mo_lcp_unknown *column = lcp->unknown + l;
                    A[(size_t)k * n + (size_t)l] +=
                        mo_dot(column->rows, tested + (column->row - row_j), column->impulse);
                }
            }
        }
    }
}

/* B = pull_ib push_jb', the part of W_ij that body b carries. */
static void body_part(const mo_lcp *lcp, const mo_sweep *sweep, int body, const mo_lcp_incidence *i,
                      const mo_lcp_incidence *j, double *B)
{
    const int n = mo_body_dim(lcp->problem, body);
    const int di = mo_constraint_dim(lcp->problem, i->constraint);
    const int dj = mo_constraint_dim(lcp->problem, j->constraint);
    const double *pull = mo_sweep_pull(sweep, i->constraint) + i->offset;
    const double *push = mo_sweep_push(sweep, j->constraint) + j->offset;
    for (int a = 0; a < di; ++a) {
        for (int b = 0; b < dj; ++b) {
            B[a * dj + b] = mo_dot(n, pull + (size_t)a * n, push + (size_t)b * n);
        }
    }
}

static void add_bodies(const mo_lcp *lcp, const mo_sweep *sweep, double *A)
{
    double B[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    for (int body = 0; body < lcp->problem->body_count; ++body) {
        const mo_lcp_incidence *first = lcp->on_body + lcp->body_start[body];
        const mo_lcp_incidence *end = lcp->on_body + lcp->body_start[body + 1];
        for (const mo_lcp_incidence *i = first; i < end; ++i) {
            for (const mo_lcp_incidence *j = first; j < end; ++j) {
                body_part(lcp, sweep, body, i, j, B);
                add_block(lcp, i->constraint, j->constraint, B, A);
            }
        }
    }
}

static void add_couplings(const mo_lcp *lcp, double *A)
{
    const mo_problem *problem = lcp->problem;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *block = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int j = problem->block_index[k];
            add_block(lcp, i, j, block, A);
            block += mo_constraint_dim(problem, i) * mo_constraint_dim(problem, j);
        }
    }
}

/* T' diag(compliance) R, then the ties; A has `stride` columns. */
static void add_compliance(const mo_lcp *lcp, size_t stride, double *A)
{
    const double *soft = lcp->problem->compliance;
    for (int k = 0; soft && k < lcp->size; ++k) {
        const mo_lcp_unknown *row = lcp->unknown + k;
        const span block = unknowns_of(lcp, row->constraint);
        for (int c = 0; c < 2; ++c) {
            for (int l = block.begin[c]; l < block.end[c]; ++l) {
                const mo_lcp_unknown *column = lcp->unknown + l;
                for (int a = 0; a < row->rows; ++a) { /* rows that both touch */
                    const int at = row->row + a - column->row;
                    if (at >= 0 && at < column->rows) {
                        A[(size_t)k * stride + (size_t)l] +=
                            row->test[a] * soft[row->row + a] * column->impulse[at];
                    }
                }
            }
        }
    }
}

static void add_ties(const mo_lcp *lcp, size_t stride, double *A)
{
    for (int t = 0; t < lcp->tie_count; ++t) {
        A[(size_t)lcp->tie[t].row * stride + (size_t)lcp->tie[t].column] += lcp->tie[t].value;
    }
}

void mo_lcp_matrix(const mo_lcp *lcp, const mo_sweep *sweep, double *A)
{
    const size_t n = (size_t)lcp->size;
    memset(A, 0, n * n * sizeof *A);
    if (lcp->problem->form == MO_FORM_GLOBAL) {
        add_bodies(lcp, sweep, A);
    } else {
        add_couplings(lcp, A);
    }
    add_compliance(lcp, n, A);
    add_ties(lcp, n, A);
}

void mo_lcp_vector(const mo_lcp *lcp, double *v, double *u, double *b)
{
    mo_problem_response_into(lcp->problem, lcp->offset, v, u);
    for (int k = 0; k < lcp->size; ++k) {
        const mo_lcp_unknown *row = lcp->unknown + k;
        b[k] = lcp->constant[k];
        for (int a = 0; a < row->rows; ++a) {
            const int at = row->row + a;
            const double soft = lcp->problem->compliance ? lcp->problem->compliance[at] : 0;
            b[k] += row->test[a] * (u[at] + soft * lcp->offset[at]);
        }
    }
}

/* ---- units ----------------------------------------------------------------------------------- */

double mo_lcp_scale_for(double x, int powers_of_two)
{
    int exponent;
    if (!(x > 0) || !isfinite(x)) {
        return 1;
    }
    if (!powers_of_two) {
        return 1 / sqrt(x);
    }
    frexp(x, &exponent);
    return ldexp(1, -exponent / 2);
}

void mo_lcp_scales(const mo_lcp *lcp, const double *A, int powers_of_two, double *scale)
{
    const size_t next = (size_t)lcp->size + 1; /* from one diagonal entry to the next */
    for (int k = 0; k < lcp->free_count; ++k) {
        scale[k] = mo_lcp_scale_for(A[(size_t)k * next], powers_of_two);
    }
    for (int i = 0; i < lcp->problem->constraint_count; ++i) {
        double sum = 0;
        int count = 0;
        for (int k = lcp->pair_start[i]; k < lcp->pair_start[i + 1]; ++k) {
            const double diagonal = A[(size_t)k * next];
            if (lcp->unknown[k].rows > 0 && diagonal > 0) {
                sum += diagonal;
                ++count;
            }
        }
        const double own = mo_lcp_scale_for(count ? sum / count : 0, powers_of_two);
        for (int k = lcp->pair_start[i]; k < lcp->pair_start[i + 1]; ++k) {
            scale[k] = lcp->unknown[k].rows > 0 ? own : 1 / own;
        }
    }
}

void mo_lcp_apply_scales(const mo_lcp *lcp, const double *scale, double *A, double *b)
{
    const int n = lcp->size;
    for (int i = 0; i < n; ++i) {
        double *line = A + (size_t)i * n;
        for (int j = 0; j < n; ++j) {
            line[j] *= scale[i] * scale[j];
        }
        b[i] *= scale[i];
    }
}

/* ---- M kept ---------------------------------------------------------------------------------- */

/* The Jacobian J of constraint i for one body puts T' J into the rows of z, and -J' R into those of
 * v. */
static void add_jacobian(const mo_lcp *lcp, int i, int body, const double *J, size_t stride,
                         double *A)
{
    const mo_problem *problem = lcp->problem;
    const int n = mo_body_dim(problem, body), first = problem->body_start[body];
    const span block = unknowns_of(lcp, i);
    double *rows_of_z = A + (size_t)problem->dof_count * stride;
    for (int s = 0; s < 2; ++s) {
        for (int k = block.begin[s]; k < block.end[s]; ++k) {
            const mo_lcp_unknown *unknown = lcp->unknown + k;
            for (int a = 0; a < unknown->rows; ++a) {
                const double *line = J + (size_t)(unknown->row - problem->row_start[i] + a) * n;
                mo_axpy(n, unknown->test[a], line, rows_of_z + (size_t)k * stride + first);
                for (int c = 0; c < n; ++c) {
                    A[(size_t)(first + c) * stride + (size_t)(problem->dof_count + k)] -=
                        line[c] * unknown->impulse[a];
                }
            }
        }
    }
}

static void add_masses(const mo_problem *problem, size_t stride, double *A)
{
    for (int body = 0; body < problem->body_count; ++body) {
        const int n = mo_body_dim(problem, body), first = problem->body_start[body];
        for (int row = 0; row < n; ++row) {
            memcpy(A + (size_t)(first + row) * stride + first,
                   problem->M + problem->mass_start[body] + (size_t)row * n, (size_t)n * sizeof *A);
        }
    }
}

/* -f - H r0, then T' (w + compliance r0) + c0. */
static void mass_vector(const mo_lcp *lcp, double *b)
{
    const mo_problem *problem = lcp->problem;
    const int dofs = problem->dof_count;
    for (int k = 0; k < dofs; ++k) {
        b[k] = -problem->f[k];
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *J = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int body = problem->block_index[k], n = mo_body_dim(problem, body);
            for (int row = problem->row_start[i]; row < problem->row_start[i + 1]; ++row, J += n) {
                mo_axpy(n, -lcp->offset[row], J, b + problem->body_start[body]);
            }
        }
    }
    for (int k = 0; k < lcp->size; ++k) {
        const mo_lcp_unknown *unknown = lcp->unknown + k;
        b[dofs + k] = lcp->constant[k];
        for (int a = 0; a < unknown->rows; ++a) {
            const int at = unknown->row + a;
            const double soft = problem->compliance ? problem->compliance[at] : 0;
            b[dofs + k] += unknown->test[a] * (problem->w[at] + soft * lcp->offset[at]);
        }
    }
}

void mo_lcp_with_mass(const mo_lcp *lcp, double *A, double *b)
{
    const mo_problem *problem = lcp->problem;
    const size_t dofs = (size_t)problem->dof_count, stride = dofs + (size_t)lcp->size;
    memset(A, 0, stride * stride * sizeof *A);
    add_masses(problem, stride, A);
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *J = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int body = problem->block_index[k];
            add_jacobian(lcp, i, body, J, stride, A);
            J += (size_t)mo_constraint_dim(problem, i) * (size_t)mo_body_dim(problem, body);
        }
    }
    double *corner = A + dofs * stride + dofs;
    add_compliance(lcp, stride, corner);
    add_ties(lcp, stride, corner);
    mass_vector(lcp, b);
}
