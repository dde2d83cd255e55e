/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Small contact problems by name, with parameters: the papers' examples of none, one and several
 * solutions.  `moreau check` takes them, tests compare their verdicts with closed forms.
 *
 *   painleve-rod        a rod whose upper end is dragged along a rail, its lower end on the ground
 *                       [acary2011, example 2.1]
 *   crushed-ball        a ball between the ground and a plane that comes down [acary2011, figure 3]
 *   rectangle           a plate on two round supports, one of which moves [acary2011, figure 7]
 *   hexagonal-pyramid   a pyramid that rests on six corners [anitescu2004, section 3]
 *   sliding-rod         a rod that slides on a table on its tip: forces and accelerations, or the
 *                       impulses of one step
 *
 * A problem is described like a scene that moves (worlds.h), and its parameters are set in the same
 * way.
 */
#ifndef SCENES_PROBLEMS_H
#define SCENES_PROBLEMS_H

#include "worlds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* values: one a parameter, in their order, inside their ranges. */
typedef mo_error problem_build_fn(const double *values, mo_problem **problem, mo_message *why);

typedef struct problem_scene {
    world_scene about; /* name, text, parameters; it has no step, no time and no world */
    problem_build_fn *build;
} problem_scene;

int problem_scene_count(void);
const problem_scene *problem_scene_at(int k);
const problem_scene *problem_scene_find(const char *name); /* NULL if there is none */

/*
 * One velocity v along the rail, u_N = v sin(angle), u_T = v cos(angle) + speed, v = gravity
 * sin(angle) + H r.  With gravity -1 a solution exists exactly where speed <= 0 or tan(angle) >= mu
 * (eq. 2.6).
 */
mo_error problem_painleve_rod(double angle, double mu, double speed, double gravity,
                              mo_problem **problem, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
