/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/colouring.h"

#include <string.h>

/* A chunk: constraints in a row that get one colour together. */
typedef struct chunk {
    int begin, end;
} chunk;

static chunk chunk_from(const mo_problem *problem, int begin, int size)
{
    const int left = problem->constraint_count - begin;
    return (chunk){begin, begin + (left < size ? left : size)};
}

/* used[b]: the colours that touch body b. */
static uint64_t taken_by_bodies(const mo_problem *problem, chunk c, const uint64_t *used)
{
    uint64_t taken = 0;
    for (int k = problem->block_start[c.begin]; k < problem->block_start[c.end]; ++k)
        taken |= used[problem->block_index[k]];
    return taken;
}

/* used[j]: colours of the constraints so far whose row holds j; a pattern need not be symmetric. */
static uint64_t taken_by_couplings(const mo_problem *problem, chunk c, const uint8_t *colour,
                                   const uint64_t *used)
{
    uint64_t taken = 0;
    for (int i = c.begin; i < c.end; ++i)
        taken |= used[i];
    for (int k = problem->block_start[c.begin]; k < problem->block_start[c.end]; ++k) {
        const int j = problem->block_index[k];
        taken |= j < c.begin ? UINT64_C(1) << colour[j] : 0;
    }
    return taken;
}

static void paint(const mo_problem *problem, chunk c, int own, uint8_t *colour, uint64_t *used)
{
    memset(colour + c.begin, own, (size_t)(c.end - c.begin));
    for (int k = problem->block_start[c.begin]; k < problem->block_start[c.end]; ++k)
        used[problem->block_index[k]] |= UINT64_C(1) << own;
}

int mo_colour_chunks(const mo_problem *problem, int size, uint8_t *colour, uint64_t *used)
{
    const int is_global = problem->form == MO_FORM_GLOBAL;
    const int columns = is_global ? problem->body_count : problem->constraint_count;
    int count = 0;
    memset(used, 0, (size_t)columns * sizeof *used);
    for (chunk c = chunk_from(problem, 0, size); c.begin < c.end;
         c = chunk_from(problem, c.end, size)) {
        const int own = mo_colour_free(is_global ? taken_by_bodies(problem, c, used)
                                                 : taken_by_couplings(problem, c, colour, used));
        paint(problem, c, own, colour, used);
        count = own >= count ? own + 1 : count;
    }
    return count;
}

void mo_colour_constraints(const mo_problem *problem, uint8_t *colour, uint64_t *used)
{
    (void)mo_colour_chunks(problem, 1, colour, used);
}
