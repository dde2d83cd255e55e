# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The way of what stands and the time of its steps, from standing.csv beside this script.  Run in its folder:
#     gnuplot figures.gp
set datafile separator ","
set terminal svg size 1040,480 font "sans,12" background rgb "white"
set output "standing.svg"
set border 3 lc rgb "#444444"
set tics nomirror
set grid lc rgb "#dddddd"
set logscale y
set format y "10^{%L}"
set xlabel "time, s"
names = "stack-30 arch-15 wall-205 wall-205-heavy wall-1010 kapla-120 kapla-120-heavy kapla-501 kapla-501-heavy"
colour(k) = word("#000000 #888888 #0072b2 #56b4e9 #009e73 #e69f00 #f0e442 #d55e00 #cc79a7", k)
set multiplot layout 1,2
set title "the farthest that a body has gone since 2 s (before: since the start)"
set ylabel "way, m"
set yrange [1e-17:1e-8]
set key outside bottom center horizontal maxrows 3
plot 1e-9 with lines lc rgb "#888888" dt 2 title "a billionth of a metre", \
     for [k=1:words(names)] "standing.csv" every ::1 \
     using (strcol(1) eq word(names, k) ? $2 : NaN):($3 > 1e-17 ? $3 : 1e-17) with lines lw 1.5 lc rgb colour(k) title word(names, k)
set title "time of a step"
set ylabel "ms"
set autoscale y
unset key
plot for [k=1:words(names)] "standing.csv" every ::1 \
     using (strcol(1) eq word(names, k) ? $2 : NaN):6 with lines lw 1.5 lc rgb colour(k) title word(names, k)
unset multiplot
