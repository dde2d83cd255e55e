/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A convex shape in the narrow phase: a core and a radius.
 *
 * The core of a ball is a point, that of a capsule a segment; boxes, hulls, triangles, cylinders
 * and ellipsoids are cores themselves.  A core has a support function, which returns the furthest
 * point along a direction, and features there (faces, edges and rims around that point).  Vertices
 * stay in the frame of the shape and only directions are rotated.  The support of a hull is found
 * by hill climbing from the last vertex.  Points are in world axes relative to an origin that both
 * shapes share, so no digits are lost far from the world origin.
 */
#ifndef MO_COLLIDE_CORE_H
#define MO_COLLIDE_CORE_H

#include "collide/narrow.h"

typedef enum mo_core_kind {
    MO_CORE_POINT,
    MO_CORE_SEGMENT,
    MO_CORE_BOX,
    MO_CORE_HULL,
    MO_CORE_TRIANGLE, /* solid behind its front: the back is not a face */
    MO_CORE_CYLINDER
} mo_core_kind;

typedef struct mo_core {
    mo_core_kind kind;
    double Q[9], at[3]; /* the frame of the shape */
    double half[3]; /* box, ellipsoid; a cylinder has its radius in [0], half its height in [2] */
    const mo_hull *hull; /* box, hull, triangle */
    double corner[3][3]; /* segment, triangle */
    double plane[4];     /* triangle: its front */
    double centre[3];    /* a point inside */
    double radius;       /* bounding sphere */
    double size;
    int vertex; /* result of the last support search; -1 before the first */
} mo_core;

MO_EVERYWHERE void mo_core_place(const mo_placed *from, const double origin[3], mo_core *core);
MO_EVERYWHERE void mo_core_triangle(double corner[3][3], const double plane[4], mo_core *core);

MO_ANY int mo_core_is_curved(const mo_core *core)
{
    return core->kind >= MO_CORE_CYLINDER;
}

MO_ANY int mo_core_is_rod(const mo_core *core)
{
    return core->kind == MO_CORE_SEGMENT || core->kind == MO_CORE_CYLINDER;
}

/* The point furthest along the direction, which has any length. */
MO_EVERYWHERE void mo_core_support(mo_core *core, const double direction[3], double point[3]);

/* Separation of b from a along the unit vector n; negative if they overlap. */
MO_EVERYWHERE double mo_core_gap(mo_core *a, mo_core *b, const double n[3]);

/* Edges or faces of a vertex that are examined: those most perpendicular to n. */
enum { MO_CORE_AROUND = 12 };

/* The feature of a core along a unit vector. */
typedef struct mo_feature {
    double point[3]; /* of the core, furthest along the vector */
    int normals;
    double normal[MO_CORE_AROUND][3]; /* unit, outward, of the faces around it */
    int lines;
    double line[MO_CORE_AROUND][3]; /* unit, along the edges around it, or the axis of a cylinder */
    double from[MO_CORE_AROUND], to[MO_CORE_AROUND]; /* the feature there, from on_line */
    double on_line[3];              /* intersection of these lines; the centre of a cylinder */
    int is_vertex;                  /* the point is a corner: all lines go from it */
    int is_whole;                   /* and these are all of its edges */
    int has_sides;                  /* and these its faces */
    uint32_t sides[MO_CORE_AROUND]; /* then: bits of the two faces at each edge */
    int has_rim;
    double rim[3], axis[3], rim_radius; /* the circle about `rim` across `axis` */
} mo_feature;

MO_EVERYWHERE void mo_core_feature(mo_core *core, const double n[3], mo_feature *feature);

#endif
