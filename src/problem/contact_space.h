/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * View for Newton methods in the space of contacts: W in blocks, and the plan of a sparse
 * factorisation with its pattern.  For problems with more bodies than contacts, or given by W
 * alone.
 */
#ifndef MO_PROBLEM_CONTACT_SPACE_H
#define MO_PROBLEM_CONTACT_SPACE_H

#include "linalg/front.h"
#include "problem/problem_data.h"

typedef struct mo_contact_space {
    mo_problem *own;     /* the reduced problem made here; NULL if the problem is reduced itself */
    const mo_problem *W; /* the reduced problem */
    mo_front_plan *plan; /* its values are in the order of W->values */
    size_t bytes;
} mo_contact_space;

mo_error mo_contact_space_create(const mo_problem *problem, mo_contact_space **space);
void mo_contact_space_destroy(const mo_allocator *allocator, mo_contact_space *space);

#endif
