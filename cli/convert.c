/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau convert`: rewrites an FCLIB file in the same form, or with its bodies eliminated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "command.h"
#include "json.h"
#include "moreau/io.h"
#include "moreau/problem.h"
#include "paths.h"
#include "report.h"
#include "summary.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "write the problem of one FCLIB file to another",
    .about = "OUT is a file, or a folder that ends in a slash. The solution, the "
             "guesses and the metadata are kept. Local form (W = H' M^-1 H and q "
             "= H' M^-1 f + w) has no bodies and no velocities v; r and u stay "
             "the same. Local form cannot be converted back to global form.\n\n"
             "OUT is written to a temporary file and then renamed, so it is never "
             "half written; it may be IN itself.",
    .examples = "  moreau convert pile.hdf5 reduced.hdf5 --form local\n"
                "  moreau convert old.hdf5 old.hdf5 --force     rewrite it in place\n",
    .least = 2,
    .most = 2,
};

enum { FLAG_FORM, FLAG_FORCE, FLAG_JSON, FLAG_COUNT };

typedef enum target_form { FORM_SAME, FORM_LOCAL, FORM_GLOBAL } target_form;

typedef struct call {
    const char *in, *out;
    target_form form;
    int force, json;
} call;

/* ---- the work -------------------------------------------------------------------------------- */

static mo_error explain(mo_error error, mo_message *why, const char *sentence)
{
    snprintf(why->text, sizeof why->text, "%s", sentence);
    return error;
}

/* The points of a problem whose bodies are eliminated: u and r, no v. */
static void drop_velocity(mo_point *point)
{
    point->v = NULL;
}

/* Writes `document` with its problem reduced.  Borrowed arrays still belong to the document. */
static mo_error write_reduced(const char *out, const mo_document *document, summary *written,
                              mo_message *why)
{
    mo_document local = *document;
    memset(local.facts, 0, sizeof local.facts); /* their facts refer to M, H and G */
    const size_t guesses_size = (size_t)document->guess_count * sizeof *local.guesses;
    mo_error error = mo_problem_reduce(document->problem, &local.problem, why);
    if (error) return error;
    drop_velocity(&local.solution);
    local.guesses = guesses_size ? malloc(guesses_size) : NULL;
    if (guesses_size && !local.guesses) {
        error = explain(MO_ERR_MEMORY, why, mo_error_text(MO_ERR_MEMORY));
    } else {
        for (int k = 0; k < document->guess_count; ++k) {
            local.guesses[k] = document->guesses[k];
            drop_velocity(&local.guesses[k]);
        }
        *written = summary_of(local.problem);
        error = mo_fclib_write(out, &local, why);
    }
    free(local.guesses);
    mo_problem_destroy(local.problem);
    return error;
}

static mo_error write_document(const call *c, const mo_document *document, summary *written,
                               mo_message *why)
{
    const mo_form form = mo_problem_form(document->problem);
    if (c->form == FORM_GLOBAL && form != MO_FORM_GLOBAL) {
        return explain(
            MO_ERR_UNSUPPORTED, why,
            "the file is in local form, which has no bodies; it cannot be converted to global form;"
            " leave out --form global");
    }
    if (c->form == FORM_LOCAL && form == MO_FORM_GLOBAL)
        return write_reduced(c->out, document, written, why);
    *written = summary_of(document->problem);
    return mo_fclib_write(c->out, document, why);
}

/* ---- the report ------------------------------------------------------------------------------ */

static int has_solution(const mo_document *document)
{
    const mo_point *s = &document->solution;
    return s->v || s->u || s->r;
}

static void report_json(const call *c, const mo_document *document, const summary *written)
{
    struct stat about;
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "file", c->in);
    json_text(&j, "out", c->out);
    summary_json(&j, written);
    json_truth(&j, "solution", has_solution(document));
    json_whole(&j, "guesses", document->guess_count);
    json_whole(&j, "out_bytes", stat(c->out, &about) == 0 ? (long long)about.st_size : 0);
    json_object_end(&j);
    json_end(&j);
}

static void report(const call *c, const mo_document *document, const summary *written)
{
    text_put(stdout, c->out);
    printf(": %s form, ", written->form);
    summary_put(stdout, written);
    printf("%s", has_solution(document) ? ", with its solution" : "");
    if (document->guess_count) {
        printf(" and %d %s", document->guess_count,
               document->guess_count == 1 ? "guess" : "guesses");
    }
    fputc('\n', stdout);
}

static int convert(const call *c)
{
    struct stat about;
    if (!c->force && lstat(c->out, &about) == 0) {
        return report_failure(c->out, "the file exists already; add --force to replace it",
                              c->json);
    }
    mo_message why = {{0}};
    mo_document document = {0};
    summary written;
    const char *file = c->in;
    mo_error error = mo_fclib_read(c->in, NULL, &document, &why);
    if (!error) {
        error = write_document(c, &document, &written, &why);
        file = error == MO_ERR_FILE ? c->out : c->in;
    }
    int status = EXIT_DONE;
    if (error)
        status = report_failure(file, text_of_error(file, error, &why), c->json);
    else if (c->json)
        report_json(c, &document, &written);
    else
        report(c, &document, &written);
    mo_document_clear(&document);
    return status;
}

/* The value of --form; 0 if invalid. */
static int read_form(const char *text, target_form *form)
{
    *form = !text ? FORM_SAME : strcmp(text, "local") == 0 ? FORM_LOCAL : FORM_GLOBAL;
    return *form != FORM_GLOBAL || strcmp(text, "global") == 0;
}

int command_convert(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT] = {
        [FLAG_FORM] = {.name = "form",
                       .operand = "local|global",
                       .text = "local: eliminate the bodies; global: keep them; default: as in IN"},
        [FLAG_FORCE] = {.name = "force", .text = "replace OUT if it exists"},
        [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
    };
    int count = 0;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &count);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    call c = {.in = argv[0],
              .force = flags[FLAG_FORCE].value != NULL,
              .json = flags[FLAG_JSON].value != NULL};
    if (!read_form(flags[FLAG_FORM].value, &c.form)) {
        say(COMMAND.name, "--form %.100s is neither local nor global", flags[FLAG_FORM].value);
        return EXIT_CALL;
    }
    int status = path_check(COMMAND.name, "OUT", argv[1], argv, 1);
    if (!status) {
        char *out = path_for(argv[1], argv[0], "");
        c.out = out;
        status = out ? convert(&c) : report_failure(c.in, mo_error_text(MO_ERR_MEMORY), c.json);
        free(out);
    }
    return status;
}
