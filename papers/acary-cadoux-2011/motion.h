/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The simulations of [acary2011]: beads that fall into a box (section 6: table 1 and figure 8), and
 * rods of Painlevé's kind in motion (section 2.2).
 *
 *   beads.c      a whole simulation by one solver, and four facets on the problems of some steps
 *   beads_run.c  `moreau reproduce bead-piles`
 *   rods.c       the rod of example 2.1 on its rail, and a free rod that slides on its tip
 *   rods_run.c   `moreau reproduce painleve`
 */
#ifndef ACARY_CADOUX_MOTION_H
#define ACARY_CADOUX_MOTION_H

#include "moreau/moreau.h"

/* ---- beads ----------------------------------------------------------------------------------- */

/* AC_GRADIENT: successive approximations with (6.1), as printed.  AC_COARSE, AC_FINE: auto to 1e-4
 * and to 1e-8. */
typedef enum ac_solver { AC_GRADIENT, AC_COARSE, AC_FINE, AC_SOLVERS } ac_solver;

extern const char *const ac_solver_texts[AC_SOLVERS];

enum { AC_BEAD_STEPS = 300, AC_FACETS_EVERY = 30 };

typedef struct ac_bead_step {
    int contacts; /* in the problem */
    int pressed;  /* that carry an impulse */
    int rounds;   /* convex problems, or iterations of auto */
    double seconds, residual;
    double facets_seconds; /* four facets, interior points; 0: not asked */
    int facets_rounds;
} ac_bead_step;

typedef struct ac_bead_run {
    ac_solver solver;
    int beads, steps;
    int unsolved;       /* steps with a residual above 1e-8 */
    double penetration; /* deepest, in radii */
    double energy_gain; /* largest in a step, over the first energy */
    ac_bead_step step[AC_BEAD_STEPS];
} ac_bead_run;

/* steps <= AC_BEAD_STEPS; with_facets: the problems of some steps also go to four facets. */
mo_error ac_drop_beads(int beads, int steps, ac_solver solver, int with_facets, ac_bead_run *run,
                       mo_message *why);

/* ---- rods ------------------------------------------------------------------------------------ */

/*
 * A free rod of half length 1 that slides on its leading tip with speed u0, at the angle theta
 * above the ground.  Its contact jams where
 *
 *   mu > (1 + 3 cos^2) / (3 sin cos):   no finite force, but an impulse that stops the tip at once.
 */
typedef struct ac_jam {
    double mu, limit, h;
    double force;    /* normal, of the first step, over the weight */
    double expected; /* the same for the motion without a step, INFINITY where it jams */
    double impulse;  /* normal, over m u0 */
    double jammed;   /* the same where it jams, by closed form */
    double slip;     /* of the tip after the step, over u0 */
    int is_solved;
} ac_jam;

mo_error ac_jam_rod(double mu, double angle, double h, ac_jam *jam, mo_message *why);

/* The fall of that rod: rows of time, angle, tip speed and normal force over the weight. */
enum { AC_FALL_STEPS = 1000 };
typedef struct ac_fall {
    double mu;
    int steps, unsolved;
    double gain; /* largest of the energy in a step, over the first */
    double row[AC_FALL_STEPS][4];
} ac_fall;

mo_error ac_fall_rod(double mu, double angle, ac_fall *fall, mo_message *why);

/*
 * Example 2.1 in motion: the upper end of the rod moves along a rail with u0 = 1, a mass at its
 * lower end slides on the ground.  theta is from the vertical.  The ground's force is m g tan /
 * (tan - mu), and there is none where tan < mu.
 */
typedef struct ac_rail {
    double theta, mu;
    double force, expected; /* over the weight; expected: NAN if there is none */
    mo_status status;       /* of the first step */
    int steps, unsolved;
    double residual; /* worst */
} ac_rail;

mo_error ac_drag_rod(double theta, double mu, int steps, ac_rail *rail, mo_message *why);

#endif
