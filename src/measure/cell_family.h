/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Families of cells by law, shared by cells.c and cells_rows.c. */
#ifndef MO_MEASURE_CELL_FAMILY_H
#define MO_MEASURE_CELL_FAMILY_H

#include "measure/cells.h"

/* The kind of a unit, from its law and parameters. */
typedef enum mo_cell_family {
    MO_FAMILY_NONE, /* no cells */
    MO_FAMILY_SMOOTH,
    MO_FAMILY_NEVER_SLIDES,
    MO_FAMILY_PLANE,
    MO_FAMILY_SPACE,
    MO_FAMILY_FACETED,
    MO_FAMILY_PYRAMID,
    MO_FAMILY_SLIDING,
    MO_FAMILY_BOX,
    MO_FAMILY_JOINT
} mo_cell_family;

mo_cell_family mo_cell_family_of(const mo_unit *unit);

/*
 * Coulomb in the plane and pyramids.  Cells 1 .. 3 or 1 .. 9 are final, one digit in base three for
 * each tangential row.  The next one is closed with both rows undecided; then, for pyramids, three
 * in which the first row is decided.
 */
int mo_cell_final_count(const mo_unit *unit);

#endif
