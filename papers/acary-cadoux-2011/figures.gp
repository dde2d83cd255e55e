# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Figure 9 of Acary, Cadoux, Lemarechal and Malick 2011, rerun.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)
array state[2] = ["moving", "released"]
array name[2] = ["stones in motion", "stones released from rest"]
array colour[9] = ["#08306b", "#08519c", "#2171b5", "#4292c6", "#41ab5d", "#238b45", "#e6550d", "#cb181d", "#67000d"]
of(k, m, value) = (strcol(1) eq state[k] && abs($2 - 0.1 * m) < 1e-6) ? value : NaN
eval use("1260,520")
set output "figure9.png"
set multiplot layout 1,2 title "Successive approximations s = F(s), 250 contacts: left side of (6.1)" font ",13"
set logscale y
set format y "10^{%L}"
set xrange [0:50]
set yrange [1e-16:1]
set xlabel "round"
set ylabel "|F(s) - s| / (n (|s| + 1))"
set key bottom left
do for [k=1:2] {
    set title name[k]
    plot for [m=1:9] "rates.csv" every ::1 using 3:(of(k, m, $4)) with linespoints pt 7 ps 0.4 lw 1.5 lc rgb colour[m] title sprintf("mu = %.1f", 0.1 * m)
}
unset multiplot
