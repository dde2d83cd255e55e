/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A convex shape in world axes, about an origin that both shapes of a pair share, so that far from the world's origin no digits are lost.
 *
 * A polyhedron has its vertices and planes turned; a ball is its centre, a capsule its line, a triangle a polyhedron with two faces, front and back; of a cylinder there
 * is the core alone.
 */
#ifndef MO_COLLIDE_SOLID_H
#define MO_COLLIDE_SOLID_H

#include "collide/gjk.h"
#include "collide/manifold.h"

enum { MO_SOLID_FACES = 2 * MO_HULL_VERTICES };

typedef struct mo_solid {
    const mo_hull *hull; /* NULL: a cylinder */
    mo_hull own;         /* of a point, a line or a triangle */
    mo_hull_edge own_edge[3];
    int own_start[3], own_vertex[6];
    double vertex[MO_HULL_VERTICES][3];
    double plane[MO_SOLID_FACES][4];
    double centre[3];
    double across[3]; /* of a cylinder: a unit vector that turns with it, where its rim begins */
    double radius;    /* about all of it (ball, capsule) */
    double size;
    mo_core core;
} mo_solid;

/* A ball, box, hull, capsule or cylinder. */
void mo_solid_place(const mo_placed *from, const double origin[3], mo_solid *to);

/* The face, line or point that looks most along the unit vector n. */
void mo_solid_flat(const mo_solid *solid, const double n[3], mo_flat *flat);

/* Takes the direction from a to b, which has any length above `shortest`, for the axis where it separates the cores more. */
void mo_axis_try(const mo_solid *a, const mo_solid *b, const double direction[3], double shortest,
                 mo_axis *best);

/* The point of a's flat nearest to b's along the axis, once they are moved a little apart along it. */
void mo_solid_meet(const mo_solid *a, const mo_solid *b, const mo_axis *axis, double size,
                   double on_a[3]);

/* cylinder.c: the cylinder a with any other solid; appends touches with normals from a to b. */
void mo_collide_cylinder_solid(const mo_solid *a, const mo_solid *b, const double origin[3],
                               double reach, mo_touch_list *out);

#endif
