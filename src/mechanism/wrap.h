/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#ifndef MO_MECHANISM_WRAP_H
#define MO_MECHANISM_WRAP_H

#include "moreau/shape.h"

/*
 * The path from x0 to x1 around (or, with a side point inside it, through) a sphere or a cylinder
 * about z of `at`: the length of the part on the surface and its two ends, all in the world.  -1:
 * the straight line is the path.  `side` may be NULL.
 */
double mo_wrap(const double x0[3], const double x1[3], const mo_pose *at, double radius,
               int is_cylinder, const double *side, double touch[2][3]);

#endif
