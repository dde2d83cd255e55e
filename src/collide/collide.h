/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Narrow phase: from two shapes and their poses to their contact points.
 *
 * A collider is a prepared shape: validated, with its hull and its pose in the body.  The narrow
 * phase is one function of two colliders without state; collide.c has a table with one function per
 * pair of kinds.
 *
 * A touch has a `point` midway between the surfaces, a `normal` from a to b, a gap (negative: they
 * overlap) and a `feature` (vertex, edge or face, unique within the pair, for warm starts).  Gaps
 * up to `reach` are reported, also of vertices and ends that may close when the pair rotates.  Of
 * more than eight touches the outermost and the deepest are kept.
 *
 * The gap is exact to rounding, except where a round shape penetrates by more than a twentieth of
 * its size: it may be off by a thousandth of the depth.  The result depends on colliders and poses
 * alone, bit for bit, and (b, a) gives the touches of (a, b) with opposite normals.
 */
#ifndef MO_COLLIDE_COLLIDE_H
#define MO_COLLIDE_COLLIDE_H

#include <math.h>
#include <stdint.h>

#include "base/anywhere.h"
#include "base/memory.h"
#include "linalg/vec3.h"
#include "moreau/shape.h"

typedef struct mo_touch {
    double point[3];
    double normal[3];
    double gap;
    uint32_t feature;
} mo_touch;

typedef struct mo_touch_list {
    mo_allocator allocator;
    mo_touch *touch;
    int count;
    size_t room;
    int is_short; /* memory ran out: some are missing */
    /* unit, from a to b: a previous normal of the pair, from which the search starts, or NULL */
    const double *last_normal;
    /* a brief search ends without touches for convex pairs that converge slowly */
    int is_brief, is_open;
} mo_touch_list;

MO_EVERYWHERE void mo_touch_add(mo_touch_list *list, const mo_touch *touch);

/* An axis-parallel box. */
typedef struct mo_bounds {
    double low[3], high[3];
} mo_bounds;

/* Bounds of nothing; the same with a ball about x. */
static inline mo_bounds mo_bounds_empty(void)
{
    const mo_bounds empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return empty;
}

static inline void mo_bounds_add(mo_bounds *bounds, const double x[3], double radius)
{
    for (int k = 0; k < 3; ++k) {
        const double low = x[k] - radius, high = x[k] + radius;
        bounds->low[k] = low < bounds->low[k] ? low : bounds->low[k];
        bounds->high[k] = high > bounds->high[k] ? high : bounds->high[k];
    }
}

static inline int mo_bounds_overlap(const mo_bounds *a, const mo_bounds *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

struct
    mo_hull; /* hull.h: vertices, edges and faces of a convex polyhedron (polygon in the plane) */
struct mo_mesh; /* mesh.h: triangles (segments) and their tree */

typedef struct mo_collider {
    mo_shape_def def; /* arrays are the collider's own */
    int is_planar;
    double size;          /* radius of its bounding sphere about the origin; infinite for a plane */
    double thickness;     /* radius of an inscribed sphere; infinite for a plane and a mesh */
    struct mo_hull *hull; /* box, hull */
    struct mo_mesh *mesh;
} mo_collider;

/* The largest number in a state or a definition, in SI units: an energy is a product of three. */
#define MO_LARGEST 1e100

/* No number is NaN, or beyond it. */
MO_ANY int mo_are_moderate(int count, const double *x)
{
    int moderate = 1;
    for (int k = 0; k < count; ++k)
        moderate = moderate && fabs(x[k]) <= MO_LARGEST;
    return moderate;
}

MO_ANY int mo_pose_is_valid(const mo_pose *pose)
{
    return mo_are_moderate(3, pose->position) && mo_quat_is_unit(pose->orientation);
}

/* An error message if a number of the material is outside its range. */
mo_error mo_material_check(const mo_material *material, int is_planar, mo_message *why);

/* Checks the definition and creates the collider. */
mo_error mo_collider_init(const mo_shape_def *def, int is_planar, const mo_allocator *allocator,
                          mo_collider *collider, mo_message *why);
void mo_collider_clear(const mo_allocator *allocator, mo_collider *collider);

/*
 * Volume (area in the plane), centre and inertia tensor (xx yy zz xy xz yz) about that centre for
 * density 1, in the body's frame.
 */
void mo_collider_mass(const mo_collider *collider, double *volume, double centre[3],
                      double inertia[6]);
/* The same of a cylinder of length l along z, with half balls at its ends if it is_round; in the
 * plane of a strip with half disks. */
void mo_rod_mass(double radius, double l, int is_round, int is_planar, double *volume,
                 double inertia[6]);

/* The bounds of the shape of a body at this pose. */
mo_bounds mo_collider_bounds(const mo_collider *collider, const mo_pose *body);

/* The same of the shape itself at this pose in the world. */
mo_bounds mo_collider_bounds_at(const mo_collider *collider, const mo_pose *shape);

/* The touch of two balls if its gap is at most `reach`; whether there is one. */
MO_EVERYWHERE int mo_touch_of_balls(const double p[3], double radius_p, const double q[3],
                                    double radius_q, double reach, mo_touch *touch);

/* Appends the touches of two shapes at these poses in the world. */
void mo_collide_at(const mo_collider *a, const mo_pose *shape_a, const mo_collider *b,
                   const mo_pose *shape_b, double reach, mo_touch_list *touches);

/* The largest separation of two shapes at these poses along the directions (unit, from a to b),
 * at most their gap, and the direction that has it.  -infinity if unknown: for meshes and in the
 * plane. */
double mo_collide_separation(const mo_collider *a, const mo_pose *shape_a, const mo_collider *b,
                             const mo_pose *shape_b, const double (*direction)[3], int count,
                             double along[3]);

#endif
