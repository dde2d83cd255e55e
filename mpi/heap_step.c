/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One step of a heap, as for a world (docs/simulation.md):
 *
 *     M (v+ - v) = h F + H r,     u = H' v+ + gap / h,     (u, r) obeys Coulomb's law
 *
 *   1. free velocities v + h g; ghosts and pairs within reach
 *   2. the problem contains pairs that nearly close in free motion, and those loaded in the last
 *      step, whose impulses start the sweeps
 *   3. if the solution closes a pair that was left out, it is added and the problem is solved again
 *      (so are contacts at the end of the step where solids overlap there: heap_overlap.c)
 *   4. new positions; overlap that is left goes out by a projection (heap_project.c)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "spread.h"

enum { MOST_ROUNDS = 10, OVERLAP_ROUNDS = 2 };
/* Of the radius: what a pair that is left out may close by, and when it is taken in. */
static const double LATE = 1e-6, LATE_OF_TOLERANCE = 0.1, NEARLY_LATE = 0.02;

/* ---- impulses of the last step -------------------------------------------------------------- */

int mo_heap_by_key(const void *a, const void *b)
{
    const mo_heap_impulse *x = a, *y = b;
    const int by_key = (x->key > y->key) - (x->key < y->key);
    return by_key ? by_key : (x->feature > y->feature) - (x->feature < y->feature);
}

const mo_heap_impulse *mo_heap_find_impulse(const mo_heap *heap, const mo_heap_pair *pair)
{
    const mo_heap_impulse key = {.key = pair->key, .feature = pair->feature};
    return bsearch(&key, heap->impulse, (size_t)heap->impulse_count, sizeof key, mo_heap_by_key);
}

/* ---- which pairs ---------------------------------------------------------------------------- */

/* Of a body at its side of a contact, along the normal. */
static double normal_speed(const mo_heap *heap, const mo_heap_pair *pair, int side)
{
    const mo_heap_body *body = heap->all + pair->body[side];
    double turning[3];
    mo_vec3_cross(body->spin, pair->arm[side], turning);
    return mo_vec3_dot(pair->normal, body->v) + mo_vec3_dot(pair->normal, turning);
}

double mo_heap_opening(const mo_heap *heap, const mo_heap_pair *pair)
{
    const double speed = normal_speed(heap, pair, 0);
    return pair->body[1] < 0 ? speed : speed - normal_speed(heap, pair, 1);
}

/* Takes pairs whose gap at the end of the step is below `limit`; returns how many. */
static int take_pairs(mo_heap *heap, double limit)
{
    int taken = 0;
    for (int k = 0; k < heap->pair_count; ++k) {
        mo_heap_pair *pair = heap->pair + k;
        if (!pair->is_taken && pair->gap + heap->def.dt * mo_heap_opening(heap, pair) < limit) {
            pair->is_taken = 1;
            ++taken;
        }
    }
    return taken;
}

static void choose_pairs(mo_heap *heap)
{
    for (int k = 0; k < heap->pair_count; ++k) {
        const mo_heap_impulse *impulse = mo_heap_find_impulse(heap, heap->pair + k);
        heap->pair[k].is_taken = impulse != NULL;
        if (impulse) {
            mo_vec3_copy(impulse->r, heap->pair[k].r);
        }
    }
    take_pairs(heap, NEARLY_LATE * heap->def.radius);
}

/* ---- the answer ----------------------------------------------------------------------------- */

/* Velocities of own bodies, in both lists; and impulses of pairs in the axes of the world. */
static void take_answer(mo_heap_problem *s)
{
    mo_heap *heap = s->heap;
    for (int k = 0, own = 0; k < s->body_count; ++k) {
        mo_heap_body *body = heap->all + s->body[k];
        if (body->rank == heap->rank) {
            memcpy(body->v, s->result.v + 6 * k, sizeof body->v);
            memcpy(body->spin, s->result.v + 6 * k + 3, sizeof body->spin);
            memcpy(heap->own[own].v, body->v, sizeof body->v);
            memcpy(heap->own[own].spin, body->spin, sizeof body->spin);
            ++own;
        }
    }
    for (int k = 0; k < s->contact_count; ++k) {
        double frame[9], *r = heap->pair[s->pair[k]].r;
        const double *own = s->result.r + 3 * k;
        mo_heap_frame(heap->pair + s->pair[k], frame);
        for (int x = 0; x < 3; ++x) {
            r[x] = own[0] * frame[x] + own[1] * frame[3 + x] + own[2] * frame[6 + x];
        }
    }
}

/* Free velocities of own bodies, where a solve has changed them. */
static void free_again(mo_heap *heap, const double *motion)
{
    for (int b = 0, own = 0; b < heap->all_count; ++b) {
        mo_heap_body *body = heap->all + b;
        memcpy(body->v, motion + 6 * b, sizeof body->v);
        memcpy(body->spin, motion + 6 * b + 3, sizeof body->spin);
        if (body->rank == heap->rank) {
            heap->own[own++] = *body;
        }
    }
}

/* Pairs that were left out, and close: how many on all ranks.  They take part in the next round. */
static int64_t take_late(mo_heap *heap)
{
    const double limit = -fmax(LATE, LATE_OF_TOLERANCE * heap->def.tol) * heap->def.radius;
    int64_t late = take_pairs(heap, limit);
    MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT64_T, MPI_SUM, heap->comm);
    if (late > 0) {
        take_pairs(heap, NEARLY_LATE * heap->def.radius);
    }
    return late;
}

/* Solids that overlap at the end of the step.  Contacts that are taken there take part. */
static mo_error take_overlapping(mo_heap_problem *s, int round, int *more, mo_message *why)
{
    mo_heap *heap = s->heap;
    const int count = heap->pair_count;
    double grown = 0;
    *more = 0;
    if (heap->shapes.are_balls) {
        return MO_OK;
    }
    mo_error error = mo_heap_look_for_overlaps(heap, round, &grown) ? MO_OK : mo_fail_memory(why);
    error = mo_mpi_agree(heap->comm, error, why);
    if (error) {
        return error;
    }
    s->overlap = mo_exact_largest(&heap->exact, grown);
    *more = mo_heap_is_deep(s->overlap) && round <= OVERLAP_ROUNDS;
    if (*more) {
        mo_heap_sort_pairs(heap->pair, heap->pair_count);
    } else {
        heap->pair_count = count;
    }
    return MO_OK;
}

static mo_error solve_rounds(mo_heap_problem *s, const double *motion, mo_heap_report *report,
                             mo_message *why)
{
    mo_heap *heap = s->heap;
    int overlap_rounds = 0, more = 1;
    mo_error error = MO_OK;
    for (int round = 0; !error && more; ++round) {
        error = mo_heap_solve(s, why);
        if (!error) {
            take_answer(s);
        }
        report->iterations += s->result.iterations;
        error = error ? error : mo_heap_update_ghosts(heap) ? mo_fail_memory(why) : MO_OK;
        more = !error && round < MOST_ROUNDS && take_late(heap) > 0;
        if (!error && !more) {
            error = take_overlapping(s, ++overlap_rounds, &more, why);
        }
        if (!error && more) {
            free_again(heap, motion);
        }
    }
    return error;
}

/* ---- the end of a step ---------------------------------------------------------------------- */

/* Points of one feature, taken at the start and at the end of the step, are one from now on. */
static void keep_impulse(mo_heap *heap, const mo_heap_pair *pair)
{
    mo_heap_impulse *last = heap->impulse + heap->impulse_count - 1;
    if (heap->impulse_count > 0 && last->key == pair->key && last->feature == pair->feature) {
        mo_vec3_along(last->r, 1, pair->r, last->r);
        return;
    }
    heap->impulse[heap->impulse_count++] = (mo_heap_impulse){
        .key = pair->key, .feature = pair->feature, .r = {pair->r[0], pair->r[1], pair->r[2]}};
}

static mo_error keep_impulses(mo_heap_problem *s)
{
    mo_heap *heap = s->heap;
    mo_heap_impulse *kept = realloc(heap->impulse, ((size_t)s->contact_count + 1) * sizeof *kept);
    if (!kept) {
        return MO_ERR_MEMORY;
    }
    heap->impulse = kept;
    heap->impulse_count = 0;
    for (int b = 0; b < heap->count; ++b) {
        heap->own[b].contacts = 0;
    }
    for (int k = 0, own = 0; k < s->contact_count; ++k) {
        const mo_heap_pair *pair = heap->pair + s->pair[k];
        const double *r = pair->r;
        while (own < heap->count - 1 && heap->own[own].id < pair->key >> 32) {
            ++own;
        }
        ++heap->own[own].contacts;
        if (r[0] != 0 || r[1] != 0 || r[2] != 0) {
            keep_impulse(heap, pair);
        }
    }
    return MO_OK;
}

static void fill_report(const mo_heap_problem *s, double started, mo_heap_report *report)
{
    mo_heap *heap = s->heap;
    const int64_t own[2] = {s->contact_count, -(int64_t)s->contact_count};
    int64_t most[2];
    double depth = 0;
    for (int k = 0; k < heap->pair_count; ++k) {
        depth = heap->pair[k].late ? depth : fmax(depth, -heap->pair[k].gap);
    }
    MPI_Allreduce(own, &report->contacts, 1, MPI_INT64_T, MPI_SUM, heap->comm);
    MPI_Allreduce(own, most, 2, MPI_INT64_T, MPI_MAX, heap->comm);
    report->step = heap->step;
    report->migrated = heap->migrated;
    report->most = most[0];
    report->least = -most[1];
    report->status = s->result.status;
    report->colours = mo_spread_colour_count(s->spread);
    report->residual = s->result.residual;
    report->penetration = mo_exact_largest(&heap->exact, depth);
    report->overlap = s->overlap;
    report->kinetic = mo_heap_energy(heap, 1);
    report->potential = mo_heap_energy(heap, 0);
    report->seconds = mo_clock() - started;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static mo_error solve_step(mo_heap_problem *s, mo_heap_report *report, mo_message *why)
{
    mo_heap *heap = s->heap;
    double *motion = malloc(6 * ((size_t)heap->all_count + 1) * sizeof *motion);
    mo_error error = mo_mpi_agree(heap->comm, motion ? MO_OK : mo_fail_memory(why), why);
    if (!error) {
        for (int b = 0; b < heap->all_count; ++b) {
            memcpy(motion + 6 * b, heap->all[b].v, 3 * sizeof *motion);
            memcpy(motion + 6 * b + 3, heap->all[b].spin, 3 * sizeof *motion);
        }
        choose_pairs(heap);
        error = solve_rounds(s, motion, report, why);
    }
    error = error ? error : mo_mpi_agree(heap->comm, mo_heap_move(heap, why), why);
    error = error ? error : mo_mpi_agree(heap->comm, keep_impulses(s), NULL);
    if (!error && mo_heap_is_deep(s->overlap)) {
        error = mo_heap_project(heap, &s->overlap, &report->iterations, why);
    }
    free(motion);
    return error;
}

mo_error mo_heap_step(mo_heap *heap, mo_heap_report *report, mo_message *why)
{
    const double started = mo_clock();
    mo_heap_report own;
    mo_heap_problem s = {.heap = heap};
    report = report ? report : &own;
    *report = (mo_heap_report){0};
    mo_error error = MO_OK;
    if (heap->step % heap->def.balance == 0) {
        error = mo_heap_balance(heap, why);
    }
    error = error ? error : mo_heap_migrate(heap, why);
    if (!error) {
        mo_heap_accelerate(heap);
        error = mo_heap_find_pairs(heap, why);
    }
    error = error ? error : solve_step(&s, report, why);
    if (!error) {
        ++heap->step;
        fill_report(&s, started, report);
    }
    mo_heap_problem_clear(&s);
    return error;
}
