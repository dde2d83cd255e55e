/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Tolerances of a step, chosen by the motion.
 *
 * A tolerance is an error of the contact velocities relative to g h, in the root mean square.
 * Islands of dynamic bodies with more than FEW contacts are, with their joints,
 *
 *   coarse   in motion, some body faster than `moving_tol` leaves it: solved to that
 *   tried    slower: coarse in most steps; in one of TRIES, and after a success, also to solver.tol
 *   fine     at rest, or touched by a kinematic body: to solver.tol
 *
 * and all others are fine.  The gaps that a coarse tolerance leaves, and that no rigid motion can
 * close together where contacts are redundant, count as zero in islands that are not in motion.
 *
 * Rest.  An island that starts and ends a step with velocities below those that solver.tol leaves
 * is at rest; its velocities become zero, and the impulses of the last step solve the next one.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/union_find.h"
#include "linalg/vec3.h"
#include "problem/islands.h"
#include "problem/views.h"
#include "sim/mechanism.h"
#include "sim/world_data.h"
#include "solver/refine.h"

enum {
    FEW = 64, /* contacts of an island: up to this many, digits are cheap */
    TRIES = 8 /* steps over which the cost of an island near rest is spread */
};
/* Relative to moving_tol: the aim while it is cheap (impulses.c). */
static const double AIM = 0.1;
static const double MOVES = 1e-3;   /* sizes per second: faster bodies are in motion */
static const double NOISE = 3;      /* of the velocity that the coarse tolerance leaves, tol g h */
static const double REST = 1e-8;    /* largest tolerance by which rest is judged */
static const double RESTS = 1e-6;   /* above this tolerance rest and motion are not distinguished */
static const double OF_SIZE = 1e-3; /* of the smallest body: displacement by that velocity */

/* ---- choice of islands ----------------------------------------------------------------------- */

double mo_accuracy_coarse(const mo_world *world, double h)
{
    const mo_world_def *def = &world->def;
    const double g = mo_vec3_norm(def->gravity), aim = AIM * def->moving_tol;
    const int may_be_coarse = isfinite(h) && def->solver.tol == mo_default_options().tol &&
                              aim * g * h * h <= OF_SIZE * world->contacts.least;
    return may_be_coarse ? fmax(def->solver.tol, aim) : def->solver.tol;
}

double mo_accuracy_tolerance(const mo_world *world)
{
    const double tol = world->def.solver.tol;
    const int is_coarse = world->step.tol > tol || world->step.is_loose;
    return is_coarse ? fmax(tol, world->def.moving_tol) : tol;
}

/* Of the fastest point, at most; without shapes, of one at the radius of gyration. */
static double speed(const mo_sim_body *body, const double v[6])
{
    const double *J = body->inertia;
    const double size = body->size > 0   ? body->size
                        : body->mass > 0 ? sqrt((J[0] + J[4] + J[8]) / body->mass)
                                         : 1;
    return mo_vec3_norm(v) + size * mo_vec3_norm(v + 3);
}

/* The velocity error of one contact of an island at a tolerance. */
static double noise(const mo_world *world, const mo_island_facts *island, double tol, double h)
{
    return NOISE * tol * mo_vec3_norm(world->def.gravity) * h * sqrt((double)island->contacts);
}

static void join(const mo_world *world, int a, int b)
{
    if (a >= 0 && b >= 0 && world->leader[a] != MO_NONE && world->leader[b] != MO_NONE)
        mo_set_unite(world->leader, a, b, NULL);
}

/* Islands by their leaders, of contacts that take part and joints. */
static mo_error find_islands(mo_world *world)
{
    const size_t places = (size_t)world->body_places;
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->leader, world->leader_room, places + 1) ||
                   !MO_GROW(&world->allocator, world->island, world->island_room, places + 1),
               MO_ERR_MEMORY);
    for (int k = 0; k < world->body_places; ++k) {
        const mo_sim_body *body = world->body + k;
        mo_pace_every(k, 512);
        world->leader[k] = body->generation && mo_moves_freely(body) ? k : MO_NONE;
        world->island[k] = (mo_island_facts){0};
    }
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_pace_every(k, 512);
        if (mo_contact_is_taken(contact)) join(world, contact->body[0], contact->body[1]);
    }
    mo_pace();
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        join(world, joint->body[0], joint->body[1]);
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        const mo_sim_mechanism *mechanism = world->mechanism[k];
        for (int i = 1; mechanism && i < mechanism->tree.links; ++i)
            join(world, mechanism->body[0], mechanism->body[i]);
    }
    return MO_OK;
}

mo_island_facts *mo_island_of(const mo_world *world, int body)
{
    return world->leader[body] == MO_NONE ? NULL : world->island + mo_set_root(world->leader, body);
}

mo_island_facts *mo_island_of_contact(const mo_world *world, const mo_sim_contact *contact)
{
    mo_island_facts *island = mo_island_of(world, contact->body[0]);
    return island ? island : mo_island_of(world, contact->body[1]);
}

static void look_at_islands(mo_world *world)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_island_facts *island = mo_island_of_contact(world, contact);
        mo_pace_every(k, 512);
        if (island && mo_contact_is_taken(contact)) {
            ++island->contacts;
            island->is_driven |= mo_is_driven(world->body + contact->body[0]) ||
                                 mo_is_driven(world->body + contact->body[1]);
        }
    }
    mo_pace();
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 512);
        if (island)
            island->has_joints |= body->mechanism != MO_NONE || body->first_joint != MO_NONE;
    }
}

/* The least id of the bodies of each island, of all worlds of a team: it passes from body to body
 * within a world, and with their copies from world to world. */
static mo_error name_islands(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        world->body[world->living[k]].island = world->body[world->living[k]].id;
        if (island) island->name = UINT32_MAX;
    }
    for (int differs = 1; differs;) {
        differs = 0;
        for (int pass = 0; pass < 3; ++pass) {
            for (int k = 0; k < world->living_count; ++k) {
                uint32_t *own = &world->body[world->living[k]].island;
                mo_island_facts *island = mo_island_of(world, world->living[k]);
                if (island && pass == 0)
                    island->name = *own < island->name ? *own : island->name;
                else if (island && pass == 1)
                    *own = island->name;
                else
                    differs |= island && *own != island->name;
            }
            MO_TRY(pass == 1 ? mo_team_share(world, MO_SHARED_ISLAND) : MO_OK);
        }
        differs = mo_team_any(world, differs);
    }
    return MO_OK;
}

mo_error mo_accuracy_islands(mo_world *world)
{
    MO_TRY(mo_team_agree(world, find_islands(world), NULL));
    look_at_islands(world);
    mo_pace();
    return world->team ? name_islands(world) : MO_OK;
}

mo_error mo_islands_combine(mo_world *world, mo_combine how, size_t offset, int width)
{
    if (!world->team) return MO_OK;
    const size_t places = (size_t)world->body_places + 1, bytes = (size_t)width * sizeof(int64_t);
    uint32_t *name = mo_memory_array(&world->allocator, places, sizeof *name);
    int64_t *value = mo_memory_array(&world->allocator, places, bytes);
    int count = 0;
    mo_error error = mo_team_agree(world, name && value ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; k < world->body_places && !error; ++k) {
        if (world->leader[k] == k) {
            name[count] = world->island[k].name;
            memcpy(value + width * count++, (const char *)(world->island + k) + offset, bytes);
        }
    }
    error = error ? error : world->team->combine(world->team->user, how, count, name, width, value);
    for (int k = 0, next = 0; k < world->body_places && !error; ++k)
        if (world->leader[k] == k)
            memcpy((char *)(world->island + k) + offset, value + width * next++, bytes);
    MO_FREE(&world->allocator, name, value);
    return error;
}

/* Islands that move faster than the error of the coarse tolerance, and the speeds of all. */
static void find_motion(mo_world *world, double tol, double h)
{
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        if (island) {
            const double v = speed(body, body->start_v);
            const double most = fmax(MOVES * fmin(1, body->size), noise(world, island, tol, h));
            island->moves |= !(v <= most);
            island->was_coarse |= body->was_coarse;
            island->fastest = fmax(island->fastest, v);
        }
    }
    mo_pace();
}

static mo_accuracy accuracy_of(const mo_world *world, const mo_island_facts *island)
{
    if (island->contacts <= FEW) return MO_FINE;
    if (island->moves) return MO_COARSE;
    if (island->is_driven || island->fastest == 0) return MO_FINE;
    return !island->was_coarse || world->steps % TRIES == 0 ? MO_TRIED : MO_COARSE;
}

static void set_accuracy(mo_world *world, double tol, double h)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 512);
        if (island) {
            const int is_slack = !island->moves && island->contacts > FEW;
            body->accuracy = accuracy_of(world, island);
            body->slack = is_slack ? h * noise(world, island, tol, h) : 0;
            world->step.tol = body->accuracy == MO_FINE ? world->step.tol : tol;
            world->step.is_settling &= !(island->moves && body->accuracy == MO_COARSE);
        }
    }
    mo_pace();
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        mo_pace_every(k, 512);
        if (mo_contact_is_taken(contact)) {
            const mo_accuracy accuracy = mo_contact_accuracy(world, contact);
            world->step.coarse_count += accuracy == MO_COARSE;
            world->step.tried_count += accuracy == MO_TRIED;
        }
    }
    mo_pace();
}

mo_error mo_accuracy_choose(mo_world *world, double h)
{
    const double tol = mo_accuracy_coarse(world, h);
    world->step.coarse_count = world->step.tried_count = 0;
    world->step.is_settling = 1;
    world->step.is_loose = 0;
    world->step.tol = world->def.solver.tol;
    for (int k = 0; k < world->living_count; ++k) {
        mo_pace_every(k, 512);
        world->body[world->living[k]].accuracy = MO_FINE;
        world->body[world->living[k]].slack = 0;
    }
    mo_pace();
    if (!(tol > world->step.tol) || mo_contacts_taken(world) <= FEW) return MO_OK;
    MO_TRY(mo_accuracy_islands(world));
    find_motion(world, tol, h);
    set_accuracy(world, tol, h);
    return MO_OK;
}

/* ---- rest ------------------------------------------------------------------------------------ */

static int is_slow(const mo_world *world, const mo_sim_mechanism *mechanism, double most)
{
    int is_one = 1;
    for (int i = 0; is_one && i < mechanism->tree.links; ++i) {
        const mo_sim_body *body = world->body + mechanism->body[i];
        is_one = speed(body, body->start_v) <= most;
    }
    return is_one;
}

/* Is there a body that may be at rest?  For a mechanism, as if all contacts were its own. */
static int may_rest(const mo_world *world, double tol, double h)
{
    const mo_island_facts all = {.contacts = world->contacts.count};
    const double most = noise(world, &all, tol, h);
    int may = 0;
    for (int k = 0; !may && k < world->mechanism_places && all.contacts > 0; ++k)
        may = world->mechanism[k] && is_slow(world, world->mechanism[k], most);
    for (int k = 0; !may && k < world->living_count; ++k)
        may = world->body[world->living[k]].kind == MO_BODY_FREE;
    return may;
}

static void stop(mo_world *world, mo_sim_body *body)
{
    memset(body->next_v, 0, sizeof body->next_v);
    if (body->mechanism != MO_NONE) {
        mo_sim_mechanism *mechanism = world->mechanism[body->mechanism];
        memset(mechanism->next_v, 0, (size_t)mechanism->tree.dofs * sizeof(double));
    }
}

/* The tolerance by which velocities at the end of a step are judged: that of a fine solve, or
 * its residual if rounding kept it higher. */
static double tolerance_at_end(const mo_world *world, double tol)
{
    const double left = world->result.residual.natural_relative;
    const int is_fine = world->step.coarse_count + world->step.tried_count == 0;
    return is_fine && world->result.status == MO_STALLED && left <= RESTS ? fmax(tol, left) : tol;
}

static int rests(const mo_island_facts *island)
{
    return !(island->moves || island->is_driven);
}

mo_error mo_accuracy_rest(mo_world *world, double h)
{
    const double tol = fmin(world->def.solver.tol, REST), end = tolerance_at_end(world, tol);
    if (!(world->def.solver.tol <= RESTS) || world->def.first_order > 0 ||
        !(world->team || may_rest(world, tol, h)))
        return MO_OK;
    MO_TRY(mo_accuracy_islands(world));
    MO_TRY(mo_islands_combine(world, MO_COMBINE_SUM, offsetof(mo_island_facts, contacts), 1));
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        if (island) {
            island->moves |= !(speed(body, body->start_v) <= noise(world, island, tol, h) &&
                               speed(body, body->next_v) <= noise(world, island, end, h));
        }
    }
    MO_TRY(mo_islands_combine(world, MO_COMBINE_SUM, offsetof(mo_island_facts, moves), 1));
    mo_pace();
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        const mo_island_facts *island = mo_island_of(world, world->living[k]);
        mo_pace_every(k, 256);
        if (island && rests(island)) stop(world, body);
    }
    mo_pace();
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_sim_contact *contact = world->contacts.at + k;
        const mo_island_facts *island = mo_island_of_contact(world, contact);
        mo_pace_every(k, 512);
        if (island && rests(island)) memset(contact->slip, 0, sizeof contact->slip);
    }
    mo_pace();
    return MO_OK;
}

/* ---- the islands of an accuracy -------------------------------------------------------------- */

/* Their constraints, rising: so many.  of_body: scratch. */
static int list_members(const mo_world *world, mo_accuracy accuracy, int *of_body, int *member)
{
    const mo_problem *problem = world->problem;
    int members = 0;
    memset(of_body, 0, mo_islands_scratch(problem) * sizeof *of_body); /* MO_FINE */
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 512);
        if (body->block != MO_NONE) of_body[body->block] = body->accuracy;
    }
    mo_pace();
    for (int i = 0; i < problem->constraint_count; ++i) {
        int own = MO_FINE;
        mo_pace_every(i, 1024);
        for (int b = problem->block_start[i]; b < problem->block_start[i + 1]; ++b) {
            const int of_this = of_body[problem->block_index[b]];
            own = of_this > own ? of_this : own;
        }
        if (own == (int)accuracy) member[members++] = i;
    }
    return members;
}

/* Impulses of the members from the whole to the part, or back. */
static void copy_impulses(const mo_problem *problem, const int *member, int count, double *whole,
                          double *part, int goes_back)
{
    for (int m = 0; m < count; ++m) {
        const int row = problem->row_start[member[m]],
                  rows = problem->row_start[member[m] + 1] - row;
        mo_pace_every(m, 512);
        memcpy(goes_back ? whole + row : part, goes_back ? part : whole + row,
               (size_t)rows * sizeof *part);
        part += rows;
    }
}

/* Islands whose fine solve failed keep the coarse solution. */
static void leave_coarse(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 512);
        body->accuracy = body->accuracy == MO_TRIED ? MO_COARSE : body->accuracy;
    }
    mo_pace();
    world->step.coarse_count += world->step.tried_count;
    world->step.tried_count = 0;
}

static mo_error solve_members(mo_world *world, mo_accuracy accuracy, const mo_options *options,
                              int *member, int *local, double *start)
{
    int bounds[2] = {0, list_members(world, accuracy, local, member)};
    const mo_islands one = {.count = 1, .start = bounds, .member = member};
    mo_options own = *options;
    mo_problem *part = NULL;
    mo_result *result = &world->side_result;
    if (bounds[1] == 0) return MO_OK;
    memset(local, -1, mo_islands_scratch(world->problem) * sizeof *local); /* none: -1 */
    mo_problem_write_rows(world->problem);
    mo_pace();
    mo_error error = mo_islands_extract(world->problem, &one, 0, local, &part);
    mo_pace();
    if (!error) {
        copy_impulses(world->problem, member, bounds[1], world->result.r, start, 0);
        own.start = start;
        error = mo_solve(part, &own, result);
    }
    const int is_missed = !error && accuracy == MO_TRIED && result->status != MO_SOLVED;
    if (is_missed) {
        leave_coarse(world);
    } else if (!error) {
        copy_impulses(world->problem, member, bounds[1], world->result.r, result->r, 1);
        error = mo_finish_result(world->problem, &world->result);
    }
    world->result.iterations += error ? 0 : result->iterations;
    if (!error && !is_missed && world->result.status == MO_SOLVED && result->status != MO_SOLVED) {
        world->result.status = result->status;
        world->result.message = result->message;
    }
    mo_problem_destroy(part);
    return error;
}

mo_error mo_accuracy_solve(mo_world *world, mo_accuracy accuracy, const mo_options *options)
{
    const size_t constraints = (size_t)mo_problem_constraint_count(world->problem),
                 rows = (size_t)mo_problem_row_count(world->problem),
                 bodies = mo_islands_scratch(world->problem);
    int *member = mo_memory_array(&world->allocator, constraints + bodies, sizeof *member);
    double *start = mo_memory_array(&world->allocator, rows, sizeof *start);
    const mo_error error = member && start ? solve_members(world, accuracy, options, member,
                                                           member + constraints, start)
                                           : MO_ERR_MEMORY;
    MO_FREE(&world->allocator, member, start);
    return error;
}
