/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A piece of a step at the acceleration level: between two collisions, one set of forces. */
#ifndef MO_SIM_FORCES_PIECE_H
#define MO_SIM_FORCES_PIECE_H

#include "sim/forces_data.h"

typedef struct mo_piece {
    mo_world *world;
    mo_force_options options;
    mo_instant instant;
    mo_forces forces;
    double h, left;
    double most;  /* the next piece is not longer: something collides then */
    int is_last;  /* takes the rest of the step, regardless of collisions */
    int impulses; /* in this step, without forces */
} mo_piece;

/* Whether two shapes touch. */
int mo_piece_touches(const mo_world *world, const mo_sim_contact *contact);

/* Forces over 1 / instant.per_step, of the contacts that touch; or forces.is_impulsive. */
mo_error mo_piece_forces(mo_piece *p, mo_message *why);

#endif
