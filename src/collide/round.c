/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Balls and capsules: distances of points and segments, less the radii.
 *
 * Two capsules that lie along each other touch along a line; it is kept by its two ends, as is the line of a capsule on
 * a plane, so that neither rocks.
 */
#include <math.h>

#include "collide/narrow.h"
#include "linalg/vec3.h"

void mo_touch_between(const double on_a[3], const double on_b[3], const double normal[3],
                      double gap, uint32_t feature, mo_touch_list *out)
{
    mo_touch touch = {.gap = gap, .feature = feature};
    for (int k = 0; k < 3; ++k) {
        touch.point[k] = 0.5 * (on_a[k] + on_b[k]);
    }
    mo_vec3_copy(normal, touch.normal);
    mo_touch_add(out, &touch);
}

double mo_nearest_on_segment(const double p[3], const double q[3], const double x[3],
                             double nearest[3])
{
    double along[3], to[3];
    mo_vec3_minus(q, p, along);
    mo_vec3_minus(x, p, to);
    const double square = mo_vec3_dot(along, along);
    const double t = square > 0 ? fmin(1, fmax(0, mo_vec3_dot(along, to) / square)) : 0;
    mo_vec3_along(p, t, along, nearest);
    return t;
}

void mo_nearest_of_segments(double p[2][3], double q[2][3], double *s, double *t)
{
    double d1[3], d2[3], r[3], nearest[3];
    mo_vec3_minus(p[1], p[0], d1);
    mo_vec3_minus(q[1], q[0], d2);
    mo_vec3_minus(p[0], q[0], r);
    const double a = mo_vec3_dot(d1, d1), e = mo_vec3_dot(d2, d2), b = mo_vec3_dot(d1, d2);
    const double c = mo_vec3_dot(d1, r), f = mo_vec3_dot(d2, r), denominator = a * e - b * b;
    *s = denominator > 1e-14 * a * e ? fmin(1, fmax(0, (b * f - c * e) / denominator)) : 0;
    double at[3];
    mo_vec3_along(p[0], *s, d1, at);
    *t = mo_nearest_on_segment(q[0], q[1], at, nearest);
    *s = mo_nearest_on_segment(p[0], p[1], nearest, at);
    mo_vec3_along(p[0], *s, d1, at);
    *t = mo_nearest_on_segment(q[0], q[1], at, nearest);
}

/* Two points with radii about them; where they coincide, the normal is the spare one. */
static int meet(const double p[3], double radius_p, const double q[3], double radius_q,
                const double spare[3], double reach, mo_touch *touch)
{
    mo_vec3_minus(q, p, touch->normal);
    const double distance = mo_vec3_norm(touch->normal);
    touch->gap = distance - radius_p - radius_q;
    if (!(touch->gap <= reach)) {
        return 0;
    }
    if (distance > 0) {
        mo_vec3_scale(1 / distance, touch->normal, touch->normal);
    } else {
        mo_vec3_copy(spare, touch->normal);
    }
    for (int k = 0; k < 3; ++k) {
        const double on_p = p[k] + radius_p * touch->normal[k],
                     on_q = q[k] - radius_q * touch->normal[k];
        touch->point[k] = 0.5 * (on_p + on_q);
    }
    return 1;
}

static void touch_of_points(const double p[3], double radius_p, const double q[3], double radius_q,
                            const double spare[3], double reach, uint32_t feature,
                            mo_touch_list *out)
{
    mo_touch touch = {.feature = feature};
    if (meet(p, radius_p, q, radius_q, spare, reach, &touch)) {
        mo_touch_add(out, &touch);
    }
}

static const double UP[3] = {0, 0, 1};

int mo_touch_of_balls(const double p[3], double radius_p, const double q[3], double radius_q,
                      double reach, mo_touch *touch)
{
    touch->feature = 0;
    return meet(p, radius_p, q, radius_q, UP, reach, touch) && isfinite(touch->gap);
}

void mo_collide_ball_ball(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out)
{
    touch_of_points(a->pose.position, a->collider->def.radius, b->pose.position,
                    b->collider->def.radius, UP, reach, 0, out);
}

static void ends_of(const mo_placed *capsule, double ends[2][3])
{
    for (int k = 0; k < 2; ++k) {
        mo_pose_point(&capsule->pose, capsule->collider->def.ends[k], ends[k]);
    }
}

/* A unit vector across the segment. */
static void across(double ends[2][3], double out[3])
{
    double along[3], other[3];
    mo_vec3_minus(ends[1], ends[0], along);
    const double length = mo_vec3_norm(along);
    if (length > 0) {
        mo_vec3_scale(1 / length, along, along);
        mo_vec3_tangents(along, other, out);
    } else {
        mo_vec3_copy(UP, out);
    }
}

void mo_collide_ball_capsule(const mo_placed *a, const mo_placed *b, double reach,
                             mo_touch_list *out)
{
    double ends[2][3], nearest[3], spare[3];
    ends_of(b, ends);
    mo_nearest_on_segment(ends[0], ends[1], a->pose.position, nearest);
    across(ends, spare);
    touch_of_points(a->pose.position, a->collider->def.radius, nearest, b->collider->def.radius,
                    spare, reach, 0, out);
}

/* Do they run along each other, nearly?  Then the part where they overlap touches by its two ends. */
static int touch_of_parallels(const mo_placed *a, const mo_placed *b, double p[2][3],
                              double q[2][3], double reach, mo_touch_list *out)
{
    double d1[3], d2[3], cross[3];
    mo_vec3_minus(p[1], p[0], d1);
    mo_vec3_minus(q[1], q[0], d2);
    mo_vec3_cross(d1, d2, cross);
    const double a2 = mo_vec3_dot(d1, d1), b2 = mo_vec3_dot(d2, d2);
    if (!(mo_vec3_dot(cross, cross) < 1e-4 * a2 * b2)) { /* half a degree */
        return 0;
    }
    double part[2], spare[3];
    for (int k = 0; k < 2; ++k) {
        double to[3];
        mo_vec3_minus(q[k], p[0], to);
        part[k] = fmin(1, fmax(0, mo_vec3_dot(to, d1) / a2));
    }
    if (fabs(part[1] - part[0]) < 1e-3) { /* end to end */
        return 0;
    }
    across(p, spare);
    for (int k = 0; k < 2; ++k) {
        double on_p[3], on_q[3];
        mo_vec3_along(p[0], part[k], d1, on_p);
        mo_nearest_on_segment(q[0], q[1], on_p, on_q);
        touch_of_points(on_p, a->collider->def.radius, on_q, b->collider->def.radius, spare, reach,
                        1 + (uint32_t)k, out);
    }
    return 1;
}

void mo_collide_capsule_capsule(const mo_placed *a, const mo_placed *b, double reach,
                                mo_touch_list *out)
{
    double p[2][3], q[2][3], on_p[3], on_q[3], d[3], spare[3], s, t;
    ends_of(a, p);
    ends_of(b, q);
    if (touch_of_parallels(a, b, p, q, reach, out)) {
        return;
    }
    mo_nearest_of_segments(p, q, &s, &t);
    mo_vec3_minus(p[1], p[0], d);
    mo_vec3_along(p[0], s, d, on_p);
    mo_vec3_minus(q[1], q[0], d);
    mo_vec3_along(q[0], t, d, on_q);
    across(p, spare);
    touch_of_points(on_p, a->collider->def.radius, on_q, b->collider->def.radius, spare, reach, 0,
                    out);
}

/* ---- with a plane: z <= 0 of its frame is solid --------------------------------------------------- */

static void point_on_plane(const double x[3], double radius, const mo_placed *plane, double reach,
                           uint32_t feature, mo_touch_list *out)
{
    double up[3], normal[3], from[3], on_x[3], on_plane[3];
    mo_pose_vector(&plane->pose, UP, up);
    mo_vec3_minus(x, plane->pose.position, from);
    const double height = mo_vec3_dot(from, up);
    if (height - radius <= reach) {
        mo_vec3_scale(-1, up, normal);
        mo_vec3_along(x, -radius, up, on_x);
        mo_vec3_along(x, -height, up, on_plane);
        mo_touch_between(on_x, on_plane, normal, height - radius, feature, out);
    }
}

void mo_collide_ball_plane(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out)
{
    point_on_plane(a->pose.position, a->collider->def.radius, b, reach, 0, out);
}

void mo_collide_capsule_plane(const mo_placed *a, const mo_placed *b, double reach,
                              mo_touch_list *out)
{
    double ends[2][3];
    ends_of(a, ends);
    for (int k = 0; k < 2; ++k) {
        point_on_plane(ends[k], a->collider->def.radius, b, reach, (uint32_t)k, out);
    }
}

void mo_collide_hull_plane(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out)
{
    const mo_hull *hull = a->collider->hull;
    for (int k = 0; k < hull->vertex_count; ++k) {
        double x[3];
        mo_pose_point(&a->pose, hull->vertex[k], x);
        point_on_plane(x, 0, b, reach, (uint32_t)k, out);
    }
}
