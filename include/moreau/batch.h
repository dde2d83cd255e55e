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

/*
 * Creates a world with `copies` copies of a world of balls and other convex bodies, which
 * mo_world_step steps together: on a GPU, or by the same kernels on the host if there is none or
 * `device` is cpu, with the same bits.  Copies have the same place in space and do not touch each
 * other; static bodies are shared.  Each copy may then be given other poses, velocities and forces.
 *
 * Equal copies move like a single copy, bit for bit.  Every copy meets `tol` for itself, with
 * iterations of its own; the report has the worst residual and the most iterations.  Only if copies
 * have more than 4,096 contacts in the mean, `tol` holds for the root mean square of their
 * residuals.  Fails with MO_ERR_UNSUPPORTED and the reason for worlds that a device does not step
 * (docs/gpu.md); later, adding or removing bodies fails likewise.
 */
MO_API mo_error mo_world_create_copies(const mo_world *world, int copies, mo_world **batch,
                                       mo_message *why);
/* The body of a copy that corresponds to mo_world_body(world, k); index 0: there is none. */
MO_API mo_body_id mo_world_copy_body(const mo_world *batch, int copy, int k);

#ifdef __cplusplus
}
#endif
#endif
