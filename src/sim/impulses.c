/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The impulses of a step: what the simulator asks of mo_solve.
 *
 *   refine      the last digits that count, at a tolerance up to 1e-8 always, and at a coarser one
 *               where bodies are at rest: what is left to drift costs more later than the digits
 *   noise       the gaps of a step of h are rounded like the places x of the contacts, which moves
 *               u by eps |x| / h: no motion of rigid bodies removes that where contacts are
 *               redundant
 *   canonical   impulses of least norm.  They are those of the last step where nothing changed
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/world_data.h"
#include "solver/canonical.h"
#include "solver/refine.h"

enum {
    COARSE_MOST = 5000, /* blocks: with more, and a coarse tolerance, digits cost too much */
    SOME = 64           /* blocks: with more, canonical impulses of what moves cost too much */
};
static const double OF_PLACES = 8; /* of eps |x| / h: rounding enters in several places */
static const double MOVES = 1e-3;  /* of its size, each second: faster is in motion */
/* Of the smallest body's size: what a contact may sink by in a step, and that over a coarse
 * tolerance. */
static const double DEEPEST = 8e-4, DEEPEST_OF_TOLERANCE = 0.4;
static const double ROUNDED = 1e-12; /* of the norm of q: no sweep makes a rate smaller */

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
    return scale * sqrt(sum);
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

/* Is there a contact whose impulse was not found in the last step? */
static int has_new_contact(const mo_world *world)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        if (contact->is_new && contact->constraint != MO_NONE) {
            return 1;
        }
    }
    return 0;
}

static mo_options options_for(const mo_world *world, double h, int from_start)
{
    mo_options options = world->def.solver;
    const int is_coarse = options.tol > MO_FINE_TOLERANCE, was_still = was_at_rest(world);
    const int blocks = mo_problem_constraint_count(world->problem);
    options.start = from_start ? world->start : NULL;
    options.noise = place_rounding(world, h);
    if (!is_coarse || (blocks <= COARSE_MOST && was_still)) {
        options.refine =
            from_start && was_still && mo_uses_auto(world) ? MO_REFINE_REST : MO_REFINE_DIGITS;
    }
    if (!was_still && blocks > SOME) {
        options.canonical = MO_CANONICAL_NO;
    } else if (options.canonical && from_start && world->is_canonical && !has_new_contact(world)) {
        options.canonical = MO_CANONICAL_START;
    }
    return options;
}

mo_error mo_find_impulses(mo_world *world, double h, int from_start, mo_message *why)
{
    const mo_options options = options_for(world, h, from_start);
    const mo_error error = mo_solve(world->problem, &options, &world->result);
    world->is_canonical = options.canonical && world->result.status == MO_SOLVED;
    if (error) {
        return mo_fail(why, error, "the step's contact problem was not taken: %.400s",
                       world->result.message.text);
    }
    return MO_OK;
}

/*
 * The residual is a norm over all contacts: a coarse tolerance may leave much of it to one, which
 * then penetrates.  Sweeps go on from the answer until none penetrates by more than DEEPEST of the
 * smallest body.
 */
mo_error mo_slow_penetration(mo_world *world, double h, int *is_better, mo_message *why)
{
    mo_result *result = &world->result;
    const double tol = world->def.solver.tol,
                 rate = fmax(DEEPEST, DEEPEST_OF_TOLERANCE * tol) * world->contacts.least / h;
    const int iterations = result->iterations;
    *is_better = result->status == MO_SOLVED && tol > MO_FINE_TOLERANCE &&
                 result->residual.penetration_rate.value > rate &&
                 rate > ROUNDED * result->residual.q_norm;
    if (!*is_better) {
        return MO_OK;
    }
    mo_options options = options_for(world, h, 1);
    options.penetration_rate = rate;
    memcpy(world->start, result->r, (size_t)result->row_count * sizeof *world->start);
    const mo_error error = mo_solve(world->problem, &options, result);
    result->iterations += iterations;
    return error ? mo_fail(why, error, "%.400s", result->message.text) : MO_OK;
}
