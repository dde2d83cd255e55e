/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau info`: contents of a file, and the residual of its solution. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "info_facts.h"
#include "json.h"
#include "moreau/io.h"
#include "number.h"
#include "report.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "info",
    .operands = "FILE...",
    .summary = "show the contents of FCLIB files",
    .about = "Shows sizes, laws, friction, islands (groups of coupled contacts), the "
             "rank of W = H' M^-1 H where it is small enough, the metadata of the "
             "file, and the residuals of the solution and guesses stored in it.",
    .examples = "  moreau info box.hdf5\n"
                "  moreau info problems/*.hdf5 --json | jq -c '[.file, .contacts, .rank]'\n",
    .least = 1,
    .most = -1,
};

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_laws(json *j, const summary *s)
{
    json_object(j, "laws");
    for (int kind = 0; kind < MO_LAW_KIND_COUNT; ++kind)
        json_whole(j, mo_law_name((mo_law_kind)kind), s->laws[kind]);
    json_object_end(j);
}

static void json_point(json *j, const char *key, const point_facts *point)
{
    json_object(j, key);
    json_truth(j, "v", point->has_v);
    json_truth(j, "u", point->has_u);
    json_truth(j, "r", point->has_r);
    if (point->is_measured) {
        const mo_residual *residual = &point->residual;
        json_number(j, "residual", residual->natural);
        json_number(j, "residual_relative", residual->natural_relative);
        json_number(j, "penetration_rate", residual->penetration_rate.value);
        json_number(j, "cone_violation", residual->cone_violation.value);
        json_number(j, "dissipation", residual->dissipation.value);
        json_number(j, "siconos_q", residual->siconos_q);
        json_number(j, "siconos_full", residual->siconos_full);
    }
    json_object_end(j);
}

static void json_points(json *j, const mo_problem *problem, const mo_document *document)
{
    const point_facts solution = point_study(problem, &document->solution);
    if (solution.is_there)
        json_point(j, "solution", &solution);
    else
        json_null(j, "solution");
    json_array(j, "guesses");
    for (int k = 0; k < document->guess_count; ++k) {
        const point_facts guess = point_study(problem, &document->guesses[k]);
        json_point(j, NULL, &guess);
    }
    json_array_end(j);
}

static void report_json(const char *file, const mo_document *document, const file_facts *facts)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "file", file);
    json_whole(&j, "file_bytes", facts->file_bytes);
    summary_json(&j, &facts->problem);
    json_laws(&j, &facts->problem);
    json_whole(&j, "compliant", facts->compliant);
    json_number(&j, "mu_least", facts->mu_least);
    json_number(&j, "mu_most", facts->mu_most);
    json_whole(&j, "blocks", facts->graph.blocks);
    json_whole(&j, "largest_body", facts->largest_body);
    json_number(&j, "mass_ratio", facts->mass_ratio);
    json_number(&j, "q_norm", facts->q_norm);
    json_whole(&j, "islands", facts->graph.islands);
    json_whole(&j, "largest_island", facts->graph.largest_island);
    json_number(&j, "asymmetry", facts->graph.asymmetry);
    json_number(&j, "rank", facts->rank < 0 ? (double)NAN : facts->rank);
    json_whole(&j, "bytes", (long long)facts->bytes);
    json_text(&j, "title", document->title);
    json_text(&j, "description", document->description);
    json_text(&j, "math_info", document->math_info);
    json_text(&j, "notes", document->notes);
    json_points(&j, document->problem, document);
    json_object_end(&j);
    json_end(&j);
}

/* ---- text ------------------------------------------------------------------------------------ */

enum { COLUMN = 16 };

static const double ROUNDING = 1e-13; /* smaller asymmetry is rounding */

static void put_label(const char *label)
{
    printf("  %-*s", COLUMN - 2, label);
}

/* A text of the file, line by line. */
static void put_lines(const char *label, const char *text)
{
    while (text && *text) {
        char line[1024];
        const size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (line[strspn(line, " ")]) {
            put_label(label);
            text_put_wrapped(stdout, line, COLUMN, COLUMN);
            label = "";
        }
        text += length + (text[length] == '\n');
    }
}

static void put_constraints(const file_facts *facts)
{
    const summary *s = &facts->problem;
    const char *comma = "";
    put_label("constraints");
    printf("%s", number_whole(s->constraints).text);
    for (int kind = 0; kind < MO_LAW_KIND_COUNT; ++kind) {
        if (s->laws[kind]) {
            printf("%s%s %s", comma[0] ? comma : ": ", number_whole(s->laws[kind]).text,
                   mo_law_name((mo_law_kind)kind));
            comma = ", ";
        }
    }
    if (facts->compliant) printf(" (%s with compliance)", number_whole(facts->compliant).text);
    printf("; %s in all\n", number_count(s->rows, "row").text);
    if (facts->mu_least <= facts->mu_most) {
        put_label("friction");
        printf("mu = %s", number_short(facts->mu_least).text);
        if (facts->mu_most > facts->mu_least) printf(" to %s", number_short(facts->mu_most).text);
        fputc('\n', stdout);
    }
}

static void put_bodies(const file_facts *facts)
{
    const summary *s = &facts->problem;
    put_label("form");
    printf("%s\n", strcmp(s->form, "global") == 0 ? "global: masses M, Jacobians H, forces f, w"
                                                  : "local: only W and q, no bodies");
    if (s->bodies) {
        put_label("bodies");
        printf("%s, %s", number_whole(s->bodies).text, number_count(s->dofs, "dof").text);
        printf("; the largest has %s, mass ratio %s\n", number_whole(facts->largest_body).text,
               number_short(facts->mass_ratio).text);
    }
}

static void put_graph(const file_facts *facts)
{
    const graph_facts *graph = &facts->graph;
    put_label("islands");
    printf("%s", number_whole(graph->islands).text);
    if (graph->islands > 1)
        printf(", %s in the largest", number_count(graph->largest_island, "constraint").text);
    printf("; %s\n",
           number_count(graph->blocks, facts->problem.bodies ? "Jacobian" : "block").text);
    put_label("W");
    if (facts->rank >= 0)
        printf("rank %d of %d", facts->rank, facts->problem.rows);
    else
        printf("rank not computed above %d rows", RANK_ROWS_MOST);
    if (graph->asymmetry > ROUNDING)
        printf(", asymmetry %s", number_real(graph->asymmetry).text);
    else
        printf(", symmetric");
    printf("; |q| = %s\n", number_short(facts->q_norm).text);
}

static void put_point(const char *label, const point_facts *point)
{
    put_label(label);
    printf("%s%s%s", point->has_r ? "r " : "", point->has_u ? "u " : "", point->has_v ? "v " : "");
    if (point->is_measured) {
        printf("with a relative residual of %s",
               number_real(point->residual.natural_relative).text);
    } else {
        printf("whose residual cannot be computed without r");
    }
    fputc('\n', stdout);
}

static void put_points(const mo_document *document)
{
    enum { SHOWN = 5 };
    const point_facts solution = point_study(document->problem, &document->solution);
    if (solution.is_there) {
        put_point("solution", &solution);
    } else {
        put_label("solution");
        printf("none\n");
    }
    for (int k = 0; k < document->guess_count && k < SHOWN; ++k) {
        const point_facts guess = point_study(document->problem, &document->guesses[k]);
        put_point(k ? "" : "guesses", &guess);
    }
    if (document->guess_count > SHOWN) {
        put_label("");
        printf("and %d more\n", document->guess_count - SHOWN);
    }
}

static void report(const char *file, const mo_document *document, const file_facts *facts)
{
    text_put(stdout, file);
    fputc('\n', stdout);
    put_lines("title", document->title);
    put_lines("description", document->description);
    put_lines("mathematics", document->math_info);
    put_bodies(facts);
    put_constraints(facts);
    put_graph(facts);
    put_label("size");
    printf("%s in the file, %s in memory\n", number_bytes((double)facts->file_bytes).text,
           number_bytes((double)facts->bytes).text);
    put_points(document);
    put_lines("notes", document->notes);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* One file; `shown`: number of files printed before it. */
static int info(const char *file, int as_json, int *shown)
{
    mo_message why = {{0}};
    mo_document document = {0};
    file_facts facts;
    int status = EXIT_DONE;
    mo_error error = mo_fclib_read(file, NULL, &document, &why);
    if (!error) error = file_study(file, document.problem, &facts);
    if (error) {
        status = report_failure(file, text_of_error(file, error, &why), as_json);
    } else if (as_json) {
        report_json(file, &document, &facts);
    } else {
        fputs((*shown)++ ? "\n" : "", stdout);
        report(file, &document, &facts);
    }
    mo_document_clear(&document);
    return status;
}

int command_info(int argc, char **argv)
{
    args_flag flags[] = {{.name = "json", .text = "print one JSON object per file, one per line"}};
    int count = 0, shown = 0, status = EXIT_DONE;
    const args_answer answer = args_parse(&COMMAND, flags, 1, argc, argv, &count);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    const int as_json = flags[0].value != NULL;
    for (int k = 0; k < count && output_is_good(); ++k)
        status |= info(argv[k], as_json, &shown);
    return status;
}
