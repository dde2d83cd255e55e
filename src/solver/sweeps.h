/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sweeps over the batches and rows of a problem (problem/batches.h): block Gauss-Seidel in the
 * order of colours.
 *
 * Momentum (momentum.h) extrapolates velocities and impulses before a sweep.  The residual is
 * evaluated only when it may meet the tolerance, predicted from the change of a sweep and its ratio
 * to the last residual.  If the residual meets the tolerance but a contact closes faster than the
 * caller's penetration rate, the sweeps continue for a while.
 *
 * The caller confirms the result by measuring r.
 */
#ifndef MO_SOLVER_SWEEPS_H
#define MO_SOLVER_SWEEPS_H

#include "base/arena.h"
#include "problem/batch_kernel.h"
#include "solver/momentum.h"

/* Callbacks of sweeps that share bodies with other processes, each with its part of the
 * constraints.  Sums must not depend on the order of their terms. */
typedef struct mo_sweep_others {
    void *context;
    int constraint_count; /* of all */
    double *each;         /* room for MO_LANES numbers a batch, then one a row */

    /* The outer contacts of a colour have been visited; and all of them have. */
    void (*begin_colour)(void *context, int group, double *state);
    void (*end_colour)(void *context, int group, double *state);

    /* The sum of `each` over all, and the largest of one number. */
    double (*sum)(void *context, int is_look);
    double (*largest)(void *context, double value);
} mo_sweep_others;

typedef struct mo_sweeps {
    const mo_batches *batches;
    const mo_sweep_others *others; /* or NULL */
    int threads;
    double relax_N, relax_T; /* relaxation factor of a visit; 1: none */
    double *state, *state_before;
    mo_point_impulses *impulses;
    double *row_r, *row_before; /* impulses of row blocks, at row_start of the problem */
    double *best, *row_best;    /* impulses of the best look, as impulses->r and row_r */
    double *point_u;            /* scratch of the measure */
    double *shift;              /* of steep passes (batch_passes.h): MO_LANES numbers a point */
    double *moved_of_chunk;
    mo_batch_sums *seen; /* one entry a chunk of batches, then of rows */

    double wanted_momentum; /* the caller's cap */
    mo_momentum momentum;
    int iteration;
    double moved;  /* by the last sweep: sum |dr|^2; zero: converged */
    double least;  /* natural residual seen so far */
    double ratio;  /* ratio of the residual to the change of the previous sweep */
    int last_look; /* sweep */
    int wait;      /* least number of sweeps to the next check */
} mo_sweeps;

void mo_sweeps_layout(mo_arena *arena, const mo_batches *batches, mo_sweeps *sweeps);

/* From the impulses r of the problem's rows; momentum: its cap (momentum.h), up to 1 for none. */
void mo_sweeps_start(mo_sweeps *sweeps, int threads, double momentum, const double *r);

/* Returns true if the solve must stop after this many sweeps. */
typedef int mo_must_stop(void *context, int iteration);

/* r' W r of the state that was computed from the impulses; rigid bodies, no rows. */
double mo_sweeps_exchange(const mo_sweeps *sweeps);

/*
 * Natural residual, penetration rate, and the power of mo_residual over r' W r (INFINITY: any; only
 * on a device); the latter two are given up after this many sweeps.
 */
typedef struct mo_sweep_goal {
    double natural, rate;
    int rate_until;
    double power;
    int tightened; /* how often */
} mo_sweep_goal;

/* After a measurement that does not confirm the goal.  0: it has become less than 1e-30 of the
 * first one, in vain, as where numbers overflow. */
static inline int mo_sweep_goal_tighten(mo_sweep_goal *goal)
{
    goal->natural *= 0.7;
    return ++goal->tightened < 200;
}

/* Sweeps until a check finds that the goal is reached (true; then that is the best), until
 * must_stop returns true, or until a sweep changes nothing.  May be called again with a smaller
 * goal. */
int mo_sweeps_run(mo_sweeps *sweeps, mo_sweep_goal goal, mo_must_stop *must_stop, void *context);

/* The impulses of the best check, in the rows of the problem; sets the state accordingly. */
void mo_sweeps_take_best(mo_sweeps *sweeps, double *r);

/* The impulses of the best check, in the rows of the problem, and their measured v, u and
 * residual.  The sweeps may continue from there. */
void mo_sweeps_measure(mo_sweeps *sweeps, double q_norm, double *r, double *v, double *u,
                       mo_residual *residual);

#endif
