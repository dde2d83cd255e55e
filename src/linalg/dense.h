/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Dense kernels for the blocks of a problem: row-major, in place, no allocation.
 *
 * Blocks are small (6 x 6) or, for a flexible body, a few hundred rows; from MO_LAPACK_FROM rows on
 * LAPACK is used.
 */
#ifndef MO_LINALG_DENSE_H
#define MO_LINALG_DENSE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A = P Q with diag(P) = diag(Q), in place.  Below MO_TREE_FROM rows, P is the lower triangle and Q
 * the upper one; from there on P is the upper one: elimination begins with the last row, and the
 * mass matrix of a tree, whose leaves come last, stays sparse.  For a symmetric A (lower triangle
 * read) Q = P'.  False if A is not positive definite, an unsymmetric one by its minors; A is
 * then spoilt.
 */
enum { MO_TREE_FROM = 9, MO_LAPACK_FROM = 48 };
bool mo_factor_symmetric(int n, double *A);
bool mo_factor_unsymmetric(int n, double *A);

/* x = P^-1 x, x = Q^-1 x and x = Q^-T x; x = A^-1 x and x = A^-T x. */
void mo_solve_first(int n, const double *F, double *x);
void mo_solve_second(int n, const double *F, double *x);
void mo_solve_second_transposed(int n, const double *F, double *x);
void mo_solve_factored(int n, const double *F, double *x);
void mo_solve_factored_transposed(int n, const double *F, double *x);

/*
 * P A Q = L U with complete pivoting: L (unit diagonal) and U replace A, row[k] and column[k] are
 * those of pivot k.  Ends at a pivot below `tolerance` times the first, and returns the rank.
 */
int mo_factor_complete(int n, double tolerance, double *A, int *row, int *column);

/*
 * x with A x = b by that factorisation, which replaces A; b is overwritten; n is at most MO_SMALL.
 * If A is singular to rounding, the unknowns of the vanishing pivots are zero: a solution if one
 * exists.  Returns the rank.
 */
enum { MO_SMALL = 160 };
int mo_solve_small(int n, double *A, double *b, double *x);

/* A <- A^-1 by Gauss and Jordan with row pivoting, n <= MO_SMALL; false if A is singular. */
bool mo_invert_small(int n, double *A);

static inline double mo_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < n; ++k)
        sum += x[k] * y[k];
    return sum;
}

/* y += a x */
static inline void mo_axpy(int n, double a, const double *x, double *y)
{
    for (int k = 0; k < n; ++k)
        y[k] += a * x[k];
}

/* x = a x */
static inline void mo_scale(int n, double a, double *x)
{
    for (int k = 0; k < n; ++k)
        x[k] *= a;
}

/* z = x + a y; z may be x or y. */
static inline void mo_along(int n, const double *x, double a, const double *y, double *z)
{
    for (int k = 0; k < n; ++k)
        z[k] = x[k] + a * y[k];
}

/* |x - y|^2 */
static inline double mo_distance_square(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < n; ++k)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

/* The largest |x_k|. */
static inline double mo_largest(int n, const double *x)
{
    double most = 0;
    for (int k = 0; k < n; ++k)
        most = fmax(most, fabs(x[k]));
    return most;
}

static inline double mo_norm(int n, const double *x)
{
    return sqrt(mo_dot(n, x, x));
}

/* C = A X, A d x d, X d x n. */
static inline void mo_multiply(int d, int n, const double *A, const double *X, double *C)
{
    for (int a = 0; a < d; ++a) {
        for (int k = 0; k < n; ++k)
            C[a * n + k] = A[a * d] * X[k];
        for (int b = 1; b < d; ++b)
            mo_axpy(n, A[a * d + b], X + (size_t)b * (size_t)n, C + (size_t)a * (size_t)n);
    }
}

#endif
