/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Small problems in dense form: the first attempt of `auto`. */
#ifndef MO_SOLVER_SMALL_H
#define MO_SOLVER_SMALL_H

#include "solver/method.h"

/* Lays out what mo_small_solve needs; NULL where the problem is not small. */
void mo_small_prepare(const mo_problem *problem, mo_arena *arena, void **out);

/*
 * Solves a small problem from run->r.  Where it is not solved, the best iterate is in the result
 * and in run->r, and the status is that of a run that must stop, or MO_STALLED.
 */
mo_status mo_small_solve(mo_run *run, void *memory);

#endif
