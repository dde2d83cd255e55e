/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The contact problem of one instant or one step, in the convention of FCLIB:
 *
 *     M v = H r + f             dynamics
 *     u   = H' v + w            relative motion at each constraint
 *     (u_i, r_i) obeys law_i    for each constraint block i
 *
 * v is divided into body blocks (M is block diagonal, with one dense positive definite block per
 * body), r and u into constraint blocks.  H_bi, the block of body b and constraint i, is given as
 * its transpose: the Jacobian J = H_bi', d x n row-major: body b contributes J v_b to u_i.
 *
 * A *reduced* problem has no bodies: it is u = W r + w with W given in blocks, which need be
 * neither symmetric nor of full rank.  Its w is q in the literature.
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
 * further calls have no effect, and mo_builder_finish reports it; calls in between need no check.
 */
MO_API mo_error mo_builder_create(const mo_allocator *allocator, mo_builder **builder);
MO_API void mo_builder_destroy(mo_builder *builder);

/* Optional: reserves memory, which avoids reallocation in large problems.  block_values = 0
 * reserves for compact contacts. */
MO_API void mo_builder_reserve(mo_builder *builder, size_t bodies, size_t constraints,
                               size_t blocks, size_t block_values);

/* A body with n velocities: M is n x n, symmetric positive definite; f has n entries or is NULL. */
MO_API int mo_builder_add_body(mo_builder *builder, int n, const double *M, const double *f);

/*
 * The same for an M that is positive definite (x' M x > 0) but not symmetric, for example from
 * implicit gyroscopic or damping forces.  W is then unsymmetric too.
 */
MO_API int mo_builder_add_unsymmetric_body(mo_builder *builder, int n, const double *M,
                                           const double *f);

/*
 * A rigid body in space, M = diag(mass I, J).  Its velocities are those of the centre of mass and
 * the angular velocity, in world axes; J is its inertia in these axes, row-major; f is as above.
 * Contacts between such bodies may be added in compact form.
 */
MO_API int mo_builder_add_rigid_body(mo_builder *builder, double mass, const double J[9],
                                     const double *f);

/*
 * A Coulomb contact between two rigid bodies, or a body and the fixed world.  u is the velocity of
 * body[0] relative to body[1] at the point, along the axes of the frame.  It is a constraint with
 * three rows like any other but needs a third of the memory; rows and Jacobians are computed when a
 * method needs them.
 */
typedef struct mo_rigid_contact {
    /* one of them may be -1: the fixed world */
    int body[2];
    /* rows: the normal, from body[1] to body[0], and two tangents */
    double frame[9];
    /* from each centre of mass to the point, world axes, m */
    double arm[2][3];
    /* m/s, along the axes of the frame */
    double w[3];
    /* friction coefficient, finite */
    double mu;
} mo_rigid_contact;
MO_API int mo_builder_add_contact(mo_builder *builder, const mo_rigid_contact *contact);

/* A constraint block with d rows; w has d entries (w, or q in a reduced problem), NULL: zeros. */
MO_API int mo_builder_add_constraint(mo_builder *builder, int d, const mo_law *law,
                                     const double *w);

/* Adds J v of `body` to u of `constraint`; J is d x n, row-major.  Repeated blocks are summed. */
MO_API void mo_builder_add_jacobian(mo_builder *builder, int constraint, int body, int d, int n,
                                    const double *J);

/* Reduced problems only: adds W r of `column` to u of `row`; W is d_row x d_column, row-major. */
MO_API void mo_builder_add_coupling(mo_builder *builder, int row, int column, int d_row,
                                    int d_column, const double *W);

/*
 * Creates the problem and empties the builder, which may then be reused or destroyed.  A problem
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
    /* offset of its velocities in v */
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
    int offset; /* offset of its rows in u, r and w */
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

/* v = M^-1 (H r + f): the velocities caused by the impulses r (NULL: zero).  Nothing is written for
 * a reduced problem, which has no bodies. */
MO_API void mo_problem_velocity(const mo_problem *problem, const double *r, double *v);

/* u = H' v + w.  Nothing is written for a reduced problem. */
MO_API void mo_problem_relative_velocity(const mo_problem *problem, const double *v, double *u);

/* u = W r + q without forming W.  Any problem; NULL r means zero (u = q). */
MO_API mo_error mo_problem_response(const mo_problem *problem, const double *r, double *u);

/* The reduced problem (W in blocks, q, the same laws) of any problem, as a new object. */
MO_API mo_error mo_problem_reduce(const mo_problem *problem, mo_problem **reduced, mo_message *why);

/* Bytes of memory of the problem, including its cached views. */
MO_API size_t mo_problem_bytes(const mo_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
