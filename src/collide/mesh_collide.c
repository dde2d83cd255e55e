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

enum { TURNS = 8 }; /* directions that are tried at an edge */

/* All relative to the smaller size. */
static const double ON_SIDE = 1e-6; /* as in convex.c */
static const double NEAR = 2e-5;    /* touches closer to a side than this are on it */
/* Likewise for rims, whose position is less accurate than their distance. */
static const double NEAR_RIM = 1e-3;
/* A shape deeper behind a face than this did not penetrate it, unless it touches no other face. */
static const double DEEPEST = 0.5;
static const double SHALLOW = 2e-4;    /* an overlap that other directions need not lessen */
static const double SLOPE = 1e-6;      /* of a turn: smaller changes of direction count as none */
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
    if (feature >= 1u << 20 || feature & 1u << 18) return 0;
    if (feature & 1u << 19) /* a line of the shape, clipped to the triangle */
        return last >= MO_FLAT_SIDES && mo_mesh_is_flat(v->mesh, face, last - MO_FLAT_SIDES);
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
    for (int k = begin + 1; k < v->out->count; ++k)
        least = v->out->touch[k].gap < least->gap ? v->out->touch + k : least;
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

/*
 * The best of the directions between the normals of two faces whose common edge juts out, all of
 * which the edge allows.  A sharp ridge in the side of a shape is far behind both faces, but hardly
 * behind its edge.  The separation from a point x of the edge is that of the lowest point y of the
 * shape: each y is an upper bound, linear in the part of the turn, and the next direction is where
 * the bounds of two meet.
 */
static void turn_over_edge(visit *v, const double n[3], const double beside[3], const double x[3],
                           mo_axis *best)
{
    double turn[3], bound[2][2] = {{0}}; /* of the lowest points on either side: value, slope */
    mo_vec3_minus(beside, n, turn);
    double part = 0;
    for (int k = 0; k < TURNS; ++k) {
        double m[3], down[3], low[3], y[3];
        mo_vec3_along(n, part, turn, m);
        mo_vec3_scale(-1, m, down);
        mo_core_support(v->shape, down, low);
        mo_vec3_minus(low, x, y);
        const double slope = mo_vec3_dot(y, turn);
        const int side = k == 1 || (k > 1 && slope <= 0);
        const double size = mo_vec3_norm(m), gap = mo_vec3_dot(y, m) / size;
        if (gap > best->gap) {
            best->gap = gap;
            mo_vec3_scale(1 / size, down, best->normal);
        }
        bound[side][0] = mo_vec3_dot(y, n);
        bound[side][1] = slope;
        const double rate = bound[0][1] - bound[1][1], next = (bound[1][0] - bound[0][0]) / rate;
        if (k > 0 && !(rate > 0 && next > 0 && next < 1 && fabs(next - part) > SLOPE)) return;
        part = k == 0 ? 1 : next;
    }
}

/* Along the face's own normal, or that of an edge. */
static void collide_front(visit *v, int face, mo_core *triangle)
{
    const mo_mesh *mesh = v->mesh;
    const double *plane = mesh->plane[face];
    mo_axis front = {.has_points = 0};
    mo_vec3_scale(-1, plane, front.normal);
    front.gap = mo_core_gap(v->shape, triangle, front.normal);
    for (int k = 0; k < 3 && front.gap < v->shape->radius - SHALLOW * v->size; ++k) {
        const int other = mesh->beside[3 * face + k];
        for (int i = 0; i < 3 && other >= 0; ++i) {
            const double *corner = mesh->point[mesh->index[3 * other + i]];
            if (mo_vec3_dot(plane, corner) - plane[3] < -NEAR * v->size) {
                turn_over_edge(v, plane, mesh->plane[other], mesh->point[mesh->index[3 * face + k]],
                               &front);
            }
        }
    }
    if (front.gap > v->deepest)
        mo_touch_along(v->shape, triangle, &front, ORIGIN, v->reach, v->out);
    else
        v->deep_gap = fmax(v->deep_gap, front.gap);
}

static int collide_face(void *context, int face)
{
    visit *v = context;
    mo_core *a = v->shape;
    const double *plane = v->mesh->plane[face];
    const int begin = v->out->count, *index = v->mesh->index + 3 * face;
    double down[3], low[3], corner[3][3];
    mo_vec3_scale(-1, plane, down);
    mo_core_support(a, down, low);
    if (mo_vec3_dot(plane, low) - plane[3] > v->reach) return 1;
    for (int k = 0; k < 3; ++k)
        mo_vec3_copy(v->mesh->point[index[k]], corner[k]);
    mo_core triangle;
    mo_core_triangle(corner, plane, &triangle);
    mo_touch_cores(a, &triangle, ORIGIN, v->reach, v->out);
    if (v->out->count > begin && !is_allowed(v, face, begin)) {
        v->out->count = begin;
        if (mo_vec3_dot(plane, a->centre) >= plane[3]) collide_front(v, face, &triangle);
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
