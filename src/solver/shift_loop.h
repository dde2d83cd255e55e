/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The outer loop of methods that freeze the sliding speed: a fixed point on the shift s of the
 * normal velocity (shift_loop.c).  The caller selects the engine for the convex problems
 * (convex.h).
 */
#ifndef MO_SOLVER_SHIFT_LOOP_H
#define MO_SOLVER_SHIFT_LOOP_H

#include "linalg/gmres.h"
#include "problem/views.h"
#include "solver/convex.h"

/* The map. */
typedef enum mo_shift_map {
    /* the shifted problem: chi_1 of [anitescu2004, eq. 4.34], F of [acary2011, eq. 3.19] */
    MO_SHIFT_ONE,
    MO_SHIFT_TWO /* then the one with bounded slip: chi_2 of [anitescu2004, eq. 4.35] */
} mo_shift_map;

/* State of the run after a round. */
typedef enum mo_shift_end {
    MO_SHIFT_GOES_ON,
    MO_SHIFT_SOLVED,
    MO_SHIFT_MUST_STOP,
    MO_SHIFT_STUCK
} mo_shift_end;

typedef struct mo_shift_loop mo_shift_loop;

typedef struct mo_shift_rules {
    mo_shift_map map;
    int is_single;   /* a single round */
    int rescue;      /* 1: regularise where the loop does not converge (shift_rescue.c) */
    int exact_first; /* 1: the first convex problem to full accuracy, as lcp3 does */
    double forcing;  /* accuracy of a convex problem, relative to the residual; 0: rounding  */

    /* Where loop->s goes from s and its image, after each round; NULL: to the image. */
    mo_shift_end (*next)(mo_run *run, mo_shift_loop *loop, void *context);
    void *context;
} mo_shift_rules;

/* Additional data of the rescue. */
typedef struct mo_shift_rescue {
    const mo_sweep *sweep;
    double *scale, *weight; /* one a constraint */
    double *s_centre, *s_base;
    double *defect, *direction;
    double *centre, *du; /* rows */
    mo_gmres gmres;
} mo_shift_rescue;

struct mo_shift_loop {
    const mo_convex_engine *engine;
    void *workspace; /* of the engine */
    double *s;       /* one a constraint */
    double *image;   /* image of s under the map */
    double *s_last, *image_last;
    double *lambda;              /* MO_LAW_MAX_GROUPS a constraint */
    double *second_r, *second_u; /* impulses and velocities of the second problem, rows */
    double *held_r, *held_u;     /* the last ones solved to rounding */
    mo_shift_rescue rescue;

    /* Of the current run. */
    const mo_shift_rules *rules;
    int round;             /* rounds that are complete */
    int has_second;        /* second_r is available as a start of the next one */
    int has_held;          /* held_r is there */
    double residual, best; /* of the law, now and at best */
    int since_best;        /* rounds since then */
    double accuracy;       /* of the last convex problem */
};

mo_error mo_shift_loop_layout(const mo_convex_engine *engine, const mo_problem *problem,
                              const mo_options *options, mo_arena *arena, mo_shift_loop *loop);

/* The whole method, from the starting point of the run. */
mo_status mo_shift_loop_run(mo_run *run, mo_shift_loop *loop, const mo_shift_rules *rules);

/* ---- shared with the rescue ------------------------------------------------------------------ */

/* Solves the shifted problem at loop->s from run->r, measures it, and computes the image of s. */
mo_shift_end mo_shift_round(mo_run *run, mo_shift_loop *loop, const mo_convex *convex, double tol);

/*
 * The second problem at the slip speeds of run->u, into second_r and second_u; where tol is that of
 * rounding, into held_r and held_u as well.  False if the run must stop.
 */
int mo_shift_second(mo_run *run, mo_shift_loop *loop, double tol);

/* Must this round solve the second problem to rounding, as the run may be ended before the next? */
int mo_shift_must_hold(const mo_run *run, const mo_shift_loop *loop);

double mo_shift_distance(int n, const double *x, const double *y);

/* Accuracy that rounding allows for a convex problem. */
double mo_shift_rounding(const mo_run *run);

/*
 * Newton's direction from loop->s, which becomes the base: (I - F') ds = F(s) - s.  respond gives
 * the change of u + compliance r, all rows, for a change of s; NULL: ds = F(s) - s.
 */
typedef void mo_shift_respond(void *user, const double *ds, double *du);
void mo_shift_direction(mo_run *run, mo_shift_loop *loop, mo_shift_respond *respond, void *user);

/* s = the base and t times the direction, not negative. */
void mo_shift_place(const mo_run *run, mo_shift_loop *loop, double t);

mo_error mo_shift_rescue_layout(const mo_problem *problem, mo_arena *arena,
                                mo_shift_rescue *rescue);
mo_shift_end mo_shift_rescue_run(mo_run *run, mo_shift_loop *loop);

#endif
