/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/principal.h"

#include "linalg/vec3.h"

/* Jacobi's rotations: three planes a sweep, until nothing is left beside the diagonal. */
void mo_principal_axes(const double inertia[6], double values[3], double Q[9])
{
    double A[9];
    mo_mat3_symmetric(inertia, A);
    memset(Q, 0, 9 * sizeof *Q);
    Q[0] = Q[4] = Q[8] = 1;
    for (int sweep = 0; sweep < 30 && (A[1] != 0 || A[2] != 0 || A[5] != 0); ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (A[3 * p + q] == 0) continue;
                const double theta = (A[4 * q] - A[4 * p]) / (2 * A[3 * p + q]);
                const double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
                const double c = 1 / hypot(1, t), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double x = A[3 * k + p], y = A[3 * k + q];
                    A[3 * k + p] = c * x - s * y;
                    A[3 * k + q] = s * x + c * y;
                    const double u = Q[3 * k + p], v = Q[3 * k + q];
                    Q[3 * k + p] = c * u - s * v;
                    Q[3 * k + q] = s * u + c * v;
                }
                for (int k = 0; k < 3; ++k) {
                    const double x = A[3 * p + k], y = A[3 * q + k];
                    A[3 * p + k] = c * x - s * y;
                    A[3 * q + k] = s * x + c * y;
                }
                A[3 * p + q] = A[3 * q + p] = 0;
            }
        }
    }
    for (int k = 0; k < 3; ++k)
        values[k] = A[4 * k];
}

void mo_principal_compose(const double values[3], const double Q[9], double six[6])
{
    const double D[9] = {values[0], 0, 0, 0, values[1], 0, 0, 0, values[2]};
    double A[9];
    mo_mat3_turn(Q, D, A);
    mo_mat3_six(A, six);
}
