/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What the reruns share: their folder, their tables, gnuplot, and a line that tells how far they
 * are. */
#ifndef PAPERS_COMMON_H
#define PAPERS_COMMON_H

#include <stddef.h>
#include <stdio.h>

#include "moreau/base.h"

/* Makes the folder and those above it; false, with errno, where that fails. */
int paper_make_folder(const char *folder);

/* A table that is being written; its path is for sentences. */
typedef struct paper_sheet {
    FILE *file;
    char path[1024];
} paper_sheet;

mo_error paper_open_sheet(const char *folder, const char *name, paper_sheet *s, mo_message *why);
mo_error paper_close_sheet(paper_sheet *s, mo_message *why);

/* What is being done, on a terminal alone; "" erases it. */
void MO_PRINTF(1, 2) paper_show_progress(const char *format, ...);

/* Seconds of processor time: on a busy machine the wall clock tells of others. */
double paper_processor_seconds(void);

typedef enum paper_drawn {
    PAPER_DRAWN,
    PAPER_NO_FILE,       /* the script cannot be written */
    PAPER_NO_GNUPLOT,    /* gnuplot is not installed */
    PAPER_GNUPLOT_FAILED /* it is, and has failed */
} paper_drawn;

/* Leaves the gnuplot script as figures.gp beside the data, and runs it there. */
paper_drawn paper_draw(const char *folder, const unsigned char *script, size_t size);

/* Says what went wrong, if anything, and returns the exit status: a missing gnuplot is no failure.
 */
int paper_explain_drawing(paper_drawn drawn, const char *folder);

/* Small matrices are not worth sharing between threads: OpenBLAS is told so; another BLAS has its
 * own ways. */
void paper_use_one_blas_thread(void);

#endif
