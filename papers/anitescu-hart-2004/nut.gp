# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Figure 4 of Anitescu and Hart 2004, rerun.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set encoding utf8
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)
array law[2] = ["lcp3", "auto"]
array name[2] = ["LCP3, the relaxed law", "the exact law"]

eval use("1100,640")
set output "figure4.png"
set multiplot layout 2,4 title "A large disk rises among small ones that are shaken (colour: height at the start)" font ",13"
set size ratio -1
unset border
unset tics
unset key
unset colorbox
set xrange [-27:27]
set yrange [-1:66]
set palette defined (0 "#08306b", 0.5 "#6baed6", 1 "#f7d9a8")
set arrow 1 from -25,0 to -25,64 nohead lw 2 lc rgb "#444444"
set arrow 2 from 25,0 to 25,64 nohead lw 2 lc rgb "#444444"
set arrow 3 from -25,0 to 25,0 nohead lw 2 lc rgb "#444444"
do for [m=1:2] {
    do for [k=1:4] {
        file = sprintf("frame-%s-%d.csv", law[m], k)
        stats file using 5 every ::1 nooutput
        set title sprintf("%s: %d shakes", name[m], int(STATS_max))
        plot file using 1:2:3:4 every ::2 with circles fill solid 0.9 lc palette, \
             file using 1:2:3 every ::1::1 with circles fill solid 1 lc rgb "#cb181d"
    }
}
unset multiplot
unset output
reset

set datafile separator ","
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
eval use("700,430")
set output "rise.png"
set xlabel "shakes"
set ylabel "share of the small disks above the large one"
set yrange [0:1]
set key top right
plot "rise-lcp3.csv" using 1:3 skip 1 with lines lw 2 lc rgb "#e6550d" title "LCP3, the relaxed law", \
     "rise-auto.csv" using 1:3 skip 1 with lines lw 2 lc rgb "#08519c" title "the exact law"
unset output
