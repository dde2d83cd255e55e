/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The expanding polytope: see epa.h. */
#include "collide/epa.h"

#include <math.h>

#include "base/error.h"
#include "linalg/vec3.h"

enum { MOST_POINTS = 128, MOST_FACES = 2 * MOST_POINTS };

static const double EXACT = 1e-12; /* of the size: the bounds of polyhedra agree */
static const double ROUND = 1e-3;  /* of the depth: those of round cores do */
static const double FLAT = 1e-10;  /* of the size: a tetrahedron no higher has no inside */

typedef struct face {
    int corner[3];
    double normal[3], distance; /* unit, outward */
} face;

typedef struct polytope {
    mo_core *a, *b;
    double size;
    int points, faces;
    double point[MOST_POINTS][3];
    face face[MOST_FACES];
} polytope;

MO_OWN void take_support(polytope *p, const double d[3], double w[3])
{
    double against[3], on_a[3], on_b[3];
    mo_vec3_scale(-1, d, against);
    mo_core_support(p->a, d, on_a);
    mo_core_support(p->b, against, on_b);
    mo_vec3_minus(on_a, on_b, w);
}

/* False if the three points have no plane, or there is no room. */
MO_OWN int add_face(polytope *p, int i, int j, int k)
{
    if (p->faces == MOST_FACES) return 0;
    face *f = p->face + p->faces;
    double d[3], e[3];
    mo_vec3_minus(p->point[j], p->point[i], d);
    mo_vec3_minus(p->point[k], p->point[i], e);
    mo_vec3_cross(d, e, f->normal);
    const double length = mo_vec3_norm(f->normal);
    if (!(length > 1e-30 * p->size * p->size)) return 0;
    mo_vec3_scale(1 / length, f->normal, f->normal);
    f->distance = mo_vec3_dot(f->normal, p->point[i]);
    f->corner[0] = i;
    f->corner[1] = j;
    f->corner[2] = k;
    ++p->faces;
    return 1;
}

/* ---- the first tetrahedron ------------------------------------------------------------------- */

/* A direction in which the points so far have no extent. */
MO_OWN void missing_direction(const polytope *p, int which, double d[3])
{
    double e[3], f[3], other[3];
    mo_vec3_set(d, which == 0, which == 1, which == 2);
    if (p->points == 2) {
        mo_vec3_minus(p->point[1], p->point[0], e);
        mo_vec3_cross(e, d, other);
        mo_vec3_copy(other, d);
    } else if (p->points == 3) {
        mo_vec3_minus(p->point[1], p->point[0], e);
        mo_vec3_minus(p->point[2], p->point[0], f);
        mo_vec3_cross(e, f, d);
    }
}

/* Distance of w from the point, line or plane of the points so far. */
MO_OWN double height_of(const polytope *p, const double w[3])
{
    double d[3], e[3], f[3], n[3];
    mo_vec3_minus(w, p->point[0], d);
    if (p->points == 1) return mo_vec3_norm(d);
    mo_vec3_minus(p->point[1], p->point[0], e);
    if (p->points == 2) {
        mo_vec3_cross(e, d, n);
        return mo_vec3_norm(n) / mo_vec3_norm(e);
    }
    mo_vec3_minus(p->point[2], p->point[0], f);
    mo_vec3_cross(e, f, n);
    return fabs(mo_vec3_dot(n, d)) / mo_vec3_norm(n);
}

MO_OWN int grow_tetrahedron(polytope *p)
{
    for (int tries = 0; p->points < 4 && tries < 6; ++tries) {
        double d[3], w[3];
        missing_direction(p, tries / 2, d);
        mo_vec3_scale(tries % 2 ? -1 : 1, d, d);
        if (!(mo_vec3_dot(d, d) > 0)) continue;
        take_support(p, d, w);
        if (height_of(p, w) > FLAT * p->size) {
            mo_vec3_copy(w, p->point[p->points++]);
            tries = -1;
        }
    }
    return p->points == 4;
}

MO_OWN int begin(polytope *p, const mo_simplex *s)
{
    p->points = 1;
    mo_vec3_copy(s->at[0].w, p->point[0]);
    for (int k = 1; k < s->count; ++k)
        if (height_of(p, s->at[k].w) > FLAT * p->size)
            mo_vec3_copy(s->at[k].w, p->point[p->points++]);
    MO_PASS(grow_tetrahedron(p));
    double d[3], e[3], f[3], n[3];
    mo_vec3_minus(p->point[1], p->point[0], d);
    mo_vec3_minus(p->point[2], p->point[0], e);
    mo_vec3_minus(p->point[3], p->point[0], f);
    mo_vec3_cross(d, e, n);
    const int turned = mo_vec3_dot(n, f) > 0;
    p->faces = 0;
    return add_face(p, 0, 1 + turned, 2 - turned) && add_face(p, 0, 2 - turned, 3) &&
           add_face(p, 0, 3, 1 + turned) && add_face(p, 1 + turned, 3, 2 - turned);
}

/* ---- growth ---------------------------------------------------------------------------------- */

MO_OWN int nearest_face(const polytope *p)
{
    int best = 0;
    for (int k = 1; k < p->faces; ++k)
        best = p->face[k].distance < p->face[best].distance ? k : best;
    return best;
}

/* An edge that two faces lose is inside; the others make the rim of the hole. */
MO_OWN int toggle_edge(int (*rim)[2], int count, int i, int j)
{
    for (int k = 0; k < count; ++k) {
        if (rim[k][0] == j && rim[k][1] == i) {
            rim[k][0] = rim[count - 1][0];
            rim[k][1] = rim[count - 1][1];
            return count - 1;
        }
    }
    rim[count][0] = i;
    rim[count][1] = j;
    return count + 1;
}

MO_OWN int take_point(polytope *p, const double w[3])
{
    int rim[3 * MOST_FACES][2], edges = 0;
    if (p->points == MOST_POINTS) return 0;
    mo_vec3_copy(w, p->point[p->points]);
    for (int k = 0; k < p->faces;) {
        const face *f = p->face + k;
        if (mo_vec3_dot(f->normal, w) > f->distance + 1e-15 * p->size) {
            for (int i = 0; i < 3; ++i)
                edges = toggle_edge(rim, edges, f->corner[i], f->corner[(i + 1) % 3]);
            p->face[k] = p->face[--p->faces];
        } else {
            ++k;
        }
    }
    for (int k = 0; k < edges; ++k)
        MO_PASS(add_face(p, rim[k][0], rim[k][1], p->points));
    ++p->points;
    return edges > 0;
}

MO_EVERYWHERE int mo_epa_direction(mo_core *a, mo_core *b, const mo_simplex *simplex, double n[3])
{
    polytope p;
    p.a = a;
    p.b = b;
    p.size = a->size < b->size ? a->size : b->size;
    const int is_round = mo_core_is_curved(a) || mo_core_is_curved(b);
    MO_PASS(begin(&p, simplex));
    double shortest = INFINITY;
    for (;;) {
        const face nearest = p.face[nearest_face(&p)];
        double w[3];
        take_support(&p, nearest.normal, w);
        const double way = mo_vec3_dot(w, nearest.normal);
        if (way < shortest) {
            shortest = way;
            mo_vec3_copy(nearest.normal, n);
        }
        const double tolerance = EXACT * p.size + (is_round ? ROUND * nearest.distance : 0);
        if (!(shortest - nearest.distance > tolerance) || !take_point(&p, w))
            return shortest < INFINITY;
    }
}
