/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Completes a problem: checks form, indices, sizes and masses, sorts the blocks, factors the masses
 * and transfers the arrays to the problem.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/dense.h"
#include "problem/builder_data.h"
#include "problem/views.h"

static void *steal(mo_builder_array *p)
{
    void *data = p->data;
    *p = (mo_builder_array){0};
    return data;
}

static mo_error check_form(mo_builder *builder)
{
    MO_FAIL_IF(builder->couplings && (builder->jacobians || builder->body_start.count),
               mo_fail(&builder->why, MO_ERR_PROBLEM,
                       "a problem has bodies and Jacobians, or couplings W, but not both"));
    MO_FAIL_IF(builder->blocks.count > INT_MAX,
               mo_fail(&builder->why, MO_ERR_PROBLEM, "there are more than %d blocks", INT_MAX));
    return MO_OK;
}

static mo_error check_block(mo_builder *builder, const mo_problem *problem, size_t k)
{
    const mo_block_record *block = (const mo_block_record *)builder->blocks.data + k;
    const int columns =
        problem->form == MO_FORM_GLOBAL ? problem->body_count : problem->constraint_count;
    const char *what = problem->form == MO_FORM_GLOBAL ? "body" : "constraint";
    MO_FAIL_IF(block->constraint >= problem->constraint_count || block->index >= columns,
               mo_fail(&builder->why, MO_ERR_PROBLEM,
                       "block %zu names constraint %d of %d and %s %d of %d", k, block->constraint,
                       problem->constraint_count, what, block->index, columns));
    const int rows = mo_constraint_dim(problem, block->constraint);
    const int width = mo_block_columns(problem, block->index);
    MO_FAIL_IF(block->rows != rows || block->columns != width,
               mo_fail(&builder->why, MO_ERR_PROBLEM,
                       "the block of constraint %d and %s %d is %d x %d, but should be %d x %d",
                       block->constraint, what, block->index, block->rows, block->columns, rows,
                       width));
    MO_FAIL_IF(((const int *)builder->contact_of.data)[block->constraint] >= 0,
               mo_fail(&builder->why, MO_ERR_PROBLEM,
                       "constraint %d is a contact, which takes no further Jacobians",
                       block->constraint));
    return MO_OK;
}

/* Do constraint and index rise? */
static mo_error check_blocks(mo_builder *builder, const mo_problem *problem, int *rises)
{
    const mo_block_record *blocks = builder->blocks.data;
    for (size_t k = 0; k < builder->blocks.count; ++k) {
        mo_pace_every(k, 1024);
        MO_TRY(check_block(builder, problem, k));
        *rises &= k == 0 || blocks[k - 1].constraint < blocks[k].constraint ||
                  (blocks[k - 1].constraint == blocks[k].constraint &&
                   blocks[k - 1].index < blocks[k].index);
    }
    return MO_OK;
}

static int compare_blocks(const void *a, const void *b)
{
    const mo_block_record *x = a, *y = b;
    if (x->constraint != y->constraint) return x->constraint < y->constraint ? -1 : 1;
    if (x->index != y->index) return x->index < y->index ? -1 : 1;
    return x->values < y->values ? -1
                                 : x->values > y->values; /* equal blocks add in the order given */
}

/* Sorts the blocks, adds those given twice, and copies the values in the new order. */
static int sort_blocks(mo_builder *builder)
{
    mo_block_record *blocks = builder->blocks.data;
    qsort(blocks, builder->blocks.count, sizeof *blocks, compare_blocks);
    const double *from = builder->values.data;
    double *to = mo_memory_array(&builder->allocator, builder->values.count, sizeof *to);
    if (!to) {
        mo_builder_remember_memory(builder);
        return 0;
    }
    size_t kept = 0, used = 0;
    for (size_t k = 0; k < builder->blocks.count; ++k) {
        const size_t count = (size_t)blocks[k].rows * (size_t)blocks[k].columns;
        mo_block_record *last = kept ? &blocks[kept - 1] : NULL;
        if (last && last->constraint == blocks[k].constraint && last->index == blocks[k].index) {
            for (size_t j = 0; j < count; ++j)
                to[last->values + j] += from[blocks[k].values + j];
            continue;
        }
        memcpy(to + used, from + blocks[k].values, count * sizeof *to);
        blocks[kept] = blocks[k];
        blocks[kept++].values = used;
        used += count;
    }
    mo_memory_free(&builder->allocator, builder->values.data);
    builder->values = (mo_builder_array){to, used, builder->values.count};
    builder->blocks.count = kept;
    return 1;
}

/* The bodies of a compact contact, by rising number, of which the world is none. */
static mo_error index_contact(mo_builder *builder, const mo_problem *problem, int constraint,
                              mo_compact_contact *contact, int *end)
{
    const mo_rigid *rigid = builder->rigid.data;
    const int first = contact->body[0] > contact->body[1]; /* the side with the lower number */
    for (int k = 0; k < 2; ++k) {
        int *body = contact->body + (k ^ first);
        if (*body < 0) {
            *body = problem->body_count;
            continue;
        }
        MO_FAIL_IF(*body >= problem->body_count || !(rigid[*body].inverse_mass > 0),
                   mo_fail(&builder->why, MO_ERR_PROBLEM,
                           "contact %d names body %d of %d, which is not a rigid body in space",
                           constraint, *body, problem->body_count));
        problem->block_index[(*end)++] = *body;
    }
    return MO_OK;
}

/*
 * The rows of blocks: block_start, block_index, value_start from contacts and the sorted records.
 * *values: of all.
 */
static mo_error index_blocks(mo_builder *builder, mo_problem *problem, size_t *values)
{
    const mo_block_record *blocks = builder->blocks.data;
    const int *contact_of = builder->contact_of.data;
    mo_compact_contact *contacts = builder->contacts.data;
    size_t k = 0;
    int end = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        mo_pace_every(i, 512);
        const int first = problem->block_start[i] = end;
        problem->value_start[i] = *values;
        if (contact_of[i] >= 0) {
            MO_TRY(index_contact(builder, problem, i, contacts + contact_of[i], &end));
            *values += (size_t)(18 * (end - first));
        }
        for (; k < builder->blocks.count && blocks[k].constraint == i; ++k) {
            problem->block_index[end++] = blocks[k].index;
            *values += (size_t)blocks[k].rows * (size_t)blocks[k].columns;
        }
    }
    problem->block_start[problem->constraint_count] = end;
    problem->value_start[problem->constraint_count] = *values;
    return MO_OK;
}

/*
 * Compact contacts have room for their values between the others, which mo_problem_write_rows fills
 * without affecting concurrent readers of the others.  Without such contacts values are the
 * builder's own.
 */
static mo_error place_values(mo_builder *builder, mo_problem *problem, size_t values)
{
    const mo_block_record *blocks = builder->blocks.data;
    const double *from = builder->values.data;
    if (builder->contacts.count == 0) {
        problem->values = steal(&builder->values);
        return MO_OK;
    }
    MO_NEED_MEMORY(MO_NEW(&builder->allocator, values, &problem->values), &builder->why);
    for (size_t k = 0, next; k < builder->blocks.count; k = next) { /* of one constraint */
        size_t count = 0;
        for (next = k;
             next < builder->blocks.count && blocks[next].constraint == blocks[k].constraint;
             ++next)
            count += (size_t)blocks[next].rows * (size_t)blocks[next].columns;
        memcpy(problem->values + problem->value_start[blocks[k].constraint],
               from + blocks[k].values, count * sizeof *from);
    }
    return MO_OK;
}

static mo_error make_blocks(mo_builder *builder, mo_problem *problem)
{
    const size_t constraints = (size_t)problem->constraint_count;
    int rises = 1;
    size_t values = 0;
    MO_TRY(check_blocks(builder, problem, &rises));
    mo_pace();
    MO_TRY(rises || sort_blocks(builder) ? MO_OK : builder->error);
    MO_NEED_MEMORY(MO_NEW(&builder->allocator, constraints + 1, &problem->block_start) &&
                       MO_NEW(&builder->allocator, constraints + 1, &problem->value_start) &&
                       MO_NEW(&builder->allocator,
                              builder->blocks.count + 2 * builder->contacts.count,
                              &problem->block_index),
                   &builder->why);
    MO_TRY(index_blocks(builder, problem, &values));
    mo_pace();
    return place_values(builder, problem, values);
}

static mo_error check_symmetric(mo_builder *builder, const double *M, int n, int body)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double a = M[(size_t)i * n + j], b = M[(size_t)j * n + i];
            if (a == b) continue;
            const double size = sqrt(fabs(M[(size_t)i * n + i] * M[(size_t)j * n + j]));
            if (fabs(a - b) > 1e-10 * size) { /* rounding of the caller's computation */
                return mo_fail(
                    &builder->why, MO_ERR_PROBLEM,
                    "the mass matrix of body %d is not symmetric: entries (%d,%d) and (%d,%d) "
                    "are %g and %g",
                    body, i, j, j, i, a, b);
            }
        }
    }
    return MO_OK;
}

/* F, a copy of M, becomes its factor; the symmetric part of M must be definite too. */
static int factor_mass(const double *M, int n, int asymmetric, double *F)
{
    const size_t square = (size_t)n * (size_t)n;
    if (asymmetric) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j)
                F[(size_t)i * n + j] = 0.5 * (M[(size_t)i * n + j] + M[(size_t)j * n + i]);
        MO_PASS(mo_factor_symmetric(n, F));
        memcpy(F, M, square * sizeof *F);
        return mo_factor_unsymmetric(n, F);
    }
    memcpy(F, M, square * sizeof *F);
    return mo_factor_symmetric(n, F);
}

static mo_error factor_masses(mo_builder *builder, mo_problem *problem)
{
    const size_t count = problem->mass_start[problem->body_count];
    problem->factor = mo_memory_array(&builder->allocator, count, sizeof(double));
    MO_NEED_MEMORY(problem->factor, &builder->why);
    problem->is_symmetric = 1;
    for (int b = 0; b < problem->body_count; ++b) {
        const int n = mo_body_dim(problem, b), asymmetric = problem->asymmetric[b];
        const double *M = problem->M + problem->mass_start[b];
        mo_pace_every(b, 512);
        if (problem->compact && problem->compact->rigid[b].inverse_mass > 0)
            continue; /* checked, and factored by mo_problem_write_rows */
        MO_TRY(asymmetric ? MO_OK : check_symmetric(builder, M, n, b));
        MO_FAIL_IF(
            !factor_mass(M, n, asymmetric, problem->factor + problem->mass_start[b]),
            mo_fail(&builder->why, MO_ERR_PROBLEM,
                    "the mass matrix of body %d is not positive definite: every direction of "
                    "motion needs inertia",
                    b));
        problem->is_symmetric = problem->is_symmetric && !asymmetric;
    }
    return MO_OK;
}

/* Transfers ownership of the arrays to the problem. */
static void move_arrays(mo_builder *builder, mo_problem *problem)
{
    problem->body_count = builder->body_start.count ? (int)builder->body_start.count - 1 : 0;
    problem->constraint_count = (int)builder->law.count;
    problem->dof_count = mo_builder_last_int(&builder->body_start);
    problem->row_count = mo_builder_last_int(&builder->row_start);
    problem->param_count = builder->param.count;
    problem->body_start = steal(&builder->body_start);
    problem->mass_start = steal(&builder->mass_start);
    problem->M = steal(&builder->M);
    problem->f = steal(&builder->f);
    problem->asymmetric = steal(&builder->asymmetric);
    problem->row_start = steal(&builder->row_start);
    problem->law = steal(&builder->law);
    problem->param = steal(&builder->param);
    problem->w = steal(&builder->w);
    problem->compliance = steal(&builder->compliance);
    for (int i = 0; i < problem->constraint_count; ++i)
        problem->laws |= MO_LAW_BIT(problem->law[i].kind);
}

/* Compact contacts become the problem's own. */
static mo_error move_compact(mo_builder *builder, mo_problem *problem)
{
    if (!builder->has_rigid) return MO_OK;
    mo_compact *compact = mo_memory_array(&problem->allocator, 1, sizeof *compact);
    MO_NEED_MEMORY(compact, &builder->why);
    *compact = (mo_compact){.contact_count = (int)builder->contacts.count,
                            .rigid = steal(&builder->rigid),
                            .contact = steal(&builder->contacts),
                            .contact_of = steal(&builder->contact_of)};
    problem->compact = compact;
    return MO_OK;
}

/* Arrays into which offsets are added even where they are empty. */
static int never_null(mo_builder *builder, mo_builder_array *p)
{
    const int grown = mo_memory_grow(&builder->allocator, &p->data, &p->room, 1, sizeof(double));
    if (!grown) mo_builder_remember_memory(builder);
    return grown;
}

static mo_error assemble(mo_builder *builder, mo_problem *problem)
{
    MO_TRY(check_form(builder));
    problem->form = builder->couplings ? MO_FORM_REDUCED : MO_FORM_GLOBAL;
    if ((!builder->body_start.count && !mo_builder_append_int(builder, &builder->body_start, 0)) ||
        (!builder->row_start.count && !mo_builder_append_int(builder, &builder->row_start, 0)) ||
        !mo_builder_append_size(builder, &builder->mass_start, builder->M.count) ||
        !never_null(builder, &builder->param) || !never_null(builder, &builder->values))
        return builder->error;
    move_arrays(builder, problem);
    mo_pace();
    MO_TRY(make_blocks(builder, problem));
    mo_pace();
    MO_TRY(move_compact(builder, problem));
    mo_pace();
    MO_TRY(factor_masses(builder, problem));
    mo_pace();
    return mo_views_create(problem);
}

mo_error mo_builder_finish(mo_builder *builder, mo_problem **out, mo_message *why)
{
    MO_NEED(builder && out, why);
    *out = NULL;
    mo_error error = builder->error;
    mo_problem *problem = NULL;
    if (!error) {
        problem = mo_memory_zeros(&builder->allocator, 1, sizeof *problem);
        error = problem ? MO_OK : mo_fail_memory(&builder->why);
    }
    if (problem) {
        problem->allocator = builder->allocator;
        error = assemble(builder, problem);
    }
    if (error) {
        mo_say(why, "%s", builder->why.text[0] ? builder->why.text : mo_error_text(error));
        mo_problem_destroy(problem);
        problem = NULL;
    }
    mo_builder_clear(builder);
    *out = problem;
    return error;
}
