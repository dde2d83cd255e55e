/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A strictly feasible start, which [trinkle1997, appendix] assumes (assumption b).  It solves the
 * linear program
 *
 *     least theta  such that  z > 0,  w = S z + c + theta d > 0        (d > 0 given)
 *
 * by Newton's method on the barrier function with growing tau, until theta < 0 and so S z + c > 0:
 *
 *     tau theta - sum log z_k - sum log w_k + delta/2 sum (z_k / d_k)^2
 *
 * The last term bounds the set.  The start is z = w = d = 1 (later random d).
 *
 * If theta stays positive, the multipliers y_k = (1 - dw_k / w_k) / (tau w_k) have c' y < 0 and y'
 * S of at most delta z / (tau d^2).  A feasible z has y' (S z + c) >= 0, so its sum is at least -c'
 * y / max (y' S); if that is too large, the problem is infeasible.  Otherwise the set has no
 * interior (a body between two walls), and the method continues from z = 1 with p = theta d.
 */
#include <math.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "solver/fip.h"

void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void dpotrs_(const char *uplo, const int *n, const int *columns, const double *A, const int *lda,
             double *B, const int *ldb, int *info);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *A, const int *lda, const double *beta, double *C, const int *ldc);

static const double DELTA = 1e-4;    /* of the term that bounds the set, beside logarithms */
static const double TO_WALL = 0.9;   /* longest step, relative to the distance to the boundary */
static const double GROWTH = 5;      /* of tau, once Newton's decrement is below one */
static const double TAU_MOST = 1e10; /* where theta is known to about n / tau */
/* theta decreases to minus this, so that w > 0 in spite of rounding */
static const double ROOM = 1e-3;
static const double OUT_OF_REACH = 1e6; /* bound on the sum of z, in units of about one */

typedef struct barrier {
    double tau, theta, theta_step;
    double *d;        /* the shift */
    double *gradient; /* in z; then the step without theta */
    double *mixed;    /* second derivatives in z and theta, then K^-1 of them */
    double *y;        /* multipliers of w > 0, times tau */
    double gradient_theta, second_theta;
} barrier;

/* d = 1, or random about it. */
static void choose_shift(const mo_run *run, const mo_fip *f, double *d)
{
    mo_random random = {(uint64_t)run->options->fip.seed * UINT64_C(1000003) +
                        (uint64_t)f->restart};
    for (int k = 0; k < f->lcp.n; ++k) {
        const double draw = mo_random_unit(&random);
        d[k] = f->restart ? pow(10, 2 * draw - 1) : 1;
    }
}

/* w = S z + c + theta d */
static void set_w(mo_fip *f, const barrier *b)
{
    mo_fip_multiply(f, f->z, f->w);
    for (int k = 0; k < f->lcp.n; ++k) {
        f->p[k] = b->theta * b->d[k];
        f->w[k] += f->lcp.c[k] + f->p[k];
    }
}

/* z = 1, and the theta for which all w are at least d. */
static void begin(mo_fip *f, barrier *b)
{
    double theta = -INFINITY;
    for (int k = 0; k < f->lcp.n; ++k)
        f->z[k] = 1;
    mo_fip_multiply(f, f->z, f->w);
    for (int k = 0; k < f->lcp.n; ++k)
        theta = fmax(theta, 1 - (f->w[k] + f->lcp.c[k]) / b->d[k]);
    b->theta = theta;
    b->tau = 1;
    set_w(f, b);
}

/* Gradient and second derivatives; K = S' W^-2 S + Z^-2 + delta D^-2, its lower triangle. */
static void differentiate(mo_fip *f, barrier *b)
{
    const int n = f->lcp.n;
    const double one = 1, zero = 0;
    b->gradient_theta = b->tau;
    b->second_theta = 0;
    for (int k = 0; k < n; ++k) {
        b->gradient[k] = -1 / f->z[k] + DELTA * f->z[k] / (b->d[k] * b->d[k]);
        b->mixed[k] = 0;
    }
    for (int i = 0; i < n; ++i) {
        const double inverse = 1 / f->w[i], lift = b->d[i] * inverse;
        double *row = f->rows + (size_t)i * n;
        b->gradient_theta -= lift;
        b->second_theta += lift * lift;
        for (int k = 0; k < n; ++k) {
            row[k] = f->lcp.S[(size_t)i * n + k] * inverse;
            b->gradient[k] -= row[k];
            b->mixed[k] += row[k] * lift;
        }
    }
    dsyrk_("L", "N", &n, &n, &one, f->rows, &n, &zero, f->K, &n);
    for (int k = 0; k < n; ++k)
        f->K[(size_t)k * n + k] += 1 / (f->z[k] * f->z[k]) + DELTA / (b->d[k] * b->d[k]);
}

/* dz and theta_step of Newton's method; its decrement, or -1 if K is lost to rounding. */
static double newton(mo_fip *f, barrier *b)
{
    const int n = f->lcp.n, one = 1;
    int info;
    dpotrf_("L", &n, f->K, &n, &info);
    if (info) return -1;
    for (int k = 0; k < n; ++k) {
        f->dz[k] = -b->gradient[k];
        f->dw[k] = b->mixed[k];
    }
    dpotrs_("L", &n, &one, f->K, &n, f->dz, &n, &info);
    dpotrs_("L", &n, &one, f->K, &n, f->dw, &n, &info);
    const double second = b->second_theta - mo_dot(n, b->mixed, f->dw);
    if (!(second > 0)) return -1;
    b->theta_step = (-b->gradient_theta - mo_dot(n, b->mixed, f->dz)) / second;
    mo_axpy(n, -b->theta_step, f->dw, f->dz);
    return fabs(b->gradient_theta * b->theta_step + mo_dot(n, b->gradient, f->dz));
}

static void step(mo_fip *f, barrier *b)
{
    double reach = 1 / TO_WALL;
    mo_fip_multiply(f, f->dz, f->dw);
    for (int k = 0; k < f->lcp.n; ++k) {
        const double dw = f->dw[k] + b->theta_step * b->d[k];
        b->y[k] = fmax(0, (1 - dw / f->w[k]) / f->w[k]);
        reach = dw < 0 ? fmin(reach, -f->w[k] / dw) : reach;
        reach = f->dz[k] < 0 ? fmin(reach, -f->z[k] / f->dz[k]) : reach;
    }
    mo_axpy(f->lcp.n, TO_WALL * reach, f->dz, f->z);
    b->theta += TO_WALL * reach * b->theta_step;
    set_w(f, b);
}

/* Sets theta = 0 if the point stays strictly inside. */
static int settle(mo_fip *f, barrier *b)
{
    b->theta = 0;
    set_w(f, b);
    for (int k = 0; k < f->lcp.n; ++k)
        if (!(f->w[k] > 0)) return 0;
    return 1;
}

/* Lower bound of the sum of z over all feasible points, from the multipliers y: see above. */
static double least_sum(const mo_fip *f, const double *y, double *image)
{
    const int n = f->lcp.n;
    double driven = 0, most = 0;
    for (int k = 0; k < n; ++k)
        image[k] = 0;
    for (int i = 0; i < n; ++i) {
        driven -= f->lcp.c[i] * y[i];
        mo_axpy(n, y[i], f->lcp.S + (size_t)i * n, image);
    }
    for (int k = 0; k < n; ++k)
        most = fmax(most, image[k]);
    return driven > 0 ? driven / most : 0;
}

mo_fip_state mo_fip_start(mo_run *run, mo_fip *f)
{
    barrier b = {.d = f->work,
                 .gradient = f->work + f->lcp.n,
                 .mixed = f->work + 2 * f->lcp.n,
                 .y = f->work + 3 * f->lcp.n};
    choose_shift(run, f, b.d);
    begin(f, &b);
    while (b.tau < TAU_MOST) {
        if (b.theta < -ROOM && settle(f, &b)) return MO_FIP_MOVING;
        differentiate(f, &b);
        const double decrement = newton(f, &b);
        if (!(decrement >= 0)) break;
        step(f, &b);
        ++f->iteration;
        if (mo_fip_check(run, f)) return MO_FIP_SOLVED;
        if (mo_run_must_stop(run, f->iteration)) return MO_FIP_MUST_STOP;
        b.tau *= decrement < 1 ? GROWTH : 1;
    }
    f->least_sum = least_sum(f, b.y, b.gradient);
    if (f->least_sum >= OUT_OF_REACH) {
        mo_lcp_system_keep_ray(run, &f->lcp, b.y);
        return MO_FIP_INFEASIBLE;
    }
    begin(f, &b);
    return MO_FIP_MOVING;
}
