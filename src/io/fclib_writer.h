/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Declarations shared by fclib_write.c and fclib_matrices.c. */
#ifndef MO_IO_FCLIB_WRITER_H
#define MO_IO_FCLIB_WRITER_H

#include <stdio.h>

#include "io/fclib.h"
#include "problem/problem_data.h"

/* One file while it is written. */
typedef struct mo_fclib_writer {
    mo_h5 h;
    const char *path; /* as the caller gave it */
    const mo_document *document;
    const mo_problem *problem;
    mo_fclib_kind kind;
    mo_fclib_sizes sizes;
    int *column; /* of each constraint: its first among those of its kind (contact or joint) */
} mo_fclib_writer;

static inline bool mo_fclib_is_joint(const mo_fclib_writer *out, int c)
{
    return out->problem->law[c].kind == MO_LAW_BILATERAL;
}

/* A group in that of the problem, for the datasets that follow. */
static inline void mo_fclib_make_group(mo_fclib_writer *out, const char *name)
{
    char path[MO_H5_PATH];
    snprintf(path, sizeof path, "/%s/%s", out->kind.group, name);
    mo_h5_make_group(&out->h, path);
}

/* M, H and G, or W, V and R. */
bool mo_fclib_write_matrices(mo_fclib_writer *out);

#endif
