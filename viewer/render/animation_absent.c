/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Without libwebp: animations are refused. */
#include "animation.h"

int animation_is_built_in(void)
{
    return 0;
}

animation *animation_begin(int width, int height)
{
    (void)width;
    (void)height;
    return NULL;
}

int animation_add(animation *a, const unsigned char *bytes, int time)
{
    (void)a;
    (void)bytes;
    (void)time;
    return 0;
}

int animation_write(animation *a, int time, FILE *out, int *frames)
{
    (void)a;
    (void)time;
    (void)out;
    (void)frames;
    return 0;
}

void animation_end(animation *a)
{
    (void)a;
}
