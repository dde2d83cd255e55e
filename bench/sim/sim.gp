# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Time against penetration for grains, and the drift of what should stand, from sim.csv beside this script.  Run in its folder:
#     gnuplot figures.gp
set datafile separator ","
set terminal svg size 1040,520 font "sans,12" background rgb "white"
set output "sim.svg"
set border 3 lc rgb "#444444"
set tics nomirror
set grid lc rgb "#dddddd"
engines = "moreau mujoco ode bullet"
colour(k) = word("#000000 #d55e00 #0072b2 #009e73", k)
sign(k) = int(word("7 5 9 13", k))
set multiplot layout 1,2

set title "grains: a step's time and the worst penetration"
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set xlabel "ms a step"
set ylabel "worst penetration, radii"
set key left bottom
set xrange [0.1:1e3]
set yrange [1e-6:10]
plot 1 with lines lc rgb "#888888" dt 2 notitle, \
     for [k=1:words(engines)] "sim.csv" every ::1 \
     using (strcol(2) eq "settle" && strcol(3) eq word(engines, k) && strcol(5) eq "done" ? 1e3*$8/$7 : NaN):($11/$9) \
     with points pt sign(k) ps 0.8 lc rgb colour(k) title word(engines, k)

set title "structures at rest: largest displacement of a body"
unset logscale x
set autoscale x
set format x "%g"
set xlabel
set ylabel "drift, r (above the line it falls)"
names = "stack-10 stack-30 wall-200 wall-1000 planks-120 discs-136 discs-210"
place(name) = sum [i=1:words(names)] (word(names, i) eq name ? i : 0)
set xrange [0.5:words(names)+0.5]
set for [i=1:words(names)] xtics add (word(names, i) i) rotate by -40
set yrange [1e-14:1e4]
unset key
plot 1 with lines lc rgb "#888888" dt 2 notitle, \
     for [k=1:words(engines)] "sim.csv" every ::1 \
     using (strcol(2) eq "stand" && strcol(3) eq word(engines, k) && $7 > 0 ? place(strcol(1)) + 0.12*(k-2.5) : NaN):($14/$9 > 1e-14 ? $14/$9 : 1e-14) \
     with points pt sign(k) ps 0.8 lc rgb colour(k) title word(engines, k)
unset multiplot
