/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Solves with and without a rung of auto's ladder. */
#ifndef LADDER_RUNGS_H
#define LADDER_RUNGS_H

#include <string.h>

#include "check.h"
#include "moreau/moreau.h"
#include "solver/auto.h"

static inline int rung_number(const char *name)
{
    for (int k = 0; k < mo_ladder_count; ++k)
        if (strcmp(mo_ladder[k].name, name) == 0) return k;
    fail_msg("there is no rung %s", name);
    return -1;
}

/* Solved by auto without one rung; NULL: with all of them. */
static inline mo_result solve_without(const mo_problem *problem, const char *rung,
                                      mo_options options)
{
    mo_result result = {0};
    options.ladder.skip = rung ? 1 << rung_number(rung) : 0;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    for (int k = 0; rung && k < result.explanation.rung_count; ++k)
        CHECK(strcmp(result.explanation.rung[k].name, rung) != 0);
    return result;
}

static inline mo_result solve(const mo_problem *problem, double tol)
{
    mo_options options = mo_default_options();
    options.tol = tol;
    return solve_without(problem, NULL, options);
}

static inline const mo_rung_report *taken(const mo_result *result, const char *rung)
{
    for (int k = 0; k < result->explanation.rung_count; ++k)
        if (strcmp(result->explanation.rung[k].name, rung) == 0)
            return &result->explanation.rung[k];
    return NULL;
}

#endif
