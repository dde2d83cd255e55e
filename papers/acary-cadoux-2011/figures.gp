# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Figure 9 of Acary, Cadoux, Lemarechal and Malick 2011, rerun.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)
array state[2] = ["moving", "released"]
array name[2] = ["stones in motion", "stones released from rest"]
array colour[9] = ["#08306b", "#08519c", "#2171b5", "#4292c6", "#41ab5d", "#238b45", "#e6550d", "#cb181d", "#67000d"]
of(k, m, value) = (strcol(1) eq state[k] && abs($2 - 0.1 * m) < 1e-6) ? value : NaN
eval use("1260,520")
set output "figure9.png"
set multiplot layout 1,2 title "Successive approximations s = F(s), 250 contacts: left side of (6.1)" font ",13"
set logscale y
set format y "10^{%L}"
set xrange [0:50]
set yrange [1e-16:1]
set xlabel "round"
set ylabel "|F(s) - s| / (n (|s| + 1))"
set key bottom left
do for [k=1:2] {
    set title name[k]
    plot for [m=1:9] "rates.csv" every ::1 using 3:(of(k, m, $4)) with linespoints pt 7 ps 0.4 lw 1.5 lc rgb colour[m] title sprintf("mu = %.1f", 0.1 * m)
}
unset multiplot

# Sections 5.2 to 5.5: none, one or several solutions.
eval use("980,880")
set output "verdicts.png"
set multiplot layout 2,2 title "Painleve's rod: how many solutions, by moreau check" font ",13"
unset logscale y
set format y "%g"
set xrange [0:1.5708]
set yrange [0:3]
set xlabel "angle theta"
set ylabel "friction mu"
set key bottom right opaque
array kind[3] = ["none", "unique", "several"]
array shade[3] = ["#d7301f", "#9ecae1", "#fdae61"]
at(g, u, k, value) = ($1 == g && $2 == u && strcol(5) eq kind[k]) ? value : NaN
do for [g=-1:1:2] {
    do for [u=-1:1:2] {
        set title sprintf("g = %+d, u0 = %+d", g, u)
        plot for [k=1:3] "verdicts.csv" every ::1 using 3:(at(g, u, k, $4)) with points pt 5 ps 1.15 lc rgb shade[k] title kind[k], \
             tan(x) with lines lw 2 lc rgb "#222222" title "mu = tan theta"
    }
}
unset multiplot
