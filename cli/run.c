/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau run`: a scene in motion.  The parts are listed in run.h. */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "methods.h"
#include "nearest.h"
#include "number.h"
#include "option_flags.h"
#include "progress.h"
#include "run_list.h"
#include "run_outputs.h"
#include "run_report.h"
#include "run_state.h"
#include "settings.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "run",
    .operands = "SCENE|FILE",
    .summary = "simulate a scene or a robot",
    .about = "Builds the scene, or loads the robot of an MJCF, URDF or SDF file, and "
             "simulates it. The summary reports how accurately the steps were "
             "solved. A step that misses the tolerance is still taken and "
             "counted as unsolved; the summary gives the reason for the first "
             "one.\n\nExit status: 0 if all steps were taken (with --strict: and "
             "solved), 1 if a step was refused or a file could not be written, 2 "
             "for incorrect usage. Ctrl-C stops the run after the current step and "
             "still writes the outputs.",
    .examples = "  moreau run --list\n"
                "  moreau run stack --set count=30 --time 5\n"
                "  moreau run beads --set count=150 --set mu=0.3 --dt 0.02 --steps 100 --json\n"
                "  moreau run incline --csv incline.csv --plot out/incline\n"
                "  moreau run domino --vtk out/domino --every 4 --record domino.hdf5\n"
                "  moreau run arch --replay arch.html\n"
                "  moreau run wall --steps 50 --export-problem 50 wall50.hdf5\n"
                "  moreau run drum --time 5 --save-state drum5\n"
                "  moreau run drum --load-state drum5 --time 5\n"
                "  moreau run robot.xml --joints\n"
                "  moreau run robot.xml --key stand --target left_knee=-1.2 --time 5\n",
    .least = 0,
    .most = 1,
};

enum {
    FLAG_LIST,
    FLAG_JOINTS,
    FLAG_MODEL,
    FLAG_MODEL_LAST = FLAG_MODEL + MODEL_FLAGS - 1,
    FLAG_SET,
    FLAG_STEPS,
    FLAG_TIME,
    FLAG_DT,
    FLAG_METHOD,
    FLAG_LEVEL,
    FLAG_FIRST_ORDER,
    FLAG_FRICTION_RULE,
    FLAG_RESTITUTION_RULE,
    FLAG_EVERY,
    FLAG_CSV,
    FLAG_SENSORS,
    FLAG_RECORD,
    FLAG_REPLAY,
    FLAG_VTK,
    FLAG_PLOT,
    FLAG_EXPORT,
    FLAG_SAVE,
    FLAG_LOAD,
    FLAG_STRICT,
    FLAG_EXPLAIN,
    FLAG_JSON,
    FLAG_OWN
};

static const args_flag OWN_FLAGS[FLAG_OWN] = {
    [FLAG_LIST] = {.name = "list",
                   .text = "list the scenes with their parameters, defaults and ranges"},
    [FLAG_JOINTS] = {.name = "joints",
                     .text = "robots: list joints, actuators and keyframes, and exit"},
    MODEL_FLAG_ROWS(FLAG_MODEL),
    [FLAG_SET] = WORLD_ROW_SET,
    [FLAG_STEPS] = {.name = "steps", .operand = "N", .text = "number of steps"},
    [FLAG_TIME] = {.name = "time",
                   .operand = "T",
                   .text = "simulated time, in s; default: the duration of the scene"},
    [FLAG_DT] = WORLD_ROW_DT,
    [FLAG_METHOD] = METHOD_ROW,
    [FLAG_LEVEL] = {.name = "level",
                    .operand = "LEVEL",
                    .initial = "velocity",
                    .text = "velocity: time stepping; acceleration: impacts, then forces "
                            "(docs/forces.md)"},
    [FLAG_FIRST_ORDER] = {.name = "first_order",
                          .operand = "TAU",
                          .text =
                              "first-order dynamics, mass * velocity = TAU * force with TAU in s; "
                              "large values give quasistatic motion"},
    [FLAG_FRICTION_RULE] = {.name = "friction_rule",
                            .operand = "RULE",
                            .text = "friction of two surfaces: geometric, mean, product, minimum "
                                    "or maximum; default: geometric; maximum for MJCF files"},
    [FLAG_RESTITUTION_RULE] = {.name = "restitution_rule",
                               .operand = "RULE",
                               .text = "restitution of two surfaces, likewise; default: maximum"},
    [FLAG_EVERY] =
        {.name = "every",
         .operand = "K",
         .initial = "1",
         .text = "record every K-th step in --csv, --sensors, --record and --vtk, and always the "
                 "first state"},
    [FLAG_CSV] = {.name = "csv",
                  .operand = "FILE",
                  .text = "write a row for each body and recorded step: time, body, position, "
                          "orientation, velocity, angular velocity"},
    [FLAG_SENSORS] = {.name = "sensors",
                      .operand = "FILE",
                      .text = "write the sensors of a robot's file as CSV, a row for each "
                              "recorded step"},
    [FLAG_RECORD] = {.name = "record",
                     .operand = "FILE",
                     .text = "write an HDF5 recording: shapes, poses, velocities, contacts with "
                             "forces and modes"},
    [FLAG_REPLAY] = {.name = "replay",
                     .operand = "FILE",
                     .text = "write a self-contained HTML page that replays the run"},
    [FLAG_VTK] = {.name = "vtk",
                  .operand = "FOLDER",
                  .text = "write bodies.pvd and contacts.pvd for ParaView, with one file for "
                          "each recorded step"},
    [FLAG_PLOT] = {.name = "plot",
                   .operand = "FOLDER",
                   .text = "write steps.csv with energies, contact forces and residuals of "
                           "every step, and plot it with gnuplot"},
    [FLAG_EXPORT] = {.name = "export_problem",
                     .operand = "K FILE",
                     .takes_two = 1,
                     .text = "write the contact problem of step K (the first is 1) with its "
                             "solution to an FCLIB file"},
    [FLAG_SAVE] = {.name = "save_state",
                   .operand = "FILE",
                   .text = "save the final state, for --load-state"},
    [FLAG_LOAD] = {.name = "load_state",
                   .operand = "FILE",
                   .text = "continue from a saved state of the same scene with the same "
                           "parameters, bit for bit"},
    [FLAG_STRICT] = {.name = "strict", .text = "exit with status 1 if a step is unsolved"},
    [FLAG_EXPLAIN] = {.name = "explain",
                      .text = "decide for the first unsolved step whether its problem has a "
                              "solution"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

/* ---- the call -------------------------------------------------------------------------------- */

static args_flag *make_flags(args_values *sets, args_values *targets, int *count)
{
    const mo_options defaults = mo_default_world().solver;
    args_flag *flags = option_flags(OWN_FLAGS, FLAG_OWN, &defaults, count);
    if (flags) {
        snprintf(flags[FLAG_METHOD].initial, sizeof flags->initial, "%s", method_default());
        flags[FLAG_SET].all = sets;
        flags[FLAG_MODEL + MODEL_TARGET].all = targets;
    }
    return flags;
}

static int read_steps(const args_flag *flags, run_call *call)
{
    const double most = 2e9, longest = 1e12;
    double time = call->world.scene->time, steps = -1, every = 1;
    call->h = call->world.scene->step;
    if (flags[FLAG_STEPS].value && flags[FLAG_TIME].value) {
        say(COMMAND.name, "--steps and --time both define the duration; give one of them");
        return EXIT_CALL;
    }
    int status = settings_bounded(COMMAND.name, &flags[FLAG_DT], 1e-12, 1e6, 0, &call->h);
    status =
        status ? status : settings_bounded(COMMAND.name, &flags[FLAG_TIME], 0, longest, 0, &time);
    status =
        status ? status : settings_bounded(COMMAND.name, &flags[FLAG_STEPS], 0, most, 1, &steps);
    status =
        status ? status : settings_bounded(COMMAND.name, &flags[FLAG_EVERY], 1, most, 1, &every);
    if (status) return status;
    steps = steps >= 0 ? steps : ceil(time / call->h - 1e-6);
    if (steps > most) {
        say(COMMAND.name, "%s s in steps of %s s are more than %s steps", number_short(time).text,
            number_short(call->h).text, number_short(most).text);
        return EXIT_CALL;
    }
    call->steps = (int)steps;
    call->every = (int)every;
    return EXIT_DONE;
}

static int read_export(const args_flag *flag, run_call *call)
{
    double step = 0;
    if (!flag->value) return EXIT_DONE;
    if (!settings_number(flag->value, &step) || step != floor(step) || step < 1 ||
        step > call->steps) {
        say(COMMAND.name, "--export-problem %.100s: the steps are numbered from 1 to %d",
            flag->value, call->steps);
        return EXIT_CALL;
    }
    call->export_step = (int)step;
    call->export_file = flag->second;
    return EXIT_DONE;
}

/* A combination rule by name; none: the default. */
static int read_rule(const args_flag *flag, mo_combine_rule *rule)
{
    for (int k = MO_COMBINE_GEOMETRIC; flag->value && k < MO_COMBINE_COUNT; ++k)
        if (strcmp(flag->value, mo_combine_name((mo_combine_rule)k)) == 0)
            *rule = (mo_combine_rule)k;
    if (flag->value && !*rule) {
        say(COMMAND.name, "--%s is geometric, mean, product, minimum or maximum, not '%.100s'",
            flag->name, flag->value);
        return EXIT_CALL;
    }
    return 0;
}

static int read_call(const args_flag *flags, int flag_count, const args_values *sets,
                     const char *name, run_call *call)
{
    int status = world_call_read(COMMAND.name, name, sets, flags + FLAG_MODEL,
                                 flags[FLAG_JSON].value != NULL, &call->world);
    if (!status && !call->world.model && flags[FLAG_JOINTS].value) {
        say(COMMAND.name, "--joints is for files of robots (.xml, .urdf, .sdf)");
        status = EXIT_CALL;
    }
    status = status ? status : read_steps(flags, call);
    status = status ? status : read_export(&flags[FLAG_EXPORT], call);
    status = status ? status : method_check(COMMAND.name, flags[FLAG_METHOD].value);
    status = status ? status
                    : settings_bounded(COMMAND.name, &flags[FLAG_FIRST_ORDER], 0, 1e12, 0,
                                       &call->first_order);
    status = status ? status : read_rule(&flags[FLAG_FRICTION_RULE], &call->friction_rule);
    status = status ? status : read_rule(&flags[FLAG_RESTITUTION_RULE], &call->restitution_rule);
    const char *level = flags[FLAG_LEVEL].value;
    call->level =
        level && strcmp(level, "acceleration") == 0 ? MO_LEVEL_ACCELERATION : MO_LEVEL_VELOCITY;
    if (!status && level && strcmp(level, "velocity") != 0 && !call->level) {
        say(COMMAND.name, "--level is velocity or acceleration, not '%.100s'", level);
        status = EXIT_CALL;
    }
    mo_options checked = mo_default_options();
    if (!status &&
        !option_flags_read(COMMAND.name, flags + FLAG_OWN, flag_count - FLAG_OWN, &checked))
        status = EXIT_CALL;
    call->csv = flags[FLAG_CSV].value;
    call->sensors = flags[FLAG_SENSORS].value;
    call->record = flags[FLAG_RECORD].value;
    call->replay = flags[FLAG_REPLAY].value;
    call->vtk = flags[FLAG_VTK].value;
    call->plot = flags[FLAG_PLOT].value;
    call->save_state = flags[FLAG_SAVE].value;
    call->load_state = flags[FLAG_LOAD].value;
    call->json = flags[FLAG_JSON].value != NULL;
    call->strict = flags[FLAG_STRICT].value != NULL;
    call->explain = flags[FLAG_EXPLAIN].value != NULL;
    if (!status && call->world.model && !flags[FLAG_JSON].value && !flags[FLAG_JOINTS].value)
        model_file_hint(flags + FLAG_MODEL, call->world.model);
    return status;
}

/* ---- the world ------------------------------------------------------------------------------- */

/* The world of the call, with its options and its state; NULL after run_fail. */
static mo_world *make_world(const args_flag *flags, int flag_count, run_call *call,
                            run_tally *tally)
{
    mo_world *world = NULL;
    mo_message why = {{0}};
    mo_error error = world_call_build(&call->world, &world, &why);
    if (!error) {
        mo_world_def def = mo_world_definition(world);
        if (flags[FLAG_METHOD].value) def.solver.method = flags[FLAG_METHOD].value;
        def.level = call->level;
        def.first_order = call->first_order;
        def.friction_rule = call->friction_rule;
        def.restitution_rule = call->restitution_rule;
        option_flags_read_world(COMMAND.name, flags + FLAG_OWN, flag_count - FLAG_OWN, &def);
        call->options = def.solver;
        call->method = def.solver.method ? def.solver.method : method_default();
        error = mo_world_change(world, &def, &why);
    }
    if (error) {
        run_fail(tally, NULL, "the scene %s could not be built: %.400s", call->world.scene->name,
                 text_of_error("", error, &why));
    }
    if (error || (call->load_state && !run_state_load(call, world, tally))) {
        mo_world_destroy(world);
        return NULL;
    }
    return world;
}

/* ---- the report ------------------------------------------------------------------------------ */

static int report(const run_call *call, const run_tally *tally)
{
    if (call->json)
        run_report_json(call, tally);
    else if (tally->began && (tally->steps || !tally->error.text[0]))
        run_report_put(call, tally);
    if (tally->error_at)
        say_of_file(tally->error_at, "%s", tally->error.text);
    else if (tally->error.text[0])
        say(COMMAND.name, "%s", tally->error.text);
    else if (tally->interrupted)
        say(COMMAND.name, "interrupted after %d of %d steps", tally->steps, call->steps);
    const int failed =
        tally->error.text[0] || tally->interrupted || (call->strict && tally->unsolved);
    return failed ? EXIT_FAILED : EXIT_DONE;
}

static int run(const args_flag *flags, int flag_count, run_call *call)
{
    run_tally tally = {0};
    int status = run_outputs_check(COMMAND.name, call);
    if (status) return status;
    interrupt_watch();
    mo_world *world = make_world(flags, flag_count, call, &tally);
    if (world) run_simulate(call, world, &tally);
    status = report(call, &tally);
    mo_world_destroy(world);
    return status;
}

static int list(const char *name, int as_json)
{
    const world_scene *scene = name ? settings_scene(COMMAND.name, name) : NULL;
    if (name && !scene) return EXIT_CALL;
    run_list(scene, as_json);
    return EXIT_DONE;
}

int command_run(int argc, char **argv)
{
    model_file model = {0};
    run_call call = {.world = {.model = &model}};
    args_values sets = {.count = 0}, targets = {.count = 0};
    int flag_count = 0, operands = 0;
    args_flag *flags = make_flags(&sets, &targets, &flag_count);
    if (!flags) {
        say(COMMAND.name, "memory ran out");
        return EXIT_FAILED;
    }
    const args_answer answer = args_parse(&COMMAND, flags, flag_count, argc, argv, &operands);
    int status = answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    if (answer == ARGS_RUN && flags[FLAG_LIST].value) {
        status = list(operands ? argv[0] : NULL, flags[FLAG_JSON].value != NULL);
    } else if (answer == ARGS_RUN && !operands) {
        say(COMMAND.name, "missing scene or file; moreau run --list shows all scenes");
        status = EXIT_CALL;
    } else if (answer == ARGS_RUN) {
        status = read_call(flags, flag_count, &sets, argv[0], &call);
        if (!status && flags[FLAG_JOINTS].value)
            model_file_list(call.world.model, flags[FLAG_JSON].value != NULL);
        else if (!status)
            status = run(flags, flag_count, &call);
    }
    model_file_close(&model);
    free(flags);
    return status;
}
