/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * From depths and normals to colours, as the viewer's page has them (page/src/plain.ts, ground.ts,
 * shade.ts, sky.ts).
 *
 *   bodies       a sky from above and below, and a sun with a soft shadow: its map of depths, asked
 *                at several places; octants of balls differ in brightness, so that one sees them
 *                turn
 *   floor        a flat colour that fades into the horizon, the lines of a grid, the sun's shadow,
 *                and soft contact shadows: under each shape near it a blurred patch
 *   background   from the horizon to the zenith
 */
#ifndef VIEWER_RENDER_LIGHT_H
#define VIEWER_RENDER_LIGHT_H

#include "render.h"

/* The background, or one colour for planar scenes, into the large canvas. */
void light_background(renderer *r);
/* Colours every pixel that shows a shape; poses of this frame's bodies. */
void light_shapes(renderer *r, const mo_pose *poses);

/* Whether a shape is a plane that is seen as a floor: it faces upwards. */
int light_is_floor(const mo_shape_def *shape, const mo_pose *body);

colour light_colour_of(const renderer *r, int shape);

/* A length of 1, 2 or 5 times a power of ten near x. */
double light_round(double x);

#endif
