/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Verdicts on a problem, with the evidence: does a solution exist, is it the only one, is the friction cone pointed.
 *
 * A solution here is a velocity u = H' v + w that some impulse r in the laws' sets causes; different impulses with the
 * same u (a table on four legs) are one solution.  All solutions of a small problem are found by branching on
 * the contacts' modes, and what is left out is left out by a proof.  The proofs are data: mo_certificate_check
 * multiplies them back from the problem alone, with every rounding error bounded.  See docs/check.md.
 */
#ifndef MOREAU_CERTIFICATE_H
#define MOREAU_CERTIFICATE_H

#include "moreau/base.h"
#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- all solutions of a small problem --------------------------------------------------------- */

#define MO_VERDICT_LIST(X)                                                                         \
    X(MO_VERDICT_NONE, "none", "it is proven that no solution exists")                             \
    X(MO_VERDICT_UNIQUE, "unique",                                                                 \
      "there is one solution, and it is proven that there is no other")                            \
    X(MO_VERDICT_SEVERAL, "several", "there are at least two solutions that differ in velocity")   \
    X(MO_VERDICT_EXISTS, "exists", "there is a solution; whether there are others is not known")   \
    X(MO_VERDICT_UNKNOWN, "unknown", "nothing was proven: this says nothing about the problem")

#define MO_VERDICT_ENUM(name, word, text) name,
typedef enum mo_verdict { MO_VERDICT_LIST(MO_VERDICT_ENUM) MO_VERDICT_COUNT } mo_verdict;

MO_API const char *mo_verdict_word(mo_verdict verdict); /* "unique"   */
MO_API const char *mo_verdict_text(mo_verdict verdict); /* a sentence */

/* What one contact, or one row of a box, does in a solution. */
typedef enum mo_found_mode {
    MO_FOUND_APART, /* r = 0, u_N >= 0                                               */
    MO_FOUND_STICK, /* u = 0; a joint                                                */
    MO_FOUND_SLIDE, /* u_N = 0, friction at its limit, against u_T                   */
    MO_FOUND_TOUCH, /* u_N = 0 without friction                                      */
    MO_FOUND_LOWER, /* a box row at its lower bound; at its upper one; between both  */
    MO_FOUND_UPPER,
    MO_FOUND_HELD,
    MO_FOUND_MODE_COUNT
} mo_found_mode;

MO_API const char *mo_found_mode_word(mo_found_mode mode);

/* One node of the proof, in preorder. */
typedef enum mo_proof_kind {
    MO_PROOF_SPLIT, /* its children take the cells of one contact in turn                          */
    MO_PROOF_EMPTY, /* multipliers of the cell's rows add up to a contradiction                    */
    MO_PROOF_POINT, /* the cell's equations have one root, and it is no solution, or a listed one  */
    MO_PROOF_NEAR   /* like EMPTY, for each row of u up and down: all that is left is near a listed
                       solution                                                                    */
} mo_proof_kind;

typedef struct mo_proof_node {
    mo_proof_kind kind;
    int unit;      /* SPLIT: which contact or box row                     */
    int solution;  /* POINT, NEAR: the solution, or -1 for none (POINT)   */
    size_t values; /* EMPTY, NEAR: where its multipliers begin            */
} mo_proof_node;

/*
 * "Every solution is near one of these, as far as impulses up to a reach go."  How near and how far, the checker
 * says, in the problem's natural units, which it finds for itself: see docs/check.md.
 */
typedef struct mo_certificate {
    size_t node_count, value_count;
    mo_proof_node *nodes;
    double *values;
    int row_count, solution_count;
    double
        *u; /* solution_count x row_count, in the units of the problem, with the compliance part */
} mo_certificate;

typedef struct mo_certificate_report {
    int holds;    /* every step was multiplied back, and the reach is at least 1e6                */
    double reach; /* the proof covers all impulses up to so many natural units; infinity: all     */
    double
        closeness; /* every solution is as near as this to a listed one, in natural units of u     */
    size_t
        at_node; /* where it does not hold: the first node that fails                            */
} mo_certificate_report;

/* Does the certificate prove what it says?  Fails for memory, or for a problem whose laws have no cells. */
MO_API mo_error mo_certificate_check(const mo_problem *problem, const mo_certificate *certificate,
                                     mo_certificate_report *report);

/* One solution, or a set of them of positive dimension, of which two points are given. */
typedef struct mo_found_solution {
    double *v; /* dof_count; NULL for a reduced problem       */
    double *u; /* row_count, without the compliance part      */
    double *r; /* row_count: one of the impulses that cause it */
    mo_found_mode
        *modes; /* row_count: of each contact and joint at its first row, of a box at every row */
    int is_proven; /* a solution exists within 1e-6 natural units, by interval arithmetic; otherwise r meets
                       every condition to rounding, which is less                                           */
    int dimension; /* of the set of velocities that share its modes: 0 for a point                          */
    double *
        other_u; /* row_count, or NULL: another velocity of a set of positive dimension; all between are solutions */
} mo_found_solution;

typedef struct mo_solution_set {
    mo_verdict verdict;
    int count;
    mo_found_solution *solutions;
    mo_certificate certificate;    /* empty where the verdict does not rest on one */
    mo_certificate_report checked; /* by mo_certificate_check                      */
    long long systems;             /* cells that were looked at                    */
    mo_message message;            /* one sentence on what the verdict means here  */

    mo_allocator allocator; /* the library's own from here on */
} mo_solution_set;

/*
 * All solutions of a problem with polyhedral laws (coulomb in the plane, faceted, pyramid, frictionless, sliding, joints
 * and boxes) and at most 96 rows; looks at no more than `most_systems` cells (0: 200,000).  Problems beyond
 * that end as MO_VERDICT_UNKNOWN, or as MO_VERDICT_EXISTS or _SEVERAL by what was found so far.
 */
MO_API mo_error mo_find_all_solutions(const mo_problem *problem, long long most_systems,
                                      mo_solution_set *set);
MO_API void mo_solution_set_clear(mo_solution_set *set);

#ifdef __cplusplus
}
#endif
#endif
