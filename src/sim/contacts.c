/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From positions to contacts.
 *
 * Every shape has a box in the tree, enlarged by how far its body may move in the step; boxes that meet make a pair, pairs
 * are sorted, and the narrow phase turns each into touches.  So the contacts come in an order that depends on the state
 * alone, not on the tree's past.  A touch takes part in the problem where its gap closes to less than the margin by the end of the step: with the
 * velocities before it, with the free ones, or with these while one of the two bodies is stopped by something else, as those are that a
 * falling heap meets.  The others are kept, since a solve may show that they close after all; and where it makes a body faster than its box was
 * made for, that body looks again.
 *
 * Contacts of the last step with the same shapes and feature hand over their impulse and their slip.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/world_data.h"

static const double LOOKS_AGAIN = 0.1;     /* of the margin: motion beyond what was thought */
static const double MARGIN_OF_SIZE = 0.01; /* the margin, where the user gives none */

/* ---- pairs ------------------------------------------------------------------------------------ */

/* How far the shape may move in the step with one of these velocities, at most.  A ball about the centre of its body turns in place. */
static double motion_of(const mo_sim_shape *shape, const mo_sim_body *body, const double v[6],
                        const double or_v[6], double h)
{
    double arm[3];
    mo_vec3_minus(shape->pose.position, body->x, arm);
    const double size = shape->collider.def.kind == MO_SHAPE_BALL ? mo_vec3_norm(arm) : body->size;
    const double speed = fmax(mo_vec3_norm(v), mo_vec3_norm(or_v));
    const double spin = fmax(mo_vec3_norm(v + 3), mo_vec3_norm(or_v + 3));
    const double turn =
        fmin(h * spin, 2) * size; /* half a turn moves no point further than two radii */
    return h * speed + (isfinite(turn) ? turn : 0);
}

static double margin_of(const mo_world *world, const mo_sim_shape *a, const mo_sim_shape *b)
{
    return world->def.margin > 0 ? world->def.margin
                                 : MARGIN_OF_SIZE * fmin(a->collider.size, b->collider.size);
}

static mo_bounds enlarged(mo_bounds bounds, double by)
{
    for (int k = 0; k < 3; ++k) {
        bounds.low[k] -= by;
        bounds.high[k] += by;
    }
    return bounds;
}

static void set_reach(const mo_world *world, mo_sim_shape *shape)
{
    shape->reach = enlarged(mo_collider_bounds_at(&shape->collider, &shape->pose),
                            margin_of(world, shape, shape) + shape->motion);
}

static void place_shape(const mo_world *world, mo_sim_shape *shape, double h)
{
    const mo_sim_body *body = world->body + shape->body;
    const mo_pose pose = mo_body_pose(body);
    shape->pose = mo_pose_compose(&pose, &shape->collider.def.pose);
    shape->motion = motion_of(shape, body, body->v, body->free_v, h);
    set_reach(world, shape);
}

static void move_in_tree(mo_world *world, const mo_sim_shape *shape)
{
    if (shape->proxy >= 0 && world->body[shape->body].kind != MO_BODY_FIXED) {
        mo_tree_move(world->tree, shape->proxy, &shape->reach, 0.1 * shape->collider.size);
    }
}

static void update_tree(mo_world *world, double h)
{
    for (int k = 0; k < world->shape_places; ++k) {
        mo_sim_shape *shape = world->shape + k;
        if (shape->generation) {
            place_shape(world, shape, h);
            move_in_tree(world, shape);
        }
    }
}

static int layers_meet(const mo_shape_def *a, const mo_shape_def *b)
{
    const int one = (a->layer & b->mask) != 0, other = (b->layer & a->mask) != 0;
    return a->either_mask || b->either_mask ? one || other : one && other;
}

/* Do a joint or the layers keep the two apart? */
static int may_touch(const mo_world *world, int a, int b)
{
    const mo_sim_shape *sa = world->shape + a, *sb = world->shape + b;
    const mo_shape_def *da = &sa->collider.def, *db = &sb->collider.def;
    if (sa->body == sb->body || !layers_meet(da, db)) {
        return 0;
    }
    for (int j = world->body[sa->body].first_joint; j != MO_NONE;) {
        const mo_sim_joint *joint = world->joint + j;
        const int side = joint->body[1] == sa->body;
        if (joint->body[!side] == sb->body && !joint->def.collide) {
            return 0;
        }
        j = joint->next[side];
    }
    return 1;
}

typedef struct search {
    mo_world *world;
    int shape;
    int takes_all; /* whatever the other one finds */
    int failed;
} search;

static int add_pair(mo_world *world, int a, int b)
{
    if (!mo_memory_grow(&world->allocator, (void **)&world->pair, &world->pair_room,
                        (size_t)world->pair_count + 1, sizeof *world->pair)) {
        return 0;
    }
    world->pair[world->pair_count++] = (mo_pair){a < b ? a : b, a < b ? b : a};
    return 1;
}

/* Of two shapes that both search, the one with the smaller place finds the pair. */
static int found(void *context, int item)
{
    search *s = context;
    const mo_sim_shape *other = s->world->shape + item;
    const int both_search = mo_moves_freely(s->world->body + other->body);
    if ((s->takes_all || !both_search || item > s->shape) && may_touch(s->world, s->shape, item)) {
        s->failed = !add_pair(s->world, s->shape, item);
    }
    return !s->failed;
}

/* By b, where most are in order already. */
static void sort_run(mo_pair *pair, int count)
{
    for (int k = 1; k < count; ++k) {
        const mo_pair own = pair[k];
        int at = k;
        for (; at > 0 && pair[at - 1].b > own.b; --at) {
            pair[at] = pair[at - 1];
        }
        pair[at] = own;
    }
}

/* By a, counted; then each run by b. */
static mo_error sort_pairs(mo_world *world)
{
    const size_t shapes = (size_t)world->shape_places, pairs = (size_t)world->pair_count;
    if (!mo_memory_grow(&world->allocator, (void **)&world->pair_start, &world->pair_start_room,
                        shapes + 1, sizeof(int)) ||
        !mo_memory_grow(&world->allocator, (void **)&world->pair_spare, &world->spare_room,
                        pairs + 1, sizeof *world->pair_spare)) {
        return MO_ERR_MEMORY;
    }
    int *start = world->pair_start; /* first where a run starts, at last where it ends */
    memset(start, 0, (shapes + 1) * sizeof *start);
    for (size_t k = 0; k < pairs; ++k) {
        ++start[world->pair[k].a + 1];
    }
    for (size_t a = 0; a < shapes; ++a) {
        start[a + 1] += start[a];
    }
    for (size_t k = 0; k < pairs; ++k) {
        world->pair_spare[start[world->pair[k].a]++] = world->pair[k];
    }
    for (size_t a = 0; a < shapes; ++a) {
        const int from = a ? start[a - 1] : 0;
        sort_run(world->pair_spare + from, start[a] - from);
    }
    mo_pair *sorted = world->pair_spare;
    const size_t room = world->spare_room;
    world->pair_spare = world->pair;
    world->spare_room = world->pair_room;
    world->pair = sorted;
    world->pair_room = room;
    return MO_OK;
}

static mo_error find_pairs(mo_world *world)
{
    world->pair_count = 0;
    for (int k = 0; k < world->shape_places; ++k) {
        const mo_sim_shape *shape = world->shape + k;
        if (!shape->generation || !mo_moves_freely(world->body + shape->body)) {
            continue;
        }
        search s = {world, k, 0, 0};
        mo_tree_query(world->tree, &shape->reach, found, &s);
        for (int i = 0; i < world->boundless_count && !s.failed; ++i) {
            found(&s, world->boundless[i]);
        }
        if (s.failed) {
            return MO_ERR_MEMORY;
        }
    }
    return sort_pairs(world);
}

/* ---- contacts --------------------------------------------------------------------------------- */

/* How fast both bodies move along the normal, from a to b. */
static void normal_rates(const mo_world *world, const mo_sim_contact *contact, int is_free,
                         double rate[2])
{
    for (int side = 0; side < 2; ++side) {
        const mo_sim_body *body = world->body + contact->body[side];
        rate[side] = mo_normal_rate(body->x, is_free ? body->free_v : body->start_v, contact);
    }
}

double mo_contact_approach(const mo_world *world, const mo_sim_contact *contact)
{
    double rate[2];
    normal_rates(world, contact, 0, rate);
    return rate[1] - rate[0];
}

/* The least that the gap may change by in a unit of time. */
static double fastest_approach(const mo_world *world, const mo_sim_contact *contact)
{
    double fastest = 0;
    for (int is_free = 0; is_free < 2; ++is_free) {
        double rate[2];
        normal_rates(world, contact, is_free, rate);
        fastest = fmin(fastest, fmin(rate[1] - rate[0], fmin(rate[1], -rate[0])));
    }
    return fastest;
}

void mo_contacts_choose(mo_world *world, double h)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        const mo_sim_shape *a = world->shape + contact->shape[0],
                           *b = world->shape + contact->shape[1];
        const double nearest = contact->gap + h * fastest_approach(world, contact);
        contact->constraint = nearest <= margin_of(world, a, b) ? 0 : MO_NONE;
    }
}

static void set_frame(const mo_world *world, mo_sim_contact *contact, const double normal[3])
{
    mo_vec3_copy(normal, contact->frame);
    if (mo_is_planar(world)) {
        mo_vec3_set(contact->frame + 3, -normal[1], normal[0], 0);
        mo_vec3_set(contact->frame + 6, 0, 0, 1);
    } else {
        mo_vec3_tangents(normal, contact->frame + 3, contact->frame + 6);
    }
}

static mo_error add_contact(mo_world *world, const mo_pair *pair, const mo_touch *touch,
                            mo_sim_contacts *list)
{
    if (!mo_memory_grow(&world->allocator, (void **)&list->at, &list->room, (size_t)list->count + 1,
                        sizeof *list->at)) {
        return MO_ERR_MEMORY;
    }
    mo_sim_contact *contact = list->at + list->count++;
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    const mo_material both =
        mo_material_combine(&a->collider.def.material, &b->collider.def.material);
    *contact = (mo_sim_contact){.shape = {pair->a, pair->b},
                                .body = {a->body, b->body},
                                .feature = touch->feature,
                                .gap = touch->gap,
                                .mu = both.friction,
                                .restitution = both.restitution,
                                .rolling = both.rolling,
                                .torsion = both.torsion};
    mo_vec3_copy(touch->point, contact->point);
    set_frame(world, contact, touch->normal);
    return MO_OK;
}

static void sort_by_feature(mo_sim_contact *contact, int count)
{
    for (int k = 1; k < count; ++k) {
        const mo_sim_contact own = contact[k];
        int at = k;
        for (; at > 0 && contact[at - 1].feature > own.feature; --at) {
            contact[at] = contact[at - 1];
        }
        contact[at] = own;
    }
}

static mo_error collide_pair(mo_world *world, const mo_pair *pair, mo_sim_contacts *list)
{
    const mo_sim_shape *a = world->shape + pair->a, *b = world->shape + pair->b;
    const int first = list->count;
    world->touches.count = 0;
    mo_collide_at(&a->collider, &a->pose, &b->collider, &b->pose,
                  margin_of(world, a, b) + a->motion + b->motion, &world->touches);
    for (int i = 0; i < world->touches.count; ++i) {
        if (add_contact(world, pair, world->touches.touch + i, list)) {
            return MO_ERR_MEMORY;
        }
    }
    sort_by_feature(list->at + first, list->count - first);
    return world->touches.is_short ? MO_ERR_MEMORY : MO_OK;
}

/* By shapes, since the pairs are in that order, and by feature. */
static mo_error collide_pairs(mo_world *world, mo_sim_contacts *list)
{
    list->count = 0;
    for (int k = 0; k < world->pair_count; ++k) {
        const mo_pair *pair = world->pair + k;
        if (collide_pair(world, pair, list)) {
            return MO_ERR_MEMORY;
        }
    }
    return MO_OK;
}

/* ---- the last step ---------------------------------------------------------------------------- */

static int by_identity(const mo_sim_contact *c, const mo_sim_contact *d)
{
    for (int side = 0; side < 2; ++side) {
        if (c->shape[side] != d->shape[side]) {
            return c->shape[side] > d->shape[side] ? 1 : -1;
        }
    }
    return (c->feature > d->feature) - (c->feature < d->feature);
}

static void inherit(const mo_sim_contact *before, mo_sim_contact *now)
{
    mo_vec3_copy(before->impulse, now->impulse);
    mo_vec3_copy(before->moment, now->moment);
    mo_vec3_along(before->slip, -mo_vec3_dot(before->slip, now->frame), now->frame, now->slip);
}

/* Both lists are sorted by shapes and feature. */
static void match(mo_world *world)
{
    const mo_sim_contacts *before = &world->before;
    int k = 0;
    for (int i = 0; i < world->contacts.count; ++i) {
        mo_sim_contact *now = world->contacts.at + i;
        while (k < before->count && by_identity(before->at + k, now) < 0) {
            ++k;
        }
        if (k < before->count && by_identity(before->at + k, now) == 0) {
            inherit(before->at + k, now);
        }
    }
}

mo_error mo_contacts_find(mo_world *world, double h)
{
    const mo_sim_contacts last = world->contacts;
    world->contacts = world->before;
    world->before = last;
    update_tree(world, h);
    if (find_pairs(world) || collide_pairs(world, &world->contacts)) {
        return MO_ERR_MEMORY;
    }
    match(world);
    if (world->def.sleeping) { /* else they are chosen after the impacts */
        mo_contacts_choose(world, h);
    }
    return MO_OK;
}

/* ---- faster than thought -------------------------------------------------------------------------- */

/*
 * A solve may make a body faster than its reach allows for, as one at rest that is hit.  Then it looks further.  Such shapes are marked by
 * their pairs: world->pair holds one (shape, shape) for each of them.
 */
static mo_error mark_fast_shapes(mo_world *world, double h)
{
    world->pair_count = 0;
    for (int k = 0; k < world->shape_places; ++k) {
        mo_sim_shape *shape = world->shape + k;
        const mo_sim_body *body = world->body + shape->body;
        if (!shape->generation || !mo_moves_freely(body)) {
            continue;
        }
        const double motion = motion_of(shape, body, body->next_v, body->next_v, h);
        if (motion > shape->motion + LOOKS_AGAIN * margin_of(world, shape, shape)) {
            shape->motion = motion;
            set_reach(world, shape);
            move_in_tree(world, shape);
            if (!add_pair(world, k, k)) {
                return MO_ERR_MEMORY;
            }
        }
    }
    return MO_OK;
}

/* Is there a contact of these shapes among the first `count`, which are sorted? */
static int has_pair(const mo_sim_contact *contact, int count, const mo_pair *pair)
{
    int low = 0;
    const int end = count;
    while (count > 0) {
        const int half = count / 2;
        const mo_sim_contact *c = contact + low + half;
        if (c->shape[0] < pair->a || (c->shape[0] == pair->a && c->shape[1] < pair->b)) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low < end && contact[low].shape[0] == pair->a && contact[low].shape[1] == pair->b;
}

/* Sorts the contacts from `sorted` on into those before. */
static mo_error merge(mo_world *world, int sorted)
{
    mo_sim_contacts *list = &world->contacts;
    int left = sorted, right = list->count - sorted;
    if (right == 0) {
        return MO_OK;
    }
    mo_sim_contact *own = mo_memory_array(&world->allocator, (size_t)right, sizeof *own);
    if (!own) {
        return MO_ERR_MEMORY;
    }
    memcpy(own, list->at + sorted, (size_t)right * sizeof *own);
    while (right > 0) {
        const int takes_left = left > 0 && by_identity(list->at + left - 1, own + right - 1) > 0;
        list->at[left + right - 1] = takes_left ? list->at[left - 1] : own[right - 1];
        left -= takes_left;
        right -= !takes_left;
    }
    mo_memory_free(&world->allocator, own);
    return MO_OK;
}

mo_error mo_contacts_look_again(mo_world *world, double h)
{
    if (mark_fast_shapes(world, h)) {
        return MO_ERR_MEMORY;
    }
    const int fast = world->pair_count, sorted = world->contacts.count;
    for (int k = 0; k < fast; ++k) { /* pairs of all of them, twice where both are fast */
        search s = {world, world->pair[k].a, 1, 0};
        mo_tree_query(world->tree, &world->shape[s.shape].reach, found, &s);
        for (int i = 0; i < world->boundless_count && !s.failed; ++i) {
            found(&s, world->boundless[i]);
        }
        if (s.failed) {
            return MO_ERR_MEMORY;
        }
    }
    memmove(world->pair, world->pair + fast,
            (size_t)(world->pair_count - fast) * sizeof *world->pair);
    world->pair_count -= fast;
    if (sort_pairs(world)) {
        return MO_ERR_MEMORY;
    }
    for (int k = 0; k < world->pair_count; ++k) {
        const mo_pair *pair = world->pair + k;
        const int is_twice = k > 0 && pair[-1].a == pair->a && pair[-1].b == pair->b;
        if (!is_twice && !has_pair(world->contacts.at, sorted, pair) &&
            collide_pair(world, pair, &world->contacts)) {
            return MO_ERR_MEMORY;
        }
    }
    for (int k = sorted; k < world->contacts.count; ++k) {
        world->contacts.at[k].constraint = MO_NONE;
    }
    return merge(world, sorted);
}

/* ---- looking ---------------------------------------------------------------------------------- */

mo_error mo_contacts_touching(mo_world *world)
{
    update_tree(world, 0);
    if (find_pairs(world) || collide_pairs(world, &world->before)) {
        return MO_ERR_MEMORY;
    }
    for (int k = 0; k < world->before.count; ++k) {
        mo_sim_contact *contact = world->before.at + k;
        contact->mu = contact->rolling = contact->torsion = contact->restitution = 0;
    }
    return MO_OK;
}

double mo_world_penetration(mo_world *world)
{
    double depth = 0;
    update_tree(world, 0);
    if (find_pairs(world)) {
        return NAN;
    }
    for (int k = 0; k < world->pair_count; ++k) {
        const mo_sim_shape *a = world->shape + world->pair[k].a,
                           *b = world->shape + world->pair[k].b;
        world->touches.count = 0;
        mo_collide_at(&a->collider, &a->pose, &b->collider, &b->pose, 0, &world->touches);
        for (int i = 0; i < world->touches.count; ++i) {
            depth = fmax(depth, -world->touches.touch[i].gap);
        }
    }
    return depth;
}
