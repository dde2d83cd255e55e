/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* CSV tables of a command, one file each, in a folder. */
#ifndef TOOLS_SHEET_H
#define TOOLS_SHEET_H

#include <stdio.h>

#include "moreau/base.h"

/* Creates the folder and its parents; false with errno on failure. */
int sheet_make_folder(const char *folder);

/* A table that is being written; the path is for messages. */
typedef struct sheet_file {
    FILE *file;
    char path[1024];
} sheet_file;

mo_error sheet_open(const char *folder, const char *name, sheet_file *s, mo_message *why);
mo_error sheet_close(sheet_file *s, mo_message *why);

#endif
