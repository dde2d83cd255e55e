/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The state of a world as a file, from which a run continues with the same bits.
 *
 *   moreau-state 1
 *   SCENE name=value name=value ...      at the time of saving
 *   SIZE CHECKSUM                        of the bytes that follow: FNV-1a, 64 bits, hexadecimal
 *   bytes                                of mo_world_save
 *
 * A file of another scene, with other parameters, or with a damaged byte is refused.  The bytes are
 * specific to the build and the machine; the format is not meant for exchange.
 */
#ifndef CLI_RUN_STATE_H
#define CLI_RUN_STATE_H

#include "run.h"

/* Each is true, or false after run_fail. */
int run_state_save(const run_call *call, const mo_world *world, run_tally *tally);
int run_state_load(const run_call *call, mo_world *world, run_tally *tally);

#endif
