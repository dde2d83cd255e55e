/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interval verification of the evidence for a condition.  With A x + b for H' v + w (W y + q for a
 * reduced problem) in natural units, rows of u scaled as in the enclosure and columns by their
 * largest entry:
 *
 *   holds   A x + b in K*, or in its interior; for pointed cones A x
 *   fails   r in K, g = A' r, c = b' r (pointed: minus the sum of r_N): K* contains no A x + b
 *           (with u_N - mu |u_T| >= 1) of size |x| <= -c / |g|_1, since r' (A x + b) >= 0 for all
 *           of them
 */
#ifndef MO_MEASURE_CONDITION_H
#define MO_MEASURE_CONDITION_H

#include "measure/cells.h"
#include "measure/unit_cone.h"

/* A and b, and the units in them. */
typedef struct mo_motion_map {
    const mo_problem *problem;
    mo_enclosure enclosure;
    int rows, columns;
    mo_interval *A, *b; /* rows x columns, rows: natural units */
    double *unit;       /* one a column: powers of two */
    mo_unit *units;
    int unit_count;
    void *memory;
} mo_motion_map;

mo_error mo_motion_map_create(const mo_problem *problem, mo_motion_map *map, mo_message *why);
void mo_motion_map_destroy(mo_motion_map *map);

/* Whether the condition applies to these laws; if not, `why` (or NULL) gets the reason. */
int mo_condition_applies(const mo_problem *problem, mo_condition_kind kind, mo_message *why);

/* The theory of a reduced problem needs a symmetric W. */
int mo_motion_map_is_symmetric(const mo_motion_map *map);

/* Every friction coefficient times a factor. */
void mo_motion_map_scale_friction(mo_motion_map *map, double factor);

/* Does v prove it, with every friction coefficient times a factor?  A global problem of any
 * size, in its own units. */
int mo_velocity_proves(const mo_problem *problem, mo_condition_kind kind, double friction,
                       const double *v);

/* Does x prove it? x in natural units. */
int mo_motion_proves(const mo_motion_map *map, mo_condition_kind kind, const double *x);

/* r in natural units: the reach; 0 if it proves nothing. */
double mo_impulse_reach(const mo_motion_map *map, mo_condition_kind kind, const double *r);

static inline int mo_condition_is_homogeneous(mo_condition_kind kind)
{
    return kind == MO_CONDITION_POINTED || kind == MO_CONDITION_POINTED_FRICTIONLESS;
}

static inline int mo_condition_is_frictionless(mo_condition_kind kind)
{
    return kind == MO_CONDITION_FRICTIONLESS || kind == MO_CONDITION_POINTED_FRICTIONLESS;
}

#endif
