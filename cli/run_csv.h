/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `--csv`: a row for each body and recorded step. */
#ifndef CLI_RUN_CSV_H
#define CLI_RUN_CSV_H

#include <stdio.h>

#include "moreau/world.h"

void run_csv_head(FILE *out);
/* A name as a CSV field: separators become underscores. */
void run_csv_name(FILE *out, const char *name);
void run_csv_frame(FILE *out, const mo_world *world);

#endif
