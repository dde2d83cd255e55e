/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "linalg/dense.h"
#include "solver/lemke.h"

#include <math.h>
#include <string.h>

void mo_lemke_family_layout(int n, size_t fill, mo_arena *arena, mo_lemke_family *family)
{
    *family = (mo_lemke_family){0};
    for (int k = 0; k < 2; ++k) {
        MO_TAKE_EACH(arena, fill, double, &family->plain[k], &family->soft[k]);
        family->c[k] = MO_TAKE(arena, n, double);
    }
}

/* An entry of E: test_i.impulse_j over the rows of their constraint; one for a speed. */
static double softness(const mo_lcp *lcp, int i, int j)
{
    const mo_lcp_unknown *row = lcp->unknown + lcp->free_count + i,
                         *column = lcp->unknown + lcp->free_count + j;
    double sum = i == j && row->rows == 0;
    for (int a = 0; a < row->rows; ++a) {
        const int at = row->row + a - column->row;
        sum += at >= 0 && at < column->rows ? row->test[a] * column->impulse[at] : 0;
    }
    return sum;
}

/* The rows of the path, with every place where one of the matrices is not zero. */
static void list_entries(mo_lemke_family *family, const double *S, const double *S_R)
{
    const mo_lcp *lcp = family->exact;
    mo_lemke_path *path = family->path;
    const int n = path->n, first = lcp->free_count;
    int count = 0;
    for (int i = 0; i < n; ++i) {
        const double *line = S + (size_t)i * n, *line_R = S_R + (size_t)i * n;
        const int block = lcp->unknown[first + i].constraint;
        path->row_start[i] = count;
        for (int j = 0; j < n; ++j) {
            const int is_own =
                j >= lcp->pair_start[block] - first && j < lcp->pair_start[block + 1] - first;
            if (line[j] != 0 || line_R[j] != 0 || is_own) path->column_of[count++] = j;
        }
    }
    path->row_start[n] = count;
    mo_lemke_index(path);
}

void mo_lemke_family_load(mo_lemke_family *family, const double *S, const double *c,
                          const double *S_R, const double *c_R)
{
    mo_lemke_path *path = family->path;
    list_entries(family, S, S_R);
    family->has_friction = 0;
    for (int i = 0; i < path->n; ++i) {
        family->c[0][i] = c[i];
        family->c[1][i] = c_R[i] - c[i];
        family->has_friction |= family->c[1][i] != 0;
        for (int k = path->row_start[i]; k < path->row_start[i + 1]; ++k) {
            const int j = path->column_of[k], at = path->place[k];
            const size_t dense = (size_t)i * path->n + j;
            family->plain[0][at] = S[dense];
            family->plain[1][at] = S_R[dense] - S[dense];
            family->has_friction |= family->plain[1][at] != 0;
            family->soft[0][at] = softness(family->exact, i, j);
            family->soft[1][at] = softness(family->relaxed, i, j) - family->soft[0][at];
        }
    }
}

void mo_lemke_family_choose(mo_lemke_family *family, double epsilon, double delta,
                            const double *centre, double *c)
{
    mo_lemke_path *path = family->path;
    mo_along(path->n, family->c[0], delta, family->c[1], c);
    for (int j = 0; j < path->n; ++j) {
        for (int k = path->column_start[j]; k < path->column_start[j + 1]; ++k) {
            const double soft = epsilon * (family->soft[0][k] + delta * family->soft[1][k]);
            path->entry[k] = family->plain[0][k] + delta * family->plain[1][k] + soft;
            if (soft != 0) c[path->row_of[k]] -= soft * centre[j];
        }
    }
}

double mo_lemke_family_error(const mo_lemke_family *family, const double *z, double *w)
{
    const mo_lemke_path *path = family->path;
    double sum = 0;
    if (path->n > 0) memcpy(w, family->c[0], (size_t)path->n * sizeof *w);
    for (int j = 0; j < path->n; ++j)
        for (int k = path->column_start[j]; z[j] != 0 && k < path->column_start[j + 1]; ++k)
            w[path->row_of[k]] += family->plain[0][k] * z[j];
    for (int i = 0; i < path->n; ++i) {
        const double pair = fmin(z[i], w[i]);
        sum += pair * pair;
    }
    return sqrt(sum);
}
