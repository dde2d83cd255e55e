/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Without giflib there is no GIF. */
#include "gif.h"

#include <stddef.h>

int gif_is_built_in(void)
{
    return 0;
}

gif *gif_begin(int width, int height, FILE *out)
{
    (void)width;
    (void)height;
    (void)out;
    return NULL;
}

int gif_add(gif *g, const unsigned char *bytes, int hundredths)
{
    (void)g;
    (void)bytes;
    (void)hundredths;
    return 0;
}

int gif_end(gif *g)
{
    (void)g;
    return 0;
}
