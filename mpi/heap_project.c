/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Projection of positions: where solids overlap at the end of a step although contacts were taken
 * there (heap_overlap.c), their bodies are moved apart by the smallest displacement dx, in the norm
 * of the masses, with
 *
 *     min 1/2 dx' M dx,    gap + n.dx >= 0
 *
 * for all pairs that nearly touch, as in a world.  Velocities are kept, so that no speed is gained.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "sim/step.h"

enum { ROUNDS = 3 };
static const double NEAR = 0.02; /* of the radius: gaps of pairs that take part */

/* The deepest overlap of all ranks, of the size; pairs that nearly touch take part. */
static double take_near(mo_heap *heap)
{
    double deepest = 0;
    for (int k = 0; k < heap->pair_count; ++k) {
        mo_heap_pair *pair = heap->pair + k;
        deepest = fmax(deepest, -pair->gap / mo_heap_pair_size(heap, pair));
        pair->is_taken = pair->gap < NEAR * heap->def.radius;
    }
    return mo_exact_largest(&heap->exact, deepest);
}

static void displace(const mo_heap_problem *s)
{
    mo_heap *heap = s->heap;
    const double h = heap->def.dt;
    for (int k = 0, own = 0; k < s->body_count; ++k) {
        if (heap->all[s->body[k]].rank == heap->rank) {
            mo_heap_body *body = heap->own + own++;
            const double *v = s->result.v + 6 * k;
            mo_vec3_along(body->at, h, v, body->at);
            mo_advance_turn(body->turn, v + 3, h, body->turn);
        }
    }
}

static mo_error project(mo_heap *heap, double *overlap, int *iterations, mo_message *why)
{
    mo_error error = MO_OK;
    for (int round = 0; !error; ++round) {
        mo_heap_problem s = {.heap = heap, .is_projection = 1};
        error = mo_heap_find_pairs(heap, why);
        *overlap = error ? *overlap : take_near(heap);
        if (error || !mo_heap_is_deep(*overlap) || round == ROUNDS) {
            break;
        }
        error = mo_heap_solve(&s, why);
        *iterations += s.result.iterations;
        if (!error) {
            displace(&s);
        }
        mo_heap_problem_clear(&s);
    }
    return error;
}

mo_error mo_heap_project(mo_heap *heap, double *overlap, int *iterations, mo_message *why)
{
    const mo_heap before = *heap; /* pairs and bodies of the step, which recordings need */
    heap->pair = NULL;
    heap->all = NULL;
    heap->pair_count = heap->pair_room = heap->all_count = 0;
    const mo_error error = project(heap, overlap, iterations, why);
    free(heap->pair);
    free(heap->all);
    heap->pair = before.pair;
    heap->all = before.all;
    heap->pair_count = before.pair_count;
    heap->pair_room = before.pair_room;
    heap->all_count = before.all_count;
    return error;
}
