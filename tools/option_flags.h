/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The solver's option table as flags of a command. */
#ifndef TOOLS_OPTION_FLAGS_H
#define TOOLS_OPTION_FLAGS_H

#include "args.h"
#include "moreau/world.h"

/*
 * The command's own flags, then one for each row of the option table, with the default from
 * `defaults`; in new memory, or NULL.  The row `history` is left out: commands that record one have
 * a flag for the file.
 */
args_flag *option_flags(const args_flag *own, int own_count, const mo_options *defaults,
                        int *count);

/* Sets the options from the flags; false, after a message, if a value is wrong. */
int option_flags_read(const char *command, const args_flag *rows, int count, mo_options *options);

/* The same for the solver of a world.  A given tolerance applies to every step. */
int option_flags_read_world(const char *command, const args_flag *rows, int count,
                            mo_world_def *def);

#endif
