/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The convex hull of points in space (quickhull).
 *
 * Starting from a tetrahedron, the point furthest outside is added: the triangles that see it are
 * removed, and the rim of the hole is connected to it.  Every outside point refers to one triangle
 * that it sees.  Points within 1e-9 of the size count as inside.  Because the furthest points come
 * first, a limit on the number of vertices removes the least important ones.  Coplanar triangles
 * are finally merged into faces, so a cube has six.
 */
#include "collide/hull_build.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/union_find.h"
#include "linalg/vec3.h"

enum { NONE = -1, MOST = 2 * MO_HULL_VERTICES, ROOM = 8 * MO_HULL_VERTICES };
/* relative to the size: points closer to a face than this are on it */
static const double INSIDE = 1e-9;
/* relative to the size: corners closer to a plane than this are in it */
static const double FLAT = 1e-7;

typedef struct triangle {
    int corner[3], beside[3]; /* beside[k]: across the side from corner k to the next */
    double plane[4];
    int is_alive, sees; /* sees: mark of the present point */
} triangle;

typedef struct builder {
    const double *point; /* three numbers each */
    int count;
    double size;
    triangle *face;
    int faces;
    int *outside;  /* the face that point k sees, or NONE  */
    double *above; /* how far it is above it */
    int corners;
} builder;

static const double *point(const builder *b, int k)
{
    return b->point + 3 * (size_t)k;
}

static double height(const triangle *t, const double x[3])
{
    return mo_vec3_dot(t->plane, x) - t->plane[3];
}

static int add_face(builder *b, int p, int q, int r)
{
    triangle *t = b->face + b->faces;
    *t = (triangle){.corner = {p, q, r}, .beside = {NONE, NONE, NONE}, .is_alive = 1};
    double u[3], v[3], n[3];
    mo_vec3_minus(point(b, q), point(b, p), u);
    mo_vec3_minus(point(b, r), point(b, p), v);
    mo_vec3_cross(u, v, n);
    mo_vec3_scale(1 / fmax(mo_vec3_norm(n), 1e-300), n, t->plane);
    t->plane[3] = mo_vec3_dot(t->plane, point(b, p));
    return b->faces++;
}

/* ---- the first tetrahedron ------------------------------------------------------------------- */

/* The point furthest from the flat spanned by `n` points already chosen. */
static int furthest(const builder *b, const int *chosen, int n, double *distance)
{
    int best = 0;
    *distance = -1;
    double u[3] = {0}, v[3], normal[3] = {0};
    if (n >= 2) mo_vec3_minus(point(b, chosen[1]), point(b, chosen[0]), u);
    if (n >= 3) {
        mo_vec3_minus(point(b, chosen[2]), point(b, chosen[0]), v);
        mo_vec3_cross(u, v, normal);
    }
    for (int k = 0; k < b->count; ++k) {
        double d[3], cross[3];
        mo_vec3_minus(point(b, k), point(b, chosen[0]), d);
        mo_vec3_cross(u, d, cross);
        const double far = n == 1   ? mo_vec3_norm(d)
                           : n == 2 ? mo_vec3_norm(cross) / mo_vec3_norm(u)
                                    : fabs(mo_vec3_dot(normal, d)) / mo_vec3_norm(normal);
        if (far > *distance) {
            *distance = far;
            best = k;
        }
    }
    return best;
}

static void link_faces(builder *b, int f, int g)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if (b->face[f].corner[i] == b->face[g].corner[(j + 1) % 3] &&
                b->face[f].corner[(i + 1) % 3] == b->face[g].corner[j]) {
                b->face[f].beside[i] = g;
                b->face[g].beside[j] = f;
            }
        }
    }
}

static int begin(builder *b)
{
    int c[4] = {0};
    double distance;
    c[0] = furthest(b, c, 1, &distance); /* an extreme point, seen from the first */
    for (int n = 1; n < 4; ++n) {
        c[n] = furthest(b, c, n, &distance);
        b->size = n == 1 ? distance : b->size;
        if (!(distance > 1e-7 * b->size)) return 0;
    }
    const int f = add_face(b, c[0], c[1], c[2]);
    if (height(b->face + f, point(b, c[3])) > 0) { /* the normal must point away */
        b->faces = 0;
        add_face(b, c[0], c[2], c[1]);
    }
    const int *k = b->face[0].corner;
    const int p = k[0], q = k[1], r = k[2];
    add_face(b, q, p, c[3]);
    add_face(b, r, q, c[3]);
    add_face(b, p, r, c[3]);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            link_faces(b, i, j);
    b->corners = 4;
    return 1;
}

/* ---- growth ---------------------------------------------------------------------------------- */

static void assign(builder *b, int k, int first)
{
    b->outside[k] = NONE;
    b->above[k] = INSIDE * b->size;
    for (int f = first; f < b->faces; ++f) {
        const double h = b->face[f].is_alive ? height(b->face + f, point(b, k)) : -1;
        if (h > b->above[k]) {
            b->above[k] = h;
            b->outside[k] = f;
        }
    }
}

/* Marks the faces that see the point, starting from one of them. */
static void mark_seen(builder *b, int from, int k)
{
    int stack[ROOM], depth = 0;
    stack[depth++] = from;
    b->face[from].sees = 1;
    while (depth > 0) {
        const triangle *t = b->face + stack[--depth];
        for (int i = 0; i < 3; ++i) {
            triangle *other = b->face + t->beside[i];
            if (!other->sees && height(other, point(b, k)) > INSIDE * b->size && depth < ROOM) {
                other->sees = 1;
                stack[depth++] = t->beside[i];
            }
        }
    }
}

static int has_side(const triangle *t, int from, int to)
{
    return (t->corner[0] == from && t->corner[1] == to) ||
           (t->corner[1] == from && t->corner[2] == to) ||
           (t->corner[2] == from && t->corner[0] == to);
}

static int count_of(const int *list, int count, int wanted)
{
    int found = 0;
    for (int k = 0; k < count; ++k)
        found += list[k] == wanted;
    return found;
}

/* Does the boundary of the visible faces consist of disjoint closed lines? Rounding on nearly
 * coplanar faces may prevent it. */
static int is_rim_simple(const builder *b)
{
    int start[MOST], end[MOST], sides = 0;
    for (int f = 0; f < b->faces; ++f) {
        const triangle *t = b->face + f;
        for (int i = 0; t->is_alive && t->sees && i < 3; ++i) {
            const int p = t->corner[i], q = t->corner[(i + 1) % 3];
            if (b->face[t->beside[i]].sees) continue;
            if (sides == MOST || count_of(start, sides, p) > 0 ||
                !has_side(b->face + t->beside[i], q, p))
                return 0;
            start[sides] = p;
            end[sides++] = q;
        }
    }
    for (int k = 0; k < sides; ++k) { /* each continues, and not straight back */
        int next = 0;
        while (next < sides && start[next] != end[k])
            ++next;
        if (next == sides || end[next] == start[k]) return 0;
    }
    return sides >= 3;
}

static void forget_seen(builder *b)
{
    for (int f = 0; f < b->faces; ++f)
        b->face[f].sees = 0;
}

/*
 * New triangles from the rim to the point; returns the first, or NONE where there is no more room.
 */
static int join_rim(builder *b, int k)
{
    const int first = b->faces;
    for (int f = 0; f < first; ++f) {
        for (int i = 0; b->face[f].is_alive && b->face[f].sees && i < 3; ++i) {
            const int other = b->face[f].beside[i];
            if (b->face[other].sees) continue;
            if (b->faces == ROOM) return NONE;
            const int p = b->face[f].corner[i], q = b->face[f].corner[(i + 1) % 3],
                      made = add_face(b, p, q, k);
            link_faces(b, made, other);
        }
    }
    for (int f = first; f < b->faces; ++f)
        for (int g = first; g < f; ++g)
            link_faces(b, f, g);
    for (int f = 0; f < first; ++f) {
        b->face[f].is_alive = b->face[f].is_alive && !b->face[f].sees;
        b->face[f].sees = 0;
    }
    return first;
}

/* Removes dead faces from the list. */
static void tidy(builder *b)
{
    int moved[ROOM], kept = 0;
    for (int f = 0; f < b->faces; ++f) {
        moved[f] = b->face[f].is_alive ? kept : NONE;
        if (b->face[f].is_alive) b->face[kept++] = b->face[f];
    }
    b->faces = kept;
    for (int f = 0; f < kept; ++f)
        for (int i = 0; i < 3; ++i)
            b->face[f].beside[i] = moved[b->face[f].beside[i]];
    for (int k = 0; k < b->count; ++k)
        b->outside[k] = b->outside[k] == NONE ? NONE : moved[b->outside[k]];
}

static void grow(builder *b)
{
    for (int k = 0; k < b->count; ++k)
        assign(b, k, 0);
    while (b->corners < MO_HULL_VERTICES) {
        int far = NONE;
        for (int k = 0; k < b->count; ++k)
            if (b->outside[k] != NONE && (far == NONE || b->above[k] > b->above[far])) far = k;
        if (far == NONE) return;
        mark_seen(b, b->outside[far], far);
        b->outside[far] = NONE; /* permanently: by rounding, a corner may see an adjacent sliver */
        if (!is_rim_simple(b)) {
            forget_seen(b);
            continue;
        }
        const int first = join_rim(b, far);
        if (first == NONE) return;
        for (int k = 0; k < b->count; ++k)
            if (b->outside[k] != NONE && !b->face[b->outside[k]].is_alive) assign(b, k, 0);
        tidy(b);
        b->corners++;
    }
}

/* ---- faces ----------------------------------------------------------------------------------- */

/* Neighbours in one plane join, the larger plane's corners being within FLAT of it. */
static void join_flat(const builder *b, int *group)
{
    for (int f = 0; f < b->faces; ++f)
        group[f] = f;
    for (int f = 0; f < b->faces; ++f) {
        for (int i = 0; i < 3; ++i) {
            const int g = b->face[f].beside[i], base = mo_set_root(group, f),
                      other = mo_set_root(group, g);
            int is_flat = mo_vec3_dot(b->face[base].plane, b->face[g].plane) > 0.9;
            for (int c = 0; c < 3; ++c) {
                is_flat = is_flat && fabs(height(b->face + base, point(b, b->face[g].corner[c]))) <=
                                         FLAT * b->size;
            }
            if (base != other && other == g && is_flat) group[other] = base;
        }
    }
}

/* The rim of a group, counterclockwise; its length. */
static int rim_of(const builder *b, int *group, int root, int *rim)
{
    int from[MOST], to[MOST], sides = 0;
    for (int f = 0; f < b->faces; ++f) {
        for (int i = 0; mo_set_root(group, f) == root && i < 3; ++i) {
            if (mo_set_root(group, b->face[f].beside[i]) != root && sides < MOST) {
                from[sides] = b->face[f].corner[i];
                to[sides++] = b->face[f].corner[(i + 1) % 3];
            }
        }
    }
    int n = 0;
    for (int at = sides ? from[0] : NONE; n < sides; ++n) {
        rim[n] = at;
        int next = NONE;
        for (int s = 0; s < sides; ++s)
            next = from[s] == at ? to[s] : next;
        at = next;
    }
    return n;
}

/* Writes faces and corners of all groups into the hull, or only counts them if it is NULL. */
static void fill(const builder *b, int *group, const int *number, mo_hull *hull, int *faces,
                 int *corners)
{
    *faces = *corners = 0;
    for (int f = 0; f < b->faces; ++f) {
        int rim[MOST];
        if (mo_set_root(group, f) != f) continue;
        const int first = *corners, n = rim_of(b, group, f, rim);
        for (int k = 0; k < n; ++k) {
            if (number[rim[k]] != NONE) {
                if (hull) hull->face_vertex[*corners] = number[rim[k]];
                ++*corners;
            }
        }
        if (hull) {
            hull->face_start[*faces] = first;
            hull->face_start[*faces + 1] = *corners;
        }
        ++*faces;
    }
}

/*
 * Numbers the vertices, in the order of the points: those on the rim of three faces or more.  A
 * point on the rim of two lies on the edge between them.
 */
static int number_vertices(const builder *b, int *group, int *number)
{
    memset(number, 0, (size_t)b->count * sizeof *number);
    for (int f = 0; f < b->faces; ++f) {
        int rim[MOST];
        for (int k = mo_set_root(group, f) == f ? rim_of(b, group, f, rim) : 0; k > 0; --k)
            ++number[rim[k - 1]];
    }
    int vertices = 0;
    for (int k = 0; k < b->count; ++k)
        number[k] = number[k] < 3 ? NONE : vertices++;
    return vertices;
}

/* A face whose corners are on one line has none. */
static int has_planes(const mo_hull *hull)
{
    int f = 0;
    while (f < hull->face_count && isfinite(hull->plane[f][3]))
        ++f;
    return f == hull->face_count;
}

static mo_hull *make(const builder *b, const mo_allocator *allocator, int *number, int join,
                     mo_message *why)
{
    int group[ROOM], faces, corners;
    for (int f = 0; f < b->faces; ++f)
        group[f] = f;
    if (join) join_flat(b, group);
    const int vertices = number_vertices(b, group, number);
    fill(b, group, number, NULL, &faces, &corners);
    mo_hull *hull = mo_hull_allocate(allocator, vertices, faces, corners, corners / 2, why);
    if (!hull) return NULL;
    fill(b, group, number, hull, &faces, &corners);
    for (int k = 0; k < b->count; ++k)
        if (number[k] != NONE) mo_vec3_copy(point(b, k), hull->vertex[number[k]]);
    mo_hull_fit_planes(hull);
    if (!mo_hull_find_edges(hull) || !has_planes(hull)) {
        mo_hull_destroy(allocator, hull);
        if (join) /* nearly flat faces that do not fit together: triangles always do */
            return make(b, allocator, number, 0, why);
        mo_fail(why, MO_ERR_ARGUMENT,
                "the points of a hull are too close together to determine its faces");
        return NULL;
    }
    return hull;
}

mo_hull *mo_hull_build(const mo_allocator *allocator, const double *points, int count,
                       mo_message *why)
{
    builder b = {.point = points, .count = count};
    b.face = mo_memory_array(allocator, ROOM, sizeof *b.face);
    b.outside = mo_memory_array(allocator, (size_t)count, sizeof *b.outside);
    b.above = mo_memory_array(allocator, (size_t)count, sizeof *b.above);
    int *number = mo_memory_array(allocator, (size_t)count, sizeof *number);
    mo_hull *hull = NULL;
    if (!b.face || !b.outside || !b.above || !number) {
        mo_fail_memory(why);
    } else if (!begin(&b)) {
        mo_fail(why, MO_ERR_ARGUMENT, "the points of a hull lie in one plane");
    } else {
        grow(&b);
        hull = make(&b, allocator, number, 1, why);
    }
    mo_memory_free(allocator, b.face);
    mo_memory_free(allocator, b.outside);
    mo_memory_free(allocator, b.above);
    mo_memory_free(allocator, number);
    return hull;
}
