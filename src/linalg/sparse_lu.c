/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/sparse_lu.h"

#include <math.h>

enum { NONE = -1 };

static const double PREFERENCE = 0.1; /* least preferred pivot over the largest entry */
/* The least pivot over the largest one, in a matrix without inverse. */
static const double SINGULAR = 1e-15;

void mo_sparse_lu_layout(int room, size_t fill, mo_arena *arena, mo_sparse_lu *lu)
{
    const size_t n = (size_t)room;
    *lu = (mo_sparse_lu){.room = room};
    MO_TAKE_EACH(arena, n + 1, size_t, &lu->start, &lu->lower, &lu->upper);
    lu->row = MO_TAKE(arena, fill, int);
    lu->value = MO_TAKE(arena, fill, double);
    lu->number = MO_TAKE(arena, n * n, double);
    lu->index = MO_TAKE(arena, n * n, int);
    MO_TAKE_EACH(arena, n, double, &lu->diagonal, &lu->x);
    MO_TAKE_EACH(arena, n, int, &lu->preferred, &lu->pivot_of, &lu->mark);
    lu->stack = MO_TAKE(arena, 2 * n, int);
    lu->cursor = MO_TAKE(arena, n, size_t);
}

void mo_sparse_lu_begin(mo_sparse_lu *lu, int size)
{
    lu->size = size;
    lu->filling = 0;
    lu->entries = 0;
    lu->start[0] = 0;
}

void mo_sparse_lu_column(mo_sparse_lu *lu, int preferred)
{
    lu->preferred[lu->filling++] = preferred;
    lu->start[lu->filling] = lu->entries;
}

void mo_sparse_lu_put(mo_sparse_lu *lu, int row, double value)
{
    lu->row[lu->entries] = row;
    lu->value[lu->entries++] = value;
    lu->start[lu->filling] = lu->entries;
}

/* ---- factor ---------------------------------------------------------------------------------- */

/* Depth-first search from a row through the columns of L whose pivots are known.  Rows are stacked
 * from `top` down in topological order; returns the new top. */
static int search(mo_sparse_lu *lu, int from, int k, int top)
{
    int *open = lu->stack, depth = 0;
    open[0] = from;
    while (depth >= 0) {
        const int row = open[depth], column = lu->pivot_of[row];
        if (lu->mark[row] != k) {
            lu->mark[row] = k;
            lu->cursor[row] = column == NONE ? 0 : lu->lower[column];
        }
        int deeper = 0;
        while (column != NONE && !deeper && lu->cursor[row] < lu->lower[column + 1]) {
            const int next = lu->index[lu->cursor[row]++];
            if (lu->mark[next] != k) {
                open[++depth] = next;
                deeper = 1;
            }
        }
        if (!deeper) {
            --depth;
            lu->stack[--top] = row;
        }
    }
    return top;
}

/* x = L^-1 K_k on the rows that it touches, which are stack[top] .. stack[2 size - 1]. */
static int solve_column(mo_sparse_lu *lu, int k)
{
    int top = 2 * lu->size;
    for (size_t e = lu->start[k]; e < lu->start[k + 1]; ++e)
        if (lu->mark[lu->row[e]] != k) top = search(lu, lu->row[e], k, top);
    for (int t = top; t < 2 * lu->size; ++t)
        lu->x[lu->stack[t]] = 0;
    for (size_t e = lu->start[k]; e < lu->start[k + 1]; ++e)
        lu->x[lu->row[e]] = lu->value[e];
    for (int t = top; t < 2 * lu->size; ++t) {
        const int column = lu->pivot_of[lu->stack[t]];
        const double x = lu->x[lu->stack[t]];
        for (size_t e = lu->lower[column == NONE ? 0 : column];
             column != NONE && e < lu->lower[column + 1]; ++e)
            lu->x[lu->index[e]] -= lu->number[e] * x;
    }
    return top;
}

/* The pivot row of the column in x; NONE if its remaining entries are zero. */
static int choose_pivot(const mo_sparse_lu *lu, int k, int top)
{
    const int preferred = lu->preferred[k];
    int best = NONE;
    double most = 0;
    for (int t = top; t < 2 * lu->size; ++t) {
        const int row = lu->stack[t];
        if (lu->pivot_of[row] == NONE && fabs(lu->x[row]) > most) {
            best = row;
            most = fabs(lu->x[row]);
        }
    }
    const int can_have = best != NONE && preferred != NONE && lu->mark[preferred] == k &&
                         lu->pivot_of[preferred] == NONE;
    return can_have && fabs(lu->x[preferred]) >= PREFERENCE * most ? preferred : best;
}

/* Column k of U and of L, from x. */
static void store_column(mo_sparse_lu *lu, int k, int top, int pivot)
{
    size_t front = lu->lower[k], back = lu->upper[k];
    for (int t = top; t < 2 * lu->size; ++t) {
        const int row = lu->stack[t];
        if (lu->pivot_of[row] != NONE) {
            lu->index[--back] = lu->pivot_of[row];
            lu->number[back] = lu->x[row];
        } else if (row != pivot) {
            lu->index[front] = row;
            lu->number[front++] = lu->x[row] / lu->x[pivot];
        }
    }
    lu->diagonal[k] = lu->x[pivot];
    lu->pivot_of[pivot] = k;
    lu->lower[k + 1] = front;
    lu->upper[k + 1] = back;
}

int mo_sparse_lu_factor(mo_sparse_lu *lu)
{
    double least = INFINITY, most = 0;
    lu->lower[0] = 0;
    lu->upper[0] = (size_t)lu->room * (size_t)lu->room;
    for (int k = 0; k < lu->size; ++k)
        lu->pivot_of[k] = lu->mark[k] = NONE;
    for (int k = 0; k < lu->size; ++k) {
        const int top = solve_column(lu, k), pivot = choose_pivot(lu, k, top);
        if (pivot == NONE || !isfinite(lu->x[pivot])) return 0;
        store_column(lu, k, top, pivot);
        least = fmin(least, fabs(lu->diagonal[k]));
        most = fmax(most, fabs(lu->diagonal[k]));
    }
    for (size_t e = 0; e < lu->lower[lu->size]; ++e) /* all pivots are known now */
        lu->index[e] = lu->pivot_of[lu->index[e]];
    return lu->size == 0 || least > SINGULAR * most;
}

/* ---- solve ----------------------------------------------------------------------------------- */

void mo_sparse_lu_solve(const mo_sparse_lu *lu, double *x)
{
    double *y = lu->x;
    for (int row = 0; row < lu->size; ++row)
        y[lu->pivot_of[row]] = x[row];
    for (int k = 0; k < lu->size; ++k)
        for (size_t e = lu->lower[k]; y[k] != 0 && e < lu->lower[k + 1]; ++e)
            y[lu->index[e]] -= lu->number[e] * y[k];
    for (int k = lu->size - 1; k >= 0; --k) {
        x[k] = y[k] == 0 ? 0 : y[k] / lu->diagonal[k];
        for (size_t e = lu->upper[k + 1]; x[k] != 0 && e < lu->upper[k]; ++e)
            y[lu->index[e]] -= lu->number[e] * x[k];
    }
}

void mo_sparse_lu_solve_transposed(const mo_sparse_lu *lu, double *x)
{
    double *y = lu->x;
    for (int k = 0; k < lu->size; ++k) {
        double sum = x[k];
        for (size_t e = lu->upper[k + 1]; e < lu->upper[k]; ++e)
            sum -= lu->number[e] * y[lu->index[e]];
        y[k] = sum / lu->diagonal[k];
    }
    for (int k = lu->size - 1; k >= 0; --k)
        for (size_t e = lu->lower[k]; e < lu->lower[k + 1]; ++e)
            y[k] -= lu->number[e] * y[lu->index[e]];
    for (int row = 0; row < lu->size; ++row)
        x[row] = y[lu->pivot_of[row]];
}
