/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An animated GIF that loops endlessly, by giflib; gif_absent.c where that is missing.
 *
 * Each frame has its own 256 colours, by median cut over a histogram of 32^3 cells, and an ordered
 * dither of 4 x 4 pixels hides the steps between them.
 */
#ifndef VIEWER_GIF_H
#define VIEWER_GIF_H

#include <stdio.h>

typedef struct gif gif;

int gif_is_built_in(void);
/* Writes to `out`, which stays the caller's; NULL if memory runs out. */
gif *gif_begin(int width, int height, FILE *out);
/* 3 bytes a pixel, row by row from the top, shown for so many hundredths of a second.  False with
 * errno. */
int gif_add(gif *g, const unsigned char *bytes, int hundredths);
/* Completes the file and frees g, which may be NULL; false with errno. */
int gif_end(gif *g);

#endif
