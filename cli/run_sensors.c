/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_sensors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

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
            for (const char *c = name; *c; ++c) {
                fputc(*c == ',' || *c == '"' || *c == '\n' ? '_' : *c, out);
            }
            if (!name[0]) {
                fprintf(out, "%s%d", kind, k);
            }
            if (count > 1) {
                fprintf(out, ".%d", i);
            }
        }
    }
    fputc('\n', out);
}

int run_sensors_begin(run_sensors *s, const run_call *call, const mo_world *world, run_tally *tally)
{
    const mo_robot *robot = call->world.model ? call->world.model->robot : NULL;
    *s = (run_sensors){.values = NULL};
    if (!robot || mo_robot_sensor_values(robot) == 0) {
        run_fail(tally, call->sensors, "is for the sensors of a robot's file, which has none");
        return 0;
    }
    s->values = calloc((size_t)mo_robot_sensor_values(robot), sizeof *s->values);
    if (!s->values || !output_open(&s->file, call->sensors)) {
        return fail_to_write(call, tally);
    }
    put_head(s->file.file, robot);
    return run_sensors_step(s, call, world, 0, 1, tally);
}

int run_sensors_step(run_sensors *s, const run_call *call, const mo_world *world, double h, int put,
                     run_tally *tally)
{
    mo_robot *robot = call->world.model->robot;
    mo_message why = {{0}};
    if (mo_robot_sense(robot, world, h, s->values, &why)) {
        run_fail(tally, call->sensors, "%s", why.text);
        return 0;
    }
    if (put) {
        fputs(number_exact(mo_world_time(world)).text, s->file.file);
        for (int k = 0; k < mo_robot_sensor_values(robot); ++k) {
            fprintf(s->file.file, ",%.17g", s->values[k]);
        }
        fputc('\n', s->file.file);
    }
    return ferror(s->file.file) ? fail_to_write(call, tally) : 1;
}

void run_sensors_end(run_sensors *s, const run_call *call, run_tally *tally)
{
    if (s->file.file && !output_commit(&s->file)) {
        fail_to_write(call, tally);
    }
    free(s->values);
}
