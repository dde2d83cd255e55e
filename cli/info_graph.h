/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Structure of a problem: blocks, islands, and the asymmetry of W. */
#ifndef CLI_INFO_GRAPH_H
#define CLI_INFO_GRAPH_H

#include "moreau/problem.h"

typedef struct graph_facts {
    long long blocks;   /* Jacobians, or couplings */
    int islands;        /* groups of constraints that act on each other through bodies or W */
    int largest_island; /* constraints in the largest one */
    double asymmetry;   /* |W - W'| / |W| in the Frobenius norm; 0 for a global problem */
} graph_facts;

mo_error graph_study(const mo_problem *problem, graph_facts *facts);

#endif
