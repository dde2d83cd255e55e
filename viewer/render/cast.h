/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Shapes of space onto a canvas: for every pixel in the box that a shape covers, its ray meets the
 * shape exactly, so that what is round is round.  The nearest wins.  A canvas with colours keeps
 * the body and the normal of each pixel, to be shaded once all shapes are cast; one without is a
 * map of depths.
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
