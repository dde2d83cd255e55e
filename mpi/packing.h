/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The packing of balls of the benchmarks (scene_packing) in any size: the same problem for any
 * number of ranks, each of which generates its part.  Balls are assigned to ranks in ranges of
 * their numbers, which are layers.
 */
#ifndef MOREAU_MPI_PACKING_H
#define MOREAU_MPI_PACKING_H

#include "moreau/mpi.h"

mo_error mo_spread_packing(MPI_Comm comm, int contacts, uint64_t seed, mo_spread **spread,
                           mo_message *why);

#endif
