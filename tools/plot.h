/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Figures by gnuplot, beside the tables that they show. */
#ifndef TOOLS_PLOT_H
#define TOOLS_PLOT_H

#include <stddef.h>

typedef enum plot_outcome {
    PLOT_DRAWN,
    PLOT_NO_FILE,       /* the script cannot be written */
    PLOT_NO_GNUPLOT,    /* gnuplot is not installed */
    PLOT_GNUPLOT_FAILED /* it is, and has failed */
} plot_outcome;

/* Writes the gnuplot script to figures.gp next to the data and runs it.  Figures in PNG are also
 * written as SVG, by figures-svg.gp. */
plot_outcome plot_draw(const char *folder, const unsigned char *script, size_t size);

/* Reports errors and returns the exit status; a missing gnuplot is not a failure. */
int plot_explain(plot_outcome drawn, const char *folder);

#endif
