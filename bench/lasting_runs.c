/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench lasting`: drift, energy and memory over a million steps.
 *
 * Five scenes, and the robots of the given files, run for --steps steps each.  A robot starts from
 * its first keyframe, if it has one, above a floor.
 *
 *   unsolved  steps that missed the tolerance
 *   energy    kinetic and potential, after a tenth of the steps and at the end
 *   drift     largest displacement of a body since a tenth of the steps
 *   memory    of the process, after a tenth of the steps and at the end
 *   ms        processor time per step
 *
 * With --out: lasting.csv, ROWS rows for each run, and the figure lasting.svg.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "lasting.h"
#include "lasting_gp.h"
#include "machine.h"
#include "number.h"
#include "plot.h"
#include "progress.h"
#include "table.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "bench lasting",
    .operands = "[ROBOT]...",
    .summary = "memory, energy and drift over a million steps of scenes and robots",
    .about = "Simulates five scenes, and the robots of the given MJCF or URDF files from their "
             "first keyframe. Drift is the largest displacement of any body from its position "
             "after a tenth of the steps.",
    .examples = "  moreau bench lasting\n"
                "  moreau bench lasting --steps 10000 --scene stack --out lasting\n"
                "  moreau bench lasting quadruped.xml arm.xml --json\n",
    .least = 0,
    .most = 1000,
};

enum { FLAG_SCENE, FLAG_STEPS, FLAG_OUT, FLAG_JSON, FLAG_COUNT };
static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_SCENE] = {.name = "scene",
                    .operand = "NAME",
                    .text = "run only this scene; may be given several times"},
    [FLAG_STEPS] = {.name = "steps",
                    .operand = "N",
                    .text = "number of steps of each scene",
                    .initial = "1000000"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FOLDER",
                  .text = "write lasting.csv and the figure lasting.svg to this folder"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

static const lasting_scene SCENES[] = {
    {"stack", "stack", {{NULL, 0}}},        {"kapla", "kapla", {{"layers", 5}}},
    {"incline", "incline", {{"mu", 0.51}}}, {"chain", "chain", {{"links", 6}}},
    {"cradle", "cradle", {{NULL, 0}}},
};
enum {
    SCENE_COUNT = sizeof SCENES / sizeof *SCENES,
    ROWS = 500,
    EARLY = 10 /* a part of the steps */
};

typedef struct lasting_call {
    args_values scenes;
    char **robots;
    int robot_count;
    long steps;
    const char *out;
    int json;
} lasting_call;

typedef struct record {
    const char *name;
    long steps, unsolved;
    double energy[2], memory[2]; /* early, at the end */
    double drift, seconds, step_seconds;
} record;

enum { COLUMN_COUNT = 10 };
static const bench_column COLUMNS[COLUMN_COUNT] = {
    {COLUMN_TEXT, offsetof(record, name), "name", "name", -16, 0, 1},
    {COLUMN_LONG, offsetof(record, steps), "steps", NULL, 0, 0, 1},
    {COLUMN_LONG, offsetof(record, unsolved), "unsolved_steps", "unsolved", 9, 0, 1},
    {COLUMN_GENERAL, offsetof(record, energy[0]), "energy_early", "J early", 12, 5, 1},
    {COLUMN_GENERAL, offsetof(record, energy[1]), "energy_late", "J at end", 12, 5, 1},
    {COLUMN_EXPONENT, offsetof(record, drift), "drift", "drift, m", 9, 1, 1},
    {COLUMN_BYTES, offsetof(record, memory[0]), "memory_early_bytes", "memory", 10, 0, 1},
    {COLUMN_BYTES, offsetof(record, memory[1]), "memory_late_bytes", "at end", 10, 0, 1},
    {COLUMN_GENERAL, offsetof(record, seconds), "seconds", NULL, 0, 0, 1},
    {COLUMN_GENERAL, offsetof(record, step_seconds), NULL, "ms a step", 9, 3, 1e3},
};

/* ---- measuring ------------------------------------------------------------------------------- */

static void note(const mo_step_report *step, int is_late, record *run)
{
    run->energy[is_late] = step->kinetic_energy + step->potential_energy;
    run->memory[is_late] = lasting_memory();
}

static mo_error run_steps(mo_world *world, double h, long steps, double *at, FILE *csv, record *run,
                          mo_message *why)
{
    const long every = steps > ROWS ? steps / ROWS : 1, early = steps / EARLY;
    progress_clock clock = progress_begin();
    mo_error error = MO_OK;
    mo_step_report step;
    lasting_places(world, at);
    for (long k = 0; k < steps && !(error = mo_world_step(world, h, &step, why)); ++k) {
        run->steps += 1;
        run->unsolved += step.status != MO_SOLVED;
        if (k == early) {
            lasting_places(world, at);
            note(&step, 0, run);
        }
        if (k % every == 0 || k + 1 == steps) {
            const double way = lasting_way(world, at);
            run->drift = k > early && !(way <= run->drift) ? way : run->drift;
            note(&step, 1, run);
            progress_part(&clock, run->name, k + 1, steps);
            if (csv) {
                fprintf(csv, "%s,%ld,%.10g,%.3g,%.0f\n", run->name, k + 1, run->energy[1], way,
                        run->memory[1]);
            }
        }
    }
    progress_done(&clock);
    return error;
}

static mo_error measure(mo_world *world, double h, long steps, FILE *csv, record *run,
                        mo_message *why)
{
    double *at = calloc(3 * (size_t)mo_world_body_count(world) + 1, sizeof *at);
    const double start = machine_processor_clock();
    const mo_error error = at ? run_steps(world, h, steps, at, csv, run, why) : MO_ERR_MEMORY;
    run->seconds = machine_processor_clock() - start;
    run->step_seconds = run->seconds / (double)(run->steps ? run->steps : 1);
    free(at);
    return error;
}

static mo_error measure_scene(const lasting_scene *scene, long steps, FILE *csv, record *run,
                              mo_message *why)
{
    mo_world *world = NULL;
    double h;
    *run = (record){.name = scene->name};
    mo_error error = lasting_build(scene, &world, &h, why);
    error = error ? error : measure(world, h, steps, csv, run, why);
    mo_world_destroy(world);
    return error;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static mo_error measure_robot(const char *path, long steps, FILE *csv, record *run, mo_message *why)
{
    mo_model model;
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    *run = (record){.name = base_name(path)};
    mo_error error = mo_model_read(path, NULL, &model, why);
    if (error) return error;
    const mo_world_def def = mo_model_world(&model);
    error = mo_world_create(&def, NULL, &world, why);
    error = error ? error : mo_model_build(&model, world, NULL, &robot, why);
    if (!error && model.key_count > 0) error = mo_robot_set_key(robot, world, model.keys, why);
    error = error ? error : mo_robot_order(robot, world, why);
    error =
        error ? error : measure(world, model.step > 0 ? model.step : 0.002, steps, csv, run, why);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
    return error;
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error run_all(const void *asked, FILE *csv, mo_message *why)
{
    const lasting_call *call = asked;
    mo_error error = MO_OK;
    record run;
    bench_table table = table_begin("lasting", COLUMNS, COLUMN_COUNT, call->json);
    table_head(&table, "%s steps each, default options, one thread\n\n",
               number_whole(call->steps).text);
    for (int k = 0; k < SCENE_COUNT && !error; ++k) {
        if (lasting_is_asked(&call->scenes, SCENES[k].name)) {
            error = measure_scene(SCENES + k, call->steps, csv, &run, why);
            table_add(&table, &run);
        }
    }
    for (int k = 0; k < call->robot_count && !error; ++k) {
        error = measure_robot(call->robots[k], call->steps, csv, &run, why);
        table_add(&table, &run);
    }
    table_end(&table);
    return error;
}

static int run_call(const lasting_call *call)
{
    const lasting_sheet sheet = {call->out, "lasting.csv", "name,step,energy,way,memory"};
    const int status = lasting_run(COMMAND.name, &sheet, run_all, call);
    return status == EXIT_DONE && call->out
               ? plot_explain(plot_draw(call->out, lasting_gp, sizeof lasting_gp), call->out)
               : status;
}

/* Unreadable files are reported before hours of scenes. */
static int can_read_all(const lasting_call *call)
{
    mo_model model;
    mo_message why = {""};
    for (int k = 0; k < call->robot_count; ++k) {
        if (mo_model_read(call->robots[k], NULL, &model, &why)) {
            say(COMMAND.name, "%.500s: %s", call->robots[k], why.text);
            return 0;
        }
        mo_model_clear(&model);
    }
    return 1;
}

int bench_lasting_command(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    lasting_call call = {.robots = argv};
    double steps = 1e6;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SCENE].all = &call.scenes;
    const args_answer answer =
        args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &call.robot_count);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (!lasting_know_all(COMMAND.name, &call.scenes, SCENES, SCENE_COUNT) ||
        !lasting_number(COMMAND.name, flags + FLAG_STEPS, 10, 1e9, &steps))
        return EXIT_CALL;
    call.steps = lround(steps);
    call.out = flags[FLAG_OUT].value;
    call.json = flags[FLAG_JSON].value != NULL;
    return can_read_all(&call) ? run_call(&call) : EXIT_FAILED;
}

int bench_lasting(const experiment_call *asked)
{
    const lasting_call call = {.steps = 1000000, .out = asked->out, .json = asked->json};
    return run_call(&call);
}
