/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "certificate/polyhedron.h"
#include "linalg/dense.h"

typedef struct nnls {
    int m, k;
    const double *A, *d;
    double *y, *residual;
    double *Q, *R, *z; /* passive columns = Q R, m x m and m x m; unconstrained minimum */
    int *list, count;  /* the passive columns */
    int *is_barred;    /* columns that depend on the passive ones */
} nnls;

/* ---- nonnegative least squares --------------------------------------------------------------- */

/*
 * Nonnegative least squares by active sets [lawson1974, chapter 23].
 *
 *   min |A y - d|, y >= 0;  optimal if A'(d - A y) <= 0, and = 0 for the y_j > 0
 *
 * Columns with y_j > 0 are passive.  Each iteration adds the column with the largest entry of A'(d
 * - A y) over its length, then solves for the passive columns.  If one becomes negative, y moves
 * towards that solution until the first one is zero, which is dropped.  The passive columns are
 * stored as Q R: adding one is a Gram-Schmidt step (done twice), removing one is a new
 * factorisation.
 *
 * Limits: dense, for some tens of rows.  Columns that depend on the passive ones to rounding are
 * skipped, so a degenerate optimum may have another y with the same residual.
 *
 * A has m rows and k columns, one column after the other.  residual = d - A y.  work: nnls_work
 * doubles; passive: 2 k integers.  Ends after 6 (m + k) rounds at the latest.
 */
static size_t nnls_work(int m, int k)
{
    (void)k;
    return 2 * (size_t)m * m + m;
}

/* Adds column j to Q R by two passes of Gram and Schmidt; 0 if it depends on the others. */
static int append(nnls *s, int j)
{
    const double *column = s->A + (size_t)j * s->m;
    const int c = s->count;
    double *q = s->Q + (size_t)c * s->m;
    const double size = sqrt(mo_dot(s->m, column, column));
    if (c >= s->m) return 0;
    memcpy(q, column, (size_t)s->m * sizeof *q);
    for (int i = 0; i < c; ++i)
        s->R[i * s->m + c] = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < c; ++i) {
            const double part = mo_dot(s->m, s->Q + (size_t)i * s->m, q);
            s->R[i * s->m + c] += part;
            mo_axpy(s->m, -part, s->Q + (size_t)i * s->m, q);
        }
    }
    const double left = sqrt(mo_dot(s->m, q, q));
    if (!(left > 1e-13 * size)) return 0;
    for (int i = 0; i < s->m; ++i)
        q[i] /= left;
    s->R[c * s->m + c] = left;
    s->list[s->count++] = j;
    return 1;
}

/* z = the least squares solution on the passive columns. */
static void minimise(nnls *s)
{
    for (int i = s->count - 1; i >= 0; --i) {
        double sum = mo_dot(s->m, s->Q + (size_t)i * s->m, s->d);
        for (int j = i + 1; j < s->count; ++j)
            sum -= s->R[i * s->m + j] * s->z[j];
        s->z[i] = sum / s->R[i * s->m + i];
    }
}

static void renew_residual(nnls *s)
{
    memcpy(s->residual, s->d, (size_t)s->m * sizeof *s->residual);
    for (int i = 0; i < s->count; ++i)
        mo_axpy(s->m, -s->y[s->list[i]], s->A + (size_t)s->list[i] * s->m, s->residual);
}

/* The column with the largest component of the residual; -1 if there is none. */
static int entering(const nnls *s)
{
    int best = -1;
    double most = 1e-14;
    for (int j = 0; j < s->k; ++j) {
        int is_passive = s->is_barred[j];
        for (int i = 0; i < s->count && !is_passive; ++i)
            is_passive = s->list[i] == j;
        const double *column = s->A + (size_t)j * s->m;
        const double lean =
            mo_dot(s->m, column, s->residual) / (sqrt(mo_dot(s->m, column, column)) + 1e-300);
        if (!is_passive && lean > most) {
            most = lean;
            best = j;
        }
    }
    return best;
}

/* Removes columns whose y is not positive and refactors the rest. */
static void rebuild(nnls *s)
{
    const int old = s->count;
    s->count = 0;
    for (int i = 0; i < old; ++i) {
        const int j = s->list[i];
        if (s->y[j] <= 0 || !append(s, j)) s->y[j] = 0;
    }
}

/* Moves y towards z while it stays positive; 1 if it reaches z. */
static int advance(nnls *s)
{
    double step = 1;
    int stop = -1;
    for (int i = 0; i < s->count; ++i) {
        const double y = s->y[s->list[i]];
        if (s->z[i] <= 0 && y / (y - s->z[i]) < step) {
            step = y / (y - s->z[i]);
            stop = i;
        } else if (s->z[i] <= 0 && y <= 0) {
            step = 0;
            stop = i;
        }
    }
    for (int i = 0; i < s->count; ++i) {
        double *y = &s->y[s->list[i]];
        *y += step * (s->z[i] - *y);
    }
    if (stop >= 0) s->y[s->list[stop]] = 0;
    return stop < 0;
}

static void least_squares(int m, int k, const double *A, const double *d, double *y,
                          double *residual, double *work, int *passive)
{
    nnls s = {m,
              k,
              A,
              d,
              y,
              residual,
              work,
              work + (size_t)m * m,
              work + 2 * (size_t)m * m,
              passive,
              0,
              passive + k};
    memset(y, 0, (size_t)k * sizeof *y);
    memset(s.is_barred, 0, (size_t)k * sizeof *s.is_barred);
    renew_residual(&s);
    for (int round = 0; round < 6 * (m + k); ++round) {
        const int j = entering(&s);
        if (j < 0) break;
        if (!append(&s, j)) {
            s.is_barred[j] = 1;
            continue;
        }
        minimise(&s);
        if (s.z[s.count - 1] <= 0) { /* rounding: it would be dropped in the next step */
            --s.count;
            s.is_barred[j] = 1;
            continue;
        }
        while (s.count > 0 && !advance(&s)) {
            rebuild(&s);
            minimise(&s);
        }
        renew_residual(&s);
        memset(s.is_barred, 0, (size_t)k * sizeof *s.is_barred);
    }
}

/* A row of length one whose part apart from the others is shorter depends on them. */
static const double DEPENDENT = 1e-11;
/* Relative tolerance of a row. */
static const double MET = 1e-10;

void mo_polyhedron_layout(int n, int most_rows, mo_arena *arena, mo_polyhedron *p)
{
    const size_t rows = (size_t)most_rows, size = (size_t)n;
    p->n = n;
    p->most_rows = most_rows;
    MO_TAKE_EACH(arena, rows * size, double, &p->a, &p->L, &p->rest);
    MO_TAKE_EACH(arena, rows, double, &p->b, &p->y, &p->h, &p->multiplier);
    MO_TAKE_EACH(arena, rows, int, &p->is_equation, &p->is_taken, &p->index);
    MO_TAKE_EACH(arena, size, double, &p->x, &p->t);
    MO_TAKE_EACH(arena, size * size, double, &p->N, &p->q);
    p->pivot = MO_TAKE(arena, size, int);
    p->G = MO_TAKE(arena, rows * (size + 1), double);
    p->columns = MO_TAKE(arena, nnls_work(n + 1, most_rows), double);
    p->target = MO_TAKE(arena, 2 * (size + 1), double);
    p->passive = MO_TAKE(arena, 2 * rows, int);
}

/* ---- equations ------------------------------------------------------------------------------- */

/* The next unit vector along what `rest` has left, orthogonal to q_0 .. q_rank to rounding. */
static void take_direction(int n, int rank, const double *rest, double *q)
{
    memcpy(q + (size_t)rank * n, rest, (size_t)n * sizeof *q);
    double *next = q + (size_t)rank * n;
    for (int j = 0; j < rank; ++j)
        mo_axpy(n, -mo_dot(n, q + (size_t)j * n, next), q + (size_t)j * n, next);
    const double size = mo_norm(n, next);
    for (int k = 0; k < n; ++k)
        next[k] /= size;
}

/* Removes direction q_j from the rest of row m and stores its coefficient. */
static void deflate(mo_polyhedron *p, int m, int j)
{
    double *rest = p->rest + (size_t)m * p->n;
    const double part = mo_dot(p->n, p->q + (size_t)j * p->n, rest);
    p->L[(size_t)m * p->n + j] = part;
    mo_axpy(p->n, -part, p->q + (size_t)j * p->n, rest);
}

/* a_m = sum_j L_mj q_j for the equations, most independent first. */
static void orthonormalise(mo_polyhedron *p)
{
    const int n = p->n;
    memcpy(p->rest, p->a, (size_t)p->rows * n * sizeof *p->rest);
    memset(p->L, 0, (size_t)p->rows * n * sizeof *p->L);
    memset(p->is_taken, 0, (size_t)p->rows * sizeof *p->is_taken);
    for (p->rank = 0; p->rank < n; ++p->rank) {
        int best = -1;
        double most = DEPENDENT;
        for (int m = 0; m < p->rows; ++m) {
            const double left =
                mo_norm(n, p->rest + (size_t)m * n) / (mo_norm(n, p->a + (size_t)m * n) + 1e-300);
            if (p->is_equation[m] && !p->is_taken[m] && left > most) {
                most = left;
                best = m;
            }
        }
        if (best < 0) break;
        take_direction(n, p->rank, p->rest + (size_t)best * n, p->q);
        p->pivot[p->rank] = best;
        p->is_taken[best] = 1;
        for (int m = 0; m < p->rows; ++m)
            if (p->is_equation[m] && (m == best || !p->is_taken[m])) deflate(p, m, p->rank);
    }
}

/* x_p, by forward substitution in L. */
static void point_of_plane(mo_polyhedron *p)
{
    memset(p->x, 0, (size_t)p->n * sizeof *p->x);
    for (int j = 0; j < p->rank; ++j) {
        const int m = p->pivot[j];
        const double left = -p->b[m] - mo_dot(p->n, p->a + (size_t)m * p->n, p->x);
        mo_axpy(p->n, left / p->L[(size_t)m * p->n + j], p->q + (size_t)j * p->n, p->x);
    }
}

/* Unit vectors, projected off the rows, until there are n - rank of them. */
static void directions_of_plane(mo_polyhedron *p)
{
    const int n = p->n;
    for (int count = p->rank; count < n; ++count) {
        double rest[MO_POLYHEDRON_MOST_UNKNOWNS], most = -1;
        for (int k = 0; k < n; ++k) {
            double left = 1;
            for (int j = 0; j < count; ++j)
                left -= p->q[(size_t)j * n + k] * p->q[(size_t)j * n + k];
            if (left > most) {
                most = left;
                memset(rest, 0, sizeof rest);
                rest[k] = 1;
            }
        }
        for (int j = 0; j < count; ++j)
            mo_axpy(n, -mo_dot(n, p->q + (size_t)j * n, rest), p->q + (size_t)j * n, rest);
        take_direction(n, count, rest, p->q);
    }
    p->free_count = n - p->rank;
    memcpy(p->N, p->q + (size_t)p->rank * n, (size_t)p->free_count * n * sizeof *p->N);
}

/* Multipliers of the equations that cancel x in sum_m y_m a_m. */
static void complete_proof(mo_polyhedron *p)
{
    double sum[MO_POLYHEDRON_MOST_UNKNOWNS] = {0};
    const int n = p->n;
    for (int pass = 0; pass < 2; ++pass) { /* the second removes the rounding of the first */
        memset(sum, 0, sizeof sum);
        for (int m = 0; m < p->rows; ++m)
            mo_axpy(n, p->y[m], p->a + (size_t)m * n, sum);
        for (int j = p->rank - 1; j >= 0; --j) {
            const int m = p->pivot[j];
            const double y = -mo_dot(n, p->q + (size_t)j * n, sum) / p->L[(size_t)m * n + j];
            p->y[m] += y;
            mo_axpy(n, y, p->a + (size_t)m * n, sum);
        }
    }
    p->has_proof = 1;
}

/* ---- the other rows -------------------------------------------------------------------------- */

/* Violation of row m by x, relative to the sizes of its terms. */
static double failure(const mo_polyhedron *p, int m)
{
    double value = p->b[m], size = fabs(p->b[m]);
    for (int k = 0; k < p->n; ++k) {
        const double term = p->a[(size_t)m * p->n + k] * p->x[k];
        value += term;
        size += fabs(term);
    }
    size = fmax(size, mo_norm(p->n, p->a + (size_t)m * p->n));
    const double wrong = p->is_equation[m] ? fabs(value) : -value;
    return size > 0 ? wrong / size : wrong;
}

/* The row that x violates most, among equations or inequalities; -1 if all hold. */
static int worst_row(const mo_polyhedron *p, int equations)
{
    int worst = -1;
    double most = MET;
    for (int m = 0; m < p->rows; ++m) {
        const double wrong = failure(p, m);
        if (p->is_equation[m] == equations && wrong > most) {
            most = wrong;
            worst = m;
        }
    }
    return worst;
}

int mo_polyhedron_contains(const mo_polyhedron *p)
{
    return worst_row(p, 0) < 0 && worst_row(p, 1) < 0;
}

/* A single row with the equations. */
static void prove_by(mo_polyhedron *p, int m)
{
    const double value = p->b[m] + mo_dot(p->n, p->a + (size_t)m * p->n, p->x);
    memset(p->y, 0, (size_t)p->rows * sizeof *p->y);
    p->y[m] = value > 0 ? -1 : 1; /* the sum of rows is to be negative */
    complete_proof(p);
}

/* G t >= h with rows of length about one; row count. */
static int write_inequalities(mo_polyhedron *p)
{
    const int f = p->free_count;
    int count = 0;
    for (int m = 0; m < p->rows; ++m) {
        if (p->is_equation[m]) continue;
        const double *a = p->a + (size_t)m * p->n, size = mo_norm(p->n, a) + 1e-300;
        double *column = p->G + (size_t)count * (f + 1);
        for (int j = 0; j < f; ++j) {
            column[j] = mo_dot(p->n, p->N + (size_t)j * p->n, a) / size;
            column[j] = fabs(column[j]) < 1e-15 ? 0 : column[j];
        }
        column[f] = -(p->b[m] + mo_dot(p->n, a, p->x)) / size;
        p->index[count++] = m;
    }
    return count;
}

/* The shortest x on the active rows of the least distance problem, where -s / s0 is inaccurate. */
static void polish(mo_polyhedron *p, int count)
{
    for (int k = 0; k < count; ++k)
        p->is_equation[p->index[k]] = p->multiplier[k] > 0;
    orthonormalise(p);
    point_of_plane(p);
    for (int k = 0; k < count; ++k)
        p->is_equation[p->index[k]] = 0;
    p->has_point = mo_polyhedron_contains(p);
    orthonormalise(p); /* of the equations, for the proof */
}

/* Step 2 of the header. */
static void least_distance(mo_polyhedron *p)
{
    const int f = p->free_count, count = write_inequalities(p);
    double *d = p->target, *residual = d + f + 1;
    memset(d, 0, (size_t)(f + 1) * sizeof *d);
    d[f] = 1;
    least_squares(f + 1, count, p->G, d, p->multiplier, residual, p->columns, p->passive);
    if (residual[f] > 1e-12)
        for (int j = 0; j < f; ++j)
            mo_axpy(p->n, -residual[j] / residual[f], p->N + (size_t)j * p->n, p->x);
    p->has_point = residual[f] > 1e-12 && mo_polyhedron_contains(p);
    if (!p->has_point && residual[f] > 0) polish(p, count);
    memset(p->y, 0, (size_t)p->rows * sizeof *p->y);
    for (int k = 0; k < count; ++k) {
        const int m = p->index[k];
        p->y[m] = p->multiplier[k] / (mo_norm(p->n, p->a + (size_t)m * p->n) + 1e-300);
    }
    complete_proof(p);
}

void mo_polyhedron_decide(mo_polyhedron *p)
{
    p->has_point = p->has_proof = 0;
    orthonormalise(p);
    point_of_plane(p);
    directions_of_plane(p);
    const int contradiction = worst_row(p, 1);
    if (contradiction >= 0) {
        prove_by(p, contradiction);
        return;
    }
    if (worst_row(p, 0) < 0)
        p->has_point = 1;
    else if (p->free_count == 0)
        prove_by(p, worst_row(p, 0));
    else
        least_distance(p);
}
