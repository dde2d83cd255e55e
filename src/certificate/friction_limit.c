/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The largest friction for which the cone of impulses is pointed, as one factor on all
 * coefficients.
 *
 * K grows with the factor, so it is pointed up to a limit [anitescu2004, section 2.3.1].  The limit
 * is zero if normal impulses alone can balance each other, and may be infinite (one body on a
 * floor).  Otherwise the factor is doubled or halved until the answer changes, then bisected.  Both
 * ends of the bracket have evidence that the checker verifies: a motion that opens every contact
 * below, a self-stress above.  Bisection ends when an answer is too close to the limit to be
 * proven.
 */
#include <math.h>

#include "base/error.h"
#include "certificate/search.h"
#include "measure/condition.h"
#include "problem/problem_data.h"

/* Factors beyond any practical value; a power of two each. */
static const double LARGEST = 0x1p30, SMALLEST = 0x1p-60;

static int has_friction(const mo_problem *problem)
{
    int found = 0;
    for (int i = 0; i < problem->constraint_count && !found; ++i) {
        const mo_law law = mo_problem_constraint(problem, i).law;
        found =
            law.kind != MO_LAW_SLIDING && (law.mu > 0 || law.mu_rolling > 0 || law.mu_torsion > 0);
    }
    return found;
}

/* Tries one factor; a proven answer replaces that end of the bracket. */
static mo_error try_factor(const mo_problem *problem, double factor, mo_friction_limit *limit,
                           mo_answer *answer)
{
    mo_condition condition;
    const mo_error error =
        mo_condition_decide_with(problem, MO_CONDITION_POINTED, factor, &condition);
    *answer = condition.answer;
    if (error || condition.answer == MO_ANSWER_UNKNOWN) {
        mo_condition_clear(&condition);
    } else if (condition.answer == MO_ANSWER_HOLDS) {
        mo_condition_clear(&limit->pointed);
        limit->pointed = condition;
        limit->below = factor;
    } else {
        mo_condition_clear(&limit->blunt);
        limit->blunt = condition;
        limit->above = factor;
    }
    return error;
}

/* From the factor 1 by halves or doubles until both ends are known, or no end is found. */
static mo_error bracket(const mo_problem *problem, mo_friction_limit *limit)
{
    mo_answer first, answer;
    mo_error error = try_factor(problem, 1, limit, &first);
    const double ratio = first == MO_ANSWER_HOLDS ? 2 : 0.5;
    answer = first;
    for (double factor = ratio;
         !error && answer == first && factor <= LARGEST && factor >= SMALLEST; factor *= ratio)
        error = try_factor(problem, factor, limit, &answer);
    if (!error && first == MO_ANSWER_UNKNOWN && answer == MO_ANSWER_HOLDS)
        error = try_factor(problem, 2, limit, &answer); /* the factor 1 is too close to the limit */
    return error;
}

static mo_error bisect(const mo_problem *problem, double width, mo_friction_limit *limit)
{
    mo_error error = MO_OK;
    mo_answer answer = MO_ANSWER_HOLDS;
    while (!error && answer != MO_ANSWER_UNKNOWN && limit->below > 0 && isfinite(limit->above) &&
           limit->above - limit->below > width * limit->above)
        error = try_factor(problem, 0.5 * (limit->below + limit->above), limit, &answer);
    return error;
}

/* Without friction: if the cone is not pointed there, it is pointed for no factor. */
static mo_error without_friction(const mo_problem *problem, mo_friction_limit *limit,
                                 mo_answer *answer)
{
    mo_condition condition;
    const mo_error error =
        mo_condition_decide_with(problem, MO_CONDITION_POINTED_FRICTIONLESS, 1, &condition);
    *answer = condition.answer;
    if (!error && condition.answer == MO_ANSWER_FAILS) {
        limit->above = 0;
        limit->blunt = condition;
    } else if (!error && condition.answer == MO_ANSWER_HOLDS) {
        limit->pointed = condition;
    } else {
        limit->message = condition.message;
        mo_condition_clear(&condition);
    }
    return error;
}

static void explain(mo_friction_limit *limit, mo_answer frictionless)
{
    if (frictionless == MO_ANSWER_FAILS) {
        mo_say(&limit->message, "%s", "no friction is small enough for a pointed cone");
    } else if (isfinite(limit->above)) {
        mo_say(&limit->message, "pointed up to %.8g times the friction, not at %.8g times and more",
               limit->below, limit->above);
    } else if (limit->below > 0) {
        mo_say(&limit->message, "pointed up to %.3g times the friction; no limit was found",
               limit->below);
    } else {
        mo_say(&limit->message, "%s", "nothing was proven");
    }
}

mo_error mo_friction_limit_find(const mo_problem *problem, double width, mo_friction_limit *limit)
{
    MO_NEED(problem && limit, NULL);
    mo_answer frictionless = MO_ANSWER_UNKNOWN;
    *limit = (mo_friction_limit){.above = INFINITY, .allocator = problem->allocator};
    limit->pointed = limit->blunt =
        (mo_condition){.kind = MO_CONDITION_POINTED, .answer = MO_ANSWER_UNKNOWN, .friction = 1};
    MO_FAIL_IF(!(width > 0), MO_ERR_ARGUMENT);
    if (!has_friction(problem)) {
        mo_say(&limit->message, "%s", "the problem has no friction");
        return MO_OK;
    }
    if (!mo_condition_applies(problem, MO_CONDITION_POINTED, &limit->message)) return MO_OK;
    mo_error error = without_friction(problem, limit, &frictionless);
    if (!error && frictionless == MO_ANSWER_HOLDS) {
        error = bracket(problem, limit);
        error = error ? error : bisect(problem, width, limit);
    }
    if (!error && (frictionless != MO_ANSWER_UNKNOWN || !limit->message.text[0]))
        explain(limit, frictionless);
    return error;
}

void mo_friction_limit_clear(mo_friction_limit *limit)
{
    MO_NEED_OR(, limit, NULL);
    mo_condition_clear(&limit->pointed);
    mo_condition_clear(&limit->blunt);
    *limit = (mo_friction_limit){.above = INFINITY};
}
