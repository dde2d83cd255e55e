/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Tables of numbers that a command writes, one file each, into a folder. */
#ifndef TOOLS_SHEET_H
#define TOOLS_SHEET_H

#include <stdio.h>

#include "moreau/base.h"

/* Makes the folder and those above it; false, with errno, where that fails. */
int sheet_make_folder(const char *folder);

/* A table that is being written; its path is for sentences. */
typedef struct sheet_file {
    FILE *file;
    char path[1024];
} sheet_file;

mo_error sheet_open(const char *folder, const char *name, sheet_file *s, mo_message *why);
mo_error sheet_close(sheet_file *s, mo_message *why);

#endif
