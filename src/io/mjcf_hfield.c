/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Height fields: <hfield name size="x y z base" .../> with heights on a grid over [-x, x] times
 * [-y, y], shifted and scaled so that they reach from 0 to z.  They come from
 *
 *   elevation="..."   nrow times ncol numbers, the row of the largest y first
 *   file="*.png"      the brightness of an image, its upper row at the largest y
 *   file="*"          MuJoCo's own: nrow, ncol (32-bit integers), then floats, the smallest y first
 *
 * and become a mesh of two triangles a cell.  The block below the surface (base) is left out.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "io/image.h"
#include "io/mjcf.h"

typedef struct grid {
    int rows, columns;
    double *height; /* in the tree's pool; the row of the smallest y first */
} grid;

static bool make_grid(mo_mjcf *m, const mo_xml_node *node, double rows, double columns, grid *g)
{
    MO_FAIL_IF(!(rows >= 2 && columns >= 2 && rows * columns <= MO_MESH_POINTS) ||
                   rows != floor(rows) || columns != floor(columns),
               mo_reader_fail(m->r, node,
                              "has %g rows of %g heights; it needs at least two rows and two "
                              "columns, and at most %d heights",
                              rows, columns, (int)MO_MESH_POINTS));
    g->rows = (int)rows;
    g->columns = (int)columns;
    g->height = mo_pool_take(&m->r->tree, (size_t)(rows * columns), sizeof *g->height);
    return g->height || mo_reader_no_memory(m->r);
}

static bool read_inline(mo_mjcf *m, const mo_xml_node *node, const char *text, grid *g)
{
    const int count = g->rows * g->columns;
    double *numbers = mo_pool_take(&m->r->tree, (size_t)count, sizeof *numbers);
    MO_FAIL_IF(!numbers, mo_reader_no_memory(m->r));
    MO_PASS(mo_reader_numbers(m->r, node, "elevation", text, count, count, numbers, NULL));
    for (int k = 0; k < count; ++k) {
        const int row = g->rows - 1 - k / g->columns;
        g->height[row * g->columns + k % g->columns] = numbers[k];
    }
    return true;
}

static bool take_image(mo_mjcf *m, const mo_xml_node *node, const char *file, const char *bytes,
                       size_t size, grid *g)
{
    mo_message why = {{0}};
    mo_image image;
    const mo_error error =
        mo_image_read_grey(bytes, size, MO_MESH_POINTS, &m->r->tree.allocator, &image, &why);
    if (error) {
        mo_reader_fail(m->r, node, "%.200s: %.300s", file, why.text);
        m->r->error = error;
        return false;
    }
    const bool is_made = make_grid(m, node, image.height, image.width, g);
    for (int k = 0; is_made && k < image.height * image.width; ++k) {
        const int row = g->rows - 1 - k / g->columns;
        g->height[row * g->columns + k % g->columns] = image.grey[k];
    }
    mo_memory_free(&m->r->tree.allocator, image.grey);
    return is_made;
}

static bool take_binary(mo_mjcf *m, const mo_xml_node *node, const char *file, const char *bytes,
                        size_t size, grid *g)
{
    int32_t counts[2] = {0, 0};
    if (size >= sizeof counts) memcpy(counts, bytes, sizeof counts);
    MO_PASS(make_grid(m, node, counts[0], counts[1], g));
    const size_t count = (size_t)g->rows * (size_t)g->columns;
    MO_FAIL_IF(size != sizeof counts + count * sizeof(float),
               mo_reader_fail(m->r, node,
                              "%.200s: the file size does not match %d rows of %d heights", file,
                              g->rows, g->columns));
    for (size_t k = 0; k < count; ++k) {
        float value;
        memcpy(&value, bytes + sizeof counts + k * sizeof value, sizeof value);
        g->height[k] = (double)value;
        MO_FAIL_IF(!isfinite(value),
                   mo_reader_fail(m->r, node, "%.200s: a height is not a finite number", file));
    }
    return true;
}

static bool read_from_file(mo_mjcf *m, const mo_xml_node *node, const char *file, grid *g)
{
    char path[MO_PATH];
    char *bytes = NULL;
    size_t size = 0;
    mo_message why = {{0}};
    mo_reader *r = m->r;
    MO_PASS(mo_mjcf_asset_path(m, node, file, path));
    const mo_error error = mo_file_read(path, file, MO_MESH_BYTES - r->mesh_bytes,
                                        &r->tree.allocator, &bytes, &size, &why);
    if (error) {
        mo_reader_fail(r, node, "%.380s", why.text);
        r->error = error;
        return false;
    }
    r->mesh_bytes += size;
    const char *end = strrchr(file, '.');
    const bool is_read = end && strcasecmp(end, ".png") == 0
                             ? take_image(m, node, file, bytes, size, g)
                             : take_binary(m, node, file, bytes, size, g);
    mo_memory_free(&r->tree.allocator, bytes);
    return is_read;
}

/* Heights from 0 to `top`; a flat field is at 0.  Halves do not overflow. */
static void normalise(grid *g, double top)
{
    const int count = g->rows * g->columns;
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < count; ++k) {
        low = fmin(low, g->height[k]);
        high = fmax(high, g->height[k]);
    }
    for (int k = 0; k < count; ++k) {
        g->height[k] =
            high > low ? top * ((0.5 * g->height[k] - 0.5 * low) / (0.5 * high - 0.5 * low)) : 0;
    }
}

static int make_mesh(mo_mjcf *m, const grid *g, const double size[4])
{
    const mo_allocator *allocator = &m->r->tree.allocator;
    const size_t points = (size_t)g->rows * (size_t)g->columns;
    const size_t cells = (size_t)(g->rows - 1) * (size_t)(g->columns - 1);
    mo_mesh_file mesh = {.points = mo_memory_array(allocator, 3 * points, sizeof(double)),
                         .point_count = (int)points,
                         .triangles = mo_memory_array(allocator, 6 * cells, sizeof(int)),
                         .triangle_count = 2 * (int)cells};
    if (!mesh.points || !mesh.triangles) {
        mo_mesh_file_clear(allocator, &mesh);
        mo_reader_no_memory(m->r);
        return -1;
    }
    mo_height_field_mesh(g->rows, g->columns, 1, g->height, mesh.points, mesh.triangles);
    for (size_t k = 0; k < points; ++k) {
        double *x = mesh.points + 3 * k;
        x[0] = size[0] * (2 * x[0] / (g->columns - 1) - 1);
        x[1] = size[1] * (2 * x[1] / (g->rows - 1) - 1);
    }
    return mo_reader_keep_mesh(m->r, &mesh);
}

bool mo_mjcf_height_field(mo_mjcf *m, const mo_xml_node *node)
{
    const char *file = mo_xml_get(node, "file"), *text = mo_xml_get(node, "elevation");
    double size[4] = {0}, rows = 0, columns = 0;
    grid g = {0};
    MO_PASS(mo_mjcf_numbers(m, node, NULL, "size", 4, 4, size, NULL) &&
            mo_mjcf_number(m, node, NULL, "nrow", &rows) &&
            mo_mjcf_number(m, node, NULL, "ncol", &columns));
    MO_FAIL_IF(!(size[0] > 0 && size[1] > 0 && size[2] > 0 && size[3] >= 0),
               mo_reader_fail(m->r, node,
                              "needs a size of four positive numbers: x, y, height and "
                              "base"));
    if (file ? !read_from_file(m, node, file, &g)
             : !make_grid(m, node, rows, columns, &g) || (text && !read_inline(m, node, text, &g)))
        return false;
    normalise(&g, size[2]);
    const int mesh = make_mesh(m, &g, size);
    return mesh >= 0 && mo_reader_name_add(m->r, node, 'h', mo_mjcf_asset_name(m->r, node), mesh);
}
