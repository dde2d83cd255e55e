/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The solve of a step: options that the simulator passes to mo_solve.
 *
 *   refine      to the last significant digits, always at tolerances up to 1e-8, and at coarser
 *               ones for bodies at rest: remaining drift costs more later
 *   noise       gaps are rounded like the positions x of the contacts, which changes u by
 *               eps |x| / h; with redundant contacts no rigid motion removes this
 *   canonical   least-norm impulses if there are contacts or loops; they equal those of the last
 *               step if nothing changed
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/mechanism.h"
#include "sim/world_data.h"
#include "solver/canonical.h"
#include "solver/refine.h"

enum {
    COARSE_MOST = 5000, /* blocks: with more, and a coarse tolerance, digits cost too much */
    SETTLING = 150,     /* sweeps near rest: each step goes on where the last ended */
    SWEEPS = 600,       /* and */
    STEPS = 10,         /* iterations of methods that factor: more for the last digits of a coarse
                           tolerance, or for a fine one near rest, cost too much */
    WORK = 200000,      /* constraints times iterations that factor, for the coarse tolerance: a
                           miss costs more, by compliant contacts and overlap */
    SHORT = 100,        /* iterations of a mechanism in motion; most steps take less than 20 */
    LANES = 1,          /* of ladder.skip */
    MOST_SPARED = 16,   /* steps without a solution: after so many, all methods try again */
    SOME = 64           /* blocks: beyond this, canonical impulses of moving bodies, and a finer
                           solution for the sake of a few contacts, cost too much */
};
static const double SETTLES = 0.1;   /* of what is aimed at, near rest */
static const double GAIN = 0.7;      /* on the residual, by SWEEPS iterations that are worth more */
static const double OF_PLACES = 8;   /* of eps |x| / h: rounding enters in several places */
static const double MOVES = 1e-3;    /* of its size, each second: faster is in motion */
static const double OF_START = 1e-6; /* relative tolerance of impulses that only start a solve */
/* Of the smallest body's size: how far a contact may penetrate in a step, from a fine to a coarse
 * tolerance, of which it is a part.  Below the overlap that a step may leave (1e-3) no projection
 * of positions is needed; large heaps need twice the sweeps for it. */
static const double FINER = 0.1; /* of the tolerance, where a solution leaves more than that */
/* Of rounds that show which contacts and overlaps the next one is to have: on the tolerance, which
 * it makes at most so large, and on LEAST_DEPTH, still below the overlap that asks for another
 * round (step.c).  The latter also of the last round, if it follows others for overlaps: a
 * projection of positions then removes what is left, at less cost than sweeps. */
static const double ROUGH = 10, ROUGHEST = 0.1;
/* Of its size: a body that hits something so fast that it moves so far in the step is turned by as
 * many radians, and may end the step inside of that by half the square. */
static const double HITS = 0.2;
static const double LEAST_DEPTH = 8e-4, MOST_DEPTH = 2e-3, DEPTH_OF_TOLERANCE = 0.4;
/* The overlap that a step may leave grows with the depth to here: with 2e-3 its mean in heaps at
 * coarse tolerances is above 2e-3 of a radius (test_overlap). */
static const double MOST_OVERLAP_DEPTH = 1.2e-3;

double mo_place_rounding(double squares, double h)
{
    return OF_PLACES * DBL_EPSILON / h * sqrt(squares);
}

static double place_rounding(const mo_world *world, double h)
{
    double sum = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_pace_every(k, 512);
        if (mo_contact_is_taken(contact) && !mo_is_coarse(world, contact))
            sum += mo_vec3_dot(contact->point, contact->point);
    }
    mo_pace();
    return mo_place_rounding(sum, h);
}

/* Whether nothing moved before this step in the part to be solved finely. */
static int was_at_rest(const mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 512);
        for (int i = 0; i < 6 && mo_is_touched(world, body) && body->accuracy != MO_COARSE; ++i)
            if (!(fabs(body->start_v[i]) <= MOVES * fmin(1, body->size))) return 0;
    }
    return 1;
}

/* Is nothing in motion at all? */
static int is_still(const mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 512);
        for (int i = 0; i < 6 && mo_is_touched(world, body); ++i)
            if (body->start_v[i] != 0) return 0;
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        const mo_sim_mechanism *mechanism = world->mechanism[k];
        for (int i = 0; mechanism && i < mechanism->tree.dofs; ++i)
            if (mechanism->start_v[i] != 0) return 0;
    }
    return 1;
}

/* Is there a contact whose impulse was not found in the last step? */
static int has_new_contact(const mo_world *world)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_pace_every(k, 512);
        if (contact->is_new && mo_contact_is_taken(contact)) return 1;
    }
    return 0;
}

/* Does a shape change its outline when it turns? */
static int is_turned(const mo_world *world, int shape)
{
    return world->near[shape].moves && !world->near[shape].is_central;
}

/* Is there a new contact that closes fast, of a shape that it may turn into the other? */
static int has_hit(const mo_world *world, double h)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_pace_every(k, 512);
        if (contact->is_new && mo_contact_is_taken(contact) &&
            (is_turned(world, contact->shape[0]) || is_turned(world, contact->shape[1])) &&
            -h * mo_contact_approach(world, contact) > HITS * contact->size)
            return 1;
    }
    return 0;
}

/* The tolerance of this round. */
static double round_tolerance(const mo_world *world, double tol)
{
    const double finer = world->step.finer_tol > 0 ? fmin(tol, world->step.finer_tol) : tol;
    return world->step.is_rough ? fmax(tol, fmin(ROUGH * tol, ROUGHEST)) : finer;
}

static int has_joints(const mo_world *world)
{
    return world->jointed_count > 0 || world->mechanism_count > 0;
}

/* A large step with impacts is likely to take another round. */
static int is_rough(const mo_world *world, double h)
{
    return world->step.rough_rounds > 0 && isfinite(h) && !has_joints(world) &&
           world->step.tol > MO_FINE_TOLERANCE && world->step.tol < ROUGHEST &&
           mo_team_constraints(world) > SOME && mo_team_any(world, has_hit(world, h));
}

/* Impacts have all the time that they need. */
static mo_options base_options(const mo_world *world, double h)
{
    mo_options options = world->def.solver;
    if (world->step.most_iterations > 0 && options.max_iter > world->step.most_iterations)
        options.max_iter = world->step.most_iterations;
    options.tol = round_tolerance(world, options.tol);
    options.time_limit = isfinite(h) ? mo_step_share(world) : INFINITY;
    options.cancel = &world->step.is_given_up;
    return options;
}

static mo_options options_for(const mo_world *world, double h, int from_start)
{
    mo_options options = base_options(world, h);
    const int is_coarse = options.tol > MO_FINE_TOLERANCE,
              was_still = !mo_team_any(world, !was_at_rest(world));
    const int64_t blocks = mo_team_constraints(world) - world->step.coarse_count;
    options.start = from_start ? world->start : NULL;
    mo_pace();
    if (!is_coarse || (blocks <= COARSE_MOST && was_still)) {
        options.noise = place_rounding(world, h);
        options.refine =
            from_start && was_still && mo_uses_auto(world) ? MO_REFINE_REST : MO_REFINE_DIGITS;
    }
    const int has_choice =
        world->jointed_count > 0 || mo_team_any(world, world->contacts.count > 0);
    if ((!was_still && blocks > SOME) || (world->team && blocks > COARSE_MOST) || !has_choice)
        options.canonical = MO_CANONICAL_NO;
    else if (options.canonical && from_start && world->canonical &&
             !mo_team_any(world, has_new_contact(world)))
        options.canonical = MO_CANONICAL_START;
    return options;
}

/* Do the impulses of the last step solve this one as they are?  Tried where nothing moves at all
 * (accuracy.c). */
static mo_error keep_start(mo_world *world, const mo_options *options, int *does)
{
    mo_options own = *options;
    *does = 0;
    if (options->canonical == MO_CANONICAL_YES || !options->start ||
        mo_team_any(world, !is_still(world)))
        return MO_OK;
    own.refine = MO_REFINE_NONE;
    own.canonical = MO_CANONICAL_NO;
    own.max_iter = 0;
    const mo_error error = mo_team_solve(world, &own);
    *does = world->result.status == MO_SOLVED;
    return error;
}

/* Is what a solve has left a solution to the tolerance and the rate of the options? */
static int is_within(const mo_result *result, const mo_options *options)
{
    return result->residual.natural_relative <= options->tol &&
           result->residual.penetration_rate.value <= options->penetration_rate;
}

/* Solves on from the impulses of the result. */
static mo_error solve_on(mo_world *world, mo_options *options)
{
    mo_result *result = &world->result;
    const int iterations = result->iterations;
    memcpy(world->start, result->r, (size_t)result->row_count * sizeof *world->start);
    options->start = world->start;
    MO_TRY(mo_team_solve(world, options));
    result->iterations += iterations;
    return MO_OK;
}

static int has_missed(const mo_result *result)
{
    return result->status == MO_STALLED || result->status == MO_ITERATION_LIMIT;
}

/* A solve that ended before the tolerance it aimed at has solved the problem if it meets these. */
static void accept_within(mo_result *result, const mo_options *options)
{
    if ((has_missed(result) || result->status == MO_TIME_LIMIT) && is_within(result, options)) {
        result->status = MO_SOLVED;
        result->message.text[0] = '\0';
    }
}

int mo_step_is_spared(const mo_world *world)
{
    const int misses = (int)mo_team_largest(world, world->step.misses);
    return misses % MOST_SPARED != 0 && (misses & (misses - 1)) != 0;
}

/*
 * To a coarse tolerance.  First to the part of it that is aimed at, in SWEEPS iterations, of which
 * STEPS factor.  If these miss the tolerance, too, as many more for that, while they gain; then
 * iterations that factor, by WORK.
 */
static mo_error solve_coarse(mo_world *world, double h, const double *start, double rate)
{
    mo_result *result = &world->result;
    mo_options options = base_options(world, h);
    const int most = options.max_iter, is_auto = mo_uses_auto(world);
    const int sweeps = world->step.is_settling ? SETTLING : SWEEPS;
    const int is_short = mo_team_any(world, world->has_driven) && /* else it has a solution */
                         (world->step.smooth > 0 || mo_step_is_spared(world)),
              goes_on = is_auto && !is_short;
    double before = INFINITY;
    options.tol = round_tolerance(world, world->step.tol);
    options.tol *= world->step.is_settling ? SETTLES : 1;
    options.start = start;
    options.canonical = MO_CANONICAL_NO;
    options.penetration_rate = rate;
    options.ladder.steps = is_short ? 1 : STEPS;
    options.max_iter = is_auto && most > sweeps ? sweeps : most;
    MO_TRY(mo_team_solve(world, &options));
    options.tol = round_tolerance(world, mo_accuracy_tolerance(world));
    options.max_iter = most > SWEEPS ? SWEEPS : most;
    accept_within(result, &options);
    while (goes_on && has_missed(result) && result->residual.natural_relative < GAIN * before) {
        before = result->residual.natural_relative;
        MO_TRY(solve_on(world, &options));
    }
    if (goes_on && has_missed(result)) {
        const int steps = WORK / mo_problem_constraint_count(world->problem);
        options.ladder.steps = steps > STEPS ? steps : STEPS;
        options.ladder.skip |= LANES;
        options.max_iter = most;
        MO_TRY(solve_on(world, &options));
    }
    world->step.has_missed = has_missed(result);
    if (is_short && has_missed(result)) {
        const mo_message message = result->message;
        mo_say(&result->message,
               "%.400s; other methods were not tried: solves before this one failed, too",
               message.text);
    }
    return MO_OK;
}

/* The whole to the coarse tolerance, then the islands that are to be fine.  Those that are tried
 * have few iterations. */
static mo_error solve_by_accuracy(mo_world *world, double h, const mo_options *fine, double rate)
{
    mo_step *step = &world->step;
    const int all = mo_problem_constraint_count(world->problem);
    const int has_fine = step->coarse_count + step->tried_count < all;
    MO_TRY(solve_coarse(world, h, fine->start, rate));
    if (step->is_rough) return MO_OK;
    MO_TRY(has_fine ? mo_accuracy_solve(world, MO_FINE, fine) : MO_OK);
    if (step->tried_count > 0) {
        mo_options few = *fine;
        few.ladder.steps = STEPS;
        few.canonical = MO_CANONICAL_NO;
        MO_TRY(mo_accuracy_solve(world, MO_TRIED, &few));
    }
    step->tol = step->coarse_count > 0 ? step->tol : world->def.solver.tol;
    return MO_OK;
}

/* Is the coarse tolerance reached, and this one? */
static int is_loosely_solved(mo_world *world, const mo_options *options, double most)
{
    mo_options own = *options;
    world->step.is_loose = 1;
    own.tol = fmin(mo_accuracy_tolerance(world), most);
    world->step.is_loose = is_within(&world->result, &own);
    return world->step.is_loose;
}

/*
 * Fine.  A mechanism in motion has SHORT iterations, and keeps OF_START: redundant contacts may end
 * above the fine tolerance.  One with many contacts has STEPS iterations that factor at a time,
 * while they gain, and keeps the coarse tolerance, as heaps do.  Then all that are allowed.
 */
static mo_error solve_fine(mo_world *world, double h, const mo_options *options)
{
    mo_result *result = &world->result;
    int may_be_loose = world->mechanism_count > 0 && mo_uses_auto(world) &&
                       mo_accuracy_coarse(world, h) > options->tol &&
                       options->refine != MO_REFINE_REST;
    double before = INFINITY, most = OF_START;
    mo_options own = *options;
    world->step.is_loose = 0;
    own.ladder.steps = may_be_loose ? STEPS : own.ladder.steps;
    own.max_iter = may_be_loose && own.max_iter > SHORT ? SHORT : own.max_iter;
    MO_TRY(mo_team_solve(world, &own));
    for (; may_be_loose && has_missed(result); most = INFINITY) {
        if (is_loosely_solved(world, options, most)) {
            result->status = MO_SOLVED;
            result->message.text[0] = '\0';
            break;
        }
        may_be_loose =
            mo_team_constraints(world) > SOME && result->residual.natural_relative < GAIN * before;
        before = result->residual.natural_relative;
        own.max_iter = options->max_iter;
        own.ladder.steps = may_be_loose ? STEPS : options->ladder.steps;
        MO_TRY(solve_on(world, &own));
    }
    return MO_OK;
}

static mo_error solve(mo_world *world, double h, int from_start, double rate)
{
    mo_options options = options_for(world, h, from_start);
    const int is_fine = world->step.coarse_count + world->step.tried_count == 0;
    int is_kept = 0;
    mo_error error;
    if (is_fine) {
        options.penetration_rate = rate;
        error = keep_start(world, &options, &is_kept);
        error = error || is_kept ? error : solve_fine(world, h, &options);
    } else {
        error = solve_by_accuracy(world, h, &options, rate);
    }
    const int solved = is_fine && options.canonical && world->result.status == MO_SOLVED;
    if (!solved)
        world->canonical = MO_CANONICAL_UNKNOWN;
    else if (!is_kept && world->result.is_canonical != MO_CANONICAL_START)
        world->canonical = world->result.is_canonical ? MO_CANONICAL_FOUND : MO_CANONICAL_MISSED;
    if (isfinite(h)) world->step.report.is_canonical = world->canonical == MO_CANONICAL_FOUND;
    return error;
}

/* If its time ends before there is an acceptable result, it continues with more. */
static mo_error solve_in_time(mo_world *world, double h, int from_start, double rate)
{
    mo_result *result = &world->result;
    mo_error error = solve(world, h, from_start, rate);
    while (!error && mo_step_needs_time(world, h)) {
        const int iterations = result->iterations;
        world->step.tries++;
        memcpy(world->start, result->r, (size_t)result->row_count * sizeof *world->start);
        error = solve(world, h, 1, rate);
        result->iterations += iterations;
    }
    return error;
}

/*
 * The residual is a norm over all contacts: a coarse tolerance may leave much of it to one, which
 * then penetrates.  Of steps alone: impacts have no length.
 */
double mo_depth_at(double tol)
{
    return fmax(LEAST_DEPTH, fmin(MOST_DEPTH, DEPTH_OF_TOLERANCE * tol));
}

/* It grows with the depth that the tolerance of the world leaves in a step. */
double mo_overlap_limit(const mo_world *world)
{
    return world->def.overlap * fmin(mo_depth_at(world->def.solver.tol), MOST_OVERLAP_DEPTH) /
           LEAST_DEPTH;
}

double mo_step_depth(const mo_world *world)
{
    return world->step.tol > MO_FINE_TOLERANCE ? mo_depth_at(world->step.tol) : 0;
}

/* The same in m/s, of this round. */
static double largest_rate(const mo_world *world, double h)
{
    const double rate = world->def.solver.penetration_rate;
    const int is_projected = !has_joints(world) && mo_team_any(world, world->step.late_count);
    double depth = mo_step_depth(world);
    depth = depth > 0 && (world->step.is_rough || is_projected) ? ROUGH * LEAST_DEPTH : depth;
    return depth > 0 && isfinite(h) ? fmin(rate, depth * world->contacts.least / h) : rate;
}

/* Methods other than sweeps look at the residual alone: a solution that leaves a contact or a joint
 * with more than the rate is improved, to a finer tolerance.  It is a solution also if that one is
 * missed.  In heaps the projection of positions costs less. */
static mo_error meet_rate(mo_world *world, double h, double rate)
{
    mo_result *result = &world->result;
    const double asked = world->step.finer_tol;
    const double coarsest = asked > 0 ? asked : world->step.tol;
    double tol = coarsest;
    mo_error error = MO_OK;
    if (mo_team_constraints(world) > SOME) return MO_OK;
    while (!error && result->status == MO_SOLVED && tol > MO_FINE_TOLERANCE &&
           result->residual.penetration_rate.value > rate) {
        const int iterations = result->iterations;
        tol = world->step.finer_tol = fmax(MO_FINE_TOLERANCE, FINER * tol);
        memcpy(world->start, result->r, (size_t)result->row_count * sizeof *world->start);
        error = solve_in_time(world, h, 1, rate);
        result->iterations += iterations;
    }
    world->step.finer_tol = asked;
    if (!error && result->residual.natural_relative <= coarsest) result->status = MO_SOLVED;
    return error;
}

static mo_error fail(const mo_world *world, mo_error error, mo_message *why)
{
    return mo_fail(why, error, "the step's contact problem was not taken: %.400s",
                   world->result.message.text);
}

mo_error mo_find_start(mo_world *world, double h, mo_message *why)
{
    mo_options options = base_options(world, h);
    options.start = world->start;
    options.tol = fmax(options.tol, OF_START);
    options.canonical = MO_CANONICAL_NO;
    const mo_error error = mo_team_solve(world, &options);
    return error ? fail(world, error, why) : MO_OK;
}

mo_error mo_find_impulses(mo_world *world, double h, int from_start, mo_message *why)
{
    world->step.is_rough = is_rough(world, h);
    world->step.rough_rounds -= world->step.is_rough;
    const double rate = largest_rate(world, h);
    mo_error error = solve_in_time(world, h, from_start, rate);
    error = error ? error : meet_rate(world, h, rate);
    world->step.missed += has_missed(&world->result) || world->result.status == MO_NO_SOLUTION;
    return error ? fail(world, error, why) : MO_OK;
}
