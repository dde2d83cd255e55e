/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The reduced problem u = W r + q (W with the compliance on its diagonal) of a small problem,
 * enclosed in intervals: the exact W and q of the problem's numbers lie in them.
 *
 * For a body, M^-1 [J' f] is not computed but enclosed: see root.h.
 *
 * Natural units.  With m_i the mean diagonal of W_ii and Q the largest |q_i| / sqrt(m_i) (or bound
 * of a box times sqrt(m_i)), impulses are counted in Q / sqrt(m_i) and velocities in Q sqrt(m_i),
 * both rounded to powers of two, so that counting in them rounds nothing: W has a diagonal near one
 * then and q entries up to about one, in whatever units the problem came.
 */
#ifndef MO_MEASURE_ENCLOSURE_H
#define MO_MEASURE_ENCLOSURE_H

#include "measure/interval.h"
#include "problem/problem_data.h"

enum { MO_ENCLOSURE_MOST_ROWS = 160 };

typedef struct mo_enclosure {
    const mo_problem *problem;
    int n;
    mo_interval *W, *q;      /* n x n and n, in natural units */
    double *unit_r, *unit_u; /* one a row: powers of two */
    void *memory;
} mo_enclosure;

/* Fails for memory, for more rows than it takes, and where a mass matrix cannot be inverted safely.
 */
mo_error mo_enclosure_create(const mo_problem *problem, mo_enclosure *enclosure, mo_message *why);
void mo_enclosure_destroy(mo_enclosure *enclosure);

#endif
