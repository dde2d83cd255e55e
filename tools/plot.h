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

/* Leaves the gnuplot script as figures.gp beside the data, and runs it there.  Figures that are
 * written as PNG are written as SVG, too, by figures-svg.gp. */
plot_outcome plot_draw(const char *folder, const unsigned char *script, size_t size);

/* Says what went wrong, if anything, and returns the exit status: a missing gnuplot is no failure.
 */
int plot_explain(plot_outcome drawn, const char *folder);

#endif
