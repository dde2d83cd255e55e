/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Steps of many worlds in parallel, for learning environments and sampling-based control. */
#ifndef MOREAU_BATCH_H
#define MOREAU_BATCH_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The steps of one world. */
typedef struct mo_batch_report {
    /* steps taken; fewer than requested after an error */
    int steps;
    /* steps whose status is not MO_SOLVED */
    int unsolved;
    mo_error error;
    /* of the last step */
    mo_step_report last;
} mo_batch_report;

/*
 * Takes `steps` steps of h seconds in each world.  One thread steps a world, with the solver
 * options of that world, so the bits do not depend on `threads`.  An error in one world does not
 * stop the others: reports[k] contains it (`reports` may be NULL), and the first error is returned
 * with its message.  No world may be listed twice.
 */
MO_API mo_error mo_worlds_step(mo_world *const *worlds, int count, double h, int steps, int threads,
                               mo_batch_report *reports, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
