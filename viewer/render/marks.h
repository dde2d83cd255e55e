/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Annotations of an image, at the bottom and at the top left: the axes of the world, a scale bar,
 * the time, and the scale of the forces.  Letters are strokes on a grid of 5 x 7 points.
 */
#ifndef VIEWER_RENDER_MARKS_H
#define VIEWER_RENDER_MARKS_H

#include "forces.h"
#include "render.h"

/* Text at a place, its lower left corner, `high` pixels high; returns its width. */
double marks_text(canvas *c, const double at[2], double high, const char *text, colour how);

/* A power of ten, or twice or five times one, at most x. */
double marks_round(double x);

/* The axes, a length and the time; of a frame, over all else. */
void marks_axes(renderer *r, double time);
/* A force, and the length or width with which it is drawn. */
void marks_forces(renderer *r, const forces_view *v, int are_chains);

#endif
