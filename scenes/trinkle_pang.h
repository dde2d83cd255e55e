/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Random problems with objects, manipulators, rolling and sliding contacts, at the acceleration
 * level, and the 328 data sets made from them: the experiments of [trinkle1997, section 6].
 *
 * v is an acceleration here, r a force, w the velocity products.  Objects of about 1 kg and 0.1 m
 * lie on the ground and on each other; manipulators, serial chains of joints that turn or slide on
 * a fixed base, touch and push them.  The velocity is random among those that obey the contacts: no
 * contact approaches or parts, and rolling ones do not slip (eq. 5 and 6).  The direction in which
 * a sliding contact slips follows from it.
 *
 * The same description gives the same bits.
 */
#ifndef SCENES_TRINKLE_PANG_H
#define SCENES_TRINKLE_PANG_H

#include <stdint.h>

#include "grasp.h"
#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_grasp_def {
    uint64_t seed;
    int objects; /* passive bodies, six coordinates each; at least one */
    int manipulators;
    int joints;  /* of each manipulator, 1 to 8 */
    int rolling; /* n_R: contacts with the pyramid law */
    int sliding; /* n_S: contacts with the sliding law */
    double mu;   /* of all contacts */
    int cone;    /* rolling contacts on the true cone instead */
} scene_grasp_def;

scene_grasp_def scene_grasp_default(
    void); /* 2 objects, 1 manipulator of 3 joints, 2 + 1 contacts, mu 0.5 */

/*
 * The system.  MO_ERR_ARGUMENT where sliding contacts are asked for and the rolling ones leave
 * nothing that could slide: n_S > 0 needs more coordinates than n_S + 3 n_R.
 */
mo_error scene_grasp_draw(const scene_grasp_def *def, grasp *system, mo_message *why);

/* Its problem, constraint i being contact i. */
mo_error scene_grasp(const scene_grasp_def *def, mo_problem **problem, mo_message *why);

/* ---- the data sets --------------------------------------------------------------------------- */

enum { TRINKLE_PANG_PROBLEMS = 35, TRINKLE_PANG_SETS = 328 };

typedef struct trinkle_pang_set {
    int number;  /* 0 to 327 */
    int problem; /* 0 to 34; sets of one problem differ in mu alone */
    int size;    /* of the LCP: n_S + 5 n_R */
    scene_grasp_def def;
} trinkle_pang_set;

/* number: 0 to TRINKLE_PANG_SETS - 1 */
trinkle_pang_set trinkle_pang_set_of(int number);

#ifdef __cplusplus
}
#endif
#endif
