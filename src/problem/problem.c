/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Access to a problem, and computations that need no view: velocities and responses. */
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "problem/problem_data.h"
#include "problem/views.h"

void mo_problem_destroy(mo_problem *problem)
{
    if (!problem) return;
    const mo_allocator own = problem->allocator;
    mo_views_destroy(&own, problem->views);
    void *const arrays[] = {problem->body_start,  problem->mass_start,  problem->M,
                            problem->factor,      problem->f,           problem->row_start,
                            problem->law,         problem->param,       problem->w,
                            problem->compliance,  problem->block_start, problem->block_index,
                            problem->value_start, problem->values,      problem->asymmetric,
                            problem->body_id,     problem->rate_scale};
    mo_compact_destroy(&own, problem->compact);
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; ++k)
        mo_memory_free(&own, arrays[k]);
    mo_memory_free(&own, problem);
}

MO_GETTER(mo_form, mo_problem_form, mo_problem, form)
MO_GETTER(int, mo_problem_body_count, mo_problem, body_count)
MO_GETTER(int, mo_problem_constraint_count, mo_problem, constraint_count)
MO_GETTER(int, mo_problem_dof_count, mo_problem, dof_count)
MO_GETTER(int, mo_problem_row_count, mo_problem, row_count)

static bool is_below(int k, int count)
{
    return k >= 0 && k < count;
}

mo_body_view mo_problem_body(const mo_problem *problem, int body)
{
    MO_NEED_OR((mo_body_view){0}, problem && is_below(body, problem->body_count), NULL);
    const int start = problem->body_start[body];
    mo_problem_write_rows(problem);
    return (mo_body_view){mo_body_dim(problem, body), start, problem->M + problem->mass_start[body],
                          problem->f + start, !problem->asymmetric[body]};
}

mo_constraint_view mo_problem_constraint(const mo_problem *problem, int constraint)
{
    MO_NEED_OR((mo_constraint_view){0}, problem && is_below(constraint, problem->constraint_count),
               NULL);
    const int row = problem->row_start[constraint];
    mo_constraint_view view = {
        .dim = mo_constraint_dim(problem, constraint),
        .offset = row,
        .law = {.kind = (mo_law_kind)problem->law[constraint].kind},
        .w = problem->w + row,
        .block_count = problem->block_start[constraint + 1] - problem->block_start[constraint],
    };
    mo_law_unpack(mo_constraint_param(problem, constraint), view.dim, &view.law);
    view.law.compliance = problem->compliance ? problem->compliance + row : NULL;
    return view;
}

mo_block_view mo_problem_block(const mo_problem *problem, int constraint, int k)
{
    MO_NEED_OR(
        (mo_block_view){0},
        problem && is_below(constraint, problem->constraint_count) &&
            is_below(k, problem->block_start[constraint + 1] - problem->block_start[constraint]),
        NULL);
    mo_problem_write_rows(problem);
    const int d = mo_constraint_dim(problem, constraint);
    const int *index = problem->block_index + problem->block_start[constraint];
    const double *values = problem->values + problem->value_start[constraint];
    for (int j = 0; j < k; ++j)
        values += (size_t)d * (size_t)mo_block_columns(problem, index[j]);
    return (mo_block_view){index[k], values};
}

/* ---- computing ------------------------------------------------------------------------------- */

/* First column of a block: among the velocities, or among the rows of its constraint. */
static const int *block_starts(const mo_problem *problem)
{
    return problem->form == MO_FORM_GLOBAL ? problem->body_start : problem->row_start;
}

/* v gains J' r_i for every block J of constraint i. */
static void push(const mo_problem *problem, int i, const double *r_i, double *v)
{
    const int d = mo_constraint_dim(problem, i), *start = block_starts(problem);
    const double *J = problem->values + problem->value_start[i];
    for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
        const int index = problem->block_index[k], n = mo_block_columns(problem, index);
        for (int j = 0; j < d; ++j, J += n)
            mo_axpy(n, r_i[j], J, v + start[index]);
    }
}

/* The contact of constraint i where it is given in compact form, else NULL. */
static const mo_compact_contact *compact_of(const mo_problem *problem, int i)
{
    const mo_compact *compact = problem->compact;
    return compact && compact->contact_of[i] >= 0 ? compact->contact + compact->contact_of[i]
                                                  : NULL;
}

/* The momenta of the two bodies gain the impulse sum_k r_k e_k and its moment. */
static void push_compact(const mo_problem *problem, const mo_compact_contact *contact,
                         const double r[3], double *v)
{
    const double *e = contact->frame;
    for (int side = 0; side < 2; ++side) {
        if (contact->body[side] < problem->body_count) {
            double impulse[3], moment[3];
            double *to = v + problem->body_start[contact->body[side]];
            for (int x = 0; x < 3; ++x) {
                impulse[x] = r[0] * e[x] + r[1] * e[3 + x] + r[2] * e[6 + x];
                impulse[x] = side ? -impulse[x] : impulse[x];
            }
            mo_vec3_cross(contact->arm[side], impulse, moment);
            mo_vec3_along(to, 1, impulse, to);
            mo_vec3_along(to + 3, 1, moment, to + 3);
        }
    }
}

/* v <- M^-1 v of one body. */
static void solve_mass(const mo_problem *problem, int b, double *v)
{
    const mo_rigid *rigid = problem->compact ? problem->compact->rigid + b : NULL;
    const int n = mo_body_dim(problem, b);
    if (rigid && rigid->inverse_mass > 0)
        mo_rigid_accelerate(rigid, v, v);
    else
        mo_solve_factored(n, mo_body_factor(problem, b), v);
}

void mo_problem_push(const mo_problem *problem, const double *r, double *v)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const mo_compact_contact *contact = compact_of(problem, i);
        mo_pace_every(i + 1, 512);
        if (contact)
            push_compact(problem, contact, r + problem->row_start[i], v);
        else
            push(problem, i, r + problem->row_start[i], v);
    }
}

void mo_problem_velocity(const mo_problem *problem, const double *r, double *v)
{
    MO_NEED_OR(, problem && v && problem->form == MO_FORM_GLOBAL, NULL);
    if (problem->dof_count) memcpy(v, problem->f, (size_t)problem->dof_count * sizeof *v);
    if (r) mo_problem_push(problem, r, v);
    for (int b = 0; b < problem->body_count; ++b) {
        mo_pace_every(b + 1, 512);
        solve_mass(problem, b, v + problem->body_start[b]);
    }
}

/* u gains the velocity at the point along the axes of the contact. */
static void pull_compact(const mo_problem *problem, const mo_compact_contact *contact,
                         const double *v, double u[3])
{
    double slip[3] = {0};
    for (int side = 0; side < 2; ++side) {
        if (contact->body[side] < problem->body_count) {
            const double *own = v + problem->body_start[contact->body[side]];
            double turn[3];
            mo_vec3_cross(own + 3, contact->arm[side], turn);
            mo_vec3_along(slip, side ? -1 : 1, own, slip);
            mo_vec3_along(slip, side ? -1 : 1, turn, slip);
        }
    }
    for (int k = 0; k < 3; ++k)
        u[k] += mo_vec3_dot(contact->frame + 3 * k, slip);
}

void mo_problem_pull(const mo_problem *problem, const double *x, double *u)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i], d = mo_constraint_dim(problem, i);
        const double *block = problem->values + problem->value_start[i];
        const mo_compact_contact *contact = compact_of(problem, i);
        mo_pace_every(i + 1, 512);
        if (problem->form == MO_FORM_REDUCED) {
            mo_reduced_row(problem, i, x, u + row);
            continue;
        }
        if (contact) {
            pull_compact(problem, contact, x, u + row);
            continue;
        }
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int body = problem->block_index[k], n = mo_body_dim(problem, body);
            mo_add_block(d, n, block, x + problem->body_start[body], u + row);
            block += (size_t)d * n;
        }
    }
}

/* u = w + H' v (global) or w + W r (reduced); NULL means zero. */
static void relative_velocity(const mo_problem *problem, const double *x, double *u)
{
    mo_pace_copy(u, problem->w, (size_t)problem->row_count * sizeof *u);
    if (x) mo_problem_pull(problem, x, u);
}

void mo_problem_relative_velocity(const mo_problem *problem, const double *v, double *u)
{
    MO_NEED_OR(, problem && (v || problem->dof_count == 0) && u && problem->form == MO_FORM_GLOBAL,
               NULL);
    relative_velocity(problem, v, u);
}

void mo_problem_response_into(const mo_problem *problem, const double *r, double *v, double *u)
{
    const bool is_global = problem->form == MO_FORM_GLOBAL;
    if (is_global) mo_problem_velocity(problem, r, v);
    relative_velocity(problem, is_global ? v : r, u);
}

mo_error mo_problem_response(const mo_problem *problem, const double *r, double *u)
{
    MO_NEED(problem && u, NULL);
    double *v = mo_memory_array(&problem->allocator, (size_t)problem->dof_count, sizeof *v);
    MO_NEED_MEMORY(v, NULL);
    mo_problem_response_into(problem, r, v, u);
    mo_memory_free(&problem->allocator, v);
    return MO_OK;
}

size_t mo_problem_bytes(const mo_problem *problem)
{
    MO_NEED_OR(0, problem, NULL);
    const size_t bodies = (size_t)problem->body_count, rows = (size_t)problem->row_count;
    const size_t constraints = (size_t)problem->constraint_count;
    const size_t masses = problem->mass_start[bodies],
                 blocks = (size_t)problem->block_start[constraints];
    const size_t values = problem->value_start[constraints];
    return sizeof *problem + bodies * (sizeof(int) + sizeof(size_t) + 1) +
           (2 * masses + (size_t)problem->dof_count) * sizeof(double) +
           constraints * (2 * sizeof(int) + sizeof(size_t) + sizeof(mo_law_ref)) +
           (rows * (problem->compliance ? 2 : 1) + problem->param_count + values) * sizeof(double) +
           (problem->compact ? mo_compact_bytes(problem, problem->compact) : 0) +
           blocks * sizeof(int) + mo_views_bytes(problem->views);
}

size_t mo_square_starts(const mo_problem *problem, size_t *start)
{
    size_t total = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const size_t d = (size_t)mo_constraint_dim(problem, i);
        if (start) start[i] = total;
        total += d * d;
    }
    return total;
}

void mo_list_incidence(const mo_problem *problem, int *start, int *list)
{
    memset(start, 0, ((size_t)problem->body_count + 2) * sizeof *start);
    for (int k = 0; k < problem->block_start[problem->constraint_count]; ++k)
        ++start[problem->block_index[k] + 2];
    mo_running_sums(problem->body_count, start + 1);
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i + 1, 128);
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k)
            list[start[problem->block_index[k] + 1]++] = i;
    }
}
