/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The state of a world as a file, so that a run can go on later with the same bits.
 *
 *   moreau-state 1
 *   SCENE name=value name=value ...      as they were when it was saved
 *   SIZE CHECKSUM                        of the bytes that follow: FNV-1a, 64 bits, hexadecimal
 *   bytes                                of mo_world_save
 *
 * A file of another scene, of other parameters, or with a damaged byte is refused.  The bytes are
 * those of one build on one machine: this is a way to go on, not a way to exchange.
 */
#ifndef CLI_RUN_STATE_H
#define CLI_RUN_STATE_H

#include "run.h"

/* Each is true, or false after run_fail. */
int run_state_save(const run_call *call, const mo_world *world, run_tally *tally);
int run_state_load(const run_call *call, mo_world *world, run_tally *tally);

#endif
