/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A convex shape on a chain of segments in the plane (mesh.h), in the frame of the chain.
 *
 * Each segment is met as a capsule without radius (planar.c).  A touch whose normal the chain does
 * not allow there is replaced by those of the shape's corners that are above the segment, along its
 * own normal.  Touches at a joint where the chain goes straight on are left out unless a corner of
 * the shape is there.
 */

#include "collide/mesh.h"
#include "linalg/vec3.h"

/* Relative to the size of the shape. */
static const double NEAR = 1e-6;
static const double DEEPEST = 0.5; /* a shape deeper behind a segment did not penetrate it */

typedef struct visit {
    const mo_mesh *mesh;
    const mo_placed *shape;
    double reach, radius;
    int first; /* of the touches of this pair */
    mo_touch_list *out;
    int corner_count;
    double corner[MO_HULL_VERTICES][3], centre[3];
} visit;

static void take_corners(const mo_placed *shape, visit *v)
{
    const mo_collider *c = shape->collider;
    const double *points = c->hull                           ? c->hull->vertex[0]
                           : c->def.kind == MO_SHAPE_CAPSULE ? c->def.ends[0]
                                                             : (const double[3]){0, 0, 0};
    v->corner_count = c->hull ? c->hull->vertex_count : c->def.kind == MO_SHAPE_CAPSULE ? 2 : 1;
    v->radius = c->hull ? 0 : c->def.radius;
    mo_vec3_set(v->centre, 0, 0, 0);
    for (int k = 0; k < v->corner_count; ++k) {
        mo_pose_point(&shape->pose, points + 3 * k, v->corner[k]);
        mo_vec3_along(v->centre, 1.0 / v->corner_count, v->corner[k], v->centre);
    }
}

static int are_near(const visit *v, const double x[3], const double y[3])
{
    double d[3];
    mo_vec3_minus(x, y, d);
    return mo_vec3_norm(d) <= NEAR * v->shape->collider->size;
}

/* Corners above the segment, along its normal. */
static void touch_by_corners(const visit *v, int face)
{
    const double *p = v->mesh->point[v->mesh->index[2 * face]],
                 *q = v->mesh->point[v->mesh->index[2 * face + 1]], *n = v->mesh->plane[face];
    double along[3], normal[3];
    mo_vec3_minus(q, p, along);
    mo_vec3_scale(-1, n, normal);
    const double square = mo_vec3_dot(along, along);
    for (int k = 0; k < v->corner_count; ++k) {
        double to[3], on_shape[3], foot[3];
        mo_vec3_minus(v->corner[k], p, to);
        const double part = mo_vec3_dot(to, along) / square, height = mo_vec3_dot(to, n),
                     gap = height - v->radius;
        if (part >= 0 && part <= 1 && gap <= v->reach &&
            gap > -DEEPEST * v->shape->collider->size) {
            mo_vec3_along(v->corner[k], -v->radius, n, on_shape);
            mo_vec3_along(v->corner[k], -height, n, foot);
            mo_touch_between(on_shape, foot, normal, gap, 1u << 23 | (uint32_t)k, v->out);
        }
    }
}

/* The chain continues straight at this end of the segment, without a corner of the shape. */
static int is_inner(const visit *v, int face, const mo_touch *touch)
{
    double on_chain[3], foot[3];
    mo_vec3_along(touch->point, 0.5 * touch->gap, touch->normal, on_chain);
    for (int k = 0; k < 2; ++k) {
        if (!are_near(v, on_chain, v->mesh->point[v->mesh->index[2 * face + k]]) ||
            !mo_mesh_is_flat(v->mesh, face, k))
            continue;
        for (int i = 0; i < v->corner_count; ++i) {
            mo_vec3_along(v->corner[i], touch->gap + v->radius, touch->normal, foot);
            if (are_near(v, foot, on_chain)) return 0;
        }
        return 1;
    }
    return 0;
}

static int is_allowed(const visit *v, int face, const mo_touch *touch)
{
    double on_chain[3], m[3];
    mo_vec3_along(touch->point, 0.5 * touch->gap, touch->normal, on_chain);
    mo_vec3_scale(-1, touch->normal, m);
    return mo_mesh_allows(v->mesh, face, on_chain, m, NEAR * v->shape->collider->size);
}

static int is_known(const visit *v, int until, const mo_touch *touch)
{
    int known = 0;
    for (int k = v->first; k < until && !known; ++k) {
        known = are_near(v, v->out->touch[k].point, touch->point) &&
                mo_vec3_dot(v->out->touch[k].normal, touch->normal) > 1 - 1e-6;
    }
    return known;
}

static void keep(const visit *v, int face, int begin)
{
    int kept = begin;
    for (int k = begin; k < v->out->count; ++k) {
        mo_touch touch = v->out->touch[k];
        if (!is_inner(v, face, &touch) && !is_known(v, kept, &touch)) {
            touch.feature = mo_mesh_feature(v->out, v->first, kept, face, touch.feature);
            v->out->touch[kept++] = touch;
        }
    }
    v->out->count = kept;
}

static int collide_segment(void *context, int face)
{
    const visit *v = context;
    if (mo_vec3_dot(v->mesh->plane[face], v->centre) < v->mesh->plane[face][3]) return 1;
    const int begin = v->out->count;
    mo_collider line = {.def = mo_default_shape(MO_SHAPE_CAPSULE), .is_planar = 1};
    for (int k = 0; k < 2; ++k)
        mo_vec3_copy(v->mesh->point[v->mesh->index[2 * face + k]], line.def.ends[k]);
    line.size = v->shape->collider->size;
    const mo_placed segment = {&line, mo_pose_identity()};
    mo_collide_planar(v->shape, &segment, v->reach, v->out);
    const mo_touch *least = NULL; /* the others are along the same normal */
    for (int k = begin; k < v->out->count; ++k)
        least = !least || v->out->touch[k].gap < least->gap ? v->out->touch + k : least;
    if (least && !is_allowed(v, face, least)) {
        v->out->count = begin;
        touch_by_corners(v, face);
    }
    keep(v, face, begin);
    return 1;
}

void mo_collide_planar_chain(const mo_placed *a, const mo_placed *b, double reach,
                             mo_touch_list *out)
{
    const mo_placed placed = {a->collider, mo_pose_in(&b->pose, &a->pose)};
    mo_bounds near = mo_collider_bounds_at(a->collider, &placed.pose);
    for (int k = 0; k < 3; ++k) {
        near.low[k] -= reach;
        near.high[k] += reach;
    }
    visit v = {.mesh = b->collider->mesh,
               .shape = &placed,
               .reach = reach,
               .first = out->count,
               .out = out};
    take_corners(&placed, &v);
    mo_tree_query(v.mesh->tree, &near, collide_segment, &v);
    mo_touches_place(out, v.first, &b->pose);
}
