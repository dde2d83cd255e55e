/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Where the files are that a model names.
 *
 * Files are untrusted, and so are the names in them.  What a model names must lie, links followed,
 * in one of
 *
 *   1. the folder of the model,
 *   2. its package: the nearest folder above, up to four levels, that has a package.xml (a ROS
 *      package has urdf/ beside meshes/),
 *   3. the folder that the caller gave.
 *
 * A relative name is sought from the model's folder, then from the one that the caller gave.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
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
        if (strlen(up) + 4 >= sizeof up) {
            return;
        }
        strcat(up, "/..");
    }
}

/* In the package, or in what the caller gave? */
static int lies_in_others(const mo_reader *r, const char *from, char path[MO_PATH])
{
    return (r->package[0] && mo_file_lies_in(r->package, from, path)) ||
           (r->more[0] && mo_file_lies_in(r->more, from, path));
}

mo_error mo_reader_path(const mo_reader *r, const char *under, const char *name, char path[MO_PATH],
                        mo_message *why)
{
    char joined[3 * MO_PATH];
    mo_message ignored = {{0}};
    const mo_error error = mo_file_within(r->folder, under, name, path, why);
    if (!error || !name[0]) {
        return error;
    }
    snprintf(joined, sizeof joined, "%s/%s%s%s", r->folder, under, under[0] ? "/" : "", name);
    if (lies_in_others(r, name[0] == '/' ? name : joined, path) ||
        (r->more[0] && name[0] != '/' &&
         mo_file_within(r->more, "", name, path, &ignored) == MO_OK)) {
        return MO_OK;
    }
    return strstr(why->text, "leads out") ? MO_ERR_UNSUPPORTED : error;
}
