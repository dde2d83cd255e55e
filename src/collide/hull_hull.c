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
 */
#include <math.h>

#include "collide/gjk.h"
#include "collide/manifold.h"
#include "linalg/vec3.h"

enum { MOST_FACES = 2 * MO_HULL_VERTICES };

/* All of the smaller size. */
static const double FACE_FIRST = 1e-10; /* edges win only by so much: what rests keeps its axis */
static const double ON_SIDE =
    1e-6; /* a corner so little outside is on the side: equal faces have four corners, not eight */
static const double IS_NEAREST =
    1e-10; /* a touch so near to the separation shows that it is the distance */

/* A hull in world axes, about the origin of a. */
typedef struct solid {
    const mo_hull *hull;
    double vertex[MO_HULL_VERTICES][3];
    double plane[MOST_FACES][4];
    double centre[3];
} solid;

static void place_solid(const mo_placed *from, const double origin[3], solid *to)
{
    const mo_hull *hull = to->hull = from->collider->hull;
    double Q[9], at[3];
    mo_quat_matrix(from->pose.orientation, Q);
    mo_vec3_minus(from->pose.position, origin, at);
    for (int k = 0; k < hull->vertex_count; ++k) {
        mo_mat3_apply(Q, hull->vertex[k], to->vertex[k]);
        mo_vec3_along(to->vertex[k], 1, at, to->vertex[k]);
    }
    for (int k = 0; k < hull->face_count; ++k) {
        mo_mat3_apply(Q, hull->plane[k], to->plane[k]);
        to->plane[k][3] = hull->plane[k][3] + mo_vec3_dot(to->plane[k], at);
    }
    mo_mat3_apply(Q, hull->centre, to->centre);
    mo_vec3_along(to->centre, 1, at, to->centre);
}

/* ---- the separating axis ---------------------------------------------------------------------- */

typedef struct axis {
    double gap;
    int first, second; /* a face of either; or an edge of a and one of b */
    int is_edges;
    double normal[3]; /* unit, from a to b */
} axis;

static axis best_face(const solid *a, const solid *b, double reach)
{
    axis best = {.gap = -INFINITY};
    for (int k = 0; k < a->hull->face_count && best.gap <= reach; ++k) {
        double low = INFINITY;
        for (int i = 0; i < b->hull->vertex_count; ++i) {
            const double height = mo_vec3_dot(a->plane[k], b->vertex[i]);
            low = height < low ? height : low;
        }
        if (low - a->plane[k][3] > best.gap) {
            best.gap = low - a->plane[k][3];
            best.first = k;
        }
    }
    mo_vec3_copy(a->plane[best.first], best.normal);
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

static void look_at_edges(const solid *a, const solid *b, int i, int j, axis *best)
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
    const double gap = mo_vec3_dot(normal, to);
    if (gap > best->gap) {
        best->gap = gap;
        best->first = i;
        best->second = j;
        mo_vec3_copy(normal, best->normal);
    }
}

static axis best_edges(const solid *a, const solid *b)
{
    axis best = {.gap = -INFINITY, .is_edges = 1};
    for (int i = 0; i < a->hull->edge_count; ++i) {
        for (int j = 0; j < b->hull->edge_count; ++j) {
            look_at_edges(a, b, i, j, &best);
        }
    }
    return best;
}

/* False where they are further apart than the reach. */
static int find_axis(const solid *a, const solid *b, double size, double reach, axis *best)
{
    *best = best_face(a, b, reach);
    if (best->gap > reach) {
        return 0;
    }
    axis of_b = best_face(b, a, reach);
    mo_vec3_scale(-1, of_b.normal, of_b.normal);
    if (of_b.gap > best->gap) {
        *best = of_b;
    }
    if (best->gap > reach) {
        return 0;
    }
    const axis of_edges = best_edges(a, b);
    if (of_edges.gap > best->gap + FACE_FIRST * size) {
        *best = of_edges;
    }
    return best->gap <= reach;
}

/* ---- touches ---------------------------------------------------------------------------------- */

/* The face that looks most along n. */
static void take_face(const solid *s, const double n[3], mo_flat *out)
{
    int face = 0;
    double most = -INFINITY;
    for (int k = 0; k < s->hull->face_count; ++k) {
        const double now = mo_vec3_dot(s->plane[k], n);
        if (now > most) {
            most = now;
            face = k;
        }
    }
    const int first = s->hull->face_start[face];
    out->count = s->hull->face_start[face + 1] - first;
    for (int k = 0; k < out->count; ++k) {
        mo_vec3_copy(s->vertex[s->hull->face_vertex[first + k]], out->corner[k]);
        out->label[k] = k;
    }
    memcpy(out->plane, s->plane[face], sizeof out->plane);
}

static double touch_along(const solid *a, const solid *b, const double n[3], const double origin[3],
                          double size, double reach, mo_touch_list *out)
{
    mo_flat of_a, of_b;
    double against[3];
    mo_vec3_scale(-1, n, against);
    take_face(a, n, &of_a);
    take_face(b, against, &of_b);
    return mo_manifold(&of_a, &of_b, n, origin, ON_SIDE * size, reach, out);
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
static void touch_deepest(const solid *a, const solid *b, const axis *at, const double origin[3],
                          mo_touch_list *out)
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
        const mo_core core = {.vertex_count = b->hull->vertex_count, .vertex = b->vertex[0]};
        double against[3];
        mo_vec3_scale(-1, at->normal, against);
        mo_core_support(&core, against, on_b);
        mo_vec3_along(on_b, at->gap, against, on_a);
    }
    touch_at(on_a, on_b, at->normal, at->gap, origin, 1u << 21, out);
}

void mo_collide_hull_hull(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out)
{
    const double *origin = a->pose.position, size = fmin(a->collider->size, b->collider->size);
    solid sa, sb;
    place_solid(a, origin, &sa);
    place_solid(b, origin, &sb);
    axis best;
    if (!find_axis(&sa, &sb, size, reach, &best)) {
        return;
    }
    const int before = out->count;
    double least = touch_along(&sa, &sb, best.normal, origin, size, reach, out);
    if (least <= best.gap + IS_NEAREST * size) {
        return;
    }
    const mo_core core_a = {.vertex_count = sa.hull->vertex_count, .vertex = sa.vertex[0]},
                  core_b = {.vertex_count = sb.hull->vertex_count, .vertex = sb.vertex[0]};
    double on_a[3], on_b[3], normal[3];
    const double distance = best.gap > 0 ? mo_gjk_distance(&core_a, &core_b, on_a, on_b) : 0;
    if (!(distance > IS_NEAREST * size)) {
        touch_deepest(&sa, &sb, &best, origin, out);
        return;
    }
    out->count = before;
    if (distance > reach) {
        return;
    }
    mo_vec3_minus(on_b, on_a, normal);
    mo_vec3_scale(1 / distance, normal, normal);
    least = touch_along(&sa, &sb, normal, origin, size, reach, out);
    if (least > distance + IS_NEAREST * size) {
        touch_at(on_a, on_b, normal, distance, origin, 1u << 22, out);
    }
}
