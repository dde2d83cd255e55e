/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench passive`: energy never grows where nothing puts any in, and memory does not grow.
 *
 * Scenes without motors, with plastic impacts or a restitution of at most one, run for --steps
 * steps each.
 *
 *   gain      the largest rise of the energy in one step, over the present energy: kinetic +
 *             |potential| + weight times size of the smallest body
 *   memory    of the process, after the first tenth of the steps, and at the end
 *   ms        processor time of a step
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "lasting.h"
#include "machine.h"
#include "number.h"
#include "text.h"

#include "progress.h"
#include "sheet.h"

static const args_command COMMAND = {
    .name = "bench passive",
    .operands = "",
    .summary = "energy and memory over very many steps of scenes that nothing drives",
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
                    .text = "this scene alone; may be given several times"},
    [FLAG_STEPS] = {.name = "steps", .operand = "N", .text = "steps of each", .initial = "100000"},
    [FLAG_OUT] = {.name = "out",
                  .operand = "FOLDER",
                  .text = "where passive.csv, energies and memory on the way, is written"},
    [FLAG_JSON] = {.name = "json", .text = "one JSON object, and nothing else"},
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
    const lasting_scene *scene;
    long steps, unsolved;
    double first, last; /* energy, J */
    double gain;        /* relative  */
    long gain_step;
    double memory_early, memory_late; /* bytes */
    double seconds;
} passive_run;

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
        if (error) {
            break;
        }
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
        if (k == steps / 10) {
            run->memory_early = lasting_memory();
        }
        progress_part(&clock, run->scene->name, k + 1, steps);
        if (k % every == 0 && csv) {
            fprintf(csv, "%s,%ld,%.17g,%.17g,%.0f\n", run->scene->name, k, step.kinetic_energy,
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
    *run = (passive_run){.scene = scene};
    mo_error error = lasting_build(scene, &world, &h, why);
    const double start = machine_processor_clock();
    error = error ? error : run_steps(world, h, csv, run, steps, why);
    run->seconds = machine_processor_clock() - start;
    mo_world_destroy(world);
    return error;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void print_head(long steps)
{
    printf("Scenes that nothing drives, %s steps each\n\n%-13s %9s %12s %12s %10s %9s %10s %10s "
           "%9s\n",
           number_whole(steps).text, "scene", "unsolved", "J at first", "J at last", "gain",
           "in step", "memory", "at end", "ms a step");
}

static void print_run(const passive_run *run)
{
    printf("%-13s %9ld %12.5g %12.5g %10.1e %9ld %10s %10s %9.3g\n", run->scene->name,
           run->unsolved, run->first, run->last, run->gain, run->gain_step,
           number_bytes(run->memory_early).text, number_bytes(run->memory_late).text,
           1e3 * run->seconds / (double)(run->steps ? run->steps : 1));
    fflush(stdout);
}

static void put_run(json *j, const passive_run *run)
{
    json_object(j, NULL);
    json_text(j, "scene", run->scene->name);
    json_whole(j, "steps", run->steps);
    json_whole(j, "unsolved_steps", run->unsolved);
    json_number(j, "energy_first", run->first);
    json_number(j, "energy_last", run->last);
    json_number(j, "largest_relative_gain", run->gain);
    json_whole(j, "largest_gain_step", run->gain_step);
    json_number(j, "memory_early_bytes", run->memory_early);
    json_number(j, "memory_late_bytes", run->memory_late);
    json_number(j, "seconds", run->seconds);
    json_object_end(j);
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct passive_call {
    args_values scenes;
    long steps;
    const char *out;
    int json;
} passive_call;

static mo_error run_all(const passive_call *call, FILE *csv, json *j, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < SCENE_COUNT && !error; ++k) {
        passive_run run;
        if (!lasting_is_asked(&call->scenes, SCENES[k].name)) {
            continue;
        }
        error = measure(SCENES + k, call->steps, csv, &run, why);
        if (!error && call->json) {
            put_run(j, &run);
        } else if (!error) {
            print_run(&run);
        }
    }
    return error;
}

static mo_error run_and_tell(const void *asked, FILE *csv, mo_message *why)
{
    const passive_call *call = asked;
    if (!call->json) {
        print_head(call->steps);
        return run_all(call, csv, NULL, why);
    }
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "bench", "passive");
    json_array(&j, "runs");
    const mo_error error = run_all(call, csv, &j, why);
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
    return error;
}

static int run_call(const passive_call *call)
{
    const lasting_sheet sheet = {call->out, "passive.csv", "scene,step,kinetic,potential,memory"};
    return lasting_run(COMMAND.name, &sheet, run_and_tell, call);
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
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    if (!lasting_know_all(COMMAND.name, &call.scenes, SCENES, SCENE_COUNT) ||
        !lasting_number(COMMAND.name, flags + FLAG_STEPS, 1, 1e9, &steps)) {
        return EXIT_CALL;
    }
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
