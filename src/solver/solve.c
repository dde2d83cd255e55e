/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * mo_solve: checks the problem and the options, detects contradictions, allocates the workspace
 * once, runs the method, and measures the best iterate.
 */
#include "moreau/solve.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/pace.h"
#include "device/device.h"
#include "linalg/blas_threads.h"
#include "linalg/dense.h"
#include "measure/measure_blocks.h"
#include "problem/views.h"
#include "solver/method.h"
#include "solver/refine.h"

enum { HISTORY_ROOM = 4096 };

#define MO_STATUS_WORD(name, word, text) word,
MO_NAMES(mo_status_name, mo_status, "unknown", MO_STATUS_LIST(MO_STATUS_WORD))

#define MO_STATUS_TEXT(name, word, text) text,
MO_NAMES(mo_status_text, mo_status, "unknown status", MO_STATUS_LIST(MO_STATUS_TEXT))

void mo_result_clear(mo_result *result)
{
    MO_NEED_OR(, result, NULL);
    const mo_allocator own = mo_allocator_or_default(&result->allocator);
    mo_memory_free(&own, result->v); /* v, u, r and the ray are one block */
    mo_memory_free(&own, result->history);
    *result = (mo_result){0};
}

/* ---- checks ---------------------------------------------------------------------------------- */

static mo_error check_laws(const mo_problem *problem, const mo_method *method, mo_message *why)
{
    for (int i = 0; problem->laws & ~method->laws && i < problem->constraint_count; ++i) {
        MO_FAIL_IF(!(method->laws & MO_LAW_BIT(problem->law[i].kind)),
                   mo_fail(why, MO_ERR_UNSUPPORTED,
                           "method %s does not take the %s law of constraint %d", method->name,
                           mo_constraint_law(problem, i)->name, i));
    }
    return MO_OK;
}

static mo_error choose_method(const mo_options *options, const mo_method **method, mo_message *why)
{
    const int index = options->method ? mo_method_find(options->method) : 0;
    MO_REFUSE_IF(index < 0, why, "there is no method '%.80s'", options->method);
    *method = mo_methods[index];
    return MO_OK;
}

/* device = gpu is a requirement: it is fulfilled, or refused with a message. */
static mo_error check_device(const mo_options *options, const mo_method *method, mo_message *why)
{
    enum { DEVICE_GPU = 2 };
    if (options->device != DEVICE_GPU) return MO_OK;
    MO_FAIL_IF(method != &mo_nsgs_method && method != &mo_auto_method,
               mo_fail(why, MO_ERR_UNSUPPORTED,
                       "device = gpu: method %s runs only on the CPU; use nsgs or auto",
                       method->name));
    return mo_device_find_gpu(why);
}

static mo_error check_call(const mo_problem *problem, const mo_options *options,
                           const mo_method **method, mo_message *why)
{
    MO_REFUSE_IF(!problem, why, "no problem was given");
    MO_TRY(mo_options_check(options, why));
    MO_REFUSE_IF(options->start && !mo_all_finite(options->start, (size_t)problem->row_count), why,
                 "the starting point holds a number that is not finite");
    mo_error error = choose_method(options, method, why);
    error = error ? error : check_device(options, *method, why);
    error = error ? error : check_laws(problem, *method, why);
    return error || !(*method)->check ? error : (*method)->check(problem, options, why);
}

/* Has no impulse an effect on this block? It has no body, or a zero Jacobian, and no compliance. */
static int is_immovable(const mo_problem *problem, int i)
{
    if (problem->compact && problem->compact->contact_of[i] >= 0)
        return 0; /* it has a body, which is free */
    for (size_t k = problem->value_start[i]; k < problem->value_start[i + 1]; ++k)
        if (problem->values[k] != 0) return 0;
    for (int row = problem->row_start[i]; problem->compliance && row < problem->row_start[i + 1];
         ++row)
        if (problem->compliance[row] != 0) return 0;
    return 1;
}

/* Such a block has no solution if its fixed velocity w violates its law. */
static int find_contradiction(const mo_problem *problem)
{
    double r[MO_BILATERAL_MAX_DIM], z[MO_BILATERAL_MAX_DIM];
    static const double zero[MO_BILATERAL_MAX_DIM * MO_BILATERAL_MAX_DIM];
    for (int i = 0; i < problem->constraint_count; ++i) {
        if (!is_immovable(problem, i)) continue;
        const mo_law_ops *law = mo_constraint_law(problem, i);
        const double *p = mo_constraint_param(problem, i), *w = problem->w + problem->row_start[i];
        const int d = mo_constraint_dim(problem, i);
        law->solve(p, d, zero, w, r);
        mo_law_natural(law, p, d, 1, w, r, z);
        if (mo_dot(d, z, z) > 0) return i;
    }
    return -1;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static mo_error prepare_result(const mo_problem *problem, const mo_options *options,
                               mo_result *result)
{
    const size_t rows = (size_t)problem->row_count, dofs = (size_t)problem->dof_count;
    const size_t needed = dofs + 3 * rows + 1; /* v, u, r and room for a ray */
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
    result->u = result->v + dofs;
    result->r = result->u + rows;
    result->ray = NULL;
    result->history_count = 0;
    if (options->history && !result->history) {
        result->history = mo_memory_array(&result->allocator, HISTORY_ROOM, sizeof(mo_progress));
        result->history_room = result->history ? HISTORY_ROOM : 0;
        return result->history ? MO_OK : MO_ERR_MEMORY;
    }
    return MO_OK;
}

static void clear_vectors(mo_result *result)
{
    if (result->v) memset(result->v, 0, result->vector_room * sizeof *result->v);
}

/* The starting point, each block moved to the nearest impulse that its law allows. */
static void set_start(mo_run *run)
{
    const mo_problem *problem = run->problem;
    const double *start = run->options->start;
    if (!start) {
        memset(run->r, 0, (size_t)problem->row_count * sizeof *run->r);
        if (!(problem->laws & MO_LAW_BIT(MO_LAW_BOX))) /* zero is in all other sets */
            return;
    }
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = problem->row_start[i + 1] - row;
        const double *x = (start ? start : run->r) + row;
        mo_pace_every(i + 1, 512);
        if (start || problem->law[i].kind == MO_LAW_BOX) {
            mo_constraint_law(problem, i)
                ->project(mo_constraint_param(problem, i), d, x, run->r + row);
        }
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

mo_error mo_finish_result(const mo_problem *problem, mo_result *result)
{
    mo_pace();
    if (problem->form == MO_FORM_GLOBAL) {
        mo_problem_velocity(problem, result->r, result->v);
        mo_pace();
        mo_problem_relative_velocity(problem, result->v, result->u);
    } else {
        mo_problem_response_into(problem, result->r, NULL, result->u);
    }
    mo_pace();
    return mo_measure(problem, result->r, &result->residual);
}

static void explain_contradiction(const mo_problem *problem, int i, mo_result *result)
{
    result->status = MO_NO_SOLUTION;
    mo_say(
        &result->message,
        "no body can move constraint %d (%s), and its velocity w breaks its law: no impulse helps",
        i, mo_constraint_law(problem, i)->name);
}

static mo_error iterate(const mo_method *method, mo_run *run, void *workspace)
{
    mo_result *result = run->result;
    mo_pace();
    set_start(run);
    mo_pace();
    memcpy(result->r, run->r, (size_t)run->problem->row_count * sizeof(double));
    result->setup_seconds = method == &mo_auto_method
                                ? 0
                                : mo_work_clock() - run->start_time; /* its rungs have their own */
    result->status = method->solve(run, workspace);
    return run->error;
}

mo_error mo_solve_once(const mo_problem *problem, const mo_options *options,
                       const mo_method *method, double start_time, mo_result *result)
{
    mo_run run = {.problem = problem,
                  .options = options,
                  .result = result,
                  .start_time = start_time,
                  .best = INFINITY,
                  .history_stride = 1};
    void *memory = NULL, *workspace = NULL;
    double q_norm = 0;
    result->iterations = 0;
    result->explanation.rung_count = 0;
    mo_error error = mo_run_make_room(&run, method, 1, &memory, &workspace);
    mo_pace();
    if (!error) {
        run.has_q = mo_problem_q_norm_into(problem, run.scratch, &q_norm);
        run.q_scale = fmax(1, q_norm);
        error = iterate(method, &run, workspace);
    }
    if (!error &&
        run.is_confirmed) { /* the measure has seen this r last: v and u lie in its scratch */
        const size_t numbers = (size_t)problem->dof_count + (size_t)problem->row_count;
        memcpy(result->v, run.scratch, numbers * sizeof(double));
        result->residual = run.residual;
    } else if (!error) {
        error = mo_finish_result(problem, result);
    }
    mo_memory_free(&problem->allocator, memory);
    return error;
}

static mo_error solve_checked(const mo_problem *problem, const mo_options *options,
                              const mo_method *method, double start_time, mo_result *result)
{
    mo_error error = prepare_result(problem, options, result);
    mo_pace();
    const int contradiction = find_contradiction(problem);
    if (!error && contradiction >= 0) {
        clear_vectors(result);
        result->iterations = 0;
        explain_contradiction(problem, contradiction, result);
        error = mo_finish_result(problem, result);
    } else if (!error) {
        mo_pace();
        error = mo_solve_refined(problem, options, method, start_time, result);
    }
    if (error) clear_vectors(result);
    return error;
}

/* Does the start share the vectors of the result, which are about to be overwritten? */
static int start_is_result(const mo_problem *problem, const mo_options *options,
                           const mo_result *result)
{
    const uintptr_t start = (uintptr_t)options->start, first = (uintptr_t)result->v;
    return start && start < first + result->vector_room * sizeof(double) &&
           start + (size_t)problem->row_count * sizeof(double) > first;
}

/* A caller may start from the vectors of the same result: they are copied. */
static mo_error solve_from_copy(const mo_problem *problem, const mo_options *options,
                                const mo_method *method, double start_time, mo_result *result)
{
    const size_t rows = (size_t)problem->row_count;
    mo_options own = *options;
    double *copy = mo_memory_array(&problem->allocator, rows, sizeof *copy);
    MO_NEED_MEMORY(copy, NULL);
    memcpy(copy, options->start, rows * sizeof *copy);
    own.start = copy;
    const mo_error error = solve_checked(problem, &own, method, start_time, result);
    mo_memory_free(&problem->allocator, copy);
    return error;
}

mo_error mo_solve(const mo_problem *problem, const mo_options *options, mo_result *result)
{
    MO_NEED(result, NULL);
    const double start_time = mo_work_clock();
    const mo_options *use = options ? options : mo_options_default();
    const mo_method *method = NULL;
    result->message.text[0] = '\0';
    result->status = MO_STALLED;
    MO_TRY(check_call(problem, use, &method, &result->message));
    if (!result->allocator.reallocate) result->allocator = problem->allocator;
    result->method = method->name;
    result->dof_count = problem->dof_count;
    result->row_count = problem->row_count;
    result->contraction = 0;
    if (method->uses_blas) mo_blas_threads_begin();
    mo_error error = start_is_result(problem, use, result)
                         ? solve_from_copy(problem, use, method, start_time, result)
                         : solve_checked(problem, use, method, start_time, result);
    if (method->uses_blas) mo_blas_threads_end();
    result->seconds = mo_work_clock() - start_time;
    if (error) mo_fail(&result->message, error, "%s", mo_error_text(error));
    return error;
}
