/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The first step of a cannonball pile [anitescu2004, section 5.3] by the paper's four methods.
 *
 * LCP0 is `lemke`, LCP1 to LCP3 are lcp1 to lcp3.  The paper stopped LCP1 and LCP2 when v moved by
 * less than 1e-5; here the measure decides, at a residual of 1e-8.  LCP3 solves its one convex
 * problem to rounding.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "anitescu_hart.h"
#include "scenes.h"

const char *const ah_paper_names[AH_METHODS] = {"LCP0", "LCP1", "LCP2", "LCP3"};
const char *const ah_our_names[AH_METHODS] = {"lemke", "lcp1", "lcp2", "lcp3"};

static const double TIME_LIMIT = 60; /* seconds of one solve, to bound the time of the rerun */

static mo_options options_of(ah_method method, int as_published)
{
    mo_options options = mo_default_options();
    options.method = ah_our_names[method];
    options.tol = method == AH_LCP3 ? 1e-13 : AH_TOLERANCE;
    options.max_iter = 1000000;
    options.time_limit = TIME_LIMIT;
    if (as_published) options.lcp1.rescue = options.lcp2.rescue = 0;
    return options;
}

/* The worst failure of 0 <= u_N perp r_N >= 0 as a 2-norm, and the largest mu |u_T|. */
static void look_at_contacts(const mo_problem *problem, const mo_result *result, ah_run *run)
{
    double sum = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view contact = mo_problem_constraint(problem, i);
        const double *u = result->u + contact.offset, *r = result->r + contact.offset;
        const double gap = fmin(r[0], u[0]);
        sum += gap * gap;
        if (r[0] > 0) run->slip = fmax(run->slip, contact.law.mu * fabs(u[1]));
    }
    run->discrepancy = sqrt(sum);
}

mo_error ah_solve_pile(const mo_problem *problem, ah_method method, int as_published, ah_run *run,
                       double *v, double *r)
{
    const mo_options options = options_of(method, as_published);
    mo_result result = {0};
    const clock_t begun =
        clock(); /* processor time, since wall time includes other processes on a busy machine */
    const mo_error error = mo_solve(problem, &options, &result);
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    *run = (ah_run){.status = result.status,
                    .iterations = result.iterations,
                    .seconds = seconds,
                    .residual = result.residual.natural_relative,
                    .contraction = result.contraction,
                    .difference = NAN};
    if (!error) {
        look_at_contacts(problem, &result, run);
        if (v) memcpy(v, result.v, (size_t)result.dof_count * sizeof *v);
        if (r) memcpy(r, result.r, (size_t)result.row_count * sizeof *r);
        /* lcp3 is judged by its residual, like the others */
        run->status = run->residual <= AH_TOLERANCE ? MO_SOLVED : result.status;
    }
    mo_result_clear(&result);
    return error;
}

static mo_error make_pile(int rows, double mu, mo_problem **problem, mo_message *why)
{
    scene_cannonball_def def = scene_cannonball_default();
    def.rows = rows;
    def.mu = mu;
    return scene_cannonball(&def, problem, why);
}

mo_error ah_solve_first_step(int rows, double mu, ah_method method, ah_run *run, mo_message *why)
{
    mo_problem *problem;
    mo_error error = make_pile(rows, mu, &problem, why);
    if (!error) {
        error = ah_solve_pile(problem, method, 0, run, NULL, NULL);
        mo_problem_destroy(problem);
    }
    return error;
}

static double largest_difference(int n, const double *x, const double *y)
{
    double most = 0;
    for (int k = 0; k < n; ++k)
        most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

static mo_error solve_all(const mo_problem *problem, ah_step *step, double *v0, double *v)
{
    const int n = mo_problem_dof_count(problem);
    mo_error error = MO_OK;
    for (int m = 0; !error && m < AH_METHODS; ++m) {
        error = ah_solve_pile(problem, (ah_method)m, 0, &step->run[m], m == AH_LCP0 ? v0 : v, NULL);
        if (!error && m != AH_LCP0 && step->run[AH_LCP0].status == MO_SOLVED)
            step->run[m].difference = largest_difference(n, v, v0);
        if (!error && (m == AH_LCP1 || m == AH_LCP2))
            error = ah_solve_pile(problem, (ah_method)m, 1, &step->published[m], NULL, NULL);
    }
    return error;
}

mo_error ah_solve_step(int rows, double mu, ah_step *step, mo_message *why)
{
    mo_problem *problem;
    mo_error error = make_pile(rows, mu, &problem, why);
    if (error) return error;
    *step = (ah_step){.rows = rows,
                      .mu = mu,
                      .disks = mo_problem_body_count(problem),
                      .contacts = mo_problem_constraint_count(problem)};
    const size_t n = (size_t)mo_problem_dof_count(problem);
    double *v = malloc(2 * n * sizeof *v);
    error = v ? solve_all(problem, step, v, v + n) : MO_ERR_MEMORY;
    free(v);
    mo_problem_destroy(problem);
    return error;
}

mo_error ah_solve_row(int k, ah_row *row, mo_message *why)
{
    static const ah_row paper[AH_ROWS] = {
        {.mu = 0.1, .paper_lcp0 = 29.76, .paper_lcp3 = 34.42, .paper_error = 0.06},
        {.mu = 0.2, .paper_lcp0 = NAN, .paper_lcp3 = 36.28, .paper_error = 0.12},
        {.mu = 0.4, .paper_lcp0 = NAN, .paper_lcp3 = 24.03, .paper_error = 0.07},
        {.mu = 0.6, .paper_lcp0 = NAN, .paper_lcp3 = 20.40, .paper_error = 1e-8},
        {.mu = 0.8, .paper_lcp0 = NAN, .paper_lcp3 = 14.52, .paper_error = 8e-11},
    };
    mo_problem *problem;
    *row = paper[k];
    mo_error error = make_pile(20, row->mu, &problem, why);
    if (error) return error;
    error = ah_solve_pile(problem, AH_LCP0, 0, &row->lcp0, NULL, NULL);
    error = error ? error : ah_solve_pile(problem, AH_LCP3, 0, &row->lcp3, NULL, NULL);
    mo_problem_destroy(problem);
    return error;
}

mo_error ah_solve_table(ah_row rows[AH_ROWS], mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < AH_ROWS; ++k)
        error = ah_solve_row(k, &rows[k], why);
    return error;
}
