/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* GMRES: Arnoldi by modified Gram-Schmidt, with Givens rotations for the least-squares problem. */
#include "linalg/gmres.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

void mo_gmres_layout(mo_arena *arena, int n, int most, mo_gmres *out)
{
    const size_t rows = (size_t)n, steps = (size_t)most;
    *out = (mo_gmres){.n = n, .most = most};
    out->basis = MO_TAKE(arena, rows * (steps + 1), double);
    out->columns = MO_TAKE(arena, steps * (steps + 1), double);
    MO_TAKE_EACH(arena, steps, double, &out->cosine, &out->sine);
    out->right = MO_TAKE(arena, steps + 1, double);
}

static double *vector(const mo_gmres *g, int k)
{
    return g->basis + (size_t)k * (size_t)g->n;
}

static double *column(const mo_gmres *g, int k)
{
    return g->columns + (size_t)k * (size_t)(g->most + 1);
}

/* The next basis vector, orthogonal to the first k + 1; its products with them in column k. */
static void extend(mo_gmres *g, int k)
{
    double *next = vector(g, k + 1), *h = column(g, k);
    for (int i = 0; i <= k; ++i) {
        h[i] = mo_dot(g->n, next, vector(g, i));
        mo_axpy(g->n, -h[i], vector(g, i), next);
    }
    h[k + 1] = sqrt(mo_dot(g->n, next, next));
    for (int j = 0; j < g->n && h[k + 1] > 0; ++j)
        next[j] /= h[k + 1];
}

/* Turns column k by the rotations so far, and adds the one that clears its last entry. */
static void rotate(mo_gmres *g, int k)
{
    double *h = column(g, k);
    for (int i = 0; i < k; ++i) {
        const double upper = g->cosine[i] * h[i] + g->sine[i] * h[i + 1];
        h[i + 1] = g->cosine[i] * h[i + 1] - g->sine[i] * h[i];
        h[i] = upper;
    }
    const double size = hypot(h[k], h[k + 1]);
    g->cosine[k] = size > 0 ? h[k] / size : 1;
    g->sine[k] = size > 0 ? h[k + 1] / size : 0;
    h[k] = size;
    g->right[k + 1] = -g->sine[k] * g->right[k];
    g->right[k] *= g->cosine[k];
}

/* x = basis y with the triangular y of the first `steps` columns. */
static void combine(mo_gmres *g, int steps, double *x)
{
    memset(x, 0, (size_t)g->n * sizeof *x);
    for (int i = steps - 1; i >= 0; --i) {
        double sum = g->right[i];
        for (int k = i + 1; k < steps; ++k)
            sum -= column(g, k)[i] * g->right[k];
        g->right[i] = column(g, i)[i] > 0 ? sum / column(g, i)[i] : 0;
        mo_axpy(g->n, g->right[i], vector(g, i), x);
    }
}

double mo_gmres_solve(mo_gmres *g, mo_product product, void *context, double tol, const double *b,
                      double *x)
{
    const double size = sqrt(mo_dot(g->n, b, b));
    double rest = 1;
    int steps = 0;
    for (int j = 0; j < g->n && size > 0; ++j)
        vector(g, 0)[j] = b[j] / size;
    g->right[0] = size;
    while (size > 0 && steps < g->most && rest > tol) {
        product(context, vector(g, steps), vector(g, steps + 1));
        extend(g, steps);
        const int is_complete = !(column(g, steps)[steps + 1] > 0);
        rotate(g, steps++);
        rest = fabs(g->right[steps]) / size;
        if (is_complete) break;
    }
    combine(g, steps, x);
    return size > 0 ? rest : 0;
}
