/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels that find the contacts of balls, with each other and with fixed planes and boxes, and the
 * pairs of other solids that may touch (solid_find.h).
 *
 * Space is a grid of cells as wide as two balls may be apart and still meet in the step.  A cell
 * goes to one of 2^(3 bits) buckets by its coordinates modulo 2^bits; balls are kept in the order
 * of the buckets (Morton), so that neighbours lie together.  Far cells may share a bucket, which
 * costs a few distances.  A ball looks for contacts in the buckets around its own; of two balls the
 * one with the lower id has the contact.  Contacts are counted, scanned and filled.
 *
 * Which touches take part in a step is told by sim/contacts_take.c: those whose gaps close to the
 * margin with the velocities before the step, with the free ones, or while one of the two is
 * stopped; and those that an answer has shown to close.
 */
#ifndef MO_DEVICE_BALL_FIND_H
#define MO_DEVICE_BALL_FIND_H

#include "collide/narrow.h"
#include "device/contact_visit.h"

/* A kind of solid: a convex shape and an inertia.  Of a fixed one, the shape alone. */
typedef struct mo_solid {
    mo_collider collider; /* its hull is where the kernels are */
    mo_pose in_body;      /* about the centre of mass; of a fixed one, in the world */
    double inertia[9];    /* about the centre of mass, axes of the body */
    int is_isotropic;     /* that inertia */
    int is_round;         /* a ball about the centre of mass */
    int is_first;         /* fixed: its place is before those of all that move */
} mo_solid;

/* What stays with a ball or another solid.  Aligned so that a GPU moves it by sixteen bytes. */
typedef struct __attribute__((aligned(16))) mo_ball {
    double x[3], q[4], v[6];      /* place, orientation, velocity and spin */
    double mass, inertia, radius; /* of another solid: about the centre of mass, holds all of it */
    double linear_damping, angular_damping;
    uint32_t id;
    uint32_t surface;
    uint32_t solid; /* kind */
} mo_ball;

/* What a search reads of a ball, at the start of the step. */
typedef struct __attribute__((aligned(16))) mo_ball_near {
    double x[3], radius;
    double speed; /* of the fastest motion that it may have in the step */
    uint32_t id, surface;
} mo_ball_near;

enum { MO_FIXED_PLANE, MO_FIXED_BOX, MO_FIXED_OTHER, MO_FIXED_SURFACES = 8 };

/* A plane (its third axis looks out), a box, or what lies within `size` of x, that does not move
 * freely. */
typedef struct mo_fixed_shape {
    double x[3], axis[9], half[3]; /* axis: rows, in the world */
    double v[3];
    double size;
    int kind, surface;
} mo_fixed_shape;

/* Contacts of a list: owner by owner, found again by the ids of the two. */
typedef struct mo_touch_rows {
    int *begin, *end;  /* of each id */
    int *other;        /* id of the other ball, or balls + fixed shape */
    uint32_t *feature; /* of solids (collide/collide.h); NULL for balls */
    double *r;         /* impulses in the axes of the world, by component */
    size_t apart;
} mo_touch_rows;

/* What the kernels of a step tell each other. */
typedef struct mo_heap_figures {
    mo_term fastest, late, deepest, kinetic, potential;
    double edge; /* of a cell */
    int range;   /* cells to look at on each side */
} mo_heap_figures;

typedef struct mo_find_args {
    int balls, fixed_count;
    const mo_ball *ball;
    const mo_ball_near *near;
    const mo_fixed_shape *fixed;
    const mo_solid *solid, *fixed_solid;  /* NULL: all are balls */
    const mo_line *free_line, *next_line; /* next: NULL before the first answer of the step */
    const uint32_t *bucket;               /* of each ball */
    const int *bucket_start;
    int bits; /* of a coordinate of a bucket */
    mo_heap_figures *figures;
    double h, margin;    /* 0: by size */
    double late;         /* of a size: how deep a contact that was left out may close */
    double largest;      /* radius */
    double bounce_speed; /* slower impacts do not bounce */
    double mu[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    double restitution[MO_FIXED_SURFACES * MO_FIXED_SURFACES];
    mo_touch_rows last; /* contacts of the last step, or of the last answer in this one */
    int *count, *start;
    int *one, *two, *match; /* of each contact; match: its place in last, or -1 */
} mo_find_args;

/* ---- cells ----------------------------------------------------------------------------------- */

MO_ANY double mo_margin_by(double margin, double size)
{
    const double MARGIN_OF_SIZE = 0.01; /* as sim/pairs.c */
    return margin > 0 ? margin : MARGIN_OF_SIZE * size;
}

/* As wide as two of the largest may be apart, with their motions; after an answer, how many cells
 * that is. */
MO_ANY void mo_kernel_cell_edge(const mo_find_args *a, int i)
{
    mo_heap_figures *f = a->figures + i;
    const double edge =
        2 * a->largest + mo_margin_by(a->margin, a->largest) + 2 * a->h * f->fastest.largest;
    if (!a->next_line) {
        f->edge = edge;
        f->range = 1;
    } else {
        const double cells = edge / f->edge;
        f->range = cells < 1024 ? (int)ceil(cells) : 1024;
        f->range = f->range < 1 ? 1 : f->range;
    }
}

/* Of a coordinate: far out all lie in cell 0. */
MO_ANY int64_t mo_cell_of(double x, double edge)
{
    const double cell = floor(x / edge);
    return cell > -1e15 && cell < 1e15 ? (int64_t)cell : 0;
}

/* Every third bit. */
MO_ANY uint32_t mo_spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

MO_ANY uint32_t mo_bucket_of(int64_t x, int64_t y, int64_t z, int bits)
{
    const uint32_t mask = (1u << bits) - 1;
    return mo_spread_bits((uint32_t)x & mask) | mo_spread_bits((uint32_t)y & mask) << 1 |
           mo_spread_bits((uint32_t)z & mask) << 2;
}

typedef struct mo_bucket_args {
    const mo_ball *ball;
    const mo_heap_figures *figures;
    int bits, balls;
    uint32_t *key;
    int *order;
    int *start; /* of each bucket, and one more */
} mo_bucket_args;

MO_ANY void mo_kernel_bucket_keys(const mo_bucket_args *a, int i)
{
    const double *x = a->ball[i].x, edge = a->figures->edge;
    a->key[i] = mo_bucket_of(mo_cell_of(x[0], edge), mo_cell_of(x[1], edge), mo_cell_of(x[2], edge),
                             a->bits);
    a->order[i] = i;
}

/* Of bucket i = 0 .. buckets: by bisection, since most may be empty. */
MO_ANY void mo_kernel_bucket_starts(const mo_bucket_args *a, int i)
{
    int low = 0, high = a->balls;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if ((int)a->key[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    a->start[i] = low;
}

/* ---- touches --------------------------------------------------------------------------------- */

/* The normal looks from the second to the first; the second is a ball or a fixed shape. */
typedef struct mo_ball_touch {
    mo_vec n;
    double gap, size;
} mo_ball_touch;

MO_ANY mo_vec mo_vec_at(const double *x)
{
    return mo_vec_of(x[0], x[1], x[2]);
}

MO_ANY mo_ball_touch mo_touch_balls(const mo_ball_near *one, const mo_ball_near *two)
{
    const double SAME = 1e-12; /* of the radii: centres no further apart have no direction */
    const mo_vec d = mo_vec_minus(mo_vec_at(one->x), mo_vec_at(two->x));
    const double distance = sqrt(mo_vec_dot(d, d)), both = one->radius + two->radius;
    mo_ball_touch t;
    t.gap = distance - one->radius - two->radius;
    t.n = distance > SAME * both ? mo_vec_times(1 / distance, d) : mo_vec_of(0, 0, 1);
    t.size = one->radius < two->radius ? one->radius : two->radius;
    return t;
}

/* Out of the box by its nearest face. */
MO_ANY mo_vec mo_out_of_box(const mo_fixed_shape *s, const double *local, double *distance)
{
    int axis = 0;
    double depth = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double own = s->half[k] - fabs(local[k]);
        if (own < depth) {
            depth = own;
            axis = k;
        }
    }
    *distance = -depth;
    return mo_vec_times(local[axis] < 0 ? -1 : 1, mo_vec_at(s->axis + 3 * axis));
}

MO_ANY mo_vec mo_from_box(const mo_fixed_shape *s, mo_vec d, double *distance)
{
    double local[3], off[3];
    int is_outside = 0;
    for (int k = 0; k < 3; ++k) {
        local[k] = mo_vec_dot(mo_vec_at(s->axis + 3 * k), d);
        off[k] = local[k] > s->half[k]    ? local[k] - s->half[k]
                 : local[k] < -s->half[k] ? local[k] + s->half[k]
                                          : 0;
        is_outside |= off[k] != 0;
    }
    if (!is_outside) {
        return mo_out_of_box(s, local, distance);
    }
    mo_vec out = mo_vec_of(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        out = mo_vec_along(out, off[k], mo_vec_at(s->axis + 3 * k));
    }
    *distance = sqrt(mo_vec_dot(out, out));
    return mo_vec_times(1 / *distance, out);
}

MO_ANY mo_ball_touch mo_touch_fixed(const mo_ball_near *one, const mo_fixed_shape *s)
{
    const mo_vec d = mo_vec_minus(mo_vec_at(one->x), mo_vec_at(s->x));
    mo_ball_touch t;
    double distance;
    if (s->kind == MO_FIXED_PLANE) {
        t.n = mo_vec_at(s->axis + 6);
        distance = mo_vec_dot(d, t.n);
    } else if (s->kind == MO_FIXED_OTHER) {
        t.n = mo_vec_of(0, 0, 1);
        distance = sqrt(mo_vec_dot(d, d)) - s->size;
    } else {
        t.n = mo_from_box(s, d, &distance);
    }
    t.gap = distance - one->radius;
    t.size = one->radius < s->size ? one->radius : s->size;
    return t;
}

/* ---- which take part ------------------------------------------------------------------------- */

/* Arms from the centres of mass of both to the point; of balls the spin does not matter. */
typedef struct mo_two_arms {
    mo_vec one, two;
} mo_two_arms;

MO_ANY mo_vec mo_velocity_at(const double *v, const double *spin, const mo_vec *arm)
{
    return arm ? mo_vec_plus(mo_vec_at(v), mo_vec_cross(mo_vec_at(spin), *arm)) : mo_vec_at(v);
}

/* How fast a point of it moves before the step. */
MO_ANY mo_vec mo_velocity_before(const mo_find_args *a, int k, const mo_vec *arm)
{
    return k < a->balls ? mo_velocity_at(a->ball[k].v, a->ball[k].v + 3, arm)
                        : mo_vec_at(a->fixed[k - a->balls].v);
}

MO_ANY mo_vec mo_velocity_in(const mo_line *line, int k, const mo_vec *arm)
{
    return mo_velocity_at(line[k].v, line[k].spin, arm);
}

/* The least that the gap may change by in a unit of time, were one of the two stopped. */
MO_ANY double mo_least_rate(mo_vec n, mo_vec v_1, mo_vec v_2)
{
    const double one = mo_vec_dot(n, v_1), two = mo_vec_dot(n, v_2);
    double least = one - two;
    least = one < least ? one : least;
    return -two < least ? -two : least;
}

/* arms: NULL for balls. */
MO_ANY int mo_is_chosen(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                        const mo_two_arms *arms)
{
    const mo_vec *arm_1 = arms ? &arms->one : NULL, *arm_2 = arms ? &arms->two : NULL;
    const double margin = mo_margin_by(a->margin, t->size);
    if (t->gap <= margin) {
        return 1;
    }
    const double before = mo_least_rate(t->n, mo_velocity_before(a, one, arm_1),
                                        mo_velocity_before(a, two, arm_2)),
                 free_rate = mo_least_rate(t->n, mo_velocity_in(a->free_line, one, arm_1),
                                           mo_velocity_in(a->free_line, two, arm_2));
    const double least = before < free_rate ? before : free_rate;
    return t->gap + a->h * (least < 0 ? least : 0) <= margin;
}

/* Does the present answer close it to less than `depth` of its size? */
MO_ANY int mo_closes(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                     const mo_two_arms *arms, double depth)
{
    const mo_vec v = mo_vec_minus(mo_velocity_in(a->next_line, one, arms ? &arms->one : NULL),
                                  mo_velocity_in(a->next_line, two, arms ? &arms->two : NULL));
    return t->gap + a->h * mo_vec_dot(t->n, v) < -depth * t->size;
}

/* A contact that was taken at the end of a step: its feature carries the round, too. */
#define MO_TAKEN_LATE 0x80000000u
#define MO_OWN_FEATURE 0x00ffffffu

/* The place of a contact in the last list, or -1. */
MO_ANY int mo_find_match(const mo_find_args *a, int one, int two, uint32_t feature)
{
    const int id = (int)a->near[one].id, other = two < a->balls ? (int)a->near[two].id : two;
    const uint32_t kept = a->next_line ? ~0u : MO_OWN_FEATURE; /* of the last step: late or not */
    for (int k = a->last.begin[id]; k < a->last.end[id]; ++k) {
        if (a->last.other[k] == other &&
            (!a->last.feature || (a->last.feature[k] & kept) == feature)) {
            return k;
        }
    }
    return -1;
}

enum { MO_LEFT_OUT, MO_TAKEN, MO_LATE };

/* Of a touch within reach. */
MO_ANY int mo_takes_part(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                         const mo_two_arms *arms, uint32_t feature)
{
    const double NEARLY_LATE = 0.02; /* as sim/step.c: what the next answer may close */
    if (mo_is_chosen(a, t, one, two, arms)) {
        return MO_TAKEN;
    }
    if (!a->next_line) {
        return MO_LEFT_OUT;
    }
    if (mo_find_match(a, one, two, feature) >= 0) {
        return MO_TAKEN;
    }
    return mo_closes(a, t, one, two, arms, a->late)        ? MO_LATE
           : mo_closes(a, t, one, two, arms, -NEARLY_LATE) ? MO_TAKEN
                                                           : MO_LEFT_OUT;
}

/* ---- pairs of solids ------------------------------------------------------------------------- */

/* How far a solid reaches from its centre of mass along a unit vector, at most. */
MO_ANY double mo_reach_along(const mo_find_args *a, int k, mo_vec d)
{
    const mo_ball *b = a->ball + k;
    const mo_solid *s = a->solid + b->solid;
    const mo_shape_def *def = &s->collider.def;
    const double world[3] = {d.x, d.y, d.z};
    const double body_back[4] = {b->q[0], -b->q[1], -b->q[2], -b->q[3]};
    double in_body[3], local[3];
    mo_quat_turn(body_back, world, in_body);
    mo_vector_in(&s->in_body, in_body, local);
    const double off = mo_vec3_dot(s->in_body.position, in_body), z = local[2];
    if (def->kind == MO_SHAPE_BOX) {
        return off + def->half[0] * fabs(local[0]) + def->half[1] * fabs(local[1]) +
               def->half[2] * fabs(z);
    }
    if (def->kind == MO_SHAPE_CYLINDER) {
        return off + def->half[2] * fabs(z) + def->radius * sqrt(mo_larger(0, 1 - z * z));
    }
    if (def->kind == MO_SHAPE_CAPSULE) {
        return off + def->radius +
               mo_larger(mo_vec3_dot(def->ends[0], local), mo_vec3_dot(def->ends[1], local));
    }
    return b->radius;
}

/* Are the two apart along the line of their centres, or along the normal of a plane? */
MO_ANY int mo_are_apart(const mo_find_args *a, const mo_ball_touch *t, int one, int two)
{
    const double SPARE = 1e-9; /* of the size: rounding */
    const mo_vec back = mo_vec_times(-1, t->n);
    const double speed = a->near[one].speed + (two < a->balls ? a->near[two].speed : 0),
                 reach = mo_margin_by(a->margin, t->size) + a->h * speed + SPARE * t->size;
    if (two >= a->balls && a->fixed[two - a->balls].kind != MO_FIXED_PLANE) {
        return 0;
    }
    const double distance =
        t->gap + a->near[one].radius + (two < a->balls ? a->near[two].radius : 0);
    return distance - mo_reach_along(a, one, back) -
               (two < a->balls ? mo_reach_along(a, two, t->n) : 0) >
           reach;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* What a search does with what it finds: counts, or fills from `at` on. */
typedef struct mo_found {
    int count, late;
    int at; /* -1: counts */
} mo_found;

MO_ANY void mo_find_touch(const mo_find_args *a, const mo_ball_touch *t, int one, int two,
                          mo_found *found)
{
    const int part = !a->solid                      ? mo_takes_part(a, t, one, two, NULL, 0)
                     : mo_are_apart(a, t, one, two) ? MO_LEFT_OUT
                                                    : MO_TAKEN;
    if (part == MO_LEFT_OUT) {
        return;
    }
    if (found->at >= 0) {
        const int k = found->at + found->count;
        a->one[k] = one;
        a->two[k] = two;
        if (!a->solid) {
            a->match[k] = mo_find_match(a, one, two, 0);
        }
    }
    ++found->count;
    found->late += part == MO_LATE;
}

MO_ANY void mo_find_in_bucket(const mo_find_args *a, int one, uint32_t bucket, mo_found *found)
{
    const mo_ball_near *own = a->near + one;
    for (int two = a->bucket_start[bucket]; two < a->bucket_start[bucket + 1]; ++two) {
        const mo_ball_near *other = a->near + two;
        if (other->id <= own->id) {
            continue;
        }
        const double size = own->radius < other->radius ? own->radius : other->radius;
        const double reach = own->radius + other->radius + mo_margin_by(a->margin, size) +
                             a->h * (own->speed + other->speed);
        const mo_vec d = mo_vec_minus(mo_vec_at(own->x), mo_vec_at(other->x));
        if (mo_vec_dot(d, d) <= reach * reach) {
            const mo_ball_touch t = mo_touch_balls(own, other);
            mo_find_touch(a, &t, one, two, found);
        }
    }
}

MO_ANY void mo_find_fixed(const mo_find_args *a, int one, mo_found *found)
{
    const mo_ball_near *own = a->near + one;
    for (int k = 0; k < a->fixed_count; ++k) {
        const mo_fixed_shape *s = a->fixed + k;
        const mo_ball_touch t = mo_touch_fixed(own, s);
        const double speed = sqrt(mo_vec_dot(mo_vec_at(s->v), mo_vec_at(s->v)));
        if (t.gap <= mo_margin_by(a->margin, t.size) + a->h * (own->speed + speed)) {
            mo_find_touch(a, &t, one, a->balls + k, found);
        }
    }
}

MO_ANY mo_found mo_find_of(const mo_find_args *a, int i, int at)
{
    const int across = 1 << a->bits, range = a->figures->range;
    const int wide = 2 * range + 1 < across ? 2 * range + 1 : across;
    const double *x = a->near[i].x, edge = a->figures->edge;
    const int64_t cx = mo_cell_of(x[0], edge) - range, cy = mo_cell_of(x[1], edge) - range,
                  cz = mo_cell_of(x[2], edge) - range;
    mo_found found = {0, 0, at};
    for (int z = 0; z < wide; ++z) {
        for (int y = 0; y < wide; ++y) {
            for (int k = 0; k < wide; ++k) {
                mo_find_in_bucket(a, i, mo_bucket_of(cx + k, cy + y, cz + z, a->bits), &found);
            }
        }
    }
    mo_find_fixed(a, i, &found);
    return found;
}

/* Returns how many contacts close that were left out. */
MO_ANY mo_term mo_kernel_find_count(const mo_find_args *a, int i)
{
    const mo_found found = mo_find_of(a, i, -1);
    mo_term term = {0, 0};
    a->count[i] = found.count;
    term.sum = found.late;
    return term;
}

MO_ANY void mo_kernel_find_fill(const mo_find_args *a, int i)
{
    mo_find_of(a, i, a->start[i]);
}

#endif
