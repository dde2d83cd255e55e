/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The simulations of [anitescu2004, section 5.3]: cannonball piles over time (figures 2 and 3), and
 * the Brazil nut (figure 4).
 *
 *   motion.c      piles that fall apart; every method on the problem of a step
 *   motion_run.c  `moreau reproduce cannonball`
 *   nut.c         the shaken bed
 *   nut_run.c     `moreau reproduce brazil-nut`
 */
#ifndef ANITESCU_HART_MOTION_H
#define ANITESCU_HART_MOTION_H

#include "moreau/moreau.h"

/* ---- piles ----------------------------------------------------------------------------------- */

typedef enum ah_solver { AH_S0, AH_S1, AH_S2, AH_S3, AH_SAUTO, AH_SOLVERS } ah_solver;

extern const char *const ah_solver_names[AH_SOLVERS]; /* "LCP0", ..., "auto" */

/* One method on the problem of one step, from zero. */
typedef struct ah_answer {
    int is_asked, is_solved;
    double seconds, residual;
} ah_answer;

typedef struct ah_instant {
    double time;
    int contacts; /* of the exact motion */
    int relaxed;  /* contacts of the motion by LCP3, which differs */
    ah_answer answer[AH_SOLVERS];
} ah_instant;

enum { AH_INSTANTS = 200 };

typedef struct ah_pile {
    int rows, disks;
    double mu;
    int steps, every;   /* interval of steps at which the methods are tried */
    double patience;    /* seconds for one solve */
    int unsolved;       /* steps of the exact motion */
    double penetration; /* deepest of the exact motion, m */
    double gain;        /* largest rise of the energy in a step, over the first energy */
    ah_instant at[AH_INSTANTS];
} ah_pile;

/* The pile in motion by `auto`; what it asks for is in rows, mu, steps, every, patience. */
mo_error ah_move_pile(ah_pile *pile, mo_message *why);

/* ---- the Brazil nut -------------------------------------------------------------------------- */

enum { AH_SHAKES = 80, AH_DISKS = 270 }; /* the nut is the first disk */

typedef struct ah_nut {
    const char *method;
    double tolerance;
    int shakes; /* that were made */
    /* share of the small disks above the nut's top, after each shake */
    double above[AH_SHAKES + 1];
    double at[AH_SHAKES + 1][AH_DISKS][2]; /* where the disks are then */
    int top;                               /* the first shake that leaves it at the top; -1: none */
    int steps, unsolved;                   /* unsolved: to the tolerance, in Coulomb's law */
    double contacts, seconds, residual;    /* means of a step */
    double penetration;                    /* deepest, m */
} ah_nut;

/* Shakes until the nut is at the top, at most `most` times. */
mo_error ah_shake(const char *method, double tolerance, int most, ah_nut *nut, mo_message *why);

#endif
