/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "measure/root.h"

double mo_root_prepare(int n, const mo_interval *E, double *R)
{
    for (int k = 0; k < n * n; ++k) {
        R[k] = E[k].mid;
    }
    if (n > MO_SMALL || !mo_invert_small(n, R)) {
        return INFINITY;
    }
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            mo_interval entry = mo_interval_exact(i == j ? -1 : 0);
            for (int k = 0; k < n; ++k) {
                entry = mo_interval_fma(entry, R[i * n + k], E[k * n + j]);
            }
            sum += mo_interval_size(entry);
        }
        sum *= 1 + (n + 1) * DBL_EPSILON;
        worst = sum <= worst ? worst : sum; /* keeps a NaN */
    }
    return worst;
}

/* e = R (c - E x) */
static void correction(int n, const double *R, const mo_interval *E, const mo_interval *c,
                       const double *x, mo_interval *e)
{
    mo_interval d[MO_SMALL];
    for (int i = 0; i < n; ++i) {
        d[i] = c[i];
        for (int j = 0; j < n; ++j) {
            d[i] = mo_interval_fma(d[i], -x[j], E[i * n + j]);
        }
    }
    for (int i = 0; i < n; ++i) {
        e[i] = mo_interval_exact(0);
        for (int j = 0; j < n; ++j) {
            e[i] = mo_interval_fma(e[i], R[i * n + j], d[j]);
        }
    }
}

void mo_root_enclose(int n, const mo_interval *E, const double *R, double a, const mo_interval *c,
                     mo_interval *X)
{
    double x[MO_SMALL] = {0};
    mo_interval e[MO_SMALL];
    for (int pass = 0; pass < 3; ++pass) { /* from 0: the first pass makes R c, two refine it */
        correction(n, R, E, c, x, e);
        for (int i = 0; i < n; ++i) {
            x[i] += e[i].mid;
        }
    }
    correction(n, R, E, c, x, e);
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, mo_interval_size(e[i]));
    }
    const double spread = largest * a / (1 - a);
    for (int i = 0; i < n; ++i) {
        const double size = e[i].mid == 0 && e[i].rad == 0 ? 0 : mo_interval_size(e[i]);
        X[i] = (mo_interval){x[i], (size + spread) * (1 + 16 * DBL_EPSILON)};
    }
}
