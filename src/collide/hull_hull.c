/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Two convex polyhedra (boxes among them).
 *
 * The axis along which they are furthest apart, or overlap least, is sought among the normals of the faces of both and the cross
 * products of their edges (the separating axis theorem); pairs of edges whose arcs on the sphere of normals do not cross make no face
 * of the Minkowski difference and are skipped.  The touches are the corners of the overlap, seen along that axis, of the two faces that look most
 * along it (manifold.h).
 *
 * Where the polyhedra are apart and two corners, or a corner and an edge, are nearest, none of these axes gives the distance, which shows in that no corner of the
 * overlap is as near as the axis says.  Then the axis and the distance are those of mo_gjk_distance.
 *
 * Hulls of meshes have hundreds of edges, and pairs of edges grow with the square.  Where there are many, the distance comes first: what is apart needs no pairs of edges.
 */
#include <math.h>

#include "collide/solid.h"
#include "linalg/vec3.h"

/* All of the smaller size. */
static const double FACE_FIRST = 1e-10; /* edges win only by so much: what rests keeps its axis */
static const double ON_SIDE =
    1e-6; /* a corner so little outside is on the side: equal faces have four corners, not eight */
static const double IS_NEAREST =
    1e-10;                  /* a touch so near to the separation shows that it is the distance */
enum { MANY_PAIRS = 4096 }; /* of edges */

/* ---- the separating axis ---------------------------------------------------------------------- */

typedef struct candidate {
    mo_axis along;
    int first, second; /* a face of either; or an edge of a and one of b */
    int is_edges;
} candidate;

static candidate best_face(const mo_solid *a, const mo_solid *b, double reach)
{
    candidate best = {.along.gap = -INFINITY};
    for (int k = 0; k < a->hull->face_count && best.along.gap <= reach; ++k) {
        double low = INFINITY;
        for (int i = 0; i < b->hull->vertex_count; ++i) {
            const double height = mo_vec3_dot(a->plane[k], b->vertex[i]);
            low = height < low ? height : low;
        }
        if (low - a->plane[k][3] > best.along.gap) {
            best.along.gap = low - a->plane[k][3];
            best.first = k;
        }
    }
    mo_vec3_copy(a->plane[best.first], best.along.normal);
    return best;
}

/* Do the arcs of an edge of a and, turned to the other side, one of b cross on the sphere of normals? */
static int make_a_face(const double *na0, const double *na1, const double *nb0, const double *nb1,
                       const double along_a[3], const double along_b[3])
{
    const double cba = -mo_vec3_dot(nb0, along_a), dba = -mo_vec3_dot(nb1, along_a);
    const double adc = mo_vec3_dot(na0, along_b), bdc = mo_vec3_dot(na1, along_b);
    return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

static void look_at_edges(const mo_solid *a, const mo_solid *b, int i, int j, candidate *best)
{
    const mo_hull_edge *ea = a->hull->edge + i, *eb = b->hull->edge + j;
    double along_a[3], along_b[3], normal[3], to[3];
    mo_vec3_minus(a->vertex[ea->vertex[1]], a->vertex[ea->vertex[0]], along_a);
    mo_vec3_minus(b->vertex[eb->vertex[1]], b->vertex[eb->vertex[0]], along_b);
    if (!make_a_face(a->plane[ea->face[0]], a->plane[ea->face[1]], b->plane[eb->face[0]],
                     b->plane[eb->face[1]], along_a, along_b)) {
        return;
    }
    mo_vec3_cross(along_a, along_b, normal);
    const double size = mo_vec3_norm(normal);
    if (!(size > 1e-6 * mo_vec3_norm(along_a) * mo_vec3_norm(along_b))) { /* parallel: faces tell */
        return;
    }
    mo_vec3_minus(a->vertex[ea->vertex[0]], a->centre, to);
    mo_vec3_scale((mo_vec3_dot(normal, to) < 0 ? -1 : 1) / size, normal, normal);
    mo_vec3_minus(b->vertex[eb->vertex[0]], a->vertex[ea->vertex[0]], to);
    double gap = mo_vec3_dot(normal, to);
    /* Between faces that are flat to rounding a pair may pass that makes no face: what is furthest along the axis tells. */
    if (gap > best->along.gap) {
        gap = fmin(gap, mo_core_gap(&a->core, &b->core, normal));
    }
    if (gap > best->along.gap) {
        best->along.gap = gap;
        best->first = i;
        best->second = j;
        mo_vec3_copy(normal, best->along.normal);
    }
}

static candidate best_edges(const mo_solid *a, const mo_solid *b)
{
    candidate best = {.along.gap = -INFINITY, .is_edges = 1};
    for (int i = 0; i < a->hull->edge_count; ++i) {
        for (int j = 0; j < b->hull->edge_count; ++j) {
            look_at_edges(a, b, i, j, &best);
        }
    }
    return best;
}

/* The best of the faces of both. */
static candidate best_of_faces(const mo_solid *a, const mo_solid *b, double reach)
{
    const candidate of_a = best_face(a, b, reach);
    if (of_a.along.gap > reach) {
        return of_a;
    }
    candidate of_b = best_face(b, a, reach);
    mo_vec3_scale(-1, of_b.along.normal, of_b.along.normal);
    return of_b.along.gap > of_a.along.gap ? of_b : of_a;
}

/* False where they are further apart than the reach. */
static int find_axis(const mo_solid *a, const mo_solid *b, double size, double reach,
                     candidate *best)
{
    const int many = (long long)a->hull->edge_count * b->hull->edge_count > MANY_PAIRS;
    double on_a[3], on_b[3];
    const double distance = many ? mo_gjk_distance(&a->core, &b->core, on_a, on_b) : 0;
    if (distance > reach) {
        return 0;
    }
    *best = best_of_faces(a, b, reach);
    if (best->along.gap > reach) {
        return 0;
    }
    if (distance > IS_NEAREST * size) {
        if (distance > best->along.gap + FACE_FIRST * size) {
            *best = (candidate){.along.gap = distance};
            mo_vec3_minus(on_b, on_a, best->along.normal);
            mo_vec3_scale(1 / distance, best->along.normal, best->along.normal);
        }
        return 1;
    }
    const candidate of_edges = best_edges(a, b);
    if (of_edges.along.gap > best->along.gap + FACE_FIRST * size) {
        *best = of_edges;
    }
    return best->along.gap > -INFINITY && best->along.gap <= reach; /* no numbers have no axis */
}

/* ---- touches ---------------------------------------------------------------------------------- */

static double touch_along(const mo_solid *a, const mo_solid *b, const mo_axis *axis,
                          const double origin[3], double size, double reach, mo_touch_list *out)
{
    mo_flat of_a, of_b;
    double against[3];
    mo_vec3_scale(-1, axis->normal, against);
    mo_solid_flat(a, axis->normal, &of_a);
    mo_solid_flat(b, against, &of_b);
    return mo_manifold(&of_a, &of_b, axis, origin, ON_SIDE * size, reach, out);
}

static void touch_at(const double on_a[3], const double on_b[3], const double normal[3], double gap,
                     const double origin[3], uint32_t feature, mo_touch_list *out)
{
    double p[3], q[3];
    mo_vec3_along(on_a, 1, origin, p);
    mo_vec3_along(on_b, 1, origin, q);
    mo_touch_between(p, q, normal, gap, feature, out);
}

/* Where the two edges pass each other; or at the corner of one that is deepest in the other. */
static void touch_deepest(const mo_solid *a, const mo_solid *b, const candidate *at,
                          const double origin[3], mo_touch_list *out)
{
    double on_a[3], on_b[3];
    if (at->is_edges) {
        const mo_hull_edge *ea = a->hull->edge + at->first, *eb = b->hull->edge + at->second;
        double p[2][3], q[2][3], d[3], s, t;
        for (int k = 0; k < 2; ++k) {
            mo_vec3_copy(a->vertex[ea->vertex[k]], p[k]);
            mo_vec3_copy(b->vertex[eb->vertex[k]], q[k]);
        }
        mo_nearest_of_segments(p, q, &s, &t);
        mo_vec3_minus(p[1], p[0], d);
        mo_vec3_along(p[0], s, d, on_a);
        mo_vec3_minus(q[1], q[0], d);
        mo_vec3_along(q[0], t, d, on_b);
    } else {
        double against[3];
        mo_vec3_scale(-1, at->along.normal, against);
        mo_core_support(&b->core, against, on_b);
        mo_vec3_along(on_b, at->along.gap, against, on_a);
    }
    touch_at(on_a, on_b, at->along.normal, at->along.gap, origin, 1u << 21, out);
}

void mo_collide_hull_hull(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out)
{
    const double *origin = a->pose.position, size = fmin(a->collider->size, b->collider->size);
    mo_solid sa, sb;
    mo_solid_place(a, origin, &sa);
    mo_solid_place(b, origin, &sb);
    candidate best;
    if (!find_axis(&sa, &sb, size, reach, &best)) {
        return;
    }
    const int before = out->count;
    double least = touch_along(&sa, &sb, &best.along, origin, size, reach, out);
    if (least <= best.along.gap + IS_NEAREST * size) {
        return;
    }
    double on_a[3], on_b[3];
    const double distance =
        best.along.gap > 0 ? mo_gjk_distance(&sa.core, &sb.core, on_a, on_b) : 0;
    if (!(distance > IS_NEAREST * size)) {
        touch_deepest(&sa, &sb, &best, origin, out);
        return;
    }
    out->count = before;
    if (distance > reach) {
        return;
    }
    mo_axis nearest = {.gap = distance};
    mo_vec3_minus(on_b, on_a, nearest.normal);
    mo_vec3_scale(1 / distance, nearest.normal, nearest.normal);
    least = touch_along(&sa, &sb, &nearest, origin, size, reach, out);
    if (least > distance + IS_NEAREST * size) {
        touch_at(on_a, on_b, nearest.normal, distance, origin, 1u << 22, out);
    }
}
