/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Internal definitions of a heap in a box, distributed over ranks.
 *
 * A rank owns the bodies of its region and has copies of those within reach (ghosts).  Both are the
 * bodies of a mo_world, whose step is that of any world; the worlds of all ranks are a team
 * (sim/team.h).  The bits of a step do not depend on the ranks: contacts are computed by the owner
 * of the lower id, the contact problem is distributed (spread.h), and decisions depend on maxima
 * and counts over all ranks.
 *
 * Limits: one convex shape per body, planes as walls, no joints.
 */
#ifndef MOREAU_MPI_HEAP_H
#define MOREAU_MPI_HEAP_H

#include <petscsf.h>

#include "exact.h"
#include "heap_shapes.h"
#include "moreau/mpi.h"
#include "sim/world_data.h"

typedef struct mo_heap_body {
    uint32_t id;
    int32_t rank;          /* its owner                        */
    int64_t contacts;      /* of the last step: its weight     */
    double at[3], turn[4]; /* m; quaternion w x y z */
    double v[3], spin[3];  /* m/s, rad/s */
} mo_heap_body;

/* Cells of a box; positions outside belong to the nearest cell. */
typedef struct mo_heap_grid {
    double low[3], width; /* m */
    int n[3], count;
} mo_heap_grid;

/* Data of a contact for the next step. */
typedef struct mo_heap_impulse {
    uint64_t key;                              /* mo_heap_key */
    uint32_t feature, unused;                  /* the latter 0: the bytes go to files */
    double r[3], slip[3], normal[3], point[3]; /* as in mo_sim_contact */
    mo_held held;
} mo_heap_impulse;

/* A body of the world: own ones and ghosts, by rising id. */
typedef struct mo_heap_member {
    uint32_t id;
    int from; /* its number among own bodies, or among ghosts after these */
    int place;
} mo_heap_member;

struct mo_heap {
    MPI_Comm comm;
    int rank, size;
    mo_heap_def def;
    int64_t step;
    mo_heap_shapes shapes;

    mo_heap_grid grid; /* a coarse one, and the rank of each cell */
    int *cell_owner;
    int count; /* own bodies, by rising id */
    mo_heap_body *own;
    int impulse_count;
    mo_heap_impulse *impulse; /* of all contacts of the last step, by rising key and feature */
    int64_t migrated;         /* bodies of all ranks that went to another one, so far */

    /* Ghosts (heap_ghosts.c): */
    double covered; /* m: a motion in a step for which there are enough of them */
    PetscSF ghosts; /* from own bodies to ghosts */
    int ghost_count;
    mo_heap_body *ghost; /* by the ranks that own them */

    /* The world (heap_world.c): */
    mo_world *world;
    mo_team team;
    int member_count;
    mo_heap_member *member;
    int *place, *ghost_place; /* in the world, of own bodies and of ghosts */
    int *owner;               /* of each place: the rank of its body */
    size_t owner_room;
    int contacts_are_known; /* world->contacts are those of the last step */
    int loaded_count;
    int *loaded; /* of them: those with an impulse, by rising key and feature */
    int colours; /* of the last problem */

    mo_exact exact;
    double *each; /* for sums: a number for each own body */
};

/*
 * Two shapes, in the order of a contact: the ids of their bodies, or, for a shape of the box,
 * MO_HEAP_BOX + its place.  The box comes last, so that all contacts of a body with it lie
 * together on every rank; a contact belongs to the rank of its first body.
 */
#define MO_HEAP_BOX (UINT32_MAX - 64)
static inline uint64_t mo_heap_key(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

static inline uint32_t mo_heap_key_owner(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

/* heap_balance.c: owners of cells for the present weights; bodies and impulses to the owners of
 * their cells. */
mo_error mo_heap_balance(struct mo_heap *heap, mo_message *why);
mo_error mo_heap_migrate(struct mo_heap *heap, mo_message *why);
int mo_heap_cell_of(const mo_heap_grid *grid, const double at[3], int place[3]);
static inline int mo_heap_cell_at(const mo_heap_grid *grid, int x, int y, int z)
{
    return (z * grid->n[1] + y) * grid->n[0] + x;
}

/*
 * heap_ghosts.c: finds the ghosts for a largest motion of a body in a step, m, and that motion
 * before the step.  Sends a record of each own body to its ghosts; and reduces a number of each own
 * body to the least of its ghosts' and its own.
 */
mo_error mo_heap_find_ghosts(struct mo_heap *heap, double motion);
double mo_heap_largest_motion(const struct mo_heap *heap);
mo_error mo_heap_send(const struct mo_heap *heap, size_t bytes, const void *own, void *ghosts);
mo_error mo_heap_least(const struct mo_heap *heap, const double *ghosts, double *own);

/*
 * heap_world.c: a world with the box; own bodies and ghosts into the world, in the middle of a step
 * with `is_late`; the impulses of the last step; and all of that back after a step.
 */
mo_error mo_heap_make_world(struct mo_heap *heap, mo_message *why);
mo_error mo_heap_enter(struct mo_heap *heap, int is_late, mo_message *why);
mo_error mo_heap_write_contacts(struct mo_heap *heap);
mo_error mo_heap_read_world(struct mo_heap *heap);

/* The number of a shape in a key. */
uint32_t mo_heap_number(const mo_world *world, int shape);

/* heap_team.c: the requests of the world of a rank to the others. */
mo_team mo_heap_team(struct mo_heap *heap);

/* heap_whole.c: the problem of the step, if it is small; MO_ERR_UNSUPPORTED on all ranks if not. */
mo_error mo_heap_solve_whole(struct mo_heap *heap, const mo_options *options);

/* An empty heap with room for this many own bodies. */
mo_error mo_heap_begin(MPI_Comm comm, const mo_heap_def *def, int bodies, struct mo_heap **heap,
                       mo_message *why);

/* By rising id; by rising key and feature. */
int mo_heap_by_id(const void *a, const void *b);
int mo_heap_by_key(const void *a, const void *b);

static inline const mo_heap_shape *mo_heap_shape_at(const struct mo_heap *heap,
                                                    const mo_heap_body *body)
{
    return heap->shapes.at + mo_heap_shape_of(&heap->def, body->id);
}

#endif
