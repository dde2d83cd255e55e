/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Verdicts on a problem, with their evidence: existence and uniqueness of solutions, and
 * pointedness of the friction cone.
 *
 * A solution is a velocity u = H' v + w caused by some admissible impulse r; different impulses
 * with the same u (a table on four legs) count as one solution.  All solutions of a small problem
 * are found by branching on the modes of the contacts, and every discarded branch has a proof.  The
 * proofs are data: mo_certificate_check verifies them from the problem alone, with bounds on all
 * rounding errors.  See docs/check.md.
 */
#ifndef MOREAU_CERTIFICATE_H
#define MOREAU_CERTIFICATE_H

#include "moreau/base.h"
#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- all solutions of a small problem -------------------------------------------------------- */

#define MO_VERDICT_LIST(X)                                                                         \
    X(MO_VERDICT_NONE, "none", "it is proven that no solution exists")                             \
    X(MO_VERDICT_UNIQUE, "unique", "it is proven that exactly one solution exists")                \
    X(MO_VERDICT_SEVERAL, "several", "there are at least two solutions that differ in velocity")   \
    X(MO_VERDICT_EXISTS, "exists", "a solution exists; whether it is unique is unknown")           \
    X(MO_VERDICT_UNKNOWN, "unknown", "inconclusive: neither existence nor uniqueness was decided")

#define MO_VERDICT_ENUM(name, word, text) name,
typedef enum mo_verdict { MO_VERDICT_LIST(MO_VERDICT_ENUM) MO_VERDICT_COUNT } mo_verdict;

MO_API const char *mo_verdict_name(mo_verdict verdict); /* "unique"   */
MO_API const char *mo_verdict_text(mo_verdict verdict); /* a sentence */

/* The mode of one contact, or of one bounded variable, in a solution. */
typedef enum mo_found_mode {
    /* r = 0, u_N >= 0 */
    MO_FOUND_APART,
    /* u = 0; a joint */
    MO_FOUND_STICK,
    /* u_N = 0, friction at its limit, opposite to u_T */
    MO_FOUND_SLIDE,
    /* u_N = 0 without friction */
    MO_FOUND_TOUCH,
    MO_FOUND_LOWER, /* a bounded variable at its lower bound, upper bound, between */
    MO_FOUND_UPPER,
    MO_FOUND_HELD,
    MO_FOUND_MODE_COUNT
} mo_found_mode;

MO_API const char *mo_found_mode_name(mo_found_mode mode);

/* One node of the proof, in preorder. */
typedef enum mo_proof_kind {
    /* its children are the cells of one contact */
    MO_PROOF_SPLIT,
    /* multipliers combine the rows of the cell to a contradiction */
    MO_PROOF_EMPTY,
    /* the equations of the cell have one root, which is no solution or a listed one */
    MO_PROOF_POINT,
    /* as EMPTY, for each row of u in both directions: the cell is near a listed solution */
    MO_PROOF_NEAR
} mo_proof_kind;

typedef struct mo_proof_node {
    mo_proof_kind kind;
    /* SPLIT: the contact or bounded variable */
    int unit;
    /* POINT, NEAR: the solution, or -1 for none (POINT) */
    int solution;
    /* EMPTY, NEAR: index of its first multiplier */
    size_t values;
} mo_proof_node;

/*
 * A proof that every solution with impulses up to a reach is near one of the listed solutions.
 * mo_certificate_check computes both bounds in the natural units of the problem (docs/check.md).
 */
typedef struct mo_certificate {
    size_t node_count, value_count;
    mo_proof_node *nodes;
    double *values;
    int row_count, solution_count;
    /* solution_count x row_count, in the units of the problem, with the compliance part */
    double *u;
} mo_certificate;

typedef struct mo_certificate_report {
    /* every step was verified, and the reach is at least 1e6 */
    int holds;
    /* the proof covers impulses up to this size in natural units; infinity: all */
    double reach;
    /* every solution is within this distance of a listed one, in natural units of u */
    double closeness;
    /* if it does not hold: the first node that fails */
    size_t at_node;
} mo_certificate_report;

/* Verifies a certificate.  Fails if memory runs out, or if the laws of the problem have no
 * cells. */
MO_API mo_error mo_certificate_check(const mo_problem *problem, const mo_certificate *certificate,
                                     mo_certificate_report *report);

/* One solution, or a set of positive dimension, of which two points are given. */
typedef struct mo_found_solution {
    /* dof_count; NULL for a reduced problem */
    double *v;
    /* row_count, without the compliance part */
    double *u;
    double *r; /* row_count: impulses that cause it */
    /* row_count: for contacts and joints at their first row, for boxes at every row */
    mo_found_mode *modes;
    /* 1: interval arithmetic proves a solution within 1e-6 natural units; 0: r satisfies every
     * condition to rounding */
    int is_proven;
    /* dimension of the set of velocities with these modes; 0: a point */
    int dimension;
    /* row_count, or NULL: another point of a set of positive dimension; all points between are
     * solutions */
    double *other_u;
    double *other_r; /* and impulses that cause it */
} mo_found_solution;

typedef struct mo_solution_set {
    mo_verdict verdict;
    int count;
    mo_found_solution *solutions;
    mo_certificate certificate; /* empty if the verdict has none */
    /* by mo_certificate_check */
    mo_certificate_report checked;
    /* number of cells examined */
    long long systems;
    mo_message message; /* the meaning of the verdict */

    mo_allocator allocator; /* private from here on */
} mo_solution_set;

/*
 * Finds all solutions of a problem with at most 160 rows and any laws but rolling and soft-finger.
 * Examines at most `most_systems` cells (0: 20,000, and fewer above 40 rows).  If the search is
 * incomplete, or a case is too close to a boundary, the verdict is MO_VERDICT_UNKNOWN, or
 * MO_VERDICT_EXISTS or _SEVERAL if solutions were found.
 */
MO_API mo_error mo_find_all_solutions(const mo_problem *problem, long long most_systems,
                                      mo_solution_set *set);
MO_API void mo_solution_set_clear(mo_solution_set *set);

/* ---- conditions ------------------------------------------------------------------------------ */

/*
 * Convex conditions on the cone of impulses K = K_1 x K_2 x ... and its dual K*: u_N >= mu |u_T|.
 *
 *   strict   some v with H' v + w in K*, strictly so where there is friction   [acary2011, eq. 4.1]
 *   closed                 some v with H' v + w in K*                          [acary2011, eq. 4.4]
 *   frictionless           some v with no u_N < 0                              [acary2011, eq. 4.5]
 *   pointed       some v with H' v in the interior of K*: no impulses but r = 0 balance each other,
 *                      H r = 0                       [acary2011, eq. 5.1], [anitescu2004, eq. 2.10]
 *   pointed-frictionless   the same with mu = 0                   [anitescu2004, eq. 2.11]
 *
 * The impulse that proves that `closed` fails also proves that (4.6) fails; both have the same
 * answer wherever either is known: no r in K with H r = 0 has w' r < 0.  At the acceleration level
 * this is the condition of [trinkle1997, eq. 36], Theorem 1 (a), for contacts that all roll.  For a
 * reduced problem W replaces H' and q replaces w.
 *
 * `closed` does not apply to rolling friction and soft fingers.
 */
#define MO_CONDITION_LIST(X)                                                                       \
    X(MO_CONDITION_STRICT, "strict",                                                               \
      "a solution exists for every f, and the fixed point on the sliding speed has one",           \
      "the condition is sufficient, not necessary: this decides nothing")                          \
    X(MO_CONDITION_CLOSED, "closed", "a solution exists for every f",                              \
      "the condition, which ignores f, is not necessary: this decides nothing")                    \
    X(MO_CONDITION_FRICTIONLESS, "frictionless",                                                   \
      "a motion without penetration exists; with friction this does not imply a solution",         \
      "every motion penetrates: no solution exists, for any f and any friction")                   \
    X(MO_CONDITION_POINTED, "pointed",                                                             \
      "a motion opens all contacts against friction: a solution exists for all f and w",           \
      "self-balanced impulses exist: impulses may be non-unique or unbounded")                     \
    X(MO_CONDITION_POINTED_FRICTIONLESS, "pointed-frictionless",                                   \
      "a motion opens all contacts: the cone is pointed for small friction",                       \
      "self-balanced normal impulses exist: the cone is not pointed for any friction")

#define MO_CONDITION_ENUM(name, word, yes, no) name,
typedef enum mo_condition_kind {
    MO_CONDITION_LIST(MO_CONDITION_ENUM) MO_CONDITION_COUNT
} mo_condition_kind;

typedef enum mo_answer {
    /* `motion` proves it */
    MO_ANSWER_HOLDS,
    /* `impulse` proves it, for all motions up to `reach` */
    MO_ANSWER_FAILS,
    MO_ANSWER_UNKNOWN /* not proven, or not applicable: see the message */
} mo_answer;

MO_API const char *mo_condition_name(mo_condition_kind kind);
MO_API const char *mo_answer_name(mo_answer answer);

/* The meaning of the answer, in a sentence. */
MO_API const char *mo_condition_text(mo_condition_kind kind, mo_answer answer);

typedef struct mo_condition {
    mo_condition_kind kind;
    mo_answer answer;
    /* factor on all friction coefficients: 1, except in a mo_friction_limit */
    double friction;
    int motion_count, impulse_count; /* dof_count, or row_count for a reduced problem; row_count */
    /* v with H' v + w in K*, or y with W y + q in K*; NULL if none was found */
    double *motion;
    /* r in K with H r = 0 to rounding and w' r < 0 (pointed: r not zero); NULL if none */
    double *impulse;
    /* fails: covers motions up to this size in natural units */
    double reach;
    mo_message message;

    mo_allocator allocator; /* private from here on */
} mo_condition;

/* Decides one condition of a problem with at most 160 rows; for larger problems only tests whether
 * v = 0 proves it. */
MO_API mo_error mo_condition_decide(const mo_problem *problem, mo_condition_kind kind,
                                    mo_condition *condition);
MO_API void mo_condition_clear(mo_condition *condition);

/* Verifies the evidence of an answer; an unknown answer is never proven. */
MO_API mo_error mo_condition_check(const mo_problem *problem, const mo_condition *condition,
                                   mo_certificate_report *report);

/*
 * The friction up to which the cone is pointed, as one factor on the coefficients of all contacts
 * [anitescu2004, section 2.3.1].  below < above <= below (1 + width), unless the message gives a
 * reason; above = 0 if no friction is small enough, infinity if no limit was found.
 */
typedef struct mo_friction_limit {
    double below, above; /* pointed with `below` times the coefficients, not with `above` times */
    /* evidence: a motion, and a self-stress */
    mo_condition pointed, blunt;
    mo_message message;

    mo_allocator allocator; /* private from here on */
} mo_friction_limit;

MO_API mo_error mo_friction_limit_find(const mo_problem *problem, double width,
                                       mo_friction_limit *limit);
MO_API void mo_friction_limit_clear(mo_friction_limit *limit);

/* ---- distance to a solution ------------------------------------------------------------------ */

/* Distances, in units of the problem, within which interval arithmetic proves a solution; infinity
 * if nothing was proven. */
typedef struct mo_error_bound {
    int is_proven;
    /* largest |v_j - v*_j| */
    double v;
    /* |v - v*| in the norm of M: square root of twice an energy */
    double v_energy;
    /* largest |u_k - u*_k|, with the compliance part */
    double u;
    /* largest |r_k - r*_k| */
    double r;
    mo_message message;
} mo_error_bound;

/*
 * Bounds the distance of an approximate solution r, and v (may be NULL; NULL for a reduced
 * problem), to an exact solution.  All laws, at most 160 rows.  Proves nothing if the impulses are
 * not unique or a contact is between two modes.
 */
MO_API mo_error mo_bound_error(const mo_problem *problem, const double *v, const double *r,
                               mo_error_bound *bound);

/*
 * The same with frozen sliding speeds, for a global problem of any size and all hard laws but
 * sliding; the impulses need not be unique.  With w + shift instead of w the problem is convex and
 * has one solution v*, and half |v - v*|^2 is at most the duality gap of v and r.  The shift is s
 * e_N for contacts (s = mu |u_T|, plus -u_N if u_N is negative) and -u for joints.
 */
typedef struct mo_frozen_bound {
    /* |v - v*| in the norm of M; infinity: see the message */
    double v_energy;
    double beyond; /* largest part of the shift other than mu |u_T|: u of joints, -u_N */
    mo_message message;
} mo_frozen_bound;

/* shift: row_count numbers, or NULL. */
MO_API mo_error mo_bound_frozen(const mo_problem *problem, const double *v, const double *r,
                                double *shift, mo_frozen_bound *bound);

/* ---- complete check -------------------------------------------------------------------------- */

typedef struct mo_check_result {
    mo_verdict verdict;
    mo_message message; /* the basis of the verdict */
    mo_condition conditions[MO_CONDITION_COUNT];
    /* of problems with at most 48 rows, to 1e-6 */
    mo_friction_limit limit;
    /* all solutions, or one that a method found */
    mo_solution_set set;
    /* 1: the verdict rests on the result of a method, with this relative residual */
    int was_solved;
    double residual;
    double seconds; /* wall time, s */
} mo_check_result;

/* Decides every condition, finds all solutions of a small problem, and gives one verdict. */
MO_API mo_error mo_check(const mo_problem *problem, long long most_systems, mo_check_result *check);
MO_API void mo_check_clear(mo_check_result *check);

/* ---- verification and files ------------------------------------------------------------------ */

typedef struct mo_judgement {
    /* all evidence is valid, and the claimed verdict follows from it */
    int holds;
    /* verdict of the check */
    mo_verdict claimed;
    /* verdict that its evidence proves */
    mo_verdict supported;
    /* the meaning of the verdict, or the evidence that fails */
    mo_message message;
} mo_judgement;

/* Verifies a check from only the problem and the evidence (src/measure/judge.c). */
MO_API mo_error mo_check_judge(const mo_problem *problem, const mo_check_result *check,
                               mo_judgement *judgement);

/*
 * Writes and reads a verdict with its evidence as a text file (docs/formats.md).  Reading only
 * checks the format; mo_check_judge verifies the evidence.  A malformed file gives MO_ERR_FILE and
 * a message with the line.
 */
MO_API mo_error mo_check_write(const char *path, const mo_problem *problem,
                               const mo_check_result *check, mo_message *why);
MO_API mo_error mo_check_read(const char *path, const mo_problem *problem, mo_check_result *check,
                              mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
