/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A convex shape and a triangle mesh (mesh.h), in the frame of the mesh.
 *
 * Shape and triangle are two cores (convex.h); all contact points of a triangle share one axis.
 * For coplanar faces, points that exist only because of the edge between them are removed, and
 * points that two faces share are kept once.
 */
#include <math.h>

#include "collide/convex.h"
#include "collide/mesh.h"
#include "linalg/vec3.h"

/* All relative to the smaller size. */
static const double ON_SIDE = 1e-6; /* as in convex.c */
static const double NEAR = 2e-5;    /* touches closer to a side than this are on it */
/* Likewise for rims, whose position is less accurate than their distance. */
static const double NEAR_RIM = 1e-3;
/* A shape deeper behind a face than this did not penetrate it, unless it touches no other face. */
static const double DEEPEST = 0.5;
static const double SAME_DEPTH = 1e-6; /* relative: of two faces of one plane */

typedef struct visit {
    const mo_mesh *mesh;
    mo_core *shape;
    double size, reach; /* the reach of the core, its radius included */
    int first;          /* of the touches of this pair */
    mo_touch_list *out;
    double deepest;  /* separation at a face: deeper ones are left out */
    double deep_gap; /* the largest of those; -infinity: none */
} visit;

static const double ORIGIN[3] = {0, 0, 0};

/* ---- validity -------------------------------------------------------------------------------- */

/*
 * Is the touch a corner only because one face of a plane ends and another begins there?  Names of
 * corners: manifold.c.
 */
static int is_inner(const visit *v, int face, const mo_touch *touch)
{
    const uint32_t feature = touch->feature;
    const int last = (int)(feature & 511), before = (int)(feature >> 9 & 511);
    if (feature >= 1u << 20 || feature & 1u << 18) {
        return 0;
    }
    if (feature & 1u << 19) { /* a line of the shape, clipped to the triangle */
        return last >= MO_FLAT_SIDES && mo_mesh_is_flat(v->mesh, face, last - MO_FLAT_SIDES);
    }
    /* corners of the triangle, clipped to a face of the shape */
    const int is_last = last < 3, is_before = before < 3;
    return (is_last || is_before) && (!is_last || mo_mesh_is_flat(v->mesh, face, last)) &&
           (!is_before || mo_mesh_is_flat(v->mesh, face, before));
}

/* Is there a touch at the place already?  It then takes the smaller of the two gaps. */
static int is_known(const visit *v, int until, const mo_touch *touch)
{
    for (int k = v->first; k < until; ++k) {
        mo_touch *other = v->out->touch + k;
        double d[3];
        mo_vec3_minus(other->point, touch->point, d);
        if (mo_vec3_norm(d) <= ON_SIDE * v->size &&
            mo_vec3_dot(other->normal, touch->normal) > 1 - 1e-6) {
            if (touch->gap < other->gap) {
                const uint32_t name_of_it = other->feature;
                *other = *touch;
                other->feature = name_of_it;
            }
            return 1;
        }
    }
    return 0;
}

/*
 * Does the nearest touch from `begin` on push in a direction that the mesh allows there?  The
 * others are along the same one.
 */
static int is_allowed(const visit *v, int face, int begin)
{
    const mo_touch *least = v->out->touch + begin;
    for (int k = begin + 1; k < v->out->count; ++k) {
        least = v->out->touch[k].gap < least->gap ? v->out->touch + k : least;
    }
    double on_mesh[3], m[3];
    mo_vec3_along(least->point, 0.5 * least->gap, least->normal, on_mesh);
    mo_vec3_scale(-1, least->normal, m);
    const double near = mo_core_is_curved(v->shape) ? NEAR_RIM : NEAR;
    return mo_mesh_allows(v->mesh, face, on_mesh, m, near * v->size);
}

/* Keeps those from `begin` on that are new, and takes the radius off. */
static void keep(const visit *v, int face, int begin)
{
    const int is_face = v->out->count > begin &&
                        mo_vec3_dot(v->out->touch[begin].normal, v->mesh->plane[face]) < 1e-9 - 1;
    int kept = begin;
    for (int k = begin; k < v->out->count; ++k) {
        mo_touch touch = v->out->touch[k];
        const int is_left_out = is_face && is_inner(v, face, &touch);
        touch.gap -= v->shape->radius;
        mo_vec3_along(touch.point, 0.5 * v->shape->radius, touch.normal, touch.point);
        if (!is_left_out && !is_known(v, kept, &touch)) {
            touch.feature = mo_mesh_feature(v->out, v->first, kept, face, touch.feature);
            v->out->touch[kept++] = touch;
        }
    }
    v->out->count = kept;
}

/* Along the face's own normal. */
static void collide_front(visit *v, mo_core *triangle)
{
    mo_axis front;
    mo_vec3_scale(-1, triangle->plane, front.normal);
    front.gap = mo_core_gap(v->shape, triangle, front.normal);
    if (front.gap > v->deepest) {
        mo_touch_along(v->shape, triangle, &front, ORIGIN, v->reach, v->out);
    } else {
        v->deep_gap = fmax(v->deep_gap, front.gap);
    }
}

static int collide_face(void *context, int face)
{
    visit *v = context;
    mo_core *a = v->shape;
    const double *plane = v->mesh->plane[face];
    const int begin = v->out->count, *index = v->mesh->index + 3 * face;
    if (mo_vec3_dot(plane, a->centre) < plane[3]) {
        return 1;
    }
    double down[3], low[3], corner[3][3];
    mo_vec3_scale(-1, plane, down);
    mo_core_support(a, down, low);
    if (mo_vec3_dot(plane, low) - plane[3] > v->reach) {
        return 1;
    }
    for (int k = 0; k < 3; ++k) {
        mo_vec3_copy(v->mesh->point[index[k]], corner[k]);
    }
    mo_core triangle;
    mo_core_triangle(corner, plane, &triangle);
    mo_touch_cores(a, &triangle, ORIGIN, v->reach, v->out);
    if (v->out->count > begin && !is_allowed(v, face, begin)) {
        v->out->count = begin;
        collide_front(v, &triangle);
    }
    keep(v, face, begin);
    return 1;
}

/* As tight as possible, since each further face costs more than this. */
static mo_bounds bounds_of(mo_core *core, double reach)
{
    mo_bounds bounds;
    for (int k = 0; k < 3; ++k) {
        double d[3] = {0}, x[3];
        d[k] = 1;
        mo_core_support(core, d, x);
        bounds.high[k] = x[k] + core->radius + reach;
        d[k] = -1;
        mo_core_support(core, d, x);
        bounds.low[k] = x[k] - core->radius - reach;
    }
    return bounds;
}

void mo_collide_convex_mesh(const mo_placed *a, const mo_placed *b, double reach,
                            mo_touch_list *out)
{
    const mo_placed placed = {a->collider, mo_pose_in(&b->pose, &a->pose)};
    mo_core core;
    mo_core_place(&placed, ORIGIN, &core);
    const mo_bounds near = bounds_of(&core, reach);
    visit v = {.mesh = b->collider->mesh,
               .shape = &core,
               .size = a->collider->size,
               .reach = reach + core.radius,
               .first = out->count,
               .out = out,
               .deepest = -DEEPEST * core.size,
               .deep_gap = -INFINITY};
    mo_tree_query(v.mesh->tree, &near, collide_face, &v);
    if (out->count == v.first && isfinite(v.deep_gap)) {
        v.deepest = v.deep_gap * (1 + SAME_DEPTH); /* with the faces of the same plane */
        mo_tree_query(v.mesh->tree, &near, collide_face, &v);
    }
    mo_touches_reduce(out, v.first);
    mo_touches_place(out, v.first, &b->pose);
}
