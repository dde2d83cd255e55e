/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Internal definitions of the method `lemke` (lemke.c). */
#ifndef MO_SOLVER_LEMKE_H
#define MO_SOLVER_LEMKE_H

#include "solver/lcp_system.h"
#include "solver/lemke_path.h"

/* ---- the family of LCPs: lemke_family.c ------------------------------------------------------ */

/*
 * A family of LCPs between a convex one and that of the problem, for Lemke's method to follow.
 *
 *     S(epsilon, delta) = S + delta (S_R - S) + epsilon E(delta)
 *     c(epsilon, delta) = c + delta (c_R - c) - epsilon E(delta) z_c
 *
 * S_R and c_R are those of the convex relaxation [anitescu2004, eq. 4.17]: at the dilation delta =
 * 1 sliding contacts lift off with mu times their slip speed, at delta = 0 Coulomb's law holds.  E
 * = T' R adds the velocity r - r_c, in units in which the diagonal of W is one: a softness epsilon,
 * which makes the impulses unique and vanishes at the centre r_c = r0 + R z_c (a proximal point
 * step).  For slip speeds and similar unknowns E has a one on the diagonal; otherwise the slip
 * speed of an unloaded contact would be unbounded, and paths would run to infinity along it.
 */
typedef struct mo_lemke_family {
    const mo_lcp *exact, *relaxed;
    mo_lemke_path *path;
    double *plain[2], *soft[2]; /* entries of S and E, and additional ones of the relaxation */
    double *c[2];               /* c, and the additional part of the relaxation */
    int has_friction;           /* they differ */
} mo_lemke_family;

void mo_lemke_family_layout(int n, size_t fill, mo_arena *arena, mo_lemke_family *family);

/* From S and c, and S_R and c_R (row-major, pairs alone), to the entries of the path. */
void mo_lemke_family_load(mo_lemke_family *family, const double *S, const double *c,
                          const double *S_R, const double *c_R);

/* Puts S(epsilon, delta) into the path and c(epsilon, delta) into c. */
void mo_lemke_family_choose(mo_lemke_family *family, double epsilon, double delta,
                            const double *centre, double *c);

/* |min(z, S z + c)| of the problem's own LCP: zero where z solves it.  w: n numbers of scratch. */
double mo_lemke_family_error(const mo_lemke_family *family, const double *z, double *w);

/* ---- the method ------------------------------------------------------------------------------ */

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
