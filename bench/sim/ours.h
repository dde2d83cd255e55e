/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Moreau as one of the engines.  Its configurations are tolerances of the residual. */
#ifndef BENCH_SIM_OURS_H
#define BENCH_SIM_OURS_H

#include "engine.h"

extern const sim_engine sim_ours;

#endif
