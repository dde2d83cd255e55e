/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench passive`: energy gain and memory growth of passive scenes.
 *
 * Scenes without motors, with plastic impacts or a restitution of at most one, run for --steps
 * steps each.
 *
 *   gain      largest increase of the energy in one step, relative to the present energy: kinetic +
 *             |potential| + weight times size of the smallest body
 *   memory    of the process, after a tenth of the steps and at the end
 *   ms        processor time per step
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "lasting.h"
#include "machine.h"
#include "number.h"
#include "progress.h"
#include "table.h"

static const args_command COMMAND = {
    .name = "bench passive",
    .operands = "",
    .summary = "energy and memory over many steps of scenes without actuators",
    .about = "The gain is the largest rise of the energy in one step, over the present energy "
             "(kinetic + |potential| + weight times size): rounding is 1e-11 and less.",
    .examples = "  moreau bench passive\n"
                "  moreau bench passive --steps 1000\n"
                "  moreau bench passive --scene incline --steps 1000000\n",
    .least = 0,
    .most = 0,
};

enum { FLAG_SCENE, FLAG_STEPS, FLAG_OUT, FLAG_JSON, FLAG_COUNT };
static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_SCENE] = {.name = "scene",
                    .operand = "NAME",
                    .text = "run only this scene; may be given several times"},
    [FLAG_STEPS] = {.name = "steps",
                    .operand = "N",
                    .text = "number of steps of each scene",
                    .initial = "100000"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FOLDER",
                  .text = "write passive.csv, energies and memory over time, to this folder"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

static const lasting_scene SCENES[] = {
    {"incline", "incline", {{"mu", 0.51}}},    {"slip-to-roll", "slip-to-roll", {{NULL, 0}}},
    {"painleve", "painleve", {{NULL, 0}}},     {"stack", "stack", {{NULL, 0}}},
    {"cradle", "cradle", {{NULL, 0}}},         {"domino", "domino", {{"count", 8}}},
    {"chain", "chain", {{"links", 6}}},        {"heavy-chain", "chain", {{"ratio", 100}}},
    {"cannonball", "cannonball", {{NULL, 0}}}, {"billiard", "billiard", {{NULL, 0}}},
    {"kapla", "kapla", {{"layers", 5}}},       {"beads", "beads", {{"count", 30}}},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof *SCENES, ROWS = 200 };

typedef struct passive_run {
    const char *scene;
    long steps, unsolved;
    double first, last; /* energy, J */
    double gain;        /* relative  */
    long gain_step;
    double memory_early, memory_late; /* bytes */
    double seconds, step_seconds;
} passive_run;

enum { COLUMN_COUNT = 11 };
static const bench_column COLUMNS[COLUMN_COUNT] = {
    {COLUMN_TEXT, offsetof(passive_run, scene), "scene", "scene", -13, 0, 1},
    {COLUMN_LONG, offsetof(passive_run, steps), "steps", NULL, 0, 0, 1},
    {COLUMN_LONG, offsetof(passive_run, unsolved), "unsolved_steps", "unsolved", 9, 0, 1},
    {COLUMN_GENERAL, offsetof(passive_run, first), "energy_first", "J at first", 12, 5, 1},
    {COLUMN_GENERAL, offsetof(passive_run, last), "energy_last", "J at last", 12, 5, 1},
    {COLUMN_EXPONENT, offsetof(passive_run, gain), "largest_relative_gain", "gain", 10, 1, 1},
    {COLUMN_LONG, offsetof(passive_run, gain_step), "largest_gain_step", "in step", 9, 0, 1},
    {COLUMN_BYTES, offsetof(passive_run, memory_early), "memory_early_bytes", "memory", 10, 0, 1},
    {COLUMN_BYTES, offsetof(passive_run, memory_late), "memory_late_bytes", "at end", 10, 0, 1},
    {COLUMN_GENERAL, offsetof(passive_run, seconds), "seconds", NULL, 0, 0, 1},
    {COLUMN_GENERAL, offsetof(passive_run, step_seconds), NULL, "ms a step", 9, 3, 1e3},
};

/* ---- measuring ------------------------------------------------------------------------------- */

static mo_error run_steps(mo_world *world, double h, FILE *csv, passive_run *run, long steps,
                          mo_message *why)
{
    const double base = lasting_weight(world) * lasting_size(world);
    const long every = steps > ROWS ? steps / ROWS : 1;
    mo_error error = MO_OK;
    double energy = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
    run->first = energy;
    progress_clock clock = progress_begin();
    for (long k = 0; k < steps && !error; ++k) {
        mo_step_report step;
        error = mo_world_step(world, h, &step, why);
        if (error) break;
        const double now = step.kinetic_energy + step.potential_energy;
        const double gain =
            (now - energy) / (step.kinetic_energy + fabs(step.potential_energy) + base);
        if (gain > run->gain || isnan(gain)) {
            run->gain = gain;
            run->gain_step = k;
        }
        energy = now;
        run->steps += 1;
        run->unsolved += step.status != MO_SOLVED;
        if (k == steps / 10) run->memory_early = lasting_memory();
        progress_part(&clock, run->scene, k + 1, steps);
        if (k % every == 0 && csv) {
            fprintf(csv, "%s,%ld,%.17g,%.17g,%.0f\n", run->scene, k, step.kinetic_energy,
                    step.potential_energy, lasting_memory());
        }
    }
    progress_done(&clock);
    run->last = energy;
    run->memory_late = lasting_memory();
    return error;
}

static mo_error measure(const lasting_scene *scene, long steps, FILE *csv, passive_run *run,
                        mo_message *why)
{
    mo_world *world = NULL;
    double h;
    *run = (passive_run){.scene = scene->name};
    mo_error error = lasting_build(scene, &world, &h, why);
    const double start = machine_processor_clock();
    error = error ? error : run_steps(world, h, csv, run, steps, why);
    run->seconds = machine_processor_clock() - start;
    run->step_seconds = run->seconds / (double)(run->steps ? run->steps : 1);
    mo_world_destroy(world);
    return error;
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct passive_call {
    args_values scenes;
    long steps;
    const char *out;
    int json;
} passive_call;

static mo_error run_all(const void *asked, FILE *csv, mo_message *why)
{
    const passive_call *call = asked;
    mo_error error = MO_OK;
    bench_table table = table_begin("passive", COLUMNS, COLUMN_COUNT, call->json);
    table_head(&table, "Scenes that nothing drives, %s steps each\n\n",
               number_whole(call->steps).text);
    for (int k = 0; k < SCENE_COUNT && !error; ++k) {
        passive_run run;
        if (lasting_is_asked(&call->scenes, SCENES[k].name)) {
            error = measure(SCENES + k, call->steps, csv, &run, why);
            if (!error) table_add(&table, &run);
        }
    }
    table_end(&table);
    return error;
}

static int run_call(const passive_call *call)
{
    const lasting_sheet sheet = {call->out, "passive.csv", "scene,step,kinetic,potential,memory"};
    return lasting_run(COMMAND.name, &sheet, run_all, call);
}

int bench_passive_command(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    passive_call call = {.steps = 100000};
    double steps = (double)call.steps;
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SCENE].all = &call.scenes;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (!lasting_know_all(COMMAND.name, &call.scenes, SCENES, SCENE_COUNT) ||
        !lasting_number(COMMAND.name, flags + FLAG_STEPS, 1, 1e9, &steps))
        return EXIT_CALL;
    call.steps = lround(steps);
    call.out = flags[FLAG_OUT].value;
    call.json = flags[FLAG_JSON].value != NULL;
    return run_call(&call);
}

int bench_passive(const experiment_call *asked)
{
    const passive_call call = {.steps = 100000, .out = asked->out, .json = asked->json};
    return run_call(&call);
}
