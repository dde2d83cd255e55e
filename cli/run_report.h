/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Output of a run: a progress line on the terminal, then a summary or a JSON object. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include "run.h"

typedef struct run_progress {
    int on_terminal, shown;
    double began, next; /* s, of run_clock */
} run_progress;

double run_clock(void); /* s, from some moment on */

run_progress run_progress_start(void);
void run_progress_show(run_progress *p, const run_call *call, const run_tally *tally,
                       const mo_step_report *last);
void run_progress_end(run_progress *p);

void run_report_put(const run_call *call, const run_tally *tally);
void run_report_json(const run_call *call, const run_tally *tally);

#endif
