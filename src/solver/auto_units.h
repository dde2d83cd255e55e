/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Islands that are copied out of a problem, each with a run along the ladder of auto.c. */
#ifndef MO_SOLVER_AUTO_UNITS_H
#define MO_SOLVER_AUTO_UNITS_H

#include "problem/islands.h"
#include "problem/views.h"
#include "solver/auto.h"

/* An island with a run of its own. */
typedef struct mo_island_unit {
    int island;
    mo_problem *problem;
    mo_options options;
    mo_result result;
    mo_run run;
    void *memory;
    mo_walk walk;
    mo_rung_run rung;
    const char *name; /* of the last rung */
    int is_over;
    mo_status status;
} mo_island_unit;

typedef struct mo_island_units {
    mo_run *whole;
    const mo_islands *islands;
    const mo_sweep *sweep;
    double *x; /* the state of the whole */
    mo_island_unit *units;
    int count;
} mo_island_units;

/* Copies island k, with the impulses of the whole; local: see mo_islands_extract. */
mo_error mo_units_make(const mo_island_units *f, int k, int *local, mo_island_unit *u);
void mo_units_clear(mo_island_units *f);

/* Takes the next rung of every unit that is not through; false if there is none. */
int mo_units_advance(mo_island_units *f);

int mo_units_iterations(const mo_island_units *f);

/* The status of the whole if it is not solved: the worst that happened to an island. */
mo_status mo_units_status(const mo_island_units *f);

void mo_units_tell(const mo_island_units *f, mo_message *summary);

#endif
