/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The results of [baraff1994, section 7] rerun: what a solve costs beside Gaussian elimination, how
 * many pivots it takes, whether static friction ever fails, and when dynamic friction has no
 * solution.
 *
 *   piles.c     the contact matrices
 *   cost.c      without friction, beside LAPACK on the same matrix
 *   pivots.c    pivots against the number of contacts, with and without friction
 *   friction.c  random problems with static and with dynamic friction
 *   claims.c    the paper's statements beside ours
 *   data.c      the tables as CSV
 *   run.c       `moreau reproduce baraff`
 */
#ifndef BARAFF_H
#define BARAFF_H

#include "claims.h"
#include "moreau/moreau.h"

/* ---- piles ----------------------------------------------------------------------------------- */

typedef enum br_pile {
    BR_WALL,   /* bricks in running bond, at rest: eight contacts and three velocities a brick */
    BR_SHAKEN, /* the same wall, every brick moving at random */
    BR_STACK,  /* a tower of cubes: four contacts and three velocities a cube */
    BR_STONES, /* a bed of stones, about as many contacts as velocities */
    BR_PILE_COUNT
} br_pile;

extern const char *const br_pile_names[BR_PILE_COUNT];

/* The pile with about `contacts` contacts; without friction in the reduced form, normal rows
 * alone. */
mo_error br_frictionless(br_pile pile, int contacts, mo_problem **problem);

typedef enum br_friction { BR_NONE, BR_PLANE, BR_SPACE, BR_FRICTION_COUNT } br_friction;

extern const char *const br_friction_names[BR_FRICTION_COUNT];

/* A wall with about `contacts` contacts, at rest or shaken, in the plane or in space. */
mo_error br_wall(int contacts, int is_shaken, br_friction friction, mo_problem **problem);

/* ---- cost ------------------------------------------------------------------------------------ */

typedef struct br_cost {
    br_pile pile;
    int n, rank; /* of W */
    int pressed; /* contacts with a force */
    int pivots;
    double gauss;    /* seconds of LAPACK's dgesv on W and q */
    double pivoting; /* seconds from W to the forces */
    double call;     /* seconds of the whole call: W copied, forces judged as well */
    double residual; /* relative */
    int is_solved;
} br_cost;

extern const int br_sizes[];
extern const int br_size_count;

/* Fills BR_PILE_COUNT * br_size_count rows. */
mo_error br_measure_cost(br_cost *rows);

/* One row; `least` seconds of repetitions at least. */
mo_error br_measure_one(br_pile pile, int contacts, double least, br_cost *row);

/* ---- pivots ---------------------------------------------------------------------------------- */

typedef struct br_pivots {
    br_friction friction;
    int is_shaken;
    int contacts, rows;
    int pivots;
    double seconds;
    double residual; /* relative, of the default run */
    int is_solved;   /* with the Newton steps in space */
} br_pivots;

enum { BR_PIVOT_SIZES = 8, BR_PIVOT_ROWS = 2 * BR_FRICTION_COUNT * BR_PIVOT_SIZES };

mo_error br_count_pivots(br_pivots *rows);
mo_error br_count_one(br_friction friction, int is_shaken, int contacts, br_pivots *row);

/* The power p of pivots = c n^p that fits best. */
double br_growth(const br_pivots *rows, int count, br_friction friction, int is_shaken);

/* ---- friction -------------------------------------------------------------------------------- */

typedef struct br_trials {
    double mu;
    int in_space; /* static friction only */
    int trials;
    int at_once;   /* solved from the first start */
    int solved;    /* with fresh starts in another order */
    int rays;      /* not solved, and an unbounded step was met */
    double pivots; /* of a problem, on average */
} br_trials;

enum { BR_MUS = 6, BR_STATIC_ROWS = 2 * BR_MUS };

extern const double br_mus[BR_MUS];

mo_error br_try_static(br_trials *rows);  /* BR_STATIC_ROWS */
mo_error br_try_dynamic(br_trials *rows); /* BR_MUS */

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct br_results {
    br_cost *cost;
    br_pivots pivots[BR_PIVOT_ROWS];
    br_trials fixed[BR_STATIC_ROWS], sliding[BR_MUS];
} br_results;

enum { BR_CLAIM_COUNT = 5 };

void br_check_claims(const br_results *results, paper_claim *claims);

mo_error br_write_data(const char *folder, const br_results *results, const paper_claim *claims,
                       mo_message *why);

#endif
