/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Functions of the narrow phase.  The function for a pair of kinds gets both shapes with their
 * world poses, ordered by mo_shape_kind; the table in collide.c exchanges the arguments if
 * necessary.
 */
#ifndef MO_COLLIDE_NARROW_H
#define MO_COLLIDE_NARROW_H

#include "collide/collide.h"
#include "collide/hull.h"
#include "collide/pose.h"

typedef struct mo_placed {
    const mo_collider *collider;
    mo_pose pose; /* of the shape, in the world */
} mo_placed;

typedef void mo_pair_fn(const mo_placed *a, const mo_placed *b, double reach, mo_touch_list *out);

#define MO_PAIR(name)                                                                              \
    MO_EVERYWHERE void name(const mo_placed *a, const mo_placed *b, double reach,                  \
                            mo_touch_list *out)
/* round.c: balls and capsules with each other; shapes that touch a plane at points */
MO_PAIR(mo_collide_ball_ball);
MO_PAIR(mo_collide_ball_capsule);
MO_PAIR(mo_collide_capsule_capsule);
MO_PAIR(mo_collide_ball_plane);
MO_PAIR(mo_collide_capsule_plane);
MO_PAIR(mo_collide_hull_plane);
/*
 * ball_hull.c: with a polyhedron or a cylinder; cylinder.c: with a plane; convex.c: all other pairs
 * of bounded shapes
 */
MO_PAIR(mo_collide_ball_solid);
MO_PAIR(mo_collide_cylinder_plane);
MO_PAIR(mo_collide_convex);
/* mesh_collide.c: convex shapes with triangles; mesh_planar.c: with a chain of segments */
mo_pair_fn mo_collide_convex_mesh, mo_collide_planar_chain;
/* planar.c: every pair of bounded convex shapes in the plane, and each with a half-plane */
mo_pair_fn mo_collide_planar, mo_collide_planar_half;

/*
 * A touch from the two nearest points: on the surface of a and on that of b, with the normal from a
 * to b.
 */
MO_EVERYWHERE void mo_touch_between(const double on_a[3], const double on_b[3],
                                    const double normal[3], double gap, uint32_t feature,
                                    mo_touch_list *out);

/*
 * Keeps at most a handful of the touches from `first` on: of those with one normal that are more
 * than MO_TOUCHES_A_FACE, the deepest and the outermost in eight directions.  Their possible forces
 * and moments are nearly the same.
 */
enum { MO_TOUCHES_A_FACE = 8 };
MO_EVERYWHERE void mo_touches_reduce(mo_touch_list *list, int first);

/* The point of the segment pq nearest to x, as a part of the way from p to q. */
MO_EVERYWHERE double mo_nearest_on_segment(const double p[3], const double q[3], const double x[3],
                                           double nearest[3]);

/*
 * How far x is from a cylinder, in its frame: negative inside; and the outward normal at the point
 * of its surface nearest to x (cylinder.c).
 */
MO_EVERYWHERE double mo_nearest_on_cylinder(double radius, double half, const double x[3],
                                            double normal[3]);

/* Parts of the way of the nearest points of two segments. */
MO_EVERYWHERE void mo_nearest_of_segments(double p[2][3], double q[2][3], double *s, double *t);

#endif
