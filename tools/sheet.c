/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "sheet.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int sheet_make_folder(const char *folder)
{
    char path[1024];
    const size_t length = strlen(folder);
    if (length == 0 || length >= sizeof path) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        return 0;
    }
    memcpy(path, folder, length + 1);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return 0;
        *slash = '/';
    }
    struct stat found;
    return (mkdir(path, 0777) == 0 || errno == EEXIST) && stat(path, &found) == 0 &&
           (S_ISDIR(found.st_mode) || (errno = ENOTDIR, 0));
}

mo_error sheet_open(const char *folder, const char *name, sheet_file *s, mo_message *why)
{
    const int length = snprintf(s->path, sizeof s->path, "%s/%s", folder, name);
    s->file = length > 0 && (size_t)length < sizeof s->path ? fopen(s->path, "w") : NULL;
    if (!s->file && why) snprintf(why->text, sizeof why->text, "%.400s cannot be written", s->path);
    return s->file ? MO_OK : MO_ERR_FILE;
}

mo_error sheet_close(sheet_file *s, mo_message *why)
{
    const int bad = ferror(s->file);
    if (fclose(s->file) == 0 && !bad) return MO_OK;
    if (why)
        snprintf(why->text, sizeof why->text, "%.400s could not be written to its end", s->path);
    return MO_ERR_FILE;
}
