/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau compare`: simulates the robot of a file in Moreau and in MuJoCo.
 *
 * The file is read once.  MuJoCo receives the same model as MJCF (mo_model_write) and runs in a
 * separate process (bench/peers/mujoco_robot.c) with its default solver and elliptic cones.  Both
 * start at the same coordinates with the same controls and take the same steps.  If MuJoCo's
 * default integrator is unstable, its implicit one is used, and the report says so.  Times are
 * processor times on one thread; the first step, which allocates memory, is reported separately.
 * Creep is the largest displacement of a body in the last fifth of the time.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "command.h"
#include "json.h"
#include "model_file.h"
#include "settings.h"
#include "solvers/beside.h"
#include "solvers/child.h"
#include "temporary.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "compare",
    .operands = "FILE",
    .summary = "simulate a robot in Moreau and in MuJoCo, and compare",
    .about = "Simulates the same model from the same state with the same controls in both, and "
             "compares the time of a step, contacts, penetration, heights, creep and joint "
             "angles. MuJoCo uses its default solver and elliptic cones, and its implicit "
             "integrator if the default one is unstable. MuJoCo must be installed when Moreau is "
             "built.",
    .examples = "  moreau compare robot.xml --key stand --time 2\n"
                "  moreau compare robot.xml --target left_knee=-1.2 --json\n",
    .least = 1,
    .most = 1,
};

enum {
    FLAG_WITH,
    FLAG_TIME,
    FLAG_MODEL,
    FLAG_MODEL_LAST = FLAG_MODEL + MODEL_FLAGS - 1,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_WITH] = {.name = "with",
                   .operand = "NAME",
                   .text = "the other simulator",
                   .initial = "mujoco"},
    [FLAG_TIME] = {.name = "time", .operand = "T", .text = "simulated time, in s", .initial = "2"},
    MODEL_FLAG_ROWS(FLAG_MODEL),
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

/* Result of one of the two simulators. */
typedef struct outcome {
    char failed[400];        /* "": it finished */
    double seconds, longest; /* of all steps but the first */
    double first, contacts, penetration;
    double *middle, *end; /* positions of the bodies, 3 numbers each */
    double *q;            /* at the end */
    int unsolved;         /* ours */
    int is_implicit;      /* MuJoCo: the default integrator was unstable */
    double most_energy;   /* ours: kinetic, J */
} outcome;

typedef struct comparison {
    model_file file;
    double h;
    int steps, json;
    char program[BESIDE_PATH_SIZE],
        path[TEMPORARY_PATH + 16]; /* of the other, and of the model that it reads */
    outcome ours, theirs;
} comparison;

/* ---- ours ------------------------------------------------------------------------------------ */

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void get_positions(const model_file *file, const mo_world *world, double *x)
{
    for (int k = 0; k < file->model.body_count; ++k) {
        const mo_body_id id = mo_robot_body(file->robot, k);
        if (id.index) memcpy(x + 3 * k, mo_body_get(world, id).pose.position, 3 * sizeof *x);
    }
}

static mo_error run_ours(comparison *c, mo_world *world, mo_message *why)
{
    outcome *o = &c->ours;
    mo_error error = MO_OK;
    for (int k = 0; k < c->steps && !error; ++k) {
        mo_step_report report = {0};
        if (k == c->steps - c->steps / 5) get_positions(&c->file, world, o->middle);
        const double before = processor_time();
        error = mo_world_step(world, c->h, &report, why);
        const double took = processor_time() - before;
        o->first = k == 0 ? took : o->first;
        o->seconds += k == 0 ? 0 : took;
        o->longest = k == 0 ? 0 : fmax(o->longest, took);
        o->contacts += (double)report.contacts / c->steps;
        o->penetration = fmax(o->penetration, report.penetration);
        o->unsolved += report.status != MO_SOLVED;
        o->most_energy = fmax(o->most_energy, report.kinetic_energy);
    }
    get_positions(&c->file, world, o->end);
    mo_robot_get(c->file.robot, world, o->q, NULL);
    return error;
}

/* ---- MuJoCo's side --------------------------------------------------------------------------- */

/* The gains that the world gave to servos, and the start as the only keyframe. */
static mo_error write_model(comparison *c, const mo_world *world, mo_message *why)
{
    mo_model model = c->file.model;
    double *v = calloc((size_t)model.v_count + 1, sizeof *v);
    double *q = calloc((size_t)model.q_count + 1, sizeof *q);
    mo_model_key start = {.name = "start", .q = q, .v = v, .control = c->file.control};
    mo_error error = v && q ? MO_OK : MO_ERR_MEMORY;
    for (int k = 0; k < model.actuator_count; ++k) {
        int number = 0;
        const mo_mechanism_id id = mo_robot_actuator(c->file.robot, k, &number);
        if (id.index) {
            const mo_actuator_state state = mo_mechanism_actuator(world, id, number);
            model.actuators[k].gain = state.gain;
            memcpy(model.actuators[k].bias, state.bias, sizeof state.bias);
        }
    }
    if (!error) {
        mo_robot_get(c->file.robot, world, q, v);
        model.keys = &start;
        model.key_count = 1;
        model.step = c->h;
        error = mo_model_write(c->path, &model, why);
    }
    free(q);
    free(v);
    return error;
}

static int become_theirs(const void *input, FILE *out)
{
    const comparison *c = input;
    char text[3][TEMPORARY_PATH + 16];
    char *words[4] = {text[0], text[1], text[2], NULL};
    snprintf(text[0], sizeof text[0], "%s", c->program);
    snprintf(text[1], sizeof text[1], "%s", c->path);
    snprintf(text[2], sizeof text[2], "%d", c->steps);
    return beside_become(words, out);
}

static void read_row(const char *text, double *x, int count)
{
    char *end;
    for (int k = 0; k < count; ++k, text = end)
        x[k] = strtod(text, &end);
}

/* One line of its output. */
static void take_line(comparison *c, const char *name, const char *rest, int *rows)
{
    outcome *o = &c->theirs;
    const mo_model *model = &c->file.model;
    if (strcmp(name, "positions") == 0) {
        read_row(rest, (*rows)++ ? o->end : o->middle, 3 * model->body_count);
    } else if (strcmp(name, "q") == 0) {
        read_row(rest, o->q, model->q_count);
    } else if (strcmp(name, "implicit") == 0) {
        o->is_implicit = 1;
    } else if (strcmp(name, "failed") == 0) {
        snprintf(o->failed, sizeof o->failed, "%s", rest);
    } else {
        read_row(rest,
                 strcmp(name, "seconds") == 0    ? &o->seconds
                 : strcmp(name, "longest") == 0  ? &o->longest
                 : strcmp(name, "first") == 0    ? &o->first
                 : strcmp(name, "contacts") == 0 ? &o->contacts
                                                 : &o->penetration,
                 strcmp(name, "version") != 0);
    }
}

/* All numbers of a failed run are unknown. */
static void forget(const comparison *c, outcome *o)
{
    o->seconds = o->longest = o->first = o->contacts = o->penetration = NAN;
    for (int k = 0; k < 3 * c->file.model.body_count; ++k)
        o->middle[k] = o->end[k] = NAN;
    for (int k = 0; k < c->file.model.q_count; ++k)
        o->q[k] = NAN;
}

static void run_theirs(comparison *c)
{
    const size_t room = 65536 + 60 * (size_t)(6 * c->file.model.body_count + c->file.model.q_count);
    char *answer = malloc(room);
    int rows = 0;
    const child_end end = answer ? child_run(become_theirs, c, 3600, answer, room) : CHILD_CRASHED;
    for (char *line = answer, *next; end == CHILD_DONE && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = '\0', 1) : 0;
        char *space = line + strcspn(line, " ");
        char *rest = space + (*space ? (*space = '\0', 1) : 0);
        take_line(c, line, rest, &rows);
    }
    if (rows < 2 && !c->theirs.failed[0])
        snprintf(c->theirs.failed, sizeof c->theirs.failed, "it ended before the last step");
    if (c->theirs.failed[0]) forget(c, &c->theirs);
    free(answer);
}

/* ---- the report ------------------------------------------------------------------------------ */

static double creep(const comparison *c, const outcome *o)
{
    double most = o->failed[0] ? NAN : 0;
    for (int k = 0; k < c->file.model.body_count && !o->failed[0]; ++k) {
        const double *a = o->middle + 3 * k, *b = o->end + 3 * k;
        most = fmax(most, sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                               (b[2] - a[2]) * (b[2] - a[2])));
    }
    return most;
}

/* The hinge or slide whose q differs most, or -1. */
static int worst_joint(const comparison *c)
{
    const mo_model *model = &c->file.model;
    int worst = -1;
    double most = -1;
    for (int k = 0; k < model->joint_count; ++k) {
        const int at = model->joints[k].first_q;
        const double off = fabs(c->ours.q[at] - c->theirs.q[at]);
        if (model->joints[k].kind >= MO_MODEL_SLIDE && off > most) {
            most = off;
            worst = k;
        }
    }
    return worst;
}

/* The first body that is free in the world, or -1. */
static int free_body(const mo_model *model)
{
    for (int k = 0; k < model->joint_count; ++k)
        if (model->joints[k].kind == MO_MODEL_FREE) return model->joints[k].body;
    return -1;
}

/* All but the first. */
static double timed_steps(const comparison *c)
{
    return c->steps > 1 ? c->steps - 1 : 1;
}

static void put_row(const char *what, const char *unit, double ours, double theirs)
{
    char number[32] = "-"; /* unknown */
    if (!isnan(theirs)) snprintf(number, sizeof number, "%.6g", theirs);
    printf("%-34s %12.6g %12s %s\n", what, ours, number, unit);
}

static void report(const comparison *c)
{
    const mo_model *model = &c->file.model;
    const outcome *o = &c->ours, *t = &c->theirs;
    const int joint = worst_joint(c), body = free_body(model);
    const double each = 1e6 / timed_steps(c);
    printf("%s: %d steps of %g s, %d velocities\n", c->file.path, c->steps, c->h, model->v_count);
    printf("%-34s %12s %12s\n", "", "moreau", "mujoco");
    put_row("time per step", "us", each * o->seconds, each * t->seconds);
    if (!t->failed[0]) printf("%-34s %12.3g\n", "  ratio", o->seconds / t->seconds);
    put_row("longest step", "us", 1e6 * o->longest, 1e6 * t->longest);
    put_row("first step", "us", 1e6 * o->first, 1e6 * t->first);
    put_row("real-time factor", "", c->h * timed_steps(c) / o->seconds,
            c->h * timed_steps(c) / t->seconds);
    put_row("mean number of contacts", "", o->contacts, t->contacts);
    put_row("deepest penetration", "mm", 1e3 * o->penetration, 1e3 * t->penetration);
    put_row("creep in the last fifth of the run", "mm", 1e3 * creep(c, o), 1e3 * creep(c, t));
    if (body >= 0) {
        char what[80];
        snprintf(what, sizeof what, "height of %.20s", model->bodies[body].name);
        put_row(what, "m", o->end[3 * body + 2], t->end[3 * body + 2]);
    }
    if (joint >= 0) {
        char what[80];
        const int at = model->joints[joint].first_q;
        snprintf(what, sizeof what, "joint %.13s (largest difference)", model->joints[joint].name);
        put_row(what, model->joints[joint].kind == MO_MODEL_HINGE ? "rad" : "m", o->q[at],
                t->q[at]);
    }
    printf("%-34s %12d\n", "unsolved steps", o->unsolved);
    if (t->is_implicit)
        printf("MuJoCo ran with its implicit integrator: its default one was unstable.\n");
}

static void put_outcome(json *j, const comparison *c, const char *name, const outcome *o)
{
    json_object(j, name);
    json_text(j, "failed", o->failed[0] ? o->failed : NULL);
    json_number(j, "seconds_a_step", o->seconds / timed_steps(c));
    json_number(j, "seconds_longest_step", o->longest);
    json_number(j, "seconds_first_step", o->first);
    json_number(j, "contacts", o->contacts);
    json_number(j, "penetration", o->penetration);
    json_number(j, "creep", creep(c, o));
    json_array(j, "heights");
    for (int k = 0; k < c->file.model.body_count; ++k)
        json_number(j, NULL, o->end[3 * k + 2]);
    json_array_end(j);
    json_array(j, "q");
    for (int k = 0; k < c->file.model.q_count; ++k)
        json_number(j, NULL, o->q[k]);
    json_array_end(j);
    json_object_end(j);
}

static void report_json(const comparison *c)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "file", c->file.path);
    json_whole(&j, "velocities", c->file.model.v_count);
    json_whole(&j, "steps", c->steps);
    json_number(&j, "dt", c->h);
    json_number(&j, "ratio", c->ours.seconds / c->theirs.seconds);
    json_whole(&j, "unsolved", c->ours.unsolved);
    json_number(&j, "most_kinetic_energy", c->ours.most_energy);
    put_outcome(&j, c, "moreau", &c->ours);
    put_outcome(&j, c, "mujoco", &c->theirs);
    json_truth(&j, "mujoco_is_implicit", c->theirs.is_implicit);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the call -------------------------------------------------------------------------------- */

static int allocate(comparison *c)
{
    const size_t x = 3 * (size_t)c->file.model.body_count, q = (size_t)c->file.model.q_count + 1;
    for (int k = 0; k < 2; ++k) {
        outcome *o = k ? &c->theirs : &c->ours;
        o->middle = calloc(x, sizeof *o->middle);
        o->end = calloc(x, sizeof *o->end);
        o->q = calloc(q, sizeof *o->q);
        if (!o->middle || !o->end || !o->q) return 0;
    }
    return 1;
}

static int compare(comparison *c)
{
    mo_message why = {{0}};
    mo_world *world = NULL;
    char folder[TEMPORARY_PATH];
    if (!temporary_folder(folder)) {
        say(COMMAND.name, "no folder for temporary files could be created: %s", strerror(errno));
        return EXIT_FAILED;
    }
    snprintf(c->path, sizeof c->path, "%s/model.xml", folder);
    mo_error error = model_file_build(&c->file, &world, &why);
    if (!error) {
        mo_world_def def = mo_world_definition(world);
        def.solver.threads = 1;
        error = mo_world_change(world, &def, &why);
    }
    error = error ? error : write_model(c, world, &why);
    if (!error) {
        run_theirs(c);
        error = run_ours(c, world, &why);
    }
    unlink(c->path);
    rmdir(folder);
    mo_world_destroy(world);
    if (error) {
        say_of_file(c->file.path, "%s", text_of_error("", error, &why));
        return EXIT_FAILED;
    }
    if (c->json)
        report_json(c);
    else
        report(c);
    if (c->theirs.failed[0]) say_of_file(c->file.path, "%s", c->theirs.failed);
    return c->theirs.failed[0] ? EXIT_FAILED : EXIT_DONE;
}

static int read_call(const args_flag *flags, const char *path, comparison *c)
{
    const args_values none = {.count = 0};
    const char *with = flags[FLAG_WITH].value;
    double time = 2;
    c->json = flags[FLAG_JSON].value != NULL;
    if (with && strcmp(with, "mujoco") != 0) {
        say(COMMAND.name, "--with %.60s is not supported; use mujoco", with);
        return EXIT_CALL;
    }
    if (!beside_find("mujoco-robot", c->program)) {
        say(COMMAND.name, "MuJoCo was not found when Moreau was built (Debian: libmujoco-dev)");
        return EXIT_FAILED;
    }
    int status = settings_bounded(COMMAND.name, flags + FLAG_TIME, 1e-6, 1e6, 0, &time);
    status =
        status ? status
               : model_file_open(COMMAND.name, path, flags + FLAG_MODEL, &none, c->json, &c->file);
    if (!status) {
        c->h = model_file_step(&c->file);
        c->steps = (int)fmax(5, ceil(time / c->h - 1e-9));
        if (!allocate(c)) {
            say(COMMAND.name, "memory ran out");
            status = EXIT_FAILED;
        }
    }
    return status;
}

int command_compare(int argc, char **argv)
{
    comparison c = {.steps = 0};
    args_values targets = {.count = 0};
    args_flag flags[FLAG_COUNT];
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_MODEL + MODEL_TARGET].all = &targets;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_WRONG ? EXIT_CALL : EXIT_DONE;
    int status = read_call(flags, argv[0], &c);
    status = status ? status : compare(&c);
    for (int k = 0; k < 2; ++k) {
        outcome *o = k ? &c.theirs : &c.ours;
        free(o->middle);
        free(o->end);
        free(o->q);
    }
    model_file_close(&c.file);
    return status;
}
