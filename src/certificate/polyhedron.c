/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "certificate/polyhedron.h"

#include <math.h>
#include <string.h>

#include "certificate/nnls.h"
#include "linalg/dense.h"

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
    p->columns = MO_TAKE(arena, mo_nnls_work(n + 1, most_rows), double);
    p->target = MO_TAKE(arena, 2 * (size + 1), double);
    p->passive = MO_TAKE(arena, 2 * rows, int);
}

/* ---- equations ------------------------------------------------------------------------------- */

/* The next unit vector along what `rest` has left of q_0 .. q_rank; orthogonal to them to rounding.
 */
static void take_direction(int n, int rank, const double *rest, double *q)
{
    memcpy(q + (size_t)rank * n, rest, (size_t)n * sizeof *q);
    double *next = q + (size_t)rank * n;
    for (int j = 0; j < rank; ++j) {
        mo_axpy(n, -mo_dot(n, q + (size_t)j * n, next), q + (size_t)j * n, next);
    }
    const double size = mo_norm(n, next);
    for (int k = 0; k < n; ++k) {
        next[k] /= size;
    }
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
        if (best < 0) {
            break;
        }
        take_direction(n, p->rank, p->rest + (size_t)best * n, p->q);
        p->pivot[p->rank] = best;
        p->is_taken[best] = 1;
        for (int m = 0; m < p->rows; ++m) {
            if (p->is_equation[m] && (m == best || !p->is_taken[m])) {
                deflate(p, m, p->rank);
            }
        }
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
            for (int j = 0; j < count; ++j) {
                left -= p->q[(size_t)j * n + k] * p->q[(size_t)j * n + k];
            }
            if (left > most) {
                most = left;
                memset(rest, 0, sizeof rest);
                rest[k] = 1;
            }
        }
        for (int j = 0; j < count; ++j) {
            mo_axpy(n, -mo_dot(n, p->q + (size_t)j * n, rest), p->q + (size_t)j * n, rest);
        }
        take_direction(n, count, rest, p->q);
    }
    p->free_count = n - p->rank;
    memcpy(p->N, p->q + (size_t)p->rank * n, (size_t)p->free_count * n * sizeof *p->N);
}

/* Multipliers of the equations so that nothing of x is left in sum_m y_m a_m. */
static void complete_proof(mo_polyhedron *p)
{
    double sum[MO_POLYHEDRON_MOST_UNKNOWNS] = {0};
    const int n = p->n;
    for (int pass = 0; pass < 2; ++pass) { /* the second removes the rounding of the first */
        memset(sum, 0, sizeof sum);
        for (int m = 0; m < p->rows; ++m) {
            mo_axpy(n, p->y[m], p->a + (size_t)m * n, sum);
        }
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

/* How far x fails row m, over the sizes in it. */
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

int mo_polyhedron_meets(const mo_polyhedron *p)
{
    return worst_row(p, 0) < 0 && worst_row(p, 1) < 0;
}

/* One row alone against the equations. */
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
        if (p->is_equation[m]) {
            continue;
        }
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

/* The shortest x on the rows that hold the least distance problem's: exact where -s / s0 has lost
 * its digits. */
static void polish(mo_polyhedron *p, int count)
{
    for (int k = 0; k < count; ++k) {
        p->is_equation[p->index[k]] = p->multiplier[k] > 0;
    }
    orthonormalise(p);
    point_of_plane(p);
    for (int k = 0; k < count; ++k) {
        p->is_equation[p->index[k]] = 0;
    }
    p->has_point = mo_polyhedron_meets(p);
    orthonormalise(p); /* of the equations, for the proof */
}

/* Step 2 of the header. */
static void least_distance(mo_polyhedron *p)
{
    const int f = p->free_count, count = write_inequalities(p);
    double *d = p->target, *residual = d + f + 1;
    memset(d, 0, (size_t)(f + 1) * sizeof *d);
    d[f] = 1;
    mo_nnls(f + 1, count, p->G, d, p->multiplier, residual, p->columns, p->passive);
    if (residual[f] > 1e-12) {
        for (int j = 0; j < f; ++j) {
            mo_axpy(p->n, -residual[j] / residual[f], p->N + (size_t)j * p->n, p->x);
        }
    }
    p->has_point = residual[f] > 1e-12 && mo_polyhedron_meets(p);
    if (!p->has_point && residual[f] > 0) {
        polish(p, count);
    }
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
    if (worst_row(p, 0) < 0) {
        p->has_point = 1;
    } else if (p->free_count == 0) {
        prove_by(p, worst_row(p, 0));
    } else {
        least_distance(p);
    }
}
