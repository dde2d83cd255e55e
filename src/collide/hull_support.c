/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Supports of convex polyhedra: see hull.h. */
#include <math.h>

#include "collide/hull.h"
#include "linalg/vec3.h"

MO_EVERYWHERE int mo_highest(int count, double (*point)[3], const double d[3])
{
    int best = 0;
    double most = mo_vec3_dot(point[0], d);
    for (int k = 1; k < count; ++k) {
        const double now = mo_vec3_dot(point[k], d);
        best = now > most ? k : best;
        most = now > most ? now : most;
    }
    return best;
}

/* From vertex to higher neighbour: on a convex polyhedron the last one is the highest of all. */
MO_OWN int climb(const mo_hull *hull, int from, const double d[3])
{
    double most = mo_vec3_dot(hull->vertex[from], d);
    for (int at = -1; at != from;) {
        at = from;
        for (int k = hull->ring_start[at]; k < hull->ring_start[at + 1]; ++k) {
            const double now = mo_vec3_dot(hull->vertex[hull->ring_vertex[k]], d);
            if (now > most) {
                most = now;
                from = hull->ring_vertex[k];
            }
        }
    }
    return from;
}

MO_EVERYWHERE int mo_hull_support(const mo_hull *hull, int from, const double d[3])
{
    enum { FEW = 16 }; /* with so few, testing all is faster than climbing */
    if (hull->vertex_count <= FEW || !hull->ring_start)
        return mo_highest(hull->vertex_count, hull->vertex, d);
    if (from < 0) {
        const double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
        const int k = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
        from = hull->furthest[2 * k + (d[k] > 0)];
    }
    return climb(hull, from, d);
}
