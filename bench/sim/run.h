/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One engine on one scene, watched from outside: poses, velocities and contacts as the engine gives
 * them, everything else computed here, in the same way for all.
 */
#ifndef BENCH_SIM_RUN_H
#define BENCH_SIM_RUN_H

#include <stdio.h>

#include "engine.h"
#include "outcome.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Question of the scene, in addition to the common measurements; it concerns the first dynamic
 * body. */
typedef enum sim_question {
    SIM_SETTLE, /* nothing further */
    SIM_STAND,  /* do all bodies stay in place? */
    SIM_REST,   /* a block that must not creep */
    SIM_SLIDE,  /* a block that slides from rest: is its acceleration right? */
    SIM_ROLL,   /* a ball that slides first: does it start to roll at the right time? */
    SIM_QUESTION_COUNT
} sim_question;

typedef struct sim_call {
    const char *scene; /* a scene of worlds.h and values: "beads,count=600" */
    double step;
    int steps;
    double limit; /* seconds of the processor in the engine; then the run ends */
    sim_question question;
    double tol; /* ours: the relative residual of a step; 0: that of the scene */
} sim_call;

/* The world of a text such as "beads,count=600"; NULL if it is wrong: `why` has the reason. */
mo_world *sim_world_make(const char *text, mo_message *why);

/* The engine's configuration on the scene; outcome lines go to `out`. */
void sim_run(const sim_engine *engine, int config, const sim_call *call, FILE *out);

/* For error handlers of engines that cannot continue: writes the results so far and ends the
 * process. */
void sim_give_up(const char *message);

#ifdef __cplusplus
}
#endif
#endif
