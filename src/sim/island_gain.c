/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Energy that an inexact solution adds, island by island.
 *
 * A solution has u' r <= 0, so its kinetic energy T+ obeys T+ <= T + A(v+) + P with the work
 * A(v) = h F' v of the forces at the velocities v and P = max(0, -w' r) of the corrections of
 * position.  An inexact one may exceed this.  Its velocities are then scaled by the largest f <= 1
 * with
 *
 *     f^2 T+ <= T + f A(v+) + P.
 *
 * Contacts with w_N >= 0 remain satisfied: H' f v+ + w = f (H' v+ + w) + (1 - f) w.  Islands with
 * joints, mechanisms or kinematic bodies, which may supply energy, are left as they are.
 *
 * Sums are multiples of 2^(e - 30) and of 2^(e - 60), with 2^e above the largest term of an island:
 * integers, whose sum depends neither on the order of the terms nor on the worlds of a team that
 * have them.
 */
#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "problem/problem_data.h"
#include "sim/world_data.h"

enum { BEFORE, AFTER, WORK, CORRECTION };
enum { BITS = 30, LEAST = -2000, NOT_FINITE = 2000 /* exponents */ };

typedef void term_fn(mo_island_facts *island, int which, double x);

static void note_size(mo_island_facts *island, int which, double x)
{
    int exponent = LEAST;
    (void)which;
    if (!isfinite(x)) {
        exponent = NOT_FINITE;
    } else if (x != 0) {
        (void)frexp(x, &exponent);
    }
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
        const mo_problem *problem = world->problem;
        const int first = problem->row_start[contact->constraint],
                  end = problem->row_start[contact->constraint + 1];
        for (int k = first; k < end; ++k) {
            take(island, CORRECTION, -problem->w[k] * world->result.r[k]);
        }
    }
}

/* All terms of all islands; those of a ghost are its owner's. */
static void take_terms(const mo_world *world, double h, term_fn *take)
{
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        if (island && !body->is_ghost) {
            take_body(world, body, h, island, take);
        }
    }
    mo_pace();
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 512);
        take_contact(world, world->contacts.at + k, take);
    }
    mo_pace();
}

/* f of an island. */
static double factor(const mo_island_facts *island)
{
    const double before = sum_of(island, BEFORE), after = sum_of(island, AFTER),
                 work = sum_of(island, WORK), all = before + fmax(0, sum_of(island, CORRECTION));
    const int is_fed = island->has_joints || island->is_driven;
    if (is_fed || island->exponent == NOT_FINITE || !(after > all + work)) {
        return 1;
    }
    return fmin(1, (work + sqrt(work * work + 4 * after * all)) / (2 * after));
}

static mo_error add_up(mo_world *world, double h)
{
    MO_TRY(mo_accuracy_islands(world));
    for (int k = 0; k < world->body_places; ++k) {
        world->island[k].exponent = LEAST;
    }
    take_terms(world, h, note_size);
    MO_TRY(mo_islands_combine(world, MO_COMBINE_LARGEST, offsetof(mo_island_facts, exponent), 1));
    take_terms(world, h, add_term);
    return mo_islands_combine(world, MO_COMBINE_SUM, offsetof(mo_island_facts, sum),
                              2 * MO_GAIN_TERMS);
}

mo_error mo_islands_remove_gain(mo_world *world, double h)
{
    if (world->def.first_order > 0) {
        return MO_OK;
    }
    MO_TRY(add_up(world, h));
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const mo_island_facts *island = mo_island_of(world, world->living[k]);
        const double f = island ? factor(island) : 1;
        mo_pace_every(k, 256);
        if (f < 1 && !body->is_ghost) {
            world->step.report.energy_removed +=
                (1 - f * f) * mo_body_kinetic(world, body, body->next_v);
            mo_vec3_scale(f, body->next_v, body->next_v);
            mo_vec3_scale(f, body->next_v + 3, body->next_v + 3);
        }
    }
    mo_pace();
    return MO_OK;
}
