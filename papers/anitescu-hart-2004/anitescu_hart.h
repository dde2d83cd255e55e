/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The numbers of [anitescu2004] rerun: the hexagonal pyramid of section 3, and of section 5.3 the
 * first steps of cannonball piles of disks by LCP0 to LCP3, and table 1.
 *
 *   pyramid.c   two solutions, and their average
 *   piles.c     the four methods on one pile
 *   rates.c     contraction factors, and the error of LCP3, against mu
 *   data.c      the tables and the picture of a pile as CSV
 *   run.c       `moreau reproduce anitescu-hart`
 *   motion.h    the simulations of figures 2 to 4
 */
#ifndef ANITESCU_HART_H
#define ANITESCU_HART_H

#include "moreau/moreau.h"

/* ---- the hexagonal pyramid ------------------------------------------------------------------- */

enum { AH_CORNERS = 6, AH_PYRAMIDS = 3 };

typedef struct ah_pyramid {
    double mu;
    double share;                 /* m g h / 3 */
    double normal[2][AH_CORNERS]; /* r_N of the two solutions that were found */
    double residual[2];           /* of the law, by the measure */
    double violation[3];          /* of (2.7-2.8), lambda included: first, second, their average */
    double speed;                 /* the largest |v| that any of the methods finds */
    int methods, solved;          /* that were asked, and that solved it */
} ah_pyramid;

mo_error ah_solve_pyramids(ah_pyramid rows[AH_PYRAMIDS], mo_message *why);
mo_error ah_solve_pyramid(double mu, ah_pyramid *row, mo_message *why);

/* ---- piles ----------------------------------------------------------------------------------- */

typedef enum ah_method { AH_LCP0, AH_LCP1, AH_LCP2, AH_LCP3, AH_METHODS } ah_method;

extern const char *const ah_paper_names[AH_METHODS]; /* "LCP0"  */
extern const char *const ah_our_names[AH_METHODS];   /* "lemke" */

#define AH_TOLERANCE 1e-8 /* relative natural residual: what counts as solved */

typedef struct ah_run {
    mo_status status;
    int iterations;
    double seconds;     /* of processor time */
    double residual;    /* relative natural residual */
    double contraction; /* 0: not measured */
    double discrepancy; /* 2-norm of min(r_N, u_N): the error of table 1 */
    double slip;        /* the largest mu lambda */
    double difference;  /* largest |v - v of LCP0|; NAN if LCP0 has none */
} ah_run;

/* The first step of a pile by one method.  v: NULL, or where to put the velocity; r likewise. */
mo_error ah_solve_pile(const mo_problem *problem, ah_method method, int as_published, ah_run *run,
                       double *v, double *r);

/* The same for a pile of that many rows. */
mo_error ah_solve_first_step(int rows, double mu, ah_method method, ah_run *run, mo_message *why);

/* One pile by all four, and by LCP1 and LCP2 without the rescue. */
typedef struct ah_step {
    int rows, disks, contacts;
    double mu;
    ah_run run[AH_METHODS];
    ah_run published[AH_METHODS]; /* LCP1 and LCP2 alone */
} ah_step;

enum { AH_STEPS = 2 };

mo_error ah_solve_step(int rows, double mu, ah_step *step, mo_message *why);

/* Table 1: 210 disks. */
typedef struct ah_row {
    double mu;
    double paper_lcp0, paper_lcp3, paper_error; /* seconds; NAN: out of iterations */
    ah_run lcp0, lcp3;
} ah_row;

enum { AH_ROWS = 5 };

mo_error ah_solve_table(ah_row rows[AH_ROWS], mo_message *why);
mo_error ah_solve_row(int k, ah_row *row, mo_message *why);

/* ---- rates ----------------------------------------------------------------------------------- */

/* 21 disks: the published loops with exact convex problems. */
typedef struct ah_rate {
    double mu;
    double contraction[2]; /* of LCP1 and LCP2; NAN if the loop did not converge */
    double error;          /* largest |v of LCP3 - v| */
    double slip;           /* the largest mu lambda of the solution */
} ah_rate;

enum { AH_RATES = 14 };

mo_error ah_measure_rates(ah_rate rows[AH_RATES], mo_message *why);
mo_error ah_measure_rate(double mu, ah_rate *row, mo_message *why);

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct ah_results {
    ah_pyramid pyramid[AH_PYRAMIDS];
    ah_step step[AH_STEPS];
    ah_row row[AH_ROWS];
    ah_rate rate[AH_RATES];
} ah_results;

/* CSV files; and disks and contacts of the second step by LCP1 and LCP3, for the picture. */
mo_error ah_write_data(const char *folder, const ah_results *results, mo_message *why);

#endif
