/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The state of a world as bytes: time, poses, velocities, applied forces, contacts with impulses
 * and slips, joints and mechanisms with theirs.  Shapes, masses and joints are not included: a
 * state fits a world that was built in the same way, and its header detects most others.  The bytes
 * are specific to machine and build.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

typedef struct head {
    char magic[8];
    uint32_t contact_size; /* of mo_sim_contact: another build, another size */
    int32_t dimension, bodies, shapes, joints, contacts, mechanism_numbers, canonical;
    double time, last_step;
    uint64_t steps;
} head;

typedef struct body_state {
    double x[3], orientation[4], v[6], force[6];
    int32_t is_asleep, quiet_steps, leader, was_coarse, misses, unused;
} body_state;

typedef struct joint_state {
    int32_t drive, unused;
    double target, max_effort;
    double q, impulse[MO_JOINT_IMPULSES];
    double force[3], moment[3], effort;
} joint_state;

static const char MAGIC[8] = "MOSTATE";

static head head_of(const mo_world *world)
{
    head h = {.contact_size = sizeof(mo_sim_contact),
              .dimension = world->def.dimension,
              .bodies = world->living_count,
              .shapes = world->shape_places,
              .joints = world->jointed_count,
              .contacts = world->contacts.count,
              .mechanism_numbers = (int32_t)mo_mechanisms_size(world),
              .canonical = (int32_t)world->canonical,
              .time = world->time,
              .last_step = world->last_step,
              .steps = world->steps};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    return h;
}

static size_t size_of(const head *h)
{
    return sizeof *h + (size_t)h->bodies * sizeof(body_state) +
           (size_t)h->joints * sizeof(joint_state) + (size_t)h->contacts * sizeof(mo_sim_contact) +
           (size_t)h->mechanism_numbers * sizeof(double);
}

static body_state read_body(const mo_world *world, int place)
{
    const mo_sim_body *body = world->body + place;
    body_state s;
    memset(&s, 0, sizeof s); /* padding too: equal states are equal bytes */
    memcpy(s.x, body->x, sizeof s.x);
    memcpy(s.orientation, body->orientation, sizeof s.orientation);
    memcpy(s.v, body->v, sizeof s.v);
    memcpy(s.force, body->force, sizeof s.force);
    s.is_asleep = body->is_asleep;
    s.quiet_steps = body->quiet_steps;
    s.was_coarse = body->was_coarse;
    s.misses = body->misses;
    s.leader = body->is_asleep ? body->leader : place;
    return s;
}

static joint_state read_joint(const mo_sim_joint *joint)
{
    joint_state s;
    memset(&s, 0, sizeof s);
    s.drive = (int32_t)joint->def.drive;
    s.target = joint->def.target;
    s.max_effort = joint->def.max_effort;
    s.q = joint->q;
    memcpy(s.impulse, joint->impulse, sizeof s.impulse);
    memcpy(s.force, joint->force, sizeof s.force);
    memcpy(s.moment, joint->moment, sizeof s.moment);
    s.effort = joint->effort;
    return s;
}

size_t mo_world_save(const mo_world *world, void *bytes, size_t room)
{
    mo_device_heap_fetch(world);
    (void)mo_device_heap_fetch_contacts(world);
    MO_NEED_OR(0, world, NULL);
    const head h = head_of(world);
    const size_t size = size_of(&h);
    if (!bytes || room < size) return size;
    char *to = bytes;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    for (int k = 0; k < world->living_count; ++k, to += sizeof(body_state)) {
        const body_state s = read_body(world, world->living[k]);
        memcpy(to, &s, sizeof s);
    }
    for (int k = 0; k < world->jointed_count; ++k, to += sizeof(joint_state)) {
        const joint_state s = read_joint(world->joint + world->jointed[k]);
        memcpy(to, &s, sizeof s);
    }
    if (h.contacts) {
        memcpy(to, world->contacts.at, (size_t)h.contacts * sizeof(mo_sim_contact));
        to += (size_t)h.contacts * sizeof(mo_sim_contact);
    }
    mo_mechanisms_save(world, to);
    return size;
}

/* ---- loading --------------------------------------------------------------------------------- */

static mo_error check_head(const mo_world *world, const head *h, size_t size, mo_message *why)
{
    MO_FAIL_IF(
        memcmp(h->magic, MAGIC, sizeof h->magic) != 0 || h->contact_size != sizeof(mo_sim_contact),
        mo_fail(
            why, MO_ERR_FORMAT,
            "these bytes are not a state of a world, or come from another build of the library"));
    MO_FAIL_IF(h->dimension != world->def.dimension || h->bodies != world->living_count ||
                   h->shapes != world->shape_places || h->joints != world->jointed_count,
               mo_fail(why, MO_ERR_FORMAT,
                       "the state is of a world with %d bodies, %d shapes and %d joints, but this "
                       "one has %d, %d and %d",
                       h->bodies, h->shapes, h->joints, world->living_count, world->shape_places,
                       world->jointed_count));
    MO_FAIL_IF(h->mechanism_numbers != (int32_t)mo_mechanisms_size(world),
               mo_fail(why, MO_ERR_FORMAT, "the state is of a world with other mechanisms"));
    MO_FAIL_IF(h->contacts < 0 || size_of(h) != size,
               mo_fail(why, MO_ERR_FORMAT, "the state is truncated or too long"));
    MO_FAIL_IF(
        !isfinite(h->time) || !isfinite(h->last_step) || h->last_step < 0,
        mo_fail(why, MO_ERR_FORMAT, "the time of the state, or its last step, is not finite"));
    return MO_OK;
}

/* What follows from positions and velocities may be above MO_LARGEST. */
static int is_finite(int count, const double *x)
{
    double sum = 0; /* NaN where one is not */
    for (int k = 0; k < count; ++k)
        sum += 0 * x[k];
    return sum == 0;
}

static int is_held_sound(const mo_held *held)
{
    const double *n = held->normal;
    return is_finite(3, held->on[0]) && is_finite(3, held->on[1]) && isfinite(held->gap) &&
           (held->points == 0 || fabs(mo_vec3_dot(n, n) - 1) < 1e-6);
}

static int is_contact_sound(const mo_world *world, const mo_sim_contact *contact)
{
    for (int side = 0; side < 2; ++side) {
        const int shape = contact->shape[side];
        if (shape < 0 || shape >= world->shape_places || !world->shape[shape].generation ||
            world->shape[shape].body != contact->body[side])
            return 0;
    }
    const double numbers[] = {contact->gap, contact->size, contact->restitution, contact->rolling,
                              contact->torsion};
    return contact->late == MO_NONE && is_finite(5, numbers) && contact->size > 0 &&
           contact->mu >= 0 && is_finite(3, contact->impulse) && is_finite(3, contact->moment) &&
           is_finite(3, contact->slip) && is_finite(3, contact->impact) &&
           is_finite(3, contact->velocity) && is_finite(9, contact->frame) &&
           is_finite(3, contact->point) && is_held_sound(&contact->held);
}

static int is_joint_sound(const joint_state *s)
{
    const int has_drive = s->drive >= MO_DRIVE_NONE && s->drive <= MO_DRIVE_POSITION;
    return has_drive && isfinite(s->target) && s->max_effort >= 0 && isfinite(s->q) &&
           is_finite(MO_JOINT_IMPULSES, s->impulse) && is_finite(3, s->force) &&
           is_finite(3, s->moment) && isfinite(s->effort);
}

/* Poses and velocities of links follow from the coordinates of their mechanism. */
static int is_body_sound(const mo_world *world, int place, const body_state *s)
{
    const int is_placed =
        world->body[place].mechanism != MO_NONE ||
        (mo_are_moderate(3, s->x) && mo_quat_is_unit(s->orientation) && mo_are_moderate(6, s->v));
    return is_placed && is_finite(6, s->force) && s->leader >= 0 &&
           s->leader < world->body_places && world->body[s->leader].generation;
}

static mo_error check_parts(const mo_world *world, const head *h, const char *from, mo_message *why)
{
    for (int k = 0; k < h->bodies; ++k, from += sizeof(body_state)) {
        body_state s;
        memcpy(&s, from, sizeof s);
        MO_FAIL_IF(!is_body_sound(world, world->living[k], &s),
                   mo_fail(why, MO_ERR_FORMAT,
                           "the state of body %d is not finite, or its island is not in this world",
                           k));
    }
    for (int k = 0; k < h->joints; ++k, from += sizeof(joint_state)) {
        joint_state s;
        memcpy(&s, from, sizeof s);
        MO_FAIL_IF(!is_joint_sound(&s),
                   mo_fail(why, MO_ERR_FORMAT, "the state of joint %d is not finite", k));
    }
    for (int k = 0; k < h->contacts; ++k, from += sizeof(mo_sim_contact)) {
        mo_sim_contact contact;
        memcpy(&contact, from, sizeof contact);
        MO_FAIL_IF(
            !is_contact_sound(world, &contact),
            mo_fail(why, MO_ERR_FORMAT, "contact %d of the state does not fit this world", k));
    }
    MO_FAIL_IF(!mo_mechanisms_sound(world, from),
               mo_fail(why, MO_ERR_FORMAT,
                       "the state of a mechanism is not finite, or has a quaternion that is not of "
                       "length one"));
    return MO_OK;
}

/* A count of steps, which later steps increase. */
static int read_count(int32_t count)
{
    return count < 0 ? 0 : count > INT32_MAX / 2 ? INT32_MAX / 2 : count;
}

static void write_body(const body_state *s, mo_sim_body *body)
{
    memcpy(body->x, s->x, sizeof s->x);
    memcpy(body->orientation, s->orientation, sizeof s->orientation);
    memcpy(body->v, s->v, sizeof s->v);
    memcpy(body->force, s->force, sizeof s->force);
    body->is_asleep = s->is_asleep != 0;
    body->quiet_steps = read_count(s->quiet_steps);
    body->was_coarse = s->was_coarse != 0;
    body->misses = read_count(s->misses);
    body->leader = s->leader;
}

static void write_joint(const joint_state *s, mo_sim_joint *joint)
{
    joint->def.drive = (mo_drive_kind)s->drive;
    joint->def.target = s->target;
    joint->def.max_effort = s->max_effort;
    joint->q = s->q;
    memcpy(joint->impulse, s->impulse, sizeof s->impulse);
    memcpy(joint->force, s->force, sizeof s->force);
    memcpy(joint->moment, s->moment, sizeof s->moment);
    joint->effort = s->effort;
}

static void write_parts(mo_world *world, const head *h, const char *from)
{
    world->found.count = 0;
    for (int k = 0; k < h->bodies; ++k, from += sizeof(body_state)) {
        body_state s;
        memcpy(&s, from, sizeof s);
        write_body(&s, world->body + world->living[k]);
    }
    for (int k = 0; k < h->joints; ++k, from += sizeof(joint_state)) {
        joint_state s;
        memcpy(&s, from, sizeof s);
        write_joint(&s, world->joint + world->jointed[k]);
    }
    if (h->contacts) {
        memcpy(world->contacts.at, from, (size_t)h->contacts * sizeof(mo_sim_contact));
        from += (size_t)h->contacts * sizeof(mo_sim_contact);
    }
    mo_mechanisms_load(world, from);
    world->contacts.count = h->contacts;
    mo_contacts_forget_open(&world->contacts);
    world->before.count = 0;
    world->time = h->time;
    world->last_step = h->last_step;
    world->steps = h->steps;
    world->canonical = h->canonical == MO_CANONICAL_FOUND ? MO_CANONICAL_FOUND
                       : h->canonical                     ? MO_CANONICAL_MISSED
                                                          : MO_CANONICAL_UNKNOWN;
}

void mo_world_restore(mo_world *world, const void *bytes)
{
    head h;
    memcpy(&h, bytes, sizeof h);
    write_parts(world, &h, (const char *)bytes + sizeof h);
}

mo_error mo_world_load(mo_world *world, const void *bytes, size_t size, mo_message *why)
{
    MO_NEED(world && bytes, why);
    head h;
    MO_FAIL_IF(size < sizeof h, mo_fail(why, MO_ERR_FORMAT, "the state is cut short"));
    memcpy(&h, bytes, sizeof h);
    const char *parts = (const char *)bytes + sizeof h;
    MO_TRY(check_head(world, &h, size, why));
    MO_TRY(check_parts(world, &h, parts, why));
    mo_device_heap_bring_back(world);
    mo_sim_contacts *list = &world->contacts;
    MO_FAIL_IF(!MO_GROW(&world->allocator, list->at, list->room, (size_t)h.contacts + 1),
               mo_fail_memory(why));
    write_parts(world, &h, parts);
    return MO_OK;
}
