/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Frames, in little-endian order on any machine. */
#include "frames.h"

#include <string.h>

static unsigned char *put_u32(unsigned char *to, uint32_t value)
{
    for (int k = 0; k < 4; ++k)
        *to++ = (unsigned char)(value >> (8 * k));
    return to;
}

static unsigned char *put_f32(unsigned char *to, double value)
{
    const float rounded = (float)value; /* too large a number becomes infinity */
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return put_u32(to, bits);
}

static unsigned char *put_f64(unsigned char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_u32(put_u32(to, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static unsigned char *put_floats(unsigned char *to, const double *values, int count)
{
    for (int k = 0; k < count; ++k)
        to = put_f32(to, values[k]);
    return to;
}

static int reading_count(const frames_numbers *numbers)
{
    return numbers->readings ? numbers->readings->count : 0;
}

size_t frames_size(const mo_recording *recording, int frame, const frames_numbers *numbers)
{
    return FRAME_HEAD + FRAME_BODY * (size_t)recording->body_count +
           FRAME_CONTACT * (size_t)recording->frames[frame].contact_count +
           FRAME_READING * (size_t)reading_count(numbers);
}

static unsigned char *put_head(unsigned char *to, const mo_recording *recording,
                               const mo_recorded_frame *frame, const frames_numbers *numbers)
{
    to = put_u32(to, FRAME_MAGIC);
    to = put_u32(to, numbers->generation);
    to = put_f64(to, frame->time);
    to = put_f32(to, frame->kinetic_energy);
    to = put_f32(to, frame->potential_energy);
    to = put_f32(to, frame->residual);
    to = put_f32(to, frame->penetration);
    to = put_f32(to, numbers->milliseconds);
    to = put_f32(to, numbers->rate);
    to = put_u32(to, (uint32_t)frame->status);
    to = put_u32(to, numbers->steps);
    to = put_u32(to, numbers->unsolved);
    to = put_u32(to, (uint32_t)recording->body_count);
    to = put_u32(to, (uint32_t)frame->contact_count);
    to = put_floats(to, numbers->phases, 4);
    to = put_f32(to, frame->rotation_energy);
    to = put_f32(to, frame->spring_energy);
    to = put_f32(to, frame->tolerance);
    to = put_f32(to, numbers->hand);
    to = put_u32(to, (uint32_t)reading_count(numbers));
    return put_u32(to, (uint32_t)(numbers->contacts > frame->contact_count ? numbers->contacts
                                                                           : frame->contact_count));
}

static unsigned char *put_contact(unsigned char *to, const mo_recorded_contact *contact)
{
    to = put_floats(to, contact->point, 3);
    to = put_floats(to, contact->normal, 3);
    to = put_floats(to, contact->force, 3);
    to = put_f32(to, contact->mu);
    to = put_f32(to, contact->gap);
    to = put_u32(to, (uint32_t)contact->mode);
    to = put_u32(to, (uint32_t)contact->a);
    return put_u32(to, (uint32_t)contact->b);
}

void frames_write(const mo_recording *recording, int k, const frames_numbers *numbers,
                  unsigned char *to)
{
    const mo_recorded_frame *frame = recording->frames + k;
    const mo_pose *pose = recording->poses + (size_t)k * (size_t)recording->body_count;
    to = put_head(to, recording, frame, numbers);
    for (int i = 0; i < recording->body_count; ++i) {
        to = put_floats(to, pose[i].position, 3);
        to = put_floats(to, pose[i].orientation, 4);
    }
    for (int i = 0; i < frame->contact_count; ++i)
        to = put_contact(to, recording->contacts + frame->first_contact + i);
    if (numbers->readings) put_floats(to, numbers->readings->values, numbers->readings->count);
}

mo_error frames_of_world(mo_recording *recording, const mo_world *world, double h,
                         const mo_step_report *report, mo_message *why)
{
    recording->frame_count = 0;
    recording->contact_count = 0;
    return mo_recording_add(recording, world, h, report, why);
}
