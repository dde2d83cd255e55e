/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench sweep`: time of a Gauss-Seidel sweep over contacts of each kind, compared with
 * reading the same bytes.
 *
 *   balls    central contacts of a packing, in vector lanes
 *   bricks   a wall: general contacts in manifolds of four, in lanes
 *   stones   a packing: general contacts in manifolds of one and of two, in lanes
 *   rows     the packing of balls with compliance, which keeps contacts in rows
 *
 * The timed call is mo_solve with nsgs, started after WARM_UP sweeps: the fastest of SAMPLES calls
 * with SWEEPS sweeps and with twice as many.  Their difference over SWEEPS is one sweep, without
 * set-up and residuals.  Reads alternate with the sweeps and take as long.  One thread is timed in
 * processor time, several in wall time.
 *
 * The bytes are those that one sweep reads, each once, without the padding of lanes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "number.h"
#include "progress.h"
#include "scenes.h"
#include "text.h"

static const char *const COMMAND = "bench";

enum {
    CONTACTS = 1000000, /* where --contacts is not given */
    CONTACTS_LEAST = 1000,
    CONTACTS_MOST = 50000000,
    SEED = 1,
    WARM_UP = 32,
    SAMPLES = 5,
    SWEEPS = 16, /* twice this number is the longest interval between checks */
    RUNS_MOST = 3,
    CASES = 4
};

static const double COARSE = 1e-5; /* tolerance at which small problems are swept in lanes too */
static const double MOMENTUM = 10; /* the momentum of auto */
static const double SHAKE = 0.1;   /* m/s: of the bricks, as of the balls */

/* ---- the problems ---------------------------------------------------------------------------- */

typedef struct sweep_case {
    const char *name, *text;
    /* Numbers that a sweep reads of a contact: n, w, mu and two inverses, arms, r and r before;
       in rows W, J, J M^-1, w, r and r before. */
    double contact;
    double body; /* of a body: its line and that before; with its inertia for general contacts */
    scene_grain grain;
    int is_wall;
} sweep_case;

static const sweep_case LIST[CASES] = {
    {"balls", "central contacts, in lanes", 3 + 3 + 3 + 2 + 6, 16, SCENE_BALLS, 0},
    {"bricks", "general contacts, four a pair, in lanes", 3 + 3 + 3 + 6 + 6, 24, SCENE_BALLS, 1},
    {"stones", "general contacts, one or two a pair, in lanes", 3 + 3 + 3 + 6 + 6, 24, SCENE_STONES,
     0},
    {"rows", "contacts in rows", 9 + 36 + 36 + 3 + 6, 16, SCENE_SOFT_BALLS, 0}};

static mo_error build(const sweep_case *of, int contacts, mo_problem **problem, mo_message *why)
{
    if (!of->is_wall) return scene_packing_of(of->grain, contacts, SEED, problem, why);
    scene_wall_def wall = scene_wall_default();
    wall.courses = wall.length = (int)ceil(sqrt(contacts / 8.0)); /* eight contacts a brick */
    wall.shake = SHAKE;
    return scene_wall(&wall, problem, why);
}

/* ---- results --------------------------------------------------------------------------------- */

/* On one number of threads; seconds. */
typedef struct sweep_run {
    int threads;
    double sweep, stream;
    int same_bits; /* r is the same as on one thread */
} sweep_run;

typedef struct sweep_report {
    const sweep_case *of;
    int contacts, bodies;
    double touched, all; /* bytes */
    double apart, stuck, sliding;
    int run_count;
    sweep_run runs[RUNS_MOST];
} sweep_report;

/* ---- timing ---------------------------------------------------------------------------------- */

static double clock_of(int threads)
{
    return threads == 1 ? machine_processor_clock() : machine_clock();
}

static mo_options options_of(int threads, int sweeps, const double *start)
{
    mo_options options = mo_default_options();
    options.method = "nsgs";
    options.tol = COARSE;
    options.threads = threads;
    options.max_iter = sweeps;
    options.nsgs.momentum = MOMENTUM;
    options.start = start;
    return options;
}

static double timed_solve(const mo_problem *problem, const mo_options *options, mo_result *result,
                          mo_error *error)
{
    const double start = clock_of(options->threads);
    *error = *error ? *error : mo_solve(problem, options, result);
    return clock_of(options->threads) - start;
}

/* Seconds of one pass over so many bytes: the mean of as many as take so long, and at least one. */
static double timed_read(const double *buffer, size_t bytes, int threads, double seconds)
{
    static volatile double sink; /* so the reads are not optimised away */
    const double start = clock_of(threads);
    double passed = 0;
    int passes = 0;
    do {
        sink = machine_read(buffer, bytes, threads);
        passed = clock_of(threads) - start;
        ++passes;
    } while (passed < seconds);
    (void)sink;
    return passed / passes;
}

static mo_error time_run(const mo_problem *problem, const double *start, const double *buffer,
                         const sweep_report *report, sweep_run *run, mo_result *result)
{
    const mo_options few = options_of(run->threads, SWEEPS, start),
                     many = options_of(run->threads, 2 * SWEEPS, start);
    double least_few = INFINITY, least_many = INFINITY;
    mo_error error = MO_OK;
    run->stream = INFINITY;
    for (int k = 0; k < SAMPLES && !error; ++k) {
        least_few = fmin(least_few, timed_solve(problem, &few, result, &error));
        least_many = fmin(least_many, timed_solve(problem, &many, result, &error));
        const double sweeps = least_many - least_few;
        run->sweep = sweeps > 0 ? sweeps / SWEEPS : NAN; /* other processes used the processors */
        const double pass =
            timed_read(buffer, (size_t)report->touched, run->threads, fmax(sweeps, 0));
        run->stream = fmin(run->stream, pass);
    }
    return error;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_states(const mo_problem *problem, const double *r, sweep_report *report)
{
    int apart = 0, sliding = 0;
    for (int i = 0; i < report->contacts; ++i, r += 3) {
        const double mu = mo_problem_constraint(problem, i).law.mu;
        apart += r[0] <= 0;
        sliding += r[0] > 0 && hypot(r[1], r[2]) >= (1 - 1e-12) * mu * r[0];
    }
    report->apart = (double)apart / report->contacts;
    report->sliding = (double)sliding / report->contacts;
    report->stuck = 1 - report->apart - report->sliding;
}

static void show_case(const sweep_case *of, int threads)
{
    progress_line("%s: sweeps on %s", of->name, number_count(threads, "thread").text);
}

/* ---- the whole of it ------------------------------------------------------------------------- */

/* One thread, two where there are as many cores, and every core of a larger machine. */
static void choose_threads(sweep_report *report)
{
    const int cores = machine_cores();
    report->run_count = cores > 2 ? 3 : cores;
    report->runs[0].threads = 1;
    report->runs[1].threads = 2;
    report->runs[2].threads = cores;
}

/* A buffer with distinct pages; untouched zeros could be one page, mapped many times. */
static double *make_buffer(size_t bytes)
{
    const size_t count = bytes / sizeof(double);
    double *buffer = malloc(bytes);
    for (size_t k = 0; buffer && k < count; ++k)
        buffer[k] = (double)k;
    return buffer;
}

static mo_error time_all(const mo_problem *problem, const double *start, const double *buffer,
                         mo_result *result, double *first_r, sweep_report *report)
{
    const size_t r_bytes = (size_t)mo_problem_row_count(problem) * sizeof(double);
    for (int k = 0; k < report->run_count; ++k) {
        show_case(report->of, report->runs[k].threads);
        const mo_error error = time_run(problem, start, buffer, report, &report->runs[k], result);
        if (error) return error;
        if (k == 0) memcpy(first_r, result->r, r_bytes);
        report->runs[k].same_bits = memcmp(first_r, result->r, r_bytes) == 0;
    }
    count_states(problem, first_r, report);
    return MO_OK;
}

/* The solve whose memory is counted; its r is where the timed sweeps start. */
static mo_error warm_up(const mo_problem *problem, mo_result *result, sweep_report *report)
{
    const mo_options options = options_of(1, WARM_UP, NULL);
    const mo_error error = mo_solve(problem, &options, result);
    const double vectors =
        sizeof(double) * (mo_problem_dof_count(problem) + 2.0 * mo_problem_row_count(problem));
    report->all = (double)mo_problem_bytes(problem) + (double)result->bytes + vectors;
    report->touched = sizeof(double) *
                      (report->of->contact * report->contacts + report->of->body * report->bodies);
    return error;
}

static mo_error measure(const mo_problem *problem, sweep_report *report)
{
    mo_result result = {0};
    report->contacts = mo_problem_constraint_count(problem);
    report->bodies = mo_problem_body_count(problem);
    mo_error error = warm_up(problem, &result, report);
    const size_t r_bytes = (size_t)mo_problem_row_count(problem) * sizeof(double);
    double *start = malloc(r_bytes), *first_r = malloc(r_bytes);
    double *buffer = make_buffer((size_t)report->touched);
    if (!error && !(start && first_r && buffer)) error = MO_ERR_MEMORY;
    if (!error) {
        memcpy(start, result.r, r_bytes);
        choose_threads(report);
        error = time_all(problem, start, buffer, &result, first_r, report);
    }
    free(start);
    free(first_r);
    free(buffer);
    mo_result_clear(&result);
    return error;
}

static mo_error measure_case(int contacts, sweep_report *report, mo_message *why)
{
    mo_problem *problem;
    show_case(report->of, 1);
    mo_error error = build(report->of, contacts, &problem, why);
    error = error ? error : measure(problem, report);
    mo_problem_destroy(problem);
    return error;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The time of a visit over that of a ball on as many threads. */
static double over_balls(const sweep_report *reports, const sweep_report *report, int k)
{
    return report->runs[k].sweep / report->contacts / (reports->runs[k].sweep / reports->contacts);
}

static void print_report(const sweep_report *reports)
{
    printf("One sweep, and reading the same bytes once, in ns a contact: best of %d\n\n", SAMPLES);
    printf("          contacts   bodies    apart stuck slide  bytes read  in all  threads   sweep"
           "  stream   ratio  over balls  same bits\n");
    for (int c = 0; c < CASES; ++c) {
        const sweep_report *report = reports + c;
        const double n = report->contacts, to_ns = 1e9 / n;
        for (int k = 0; k < report->run_count; ++k) {
            const sweep_run *run = report->runs + k;
            if (k == 0) {
                printf("%-8s %9d %8d   %4.0f%% %4.0f%% %4.0f%%  %10.0f  %6.0f", report->of->name,
                       report->contacts, report->bodies, 100 * report->apart, 100 * report->stuck,
                       100 * report->sliding, report->touched / n, report->all / n);
            } else {
                printf("%66s", "");
            }
            printf("  %7d %7.1f %7.2f %7.2f %11.2f  %s\n", run->threads, to_ns * run->sweep,
                   to_ns * run->stream, run->sweep / run->stream, over_balls(reports, report, k),
                   run->same_bits ? "yes" : "NO");
        }
    }
    printf("\n");
    for (int c = 0; c < CASES; ++c)
        printf("%-8s %s\n", LIST[c].name, LIST[c].text);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_case(json *j, const sweep_report *reports, const sweep_report *report)
{
    const double n = report->contacts;
    json_object(j, NULL);
    json_text(j, "name", report->of->name);
    json_whole(j, "contacts", report->contacts);
    json_whole(j, "bodies", report->bodies);
    json_number(j, "bytes", report->all / n);
    json_number(j, "bytes_touched", report->touched / n);
    json_number(j, "apart", report->apart);
    json_number(j, "stuck", report->stuck);
    json_number(j, "sliding", report->sliding);
    json_array(j, "runs");
    for (int k = 0; k < report->run_count; ++k) {
        const sweep_run *run = &report->runs[k];
        json_object(j, NULL);
        json_whole(j, "threads", run->threads);
        json_number(j, "sweep_ns", 1e9 * run->sweep / n);
        json_number(j, "stream_ns", 1e9 * run->stream / n);
        json_number(j, "ratio", run->sweep / run->stream);
        json_number(j, "over_balls", over_balls(reports, report, k));
        json_truth(j, "same_bits", run->same_bits);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

static void print_json(const sweep_report *reports)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "sweep");
    json_array(&j, "cases");
    for (int c = 0; c < CASES; ++c)
        json_case(&j, reports, reports + c);
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------- */

int bench_sweep(const experiment_call *asked)
{
    sweep_report reports[CASES] = {0};
    const int contacts = asked_contacts(asked, CONTACTS, CONTACTS_LEAST, CONTACTS_MOST);
    mo_message why = {""};
    mo_error error = MO_OK;
    if (contacts == 0 || asked_for_no_files(asked, "sweep")) return EXIT_CALL;
    const progress_clock clock = progress_begin();
    for (int c = 0; c < CASES && !error; ++c) {
        reports[c].of = LIST + c;
        error = measure_case(contacts, reports + c, &why);
        progress_expect_rest(&clock, c + 1, CASES);
    }
    progress_line("%s", "");
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    if (asked->json)
        print_json(reports);
    else
        print_report(reports);
    return output_is_good() ? EXIT_DONE : EXIT_FAILED;
}
