/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of the colouring in parallel rounds (problem/hashed_colours.h).
 *
 * Every moving body has the list of its pairs in the order of their priorities, and a head: the
 * first that is not yet coloured.  In a round a pair that is the head of all of its moving bodies
 * is ready; ready pairs share no moving body, so they are coloured at once.
 */
#ifndef MO_DEVICE_COLOUR_ROUNDS_H
#define MO_DEVICE_COLOUR_ROUNDS_H

#include "device/kernel.h"
#include "problem/pair_order.h"

typedef struct mo_colour_args {
    const int *one, *two; /* bodies of each pair; from `moving` on they do not move */
    int pairs, moving;
    const uint32_t *id; /* of each moving body, or NULL: its number */
    uint32_t *key;      /* 2 for each pair: the body, or `moving`   */
    int *list;          /* 2 for each pair; after the sort: pairs of each body */
    int *start;         /* of each body's list, and one more        */
    int *head;          /* in list */
    int *ready;         /* of each body: the pair that it colours in this round, or -1 */
    uint64_t *used;     /* of each body: colours, a bit each */
    uint32_t *colour;   /* of each pair */
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
    a->head[i] = begin;
    a->used[i] = 0;
}

/* Counts the bodies that are not done. */
MO_ANY mo_term mo_kernel_colour_ready(const mo_colour_args *a, int i)
{
    mo_term term = {0, 0};
    a->ready[i] = -1;
    if (a->head[i] < a->start[i + 1]) {
        const int pair = a->list[a->head[i]];
        const int other = a->one[pair] == i ? a->two[pair] : a->one[pair];
        const int is_alone = other >= a->moving;
        const int is_first =
            is_alone || (a->head[other] < a->start[other + 1] && a->list[a->head[other]] == pair);
        a->ready[i] = is_first && (is_alone || i < other) ? pair : -1;
        term.sum = 1;
    }
    return term;
}

MO_ANY void mo_kernel_colour_paint(const mo_colour_args *a, int i)
{
    const int pair = a->ready[i];
    if (pair < 0) {
        return;
    }
    const int other = a->one[pair] == i ? a->two[pair] : a->one[pair];
    const int has_other = other < a->moving;
    const uint64_t taken = a->used[i] | (has_other ? a->used[other] : 0);
    const int colour = mo_colour_free(taken);
    a->colour[pair] = (uint32_t)colour;
    a->used[i] |= (uint64_t)1 << colour;
    ++a->head[i];
    if (has_other) {
        a->used[other] |= (uint64_t)1 << colour;
        ++a->head[other];
    }
}

#endif
