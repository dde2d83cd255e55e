/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sweeps of copies of a world on a device, one block each (device/copy_visit.h). */
#include <math.h>

#include "solver/device_sweeps.h"

static mo_term sum_of_copies(mo_device_sweeps *s, mo_kernel kernel, const mo_copy_args *a)
{
    mo_term sum;
    const int blocks = mo_device_launch_summed(s->device, kernel, s->copies, a, s->partial.at);
    mo_device_figures *figures = s->figures.at;
    mo_device_add_up(s->device, s->partial.at, blocks, &figures->look);
    mo_device_read(s->device, &sum, &figures->look, sizeof sum);
    return sum;
}

/* Runs up to this many sweeps; returns the number of copies that are unsolved. */
static double sweep_copies(mo_device_sweeps *s, mo_copy_args *a, int until)
{
    a->until = until;
    mo_device_launch_blocks(
        s->device, a->threads == MO_COPY_FEW ? MO_KERNEL_solve_small_copy : MO_KERNEL_solve_copy,
        s->copies, a, s->partial.at);
    const mo_term open = sum_of_copies(s, MO_KERNEL_copy_open, a);
    s->iteration = (int)open.largest;
    return open.sum;
}

int mo_device_sweeps_copies(mo_device_sweeps *s, mo_copy_goal goal, mo_must_stop *must_stop,
                            void *context)
{
    enum { SWEEPS = 256 /* of a launch */, FEW = 400 /* pairs with contacts of a copy */ };
    const int is_few = (s->slots + s->manifolds) / s->copies <= FEW;
    mo_device_sweeps_take_room(s);
    mo_copy_args a = {.visit = mo_device_sweeps_args(s, 0),
                      .impulses = {s->impulses[0].at, s->impulses[1].at},
                      .free_line = s->free_line,
                      .start = s->patch_start,
                      .per_copy = s->per_copy,
                      .has_manifolds = s->manifolds > 0,
                      .threads = is_few ? MO_COPY_FEW : MO_COPY_THREADS,
                      .goal = goal,
                      .state = MO_TAKE_BUFFER(s->device, &s->copy_state, s->copies, mo_copy_state)};
    a.visit.shift = s->shift.at;
    a.goal.friction = s->friction;
    mo_device_clear(s->device, s->copy_state.at, (size_t)s->copies * sizeof(mo_copy_state));
    mo_device_clear(s->device, s->shift.at, mo_device_sweeps_shifts(s) * sizeof(double));
    mo_device_copy(s->device, s->line.at, s->free_line, (size_t)s->lines * sizeof(mo_line));
    double open = sweep_copies(s, &a, SWEEPS);
    while (open > 0 && !must_stop(context, s->iteration))
        open = sweep_copies(s, &a, s->iteration + SWEEPS);
    if (open > 0) { /* judge the current state */
        a.goal.most = 0;
        sweep_copies(s, &a, s->iteration + SWEEPS);
    }
    const mo_term worst = sum_of_copies(s, MO_KERNEL_copy_worst, &a),
                  seen = sum_of_copies(s, MO_KERNEL_copy_check, &a);
    s->natural = sqrt(seen.sum);
    s->approach = seen.largest;
    s->relative = worst.largest;
    return (int)worst.sum;
}
