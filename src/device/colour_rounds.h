/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Kernels of the colouring in parallel rounds (problem/hashed_colours.h).
 *
 * Every moving body has a list of its pairs by priority, and a head: its first uncoloured pair.  In
 * a round, the pairs that are the head of all their moving bodies are coloured at once, since they
 * share no moving body.  The colours do not depend on which of these pairs a round colours: a
 * launch takes one round over all pairs, then some over those whose bodies are in the same block.
 */
#ifndef MO_DEVICE_COLOUR_ROUNDS_H
#define MO_DEVICE_COLOUR_ROUNDS_H

#include "device/kernel.h"
#include "problem/pair_order.h"

enum {
    MO_COLOUR_BLOCK = 256, /* bodies */
    MO_COLOUR_ROUNDS = 4   /* of a launch */
};

/* Of each body. */
typedef struct mo_colour_state {
    int *pair;      /* the first that has no colour, or -1 */
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
    int *head;                 /* of each body: the place of its first pair without colour */
    mo_colour_state now, next; /* before a launch and after it */
    const mo_term *left;       /* of each block before this launch, or NULL: not known */
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
    for (int body = last + 1; body <= own; ++body)
        a->start[body] = i;
}

/* The list of one body by priority; equal ones stay in their order. */
MO_ANY void mo_kernel_colour_order(const mo_colour_args *a, int i)
{
    const int begin = a->start[i], end = a->start[i + 1];
    for (int k = begin + 1; k < end; ++k) {
        const int own = a->list[k];
        const uint64_t priority = mo_colour_priority(a, own);
        int at = k;
        for (; at > begin && mo_colour_priority(a, a->list[at - 1]) > priority; --at)
            a->list[at] = a->list[at - 1];
        a->list[at] = own;
    }
    a->head[i] = begin;
    a->next.pair[i] = begin < end ? a->list[begin] : -1;
    a->next.used[2 * (size_t)i] = a->next.used[2 * (size_t)i + 1] = 0;
}

/* Does the pair lie inside of a patch? */
MO_ANY int mo_is_inside(int one, int two, int moving, int patch)
{
    return patch > 0 && (two >= moving || one / patch == two / patch);
}

/* ---- rounds, in blocks (patch_visit.h) ------------------------------------------------------- */

typedef struct mo_colour_stage {
    int pair[MO_COLOUR_BLOCK];
    uint64_t used[2][MO_COLOUR_BLOCK];
} mo_colour_stage;

/* The first pair of a body, and what it needs of the body. */
typedef struct mo_colour_own {
    mo_term term; /* bodies that have pairs left */
    int body, pair, other, inside, head;
    int is_done; /* all bodies of the block have no pairs left */
    int colour;  /* that the pair gets in this round, or -1 */
    uint64_t used[2];
} mo_colour_own;

MO_ANY void mo_colour_take(const mo_colour_args *a, int pair, mo_colour_own *own)
{
    own->pair = pair;
    if (pair >= 0) {
        own->other = a->one[pair] == own->body ? a->two[pair] : a->one[pair];
        own->inside = mo_is_inside(own->body, own->other, a->moving, a->patch);
    }
}

MO_ANY void mo_block_colour_round_early(const mo_colour_args *a, int block, int thread,
                                        mo_colour_own *own)
{
    (void)a;
    own->term.sum = own->term.largest = 0;
    own->body = block * MO_COLOUR_BLOCK + thread;
    own->pair = -1;
}

MO_ANY void mo_block_colour_round_begin(const mo_colour_args *a, int block, int thread,
                                        mo_colour_stage *s, mo_colour_own *own)
{
    const size_t i = (size_t)own->body;
    own->is_done = a->left && !(a->left[block].sum > 0);
    mo_colour_take(a, !own->is_done && own->body < a->moving ? a->now.pair[i] : -1, own);
    if (own->pair >= 0) {
        own->head = a->head[i];
        own->used[0] = s->used[0][thread] = a->now.used[2 * i];
        own->used[1] = s->used[1][thread] = a->now.used[2 * i + 1];
    }
    s->pair[thread] = own->pair;
}

/* Pairs with another block only in the first round: that block has the same data. */
MO_ANY int mo_colour_of(const mo_colour_args *a, int round, const mo_colour_stage *s,
                        const mo_colour_own *own)
{
    const uint64_t used = own->used[own->inside];
    const int other = own->other, at = other % MO_COLOUR_BLOCK;
    if (other >= a->moving) return mo_colour_free(used);
    if (other / MO_COLOUR_BLOCK == own->body / MO_COLOUR_BLOCK)
        return s->pair[at] == own->pair ? mo_colour_free(used | s->used[own->inside][at]) : -1;
    return round == 0 && a->now.pair[other] == own->pair
               ? mo_colour_free(used | a->now.used[2 * (size_t)other + (size_t)own->inside])
               : -1;
}

/* The pair has its colour: the next one of the list. */
MO_ANY void mo_colour_next(const mo_colour_args *a, int thread, mo_colour_stage *s,
                           mo_colour_own *own)
{
    if (own->other >= a->moving || own->body < own->other)
        a->colour[own->pair] = (uint32_t)own->colour;
    own->used[own->inside] |= (uint64_t)1 << own->colour;
    s->used[own->inside][thread] = own->used[own->inside];
    ++own->head;
    mo_colour_take(a, own->head < a->start[own->body + 1] ? a->list[own->head] : -1, own);
    s->pair[thread] = own->pair;
}

MO_ANY void mo_colour_store(const mo_colour_args *a, mo_colour_own *own)
{
    const size_t i = (size_t)own->body;
    a->next.pair[i] = own->pair;
    if (own->pair >= 0) {
        a->head[i] = own->head;
        a->next.used[2 * i] = own->used[0];
        a->next.used[2 * i + 1] = own->used[1];
        own->term.sum = 1;
    }
}

/* In turn: the colours of a round are found, and noted. */
MO_ANY int mo_block_colour_round_part(const mo_colour_args *a, int block, int part, int thread,
                                      mo_colour_stage *s, mo_colour_own *own)
{
    (void)block;
    if (part % 2 == 0)
        own->colour = own->pair >= 0 ? mo_colour_of(a, part / 2, s, own) : -1;
    else if (own->colour >= 0)
        mo_colour_next(a, thread, s, own);
    const int goes_on = part + 1 < 2 * MO_COLOUR_ROUNDS && !own->is_done;
    if (!goes_on && own->body < a->moving) mo_colour_store(a, own);
    return goes_on;
}

#endif
