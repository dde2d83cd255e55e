/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The contact problem of one instant or one step, in the convention of FCLIB:
 *
 *     M v = H r + f             dynamics
 *     u   = H' v + w            relative motion at each constraint
 *     (u_i, r_i) obeys law_i    for each constraint block i
 *
 * v is split into body blocks (M is block diagonal, one dense positive definite block a body), r
 * and u into constraint blocks.  H_bi, the block of body b and constraint i, is given as its
 * transpose: the Jacobian J = H_bi', d x n row-major, so that u_i gains J v_b.
 *
 * A *reduced* problem has no bodies: it is u = W r + w with W given in blocks, which need be
 * neither symmetric nor of full rank.  (There w is what the literature calls q.)
 *
 * A problem is immutable and may be shared between threads.
 */
#ifndef MOREAU_PROBLEM_H
#define MOREAU_PROBLEM_H

#include "moreau/base.h"
#include "moreau/law.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mo_problem mo_problem;
typedef struct mo_builder mo_builder;

typedef enum mo_form {
    MO_FORM_GLOBAL, /* bodies, masses and Jacobians */
    MO_FORM_REDUCED /* the Delassus matrix W and q  */
} mo_form;

/* ---- building -------------------------------------------------------------------------------- */

/*
 * Bodies, constraints and blocks may be added in any order and are numbered from 0; a block may
 * refer to a body or a constraint that is added later.  Arrays are copied.  After the first error
 * all further calls do nothing, and mo_builder_finish reports it: there is nothing to check in
 * between.
 */
MO_API mo_error mo_builder_create(const mo_allocator *allocator, mo_builder **builder);
MO_API void mo_builder_destroy(mo_builder *builder);

/* Optional: reserves memory, so that a large problem is built without copies.  Zero block values
 * reserve for compact contacts. */
MO_API void mo_builder_reserve(mo_builder *builder, size_t bodies, size_t constraints,
                               size_t blocks, size_t block_values);

/* A body with n velocities: M is n x n, symmetric positive definite; f has n entries or is NULL. */
MO_API int mo_builder_add_body(mo_builder *builder, int n, const double *M, const double *f);

/*
 * The same for an M that is positive definite (x' M x > 0) but not symmetric, as an implicit
 * treatment of gyroscopic or damping forces makes it.  W is then unsymmetric too.
 */
MO_API int mo_builder_add_unsymmetric_body(mo_builder *builder, int n, const double *M,
                                           const double *f);

/*
 * A rigid body in space, M = diag(mass I, J): velocities are that of its centre of mass and its
 * spin, in the axes of the world; J is its inertia in these axes, row-major; f is as above.
 * Contacts between such bodies may be given in compact form.
 */
MO_API int mo_builder_add_rigid_body(mo_builder *builder, double mass, const double J[9],
                                     const double *f);

/*
 * A Coulomb contact between two rigid bodies, or one and the fixed world: the velocity of body[0]
 * at the point against that of body[1], along the axes of the frame.  A constraint with three rows,
 * as any other, in a third of the memory; rows and Jacobians are written when a method needs them.
 */
typedef struct mo_rigid_contact {
    /* either may be -1: the fixed world, not both */
    int body[2];
    /* rows: the normal, from body[1] to body[0], and two tangents */
    double frame[9];
    /* from each centre of mass to the point, world axes, m */
    double arm[2][3];
    /* along the axes of the frame */
    double w[3];
    /* friction, finite */
    double mu;
} mo_rigid_contact;
MO_API int mo_builder_add_contact(mo_builder *builder, const mo_rigid_contact *contact);

/* A constraint block with d rows; w has d entries (w, or q in a reduced problem), NULL: zeros. */
MO_API int mo_builder_add_constraint(mo_builder *builder, int d, const mo_law *law,
                                     const double *w);

/* u of `constraint` gains J v of `body`, J being d x n row-major.  Given twice, the blocks add. */
MO_API void mo_builder_add_jacobian(mo_builder *builder, int constraint, int body, int d, int n,
                                    const double *J);

/* Reduced problems only: u of `row` gains W r of `column`, W being d_row x d_column row-major. */
MO_API void mo_builder_add_coupling(mo_builder *builder, int row, int column, int d_row,
                                    int d_column, const double *W);

/*
 * Makes the problem and empties the builder, which may then be used again or destroyed.  A problem
 * with bodies, or with neither bodies nor couplings, is global; one with couplings is reduced.
 */
MO_API mo_error mo_builder_finish(mo_builder *builder, mo_problem **problem, mo_message *why);

MO_API void mo_problem_destroy(mo_problem *problem);

/* ---- reading --------------------------------------------------------------------------------- */

MO_API mo_form mo_problem_form(const mo_problem *problem);
MO_API int mo_problem_body_count(const mo_problem *problem);
MO_API int mo_problem_constraint_count(const mo_problem *problem);
/* length of v and f */
MO_API int mo_problem_dof_count(const mo_problem *problem);
/* length of u, r and w */
MO_API int mo_problem_row_count(const mo_problem *problem);

typedef struct mo_body_view {
    /* n */
    int dim;
    /* of its velocities in v */
    int offset;
    /* n x n */
    const double *M;
    /* n */
    const double *f;
    int is_symmetric;
} mo_body_view;

typedef struct mo_constraint_view {
    /* d */
    int dim;
    int offset; /* of its rows in u, r and w */
    mo_law law; /* arrays belong to the problem */
    /* d */
    const double *w;
    /* Jacobians, or couplings */
    int block_count;
} mo_constraint_view;

typedef struct mo_block_view {
    int index; /* the body, or the column constraint of a coupling */
    /* d x n, or d x d_column, row-major */
    const double *values;
} mo_block_view;

MO_API mo_body_view mo_problem_body(const mo_problem *problem, int body);
MO_API mo_constraint_view mo_problem_constraint(const mo_problem *problem, int constraint);
MO_API mo_block_view mo_problem_block(const mo_problem *problem, int constraint, int k);

/* ---- computing ------------------------------------------------------------------------------- */

/* v = M^-1 (H r + f): the velocities that impulses r cause (NULL: none).  Global problems only. */
MO_API void mo_problem_velocity(const mo_problem *problem, const double *r, double *v);

/* u = H' v + w.  Global problems only. */
MO_API void mo_problem_relative_velocity(const mo_problem *problem, const double *v, double *u);

/* u = W r + q without forming W.  Any problem; NULL r means zero (u = q). */
MO_API mo_error mo_problem_response(const mo_problem *problem, const double *r, double *u);

/* The reduced problem (W in blocks, q, the same laws) of any problem, as a new object. */
MO_API mo_error mo_problem_reduce(const mo_problem *problem, mo_problem **reduced, mo_message *why);

/* Bytes held by the problem, the views it keeps included. */
MO_API size_t mo_problem_bytes(const mo_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
