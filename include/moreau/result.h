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

MO_API const char *mo_status_word(mo_status status); /* "solved"  */
MO_API const char *mo_status_text(mo_status status); /* a sentence */

/* What `auto` looks at before it chooses, of its largest island.  Costs are counted operations. */
typedef struct mo_facts {
    /* that do not share a body */
    int islands;
    /* of the largest, like all that follows */
    int constraints, rows;
    /* 0: only W is given */
    int velocities;
    /* bit 1 << kind for each law in it */
    unsigned laws;
    /* joints alone: equations */
    int is_linear;
    /* rows for each velocity; 0: only W is given */
    double redundancy;
    const char *space; /* in which a factorisation costs less, or NULL: not planned */
    /* of one */
    double factor_cost, sweep_cost;
    /* relative; infinity: no start was given */
    double start_residual, tolerance;
} mo_facts;

/* A rung of auto's ladder that was taken, by one island or by several. */
typedef struct mo_rung_report {
    /* docs/methods/auto.md */
    const char *name, *reason;
    /* iterations: of the island that took most */
    int islands, iterations;
    double residual, seconds; /* relative, the worst that was left; of all islands */
} mo_rung_report;

enum { MO_RUNGS_MOST = 16 };

/* In the order of the ladder; without rungs for a method other than auto. */
typedef struct mo_explanation {
    mo_facts facts;
    int rung_count;
    mo_rung_report rung[MO_RUNGS_MOST];
} mo_explanation;

/*
 * Start from {0}; mo_solve may be given a used one again, and reuses its memory.  The vectors are
 * the best iterate by natural residual, whatever the status, and belong to the result until
 * mo_result_clear.
 */
typedef struct mo_result {
    mo_status status;
    const char *method; /* the one that ran */
    int dof_count;      /* length of v; 0 for a reduced problem */
    int row_count;      /* length of u and r */
    double *v;
    double *u; /* H' v + w, without the compliance part */
    double *r;
    /* row_count numbers, or NULL: a direction of r along which the method ran to infinity (Lemke's
     * secondary ray, fip's multipliers); its length means nothing. Where the status is no-solution
     * it is the evidence: see docs/methods/lemke.md */
    double *ray;
    mo_residual residual; /* by mo_measure, from r */
    int iterations;
    /* fixed points on the sliding speed: factor by which a round shrinks a change of the frozen
     * speed, measured; 0 where it was not (other methods, too few rounds) */
    double contraction;
    /* wall clock, all phases */
    double seconds;
    double setup_seconds;       /* of which: views and workspace */
    size_t bytes;               /* workspace of the method; the views are in mo_problem_bytes */
    mo_explanation explanation; /* of auto: what it saw and what it did */
    mo_message message;         /* more about the status, or the error; may be empty */
    mo_progress *history;       /* where asked for */
    int history_count;

    mo_allocator allocator; /* the library's own from here on */
    size_t vector_room;
    int history_room;
} mo_result;

MO_API void mo_result_clear(mo_result *result);

#ifdef __cplusplus
}
#endif
#endif
