/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The colours of images, light and dark: those of the viewer's page (page/src/palette.json), which
 * the build writes into palette_data.h.
 */
#ifndef VIEWER_RENDER_PALETTE_H
#define VIEWER_RENDER_PALETTE_H

#include "canvas.h"

enum { PALETTE_BODIES = 8 };

typedef struct palette {
    colour background, zenith; /* at the horizon and above */
    colour ground, grid, fixed, driven, bodies[PALETTE_BODIES];
    colour sticks, slides, apart, accent, pin;
    colour sky, bounce; /* light from above and below */
    float sky_strength, sun_strength, shadow;
} palette;

const palette *palette_of(int is_dark);

/* The colour of a body of the list that has none of its own. */
colour palette_body(const palette *p, int body);

/* a + part (b - a). */
colour colour_mix(colour a, colour b, double part);
/* A surface of this colour under light of these parts: sRGB in, sRGB out. */
colour colour_lit(const palette *p, colour surface, double upwards, double sunwards);

/* A part of a colour: from what a screen takes (sRGB) to light, and back. */
float colour_linear(float c);
float colour_on_screen(float c);

#endif
