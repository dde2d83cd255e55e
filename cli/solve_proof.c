/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solve_proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "text.h"

mo_error solve_proof_bound(const mo_problem *problem, const mo_result *result, solve_proof *proof)
{
    const double *v = mo_problem_dof_count(problem) > 0 ? result->v : NULL;
    mo_error error = mo_bound_error(problem, v, result->r, &proof->bound);
    if (!error) error = mo_bound_frozen(problem, v, result->r, NULL, &proof->frozen);
    proof->has_bound = !error;
    return error;
}

/* ---- cause of a failure ---------------------------------------------------------------------- */

static void blame(solve_proof *proof, const char *whom, const char *claim, const char *because)
{
    proof->to_blame = whom;
    snprintf(proof->reason.text, sizeof proof->reason.text, "%s%.400s", claim, because);
}

static void judge(const mo_check_result *check, const mo_result *result, solve_proof *proof)
{
    proof->verdict = check->verdict;
    if (check->verdict == MO_VERDICT_NONE) {
        blame(proof, "problem", "it is proven that no solution exists: ", check->message.text);
    } else if (check->was_solved && result->method && strcmp(result->method, "auto") == 0) {
        snprintf(
            proof->reason.text, sizeof proof->reason.text,
            "a solution exists: with default options and default initial impulses, auto solves "
            "the problem to a relative residual of %s",
            number_real(check->residual).text);
        proof->to_blame = "method";
    } else if (check->was_solved) {
        snprintf(
            proof->reason.text, sizeof proof->reason.text,
            "a solution exists: auto solves the problem to a relative residual of %s; %s did not",
            number_real(check->residual).text, result->method);
        proof->to_blame = "method";
    } else if (check->verdict == MO_VERDICT_EXISTS) {
        blame(proof, "method", "a solution exists: ", check->message.text);
    } else if (check->verdict != MO_VERDICT_UNKNOWN) {
        blame(proof, "method", "", mo_verdict_text(check->verdict));
    } else {
        blame(proof, "unknown", "", check->message.text);
    }
}

mo_error solve_proof_explain(const mo_problem *problem, const mo_result *result, solve_proof *proof)
{
    enum { MOST_ROWS = 30000 };
    mo_check_result check = {0};
    proof->is_explained = 1;
    proof->verdict = MO_VERDICT_UNKNOWN;
    if (mo_problem_row_count(problem) > MOST_ROWS) {
        blame(proof, "unknown", "", "the problem is too large for a check");
        return MO_OK;
    }
    const mo_error error = mo_check(problem, 0, &check);
    if (!error) judge(&check, result, proof);
    mo_check_clear(&check);
    return error;
}

/* ---- said ------------------------------------------------------------------------------------ */

void solve_proof_json(json *j, const solve_proof *proof)
{
    if (proof->has_bound) {
        json_object(j, "bound");
        json_truth(j, "proven", proof->bound.is_proven);
        json_number(j, "v", proof->bound.v);
        json_number(j, "v_energy", proof->bound.v_energy);
        json_number(j, "u", proof->bound.u);
        json_number(j, "r", proof->bound.r);
        json_number(j, "frozen_v_energy", proof->frozen.v_energy);
        json_number(j, "frozen_beyond", proof->frozen.beyond);
        json_text(j, "message", proof->bound.message.text);
        json_object_end(j);
    }
    if (proof->is_explained) {
        json_object(j, "explained");
        json_text(j, "to_blame", proof->to_blame);
        json_text(j, "verdict", mo_verdict_name(proof->verdict));
        json_text(j, "reason", proof->reason.text);
        json_object_end(j);
    }
}

void solve_proof_put(const solve_proof *proof)
{
    enum { COLUMN = 20 };
    if (proof->has_bound && proof->bound.is_proven) {
        printf("  %-18sa solution is proven to be within ", "bound");
        if (!isinf(proof->bound.v)) /* without bodies there is no v */
            printf("%s in v, ", number_real(proof->bound.v).text);
        printf("%s in u, %s in r\n", number_real(proof->bound.u).text,
               number_real(proof->bound.r).text);
    } else if (proof->has_bound) {
        printf("  %-18s", "bound");
        text_put_wrapped(stdout, proof->bound.message.text, COLUMN, COLUMN);
    }
    if (proof->has_bound && !isinf(proof->frozen.v_energy)) {
        printf("  %-18s|v - v*| <= %s in the norm of M, for frozen sliding speeds and gaps\n"
               "                    shifted by up to %s\n",
               "duality gap", number_real(proof->frozen.v_energy).text,
               number_real(proof->frozen.beyond).text);
    }
    if (proof->is_explained) {
        printf("  %-18s%s: ", "to blame", proof->to_blame);
        text_put_wrapped(stdout, proof->reason.text, COLUMN, COLUMN);
    }
}
