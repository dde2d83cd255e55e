/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The experiments of [lu2015] rerun: a particle of 1 kg falls on a plane, one step is solved by the
 * prox iteration, and the external force g and the step r of the method vary.
 *
 *   particle.c     one run of the library on the particle, watched iteration by iteration
 *   readings.c     Algorithm 1 read in several ways, without the library
 *   eigenvalues.c  eq. 32-33
 *   rules.c        beyond the paper: the rules for r on the particle and on harder problems
 *   claims.c       the paper's statements beside ours
 *   data.c         the data of the figures as CSV
 *   run.c          `moreau reproduce lu-trinkle`
 */
#ifndef LU_TRINKLE_H
#define LU_TRINKLE_H

#include <stdio.h>

#include "claims.h"
#include "moreau/moreau.h"

enum { LT_MOST = 300 }; /* iterations at most, as in the paper */

#define LT_XI 0.7         /* weight of eq. 30                     */
#define LT_TOLERANCE 1e-6 /* of the total error in figure 2       */
#define LT_FINE 1e-17     /* of the total error in figures 3 to 5 */

#define LT_PHI_TO_TOTAL(phi) (0.5 * (phi) * (phi)) /* eq. 31 from |phi| */

/* The external forces of figure 2 (the paper names -10, -5 and -(5 + eps)), and the steps of 3 to
 * 5. */
extern const double lt_forces[];
extern const int lt_force_count;
extern const double lt_steps[];
extern const int lt_step_count;

/* ---- one run --------------------------------------------------------------------------------- */

/* The course of a run; the state after its last iteration is repeated up to LT_MOST. */
typedef struct lt_trace {
    int iterations;            /* the first whose total error is below the tolerance, or LT_MOST */
    int reached;               /* is there such an iteration? */
    int last;                  /* the iteration that the run ended with */
    double error[LT_MOST + 1]; /* total error of eq. 31 after this many iterations */
    double impulse[LT_MOST + 1][3]; /* p_n, p_t, p_o */
} lt_trace;

/* One run of the library; {0} with a step is the conic model, Jacobi, fixed r. */
typedef struct lt_trial {
    double gravity, mass; /* mass 0 stands for the paper's 1 kg */
    double step;          /* r of the fixed rule */
    double zeta;
    double tolerance; /* on the total error of the hard law; 0: run to the end */
    int linearised, gauss_seidel, adaptive;
} lt_trial;

/*
 * Algorithm 1 tests its error after an iteration, so that a start which solves the problem counts
 * as one iteration here.
 */
mo_error lt_solve(const lt_trial *trial, lt_trace *trace);

/* ---- readings of Algorithm 1 ----------------------------------------------------------------- */

typedef enum lt_velocity {
    LT_START,          /* nu of the start of the step plus all impulses: what eq. 15 says */
    LT_ACCUMULATED,    /* eq. 26 to the letter: nu^k, which already holds them, plus all impulses */
    LT_IMPULSES_TWICE, /* the same, but p_ext only once */
} lt_velocity;

typedef struct lt_reading {
    const char *name; /* for files and JSON */
    const char *text;
    lt_velocity velocity;
    int error_as_iterated; /* rho in the error from the accumulated velocity */
    int linearised;        /* z = (p_n, p_f1 .. p_f4, s) of eq. 12-14 */
    int in_sequence;       /* s is stepped after p_n and p_f, from their new values */
    int by_phi;            /* the tolerance is one of |phi| and not of |phi|^2 / 2, eq. 31 */
} lt_reading;

typedef enum lt_reading_index {
    LT_READ_CONIC,
    LT_READ_PRINTED,
    LT_READ_PRINTED_ONCE,
    LT_READ_PRINTED_STALE,
    LT_READ_TOGETHER,
    LT_READ_SEQUENCE,
    LT_READ_SEQUENCE_PHI,
    LT_READING_COUNT
} lt_reading_index;

extern const lt_reading lt_readings[LT_READING_COUNT];

/* Runs a reading on the particle; `tolerance` is that of the reading's own error.  trace->error is
 * eq. 31. */
void lt_read(lt_reading_index reading, double gravity, double r, double tolerance, lt_trace *trace);

/* ---- eigenvalues ----------------------------------------------------------------------------- */

enum { LT_ORDER = 6 };

typedef struct lt_eigenvalues {
    double re[LT_ORDER], im[LT_ORDER]; /* ordered by im, then by re */
    double r_star;                     /* eq. 32, from the real ones */
} lt_eigenvalues;

/* Of the matrix of eq. 33 with the relaxation of eq. 11 on its whole diagonal.  False if LAPACK
 * fails. */
int lt_compute_eigenvalues(double zeta, lt_eigenvalues *values);

/* ---- beyond the paper ------------------------------------------------------------------------ */

/* The rules of prox.rule, in its order; and nsgs, for comparison. */
enum {
    LT_FIXED,
    LT_FOERG,
    LT_CONTACT,
    LT_ADAPTIVE,
    LT_RULE_COUNT,
    LT_NSGS = LT_RULE_COUNT,
    LT_SOLVER_COUNT
};
enum { LT_RULE_MOST = 3000 };

extern const char *const lt_solver_names[LT_SOLVER_COUNT];

typedef struct lt_comparison {
    const char *problem;
    /* To a relative natural residual of 1e-8; LT_RULE_MOST: not reached. */
    int iterations[LT_SOLVER_COUNT];
} lt_comparison;

extern const int lt_comparison_count;

mo_error lt_compare(lt_comparison *all);

/* The relative residual of one of the problems after each iteration, up to `most`. */
mo_error lt_rule_history(int rule, int most, double *residual, const char **problem);

/* ---- the paper's statements ------------------------------------------------------------------ */

enum { LT_CLAIM_COUNT = 11 };

mo_error lt_check_claims(const lt_comparison *rules, paper_claim claims[LT_CLAIM_COUNT]);

/* ---- files ----------------------------------------------------------------------------------- */

/* Writes every CSV file into the folder. */
mo_error lt_write_data(const char *folder, const lt_comparison *rules, const paper_claim *claims,
                       mo_message *why);

#endif
