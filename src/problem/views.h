/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Views of a problem, created on first use and kept with it.  A lock makes this safe for threads
 * that share the problem.
 */
#ifndef MO_PROBLEM_VIEWS_H
#define MO_PROBLEM_VIEWS_H

#include "moreau/problem.h"
#include "problem/batches.h"
#include "problem/body_space.h"
#include "problem/contact_space.h"
#include "problem/group_space.h"
#include "problem/problem_data.h"
#include "problem/sweep.h"

/* problem->views, with nothing in it yet. */
mo_error mo_views_create(mo_problem *problem);
void mo_views_destroy(const mo_allocator *allocator, mo_views *views);
size_t mo_views_bytes(mo_views *views);

/* The view for block-by-block methods, in the given order. */
mo_error mo_problem_sweep(const mo_problem *problem, mo_sweep_order order, const mo_sweep **sweep);

/* The compact contacts: those that the builder was given, or those found among the rows. */
mo_error mo_problem_compact(const mo_problem *problem, const mo_compact **compact);

/* The number of constraints that sweeps of coarse problems are for: compact contacts, and contacts
 * with moments, which have a step of their own (law/relax.c). */
mo_error mo_problem_swept_contacts(const mo_problem *problem, int *count);

/* The arrangement for sweeps; global problems only. */
mo_error mo_problem_batches(const mo_problem *problem, const mo_batches **batches);

/* W in blocks, with the plan of its factorisation. */
mo_error mo_problem_contact_space(const mo_problem *problem, const mo_contact_space **space);

/* The pattern of body space, with the plan of its factorisation; global problems only. */
mo_error mo_problem_body_space(const mo_problem *problem, const mo_body_space **space);

/* The space of groups; *space is NULL if W has no useful ones. */
mo_error mo_problem_group_space(const mo_problem *problem, const mo_group_space **space);

/* W of a small symmetric problem in dense form: row-major with mo_dense_ld numbers a row, those
 * beyond row_count zero (dense_delassus.h). */
mo_error mo_problem_dense(const mo_problem *problem, const double **W);

/* |q|, q = H' M^-1 f + w. */
mo_error mo_problem_q_norm(const mo_problem *problem, double *norm);

/*
 * The same with the caller's scratch of dof_count + row_count numbers.  Returns 1 if q was
 * computed: it then lies behind the first dof_count numbers.
 */
int mo_problem_q_norm_into(const mo_problem *problem, double *scratch, double *norm);

#endif
