/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/block_lu.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

enum { NONE = -1 };

/* ---- kernels ------------------------------------------------------------------------------- */

/* C -= A B, A d x e, B e x f; most blocks are 3 x 3. */
static inline void subtract_product(int d, int e, int f, const double *restrict A,
                                    const double *restrict B, double *restrict C)
{
    if (d == 3 && e == 3 && f == 3) {
        for (int i = 0; i < 3; ++i) {
            const double a = A[3 * i], b = A[3 * i + 1], c = A[3 * i + 2];
            for (int j = 0; j < 3; ++j) {
                C[3 * i + j] -= a * B[j] + b * B[3 + j] + c * B[6 + j];
            }
        }
        return;
    }
    for (int i = 0; i < d; ++i) {
        for (int k = 0; k < e; ++k) {
            mo_axpy(f, -A[i * e + k], B + k * f, C + i * f);
        }
    }
}

/* A <- A B, A d x e, B e x e. */
static void multiply_right(int d, int e, double *A, const double *B)
{
    double row[MO_SMALL];
    for (int i = 0; i < d; ++i) {
        memset(row, 0, (size_t)e * sizeof *row);
        for (int k = 0; k < e; ++k) {
            mo_axpy(e, A[i * e + k], B + k * e, row);
        }
        memcpy(A + i * e, row, (size_t)e * sizeof *row);
    }
}

/* ---- values -------------------------------------------------------------------------------- */

void mo_block_lu_clear(const mo_block_lu *lu)
{
    memset(lu->lower, 0, lu->plan->value_count * sizeof(double));
    memset(lu->upper, 0, lu->plan->value_count * sizeof(double));
}

double *mo_block_lu_place(const mo_block_lu *lu, int i, int j)
{
    bool transposed;
    const size_t at = mo_block_find(lu->plan, i, j, &transposed);
    return transposed ? lu->upper + at : lu->lower + at;
}

static inline bool is_active(const mo_block_lu *lu, int position)
{
    return !lu->active || lu->active[lu->plan->order[position]];
}

/* ---- factor -------------------------------------------------------------------------------- */

typedef struct factoring {
    const mo_block_lu *lu;
    int *head, *next; /* columns that wait for a row, by row              */
    int *cursor;      /* the entry of each column that is at that row     */
    int *where;       /* the entry of the present column that holds a row */
} factoring;

/* Column k waits for its next active row. */
static void wait_for_row(factoring *f, int k)
{
    const mo_block_plan *plan = f->lu->plan;
    while (f->cursor[k] < plan->start[k + 1] && !is_active(f->lu, plan->row[f->cursor[k]])) {
        ++f->cursor[k];
    }
    if (f->cursor[k] < plan->start[k + 1]) {
        const int row = plan->row[f->cursor[k]];
        f->next[k] = f->head[row];
        f->head[row] = k;
    }
}

/* Column and row j lose what k contributes: A_ij -= L_ik U_kj for i >= j, A_ji -= L_jk U_ki for i > j. */
static void update(factoring *f, int j, int k)
{
    const mo_block_plan *plan = f->lu->plan;
    const int m = plan->dim[k], n = plan->dim[j], first = f->cursor[k];
    const double *L_jk = f->lu->lower + plan->value[first], *U_kj = f->lu->upper + plan->value[first];
    for (int e = first; e < plan->start[k + 1]; ++e) {
        const int i = plan->row[e], d = plan->dim[i];
        if (!is_active(f->lu, i)) {
            continue;
        }
        const size_t from = plan->value[e], to = plan->value[f->where[i]];
        subtract_product(d, m, n, f->lu->lower + from, U_kj, f->lu->lower + to);
        if (i > j) {
            subtract_product(n, m, d, L_jk, f->lu->upper + from, f->lu->upper + to);
        }
    }
}

/* The diagonal block becomes its inverse, L_ij = A_ij D_j^-1. */
static bool finish(factoring *f, int j)
{
    const mo_block_plan *plan = f->lu->plan;
    const int n = plan->dim[j];
    double *diagonal = f->lu->lower + plan->value[plan->start[j]];
    if (!mo_invert_small(n, diagonal)) {
        return false;
    }
    for (int e = plan->start[j] + 1; e < plan->start[j + 1]; ++e) {
        if (is_active(f->lu, plan->row[e])) {
            multiply_right(plan->dim[plan->row[e]], n, f->lu->lower + plan->value[e], diagonal);
        }
    }
    return true;
}

bool mo_block_lu_factor(const mo_block_lu *lu)
{
    const mo_block_plan *plan = lu->plan;
    const int count = plan->count;
    factoring f = {lu, lu->ints, lu->ints + count, lu->ints + 2 * count, lu->ints + 3 * count};
    for (int k = 0; k < count; ++k) {
        f.head[k] = NONE;
    }
    for (int j = 0; j < count; ++j) {
        if (!is_active(lu, j)) {
            continue;
        }
        for (int e = plan->start[j]; e < plan->start[j + 1]; ++e) {
            f.where[plan->row[e]] = e;
        }
        for (int k = f.head[j], after; k != NONE; k = after) {
            after = f.next[k];
            update(&f, j, k);
            ++f.cursor[k];
            wait_for_row(&f, k);
        }
        if (!finish(&f, j)) {
            return false;
        }
        f.cursor[j] = plan->start[j] + 1;
        wait_for_row(&f, j);
    }
    return true;
}

/* ---- solve --------------------------------------------------------------------------------- */

static void solve_forward(const mo_block_lu *lu, double *x)
{
    const mo_block_plan *plan = lu->plan;
    for (int k = 0; k < plan->count; ++k) {
        const int n = plan->dim[k];
        for (int e = plan->start[k] + 1; is_active(lu, k) && e < plan->start[k + 1]; ++e) {
            const int i = plan->row[e];
            const double *L_ik = lu->lower + plan->value[e];
            for (int row = 0; is_active(lu, i) && row < plan->dim[i]; ++row) {
                x[plan->offset[i] + row] -= mo_dot(n, L_ik + (size_t)row * n, x + plan->offset[k]);
            }
        }
    }
}

static void solve_backward(const mo_block_lu *lu, double *x)
{
    const mo_block_plan *plan = lu->plan;
    for (int k = plan->count - 1; k >= 0; --k) {
        const int n = plan->dim[k];
        double *own = x + plan->offset[k], rhs[MO_SMALL];
        if (!is_active(lu, k)) {
            continue;
        }
        for (int e = plan->start[k] + 1; e < plan->start[k + 1]; ++e) {
            const int j = plan->row[e], m = plan->dim[j];
            const double *U_kj = lu->upper + plan->value[e];
            for (int row = 0; is_active(lu, j) && row < n; ++row) {
                own[row] -= mo_dot(m, U_kj + (size_t)row * m, x + plan->offset[j]);
            }
        }
        memcpy(rhs, own, (size_t)n * sizeof *rhs);
        for (int row = 0; row < n; ++row) {
            own[row] = mo_dot(n, lu->lower + plan->value[plan->start[k]] + (size_t)row * n, rhs);
        }
    }
}

void mo_block_lu_solve(const mo_block_lu *lu, double *x)
{
    solve_forward(lu, x);
    solve_backward(lu, x);
}
