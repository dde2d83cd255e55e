/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#define _XOPEN_SOURCE 700
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

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
        if (handle >= 0) {
            close(handle);
        }
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
    if (slash && length == 0) {
        snprintf(folder, MO_PATH, "/");
    } else {
        snprintf(folder, MO_PATH, "%.*s", slash ? (int)length : 1, slash ? path : ".");
    }
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
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            --depth;
        } else if (length > 0 && !(length == 1 && path[0] == '.')) {
            ++depth;
        }
        if (depth < 0) {
            return 1;
        }
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
    if (inside) {
        snprintf(real_path, MO_PATH, "%s", real);
    }
    free(real);
    free(real_folder);
    return inside;
}
