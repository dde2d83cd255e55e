/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/block_system.h"

#include <string.h>

mo_error mo_block_system_layout(const mo_problem *problem, mo_arena *arena, mo_block_system *system)
{
    const mo_error error = mo_delassus_layout(problem, MO_SPACE_BEST, arena, &system->delassus);
    system->sweep = system->delassus.sweep;
    return error;
}

void mo_block_system_begin(mo_block_system *system)
{
    memset(system->delassus.active, 1, (size_t)system->sweep->problem->constraint_count);
}

int mo_block_system_factor(mo_block_system *system)
{
    return mo_delassus_factor(&system->delassus);
}

void mo_block_system_solve(mo_block_system *system, double *x)
{
    mo_delassus_solve(&system->delassus, x);
}

void mo_block_system_response(mo_block_system *system, const double *x, double *u)
{
    mo_delassus_response(&system->delassus, x, u);
}
