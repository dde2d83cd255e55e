/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The linear systems of Newton and interior point methods, in one of three spaces:
 *
 *     (D + B W) x = b,    D and B block diagonal, W = H' M^-1 H
 *
 *   contacts   the matrix itself, in the blocks of W (contact_space.h)
 *   bodies     W = P Q' (pull and push of sweep.h), y = Q' x, K = D^-1 B (body_space.h):
 *              (I + Q' K P) y = Q' D^-1 b,    x = D^-1 b - K P y.  W is not formed; needs regular
 *              D_i, and a D of size eps loses as many digits as eps in both spaces
 *   groups     for W = E V E' with small V (group_space.h), s = E' x, K = sum of E' D^-1 B E:
 *              (I + K V) s = E' D^-1 b,    x = D^-1 b - D^-1 B E V s
 *
 * The space with fewer operations by its plan is chosen; a plan is skipped if the counts of rows
 * decide.  A problem given by W alone uses contacts, or groups if available.
 *
 * Blocks with `active` = 0 have D = I, B = 0: x_i = b_i, and are eliminated.
 */
#ifndef MO_PROBLEM_DELASSUS_H
#define MO_PROBLEM_DELASSUS_H

#include "problem/group_space.h"
#include "problem/views.h"

typedef enum mo_space {
    MO_SPACE_BEST,
    MO_SPACE_CONTACTS,
    MO_SPACE_BODIES,
    MO_SPACE_GROUPS
} mo_space;

/* D + B W of the blocks of a reduced problem. */
typedef struct mo_block_matrix {
    const mo_problem *W;
    mo_front_lu lu;
    const uint8_t *active;
    const size_t *start;
    const double *D, *B;
    double *values;
    int has_inactive; /* blocks, at the last factorisation */
} mo_block_matrix;

/* Group space: the blocks I and K, and vectors of s and V s. */
typedef struct mo_group_blocks {
    uint8_t *active;
    size_t *start;
    double *D, *B, *s, *y;
} mo_group_blocks;

typedef struct mo_delassus {
    const mo_problem *problem;
    const mo_sweep *sweep;           /* natural order */
    const mo_contact_space *contact; /* one of these three */
    const mo_body_space *body;
    const mo_group_space *groups;
    mo_block_matrix matrix; /* of contacts or of groups */
    mo_group_blocks group;
    mo_front_lu lu;  /* of bodies */
    uint8_t *active; /* set by the user, like D and B */
    size_t *start;   /* of each block in D and B: d x d numbers, row-major */
    double *D, *B;   /* D is overwritten by factoring */
    double *K;       /* bodies and groups: D^-1 B; D is then D^-1 */
    double *values;  /* of the matrix */
    double *rows;    /* bodies and groups: D^-1 b */
    double *state;   /* bodies: y */
} mo_delassus;

/* The space that suits a problem, and the operations of a factorisation in it. */
mo_error mo_delassus_choose(const mo_problem *problem, mo_space *space, double *flops);

/*
 * Takes the numbers from an arena.  MO_SPACE_BEST chooses;
 * MO_SPACE_CONTACTS is for a method whose D may be singular, and MO_SPACE_BODIES is for global
 * problems only.
 */
mo_error mo_delassus_layout(const mo_problem *problem, mo_space space, mo_arena *arena,
                            mo_delassus *system);

/* False if the matrix, or in body space a block D_i, is singular. */
bool mo_delassus_factor(mo_delassus *system);

/* The sign of det(D + B W) if those of all D are positive. */
int mo_delassus_sign(const mo_delassus *system);

/* x = (D + B W)^-1 x. */
void mo_delassus_solve(const mo_delassus *system, double *x);

/* u = W x, all rows, for the x that the last solve gave. */
void mo_delassus_response(const mo_delassus *system, const double *x, double *u);

#endif
