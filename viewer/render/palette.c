/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "palette.h"

#include <math.h>

#include "palette_data.h"

static const palette PALETTES[2] = {PALETTE_LIGHT, PALETTE_DARK};

const palette *palette_of(int is_dark)
{
    return &PALETTES[is_dark != 0];
}

colour palette_body(const palette *p, int body)
{
    /* Consecutive bodies differ; a golden-ratio stride avoids stripes in regular scenes. */
    return p->bodies[(int)floor(body * 0.618034 * PALETTE_BODIES) % PALETTE_BODIES];
}

colour colour_mix(colour a, colour b, double part)
{
    const float p = (float)part;
    return (colour){a.red + p * (b.red - a.red), a.green + p * (b.green - a.green),
                    a.blue + p * (b.blue - a.blue)};
}

/* ---- light ----------------------------------------------------------------------------------- */

float colour_linear(float c)
{
    return c <= 0.04045F ? c / 12.92F : powf((c + 0.055F) / 1.055F, 2.4F);
}

float colour_on_screen(float c)
{
    return c <= 0.0031308F ? 12.92F * c : 1.055F * powf(c, 1 / 2.4F) - 0.055F;
}

static float lit(const palette *p, float surface, float sky, float bounce, float upwards,
                 float sunwards)
{
    const float from = colour_linear(bounce), to = colour_linear(sky);
    const float around = (from + (0.5F + 0.5F * upwards) * (to - from)) * p->sky_strength;
    return colour_on_screen(colour_linear(surface) * (around + sunwards * p->sun_strength) *
                            0.3183099F);
}

colour colour_lit(const palette *p, colour s, double upwards, double sunwards)
{
    const float up = (float)upwards, sun = (float)fmax(0, sunwards);
    return (colour){lit(p, s.red, p->sky.red, p->bounce.red, up, sun),
                    lit(p, s.green, p->sky.green, p->bounce.green, up, sun),
                    lit(p, s.blue, p->sky.blue, p->bounce.blue, up, sun)};
}
