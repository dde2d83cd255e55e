/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "base/recycler.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/pace.h"

enum {
    KEPT_MOST = 128, /* blocks */
    ROUNDS = 8,      /* without use, then a block goes back */
    HEAD = 64,       /* bytes before a block: its size, and it is aligned */
    SMALLEST = 16384 /* bytes: smaller blocks do not go back to the system */
};

typedef struct block {
    size_t size;    /* that can be used */
    unsigned round; /* in which it was freed */
} block;

struct mo_recycler {
    mo_allocator below;
    pthread_mutex_t lock;
    unsigned round;
    int kept_count;
    block *kept[KEPT_MOST];
};

static void *bytes_of(block *b)
{
    return (char *)b + HEAD;
}

static block *block_of(void *p)
{
    return (block *)(void *)((char *)p - HEAD);
}

static block *take_kept(mo_recycler *r, int k)
{
    block *b = r->kept[k];
    r->kept[k] = r->kept[--r->kept_count];
    return b;
}

/* The smallest kept block that is large enough and not far too large. */
static block *find_kept(mo_recycler *r, size_t size)
{
    int best = -1;
    for (int k = 0; k < r->kept_count; ++k) {
        const size_t own = r->kept[k]->size;
        if (own >= size && own / 4 <= size && (best < 0 || own < r->kept[best]->size)) {
            best = k;
        }
    }
    return best < 0 ? NULL : take_kept(r, best);
}

static block *make_block(mo_recycler *r, size_t size)
{
    const size_t room = size + size / 8; /* so that a little more fits next time */
    block *b = room > size ? mo_memory_resize(&r->below, NULL, HEAD + room)
                           : mo_memory_resize(&r->below, NULL, HEAD + size);
    if (b) {
        b->size = room > size ? room : size;
        mo_pace_touch(bytes_of(b), b->size);
    }
    return b;
}

static void *allocate(mo_recycler *r, size_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    pthread_mutex_lock(&r->lock);
    block *b = size >= SMALLEST ? find_kept(r, size) : NULL;
    pthread_mutex_unlock(&r->lock);
    b = b ? b : make_block(r, size);
    return b ? bytes_of(b) : NULL;
}

/* Where there are too many, the smallest goes back. */
static void give_back(mo_recycler *r, block *b)
{
    block *leaves = b;
    pthread_mutex_lock(&r->lock);
    if (b->size >= SMALLEST) {
        b->round = r->round;
        leaves = NULL;
        if (r->kept_count == KEPT_MOST) {
            int least = 0;
            for (int k = 1; k < KEPT_MOST; ++k) {
                least = r->kept[k]->size < r->kept[least]->size ? k : least;
            }
            leaves = r->kept[least]->size < b->size ? r->kept[least] : b;
            r->kept[least] = leaves == b ? r->kept[least] : b;
        } else {
            r->kept[r->kept_count++] = b;
        }
    }
    pthread_mutex_unlock(&r->lock);
    mo_memory_free(&r->below, leaves);
}

static void *reallocate(void *user, void *p, size_t size)
{
    mo_recycler *r = user;
    if (!p) {
        return size ? allocate(r, size) : NULL;
    }
    block *b = block_of(p);
    if (size == 0) {
        give_back(r, b);
        return NULL;
    }
    if (size <= b->size) {
        return p;
    }
    void *larger = allocate(r, size);
    if (larger) {
        mo_pace_copy(larger, p, b->size);
        give_back(r, b);
    }
    return larger;
}

mo_recycler *mo_recycler_create(const mo_allocator *below)
{
    mo_recycler *r = mo_memory_array(below, 1, sizeof *r);
    if (r) {
        *r = (mo_recycler){.below = *below};
        pthread_mutex_init(&r->lock, NULL);
    }
    return r;
}

void mo_recycler_destroy(mo_recycler *r)
{
    if (r) {
        while (r->kept_count) {
            mo_memory_free(&r->below, r->kept[--r->kept_count]);
        }
        pthread_mutex_destroy(&r->lock);
        const mo_allocator below = r->below;
        mo_memory_free(&below, r);
    }
}

mo_allocator mo_recycler_allocator(mo_recycler *r)
{
    return (mo_allocator){reallocate, r};
}

/* NULL where there is none. */
static block *take_old(mo_recycler *r)
{
    block *old = NULL;
    pthread_mutex_lock(&r->lock);
    for (int k = r->kept_count - 1; k >= 0 && !old; --k) {
        old = r->round - r->kept[k]->round > ROUNDS ? take_kept(r, k) : NULL;
    }
    pthread_mutex_unlock(&r->lock);
    return old;
}

void mo_recycler_end_round(mo_recycler *r)
{
    pthread_mutex_lock(&r->lock);
    ++r->round;
    pthread_mutex_unlock(&r->lock);
    for (block *old = take_old(r); old; old = take_old(r)) {
        mo_memory_free(&r->below, old);
        mo_pace();
    }
}
