/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scene message. */
#include <math.h>
#include <stdlib.h>

#include "frames.h"
#include "json.h"
#include "moreau/solve.h"

static const char *const BODY_KINDS[] = {"free", "fixed", "driven", "link"};
static const char *const DRIVES[] = {NULL, "velocity", "position"};

static void put_numbers(json *j, const char *key, const double *values, int count)
{
    json_array(j, key);
    for (int k = 0; k < count; ++k)
        json_number(j, NULL, values[k]);
    json_array_end(j);
}

/* ---- the first look -------------------------------------------------------------------------- */

double frames_reach(const mo_shape_def *def)
{
    const double *p = def->pose.position, *h = def->half;
    const double off = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    double most = 0;
    switch (def->kind) {
    case MO_SHAPE_BALL:
        return off + def->radius;
    case MO_SHAPE_BOX:
        return off + sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    case MO_SHAPE_CYLINDER:
        return off + hypot(def->radius, h[2]);
    case MO_SHAPE_CAPSULE:
        for (int k = 0; k < 2; ++k) {
            const double *e = def->ends[k];
            most = fmax(most, def->radius + sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
        }
        return off + most;
    case MO_SHAPE_HULL:
    case MO_SHAPE_MESH:
        for (int k = 0; k < def->point_count; ++k) {
            const double *e = def->points + 3 * k;
            most = fmax(most, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
        }
        return off + most;
    default:
        return INFINITY;
    }
}

typedef struct box {
    double low[3], high[3];
    int count;
} box;

/* The box of all bodies, or of those that can move; what has no end is left out. */
static box bounds_of(const mo_recording *recording, int only_free)
{
    box all = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < recording->shape_count; ++k) {
        const mo_recorded_shape *shape = recording->shapes + k;
        const double reach = frames_reach(&shape->def);
        const mo_body_kind kind = recording->bodies[shape->body].kind;
        if (isinf(reach) || (only_free && (kind == MO_BODY_FIXED || kind == MO_BODY_DRIVEN)))
            continue;
        for (int i = 0; i < 3; ++i) {
            const double x = recording->poses[shape->body].position[i];
            all.low[i] = fmin(all.low[i], x - reach);
            all.high[i] = fmax(all.high[i], x + reach);
        }
        all.count += 1;
    }
    return all;
}

void frames_look(const mo_recording *recording, double centre[3], double *size)
{
    double square = 0;
    box all = {.count = 0};
    if (recording->frame_count > 0) {
        all = bounds_of(recording, 1);
        all = all.count ? all : bounds_of(recording, 0);
    }
    for (int i = 0; i < 3; ++i) {
        const int counts = all.count && i < recording->dimension;
        const double half = counts ? (all.high[i] - all.low[i]) / 2 : 0;
        centre[i] = counts ? all.low[i] + half : 0;
        square += half * half;
    }
    *size = square > 0 ? sqrt(square) : 1;
}

static void put_camera(json *j, const mo_recording *recording)
{
    double centre[3], size;
    frames_look(recording, centre, &size);
    json_object(j, "camera");
    put_numbers(j, "centre", centre, 3);
    json_number(j, "size", size);
    json_object_end(j);
}

/* MuJoCo's grey is the default of files without colours and is ignored. */
int frames_has_colour(const mo_shape_def *def)
{
    const double *c = def->colour;
    const int given = c[0] > 0 || c[1] > 0 || c[2] > 0 || c[3] > 0;
    return given && !(c[0] == 0.5 && c[1] == 0.5 && c[2] == 0.5 && c[3] == 1);
}

int frames_has_finish(const mo_shape_def *def)
{
    return def->metallic > 0 || def->roughness > 0;
}

int frames_drawn(const mo_recording *recording, unsigned char *drawn)
{
    unsigned char *has_visuals = calloc((size_t)recording->body_count + 1, 1);
    for (int k = 0; has_visuals && k < recording->shape_count; ++k)
        has_visuals[recording->shapes[k].body] |= recording->shapes[k].def.layer == 0;
    for (int k = 0; has_visuals && k < recording->shape_count; ++k) {
        const mo_shape_def *def = &recording->shapes[k].def;
        const double *c = def->colour;
        const int invisible = c[3] == 0 && (c[0] > 0 || c[1] > 0 || c[2] > 0);
        drawn[k] = (def->layer == 0 || !has_visuals[recording->shapes[k].body]) && !invisible;
    }
    free(has_visuals);
    return has_visuals != NULL;
}

/* ---- bodies and shapes ----------------------------------------------------------------------- */

static void put_bodies(json *j, const mo_recording *recording)
{
    json_array(j, "bodies");
    for (int k = 0; k < recording->body_count; ++k) {
        const mo_recorded_body *body = recording->bodies + k;
        const int known = (int)body->kind < (int)(sizeof BODY_KINDS / sizeof BODY_KINDS[0]);
        json_object(j, NULL);
        json_text(j, "kind", BODY_KINDS[known ? (int)body->kind : 0]);
        json_text(j, "name", body->name);
        json_number(j, "mass", body->kind == MO_BODY_FIXED ? 0 : body->mass);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_shape(json *j, const mo_recorded_shape *shape)
{
    const mo_shape_def *def = &shape->def;
    const mo_shape_kind kind = def->kind;
    json_object(j, NULL);
    json_whole(j, "body", shape->body);
    json_text(j, "kind", mo_shape_name(kind));
    json_array(j, "pose");
    for (int k = 0; k < 7; ++k)
        json_number(j, NULL, k < 3 ? def->pose.position[k] : def->pose.orientation[k - 3]);
    json_array_end(j);
    json_whole(j, "layer", def->layer);
    if (frames_has_colour(def)) put_numbers(j, "colour", def->colour, 4);
    if (frames_has_finish(def)) {
        json_number(j, "metallic", def->metallic);
        json_number(j, "roughness", def->roughness);
    }
    if (kind == MO_SHAPE_BALL || kind == MO_SHAPE_CAPSULE || kind == MO_SHAPE_CYLINDER)
        json_number(j, "radius", def->radius);
    if (kind == MO_SHAPE_BOX || kind == MO_SHAPE_CYLINDER) put_numbers(j, "half", def->half, 3);
    if (kind == MO_SHAPE_CAPSULE) put_numbers(j, "ends", def->ends[0], 6);
    if (kind == MO_SHAPE_HULL || kind == MO_SHAPE_MESH)
        put_numbers(j, "points", def->points, 3 * def->point_count);
    if (kind == MO_SHAPE_MESH) {
        json_array(j, "indices");
        for (int k = 0; k < def->index_count; ++k)
            json_whole(j, NULL, def->indices[k]);
        json_array_end(j);
    }
    json_object_end(j);
}

static void put_joint(json *j, const mo_recorded_joint *joint, const frames_drive *drive)
{
    json_object(j, NULL);
    json_text(j, "kind", mo_joint_name(joint->kind));
    json_whole(j, "a", joint->a);
    json_whole(j, "b", joint->b);
    put_numbers(j, "anchor_a", joint->anchor[0], 3);
    put_numbers(j, "anchor_b", joint->anchor[1], 3);
    put_numbers(j, "axis_a", joint->axis, 3);
    json_text(j, "drive", drive ? DRIVES[drive->kind] : NULL);
    if (drive && drive->kind != MO_DRIVE_NONE) {
        json_number(j, "target", drive->target);
        json_number(j, "min", drive->least);
        json_number(j, "max", drive->most);
    }
    json_object_end(j);
}

static void put_actuators(json *j, const frames_facts *facts)
{
    static const char *const KINDS[] = {
        [FRAMES_POSITION] = "position", [FRAMES_VELOCITY] = "velocity", [FRAMES_EFFORT] = "effort"};
    json_array(j, "actuators");
    for (int k = 0; k < facts->actuator_count; ++k) {
        const frames_actuator *actuator = facts->actuators + k;
        json_object(j, NULL);
        json_text(j, "name", actuator->name);
        json_text(j, "kind", KINDS[actuator->kind]);
        json_truth(j, "turns", actuator->turns);
        json_number(j, "lower", actuator->lower);
        json_number(j, "upper", actuator->upper);
        json_number(j, "target", actuator->target);
        json_whole(j, "q", actuator->q);
        json_whole(j, "effort", actuator->effort);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_readings(json *j, const frames_readings *readings)
{
    static const char *const KINDS[] = {[FRAMES_COORDINATE] = "q",
                                        [FRAMES_LENGTH] = "length",
                                        [FRAMES_DRIVE_EFFORT] = "effort",
                                        [FRAMES_SENSOR] = "sensor"};
    json_array(j, "readings");
    for (int k = 0; readings && k < readings->count; ++k) {
        const frames_reading *reading = readings->list + k;
        json_object(j, NULL);
        json_text(j, "kind", KINDS[reading->kind]);
        json_text(j, "name", reading->name);
        json_text(j, "unit", reading->unit);
        json_whole(j, "body", reading->body);
        json_object_end(j);
    }
    json_array_end(j);
}

/* ---- choices of the user --------------------------------------------------------------------- */

static void put_parameters(json *j, const world_scene *scene)
{
    json_array(j, "parameters");
    for (int k = 0; scene && k < world_parameter_count(scene); ++k) {
        const world_parameter *p = scene->parameter + k;
        json_object(j, NULL);
        json_text(j, "name", p->name);
        json_number(j, "default", p->value);
        json_number(j, "min", p->least);
        json_number(j, "max", p->most);
        json_truth(j, "whole", p->is_whole);
        json_text(j, "summary", p->text);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_choice(json *j, const char *name, const char *summary, const world_scene *scene)
{
    json_object(j, NULL);
    json_text(j, "name", name);
    json_text(j, "summary", summary);
    put_parameters(j, scene);
    json_object_end(j);
}

/* The opened file comes first, so that it can be selected again. */
static void put_scenes(json *j, const frames_facts *facts)
{
    json_array(j, "scenes");
    if (facts->file_title && facts->name) put_choice(j, facts->name, facts->file_title, NULL);
    for (int k = 0; !facts->is_replay && k < world_scene_count(); ++k) {
        const world_scene *scene = world_scene_at(k);
        put_choice(j, scene->name, scene->text, scene);
    }
    json_array_end(j);
}

static void put_methods(json *j)
{
    json_array(j, "methods");
    for (int k = 0; k < mo_method_count(); ++k)
        json_text(j, NULL, mo_method_describe(k).name);
    json_array_end(j);
}

static void put_set(json *j, const frames_facts *facts)
{
    json_object(j, "set");
    for (int k = 0; facts->scene && k < world_parameter_count(facts->scene); ++k)
        json_number(j, facts->scene->parameter[k].name, facts->values[k]);
    json_object_end(j);
}

/* ---- the messages ---------------------------------------------------------------------------- */

static void put_state(json *j, const frames_facts *facts)
{
    json_truth(j, "playing", facts->playing);
    json_number(j, "speed", facts->speed);
    json_text(j, "method", facts->method);
    json_number(j, "step", facts->step);
    json_number(j, "tolerance", facts->tolerance);
    put_numbers(j, "gravity", facts->gravity, 3);
    json_number(j, "friction", facts->friction); /* NaN is null */
    json_truth(j, "restart", facts->restart);
}

void frames_state(FILE *out, const frames_facts *facts)
{
    json j = json_begin(out);
    json_object(&j, NULL);
    json_text(&j, "type", "state");
    put_state(&j, facts);
    json_object_end(&j);
}

void frames_scene(FILE *out, const mo_recording *recording, const frames_facts *facts)
{
    json j = json_begin(out);
    json_object(&j, NULL);
    json_text(&j, "type", "scene");
    json_whole(&j, "generation", facts->generation);
    json_text(&j, "title", facts->title);
    json_text(&j, "name", facts->scene ? facts->scene->name : facts->name);
    put_set(&j, facts);
    json_whole(&j, "dimension", recording->dimension);
    put_state(&j, facts);
    put_methods(&j);
    put_bodies(&j, recording);
    json_array(&j, "shapes");
    for (int k = 0; k < recording->shape_count; ++k)
        put_shape(&j, recording->shapes + k);
    json_array_end(&j);
    json_array(&j, "joints");
    for (int k = 0; k < recording->joint_count; ++k)
        put_joint(&j, recording->joints + k, k < facts->drive_count ? facts->drives + k : NULL);
    json_array_end(&j);
    put_actuators(&j, facts);
    put_readings(&j, facts->readings);
    put_scenes(&j, facts);
    put_camera(&j, recording);
    json_truth(&j, "replay", facts->is_replay);
    json_text(&j, "note", facts->note);
    json_object_end(&j);
}

/* ---- drives ---------------------------------------------------------------------------------- */

/* The range of a slider: the limits, or multiples of the target. */
static frames_drive drive_of(const mo_joint_state *state)
{
    const double wide = state->kind == MO_JOINT_REVOLUTE ? acos(-1) : 1;
    frames_drive drive = {.kind = state->drive, .target = state->target};
    if (state->drive == MO_DRIVE_VELOCITY) {
        drive.most = fmax(2 * fabs(state->target), wide);
        drive.least = -drive.most;
    } else if (state->has_limits && isfinite(state->lower) && isfinite(state->upper)) {
        drive.least = state->lower;
        drive.most = state->upper;
    } else {
        drive.least = state->target - wide;
        drive.most = state->target + wide;
    }
    return drive;
}

int frames_drives(const mo_world *world, frames_drive **drives)
{
    const int count = mo_world_joint_count(world);
    *drives = count ? calloc((size_t)count, sizeof **drives) : NULL;
    for (int k = 0; *drives && k < count; ++k) {
        const mo_joint_state state = mo_joint_get(world, mo_world_joint(world, k));
        (*drives)[k] = drive_of(&state);
    }
    return *drives ? count : 0;
}
