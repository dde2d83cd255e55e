/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/batches.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pace.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "problem/batch_kernel.h"
#include "problem/batch_point.h"
#include "problem/hashed_colours.h"

static const double CENTRAL = 1e-10; /* relative to the lever: distance of a normal from a centre */

/* A manifold, or a constraint in rows. */
typedef struct node {
    int first, count; /* constraints */
    uint8_t kind, colour, is_inner;
} node;

/* Nodes of a colour: outer ones first, then by kind and by falling points, for few empty lanes. */
enum { KIND_CENTRAL, KIND_GENERAL, KIND_ROWS, SIZES = 8, HALF = 2 * SIZES + 1, KEYS = 2 * HALF };

typedef struct nodes {
    node *at;
    int count;
    int *order; /* by colour and key */
    int start[MO_COLOURS * KEYS + 1];
    int colour_count; /* all colours are below this */
    int group_count;  /* one for each colour below this, even if empty; 0: for those in use */
    int keeps_sizes;  /* a batch has manifolds of one size */
} nodes;

static int key_of(const node *n)
{
    const int size = n->count < SIZES ? n->count : SIZES;
    return n->colour * KEYS + n->is_inner * HALF +
           (n->kind == KIND_ROWS ? 2 * SIZES : n->kind * SIZES + SIZES - size);
}

/* ---- manifolds ------------------------------------------------------------------------------- */

static int is_central(const mo_problem *problem, const mo_compact *compact,
                      const mo_compact_contact *contact)
{
    for (int side = 0; side < 2; ++side) {
        const double *arm = contact->arm[side];
        const int moves = contact->body[side] < problem->body_count;
        double off[3];
        if (moves && !compact->rigid[contact->body[side]].is_isotropic) return 0;
        const double lever = mo_vec3_dot(arm, contact->frame);
        mo_vec3_along(arm, -lever, contact->frame, off);
        if (moves && !(mo_vec3_dot(off, off) <= CENTRAL * CENTRAL * lever * lever)) return 0;
    }
    return 1;
}

/* The manifolds and rows of a problem, and the largest friction. */
static void make_nodes(mo_batches *b, nodes *out)
{
    const mo_problem *problem = b->problem;
    const mo_compact *compact = b->compact;
    const mo_compact_contact *before = NULL; /* the contact of the constraint before */
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int k = compact->contact_of[i];
        const mo_compact_contact *contact = k >= 0 ? compact->contact + k : NULL;
        const int kind = !contact                                ? KIND_ROWS
                         : is_central(problem, compact, contact) ? KIND_CENTRAL
                                                                 : KIND_GENERAL;
        node *last = out->at + out->count - 1;
        mo_pace_every(i, 512);
        b->friction = contact ? fmax(b->friction, *mo_constraint_param(problem, i)) : b->friction;
        if (contact && before && contact->body[0] == before->body[0] &&
            contact->body[1] == before->body[1]) {
            last->count++;
            last->kind = (uint8_t)(kind > last->kind ? kind : last->kind);
        } else {
            out->at[out->count++] = (node){i, 1, (uint8_t)kind, 0, 0};
        }
        before = contact;
    }
}

/* The bodies of each node, for the colours. */
static void list_bodies(const mo_problem *problem, const nodes *all, int *start, int *body)
{
    int count = 0;
    for (int k = 0; k < all->count; ++k) {
        const int i = all->at[k].first;
        mo_pace_every(k, 512);
        start[k] = count;
        for (int j = problem->block_start[i]; j < problem->block_start[i + 1]; ++j)
            body[count++] = problem->block_index[j];
    }
    start[all->count] = count;
}

static mo_error hash_colours(const mo_problem *problem, nodes *all)
{
    const mo_allocator *own = &problem->allocator;
    const size_t blocks = (size_t)problem->block_start[problem->constraint_count],
                 count = (size_t)all->count;
    int *start = mo_memory_array(own, count + 1 + blocks, sizeof *start);
    uint8_t *colour = mo_memory_array(own, count, sizeof *colour);
    mo_error error = start && colour ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        int *body = start + count + 1;
        const mo_colour_graph g = {problem->body_count, all->count, start, body, problem->body_id};
        list_bodies(problem, all, start, body);
        mo_pace();
        error = mo_colour_nodes(own, &g, colour);
    }
    for (int k = 0; !error && k < all->count; ++k) {
        all->at[k].colour = colour[k];
        all->colour_count = colour[k] < all->colour_count ? all->colour_count : colour[k] + 1;
    }
    MO_FREE(own, start, colour);
    return error;
}

static mo_error take_order(const mo_batch_order *order, nodes *all)
{
    all->group_count = all->colour_count = order->colour_count;
    all->keeps_sizes = 1;
    for (int k = 0; k < all->count; ++k) {
        node *n = all->at + k;
        n->colour = order->colour[n->first];
        n->is_inner = !order->is_outer[n->first];
    }
    return MO_OK;
}

static void sort_nodes(nodes *all)
{
    memset(all->start, 0, ((size_t)all->colour_count * KEYS + 1) * sizeof *all->start);
    for (int k = 0; k < all->count; ++k) {
        mo_pace_every(k, 1024);
        ++all->start[key_of(all->at + k) + 1];
    }
    mo_pace();
    mo_running_sums(all->colour_count * KEYS, all->start);
    for (int k = 0; k < all->count; ++k) {
        mo_pace_every(k, 1024);
        all->order[all->start[key_of(all->at + k)]++] = k;
    }
    for (int key = all->colour_count * KEYS; key > 0; --key)
        all->start[key] = all->start[key - 1];
    all->start[0] = 0;
}

/* ---- the layout ------------------------------------------------------------------------------ */

static int most_points(const nodes *all, int begin, int end)
{
    int most = 0;
    for (int k = begin; k < end; ++k) {
        const int count = all->at[all->order[k]].count;
        most = count > most ? count : most;
    }
    return most;
}

/* First and last place in order[] of the batches of one kind and colour. */
typedef struct span {
    int begin, end, lanes, is_central;
} span;

static span span_of(const nodes *all, int colour, int is_inner, int kind)
{
    const int *start = all->start + colour * KEYS + is_inner * HALF + kind * SIZES;
    return (span){start[0], start[SIZES], colour == MO_COLOUR_REST ? 1 : MO_LANES,
                  kind == KIND_CENTRAL};
}

/* End of the batch that begins here. */
static int batch_end(const nodes *all, span s, int begin)
{
    const int most = begin + s.lanes < s.end ? begin + s.lanes : s.end;
    int end = begin + 1;
    while (end < most && (!all->keeps_sizes ||
                          all->at[all->order[end]].count == all->at[all->order[begin]].count))
        ++end;
    return end;
}

/* Counts the batches of a span, and writes them if there is room. */
static void add_batches(const nodes *all, span s, mo_batches *out, size_t *data)
{
    for (int begin = s.begin, end; begin < s.end; begin = end) {
        mo_pace_every(out->batch_count, 64);
        end = batch_end(all, s, begin);
        const int points = most_points(all, begin, end);
        if (out->batch) {
            out->batch[out->batch_count] = (mo_batch){.data = *data,
                                                      .point = out->point_count,
                                                      .point_count = points,
                                                      .is_central = s.is_central};
        }
        ++out->batch_count;
        out->point_count += points;
        *data += (size_t)points * (s.is_central ? MO_POINTS_CENTRAL : MO_POINTS_GENERAL);
    }
}

static size_t row_values(const mo_problem *problem, int i)
{
    return problem->value_start[i + 1] - problem->value_start[i];
}

static size_t row_numbers(const mo_problem *problem, int i)
{
    const size_t d = (size_t)mo_constraint_dim(problem, i);
    return d * d + 2 * row_values(problem, i);
}

static void add_rows(const nodes *all, int colour, int is_inner, mo_batches *out, size_t *data)
{
    const int *start = all->start + colour * KEYS + is_inner * HALF + 2 * SIZES;
    for (int k = start[0]; k < start[1]; ++k, ++out->row_count) {
        const int i = all->at[all->order[k]].first;
        if (out->row) {
            const size_t push = *data + row_numbers(out->problem, i) - row_values(out->problem, i);
            out->row[out->row_count] = (mo_row_block){i, *data, push};
        }
        *data += row_numbers(out->problem, i);
    }
}

/* Counts groups, batches and rows, or writes them if there is room. */
static void add_groups(const nodes *all, mo_batches *out, size_t *data, size_t *row_data)
{
    out->group_count = out->batch_count = out->point_count = out->row_count = 0;
    *data = *row_data = 0;
    for (int c = 0; c < all->colour_count; ++c) {
        if (c >= all->group_count && all->start[c * KEYS] == all->start[(c + 1) * KEYS]) continue;
        mo_colour_group group = {.first_batch = out->batch_count, .first_row = out->row_count};
        for (int is_inner = 0; is_inner < 2; ++is_inner) {
            group.inner_batch = out->batch_count;
            group.inner_row = out->row_count;
            add_batches(all, span_of(all, c, is_inner, KIND_CENTRAL), out, data);
            add_batches(all, span_of(all, c, is_inner, KIND_GENERAL), out, data);
            add_rows(all, c, is_inner, out, row_data);
        }
        group.last_batch = out->batch_count;
        group.last_row = out->row_count;
        if (out->group) out->group[out->group_count] = group;
        ++out->group_count;
    }
    out->last_is_sequential = all->colour_count == MO_COLOURS;
}

/* ---- the state ------------------------------------------------------------------------------- */

static int lines_of(const mo_problem *problem, int body)
{
    return (mo_body_dim(problem, body) + MO_LINE - 1) / MO_LINE;
}

/* out = M^-1 x of one body. */
static void accelerate(const mo_batches *b, int body, const double *x, double *out)
{
    const mo_problem *problem = b->problem;
    const mo_rigid *rigid = b->compact->rigid + body;
    const int n = mo_body_dim(problem, body);
    if (rigid->inverse_mass > 0) {
        mo_rigid_accelerate(rigid, x, out);
        return;
    }
    memcpy(out, x, (size_t)n * sizeof *out);
    mo_solve_factored(n, mo_body_factor(problem, body), out);
}

static void clear_lines(const mo_batches *b, int first, int count)
{
    for (size_t k = (size_t)first * MO_LINE; k < (size_t)(first + count) * MO_LINE; ++k)
        b->free_state[k] = b->inertia[k] = 0;
}

static void fill_state(mo_batches *b)
{
    const mo_problem *problem = b->problem;
    int line = 0;
    clear_lines(b, b->line_count - 1, 1); /* the world */
    for (int body = 0; body < problem->body_count; ++body) {
        const mo_rigid *rigid = b->compact->rigid + body;
        double *state = b->free_state + (size_t)line * MO_LINE;
        mo_pace_every(body, 256);
        b->line_of[body] = line;
        clear_lines(b, line, lines_of(problem, body));
        accelerate(b, body, problem->f + problem->body_start[body], state);
        if (rigid->inverse_mass > 0) {
            mo_motion *motion = (mo_motion *)(void *)state;
            motion->inverse_mass = rigid->inverse_mass;
            motion->inverse_inertia = rigid->inverse_inertia[0];
            memcpy(b->inertia + (size_t)line * MO_LINE, rigid->inverse_inertia,
                   sizeof rigid->inverse_inertia);
        }
        line += lines_of(problem, body);
    }
    mo_pace();
}

/* ---- the numbers of batches and rows --------------------------------------------------------- */

static int line_of(const mo_batches *b, int body)
{
    return body < b->problem->body_count ? b->line_of[body] : b->line_count - 1;
}

static void fill_lane(const mo_batches *b, mo_batch *batch, int lane, const node *n)
{
    const mo_compact_contact *contact = b->compact->contact + b->compact->contact_of[n->first];
    for (int side = 0; side < 2; ++side)
        batch->line[side][lane] = line_of(b, contact->body[side]);
    for (int k = 0; k < n->count; ++k)
        mo_batch_fill_point(b, batch, k, lane, n->first + k);
}

/* A batch with manifolds of fewer points, or with fewer than its lanes, begins with no point. */
static void clear_batch(const mo_batches *b, const mo_batch *batch)
{
    char *begin = (char *)mo_batch_points(b, batch, 0),
         *end = (char *)mo_batch_points(b, batch, batch->point_count);
    memset(begin, 0, (size_t)(end - begin));
    memset(b->constraint + (size_t)batch->point * MO_LANES, 0xff,
           (size_t)batch->point_count * MO_LANES * sizeof *b->constraint);
}

static void fill_span(const mo_batches *b, const nodes *all, span s, int *batch_number)
{
    const int world = b->line_count - 1;
    for (int begin = s.begin, end; begin < s.end; begin = end) {
        mo_batch *batch = b->batch + (*batch_number)++;
        int points = 0;
        mo_pace_every(*batch_number, 16);
        end = batch_end(all, s, begin);
        for (int k = begin; k < end; ++k)
            points += all->at[all->order[k]].count;
        if (points < MO_LANES * batch->point_count) clear_batch(b, batch);
        for (int lane = 0; lane < MO_LANES; ++lane) {
            batch->line[0][lane] = batch->line[1][lane] = world;
            if (begin + lane < end) fill_lane(b, batch, lane, all->at + all->order[begin + lane]);
            batch->touches_world |= batch->line[0][lane] == world || batch->line[1][lane] == world;
        }
    }
}

static void fill_batches(const mo_batches *b, const nodes *all)
{
    int number = 0;
    for (int c = 0; c < all->colour_count; ++c) {
        for (int is_inner = 0; is_inner < 2; ++is_inner) {
            mo_pace();
            fill_span(b, all, span_of(all, c, is_inner, KIND_CENTRAL), &number);
            fill_span(b, all, span_of(all, c, is_inner, KIND_GENERAL), &number);
        }
    }
    mo_batch_respond(&(mo_batch_pass){.batches = b, .state = b->free_state}, 0, b->batch_count);
}

static void fill_row(const mo_batches *b, const mo_row_block *row)
{
    const mo_problem *problem = b->problem;
    const int i = row->constraint, d = mo_constraint_dim(problem, i);
    double *W = b->row_data + row->data, *J = W + d * d, *push = b->row_data + row->push;
    memcpy(J, problem->values + problem->value_start[i], row_values(problem, i) * sizeof *J);
    memset(W, 0, (size_t)(d * d) * sizeof *W);
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int body = problem->block_index[k], n = mo_body_dim(problem, body);
        for (int j = 0; j < d; ++j)
            accelerate(b, body, J + (size_t)j * n, push + (size_t)j * n);
        for (int j = 0; j < d; ++j)
            for (int m = 0; m < d; ++m)
                W[j * d + m] += mo_dot(n, J + (size_t)j * n, push + (size_t)m * n);
        J += (size_t)d * n;
        push += (size_t)d * n;
    }
    for (int k = 0; problem->compliance && k < d; ++k) /* added last, like w */
        W[k * d + k] += problem->compliance[problem->row_start[i] + k];
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* The arrays of the arrangement; without memory to take them from they are counted. */
static void take_arrays(mo_arena *arena, size_t data, size_t row_data, mo_batches *b)
{
    const size_t lines = (size_t)b->line_count;
    b->data = MO_TAKE(arena, data, double);
    b->free_state = MO_TAKE(arena, lines * MO_LINE, double);
    b->inertia = MO_TAKE(arena, lines * MO_LINE, double);
    b->batch = MO_TAKE(arena, b->batch_count, mo_batch);
    b->row = MO_TAKE(arena, b->row_count, mo_row_block);
    b->row_data = MO_TAKE(arena, row_data, double);
    b->group = MO_TAKE(arena, b->group_count, mo_colour_group);
    b->line_of = MO_TAKE(arena, b->problem->body_count, int);
    b->constraint = MO_TAKE(arena, (size_t)b->point_count * MO_LANES, int);
}

static mo_error make_arrays(const mo_allocator *own, nodes *all, mo_batches *b)
{
    size_t data, row_data;
    mo_arena arena = {0};
    sort_nodes(all);
    mo_pace();
    add_groups(all, b, &data, &row_data);
    take_arrays(&arena, data, row_data, b);
    b->bytes = arena.used + MO_ARENA_ALIGN;
    b->memory = mo_arena_allocate(&arena, own);
    MO_NEED_MEMORY(b->memory, NULL);
    take_arrays(&arena, data, row_data, b);
    add_groups(all, b, &data, &row_data);
    return MO_OK;
}

static mo_error arrange(const mo_allocator *own, const mo_batch_order *order, mo_batches *b)
{
    const mo_problem *problem = b->problem;
    const size_t count = (size_t)problem->constraint_count;
    nodes all; /* start is set when it is needed */
    all.at = mo_memory_array(own, count, sizeof *all.at);
    all.order = mo_memory_array(own, count, sizeof *all.order);
    all.count = all.colour_count = all.group_count = all.keeps_sizes = 0;
    mo_error error = all.at && all.order ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        make_nodes(b, &all);
        mo_pace();
        error = order ? take_order(order, &all) : hash_colours(problem, &all);
        mo_pace();
    }
    error = error ? error : make_arrays(own, &all, b);
    mo_pace();
    if (!error) {
        fill_state(b);
        mo_pace();
        fill_batches(b, &all);
    }
    for (int k = 0; !error && k < b->row_count; ++k)
        fill_row(b, b->row + k);
    MO_FREE(own, all.at, all.order);
    return error;
}

mo_error mo_batches_create(const mo_problem *problem, const mo_compact *compact,
                           const mo_batch_order *order, mo_batches **out)
{
    const mo_allocator *own = &problem->allocator;
    mo_batches *b = mo_memory_array(own, 1, sizeof *b);
    *out = NULL;
    MO_NEED_MEMORY(b, NULL);
    *b = (mo_batches){.problem = problem, .compact = compact, .line_count = 1};
    for (int body = 0; body < problem->body_count; ++body)
        b->line_count += lines_of(problem, body);
    const mo_error error = arrange(own, order, b);
    if (error) {
        mo_batches_destroy(own, b);
        return error;
    }
    *out = b;
    return MO_OK;
}

void mo_batches_destroy(const mo_allocator *own, mo_batches *batches)
{
    if (batches) MO_FREE(own, batches->memory, batches);
}
