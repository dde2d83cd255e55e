/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * STL, binary: 80 bytes, a count, then 50 bytes a triangle: normal, three corners (floats, little
 * endian), two bytes.  STL, text: words; of each triangle the three lines "vertex x y z".  A file
 * that begins with "solid" is text unless its length is that of a binary one. OBJ: lines "v x y z"
 * and "f a b c ...", a being "5", "5/1", "5//2" or "-1" (from the end); polygons are cut into fans.
 *
 * MSH, of MuJoCo: four counts, then points, normals (floats), texture coordinates, triangles.
 * COLLADA is read by collada.c.
 *
 * Corners that are the same point in all bits are joined, so that hulls and volumes see each point
 * once.  An OBJ file may have points alone.
 */
#define _XOPEN_SOURCE 700
#include "io/mesh_file.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "linalg/vec3.h"

/* ---- numbers --------------------------------------------------------------------------------- */

const char *mo_text_number(const char *text, double *value)
{
    char token[128];
    const char *point = localeconv()->decimal_point;
    size_t from = strspn(text, " \t\r\n"), length = 0;
    for (const char *c = text + from; *c && !isspace((unsigned char)*c) && *c != ','; ++c) {
        if (length + 1 >= sizeof token) return NULL;
        token[length++] = *c == '.' ? point[0] : *c;
    }
    token[length] = 0;
    char *end;
    *value = strtod(token, &end);
    return end == token || *end || strpbrk(token, "xXpP") ? NULL : text + from + length;
}

int mo_mesh_fail(mo_mesh_building *b, const char *sentence)
{
    if (!b->error) b->error = mo_fail(b->why, MO_ERR_FORMAT, "%.200s: %s", b->shown, sentence);
    return 0;
}

int mo_mesh_no_memory(mo_mesh_building *b)
{
    if (!b->error) b->error = mo_fail_memory(b->why);
    return 0;
}

/* ---- points that are seen once --------------------------------------------------------------- */

static size_t hash_point(const double x[3])
{
    uint64_t bits[3], h = 1469598103934665603u;
    memcpy(bits, x, sizeof bits);
    for (int k = 0; k < 3; ++k) {
        h = (h ^ bits[k] ^ (bits[k] >> 29)) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    return (size_t)h;
}

static int make_slots(mo_mesh_building *b, size_t count)
{
    int *slots = mo_memory_array(b->allocator, count, sizeof *slots);
    MO_FAIL_IF(!slots, mo_mesh_no_memory(b));
    memset(slots, 0xff, count * sizeof *slots);
    for (int k = 0; k < b->mesh->point_count; ++k) {
        size_t at = hash_point(b->mesh->points + 3 * (size_t)k) % count;
        while (slots[at] >= 0)
            at = (at + 1) % count;
        slots[at] = k;
    }
    mo_memory_free(b->allocator, b->slots);
    b->slots = slots;
    b->slot_count = count;
    return 1;
}

static int append_point(mo_mesh_building *b, const double x[3])
{
    mo_mesh_file *mesh = b->mesh;
    MO_FAIL_IF(!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]),
               mo_mesh_fail(b, "a corner is not a finite number"));
    MO_FAIL_IF(mesh->point_count >= MO_MESH_POINTS,
               mo_mesh_fail(b, "the mesh has more than 2000000 points"));
    MO_FAIL_IF(
        !MO_GROW(b->allocator, mesh->points, b->point_room, 3 * ((size_t)mesh->point_count + 1)),
        mo_mesh_no_memory(b));
    double *p = mesh->points + 3 * (size_t)mesh->point_count++;
    for (int k = 0; k < 3; ++k)
        p[k] = x[k] == 0 ? 0 : x[k]; /* -0 is 0 */
    return 1;
}

int mo_mesh_place_point(mo_mesh_building *b, const double x[3])
{
    const double p[3] = {x[0] == 0 ? 0 : x[0], x[1] == 0 ? 0 : x[1], x[2] == 0 ? 0 : x[2]};
    if (2 * ((size_t)b->mesh->point_count + 1) > b->slot_count &&
        !make_slots(b, b->slot_count ? 2 * b->slot_count : 1024))
        return -1;
    size_t at = hash_point(p) % b->slot_count;
    while (b->slots[at] >= 0) {
        if (mo_vec3_are_equal(b->mesh->points + 3 * (size_t)b->slots[at], p)) return b->slots[at];
        at = (at + 1) % b->slot_count;
    }
    if (!append_point(b, p)) return -1;
    return b->slots[at] = b->mesh->point_count - 1;
}

int mo_mesh_add_triangle(mo_mesh_building *b, int p, int q, int r)
{
    mo_mesh_file *mesh = b->mesh;
    if (p == q || q == r || r == p) return 1;
    MO_FAIL_IF(mesh->triangle_count >= MO_MESH_POINTS,
               mo_mesh_fail(b, "the mesh has more than 2000000 triangles"));
    MO_FAIL_IF(!MO_GROW(b->allocator, mesh->triangles, b->triangle_room,
                        3 * ((size_t)mesh->triangle_count + 1)),
               mo_mesh_no_memory(b));
    int *t = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    t[0] = p, t[1] = q, t[2] = r;
    return 1;
}

static int add_corners(mo_mesh_building *b, const double corner[3][3])
{
    int place[3];
    for (int k = 0; k < 3; ++k) {
        place[k] = mo_mesh_place_point(b, corner[k]);
        if (place[k] < 0) return 0;
    }
    return mo_mesh_add_triangle(b, place[0], place[1], place[2]);
}

/* ---- STL ------------------------------------------------------------------------------------- */

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static uint32_t little_endian(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static double float_at(const unsigned char *at)
{
    const uint32_t bits = little_endian(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static int read_stl_binary(mo_mesh_building *b, const char *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const uint32_t count = little_endian(at + 80);
    MO_FAIL_IF(size < STL_HEAD + (size_t)STL_TRIANGLE * count,
               mo_mesh_fail(b, "the binary STL file ends before its last triangle"));
    at += STL_HEAD;
    for (uint32_t k = 0; k < count; ++k, at += STL_TRIANGLE) {
        double corner[3][3];
        for (int c = 0; c < 9; ++c)
            corner[c / 3][c % 3] = float_at(at + 12 + 4 * c);
        MO_PASS(add_corners(b, (const double(*)[3])corner));
    }
    return 1;
}

static int read_stl_text(mo_mesh_building *b, const char *text)
{
    double corner[3][3];
    int k = 0;
    for (const char *at = strstr(text, "vertex"); at; at = strstr(at, "vertex")) {
        at += strlen("vertex");
        for (int c = 0; c < 3; ++c) {
            const char *end = mo_text_number(at, &corner[k][c]);
            MO_FAIL_IF(!end, mo_mesh_fail(
                                 b, "a line 'vertex' of the STL file does not have three numbers"));
            at = end;
        }
        k = (k + 1) % 3;
        if (k == 0 && !add_corners(b, (const double(*)[3])corner)) return 0;
    }
    return k == 0 ? 1 : mo_mesh_fail(b, "the STL file ends inside a triangle");
}

static int read_stl(mo_mesh_building *b, const char *bytes, size_t size)
{
    const int is_binary_size =
        size >= STL_HEAD &&
        size == STL_HEAD + (size_t)STL_TRIANGLE * little_endian((const unsigned char *)bytes + 80);
    if (!is_binary_size && size > 5 && strncmp(bytes, "solid", 5) == 0)
        return read_stl_text(b, bytes);
    return size >= STL_HEAD ? read_stl_binary(b, bytes, size)
                            : mo_mesh_fail(b, "the file is too short for STL");
}

/* ---- MSH ------------------------------------------------------------------------------------- */

static int read_msh(mo_mesh_building *b, const char *bytes, size_t size)
{
    enum { HEAD = 16, PLACES = 12 }; /* bytes; of a point, a normal or a triangle */
    const unsigned char *at = (const unsigned char *)bytes;
    uint64_t count[4] = {0}; /* points, normals, texture coordinates, triangles */
    for (int k = 0; k < 4 && size >= HEAD; ++k)
        count[k] = little_endian(at + 4 * k);
    MO_FAIL_IF(size < HEAD ||
                   size != HEAD + PLACES * (count[0] + count[1] + count[3]) + 8 * count[2],
               mo_mesh_fail(b, "the MSH file is not as long as its counts say"));
    const unsigned char *point = at + HEAD, *face = at + size - PLACES * count[3];
    for (uint64_t k = 0; k < count[3]; ++k, face += PLACES) {
        double corner[3][3];
        for (int c = 0; c < 9; ++c) {
            const uint32_t which = little_endian(face + 4 * (c / 3));
            MO_FAIL_IF(which >= count[0],
                       mo_mesh_fail(
                           b, "a triangle of the MSH file refers to a point that does not exist"));
            corner[c / 3][c % 3] = float_at(point + PLACES * (size_t)which + 4 * (c % 3));
        }
        MO_PASS(add_corners(b, (const double(*)[3])corner));
    }
    for (uint64_t k = 0; count[3] == 0 && k < count[0]; ++k, point += PLACES) {
        const double x[3] = {float_at(point), float_at(point + 4), float_at(point + 8)};
        MO_PASS(append_point(b, x));
    }
    return 1;
}

/* ---- OBJ ------------------------------------------------------------------------------------- */

static int read_obj_vertex(mo_mesh_building *b, const char *at)
{
    double x[3];
    for (int k = 0; k < 3; ++k) {
        at = mo_text_number(at, &x[k]);
        MO_FAIL_IF(!at, mo_mesh_fail(b, "a line 'v' of the OBJ file does not have three numbers"));
    }
    return append_point(b, x);
}

static int read_obj_face(mo_mesh_building *b, const char *at)
{
    int first = -1, before = -1;
    for (;;) {
        at += strspn(at, " \t");
        if (!*at || *at == '\r' || *at == '\n' || *at == '#' || *at == '\\') return 1;
        char *end;
        long place = strtol(at, &end, 10);
        place = place < 0 ? b->mesh->point_count + place : place - 1;
        MO_FAIL_IF(
            end == at || place < 0 || place >= b->mesh->point_count,
            mo_mesh_fail(b, "a line 'f' of the OBJ file refers to a point that does not exist"));
        if (first < 0) {
            first = (int)place;
        } else {
            if (before >= 0 && !mo_mesh_add_triangle(b, first, before, (int)place)) return 0;
            before = (int)place;
        }
        at = end + strcspn(end, " \t\r\n");
    }
}

/* Splits the text into lines in place. */
static int read_obj(mo_mesh_building *b, char *text)
{
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        const char *at = line + strspn(line, " \t");
        if (at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) {
            if (!read_obj_vertex(b, at + 1)) return 0;
        } else if (at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) {
            if (!read_obj_face(b, at + 1)) return 0;
        }
        line = end ? end + 1 : NULL;
    }
    return 1;
}

/* ---- either ---------------------------------------------------------------------------------- */

static int ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), n = strlen(end);
    return length >= n && strcasecmp(name + length - n, end) == 0;
}

int mo_mesh_file_is_known(const char *name)
{
    return name && (ends_in(name, ".stl") || ends_in(name, ".obj") || ends_in(name, ".dae") ||
                    ends_in(name, ".msh"));
}

static int read_kind(mo_mesh_building *b, const char *path, char *bytes, size_t size)
{
    if (ends_in(path, ".stl")) return read_stl(b, bytes, size);
    if (ends_in(path, ".obj")) return read_obj(b, bytes);
    if (ends_in(path, ".msh")) return read_msh(b, bytes, size);
    if (ends_in(path, ".dae")) return mo_mesh_read_collada(b, path);
    b->error = mo_fail(b->why, MO_ERR_UNSUPPORTED,
                       "%.200s: meshes are read from .stl, .obj, .dae and .msh files; convert it",
                       b->shown);
    return 0;
}

mo_error mo_mesh_file_read(const char *path, const char *shown, size_t most,
                           const mo_allocator *allocator, mo_mesh_file *mesh, size_t *size,
                           mo_message *why)
{
    char *bytes = NULL;
    *size = 0;
    *mesh = (mo_mesh_file){0};
    mo_mesh_building b = {.allocator = allocator, .shown = shown, .mesh = mesh, .why = why};
    b.error = mo_file_read(path, shown, most, allocator, &bytes, size, why);
    if (!b.error && read_kind(&b, path, bytes, *size) && mesh->triangle_count == 0 &&
        mesh->point_count < 4)
        mo_mesh_fail(&b, "the mesh has no triangles");
    MO_FREE(allocator, bytes, b.slots);
    if (b.error) mo_mesh_file_clear(allocator, mesh);
    return b.error;
}

void mo_mesh_file_clear(const mo_allocator *allocator, mo_mesh_file *mesh)
{
    MO_FREE(allocator, mesh->points, mesh->triangles);
    *mesh = (mo_mesh_file){0};
}
