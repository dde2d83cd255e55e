# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Time and memory against contacts, from scaling.csv beside this script.  Run in its folder:
#     gnuplot figures.gp
set datafile separator ","
set terminal svg size 760,460 font "sans,12" background rgb "white"
set output "scaling.svg"
set grid lc rgb "#dddddd"
set border 11 lc rgb "#444444"
set tics nomirror
set logscale xyy2
set format x "10^{%L}"
set format y "10^{%L}"
set format y2 "10^{%L}"
set y2tics
set xlabel "contacts"
set ylabel "seconds"
set y2label "megabytes"
set key left top Left reverse
set title "auto on packings of spheres, residual 1e-4, one thread"
stats "scaling.csv" using 1:4 every ::1 nooutput
plot "scaling.csv" using 1:4 every ::1 with linespoints lw 2 pt 7 lc rgb "#08306b" title "seconds", \
     "scaling.csv" using 1:($6 / 1e6) every ::1 axes x1y2 with linespoints lw 2 pt 5 lc rgb "#cb181d" title "megabytes", \
     STATS_max_y / STATS_max_x * x with lines dt 2 lc rgb "#888888" title "linear"
