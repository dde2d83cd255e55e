/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_sensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "run_csv.h"

static int fail_to_write(const run_call *call, run_tally *tally)
{
    run_fail(tally, call->sensors, "could not be written: %s", strerror(errno));
    return 0;
}

/* A column a number: the name of the sensor, or its kind and number, and .0, .1, ... */
static void put_head(FILE *out, const mo_robot *robot)
{
    fputs("time", out);
    for (int k = 0; k < mo_robot_sensor_count(robot); ++k) {
        const char *kind = NULL;
        int count = 0;
        const char *name = mo_robot_sensor(robot, k, &kind, NULL, &count);
        for (int i = 0; i < count; ++i) {
            fputc(',', out);
            run_csv_name(out, name);
            if (!name[0]) fprintf(out, "%s%d", kind, k);
            if (count > 1) fprintf(out, ".%d", i);
        }
    }
    fputc('\n', out);
}

/* The file, and its head. */
static int open_file(run_sensors *s, const run_call *call, run_tally *tally)
{
    if (!s->reads) {
        run_fail(tally, call->sensors,
                 call->world.model ? "is for the sensors of a robot's file, which has none"
                                   : "is for the sensors of robots; a scene has none");
        return 0;
    }
    if (!output_open(&s->file, call->sensors)) return fail_to_write(call, tally);
    put_head(s->file.file, call->world.model->robot);
    return 1;
}

int run_sensors_begin(run_sensors *s, const run_call *call, const mo_world *world, run_tally *tally)
{
    model_file *model = call->world.model;
    const int values = model ? mo_robot_sensor_values(model->robot) : 0;
    *s = (run_sensors){.reads = values > 0 && (call->sensors || call->json)};
    if (s->reads) {
        free(model->sensed);
        model->sensed = calloc((size_t)values, sizeof *model->sensed);
        if (!model->sensed) {
            run_fail(tally, model->path, "memory ran out");
            return 0;
        }
    }
    return (!call->sensors || open_file(s, call, tally)) &&
           run_sensors_step(s, call, world, 0, 1, tally);
}

int run_sensors_step(run_sensors *s, const run_call *call, const mo_world *world, double h, int put,
                     run_tally *tally)
{
    const model_file *model = call->world.model;
    mo_message why = {{0}};
    if (!s->reads) return 1;
    if (mo_robot_sense(model->robot, world, h, model->sensed, &why)) {
        run_fail(tally, model->path, "%s", why.text);
        return 0;
    }
    FILE *out = s->file.file;
    if (put && out) {
        fputs(number_exact(mo_world_time(world)).text, out);
        for (int k = 0; k < mo_robot_sensor_values(model->robot); ++k)
            fprintf(out, ",%.17g", model->sensed[k]);
        fputc('\n', out);
    }
    return out && ferror(out) ? fail_to_write(call, tally) : 1;
}

void run_sensors_end(run_sensors *s, const run_call *call, run_tally *tally)
{
    if (s->file.file && !output_commit(&s->file)) fail_to_write(call, tally);
}
