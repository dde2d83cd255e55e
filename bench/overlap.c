/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench overlap`: how far shapes overlap at the end of steps, and what preventing it costs.
 *
 * Heaps (the scene `heap`) fall into a box.  Each runs twice from the same start: with the world's
 * own limit of overlap and without one, so that contacts hold to first order alone.
 *
 *   worst, mean  the deepest overlap at the end of a step, over the radius of a ball of the heap
 *                (the other shapes are larger): the largest and the mean of all steps.  It is
 *                measured by the narrow phase at the poses that the step has left
 *   rounds       solves of a step
 *   ms           processor time of a step, and its ratio to that without a limit
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "lasting.h"
#include "machine.h"
#include "progress.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "bench overlap",
    .operands = "",
    .summary = "heaps: overlap at the end of a step, and what preventing it costs",
    .about = "Each heap falls twice, with the world's limit of overlap and without one. Overlap is "
             "the deepest at the end of a step, over the radius of a ball of the heap.",
    .examples = "  moreau bench overlap\n"
                "  moreau bench overlap --shape boxes --count 1000\n"
                "  moreau bench overlap --dt 0.02 --fall 3\n",
    .least = 0,
    .most = 0,
};

enum {
    FLAG_SHAPE,
    FLAG_COUNT,
    FLAG_DT,
    FLAG_TIME,
    FLAG_FALL,
    FLAG_TOL,
    FLAG_SEED,
    FLAG_JSON,
    FLAG_END
};
static const args_flag FLAGS[FLAG_END] = {
    [FLAG_SHAPE] = {.name = "shape",
                    .operand = "NAME",
                    .text = "balls, boxes, capsules, cylinders, hulls or mixture alone; may be "
                            "given several times"},
    [FLAG_COUNT] = {.name = "count", .operand = "N", .text = "bodies", .initial = "300"},
    [FLAG_DT] = {.name = "dt", .operand = "H", .text = "step size, in s", .initial = "0.01"},
    [FLAG_TIME] = {.name = "time", .operand = "T", .text = "simulated time, in s", .initial = "3"},
    [FLAG_FALL] = {.name = "fall",
                   .operand = "M",
                   .text = "height from which the heap has fallen at the start, in m",
                   .initial = "0"},
    [FLAG_TOL] = {.name = "tol",
                  .operand = "X",
                  .text = "relative tolerance of a step; 0: that of the world",
                  .initial = "2e-3"},
    [FLAG_SEED] = {.name = "seed", .operand = "N", .text = "of the heap", .initial = "1"},
    [FLAG_JSON] = {.name = "json", .text = "one JSON object, and nothing else"},
};

enum { HEAPS = 6 };
static const lasting_scene SCENES[HEAPS] = {
    {"balls", "heap", {{"shape", 0}}},    {"boxes", "heap", {{"shape", 1}}},
    {"capsules", "heap", {{"shape", 2}}}, {"cylinders", "heap", {{"shape", 3}}},
    {"hulls", "heap", {{"shape", 4}}},    {"mixture", "heap", {{"shape", 5}}},
};
static const double RADIUS = 0.1; /* m: of a ball of the scene */

typedef struct overlap_call {
    args_values shapes;
    double count, h, time, fall, tol, seed;
    int json;
} overlap_call;

typedef struct overlap_run {
    int steps, unsolved, rounds;
    double worst, sum; /* over RADIUS */
    double seconds;    /* of the processor */
} overlap_run;

/* ---- measuring ------------------------------------------------------------------------------- */

static mo_error build(const lasting_scene *heap, const overlap_call *call, double overlap,
                      mo_world **world, mo_message *why)
{
    lasting_scene scene = *heap;
    double step;
    scene.set[1].name = "count";
    scene.set[1].value = call->count;
    scene.set[2].name = "seed";
    scene.set[2].value = call->seed;
    mo_error error = lasting_build(&scene, world, &step, why);
    if (error) {
        return error;
    }
    mo_world_def def = mo_world_definition(*world);
    def.solver.tol = call->tol > 0 ? call->tol : mo_default_world().solver.tol;
    def.overlap = overlap > 0 ? overlap : def.overlap;
    error = mo_world_change(*world, &def, why);
    const double down[3] = {0, 0, -sqrt(2 * fabs(def.gravity[2]) * call->fall)};
    for (int k = 0; k < mo_world_body_count(*world) && !error; ++k) {
        const mo_body_id id = mo_world_body(*world, k);
        const mo_body_state body = mo_body_get(*world, id);
        if (body.kind == MO_BODY_FREE) {
            error = mo_body_set(*world, id, &body.pose, down, body.spin, why);
        }
    }
    return error;
}

/* overlap: the limit; 0: that of the world. */
static mo_error measure(const lasting_scene *heap, const overlap_call *call, double overlap,
                        overlap_run *run, mo_message *why)
{
    mo_world *world = NULL;
    mo_error error = build(heap, call, overlap, &world, why);
    const long steps = lround(call->time / call->h);
    *run = (overlap_run){0};
    progress_clock clock = progress_begin();
    for (long k = 0; k < steps && !error; ++k) {
        mo_step_report report;
        const double start = machine_processor_clock();
        error = mo_world_step(world, call->h, &report, why);
        run->seconds += machine_processor_clock() - start;
        const double depth = mo_world_penetration(world) / RADIUS;
        run->steps++;
        run->unsolved += report.status != MO_SOLVED;
        run->rounds += report.rounds;
        run->worst = fmax(run->worst, depth);
        run->sum += depth;
        progress_part(&clock, heap->name, k + 1, steps);
    }
    progress_done(&clock);
    mo_world_destroy(world);
    return error;
}

/* ---- telling --------------------------------------------------------------------------------- */

static double per_step(double sum, const overlap_run *run)
{
    return run->steps ? sum / run->steps : 0;
}

static void print_head(const overlap_call *call)
{
    printf("Heaps of %g bodies, steps of %g s for %g s after a fall of %g m, one thread\n\n"
           "%-10s %9s %9s %7s %9s %9s %7s   %9s %9s %9s\n",
           call->count, call->h, call->time, call->fall, "", "worst", "mean", "rounds", "unsolved",
           "ms", "ratio", "without:", "worst", "ms");
}

static void print_runs(const char *name, const overlap_run *with, const overlap_run *without)
{
    printf("%-10s %9.1e %9.1e %7.2f %9d %9.3g %7.2f   %9s %9.1e %9.3g\n", name, with->worst,
           per_step(with->sum, with), per_step(with->rounds, with), with->unsolved,
           1e3 * per_step(with->seconds, with), with->seconds / without->seconds, "",
           without->worst, 1e3 * per_step(without->seconds, without));
    fflush(stdout);
}

static void put_run(json *j, const char *name, const overlap_run *run)
{
    json_object(j, name);
    json_whole(j, "steps", run->steps);
    json_whole(j, "unsolved_steps", run->unsolved);
    json_number(j, "rounds", per_step(run->rounds, run));
    json_number(j, "worst_overlap", run->worst);
    json_number(j, "mean_overlap", per_step(run->sum, run));
    json_number(j, "seconds_step", per_step(run->seconds, run));
    json_object_end(j);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error run_all(const overlap_call *call, json *j, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < HEAPS && !error; ++k) {
        overlap_run with, without;
        if (!lasting_is_asked(&call->shapes, SCENES[k].name)) {
            continue;
        }
        error = measure(SCENES + k, call, 0, &with, why);
        error = error ? error : measure(SCENES + k, call, INFINITY, &without, why);
        if (!error && j) {
            json_object(j, NULL);
            json_text(j, "heap", SCENES[k].name);
            put_run(j, "with", &with);
            put_run(j, "without", &without);
            json_object_end(j);
        } else if (!error) {
            print_runs(SCENES[k].name, &with, &without);
        }
    }
    return error;
}

static int run_call(const overlap_call *call)
{
    mo_message why = {{0}};
    json j = json_begin(stdout);
    if (call->json) {
        json_object(&j, NULL);
        json_text(&j, "bench", "overlap");
        json_number(&j, "bodies", call->count);
        json_number(&j, "step", call->h);
        json_array(&j, "runs");
    } else {
        print_head(call);
    }
    const mo_error error = run_all(call, call->json ? &j : NULL, &why);
    if (call->json) {
        json_array_end(&j);
        json_object_end(&j);
        json_end(&j);
    }
    if (error) {
        say(COMMAND.name, "%s", why.text[0] ? why.text : mo_error_text(error));
    }
    return error ? EXIT_FAILED : EXIT_DONE;
}

static const overlap_call USUAL = {.count = 300, .h = 0.01, .time = 3, .tol = 2e-3, .seed = 1};

int bench_overlap_command(int argc, char **argv)
{
    args_flag flags[FLAG_END];
    overlap_call call = USUAL;
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SHAPE].all = &call.shapes;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_END, argc, argv, &operands);
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    if (!lasting_know_all(COMMAND.name, &call.shapes, SCENES, HEAPS) ||
        !lasting_number(COMMAND.name, flags + FLAG_COUNT, 1, 1e5, &call.count) ||
        !lasting_number(COMMAND.name, flags + FLAG_DT, 1e-6, 1, &call.h) ||
        !lasting_number(COMMAND.name, flags + FLAG_TIME, 1e-6, 1e6, &call.time) ||
        !lasting_number(COMMAND.name, flags + FLAG_FALL, 0, 1e3, &call.fall) ||
        !lasting_number(COMMAND.name, flags + FLAG_TOL, 0, 1, &call.tol) ||
        !lasting_number(COMMAND.name, flags + FLAG_SEED, 0, 1e9, &call.seed)) {
        return EXIT_CALL;
    }
    call.json = flags[FLAG_JSON].value != NULL;
    return run_call(&call);
}

int bench_overlap(const experiment_call *asked)
{
    overlap_call call = USUAL;
    call.json = asked->json;
    return run_call(&call);
}
