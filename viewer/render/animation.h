/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* An animated WebP image that loops endlessly, by libwebp; animation_absent.c replaces it. */
#ifndef VIEWER_ANIMATION_H
#define VIEWER_ANIMATION_H

#include <stdio.h>

typedef struct animation animation;

int animation_is_built_in(void);
/* NULL if memory runs out. */
animation *animation_begin(int width, int height);
/* 3 bytes a pixel, row by row from the top; shown from `time` on, in ms.  False
 * if memory runs out. */
int animation_add(animation *a, const unsigned char *bytes, int time);
/* The last frame is shown until `time`; `frames`: their number, equal ones merged.  False with
 * errno. */
int animation_write(animation *a, int time, FILE *out, int *frames);
void animation_end(animation *a);

#endif
