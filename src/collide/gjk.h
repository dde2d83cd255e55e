/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The distance of two convex cores, by the method of Gilbert, Johnson and Keerthi.
 *
 * With A and B the cores, v the point of A - B nearest to the origin gives the distance |v| and the nearest points.  It is sought over simplices
 * of at most four points w = a - b of the difference.  A step takes the w that lies furthest against v, adds it to the simplex, and keeps
 * the smallest face of the new simplex that holds its nearest point.  Since v.w bounds |v| times the distance from below, |v|^2 - v.w is a gap
 * between what is reached and what can be; the search ends where it is rounding, or where it no longer becomes smaller.
 *
 * Between polyhedra it ends after finitely many steps.  Overlap is found out, not measured.
 */
#ifndef MO_COLLIDE_GJK_H
#define MO_COLLIDE_GJK_H

/* The hull of points, or a cylinder, in world axes about an origin that both cores share. */
typedef struct mo_core {
    int vertex_count;          /* 0: a cylinder */
    const double *vertex;      /* 3 numbers each */
    double centre[3], axis[3]; /* of a cylinder; the axis is a unit vector */
    double radius, half;
} mo_core;

/* The point furthest along the direction. */
void mo_core_support(const mo_core *core, const double direction[3], double point[3]);

/* How far b is from a along the unit vector n; negative where they overlap along it. */
double mo_core_gap(const mo_core *a, const mo_core *b, const double n[3]);

/* The distance and the two nearest points; 0 where the cores overlap or touch, to rounding. */
double mo_gjk_distance(const mo_core *a, const mo_core *b, double on_a[3], double on_b[3]);

#endif
