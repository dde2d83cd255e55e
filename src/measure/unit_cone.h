/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The cone of impulses K of one unit and its dual K*, with containment tests that include rounding.
 *
 * Polyhedral cones are given by rays (1, mu d).  Round cones (Coulomb in space, rolling friction,
 * soft finger) limit groups of rows, with a coefficient c_k for each row of a group G:
 *
 *     K:   sum over k in G of (r_k / c_k)^2 <= r_N^2   for each group                           (1)
 *     K*:  u_N >= sum over the groups of sqrt(sum over k in G of (c_k u_k)^2)                   (2)
 *
 *   coulomb       one group, c = (mu, mu)
 *   soft finger   one group, c = (mu, mu, mu_torsion)
 *   rolling       two groups, c = (mu, mu) and (mu_rolling, mu_rolling)
 */
#ifndef MO_MEASURE_UNIT_CONE_H
#define MO_MEASURE_UNIT_CONE_H

#include "measure/cells.h"
#include "measure/interval.h"

enum { MO_CONE_MOST_ROWS = 5, MO_CONE_MOST_RAYS = 64, MO_CONE_MOST_GROUPS = 2 };

/* The test of a unit: with or without friction, in K* or in its interior. */
typedef struct mo_cone_question {
    int frictionless, strictly;
} mo_cone_question;

int mo_cone_is_joint(const mo_unit *unit);

/* No friction: K is the half line of normal impulses. */
int mo_cone_is_smooth(const mo_unit *unit, int frictionless);

/* Rays of a polyhedral cone, each of unit->dim numbers; their number, 0 for a round one. */
int mo_cone_rays(const mo_unit *unit, int frictionless, double (*rays)[MO_CONE_MOST_ROWS]);

/* A round cone: groups[g] is the first row of group g, groups[count] the end; c[k] of row k. */
int mo_cone_groups(const mo_unit *unit, int groups[MO_CONE_MOST_GROUPS + 1],
                   double c[MO_CONE_MOST_ROWS]);

/* Is every number of the intervals in K*?  A joint's is u = 0. */
int mo_cone_has_motion(const mo_unit *unit, mo_cone_question question, const mo_interval *u);

/* Is r in K? */
int mo_cone_has_impulse(const mo_unit *unit, int frictionless, const double *r);

#endif
