/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { FINE_SECTORS = 12, FINE_RINGS = 6, COARSE_SECTORS = 8, COARSE_RINGS = 4 };
enum { MANY_BODIES = 300 /* and more are drawn coarsely */, ROUND = 24 /* corners of a disk */ };

/* Target of a shape: the mesh, the body, the pose in the body's frame. */
typedef struct pen {
    run_mesh *mesh;
    int body;
    mo_pose pose;
    int planar;
    double reach;       /* half the width of unbounded shapes */
    int sectors, rings; /* segments about and along round shapes */
} pen;

/* ---- points and cells ------------------------------------------------------------------------ */

static int grow(run_mesh *mesh, void **array, int *room, int needed, size_t size)
{
    if (needed <= *room) return 1;
    const int larger = needed > *room * 2 ? needed : *room * 2;
    void *moved = realloc(*array, (size_t)larger * size);
    if (!moved) {
        mesh->failed = 1;
        return 0;
    }
    *array = moved;
    *room = larger;
    return 1;
}

/* Adds a point of the shape's frame; its index. */
static int add_point(pen *p, double x, double y, double z)
{
    run_mesh *mesh = p->mesh;
    const int k = mesh->point_count;
    if (mesh->failed ||
        !grow(mesh, (void **)&mesh->point, &mesh->point_room, k + 1, sizeof *mesh->point) ||
        !grow(mesh, (void **)&mesh->body, &mesh->body_room, k + 1, sizeof *mesh->body))
        return 0;
    mo_pose_point(&p->pose, (const double[3]){x, y, z}, mesh->point[k]);
    mesh->body[k] = p->body;
    mesh->point_count += 1;
    return k;
}

static void add_cell(run_mesh *mesh, run_cells *cells, int count, const int *corners)
{
    if (mesh->failed ||
        !grow(mesh, (void **)&cells->corner, &cells->corner_room, cells->corner_count + count,
              sizeof *cells->corner) ||
        !grow(mesh, (void **)&cells->end, &cells->room, cells->count + 1, sizeof *cells->end))
        return;
    memcpy(cells->corner + cells->corner_count, corners, (size_t)count * sizeof *corners);
    cells->corner_count += count;
    cells->end[cells->count++] = cells->corner_count;
}

static void add_face(pen *p, int count, const int *corners)
{
    add_cell(p->mesh, &p->mesh->faces, count, corners);
}

/* ---- solids of revolution -------------------------------------------------------------------- */

/*
 * Turns a profile of (radius, z) about z; it begins and ends on the axis.
 */
static void add_lathe(pen *p, int count, double (*profile)[2])
{
    const int sectors = p->sectors;
    const int bottom = add_point(p, 0, 0, profile[0][1]);
    for (int ring = 1; ring < count - 1; ++ring) {
        for (int s = 0; s < sectors; ++s) {
            const double angle = 2 * PI * s / sectors;
            add_point(p, profile[ring][0] * cos(angle), profile[ring][0] * sin(angle),
                      profile[ring][1]);
        }
    }
    const int top = add_point(p, 0, 0, profile[count - 1][1]);
    for (int s = 0; s < sectors; ++s) {
        const int next = (s + 1) % sectors, last = top - sectors;
        add_face(p, 3, (const int[3]){bottom, bottom + 1 + next, bottom + 1 + s});
        for (int from = bottom + 1; from < last; from += sectors) {
            add_face(
                p, 4,
                (const int[4]){from + s, from + next, from + sectors + next, from + sectors + s});
        }
        add_face(p, 3, (const int[3]){last + s, last + next, top});
    }
}

/* A ball extended by `length` along z: the profile of a capsule whose lower centre is the
 * origin. */
static void add_long_ball(pen *p, double radius, double length)
{
    double profile[FINE_RINGS + 2][2] = {{0}};
    const int rings = p->rings;
    int count = 0;
    for (int k = 0; k <= rings; ++k) {
        const double angle = PI * k / rings;
        const double z = -radius * cos(angle), r = k % rings ? radius * sin(angle) : 0;
        profile[count][0] = r;
        profile[count++][1] = 2 * k <= rings ? z : z + length;
        if (2 * k == rings && length > 0) {
            profile[count][0] = r;
            profile[count++][1] = z + length;
        }
    }
    add_lathe(p, count, profile);
}

static void add_cylinder(pen *p, double radius, double half)
{
    double profile[4][2] = {{0, -half}, {radius, -half}, {radius, half}, {0, half}};
    add_lathe(p, 4, profile);
}

/* Sets the frame so that z runs from a to b; returns the distance. */
static double turn_along(pen *p, const double a[3], const double b[3])
{
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double across = hypot(d[0], d[1]);
    const double axis[3] = {across > 0 ? -d[1] : 1, across > 0 ? d[0] : 0, 0};
    const mo_pose along = mo_pose_turned(a[0], a[1], a[2], axis, atan2(across, d[2]));
    p->pose = mo_pose_compose(&p->pose, &along);
    return length;
}

/* ---- flat things ----------------------------------------------------------------------------- */

static void add_polygon(pen *p, int count, double (*corners)[3])
{
    int numbers[2 * ROUND + 2], first = p->mesh->point_count;
    for (int k = 0; k < count; ++k) {
        add_point(p, corners[k][0], corners[k][1], corners[k][2]);
        numbers[k] = first + k;
    }
    add_face(p, count, numbers);
}

static void add_rectangle(pen *p, double x0, double y0, double x1, double y1)
{
    double corners[4][3] = {{x0, y0, 0}, {x1, y0, 0}, {x1, y1, 0}, {x0, y1, 0}};
    add_polygon(p, 4, corners);
}

static void add_disk(pen *p, double radius)
{
    double corners[ROUND][3];
    for (int k = 0; k < ROUND; ++k) {
        const double angle = 2 * PI * k / ROUND;
        corners[k][0] = radius * cos(angle);
        corners[k][1] = radius * sin(angle);
        corners[k][2] = 0;
    }
    const int rim = p->mesh->point_count;
    add_polygon(p, ROUND, corners);
    const int centre = add_point(p, 0, 0, 0);
    add_cell(p->mesh, &p->mesh->lines, 2, (const int[2]){centre, rim});
}

/* Half a circle about b, then half a circle about a. */
static void add_planar_capsule(pen *p, const double a[3], const double b[3], double radius)
{
    double corners[2 * ROUND + 2][3];
    const double heading = atan2(b[1] - a[1], b[0] - a[0]);
    int count = 0;
    for (int end = 0; end < 2; ++end) {
        const double *centre = end ? a : b;
        for (int k = 0; k <= ROUND / 2; ++k, ++count) {
            const double angle = heading + PI * (end - 0.5 + 2.0 * k / ROUND);
            corners[count][0] = centre[0] + radius * cos(angle);
            corners[count][1] = centre[1] + radius * sin(angle);
            corners[count][2] = 0;
        }
    }
    add_polygon(p, count, corners);
}

/* ---- corners and edges ----------------------------------------------------------------------- */

static void add_box(pen *p, const double half[3])
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const int first = p->mesh->point_count;
    for (int k = 0; k < 8; ++k) {
        add_point(p, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                  k & 4 ? half[2] : -half[2]);
    }
    for (int k = 0; k < 6; ++k) {
        int corners[4];
        for (int i = 0; i < 4; ++i)
            corners[i] = first + faces[k][i];
        add_face(p, 4, corners);
    }
}

static void add_points(pen *p, const mo_shape_def *shape)
{
    for (int k = 0; k < shape->point_count; ++k) {
        const double *x = shape->points + 3 * (size_t)k;
        add_point(p, x[0], x[1], p->planar ? 0 : x[2]);
    }
}

typedef struct hull_pen {
    pen *p;
    int first; /* number of the hull's point 0 */
    int *numbers;
} hull_pen;

static void take_hull_face(void *user, int count, const int *corners)
{
    hull_pen *hull = user;
    for (int k = 0; k < count; ++k)
        hull->numbers[k] = hull->first + corners[k];
    add_face(hull->p, count, hull->numbers);
}

static void add_hull(pen *p, const mo_shape_def *shape)
{
    hull_pen hull = {p, p->mesh->point_count, malloc((size_t)shape->point_count * sizeof(int))};
    add_points(p, shape);
    if (!hull.numbers || p->mesh->failed ||
        mo_hull_faces(shape->points, shape->point_count, p->planar ? 2 : 3, take_hull_face, &hull,
                      NULL))
        p->mesh->failed = 1;
    free(hull.numbers);
}

static void add_mesh(pen *p, const mo_shape_def *shape)
{
    const int first = p->mesh->point_count, width = p->planar ? 2 : 3;
    add_points(p, shape);
    for (int k = 0; k + width <= shape->index_count; k += width) {
        int corners[3];
        for (int i = 0; i < width; ++i)
            corners[i] = first + shape->indices[k + i];
        add_cell(p->mesh, p->planar ? &p->mesh->lines : &p->mesh->faces, width, corners);
    }
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void add_planar_shape(pen *p, const mo_shape_def *shape)
{
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        add_disk(p, shape->radius);
        break;
    case MO_SHAPE_BOX:
        add_rectangle(p, -shape->half[0], -shape->half[1], shape->half[0], shape->half[1]);
        break;
    case MO_SHAPE_CAPSULE:
        add_planar_capsule(p, shape->ends[0], shape->ends[1], shape->radius);
        break;
    case MO_SHAPE_HULL:
        add_hull(p, shape);
        break;
    case MO_SHAPE_PLANE:
        add_rectangle(p, -p->reach, -0.05 * p->reach, p->reach, 0);
        break;
    case MO_SHAPE_MESH:
        add_mesh(p, shape);
        break;
    default: /* a cylinder: not in the plane */
        break;
    }
}

static void add_spatial_shape(pen *p, const mo_shape_def *shape)
{
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        add_long_ball(p, shape->radius, 0);
        break;
    case MO_SHAPE_BOX:
        add_box(p, shape->half);
        break;
    case MO_SHAPE_CAPSULE: {
        const double length = turn_along(p, shape->ends[0], shape->ends[1]);
        add_long_ball(p, shape->radius, length);
        break;
    }
    case MO_SHAPE_CYLINDER:
        add_cylinder(p, shape->radius, shape->half[2]);
        break;
    case MO_SHAPE_HULL:
        add_hull(p, shape);
        break;
    case MO_SHAPE_PLANE:
        add_rectangle(p, -p->reach, -p->reach, p->reach, p->reach);
        break;
    case MO_SHAPE_MESH:
        add_mesh(p, shape);
        break;
    default:
        break;
    }
}

/* Twice the distance of the farthest body from the origin; at least 1 m. */
static double reach_of(const mo_world *world)
{
    double farthest = 0.5;
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        const double *x = body.centre;
        farthest = fmax(farthest, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
    return 2 * farthest;
}

int run_mesh_make(run_mesh *mesh, const mo_world *world)
{
    *mesh = (run_mesh){0};
    pen p = {.mesh = mesh,
             .planar = mo_world_definition(world).dimension == 2,
             .reach = reach_of(world)};
    const int many = mo_world_body_count(world) > MANY_BODIES;
    p.sectors = many ? COARSE_SECTORS : FINE_SECTORS;
    p.rings = many ? COARSE_RINGS : FINE_RINGS;
    for (p.body = 0; p.body < mo_world_body_count(world); ++p.body) {
        const mo_body_id id = mo_world_body(world, p.body);
        const int shapes = mo_body_get(world, id).shape_count;
        for (int k = 0; k < shapes; ++k) {
            const mo_shape_def shape = mo_body_shape(world, id, k);
            p.pose = shape.pose;
            (p.planar ? add_planar_shape : add_spatial_shape)(&p, &shape);
        }
    }
    return !mesh->failed;
}

static void clear_cells(run_cells *cells)
{
    free(cells->corner);
    free(cells->end);
}

void run_mesh_clear(run_mesh *mesh)
{
    free(mesh->point);
    free(mesh->body);
    clear_cells(&mesh->faces);
    clear_cells(&mesh->lines);
    *mesh = (run_mesh){0};
}
