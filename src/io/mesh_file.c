/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * STL, binary: 80 bytes, a count, then 50 bytes a triangle: normal, three corners (floats, little
 * endian), two bytes.  STL, text: words; of each triangle the three lines "vertex x y z".  A file
 * that begins with "solid" is text unless its length is that of a binary one. OBJ: lines "v x y z"
 * and "f a b c ...", a being "5", "5/1", "5//2" or "-1" (from the end); polygons are cut into fans.
 *
 * Corners that are the same point in all bits are joined, so that hulls and volumes see each point
 * once.  An OBJ file may have points alone.
 */
#define _XOPEN_SOURCE 700
#include "io/mesh_file.h"

#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

typedef struct building {
    const mo_allocator *allocator;
    const char *shown;
    mo_mesh_file *mesh;
    size_t point_room, triangle_room;
    int *slots; /* a hash table of points, -1 where empty */
    size_t slot_count;
    mo_error error;
    mo_message *why;
} building;

static int fail(building *b, const char *sentence)
{
    if (!b->error) {
        b->error = mo_fail(b->why, MO_ERR_FORMAT, "%.200s: %s", b->shown, sentence);
    }
    return 0;
}

static int no_memory(building *b)
{
    if (!b->error) {
        b->error = mo_fail_memory(b->why);
    }
    return 0;
}

/* ---- numbers --------------------------------------------------------------------------------- */

const char *mo_text_number(const char *text, double *value)
{
    char token[128];
    const char *point = localeconv()->decimal_point;
    size_t from = strspn(text, " \t\r\n"), length = 0;
    for (const char *c = text + from; *c && !isspace((unsigned char)*c) && *c != ','; ++c) {
        if (length + 1 >= sizeof token) {
            return NULL;
        }
        token[length++] = *c == '.' ? point[0] : *c;
    }
    token[length] = 0;
    char *end;
    *value = strtod(token, &end);
    return end == token || *end || strpbrk(token, "xXpP") ? NULL : text + from + length;
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

static int same_point(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static int make_slots(building *b, size_t count)
{
    int *slots = mo_memory_array(b->allocator, count, sizeof *slots);
    if (!slots) {
        return no_memory(b);
    }
    memset(slots, 0xff, count * sizeof *slots);
    for (int k = 0; k < b->mesh->point_count; ++k) {
        size_t at = hash_point(b->mesh->points + 3 * (size_t)k) % count;
        while (slots[at] >= 0) {
            at = (at + 1) % count;
        }
        slots[at] = k;
    }
    mo_memory_free(b->allocator, b->slots);
    b->slots = slots;
    b->slot_count = count;
    return 1;
}

static int append_point(building *b, const double x[3])
{
    mo_mesh_file *mesh = b->mesh;
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
        return fail(b, "a corner is no finite number");
    }
    if (mesh->point_count >= MO_MESH_POINTS) {
        return fail(b, "the mesh has more than 2000000 points");
    }
    if (!mo_memory_grow(b->allocator, (void **)&mesh->points, &b->point_room,
                        3 * ((size_t)mesh->point_count + 1), sizeof(double))) {
        return no_memory(b);
    }
    double *p = mesh->points + 3 * (size_t)mesh->point_count++;
    for (int k = 0; k < 3; ++k) {
        p[k] = x[k] == 0 ? 0 : x[k]; /* -0 is 0 */
    }
    return 1;
}

/* The place of a point, which is added where it is new; -1 for an error. */
static int place_point(building *b, const double x[3])
{
    const double p[3] = {x[0] == 0 ? 0 : x[0], x[1] == 0 ? 0 : x[1], x[2] == 0 ? 0 : x[2]};
    if (2 * ((size_t)b->mesh->point_count + 1) > b->slot_count &&
        !make_slots(b, b->slot_count ? 2 * b->slot_count : 1024)) {
        return -1;
    }
    size_t at = hash_point(p) % b->slot_count;
    while (b->slots[at] >= 0) {
        if (same_point(b->mesh->points + 3 * (size_t)b->slots[at], p)) {
            return b->slots[at];
        }
        at = (at + 1) % b->slot_count;
    }
    if (!append_point(b, p)) {
        return -1;
    }
    return b->slots[at] = b->mesh->point_count - 1;
}

/* Triangles with two corners in one are left out: they hold nothing. */
static int add_triangle(building *b, int p, int q, int r)
{
    mo_mesh_file *mesh = b->mesh;
    if (p == q || q == r || r == p) {
        return 1;
    }
    if (mesh->triangle_count >= MO_MESH_POINTS) {
        return fail(b, "the mesh has more than 2000000 triangles");
    }
    if (!mo_memory_grow(b->allocator, (void **)&mesh->triangles, &b->triangle_room,
                        3 * ((size_t)mesh->triangle_count + 1), sizeof(int))) {
        return no_memory(b);
    }
    int *t = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    t[0] = p, t[1] = q, t[2] = r;
    return 1;
}

static int add_corners(building *b, const double corner[3][3])
{
    int place[3];
    for (int k = 0; k < 3; ++k) {
        place[k] = place_point(b, corner[k]);
        if (place[k] < 0) {
            return 0;
        }
    }
    return add_triangle(b, place[0], place[1], place[2]);
}

/* ---- STL ------------------------------------------------------------------------------------- */

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static uint32_t little_endian(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static int read_stl_binary(building *b, const char *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const uint32_t count = little_endian(at + 80);
    if (size < STL_HEAD + (size_t)STL_TRIANGLE * count) {
        return fail(b, "the binary STL file ends before its last triangle");
    }
    at += STL_HEAD;
    for (uint32_t k = 0; k < count; ++k, at += STL_TRIANGLE) {
        double corner[3][3];
        for (int c = 0; c < 9; ++c) {
            const uint32_t bits = little_endian(at + 12 + 4 * c);
            float value;
            memcpy(&value, &bits, sizeof value);
            corner[c / 3][c % 3] = (double)value;
        }
        if (!add_corners(b, (const double(*)[3])corner)) {
            return 0;
        }
    }
    return 1;
}

static int read_stl_text(building *b, const char *text)
{
    double corner[3][3];
    int k = 0;
    for (const char *at = strstr(text, "vertex"); at; at = strstr(at, "vertex")) {
        at += strlen("vertex");
        for (int c = 0; c < 3; ++c) {
            const char *end = mo_text_number(at, &corner[k][c]);
            if (!end) {
                return fail(b, "a line 'vertex' of the STL file does not have three numbers");
            }
            at = end;
        }
        k = (k + 1) % 3;
        if (k == 0 && !add_corners(b, (const double(*)[3])corner)) {
            return 0;
        }
    }
    return k == 0 ? 1 : fail(b, "the STL file ends inside a triangle");
}

static int read_stl(building *b, const char *bytes, size_t size)
{
    const int is_binary_size =
        size >= STL_HEAD &&
        size == STL_HEAD + (size_t)STL_TRIANGLE * little_endian((const unsigned char *)bytes + 80);
    if (!is_binary_size && size > 5 && strncmp(bytes, "solid", 5) == 0) {
        return read_stl_text(b, bytes);
    }
    return size >= STL_HEAD ? read_stl_binary(b, bytes, size)
                            : fail(b, "the file is too short for STL");
}

/* ---- OBJ ------------------------------------------------------------------------------------- */

static int read_obj_vertex(building *b, const char *at)
{
    double x[3];
    for (int k = 0; k < 3; ++k) {
        at = mo_text_number(at, &x[k]);
        if (!at) {
            return fail(b, "a line 'v' of the OBJ file does not have three numbers");
        }
    }
    return append_point(b, x);
}

static int read_obj_face(building *b, const char *at)
{
    int first = -1, before = -1;
    for (;;) {
        at += strspn(at, " \t");
        if (!*at || *at == '\r' || *at == '\n' || *at == '#' || *at == '\\') {
            return 1;
        }
        char *end;
        long place = strtol(at, &end, 10);
        place = place < 0 ? b->mesh->point_count + place : place - 1;
        if (end == at || place < 0 || place >= b->mesh->point_count) {
            return fail(b, "a line 'f' of the OBJ file names a point that is not there");
        }
        if (first < 0) {
            first = (int)place;
        } else {
            if (before >= 0 && !add_triangle(b, first, before, (int)place)) {
                return 0;
            }
            before = (int)place;
        }
        at = end + strcspn(end, " \t\r\n");
    }
}

/* Cuts the text into lines where it stands. */
static int read_obj(building *b, char *text)
{
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end) {
            *end = 0;
        }
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
    return name && (ends_in(name, ".stl") || ends_in(name, ".obj"));
}

static int read_kind(building *b, const char *path, char *bytes, size_t size)
{
    if (ends_in(path, ".stl")) {
        return read_stl(b, bytes, size);
    }
    if (ends_in(path, ".obj")) {
        return read_obj(b, bytes);
    }
    b->error = mo_fail(b->why, MO_ERR_UNSUPPORTED,
                       "%.200s: meshes are read from .stl and .obj files; convert it", b->shown);
    return 0;
}

mo_error mo_mesh_file_read(const char *path, const char *shown, size_t most,
                           const mo_allocator *allocator, mo_mesh_file *mesh, size_t *size,
                           mo_message *why)
{
    char *bytes = NULL;
    *size = 0;
    *mesh = (mo_mesh_file){0};
    building b = {.allocator = allocator, .shown = shown, .mesh = mesh, .why = why};
    b.error = mo_file_read(path, shown, most, allocator, &bytes, size, why);
    if (!b.error && read_kind(&b, path, bytes, *size) && mesh->triangle_count == 0 &&
        mesh->point_count < 4) {
        fail(&b, "the mesh has no triangles");
    }
    mo_memory_free(allocator, bytes);
    mo_memory_free(allocator, b.slots);
    if (b.error) {
        mo_mesh_file_clear(allocator, mesh);
    }
    return b.error;
}

void mo_mesh_file_clear(const mo_allocator *allocator, mo_mesh_file *mesh)
{
    mo_memory_free(allocator, mesh->points);
    mo_memory_free(allocator, mesh->triangles);
    *mesh = (mo_mesh_file){0};
}
