/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Solids that overlap at the end of a step, and the contacts that keep them from it, as in
 * sim/overlap.c: where the poses to which the answer v* leads overlap, contacts are taken there,
 * with normal n, points and arms of these poses and
 *
 *     gap(v) = gap - h n.u(v*) + h n.u(v) >= 0,     w_N = max(0, gap - h n.u(v*)) / h        (1)
 *
 * Each rank looks at the pairs that it has; what it finds depends on poses and velocities alone.
 * Balls do not turn into each other, and are left out.
 *
 * Limits: no body is stopped on its way, so that one that turns by more than its thickness in a
 * step may pass through another.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "heap.h"
#include "linalg/vec3.h"
#include "sim/step.h"

/* Of the smaller size: what is let be, and what makes the step be solved again. */
static const double OVERLAP = 1e-3, DEEP = 2e-3;
static const double MARGIN = 0.05; /* of the radius: other points that the new contacts include */

static mo_pose pose_after(const mo_heap *heap, const mo_heap_body *body)
{
    mo_pose pose = mo_heap_pose(body);
    mo_vec3_along(body->at, heap->def.dt, body->v, pose.position);
    mo_advance_turn(body->turn, body->spin, heap->def.dt, pose.orientation);
    return pose;
}

double mo_heap_pair_size(const mo_heap *heap, const mo_heap_pair *pair)
{
    const double size = mo_heap_shape_at(heap, heap->all + pair->body[0])->size;
    return pair->body[1] < 0 ? size
                             : fmin(size, mo_heap_shape_at(heap, heap->all + pair->body[1])->size);
}

/* How far a point of a body moves by turning, at most. */
static double turn_of(const mo_heap *heap, int place)
{
    const mo_heap_body *body = heap->all + place;
    const mo_heap_shape *shape = mo_heap_shape_at(heap, body);
    return shape->is_ball ? 0 : shape->size * fmin(2, heap->def.dt * mo_vec3_norm(body->spin));
}

/* Of a point of the start: may its shapes overlap at the end? */
static int may_overlap(const mo_heap *heap, const mo_heap_pair *pair)
{
    const int *body = pair->body;
    double apart[3], turn = turn_of(heap, body[0]);
    mo_vec3_copy(heap->all[body[0]].v, apart);
    if (body[1] >= 0) {
        mo_vec3_minus(apart, heap->all[body[1]].v, apart);
        turn += turn_of(heap, body[1]);
    }
    return turn > 0 && pair->gap + heap->def.dt * mo_vec3_dot(pair->normal, apart) - turn <
                           -OVERLAP * mo_heap_pair_size(heap, pair);
}

/* The points of a pair at the end of the step. */
static void collide_after(const mo_heap *heap, const mo_heap_pair *pair, mo_touch_list *touches)
{
    const mo_heap_body *a = heap->all + pair->body[0];
    const mo_pose of_a = pose_after(heap, a), still = mo_pose_identity();
    const double reach = MARGIN * heap->def.radius;
    touches->count = 0;
    if (pair->body[1] < 0) {
        const uint32_t wall = UINT32_MAX - (uint32_t)pair->key;
        mo_collide(&mo_heap_shape_at(heap, a)->collider, &of_a, heap->shapes.wall + wall, &still,
                   reach, touches);
    } else {
        const mo_heap_body *b = heap->all + pair->body[1];
        const mo_pose of_b = pose_after(heap, b);
        mo_collide(&mo_heap_shape_at(heap, a)->collider, &of_a,
                   &mo_heap_shape_at(heap, b)->collider, &of_b, reach, touches);
    }
}

static double deepest_of(const mo_touch_list *touches)
{
    double depth = 0;
    for (int k = 0; k < touches->count; ++k) {
        depth = fmax(depth, -touches->touch[k].gap);
    }
    return depth;
}

/* From the centre of a body at the end of the step. */
static void arm_after(const mo_heap *heap, int place, const double point[3], double arm[3])
{
    const mo_heap_body *body = heap->all + place;
    mo_vec3_minus(point, body->at, arm);
    mo_vec3_along(arm, -heap->def.dt, body->v, arm);
}

/* The contacts of a pair at the end of the step, as (1). */
static int add_late(mo_heap *heap, mo_heap_pair of, int round, const mo_touch_list *touches)
{
    for (int k = 0; k < touches->count; ++k) {
        const mo_touch *touch = touches->touch + k;
        const double length = mo_vec3_norm(touch->normal);
        mo_heap_pair late = {.key = of.key,
                             .feature = touch->feature,
                             .body = {of.body[0], of.body[1]},
                             .is_taken = 1,
                             .late = round};
        mo_vec3_scale(-1 / length, touch->normal, late.normal);
        for (int side = 0; side < 2 && late.body[side] >= 0; ++side) {
            arm_after(heap, late.body[side], touch->point, late.arm[side]);
        }
        late.gap = fmax(0, touch->gap - heap->def.dt * mo_heap_opening(heap, &late));
        if (length > 0 && !mo_heap_add_pair(heap, late)) {
            return 0;
        }
    }
    return !touches->is_short;
}

/* By how much the shapes of a pair overlap before the step. */
static double depth_before(const mo_heap *heap, int first, int end)
{
    double depth = 0;
    for (int k = first; k < end; ++k) {
        depth = heap->pair[k].late ? depth : fmax(depth, -heap->pair[k].gap);
    }
    return depth;
}

/* One pair, whose points are first .. end; grows by what it overlaps more than before. */
static int look_at(mo_heap *heap, int first, int end, int round, mo_touch_list *touches,
                   double *grown)
{
    const mo_heap_pair of = heap->pair[first];
    int may = 0;
    for (int k = first; k < end && !may; ++k) {
        may = may_overlap(heap, heap->pair + k);
    }
    if (!may) {
        return 1;
    }
    const double size = mo_heap_pair_size(heap, &of),
                 before = depth_before(heap, first, end) / size;
    collide_after(heap, &of, touches);
    const double more = deepest_of(touches) / size - before;
    *grown = fmax(*grown, more);
    return more > OVERLAP ? add_late(heap, of, round, touches) : !touches->is_short;
}

int mo_heap_look_for_overlaps(mo_heap *heap, int round, double *grown)
{
    mo_touch_list touches = {.allocator = mo_allocator_or_default(NULL)};
    const int count = heap->pair_count;
    int good = 1;
    *grown = 0;
    for (int k = 0, end; good && k < count; k = end) {
        for (end = k + 1; end < count && heap->pair[end].key == heap->pair[k].key;) {
            ++end;
        }
        good = look_at(heap, k, end, round, &touches, grown);
    }
    mo_memory_free(&touches.allocator, touches.touch);
    return good;
}

int mo_heap_is_deep(double grown)
{
    return grown > DEEP;
}
