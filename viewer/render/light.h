/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Computes colours from depths and normals, as on the viewer's page (page/src/plain.ts, ground.ts,
 * shade.ts, sky.ts).
 *
 *   bodies       light from the sky and the ground, and from the sun with a soft shadow (several
 *                samples of its depth map); octants of balls differ in brightness to show rotation
 *   floor        a colour that fades into the horizon, grid lines, the shadow of the sun, and a
 *                blurred contact shadow below each shape near it
 *   background   a gradient from the horizon to the zenith
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
