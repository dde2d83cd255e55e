/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The impulses of a step: to the tolerance, then to the last digits that count.
 *
 *   1. to the tolerance from the impulses of the last step.  At rest a few iterations are tried
 *      first: where rounding alone, (1) and (2), leaves more than twice the tolerance and
 *                         all that is left is that, the step ends as stalled, since thousands more
 *                         would change nothing
 *   2. the last digits a few iterations more, to `aim`: a block at the edge of sliding is right to
 *      the last digits, what rests keeps still, and the next
 *                         step starts from its solution.  So they pay with a coarse tolerance too:
 *                         a wall of 200 bricks that is left to drift with 1e-4 costs twenty times
 *                         more than one that stands.  They may fail; the answer is as good as the
 *                         tolerance all the same
 *   3. the middle         where they fail and all is at rest, impulses from inside the cones
 *
 * How many digits count.  u = W r + q is a sum of large numbers where heavy things rest on light
 * ones, and rounding of r alone moves it by
 *
 *     eps |W (s r)|,      s random signs                                                      (1)
 *
 * The gaps of a step of h are rounded like the places x of the contacts, which no motion of rigid
 * bodies takes back where there are more contacts than needed: that moves u by
 *
 *     eps |x| / h.                                                                            (2)
 *
 * No method comes below the two, so the aim does not lie there.
 *
 * Why each step must do its part.  What is left of a motion in the last steps, e_1, e_2 and e_3,
 * comes back: as a gap or a slip that is still open, as a velocity, and as an impulse.  From the
 * impulses of the last step the next one starts with u = 3 e_1 - 3 e_2 + e_3.  Where one Newton
 * step leaves the part c of it, the motion is that of
 *
 *     z^3 = c (3 z^2 - 3 z + 1),   or   (1 - 1/z)^3 = -(1 - c) / c,                           (3)
 *
 * which dies out for c < 1/2 and grows, swinging slowly, for c > 1/2, far below what a norm over
 * all contacts sees.  What is slender, and what is heavy on light things, needs a small eps for
 * that (newton_step.h).
 *
 * The middle.  What stands on more contacts than it needs has many impulses that hold it.  Those
 * that Newton's method finds lie, for a good part, at the edge of a cone, though nothing slides
 * there, or are zero where nothing opens: at such a point the equations change with the last digit
 * of u, and the next steps begin with a search that leads nowhere. An interior point method ends in
 * the middle of the solutions, where every contact that can stick does so with something to spare.
 * From there on a step is a residual, or one linear system.
 *
 * Such a search costs a hundred steps.  It is made at rest only, where it lasts, and the pause to
 * the next one, in steps, doubles each time until something moves.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "problem/delassus.h"
#include "sim/world_data.h"

static const double BEYOND = 1e-4; /* of that tolerance: the aim */
enum {
    FEW = 64,             /* blocks: with so few, iterations cost little */
    MORE_ITERATIONS = 30, /* towards the aim, on few blocks */
    MORE_STEPS = 6,       /* and on many, where they are Newton's */
    COARSE_MOST = 5000    /* blocks: with more, and a coarse tolerance, the aim is not tried */
};

/* Of (1) and (2): rounding enters in several places. */
static const double OF_IMPULSES = 1.5, OF_PLACES = 8;
static const double NUDGE = 0x1p-20; /* by which r is changed to see what rounding does */

static const double AT_REST = 1e-6; /* of its size, each second: slower is at rest */
static const double MOVES = 1e-3;   /* faster is in motion */
static const double HEAVY = 1e9;    /* operations of a factorisation: no middle with more */
static const double FAR = 3;        /* of the aim: nearer, there is nothing to gain */
/* Of the smallest body's size: what a contact may sink by in a step, and that over a coarse
 * tolerance. */
static const double DEEPEST = 8e-4, DEEPEST_OF_TOLERANCE = 0.4;
static const double ROUNDED = 1e-12; /* of the norm of q: no sweep makes a rate smaller */
static const double HOPELESS = 2;    /* of the tolerance: what rounding leaves */
enum { LONGEST_PAUSE = 4096 };
enum {
    AT_REST_ITERATIONS = 60
}; /* sweeps and Newton steps, before it is asked whether rounding is all that is left */

/* ---- how many digits count ------------------------------------------------------------------- */

/* 1 or -1, in a fixed order without a pattern. */
static double next_sign(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 31 ? 1 : -1;
}

/* The square of (1); world->start is written over. */
static mo_error impulse_rounding(mo_world *world, double *square)
{
    const mo_result *result = &world->result;
    const size_t rows = (size_t)result->row_count;
    double *u = mo_memory_array(&world->allocator, rows, sizeof *u), sum = 0;
    uint32_t state = 1;
    if (!u) {
        return MO_ERR_MEMORY;
    }
    for (size_t k = 0; k < rows; ++k) {
        world->start[k] = result->r[k] * (1 + NUDGE * next_sign(&state));
    }
    const mo_error error = mo_problem_response(world->problem, world->start, u);
    for (size_t k = 0; k < rows; ++k) {
        sum += (u[k] - result->u[k]) * (u[k] - result->u[k]);
    }
    mo_memory_free(&world->allocator, u);
    const double scale = OF_IMPULSES * DBL_EPSILON / NUDGE;
    *square = scale * scale * sum;
    return error;
}

/* The square of (2). */
static double place_rounding(const mo_world *world, double h)
{
    const double scale = OF_PLACES * DBL_EPSILON / h;
    double sum = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        if (contact->constraint != MO_NONE) {
            sum += mo_vec3_dot(contact->point, contact->point);
        }
    }
    return scale * scale * sum;
}

/* Both, relative as the residual is. */
static mo_error rounding_floor(mo_world *world, double h, double *floor)
{
    const mo_residual *residual = &world->result.residual;
    double square = 0;
    const mo_error error = impulse_rounding(world, &square);
    *floor = sqrt(square + place_rounding(world, h));
    if (residual->natural > 0) {
        *floor *= residual->natural_relative / residual->natural;
    }
    return error;
}

/* ---- once more from an answer ---------------------------------------------------------------- */

/* Solves again with these options and keeps the better answer; the one before is as good as the
 * tolerance. */
static mo_error solve_again(mo_world *world, mo_options *options, int from_answer)
{
    mo_result *result = &world->result;
    const size_t bytes = (size_t)result->row_count * sizeof *world->start;
    const int iterations = result->iterations;
    memcpy(world->start, result->r, bytes);
    options->start = from_answer ? world->start : NULL;
    mo_error error = mo_solve(world->problem, options, result);
    const int more = result->iterations;
    if (!error && !(result->residual.natural_relative <= world->def.solver.tol)) {
        *options = world->def.solver; /* what was there: it solves the problem */
        options->start = world->start;
        error = mo_solve(world->problem, options, result);
    }
    result->status = error ? result->status : MO_SOLVED;
    result->iterations = iterations + more;
    return error;
}

/* ---- the middle ------------------------------------------------------------------------------ */

/* Are all bodies slower than that of their sizes, each second? */
static int is_slower(const mo_world *world, double speed)
{
    const mo_result *result = &world->result;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->block == MO_NONE) {
            continue;
        }
        const double *v = result->v + world->problem->body_start[body->block];
        for (int i = 0; i < mo_body_dim(world->problem, body->block); ++i) {
            if (!(fabs(v[i]) <= speed * fmin(1, body->size))) {
                return 0;
            }
        }
    }
    return 1;
}

static int may_seek_middle(mo_world *world)
{
    mo_space space;
    double flops = INFINITY;
    if (!is_slower(world, MOVES)) {
        world->middle_pause = 1;
        return 0;
    }
    return is_slower(world, AT_REST) && mo_uses_auto(world) &&
           world->steps % (uint64_t)world->middle_pause == 0 &&
           !mo_delassus_choose(world->problem, &space, &flops) && flops <= HEAVY;
}

static mo_error seek_middle(mo_world *world, double aim)
{
    mo_options options = world->def.solver;
    options.method = "ipm";
    options.ipm.crossover = 0;
    options.tol = aim;
    options.max_iter = options.ipm.iterations;
    const mo_error error = solve_again(world, &options, 0);
    if (world->middle_pause < LONGEST_PAUSE) {
        world->middle_pause *= 2;
    }
    return error;
}

/* Has nothing moved before this step? */
static int was_at_rest(const mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        for (int i = 0; i < 6 && body->block != MO_NONE; ++i) {
            if (!(fabs(body->start_v[i]) <= MOVES * fmin(1, body->size))) {
                return 0;
            }
        }
    }
    return 1;
}

/* ---- together -------------------------------------------------------------------------------- */

/* Where the aim lies; at the residual where there is nothing to gain. */
static mo_error set_aim(mo_world *world, double h, double *aim)
{
    const double tol = world->def.solver.tol;
    const double residual = world->result.residual.natural_relative;
    const int blocks = mo_problem_constraint_count(world->problem);
    *aim = fmin(tol, MO_FINE_TOLERANCE) * BEYOND;
    if (tol > MO_FINE_TOLERANCE && (blocks > COARSE_MOST || !was_at_rest(world))) {
        *aim = residual;
    }
    if (residual <= *aim) {
        return MO_OK;
    }
    double floor = 0;
    const mo_error error = rounding_floor(world, h, &floor);
    *aim = fmax(*aim, fmin(floor, tol));
    return error;
}

static mo_error reach_aim(mo_world *world, int is_step, double aim)
{
    const int blocks = mo_problem_constraint_count(world->problem);
    mo_options options = world->def.solver;
    options.tol = aim;
    options.max_iter = blocks <= FEW ? MORE_ITERATIONS : MORE_STEPS;
    mo_error error = solve_again(world, &options, 1);
    if (!error && is_step && world->result.residual.natural_relative > FAR * aim &&
        may_seek_middle(world)) {
        error = seek_middle(world, aim);
    }
    return error;
}

/* A few iterations, and no more of them where all that is left is rounding: *is_over. */
static mo_error try_at_rest(mo_world *world, double h, mo_options options, int *is_over)
{
    mo_result *result = &world->result;
    double floor = 0;
    options.max_iter = AT_REST_ITERATIONS;
    mo_error error = mo_solve(world->problem, &options, result);
    *is_over = error || (result->status != MO_ITERATION_LIMIT && result->status != MO_STALLED);
    if (*is_over) {
        return error;
    }
    error = rounding_floor(world, h, &floor);
    *is_over =
        error || (result->residual.natural_relative <= floor && floor > HOPELESS * options.tol);
    if (*is_over) {
        result->status = MO_STALLED;
        snprintf(result->message.text, sizeof result->message.text,
                 "the rounding of the impulses alone makes a residual of %.1e: masses differ by "
                 "too much for this tolerance",
                 floor);
    }
    memcpy(world->start, result->r, (size_t)result->row_count * sizeof *world->start);
    return error;
}

static mo_error to_tolerance(mo_world *world, double h, int from_start)
{
    mo_options options = world->def.solver;
    int tried = 0;
    options.start = from_start ? world->start : NULL;
    if (from_start && mo_uses_auto(world) && options.max_iter > AT_REST_ITERATIONS &&
        was_at_rest(world)) {
        int is_over;
        const mo_error error = try_at_rest(world, h, options, &is_over);
        if (is_over) {
            return error;
        }
        tried = world->result.iterations;
    }
    const mo_error error = mo_solve(world->problem, &options, &world->result);
    world->result.iterations += tried;
    return error;
}

static mo_error solve(mo_world *world, double h, int from_start)
{
    mo_error error = to_tolerance(world, h, from_start);
    double aim;
    if (error || world->result.status != MO_SOLVED) {
        return error;
    }
    error = set_aim(world, h, &aim);
    return error || world->result.residual.natural_relative <= aim
               ? error
               : reach_aim(world, from_start, aim);
}

mo_error mo_find_impulses(mo_world *world, double h, int from_start, mo_message *why)
{
    const mo_error error = solve(world, h, from_start);
    if (error) {
        return mo_fail(why, error, "the step's contact problem was not taken: %.400s",
                       world->result.message.text);
    }
    return MO_OK;
}

/*
 * The residual is a norm over all contacts: a coarse tolerance may leave much of it to one, which
 * then sinks.  Sweeps go on from the answer until none sinks by more than DEEPEST of the smallest
 * body.
 */
mo_error mo_slow_penetration(mo_world *world, double h, int *is_better, mo_message *why)
{
    mo_options options = world->def.solver;
    mo_result *result = &world->result;
    const double depth = fmax(DEEPEST, DEEPEST_OF_TOLERANCE * options.tol);
    const int iterations = result->iterations;
    options.penetration_rate = depth * world->contacts.least / h;
    *is_better = result->status == MO_SOLVED && options.tol > MO_FINE_TOLERANCE &&
                 result->residual.penetration_rate.value > options.penetration_rate &&
                 options.penetration_rate > ROUNDED * result->residual.q_norm;
    if (!*is_better) {
        return MO_OK;
    }
    memcpy(world->start, result->r, (size_t)result->row_count * sizeof *world->start);
    options.start = world->start;
    const mo_error error = mo_solve(world->problem, &options, result);
    result->iterations += iterations;
    return error ? mo_fail(why, error, "%.400s", result->message.text) : MO_OK;
}
