/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Meshes and ellipsoids of models as convex hulls, which is how they collide. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/hull.h"
#include "io/model_reader.h"

/* A sentence from elsewhere, about this node. */
static bool pass_on(mo_reader *r, const mo_xml_node *node, mo_error error, const mo_message *why)
{
    if (error == MO_ERR_MEMORY) {
        return mo_reader_no_memory(r);
    }
    mo_reader_fail(r, node, "%.380s", why->text);
    r->error = error;
    return false;
}

int mo_reader_mesh(mo_reader *r, const mo_xml_node *node, const char *under, const char *file,
                   const double scale[3])
{
    char path[MO_PATH];
    mo_message why = {{0}};
    mo_mesh_file mesh;
    size_t size = 0;
    mo_error error = mo_file_within(r->folder, under, file, path, &why);
    error = error ? error
                  : mo_mesh_file_read(path, file, MO_MESH_BYTES - r->mesh_bytes, &r->tree.allocator,
                                      &mesh, &size, &why);
    if (error) {
        pass_on(r, node, error, &why);
        return -1;
    }
    r->mesh_bytes += size;
    for (int k = 0; k < 3 * mesh.point_count; ++k) {
        mesh.points[k] *= scale[k % 3];
    }
    return mo_reader_keep_mesh(r, &mesh);
}

int mo_reader_keep_mesh(mo_reader *r, mo_mesh_file *mesh)
{
    if (!mo_memory_grow(&r->tree.allocator, (void **)&r->meshes, &r->mesh_room,
                        (size_t)r->mesh_count + 1, sizeof *r->meshes)) {
        mo_mesh_file_clear(&r->tree.allocator, mesh);
        mo_reader_no_memory(r);
        return -1;
    }
    r->meshes[r->mesh_count] = *mesh;
    return r->mesh_count++;
}

bool mo_reader_hull_shape(mo_reader *r, const mo_xml_node *node, const double *points, int count,
                          mo_shape_def *shape)
{
    mo_message why = {{0}};
    mo_hull *hull = mo_hull_create(&r->tree.allocator, 0, points, count, &why);
    if (!hull) {
        return pass_on(r, node, why.text[0] ? MO_ERR_FORMAT : MO_ERR_MEMORY, &why);
    }
    const int corners = hull->vertex_count;
    double *kept = mo_pool_take(r->pool, 3 * (size_t)corners, sizeof *kept);
    if (kept) {
        memcpy(kept, hull->vertex, 3 * (size_t)corners * sizeof *kept);
    }
    mo_hull_destroy(&r->tree.allocator, hull);
    shape->kind = MO_SHAPE_HULL;
    shape->points = kept;
    shape->point_count = corners;
    return kept || mo_reader_no_memory(r);
}

bool mo_reader_mesh_hull(mo_reader *r, const mo_xml_node *node, int mesh, mo_shape_def *shape)
{
    mo_mesh_file *of = r->meshes + mesh;
    if (!of->hull) {
        if (!mo_reader_hull_shape(r, node, of->points, of->point_count, shape)) {
            return false;
        }
        of->hull = shape->points;
        of->hull_count = shape->point_count;
    }
    shape->kind = MO_SHAPE_HULL;
    shape->points = of->hull;
    shape->point_count = of->hull_count;
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
    return mo_reader_hull_shape(r, node, point[0], POINTS, shape);
}
