/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench beads`: spheres that fall into a box and come to rest, in growing numbers.
 *
 * The scene `beads` with 600 to 100,000 spheres, up to --contacts of them, runs for six seconds
 * with steps of 0.02 s on one thread, every step solved to a relative residual of 2e-3 (2e-2 from
 * VERY_MANY spheres on), then to 1e-4 (up to FINE_MOST spheres).
 *
 *   ms          processor time of a step: mean, and means while they fall (up to 2 s), settle (to
 *               4 s) and rest; medians of the last ten steps of each; phases as shares
 *   penetration the deepest at the start of any step, in radii
 *   residual    the worst of any step, by mo_measure; unsolved: steps that missed the tolerance
 *   sinking     penetration rate of the last step (mo_step_report)
 *
 * With --device or --threads times are wall times.  --balls runs one size, solved to 2e-2 with the
 * step --dt; --shape selects the bodies of the scene `heap`; --copies steps copies of it together.
 * With --out: beads.csv, one row per run and step, and the figure beads.svg.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "asked.h"
#include "beads_gp.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "text.h"
#include "worlds.h"

#include "plot.h"
#include "sheet.h"

static const char *const COMMAND = "bench";
static const double STEP = 0.02, TIME = 6, TOLERANCES[] = {2e-3, 1e-4}, COARSE_TOLERANCE = 2e-2;
static const int SIZES[] = {600, 5000, 20000, 100000};

enum {
    PHASES = 3,
    DEFAULT_MOST = 5000,
    FINE_MOST = 600,
    VERY_MANY = 50000,
    RUNS_MOST = 8,
    SIZE_COUNT = 4,
    TEN = 10
};

/* The request. */
typedef struct bead_call {
    mo_options solver; /* device and threads */
    int balls;         /* only this size, or 0 */
    int shape;         /* of the scene heap; 0: balls, of the scene beads */
    int copies;        /* of the heap, stepped together; 0: the heap itself */
    int seed;          /* of the scene; 0: its own */
    double step, time;
} bead_call;

typedef struct bead_run {
    int balls;
    double tolerance;
    int steps, unsolved, contacts; /* contacts: in the last step */
    /* of the processor: all, and the mean of a step in each phase */
    double seconds, of_phase[PHASES];
    double collide, assemble, solve, advance; /* shares */
    double penetration, residual, sweeps;
    double closing;    /* largest speed after the last step, relative to g h */
    double sinking;    /* of the last step */
    double solve_time; /* seconds */
    double ten[PHASES][TEN],
        rest_of_ten[PHASES][TEN]; /* of the last ten steps; without the solve */
    mo_message device;
} bead_run;

typedef struct bead_report {
    int count;
    bead_run runs[RUNS_MOST];
} bead_report;

/* ---- measuring ------------------------------------------------------------------------------- */

/* Index of the radius parameter, which scales all sizes of a body. */
static int radius_at(const world_scene *scene)
{
    int at = 0;
    while (strcmp(scene->parameter[at].name, "radius") != 0)
        ++at;
    return at;
}

/* Replaces the world by this many copies of it. */
static mo_error copy(int copies, mo_world **world, mo_message *why)
{
    mo_world *one = *world;
    const mo_error error = mo_world_create_copies(one, copies, world, why);
    mo_world_destroy(one);
    return error;
}

static mo_error build(const bead_call *call, int balls, double tolerance, mo_world **world,
                      double *radius, mo_message *why)
{
    const world_scene *scene = world_scene_find(call->shape ? "heap" : "beads");
    double values[WORLD_PARAMETERS];
    world_default_values(scene, values);
    mo_error error = world_set_value(scene, values, "count", balls, why);
    if (call->shape && !error) error = world_set_value(scene, values, "shape", call->shape, why);
    if (call->seed && !error) error = world_set_value(scene, values, "seed", call->seed, why);
    error = error ? error : scene->build(values, world, why);
    if (error) return error;
    *radius = values[radius_at(scene)];
    mo_world_def def = mo_world_definition(*world);
    def.solver.tol = tolerance;
    def.solver.device = call->solver.device;
    def.solver.threads = call->solver.threads;
    error = mo_world_change(*world, &def, why);
    return error || !call->copies ? error : copy(call->copies, world, why);
}

static void add_step(const mo_step_report *step, double seconds, double radius, double h, int steps,
                     bead_run *run)
{
    const int steps_of_phase = steps < PHASES ? 1 : steps / PHASES;
    const int number = run->steps++ / steps_of_phase, phase = number < PHASES ? number : PHASES - 1;
    run->seconds += seconds;
    run->of_phase[phase] += seconds / steps_of_phase;
    run->ten[phase][run->steps % TEN] = seconds;
    run->rest_of_ten[phase][run->steps % TEN] = seconds - step->seconds_solve;
    run->unsolved += step->status != MO_SOLVED;
    run->contacts = step->contacts;
    run->collide += step->seconds_collide;
    run->assemble += step->seconds_assemble;
    run->solve += step->seconds_solve;
    run->advance += step->seconds_advance;
    run->penetration = fmax(run->penetration, step->penetration / radius);
    run->residual = fmax(run->residual, step->residual.natural_relative);
    run->sweeps += step->iterations;
    run->closing = step->residual.penetration_rate.value / (9.81 * h);
    run->sinking = step->sinking;
    run->solve_time += step->seconds_solve;
}

/* On one thread, processor time, which other processes do not affect. */
static double clock_of(const bead_call *call)
{
    mo_options usual = mo_default_options();
    return call->solver.threads == 1 && call->solver.device == usual.device
               ? machine_processor_clock()
               : machine_clock();
}

static mo_error measure(const bead_call *call, bead_run *run, FILE *csv, mo_message *why)
{
    mo_world *world = NULL;
    double radius = 1;
    mo_error error = build(call, run->balls, run->tolerance, &world, &radius, why);
    const int steps = (int)lround(call->time / call->step);
    for (int k = 0; !error && k < steps; ++k) {
        mo_step_report step;
        const double start = clock_of(call);
        error = mo_world_step(world, call->step, &step, why);
        const double seconds = clock_of(call) - start;
        if (!error) add_step(&step, seconds, radius, call->step, steps, run);
        if (!error && csv) {
            fprintf(csv, "%d,%g,%.6g,%.6g,%d,%d,%.3g,%.3g,%s\n", run->balls, run->tolerance,
                    (k + 1) * call->step, 1e3 * seconds, step.contacts, step.iterations,
                    step.penetration / radius, step.residual.natural_relative,
                    mo_status_name(step.status));
        }
    }
    if (!error) mo_world_device(world, &run->device);
    mo_world_destroy(world);
    const double wall = run->collide + run->assemble + run->solve + run->advance;
    double *const parts[] = {&run->collide, &run->assemble, &run->solve, &run->advance};
    for (int k = 0; k < 4; ++k)
        *parts[k] /= wall > 0 ? wall : 1;
    return error;
}

static double ms(const bead_run *run)
{
    return 1e3 * run->seconds / run->steps;
}

/* Median of the recorded steps; missing steps of short phases are zero and ignored. */
static double median_ms(const double ten[TEN])
{
    double sorted[TEN];
    int count = 0;
    for (int k = 0; k < TEN; ++k) {
        int at = ten[k] > 0 ? count++ : -1;
        for (; at > 0 && sorted[at - 1] > ten[k]; --at)
            sorted[at] = sorted[at - 1];
        if (at >= 0) sorted[at] = ten[k];
    }
    return count ? 500 * (sorted[count / 2] + sorted[(count - 1) / 2]) : 0;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_head(const bead_call *call)
{
    printf("%s dropped into a box: %g s in steps of %g s, ", call->shape ? "Bodies" : "Balls",
           call->time, call->step);
    printf(call->solver.threads > 1 ? "%d threads\n\n" : "one thread\n\n", call->solver.threads);
    printf("   balls tolerance  ms a step (    fall   settle     rest; collide assemble solve "
           "advance)  sweeps, ms  contacts  penetration  residual  closing  sinking  unsolved\n");
}

static void print_run(const bead_run *run)
{
    printf("%8d %9.0e %10.3g  %9.3g%9.3g%9.3g %7.0f%% %7.0f%% %4.0f%% %6.0f%% %8.1f, %.3g %9d "
           "%9.1e r %9.1e %.2g gh %8.2g %4d of %d; %s\n",
           run->balls, run->tolerance, ms(run), 1e3 * run->of_phase[0], 1e3 * run->of_phase[1],
           1e3 * run->of_phase[2], 100 * run->collide, 100 * run->assemble, 100 * run->solve,
           100 * run->advance, run->sweeps / run->steps, 1e3 * run->solve_time / run->sweeps,
           run->contacts, run->penetration, run->residual, run->closing, run->sinking,
           run->unsolved, run->steps, run->device.text);
    printf("%18s %10s  ", "", "median");
    for (int phase = 0; phase < PHASES; ++phase)
        printf("%9.3g", median_ms(run->ten[phase]));
    printf("; without the solve");
    for (int phase = 0; phase < PHASES; ++phase)
        printf("%9.3g", median_ms(run->rest_of_ten[phase]));
    printf("\n");
    fflush(stdout);
}

static void json_medians(json *j, const char *name, double ten[PHASES][TEN])
{
    json_array(j, name);
    for (int phase = 0; phase < PHASES; ++phase)
        json_number(j, NULL, median_ms(ten[phase]));
    json_array_end(j);
}

static void print_json(const bead_call *call, bead_report *report)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "beads");
    json_number(&j, "step", call->step);
    json_whole(&j, "shape", call->shape);
    json_whole(&j, "threads", call->solver.threads);
    json_array(&j, "runs");
    for (int k = 0; k < report->count; ++k) {
        bead_run *run = &report->runs[k];
        json_object(&j, NULL);
        json_whole(&j, "balls", run->balls);
        json_number(&j, "tolerance", run->tolerance);
        json_whole(&j, "steps", run->steps);
        json_whole(&j, "unsolved_steps", run->unsolved);
        json_whole(&j, "contacts_last", run->contacts);
        json_number(&j, "seconds_step", run->seconds / run->steps);
        json_number(&j, "seconds_fall", run->of_phase[0]);
        json_number(&j, "seconds_settle", run->of_phase[1]);
        json_number(&j, "seconds_rest", run->of_phase[2]);
        json_medians(&j, "median_ms", run->ten);
        json_medians(&j, "median_ms_without_solve", run->rest_of_ten);
        json_number(&j, "share_collide", run->collide);
        json_number(&j, "share_assemble", run->assemble);
        json_number(&j, "share_solve", run->solve);
        json_number(&j, "share_advance", run->advance);
        json_number(&j, "sweeps_step", run->sweeps / run->steps);
        json_number(&j, "worst_penetration_radii", run->penetration);
        json_number(&j, "worst_residual", run->residual);
        json_number(&j, "closing_last_gh", run->closing);
        json_number(&j, "sinking_last", run->sinking);
        json_number(&j, "seconds_sweep", run->solve_time / run->sweeps);
        json_text(&j, "device", run->device.text);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* beads.csv in the folder, or NULL; the error is reported. */
static FILE *open_csv(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%.900s/beads.csv", folder);
    FILE *file = sheet_make_folder(folder) ? fopen(path, "w") : NULL;
    if (file)
        fprintf(file, "balls,tolerance,time,ms,contacts,sweeps,penetration,residual,status\n");
    else
        say(COMMAND, "%.900s cannot be written: choose another folder after --out", path);
    return file;
}

/* The sizes up to `most`; only `most` if it is below the first. */
static mo_error run_all(const bead_call *call, int most, int is_silent, FILE *csv,
                        bead_report *report, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < (call->balls ? 1 : 2 * SIZE_COUNT) && !error; ++k) {
        const int size = SIZES[k / 2], balls = call->balls            ? call->balls
                                               : k < 2 && most < size ? most
                                                                      : size;
        if (balls > most || (k % 2 == 1 && balls > FINE_MOST)) continue;
        bead_run *run = &report->runs[report->count++];
        *run = (bead_run){.balls = balls,
                          .tolerance = balls >= VERY_MANY ? COARSE_TOLERANCE : TOLERANCES[k % 2]};
        error = measure(call, run, csv, why);
        if (!error && !is_silent) print_run(run);
    }
    return error;
}

static int run_call(const bead_call *call, const experiment_call *asked)
{
    bead_report report = {0};
    mo_message why = {""};
    const int most = call->balls ? call->balls : asked_contacts(asked, DEFAULT_MOST, 1, 1000000);
    if (most == 0) return EXIT_CALL;
    FILE *csv = asked->out ? open_csv(asked->out) : NULL;
    if (asked->out && !csv) return EXIT_FAILED;
    if (!asked->json) print_head(call);
    const mo_error error = run_all(call, most, asked->json, csv, &report, &why);
    const int is_written = !csv || fclose(csv) == 0;
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    if (asked->json) print_json(call, &report);
    const int is_drawn =
        !asked->out ||
        plot_explain(plot_draw(asked->out, beads_gp, sizeof beads_gp), asked->out) == 0;
    return is_written && is_drawn ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the call -------------------------------------------------------------------------------- */

enum {
    FLAG_CONTACTS,
    FLAG_BALLS,
    FLAG_SHAPE,
    FLAG_SEED,
    FLAG_COPIES,
    FLAG_DT,
    FLAG_TIME,
    FLAG_DEVICE,
    FLAG_THREADS,
    FLAG_OUT,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_command CALL = {
    .name = "bench beads",
    .operands = "",
    .summary = "heaps of balls of increasing size that fall into a box and come to rest",
    .examples = "  moreau bench beads --contacts 20000\n"
                "  moreau bench beads --balls 100000 --device gpu\n",
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_CONTACTS] = {.name = "contacts",
                       .operand = "N",
                       .text = "maximum number of balls",
                       .initial = "5000"},
    [FLAG_BALLS] = {.name = "balls",
                    .operand = "N",
                    .text = "run a single heap with this many balls"},
    [FLAG_SHAPE] = {.name = "shape",
                    .operand = "K",
                    .text = "bodies of the scene heap: 1 boxes, 2 capsules, 3 cylinders, 4 hulls, "
                            "5 a mixture",
                    .initial = "balls"},
    [FLAG_SEED] = {.name = "seed", .operand = "K", .text = "seed of the scene", .initial = "1"},
    [FLAG_COPIES] = {.name = "copies",
                     .operand = "N",
                     .text = "step this many copies of the heap together (docs/gpu.md)"},
    [FLAG_DT] = {.name = "dt", .operand = "H", .text = "step size, in s", .initial = "0.02"},
    [FLAG_TIME] = {.name = "time", .operand = "T", .text = "simulated time, in s", .initial = "6"},
    [FLAG_DEVICE] = {.name = "device",
                     .operand = "auto|cpu|gpu",
                     .text = "where the steps run (docs/gpu.md)",
                     .initial = "auto"},
    [FLAG_THREADS] = {.name = "threads",
                      .operand = "N",
                      .text = "number of threads",
                      .initial = "1"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FOLDER",
                  .text = "write beads.csv and the figure beads.svg to this folder"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

/* A number above zero of a flag, or `usual`; 0 after a message. */
static double number_of(const args_flag *flag, double usual, double most, int is_whole)
{
    char *end;
    if (!flag->value) return usual;
    const double value = strtod(flag->value, &end);
    if (end == flag->value || *end || !(value > 0 && value <= most) ||
        (is_whole && value != floor(value))) {
        say(COMMAND, "--%s needs a %snumber above 0, at most %g, not '%.60s'", flag->name,
            is_whole ? "whole " : "", most, flag->value);
        return 0;
    }
    return value;
}

static int read_call(const args_flag *flags, bead_call *call)
{
    static const char *const names[] = {"device", "threads"};
    const int at[] = {FLAG_DEVICE, FLAG_THREADS};
    mo_message why = {""};
    call->solver = mo_default_options();
    for (int k = 0; k < 2; ++k) {
        const char *value = flags[at[k]].value;
        if (value && mo_options_set(&call->solver, names[k], value, &why)) {
            say(COMMAND, "%s", why.text);
            return 0;
        }
    }
    call->step = number_of(flags + FLAG_DT, STEP, 1, 0);
    call->time = number_of(flags + FLAG_TIME, TIME, 1e6, 0);
    const double balls = number_of(flags + FLAG_BALLS, -1, 2e7, 1);
    const double shape = number_of(flags + FLAG_SHAPE, -1, 5, 1);
    call->balls = balls > 0 ? (int)balls : 0;
    call->shape = shape > 0 ? (int)shape : 0;
    const double copies = number_of(flags + FLAG_COPIES, -1, 1e6, 1),
                 seed = number_of(flags + FLAG_SEED, -1, 1e9, 1);
    call->copies = copies > 0 ? (int)copies : 0;
    call->seed = seed > 0 ? (int)seed : 0;
    return call->step > 0 && call->time > 0 && balls != 0 && shape != 0 && copies != 0 && seed != 0;
}

int bench_beads_command(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    int operands = 0;
    bead_call call;
    memcpy(flags, FLAGS, sizeof flags);
    const args_answer answer = args_parse(&CALL, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (!read_call(flags, &call)) return EXIT_CALL;
    const experiment_call asked = {flags[FLAG_OUT].value, flags[FLAG_JSON].value != NULL,
                                   flags[FLAG_CONTACTS].value};
    return run_call(&call, &asked);
}

int bench_beads(const experiment_call *asked)
{
    const bead_call call = {.solver = mo_default_options(), .step = STEP, .time = TIME};
    return run_call(&call, asked);
}
