# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The piles and the rates of Anitescu and Hart 2004, rerun.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set datafile missing ""
set encoding utf8
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)

# ---- a pile: impulses as lines, the opening of pressed contacts in red, velocities as arrows
array method[2] = ["lcp1", "lcp3"]
array what[2] = ["Coulomb's law (LCP1)", "one convex problem (LCP3): pressed contacts that slip also open (red)"]
eval use("1500,620")
set output "pile.png"
set multiplot layout 1,2 title "136 disks from rest, mu = 0.2, the first step: normal impulses, and velocities (arrows)" font ",13"
set size ratio -1
unset border
unset tics
unset key
set xrange [-5:95]
set yrange [-2:86]
pressed(r, u) = r > 1e-9 ? (u > 1e-6 ? 0xcb181d : 0x08519c) : 0xffffff
do for [k=1:2] {
    set title what[k]
    plot "disks-".method[k].".csv" using 1:2:3 skip 1 with circles lc rgb "#bbbbbb" lw 1 fs transparent solid 0.12, \
         "contacts-".method[k].".csv" using 1:2:($3-$1):($4-$2):(0.25+0.55*sqrt($5)):(pressed($5, $7)) skip 1 with vectors nohead lw 2 lc rgb variable, \
         "" using 1:($5 > 1e-9 ? $2 : NaN):($3-$1):($4-$2):(pressed($5, $7)) skip 1 with vectors nohead lw 2 lc rgb variable, \
         "disks-".method[k].".csv" using 1:2:(12*$4):(12*$5) skip 1 with vectors head size 0.8,20 filled lw 1.4 lc rgb "#238b45", \
         0 with lines lc rgb "#444444" lw 2
}
unset multiplot
unset output
reset

# ---- rates
set datafile separator ","
set datafile missing ""
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
eval use("1200,470")
set output "rates.png"
set multiplot layout 1,2 title "21 disks from rest, the first step" font ",13"
set xlabel "mu"
set xrange [0:0.15]
set key top left reverse Left samplen 3
set title "contraction factor of the published maps (a gap: no convergence)"
set yrange [0:1.05]
plot "rates.csv" using 1:2 skip 1 with linespoints pt 7 lw 2 lc rgb "#08519c" title "LCP1", \
     "" using 1:3 skip 1 with linespoints pt 5 lw 2 lc rgb "#e6550d" title "LCP2", \
     0.5 with lines dt 2 lc rgb "#888888" title "1/2 (Theorems 5 and 6)"
set title "LCP3 against the solution (Theorem 7)"
set autoscale y
set yrange [0:*]
plot "rates.csv" using 1:4 skip 1 with linespoints pt 7 lw 2 lc rgb "#08519c" title "largest error of v", \
     "" using 1:5 skip 1 with linespoints pt 5 lw 2 lc rgb "#e6550d" title "largest mu lambda"
unset multiplot
unset output
