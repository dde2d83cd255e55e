# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Time of a step against time, from beads.csv beside this script.  Run in its folder:
#     gnuplot figures.gp
set datafile separator ","
set terminal svg size 760,460 font "sans,12" background rgb "white"
set output "beads.svg"
set grid lc rgb "#dddddd"
set border 3 lc rgb "#444444"
set tics nomirror
set logscale y
set xlabel "time, s"
set ylabel "ms a step"
set key right top
set title "balls dropped into a box, every step to a residual of 2e-3, one thread"
plot for [n in "600 5000 20000 100000"] "beads.csv" every ::1 \
     using ($1 == real(n) && $2 == 0.002 ? $3 : NaN):4 with lines lw 2 title n." balls"
