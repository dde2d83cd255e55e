/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Many worlds at once, over threads: environments of learning, samples of a controller. */
#ifndef MOREAU_BATCH_H
#define MOREAU_BATCH_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the steps of one world went. */
typedef struct mo_batch_report {
    /* steps that were taken; fewer than asked for after an error */
    int steps;
    /* those whose status is not MO_SOLVED */
    int unsolved;
    mo_error error;
    /* of the last step */
    mo_step_report last;
} mo_batch_report;

/*
 * Takes `steps` steps of h seconds in each world.  Each world is stepped by one thread with its own
 * solver options, so the bits do not depend on `threads`.  An error in one world does not stop the
 * others: reports[k] has it (or NULL), and the first of them is returned with its sentence.
 * No world may be listed twice.
 */
MO_API mo_error mo_worlds_step(mo_world *const *worlds, int count, double h, int steps, int threads,
                               mo_batch_report *reports, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
