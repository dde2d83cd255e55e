/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "temporary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int temporary_folder(char path[TEMPORARY_PATH])
{
    const char *under = getenv("TMPDIR");
    const int length =
        snprintf(path, TEMPORARY_PATH, "%s/moreau-XXXXXX", under && under[0] ? under : "/tmp");
    if (length < 0 || length >= TEMPORARY_PATH) {
        errno = ENAMETOOLONG;
        return 0;
    }
    return mkdtemp(path) != NULL;
}
