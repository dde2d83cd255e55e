/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "lasting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"
#include "exit_status.h"
#include "text.h"
#include "worlds.h"

#include "sheet.h"

mo_error lasting_build(const lasting_scene *row, mo_world **world, double *step, mo_message *why)
{
    const world_scene *scene = world_scene_find(row->scene);
    double values[WORLD_PARAMETERS];
    mo_error error = MO_OK;
    world_default_values(scene, values);
    for (int k = 0; k < LASTING_SETTINGS && row->set[k].name && !error; ++k)
        error = world_set_value(scene, values, row->set[k].name, row->set[k].value, why);
    *step = scene->step;
    return error ? error : scene->build(values, world, why);
}

const lasting_scene LASTING_HEAP[LASTING_HEAPS] = {
    {"balls", "heap", {{"shape", 0}}},    {"boxes", "heap", {{"shape", 1}}},
    {"capsules", "heap", {{"shape", 2}}}, {"cylinders", "heap", {{"shape", 3}}},
    {"hulls", "heap", {{"shape", 4}}},    {"mixture", "heap", {{"shape", 5}}},
};
const double LASTING_HEAP_RADIUS = 0.1;

mo_error lasting_build_heap(const lasting_scene *heap, double count, double seed, mo_world **world,
                            mo_message *why)
{
    lasting_scene scene = *heap;
    double step;
    scene.set[1].name = "count";
    scene.set[1].value = count;
    scene.set[2].name = "seed";
    scene.set[2].value = seed;
    return lasting_build(&scene, world, &step, why);
}

/* Half the extent of a shape along its shortest side. */
static double size_of(const mo_shape_def *shape)
{
    switch (shape->kind) {
    case MO_SHAPE_BOX:
        return fmin(shape->half[0], shape->half[1]);
    case MO_SHAPE_BALL:
    case MO_SHAPE_CAPSULE:
    case MO_SHAPE_CYLINDER:
        return shape->radius;
    default:
        return INFINITY;
    }
}

double lasting_size(const mo_world *world)
{
    const int is_planar = mo_world_definition(world).dimension == 2;
    double size = INFINITY;
    for (int b = 0; b < mo_world_body_count(world); ++b) {
        const mo_body_id id = mo_world_body(world, b);
        const mo_body_state body = mo_body_get(world, id);
        for (int k = 0; body.kind == MO_BODY_FREE && k < body.shape_count; ++k) {
            const mo_shape_def shape = mo_body_shape(world, id, k);
            size = fmin(size, size_of(&shape));
            if (shape.kind == MO_SHAPE_BOX && !is_planar) size = fmin(size, shape.half[2]);
        }
    }
    return isfinite(size) ? size : 1;
}

double lasting_weight(const mo_world *world)
{
    const mo_world_def def = mo_world_definition(world);
    const double g = sqrt(def.gravity[0] * def.gravity[0] + def.gravity[1] * def.gravity[1] +
                          def.gravity[2] * def.gravity[2]);
    double mass = 0;
    for (int b = 0; b < mo_world_body_count(world); ++b) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, b));
        mass += body.kind == MO_BODY_FREE ? body.mass : 0;
    }
    return mass * g;
}

void lasting_places(const mo_world *world, double *at)
{
    for (int b = 0; b < mo_world_body_count(world); ++b) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, b));
        memcpy(at + 3 * b, body.pose.position, 3 * sizeof *at);
    }
}

double lasting_way(const mo_world *world, const double *at)
{
    double most = 0;
    for (int b = 0; b < mo_world_body_count(world); ++b) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, b));
        const double *x = body.pose.position, *from = at + 3 * b;
        const double way =
            sqrt((x[0] - from[0]) * (x[0] - from[0]) + (x[1] - from[1]) * (x[1] - from[1]) +
                 (x[2] - from[2]) * (x[2] - from[2]));
        most = way > most || isnan(way) ? way : most;
    }
    return most;
}

double lasting_memory(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    const int count = fscanf(file, "%*s %ld", &pages);
    fclose(file);
    return count == 1 ? (double)pages * (double)sysconf(_SC_PAGESIZE) : 0;
}

int lasting_is_asked(const args_values *asked, const char *name)
{
    for (int k = 0; k < asked->count; ++k)
        if (strcmp(asked->at[k], name) == 0) return 1;
    return asked->count == 0;
}

int lasting_know_all(const char *command, const args_values *asked, const lasting_scene *scenes,
                     int count)
{
    char list[512] = "";
    for (int k = 0; k < count; ++k) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", scenes[k].name);
    }
    for (int k = 0; k < asked->count; ++k) {
        int is_known = 0;
        for (int i = 0; i < count; ++i)
            is_known = is_known || strcmp(asked->at[k], scenes[i].name) == 0;
        if (!is_known) {
            say(command, "there is no scene '%.60s' here, but %s", asked->at[k], list);
            return 0;
        }
    }
    return 1;
}

int lasting_number(const char *command, const args_flag *flag, double least, double most,
                   double *value)
{
    char *end = NULL;
    if (!flag->value) return 1;
    *value = strtod(flag->value, &end);
    if (end == flag->value || *end || !(*value >= least && *value <= most)) {
        say(command, "--%s needs a number from %g to %g, not '%.60s'", flag->name, least, most,
            flag->value);
        return 0;
    }
    return 1;
}

int lasting_run(const char *command, const lasting_sheet *sheet, lasting_fn *run, const void *call)
{
    sheet_file paper = {.file = NULL};
    mo_message why = {""};
    mo_error error = MO_OK;
    if (asked_folder(command, sheet->out)) return EXIT_FAILED;
    if (sheet->out) error = sheet_open(sheet->out, sheet->name, &paper, &why);
    if (!error && paper.file) fprintf(paper.file, "%s\n", sheet->columns);
    error = error ? error : run(call, paper.file, &why);
    if (paper.file) {
        const mo_error written = sheet_close(&paper, &why);
        error = error ? error : written;
    }
    if (error) say(command, "%s", why.text[0] ? why.text : mo_error_text(error));
    return error ? EXIT_FAILED : EXIT_DONE;
}
