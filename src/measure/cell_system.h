/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The system of equations and inequalities in r for one cell per unit, since u = W r + q.  Two
 * statements can be proven for the exact problem in the enclosure:
 *
 * No impulse of size up to `reach` satisfies it.  Multipliers y (not negative for inequalities)
 * combine the rows to g' r + c, which is not negative if all rows hold; but with c < 0
 *
 *     g' r + c < 0   for all |r| <= -c / |g|_1 =: reach.                                        (1)
 *
 * If the exact g is zero, its enclosure contains rounding only, and the reach is about 1e12 natural
 * units.
 *
 * If there are as many equations as unknowns, they have one root, which is enclosed: it is inside,
 * outside, or too close to a boundary to decide.
 */
#ifndef MO_MEASURE_CELL_SYSTEM_H
#define MO_MEASURE_CELL_SYSTEM_H

#include "measure/cells.h"

typedef struct mo_cell_system {
    const mo_enclosure *enclosure;
    int unit_count;
    mo_unit *units; /* at most n */
    int *cells;     /* one a unit */
    int row_count;
    mo_cell_row *rows;    /* of all units, and room for one more */
    mo_interval *scratch; /* E, c, E' and two columns */
    double *inverse;      /* n x n */
    void *memory;
} mo_cell_system;

/* Every unit undecided; fails for memory and for laws that have no cells. */
mo_error mo_cell_system_create(const mo_enclosure *enclosure, mo_cell_system *system,
                               mo_message *why);
void mo_cell_system_destroy(mo_cell_system *system);

/* The rows of the cells chosen now. */
void mo_cell_system_write(mo_cell_system *system);

/* A row more: sign (u_k - centre) >= distance. */
void mo_cell_system_add_far(mo_cell_system *system, int k, double sign, double centre,
                            double distance);

/* (1); 0 if y proves nothing. */
double mo_cell_system_reach(mo_cell_system *system, const double *y);

typedef enum mo_root_place {
    MO_ROOT_INSIDE,
    MO_ROOT_OUTSIDE,
    MO_ROOT_EDGE,
    MO_ROOT_UNKNOWN
} mo_root_place;

/* Unknown: not square, or perhaps singular.  Otherwise r and u (n intervals each) hold the root. */
mo_root_place mo_cell_system_root(mo_cell_system *system, mo_interval *r, mo_interval *u);

/* Are the round cones of sticking contacts, which the rows relax, met by r to 1e-10? */
int mo_cells_are_met(const mo_cell_system *system, const double *r);

#endif
