# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Energy, drift and memory over very many steps, from lasting.csv beside this script.  Run in its folder:
#     gnuplot figures.gp
set datafile separator ","
set terminal svg size 1200,420 font "sans,12" background rgb "white"
set output "lasting.svg"
set border 3 lc rgb "#444444"
set tics nomirror
set grid lc rgb "#dddddd"
set xlabel "step"
set format x "%.0s%c"
names = system("tail -n +2 lasting.csv | cut -d, -f1 | uniq")
colour(k) = word("#0072b2 #d55e00 #009e73 #e69f00 #cc79a7 #56b4e9 #000000 #888888", 1 + (k - 1) % 8)
set key outside bottom center horizontal maxrows 3
set multiplot layout 1,3
set title "energy, less that of the first row"
set ylabel "J"
plot for [k=1:words(names)] first = NaN, "lasting.csv" every ::1 \
     using (strcol(1) eq word(names, k) ? (first = first == first ? first : $3, $2) : NaN):($3 - first) \
     with lines lw 1.5 lc rgb colour(k) title word(names, k)
set title "largest displacement of a body since a tenth of the steps"
set ylabel "m"
set logscale y
set format y "10^{%L}"
plot for [k=1:words(names)] "lasting.csv" every ::1 \
     using (strcol(1) eq word(names, k) ? $2 : NaN):($4 > 1e-17 ? $4 : 1e-17) \
     with lines lw 1.5 lc rgb colour(k) title word(names, k)
unset logscale y
set format y "%g"
set title "memory of the process"
set ylabel "MB"
set yrange [0:*]
plot for [k=1:words(names)] "lasting.csv" every ::1 \
     using (strcol(1) eq word(names, k) ? $2 : NaN):($5 / 1e6) \
     with lines lw 1.5 lc rgb colour(k) title word(names, k)
unset multiplot
