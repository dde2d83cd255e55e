/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Shapes of space onto a canvas: for every pixel in the box that a shape covers, its ray meets the shape exactly, so that what is round is
 * round.  The nearest wins.  With a shader, the pixel gets its colour; without, the canvas is a map of depths, as the light
 * sees them.
 */
#ifndef VIEWER_CAST_H
#define VIEWER_CAST_H

#include "canvas.h"
#include "moreau/shape.h"

typedef struct cast_hit {
    double point[3], normal[3]; /* world; the normal towards the eye */
    double depth;
    int body;
} cast_hit;

typedef colour cast_shader(void *user, const cast_hit *hit);

typedef struct caster {
    canvas *onto;
    const camera *eye;
    cast_shader *shade; /* or NULL */
    void *user;
} caster;

/* A shape of a body at its place in the world; planes only where there is a shader.  False for lack of memory. */
int cast_shape(const caster *c, const mo_shape_def *shape, const mo_pose *pose, int body);

#endif
