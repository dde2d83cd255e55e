/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Cylinders.
 *
 * With a ball and with a plane there are closed forms.  A standing cylinder touches a plane by six points of its rim that turn with it, a lying one by the two
 * ends of its lowest line, and a tilted one by its lowest point besides: the rim is round, since that point is always the true one.
 *
 * With a box, hull, capsule or another cylinder (b; the cylinder is a) the axis of least overlap, or largest separation, is sought in turn among
 *
 *   flat axes    the normals of faces and caps, the cross products of the axis with edges, the perpendiculars from the axis to corners;
 *   the line between the nearest points, where they are apart (mo_gjk_distance);
 *   arcs         for a rim and an edge the axis is at right angles to the edge, and is sought over that circle;
 *   rims         for a rim and a corner: the line to the corner from the point of the rim nearest to it;
 *   the sphere   for two rims: from the best of all these.
 *
 * An axis is the one where the touches along it (manifold.h) hold the separation itself; the search ends there.
 */
#include <math.h>

#include "collide/solid.h"
#include "linalg/vec3.h"

enum { ARC_SAMPLES = 16, ARC_STEPS = 40, RIM_TOUCHES = 8 };

/* All of the smaller size. */
static const double ON_SIDE = 1e-6; /* as in hull_hull.c */
static const double IS_NEAREST =
    1e-10; /* a touch so near to the separation shows that it is the distance */
static const double SHALLOW =
    1e-5;                         /* an overlap of no more leaves by the first axis that holds it */
static const double APART = 1e-7; /* nearer cores give no direction */

/* ---- closed forms ----------------------------------------------------------------------------- */

void mo_collide_cylinder_plane(const mo_placed *a, const mo_placed *b, double reach,
                               mo_touch_list *out)
{
    double up[3], down[3], above[3];
    mo_pose_vector(&b->pose, (const double[3]){0, 0, 1}, up);
    mo_vec3_scale(-1, up, down);
    mo_vec3_minus(a->pose.position, b->pose.position, above);
    const double height = mo_vec3_dot(above, up);
    mo_solid s;
    mo_flat flat;
    mo_solid_place(a, a->pose.position, &s);
    mo_solid_flat(&s, down, &flat);
    for (int k = 0; k < flat.count; ++k) {
        const double gap = height + mo_vec3_dot(flat.corner[k], up);
        if (gap <= reach) {
            double here[3], foot[3];
            mo_vec3_along(a->pose.position, 1, flat.corner[k], here);
            mo_vec3_along(here, -gap, up, foot);
            const int is_rim = flat.count > 2;
            mo_touch_between(here, foot, down, gap,
                             (uint32_t)(is_rim * RIM_TOUCHES + flat.label[k]), out);
        }
    }
}

/* The point of the cylinder's surface nearest to x, both in its frame, and the outward normal there; the distance is negative inside. */
static double nearest_on_cylinder(double radius, double half, const double x[3], double normal[3])
{
    const double rho = hypot(x[0], x[1]), out = rho - radius, above = fabs(x[2]) - half;
    double radial[3] = {1, 0, 0};
    if (rho > 0) {
        mo_vec3_set(radial, x[0] / rho, x[1] / rho, 0);
    }
    const double up = x[2] < 0 ? -1 : 1;
    if (out <= 0 && above <= 0) {
        if (above > out) {
            mo_vec3_set(normal, 0, 0, up);
            return above;
        }
        mo_vec3_copy(radial, normal);
        return out;
    }
    const double across = fmax(0, out), along = fmax(0, above), distance = hypot(across, along);
    mo_vec3_scale(across / distance, radial, normal);
    normal[2] = up * along / distance;
    return distance;
}

void mo_collide_ball_cylinder(const mo_placed *a, const mo_placed *b, double reach,
                              mo_touch_list *out)
{
    const mo_shape_def *def = &b->collider->def;
    const double radius = a->collider->def.radius;
    double x[3], normal[3], on_a[3], on_b[3];
    mo_pose_point_back(&b->pose, a->pose.position, x);
    const double distance = nearest_on_cylinder(def->radius, def->half[2], x, normal);
    if (distance - radius <= reach) {
        mo_pose_vector(&b->pose, normal, normal);
        mo_vec3_scale(-1, normal, normal);
        mo_vec3_along(a->pose.position, radius, normal, on_a);
        mo_vec3_along(a->pose.position, distance, normal, on_b);
        mo_touch_between(on_a, on_b, normal, distance - radius, 0, out);
    }
}

/* ---- axes ------------------------------------------------------------------------------------- */

typedef struct search {
    const mo_solid *a, *b;
    mo_axis best;
} search;

static void look_along(search *s, const double d[3], double shortest)
{
    mo_axis_try(s->a, s->b, d, shortest, &s->best);
}

static void look_both_ways(search *s, const double d[3], double shortest)
{
    double back[3];
    mo_vec3_scale(-1, d, back);
    look_along(s, d, shortest);
    look_along(s, back, shortest);
}

/* From the axis of the cylinder to the point. */
static void look_at_point(search *s, const mo_core *cylinder, const double x[3], int is_turned)
{
    double to[3];
    mo_vec3_minus(x, cylinder->centre, to);
    mo_vec3_along(to, -mo_vec3_dot(to, cylinder->axis), cylinder->axis, to);
    mo_vec3_scale(is_turned ? -1 : 1, to, to);
    look_along(s, to, 1e-9 * cylinder->radius);
}

static void edge_of(const mo_solid *s, int k, double along[3])
{
    const mo_hull_edge *edge = s->hull->edge + k;
    mo_vec3_minus(s->vertex[edge->vertex[1]], s->vertex[edge->vertex[0]], along);
}

static void look_at_hull(search *s)
{
    const mo_solid *b = s->b;
    double d[3], e[3];
    for (int k = 0; k < b->hull->face_count; ++k) {
        mo_vec3_scale(-1, b->plane[k], d);
        look_along(s, d, 0);
    }
    for (int k = 0; k < b->hull->edge_count; ++k) {
        edge_of(b, k, e);
        mo_vec3_cross(s->a->core.axis, e, d);
        look_both_ways(s, d, 1e-6 * mo_vec3_norm(e));
    }
    for (int k = 0; k < b->hull->vertex_count; ++k) {
        look_at_point(s, &s->a->core, b->vertex[k], 0);
    }
}

static void look_at_cylinder(search *s)
{
    const mo_core *a = &s->a->core, *b = &s->b->core;
    double d[3];
    look_both_ways(s, b->axis, 0);
    mo_vec3_cross(a->axis, b->axis, d);
    look_both_ways(s, d, 1e-6);
    for (int k = -1; k <= 1; ++k) {
        double x[3];
        mo_vec3_along(b->centre, k * b->half, b->axis, x);
        look_at_point(s, a, x, 0);
        mo_vec3_along(a->centre, k * a->half, a->axis, x);
        look_at_point(s, b, x, 1);
    }
}

static void look_at_flats(search *s)
{
    look_both_ways(s, s->a->core.axis, 0);
    if (s->b->hull) {
        look_at_hull(s);
    } else {
        look_at_cylinder(s);
    }
}

/* The circle of directions at right angles to e: samples, then a golden section about the best of them. */
static void look_round(search *s, const double e[3])
{
    const double length = mo_vec3_norm(e), step = 2 * acos(-1.0) / ARC_SAMPLES;
    const double shrink = 0.5 * (sqrt(5.0) - 1);
    double unit[3], u[3], w[3], best = -INFINITY, at = 0;
    if (!(length > 0)) {
        return;
    }
    mo_vec3_scale(1 / length, e, unit);
    mo_vec3_tangents(unit, u, w);
#define GAP_AT(angle, n)                                                                           \
    (mo_vec3_scale(cos(angle), u, n), mo_vec3_along(n, sin(angle), w, n),                          \
     mo_core_gap(&s->a->core, &s->b->core, n))
    double n[3];
    for (int k = 0; k < ARC_SAMPLES; ++k) {
        const double gap = GAP_AT(k * step, n);
        if (gap > best) {
            best = gap;
            at = k * step;
        }
    }
    const double towards = atan2(mo_vec3_dot(s->best.normal, w), mo_vec3_dot(s->best.normal, u));
    if (GAP_AT(towards, n) > best) { /* what is known by now may be narrower than the samples */
        at = towards;
    }
    double low = at - step, high = at + step;
    double p = high - shrink * (high - low), q = low + shrink * (high - low);
    double at_p = GAP_AT(p, n), at_q = GAP_AT(q, n);
    for (int k = 0; k < ARC_STEPS; ++k) {
        if (at_p > at_q) {
            high = q;
            q = p;
            at_q = at_p;
            p = high - shrink * (high - low);
            at_p = GAP_AT(p, n);
        } else {
            low = p;
            p = q;
            at_p = at_q;
            q = low + shrink * (high - low);
            at_q = GAP_AT(q, n);
        }
    }
    GAP_AT(0.5 * (p + q), n);
#undef GAP_AT
    look_along(s, n, 0);
}

/* Over the sphere, from the best so far: steps to four sides, halved where none is better. */
static void climb(search *s, double step)
{
    while (step > 1e-9) {
        const mo_axis from = s->best;
        double t[3], o[3], d[3];
        mo_vec3_tangents(from.normal, t, o);
        for (int k = 0; k < 4; ++k) {
            mo_vec3_along(from.normal, k % 2 ? step : -step, k < 2 ? t : o, d);
            look_along(s, d, 0);
        }
        if (!(s->best.gap > from.gap)) {
            step *= 0.5;
        }
    }
}

/* Two rims have several axes that are best near by: start from between the flat ones too. */
static void look_between_flats(search *s)
{
    const mo_core *a = &s->a->core, *b = &s->b->core;
    search other = {.a = s->a, .b = s->b, .best = {.gap = -INFINITY}};
    double to[3], d[3];
    mo_vec3_minus(b->centre, a->centre, to);
    const double size = mo_vec3_norm(to);
    mo_vec3_scale(size > 0 ? 1 / size : 0, to, to);
    for (int k = 0; k < 18; ++k) { /* (-1, 0, 1) of each axis, (0, 1) of the line of centres */
        mo_vec3_scale(k % 3 - 1, a->axis, d);
        mo_vec3_along(d, k / 3 % 3 - 1, b->axis, d);
        mo_vec3_along(d, k / 9, to, d);
        look_along(&other, d, 1e-3);
    }
    climb(&other, 0.2);
    if (other.best.gap > s->best.gap) {
        s->best = other.best;
    }
}

/* From the point of either rim of a that is nearest to a corner of b. */
static void look_from_rims(search *s, const double corner[3])
{
    const mo_core *a = &s->a->core;
    double across[3], d[3];
    mo_vec3_minus(corner, a->centre, across);
    mo_vec3_along(across, -mo_vec3_dot(across, a->axis), a->axis, across);
    const double size = mo_vec3_norm(across);
    for (int k = -1; k <= 1 && size > 0; k += 2) {
        mo_vec3_minus(corner, a->centre, d);
        mo_vec3_along(d, -k * a->half, a->axis, d);
        mo_vec3_along(d, -a->radius / size, across, d);
        look_along(s, d, 0);
    }
}

static void look_at_arcs(search *s)
{
    if (s->b->hull) {
        for (int k = 0; k < s->b->hull->vertex_count; ++k) {
            look_from_rims(s, s->b->vertex[k]);
        }
        for (int k = 0; k < s->b->hull->edge_count; ++k) {
            double e[3];
            edge_of(s->b, k, e);
            look_round(s, e);
        }
    } else {
        look_round(s, s->a->core.axis);
        look_round(s, s->b->core.axis);
        look_between_flats(s);
    }
    climb(s, 0.2);
}

/* ---- touches ---------------------------------------------------------------------------------- */

/* A corner of b above the cap, beyond the polygon that stands for its rim. */
static double touch_near_rim(const mo_solid *a, const mo_flat *cap, const mo_flat *of_b,
                             const double n[3], const double origin[3], double reach,
                             mo_touch_list *out)
{
    double least = INFINITY;
    for (int k = 0; cap->count > 2 && k < of_b->count; ++k) {
        const double *x = of_b->corner[k];
        const double gap =
            (mo_vec3_dot(cap->plane, x) - cap->plane[3]) / mo_vec3_dot(cap->plane, n);
        double foot[3], to[3];
        mo_vec3_along(x, -gap, n, foot);
        mo_vec3_minus(foot, a->core.centre, to);
        mo_vec3_along(to, -mo_vec3_dot(to, a->core.axis), a->core.axis, to);
        int is_outside = 0;
        for (int i = 0; i < cap->count; ++i) {
            const double *p = cap->corner[i], *q = cap->corner[(i + 1) % cap->count];
            double side[3], along[3], from[3];
            mo_vec3_minus(q, p, along);
            mo_vec3_cross(along, cap->plane, side);
            mo_vec3_minus(foot, p, from);
            is_outside |= mo_vec3_dot(side, from) > ON_SIDE * a->size * mo_vec3_norm(side);
        }
        if (is_outside && mo_vec3_norm(to) <= a->core.radius) {
            least = fmin(least, gap);
            if (gap <= reach) {
                double here[3], there[3];
                mo_vec3_along(foot, 1, origin, here);
                mo_vec3_along(x, 1, origin, there);
                mo_touch_between(here, there, n, gap, 1u << 20 | (uint32_t)k, out);
            }
        }
    }
    return least;
}

static double touch_along(const search *s, const mo_axis *axis, const double origin[3], double size,
                          double reach, mo_touch_list *out)
{
    mo_flat of_a, of_b;
    const double *n = axis->normal;
    double against[3];
    mo_vec3_scale(-1, n, against);
    mo_solid_flat(s->a, n, &of_a);
    mo_solid_flat(s->b, against, &of_b);
    const double least = mo_manifold(&of_a, &of_b, axis, origin, ON_SIDE * size, reach, out);
    return fmin(least, touch_near_rim(s->a, &of_a, &of_b, n, origin, reach, out));
}

static void touch_at(const double on_a[3], const double on_b[3], const double normal[3], double gap,
                     const double origin[3], uint32_t feature, mo_touch_list *out)
{
    double p[3], q[3];
    mo_vec3_along(on_a, 1, origin, p);
    mo_vec3_along(on_b, 1, origin, q);
    mo_touch_between(p, q, normal, gap, feature, out);
}

/* Two caps whose rims overlap in a sliver: its middle. */
static int touch_caps(const search *s, const double origin[3], mo_touch_list *out)
{
    const mo_core *a = &s->a->core, *b = &s->b->core;
    const double *n = s->best.normal;
    if (s->b->hull || fabs(mo_vec3_dot(a->axis, n)) < 0.999 ||
        fabs(mo_vec3_dot(b->axis, n)) < 0.999) {
        return 0;
    }
    double across[3], on_a[3], on_b[3];
    mo_vec3_minus(b->centre, a->centre, across);
    mo_vec3_along(across, -mo_vec3_dot(across, n), n, across);
    const double d = mo_vec3_norm(across), middle = 0.5 * (d - b->radius + a->radius);
    mo_vec3_along(a->centre, a->half, n, on_a);
    mo_vec3_along(on_a, d > 0 ? middle / d : 0, across, on_a);
    mo_vec3_along(on_a, s->best.gap, n, on_b);
    touch_at(on_a, on_b, n, s->best.gap, origin, 1u << 21, out);
    return 1;
}

/* One point on the axis that was found: that of a rim, or of a side or a cap where the other shape meets it. */
static void touch_deepest(const search *s, const double origin[3], double size, mo_touch_list *out)
{
    const double *n = s->best.normal, slope = fabs(mo_vec3_dot(n, s->a->core.axis));
    double on_a[3], on_b[3];
    if (touch_caps(s, origin, out)) {
        return;
    }
    if (slope > 1e-6 && slope < 1 - 1e-12) {
        mo_core_support(&s->a->core, n, on_a);
    } else {
        mo_solid_meet(s->a, s->b, &s->best, size, on_a);
    }
    mo_vec3_along(on_a, s->best.gap, n, on_b);
    touch_at(on_a, on_b, n, s->best.gap, origin, 1u << 21, out);
}

/* The axis between two points, where it separates the cores more than the best so far. */
static void look_between(search *s, const double on_a[3], const double on_b[3])
{
    double d[3];
    mo_vec3_minus(on_b, on_a, d);
    look_along(s, d, 0);
}

static void touch_cores(search *s, const double origin[3], double size, double reach,
                        mo_touch_list *out)
{
    const int before = out->count;
    look_at_flats(s);
    if (!(s->best.gap > -INFINITY && s->best.gap <= reach)) { /* no numbers have no axis */
        return;
    }
    const double least = touch_along(s, &s->best, origin, size, reach, out);
    if (least <= s->best.gap + IS_NEAREST * size && s->best.gap > -SHALLOW * size) {
        return;
    }
    double on_a[3], on_b[3];
    out->count = before;
    const double distance = mo_gjk_distance(&s->a->core, &s->b->core, on_a, on_b);
    if (distance > APART * size) {
        look_between(s, on_a, on_b);
    }
    if (!(distance <=
          s->best.gap + IS_NEAREST * size)) { /* rims: near, but not to the last digit */
        look_at_arcs(s);
    }
    if (s->best.gap <= reach &&
        touch_along(s, &s->best, origin, size, reach, out) > s->best.gap + IS_NEAREST * size) {
        touch_deepest(s, origin, size, out);
    }
}

/* Between the cylinder and a core with a radius about it. */
void mo_collide_cylinder_solid(const mo_solid *a, const mo_solid *b, const double origin[3],
                               double reach, mo_touch_list *out)
{
    const int before = out->count;
    search s = {.a = a, .b = b, .best = {.gap = -INFINITY}};
    touch_cores(&s, origin, fmin(a->size, b->size), reach + b->radius, out);
    for (int k = before; k < out->count; ++k) {
        mo_touch *touch = out->touch + k;
        touch->gap -= b->radius;
        mo_vec3_along(touch->point, -0.5 * b->radius, touch->normal, touch->point);
    }
}

void mo_collide_cylinder_convex(const mo_placed *a, const mo_placed *b, double reach,
                                mo_touch_list *out)
{
    /* A cylinder comes after a box and a capsule and before a hull in the order of kinds. */
    const int is_first = a->collider->def.kind == MO_SHAPE_CYLINDER;
    const int before = out->count;
    mo_solid sa, sb;
    mo_solid_place(is_first ? a : b, a->pose.position, &sa);
    mo_solid_place(is_first ? b : a, a->pose.position, &sb);
    mo_collide_cylinder_solid(&sa, &sb, a->pose.position, reach, out);
    for (int k = before; !is_first && k < out->count; ++k) {
        mo_vec3_scale(-1, out->touch[k].normal, out->touch[k].normal);
    }
}
