/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench solvers`: time of every method on every problem to each target residual.
 *
 * A trial runs one solver on one problem in a separate process (trial.h, child.h).  The board
 * stores the results (board.h), and report.h prints them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "asked.h"
#include "bench.h"
#include "board.h"
#include "child.h"
#include "exit_status.h"
#include "experiments.h"
#include "methods.h"
#include "moreau/moreau.h"
#include "ours.h"
#include "peer.h"
#include "progress.h"
#include "report.h"
#include "results.h"
#include "temporary.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "bench solvers",
    .operands = "[FILE|FOLDER...]",
    .summary = "time of every method on every problem to a given residual",
    .about =
        "Each method solves each problem to each target. Problems are FCLIB files, all FCLIB files"
        " below folders or, by default, scenes of the library. The time is that of the fastest of"
        " a few runs on one thread; each run starts from a fresh problem. The residual is computed"
        " from r alone, in the same way for all methods.\n\n"
        "With --against siconos, the solvers of Siconos solve the same problems. Their answers are"
        " judged by our measure of r: each solver gets the tolerance that corresponds to the"
        " target, and a tighter one until our measure meets the target. Only the call of the"
        " solver is timed.\n\n"
        "--out writes runs.csv with every run, and performance profiles as tables and figures."
        " --peer-results reuses the peer's runs in such a file.",
    .examples = "  moreau bench solvers\n"
                "  moreau bench solvers problems/ --time-limit 2 --out board\n"
                "  moreau bench solvers box.hdf5 --methods auto,nsgs --targets 1e-6\n"
                "  moreau bench solvers problems/ --against siconos --out board\n"
                "  moreau bench solvers problems/ --methods auto --peer-results board/runs.csv\n"
                "  moreau bench solvers problems/ --methods auto --keep bench/results/laptop\n",
    .least = 0,
    .most = -1,
};

enum {
    FLAG_METHODS,
    FLAG_TARGETS,
    FLAG_TIME,
    FLAG_REPEATS,
    FLAG_AGAINST,
    FLAG_CONFIGURATIONS,
    FLAG_RESULTS,
    FLAG_OUT,
    FLAG_KEEP,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_METHODS] = {.name = "methods",
                      .operand = "A,B",
                      .text = "only these methods; moreau solvers lists them",
                      .initial = "all"},
    [FLAG_TARGETS] = {.name = "targets",
                      .operand = "X,Y",
                      .text = "target residuals, the loosest first",
                      .initial = "1e-4,1e-8"},
    [FLAG_TIME] = {.name = "time_limit",
                   .operand = "X",
                   .text = "maximum processor time of one run, in s",
                   .initial = "5"},
    [FLAG_REPEATS] =
        {.name = "repeats",
         .operand = "N",
         .text = "number of runs, of which the fastest counts; up to ten times as many if they"
                 " take microseconds, fewer if they take long",
         .initial = "3"},
    [FLAG_AGAINST] = {.name = "against",
                      .operand = "siconos",
                      .text = "also run the solvers of Siconos, if available in this build"},
    [FLAG_CONFIGURATIONS] = {.name = "configurations",
                             .operand = "A,B",
                             .text = "only these configurations of the peer",
                             .initial = "all"},
    [FLAG_RESULTS] =
        {.name = "peer_results",
         .operand = "FILE",
         .text = "reuse the peer's runs of an earlier runs.csv; with --against, run the peer on"
                 " other problems"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FOLDER",
                  .text = "write runs.csv and the performance profiles to this folder"},
    [FLAG_KEEP] = {.name = "keep",
                   .operand = "FOLDER",
                   .text = "store the times of our methods on this machine, with commit, compiler "
                           "and flags, and draw the profiles; moreau bench slower compares them"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

enum { METHODS_MOST = 64, ANSWER_SIZE = 4096 };

typedef struct call {
    trial_call trial;
    const char *methods[METHODS_MOST];
    int method_count;
    const char *against, *configurations, *results; /* as given, or NULL */
    const char *out, *kept;
    int json;
} call;

/* ---- the call -------------------------------------------------------------------------------- */

/* A number after a flag; false if it is none within its range; the error is reported. */
static int read_number(const args_flag *flag, double least, double most, int whole, double *value)
{
    char *end;
    *value = strtod(flag->value, &end);
    if (end == flag->value || *end || !(*value >= least && *value <= most) ||
        (whole && *value != floor(*value))) {
        say(COMMAND.name, "--%s needs a %snumber from %g to %g, not '%.60s'",
            flag->name[0] == 't' ? "time-limit" : flag->name, whole ? "whole " : "", least, most,
            flag->value);
        return 0;
    }
    return 1;
}

static int read_targets(const char *text, trial_call *trial)
{
    trial->target_count = 0;
    while (trial->target_count < TRIAL_TARGETS_MOST) {
        char *end;
        const double value = strtod(text, &end);
        const int k = trial->target_count;
        if (end == text || (*end && *end != ',') || !(value > 0 && value < 1) ||
            (k > 0 && value >= trial->targets[k - 1]))
            break;
        trial->targets[trial->target_count++] = value;
        if (!*end) return 1;
        text = end + 1;
    }
    say(COMMAND.name, "--targets needs up to %d numbers below 1, falling, as in 1e-4,1e-8",
        TRIAL_TARGETS_MOST);
    return 0;
}

/* The names between the commas, each of them a method. */
static int read_methods(const char *text, call *c)
{
    char name[64];
    for (c->method_count = 0; text && c->method_count < METHODS_MOST;) {
        const size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        const int index = mo_method_find(name);
        if (index < 0) {
            method_say_unknown(COMMAND.name, name);
            return 0;
        }
        c->methods[c->method_count++] = mo_method_describe(index).name;
        text = text[length] ? text + length + 1 : NULL;
    }
    return 1;
}

static void take_all_methods(call *c)
{
    for (int k = 0; k < mo_method_count() && k < METHODS_MOST; ++k)
        c->methods[c->method_count++] = mo_method_describe(k).name;
}

static int read_call(const args_flag *flags, call *c)
{
    double repeats = 3;
    c->trial = (trial_call){.targets = {1e-4, 1e-8}, .target_count = 2, .time_limit = 5};
    if ((flags[FLAG_TIME].value &&
         !read_number(&flags[FLAG_TIME], 1e-3, 1e6, 0, &c->trial.time_limit)) ||
        (flags[FLAG_REPEATS].value && !read_number(&flags[FLAG_REPEATS], 1, 1e6, 1, &repeats)) ||
        (flags[FLAG_TARGETS].value && !read_targets(flags[FLAG_TARGETS].value, &c->trial)) ||
        (flags[FLAG_METHODS].value && !read_methods(flags[FLAG_METHODS].value, c)))
        return 0;
    if (!flags[FLAG_METHODS].value) take_all_methods(c);
    c->trial.repeats = (int)repeats;
    c->against = flags[FLAG_AGAINST].value;
    c->configurations = flags[FLAG_CONFIGURATIONS].value;
    c->results = flags[FLAG_RESULTS].value;
    c->out = flags[FLAG_OUT].value;
    c->kept = flags[FLAG_KEEP].value;
    c->json = flags[FLAG_JSON].value != NULL;
    return 1;
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* A progress line on the terminal. */
static void show(const board *b, int problem, const char *of, const char *solver)
{
    progress_line("[%d/%d] %.32s %s%s%s", problem + 1, b->problem_count, b->problems[problem].name,
                  of, of[0] ? " " : "", solver);
}

/* Sorts the lines of a trial into the board; a target without a line gets the status of the
 * process. */
static void keep(board *b, int problem, int is_peer, const char *solver, child_end end,
                 const char *answer)
{
    const char *fate = end == CHILD_REFUSED                     ? trial_refused
                       : end == CHILD_DONE || end == CHILD_TIME ? trial_time_limit
                                                                : trial_crashed;
    for (int t = 0; t < b->call.target_count; ++t) {
        trial_line line = {.target = b->call.targets[t], .seconds = NAN, .residual = NAN};
        snprintf(line.status, sizeof line.status, "%s", fate);
        for (const char *at = answer; at; at = strchr(at, '\n')) {
            trial_line found;
            at += *at == '\n';
            if (*at && trial_parse(at, &found) && found.target == line.target) line = found;
        }
        board_add(b, problem, t, is_peer, solver, &line);
    }
}

/* Longer than any trial that ends by its own alarms. */
static double patience(const trial_call *trial)
{
    return 30 + trial->target_count * (10 + 20 * trial->time_limit);
}

static void try_ours(board *b, const call *c, const bench_cases *cases, int problem)
{
    for (int k = 0; k < c->method_count; ++k) {
        char answer[ANSWER_SIZE];
        const ours_input input = {&cases->list[problem], c->methods[k], &c->trial};
        show(b, problem, "", c->methods[k]);
        const child_end end =
            child_run(ours_try, &input, patience(&c->trial), answer, sizeof answer);
        keep(b, problem, 0, c->methods[k], end, answer);
    }
}

/* Every configuration on one problem.  Unsupported ones are skipped. */
static void try_peer(board *b, const call *c, const peer *p, const bench_cases *cases, int problem,
                     const char *folder)
{
    char path[PEER_PATH_SIZE];
    if (!peer_file(&cases->list[problem], folder, path, sizeof path)) return;
    for (int k = 0; k < p->config_count; ++k) {
        char answer[ANSWER_SIZE];
        const peer_input input = {p, k, path, &c->trial};
        show(b, problem, p->name, p->configs[k]);
        const child_end end =
            child_run(peer_try, &input, patience(&c->trial), answer, sizeof answer);
        if (end != CHILD_REFUSED) keep(b, problem, 1, p->configs[k], end, answer);
    }
    if (!cases->list[problem].path) unlink(path);
}

/* The peer's part: from the file of results, then by trials of the missing runs.  An exit
 * status. */
static int add_peer(board *b, const call *c, const bench_cases *cases)
{
    peer p;
    mo_message why = {""};
    char folder[TEMPORARY_PATH];
    b->peer = "siconos";
    if (c->results && report_read_peer(b, c->results) < 0) return EXIT_FAILED;
    if (!c->against) return EXIT_DONE;
    if (!peer_open(c->against, c->configurations, &p, &why)) {
        say(COMMAND.name, "%s", why.text);
        return EXIT_FAILED;
    }
    if (!temporary_folder(folder)) {
        say(COMMAND.name, "no folder for temporary files could be created: %s", strerror(errno));
        return EXIT_FAILED;
    }
    for (int k = 0; k < b->problem_count; ++k)
        if (!board_has_peer(b, k, 0)) try_peer(b, c, &p, cases, k, folder);
    rmdir(folder);
    return EXIT_DONE;
}

/* ---- the whole of it ------------------------------------------------------------------------- */

/* Size and form of each problem; those that cannot be read are named and end the call. */
static int describe(const bench_cases *cases, board *b)
{
    b->problems = calloc((size_t)cases->count, sizeof *b->problems);
    if (!b->problems) {
        say(COMMAND.name, "memory ran out");
        return 0;
    }
    for (int k = 0; k < cases->count; ++k) {
        mo_problem *problem;
        mo_message why = {""};
        const mo_error error = bench_case_load(&cases->list[k], &problem, &why);
        if (error) {
            const char *file = cases->list[k].path ? cases->list[k].path : cases->list[k].name;
            say_of_file(file, "%s", text_of_error(file, error, &why));
            return 0;
        }
        b->problems[b->problem_count++] =
            (board_problem){cases->list[k].name, mo_problem_constraint_count(problem),
                            mo_problem_row_count(problem), mo_problem_form(problem)};
        mo_problem_destroy(problem);
    }
    return 1;
}

static int report(const board *b, const call *c)
{
    if (b->failed) {
        say(COMMAND.name, "memory ran out");
        return EXIT_FAILED;
    }
    if (c->json)
        report_json(b);
    else
        report_print(b);
    int written = c->out ? report_write(b, c->out, REPORT_ALL) : EXIT_DONE;
    written = c->kept && written == EXIT_DONE ? results_keep(b, c->kept) : written;
    if (c->out && !c->json && written == EXIT_DONE) {
        printf("\nIn ");
        text_put(stdout, c->out);
        printf(": runs.csv, profile-TARGET.csv, profile-TARGET.svg\n");
    }
    return output_is_good() ? written : EXIT_FAILED;
}

static int run(const call *c, const bench_cases *cases)
{
    board b = {.call = c->trial, .standard = method_default()};
    int status = EXIT_FAILED;
    if (describe(cases, &b)) {
        status = c->against || c->results ? add_peer(&b, c, cases) : EXIT_DONE;
        const progress_clock clock = progress_begin();
        for (int p = 0; p < b.problem_count && status == EXIT_DONE; ++p) {
            try_ours(&b, c, cases, p);
            progress_expect_rest(&clock, p + 1, b.problem_count);
        }
        progress_line("%s", "");
        status = status == EXIT_DONE ? report(&b, c) : status;
    }
    board_clear(&b);
    return status;
}

/* The cases, and the benchmark on them. */
static int run_on(const call *c, char **paths, int count)
{
    bench_cases cases = {0};
    mo_message why = {""};
    int status = EXIT_FAILED;
    if (bench_cases_find(paths, count, &cases, &why))
        status = run(c, &cases);
    else
        say(COMMAND.name, "%s", why.text);
    bench_cases_clear(&cases);
    return status;
}

int bench_solvers_command(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    call c = {.out = NULL};
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (!read_call(flags, &c)) return EXIT_CALL;
    return asked_folder(COMMAND.name, c.out) ? EXIT_FAILED : run_on(&c, argv, operands);
}

int bench_solvers(const experiment_call *asked)
{
    args_flag flags[FLAG_COUNT];
    call c = {.out = NULL};
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_OUT].value = asked->out;
    flags[FLAG_JSON].value = asked->json ? "" : NULL;
    if (!read_call(flags, &c)) return EXIT_CALL;
    return asked_folder(COMMAND.name, c.out) ? EXIT_FAILED : run_on(&c, NULL, 0);
}
