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
    MO_AUTO_TINY = 64,    /* blocks: swept before anything else is looked at     */
    MO_AUTO_LARGE = 20000 /* blocks: no factorisation is tried on more than this */
};

/* A method with its budget. */
typedef struct mo_stage {
    const mo_method *method;
    const char *word; /* for the story: what is tried                            */
    int budget;       /* iterations at most                                      */
    int sweeps;       /* newton.sweeps                                           */
    int goes_on;      /* starts where the stage before ended, not at the best r  */
} mo_stage;

/* The stages for a problem, in their order; returns how many there are. */
int mo_auto_stages(const mo_problem *problem, const mo_stage **stages);

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

/* Runs stages [first, count) on the run; adds a line to the story for each. */
mo_status mo_auto_chain(mo_run *run, int first, mo_status before, mo_message *story);

/* Splits the problem and runs the stages on every island that is not solved; run->r holds the start. */
mo_status mo_auto_split(mo_run *run, int swept, mo_status before, mo_message *story);

/* Adds to the story: a semicolon where something stands there already, then the text. */
void mo_story_add(mo_message *story, const char *format, ...) MO_PRINTF(2, 3);

#endif
