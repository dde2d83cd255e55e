/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scoreboard of `moreau bench solvers`: what every solver did with every problem, and what
 * follows from it. */
#ifndef BENCH_BOARD_H
#define BENCH_BOARD_H

#include "cases.h"
#include "trial.h"

enum { BOARD_NAME_SIZE = 48, BOARD_COUNTED_CONTACTS = 20 };

typedef struct board_problem {
    const char *name;
    int contacts; /* constraint blocks */
    int rows;
    mo_form form;
} board_problem;

typedef struct board_run {
    int problem, target;
    int is_peer;
    char solver[BOARD_NAME_SIZE];
    trial_line line;
} board_run;

typedef struct board {
    trial_call call;      /* targets, limits */
    const char *peer;     /* "siconos", or NULL if there is none */
    const char *standard; /* our default method */
    board_problem *problems;
    int problem_count;
    board_run *runs;
    int run_count, run_room;
    int failed; /* memory ran out */
} board;

void board_clear(board *b);

/* Adds a run; if memory runs out `failed` is set. */
void board_add(board *b, int problem, int target, int is_peer, const char *solver,
               const trial_line *line);

/* The run, or NULL. */
const board_run *board_find(const board *b, int problem, int target, int is_peer,
                            const char *solver);

/* The fastest that solved it, ours or the peer's; NULL if none did. */
const board_run *board_best(const board *b, int problem, int target, int is_peer);

/* ---- each solver ----------------------------------------------------------------------------- */

typedef struct board_solver {
    const char *name;
    int is_peer;
    int tried; /* problems that it takes */
    int solved;
    int fastest; /* problems on which no other solver, ours or of a peer, was faster */
    double area; /* below its performance profile, over log tau: the larger the better */
} board_solver;

/* All solvers of the board at one target, as new memory, ours first, each side by falling area;
 * NULL if memory runs out. */
board_solver *board_solvers(const board *b, int target, int *count);

/* The performance profile of one solver at one target. */
typedef struct board_curve {
    /* of each problem: its time over the fastest of all; infinity if it is not solved */
    double *ratio;
    int problem_count;
    int solvable; /* problems that any solver solves */
} board_curve;

/* name = NULL: the best of its side on each problem.  Where memory runs out the curve is empty. */
board_curve board_curve_make(const board *b, int target, int is_peer, const char *name);
void board_curve_clear(board_curve *curve);

/* Part of the problems that any solver solves that this solver solves within tau times the
 * fastest. */
double board_curve_at(const board_curve *curve, double tau);

/* ---- our default method beside the best of the peer ------------------------------------------ */

typedef struct board_match {
    int both;    /* problems that both solve, BOARD_COUNTED_CONTACTS contacts or more */
    double mean; /* geometric mean of our time over theirs, over those */
    int worst;   /* the problem with the largest such ratio, of any size; -1: none */
    double worst_ratio;
    int ours_only, theirs_only, neither; /* problems of any size that the peer was tried on */
} board_match;

/* Our time over theirs; NAN if one of them does not solve it.  method = NULL: the best of ours.
 */
double board_ratio(const board *b, int problem, int target, const char *method);

board_match board_compare(const board *b, int target, const char *method);

/* Was any configuration of the peer tried on this problem? */
int board_has_peer(const board *b, int problem, int target);

#endif
