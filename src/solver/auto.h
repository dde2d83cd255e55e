/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Internal definitions of `auto`: a table of rungs and the loop over it (auto.c), the run of one
 * rung (auto_rung.c), and islands, which walk on by themselves (auto_islands.c, auto_units.c).
 */
#ifndef MO_SOLVER_AUTO_H
#define MO_SOLVER_AUTO_H

#include "solver/method.h"

/* Where a rung starts. */
typedef enum mo_rung_start {
    MO_START_BEST, /* at the best r so far */
    MO_START_ON,   /* where the rung before ended */
    MO_START_WARM, /* at the best r so far if the caller gave a start, else at zero */
    MO_START_COLD  /* at zero, where all before has led into a dead end */
} mo_rung_start;

/* What a rung is for: the problem before it is split, each island, or both. */
typedef enum mo_rung_scope { MO_WHOLE = 1, MO_ISLAND = 2, MO_EITHER = 3 } mo_rung_scope;

/* Budgets that are no counts of iterations.  MO_MORE: a share of what sweeps may cost; MO_BACK:
 * all, and the rung before is looked at again. */
enum { MO_ALL = 0, MO_SLICES = -1, MO_MORE = -2, MO_BACK = -3 };

/* Where an island, or the whole problem, stands on the ladder. */
typedef struct mo_walk {
    mo_facts facts;
    mo_rung_scope scope;
    int has_swept;  /* 1: a few sweeps, 2: long ones over the whole */
    int next;       /* the rung that is looked at next */
    int slice;      /* sweeps of the last slice of `long sweeps`, or of `more sweeps` */
    int has_more;   /* `more sweeps` were taken */
    int tries;      /* number of times that `newton` was taken */
    unsigned taken; /* rungs that were taken, a bit each */
    int afford;     /* sweeps that cost as much as what follows them */
    double before;  /* the residual before the last slice, or of an island that was split off */
    int steps;      /* of the rungs that factor: their limit is ladder.steps */
    int counted;    /* iterations of the run before the last rung, if that factors; else -1 */
} mo_walk;

typedef struct mo_rung {
    const char *name;
    const mo_method *method;
    mo_rung_scope scope;
    int (*when)(const mo_walk *walk, const mo_run *run);
    const char *reason; /* what `when` means */
    int budget;         /* iterations or one of the above; MO_SLICES again while `when` holds */
    mo_rung_start start;
    double momentum; /* of sweeps */
} mo_rung;

extern const mo_rung mo_ladder[];
extern const int mo_ladder_count;
extern const mo_rung
    *const mo_rung_in_place; /* the rung that islands take before they are copied */

/* The facts of a run's problem before it is split, and the first rung. */
mo_walk mo_walk_begin(const mo_run *run);

/* The problem is an island: the costs of its factorisation and of its sweeps. */
mo_error mo_walk_plan(mo_walk *walk, const mo_run *run);

/* Does the rung factor a matrix in every iteration? */
int mo_rung_factors(const mo_rung *rung);

/* The next rung of a run that is not solved, or NULL when all have been tried. */
const mo_rung *mo_walk_next(mo_walk *walk, const mo_run *run);

/* Walks along the ladder; adds a word to the summary for each rung. */
mo_status mo_auto_walk(mo_run *run, mo_walk *walk, mo_message *summary);

/* Splits the problem and walks on with every island that is not solved; run->r holds the start. */
mo_status mo_auto_split(mo_run *run, mo_walk *walk, mo_message *summary);

/* Is the start so near that Newton's method comes first?  `square`: of the residual, absolute. */
int mo_auto_is_near(const mo_run *run, int rows, double square);

/* ---- one rung (auto_rung.c) ------------------------------------------------------------------ */

/* A rung under way.  Opening and closing ask the allocator; what lies between does not. */
typedef struct mo_rung_run {
    mo_run *run;
    const mo_rung *rung;
    mo_options options;
    void *memory, *workspace;
    mo_walk *walk;
    int iterations; /* of the run before this rung */
    double seconds;
    mo_status status;
} mo_rung_run;

void mo_rung_open(mo_run *run, const mo_rung *rung, mo_walk *walk, mo_rung_run *out);
void mo_rung_solve(mo_rung_run *rung_run);
void mo_rung_close(mo_rung_run *rung_run, mo_explanation *explanation);

/* Adds to the report of a rung; the residual is relative.  `islands` is 0 if the rung is taken once
 * more on the same island. */
void mo_explain_rung(mo_explanation *explanation, const mo_rung *rung, int islands, int iterations,
                     double residual, double seconds);

/* Is there no use in going on: solved, out of iterations, stopped by the caller, or an error? */
int mo_auto_is_over(const mo_run *run, mo_status status);

/* Adds to the summary: a comma where something stands there already, then the text. */
void mo_summary_add(mo_message *summary, const char *format, ...) MO_PRINTF(2, 3);

#endif
