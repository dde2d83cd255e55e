/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "check_report.h"

#include <math.h>
#include <stdio.h>

#include "json.h"
#include "number.h"
#include "text.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_numbers(json *j, const char *key, int count, const double *x)
{
    if (!x) return;
    json_array(j, key);
    for (int k = 0; k < count; ++k)
        json_number(j, NULL, x[k]);
    json_array_end(j);
}

/* The common mu of all contacts with friction; 0 if they differ or have moments. */
static double common_mu(const mo_problem *problem)
{
    double common = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_law law = mo_problem_constraint(problem, i).law;
        if (law.mu_rolling > 0 || law.mu_torsion > 0 ||
            (law.mu > 0 && common > 0 && law.mu != common))
            return 0;
        common = law.mu > 0 ? law.mu : common;
    }
    return common;
}

/* A member that is null if unknown. */
static void json_limit(json *j, const mo_problem *problem, const mo_friction_limit *limit)
{
    const double mu = common_mu(problem);
    if (!(limit->below > 0) && isinf(limit->above)) {
        json_null(j, "friction_limit");
        return;
    }
    json_object(j, "friction_limit");
    json_number(j, "pointed_up_to_factor", limit->below);
    json_number(j, "not_from_factor", limit->above);
    if (mu > 0) {
        json_number(j, "pointed_up_to_mu", limit->below * mu);
        json_number(j, "not_from_mu", limit->above * mu);
    }
    json_text(j, "message", limit->message.text);
    json_object_end(j);
}

static void json_condition(json *j, const char *key, const mo_condition *c)
{
    json_object(j, key);
    json_text(j, "answer", mo_answer_name(c->answer));
    json_text(j, "means", mo_condition_text(c->kind, c->answer));
    if (c->message.text[0]) json_text(j, "message", c->message.text);
    json_numbers(j, "motion", c->motion_count, c->motion);
    json_numbers(j, "impulse", c->impulse_count, c->impulse);
    if (c->answer == MO_ANSWER_FAILS) json_number(j, "reach", c->reach);
    json_object_end(j);
}

/* One word for each contact and joint, an array of them for each box. */
static void json_modes(json *j, const mo_problem *problem, const mo_found_solution *s)
{
    json_array(j, "modes");
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        if (view.law.kind != MO_LAW_BOX) {
            json_text(j, NULL, mo_found_mode_name(s->modes[view.offset]));
            continue;
        }
        json_array(j, NULL);
        for (int k = 0; k < view.dim; ++k)
            json_text(j, NULL, mo_found_mode_name(s->modes[view.offset + k]));
        json_array_end(j);
    }
    json_array_end(j);
}

static void json_solution(json *j, const mo_problem *problem, const mo_found_solution *s)
{
    const int rows = mo_problem_row_count(problem);
    json_object(j, NULL);
    if (s->v)
        json_numbers(j, "v", mo_problem_dof_count(problem), s->v);
    else
        json_null(j, "v"); /* a local problem has no bodies */
    json_numbers(j, "u", rows, s->u);
    json_numbers(j, "r", rows, s->r);
    json_modes(j, problem, s);
    json_truth(j, "proven", s->is_proven);
    json_whole(j, "dimension", s->dimension);
    json_numbers(j, "other_u", rows, s->other_u);
    json_object_end(j);
}

static void json_certificate(json *j, const mo_solution_set *set)
{
    json_object(j, "certificate");
    json_truth(j, "holds", set->checked.holds);
    if (set->checked.holds) {
        json_whole(j, "nodes", (long long)set->certificate.node_count);
        json_number(j, "reach", set->checked.reach);
        json_number(j, "closeness", set->checked.closeness);
    }
    json_object_end(j);
}

/* A file by its name, a scene by its name, parameters and step. */
static void json_input(json *j, const check_input *input)
{
    const world_scene *scene = check_input_scene(input);
    json_text(j, scene ? "scene" : "file", input->name);
    if (scene) {
        json_object(j, "parameters");
        for (int k = 0; k < world_parameter_count(scene); ++k)
            json_number(j, scene->parameter[k].name, input->values[k]);
        json_object_end(j);
    }
    if (input->moving) json_whole(j, "step", input->step);
}

void check_json(const check_input *input, const mo_check_result *check)
{
    const mo_problem *problem = input->problem;
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_input(&j, input);
    json_text(&j, "verdict", mo_verdict_name(check->verdict));
    json_text(&j, "means", mo_verdict_text(check->verdict));
    json_text(&j, "message", check->message.text);
    json_array(&j, "solutions");
    for (int k = 0; k < check->set.count; ++k)
        json_solution(&j, problem, &check->set.solutions[k]);
    json_array_end(&j);
    json_certificate(&j, &check->set);
    json_object(&j, "existence");
    for (int k = MO_CONDITION_STRICT; k <= MO_CONDITION_FRICTIONLESS; ++k)
        json_condition(&j, mo_condition_name((mo_condition_kind)k), &check->conditions[k]);
    json_object_end(&j);
    json_condition(&j, "pointed", &check->conditions[MO_CONDITION_POINTED]);
    json_condition(&j, "pointed_frictionless",
                   &check->conditions[MO_CONDITION_POINTED_FRICTIONLESS]);
    json_limit(&j, problem, &check->limit);
    json_whole(&j, "systems", check->set.systems);
    if (check->was_solved) json_number(&j, "residual_relative", check->residual);
    json_number(&j, "seconds", check->seconds);
    json_object_end(&j);
    json_end(&j);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_modes(const mo_problem *problem, const mo_found_solution *s)
{
    enum { MOST = 12 };
    const int count = mo_problem_constraint_count(problem);
    for (int i = 0; i < count && i < MOST; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        printf(" %s", mo_found_mode_name(s->modes[view.offset]));
    }
    printf("%s\n", count > MOST ? " ..." : "");
}

static void put_limit(const mo_problem *problem, const mo_friction_limit *limit)
{
    const double mu = common_mu(problem);
    if (limit->below > 0 && isfinite(limit->above)) {
        printf("  %-29s pointed up to %.8g times the friction", "friction limit", limit->below);
        if (mu > 0) printf(", mu = %.8g", limit->below * mu);
        putchar('\n');
    } else if (limit->message.text[0] && (limit->below > 0 || isfinite(limit->above))) {
        printf("  %-29s %s\n", "friction limit", limit->message.text);
    }
}

void check_put(const check_input *input, const mo_check_result *check)
{
    const mo_problem *problem = input->problem;
    text_put(stdout, input->name);
    if (input->moving) printf(", step %d", input->step);
    printf(": %s\n", mo_verdict_name(check->verdict));
    printf("  meaning           %s\n", mo_verdict_text(check->verdict));
    printf("  reason            %s\n", check->message.text);
    for (int k = 0; k < check->set.count; ++k) {
        const mo_found_solution *s = &check->set.solutions[k];
        printf("  solution %-8d %s%s:", k + 1,
               s->is_proven        ? "proven"
               : check->was_solved ? "by a method"
                                   : "to rounding",
               s->dimension > 0 ? ", one of a set of positive dimension" : "");
        put_modes(problem, s);
    }
    if (check->set.checked.holds) {
        printf("  certificate       %zu nodes, verified; covers impulses up to %s natural units\n",
               check->set.certificate.node_count, number_short(check->set.checked.reach).text);
    }
    for (int k = 0; k < MO_CONDITION_COUNT; ++k) {
        const mo_condition *c = &check->conditions[k];
        const int at =
            printf("  %-20s %-8s ", mo_condition_name(c->kind), mo_answer_name(c->answer));
        text_put_wrapped(
            stdout, c->message.text[0] ? c->message.text : mo_condition_text(c->kind, c->answer),
            at, at);
    }
    put_limit(problem, &check->limit);
}

/* ---- a certificate, judged ------------------------------------------------------------------- */

void check_verified(const check_input *input, const char *certificate,
                    const mo_judgement *judgement, int as_json)
{
    if (as_json) {
        json j = json_begin(stdout);
        json_object(&j, NULL);
        json_input(&j, input);
        json_text(&j, "certificate", certificate);
        json_truth(&j, "holds", judgement->holds);
        json_text(&j, "claimed", mo_verdict_name(judgement->claimed));
        json_text(&j, "supported", mo_verdict_name(judgement->supported));
        json_text(&j, "message", judgement->message.text);
        json_object_end(&j);
        json_end(&j);
        return;
    }
    text_put(stdout, input->name);
    printf(": %s, %s\n", mo_verdict_name(judgement->claimed),
           judgement->holds ? "verified" : "NOT VERIFIED");
    printf("  %-18s", judgement->holds ? "meaning" : "reason");
    text_put_wrapped(stdout, judgement->message.text, 20, 20);
}
