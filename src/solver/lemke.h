/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Internal definitions of the method `lemke` (lemke.c). */
#ifndef MO_SOLVER_LEMKE_H
#define MO_SOLVER_LEMKE_H

#include "solver/lcp_system.h"
#include "solver/lemke_family.h"
#include "solver/lemke_path.h"

typedef struct mo_lemke_work {
    mo_lcp_system system;
    mo_lcp relaxed;
    mo_lemke_path path;
    mo_lemke_family family;
    double *cover, *lift; /* d and p of the path */

    int *kept_basic; /* the point of the family to continue from, if any */
    double *kept_value, *centre;
    int has_kept;
    double kept_error; /* its error in the LCP of the problem */

    int restart, iteration;
    int covers, relaxations; /* starts of each kind so far */
    int reached_end;         /* the LCP is solved, but the residual is above tol */
} mo_lemke_work;

/* Outcome of a start. */
typedef enum mo_lemke_outcome {
    MO_LEMKE_CONFIRMED, /* solved, as confirmed by the measure */
    MO_LEMKE_REFUTED,   /* a ray proves that there is no solution */
    MO_LEMKE_STOP,      /* the run must stop */
    MO_LEMKE_FAILED     /* none of these */
} mo_lemke_outcome;

/* lemke.c: measures the present point of the path; true if it solves the problem. */
int mo_lemke_check(mo_run *run, mo_lemke_work *work);

/* d and p of the present start. */
void mo_lemke_choose_vectors(const mo_run *run, mo_lemke_work *work);

/* Pivots until the path ends, or at most `most`: MO_LEMKE_FAILED, with the reason in `state`. */
mo_lemke_outcome mo_lemke_follow(mo_run *run, mo_lemke_work *work, int most, mo_lemke_state *state);

/* Pivots allowed in one start. */
int mo_lemke_most_pivots(const mo_run *run, const mo_lemke_work *work);

/* lemke_follow.c: a start through regularised LCPs, whose softness is reduced by this factor. */
mo_lemke_outcome mo_lemke_start_relaxed(mo_run *run, mo_lemke_work *work, double factor);

#endif
