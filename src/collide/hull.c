/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Hulls: memory, bounding boxes, planar polygons, masses.  hull_build.c builds them from points. */
#include "collide/hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/hull_build.h"
#include "linalg/vec3.h"

void mo_hull_destroy(const mo_allocator *allocator, mo_hull *hull)
{
    if (hull) {
        MO_FREE(allocator, hull->vertex, hull->plane, hull->face_start, hull->face_vertex,
                hull->edge, hull->ring_start, hull->ring_vertex, hull->ring_face, hull->ring_edge,
                hull);
    }
}

mo_hull *mo_hull_allocate(const mo_allocator *allocator, int vertices, int faces, int corners,
                          int edges, mo_message *why)
{
    mo_hull *hull = mo_memory_zeros(allocator, 1, sizeof *hull);
    if (!hull || !MO_NEW(allocator, vertices, &hull->vertex) ||
        !MO_NEW(allocator, faces, &hull->plane) ||
        !MO_NEW(allocator, faces + 1, &hull->face_start) ||
        !MO_NEW(allocator, corners, &hull->face_vertex) || !MO_NEW(allocator, edges, &hull->edge) ||
        !MO_NEW(allocator, vertices + 1, &hull->ring_start) ||
        !MO_NEW(allocator, 2 * edges, &hull->ring_vertex) ||
        !MO_NEW(allocator, 2 * edges, &hull->ring_face) ||
        !MO_NEW(allocator, 2 * edges, &hull->ring_edge)) {
        mo_hull_destroy(allocator, hull);
        mo_fail_memory(why);
        return NULL;
    }
    hull->vertex_count = vertices;
    hull->face_count = faces;
    hull->edge_count = edges;
    return hull;
}

/*
 * The planes from the corners (Newell's normal, good for nearly flat faces too), centre and bounds.
 */
void mo_hull_fit_planes(mo_hull *hull)
{
    memset(hull->centre, 0, sizeof hull->centre);
    hull->bounds = mo_bounds_empty();
    for (int k = 0; k < hull->vertex_count; ++k) {
        mo_vec3_along(hull->centre, 1.0 / hull->vertex_count, hull->vertex[k], hull->centre);
        mo_bounds_add(&hull->bounds, hull->vertex[k], 0);
    }
    for (int face = 0; face < hull->face_count; ++face) {
        const int first = hull->face_start[face], n = hull->face_start[face + 1] - first;
        double normal[3] = {0}, mean[3] = {0};
        for (int k = 0; k < n; ++k) {
            const double *p = hull->vertex[hull->face_vertex[first + k]];
            const double *q = hull->vertex[hull->face_vertex[first + (k + 1) % n]];
            double a[3], b[3], cross[3];
            mo_vec3_minus(p, hull->centre, a);
            mo_vec3_minus(q, hull->centre, b);
            mo_vec3_cross(a, b, cross);
            mo_vec3_along(normal, 1, cross, normal);
            mo_vec3_along(mean, 1.0 / n, p, mean);
        }
        if (hull->is_planar) {
            const double *p = hull->vertex[hull->face_vertex[first]],
                         *q = hull->vertex[hull->face_vertex[first + 1]];
            mo_vec3_set(normal, q[1] - p[1], p[0] - q[0], 0);
        }
        mo_vec3_scale(1 / mo_vec3_norm(normal), normal, hull->plane[face]);
        hull->plane[face][3] = mo_vec3_dot(hull->plane[face], mean);
    }
}

/* The vertex before v in a face that has it. */
static int vertex_before(const mo_hull *hull, int face, int v)
{
    const int first = hull->face_start[face], end = hull->face_start[face + 1];
    int before = hull->face_vertex[end - 1];
    for (int k = first; k < end && hull->face_vertex[k] != v; ++k)
        before = hull->face_vertex[k];
    return before;
}

static void exchange(mo_hull *hull, int i, int j)
{
    const int vertex = hull->ring_vertex[i], face = hull->ring_face[i];
    double edge[4];
    memcpy(edge, hull->ring_edge[i], sizeof edge);
    hull->ring_vertex[i] = hull->ring_vertex[j];
    hull->ring_face[i] = hull->ring_face[j];
    memcpy(hull->ring_edge[i], hull->ring_edge[j], sizeof edge);
    hull->ring_vertex[j] = vertex;
    hull->ring_face[j] = face;
    memcpy(hull->ring_edge[j], edge, sizeof edge);
}

/* Around the vertex: the face of one edge has the next edge, too. */
static void order_ring(mo_hull *hull, int v)
{
    for (int k = hull->ring_start[v]; k + 1 < hull->ring_start[v + 1]; ++k) {
        const int next = vertex_before(hull, hull->ring_face[k], v);
        for (int i = k + 1; i < hull->ring_start[v + 1]; ++i)
            if (hull->ring_vertex[i] == next) exchange(hull, k + 1, i);
    }
}

/* The rings of the vertices, from the edges. */
static void find_rings(mo_hull *hull)
{
    memset(hull->ring_start, 0, ((size_t)hull->vertex_count + 1) * sizeof *hull->ring_start);
    for (int e = 0; e < 2 * hull->edge_count; ++e)
        ++hull->ring_start[hull->edge[e / 2].vertex[e % 2] + 1];
    mo_running_sums(hull->vertex_count, hull->ring_start);
    for (int e = 2 * hull->edge_count - 1; e >= 0; --e) { /* from the end of each ring */
        const mo_hull_edge *edge = hull->edge + e / 2;
        const int at = --hull->ring_start[edge->vertex[e % 2] + 1];
        hull->ring_vertex[at] = edge->vertex[!(e % 2)];
        hull->ring_face[at] = edge->face[e % 2];
        double *along = hull->ring_edge[at];
        mo_vec3_minus(hull->vertex[edge->vertex[!(e % 2)]], hull->vertex[edge->vertex[e % 2]],
                      along);
        along[3] = mo_vec3_norm(along);
        mo_vec3_scale(along[3] > 0 ? 1 / along[3] : 0, along, along);
    }
    for (int v = 0; v < hull->vertex_count; ++v)
        hull->ring_start[v] = hull->ring_start[v + 1];
    hull->ring_start[hull->vertex_count] = 2 * hull->edge_count;
    for (int v = 0; v < hull->vertex_count; ++v)
        order_ring(hull, v);
    for (int k = 0; k < 6; ++k) {
        const double sign = k % 2 ? 1 : -1;
        hull->furthest[k] = 0;
        for (int v = 1; v < hull->vertex_count; ++v)
            if (sign * hull->vertex[v][k / 2] > sign * hull->vertex[hull->furthest[k]][k / 2])
                hull->furthest[k] = v;
    }
}

/*
 * The edges, each from the face that has it from its smaller vertex to the larger one first, and
 * the rings; 0 where they do not match.
 */
int mo_hull_find_edges(mo_hull *hull)
{
    int found = 0;
    for (int face = 0; face < hull->face_count; ++face) {
        const int first = hull->face_start[face], n = hull->face_start[face + 1] - first;
        for (int k = 0; k < n; ++k) {
            const int v = hull->face_vertex[first + k], w = hull->face_vertex[first + (k + 1) % n];
            if (v < w) {
                if (found == hull->edge_count) return 0;
                hull->edge[found++] = (mo_hull_edge){{v, w}, {face, -1}};
            }
        }
    }
    for (int face = 0; face < hull->face_count; ++face) {
        const int first = hull->face_start[face], n = hull->face_start[face + 1] - first;
        for (int k = 0; k < n; ++k) {
            const int v = hull->face_vertex[first + k], w = hull->face_vertex[first + (k + 1) % n];
            for (int e = 0; v > w && e < found; ++e)
                if (hull->edge[e].vertex[0] == w && hull->edge[e].vertex[1] == v)
                    hull->edge[e].face[1] = face;
        }
    }
    for (int e = 0; e < found; ++e)
        if (hull->edge[e].face[1] < 0) return 0;
    if (found == hull->edge_count) find_rings(hull);
    return found == hull->edge_count;
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static mo_hull *create_rectangle(const mo_allocator *allocator, const double half[3],
                                 mo_message *why)
{
    const double x = half[0], y = half[1],
                 corner[4][3] = {{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}};
    return mo_hull_create(allocator, 1, corner[0], 4, why);
}

mo_hull *mo_hull_create_box(const mo_allocator *allocator, int is_planar, const double half[3],
                            mo_message *why)
{
    if (is_planar) return create_rectangle(allocator, half, why);
    static const int CORNERS[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                    2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    mo_hull *hull = mo_hull_allocate(allocator, 8, 6, 24, 12, why);
    if (hull) {
        for (int k = 0; k < 8; ++k) { /* bit i of k: which side of axis i */
            mo_vec3_set(hull->vertex[k], k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                        k & 4 ? half[2] : -half[2]);
        }
        memcpy(hull->face_vertex, CORNERS, sizeof CORNERS);
        for (int face = 0; face <= 6; ++face)
            hull->face_start[face] = 4 * face;
        mo_hull_fit_planes(hull);
        mo_hull_find_edges(hull);
    }
    return hull;
}

/* ---- polygons -------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const double *p = x, *q = y;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

static double turn(const double p[3], const double q[3], const double r[3])
{
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

/* Half of the hull of the sorted points, appended; points within `flat` of a side are left out. */
static int half_chain(double (*sorted)[3], int count, int step, double flat, double (*chain)[3])
{
    int n = 0;
    for (int k = step > 0 ? 0 : count - 1; k >= 0 && k < count; k += step) {
        while (n >= 2 && turn(chain[n - 2], chain[n - 1], sorted[k]) <= flat)
            --n;
        mo_vec3_copy(sorted[k], chain[n++]);
    }
    return n - 1; /* its last point begins the other half */
}

static mo_hull *polygon_of(const mo_allocator *allocator, double (*corner)[3], int n,
                           mo_message *why)
{
    mo_hull *hull = mo_hull_allocate(allocator, n, n, 2 * n, 0, why);
    if (hull) {
        hull->is_planar = 1;
        memcpy(hull->vertex, corner, (size_t)n * sizeof *corner);
        for (int k = 0; k < n; ++k) {
            hull->face_start[k] = 2 * k;
            hull->face_vertex[2 * k] = k;
            hull->face_vertex[2 * k + 1] = (k + 1) % n;
        }
        hull->face_start[n] = 2 * n;
        mo_hull_fit_planes(hull);
    }
    return hull;
}

static mo_hull *create_polygon(const mo_allocator *allocator, const double *points, int count,
                               mo_message *why)
{
    double(*sorted)[3] = mo_memory_array(allocator, (size_t)count, 3 * sizeof(double));
    double(*chain)[3] = mo_memory_array(allocator, 2 * (size_t)count + 2, 3 * sizeof(double));
    mo_hull *hull = NULL;
    if (sorted && chain) {
        memcpy(sorted, points, (size_t)count * sizeof *sorted);
        double size = 0;
        for (int k = 0; k < count; ++k) {
            sorted[k][2] = 0;
            size = fmax(size,
                        fmax(fabs(sorted[k][0] - sorted[0][0]), fabs(sorted[k][1] - sorted[0][1])));
        }
        qsort(sorted, (size_t)count, sizeof *sorted, by_place);
        const double flat = 1e-12 * size * size;
        int n = half_chain(sorted, count, 1, flat, chain);
        n = n > 0 ? n + half_chain(sorted, count, -1, flat, chain + n) : 0;
        if (n < 3 || n > MO_HULL_VERTICES) {
            mo_fail(why, MO_ERR_ARGUMENT,
                    n < 3 ? "the points of a hull lie on one line"
                          : "the hull of these points has more than 256 corners");
        } else {
            hull = polygon_of(allocator, chain, n, why);
        }
    } else {
        mo_fail_memory(why);
    }
    mo_memory_free(allocator, sorted);
    mo_memory_free(allocator, chain);
    return hull;
}

mo_hull *mo_hull_create(const mo_allocator *allocator, int is_planar, const double *points,
                        int count, mo_message *why)
{
    if (!points || count < 1) {
        mo_fail(why, MO_ERR_ARGUMENT, "a hull needs points");
        return NULL;
    }
    for (int k = 0; k < 3 * count; ++k) {
        if (!mo_are_moderate(1, points + k)) {
            mo_fail(why, MO_ERR_ARGUMENT, "point %d of a hull is not finite", k / 3);
            return NULL;
        }
    }
    return is_planar ? create_polygon(allocator, points, count, why)
                     : mo_hull_build(allocator, points, count, why);
}

/* ---- masses ---------------------------------------------------------------------------------- */

/* Integrals of 1, x and x x' over tetrahedra from the centre to the triangles of the faces. */
static void add_tetrahedron(const double a[3], const double b[3], const double c[3], double *volume,
                            double first[3], double second[9])
{
    double cross[3], sum[3];
    mo_vec3_cross(b, c, cross);
    const double v = mo_vec3_dot(a, cross) / 6;
    *volume += v;
    for (int i = 0; i < 3; ++i) {
        sum[i] = a[i] + b[i] + c[i];
        first[i] += v * sum[i] / 4;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            second[3 * i + j] +=
                v * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]) / 20;
        }
    }
}

static void add_triangle(const double a[3], const double b[3], double *area, double first[3],
                         double second[9])
{
    const double v = (a[0] * b[1] - a[1] * b[0]) / 2;
    *area += v;
    for (int i = 0; i < 2; ++i) {
        first[i] += v * (a[i] + b[i]) / 3;
        for (int j = 0; j < 2; ++j) {
            second[3 * i + j] +=
                v * (a[i] * a[j] + b[i] * b[j] + (a[i] + b[i]) * (a[j] + b[j])) / 12;
        }
    }
}

void mo_hull_mass(const mo_hull *hull, double *volume, double centre[3], double inertia[6])
{
    double first[3] = {0}, second[9] = {0};
    *volume = 0;
    for (int face = 0; face < hull->face_count; ++face) {
        const int begin = hull->face_start[face], end = hull->face_start[face + 1];
        double p[3], q[3], r[3];
        mo_vec3_minus(hull->vertex[hull->face_vertex[begin]], hull->centre, p);
        if (hull->is_planar) {
            mo_vec3_minus(hull->vertex[hull->face_vertex[begin + 1]], hull->centre, q);
            add_triangle(p, q, volume, first, second);
        }
        for (int k = begin + 1; !hull->is_planar && k + 1 < end; ++k) {
            mo_vec3_minus(hull->vertex[hull->face_vertex[k]], hull->centre, q);
            mo_vec3_minus(hull->vertex[hull->face_vertex[k + 1]], hull->centre, r);
            add_tetrahedron(p, q, r, volume, first, second);
        }
    }
    double mean[3];
    mo_vec3_scale(1 / *volume, first, mean);
    double S[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            S[3 * i + j] = second[3 * i + j] - *volume * mean[i] * mean[j];
    const double all[6] = {S[4] + S[8], S[0] + S[8], S[0] + S[4], -S[1], -S[2], -S[5]};
    memcpy(inertia, all, sizeof all);
    mo_vec3_along(hull->centre, 1, mean, centre);
}
