/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Counts of a problem, shared by several commands. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "json.h"
#include "moreau/problem.h"

typedef struct summary {
    const char *form; /* FCLIB's word: "global" or "local" */
    int bodies, dofs; /* 0 in local form */
    int constraints, rows;
    int laws[MO_LAW_KIND_COUNT];
    int contacts; /* every unilateral law */
    int joints;   /* bilateral */
    int boxes;    /* box: dry joint friction, motors */
} summary;

summary summary_of(const mo_problem *problem);

/* "12 contacts, 3 joints, 45 rows; 6 bodies, 36 dofs" */
void summary_put(FILE *out, const summary *s);

/* The members form, bodies, dofs, contacts, joints, boxes, rows. */
void summary_json(json *j, const summary *s);

#endif
