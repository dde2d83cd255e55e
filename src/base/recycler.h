/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An allocator that caches freed blocks, for work that requests the same blocks in every step.  The
 * C library returns large blocks to the system, and mapping them again costs more than the work.
 *
 * Blocks that were not requested for a few rounds are returned to the underlying allocator.  Thread
 * safe.
 */
#ifndef MO_BASE_RECYCLER_H
#define MO_BASE_RECYCLER_H

#include "moreau/base.h"

typedef struct mo_recycler mo_recycler;

/* NULL for lack of memory. */
mo_recycler *mo_recycler_create(const mo_allocator *below);

/* Blocks in use stay valid; the recycler is freed with the last of them. */
void mo_recycler_destroy(mo_recycler *recycler);

mo_allocator mo_recycler_allocator(mo_recycler *recycler);

/* Ends a round: blocks that were cached too long are released. */
void mo_recycler_end_round(mo_recycler *recycler);

#endif
