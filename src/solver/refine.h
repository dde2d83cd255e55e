/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Refinement: from the tolerance to the last digits that count.
 *
 *   1. to the tolerance.  Where `refine` is `rest`, a few iterations are tried first: a problem
 *      where rounding alone leaves more than twice the tolerance ends as stalled
 *   2. a few iterations more, to the aim: 1e-4 of the tolerance, or what rounding leaves:
 *          eps |W (s r)|, s random signs, where r is rounded; `noise`, a norm of u, for the data
 *
 * Steps of a simulation need it, since what is left of a motion in the last three steps, e_1, e_2,
 * e_3, returns as a gap or a slip, as a velocity and as an impulse: the next step starts with u = 3
 * e_1 - 3 e_2 + e_3.  If a Newton step leaves the part c of it, the motion is that of
 *
 *     z^3 = c (3 z^2 - 3 z + 1),   or   (1 - 1/z)^3 = -(1 - c) / c,                           (1)
 *
 * which decays for c < 1/2 and grows for c > 1/2, far below what a norm over all contacts shows.
 */
#ifndef MO_SOLVER_REFINE_H
#define MO_SOLVER_REFINE_H

#include "solver/method.h"

/* The values of the option `refine`. */
enum { MO_REFINE_NONE, MO_REFINE_DIGITS, MO_REFINE_REST };

/* One run of the method, judged (solve.c).  Iterations are its own. */
mo_error mo_solve_once(const mo_problem *problem, const mo_options *options,
                       const mo_method *method, double start_time, mo_result *result);

/* v, u and the residual of result->r (solve.c). */
mo_error mo_finish_result(const mo_problem *problem, mo_result *result);

/* The aim, relative as the residual is, of a method that refines its answer itself; 0: it need not,
 * as where the tolerance is coarse. */
double mo_refine_aim(const mo_options *options);

/* 1 and 2 from above, as the option `refine` asks. */
mo_error mo_solve_refined(const mo_problem *problem, const mo_options *options,
                          const mo_method *method, double start_time, mo_result *result);

#endif
