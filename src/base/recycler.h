/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An allocator that keeps what is freed and hands it out again, for work that asks for the same
 * blocks in every step. The C library gives large blocks back to the system, whose pages then cost
 * more than the work on them.
 *
 * Blocks that were not requested in a few rounds go back to the allocator below.  Safe for
 * threads.
 */
#ifndef MO_BASE_RECYCLER_H
#define MO_BASE_RECYCLER_H

#include "moreau/base.h"

typedef struct mo_recycler mo_recycler;

/* NULL for lack of memory. */
mo_recycler *mo_recycler_create(const mo_allocator *below);

/* All of its blocks must have been freed. */
void mo_recycler_destroy(mo_recycler *recycler);

mo_allocator mo_recycler_allocator(mo_recycler *recycler);

/* A round is over: what was kept too long goes back. */
void mo_recycler_end_round(mo_recycler *recycler);

#endif
