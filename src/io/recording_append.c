/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Appends a recording to another one of the same bodies. */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/recording.h"

mo_error mo_recording_append(mo_recording *to, const mo_recording *more, mo_message *why)
{
    const size_t bodies = (size_t)to->body_count;
    const size_t frames = (size_t)to->frame_count + (size_t)more->frame_count;
    const size_t contacts = (size_t)to->contact_count + (size_t)more->contact_count;
    MO_FAIL_IF(7 * frames * bodies > INT_MAX || contacts > INT_MAX / 3,
               mo_fail(why, MO_ERR_UNSUPPORTED, "the recording is too large to be read"));
    const mo_allocator *allocator = &to->allocator;
    MO_FAIL_IF(!MO_GROW(allocator, to->frames, to->frame_room, frames + 1) ||
                   !MO_GROW(allocator, to->poses, to->pose_room, frames * bodies + 1) ||
                   !MO_GROW(allocator, to->velocities, to->velocity_room, frames * bodies + 1) ||
                   !MO_GROW(allocator, to->contacts, to->contact_room, contacts + 1),
               mo_fail_memory(why));
    const size_t at = (size_t)to->frame_count * bodies, rows = (size_t)more->frame_count * bodies;
    memcpy(to->poses + at, more->poses, rows * sizeof *to->poses);
    memcpy(to->velocities + at, more->velocities, rows * sizeof *to->velocities);
    memcpy(to->contacts + to->contact_count, more->contacts,
           (size_t)more->contact_count * sizeof *to->contacts);
    for (int k = 0; k < more->frame_count; ++k) {
        mo_recorded_frame *frame = to->frames + to->frame_count + k;
        *frame = more->frames[k];
        frame->first_contact += to->contact_count;
    }
    to->frame_count = (int)frames;
    to->contact_count = (int)contacts;
    return MO_OK;
}
