/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau check`: does a solution exist, is it the only one, is the friction cone pointed. */
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "command.h"
#include "json.h"
#include "moreau/moreau.h"
#include "number.h"
#include "report.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "check",
    .operands = "FILE...",
    .summary = "does a solution exist, is it the only one",
    .about =
        "Says of the problem in each FCLIB file whether it has no solution, one, or several, and "
        "by what"
        " evidence. Problems of up to 96 rows get all"
        " their solutions, with a certificate that is checked apart before it counts. For larger "
        "ones"
        " there are the conditions for existence and pointedness, and the word of a method. "
        "docs/check.md says what each answer means and "
        "what it does"
        " not mean.\n\n"
        "The exit status is 0 where every file got an answer, also where that is none or unknown.",
    .examples = "  moreau check rod.hdf5\n"
                "  moreau check problems/*.hdf5 --json | jq -c '[.file, .verdict]'\n",
    .least = 1,
    .most = -1,
};

/* ---- for a program --------------------------------------------------------------------------- */

static void json_numbers(json *j, const char *key, int count, const double *x)
{
    if (!x) {
        return;
    }
    json_array(j, key);
    for (int k = 0; k < count; ++k) {
        json_number(j, NULL, x[k]);
    }
    json_array_end(j);
}

static void json_condition(json *j, const char *key, const mo_condition *c)
{
    json_object(j, key);
    json_text(j, "answer", mo_answer_word(c->answer));
    json_text(j, "means", mo_condition_text(c->kind, c->answer));
    if (c->message.text[0]) {
        json_text(j, "message", c->message.text);
    }
    json_numbers(j, "motion", c->motion_count, c->motion);
    json_numbers(j, "impulse", c->impulse_count, c->impulse);
    if (c->answer == MO_ANSWER_FAILS) {
        json_number(j, "reach", c->reach);
    }
    json_object_end(j);
}

/* One word for each contact and joint, an array of them for each box. */
static void json_modes(json *j, const mo_problem *problem, const mo_found_solution *s)
{
    json_array(j, "modes");
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        if (view.law.kind != MO_LAW_BOX) {
            json_text(j, NULL, mo_found_mode_word(s->modes[view.offset]));
            continue;
        }
        json_array(j, NULL);
        for (int k = 0; k < view.dim; ++k) {
            json_text(j, NULL, mo_found_mode_word(s->modes[view.offset + k]));
        }
        json_array_end(j);
    }
    json_array_end(j);
}

static void json_solution(json *j, const mo_problem *problem, const mo_found_solution *s)
{
    const int rows = mo_problem_row_count(problem);
    json_object(j, NULL);
    json_numbers(j, "v", mo_problem_dof_count(problem), s->v);
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

static void report_json(const char *file, const mo_problem *problem, const mo_check_result *check)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "file", file);
    json_text(&j, "verdict", mo_verdict_word(check->verdict));
    json_text(&j, "means", mo_verdict_text(check->verdict));
    json_text(&j, "message", check->message.text);
    json_array(&j, "solutions");
    for (int k = 0; k < check->set.count; ++k) {
        json_solution(&j, problem, &check->set.solutions[k]);
    }
    json_array_end(&j);
    json_certificate(&j, &check->set);
    json_object(&j, "existence");
    for (int k = MO_CONDITION_STRICT; k <= MO_CONDITION_FRICTIONLESS; ++k) {
        json_condition(&j, mo_condition_word((mo_condition_kind)k), &check->conditions[k]);
    }
    json_object_end(&j);
    json_condition(&j, "pointed", &check->conditions[MO_CONDITION_POINTED]);
    json_condition(&j, "pointed_frictionless",
                   &check->conditions[MO_CONDITION_POINTED_FRICTIONLESS]);
    json_whole(&j, "systems", check->set.systems);
    if (check->was_solved) {
        json_number(&j, "residual_relative", check->residual);
    }
    json_number(&j, "seconds", check->seconds);
    json_object_end(&j);
    json_end(&j);
}

/* ---- for a person ---------------------------------------------------------------------------- */

static void put_modes(const mo_problem *problem, const mo_found_solution *s)
{
    enum { MOST = 12 };
    const int count = mo_problem_constraint_count(problem);
    for (int i = 0; i < count && i < MOST; ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        printf(" %s", mo_found_mode_word(s->modes[view.offset]));
    }
    printf("%s\n", count > MOST ? " ..." : "");
}

static void put(const char *file, const mo_problem *problem, const mo_check_result *check)
{
    text_put(stdout, file);
    printf(": %s\n", mo_verdict_word(check->verdict));
    printf("  means             %s\n", mo_verdict_text(check->verdict));
    printf("  because           %s\n", check->message.text);
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
        printf("  certificate       %zu nodes, checked; covers impulses up to %s natural units\n",
               check->set.certificate.node_count, number_short(check->set.checked.reach).text);
    }
    for (int k = 0; k < MO_CONDITION_COUNT; ++k) {
        const mo_condition *c = &check->conditions[k];
        const int at =
            printf("  %-20s %-8s ", mo_condition_word(c->kind), mo_answer_word(c->answer));
        text_put_wrapped(
            stdout, c->message.text[0] ? c->message.text : mo_condition_text(c->kind, c->answer),
            at, at);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check_file(const char *file, long long most_systems, int as_json, int *shown)
{
    mo_message why = {{0}};
    mo_document document = {0};
    mo_check_result check = {0};
    int status = EXIT_DONE;
    mo_error error = mo_fclib_read(file, NULL, &document, &why);
    if (!error) {
        error = mo_check(document.problem, most_systems, &check);
    }
    if (error) {
        status = report_failure(file, text_of_error(file, error, &why), as_json);
    } else if (as_json) {
        report_json(file, document.problem, &check);
    } else {
        fputs((*shown)++ ? "\n" : "", stdout);
        put(file, document.problem, &check);
    }
    mo_check_clear(&check);
    mo_document_clear(&document);
    return status;
}

int command_check(int argc, char **argv)
{
    args_flag flags[] = {
        {.name = "json", .text = "one JSON object a line for each file, and nothing else"},
        {.name = "most_systems",
         .operand = "N",
         .initial = "20000",
         .text = "combinations of modes to look at before giving up on all solutions"}};
    int count = 0, shown = 0, status = EXIT_DONE;
    const args_answer answer = args_parse(&COMMAND, flags, 2, argc, argv, &count);
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    long long most_systems = 0;
    if (flags[1].value) {
        char *end = NULL;
        most_systems = strtoll(flags[1].value, &end, 10);
        if (end == flags[1].value || *end || most_systems < 1) {
            say(COMMAND.name, "--most-systems takes a whole number above zero, not %.100s",
                flags[1].value);
            return EXIT_CALL;
        }
    }
    for (int k = 0; k < count && output_is_good(); ++k) {
        status |= check_file(argv[k], most_systems, flags[0].value != NULL, &shown);
    }
    return status;
}
