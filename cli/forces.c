/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau forces`: forces at contacts and joints, and accelerations, of a scene or of a robot from
 * its file, at one instant. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "forces_report.h"
#include "methods.h"
#include "moreau/moreau.h"
#include "settings.h"
#include "text.h"
#include "world_call.h"

static const args_command COMMAND = {
    .name = "forces",
    .operands = "SCENE|FILE",
    .summary = "forces at contacts and joints, and accelerations, at one instant",
    .about = "Computes forces and accelerations at one instant, without a time "
             "step. Touching contacts are classified as rolling or sliding, and for "
             "each the output shows whether it keeps rolling, starts to slip, "
             "keeps sliding or breaks. A contact whose bodies approach needs an "
             "impact first and is left out. If no forces at the sliding contacts "
             "obey the laws, the impulse that ends the sliding is shown. Joints "
             "are listed with their constraint forces and efforts.\n\nExit status: 0 "
             "if forces (or an impulse) were found, 1 if not, 2 for incorrect usage.",
    .examples = "  moreau forces stack\n"
                "  moreau forces incline --time 0.5\n"
                "  moreau forces robot.xml --key stand --time 2\n"
                "  moreau forces robot.xml --known right_knee=-2 --known left_knee=0\n"
                "  moreau forces arch --friction pyramid --method lemke --json\n",
    .least = 1,
    .most = 1,
};

enum {
    FLAG_SET,
    FLAG_MODEL,
    FLAG_MODEL_LAST = FLAG_MODEL + MODEL_FLAGS - 1,
    FLAG_TIME,
    FLAG_DT,
    FLAG_FRICTION,
    FLAG_METHOD,
    FLAG_GAP,
    FLAG_SPEED,
    FLAG_SOFTNESS,
    FLAG_KNOWN,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_SET] = WORLD_ROW_SET,
    MODEL_FLAG_ROWS(FLAG_MODEL),
    [FLAG_TIME] = {.name = "time",
                   .operand = "T",
                   .initial = "0",
                   .text = "simulate this long first, in s"},
    [FLAG_DT] = {.name = "dt",
                 .operand = "H",
                 .text = "size of these steps, in s; default: that of the scene"},
    [FLAG_FRICTION] = {.name = "friction",
                       .operand = "MODEL",
                       .initial = "cone",
                       .text = "cone, or pyramid at rolling contacts"},
    [FLAG_METHOD] = {.name = "method",
                     .operand = "NAME",
                     .text =
                         "solver; default: auto, then dantzig and lemke (pyramid: lemke first)"},
    [FLAG_GAP] = {.name = "gap",
                  .operand = "G",
                  .text = "gaps up to this count as touching, in m; default: 1e-6 of the smaller "
                          "shape"},
    [FLAG_SPEED] = {.name = "speed",
                    .operand = "S",
                    .initial = "1e-6",
                    .text = "speeds below this, in m/s, count as zero"},
    [FLAG_SOFTNESS] = {.name = "softness",
                       .operand = "S",
                       .initial = "0",
                       .text = "compliance of the contacts relative to that of the bodies; 1e-6 "
                               "makes redundant forces unique"},
    [FLAG_KNOWN] = {.name = "known",
                    .operand = "JOINT=A",
                    .text = "prescribe the acceleration of a joint of a mechanism, in m/s2 or "
                            "rad/s2, and compute the effort; may be given several times"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

typedef struct forces_call {
    world_call world;
    double time, h;
    mo_force_options options;
    int json;
} forces_call;

/* ---- the call -------------------------------------------------------------------------------- */

static int read_call(const args_flag *flags, const args_values *sets, const char *name,
                     forces_call *call)
{
    int status = world_call_read(COMMAND.name, name, sets, flags + FLAG_MODEL,
                                 flags[FLAG_JSON].value != NULL, &call->world);
    if (status) return status;
    call->h = call->world.scene->step;
    call->options = mo_default_force_options();
    call->json = flags[FLAG_JSON].value != NULL;
    status = settings_bounded(COMMAND.name, flags + FLAG_TIME, 0, 1e6, 0, &call->time);
    status =
        status ? status : settings_bounded(COMMAND.name, flags + FLAG_DT, 1e-9, 1e3, 0, &call->h);
    status = status
                 ? status
                 : settings_bounded(COMMAND.name, flags + FLAG_GAP, 0, 1e3, 0, &call->options.gap);
    status = status ? status
                    : settings_bounded(COMMAND.name, flags + FLAG_SPEED, 0, 1e6, 0,
                                       &call->options.speed);
    status = status ? status
                    : settings_bounded(COMMAND.name, flags + FLAG_SOFTNESS, 0, 1e6, 0,
                                       &call->options.softness);
    const char *friction = flags[FLAG_FRICTION].value, *method = flags[FLAG_METHOD].value;
    if (!status && friction && strcmp(friction, "cone") != 0 && strcmp(friction, "pyramid") != 0) {
        say(COMMAND.name, "--friction is cone or pyramid, not '%.100s'", friction);
        status = EXIT_CALL;
    }
    status = status ? status : method_check(COMMAND.name, method);
    call->options.solver.method = method;
    call->options.friction =
        friction && strcmp(friction, "pyramid") == 0 ? MO_FRICTION_PYRAMID : MO_FRICTION_CONE;
    return status;
}

static mo_error make_world(const forces_call *call, mo_world **world, mo_message *why)
{
    mo_error error = world_call_build(&call->world, world, why);
    const long long steps = llround(call->time / call->h);
    for (long long k = 0; k < steps && !error; ++k)
        error = mo_world_step(*world, call->h, NULL, why);
    return error;
}

/* ---- given accelerations --------------------------------------------------------------------- */

/* Finds a joint by name: its mechanism and its index in the velocities; 0 if not found. */
static int find_joint(const mo_world *world, const char *name, size_t length,
                      mo_known_acceleration *known)
{
    for (int m = 0; m < mo_world_mechanism_count(world); ++m) {
        const mo_mechanism_id id = mo_world_mechanism(world, m);
        for (int k = 0; k < mo_mechanism_get(world, id).joint_count; ++k) {
            const mo_axis_state joint = mo_mechanism_joint(world, id, k);
            if (joint.v_count == 1 && strlen(joint.name) == length &&
                strncmp(joint.name, name, length) == 0) {
                known->mechanism = id;
                known->velocity = joint.v_at;
                return 1;
            }
        }
    }
    return 0;
}

static int read_known(const mo_world *world, const args_values *all, mo_known_acceleration *known)
{
    for (int k = 0; k < all->count; ++k) {
        const char *text = all->at[k], *equals = strrchr(text, '=');
        char *end = NULL;
        known[k].acceleration = equals ? strtod(equals + 1, &end) : 0;
        if (!equals || end == equals + 1 || *end || !isfinite(known[k].acceleration)) {
            say(COMMAND.name,
                "--known takes JOINT=A, an acceleration in m/s2 or rad/s2, not '%.100s'", text);
            return EXIT_CALL;
        }
        if (!find_joint(world, text, (size_t)(equals - text), known + k)) {
            say(COMMAND.name,
                "--known: there is no revolute or prismatic joint '%.*s'; moreau run FILE --joints "
                "lists them",
                (int)(equals - text), text);
            return EXIT_CALL;
        }
    }
    return EXIT_DONE;
}

static int find_and_report(forces_call *call, const args_values *known)
{
    mo_known_acceleration accelerations[ARGS_MOST] = {{.velocity = 0}};
    mo_world *world = NULL;
    mo_forces forces = {0};
    mo_message why = {{0}};
    mo_error error = make_world(call, &world, &why);
    int status = error ? EXIT_FAILED : read_known(world, known, accelerations);
    if (!status) {
        call->options.known = accelerations;
        call->options.known_count = known->count;
        error = mo_world_forces(world, &call->options, &forces, &why);
        call->options.known = NULL;
        status = !error && forces.status == MO_SOLVED ? EXIT_DONE : EXIT_FAILED;
    }
    if (error)
        say(COMMAND.name, "%s", text_of_error("", error, &why));
    else if (status != EXIT_CALL && call->json)
        forces_report_json(call->world.scene->name, &call->options, world, &forces);
    else if (status != EXIT_CALL)
        forces_report_text(world, &forces);
    mo_forces_clear(&forces);
    mo_world_destroy(world);
    return status;
}

int command_forces(int argc, char **argv)
{
    model_file model = {0};
    forces_call call = {.world = {.model = &model}};
    args_values sets = {.count = 0}, targets = {.count = 0}, known = {.count = 0};
    args_flag flags[FLAG_COUNT];
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SET].all = &sets;
    flags[FLAG_MODEL + MODEL_TARGET].all = &targets;
    flags[FLAG_KNOWN].all = &known;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    int status = read_call(flags, &sets, argv[0], &call);
    if (!status) status = find_and_report(&call, &known);
    model_file_close(&model);
    return status;
}
