/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Mesh assets from a file, or from points (and triangles; otherwise those of the convex hull) in
 * the element.  Each point x becomes scale * Q' (x - refpos), with Q the matrix of refquat.  Of
 * materials the colour and the finish (metal, roughness) are kept; textures are not read.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/mjcf.h"
#include "linalg/vec3.h"

/* As many numbers as the text has, into memory of the tree. */
static double *all_numbers(mo_mjcf *m, const mo_xml_node *node, const char *attribute, int *count)
{
    const char *text = mo_xml_get(node, attribute);
    const size_t most = strlen(text) / 2 + 1;
    double *numbers = mo_pool_take(&m->r->tree, most, sizeof *numbers);
    if (!numbers) {
        mo_reader_no_memory(m->r);
        return NULL;
    }
    return mo_reader_numbers(m->r, node, attribute, text, 0, (int)most, numbers, count) ? numbers
                                                                                        : NULL;
}

static bool inline_triangles(mo_mjcf *m, const mo_xml_node *node, mo_mesh_file *mesh)
{
    int count = 0;
    const double *numbers = all_numbers(m, node, "face", &count);
    MO_PASS(numbers);
    mesh->triangles =
        mo_memory_array(&m->r->tree.allocator, (size_t)count + 1, sizeof *mesh->triangles);
    MO_FAIL_IF(!mesh->triangles, mo_reader_no_memory(m->r));
    for (int k = 0; k < count; ++k) {
        MO_FAIL_IF(numbers[k] != floor(numbers[k]) || numbers[k] < 0 ||
                       numbers[k] >= mesh->point_count,
                   mo_reader_fail(m->r, node, "has a face with the point %g; there are %d",
                                  numbers[k], mesh->point_count));
        mesh->triangles[k] = (int)numbers[k];
    }
    mesh->triangle_count = count / 3;
    return (count % 3 == 0 && count > 0) ||
           mo_reader_fail(m->r, node, "has %d numbers in face; each triangle has three", count);
}

static int inline_mesh(mo_mjcf *m, const mo_xml_node *node)
{
    mo_mesh_file mesh = {0};
    int count = 0;
    const double *numbers = all_numbers(m, node, "vertex", &count);
    if (!numbers) return -1;
    if (count < 12 || count % 3 != 0) {
        mo_reader_fail(m->r, node,
                       "has %d numbers in vertex; a mesh has four points or more, of "
                       "three numbers each",
                       count);
        return -1;
    }
    mesh.point_count = count / 3;
    mesh.points = mo_memory_array(&m->r->tree.allocator, (size_t)count, sizeof *mesh.points);
    if (!mesh.points) {
        mo_reader_no_memory(m->r);
        return -1;
    }
    memcpy(mesh.points, numbers, (size_t)count * sizeof *numbers);
    if (mo_xml_get(node, "face") ? inline_triangles(m, node, &mesh)
                                 : mo_reader_hull_triangles(m->r, node, &mesh))
        return mo_reader_keep_mesh(m->r, &mesh);
    mo_mesh_file_clear(&m->r->tree.allocator, &mesh);
    return -1;
}

/* From the folder of the file that names it: in meshdir there, or in that folder itself. */
static bool find_beside(mo_mjcf *m, const mo_xml_node *node, const char *file, char path[MO_PATH])
{
    char beside[MO_PATH], under[2 * MO_PATH];
    mo_message ignored = {{0}};
    mo_reader_beside(node, beside);
    snprintf(under, sizeof under, "%s/%s", beside, mo_mjcf_by(m, node)->mesh_folder);
    return beside[0] && (mo_reader_path(m->r, under, file, path, &ignored) == MO_OK ||
                         mo_reader_path(m->r, beside, file, path, &ignored) == MO_OK);
}

bool mo_mjcf_asset_path(mo_mjcf *m, const mo_xml_node *node, const char *file, char path[MO_PATH])
{
    const char *slash = strrchr(file, '/');
    if (slash && mo_mjcf_by(m, node)->strip_path) file = slash + 1;
    mo_message why = {{0}};
    return !mo_reader_path(m->r, mo_mjcf_by(m, node)->mesh_folder, file, path, &why) ||
           find_beside(m, node, file, path) || mo_reader_fail(m->r, node, "%.380s", why.text);
}

static int file_mesh(mo_mjcf *m, const mo_xml_node *node, const char *file)
{
    static const double AS_IT_IS[3] = {1, 1, 1};
    char path[MO_PATH];
    return mo_mjcf_asset_path(m, node, file, path)
               ? mo_reader_mesh(m->r, node, path, file, AS_IT_IS)
               : -1;
}

static bool transform(mo_mjcf *m, const mo_xml_node *node, mo_mesh_file *mesh)
{
    double scale[3] = {1, 1, 1}, Q[9];
    mo_pose reference = mo_pose_identity();
    double *q = reference.orientation;
    MO_PASS(mo_mjcf_numbers(m, node, "mesh", "scale", 3, 3, scale, NULL) &&
            mo_mjcf_numbers(m, node, NULL, "refpos", 3, 3, reference.position, NULL) &&
            mo_mjcf_numbers(m, node, NULL, "refquat", 4, 4, q, NULL));
    MO_FAIL_IF(!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-28),
               mo_reader_fail(m->r, node, "has a refquat of length zero"));
    mo_quat_normalise(q);
    mo_quat_matrix(q, Q);
    for (int k = 0; k < mesh->point_count; ++k) {
        double *x = mesh->points + 3 * (size_t)k, moved[3];
        mo_vec3_minus(x, reference.position, moved);
        mo_mat3_apply_transposed(Q, moved, x);
        for (int c = 0; c < 3; ++c)
            x[c] *= scale[c];
    }
    if (scale[0] * scale[1] * scale[2] < 0) {
        for (int k = 0; k < mesh->triangle_count; ++k) {
            int *t = mesh->triangles + 3 * (size_t)k, first = t[0];
            t[0] = t[1];
            t[1] = first;
        }
    }
    return true;
}

/* inertia: of later versions of MuJoCo. */
static bool read_inertia_model(mo_mjcf *m, const mo_xml_node *node, mo_mesh_file *mesh)
{
    static const char *const WAYS[] = {"legacy", "exact", "shell", "convex", NULL};
    int way = 0;
    MO_PASS(mo_mjcf_word(m, node, "mesh", "inertia", WAYS, &way));
    mesh->is_exact = way == 1;
    mesh->is_shell = way == 2;
    if (way == 3)
        mo_reader_note(m->r, node, " inertia=\"convex\"> is not read: the mesh itself is weighed");
    return true;
}

const char *mo_mjcf_asset_name(mo_reader *r, const mo_xml_node *node)
{
    const char *file = mo_xml_get(node, "file"), *name = mo_xml_get(node, "name");
    if (!name && file) {
        const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
        const char *dot = strrchr(base, '.');
        name = mo_pool_text(&r->tree, base, dot ? (size_t)(dot - base) : strlen(base));
        if (!name) mo_reader_no_memory(r);
    }
    return name;
}

bool mo_mjcf_mesh(mo_mjcf *m, const mo_xml_node *node)
{
    const char *file = mo_xml_get(node, "file");
    MO_FAIL_IF(!file && !mo_xml_get(node, "vertex"),
               mo_reader_fail(m->r, node, "has neither a file nor points (vertex)"));
    const int mesh = file ? file_mesh(m, node, file) : inline_mesh(m, node);
    MO_PASS(mesh >= 0 && transform(m, node, m->r->meshes + mesh) &&
            read_inertia_model(m, node, m->r->meshes + mesh));
    const char *name = mo_mjcf_asset_name(m->r, node);
    return !m->r->error && mo_reader_name_add(m->r, node, 'm', name, mesh);
}

/* ---- materials ------------------------------------------------------------------------------- */

static const double LEAST_ROUGHNESS = 0.05; /* for drawing; 0 is a mirror */

static double within(double value, double least)
{
    return fmin(fmax(value, least), 1);
}

/*
 * Metallic and roughness, if the file defines them: by `metallic` and `roughness`, or by the older
 * attributes.  Then `reflectance` is used as metallic, and the roughness is 1 for a `specular` of
 * 0, as of rubber.
 */
static bool read_finish(mo_mjcf *m, const mo_xml_node *node, mo_mjcf_material *to)
{
    static const char *const NAMES[] = {"specular", "shininess", "reflectance", "metallic",
                                        "roughness"};
    enum { SPECULAR, SHININESS, REFLECTANCE, METALLIC, ROUGHNESS, COUNT };
    double value[COUNT] = {0.5, 0.5, 0, -1, -1}; /* MJCF's defaults */
    bool is_given = false;
    for (int k = 0; k < COUNT; ++k) {
        is_given = is_given || mo_mjcf_get(m, node, "material", NAMES[k]);
        MO_PASS(mo_mjcf_numbers(m, node, "material", NAMES[k], 1, 1, &value[k], NULL));
    }
    if (is_given) {
        const double highlight = value[SHININESS] * fmin(1, 2 * value[SPECULAR]);
        to->metallic = within(value[METALLIC] >= 0 ? value[METALLIC] : value[REFLECTANCE], 0);
        to->roughness =
            within(value[ROUGHNESS] >= 0 ? value[ROUGHNESS] : 1 - highlight, LEAST_ROUGHNESS);
    }
    return true;
}

static bool count_material(mo_mjcf *m, const mo_xml_node *node)
{
    (void)node;
    ++m->material_count;
    return true;
}

static bool read_material(mo_mjcf *m, const mo_xml_node *node)
{
    const int place = m->material_count++;
    mo_mjcf_material *to = m->materials + place;
    *to = (mo_mjcf_material){.colour = {1, 1, 1, 1}};
    return mo_mjcf_numbers(m, node, "material", "rgba", 4, 4, to->colour, NULL) &&
           read_finish(m, node, to) &&
           mo_reader_name_add(m->r, node, 'M', mo_xml_get(node, "name"), place);
}

bool mo_mjcf_materials(mo_mjcf *m)
{
    MO_PASS(mo_mjcf_each(m, "asset", "material", count_material));
    m->materials = mo_pool_take(&m->r->tree, (size_t)m->material_count + 1, sizeof *m->materials);
    m->material_count = 0;
    return m->materials ? mo_mjcf_each(m, "asset", "material", read_material)
                        : mo_reader_no_memory(m->r);
}
