/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "problem/hashed_colours.h"

#include <string.h>

#include "base/memory.h"

enum { DIGIT = 256, DIGITS = 8 }; /* of a priority, the lowest first */

typedef struct entry {
    uint64_t priority;
    int pair;
} entry;

static int is_moving(const mo_body_pairs *pairs, int body)
{
    return body >= 0 && body < pairs->body_count;
}

static uint32_t id_of(const mo_body_pairs *pairs, int body)
{
    if (!is_moving(pairs, body)) {
        return MO_FIXED_ID;
    }
    return pairs->id ? pairs->id[body] : (uint32_t)body;
}

/* By one digit; pairs with the same digit stay in their order. */
static void sort_by_digit(int count, int digit, const entry *from, entry *to)
{
    int start[DIGIT + 1] = {0};
    for (int k = 0; k < count; ++k) {
        ++start[((from[k].priority >> (8 * digit)) & (DIGIT - 1)) + 1];
    }
    for (int d = 0; d < DIGIT; ++d) {
        start[d + 1] += start[d];
    }
    for (int k = 0; k < count; ++k) {
        to[start[(from[k].priority >> (8 * digit)) & (DIGIT - 1)]++] = from[k];
    }
}

/* Eight passes end in the array at which they began. */
static void sort_entries(int count, entry *entries, entry *other)
{
    for (int digit = 0; digit < DIGITS; digit += 2) {
        sort_by_digit(count, digit, entries, other);
        sort_by_digit(count, digit + 1, other, entries);
    }
}

/* used[b]: the colours that touch body b, a bit each. */
static int colour_of(const mo_body_pairs *pairs, int pair, uint64_t *used)
{
    uint64_t taken = 0;
    for (int side = 0; side < 2; ++side) {
        const int body = pairs->body[pair][side];
        taken |= is_moving(pairs, body) ? used[body] : 0;
    }
    const int colour = mo_colour_free(taken);
    for (int side = 0; side < 2; ++side) {
        const int body = pairs->body[pair][side];
        if (is_moving(pairs, body)) {
            used[body] |= UINT64_C(1) << colour;
        }
    }
    return colour;
}

static void colour_all(const mo_body_pairs *pairs, entry *entries, entry *other, uint64_t *used,
                       uint8_t *colour, int *order)
{
    for (int k = 0; k < pairs->pair_count; ++k) {
        const int *body = pairs->body[k];
        entries[k] = (entry){mo_pair_priority(id_of(pairs, body[0]), id_of(pairs, body[1])), k};
    }
    sort_entries(pairs->pair_count, entries, other);
    memset(used, 0, (size_t)pairs->body_count * sizeof *used);
    for (int k = 0; k < pairs->pair_count; ++k) {
        colour[entries[k].pair] = (uint8_t)colour_of(pairs, entries[k].pair, used);
        if (order) {
            order[k] = entries[k].pair;
        }
    }
}

mo_error mo_colour_pairs(const mo_allocator *own, const mo_body_pairs *pairs, uint8_t *colour,
                         int *order)
{
    const size_t count = (size_t)pairs->pair_count;
    entry *entries = mo_memory_array(own, count, sizeof *entries),
          *other = mo_memory_array(own, count, sizeof *other);
    uint64_t *used = mo_memory_array(own, (size_t)pairs->body_count, sizeof *used);
    const mo_error error = entries && other && used ? MO_OK : MO_ERR_MEMORY;
    if (!error) {
        colour_all(pairs, entries, other, used, colour, order);
    }
    mo_memory_free(own, entries);
    mo_memory_free(own, other);
    mo_memory_free(own, used);
    return error;
}
