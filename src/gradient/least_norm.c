/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "gradient/least_norm.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "linalg/node_graph.h"

/* delta beside A, whose blocks are of order one; most corrections; a defect above rounding. */
static const double DELTA = 1e-10, CONTRADICTION = 1e-10;
enum { CORRECTIONS_MOST = 60 };

void mo_least_norm_layout(const mo_problem *W, const mo_pair_pattern *pattern, mo_arena *arena,
                          mo_least_norm *system)
{
    const size_t rows = (size_t)W->row_count;
    system->W = W;
    system->pattern = pattern;
    system->K = MO_TAKE(arena, pattern->value_count, double);
    mo_front_lu_layout(pattern->plan, arena, &system->lu);
    MO_TAKE_EACH(arena, rows, double, &system->x, &system->y, &system->in, &system->out,
                 &system->kept);
    system->pair = MO_TAKE(arena, 2 * rows, double);
}

/* ---- its pattern ----------------------------------------------------------------------------- */

/* Every row lists itself and its neighbours.  The pattern is its own transpose, and transposing
 * puts every row in rising order. */
static void write_sorted(const mo_problem *W, const int *start, const int *index, int *next,
                         mo_pair_pattern *out)
{
    for (int i = 0; i <= out->count; ++i)
        out->start[i] = next[i] = start[i] + i;
    for (int i = 0; i < out->count; ++i) {
        out->dim[i] = 2 * mo_constraint_dim(W, i);
        out->index[next[i]++] = i;
        for (int e = start[i]; e < start[i + 1]; ++e)
            out->index[next[index[e]]++] = i;
    }
    for (int i = 0; i < out->count; ++i) {
        for (int e = out->start[i]; e < out->start[i + 1]; ++e) {
            out->value[e] = out->value_count;
            out->value_count += (size_t)out->dim[i] * (size_t)out->dim[out->index[e]];
        }
    }
}

mo_error mo_pair_pattern_create(const mo_allocator *allocator, const mo_problem *W,
                                mo_pair_pattern *pattern)
{
    const size_t count = (size_t)W->constraint_count, blocks = (size_t)W->block_start[count];
    int *start = mo_memory_array(allocator, 3 * count + 2 + 2 * blocks, sizeof *start);
    *pattern = (mo_pair_pattern){.count = W->constraint_count};
    MO_NEED_MEMORY(start, NULL);
    int *next = start + count + 1, *seen = next + count + 1, *index = seen + count;
    const mo_block_pattern given = {W->constraint_count, NULL, W->block_start, W->block_index};
    mo_list_neighbours(&given, start, index, next, seen);
    const size_t entries = (size_t)start[count] + count;
    mo_error error = MO_ERR_MEMORY;
    if (MO_NEW(allocator, count, &pattern->dim) && MO_NEW(allocator, count + 1, &pattern->start) &&
        MO_NEW(allocator, entries, &pattern->index) &&
        MO_NEW(allocator, entries, &pattern->value)) {
        write_sorted(W, start, index, next, pattern);
        const mo_block_pattern both = {pattern->count, pattern->dim, pattern->start,
                                       pattern->index};
        error = mo_front_plan_create(allocator, &both, &pattern->plan);
    }
    mo_memory_free(allocator, start);
    return error;
}

void mo_pair_pattern_clear(const mo_allocator *allocator, mo_pair_pattern *pattern)
{
    if (pattern->plan) mo_front_plan_destroy(allocator, pattern->plan);
    MO_FREE(allocator, pattern->dim, pattern->start, pattern->index, pattern->value);
}

/* The first number of block (i, j), row-major; the pair is in the pattern of W, in either order. */
static size_t find(const mo_pair_pattern *pattern, int i, int j)
{
    int low = pattern->start[i], high = pattern->start[i + 1];
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (pattern->index[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    return pattern->value[low];
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* K gains A_ij at (y_i, x_j) and its transpose at (x_j, y_i). */
static void add_to_matrix(mo_least_norm *system, int i, int j, int d, int n, double scale,
                          const double *A_ij)
{
    double *forth = system->K + find(system->pattern, i, j);
    double *back = system->K + find(system->pattern, j, i);
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < n; ++b) {
            forth[(d + a) * (2 * n) + b] += scale * A_ij[a * n + b];
            back[b * (2 * d) + d + a] += scale * A_ij[a * n + b];
        }
    }
}

/* I - J + JG rho compliance, and the diagonal of K itself. */
static void add_diagonal(mo_least_norm *system, int i, double *own)
{
    const mo_problem *W = system->W;
    const int row = W->row_start[i], d = mo_constraint_dim(W, i);
    const double *J = system->J + system->start[i], *JG = system->JG + system->start[i];
    for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) {
            const double soft = W->compliance ? system->rho[i] * W->compliance[row + b] : 0;
            own[a * d + b] = (a == b) - J[a * d + b] + JG[a * d + b] * soft;
        }
    }
    add_to_matrix(system, i, i, d, d, 1, own);
    double *diagonal = system->K + find(system->pattern, i, i);
    for (int a = 0; a < d; ++a) {
        diagonal[a * 2 * d + a] += 1;
        diagonal[(d + a) * 2 * d + d + a] -= DELTA;
    }
}

bool mo_least_norm_factor(mo_least_norm *system)
{
    const mo_problem *W = system->W;
    double product[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    memset(system->K, 0, system->pattern->value_count * sizeof(double));
    for (int i = 0; i < W->constraint_count; ++i) {
        const int d = mo_constraint_dim(W, i);
        const double *W_ij = W->values + W->value_start[i];
        if (!system->active[i]) continue;
        add_diagonal(system, i, product);
        for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
            const int j = W->block_index[e], n = mo_constraint_dim(W, j);
            if (system->active[j]) {
                mo_multiply(d, n, system->JG + system->start[i], W_ij, product);
                add_to_matrix(system, i, j, d, n, sqrt(system->rho[i]) * sqrt(system->rho[j]),
                              product);
            }
            W_ij += d * n;
        }
    }
    return mo_front_lu_factor(&system->lu, system->K, NULL, NULL, system->active);
}

/* ---- products -------------------------------------------------------------------------------- */

/* t_i = sqrt(rho_i) sum_j W_ij sqrt(rho_j) x_j + rho_i compliance x_i, of one active block. */
static void read_velocity(const mo_least_norm *system, int i, const double *x, double *t)
{
    const mo_problem *W = system->W;
    const int row = W->row_start[i], d = mo_constraint_dim(W, i);
    const double *W_ij = W->values + W->value_start[i];
    for (int a = 0; a < d; ++a)
        t[a] = W->compliance ? system->rho[i] * W->compliance[row + a] * x[row + a] : 0;
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        const double scale = sqrt(system->rho[i]) * sqrt(system->rho[j]);
        for (int a = 0; a < d; ++a, W_ij += n)
            t[a] += system->active[j] ? scale * mo_dot(n, W_ij, x + W->row_start[j]) : 0;
    }
}

void mo_least_norm_apply(const mo_least_norm *system, const double *x, double *out)
{
    const mo_problem *W = system->W;
    double t[MO_BILATERAL_MAX_DIM];
    memset(out, 0, (size_t)W->row_count * sizeof *out);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = mo_constraint_dim(W, i);
        const double *J = system->J + system->start[i], *JG = system->JG + system->start[i];
        if (system->active[i]) read_velocity(system, i, x, t);
        for (int a = 0; a < d && system->active[i]; ++a)
            out[row + a] = x[row + a] - mo_dot(d, J + a * d, x + row) + mo_dot(d, JG + a * d, t);
    }
}

/* out += what row i of A' gathers from s = (J_i G_i)' y_i. */
static void push_velocity(const mo_least_norm *system, int i, const double *s, double *out)
{
    const mo_problem *W = system->W;
    const int row = W->row_start[i], d = mo_constraint_dim(W, i);
    const double *W_ij = W->values + W->value_start[i];
    for (int a = 0; W->compliance && a < d; ++a)
        out[row + a] += system->rho[i] * W->compliance[row + a] * s[a];
    for (int e = W->block_start[i]; e < W->block_start[i + 1]; ++e) {
        const int j = W->block_index[e], n = mo_constraint_dim(W, j);
        const double scale = sqrt(system->rho[i]) * sqrt(system->rho[j]);
        for (int a = 0; a < d; ++a, W_ij += n)
            if (system->active[j]) mo_axpy(n, scale * s[a], W_ij, out + W->row_start[j]);
    }
}

/* out = A' y on the active blocks, zero elsewhere. */
static void apply_transposed(const mo_least_norm *system, const double *y, double *out)
{
    const mo_problem *W = system->W;
    double s[MO_BILATERAL_MAX_DIM];
    memset(out, 0, (size_t)W->row_count * sizeof *out);
    for (int i = 0; i < W->constraint_count; ++i) {
        const int row = W->row_start[i], d = mo_constraint_dim(W, i);
        const double *J = system->J + system->start[i], *JG = system->JG + system->start[i];
        if (!system->active[i]) continue;
        memset(s, 0, (size_t)d * sizeof *s);
        for (int a = 0; a < d; ++a) {
            out[row + a] += y[row + a];
            mo_axpy(d, -y[row + a], J + a * d, out + row);
            mo_axpy(d, y[row + a], JG + a * d, s);
        }
        push_velocity(system, i, s, out);
    }
}

/* ---- solving --------------------------------------------------------------------------------- */

/* (above, below) becomes K^-1 of itself. */
static void solve_pair(mo_least_norm *system, double *above, double *below)
{
    const mo_problem *W = system->W;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < W->constraint_count; ++i) {
            const int row = W->row_start[i], d = mo_constraint_dim(W, i);
            double *own = system->pair + 2 * row;
            for (int a = 0; a < d; ++a) {
                if (pass == 0) {
                    own[a] = system->active[i] ? above[row + a] : 0;
                    own[d + a] = system->active[i] ? below[row + a] : 0;
                } else {
                    above[row + a] = system->active[i] ? own[a] : 0;
                    below[row + a] = system->active[i] ? own[d + a] : 0;
                }
            }
        }
        if (pass == 0) mo_front_lu_solve(&system->lu, system->pair);
    }
}

/* One correction of (x, y) for x + A'y = 0, A x = b or, transposed, A'y = b, A x - y = 0; returns
 * the defect of the equation with b before it. */
static double correct(mo_least_norm *system, int transposed, const double *b)
{
    const int rows = system->W->row_count;
    double *above = system->in, *below = system->out;
    mo_least_norm_apply(system, system->x, below);
    apply_transposed(system, system->y, above);
    for (int k = 0; k < rows; ++k) {
        above[k] = (transposed ? b[k] : -system->x[k]) - above[k];
        below[k] = transposed ? DELTA * (system->y[k] - below[k]) : b[k] - below[k];
    }
    const double defect = mo_norm(rows, transposed ? above : below);
    solve_pair(system, above, below);
    mo_axpy(rows, transposed ? 1 / DELTA : 1, above, system->x);
    mo_axpy(rows, 1, below, system->y);
    return defect;
}

/* Corrections until the solution no longer changes; returns the remaining defect. */
static double iterate(mo_least_norm *system, int transposed, const double *b)
{
    const int rows = system->W->row_count;
    const double *answer = transposed ? system->y : system->x;
    const double *moved = transposed ? system->out : system->in;
    const double size = mo_norm(rows, b);
    double last = INFINITY;
    memset(system->x, 0, (size_t)rows * sizeof(double));
    memset(system->y, 0, (size_t)rows * sizeof(double));
    for (int k = 0; k < CORRECTIONS_MOST && size > 0; ++k) {
        const double defect = correct(system, transposed, b);
        const double step = mo_norm(rows, moved), length = mo_norm(rows, answer);
        const int stands = step >= 0.9 * last && step <= 1e-9 * length; /* at rounding */
        if (defect <= 1e-15 * size || (k > 1 && step <= 1e-15 * length) || (k > 3 && stands)) break;
        last = step;
    }
    if (transposed)
        apply_transposed(system, system->y, system->in);
    else
        mo_least_norm_apply(system, system->x, system->in);
    mo_axpy(rows, -1, b, system->in);
    return mo_norm(rows, system->in);
}

/* b = its part in the range of A (or A'): A'^+ A' b (or A^+ A b), a right side in the range. */
static void keep_reachable(mo_least_norm *system, int transposed, double *b)
{
    const int rows = system->W->row_count;
    double *product = system->kept;
    if (transposed)
        mo_least_norm_apply(system, b, product);
    else
        apply_transposed(system, b, product);
    iterate(system, !transposed, product);
    memcpy(b, transposed ? system->x : system->y, (size_t)rows * sizeof *b);
}

/* Outside the range the multiplier and its rounding would diverge: b is projected first. */
static double solve(mo_least_norm *system, int transposed, const double *b, double *out)
{
    const mo_problem *W = system->W;
    const int rows = W->row_count;
    for (int i = 0; i < W->constraint_count; ++i)
        for (int row = W->row_start[i]; row < W->row_start[i + 1]; ++row)
            out[row] = system->active[i] ? b[row] : 0;
    const double size = mo_norm(rows, out), missed = iterate(system, transposed, out);
    if (missed > CONTRADICTION * size) {
        keep_reachable(system, transposed, out);
        iterate(system, transposed, out);
    }
    memcpy(out, transposed ? system->y : system->x, (size_t)rows * sizeof *out);
    return size > 0 ? missed / size : 0;
}

double mo_least_norm_solve(mo_least_norm *system, const double *b, double *x)
{
    return solve(system, 0, b, x);
}

double mo_least_norm_solve_transposed(mo_least_norm *system, const double *g, double *y)
{
    return solve(system, 1, g, y);
}
