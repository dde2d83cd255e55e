/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Outputs of `moreau render`: an image, a folder of images, an animation (WebP, GIF) or a video.
 * Frames are drawn several at once, on as many threads, and written in their order.
 */
#ifndef CLI_RENDER_OUT_H
#define CLI_RENDER_OUT_H

#include "render.h"

/* The request. */
typedef struct render_call {
    const char *input, *out;
    render_def def;
    double at, fps;     /* at < 0: the end */
    const char *follow; /* a body, "all", or NULL */
    int is_simulated;   /* the input is no recording */
    int json;
    int kept; /* WebP: frames in the file, where equal ones are one that is shown longer; else 0 */
} render_call;

/* Whether the name has a supported suffix. */
int render_out_is_known(const char *out);
/* Draws and writes; `images`: their number.  An exit status, after a message. */
int render_out(const mo_recording *recording, render_call *call, int *images);

#endif
