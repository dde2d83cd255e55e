/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Names of temporary files and folders, where TMPDIR says; include with _XOPEN_SOURCE=700. */
#ifndef TESTS_TEMPORARY_H
#define TESTS_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>

enum { TEMPORARY_ROOM = 256 };

/* A template for mkdtemp and mkstemps, in `to` with room for TEMPORARY_ROOM bytes. */
static inline char *temporary_template(char *to, const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(to, TEMPORARY_ROOM, "%.180s/moreau-%.60s", folder && folder[0] ? folder : "/tmp",
             name);
    return to;
}

/* Makes a folder of this test alone; NULL where it cannot. */
static inline char *temporary_folder(char *to, const char *name)
{
    return mkdtemp(temporary_template(to, name));
}

#endif
