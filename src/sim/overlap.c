/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Overlap within the step, and the contacts that prevent it.
 *
 * A contact at the start of a step describes the gap to first order, and a rotating body may end
 * inside its neighbour.  If the poses that the solution v* leads to overlap by more than
 * world.overlap, contacts are generated there, at the time t of the step, with
 *
 *     gap(v) = gap(t) - t n.u(v*) + h n.u(v) >= 0,     w_N = max(0, gap(t) - t n.u(v*)) / h    (1)
 *
 * and the normal n, points and lever arms of that pose (t = 0: the contact at the start).  w_N >=
 * 0, so they add no energy (passive.c).  t is the end of the step or, for a body that rotates by
 * more than its thickness, the time at which conservative advancement [mirtich1996] finds the
 * overlap.  A body that would still pass through is held back: it moves until that time, from then
 * on with the other one if that is kinematic, and keeps its velocity.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "collide/pose.h"
#include "linalg/vec3.h"
#include "sim/pairs.h"

/* Of the largest ball inside the thinner shape: deeper than its radius, the two sides of that shape
 * may be mistaken for each other. */
static const double OF_THICKNESS = 0.5;
enum { MOST_ADVANCES = 200 };

/* ---- may they? ------------------------------------------------------------------------------- */

/* Has the shape an axis of revolution?  In the world, with a point of it. */
static int has_axis(const mo_sim_shape *shape, double axis[3], double point[3])
{
    static const double z[3] = {0, 0, 1}, origin[3] = {0, 0, 0};
    const mo_shape_def *def = &shape->collider.def;
    const int is_capsule = def->kind == MO_SHAPE_CAPSULE;
    double own[3];
    if (!is_capsule && def->kind != MO_SHAPE_CYLINDER) return 0;
    mo_vec3_minus(def->ends[1], def->ends[0], own);
    const double length = mo_vec3_norm(own);
    mo_vec3_scale(length > 0 ? 1 / length : 0, own, own);
    mo_vector_out(&shape->pose, is_capsule && length > 0 ? own : z, axis);
    mo_point_out(&shape->pose, is_capsule ? def->ends[0] : origin, point);
    return 1;
}

/*
 * The speed, at most, at which rotation moves the outline of a shape.  The part of the spin w along
 * an axis of revolution a, at a distance d from the centre of the body, moves it as a whole, by
 * |w.a| d: a rod that rolls stays in place.  The angle of w and a does not change in a step.
 */
static double turning_of(const mo_world *world, int place)
{
    const mo_sim_shape *shape = world->shape + place;
    const mo_sim_body *body = world->body + shape->body;
    const double *spin = body->next_v + 3, all = mo_vec3_norm(spin);
    double axis[3], point[3], off[3], moment[3], across[3];
    if (world->near[place].is_central || !(all > 0)) return 0;
    if (!has_axis(shape, axis, point)) return all * body->size;
    const double along = mo_vec3_dot(spin, axis);
    mo_vec3_minus(point, body->x, off);
    mo_vec3_cross(axis, off, moment);
    mo_vec3_along(spin, -along, axis, across);
    return fmin(all * body->size,
                mo_vec3_norm(across) * body->size + fabs(along) * mo_vec3_norm(moment));
}

/* How far the outline of a shape moves by turning about the centre of its body, at most. */
static double turn_of(const mo_world *world, int shape, double h)
{
    const double rate = world->near[shape].is_central ? 0 : world->shape[shape].turning;
    return rate > 0 ? fmin(h * rate, 2 * world->body[world->near[shape].body].size) : 0;
}

double mo_curved_by(const mo_sim_body *body, const double spin[3], double h)
{
    const double angle = h * mo_vec3_norm(spin);
    return body->kind == MO_BODY_FIXED                     ? 0
           : body->mechanism != MO_NONE || body->part != 1 ? INFINITY
                                                           : 0.5 * angle * angle * body->size;
}

static int is_mesh(const mo_world *world, const mo_sim_contact *contact)
{
    return world->shape[contact->shape[0]].collider.mesh ||
           world->shape[contact->shape[1]].collider.mesh;
}

/*
 * Of the contacts of one pair: may its shapes overlap by more than the limit, of the size, at the
 * end of the step, though each that closes was in the last round?  Points of a shape move by its
 * translation, and by at most `turn` more.  The contacts alone do not tell: where a line lies
 * nearly along an edge, or a cylinder on another, one end of it may have none, and turns in; and on
 * a mesh a shape slides to faces that it had no contact with.
 */
static int may_overlap(const mo_world *world, const mo_sim_contact *contact, int count,
                       double limit, double h)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    const double turn = turn_of(world, contact->shape[0], h) + turn_of(world, contact->shape[1], h);
    const double depth = limit * contact->size;
    double apart[3];
    mo_vec3_minus(b->next_v, a->next_v, apart);
    int may = is_mesh(world, contact) && h * mo_vec3_norm(apart) + turn > depth;
    for (int k = 0; k < count; ++k) {
        if (contact[k].constraint == MO_NEXT) return 0;
        may |= contact[k].gap + h * mo_vec3_dot(contact[k].frame, apart) - turn < -depth;
    }
    return may;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* The pose of a shape after a part t of the step of h. */
static mo_pose pose_at(const mo_world *world, int place, double t, double h)
{
    const mo_sim_shape *shape = world->shape + place;
    const mo_sim_body *body = world->body + shape->body;
    double x[3], q[4];
    if (body->kind == MO_BODY_FIXED || t == 0) return shape->pose;
    if (t == h) return mo_shape_pose_at(body, body->next_x, body->next_orientation, shape);
    mo_vec3_along(body->x, t, body->next_v, x);
    mo_advance_turn(body->orientation, body->next_v + 3, t, q);
    return mo_shape_pose_at(body, x, q, shape);
}

mo_near_pair mo_near_pair_of(const mo_sim_contact *contact, int count)
{
    const mo_sim_contact *nearest = contact;
    mo_near_pair pair = {.shapes = {nearest->shape[0], nearest->shape[1]},
                         .size = nearest->size,
                         .contact = contact,
                         .count = count};
    for (int k = 0; k < count; ++k, ++contact) {
        const int is_late = mo_contact_is_late(contact);
        if (is_late > pair.is_late || (is_late == pair.is_late && contact->gap < nearest->gap)) {
            nearest = contact;
            pair.is_late = is_late;
        }
        pair.start = is_late ? pair.start : fmax(pair.start, -contact->gap / pair.size);
    }
    mo_vec3_copy(nearest->frame, pair.normal);
    return pair;
}

double mo_near_pair_gap(const mo_world *world, const mo_near_pair *pair, const mo_pose at[2],
                        double enough, double along[3])
{
    const mo_sim_shape *shape[2] = {world->shape + pair->shapes.a, world->shape + pair->shapes.b};
    const int directions = pair->is_late ? 1 : 2;
    double most = -INFINITY;
    for (int side = 0; side < directions && !(most > enough); ++side) {
        double own[3], normal[1][3], way[3];
        mo_vec3_copy(pair->normal, normal[0]);
        if (!pair->is_late) {
            mo_vector_in(&shape[side]->pose, pair->normal, own);
            mo_vector_out(at + side, own, normal[0]);
        }
        const double gap = mo_collide_separation(&shape[0]->collider, at, &shape[1]->collider,
                                                 at + 1, (const double(*)[3])normal, 1, way);
        if (gap > most) {
            most = gap;
            mo_vec3_copy(way, along);
        }
    }
    return most;
}

/* Velocity of b's centre against a's, m/s. */
static void velocity_apart(const mo_world *world, const mo_pair *pair, double apart[3])
{
    mo_vec3_minus(world->body[world->near[pair->b].body].next_v,
                  world->body[world->near[pair->a].body].next_v, apart);
}

/* What the solution has left at the contacts of a pair that took part, over the size.  Contacts at
 * the end would describe the same again. */
static double left_of(const mo_world *world, const mo_near_pair *pair, double h)
{
    const mo_sim_contact *contact = pair->contact;
    double least = 0;
    for (int k = 0; k < pair->count; ++k) {
        if (mo_contact_is_taken(contact + k)) {
            const int late = contact[k].late;
            const double before = late == MO_NONE ? 0 : world->step.late[late].before;
            double u[3];
            mo_contact_velocity(world, contact + k, u);
            least = fmin(least, contact[k].gap - before + h * mo_vec3_dot(contact[k].frame, u));
        }
    }
    return -least / pair->size;
}

/* Along the normal n of the pair, at these poses. */
static double separation(const mo_world *world, const mo_near_pair *pair, const mo_pose at[2])
{
    double along[3], normal[1][3];
    mo_vec3_copy(pair->normal, normal[0]);
    return mo_collide_separation(&world->shape[pair->shapes.a].collider, at,
                                 &world->shape[pair->shapes.b].collider, at + 1,
                                 (const double(*)[3])normal, 1, along);
}

/*
 * May the pair overlap by `depth` more than at the start, at some time of the step?  Its separation
 * along n is s(0) + t n.apart + r(t).  Rotation has r(0) = 0 and |r'| <= turn / h, so r(t) >= (r(h)
 * - turn) / 2.
 */
static int may_pass(const mo_world *world, const mo_near_pair *pair, const mo_pose end[2],
                    double turn, double depth, double h)
{
    const mo_pose start[2] = {world->shape[pair->shapes.a].pose, world->shape[pair->shapes.b].pose};
    double apart[3];
    velocity_apart(world, &pair->shapes, apart);
    const double s = separation(world, pair, start), way = h * mo_vec3_dot(pair->normal, apart);
    const double r = separation(world, pair, end) - s - way;
    return !(s + fmin(0, way) + (r - turn) / 2 > -depth - pair->start * pair->size);
}

/* Rotation and approach speeds of two shapes. */
typedef struct approach {
    double apart[3]; /* velocity of b's centre against a's, m/s */
    double turning;  /* of the fastest points of both, m/s */
} approach;

/* Time during which no point penetrates deeper than `depth`, from this gap along the normal. */
static double safe_time(const approach *by, double gap, const double normal[3], double depth)
{
    const double rate = fmax(0, -mo_vec3_dot(normal, by->apart)) + by->turning;
    return (gap + depth) / rate;
}

/* The same of all touches at a time, within the reach; *deepest of them. */
static double safe_time_of_touches(mo_world *world, const mo_near_pair *pair, const approach *by,
                                   const mo_pose at[2], double reach, double depth, double *deepest)
{
    double safe = INFINITY;
    *deepest = 0;
    world->touches.count = 0;
    mo_collide_at(&world->shape[pair->shapes.a].collider, at,
                  &world->shape[pair->shapes.b].collider, at + 1, reach, &world->touches);
    for (int k = 0; k < world->touches.count; ++k) {
        const mo_touch *touch = world->touches.touch + k;
        safe = fmin(safe, safe_time(by, touch->gap, touch->normal, depth));
        *deepest = fmax(*deepest, -touch->gap);
    }
    return safe;
}

/* The time at which the pair overlaps by nearly `depth` more than at the start, or h. */
static double time_of_overlap(mo_world *world, const mo_near_pair *pair, double depth, double h)
{
    static const double NEARLY = 0.1, LONG = 0.05 /* of the step */;
    const int a = pair->shapes.a, b = pair->shapes.b;
    approach by = {.turning = world->shape[a].turning + world->shape[b].turning};
    velocity_apart(world, &pair->shapes, by.apart);
    const double way = h * mo_vec3_norm(by.apart) + turn_of(world, a, h) + turn_of(world, b, h);
    double t = 0;
    depth += pair->start * pair->size;
    for (int k = 0; k < MOST_ADVANCES && t < h; ++k) {
        const mo_pose at[2] = {pose_at(world, a, t, h), pose_at(world, b, t, h)};
        double along[3], deepest;
        const double gap = mo_near_pair_gap(world, pair, at, INFINITY, along);
        double safe = gap > -depth ? safe_time(&by, gap, along, depth) : 0;
        if (safe < LONG * h && safe < h - t) {
            safe = safe_time_of_touches(world, pair, &by, at, way * (h - t) / h, depth, &deepest);
            if (deepest > (1 - NEARLY) * depth) return t;
        }
        t += safe;
    }
    return fmin(t, h);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Records the late contacts from `first` on, added at the time t. */
static mo_error add_late(mo_world *world, int first, double t)
{
    mo_sim_contacts *list = &world->contacts;
    const int count = list->count - first;
    if (!MO_GROW(&world->allocator, world->step.late, world->step.late_room,
                 (size_t)(world->step.late_count + count))) {
        list->count = first;
        return MO_ERR_MEMORY;
    }
    for (int k = first; k < list->count; ++k) {
        mo_sim_contact *contact = list->at + k;
        mo_late_contact *late = world->step.late + world->step.late_count;
        for (int side = 0; side < 2; ++side) {
            const mo_sim_body *body = world->body + contact->body[side];
            mo_vec3_minus(contact->point, body->x, late->arm[side]);
            if (body->kind != MO_BODY_FIXED)
                mo_vec3_along(late->arm[side], -t, body->next_v, late->arm[side]);
        }
        double u[3];
        contact->late = world->step.late_count++;
        mo_contact_velocity(world, contact, u);
        late->before = t * mo_vec3_dot(contact->frame, u);
    }
    return MO_OK;
}

/* Pairs that overlap at the end: the projection sees to them. */
static mo_error note_pair(mo_world *world, const mo_near_pair *pair)
{
    mo_pairs *pairs = &world->step.overlapping;
    MO_FAIL_IF(!MO_GROW(&world->allocator, pairs->at, pairs->room, (size_t)pairs->count + 1),
               MO_ERR_MEMORY);
    pairs->at[pairs->count++] = pair->shapes;
    world->step.overlap_before = fmax(world->step.overlap_before, pair->start);
    return MO_OK;
}

/* One look at all pairs. */
typedef struct look {
    double h;
    double deep, deep_of_links; /* of the overlap that is let be: that asks for a round */
    int takes;                  /* contacts; else bodies are held back */
    int asks;
} look;

/* The overlap of a pair that asks for a round. */
static double deep_of(const mo_world *world, const look *now, const mo_near_pair *pair)
{
    const int a = world->near[pair->shapes.a].body, b = world->near[pair->shapes.b].body;
    int has_links = 0;
    if (world->mechanism_count > 0) {
        const mo_island_facts *one = mo_island_of(world, a), *other = mo_island_of(world, b);
        has_links = (one && one->has_joints) || (other && other->has_joints);
    }
    return (has_links ? now->deep_of_links : now->deep) * world->def.overlap;
}

/* Adds contacts of a pair at the time t of the step if it overlaps more than at the start, and than
 * its contacts tell. */
static mo_error take_at(mo_world *world, const mo_near_pair *pair, const mo_pose at[2], double t,
                        look *now)
{
    const double h = now->h;
    mo_sim_contacts *list = &world->contacts;
    const int first = list->count;
    const double most = mo_overlap_limit(world);
    const double let = -most * pair->size;
    double along[3];
    const mo_sim_shape *a = world->shape + pair->shapes.a, *b = world->shape + pair->shapes.b;
    if (t == h && mo_near_pair_gap(world, pair, at, let, along) > let) return MO_OK;
    const double known = fmax(pair->start, left_of(world, pair, h));
    MO_FAIL_IF(mo_contacts_collide(world, &pair->shapes, at, pair->normal,
                                   mo_margin_of(world, a, b), list),
               MO_ERR_MEMORY);
    double depth = 0;
    for (int k = first; k < list->count; ++k)
        depth = fmax(depth, -list->at[k].gap / pair->size);
    if (t == h && depth <= known + most) {
        list->count = first;
        return depth > most ? note_pair(world, pair) : MO_OK;
    }
    now->asks |= t < h || depth - known > deep_of(world, now, pair);
    return add_late(world, first, t) ? MO_ERR_MEMORY : note_pair(world, pair);
}

/* Does one side, which goes on to the end of the step, run over the other one, which stops at the
 * time t?  Along the normal that turns with the former. */
static int runs_over(const mo_world *world, const mo_near_pair *pair, int side, double t, double h,
                     double depth)
{
    const int shape[2] = {pair->shapes.a, pair->shapes.b};
    mo_near_pair ahead = *pair;
    mo_pose at[2];
    double own[3];
    at[side] = pose_at(world, shape[side], h, h);
    at[!side] = pose_at(world, shape[!side], t, h);
    if (!pair->is_late) {
        mo_vector_in(&world->shape[shape[side]].pose, pair->normal, own);
        mo_vector_out(at + side, own, ahead.normal);
    }
    return separation(world, &ahead, at) < -depth;
}

/* What would pass through another one stops on its way; a kinematic one that would run over it
 * carries it along.  Joints and mechanisms go as a whole, and do not. */
static void hold_back(mo_world *world, const mo_near_pair *pair, double t, double h, double depth)
{
    const int places[2] = {world->near[pair->shapes.a].body, world->near[pair->shapes.b].body};
    for (int side = 0; side < 2; ++side) {
        mo_sim_body *body = world->body + places[side];
        if (body->kind == MO_BODY_FREE && body->first_joint == MO_NONE && t / h < body->part) {
            const int is_carried = world->body[places[!side]].kind == MO_BODY_DRIVEN &&
                                   !world->team && runs_over(world, pair, !side, t, h, depth);
            body->part = t / h;
            world->step.has_held_back = 1;
            body->carrier = is_carried ? places[!side] : MO_NONE;
        }
    }
}

static mo_error look_at_pair(mo_world *world, const mo_near_pair *pair, look *now)
{
    const double h = now->h;
    const int a = pair->shapes.a, b = pair->shapes.b;
    const double depth =
        OF_THICKNESS * fmin(world->shape[a].collider.thickness, world->shape[b].collider.thickness);
    const double turn = turn_of(world, a, h) + turn_of(world, b, h);
    mo_pose at[2] = {pose_at(world, a, h, h), pose_at(world, b, h, h)};
    double t = h;
    if (turn > depth && may_pass(world, pair, at, turn, depth, h)) {
        t = time_of_overlap(world, pair, depth, h);
        at[0] = pose_at(world, a, t, h);
        at[1] = pose_at(world, b, t, h);
    }
    if (!now->takes && t < h) hold_back(world, pair, t, h, depth);
    return take_at(world, pair, at, t, now);
}

/* Looks at all pairs of the list's first contacts, which are sorted.  Few may overlap: poses at the
 * end of the step are found with the first of them. */
static mo_error look_at_all(mo_world *world, look *now)
{
    const double h = now->h;
    mo_sim_contacts *list = &world->contacts;
    const int sorted = list->count;
    const double limit = mo_overlap_limit(world);
    int has_ends = 0;
    for (int k = 0; k < world->shape_places; ++k) {
        mo_pace_every(k, 128);
        if (world->shape[k].generation) world->shape[k].turning = turning_of(world, k);
    }
    for (int k = 0, next; k < sorted; k = next) {
        next = mo_contacts_end_of_pair(list, k);
        mo_pace_every(k, 8);
        mo_prefetch(list->at + k + MO_AHEAD, offsetof(mo_sim_contact, rolling));
        if (may_overlap(world, list->at + k, next - k, limit, h)) {
            const mo_near_pair pair = mo_near_pair_of(list->at + k, next - k);
            mo_pace();
            if (!has_ends++) mo_advance_ends(world, h);
            MO_FAIL_IF(look_at_pair(world, &pair, now), MO_ERR_MEMORY);
        }
    }
    return MO_OK;
}

mo_error mo_overlaps_look(mo_world *world, double h, double deep, double deep_of_links, int *count)
{
    look now = {.h = h, .deep = deep, .deep_of_links = deep_of_links, .takes = isfinite(deep)};
    mo_sim_contacts *list = &world->contacts;
    const int sorted = list->count, late = world->step.late_count;
    *count = world->step.overlapping.count = 0;
    world->step.overlap_before = 0;
    for (int k = 0; k < world->living_count && mo_may_be_held_back(world); ++k) {
        mo_pace_every(k, 512);
        mo_body_let_go(world->body + world->living[k]);
    }
    mo_pace();
    world->step.has_held_back = 0;
    if (isinf(world->def.overlap)) return MO_OK;
    MO_FAIL_IF((world->mechanism_count > 0 && mo_accuracy_islands(world)) ||
                   mo_team_agree(world, look_at_all(world, &now), NULL) ||
                   (!now.takes && mo_team_share(world, MO_SHARED_PART)),
               MO_ERR_MEMORY);
    mo_advance_carry(world, h);
    mo_pace();
    if (!now.takes || !mo_team_any(world, now.asks)) { /* the projection sees to them */
        list->count = sorted;
        world->step.late_count = late;
        return MO_OK;
    }
    *count = (int)mo_team_sum(world, world->step.overlapping.count);
    return mo_team_agree(world, mo_contacts_merge(world, sorted), NULL);
}
