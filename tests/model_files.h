/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models as text in a folder of their own, which goes when the test ends. */
#ifndef MO_TESTS_MODEL_FILES_H
#define MO_TESTS_MODEL_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temporary.h"

typedef struct model_folder {
    char path[TEMPORARY_ROOM];
    char file[64][TEMPORARY_ROOM + 64];
    int count;
} model_folder;

static inline void folder_make(model_folder *folder)
{
    folder->count = 0;
    if (!temporary_folder(folder->path, "model-XXXXXX")) abort();
}

/* Writes bytes and returns the path. */
static inline const char *folder_put_bytes(model_folder *folder, const char *name,
                                           const void *bytes, size_t size)
{
    int at = 0;
    char path[TEMPORARY_ROOM + 64];
    snprintf(path, sizeof path, "%s/%.60s", folder->path, name);
    while (at < folder->count && strcmp(folder->file[at], path) != 0)
        ++at;
    snprintf(folder->file[at], sizeof folder->file[at], "%s", path);
    folder->count += at == folder->count;
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) abort();
    return folder->file[at];
}

static inline const char *folder_put(model_folder *folder, const char *name, const char *text)
{
    return folder_put_bytes(folder, name, text, strlen(text));
}

static inline void folder_remove(model_folder *folder)
{
    for (int k = 0; k < folder->count; ++k)
        remove(folder->file[k]);
    remove(folder->path);
}

#endif
