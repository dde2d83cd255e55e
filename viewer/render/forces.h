/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contact forces over an image: arrows whose length is the force, or, above FRAMES_CHAINS_ABOVE
 * contacts, force chains: for each pair of bodies a line between their centres, as wide as their
 * force.  The body that a force is shown on is chosen by frames_shown_side.  Forces below a
 * hundredth of the largest are left out.
 */
#ifndef VIEWER_RENDER_FORCES_H
#define VIEWER_RENDER_FORCES_H

#include "canvas.h"
#include "moreau/recording.h"

typedef struct forces_view {
    const mo_recording *recording;
    canvas *onto;
    const camera *eye;
    double size, strongest, thickness; /* of the scene, m; N; half the least width of a body, m */
    colour sticks, slides, halo;
} forces_view;

/* A typical largest force of a frame (the median, so that an impact does not make all others
 * small), N, and a typical half width of a body, m.  False if memory runs out. */
int forces_measure(const mo_recording *recording, double *strongest, double *thickness);

int forces_are_chains(const mo_recorded_frame *frame);
double forces_length(const forces_view *v, double force); /* of an arrow, m */
double forces_width(const forces_view *v, double force);  /* of a chain, m */

void forces_draw(const forces_view *v, const mo_recorded_frame *frame, const mo_pose *poses);

#endif
