/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Solutions and guesses of an FCLIB file.
 *
 * A file stores the impulses of contacts (r) and joints (l) separately and has no u for joints.  A
 * point of a problem has both in one r, contacts first, and u = 0 at the joints.  Some writers
 * leave a vector of the right size without values; it counts as missing.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/fclib.h"

/* Reads `name` into `to`, which has room for `needed` values. */
static bool read_part(mo_h5 *h, const mo_h5_group *group, const char *name, int needed, double *to)
{
    size_t count;
    MO_PASS(mo_h5_count(h, group, name, &count));
    MO_FAIL_IF(count != (size_t)needed,
               mo_h5_fault(h, "%s/%s has %zu entries where the problem has %d", group->path, name,
                           count, needed));
    return mo_h5_read_run(h, group, name, 0, count, to) &&
           mo_fclib_check_finite(h, group, name, count, to);
}

/* Is the vector there, with values? */
static bool has(mo_h5 *h, const mo_h5_group *group, const char *name, mo_document *document)
{
    MO_PASS(mo_h5_has(group, name));
    if (mo_h5_is_unwritten(h, group, name)) {
        mo_fclib_note(h, document, "%s/%s was left out: its values were never written.",
                      group->path, name);
        return false;
    }
    return true;
}

static double *zeros(mo_h5 *h, int count)
{
    double *values = mo_memory_zeros(h->allocator, (size_t)count, sizeof *values);
    if (!values) mo_h5_no_memory(h);
    return values;
}

static bool read_v(mo_h5 *h, const mo_h5_group *group, const mo_fclib_sizes *sizes,
                   mo_document *document, mo_point *point)
{
    if (!has(h, group, "v", document)) return !h->error;
    if (!sizes->is_global) {
        return mo_fclib_note(h, document, "%s/v was left out: a local problem has no velocities v.",
                             group->path);
    }
    point->v = zeros(h, sizes->dofs);
    return point->v && read_part(h, group, "v", sizes->dofs, point->v);
}

/* u and r are whole or missing; a file without contacts need not have them for its joints. */
static bool read_u_and_r(mo_h5 *h, const mo_h5_group *group, const mo_fclib_sizes *sizes,
                         mo_document *document, mo_point *point)
{
    const int all = sizes->rows + sizes->joints;
    const bool has_u = has(h, group, "u", document), has_r = has(h, group, "r", document);
    const bool has_l = sizes->joints && has(h, group, "l", document);
    if (has_u) {
        point->u = zeros(h, all);
        MO_PASS(point->u && read_part(h, group, "u", sizes->rows, point->u));
    }
    if (!has_r && !has_l) return !h->error;
    point->r = zeros(h, all);
    return point->r &&
           ((!has_r && !sizes->rows) || read_part(h, group, "r", sizes->rows, point->r)) &&
           (!sizes->joints || read_part(h, group, "l", sizes->joints, point->r + sizes->rows));
}

static bool read_point(mo_h5 *h, const mo_h5_group *parent, const char *name,
                       const mo_fclib_sizes *sizes, mo_document *document, mo_point *point)
{
    mo_h5_group group;
    const bool good = mo_h5_enter(h, parent, name, &group) &&
                      read_v(h, &group, sizes, document, point) &&
                      read_u_and_r(h, &group, sizes, document, point);
    mo_h5_leave(h, &group);
    return good;
}

static bool read_guess_list(mo_h5 *h, const mo_h5_group *group, const mo_fclib_sizes *sizes,
                            mo_document *document)
{
    int count = 0;
    MO_PASS(mo_h5_read_int(h, group, "number_of_guesses", &count));
    /* Checked against the number of links before memory is allocated. */
    const size_t held = group->count - 1;
    MO_FAIL_IF(count < 0 || (size_t)count > held,
               mo_h5_fault(h, "%s/number_of_guesses is %d, but the group holds %zu guesses",
                           group->path, count, held));
    if (count == 0) return true;
    document->guesses = mo_memory_zeros(h->allocator, (size_t)count, sizeof *document->guesses);
    MO_FAIL_IF(!document->guesses, mo_h5_no_memory(h));
    document->guess_count = count;
    for (int k = 0; k < count; ++k) {
        char name[16];
        snprintf(name, sizeof name, "%d", k + 1);
        MO_PASS(read_point(h, group, name, sizes, document, &document->guesses[k]));
    }
    return true;
}

bool mo_fclib_read_points(mo_h5 *h, const mo_h5_group *root, const mo_fclib_sizes *sizes,
                          mo_document *document)
{
    if (mo_h5_has(root, "solution") &&
        !read_point(h, root, "solution", sizes, document, &document->solution))
        return false;
    if (!mo_h5_has(root, "guesses")) return true;
    mo_h5_group group;
    const bool good =
        mo_h5_enter(h, root, "guesses", &group) && read_guess_list(h, &group, sizes, document);
    mo_h5_leave(h, &group);
    return good;
}
