/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/views.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "problem/batch_kernel.h"
#include "problem/dense_delassus.h"
#include "problem/row_blocks.h"

enum { MANY = 100 }; /* contacts from which on |q| is found in lanes */

struct mo_views {
    pthread_mutex_t lock; /* of is_taken */
    pthread_cond_t given;
    int is_taken; /* protects creation and access of views */
    mo_sweep *sweep[MO_SWEEP_ORDERS];
    mo_problem *owner;   /* rows of compact contacts are written into it */
    int has_rows;        /* mo_problem_write_rows has been called */
    mo_compact *compact; /* where it was found, not given */
    mo_batches *batches;
    mo_contact_space *contact_space;
    mo_body_space *body_space;
    mo_group_space *group_space;
    int groups_are_known;  /* there may be none */
    double *_Atomic dense; /* W; read without the lock where it exists */
    _Atomic double q_norm; /* negative until it is known */
};

/* One thread at a time.  Paced work may be suspended while it has the views, and another thread may
 * resume it (base/pace.h), which a mutex does not allow. */
static void take(mo_views *views)
{
    pthread_mutex_lock(&views->lock);
    while (views->is_taken)
        pthread_cond_wait(&views->given, &views->lock);
    views->is_taken = 1;
    pthread_mutex_unlock(&views->lock);
}

static void give(mo_views *views)
{
    pthread_mutex_lock(&views->lock);
    views->is_taken = 0;
    pthread_cond_signal(&views->given);
    pthread_mutex_unlock(&views->lock);
}

mo_error mo_views_create(mo_problem *problem)
{
    mo_views *views = mo_memory_zeros(&problem->allocator, 1, sizeof *views);
    problem->views = views;
    MO_NEED_MEMORY(views, NULL);
    views->owner = problem;
    views->q_norm = -1;
    pthread_mutex_init(&views->lock, NULL);
    pthread_cond_init(&views->given, NULL);
    return MO_OK;
}

void mo_views_destroy(const mo_allocator *allocator, mo_views *views)
{
    if (!views) return;
    for (int order = 0; order < MO_SWEEP_ORDERS; ++order)
        mo_sweep_destroy(allocator, views->sweep[order]);
    mo_batches_destroy(allocator, views->batches);
    mo_compact_destroy(allocator, views->compact);
    mo_contact_space_destroy(allocator, views->contact_space);
    mo_body_space_destroy(allocator, views->body_space);
    mo_group_space_destroy(allocator, views->group_space);
    mo_memory_free(allocator, views->dense);
    pthread_cond_destroy(&views->given);
    pthread_mutex_destroy(&views->lock);
    mo_memory_free(allocator, views);
}

static size_t dense_bytes(const mo_problem *problem)
{
    return (size_t)problem->row_count * (size_t)mo_dense_ld(problem) * sizeof(double);
}

size_t mo_views_bytes(mo_views *views)
{
    size_t bytes = sizeof *views;
    take(views);
    for (int order = 0; order < MO_SWEEP_ORDERS; ++order)
        bytes += views->sweep[order] ? views->sweep[order]->bytes : 0;
    bytes += views->compact ? mo_compact_bytes(views->owner, views->compact) : 0;
    bytes += views->batches ? views->batches->bytes : 0;
    bytes += views->contact_space ? views->contact_space->bytes : 0;
    bytes += views->body_space ? views->body_space->bytes : 0;
    bytes += views->group_space ? views->group_space->bytes : 0;
    bytes += views->dense ? dense_bytes(views->owner) : 0;
    give(views);
    return bytes;
}

/* *out is a view of the problem, which is made first where it is missing. */
#define RETURN_VIEW(views, view, make, out)                                                        \
    do {                                                                                           \
        mo_error made = MO_OK;                                                                     \
        take(views);                                                                               \
        if (!(views)->view) made = (make);                                                         \
        *(out) = (views)->view;                                                                    \
        give(views);                                                                               \
        return made;                                                                               \
    } while (0)

mo_error mo_problem_sweep(const mo_problem *problem, mo_sweep_order order, const mo_sweep **sweep)
{
    mo_views *views = problem->views;
    mo_problem_write_rows(problem);
    RETURN_VIEW(views, sweep[order], mo_sweep_create(problem, order, &views->sweep[order]), sweep);
}

void mo_problem_write_rows(const mo_problem *problem)
{
    mo_views *views = problem->views;
    if (!problem->compact) return;
    take(views);
    if (!views->has_rows) {
        /* Rows are a view stored in the problem; readers of rows call this first. */
        mo_compact_write_rows(views->owner);
        views->has_rows = 1;
    }
    give(views);
}

mo_error mo_problem_compact(const mo_problem *problem, const mo_compact **compact)
{
    mo_views *views = problem->views;
    *compact = problem->compact;
    if (*compact) return MO_OK;
    RETURN_VIEW(views, compact, mo_compact_find(problem, &views->compact), compact);
}

mo_error mo_problem_swept_contacts(const mo_problem *problem, int *count)
{
    const mo_compact *compact;
    const mo_error error = mo_problem_compact(problem, &compact);
    *count = error ? 0 : compact->contact_count;
    const int has_rows = *count < problem->constraint_count;
    for (int i = 0; i < problem->constraint_count && has_rows && !error; ++i)
        *count += compact->contact_of[i] < 0 && mo_constraint_law(problem, i)->relax;
    return error;
}

mo_error mo_problem_batches(const mo_problem *problem, const mo_batches **batches)
{
    mo_views *views = problem->views;
    const mo_compact *compact;
    *batches = NULL;
    MO_TRY(mo_problem_compact(problem, &compact));
    RETURN_VIEW(views, batches, mo_batches_create(problem, compact, NULL, &views->batches),
                batches);
}

mo_error mo_problem_contact_space(const mo_problem *problem, const mo_contact_space **space)
{
    mo_views *views = problem->views;
    mo_error error = MO_OK;
    mo_problem_write_rows(problem);
    mo_contact_space *made = NULL;
    take(views);
    const int is_missing = !views->contact_space;
    give(views);
    if (is_missing) /* outside the lock: reducing a problem needs its sweep view */
        error = mo_contact_space_create(problem, &made);
    take(views);
    if (!views->contact_space) {
        views->contact_space = made;
        made = NULL;
    }
    *space = views->contact_space;
    give(views);
    mo_contact_space_destroy(&problem->allocator, made); /* another thread was faster */
    return error;
}

mo_error mo_problem_body_space(const mo_problem *problem, const mo_body_space **space)
{
    mo_views *views = problem->views;
    mo_problem_write_rows(problem);
    RETURN_VIEW(views, body_space, mo_body_space_create(problem, &views->body_space), space);
}

mo_error mo_problem_group_space(const mo_problem *problem, const mo_group_space **space)
{
    const mo_contact_space *contact;
    mo_views *views = problem->views;
    mo_error error = MO_OK;
    *space = NULL;
    MO_TRY(mo_problem_contact_space(problem, &contact));
    take(views);
    if (!views->groups_are_known) {
        error = mo_group_space_create(contact, &views->group_space);
        views->groups_are_known = !error;
    }
    *space = views->group_space;
    give(views);
    return error;
}

static double *make_dense(const mo_problem *problem)
{
    const size_t room = mo_dense_scratch(problem), bytes = dense_bytes(problem);
    double *W = mo_memory_array(&problem->allocator, bytes + sizeof *W, 1), *scratch = W;
    if (room) scratch = mo_memory_array(&problem->allocator, room, sizeof *scratch);
    if (W && scratch) {
        mo_dense_delassus(problem, mo_dense_ld(problem), W, scratch);
    } else {
        mo_memory_free(&problem->allocator, W);
        W = NULL;
    }
    if (room) mo_memory_free(&problem->allocator, scratch);
    return W;
}

mo_error mo_problem_dense(const mo_problem *problem, const double **W)
{
    mo_views *views = problem->views;
    *W = atomic_load_explicit(&views->dense, memory_order_acquire);
    if (*W) return MO_OK;
    mo_problem_write_rows(problem);
    take(views);
    if (!views->dense) views->dense = make_dense(problem);
    *W = views->dense;
    give(views);
    return *W ? MO_OK : MO_ERR_MEMORY;
}

static double q_norm_of_batches(const mo_batches *b)
{
    const mo_batch_pass pass = {.batches = b, .state = b->free_state};
    double square = mo_batch_speeds(&pass, 0, b->batch_count);
    for (int k = 0; k < b->row_count; ++k) {
        const int d = mo_constraint_dim(b->problem, b->row[k].constraint);
        double u[MO_BILATERAL_MAX_DIM];
        mo_row_velocity(b, b->row + k, b->free_state, u);
        square += mo_dot(d, u, u);
    }
    return sqrt(square);
}

/* The lanes of a problem with many compact contacts; NULL of others, or without memory. */
static const mo_batches *batches_of_many(const mo_problem *problem)
{
    const mo_batches *batches = NULL;
    const int is_many = problem->compact && problem->compact->contact_count >= MANY;
    return is_many && !mo_problem_batches(problem, &batches) ? batches : NULL;
}

int mo_problem_q_norm_into(const mo_problem *problem, double *scratch, double *norm)
{
    const int rows = problem->row_count, is_global = problem->form == MO_FORM_GLOBAL;
    const double *q = is_global ? scratch + problem->dof_count : problem->w;
    *norm = atomic_load_explicit(&problem->views->q_norm, memory_order_relaxed);
    if (*norm >= 0) return 0;
    const mo_batches *batches = batches_of_many(problem);
    if (batches) {
        *norm = q_norm_of_batches(batches);
        atomic_store_explicit(&problem->views->q_norm, *norm, memory_order_relaxed);
        return 0;
    }
    if (is_global) mo_problem_response_into(problem, NULL, scratch, scratch + problem->dof_count);
    *norm = sqrt(mo_dot(rows, q, q)); /* concurrent threads compute the same value */
    atomic_store_explicit(&problem->views->q_norm, *norm, memory_order_relaxed);
    return is_global;
}

mo_error mo_problem_q_norm(const mo_problem *problem, double *norm)
{
    const size_t room = (size_t)problem->dof_count + (size_t)problem->row_count;
    double *scratch = NULL;
    *norm = atomic_load_explicit(&problem->views->q_norm, memory_order_relaxed);
    if (*norm >= 0) return MO_OK;
    if (problem->form == MO_FORM_GLOBAL) {
        scratch = mo_memory_array(&problem->allocator, room, sizeof *scratch);
        MO_NEED_MEMORY(scratch, NULL);
    }
    mo_problem_q_norm_into(problem, scratch, norm);
    mo_memory_free(&problem->allocator, scratch);
    return MO_OK;
}
