/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Overlaps of faces, lines and points: see manifold.h. */
#include "collide/manifold.h"

#include <math.h>

#include "linalg/vec3.h"

static const double SAME_NORMAL = 1 - 1e-6; /* cosine */
/* below this the face is nearly parallel to the axis and defines no heights */
static const double STEEP = 0.02;

/* ---- clipping -------------------------------------------------------------------------------- */

/* Clips to n.x <= offset, with a tolerance; false if all of it is inside, and *out is not set. */
MO_OWN int clip_polygon(const mo_flat *in, const double n[3], double offset, double tolerance,
                        int label, mo_flat *out)
{
    double height[MO_FLAT_CORNERS];
    int inside = 0;
    for (int k = 0; k < in->count; ++k) {
        height[k] = mo_vec3_dot(n, in->corner[k]) - offset;
        inside += height[k] <= tolerance;
    }
    if (inside == in->count) return 0;
    out->count = 0;
    for (int k = 0; k < in->count; ++k) {
        const int next = k + 1 < in->count ? k + 1 : 0;
        const double here = height[k], there = height[next];
        if (here <= tolerance) {
            mo_vec3_copy(in->corner[k], out->corner[out->count]);
            out->label[out->count++] = in->label[k];
        }
        if ((here <= tolerance) != (there <= tolerance)) {
            double d[3];
            mo_vec3_minus(in->corner[next], in->corner[k], d);
            mo_vec3_along(in->corner[k], mo_part(here / (here - there)), d,
                          out->corner[out->count]);
            out->label[out->count++] =
                here <= tolerance ? label : in->label[k]; /* going out, or coming in again */
        }
    }
    return 1;
}

/* Likewise a line or a point; label[k] names the end k. */
MO_OWN void clip_line(const mo_flat *in, const double n[3], double offset, double tolerance,
                      int label, mo_flat *out)
{
    double height[2] = {0, 0};
    int inside = 0;
    out->count = in->count;
    for (int k = 0; k < in->count; ++k) {
        height[k] = mo_vec3_dot(n, in->corner[k]) - offset;
        inside += height[k] <= tolerance;
        mo_vec3_copy(in->corner[k], out->corner[k]);
        out->label[k] = in->label[k];
    }
    if (inside == 0) {
        out->count = 0;
    } else if (inside < in->count) {
        const int outer = height[1] > tolerance;
        double d[3];
        mo_vec3_minus(in->corner[outer], in->corner[!outer], d);
        const double part = height[!outer] / (height[!outer] - height[outer]);
        mo_vec3_along(in->corner[!outer], mo_part(part), d, out->corner[outer]);
        out->label[outer] = label;
    }
}

/* Clips room[0], seen along n, to the sides of the base. */
MO_OWN const mo_flat *overlap(const mo_flat *base, const double n[3], double tolerance,
                              mo_flat room[2])
{
    mo_flat *now = room, *next = room + 1;
    for (int k = 0; k < base->count && now->count > 0; ++k) {
        const double *p = base->corner[k], *q = base->corner[k + 1 < base->count ? k + 1 : 0];
        double along[3], side[3];
        mo_vec3_minus(q, p, along);
        mo_vec3_cross(along, n, side);
        const double size = mo_vec3_norm(side);
        if (!(size > 0)) continue;
        mo_vec3_scale(1 / size, side, side);
        const int label = MO_FLAT_SIDES + base->label[k];
        if (now->count <= 2)
            clip_line(now, side, mo_vec3_dot(side, p), tolerance, label, next);
        else if (!clip_polygon(now, side, mo_vec3_dot(side, p), tolerance, label, next))
            continue;
        mo_flat *swap = now;
        now = next;
        next = swap;
    }
    return now;
}

MO_OWN void copy_flat(const mo_flat *from, mo_flat *to)
{
    to->count = from->count;
    memcpy(to->corner, from->corner, (size_t)from->count * sizeof *from->corner);
    memcpy(to->label, from->label, (size_t)from->count * sizeof *from->label);
}

/* ---- touches --------------------------------------------------------------------------------- */

MO_EVERYWHERE void mo_touch_about(const double on_a[3], const double on_b[3],
                                  const double normal[3], double gap, const double origin[3],
                                  uint32_t feature, mo_touch_list *out)
{
    double p[3], q[3];
    mo_vec3_along(on_a, 1, origin, p);
    mo_vec3_along(on_b, 1, origin, q);
    mo_touch_between(p, q, normal, gap, feature, out);
}

/* x on the moving one, `to` along the normal towards the base (unit). */
MO_OWN double touch_base(const mo_flat *base, const mo_flat *left, int k, const double to[3],
                         const mo_axis *axis, const double origin[3], double reach, int is_turned,
                         mo_touch_list *out)
{
    const double *x = left->corner[k];
    const double rise = mo_vec3_dot(base->plane, to);
    const double gap = fmax(axis->gap, (base->plane[3] - mo_vec3_dot(base->plane, x)) / rise);
    if (gap <= reach) {
        double here[3], foot[3];
        mo_vec3_along(x, 1, origin, here);
        mo_vec3_along(here, gap, to, foot);
        const int before = left->count > 2 ? left->label[(k + left->count - 1) % left->count] : 0;
        const uint32_t feature = (uint32_t)(is_turned << 19 | before << 9 | left->label[k]);
        mo_touch_between(here, foot, axis->normal, gap, feature, out);
    }
    return gap;
}

/* Two lines that run along each other. */
MO_OWN double touch_lines(const mo_flat *a, const mo_flat *b, const mo_axis *axis,
                          const double origin[3], double reach, mo_touch_list *out)
{
    const double *n = axis->normal;
    double d[3], e[3], cross[3], least = INFINITY;
    mo_vec3_minus(a->corner[1], a->corner[0], d);
    mo_vec3_minus(b->corner[1], b->corner[0], e);
    mo_vec3_cross(d, e, cross);
    const double d2 = mo_vec3_dot(d, d), e2 = mo_vec3_dot(e, e);
    if (!(mo_vec3_dot(cross, cross) < 1e-4 * d2 * e2)) /* half a degree */
        return INFINITY;
    double part[2];
    for (int k = 0; k < 2; ++k) {
        double to[3];
        mo_vec3_minus(b->corner[k], a->corner[0], to);
        part[k] = mo_vec3_dot(to, d) / d2;
    }
    if (fmax(part[0], part[1]) < 0 || fmin(part[0], part[1]) > 1) return INFINITY;
    for (int k = 0; k < 2; ++k) {
        const double want = mo_part(part[k]);
        double on_a[3], on_b[3], apart[3];
        mo_vec3_along(a->corner[0], want, d, on_a);
        mo_vec3_along(b->corner[0], (want - part[0]) / (part[1] - part[0]), e, on_b);
        mo_vec3_minus(on_b, on_a, apart);
        const double gap = fmax(axis->gap, mo_vec3_dot(apart, n));
        least = fmin(least, gap);
        if (gap <= reach) mo_touch_about(on_a, on_b, n, gap, origin, 1u << 18 | (uint32_t)k, out);
    }
    return least;
}

MO_EVERYWHERE double mo_manifold(const mo_flat *a, const mo_flat *b, const mo_axis *axis,
                                 const double origin[3], double tolerance, double reach,
                                 mo_touch_list *out)
{
    const double *normal = axis->normal;
    const int a_is_base = a->count > 2 && mo_vec3_dot(a->plane, normal) > STEEP;
    const int b_is_base = b->count > 2 && -mo_vec3_dot(b->plane, normal) > STEEP;
    if (!a_is_base && !b_is_base) {
        return a->count == 2 && b->count == 2 ? touch_lines(a, b, axis, origin, reach, out)
                                              : INFINITY;
    }
    const int is_turned = !a_is_base;
    const mo_flat *base = is_turned ? b : a;
    double out_of_base[3], to_base[3], least = INFINITY;
    mo_vec3_scale(is_turned ? -1 : 1, normal, out_of_base);
    mo_vec3_scale(-1, out_of_base, to_base);
    mo_flat room[2];
    copy_flat(is_turned ? a : b, room);
    const mo_flat *left = overlap(base, out_of_base, tolerance, room);
    for (int k = 0; k < left->count; ++k) {
        least =
            fmin(least, touch_base(base, left, k, to_base, axis, origin, reach, is_turned, out));
    }
    return least;
}

/* ---- a handful of many ----------------------------------------------------------------------- */

/*
 * Marks the touches to keep, the outermost in eight directions; all have the same normal.  One that
 * is further out than another, but higher by more than TILT of that, touches only after a turn by
 * as many radians, more than a step's.  Without this, a bevel above the corner of a face would take
 * the place of the corner in every step with a slightly longer reach.
 */
MO_OWN void mark_outermost(const mo_touch *touch, const int *member, int count, uint8_t *stays)
{
    static const double DIAGONAL = 0.70710678118654752440;
    static const double TILT = 0.1;
    double t[3], o[3];
    mo_vec3_tangents(touch[member[0]].normal, t, o);
    for (int way = 0; way < 9; ++way) { /* the last one: the deepest */
        static const double AT[9][2] = {{1, 0},   {1, 1},  {0, 1},  {-1, 1}, {-1, 0},
                                        {-1, -1}, {0, -1}, {1, -1}, {0, 0}};
        const double scale = AT[way][0] != 0 && AT[way][1] != 0 ? DIAGONAL : 1;
        double most = -INFINITY;
        int best = 0;
        for (int k = 0; k < count; ++k) {
            const mo_touch *now = touch + member[k];
            const double height = way == 8 ? -now->gap
                                           : scale * (AT[way][0] * mo_vec3_dot(now->point, t) +
                                                      AT[way][1] * mo_vec3_dot(now->point, o)) -
                                                 now->gap / TILT;
            if (height > most) {
                most = height;
                best = member[k];
            }
        }
        stays[best] = 1;
    }
}

MO_EVERYWHERE void mo_touches_reduce(mo_touch_list *list, int first)
{
    enum { MOST = 2 * MO_FLAT_CORNERS };
    const int count = list->count - first;
    uint8_t stays[MOST], is_seen[MOST];
    int member[MOST];
    if (count <= MO_TOUCHES_A_FACE || count > MOST) return;
    mo_touch *touch = list->touch + first;
    memset(stays, 0, (size_t)count);
    memset(is_seen, 0, (size_t)count);
    for (int k = 0; k < count; ++k) {
        int members = 0;
        for (int i = k; i < count && !is_seen[k]; ++i)
            if (!is_seen[i] && mo_vec3_dot(touch[i].normal, touch[k].normal) > SAME_NORMAL)
                member[members++] = i;
        for (int i = 0; i < members; ++i) {
            is_seen[member[i]] = 1;
            stays[member[i]] = members <= MO_TOUCHES_A_FACE;
        }
        if (members > MO_TOUCHES_A_FACE) mark_outermost(touch, member, members, stays);
    }
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (stays[k]) touch[kept++] = touch[k];
    list->count = first + kept;
}
