/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A step of a heap on a device, corresponding to step.c:
 *
 *   1. free velocities, balls sorted by cells      ball_step.h, ball_find.h
 *   2. contacts counted, scanned and filled; impulses of the last step matched by the two ids
 *   3. colours, contacts packed by colour          colouring.h
 *   4. sweeps until residual and sinking are small device_sweeps.h
 *   5. 2 to 4 again if a contact that was left out closes
 *   6. new positions
 *
 * The host reads the number of contacts, the starts of the colours, and the residuals of the
 * sweeps.
 */
#include "sim/device_heap_data.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "solver/pace.h"

enum {
    MOST_ROUNDS = 10, /* rounds for late contacts, as in checks.c */
    ROUGH_ROUNDS = 2, /* likewise */
    LONG = 40,        /* sweeps of a round from which on rough rounds save time */
    LONG_SOLID = 100  /* of other solids, which rough rounds separate unnecessarily */
};
static const double LATE = 1e-6, LATE_OF_TOLERANCE = 0.1; /* as in step.c */

/* ---- arguments ------------------------------------------------------------------------------- */

mo_heap_figures *mo_heap_figures_of(const mo_device_heap *heap)
{
    return heap->figures.at;
}

static mo_ball_args ball_args(const mo_device_heap *heap, const mo_world *world, double h)
{
    mo_ball_args a = {.from = heap->ball[heap->side].at,
                      .ball = heap->ball[heap->side].at,
                      .order = heap->order.at,
                      .near = heap->near.at,
                      .id = heap->id.at,
                      .free_line = heap->free_line.at,
                      .next_line = heap->sweeps.line.at,
                      .moved_line = heap->is_projected ? heap->moved.at : heap->sweeps.line.at,
                      .fixed = heap->fixed.at,
                      .solid = heap->has_solids ? heap->solid.at : NULL,
                      .inertia = heap->inertia.at,
                      .force = heap->has_force ? heap->force.at : NULL,
                      .balls = heap->balls,
                      .per_copy = heap->per_copy,
                      .h = h};
    mo_vec3_copy(world->def.gravity, a.gravity);
    return a;
}

mo_touch_rows mo_heap_rows(const mo_device_heap_list *list)
{
    return (mo_touch_rows){.begin = list->begin.at,
                           .end = list->end.at,
                           .other = list->other.at,
                           .feature = list->feature.at,
                           .r = list->r.at,
                           .apart = list->apart};
}

/* is_again: there is an answer, by whose velocities more contacts may take part. */
mo_find_args mo_heap_find_args(const mo_device_heap *heap, const mo_world *world, double h,
                               int is_again)
{
    const double tol = world->def.solver.tol;
    mo_find_args a = {.balls = heap->balls,
                      .per_copy = heap->per_copy,
                      .fixed_count = heap->fixed_count,
                      .ball = heap->ball[heap->side].at,
                      .near = heap->near.at,
                      .fixed = heap->fixed.at,
                      .solid = heap->has_solids ? heap->solid.at : NULL,
                      .fixed_solid = heap->fixed_solid.at,
                      .free_line = heap->free_line.at,
                      .next_line = is_again ? heap->sweeps.line.at : NULL,
                      .bucket = heap->key.at,
                      .bucket_start = heap->bucket_start.at,
                      .bits = heap->bits,
                      .figures = mo_heap_figures_of(heap),
                      .h = h,
                      .margin = world->def.margin,
                      .late = fmax(LATE, LATE_OF_TOLERANCE * tol),
                      .largest = heap->largest,
                      .last = mo_heap_rows(heap->list + heap->last),
                      .count = heap->count.at,
                      .start = heap->start.at,
                      .listed = heap->listed.at,
                      .listed_count = heap->listed_count.at,
                      .listed_most = mo_heap_listed(heap),
                      .taken = heap->taken.at,
                      .one = heap->one.at,
                      .two = heap->two.at,
                      .match = heap->match.at};
    a.bounce_speed = mo_impact_speed(world, h);
    memcpy(a.mu, heap->mu, sizeof a.mu);
    memcpy(a.restitution, heap->restitution, sizeof a.restitution);
    return a;
}

static mo_pack_args pack_args(const mo_device_heap *heap, const mo_find_args *find)
{
    return (mo_pack_args){.find = *find,
                          .order = heap->slot_order.at,
                          .slots = heap->sweeps.slot_arrays,
                          .r = heap->sweeps.impulses[0].at,
                          .apart = (size_t)heap->contacts,
                          .now = mo_heap_rows(heap->list)};
}

void mo_heap_sum_up(mo_device_heap *heap, mo_kernel kernel, int n, const void *arguments,
                    mo_term *out)
{
    mo_term *partial =
        MO_TAKE_BUFFER(heap->device, &heap->partial, mo_device_blocks(n) + 1, mo_term);
    const int blocks = mo_device_launch_summed(heap->device, kernel, n, arguments, partial);
    mo_device_add_up(heap->device, partial, blocks, out);
}

/* Memory of the balls in their last order: free between two sorts of them. */
static mo_scratch scratch_of(const mo_device_heap *heap)
{
    return mo_scratch_of(heap->ball + !heap->side);
}

/* ---- 1: balls in order ----------------------------------------------------------------------- */

static void sort_balls(mo_device_heap *heap, const mo_world *world, double h)
{
    mo_device *device = heap->device;
    const int n = heap->balls;
    mo_ball_args balls = ball_args(heap, world, h);
    const mo_find_args find = mo_heap_find_args(heap, world, h, 0);
    const mo_bucket_args buckets = {.ball = balls.from,
                                    .figures = mo_heap_figures_of(heap),
                                    .bits = heap->bits,
                                    .balls = n,
                                    .per_copy = heap->per_copy,
                                    .key = heap->key.at,
                                    .order = heap->order.at,
                                    .start = heap->bucket_start.at};
    mo_heap_sum_up(heap, MO_KERNEL_ball_speed, n, &balls, &mo_heap_figures_of(heap)->fastest);
    mo_device_launch(device, MO_KERNEL_cell_edge, 1, &find);
    mo_device_launch(device, MO_KERNEL_bucket_keys, n, &buckets);
    const mo_scratch spare = scratch_of(heap); /* the balls are gathered there afterwards */
    const int copy_bits = heap->copies > 1 ? mo_bits_of(heap->copies - 1) : 0;
    mo_device_sort(device, buckets.key, buckets.order, n, 3 * heap->bits + copy_bits,
                   mo_scratch_for_sort(&spare, n));
    mo_device_launch(device, MO_KERNEL_bucket_starts, (heap->copies << 3 * heap->bits) + 1,
                     &buckets);
    heap->side = device->error ? heap->side : !heap->side;
    balls.ball = heap->ball[heap->side].at;
    mo_device_launch(device, MO_KERNEL_ball_gather, n, &balls);
    heap->sweeps.scratch = scratch_of(heap);
    mo_device_launch(device, MO_KERNEL_fixed_lines, heap->fixed_count, &balls);
}

/* ---- 2: contacts ----------------------------------------------------------------------------- */

/* Counts them; after an answer also those that it closes: *late. */
static void count_contacts(mo_device_heap *heap, const mo_world *world, double h, int is_again,
                           double *late)
{
    const mo_find_args find = mo_heap_find_args(heap, world, h, is_again);
    mo_heap_figures seen;
    if (is_again) {
        const mo_ball_args balls = ball_args(heap, world, h);
        mo_heap_sum_up(heap, MO_KERNEL_ball_next_speed, heap->balls, &balls,
                       &mo_heap_figures_of(heap)->fastest);
        mo_device_launch(heap->device, MO_KERNEL_list_speed, 1, &find);
    }
    mo_device_launch(heap->device, MO_KERNEL_find_lists, heap->balls, &find);
    if (heap->has_solids) {
        mo_term found;
        mo_device_solids_count(heap, world, h, is_again, &found);
        *late = found.sum;
        return;
    }
    mo_heap_sum_up(heap, MO_KERNEL_find_count, heap->balls, &find, &mo_heap_figures_of(heap)->late);
    mo_device_read(heap->device, &seen, heap->figures.at, sizeof seen);
    *late = seen.late.sum;
}

static void fill_contacts(mo_device_heap *heap, const mo_world *world, double h, int is_again)
{
    mo_device *device = heap->device;
    if (heap->has_solids) {
        mo_device_solids_fill(heap, world, h, is_again);
        return;
    }
    mo_device_scan(device, heap->count.at, heap->balls, heap->start.at);
    mo_device_read(device, &heap->contacts, (int *)heap->start.at + heap->balls, sizeof(int));
    MO_TAKE_BUFFER(device, &heap->one, heap->contacts, int);
    MO_TAKE_BUFFER(device, &heap->two, heap->contacts, int);
    MO_TAKE_BUFFER(device, &heap->match, heap->contacts, int);
    const mo_find_args find = mo_heap_find_args(heap, world, h, is_again);
    mo_device_launch(device, MO_KERNEL_find_fill, heap->balls, &find);
}

/* ---- 3: slots by colour ---------------------------------------------------------------------- */

static void set_slot_arrays(mo_device_heap *heap)
{
    const size_t count = (size_t)heap->contacts;
    double *number = MO_TAKE_BUFFER(heap->device, &heap->slot_numbers, 7 * count, double);
    int *index = MO_TAKE_BUFFER(heap->device, &heap->slot_indices, 2 * count, int);
    if (heap->device->error) return;
    heap->sweeps.slot_arrays = (mo_slots){.room = count,
                                          .one = index,
                                          .two = index + count,
                                          .n = number,
                                          .w_N = number + 3 * count,
                                          .mu = number + 4 * count,
                                          .lever_1 = number + 5 * count,
                                          .lever_2 = number + 6 * count};
}

static uint32_t id_in_copy(const mo_device_heap *heap, const mo_ball_near *near)
{
    return near->id == MO_FIXED_ID ? near->id : near->id % (uint32_t)heap->per_copy;
}

/* The last colour is visited by priority. */
static mo_error order_rest(mo_device_heap *heap)
{
    mo_device_sweeps *s = &heap->sweeps;
    const int is_solid = heap->has_solids, all = is_solid ? heap->nodes : heap->contacts,
              first = (is_solid ? s->manifold_start : s->slot_start)[MO_COLOUR_REST],
              count = all - first;
    const int *one = is_solid ? s->manifold_arrays.one : s->slot_arrays.one,
              *two = is_solid ? s->manifold_arrays.two : s->slot_arrays.two;
    const mo_allocator *own = &heap->device->allocator;
    s->rest_count = count;
    if (count <= 0) return MO_OK;
    int *rest = mo_memory_array(own, (size_t)count, sizeof *rest);
    uint64_t *priority = mo_memory_array(own, (size_t)count, sizeof *priority);
    for (int k = 0; rest && priority && k < count; ++k) {
        int pair[2];
        mo_ball_near near[2] = {{.id = MO_FIXED_ID}, {.id = MO_FIXED_ID}};
        mo_device_read(heap->device, pair, one + first + k, sizeof *pair);
        mo_device_read(heap->device, pair + 1, two + first + k, sizeof *pair);
        for (int side = 0; side < 2; ++side) {
            if (pair[side] < heap->balls) {
                mo_device_read(heap->device, near + side,
                               (mo_ball_near *)heap->near.at + pair[side], sizeof *near);
            }
        }
        const uint64_t own_priority =
            mo_pair_priority(id_in_copy(heap, &near[0]), id_in_copy(heap, &near[1]));
        int at = k;
        for (; at > 0 && priority[at - 1] > own_priority; --at) {
            priority[at] = priority[at - 1];
            rest[at] = rest[at - 1];
        }
        priority[at] = own_priority;
        rest[at] = is_solid ? -1 - (first + k) : first + k;
    }
    const mo_error error = rest && priority ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        s->rest = MO_TAKE_BUFFER(heap->device, &heap->rest, count, int);
        mo_device_write(heap->device, heap->rest.at, rest, (size_t)count * sizeof *rest);
    }
    MO_FREE(own, rest, priority);
    return error;
}

mo_error mo_device_pack(mo_device_heap *heap, const mo_world *world, double h)
{
    if (heap->has_solids) {
        mo_device_solids_pack(heap, world, h);
        return order_rest(heap);
    }
    mo_device *device = heap->device;
    mo_device_sweeps *s = &heap->sweeps;
    const int count = heap->contacts;
    /* none in steep sweeps; a copy of a world has the same colours as a single world */
    const int patch = mo_may_be_steep(s->friction) || world->copies > 0 ? 0 : MO_PATCH;
    size_t apart;
    s->patches = patch ? (heap->balls + patch - 1) / patch : 0;
    s->patch_start = heap->slot_start.at;
    s->copies = mo_heap_copies(heap, world);
    s->per_copy = heap->per_copy;
    mo_slot_args slots = {.key = MO_TAKE_BUFFER(device, &heap->slot_key, count, uint32_t),
                          .order = MO_TAKE_BUFFER(device, &heap->slot_order, count, int),
                          .start = heap->slot_start.at,
                          .one = heap->one.at,
                          .two = heap->two.at,
                          .contacts = count,
                          .moving = heap->balls,
                          .patches = s->copies > 0 ? s->copies : s->patches,
                          .per_patch = s->copies > 0 ? heap->per_copy : MO_PATCH,
                          .is_copies = s->copies > 0};
    slots.colour = mo_device_colour(device, &heap->colouring, s->scratch, count, heap->one.at,
                                    heap->two.at, heap->balls, heap->id.at, patch);
    mo_device_launch(device, MO_KERNEL_slot_keys, count, &slots);
    mo_device_sort(device, slots.key, slots.order, count,
                   mo_bits_of((slots.patches + 1) * MO_COLOURS),
                   mo_scratch_for_sort(&s->scratch, count));
    mo_device_launch(device, MO_KERNEL_slot_starts, count + 1, &slots);
    mo_device_read(device, s->slot_start, slots.start + slots.patches * MO_COLOURS,
                   sizeof s->slot_start);
    s->slots = count;
    s->constraints = count / heap->copies;
    s->manifolds = s->points = 0;
    memset(s->manifold_start, 0, sizeof s->manifold_start);
    s->inertia = NULL;
    s->lines = heap->balls + heap->fixed_count;
    s->moving = heap->balls;
    s->free_line = heap->free_line.at;
    mo_device_sweeps_room(s, &apart);
    set_slot_arrays(heap);
    const mo_find_args find = mo_heap_find_args(heap, world, h, 0);
    const mo_pack_args pack = pack_args(heap, &find);
    mo_heap_sum_up(heap, MO_KERNEL_ball_pack, count, &pack, &mo_heap_figures_of(heap)->deepest);
    return order_rest(heap);
}

/* Keeps the impulses of the solution for matching with the next list. */
static void keep_impulses(mo_device_heap *heap, const mo_world *world, double h)
{
    if (heap->has_solids) {
        mo_device_solids_keep(heap, world, h);
        return;
    }
    mo_device_heap_list *list = heap->list; /* all matches have been read: one list is enough */
    const size_t count = (size_t)heap->contacts;
    MO_TAKE_BUFFER(heap->device, &list->other, count, int);
    MO_TAKE_BUFFER(heap->device, &list->r, 3 * count, double);
    list->apart = count;
    const mo_find_args find = mo_heap_find_args(heap, world, h, 0);
    const mo_pack_args pack = pack_args(heap, &find);
    mo_device_launch(heap->device, MO_KERNEL_ball_keep, heap->contacts, &pack);
    mo_device_launch(heap->device, MO_KERNEL_ball_rows, heap->balls, &pack);
}

/* ---- the step -------------------------------------------------------------------------------- */

static mo_error solve_once(mo_device_heap *heap, const mo_world *world, double h, int is_again,
                           mo_step_report *report)
{
    const double start = mo_clock();
    fill_contacts(heap, world, h, is_again);
    const double found = mo_clock();
    mo_error error = heap->device->error;
    error = error ? error : mo_device_pack(heap, world, h);
    error = error ? error : heap->device->error;
    const double packed = mo_clock();
    if (!error) {
        mo_device_heap_sweep(heap, world, h, report);
        keep_impulses(heap, world, h);
    }
    report->seconds_collide += found - start;
    report->seconds_assemble += packed - found;
    report->seconds_solve += mo_clock() - packed;
    return error;
}

/* A rough solution without late contacts is refined, with the same contacts of balls. */
static mo_error refine(mo_device_heap *heap, const mo_world *world, double h,
                       mo_step_report *report)
{
    const double start = mo_clock();
    heap->is_rough = 0;
    if (heap->has_solids) return solve_once(heap, world, h, 1, report);
    mo_device_heap_sweep(heap, world, h, report);
    keep_impulses(heap, world, h);
    report->seconds_solve += mo_clock() - start;
    return MO_OK;
}

/* Adds contacts that were left out and close, and solves again; roughly at first where the last
 * step took several rounds. */
static mo_error solve(mo_device_heap *heap, const mo_world *world, double h, mo_step_report *report)
{
    double late = 1;
    int more = 0;
    heap->round = 0;
    heap->is_rough = heap->had_rounds;
    heap->longest = 0;
    count_contacts(heap, world, h, 0, &late);
    mo_error error = solve_once(heap, world, h, 0, report);
    for (int round = 0; !error && round < MOST_ROUNDS; ++round) {
        const double start = mo_clock();
        heap->round = round + 1;
        count_contacts(heap, world, h, 1, &late);
        report->seconds_collide += mo_clock() - start;
        if (!(late > 0) && !heap->is_rough) break;
        more += late > 0;
        heap->is_rough = heap->is_rough && round + 1 < ROUGH_ROUNDS;
        error = late > 0 ? solve_once(heap, world, h, 1, report) : refine(heap, world, h, report);
    }
    heap->had_rounds = more > 0 && heap->longest > (heap->has_solids ? LONG_SOLID : LONG);
    heap->is_projected = !error && heap->has_solids && mo_device_solids_may_overlap(heap);
    if (heap->is_projected) {
        const double start = mo_clock();
        error = mo_device_solids_project(heap, world, h, report);
        report->seconds_project = mo_clock() - start;
    }
    return error ? error : mo_device_error(heap->device, NULL);
}

/* Refuses the step, without changes, if a number is not finite. */
static mo_error advance(mo_device_heap *heap, mo_world *world, double h, mo_step_report *report,
                        mo_message *why)
{
    const mo_ball_args balls = ball_args(heap, world, h);
    mo_heap_figures seen;
    mo_heap_sum_up(heap, MO_KERNEL_ball_kinetic, heap->balls, &balls,
                   &mo_heap_figures_of(heap)->kinetic);
    mo_device_read(heap->device, &seen, heap->figures.at, sizeof seen);
    if (!isfinite(seen.kinetic.sum)) {
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "the step would move a body with a speed that is not finite: forces or the "
                       "step are out of range");
    }
    mo_heap_sum_up(heap, MO_KERNEL_ball_advance, heap->balls, &balls,
                   &mo_heap_figures_of(heap)->potential);
    mo_device_read(heap->device, &seen, heap->figures.at, sizeof seen);
    report->penetration = seen.deepest.largest;
    report->kinetic_energy = seen.kinetic.sum;
    report->potential_energy = seen.potential.sum;
    world->time += h;
    world->steps++;
    world->last_step = h;
    heap->has_bodies = heap->has_contacts = heap->has_force = 0;
    return mo_device_error(heap->device, why);
}

/*
 * The message of the device, or lack of memory on the host.  After the latter no body has moved,
 * and the world continues from its bodies; the impulses of the last step are lost unless they were
 * read.
 */
static mo_error give_up(mo_world *world, mo_message *why)
{
    mo_device_heap *heap = world->heap;
    const mo_error error =
        heap->device->error ? mo_device_error(heap->device, why) : mo_fail_memory(why);
    if (error == MO_ERR_MEMORY) {
        heap->device->error = MO_OK;
        mo_device_heap_fetch(world);
        world->contacts.count = heap->has_contacts ? world->contacts.count : 0;
        mo_device_heap_drop(world);
    }
    return error;
}

mo_error mo_device_heap_step(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    mo_device_heap *heap = world->heap;
    const double start = mo_clock();
    mo_error error = heap->is_there ? MO_OK : mo_device_heap_send(world);
    if (error) return give_up(world, why);
    sort_balls(heap, world, h);
    report->seconds_collide = mo_clock() - start;
    error = solve(heap, world, h, report);
    if (error) return give_up(world, why);
    const double solved = mo_clock();
    error = advance(heap, world, h, report, why);
    report->contacts = heap->contacts;
    report->bodies = heap->balls;
    report->seconds_advance = mo_clock() - solved;
    if (report->status != MO_SOLVED) {
        mo_say(&report->message, "the residual is %.1e after %d sweeps on %s",
               report->residual.natural_relative, report->iterations, mo_device_name(heap->device));
    }
    return error;
}
