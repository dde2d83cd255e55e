/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Internal definitions of a heap in a box, distributed over ranks.
 *
 * A rank owns the bodies of its region and has copies of those within reach (ghosts).  A step
 * depends on positions and ids alone, so its bits do not depend on the ranks:
 *
 *   - contacts are sorted by (lower id, higher id), walls last, then by feature; the owner of the
 *     lower id computes them with the stateless collision of the library
 *   - the contact problem is distributed (spread.h)
 *   - decisions depend on maxima and counts over all ranks
 *
 * Limits: one convex shape per body, planes as walls, no restitution, no joints.
 */
#ifndef MOREAU_MPI_HEAP_H
#define MOREAU_MPI_HEAP_H

#include "exact.h"
#include "heap_shapes.h"
#include "moreau/mpi.h"

typedef struct mo_heap_body {
    uint32_t id;
    int32_t rank;          /* its owner                        */
    int64_t contacts;      /* of the last step: its weight     */
    double at[3], turn[4]; /* m; quaternion w x y z */
    double v[3], spin[3];  /* m/s, rad/s */
} mo_heap_body;

/* A point where two bodies, or a body and a wall, may touch. */
typedef struct mo_heap_pair {
    uint64_t key;     /* lower id << 32 | higher id, or UINT32_MAX - wall */
    uint32_t feature; /* of the two shapes (collide.h); unique within a pair */
    int body[2];      /* of the lower and the higher id among own bodies and ghosts; -1: a wall */
    double normal[3]; /* from the second to the first */
    double arm[2][3]; /* from the centres of both to the point */
    double gap;
    int is_taken; /* into the problem */
    int late;    /* 0, or the round in which it was taken at the end of the step (heap_overlap.c) */
    double r[3]; /* its impulse so far, in the axes of the world, on the lower id */
} mo_heap_pair;

/* Cells of a box; what lies outside belongs to the nearest one. */
typedef struct mo_heap_grid {
    double low[3], width; /* m */
    int n[3], count;
} mo_heap_grid;

typedef struct mo_heap_impulse {
    uint64_t key;
    uint32_t feature, unused; /* the latter 0: the bytes go to files */
    double r[3];              /* in the axes of the world, on the lower id */
} mo_heap_impulse;

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
    int ghost_count;
    mo_heap_body *all; /* own bodies and ghosts by rising id, while a step is made */
    int all_count;
    int *ghosts_for; /* of each rank: own bodies that it has as ghosts */
    int sent_count;
    int *sent, *arrived; /* those bodies by rank; and the places of ghosts in `all` */

    int pair_count, pair_room;
    mo_heap_pair *pair; /* by rising key and feature */
    int impulse_count;
    mo_heap_impulse *impulse; /* of the last step, by rising key and feature */
    int64_t migrated;         /* bodies of all ranks that went to another one, so far */
    mo_exact exact;
    double *each; /* for sums: a number for each own body */
};

/* heap_balance.c: owners of cells for the present weights; bodies and impulses to the owners of
 * their cells; the cells of a box, as wide as asked for, or wider where there would be too many. */
mo_error mo_heap_balance(struct mo_heap *heap, mo_message *why);
mo_error mo_heap_migrate(struct mo_heap *heap, mo_message *why);
mo_heap_grid mo_heap_make_grid(const double low[3], const double high[3], double width,
                               double most);
int mo_heap_cell_of(const mo_heap_grid *grid, const double at[3], int place[3]);
static inline int mo_heap_cell_at(const mo_heap_grid *grid, int x, int y, int z)
{
    return (z * grid->n[1] + y) * grid->n[0] + x;
}

/* heap_pairs.c: ghosts, then all pairs within reach of a step. */
mo_error mo_heap_find_pairs(struct mo_heap *heap, mo_message *why);

int mo_heap_add_pair(struct mo_heap *heap, mo_heap_pair pair); /* 0: no memory */

/* By rising key and feature, those of the start of the step before late ones. */
void mo_heap_sort_pairs(mo_heap_pair *pair, int count);

/* heap_overlap.c: adds contacts of solids that would overlap at the end of the step, behind all
 * others; *grown: by how much more than before, of their size.  0 if memory is short. */
int mo_heap_look_for_overlaps(struct mo_heap *heap, int round, double *grown);

/* Is that so much that the step is to be solved again? */
int mo_heap_is_deep(double grown);

/*
 * heap_problem.c: the problem of the pairs that are taken.  That of a projection has no velocities
 * and no friction: its answer, times dt, is a displacement after which no pair penetrates by more
 * than what the tolerance leaves.
 */
typedef struct mo_heap_problem {
    struct mo_heap *heap;
    int is_projection;
    int *number; /* of each body of `all` in the problem, or -1       */
    int *body;   /* of each body of the problem: its place            */
    int body_count;
    int *pair; /* of each contact of the problem: its pair           */
    int pair_room;
    int contact_count;
    double *start;  /* impulses to start from, three a contact            */
    double overlap; /* at the end of the step, of the size, beyond that at its start */
    mo_spread *spread;
    mo_result result;
} mo_heap_problem;

mo_error mo_heap_solve(mo_heap_problem *s, mo_message *why);
void mo_heap_problem_clear(mo_heap_problem *s);
void mo_heap_frame(const mo_heap_pair *pair, double frame[9]); /* normal, tangents */

/* heap_project.c: moves bodies apart that overlap after a step; velocities are kept.  *overlap:
 * what is left, of the size; *iterations grows. */
mo_error mo_heap_project(struct mo_heap *heap, double *overlap, int *iterations, mo_message *why);

/* The size of the smaller body of a pair. */
double mo_heap_pair_size(const struct mo_heap *heap, const mo_heap_pair *pair);

/* heap_step.c: how fast the gap of a pair opens. */
double mo_heap_opening(const struct mo_heap *heap, const mo_heap_pair *pair);

/* heap_motion.c: the inertia of a body in the axes of the world; gravity and free rotation for a
 * step; new places; the energy of all ranks, kinetic or potential. */
void mo_heap_inertia(const struct mo_heap *heap, const mo_heap_body *body, double J[9]);
void mo_heap_accelerate(struct mo_heap *heap);
mo_error mo_heap_move(struct mo_heap *heap, mo_message *why);
double mo_heap_energy(struct mo_heap *heap, int is_kinetic);

/* The velocities of ghosts anew. */
mo_error mo_heap_update_ghosts(struct mo_heap *heap);

/* A heap with room for so many own bodies, and none yet. */
mo_error mo_heap_begin(MPI_Comm comm, const mo_heap_def *def, int bodies, struct mo_heap **heap,
                       mo_message *why);

/* By rising id. */
int mo_heap_by_id(const void *a, const void *b);

/* By rising key and feature. */
int mo_heap_by_key(const void *a, const void *b);

/* The impulse of the last step, or NULL. */
const mo_heap_impulse *mo_heap_find_impulse(const struct mo_heap *heap, const mo_heap_pair *pair);

static inline const mo_heap_shape *mo_heap_shape_at(const struct mo_heap *heap,
                                                    const mo_heap_body *body)
{
    return heap->shapes.at + mo_heap_shape_of(&heap->def, body->id);
}

static inline mo_pose mo_heap_pose(const mo_heap_body *body)
{
    return (mo_pose){{body->at[0], body->at[1], body->at[2]},
                     {body->turn[0], body->turn[1], body->turn[2], body->turn[3]}};
}

#endif
