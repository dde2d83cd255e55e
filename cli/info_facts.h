/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Facts about a problem, for `moreau info`. */
#ifndef CLI_INFO_FACTS_H
#define CLI_INFO_FACTS_H

#include "info_graph.h"
#include "info_rank.h"
#include "moreau/io.h"
#include "moreau/measure.h"
#include "summary.h"

typedef struct file_facts {
    summary problem;
    graph_facts graph;
    long long file_bytes;
    size_t bytes;             /* of the problem in memory */
    double mu_least, mu_most; /* over the laws with friction; least > most if there is none */
    int compliant;            /* constraints with compliance */
    int largest_body;         /* velocities of the largest body */
    /* between the heaviest and the lightest body, each by the largest number on the diagonal of its
     * mass; 1 where no body */
    double mass_ratio;
    double q_norm;
    int rank; /* of W; -1: the problem is too large */
} file_facts;

mo_error file_study(const char *file, const mo_problem *problem, file_facts *facts);

typedef struct point_facts {
    int is_there; /* any of the three */
    int has_v, has_u, has_r;
    int is_measured; /* r exists and was measured */
    mo_residual residual;
} point_facts;

point_facts point_study(const mo_problem *problem, const mo_point *point);

#endif
