/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Declarations shared by hull.c and hull_build.c. */
#ifndef MO_COLLIDE_HULL_BUILD_H
#define MO_COLLIDE_HULL_BUILD_H

#include "collide/hull.h"

/*
 * The hull of points in space, finite ones; where it has more than MO_HULL_VERTICES corners, the
 * outermost ones.
 */
mo_hull *mo_hull_build(const mo_allocator *allocator, const double *points, int count,
                       mo_message *why);

mo_hull *mo_hull_allocate(const mo_allocator *allocator, int vertices, int faces, int corners,
                          int edges, mo_message *why);
void mo_hull_fit_planes(mo_hull *hull);
int mo_hull_find_edges(mo_hull *hull); /* true where every edge lies between two faces */

#endif
