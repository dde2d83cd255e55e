/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench deadline`: how well calls of mo_world_step keep their time limit.
 *
 * Heaps (the scene `heap`) fall into a box, in steps of 0.01 s, with the world's own tolerances.
 *
 *   late         part of the calls that took more than 1.1 times the limit, by the clock and in
 *                processor time of the thread.  On a busy machine the second counts
 *   worst        the longest call over the limit, likewise
 *   calls        of one step, in the mean
 *   unsolved     steps that were taken with a residual above the tolerance
 *   overlap      deepest at the end of a step, over the radius of a ball: the worst of the first
 *                half of the steps, and of the second.  It is measured outside of the calls
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
    .name = "bench deadline",
    .operands = "",
    .summary = "heaps: calls that keep their time limit, and overlap",
    .about = "Each heap falls with a time limit for every call. A call is late if it takes more "
             "than 1.1 times its limit, by the clock or in processor time.",
    .examples = "  moreau bench deadline\n"
                "  moreau bench deadline --shape mixture --count 600 --limit 1e-3\n",
    .least = 0,
    .most = 0,
};

enum { FLAG_SHAPE, FLAG_COUNT, FLAG_LIMIT, FLAG_TIME, FLAG_SEED, FLAG_JSON, FLAG_END };
static const args_flag FLAGS[FLAG_END] = {
    [FLAG_SHAPE] = {.name = "shape",
                    .operand = "NAME",
                    .text = "balls, boxes, capsules, cylinders, hulls or mixture; may be given "
                            "several times; balls and mixture if not given"},
    [FLAG_COUNT] = {.name = "count",
                    .operand = "N",
                    .text = "bodies; 0: 600, then 5,000",
                    .initial = "0"},
    [FLAG_LIMIT] = {.name = "limit",
                    .operand = "S",
                    .text = "time limit of a call, in s; 0: 5e-3, then 1e-3",
                    .initial = "0"},
    [FLAG_TIME] = {.name = "time",
                   .operand = "T",
                   .text = "simulated time, in s",
                   .initial = "1.5"},
    [FLAG_SEED] = {.name = "seed", .operand = "N", .text = "of the heap", .initial = "1"},
    [FLAG_JSON] = {.name = "json", .text = "one JSON object, and nothing else"},
};

enum { HEAPS = 6, SIZES = 2 };
static const lasting_scene SCENES[HEAPS] = {
    {"balls", "heap", {{"shape", 0}}},    {"boxes", "heap", {{"shape", 1}}},
    {"capsules", "heap", {{"shape", 2}}}, {"cylinders", "heap", {{"shape", 3}}},
    {"hulls", "heap", {{"shape", 4}}},    {"mixture", "heap", {{"shape", 5}}},
};
static const int USUAL_HEAPS[HEAPS] = {1, 0, 0, 0, 0, 1};
static const double COUNTS[SIZES] = {600, 5000}, LIMITS[SIZES] = {5e-3, 1e-3};
static const double RADIUS = 0.1; /* m: of a ball of the scene */
static const double STEP = 0.01;  /* s */
static const double LATE = 1.1;   /* of the limit */

typedef struct deadline_call {
    args_values shapes;
    double count, limit, time, seed;
    int json;
} deadline_call;

typedef struct deadline_run {
    const char *heap;
    double count, limit;
    int calls, steps, unsolved;
    int late[2];       /* by the clock, in processor time */
    double worst[2];   /* s */
    double overlap[2]; /* over RADIUS, of each half */
    double seconds;    /* of all calls, by the clock */
} deadline_run;

/* ---- measuring ------------------------------------------------------------------------------- */

static mo_error build(const lasting_scene *heap, const deadline_call *call, const deadline_run *run,
                      mo_world **world, mo_message *why)
{
    lasting_scene scene = *heap;
    double step;
    scene.set[1].name = "count";
    scene.set[1].value = run->count;
    scene.set[2].name = "seed";
    scene.set[2].value = call->seed;
    const mo_error error = lasting_build(&scene, world, &step, why);
    if (error) {
        return error;
    }
    mo_world_def def = mo_world_definition(*world);
    def.solver.tol = mo_default_world().solver.tol;
    def.solver.time_limit = run->limit;
    return mo_world_change(*world, &def, why);
}

static mo_error take_call(mo_world *world, deadline_run *run, mo_step_report *report,
                          mo_message *why)
{
    const double begin[2] = {machine_clock(), machine_processor_clock()};
    const mo_error error = mo_world_step(world, STEP, report, why);
    const double end[2] = {machine_clock(), machine_processor_clock()};
    for (int k = 0; k < 2; ++k) {
        const double seconds = end[k] - begin[k];
        run->late[k] += seconds > LATE * run->limit;
        run->worst[k] = fmax(run->worst[k], seconds);
    }
    run->seconds += end[0] - begin[0];
    run->calls++;
    return error;
}

static mo_error measure(const lasting_scene *heap, const deadline_call *call, deadline_run *run,
                        mo_message *why)
{
    mo_world *world = NULL;
    mo_error error = build(heap, call, run, &world, why);
    const long steps = lround(call->time / STEP);
    progress_clock clock = progress_begin();
    while (run->steps < steps && !error) {
        mo_step_report report;
        error = take_call(world, run, &report, why);
        if (!error && !report.is_waiting) {
            const int half = 2 * run->steps >= steps;
            run->unsolved += report.status != MO_SOLVED;
            run->overlap[half] = fmax(run->overlap[half], mo_world_penetration(world) / RADIUS);
            progress_part(&clock, heap->name, ++run->steps, steps);
        }
    }
    progress_done(&clock);
    mo_world_destroy(world);
    return error;
}

/* ---- telling --------------------------------------------------------------------------------- */

static double part(int count, const deadline_run *run)
{
    return run->calls ? (double)count / run->calls : 0;
}

static void print_head(const deadline_call *call)
{
    printf("Heaps in steps of %g s for %g s, one thread; late: above %g of the limit\n\n"
           "%-10s %6s %6s | %9s %9s %7s %7s | %7s %9s | %9s %9s\n",
           STEP, call->time, LATE, "", "bodies", "ms", "late", "late CPU", "worst", "CPU", "calls",
           "unsolved", "overlap", "2nd half");
}

static void print_run(const deadline_run *run)
{
    printf("%-10s %6g %6g | %8.2f%% %8.2f%% %7.2f %7.2f | %7.1f %9d | %9.1e %9.1e\n", run->heap,
           run->count, 1e3 * run->limit, 100 * part(run->late[0], run),
           100 * part(run->late[1], run), run->worst[0] / run->limit, run->worst[1] / run->limit,
           run->steps ? (double)run->calls / run->steps : 0, run->unsolved, run->overlap[0],
           run->overlap[1]);
    fflush(stdout);
}

static void put_run(json *j, const deadline_run *run)
{
    json_object(j, NULL);
    json_text(j, "heap", run->heap);
    json_number(j, "bodies", run->count);
    json_number(j, "limit", run->limit);
    json_whole(j, "calls", run->calls);
    json_whole(j, "steps", run->steps);
    json_whole(j, "unsolved_steps", run->unsolved);
    json_number(j, "late", part(run->late[0], run));
    json_number(j, "late_processor", part(run->late[1], run));
    json_number(j, "worst", run->worst[0]);
    json_number(j, "worst_processor", run->worst[1]);
    json_number(j, "overlap_first_half", run->overlap[0]);
    json_number(j, "overlap_second_half", run->overlap[1]);
    json_number(j, "seconds", run->seconds);
    json_object_end(j);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error run_heap(const lasting_scene *heap, const deadline_call *call, json *j,
                         mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < SIZES * SIZES && !error; ++k) {
        deadline_run run = {.heap = heap->name,
                            .count = call->count > 0 ? call->count : COUNTS[k / SIZES],
                            .limit = call->limit > 0 ? call->limit : LIMITS[k % SIZES]};
        const int is_twice = (call->count > 0 && k >= SIZES) || (call->limit > 0 && k % SIZES);
        if (is_twice) {
            continue;
        }
        error = measure(heap, call, &run, why);
        if (!error && j) {
            put_run(j, &run);
        } else if (!error) {
            print_run(&run);
        }
    }
    return error;
}

static int run_call(const deadline_call *call)
{
    mo_message why = {{0}};
    mo_error error = MO_OK;
    json j = json_begin(stdout);
    if (call->json) {
        json_object(&j, NULL);
        json_text(&j, "bench", "deadline");
        json_array(&j, "runs");
    } else {
        print_head(call);
    }
    for (int k = 0; k < HEAPS && !error; ++k) {
        const int is_asked = call->shapes.count > 0
                                 ? lasting_is_asked(&call->shapes, SCENES[k].name)
                                 : USUAL_HEAPS[k];
        error = is_asked ? run_heap(SCENES + k, call, call->json ? &j : NULL, &why) : MO_OK;
    }
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

static const deadline_call USUAL = {.time = 1.5, .seed = 1};

int bench_deadline_command(int argc, char **argv)
{
    args_flag flags[FLAG_END];
    deadline_call call = USUAL;
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SHAPE].all = &call.shapes;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_END, argc, argv, &operands);
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    if (!lasting_know_all(COMMAND.name, &call.shapes, SCENES, HEAPS) ||
        !lasting_number(COMMAND.name, flags + FLAG_COUNT, 0, 1e5, &call.count) ||
        !lasting_number(COMMAND.name, flags + FLAG_LIMIT, 0, 1e3, &call.limit) ||
        !lasting_number(COMMAND.name, flags + FLAG_TIME, 1e-6, 1e6, &call.time) ||
        !lasting_number(COMMAND.name, flags + FLAG_SEED, 0, 1e9, &call.seed)) {
        return EXIT_CALL;
    }
    call.json = flags[FLAG_JSON].value != NULL;
    return run_call(&call);
}

int bench_deadline(const experiment_call *asked)
{
    deadline_call call = USUAL;
    call.json = asked->json;
    return run_call(&call);
}
