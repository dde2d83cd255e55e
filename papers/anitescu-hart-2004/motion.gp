# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Figures 2 and 3 of Anitescu and Hart 2004, rerun.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set datafile missing ""
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)
array disks[2] = ["21", "136"]
array what[2] = ["21 disks, mu = 0.05", "136 disks, mu = 0.2"]
solved(y, yes) = yes > 0 ? 1e3*y : NaN
failed(y, yes) = yes < 1 ? 1e3*y : NaN
set xlabel "time, s"
do for [k=1:2] {
    file = "disks-".disks[k].".csv"
    eval use("1400,430")
    set output sprintf("figure%d.png", k + 1)
    set multiplot layout 1,3 title what[k].", cannonball arrangement, from rest (crosses: not solved in time; the relaxed law of LCP3 is never Coulomb's where contacts slip)" font ",12"
    unset logscale
    set autoscale
    set format y "%g"
    set yrange [0:*]
    set title "contacts"
    set key outside top center horizontal
    plot file using 1:2 skip 1 with lines lw 2 lc rgb "#08519c" title "exact law (auto)", \
         "" using 1:3 skip 1 with lines lw 2 lc rgb "#e6550d" title "relaxed law (LCP3)"
    set logscale y
    set autoscale y
    set format y "10^{%L}"
    set title "ms for the problem of a step: LCP1, LCP2"
    plot file using 1:(solved($7,$8)) skip 1 with points pt 7 ps 0.5 lc rgb "#08519c" title "LCP1", \
         "" using 1:(failed($7,$8)) skip 1 with points pt 2 lc rgb "#08519c" notitle, \
         "" using 1:(solved($10,$11)) skip 1 with linespoints pt 7 ps 0.3 lw 1.5 lc rgb "#e6550d" title "LCP2", \
         "" using 1:(failed($10,$11)) skip 1 with points pt 2 lc rgb "#e6550d" notitle, \
         "" using 1:(solved($16,$17)) skip 1 with linespoints pt 7 ps 0.3 lw 1.5 lc rgb "#238b45" title "auto"
    set title "ms for the problem of a step: LCP3, LCP0"
    plot file using 1:(1e3*$13) skip 1 with points pt 7 ps 0.5 lc rgb "#08519c" title "LCP3", \
         "" using 1:(solved($4,$5)) skip 1 with linespoints pt 7 ps 0.3 lw 1.5 lc rgb "#e6550d" title "LCP0", \
         "" using 1:(failed($4,$5)) skip 1 with points pt 2 lc rgb "#e6550d" notitle, \
         "" using 1:(solved($16,$17)) skip 1 with linespoints pt 7 ps 0.3 lw 1.5 lc rgb "#238b45" title "auto"
    unset multiplot
    unset output
}
