/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench families`: the problems of each family that the default method solves to 1e-8 with
 * no option set.
 *
 *   towers    2 to 20 boxes with four contacts a face; mass ratios of top to bottom 1e-6 to 1e6, mu
 *             0.1, 0.5, 1.5; at rest, pushed gently, pushed over
 *   planted   random problems built around a solution (scene_random): 5 contacts up to --contacts,
 *             mass ratio 1 and 1e4, mu up to 0.7 and 1.5, planar and spatial, with two thirds, a
 *             third or a fifth as many bodies as contacts; joints: the same with joints
 *   packing   spheres in a box (scene_packing), 50 to 600 contacts
 *   heaps     boxes, capsules, cylinders, hulls and their mixture (the scene `heap`) while they
 *             fall, settle and rest: 100, 400 and 2,000 bodies as far as --contacts allows
 *
 * Answers are judged by mo_measure.  Unsolved problems are listed with their residual and the
 * solver's summary; a planted problem has a solution by construction.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "progress.h"
#include "scenes.h"
#include "text.h"
#include "worlds.h"

static const char *const COMMAND = "bench";
static const double TOLERANCE = 1e-8;

enum {
    CONTACTS = 300,
    CONTACTS_MOST = 20000,
    MISSES_TOLD = 40,
    FAMILIES_MOST = 8,
    WHAT = 120,
    TOWERS = 7 * 5 * 3 * 3,
    VARIANTS = 24, /* of planted problems of one size */
    PACKINGS = 12,
    HEAP_SHAPES = 5,
    HEAP_STEPS = 3
};

typedef struct family {
    const char *name;
    int count, solved;
    double seconds, log_seconds, slowest;
    char slowest_name[WHAT];
} family;

typedef struct miss {
    char what[WHAT];
    double residual, seconds;
    mo_message summary;
} miss;

typedef struct families_report {
    int count, miss_count, tolds;
    int expected; /* problems of the last family */
    progress_clock clock;
    family families[FAMILIES_MOST];
    miss misses[MISSES_TOLD];
} families_report;

/* ---- measuring ------------------------------------------------------------------------------- */

static void keep_miss(families_report *report, const char *what, double seconds,
                      const mo_result *result)
{
    if (report->miss_count++ >= MISSES_TOLD) return;
    miss *m = &report->misses[report->tolds++];
    snprintf(m->what, sizeof m->what, "%s", what);
    m->residual = result->residual.natural_relative;
    m->seconds = seconds;
    m->summary = result->message;
}

/* Solves the problem and adds it to the last family. */
static mo_error judge(families_report *report, const mo_problem *problem, const char *what)
{
    family *f = &report->families[report->count - 1];
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.tol = TOLERANCE;
    const double start = machine_processor_clock();
    const mo_error error = mo_solve(problem, &options, &result);
    const double seconds = machine_processor_clock() - start;
    mo_residual residual = {0};
    const int is_solved = !error && result.status == MO_SOLVED &&
                          mo_measure(problem, result.r, &residual) == MO_OK &&
                          residual.natural_relative <= TOLERANCE;
    ++f->count;
    f->solved += is_solved;
    f->seconds += seconds;
    f->log_seconds += log(seconds);
    if (seconds > f->slowest) {
        f->slowest = seconds;
        snprintf(f->slowest_name, sizeof f->slowest_name, "%s", what);
    }
    if (!error && !is_solved) keep_miss(report, what, seconds, &result);
    mo_result_clear(&result);
    progress_part(&report->clock, f->name, f->count, report->expected);
    return error;
}

/* The same with a problem that is destroyed. */
MO_PRINTF(3, 4)
static mo_error add(families_report *report, mo_problem *problem, const char *format, ...)
{
    char what[WHAT];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    const mo_error error = judge(report, problem, what);
    mo_problem_destroy(problem);
    return error;
}

static void open_family(families_report *report, const char *name, int expected)
{
    progress_done(&report->clock);
    report->families[report->count++] = (family){.name = name};
    report->expected = expected;
    report->clock = progress_begin();
}

static mo_error add_tower(families_report *report, const scene_stack_def *def, mo_message *why)
{
    mo_problem *problem;
    const mo_error error = scene_box_stack(def, &problem, why);
    return error ? error
                 : add(report, problem, "%d boxes, mass ratio %g, mu %g, push %g", def->boxes,
                       def->mass_ratio, def->mu, def->push);
}

static mo_error measure_towers(families_report *report, mo_message *why)
{
    static const int boxes[] = {2, 3, 4, 5, 10, 15, 20};
    static const double ratios[] = {1, 1e3, 1e6, 1e-3, 1e-6}, mus[] = {0.1, 0.5, 1.5},
                        pushes[] = {0, 0.05, 0.6};
    mo_error error = MO_OK;
    open_family(report, "towers", TOWERS);
    for (int k = 0; k < TOWERS && !error; ++k) {
        scene_stack_def def = scene_stack_default();
        def.boxes = boxes[k / 45];
        def.mass_ratio = ratios[k / 9 % 5];
        def.mu = mus[k / 3 % 3];
        def.push = pushes[k % 3];
        error = add_tower(report, &def, why);
    }
    return error;
}

/* Variant k of VARIANTS with this many contacts. */
static mo_error add_planted(families_report *report, int contacts, int has_joints, int k,
                            mo_message *why)
{
    static const double bodies[] = {2.0 / 3, 1.0 / 3, 1.0 / 5};
    scene_random_def def = scene_random_default();
    def.seed = (uint64_t)(1000 * contacts + 2 * k + has_joints);
    def.constraints = contacts;
    def.bodies = (int)(bodies[k / 8] * contacts) + 1;
    def.in_plane = k / 4 % 2;
    def.mass_ratio = k / 2 % 2 ? 1e4 : 1;
    def.mu_min = 0.1;
    def.mu_max = k % 2 ? 1.5 : 0.7;
    def.laws |= has_joints ? 1u << MO_LAW_BILATERAL : 0;
    mo_problem *problem;
    const mo_error error = scene_random(&def, &problem, NULL, why);
    return error
               ? error
               : add(report, problem, "%d constraints of %d bodies in %s, mass ratio %g, mu < %g%s",
                     contacts, def.bodies, def.in_plane ? "the plane" : "space", def.mass_ratio,
                     def.mu_max, has_joints ? ", joints" : "");
}

static mo_error measure_planted(families_report *report, int most, int has_joints, mo_message *why)
{
    static const int sizes[] = {5, 10, 30, 100, 300, 1000, 3000, 10000};
    mo_error error = MO_OK;
    int count = 0;
    while (count < 8 && sizes[count] <= most)
        ++count;
    open_family(report, has_joints ? "joints" : "planted", count * VARIANTS);
    for (int k = 0; k < count * VARIANTS && !error; ++k)
        error = add_planted(report, sizes[k / VARIANTS], has_joints, k % VARIANTS, why);
    return error;
}

static mo_error measure_packings(families_report *report, mo_message *why)
{
    static const int contacts[] = {50, 150, 300, 600};
    mo_error error = MO_OK;
    open_family(report, "packing", PACKINGS);
    for (int k = 0; k < PACKINGS && !error; ++k) {
        mo_problem *problem;
        error = scene_packing(contacts[k % 4], (uint64_t)(1 + k / 4), &problem, why);
        error = error ? error
                      : add(report, problem, "packing of %d contacts, seed %d", contacts[k % 4],
                            1 + k / 4);
    }
    return error;
}

/* ---- heaps ----------------------------------------------------------------------------------- */

static const char *const SHAPES[] = {"balls",     "boxes", "capsules",
                                     "cylinders", "hulls", "a mixture"};

static mo_error build_heap(int shape, int count, mo_world **world, mo_message *why)
{
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    world_default_values(scene, values);
    mo_error error = world_set_value(scene, values, "shape", shape, why);
    error = error ? error : world_set_value(scene, values, "count", count, why);
    return error ? error : scene->build(values, world, why);
}

/* The problems of three steps: bodies fall on each other, settle, rest. */
static mo_error add_heap(families_report *report, int shape, int count, mo_message *why)
{
    static const int steps[HEAP_STEPS] = {25, 60, 150};
    const double length = world_scene_find("heap")->step;
    mo_world *world = NULL;
    mo_error error = build_heap(shape, count, &world, why);
    for (int k = 0, done = 0; k < HEAP_STEPS && !error; ++k) {
        char what[WHAT];
        for (; done < steps[k] && !error; ++done) {
            mo_step_report step;
            error = mo_world_step(world, length, &step, why);
        }
        const mo_problem *problem = error ? NULL : mo_world_problem(world);
        snprintf(what, sizeof what, "%d %s, step %d", count, SHAPES[shape], steps[k]);
        error = error ? error : judge(report, problem, what);
    }
    mo_world_destroy(world);
    return error;
}

static mo_error measure_heaps(families_report *report, int most, mo_message *why)
{
    const int counts[] = {most < 100 ? most : 100, 400, 2000};
    const int sizes = 1 + (counts[1] <= most) + (counts[2] <= most);
    mo_error error = MO_OK;
    open_family(report, "heaps", sizes * HEAP_SHAPES * HEAP_STEPS);
    for (int k = 0; k < sizes * HEAP_SHAPES && !error; ++k)
        error = add_heap(report, 1 + k % HEAP_SHAPES, counts[k / HEAP_SHAPES], why);
    return error;
}

static mo_error measure_all(int most, families_report *report, mo_message *why)
{
    mo_error error = measure_towers(report, why);
    error = error ? error : measure_planted(report, most, 0, why);
    error = error ? error : measure_planted(report, most, 1, why);
    error = error ? error : measure_packings(report, why);
    error = error ? error : measure_heaps(report, most, why);
    progress_done(&report->clock);
    return error;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_report(const families_report *report)
{
    printf("Problems solved by auto to a residual of %g, one thread\n\n", TOLERANCE);
    printf("  family     problems  solved  us, geometric mean  ms, slowest  which\n");
    for (int k = 0; k < report->count; ++k) {
        const family *f = &report->families[k];
        printf("  %-10s %8d %7d %19.1f %12.1f  %s\n", f->name, f->count, f->solved,
               1e6 * exp(f->log_seconds / f->count), 1e3 * f->slowest, f->slowest_name);
    }
    if (report->miss_count)
        printf("\nNot solved%s\n", report->miss_count > MISSES_TOLD ? ", the first of them:" : ":");
    for (int k = 0; k < report->tolds; ++k) {
        const miss *m = &report->misses[k];
        printf("  %s: %.1e after %.2f s\n    %s\n", m->what, m->residual, m->seconds,
               m->summary.text);
    }
}

static void print_json(const families_report *report)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "families");
    json_number(&j, "tolerance", TOLERANCE);
    json_array(&j, "families");
    for (int k = 0; k < report->count; ++k) {
        const family *f = &report->families[k];
        json_object(&j, NULL);
        json_text(&j, "name", f->name);
        json_whole(&j, "problems", f->count);
        json_whole(&j, "solved", f->solved);
        json_number(&j, "mean_seconds", exp(f->log_seconds / f->count));
        json_number(&j, "slowest_seconds", f->slowest);
        json_text(&j, "slowest", f->slowest_name);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_array(&j, "unsolved");
    for (int k = 0; k < report->tolds; ++k) {
        const miss *m = &report->misses[k];
        json_object(&j, NULL);
        json_text(&j, "problem", m->what);
        json_number(&j, "residual", m->residual);
        json_number(&j, "seconds", m->seconds);
        json_text(&j, "summary", m->summary.text);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------- */

int bench_families(const experiment_call *asked)
{
    families_report report = {0};
    mo_message why = {""};
    const int most = asked_contacts(asked, CONTACTS, 5, CONTACTS_MOST);
    if (most == 0 || asked_for_no_files(asked, "families")) return EXIT_CALL;
    const mo_error error = measure_all(most, &report, &why);
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    if (asked->json)
        print_json(&report);
    else
        print_report(&report);
    return EXIT_DONE;
}
