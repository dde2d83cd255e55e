/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Meshes of models as convex hulls for collision and as triangles for drawing; ellipsoids as hulls.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/hull.h"
#include "io/model_reader.h"

/* Reports the error of another function for this node. */
static bool pass_on(mo_reader *r, const mo_xml_node *node, mo_error error, const mo_message *why)
{
    MO_FAIL_IF(error == MO_ERR_MEMORY, mo_reader_no_memory(r));
    mo_reader_fail(r, node, "%.380s", why->text);
    r->error = error;
    return false;
}

bool mo_reader_hull_triangles(mo_reader *r, const mo_xml_node *node, mo_mesh_file *mesh)
{
    const mo_allocator *allocator = &r->tree.allocator;
    mo_message why = {{0}};
    mo_hull *hull = mo_hull_create(allocator, 0, mesh->points, mesh->point_count, &why);
    if (!hull)
        return pass_on(r, node, mo_is_memory_message(&why) ? MO_ERR_MEMORY : MO_ERR_FORMAT, &why);
    int *triangles = mo_memory_array(allocator, 3 * (size_t)hull->face_start[hull->face_count],
                                     sizeof *triangles);
    double *points = mo_memory_array(allocator, 3 * (size_t)hull->vertex_count, sizeof *points);
    int count = 0;
    for (int f = 0; triangles && f < hull->face_count; ++f) {
        for (int k = hull->face_start[f] + 1; k + 1 < hull->face_start[f + 1]; ++k, ++count) {
            triangles[3 * count] = hull->face_vertex[hull->face_start[f]];
            triangles[3 * count + 1] = hull->face_vertex[k];
            triangles[3 * count + 2] = hull->face_vertex[k + 1];
        }
    }
    if (points) memcpy(points, hull->vertex, 3 * (size_t)hull->vertex_count * sizeof *points);
    mo_memory_free(allocator, mesh->points);
    *mesh = (mo_mesh_file){.points = points,
                           .point_count = hull->vertex_count,
                           .triangles = triangles,
                           .triangle_count = count};
    mo_hull_destroy(allocator, hull);
    return (points && triangles) || mo_reader_no_memory(r);
}

int mo_reader_mesh(mo_reader *r, const mo_xml_node *node, const char *path, const char *shown,
                   const double scale[3])
{
    mo_message why = {{0}};
    mo_mesh_file mesh;
    size_t size = 0;
    const mo_error error = mo_mesh_file_read(path, shown, MO_MESH_BYTES - r->mesh_bytes,
                                             &r->tree.allocator, &mesh, &size, &why);
    if (error) {
        pass_on(r, node, error, &why);
        return -1;
    }
    r->mesh_bytes += size;
    if (mesh.triangle_count == 0 && !mo_reader_hull_triangles(r, node, &mesh)) {
        mo_mesh_file_clear(&r->tree.allocator, &mesh);
        return -1;
    }
    for (int k = 0; k < 3 * mesh.point_count; ++k)
        mesh.points[k] *= scale[k % 3];
    return mo_reader_keep_mesh(r, &mesh);
}

int mo_reader_keep_mesh(mo_reader *r, mo_mesh_file *mesh)
{
    if (!MO_GROW(&r->tree.allocator, r->meshes, r->mesh_room, (size_t)r->mesh_count + 1)) {
        mo_mesh_file_clear(&r->tree.allocator, mesh);
        mo_reader_no_memory(r);
        return -1;
    }
    r->meshes[r->mesh_count] = *mesh;
    return r->mesh_count++;
}

/* MO_ERR_FORMAT and a message if the points have no hull. */
static mo_error make_hull(mo_reader *r, const double *points, int count, mo_shape_def *shape,
                          mo_message *why)
{
    mo_hull *hull = mo_hull_create(&r->tree.allocator, 0, points, count, why);
    if (!hull) return mo_is_memory_message(why) ? MO_ERR_MEMORY : MO_ERR_FORMAT;
    const int corners = hull->vertex_count;
    double *kept = mo_pool_take(r->pool, 3 * (size_t)corners, sizeof *kept);
    if (kept) memcpy(kept, hull->vertex, 3 * (size_t)corners * sizeof *kept);
    mo_hull_destroy(&r->tree.allocator, hull);
    shape->kind = MO_SHAPE_HULL;
    shape->points = kept;
    shape->point_count = corners;
    return kept ? MO_OK : MO_ERR_MEMORY;
}

/* The convex hull of points; the model owns its vertices. */
static bool hull_shape(mo_reader *r, const mo_xml_node *node, const double *points, int count,
                       mo_shape_def *shape)
{
    mo_message why = {{0}};
    const mo_error error = make_hull(r, points, count, shape, &why);
    return !error || pass_on(r, node, error, &why);
}

bool mo_reader_mesh_hull(mo_reader *r, const mo_xml_node *node, int mesh, int is_visual,
                         mo_shape_def *shape, int *found)
{
    mo_mesh_file *of = r->meshes + mesh;
    *found = 1;
    if (!of->hull) {
        mo_message why = {{0}};
        const mo_error error = make_hull(r, of->points, of->point_count, shape, &why);
        if (error == MO_ERR_FORMAT) { /* flat, such as a decal */
            if (!is_visual)
                mo_reader_note(r, node, "> has a mesh without volume: the shape is left out");
            *found = 0;
            return true;
        }
        if (error) return pass_on(r, node, error, &why);
        of->hull = shape->points;
        of->hull_count = shape->point_count;
    }
    shape->kind = MO_SHAPE_HULL;
    shape->points = of->hull;
    shape->point_count = of->hull_count;
    return true;
}

bool mo_reader_mesh_drawn(mo_reader *r, int mesh, mo_shape_def *shape)
{
    mo_mesh_file *of = r->meshes + mesh;
    const size_t numbers = 3 * (size_t)of->point_count, corners = 3 * (size_t)of->triangle_count;
    if (!of->drawn) {
        double *points = mo_pool_take(r->pool, numbers, sizeof *points);
        int *indices = mo_pool_take(r->pool, corners, sizeof *indices);
        MO_FAIL_IF(!points || !indices, mo_reader_no_memory(r));
        memcpy(points, of->points, numbers * sizeof *points);
        memcpy(indices, of->triangles, corners * sizeof *indices);
        of->drawn = points;
        of->drawn_indices = indices;
    }
    shape->kind = MO_SHAPE_MESH;
    shape->points = of->drawn;
    shape->point_count = of->point_count;
    shape->indices = of->drawn_indices;
    shape->index_count = 3 * of->triangle_count;
    return true;
}

bool mo_reader_ellipsoid_shape(mo_reader *r, const mo_xml_node *node, const double half[3],
                               mo_shape_def *shape)
{
    enum { RINGS = 11, AROUND = 18, POINTS = RINGS * AROUND + 2 };
    const double pi = 3.14159265358979323846;
    double point[POINTS][3] = {{0, 0, half[2]}, {0, 0, -half[2]}};
    for (int i = 0; i < RINGS; ++i) {
        const double down = pi * (i + 1) / (RINGS + 1);
        for (int j = 0; j < AROUND; ++j) {
            double *x = point[2 + i * AROUND + j];
            x[0] = half[0] * sin(down) * cos(2 * pi * j / AROUND);
            x[1] = half[1] * sin(down) * sin(2 * pi * j / AROUND);
            x[2] = half[2] * cos(down);
        }
    }
    return hull_shape(r, node, point[0], POINTS, shape);
}
