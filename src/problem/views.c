/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/views.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "linalg/dense.h"

struct mo_views {
    pthread_mutex_t lock;
    mo_sweep *sweep[MO_SWEEP_ORDERS];
    mo_balls *balls;
    int balls_were_sought; /* balls may be NULL all the same: the problem is not one of them */
    mo_kkt *kkt;
    mo_contact_space *contact_space;
    mo_body_space *body_space;
    mo_group_space *group_space;
    int groups_are_known; /* there may be none */
    _Atomic double q_norm; /* negative until it is known */
};

mo_error mo_views_create(const mo_allocator *allocator, mo_views **out)
{
    mo_views *views = mo_memory_array(allocator, 1, sizeof *views);
    *out = views;
    if (!views) {
        return MO_ERR_MEMORY;
    }
    memset(views, 0, sizeof *views);
    views->q_norm = -1;
    pthread_mutex_init(&views->lock, NULL);
    return MO_OK;
}

void mo_views_destroy(const mo_allocator *allocator, mo_views *views)
{
    if (!views) {
        return;
    }
    for (int order = 0; order < MO_SWEEP_ORDERS; ++order) {
        mo_sweep_destroy(allocator, views->sweep[order]);
    }
    mo_balls_destroy(allocator, views->balls);
    mo_kkt_destroy(allocator, views->kkt);
    mo_contact_space_destroy(allocator, views->contact_space);
    mo_body_space_destroy(allocator, views->body_space);
    mo_group_space_destroy(allocator, views->group_space);
    pthread_mutex_destroy(&views->lock);
    mo_memory_free(allocator, views);
}

size_t mo_views_bytes(mo_views *views)
{
    size_t bytes = sizeof *views;
    pthread_mutex_lock(&views->lock);
    for (int order = 0; order < MO_SWEEP_ORDERS; ++order) {
        bytes += views->sweep[order] ? views->sweep[order]->bytes : 0;
    }
    bytes += views->balls ? mo_balls_bytes(views->balls) : 0;
    bytes += views->kkt ? views->kkt->bytes : 0;
    bytes += views->contact_space ? views->contact_space->bytes : 0;
    bytes += views->body_space ? views->body_space->bytes : 0;
    bytes += views->group_space ? views->group_space->bytes : 0;
    pthread_mutex_unlock(&views->lock);
    return bytes;
}

mo_error mo_problem_sweep(const mo_problem *problem, mo_sweep_order order, const mo_sweep **sweep)
{
    mo_views *views = problem->views;
    mo_error error = MO_OK;
    pthread_mutex_lock(&views->lock);
    if (!views->sweep[order]) {
        error = mo_sweep_create(problem, order, &views->sweep[order]);
    }
    *sweep = views->sweep[order];
    pthread_mutex_unlock(&views->lock);
    return error;
}

mo_error mo_problem_balls(const mo_problem *problem, const mo_balls **balls)
{
    mo_views *views = problem->views;
    mo_error error = MO_OK;
    pthread_mutex_lock(&views->lock);
    if (!views->balls_were_sought) {
        error = mo_balls_create(problem, &views->balls);
        views->balls_were_sought = !error;
    }
    *balls = views->balls;
    pthread_mutex_unlock(&views->lock);
    return error;
}

mo_error mo_problem_kkt(const mo_problem *problem, const mo_kkt **kkt)
{
    mo_views *views = problem->views;
    mo_error error = MO_OK;
    pthread_mutex_lock(&views->lock);
    if (!views->kkt) {
        error = mo_kkt_create(problem, &views->kkt);
    }
    *kkt = views->kkt;
    pthread_mutex_unlock(&views->lock);
    return error;
}

mo_error mo_problem_contact_space(const mo_problem *problem, const mo_contact_space **space)
{
    mo_views *views = problem->views;
    mo_error error = MO_OK;
    mo_contact_space *made = NULL;
    pthread_mutex_lock(&views->lock);
    const int is_missing = !views->contact_space;
    pthread_mutex_unlock(&views->lock);
    if (is_missing) { /* outside the lock: reducing a problem asks for its sweep view */
        error = mo_contact_space_create(problem, &made);
    }
    pthread_mutex_lock(&views->lock);
    if (!views->contact_space) {
        views->contact_space = made;
        made = NULL;
    }
    *space = views->contact_space;
    pthread_mutex_unlock(&views->lock);
    mo_contact_space_destroy(&problem->allocator, made); /* another thread was faster */
    return error;
}

mo_error mo_problem_body_space(const mo_problem *problem, const mo_body_space **space)
{
    mo_views *views = problem->views;
    mo_error error = MO_OK;
    pthread_mutex_lock(&views->lock);
    if (!views->body_space) {
        error = mo_body_space_create(problem, &views->body_space);
    }
    *space = views->body_space;
    pthread_mutex_unlock(&views->lock);
    return error;
}

mo_error mo_problem_group_space(const mo_problem *problem, const mo_group_space **space)
{
    const mo_contact_space *contact;
    mo_views *views = problem->views;
    mo_error error = mo_problem_contact_space(problem, &contact);
    *space = NULL;
    if (error) {
        return error;
    }
    pthread_mutex_lock(&views->lock);
    if (!views->groups_are_known) {
        error = mo_group_space_create(contact, &views->group_space);
        views->groups_are_known = !error;
    }
    *space = views->group_space;
    pthread_mutex_unlock(&views->lock);
    return error;
}

int mo_problem_q_norm_into(const mo_problem *problem, double *scratch, double *norm)
{
    const int rows = problem->row_count, is_global = problem->form == MO_FORM_GLOBAL;
    const double *q = is_global ? scratch + problem->dof_count : problem->w;
    *norm = atomic_load_explicit(&problem->views->q_norm, memory_order_relaxed);
    if (*norm >= 0) {
        return 0;
    }
    if (is_global) {
        mo_problem_response_into(problem, NULL, scratch, scratch + problem->dof_count);
    }
    *norm = sqrt(mo_dot(rows, q, q)); /* threads that come here together compute the same */
    atomic_store_explicit(&problem->views->q_norm, *norm, memory_order_relaxed);
    return is_global;
}

mo_error mo_problem_q_norm(const mo_problem *problem, double *norm)
{
    const size_t room = (size_t)problem->dof_count + (size_t)problem->row_count;
    double *scratch = NULL;
    *norm = atomic_load_explicit(&problem->views->q_norm, memory_order_relaxed);
    if (*norm >= 0) {
        return MO_OK;
    }
    if (problem->form == MO_FORM_GLOBAL) {
        scratch = mo_memory_array(&problem->allocator, room, sizeof *scratch);
        if (!scratch) {
            return MO_ERR_MEMORY;
        }
    }
    mo_problem_q_norm_into(problem, scratch, norm);
    mo_memory_free(&problem->allocator, scratch);
    return MO_OK;
}
