/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The forces of a piece of a step: those of its first instant (forces_instant.c) act for its length
 * d, v+ = v + d a.
 *
 *   rows at rest    remove their velocity in d, and in the whole step a part of their gap, so
 *                   integration errors do not accumulate
 *   sliding         friction opposes the present velocity.  A contact whose sliding would reverse
 *                   within d becomes a rolling one, and the instant is solved again
 *   mechanisms      limits and actuators that the solution violates are added, and the instant is
 *                   solved again
 *   no forces       the impulse of this state, if it is significant; otherwise, and after
 *                   MOST_IMPULSES in a step, sliding contacts have friction opposite to the
 *                   velocity at the end of the piece, as in a time step of d
 */
#include "sim/forces_piece.h"

#include <math.h>

#include "base/error.h"
#include "linalg/dense.h"

enum { MOST_TURNS = 8, MOST_IMPULSES = 10 };
enum { BRIEF = 100, PIVOTED_ROWS = 100 }; /* sweeps and pivots where contacts slide */
static const double TOUCHES = 1e-4;       /* of the smaller shape */
static const double GAP_BACK = 0.2;       /* fraction of a gap that is closed in a step ... */
static const double RECOVERY = 0.01;      /* ... and at most this part of a shape */

static double smaller_size(const mo_world *world, const mo_sim_contact *contact)
{
    return fmin(world->shape[contact->shape[0]].collider.size,
                world->shape[contact->shape[1]].collider.size);
}

int mo_piece_touches(const mo_world *world, const mo_sim_contact *contact)
{
    return contact->gap <= TOUCHES * smaller_size(world, contact);
}

/* Gaps and joint errors are reduced by GAP_BACK gap / h: w gains that over d. */
static void reduce_gaps(mo_piece *p)
{
    const double back = GAP_BACK / p->h * p->instant.per_step;
    for (int k = 0; k < p->world->jointed_count; ++k) {
        const int place = p->world->jointed[k];
        mo_joint_rows rows;
        mo_joint_hold(p->world, p->world->joint + place, &rows);
        mo_axpy(rows.count, back, rows.error, p->instant.joint[place].hold);
    }
    for (int k = 0; k < p->world->contacts.count; ++k) {
        const mo_sim_contact *contact = p->world->contacts.at + k;
        const double most = RECOVERY * smaller_size(p->world, contact);
        p->instant.contact[k].drift[0] += back * fmax(contact->gap, -most);
    }
}

/* Contacts whose sliding would reverse within the piece stop in it; returns their number. */
static int stop_turning(mo_piece *p)
{
    const mo_world *world = p->world;
    int count = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_contact_instant *at = p->instant.contact + k;
        const mo_sim_contact *contact = world->contacts.at + k;
        if (!mo_contact_is_taken(contact) || !at->is_sliding || !(contact->mu > 0)) continue;
        const mo_constraint_view view = mo_problem_constraint(world->problem, contact->constraint);
        const double *a = world->result.u + view.offset, *u = p->instant.rate[k][1];
        double along = 0;
        for (int i = 0; i < view.dim - 1; ++i)
            along += at->direction[i] * (u[1 + i] + a[1 + i] / p->instant.per_step);
        if (along < 0) {
            at->is_sliding = 0;
            mo_instant_stop(&p->instant, k, 1, 3);
            ++count;
        }
    }
    return count;
}

static void keep_touching(mo_world *world)
{
    int kept = 0;
    for (int k = 0; k < world->contacts.count; ++k)
        if (mo_piece_touches(world, world->contacts.at + k))
            world->contacts.at[kept++] = world->contacts.at[k];
    world->contacts.count = kept;
}

/* With sliding contacts there may be no forces, so the search is short. */
static mo_error solve_sliding(mo_piece *p, const mo_force_options *options, mo_message *why)
{
    mo_force_options own = *options;
    own.solver.max_iter = own.solver.max_iter < BRIEF ? own.solver.max_iter : BRIEF;
    own.solver.method = own.solver.method ? own.solver.method : "auto";
    mo_error error = mo_instant_solve(p->world, &own, &p->forces, why);
    if (!error && p->forces.status != MO_SOLVED && !p->options.solver.method &&
        mo_problem_row_count(p->world->problem) <= PIVOTED_ROWS) {
        own.solver.method = "dantzig";
        error = mo_instant_solve(p->world, &own, &p->forces, why);
        error = error == MO_ERR_UNSUPPORTED ? MO_OK : error;
    }
    return error;
}

/* The forces of the last step. */
static const double *start_of(mo_world *world)
{
    const double per_step = world->last_step > 0 ? 1 / world->last_step : 0;
    mo_scale(mo_problem_row_count(world->problem), per_step, world->start);
    return world->start;
}

static mo_error solve(mo_piece *p, mo_message *why)
{
    MO_TRY(mo_instant_assemble(p->world, &p->instant, why));
    MO_TRY(mo_mechanisms_check(p->world, why));
    mo_force_options own = p->options;
    own.solver.start = start_of(p->world);
    return p->forces.sliding > 0 ? solve_sliding(p, &own, why)
                                 : mo_instant_solve(p->world, &own, &p->forces, why);
}

/* Sliding contacts have friction opposite to the velocity at the end of the piece, as in a time
 * step: that has a solution. */
static void stop_all(mo_piece *p)
{
    for (int k = 0; k < p->world->contacts.count; ++k) {
        if (p->instant.contact[k].is_sliding) {
            p->instant.contact[k].is_sliding = 0;
            mo_instant_stop(&p->instant, k, 1, 3);
        }
    }
}

/* Without forces: an impulse, if it is significant; a limited number of times. */
static mo_error do_without(mo_piece *p, mo_message *why)
{
    if (p->impulses < MOST_IMPULSES && !p->is_last) {
        mo_force_options own = p->options;
        own.solver.method = own.solver.method ? own.solver.method : "auto";
        const mo_error error =
            mo_instant_impulse(p->world, &own, p->options.speed, &p->forces, why);
        if (error || p->forces.is_impulsive) {
            p->impulses++;
            return error;
        }
    }
    stop_all(p);
    return solve(p, why);
}

mo_error mo_piece_forces(mo_piece *p, mo_message *why)
{
    keep_touching(p->world);
    MO_FAIL_IF(mo_instant_make(p->world, &p->instant), mo_fail_memory(why));
    mo_instant_classify(p->world, &p->instant, &p->forces);
    MO_FAIL_IF(mo_instant_drift(p->world, &p->instant), mo_fail_memory(why));
    reduce_gaps(p);
    mo_error error = solve(p, why);
    for (int turn = 0; turn < MOST_TURNS && !error && !p->forces.is_impulsive; ++turn) {
        if (p->forces.status != MO_SOLVED && p->forces.sliding > 0) {
            p->forces.sliding = 0;
            error = do_without(p, why);
        } else if (stop_turning(p) + mo_instant_look_again(p->world, &p->instant) > 0) {
            error = solve(p, why);
        } else {
            break;
        }
    }
    return error;
}
