/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench deadline`: how well calls of mo_world_step keep their time limit.
 *
 * Heaps (the scene `heap`) fall into a box, in steps of 0.01 s, with the world's own tolerances.
 *
 *   late         part of the calls that took more than 1.1 times the limit, in wall time and in
 *                processor time of the thread.  On a busy machine the second counts
 *   machine      the same of a bare loop that reads the clock until the limit, one after each call:
 *                the part of `late` in wall time that the machine causes
 *   late calls   their number; `over` is the mean time by which they exceed the limit, in wall time
 *   worst        the longest call, in wall time, of the bare loops and in processor time
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
#include "lasting.h"
#include "machine.h"
#include "progress.h"
#include "table.h"

static const args_command COMMAND = {
    .name = "bench deadline",
    .operands = "",
    .summary = "heaps: calls that exceed their time limit, and overlap",
    .about = "Each heap falls with a time limit for every call. A call is late if it takes more "
             "than 1.1 times its limit, in wall time or in processor time.",
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
                    .text = "number of bodies; 0: 600, then 5,000",
                    .initial = "0"},
    [FLAG_LIMIT] = {.name = "limit",
                    .operand = "S",
                    .text = "time limit of a call, in s; 0: 5e-3, then 1e-3",
                    .initial = "0"},
    [FLAG_TIME] = {.name = "time",
                   .operand = "T",
                   .text = "simulated time, in s",
                   .initial = "1.5"},
    [FLAG_SEED] = {.name = "seed", .operand = "N", .text = "seed of the heap", .initial = "1"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

enum { SIZES = 2 };
static const int USUAL_HEAPS[LASTING_HEAPS] = {1, 0, 0, 0, 0, 1};
static const double COUNTS[SIZES] = {600, 5000}, LIMITS[SIZES] = {5e-3, 1e-3};
static const double STEP = 0.01; /* s */
static const double LATE = 1.1;  /* of the limit */

typedef struct deadline_call {
    args_values shapes;
    double count, limit, time, seed;
    int json;
} deadline_call;

typedef struct deadline_run {
    const char *heap;
    double count, limit;
    int calls, steps, unsolved;
    double late[2]; /* part of the calls: in wall time, in processor time */
    int late_calls; /* in wall time; and s by which these exceed the limit, in the mean */
    double over;
    double late_loop;  /* part of the bare loops, in wall time */
    double worst[2];   /* s */
    double worst_loop; /* s */
    double overlap[2]; /* over the radius of a ball, of each half */
    double seconds;    /* of all calls, in wall time */
} deadline_run;

enum { COLUMN_COUNT = 17 };
static const bench_column COLUMNS[COLUMN_COUNT] = {
    {COLUMN_TEXT, offsetof(deadline_run, heap), "heap", "heap", -10, 0, 1},
    {COLUMN_GENERAL, offsetof(deadline_run, count), "bodies", "bodies", 6, 6, 1},
    {COLUMN_GENERAL, offsetof(deadline_run, limit), "limit", "ms", 6, 3, 1e3},
    {COLUMN_INT, offsetof(deadline_run, calls), "calls", "calls", 7, 0, 1},
    {COLUMN_INT, offsetof(deadline_run, steps), "steps", "steps", 7, 0, 1},
    {COLUMN_INT, offsetof(deadline_run, unsolved), "unsolved_steps", "unsolved", 9, 0, 1},
    {COLUMN_INT, offsetof(deadline_run, late_calls), "late_calls", "late", 6, 0, 1},
    {COLUMN_FIXED, offsetof(deadline_run, over), "over", "over, ms", 9, 2, 1e3},
    {COLUMN_FIXED, offsetof(deadline_run, late[0]), "late", "late, %", 9, 2, 100},
    {COLUMN_FIXED, offsetof(deadline_run, late_loop), "late_loop", "machine, %", 10, 2, 100},
    {COLUMN_FIXED, offsetof(deadline_run, late[1]), "late_processor", "CPU, %", 9, 2, 100},
    {COLUMN_FIXED, offsetof(deadline_run, worst[0]), "worst", "worst, ms", 9, 2, 1e3},
    {COLUMN_FIXED, offsetof(deadline_run, worst_loop), "worst_loop", "machine", 9, 2, 1e3},
    {COLUMN_FIXED, offsetof(deadline_run, worst[1]), "worst_processor", "CPU, ms", 9, 2, 1e3},
    {COLUMN_EXPONENT, offsetof(deadline_run, overlap[0]), "overlap_first_half", "overlap", 9, 1, 1},
    {COLUMN_EXPONENT, offsetof(deadline_run, overlap[1]), "overlap_second_half", "2nd half", 9, 1,
     1},
    {COLUMN_GENERAL, offsetof(deadline_run, seconds), "seconds", NULL, 0, 0, 1},
};

/* ---- measuring ------------------------------------------------------------------------------- */

static mo_error build(const lasting_scene *heap, const deadline_call *call, const deadline_run *run,
                      mo_world **world, mo_message *why)
{
    const mo_error error = lasting_build_heap(heap, run->count, call->seed, world, why);
    if (error) return error;
    mo_world_def def = mo_world_definition(*world);
    def.solver.tol = mo_default_world().solver.tol;
    def.solver.time_limit = run->limit;
    return mo_world_change(*world, &def, why);
}

static void take_loop(deadline_run *run)
{
    const double begin = machine_clock();
    double now = begin;
    while (now - begin < run->limit)
        now = machine_clock();
    run->late_loop += now - begin > LATE * run->limit;
    run->worst_loop = fmax(run->worst_loop, now - begin);
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
    const double over = end[0] - begin[0] - run->limit;
    if (over > (LATE - 1) * run->limit) {
        run->late_calls++;
        run->over += over;
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
        take_loop(run);
        if (!error && !report.is_waiting) {
            const int half = 2 * run->steps >= steps;
            run->unsolved += report.status != MO_SOLVED;
            run->overlap[half] =
                fmax(run->overlap[half], mo_world_penetration(world) / LASTING_HEAP_RADIUS);
            progress_part(&clock, heap->name, ++run->steps, steps);
        }
    }
    progress_done(&clock);
    run->late[0] /= run->calls ? run->calls : 1;
    run->late[1] /= run->calls ? run->calls : 1;
    run->late_loop /= run->calls ? run->calls : 1;
    run->over /= run->late_calls ? run->late_calls : 1;
    mo_world_destroy(world);
    return error;
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error run_heap(const lasting_scene *heap, const deadline_call *call, bench_table *table,
                         mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < SIZES * SIZES && !error; ++k) {
        deadline_run run = {.heap = heap->name,
                            .count = call->count > 0 ? call->count : COUNTS[k / SIZES],
                            .limit = call->limit > 0 ? call->limit : LIMITS[k % SIZES]};
        const int is_twice = (call->count > 0 && k >= SIZES) || (call->limit > 0 && k % SIZES);
        if (is_twice) continue;
        error = measure(heap, call, &run, why);
        if (!error) table_add(table, &run);
    }
    return error;
}

static mo_error run_all(const void *asked, FILE *csv, mo_message *why)
{
    const deadline_call *call = asked;
    mo_error error = MO_OK;
    bench_table table = table_begin("deadline", COLUMNS, COLUMN_COUNT, call->json);
    (void)csv;
    table_head(&table,
               "Heaps in steps of %g s for %g s, one thread; late: above %g of the limit\n\n", STEP,
               call->time, LATE);
    for (int k = 0; k < LASTING_HEAPS && !error; ++k) {
        const int is_asked = call->shapes.count > 0
                                 ? lasting_is_asked(&call->shapes, LASTING_HEAP[k].name)
                                 : USUAL_HEAPS[k];
        error = is_asked ? run_heap(LASTING_HEAP + k, call, &table, why) : MO_OK;
    }
    table_end(&table);
    return error;
}

static int run_call(const deadline_call *call)
{
    return lasting_run(COMMAND.name, &(lasting_sheet){NULL, NULL, NULL}, run_all, call);
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
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (!lasting_know_all(COMMAND.name, &call.shapes, LASTING_HEAP, LASTING_HEAPS) ||
        !lasting_number(COMMAND.name, flags + FLAG_COUNT, 0, 1e5, &call.count) ||
        !lasting_number(COMMAND.name, flags + FLAG_LIMIT, 0, 1e3, &call.limit) ||
        !lasting_number(COMMAND.name, flags + FLAG_TIME, 1e-6, 1e6, &call.time) ||
        !lasting_number(COMMAND.name, flags + FLAG_SEED, 0, 1e9, &call.seed))
        return EXIT_CALL;
    call.json = flags[FLAG_JSON].value != NULL;
    return run_call(&call);
}

int bench_deadline(const experiment_call *asked)
{
    deadline_call call = USUAL;
    call.json = asked->json;
    return run_call(&call);
}
