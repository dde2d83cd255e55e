/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "finish.h"

#include <math.h>

static double smooth(double x)
{
    const double t = fmin(1, fmax(0, x));
    return t * t * (3 - 2 * t);
}

static float one(const palette *p, float shaded, float surface, float sky, float bounce,
                 const finish *f)
{
    const double polish = 1 - f->roughness, blur = 0.06 + 0.94 * f->roughness;
    const double below = 0.6 * (double)colour_linear(bounce), above = (double)colour_linear(sky);
    const double part = smooth((f->upwards + blur) / (2 * blur));
    const double around = below + part * (above - below);
    const double glint = pow(fmax(0, f->sunwards), 2 + 150 * polish * polish * polish);
    const double light = 0.55 * (double)p->sky_strength * around +
                         (double)p->sun_strength * polish * (1 + 2 * polish) * glint * f->lit;
    double mirror = 0.04 + f->metallic * ((double)colour_linear(surface) - 0.04);
    mirror += (1 - mirror) * polish * pow(1 - fmax(0, f->facing), 5);
    const double own = 1 - f->metallic * (1 - 0.5 * f->roughness);
    return colour_on_screen((float)(own * (double)colour_linear(shaded) + mirror * light));
}

colour finish_light(const palette *p, colour shaded, colour surface, const finish *f)
{
    return (colour){one(p, shaded.red, surface.red, p->sky.red, p->bounce.red, f),
                    one(p, shaded.green, surface.green, p->sky.green, p->bounce.green, f),
                    one(p, shaded.blue, surface.blue, p->sky.blue, p->bounce.blue, f)};
}
