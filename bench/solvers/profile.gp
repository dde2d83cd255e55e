# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Performance profiles: one curve a solver, from the tables beside this script.  The lines above name the targets
# and say how many of the curves are ours (drawn solid).  Run in their folder:
#     gnuplot figures.gp
set datafile separator ","
set encoding utf8
set terminal svg size 900,560 font "sans,12" background rgb "white"
set grid lc rgb "#dddddd"
set border 3 lc rgb "#444444"
set tics nomirror
set logscale x
set format x "%g"
set xrange [1:10000]
set yrange [0:1.02]
set xlabel "time over that of the fastest on each problem, at most"
set ylabel "part of the problems that anybody solves"
set key outside right top noenhanced samplen 3
array colour[12] = ["#08306b", "#cb181d", "#238b45", "#e6550d", "#6a51a3", "#2171b5", "#a63603", "#41ab5d", \
                    "#807dba", "#252525", "#dd3497", "#7f7f7f"]

do for [target in targets] {
    table = "profile-" . target . ".csv"
    stats table skip 1 nooutput
    set output "profile-" . target . ".svg"
    set title "Performance profile, residual " . target
    plot for [i=2:STATS_columns] table using 1:i with steps lw (i == 2 ? 3 : 2) dt 1 + (i > ours + 1) \
         lc rgb colour[(i - 2) % 12 + 1] title columnheader(i)
    unset output
}
