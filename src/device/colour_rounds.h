/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of the colouring in parallel rounds (problem/hashed_colours.h).
 *
 * Every moving body has a list of its pairs by priority, and a head: its first uncoloured pair.  In
 * a round, the pairs that are the head of all their moving bodies are coloured at once, since they
 * share no moving body.
 */
#ifndef MO_DEVICE_COLOUR_ROUNDS_H
#define MO_DEVICE_COLOUR_ROUNDS_H

#include "device/kernel.h"
#include "problem/pair_order.h"

/* Of each body.  Most are done after a few rounds, and then the head alone is read. */
typedef struct mo_colour_state {
    int *head;      /* in the list of the body */
    uint64_t *used; /* two: colours of pairs between patches and inside, a bit each */
} mo_colour_state;

typedef struct mo_colour_args {
    const int *one, *two; /* bodies of each pair; from `moving` on they do not move */
    int pairs, moving;
    const uint32_t *id;        /* of each moving body, or NULL: its number */
    uint32_t *key;             /* 2 for each pair: the body, or `moving`   */
    int *list;                 /* 2 for each pair; after the sort: pairs of each body */
    int *start;                /* of each body's list, and one more        */
    int patch;                 /* bodies in a patch, or 0: pairs inside of one are coloured apart */
    uint32_t *colour;          /* of each pair */
    mo_colour_state now, next; /* before a round and after it */
} mo_colour_args;

MO_ANY uint32_t mo_colour_id(const mo_colour_args *a, int body)
{
    return body >= a->moving ? MO_FIXED_ID : a->id ? a->id[body] : (uint32_t)body;
}

MO_ANY uint64_t mo_colour_priority(const mo_colour_args *a, int pair)
{
    return mo_pair_priority(mo_colour_id(a, a->one[pair]), mo_colour_id(a, a->two[pair]));
}

/* What is sorted by body: i = 2 pair + side. */
MO_ANY void mo_kernel_colour_ends(const mo_colour_args *a, int i)
{
    const int body = i % 2 ? a->two[i / 2] : a->one[i / 2];
    a->key[i] = (uint32_t)(body < a->moving ? body : a->moving);
    a->list[i] = i / 2;
}

/* Where the list of each body starts: i = 0 .. 2 pairs. */
MO_ANY void mo_kernel_colour_starts(const mo_colour_args *a, int i)
{
    const int own = i < 2 * a->pairs ? (int)a->key[i] : a->moving,
              last = i > 0 ? (int)a->key[i - 1] : -1;
    for (int body = last + 1; body <= own; ++body) {
        a->start[body] = i;
    }
}

/* The list of one body by priority; equal ones stay in their order. */
MO_ANY void mo_kernel_colour_order(const mo_colour_args *a, int i)
{
    const int begin = a->start[i], end = a->start[i + 1];
    for (int k = begin + 1; k < end; ++k) {
        const int own = a->list[k];
        const uint64_t priority = mo_colour_priority(a, own);
        int at = k;
        for (; at > begin && mo_colour_priority(a, a->list[at - 1]) > priority; --at) {
            a->list[at] = a->list[at - 1];
        }
        a->list[at] = own;
    }
    a->next.head[i] = begin;
    a->next.used[2 * (size_t)i] = a->next.used[2 * (size_t)i + 1] = 0;
}

/* Does the pair lie inside of a patch? */
MO_ANY int mo_is_inside(int one, int two, int moving, int patch)
{
    return patch > 0 && (two >= moving || one / patch == two / patch);
}

/*
 * One round: the state of each body before it is read, the state after it written.  Counts the
 * bodies that were not done.
 */
MO_ANY mo_term mo_kernel_colour_round(const mo_colour_args *a, int i)
{
    mo_term term = {0, 0};
    int head = a->now.head[i];
    const int is_done = head == a->start[i + 1];
    if (is_done && a->next.head[i] == head) {
        return term;
    }
    const uint64_t *used = a->now.used + 2 * (size_t)i;
    uint64_t *next = a->next.used + 2 * (size_t)i;
    next[0] = used[0];
    next[1] = used[1];
    if (!is_done) {
        const int pair = a->list[head], other = a->one[pair] == i ? a->two[pair] : a->one[pair];
        const int is_alone = other >= a->moving, its_head = is_alone ? 0 : a->now.head[other];
        if (is_alone || (its_head < a->start[other + 1] && a->list[its_head] == pair)) {
            const int inside = mo_is_inside(i, other, a->moving, a->patch);
            const uint64_t its = is_alone ? 0 : a->now.used[2 * (size_t)other + (size_t)inside];
            const int colour = mo_colour_free(used[inside] | its);
            if (is_alone || i < other) {
                a->colour[pair] = (uint32_t)colour;
            }
            next[inside] |= (uint64_t)1 << colour;
            ++head;
        }
        term.sum = 1;
    }
    a->next.head[i] = head;
    return term;
}

#endif
