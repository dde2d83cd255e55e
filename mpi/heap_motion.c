/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Motion of the bodies of a heap without contacts: inertia, free velocities, new positions, energy.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "sim/step.h"

void mo_heap_inertia(const mo_heap *heap, const mo_heap_body *body, double J[9])
{
    const mo_heap_shape *shape = mo_heap_shape_at(heap, body);
    double Q[9];
    if (shape->is_ball) {
        memcpy(J, shape->inertia, sizeof shape->inertia);
        return;
    }
    mo_quat_matrix(body->turn, Q);
    mo_mat3_turn(Q, shape->inertia, J);
}

/* The spin of a body that keeps its angular momentum while it turns. */
static void spin_on(const mo_heap *heap, mo_heap_body *body)
{
    const mo_heap_shape *shape = mo_heap_shape_at(heap, body);
    double Q[9], own[3], l[3], y[3];
    mo_quat_matrix(body->turn, Q);
    mo_mat3_apply_transposed(Q, body->spin, own);
    mo_mat3_apply(shape->inertia, own, l);
    mo_advance_spin(shape->inertia, l, heap->def.dt, y);
    mo_mat3_apply(Q, y, body->spin);
}

void mo_heap_accelerate(mo_heap *heap)
{
    for (int b = 0; b < heap->count; ++b) {
        mo_heap_body *body = heap->own + b;
        body->v[2] -= heap->def.dt * heap->def.gravity;
        if (!mo_heap_shape_at(heap, body)->is_ball) {
            spin_on(heap, body);
        }
    }
}

mo_error mo_heap_move(mo_heap *heap, mo_message *why)
{
    for (int b = 0; b < heap->count; ++b) {
        mo_heap_body *body = heap->own + b;
        mo_vec3_along(body->at, heap->def.dt, body->v, body->at);
        mo_advance_turn(body->turn, body->spin, heap->def.dt, body->turn);
        if (!isfinite(body->at[0] + body->at[1] + body->at[2] + body->turn[0])) {
            return mo_fail(why, MO_ERR_ARGUMENT, "step %lld moves body %u to nowhere",
                           (long long)heap->step + 1, body->id);
        }
    }
    return MO_OK;
}

static double kinetic_energy(const mo_heap *heap, const mo_heap_body *body)
{
    double J[9], l[3];
    mo_heap_inertia(heap, body, J);
    mo_mat3_apply(J, body->spin, l);
    return 0.5 * (mo_heap_shape_at(heap, body)->mass * mo_vec3_dot(body->v, body->v) +
                  mo_vec3_dot(body->spin, l));
}

double mo_heap_energy(mo_heap *heap, int is_kinetic)
{
    double *each = realloc(heap->each, ((size_t)heap->count + 1) * sizeof *each);
    heap->each = each ? each : heap->each;
    for (int b = 0; each && b < heap->count; ++b) {
        const mo_heap_body *body = heap->own + b;
        each[b] = is_kinetic ? kinetic_energy(heap, body)
                             : mo_heap_shape_at(heap, body)->mass * heap->def.gravity *
                                   fmax(0, body->at[2]);
    }
    heap->exact.bound[0] = 0;
    return mo_exact_sum(&heap->exact, 0, each, each ? (size_t)heap->count : 0);
}
