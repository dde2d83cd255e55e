/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Construction of meshes, and the directions in which they may push. */
#include "collide/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "linalg/vec3.h"

#define BAD_INDEX "index %d of a mesh is %d, but it has %d points"
static const double SLOPE = 1e-6; /* sine: smaller slopes count as zero */
static const double FLAT = 1e-8;  /* 1 - cosine between normals of coplanar faces */

void mo_mesh_destroy(const mo_allocator *allocator, mo_mesh *mesh)
{
    if (mesh) {
        mo_tree_destroy(mesh->tree);
        MO_FREE(allocator, mesh->point, mesh->index, mesh->plane, mesh->beside, mesh->way_start,
                mesh->way, mesh);
    }
}

/* ---- points and faces ------------------------------------------------------------------------ */

typedef struct place {
    double x[3];
    int index;
} place;

static int by_place(const void *p, const void *q)
{
    const place *a = p, *b = q;
    for (int k = 0; k < 3; ++k)
        if (a->x[k] != b->x[k]) return a->x[k] < b->x[k] ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* one[k]: the first of the points at the place of point k. */
static int find_same(const mo_allocator *allocator, const mo_mesh *mesh, int *one)
{
    place *sorted = mo_memory_array(allocator, (size_t)mesh->point_count, sizeof *sorted);
    if (!sorted) return 0;
    for (int k = 0; k < mesh->point_count; ++k) {
        mo_vec3_copy(mesh->point[k], sorted[k].x);
        sorted[k].index = k;
    }
    qsort(sorted, (size_t)mesh->point_count, sizeof *sorted, by_place);
    for (int k = 0, first = 0; k < mesh->point_count; ++k) {
        first = mo_vec3_are_equal(sorted[k].x, sorted[first].x) ? first : k;
        one[sorted[k].index] = sorted[first].index;
    }
    mo_memory_free(allocator, sorted);
    return 1;
}

/* The outward plane of a face; false where it has no area. */
static int fit_plane(const mo_mesh *mesh, const int *corner, double plane[4])
{
    const double *p = mesh->point[corner[0]], *q = mesh->point[corner[1]];
    double d[3], e[3], longest;
    mo_vec3_minus(q, p, d);
    longest = mo_vec3_norm(d);
    if (mesh->sides == 2) { /* the solid is on the right of the chain */
        mo_vec3_set(plane, -d[1], d[0], 0);
    } else {
        mo_vec3_minus(mesh->point[corner[2]], p, e);
        longest = fmax(longest, mo_vec3_norm(e));
        mo_vec3_cross(d, e, plane);
        longest *= longest;
    }
    const double size = mo_vec3_norm(plane);
    if (!(size > 1e-13 * longest)) return 0;
    mo_vec3_scale(1 / size, plane, plane);
    plane[3] = mo_vec3_dot(plane, p);
    return 1;
}

static mo_error take_faces(const mo_shape_def *def, const int *one, mo_mesh *mesh, mo_message *why)
{
    for (int k = 0; k < def->index_count; k += mesh->sides) {
        int corner[3] = {0, 0, 0};
        for (int i = 0; i < mesh->sides; ++i) {
            const int given = def->indices[k + i];
            MO_REFUSE_IF(given < 0 || given >= def->point_count, why, BAD_INDEX, k + i, given,
                         def->point_count);
            corner[i] = one[given];
        }
        if (fit_plane(mesh, corner, mesh->plane[mesh->face_count])) {
            memcpy(mesh->index + mesh->sides * mesh->face_count++, corner,
                   (size_t)mesh->sides * sizeof *corner);
        }
    }
    return mesh->face_count ? MO_OK
                            : mo_fail(why, MO_ERR_ARGUMENT, "no face of a mesh has an area");
}

/* ---- neighbours ------------------------------------------------------------------------------ */

typedef struct side {
    int low, high, face, k;
} side;

static int by_ends(const void *p, const void *q)
{
    const side *a = p, *b = q;
    const int key[2][4] = {{a->low, a->high, a->face, a->k}, {b->low, b->high, b->face, b->k}};
    for (int i = 0; i < 4; ++i)
        if (key[0][i] != key[1][i]) return key[0][i] < key[1][i] ? -1 : 1;
    return 0;
}

/* Two faces are neighbours if they share a side that no third face has. */
static int find_neighbours(const mo_allocator *allocator, mo_mesh *mesh)
{
    const int count = 3 * mesh->face_count;
    side *all = mo_memory_array(allocator, (size_t)count, sizeof *all);
    if (!all) return 0;
    for (int k = 0; k < count; ++k) {
        const int face = k / 3, v = mesh->index[k], w = mesh->index[3 * face + (k + 1) % 3];
        all[k] = (side){v < w ? v : w, v < w ? w : v, face, k % 3};
        mesh->beside[k] = -1;
    }
    qsort(all, (size_t)count, sizeof *all, by_ends);
    for (int k = 0, next; k < count; k = next) {
        for (next = k + 1;
             next < count && all[next].low == all[k].low && all[next].high == all[k].high;)
            ++next;
        if (next == k + 2) {
            mesh->beside[3 * all[k].face + all[k].k] = all[k + 1].face;
            mesh->beside[3 * all[k + 1].face + all[k + 1].k] = all[k].face;
        }
    }
    mo_memory_free(allocator, all);
    return 1;
}

static void count_ways(mo_mesh *mesh)
{
    const int s = mesh->sides, count = s * mesh->face_count;
    memset(mesh->way_start, 0, ((size_t)mesh->point_count + 1) * sizeof *mesh->way_start);
    for (int k = 0; k < count; ++k)
        mesh->way_start[mesh->index[k] + 1] += s - 1;
    mo_running_sums(mesh->point_count, mesh->way_start);
    for (int k = count - 1; k >= 0;
         --k) { /* fills each list from its end, then moves the start back */
        const int face = k / s;
        for (int i = 1; i < s; ++i)
            mesh->way[--mesh->way_start[mesh->index[k] + 1]] = mesh->index[s * face + (k + i) % s];
    }
    for (int k = 0; k < mesh->point_count; ++k)
        mesh->way_start[k] = mesh->way_start[k + 1];
    mesh->way_start[mesh->point_count] = (s - 1) * count;
}

/* ---- construction ---------------------------------------------------------------------------- */

static int fill_tree(const mo_allocator *allocator, mo_mesh *mesh)
{
    if (mo_tree_create(allocator, &mesh->tree)) return 0;
    mesh->bounds = mo_bounds_empty();
    for (int face = 0; face < mesh->face_count; ++face) {
        mo_bounds box = mo_bounds_empty();
        for (int k = 0; k < mesh->sides; ++k) {
            const double *x = mesh->point[mesh->index[mesh->sides * face + k]];
            mo_bounds_add(&box, x, 0);
            mo_bounds_add(&mesh->bounds, x, 0);
        }
        if (mo_tree_insert(mesh->tree, &box, face) < 0) return 0;
    }
    return 1;
}

/* Visual meshes: the faces as given, and their bounding box. */
static mo_error take_drawing(const mo_shape_def *def, mo_mesh *mesh, mo_message *why)
{
    mesh->bounds = mo_bounds_empty();
    for (int k = 0; k < def->index_count; ++k) {
        const int given = def->indices[k];
        MO_REFUSE_IF(given < 0 || given >= def->point_count, why, BAD_INDEX, k, given,
                     def->point_count);
        mesh->index[k] = given;
        mo_bounds_add(&mesh->bounds, mesh->point[given], 0);
    }
    mesh->face_count = def->index_count / mesh->sides;
    return MO_OK;
}

static mo_error check(const mo_shape_def *def, int sides, mo_message *why)
{
    MO_REFUSE_IF(!def->points || !def->indices || def->point_count < 1 || def->index_count < 1 ||
                     def->index_count % sides,
                 why, "a mesh has points and %d indices a face", sides);
    for (int k = 0; k < 3 * def->point_count; ++k) {
        MO_REFUSE_IF(!mo_are_moderate(1, def->points + k), why, "point %d of a mesh is not finite",
                     k / 3);
    }
    return MO_OK;
}

static int allocate(const mo_allocator *allocator, const mo_shape_def *def, int is_drawn_only,
                    mo_mesh *mesh)
{
    const size_t points = (size_t)def->point_count, corners = (size_t)def->index_count;
    return MO_NEW(allocator, points, &mesh->point) && MO_NEW(allocator, corners, &mesh->index) &&
           (is_drawn_only || (MO_NEW(allocator, corners, &mesh->plane) &&
                              MO_NEW(allocator, corners, &mesh->beside) &&
                              MO_NEW(allocator, points + 1, &mesh->way_start) &&
                              MO_NEW(allocator, 2 * corners, &mesh->way)));
}

/* Data for collision.  False if the faces form no mesh (*is_bad), or for lack of memory. */
static int prepare(const mo_allocator *allocator, const mo_shape_def *def, mo_mesh *mesh,
                   int *is_bad, mo_message *why)
{
    int *one = mo_memory_array(allocator, (size_t)def->point_count, sizeof *one);
    int is_made = one && find_same(allocator, mesh, one);
    *is_bad = is_made && take_faces(def, one, mesh, why) != MO_OK;
    is_made = is_made && !*is_bad && (mesh->sides == 2 || find_neighbours(allocator, mesh)) &&
              fill_tree(allocator, mesh);
    mo_memory_free(allocator, one);
    if (is_made) count_ways(mesh);
    return is_made;
}

mo_mesh *mo_mesh_create(const mo_allocator *allocator, int is_planar, const mo_shape_def *def,
                        mo_message *why)
{
    const int sides = is_planar ? 2 : 3;
    const int is_drawn_only = !is_planar && def->layer == 0 && def->mask == 0;
    if (check(def, sides, why)) return NULL;
    mo_mesh *mesh = mo_memory_array(allocator, 1, sizeof *mesh);
    int is_made = 0, is_bad = 0;
    if (mesh) {
        *mesh = (mo_mesh){.sides = sides, .point_count = def->point_count};
        if (allocate(allocator, def, is_drawn_only, mesh)) {
            for (int k = 0; k < 3 * def->point_count; ++k)
                mesh->point[k / 3][k % 3] = is_planar && k % 3 == 2 ? 0 : def->points[k] + 0.0;
            is_bad = is_drawn_only && take_drawing(def, mesh, why) != MO_OK;
            is_made = is_drawn_only ? !is_bad : prepare(allocator, def, mesh, &is_bad, why);
        }
    }
    if (is_made) return mesh;
    if (!is_bad) mo_fail_memory(why);
    mo_mesh_destroy(allocator, mesh);
    return NULL;
}

/* ---- directions ------------------------------------------------------------------------------ */

static int allows_at_point(const mo_mesh *mesh, int point, const double m[3])
{
    for (int k = mesh->way_start[point]; k < mesh->way_start[point + 1]; ++k) {
        double d[3];
        mo_vec3_minus(mesh->point[mesh->way[k]], mesh->point[point], d);
        if (mo_vec3_dot(d, m) > SLOPE * mo_vec3_norm(d)) return 0;
    }
    return 1;
}

/* Does the face rise along m from the side pq that it has? */
static int rises(const mo_mesh *mesh, int face, const double p[3], const double along[3],
                 const double m[3])
{
    double inward[3], to[3], middle[3] = {0};
    for (int k = 0; k < 3; ++k)
        mo_vec3_along(middle, 1.0 / 3, mesh->point[mesh->index[3 * face + k]], middle);
    mo_vec3_minus(middle, p, to);
    mo_vec3_cross(mesh->plane[face], along, inward);
    const double sense = mo_vec3_dot(inward, to) < 0 ? -1 : 1;
    return sense * mo_vec3_dot(inward, m) > SLOPE * mo_vec3_norm(inward);
}

static int allows_at_side(const mo_mesh *mesh, int face, int k, const double m[3])
{
    const int other = mesh->beside[3 * face + k];
    const double *p = mesh->point[mesh->index[3 * face + k]],
                 *q = mesh->point[mesh->index[3 * face + (k + 1) % 3]];
    double along[3];
    mo_vec3_minus(q, p, along);
    return !rises(mesh, face, p, along, m) && (other < 0 || !rises(mesh, other, p, along, m));
}

int mo_mesh_allows(const mo_mesh *mesh, int face, const double x[3], const double m[3], double near)
{
    const int *corner = mesh->index + mesh->sides * face;
    const double upright = mo_vec3_dot(mesh->plane[face], m);
    if (upright > 1 - 1e-9) return 1;
    if (upright < -SLOPE) return 0;
    for (int k = 0; k < mesh->sides;
         ++k) { /* corners first: their conditions are stricter than those of sides */
        double d[3];
        mo_vec3_minus(x, mesh->point[corner[k]], d);
        if (mo_vec3_norm(d) <= near) return allows_at_point(mesh, corner[k], m);
    }
    for (int k = 0; mesh->sides == 3 && k < 3; ++k) {
        double foot[3], d[3];
        mo_nearest_on_segment(mesh->point[corner[k]], mesh->point[corner[(k + 1) % 3]], x, foot);
        mo_vec3_minus(x, foot, d);
        if (mo_vec3_norm(d) <= near) return allows_at_side(mesh, face, k, m);
    }
    return 0;
}

int mo_mesh_is_flat(const mo_mesh *mesh, int face, int k)
{
    if (mesh->sides == 3) {
        const int other = mesh->beside[3 * face + k];
        return other >= 0 && mo_vec3_dot(mesh->plane[face], mesh->plane[other]) > 1 - FLAT;
    }
    /* every other way from the end goes straight on */
    const int here = mesh->index[2 * face + k], back = mesh->index[2 * face + !k];
    int ways = 0;
    for (int i = mesh->way_start[here]; i < mesh->way_start[here + 1]; ++i) {
        if (mesh->way[i] != back) {
            double d[3];
            mo_vec3_minus(mesh->point[mesh->way[i]], mesh->point[here], d);
            if (fabs(mo_vec3_dot(d, mesh->plane[face])) > 1e-8 * mo_vec3_norm(d)) return 0;
            ++ways;
        }
    }
    return ways == 1;
}

uint32_t mo_mesh_feature(const mo_touch_list *list, int first, int until, int face,
                         uint32_t feature)
{
    uint32_t mixed = (uint32_t)face * 2654435761u ^ feature * 40503u;
    for (int k = first; k < until; ++k) {
        if (list->touch[k].feature == mixed) {
            ++mixed;
            k = first - 1; /* look through all of them again */
        }
    }
    return mixed;
}
