/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Moreau as one of the engines.  Its configurations are relative residuals in (0, 1]:
 * sim_scene.tol. */
#ifndef BENCH_SIM_OURS_H
#define BENCH_SIM_OURS_H

#include "engine.h"

extern const sim_engine sim_ours;

/* The tolerance of this name, "2e-3"; 0 if it is none. */
double sim_ours_tolerance(const char *name);

#endif
