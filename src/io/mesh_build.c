/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Construction of a mesh while its file is read: unique points, triangles, and the first error
 * message.
 */
#include "io/mesh_build.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "linalg/vec3.h"

int mo_mesh_fail(mo_mesh_building *b, const char *sentence)
{
    if (!b->error) {
        b->error = mo_fail(b->why, MO_ERR_FORMAT, "%.200s: %s", b->shown, sentence);
    }
    return 0;
}

int mo_mesh_no_memory(mo_mesh_building *b)
{
    if (!b->error) {
        b->error = mo_fail_memory(b->why);
    }
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

int mo_mesh_append_point(mo_mesh_building *b, const double x[3])
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
    for (int k = 0; k < 3; ++k) {
        p[k] = x[k] == 0 ? 0 : x[k]; /* -0 is 0 */
    }
    return 1;
}

/* Index of a point, which is added if it is new; -1 after an error. */
int mo_mesh_place_point(mo_mesh_building *b, const double x[3])
{
    const double p[3] = {x[0] == 0 ? 0 : x[0], x[1] == 0 ? 0 : x[1], x[2] == 0 ? 0 : x[2]};
    if (2 * ((size_t)b->mesh->point_count + 1) > b->slot_count &&
        !make_slots(b, b->slot_count ? 2 * b->slot_count : 1024)) {
        return -1;
    }
    size_t at = hash_point(p) % b->slot_count;
    while (b->slots[at] >= 0) {
        if (mo_vec3_are_equal(b->mesh->points + 3 * (size_t)b->slots[at], p)) {
            return b->slots[at];
        }
        at = (at + 1) % b->slot_count;
    }
    if (!mo_mesh_append_point(b, p)) {
        return -1;
    }
    return b->slots[at] = b->mesh->point_count - 1;
}

/* Triangles with two corners in one are left out: they have no area. */
int mo_mesh_add_triangle(mo_mesh_building *b, int p, int q, int r)
{
    mo_mesh_file *mesh = b->mesh;
    if (p == q || q == r || r == p) {
        return 1;
    }
    MO_FAIL_IF(mesh->triangle_count >= MO_MESH_POINTS,
               mo_mesh_fail(b, "the mesh has more than 2000000 triangles"));
    MO_FAIL_IF(!MO_GROW(b->allocator, mesh->triangles, b->triangle_room,
                        3 * ((size_t)mesh->triangle_count + 1)),
               mo_mesh_no_memory(b));
    int *t = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    t[0] = p, t[1] = q, t[2] = r;
    return 1;
}
