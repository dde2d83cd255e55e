/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interval enclosure of the reduced problem u = W r + q (W with compliance on its diagonal) of a
 * small problem: it contains the exact W and q.
 *
 * For a body, M^-1 [J' f] is enclosed rather than computed: see root.h.
 *
 * Natural units.  With m_i the mean diagonal of W_ii and Q the largest |q_i| / sqrt(m_i) (or bound
 * of a box times sqrt(m_i)), impulses are measured in Q / sqrt(m_i) and velocities in Q sqrt(m_i).
 * Both are rounded to powers of two, so the conversion is exact.  In these units W has a diagonal
 * near one and q has entries up to about one.
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

/* u = W r + q, entry by entry: loses digits where large impulses cancel. */
void mo_enclosure_velocity(const mo_enclosure *enclosure, const mo_interval *r, mo_interval *u);

/* u = H' v + w of row k of constraint i, from the problem's own numbers. */
mo_interval mo_row_enclosure(const mo_problem *problem, int i, int k, double w, const double *v);

/* Numbers as intervals. */
void mo_intervals_of(int count, const double *x, mo_interval *intervals);

/* The power of two next above x, between 2^-400 and 2^400; 1 where x is no positive number. */
double mo_power_of_two(double x);

#endif
