/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/body_space.h"
#include "base/error.h"
#include "base/pace.h"

#include <string.h>

enum { CHUNK = 64 }; /* columns of a product at a time */

/* The neighbours of each body, itself first, and work arrays. */
typedef struct neighbours {
    int *dim;            /* of each body */
    int *from, *of_body; /* the constraints of each body */
    int *start, *index;  /* the bodies around each body */
    int *position;       /* of a body in the present row, or -1 */
    int *last;           /* the row that saw a body last */
    void *memory, *index_memory;
} neighbours;

/* Counts the bodies around each (index NULL), or lists them. */
static void list_bodies(const mo_problem *problem, neighbours *n)
{
    int found = 0;
    memset(n->last, -1, (size_t)problem->body_count * sizeof(int));
    for (int b = 0; b < problem->body_count; ++b) {
        mo_pace_every(b + 1, 128);
        n->dim[b] = mo_body_dim(problem, b);
        n->start[b] = found;
        n->last[b] = b;
        if (n->index) n->index[found] = b;
        ++found;
        for (int c = n->from[b]; c < n->from[b + 1]; ++c) {
            const int i = n->of_body[c];
            for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
                const int other = problem->block_index[k];
                if (n->last[other] != b) {
                    n->last[other] = b;
                    if (n->index) n->index[found] = other;
                    ++found;
                }
            }
        }
    }
    n->start[problem->body_count] = found;
}

static mo_error find_neighbours(const mo_problem *problem, neighbours *n)
{
    const mo_allocator *own = &problem->allocator;
    const size_t bodies = (size_t)problem->body_count;
    const size_t blocks = (size_t)problem->block_start[problem->constraint_count];
    int *p = mo_memory_array(own, 5 * bodies + 3 + blocks, sizeof(int));
    n->memory = p;
    MO_NEED_MEMORY(p, NULL);
    n->dim = p;
    n->position = p + bodies;
    n->last = p + 2 * bodies;
    n->start = p + 3 * bodies;
    n->from = p + 4 * bodies + 1;
    n->of_body = p + 5 * bodies + 3;
    mo_list_incidence(problem, n->from, n->of_body);
    list_bodies(problem, n);
    n->index = n->index_memory = mo_memory_array(own, (size_t)n->start[bodies], sizeof(int));
    MO_NEED_MEMORY(n->index, NULL);
    list_bodies(problem, n);
    return MO_OK;
}

/* Row b of every constraint of body b: places of its blocks (b, other). */
static void place_row(const mo_body_space *space, const neighbours *n, int b,
                      const size_t *of_entry)
{
    const mo_problem *problem = space->problem;
    for (int e = n->start[b]; e < n->start[b + 1]; ++e)
        n->position[n->index[e]] = e - n->start[b];
    for (int c = n->from[b]; c < n->from[b + 1]; ++c) {
        const int i = n->of_body[c], *body = problem->block_index + problem->block_start[i];
        const int count = problem->block_start[i + 1] - problem->block_start[i];
        int row = 0;
        while (body[row] != b)
            ++row;
        for (int k = 0; k < count; ++k) {
            space->target[space->target_start[i] + (size_t)(row * count + k)] =
                of_entry[n->position[body[k]]];
        }
    }
}

static void place_values(mo_body_space *space, const neighbours *n, size_t *of_entry)
{
    const mo_problem *problem = space->problem;
    size_t targets = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const size_t count = (size_t)(problem->block_start[i + 1] - problem->block_start[i]);
        mo_pace_every(i + 1, 128);
        space->target_start[i] = targets;
        targets += count * count;
    }
    space->value_count = 0;
    for (int b = 0; b < problem->body_count; ++b) {
        mo_pace_every(b + 1, 128);
        space->diagonal[b] = space->value_count;
        for (int e = n->start[b]; e < n->start[b + 1]; ++e) {
            of_entry[e - n->start[b]] = space->value_count;
            space->value_count += (size_t)n->dim[b] * (size_t)n->dim[n->index[e]];
        }
        place_row(space, n, b, of_entry);
    }
}

static size_t count_targets(const mo_problem *problem)
{
    size_t total = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const size_t count = (size_t)(problem->block_start[i + 1] - problem->block_start[i]);
        total += count * count;
    }
    return total;
}

static mo_error fill_space(mo_body_space *space)
{
    const mo_problem *problem = space->problem;
    const mo_allocator *own = &problem->allocator;
    const size_t bodies = (size_t)problem->body_count, count = (size_t)problem->constraint_count;
    const size_t numbers = 2 * bodies + count + count_targets(problem);
    neighbours n = {0};
    mo_error error = find_neighbours(problem, &n);
    if (!error) {
        const mo_block_pattern pattern = {problem->body_count, n.dim, n.start, n.index};
        error = mo_front_plan_create(own, &pattern, &space->plan);
    }
    space->memory = mo_memory_array(own, numbers, sizeof(size_t));
    if (!error && space->memory) {
        size_t *p = space->memory;
        space->diagonal = p;
        space->target_start = p + 2 * bodies;
        space->target = space->target_start + count;
        place_values(space, &n, p + bodies);
        space->bytes = sizeof *space + numbers * sizeof(size_t) + space->plan->bytes;
    }
    MO_FREE(own, n.memory, n.index_memory);
    return error ? error : space->memory ? MO_OK : MO_ERR_MEMORY;
}

mo_error mo_body_space_create(const mo_problem *problem, mo_body_space **out)
{
    mo_body_space *space = mo_memory_array(&problem->allocator, 1, sizeof *space);
    *out = NULL;
    MO_NEED_MEMORY(space, NULL);
    *space = (mo_body_space){.problem = problem};
    const mo_error error = fill_space(space);
    if (error) {
        mo_body_space_destroy(&problem->allocator, space);
        return error;
    }
    *out = space;
    return MO_OK;
}

void mo_body_space_destroy(const mo_allocator *allocator, mo_body_space *space)
{
    if (space) {
        mo_front_plan_destroy(allocator, space->plan);
        MO_FREE(allocator, space->memory, space);
    }
}

/* ---- the matrix ------------------------------------------------------------------------------ */

void mo_body_space_begin(const mo_body_space *space, double *values)
{
    const mo_problem *problem = space->problem;
    memset(values, 0, space->value_count * sizeof *values);
    for (int b = 0; b < problem->body_count; ++b) {
        const int n = mo_body_dim(problem, b);
        mo_pace_every(b + 1, 128);
        for (int k = 0; k < n; ++k)
            values[space->diagonal[b] + (size_t)k * (size_t)(n + 1)] = 1;
    }
}

/* A += X' (K Y), K d x d, X d x m, Y d x n; `has_zeros`: X has, as in other limbs of a robot. */
static inline void add_product(int d, int m, int n, int has_zeros, const double *K, const double *X,
                               const double *Y, double *A)
{
    for (int a = 0; a < d; ++a) {
        double row[CHUNK];
        for (int first = 0; first < n; first += CHUNK) {
            const int width = n - first < CHUNK ? n - first : CHUNK;
            for (int k = 0; k < width; ++k)
                row[k] = 0;
            for (int b = 0; b < d; ++b)
                mo_axpy(width, K[a * d + b], Y + (size_t)b * (size_t)n + first, row);
            for (int i = 0; i < m; ++i) {
                const double x = X[(size_t)a * (size_t)m + (size_t)i];
                if (!has_zeros || x != 0) mo_axpy(width, x, row, A + (size_t)i * (size_t)n + first);
            }
        }
    }
}

void mo_body_space_add(const mo_body_space *space, const mo_sweep *sweep, int i, const double *K,
                       double *values)
{
    const mo_problem *problem = space->problem;
    const int d = mo_constraint_dim(problem, i),
              *body = problem->block_index + problem->block_start[i];
    const int count = problem->block_start[i + 1] - problem->block_start[i];
    const size_t *target = space->target + space->target_start[i];
    const double *X = mo_sweep_push(sweep, i);
    for (int k = 0; k < count; ++k) {
        const int m = mo_body_dim(problem, body[k]);
        const double *Y = mo_sweep_pull(sweep, i);
        for (int l = 0; l < count; ++l, ++target) {
            const int n = mo_body_dim(problem, body[l]);
            if (d == 3 && m == 6 && n == 6)
                add_product(3, 6, 6, 0, K, X, Y, values + *target);
            else
                add_product(d, m, n, 1, K, X, Y, values + *target);
            Y += (size_t)d * (size_t)n;
        }
        X += (size_t)d * (size_t)m;
    }
}
