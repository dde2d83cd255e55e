/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char output_unfinished[OUTPUT_UNFINISHED][OUTPUT_PATH];

static void note(const char *temporary)
{
    for (int k = 0; k < OUTPUT_UNFINISHED; ++k) {
        if (!output_unfinished[k][0]) {
            memcpy(output_unfinished[k] + 1, temporary + 1,
                   strlen(temporary));                             /* with the final 0 */
            *(volatile char *)output_unfinished[k] = temporary[0]; /* last: the name is whole */
            return;
        }
    }
}

static void forget(const char *temporary)
{
    for (int k = 0; k < OUTPUT_UNFINISHED; ++k)
        if (strcmp(output_unfinished[k], temporary) == 0)
            *(volatile char *)output_unfinished[k] = '\0';
}

/* Resolves links of a path; a file that does not exist keeps its path. */
static int resolve(output *o, const char *path)
{
    _Static_assert(OUTPUT_PATH >= PATH_MAX, "realpath needs so much room");
    if (realpath(path, o->target)) return 1;
    const int length = errno == ENOENT ? snprintf(o->target, sizeof o->target, "%s", path) : -1;
    if (length >= OUTPUT_PATH) errno = ENAMETOOLONG;
    return length > 0 && length < OUTPUT_PATH;
}

/* An unused name in the folder of the target. */
static int open_temporary(output *o)
{
    const char *slash = strrchr(o->target, '/');
    const int folder = slash ? (int)(slash - o->target) + 1 : 0;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const int length = snprintf(o->temporary, sizeof o->temporary, "%.*s.moreau-%ld-%d.part",
                                    folder, o->target, (long)getpid(), attempt);
        if (length >= OUTPUT_PATH) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int file = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

int output_open(output *o, const char *path)
{
    o->file = NULL;
    const int file = resolve(o, path) ? open_temporary(o) : -1;
    if (file >= 0) {
        o->file = fdopen(file, "w");
        if (!o->file) {
            close(file);
            unlink(o->temporary);
        } else {
            note(o->temporary);
        }
    }
    return o->file != NULL;
}

/* Flushes, syncs and closes; an errno.  Of an earlier write that failed it is still there, unless
 * something else has failed since. */
static int finish(FILE *file, int on_disk)
{
    errno = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : EIO;
    int failed =
        fflush(file) != 0 || ferror(file) || (on_disk && fsync(fileno(file)) != 0) ? errno : 0;
    if (fclose(file) != 0 && !failed) failed = errno;
    return failed;
}

static int put_in_place(output *o, int on_disk)
{
    struct stat about;
    int failed = finish(o->file, on_disk);
    o->file = NULL;
    if (!failed && stat(o->target, &about) == 0 && chmod(o->temporary, about.st_mode & 0777) != 0)
        failed = errno;
    if (!failed && rename(o->temporary, o->target) != 0) failed = errno;
    if (failed) {
        unlink(o->temporary);
        errno = failed;
    }
    forget(o->temporary);
    return !failed;
}

int output_commit(output *o)
{
    return put_in_place(o, 1);
}

int output_place(output *o)
{
    return put_in_place(o, 0);
}

void output_cancel(output *o)
{
    if (o->file) {
        fclose(o->file);
        unlink(o->temporary);
        forget(o->temporary);
        o->file = NULL;
    }
}

int output_join(char path[OUTPUT_PATH], const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const char *between = length && folder[length - 1] == '/' ? "" : "/";
    const int size = snprintf(path, OUTPUT_PATH, "%s%s%s", folder, between, name);
    if (size >= OUTPUT_PATH) errno = ENAMETOOLONG;
    return size > 0 && size < OUTPUT_PATH;
}
