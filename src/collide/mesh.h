/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Triangle meshes and planar chains of segments: surfaces of static or kinematic bodies.
 *
 * Every face is solid behind its outward plane.  A shape is tested against each nearby face, then
 * the contacts are filtered by the adjacent faces.  A direction m is valid at an edge or a vertex
 * only if no adjacent face rises along m: d.m <= 0 for the directions d in which those faces
 * extend.  This rejects normals at internal edges of flat or concave surfaces, on which a sliding
 * body would catch; the normal of the face is tried instead, or that of an edge that juts out.
 *
 * A shape whose centre is behind a face is not pushed out along the normal of that face.
 *
 * A mesh in space with layer and mask 0 is visual: it has points, indices and bounds only.
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

/* Touches from `first` on, found in the frame of the mesh at this pose, to the world. */
static inline void mo_touches_place(mo_touch_list *list, int first, const mo_pose *pose)
{
    for (int k = first; k < list->count; ++k) {
        mo_point_out(pose, list->touch[k].point, list->touch[k].point);
        mo_vector_out(pose, list->touch[k].normal, list->touch[k].normal);
    }
}

/* A unique feature among the touches `first` to `until` of a pair, from the face and the corner. */
uint32_t mo_mesh_feature(const mo_touch_list *list, int first, int until, int face,
                         uint32_t feature);

#endif
