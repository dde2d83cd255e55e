/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Images of a recording, without a browser.
 *
 * Scenes in space are drawn on a canvas of twice the size by ray casting (cast.h), shaded (light.h)
 * and scaled down.  Planar scenes are drawn from back to front by signed distance (flat.h).
 * Contact forces come last (forces.h).  Colours are those of the viewer's page (palette.h).
 */
#ifndef VIEWER_RENDER_H
#define VIEWER_RENDER_H

#include "canvas.h"
#include "moreau/recording.h"
#include "palette.h"

typedef struct render_def {
    int width, height;
    /* rad, of the eye: about the vertical from x, above the ground; space only */
    double azimuth, elevation;
    double zoom;  /* 1: all that can move fits in */
    int forces;   /* arrows, or chains */
    int dark;     /* the dark palette */
    int axes;     /* the axes of the world, a length, the time */
    double turn;  /* rad/s of the recording: the eye goes about the vertical; space only */
    int follow;   /* the camera follows the moving bodies, or `followed` alone */
    int followed; /* a body; -1: all that moves */
} render_def;

render_def render_default(void); /* 1280 x 720, from the front right, a little above */

typedef struct renderer {
    render_def def;
    const mo_recording *recording;
    camera eye, light;
    canvas large, small, shadow;
    double centre[3], size;      /* of what can move, at the start, m */
    double strongest, thickness; /* forces_measure */
    int is_pale;                 /* this frame has force chains; bodies are paler */
    camera first;                /* the eye that fits; of a frame: eye */
    double middle[3];            /* of the moving bodies in the first frame, m */
    double lit[3];               /* the same in the frame that the light's camera is for */
    int *order;                  /* of shapes, by layer */
    unsigned char *drawn;        /* of each shape (frames_drawn) */
    const palette *colours;
} renderer;

/* False if memory runs out.  The recording has a frame, and stays the caller's. */
int render_open(renderer *r, const mo_recording *recording, const render_def *def);
void render_close(renderer *r);
/* The frame, into r->small; false if memory runs out. */
int render_frame(renderer *r, int frame);

#endif
