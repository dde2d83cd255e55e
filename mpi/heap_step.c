/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One step of a heap: that of a world (docs/simulation.md), which the worlds of all ranks take at
 * once.
 *
 *   1. bodies and impulses migrate; ghosts within reach of the step
 *   2. the step, from predicted velocities to projected positions (sim/step.c)
 *   3. the state of the rank's own bodies, and the report
 */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "spread.h"

/* The energy of all ranks, kinetic or potential. */
static double energy(mo_heap *heap, int is_kinetic)
{
    double *each = realloc(heap->each, ((size_t)heap->count + 1) * sizeof *each);
    heap->each = each ? each : heap->each;
    for (int b = 0; each && b < heap->count; ++b) {
        const mo_sim_body *body = heap->world->body + heap->place[b];
        each[b] = is_kinetic ? mo_body_kinetic_now(heap->world, body)
                             : fmax(0, mo_body_potential(heap->world, body));
    }
    heap->exact.bound[0] = 0;
    return mo_exact_sum(&heap->exact, 0, each, each ? (size_t)heap->count : 0);
}

static void fill_report(mo_heap *heap, const mo_step_report *step, double started,
                        mo_heap_report *report)
{
    const int64_t own[2] = {step->contacts, -(int64_t)step->contacts};
    int64_t most[2];
    MPI_Allreduce(own, &report->contacts, 1, MPI_INT64_T, MPI_SUM, heap->comm);
    MPI_Allreduce(own, most, 2, MPI_INT64_T, MPI_MAX, heap->comm);
    report->step = heap->step;
    report->migrated = heap->migrated;
    report->most = most[0];
    report->least = -most[1];
    report->status = step->status;
    report->iterations = step->iterations;
    report->colours = heap->colours;
    report->residual = step->residual;
    report->penetration = step->penetration;
    report->overlap = fmax(0, step->overlap - step->overlap_before);
    report->held_back = step->held_back;
    report->kinetic = energy(heap, 1);
    report->potential = energy(heap, 0);
    report->seconds = mo_clock() - started;
}

/* Own bodies and ghosts into the world, and the impulses of the last step where they have changed
 * places. */
static mo_error enter(mo_heap *heap, mo_message *why)
{
    mo_error error = mo_heap_find_ghosts(heap, mo_heap_largest_motion(heap));
    if (error) return mo_fail(why, error, "bodies near other ranks: %s", mo_error_text(error));
    error = mo_heap_enter(heap, 0, why);
    if (!error && !heap->contacts_are_known)
        error = mo_heap_write_contacts(heap) ? mo_fail_memory(why) : MO_OK;
    return mo_mpi_agree(heap->comm, error, why);
}

mo_error mo_heap_step(mo_heap *heap, mo_heap_report *report, mo_message *why)
{
    const double started = mo_clock();
    mo_heap_report own;
    mo_step_report step;
    report = report ? report : &own;
    *report = (mo_heap_report){0};
    mo_error error = MO_OK;
    if (heap->step % heap->def.balance == 0) error = mo_heap_balance(heap, why);
    error = error ? error : mo_heap_migrate(heap, why);
    error = error ? error : enter(heap, why);
    error = error ? error : mo_world_step(heap->world, heap->def.dt, &step, why);
    error = error ? error : mo_mpi_agree(heap->comm, mo_heap_read_world(heap), NULL);
    if (!error) {
        ++heap->step;
        fill_report(heap, &step, started, report);
    }
    return error;
}
