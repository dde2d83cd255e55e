/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Two FCLIB files in a folder of their own, written and read; include check.h first, with
 * _XOPEN_SOURCE=700. */
#ifndef TESTS_FCLIB_FILES_H
#define TESTS_FCLIB_FILES_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz_edit.h"
#include "moreau/io.h"
#include "temporary.h"

static char directory[TEMPORARY_ROOM]; /* of this test alone */
static char file[TEMPORARY_ROOM + 16], other[TEMPORARY_ROOM + 16];

static inline int make_directory(void **state)
{
    (void)state;
    if (!temporary_folder(directory, "fclib-XXXXXX")) return -1;
    snprintf(file, sizeof file, "%s/one.hdf5", directory);
    snprintf(other, sizeof other, "%s/two.hdf5", directory);
    return 0;
}

/* The directory must be empty but for the two files: nothing temporary stays behind. */
static inline int remove_directory(void **state)
{
    (void)state;
    unlink(file);
    unlink(other);
    return rmdir(directory);
}

static inline mo_document read_good(const char *path)
{
    mo_document document;
    mo_message why = {""};
    if (mo_fclib_read(path, NULL, &document, &why) != MO_OK) fail_msg("%s", why.text);
    return document;
}

static inline void write_good(const char *path, const mo_document *document)
{
    mo_message why = {""};
    if (mo_fclib_write(path, document, &why) != MO_OK) fail_msg("%s", why.text);
}

static inline bool same_bytes(const char *a, const char *b)
{
    fuzz_bytes x, y;
    assert_true(fuzz_load(a, &x) && fuzz_load(b, &y));
    const bool same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    free(x.data);
    free(y.data);
    return same;
}

#endif
