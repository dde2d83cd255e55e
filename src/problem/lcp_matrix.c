/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The dense matrix of the LCP view (lcp.h), block by block: W_ij adds T_i' W_ij R_j.  A body with
 * many contacts (a moving floor) makes A dense; in a pile A is sparse.
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
            for (int a = 0; a < row->rows; ++a)
                mo_axpy(dj, row->test[a], B + (row->row - row_i + a) * dj, tested);
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

/* T' diag(compliance) R */
static void add_compliance(const mo_lcp *lcp, double *A)
{
    const size_t n = (size_t)lcp->size;
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
                        A[(size_t)k * n + (size_t)l] +=
                            row->test[a] * soft[row->row + a] * column->impulse[at];
                    }
                }
            }
        }
    }
}

void mo_lcp_matrix(const mo_lcp *lcp, const mo_problem *W, double *A)
{
    const size_t n = (size_t)lcp->size;
    memset(A, 0, n * n * sizeof *A);
    for (int i = 0; i < W->constraint_count; ++i) {
        const double *block = W->values + W->value_start[i];
        for (int k = W->block_start[i]; k < W->block_start[i + 1]; ++k) {
            const int j = W->block_index[k];
            add_block(lcp, i, j, block, A);
            block += mo_constraint_dim(W, i) * mo_constraint_dim(W, j);
        }
    }
    add_compliance(lcp, A);
    for (int t = 0; t < lcp->tie_count; ++t)
        A[(size_t)lcp->tie[t].row * n + (size_t)lcp->tie[t].column] += lcp->tie[t].value;
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
    if (!(x > 0) || !isfinite(x)) return 1;
    if (!powers_of_two) return 1 / sqrt(x);
    frexp(x, &exponent);
    return ldexp(1, -exponent / 2);
}

void mo_lcp_scales(const mo_lcp *lcp, const double *A, int powers_of_two, double *scale)
{
    const size_t next = (size_t)lcp->size + 1; /* from one diagonal entry to the next */
    for (int k = 0; k < lcp->free_count; ++k)
        scale[k] = mo_lcp_scale_for(A[(size_t)k * next], powers_of_two);
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
        for (int k = lcp->pair_start[i]; k < lcp->pair_start[i + 1]; ++k)
            scale[k] = lcp->unknown[k].rows > 0 ? own : 1 / own;
    }
}

void mo_lcp_apply_scales(const mo_lcp *lcp, const double *scale, double *A, double *b)
{
    const int n = lcp->size;
    for (int i = 0; i < n; ++i) {
        double *line = A + (size_t)i * n;
        for (int j = 0; j < n; ++j)
            line[j] *= scale[i] * scale[j];
        b[i] *= scale[i];
    }
}
