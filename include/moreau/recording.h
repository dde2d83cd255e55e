/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Recordings: what a world looked like, frame by frame.  Shapes and joints once; poses, velocities,
 * contacts with their forces and modes in every frame.
 *
 * A mo_recording is kept in memory and written at once, as an HDF5 file (docs/formats.md), which is
 * whole or untouched. Files are untrusted: whatever is in one, the answer is a recording that holds
 * together or a sentence.
 *
 *     mo_recording recording = {0};
 *     mo_recording_begin(&recording, world, NULL, &why);
 *     mo_recording_add(&recording, world, h, &report, &why);      after each step, or now and then
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
    double mass; /* kg; 0 where it is not free */
    char *name;  /* "" where it has none       */
} mo_recorded_body;

typedef struct mo_recorded_shape {
    /* its place in the list of bodies */
    int body;
    /* the arrays belong to the recording */
    mo_shape_def def;
} mo_recorded_shape;

typedef struct mo_recorded_joint {
    mo_joint_kind kind;
    /* places in the list of bodies; -1: the world */
    int a, b;
    /* in the frames of a and b */
    double anchor[2][3];
    /* in the frame of a; revolute and prismatic, else zero */
    double axis[3];
} mo_recorded_joint;

typedef struct mo_recorded_frame {
    /* s */
    double time;
    double step; /* h of the step that ended here, s; 0: none did, and there are no contacts */
    /* J */
    double kinetic_energy, potential_energy;
    /* J: the part of rotation in the first, of springs in the second */
    double rotation_energy, spring_energy;
    /* relative, of that step, and what was asked for there; 0: unknown */
    double residual, tolerance;
    /* deepest at its start, m */
    double penetration;
    /* of its solve */
    mo_status status;
    /* in the list of contacts */
    int first_contact, contact_count;
} mo_recorded_frame;

typedef struct mo_recorded_contact {
    /* places in the list of bodies */
    int a, b;
    /* low and high half of an id that stays while these features touch */
    unsigned id[2];
    mo_contact_mode mode;
    /* world; the normal from a to b */
    double point[3], normal[3];
    /* on b, world axes, N and N m: impulse / h */
    double force[3], moment[3];
    /* of b against a, at the end of the step */
    double velocity[3];
    /* at the start of the step, m */
    double gap;
    double mu;
} mo_recorded_contact;

/* Start from {0}. */
typedef struct mo_recording {
    int dimension; /* 3, or 2 for the plane */
    double gravity[3];
    char *title; /* or NULL */

    mo_recorded_body *bodies;
    mo_recorded_shape *shapes;
    /* of the beginning: those of joint.h, then those of mechanisms with a joint of the same kind */
    mo_recorded_joint *joints;
    mo_recorded_frame *frames;
    mo_recorded_contact *contacts;
    /* body_count a frame */
    mo_pose *poses;
    double (*velocities)[6]; /* the same: of the centre of mass, then the spin, world axes */
    int body_count, shape_count, joint_count, frame_count, contact_count;

    mo_allocator allocator; /* of everything in it; the library's own from here on */
    mo_body_id *ids;        /* while it is recorded */
    size_t frame_room, contact_room, pose_room, velocity_room;
} mo_recording;

/* Bodies, shapes and joints of the world, and no frame yet. */
MO_API mo_error mo_recording_begin(mo_recording *recording, const mo_world *world,
                                   const mo_allocator *allocator, mo_message *why);
/* NULL: none. */
MO_API mo_error mo_recording_set_title(mo_recording *recording, const char *title, mo_message *why);

/*
 * A frame: the world as it is, after a step of h with this report.  With h = 0 and NULL: before the
 * first step, without contacts.  The bodies must be those of the beginning.
 */
MO_API mo_error mo_recording_add(mo_recording *recording, const mo_world *world, double h,
                                 const mo_step_report *report, mo_message *why);

MO_API void mo_recording_clear(mo_recording *recording);

MO_API mo_error mo_recording_write(const char *path, const mo_recording *recording,
                                   mo_message *why);
MO_API mo_error mo_recording_read(const char *path, const mo_allocator *allocator,
                                  mo_recording *recording, mo_message *why);

/* ---- written as the run goes ----------------------------------------------------------------- */

/*
 * A recorder writes to PATH.part every two seconds, and holds at most 32 MB of frames in memory.
 * Finishing it renames the file to PATH.  After a crash PATH.part has all frames but those of the
 * last seconds, and mo_recording_read reads it.  A recording of up to 32 MB ends as one HDF5 file,
 * a larger one as a sequence of them (docs/formats.md).
 */
typedef struct mo_recorder mo_recorder;

/* The title may be NULL.  A file that cannot be written is an error here. */
MO_API mo_error mo_recorder_create(const char *path, const mo_world *world, const char *title,
                                   const mo_allocator *allocator, mo_recorder **recorder,
                                   mo_message *why);
/* As mo_recording_add; the report may be NULL. */
MO_API mo_error mo_recorder_add(mo_recorder *recorder, const mo_world *world, double h,
                                const mo_step_report *report, mo_message *why);
/* Puts the file in place, and destroys the recorder whatever is returned. */
MO_API mo_error mo_recorder_finish(mo_recorder *recorder, mo_message *why);
/* Leaves PATH.part as it is. */
MO_API void mo_recorder_destroy(mo_recorder *recorder);

#ifdef __cplusplus
}
#endif
#endif
