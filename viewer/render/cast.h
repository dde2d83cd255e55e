/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Draws shapes in space on a canvas by ray casting: every pixel in the bounding box of a shape is
 * intersected with the exact shape, and the nearest hit is kept.  A canvas with colours stores body
 * and normal of each pixel for shading; one without is a depth map.
 */
#ifndef VIEWER_CAST_H
#define VIEWER_CAST_H

#include "canvas.h"
#include "moreau/shape.h"

typedef struct caster {
    canvas *onto;
    const camera *eye;
} caster;

/* Draws a shape at its pose in the world; planes only on a canvas with colours.  False if memory
 * runs out. */
int cast_shape(const caster *c, const mo_shape_def *shape, const mo_pose *pose, int body);

#endif
