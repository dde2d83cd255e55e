/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Vectors, 3 x 3 matrices (row-major) and quaternions (w, x, y, z) in space. */
#ifndef MO_LINALG_VEC3_H
#define MO_LINALG_VEC3_H

#include <math.h>
#include <string.h>

#include "base/anywhere.h"

MO_ANY double mo_vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

MO_ANY double mo_vec3_norm(const double a[3])
{
    return sqrt(mo_vec3_dot(a, a));
}

MO_ANY void mo_vec3_set(double a[3], double x, double y, double z)
{
    a[0] = x;
    a[1] = y;
    a[2] = z;
}

MO_ANY void mo_vec3_copy(const double a[3], double b[3])
{
    memcpy(b, a, 3 * sizeof *b);
}

MO_ANY int mo_vec3_are_equal(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* c = a - b; c may be either. */
MO_ANY void mo_vec3_minus(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[k] - b[k];
}

/* c = a + s b; c may be either. */
MO_ANY void mo_vec3_along(const double a[3], double s, const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[k] + s * b[k];
}

/* b = s a; b may be a. */
MO_ANY void mo_vec3_scale(double s, const double a[3], double b[3])
{
    for (int k = 0; k < 3; ++k)
        b[k] = s * a[k];
}

/* c = a x b; c is neither of them. */
MO_ANY void mo_vec3_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Two unit vectors that make a right-handed frame (n, t, o) with the unit vector n. */
MO_ANY void mo_vec3_tangents(const double n[3], double t[3], double o[3])
{
    const int flat = fabs(n[2]) < 0.9; /* then z x n is long enough */
    const double axis[3] = {flat ? 0.0 : 1.0, 0, flat ? 1.0 : 0.0};
    mo_vec3_cross(axis, n, t);
    mo_vec3_scale(1 / mo_vec3_norm(t), t, t);
    mo_vec3_cross(n, t, o);
}

/* Clamps to [0, 1]; NaN gives 0. */
MO_ANY double mo_part(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* y = A x; y is not x. */
MO_ANY void mo_mat3_apply(const double A[9], const double x[3], double y[3])
{
    for (int k = 0; k < 3; ++k)
        y[k] = mo_vec3_dot(A + 3 * k, x);
}

/* y = A' x; y is not x. */
MO_ANY void mo_mat3_apply_transposed(const double A[9], const double x[3], double y[3])
{
    for (int k = 0; k < 3; ++k)
        y[k] = A[k] * x[0] + A[3 + k] * x[1] + A[6 + k] * x[2];
}

/* C = A B; C is neither of them. */
MO_ANY void mo_mat3_multiply(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* B = Q A Q' of a symmetric A. */
MO_ANY void mo_mat3_turn(const double Q[9], const double A[9], double B[9])
{
    double QA[9];
    mo_mat3_multiply(Q, A, QA);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            B[3 * i + j] = B[3 * j + i] = mo_vec3_dot(QA + 3 * i, Q + 3 * j);
}

/* The symmetric matrix xx yy zz xy xz yz. */
MO_ANY void mo_mat3_symmetric(const double s[6], double A[9])
{
    const double full[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
    memcpy(A, full, sizeof full);
}

/* The reverse. */
MO_ANY void mo_mat3_six(const double A[9], double s[6])
{
    const double six[6] = {A[0], A[4], A[8], A[1], A[2], A[5]};
    memcpy(s, six, sizeof six);
}

/* The inertia of a body turned by Q: s = Q s Q'. */
MO_ANY void mo_inertia_turn(const double Q[9], double s[6])
{
    double A[9], B[9];
    mo_mat3_symmetric(s, A);
    mo_mat3_turn(Q, A, B);
    mo_mat3_six(B, s);
}

/* Is an inertia the same about every axis, to a relative tolerance? */
MO_ANY int mo_mat3_is_isotropic(const double A[9], double tolerance)
{
    int is_same = 1;
    for (int k = 0; k < 9; ++k)
        is_same &= fabs(A[k] - (k % 4 == 0 ? A[0] : 0)) <= tolerance * A[0];
    return is_same;
}

/* Sylvester's criterion, for a symmetric A. */
MO_ANY int mo_mat3_is_positive_definite(const double A[9])
{
    double c[3];
    mo_vec3_cross(A + 3, A + 6, c);
    return A[0] > 0 && A[0] * A[4] - A[1] * A[3] > 0 && mo_vec3_dot(A, c) > 0;
}

/* x with A x = b for a regular A, by Cramer's rule. */
MO_ANY void mo_mat3_solve(const double A[9], const double b[3], double x[3])
{
    double yz[3], zx[3], xy[3]; /* cross products of the rows: the columns of the adjugate */
    mo_vec3_cross(A + 3, A + 6, yz);
    mo_vec3_cross(A + 6, A, zx);
    mo_vec3_cross(A, A + 3, xy);
    const double determinant = mo_vec3_dot(A, yz);
    for (int k = 0; k < 3; ++k)
        x[k] = (yz[k] * b[0] + zx[k] * b[1] + xy[k] * b[2]) / determinant;
}

/* c = a b; c is neither of them. */
MO_ANY void mo_quat_multiply(const double a[4], const double b[4], double c[4])
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* A unit quaternion, to the accuracy of steps; false for NaN. */
MO_ANY int mo_quat_is_unit(const double q[4])
{
    return fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) <= 1e-6;
}

MO_ANY void mo_quat_normalise(double q[4])
{
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k)
        q[k] /= size;
}

/* The rotation matrix of a unit quaternion. */
MO_ANY void mo_quat_matrix(const double q[4], double Q[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    Q[0] = 1 - 2 * (y * y + z * z);
    Q[1] = 2 * (x * y - w * z);
    Q[2] = 2 * (x * z + w * y);
    Q[3] = 2 * (x * y + w * z);
    Q[4] = 1 - 2 * (x * x + z * z);
    Q[5] = 2 * (y * z - w * x);
    Q[6] = 2 * (x * z - w * y);
    Q[7] = 2 * (y * z + w * x);
    Q[8] = 1 - 2 * (x * x + y * y);
}

/* (cos |p|, p sin |p| / |p|) by series, exact to rounding for s = |p|^2 <= MO_SHORT. */
#define MO_SHORT (1.0 / 64)
MO_ANY void mo_quat_of_short(const double p[3], double s, double q[4])
{
    const double k = 1 - s * (1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040 - s * (1.0 / 362880))));
    q[0] =
        1 - s * (0.5 - s * (1.0 / 24 - s * (1.0 / 720 - s * (1.0 / 40320 - s * (1.0 / 3628800)))));
    q[1] = k * p[0], q[2] = k * p[1], q[3] = k * p[2];
}

/* The rotation about the vector phi by its length. */
MO_ANY void mo_quat_rotation(const double phi[3], double q[4])
{
    const double half[3] = {0.5 * phi[0], 0.5 * phi[1], 0.5 * phi[2]},
                 square = mo_vec3_dot(half, half);
    if (square <= MO_SHORT) {
        mo_quat_of_short(half, square, q);
        return;
    }
    const double angle = sqrt(square);
    q[0] = cos(angle);
    mo_vec3_scale(sin(angle) / angle, half, q + 1);
}

/* y = the vector x turned by q; y may be x. */
MO_ANY void mo_quat_turn(const double q[4], const double x[3], double y[3])
{
    double t[3], c[3];
    mo_vec3_cross(q + 1, x, t);
    mo_vec3_along(t, q[0], x, t); /* q_v x x + w x */
    mo_vec3_cross(q + 1, t, c);
    /* x + 2 q_v x (q_v x x + w x), where q_v x (w x) = w (q_v x x) */
    for (int k = 0; k < 3; ++k)
        y[k] = x[k] + 2 * c[k];
}

/* Are three vectors, `apart` numbers apart, orthonormal to a tolerance? */
MO_ANY int mo_is_frame(const double *e, int apart, double tolerance)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double product = mo_vec3_dot(e + apart * i, e + apart * j);
            if (!(product - (i == j) <= tolerance && (i == j) - product <= tolerance)) return 0;
        }
    }
    return 1;
}

#endif
