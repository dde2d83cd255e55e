/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Whole files: reading them, which of them a model may refer to, and replacing them. */
#ifndef MO_IO_FILE_H
#define MO_IO_FILE_H

#include "moreau/base.h"

enum { MO_PATH = 4096 };

/* All of a plain file of at most `most` bytes; folders, pipes and devices are refused.  A zero
 * follows the bytes.  Messages begin with `shown`, unless it is "". */
mo_error mo_file_read(const char *path, const char *shown, size_t most,
                      const mo_allocator *allocator, char **bytes, size_t *size, mo_message *why);

/* The folder that a file is in, without a slash at its end ("." for none). */
mo_error mo_file_folder(const char *path, char folder[MO_PATH], mo_message *why);

/*
 * The path of `name`, which is relative to `under` (itself relative to `folder`, or ""): it must
 * exist and, links followed, lie in `folder` or below; MO_ERR_UNSUPPORTED if it is elsewhere.
 */
mo_error mo_file_within(const char *folder, const char *under, const char *name, char path[MO_PATH],
                        mo_message *why);

/* Is the file there and, links followed, in `folder` or below?  Then its real path. */
int mo_file_lies_in(const char *folder, const char *path, char real_path[MO_PATH]);

/* ---- replacing ------------------------------------------------------------------------------- */

typedef struct mo_replacement {
    const char *shown;       /* the path as the caller gave it */
    char target[MO_PATH];    /* target of symbolic links in it */
    char temporary[MO_PATH]; /* an empty file of ours, to be written  */
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
