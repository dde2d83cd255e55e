/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Converts a recording to messages for the viewer's page: the scene (JSON) and frames (binary).
 * docs/frames.md documents every field.
 *
 * A live world uses a recording of one frame, which is overwritten (frames_of_world).  Lengths are
 * float32: enough for display.
 */
#ifndef VIEWER_FRAMES_H
#define VIEWER_FRAMES_H

#include <stdint.h>
#include <stdio.h>

#include "moreau/joint.h"
#include "moreau/mechanism.h"
#include "moreau/recording.h"
#include "moreau/robot.h"
#include "worlds.h"

enum {
    FRAME_MAGIC = 0x354F4D46, /* the bytes FMO5 */
    FRAME_HEAD = 100,         /* bytes before the first body */
    FRAME_BODY = 28,
    FRAME_CONTACT = 56,
    FRAME_READING = 4
};

/* The drive of a joint, at the index of the joint in the recording. */
typedef struct frames_drive {
    mo_drive_kind kind;
    double target, least, most; /* now, and the range of a slider */
} frames_drive;

typedef enum frames_actuator_kind {
    FRAMES_POSITION,
    FRAMES_VELOCITY,
    FRAMES_EFFORT
} frames_actuator_kind;

/* An actuator of a mechanism: the meaning of its target, its value, and the range of a slider. */
typedef struct frames_actuator {
    char name[64]; /* its own, or that of its joint */
    mo_mechanism_id mechanism;
    int number; /* there */
    frames_actuator_kind kind;
    int turns; /* its joint: rad rather than m */
    double target, lower, upper;
    int q, effort; /* places among the readings; -1: none */
} frames_actuator;

/* A reading of a mechanism or a robot, contained in every frame. */
typedef struct frames_reading {
    enum { FRAMES_COORDINATE, FRAMES_LENGTH, FRAMES_DRIVE_EFFORT, FRAMES_SENSOR } kind;
    char name[64];
    const char *unit; /* "" where it has none */
    int body;         /* of a coordinate: the link that it moves, in the recording; else -1 */
    mo_mechanism_id mechanism;
    int number; /* of the joint, the actuator, or the value among those of the sensors */
} frames_reading;

/* All readings of a world; start from {0}. */
typedef struct frames_readings {
    frames_reading *list;
    double *values, *sensed; /* one for each; and the values of the sensors */
    int count;
} frames_readings;

/* Contents of the scene message besides the recording. */
typedef struct frames_facts {
    uint32_t generation;
    const char *title;
    const world_scene *scene; /* or NULL: neither name nor parameters */
    const double *values;     /* of its parameters */
    const char *name;         /* of a file, or NULL */
    const char *file_title;   /* of that file, if it may be chosen among the scenes; or NULL */
    int restart;              /* starts again when it has come to rest */
    double gravity[3];
    double step, tolerance;
    const char *method;
    double friction; /* that replaces all others; NaN: none */
    int playing;
    double speed;
    const frames_drive *drives; /* of the first joints of the recording */
    int drive_count;
    const frames_actuator *actuators;
    int actuator_count;
    const frames_readings *readings; /* or NULL */
    int is_replay;                   /* no scenes can be selected */
    const char *note;
} frames_facts;

/* Contents of a frame besides the recording. */
typedef struct frames_numbers {
    uint32_t generation, steps, unsolved;
    int contacts;              /* of the step, if the recording has none */
    double milliseconds, rate; /* of a step; simulated seconds per second */
    double phases[4];          /* ms of the last step: collide, assemble, solve, advance */
    double hand;               /* N: the largest force by which a page pulled in the last step */
    const frames_readings *readings; /* or NULL */
} frames_numbers;

/* Writes the scene message, without an end of line; the camera is chosen by the first frame. */
void frames_scene(FILE *out, const mo_recording *recording, const frames_facts *facts);
/* The members that the scene message and the state message share. */
void frames_state(FILE *out, const frames_facts *facts);

/* A bounding sphere of the moving bodies in the first frame, for the first camera. */
void frames_look(const mo_recording *recording, double centre[3], double *size);

/* Largest distance of a shape from the origin of its body; infinity for a plane. */
double frames_reach(const mo_shape_def *shape);

/* ---- forces ---------------------------------------------------------------------------------- */

enum { FRAMES_CHAINS_ABOVE = 300 }; /* number of contacts above which arrows become force chains */

/* 1: the force on b is shown, -1: the one on a (forces.c has the rule); z is up, y in the plane. */
int frames_shown_side(const mo_recording *recording, const mo_recorded_contact *contact);

/* A pair of bodies in a force chain: the sum of its contacts. */
typedef struct frames_link {
    int a, b, slides;
    int moves[2];              /* a and b */
    double point[3], force[3]; /* weighted by the forces; on b, N */
} frames_link;

/* The pair of contact `first` of a frame, whose contacts are consecutive; the index of the next
 * pair. */
int frames_next_link(const mo_recording *recording, const mo_recorded_frame *frame, int first,
                     frames_link *link);

/* ---- frames ---------------------------------------------------------------------------------- */

/* Whether a colour, or a finish (metal, roughness), was given for the shape. */
int frames_has_colour(const mo_shape_def *def);
int frames_has_finish(const mo_shape_def *def);
/* Whether each shape is drawn: only visual shapes (layer 0) if the body has any; no shape that a
 * file makes invisible.  False if memory runs out. */
int frames_drawn(const mo_recording *recording, unsigned char *drawn);

size_t frames_size(const mo_recording *recording, int frame, const frames_numbers *numbers);
void frames_write(const mo_recording *recording, int frame, const frames_numbers *numbers,
                  unsigned char *to);

/* Replaces all frames by the current state: after a step of h with its report, or without one (0,
 * NULL). */
mo_error frames_of_world(mo_recording *recording, const mo_world *world, double h,
                         const mo_step_report *report, mo_message *why);

/* How many joints a world has, those of mechanisms aside, and what drives each, as new memory; 0
 * and NULL for lack of it, or of joints. */
int frames_drives(const mo_world *world, frames_drive **drives);
/* How many actuators its mechanisms have, in their order, and a list of them as new memory; 0 and
 * NULL for lack of it, or of them. */
int frames_actuators(const mo_world *world, frames_actuator **list);

/*
 * The readings of a world: q of its joints with one coordinate, efforts of its actuators (whose q
 * and effort are set), values of the sensors of a robot, which may be NULL.  None for lack of
 * memory.  frames_read fills in the values after a step of h, 0 before the first.
 */
frames_readings frames_readings_of(const mo_world *world, const mo_robot *robot,
                                   const mo_recording *recording, frames_actuator *actuators,
                                   int actuator_count);
void frames_read(frames_readings *readings, const mo_world *world, mo_robot *robot, double h);
void frames_readings_clear(frames_readings *readings);

#endif
