/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/small_points.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "law/coulomb_rows.h"
#include "linalg/dense.h"
#include "linalg/front_kernel.h"
#include "problem/dense_delassus.h"
#include "problem/views.h"

static const double EPS = 1e-6;       /* newton_step.h, (loads) */
static const double EPS_PLANE = 1e-9; /* one step solves a linear problem */

void mo_small_layout(const mo_problem *problem, mo_arena *arena, mo_small_system *s)
{
    const int rows = problem->row_count;
    const size_t wide = (size_t)(rows + LANES - 1) / LANES * LANES;
    const size_t ld = wide + LANES + MO_FRONT_PAD; /* the right-hand side and its padding */
    const size_t squares = mo_square_starts(problem, NULL);
    *s = (mo_small_system){.problem = problem, .rows = rows, .wide = (int)wide, .ld = (int)ld};
    s->blocks = MO_TAKE(arena, problem->constraint_count, mo_small_block);
    MO_TAKE_EACH(arena, wide, double, &s->q, &s->u, &s->r, &s->z, &s->dr, &s->centre, &s->base);
    s->A = MO_TAKE(arena, (size_t)(rows + 1) * ld, double);
    s->squares = MO_TAKE(arena, 3 * squares, double);
    s->scratch = MO_TAKE(arena, mo_dense_scratch(problem), double);
    s->swap = MO_TAKE(arena, rows, int);
}

/* ---- products -------------------------------------------------------------------------------- */

/* y = W x + q for `count` rows, a constant. */
INLINE void multiply_rows(const int count, int wide, const double *W, const double *q,
                          const double *x, double *y)
{
    lanes sum[3] = {{0}};
    for (int k = 0; k < wide; k += LANES)
        for (int j = 0; j < count; ++j)
            sum[j] += *(const lanes *)(W + (size_t)j * (size_t)wide + k) * *(const lanes *)(x + k);
    for (int j = 0; j < count; ++j)
        y[j] = q[j] + ((sum[j][0] + sum[j][1]) + (sum[j][2] + sum[j][3]));
}

/* y = W x + q for d rows. */
INLINE void multiply_all(int d, int wide, const double *W, const double *q, const double *x,
                         double *y)
{
    const size_t line = (size_t)wide;
    int j = 0;
    for (; j + 3 <= d; j += 3)
        multiply_rows(3, wide, W + (size_t)j * line, q + j, x, y + j);
    if (d - j == 2)
        multiply_rows(2, wide, W + (size_t)j * line, q + j, x, y + j);
    else if (d - j == 1)
        multiply_rows(1, wide, W + (size_t)j * line, q + j, x, y + j);
}

MO_WIDE void multiply_wide(int d, int wide, const double *W, const double *q, const double *x,
                           double *y)
{
    multiply_all(d, wide, W, q, x, y);
}

static void multiply(const mo_small_system *s, int row, int d, const double *x, double *y)
{
    const double *W = s->W + (size_t)row * (size_t)s->wide;
    if (s->has_lanes)
        multiply_wide(d, s->wide, W, s->q + row, x, y);
    else
        multiply_all(d, s->wide, W, s->q + row, x, y);
}

/* ---- the blocks ------------------------------------------------------------------------------ */

static mo_small_kind kind_of(const mo_problem *problem, int i)
{
    if (problem->law[i].kind == MO_LAW_ROLLING) return MO_SMALL_ROLLING;
    if (mo_constraint_dim(problem, i) == 1 &&
        (problem->law[i].kind == MO_LAW_BOX || problem->law[i].kind == MO_LAW_FRICTIONLESS))
        return MO_SMALL_LINE;
    if (problem->law[i].kind != MO_LAW_COULOMB || isinf(mo_constraint_param(problem, i)[0]))
        return MO_SMALL_ANY;
    return mo_constraint_dim(problem, i) == 3 ? MO_SMALL_SPACE : MO_SMALL_PLANE;
}

/* Forces and moments have a rho each, by the means of their diagonals. */
static void set_rolling_steps(mo_small_block *b)
{
    double of_force = 0, of_moment = 0;
    for (int k = 0; k < ROLLING_ROWS; ++k)
        *(k < FORCE_ROWS ? &of_force : &of_moment) += b->W[k * (ROLLING_ROWS + 1)];
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
        for (int k = 0; k < d; ++k)
            b->W[j * d + k] = from[k];
        trace += from[j];
    }
    b->rho = b->rho_moment = trace > 0 ? d / trace : 1;
    if (b->kind == MO_SMALL_ROLLING) set_rolling_steps(b);
    if (b->kind == MO_SMALL_LINE) {
        const int is_box = problem->law[i].kind == MO_LAW_BOX;
        b->lower = is_box ? b->p[0] : 0;
        b->upper = is_box ? b->p[1] : INFINITY;
    }
}

mo_error mo_small_begin(mo_small_system *s, const double *q)
{
    MO_TRY(mo_problem_dense(s->problem, &s->W));
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
    s->has_lanes = mo_has_wide();
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
        for (int j = 0; j < d; ++j)
            velocity[j] -= mo_dot(d, b->W + j * d, r + b->row);
        b->law->solve(b->p, d, b->W, velocity, r + b->row);
    }
}

/* ---- the natural map ------------------------------------------------------------------------- */

static inline void evaluate_cone(const mo_small_system *s, const mo_small_block *b, int d,
                                 const double *r)
{
    double x[3], *z = s->z + b->row;
    cone_point(s, b, d, r, x);
    const double normal = x[0] > 0 ? x[0] : 0, slip = mo_coulomb_slip(d, x),
                 radius = b->p[0] * normal;
    const double scale = slip > radius ? radius / slip : 1;
    z[0] = r[b->row] - normal;
    for (int k = 1; k < d; ++k)
        z[k] = r[b->row + k] - scale * x[k];
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

static void evaluate_any(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    double x[MO_BILATERAL_MAX_DIM];
    shifted_point(s, b, r, x);
    b->law->project(b->p, b->d, x, x);
    for (int k = 0; k < b->d; ++k)
        s->z[b->row + k] = r[b->row + k] - x[k];
}

/* |z|^2 of a block in the units of the merit. */
static inline double merit_square(const mo_small_block *b, const double *z)
{
    if (b->kind != MO_SMALL_ROLLING) return mo_dot(b->d, z, z) / b->rho;
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
        if (b->kind == MO_SMALL_LINE)
            s->z[b->row] = r[b->row] - clamp_line(b, line_point(s, b, r));
        else if (s->is_natural || b->kind == MO_SMALL_ANY)
            evaluate_any(s, b, r);
        else if (b->kind == MO_SMALL_ROLLING)
            evaluate_rolling(s, b, r);
        else if (b->kind == MO_SMALL_SPACE)
            evaluate_cone(s, b, 3, r);
        else
            evaluate_cone(s, b, 2, r);
        sum += merit_square(b, z);
    }
    return sqrt(sum);
}

/* |z|^2 of a block with the step 1, z the natural map of the measure. */
static double residual_square(const mo_small_system *s, const mo_small_block *b, const double *r)
{
    double z[MO_BILATERAL_MAX_DIM];
    if (b->kind == MO_SMALL_LINE) {
        z[0] = r[b->row] - clamp_line(b, r[b->row] - s->u[b->row]);
        return z[0] * z[0];
    }
    mo_law_natural(b->law, b->p, b->d, 1, s->u + b->row, r + b->row, z);
    return mo_dot(b->d, z, z);
}

double mo_small_residual(const mo_small_system *s, const double *r)
{
    double sum = 0;
    for (int i = 0; i < s->problem->constraint_count; ++i)
        sum += residual_square(s, &s->blocks[i], r);
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
