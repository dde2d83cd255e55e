/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Refinement: from the tolerance to the last significant digits.
 *
 *   1. to the tolerance.  If `refine` is `rest`, a few iterations are tried first: a problem whose
 *      rounding exceeds twice the tolerance ends as stalled
 *   2. a few more iterations, to 1e-4 of the tolerance or to the rounding level; they may fail
 *
 * For heavy bodies on light ones u = W r + q is a sum of large numbers.  Rounding of r changes it
 * by (1), the error of the data is `noise` (2), and no method gets below either:
 *
 *     eps |W (s r)|,      s random signs                                                      (1)
 *     noise, a norm of u that the caller gives                                                (2)
 *
 * A simulation needs this in each step: errors e_1, e_2, e_3 of the last three steps return as gap,
 * velocity and impulse, and the next step starts with u = 3 e_1 - 3 e_2 + e_3.  If a Newton step
 * leaves the part c of it, then z^3 = c (3 z^2 - 3 z + 1), which grows for c > 1/2.
 * (3)
 */
#ifndef MO_SOLVER_REFINE_H
#define MO_SOLVER_REFINE_H

#include "solver/method.h"

/* The values of the option `refine`. */
enum { MO_REFINE_NONE, MO_REFINE_DIGITS, MO_REFINE_REST };

/* The aim over the tolerance, or over this tolerance where that is less. */
#define MO_REFINE_BEYOND 1e-4
#define MO_REFINE_FINE 1e-8 /* tolerances up to this are met by Newton's method */

/* One run of the method, judged (solve.c).  Iterations are its own. */
mo_error mo_solve_once(const mo_problem *problem, const mo_options *options,
                       const mo_method *method, double start_time, mo_result *result);

/* v, u and the residual of result->r (solve.c). */
mo_error mo_finish_result(const mo_problem *problem, mo_result *result);

/* 1 and 2 from above, as the option `refine` asks. */
mo_error mo_solve_refined(const mo_problem *problem, const mo_options *options,
                          const mo_method *method, double start_time, mo_result *result);

#endif
