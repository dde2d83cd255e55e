/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The modes of an approximate solution as n equations F(r) = 0 in n unknowns, with u = W r + q, in
 * intervals and natural units: one mode for each unit, of the exact law.
 *
 *   polyhedral laws   the equations of the cell (cells.h) that the point fits best
 *   round cones       open: r = 0.  Closed: u_N = 0, and each group of rows (unit_cone.h) either
 *                       sticks:  u_k = 0
 *                       slides:  s r_k + c_k^2 r_N u_k = 0,   s = sqrt(sum (c_k u_k)^2)         (1)
 *
 * By (1), r is opposite to u in the metric of the group, at its limit, if s > 0 and r_N >= 0.  A
 * root of F that satisfies the inequalities of its modes therefore satisfies every law.
 */
#ifndef MO_MEASURE_MODE_EQUATIONS_H
#define MO_MEASURE_MODE_EQUATIONS_H

#include "measure/unit_cone.h"

typedef struct mo_unit_mode {
    int is_round;                    /* its law is a round cone, and it is closed; otherwise: */
    int cell;                        /* the cell whose rows hold */
    int slides[MO_CONE_MOST_GROUPS]; /* round: each group */
} mo_unit_mode;

/* The mode that the point (u, r) fits best. */
mo_unit_mode mo_mode_of(const mo_unit *unit, double unit_r, const double *u, const double *r);

/* One equation of a unit: its value, and its derivatives by the unit's own u and r. */
typedef struct mo_mode_row {
    mo_interval value, by_u[MO_CONE_MOST_ROWS], by_r[MO_CONE_MOST_ROWS];
    int is_zero_of; /* number that the equation sets to zero: -1 none, k u_k, 16 + k r_k */
} mo_mode_row;

/* The unit's equations for all (u, r) in the intervals, which hold the unit's own rows; their
 * number, unit->dim where the mode is a good one.  Room: MO_CONE_MOST_ROWS. */
int mo_mode_rows(const mo_unit *unit, const mo_unit_mode *mode, double unit_r, const mo_interval *u,
                 const mo_interval *r, mo_mode_row *rows);

/* Do all (u, r) in the intervals that solve the equations meet the inequalities of the mode? */
int mo_mode_is_met(const mo_unit *unit, const mo_unit_mode *mode, double unit_r,
                   const mo_interval *u, const mo_interval *r);

#endif
