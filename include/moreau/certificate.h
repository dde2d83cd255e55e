/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Verdicts on a problem, with the evidence: does a solution exist, is it the only one, is the
 * friction cone pointed.
 *
 * A solution here is a velocity u = H' v + w that some impulse r in the laws' sets causes;
 * different impulses with the same u (a table on four legs) are one solution.  All solutions of a
 * small problem are found by branching on the contacts' modes, and what is left out is left out by
 * a proof.  The proofs are data: mo_certificate_check multiplies them back from the problem alone,
 * with every rounding error bounded.  See docs/check.md.
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
    /* r = 0, u_N >= 0 */
    MO_FOUND_APART,
    /* u = 0; a joint */
    MO_FOUND_STICK,
    /* u_N = 0, friction at its limit, against u_T */
    MO_FOUND_SLIDE,
    /* u_N = 0 without friction */
    MO_FOUND_TOUCH,
    MO_FOUND_LOWER, /* a box row at its lower bound; at its upper one; between both  */
    MO_FOUND_UPPER,
    MO_FOUND_HELD,
    MO_FOUND_MODE_COUNT
} mo_found_mode;

MO_API const char *mo_found_mode_word(mo_found_mode mode);

/* One node of the proof, in preorder. */
typedef enum mo_proof_kind {
    /* its children take the cells of one contact in turn */
    MO_PROOF_SPLIT,
    /* multipliers of the cell's rows add up to a contradiction */
    MO_PROOF_EMPTY,
    /* the cell's equations have one root, and it is no solution, or a listed one */
    MO_PROOF_POINT,
    /* like EMPTY, for each row of u up and down: all that is left is near a listed solution */
    MO_PROOF_NEAR
} mo_proof_kind;

typedef struct mo_proof_node {
    mo_proof_kind kind;
    /* SPLIT: which contact or box row */
    int unit;
    /* POINT, NEAR: the solution, or -1 for none (POINT) */
    int solution;
    /* EMPTY, NEAR: where its multipliers begin */
    size_t values;
} mo_proof_node;

/*
 * "Every solution is near one of these, as far as impulses up to a reach go."  How near and how
 * far, the checker says, in the problem's natural units, which it finds for itself: see
 * docs/check.md.
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
    /* every step was multiplied back, and the reach is at least 1e6 */
    int holds;
    /* the proof covers all impulses up to so many natural units; infinity: all */
    double reach;
    /* every solution is as near as this to a listed one, in natural units of u */
    double closeness;
    /* where it does not hold: the first node that fails */
    size_t at_node;
} mo_certificate_report;

/* Does the certificate prove what it says?  Fails for memory, or for a problem whose laws have no
 * cells. */
MO_API mo_error mo_certificate_check(const mo_problem *problem, const mo_certificate *certificate,
                                     mo_certificate_report *report);

/* One solution, or a set of them of positive dimension, of which two points are given. */
typedef struct mo_found_solution {
    /* dof_count; NULL for a reduced problem */
    double *v;
    /* row_count, without the compliance part */
    double *u;
    double *r; /* row_count: one of the impulses that cause it */
    /* row_count: of each contact and joint at its first row, of a box at every row */
    mo_found_mode *modes;
    /* a solution exists within 1e-6 natural units, by interval arithmetic; otherwise r meets every
     * condition to rounding, which is less */
    int is_proven;
    /* of the set of velocities that share its modes: 0 for a point */
    int dimension;
    /* row_count, or NULL: another velocity of a set of positive dimension; all between are
     * solutions */
    double *other_u;
    double *other_r; /* and impulses that cause it */
} mo_found_solution;

typedef struct mo_solution_set {
    mo_verdict verdict;
    int count;
    mo_found_solution *solutions;
    mo_certificate certificate; /* empty where the verdict does not rest on one */
    /* by mo_certificate_check */
    mo_certificate_report checked;
    /* cells that were looked at */
    long long systems;
    mo_message message; /* one sentence on what the verdict means here  */

    mo_allocator allocator; /* the library's own from here on */
} mo_solution_set;

/*
 * All solutions of a problem with at most 160 rows and any laws but rolling and soft-finger; looks
 * at no more than `most_systems` cells (0: 20,000, and fewer from 40 rows on).  What is not decided
 * by then, or too near to a border, ends as MO_VERDICT_UNKNOWN, or as MO_VERDICT_EXISTS or _SEVERAL
 * by what was found so far.
 */
MO_API mo_error mo_find_all_solutions(const mo_problem *problem, long long most_systems,
                                      mo_solution_set *set);
MO_API void mo_solution_set_clear(mo_solution_set *set);

/* ---- conditions ------------------------------------------------------------------------------ */

/*
 * Convex conditions on the cones of impulses K = K_1 x K_2 x ... alone, with K* their dual: u_N >=
 * mu |u_T|.
 *
 *   strict   some v with H' v + w in K*, strictly so where there is friction   [acary2011, eq. 4.1]
 *   closed                 some v with H' v + w in K*                          [acary2011, eq. 4.4]
 *   frictionless           some v with no u_N < 0                              [acary2011, eq. 4.5]
 *   pointed       some v with H' v in the interior of K*: no impulses but r = 0 balance each other,
 *                      H r = 0                       [acary2011, eq. 5.1], [anitescu2004, eq. 2.10]
 *   pointed-frictionless   the same with mu = 0                   [anitescu2004, eq. 2.11]
 *
 * The impulse that proves that `closed` fails proves it of (4.6) as well, whose answer is the same
 * wherever either is known: no r in K with H r = 0 has w' r < 0.  At the acceleration level that is
 * the condition of [trinkle1997, eq. 36], Theorem 1 (a), for contacts that all roll.  A reduced
 * problem has W in place of H' and q in place of w.
 *
 * Rolling friction and soft fingers have all but `closed`.
 */
#define MO_CONDITION_LIST(X)                                                                       \
    X(MO_CONDITION_STRICT, "strict",                                                               \
      "a solution exists, whatever f is, and the fixed point on the sliding speed has one",        \
      "nothing is said: a solution may still exist")                                               \
    X(MO_CONDITION_CLOSED, "closed", "a solution exists, whatever f is",                           \
      "nothing is said: the condition does not know f, and a solution may still exist")            \
    X(MO_CONDITION_FRICTIONLESS, "frictionless",                                                   \
      "some motion has no penetration; with friction that does not make a solution",               \
      "no motion is without penetration: no solution exists, whatever f and the friction are")     \
    X(MO_CONDITION_POINTED, "pointed",                                                             \
      "a motion opens all contacts against friction: a solution exists for all f and w",           \
      "impulses can balance each other without moving anything: they need not be unique or "       \
      "bounded")                                                                                   \
    X(MO_CONDITION_POINTED_FRICTIONLESS, "pointed-frictionless",                                   \
      "a motion opens all contacts: the cone stays pointed for small friction",                    \
      "normal impulses can balance each other: no friction is small enough for a pointed cone")

#define MO_CONDITION_ENUM(name, word, yes, no) name,
typedef enum mo_condition_kind {
    MO_CONDITION_LIST(MO_CONDITION_ENUM) MO_CONDITION_COUNT
} mo_condition_kind;

typedef enum mo_answer {
    /* `motion` proves it */
    MO_ANSWER_HOLDS,
    /* `impulse` proves it, for all motions up to `reach` */
    MO_ANSWER_FAILS,
    MO_ANSWER_UNKNOWN /* neither was proven; or the condition does not apply: the message says so */
} mo_answer;

MO_API const char *mo_condition_word(mo_condition_kind kind);
MO_API const char *mo_answer_word(mo_answer answer);

/* What the answer means, in a sentence. */
MO_API const char *mo_condition_text(mo_condition_kind kind, mo_answer answer);

typedef struct mo_condition {
    mo_condition_kind kind;
    mo_answer answer;
    /* the factor on every friction coefficient that it is about: 1, but in a mo_friction_limit */
    double friction;
    int motion_count, impulse_count; /* dof_count, or row_count for a reduced problem; row_count */
    /* v with H' v + w in K*, or y with W y + q in K*; NULL where it was not found */
    double *motion;
    /* r in K with H r = 0 to rounding and w' r < 0 (pointed: r not zero); NULL likewise */
    double *impulse;
    /* fails: no motion up to so many natural units either way */
    double reach;
    mo_message message;

    mo_allocator allocator; /* the library's own from here on */
} mo_condition;

/* Decides one condition of a problem with at most 160 rows; of larger ones only whether v = 0
 * proves it. */
MO_API mo_error mo_condition_decide(const mo_problem *problem, mo_condition_kind kind,
                                    mo_condition *condition);
MO_API void mo_condition_clear(mo_condition *condition);

/* Does the evidence prove the answer?  An unknown one is never proven. */
MO_API mo_error mo_condition_check(const mo_problem *problem, const mo_condition *condition,
                                   mo_certificate_report *report);

/*
 * How much friction the cone stays pointed for, as one factor on the coefficients of all contacts:
 * it is pointed up to some factor and not beyond [anitescu2004, section 2.3.1].  below < above <=
 * below (1 + width) unless the message says why not; above = 0 where no friction is small enough,
 * infinity where no limit was found.
 */
typedef struct mo_friction_limit {
    double below, above; /* pointed with `below` times the coefficients, not with `above` times */
    /* the evidence for each: a motion, a self-stress */
    mo_condition pointed, blunt;
    mo_message message;

    mo_allocator allocator; /* the library's own from here on */
} mo_friction_limit;

MO_API mo_error mo_friction_limit_find(const mo_problem *problem, double width,
                                       mo_friction_limit *limit);
MO_API void mo_friction_limit_clear(mo_friction_limit *limit);

/* ---- how far from a solution ----------------------------------------------------------------- */

/* A solution exists within these distances of the one that was asked about, by interval arithmetic;
 * infinite where nothing was proven.  Units of the problem. */
typedef struct mo_error_bound {
    int is_proven;
    /* the largest |v_j - v*_j| */
    double v;
    /* |v - v*| in the norm of M: sqrt of twice an energy */
    double v_energy;
    /* the largest |u_k - u*_k|, with the compliance part */
    double u;
    /* the largest |r_k - r*_k| */
    double r;
    mo_message message;
} mo_error_bound;

/*
 * For an approximate solution r, and v (NULL where nothing is asked of it, and for a reduced
 * problem): is there a solution nearby, and how near? Every law, at most 160 rows.  Proves nothing
 * where the impulses are not unique, or where a contact is between two modes.
 */
MO_API mo_error mo_bound_error(const mo_problem *problem, const double *v, const double *r,
                               mo_error_bound *bound);

/*
 * The same with the sliding speeds frozen, for a global problem of any size, hard laws but sliding,
 * whether or not its impulses are unique.  With w + shift in the place of w, where shift is s e_N
 * for contacts (s = mu |u_T|, and what u_N lacks of zero) and -u for joints, the problem is convex
 * and has one solution v*; half |v - v*|^2 is at most the duality gap of v and r.
 */
typedef struct mo_frozen_bound {
    /* |v - v*| in the norm of M; infinite where the message says why */
    double v_energy;
    double beyond; /* the largest part of the shift that is not mu |u_T|: u of joints, -u_N  */
    mo_message message;
} mo_frozen_bound;

/* shift: row_count numbers, or NULL. */
MO_API mo_error mo_bound_frozen(const mo_problem *problem, const double *v, const double *r,
                                double *shift, mo_frozen_bound *bound);

/* ---- all of it ------------------------------------------------------------------------------- */

typedef struct mo_check_result {
    mo_verdict verdict;
    mo_message message; /* what the verdict rests on */
    mo_condition conditions[MO_CONDITION_COUNT];
    /* of problems with at most 48 rows, to 1e-6; of others nothing was asked */
    mo_friction_limit limit;
    /* all solutions; or, where they were not searched for, one that a method found */
    mo_solution_set set;
    /* by a method, since nothing better was known; its relative residual */
    int was_solved;
    double residual;
    double seconds;
} mo_check_result;

/* Every condition, all solutions where the problem is small, and one verdict. */
MO_API mo_error mo_check(const mo_problem *problem, long long most_systems, mo_check_result *check);
MO_API void mo_check_clear(mo_check_result *check);

/* ---- judged apart, and kept in files --------------------------------------------------------- */

typedef struct mo_judgement {
    /* every piece of evidence is good, and the verdict that is claimed follows from it */
    int holds;
    /* what the check says */
    mo_verdict claimed;
    /* what its evidence proves */
    mo_verdict supported;
    /* what the verdict means, or which piece of evidence fails */
    mo_message message;
} mo_judgement;

/* Judges a check from the problem and the evidence alone, wherever they come from: see
 * src/measure/judge.c. */
MO_API mo_error mo_check_judge(const mo_problem *problem, const mo_check_result *check,
                               mo_judgement *judgement);

/*
 * The verdict with its evidence as a text file, and back; docs/formats.md has the format.  What is
 * read is not believed, only well-formed: mo_check_judge says whether it proves anything.  A file
 * that is not gives MO_ERR_FILE and a sentence with its line.
 */
MO_API mo_error mo_check_write(const char *path, const mo_problem *problem,
                               const mo_check_result *check, mo_message *why);
MO_API mo_error mo_check_read(const char *path, const mo_problem *problem, mo_check_result *check,
                              mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
