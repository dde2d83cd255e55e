/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Nonsmooth block Gauss-Seidel in velocity form.
 *
 * Visits the blocks one after the other.  With all other impulses held, block i sees
 *
 *     u_i = W_ii r_i + b_i,    b_i = u_i - W_ii r_i at the present state,
 *
 * a problem that its law solves exactly (mo_law_ops.solve).  The change dr_i then moves the state,
 * x += Jhat_i' dr_i, so that a sweep costs one pass over the Jacobians and W is never formed
 * [jourdan1998], [acary2018].  With over-relaxation the new impulse is (1 - omega) r + omega r_new, projected
 * back where omega > 1 leaves the set.
 *
 *   here     literature   meaning
 *   x        L' v         whitened velocity (sweep.h)
 *   dr       -            change of one block's impulse
 *
 * Chunks of a colour share nothing and are visited in parallel; the order of the colours is fixed, so
 * the answer has the same bits for any number of threads.  Up to SMALL blocks the natural order is used,
 * which converges a little faster in stacks and is too short to share.
 *
 * Limits: converges linearly at best, slowly for tall stacks and large mass ratios; no proof of
 * convergence with friction in general.  Ends as stalled where a sweep changes nothing.
 */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "problem/views.h"
#include "solver/method.h"

enum { ORDER_AUTO, ORDER_NATURAL, ORDER_COLOURED, SMALL = 2000 };

typedef struct workspace {
    const mo_sweep *sweep;
    double *state;    /* x of a global problem          */
    double *movement; /* sum of |dr|^2, one entry a chunk */
} workspace;

/* One sweep as the parallel loop sees it. */
typedef struct sweep_context {
    const mo_sweep *sweep;
    double omega;
    double *r, *x;
    double *movement;
    int first;       /* position at which the present group starts               */
    int free_bodies; /* every body has six velocities, and M is symmetric        */
} sweep_context;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    const int order = options->nsgs.order;
    const int coloured =
        order == ORDER_COLOURED || (order == ORDER_AUTO && problem->constraint_count > SMALL);
    workspace *w = MO_TAKE(arena, 1, workspace);
    const mo_sweep *sweep;
    const mo_error error =
        mo_problem_sweep(problem, coloured ? MO_SWEEP_COLOURED : MO_SWEEP_NATURAL, &sweep);
    if (error) {
        return error;
    }
    double *state = MO_TAKE(arena, mo_sweep_state_size(sweep), double);
    double *movement = MO_TAKE(arena, mo_chunk_count(problem->constraint_count), double);
    if (w) {
        *w = (workspace){sweep, state, movement};
    }
    *out = w;
    return MO_OK;
}

/* new_r <- (1 - omega) r + omega new_r, brought back into its set. */
static inline void over_relax(const mo_law_ops *law, const double *p, int d, double omega,
                              const double *r, double *new_r)
{
    if (omega != 1) {
        for (int k = 0; k < d; ++k) {
            new_r[k] = r[k] + omega * (new_r[k] - r[k]);
        }
        law->project(p, d, new_r, new_r);
    }
}

/* r <- new_r; dr is the change, and |dr|^2 is returned. */
static inline double take(int d, const double *new_r, double *r, double *dr)
{
    double moved = 0;
    for (int k = 0; k < d; ++k) {
        dr[k] = new_r[k] - r[k];
        moved += dr[k] * dr[k];
        r[k] = new_r[k];
    }
    return moved;
}

/* r_i <- the impulse that solves block i alone; returns |dr|^2. */
static double visit(const sweep_context *c, int position, int i)
{
    const mo_problem *problem = c->sweep->problem;
    const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
    const mo_law_ops *law = mo_constraint_law(problem, i);
    const double *p = mo_constraint_param(problem, i), *W = mo_sweep_diagonal(c->sweep, position);
    double u[MO_BILATERAL_MAX_DIM], b[MO_BILATERAL_MAX_DIM], new_r[MO_BILATERAL_MAX_DIM];
    double *r = c->r + row;

    /* b = (u + compliance r) - (W_ii + compliance) r: what the others do to this block */
    mo_sweep_velocity(c->sweep, position, c->x, u);
    mo_law_velocity(problem, row, d, u, r, b);
    for (int k = 0; k < d; ++k) {
        b[k] -= mo_dot(d, W + k * d, r);
    }
    law->solve(p, d, W, b, new_r);
    over_relax(law, p, d, c->omega, r, new_r);
    const double moved = take(d, new_r, r, u);
    if (moved > 0) {
        mo_sweep_apply(c->sweep, position, u, c->x);
    }
    return moved;
}

/*
 * The same for a hard coulomb contact in space between free bodies, of which large problems are
 * made: the same sums in the same order, without look-ups and with constant sizes.  A contact that
 * is apart and stays so costs its normal row.
 */
static double visit_contact(const sweep_context *c, int position, int i)
{
    const mo_problem *problem = c->sweep->problem;
    const int row = problem->row_start[i], *body = problem->block_index + problem->block_start[i];
    const int two = problem->block_start[i + 1] - problem->block_start[i] == 2;
    const double *W = mo_sweep_diagonal(c->sweep, position), *A = W + 9, *B = A + 18;
    const double *p = mo_constraint_param(problem, i), *w = problem->w + row;
    double *x = c->x + 6 * (size_t)body[0], *y = two ? c->x + 6 * (size_t)body[1] : NULL;
    double *r = c->r + row, b[3], new_r[3], dr[3];

    b[0] = two ? w[0] + mo_sweep_dot_6(A, x) + mo_sweep_dot_6(B, y) : w[0] + mo_sweep_dot_6(A, x);
    if (b[0] >= 0 && r[0] == 0 && r[1] == 0 && r[2] == 0) {
        return 0;
    }
    for (int k = 1; k < 3; ++k) {
        b[k] = w[k] + mo_sweep_dot_6(A + 6 * k, x);
        b[k] = two ? b[k] + mo_sweep_dot_6(B + 6 * k, y) : b[k];
    }
    for (int k = 0; k < 3; ++k) {
        b[k] -= mo_dot(3, W + 3 * k, r);
    }
    mo_law_coulomb_ops.solve(p, 3, W, b, new_r);
    over_relax(&mo_law_coulomb_ops, p, 3, c->omega, r, new_r);
    const double moved = take(3, new_r, r, dr);
    if (moved > 0) {
        mo_sweep_push_3x6(A, dr, x);
        if (two) {
            mo_sweep_push_3x6(B, dr, y);
        }
    }
    return moved;
}

static int is_contact(const sweep_context *c, int i)
{
    const mo_problem *problem = c->sweep->problem;
    const int bodies = problem->block_start[i + 1] - problem->block_start[i];
    return c->free_bodies && problem->law[i].kind == MO_LAW_COULOMB &&
           mo_constraint_dim(problem, i) == 3 && (bodies == 1 || bodies == 2);
}

static int has_free_bodies_only(const mo_problem *problem)
{
    if (problem->form != MO_FORM_GLOBAL || !problem->is_symmetric || problem->compliance) {
        return 0;
    }
    for (int b = 0; b < problem->body_count; ++b) {
        if (problem->body_start[b + 1] != 6 * (b + 1)) {
            return 0;
        }
    }
    return 1;
}

static void visit_range(void *context, int begin, int end)
{
    const sweep_context *c = context;
    double moved = 0;
    for (int position = begin; position < end; ++position) {
        const int i = c->sweep->constraint[position];
        moved += is_contact(c, i) ? visit_contact(c, position, i) : visit(c, position, i);
    }
    c->movement[(begin - c->first) / MO_CHUNK] = moved;
}

/* Visits every block once; returns the sum of |dr|^2. */
static double sweep_once(sweep_context *c, int threads)
{
    const mo_sweep *sweep = c->sweep;
    double moved = 0;
    for (int g = 0; g < sweep->group_count; ++g) {
        c->first = sweep->group_start[g];
        const int end = sweep->group_start[g + 1];
        mo_parallel_for(mo_sweep_is_parallel(sweep, g) ? threads : 1, c->first, end, visit_range, c);
        for (int chunk = 0; chunk < mo_chunk_count(end - c->first); ++chunk) {
            moved += c->movement[chunk];
        }
    }
    return moved;
}

/* A check costs about two sweeps: every sweep at first, every sixteenth later on. */
static int next_check(const mo_options *options, int iteration)
{
    const int pace = iteration / 8;
    const int wait = options->nsgs.check_every ? options->nsgs.check_every
                     : pace < 1                ? 1
                     : pace > 16               ? 16
                                               : pace;
    return iteration + wait;
}

static mo_status solve(mo_run *run, void *memory)
{
    const workspace *w = memory;
    const int threads = run->options->threads;
    double *x = mo_sweep_state_size(w->sweep) ? w->state : run->r;
    sweep_context context = {.sweep = w->sweep,
                             .omega = run->options->nsgs.omega,
                             .r = run->r,
                             .x = x,
                             .movement = w->movement,
                             .free_bodies = has_free_bodies_only(w->sweep->problem)};
    int due = 0;
    double moved = INFINITY;
    mo_sweep_reset(w->sweep, threads, run->r, x);
    for (int iteration = 0;; ++iteration) {
        if (iteration >= due || iteration >= run->options->max_iter || moved == 0) {
            mo_sweep_reset(w->sweep, threads, run->r, x); /* rid of the rounding of the updates */
            mo_sweep_all_velocities(w->sweep, threads, x, run->u);
            if (mo_run_check(run, iteration, run->u, run->r)) {
                return MO_SOLVED;
            }
            due = next_check(run->options, iteration);
        }
        if (mo_run_must_stop(run, iteration)) {
            return run->status;
        }
        if (moved == 0) {
            return mo_run_stall(run, "a whole sweep changes no impulse, yet the residual is above tol");
        }
        moved = sweep_once(&context, threads);
    }
}

const mo_method mo_nsgs_method = {
    .name = "nsgs",
    .summary = "block Gauss-Seidel in velocities, each block solved exactly; parallel by colours",
    .paper = "jourdan1998",
    .laws = MO_ALL_LAWS,
    .layout = layout,
    .solve = solve,
};
