/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Verification of a check from the problem and the evidence alone.  No answer, flag or verdict in
 * the evidence is trusted.
 *
 * All evidence must be valid: the motion or impulse of each condition, the tree, and each solution
 * (its velocity follows from its impulses and its residual meets the tolerance; if it claims to be
 * proven, interval Newton must confirm it).  The verdict follows from it:
 *
 *   a tree without solutions, or an impulse against `frictionless`   none
 *   a tree with one solution                                         unique
 *   two solutions further apart than the closeness                   several
 *   a solution, or a motion for `strict`, `closed` or `pointed`      exists
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "measure/certificate.h"
#include "measure/enclosure.h"
#include "moreau/measure.h"

/* Largest dimensionless residual of a solution. */
static const double SOLVED = 1e-8;

typedef struct judge {
    const mo_problem *problem;
    const mo_check_result *check;
    mo_judgement *judgement;
    const mo_enclosure *e; /* NULL if the problem is too large for one */
    mo_error error;
} judge;

MO_PRINTF(2, 3)
static int reject(judge *j, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(j->judgement->message.text, sizeof j->judgement->message.text, format, values);
    va_end(values);
    return 0;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static int condition_is_good(judge *j, const mo_condition *c, const char *what)
{
    mo_certificate_report report = {0};
    if (c->answer == MO_ANSWER_UNKNOWN) return 1;
    const mo_error error = mo_condition_check(j->problem, c, &report);
    j->error = error == MO_ERR_MEMORY ? error : j->error;
    return report.holds || reject(j, "the evidence that %s %s %s proves nothing", what,
                                  mo_condition_name(c->kind), mo_answer_name(c->answer));
}

static int conditions_are_good(judge *j)
{
    int good = 1;
    for (int k = 0; k < MO_CONDITION_COUNT && good; ++k) {
        const mo_condition *c = &j->check->conditions[k];
        good = condition_is_good(j, c, "the condition");
        if (good && c->answer != MO_ANSWER_UNKNOWN && ((int)c->kind != k || c->friction != 1)) {
            good =
                reject(j, "the condition %s is not about this problem", mo_condition_name(c->kind));
        }
    }
    return good;
}

static int limit_is_good(judge *j)
{
    const mo_friction_limit *limit = &j->check->limit;
    const mo_condition *below = &limit->pointed, *above = &limit->blunt;
    MO_FAIL_IF(limit->below > 0 &&
                   (below->answer != MO_ANSWER_HOLDS || below->kind != MO_CONDITION_POINTED ||
                    below->friction != limit->below),
               reject(j, "%s", "the limit of friction has no motion for its lower end"));
    MO_FAIL_IF(isfinite(limit->above) &&
                   (above->answer != MO_ANSWER_FAILS ||
                    above->kind != (limit->above > 0 ? MO_CONDITION_POINTED
                                                     : MO_CONDITION_POINTED_FRICTIONLESS) ||
                    (limit->above > 0 && above->friction != limit->above)),
               reject(j, "%s", "the limit of friction has no impulse for its upper end"));
    return (!(limit->below > 0) || condition_is_good(j, below, "at the lower limit of friction")) &&
           (isinf(limit->above) || condition_is_good(j, above, "at the upper limit of friction"));
}

/* ---- solutions ------------------------------------------------------------------------------- */

/* Is u that of r, to the closeness of the list (absolutely to rounding, for large problems)? */
static int velocity_fits(judge *j, const double *u, const double *r)
{
    const size_t n = (size_t)j->problem->row_count;
    double *own = mo_memory_array(&j->problem->allocator, n, sizeof *own);
    int good = own != NULL;
    if (!own || mo_problem_response(j->problem, r, own)) {
        j->error = MO_ERR_MEMORY;
        good = 0;
    }
    double size = 0;
    for (size_t k = 0; k < n && good; ++k)
        size = fmax(size, fabs(own[k]));
    for (size_t k = 0; k < n && good; ++k) {
        const double close = j->e ? MO_CLOSENESS * j->e->unit_u[k] : 1e-9 * size;
        good = fabs(own[k] - u[k]) <= close;
    }
    mo_memory_free(&j->problem->allocator, own);
    return good;
}

/* Is a true solution as near as the closeness, by interval Newton? */
static int is_near_a_solution(judge *j, const double *r)
{
    mo_error_bound bound = {0};
    double least = INFINITY;
    for (int k = 0; j->e && k < j->e->n; ++k)
        least = fmin(least, j->e->unit_u[k]);
    const mo_error error = mo_bound_error(j->problem, NULL, r, &bound);
    j->error = error == MO_ERR_MEMORY ? error : j->error;
    return !error && bound.is_proven && bound.u <= MO_CLOSENESS * least;
}

/* A solution by the measure, or by a proof where large impulses leave it few digits. */
static int point_is_good(judge *j, int which, const double *u, const double *r)
{
    double scaled = INFINITY;
    const mo_error error = mo_measure_scaled(j->problem, r, &scaled);
    j->error = error == MO_ERR_MEMORY ? error : j->error;
    MO_FAIL_IF((error || !(scaled <= SOLVED)) && !is_near_a_solution(j, r),
               reject(j, "solution %d is not a solution: the measure of its impulses is %.3g",
                      which + 1, scaled));
    return velocity_fits(j, u, r) ||
           reject(j, "the velocity of solution %d is not that of its impulses", which + 1);
}

static int solution_is_good(judge *j, int which)
{
    const mo_found_solution *s = &j->check->set.solutions[which];
    if (!point_is_good(j, which, s->u, s->r)) return 0;
    if (s->dimension > 0 &&
        (!s->other_u || !s->other_r || !point_is_good(j, which, s->other_u, s->other_r)))
        return 0;
    return !s->is_proven || is_near_a_solution(j, s->r) ||
           reject(j, "solution %d is marked as proven, but cannot be proven", which + 1);
}

/* Do two velocities differ by more than the closeness? */
static int differ(const judge *j, const double *a, const double *b)
{
    int apart = 0;
    for (int k = 0; k < j->problem->row_count && !apart; ++k) {
        const double close =
            j->e ? 2 * MO_CLOSENESS * j->e->unit_u[k] : 1e-6 * (fabs(a[k]) + fabs(b[k]));
        apart = fabs(a[k] - b[k]) > close;
    }
    return apart;
}

static int has_several(const judge *j)
{
    const mo_solution_set *set = &j->check->set;
    int several = 0;
    for (int a = 0; a < set->count && !several; ++a) {
        const mo_found_solution *s = &set->solutions[a];
        several = s->dimension > 0 && differ(j, s->u, s->other_u);
        for (int b = 0; b < a && !several; ++b)
            several = differ(j, s->u, set->solutions[b].u);
    }
    return several;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static int tree_is_good(judge *j)
{
    mo_certificate_report report = {0};
    const mo_certificate *c = &j->check->set.certificate;
    if (c->node_count == 0) return 1;
    const mo_error error = mo_certificate_check(j->problem, c, &report);
    j->error = error == MO_ERR_MEMORY ? error : j->error;
    return (!error && report.holds && c->solution_count == j->check->set.count) ||
           reject(j, "the tree proves nothing from its node %zu on", report.at_node + 1);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static mo_verdict supported(const judge *j)
{
    const mo_check_result *check = j->check;
    const int complete = check->set.certificate.node_count > 0, count = check->set.count;
    const mo_condition *conditions = check->conditions;
    if ((complete && count == 0) || conditions[MO_CONDITION_FRICTIONLESS].answer == MO_ANSWER_FAILS)
        return MO_VERDICT_NONE;
    if (has_several(j)) return MO_VERDICT_SEVERAL;
    if (complete && count == 1) return MO_VERDICT_UNIQUE;
    return count > 0 || conditions[MO_CONDITION_STRICT].answer == MO_ANSWER_HOLDS ||
                   conditions[MO_CONDITION_CLOSED].answer == MO_ANSWER_HOLDS ||
                   conditions[MO_CONDITION_POINTED].answer == MO_ANSWER_HOLDS
               ? MO_VERDICT_EXISTS
               : MO_VERDICT_UNKNOWN;
}

/* Does the first verdict follow from the second? */
static int follows(mo_verdict claimed, mo_verdict from)
{
    return claimed == from || claimed == MO_VERDICT_UNKNOWN ||
           (claimed == MO_VERDICT_EXISTS &&
            (from == MO_VERDICT_UNIQUE || from == MO_VERDICT_SEVERAL));
}

static void decide(judge *j)
{
    mo_judgement *judgement = j->judgement;
    int good = conditions_are_good(j) && limit_is_good(j) && tree_is_good(j);
    for (int k = 0; k < j->check->set.count && good; ++k)
        good = solution_is_good(j, k);
    if (!good) return;
    judgement->supported = supported(j);
    judgement->holds = follows(j->check->verdict, judgement->supported);
    if (judgement->holds) {
        mo_say(&judgement->message, "%s", mo_verdict_text(j->check->verdict));
    } else {
        reject(j, "the evidence is valid, but it proves '%s', not '%s'",
               mo_verdict_name(judgement->supported), mo_verdict_name(j->check->verdict));
    }
}

mo_error mo_check_judge(const mo_problem *problem, const mo_check_result *check,
                        mo_judgement *judgement)
{
    MO_NEED(problem && check && judgement, NULL);
    mo_enclosure enclosure;
    judge j = {problem, check, judgement, NULL, MO_OK};
    *judgement = (mo_judgement){.claimed = check->verdict, .supported = MO_VERDICT_UNKNOWN};
    mo_error error = mo_enclosure_create(problem, &enclosure, NULL);
    if (error && error != MO_ERR_UNSUPPORTED) return error;
    j.e = error ? NULL : &enclosure;
    decide(&j);
    if (j.e) mo_enclosure_destroy(&enclosure);
    return j.error;
}
