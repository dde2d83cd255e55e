/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A start of Lemke's method through regularised LCPs of the family of lemke.h.
 *
 *   1. First start: the convex relaxation (delta = 1) with decreasing epsilon, each from the last
 *      point as centre.  S is positive semidefinite and paths are short.  If nothing slides, this
 *      converges to a solution (LCP3 of [anitescu2004]).
 *   2. Otherwise: proximal points.  One path from a covering vector at delta = 0 with large
 *      softness, then centre by centre with a softness reduced by `factor` while paths are short.
 *
 * A step is first tried with the old basis, then along Lemke's path from the old point.  After a
 * failed or long path the next step has the last good softness, then more pivots, then more
 * softness.  Steps are judged by the LCP of the problem, |min(z, S z + c)|.
 *
 * Limits: with much friction the LCP is not monotone, and proximal points need not converge: for
 * 210 discs they solve mu = 0.4 but not 0.3 and 0.5.  The next start uses another factor.
 */
#include <math.h>
#include <string.h>

#include "solver/lemke.h"

enum { MOST_STEPS = 40, PATIENCE = 1, LONG_PATH = 4, PIVOTS_FOR_EACH = 5 };

static const double FIRST_SOFTNESS = 0.1; /* of the proximal points */
static const double SOFTNESS = 1e-3; /* of the relaxation, from which on its error must fall  */
static const double LEAST_SOFTNESS = 1e-7; /* below this, rounding dominates */
static const double MOST_SOFTNESS = 10;
static const double GENTLEST = 0.8; /* factor on the softness at most */
/* the old basis is accepted if the error falls below this fraction */
static const double CLEAR = 0.2;
static const double EXACT = 1e-12; /* error of an LCP that is solved, its numbers being about one */

/* Keeps the current point to continue from. */
static void keep(mo_lemke_work *work, double error)
{
    mo_lemke_keep(&work->path, work->kept_basic, work->kept_value);
    mo_lemke_point(&work->path, work->centre);
    work->has_kept = 1;
    work->kept_error = error;
}

/* Measures the current point, and its error in the problem's own LCP. */
static mo_lemke_outcome measure_point(mo_run *run, mo_lemke_work *work, double *error)
{
    const int solved = mo_lemke_check(run, work);
    *error = mo_lemke_family_error(&work->family, work->system.z + work->system.lcp.free_count,
                                   work->system.w);
    work->reached_end |= *error <= EXACT;
    if (solved) return MO_LEMKE_CONFIRMED;
    return mo_run_must_stop(run, work->iteration) ? MO_LEMKE_STOP : MO_LEMKE_FAILED;
}

/* From the point that is kept: with its basis, or along a path. */
static mo_lemke_outcome set_out(mo_run *run, mo_lemke_work *work, mo_lemke_state *state)
{
    double error;
    *state = MO_LEMKE_LOST;
    mo_lemke_restore(&work->path, work->kept_basic, work->kept_value);
    if (!mo_lemke_take(&work->path)) return MO_LEMKE_FAILED;
    ++work->iteration;
    mo_lemke_hold(&work->path, work->system.c);
    const mo_lemke_outcome found = measure_point(run, work, &error);
    if (found != MO_LEMKE_FAILED || error < CLEAR * work->kept_error) {
        *state = MO_LEMKE_SOLVED;
        return found;
    }
    mo_lemke_restore(&work->path, work->kept_basic, work->kept_value);
    *state = mo_lemke_resume(&work->path, work->system.c, work->cover, work->lift);
    return found;
}

/* One LCP of the family, in at most `most` pivots; `state` is its outcome. */
static mo_lemke_outcome follow(mo_run *run, mo_lemke_work *work, double epsilon, double delta,
                               int most, mo_lemke_state *state)
{
    mo_lemke_outcome found = MO_LEMKE_FAILED;
    double error;
    mo_lemke_family_choose(&work->family, epsilon, delta, work->centre, work->system.c);
    mo_lemke_choose_vectors(run, work);
    if (work->has_kept)
        found = set_out(run, work, state);
    else
        *state = mo_lemke_start(&work->path, work->system.c, work->cover, work->lift);
    if (found == MO_LEMKE_FAILED && *state == MO_LEMKE_MOVING)
        found = mo_lemke_follow(run, work, most, state);
    if (found == MO_LEMKE_FAILED && *state == MO_LEMKE_SOLVED) {
        found = measure_point(run, work, &error);
        keep(work, error);
    }
    return found;
}

static void clear_kept(mo_lemke_work *work)
{
    work->has_kept = 0;
    memset(work->centre, 0, (size_t)work->system.n * sizeof *work->centre);
}

/* The convex relaxation with decreasing softness, until PATIENCE steps have not helped. */
static mo_lemke_outcome relax(mo_run *run, mo_lemke_work *work)
{
    const int most = mo_lemke_most_pivots(run, work);
    mo_lemke_state state;
    double before = INFINITY, factor = 0.1, last = 1, epsilon = 1;
    int patience = PATIENCE;
    for (int step = 0; step < MOST_STEPS && patience > 0 && !work->reached_end; ++step) {
        const mo_lemke_outcome found = follow(run, work, epsilon, 1, most, &state);
        if (found != MO_LEMKE_FAILED || !work->has_kept) return found;
        if (state == MO_LEMKE_SOLVED) {
            patience -= epsilon <= SOFTNESS && work->kept_error > sqrt(factor) * before;
            before = work->kept_error;
            last = epsilon;
            epsilon = fmax(LEAST_SOFTNESS, factor * last);
        } else { /* too little softness for rounding: another centre first */
            patience -= epsilon == last;
            factor = sqrt(factor);
            epsilon = last;
        }
    }
    return MO_LEMKE_FAILED;
}

/* The softness of the next step: see above. */
typedef struct schedule {
    double epsilon, good; /* next, and that of the last step that succeeded */
    double factor, least_factor;
    int failures; /* since then */
} schedule;

static void plan_next(schedule *plan, int succeeded)
{
    if (succeeded) {
        plan->good = plan->epsilon;
        if (plan->failures == 0) {
            plan->factor = fmax(plan->least_factor, pow(plan->factor, 1.3));
            plan->epsilon = fmax(LEAST_SOFTNESS, plan->factor * plan->epsilon);
        }
        plan->failures = 0;
        return;
    }
    plan->factor = fmin(GENTLEST, sqrt(plan->factor));
    plan->epsilon = ++plan->failures <= 2 ? plan->good : 2 * plan->epsilon;
}

static mo_lemke_outcome approach(mo_run *run, mo_lemke_work *work, double factor)
{
    const int pairs = work->system.n, usual = 100 + pairs / 6;
    const int end = work->iteration + 200 + PIVOTS_FOR_EACH * pairs;
    schedule plan = {FIRST_SOFTNESS, FIRST_SOFTNESS, factor, factor, 0};
    mo_lemke_state state;
    while (work->iteration < end && plan.epsilon <= MOST_SOFTNESS && !work->reached_end) {
        const int most = !work->has_kept      ? mo_lemke_most_pivots(run, work)
                         : plan.failures == 2 ? LONG_PATH * usual
                                              : usual;
        const mo_lemke_outcome found = follow(run, work, plan.epsilon, 0, most, &state);
        if (found != MO_LEMKE_FAILED || !work->has_kept) return found;
        plan_next(&plan, state == MO_LEMKE_SOLVED);
    }
    return MO_LEMKE_FAILED;
}

mo_lemke_outcome mo_lemke_start_relaxed(mo_run *run, mo_lemke_work *work, double factor)
{
    mo_lemke_outcome found = MO_LEMKE_FAILED;
    clear_kept(work);
    if (work->relaxations == 1) {
        found = relax(run, work);
        clear_kept(work);
    }
    if (found != MO_LEMKE_FAILED || work->reached_end) return found;
    return approach(run, work, factor);
}
