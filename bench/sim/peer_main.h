/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#ifndef BENCH_SIM_PEER_MAIN_H
#define BENCH_SIM_PEER_MAIN_H

#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

int peer_main(const sim_engine *engine, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
