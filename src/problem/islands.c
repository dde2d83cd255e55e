/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/islands.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/union_find.h"
#include "problem/views.h"

/* ---- finding them: union-find over bodies (global) or constraints (reduced) ------------------ */

static int node_count(const mo_problem *problem)
{
    return problem->form == MO_FORM_GLOBAL ? problem->body_count : problem->constraint_count;
}

static int is_zero(const double *block, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        if (block[k] != 0) return 0;
    return 1;
}

/* Joins what constraint i touches; returns one of the nodes, or -1 if it touches nothing. */
static int join(const mo_problem *problem, int i, int *parent)
{
    const int d = mo_constraint_dim(problem, i);
    const double *block = problem->values + problem->value_start[i];
    int first = problem->form == MO_FORM_GLOBAL ? -1 : mo_set_root(parent, i);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int index = problem->block_index[k];
        const size_t count = (size_t)d * (size_t)mo_block_columns(problem, index);
        if (!is_zero(block, count)) {
            first =
                first < 0 ? mo_set_root(parent, index) : mo_set_unite(parent, first, index, NULL);
        }
        block += count;
    }
    return first;
}

/* Numbers the islands by their first constraints; returns how many there are. */
static int number(const mo_problem *problem, int *parent, int *number_of, int *island)
{
    int count = 0;
    for (int k = 0; k < node_count(problem); ++k) {
        parent[k] = k;
        number_of[k] = -1;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i, 512);
        island[i] = join(problem, i, parent);
    }
    mo_pace();
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (island[i] < 0) {
            island[i] = count++;
            continue;
        }
        int *of_root = &number_of[mo_set_root(parent, island[i])];
        *of_root = *of_root < 0 ? count++ : *of_root;
        island[i] = *of_root;
    }
    return count;
}

/* ---- sorting them ---------------------------------------------------------------------------- */

typedef struct sized {
    int size, number;
} sized;

static int larger_first(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size ? -1 : 1)
                              : (x->number > y->number) - (x->number < y->number);
}

/* The lists of members, islands renumbered by falling size. */
static int sort(const mo_allocator *own, int constraints, mo_islands *islands)
{
    const size_t count = (size_t)islands->count;
    sized *order = mo_memory_array(own, count, sizeof *order);
    int *rank = mo_memory_array(own, count, sizeof *rank);
    islands->start = mo_memory_array(own, count + 1, sizeof(int));
    islands->member = mo_memory_array(own, (size_t)constraints, sizeof(int));
    const int made = order && rank && islands->start && islands->member;
    if (made) {
        for (int k = 0; k < islands->count; ++k) {
            mo_pace_every(k, 1024);
            order[k] = (sized){0, k};
        }
        for (int i = 0; i < constraints; ++i) {
            mo_pace_every(i, 1024);
            ++order[islands->island[i]].size;
        }
        mo_pace();
        qsort(order, count, sizeof *order, larger_first);
        islands->start[0] = 0;
        for (int k = 0; k < islands->count; ++k) {
            rank[order[k].number] = k;
            islands->start[k + 1] = islands->start[k] + order[k].size;
            order[k].size = islands->start[k]; /* from here on: the next free place */
        }
        for (int i = 0; i < constraints; ++i) {
            mo_pace_every(i, 1024);
            islands->island[i] = rank[islands->island[i]];
            islands->member[order[islands->island[i]].size++] = i;
        }
    }
    MO_FREE(own, order, rank);
    return made;
}

mo_error mo_islands_find(const mo_problem *problem, mo_islands *islands)
{
    mo_problem_write_rows(problem);
    const mo_allocator *own = &problem->allocator;
    const size_t nodes = (size_t)node_count(problem);
    int *parent = mo_memory_array(own, nodes, sizeof(int)),
        *number_of = mo_memory_array(own, nodes, sizeof(int));
    *islands = (mo_islands){
        .island = mo_memory_array(own, (size_t)problem->constraint_count, sizeof(int))};
    int made = parent && number_of && islands->island;
    mo_pace();
    if (made) {
        islands->count = number(problem, parent, number_of, islands->island);
        mo_pace();
        made = sort(own, problem->constraint_count, islands);
    }
    MO_FREE(own, parent, number_of);
    if (!made) mo_islands_clear(own, islands);
    return made ? MO_OK : MO_ERR_MEMORY;
}

void mo_islands_clear(const mo_allocator *allocator, mo_islands *islands)
{
    MO_FREE(allocator, islands->start, islands->member, islands->island);
    *islands = (mo_islands){0};
}

/* ---- one of them as a problem ---------------------------------------------------------------- */

/* The copied part: constraints `member`, and their bodies, both in rising order. */
typedef struct cut {
    const mo_problem *from;
    const int *member;
    int count;
    int *body; /* global problems */
    int body_count;
    /* number in the island of each body (global) or constraint (reduced); -1: elsewhere */
    const int *local;
    mo_problem *to;
} cut;

size_t mo_islands_scratch(const mo_problem *problem)
{
    return (size_t)node_count(problem);
}

/* Fills in local numbers; body has room for every block of the members. */
static void number_locally(cut *c, int *local)
{
    const mo_problem *from = c->from;
    if (from->form == MO_FORM_REDUCED) {
        for (int k = 0; k < c->count; ++k)
            local[c->member[k]] = k;
        return;
    }
    for (int m = 0; m < c->count; ++m) {
        const int i = c->member[m], d = mo_constraint_dim(from, i);
        const double *block = from->values + from->value_start[i];
        for (int k = from->block_start[i]; k < from->block_start[i + 1]; ++k) {
            const int b = from->block_index[k];
            const size_t count = (size_t)d * (size_t)mo_body_dim(from, b);
            if (local[b] < 0 && !is_zero(block, count)) {
                local[b] = 0;
                c->body[c->body_count++] = b;
            }
            block += count;
        }
    }
    qsort(c->body, (size_t)c->body_count, sizeof(int), mo_compare_ints);
    for (int k = 0; k < c->body_count; ++k)
        local[c->body[k]] = k;
}

static void forget_numbers(const cut *c, int *local)
{
    const int *list = c->from->form == MO_FORM_REDUCED ? c->member : c->body;
    const int count = c->from->form == MO_FORM_REDUCED ? c->count : c->body_count;
    for (int k = 0; k < count; ++k)
        local[list[k]] = -1;
}

/* Counts, and arrays of that many; false if memory ran out. */
static int make_arrays(cut *c)
{
    const mo_problem *from = c->from;
    mo_problem *to = c->to;
    const mo_allocator *own = &to->allocator;
    size_t masses = 0, values = 0, params = 0, blocks = 0;
    for (int k = 0; k < c->body_count; ++k) {
        const size_t n = (size_t)mo_body_dim(from, c->body[k]);
        to->dof_count += (int)n;
        masses += n * n;
    }
    for (int m = 0; m < c->count; ++m) {
        const int i = c->member[m], d = mo_constraint_dim(from, i);
        mo_pace_every(m, 512);
        to->row_count += d;
        params += (size_t)mo_law_param_count(mo_constraint_law(from, i), d);
        values += from->value_start[i + 1] - from->value_start[i];
        blocks += (size_t)(from->block_start[i + 1] - from->block_start[i]);
    }
    mo_pace();
    to->body_count = c->body_count;
    to->constraint_count = c->count;
    return MO_NEW_EACH(own, c->body_count + 1, int, &to->body_start) &&
           MO_NEW_EACH(own, c->body_count + 1, size_t, &to->mass_start) &&
           MO_NEW_EACH(own, masses, double, &to->M, &to->factor) &&
           MO_NEW_EACH(own, to->dof_count, double, &to->f) &&
           MO_NEW_EACH(own, c->body_count, uint8_t, &to->asymmetric) &&
           (!from->body_id || MO_NEW_EACH(own, c->body_count, uint32_t, &to->body_id)) &&
           (!from->rate_scale || MO_NEW_EACH(own, c->count, double, &to->rate_scale)) &&
           MO_NEW_EACH(own, c->count, mo_law_ref, &to->law) &&
           MO_NEW_EACH(own, params, double, &to->param) &&
           MO_NEW_EACH(own, to->row_count, double, &to->w) &&
           (!from->compliance || MO_NEW_EACH(own, to->row_count, double, &to->compliance)) &&
           MO_NEW_EACH(own, c->count + 1, int, &to->row_start, &to->block_start) &&
           MO_NEW_EACH(own, blocks, int, &to->block_index) &&
           MO_NEW_EACH(own, c->count + 1, size_t, &to->value_start) &&
           MO_NEW_EACH(own, values, double, &to->values);
}

static void copy_bodies(cut *c)
{
    const mo_problem *from = c->from;
    mo_problem *to = c->to;
    to->is_symmetric = 1;
    to->body_start[0] = 0;
    to->mass_start[0] = 0;
    for (int k = 0; k < c->body_count; ++k) {
        const int b = c->body[k], n = mo_body_dim(from, b);
        const size_t square = (size_t)n * (size_t)n, bytes = square * sizeof(double);
        mo_pace_every(k, 256);
        memcpy(to->M + to->mass_start[k], from->M + from->mass_start[b], bytes);
        memcpy(to->factor + to->mass_start[k], from->factor + from->mass_start[b], bytes);
        memcpy(to->f + to->body_start[k], from->f + from->body_start[b],
               (size_t)n * sizeof(double));
        to->asymmetric[k] = from->asymmetric[b];
        if (to->body_id) to->body_id[k] = from->body_id[b];
        to->is_symmetric = to->is_symmetric && !from->asymmetric[b];
        to->body_start[k + 1] = to->body_start[k] + n;
        to->mass_start[k + 1] = to->mass_start[k] + square;
    }
}

/* The blocks of constraint i that lead into the island, as those of constraint m. */
static void copy_blocks(cut *c, int i, int m)
{
    const mo_problem *from = c->from;
    mo_problem *to = c->to;
    const size_t d = (size_t)mo_constraint_dim(from, i);
    const double *block = from->values + from->value_start[i];
    int next = to->block_start[m];
    size_t place = to->value_start[m];
    for (int k = from->block_start[i]; k < from->block_start[i + 1]; ++k) {
        const int index = from->block_index[k];
        const size_t count = d * (size_t)mo_block_columns(from, index);
        if (c->local[index] >= 0) {
            to->block_index[next++] = c->local[index];
            memcpy(to->values + place, block, count * sizeof(double));
            place += count;
        }
        block += count;
    }
    to->block_start[m + 1] = next;
    to->value_start[m + 1] = place;
}

static void copy_constraints(cut *c)
{
    const mo_problem *from = c->from;
    mo_problem *to = c->to;
    to->row_start[0] = to->block_start[0] = 0;
    to->value_start[0] = 0;
    for (int m = 0; m < c->count; ++m) {
        const int i = c->member[m], d = mo_constraint_dim(from, i), row = from->row_start[i];
        const size_t params = (size_t)mo_law_param_count(mo_constraint_law(from, i), d),
                     bytes = (size_t)d * sizeof(double);
        mo_pace_every(m, 256);
        to->law[m] = (mo_law_ref){(uint32_t)to->param_count, from->law[i].kind};
        to->laws |= MO_LAW_BIT(from->law[i].kind);
        memcpy(to->param + to->param_count, mo_constraint_param(from, i), params * sizeof(double));
        to->param_count += params;
        memcpy(to->w + to->row_start[m], from->w + row, bytes);
        if (to->compliance)
            memcpy(to->compliance + to->row_start[m], from->compliance + row, bytes);
        if (to->rate_scale) to->rate_scale[m] = from->rate_scale[i];
        to->row_start[m + 1] = to->row_start[m] + d;
        copy_blocks(c, i, m);
    }
}

static mo_error copy_island(cut *c)
{
    mo_problem *to = c->to;
    memset(to, 0, sizeof *to);
    to->allocator = c->from->allocator;
    to->form = c->from->form;
    MO_FAIL_IF(!make_arrays(c), MO_ERR_MEMORY);
    copy_bodies(c);
    copy_constraints(c);
    return mo_views_create(to);
}

mo_error mo_islands_extract(const mo_problem *problem, const mo_islands *islands, int k, int *local,
                            mo_problem **out)
{
    const mo_allocator *own = &problem->allocator;
    cut c = {.from = problem,
             .member = islands->member + islands->start[k],
             .count = islands->start[k + 1] - islands->start[k],
             .local = local};
    size_t blocks = 0;
    for (int m = 0; m < c.count; ++m) {
        blocks +=
            (size_t)(problem->block_start[c.member[m] + 1] - problem->block_start[c.member[m]]);
    }
    c.body = mo_memory_array(own, blocks, sizeof(int));
    c.to = mo_memory_array(own, 1, sizeof *c.to);
    mo_error error = c.body && c.to ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        number_locally(&c, local);
        error = copy_island(&c);
        forget_numbers(&c, local);
        if (error) mo_problem_destroy(c.to);
    } else {
        mo_memory_free(own, c.to);
    }
    mo_memory_free(own, c.body);
    *out = error ? NULL : c.to;
    return error;
}
