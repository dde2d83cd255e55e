/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Report of `moreau solve` on each file: a JSON object, a paragraph, or a row of a table. */
#ifndef CLI_SOLVE_REPORT_H
#define CLI_SOLVE_REPORT_H

#include "moreau/measure.h"
#include "moreau/result.h"
#include "solve_proof.h"
#include "summary.h"

typedef struct outcome {
    const char *file;
    double tol;
    int threads;
    mo_message error;   /* error of the file; empty if none */
    const char *failed; /* the file that the error is about */
    int ran;            /* the following members are set */
    summary problem;
    mo_result result;
    double scaled;             /* by mo_measure_scaled */
    mo_global_residual global; /* of a global problem  */
    char *out, *history;       /* the files to write, or NULL */
    int wrote_out, wrote_history;
    solve_proof proof; /* if requested */
    int is_explained;  /* report the ladder of auto   */
} outcome;

int outcome_is_solved(const outcome *o);

void outcome_json(const outcome *o);
void outcome_put(const outcome *o);

/* The table: header, row, last line.  `width`: of the column of names. */
void outcome_head(int width);
void outcome_row(const outcome *o, int width);
void outcome_total(int solved, int count, double tol, double seconds);

#endif
