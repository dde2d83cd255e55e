/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * View for Newton methods in the space of groups: contacts with the same neighbours (between the
 * same two bodies) depend on at most six numbers, whatever their number.
 *
 * W of a redundant problem is E V E' with E block diagonal, one n x k block for each group of n
 * rows and rank k, k <= 6 between rigid bodies.  Cholesky with diagonal pivoting gives W_gg = E_g
 * E_g'; with p the pivot rows of each group
 *
 *     V_gh = E_g[p]^-1 W_gh[p, p] E_h[p]^-T
 *
 * For problems given by W alone; with known bodies, body space is better.  W = E V E' is checked by
 * applying both to a vector.  There is no such view if that fails (W is not symmetric, or its rank
 * is not that of its groups) or if the ranks are not small.
 */
#ifndef MO_PROBLEM_GROUP_SPACE_H
#define MO_PROBLEM_GROUP_SPACE_H

#include "problem/contact_space.h"

typedef struct mo_group_space {
    mo_contact_space *space; /* of V: a reduced problem whose blocks are the groups */
    int *group;              /* of each constraint */
    size_t *start;           /* of each constraint: its rows of E, d x k */
    double *basis;
    size_t bytes;
} mo_group_space;

/* *out is NULL, without an error, if groups do not pay off. */
mo_error mo_group_space_create(const mo_contact_space *contact, mo_group_space **out);
void mo_group_space_destroy(const mo_allocator *allocator, mo_group_space *space);

static inline int mo_group_rank(const mo_group_space *space, int constraint)
{
    return mo_constraint_dim(space->space->W, space->group[constraint]);
}

#endif
