/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * COLLADA (.dae): triangles, polygons and polylists of all geometries in the visual scene, with the
 * transforms of their nodes, in metres.  Without a visual scene every geometry is used once.
 *
 * The unit of length is applied; the up axis is ignored, as in ROS.  Skins, curves, materials and
 * instances from other files are left out.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/mesh_file.h"
#include "io/xml.h"

enum { MOST_LEVELS = 60, MOST_INSTANCES = 20000 };

/* x to A x + b, as the upper three rows of a 4 x 4 matrix. */
typedef struct transform {
    double m[3][4];
} transform;

typedef struct collada {
    mo_mesh_building *b;
    const mo_xml_node *root;
    mo_pool *pool;
    int instances;
    size_t read; /* bytes of number lists, including repeated reads */
} collada;

static transform product(const transform *a, const transform *b)
{
    transform out = {{{0}}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            out.m[i][j] = j == 3 ? a->m[i][3] : 0;
            for (int k = 0; k < 3; ++k)
                out.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    }
    return out;
}

static transform scaled(double x, double y, double z)
{
    return (transform){{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}}};
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads up to `most` numbers of a text; their number, or -1 if it contains anything else. */
static int numbers_of(const char *text, int most, double *out)
{
    int count = 0;
    const char *at = text ? text : "";
    for (at += strspn(at, " \t\r\n"); *at && count < most; at += strspn(at, " \t\r\n")) {
        const char *end = mo_text_number(at, out + count);
        if (!end || end == at) return -1;
        ++count;
        at = end;
    }
    return count;
}

/* All numbers of a text, in the pool. */
static double *all_numbers(collada *c, const char *text, int *count)
{
    const size_t most = text ? strlen(text) / 2 + 1 : 1;
    double *out = mo_pool_take(c->pool, most + 1, sizeof *out);
    if (!out) {
        mo_mesh_no_memory(c->b);
        return NULL;
    }
    c->read += 2 * most;
    if (c->read > MO_MESH_BYTES) {
        mo_mesh_fail(c->b, "the scene contains too many instances of its geometries");
        return NULL;
    }
    *count = numbers_of(text, (int)most, out);
    if (*count < 0) {
        mo_mesh_fail(c->b, "a list of numbers contains other text");
        return NULL;
    }
    return out;
}

static int whole_of(const mo_xml_node *node, const char *attribute, int otherwise)
{
    double value;
    const char *text = mo_xml_get(node, attribute);
    return text && mo_text_number(text, &value) && value >= 0 && value <= 1e9 ? (int)value
                                                                              : otherwise;
}

/* ---- search ---------------------------------------------------------------------------------- */

/* Of that id, among the children and theirs. */
static const mo_xml_node *find_id(const mo_xml_node *node, const char *id, int level)
{
    for (const mo_xml_node *child = node->first; child && level < MOST_LEVELS;
         child = child->next) {
        const mo_xml_node *found =
            mo_xml_equals(child, "id", id) ? child : find_id(child, id, level + 1);
        if (found) return found;
    }
    return NULL;
}

/* "#id" of an attribute, in `under`. */
static const mo_xml_node *follow(const mo_xml_node *under, const mo_xml_node *node,
                                 const char *attribute)
{
    const char *url = mo_xml_get(node, attribute);
    return under && url && url[0] == '#' ? find_id(under, url + 1, 0) : NULL;
}

static const mo_xml_node *input_of(const mo_xml_node *node, const char *semantic)
{
    MO_XML_EACH (input, node, "input")
        if (mo_xml_equals(input, "semantic", semantic)) return input;
    return NULL;
}

/* ---- geometry -------------------------------------------------------------------------------- */

typedef struct corners {
    double *at; /* three numbers each */
    int count;
} corners;

/* The positions of a mesh. */
static int read_points(collada *c, const mo_xml_node *mesh, corners *out)
{
    const mo_xml_node *input = input_of(mo_xml_child(mesh, "vertices"), "POSITION");
    const mo_xml_node *source = follow(mesh, input, "source");
    const mo_xml_node *array = mo_xml_child(source, "float_array");
    const mo_xml_node *accessor =
        mo_xml_child(mo_xml_child(source, "technique_common"), "accessor");
    MO_FAIL_IF(!array, mo_mesh_fail(c->b, "a mesh has no positions"));
    const int stride = whole_of(accessor, "stride", 3), offset = whole_of(accessor, "offset", 0);
    int count = 0;
    const double *numbers = all_numbers(c, array->text, &count);
    if (!numbers) return 0;
    MO_FAIL_IF(stride < 3 || offset > count,
               mo_mesh_fail(c->b, "positions have fewer than three numbers each"));
    out->count = (count - offset) / stride;
    out->at = mo_pool_take(c->pool, 3 * (size_t)out->count + 1, sizeof *out->at);
    MO_FAIL_IF(!out->at, mo_mesh_no_memory(c->b));
    for (int k = 0; k < out->count; ++k) {
        memcpy(out->at + 3 * (size_t)k, numbers + offset + (size_t)k * (size_t)stride,
               3 * sizeof *numbers);
    }
    return 1;
}

/* Corner k of a list, through the transform: its place in the mesh, or -1. */
static int place_corner(collada *c, const corners *points, const transform *t, double number)
{
    if (!(number >= 0 && number < points->count) || number != floor(number)) {
        mo_mesh_fail(c->b, "a corner is not among the positions");
        return -1;
    }
    const double *x = points->at + 3 * (size_t)number;
    double moved[3];
    for (int i = 0; i < 3; ++i)
        moved[i] = t->m[i][0] * x[0] + t->m[i][1] * x[1] + t->m[i][2] * x[2] + t->m[i][3];
    return mo_mesh_place_point(c->b, moved);
}

/* A polygon of `count` corners as a fan; mirrored ones are reversed. */
static int add_polygon(collada *c, const corners *points, const transform *t, int is_mirror,
                       const double *list, int stride, int count)
{
    int first = -1, before = -1;
    for (int k = 0; k < count; ++k) {
        const int at = place_corner(c, points, t, list[(size_t)k * (size_t)stride]);
        if (at < 0) return 0;
        if (k >= 2 && !(is_mirror ? mo_mesh_add_triangle(c->b, first, at, before)
                                  : mo_mesh_add_triangle(c->b, first, before, at)))
            return 0;
        first = k == 0 ? at : first;
        before = at;
    }
    return 1;
}

static int stride_of(const mo_xml_node *faces)
{
    int most = 0;
    MO_XML_EACH (input, faces, "input") {
        const int offset = whole_of(input, "offset", 0);
        most = offset > most ? offset : most;
    }
    return most + 1;
}

/* <triangles>, <polylist> with <vcount>, or <polygons> with a <p> each. */
static int add_faces(collada *c, const mo_xml_node *faces, const corners *points,
                     const transform *t, int is_mirror)
{
    const mo_xml_node *input = input_of(faces, "VERTEX"), *sizes = mo_xml_child(faces, "vcount");
    const int is_polygons = strcmp(faces->name, "polygons") == 0;
    const int stride = stride_of(faces), offset = whole_of(input, "offset", 0);
    int size_count = 0;
    const double *size = sizes ? all_numbers(c, sizes->text, &size_count) : NULL;
    if (!input || (sizes && !size) || stride > 1000)
        return c->b->error ? 0 : mo_mesh_fail(c->b, "faces have no corners");
    MO_XML_EACH (p, faces, "p") {
        int count = 0, at = 0;
        const double *list = all_numbers(c, p->text, &count);
        if (!list) return 0;
        const int all = count / stride; /* corners */
        for (int k = 0; at < all && (!size || k < size_count); ++k) {
            const double wanted = size ? size[k] : is_polygons ? all : 3;
            MO_FAIL_IF(!(wanted >= 1 && wanted <= all - at),
                       mo_mesh_fail(c->b, "a face has more corners than are listed"));
            MO_PASS(add_polygon(c, points, t, is_mirror,
                                list + (size_t)at * (size_t)stride + offset, stride, (int)wanted));
            at += (int)wanted;
        }
    }
    return 1;
}

static double determinant(const transform *t)
{
    const double *a = t->m[0], *b = t->m[1], *c = t->m[2];
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static int add_geometry(collada *c, const mo_xml_node *geometry, const transform *t)
{
    const mo_xml_node *mesh = mo_xml_child(geometry, "mesh");
    const int is_mirror = determinant(t) < 0;
    corners points = {0};
    if (!mesh) return 1; /* a spline */
    MO_FAIL_IF(++c->instances > MOST_INSTANCES,
               mo_mesh_fail(c->b, "the scene has more than 20000 instances of geometries"));
    mo_pool_clear(c->pool); /* of the geometry before */
    MO_PASS(read_points(c, mesh, &points));
    int is_read = 1;
    for (const mo_xml_node *child = mesh->first; child && is_read; child = child->next)
        if (strcmp(child->name, "triangles") == 0 || strcmp(child->name, "polylist") == 0 ||
            strcmp(child->name, "polygons") == 0)
            is_read = add_faces(c, child, &points, t, is_mirror);
    return is_read;
}

/* ---- the scene ------------------------------------------------------------------------------- */

static int read_transform(collada *c, const mo_xml_node *node, transform *t)
{
    double x[16];
    transform own = scaled(1, 1, 1);
    const int count = numbers_of(node->text, 16, x);
    if (strcmp(node->name, "matrix") == 0 && count == 16) {
        memcpy(own.m, x, sizeof own.m);
    } else if (strcmp(node->name, "translate") == 0 && count == 3) {
        for (int i = 0; i < 3; ++i)
            own.m[i][3] = x[i];
    } else if (strcmp(node->name, "scale") == 0 && count == 3) {
        own = scaled(x[0], x[1], x[2]);
    } else if (strcmp(node->name, "rotate") == 0 && count == 4) {
        const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        const double angle = x[3] * 3.14159265358979323846 / 180, s = sin(angle), k = cos(angle);
        if (size > 0) {
            const double u[3] = {x[0] / size, x[1] / size, x[2] / size};
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    const int third = 3 - i - j;
                    const double sign = (j - i + 3) % 3 == 1 ? -1 : 1;
                    own.m[i][j] = (1 - k) * u[i] * u[j] + (i == j ? k : sign * s * u[third]);
                }
            }
        }
    } else if (strcmp(node->name, "matrix") == 0 || strcmp(node->name, "translate") == 0 ||
               strcmp(node->name, "scale") == 0 || strcmp(node->name, "rotate") == 0) {
        return mo_mesh_fail(c->b, "a transform has the wrong number of values");
    }
    *t = product(t, &own);
    return 1;
}

static int add_node(collada *c, const mo_xml_node *node, const transform *around, int level)
{
    transform t = *around;
    MO_FAIL_IF(level > MOST_LEVELS || ++c->instances > MOST_INSTANCES,
               mo_mesh_fail(c->b, "nodes are nested too deep, or there are more than 20000"));
    for (const mo_xml_node *child = node->first; child; child = child->next) {
        if (strcmp(child->name, "instance_geometry") == 0) {
            const mo_xml_node *geometry = follow(c->root, child, "url");
            if (geometry && !add_geometry(c, geometry, &t)) return 0;
        } else if (strcmp(child->name, "instance_node") == 0) {
            const mo_xml_node *other = follow(c->root, child, "url");
            if (other && !add_node(c, other, &t, level + 1)) return 0;
        } else if (strcmp(child->name, "node") == 0) {
            if (!add_node(c, child, &t, level + 1)) return 0;
        } else if (!read_transform(c, child, &t)) {
            return 0;
        }
    }
    return 1;
}

static double unit_of(const mo_xml_node *root)
{
    const char *text = mo_xml_get(mo_xml_child(mo_xml_child(root, "asset"), "unit"), "meter");
    double metre;
    return text && mo_text_number(text, &metre) && metre > 0 && isfinite(metre) ? metre : 1;
}

static int add_all(collada *c)
{
    const double unit = unit_of(c->root);
    const transform t = scaled(unit, unit, unit);
    const mo_xml_node *scene =
        mo_xml_child(mo_xml_child(c->root, "scene"), "instance_visual_scene");
    const mo_xml_node *shown = follow(c->root, scene, "url");
    shown = shown ? shown
                  : mo_xml_child(mo_xml_child(c->root, "library_visual_scenes"), "visual_scene");
    if (shown) return add_node(c, shown, &t, 0);
    MO_XML_EACH (geometry, mo_xml_child(c->root, "library_geometries"), "geometry")
        MO_PASS(add_geometry(c, geometry, &t));
    return 1;
}

int mo_mesh_read_collada(mo_mesh_building *b, const char *path)
{
    mo_pool pool = {.allocator = *b->allocator}, lists = pool;
    mo_xml_node *root = NULL;
    int elements = 0, is_read = 0;
    b->error = mo_xml_read(path, b->shown, &pool, &elements, &root, b->why);
    if (!b->error && strcmp(root->name, "COLLADA") != 0)
        mo_mesh_fail(b, "the root of a .dae file is <COLLADA>");
    if (!b->error) {
        collada c = {.b = b, .root = root, .pool = &lists};
        is_read = add_all(&c);
    }
    mo_pool_clear(&lists);
    mo_pool_clear(&pool);
    return is_read;
}
