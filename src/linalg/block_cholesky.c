/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Left-looking: column j gathers the updates of all columns k < j whose pattern holds row j,
 *
 *   A_ij -= L_ik L_jk',  i in the pattern of k, i >= j,
 *
 * then its diagonal block is factored and the blocks below are divided by it.  Each column k waits in a list of
 * the column whose row comes next in its pattern, so that every update is found without a search.
 */
#include "linalg/block_cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

enum { NONE = -1 };

/* ---- the plan -------------------------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The rows of every column, in places of the elimination, the diagonal first. */
static void copy_columns(mo_block_plan *plan, const mo_elimination *elimination)
{
    int next = 0;
    for (int k = 0; k < plan->count; ++k) {
        plan->start[k] = next;
        plan->row[next++] = k;
        for (int j = elimination->start[k]; j < elimination->start[k + 1]; ++j) {
            plan->row[next++] = plan->place[elimination->filled[j]];
        }
        qsort(plan->row + plan->start[k], (size_t)(next - plan->start[k]), sizeof(int), rising);
    }
    plan->start[plan->count] = next;
}

static void place_values(mo_block_plan *plan)
{
    size_t next = 0;
    for (int k = 0; k < plan->count; ++k) {
        double rows = 0;
        for (int e = plan->start[k]; e < plan->start[k + 1]; ++e) {
            plan->value[e] = next;
            next += (size_t)plan->dim[plan->row[e]] * (size_t)plan->dim[k];
            rows += plan->dim[plan->row[e]];
        }
        plan->flops += rows * rows * plan->dim[k];
    }
    plan->value_count = next;
}

static void number_blocks(mo_block_plan *plan, const mo_graph *graph, const mo_elimination *elimination)
{
    memcpy(plan->order, elimination->order, (size_t)graph->count * sizeof(int));
    for (int k = 0; k < graph->count; ++k) {
        plan->place[plan->order[k]] = k;
        plan->dim[k] = graph->weight[plan->order[k]];
    }
    plan->size = 0;
    for (int i = 0; i < graph->count; ++i) {
        plan->offset[plan->place[i]] = plan->size;
        plan->size += graph->weight[i];
    }
}

static bool make_room(const mo_allocator *own, mo_block_plan *plan, size_t count, size_t entries)
{
    int **const arrays[] = {&plan->order, &plan->place, &plan->dim, &plan->offset};
    bool made = true;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        *arrays[k] = mo_memory_array(own, count, sizeof(int));
        made = made && *arrays[k];
    }
    plan->start = mo_memory_array(own, count + 1, sizeof(int));
    plan->row = mo_memory_array(own, entries, sizeof(int));
    plan->value = mo_memory_array(own, entries, sizeof(size_t));
    plan->bytes = sizeof *plan + 5 * count * sizeof(int) + entries * (sizeof(int) + sizeof(size_t));
    return made && plan->start && plan->row && plan->value;
}

mo_error mo_block_plan_create(const mo_allocator *allocator, const mo_graph *graph, mo_block_plan **out)
{
    mo_elimination elimination;
    *out = NULL;
    const mo_error error = mo_min_degree(allocator, graph, &elimination);
    if (error) {
        return error;
    }
    const size_t count = (size_t)graph->count, entries = count + (size_t)elimination.start[graph->count];
    mo_block_plan *plan = mo_memory_array(allocator, 1, sizeof *plan);
    if (plan) {
        *plan = (mo_block_plan){.count = graph->count};
    }
    if (!plan || !make_room(allocator, plan, count, entries)) {
        mo_block_plan_destroy(allocator, plan);
        mo_elimination_clear(allocator, &elimination);
        return MO_ERR_MEMORY;
    }
    number_blocks(plan, graph, &elimination);
    copy_columns(plan, &elimination);
    place_values(plan);
    mo_elimination_clear(allocator, &elimination);
    *out = plan;
    return MO_OK;
}

void mo_block_plan_destroy(const mo_allocator *allocator, mo_block_plan *plan)
{
    if (!plan) {
        return;
    }
    void *const arrays[] = {plan->order, plan->place, plan->dim,  plan->offset,
                            plan->start, plan->row,   plan->value, plan};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        mo_memory_free(allocator, arrays[k]);
    }
}

/* ---- the matrix ------------------------------------------------------------------------------ */

void mo_block_clear(const mo_block_plan *plan, double *values)
{
    memset(values, 0, plan->value_count * sizeof *values);
}

size_t mo_block_find(const mo_block_plan *plan, int i, int j, bool *transposed)
{
    const int a = plan->place[i], b = plan->place[j];
    const int column = a < b ? a : b, wanted = a < b ? b : a;
    int low = plan->start[column], high = plan->start[column + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (plan->row[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *transposed = a < b; /* kept is (wanted, column) = (j, i) */
    return plan->value[low];
}

/* ---- factorisation --------------------------------------------------------------------------- */

size_t mo_block_ints(const mo_block_plan *plan)
{
    return 4 * (size_t)plan->count;
}

/* C (m x n) -= A (m x k) B' (B is n x k). */
static inline void subtract_product(int m, int n, int k, const double *A, const double *B, double *C)
{
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            C[i * n + j] -= mo_dot(k, A + (size_t)i * k, B + (size_t)j * k);
        }
    }
}

/* The same with sizes that the compiler knows: bodies in the plane and in space. */
static void update_block(int m, int n, int k, const double *A, const double *B, double *C)
{
    if (m == 3 && n == 3 && k == 3) {
        subtract_product(3, 3, 3, A, B, C);
    } else if (m == 6 && n == 6 && k == 6) {
        subtract_product(6, 6, 6, A, B, C);
    } else {
        subtract_product(m, n, k, A, B, C);
    }
}

typedef struct factoring {
    const mo_block_plan *plan;
    double *values;
    int *head, *next; /* columns that wait for a row, by row                    */
    int *cursor;      /* the entry of each column that is at that row           */
    int *where;       /* the entry of the present column that holds a row       */
} factoring;

/* Column k waits for the row at its cursor. */
static void wait_for_row(factoring *f, int k)
{
    if (f->cursor[k] < f->plan->start[k + 1]) {
        const int row = f->plan->row[f->cursor[k]];
        f->next[k] = f->head[row];
        f->head[row] = k;
    }
}

/* A_ij -= L_ik L_jk' for all i >= j in the pattern of k. */
static void update_column(factoring *f, int j, int k)
{
    const mo_block_plan *plan = f->plan;
    const double *L_jk = f->values + plan->value[f->cursor[k]];
    for (int e = f->cursor[k]; e < plan->start[k + 1]; ++e) {
        const int i = plan->row[e];
        update_block(plan->dim[i], plan->dim[j], plan->dim[k], f->values + plan->value[e], L_jk,
                     f->values + plan->value[f->where[i]]);
    }
}

/* L_jj by Cholesky, then L_ij = A_ij L_jj^-T: each row x of A_ij becomes L_jj^-1 x. */
static bool finish_column(factoring *f, int j)
{
    const mo_block_plan *plan = f->plan;
    const int n = plan->dim[j];
    double *diagonal = f->values + plan->value[plan->start[j]];
    if (!mo_factor_symmetric(n, diagonal)) {
        return false;
    }
    for (int e = plan->start[j] + 1; e < plan->start[j + 1]; ++e) {
        double *block = f->values + plan->value[e];
        for (int row = 0; row < plan->dim[plan->row[e]]; ++row) {
            mo_solve_lower(n, diagonal, block + (size_t)row * n);
        }
    }
    return true;
}

bool mo_block_factor(const mo_block_plan *plan, double *values, int *ints)
{
    const int count = plan->count;
    factoring f = {plan, values, ints, ints + count, ints + 2 * count, ints + 3 * count};
    for (int k = 0; k < count; ++k) {
        f.head[k] = NONE;
    }
    for (int j = 0; j < count; ++j) {
        for (int e = plan->start[j]; e < plan->start[j + 1]; ++e) {
            f.where[plan->row[e]] = e;
        }
        for (int k = f.head[j], after; k != NONE; k = after) {
            after = f.next[k];
            update_column(&f, j, k);
            ++f.cursor[k];
            wait_for_row(&f, k);
        }
        if (!finish_column(&f, j)) {
            return false;
        }
        f.cursor[j] = plan->start[j] + 1;
        wait_for_row(&f, j);
    }
    return true;
}

/* ---- solution -------------------------------------------------------------------------------- */

void mo_block_solve(const mo_block_plan *plan, const double *values, double *x)
{
    for (int k = 0; k < plan->count; ++k) { /* x = L^-1 x */
        const int n = plan->dim[k];
        double *own = x + plan->offset[k];
        mo_solve_lower(n, values + plan->value[plan->start[k]], own);
        for (int e = plan->start[k] + 1; e < plan->start[k + 1]; ++e) {
            const double *block = values + plan->value[e];
            double *other = x + plan->offset[plan->row[e]];
            for (int row = 0; row < plan->dim[plan->row[e]]; ++row) {
                other[row] -= mo_dot(n, block + (size_t)row * n, own);
            }
        }
    }
    for (int k = plan->count - 1; k >= 0; --k) { /* x = L^-T x */
        const int n = plan->dim[k];
        double *own = x + plan->offset[k];
        for (int e = plan->start[k] + 1; e < plan->start[k + 1]; ++e) {
            const double *block = values + plan->value[e], *other = x + plan->offset[plan->row[e]];
            for (int row = 0; row < plan->dim[plan->row[e]]; ++row) {
                mo_axpy(n, -other[row], block + (size_t)row * n, own);
            }
        }
        mo_solve_upper(n, values + plan->value[plan->start[k]], own);
    }
}
