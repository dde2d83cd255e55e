/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Steps of heaps of balls, solved without writing their problem out.
 *
 * Where every contact that takes part is a plain Coulomb contact whose normal passes through the centres of its free bodies, and these have one and the same
 * inertia about every axis, a contact is a normal, two levers and w (problem/balls.h): a tenth of what rows and Jacobians take, and sweeps over them are
 * all that a coarse tolerance needs.  So with the method `auto`, a tolerance from COARSE on and no joints, contacts become balls straight away, are
 * swept (solver/ball_sweeps.h) and measured (measure/measure_balls.h).
 *
 * The problem itself is written out when somebody asks for it (mo_world_problem), from what the step has left: contacts, the bodies that took part, where
 * they were, and their free velocities.  What would change any of these writes it out first.
 *
 * What sweeps do not solve within FEW_SWEEPS, where contacts are few, and what has run away, goes the general way.
 */
#ifndef MO_SIM_BALL_STEP_H
#define MO_SIM_BALL_STEP_H

#include "sim/world_data.h"

/*
 * Impulses and velocities of the contacts that take part.  *takes: they are balls, and world->result has status, iterations and residual;
 * else nothing has been done.
 */
mo_error mo_ball_step_solve(mo_world *world, const mo_phase *phase, int from_start, int *takes);

/* A step that is solved goes on while contacts sink, up to a thousand sweeps.  True where it did. */
int mo_ball_step_raise(mo_world *world);

void mo_ball_step_velocities(
    mo_world *world);                        /* next_v                                            */
void mo_ball_step_answer(mo_world *world);   /* and the impulses, which are due                   */
void mo_ball_step_impulses(mo_world *world); /* of the contacts, where they are due              */
void mo_ball_step_finish(
    mo_world
        *world); /* of the step's last answer: its problem and the modes of its contacts are due */

/* The modes and velocities of the contacts, where they are still to be found: when somebody asks, and before velocities change. */
void mo_ball_step_modes(mo_world *world);

/* The impulse of a contact that took part, in the axes of the world. */
const double *mo_ball_step_impulse(const mo_world *world, const mo_sim_contact *contact);

/* Writes out the problem of the last step, and the vectors of its result, where that is still to be done. */
mo_error mo_ball_step_write_out(mo_world *world, mo_message *why);

/* Before something changes of which it is made.  For lack of memory there is no problem of the last step then. */
void mo_ball_step_leave(mo_world *world);

#endif
