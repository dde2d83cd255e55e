/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Readings of mechanisms and robots: joint coordinates, actuator efforts, sensors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "moreau/sensor.h"

/* ---- the list -------------------------------------------------------------------------------- */

static frames_reading *add(frames_readings *to, const char *name, const char *otherwise, int number)
{
    frames_reading *reading = to->list + to->count++;
    *reading = (frames_reading){.unit = "", .body = -1, .number = number};
    if (name && name[0])
        snprintf(reading->name, sizeof reading->name, "%s", name);
    else
        snprintf(reading->name, sizeof reading->name, "%s %d", otherwise, number + 1);
    return reading;
}

static int body_of(const mo_recording *recording, mo_body_id id)
{
    for (int k = 0; recording->ids && k < recording->body_count; ++k)
        if (recording->ids[k].index == id.index) return k;
    return -1;
}

static int has_one_coordinate(const mo_axis_state *joint)
{
    return joint->kind == MO_AXIS_REVOLUTE || joint->kind == MO_AXIS_PRISMATIC;
}

static void add_coordinates(frames_readings *to, const mo_world *world, mo_mechanism_id mechanism,
                            const mo_recording *recording)
{
    const int count = mo_mechanism_get(world, mechanism).joint_count;
    for (int k = 0; k < count; ++k) {
        const mo_axis_state joint = mo_mechanism_joint(world, mechanism, k);
        if (has_one_coordinate(&joint)) {
            frames_reading *reading = add(to, joint.name, "joint", k);
            reading->kind = FRAMES_COORDINATE;
            reading->mechanism = mechanism;
            reading->unit = joint.kind == MO_AXIS_PRISMATIC ? "m" : "rad";
            reading->body = body_of(recording, mo_mechanism_link(world, mechanism, joint.link));
        }
    }
}

/* Index of the coordinate of a joint; -1: it has none, or several. */
static int coordinate_of(const frames_readings *in, mo_mechanism_id mechanism, int joint)
{
    for (int k = 0; k < in->count; ++k) {
        const frames_reading *reading = in->list + k;
        if (reading->kind == FRAMES_COORDINATE && reading->mechanism.index == mechanism.index &&
            reading->number == joint)
            return k;
    }
    return -1;
}

/* If it does not drive a joint with one coordinate, its length is shown. */
static void add_actuator(frames_readings *to, const mo_world *world, frames_actuator *actuator)
{
    const mo_actuator_state state =
        mo_mechanism_actuator(world, actuator->mechanism, actuator->number);
    actuator->q = coordinate_of(to, actuator->mechanism, state.joint);
    if (actuator->q < 0 && state.joint < 0) {
        actuator->q = to->count;
        frames_reading *length = add(to, actuator->name, "", actuator->number);
        length->kind = FRAMES_LENGTH;
        length->mechanism = actuator->mechanism;
        length->unit = "m";
    }
    actuator->effort = to->count;
    frames_reading *effort = add(to, actuator->name, "", actuator->number);
    effort->kind = FRAMES_DRIVE_EFFORT;
    effort->mechanism = actuator->mechanism;
    effort->unit = actuator->turns ? "N m" : "N";
}

static const char *unit_of_sensor(const char *kind)
{
    static const struct {
        const char *kind, *unit;
    } UNITS[] = {{"gyro", "rad/s"},       {"frameangvel", "rad/s"},
                 {"ballangvel", "rad/s"}, {"accelerometer", "m/s²"},
                 {"framelinacc", "m/s²"}, {"frameangacc", "rad/s²"},
                 {"velocimeter", "m/s"},  {"framelinvel", "m/s"},
                 {"framepos", "m"},       {"force", "N"},
                 {"touch", "N"},          {"torque", "N m"},
                 {"clock", "s"}};
    for (size_t k = 0; k < sizeof UNITS / sizeof UNITS[0]; ++k)
        if (strcmp(kind, UNITS[k].kind) == 0) return UNITS[k].unit;
    return "";
}

static void add_sensors(frames_readings *to, const mo_robot *robot)
{
    for (int k = 0; k < mo_robot_sensor_count(robot); ++k) {
        const char *kind = "";
        int first = 0, count = 0;
        const char *name = mo_robot_sensor(robot, k, &kind, &first, &count);
        for (int i = 0; i < count; ++i) {
            frames_reading *reading = add(to, name, kind, first + i);
            const size_t used = strlen(reading->name);
            reading->kind = FRAMES_SENSOR;
            reading->unit = unit_of_sensor(kind);
            if (count > 1) snprintf(reading->name + used, sizeof reading->name - used, ".%d", i);
        }
    }
}

frames_readings frames_readings_of(const mo_world *world, const mo_robot *robot,
                                   const mo_recording *recording, frames_actuator *actuators,
                                   int actuator_count)
{
    frames_readings made = {0};
    const int sensed = robot ? mo_robot_sensor_values(robot) : 0;
    int room = 2 * actuator_count + sensed;
    for (int m = 0; m < mo_world_mechanism_count(world); ++m)
        room += mo_mechanism_get(world, mo_world_mechanism(world, m)).joint_count;
    if (room == 0) return made;
    made.list = calloc((size_t)room, sizeof *made.list);
    made.values = calloc((size_t)room, sizeof *made.values);
    made.sensed = calloc((size_t)sensed + 1, sizeof *made.sensed);
    if (!made.list || !made.values || !made.sensed) {
        frames_readings_clear(&made);
        return made;
    }
    for (int m = 0; m < mo_world_mechanism_count(world); ++m)
        add_coordinates(&made, world, mo_world_mechanism(world, m), recording);
    for (int k = 0; k < actuator_count; ++k)
        add_actuator(&made, world, actuators + k);
    if (robot) add_sensors(&made, robot);
    return made;
}

void frames_readings_clear(frames_readings *readings)
{
    free(readings->list);
    free(readings->values);
    free(readings->sensed);
    *readings = (frames_readings){0};
}

/* ---- the values ------------------------------------------------------------------------------ */

static double value_of(const frames_readings *in, const frames_reading *reading,
                       const mo_world *world)
{
    const mo_mechanism_id mechanism = reading->mechanism;
    switch (reading->kind) {
    case FRAMES_COORDINATE: {
        const double *q = mo_mechanism_q(world, mechanism);
        return q ? q[mo_mechanism_joint(world, mechanism, reading->number).q_at] : 0;
    }
    case FRAMES_LENGTH:
        return mo_mechanism_actuator(world, mechanism, reading->number).length;
    case FRAMES_DRIVE_EFFORT:
        return mo_mechanism_actuator(world, mechanism, reading->number).effort;
    default:
        return in->sensed[reading->number];
    }
}

void frames_read(frames_readings *readings, const mo_world *world, mo_robot *robot, double h)
{
    if (robot && readings->sensed && mo_robot_sensor_values(robot) > 0)
        mo_robot_sense(robot, world, h, readings->sensed, NULL); /* else the values stay */
    for (int k = 0; k < readings->count; ++k)
        readings->values[k] = value_of(readings, readings->list + k, world);
}
