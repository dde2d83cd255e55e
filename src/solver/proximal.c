/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/proximal.h"

#include <math.h>
#include <string.h>

static const double STRENGTH = 0.1; /* of (2) */
static const double EPS = 0.01;     /* of |z| / |r|, on the natural map */
static const double LEAST_EPS = 1e-10;

/* Newton steps and halvings of an inner problem; theta increases after IN_A_ROW problems that took
 * at most QUICK steps each. */
enum { STEPS = 6, HALVINGS = 4, QUICK = 3, IN_A_ROW = 2 };

static const double GROW = 3, SHRINK = 0.2;   /* of theta */
static const double LEAST = 1e-3, MOST = 1e8; /* of theta: with more, rounding of u counts */
static const double INNER = 0.2;              /* of the first merit: an inner problem is solved, */
static const double PART = 0.3;               /* or abandoned after moving r far enough */
static const double FLOOR = 1e-14;            /* of |r|: rounding level */
static const double CLOSE = 1e-5;             /* relative residual below which patience is longer */
enum { SOONER = 4 };                          /* factor on patience above it */
static const double DESCENT = 1e-4; /* a step of length t must lower the merit by this times t */

mo_error mo_proximal_layout(const mo_problem *problem, mo_arena *arena, mo_proximal *proximal)
{
    proximal->centre = MO_TAKE(arena, problem->row_count, double);
    return mo_newton_layout(problem, arena, &proximal->newton);
}

/* |r| in the units of the merit. */
static double size_of(const mo_newton *newton, const double *r)
{
    const mo_problem *problem = newton->problem;
    double sum = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        sum += mo_dot(d, r + row, r + row) / newton->rho[i];
    }
    return sqrt(sum);
}

/* (2) at r. */
static double first_theta(mo_newton *newton, const double *r)
{
    newton->theta = 0;
    const double theta = STRENGTH * size_of(newton, r) / mo_newton_evaluate(newton, r);
    return isfinite(theta) ? fmin(MOST, fmax(1, theta)) : 1;
}

typedef enum ending { FAILED, NEARED, REACHED, SOLVED, MUST_STOP } ending;

/* The problem regularised around the centre, from run->r.  An r that misses the goal is kept if
 * its merit is at most PART of the first. */
static ending solve_inner(mo_run *run, mo_newton *newton, int *iteration)
{
    double merit = mo_newton_evaluate(newton, run->r);
    const double goal = fmax(INNER * merit, FLOOR * size_of(newton, run->r)), part = PART * merit;
    for (int step = 0; step < STEPS; ++step) {
        if (!mo_newton_find_step(newton, run->r)) return FAILED;
        const double before = merit;
        merit = mo_newton_take_step(newton, (1 - DESCENT) * before, HALVINGS, run->r);
        if (mo_run_check(run, ++*iteration, newton->u, run->r)) return SOLVED;
        if (mo_run_must_stop(run, *iteration)) return MUST_STOP;
        if (merit <= goal) return step < QUICK ? REACHED : NEARED;
        if (!(merit < before)) break;
    }
    return merit <= part ? NEARED : FAILED;
}

/* Should it stop, after `idle` iterations without a digit gained? */
static int is_over(const mo_run *run, int idle, int patience)
{
    return idle >= (run->best <= CLOSE * run->q_scale ? patience : patience / SOONER);
}

/* Proximal points starting with theta, until one ends the method or patience runs out. */
static ending follow(mo_run *run, mo_proximal *p, double theta, int patience, int *iteration)
{
    const size_t bytes = (size_t)run->problem->row_count * sizeof(double);
    double mark = run->best;
    int quick = 0;
    for (int since = *iteration; !is_over(run, *iteration - since, patience);) {
        memcpy(p->centre, run->r, bytes);
        p->newton.theta = theta;
        const ending end = solve_inner(run, &p->newton, iteration);
        if (end == SOLVED || end == MUST_STOP || (end == FAILED && theta <= LEAST)) return end;
        if (run->best <= MO_DIGIT * mark) {
            mark = run->best;
            since = *iteration;
        }
        quick = end == REACHED ? quick + 1 : 0;
        if (quick >= IN_A_ROW) {
            theta = fmin(MOST, GROW * theta);
        } else if (end == FAILED) {
            memcpy(run->r, p->centre, bytes);
            theta = fmax(LEAST, SHRINK * theta);
        }
    }
    return FAILED;
}

void mo_proximal_begin(mo_proximal *p)
{
    mo_newton_begin(&p->newton, 0);
    p->newton.centre = p->centre;
}

static mo_proximal_end ending_of(ending end)
{
    return end == SOLVED      ? MO_PROXIMAL_SOLVED
           : end == MUST_STOP ? MO_PROXIMAL_MUST_STOP
                              : MO_PROXIMAL_FAILED;
}

mo_proximal_end mo_proximal_run(mo_run *run, mo_proximal *p, int patience, int *iteration)
{
    return ending_of(follow(run, p, first_theta(&p->newton, run->r), patience, iteration));
}

mo_proximal_end mo_proximal_try(mo_run *run, mo_proximal *p, int *iteration)
{
    mo_newton *newton = &p->newton;
    newton->theta = 0;
    for (double merit = mo_newton_evaluate(newton, run->r);;) {
        newton->eps = fmax(LEAST_EPS, fmin(1, EPS * merit / size_of(newton, run->r)));
        if (!mo_newton_find_step(newton, run->r)) return MO_PROXIMAL_FAILED;
        const double before = merit;
        merit = mo_newton_take_step(newton, (1 - DESCENT) * before, HALVINGS, run->r);
        if (mo_run_check(run, ++*iteration, newton->u, run->r)) return MO_PROXIMAL_SOLVED;
        if (mo_run_must_stop(run, *iteration)) return MO_PROXIMAL_MUST_STOP;
        if (!(merit <= 0.5 * before)) return MO_PROXIMAL_FAILED;
    }
}
