/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Compact contacts between two rigid bodies.
 *
 * A rigid body has M = diag(m I, J), with J its inertia about the centre of mass, and velocities
 * (v, s).  A contact has a frame e_0 (the normal), e_1, e_2 and lever arms a_1, a_2:
 *
 *     u_k = e_k . (v_1 + s_1 x a_1 - v_2 - s_2 x a_2) + w_k,      Jacobian rows  +-(e_k, a x e_k)
 *
 * These are 15 numbers; rows and Jacobians have 36.  A problem stores some constraints in this form
 * and the others as rows: given by the builder, or found by mo_compact_find in a global problem.
 *
 * Only hard Coulomb contacts in space with finite mu are compact.
 */
#ifndef MO_PROBLEM_COMPACT_H
#define MO_PROBLEM_COMPACT_H

#include "problem/problem_data.h"

typedef struct mo_rigid {
    double mass, inertia[6]; /* xx yy zz xy xz yz, in the axes of the world */
    double inverse_mass;     /* 0: not a rigid body */
    double inverse_inertia[6];
    int is_isotropic; /* one inertia about every axis */
} mo_rigid;

typedef struct mo_compact_contact {
    double frame[9]; /* e_0, e_1, e_2 */
    double arm[2][3];
    int body[2]; /* body_count: the world, which is fixed */
} mo_compact_contact;

typedef struct mo_compact {
    mo_rigid *rigid; /* of each body */
    int contact_count;
    mo_compact_contact *contact;
    int *contact_of; /* of each constraint: its contact, or -1 if it is rows */
} mo_compact;

/* From the mass and the inertia J in the axes of the world. */
mo_rigid mo_rigid_of(double mass, const double J[9]);

/* out = M^-1 x of a rigid body, 6 numbers; out may be x. */
void mo_rigid_accelerate(const mo_rigid *rigid, const double *x, double *out);

/* Jacobians and factors of contacts given in compact form; called once by mo_problem_write_rows. */
void mo_compact_write_rows(mo_problem *problem);

/* The compact contacts of a global problem; none of a reduced one. */
mo_error mo_compact_find(const mo_problem *problem, mo_compact **compact);
void mo_compact_destroy(const mo_allocator *allocator, mo_compact *compact);
size_t mo_compact_bytes(const mo_problem *problem, const mo_compact *compact);

#endif
