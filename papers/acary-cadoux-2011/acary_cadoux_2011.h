/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What [acary2011] says of one problem, rerun: the rate of successive approximations against mu
 * (figure 9), the inner solvers of section 6 beside each other, and the closed form of example 2.1.
 * motion.h has the simulations.
 *
 *   piles.c    beds of stones with any mu, in motion or released from rest
 *   rates.c    figure 9
 *   engines.c  section 6: what a convex problem costs, cold and warm
 *   rod.c      example 2.1: where the rod of figure 2 has a solution
 *   verdicts.c sections 5.2 to 5.5: how many solutions it has
 *   data.c     the tables as CSV
 *   run.c      `moreau reproduce acary-cadoux`
 */
#ifndef ACARY_CADOUX_2011_H
#define ACARY_CADOUX_2011_H

#include "moreau/moreau.h"

/* ---- piles ----------------------------------------------------------------------------------- */

typedef enum ac_state { AC_MOVING, AC_RELEASED, AC_STATES } ac_state;

extern const char *const ac_state_names[AC_STATES];

/* A packing of spheres with that many contacts; every mu the same. */
mo_error ac_pile(int contacts, ac_state state, double mu, mo_problem **problem);

/* ---- figure 9 -------------------------------------------------------------------------------- */

enum { AC_MUS = 9, AC_ROUNDS = 50, AC_CONTACTS = 250 };

typedef struct ac_rate {
    ac_state state;
    double mu;
    double value[AC_ROUNDS]; /* left side of (6.1), round by round */
    int rounds;              /* how many there are */
    double factor;           /* mean factor of a round, over the last half of them above 1e-12 */
    double contraction;      /* as the library measures it */
} ac_rate;

/* Successive approximations, every convex problem solved to a thousandth of the residual. */
mo_error ac_measure_rate(int contacts, ac_state state, double mu, ac_rate *rate);

/* ---- the inner solvers ----------------------------------------------------------------------- */

enum { AC_ENGINES = 6, AC_SIZES = 3 };

extern const char *const ac_engine_names[AC_ENGINES];
extern const int ac_sizes[AC_SIZES]; /* contacts for each time step in the paper's table 1 */

typedef struct ac_cost {
    int engine, contacts;
    int rounds;          /* convex problems to (6.1) with 1e-4, as in its figure 9 */
    double seconds;      /* for them */
    double residual;     /* that they leave, relative */
    double full_seconds; /* to 1e-4 in the measure */
    int full_rounds;
    int is_solved;
    double warm_seconds; /* the same from the solution for mu = 0.31 */
    int warm_rounds, is_warm_solved;
} ac_cost;

/* At most `patience` seconds for each run. */
mo_error ac_measure_cost(int engine, int contacts, double patience, ac_cost *cost);

/* ---- the rod --------------------------------------------------------------------------------- */

typedef struct ac_rod {
    int tried, solvable; /* points (theta, mu, u0), and those for which (2.6) says yes  */
    int solved, refused; /* of the solvable ones, solved; of the others, not solved */
} ac_rod;

/* The problem (2.5) with the numbers of example 2.1. */
mo_error ac_rod_problem(double theta, double mu, double speed, mo_problem **problem);
int ac_rod_has_solution(double theta, double mu, double speed); /* (2.6) */
mo_error ac_try_rod(ac_rod *rod);

/* ---- the map of verdicts --------------------------------------------------------------------- */

enum { AC_MAP = 50, AC_MAP_CASES = 4 };

/* Cases: speed -1 and 1 with gravity -1, then both with gravity 1. */
typedef struct ac_map {
    mo_verdict verdict[AC_MAP_CASES][AC_MAP][AC_MAP]; /* by angle, then mu */
    int tried, agree;                                 /* with the closed form */
    int border_tried, border_agree;                   /* at mu = tan theta (1 +- 1e-9)  */
} ac_map;

double ac_map_angle(int k);
double ac_map_mu(int k);
mo_verdict ac_rod_verdict(double theta, double mu, double speed, double gravity);
mo_error ac_draw_map(ac_map *map);

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct ac_results {
    ac_rate rates[AC_STATES * AC_MUS];
    ac_cost costs[AC_ENGINES * AC_SIZES];
    ac_rod rod;
    ac_map map;
} ac_results;

mo_error ac_write_data(const char *folder, const ac_results *results, mo_message *why);

#endif
