/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Relaxation and momentum (momentum.h) of sweeps, by the number of constraints and completed
 * sweeps.
 *
 * With large momentum full visits overshoot; a relaxation of 0.8 takes a quarter fewer sweeps.
 * Heaps of MANY contacts allow more momentum.  In those of VERY_MANY, whose steps take hundreds of
 * sweeps, normal impulses are relaxed more than friction once the first sweeps have found the
 * loaded contacts.
 */
#ifndef MO_SOLVER_PACE_H
#define MO_SOLVER_PACE_H

#include "base/anywhere.h"

typedef struct mo_sweep_pace {
    double relax_N, relax_T; /* relaxation factor of a visit; 1: none */
    double cap;              /* of the momentum */
    int is_new;              /* first sweep of this pace */
} mo_sweep_pace;

/* wanted: the caller's cap, up to 1 for no momentum. */
MO_ANY mo_sweep_pace mo_sweep_pace_at(int constraints, int iteration, double wanted)
{
    enum { MANY = 5000, VERY_MANY = 30000 /* constraints */, FIRST_SWEEPS = 120 };
    const double MORE = 1.4; /* momentum of large heaps over that of others */
    const int is_largest = constraints >= VERY_MANY,
              is_late = is_largest && iteration >= FIRST_SWEEPS,
              bears_more = is_late || (constraints > MANY && !is_largest);
    const mo_sweep_pace plain = {1, 1, wanted, iteration == 0},
                        fast = {is_late ? 0.5 : 0.8, is_late ? 1 : 0.8,
                                (bears_more ? MORE : 1) * wanted,
                                iteration == 0 || (is_late && iteration == FIRST_SWEEPS)};
    return wanted > 1 ? fast : plain;
}

/*
 * Steep sweeps (problem/batch_contacts.h): friction above which sweeps in two parts may end in a
 * cycle, and above 1 do so most of the time.  Below 1 they are faster if they converge, so they are
 * tried first.
 */
MO_ANY int mo_may_be_steep(double friction)
{
    return friction > 0.7;
}

MO_ANY int mo_is_steep(double friction, int iteration)
{
    enum { SWEEPS_BEFORE_STEEP = 150 };
    return friction > 1 || (mo_may_be_steep(friction) && iteration > SWEEPS_BEFORE_STEEP);
}

/* A shift that follows quickly needs fewer sweeps; one that follows slowly breaks cycles. */
MO_ANY double mo_shift_part(int iteration)
{
    const double MOST = 0.5, LEAST = 0.1, SWEEPS = 75;
    const double part = SWEEPS / (1 + iteration);
    return part < LEAST ? LEAST : part < MOST ? part : MOST;
}

/* Up to so many constraints, sweeps without lanes take the natural order. */
enum { MO_NATURAL_MOST = 2000 };

/* After which sweep the next check is due.  A check costs about two sweeps: after every sweep at
 * first, every sixteenth later, or as the caller requests. */
static inline int mo_next_check(int iteration, int check_every)
{
    const int pace = iteration / 3;
    const int wait = check_every ? check_every : pace < 1 ? 1 : pace > 16 ? 16 : pace;
    return iteration + wait;
}

#endif
