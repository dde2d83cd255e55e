/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Whole files: reading, and replacement at once.
 *
 * The temporary file lies in the directory of its target, because a rename is atomic only inside
 * one file system.  Its data reach the disk before the rename, so that a crash leaves the old
 * file or the new one.  An existing file keeps its permissions; a symbolic link keeps pointing
 * where it did.
 */
#define _XOPEN_SOURCE 700

#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* "leg.xml " or, for the file that the caller named, "the file ". */
static const char *subject(const char *shown)
{
    return shown[0] ? shown : "the file";
}

static mo_error read_all(FILE *stream, const char *shown, size_t most,
                         const mo_allocator *allocator, char **bytes, size_t *size, mo_message *why)
{
    struct stat about;
    MO_FAIL_IF(fstat(fileno(stream), &about) != 0 || !S_ISREG(about.st_mode),
               mo_fail(why, MO_ERR_FILE, "%.200s is not a plain file", subject(shown)));
    MO_FAIL_IF(
        about.st_size < 0 || (unsigned long long)about.st_size > most,
        mo_fail(why, MO_ERR_UNSUPPORTED, "%.200s has more than %zu bytes", subject(shown), most));
    const size_t length = (size_t)about.st_size;
    char *all = mo_memory_array(allocator, length + 1, 1);
    MO_NEED_MEMORY(all, why);
    if (fread(all, 1, length, stream) != length) {
        mo_memory_free(allocator, all);
        return mo_fail(why, MO_ERR_FILE, "%.200s could not be read to its end", subject(shown));
    }
    all[length] = 0;
    *bytes = all;
    *size = length;
    return MO_OK;
}

mo_error mo_file_read(const char *path, const char *shown, size_t most,
                      const mo_allocator *allocator, char **bytes, size_t *size, mo_message *why)
{
    /* Non-blocking: opening a pipe without a writer would block. */
    const int handle = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *stream = handle >= 0 ? fdopen(handle, "rb") : NULL;
    if (!stream) {
        const int reason = errno;
        if (handle >= 0) close(handle);
        return mo_fail(why, MO_ERR_FILE, "%.200s cannot be opened: %s", subject(shown),
                       strerror(reason));
    }
    const mo_error error = read_all(stream, shown, most, allocator, bytes, size, why);
    fclose(stream);
    return error;
}

mo_error mo_file_folder(const char *path, char folder[MO_PATH], mo_message *why)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    MO_REFUSE_IF(length >= MO_PATH - 1, why, "the path has more than %d characters", MO_PATH - 2);
    if (slash && length == 0)
        snprintf(folder, MO_PATH, "/");
    else
        snprintf(folder, MO_PATH, "%.*s", slash ? (int)length : 1, slash ? path : ".");
    return MO_OK;
}

/* Is `path` the folder or something in it, both without links? */
static int lies_in(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strcmp(folder, "/") == 0 ||
           (strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]));
}

/* Whether the path leaves its starting folder upwards. */
static int climbs_out(const char *path)
{
    int depth = 0;
    while (*path) {
        const size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.')
            --depth;
        else if (length > 0 && !(length == 1 && path[0] == '.'))
            ++depth;
        if (depth < 0) return 1;
        path += length + (path[length] == '/');
    }
    return 0;
}

mo_error mo_file_within(const char *folder, const char *under, const char *name, char path[MO_PATH],
                        mo_message *why)
{
    char relative[MO_PATH], joined[2 * MO_PATH];
    const int length =
        snprintf(relative, sizeof relative, "%s%s%s", under, under[0] ? "/" : "", name);
    MO_FAIL_IF(!name[0], mo_fail(why, MO_ERR_FORMAT, "a file has an empty name"));
    if (name[0] == '/' || under[0] == '/' || length >= MO_PATH || climbs_out(relative)) {
        return mo_fail(why, MO_ERR_UNSUPPORTED,
                       "%.200s is outside the model's folder; move the file there, or allow its "
                       "folder (--meshes)",
                       name);
    }
    snprintf(joined, sizeof joined, "%s/%s", folder, relative);
    char *real_folder = realpath(folder, NULL), *real = realpath(joined, NULL);
    mo_error error = MO_OK;
    if (!real || !real_folder) {
        error = mo_fail(why, MO_ERR_FILE, "%.200s is not there", relative);
    } else if (!lies_in(real, real_folder) || strlen(real) >= MO_PATH) {
        error = mo_fail(why, MO_ERR_UNSUPPORTED,
                        "%.200s is a link to a place outside the model's folder; move the file "
                        "there, or allow its folder (--meshes)",
                        relative);
    } else {
        snprintf(path, MO_PATH, "%s", real);
    }
    free(real);
    free(real_folder);
    return error;
}

int mo_file_lies_in(const char *folder, const char *path, char real_path[MO_PATH])
{
    char *real_folder = realpath(folder, NULL), *real = realpath(path, NULL);
    const int inside = real && real_folder && lies_in(real, real_folder) && strlen(real) < MO_PATH;
    if (inside) snprintf(real_path, MO_PATH, "%s", real);
    free(real);
    free(real_folder);
    return inside;
}

/* ---- replacing ------------------------------------------------------------------------------- */

static mo_error fail(mo_message *why, const mo_replacement *r, int number)
{
    return mo_fail(why, MO_ERR_FILE, "%.300s: cannot be written: %s", r->shown, strerror(number));
}

/* Resolves links of a path; a file that does not exist keeps its path. */
static mo_error resolve(mo_replacement *r, mo_message *why)
{
    _Static_assert(MO_PATH >= PATH_MAX, "realpath needs so much room");
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
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            return written == 0 ? ENOSPC : errno;
    }
    return 0;
}

static int fill(const char *path, const void *bytes, size_t size)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    int failed = file < 0 ? errno : mo_write_all(file, bytes, size);
    if (file >= 0 && close(file) != 0 && !failed) failed = errno;
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
    if (file < 0) return errno;
    const int failed = fsync(file) != 0 ? errno : 0;
    close(file);
    return failed;
}

mo_error mo_replace_commit(mo_replacement *replacement, mo_message *why)
{
    struct stat about;
    int failed = sync_to_disk(replacement->temporary);
    if (!failed && stat(replacement->target, &about) == 0 &&
        chmod(replacement->temporary, about.st_mode & 0777) != 0)
        failed = errno;
    if (!failed && rename(replacement->temporary, replacement->target) != 0) failed = errno;
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
