/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Manual pages and shell completion, from the same tables as --help:
 *
 *   moreau --help=man, moreau COMMAND --help=man    a page for man(1)
 *   moreau --help=bash                              completion for bash
 *
 * The build installs both.
 */
#ifndef TOOLS_MANUAL_H
#define TOOLS_MANUAL_H

#include "args.h"

typedef enum manual_form { MANUAL_NONE, MANUAL_TEXT, MANUAL_MAN, MANUAL_BASH } manual_form;

/* The kind of help that a word requests. */
manual_form manual_asked(const char *word);

/* The page of a command. */
void manual_put_man(const args_command *command, const args_flag *flags, int flag_count);

/* Completion of the flags of a command: a branch of the case in the script. */
void manual_put_bash(const args_command *command, const args_flag *flags, int flag_count);

/* The page of the program and the script: the parts before and after the commands, one row each. */
typedef struct manual_row {
    const char *name, *operands, *summary;
} manual_row;
void manual_put_main_man(const manual_row *rows, int count, const char *summary,
                         const char *examples);
void manual_begin_bash(const manual_row *rows, int count);
void manual_end_bash(void);

#endif
