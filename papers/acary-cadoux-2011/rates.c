/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Figure 9: the left side of the stopping rule (6.1), |F(s) - s| / (n (|s| + 1)), in each round of
 * s = F(s).
 *
 * s is 0 at first and then the sliding speeds of the impulses that each round ends with, which the
 * library shows to the caller.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acary_cadoux_2011.h"

/* What the rounds are seen through. */
typedef struct watch {
    const mo_problem *problem;
    double *s, *image, *u;
    ac_rate *rate;
} watch;

static void read_speeds(const mo_problem *problem, const double *u, double *s)
{
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const int row = mo_problem_constraint(problem, i).offset;
        s[i] = hypot(u[row + 1], u[row + 2]);
    }
}

static void look(void *user, const mo_progress *now, const double *r)
{
    watch *w = user;
    const int n = mo_problem_constraint_count(w->problem);
    double moved = 0, size = 0;
    if (now->iteration == 0 || w->rate->rounds == AC_ROUNDS ||
        mo_problem_response(w->problem, r, w->u))
        return;
    read_speeds(w->problem, w->u, w->image);
    for (int i = 0; i < n; ++i) {
        moved += (w->image[i] - w->s[i]) * (w->image[i] - w->s[i]);
        size += w->s[i] * w->s[i];
        w->s[i] = w->image[i];
    }
    w->rate->value[w->rate->rounds++] = sqrt(moved) / (n * (sqrt(size) + 1));
}

/* The mean factor over the last half of the rounds that are above rounding. */
static double mean_factor(const ac_rate *rate)
{
    int last = 0;
    while (last < rate->rounds && rate->value[last] > 1e-12)
        ++last;
    const int first = last / 2;
    return last - first > 1
               ? pow(rate->value[last - 1] / rate->value[first], 1.0 / (last - 1 - first))
               : NAN;
}

mo_error ac_measure_rate(int contacts, ac_state state, double mu, ac_rate *rate)
{
    mo_problem *problem;
    mo_options options = mo_default_options();
    mo_result result = {0};
    *rate = (ac_rate){.state = state, .mu = mu};
    mo_error error = ac_pile(contacts, state, mu, &problem);
    if (error) return error;
    const size_t n = (size_t)mo_problem_constraint_count(problem),
                 rows = (size_t)mo_problem_row_count(problem);
    double *room = calloc(2 * n + rows, sizeof *room);
    watch w = {problem, room, room + n, room + 2 * n, rate};
    options.method = "acary-cadoux";
    options.acary_cadoux.outer = 0; /* successive approximations */
    options.acary_cadoux.rescue = 0;
    options.acary_cadoux.forcing = 1e-3;
    options.tol = 1e-13;
    options.max_iter = AC_ROUNDS;
    options.progress = look;
    options.progress_user = &w;
    error = room ? mo_solve(problem, &options, &result) : MO_ERR_MEMORY;
    rate->contraction = result.contraction;
    rate->factor = mean_factor(rate);
    mo_result_clear(&result);
    free(room);
    mo_problem_destroy(problem);
    return error;
}
