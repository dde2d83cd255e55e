/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Attempts that need no matrix, before any view or plan is created:
 *
 *   1. initial impulses that already solve the problem, or zero if no contact is closing
 *   2. a single constraint, solved in closed form by its law
 *   3. reduced problems with few constraints: sweeps from r = 0, as long as each sweep reduces the
 *      residual by a factor of ten; weakly coupled problems are solved so
 *
 * If none succeeds, run->r is the starting point of the next method.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "measure/measure_blocks.h"
#include "problem/dense_delassus.h"
#include "problem/views.h"
#include "solver/method.h"

static double goal_of(const mo_run *run)
{
    return run->options->tol * run->q_scale;
}

/* ---- the start ------------------------------------------------------------------------------- */

/* May zero solve the problem? Stops at the first block that contradicts it. */
static int zero_may_solve(const mo_run *run, const double *q)
{
    const mo_problem *problem = run->problem;
    const double most = goal_of(run) * goal_of(run);
    double sum = 0;
    for (int i = 0; i < problem->constraint_count && sum <= most; ++i)
        sum += mo_natural_square(problem, i, q, run->r);
    return sum <= most;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* u_i of a reduced problem into u. */
static void block_velocity(const mo_problem *problem, int i, const double *r, double *u)
{
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    memcpy(u + row, problem->w + row, (size_t)d * sizeof *u);
    mo_reduced_row(problem, i, r, u + row);
}

/* Did a later block move block i in the first sweep?  Otherwise its law still holds. */
static int is_moved(const mo_problem *problem, int i, const double *r)
{
    int is_moved = 0;
    for (int k = problem->block_start[i + 1] - 1;
         k >= problem->block_start[i] && problem->block_index[k] > i && !is_moved; --k) {
        const int j = problem->block_index[k];
        is_moved = !mo_run_is_zero(r + problem->row_start[j], mo_constraint_dim(problem, j));
    }
    return is_moved;
}

/* Do all laws hold after a sweep? */
static int may_hold(const mo_run *run, int is_first)
{
    const mo_problem *problem = run->problem;
    const double *r = run->r, goal = goal_of(run);
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!is_first || is_moved(problem, i, r)) {
            block_velocity(problem, i, r, run->u);
            if (!(mo_natural_square(problem, i, run->u, r) <= goal * goal)) return 0;
        }
    }
    return 1;
}

/* One sweep over the sparse blocks of a reduced problem without compliance, until an impulse
 * changes by `most`; the largest change. */
static double sweep_blocks(const mo_problem *problem, int is_first, double most, double *r)
{
    static const double zero[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    double velocity[MO_BILATERAL_MAX_DIM], old[MO_BILATERAL_MAX_DIM], change = 0;
    for (int i = 0; i < problem->constraint_count && change < most; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double *block = problem->values + problem->value_start[i], *own = zero;
        for (int a = 0; a < d; ++a) {
            velocity[a] = problem->w[row + a];
            old[a] = r[row + a];
        }
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int j = problem->block_index[k], n = mo_constraint_dim(problem, j);
            own = j == i ? block : own;
            if (is_first && j >= i) break; /* later blocks are still zero */
            if (j != i) mo_add_response(d, n, block, r + problem->row_start[j], velocity);
            block += d * n;
        }
        mo_constraint_law(problem, i)
            ->solve(mo_constraint_param(problem, i), d, own, velocity, r + row);
        for (int a = 0; a < d; ++a) {
            const double moved = fabs(r[row + a] - old[a]);
            change = moved > change ? moved : change;
        }
    }
    return change;
}

static int is_swept(const mo_problem *problem)
{
    return problem->form == MO_FORM_REDUCED && !problem->compliance &&
           problem->constraint_count <= MO_DENSE_BLOCKS && !mo_problem_is_linear(problem);
}

/* Sweeps that gain a digit each: other problems need a matrix, and start from zero. */
static int solve_by_sweeps(mo_run *run)
{
    const mo_problem *problem = run->problem;
    double most = INFINITY, change = 0;
    for (int sweep = 1; change < most && sweep <= run->options->max_iter; ++sweep) {
        most = sweep == 1 ? INFINITY : MO_DIGIT * change;
        change = sweep_blocks(problem, sweep == 1, most, run->r);
        if (change < most && may_hold(run, sweep == 1) && mo_run_confirm(run, sweep, run->r))
            return 1;
    }
    memset(run->r, 0, (size_t)problem->row_count * sizeof *run->r);
    return 0;
}

/* ---- all islands at once --------------------------------------------------------------------- */

static int is_alone(const mo_problem *problem)
{
    return problem->constraint_count == 1 &&
           (problem->form == MO_FORM_REDUCED || problem->is_symmetric);
}

/* W of a single constraint, with its workspace. */
static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    const size_t rows = (size_t)problem->row_count;
    (void)options;
    mo_problem_write_rows(problem);
    *out =
        is_alone(problem) ? MO_TAKE(arena, rows * rows + mo_dense_scratch(problem), double) : NULL;
    return MO_OK;
}

static int solve_alone(mo_run *run, const double *q, double *W)
{
    const mo_problem *problem = run->problem;
    const int rows = problem->row_count;
    mo_dense_delassus(problem, rows, W, W + rows * rows);
    mo_constraint_law(problem, 0)->solve(mo_constraint_param(problem, 0), rows, W, q, run->r);
    return mo_run_confirm(run, 1, run->r);
}

/* u of r = 0 into run->u, where it is not w. */
static const double *find_q(mo_run *run)
{
    const mo_problem *problem = run->problem;
    if (problem->form == MO_FORM_REDUCED) return problem->w;
    if (!run->has_q) {
        mo_problem_response_into(problem, NULL, run->scratch, run->scratch + problem->dof_count);
        run->has_q = 1;
    }
    memcpy(run->u, run->scratch + problem->dof_count, (size_t)problem->row_count * sizeof *run->u);
    return run->u;
}

static int solve_from_zero(mo_run *run)
{
    return is_swept(run->problem)
               ? solve_by_sweeps(run)
               : zero_may_solve(run, find_q(run)) && mo_run_confirm(run, 0, run->r);
}

static mo_status solve(mo_run *run, void *W)
{
    const int is_zero = mo_run_is_zero(run->r, run->problem->row_count);
    if (run->options->max_iter == 0)
        return mo_run_measure(run, 0, run->r) ? MO_SOLVED : MO_ITERATION_LIMIT;
    const int is_solved = W         ? solve_alone(run, find_q(run), W)
                          : is_zero ? solve_from_zero(run)
                                    : mo_run_measure(run, 0, run->r);
    return is_solved ? MO_SOLVED : MO_STALLED;
}

const mo_method mo_at_once_method = {
    .name = "at once",
    .laws = MO_ALL_LAWS,
    .takes_compact = 1,
    .layout = layout,
    .solve = solve,
};
