/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau solve`: solves the contact problem of each FCLIB file and measures the solution. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "methods.h"
#include "moreau/moreau.h"
#include "number.h"
#include "option_flags.h"
#include "paths.h"
#include "progress.h"
#include "solve_report.h"
#include "text.h"

/* ---- the call -------------------------------------------------------------------------------- */

static const args_command COMMAND = {
    .name = "solve",
    .operands = "FILE...",
    .summary = "solve the contact problem of each FCLIB file",
    .about = "Reads each file, solves its problem and reports the residual, which "
             "is measured in the same way for every method, from the problem and "
             "the impulses alone.\n\nExit status: 0 if every file was solved, 1 "
             "if a file could not be read or was not solved to the tolerance, 2 "
             "for incorrect usage. Ctrl-C stops the solve and reports the best "
             "iterate; a second Ctrl-C ends the program.",
    .examples = "  moreau solve box.hdf5                        solve it with the default method\n"
                "  moreau solve box.hdf5 --out solved.hdf5      and save the solution\n"
                "  moreau solve box.hdf5 --method prox --tol 1e-10 --history box.csv\n"
                "  moreau solve rod.hdf5 --bound --explain      error bound, methods used\n"
                "  moreau solve problems/*.hdf5 --time-limit 10 --json > results.jsonl\n",
    .least = 1,
    .most = -1,
};

enum {
    FLAG_METHOD,
    FLAG_START,
    FLAG_OUT,
    FLAG_HISTORY,
    FLAG_BOUND,
    FLAG_EXPLAIN,
    FLAG_JSON,
    FLAG_OWN
};

static const args_flag OWN_FLAGS[FLAG_OWN] = {
    [FLAG_METHOD] = METHOD_ROW,
    [FLAG_START] = {.name = "start",
                    .operand = "zero|guess|solution",
                    .initial = "zero",
                    .text = "initial impulses: zero, the first guess of the file, or its solution"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FILE",
                  .text = "write the problem with its solution (r, u, and v of a global "
                          "problem) to this FCLIB file; FOLDER/ receives one file for each "
                          "input"},
    [FLAG_HISTORY] = {.name = "history",
                      .operand = "FILE",
                      .text = "write iteration, seconds, residual, residual_relative to this CSV "
                              "file; FOLDER/ receives one file for each input"},
    [FLAG_BOUND] = {.name = "bound",
                    .text = "compute a rigorous bound on the distance to a solution, where "
                            "possible"},
    [FLAG_EXPLAIN] =
        {.name = "explain",
         .text = "print the properties of the problem and the methods of auto, with times; if "
                 "unsolved, check whether a solution exists (moreau check)"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object per file, one per line"},
};

typedef enum start_kind { START_ZERO, START_GUESS, START_SOLUTION } start_kind;

typedef struct call {
    mo_options options;
    start_kind start;
    const char *out, *history; /* as given, or NULL */
    int bound, explain, json;
    char **files;
    int file_count;
} call;

/* The command's own flags, then one for each row of the option table; as new memory. */
static args_flag *make_flags(int *count)
{
    const mo_options defaults = mo_default_options();
    args_flag *flags = option_flags(OWN_FLAGS, FLAG_OWN, &defaults, count);
    if (flags) snprintf(flags[FLAG_METHOD].initial, sizeof flags->initial, "%s", method_default());
    return flags;
}

static int read_start(const char *text, start_kind *start)
{
    static const char *const names[] = {"zero", "guess", "solution"};
    *start = START_ZERO;
    for (int k = 0; text && k < 3; ++k) {
        if (strcmp(text, names[k]) == 0) {
            *start = (start_kind)k;
            return 1;
        }
    }
    return !text;
}

/* Reads the flags; an exit status. */
static int read_call(const args_flag *flags, int flag_count, call *c)
{
    c->options = mo_default_options();
    c->options.method = flags[FLAG_METHOD].value;
    if (method_check(COMMAND.name, c->options.method)) return EXIT_CALL;
    if (!read_start(flags[FLAG_START].value, &c->start)) {
        say(COMMAND.name, "--start %.100s is none of zero, guess, solution",
            flags[FLAG_START].value);
        return EXIT_CALL;
    }
    if (!option_flags_read(COMMAND.name, flags + FLAG_OWN, flag_count - FLAG_OWN, &c->options))
        return EXIT_CALL;
    c->bound = flags[FLAG_BOUND].value != NULL;
    c->explain = flags[FLAG_EXPLAIN].value != NULL;
    c->json = flags[FLAG_JSON].value != NULL;
    c->out = flags[FLAG_OUT].value;
    c->history = flags[FLAG_HISTORY].value;
    c->options.history = c->history != NULL;
    return EXIT_DONE;
}

/* The history must not replace an input or --out. */
static int history_is_apart(const call *c)
{
    int apart = !c->out || strcmp(c->out, c->history) != 0;
    for (int k = 0; k < c->file_count && apart; ++k)
        apart = !path_same(c->history, c->files[k]);
    return apart || path_is_folder(c->history);
}

static int check_outputs(const call *c)
{
    int status = EXIT_DONE;
    if (c->out) status = path_check(COMMAND.name, "--out", c->out, c->files, c->file_count);
    if (!status && c->history && !history_is_apart(c)) {
        say(COMMAND.name,
            "--history %.500s would overwrite another file of this call; name a CSV file",
            c->history);
        status = EXIT_CALL;
    }
    if (!status && c->history)
        status = path_check(COMMAND.name, "--history", c->history, c->files, c->file_count);
    return status;
}

/* ---- one file -------------------------------------------------------------------------------- */

/* Keeps the first error and its file. */
static void fail(outcome *o, const char *file, const char *sentence)
{
    if (!o->error.text[0]) {
        o->failed = file;
        snprintf(o->error.text, sizeof o->error.text, "%s", sentence);
    }
}

/* The initial impulses; 0 if the file does not contain them. */
static int choose_start(const call *c, const mo_document *document, outcome *o,
                        const double **start)
{
    *start = NULL;
    if (c->start == START_GUESS)
        *start = document->guess_count > 0 ? document->guesses[0].r : NULL;
    else if (c->start == START_SOLUTION)
        *start = document->solution.r;
    if (*start || c->start == START_ZERO || mo_problem_row_count(document->problem) == 0) return 1;
    fail(o, o->file,
         c->start == START_GUESS ? "the file holds no guess to start from; use --start zero"
                                 : "the file holds no solution to start from; use --start zero");
    return 0;
}

static void write_solution(const mo_document *document, outcome *o)
{
    mo_message why = {{0}};
    mo_document solved = *document; /* borrows all of it */
    solved.solution = (mo_point){o->result.v, o->result.u, o->result.r};
    const mo_error error = mo_fclib_write(o->out, &solved, &why);
    o->wrote_out = !error;
    if (error) fail(o, o->out, text_of_error(o->out, error, &why));
}

static void write_history(outcome *o)
{
    FILE *file = fopen(o->history, "w");
    if (file) {
        fputs("iteration,seconds,residual,residual_relative\n", file);
        for (int k = 0; k < o->result.history_count; ++k) {
            const mo_progress *row = &o->result.history[k];
            fprintf(file, "%d,%s,%s,%s\n", row->iteration, number_exact(row->seconds).text,
                    number_exact(row->residual).text, number_exact(row->residual_relative).text);
        }
        const int good = !ferror(file);
        o->wrote_history = fclose(file) == 0 && good;
    }
    if (!o->wrote_history) {
        char sentence[200];
        snprintf(sentence, sizeof sentence, "the history could not be written: %s",
                 strerror(errno));
        fail(o, o->history, sentence);
    }
}

/* Writes the requested files and keeps their names. */
static void write_outputs(const call *c, const mo_document *document, outcome *o)
{
    o->out = c->out ? path_for(c->out, o->file, "") : NULL;
    o->history = c->history ? path_for(c->history, o->file, ".csv") : NULL;
    if ((c->out && !o->out) || (c->history && !o->history)) {
        fail(o, o->file, mo_error_text(MO_ERR_MEMORY));
        return;
    }
    if (o->out) write_solution(document, o);
    if (o->history) write_history(o);
}

/* The additions of --bound and --explain. */
static void prove(const call *c, const mo_problem *problem, outcome *o)
{
    const mo_status status = o->result.status;
    mo_error error = MO_OK;
    if (c->bound) error = solve_proof_bound(problem, &o->result, &o->proof);
    if (!error && c->explain && status != MO_SOLVED && status != MO_CANCELLED)
        error = solve_proof_explain(problem, &o->result, &o->proof);
    if (error) fail(o, o->file, mo_error_text(error));
}

static int is_by_auto(const mo_result *result)
{
    return mo_method_describe(mo_method_find(result->method)).is_default;
}

static void solve_document(const call *c, int index, const mo_document *document, outcome *o)
{
    mo_options options = c->options;
    progress line = progress_start(o->file, index, c->file_count, options.tol);
    if (!choose_start(c, document, o, &options.start)) return;
    options.progress = progress_show;
    options.progress_user = &line;
    const mo_error error = mo_solve(document->problem, &options, &o->result);
    progress_end(&line);
    if (error) {
        fail(o, o->file, text_of_error(o->file, error, &o->result.message));
        return;
    }
    o->ran = 1;
    o->problem = summary_of(document->problem);
    mo_measure_scaled(document->problem, o->result.r, &o->scaled);
    if (o->problem.dofs) mo_measure_global(document->problem, o->result.v, o->result.r, &o->global);
    o->is_explained = c->explain && is_by_auto(&o->result);
    prove(c, document->problem, o);
    write_outputs(c, document, o);
}

static void solve_file(const call *c, int index, outcome *o)
{
    mo_message why = {{0}};
    mo_document document = {0};
    const mo_error error = mo_fclib_read(o->file, NULL, &document, &why);
    if (error)
        fail(o, o->file, text_of_error(o->file, error, &why));
    else
        solve_document(c, index, &document, o);
    mo_document_clear(&document);
}

/* ---- all files ------------------------------------------------------------------------------- */

static int name_width(const call *c)
{
    enum { LEAST = 4, MOST = 44 };
    int width = LEAST;
    for (int k = 0; k < c->file_count; ++k) {
        const int w = text_width(c->files[k]);
        width = w > width ? w : width;
    }
    return width < MOST ? width : MOST;
}

static void report(const call *c, const outcome *o, int width)
{
    if (c->json)
        outcome_json(o);
    else if (c->file_count > 1)
        outcome_row(o, width);
    else
        outcome_put(o);
    if (o->error.text[0]) {
        say_of_file(o->failed, "%s", o->error.text);
    } else if (c->json && !outcome_is_solved(o)) { /* standard output is for programs */
        say_of_file(o->file, "not solved (%s): relative residual %.2g, tolerance %.2g",
                    mo_status_name(o->result.status), o->result.residual.natural_relative, o->tol);
    }
}

static int solve_files(const call *c)
{
    const int table = !c->json && c->file_count > 1, width = name_width(c);
    int solved = 0, done = 0;
    double seconds = 0;
    mo_result result = {0}; /* its memory is reused for all files */
    if (table) outcome_head(width);
    while (done < c->file_count && !interrupt_came() && output_is_good()) {
        outcome o = {.file = c->files[done],
                     .tol = c->options.tol,
                     .threads = c->options.threads,
                     .result = result};
        solve_file(c, done, &o);
        report(c, &o, width);
        solved += outcome_is_solved(&o);
        seconds += o.ran ? o.result.seconds : 0;
        result = o.result;
        free(o.out);
        free(o.history);
        ++done;
    }
    mo_result_clear(&result);
    if (table) outcome_total(solved, c->file_count, c->options.tol, seconds);
    if (done < c->file_count && interrupt_came()) {
        say(COMMAND.name, "interrupted with %s left",
            number_count(c->file_count - done, "file").text);
    }
    return solved == c->file_count ? EXIT_DONE : EXIT_FAILED;
}

int command_solve(int argc, char **argv)
{
    call c = {.files = argv};
    int flag_count = 0;
    args_flag *flags = make_flags(&flag_count);
    if (!flags) {
        say(COMMAND.name, "memory ran out");
        return EXIT_FAILED;
    }
    const args_answer answer = args_parse(&COMMAND, flags, flag_count, argc, argv, &c.file_count);
    int status = answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (answer == ARGS_RUN) {
        status = read_call(flags, flag_count, &c);
        status = status ? status : check_outputs(&c);
        if (!status) {
            c.options.cancel = interrupt_watch();
            status = solve_files(&c);
        }
    }
    free(flags);
    return status;
}
