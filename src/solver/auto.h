/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The parts of `auto`: stages that are run one after the other (auto_stages.c) on a whole problem or on each of its islands
 * (auto_islands.c).
 */
#ifndef MO_SOLVER_AUTO_H
#define MO_SOLVER_AUTO_H

#include "solver/method.h"

enum {
    MO_AUTO_GLANCE = 2,   /* sweeps that solve what is easy                      */
    MO_AUTO_TINY = 64,    /* blocks: swept before anything else is looked at     */
    MO_AUTO_LARGE = 20000 /* blocks: no factorisation is tried on more than this */
};

/* Sweeps before the first attempt of Newton's method, which costs the more of them the more blocks there are. */
static inline int mo_auto_sweeps(int blocks)
{
    return blocks <= 400 ? 10 : 20;
}

/* A start of this relative residual is near: Newton's method is tried before any sweep. */
#define MO_AUTO_NEAR 1e-3

/* A tolerance that sweeps, as a rule, reach before Newton's method would. */
#define MO_AUTO_COARSE 1e-5

/* The most t of the momentum of longer runs of sweeps. */
#define MO_AUTO_MOMENTUM 10.0

/* Where a stage starts. */
typedef enum mo_stage_start {
    MO_START_BEST, /* at the best r so far                                  */
    MO_START_ON,   /* where the stage before ended                          */
    MO_START_COLD  /* at zero, where all before has led into a dead end     */
} mo_stage_start;

/* A method with its budget. */
typedef struct mo_stage {
    const mo_method *method;
    const char *word; /* for the story                                           */
    int budget;       /* iterations at most; 0: all that the caller allows       */
    double momentum;  /* of sweeps                                               */
    mo_stage_start start;
} mo_stage;

/* Where a run stands among the stages. */
typedef struct mo_plan {
    int is_by_sweeps; /* too large, or with a law that no other method takes   */
    int is_coarse;    /* the tolerance: MO_AUTO_COARSE or more                 */
    int step;         /* the next rung of the ladder                           */
    int long_sweeps; /* sweeps that cost as much as an attempt of Newton's method, less those done */
    int slice;       /* sweeps of the last slice of them                      */
    double before;   /* the residual before it                                */
    mo_stage stage;  /* the one that was chosen last                          */
} mo_plan;

/* What is known of the start of a plan. */
typedef enum mo_plan_from {
    MO_FROM_NEAR,    /* the start is near a solution                */
    MO_FROM_NOWHERE, /* nothing                                     */
    MO_FROM_SWEEPS   /* the first stage, a few sweeps, has been done */
} mo_plan_from;

mo_error mo_plan_begin(const mo_problem *problem, double tol, mo_plan_from from, mo_plan *plan);

/* The next stage of a run that is not solved, or NULL when all have been tried. */
const mo_stage *mo_plan_next(mo_plan *plan, const mo_run *run);

/* A stage under way.  Opening and closing ask the allocator; what lies between them does not. */
typedef struct mo_stage_run {
    mo_run *run;
    const mo_stage *stage;
    mo_options options;
    void *memory, *workspace;
    mo_status status;
} mo_stage_run;

void mo_stage_open(mo_run *run, const mo_stage *stage, mo_stage_run *out);
void mo_stage_solve(mo_stage_run *stage_run);
void mo_stage_close(mo_stage_run *stage_run);

/* Is there no use in going on: solved, out of iterations, stopped by the caller, or an error? */
int mo_auto_is_over(const mo_run *run, mo_status status);

/* Runs the stages on the run, one after the other; adds a word to the story for each. */
mo_status mo_auto_chain(mo_run *run, mo_plan_from from, mo_status before, mo_message *story);

/* Splits the problem and runs the stages on every island that is not solved; run->r holds the start. */
mo_status mo_auto_split(mo_run *run, mo_plan_from from, mo_status before, mo_message *story);

/* Adds to the story: a semicolon where something stands there already, then the text. */
void mo_story_add(mo_message *story, const char *format, ...) MO_PRINTF(2, 3);

#endif
