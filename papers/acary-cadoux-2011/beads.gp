# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Figure 8 of Acary, Cadoux, Lemarechal and Malick 2011, rerun.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set datafile missing ""
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)
array solver[3] = ["gradient", "facets", "auto 1e-4"]
array name[3] = ["projected gradient (v), (6.1) with 0.01", "four facets, interior points (iv), cold", "auto to 1e-4"]
array colour[3] = ["#08519c", "#e6550d", "#238b45"]
of(k, value) = ($1 == 600 && strcol(2) eq solver[k]) ? value : NaN
eval use("1400,520")
set output "figure8.png"
set multiplot layout 1,2 title "600 beads fall into a box: computing time of a step" font ",13"
set logscale y
set format y "10^{%L}"
set ylabel "ms"
set key bottom right opaque
set xlabel "contacts that carry an impulse"
set title "against contacts, as in the paper"
plot for [k=1:3] "steps.csv" every ::1 using 5:(of(k, $7)) with points pt 7 ps (k == 2 ? 1.1 : 0.5) lc rgb colour[k] title name[k]
set xlabel "step"
set title "over time: a warm start pays once the heap is at rest"
plot for [k=1:3] "steps.csv" every ::1 using 3:(of(k, $7)) with points pt 7 ps (k == 2 ? 1.1 : 0.5) lc rgb colour[k] notitle
unset multiplot
unset output
