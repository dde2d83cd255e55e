/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/balls.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "problem/colouring.h"

enum { CACHE_LINE = 64 };
static const double SAME = 1e-10; /* relative: rounding of whoever made the Jacobians */

/* ---- is it one of balls? ------------------------------------------------------------------------ */

static int is_ball_mass(const double *M)
{
    const double m = M[0], J = M[21];
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            const double scale = i < 3 && j < 3 ? m : i >= 3 && j >= 3 ? J : 0;
            if (fabs(M[6 * i + j] - (i == j ? scale : 0)) > SAME * scale) {
                return 0;
            }
        }
    }
    return 1;
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

static int is_frame(const double *A)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            if (fabs(mo_vec3_dot(A + 6 * i, A + 6 * j) - (i == j)) > SAME) {
                return 0;
            }
        }
    }
    return 1;
}

/* Is B = sign (e_k, l e_0 x e_k), with e_k the linear parts of A?  Then the lever is l.  turned: e_0 x e_1 and e_0 x e_2. */
static int has_lever(const double *A, double turned[2][3], const double *B, double sign,
                     double *lever)
{
    double off = 0, off_frame = 0;
    *lever = sign * mo_vec3_dot(turned[0], B + 9);
    for (int i = 0; i < 3; ++i) {
        const double l = sign * *lever;
        off = larger(off, fabs(B[3 + i]));
        off = larger(off, fabs(B[9 + i] - l * turned[0][i]));
        off = larger(off, fabs(B[15 + i] - l * turned[1][i]));
        for (int k = 0; k < 3; ++k) {
            off_frame = larger(off_frame, fabs(B[6 * k + i] - sign * A[6 * k + i]));
        }
    }
    return off_frame <= SAME && off <= SAME * fabs(*lever);
}

static int is_ball_contact(const mo_problem *problem, int i, double lever[2])
{
    const double *A = problem->values + problem->value_start[i];
    const int bodies = problem->block_start[i + 1] - problem->block_start[i];
    double turned[2][3];
    lever[1] = 0;
    if (bodies < 1 || bodies > 2) {
        return 0;
    }
    mo_vec3_cross(A, A + 6, turned[0]);
    mo_vec3_cross(A, A + 12, turned[1]);
    return problem->law[i].kind == MO_LAW_COULOMB && mo_constraint_dim(problem, i) == 3 &&
           isfinite(*mo_constraint_param(problem, i)) && is_frame(A) &&
           has_lever(A, turned, A, 1, lever) &&
           (bodies == 1 || has_lever(A, turned, A + 18, -1, lever + 1));
}

static int has_ball_bodies(const mo_problem *problem)
{
    for (int b = 0; b < problem->body_count; ++b) {
        if (mo_body_dim(problem, b) != 6 || !is_ball_mass(problem->M + problem->mass_start[b])) {
            return 0;
        }
    }
    return 1;
}

/* ---- batches ---------------------------------------------------------------------------------- */

static void clear_batch(int world, mo_ball_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    for (int lane = 0; lane < MO_BALL_LANES; ++lane) {
        batch->constraint[lane] = -1;
        batch->body[0][lane] = batch->body[1][lane] = world;
    }
}

static void fill_lane(const mo_balls *balls, int i, mo_ball_batch *batch, int lane)
{
    const mo_ball_contact *contact = balls->contact + i;
    double W_N = 0, W_T = 0;
    for (int side = 0; side < 2; ++side) {
        const mo_ball *ball = balls->free_state + contact->body[side];
        const double lever = contact->lever[side];
        batch->body[side][lane] = contact->body[side];
        batch->lever[side][lane] = lever;
        W_N += ball->inverse_mass;
        W_T += ball->inverse_mass + lever * lever * ball->inverse_inertia;
    }
    batch->constraint[lane] = i;
    batch->mu[lane] = contact->mu;
    batch->inverse_N[lane] = 1 / W_N;
    batch->inverse_T[lane] = 1 / W_T;
    for (int k = 0; k < 3; ++k) {
        batch->n[k * MO_BALL_LANES + lane] = contact->n[k];
        batch->w[k * MO_BALL_LANES + lane] = contact->w[k];
    }
}

static int lowest_free(uint64_t used)
{
    int colour = 0;
    while (colour < MO_COLOUR_REST && used >> colour & 1) {
        ++colour;
    }
    return colour;
}

/* As mo_colour_constraints; used[b]: the colours that touch body b. */
static void colour_contacts(const mo_balls *balls, uint8_t *colour, uint64_t *used)
{
    memset(used, 0, ((size_t)balls->body_count + 1) * sizeof *used);
    for (int i = 0; i < balls->contact_count; ++i) {
        const int *body = balls->contact[i].body;
        const int own = lowest_free(used[body[0]] | used[body[1]]);
        colour[i] = (uint8_t)own;
        used[body[0]] |= UINT64_C(1) << own;
        used[body[1]] |= UINT64_C(1) << own;
        used[balls->body_count] = 0;
    }
}

/* Contacts of a colour: MO_BALL_LANES a batch, but one in the colour of those that share bodies. */
static int lanes_of(int colour)
{
    return colour == MO_COLOUR_REST ? 1 : MO_BALL_LANES;
}

/* next[c]: the lane, counted through all batches, where the next contact of colour c goes. */
static void lay_out_groups(mo_balls *balls, const uint8_t *colour, int *next)
{
    int count[MO_COLOURS] = {0};
    for (int i = 0; i < balls->contact_count; ++i) {
        ++count[colour[i]];
    }
    balls->last_is_sequential = count[MO_COLOUR_REST] > 0;
    balls->group_count = balls->batch_count = 0;
    for (int c = 0; c < MO_COLOURS; ++c) {
        next[c] = MO_BALL_LANES * balls->batch_count;
        if (count[c] > 0) {
            balls->group_start[balls->group_count++] = balls->batch_count;
            balls->batch_count += (count[c] + lanes_of(c) - 1) / lanes_of(c);
        }
    }
    balls->group_start[balls->group_count] = balls->batch_count;
}

static void fill_batches(mo_balls *balls, const uint8_t *colour, int *next)
{
    for (int k = 0; k < balls->batch_count; ++k) {
        clear_batch(balls->body_count, balls->batch + k);
    }
    for (int i = 0; i < balls->contact_count; ++i) {
        const int at = next[colour[i]];
        next[colour[i]] += MO_BALL_LANES / lanes_of(colour[i]);
        fill_lane(balls, i, balls->batch + at / MO_BALL_LANES, at % MO_BALL_LANES);
    }
    for (int k = 0; k < balls->batch_count; ++k) {
        mo_ball_batch *batch = balls->batch + k;
        batch->touches_world = 0;
        for (int lane = 0; lane < MO_BALL_LANES; ++lane) {
            batch->touches_world |= batch->body[0][lane] == balls->body_count ||
                                    batch->body[1][lane] == balls->body_count;
        }
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

mo_error mo_balls_reserve(const mo_allocator *own, mo_balls *balls, size_t contacts, size_t bodies)
{
    const size_t scratch = (bodies + 1) * sizeof(uint64_t) + contacts;
    const int has_room =
        mo_memory_grow(own, (void **)&balls->contact, &balls->contact_room, contacts + 1,
                       sizeof *balls->contact) &&
        mo_memory_grow(own, (void **)&balls->free_state, &balls->state_room, bodies + 1,
                       sizeof *balls->free_state) &&
        mo_memory_grow(own, (void **)&balls->group_start, &balls->group_room, MO_COLOURS + 1,
                       sizeof(int)) &&
        mo_memory_grow(own, (void **)&balls->scratch, &balls->scratch_room, scratch, 1);
    return has_room ? MO_OK : MO_ERR_MEMORY;
}

mo_error mo_balls_arrange(const mo_allocator *own, mo_balls *balls)
{
    const size_t contacts = (size_t)balls->contact_count, bodies = (size_t)balls->body_count;
    if (mo_balls_reserve(own, balls, contacts, bodies)) {
        return MO_ERR_MEMORY;
    }
    int next[MO_COLOURS];
    uint64_t *used = (uint64_t *)(void *)balls->scratch;
    uint8_t *colour = (uint8_t *)(used + bodies + 1);
    balls->free_state[bodies] = (mo_ball){{0}, {0}, 0, 0};
    colour_contacts(balls, colour, used);
    lay_out_groups(balls, colour, next);
    if (!mo_memory_grow(own, (void **)&balls->batch_memory, &balls->batch_room,
                        ((size_t)balls->batch_count + 1) * sizeof *balls->batch, 1)) {
        return MO_ERR_MEMORY;
    }
    const uintptr_t misaligned = (uintptr_t)balls->batch_memory % CACHE_LINE;
    balls->batch = (mo_ball_batch *)(void *)(balls->batch_memory + (CACHE_LINE - misaligned));
    fill_batches(balls, colour, next);
    return MO_OK;
}

void mo_balls_clear(const mo_allocator *own, mo_balls *balls)
{
    void *const arrays[] = {balls->contact,     balls->free_state,   balls->deepest,
                            balls->group_start, balls->batch_memory, balls->scratch};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k) {
        mo_memory_free(own, arrays[k]);
    }
    *balls = (mo_balls){0};
}

size_t mo_balls_bytes(const mo_balls *balls)
{
    return sizeof *balls + balls->contact_room * sizeof *balls->contact +
           balls->state_room * sizeof *balls->free_state + balls->deepest_room * sizeof(double) +
           balls->group_room * sizeof(int) + balls->batch_room + balls->scratch_room;
}

/* ---- as a view -------------------------------------------------------------------------------- */

static void take_bodies(const mo_problem *problem, mo_balls *balls)
{
    for (int b = 0; b < problem->body_count; ++b) {
        const double *M = problem->M + problem->mass_start[b], *f = problem->f + 6 * (size_t)b;
        mo_ball *ball = balls->free_state + b;
        ball->inverse_mass = 1 / M[0];
        ball->inverse_inertia = 1 / M[21];
        mo_vec3_scale(ball->inverse_mass, f, ball->v);
        mo_vec3_scale(ball->inverse_inertia, f + 3, ball->spin);
    }
}

/* False where it is none of balls. */
static int take_contact(const mo_problem *problem, int i, mo_ball_contact *contact)
{
    const int first = problem->block_start[i], two = problem->block_start[i + 1] - first == 2;
    const double *w = problem->w + problem->row_start[i];
    if (!is_ball_contact(problem, i, contact->lever)) {
        return 0;
    }
    contact->body[0] = problem->block_index[first];
    contact->body[1] = two ? problem->block_index[first + 1] : problem->body_count;
    contact->mu = *mo_constraint_param(problem, i);
    mo_vec3_copy(mo_ball_axis(problem, i, 0), contact->n);
    for (int k = 0; k < 3; ++k) {
        contact->w[k] = w[0] * mo_ball_axis(problem, i, 0)[k] +
                        w[1] * mo_ball_axis(problem, i, 1)[k] +
                        w[2] * mo_ball_axis(problem, i, 2)[k];
    }
    return 1;
}

static int take_contacts(const mo_problem *problem, mo_balls *balls)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!take_contact(problem, i, balls->contact + i)) {
            return 0;
        }
    }
    return 1;
}

/* A look at the first contacts spares the others the work. */
static int may_be_of_balls(const mo_problem *problem)
{
    double lever[2];
    return problem->form == MO_FORM_GLOBAL && problem->is_symmetric && !problem->compliance &&
           problem->constraint_count > 0 && has_ball_bodies(problem) &&
           is_ball_contact(problem, 0, lever) &&
           is_ball_contact(problem, problem->constraint_count - 1, lever);
}

mo_error mo_balls_create(const mo_problem *problem, mo_balls **out)
{
    const mo_allocator *own = &problem->allocator;
    *out = NULL;
    if (!may_be_of_balls(problem)) {
        return MO_OK;
    }
    mo_balls *balls = mo_memory_array(own, 1, sizeof *balls);
    if (!balls) {
        return MO_ERR_MEMORY;
    }
    *balls =
        (mo_balls){.body_count = problem->body_count, .contact_count = problem->constraint_count};
    mo_error error = mo_balls_reserve(own, balls, (size_t)problem->constraint_count,
                                      (size_t)problem->body_count);
    int is_of_balls = 0;
    if (!error) {
        take_bodies(problem, balls);
        is_of_balls = take_contacts(problem, balls);
    }
    if (!error && is_of_balls) {
        error = mo_balls_arrange(own, balls);
    }
    if (error || !is_of_balls) {
        mo_balls_destroy(own, balls);
        return error;
    }
    *out = balls;
    return MO_OK;
}

void mo_balls_destroy(const mo_allocator *allocator, mo_balls *balls)
{
    if (balls) {
        mo_balls_clear(allocator, balls);
        mo_memory_free(allocator, balls);
    }
}
