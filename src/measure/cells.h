/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Laws divided into cells.  The pairs (u, r) that obey a polyhedral law are a union of polyhedra,
 * one for each mode; the table is below.
 *
 * A *unit* is decided as a whole: a contact, or one row of a box or joint.  In the plane and
 * for pyramids, cells that join some of the modes come first: closed, with the tangential rows
 * undecided.  A contact that is not decided yet has the rows that all its cells share.  mu = 0
 * leaves open and closed; mu = infinity leaves open and stick (u = 0, r_N >= 0).
 *
 * Every cell is closed, neighbours overlap in their borders, and together they are the law; only a
 * sector is more than the law.  The directions of a polygon are the law's own doubles, those of
 * sectors are rounded outwards.
 */
#ifndef MO_MEASURE_CELLS_H
#define MO_MEASURE_CELLS_H

#include "measure/enclosure.h"
#include "moreau/certificate.h"

enum {
    MO_CELL_ANY = -1,         /* not decided */
    MO_CELL_MOST_ROWS = 72,   /* of one cell */
    MO_CELL_MOST_CELLS = 132, /* of one unit, after one split */
    MO_CELL_FIRST_SECTOR = 4  /* sector h halves into 2 h and 2 h + 1 */
};

typedef struct mo_unit {
    int constraint;
    int row, dim; /* rows row .. row + dim of u and r */
    mo_law law;
} mo_unit;

/* sum_k c[k] x[row + k] - constant, x being u or r in natural units: zero, or not negative. */
typedef struct mo_cell_row {
    int on_u, is_equation;
    int row, dim;
    double c[3];
    double constant;
} mo_cell_row;

/* Units of the problem (room for n); their number. */
int mo_units_list(const mo_problem *problem, mo_unit *units);

/* The same; -1 if a law has no cells. */
int mo_units_of(const mo_problem *problem, mo_unit *units);

/*
 * The cells into which the cell splits (room for MO_CELL_MOST_CELLS); 0 if it is final.
 *
 *   frictionless           open: r = 0, u >= 0;   closed: u = 0, r >= 0
 *   coulomb in the plane   open: r = 0, u_N >= 0;   stick: u = 0, |r_T| <= mu r_N;
 *                          slide, both directions: u_N = 0, r_N >= 0, r_T = -+ mu r_N, +- u_T >= 0
 *   pyramid                open; each tangential row by itself sticks or slides either way: nine
 *   faceted                open; stick; r at a corner, or on an edge, of the polygon mu r_N
 *                          conv(d_j), with -u_T in its normal cone there: 2 k more
 *   coulomb in space       open; stick, on a polygon around the disc; slide with u_T in a sector
 *                          of the plane, a relaxation: every sector can be halved
 *   sliding                open; slide: u_N = 0, r = r_N (1, -mu s)
 *   box, row by row        lower: r = lower, u >= 0;   upper: r = upper, u <= 0;
 *                          held: u = 0, lower <= r <= upper
 *   joint, row by row      u = 0
 */
int mo_cell_split(const mo_unit *unit, int cell, int *children);

/* The cells that do not split, or are sectors (room for MO_CELL_MOST_CELLS); their number. */
int mo_cell_finals(const mo_unit *unit, int *cells);

/* Is the cell the law in one mode, and not a relaxation of it? */
int mo_cell_is_exact(const mo_unit *unit, int cell);

/* The rows of a cell (room for MO_CELL_MOST_ROWS); their number.  unit_r: unit of the impulse. */
int mo_cell_rows(const mo_unit *unit, int cell, double unit_r, mo_cell_row *rows);

/* Is it a sector of sliding velocities of Coulomb's cone in space? */
int mo_cell_is_sector(const mo_unit *unit, int cell);

/* The round cone that the stick cell of Coulomb in space relaxes; no other cell has one. */
int mo_cell_has_round_cone(const mo_unit *unit, int cell);

mo_found_mode mo_cell_mode(const mo_unit *unit, int cell);

/* ---- shared by cells.c and cells_rows.c ------------------------------------------------------ */

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
