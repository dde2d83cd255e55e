/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The solve function, and the list of methods. */
#ifndef MOREAU_SOLVE_H
#define MOREAU_SOLVE_H

#include "moreau/base.h"
#include "moreau/options.h"
#include "moreau/problem.h"
#include "moreau/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Solves the problem.  The return value says whether the solve could run; result->status is its
 * outcome, and result->message has details in both cases.  NULL options: the default options.
 */
MO_API mo_error mo_solve(const mo_problem *problem, const mo_options *options, mo_result *result);

typedef struct mo_method_info {
    /* name for options.method */
    const char *name;
    /* one line of description */
    const char *summary;
    /* key in docs/references.bib */
    const char *paper;
    unsigned laws; /* bit 1 << kind for each law it accepts */
    /* laws whose circular cone in space (d > 2) is replaced by facets: the residual is that of the
     * exact cone, and the solve usually ends as stalled */
    unsigned by_facets;
    /* laws that are replaced by a convex law, in any dimension; measured likewise */
    unsigned relaxed;
    int is_default;
} mo_method_info;

MO_API int mo_method_count(void);
MO_API mo_method_info mo_method_describe(int index);
MO_API int mo_method_find(const char *name); /* index, or -1 */

#ifdef __cplusplus
}
#endif
#endif
