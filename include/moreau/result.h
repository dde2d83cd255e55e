/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The result of a solve. */
#ifndef MOREAU_RESULT_H
#define MOREAU_RESULT_H

#include "moreau/base.h"
#include "moreau/measure.h"
#include "moreau/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a solve: a word for programs, and a sentence for people. */
#define MO_STATUS_LIST(X)                                                                          \
    X(MO_SOLVED, "solved", "the residual is at most the tolerance")                                \
    X(MO_ITERATION_LIMIT, "iteration-limit",                                                       \
      "the iteration limit was reached before the tolerance")                                      \
    X(MO_TIME_LIMIT, "time-limit", "the time limit was reached before the tolerance")              \
    X(MO_STALLED, "stalled", "the method stopped making progress before the tolerance")            \
    X(MO_CANCELLED, "cancelled", "the caller cancelled it before the tolerance")                   \
    X(MO_NO_SOLUTION, "no-solution", "it is proven that no solution exists")

#define MO_STATUS_ENUM(name, word, text) name,
typedef enum mo_status { MO_STATUS_LIST(MO_STATUS_ENUM) MO_STATUS_COUNT } mo_status;

MO_API const char *mo_status_name(mo_status status); /* "solved"  */
MO_API const char *mo_status_text(mo_status status); /* a sentence */

/* Properties of the largest island, on which `auto` bases its choice.  Costs are counts of
 * operations. */
typedef struct mo_facts {
    /* number of islands */
    int islands;
    /* of the largest island, like all members below */
    int constraints, rows;
    /* 0: only W is given */
    int velocities;
    /* bit 1 << kind for each law in it */
    unsigned laws;
    /* 1: joints only, a linear system */
    int is_linear;
    /* rows per velocity; 0: only W is given */
    double redundancy;
    const char *space; /* space of the cheaper factorisation; NULL: not planned */
    /* of one factorisation, and of one sweep */
    double factor_cost, sweep_cost;
    /* relative residual of the start (infinity: none was given), and tolerance */
    double start_residual, tolerance;
} mo_facts;

/* A rung of auto's ladder that was used, by one or several islands. */
typedef struct mo_rung_report {
    /* docs/methods/auto.md */
    const char *name, *reason;
    /* number of islands; iterations of the island with most of them */
    int islands, iterations;
    double residual, seconds; /* largest relative residual afterwards; time of all islands */
} mo_rung_report;

enum { MO_RUNGS_MOST = 16 };

/* Rungs are in the order of the ladder; methods other than auto have none. */
typedef struct mo_explanation {
    mo_facts facts;
    int rung_count;
    mo_rung_report rung[MO_RUNGS_MOST];
} mo_explanation;

/*
 * The result of a solve.  Initialise with {0}; a result can be passed to mo_solve again, which
 * reuses its memory.  For any status, the vectors are the iterate with the smallest natural
 * residual.  They belong to the result until mo_result_clear.
 */
typedef struct mo_result {
    mo_status status;
    const char *method; /* name of the method that ran */
    int dof_count;      /* length of v; 0 for a reduced problem */
    int row_count;      /* length of u and r */
    double *v;
    double *u; /* H' v + w, without the compliance part */
    double *r;
    /* row_count numbers, or NULL: a direction of r along which the method diverged (Lemke's
     * secondary ray, fip's multipliers), of arbitrary length.  If the status is no-solution, it is
     * the proof (docs/methods/lemke.md). */
    double *ray;
    mo_residual residual; /* by mo_measure, from r */
    int iterations;
    /* fixed points on the sliding speed: measured factor by which an iteration reduces a change of
     * the frozen speed; 0: not measured (other methods, too few iterations) */
    double contraction;
    /* 1: r has the least norm of all impulses with this motion (option canonical); 2: r is the
     * starting point, which canonical = start declares to be such */
    int is_canonical;
    /* wall time of all phases, s */
    double seconds;
    double setup_seconds;       /* part of it for views and workspace; 0 for auto */
    size_t bytes;               /* workspace of the method; the views are in mo_problem_bytes */
    mo_explanation explanation; /* of auto: properties and rungs */
    mo_message message;         /* details of the status or the error; may be empty */
    mo_progress *history;       /* if options.history is set */
    int history_count;

    mo_allocator allocator; /* private from here on */
    size_t vector_room;
    int history_room;
} mo_result;

MO_API void mo_result_clear(mo_result *result);

#ifdef __cplusplus
}
#endif
#endif
