# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Rods of Painleve's kind in motion.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)
array h[3] = [1e-3, 1e-4, 1e-5]
array colour[3] = ["#08519c", "#238b45", "#e6550d"]
eval use("1300,470")
set output "jam.png"
set multiplot layout 1,2 title "Sliding rods and the first step's normal force" font ",13"
set logscale y
set format y "10^{%L}"
set xlabel "mu"
set ylabel "force over weight"
set key top left
set title "a free rod: beyond mu = 1.37 it jams, and the force is an impulse over h"
plot for [k=1:3] "jam.csv" every ::1 using 1:(abs($2/h[k] - 1) < 1e-6 ? $3 : NaN) with points pt (4 + 2*k) lc rgb colour[k] title sprintf("h = %g", h[k]), \
     "jam.csv" every ::1 using 1:($4 < 1e9 ? $4 : NaN) with lines lw 1.5 lc rgb "#444444" title "m g / B"
set title "the rod on its rail (example 2.1), mu = 0.5: none where tan < mu"
set xlabel "theta from the vertical, rad"
set xrange [0:1.55]
set yrange [0.5:100]
set key top right
set arrow 1 from atan(0.5),0.5 to atan(0.5),100 nohead dt 2 lc rgb "#888888"
set label 1 "not solved:\nno solution" at 0.15,5 tc rgb "#cb181d"
plot "rail.csv" every ::1 using 1:(strcol(5) eq "solved" ? $3 : NaN) with points pt 7 lc rgb "#08519c" title "first step", \
     [atan(0.5)+0.005:1.55] tan(x)/(tan(x)-0.5) with lines lw 1.5 lc rgb "#444444" title "m g tan / (tan - mu)"
unset multiplot
unset output
reset
set datafile separator ","
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
array mus[3] = [0.6, 1.2, 1.5]
array colour[3] = ["#08519c", "#238b45", "#e6550d"]
eval use("1300,430")
set output "fall.png"
set multiplot layout 1,3 title "The free rod in motion, h = 1 ms" font ",13"
set xlabel "time, s"
set key top right
of(k, value) = abs($1 - mus[k]) < 1e-9 ? value : NaN
set title "angle above the ground, rad"
plot for [k=1:3] "fall.csv" every ::1 using 2:(of(k, $3)) with lines lw 2 lc rgb colour[k] title sprintf("mu = %g", mus[k])
set title "speed of the tip along the ground, m/s"
plot for [k=1:3] "fall.csv" every ::1 using 2:(of(k, $4)) with lines lw 2 lc rgb colour[k] notitle
set title "normal force over weight"
set logscale y
set format y "10^{%L}"
plot for [k=1:3] "fall.csv" every ::1 using 2:(of(k, $5) > 0 ? $5 : NaN) with lines lw 2 lc rgb colour[k] notitle
unset multiplot
unset output
