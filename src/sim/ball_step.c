/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "sim/ball_step.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "measure/measure_balls.h"
#include "solver/auto.h"
#include "solver/ball_sweeps.h"

static const double CENTRAL =
    1e-10; /* of the lever: how far a normal may pass by a centre          */
static const double NEARLY =
    0.999; /* of the tolerance, by a look                                  */
/* Of a body's size: what a contact may sink by in a step, and that over a coarse tolerance. */
static const double SINKS = 8e-4, SINKS_OF_TOLERANCE = 0.4;
enum { FEW = 500 /* contacts */, FEW_SWEEPS = 1000, SINKING_SWEEPS = 1000 };

/* ---- contacts and bodies become balls ----------------------------------------------------------- */

static int is_for_balls(const mo_world *world)
{
    const mo_options *options = &world->def.solver;
    return mo_uses_auto(world) && options->tol >= MO_AUTO_COARSE && !options->progress &&
           !options->history && !mo_is_planar(world) && world->jointed_count == 0 &&
           world->mechanism_count == 0 && !world->def.projection && !(world->def.first_order > 0);
}

static int add_body(mo_world *world, mo_sim_body *body, const mo_phase *phase)
{
    mo_balls *balls = &world->balls;
    const double *v = phase->kind == MO_PHASE_STEP ? body->free_v : body->start_v;
    mo_ball *ball = balls->free_state + balls->body_count;
    mo_vec3_copy(v, ball->v);
    mo_vec3_copy(v + 3, ball->spin);
    ball->inverse_mass = 1 / body->mass;
    ball->inverse_inertia = 1 / body->inertia[0];
    world->ball_body[balls->body_count] = (int)(body - world->body);
    body->block = balls->body_count++;
    return isfinite(ball->inverse_mass + ball->inverse_inertia);
}

/* One side of a contact, 0 for a; false where it is none of balls. */
static int add_side(mo_world *world, const mo_sim_contact *contact, int side, const mo_phase *phase,
                    mo_ball_contact *out)
{
    mo_sim_body *body = world->body + contact->body[side];
    const int place = !side; /* u = v_b - v_a */
    out->lever[place] = 0;
    out->body[place] = MO_NONE;
    if (mo_moves_freely(body)) {
        double arm[3], off[3];
        mo_vec3_minus(contact->point, body->x, arm);
        const double lever = mo_vec3_dot(arm, contact->frame);
        mo_vec3_along(arm, -lever, contact->frame, off);
        if (!body->is_ball || !(mo_vec3_dot(off, off) <= CENTRAL * CENTRAL * lever * lever) ||
            (body->block == MO_NONE && !add_body(world, body, phase))) {
            return 0;
        }
        out->lever[place] = lever;
        out->body[place] = body->block;
    } else if (body->kind == MO_BODY_DRIVEN) {
        double u[3];
        mo_point_velocity(body->x, body->free_v, contact->point, u);
        mo_vec3_along(out->w, side ? 1 : -1, u, out->w);
    }
    return 1;
}

static int add_contact(mo_world *world, const mo_sim_contact *contact, const mo_phase *phase,
                       mo_ball_contact *out)
{
    const int has_moment = !contact->is_bare && (contact->rolling > 0 || contact->torsion > 0);
    if (!(contact->mu > 0) || isinf(contact->mu) || has_moment) {
        return 0;
    }
    const double w_N = mo_contact_normal_w(world, contact, phase);
    mo_vec3_copy(contact->frame, out->n);
    mo_vec3_scale(w_N, contact->frame, out->w);
    out->mu = contact->mu;
    return isfinite(mo_vec3_dot(out->w, out->w)) && add_side(world, contact, 0, phase, out) &&
           add_side(world, contact, 1, phase, out);
}

/* The impulse of the last step, cut to the cone. */
static void write_start(const mo_sim_contact *contact, double r[3])
{
    const double r_N = mo_vec3_dot(contact->impulse, contact->frame);
    double r_T[3];
    mo_vec3_along(contact->impulse, -r_N, contact->frame, r_T);
    const double size = mo_vec3_norm(r_T), bound = contact->mu * r_N;
    mo_vec3_scale(r_N > 0 ? r_N : 0, contact->frame, r);
    if (r_N > 0) {
        mo_vec3_along(r, size > bound ? bound / size : 1, r_T, r);
    }
}

static double deepest_of(const mo_world *world, const mo_sim_contact *contact,
                         const mo_phase *phase)
{
    const double sinks = fmax(SINKS, SINKS_OF_TOLERANCE * world->def.solver.tol);
    return phase->kind == MO_PHASE_STEP ? phase->h / (sinks * contact->size) : 0;
}

/* Room for all contacts, whether they take part or not, and all bodies. */
static mo_error make_room(mo_world *world)
{
    mo_balls *balls = &world->balls;
    const size_t count = (size_t)world->contacts.count, bodies = (size_t)world->living_count;
    const mo_error error = mo_balls_reserve(&world->allocator, balls, count, bodies);
    const int has_room = !error &&
                         mo_memory_grow(&world->allocator, (void **)&balls->deepest,
                                        &balls->deepest_room, count + 1, sizeof(double)) &&
                         mo_memory_grow(&world->allocator, (void **)&world->ball_r,
                                        &world->ball_r_room, 3 * count + 1, sizeof(double)) &&
                         mo_memory_grow(&world->allocator, (void **)&world->ball_body,
                                        &world->ball_body_room, bodies + 1, sizeof(int));
    return has_room ? MO_OK : MO_ERR_MEMORY;
}

/* No body has a block. */
static void clear_blocks(mo_world *world)
{
    const int count = world->blocks_are_balls ? world->balls.body_count : world->living_count;
    const int *place = world->blocks_are_balls ? world->ball_body : world->living;
    for (int k = 0; k < count; ++k) {
        world->body[place[k]].block = MO_NONE;
    }
    world->blocks_are_balls = 1;
    world->balls.body_count = 0;
}

/* The second body of a contact with the world is known when all have been counted. */
static void name_the_world(mo_balls *balls)
{
    for (int i = 0; i < balls->contact_count; ++i) {
        for (int side = 0; side < 2; ++side) {
            int *body = balls->contact[i].body + side;
            *body = *body == MO_NONE ? balls->body_count : *body;
        }
    }
}

/* One that takes part; false where it is none of balls. */
static int gather_contact(mo_world *world, mo_sim_contact *contact, const mo_phase *phase,
                          int from_start)
{
    mo_balls *balls = &world->balls;
    const int i = balls->contact_count++;
    double *r = world->ball_r + 3 * (size_t)i;
    if (!contact->is_bare) {
        mo_vec3_set(contact->slip, 0, 0, 0); /* not taken back with a coarse tolerance */
    }
    if (!add_contact(world, contact, phase, balls->contact + i)) {
        return 0;
    }
    mo_vec3_set(r, 0, 0, 0);
    if (from_start) {
        write_start(contact, r);
    }
    balls->deepest[i] = deepest_of(world, contact, phase);
    contact->constraint = i;
    return 1;
}

/* False where one of them is none of balls.  Those of an impact have a list. */
static int gather(mo_world *world, const mo_phase *phase, int from_start)
{
    const mo_sim_contacts *list = &world->contacts;
    const int is_impact = phase->kind == MO_PHASE_IMPACT;
    int are_balls = 1;
    world->balls.contact_count = 0;
    clear_blocks(world);
    for (int i = 0; i < list->fast_count && is_impact && are_balls; ++i) {
        are_balls = gather_contact(world, list->at + list->fast[i], phase, from_start);
    }
    for (int k = 0; k < list->count && !is_impact && are_balls; ++k) {
        mo_sim_contact *contact = list->at + k;
        mo_prefetch(contact + 2 * MO_AHEAD, offsetof(mo_sim_contact, rolling));
        if (k + MO_AHEAD < list->count && contact[MO_AHEAD].constraint != MO_NONE) {
            mo_body_prefetch(world, contact[MO_AHEAD].body[0]);
            mo_body_prefetch(world, contact[MO_AHEAD].body[1]);
        }
        are_balls =
            contact->constraint == MO_NONE || gather_contact(world, contact, phase, from_start);
    }
    name_the_world(&world->balls);
    return are_balls;
}

/*
 * Exact visits overshoot where momentum is large: these go part of the way, and so take a quarter fewer sweeps.  Heaps of some thousands bear more momentum than smaller and larger
 * ones.  Of the largest many steps take a thousand sweeps: there normal impulses, which bound those of friction, go on more slowly than these once the first sweeps have told which contacts bear.  All
 * found by trial on heaps of 150 to 20,000 balls, mu = 0.3.
 */
static mo_ball_pace pace_of(const mo_options *options, int contacts)
{
    const int is_large = contacts >= 30000;
    const mo_ball_gait first = {0.8, 0.8, contacts > 5000 && !is_large ? 14 : 10},
                       slow = {0.5, 1, 14};
    return (mo_ball_pace){options->threads, first, is_large ? slow : first, 120};
}

/* ---- the solve -------------------------------------------------------------------------------- */

/* What the solve is told, and what it says. */
typedef struct verdict {
    const mo_options *options;
    int most;
    double start_time;
    mo_status status;
} verdict;

static int must_stop(void *context, int iteration)
{
    verdict *v = context;
    if (v->options->cancel && *v->options->cancel) {
        v->status = MO_CANCELLED;
    } else if (isfinite(v->options->time_limit) &&
               mo_clock() - v->start_time >= v->options->time_limit) {
        v->status = MO_TIME_LIMIT;
    } else {
        v->status = MO_ITERATION_LIMIT;
        return iteration >= v->most;
    }
    return 1;
}

static mo_error lay_out(mo_world *world)
{
    mo_arena arena = {0};
    mo_ball_sweeps_layout(&arena, &world->balls, &world->ball_sweeps);
    if (!mo_memory_grow(&world->allocator, (void **)&world->ball_memory, &world->ball_memory_room,
                        arena.used + MO_ARENA_ALIGN, 1)) {
        return MO_ERR_MEMORY;
    }
    const uintptr_t misaligned = (uintptr_t)world->ball_memory % MO_ARENA_ALIGN;
    arena = (mo_arena){.base = world->ball_memory + (MO_ARENA_ALIGN - misaligned)};
    mo_ball_sweeps_layout(&arena, &world->balls, &world->ball_sweeps);
    return MO_OK;
}

/* The natural residual that a look must see. */
static double goal_of(const mo_world *world)
{
    return NEARLY * world->def.solver.tol * fmax(1, world->ball_q_norm);
}

/* Measures what the sweeps have left; they go on where a look was too hopeful. */
static void judge(mo_world *world, int has_passed, verdict *v)
{
    mo_ball_sweeps *sweeps = &world->ball_sweeps;
    mo_residual *residual = &world->result.residual;
    double goal = goal_of(world);
    for (;;) {
        mo_ball_sweeps_best(sweeps, world->ball_r);
        const mo_ball_given given = {&world->balls, sweeps->best, 3 * MO_BALL_LANES,
                                     sweeps->measured};
        mo_measure_balls(&given, world->ball_q_norm, residual);
        if (residual->natural_relative <= v->options->tol) {
            v->status = MO_SOLVED;
            break;
        }
        if (!has_passed || sweeps->moved == 0) {
            v->status = sweeps->moved == 0 ? MO_STALLED : v->status;
            break;
        }
        goal *= 0.7;
        has_passed = mo_ball_sweeps_run(sweeps, goal, must_stop, v);
    }
    world->result.status = v->status;
    world->result.method = "auto";
    world->result.message.text[0] = '\0';
}

mo_error mo_ball_step_solve(mo_world *world, const mo_phase *phase, int from_start, int *takes)
{
    const mo_options *options = &world->def.solver;
    *takes = world->is_by_balls = 0;
    if (!is_for_balls(world)) {
        return MO_OK;
    }
    if (make_room(world)) {
        return MO_ERR_MEMORY;
    }
    if (!gather(world, phase, from_start) || world->balls.contact_count == 0) {
        return MO_OK;
    }
    const int count = world->balls.contact_count;
    const int is_few = count <= FEW && options->max_iter > FEW_SWEEPS;
    verdict v = {options, is_few ? FEW_SWEEPS : options->max_iter, mo_clock(), MO_STALLED};
    if (mo_balls_arrange(&world->allocator, &world->balls) || lay_out(world)) {
        return MO_ERR_MEMORY;
    }
    world->ball_q_norm = mo_balls_q_norm(&world->balls);
    const mo_ball_pace pace = pace_of(options, count);
    mo_ball_sweeps_start(&world->ball_sweeps, &pace, from_start ? world->ball_r : NULL);
    judge(world, mo_ball_sweeps_run(&world->ball_sweeps, goal_of(world), must_stop, &v), &v);
    world->result.iterations = world->ball_sweeps.iteration;
    world->result.seconds = mo_clock() - v.start_time;
    *takes = world->is_by_balls =
        isfinite(world->result.residual.natural) &&
        (v.status == MO_SOLVED || !is_few || v.status != MO_ITERATION_LIMIT);
    return MO_OK;
}

int mo_ball_step_raise(mo_world *world)
{
    mo_ball_sweeps *sweeps = &world->ball_sweeps;
    const int before = sweeps->iteration;
    if (world->result.status != MO_SOLVED) {
        return 0;
    }
    verdict v = {&world->def.solver, before + SINKING_SWEEPS, mo_clock(), MO_STALLED};
    mo_ball_sweeps_mind_depth(sweeps, SINKING_SWEEPS);
    const int has_passed = mo_ball_sweeps_run(sweeps, goal_of(world), must_stop, &v);
    if (has_passed && sweeps->iteration == before) {
        return 0;
    }
    judge(world, has_passed, &v);
    world->result.iterations = sweeps->iteration - before;
    return sweeps->iteration > before;
}

/* ---- the answer ------------------------------------------------------------------------------- */

const double *mo_ball_step_impulse(const mo_world *world, const mo_sim_contact *contact)
{
    return world->ball_r + 3 * (size_t)contact->constraint;
}

void mo_ball_step_velocities(mo_world *world)
{
    for (int k = 0; k < world->balls.body_count; ++k) {
        const mo_ball *ball = world->ball_sweeps.measured + k;
        double *v = world->body[world->ball_body[k]].next_v;
        if (k + MO_AHEAD < world->balls.body_count) {
            mo_prefetch(world->body[world->ball_body[k + MO_AHEAD]].next_v, 6 * sizeof *v);
        }
        mo_vec3_copy(ball->v, v);
        mo_vec3_copy(ball->spin, v + 3);
    }
}

void mo_ball_step_answer(mo_world *world)
{
    mo_ball_step_velocities(world);
    world->impulses_are_due = 1;
}

void mo_ball_step_impulses(mo_world *world)
{
    for (int k = 0; k < world->contacts.count && world->impulses_are_due; ++k) {
        if (world->contacts.at[k].constraint != MO_NONE) {
            mo_contact_take_impulse(world->contacts.at + k, world->ball_r);
        }
    }
    world->impulses_are_due = 0;
}

void mo_ball_step_modes(mo_world *world)
{
    mo_contacts_settle(world);
    for (int k = 0; k < world->contacts.count && world->modes_are_due; ++k) {
        mo_contact_set_mode(world, world->contacts.at + k);
    }
    world->modes_are_due = 0;
}

void mo_ball_step_finish(mo_world *world)
{
    world->is_due = 1;
    if (world->impulses_are_due) { /* they stay where they are, and go with the contacts */
        double *r = world->contacts.r;
        const size_t room = world->contacts.r_room;
        world->contacts.r = world->ball_r;
        world->contacts.r_room = world->ball_r_room;
        world->ball_r = r;
        world->ball_r_room = room;
        world->contacts.is_due = 1;
        world->impulses_are_due = 0;
    }
}

/* ---- the problem, when it is asked for ---------------------------------------------------------- */

static mo_error write_result(mo_world *world)
{
    mo_result *result = &world->result;
    const size_t rows = (size_t)mo_problem_row_count(world->problem),
                 dofs = (size_t)mo_problem_dof_count(world->problem), needed = dofs + 3 * rows + 1;
    if (!result->allocator.reallocate) {
        result->allocator = world->allocator;
    }
    if (result->vector_room < needed) {
        mo_memory_free(&result->allocator, result->v);
        result->vector_room = 0;
        result->v = mo_memory_array(&result->allocator, needed, sizeof(double));
        if (!result->v) {
            result->u = result->r = result->ray = NULL;
            return MO_ERR_MEMORY;
        }
        result->vector_room = needed;
    }
    result->dof_count = (int)dofs;
    result->row_count = (int)rows;
    result->u = result->v + dofs;
    result->r = result->u + rows;
    result->ray = NULL;
    memcpy(result->r, world->start, rows * sizeof *result->r);
    mo_problem_velocity(world->problem, result->r, result->v);
    mo_problem_relative_velocity(world->problem, result->v, result->u);
    return MO_OK;
}

mo_error mo_ball_step_write_out(mo_world *world, mo_message *why)
{
    if (!world->is_due) {
        return MO_OK;
    }
    mo_contacts_settle(world);
    const mo_phase phase = {.kind = MO_PHASE_STEP, .h = world->last_step, .is_over = 1};
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        body->took_part = body->block != MO_NONE;
    }
    mo_error error = mo_assemble(world, &phase, why);
    error = error ? error : write_result(world);
    world->is_due = error != MO_OK;
    return error;
}

void mo_ball_step_leave(mo_world *world)
{
    mo_ball_step_modes(world);
    if (mo_ball_step_write_out(world, NULL)) {
        mo_problem_destroy(world->problem);
        world->problem = NULL;
        world->is_due = 0;
    }
}
