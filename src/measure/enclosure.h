/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interval enclosure of the reduced problem u = W r + q (W with compliance on its diagonal) of a
 * small problem: it contains the exact W and q.
 *
 * For a body, M^-1 [J' f] is enclosed rather than computed: see mo_root_enclose.
 *
 * Natural units.  With m_i the mean diagonal of W_ii and Q the largest |q_i| / sqrt(m_i) (or bound
 * of a box times sqrt(m_i)), impulses are measured in Q / sqrt(m_i) and velocities in Q sqrt(m_i).
 * Both are rounded to powers of two, so the conversion is exact.  In these units W has a diagonal
 * near one and q has entries up to about one.
 */
#ifndef MO_MEASURE_ENCLOSURE_H
#define MO_MEASURE_ENCLOSURE_H

#include "linalg/dense.h"
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

/* Fails for memory, for too many rows, and for a mass matrix that may be singular. */
mo_error mo_enclosure_create(const mo_problem *problem, mo_enclosure *enclosure, mo_message *why);
void mo_enclosure_destroy(mo_enclosure *enclosure);

/* u = W r + q, entry by entry: loses digits where large impulses cancel. */
void mo_enclosure_velocity(const mo_enclosure *enclosure, const mo_interval *r, mo_interval *u);

/* u = H' v + w of row k of constraint i, from the problem's own numbers. */
mo_interval mo_row_enclosure(const mo_problem *problem, int i, int k, double w, const double *v);

/* Numbers as intervals. */
void mo_intervals_of(int count, const double *x, mo_interval *intervals);

/*
 * The root of E x = c, enclosed, for every matrix and right side in the intervals E and c.  With R
 * near E^-1, a = |I - R E| < 1 in the max norm, and x near the root,
 *
 *     |E^-1 c - x|  <=  |R (c - E x)| + a / (1 - a) max |R (c - E x)|                           (1)
 *
 * for every component.  a < 1 proves that E is not singular.
 */
/* R near the inverse of E (n <= MO_SMALL), and a: 1/2 or more, or NaN, if E may be singular. */
double mo_root_prepare(int n, const mo_interval *E, double *R);

/* X holds E^-1 c by (1); a < 1/2. */
void mo_root_enclose(int n, const mo_interval *E, const double *R, double a, const mo_interval *c,
                     mo_interval *X);

/* A lower bound of -c / size, size the rounded sum of n numbers; 0 where c may not be negative. */
double mo_reach_of(mo_interval c, int n, double size);

/* The power of two next above x, between 2^-400 and 2^400; 1 if x is not positive. */
double mo_power_of_two(double x);

#endif
