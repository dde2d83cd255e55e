/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Products with the matrix of `dantzig` in the axes of its discs, and conversion between its units
 * and those of the problem.
 *
 * W is stored in the axes of the problem.  A vector along the axes e of the discs is rotated before
 * the product and back afterwards, so an axis may change at any time without changing the matrix.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/dantzig.h"

/* ---- products -------------------------------------------------------------------------------- */

/* y += x_j W_j */
static inline void add_column(const mo_dantzig *z, int j, double x, double *y)
{
    const double *W = z->W + (size_t)j * z->n;
    for (int m = z->run_start[j]; m < z->run_start[j + 1]; ++m)
        for (int i = z->runs[2 * m]; i < z->runs[2 * m + 1]; ++i)
            y[i] += x * W[i];
}

/* From the axes of the discs to those of the problem, and back. */
static void to_world(const mo_dantzig *z, const double *x, double *w)
{
    memcpy(w, x, (size_t)z->n * sizeof *w);
    for (int i = 0; z->has_discs && i < z->n; ++i) {
        if (z->kind[i] == MO_ROW_DISC) {
            w[i] = z->cosine[i] * x[i] - z->sine[i] * x[i + 1];
            w[i + 1] = z->sine[i] * x[i] + z->cosine[i] * x[i + 1];
        }
    }
}

static void from_world(const mo_dantzig *z, double *y)
{
    for (int i = 0; z->has_discs && i < z->n; ++i) {
        if (z->kind[i] == MO_ROW_DISC) {
            const double p = y[i], t = y[i + 1];
            y[i] = z->cosine[i] * p + z->sine[i] * t;
            y[i + 1] = z->cosine[i] * t - z->sine[i] * p;
        }
    }
}

/* y = A x */
static void apply(mo_dantzig *z, const double *x, double *y)
{
    const double *w = x;
    if (z->has_discs) {
        to_world(z, x, z->world);
        w = z->world;
    }
    memset(y, 0, (size_t)z->n * sizeof *y);
    for (int j = 0; j < z->n; ++j)
        if (w[j] != 0) add_column(z, j, w[j], y);
    from_world(z, y);
}

void mo_dantzig_apply_direction(mo_dantzig *z, int d)
{
    if (z->has_ties) {
        apply(z, z->df, z->da);
        return;
    }
    memset(z->da, 0, (size_t)z->n * sizeof *z->da);
    for (int k = 0; k < z->factor.count; ++k)
        add_column(z, z->member[k], z->df[z->member[k]], z->da);
    add_column(z, d, z->df[d], z->da);
}

/* The unit vector of row j in the axes of the problem: one or two entries, from `first` on. */
static int unit_vector(const mo_dantzig *z, int j, int *first, double x[2])
{
    *first = z->kind[j] == MO_ROW_SECOND ? j - 1 : j;
    if (z->kind[j] == MO_ROW_DISC) {
        x[0] = z->cosine[j];
        x[1] = z->sine[j];
        return 2;
    }
    if (z->kind[j] == MO_ROW_SECOND) {
        x[0] = -z->sine[j - 1];
        x[1] = z->cosine[j - 1];
        return 2;
    }
    x[0] = 1;
    return 1;
}

void mo_dantzig_column(mo_dantzig *z, int j, double *out)
{
    int first;
    double x[2];
    const int count = unit_vector(z, j, &first, x);
    memset(out, 0, (size_t)z->n * sizeof *out);
    for (int k = 0; k < count; ++k)
        add_column(z, first + k, x[k], out);
    from_world(z, out);
}

void mo_dantzig_tied_column(mo_dantzig *z, int j, double *out)
{
    mo_dantzig_column(z, j, out);
    for (int t = j + 1; t <= j + z->friction_count[j]; ++t) {
        if (z->tie[t] != 0) {
            mo_dantzig_column(z, t, z->image);
            mo_axpy(z->n, z->tie[t], z->image, out);
        }
    }
}

void mo_dantzig_row(mo_dantzig *z, int j, double *out)
{
    if (z->is_symmetric) {
        mo_dantzig_column(z, j, out);
        return;
    }
    int first;
    double x[2];
    const int count = unit_vector(z, j, &first, x);
    for (int i = 0; i < z->n; ++i) {
        const double *W = z->W + (size_t)i * z->n + first;
        out[i] = x[0] * W[0] + (count == 2 ? x[1] * W[1] : 0);
    }
    from_world(z, out);
}

void mo_dantzig_refresh(mo_dantzig *z)
{
    apply(z, z->f, z->a);
    memcpy(z->image, z->q, (size_t)z->n * sizeof *z->q);
    from_world(z, z->image);
    mo_axpy(z->n, 1, z->image, z->a);
}

void mo_dantzig_find_rounding(mo_dantzig *z)
{
    double *size = z->rounding;
    to_world(z, z->f, z->world);
    for (int i = 0; i < z->n; ++i)
        size[i] = fabs(z->q[i]);
    for (int j = 0; j < z->n; ++j) {
        const double *W = z->W + (size_t)j * z->n, x = fabs(z->world[j]);
        for (int m = z->run_start[j]; x != 0 && m < z->run_start[j + 1]; ++m)
            for (int i = z->runs[2 * m]; i < z->runs[2 * m + 1]; ++i)
                size[i] += x * fabs(W[i]);
    }
    for (int i = 0; z->has_discs && i < z->n; ++i)
        if (z->kind[i] == MO_ROW_DISC) size[i] = size[i + 1] = size[i] + size[i + 1];
    mo_scale(z->n, MO_DANTZIG_ZERO, size);
}

/* ---- in and out ------------------------------------------------------------------------------ */

void mo_dantzig_unscale(const mo_dantzig *z, const double *x, double *r)
{
    to_world(z, x, r);
    for (int i = 0; i < z->n; ++i)
        r[i] /= z->scale[i];
}

/* u = W r + q with compliance, in the units of the problem. */
void mo_dantzig_velocity(const mo_dantzig *z, const double *r, double *u)
{
    memcpy(u, z->q, (size_t)z->n * sizeof *u);
    for (int j = 0; j < z->n; ++j) {
        const double *W = z->W + (size_t)j * z->n, x = r[j] * z->scale[j];
        for (int m = z->run_start[j]; x != 0 && m < z->run_start[j + 1]; ++m)
            for (int i = z->runs[2 * m]; i < z->runs[2 * m + 1]; ++i)
                u[i] += x * W[i];
    }
    for (int i = 0; i < z->n; ++i)
        u[i] *= z->scale[i];
}

void mo_dantzig_turn(mo_dantzig *z, int first, double c, double s)
{
    const double old_c = z->cosine[first], old_s = z->sine[first];
    double cosine = old_c * c - old_s * s, sine = old_s * c + old_c * s;
    const double size = hypot(cosine, sine);
    double *const pairs[] = {z->f + first, z->a + first};
    for (int k = 0; k < 2; ++k) {
        double *x = pairs[k];
        const double e = c * x[0] + s * x[1], other = c * x[1] - s * x[0];
        x[0] = e;
        x[1] = other;
    }
    z->cosine[first] = cosine / size;
    z->sine[first] = sine / size;
}

void mo_dantzig_import(mo_dantzig *z, const double *r)
{
    for (int i = 0; i < z->n; ++i) {
        z->f[i] = z->scale[i] * r[i];
        z->cosine[i] = 1;
        z->sine[i] = 0;
    }
    for (int i = 0; z->has_discs && i < z->n; ++i) {
        const double size = z->kind[i] == MO_ROW_DISC ? hypot(z->f[i], z->f[i + 1]) : 0;
        if (size > 0) {
            mo_dantzig_turn(z, i, z->f[i] / size, z->f[i + 1] / size);
            z->f[i + 1] = 0;
        }
    }
}
