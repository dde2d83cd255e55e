/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/device_arrange.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/vec3.h"
#include "problem/pair_order.h"

/* A manifold of the batches, in one lane of one of them. */
typedef struct node {
    int batch, lane, first, count; /* first: constraint */
    uint8_t colour, is_slot;
} node;

typedef struct nodes {
    node *at;
    int *number; /* of each node: its slot or manifold */
    int count;
} nodes;

/* ---- nodes ----------------------------------------------------------------------------------- */

static int constraint_at(const mo_batches *b, const mo_batch *batch, int k, int lane)
{
    return b->constraint[(size_t)(batch->point + k) * MO_LANES + (size_t)lane];
}

static int points_in(const mo_batches *b, const mo_batch *batch, int lane)
{
    int count = 0;
    while (count < batch->point_count && constraint_at(b, batch, count, lane) >= 0)
        ++count;
    return count;
}

/* Alone, central, and with w along the normal to rounding? */
static int is_slot(const mo_batches *b, const mo_batch *batch, int lane, int count)
{
    const mo_points *p = mo_batch_points(b, batch, 0);
    const double n[3] = {p->n[lane], p->n[MO_LANES + lane], p->n[2 * MO_LANES + lane]},
                 w[3] = {p->w[lane], p->w[MO_LANES + lane], p->w[2 * MO_LANES + lane]};
    const double w_N = mo_vec3_dot(w, n);
    double off[3];
    mo_vec3_along(w, -w_N, n, off);
    return batch->is_central && count == 1 && mo_vec3_norm(off) <= 1e-14 * mo_vec3_norm(w);
}

/* The manifolds of the batches of one group. */
static int find_in_group(const mo_batches *b, int group, node *found, int *node_of, int count)
{
    const int is_rest = b->last_is_sequential && group == b->group_count - 1;
    for (int k = b->group[group].first_batch; k < b->group[group].last_batch; ++k) {
        for (int lane = 0; lane < MO_LANES; ++lane) {
            const int points = points_in(b, b->batch + k, lane);
            if (points > 0) {
                const int first = constraint_at(b, b->batch + k, 0, lane);
                found[count] = (node){k,
                                      lane,
                                      first,
                                      points,
                                      (uint8_t)(is_rest ? MO_COLOUR_REST : group),
                                      (uint8_t)is_slot(b, b->batch + k, lane, points)};
                node_of[first] = count++;
            }
        }
    }
    return count;
}

/* By rising constraint, with the colours of the batches. */
static void find_nodes(const mo_batches *b, int *node_of, nodes *all)
{
    const int constraints = b->problem->constraint_count;
    node *found = all->at + constraints; /* behind the sorted ones */
    memset(node_of, 0xff, (size_t)constraints * sizeof *node_of);
    for (int g = 0, count = 0; g < b->group_count; ++g)
        count = find_in_group(b, g, found, node_of, count);
    for (int i = 0; i < constraints; ++i)
        if (node_of[i] >= 0) all->at[all->count++] = found[node_of[i]];
}

/* Slots and manifolds in the order of their colours. */
static void number_nodes(nodes *all, mo_device_sweeps *s, int *rest)
{
    for (int c = 0; c < MO_COLOURS; ++c) {
        s->slot_start[c] = s->slots;
        s->manifold_start[c] = s->manifolds;
        for (int k = 0; k < all->count; ++k) {
            const node *n = all->at + k;
            if (n->colour == c) {
                all->number[k] = n->is_slot ? s->slots++ : s->manifolds++;
                s->points += n->is_slot ? 0 : n->count;
            }
            if (n->colour == c && c == MO_COLOUR_REST)
                rest[s->rest_count++] = n->is_slot ? all->number[k] : -1 - all->number[k];
        }
    }
    s->slot_start[MO_COLOURS] = s->slots;
    s->manifold_start[MO_COLOURS] = s->manifolds;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Offsets in the two arrays that are transferred together. */
static void set_arrays(mo_device_sweeps *s, double *number, int *index)
{
    const size_t slots = (size_t)s->slots, points = (size_t)s->points,
                 manifolds = (size_t)s->manifolds;
    mo_slots *a = &s->slot_arrays;
    mo_manifolds *m = &s->manifold_arrays;
    a->room = slots;
    a->n = number;
    a->w_N = a->n + 3 * slots;
    a->mu = a->w_N + slots;
    a->lever_1 = a->mu + slots;
    a->lever_2 = a->lever_1 + slots;
    m->room = points;
    m->n = a->lever_2 + slots;
    m->w = m->n + 3 * points;
    m->arm_1 = m->w + 3 * points;
    m->arm_2 = m->arm_1 + 3 * points;
    m->W_TN = m->arm_2 + 3 * points;
    m->mu = m->W_TN + 3 * points;
    m->inverse_N = m->mu + points;
    m->inverse_T = m->inverse_N + points;
    a->one = index;
    a->two = a->one + slots;
    m->one = a->two + slots;
    m->two = m->one + manifolds;
    m->first = m->two + manifolds;
    s->rest = m->first + manifolds + 1;
}

static size_t number_count(const mo_device_sweeps *s)
{
    return 7 * (size_t)s->slots + 18 * (size_t)s->points;
}

static size_t index_count(const mo_device_sweeps *s)
{
    return 2 * (size_t)s->slots + 3 * (size_t)s->manifolds + 1 + (size_t)s->rest_count;
}

static void copy_vector(const double *lanes, int lane, double *to, size_t apart, size_t i)
{
    for (size_t x = 0; x < 3; ++x)
        to[x * apart + i] = lanes[x * MO_LANES + (size_t)lane];
}

static void pack_slot(const mo_batches *b, const node *n, const mo_slots *a, size_t i)
{
    const mo_batch *batch = b->batch + n->batch;
    const mo_points *p = mo_batch_points(b, batch, 0);
    const int lane = n->lane;
    copy_vector(p->n, lane, a->n, a->room, i);
    a->w_N[i] = p->w[lane] * p->n[lane] + p->w[MO_LANES + lane] * p->n[MO_LANES + lane] +
                p->w[2 * MO_LANES + lane] * p->n[2 * MO_LANES + lane];
    a->mu[i] = p->mu[lane];
    a->lever_1[i] = p->arms[lane];
    a->lever_2[i] = p->arms[MO_LANES + lane];
    a->one[i] = batch->line[0][lane];
    a->two[i] = batch->line[1][lane];
}

/* A lever is an arm along the normal. */
static void pack_point(const mo_batches *b, const node *n, int k, const mo_manifolds *m, size_t i)
{
    const mo_batch *batch = b->batch + n->batch;
    const mo_points *p = mo_batch_points(b, batch, k);
    const int lane = n->lane;
    copy_vector(p->n, lane, m->n, m->room, i);
    copy_vector(p->w, lane, m->w, m->room, i);
    m->mu[i] = p->mu[lane];
    m->inverse_N[i] = p->inverse_N[lane];
    m->inverse_T[i] = p->inverse_T[lane];
    if (!batch->is_central) {
        copy_vector(p->arms, lane, m->arm_1, m->room, i);
        copy_vector(p->arms + 3 * MO_LANES, lane, m->arm_2, m->room, i);
        copy_vector(p->arms + 6 * MO_LANES, lane, m->W_TN, m->room, i);
        return;
    }
    for (size_t x = 0; x < 3; ++x) {
        const double e = p->n[x * MO_LANES + (size_t)lane];
        m->arm_1[x * m->room + i] = p->arms[lane] * e;
        m->arm_2[x * m->room + i] = p->arms[MO_LANES + lane] * e;
        m->W_TN[x * m->room + i] = 0;
    }
}

/* Points of manifolds by rising number of these. */
static void count_points(const nodes *all, int manifolds, int *first)
{
    memset(first, 0, ((size_t)manifolds + 1) * sizeof *first);
    for (int k = 0; k < all->count; ++k)
        if (!all->at[k].is_slot) first[all->number[k] + 1] = all->at[k].count;
    mo_running_sums(manifolds, first);
}

static void pack(const mo_device_arrangement *a, const nodes *all, const mo_device_sweeps *s)
{
    const mo_batches *b = a->batches;
    count_points(all, s->manifolds, s->manifold_arrays.first);
    for (int k = 0; k < all->count; ++k) {
        const node *n = all->at + k;
        const int number = all->number[k];
        if (n->is_slot) {
            pack_slot(b, n, &s->slot_arrays, (size_t)number);
            a->constraint[number] = n->first;
            continue;
        }
        s->manifold_arrays.one[number] = b->batch[n->batch].line[0][n->lane];
        s->manifold_arrays.two[number] = b->batch[n->batch].line[1][n->lane];
        for (int p = 0; p < n->count; ++p) {
            const int at = s->manifold_arrays.first[number] + p;
            pack_point(b, n, p, &s->manifold_arrays, (size_t)at);
            a->constraint[s->slots + at] = n->first + p;
        }
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

static mo_error write_over(mo_device_arrangement *a, const nodes *all, const int *rest)
{
    const mo_allocator *own = &a->batches->problem->allocator;
    mo_device_sweeps *s = &a->sweeps, here = *s;
    mo_device *device = s->device;
    double *number = mo_memory_array(own, number_count(s), sizeof *number);
    int *index = mo_memory_array(own, index_count(s), sizeof *index);
    const mo_error error = number && index ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        set_arrays(&here, number, index);
        pack(a, all, &here);
        memcpy(index + (here.rest - index), rest, (size_t)s->rest_count * sizeof *rest);
        set_arrays(s, MO_TAKE_BUFFER(device, &a->numbers, number_count(s), double),
                   MO_TAKE_BUFFER(device, &a->indices, index_count(s), int));
        mo_device_write(device, a->numbers.at, number, number_count(s) * sizeof *number);
        mo_device_write(device, a->indices.at, index, index_count(s) * sizeof *index);
    }
    MO_FREE(own, number, index);
    return error ? error : mo_device_error(device, NULL);
}

static void write_lines(mo_device_arrangement *a)
{
    const mo_batches *b = a->batches;
    mo_device_sweeps *s = &a->sweeps;
    const size_t bytes = (size_t)b->line_count * sizeof(mo_line);
    s->lines = b->line_count;
    s->moving = b->line_count - 1; /* the last is the world */
    s->free_line = MO_TAKE_BUFFER(s->device, &a->lines, b->line_count, mo_line);
    s->inertia = MO_TAKE_BUFFER(s->device, &a->inertia, b->line_count * MO_LINE, double);
    mo_device_write(s->device, a->lines.at, b->free_state, bytes);
    mo_device_write(s->device, a->inertia.at, b->inertia, bytes);
}

static mo_error arrange(mo_device_arrangement *a, nodes *all, int *node_of)
{
    find_nodes(a->batches, node_of, all);
    number_nodes(all, &a->sweeps, node_of); /* no longer needed */
    write_lines(a);
    return write_over(a, all, node_of);
}

mo_error mo_device_arrange(mo_device *device, const mo_batches *batches, mo_device_arrangement *out)
{
    const mo_allocator *own = &batches->problem->allocator;
    const size_t count = (size_t)batches->problem->constraint_count;
    nodes all = {.at = mo_memory_array(own, 2 * count, sizeof *all.at),
                 .number = mo_memory_array(own, count, sizeof *all.number)};
    int *node_of = mo_memory_array(own, count, sizeof *node_of);
    *out =
        (mo_device_arrangement){.batches = batches,
                                .constraint = mo_memory_array(own, count, sizeof *out->constraint),
                                .staging = mo_memory_array(own, 3 * count, sizeof *out->staging)};
    mo_device_sweeps_begin(device, &out->sweeps);
    out->sweeps.constraints = batches->problem->constraint_count;
    out->sweeps.friction = batches->friction;
    const int has_room = all.at && all.number && node_of && out->constraint && out->staging;
    const mo_error error = has_room ? arrange(out, &all, node_of) : MO_ERR_MEMORY;
    MO_FREE(own, all.at, all.number, node_of);
    if (error) mo_device_arrangement_end(out);
    return error;
}

void mo_device_arrangement_end(mo_device_arrangement *a)
{
    const mo_allocator *own = &a->batches->problem->allocator;
    mo_device *device = a->sweeps.device;
    mo_device_sweeps_end(&a->sweeps);
    mo_buffer_free(device, &a->numbers);
    mo_buffer_free(device, &a->indices);
    mo_buffer_free(device, &a->lines);
    mo_buffer_free(device, &a->inertia);
    MO_FREE(own, a->constraint, a->staging);
}

/* ---- impulses -------------------------------------------------------------------------------- */

static const double *frame_of(const mo_device_arrangement *a, int i)
{
    return a->batches->compact->contact[a->batches->compact->contact_of[i]].frame;
}

void mo_device_write_impulses(mo_device_arrangement *a, const double *r)
{
    size_t apart;
    double *to = mo_device_sweeps_room(&a->sweeps, &apart);
    for (size_t k = 0; k < apart; ++k) {
        const double *e = frame_of(a, a->constraint[k]),
                     *own = r + a->batches->problem->row_start[a->constraint[k]];
        for (size_t x = 0; x < 3; ++x)
            a->staging[x * apart + k] = own[0] * e[x] + own[1] * e[3 + x] + own[2] * e[6 + x];
    }
    mo_device_write(a->sweeps.device, to, a->staging, 3 * apart * sizeof *to);
}

void mo_device_read_impulses(mo_device_arrangement *a, double *r)
{
    const size_t apart = (size_t)a->sweeps.slots + (size_t)a->sweeps.points;
    mo_device_read(a->sweeps.device, a->staging, a->sweeps.impulses[0].at,
                   3 * apart * sizeof *a->staging);
    for (size_t k = 0; k < apart; ++k) {
        const double *e = frame_of(a, a->constraint[k]);
        const double own[3] = {a->staging[k], a->staging[apart + k], a->staging[2 * apart + k]};
        double *to = r + a->batches->problem->row_start[a->constraint[k]];
        for (int x = 0; x < 3; ++x)
            to[x] = mo_vec3_dot(own, e + 3 * x);
    }
}
