# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Table 1 of Trinkle, Pang, Sudarsky and Lo 1997 as a picture.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set datafile missing ""
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror

# pngcairo where gnuplot has it, png else.
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)
eval use("1100,430")
set output "table.png"
set multiplot layout 1,2 title "Random grasps as LCPs: the nine sizes of table 1" font ",13"

blue = "#2171b5"
red = "#cb181d"
set xlabel "size of the LCP, n_S + 5 n_R"
set xrange [0:180]
set key bottom left reverse Left samplen 3

set title "fraction of the data sets solved"
set yrange [-0.03:1.08]
plot "table.csv" using 1:3 skip 1 with linespoints lc rgb blue dt 3 pt 6 title "Lemke, paper", \
     "" using 1:6 skip 1 with linespoints lc rgb red dt 3 pt 4 title "FIP, paper", \
     "" using 1:9 skip 1 with linespoints lc rgb blue lw 2 pt 7 title "lemke, ours", \
     "" using 1:12 skip 1 with linespoints lc rgb red lw 2 pt 5 title "fip, ours"

set title "iterations for those solved (failed starts included)"
set autoscale y
set logscale y
set yrange [1:1000]
set key top left
plot "table.csv" using 1:5 skip 1 with linespoints lc rgb blue dt 3 pt 6 title "Lemke, paper", \
     "" using 1:8 skip 1 with linespoints lc rgb red dt 3 pt 4 title "FIP, paper", \
     "" using 1:11 skip 1 with linespoints lc rgb blue lw 2 pt 7 title "lemke, ours", \
     "" using 1:14 skip 1 with linespoints lc rgb red lw 2 pt 5 title "fip, ours"
unset multiplot
unset output
