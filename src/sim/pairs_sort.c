/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Sorts pairs of shapes by the first shape, then by the second. */
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "sim/pairs.h"

/* Sorts by b; most are in order already. */
static void sort_run(mo_pair *pair, int count)
{
    for (int k = 1; k < count; ++k) {
        const mo_pair own = pair[k];
        int at = k;
        for (; at > 0 && pair[at - 1].b > own.b; --at)
            pair[at] = pair[at - 1];
        pair[at] = own;
    }
}

/* By a, counted; then each run by b. */
mo_error mo_pairs_sort(mo_world *world, mo_pairs *pairs)
{
    mo_pairs *spare = &world->spare_pairs;
    const size_t shapes = (size_t)world->shape_places, count = (size_t)pairs->count;
    if (count < 2) return MO_OK;
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->pair_start, world->pair_start_room, shapes + 1) ||
                   !MO_GROW(&world->allocator, spare->at, spare->room, count),
               MO_ERR_MEMORY);
    int *start = world->pair_start; /* first the start of a run, finally its end */
    memset(start, 0, (shapes + 1) * sizeof *start);
    for (size_t k = 0; k < count; ++k) {
        mo_pace_every(k, 2048);
        ++start[pairs->at[k].a + 1];
    }
    mo_pace();
    for (size_t a = 0; a < shapes; ++a) {
        mo_pace_every(a, 2048);
        start[a + 1] += start[a];
    }
    mo_pace();
    for (size_t k = 0; k < count; ++k) {
        mo_pace_every(k, 1024);
        spare->at[start[pairs->at[k].a]++] = pairs->at[k];
    }
    mo_pace();
    for (size_t a = 0; a < shapes; ++a) {
        const int from = a ? start[a - 1] : 0;
        mo_pace_every(a, 512);
        sort_run(spare->at + from, start[a] - from);
    }
    mo_pace();
    const mo_pairs sorted = {spare->at, spare->room, pairs->count};
    *spare = *pairs;
    *pairs = sorted;
    return MO_OK;
}
