/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solver/refine.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "problem/dense_delassus.h"
#include "problem/problem_data.h"
#include "solver/canonical.h"

static const double BEYOND = 1e-4; /* of the tolerance, or of FINE where that is less: the aim */
static const double FINE = 1e-8;   /* tolerances up to this are met by Newton's method */
static const double OF_IMPULSES = 1.5; /* of (1): rounding enters in several places */
static const double NUDGE = 0x1p-20;   /* by which r is changed to see what rounding does */
static const double ROOM = 0.5;        /* of the tolerance */
static const double NEARLY = 100;      /* of the tolerance: a start that nearly solves */
static const double HOPELESS = 2;      /* of the tolerance: what rounding leaves */
static const double LITTLE = 1e-9;     /* of r: changes that leave it canonical */
static const double FAR = 3;           /* of the aim: nearer, there is little to gain */
enum {
    FEW = 64,             /* blocks: with so few, iterations cost little */
    MORE_ITERATIONS = 30, /* towards the aim, on few blocks */
    MORE_STEPS = 6,       /* and on many, where they are Newton's */
    DENSE_STEPS = 2,      /* and where they are Newton's on dense matrices, with exact factors */
    REST_ITERATIONS = 60  /* sweeps and Newton steps before rounding is looked at */
};

typedef struct refinement {
    const mo_problem *problem;
    const mo_options *options;
    const mo_method *method;
    double start_time;
    mo_result *result;
    double *r;        /* scratch, and the answer so far */
    int is_canonical; /* the answer is */
} refinement;

/* ---- significant digits ---------------------------------------------------------------------- */

/* 1 or -1, in a fixed order without a pattern. */
static double next_sign(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 31 ? 1 : -1;
}

/* (1); c->r is written over. */
static mo_error impulse_rounding(const refinement *c, double *norm)
{
    const mo_result *result = c->result;
    const size_t rows = (size_t)result->row_count;
    double *u = mo_memory_array(&c->problem->allocator, rows, sizeof *u), sum = 0;
    uint32_t state = 1;
    MO_NEED_MEMORY(u, NULL);
    for (size_t k = 0; k < rows; ++k)
        c->r[k] = result->r[k] * (1 + NUDGE * next_sign(&state));
    const mo_error error = mo_problem_response(c->problem, c->r, u);
    for (size_t k = 0; k < rows; ++k)
        sum += (u[k] - result->u[k]) * (u[k] - result->u[k]);
    mo_memory_free(&c->problem->allocator, u);
    *norm = OF_IMPULSES * DBL_EPSILON / NUDGE * sqrt(sum);
    return error;
}

/* (1) and (2), relative as the residual is. */
static mo_error rounding_floor(const refinement *c, double *floor)
{
    const mo_residual *residual = &c->result->residual;
    double impulses = 0;
    const mo_error error = impulse_rounding(c, &impulses);
    *floor = hypot(impulses, c->options->noise);
    if (residual->natural > 0) *floor *= residual->natural_relative / residual->natural;
    return error;
}

/* ---- to the tolerance ------------------------------------------------------------------------ */

/* Canonical impulses need room below the tolerance.  Refinement makes it; without that, the method
 * is asked for part of the tolerance. */
static mo_error run(const refinement *c, const mo_options *options)
{
    mo_options own = *options;
    own.tol *= options->canonical && !options->refine ? ROOM : 1;
    const mo_error error = mo_solve_once(c->problem, &own, c->method, c->start_time, c->result);
    if (!error && c->result->residual.natural_relative <= options->tol)
        c->result->status = MO_SOLVED;
    return error;
}

/* A canonical start that nearly solves the problem: one linear system may do.  *is_over: it did. */
static mo_error try_start(refinement *c, int *is_over)
{
    mo_options options = *c->options;
    mo_result *result = c->result;
    options.max_iter = 0;
    options.tol = fmin(1, NEARLY * c->options->tol);
    *is_over = 0;
    mo_error error = run(c, &options);
    if (!error && result->status == MO_SOLVED &&
        result->residual.natural_relative > c->options->tol) {
        error = mo_canonical_at_rest(c->problem, &options, result, &c->is_canonical);
        result->iterations = 1;
    }
    *is_over = error || result->residual.natural_relative <= c->options->tol;
    c->is_canonical &= *is_over;
    result->status = *is_over ? MO_SOLVED : result->status;
    return error;
}

/* A few iterations, and no more of them where all that is left is rounding: *is_over. */
static mo_error try_at_rest(refinement *c, int *is_over)
{
    mo_options options = *c->options;
    mo_result *result = c->result;
    double floor = 0;
    mo_error error = MO_OK;
    *is_over = 0;
    if (options.canonical == MO_CANONICAL_START) error = try_start(c, is_over);
    if (error || *is_over) return error;
    options.max_iter = REST_ITERATIONS;
    error = run(c, &options);
    *is_over = error || (result->status != MO_ITERATION_LIMIT && result->status != MO_STALLED);
    if (*is_over) return error;
    error = rounding_floor(c, &floor);
    *is_over =
        error || (result->residual.natural_relative <= floor && floor > HOPELESS * options.tol);
    if (*is_over) {
        result->status = MO_STALLED;
        mo_say(&result->message,
               "the rounding of the impulses alone makes a residual of %.1e: masses differ by "
               "too much for this tolerance",
               floor);
    }
    return error;
}

static mo_error to_tolerance(refinement *c)
{
    mo_options options = *c->options;
    int tried = 0;
    if (options.refine == MO_REFINE_REST && options.start && options.max_iter > REST_ITERATIONS) {
        int is_over;
        const mo_error error = try_at_rest(c, &is_over);
        if (is_over) return error;
        tried = c->result->iterations;
        memcpy(c->r, c->result->r, (size_t)c->result->row_count * sizeof(double));
        options.start = c->r;
    }
    const mo_error error = run(c, &options);
    c->result->iterations += tried;
    return error;
}

/* ---- the last digits ------------------------------------------------------------------------- */

double mo_refine_aim(const mo_options *options)
{
    const int is_watched = options->progress || options->history;
    return options->refine && options->tol <= FINE && !is_watched ? options->tol * BEYOND : 0;
}

/* The aim; at the residual where there is nothing to gain. */
static mo_error set_aim(const refinement *c, double *aim)
{
    const double tol = c->options->tol;
    double floor = 0;
    *aim = fmin(tol, FINE) * BEYOND;
    if (c->result->residual.natural_relative <= *aim) return MO_OK;
    const mo_error error = rounding_floor(c, &floor);
    *aim = fmax(*aim, fmin(floor, tol));
    return error;
}

/* Newton steps on dense matrices cost less than canonical impulses do. */
static int is_dense(const refinement *c)
{
    return c->method == &mo_auto_method && mo_dense_fits(c->problem);
}

static int more_iterations(const refinement *c)
{
    if (is_dense(c)) return DENSE_STEPS;
    return c->problem->constraint_count <= FEW ? MORE_ITERATIONS : MORE_STEPS;
}

/* Has the method itself done so?  Small problems are refined while their matrix is at hand. */
static int was_refined(const refinement *c)
{
    const mo_explanation *explanation = &c->result->explanation;
    return is_dense(c) && explanation->rung_count == 1 && explanation->rung[0].iterations > 0 &&
           mo_refine_aim(c->options) > 0;
}

/* A few iterations from the answer; the better of the two is kept. */
static mo_error reach(const refinement *c, double aim)
{
    mo_result *result = c->result;
    const double before = result->residual.natural_relative;
    const int iterations = result->iterations;
    const mo_explanation explanation = result->explanation;
    mo_options options = *c->options;
    memcpy(c->r, result->r, (size_t)result->row_count * sizeof(double));
    options.start = c->r;
    options.tol = is_dense(c) && mo_refine_aim(c->options) > 0 ? options.tol : aim;
    options.max_iter = more_iterations(c);
    mo_error error = run(c, &options);
    const int more = result->iterations;
    if (!error && !(result->residual.natural_relative <= before)) {
        memcpy(result->r, c->r, (size_t)result->row_count * sizeof(double));
        error = mo_finish_result(c->problem, result);
    }
    result->message.text[0] = '\0';
    result->status = error ? result->status : MO_SOLVED;
    result->iterations = iterations + more;
    result->explanation = explanation;
    return error;
}

/* Is r what it was at the start, which is canonical, but for a little? */
static int keeps_start(const refinement *c)
{
    const int rows = c->result->row_count;
    const double *r = c->result->r, *start = c->options->start;
    if (c->options->canonical != MO_CANONICAL_START || !start) return 0;
    return mo_distance_square(rows, r, start) <= LITTLE * LITTLE * mo_dot(rows, r, r);
}

/* Towards the aim: what canonical impulses at rest gain, then more of the method. */
static mo_error refine(refinement *c)
{
    const double *residual = &c->result->residual.natural_relative;
    double aim;
    mo_error error = set_aim(c, &aim);
    if (!error && *residual > aim && c->options->canonical && !is_dense(c))
        error = mo_canonical_at_rest(c->problem, c->options, c->result, &c->is_canonical);
    if (!error && *residual > FAR * aim && !was_refined(c)) {
        error = reach(c, aim);
        c->is_canonical = 0;
    }
    return error;
}

/* The answer to the tolerance becomes the canonical one, refined where that is asked for. */
static mo_error improve(refinement *c)
{
    MO_TRY(c->options->refine ? refine(c) : MO_OK);
    if (!c->options->canonical || c->is_canonical) return MO_OK;
    c->result->is_canonical = keeps_start(c) ? MO_CANONICAL_START : 0;
    return c->result->is_canonical ? MO_OK : mo_canonical(c->problem, c->options, c->result);
}

mo_error mo_solve_refined(const mo_problem *problem, const mo_options *options,
                          const mo_method *method, double start_time, mo_result *result)
{
    refinement c = {problem, options, method, start_time, result, NULL, 0};
    result->is_canonical = 0;
    if (!options->refine && !options->canonical)
        return mo_solve_once(problem, options, method, start_time, result);
    c.r = mo_memory_array(&problem->allocator, (size_t)problem->row_count + 1, sizeof(double));
    mo_error error = c.r ? to_tolerance(&c) : MO_ERR_MEMORY;
    error = error || result->status != MO_SOLVED ? error : improve(&c);
    mo_memory_free(&problem->allocator, c.r);
    return error;
}
