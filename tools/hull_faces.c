/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "hull_faces.h"

#include <math.h>
#include <stdlib.h>

static const double FLAT = 1e-9; /* of the hull's size: so near to a plane is on it */

/* A point of a face in the coordinates of its plane. */
typedef struct flat_point {
    double x, y;
    int number;
} flat_point;

typedef struct hull {
    const double *points;
    int count;
    double size;
    flat_point *flat; /* those on the plane at hand */
    int *corners;     /* of the face at hand, and twice that */
    hull_face_fn *take;
    void *user;
} hull;

static void minus(const double *a, const double *b, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = a[k] - b[k];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* To length 1; false where it has none to speak of. */
static int normalise(double a[3], double least)
{
    const double length = sqrt(dot(a, a));
    for (int k = 0; k < 3 && length > least; ++k) {
        a[k] /= length;
    }
    return length > least;
}

/* ---- in the plane: Andrew's monotone chain --------------------------------------------------- */

static int by_position(const void *a, const void *b)
{
    const flat_point *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y < q->y ? -1 : p->y > q->y;
}

static double turn(const flat_point *a, const flat_point *b, const flat_point *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* One side of the chain, from the first of `flat` to the last in steps of `stride`; how many
 * corners there are now. */
static int follow(const hull *h, int count, int stride, int *chain, int corners)
{
    const int base = corners;
    for (int k = 0, at = stride > 0 ? 0 : count - 1; k < count; ++k, at += stride) {
        while (corners - base >= 2 &&
               turn(&h->flat[chain[corners - 2]], &h->flat[chain[corners - 1]], &h->flat[at]) <=
                   FLAT * h->size * h->size) {
            --corners;
        }
        chain[corners++] = at;
    }
    return corners - 1; /* the last is the first of the other side */
}

static void take_flat_hull(hull *h, int count)
{
    qsort(h->flat, (size_t)count, sizeof *h->flat, by_position);
    int corners = follow(h, count, 1, h->corners, 0);
    corners = follow(h, count, -1, h->corners, corners);
    for (int k = 0; k < corners; ++k) {
        h->corners[k] = h->flat[h->corners[k]].number;
    }
    if (corners >= 3) {
        h->take(h->user, corners, h->corners);
    }
}

/* ---- in space -------------------------------------------------------------------------------- */

/*
 * Are all points on the other side of the plane, and a, b, c the first three on it that span it, so
 * that each face is taken once? Fills h->flat; their number, or 0.
 */
static int on_face(hull *h, int a, int b, int c, const double x[3], const double normal[3],
                   const double y[3])
{
    const double near = FLAT * h->size;
    int count = 0, before = 0;
    for (int k = 0; k < h->count; ++k) {
        double d[3];
        minus(h->points + 3 * k, h->points + 3 * a, d);
        const double height = dot(normal, d);
        if (height > near) {
            return 0;
        }
        if (height >= -near) {
            before += (k < b && dot(d, d) > near * near) || (k < c && fabs(dot(y, d)) > near);
            h->flat[count++] = (flat_point){dot(x, d), dot(y, d), k};
        }
    }
    return before ? 0 : count;
}

/* The face on the plane of three points, to one side of it, where there is one. */
static void try_plane(hull *h, int a, int b, int c, double side)
{
    double x[3], to_c[3], normal[3], y[3];
    minus(h->points + 3 * b, h->points + 3 * a, x);
    minus(h->points + 3 * c, h->points + 3 * a, to_c);
    if (!normalise(x, FLAT * h->size)) {
        return;
    }
    cross(x, to_c, normal);
    if (!normalise(normal, FLAT * h->size)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        normal[k] *= side;
    }
    cross(normal, x, y);
    const int count = on_face(h, a, b, c, x, normal, y);
    if (count >= 3) {
        take_flat_hull(h, count);
    }
}

static void take_faces(hull *h)
{
    for (int a = 0; a < h->count; ++a) {
        for (int b = a + 1; b < h->count; ++b) {
            for (int c = b + 1; c < h->count; ++c) {
                try_plane(h, a, b, c, 1);
                try_plane(h, a, b, c, -1);
            }
        }
    }
}

int hull_faces(const double *points, int count, int planar, hull_face_fn *take, void *user)
{
    hull h = {.points = points, .count = count, .take = take, .user = user};
    h.flat = malloc((size_t)count * sizeof *h.flat);
    h.corners = malloc((2 * (size_t)count + 2) * sizeof *h.corners);
    const int good = h.flat && h.corners;
    for (int k = 0; good && k < count; ++k) {
        h.flat[k] = (flat_point){points[3 * k], points[3 * k + 1], k};
        for (int i = 0; i < 3; ++i) {
            h.size = fmax(h.size, fabs(points[3 * k + i] - points[i]));
        }
    }
    if (good && planar) {
        take_flat_hull(&h, count);
    } else if (good) {
        take_faces(&h);
    }
    free(h.flat);
    free(h.corners);
    return good;
}
