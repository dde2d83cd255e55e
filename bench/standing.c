/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench standing`: drift of structures that must not move.
 *
 * Stacks, walls and towers, also with a mass ratio of 1e4 from the bottom to the top, run for a
 * minute with steps of 0.02 s, one thread and default options.
 *
 *   drift        largest displacement of any body from its position at SETTLES seconds
 *   penetration  deepest at the start of any step, relative to half the shortest side of the
 *                smallest body
 *   residual     largest of all steps, by mo_measure
 *   ms           mean processor time per step, up to SETTLES seconds and after
 *
 * With --out: standing.csv, one row per half second, and the figure standing.svg.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "lasting.h"
#include "machine.h"
#include "plot.h"
#include "progress.h"
#include "standing_gp.h"
#include "table.h"

static const args_command COMMAND = {
    .name = "bench standing",
    .operands = "",
    .summary = "stacks, walls and towers that must stand: drift, penetration, time of a step",
    .about = "Each structure is simulated for a minute, in steps of 0.02 s. Drift is the largest "
             "displacement of any body from its position at two seconds.",
    .examples = "  moreau bench standing\n"
                "  moreau bench standing --time 5\n"
                "  moreau bench standing --scene wall-205 --scene kapla-501-heavy --out standing\n",
    .least = 0,
    .most = 0,
};

enum { FLAG_SCENE, FLAG_TIME, FLAG_OUT, FLAG_JSON, FLAG_COUNT };
static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_SCENE] = {.name = "scene",
                    .operand = "NAME",
                    .text = "run only this scene; may be given several times"},
    [FLAG_TIME] = {.name = "time",
                   .operand = "T",
                   .text = "simulated time of each structure, in s",
                   .initial = "60"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FOLDER",
                  .text = "write standing.csv and the figure standing.svg to this folder"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

/* "heavy": the mass of a body grows by 1e4 from the bottom to the top. */
static const lasting_scene SCENES[] = {
    {"stack-30", "stack", {{"count", 30}}},
    {"arch-15", "arch", {{NULL, 0}}},
    {"wall-205", "wall", {{NULL, 0}}},
    {"wall-205-heavy", "wall", {{"ratio", 1e4}}},
    {"wall-1010", "wall", {{"courses", 20}, {"length", 50}}},
    {"kapla-120", "kapla", {{"layers", 40}}},
    {"kapla-120-heavy", "kapla", {{"layers", 40}, {"ratio", 1e4}}},
    {"kapla-501", "kapla", {{"layers", 167}}},
    {"kapla-501-heavy", "kapla", {{"layers", 167}, {"ratio", 1e4}}},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES };

static const double SETTLES = 2, ROW_EVERY = 0.5;

typedef struct standing_run {
    const char *scene;
    int bodies, contacts, steps, unsolved;
    double drift, penetration, size, relative_penetration, residual;
    double first, later; /* seconds of the processor for a step, up to SETTLES and after */
    int first_steps, later_steps;
} standing_run;

enum { COLUMN_COUNT = 12 };
static const bench_column COLUMNS[COLUMN_COUNT] = {
    {COLUMN_TEXT, offsetof(standing_run, scene), "scene", "scene", -16, 0, 1},
    {COLUMN_INT, offsetof(standing_run, bodies), "bodies", "bodies", 6, 0, 1},
    {COLUMN_INT, offsetof(standing_run, contacts), "contacts_last", "contacts", 8, 0, 1},
    {COLUMN_INT, offsetof(standing_run, steps), "steps", NULL, 0, 0, 1},
    {COLUMN_INT, offsetof(standing_run, unsolved), "unsolved_steps", "unsolved", 9, 0, 1},
    {COLUMN_EXPONENT, offsetof(standing_run, drift), "drift", "drift, m", 9, 1, 1},
    {COLUMN_GENERAL, offsetof(standing_run, penetration), "worst_penetration", NULL, 0, 0, 1},
    {COLUMN_EXPONENT, offsetof(standing_run, relative_penetration), NULL, "penetration", 11, 1, 1},
    {COLUMN_GENERAL, offsetof(standing_run, size), "size", NULL, 0, 0, 1},
    {COLUMN_EXPONENT, offsetof(standing_run, residual), "worst_residual", "residual", 9, 1, 1},
    {COLUMN_GENERAL, offsetof(standing_run, first), "seconds_step_first", "ms to 2s", 9, 3, 1e3},
    {COLUMN_GENERAL, offsetof(standing_run, later), "seconds_step", "ms after", 9, 3, 1e3},
};

/* ---- measuring ------------------------------------------------------------------------------- */

static void add_step(const mo_step_report *step, double seconds, int is_later, standing_run *run)
{
    run->steps += 1;
    run->unsolved += step->status != MO_SOLVED;
    run->contacts = step->contacts;
    run->penetration = fmax(run->penetration, step->penetration);
    run->residual = fmax(run->residual, step->residual.natural_relative);
    *(is_later ? &run->later : &run->first) += seconds;
    *(is_later ? &run->later_steps : &run->first_steps) += 1;
}

static mo_error stand(mo_world *world, double h, double time, double *at, FILE *csv,
                      standing_run *run, mo_message *why)
{
    const long steps = lround(time / h), settles = lround(SETTLES / h);
    const long row_every = lround(ROW_EVERY / h) > 1 ? lround(ROW_EVERY / h) : 1;
    mo_error error = MO_OK;
    lasting_places(world, at);
    progress_clock clock = progress_begin();
    for (long k = 0; k < steps && !error; ++k) {
        mo_step_report step;
        const double start = machine_processor_clock();
        error = mo_world_step(world, h, &step, why);
        const double seconds = machine_processor_clock() - start;
        if (error) break;
        add_step(&step, seconds, k >= settles, run);
        const double way = lasting_way(world, at);
        if (k + 1 == settles)
            lasting_places(world, at);
        else if (k >= settles)
            run->drift = way > run->drift || isnan(way) ? way : run->drift;
        progress_part(&clock, run->scene, k + 1, steps);
        if (k % row_every == 0 && csv) {
            fprintf(csv, "%s,%.6g,%.3g,%.3g,%.3g,%.4g,%d\n", run->scene, (double)(k + 1) * h, way,
                    step.penetration, step.residual.natural_relative, 1e3 * seconds,
                    step.iterations);
        }
    }
    progress_done(&clock);
    return error;
}

static mo_error measure(const lasting_scene *scene, double time, FILE *csv, standing_run *run,
                        mo_message *why)
{
    mo_world *world = NULL;
    double h;
    *run = (standing_run){.scene = scene->name};
    mo_error error = lasting_build(scene, &world, &h, why);
    if (error) return error;
    run->bodies = mo_world_body_count(world) - 1; /* without the ground */
    run->size = lasting_size(world);
    double *at = calloc(3 * (size_t)mo_world_body_count(world), sizeof *at);
    error = at ? stand(world, h, time, at, csv, run, why) : MO_ERR_MEMORY;
    run->relative_penetration = run->penetration / run->size;
    run->first /= run->first_steps ? run->first_steps : 1;
    run->later /= run->later_steps ? run->later_steps : 1;
    free(at);
    mo_world_destroy(world);
    return error;
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct standing_call {
    args_values scenes;
    double time;
    const char *out;
    int json;
} standing_call;

static mo_error run_all(const void *asked, FILE *csv, mo_message *why)
{
    const standing_call *call = asked;
    mo_error error = MO_OK;
    bench_table table = table_begin("standing", COLUMNS, COLUMN_COUNT, call->json);
    table_number(&table, "time", call->time);
    table_head(&table, "What must stand, for %g s: default options, one thread\n\n", call->time);
    for (int k = 0; k < SCENE_COUNT && !error; ++k) {
        standing_run run;
        if (lasting_is_asked(&call->scenes, SCENES[k].name)) {
            error = measure(SCENES + k, call->time, csv, &run, why);
            if (!error) table_add(&table, &run);
        }
    }
    table_end(&table);
    return error;
}

static int run_call(const standing_call *call)
{
    const lasting_sheet sheet = {call->out, "standing.csv",
                                 "scene,time,way,penetration,residual,ms,iterations"};
    const int status = lasting_run(COMMAND.name, &sheet, run_all, call);
    return status == EXIT_DONE && call->out
               ? plot_explain(plot_draw(call->out, standing_gp, sizeof standing_gp), call->out)
               : status;
}

int bench_standing_command(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    standing_call call = {.time = 60};
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SCENE].all = &call.scenes;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (!lasting_know_all(COMMAND.name, &call.scenes, SCENES, SCENE_COUNT) ||
        !lasting_number(COMMAND.name, flags + FLAG_TIME, 0.02, 1e6, &call.time))
        return EXIT_CALL;
    call.out = flags[FLAG_OUT].value;
    call.json = flags[FLAG_JSON].value != NULL;
    return run_call(&call);
}

int bench_standing(const experiment_call *asked)
{
    const standing_call call = {.time = 60, .out = asked->out, .json = asked->json};
    return run_call(&call);
}
