/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "nearest.h"
#include "settings.h"
#include "text.h"

enum { MOST_NOTES = 20 };

int model_file_is(const char *name)
{
    static const char *const ENDS[] = {".xml", ".urdf", ".mjcf", ".sdf", ".world"};
    const size_t length = strlen(name);
    for (size_t k = 0; k < sizeof ENDS / sizeof ENDS[0]; ++k) {
        const size_t n = strlen(ENDS[k]);
        if (length > n && strcasecmp(name + length - n, ENDS[k]) == 0) return 1;
    }
    return 0;
}

double model_file_step(const model_file *file)
{
    return file->model.step > 0 ? file->model.step : 0.002;
}

void model_file_close(model_file *file)
{
    mo_robot_destroy(file->robot);
    mo_model_clear(&file->model);
    free(file->control);
    free(file->forces);
    free(file->sensed);
    *file = (model_file){0};
}

static void say_notes(const model_file *file)
{
    const mo_model *model = &file->model;
    for (int k = 0; k < model->note_count && k < MOST_NOTES; ++k)
        say_of_file(file->path, "%s", model->notes[k].text);
    if (model->note_count > MOST_NOTES)
        say_of_file(file->path, "and %d notes more", model->note_count - MOST_NOTES);
}

/* ---- keyframes and targets ------------------------------------------------------------------- */

static int find_key(const char *command, const char *name, model_file *file)
{
    file->key = name ? mo_model_find_key(&file->model, name) : -1;
    if (!name || file->key >= 0) return EXIT_DONE;
    nearest n = {.typed = name};
    for (int k = 0; k < file->model.key_count; ++k)
        nearest_try(&n, file->model.keys[k].name);
    say(command, "%.100s has no keyframe '%.100s'%s%s%s", file->path, name,
        n.name ? "; did you mean " : "; --joints lists its keyframes", n.name ? n.name : "",
        n.name ? "?" : "");
    return EXIT_CALL;
}

/* The actuator with this name, or that of the joint with this name. */
static int find_actuator(const mo_model *model, const char *name)
{
    const int found = mo_model_find_actuator(model, name), joint = mo_model_find_joint(model, name);
    for (int k = 0; found < 0 && joint >= 0 && k < model->actuator_count; ++k)
        if (model->actuators[k].joint == joint) return k;
    return found;
}

static int read_target(const char *command, const char *text, model_file *file)
{
    char name[200];
    double value = 0;
    const size_t length = strcspn(text, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < 199 ? length : 199), text);
    const int actuator = find_actuator(&file->model, name);
    if (actuator < 0) {
        nearest n = {.typed = name};
        for (int k = 0; k < file->model.actuator_count; ++k)
            nearest_try(&n, file->model.actuators[k].name);
        say(command, "%.100s has no actuator '%.100s'%s%s%s", file->path, name,
            n.name ? "; did you mean " : "; --joints lists its actuators", n.name ? n.name : "",
            n.name ? "?" : "");
        return EXIT_CALL;
    }
    if (text[length] != '=' || !settings_number(text + length + 1, &value)) {
        say(command, "--target %.100s is not NAME=NUMBER", text);
        return EXIT_CALL;
    }
    file->control[actuator] = value;
    return EXIT_DONE;
}

/* Gives a floating base to bodies that the file fixes to the world and that have joints or mass. */
static int set_free(const char *command, model_file *file)
{
    mo_message why = {{0}};
    int count = 0;
    for (int k = 1; k < file->model.body_count; ++k) {
        const mo_model_body *body = file->model.bodies + k;
        if (body->parent == 0 && body->joint_count == 0) {
            if (mo_model_release(&file->model, k, &why)) {
                say_of_file(file->path, "%s", why.text);
                return EXIT_FAILED;
            }
            ++count;
        }
    }
    if (!count) say(command, "--free: nothing of %.100s is fixed to the world", file->path);
    return count ? EXIT_DONE : EXIT_CALL;
}

/* Motors into servos. */
static int set_servos(const char *command, const args_flag *row, model_file *file)
{
    double rate = 0;
    const int status = settings_bounded(command, row, 1e-3, 1e4, 0, &rate);
    if (status || !row->value) return status;
    if (!mo_model_servo(&file->model, 2 * 3.14159265358979323846 * rate)) {
        say(command, "--servo: %.100s has no motor on a hinge or slide", file->path);
        return EXIT_CALL;
    }
    /* They hold the joints at their initial positions. */
    for (int k = 0; k < file->model.actuator_count; ++k) {
        const mo_model_actuator *a = file->model.actuators + k;
        const double *q = file->key >= 0 ? file->model.keys[file->key].q : file->model.q;
        if (a->servo_rate > 0) file->control[k] = q[file->model.joints[a->joint].first_q];
    }
    return EXIT_DONE;
}

/* Keyframe, controls, freedom and floor. */
static int read_options(const char *command, const args_flag *rows, model_file *file)
{
    const args_values *targets = rows[MODEL_TARGET].all;
    int status = rows[MODEL_FREE].value ? set_free(command, file) : EXIT_DONE;
    status = status ? status : find_key(command, rows[MODEL_KEY].value, file);
    if (!status && file->key >= 0) {
        memcpy(file->control, file->model.keys[file->key].control,
               (size_t)file->model.actuator_count * sizeof *file->control);
    }
    status = status ? status : set_servos(command, rows + MODEL_SERVO, file);
    for (int k = 0; k < targets->count && !status; ++k)
        status = read_target(command, targets->at[k], file);
    file->has_floor = rows[MODEL_FLOOR].value != NULL;
    return status ? status
                  : settings_bounded(command, rows + MODEL_FLOOR, -1e6, 1e6, 0, &file->floor);
}

void model_file_hint(const args_flag *rows, const model_file *file)
{
    const mo_model *model = &file->model;
    if (strcmp(model->format, "MJCF") != 0 && model->actuator_count > 0 &&
        !rows[MODEL_SERVO].value && !rows[MODEL_TARGET].all->count) {
        say_of_file(file->path, "%d motor%s no force; --servo 5 lets %s hold the joints",
                    model->actuator_count, model->actuator_count > 1 ? "s give" : " gives",
                    model->actuator_count > 1 ? "them" : "it");
    }
    if (model->key_count > 0 && !rows[MODEL_KEY].value && model->keys[0].name[0]) {
        say_of_file(file->path, "the file has %s; --key %.60s starts from %s",
                    model->key_count > 1 ? "keyframes" : "a keyframe", model->keys[0].name,
                    model->key_count > 1 ? "the first" : "it");
    }
}

int model_file_open(const char *command, const char *path, const args_flag *rows,
                    const args_values *sets, int quiet, model_file *file)
{
    mo_message why = {{0}};
    *file = (model_file){.path = path};
    if (sets->count) {
        say(command, "--set applies to scenes; robots take --key and --target");
        return EXIT_CALL;
    }
    const mo_error error =
        mo_model_read_with(path, rows[MODEL_MESHES].value, NULL, &file->model, &why);
    if (error) {
        say_of_file(path, "%s", text_of_error("", error, &why));
        return EXIT_FAILED;
    }
    file->control = calloc((size_t)file->model.actuator_count + 1, sizeof *file->control);
    file->forces = calloc((size_t)file->model.body_count + 1, sizeof *file->forces);
    if (!file->control || !file->forces) {
        say(command, "memory ran out");
        return EXIT_FAILED;
    }
    file->quiet = quiet;
    if (!quiet) say_notes(file);
    return read_options(command, rows, file);
}

int model_flags_refuse(const char *command, const args_flag *rows)
{
    for (int k = 0; k < MODEL_FLAGS; ++k) {
        if (rows[k].value || (rows[k].all && rows[k].all->count)) {
            say(command, "%s is for files of robots (.xml, .urdf, .sdf)",
                args_typed(rows[k].name).text);
            return EXIT_CALL;
        }
    }
    return EXIT_DONE;
}

/* ---- in a world ------------------------------------------------------------------------------ */

static mo_error add_floor(double z, mo_world *world, mo_message *why)
{
    mo_body_def def = mo_default_body(MO_BODY_FIXED);
    mo_shape_def plane = mo_shape_plane();
    plane.material.friction = 1; /* the default of MJCF, URDF and SDF */
    def.pose = mo_pose_at(0, 0, z);
    def.name = "floor";
    const mo_body_id body = mo_world_add_body(world, &def, why);
    return body.index && mo_world_add_shape(world, body, &plane, why).index ? MO_OK
                                                                            : MO_ERR_ARGUMENT;
}

mo_error model_file_build(void *user, mo_world **world, mo_message *why)
{
    model_file *file = user;
    const mo_world_def def = mo_model_world(&file->model);
    mo_robot_destroy(file->robot);
    file->robot = NULL;
    *world = NULL;
    mo_error error = mo_world_create(&def, NULL, world, why);
    error = error ? error : mo_model_build(&file->model, *world, NULL, &file->robot, why);
    error = error || !file->has_floor ? error : add_floor(file->floor, *world, why);
    if (!error && file->key >= 0)
        error = mo_robot_set_key(file->robot, *world, file->model.keys + file->key, why);
    error = error ? error : mo_robot_set_controls(file->robot, *world, file->control, why);
    error = error ? error : mo_robot_order(file->robot, *world, why);
    for (int k = 0; !error && !file->quiet && k < mo_robot_note_count(file->robot); ++k)
        say_of_file(file->path, "%s", mo_robot_note(file->robot, k));
    file->quiet = 1; /* once is enough */
    if (error) {
        mo_robot_destroy(file->robot);
        file->robot = NULL;
        mo_world_destroy(*world);
        *world = NULL;
    }
    return error;
}

mo_robot *model_file_robot(void *user)
{
    const model_file *file = user;
    return file->robot;
}

static int same(mo_body_id a, mo_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

void model_file_forces(model_file *file, const mo_world *world, double h)
{
    file->force_count = 0;
    for (int k = 1; k < file->model.body_count && h > 0; ++k) {
        const mo_body_id id = mo_robot_body(file->robot, k);
        model_force sum = {.body = k};
        if (!id.index || mo_body_get(world, id).kind == MO_BODY_FIXED) continue;
        for (int c = 0; c < mo_world_contact_count(world); ++c) {
            const mo_contact contact = mo_world_contact(world, c);
            const double sign = same(contact.b, id) ? 1 : same(contact.a, id) ? -1 : 0;
            sum.contacts += sign != 0 && contact.mode != MO_CONTACT_APART;
            for (int i = 0; i < 3; ++i)
                sum.force[i] += sign * contact.impulse[i] / h;
        }
        if (sum.contacts) file->forces[file->force_count++] = sum;
    }
}
