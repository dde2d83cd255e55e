/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/contact_space.h"

#include "base/error.h"

static mo_error make_plan(const mo_allocator *own, mo_contact_space *space)
{
    const mo_problem *W = space->W;
    int *dim = mo_memory_array(own, (size_t)W->constraint_count, sizeof(int));
    MO_NEED_MEMORY(dim, NULL);
    for (int i = 0; i < W->constraint_count; ++i)
        dim[i] = mo_constraint_dim(W, i);
    const mo_block_pattern pattern = {W->constraint_count, dim, W->block_start, W->block_index};
    const mo_error error = mo_front_plan_create(own, &pattern, &space->plan);
    mo_memory_free(own, dim);
    return error;
}

mo_error mo_contact_space_create(const mo_problem *problem, mo_contact_space **out)
{
    const mo_allocator *own = &problem->allocator;
    mo_contact_space *space = mo_memory_array(own, 1, sizeof *space);
    *out = NULL;
    MO_NEED_MEMORY(space, NULL);
    *space = (mo_contact_space){.W = problem};
    mo_error error = MO_OK;
    if (problem->form == MO_FORM_GLOBAL) {
        error = mo_problem_reduce(problem, &space->own, NULL);
        space->W = space->own;
    }
    error = error ? error : make_plan(own, space);
    if (error) {
        mo_contact_space_destroy(own, space);
        return error;
    }
    space->bytes =
        sizeof *space + space->plan->bytes + (space->own ? mo_problem_bytes(space->own) : 0);
    *out = space;
    return MO_OK;
}

void mo_contact_space_destroy(const mo_allocator *allocator, mo_contact_space *space)
{
    if (space) {
        mo_problem_destroy(space->own);
        mo_front_plan_destroy(allocator, space->plan);
        mo_memory_free(allocator, space);
    }
}
