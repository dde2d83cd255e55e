/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/dense_delassus.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/lanes4.h"

enum { TILE_ROWS = 4, TILE = 2 * LANES };

/* The constraints that touch one body. */
typedef struct body_rows {
    int n, m, count;                  /* velocities, rows, constraints */
    int wide;                         /* numbers of a line of X */
    int row[MO_DENSE_BLOCKS];         /* first row of each constraint  */
    int dim[MO_DENSE_BLOCKS];         /* its rows */
    const double *J[MO_DENSE_BLOCKS]; /* its Jacobian, dim x n */
} body_rows;

/* Numbers of a line of X: one vector, or whole tiles. */
static int padded(int m)
{
    return m <= LANES ? LANES : (m + TILE - 1) / TILE * TILE;
}

size_t mo_dense_scratch(const mo_problem *problem)
{
    int most = 0;
    for (int b = 0; problem->form == MO_FORM_GLOBAL && b < problem->body_count; ++b)
        most = mo_body_dim(problem, b) > most ? mo_body_dim(problem, b) : most;
    return (size_t)padded(problem->row_count) * (size_t)most; /* X */
}

static void copy_blocks(const mo_problem *problem, int ld, double *W)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double *block = problem->values + problem->value_start[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int j = problem->block_index[k], n = mo_constraint_dim(problem, j);
            double *to = W + (size_t)row * (size_t)ld + problem->row_start[j];
            for (int a = 0; a < d; ++a, block += n, to += ld)
                for (int b = 0; b < n; ++b)
                    to[b] = block[b];
        }
    }
}

/* Collects the constraints that touch the body; false if one of them comes before `first`. */
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
                if (i < first) return 0;
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

/* X = J', padded with zeros. */
static void transpose(body_rows *rows, double *X)
{
    rows->wide = padded(rows->m);
    memset(X, 0, (size_t)rows->n * (size_t)rows->wide * sizeof *X);
    for (int c = 0, column = 0; c < rows->count; column += rows->dim[c], ++c) {
        const double *J = rows->J[c];
        for (int a = 0; a < rows->dim[c]; ++a, J += rows->n) {
            double *to = X + column + a;
            for (int k = 0; k < rows->n; ++k, to += rows->wide)
                *to = J[k];
        }
    }
}

/*
 * y = (y - sum of factor[k] times line k of x) / pivot, for `strip` vectors, a constant.  Four sums
 * are independent.  Factors of large bodies contain many zeros.
 */
INLINE void eliminate_strip(const int strip, int count, int wide, const double *factor,
                            double pivot, const double *x, double *y)
{
    const int chains = 4 / strip;
    lanes sum[4] = {{0}};
    int k = 0;
    for (; k + chains <= count; k += chains, x += chains * wide) {
        int is_zero = 1;
        for (int c = 0; c < chains; ++c)
            is_zero &= factor[k + c] == 0;
        for (int c = 0; c < chains * strip && !is_zero; ++c) {
            sum[c] +=
                factor[k + c / strip] * *(const lanes *)(x + c / strip * wide + c % strip * LANES);
        }
    }
    for (; k < count; ++k, x += wide)
        for (int j = 0; j < strip; ++j)
            sum[j] += factor[k] * *(const lanes *)(x + j * LANES);
    for (int j = 0; j < strip; ++j) {
        const lanes all = strip == 1 ? (sum[0] + sum[1]) + (sum[2] + sum[3]) : sum[j] + sum[j + 2];
        *(lanes *)(y + j * LANES) = (*(lanes *)(y + j * LANES) - all) * (1 / pivot);
    }
}

/* X = P^-1 X (dense.h). */
INLINE void solve_first(const body_rows *rows, const double *F, double *X)
{
    const int n = rows->n, wide = rows->wide, is_tree = n >= MO_TREE_FROM;
    for (int step = 0; step < n; ++step) {
        const int i = is_tree ? n - 1 - step : step, from = is_tree ? i + 1 : 0;
        const double *factor = F + (size_t)i * (size_t)n;
        const double *done = X + (size_t)from * (size_t)wide;
        double *line = X + (size_t)i * (size_t)wide;
        if (wide == LANES) eliminate_strip(1, step, wide, factor + from, factor[i], done, line);
        for (int k = 0; wide > LANES && k < wide; k += TILE)
            eliminate_strip(2, step, wide, factor + from, factor[i], done + k, line + k);
    }
}

/* T = X' X for four columns from `row` on and `strip` vectors of them from `column` on. */
INLINE void multiply_tile(const int strip, const body_rows *rows, int row, int column,
                          const double *X, double T[TILE_ROWS][TILE])
{
    lanes sum[TILE_ROWS][2] = {{{0}}};
    for (int k = 0; k < rows->n; ++k, X += rows->wide) {
        const double *a = X + row, *b = X + column;
        if (a[0] == 0 && a[1] == 0 && a[2] == 0 && a[3] == 0) continue;
        for (int i = 0; i < TILE_ROWS; ++i)
            for (int j = 0; j < strip; ++j)
                sum[i][j] += a[i] * *(const lanes *)(b + j * LANES);
    }
    for (int i = 0; i < TILE_ROWS; ++i)
        for (int j = 0; j < strip; ++j)
            *(lanes *)(T[i] + j * LANES) = sum[i][j];
}

/* W += T, above the diagonal and below. */
INLINE void add_tile(const body_rows *rows, int row, int column, double T[TILE_ROWS][TILE],
                     const int *place, int ld, double *W)
{
    for (int i = 0; i < TILE_ROWS && row + i < rows->m; ++i) {
        const size_t own = (size_t)place[row + i];
        const int from = row + i > column ? row + i - column : 0;
        for (int j = from; j < TILE && column + j < rows->m; ++j) {
            const size_t other = (size_t)place[column + j];
            W[own * (size_t)ld + other] += T[i][j];
            if (column + j > row + i) W[other * (size_t)ld + own] += T[i][j];
        }
    }
}

/* W += H' M^-1 H of one body. */
INLINE void add_body(const body_rows *rows, const double *F, int ld, double *W, double *X)
{
    int place[MO_DENSE_ROWS]; /* the row of W of each column of X */
    for (int c = 0, column = 0; c < rows->count; ++c)
        for (int a = 0; a < rows->dim[c]; ++a)
            place[column++] = rows->row[c] + a;
    solve_first(rows, F, X);
    for (int row = 0; row < rows->m; row += TILE_ROWS) {
        for (int column = row / TILE * TILE; column < rows->m; column += TILE) {
            double T[TILE_ROWS][TILE];
            if (rows->wide == LANES)
                multiply_tile(1, rows, row, column, X, T);
            else
                multiply_tile(2, rows, row, column, X, T);
            add_tile(rows, row, column, T, place, ld, W);
        }
    }
}

MO_WIDTHS(void, add_body, (const body_rows *rows, const double *F, int ld, double *W, double *X),
          add_body(rows, F, ld, W, X))

static void add_bodies(const mo_problem *problem, int ld, double *W, double *X)
{
    body_rows rows;
    for (int i = 0; i < problem->constraint_count; ++i) {
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int body = problem->block_index[k];
            if (collect(problem, body, i, &rows)) {
                transpose(&rows, X);
                (mo_has_wide() ? add_body_wide
                               : add_body_plain)(&rows, mo_body_factor(problem, body), ld, W, X);
            }
        }
    }
}

void mo_dense_delassus(const mo_problem *problem, int ld, double *W, double *scratch)
{
    memset(W, 0, (size_t)problem->row_count * (size_t)ld * sizeof *W);
    if (problem->form == MO_FORM_GLOBAL)
        add_bodies(problem, ld, W, scratch);
    else
        copy_blocks(problem, ld, W);
    for (int k = 0; problem->compliance && k < problem->row_count; ++k)
        W[(size_t)k * (size_t)ld + k] += problem->compliance[k];
}
