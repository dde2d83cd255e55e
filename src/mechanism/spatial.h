/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Spatial vectors in world axes about one point c that the whole linkage shares, so no transforms
 * between links are needed.
 *
 *   motion   (v, w)   velocity of the body point at c, angular velocity
 *   force    (F, T)   force, moment about c
 *   inertia  m, s = m (x - c), I about c:   momentum of (v, w) = (m v + w x s, I w + s x v)
 */
#ifndef MO_MECHANISM_SPATIAL_H
#define MO_MECHANISM_SPATIAL_H

#include "linalg/vec3.h"

typedef struct mo_spatial_inertia {
    double mass, moment[3], inertia[9]; /* m, s, I */
} mo_spatial_inertia;

static inline double mo_spatial_dot(const double motion[6], const double force[6])
{
    return mo_vec3_dot(motion, force) + mo_vec3_dot(motion + 3, force + 3);
}

/* y = y + s x. */
static inline void mo_spatial_add(double s, const double x[6], double y[6])
{
    for (int k = 0; k < 6; ++k)
        y[k] += s * x[k];
}

/* The rate of a motion m fixed to a body moving with a: (w_a x v_m + v_a x w_m, w_a x w_m). */
static inline void mo_spatial_cross(const double a[6], const double m[6], double out[6])
{
    double other[3];
    mo_vec3_cross(a + 3, m, out);
    mo_vec3_cross(a, m + 3, other);
    mo_vec3_along(out, 1, other, out);
    mo_vec3_cross(a + 3, m + 3, out + 3);
}

/* The rate of a force f that is fixed to a body moving with a: (w x F, w x T + v x F). */
static inline void mo_spatial_cross_force(const double a[6], const double f[6], double out[6])
{
    double other[3];
    mo_vec3_cross(a + 3, f, out);
    mo_vec3_cross(a + 3, f + 3, out + 3);
    mo_vec3_cross(a, f, other);
    mo_vec3_along(out + 3, 1, other, out + 3);
}

static inline void mo_spatial_momentum(const mo_spatial_inertia *body, const double m[6],
                                       double out[6])
{
    double other[3];
    mo_vec3_cross(m + 3, body->moment, out);
    mo_vec3_along(out, body->mass, m, out);
    mo_mat3_apply(body->inertia, m + 3, out + 3);
    mo_vec3_cross(body->moment, m, other);
    mo_vec3_along(out + 3, 1, other, out + 3);
}

#endif
