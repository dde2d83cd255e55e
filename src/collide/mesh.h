/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Meshes of triangles, and in the plane chains of segments: the surface of something fixed or
 * driven.
 *
 * Every face is solid behind and known by its outward plane.  A shape meets each face near it on
 * its own; then what it met is judged by the faces around.  A direction m out of the mesh is that
 * of a true contact at a side or a corner only where no face that meets there rises along m: d.m <=
 * 0 for the directions d in which those faces go on from it.  That refuses the normals that the
 * inner sides of a flat or hollow surface would give by themselves, and on which a sliding body
 * would catch; where one is refused, the face's own normal is tried.
 *
 * A shape whose centre is behind a face does not touch it.
 *
 * A mesh in space whose layer and mask are 0 is only drawn: it has points, indices and bounds.
 */
#ifndef MO_COLLIDE_MESH_H
#define MO_COLLIDE_MESH_H

#include "collide/narrow.h"
#include "collide/tree.h"

typedef struct mo_mesh {
    int sides; /* of a face: 3, in the plane 2 (ends of a segment) */
    int point_count, face_count;
    double (*point)[3];
    int *index;         /* `sides` points a face; points at the same place are one */
    double (*plane)[4]; /* outward unit normal and offset of each face */
    int *beside; /* of triangles: the face across side k (from corner k to the next), or -1 */
    int *way_start, *way; /* the points that each point has a side to */
    mo_tree *tree;
    mo_bounds bounds;
} mo_mesh;

/* NULL and a sentence where the arrays make no mesh.  Faces without area (length) are left out. */
mo_mesh *mo_mesh_create(const mo_allocator *allocator, int is_planar, const mo_shape_def *def,
                        mo_message *why);
void mo_mesh_destroy(const mo_allocator *allocator, mo_mesh *mesh);

/*
 * May a contact of the face, at x of its surface, push along the unit vector m?  Places closer than
 * `near` are one.
 */
int mo_mesh_allows(const mo_mesh *mesh, int face, const double x[3], const double m[3],
                   double near);

/*
 * Does the surface go on in the plane of the face beyond its side k (in the plane: beyond its end
 * k)?
 */
int mo_mesh_is_flat(const mo_mesh *mesh, int face, int k);

#endif
