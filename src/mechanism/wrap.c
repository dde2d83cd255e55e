/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The shortest path from x0 to x1 around a sphere or a cylinder, or through it as a ring.
 *
 *   1. In the frame of the obstacle the problem is that of a circle: in the plane of the centre, x0
 *      and x1 for a sphere, in the plane across the axis for a cylinder.
 *   2. Around: a tangent from each point, and the arc between their ends.  Of the two ways round,
 *      the one on the given side, or the shorter one.  Tangents that cross are no path.
 *   3. Through: the point P of the circle where |x0 - P| + |P - x1| is least, by bisection of the
 *      derivative between the directions of x0 and x1.
 *   4. Cylinder: on the unrolled surface the path is a straight line, so that heights grow with the
 *      length in the plane.
 *
 * In each case the length is stationary in the points of contact, so that its derivative is that of
 * the straight parts alone, with those points fixed to the obstacle.
 */
#include "mechanism/wrap.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"

static const double TINY = 1e-15, ROUNDED = 1e-9, PI = 3.14159265358979323846;

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

/* Do the segments from a to b and from c to d have a point in common? */
static int do_cross(const double a[2], const double b[2], const double c[2], const double d[2])
{
    const double ab[2] = {b[0] - a[0], b[1] - a[1]}, cd[2] = {d[0] - c[0], d[1] - c[1]};
    const double ac[2] = {c[0] - a[0], c[1] - a[1]}, turn = cross(ab, cd);
    if (turn == 0) return 0;
    const double s = cross(ac, cd) / turn, t = cross(ac, ab) / turn;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

/* The point of the segment that is nearest to the centre. */
static void nearest(double d[2][2], double out[2])
{
    const double along[2] = {d[1][0] - d[0][0], d[1][1] - d[0][1]}, square = dot(along, along);
    const double s = square > 0 ? fmin(fmax(-dot(along, d[0]) / square, 0), 1) : 0;
    out[0] = d[0][0] + s * along[0];
    out[1] = d[0][1] + s * along[1];
}

/* The ends of both tangents in the direction of sign 1 or -1. */
static void tangents(double d[2][2], double radius, int sign, double out[2][2])
{
    for (int k = 0; k < 2; ++k) {
        const double square = dot(d[k], d[k]), turn = k == 0 ? sign : -sign;
        const double length = turn * radius * sqrt(fmax(square - radius * radius, 0));
        out[k][0] = (d[k][0] * radius * radius + d[k][1] * length) / square;
        out[k][1] = (d[k][1] * radius * radius - d[k][0] * length) / square;
    }
}

/* The length of the arc; side: a point on the circle, or NULL.  -1: the line is free. */
static double around(double d[2][2], double radius, const double *side, double touch[2][2])
{
    double at[2], ways[2][2][2], good[2];
    const double least = radius * radius;
    if (dot(d[0], d[0]) < least || dot(d[1], d[1]) < least || distance(d[0], d[1]) < TINY)
        return -1;
    nearest(d, at);
    if (dot(at, at) > least && (!side || dot(side, at) >= 0)) return -1;
    for (int k = 0; k < 2; ++k) {
        tangents(d, radius, k == 0 ? 1 : -1, ways[k]);
        const double sum[2] = {ways[k][0][0] + ways[k][1][0], ways[k][0][1] + ways[k][1][1]};
        const double size = fmax(hypot(sum[0], sum[1]), TINY);
        good[k] = side ? dot(sum, side) / size : -distance(ways[k][0], ways[k][1]);
        if (do_cross(d[0], ways[k][0], d[1], ways[k][1])) good[k] = -INFINITY;
    }
    const int way = good[0] > good[1] ? 0 : 1;
    if (good[way] == -INFINITY) return -1;
    memcpy(touch, ways[way], sizeof ways[way]);
    const double turn = (way == 0 ? -1 : 1) * cross(touch[0], touch[1]);
    const double angle = atan2(turn, dot(touch[0], touch[1]));
    /* for a tangent line, rounding may make the arc negative */
    return radius * (angle < -ROUNDED ? angle + 2 * PI : fmax(angle, 0));
}

/* d(|x0 - P| + |P - x1|) / d angle at P = radius (cos, sin), divided by the radius. */
static double slope(double d[2][2], double radius, double angle, double P[2])
{
    const double tangent[2] = {-sin(angle), cos(angle)};
    double sum = 0;
    P[0] = radius * cos(angle);
    P[1] = radius * sin(angle);
    for (int k = 0; k < 2; ++k) {
        const double from[2] = {P[0] - d[k][0], P[1] - d[k][1]};
        sum += dot(tangent, from) / fmax(hypot(from[0], from[1]), TINY);
    }
    return sum;
}

/* 0, and the point of contact twice; -1: the line passes through the ring. */
static double inside(double d[2][2], double radius, double touch[2][2])
{
    double at[2];
    nearest(d, at);
    if (dot(d[0], d[0]) <= radius * radius || dot(d[1], d[1]) <= radius * radius ||
        dot(at, at) <= radius * radius)
        return -1;
    const double low = atan2(d[0][1], d[0][0]), turn = atan2(cross(d[0], d[1]), dot(d[0], d[1]));
    double part = 0.5, step = 0.25; /* of the angle between them */
    for (int k = 0; k < 60; ++k, step /= 2) {
        const double rises = slope(d, radius, low + part * turn, touch[0]) * (turn < 0 ? -1 : 1);
        part += rises < 0 ? step : -step;
    }
    memcpy(touch[1], touch[0], sizeof touch[0]);
    return 0;
}

/* The plane of the circle: two unit vectors in the frame of the obstacle. */
static void choose_plane(double p[2][3], int is_cylinder, const double *side, double axis[2][3])
{
    double normal[3];
    mo_vec3_set(axis[0], 1, 0, 0);
    mo_vec3_set(axis[1], 0, 1, 0);
    if (is_cylinder) return;
    mo_vec3_scale(1 / mo_vec3_norm(p[0]), p[0], axis[0]);
    mo_vec3_cross(axis[0], p[1], normal);
    if (mo_vec3_norm(normal) < TINY && side) /* on one line with the centre */
        mo_vec3_cross(axis[0], side, normal);
    if (mo_vec3_norm(normal) < TINY) { /* any plane through that line */
        double other[3] = {1, 1, 1};
        const double *a = axis[0];
        other[fabs(a[0]) >= fabs(a[1]) && fabs(a[0]) >= fabs(a[2]) ? 0
              : fabs(a[1]) >= fabs(a[2])                           ? 1
                                                                   : 2] = 0;
        mo_vec3_cross(axis[0], other, normal);
    }
    mo_vec3_scale(1 / mo_vec3_norm(normal), normal, normal);
    mo_vec3_cross(normal, axis[0], axis[1]);
}

static void to_plane(double axis[2][3], const double p[3], double out[2])
{
    out[0] = mo_vec3_dot(axis[0], p);
    out[1] = mo_vec3_dot(axis[1], p);
}

double mo_wrap(const double x0[3], const double x1[3], const mo_pose *at, double radius,
               int is_cylinder, const double *side, double touch[2][3])
{
    double p[2][3], s[3], axis[2][3], d[2][2], flat[2][2] = {{0}}, on_side[2];
    mo_pose_point_back(at, x0, p[0]);
    mo_pose_point_back(at, x1, p[1]);
    if (!(radius > TINY) || mo_vec3_norm(p[0]) < TINY || mo_vec3_norm(p[1]) < TINY) return -1;
    if (side) mo_pose_point_back(at, side, s);
    choose_plane(p, is_cylinder, side ? s : NULL, axis);
    to_plane(axis, p[0], d[0]);
    to_plane(axis, p[1], d[1]);
    int is_ring = 0;
    if (side) {
        to_plane(axis, s, on_side);
        const double size = fmax(hypot(on_side[0], on_side[1]), TINY);
        on_side[0] *= radius / size;
        on_side[1] *= radius / size;
        is_ring = mo_vec3_norm(s) < radius;
    }
    double length =
        is_ring ? inside(d, radius, flat) : around(d, radius, side ? on_side : NULL, flat);
    if (length < 0) return -1;
    double local[2][3];
    for (int k = 0; k < 2; ++k) {
        mo_vec3_scale(flat[k][0], axis[0], local[k]);
        mo_vec3_along(local[k], flat[k][1], axis[1], local[k]);
    }
    if (is_cylinder) {
        const double before = distance(d[0], flat[0]), after = distance(d[1], flat[1]);
        const double rise = (p[1][2] - p[0][2]) / fmax(before + length + after, TINY);
        local[0][2] = p[0][2] + rise * before;
        local[1][2] = p[0][2] + rise * (before + length);
        length = hypot(length, rise * length);
    }
    mo_pose_point(at, local[0], touch[0]);
    mo_pose_point(at, local[1], touch[1]);
    return length;
}
