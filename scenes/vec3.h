/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Vectors and rotations in space: just what the mechanisms of the scenes need. */
#ifndef SCENES_VEC3_H
#define SCENES_VEC3_H

#include <math.h>
#include <string.h>

static inline double vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c is neither of them. */
static inline void vec3_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* c = a + s b; c may be a or b. */
static inline void vec3_along(const double a[3], double s, const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[k] + s * b[k];
}

/* c += s (a x b) */
static inline void vec3_add_cross(double s, const double a[3], const double b[3], double c[3])
{
    double axb[3];
    vec3_cross(a, b, axb);
    vec3_along(c, s, axb, c);
}

static inline void vec3_normalise(double a[3])
{
    const double size = sqrt(vec3_dot(a, a));
    for (int k = 0; k < 3; ++k)
        a[k] /= size;
}

/* y = A x, A row-major 3 x 3; y is not x. */
static inline void mat3_apply(const double A[9], const double x[3], double y[3])
{
    for (int k = 0; k < 3; ++k)
        y[k] = vec3_dot(A + 3 * k, x);
}

/* C = A B; C is neither of them. */
static inline void mat3_multiply(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* B = Q A Q' */
static inline void mat3_turn(const double Q[9], const double A[9], double B[9])
{
    double QA[9];
    mat3_multiply(Q, A, QA);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            B[3 * i + j] = vec3_dot(QA + 3 * i, Q + 3 * j);
}

/* Q = the rotation about the vector phi by its length (Rodrigues). */
static inline void mat3_rotation(const double phi[3], double Q[9])
{
    const double angle = sqrt(vec3_dot(phi, phi));
    const double s = angle > 0 ? sin(angle) / angle : 1;
    const double c = angle > 0 ? 2 * pow(sin(angle / 2) / angle, 2) : 0.5;
    const double K[9] = {0, -phi[2], phi[1], phi[2], 0, -phi[0], -phi[1], phi[0], 0};
    double KK[9];
    mat3_multiply(K, K, KK);
    for (int k = 0; k < 9; ++k)
        Q[k] = (k % 4 == 0) + s * K[k] + c * KK[k];
}

#endif
