/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Draws planar shapes on a canvas by their signed distance: filled, with a darker edge. */
#ifndef VIEWER_FLAT_H
#define VIEWER_FLAT_H

#include "canvas.h"
#include "moreau/shape.h"

/* The corners of a planar hull, counterclockwise, into `corners`, which has room for all its
 * points; how many, or -1 if memory runs out. */
int flat_corners(const mo_shape_def *hull, double (*corners)[3]);

/* Metres to the edge of the shape from a point of its frame; negative inside.  The points of a hull
 * are its corners, in order. */
double flat_distance(const mo_shape_def *shape, const double point[3]);

/* edge: width of the edge in pixels.  False if memory runs out. */
int flat_shape(canvas *c, const camera *eye, const mo_shape_def *shape, const mo_pose *pose,
               double edge, colour how);

#endif
