/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Combines all evidence to one verdict, in this order:
 *
 *   all solutions of a small problem
 *   no motion without penetration: none                                        [acary2011, eq. 4.5]
 *   strict, closed or pointed: a solution exists                  [acary2011, Theorems 4.6 and 5.1]
 *   a method solves the problem: a solution exists, to the accuracy of the residual
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "certificate/search.h"
#include "moreau/solve.h"

/* The one solution that a method found, as a set. */
static mo_error keep_result(const mo_problem *problem, const mo_result *result,
                            mo_solution_set *set)
{
    const size_t n = (size_t)problem->row_count;
    size_t room = 0;
    set->allocator = problem->allocator;
    mo_found_solution *found = mo_solution_set_append(set, problem, &room);
    MO_NEED_MEMORY(found, NULL);
    if (n) {
        memcpy(found->r, result->r, n * sizeof(double));
        memcpy(found->u, result->u, n * sizeof(double));
    }
    if (found->v && problem->dof_count)
        memcpy(found->v, result->v, (size_t)problem->dof_count * sizeof(double));
    mo_classify_modes(problem, found);
    return MO_OK;
}

static mo_error try_to_solve(const mo_problem *problem, mo_check_result *check)
{
    mo_result result = {0};
    mo_options options = mo_default_options();
    const double enough = options.tol;
    options.tol = 1e-2 * enough; /* margin for the verification */
    mo_error error = mo_solve(problem, &options, &result);
    check->was_solved = !error && result.residual.natural_relative <= enough;
    if (check->was_solved) {
        check->residual = result.residual.natural_relative;
        error = keep_result(problem, &result, &check->set);
    }
    mo_result_clear(&result);
    return error;
}

static int holds(const mo_check_result *check, mo_condition_kind kind)
{
    return check->conditions[kind].answer == MO_ANSWER_HOLDS;
}

static void settle(mo_check_result *check, mo_verdict verdict, const char *sentence)
{
    check->verdict = verdict;
    mo_say(&check->message, "%s", sentence);
}

static mo_error judge(const mo_problem *problem, mo_check_result *check)
{
    mo_error error = MO_OK;
    const int exists = holds(check, MO_CONDITION_STRICT) || holds(check, MO_CONDITION_CLOSED) ||
                       holds(check, MO_CONDITION_POINTED);
    if (check->set.verdict != MO_VERDICT_UNKNOWN) {
        settle(check, check->set.verdict, check->set.message.text);
        return MO_OK;
    }
    if (check->conditions[MO_CONDITION_FRICTIONLESS].answer == MO_ANSWER_FAILS) {
        settle(check, MO_VERDICT_NONE, "every motion penetrates");
        return MO_OK;
    }
    if (check->set.count == 0) error = try_to_solve(problem, check);
    if (exists) {
        settle(check, MO_VERDICT_EXISTS,
               "the friction cones prove that a solution exists; others were not excluded");
    } else if (check->was_solved) {
        settle(check, MO_VERDICT_EXISTS,
               "a method found a solution, confirmed by its residual, without a proof; others were "
               "not excluded");
    } else {
        settle(check, MO_VERDICT_UNKNOWN,
               "no condition decides it, and no method found a solution: one may or may not exist");
    }
    return error;
}

/* About fifty convex programs: only for small problems. */
static mo_error find_limit(const mo_problem *problem, mo_check_result *check)
{
    enum { MOST_ROWS = 48 };
    check->limit = (mo_friction_limit){.above = INFINITY};
    return problem->row_count <= MOST_ROWS ? mo_friction_limit_find(problem, 1e-6, &check->limit)
                                           : MO_OK;
}

mo_error mo_check(const mo_problem *problem, long long most_systems, mo_check_result *check)
{
    MO_NEED(problem && check, NULL);
    const double start = mo_clock();
    *check = (mo_check_result){.verdict = MO_VERDICT_UNKNOWN};
    mo_error error = mo_find_all_solutions(problem, most_systems, &check->set);
    for (int k = 0; k < MO_CONDITION_COUNT && !error; ++k)
        error = mo_condition_decide(problem, (mo_condition_kind)k, &check->conditions[k]);
    error = error ? error : find_limit(problem, check);
    error = error ? error : judge(problem, check);
    check->seconds = mo_clock() - start;
    return error;
}

void mo_check_clear(mo_check_result *check)
{
    MO_NEED_OR(, check, NULL);
    for (int k = 0; k < MO_CONDITION_COUNT; ++k)
        mo_condition_clear(&check->conditions[k]);
    mo_friction_limit_clear(&check->limit);
    mo_solution_set_clear(&check->set);
    *check = (mo_check_result){.verdict = MO_VERDICT_UNKNOWN};
}
