/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/colouring.h"

#include <string.h>

static int lowest_free(uint64_t used)
{
    int colour = 0;
    while (colour < MO_COLOUR_REST && used >> colour & 1) {
        ++colour;
    }
    return colour;
}

/* used[b]: the colours that touch body b. */
static void colour_by_bodies(const mo_problem *problem, uint8_t *colour, uint64_t *used)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        uint64_t taken = 0;
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            taken |= used[problem->block_index[k]];
        }
        colour[i] = (uint8_t)lowest_free(taken);
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            used[problem->block_index[k]] |= UINT64_C(1) << colour[i];
        }
    }
}

/* used[j]: colours of the constraints so far whose row holds j; a pattern need not be symmetric. */
static void colour_by_couplings(const mo_problem *problem, uint8_t *colour, uint64_t *used)
{
    for (int i = 0; i < problem->constraint_count; ++i) {
        uint64_t taken = used[i];
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            const int j = problem->block_index[k];
            taken |= j < i ? UINT64_C(1) << colour[j] : 0;
        }
        colour[i] = (uint8_t)lowest_free(taken);
        for (int k = problem->block_start[i]; k < problem->block_start[i + 1]; ++k) {
            used[problem->block_index[k]] |= UINT64_C(1) << colour[i];
        }
    }
}

void mo_colour_constraints(const mo_problem *problem, uint8_t *colour, uint64_t *used)
{
    const int columns =
        problem->form == MO_FORM_GLOBAL ? problem->body_count : problem->constraint_count;
    memset(used, 0, (size_t)columns * sizeof *used);
    if (problem->form == MO_FORM_GLOBAL) {
        colour_by_bodies(problem, colour, used);
    } else {
        colour_by_couplings(problem, colour, used);
    }
}
