/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* One call for every method, and the list of methods. */
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
 * Solves the problem.  The return value says whether it could run; result->status says what it
 * found, result->message tells more in both cases.  NULL options are the default ones.
 */
MO_API mo_error mo_solve(const mo_problem *problem, const mo_options *options, mo_result *result);

typedef struct mo_method_info {
    /* as in options.method */
    const char *name;
    /* one line */
    const char *summary;
    /* key in docs/references.bib */
    const char *paper;
    unsigned laws; /* bit 1 << kind for each law it accepts */
    /* those of them whose round cone in space (d > 2) it replaces by facets: the answer is measured
     * on the true cone, and as a rule ends as stalled */
    unsigned by_facets;
    /* those that it replaces by a convex law, in any dimension; judged likewise */
    unsigned relaxed;
    int is_default;
} mo_method_info;

MO_API int mo_method_count(void);
MO_API mo_method_info mo_method_describe(int index);
MO_API int mo_method_find(const char *name); /* its index, or -1 */

#ifdef __cplusplus
}
#endif
#endif
