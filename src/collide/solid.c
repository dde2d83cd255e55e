/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Convex shapes in world axes, and what they turn towards another. */
#include "collide/solid.h"

#include <math.h>

#include "linalg/vec3.h"

enum { RIM = 6 }; /* corners of a cap, besides the one that is furthest along the axis */

static const double CAP = 0.7;     /* cosine: from here on a cylinder turns a cap, not its side */
static const double LINE = 0.3;    /* cosine, below which a capsule turns its line, not an end */
static const double ON_TOP = 1e-9; /* of the size: a vertex so little lower is as high */
static const double SAME = 1e-12;  /* of the radius: corners of a rim so near in height are one */

#define SIN_60 0.86602540378443864676
static const double RIM_AT[RIM][2] = {{1, 0},  {0.5, SIN_60},   {-0.5, SIN_60},
                                      {-1, 0}, {-0.5, -SIN_60}, {0.5, -SIN_60}};

/* ---- placing ---------------------------------------------------------------------------------- */

static void place_points(const double Q[9], const double at[3], const double *points, int count,
                         mo_solid *to)
{
    for (int k = 0; k < count; ++k) {
        mo_mat3_apply(Q, points + 3 * k, to->vertex[k]);
        mo_vec3_along(to->vertex[k], 1, at, to->vertex[k]);
    }
    to->core.vertex_count = count;
    to->core.vertex = to->vertex[0];
}

static void place_hull(const double Q[9], const double at[3], const mo_hull *hull, mo_solid *to)
{
    to->hull = hull;
    place_points(Q, at, hull->vertex[0], hull->vertex_count, to);
    for (int k = 0; k < hull->face_count; ++k) {
        mo_mat3_apply(Q, hull->plane[k], to->plane[k]);
        to->plane[k][3] = hull->plane[k][3] + mo_vec3_dot(to->plane[k], at);
    }
    mo_mat3_apply(Q, hull->centre, to->centre);
    mo_vec3_along(to->centre, 1, at, to->centre);
}

static void place_capsule(const double Q[9], const double at[3], const mo_shape_def *def,
                          mo_solid *to)
{
    to->own_edge[0] = (mo_hull_edge){.vertex = {0, 1}};
    to->own = (mo_hull){.vertex_count = 2, .edge_count = 1, .edge = to->own_edge};
    to->hull = &to->own;
    to->radius = def->radius;
    place_points(Q, at, def->ends[0], 2, to);
    for (int k = 0; k < 3; ++k) {
        to->centre[k] = 0.5 * (to->vertex[0][k] + to->vertex[1][k]);
    }
}

static void place_ball(const double at[3], const mo_shape_def *def, mo_solid *to)
{
    to->own = (mo_hull){.vertex_count = 1};
    to->hull = &to->own;
    to->radius = def->radius;
    mo_vec3_copy(at, to->vertex[0]);
    mo_vec3_copy(at, to->centre);
    to->core.vertex_count = 1;
    to->core.vertex = to->vertex[0];
}

static void place_cylinder(const double Q[9], const double at[3], const mo_shape_def *def,
                           mo_solid *to)
{
    to->hull = NULL;
    mo_vec3_set(to->across, Q[0], Q[3], Q[6]);
    mo_vec3_set(to->core.axis, Q[2], Q[5], Q[8]);
    mo_vec3_copy(at, to->core.centre);
    mo_vec3_copy(at, to->centre);
    to->core.vertex_count = 0;
    to->core.radius = def->radius;
    to->core.half = def->half[2];
}

void mo_solid_place(const mo_placed *from, const double origin[3], mo_solid *to)
{
    const mo_shape_def *def = &from->collider->def;
    double Q[9], at[3];
    mo_quat_matrix(from->pose.orientation, Q);
    mo_vec3_minus(from->pose.position, origin, at);
    to->radius = 0;
    to->size = from->collider->size;
    if (def->kind == MO_SHAPE_CYLINDER) {
        place_cylinder(Q, at, def, to);
    } else if (def->kind == MO_SHAPE_CAPSULE) {
        place_capsule(Q, at, def, to);
    } else if (def->kind == MO_SHAPE_BALL) {
        place_ball(at, def, to);
    } else {
        place_hull(Q, at, from->collider->hull, to);
    }
}

/* ---- what looks along n ------------------------------------------------------------------------ */

/* How many of the vertices of the face are that high along n; a third one tells no more. */
static int high_vertices(const mo_solid *s, int face, const double n[3], double high)
{
    int count = 0;
    for (int k = s->hull->face_start[face]; k < s->hull->face_start[face + 1] && count < 2; ++k) {
        count += mo_vec3_dot(s->vertex[s->hull->face_vertex[k]], n) >= high;
    }
    return count;
}

/* Of the faces that hold the vertex or the edge furthest along n, the one that looks most along it. */
static int face_along(const mo_solid *s, const double n[3])
{
    double furthest[3], most = -INFINITY;
    mo_core_support(&s->core, n, furthest);
    const double high = mo_vec3_dot(furthest, n) - ON_TOP * s->size;
    int face = 0, best = 0;
    for (int k = 0; k < s->hull->face_count; ++k) {
        const int count = high_vertices(s, k, n, high);
        const double now = mo_vec3_dot(s->plane[k], n);
        if (count > best || (count == best && now > most)) {
            best = count;
            most = now;
            face = k;
        }
    }
    return face;
}

static void take_face(const mo_solid *s, const double n[3], mo_flat *out)
{
    const int face = face_along(s, n);
    const int first = s->hull->face_start[face];
    out->count = s->hull->face_start[face + 1] - first;
    for (int k = 0; k < out->count; ++k) {
        mo_vec3_copy(s->vertex[s->hull->face_vertex[first + k]], out->corner[k]);
        out->label[k] = k;
    }
    memcpy(out->plane, s->plane[face], sizeof out->plane);
}

static void add_corner(const double x[3], int label, mo_flat *out)
{
    mo_vec3_copy(x, out->corner[out->count]);
    out->label[out->count++] = label;
}

static void take_line(const mo_solid *s, const double n[3], mo_flat *out)
{
    double along[3];
    out->count = 0;
    if (s->hull->vertex_count == 1) {
        add_corner(s->vertex[0], 0, out);
        return;
    }
    mo_vec3_minus(s->vertex[1], s->vertex[0], along);
    const double slope = mo_vec3_dot(along, n), length = mo_vec3_norm(along);
    for (int k = 0; k < 2; ++k) {
        if (fabs(slope) < LINE * length || (k == 0) == (slope <= 0)) {
            add_corner(s->vertex[k], k, out);
        }
    }
}

/* The part of n across the axis of a cylinder, made unit; its length before that. */
static double across_axis(const mo_core *c, const double n[3], double m[3])
{
    mo_vec3_along(n, -mo_vec3_dot(n, c->axis), c->axis, m);
    mo_vec3_along(m, -mo_vec3_dot(m, c->axis), c->axis, m);
    const double size = mo_vec3_norm(m);
    if (size > 0) {
        mo_vec3_scale(1 / size, m, m);
    }
    return size;
}

static void take_side(const mo_core *c, const double n[3], mo_flat *out)
{
    double m[3], x[3];
    across_axis(c, n, m);
    out->count = 0;
    for (int k = 0; k < 2; ++k) {
        mo_vec3_along(c->centre, k ? c->half : -c->half, c->axis, x);
        mo_vec3_along(x, c->radius, m, x);
        add_corner(x, k, out);
    }
}

/* The rim begins at `across` and goes round counterclockwise seen from outside; the point furthest along n takes its place in it. */
static void take_cap(const mo_solid *s, const double n[3], mo_flat *out)
{
    const mo_core *c = &s->core;
    const int side = mo_vec3_dot(n, c->axis) < 0 ? -1 : 1;
    double up[3], y[3], m[3], middle[3];
    mo_vec3_scale(side, c->axis, up);
    mo_vec3_cross(up, s->across, y);
    mo_vec3_along(c->centre, c->half, up, middle);
    mo_vec3_copy(up, out->plane);
    out->plane[3] = mo_vec3_dot(up, middle);
    const double tilt = across_axis(c, n, m), step = 2 * acos(-1.0) / RIM;
    double angle = atan2(mo_vec3_dot(m, y), mo_vec3_dot(m, s->across)) / step;
    angle = angle < 0 ? angle + RIM : angle;
    const int place = angle < RIM ? (int)angle : 0;
    const double beside = fmin(angle - place, 1 - (angle - place)) * step;
    const int is_apart = tilt * (1 - cos(beside)) > SAME;
    out->count = 0;
    for (int k = 0; k < RIM; ++k) {
        double x[3];
        mo_vec3_along(middle, c->radius * RIM_AT[k][0], s->across, x);
        mo_vec3_along(x, c->radius * RIM_AT[k][1], y, x);
        add_corner(x, k, out);
        if (is_apart && k == place % RIM) {
            mo_vec3_along(middle, c->radius, m, x);
            add_corner(x, RIM, out);
        }
    }
}

void mo_solid_flat(const mo_solid *s, const double n[3], mo_flat *flat)
{
    if (!s->hull) {
        if (fabs(mo_vec3_dot(n, s->core.axis)) > CAP) {
            take_cap(s, n, flat);
        } else {
            take_side(&s->core, n, flat);
        }
    } else if (s->hull->face_count == 0) {
        take_line(s, n, flat);
    } else {
        take_face(s, n, flat);
    }
}

void mo_axis_try(const mo_solid *a, const mo_solid *b, const double direction[3], double shortest,
                 mo_axis *best)
{
    const double size = mo_vec3_norm(direction);
    if (!(size > shortest)) {
        return;
    }
    double n[3];
    mo_vec3_scale(1 / size, direction, n);
    const double gap = mo_core_gap(&a->core, &b->core, n);
    if (gap > best->gap) {
        best->gap = gap;
        mo_vec3_copy(n, best->normal);
    }
}

void mo_solid_meet(const mo_solid *a, const mo_solid *b, const mo_axis *axis, double size,
                   double on_a[3])
{
    mo_flat of_a, of_b;
    double against[3], on_b[3];
    mo_vec3_scale(-1, axis->normal, against);
    mo_solid_flat(a, axis->normal, &of_a);
    mo_solid_flat(b, against, &of_b);
    for (int k = 0; k < of_b.count; ++k) {
        mo_vec3_along(of_b.corner[k], 0.01 * size - axis->gap, axis->normal, of_b.corner[k]);
    }
    const mo_core core_a = {.vertex_count = of_a.count, .vertex = of_a.corner[0]},
                  core_b = {.vertex_count = of_b.count, .vertex = of_b.corner[0]};
    mo_gjk_distance(&core_a, &core_b, on_a, on_b);
}
