/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/dense_delassus.h"

#include <string.h>

#include "linalg/lanes4.h"

/* The constraints that touch one body. */
typedef struct body_rows {
    int n, m, count;                  /* velocities, rows, constraints */
    int row[MO_DENSE_BLOCKS];         /* first row of each constraint  */
    int dim[MO_DENSE_BLOCKS];         /* its rows */
    const double *J[MO_DENSE_BLOCKS]; /* its Jacobian, dim x n */
} body_rows;

size_t mo_dense_scratch(const mo_problem *problem)
{
    int most = 0;
    for (int b = 0; problem->form == MO_FORM_GLOBAL && b < problem->body_count; ++b) {
        most = mo_body_dim(problem, b) > most ? mo_body_dim(problem, b) : most;
    }
    return (size_t)problem->row_count * (size_t)(most + 1); /* X, and one line of X' X */
}

static void copy_blocks(const mo_problem *problem, int ld, double *W)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double *block = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int j = problem->block_index[k], n = mo_constraint_dim(problem, j);
            double *to = W + (size_t)row * (size_t)ld + problem->row_start[j];
            for (int a = 0; a < d; ++a, block += n, to += ld) {
                for (int b = 0; b < n; ++b) {
                    to[b] = block[b];
                }
            }
        }
    }
}

/* Collects the constraints that touch the body; false where one of them comes before `first`. */
static int collect(const mo_problem *problem, int body, int first, body_rows *rows)
{
    rows->n = mo_body_dim(problem, body);
    rows->m = rows->count = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int d = mo_constraint_dim(problem, i);
        const double *J = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int b = problem->block_index[k];
            if (b == body) {
                if (i < first) {
                    return 0;
                }
                rows->row[rows->count] = problem->row_start[i];
                rows->dim[rows->count] = d;
                rows->J[rows->count++] = J;
                rows->m += d;
            }
            J += (size_t)d * (size_t)mo_body_dim(problem, b);
        }
    }
    return 1;
}

static void transpose(const body_rows *rows, double *X)
{
    for (int c = 0, column = 0; c < rows->count; column += rows->dim[c], ++c) {
        const double *J = rows->J[c];
        for (int a = 0; a < rows->dim[c]; ++a, J += rows->n) {
            double *to = X + column + a;
            for (int k = 0; k < rows->n; ++k, to += rows->m) {
                *to = J[k];
            }
        }
    }
}

/* y += a x */
INLINE void add_line(int m, double a, const double *restrict x, double *restrict y)
{
    int k = 0;
    for (; k + LANES <= m; k += LANES) {
        *(lanes *)(y + k) += a * *(const lanes *)(x + k);
    }
    for (; k < m; ++k) {
        y[k] += a * x[k];
    }
}

static int is_zero(int m, const double *line)
{
    int k = 0;
    while (k < m && line[k] == 0) {
        ++k;
    }
    return k == m;
}

/*
 * X = L^-1 X; returns the first line of X that is not zero.  Jacobians and factors of large bodies
 * hold many zeros.
 */
INLINE int solve_lower(const body_rows *rows, const double *L, double *X)
{
    const int n = rows->n, m = rows->m;
    int first = 0;
    while (first < n && is_zero(m, X + (size_t)first * (size_t)m)) {
        ++first;
    }
    for (int i = first; i < n; ++i) {
        const double *factor = L + (size_t)i * (size_t)n, inverse = 1 / factor[i];
        double *line = X + (size_t)i * (size_t)m;
        for (int k = first; k < i; ++k) {
            if (factor[k] != 0) {
                add_line(m, -factor[k], X + (size_t)k * (size_t)m, line);
            }
        }
        for (int k = 0; k < m; ++k) {
            line[k] *= inverse;
        }
    }
    return first;
}

/* W += X' X, one line of the upper triangle after the other. */
INLINE void add_product(const body_rows *rows, int first, const double *X, double *line, int ld,
                        double *W)
{
    const int m = rows->m;
    for (int c = 0, column = 0; c < rows->count; ++c) {
        const int begin = column;
        for (int a = 0; a < rows->dim[c]; ++a, ++column) {
            const int row = rows->row[c] + a;
            memset(line, 0, (size_t)m * sizeof *line);
            for (int k = first; k < rows->n; ++k) {
                const double *from = X + (size_t)k * (size_t)m;
                if (from[column] != 0) {
                    add_line(m - begin, from[column], from + begin, line + begin);
                }
            }
            for (int e = c, from = begin; e < rows->count; from += rows->dim[e], ++e) {
                for (int b = 0; b < rows->dim[e]; ++b) {
                    const int other = rows->row[e] + b;
                    W[(size_t)row * (size_t)ld + other] += line[from + b];
                    if (e > c) {
                        W[(size_t)other * (size_t)ld + row] += line[from + b];
                    }
                }
            }
        }
    }
}

/* W += H' M^-1 H of one body. */
INLINE void add_body(const body_rows *rows, const double *L, int ld, double *W, double *line,
                     double *X)
{
    const int first = solve_lower(rows, L, X);
    add_product(rows, first, X, line, ld, W);
}

static void add_body_anywhere(const body_rows *rows, const double *L, int ld, double *W,
                              double *line, double *X)
{
    add_body(rows, L, ld, W, line, X);
}

MO_WIDE void add_body_wide(const body_rows *rows, const double *L, int ld, double *W, double *line,
                           double *X)
{
    add_body(rows, L, ld, W, line, X);
}

static void add_bodies(const mo_problem *problem, int ld, double *W, double *scratch)
{
    double *X = scratch + problem->row_count;
    body_rows rows;
    for (int i = 0; i < problem->constraint_count; ++i) {
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int body = problem->block_index[k];
            if (collect(problem, body, i, &rows)) {
                transpose(&rows, X);
                (mo_has_wide() ? add_body_wide : add_body_anywhere)(
                    &rows, mo_body_factor(problem, body), ld, W, scratch, X);
            }
        }
    }
}

void mo_dense_delassus(const mo_problem *problem, int ld, double *W, double *scratch)
{
    memset(W, 0, (size_t)problem->row_count * (size_t)ld * sizeof *W);
    if (problem->form == MO_FORM_GLOBAL) {
        add_bodies(problem, ld, W, scratch);
    } else {
        copy_blocks(problem, ld, W);
    }
    for (int k = 0; problem->compliance && k < problem->row_count; ++k) {
        W[(size_t)k * (size_t)ld + k] += problem->compliance[k];
    }
}
