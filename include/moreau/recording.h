/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Recordings of a world: shapes and joints once; poses, velocities and contacts with forces and
 * modes in every frame.
 *
 * A mo_recording is kept in memory and written at the end to an HDF5 file (docs/formats.md), which
 * is never half written.  Files are untrusted input: reading returns a consistent recording or an
 * error message.
 *
 *     mo_recording recording = {0};
 *     mo_recording_begin(&recording, world, NULL, &why);
 *     mo_recording_add(&recording, world, h, &report, &why);      after each recorded step
 *     mo_recording_write("fall.hdf5", &recording, &why);
 *     mo_recording_clear(&recording);
 */
#ifndef MOREAU_RECORDING_H
#define MOREAU_RECORDING_H

#include "moreau/base.h"
#include "moreau/joint.h"
#include "moreau/result.h"
#include "moreau/shape.h"
#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mo_recorded_body {
    mo_body_kind kind;
    double mass; /* kg; 0 if not dynamic */
    char *name;  /* "" if it has none */
} mo_recorded_body;

typedef struct mo_recorded_shape {
    /* index of its body */
    int body;
    /* its arrays belong to the recording */
    mo_shape_def def;
} mo_recorded_shape;

typedef struct mo_recorded_joint {
    mo_joint_kind kind;
    /* indices of its bodies; -1: the world */
    int a, b;
    /* in the frames of a and b */
    double anchor[2][3];
    /* in the frame of a; revolute and prismatic, otherwise zero */
    double axis[3];
} mo_recorded_joint;

typedef struct mo_recorded_frame {
    /* s */
    double time;
    double step; /* size of the step that ended here, s; 0: none, without contacts */
    /* J */
    double kinetic_energy, potential_energy;
    /* J: rotational part of the kinetic, spring part of the potential energy */
    double rotation_energy, spring_energy;
    /* relative residual and tolerance of that step; 0: unknown */
    double residual, tolerance;
    /* deepest penetration at its start, m */
    double penetration;
    /* status of its solve */
    mo_status status;
    /* range in the list of contacts */
    int first_contact, contact_count;
} mo_recorded_frame;

typedef struct mo_recorded_contact {
    /* indices of its bodies */
    int a, b;
    /* low and high half of an id, constant while the same features touch */
    unsigned id[2];
    mo_contact_mode mode;
    /* m, world coordinates; unit normal from a to b */
    double point[3], normal[3];
    /* force and moment on b, impulse / h, world axes, N and N m */
    double force[3], moment[3];
    /* velocity of b relative to a at the end of the step, m/s */
    double velocity[3];
    /* gap at the start of the step, m */
    double gap;
    double mu;
} mo_recorded_contact;

/* Initialise with {0}. */
typedef struct mo_recording {
    int dimension; /* 3, or 2 for the plane */
    double gravity[3];
    char *title; /* or NULL */

    mo_recorded_body *bodies;
    mo_recorded_shape *shapes;
    /* joints at the beginning: those of joint.h, then those of mechanisms of the same kinds */
    mo_recorded_joint *joints;
    mo_recorded_frame *frames;
    mo_recorded_contact *contacts;
    /* body_count per frame */
    mo_pose *poses;
    double (*velocities)[6]; /* likewise: velocity, angular velocity; world axes */
    int body_count, shape_count, joint_count, frame_count, contact_count;

    mo_allocator allocator; /* private from here on */
    mo_body_id *ids;        /* while recording */
    size_t frame_room, contact_room, pose_room, velocity_room;
} mo_recording;

/* Copies bodies, shapes and joints of the world; adds no frame. */
MO_API mo_error mo_recording_begin(mo_recording *recording, const mo_world *world,
                                   const mo_allocator *allocator, mo_message *why);
/* NULL: no title. */
MO_API mo_error mo_recording_set_title(mo_recording *recording, const char *title, mo_message *why);

/*
 * Adds a frame with the present state, after a step of h with this report.  h = 0 and NULL: before
 * the first step, without contacts.  The bodies must be those of mo_recording_begin.
 */
MO_API mo_error mo_recording_add(mo_recording *recording, const mo_world *world, double h,
                                 const mo_step_report *report, mo_message *why);

MO_API void mo_recording_clear(mo_recording *recording);

MO_API mo_error mo_recording_write(const char *path, const mo_recording *recording,
                                   mo_message *why);
MO_API mo_error mo_recording_read(const char *path, const mo_allocator *allocator,
                                  mo_recording *recording, mo_message *why);

/* ---- recording to a file during the run ------------------------------------------------------ */

/*
 * A recorder writes to PATH.part every two seconds and keeps at most 32 MB of frames in memory.
 * mo_recorder_finish renames the file to PATH.  After a crash PATH.part contains all frames but
 * those of the last seconds, and mo_recording_read can read it.  A recording of up to 32 MB ends as
 * one HDF5 file, a larger one as a sequence of them (docs/formats.md).
 */
typedef struct mo_recorder mo_recorder;

/* The title may be NULL.  Fails if the file cannot be written. */
MO_API mo_error mo_recorder_create(const char *path, const mo_world *world, const char *title,
                                   const mo_allocator *allocator, mo_recorder **recorder,
                                   mo_message *why);
/* As mo_recording_add; the report may be NULL.  After MO_ERR_FILE the frame is kept in memory, and
 * the next call writes it. */
MO_API mo_error mo_recorder_add(mo_recorder *recorder, const mo_world *world, double h,
                                const mo_step_report *report, mo_message *why);
/* Completes and renames the file, and destroys the recorder in any case.  If it fails, PATH.part
 * contains as many frames as the disk has room for. */
MO_API mo_error mo_recorder_finish(mo_recorder *recorder, mo_message *why);
/* Destroys the recorder and keeps PATH.part. */
MO_API void mo_recorder_destroy(mo_recorder *recorder);

#ifdef __cplusplus
}
#endif
#endif
