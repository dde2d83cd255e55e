/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Axes (axis.h) at the rims of cylinders: of a rim and an edge, the axis of a cylinder or another
 * rim, by Newton's method on t.(y - x) = u.(y - x) = 0, and of a rim and a corner.
 */
#include <math.h>

#include "collide/axis.h"
#include "linalg/vec3.h"

enum { NEWTON_STEPS = 12 };

/* relative to the smaller size: the error left is the square of the last step */
static const double NEWTON_ENDS = 1e-8;
static const double IS_CAP = 0.9; /* cosine above which the direction meets the cap of a cylinder */
static const double IS_SIDE = 0.1; /* cosine below which the direction meets its side */

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
    if (!(length > 1e-9)) return 0;
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

/* By a length along a line, by an angle on a circle of tangent `by`: enough for Newton. */
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
MO_OWN void try_curves(mo_axis_search *s, curve *p, curve *q)
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
        if (!(fabs(det) > 1e-14 * scale * scale)) return;
        const double by_p = -(h11 * g0 - h01 * g1) / det, by_q = -(h00 * g1 - h01 * g0) / det;
        move(p, by_p);
        move(q, by_q);
        has_ended = fabs(by_p) * speed_p + fabs(by_q) * speed_q < NEWTON_ENDS * s->size;
    }
    mo_vec3_cross(p->along, q->along, m);
    const double length = mo_vec3_norm(m);
    if (!(length > MO_SAME_TANGENT)) return;
    mo_vec3_scale((mo_vec3_dot(m, s->best.normal) < 0 ? -1 : 1) / length, m, m);
    mo_axis_consider_points(s, m, p->x, q->x, p->inside + q->inside,
                            has_ended && is_there(p, 1, m) && is_there(q, -1, m));
}

/*
 * Where the line crosses the rim, seen along its axis: a line that lies nearly flat on a cap
 * touches there, and the point of the rim along n may be a quarter of a turn from it.
 */
MO_OWN void try_crossings(mo_axis_search *s, const mo_feature *round, const mo_feature *other,
                          int k, int is_turned)
{
    double from[3], along[3];
    mo_vec3_minus(other->on_line, round->rim, from);
    mo_vec3_along(from, -mo_vec3_dot(from, round->axis), round->axis, from);
    mo_vec3_along(other->line[k], -mo_vec3_dot(other->line[k], round->axis), round->axis, along);
    const double aa = mo_vec3_dot(along, along), ab = mo_vec3_dot(along, from),
                 bb = mo_vec3_dot(from, from) - round->rim_radius * round->rim_radius;
    const double square = ab * ab - aa * bb;
    for (int end = 0; end < 2 && aa > MO_SAME_TANGENT && square > 0 && !s->is_better; ++end) {
        double to[3];
        curve rim, line;
        mo_vec3_along(from, (-ab + (end ? 1 : -1) * sqrt(square)) / aa, along, to);
        if (rim_curve(round, to, &rim)) {
            line_curve(other, k, rim.x, &line);
            try_curves(s, is_turned ? &line : &rim, is_turned ? &rim : &line);
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
    if (fabs(mo_vec3_dot(n, d)) > IS_SIDE) return;
    mo_vec3_minus(other->on_line, round->on_line, to);
    const double de = mo_vec3_dot(d, e), part = 1 - de * de;
    const double at = mo_vec3_dot(d, to) - de * mo_vec3_dot(e, to); /* times that part */
    if (at > part * round->to[0] || at < part * round->from[0])
        mo_vec3_along(round->on_line, at < 0 ? round->from[0] : round->to[0], d, round->rim);
}

/* The rim of one with the lines of the other, and, where they are apart, with its corner. */
MO_OWN void try_rim(mo_axis_search *s, const double n[3], int is_turned)
{
    mo_feature *round = is_turned ? &s->of_b : &s->of_a;
    const mo_feature *other = is_turned ? &s->of_a : &s->of_b;
    double out[3], to[3];
    curve rim, line;
    mo_vec3_scale(is_turned ? -1 : 1, n, out);
    for (int k = 0; k < other->lines && !mo_axis_is_proven(s); ++k) {
        choose_rim(round, other, k, n);
        if (rim_curve(round, out, &rim)) {
            line_curve(other, k, rim.x, &line);
            try_curves(s, is_turned ? &line : &rim, is_turned ? &rim : &line);
        }
        if (!s->is_better && fabs(mo_vec3_dot(n, round->axis)) > IS_CAP)
            try_crossings(s, round, other, k, is_turned);
    }
    if (!other->is_vertex || mo_axis_is_proven(s)) return;
    mo_vec3_minus(other->point, round->rim, to);
    if (!rim_curve(round, to, &rim)) return;
    mo_vec3_minus(other->point, rim.x, to);
    const double length = mo_vec3_norm(to);
    if (length > 1e-9 * s->size) {
        mo_vec3_scale((is_turned ? -1 : 1) / length, to, to);
        mo_axis_consider_points(s, to, is_turned ? other->point : rim.x,
                                is_turned ? rim.x : other->point, 0, 1);
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
MO_OWN void try_two_rims(mo_axis_search *s, const double n[3])
{
    const mo_feature *a = &s->of_a, *b = &s->of_b;
    curve p, q;
    double against[3];
    mo_vec3_scale(-1, n, against);
    const int has_p = rim_curve(a, n, &p), has_q = rim_curve(b, against, &q);
    if (has_p && has_q) {
        try_curves(s, &p, &q);
        return;
    }
    int is_there = has_p ? rim_towards(b, p.x, &q) : has_q && rim_towards(a, q.x, &p);
    for (int k = 0; k < 2 && is_there; ++k)
        is_there = rim_towards(a, q.x, &p) && rim_towards(b, p.x, &q);
    if (is_there) try_curves(s, &p, &q);
}

/* First the rim that points at the side of the other. */
MO_EVERYWHERE void mo_axis_try_rims(mo_axis_search *s, const double n[3])
{
    const int both = s->of_a.has_rim && s->of_b.has_rim;
    const int begin = both ? fabs(mo_vec3_dot(n, s->of_b.axis)) > fabs(mo_vec3_dot(n, s->of_a.axis))
                           : s->of_b.has_rim;
    try_rim(s, n, begin);
    if (both && !mo_axis_is_proven(s)) try_rim(s, n, !begin);
    if (both && !mo_axis_is_proven(s)) try_two_rims(s, n);
}
