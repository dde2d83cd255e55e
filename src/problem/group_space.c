/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/group_space.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "linalg/dense.h"

enum { MOST_ROWS = 400, NOT_A_PIVOT = -1 };
/* Fraction of the largest diagonal entry below which the rest is rounding. */
static const double RANK = 1e-12;
static const double EXACT = 1e-10; /* relative to the diagonal: accuracy of W = E V E' */
/* Ratio of ranks to rows above which the smaller matrix does not pay off. */
static const double GAIN = 0.75;

typedef struct grouping {
    const mo_problem *W;
    const mo_front_plan *plan; /* its nodes are the groups */
    mo_group_space *out;
    int *rank;          /* of each group */
    int *pivot;         /* of each row: which pivot of its group it is, or NOT_A_PIVOT  */
    size_t *head_start; /* of each group: k x k, the pivot rows of E, lower triangular  */
    double *head;
    double *dense; /* W_gg, then the rows of V of one group */
    size_t *slot;  /* of each group: start of its block in that row */
    int *seen;     /* the group whose row has such a block */
    double *vector;
} grouping;

/* ---- E --------------------------------------------------------------------------------------- */

static int gather_group(const grouping *g, int node)
{
    const mo_problem *W = g->W;
    const mo_front_plan *plan = g->plan;
    int rows = 0, first[MOST_ROWS];
    for (int k = plan->node_start[node]; k < plan->node_start[node + 1]; ++k) {
        first[k - plan->node_start[node]] = rows;
        rows += plan->dim[plan->node_block[k]];
    }
    memset(g->dense, 0, (size_t)rows * (size_t)rows * sizeof(double));
    for (int k = plan->node_start[node]; k < plan->node_start[node + 1]; ++k) {
        const int i = plan->node_block[k], d = plan->dim[i],
                  row = first[k - plan->node_start[node]];
        const double *block = W->values + W->value_start[i];
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int j = W->block_index[e], n = plan->dim[j];
            int l = plan->node_start[node];
            while (plan->node[j] == node && plan->node_block[l] != j)
                ++l;
            for (int a = 0; plan->node[j] == node && a < d; ++a) {
                memcpy(g->dense + (size_t)(row + a) * (size_t)rows +
                           first[l - plan->node_start[node]],
                       block + a * n, (size_t)n * sizeof *block);
            }
            block += (size_t)d * (size_t)n;
        }
    }
    return rows;
}

/* A = F F' by Cholesky with diagonal pivoting, F n x k in the first columns; pivot_row[k]. */
static int factor_group(int n, double *A, int *pivot_row)
{
    double left[MOST_ROWS], largest = 0;
    int k = 0;
    for (int i = 0; i < n; ++i) {
        left[i] = A[(size_t)i * (size_t)(n + 1)];
        largest = fmax(largest, left[i]);
    }
    double *F = A + (size_t)n * (size_t)n; /* F apart from A: n x n, row-major */
    for (; k < n; ++k) {
        int p = 0;
        for (int i = 1; i < n; ++i)
            p = left[i] > left[p] ? i : p;
        if (!(left[p] > RANK * largest)) break;
        const double root = sqrt(left[p]);
        pivot_row[k] = p;
        for (int i = 0; i < n; ++i) {
            double *row = F + (size_t)i * (size_t)n;
            const double sum =
                A[(size_t)i * (size_t)n + (size_t)p] - mo_dot(k, row, F + (size_t)p * (size_t)n);
            row[k] = left[i] == -1
                         ? 0
                         : sum / root; /* rows that are pivots already: the upper triangle */
        }
        F[(size_t)p * (size_t)n + (size_t)k] = root;
        for (int i = 0; i < n; ++i) {
            const double f = F[(size_t)i * (size_t)n + (size_t)k];
            left[i] = left[i] == -1 || i == p ? -1 : fmax(0, left[i] - f * f);
        }
    }
    return k;
}

/* The basis of one group: its rows of E, its pivots, and their triangle. */
static void keep_group(const grouping *g, int node, int rows, const int *pivot_row)
{
    const mo_front_plan *plan = g->plan;
    const int k = g->rank[node];
    const double *F = g->dense + (size_t)rows * (size_t)rows;
    double *head = g->head + g->head_start[node];
    int row = 0;
    for (int e = plan->node_start[node]; e < plan->node_start[node + 1]; ++e) {
        const int i = plan->node_block[e];
        g->out->group[i] = node;
        for (int a = 0; a < plan->dim[i]; ++a, ++row) {
            memcpy(g->out->basis + g->out->start[i] + (size_t)(a * k),
                   F + (size_t)row * (size_t)rows, (size_t)k * sizeof(double));
            g->pivot[g->W->row_start[i] + a] = NOT_A_PIVOT;
            for (int p = 0; p < k; ++p) {
                if (pivot_row[p] == row) {
                    g->pivot[g->W->row_start[i] + a] = p;
                    memcpy(head + (size_t)(p * k), F + (size_t)row * (size_t)rows,
                           (size_t)k * sizeof(double));
                }
            }
        }
    }
}

/* All groups; false if the ranks are not small. */
static bool find_bases(const grouping *g)
{
    const mo_front_plan *plan = g->plan;
    size_t basis = 0, head = 0, ranks = 0;
    for (int node = 0; node < plan->node_count; ++node) {
        int pivot_row[MOST_ROWS];
        const int rows = gather_group(g, node);
        const int k = g->rank[node] = factor_group(rows, g->dense, pivot_row);
        if (k == 0 || k > MO_BILATERAL_MAX_DIM) return false;
        for (int e = plan->node_start[node]; e < plan->node_start[node + 1]; ++e) {
            g->out->start[plan->node_block[e]] = basis;
            basis += (size_t)(plan->dim[plan->node_block[e]] * k);
        }
        g->head_start[node] = head;
        head += (size_t)(k * k);
        ranks += (size_t)k;
        keep_group(g, node, rows, pivot_row);
    }
    return (double)ranks <= GAIN * plan->rows;
}

/* ---- V --------------------------------------------------------------------------------------- */

/* T (k x m) = W_gh[p, p]  becomes  E_g[p]^-1 T E_h[p]^-T. */
static void divide_by_heads(const double *head_g, int k, const double *head_h, int m, double *T)
{
    for (int a = 0; a < k; ++a) {
        for (int b = 0; b < a; ++b)
            mo_axpy(m, -head_g[a * k + b], T + b * m, T + a * m);
        for (int c = 0; c < m; ++c)
            T[a * m + c] /= head_g[a * k + a];
    }
    for (int a = 0; a < k; ++a) {
        for (int c = 0; c < m; ++c) {
            T[a * m + c] =
                (T[a * m + c] - mo_dot(c, head_h + c * m, T + a * m)) / head_h[c * m + c];
        }
    }
}

/* The pivot rows and columns of W around one group, one block after the other. */
static void gather_row(const grouping *g, int node)
{
    const mo_problem *W = g->W;
    const mo_front_plan *plan = g->plan;
    const int k = g->rank[node];
    size_t used = 0;
    for (int l = plan->node_start[node]; l < plan->node_start[node + 1]; ++l) {
        const int i = plan->node_block[l], d = plan->dim[i], *row = g->pivot + W->row_start[i];
        const double *block = W->values + W->value_start[i];
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int j = W->block_index[e], n = plan->dim[j], h = plan->node[j], m = g->rank[h];
            const int *column = g->pivot + W->row_start[j];
            if (g->seen[h] != node) {
                g->seen[h] = node;
                g->slot[h] = used;
                memset(g->dense + used, 0, (size_t)(k * m) * sizeof(double));
                used += (size_t)(k * m);
            }
            for (int a = 0; a < d; ++a) {
                for (int b = 0; row[a] != NOT_A_PIVOT && b < n; ++b)
                    if (column[b] != NOT_A_PIVOT)
                        g->dense[g->slot[h] + (size_t)(row[a] * m + column[b])] = block[a * n + b];
            }
            block += (size_t)d * (size_t)n;
        }
    }
}

/* V as a separate problem; laws and w are unused. */
static mo_error build_V(const grouping *g, mo_problem **V)
{
    const mo_front_plan *plan = g->plan;
    const mo_problem *W = g->W;
    mo_builder *builder;
    static const double zero[MO_BILATERAL_MAX_DIM];
    const mo_law law = {.kind = MO_LAW_BILATERAL};
    MO_FAIL_IF(mo_builder_create(&W->allocator, &builder), MO_ERR_MEMORY);
    for (int node = 0; node < plan->node_count; ++node) {
        g->seen[node] = -1;
        mo_builder_add_constraint(builder, g->rank[node], &law, zero);
    }
    for (int node = 0; node < plan->node_count; ++node) {
        const int k = g->rank[node], i = plan->node_block[plan->node_start[node]];
        gather_row(g, node);
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int h = plan->node[W->block_index[e]], m = g->rank[h];
            if (g->seen[h] == node) {
                double *T = g->dense + g->slot[h];
                divide_by_heads(g->head + g->head_start[node], k, g->head + g->head_start[h], m, T);
                mo_builder_add_coupling(builder, node, h, k, m, T);
                g->seen[h] = -1; /* once */
            }
        }
    }
    const mo_error error = mo_builder_finish(builder, V, NULL);
    mo_builder_destroy(builder);
    return error;
}

/* Is W x = E V E' x for some x, in units in which the diagonal of W is 1? */
static bool is_exact(const grouping *g, const mo_problem *V)
{
    const mo_problem *W = g->W;
    const mo_group_space *out = g->out;
    const size_t rows = (size_t)W->row_count, groups = (size_t)V->row_count;
    double *x = g->vector, *u = x + rows, *s = u + rows, *y = s + groups, *scale = y + groups;
    mo_random random = {20};
    memset(s, 0, groups * sizeof *s);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row, k = mo_group_rank(out, i);
        for (int a = 0; a < d; ++a) {
            const double *E = out->basis + out->start[i] + (size_t)(a * k);
            scale[row + a] = sqrt(mo_dot(k, E, E));
            x[row + a] = scale[row + a] > 0 ? (0.5 + mo_random_unit(&random)) / scale[row + a] : 0;
            mo_axpy(k, x[row + a], E, s + V->row_start[out->group[i]]);
        }
    }
    mo_problem_response_into(V, s, NULL, y);
    mo_problem_response_into(W, x, NULL, u);
    double worst = 0;
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = W->row_start[i + 1] - row, k = mo_group_rank(out, i);
        for (int a = 0; a < d; ++a) {
            const double by_groups = mo_dot(k, out->basis + out->start[i] + (size_t)(a * k),
                                            y + V->row_start[out->group[i]]);
            const double off = fabs(u[row + a] - W->w[row + a] - by_groups);
            worst = fmax(worst, scale[row + a] > 0 ? off / scale[row + a] : off > 0 ? INFINITY : 0);
        }
    }
    return worst <= EXACT;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static int largest_group(const mo_front_plan *plan)
{
    int largest = 0;
    for (int node = 0; node < plan->node_count; ++node) {
        int rows = 0;
        for (int k = plan->node_start[node]; k < plan->node_start[node + 1]; ++k)
            rows += plan->dim[plan->node_block[k]];
        largest = rows > largest ? rows : largest;
    }
    return largest;
}

static bool make_room(const mo_allocator *own, grouping *g, int largest)
{
    const size_t rows = (size_t)g->W->row_count, count = (size_t)g->W->constraint_count;
    const size_t nodes = (size_t)g->plan->node_count, n = (size_t)largest;
    const size_t dense = 2 * n * n > n * rows ? 2 * n * n : n * rows;
    MO_PASS(MO_NEW(own, dense + n * rows + 5 * rows, &g->dense) &&
            MO_NEW(own, 2 * nodes, &g->slot) && MO_NEW(own, 2 * nodes + rows, &g->rank) &&
            MO_NEW(own, count, &g->out->group) && MO_NEW(own, count, &g->out->start) &&
            MO_NEW(own, n * rows, &g->out->basis));
    g->head = g->dense + dense;
    g->vector = g->head + n * rows;
    g->head_start = g->slot + nodes;
    g->seen = g->rank + nodes;
    g->pivot = g->seen + nodes;
    g->out->bytes =
        sizeof *g->out + count * (sizeof(int) + sizeof(size_t)) + n * rows * sizeof(double);
    return true;
}

static mo_error fill(const mo_allocator *own, grouping *g, bool *pays)
{
    const int largest = largest_group(g->plan);
    mo_problem *V = NULL;
    *pays = largest <= MOST_ROWS && g->plan->node_count < g->plan->block_count;
    if (!*pays) return MO_OK;
    MO_FAIL_IF(!make_room(own, g, largest), MO_ERR_MEMORY);
    *pays = find_bases(g);
    mo_error error = *pays ? build_V(g, &V) : MO_OK;
    if (error && error != MO_ERR_MEMORY) { /* overflow: V is useless */
        *pays = false;
        return MO_OK;
    }
    if (V) {
        error = mo_contact_space_create(V, &g->out->space);
        if (!error) {
            g->out->space->own = V;
            g->out->bytes += g->out->space->bytes;
            *pays = is_exact(g, V);
        } else {
            mo_problem_destroy(V);
        }
    }
    return error;
}

mo_error mo_group_space_create(const mo_contact_space *contact, mo_group_space **out)
{
    const mo_allocator *own = &contact->W->allocator;
    grouping g = {.W = contact->W, .plan = contact->plan};
    bool pays = false;
    *out = NULL;
    g.out = mo_memory_array(own, 1, sizeof *g.out);
    MO_NEED_MEMORY(g.out, NULL);
    *g.out = (mo_group_space){0};
    const mo_error error = fill(own, &g, &pays);
    MO_FREE(own, g.dense, g.slot, g.rank);
    if (error || !pays) {
        mo_group_space_destroy(own, g.out);
        return error;
    }
    *out = g.out;
    return MO_OK;
}

void mo_group_space_destroy(const mo_allocator *allocator, mo_group_space *space)
{
    if (space) {
        mo_contact_space_destroy(allocator, space->space);
        MO_FREE(allocator, space->group, space->start, space->basis, space);
    }
}
