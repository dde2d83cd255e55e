/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A start of Lemke's method by way of the convex relaxation: the family of lemke_family.h is followed from its convex
 * end to the problem itself.
 *
 *   1. delta = 1, epsilon = 1: one path from a covering vector; S is positive semidefinite, z0 falls all the way.
 *   2. epsilon smaller and smaller, each from the last point, with its impulses as the centre.  Where nothing slides
 *      in the end, or little, this converges to a solution of the problem already (LCP3 of [anitescu2004]).
 *   3. Where it does not, delta is taken down to zero at a small epsilon: from dilation to Coulomb's law.
 *   4. epsilon smaller again, centre after centre: its part of u vanishes as the centre settles.
 *
 * A step of the family is tried with the old basis first, which near the end is right, and then along Lemke's path from
 * the old point; a step whose path gets lost, or long, is made shorter.  The steps are judged by the problem's own LCP,
 * |min(z, S z + c)|.
 *
 * Limits: Coulomb's law need not have one solution, and the branch that is followed may turn back: then the steps
 * become too short, and the start has failed.
 */
#include <math.h>
#include <string.h>

#include "solver/lemke.h"

enum { MOST_STEPS = 40, PATIENCE = 4 };

static const double LEAST_SOFTNESS =
    1e-6; /* below this rounding takes over                           */
static const double LEAST_STEP =
    0.005;                         /* of the dilation                                          */
static const double CLEAR = 0.2;   /* an old basis is right where the error falls below this part */
static const double EXACT = 1e-12; /* error of an LCP that is solved, its numbers being about one */

/* Keeps the present point as the one to go on from. */
static void keep(mo_lemke_work *work, double error)
{
    mo_lemke_keep(&work->path, work->kept_basic, work->kept_value);
    mo_lemke_point(&work->path, work->centre);
    mo_lemke_family_tidy(&work->family, work->c, work->kept_basic, work->kept_value);
    work->has_kept = 1;
    work->kept_error = error;
}

/* Measures the present point, and its error in the problem's own LCP. */
static mo_lemke_outcome look(mo_run *run, mo_lemke_work *work, double *error)
{
    const int solved = mo_lemke_look(run, work);
    *error = mo_lemke_family_error(&work->family, work->z + work->exact.free_count, work->w);
    work->reached_end |= *error <= EXACT;
    if (solved) {
        return MO_LEMKE_CONFIRMED;
    }
    return mo_run_must_stop(run, work->iteration) ? MO_LEMKE_STOP : MO_LEMKE_FAILED;
}

/* From the point that is kept: with its basis, or along a path. */
static mo_lemke_outcome set_out(mo_run *run, mo_lemke_work *work, mo_lemke_state *state)
{
    double error;
    *state = MO_LEMKE_LOST;
    mo_lemke_restore(&work->path, work->kept_basic, work->kept_value);
    if (!mo_lemke_take(&work->path)) {
        return MO_LEMKE_FAILED;
    }
    ++work->iteration;
    mo_lemke_hold(&work->path, work->c);
    const mo_lemke_outcome found = look(run, work, &error);
    if (found != MO_LEMKE_FAILED || error < CLEAR * work->kept_error) {
        *state = MO_LEMKE_SOLVED;
        return found;
    }
    mo_lemke_restore(&work->path, work->kept_basic, work->kept_value);
    *state = mo_lemke_resume(&work->path, work->c, work->cover, work->lift);
    return found;
}

/* One LCP of the family; `state` says how it ended. */
static mo_lemke_outcome follow(mo_run *run, mo_lemke_work *work, double epsilon, double delta,
                               mo_lemke_state *state)
{
    /* Convex paths do not wander; others that do are given up. */
    const int most = delta == 1 ? mo_lemke_most_pivots(run, work) : 100 + work->joints.pairs / 2;
    mo_lemke_outcome found = MO_LEMKE_FAILED;
    double error;
    mo_lemke_family_choose(&work->family, epsilon, delta, work->centre, work->c);
    mo_lemke_choose_vectors(run, work);
    if (work->has_kept) {
        found = set_out(run, work, state);
    } else {
        *state = mo_lemke_start(&work->path, work->c, work->cover, work->lift);
    }
    if (found == MO_LEMKE_FAILED && *state == MO_LEMKE_MOVING) {
        found = mo_lemke_walk(run, work, most, state);
    }
    if (found == MO_LEMKE_FAILED && *state == MO_LEMKE_SOLVED) {
        found = look(run, work, &error);
        keep(work, error);
    }
    return found;
}

/* At one dilation: centre after centre, harder and harder, until that has not helped `patience` times. */
static mo_lemke_outcome harden(mo_run *run, mo_lemke_work *work, double epsilon, double delta,
                               double softness, int patience)
{
    mo_lemke_state state;
    double before = INFINITY, factor = 0.1, last = epsilon;
    for (int step = 0; step < MOST_STEPS && patience > 0 && !work->reached_end; ++step) {
        const mo_lemke_outcome found = follow(run, work, epsilon, delta, &state);
        if (found != MO_LEMKE_FAILED || !work->has_kept) {
            return found;
        }
        if (state == MO_LEMKE_SOLVED) {
            patience -= epsilon <= softness && work->kept_error > sqrt(factor) * before;
            before = work->kept_error;
            last = epsilon;
            factor = fmax(0.1, pow(factor, 1.5));
        } else { /* too long a step, or too hard for rounding */
            factor = sqrt(factor);
            patience -= factor > 0.7;
        }
        epsilon = fmax(LEAST_SOFTNESS, factor * last);
    }
    return MO_LEMKE_FAILED;
}

/* From dilation to Coulomb's law; writes the dilation that is left. */
static mo_lemke_outcome take_dilation(mo_run *run, mo_lemke_work *work, double softness,
                                      double *delta)
{
    mo_lemke_state state;
    for (double step = 0.25; *delta > 0 && step > LEAST_STEP;) {
        const double next = *delta - step < LEAST_STEP ? 0 : *delta - step;
        const mo_lemke_outcome found = follow(run, work, softness, next, &state);
        if (found != MO_LEMKE_FAILED) {
            return found;
        }
        step = state == MO_LEMKE_SOLVED ? 1.5 * step : 0.5 * (*delta - next);
        *delta = state == MO_LEMKE_SOLVED ? next : *delta;
    }
    return MO_LEMKE_FAILED;
}

mo_lemke_outcome mo_lemke_start_relaxed(mo_run *run, mo_lemke_work *work, double softness)
{
    double delta = 1;
    work->has_kept = 0;
    memset(work->centre, 0, (size_t)work->joints.pairs * sizeof *work->centre);
    mo_lemke_outcome found = harden(run, work, 1, delta, softness, 1);
    if (found != MO_LEMKE_FAILED || !work->has_kept || work->reached_end) {
        return found;
    }
    found = take_dilation(run, work, softness, &delta);
    return found == MO_LEMKE_FAILED ? harden(run, work, softness, delta, softness, PATIENCE)
                                    : found;
}
