/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The faces of a convex hull, for drawing.
 *
 * Every plane through three points that has all others on one side carries a face; the points on
 * it, in the order of their hull in that plane, are its corners.  It costs n^3 and more, which is
 * nothing for the hulls of a scene (tens of points).
 */
#ifndef TOOLS_HULL_FACES_H
#define TOOLS_HULL_FACES_H

/* Corners counterclockwise, seen from outside. */
typedef void hull_face_fn(void *user, int count, const int *corners);

/* points: 3 numbers each; planar: their hull in the plane z = 0, one face.  False for lack of
 * memory. */
int hull_faces(const double *points, int count, int planar, hull_face_fn *take, void *user);

#endif
