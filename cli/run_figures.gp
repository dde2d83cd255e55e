# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The course of a run, from steps.csv; run by `moreau run --plot`.
set datafile separator ","
set terminal svg size 900,520 font "sans,13" background "white"
set grid lc rgb "#dddddd"
set key outside top center horizontal
set xlabel "time / s"
data = "steps.csv"

set output "energy.svg"
set ylabel "energy / J"
plot data skip 1 using 1:4 with lines lw 2 lc rgb "#222222" title "total", \
     data skip 1 using 1:2 with lines lw 2 lc rgb "#d95f02" title "kinetic", \
     data skip 1 using 1:3 with lines lw 2 lc rgb "#1b9e77" title "potential"

set output "forces.svg"
set ylabel "contact force / N"
set y2label "contacts"
set y2tics
set ytics nomirror
set y2range [0:*]
plot data skip 1 using 1:7 with lines lw 2 lc rgb "#222222" title "normal, sum", \
     data skip 1 using 1:9 with lines lw 2 lc rgb "#d95f02" title "friction, sum", \
     data skip 1 using 1:8 with lines lw 2 lc rgb "#7570b3" title "normal, largest", \
     data skip 1 using 1:5 axes x1y2 with lines lw 1 lc rgb "#999999" title "contacts"
unset y2tics
unset y2label
set ytics mirror

# Zeros have no logarithm: they are drawn at the foot.
set output "solve.svg"
set ylabel "relative residual; penetration / m"
set logscale y
set format y "10^{%L}"
foot(x) = x > 1e-17 ? x : 1e-17
plot data skip 1 using 1:(foot($10)) with lines lw 2 lc rgb "#222222" title "residual", \
     data skip 1 using 1:(foot($11)) with lines lw 2 lc rgb "#d95f02" title "penetration", \
     data skip 1 using 1:($13 == 0 ? foot($10) : NaN) with points pt 7 lc rgb "#e7298a" title "not solved"
