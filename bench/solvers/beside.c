/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "beside.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the running program, without a slash at its end; false if the system does not
 * tell. */
static int own_folder(char *folder, size_t room)
{
    const ssize_t length = readlink("/proc/self/exe", folder, room - 1);
    if (length <= 0) return 0;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

int beside_find(const char *name, char path[BESIDE_PATH_SIZE])
{
    static const char *const places[] = {"", "/../libexec/moreau"};
    char folder[BESIDE_PATH_SIZE / 2];
    for (int k = 0; k < 2 && own_folder(folder, sizeof folder); ++k) {
        snprintf(path, BESIDE_PATH_SIZE, "%s%s/moreau-%s", folder, places[k], name);
        if (access(path, X_OK) == 0) return 1;
    }
    return 0;
}

int beside_become(char *const *words, FILE *out)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (dup2(fileno(out), STDOUT_FILENO) >= 0) execv(words[0], words);
    return 1;
}
