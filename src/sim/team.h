/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A world that is distributed over processes: each process owns some of the bodies.
 *
 * A process steps the bodies that it owns.  Ghosts are copies of bodies of other processes that may
 * be reached in the step.  A contact belongs to the process that owns the body with the lower id.
 * All processes execute the phases of a step together: sums, maxima and the solve extend over all
 * of them, and owners send the new state of their bodies to the copies.  Without a team, the
 * functions `sum`, `largest` and so on return their argument.
 */
#ifndef MO_SIM_TEAM_H
#define MO_SIM_TEAM_H

#include <stdint.h>

#include "moreau/solve.h"
#include "moreau/world.h"

/* Data that the owner of a body sends to its copies. */
typedef enum mo_shared {
    MO_SHARED_START,    /* start_v, and with it free_v */
    MO_SHARED_VELOCITY, /* next_v; ghosts that come close by it are added */
    MO_SHARED_PART,     /* the smallest `part` of all copies: held back in one: in all */
    MO_SHARED_MARK,     /* is_displaced of any copy */
    MO_SHARED_ISLAND,   /* the least `island` of all copies */
    MO_SHARED_POSE      /* x, orientation, v, is_displaced */
} mo_shared;

typedef enum mo_combine { MO_COMBINE_SUM, MO_COMBINE_LARGEST } mo_combine;

typedef struct mo_team {
    void *user;
    int64_t (*sum)(void *user, int64_t count);
    double (*largest)(void *user, double value);
    /* The same error in all processes, with the message of one of them. */
    mo_error (*agree)(void *user, mo_error error, mo_message *why);
    /* world->problem of all, into world->result.  Own bodies that nothing touches lose their block.
     */
    mo_error (*solve)(void *user, const mo_options *options);
    mo_error (*share)(void *user, mo_shared what);
    /* Replaces `width` values for each name by the sums, or the maxima, over all processes that use
     * the name. */
    mo_error (*combine)(void *user, mo_combine how, int count, const uint32_t *name, int width,
                        int64_t *value);
} mo_team;

int64_t mo_team_sum(const mo_world *world, int64_t count);
double mo_team_largest(const mo_world *world, double value);
double mo_team_least(const mo_world *world, double value);
mo_error mo_team_agree(const mo_world *world, mo_error error, mo_message *why);
/* mo_solve of world->problem. */
mo_error mo_team_solve(mo_world *world, const mo_options *options);
mo_error mo_team_share(const mo_world *world, mo_shared what);
int mo_team_any(const mo_world *world, int is_so);

/* Constraints of the whole problem of the round. */
int64_t mo_team_constraints(const mo_world *world);

/* Does the pair belong to this world: is its first body that moves one of its own? */
int mo_team_has_pair(const mo_world *world, int shape_a, int shape_b);

#endif
