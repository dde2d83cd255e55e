/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Derivatives of a solution v, u, r with respect to f, w and the friction coefficients.
 *
 * At a solution every block is in a mode: free, held or sliding.  As long as no block changes its
 * mode, the laws are smooth, and the derivative follows from the equations of these modes:
 *
 *     M dv = H dr + df,    du = H' dv + dw,    (du_i, dr_i) tangent to law_i,
 *
 * plus the change of the law with mu.
 *
 * Forward products map a change of the data to the change of the solution.  Adjoint products map
 * the derivative of a scalar with respect to the solution to its derivative with respect to all
 * data, at the cost of one forward product.  Both reuse one sparse factorisation.  See
 * docs/gradients.md.
 */
#ifndef MOREAU_GRADIENT_H
#define MOREAU_GRADIENT_H

#include "moreau/base.h"
#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Validity of the derivative; if several apply, the last. */
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

MO_API const char *mo_gradient_status_name(mo_gradient_status status); /* "exact"    */
MO_API const char *mo_gradient_status_text(mo_gradient_status status); /* a sentence */

typedef enum mo_mode {
    /* dr = 0: an open contact, a bounded variable at its bound */
    MO_MODE_FREE,
    /* du = 0 (with compliance): a sticking contact, a joint */
    MO_MODE_HELD,
    /* r moves on the boundary of its set */
    MO_MODE_SLIDING
} mo_mode;

typedef struct mo_gradient_block {
    mo_mode mode;
    /* within `edge` of another mode */
    int is_on_edge;
    /* takes part in a change of r without motion */
    int is_loose;
} mo_gradient_block;

typedef struct mo_gradient_info {
    mo_gradient_status status;
    /* number of blocks */
    int edge_count, loose_count;
    /* 1: r was on an edge; the derivative is taken at other impulses with the same v */
    int is_centred;
    /* residual of r by mo_measure_scaled */
    double residual;
    /* a block within this distance of another mode is on the edge; relative to the largest |q_i|:
     * 1e-7 or ten times the residual */
    double edge;
} mo_gradient_info;

typedef struct mo_gradient mo_gradient;

/*
 * Prepares the derivative at r, which should be an accurate solution (tol 1e-10 or less).  The
 * problem is borrowed and must outlive all calls but mo_gradient_destroy; r is read once.
 */
MO_API mo_error mo_gradient_create(const mo_problem *problem, const double *r,
                                   mo_gradient **gradient, mo_message *why);
MO_API void mo_gradient_destroy(mo_gradient *gradient);

MO_API mo_gradient_info mo_gradient_describe(const mo_gradient *gradient);
MO_API mo_gradient_block mo_gradient_block_of(const mo_gradient *gradient, int constraint);

/* Data and solution, as directions or as derivatives of a scalar.  Input arrays may be NULL: zero;
 * output arrays may be NULL: not computed. */
typedef struct mo_data_vector {
    /* dof_count */
    double *f;
    /* row_count (q, in a reduced problem) */
    double *w;
    /* constraint_count; unused for laws without friction */
    double *mu;
    /* constraint_count: mu_rolling or mu_torsion */
    double *mu_moment;
} mo_data_vector;

typedef struct mo_solution_vector {
    double *v; /* dof_count; unused for a reduced problem */
    /* row_count, without the compliance part */
    double *u;
    /* row_count */
    double *r;
} mo_solution_vector;

/*
 * solution = derivative times data.  *defect (may be NULL) is the relative part of the change that
 * the modes cannot follow.  It exceeds rounding only if r is loose and the change of w is
 * inconsistent (one corner under a box is raised): the modes then change immediately, and the
 * solution is not differentiable in this direction.
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
