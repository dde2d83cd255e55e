/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The temporary file lies in the directory of its target, because a rename is atomic only inside
 * one file system.  Its data reach the disk before the rename, so that a crash leaves the old
 * file or the new one.  An existing file keeps its permissions; a symbolic link keeps pointing
 * where it did.
 */
#define _XOPEN_SOURCE 700

#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static mo_error fail(mo_message *why, const mo_replacement *r, int number)
{
    return mo_fail(why, MO_ERR_FILE, "%.300s: cannot be written: %s", r->shown, strerror(number));
}

/* Resolves links of a path; a file that does not exist keeps its path. */
static mo_error resolve(mo_replacement *r, mo_message *why)
{
    _Static_assert(MO_REPLACE_PATH >= PATH_MAX, "realpath needs so much room");
    struct stat about;
    if (stat(r->shown, &about) == 0) {
        MO_FAIL_IF(!S_ISREG(about.st_mode),
                   mo_fail(why, MO_ERR_FILE, "%.300s: is %s; a file name is needed", r->shown,
                           S_ISDIR(about.st_mode) ? "a directory" : "not a regular file"));
        return realpath(r->shown, r->target) ? MO_OK : fail(why, r, errno);
    }
    MO_FAIL_IF(errno != ENOENT, fail(why, r, errno));
    const int length = snprintf(r->target, sizeof r->target, "%s", r->shown);
    return length > 0 && (size_t)length < sizeof r->target
               ? MO_OK
               : fail(why, r, length > 0 ? ENAMETOOLONG : ENOENT);
}

/* A name in the target's directory that is not in use. */
static mo_error make_temporary(mo_replacement *r, mo_message *why)
{
    const char *slash = strrchr(r->target, '/');
    const int directory = slash ? (int)(slash - r->target) + 1 : 0;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const int length = snprintf(r->temporary, sizeof r->temporary, "%.*s.moreau-%ld-%d.tmp",
                                    directory, r->target, (long)getpid(), attempt);
        MO_FAIL_IF(length < 0 || (size_t)length >= sizeof r->temporary, fail(why, r, ENAMETOOLONG));
        const int file = open(r->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            close(file);
            return MO_OK;
        }
        MO_FAIL_IF(errno != EEXIST, fail(why, r, errno));
    }
    return fail(why, r, EEXIST);
}

mo_error mo_replace_begin(mo_replacement *replacement, const char *path, mo_message *why)
{
    replacement->shown = path;
    const mo_error error = resolve(replacement, why);
    return error ? error : make_temporary(replacement, why);
}

int mo_write_all(int file, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const size_t piece = size - done < SSIZE_MAX ? size - done : SSIZE_MAX;
        const ssize_t written = write(file, (const char *)bytes + done, piece);
        if (written > 0) {
            done += (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            return written == 0 ? ENOSPC : errno;
        }
    }
    return 0;
}

static int fill(const char *path, const void *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    int failed = file < 0 ? errno : mo_write_all(file, bytes, size);
    if (file >= 0 && close(file) != 0 && !failed) {
        failed = errno;
    }
    return failed;
}

mo_error mo_replace_write(mo_replacement *replacement, const void *bytes, size_t size,
                          mo_message *why)
{
    const int failed = fill(replacement->temporary, bytes, size);
    if (failed) {
        mo_replace_cancel(replacement);
        return fail(why, replacement, failed);
    }
    return MO_OK;
}

static int sync_to_disk(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return errno;
    }
    const int failed = fsync(file) != 0 ? errno : 0;
    close(file);
    return failed;
}

mo_error mo_replace_commit(mo_replacement *replacement, mo_message *why)
{
    struct stat about;
    int failed = sync_to_disk(replacement->temporary);
    if (!failed && stat(replacement->target, &about) == 0 &&
        chmod(replacement->temporary, about.st_mode & 0777) != 0) {
        failed = errno;
    }
    if (!failed && rename(replacement->temporary, replacement->target) != 0) {
        failed = errno;
    }
    if (failed) {
        mo_replace_cancel(replacement);
        return fail(why, replacement, failed);
    }
    return MO_OK;
}

void mo_replace_cancel(mo_replacement *replacement)
{
    unlink(replacement->temporary);
}

mo_error mo_replace_file(const char *path, const void *bytes, size_t size, mo_message *why)
{
    mo_replacement replacement;
    MO_TRY(mo_replace_begin(&replacement, path, why));
    MO_TRY(mo_replace_write(&replacement, bytes, size, why));
    return mo_replace_commit(&replacement, why);
}
