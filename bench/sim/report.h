/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The board on the terminal, as JSON, and as files with a figure. */
#ifndef BENCH_SIM_REPORT_H
#define BENCH_SIM_REPORT_H

#include "rows.h"

void sim_report_row(const sim_board *board, int row); /* its table */
void sim_report_end(const sim_board *board);          /* meaning of the columns, missing peers */
void sim_report_json(const sim_board *board);
/* sim.csv and sim.svg in the folder; an exit status. */
int sim_report_write(const sim_board *board, const char *folder);

#endif
