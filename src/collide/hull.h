/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Convex polyhedra and planar convex polygons: vertices, faces and edges in the frame of the shape.
 *
 * Vertices of a polygon are in counterclockwise order, and face k is the edge from vertex k to the
 * next.
 */
#ifndef MO_COLLIDE_HULL_H
#define MO_COLLIDE_HULL_H

#include "collide/collide.h"

enum {
    MO_HULL_VERTICES = 256, /* at most */
    MO_SMALL_HULL = 32,     /* vertices, and */
    MO_SMALL_FACE = 16      /* corners of each face of a hull on a GPU */
};

typedef struct mo_hull_edge {
    int vertex[2], face[2]; /* face[0] has it from vertex[0] to vertex[1], face[1] the other way */
} mo_hull_edge;

typedef struct mo_hull {
    int is_planar;
    int vertex_count, face_count, edge_count;
    double (*vertex)[3];
    double (*plane)[4]; /* outward unit normal n and offset d: n.x <= d inside */
    int *face_start;    /* face_count + 1 */
    int *face_vertex;   /* counterclockwise seen from outside */
    mo_hull_edge *edge; /* in space */
    /*
     * In space, for each vertex, around it: its neighbours, the faces that have the edges to them,
     * and these edges.  A face has the next edge, too.
     */
    int *ring_start, *ring_vertex, *ring_face; /* vertex_count + 1; twice edge_count */
    double (*ring_edge)[4];                    /* a unit vector and the length of each */
    int furthest[6];                           /* extreme vertices along -x, x, -y, ... */
    double centre[3];                          /* the mean of the vertices, inside */
    mo_bounds bounds;
} mo_hull;

/*
 * NULL and an error message if the points span no volume (area in the plane), are too many or not
 * finite.
 */
mo_hull *mo_hull_create(const mo_allocator *allocator, int is_planar, const double *points,
                        int count, mo_message *why);
mo_hull *mo_hull_create_box(const mo_allocator *allocator, int is_planar, const double half[3],
                            mo_message *why);
void mo_hull_destroy(const mo_allocator *allocator, mo_hull *hull);

/*
 * The vertex furthest along a direction, in space: found by testing all if there are few, else by
 * climbing from a given vertex, or if that is -1 from a good initial one.
 */
MO_EVERYWHERE int mo_hull_support(const mo_hull *hull, int from, const double direction[3]);

/* The point furthest along a direction, of all. */
MO_EVERYWHERE int mo_highest(int count, double (*point)[3], const double direction[3]);

/* Volume (area), centre and inertia (xx yy zz xy xz yz) about that centre, for density 1. */
void mo_hull_mass(const mo_hull *hull, double *volume, double centre[3], double inertia[6]);

#endif
