/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Faces of a convex hull as indices of the caller's points.  Vertices of a hull are copies of
 * points and are matched by value.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/hull.h"

/* The first point that a vertex was copied from.  In the plane z does not count. */
static int number_of(const mo_hull *hull, int vertex, const double *points, int count)
{
    const size_t size = (hull->is_planar ? 2 : 3) * sizeof(double);
    for (int k = 0; k < count; ++k)
        if (memcmp(hull->vertex[vertex], points + 3 * k, size) == 0) return k;
    return 0;
}

static void hand_over(const mo_hull *hull, const int *number, int *corner, mo_face_fn *take,
                      void *user)
{
    if (hull->is_planar) {
        take(user, hull->vertex_count, number);
        return;
    }
    for (int f = 0; f < hull->face_count; ++f) {
        const int first = hull->face_start[f], count = hull->face_start[f + 1] - first;
        for (int k = 0; k < count; ++k)
            corner[k] = number[hull->face_vertex[first + k]];
        take(user, count, corner);
    }
}

mo_error mo_hull_faces(const double *points, int point_count, int dimension, mo_face_fn *take,
                       void *user, mo_message *why)
{
    MO_NEED(points && take, why);
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_hull *hull = mo_hull_create(&allocator, dimension == 2, points, point_count, why);
    MO_FAIL_IF(!hull, MO_ERR_ARGUMENT);
    int number[2 * MO_HULL_VERTICES];
    for (int v = 0; v < hull->vertex_count; ++v)
        number[v] = number_of(hull, v, points, point_count);
    hand_over(hull, number, number + MO_HULL_VERTICES, take, user);
    mo_hull_destroy(&allocator, hull);
    return MO_OK;
}
