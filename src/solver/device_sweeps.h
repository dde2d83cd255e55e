/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sweeps on a device (device/device.h): block Gauss-Seidel in the order of hashed colours with
 * momentum, as sweeps.h in vector lanes.
 *
 * Momentum and long steps leave a part of the residual behind, mostly of contacts that stick.  Near
 * the goal, a few sweeps without momentum that go a small part of the way take this part away: the
 * residual then settles, and often to the goal.
 *
 * If all but the weight of the heap is solved (goal.power), the momentum becomes larger, and at
 * every check all impulses are multiplied by the factor of device/contact_power.h.
 *
 * Only a few numbers are returned to the host at each residual check: after 2, 4 and 8 sweeps, then
 * every 8, later every 16 and 32.  Momentum and its safeguard stay on the device.  Colours,
 * relaxation and checks depend on the problem alone, and so do all bits of the result.
 *
 * The arrays are filled from a problem (device_arrange.h), or by the simulator on the device.
 */
#ifndef MO_SOLVER_DEVICE_SWEEPS_H
#define MO_SOLVER_DEVICE_SWEEPS_H

#include "device/buffer.h"
#include "device/device_kernels.h"
#include "solver/sweeps.h"

/* Data that the host reads at a check. */
typedef struct mo_device_figures {
    mo_term look, speed, power, exchange, work;
    mo_pace pace;
} mo_device_figures;

typedef struct mo_device_sweeps {
    mo_device *device;

    /* To be set before the start: */
    int constraints; /* for the pace */
    double friction; /* the largest: with some, there are no patches (solver/pace.h) */
    int slots, manifolds, points, lines;
    int slot_start[MO_COLOURS + 1], manifold_start[MO_COLOURS + 1]; /* of each colour */
    int rest_count;
    int tail_most;          /* contacts of a colour that one block visits with others of few */
    int patches;            /* 0: none; slots inside of patches come before slot_start[0] */
    const int *patch_start; /* on the device (device/patch_visit.h) */
    int copies, per_copy;   /* of a world, and their bodies, if each is swept by one block
                               (device/copy_visit.h); patch_start: of each copy, then */
    mo_slots slot_arrays;
    mo_manifolds manifold_arrays;
    int moving;
    const double *inertia;
    const mo_line *free_line; /* at r = 0 */
    const int *rest;
    mo_buffer impulses[2]; /* now and before, by component; mo_device_sweeps_room */
    mo_scratch scratch;    /* until the end of the sweeps; may be none */

    double *before, *best; /* velocities before the last sweep; impulses of the best look */
    mo_buffer line, before_own, best_own, partial, figures, shift, copy_state;
    mo_launch_list *pair_of_sweeps, *many_sweeps;
    int has_many; /* sweeps are recorded as they are now */
    int is_steep; /* sweeps are, from now on */
    int carries;  /* sweeps use the pace that transmits the weight to the ground */
    double wanted_momentum;
    int iteration, settling; /* sweeps; those of them that settle */
    double near;             /* factor on the goal below which a residual may settle to it */
    double natural, approach, moved; /* of the last look */
    double least;                    /* natural residual */
    double relative;                 /* of copies: the largest relative residual */
} mo_device_sweeps;

void mo_device_sweeps_begin(mo_device *device, mo_device_sweeps *sweeps);
void mo_device_sweeps_end(mo_device_sweeps *sweeps);

/* Room for the impulses: slots, then points, three components so many numbers apart. */
double *mo_device_sweeps_room(mo_device_sweeps *sweeps, size_t *apart);

/* Further data of the sweeps, and the arguments of their kernels, from impulses[now]. */
void mo_device_sweeps_take_room(mo_device_sweeps *sweeps);
mo_visit_args mo_device_sweeps_args(const mo_device_sweeps *sweeps, int now);
size_t mo_device_sweeps_shifts(const mo_device_sweeps *sweeps); /* of steep sweeps */

/* |q|, at r = 0. */
double mo_device_sweeps_q(mo_device_sweeps *sweeps);

/* From the impulses in impulses[0]; momentum: its cap. */
void mo_device_sweeps_start(mo_device_sweeps *sweeps, double momentum);

/* As mo_sweeps_run; the impulses of the best look are then in impulses[0]. */
int mo_device_sweeps_run(mo_device_sweeps *sweeps, mo_sweep_goal goal, mo_must_stop *must_stop,
                         void *context);

/* device_copies.c: all sweeps of copies, and a verdict on each.  Returns how many are unsolved. */
int mo_device_sweeps_copies(mo_device_sweeps *sweeps, mo_copy_goal goal, mo_must_stop *must_stop,
                            void *context);

/* Recomputes the state from the impulses and checks it. */
void mo_device_sweeps_verdict(mo_device_sweeps *sweeps);

/* The power of mo_residual at the current state, from the impulses in impulses[0]; *exchange
 * becomes r' W r. */
double mo_device_sweeps_power(mo_device_sweeps *sweeps, double *exchange);

#endif
