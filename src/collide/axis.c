/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The axis of two cores, refined: see axis.h. */
#include "collide/axis.h"

#include <math.h>

#include "linalg/vec3.h"

enum { AXIS_STEPS = 16 };

static const double IS_SUPPORT =
    1e-9; /* relative to the smaller size: points within this distance are equally far along m */
static const double LEVEL = 1e-12; /* sine: edges with a smaller slope count as level */
static const double LEAN = 1e-7;

/* Is the corner of the feature furthest along m as well? */
MO_OWN int stays(const mo_feature *f, double sign, const double m[3])
{
    for (int k = 0; k < f->lines; ++k)
        if (sign * mo_vec3_dot(f->line[k], m) > LEVEL) return 0;
    return 1;
}

/*
 * The separation along m; -infinity unless it is that of the current corners (their neighbours are
 * tried later).
 */
MO_OWN double gap_along(mo_axis_search *s, const double m[3])
{
    const int knows_a = s->of_a.is_whole, knows_b = s->of_b.is_whole;
    double against[3], on_a[3], on_b[3];
    if ((knows_a && !stays(&s->of_a, 1, m)) || (knows_b && !stays(&s->of_b, -1, m)))
        return -INFINITY;
    if (knows_a && knows_b) return mo_vec3_dot(m, s->between);
    mo_vec3_scale(-1, m, against);
    mo_vec3_copy(s->of_a.point, on_a);
    mo_vec3_copy(s->of_b.point, on_b);
    if (!knows_a) mo_core_support(s->a, m, on_a);
    if (!knows_b) mo_core_support(s->b, against, on_b);
    return mo_vec3_dot(m, on_b) - mo_vec3_dot(m, on_a);
}

MO_EVERYWHERE int mo_axis_consider(mo_axis_search *s, const double m[3], double by)
{
    if (!(mo_vec3_dot(m, s->between) > s->best.gap + by)) /* an upper bound for all m */
        return 0;
    const double gap = gap_along(s, m);
    if (!(gap > s->best.gap + by)) return 0;
    s->best.gap = gap;
    mo_vec3_copy(m, s->best.normal);
    s->best.has_points = s->best.is_face = 0;
    s->is_better = 1;
    return 1;
}

MO_EVERYWHERE void mo_axis_consider_points(mo_axis_search *s, const double m[3],
                                           const double on_a[3], const double on_b[3],
                                           double inside, int are_there)
{
    if (mo_axis_consider(s, m, MO_BETTER_AXIS * s->size)) {
        double apart[3];
        mo_vec3_minus(on_b, on_a, apart);
        s->best.has_points =
            are_there && mo_vec3_dot(m, apart) - inside <= s->best.gap + IS_SUPPORT * s->size;
        mo_vec3_copy(on_a, s->best.on_a);
        mo_vec3_copy(on_b, s->best.on_b);
    }
}

/* ---- faces and straight lines ---------------------------------------------------------------- */

MO_OWN void try_normals(mo_axis_search *s)
{
    for (int k = 0; k < s->of_a.normals; ++k)
        s->best.is_face |= mo_axis_consider(s, s->of_a.normal[k], 0);
    for (int k = 0; k < s->of_b.normals; ++k) {
        double m[3];
        mo_vec3_scale(-1, s->of_b.normal[k], m);
        s->best.is_face |= mo_axis_consider(s, m, 0);
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

/* Line i of a and line j of b: false if that ends the search. */
MO_OWN int try_line_pair(mo_axis_search *s, int i, int j, const double n[3])
{
    double m[3];
    mo_vec3_cross(s->of_a.line[i], s->of_b.line[j], m);
    const double sign = mo_vec3_dot(m, n) < 0 ? -1 : 1, square = mo_vec3_dot(m, m);
    const double over = sign * mo_vec3_dot(m, s->between); /* of the best or less: */
    if (over * fabs(over) <= s->best.gap * fabs(s->best.gap) * square ||
        !(square > MO_SAME_TANGENT * MO_SAME_TANGENT)) /* faces decide */
        return 1;
    mo_vec3_scale(sign / sqrt(square), m, m);
    if (mo_axis_consider(s, m, MO_BETTER_AXIS * s->size)) s->best.has_points = meet_lines(s, i, j);
    return !mo_axis_is_proven(s);
}

MO_OWN void try_lines(mo_axis_search *s, const double n[3])
{
    for (int i = 0; i < s->of_a.lines; ++i) {
        for (int j = 0; j < s->of_b.lines; ++j)
            if (!try_line_pair(s, i, j, n)) return;
    }
}

/* ---- polyhedra ------------------------------------------------------------------------------- */

/* For each line of `one`, bits of the normals of `other` that it rises along, and falls along. */
MO_OWN void rise_and_fall(const mo_feature *one, const mo_feature *other,
                          uint32_t up[MO_CORE_AROUND], uint32_t down[MO_CORE_AROUND])
{
    for (int i = 0; i < MO_CORE_AROUND; ++i)
        up[i] = down[i] = 0;
    for (int i = 0; i < one->lines; ++i) {
        for (int k = 0; k < other->normals; ++k) {
            const double rise = mo_vec3_dot(one->line[i], other->normal[k]);
            up[i] |= (uint32_t)(rise > LEVEL) << k;
            down[i] |= (uint32_t)(rise < -LEVEL) << k;
        }
    }
}

/* Normals of faces of one, along which the corner of the other, with these falls, is furthest. */
MO_OWN void try_own_faces(mo_axis_search *s, const mo_feature *one, const mo_feature *other,
                          const uint32_t down[MO_CORE_AROUND], double sign)
{
    uint32_t fails = 0;
    for (int j = 0; j < other->lines; ++j)
        fails |= down[j];
    for (int k = 0; k < one->normals; ++k) {
        const double gap = sign * mo_vec3_dot(one->normal[k], s->between);
        if (!(fails >> k & 1) && gap > s->best.gap) {
            s->best.gap = gap;
            mo_vec3_scale(sign, one->normal[k], s->best.normal);
            s->best.has_points = 0;
            s->best.is_face = s->is_better = 1;
        }
    }
}

/*
 * Two corners whose edges and faces are all known.  The normals along which a corner is furthest
 * are a polygon on the sphere, with a vertex for each face and a side for each edge.  A normal
 * across two edges is a point at which a side of the one polygon crosses a side of the other,
 * mirrored: the faces at each edge lie on both sides of the other edge.
 */
MO_OWN void try_corners(mo_axis_search *s, const double n[3])
{
    const mo_feature *a = &s->of_a, *b = &s->of_b;
    uint32_t up_a[MO_CORE_AROUND], down_a[MO_CORE_AROUND], up_b[MO_CORE_AROUND],
        down_b[MO_CORE_AROUND];
    rise_and_fall(a, b, up_a, down_a);
    rise_and_fall(b, a, up_b, down_b);
    try_own_faces(s, a, b, down_b, 1);
    try_own_faces(s, b, a, down_a, -1);
    for (int i = 0; i < a->lines; ++i) {
        for (int j = 0; j < b->lines; ++j) {
            const uint32_t of_a = a->sides[i], of_b = b->sides[j];
            const int is_beside = ((up_a[i] & of_b) == of_b) | ((down_a[i] & of_b) == of_b) |
                                  ((up_b[j] & of_a) == of_a) | ((down_b[j] & of_a) == of_a);
            if (!is_beside && !try_line_pair(s, i, j, n)) return;
        }
    }
}

/* ---- axes of cylinders ----------------------------------------------------------------------- */

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
        mo_axis_consider_points(s, to, is_turned ? other->point : foot,
                                is_turned ? foot : other->point, cylinder->rim_radius,
                                fabs(at) <= cylinder->to[0]);
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

/*
 * The features along n; but of points that are equally far, the one nearest to the other core, by a
 * slight tilt of the direction.
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
    if (s->steps++ == 0) s->best.gap = mo_vec3_dot(n, s->between);
    s->is_better = 0;
    if (s->of_a.has_sides && s->of_b.has_sides) {
        try_corners(s, n);
    } else {
        try_normals(s);
        try_lines(s, n);
    }
    if (s->of_a.has_rim && s->of_b.is_vertex) look_from_axis(s, &s->of_a, &s->of_b, 0);
    if (s->of_b.has_rim && s->of_a.is_vertex) look_from_axis(s, &s->of_b, &s->of_a, 1);
    if (!s->is_better && (s->of_a.has_rim || s->of_b.has_rim)) mo_axis_try_rims(s, n);
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
