/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Any two convex cores: see convex.h. */
#include "collide/convex.h"

#include <math.h>

#include "collide/epa.h"
#include "collide/rods.h"
#include "linalg/vec3.h"

enum { NEAR_STEPS = 16 };

/* All relative to the smaller size. */
/* Corners outside by less than this are on the side: equal faces have four contacts, not eight. */
static const double ON_SIDE = 1e-6;
/* A touch whose gap is this close to the separation proves that it is the distance. */
static const double IS_NEAREST = 1e-10;
enum { MOST_CLIMBS = 8 };
static const double SHORTER = 0.25; /* relative to the previous step: the next trial */
/* Overlap of rods along the line of their segments: they are flat. */
static const double ASTRAY = 0.3;
static const double DEEP = 0.05; /* overlap above which another direction may be shorter */

MO_OWN double smaller(const mo_core *a, const mo_core *b)
{
    return a->size < b->size ? a->size : b->size;
}

/* ---- touches --------------------------------------------------------------------------------- */

/* Is x, on the plane of the polygon, outside it by more than `by`? */
MO_OWN int is_outside(const mo_flat *polygon, const double x[3], double by)
{
    for (int i = 0; i < polygon->count; ++i) {
        const double *p = polygon->corner[i], *q = polygon->corner[(i + 1) % polygon->count];
        double side[3], along[3], from[3];
        mo_vec3_minus(q, p, along);
        mo_vec3_cross(along, polygon->plane, side);
        mo_vec3_minus(x, p, from);
        if (mo_vec3_dot(side, from) > by * mo_vec3_norm(side)) return 1;
    }
    return 0;
}

/* Corners of b above the cap of the cylinder a, outside the polygon that approximates its rim. */
MO_OWN double touch_near_rim(const mo_core *a, const mo_flat *cap, const mo_flat *of_b,
                             const double n[3], const double origin[3], double reach,
                             mo_touch_list *out)
{
    const double axis[3] = {a->Q[2], a->Q[5], a->Q[8]};
    double least = INFINITY;
    for (int k = 0; k < of_b->count; ++k) {
        const double *x = of_b->corner[k];
        const double gap =
            (mo_vec3_dot(cap->plane, x) - cap->plane[3]) / mo_vec3_dot(cap->plane, n);
        double foot[3], to[3];
        mo_vec3_along(x, -gap, n, foot);
        mo_vec3_minus(foot, a->at, to);
        mo_vec3_along(to, -mo_vec3_dot(to, axis), axis, to);
        if (mo_vec3_norm(to) <= a->half[0] && is_outside(cap, foot, ON_SIDE * a->size)) {
            least = fmin(least, gap);
            if (gap <= reach) mo_touch_about(foot, x, n, gap, origin, 1u << 20 | (uint32_t)k, out);
        }
    }
    return least;
}

/* The touches of the two flats: see mo_touch_along. */
MO_OWN double touch_flats(const mo_core *a, const mo_core *b, const mo_flat of[2],
                          const mo_axis *axis, const double origin[3], double reach,
                          mo_touch_list *out)
{
    double least = mo_manifold(of, of + 1, axis, origin, ON_SIDE * smaller(a, b), reach, out);
    if (a->kind == MO_CORE_CYLINDER && of->count > 2) {
        const double near = touch_near_rim(a, of, of + 1, axis->normal, origin, reach, out);
        least = near < least ? near : least;
    }
    return least;
}

MO_OWN void take_flats(mo_core *a, mo_core *b, const double n[3], mo_flat of[2])
{
    double against[3];
    mo_vec3_scale(-1, n, against);
    mo_core_flat(a, n, of);
    mo_core_flat(b, against, of + 1);
}

MO_EVERYWHERE double mo_touch_along(mo_core *a, mo_core *b, const mo_axis *axis,
                                    const double origin[3], double reach, mo_touch_list *out)
{
    mo_flat of[2];
    take_flats(a, b, axis->normal, of);
    return touch_flats(a, b, of, axis, origin, reach, out);
}

/*
 * The flat of a core that faces n, moved along n, as a core; the cap of a cylinder is a disk.
 */
MO_OWN void core_of_flat(mo_core *c, const double n[3], double by, mo_flat *flat, mo_hull *hull,
                         mo_core *to)
{
    static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mo_core_flat(c, n, flat);
    if (c->kind == MO_CORE_CYLINDER && flat->count > 2) {
        *to = *c;
        to->half[2] = 0;
        mo_vec3_along(to->at, c->half[2], flat->plane, to->at);
        mo_vec3_along(to->at, by, n, to->at);
        mo_vec3_copy(to->at, to->centre);
        return;
    }
    *hull = (mo_hull){.vertex_count = flat->count, .vertex = flat->corner};
    *to = (mo_core){.kind = MO_CORE_HULL, .hull = hull};
    memcpy(to->Q, UNIT, sizeof UNIT);
    mo_vec3_scale(by, n, to->at);
    mo_vec3_along(flat->corner[0], by, n, to->centre);
}

/*
 * The point of a's flat that is nearest to b's along the axis, once they are moved a little apart
 * along it.
 */
MO_OWN void meet_flats(mo_core *a, mo_core *b, const mo_axis *axis, double on_a[3], double on_b[3])
{
    mo_flat flat[2];
    mo_hull hull[2];
    mo_core core[2];
    mo_simplex simplex;
    double against[3];
    mo_vec3_scale(-1, axis->normal, against);
    core_of_flat(a, axis->normal, 0, flat, hull, core);
    core_of_flat(b, against, axis->gap - 0.01 * smaller(a, b), flat + 1, hull + 1, core + 1);
    if (mo_gjk_distance(core, core + 1, &simplex, on_a, on_b) == 0) {
        mo_core_support(a, axis->normal, on_a);
        mo_vec3_copy(on_a, on_b);
    }
}

/* One touch on the axis: between its two points, or between the two flats. */
MO_OWN void touch_deepest(mo_core *a, mo_core *b, const mo_axis *axis, const double origin[3],
                          mo_touch_list *out)
{
    double on_a[3], on_b[3], top[3];
    if (axis->has_points)
        mo_vec3_copy(axis->on_a, on_a);
    else
        meet_flats(a, b, axis, on_a, on_b);
    mo_core_support(a, axis->normal, top); /* from the axis of a cylinder up to its side */
    mo_vec3_along(on_a, mo_vec3_dot(axis->normal, top) - mo_vec3_dot(axis->normal, on_a),
                  axis->normal, on_a);
    mo_vec3_along(on_a, axis->gap, axis->normal, on_b);
    mo_touch_about(on_a, on_b, axis->normal, axis->gap, origin, 1u << 21, out);
}

/* ---- the axis -------------------------------------------------------------------------------- */

/* Refines the axis from the polytope, if that is better. */
MO_OWN void leave(mo_core *a, mo_core *b, const mo_simplex *simplex, mo_axis *axis)
{
    mo_axis other;
    if (mo_epa_direction(a, b, simplex, other.normal)) {
        mo_axis_refine(a, b, &other);
        if (other.gap > axis->gap) *axis = other;
    }
}

/* The axis of the nearest points, or that of the polytope, if it is better. */
MO_OWN void find_other(mo_core *a, mo_core *b, mo_axis *axis)
{
    mo_simplex simplex;
    mo_axis other = *axis;
    const double size = smaller(a, b),
                 distance = mo_gjk_distance(a, b, &simplex, other.on_a, other.on_b);
    if (!(distance > IS_NEAREST * size)) {
        leave(a, b, &simplex, axis);
        return;
    }
    mo_vec3_minus(other.on_b, other.on_a, other.normal);
    mo_vec3_scale(1 / distance, other.normal, other.normal);
    if (mo_core_is_curved(a) || mo_core_is_curved(b)) {
        mo_axis_refine(a, b, &other);
    } else {
        other.gap = distance;
        other.has_points = 1;
    }
    if (other.gap > axis->gap) *axis = other;
}

/*
 * An ascent step on the separation from an axis whose flats do not overlap, by the component across
 * n of the vector between their nearest points.  With curved surfaces the features around n need
 * not contain a better axis.  False if the axis does not change.
 */
MO_OWN int ascend(mo_core *a, mo_core *b, mo_axis *axis)
{
    double on_a[3], on_b[3], slope[3];
    const double size = smaller(a, b);
    meet_flats(a, b, axis, on_a, on_b);
    mo_vec3_minus(on_b, on_a, slope);
    mo_vec3_along(slope, -mo_vec3_dot(slope, axis->normal), axis->normal, slope);
    for (double by = 1; by * mo_vec3_norm(slope) > IS_NEAREST * size; by *= SHORTER) {
        mo_axis other;
        mo_vec3_along(axis->normal, by / size, slope, other.normal);
        mo_vec3_scale(1 / mo_vec3_norm(other.normal), other.normal, other.normal);
        if (mo_core_gap(a, b, other.normal) > axis->gap + IS_NEAREST * size) {
            mo_axis_refine(a, b, &other);
            *axis = other;
            return 1;
        }
    }
    return 0;
}

/*
 * Appends the touches along the axis; false, without touches, if they do not show that it is a
 * local optimum and it is not the last one to be tried.
 */
MO_OWN int touch_axis(mo_core *a, mo_core *b, const mo_axis *axis, int is_last,
                      const double origin[3], double reach, mo_touch_list *out)
{
    const int before = out->count;
    mo_flat of[2];
    take_flats(a, b, axis->normal, of);
    const double least = touch_flats(a, b, of, axis, origin, reach, out);
    if (least > axis->gap + IS_NEAREST * smaller(a, b)) {
        if (!axis->has_points && !is_last) {
            out->count = before;
            return 0;
        }
        touch_deepest(a, b, axis, origin, out);
    }
    if (mo_core_is_rod(a) && mo_core_is_rod(b))
        mo_rods_ends(a, b, of, axis, origin, reach, before, out);
    return 1;
}

MO_OWN int touch_if_best(mo_core *a, mo_core *b, const mo_axis *axis, const double origin[3],
                         double reach, mo_touch_list *out)
{
    return touch_axis(a, b, axis, 0, origin, reach, out);
}

/*
 * Steps from a direction to the best axis near by: true where it is that, with its touches
 * appended, or where it shows that the cores are beyond the reach.  A deep overlap may have a
 * better one elsewhere; *axis stays where it is better already.
 */
MO_OWN int touch_near(mo_core *a, mo_core *b, const double direction[3], const double origin[3],
                      double reach, mo_axis *axis, mo_touch_list *out)
{
    mo_axis_search s;
    const mo_axis *best = &s.best;
    mo_axis_begin(&s, a, b, direction);
    for (int goes_on = 1; goes_on && s.steps < NEAR_STEPS;) {
        goes_on = mo_axis_step(&s);
        if (best->gap > reach) return 1;
        const int may_be_best = best->has_points || best->is_face || !goes_on;
        if (may_be_best && best->gap > -DEEP * s.size &&
            touch_if_best(a, b, best, origin, reach, out))
            return 1;
    }
    *axis = best->gap > axis->gap ? *best : *axis;
    return 0;
}

/* From the nearest points of their segments: true if that is sufficient. */
MO_OWN int touch_rods(mo_core *a, mo_core *b, const double origin[3], double reach, mo_axis *axis,
                      mo_touch_list *out)
{
    const mo_rods found = mo_rods_axis(a, b, reach, axis);
    const int is_near = found != MO_RODS_FAR && axis->gap > -ASTRAY * smaller(a, b);
    double n[3];
    mo_vec3_copy(axis->normal, n);
    return found == MO_RODS_FAR ||
           (found == MO_RODS_CROSS && axis->gap > -DEEP * smaller(a, b) &&
            touch_if_best(a, b, axis, origin, reach, out)) ||
           (found == MO_RODS_BESIDE && is_near && touch_near(a, b, n, origin, reach, axis, out));
}

/* From an axis: true if that is sufficient. */
MO_OWN int touch_first(mo_core *a, mo_core *b, const double origin[3], double reach, mo_axis *axis,
                       mo_touch_list *out)
{
    if (a->kind == MO_CORE_BOX && b->kind == MO_CORE_BOX) {
        return !mo_axis_of_boxes(a, b, reach, axis) ||
               touch_if_best(a, b, axis, origin, reach, out);
    }
    if (a->kind == MO_CORE_POINT) { /* has no faces: the nearest point is sufficient */
        find_other(a, b, axis);
        if (axis->gap > 0 && axis->gap <= reach) touch_deepest(a, b, axis, origin, out);
        if (axis->gap > 0) return 1;
    }
    double n[3];
    if (mo_core_is_rod(a) && mo_core_is_rod(b) && touch_rods(a, b, origin, reach, axis, out))
        return 1;
    const mo_direction found = mo_gjk_direction(a, b, reach, n);
    if (found == MO_NO_DIRECTION_FAR) return 1;
    /* contacts push out of the front of a mesh */
    if (found == MO_NO_DIRECTION && b->kind == MO_CORE_TRIANGLE) mo_vec3_scale(-1, b->plane, n);
    return (found == MO_DIRECTION || b->kind == MO_CORE_TRIANGLE) &&
           touch_near(a, b, n, origin, reach, axis, out);
}

MO_EVERYWHERE void mo_touch_cores(mo_core *a, mo_core *b, const double origin[3], double reach,
                                  mo_touch_list *out)
{
    mo_axis axis = {.gap = -INFINITY};
    if (touch_first(a, b, origin, reach, &axis, out)) return;
    if (out->is_brief) {
        out->is_open = 1;
        return;
    }
    find_other(a, b, &axis);
    const int is_curved = mo_core_is_curved(a) || mo_core_is_curved(b);
    for (int k = 0; axis.gap > -INFINITY && axis.gap <= reach; ++k) { /* no numbers have no axis */
        if (touch_if_best(a, b, &axis, origin, reach, out)) return;
        if (!is_curved || k == MOST_CLIMBS || !ascend(a, b, &axis)) {
            touch_axis(a, b, &axis, 1, origin, reach, out);
            return;
        }
    }
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* From the previous normal, or NULL: true if that is sufficient.  Boxes need none. */
MO_OWN int touch_again(mo_core *a, mo_core *b, const double *normal, const double origin[3],
                       double reach, mo_touch_list *out)
{
    mo_axis axis = {.gap = -INFINITY};
    return normal && !(a->kind == MO_CORE_BOX && b->kind == MO_CORE_BOX) &&
           touch_near(a, b, normal, origin, reach, &axis, out);
}

MO_OWN void collide_cores(mo_core *a, mo_core *b, const double *normal, const double origin[3],
                          double reach, mo_touch_list *out)
{
    const int before = out->count;
    const double far = reach + a->radius + b->radius;
    if (!touch_again(a, b, normal, origin, far, out)) mo_touch_cores(a, b, origin, far, out);
    mo_touches_reduce(out, before);
    for (int k = before; k < out->count && a->radius + b->radius > 0; ++k) {
        mo_touch *touch = out->touch + k;
        touch->gap -= a->radius + b->radius;
        mo_vec3_along(touch->point, 0.5 * (a->radius - b->radius), touch->normal, touch->point);
    }
}

MO_EVERYWHERE void mo_collide_convex(const mo_placed *a, const mo_placed *b, double reach,
                                     mo_touch_list *out)
{
    const int is_turned = b->collider->def.kind == MO_SHAPE_CYLINDER;
    const int before = out->count;
    const double *last = out->last_normal;
    double normal[3];
    mo_core ca, cb;
    if (last) mo_vec3_scale(is_turned ? -1 : 1, last, normal);
    mo_core_place(is_turned ? b : a, a->pose.position, &ca);
    mo_core_place(is_turned ? a : b, a->pose.position, &cb);
    collide_cores(&ca, &cb, last ? normal : NULL, a->pose.position, reach, out);
    for (int k = before; is_turned && k < out->count; ++k)
        mo_vec3_scale(-1, out->touch[k].normal, out->touch[k].normal);
}
