/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The residual of a distributed problem: the figures of mo_measure, with exact sums over all ranks
 * (exact.h).  Constraints are identified by id.
 */
#ifndef MOREAU_MPI_MEASURE_H
#define MOREAU_MPI_MEASURE_H

#include "solver/sweeps.h"
#include "spread.h"

/* |q|, q = H' M^-1 f + w; the state and the impulses of the sweeps are used as scratch, and u (a
 * number a row) becomes q. */
double mo_spread_q_norm(mo_spread *s, mo_sweeps *sweeps, double *u);

/* At the state of the sweeps, which r alone has caused; v and u become those of the part. */
void mo_spread_measure(mo_spread *s, mo_sweeps *sweeps, double q_norm, const double *r, double *v,
                       double *u, mo_residual *residual);

/* The worst of each kind over all ranks, by id; that of the natural map comes squared. */
void mo_spread_agree_on_worst(const mo_spread *s, mo_residual *residual);

/* mo_residual's power: of all constraints, or of those that each rank owns. */
double mo_spread_power(mo_spread *s, const double *u, const double *r, const int *owner);

#endif
