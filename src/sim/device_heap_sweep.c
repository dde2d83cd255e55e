/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The sweeps of a step of a heap on a device: until residual, closing speed and sinking are small
 * (device_heap.c).
 */
#include <math.h>

#include "base/clock.h"
#include "sim/device_heap_data.h"

enum {
    RATE_SWEEPS = 1000,
    SOLID_RATE_SWEEPS = 80, /* of other solids, whose overlap a projection removes */
    ROUGH_RATE_SWEEPS = 40,
    MANY_CONTACTS = 30000 /* above which the residual may not detect an unsupported weight */
};
/* For rounds that determine the contacts of the next one, as in impulses.c. */
static const double ROUGH = 10, ROUGHEST = 0.1, ROUGH_DEPTH = 8e-3;
static const double SINKING = 0.5;  /* of large heaps, at most */
static const double NEARLY = 0.999; /* of the tolerance: leaves room for rounding */

typedef struct patience {
    const mo_options *options;
    double start;
    mo_status status;
} patience;

static int must_stop(void *context, int iteration)
{
    patience *p = context;
    const int is_late =
        isfinite(p->options->time_limit) && mo_clock() - p->start >= p->options->time_limit;
    p->status = is_late ? MO_TIME_LIMIT : MO_ITERATION_LIMIT;
    return is_late || iteration >= p->options->max_iter;
}

/* What the residual is measured by: of large copies of a world (device/copy_visit.h), which are
 * swept together, it is a root mean square over them. */
static double scale_of(const mo_device_heap *heap, double q)
{
    return fmax(sqrt(heap->copies), q);
}

static void fill_residual(mo_device_heap *heap, double q, mo_step_report *report)
{
    mo_device_sweeps *s = &heap->sweeps;
    const mo_worst none = {0, -1};
    const double scale = scale_of(heap, q);
    double exchange;
    report->residual =
        (mo_residual){.natural = s->natural,
                      .natural_relative = s->copies > 0 ? s->relative : s->natural / scale,
                      .q_norm = q,
                      .block = none,
                      .penetration_rate = {s->approach, -1},
                      .cone_violation = none,
                      .dissipation = none,
                      .power = mo_device_sweeps_power(s, &exchange),
                      .siconos_q = q > 0 ? s->natural / q : s->natural};
    report->sinking = exchange > 0 ? report->residual.power / exchange : 0;
}

static double tolerance_of(const mo_device_heap *heap, const mo_world *world)
{
    const double tol = world->def.solver.tol;
    return heap->is_rough ? fmax(tol, fmin(ROUGH * tol, ROUGHEST)) : tol;
}

static mo_sweep_goal goal_of(const mo_device_heap *heap, const mo_world *world, double h,
                             double natural)
{
    const double depth = heap->is_rough ? ROUGH_DEPTH : mo_depth_at(world->def.solver.tol),
                 rate = fmin(world->def.solver.penetration_rate, depth * heap->least / h);
    const int sees_weight = heap->contacts / heap->copies < MANY_CONTACTS || heap->is_rough;
    const int until = heap->is_rough     ? ROUGH_RATE_SWEEPS
                      : heap->has_solids ? SOLID_RATE_SWEEPS
                                         : RATE_SWEEPS;
    return (mo_sweep_goal){NEARLY * natural, rate, until, sees_weight ? INFINITY : SINKING, 0};
}

/* Until the residual computed from the impulses is within the tolerance, too. */
static mo_status sweep_all(mo_device_heap *heap, mo_sweep_goal stop, double goal, double momentum,
                           patience *p)
{
    mo_device_sweeps *s = &heap->sweeps;
    int passes = 1;
    mo_device_sweeps_start(s, momentum);
    while (passes) {
        passes = mo_device_sweeps_run(s, stop, must_stop, p);
        mo_device_sweeps_verdict(s);
        if (s->natural <= goal) break;
        passes = passes && mo_sweep_goal_tighten(&stop);
    }
    return s->natural <= goal ? MO_SOLVED : s->moved == 0 ? MO_STALLED : p->status;
}

/* The same of every copy of a world by itself. */
static mo_status sweep_copies(mo_device_heap *heap, mo_sweep_goal stop, double tolerance,
                              double momentum, patience *p)
{
    const mo_copy_goal goal = {.tolerance = tolerance,
                               .natural = NEARLY * tolerance,
                               .rate = stop.rate,
                               .rate_until = stop.rate_until,
                               .most = p->options->max_iter,
                               .momentum = momentum};
    return mo_device_sweeps_copies(&heap->sweeps, goal, must_stop, p) == 0 ? MO_SOLVED
           : must_stop(p, heap->sweeps.iteration)                          ? p->status
                                                                           : MO_STALLED;
}

void mo_device_heap_sweep(mo_device_heap *heap, const mo_world *world, double h,
                          mo_step_report *report)
{
    const mo_options *options = &world->def.solver;
    mo_device_sweeps *s = &heap->sweeps;
    patience p = {options, mo_clock(), MO_SOLVED};
    const double q = mo_device_sweeps_q(s), tolerance = tolerance_of(heap, world),
                 goal = tolerance * scale_of(heap, q);
    if (s->device->error) { /* the step returns it */
        report->status = MO_STALLED;
        return;
    }
    const mo_sweep_goal stop = goal_of(heap, world, h, goal);
    const double momentum = mo_uses_auto(world) ? MO_HEAP_MOMENTUM : options->nsgs.momentum;
    report->status = s->copies > 0 ? sweep_copies(heap, stop, tolerance, momentum, &p)
                                   : sweep_all(heap, stop, goal, momentum, &p);
    report->tolerance = options->tol;
    report->iterations += s->iteration;
    ++report->rounds;
    if (!heap->is_rough && s->iteration > heap->longest) heap->longest = s->iteration;
    fill_residual(heap, q, report);
}
