/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Anderson acceleration (anderson.h) of s = F(s), with a safeguard: a combination with a larger
 * |F(s) - s| than its predecessor is rejected, s becomes the image of the predecessor as without
 * acceleration, and the memory is cleared.  At worst, every second round is one of successive
 * approximations.
 *
 * Limits: F has kinks where contacts start to slide or open, across which the memory is of little
 * use.
 */
#include "solver/shift_outer.h"

void mo_shift_anderson_layout(int n, int depth, mo_arena *arena, mo_shift_anderson *anderson)
{
    mo_anderson_layout(arena, n, depth, &anderson->memory);
}

void mo_shift_anderson_begin(mo_shift_anderson *a)
{
    mo_anderson_clear(&a->memory);
    a->is_mixed = 0;
}

mo_shift_end mo_shift_anderson_next(mo_run *run, mo_shift_loop *loop, void *context)
{
    mo_shift_anderson *a = context;
    mo_anderson *memory = &a->memory;
    const int n = run->problem->constraint_count;
    if (a->is_mixed && !(mo_anderson_distance(memory, loop->s, loop->image) <= memory->size)) {
        for (int i = 0; i < n; ++i) {
            loop->s[i] = memory->x[i] + memory->f[i];
        }
        mo_shift_anderson_begin(a);
        return MO_SHIFT_GOES_ON;
    }
    mo_anderson_push(memory, loop->s, loop->image);
    mo_anderson_mix(memory, loop->s);
    for (int i = 0; i < n; ++i) {
        loop->s[i] = loop->s[i] > 0 ? loop->s[i] : 0; /* also where it is not a number */
    }
    a->is_mixed = memory->count > 0;
    return MO_SHIFT_GOES_ON;
}
