/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From the axis of two shapes to their contact points.
 *
 * Let n be the axis (axis.h) and s the separation along it.  Each shape presents a face, an edge or
 * a vertex to the other.  Seen along n, these overlap in a polygon, a segment or a point.  Every
 * vertex of the overlap is a contact point, with the distance of the two surfaces along n as its
 * gap.  No such gap is smaller than s, and if the overlap contains the nearest points, one gap
 * equals s.  The result therefore does not depend on which of two equal axes was chosen, and
 * neither do the features.
 */
#ifndef MO_COLLIDE_MANIFOLD_H
#define MO_COLLIDE_MANIFOLD_H

#include "collide/axis.h"

/* Of a face, at most; less on a GPU, where every thread has its own (device/solid_find.h). */
#ifdef __CUDACC__
enum { MO_FACE_CORNERS = MO_SMALL_FACE };
#else
enum { MO_FACE_CORNERS = MO_HULL_VERTICES };
#endif
enum { MO_FLAT_CORNERS = 2 * MO_FACE_CORNERS + 8, MO_FLAT_SIDES = MO_HULL_VERTICES };

/* A face (3 corners or more, counterclockwise seen from outside), a line (2) or a point (1). */
typedef struct mo_flat {
    int count;
    double corner[MO_FLAT_CORNERS][3];
    /* names the side from corner k to the next one, below MO_FLAT_SIDES */
    int label[MO_FLAT_CORNERS];
    double plane[4]; /* of a face, outward */
} mo_flat;

/* The feature of the core that faces the unit vector n (flat.c). */
MO_EVERYWHERE void mo_core_flat(mo_core *core, const double n[3], mo_flat *flat);

/* Appends a touch of two points, moved by the origin. */
MO_EVERYWHERE void mo_touch_about(const double on_a[3], const double on_b[3],
                                  const double normal[3], double gap, const double origin[3],
                                  uint32_t feature, mo_touch_list *out);

/*
 * Appends the touches whose gap is at most `reach`; all points are given about `origin`.  A corner
 * that is outside by no more than `tolerance` is on the side; its gap is then no less than the
 * separation anyway.  Returns the least of all gaps of the overlap, infinity where there is
 * none.  Features are below 2^20.
 */
MO_EVERYWHERE double mo_manifold(const mo_flat *a, const mo_flat *b, const mo_axis *axis,
                                 const double origin[3], double tolerance, double reach,
                                 mo_touch_list *out);

#endif
