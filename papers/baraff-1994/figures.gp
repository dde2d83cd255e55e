# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The results of Baraff 1994, section 7, rerun.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set datafile missing ""
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)

array pile[4] = ["wall", "shaken wall", "tower", "stones"]
array colour[4] = ["#08306b", "#2171b5", "#238b45", "#e6550d"]
only(k, value) = strcol(1) eq pile[k] ? value : NaN

eval use("1260,520")
set output "cost.png"
set multiplot layout 1,2 title "Without friction, beside Gaussian elimination by LAPACK on the same matrix (one thread)" font ",13"
set logscale x
set xrange [9:1100]
set xtics (10, 20, 50, 100, 200, 500, 1000)
set xlabel "contacts n"
set key top right
set title "time from the matrix to the forces, over that of dgesv"
set ylabel "ratio"
set yrange [0:5]
set object 1 rectangle from 9,2 to 1100,3 fc rgb "#dddddd" fs solid 0.5 noborder behind
set label 1 "the paper: 2 to 3" at 240,2.75 tc rgb "#666666"
plot for [k=1:4] "cost.csv" every ::1 using 2:(only(k, $9)) with linespoints pt 7 ps 0.8 lw 2 lc rgb colour[k] title pile[k]
unset object 1
unset label 1
set title "pivots (solid) and rank of W (dashed), over n"
set ylabel "over n"
set yrange [0:1.4]
plot for [k=1:4] "cost.csv" every ::1 using 2:(only(k, $5/$2)) with linespoints pt 7 ps 0.8 lw 2 lc rgb colour[k] title pile[k], \
     for [k=1:4] "cost.csv" every ::1 using 2:(only(k, $3/$2)) with lines dt 2 lw 1.5 lc rgb colour[k] notitle
unset multiplot
unset output

array kind[3] = ["none", "plane", "space"]
array name[3] = ["no friction", "friction in the plane", "friction in space"]
array kind_colour[3] = ["#08306b", "#238b45", "#e6550d"]
of(k, shaken, value) = (strcol(1) eq kind[k] && $2 == shaken) ? value : NaN
eval use("1260,520")
set output "pivots.png"
set multiplot layout 1,2 title "Pivots against contacts, walls of bricks (dashed: pivots = contacts)" font ",13"
set logscale xy
set xrange [9:500]
set yrange [3:10000]
set xtics (10, 20, 50, 100, 200, 400)
set ytics (3, 10, 30, 100, 300, 1000, 3000, 10000)
set ylabel "pivots"
set key top left
do for [shaken=0:1] {
    set title shaken ? "every brick moving" : "at rest"
    plot for [k=1:3] "pivots.csv" every ::1 using 3:(of(k, shaken, $5)) with linespoints pt 7 ps 0.8 lw 2 lc rgb kind_colour[k] title name[k], x with lines dt 2 lc rgb "#888888" notitle
}
unset multiplot
