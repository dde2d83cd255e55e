/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contacts of solids on a device (device_heap.h): pairs that may touch, their touches, the points
 * that take part, and the pairs that have points as nodes, which are coloured and packed as
 * manifolds.
 *
 * Touches are stored for the step.  After an answer the narrow phase runs for the pairs alone that
 * are new or reach further, and for those that may end in an overlap.  The host reads how many
 * pairs, touches, points and nodes there are, and the starts of the colours.
 */
#include <math.h>

#include "base/error.h"
#include "sim/device_heap_data.h"

/* As overlap.c, relative to the size: a step with deeper overlap is solved again; and the
 * overlap that a projection may leave. */
static const double OVERLAP = 1e-2, LEFT = 0.25;
enum {
    END_ROUNDS = 3, /* in which points at the end of the step are added */
    PROJECTIONS = 3,
    PROJECTION_SWEEPS = 300,
    USUAL_ROOM = 8 /* touches of a place; it grows if there are more */
};

static mo_touch_store store_of(const mo_device_touches *t)
{
    return (mo_touch_store){t->touch.at, t->count.at, t->room};
}

static mo_solid_args solid_args(const mo_device_heap *heap, const mo_find_args *find)
{
    return (mo_solid_args){.find = *find,
                           .pairs = heap->pairs,
                           .now = store_of(&heap->now),
                           .ends = store_of(&heap->ends),
                           .place = heap->place.at,
                           .end_place = heap->ends.used > 0 ? heap->end_place.at : NULL,
                           .wants = heap->end_wants.at,
                           .count = heap->pair_count.at,
                           .start = heap->pair_start.at,
                           .has_points = heap->has_points.at,
                           .node = heap->node.at,
                           .point = heap->list[!heap->last].point.at,
                           .last = heap->list[heap->last].point.at,
                           .match = heap->match.at,
                           .overlap = OVERLAP,
                           .round = heap->round,
                           .is_projection = heap->is_projection,
                           .node_one = heap->node_one.at,
                           .node_two = heap->node_two.at,
                           .node_pair = heap->node_pair.at};
}

/* Counts, scans; returns the sum. */
static int scan(mo_device_heap *heap, const mo_buffer *count, int n, const mo_buffer *start)
{
    int sum = 0;
    mo_device_scan(heap->device, count->at, n, start->at);
    if (start->at) /* else memory ran out */
        mo_device_read(heap->device, &sum, (int *)start->at + n, sizeof sum);
    return sum;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void exchange(mo_buffer *one, mo_buffer *two)
{
    const mo_buffer first = *one;
    *one = *two;
    *two = first;
}

/* Those of the answer before become the old ones. */
static void turn_pairs(mo_device_heap *heap)
{
    exchange(&heap->start, &heap->old_start);
    exchange(&heap->two, &heap->old_two);
    exchange(&heap->place, &heap->old_place);
    exchange(&heap->reach, &heap->old_reach);
}

static void find_pairs(mo_device_heap *heap, const mo_world *world, double h, int is_again)
{
    mo_device *device = heap->device;
    MO_TAKE_BUFFER(device, &heap->start, heap->balls + 1, int);
    mo_find_args find = mo_heap_find_args(heap, world, h, is_again);
    mo_heap_sum_up(heap, MO_KERNEL_find_count, heap->balls, &find, &mo_heap_figures_of(heap)->late);
    heap->pairs = scan(heap, &heap->count, heap->balls, &heap->start);
    find.one = MO_TAKE_BUFFER(device, &heap->one, heap->pairs, int);
    find.two = MO_TAKE_BUFFER(device, &heap->two, heap->pairs, int);
    mo_device_launch(device, MO_KERNEL_find_fill, heap->balls, &find);
    MO_TAKE_BUFFER(device, &heap->pair_key, 2 * (size_t)heap->pairs, uint32_t);
    MO_TAKE_BUFFER(device, &heap->pair_order, 2 * (size_t)heap->pairs, int);
    mo_buffer *const all[] = {&heap->pair_count, &heap->pair_start,   &heap->has_points,
                              &heap->node,       &heap->place,        &heap->end_place,
                              &heap->wants,      &heap->wants_before, &heap->end_wants,
                              &heap->end_before};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        MO_TAKE_BUFFER(device, all[k], heap->pairs + 1, int);
    MO_TAKE_BUFFER(device, &heap->reach, heap->pairs, double);
}

/* ---- touches --------------------------------------------------------------------------------- */

static mo_touch_args touch_args(const mo_device_heap *heap, const mo_find_args *find, int is_again)
{
    return (mo_touch_args){
        .find = *find,
        .old = {.start = is_again ? heap->old_start.at : NULL,
                .two = heap->old_two.at,
                .place = heap->old_place.at,
                .reach = heap->old_reach.at},
        .reach = heap->reach.at,
        .now = {.place = heap->place.at, .wants = heap->wants.at, .before = heap->wants_before.at},
        .ends = {.place = heap->end_place.at, .before = heap->end_before.at},
        .key = heap->pair_key.at,
        .order = heap->pair_order.at};
}

/* Storage for the pairs of a job, after those that are there. */
static void take_places(mo_device_heap *heap, mo_device_touches *store, mo_touch_job *job,
                        int count)
{
    const size_t used = (size_t)store->used, all = used + (size_t)count,
                 size = (size_t)store->room * sizeof(mo_touch);
    mo_buffer_grow(heap->device, &store->touch, used * size, all * size);
    mo_buffer_grow(heap->device, &store->count, used * sizeof(int), all * sizeof(int));
    job->first = store->used;
    job->count = count;
    job->store = store_of(store);
    store->used += count;
}

/* Pairs that may end the step with an overlap, by the solution. */
static int find_ends(mo_device_heap *heap, mo_touch_args *a)
{
    const mo_solid_args solids = solid_args(heap, &a->find);
    a->ends.wants = heap->end_wants.at;
    mo_device_launch(heap->device, MO_KERNEL_solid_ends, heap->pairs, &solids);
    return scan(heap, &heap->end_wants, heap->pairs, &heap->end_before);
}

/* Runs the narrow phase, sorted by kind, then for the pairs that it left open.  Returns the most
 * touches of a pair. */
static double search_pairs(mo_device_heap *heap, mo_touch_args *a)
{
    const int wanted = a->now.count + a->ends.count;
    void *spare = mo_scratch_for_sort(&heap->sweeps.scratch, wanted);
    mo_heap_figures seen = {.late = {.sum = wanted}};
    for (int pass = 0; pass < 2 && seen.late.sum > 0; ++pass) {
        a->is_brief = pass == 0;
        mo_device_sort(heap->device, a->key, a->order, wanted, a->is_brief ? 6 : 1, spare);
        mo_device_launch(heap->device, MO_KERNEL_solid_touch, (int)seen.late.sum, a);
        mo_heap_sum_up(heap, MO_KERNEL_touch_count, wanted, a, &mo_heap_figures_of(heap)->late);
        mo_device_read(heap->device, &seen, heap->figures.at, sizeof seen);
    }
    return seen.late.largest;
}

/*
 * Touches at the start of the step of pairs that have none yet, and at its end.  False if the
 * storage of a place was too small: it has then grown, and all touches must be found again.
 */
static int touch_once(mo_device_heap *heap, const mo_find_args *find, int has_ends)
{
    mo_device *device = heap->device;
    mo_touch_args a = touch_args(heap, find, heap->now.used > 0);
    heap->ends.used = 0;
    mo_device_launch(device, MO_KERNEL_pair_places, heap->pairs, &a);
    take_places(heap, &heap->now, &a.now,
                scan(heap, &heap->wants, heap->pairs, &heap->wants_before));
    take_places(heap, &heap->ends, &a.ends, has_ends ? find_ends(heap, &a) : 0);
    mo_device_launch(device, MO_KERNEL_pair_work, heap->pairs, &a);
    const double most = search_pairs(heap, &a);
    if (most >= MO_TOO_MANY_TOUCHES) {
        mo_device_fail(device, MO_ERR_UNSUPPORTED,
                       "two shapes touch at more points than a GPU takes: use device = cpu");
    }
    if (device->error || most <= heap->now.room) return 1;
    heap->now.room = heap->ends.room = (int)most;
    heap->now.used = 0;
    return 0;
}

static void touch_pairs(mo_device_heap *heap, const mo_find_args *find, int is_again)
{
    const int has_ends = is_again && (heap->round <= END_ROUNDS || heap->is_projection);
    if (heap->now.room == 0) heap->now.room = heap->ends.room = USUAL_ROOM;
    heap->now.used = is_again ? heap->now.used : 0;
    while (!touch_once(heap, find, has_ends)) {
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

void mo_device_solids_count(mo_device_heap *heap, const mo_world *world, double h, int is_again,
                            mo_term *late)
{
    mo_heap_figures seen;
    if (is_again) turn_pairs(heap);
    find_pairs(heap, world, h, is_again);
    const mo_find_args find = mo_heap_find_args(heap, world, h, is_again);
    touch_pairs(heap, &find, is_again);
    const mo_solid_args solids = solid_args(heap, &find);
    mo_heap_sum_up(heap, MO_KERNEL_solid_count, heap->pairs, &solids,
                   &mo_heap_figures_of(heap)->late);
    mo_device_read(heap->device, &seen, heap->figures.at, sizeof seen);
    *late = seen.late;
}

void mo_device_solids_fill(mo_device_heap *heap, const mo_world *world, double h, int is_again)
{
    mo_device *device = heap->device;
    heap->contacts = scan(heap, &heap->pair_count, heap->pairs, &heap->pair_start);
    heap->nodes = scan(heap, &heap->has_points, heap->pairs, &heap->node);
    MO_TAKE_BUFFER(device, &heap->list[!heap->last].point, heap->contacts, mo_solid_point);
    MO_TAKE_BUFFER(device, &heap->match, heap->contacts, int);
    MO_TAKE_BUFFER(device, &heap->node_one, heap->nodes, int);
    MO_TAKE_BUFFER(device, &heap->node_two, heap->nodes, int);
    MO_TAKE_BUFFER(device, &heap->node_pair, heap->nodes, int);
    const mo_find_args find = mo_heap_find_args(heap, world, h, is_again);
    const mo_solid_args solids = solid_args(heap, &find);
    mo_device_launch(device, MO_KERNEL_solid_fill, heap->pairs, &solids);
}

/* ---- manifolds by colour --------------------------------------------------------------------- */

static void set_manifold_arrays(mo_device_heap *heap)
{
    const size_t nodes = (size_t)heap->nodes, points = (size_t)heap->contacts;
    double *number = MO_TAKE_BUFFER(heap->device, &heap->slot_numbers, 18 * points, double);
    int *index = MO_TAKE_BUFFER(heap->device, &heap->slot_indices, 2 * nodes, int);
    if (heap->device->error) return;
    heap->sweeps.manifold_arrays = (mo_manifolds){.room = points,
                                                  .one = index,
                                                  .two = index + nodes,
                                                  .first = heap->first.at,
                                                  .n = number,
                                                  .w = number + 3 * points,
                                                  .arm_1 = number + 6 * points,
                                                  .arm_2 = number + 9 * points,
                                                  .W_TN = number + 12 * points,
                                                  .mu = number + 15 * points,
                                                  .inverse_N = number + 16 * points,
                                                  .inverse_T = number + 17 * points};
}

static mo_solid_pack_args pack_args(const mo_device_heap *heap, const mo_find_args *find)
{
    return (mo_solid_pack_args){.solids = solid_args(heap, find),
                                .order = heap->slot_order.at,
                                .count = heap->point_count.at,
                                .manifolds = heap->sweeps.manifold_arrays,
                                .inertia = heap->inertia.at,
                                .r = heap->sweeps.impulses[0].at,
                                .apart = (size_t)heap->contacts,
                                .now = mo_heap_rows(heap->list + !heap->last)};
}

/* Nodes in the order of their colours, and the start of each colour. */
static void sort_nodes(mo_device_heap *heap, int copies)
{
    mo_device *device = heap->device;
    mo_slot_args slots = {.key = MO_TAKE_BUFFER(device, &heap->slot_key, heap->nodes, uint32_t),
                          .order = MO_TAKE_BUFFER(device, &heap->slot_order, heap->nodes, int),
                          .start = heap->slot_start.at,
                          .one = heap->node_one.at,
                          .two = heap->node_two.at,
                          .contacts = heap->nodes,
                          .moving = heap->balls,
                          .patches = copies,
                          .per_patch = heap->per_copy,
                          .is_copies = copies > 0};
    slots.colour = mo_device_colour(device, &heap->colouring, heap->sweeps.scratch, heap->nodes,
                                    slots.one, slots.two, heap->balls, heap->id.at, 0);
    mo_device_launch(device, MO_KERNEL_slot_keys, heap->nodes, &slots);
    mo_device_sort(device, slots.key, slots.order, heap->nodes,
                   mo_bits_of((copies + 1) * MO_COLOURS),
                   mo_scratch_for_sort(&heap->sweeps.scratch, heap->nodes));
    mo_device_launch(device, MO_KERNEL_slot_starts, heap->nodes + 1, &slots);
    mo_device_read(device, heap->sweeps.manifold_start, slots.start + copies * MO_COLOURS,
                   sizeof heap->sweeps.manifold_start);
}

void mo_device_solids_pack(mo_device_heap *heap, const mo_world *world, double h)
{
    mo_device *device = heap->device;
    mo_device_sweeps *s = &heap->sweeps;
    size_t apart;
    s->copies = mo_heap_copies(heap, world);
    s->per_copy = heap->per_copy;
    s->patch_start = heap->slot_start.at;
    sort_nodes(heap, s->copies);
    s->slots = s->patches = 0;
    for (int c = 0; c <= MO_COLOURS; ++c)
        s->slot_start[c] = 0;
    s->manifolds = heap->nodes;
    s->points = heap->contacts;
    s->constraints = heap->contacts / heap->copies;
    s->lines = heap->balls + heap->fixed_count;
    s->moving = heap->balls;
    s->free_line = heap->free_line.at;
    s->inertia = heap->inertia.at;
    mo_device_sweeps_room(s, &apart);
    MO_TAKE_BUFFER(device, &heap->point_count, heap->nodes, int);
    MO_TAKE_BUFFER(device, &heap->first, heap->nodes + 1, int);
    set_manifold_arrays(heap);
    if (device->error) /* memory ran out */
        return;
    const mo_find_args find = mo_heap_find_args(heap, world, h, 0);
    const mo_solid_pack_args pack = pack_args(heap, &find);
    mo_device_launch(device, MO_KERNEL_manifold_count, heap->nodes, &pack);
    mo_device_scan(device, heap->point_count.at, heap->nodes, heap->first.at);
    mo_heap_figures *figures = mo_heap_figures_of(heap);
    mo_heap_sum_up(heap, MO_KERNEL_solid_pack, heap->nodes, &pack,
                   heap->is_projection ? &figures->ignored : &figures->deepest);
}

void mo_device_solids_keep(mo_device_heap *heap, const mo_world *world, double h)
{
    mo_device_heap_list *list = heap->list + !heap->last;
    const size_t count = (size_t)heap->contacts;
    MO_TAKE_BUFFER(heap->device, &list->other, count, int);
    MO_TAKE_BUFFER(heap->device, &list->feature, count, uint32_t);
    MO_TAKE_BUFFER(heap->device, &list->r, 3 * count, double);
    list->apart = count;
    const mo_find_args find = mo_heap_find_args(heap, world, h, 0);
    const mo_solid_pack_args pack = pack_args(heap, &find);
    mo_device_launch(heap->device, MO_KERNEL_solid_keep, heap->nodes, &pack);
    mo_device_launch(heap->device, MO_KERNEL_solid_rows, heap->balls, &pack);
    heap->last = !heap->last;
}

/* ---- projection ------------------------------------------------------------------------------ */

static int is_long(void *context, int iteration)
{
    (void)context;
    return iteration >= PROJECTION_SWEEPS;
}

/* One problem without friction, from the current state. */
static mo_error project_once(mo_device_heap *heap, const mo_world *world, double h,
                             mo_step_report *report)
{
    mo_device_sweeps *s = &heap->sweeps;
    const size_t bytes = ((size_t)heap->balls + (size_t)heap->fixed_count) * sizeof(mo_line);
    const mo_sweep_goal goal = {INFINITY, LEFT * OVERLAP * heap->least / h, PROJECTION_SWEEPS,
                                INFINITY, 0};
    mo_device_solids_fill(heap, world, h, 1);
    const mo_error error = mo_device_pack(heap, world, h);
    if (!error) {
        mo_device_copy(heap->device, heap->moved.at, s->line.at, bytes);
        s->free_line = heap->moved.at;
        if (s->copies > 0) {
            const mo_copy_goal each = {.tolerance = INFINITY,
                                       .natural = INFINITY,
                                       .rate = goal.rate,
                                       .rate_until = PROJECTION_SWEEPS,
                                       .most = PROJECTION_SWEEPS,
                                       .momentum = MO_HEAP_MOMENTUM};
            mo_device_sweeps_copies(s, each, is_long, NULL);
        } else {
            mo_device_sweeps_start(s, MO_HEAP_MOMENTUM);
            mo_device_sweeps_run(s, goal, is_long, NULL);
        }
        report->iterations += s->iteration;
    }
    return error;
}

int mo_device_solids_may_overlap(const mo_device_heap *heap)
{
    return heap->round > END_ROUNDS;
}

mo_error mo_device_solids_project(mo_device_heap *heap, const mo_world *world, double h,
                                  mo_step_report *report)
{
    const size_t lines = (size_t)heap->balls + (size_t)heap->fixed_count;
    const int contacts = heap->contacts;
    mo_line *line = heap->sweeps.line.at,
            *velocity = MO_TAKE_BUFFER(heap->device, &heap->velocity, lines, mo_line),
            *moved = MO_TAKE_BUFFER(heap->device, &heap->moved, lines, mo_line);
    mo_error error = MO_OK;
    mo_device_copy(heap->device, velocity, line, lines * sizeof *line);
    heap->is_projection = 1;
    for (int k = 0; k <= PROJECTIONS && !error; ++k) {
        mo_term deep;
        mo_device_solids_count(heap, world, h, 1, &deep);
        report->overlap = deep.largest;
        report->overlap_before = k ? report->overlap_before : deep.largest;
        if (!(deep.sum > 0)) break;
        error = k < PROJECTIONS ? project_once(heap, world, h, report) : MO_OK;
    }
    heap->is_projection = 0;
    heap->contacts = contacts;
    mo_device_copy(heap->device, moved, line, lines * sizeof *line);
    mo_device_copy(heap->device, line, velocity, lines * sizeof *line);
    return error;
}
