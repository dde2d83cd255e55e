/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/recycler.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/pace.h"

enum {
    CLASSES = 160,     /* of sizes: four between each power of two and the next */
    SMALLEST_BITS = 6, /* of the smallest block, 64 bytes */
    ROUNDS = 8,        /* rounds without use after which a block is freed */
    HEAD = 64          /* bytes before a block, which is aligned so */
};

typedef struct block {
    struct block *next; /* list of free blocks of its class */
    size_t size;        /* that can be used */
    unsigned round;     /* in which it was freed */
    int class;
} block;

struct mo_recycler {
    mo_allocator below;
    atomic_size_t users; /* the owner, and blocks in use */
    int is_closed;       /* by its owner: blocks are no longer kept */
    atomic_flag flag;    /* held for a few instructions */
    unsigned round;
    int highest; /* class of a block that was kept */
    block *kept[CLASSES];
};

static void lock(mo_recycler *r)
{
    while (atomic_flag_test_and_set_explicit(&r->flag, memory_order_acquire)) {
    }
}

static void unlock(mo_recycler *r)
{
    atomic_flag_clear_explicit(&r->flag, memory_order_release);
}

static void *bytes_of(block *b)
{
    return (char *)b + HEAD;
}

static block *block_of(void *p)
{
    return (block *)(void *)((char *)p - HEAD);
}

/* The class whose blocks hold `size` bytes; *room: 4, 5, 6 or 7 times a power of two. */
static int class_of(size_t size, size_t *room)
{
    const size_t least = (size_t)1 << SMALLEST_BITS, last = (size > least ? size : least) - 1;
    const int bits = 63 - __builtin_clzll(last);                                /* 2^bits <= last */
    const size_t quarter = (size_t)1 << (bits - 2), parts = last / quarter + 1; /* 5 to 8 */
    *room = parts * quarter;
    return 4 * (bits - SMALLEST_BITS + 1) + (int)parts - 5;
}

/* The last user frees the recycler. */
static void leave(mo_recycler *r)
{
    if (atomic_fetch_sub_explicit(&r->users, 1, memory_order_acq_rel) == 1) {
        const mo_allocator below = r->below;
        mo_memory_free(&below, r);
    }
}

static void *allocate(mo_recycler *r, size_t size)
{
    if (size > SIZE_MAX / 4) return NULL;
    size_t room;
    const int class = class_of(size, &room);
    block *b = NULL;
    if (class < CLASSES) {
        lock(r);
        b = r->kept[class];
        r->kept[class] = b ? b->next : NULL;
        unlock(r);
    }
    if (!b) {
        b = mo_memory_resize(&r->below, NULL, HEAD + room);
        if (b) {
            b->size = room;
            b->class = class;
            mo_pace_touch(bytes_of(b), room);
        }
    }
    if (!b) return NULL;
    atomic_fetch_add_explicit(&r->users, 1, memory_order_relaxed);
    return bytes_of(b);
}

static void cache(mo_recycler *r, block *b)
{
    lock(r);
    const int is_kept = b->class < CLASSES && !r->is_closed;
    if (is_kept) {
        b->round = r->round;
        b->next = r->kept[b->class];
        r->kept[b->class] = b;
        r->highest = b->class > r->highest ? b->class : r->highest;
    }
    unlock(r);
    if (!is_kept) mo_memory_free(&r->below, b);
    leave(r);
}

static void *reallocate(void *user, void *p, size_t size)
{
    mo_recycler *r = user;
    if (!p) return size ? allocate(r, size) : NULL;
    block *b = block_of(p);
    if (size == 0) {
        cache(r, b);
        return NULL;
    }
    if (size <= b->size) return p;
    void *larger = allocate(r, size);
    if (larger) {
        mo_pace_copy(larger, p, b->size);
        cache(r, b);
    }
    return larger;
}

mo_recycler *mo_recycler_create(const mo_allocator *below)
{
    mo_recycler *r = mo_memory_array(below, 1, sizeof *r);
    if (r) *r = (mo_recycler){.below = *below, .users = 1, .flag = ATOMIC_FLAG_INIT};
    return r;
}

/* The kept blocks of a class that were freed more than `rounds` rounds ago, the last one first. */
static block *take_old(mo_recycler *r, int class, unsigned rounds)
{
    lock(r);
    block **at = &r->kept[class];
    while (*at && r->round - (*at)->round <= rounds)
        at = &(*at)->next;
    block *old = *at;
    *at = NULL;
    unlock(r);
    return old;
}

static void drop(mo_recycler *r, unsigned rounds)
{
    for (int k = 0; k <= r->highest; ++k) {
        for (block *b = take_old(r, k, rounds), *next; b; b = next) {
            next = b->next;
            mo_memory_free(&r->below, b);
            mo_pace();
        }
    }
}

void mo_recycler_destroy(mo_recycler *r)
{
    if (r) {
        lock(r);
        r->is_closed = 1;
        r->round += 2 * ROUNDS;
        unlock(r);
        drop(r, ROUNDS);
        leave(r);
    }
}

mo_allocator mo_recycler_allocator(mo_recycler *r)
{
    return (mo_allocator){reallocate, r};
}

void mo_recycler_end_round(mo_recycler *r)
{
    lock(r);
    const int is_due = ++r->round % ROUNDS == 0;
    unlock(r);
    if (is_due) drop(r, ROUNDS);
}
