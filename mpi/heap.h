/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A heap of balls in a box, dealt to ranks: from the inside.
 *
 * A rank owns the balls of its region and has copies of those within reach of them (ghosts).  What
 * a step computes depends on positions and ids alone, so its bits do not depend on the ranks:
 *
 *   - contacts come by rising (lower id, higher id), walls last; the owner of the lower id has them
 *   - the contact problem is a spread one (spread.h)
 *   - decisions are taken from maxima and counts over all ranks
 *
 * Limits: balls and planes, no restitution, no joints.
 */
#ifndef MOREAU_MPI_HEAP_H
#define MOREAU_MPI_HEAP_H

#include "exact.h"
#include "moreau/mpi.h"

enum { MO_HEAP_WALLS = 5 }; /* the floor, then -x, +x, -y, +y */

typedef struct mo_heap_ball {
    uint32_t id;
    int32_t rank; /* its owner; contacts in the last step while balls are dealt anew */
    double radius;
    double at[3], turn[4]; /* m; quaternion w x y z */
    double v[3], spin[3];  /* m/s, rad/s */
} mo_heap_ball;

/* A pair that may touch, and what is left of its last impulse. */
typedef struct mo_heap_pair {
    uint64_t key;     /* lower id << 32 | higher id, or UINT32_MAX - wall */
    int body[2];      /* of the lower and the higher id among own balls and ghosts; -1: a wall */
    double normal[3]; /* from the second to the first */
    double gap;
    int is_taken; /* into the problem */
} mo_heap_pair;

typedef struct mo_heap_impulse {
    uint64_t key;
    double r[3]; /* in the axes of the world, on the lower id */
} mo_heap_impulse;

struct mo_heap {
    MPI_Comm comm;
    int rank, size;
    mo_heap_def def;
    int64_t step;
    double least; /* radius of all */

    int count, room; /* own balls, by rising id */
    mo_heap_ball *ball;
    int ghost_count;
    mo_heap_ball *all; /* own balls and ghosts by rising id, while a step is made */
    int all_count;
    int *ghosts_for; /* of each rank: own balls that it has as ghosts */
    int sent_count;
    int *sent, *arrived; /* those balls by rank; and the places of ghosts in `all` */

    int pair_count, pair_room;
    mo_heap_pair *pair; /* by rising key */
    int impulse_count;
    mo_heap_impulse *impulse; /* of the last step, by rising key */
    int *contacts_of;         /* of each own ball in the last step: its weight */
    int migrated;             /* balls that went to another rank, so far */
    mo_exact exact;
    double *each; /* for sums: a number for each own ball */
};

/* An array of bytes for each rank, and those that come from each; *in is new memory. */
mo_error mo_heap_mail(MPI_Comm comm, size_t size, const int *count, const void *out, void **in,
                      int *in_count);

/* heap_balance.c: deals balls and impulses anew, by recursive bisection of their positions. */
mo_error mo_heap_balance(struct mo_heap *heap, mo_message *why);

/* heap_pairs.c: ghosts, then all pairs within reach of a step. */
mo_error mo_heap_find_pairs(struct mo_heap *heap, mo_message *why);

/* The velocities of ghosts anew. */
mo_error mo_heap_update_ghosts(struct mo_heap *heap);

/* A heap with room for so many own balls, and none yet. */
mo_error mo_heap_begin(MPI_Comm comm, const mo_heap_def *def, int balls, struct mo_heap **heap,
                       mo_message *why);

/* By rising id. */
int mo_heap_by_id(const void *a, const void *b);

/* The impulse of the last step, or NULL. */
const mo_heap_impulse *mo_heap_find_impulse(const struct mo_heap *heap, uint64_t key);

#endif
