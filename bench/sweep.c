/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench sweep`: one Gauss-Seidel sweep over a packing of spheres, beside streaming the same
 * bytes.
 *
 * A sweep visits every contact once: it reads the contact's numbers, solves the contact exactly,
 * and moves the two bodies.  It cannot be faster than reading those numbers; how much slower it is
 * says how well the arithmetic and the order of the visits are hidden behind memory.
 *
 *   What is timed.  Sweeps of nsgs through mo_solve.  It calls back at each residual check, so the
 *   time between two calls is K sweeps and a check, and with a check after every sweep it is 1
 *   sweep and a check; the difference of both over K - 1 is one sweep, with no part of the set-up
 *   or of the checks in it.  After each K sweeps the buffer is read over and over for as long as
 *   they took: sweeps and streams alternate in one run, and whoever else uses the machine slows
 *   both alike.
 *
 *   What is counted.  `touched`: what one sweep reads, each byte once.  For each contact W_ii (9
 *   numbers), its whitened Jacobians (18 for each body), w and r (3 each) and its indices (28 bytes
 *   and 4 for each body); for each body its velocity (6).  r and the velocities are written too,
 *   and a body is visited by about six contacts: neither is counted twice.  `all`: everything the
 *   problem, its view and the solver hold.
 *
 *   Memory.  The library's own figures (problem, view, workspace, vectors of the result), and the
 *   peak of the process over one complete solve, building included, before the buffers of this
 *   benchmark are made.
 *
 * The sweeps start after WARM_UP others, so that contacts are apart, stuck and sliding as in a real
 * solve.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"
#include "bench.h"
#include "command.h"
#include "experiments.h"
#include "json.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "number.h"
#include "scenes.h"
#include "text.h"

static const char *const COMMAND = "bench";

enum {
    CONTACTS = 1000000, /* where --contacts is not given                */
    CONTACTS_LEAST = 1000,
    CONTACTS_MOST = 50000000,
    SEED = 1,
    WARM_UP = 20, /* sweeps before the first that is timed        */
    SAMPLES = 5,
    SWEEPS = 16, /* K: sweeps in one sample                      */
    RUNS_MOST = 3
};

/* ---- what is found --------------------------------------------------------------------------- */

typedef struct timing {
    double best, median; /* seconds */
} timing;

/* On one number of threads. */
typedef struct sweep_run {
    int threads;
    timing sweep, check, stream, stream_all;
    int same_bits; /* r is the same as on one thread */
} sweep_run;

typedef struct sweep_report {
    int contacts, bodies;
    double build_seconds, setup_seconds;
    double touched, all, peak;    /* bytes */
    double apart, stuck, sliding; /* shares of the contacts */
    int run_count;
    sweep_run runs[RUNS_MOST];
} sweep_report;

/* ---- timing ---------------------------------------------------------------------------------- */

/* What the call back works with, and the samples it takes. */
typedef struct stopwatch {
    const double *buffer;
    size_t touched, all;
    int threads, calls;
    int reads;   /* the streams are wanted too    */
    double left; /* when the last call back ended */
    double between[SAMPLES], stream[SAMPLES], stream_all[SAMPLES];
    volatile double sink; /* so that the reads are not optimised away */
} stopwatch;

/* Seconds of one pass over so many bytes: the mean of as many as take so long, and at least one. */
static double timed_read(stopwatch *watch, size_t bytes, double seconds)
{
    const double start = machine_clock();
    double passed = 0;
    int passes = 0;
    do {
        watch->sink = machine_read(watch->buffer, bytes, watch->threads);
        passed = machine_clock() - start;
        ++passes;
    } while (passed < seconds);
    return passed / passes;
}

static void at_check(void *user, const mo_progress *now, const double *r)
{
    (void)now;
    (void)r;
    stopwatch *watch = user;
    const double entered = machine_clock();
    const int sample = watch->calls++ - 1; /* the first call only starts the watch */
    if (sample >= 0 && sample < SAMPLES) {
        const double between = watch->between[sample] = entered - watch->left;
        if (watch->reads) {
            watch->stream[sample] = timed_read(watch, watch->touched, between);
            watch->stream_all[sample] = timed_read(watch, watch->all, between / 2);
        }
    }
    watch->left = machine_clock();
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static timing summarise(double *samples)
{
    qsort(samples, SAMPLES, sizeof *samples, compare);
    return (timing){samples[0], samples[SAMPLES / 2]};
}

static timing difference(timing a, timing b, double over)
{
    return (timing){(a.best - b.best) / over, (a.median - b.median) / over};
}

/* ---- the solves ------------------------------------------------------------------------------ */

/* Sweeps in the coloured order, a check after each `every`, and no end but the last sweep. */
static mo_options options_of(int threads, int every, int sweeps)
{
    mo_options options = mo_default_options();
    options.method = "nsgs";
    options.tol = 0;
    options.threads = threads;
    options.max_iter = sweeps;
    options.nsgs.order = 2; /* coloured: what auto takes for large problems */
    options.nsgs.check_every = every;
    return options;
}

/* SAMPLES times `every` sweeps from the start, with the watch at every check. */
static mo_error watch_sweeps(const mo_problem *problem, const double *start, int every,
                             stopwatch *watch, mo_result *result)
{
    mo_options options = options_of(watch->threads, every, every * SAMPLES);
    options.start = start;
    options.progress = at_check;
    options.progress_user = watch;
    watch->calls = 0;
    return mo_solve(problem, &options, result);
}

static mo_error time_run(const mo_problem *problem, const double *start, stopwatch *watch,
                         sweep_run *run, mo_result *result)
{
    watch->threads = run->threads;
    watch->reads = 0;
    mo_error error = watch_sweeps(problem, start, 1, watch, result);
    const timing short_sample = summarise(watch->between);
    watch->reads = 1;
    error = error ? error : watch_sweeps(problem, start, SWEEPS, watch, result);
    const timing long_sample = summarise(watch->between);
    run->sweep = difference(long_sample, short_sample, SWEEPS - 1);
    run->check = difference(short_sample, run->sweep, 1);
    run->stream = summarise(watch->stream);
    run->stream_all = summarise(watch->stream_all);
    return error;
}

/* ---- counting -------------------------------------------------------------------------------- */

static double touched_bytes(const mo_problem *problem)
{
    const double number = sizeof(double), index = sizeof(int);
    double bytes = 6 * number * mo_problem_body_count(problem);
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const int bodies = mo_problem_constraint(problem, i).block_count;
        bytes += number * (9 + 18 * bodies + 3 + 3) + 28 + index * bodies;
    }
    return bytes;
}

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

/* A line on the terminal that says what is going on; an empty one erases it. */
static void show(const char *what)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s", what);
        fflush(stderr);
    }
}

static void show_threads(int threads)
{
    char text[64];
    snprintf(text, sizeof text, "timing sweeps on %s", number_count(threads, "thread").text);
    show(text);
}

/* ---- the whole of it ------------------------------------------------------------------------- */

/* One thread, two, and every core of a larger machine. */
static void choose_threads(sweep_report *report)
{
    const int cores = machine_cores();
    report->run_count = cores > 2 ? 3 : 2;
    report->runs[0].threads = 1;
    report->runs[1].threads = 2;
    report->runs[2].threads = cores;
}

/* A buffer that the system has really handed out: zeros could be one page, mapped many times. */
static double *make_buffer(size_t bytes)
{
    const size_t count = bytes / sizeof(double);
    double *buffer = malloc(bytes);
    for (size_t k = 0; buffer && k < count; ++k) {
        buffer[k] = (double)k;
    }
    return buffer;
}

static mo_error time_all(const mo_problem *problem, const double *start, const double *buffer,
                         mo_result *result, double *first_r, sweep_report *report)
{
    const size_t r_bytes = (size_t)mo_problem_row_count(problem) * sizeof(double);
    stopwatch watch = {
        .buffer = buffer, .touched = (size_t)report->touched, .all = (size_t)report->all};
    for (int k = 0; k < report->run_count; ++k) {
        show_threads(report->runs[k].threads);
        const mo_error error = time_run(problem, start, &watch, &report->runs[k], result);
        if (error) {
            return error;
        }
        if (k == 0) {
            memcpy(first_r, result->r, r_bytes);
        }
        report->runs[k].same_bits = memcmp(first_r, result->r, r_bytes) == 0;
    }
    count_states(problem, first_r, report);
    return MO_OK;
}

/* The solve whose memory is counted; its r is where the timed sweeps start. */
static mo_error warm_up(const mo_problem *problem, mo_result *result, sweep_report *report)
{
    const mo_options options = options_of(1, WARM_UP, WARM_UP);
    const mo_error error = mo_solve(problem, &options, result);
    const double vectors =
        sizeof(double) * (mo_problem_dof_count(problem) + 2.0 * mo_problem_row_count(problem));
    report->setup_seconds = result->setup_seconds;
    report->all = (double)mo_problem_bytes(problem) + (double)result->bytes + vectors;
    report->touched = touched_bytes(problem);
    report->peak = machine_peak_bytes();
    return error;
}

static mo_error measure(const mo_problem *problem, sweep_report *report)
{
    mo_result result = {0};
    mo_error error = warm_up(problem, &result, report);
    const size_t r_bytes = (size_t)mo_problem_row_count(problem) * sizeof(double);
    double *start = malloc(r_bytes), *first_r = malloc(r_bytes);
    double *buffer = make_buffer((size_t)report->all);
    if (!error && !(start && first_r && buffer)) {
        error = MO_ERR_MEMORY;
    }
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

/* ---- for a person ---------------------------------------------------------------------------- */

static void print_run(const sweep_report *report, const sweep_run *run)
{
    const double to_ns = 1e9 / report->contacts;
    printf("%7d %9.1f (%5.1f) %8.1f (%5.1f) %7.2f (%5.2f) %8.2f   %s\n", run->threads,
           to_ns * run->sweep.best, to_ns * run->sweep.median, to_ns * run->stream.best,
           to_ns * run->stream.median, run->sweep.best / run->stream.best,
           run->sweep.median / run->stream.median, run->sweep.best / run->stream_all.best,
           run->same_bits ? "yes" : "NO");
}

static void print_report(const sweep_report *report)
{
    const double n = report->contacts;
    printf("A packing of %s on %s bodies, built in %s.\n",
           number_count(report->contacts, "contact").text, number_whole(report->bodies).text,
           number_seconds(report->build_seconds).text);
    printf("  contacts   %.0f%% apart, %.0f%% stuck, %.0f%% sliding\n", 100 * report->apart,
           100 * report->stuck, 100 * report->sliding);
    printf("  memory     %.0f bytes a contact in the library, %.0f by the peak of the process\n",
           report->all / n, report->peak / n);
    printf("  set-up     %.2f us a contact\n", 1e6 * report->setup_seconds / n);
    printf("  a sweep    reads %.0f bytes a contact\n", report->touched / n);
    printf("\nOne sweep, and reading the same bytes, in ns a contact: best (median) of %d\n\n",
           SAMPLES);
    printf("threads       sweep             stream            ratio      of all    same\n"
           "                                                             bytes     bits\n");
    for (int k = 0; k < report->run_count; ++k) {
        print_run(report, &report->runs[k]);
    }
}

/* ---- for a program --------------------------------------------------------------------------- */

static void json_timing(json *j, const char *key, timing t, double contacts)
{
    json_object(j, key);
    json_number(j, "best", 1e9 * t.best / contacts);
    json_number(j, "median", 1e9 * t.median / contacts);
    json_object_end(j);
}

static void print_json(const sweep_report *report)
{
    const double n = report->contacts;
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "sweep");
    json_whole(&j, "contacts", report->contacts);
    json_whole(&j, "bodies", report->bodies);
    json_number(&j, "build_seconds", report->build_seconds);
    json_number(&j, "setup_ns", 1e9 * report->setup_seconds / n);
    json_number(&j, "bytes", report->all / n);
    json_number(&j, "bytes_peak", report->peak / n);
    json_number(&j, "bytes_touched", report->touched / n);
    json_number(&j, "apart", report->apart);
    json_number(&j, "stuck", report->stuck);
    json_number(&j, "sliding", report->sliding);
    json_array(&j, "runs");
    for (int k = 0; k < report->run_count; ++k) {
        const sweep_run *run = &report->runs[k];
        json_object(&j, NULL);
        json_whole(&j, "threads", run->threads);
        json_timing(&j, "sweep_ns", run->sweep, n);
        json_timing(&j, "check_ns", run->check, n);
        json_timing(&j, "stream_ns", run->stream, n);
        json_timing(&j, "stream_all_ns", run->stream_all, n);
        json_number(&j, "ratio", run->sweep.best / run->stream.best);
        json_number(&j, "ratio_median", run->sweep.median / run->stream.median);
        json_number(&j, "ratio_all", run->sweep.best / run->stream_all.best);
        json_truth(&j, "same_bits", run->same_bits);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------- */

int bench_sweep(const experiment_call *asked)
{
    sweep_report report = {.contacts =
                               asked_contacts(asked, CONTACTS, CONTACTS_LEAST, CONTACTS_MOST)};
    mo_problem *problem;
    mo_message why = {""};
    if (report.contacts == 0 || asked_for_no_files(asked, "sweep")) {
        return EXIT_CALL;
    }
    show("building the packing");
    const double start = machine_clock();
    mo_error error = scene_packing(report.contacts, SEED, &problem, &why);
    if (!error) {
        report.build_seconds = machine_clock() - start;
        report.bodies = mo_problem_body_count(problem);
        error = measure(problem, &report);
    }
    mo_problem_destroy(problem);
    show("");
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    if (asked->json) {
        print_json(&report);
    } else {
        print_report(&report);
    }
    return output_is_good() ? EXIT_DONE : EXIT_FAILED;
}
