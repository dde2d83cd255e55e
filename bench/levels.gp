# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Distances of both levels to a fine run and to each other against the step, from levels.csv beside this script.  Run in its folder:
#     gnuplot figures.gp
set datafile separator ","
set terminal svg size 860,440 font "sans,12" background rgb "white"
set output "levels.svg"
set grid lc rgb "#dddddd"
set border 3 lc rgb "#444444"
set tics nomirror
set logscale xy
set format y "10^{%L}"
set xrange [4e-4:5e-3]
set yrange [1e-8:1e-1]
set xtics ("0.5 ms" 5e-4, "1 ms" 1e-3, "2 ms" 2e-3, "4 ms" 4e-3)
set xlabel "step"
set multiplot layout 1,2
cases = "pendulum chain block biped slider-crank"
color(k) = word("#08306b #cb181d #238b45 #6a51a3 #d94801", k)
of(k, c) = strcol(1) eq word(cases, k) ? column(c) : NaN
set title "to a fine run: time stepping (lines), by forces (dots)"
set ylabel "m"
unset key
plot for [k = 1:5] "levels.csv" using 2:(of(k, 3)) every ::1 with lines lw 2 lc rgb color(k), \
     for [k = 1:5] "levels.csv" using 2:(of(k, 4)) every ::1 with points pt 7 lc rgb color(k), \
     5 * x with lines dt 2 lc rgb "#888888"
set title "between the two (pendulum, block: below 1e-11)"
unset ylabel
set key left top Left reverse maxrows 3
plot for [k = 1:5] "levels.csv" using 2:(of(k, 5)) every ::1 with linespoints pt 7 lw 2 lc rgb color(k) title word(cases, k), \
     0.1 * x with lines dt 2 lc rgb "#888888" title "first order"
unset multiplot
