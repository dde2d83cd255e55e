/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Derivatives of a solution: how v, u and r answer to small changes of f, w and the friction
 * coefficients.
 *
 * At a solution every block is in a mode: apart, held, or sliding.  While no block changes its mode
 * the law of each is smooth, and the derivative follows by differentiating the equations that hold
 * in these modes:
 *
 *     M dv = H dr + df,    du = H' dv + dw,    (du_i, dr_i) tangent to law_i
 *
 * plus what dmu does to the law
 *
 * Forward products take a change of the data to the change of the solution; adjoint products take
 * the derivative of a number with respect to the solution to its derivative with respect to the
 * data, at the price of one forward product for any number of data.  Both reuse one sparse
 * factorisation.  See docs/gradients.md.
 */
#ifndef MOREAU_GRADIENT_H
#define MOREAU_GRADIENT_H

#include "moreau/base.h"
#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is the derivative worth?  Of several that apply, the last. */
#define MO_GRADIENT_STATUS_LIST(X)                                                                 \
    X(MO_GRADIENT_EXACT, "exact", "the solution is differentiable, and so is r")                   \
    X(MO_GRADIENT_LOOSE, "loose",                                                                  \
      "v is differentiable; r is not unique, and its derivative is the least one")                 \
    X(MO_GRADIENT_EDGE, "edge",                                                                    \
      "some blocks are on the edge of two modes: a derivative on one side of the edge")            \
    X(MO_GRADIENT_UNDETERMINED, "undetermined", "the modes do not determine the change of v")

#define MO_GRADIENT_STATUS_ENUM(name, word, text) name,
typedef enum mo_gradient_status {
    MO_GRADIENT_STATUS_LIST(MO_GRADIENT_STATUS_ENUM) MO_GRADIENT_STATUS_COUNT
} mo_gradient_status;

MO_API const char *mo_gradient_status_word(mo_gradient_status status); /* "exact"    */
MO_API const char *mo_gradient_status_text(mo_gradient_status status); /* a sentence */

typedef enum mo_mode {
    /* dr = 0: a contact that is apart, a box row at its bound */
    MO_MODE_FREE,
    /* du = 0 (with the compliance): a contact that sticks, a joint */
    MO_MODE_HELD,
    /* between the two: r moves on the boundary of its set */
    MO_MODE_SLIDING
} mo_mode;

typedef struct mo_gradient_block {
    mo_mode mode;
    /* within `edge` of another mode */
    int is_on_edge;
    /* part of a change of r that moves nothing */
    int is_loose;
} mo_gradient_block;

typedef struct mo_gradient_info {
    mo_gradient_status status;
    /* blocks */
    int edge_count, loose_count;
    /* r was on an edge, and others with the same v were less so: the derivative is taken at one of
     * these */
    int is_centred;
    /* of r, by mo_measure_scaled */
    double residual;
    /* a block this near to another mode is on the edge: relative to the largest |q_i|, 1e-7 or ten
     * times the residual */
    double edge;
} mo_gradient_info;

typedef struct mo_gradient mo_gradient;

/*
 * Prepares the derivative at r, which should solve the problem as well as it can (tol 1e-10 or
 * less).  The problem is borrowed and must outlive the gradient; r is read once.
 */
MO_API mo_error mo_gradient_create(const mo_problem *problem, const double *r,
                                   mo_gradient **gradient, mo_message *why);
MO_API void mo_gradient_destroy(mo_gradient *gradient);

MO_API mo_gradient_info mo_gradient_describe(const mo_gradient *gradient);
MO_API mo_gradient_block mo_gradient_block_of(const mo_gradient *gradient, int constraint);

/* The data and the solution, as directions or as derivatives of a number.  Arrays that are read may
 * be NULL for zero, arrays that are written NULL for not wanted. */
typedef struct mo_data_vector {
    /* dof_count */
    double *f;
    /* row_count (q, in a reduced problem) */
    double *w;
    /* constraint_count: of laws without friction, nothing */
    double *mu;
    /* constraint_count: mu_rolling or mu_torsion */
    double *mu_moment;
} mo_data_vector;

typedef struct mo_solution_vector {
    double *v; /* dof_count; nothing for a reduced problem */
    /* row_count, without the compliance part */
    double *u;
    /* row_count */
    double *r;
} mo_solution_vector;

/*
 * solution = derivative times data.  *defect (or NULL): the part of the change that these modes
 * cannot follow, relative; above rounding only where r is loose and a change of w contradicts
 * itself (one corner of a box on a floor is raised): the modes change at once, and the solution is
 * not differentiable in this direction.
 */
MO_API void mo_gradient_forward(mo_gradient *gradient, const mo_data_vector *data,
                                const mo_solution_vector *solution, double *defect);

/* data = transposed derivative times solution. */
MO_API void mo_gradient_adjoint(mo_gradient *gradient, const mo_solution_vector *solution,
                                const mo_data_vector *data);

#ifdef __cplusplus
}
#endif
#endif
