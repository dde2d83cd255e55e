/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/front.h"

#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/dense.h"
#include "linalg/front_kernel.h"

enum { LEFT_OUT = -1 };

static int row_length(int n)
{
    return (n + 2 * MO_FRONT_PAD - 1) / MO_FRONT_PAD * MO_FRONT_PAD;
}

void mo_front_lu_layout(const mo_front_plan *plan, mo_arena *arena, mo_front_lu *lu)
{
    const size_t nodes = (size_t)plan->node_count, fronts = (size_t)plan->front_count;
    const size_t largest = (size_t)plan->largest;
    *lu = (mo_front_lu){.plan = plan};
    lu->factors = MO_TAKE(arena, plan->factor_size, double);
    lu->stack = MO_TAKE(arena, plan->stack_size, double);
    lu->front = MO_TAKE(arena, largest * (size_t)row_length(plan->largest), double);
    lu->work = MO_TAKE(arena, largest, double);
    lu->x = MO_TAKE(arena, plan->rows, double);
    lu->local = MO_TAKE(arena, plan->block_count, int);
    MO_TAKE_EACH(arena, nodes, int, &lu->node_rows, &lu->node_offset, &lu->where);
    lu->run = MO_TAKE(arena, 3 * nodes, int);
    MO_TAKE_EACH(arena, fronts, int, &lu->pivots, &lu->below, &lu->waiting);
    lu->swap = MO_TAKE(arena, plan->rows, int);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Offsets of blocks in their nodes, and of nodes in x, without blocks that are left out. */
static void count_rows(mo_front_lu *lu, const uint8_t *active)
{
    const mo_front_plan *plan = lu->plan;
    int offset = 0;
    for (int k = 0; k < plan->node_count; ++k) {
        int rows = 0;
        for (int e = plan->node_start[k]; e < plan->node_start[k + 1]; ++e) {
            const int i = plan->node_block[e], is_here = !active || active[i];
            lu->local[i] = is_here ? rows : LEFT_OUT;
            rows += is_here ? plan->dim[i] : 0;
        }
        lu->node_rows[k] = rows;
        lu->node_offset[k] = offset;
        offset += rows;
    }
}

/* The nodes of front s get their rows; returns their number. */
static int open_front(mo_front_lu *lu, int s)
{
    const mo_front_plan *plan = lu->plan;
    int rows = 0;
    for (int k = plan->pivot_start[s]; k < plan->pivot_start[s + 1]; ++k) {
        lu->where[k] = rows;
        rows += lu->node_rows[k];
    }
    lu->pivots[s] = rows;
    for (int e = plan->row_start[s]; e < plan->row_start[s + 1]; ++e) {
        lu->where[plan->row_node[e]] = rows;
        rows += lu->node_rows[plan->row_node[e]];
    }
    lu->below[s] = rows - lu->pivots[s];
    return rows;
}

/* ---- gathering ------------------------------------------------------------------------------- */

static inline void add_block(int d, int n, const double *from, double *to, int ld)
{
    for (int a = 0; a < d; ++a)
        for (int b = 0; b < n; ++b)
            to[(size_t)a * (size_t)ld + (size_t)b] += from[a * n + b];
}

/* The place of block (i, j) in the present front; NULL if one of them is left out. */
static inline double *place(const mo_front_lu *lu, int i, int j, int ld)
{
    if (lu->local[i] == LEFT_OUT || lu->local[j] == LEFT_OUT) return NULL;
    const int row = lu->where[lu->plan->node[i]] + lu->local[i];
    return lu->front + (size_t)row * (size_t)ld + lu->where[lu->plan->node[j]] + lu->local[j];
}

static void gather_entries(const mo_front_lu *lu, int s, int ld, const double *values)
{
    const mo_front_plan *plan = lu->plan;
    for (int e = plan->entry_start[s]; e < plan->entry_start[s + 1]; ++e) {
        const mo_front_entry *entry = plan->entry + e;
        double *to = place(lu, entry->row, entry->column, ld);
        const int d = plan->dim[entry->row], n = plan->dim[entry->column];
        if (to && d == 3 && n == 3)
            add_block(3, 3, values + entry->value, to, ld);
        else if (to && d == 2 && n == 2)
            add_block(2, 2, values + entry->value, to, ld);
        else if (to)
            add_block(d, n, values + entry->value, to, ld);
    }
}

static void gather_diagonal(const mo_front_lu *lu, int s, int ld, const double *diagonal,
                            const size_t *diagonal_start)
{
    const mo_front_plan *plan = lu->plan;
    for (int k = plan->node_start[plan->pivot_start[s]];
         k < plan->node_start[plan->pivot_start[s + 1]]; ++k) {
        const int i = plan->node_block[k];
        double *to = place(lu, i, i, ld);
        if (to) add_block(plan->dim[i], plan->dim[i], diagonal + diagonal_start[i], to, ld);
    }
}

/* Runs of rows of child c that lie in a row in the present front too: from, to, length. */
static int find_runs(const mo_front_lu *lu, int c)
{
    const mo_front_plan *plan = lu->plan;
    int *run = lu->run, runs = 0, from = 0;
    for (int e = plan->row_start[c]; e < plan->row_start[c + 1]; ++e) {
        const int node = plan->row_node[e], rows = lu->node_rows[node], to = lu->where[node];
        if (runs > 0 && run[3 * runs - 2] + run[3 * runs - 1] == to) {
            run[3 * runs - 1] += rows;
        } else if (rows > 0) {
            run[3 * runs] = from;
            run[3 * runs + 1] = to;
            run[3 * runs + 2] = rows;
            ++runs;
        }
        from += rows;
    }
    return runs;
}

/* Adds the remaining matrix of child c to the present front. */
static void gather_child(const mo_front_lu *lu, int c, int ld, const double *left)
{
    const int runs = find_runs(lu, c), *run = lu->run;
    const size_t below = (size_t)lu->below[c];
    for (int i = 0; i < runs; ++i) {
        for (int row = 0; row < run[3 * i + 2]; ++row) {
            const double *from = left + (size_t)(run[3 * i] + row) * below;
            double *to = lu->front + (size_t)(run[3 * i + 1] + row) * (size_t)ld;
            for (int j = 0; j < runs; ++j) {
                const double *x = from + run[3 * j];
                double *y = to + run[3 * j + 1];
                for (int k = 0; k < run[3 * j + 2]; ++k)
                    y[k] += x[k];
            }
        }
    }
}

/* ---- factor ---------------------------------------------------------------------------------- */

/* L U of the pivots, then U right of them row by row, then L below them column by column. */
static double *keep_factors(const mo_front_lu *lu, int s, int ld, double *to)
{
    const int pivots = lu->pivots[s], below = lu->below[s];
    const double *F = lu->front;
    for (int i = 0; i < pivots; ++i, to += pivots)
        memcpy(to, F + (size_t)i * (size_t)ld, (size_t)pivots * sizeof *to);
    for (int i = 0; i < pivots; ++i, to += below)
        memcpy(to, F + (size_t)i * (size_t)ld + pivots, (size_t)below * sizeof *to);
    for (int i = 0; i < below; ++i) {
        const double *row = F + (size_t)(pivots + i) * (size_t)ld;
        for (int k = 0; k < pivots; ++k)
            to[(size_t)k * (size_t)below + (size_t)i] = row[k];
    }
    return to + (size_t)pivots * (size_t)below;
}

static void leave_to_parent(const mo_front_lu *lu, int s, int ld, double *to)
{
    const int pivots = lu->pivots[s], below = lu->below[s];
    for (int i = 0; i < below; ++i) {
        memcpy(to + (size_t)i * (size_t)below,
               lu->front + (size_t)(pivots + i) * (size_t)ld + pivots, (size_t)below * sizeof *to);
    }
}

bool mo_front_lu_factor(mo_front_lu *lu, const double *values, const double *diagonal,
                        const size_t *diagonal_start, const uint8_t *active)
{
    const mo_front_plan *plan = lu->plan;
    double *top = lu->stack, *factors = lu->factors;
    int waiting = 0;
    count_rows(lu, active);
    for (int s = 0; s < plan->front_count; ++s) {
        const int rows = open_front(lu, s), ld = row_length(rows);
        mo_pace();
        memset(lu->front, 0, (size_t)rows * (size_t)ld * sizeof(double));
        gather_entries(lu, s, ld, values);
        if (diagonal) gather_diagonal(lu, s, ld, diagonal, diagonal_start);
        for (; waiting > 0 && plan->parent[lu->waiting[waiting - 1]] == s; --waiting) {
            const int child = lu->waiting[waiting - 1];
            top -= (size_t)lu->below[child] * (size_t)lu->below[child];
            gather_child(lu, child, ld, top);
        }
        int *swap = lu->swap + lu->node_offset[plan->pivot_start[s]];
        MO_PASS(mo_front_eliminate(lu->pivots[s], rows, ld, lu->front, swap));
        factors = keep_factors(lu, s, ld, factors);
        leave_to_parent(lu, s, ld, top);
        top += (size_t)lu->below[s] * (size_t)lu->below[s];
        lu->waiting[waiting++] = s;
    }
    mo_pace();
    return true;
}

int mo_front_lu_sign(const mo_front_lu *lu)
{
    const double *factors = lu->factors;
    int is_negative = 0;
    for (int s = 0; s < lu->plan->front_count; ++s) {
        const int n = lu->pivots[s], first = lu->node_offset[lu->plan->pivot_start[s]];
        for (int k = 0; k < n; ++k) {
            const double pivot = factors[(size_t)k * (size_t)(n + 1)];
            is_negative ^= (pivot < 0) ^ (lu->swap[first + k] != k);
        }
        factors += (size_t)n * (size_t)(n + 2 * lu->below[s]);
    }
    return is_negative ? -1 : 1;
}

/* ---- solve ----------------------------------------------------------------------------------- */

/* Between the caller's order and that of the elimination. */
static void sort_in(const mo_front_lu *lu, const double *x)
{
    const mo_front_plan *plan = lu->plan;
    for (int i = 0; i < plan->block_count; ++i) {
        if (lu->local[i] != LEFT_OUT) {
            memcpy(lu->x + lu->node_offset[plan->node[i]] + lu->local[i], x + plan->offset[i],
                   (size_t)plan->dim[i] * sizeof *x);
        }
    }
}

static void sort_out(const mo_front_lu *lu, double *x)
{
    const mo_front_plan *plan = lu->plan;
    for (int i = 0; i < plan->block_count; ++i) {
        if (lu->local[i] != LEFT_OUT) {
            memcpy(x + plan->offset[i], lu->x + lu->node_offset[plan->node[i]] + lu->local[i],
                   (size_t)plan->dim[i] * sizeof *x);
        }
    }
}

/* The rows below front s, from x to work or added from work to x. */
static void read_below(const mo_front_lu *lu, int s)
{
    const mo_front_plan *plan = lu->plan;
    double *work = lu->work;
    for (int e = plan->row_start[s]; e < plan->row_start[s + 1]; ++e) {
        const int node = plan->row_node[e], rows = lu->node_rows[node];
        memcpy(work, lu->x + lu->node_offset[node], (size_t)rows * sizeof *work);
        work += rows;
    }
}

static void add_below(const mo_front_lu *lu, int s)
{
    const mo_front_plan *plan = lu->plan;
    const double *work = lu->work;
    for (int e = plan->row_start[s]; e < plan->row_start[s + 1]; ++e) {
        const int node = plan->row_node[e], rows = lu->node_rows[node];
        mo_axpy(rows, 1, work, lu->x + lu->node_offset[node]);
        work += rows;
    }
}

/* x = L^-1 x, the exchanges included. */
static const double *solve_forward(const mo_front_lu *lu)
{
    const double *factors = lu->factors;
    for (int s = 0; s < lu->plan->front_count; ++s) {
        const int n = lu->pivots[s], m = lu->below[s];
        const int first = lu->node_offset[lu->plan->pivot_start[s]];
        const double *L = factors + (size_t)n * (size_t)(n + m);
        double *x = lu->x + first;
        mo_pace_every(s + 1, 32);
        for (int k = 0; k < n; ++k) {
            const int other = lu->swap[first + k];
            const double t = x[k];
            x[k] = x[other];
            x[other] = t;
        }
        mo_front_forward(n, m, factors, L, x, lu->work);
        add_below(lu, s);
        factors = L + (size_t)n * (size_t)m;
    }
    return factors;
}

/* x = U^-1 x; `factors` is the end of the last front. */
static void solve_backward(const mo_front_lu *lu, const double *factors)
{
    for (int s = lu->plan->front_count - 1; s >= 0; --s) {
        const int n = lu->pivots[s], m = lu->below[s];
        mo_pace_every(s + 1, 32);
        factors -= (size_t)n * (size_t)(n + 2 * m);
        const double *U = factors + (size_t)n * (size_t)n;
        double *x = lu->x + lu->node_offset[lu->plan->pivot_start[s]];
        read_below(lu, s);
        mo_front_backward(n, m, factors, U, lu->work, x);
    }
}

void mo_front_lu_solve(const mo_front_lu *lu, double *x)
{
    sort_in(lu, x);
    solve_backward(lu, solve_forward(lu));
    sort_out(lu, x);
}
