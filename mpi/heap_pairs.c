/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Ghosts, and all contact points that may close in a step.
 *
 * With c the mean of all velocities and v the largest |velocity - c|, including rotation at the
 * surface, a gap between bodies closes by at most 2 v h in a step, the reach.  Each rank receives
 * the bodies within reach of its cells of the coarse grid (heap_balance.c).  Finer cells, of the
 * width of the largest body plus the reach, give the pairs of neighbouring cells.  A wall is tested
 * if the speed of the body can reach it.  Two balls, or a ball and a wall, have one point; all
 * others use the narrow phase of the library.
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

/* The other ranks with a cell within a distance of a body; returns how many.  seen[rank] is the
 * body that has found it last. */
static int list_neighbours(const mo_heap *heap, int body, double distance, int *seen, int *ranks)
{
    const double *at = heap->own[body].at;
    const double low[3] = {at[0] - distance, at[1] - distance, at[2] - distance},
                 high[3] = {at[0] + distance, at[1] + distance, at[2] + distance};
    int first[3], last[3], count = 0;
    mo_heap_cell_of(&heap->grid, low, first);
    mo_heap_cell_of(&heap->grid, high, last);
    for (int z = first[2]; z <= last[2]; ++z) {
        for (int y = first[1]; y <= last[1]; ++y) {
            for (int x = first[0]; x <= last[0]; ++x) {
                const int rank = heap->cell_owner[mo_heap_cell_at(&heap->grid, x, y, z)];
                if (rank != heap->rank && seen[rank] != body) {
                    seen[rank] = body;
                    ranks[count++] = rank;
                }
            }
        }
    }
    return count;
}

/* Own bodies that other ranks have as ghosts: how many, or, with places, which. */
static void visit_ghosts(mo_heap *heap, double distance, int *seen, int *ranks, int *next)
{
    memset(seen, 0xff, (size_t)heap->size * sizeof *seen);
    for (int b = 0; b < heap->count; ++b) {
        const int count = list_neighbours(heap, b, distance, seen, ranks);
        for (int k = 0; k < count; ++k) {
            if (next) {
                heap->sent[next[ranks[k]]++] = b;
            } else {
                ++heap->ghosts_for[ranks[k]];
            }
        }
    }
}

/* Lists them by rank, then by id; 0 where memory is short. */
static int list_ghosts(mo_heap *heap, double distance)
{
    const size_t size = (size_t)heap->size;
    int *seen = malloc(3 * size * sizeof *seen), *ranks = seen + size, *next = ranks + size;
    free(heap->sent);
    heap->sent = NULL;
    heap->sent_count = 0;
    memset(heap->ghosts_for, 0, size * sizeof *heap->ghosts_for);
    if (seen) {
        visit_ghosts(heap, distance, seen, ranks, NULL);
        for (int rank = 0; rank < heap->size; ++rank) {
            next[rank] = heap->sent_count;
            heap->sent_count += heap->ghosts_for[rank];
        }
        heap->sent = malloc(((size_t)heap->sent_count + 1) * sizeof *heap->sent);
    }
    if (heap->sent) {
        visit_ghosts(heap, distance, seen, ranks, next);
    }
    free(seen);
    return heap->sent != NULL;
}

static mo_error exchange_ghosts(mo_heap *heap, double distance, mo_heap_body **ghosts)
{
    void *in = NULL;
    const int is_listed = list_ghosts(heap, distance);
    mo_heap_body *out = is_listed ? malloc(((size_t)heap->sent_count + 1) * sizeof *out) : NULL;
    mo_error error = mo_mpi_agree(heap->comm, out ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; !error && k < heap->sent_count; ++k) {
        out[k] = heap->own[heap->sent[k]];
    }
    error = error ? error
                  : mo_mail(heap->comm, sizeof *out, heap->ghosts_for, out, &in, &heap->ghost_count,
                            NULL);
    *ghosts = in;
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
    mo_heap_grid grid;
    int *first, *next; /* body of a cell, and the one after it; -1 ends */
} cells;

/* Of all bodies; few of them empty where these lie far apart. */
static int make_cells(const mo_heap *heap, double width, cells *c)
{
    double low[3] = {0}, high[3] = {0};
    int place[3];
    for (int k = 0; k < 3 && heap->all_count; ++k) {
        low[k] = high[k] = heap->all[0].at[k];
        for (int b = 1; b < heap->all_count; ++b) {
            low[k] = fmin(low[k], heap->all[b].at[k]);
            high[k] = fmax(high[k], heap->all[b].at[k]);
        }
    }
    c->grid = mo_heap_make_grid(low, high, width, 8.0 * heap->all_count + 64);
    c->first = malloc((size_t)c->grid.count * sizeof *c->first);
    c->next = malloc(((size_t)heap->all_count + 1) * sizeof *c->next);
    if (!c->first || !c->next) {
        return 0;
    }
    memset(c->first, 0xff, (size_t)c->grid.count * sizeof *c->first);
    for (int b = heap->all_count - 1; b >= 0; --b) {
        const int cell = mo_heap_cell_of(&c->grid, heap->all[b].at, place);
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
    const int before = heap->pair_count, *n = c->grid.n;
    int place[3];
    mo_heap_cell_of(&c->grid, heap->all[i].at, place);
    for (int k = 0; k < 27; ++k) {
        const int x = place[0] + k % 3 - 1, y = place[1] + k / 3 % 3 - 1, z = place[2] + k / 9 - 1;
        if (x < 0 || y < 0 || z < 0 || x >= n[0] || y >= n[1] || z >= n[2]) {
            continue;
        }
        for (int j = c->first[mo_heap_cell_at(&c->grid, x, y, z)]; j >= 0; j = c->next[j]) {
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
    cells c = {.first = NULL};
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
