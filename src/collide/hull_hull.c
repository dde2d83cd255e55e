/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Two convex polyhedra (boxes among them).
 *
 * The axis along which they are furthest apart, or overlap least, is sought among the normals of the faces of both and the cross
 * products of their edges (the separating axis theorem); pairs of edges whose arcs on the sphere of normals do not cross make no face
 * of the Minkowski difference and are skipped.  A face that wins is the reference: the other hull's face that looks most against it is clipped to
 * the reference's sides, and every corner of what is left is a touch.  Two edges that win touch at one point.
 *
 * Edges win over faces, and b's faces over a's, only by a clear margin, so that what rests does not change its reference from step to step.
 */
#include <math.h>

#include "collide/narrow.h"
#include "linalg/vec3.h"

enum { MOST_FACES = 2 * MO_HULL_VERTICES, MOST_CORNERS = 2 * MO_HULL_VERTICES + 8 };

static const double FACE_FIRST = 1e-3; /* of the smaller size */
static const double A_FIRST = 1e-4;
static const double ON_SIDE =
    1e-6; /* a corner so little outside is on the side: equal faces have four corners, not eight */

/* A hull in world axes. */
typedef struct solid {
    const mo_hull *hull;
    double vertex[MO_HULL_VERTICES][3];
    double plane[MOST_FACES][4];
    double centre[3];
} solid;

static void place_solid(const mo_placed *from, solid *to)
{
    const mo_hull *hull = to->hull = from->collider->hull;
    for (int k = 0; k < hull->vertex_count; ++k) {
        mo_pose_point(&from->pose, hull->vertex[k], to->vertex[k]);
    }
    for (int k = 0; k < hull->face_count; ++k) {
        mo_pose_vector(&from->pose, hull->plane[k], to->plane[k]);
        to->plane[k][3] = hull->plane[k][3] + mo_vec3_dot(to->plane[k], from->pose.position);
    }
    mo_pose_point(&from->pose, hull->centre, to->centre);
}

/* ---- the separating axis ---------------------------------------------------------------------- */

typedef struct axis {
    double gap;
    int first, second; /* a face; or an edge of a and one of b */
    double normal[3];  /* of edges: unit, from a to b */
} axis;

static axis best_face(const solid *a, const solid *b, double reach)
{
    axis best = {.gap = -INFINITY};
    for (int k = 0; k < a->hull->face_count && best.gap <= reach; ++k) {
        double low = INFINITY;
        for (int i = 0; i < b->hull->vertex_count; ++i) {
            low = fmin(low, mo_vec3_dot(a->plane[k], b->vertex[i]));
        }
        if (low - a->plane[k][3] > best.gap) {
            best.gap = low - a->plane[k][3];
            best.first = k;
        }
    }
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
    if (!(size > 1e-3 * mo_vec3_norm(along_a) * mo_vec3_norm(along_b))) { /* parallel: faces tell */
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
    axis best = {.gap = -INFINITY};
    for (int i = 0; i < a->hull->edge_count; ++i) {
        for (int j = 0; j < b->hull->edge_count; ++j) {
            look_at_edges(a, b, i, j, &best);
        }
    }
    return best;
}

/* ---- touches ---------------------------------------------------------------------------------- */

static void touch_edges(const solid *a, const solid *b, const axis *at, mo_touch_list *out)
{
    const mo_hull_edge *ea = a->hull->edge + at->first, *eb = b->hull->edge + at->second;
    double p[2][3], q[2][3], d[3], on_a[3], on_b[3], s, t;
    for (int k = 0; k < 2; ++k) {
        mo_vec3_copy(a->vertex[ea->vertex[k]], p[k]);
        mo_vec3_copy(b->vertex[eb->vertex[k]], q[k]);
    }
    mo_nearest_of_segments(p, q, &s, &t);
    mo_vec3_minus(p[1], p[0], d);
    mo_vec3_along(p[0], s, d, on_a);
    mo_vec3_minus(q[1], q[0], d);
    mo_vec3_along(q[0], t, d, on_b);
    const uint32_t feature = 0x400000u | (uint32_t)(at->first * b->hull->edge_count + at->second);
    mo_touch_between(on_a, on_b, at->normal, at->gap, feature, out);
}

/* A polygon that is being clipped; label[k] names the side from corner k to the next one. */
typedef struct polygon {
    int count;
    double corner[MOST_CORNERS][3];
    int label[MOST_CORNERS];
} polygon;

/* Keeps what is inside n.x <= offset, or on it to within the tolerance. */
static void clip(const polygon *in, const double n[3], double offset, double tolerance, int label,
                 polygon *out)
{
    out->count = 0;
    for (int k = 0; k < in->count; ++k) {
        const int next = (k + 1) % in->count;
        const double here = mo_vec3_dot(n, in->corner[k]) - offset,
                     there = mo_vec3_dot(n, in->corner[next]) - offset;
        if (here <= tolerance) {
            mo_vec3_copy(in->corner[k], out->corner[out->count]);
            out->label[out->count++] = in->label[k];
        }
        if ((here <= tolerance) != (there <= tolerance)) {
            double d[3];
            mo_vec3_minus(in->corner[next], in->corner[k], d);
            mo_vec3_along(in->corner[k], fmin(1, fmax(0, here / (here - there))), d,
                          out->corner[out->count]);
            out->label[out->count++] =
                here <= tolerance ? label : in->label[k]; /* going out, or coming in again */
        }
    }
}

static int most_against(const solid *s, const double n[3])
{
    int face = 0;
    for (int k = 1; k < s->hull->face_count; ++k) {
        face = mo_vec3_dot(s->plane[k], n) < mo_vec3_dot(s->plane[face], n) ? k : face;
    }
    return face;
}

static void take_face(const solid *s, int face, polygon *out)
{
    const int first = s->hull->face_start[face];
    out->count = s->hull->face_start[face + 1] - first;
    for (int k = 0; k < out->count; ++k) {
        mo_vec3_copy(s->vertex[s->hull->face_vertex[first + k]], out->corner[k]);
        out->label[k] = k;
    }
}

/* Clips the incident face to the sides of the reference face. */
static const polygon *overlap(const solid *reference, int face, double tolerance, polygon room[2])
{
    const int first = reference->hull->face_start[face],
              n = reference->hull->face_start[face + 1] - first;
    const int *vertex = reference->hull->face_vertex + first;
    polygon *now = room, *next = room + 1;
    for (int k = 0; k < n; ++k) {
        const double *p = reference->vertex[vertex[k]], *q = reference->vertex[vertex[(k + 1) % n]];
        double along[3], side[3];
        mo_vec3_minus(q, p, along);
        mo_vec3_cross(along, reference->plane[face], side);
        mo_vec3_scale(1 / mo_vec3_norm(side), side, side);
        clip(now, side, mo_vec3_dot(side, p), tolerance, MO_HULL_VERTICES + k, next);
        polygon *swap = now;
        now = next;
        next = swap;
    }
    return now;
}

/* is_turned: the reference belongs to b. */
static void touch_faces(const solid *reference, const solid *incident, int face, int is_turned,
                        double tolerance, double reach, mo_touch_list *out)
{
    const double *n = reference->plane[face];
    polygon room[2];
    take_face(incident, most_against(incident, n), room);
    const polygon *left = overlap(reference, face, tolerance, room);
    double normal[3];
    mo_vec3_scale(is_turned ? -1 : 1, n, normal);
    for (int k = 0; k < left->count; ++k) {
        const double gap = mo_vec3_dot(n, left->corner[k]) - n[3];
        if (gap <= reach) {
            double foot[3];
            mo_vec3_along(left->corner[k], -gap, n, foot);
            const int before = left->label[(k + left->count - 1) % left->count];
            const uint32_t feature = (uint32_t)(is_turned << 21 | before << 10 | left->label[k]);
            mo_touch_between(foot, left->corner[k], normal, gap, feature, out);
        }
    }
}

void mo_collide_hull_hull(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out)
{
    solid sa, sb;
    place_solid(a, &sa);
    place_solid(b, &sb);
    const double size = fmin(a->collider->size, b->collider->size);
    const axis of_a = best_face(&sa, &sb, reach);
    const axis of_b = of_a.gap > reach ? of_a : best_face(&sb, &sa, reach);
    if (of_a.gap > reach || of_b.gap > reach) {
        return;
    }
    const axis of_edges = best_edges(&sa, &sb);
    if (of_edges.gap > reach) {
        return;
    }
    if (of_edges.gap > fmax(of_a.gap, of_b.gap) + FACE_FIRST * size) {
        touch_edges(&sa, &sb, &of_edges, out);
    } else if (of_b.gap > of_a.gap + A_FIRST * size) {
        touch_faces(&sb, &sa, of_b.first, 1, ON_SIDE * size, reach, out);
    } else {
        touch_faces(&sa, &sb, of_a.first, 0, ON_SIDE * size, reach, out);
    }
}
