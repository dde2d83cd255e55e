/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The sets K_i of canonical.h: admissible impulses at the velocity of a solution. */
#ifndef MO_SOLVER_CANONICAL_KINDS_H
#define MO_SOLVER_CANONICAL_KINDS_H

#include "moreau/result.h"
#include "problem/problem_data.h"

enum { MO_CANONICAL_FIXED, MO_CANONICAL_RAY, MO_CANONICAL_FREE };

/* The kind of every block, and the direction of those on a ray.  Returns 1 where no block slides.
 */
int mo_canonical_kinds(const mo_problem *problem, const mo_options *options,
                       const mo_result *result, uint8_t *kind, double *ray);

#endif
