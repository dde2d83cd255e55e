/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "rigid.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mo_error scene_fail(mo_message *why, mo_error code, const char *format, ...)
{
    if (why) {
        va_list values;
        va_start(values, format);
        vsnprintf(why->text, sizeof why->text, format, values);
        va_end(values);
    }
    return code;
}

void rigid_mass(double mass, const double inertia[3], double M[RIGID * RIGID])
{
    memset(M, 0, RIGID * RIGID * sizeof *M);
    for (int k = 0; k < 3; ++k) {
        M[k * RIGID + k] = mass;
        M[(3 + k) * RIGID + 3 + k] = inertia[k];
    }
}

int rigid_add_box(mo_builder *builder, double mass, const double sides[3], const double impulse[3])
{
    double inertia[3], M[RIGID * RIGID];
    for (int k = 0; k < 3; ++k) {
        const double a = sides[(k + 1) % 3], b = sides[(k + 2) % 3];
        inertia[k] = mass * (a * a + b * b) / 12;
    }
    rigid_mass(mass, inertia, M);
    const double f[RIGID] = {impulse[0], impulse[1], impulse[2], 0, 0, 0};
    return mo_builder_add_body(builder, RIGID, M, f);
}

/* [duff2017]: continuous but for n_z = 0, where the sign of n_z picks one of two smooth frames. */
void rigid_frame(const double n[3], double frame[9])
{
    const double sign = copysign(1.0, n[2]);
    const double a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
    const double t[3] = {1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]};
    const double o[3] = {b, sign + n[1] * n[1] * a, -n[1]};
    memcpy(frame, n, sizeof t);
    memcpy(frame + 3, t, sizeof t);
    memcpy(frame + 6, o, sizeof o);
}

void rigid_jacobian(int rows, const double *frame, const double arm[3], double sign, double *J)
{
    for (int k = 0; k < rows; ++k) {
        const double *a = frame + 3 * k;
        const double row[RIGID] = {a[0],
                                   a[1],
                                   a[2],
                                   arm[1] * a[2] - arm[2] * a[1],
                                   arm[2] * a[0] - arm[0] * a[2],
                                   arm[0] * a[1] - arm[1] * a[0]};
        for (int j = 0; j < RIGID; ++j)
            J[k * RIGID + j] = sign * row[j];
    }
}
