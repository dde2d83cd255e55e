/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench overlap`: overlap of shapes at the end of a step, and the cost of preventing it.
 *
 * Heaps (the scene `heap`) fall into a box.  Each runs twice from the same start, in turn: with the
 * default overlap limit, and without one, where contacts hold to first order only.
 *
 *   worst, mean  the deepest overlap at the end of a step, over the size of the smaller of the two
 *                bodies (the radius of a ball about it): the largest and the mean of all steps.  It
 *                is measured by the narrow phase at the poses that the step has left
 *   rounds       solves of a step
 *   ms           processor time of a step, and its ratio to that without a limit
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "lasting.h"
#include "machine.h"
#include "progress.h"
#include "table.h"

static const args_command COMMAND = {
    .name = "bench overlap",
    .operands = "",
    .summary = "heaps: overlap at the end of a step, and the cost of preventing it",
    .about =
        "Each heap falls twice, with and without the world's overlap limit. Overlap is the "
        "deepest at the end of a step, over the size of the smaller body (the radius of a ball "
        "about it).",
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
                    .text = "only balls, boxes, capsules, cylinders, hulls or mixture; may be "
                            "given several times"},
    [FLAG_COUNT] = {.name = "count", .operand = "N", .text = "number of bodies", .initial = "300"},
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
    [FLAG_SEED] = {.name = "seed", .operand = "N", .text = "seed of the heap", .initial = "1"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

typedef struct overlap_call {
    args_values shapes;
    double count, h, time, fall, tol, seed;
    int json;
} overlap_call;

/* rounds, mean, seconds: of a step. */
typedef struct overlap_run {
    int steps, unsolved;
    double rounds, seconds; /* of the processor */
    double worst, mean;     /* overlap over the size */
} overlap_run;

typedef struct overlap_pair {
    const char *heap;
    overlap_run with, without; /* a limit of overlap */
    double ratio;              /* of seconds */
} overlap_pair;

enum { COLUMN_COUNT = 14 };
static const bench_column COLUMNS[COLUMN_COUNT] = {
    {COLUMN_TEXT, offsetof(overlap_pair, heap), "heap", "heap", -10, 0, 1},
    {COLUMN_INT, offsetof(overlap_pair, with.steps), "steps", NULL, 0, 0, 1},
    {COLUMN_EXPONENT, offsetof(overlap_pair, with.worst), "worst_overlap", "worst", 9, 1, 1},
    {COLUMN_EXPONENT, offsetof(overlap_pair, with.mean), "mean_overlap", "mean", 9, 1, 1},
    {COLUMN_FIXED, offsetof(overlap_pair, with.rounds), "rounds", "rounds", 7, 2, 1},
    {COLUMN_INT, offsetof(overlap_pair, with.unsolved), "unsolved_steps", "unsolved", 9, 0, 1},
    {COLUMN_GENERAL, offsetof(overlap_pair, with.seconds), "seconds_step", "ms", 9, 3, 1e3},
    {COLUMN_FIXED, offsetof(overlap_pair, ratio), "ratio", "ratio", 7, 2, 1},
    {COLUMN_EXPONENT, offsetof(overlap_pair, without.worst), "worst_overlap_without",
     "without: worst", 16, 1, 1},
    {COLUMN_EXPONENT, offsetof(overlap_pair, without.mean), "mean_overlap_without", NULL, 0, 0, 1},
    {COLUMN_FIXED, offsetof(overlap_pair, without.rounds), "rounds_without", NULL, 0, 0, 1},
    {COLUMN_INT, offsetof(overlap_pair, without.unsolved), "unsolved_steps_without", NULL, 0, 0, 1},
    {COLUMN_INT, offsetof(overlap_pair, without.steps), "steps_without", NULL, 0, 0, 1},
    {COLUMN_GENERAL, offsetof(overlap_pair, without.seconds), "seconds_step_without", "ms", 9, 3,
     1e3},
};

/* ---- measuring ------------------------------------------------------------------------------- */

/* overlap: the limit; 0: that of the world. */
static mo_error build(const lasting_scene *heap, const overlap_call *call, double overlap,
                      mo_world **world, mo_message *why)
{
    mo_error error = lasting_build_heap(heap, call->count, call->seed, world, why);
    if (error) return error;
    mo_world_def def = mo_world_definition(*world);
    def.solver.tol = call->tol > 0 ? call->tol : mo_default_world().solver.tol;
    def.overlap = overlap > 0 ? overlap : def.overlap;
    error = mo_world_change(*world, &def, why);
    const double down[3] = {0, 0, -sqrt(2 * fabs(def.gravity[2]) * call->fall)};
    for (int k = 0; k < mo_world_body_count(*world) && !error; ++k) {
        const mo_body_id id = mo_world_body(*world, k);
        const mo_body_state body = mo_body_get(*world, id);
        if (body.kind == MO_BODY_FREE)
            error = mo_body_set(*world, id, &body.pose, down, body.spin, why);
    }
    return error;
}

static mo_error step(mo_world *world, double h, overlap_run *run, mo_message *why)
{
    mo_step_report report;
    const double start = machine_processor_clock();
    const mo_error error = mo_world_step(world, h, &report, why);
    run->seconds += machine_processor_clock() - start;
    const double depth = mo_world_relative_penetration(world);
    run->steps++;
    run->unsolved += report.status != MO_SOLVED;
    run->rounds += report.rounds;
    run->worst = fmax(run->worst, depth);
    run->mean += depth;
    return error;
}

static void average(overlap_run *run)
{
    const int taken = run->steps ? run->steps : 1;
    run->rounds /= taken;
    run->mean /= taken;
    run->seconds /= taken;
}

/* Both worlds in turn, so other load on the machine affects them equally. */
static mo_error measure(const lasting_scene *heap, const overlap_call *call, overlap_pair *pair,
                        mo_message *why)
{
    mo_world *with = NULL, *without = NULL;
    mo_error error = build(heap, call, 0, &with, why);
    error = error ? error : build(heap, call, INFINITY, &without, why);
    const long steps = lround(call->time / call->h);
    progress_clock clock = progress_begin();
    for (long k = 0; k < steps && !error; ++k) {
        error = step(with, call->h, &pair->with, why);
        error = error ? error : step(without, call->h, &pair->without, why);
        progress_part(&clock, heap->name, k + 1, steps);
    }
    progress_done(&clock);
    average(&pair->with);
    average(&pair->without);
    pair->ratio = pair->with.seconds / pair->without.seconds;
    mo_world_destroy(with);
    mo_world_destroy(without);
    return error;
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error run_all(const void *asked, FILE *csv, mo_message *why)
{
    const overlap_call *call = asked;
    mo_error error = MO_OK;
    bench_table table = table_begin("overlap", COLUMNS, COLUMN_COUNT, call->json);
    (void)csv;
    table_number(&table, "bodies", call->count);
    table_number(&table, "step", call->h);
    table_head(&table,
               "Heaps of %g bodies, steps of %g s for %g s after a fall of %g m, one thread\n\n",
               call->count, call->h, call->time, call->fall);
    for (int k = 0; k < LASTING_HEAPS && !error; ++k) {
        const lasting_scene *heap = LASTING_HEAP + k;
        overlap_pair pair = {.heap = heap->name};
        if (!lasting_is_asked(&call->shapes, heap->name)) continue;
        error = measure(heap, call, &pair, why);
        if (!error) table_add(&table, &pair);
    }
    table_end(&table);
    return error;
}

static int run_call(const overlap_call *call)
{
    return lasting_run(COMMAND.name, &(lasting_sheet){NULL, NULL, NULL}, run_all, call);
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
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (!lasting_know_all(COMMAND.name, &call.shapes, LASTING_HEAP, LASTING_HEAPS) ||
        !lasting_number(COMMAND.name, flags + FLAG_COUNT, 1, 1e5, &call.count) ||
        !lasting_number(COMMAND.name, flags + FLAG_DT, 1e-6, 1, &call.h) ||
        !lasting_number(COMMAND.name, flags + FLAG_TIME, 1e-6, 1e6, &call.time) ||
        !lasting_number(COMMAND.name, flags + FLAG_FALL, 0, 1e3, &call.fall) ||
        !lasting_number(COMMAND.name, flags + FLAG_TOL, 0, 1, &call.tol) ||
        !lasting_number(COMMAND.name, flags + FLAG_SEED, 0, 1e9, &call.seed))
        return EXIT_CALL;
    call.json = flags[FLAG_JSON].value != NULL;
    return run_call(&call);
}

int bench_overlap(const experiment_call *asked)
{
    overlap_call call = USUAL;
    call.json = asked->json;
    return run_call(&call);
}
