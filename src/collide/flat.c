/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The face, line or point of a core that faces another core: see manifold.h. */
#include <math.h>

#include "collide/manifold.h"
#include "linalg/vec3.h"

enum { RIM = 6 }; /* corners of a cap, besides the one that is furthest along the axis */

static const double CAP = 0.7; /* cosine above which a cylinder touches with a cap, not its side */
/* cosine below which a capsule touches along its line, not at an end */
static const double LINE = 0.3;
/* relative to the size: height differences below this are ignored */
static const double ON_TOP = 1e-9;
/* relative to the radius: corners of a rim within this height are one */
static const double SAME = 1e-12;

#define SIN_60 0.86602540378443864676
MO_TABLE double RIM_AT[RIM][2] = {{1, 0},  {0.5, SIN_60},   {-0.5, SIN_60},
                                  {-1, 0}, {-0.5, -SIN_60}, {0.5, -SIN_60}};

/* Number of vertices of the face at that height along n, at most three. */
MO_OWN int high_vertices(const mo_hull *hull, int face, const double n[3], double high)
{
    int count = 0;
    for (int k = hull->face_start[face]; k < hull->face_start[face + 1] && count < 2; ++k)
        count += mo_vec3_dot(hull->vertex[hull->face_vertex[k]], n) >= high;
    return count;
}

/*
 * Of the faces about the vertex furthest along n (in the frame of the hull): one that shares an
 * edge at the same height, if any, and is most aligned with n.
 */
MO_OWN int face_along(const mo_core *c, const double n[3])
{
    const mo_hull *hull = c->hull;
    const double high = mo_vec3_dot(hull->vertex[c->vertex], n) - ON_TOP * c->size;
    double most = -INFINITY;
    int face = 0, best = 0;
    for (int k = hull->ring_start[c->vertex]; k < hull->ring_start[c->vertex + 1]; ++k) {
        const int at = hull->ring_face[k], count = high_vertices(hull, at, n, high);
        const double now = mo_vec3_dot(hull->plane[at], n);
        if (count > best || (count == best && now > most)) {
            best = count;
            most = now;
            face = at;
        }
    }
    return face;
}

MO_OWN void take_face(mo_core *c, const double n[3], mo_flat *out)
{
    double x[3], local[3];
    mo_core_support(c, n, x);
    mo_mat3_apply_transposed(c->Q, n, local);
    const int face = face_along(c, local), first = c->hull->face_start[face];
    out->count = c->hull->face_start[face + 1] - first;
    for (int k = 0; k < out->count; ++k) {
        mo_mat3_apply(c->Q, c->hull->vertex[c->hull->face_vertex[first + k]], out->corner[k]);
        mo_vec3_along(out->corner[k], 1, c->at, out->corner[k]);
        out->label[k] = k;
    }
    mo_mat3_apply(c->Q, c->hull->plane[face], out->plane);
    out->plane[3] = c->hull->plane[face][3] + mo_vec3_dot(out->plane, c->at);
}

/* The face of a box whose axis is nearest to n; corners in the order of the box's hull. */
MO_OWN void take_side_of_box(const mo_core *c, const double n[3], mo_flat *out)
{
    double local[3];
    mo_mat3_apply_transposed(c->Q, n, local);
    const double x = fabs(local[0]), y = fabs(local[1]), z = fabs(local[2]);
    const int k = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2), is_far = local[k] > 0;
    out->count = 4;
    for (int q = 0; q < 4; ++q) {
        const int is_out[2] = {q > 1, q == 1 || q == 2}; /* far along the other two axes? */
        double corner[3];
        corner[k] = is_far ? c->half[k] : -c->half[k];
        for (int i = 0; i < 2; ++i) {
            const int axis = (k + 1 + i) % 3;
            corner[axis] = is_out[is_far ^ i] ? c->half[axis] : -c->half[axis];
        }
        for (int i = 0; i < 3; ++i) {
            out->corner[q][i] = c->at[i] + corner[0] * c->Q[3 * i] + corner[1] * c->Q[3 * i + 1] +
                                corner[2] * c->Q[3 * i + 2];
        }
        out->label[q] = q;
    }
    const double sign = is_far ? 1 : -1;
    mo_vec3_set(out->plane, sign * c->Q[k], sign * c->Q[3 + k], sign * c->Q[6 + k]);
    out->plane[3] = mo_vec3_dot(out->plane, c->at) + c->half[k];
}

MO_OWN void add_corner(const double x[3], int label, mo_flat *out)
{
    mo_vec3_copy(x, out->corner[out->count]);
    out->label[out->count++] = label;
}

MO_OWN void take_line(const mo_core *s, const double n[3], mo_flat *out)
{
    double along[3];
    out->count = 0;
    mo_vec3_minus(s->corner[1], s->corner[0], along);
    const double slope = mo_vec3_dot(along, n), length = mo_vec3_norm(along);
    for (int k = 0; k < 2; ++k)
        if (fabs(slope) < LINE * length || (k == 0) == (slope <= 0))
            add_corner(s->corner[k], k, out);
}

/* A whole triangle. */
MO_OWN void take_triangle(const mo_core *c, mo_flat *out)
{
    out->count = 0;
    for (int k = 0; k < 3; ++k)
        add_corner(c->corner[k], k, out);
    memcpy(out->plane, c->plane, sizeof out->plane);
}

/* The part of n across the axis of a cylinder, made unit; its length before that. */
MO_OWN double across_axis(const double axis[3], const double n[3], double m[3])
{
    mo_vec3_along(n, -mo_vec3_dot(n, axis), axis, m);
    mo_vec3_along(m, -mo_vec3_dot(m, axis), axis, m);
    const double size = mo_vec3_norm(m);
    if (size > 0) mo_vec3_scale(1 / size, m, m);
    return size;
}

MO_OWN void take_side(const mo_core *c, const double axis[3], const double n[3], mo_flat *out)
{
    double m[3], x[3];
    across_axis(axis, n, m);
    out->count = 0;
    for (int k = 0; k < 2; ++k) {
        mo_vec3_along(c->at, k ? c->half[2] : -c->half[2], axis, x);
        mo_vec3_along(x, c->half[0], m, x);
        add_corner(x, k, out);
    }
}

/*
 * The corner of the rim after which the direction (x, y) comes; returns 1 - the cosine of the angle
 * to the nearest one.
 */
MO_OWN double beside_rim(double x, double y, int *place)
{
    double nearest = 0;
    *place = 0;
    for (int k = 0; k < RIM; ++k) {
        const double *p = RIM_AT[k], *q = RIM_AT[(k + 1) % RIM];
        nearest = fmax(nearest, p[0] * x + p[1] * y);
        if (p[0] * y - p[1] * x >= 0 && q[0] * y - q[1] * x < 0) *place = k;
    }
    return 1 - nearest;
}

/*
 * The rim begins at the x of the cylinder and goes round counterclockwise seen from outside; the
 * point furthest along n takes its place in it.
 */
MO_OWN void take_cap(const mo_core *c, const double axis[3], const double n[3], mo_flat *out)
{
    const double *Q = c->Q, across[3] = {Q[0], Q[3], Q[6]};
    const double radius = c->half[0];
    double up[3], y[3], m[3], middle[3];
    mo_vec3_scale(mo_vec3_dot(n, axis) < 0 ? -1 : 1, axis, up);
    mo_vec3_cross(up, across, y);
    mo_vec3_along(c->at, c->half[2], up, middle);
    mo_vec3_copy(up, out->plane);
    out->plane[3] = mo_vec3_dot(up, middle);
    const double tilt = across_axis(axis, n, m);
    int place;
    const double beside = beside_rim(mo_vec3_dot(m, across), mo_vec3_dot(m, y), &place);
    const int is_apart = tilt * beside > SAME;
    out->count = 0;
    for (int k = 0; k < RIM; ++k) {
        double x[3];
        mo_vec3_along(middle, radius * RIM_AT[k][0], across, x);
        mo_vec3_along(x, radius * RIM_AT[k][1], y, x);
        add_corner(x, k, out);
        if (is_apart && k == place) {
            mo_vec3_along(middle, radius, m, x);
            add_corner(x, RIM, out);
        }
    }
}

MO_EVERYWHERE void mo_core_flat(mo_core *c, const double n[3], mo_flat *flat)
{
    const double axis[3] = {c->Q[2], c->Q[5], c->Q[8]};
    switch (c->kind) {
    case MO_CORE_POINT:
        flat->count = 0;
        add_corner(c->at, 0, flat);
        return;
    case MO_CORE_SEGMENT:
        take_line(c, n, flat);
        return;
    case MO_CORE_TRIANGLE:
        take_triangle(c, flat);
        return;
    case MO_CORE_BOX:
        take_side_of_box(c, n, flat);
        return;
    case MO_CORE_CYLINDER:
        if (fabs(mo_vec3_dot(n, axis)) > CAP)
            take_cap(c, axis, n, flat);
        else
            take_side(c, axis, n, flat);
        return;
    default:
        take_face(c, n, flat);
    }
}
