/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A ball or a capsule on a convex polyhedron.
 *
 * A ball touches at the point of the hull nearest to its centre, or leaves by the nearest face where its centre is inside.  A
 * capsule touches with both of its ends, as balls, and where its line crosses an edge of the hull; a line that runs through the
 * hull leaves along the axis of least overlap.
 */
#include <math.h>

#include "collide/solid.h"
#include "linalg/vec3.h"

typedef struct nearest {
    double point[3];  /* on the hull                              */
    double normal[3]; /* outward                                  */
    double distance;  /* negative inside                          */
} nearest;

static double height(const mo_hull *hull, int face, const double x[3])
{
    return mo_vec3_dot(hull->plane[face], x) - hull->plane[face][3];
}

/* Is the foot of x on the plane of the face within the face?  If not, `best` takes the nearest of its sides. */
static int look_at_face(const mo_hull *hull, int face, const double x[3], double h, nearest *best)
{
    const int *vertex = hull->face_vertex + hull->face_start[face],
              n = hull->face_start[face + 1] - hull->face_start[face];
    int is_inside = 1;
    for (int k = 0; k < n; ++k) {
        const double *p = hull->vertex[vertex[k]], *q = hull->vertex[vertex[(k + 1) % n]];
        double along[3], out[3], to[3], foot[3];
        mo_vec3_minus(q, p, along);
        mo_vec3_cross(along, hull->plane[face], out);
        mo_vec3_minus(x, p, to);
        if (mo_vec3_dot(out, to) > 0) {
            is_inside = 0;
            mo_nearest_on_segment(p, q, x, foot);
            mo_vec3_minus(x, foot, to);
            const double distance = mo_vec3_norm(to);
            if (distance < best->distance) {
                best->distance = distance;
                mo_vec3_copy(foot, best->point);
                mo_vec3_scale(1 / distance, to, best->normal);
            }
        }
    }
    if (is_inside && h < best->distance) {
        best->distance = h;
        mo_vec3_along(x, -h, hull->plane[face], best->point);
        mo_vec3_copy(hull->plane[face], best->normal);
    }
    return is_inside;
}

static nearest nearest_on_hull(const mo_hull *hull, const double x[3])
{
    nearest best = {.distance = INFINITY};
    double most = -INFINITY;
    int highest = 0;
    for (int face = 0; face < hull->face_count; ++face) {
        const double h = height(hull, face, x);
        if (h > most) {
            most = h;
            highest = face;
        }
        if (h > 0) {
            look_at_face(hull, face, x, h, &best);
        }
    }
    if (most <= 0) { /* inside */
        best.distance = most;
        mo_vec3_along(x, -most, hull->plane[highest], best.point);
        mo_vec3_copy(hull->plane[highest], best.normal);
    }
    return best;
}

/* x in the frame of the hull; the normal goes from the round shape to the hull. */
static void add_touch(const mo_placed *hull, const double x[3], double radius, const nearest *at,
                      double reach, uint32_t feature, mo_touch_list *out)
{
    const double gap = at->distance - radius;
    if (gap > reach) {
        return;
    }
    double on_round[3], on_hull[3], normal[3];
    mo_vec3_along(x, -radius, at->normal, on_round);
    mo_pose_point(&hull->pose, on_round, on_round);
    mo_pose_point(&hull->pose, at->point, on_hull);
    mo_pose_vector(&hull->pose, at->normal, normal);
    mo_vec3_scale(-1, normal, normal);
    mo_touch_between(on_round, on_hull, normal, gap, feature, out);
}

void mo_collide_ball_hull(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out)
{
    double x[3];
    mo_pose_point_back(&b->pose, a->pose.position, x);
    const nearest at = nearest_on_hull(b->collider->hull, x);
    add_touch(b, x, a->collider->def.radius, &at, reach, 0, out);
}

/* ---- capsules --------------------------------------------------------------------------------- */

static int runs_through(const mo_hull *hull, double end[2][3])
{
    double enters = 0, leaves = 1; /* the part of the segment inside all planes */
    for (int face = 0; face < hull->face_count; ++face) {
        const double h0 = height(hull, face, end[0]), h1 = height(hull, face, end[1]);
        if (h0 > 0 && h1 > 0) {
            return 0;
        }
        if (h0 > 0) {
            enters = fmax(enters, h0 / (h0 - h1));
        } else if (h1 > 0) {
            leaves = fmin(leaves, h0 / (h0 - h1));
        }
    }
    return enters < leaves;
}

/* Out by the axis of least overlap: a normal of the hull, or one across the line and an edge. */
static void leave(const mo_placed *capsule, const mo_placed *hull, double reach, mo_touch_list *out)
{
    mo_solid line, solid;
    mo_axis best = {.gap = -INFINITY};
    const double *origin = hull->pose.position;
    mo_solid_place(capsule, origin, &line);
    mo_solid_place(hull, origin, &solid);
    double along[3], d[3];
    for (int k = 0; k < solid.hull->face_count; ++k) {
        mo_vec3_scale(-1, solid.plane[k], d);
        mo_axis_try(&line, &solid, d, 0, &best);
    }
    mo_vec3_minus(line.vertex[1], line.vertex[0], along);
    for (int k = 0; k < solid.hull->edge_count; ++k) {
        const mo_hull_edge *edge = solid.hull->edge + k;
        double e[3];
        mo_vec3_minus(solid.vertex[edge->vertex[1]], solid.vertex[edge->vertex[0]], e);
        mo_vec3_cross(along, e, d);
        const double shortest = 1e-6 * mo_vec3_norm(along) * mo_vec3_norm(e);
        mo_axis_try(&line, &solid, d, shortest, &best);
        mo_vec3_scale(-1, d, d);
        mo_axis_try(&line, &solid, d, shortest, &best);
    }
    if (!(best.gap > -INFINITY)) { /* no numbers have no axis */
        return;
    }
    const int before = out->count;
    mo_flat of_line, of_hull;
    mo_solid_flat(&line, best.normal, &of_line);
    mo_vec3_scale(-1, best.normal, d);
    mo_solid_flat(&solid, d, &of_hull);
    const double radius = line.radius, size = fmin(line.size, solid.size);
    const double least =
        mo_manifold(&of_line, &of_hull, &best, origin, 1e-6 * size, reach + radius, out);
    if (least > best.gap + 1e-9 * size && best.gap <= reach + radius) { /* no end is the deepest */
        double on_line[3], on_hull[3];
        mo_core_support(&line.core, best.normal, on_line);
        mo_vec3_along(on_line, 1, origin, on_line);
        mo_vec3_along(on_line, best.gap, best.normal, on_hull);
        mo_touch_between(on_line, on_hull, best.normal, best.gap, 1u << 21, out);
    }
    for (int k = before; k < out->count; ++k) {
        out->touch[k].gap -= radius;
        mo_vec3_along(out->touch[k].point, 0.5 * radius, best.normal, out->touch[k].point);
    }
}

/* A touch at the part s of the capsule's line, where the given point of the hull is the nearest to it. */
static void touch_inside(const mo_placed *hull, double end[2][3], double s, const double on_hull[3],
                         double radius, double reach, uint32_t feature, mo_touch_list *out)
{
    if (!(s > 1e-9 && s < 1 - 1e-9)) {
        return;
    }
    double along[3], x[3], apart[3];
    mo_vec3_minus(end[1], end[0], along);
    mo_vec3_along(end[0], s, along, x);
    const nearest at = nearest_on_hull(hull->collider->hull, x);
    mo_vec3_minus(on_hull, at.point, apart);
    if (mo_vec3_norm(apart) <= 1e-9 * hull->collider->size) {
        add_touch(hull, x, radius, &at, reach, feature, out);
    }
}

/* Where the line of the capsule, away from its ends, passes an edge or a corner of the hull. */
static void touch_edges(const mo_placed *hull, double end[2][3], double radius, double reach,
                        mo_touch_list *out)
{
    const mo_hull *h = hull->collider->hull;
    for (int k = 0; k < h->edge_count; ++k) {
        double edge[2][3], on_edge[3], s, t;
        mo_vec3_copy(h->vertex[h->edge[k].vertex[0]], edge[0]);
        mo_vec3_copy(h->vertex[h->edge[k].vertex[1]], edge[1]);
        mo_nearest_of_segments(end, edge, &s, &t);
        if (t > 1e-9 && t < 1 - 1e-9) {
            mo_vec3_minus(edge[1], edge[0], on_edge);
            mo_vec3_along(edge[0], t, on_edge, on_edge);
            touch_inside(hull, end, s, on_edge, radius, reach, 2 + (uint32_t)k, out);
        }
    }
    for (int k = 0; k < h->vertex_count; ++k) {
        double foot[3];
        const double s = mo_nearest_on_segment(end[0], end[1], h->vertex[k], foot);
        touch_inside(hull, end, s, h->vertex[k], radius, reach, 2 + (uint32_t)(h->edge_count + k),
                     out);
    }
}

void mo_collide_capsule_hull(const mo_placed *a, const mo_placed *b, double reach,
                             mo_touch_list *out)
{
    /* A capsule comes after a box and before a hull in the order of kinds: find out which is which. */
    const int is_first = a->collider->def.kind == MO_SHAPE_CAPSULE;
    const mo_placed *capsule = is_first ? a : b, *hull = is_first ? b : a;
    const int before = out->count;
    double end[2][3];
    for (int k = 0; k < 2; ++k) {
        mo_pose_point(&capsule->pose, capsule->collider->def.ends[k], end[k]);
        mo_pose_point_back(&hull->pose, end[k], end[k]);
    }
    const double radius = capsule->collider->def.radius;
    if (runs_through(hull->collider->hull, end)) {
        leave(capsule, hull, reach, out);
    } else {
        for (int k = 0; k < 2; ++k) {
            const nearest at = nearest_on_hull(hull->collider->hull, end[k]);
            add_touch(hull, end[k], radius, &at, reach, (uint32_t)k, out);
        }
        touch_edges(hull, end, radius, reach, out);
    }
    for (int k = before; !is_first && k < out->count; ++k) {
        mo_vec3_scale(-1, out->touch[k].normal, out->touch[k].normal);
    }
}
