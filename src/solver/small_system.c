/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/small_system.h"

#include <math.h>
#include <string.h>

#include "law/coulomb_rows.h"
#include "linalg/dense.h"
#include "linalg/front_kernel.h"
#include "problem/dense_delassus.h"
#include "problem/views.h"

enum { LANES = 4, FORCE_ROWS = 3, ROLLING_ROWS = 5 };

static const double EPS = 1e-6;       /* newton_step.h, (loads) */
static const double EPS_PLANE = 1e-9; /* one step solves what is linear there */
static const double SLENDER = 0.3;
static const double LEAST = 1e-6;

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

void mo_small_layout(const mo_problem *problem, mo_arena *arena, mo_small_system *s)
{
    const int rows = problem->row_count;
    const size_t wide = (size_t)(rows + LANES - 1) / LANES * LANES;
    const size_t ld = wide + LANES + MO_FRONT_PAD; /* the right-hand side and its padding */
    const size_t squares = mo_square_starts(problem, NULL);
    mo_small_block *blocks = MO_TAKE(arena, problem->constraint_count, mo_small_block);
    double *numbers = MO_TAKE(arena, 7 * wide + (size_t)(rows + 1) * ld, double);
    double *of_blocks = MO_TAKE(arena, 3 * squares, double);
    double *scratch = MO_TAKE(arena, mo_dense_scratch(problem), double);
    int *swap = MO_TAKE(arena, rows, int);
    if (!s || !arena->base) {
        return;
    }
    *s = (mo_small_system){.problem = problem, .rows = rows, .wide = (int)wide, .ld = (int)ld};
    s->blocks = blocks;
    s->q = numbers;
    s->u = s->q + wide;
    s->r = s->u + wide;
    s->z = s->r + wide;
    s->dr = s->z + wide;
    s->centre = s->dr + wide;
    s->base = s->centre + wide;
    s->A = s->base + wide;
    s->squares = of_blocks;
    s->scratch = scratch;
    s->swap = swap;
}

/* ---- products -------------------------------------------------------------------------------- */

#define INLINE static inline __attribute__((always_inline))

/* y = W x + q for `count` rows, a constant. */
INLINE void multiply_rows(const int count, int wide, const double *W, const double *q,
                          const double *x, double *y)
{
    lanes sum[3] = {{0}};
    for (int k = 0; k < wide; k += LANES) {
        for (int j = 0; j < count; ++j) {
            sum[j] += *(const lanes *)(W + (size_t)j * (size_t)wide + k) * *(const lanes *)(x + k);
        }
    }
    for (int j = 0; j < count; ++j) {
        y[j] = q[j] + ((sum[j][0] + sum[j][1]) + (sum[j][2] + sum[j][3]));
    }
}

/* y = W x + q for d rows. */
INLINE void multiply_all(int d, int wide, const double *W, const double *q, const double *x,
                         double *y)
{
    const size_t line = (size_t)wide;
    int j = 0;
    for (; j + 3 <= d; j += 3) {
        multiply_rows(3, wide, W + (size_t)j * line, q + j, x, y + j);
    }
    if (d - j == 2) {
        multiply_rows(2, wide, W + (size_t)j * line, q + j, x, y + j);
    } else if (d - j == 1) {
        multiply_rows(1, wide, W + (size_t)j * line, q + j, x, y + j);
    }
}

/* A = B W for the d rows of a block, d a constant where that pays. */
INLINE void scale_rows(const int d, int wide, int ld, const double *B, const double *W, double *A)
{
    for (int k = 0; k < wide; k += LANES) {
        for (int j = 0; j < d; ++j) {
            lanes sum = B[j * d] * *(const lanes *)(W + k);
            for (int l = 1; l < d; ++l) {
                sum += B[j * d + l] * *(const lanes *)(W + (size_t)l * (size_t)wide + k);
            }
            *(lanes *)(A + (size_t)j * (size_t)ld + k) = sum;
        }
    }
}

INLINE void scale_all(int d, int wide, int ld, const double *B, const double *W, double *A)
{
    if (d == 3) {
        scale_rows(3, wide, ld, B, W, A);
    } else if (d == 2) {
        scale_rows(2, wide, ld, B, W, A);
    } else {
        scale_rows(d, wide, ld, B, W, A);
    }
}

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2"))) static
WIDE void multiply_wide(int d, int wide, const double *W, const double *q, const double *x,
                        double *y)
{
    multiply_all(d, wide, W, q, x, y);
}

WIDE void scale_wide(int d, int wide, int ld, const double *B, const double *W, double *A)
{
    scale_all(d, wide, ld, B, W, A);
}

static int is_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define multiply_wide multiply_all
#define scale_wide scale_all

static int is_wide(void)
{
    return 0;
}
#endif

static void multiply(const mo_small_system *s, int row, int d, const double *x, double *y)
{
    const double *W = s->W + (size_t)row * (size_t)s->wide;
    if (s->has_lanes) {
        multiply_wide(d, s->wide, W, s->q + row, x, y);
    } else {
        multiply_all(d, s->wide, W, s->q + row, x, y);
    }
}

/* ---- the blocks ------------------------------------------------------------------------------ */

static mo_small_kind kind_of(const mo_problem *problem, int i)
{
    if (problem->law[i].kind == MO_LAW_ROLLING) {
        return MO_SMALL_ROLLING;
    }
    if (problem->law[i].kind != MO_LAW_COULOMB || isinf(mo_constraint_param(problem, i)[0])) {
        return MO_SMALL_ANY;
    }
    return mo_constraint_dim(problem, i) == 3 ? MO_SMALL_SPACE : MO_SMALL_PLANE;
}

/* Forces and moments have a rho each, by the means of their diagonals. */
static void set_rolling_steps(mo_small_block *b)
{
    double of_force = 0, of_moment = 0;
    for (int k = 0; k < ROLLING_ROWS; ++k) {
        *(k < FORCE_ROWS ? &of_force : &of_moment) += b->W[k * (ROLLING_ROWS + 1)];
    }
    b->rho = of_force > 0 ? FORCE_ROWS / of_force : 1;
    b->rho_moment = of_moment > 0 ? (ROLLING_ROWS - FORCE_ROWS) / of_moment : 1;
}

static void begin_block(const mo_small_system *s, int i, double *square, mo_small_block *b)
{
    const mo_problem *problem = s->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    double trace = 0;
    *b = (mo_small_block){.row = row,
                          .d = d,
                          .kind = kind_of(problem, i),
                          .p = mo_constraint_param(problem, i),
                          .law = mo_constraint_law(problem, i),
                          .D = square,
                          .B = square + d * d,
                          .W = square + 2 * d * d};
    for (int j = 0; j < d; ++j) {
        const double *from = s->W + (size_t)(row + j) * (size_t)s->wide + row;
        for (int k = 0; k < d; ++k) {
            b->W[j * d + k] = from[k];
        }
        trace += from[j];
    }
    b->rho = b->rho_moment = trace > 0 ? d / trace : 1;
    if (b->kind == MO_SMALL_ROLLING) {
        set_rolling_steps(b);
    }
}

mo_error mo_small_begin(mo_small_system *s, const double *q)
{
    const mo_error error = mo_problem_dense(s->problem, &s->W);
    if (error) {
        return error;
    }
    const size_t bytes = (size_t)s->rows * sizeof *q;
    double *square = s->squares, most = 0;
    int in_space = 0;
    memset(s->q, 0, 7 * (size_t)s->wide * sizeof *s->q);
    memcpy(s->q, q, bytes);
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        mo_small_block *b = &s->blocks[i];
        begin_block(s, i, square, b);
        square += 3 * b->d * b->d;
        in_space |= b->kind == MO_SMALL_SPACE;
        most = fmax(most, mo_dot(b->d, q + b->row, q + b->row));
    }
    s->eps = in_space ? EPS : EPS_PLANE;
    s->has_lanes = is_wide();
    s->theta = 0;
    s->is_natural = 0;
    s->speed = sqrt(most);
    return MO_OK;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

void mo_small_sweep(mo_small_system *s, double *r)
{
    double velocity[MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        const int d = b->d;
        multiply(s, b->row, d, r, velocity);
        for (int j = 0; j < d; ++j) {
            velocity[j] -= mo_dot(d, b->W + j * d, r + b->row);
        }
        b->law->solve(b->p, d, b->W, velocity, r + b->row);
    }
}

/* ---- the natural map ------------------------------------------------------------------------- */

static inline double step_of(const mo_small_system *s, const mo_small_block *b)
{
    return s->theta > 0 ? s->theta * b->rho : b->rho;
}

static inline const double *from_of(const mo_small_system *s, const mo_small_block *b,
                                    const double *r)
{
    return (s->theta > 0 ? s->centre : r) + b->row;
}

/* x = r - rho u */
static inline void cone_point(const mo_small_system *s, const mo_small_block *b, int d,
                              const double *r, double *x)
{
    const double step = step_of(s, b), *u = s->u + b->row, *from = from_of(s, b, r);
    for (int k = 0; k < d; ++k) {
        x[k] = from[k] - step * u[k];
    }
}

static inline void evaluate_cone(const mo_small_system *s, const mo_small_block *b, int d,
                                 const double *r)
{
    double x[3], *z = s->z + b->row;
    cone_point(s, b, d, r, x);
    const double normal = x[0] > 0 ? x[0] : 0, slip = mo_coulomb_slip(d, x),
                 radius = b->p[0] * normal;
    const double scale = slip > radius ? radius / slip : 1;
    z[0] = r[b->row] - normal;
    for (int k = 1; k < d; ++k) {
        z[k] = r[b->row + k] - scale * x[k];
    }
}

/* The first row of disc g, 1 or 3, and the step of the rows of each. */
static inline double disc_step(const mo_small_system *s, const mo_small_block *b, int g)
{
    return (s->theta > 0 ? s->theta : 1) * (g ? b->rho_moment : b->rho);
}

/* x = r - rho u, each row with its own rho. */
static void rolling_point(const mo_small_system *s, const mo_small_block *b, const double *r,
                          double *x)
{
    const double *u = s->u + b->row, *from = from_of(s, b, r);
    for (int k = 0; k < ROLLING_ROWS; ++k) {
        x[k] = from[k] - disc_step(s, b, k >= FORCE_ROWS) * u[k];
    }
}

static void evaluate_rolling(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    double x[ROLLING_ROWS], *z = s->z + b->row;
    rolling_point(s, b, r, x);
    const double normal = x[0] > 0 ? x[0] : 0;
    z[0] = r[b->row] - normal;
    for (int k = 1; k < ROLLING_ROWS; k += 2) {
        const double radius = b->p[k / 2] * normal, size = sqrt(x[k] * x[k] + x[k + 1] * x[k + 1]);
        const double scale = size > radius ? radius / size : 1;
        z[k] = r[b->row + k] - scale * x[k];
        z[k + 1] = r[b->row + k + 1] - scale * x[k + 1];
    }
}

static void shifted_point(const mo_small_system *s, const mo_small_block *b, const double *r,
                          double *x)
{
    const double step = step_of(s, b), *from = from_of(s, b, r);
    b->law->shift(b->p, b->d, s->u + b->row, x);
    for (int k = 0; k < b->d; ++k) {
        x[k] = from[k] - step * x[k];
    }
}

static void evaluate_any(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    double x[MO_BILATERAL_MAX_DIM];
    shifted_point(s, b, r, x);
    b->law->project(b->p, b->d, x, x);
    for (int k = 0; k < b->d; ++k) {
        s->z[b->row + k] = r[b->row + k] - x[k];
    }
}

/* |z|^2 of a block in the units of the merit. */
static inline double merit_square(const mo_small_block *b, const double *z)
{
    if (b->kind != MO_SMALL_ROLLING) {
        return mo_dot(b->d, z, z) / b->rho;
    }
    return mo_dot(FORCE_ROWS, z, z) / b->rho +
           mo_dot(ROLLING_ROWS - FORCE_ROWS, z + FORCE_ROWS, z + FORCE_ROWS) / b->rho_moment;
}

double mo_small_evaluate(mo_small_system *s, const double *r)
{
    double sum = 0;
    multiply(s, 0, s->rows, r, s->u);
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        const double *z = s->z + b->row;
        if (s->is_natural || b->kind == MO_SMALL_ANY) {
            evaluate_any(s, b, r);
        } else if (b->kind == MO_SMALL_ROLLING) {
            evaluate_rolling(s, b, r);
        } else if (b->kind == MO_SMALL_SPACE) {
            evaluate_cone(s, b, 3, r);
        } else {
            evaluate_cone(s, b, 2, r);
        }
        sum += merit_square(b, z);
    }
    return sqrt(sum);
}

/* |z|^2 of a block with the step 1, z the natural map of the measure. */
static double residual_square(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    double z[MO_BILATERAL_MAX_DIM];
    b->law->natural(b->p, b->d, 1, s->u + b->row, r + b->row, z);
    return mo_dot(b->d, z, z);
}

double mo_small_residual(const mo_small_system *s, const double *r)
{
    double sum = 0;
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        sum += residual_square(s, &s->blocks[i], r);
    }
    return sqrt(sum);
}

double mo_small_size(const mo_small_system *s, const double *r)
{
    double sum = 0;
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        sum += merit_square(b, r + b->row);
    }
    return sqrt(sum);
}

void mo_small_project(const mo_small_system *s, double *r)
{
    for (int i = 0; i < s->problem->constraint_count; ++i) {
        const mo_small_block *b = &s->blocks[i];
        b->law->project(b->p, b->d, r + b->row, r + b->row);
    }
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* 1 - eps of (loads), or 0 around a centre. */
static double own_part(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    if (s->theta > 0) {
        return 0;
    }
    const double load = sqrt(mo_dot(b->d, r + b->row, r + b->row)) / b->rho;
    const double speed = SLENDER * s->speed;
    return 1 - (load > speed ? s->eps * fmax(LEAST, speed / load) : s->eps);
}

/* The derivative of x -> x - z; false where it is zero. */
static inline int cone_derivative(double mu, int d, const double *x, double *J)
{
    const double slip = mo_coulomb_slip(d, x), radius = mu * x[0];
    if (!(x[0] > 0)) {
        return 0;
    }
    mo_coulomb_identity(d, 1, J);
    for (int j = 1; slip > radius && j < d; ++j) {
        J[j * d] = mu * x[j] / slip;
        for (int k = 1; k < d; ++k) {
            J[j * d + k] = radius / slip * ((j == k) - x[j] / slip * (x[k] / slip));
        }
    }
    return 1;
}

static inline int differentiate_cone(const mo_small_system *s, const mo_small_block *b, int d,
                                     const double *r)
{
    const double own = own_part(s, b, r), step = step_of(s, b);
    double x[3], J[9];
    cone_point(s, b, d, r, x);
    if (!cone_derivative(b->p[0], d, x, J)) {
        return 0;
    }
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
    if (!(x[0] > 0)) {
        return 0;
    }
    rolling_derivative(b, x, J);
    for (int k = 0; k < ROLLING_ROWS * ROLLING_ROWS; ++k) {
        b->B[k] = disc_step(s, b, k % ROLLING_ROWS >= FORCE_ROWS) * J[k];
        b->D[k] = (k % (ROLLING_ROWS + 1) == 0) - own * J[k];
    }
    return 1;
}

static int differentiate_any(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    const int d = b->d;
    const double own = own_part(s, b, r), step = step_of(s, b);
    double x[MO_BILATERAL_MAX_DIM], J[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM],
        G[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM], size = 0;
    shifted_point(s, b, r, x);
    b->law->project_derivative(b->p, d, x, J);
    for (int k = 0; k < d * d; ++k) {
        size += fabs(J[k]);
    }
    if (!(size > 0)) {
        return 0;
    }
    b->law->shift_derivative(b->p, d, s->u + b->row, G);
    for (int j = 0; j < d; ++j) {
        for (int k = 0; k < d; ++k) {
            double sum = 0;
            for (int l = 0; l < d; ++l) {
                sum += J[j * d + l] * G[l * d + k];
            }
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
            if (mo_dot(b->d, s->dr + b->row, s->dr + b->row) > 0) {
                c.other[c.others++] = i;
            }
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
    for (int k = 0; k < c->runs; ++k) {
        if (c->from[k] != c->to[k]) {
            memmove(row + c->to[k], row + c->from[k], (size_t)c->length[k] * sizeof *row);
        }
    }
    row[c->count] = rhs;
    for (int k = 1; k <= MO_FRONT_PAD; ++k) {
        row[c->count + k] = 0;
    }
}

static void fill_rows(const mo_small_system *s, const mo_small_block *b, int at, const columns *c)
{
    const int d = b->d, ld = s->ld;
    const double *W = s->W + (size_t)b->row * (size_t)s->wide;
    double *A = s->A + (size_t)at * (size_t)ld;
    if (s->has_lanes) {
        scale_wide(d, s->wide, ld, b->B, W, A);
    } else {
        scale_all(d, s->wide, ld, b->B, W, A);
    }
    for (int j = 0; j < d; ++j) {
        double *row = A + (size_t)j * (size_t)ld;
        for (int k = 0; k < d; ++k) {
            row[b->row + k] += b->D[j * d + k];
        }
        finish_row(s, c, -s->z[b->row + j], row);
    }
}

/* x of U x = y, y behind the columns of U; sums in two parts, which run side by side. */
static void back_substitute(int n, int ld, const double *A, double *x)
{
    for (int i = n - 1; i >= 0; --i) {
        const double *row = A + (size_t)i * (size_t)ld;
        double sum = row[n], other = 0;
        int k = i + 1;
        for (; k + 2 <= n; k += 2) {
            sum -= row[k] * x[k];
            other -= row[k + 1] * x[k + 1];
        }
        sum -= k < n ? row[k] * x[k] : 0;
        x[i] = (sum + other) / row[i];
    }
}

int mo_small_find_step(mo_small_system *s, const double *r)
{
    const int count = s->problem->constraint_count, ld = s->ld;
    for (int i = 0; i < count; ++i) {
        mo_small_block *b = &s->blocks[i];
        b->is_active = s->is_natural || b->kind == MO_SMALL_ANY ? differentiate_any(s, b, r)
                       : b->kind == MO_SMALL_ROLLING            ? differentiate_rolling(s, b, r)
                       : b->kind == MO_SMALL_SPACE              ? differentiate_cone(s, b, 3, r)
                                                                : differentiate_cone(s, b, 2, r);
        for (int k = 0; k < b->d; ++k) {
            s->dr[b->row + k] = -s->z[b->row + k];
        }
    }
    const columns c = find_columns(s);
    for (int i = 0, at = 0; i < count; ++i) {
        if (s->blocks[i].is_active) {
            fill_rows(s, &s->blocks[i], at, &c);
            at += s->blocks[i].d;
        }
    }
    memset(s->A + (size_t)c.count * (size_t)ld, 0, (size_t)ld * sizeof *s->A);
    if (!mo_front_eliminate(c.count, c.count + 1, ld, s->A, s->swap)) {
        return 0;
    }
    back_substitute(c.count, ld, s->A, s->base);
    for (int k = 0; k < c.runs; ++k) {
        memcpy(s->dr + c.from[k], s->base + c.to[k], (size_t)c.length[k] * sizeof *s->dr);
    }
    return 1;
}

static double evaluate_at(mo_small_system *s, double t, double *r)
{
    for (int k = 0; k < s->rows; ++k) {
        r[k] = s->base[k] + t * s->dr[k];
    }
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
