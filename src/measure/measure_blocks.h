/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The natural map of a problem for given u and r. */
#ifndef MO_MEASURE_BLOCKS_H
#define MO_MEASURE_BLOCKS_H

#include "moreau/measure.h"
#include "problem/problem_data.h"

/*
 * The 2-norm of the natural map at (u, r).  partial is scratch of mo_chunk_count(constraint_count)
 * entries; the sum has the same bits for any number of threads.
 */
double mo_natural_norm(const mo_problem *problem, int threads, const double *u, const double *r,
                       double *partial);

/* Its square at block i alone; u and r are those of all rows, or in the second those of block i. */
double mo_natural_square(const mo_problem *problem, int i, const double *u, const double *r);
double mo_natural_square_of(const mo_problem *problem, int i, const double *u_i, const double *r_i);

/*
 * mo_measure with the caller's scratch of mo_measure_scratch(problem) doubles, which then holds v
 * and u of r, one after the other.  Does not allocate if |q| is known.
 */
size_t mo_measure_scratch(const mo_problem *problem);
mo_error mo_measure_into(const mo_problem *problem, const double *r, double *scratch,
                         mo_residual *residual);

/* The same if the caller has computed u from r and the problem alone, and has the norm of q. */
void mo_measure_at(const mo_problem *problem, double q_norm, const double *u, const double *r,
                   mo_residual *residual);

/* Adds block i to the worst of each kind; returns the square of its natural map. */
double mo_measure_block(const mo_problem *problem, int i, const double *u_i, const double *r_i,
                        mo_residual *residual);

/* The norms of a residual whose q_norm is set. */
void mo_measure_sums(double natural, double u_norm, double r_norm, mo_residual *residual);

/* Are all numbers finite? */
int mo_all_finite(const double *x, size_t count);

#endif
