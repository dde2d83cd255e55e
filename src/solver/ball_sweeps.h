/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sweeps over balls (problem/balls.h): block Gauss-Seidel in the order of colours, several contacts at a time.
 *
 * Momentum (momentum.h) moves the velocities on before a sweep, and each impulse when its contact is visited, which nobody else reads.  The residual is looked at by
 * a pass of the same kind, and only when it may be good enough: what a sweep moves is known for nothing, its ratio to the residual from the last
 * look.  Where the residual is reached but some contact sinks faster than it may (balls->deepest), they go on, where that is asked for.
 *
 * A look is no verdict: the caller has what passes measured from r alone.
 */
#ifndef MO_SOLVER_BALL_SWEEPS_H
#define MO_SOLVER_BALL_SWEEPS_H

#include "base/arena.h"
#include "problem/ball_kernel.h"
#include "solver/momentum.h"

/* How sweeps go on. */
typedef struct mo_ball_gait {
    double relax_N, relax_T; /* the part of the way that a visit goes, 1 for exact visits */
    double momentum;         /* its most (momentum.h), up to 1 for none                   */
} mo_ball_gait;

typedef struct mo_ball_pace {
    int threads;
    mo_ball_gait first, later; /* later: after so many sweeps */
    int first_sweeps;
} mo_ball_pace;

typedef struct mo_ball_sweeps {
    const mo_balls *balls;
    mo_ball *state, *state_before;
    mo_ball_impulses *impulses;
    double *best;      /* impulses of the best look */
    mo_ball *measured; /* room for the states of what a caller measures */
    double *moved_of_chunk;
    mo_ball_sums *seen; /* one entry a chunk of batches, as moved_of_chunk */
    mo_ball_pace pace;
    mo_ball_gait gait; /* the present one */

    mo_momentum momentum;
    int iteration;
    double moved;   /* by the last sweep: sum |dr|^2; zero: they are at an end           */
    double least;   /* natural residual seen so far                                      */
    double ratio;   /* of the residual to what the sweep before has moved                */
    int last_look;  /* sweep                                                             */
    int sinks_till; /* sweep up to which they go on for contacts that sink               */
} mo_ball_sweeps;

void mo_ball_sweeps_layout(mo_arena *arena, const mo_balls *balls, mo_ball_sweeps *sweeps);

/* From impulses r, three for each contact in the axes of the world (NULL: zero). */
void mo_ball_sweeps_start(mo_ball_sweeps *sweeps, const mo_ball_pace *pace, const double *r);

/* True where there is a reason to end after so many sweeps. */
typedef int mo_must_stop(void *context, int iteration);

/*
 * Sweeps until a look finds a natural residual of at most `goal` (true; then that is the best), until must_stop says so, or until a sweep moves nothing.  May
 * be called again, with a smaller goal.
 */
int mo_ball_sweeps_run(mo_ball_sweeps *sweeps, double goal, mo_must_stop *must_stop, void *context);

/* From the next run on they also go on while a contact sinks, for so many sweeps at most. */
void mo_ball_sweeps_mind_depth(mo_ball_sweeps *sweeps, int most);

/* The impulses of the best look. */
void mo_ball_sweeps_best(const mo_ball_sweeps *sweeps, double *r);

#endif
