/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A recording in memory: from a world, frame by frame. */
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "linalg/vec3.h"
#include "moreau/energy.h"
#include "moreau/mechanism.h"
#include "moreau/recording.h"

/* ---- clearing -------------------------------------------------------------------------------- */

void mo_recording_clear(mo_recording *recording)
{
    if (!recording) return;
    const mo_allocator allocator = mo_allocator_or_default(&recording->allocator);
    for (int k = 0; recording->bodies && k < recording->body_count; ++k)
        mo_memory_free(&allocator, recording->bodies[k].name);
    for (int k = 0; recording->shapes && k < recording->shape_count; ++k) {
        void *arrays[2];
        memcpy(&arrays[0], &recording->shapes[k].def.points, sizeof arrays[0]);
        memcpy(&arrays[1], &recording->shapes[k].def.indices, sizeof arrays[1]);
        MO_FREE(&allocator, arrays[0], arrays[1]);
    }
    MO_FREE(&allocator, recording->title, recording->bodies, recording->shapes, recording->joints,
            recording->frames, recording->contacts, recording->poses, recording->velocities,
            recording->ids);
    *recording = (mo_recording){0};
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* Copies a shape with its arrays. */
static bool copy_shape(mo_recording *recording, const mo_shape_def *from, int body)
{
    mo_recorded_shape *shape = recording->shapes + recording->shape_count;
    const mo_allocator *allocator = &recording->allocator;
    const size_t points = 3 * (size_t)from->point_count, indices = (size_t)from->index_count;
    shape->body = body;
    shape->def = *from;
    shape->def.points =
        points ? mo_memory_copy(allocator, from->points, points * sizeof(double)) : NULL;
    shape->def.indices =
        indices ? mo_memory_copy(allocator, from->indices, indices * sizeof(int)) : NULL;
    recording->shape_count += 1;
    return (!points || shape->def.points) && (!indices || shape->def.indices);
}

static bool copy_body(mo_recording *recording, const mo_world *world, int k)
{
    const mo_body_id id = mo_world_body(world, k);
    const mo_body_state body = mo_body_get(world, id);
    recording->ids[k] = id;
    recording->bodies[k] = (mo_recorded_body){
        .kind = body.kind,
        .mass = body.mass,
        .name = mo_memory_copy(&recording->allocator, body.name, strlen(body.name))};
    recording->body_count += 1;
    bool good = recording->bodies[k].name != NULL;
    for (int i = 0; good && i < body.shape_count; ++i) {
        const mo_shape_def shape = mo_body_shape(world, id, i);
        good = copy_shape(recording, &shape, k);
    }
    return good;
}

/* The place of a body in the list. */
static int place_of(const mo_recording *recording, mo_body_id id)
{
    /* If no body was ever removed, as is usual, the body of index i is at place i - 1. */
    const int guess = id.index - 1;
    if (guess >= 0 && guess < recording->body_count && recording->ids[guess].index == id.index)
        return guess;
    for (int k = 0; k < recording->body_count; ++k)
        if (recording->ids[k].index == id.index) return k;
    return 0; /* never: contacts and joints are between bodies of the world */
}

static mo_pose pose_of(const mo_world *world, mo_body_id id)
{
    return id.index ? mo_body_get(world, id).pose : mo_pose_identity();
}

static mo_recorded_joint joint_of(const mo_recording *recording, const mo_world *world,
                                  const mo_joint_state *from)
{
    const mo_pose a = pose_of(world, from->a), b = pose_of(world, from->b);
    mo_recorded_joint to = {.kind = from->kind,
                            .a = from->a.index ? place_of(recording, from->a) : -1,
                            .b = from->b.index ? place_of(recording, from->b) : -1};
    mo_pose_point_back(&a, from->anchor[0], to.anchor[0]);
    mo_pose_point_back(&b, from->anchor[1], to.anchor[1]);
    mo_pose_vector_back(&a, from->axis, to.axis);
    return to;
}

/* Joints of mechanisms as joints of joint.h; planar and free ones have no equal there. */
static int axes_of(mo_recording *recording, const mo_world *world, mo_mechanism_id mechanism)
{
    static const mo_joint_kind KINDS[] = {[MO_AXIS_REVOLUTE] = MO_JOINT_REVOLUTE,
                                          [MO_AXIS_PRISMATIC] = MO_JOINT_PRISMATIC,
                                          [MO_AXIS_BALL] = MO_JOINT_BALL};
    const int count = mo_mechanism_get(world, mechanism).joint_count;
    int used = 0;
    for (int k = 0; k < count; ++k) {
        const mo_axis_state axis = mo_mechanism_joint(world, mechanism, k);
        if (axis.kind > MO_AXIS_BALL) continue;
        used += 1;
        if (recording->joints) {
            mo_joint_state joint = {.kind = KINDS[axis.kind],
                                    .a = mo_mechanism_link(world, mechanism, axis.parent),
                                    .b = mo_mechanism_link(world, mechanism, axis.link)};
            memcpy(joint.anchor[0], axis.anchor, sizeof axis.anchor);
            memcpy(joint.anchor[1], axis.anchor, sizeof axis.anchor);
            if (axis.kind != MO_AXIS_BALL) memcpy(joint.axis, axis.axis, sizeof axis.axis);
            recording->joints[recording->joint_count++] = joint_of(recording, world, &joint);
        }
    }
    return used;
}

static int all_axes_of(mo_recording *recording, const mo_world *world)
{
    int used = 0;
    for (int k = 0; k < mo_world_mechanism_count(world); ++k)
        used += axes_of(recording, world, mo_world_mechanism(world, k));
    return used;
}

static bool copy_joints(mo_recording *recording, const mo_world *world)
{
    const int joints = mo_world_joint_count(world);
    const int count = joints + all_axes_of(recording, world); /* counts: there is no list yet */
    recording->joints =
        mo_memory_array(&recording->allocator, (size_t)count, sizeof *recording->joints);
    MO_PASS(recording->joints);
    for (int k = 0; k < joints; ++k) {
        const mo_joint_state joint = mo_joint_get(world, mo_world_joint(world, k));
        recording->joints[recording->joint_count++] = joint_of(recording, world, &joint);
    }
    all_axes_of(recording, world);
    return true;
}

static int count_shapes(const mo_world *world)
{
    int count = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k)
        count += mo_body_get(world, mo_world_body(world, k)).shape_count;
    return count;
}

mo_error mo_recording_begin(mo_recording *recording, const mo_world *world,
                            const mo_allocator *allocator, mo_message *why)
{
    MO_NEED(recording && world, why);
    const mo_allocator own = mo_allocator_or_default(allocator);
    const mo_world_def def = mo_world_definition(world);
    const int bodies = mo_world_body_count(world), shapes = count_shapes(world);
    *recording = (mo_recording){.dimension = def.dimension, .allocator = own};
    memcpy(recording->gravity, def.gravity, sizeof def.gravity);
    recording->bodies = mo_memory_array(&own, (size_t)bodies, sizeof *recording->bodies);
    recording->ids = mo_memory_array(&own, (size_t)bodies, sizeof *recording->ids);
    recording->shapes = mo_memory_array(&own, (size_t)shapes, sizeof *recording->shapes);
    bool good = recording->bodies && recording->ids && recording->shapes;
    for (int k = 0; good && k < bodies; ++k)
        good = copy_body(recording, world, k);
    if (!good || !copy_joints(recording, world)) {
        mo_recording_clear(recording);
        return mo_fail_memory(why);
    }
    return MO_OK;
}

mo_error mo_recording_set_title(mo_recording *recording, const char *title, mo_message *why)
{
    MO_NEED(recording, why);
    recording->allocator = mo_allocator_or_default(&recording->allocator);
    char *copy = title ? mo_memory_copy(&recording->allocator, title, strlen(title)) : NULL;
    MO_FAIL_IF(title && !copy, mo_fail_memory(why));
    mo_memory_free(&recording->allocator, recording->title);
    recording->title = copy;
    return MO_OK;
}

/* ---- a frame --------------------------------------------------------------------------------- */

static mo_error check_bodies(const mo_recording *recording, const mo_world *world, mo_message *why)
{
    bool same = recording->ids && mo_world_body_count(world) == recording->body_count;
    for (int k = 0; same && k < recording->body_count; ++k) {
        const mo_body_id id = mo_world_body(world, k);
        same = id.index == recording->ids[k].index && id.generation == recording->ids[k].generation;
    }
    return same ? MO_OK
                : mo_fail(why, MO_ERR_ARGUMENT,
                          "the bodies of the world have changed since the recording began");
}

/* Room for one frame more. */
static mo_error make_room(mo_recording *recording, int contacts, mo_message *why)
{
    const mo_allocator *allocator = &recording->allocator;
    const size_t frames = (size_t)recording->frame_count + 1;
    const size_t rows = frames * (size_t)recording->body_count;
    const size_t all = (size_t)recording->contact_count + (size_t)contacts;
    if (7 * rows > INT_MAX || 3 * all > INT_MAX) { /* maximum length of a vector in the reader */
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "a recording holds at most %d numbers in a vector; record fewer steps",
                       INT_MAX);
    }
    const bool good =
        MO_GROW(allocator, recording->frames, recording->frame_room, frames) &&
        MO_GROW(allocator, recording->poses, recording->pose_room, rows + 1) &&
        MO_GROW(allocator, recording->velocities, recording->velocity_room, rows + 1) &&
        MO_GROW(allocator, recording->contacts, recording->contact_room, all + 1);
    return good ? MO_OK : mo_fail_memory(why);
}

static mo_recorded_contact contact_of(const mo_recording *recording, const mo_contact *from,
                                      double h)
{
    mo_recorded_contact to = {
        .a = place_of(recording, from->a),
        .b = place_of(recording, from->b),
        .id = {(unsigned)(from->id & 0xFFFFFFFFu), (unsigned)(from->id >> 32)},
        .mode = from->mode,
        .gap = from->gap,
        .mu = from->mu};
    memcpy(to.point, from->point, sizeof to.point);
    memcpy(to.normal, from->normal, sizeof to.normal);
    memcpy(to.velocity, from->velocity, sizeof to.velocity);
    mo_vec3_scale(1 / h, from->impulse, to.force);
    mo_vec3_scale(1 / h, from->moment, to.moment);
    return to;
}

static void add_bodies(mo_recording *recording, const mo_world *world)
{
    const size_t first = (size_t)recording->frame_count * (size_t)recording->body_count;
    for (int k = 0; k < recording->body_count; ++k) {
        const mo_body_state body = mo_body_get(world, recording->ids[k]);
        recording->poses[first + (size_t)k] = body.pose;
        memcpy(recording->velocities[first + (size_t)k], body.velocity, sizeof body.velocity);
        memcpy(recording->velocities[first + (size_t)k] + 3, body.spin, sizeof body.spin);
    }
}

mo_error mo_recording_add(mo_recording *recording, const mo_world *world, double h,
                          const mo_step_report *report, mo_message *why)
{
    MO_NEED(recording && world, why);
    const int contacts = h > 0 ? mo_world_contact_count(world) : 0;
    MO_TRY(check_bodies(recording, world, why));
    MO_TRY(make_room(recording, contacts, why));
    const mo_energy energy = mo_world_energy(world);
    mo_recorded_frame *frame = recording->frames + recording->frame_count;
    *frame = (mo_recorded_frame){.time = mo_world_time(world),
                                 .step = h > 0 ? h : 0,
                                 .kinetic_energy = mo_world_kinetic_energy(world),
                                 .potential_energy = mo_world_potential_energy(world),
                                 .rotation_energy = energy.rotation,
                                 .spring_energy = energy.springs,
                                 .first_contact = recording->contact_count,
                                 .contact_count = contacts};
    if (report) {
        frame->residual = report->residual.natural_relative;
        frame->tolerance = report->tolerance;
        frame->penetration = report->penetration;
        frame->status = report->status;
    }
    add_bodies(recording, world);
    for (int k = 0; k < contacts; ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        recording->contacts[recording->contact_count++] = contact_of(recording, &contact, h);
    }
    recording->frame_count += 1;
    return MO_OK;
}
