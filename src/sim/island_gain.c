/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Energy that an inexact solution adds, island by island.
 *
 * A solution has u' r <= 0, so kinetic energies obey T+ <= T + A + P, with the work A = h F' v+ of
 * the forces and P = max(0, -w' r) of the corrections of position.  An inexact one may exceed this;
 * r then counts in P as far as it is inside of its cones.  Velocities are scaled by the largest
 *
 *     f <= 1   with   f^2 T+ <= T + f A + P,
 *
 * at which contacts with w_N >= 0 still hold: H' f v+ + w = f (H' v+ + w) + (1 - f) w.  At the end
 * of an unsolved step they are scaled again, by what a projection of positions has lifted bodies
 * beyond that.  Islands with joints, mechanisms or kinematic bodies, which may supply energy, are
 * left as they are.  Sums are multiples of 2^(e - 30) and 2^(e - 60), with 2^e above the largest
 * term: integers, whose sum depends neither on the order nor on the worlds of a team.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "problem/problem_data.h"
#include "sim/world_data.h"

enum { BEFORE, AFTER, WORK, CORRECTION };
enum { LIFT = BEFORE }; /* in the second sum */
enum { BITS = 30, LEAST = -2000, NOT_FINITE = 2000 /* exponents */ };

typedef void term_fn(mo_island_facts *island, int which, double x);

static void note_size(mo_island_facts *island, int which, double x)
{
    int exponent = LEAST;
    (void)which;
    if (!isfinite(x))
        exponent = NOT_FINITE;
    else if (x != 0)
        (void)frexp(x, &exponent);
    island->exponent = exponent > island->exponent ? exponent : island->exponent;
}

static void add_term(mo_island_facts *island, int which, double x)
{
    if (island->exponent < NOT_FINITE) {
        const double scaled = ldexp(x, BITS - (int)island->exponent), whole = rint(scaled);
        island->sum[2 * which] += (int64_t)whole;
        island->sum[2 * which + 1] += (int64_t)rint(ldexp(scaled - whole, BITS));
    }
}

static double sum_of(const mo_island_facts *island, int which)
{
    const int exponent = (int)island->exponent - BITS;
    return ldexp((double)island->sum[2 * which], exponent) +
           ldexp((double)island->sum[2 * which + 1], exponent - BITS);
}

static void take_body(const mo_world *world, const mo_sim_body *body, double h,
                      mo_island_facts *island, term_fn *take)
{
    const double *v = body->next_v;
    h *= body->part;
    take(island, BEFORE, mo_body_kinetic(world, body, body->start_v));
    take(island, AFTER, mo_body_kinetic(world, body, v));
    take(island, WORK,
         h * (body->mass * mo_vec3_dot(world->def.gravity, v) + mo_vec3_dot(body->force, v) +
              mo_vec3_dot(body->force + 3, v + 3)));
}

static void take_contact(const mo_world *world, const mo_sim_contact *contact, term_fn *take)
{
    mo_island_facts *island = mo_island_of_contact(world, contact);
    if (island && mo_contact_is_taken(contact)) {
        const int first = world->problem->row_start[contact->constraint],
                  rows = mo_constraint_dim(world->problem, contact->constraint);
        const double *w = world->problem->w + first, *r = world->result.r + first;
        const double normal = fmax(0, r[0]), most = normal > 0 ? contact->mu * normal : 0;
        const double size = rows > 2 ? hypot(r[1], r[2]) : rows > 1 ? fabs(r[1]) : 0;
        const double part = size > most ? most / size : 1;
        take(island, CORRECTION, -w[0] * normal);
        for (int k = 1; k < rows && k < 3; ++k)
            take(island, CORRECTION, -w[k] * part * r[k]);
    }
}

/* All terms of all islands; those of a ghost are its owner's. */
static void take_terms(const mo_world *world, double h, term_fn *take)
{
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        if (island && !body->is_ghost) take_body(world, body, h, island, take);
    }
    mo_pace();
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 512);
        take_contact(world, world->contacts.at + k, take);
    }
    mo_pace();
}

/* The same after a projection. */
static void take_lifts(const mo_world *world, double h, term_fn *take)
{
    (void)h;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        if (island && !body->is_ghost) {
            take(island, LIFT, body->lift);
            take(island, AFTER, mo_body_kinetic(world, body, body->v));
        }
    }
    mo_pace();
}

/* Are the energies comparable, and is the island without external work? */
static int is_known(const mo_island_facts *island)
{
    return !island->has_joints && !island->is_driven && island->exponent < NOT_FINITE;
}

/* f of an island. */
static double factor(const mo_island_facts *island)
{
    const double before = sum_of(island, BEFORE), after = sum_of(island, AFTER),
                 work = sum_of(island, WORK), all = before + fmax(0, sum_of(island, CORRECTION));
    if (!is_known(island) || !(after > all + work)) return 1;
    return fmin(1, (work + sqrt(work * work + 4 * after * all)) / (2 * after));
}

/* The same at the end of the step. */
static double factor_at_end(const mo_island_facts *island)
{
    const double after = sum_of(island, AFTER), lift = sum_of(island, LIFT);
    if (!is_known(island) || !(lift > island->loss)) return 1;
    return after > lift - island->loss ? sqrt(1 - (lift - island->loss) / after) : 0;
}

static mo_error add_up(mo_world *world, double h,
                       void (*terms)(const mo_world *world, double h, term_fn *take))
{
    for (int k = 0; k < world->body_places; ++k) {
        world->island[k].exponent = LEAST;
        memset(world->island[k].sum, 0, sizeof world->island[k].sum);
    }
    terms(world, h, note_size);
    MO_TRY(mo_islands_combine(world, MO_COMBINE_LARGEST, offsetof(mo_island_facts, exponent), 1));
    terms(world, h, add_term);
    return mo_islands_combine(world, MO_COMBINE_SUM, offsetof(mo_island_facts, sum),
                              2 * MO_GAIN_TERMS);
}

/* Scales these velocities of a body by f. */
static void scale(mo_world *world, mo_sim_body *body, double f, double v[6])
{
    if (f < 1 && !body->is_ghost) {
        const double removed = (1 - f * f) * mo_body_kinetic(world, body, v);
        world->step.report.energy_removed += removed;
        mo_vec3_scale(f, v, v);
        mo_vec3_scale(f, v + 3, v + 3);
    }
}

int mo_islands_gain(mo_world *world, double h, double part)
{
    int gains = mo_accuracy_islands(world) || add_up(world, h, take_terms);
    for (int k = 0; k < world->body_places && !gains; ++k) {
        const mo_island_facts *island = world->island + k;
        const double before = sum_of(island, BEFORE), after = sum_of(island, AFTER);
        mo_pace_every(k, 512);
        gains = island->exponent >= NOT_FINITE ||
                after - before - sum_of(island, WORK) - fmax(0, sum_of(island, CORRECTION)) >
                    part * (before + after);
    }
    mo_pace();
    return mo_team_any(world, gains);
}

mo_error mo_islands_remove_gain(mo_world *world, double h)
{
    if (world->def.first_order > 0) return MO_OK;
    MO_TRY(mo_accuracy_islands(world));
    MO_TRY(add_up(world, h, take_terms));
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        scale(world, body, island ? factor(island) : 1, body->next_v);
    }
    mo_pace();
    return MO_OK;
}

mo_error mo_islands_keep_loss(mo_world *world, double h)
{
    MO_TRY(mo_accuracy_islands(world));
    MO_TRY(add_up(world, h, take_terms));
    for (int k = 0; k < world->body_places; ++k) {
        mo_island_facts *island = world->island + k;
        mo_pace_every(k, 512);
        island->loss = sum_of(island, BEFORE) + sum_of(island, WORK) +
                       fmax(0, sum_of(island, CORRECTION)) - sum_of(island, AFTER);
    }
    return MO_OK;
}

mo_error mo_islands_remove_lift(mo_world *world)
{
    MO_TRY(add_up(world, 0, take_lifts));
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        scale(world, body, island ? factor_at_end(island) : 1, body->v);
    }
    mo_pace();
    return mo_team_share(world, MO_SHARED_POSE);
}
