/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Balls and capsules: distances of points and segments, minus the radii.
 *
 * Two parallel capsules touch along a line, which is represented by its two ends, as is the line of
 * a capsule on a plane; this prevents rocking.
 */
#include <math.h>

#include "collide/narrow.h"
#include "linalg/vec3.h"

MO_EVERYWHERE void mo_touch_between(const double on_a[3], const double on_b[3],
                                    const double normal[3], double gap, uint32_t feature,
                                    mo_touch_list *out)
{
    mo_touch touch = {.gap = gap, .feature = feature};
    for (int k = 0; k < 3; ++k)
        touch.point[k] = 0.5 * (on_a[k] + on_b[k]);
    mo_vec3_copy(normal, touch.normal);
    mo_touch_add(out, &touch);
}

MO_EVERYWHERE double mo_nearest_on_segment(const double p[3], const double q[3], const double x[3],
                                           double nearest[3])
{
    double along[3], to[3];
    mo_vec3_minus(q, p, along);
    mo_vec3_minus(x, p, to);
    const double square = mo_vec3_dot(along, along);
    const double t = square > 0 ? mo_part(mo_vec3_dot(along, to) / square) : 0;
    mo_vec3_along(p, t, along, nearest);
    return t;
}

MO_EVERYWHERE void mo_nearest_of_segments(double p[2][3], double q[2][3], double *s, double *t)
{
    double d1[3], d2[3], r[3], nearest[3];
    mo_vec3_minus(p[1], p[0], d1);
    mo_vec3_minus(q[1], q[0], d2);
    mo_vec3_minus(p[0], q[0], r);
    const double a = mo_vec3_dot(d1, d1), e = mo_vec3_dot(d2, d2), b = mo_vec3_dot(d1, d2);
    const double c = mo_vec3_dot(d1, r), f = mo_vec3_dot(d2, r), denominator = a * e - b * b;
    *s = denominator > 1e-14 * a * e ? mo_part((b * f - c * e) / denominator) : 0;
    double at[3];
    mo_vec3_along(p[0], *s, d1, at);
    *t = mo_nearest_on_segment(q[0], q[1], at, nearest);
    *s = mo_nearest_on_segment(p[0], p[1], nearest, at);
    mo_vec3_along(p[0], *s, d1, at);
    *t = mo_nearest_on_segment(q[0], q[1], at, nearest);
}

/* Of the radii: points no further apart have no direction. */
static const double SAME_PLACE = 1e-12;

/* Two points with radii about them; if they coincide, the spare normal is used. */
MO_OWN int meet(const double p[3], double radius_p, const double q[3], double radius_q,
                const double spare[3], double reach, mo_touch *touch)
{
    mo_vec3_minus(q, p, touch->normal);
    const double distance = mo_vec3_norm(touch->normal);
    touch->gap = distance - radius_p - radius_q;
    if (!(touch->gap <= reach)) return 0;
    if (distance > SAME_PLACE * (radius_p + radius_q))
        mo_vec3_scale(1 / distance, touch->normal, touch->normal);
    else
        mo_vec3_copy(spare, touch->normal);
    for (int k = 0; k < 3; ++k) {
        const double on_p = p[k] + radius_p * touch->normal[k],
                     on_q = q[k] - radius_q * touch->normal[k];
        touch->point[k] = 0.5 * (on_p + on_q);
    }
    return 1;
}

MO_OWN void touch_of_points(const double p[3], double radius_p, const double q[3], double radius_q,
                            const double spare[3], double reach, uint32_t feature,
                            mo_touch_list *out)
{
    mo_touch touch = {.feature = feature};
    if (meet(p, radius_p, q, radius_q, spare, reach, &touch)) mo_touch_add(out, &touch);
}

static const double AT_END = 1e-6; /* part of a segment: points closer to an end count as the end */
static const double ALONG_EACH_OTHER = 1e-4; /* square of a sine: half a degree */

MO_TABLE double UP[3] = {0, 0, 1};

MO_EVERYWHERE int mo_touch_of_balls(const double p[3], double radius_p, const double q[3],
                                    double radius_q, double reach, mo_touch *touch)
{
    touch->feature = 0;
    return meet(p, radius_p, q, radius_q, UP, reach, touch) && isfinite(touch->gap);
}

MO_EVERYWHERE void mo_collide_ball_ball(const mo_placed *a, const mo_placed *b, double reach,
                                        mo_touch_list *out)
{
    touch_of_points(a->pose.position, a->collider->def.radius, b->pose.position,
                    b->collider->def.radius, UP, reach, 0, out);
}

MO_OWN void ends_of(const mo_placed *capsule, double ends[2][3])
{
    for (int k = 0; k < 2; ++k)
        mo_point_out(&capsule->pose, capsule->collider->def.ends[k], ends[k]);
}

/* A unit vector across the segment. */
MO_OWN void across(double ends[2][3], double out[3])
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

MO_EVERYWHERE void mo_collide_ball_capsule(const mo_placed *a, const mo_placed *b, double reach,
                                           mo_touch_list *out)
{
    double ends[2][3], nearest[3], spare[3];
    ends_of(b, ends);
    mo_nearest_on_segment(ends[0], ends[1], a->pose.position, nearest);
    across(ends, spare);
    touch_of_points(a->pose.position, a->collider->def.radius, nearest, b->collider->def.radius,
                    spare, reach, 0, out);
}

/* Is the part of a segment one of its ends? */
MO_OWN int is_end(double part)
{
    return part <= AT_END || part >= 1 - AT_END;
}

/*
 * The ends of the capsule `one`, with the segment p, as balls on the other; s: the part of p that
 * touches already.  An end whose nearest point is an end counts where they are nearest to each
 * other, once.
 */
MO_OWN void touch_of_ends(const mo_placed *one, const mo_placed *other, double p[2][3],
                          double q[2][3], double s, const double spare[3], double reach,
                          int is_turned, mo_touch_list *out)
{
    const double radius = one->collider->def.radius, radius_q = other->collider->def.radius;
    for (int k = 0; k < 2; ++k) {
        double on_q[3], back[3];
        const double t = mo_nearest_on_segment(q[0], q[1], p[k], on_q);
        const double r = is_end(t) ? mo_nearest_on_segment(p[0], p[1], q[t > 0.5], back) : k;
        if (fabs(s - k) <= AT_END || (is_end(t) && (is_turned || fabs(r - k) > AT_END))) continue;
        const uint32_t feature = 1 + 2 * (uint32_t)is_turned + (uint32_t)k;
        if (is_turned)
            touch_of_points(on_q, radius_q, p[k], radius, spare, reach, feature, out);
        else
            touch_of_points(p[k], radius, on_q, radius_q, spare, reach, feature, out);
    }
}

/*
 * The nearest points, and the four ends: the pair may turn about the first, and an end then comes
 * down within the step.  Capsules that lie along each other touch by the ends of the part where
 * they do.
 */
MO_EVERYWHERE void mo_collide_capsule_capsule(const mo_placed *a, const mo_placed *b, double reach,
                                              mo_touch_list *out)
{
    double p[2][3], q[2][3], on_p[3], on_q[3], d[3], e[3], spare[3], cross[3], s, t;
    ends_of(a, p);
    ends_of(b, q);
    mo_nearest_of_segments(p, q, &s, &t);
    mo_vec3_minus(p[1], p[0], d);
    mo_vec3_along(p[0], s, d, on_p);
    mo_vec3_minus(q[1], q[0], e);
    mo_vec3_along(q[0], t, e, on_q);
    mo_vec3_minus(on_q, on_p, spare);
    const double both = a->collider->def.radius + b->collider->def.radius + reach;
    if (!(mo_vec3_dot(spare, spare) <= both * both)) return;
    across(p, spare);
    mo_vec3_cross(d, e, cross);
    const double d2 = mo_vec3_dot(d, d), e2 = mo_vec3_dot(e, e);
    if (mo_vec3_dot(cross, cross) <
        ALONG_EACH_OTHER * d2 * e2) { /* any point is the nearest: ends only */
        s = t = 0.5;
    } else {
        if (d2 * e2 > 0) /* where the segments meet, they part across both */
            mo_vec3_scale(1 / mo_vec3_norm(cross), cross, spare);
        touch_of_points(on_p, a->collider->def.radius, on_q, b->collider->def.radius, spare, reach,
                        0, out);
    }
    if (d2 > 0) touch_of_ends(a, b, p, q, s, spare, reach, 0, out);
    if (e2 > 0) touch_of_ends(b, a, q, p, t, spare, reach, 1, out);
}

/* ---- with a plane: z <= 0 of its frame is solid ---------------------------------------------- */

MO_OWN void point_on_plane(const double x[3], double radius, const mo_placed *plane, double reach,
                           uint32_t feature, mo_touch_list *out)
{
    double up[3], normal[3], from[3], on_x[3], on_plane[3];
    mo_vector_out(&plane->pose, UP, up);
    mo_vec3_minus(x, plane->pose.position, from);
    const double height = mo_vec3_dot(from, up);
    if (height - radius <= reach) {
        mo_vec3_scale(-1, up, normal);
        mo_vec3_along(x, -radius, up, on_x);
        mo_vec3_along(x, -height, up, on_plane);
        mo_touch_between(on_x, on_plane, normal, height - radius, feature, out);
    }
}

MO_EVERYWHERE void mo_collide_ball_plane(const mo_placed *a, const mo_placed *b, double reach,
                                         mo_touch_list *out)
{
    point_on_plane(a->pose.position, a->collider->def.radius, b, reach, 0, out);
}

MO_EVERYWHERE void mo_collide_capsule_plane(const mo_placed *a, const mo_placed *b, double reach,
                                            mo_touch_list *out)
{
    double ends[2][3];
    ends_of(a, ends);
    for (int k = 0; k < 2; ++k)
        point_on_plane(ends[k], a->collider->def.radius, b, reach, (uint32_t)k, out);
}

/*
 * The corners within the reach: the lowest, then its neighbours, and theirs, as long as they are
 * low enough; on a convex polyhedron these are connected.
 */
MO_EVERYWHERE void mo_collide_hull_plane(const mo_placed *a, const mo_placed *b, double reach,
                                         mo_touch_list *out)
{
    const mo_hull *hull = a->collider->hull;
    const int first = out->count;
    uint8_t is_seen[MO_HULL_VERTICES] = {0};
    int stack[MO_HULL_VERTICES], count = 1;
    double up[3], normal[3], local[3], down[3], from[3];
    mo_vector_out(&b->pose, UP, up);
    mo_vec3_scale(-1, up, normal);
    mo_vector_in(&a->pose, up, local);
    mo_vec3_scale(-1, local, down);
    mo_vec3_minus(a->pose.position, b->pose.position, from);
    const double height = mo_vec3_dot(from, up);
    stack[0] = mo_hull_support(hull, -1, down);
    is_seen[stack[0]] = 1;
    while (count > 0) {
        const int v = stack[--count];
        const double gap = height + mo_vec3_dot(local, hull->vertex[v]);
        if (!(gap <= reach)) continue;
        double x[3], foot[3];
        mo_point_out(&a->pose, hull->vertex[v], x);
        mo_vec3_along(x, -gap, up, foot);
        mo_touch_between(x, foot, normal, gap, (uint32_t)v, out);
        for (int k = hull->ring_start[v]; k < hull->ring_start[v + 1]; ++k) {
            const int next = hull->ring_vertex[k];
            if (!is_seen[next]) {
                is_seen[next] = 1;
                stack[count++] = next;
            }
        }
    }
    mo_touches_reduce(out, first);
}
