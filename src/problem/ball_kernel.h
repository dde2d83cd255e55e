/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The work on batches of contacts between balls (problem/balls.h), several contacts at a time in vector registers.
 *
 * Compiled for any processor, for those with AVX2 and for those with AVX-512 (ball_lanes.h).  The latter two fuse products and sums: the last bits
 * depend on the kind of processor, never on the run or on the number of threads.
 */
#ifndef MO_PROBLEM_BALL_KERNEL_H
#define MO_PROBLEM_BALL_KERNEL_H

#include "moreau/measure.h"
#include "problem/balls.h"

/* The impulses of a batch, world axes: now, and before the last sweep. */
typedef struct mo_ball_impulses {
    double r[3 * MO_BALL_LANES], before[3 * MO_BALL_LANES];
    double deepest[MO_BALL_LANES]; /* problem/balls.h; 0 where nothing limits u_N */
} mo_ball_impulses;

/* How far a range of batches is from its laws. */
typedef struct mo_ball_sums {
    double square; /* sum of |z|^2, z the natural map */
    double sink;   /* worst -u_N, over that at which a contact sinks too fast */
} mo_ball_sums;

typedef struct mo_ball_pass {
    const mo_balls *balls;
    mo_ball *state;
    mo_ball_impulses *impulses;
    double relax_N, relax_T; /* the part of the way to its solution that a visit takes a contact */
    double beta;             /* of the momentum: the visit starts from r + beta (r - before)     */
} mo_ball_pass;

/*
 * The velocities of all bodies move on by beta times their last change, and with them all that visits will see; `before` becomes what
 * they were.
 */
void mo_ball_push_on(const mo_ball_pass *pass, mo_ball *before);

/* Visits the batches begin .. end: each contact solved with the others held.  Returns the sum of |dr|^2. */
double mo_ball_visit(const mo_ball_pass *pass, int begin, int end);

/* The natural map at the present state, which is not changed. */
mo_ball_sums mo_ball_look(const mo_ball_pass *pass, int begin, int end);

/* Impulses of all batches, 3 * MO_BALL_LANES numbers each and so many apart. */
typedef struct mo_ball_given {
    const mo_balls *balls;
    const double *r;
    size_t apart;
    mo_ball *state;
} mo_ball_given;

/* What impulses do to the states, batch after batch. */
void mo_ball_push(const mo_ball_given *given);

/* Sum of |u|^2 at the present states, whatever the impulses. */
double mo_ball_speeds(const mo_ball_given *given);

/* Sums of squares, and the worst contacts, as mo_residual has them. */
typedef struct mo_ball_verdict {
    double natural, u, r;
    mo_worst block, penetration_rate, cone_violation, dissipation;
} mo_ball_verdict;

/* Of the impulses, at states that they have been pushed to. */
mo_ball_verdict mo_ball_measure(const mo_ball_given *given);

/* The same for one kind of processor each. */
typedef struct mo_ball_kernels {
    double (*visit)(const mo_ball_pass *pass, int begin, int end);
    mo_ball_sums (*look)(const mo_ball_pass *pass, int begin, int end);
    void (*push_on)(const mo_ball_pass *pass, mo_ball *before);
    void (*push)(const mo_ball_given *given);
    double (*speeds)(const mo_ball_given *given);
    mo_ball_verdict (*measure)(const mo_ball_given *given);
} mo_ball_kernels;

extern const mo_ball_kernels mo_ball_anywhere, mo_ball_avx2, mo_ball_avx512;

#endif
