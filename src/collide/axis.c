/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The axis of two cores, refined: see axis.h. */
#include "collide/axis.h"

#include <math.h>

#include "linalg/vec3.h"

enum { AXIS_STEPS = 16, NEWTON_STEPS = 12 };

/* Of the smaller size. */
static const double BETTER =
    1e-10; /* margin of curves over faces, so that bodies at rest keep their axis */
static const double HARDLY = 1e-3;      /* an overlap so small has one axis alone */
static const double IS_SUPPORT = 1e-9;  /* points so little behind another are as far along m */
static const double LEVEL = 1e-12;      /* sine: an edge that rises no more is level */
static const double NEWTON_ENDS = 1e-8; /* a step so short leaves its square */
static const double LEAN = 1e-7;
static const double ON_CAP = 0.9;  /* cosine: nearer to the axis of a cylinder, it is its cap */
static const double ON_SIDE = 0.1; /* cosine: further from it, it is its side */
static const double SAME_TANGENT = 1e-6; /* sine: below it two tangents have no normal */

/* Does the corner of the feature lie furthest along m, too? */
MO_OWN int stays(const mo_feature *f, double sign, const double m[3])
{
    for (int k = 0; k < f->lines; ++k) {
        if (sign * mo_vec3_dot(f->line[k], m) > LEVEL) {
            return 0;
        }
    }
    return 1;
}

/*
 * The separation along m; -infinity where it is not that of the current corners, whose neighbours
 * have their turn later.
 */
MO_OWN double gap_along(mo_axis_search *s, const double m[3])
{
    const int knows_a = s->of_a.is_whole, knows_b = s->of_b.is_whole;
    double against[3], on_a[3], on_b[3];
    if ((knows_a && !stays(&s->of_a, 1, m)) || (knows_b && !stays(&s->of_b, -1, m))) {
        return -INFINITY;
    }
    if (knows_a && knows_b) {
        return mo_vec3_dot(m, s->between);
    }
    mo_vec3_scale(-1, m, against);
    mo_vec3_copy(s->of_a.point, on_a);
    mo_vec3_copy(s->of_b.point, on_b);
    if (!knows_a) {
        mo_core_support(s->a, m, on_a);
    }
    if (!knows_b) {
        mo_core_support(s->b, against, on_b);
    }
    return mo_vec3_dot(m, on_b) - mo_vec3_dot(m, on_a);
}

/* Takes the unit vector m where it separates more than the best so far, by more than `by`. */
MO_OWN int consider(mo_axis_search *s, const double m[3], double by)
{
    if (!(mo_vec3_dot(m, s->between) > s->best.gap + by)) { /* no m has more than that */
        return 0;
    }
    const double gap = gap_along(s, m);
    if (!(gap > s->best.gap + by)) {
        return 0;
    }
    s->best.gap = gap;
    mo_vec3_copy(m, s->best.normal);
    s->best.has_points = s->best.is_face = 0;
    s->is_better = 1;
    return 1;
}

/*
 * Points of the cores, or of axes of cylinders, which lie `inside` by their radii: they count where
 * none is further along m.
 */
MO_OWN void consider_points(mo_axis_search *s, const double m[3], const double on_a[3],
                            const double on_b[3], double inside, int are_there)
{
    if (consider(s, m, BETTER * s->size)) {
        double apart[3];
        mo_vec3_minus(on_b, on_a, apart);
        s->best.has_points =
            are_there && mo_vec3_dot(m, apart) - inside <= s->best.gap + IS_SUPPORT * s->size;
        mo_vec3_copy(on_a, s->best.on_a);
        mo_vec3_copy(on_b, s->best.on_b);
    }
}

/* Two points of cores that are apart, or hardly overlap, with no more between the cores than
 * between the points. */
MO_OWN int is_proven(const mo_axis_search *s)
{
    return s->best.has_points && s->best.gap > -HARDLY * s->size;
}

/* ---- faces and straight lines ---------------------------------------------------------------- */

MO_OWN void look_at_normals(mo_axis_search *s)
{
    for (int k = 0; k < s->of_a.normals; ++k) {
        s->best.is_face |= consider(s, s->of_a.normal[k], 0);
    }
    for (int k = 0; k < s->of_b.normals; ++k) {
        double m[3];
        mo_vec3_scale(-1, s->of_b.normal[k], m);
        s->best.is_face |= consider(s, m, 0);
    }
}

/*
 * Where line i of a and line j of b, which are not parallel, pass each other: is it on both edges?
 */
MO_OWN int meet_lines(mo_axis_search *s, int i, int j)
{
    const mo_feature *a = &s->of_a, *b = &s->of_b;
    const double *d = a->line[i], *e = b->line[j];
    double to[3];
    mo_vec3_minus(b->on_line, a->on_line, to);
    const double de = mo_vec3_dot(d, e), dr = mo_vec3_dot(d, to), er = mo_vec3_dot(e, to);
    const double det = 1 - de * de, at_a = (dr - de * er) / det, at_b = (de * dr - er) / det;
    mo_vec3_along(a->on_line, at_a, d, s->best.on_a);
    mo_vec3_along(b->on_line, at_b, e, s->best.on_b);
    return at_a >= a->from[i] && at_a <= a->to[i] && at_b >= b->from[j] && at_b <= b->to[j];
}

MO_OWN void look_at_lines(mo_axis_search *s, const double n[3])
{
    for (int i = 0; i < s->of_a.lines; ++i) {
        for (int j = 0; j < s->of_b.lines; ++j) {
            const double *d = s->of_a.line[i], *e = s->of_b.line[j];
            double m[3];
            mo_vec3_cross(d, e, m);
            const double sign = mo_vec3_dot(m, n) < 0 ? -1 : 1, square = mo_vec3_dot(m, m);
            const double over = sign * mo_vec3_dot(m, s->between); /* of the best or less: */
            if (over * fabs(over) <= s->best.gap * fabs(s->best.gap) * square ||
                !(square > SAME_TANGENT * SAME_TANGENT)) { /* faces decide */
                continue;
            }
            mo_vec3_scale(sign / sqrt(square), m, m);
            if (consider(s, m, BETTER * s->size)) {
                s->best.has_points = meet_lines(s, i, j);
                if (is_proven(s)) {
                    return;
                }
            }
        }
    }
}

/* The perpendicular from the axis of a cylinder to a corner of the other. */
MO_OWN void look_from_axis(mo_axis_search *s, const mo_feature *cylinder, const mo_feature *other,
                           int is_turned)
{
    double to[3], foot[3];
    mo_vec3_minus(other->point, cylinder->on_line, to);
    const double at = mo_vec3_dot(to, cylinder->axis);
    mo_vec3_along(cylinder->on_line, at, cylinder->axis, foot);
    mo_vec3_minus(other->point, foot, to);
    const double length = mo_vec3_norm(to);
    if (length > 1e-9 * cylinder->rim_radius) {
        mo_vec3_scale((is_turned ? -1 : 1) / length, to, to);
        consider_points(s, to, is_turned ? other->point : foot, is_turned ? foot : other->point,
                        cylinder->rim_radius, fabs(at) <= cylinder->to[0]);
    }
}

/* ---- rims ------------------------------------------------------------------------------------ */

/* A line or a circle, with its point x and the unit tangent there. */
typedef struct curve {
    double x[3], along[3];
    double radius;            /* of a circle; 0 for a line */
    double centre[3], out[3]; /* of a circle; from its centre to the point, unit */
    double at, from, to;      /* for a line: position of its point, and the feature there */
    double inside;            /* for the axis of a cylinder: its radius */
} curve;

/* The rim of the feature, from its point along n. */
MO_OWN int rim_curve(const mo_feature *f, const double n[3], curve *c)
{
    c->inside = 0;
    c->radius = f->rim_radius;
    mo_vec3_copy(f->rim, c->centre);
    mo_vec3_along(n, -mo_vec3_dot(n, f->axis), f->axis, c->out);
    const double length = mo_vec3_norm(c->out);
    if (!(length > 1e-9)) {
        return 0;
    }
    mo_vec3_scale(1 / length, c->out, c->out);
    mo_vec3_cross(f->axis, c->out, c->along);
    mo_vec3_along(c->centre, c->radius, c->out, c->x);
    return 1;
}

MO_OWN void line_curve(const mo_feature *f, int k, const double near[3], curve *c)
{
    double to[3];
    c->inside = f->has_rim ? f->rim_radius : 0;
    c->radius = 0;
    mo_vec3_minus(near, f->on_line, to);
    c->at = mo_vec3_dot(to, f->line[k]);
    c->from = f->from[k];
    c->to = f->to[k];
    mo_vec3_along(f->on_line, c->at, f->line[k], c->x);
    mo_vec3_copy(f->line[k], c->along);
}

/* By a length along a line, by an angle on a circle: of tangent `by`, which is enough for Newton's
 * method. */
MO_OWN void move(curve *c, double by)
{
    if (!(c->radius > 0)) {
        c->at += by;
        mo_vec3_along(c->x, by, c->along, c->x);
        return;
    }
    by = by > 0.5 ? 0.5 : by < -0.5 ? -0.5 : by;
    const double cosine = 1 / sqrt(1 + by * by), sine = by * cosine;
    for (int k = 0; k < 3; ++k) {
        const double out = c->out[k], along = c->along[k];
        c->out[k] = cosine * out + sine * along;
        c->along[k] = cosine * along - sine * out;
        c->x[k] = c->centre[k] + c->radius * c->out[k];
    }
}

/* Is the point of the curve one of its shape, and furthest along sign * m?  Of a rim the point
 * across from that is as well at right angles to m. */
MO_OWN int is_there(const curve *c, double sign, const double m[3])
{
    return c->radius > 0 ? sign * mo_vec3_dot(c->out, m) > 0 : c->at >= c->from && c->at <= c->to;
}

/*
 * Newton's method for two points whose difference is at right angles to both tangents; then n is
 * across both.
 */
MO_OWN void look_at_curves(mo_axis_search *s, curve *p, curve *q)
{
    /* the derivatives of x by the parameter are speed * along and -radius * out */
    const double speed_p = p->radius > 0 ? p->radius : 1, speed_q = q->radius > 0 ? q->radius : 1;
    double d[3], m[3];
    int has_ended = 0;
    for (int step = 0; step < NEWTON_STEPS && !has_ended; ++step) {
        mo_vec3_minus(q->x, p->x, d);
        const double g0 = -speed_p * mo_vec3_dot(d, p->along),
                     g1 = speed_q * mo_vec3_dot(d, q->along);
        const double bend_p = p->radius > 0 ? p->radius * mo_vec3_dot(d, p->out) : 0,
                     bend_q = q->radius > 0 ? q->radius * mo_vec3_dot(d, q->out) : 0;
        const double h00 = speed_p * speed_p + bend_p, h11 = speed_q * speed_q - bend_q,
                     h01 = -speed_p * speed_q * mo_vec3_dot(p->along, q->along);
        const double det = h00 * h11 - h01 * h01, scale = speed_p * speed_q;
        if (!(fabs(det) > 1e-14 * scale * scale)) {
            return;
        }
        const double by_p = -(h11 * g0 - h01 * g1) / det, by_q = -(h00 * g1 - h01 * g0) / det;
        move(p, by_p);
        move(q, by_q);
        has_ended = fabs(by_p) * speed_p + fabs(by_q) * speed_q < NEWTON_ENDS * s->size;
    }
    mo_vec3_cross(p->along, q->along, m);
    const double length = mo_vec3_norm(m);
    if (!(length > SAME_TANGENT)) {
        return;
    }
    mo_vec3_scale((mo_vec3_dot(m, s->best.normal) < 0 ? -1 : 1) / length, m, m);
    consider_points(s, m, p->x, q->x, p->inside + q->inside,
                    has_ended && is_there(p, 1, m) && is_there(q, -1, m));
}

/*
 * Where the line crosses the rim, seen along its axis: a line that lies nearly flat on a cap
 * touches there, and the point of the rim along n may be a quarter of a turn from it.
 */
MO_OWN void look_at_crossings(mo_axis_search *s, const mo_feature *round, const mo_feature *other,
                              int k, int is_turned)
{
    double from[3], along[3];
    mo_vec3_minus(other->on_line, round->rim, from);
    mo_vec3_along(from, -mo_vec3_dot(from, round->axis), round->axis, from);
    mo_vec3_along(other->line[k], -mo_vec3_dot(other->line[k], round->axis), round->axis, along);
    const double aa = mo_vec3_dot(along, along), ab = mo_vec3_dot(along, from),
                 bb = mo_vec3_dot(from, from) - round->rim_radius * round->rim_radius;
    const double square = ab * ab - aa * bb;
    for (int end = 0; end < 2 && aa > SAME_TANGENT && square > 0 && !s->is_better; ++end) {
        double to[3];
        curve rim, line;
        mo_vec3_along(from, (-ab + (end ? 1 : -1) * sqrt(square)) / aa, along, to);
        if (rim_curve(round, to, &rim)) {
            line_curve(other, k, rim.x, &line);
            look_at_curves(s, is_turned ? &line : &rim, is_turned ? &rim : &line);
        }
    }
}

/*
 * Of a cylinder that turns its side, both rims are as far along n: the one beyond which its axis
 * passes the line of the other.
 */
MO_OWN void choose_rim(mo_feature *round, const mo_feature *other, int k, const double n[3])
{
    const double *d = round->axis, *e = other->line[k];
    double to[3];
    if (fabs(mo_vec3_dot(n, d)) > ON_SIDE) {
        return;
    }
    mo_vec3_minus(other->on_line, round->on_line, to);
    const double de = mo_vec3_dot(d, e), part = 1 - de * de;
    const double at = mo_vec3_dot(d, to) - de * mo_vec3_dot(e, to); /* times that part */
    if (at > part * round->to[0] || at < part * round->from[0]) {
        mo_vec3_along(round->on_line, at < 0 ? round->from[0] : round->to[0], d, round->rim);
    }
}

/* The rim of one with the lines of the other, and, where they are apart, with its corner. */
MO_OWN void look_at_rim(mo_axis_search *s, const double n[3], int is_turned)
{
    mo_feature *round = is_turned ? &s->of_b : &s->of_a;
    const mo_feature *other = is_turned ? &s->of_a : &s->of_b;
    double out[3], to[3];
    curve rim, line;
    mo_vec3_scale(is_turned ? -1 : 1, n, out);
    for (int k = 0; k < other->lines && !is_proven(s); ++k) {
        choose_rim(round, other, k, n);
        if (rim_curve(round, out, &rim)) {
            line_curve(other, k, rim.x, &line);
            look_at_curves(s, is_turned ? &line : &rim, is_turned ? &rim : &line);
        }
        if (!s->is_better && fabs(mo_vec3_dot(n, round->axis)) > ON_CAP) {
            look_at_crossings(s, round, other, k, is_turned);
        }
    }
    if (!other->is_vertex || is_proven(s)) {
        return;
    }
    mo_vec3_minus(other->point, round->rim, to);
    if (!rim_curve(round, to, &rim)) {
        return;
    }
    mo_vec3_minus(other->point, rim.x, to);
    const double length = mo_vec3_norm(to);
    if (length > 1e-9 * s->size) {
        mo_vec3_scale((is_turned ? -1 : 1) / length, to, to);
        consider_points(s, to, is_turned ? other->point : rim.x, is_turned ? rim.x : other->point,
                        0, 1);
    }
}

/* Moves the curve of a rim to its point nearest to x. */
MO_OWN int rim_towards(const mo_feature *f, const double x[3], curve *c)
{
    double to[3];
    mo_vec3_minus(x, f->rim, to);
    return rim_curve(f, to, c);
}

/* Two rims, from the points along n, or where n is the axis of one, from where they cross. */
MO_OWN void look_at_two_rims(mo_axis_search *s, const double n[3])
{
    const mo_feature *a = &s->of_a, *b = &s->of_b;
    curve p, q;
    double against[3];
    mo_vec3_scale(-1, n, against);
    const int has_p = rim_curve(a, n, &p), has_q = rim_curve(b, against, &q);
    if (has_p && has_q) {
        look_at_curves(s, &p, &q);
        return;
    }
    int is_there = has_p ? rim_towards(b, p.x, &q) : has_q && rim_towards(a, q.x, &p);
    for (int k = 0; k < 2 && is_there; ++k) {
        is_there = rim_towards(a, q.x, &p) && rim_towards(b, p.x, &q);
    }
    if (is_there) {
        look_at_curves(s, &p, &q);
    }
}

/* First the rim that points at the side of the other. */
MO_OWN void look_at_rims(mo_axis_search *s, const double n[3])
{
    const int both = s->of_a.has_rim && s->of_b.has_rim;
    const int begin = both ? fabs(mo_vec3_dot(n, s->of_b.axis)) > fabs(mo_vec3_dot(n, s->of_a.axis))
                           : s->of_b.has_rim;
    look_at_rim(s, n, begin);
    if (both && !is_proven(s)) {
        look_at_rim(s, n, !begin);
    }
    if (both && !is_proven(s)) {
        look_at_two_rims(s, n);
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

/*
 * The features along n; but of points that are equally far, the one nearest to the other core: the
 * direction leans that way by a trace.
 */
MO_OWN void take_features(mo_axis_search *s, const double n[3], double lean)
{
    double along[3], against[3];
    mo_vec3_copy(n, along);
    if (lean > 0) {
        mo_vec3_minus(s->of_b.point, s->of_a.point, along);
        mo_vec3_along(along, -mo_vec3_dot(along, n), n, along);
        const double length = mo_vec3_norm(along);
        mo_vec3_along(n, length > 0 ? lean / length : 0, along, along);
    }
    mo_vec3_scale(-1, along, against);
    mo_core_feature(s->a, along, &s->of_a);
    mo_core_feature(s->b, against, &s->of_b);
    mo_vec3_minus(s->of_b.point, s->of_a.point, s->between);
}

MO_EVERYWHERE void mo_axis_begin(mo_axis_search *s, mo_core *a, mo_core *b, const double normal[3])
{
    s->a = a;
    s->b = b;
    s->size = a->size < b->size ? a->size : b->size;
    s->steps = 0;
    s->best.gap = -INFINITY;
    s->best.has_points = s->best.is_face = 0;
    mo_vec3_copy(normal, s->best.normal);
}

MO_EVERYWHERE int mo_axis_step(mo_axis_search *s)
{
    double n[3];
    mo_vec3_copy(s->best.normal, n);
    take_features(s, n, s->steps > 0 ? LEAN : 0);
    if (s->steps++ == 0) {
        s->best.gap = mo_vec3_dot(n, s->between);
    }
    s->is_better = 0;
    look_at_normals(s);
    look_at_lines(s, n);
    if (s->of_a.has_rim && s->of_b.is_vertex) {
        look_from_axis(s, &s->of_a, &s->of_b, 0);
    }
    if (s->of_b.has_rim && s->of_a.is_vertex) {
        look_from_axis(s, &s->of_b, &s->of_a, 1);
    }
    if (!s->is_better && (s->of_a.has_rim || s->of_b.has_rim)) {
        look_at_rims(s, n);
    }
    return s->is_better;
}

MO_EVERYWHERE void mo_axis_refine(mo_core *a, mo_core *b, mo_axis *axis)
{
    mo_axis_search s;
    mo_axis_begin(&s, a, b, axis->normal);
    while (mo_axis_step(&s) && !s.best.has_points && s.steps < AXIS_STEPS) {
    }
    *axis = s.best;
}
