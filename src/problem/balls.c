/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/balls.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "problem/colouring.h"

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

static void clear_batch(const mo_problem *problem, mo_ball_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    for (int lane = 0; lane < MO_BALL_LANES; ++lane) {
        batch->constraint[lane] = -1;
        batch->body[0][lane] = batch->body[1][lane] = problem->body_count;
    }
}

/* Puts contact i into a lane; false where it is none of balls. */
static int fill_lane(const mo_balls *balls, int i, mo_ball_batch *batch, int lane)
{
    const mo_problem *problem = balls->problem;
    const int first = problem->block_start[i], two = problem->block_start[i + 1] - first == 2;
    const double *w = problem->w + problem->row_start[i];
    double lever[2];
    if (!is_ball_contact(problem, i, lever)) {
        return 0;
    }
    double W_N = 0, W_T = 0;
    for (int side = 0; side <= two; ++side) {
        const int body = problem->block_index[first + side];
        const mo_ball *ball = balls->free_state + body;
        batch->body[side][lane] = body;
        batch->lever[side][lane] = lever[side];
        W_N += ball->inverse_mass;
        W_T += ball->inverse_mass + lever[side] * lever[side] * ball->inverse_inertia;
    }
    batch->constraint[lane] = i;
    batch->mu[lane] = *mo_constraint_param(problem, i);
    batch->inverse_N[lane] = 1 / W_N;
    batch->inverse_T[lane] = 1 / W_T;
    for (int k = 0; k < 3; ++k) {
        batch->n[k * MO_BALL_LANES + lane] = mo_ball_axis(problem, i, 0)[k];
        batch->w[k * MO_BALL_LANES + lane] = w[0] * mo_ball_axis(problem, i, 0)[k] +
                                             w[1] * mo_ball_axis(problem, i, 1)[k] +
                                             w[2] * mo_ball_axis(problem, i, 2)[k];
    }
    return 1;
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
    for (int i = 0; i < balls->problem->constraint_count; ++i) {
        ++count[colour[i]];
    }
    balls->last_is_sequential = count[MO_COLOUR_REST] > 0;
    for (int c = 0; c < MO_COLOURS; ++c) {
        next[c] = MO_BALL_LANES * balls->batch_count;
        if (count[c] > 0) {
            balls->group_start[balls->group_count++] = balls->batch_count;
            balls->batch_count += (count[c] + lanes_of(c) - 1) / lanes_of(c);
        }
    }
    balls->group_start[balls->group_count] = balls->batch_count;
}

static int fill_batches(mo_balls *balls, const uint8_t *colour, int *next)
{
    for (int k = 0; k < balls->batch_count; ++k) {
        clear_batch(balls->problem, balls->batch + k);
    }
    for (int i = 0; i < balls->problem->constraint_count; ++i) {
        const int at = next[colour[i]];
        next[colour[i]] += MO_BALL_LANES / lanes_of(colour[i]);
        if (!fill_lane(balls, i, balls->batch + at / MO_BALL_LANES, at % MO_BALL_LANES)) {
            return 0;
        }
    }
    return 1;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static mo_error make_free_state(const mo_allocator *own, mo_balls *balls)
{
    const mo_problem *problem = balls->problem;
    const size_t bodies = (size_t)problem->body_count + 1;
    balls->free_state = mo_memory_array(own, bodies, sizeof *balls->free_state);
    if (!balls->free_state) {
        return MO_ERR_MEMORY;
    }
    memset(balls->free_state, 0, bodies * sizeof *balls->free_state);
    for (int b = 0; b < problem->body_count; ++b) {
        const double *M = problem->M + problem->mass_start[b], *f = problem->f + 6 * (size_t)b;
        mo_ball *ball = balls->free_state + b;
        ball->inverse_mass = 1 / M[0];
        ball->inverse_inertia = 1 / M[21];
        mo_vec3_scale(ball->inverse_mass, f, ball->v);
        mo_vec3_scale(ball->inverse_inertia, f + 3, ball->spin);
    }
    return MO_OK;
}

static mo_error make_batches(const mo_allocator *own, mo_balls *balls, int *is_of_balls)
{
    const mo_problem *problem = balls->problem;
    const size_t count = (size_t)problem->constraint_count, bodies = (size_t)problem->body_count;
    uint8_t *colour = mo_memory_array(own, count, sizeof *colour);
    uint64_t *used = mo_memory_array(own, count > bodies ? count : bodies, sizeof *used);
    balls->group_start = mo_memory_array(own, MO_COLOURS + 1, sizeof(int));
    mo_error error = colour && used && balls->group_start ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        int next[MO_COLOURS];
        mo_colour_constraints(problem, colour, used);
        lay_out_groups(balls, colour, next);
        balls->batch = mo_memory_array(own, (size_t)balls->batch_count, sizeof *balls->batch);
        error = balls->batch ? MO_OK : MO_ERR_MEMORY;
        *is_of_balls = !error && fill_batches(balls, colour, next);
    }
    mo_memory_free(own, colour);
    mo_memory_free(own, used);
    return error;
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
    int is_of_balls = 0;
    *out = NULL;
    if (!may_be_of_balls(problem)) {
        return MO_OK;
    }
    mo_balls *balls = mo_memory_array(own, 1, sizeof *balls);
    if (!balls) {
        return MO_ERR_MEMORY;
    }
    *balls = (mo_balls){.problem = problem};
    mo_error error = make_free_state(own, balls);
    error = error ? error : make_batches(own, balls, &is_of_balls);
    if (error || !is_of_balls) {
        mo_balls_destroy(own, balls);
        return error;
    }
    balls->bytes = sizeof *balls + (size_t)balls->batch_count * sizeof *balls->batch +
                   ((size_t)problem->body_count + 1) * sizeof *balls->free_state +
                   (MO_COLOURS + 1) * sizeof(int);
    *out = balls;
    return MO_OK;
}

void mo_balls_destroy(const mo_allocator *allocator, mo_balls *balls)
{
    if (balls) {
        mo_memory_free(allocator, balls->group_start);
        mo_memory_free(allocator, balls->batch);
        mo_memory_free(allocator, balls->free_state);
        mo_memory_free(allocator, balls);
    }
}
