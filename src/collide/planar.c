/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Collision of convex shapes in the plane: a core of one point (ball), two (capsule) or more (box,
 * hull), and a radius.
 *
 * The reference is the side of either core with the largest separation or least penetration.  The
 * most opposite side of the other core is clipped to it, and its one or two ends are the contact
 * points.  If the nearest features are two vertices, the contact is along the line through them.
 */
#include <math.h>

#include "collide/narrow.h"
#include "linalg/vec3.h"

typedef struct core {
    int count;
    double corner[MO_HULL_VERTICES][3];
    double radius;
} core;

static const double A_FIRST = 1e-4; /* of the smaller size: margin of b's side over a's */
/* Likewise: two corners are distinguished from two sides only beyond this distance. */
static const double APART = 1e-4;

static void take_core(const mo_placed *from, core *to)
{
    const mo_shape_def *def = &from->collider->def;
    to->radius = 0;
    if (def->kind == MO_SHAPE_BALL) {
        to->count = 1;
        to->radius = def->radius;
        mo_vec3_copy(from->pose.position, to->corner[0]);
    } else if (def->kind == MO_SHAPE_CAPSULE) {
        /* without length it is a ball */
        to->count =
            def->ends[0][0] == def->ends[1][0] && def->ends[0][1] == def->ends[1][1] ? 1 : 2;
        to->radius = def->radius;
        mo_pose_point(&from->pose, def->ends[0], to->corner[0]);
        mo_pose_point(&from->pose, def->ends[1], to->corner[1]);
    } else {
        const mo_hull *hull = from->collider->hull;
        to->count = hull->vertex_count;
        for (int k = 0; k < hull->vertex_count; ++k)
            mo_pose_point(&from->pose, hull->vertex[k], to->corner[k]);
    }
    for (int k = 0; k < to->count; ++k)
        to->corner[k][2] = 0;
}

static int next_of(const core *c, int k)
{
    return k + 1 == c->count ? 0 : k + 1;
}

/* The outward unit normal of side k; a segment has two sides. */
static void side_normal(const core *c, int k, double n[3])
{
    double along[3];
    mo_vec3_minus(c->corner[next_of(c, k)], c->corner[k], along);
    mo_vec3_set(n, along[1], -along[0], 0);
    mo_vec3_scale(1 / mo_vec3_norm(n), n, n);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* From p on a to q on b, less the radii; if they coincide the spare normal is used. */
static void touch_points(const core *a, const core *b, const double p[3], const double q[3],
                         const double spare[3], double reach, uint32_t feature, mo_touch_list *out)
{
    double normal[3], on_a[3], on_b[3];
    mo_vec3_minus(q, p, normal);
    const double distance = mo_vec3_norm(normal), gap = distance - a->radius - b->radius;
    if (gap > reach) return;
    if (distance > 0)
        mo_vec3_scale(1 / distance, normal, normal);
    else
        mo_vec3_copy(spare, normal);
    mo_vec3_along(p, a->radius, normal, on_a);
    mo_vec3_along(q, -b->radius, normal, on_b);
    mo_touch_between(on_a, on_b, normal, gap, feature, out);
}

/* ---- sides ----------------------------------------------------------------------------------- */

typedef struct side {
    double gap; /* of the cores, along its normal */
    int index;
} side;

static side best_side(const core *a, const core *b)
{
    side best = {-INFINITY, 0};
    for (int k = 0; a->count > 1 && k < a->count; ++k) {
        double n[3], low = INFINITY;
        side_normal(a, k, n);
        for (int i = 0; i < b->count; ++i)
            low = fmin(low, mo_vec3_dot(n, b->corner[i]));
        low -= mo_vec3_dot(n, a->corner[k]);
        if (low > best.gap) best = (side){low, k};
    }
    return best;
}

/* The side of b whose normal is most opposed to n. */
static int most_against(const core *b, const double n[3])
{
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < b->count; ++k) {
        double m[3];
        side_normal(b, k, m);
        if (mo_vec3_dot(m, n) < least) {
            least = mo_vec3_dot(m, n);
            best = k;
        }
    }
    return best;
}

/*
 * The ends of the side of b, clipped to the stretch of a's side; false where it lies beside that.
 */
static int touch_sides(const core *a, const core *b, int of_a, int is_turned, double reach,
                       mo_touch_list *out)
{
    double n[3], t[3];
    side_normal(a, of_a, n);
    mo_vec3_set(t, -n[1], n[0], 0);
    const double *p = a->corner[of_a], *q = a->corner[next_of(a, of_a)];
    const int of_b = most_against(b, n);
    const double *end[2] = {b->corner[of_b], b->corner[next_of(b, of_b)]};
    const double low = mo_vec3_dot(t, p), high = mo_vec3_dot(t, q);
    const double s[2] = {mo_vec3_dot(t, end[0]), mo_vec3_dot(t, end[1])};
    if (fmax(s[0], s[1]) < low || fmin(s[0], s[1]) > high) return 0;
    double along[3], normal[3];
    mo_vec3_minus(end[1], end[0], along);
    mo_vec3_scale(is_turned ? -1 : 1, n, normal);
    const int stands = s[0] == s[1], lower = mo_vec3_dot(n, along) < 0;
    for (int k = 0; k < 2; ++k) {
        if (stands && k != lower) /* across the reference: its nearer end */
            continue;
        const double want = fmin(high, fmax(low, s[k]));
        const double part = s[1] != s[0] ? (want - s[0]) / (s[1] - s[0]) : k;
        double on_b[3], on_a[3];
        mo_vec3_along(end[0], part, along, on_b);
        const double core_gap = mo_vec3_dot(n, on_b) - mo_vec3_dot(n, p),
                     gap = core_gap - a->radius - b->radius;
        if (gap <= reach) {
            mo_vec3_along(on_b, -(core_gap - a->radius), n, on_a);
            mo_vec3_along(on_b, -b->radius, n, on_b);
            const uint32_t feature = (uint32_t)(is_turned << 20 | of_a << 10 | of_b << 1 | k);
            mo_touch_between(on_a, on_b, normal, gap, feature, out);
        }
    }
    return 1;
}

/* ---- corners --------------------------------------------------------------------------------- */

/*
 * The cores are apart along the normal of a side, but are a side and a corner or a side nearest, or
 * two corners?  Where the nearest points of the two sides are ends of both, and the line through
 * them is no normal of a side, it is two corners.  `always`: these points in any case.
 */
static int touch_corners(const core *a, const core *b, int of_a, double gap, int is_turned,
                         int always, double reach, mo_touch_list *out)
{
    double n[3], p[2][3], q[2][3], d[3], on_a[3], on_b[3], s, t;
    side_normal(a, of_a, n);
    const int of_b = most_against(b, n);
    mo_vec3_copy(a->corner[of_a], p[0]);
    mo_vec3_copy(a->corner[next_of(a, of_a)], p[1]);
    mo_vec3_copy(b->corner[of_b], q[0]);
    mo_vec3_copy(b->corner[next_of(b, of_b)], q[1]);
    mo_nearest_of_segments(p, q, &s, &t);
    mo_vec3_minus(p[1], p[0], d);
    mo_vec3_along(p[0], s, d, on_a);
    mo_vec3_minus(q[1], q[0], d);
    mo_vec3_along(q[0], t, d, on_b);
    mo_vec3_minus(on_b, on_a, d);
    const int are_ends = (s == 0 || s == 1) && (t == 0 || t == 1);
    if (!always && (!are_ends || mo_vec3_norm(d) <= gap * (1 + 1e-9))) return 0;
    const uint32_t feature =
        1u << 22 | (uint32_t)(is_turned << 20 | of_a << 11 | of_b << 2 | (s == 1) << 1 | (t == 1));
    if (is_turned) {
        mo_vec3_scale(-1, n, n);
        touch_points(b, a, on_b, on_a, n, reach, feature, out);
    } else {
        touch_points(a, b, on_a, on_b, n, reach, feature, out);
    }
    return 1;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* A point against a core of several corners. */
static void touch_point_and_core(const core *point, const core *c, int is_turned, double reach,
                                 mo_touch_list *out)
{
    const double *x = point->corner[0];
    const side at = best_side(c, point);
    double n[3], nearest[3];
    side_normal(c, at.index, n);
    if (at.gap > 0) {
        mo_nearest_on_segment(c->corner[at.index], c->corner[next_of(c, at.index)], x, nearest);
        for (int k = 0; k < c->count;
             ++k) { /* the nearest side need not be the one with the largest gap */
            double other[3], d[3], best[3];
            mo_nearest_on_segment(c->corner[k], c->corner[next_of(c, k)], x, other);
            mo_vec3_minus(other, x, d);
            mo_vec3_minus(nearest, x, best);
            if (mo_vec3_dot(d, d) < mo_vec3_dot(best, best)) mo_vec3_copy(other, nearest);
        }
        double spare[3];
        mo_vec3_scale(is_turned ? 1 : -1, n, spare);
        if (is_turned)
            touch_points(c, point, nearest, x, spare, reach, 0, out);
        else
            touch_points(point, c, x, nearest, spare, reach, 0, out);
        return;
    }
    /* inside, or on the line of a segment: pushed out through the nearest side */
    double on_point[3], on_core[3], normal[3];
    mo_vec3_along(x, -point->radius, n, on_point);
    mo_vec3_along(x, c->radius - at.gap, n, on_core);
    mo_vec3_scale(is_turned ? 1 : -1, n, normal);
    if (at.gap - point->radius - c->radius <= reach)
        mo_touch_between(on_point, on_core, normal, at.gap - point->radius - c->radius, 0, out);
}

void mo_collide_planar(const mo_placed *pa, const mo_placed *pb, double reach, mo_touch_list *out)
{
    core a, b;
    take_core(pa, &a);
    take_core(pb, &b);
    if (a.count == 1 && b.count == 1) {
        touch_points(&a, &b, a.corner[0], b.corner[0], (const double[3]){0, 1, 0}, reach, 0, out);
        return;
    }
    if (a.count == 1 || b.count == 1) {
        const int is_turned = a.count != 1;
        touch_point_and_core(is_turned ? &b : &a, is_turned ? &a : &b, is_turned, reach, out);
        return;
    }
    const side of_a = best_side(&a, &b), of_b = best_side(&b, &a);
    if (fmax(of_a.gap, of_b.gap) - a.radius - b.radius > reach) return;
    const double size = fmin(pa->collider->size, pb->collider->size);
    const int is_turned = of_b.gap > of_a.gap + A_FIRST * size;
    const core *reference = is_turned ? &b : &a, *incident = is_turned ? &a : &b;
    const side at = is_turned ? of_b : of_a;
    if (at.gap > APART * size &&
        touch_corners(reference, incident, at.index, at.gap, is_turned, 0, reach, out))
        return;
    if (!touch_sides(reference, incident, at.index, is_turned, reach, out))
        touch_corners(reference, incident, at.index, at.gap, is_turned, 1, reach, out);
}

void mo_collide_planar_half(const mo_placed *a, const mo_placed *b, double reach,
                            mo_touch_list *out)
{
    core c;
    take_core(a, &c);
    double up[3], normal[3];
    mo_pose_vector(&b->pose, (const double[3]){0, 1, 0}, up);
    mo_vec3_scale(-1, up, normal);
    for (int k = 0; k < c.count; ++k) {
        double from[3], on_a[3], on_plane[3];
        mo_vec3_minus(c.corner[k], b->pose.position, from);
        const double height = mo_vec3_dot(from, up);
        if (height - c.radius <= reach) {
            mo_vec3_along(c.corner[k], -c.radius, up, on_a);
            mo_vec3_along(c.corner[k], -height, up, on_plane);
            mo_touch_between(on_a, on_plane, normal, height - c.radius, (uint32_t)k, out);
        }
    }
}
