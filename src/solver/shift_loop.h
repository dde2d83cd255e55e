/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The outer loop of the methods that freeze the sliding speed: a fixed point on the shift s of the normal velocity.
 * See shift_loop.c; the engine that solves the convex problems is the caller's choice (convex.h).
 */
#ifndef MO_SOLVER_SHIFT_LOOP_H
#define MO_SOLVER_SHIFT_LOOP_H

#include "solver/convex.h"

/* What is repeated. */
typedef enum mo_shift_map {
    MO_SHIFT_ONE, /* the shifted problem: chi_1 of [anitescu2004, eq. 4.34], F of [acary2011, eq. 3.19] */
    MO_SHIFT_TWO  /* then the one with bounded slip: chi_2 of [anitescu2004, eq. 4.35]                  */
} mo_shift_map;

typedef struct mo_shift_rules {
    mo_shift_map map;
    int rounds;       /* at most; 0: no limit but the run's                              */
    int damping;      /* 1: shorten the step of s where s moves more and more            */
    double forcing;   /* accuracy of a convex problem, relative to the residual          */
} mo_shift_rules;

typedef struct mo_shift_loop {
    const mo_convex_engine *engine;
    void *workspace; /* of the engine                                          */
    double *s;       /* one a constraint                                       */
    double *s_last;  /* the s before, and what the map made of it              */
    double *image, *image_last;
    double *lambda;  /* MO_LAW_MAX_GROUPS a constraint                         */
    double *held_r;  /* the impulses of the last round that was completed      */
    double theta;    /* the part of the way from s to its image that is taken  */
} mo_shift_loop;

mo_error mo_shift_loop_layout(const mo_convex_engine *engine, const mo_problem *problem,
                              const mo_options *options, mo_arena *arena, mo_shift_loop *loop);

/* The whole method, from the run's starting point on. */
mo_status mo_shift_loop_run(mo_run *run, mo_shift_loop *loop, const mo_shift_rules *rules);

#endif
