/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Location of files that a model refers to.
 *
 * Files and the names in them are untrusted.  After symbolic links are resolved, a file must be
 * inside one of
 *
 *   1. the folder of the model,
 *   2. its package: the nearest parent folder, up to four levels, with a package.xml,
 *   3. the folder given by the caller,
 *   4. for package://name/rest: a folder `name` above the model or next to a folder above it, up to
 *      four levels,
 *   5. for ../name/rest: that folder, up to four levels above; not for a hidden one.
 *
 * A relative name is searched in the folder of the model, then in that of the caller.
 */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/model_reader.h"

enum { LEVELS = 4 };

void mo_reader_find_package(mo_reader *r)
{
    char up[MO_PATH], probe[MO_PATH + 16];
    r->package[0] = 0;
    snprintf(up, sizeof up, "%s", r->folder);
    for (int k = 0; k <= LEVELS; ++k) {
        snprintf(probe, sizeof probe, "%s/package.xml", up);
        if (access(probe, R_OK) == 0) {
            snprintf(r->package, sizeof r->package, "%s", up);
            return;
        }
        const size_t length = strlen(up);
        if (length + 4 >= sizeof up) return;
        memcpy(up + length, "/..", 4);
    }
}

bool mo_reader_named_folder(const mo_reader *r, const char *name, size_t length,
                            char folder[MO_PATH])
{
    char *real = realpath(r->folder, NULL);
    bool found = false;
    const int is_plain = length > 0 && length < 200 && name[0] != '.';
    char *end = real ? real + strlen(real) : NULL;
    for (int k = 0; real && is_plain && k <= LEVELS && end > real && !found; ++k) {
        struct stat about;
        char *slash = end;
        while (slash > real && *--slash != '/') {
        }
        if ((size_t)(end - slash) == length + 1 && strncmp(slash + 1, name, length) == 0) {
            found = snprintf(folder, MO_PATH, "%.*s", (int)(end - real), real) < MO_PATH;
        } else {
            found = snprintf(folder, MO_PATH, "%.*s/%.*s", (int)(end - real), real, (int)length,
                             name) < MO_PATH &&
                    stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
        }
        end = slash;
    }
    free(real);
    return found;
}

void mo_reader_beside(const mo_xml_node *node, char folder[MO_PATH])
{
    const char *slash = strrchr(node->file, '/');
    snprintf(folder, MO_PATH, "%.*s", slash ? (int)(slash - node->file) : 0, node->file);
}

/* Is it in the folder that the name climbs to: "../assets" for "../assets/arm/link.stl"? */
static int lies_in_sibling(const mo_reader *r, const char *relative, char path[MO_PATH])
{
    char folder[2 * MO_PATH], file[3 * MO_PATH];
    const char *at = relative;
    int up = 0;
    for (; strncmp(at, "../", 3) == 0; at += 3)
        ++up;
    const size_t length = strcspn(at, "/");
    if (up == 0 || up > LEVELS || length == 0 || at[0] == '.' || at[length] != '/') return 0;
    snprintf(folder, sizeof folder, "%s/%.*s", r->folder, (int)(at + length - relative), relative);
    snprintf(file, sizeof file, "%s/%s", r->folder, relative);
    return mo_file_lies_in(folder, file, path);
}

/* Whether it is in one of the folders, of which that of the model is the first. */
static int lies_in_any(const mo_reader *r, const char *from, char path[MO_PATH])
{
    return mo_file_lies_in(r->folder, from, path) ||
           (r->package[0] && mo_file_lies_in(r->package, from, path)) ||
           (r->more[0] && mo_file_lies_in(r->more, from, path));
}

mo_error mo_reader_path(const mo_reader *r, const char *under, const char *name, char path[MO_PATH],
                        mo_message *why)
{
    char relative[2 * MO_PATH], joined[3 * MO_PATH];
    mo_message ignored = {{0}};
    const mo_error error = mo_file_within(r->folder, under, name, path, why);
    if (!error || !name[0]) return error;
    snprintf(relative, sizeof relative, "%s%s%s", under, under[0] ? "/" : "", name);
    snprintf(joined, sizeof joined, "%s/%s", r->folder, relative);
    if (lies_in_any(r, name[0] == '/' ? name : joined, path) ||
        (name[0] != '/' && lies_in_sibling(r, relative, path)) ||
        (r->more[0] && name[0] != '/' &&
         mo_file_within(r->more, "", name, path, &ignored) == MO_OK))
        return MO_OK;
    return error;
}
