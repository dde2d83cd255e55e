# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The course of a run, from steps.csv; run by `moreau run --plot`.
set datafile separator ","
set terminal svg size 900,520 font "sans,13" background "white"
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "time / s"
set style data linespoints # a run of one step has points alone
data = "steps.csv"

# Axes end with the data, and are not empty where a run has one step or no contact.
stats data skip 1 using 1 name "time" nooutput
set xrange [time_min : time_max]
if (time_min == time_max) { set xrange [0 : 2 * time_max] }
set pointsize time_min == time_max ? 1 : 0.2
set offsets 0, 0, graph 0.03, 0

set output "energy.svg"
set ylabel "energy / J"
plot data skip 1 using 1:4 lw 4 pt 7 lc rgb "#222222" title "total", \
     data skip 1 using 1:2 lw 2 pt 7 lc rgb "#d95f02" title "kinetic", \
     data skip 1 using 1:3 lw 2 pt 7 lc rgb "#1b9e77" title "potential"

set output "forces.svg"
set ylabel "contact force / N"
set y2label "contacts"
set y2tics
set ytics nomirror
stats data skip 1 using 5 name "contacts" nooutput
set yrange [0:*]
set y2range [0 : contacts_max > 0 ? 1.1 * contacts_max : 1]
if (contacts_max == 0) { set yrange [0:1] }
plot data skip 1 using 1:7 lw 2 pt 7 lc rgb "#222222" title "normal, sum", \
     data skip 1 using 1:9 lw 2 pt 7 lc rgb "#d95f02" title "friction, sum", \
     data skip 1 using 1:8 lw 2 pt 7 lc rgb "#7570b3" title "normal, largest", \
     data skip 1 using 1:5 axes x1y2 lw 1 pt 7 lc rgb "#999999" title "contacts"
unset y2tics
unset y2label
set ytics mirror

# Zeros have no logarithm: they are drawn at the foot.
set output "solve.svg"
set ylabel "relative residual; penetration / m"
set logscale y
set yrange [1e-17:*]
set offsets
set format y "10^{%L}"
foot(x) = x > 1e-17 ? x : 1e-17
plot data skip 1 using 1:(foot($10)) lw 2 pt 7 lc rgb "#222222" title "residual", \
     data skip 1 using 1:(foot($11)) lw 2 pt 7 lc rgb "#d95f02" title "penetration", \
     data skip 1 using 1:($13 == 0 ? foot($10) : NaN) with points pt 7 ps 1 \
          lc rgb "#e7298a" title "not solved"
