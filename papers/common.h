/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What the reruns share: their folder, and gnuplot. */
#ifndef PAPERS_COMMON_H
#define PAPERS_COMMON_H

#include <stddef.h>

/* Makes the folder and those above it; false, with errno, where that fails. */
int paper_make_folder(const char *folder);

typedef enum paper_drawn {
    PAPER_DRAWN,
    PAPER_NO_FILE,       /* the script cannot be written */
    PAPER_NO_GNUPLOT,    /* gnuplot is not installed     */
    PAPER_GNUPLOT_FAILED /* it is, and has failed        */
} paper_drawn;

/* Leaves the gnuplot script as figures.gp beside the data, and runs it there. */
paper_drawn paper_draw(const char *folder, const unsigned char *script, size_t size);

/* Says what went wrong, if anything, and returns the exit status: a missing gnuplot is no failure. */
int paper_explain_drawing(paper_drawn drawn, const char *folder);

/* Small matrices are not worth sharing between threads: OpenBLAS is told so; another BLAS has its own ways. */
void paper_use_one_blas_thread(void);

#endif
