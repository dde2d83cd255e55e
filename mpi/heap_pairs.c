/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Ghosts, and all contact points that may close in a step.
 *
 * With c the mean of all velocities and v the largest |velocity - c|, including rotation at the
 * surface, a gap between bodies closes by at most 2 v h in a step, the reach.  Each rank receives
 * the bodies within reach of the bounding box of its own.  Cells of the width of the largest body
 * plus the reach give the pairs of neighbouring cells.  A wall is tested if the speed of the body
 * can reach it.  Two balls, or a ball and a wall, have one point; all others use the narrow phase
 * of the library.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "mail.h"
#include "spread.h"

static const double MARGIN = 0.05; /* of the radius, on top of the reach */

int mo_heap_by_id(const void *a, const void *b)
{
    const uint32_t x = ((const mo_heap_body *)a)->id, y = ((const mo_heap_body *)b)->id;
    return (x > y) - (x < y);
}

/* ---- ghosts --------------------------------------------------------------------------------- */

/* Lower bounds, and upper ones with a minus. */
static void box_around(const mo_heap *heap, double box[6])
{
    for (int k = 0; k < 6; ++k) {
        box[k] = INFINITY;
    }
    for (int b = 0; b < heap->count; ++b) {
        for (int k = 0; k < 3; ++k) {
            box[k] = fmin(box[k], heap->own[b].at[k]);
            box[3 + k] = fmin(box[3 + k], -heap->own[b].at[k]);
        }
    }
}

static int is_near(const double box[6], const double at[3], double distance)
{
    for (int k = 0; k < 3; ++k) {
        if (at[k] < box[k] - distance || -at[k] < box[3 + k] - distance) {
            return 0;
        }
    }
    return 1;
}

/* Own bodies that lie near the box of another rank, by rank; only counted without room. */
static int list_ghosts(mo_heap *heap, const double *boxes, double distance, int *sent)
{
    int total = 0;
    for (int rank = 0; rank < heap->size; ++rank) {
        heap->ghosts_for[rank] = 0;
        for (int b = 0; rank != heap->rank && b < heap->count; ++b) {
            if (is_near(boxes + 6 * rank, heap->own[b].at, distance)) {
                if (sent) {
                    sent[total] = b;
                }
                ++total;
                ++heap->ghosts_for[rank];
            }
        }
    }
    return total;
}

static mo_error exchange_ghosts(mo_heap *heap, double distance, mo_heap_body **ghosts)
{
    double own[6], *boxes = malloc(6 * (size_t)heap->size * sizeof *boxes);
    mo_heap_body *out = NULL;
    void *in = NULL;
    *ghosts = NULL;
    mo_error error = mo_mpi_agree(heap->comm, boxes ? MO_OK : MO_ERR_MEMORY, NULL);
    if (error) {
        return error;
    }
    box_around(heap, own);
    MPI_Allgather(own, 6, MPI_DOUBLE, boxes, 6, MPI_DOUBLE, heap->comm);
    heap->sent_count = list_ghosts(heap, boxes, distance, NULL);
    free(heap->sent);
    heap->sent = malloc(((size_t)heap->sent_count + 1) * sizeof *heap->sent);
    out = malloc(((size_t)heap->sent_count + 1) * sizeof *out);
    error = mo_mpi_agree(heap->comm, heap->sent && out ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        list_ghosts(heap, boxes, distance, heap->sent);
        for (int k = 0; k < heap->sent_count; ++k) {
            out[k] = heap->own[heap->sent[k]];
        }
        error =
            mo_mail(heap->comm, sizeof *out, heap->ghosts_for, out, &in, &heap->ghost_count, NULL);
        *ghosts = in;
    }
    free(boxes);
    free(out);
    return error;
}

/* Own bodies and ghosts by rising id; arrived[k] becomes the place of the k-th ghost. */
static mo_error merge(mo_heap *heap, const mo_heap_body *ghosts)
{
    heap->all_count = heap->count + heap->ghost_count;
    free(heap->all);
    free(heap->arrived);
    heap->all = malloc(((size_t)heap->all_count + 1) * sizeof *heap->all);
    heap->arrived = malloc(((size_t)heap->ghost_count + 1) * sizeof *heap->arrived);
    if (!heap->all || !heap->arrived) {
        return MO_ERR_MEMORY;
    }
    memcpy(heap->all, heap->own, (size_t)heap->count * sizeof *heap->all);
    if (heap->ghost_count) {
        memcpy(heap->all + heap->count, ghosts, (size_t)heap->ghost_count * sizeof *heap->all);
        qsort(heap->all, (size_t)heap->all_count, sizeof *heap->all, mo_heap_by_id);
    }
    for (int k = 0; k < heap->ghost_count; ++k) {
        const mo_heap_body *found = bsearch(ghosts + k, heap->all, (size_t)heap->all_count,
                                            sizeof *heap->all, mo_heap_by_id);
        heap->arrived[k] = (int)(found - heap->all);
    }
    return MO_OK;
}

/* ---- cells ---------------------------------------------------------------------------------- */

typedef struct cells {
    double low[3], width;
    int n[3];
    int *first, *next; /* body of a cell, and the one after it; -1 ends */
} cells;

static int cell_of(const cells *c, const double at[3], int place[3])
{
    for (int k = 0; k < 3; ++k) {
        place[k] = (int)((at[k] - c->low[k]) / c->width);
        place[k] = place[k] < 0 ? 0 : place[k] >= c->n[k] ? c->n[k] - 1 : place[k];
    }
    return (place[2] * c->n[1] + place[1]) * c->n[0] + place[0];
}

/* As wide as asked for, wider where bodies lie so far apart that there would be many empty ones. */
static int make_cells(const mo_heap *heap, double width, cells *c)
{
    double high[3];
    for (int k = 0; k < 3; ++k) {
        c->low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int b = 0; b < heap->all_count; ++b) {
            c->low[k] = fmin(c->low[k], heap->all[b].at[k]);
            high[k] = fmax(high[k], heap->all[b].at[k]);
        }
    }
    double total = INFINITY;
    for (c->width = width; total > 8.0 * heap->all_count + 64; c->width *= 1.3) {
        total = 1;
        for (int k = 0; k < 3; ++k) {
            const double side = heap->all_count ? (high[k] - c->low[k]) / c->width + 1 : 1;
            c->n[k] = side < 1e6 ? (int)side : 1000000;
            total *= c->n[k];
        }
        if (total <= 8.0 * heap->all_count + 64) {
            break;
        }
    }
    c->first = malloc(((size_t)total + 1) * sizeof *c->first);
    c->next = malloc(((size_t)heap->all_count + 1) * sizeof *c->next);
    if (!c->first || !c->next) {
        return 0;
    }
    memset(c->first, 0xff, (size_t)total * sizeof *c->first);
    for (int b = heap->all_count - 1; b >= 0; --b) {
        int place[3];
        const int cell = cell_of(c, heap->all[b].at, place);
        c->next[b] = c->first[cell];
        c->first[cell] = b;
    }
    return 1;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

int mo_heap_add_pair(mo_heap *heap, mo_heap_pair pair)
{
    if (heap->pair_count == heap->pair_room) {
        const int room = heap->pair_room + heap->pair_room / 2 + 1024;
        mo_heap_pair *more = realloc(heap->pair, (size_t)room * sizeof *more);
        if (!more) {
            return 0;
        }
        heap->pair = more;
        heap->pair_room = room;
    }
    heap->pair[heap->pair_count++] = pair;
    return 1;
}

static int add_ball_pair(mo_heap *heap, int i, int j, double reach)
{
    const mo_heap_body *a = heap->all + i, *b = heap->all + j;
    const double radius_a = mo_heap_shape_at(heap, a)->size,
                 radius_b = mo_heap_shape_at(heap, b)->size;
    mo_heap_pair pair = {.key = (uint64_t)a->id << 32 | b->id, .body = {i, j}};
    mo_vec3_along(a->at, -1, b->at, pair.normal);
    const double distance = mo_vec3_norm(pair.normal);
    pair.gap = distance - radius_a - radius_b;
    if (!(pair.gap <= reach) || !(distance > 0)) {
        return 1;
    }
    mo_vec3_scale(1 / distance, pair.normal, pair.normal);
    mo_vec3_scale(-radius_a, pair.normal, pair.arm[0]);
    mo_vec3_scale(radius_b, pair.normal, pair.arm[1]);
    return mo_heap_add_pair(heap, pair);
}

/* The points that the narrow phase has found, of a body and another one (j < 0: a wall). */
static int add_touches(mo_heap *heap, uint64_t key, int i, int j, const mo_touch_list *touches)
{
    for (int k = 0; k < touches->count; ++k) {
        const mo_touch *touch = touches->touch + k;
        const double length = mo_vec3_norm(touch->normal);
        mo_heap_pair pair = {
            .key = key, .feature = touch->feature, .body = {i, j}, .gap = touch->gap};
        mo_vec3_scale(-1 / length, touch->normal, pair.normal); /* from the second to the first */
        mo_vec3_minus(touch->point, heap->all[i].at, pair.arm[0]);
        if (j >= 0) {
            mo_vec3_minus(touch->point, heap->all[j].at, pair.arm[1]);
        }
        if (length > 0 && !mo_heap_add_pair(heap, pair)) {
            return 0;
        }
    }
    return !touches->is_short;
}

static int try_bodies(mo_heap *heap, int i, int j, double reach, mo_touch_list *touches)
{
    const mo_heap_body *a = heap->all + i, *b = heap->all + j;
    const mo_heap_shape *of_a = mo_heap_shape_at(heap, a), *of_b = mo_heap_shape_at(heap, b);
    if (of_a->is_ball && of_b->is_ball) {
        return add_ball_pair(heap, i, j, reach);
    }
    const mo_pose pose_a = mo_heap_pose(a), pose_b = mo_heap_pose(b);
    double between[3];
    mo_vec3_minus(a->at, b->at, between);
    if (mo_vec3_norm(between) > of_a->size + of_b->size + reach) {
        return 1;
    }
    touches->count = 0;
    mo_collide(&of_a->collider, &pose_a, &of_b->collider, &pose_b, reach, touches);
    return add_touches(heap, (uint64_t)a->id << 32 | b->id, i, j, touches);
}

static int add_ball_on_wall(mo_heap *heap, int i, uint64_t key, int axis, double sign, double gap)
{
    mo_heap_pair pair = {.key = key, .body = {i, -1}, .gap = gap};
    pair.normal[axis] = sign;
    pair.arm[0][axis] = -sign * mo_heap_shape_at(heap, heap->all + i)->size;
    return mo_heap_add_pair(heap, pair);
}

static int try_walls(mo_heap *heap, int i, mo_touch_list *touches)
{
    const mo_heap_body *a = heap->all + i;
    const mo_heap_shape *shape = mo_heap_shape_at(heap, a);
    const mo_pose pose = mo_heap_pose(a), still = mo_pose_identity();
    const double turning = shape->is_ball ? 0 : shape->size * mo_vec3_norm(a->spin);
    const double reach = heap->def.dt * (mo_vec3_norm(a->v) + turning) + MARGIN * heap->def.radius;
    for (int wall = MO_HEAP_WALLS - 1; wall >= 0; --wall) { /* by rising key */
        const int axis = wall == 0 ? 2 : (wall - 1) / 2;
        const double sign = wall > 0 && wall % 2 == 0 ? -1 : 1;
        const double place = wall == 0 ? 0 : -sign * heap->def.box;
        const double gap = sign * (a->at[axis] - place) - shape->size; /* at least */
        const uint64_t key = (uint64_t)a->id << 32 | (UINT32_MAX - (uint32_t)wall);
        int good = 1;
        if (gap <= reach && shape->is_ball) {
            good = add_ball_on_wall(heap, i, key, axis, sign, gap);
        } else if (gap <= reach) {
            touches->count = 0;
            mo_collide(&shape->collider, &pose, heap->shapes.wall + wall, &still, reach, touches);
            good = add_touches(heap, key, i, -1, touches);
        }
        if (!good) {
            return 0;
        }
    }
    return 1;
}

static int by_key(const void *a, const void *b)
{
    const mo_heap_pair *x = a, *y = b;
    const int order = (x->key > y->key) - (x->key < y->key);
    const int by_feature = (x->feature > y->feature) - (x->feature < y->feature);
    return order ? order : by_feature ? by_feature : x->late - y->late;
}

void mo_heap_sort_pairs(mo_heap_pair *pair, int count)
{
    qsort(pair, (size_t)count, sizeof *pair, by_key);
}

/* All pairs in which body i has the lower id. */
static int find_of(mo_heap *heap, const cells *c, int i, double reach, mo_touch_list *touches)
{
    const int before = heap->pair_count;
    int place[3];
    cell_of(c, heap->all[i].at, place);
    for (int k = 0; k < 27; ++k) {
        const int x = place[0] + k % 3 - 1, y = place[1] + k / 3 % 3 - 1, z = place[2] + k / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= c->n[0] || y >= c->n[1] || z >= c->n[2]) {
            continue;
        }
        for (int j = c->first[(z * c->n[1] + y) * c->n[0] + x]; j >= 0; j = c->next[j]) {
            if (j > i && !try_bodies(heap, i, j, reach, touches)) {
                return 0;
            }
        }
    }
    const int good = try_walls(heap, i, touches);
    mo_heap_sort_pairs(heap->pair + before, heap->pair_count - before);
    return good;
}

static mo_error find_all(mo_heap *heap, double reach)
{
    cells c = {.width = 0};
    mo_touch_list touches = {.allocator = mo_allocator_or_default(NULL)};
    int good = make_cells(heap, 2 * heap->shapes.largest + reach, &c);
    heap->pair_count = 0;
    for (int i = 0; good && i < heap->all_count; ++i) {
        if (heap->all[i].rank == heap->rank) {
            good = find_of(heap, &c, i, reach, &touches);
        }
    }
    free(c.first);
    free(c.next);
    mo_memory_free(&touches.allocator, touches.touch);
    return good ? MO_OK : MO_ERR_MEMORY;
}

/* Of all bodies, seen from the middle of their velocities. */
static double largest_speed(const mo_heap *heap)
{
    double most[6], speed = 0;
    for (int k = 0; k < 6; ++k) {
        most[k] = -INFINITY;
    }
    for (int b = 0; b < heap->count; ++b) {
        for (int k = 0; k < 3; ++k) {
            most[k] = fmax(most[k], heap->own[b].v[k]);
            most[3 + k] = fmax(most[3 + k], -heap->own[b].v[k]);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, most, 6, MPI_DOUBLE, MPI_MAX, heap->comm);
    for (int b = 0; b < heap->count; ++b) {
        double off[3];
        for (int k = 0; k < 3; ++k) {
            off[k] = heap->own[b].v[k] - 0.5 * (most[k] - most[3 + k]);
        }
        const mo_heap_shape *shape = mo_heap_shape_at(heap, heap->own + b);
        const double turning = shape->is_ball ? 0 : shape->size * mo_vec3_norm(heap->own[b].spin);
        speed = fmax(speed, mo_vec3_norm(off) + turning);
    }
    MPI_Allreduce(MPI_IN_PLACE, &speed, 1, MPI_DOUBLE, MPI_MAX, heap->comm);
    return speed;
}

mo_error mo_heap_find_pairs(mo_heap *heap, mo_message *why)
{
    mo_heap_body *ghosts;
    const double reach = 2 * largest_speed(heap) * heap->def.dt + MARGIN * heap->def.radius;
    mo_error error = exchange_ghosts(heap, reach + 2 * heap->shapes.largest, &ghosts);
    error = error ? error : mo_mpi_agree(heap->comm, merge(heap, ghosts), NULL);
    error = error ? error : mo_mpi_agree(heap->comm, find_all(heap, reach), NULL);
    free(ghosts);
    return error ? mo_fail(why, error, "pairs of bodies: %s", mo_error_text(error)) : MO_OK;
}

/* The velocities of the ghosts, which their owners have changed. */
mo_error mo_heap_update_ghosts(mo_heap *heap)
{
    typedef struct motion {
        double v[3], spin[3];
    } motion;
    motion *out = malloc(((size_t)heap->sent_count + 1) * sizeof *out);
    void *in = NULL;
    int count;
    mo_error error = mo_mpi_agree(heap->comm, out ? MO_OK : MO_ERR_MEMORY, NULL);
    if (!error) {
        for (int k = 0; k < heap->sent_count; ++k) {
            memcpy(out[k].v, heap->own[heap->sent[k]].v, sizeof out[k].v);
            memcpy(out[k].spin, heap->own[heap->sent[k]].spin, sizeof out[k].spin);
        }
        error = mo_mail(heap->comm, sizeof *out, heap->ghosts_for, out, &in, &count, NULL);
    }
    for (int k = 0; !error && k < heap->ghost_count; ++k) {
        const motion *m = (const motion *)in + k;
        memcpy(heap->all[heap->arrived[k]].v, m->v, sizeof m->v);
        memcpy(heap->all[heap->arrived[k]].spin, m->spin, sizeof m->spin);
    }
    free(out);
    free(in);
    return error;
}
