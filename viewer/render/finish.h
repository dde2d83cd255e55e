/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Metallic and rough surfaces, if a file defines them, as on the viewer's page
 * (page/src/finish.ts): a surface also reflects the sky, the ground and the sun, blurred by its
 * roughness.
 */
#ifndef VIEWER_RENDER_FINISH_H
#define VIEWER_RENDER_FINISH_H

#include "palette.h"

typedef struct finish {
    double metallic, roughness; /* 0 to 1 */
    double facing;              /* cosine between the normal and the way to the eye */
    double upwards, sunwards;   /* of the mirrored way: its z, and its cosine to the sun */
    double lit;                 /* part of the sun's light that is not in a shadow */
} finish;

/* The colour of a surface with a finish; `shaded`: without it.  sRGB in, sRGB out. */
colour finish_light(const palette *p, colour shaded, colour surface, const finish *f);

#endif
