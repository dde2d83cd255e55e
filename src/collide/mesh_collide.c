/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A convex shape on a mesh of triangles (mesh.h), in the frame of the mesh.
 *
 * Shape and triangle are two solids: the axis is sought among the normal of the triangle, those of the shape's faces and the cross products of edges, else it is the line
 * between the nearest points; for cylinders see cylinder.c.  All touches of a triangle are along one axis.  Faces that meet in one plane give
 * the touches of the whole: corners that only the side between them makes are left out, and touches that two faces share are kept once.
 */
#include <math.h>

#include "collide/mesh.h"
#include "collide/solid.h"
#include "linalg/vec3.h"

/* All of the smaller size. */
static const double ON_SIDE = 1e-6, IS_NEAREST = 1e-10; /* as in hull_hull.c */
static const double NEAR = 2e-5;                        /* a touch so near to a side is on it */
static const double NEAR_RIM =
    1e-3; /* likewise of a rim, whose place is known less well than its distance */
static const double DEEPEST = 0.5; /* a shape further behind a face has not come through it */

typedef struct visit {
    const mo_mesh *mesh;
    const mo_solid *shape;
    double size, reach;
    int first; /* of the touches of this pair */
    mo_touch_list *out;
} visit;

static const double ORIGIN[3] = {0, 0, 0};

/* The hull of a triangle: front and back. */
static void place_triangle(const mo_mesh *mesh, int face, mo_solid *to)
{
    static const mo_hull_edge EDGES[3] = {{{0, 1}, {0, 1}}, {{1, 2}, {0, 1}}, {{2, 0}, {0, 1}}};
    static const int START[3] = {0, 3, 6}, VERTEX[6] = {0, 1, 2, 0, 2, 1};
    memcpy(to->own_edge, EDGES, sizeof EDGES);
    memcpy(to->own_start, START, sizeof START);
    memcpy(to->own_vertex, VERTEX, sizeof VERTEX);
    to->own = (mo_hull){.vertex_count = 3,
                        .face_count = 2,
                        .edge_count = 3,
                        .face_start = to->own_start,
                        .face_vertex = to->own_vertex,
                        .edge = to->own_edge};
    to->hull = &to->own;
    to->radius = 0;
    mo_vec3_set(to->centre, 0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        mo_vec3_copy(mesh->point[mesh->index[3 * face + k]], to->vertex[k]);
        mo_vec3_along(to->centre, 1.0 / 3, to->vertex[k], to->centre);
    }
    to->size = 0;
    for (int k = 0; k < 3; ++k) {
        double d[3];
        mo_vec3_minus(to->vertex[k], to->centre, d);
        to->size = fmax(to->size, mo_vec3_norm(d));
    }
    for (int k = 0; k < 4; ++k) {
        to->plane[0][k] = mesh->plane[face][k];
        to->plane[1][k] = -mesh->plane[face][k];
    }
    to->core = (mo_core){.vertex_count = 3, .vertex = to->vertex[0]};
}

/* ---- the axis --------------------------------------------------------------------------------- */

static void look_at_edges(const mo_solid *a, const mo_solid *b, mo_axis *best)
{
    for (int i = 0; i < a->hull->edge_count; ++i) {
        const int *v = a->hull->edge[i].vertex;
        double d[3], e[3], n[3];
        mo_vec3_minus(a->vertex[v[1]], a->vertex[v[0]], d);
        for (int j = 0; j < 3; ++j) {
            const int *w = b->hull->edge[j].vertex;
            mo_vec3_minus(b->vertex[w[1]], b->vertex[w[0]], e);
            mo_vec3_cross(d, e, n);
            const double shortest = 1e-6 * mo_vec3_norm(d) * mo_vec3_norm(e);
            mo_axis_try(a, b, n, shortest, best);
            mo_vec3_scale(-1, n, n);
            mo_axis_try(a, b, n, shortest, best);
        }
    }
}

static mo_axis find_axis(const mo_solid *a, const mo_solid *b)
{
    mo_axis best = {.gap = -INFINITY};
    mo_axis_try(a, b, b->plane[1], 0, &best); /* in front of it */
    for (int k = 0; k < a->hull->face_count; ++k) {
        mo_axis_try(a, b, a->plane[k], 0, &best);
    }
    look_at_edges(a, b, &best);
    return best;
}

static double touch_along(const mo_solid *a, const mo_solid *b, const mo_axis *axis, double size,
                          double reach, mo_touch_list *out)
{
    mo_flat of_a, of_b;
    double against[3];
    mo_vec3_scale(-1, axis->normal, against);
    mo_solid_flat(a, axis->normal, &of_a);
    mo_solid_flat(b, against, &of_b);
    return mo_manifold(&of_a, &of_b, axis, ORIGIN, ON_SIDE * size, reach, out);
}

/* A point, line or polyhedron with a triangle; gaps between the cores. */
static void touch_cores(const mo_solid *a, const mo_solid *b, double size, double reach,
                        mo_touch_list *out)
{
    const int before = out->count;
    mo_axis best = find_axis(a, b);
    if (!(best.gap > -INFINITY && best.gap <= reach) ||
        touch_along(a, b, &best, size, reach, out) <= best.gap + IS_NEAREST * size) {
        return;
    }
    out->count = before;
    double on_a[3], on_b[3];
    const double distance = best.gap > 0 ? mo_gjk_distance(&a->core, &b->core, on_a, on_b) : 0;
    const int is_apart = distance > IS_NEAREST * size;
    if (is_apart) {
        mo_vec3_minus(on_b, on_a, best.normal);
        mo_vec3_scale(1 / distance, best.normal, best.normal);
        best.gap = distance;
    }
    if (best.gap <= reach &&
        touch_along(a, b, &best, size, reach, out) > best.gap + IS_NEAREST * size) {
        if (!is_apart) {
            mo_solid_meet(a, b, &best, size, on_a);
        }
        mo_vec3_along(on_a, best.gap, best.normal, on_b);
        mo_touch_between(on_a, on_b, best.normal, best.gap, 1u << 21, out);
    }
}

/* ---- what holds of it ------------------------------------------------------------------------- */

/* Is the touch a corner only because one face of a plane ends and another begins there?  Names of corners: manifold.c. */
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

/* A name of its own within the pair, from the triangle and the corner. */
static uint32_t name(const visit *v, int until, int face, uint32_t feature)
{
    uint32_t mixed = (uint32_t)face * 2654435761u ^ feature * 40503u;
    for (int k = v->first; k < until; ++k) {
        if (v->out->touch[k].feature == mixed) {
            ++mixed;
            k = v->first - 1; /* look through all of them again */
        }
    }
    return mixed;
}

/* Does the nearest touch from `begin` on push in a direction that the mesh allows there?  The others are along the same one. */
static int is_allowed(const visit *v, int face, int begin)
{
    const mo_touch *least = v->out->touch + begin;
    for (int k = begin + 1; k < v->out->count; ++k) {
        least = v->out->touch[k].gap < least->gap ? v->out->touch + k : least;
    }
    double on_mesh[3], m[3];
    mo_vec3_along(least->point, 0.5 * least->gap, least->normal, on_mesh);
    mo_vec3_scale(-1, least->normal, m);
    const double near = v->shape->hull ? NEAR : NEAR_RIM;
    return mo_mesh_allows(v->mesh, face, on_mesh, m, near * v->size);
}

/* Keeps those from `begin` on that are new, and takes the radius off. */
static void keep(const visit *v, int face, int begin, const mo_solid *triangle)
{
    const int is_face = v->out->count > begin &&
                        mo_vec3_dot(v->out->touch[begin].normal, triangle->plane[1]) > 1 - 1e-9;
    int kept = begin;
    for (int k = begin; k < v->out->count; ++k) {
        mo_touch touch = v->out->touch[k];
        const int is_left_out = is_face && is_inner(v, face, &touch);
        touch.gap -= v->shape->radius;
        mo_vec3_along(touch.point, 0.5 * v->shape->radius, touch.normal, touch.point);
        if (!is_left_out && !is_known(v, kept, &touch)) {
            touch.feature = name(v, kept, face, touch.feature);
            v->out->touch[kept++] = touch;
        }
    }
    v->out->count = kept;
}

static int meet_face(void *context, int face)
{
    const visit *v = context;
    const mo_solid *a = v->shape;
    const double reach = v->reach + a->radius;
    const int begin = v->out->count;
    mo_solid triangle;
    place_triangle(v->mesh, face, &triangle);
    if (mo_vec3_dot(triangle.plane[0], a->centre) < triangle.plane[0][3]) {
        return 1;
    }
    if (a->hull) {
        touch_cores(a, &triangle, v->size, reach, v->out);
    } else {
        mo_collide_cylinder_solid(a, &triangle, ORIGIN, reach, v->out);
    }
    if (v->out->count > begin && !is_allowed(v, face, begin)) {
        v->out->count = begin;
        mo_axis front;
        mo_vec3_copy(triangle.plane[1], front.normal);
        front.gap = mo_core_gap(&a->core, &triangle.core, front.normal);
        if (front.gap > -DEEPEST * a->size) {
            touch_along(a, &triangle, &front, v->size, reach, v->out);
        }
    }
    keep(v, face, begin, &triangle);
    return 1;
}

void mo_collide_convex_mesh(const mo_placed *a, const mo_placed *b, double reach,
                            mo_touch_list *out)
{
    mo_pose in_mesh;
    const double *q = b->pose.orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    mo_pose_point_back(&b->pose, a->pose.position, in_mesh.position);
    mo_quat_multiply(back, a->pose.orientation, in_mesh.orientation);
    const mo_placed placed = {a->collider, in_mesh};
    mo_bounds near = mo_collider_bounds_at(a->collider, &in_mesh);
    for (int k = 0; k < 3; ++k) {
        near.low[k] -= reach;
        near.high[k] += reach;
    }
    mo_solid solid;
    mo_solid_place(&placed, ORIGIN, &solid);
    visit v = {b->collider->mesh, &solid, a->collider->size, reach, out->count, out};
    mo_tree_query(v.mesh->tree, &near, meet_face, &v);
    for (int k = v.first; k < out->count; ++k) {
        mo_pose_point(&b->pose, out->touch[k].point, out->touch[k].point);
        mo_pose_vector(&b->pose, out->touch[k].normal, out->touch[k].normal);
    }
}
