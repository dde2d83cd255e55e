/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The commands of the program, one file each.  A command receives the words after its name, may
 * reorder them, and returns the exit status.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "exit_status.h"

int command_run(int argc, char **argv);
int command_view(int argc, char **argv);
int command_render(int argc, char **argv);
int command_solve(int argc, char **argv);
int command_check(int argc, char **argv);
int command_forces(int argc, char **argv);
int command_info(int argc, char **argv);
int command_solvers(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_reproduce(int argc, char **argv);
int command_bench(int argc, char **argv);

#endif
