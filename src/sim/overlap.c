/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What overlaps within the step, and the contacts that keep it from that.
 *
 * A contact at the start of a step knows the gap to first order.  What turns may end inside its
 * neighbour all the same.  Where the poses to which the answer v* leads overlap by more than
 * world.overlap, contacts are taken there, at the time t of the step, with
 *
 *     gap(v) = gap(t) - t n.u(v*) + h n.u(v) >= 0,     w_N = max(0, gap(t) - t n.u(v*)) / h    (1)
 *
 * and normal n, points and arms of that pose (t = 0: the contact of the start).  w_N >= 0, so that
 * they add no energy (passive.c).  t is the end of the step, or, for what turns by more than its
 * thickness, the time at which conservative advancement [mirtich1996] meets the overlap.  What
 * passes all the same is held back: it goes the part of the way until then, its velocity stays.
 */
#include <math.h>
#include <string.h>

#include "collide/hull.h"
#include "linalg/vec3.h"
#include "sim/pairs.h"

/* Of the overlap that is let be: deeper, the step is solved again. */
static const double DEEP = 4;
/* Of the thinner shape: deeper than this its two sides may be mistaken for each other. */
static const double OF_THICKNESS = 0.25;
enum { MOST_ADVANCES = 200 };

/* ---- may they? ------------------------------------------------------------------------------- */

/* How far a point of a shape moves by turning about the centre of its body, at most. */
static double turn_of(const mo_world *world, int shape, double h)
{
    const mo_sim_body *body = world->body + world->near[shape].body;
    const double spin = mo_vec3_norm(body->next_v + 3);
    return world->near[shape].is_central || !(spin > 0) ? 0 : fmin(h * spin, 2) * body->size;
}

/* Along the normal, without turning: how fast the gap opens. */
static double opening(const mo_world *world, const mo_sim_contact *contact)
{
    double apart[3];
    mo_vec3_minus(world->body[contact->body[1]].next_v, world->body[contact->body[0]].next_v,
                  apart);
    return mo_vec3_dot(contact->frame, apart);
}

/* Of the contacts of one pair: may its shapes overlap at the end of the step? */
static int may_overlap(const mo_world *world, const mo_sim_contact *contact, int count, double h)
{
    const double turn = turn_of(world, contact->shape[0], h) + turn_of(world, contact->shape[1], h);
    const double depth = world->def.overlap * contact->size;
    for (int k = 0; k < count; ++k) {
        if (contact[k].gap + h * opening(world, contact + k) - turn < -depth) {
            return 1;
        }
    }
    return 0;
}

/* Of what is solid on both sides of its centre: the radius of a ball inside. */
static double thickness_of(const mo_collider *collider)
{
    const mo_shape_def *def = &collider->def;
    double least = INFINITY;
    switch (def->kind) {
    case MO_SHAPE_BALL:
    case MO_SHAPE_CAPSULE:
        return def->radius;
    case MO_SHAPE_CYLINDER:
        return fmin(def->radius, def->half[2]);
    default:
        for (int k = 0; collider->hull && k < collider->hull->face_count; ++k) {
            const double *plane = collider->hull->plane[k];
            least = fmin(least, plane[3] - mo_vec3_dot(plane, collider->hull->centre));
        }
        return least;
    }
}

/* ---- when ------------------------------------------------------------------------------------ */

/* The pose of a shape after a part t of the step of h. */
static mo_pose pose_at(const mo_world *world, int place, double t, double h)
{
    const mo_sim_shape *shape = world->shape + place;
    const mo_sim_body *body = world->body + shape->body;
    double x[3], q[4];
    if (body->kind == MO_BODY_FIXED) {
        return shape->pose;
    }
    if (body->mechanism != MO_NONE && t == h) {
        return mo_shape_pose_at(body, body->next_x, body->next_orientation, shape);
    }
    mo_vec3_along(body->x, t, body->next_v, x);
    mo_advance_turn(body->orientation, body->next_v + 3, t, q);
    return mo_shape_pose_at(body, x, q, shape);
}

/* How long no point goes deeper than `depth`, from the touches at a time on. */
static double safe_time(const mo_world *world, const mo_pair *pair, double depth)
{
    const mo_sim_body *a = world->body + world->near[pair->a].body,
                      *b = world->body + world->near[pair->b].body;
    const double turning =
        turn_of(world, pair->a, 1e-9) / 1e-9 + turn_of(world, pair->b, 1e-9) / 1e-9;
    double apart[3], safe = INFINITY;
    mo_vec3_minus(b->next_v, a->next_v, apart);
    for (int k = 0; k < world->touches.count; ++k) {
        const mo_touch *touch = world->touches.touch + k;
        const double rate = fmax(0, -mo_vec3_dot(touch->normal, apart)) + turning;
        safe = fmin(safe, (touch->gap + depth) / rate);
    }
    return safe;
}

static double deepest_touch(const mo_world *world)
{
    double deepest = 0;
    for (int k = 0; k < world->touches.count; ++k) {
        deepest = fmax(deepest, -world->touches.touch[k].gap);
    }
    return deepest;
}

/* The time at which the pair overlaps by nearly `depth` more than at the start, or h. */
static double time_of_overlap(mo_world *world, const mo_pair *pair, double depth, double h)
{
    static const double NEARLY = 0.1;
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    double apart[3], t = 0;
    mo_vec3_minus(world->body[b->body].next_v, world->body[a->body].next_v, apart);
    const double way =
        h * mo_vec3_norm(apart) + turn_of(world, pair->a, h) + turn_of(world, pair->b, h);
    for (int k = 0; k < MOST_ADVANCES && t < h; ++k) {
        const mo_pose at_a = pose_at(world, pair->a, t, h), at_b = pose_at(world, pair->b, t, h);
        world->touches.count = 0;
        mo_collide_at(&a->collider, &at_a, &b->collider, &at_b, way * (h - t) / h, &world->touches);
        const double deepest = deepest_touch(world);
        depth = k == 0 ? depth + deepest : depth;
        if (deepest > (1 - NEARLY) * depth) {
            return t;
        }
        t += safe_time(world, pair, depth);
    }
    return fmin(t, h);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* The records of those from `first` on, which were taken at the time t. */
static mo_error add_late(mo_world *world, int first, double t)
{
    mo_sim_contacts *list = &world->contacts;
    const int count = list->count - first;
    if (!mo_memory_grow(&world->allocator, (void **)&world->late, &world->late_room,
                        (size_t)(world->late_count + count), sizeof *world->late)) {
        list->count = first;
        return MO_ERR_MEMORY;
    }
    for (int k = first; k < list->count; ++k) {
        mo_sim_contact *contact = list->at + k;
        mo_late_contact *late = world->late + world->late_count;
        for (int side = 0; side < 2; ++side) {
            const mo_sim_body *body = world->body + contact->body[side];
            mo_vec3_minus(contact->point, body->x, late->arm[side]);
            if (body->kind != MO_BODY_FIXED) {
                mo_vec3_along(late->arm[side], -t, body->next_v, late->arm[side]);
            }
        }
        double u[3];
        contact->late = world->late_count++;
        mo_contact_velocity(world, contact, u);
        late->before = t * mo_vec3_dot(contact->frame, u);
    }
    return MO_OK;
}

static mo_error note_pair(mo_world *world, const mo_pair *pair)
{
    mo_pairs *pairs = &world->overlapping;
    if (!mo_memory_grow(&world->allocator, (void **)&pairs->at, &pairs->room,
                        (size_t)pairs->count + 1, sizeof *pairs->at)) {
        return MO_ERR_MEMORY;
    }
    pairs->at[pairs->count++] = *pair;
    return MO_OK;
}

/* How deep a pair overlaps at these poses, in m. */
static double depth_at(mo_world *world, const mo_pair *pair, const mo_pose at[2])
{
    world->touches.count = 0;
    mo_collide_at(&world->shape[pair->a].collider, at, &world->shape[pair->b].collider, at + 1, 0,
                  &world->touches);
    return deepest_touch(world);
}

/* Contacts of a pair at the time t of the step, where it overlaps then more than at the start;
 * *deep where by much. */
static mo_error take_at(mo_world *world, const mo_pair *pair, double start, double t, double h,
                        int *deep)
{
    mo_sim_contacts *list = &world->contacts;
    const int first = list->count;
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    const mo_pose at[2] = {pose_at(world, pair->a, t, h), pose_at(world, pair->b, t, h)};
    const double depth = depth_at(world, pair, at) / fmin(a->collider.size, b->collider.size);
    if (t == h && depth <= world->def.overlap) {
        return MO_OK;
    }
    if (t == h && depth <= start + world->def.overlap) {
        return note_pair(world, pair);
    }
    if (mo_contacts_collide(world, pair, at, mo_margin_of(world, a, b), list)) {
        return MO_ERR_MEMORY;
    }
    *deep += t < h || depth > start + DEEP * world->def.overlap;
    return add_late(world, first, t) ? MO_ERR_MEMORY : note_pair(world, pair);
}

/* What would pass through another one stops on its way.  Joints and mechanisms go as a whole, and
 * do not. */
static void hold_back(mo_world *world, const mo_pair *pair, double part)
{
    for (int side = 0; side < 2; ++side) {
        mo_sim_body *body = world->body + world->near[side ? pair->b : pair->a].body;
        if (body->kind == MO_BODY_FREE && body->first_joint == MO_NONE) {
            body->part = fmin(body->part, part);
        }
    }
}

/* `start`: how deep it overlaps at the start, over the size. */
static mo_error look_at_pair(mo_world *world, const mo_pair *pair, double start, double h,
                             int takes, int *deep)
{
    const double thick = fmin(thickness_of(&world->shape[pair->a].collider),
                              thickness_of(&world->shape[pair->b].collider));
    const double depth = OF_THICKNESS * thick;
    const double turn = turn_of(world, pair->a, h) + turn_of(world, pair->b, h);
    const double t = turn > depth ? time_of_overlap(world, pair, depth, h) : h;
    if (!takes && t < h) {
        hold_back(world, pair, t / h);
    }
    return take_at(world, pair, start, t, h, deep);
}

mo_error mo_overlaps_look(mo_world *world, double h, int takes, int *count)
{
    mo_sim_contacts *list = &world->contacts;
    const int sorted = list->count, late = world->late_count;
    int deep = 0;
    *count = world->overlapping.count = 0;
    world->overlap_before = 0;
    for (int k = 0; k < world->living_count; ++k) {
        world->body[world->living[k]].part = 1;
    }
    if (isinf(world->def.overlap)) {
        return MO_OK;
    }
    mo_mechanisms_poses(world, h);
    for (int k = 0, next; k < sorted; k = next) {
        const mo_pair pair = {list->at[k].shape[0], list->at[k].shape[1]};
        double start = 0;
        for (next = k; next < sorted && list->at[next].shape[0] == pair.a &&
                       list->at[next].shape[1] == pair.b;
             ++next) {
            const mo_sim_contact *contact = list->at + next;
            start = contact->late == MO_NONE ? fmax(start, -contact->gap / contact->size) : start;
        }
        if (!may_overlap(world, list->at + k, next - k, h)) {
            continue;
        }
        world->overlap_before = fmax(world->overlap_before, start);
        if (look_at_pair(world, &pair, start, h, takes, &deep)) {
            return MO_ERR_MEMORY;
        }
    }
    if (!takes || deep == 0) { /* the projection sees to them */
        list->count = sorted;
        world->late_count = late;
        return MO_OK;
    }
    *count = world->overlapping.count;
    return mo_contacts_merge(world, sorted);
}
