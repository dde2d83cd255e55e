/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Distances of convex cores: see gjk.h. */
#include "collide/gjk.h"

#include <math.h>

#include "linalg/vec3.h"

enum { GJK_STEPS = 200 };
/* Fraction of the sizes to which cores are shrunk in the search for a direction. */
static const double SHRINK = 0.6;
/* Relative to the squared distance: sufficient for a direction. */
static const double NEAR_ENOUGH = 1e-2;
/* Likewise for round cores, whose axis is refined by features (axis.h). */
static const double NEARLY_ROUND = 1e-8;

/* ---- simplices ------------------------------------------------------------------------------- */

/*
 * A face of a simplex, by its corners in rising order, with the parts of its point v nearest to the
 * origin.
 */
typedef struct spot {
    int count, index[3];
    double part[3], v[3], square;
} spot;

MO_OWN void take_corner(const mo_simplex *s, int i, spot *p)
{
    p->count = 1;
    p->index[0] = i;
    p->part[0] = 1;
    mo_vec3_copy(s->at[i].w, p->v);
    p->square = mo_vec3_dot(p->v, p->v);
}

/* The nearest point of a side, if nearer than the best so far. */
MO_OWN void try_line(const mo_simplex *s, int i, int j, spot *best)
{
    spot p;
    double d[3];
    mo_vec3_minus(s->at[j].w, s->at[i].w, d);
    const double square = mo_vec3_dot(d, d), t = -mo_vec3_dot(s->at[i].w, d);
    if (!(t > 0) || !(square > 0)) {
        take_corner(s, i, &p);
    } else if (t >= square) {
        take_corner(s, j, &p);
    } else {
        p.count = 2;
        p.index[0] = i;
        p.index[1] = j;
        p.part[1] = t / square;
        p.part[0] = 1 - p.part[1];
        mo_vec3_scale(p.part[0], s->at[i].w, p.v);
        mo_vec3_along(p.v, p.part[1], s->at[j].w, p.v);
        p.square = mo_vec3_dot(p.v, p.v);
    }
    if (p.square < best->square) *best = p;
}

/*
 * The foot of the origin on the plane, where it lies within the triangle; else the best of the
 * sides.  Its parts come from the sides' own equations, which stay exact for the small triangles
 * that close in on a round shape.
 */
MO_OWN void try_triangle(const mo_simplex *s, int i, int j, int k, spot *best)
{
    double e[3], f[3], n[3];
    mo_vec3_minus(s->at[j].w, s->at[i].w, e);
    mo_vec3_minus(s->at[k].w, s->at[i].w, f);
    const double ee = mo_vec3_dot(e, e), ef = mo_vec3_dot(e, f), ff = mo_vec3_dot(f, f);
    const double eo = -mo_vec3_dot(e, s->at[i].w), fo = -mo_vec3_dot(f, s->at[i].w);
    mo_vec3_cross(e, f, n);
    const double determinant = mo_vec3_dot(n, n), to_j = eo * ff - fo * ef,
                 to_k = fo * ee - eo * ef;
    if (to_j > 0 && to_k > 0 && to_j + to_k < determinant) {
        spot p = {.count = 3, .index = {i, j, k}};
        p.part[1] = to_j / determinant;
        p.part[2] = to_k / determinant;
        p.part[0] = 1 - p.part[1] - p.part[2];
        mo_vec3_scale(p.part[0], s->at[i].w, p.v);
        mo_vec3_along(p.v, p.part[1], s->at[j].w, p.v);
        mo_vec3_along(p.v, p.part[2], s->at[k].w, p.v);
        p.square = mo_vec3_dot(p.v, p.v);
        if (p.square < best->square) *best = p;
        return;
    }
    if (!(to_k > 0)) /* a side can be nearest only where its part is not inside */
        try_line(s, i, j, best);
    if (!(to_j > 0)) try_line(s, i, k, best);
    if (!(to_j + to_k < determinant)) try_line(s, j, k, best);
}

/* Are l and the origin on the same side of the plane of i, j, k? Negative: on different sides. */
MO_OWN double same_side(const mo_simplex *s, int i, int j, int k, int l)
{
    double d1[3], d2[3], n[3], to[3];
    mo_vec3_minus(s->at[j].w, s->at[i].w, d1);
    mo_vec3_minus(s->at[k].w, s->at[i].w, d2);
    mo_vec3_cross(d1, d2, n);
    mo_vec3_minus(s->at[l].w, s->at[i].w, to);
    return -mo_vec3_dot(n, s->at[i].w) * mo_vec3_dot(n, to);
}

/*
 * count = 4 if the origin is inside.  Otherwise the best of the faces that separate the origin from
 * the tetrahedron; for a flat one these are undefined, and all faces are examined.
 */
MO_OWN void try_tetrahedron(const mo_simplex *s, spot *best)
{
    static const int FACE[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    double side[4];
    int is_inside = 1;
    for (int f = 0; f < 4; ++f) {
        const int *at = FACE[f];
        side[f] = same_side(s, at[0], at[1], at[2], at[3]);
        is_inside = is_inside && side[f] > 0;
    }
    for (int f = 0; f < 4 && !is_inside; ++f)
        if (!(side[f] > 0)) try_triangle(s, FACE[f][0], FACE[f][1], FACE[f][2], best);
    if (is_inside) best->count = 4;
}

MO_OWN void try_simplex(const mo_simplex *s, spot *best)
{
    best->square = INFINITY;
    best->count = 0;
    if (s->count == 2)
        try_line(s, 0, 1, best);
    else if (s->count == 3)
        try_triangle(s, 0, 1, 2, best);
    else
        try_tetrahedron(s, best);
}

/* Keeps the corners of the spot. */
MO_OWN void keep(mo_simplex *s, const spot *to)
{
    s->count = to->count;
    for (int k = 0; k < to->count; ++k) {
        if (to->index[k] != k) s->at[k] = s->at[to->index[k]];
        s->part[k] = to->part[k];
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Of cores that are shrunk to a part of their size about their centres. */
MO_OWN void furthest(mo_core *a, mo_core *b, double part, const double direction[3],
                     mo_simplex_corner *c)
{
    double against[3];
    mo_vec3_scale(-1, direction, against);
    mo_core_support(a, direction, c->a);
    mo_core_support(b, against, c->b);
    for (int k = 0; k < 3; ++k)
        c->w[k] = part * (c->a[k] - c->b[k]) + (1 - part) * (a->centre[k] - b->centre[k]);
}

MO_OWN void take_points(const mo_simplex *s, double on_a[3], double on_b[3])
{
    mo_vec3_set(on_a, 0, 0, 0);
    mo_vec3_set(on_b, 0, 0, 0);
    for (int k = 0; k < s->count; ++k) {
        mo_vec3_along(on_a, s->part[k], s->at[k].a, on_a);
        mo_vec3_along(on_b, s->part[k], s->at[k].b, on_b);
    }
}

typedef enum outcome { APART, BEYOND, OVERLAP } outcome;

/*
 * The nearest point v of the difference of the cores; its simplex in s.  BEYOND: the cores in their
 * own size are further apart than the reach.
 */
MO_OWN outcome search(mo_core *a, mo_core *b, double part, double tolerance, double reach,
                      mo_simplex *s, double v[3])
{
    mo_vec3_minus(a->centre, b->centre, v);
    if (!(mo_vec3_dot(v, v) > 0)) mo_vec3_set(v, 1, 0, 0);
    mo_vec3_scale(-1, v, v);
    s->count = 1;
    s->part[0] = 1;
    furthest(a, b, part, v, s->at);
    mo_vec3_copy(s->at[0].w, v);
    double square = mo_vec3_dot(v, v), size = square;
    /* 1: a plane across v separates them, even if a flat tetrahedron contains the origin */
    int is_apart = 0;
    for (int step = 0; step < GJK_STEPS; ++step) {
        double back[3], own[3];
        mo_simplex_corner *next = s->at + s->count;
        mo_vec3_scale(-1, v, back);
        furthest(a, b, part, back, next);
        size = fmax(size, mo_vec3_dot(next->w, next->w));
        if (square <= 1e-28 * size) return OVERLAP;
        mo_vec3_minus(next->a, next->b, own);
        const double bound = mo_vec3_dot(v, next->w), of_own = mo_vec3_dot(v, own);
        if (of_own > 0 && of_own * of_own > reach * reach * square) return BEYOND;
        is_apart = is_apart || bound > 1e-14 * sqrt(square * size);
        if (square - bound <= tolerance * square) break;
        spot best;
        ++s->count;
        try_simplex(s, &best);
        if (best.count == 4 && !is_apart) return OVERLAP;
        if (best.count == 4 || !(best.square < square)) { /* rounding: no better */
            --s->count;
            break;
        }
        keep(s, &best);
        mo_vec3_copy(best.v, v);
        square = best.square;
    }
    return APART;
}

MO_EVERYWHERE mo_direction mo_gjk_direction(mo_core *a, mo_core *b, double reach, double n[3])
{
    mo_simplex s;
    double v[3];
    const outcome found = search(a, b, SHRINK, NEAR_ENOUGH, reach, &s, v);
    if (found == APART) mo_vec3_scale(-1 / mo_vec3_norm(v), v, n);
    return found == APART ? MO_DIRECTION : found == BEYOND ? MO_NO_DIRECTION_FAR : MO_NO_DIRECTION;
}

MO_EVERYWHERE double mo_gjk_distance(mo_core *a, mo_core *b, mo_simplex *s, double on_a[3],
                                     double on_b[3])
{
    double v[3];
    const double tolerance = mo_core_is_curved(a) || mo_core_is_curved(b) ? NEARLY_ROUND : 1e-15;
    const outcome found = search(a, b, 1, tolerance, INFINITY, s, v);
    if (found == APART) {
        take_points(s, on_a, on_b);
        return mo_vec3_norm(v);
    }
    return 0;
}
