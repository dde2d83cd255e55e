/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Additions to the report of `moreau solve`: error bounds, and the reason of a failure. */
#ifndef CLI_SOLVE_PROOF_H
#define CLI_SOLVE_PROOF_H

#include "json.h"
#include "moreau/moreau.h"

typedef struct solve_proof {
    int has_bound;
    mo_error_bound bound;
    mo_frozen_bound frozen;

    int is_explained;
    const char *to_blame; /* "problem", "method", or "unknown" */
    mo_verdict verdict;
    mo_message reason;
} solve_proof;

/* --bound: proven distances to a solution. */
mo_error solve_proof_bound(const mo_problem *problem, const mo_result *result, solve_proof *proof);

/* --explain, if no solution was found: whether the problem or the method is the reason. */
mo_error solve_proof_explain(const mo_problem *problem, const mo_result *result,
                             solve_proof *proof);

void solve_proof_json(json *j, const solve_proof *proof);
void solve_proof_put(const solve_proof *proof);

#endif
