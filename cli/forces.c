/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau forces`: contact forces and accelerations of a scene, or of a robot from its file, at one instant. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "json.h"
#include "methods.h"
#include "moreau/moreau.h"
#include "settings.h"
#include "text.h"
#include "world_call.h"

static const args_command COMMAND = {
    .name = "forces",
    .operands = "SCENE|FILE",
    .summary = "contact forces and accelerations at one instant",
    .about =
        "Forces and accelerations at the acceleration level, without a time step: contacts that"
        " touch are divided into rolling and sliding, and for each there is the force and what"
        " becomes of it: it rolls on, slips, slides on, or breaks; one whose bodies approach needs"
        " an impact first and is left out. Where sliding contacts leave no force that obeys the"
        " laws, the impulse that ends the sliding is shown.\n\n"
        "The exit status is 0 where forces (or an impulse) were found, 1 where they were not, and 2"
        " for a wrong call.",
    .examples = "  moreau forces stack\n"
                "  moreau forces incline --time 0.5\n"
                "  moreau forces robot.xml --key stand --time 2\n"
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
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_SET] = WORLD_ROW_SET,
    MODEL_FLAG_ROWS(FLAG_MODEL),
    [FLAG_TIME] = {.name = "time",
                   .operand = "T",
                   .initial = "0",
                   .text = "simulate so long first, in s, by time steps"},
    [FLAG_DT] = {.name = "dt",
                 .operand = "H",
                 .text = "length of these steps, in s; or the scene's"},
    [FLAG_FRICTION] = {.name = "friction",
                       .operand = "MODEL",
                       .initial = "cone",
                       .text = "cone, or pyramid (at contacts that roll)"},
    [FLAG_METHOD] = {.name = "method",
                     .operand = "NAME",
                     .text =
                         "one method; without it auto, then dantzig and lemke (the pyramid: lemke"
                         " first)"},
    [FLAG_GAP] = {.name = "gap",
                  .operand = "G",
                  .text = "contacts up to this gap touch, in m; or 1e-6 of the smaller shape"},
    [FLAG_SPEED] = {.name = "speed",
                    .operand = "S",
                    .initial = "1e-6",
                    .text = "what is slower than this, in m/s, is at rest: it rolls, or touches"},
    [FLAG_JSON] = {.name = "json", .text = "one JSON object, and nothing else"},
};

typedef struct forces_call {
    world_call world;
    double time, h;
    mo_force_options options;
    int json;
} forces_call;

/* ---- the call --------------------------------------------------------------------------------- */

static int read_call(const args_flag *flags, const args_values *sets, const char *name,
                     forces_call *call)
{
    int status = world_call_read(COMMAND.name, name, sets, flags + FLAG_MODEL,
                                 flags[FLAG_JSON].value != NULL, &call->world);
    if (status) {
        return status;
    }
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
    for (long long k = 0; k < steps && !error; ++k) {
        error = mo_world_step(*world, call->h, NULL, why);
    }
    return error;
}

/* ---- for a program ---------------------------------------------------------------------------- */

static void json_vector(json *j, const char *key, int count, const double *x)
{
    json_array(j, key);
    for (int k = 0; k < count; ++k) {
        json_number(j, NULL, x[k]);
    }
    json_array_end(j);
}

static void json_body(json *j, const char *key, const mo_world *world, mo_body_id id)
{
    const mo_body_state body = mo_body_get(world, id);
    int k = 0;
    while (mo_world_body(world, k).index && mo_world_body(world, k).index != id.index) {
        ++k;
    }
    json_object(j, key);
    json_whole(j, "body", k);
    json_text(j, "name", body.name);
    json_object_end(j);
}

static void json_contact(json *j, const mo_world *world, const mo_contact_force *c)
{
    json_object(j, NULL);
    json_body(j, "a", world, c->a);
    json_body(j, "b", world, c->b);
    json_text(j, "transition", mo_transition_name(c->transition));
    json_truth(j, "sliding", c->is_sliding);
    json_vector(j, "point", 3, c->point);
    json_vector(j, "normal", 3, c->normal);
    json_number(j, "gap", c->gap);
    json_number(j, "mu", c->mu);
    json_vector(j, "velocity", 3, c->velocity);
    json_vector(j, "acceleration", 3, c->acceleration);
    json_vector(j, "force", 3, c->force);
    json_vector(j, "moment", 3, c->moment);
    json_object_end(j);
}

static void report_json(const forces_call *call, const mo_world *world, const mo_forces *forces)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "scene", call->world.scene->name);
    json_number(&j, "time", mo_world_time(world));
    json_text(&j, "status", mo_status_word(forces->status));
    json_text(&j, "message", forces->message.text);
    json_text(&j, "friction", call->options.friction == MO_FRICTION_PYRAMID ? "pyramid" : "cone");
    json_text(&j, "method", forces->method);
    json_whole(&j, "iterations", forces->iterations);
    json_number(&j, "residual", forces->residual.natural);
    json_truth(&j, "impulsive", forces->is_impulsive);
    json_whole(&j, "rolling", forces->rolling);
    json_whole(&j, "sliding", forces->sliding);
    json_whole(&j, "impacts", forces->impacts);
    json_whole(&j, "moving", forces->moving);
    json_array(&j, "contacts");
    for (int k = 0; k < forces->contact_count; ++k) {
        json_contact(&j, world, forces->contacts + k);
    }
    json_array_end(&j);
    json_array(&j, "accelerations");
    for (int k = 0; k < forces->body_count; ++k) {
        json_vector(&j, NULL, 6, forces->accelerations[k]);
    }
    json_array_end(&j);
    json_vector(&j, "joint_accelerations", forces->joint_acceleration_count,
                forces->joint_accelerations);
    json_object_end(&j);
    json_end(&j);
}

/* ---- for a person ----------------------------------------------------------------------------- */

enum { NAME_WIDTH = 14, MOST_LINES = 24 };

static void put_name(const mo_world *world, mo_body_id id)
{
    const mo_body_state body = mo_body_get(world, id);
    char number[32];
    snprintf(number, sizeof number, "body %d", (int)id.index - 1);
    text_put_column(stdout, body.name[0] ? body.name : number, NAME_WIDTH);
}

static double length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double along(const double x[3], const double n[3])
{
    return x[0] * n[0] + x[1] * n[1] + x[2] * n[2];
}

static void put_contact(const mo_world *world, const mo_contact_force *c)
{
    const double normal = along(c->force, c->normal), all = length(c->force);
    const double friction = sqrt(fmax(all * all - normal * normal, 0));
    put_name(world, c->a);
    printf(" ");
    put_name(world, c->b);
    printf(" %-7s %12.6g %12.6g %12.4g %12.4g\n", mo_transition_name(c->transition), normal,
           friction, length(c->velocity), length(c->acceleration));
}

static void report_text(const mo_world *world, const mo_forces *forces)
{
    printf("time       %g s\n", mo_world_time(world));
    printf("contacts   %d touch: %d roll, %d slide, %d collide\n", forces->contact_count,
           forces->rolling, forces->sliding, forces->impacts);
    printf("bodies     %d are accelerated%s\n", forces->moving,
           forces->moving ? "" : ": what is at rest holds");
    printf("%s  %s by %s, %d iterations, residual %.2g\n",
           forces->is_impulsive ? "impulse  " : "forces   ", mo_status_word(forces->status),
           forces->method ? forces->method : "no method", forces->iterations,
           forces->residual.natural);
    if (forces->is_impulsive) {
        printf("           no forces obey the laws here: these are impulses, in N s, and the "
               "velocities after them\n");
    }
    if (forces->status != MO_SOLVED && forces->message.text[0]) {
        printf("           %s\n", forces->message.text);
    }
    if (forces->contact_count > 0) {
        printf("\n%-*s %-*s %-7s %12s %12s %12s %12s\n", NAME_WIDTH, "a", NAME_WIDTH, "b",
               "becomes", forces->is_impulsive ? "normal N s" : "normal N",
               forces->is_impulsive ? "friction" : "friction N", "speed m/s",
               forces->is_impulsive ? "then m/s" : "accel m/s2");
    }
    for (int k = 0; k < forces->contact_count && k < MOST_LINES; ++k) {
        put_contact(world, forces->contacts + k);
    }
    if (forces->contact_count > MOST_LINES) {
        printf("... and %d more; --json has all of them\n", forces->contact_count - MOST_LINES);
    }
}

int command_forces(int argc, char **argv)
{
    model_file model = {0};
    forces_call call = {.world = {.model = &model}};
    args_values sets = {.count = 0}, targets = {.count = 0};
    args_flag flags[FLAG_COUNT];
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SET].all = &sets;
    flags[FLAG_MODEL + MODEL_TARGET].all = &targets;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) {
        return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    }
    const int status = read_call(flags, &sets, argv[0], &call);
    if (status) {
        model_file_close(&model);
        return status;
    }
    mo_world *world = NULL;
    mo_forces forces = {0};
    mo_message why = {{0}};
    mo_error error = make_world(&call, &world, &why);
    error = error ? error : mo_world_forces(world, &call.options, &forces, &why);
    if (error) {
        say(COMMAND.name, "%s", text_of_error("", error, &why));
    } else if (call.json) {
        report_json(&call, world, &forces);
    } else {
        report_text(world, &forces);
    }
    const int is_solved = !error && forces.status == MO_SOLVED;
    mo_forces_clear(&forces);
    mo_world_destroy(world);
    model_file_close(&model);
    return is_solved ? EXIT_DONE : EXIT_FAILED;
}
