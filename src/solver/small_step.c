/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Newton steps of a small system: small_system.h. */
#include <math.h>
#include <string.h>

#include "law/coulomb_rows.h"
#include "linalg/dense.h"
#include "linalg/front_kernel.h"
#include "problem/dense_delassus.h"
#include "solver/small_points.h"

static const double SLENDER = 0.3; /* newton_step.h, (loads) */
static const double LEAST = 1e-6;
enum { FEW = 32 }; /* rows of a system that is eliminated without panels */

/* A = B W for the d rows of a block, with d as a compile-time constant if possible. */
INLINE void scale_rows(const int d, int wide, int ld, const double *B, const double *W, double *A)
{
    for (int k = 0; k < wide; k += LANES) {
        for (int j = 0; j < d; ++j) {
            lanes sum = B[j * d] * *(const lanes *)(W + k);
            for (int l = 1; l < d; ++l)
                sum += B[j * d + l] * *(const lanes *)(W + (size_t)l * (size_t)wide + k);
            *(lanes *)(A + (size_t)j * (size_t)ld + k) = sum;
        }
    }
}

INLINE void scale_all(int d, int wide, int ld, const double *B, const double *W, double *A)
{
    if (d == 3)
        scale_rows(3, wide, ld, B, W, A);
    else if (d == 2)
        scale_rows(2, wide, ld, B, W, A);
    else
        scale_rows(d, wide, ld, B, W, A);
}

MO_WIDE void scale_wide(int d, int wide, int ld, const double *B, const double *W, double *A)
{
    scale_all(d, wide, ld, B, W, A);
}

/* 1 - eps of (loads), or 0 around a centre. */
static double own_part(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    if (s->theta > 0) return 0;
    const double load = sqrt(mo_dot(b->d, r + b->row, r + b->row)) / b->rho;
    const double speed = SLENDER * s->speed;
    return 1 - (load > speed ? s->eps * fmax(LEAST, speed / load) : s->eps);
}

/* The derivative of x -> x - z; false where it is zero. */
static inline int cone_derivative(double mu, int d, const double *x, double *J)
{
    const double slip = mo_coulomb_slip(d, x), radius = mu * x[0];
    if (!(x[0] > 0)) return 0;
    mo_coulomb_identity(d, 1, J);
    for (int j = 1; slip > radius && j < d; ++j) {
        J[j * d] = mu * x[j] / slip;
        for (int k = 1; k < d; ++k)
            J[j * d + k] = radius / slip * ((j == k) - x[j] / slip * (x[k] / slip));
    }
    return 1;
}

static inline int differentiate_cone(const mo_small_system *s, const mo_small_block *b, int d,
                                     const double *r)
{
    const double own = own_part(s, b, r), step = step_of(s, b);
    double x[3], J[9];
    cone_point(s, b, d, r, x);
    if (!cone_derivative(b->p[0], d, x, J)) return 0;
    for (int k = 0; k < d * d; ++k) {
        b->B[k] = step * J[k];
        b->D[k] = (k % (d + 1) == 0) - own * J[k];
    }
    return 1;
}

/* The derivative of x -> x - z, rows of the two discs. */
static void rolling_derivative(const mo_small_block *b, const double *x, double *J)
{
    memset(J, 0, ROLLING_ROWS * ROLLING_ROWS * sizeof *J);
    J[0] = 1;
    for (int g = 1; g < ROLLING_ROWS; g += 2) {
        const double mu = b->p[g / 2], radius = mu * x[0],
                     size = sqrt(x[g] * x[g] + x[g + 1] * x[g + 1]);
        for (int j = g; j < g + 2; ++j) {
            double *row = J + j * ROLLING_ROWS;
            row[j] = 1;
            if (size > radius) {
                row[0] = mu * x[j] / size;
                row[g] = radius / size * ((j == g) - x[j] / size * (x[g] / size));
                row[g + 1] = radius / size * ((j == g + 1) - x[j] / size * (x[g + 1] / size));
            }
        }
    }
}

static int differentiate_rolling(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    const double own = own_part(s, b, r);
    double x[ROLLING_ROWS], J[ROLLING_ROWS * ROLLING_ROWS];
    rolling_point(s, b, r, x);
    if (!(x[0] > 0)) return 0;
    rolling_derivative(b, x, J);
    for (int k = 0; k < ROLLING_ROWS * ROLLING_ROWS; ++k) {
        b->B[k] = disc_step(s, b, k % ROLLING_ROWS >= FORCE_ROWS) * J[k];
        b->D[k] = (k % (ROLLING_ROWS + 1) == 0) - own * J[k];
    }
    return 1;
}

/* At a bound the derivative is zero. */
static int differentiate_line(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    const double x = line_point(s, b, r);
    b->B[0] = step_of(s, b);
    b->D[0] = 1 - own_part(s, b, r);
    return x > b->lower && x < b->upper;
}

static int differentiate_any(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    const int d = b->d;
    const double own = own_part(s, b, r), step = step_of(s, b);
    double x[MO_BILATERAL_MAX_DIM], J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM],
        G[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM], size = 0;
    shifted_point(s, b, r, x);
    b->law->project_derivative(b->p, d, x, J);
    for (int k = 0; k < d * d; ++k)
        size += fabs(J[k]);
    if (!(size > 0)) return 0;
    b->law->shift_derivative(b->p, d, s->u + b->row, G);
    for (int j = 0; j < d; ++j) {
        for (int k = 0; k < d; ++k) {
            double sum = 0;
            for (int l = 0; l < d; ++l)
                sum += J[j * d + l] * G[l * d + k];
            b->B[j * d + k] = step * sum;
            b->D[j * d + k] = (j == k) - own * J[j * d + k];
        }
    }
    return 1;
}

/* Which columns of a row of A are kept, and where the others act. */
typedef struct columns {
    int count; /* kept */
    int runs, from[MO_DENSE_BLOCKS], to[MO_DENSE_BLOCKS], length[MO_DENSE_BLOCKS];
    int others, other[MO_DENSE_BLOCKS]; /* blocks that drop out with dr not zero */
} columns;

static columns find_columns(const mo_small_system *s)
{
    columns c;
    c.count = c.runs = c.others = 0;
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        if (!b->is_active) {
            if (mo_dot(b->d, s->dr + b->row, s->dr + b->row) > 0) c.other[c.others++] = i;
            continue;
        }
        if (c.runs > 0 && c.from[c.runs - 1] + c.length[c.runs - 1] == b->row) {
            c.length[c.runs - 1] += b->d;
        } else {
            c.from[c.runs] = b->row;
            c.to[c.runs] = c.count;
            c.length[c.runs++] = b->d;
        }
        c.count += b->d;
    }
    return c;
}

/* Leaves the columns of the active blocks, and puts the right-hand side behind them. */
static void finish_row(const mo_small_system *s, const columns *c, double rhs, double *row)
{
    for (int k = 0; k < c->others; ++k) {
        const mo_small_block *b = &s->blocks[c->other[k]];
        rhs -= mo_dot(b->d, row + b->row, s->dr + b->row);
    }
    for (int k = 0; k < c->runs; ++k)
        if (c->from[k] != c->to[k])
            memmove(row + c->to[k], row + c->from[k], (size_t)c->length[k] * sizeof *row);
    row[c->count] = rhs;
    for (int k = 1; k <= MO_FRONT_PAD; ++k)
        row[c->count + k] = 0;
}

static void fill_rows(const mo_small_system *s, const mo_small_block *b, int at, const columns *c)
{
    const int d = b->d, ld = s->ld;
    const double *W = s->W + (size_t)b->row * (size_t)s->wide;
    double *A = s->A + (size_t)at * (size_t)ld;
    if (s->has_lanes)
        scale_wide(d, s->wide, ld, b->B, W, A);
    else
        scale_all(d, s->wide, ld, b->B, W, A);
    for (int j = 0; j < d; ++j) {
        double *row = A + (size_t)j * (size_t)ld;
        for (int k = 0; k < d; ++k)
            row[b->row + k] += b->D[j * d + k];
        finish_row(s, c, -s->z[b->row + j], row);
    }
}

/* x of U x = y, y behind the columns of U, the inverses of its pivots on the diagonal.  Each sum
 * ends with the x that is found last, which it waits for. */
static void back_substitute(int n, int ld, const double *A, double *x)
{
    for (int i = n - 1; i >= 0; --i) {
        const double *row = A + (size_t)i * (size_t)ld;
        double sum = row[n], other = 0;
        int k = n - 1;
        for (; k - 1 > i; k -= 2) {
            sum -= row[k] * x[k];
            other -= row[k - 1] * x[k - 1];
        }
        sum -= k > i ? row[k] * x[k] : 0;
        x[i] = (sum + other) * row[i];
    }
}

typedef long long bits __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

/* The lanes of x chosen by `mask`, the others of y. */
INLINE lanes choose(bits mask, lanes x, lanes y)
{
    return (lanes)(((bits)x & mask) | ((bits)y & ~mask));
}

/*
 * mo_front_eliminate on the columns of A and the right-hand side behind them, for so few rows that
 * its panels cost more than they save; the inverses of the pivots remain on the diagonal.  Rows are
 * read and written in whole vectors from the one that holds the pivot on: its first lanes are those
 * of L.
 */
INLINE int eliminate(int n, int ld, double *A, int *swap)
{
    const bits number = {0, 1, 2, 3};
    for (int k = 0; k < n; ++k) {
        const int lane = k % LANES, from = k - lane;
        double *row = A + k * ld, most = fabs(row[k]);
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            const double size = fabs(A[i * ld + k]);
            best = size > most ? i : best;
            most = size > most ? size : most;
        }
        swap[k] = best;
        for (int j = 0; best != k && j <= n; j += LANES) { /* the last may reach into the padding */
            const lanes t = *(lanes *)(row + j);
            *(lanes *)(row + j) = *(lanes *)(A + best * ld + j);
            *(lanes *)(A + best * ld + j) = t;
        }
        if (!(most > 0)) return 0;
        const bits is_pivot = number == lane, is_after = number > lane;
        const double inverse = 1 / row[k];
        const lanes first = choose(is_after, *(lanes *)(row + from), (lanes){0});
        row[k] = inverse;
        for (int i = k + 1; i < n; ++i) {
            double *other = A + i * ld;
            const double factor = other[k] * inverse;
            const lanes rest = *(lanes *)(other + from) - factor * first;
            *(lanes *)(other + from) = choose(is_pivot, factor + (lanes){0}, rest);
            for (int j = from + LANES; j <= n; j += LANES)
                *(lanes *)(other + j) -= factor * *(const lanes *)(row + j);
        }
    }
    return 1;
}

MO_WIDTHS(int, eliminate, (int n, int ld, double *A, int *swap), return eliminate(n, ld, A, swap))

static int factor(int n, int ld, double *A, int *swap)
{
    if (n <= FEW) return (mo_has_wide() ? eliminate_wide : eliminate_plain)(n, ld, A, swap);
    if (!mo_front_eliminate(n, n + 1, ld, A, swap)) return 0;
    for (int k = 0; k < n; ++k)
        A[k * ld + k] = 1 / A[k * ld + k];
    return 1;
}

int mo_small_find_step(mo_small_system *s, const double *r)
{
    const int count = s->problem->constraint_count, ld = s->ld;
    for (int i = 0; i < count; ++i) {
        mo_small_block *b = &s->blocks[i];
        b->is_active = b->kind == MO_SMALL_LINE                   ? differentiate_line(s, b, r)
                       : s->is_natural || b->kind == MO_SMALL_ANY ? differentiate_any(s, b, r)
                       : b->kind == MO_SMALL_ROLLING              ? differentiate_rolling(s, b, r)
                       : b->kind == MO_SMALL_SPACE                ? differentiate_cone(s, b, 3, r)
                                                                  : differentiate_cone(s, b, 2, r);
        for (int k = 0; k < b->d; ++k)
            s->dr[b->row + k] = -s->z[b->row + k];
    }
    const columns c = find_columns(s);
    for (int i = 0, at = 0; i < count; ++i) {
        if (s->blocks[i].is_active) {
            fill_rows(s, &s->blocks[i], at, &c);
            at += s->blocks[i].d;
        }
    }
    memset(s->A + (size_t)c.count * (size_t)ld, 0, (size_t)ld * sizeof *s->A);
    if (!factor(c.count, ld, s->A, s->swap)) return 0;
    back_substitute(c.count, ld, s->A, s->base);
    for (int k = 0; k < c.runs; ++k)
        memcpy(s->dr + c.from[k], s->base + c.to[k], (size_t)c.length[k] * sizeof *s->dr);
    return 1;
}

/* -z of the active blocks behind the columns of A, in the order of its rows; y is scratch. */
static void write_right(const mo_small_system *s, int n, double *y)
{
    for (int i = 0, at = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        for (int k = 0; b->is_active && k < b->d; ++k)
            y[at++] = -s->z[b->row + k];
    }
    for (int k = 0; k < n; ++k) {
        const double t = y[k];
        y[k] = y[s->swap[k]];
        y[s->swap[k]] = t;
    }
    for (int i = 0; i < n; ++i) {
        double *row = s->A + (size_t)i * (size_t)s->ld;
        row[n] = y[i] -= mo_dot(i, row, y);
    }
}

int mo_small_repeat_step(mo_small_system *s)
{
    memset(s->dr, 0, (size_t)s->rows * sizeof *s->dr);
    int n = 0;
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        if (!b->is_active && mo_dot(b->d, s->z + b->row, s->z + b->row) > 0) return 0;
        n += b->is_active ? b->d : 0;
    }
    write_right(s, n, s->base);
    back_substitute(n, s->ld, s->A, s->base);
    for (int i = 0, at = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        for (int k = 0; b->is_active && k < b->d; ++k)
            s->dr[b->row + k] = s->base[at++];
    }
    return 1;
}

static double evaluate_at(mo_small_system *s, double t, double *r)
{
    mo_along(s->rows, s->base, t, s->dr, r);
    return mo_small_evaluate(s, r);
}

double mo_small_take_step(mo_small_system *s, double target, int halvings, double *r)
{
    double best = INFINITY, length = 0, now = INFINITY, t = 2;
    memcpy(s->base, r, (size_t)s->rows * sizeof *r);
    for (int k = 0; k <= halvings && !(best < target); ++k) {
        t /= 2;
        now = evaluate_at(s, t, r);
        if (now < best) {
            best = now;
            length = t;
        }
    }
    return length == t ? now : evaluate_at(s, length, r);
}
