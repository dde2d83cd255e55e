/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Atomic replacement of a file: writes a new file next to it and renames it. */
#ifndef MO_IO_REPLACE_H
#define MO_IO_REPLACE_H

#include "moreau/base.h"

enum { MO_REPLACE_PATH = 4096 };

typedef struct mo_replacement {
    const char *shown;               /* the path as the caller gave it */
    char target[MO_REPLACE_PATH];    /* target of symbolic links in it */
    char temporary[MO_REPLACE_PATH]; /* an empty file of ours, to be written  */
} mo_replacement;

/* Makes the temporary file.  After success it must be committed or cancelled. */
mo_error mo_replace_begin(mo_replacement *replacement, const char *path, mo_message *why);

/* Writes the temporary file; removes it on failure. */
mo_error mo_replace_write(mo_replacement *replacement, const void *bytes, size_t size,
                          mo_message *why);

/* Renames the temporary file to the target; removes it on failure. */
mo_error mo_replace_commit(mo_replacement *replacement, mo_message *why);

void mo_replace_cancel(mo_replacement *replacement);

/* Writes all bytes to an open file; an error number, or 0. */
int mo_write_all(int file, const void *bytes, size_t size);

/* All of it for a whole file. */
mo_error mo_replace_file(const char *path, const void *bytes, size_t size, mo_message *why);

#endif
