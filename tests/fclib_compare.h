/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A problem spread out as dense matrices in the order of an FCLIB file (contacts before joints),
 * so that two of them, or one and what another reader found, can be compared bit for bit.
 */
#ifndef TESTS_FCLIB_COMPARE_H
#define TESTS_FCLIB_COMPARE_H

#include <stdbool.h>

#include "moreau/io.h"

typedef struct spread {
    int dofs, rows, contacts, contact_rows;
    bool reduced;
    int *order;    /* row k of the file is row order[k] of the problem */
    double *M, *f; /* dofs x dofs, dofs */
    double *A, *w; /* rows x dofs (H', G') or rows x rows (W), rows */
    double *mu, *mu_rolling;
} spread;

spread spread_make(const mo_problem *problem);
void spread_clear(spread *s);

/* Fails the test where two documents differ in anything that a file keeps. */
void check_same_document(const mo_document *a, const mo_document *b);

/* The same bodies, blocks and laws in the same order, for problems too large to spread out. */
void check_same_problem(const mo_problem *a, const mo_problem *b);

/* The same bits, where either zero counts as zero. */
bool same_numbers(const double *a, const double *b, size_t count);

#endif
