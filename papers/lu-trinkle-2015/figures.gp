# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# Figures 2 to 5 of Lu and Trinkle 2015, and the rules for r.  Run in the folder with the CSV files:
#     gnuplot figures.gp
set datafile separator ","
set datafile missing ""
set encoding utf8
set grid lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror

# pngcairo where gnuplot has it, png else.
use(size) = sprintf("set terminal %s size %s font 'sans,10'", strstrt(GPVAL_TERMINALS, "pngcairo") > 0 ? "pngcairo" : "png", size)

# ---- figure 2 -------------------------------------------------------------------------------

# Far below -5 blue, just below -5 red, from -5 on green.
array colour[9] = ["#08306b", "#2171b5", "#6baed6", "#fc9272", "#ef3b2c", "#a50f15", "#49000a", "#238b45", "#74c476"]

eval use("1260,760")
set output "figure2.png"
set multiplot layout 2,3 title "Figure 2: iterations against r, for several external forces g (at most 300)" font ",13"
set xrange [0:2]
set logscale y
set yrange [0.9:400]
set ytics (1, 3, 10, 30, 100, 300)
set xlabel "r"
set ylabel "iterations"
unset key

reading(k) = word("conic conic-printed linearised-together linearised-sequence linearised-sequence-phi", k)
file(k) = "figure2-" . reading(k) . ".csv"

set title "conic model"
plot for [c=1:9] file(1) using 1:c+1 with lines lw 1.5 lc rgb colour[c]
set title "conic, eq. 26 to the letter"
plot for [c=1:9] file(2) using 1:c+1 with lines lw 1.5 lc rgb colour[c]

# The legend has a place of its own.
set title "external force"
set key center center samplen 3 spacing 1.3
unset border; unset tics; unset grid; unset xlabel; unset ylabel
plot for [c=1:9] file(1) using (NaN):(NaN) with lines lw 3 lc rgb colour[c] title columnheader(c+1)
unset key
set border 31 lc rgb "#444444"; set tics nomirror; set xlabel "r"; set ylabel "iterations"
set xtics auto nomirror
set ytics (1, 3, 10, 30, 100, 300) nomirror
set grid lc rgb "#dddddd"

set title "linearised, all stepped together"
plot for [c=1:9] file(3) using 1:c+1 with lines lw 1.5 lc rgb colour[c]
set title "linearised, s stepped after p: as the paper describes"
plot for [c=1:9] file(4) using 1:c+1 with lines lw 1.5 lc rgb colour[c]
set title "the same, stopped at |φ| < 10^{-6}"
plot for [c=1:9] file(5) using 1:c+1 with lines lw 1.5 lc rgb colour[c]
unset multiplot
unset output

# ---- figures 3 to 5 -------------------------------------------------------------------------

array step_colour[8] = ["#08306b", "#2171b5", "#6baed6", "#9ecae1", "#000000", "#fdae6b", "#e6550d", "#a63603"]
eval use("1100,460")
set logscale xy
set logscale y2
set xrange [1:300]
set xtics (1, 3, 10, 30, 100, 300)
set yrange [1e-36:10]
set y2range [sqrt(2e-36):sqrt(20)]
set ytics 1e-36,1e6 format "10^{%T}"
set y2tics 1e-18,1e3 format "10^{%T}"
set ytics add ("1" 1)
set y2tics add ("1" 1)
set xlabel "iteration"
set ylabel "total error, eq. 31"
set y2label "|φ|"
zeta(n) = n == 3 ? 0 : n == 4 ? 1e-12 : 1e-6
name(n) = n == 3 ? "0" : n == 4 ? "10^{-12}" : "10^{-6}"
shown(x) = x < 1e-36 ? 1e-36 : x

do for [n=3:5] {
    set output sprintf("figure%d.png", n)
    set multiplot layout 1,2 title sprintf("Figure %d: error against iteration, ζ = %s, g = -10", n, name(n)) font ",13"
    unset arrow; unset label
    if (zeta(n) > 0) {
        set arrow 1 from 1,0.5*zeta(n)**2 to 300,0.5*zeta(n)**2 nohead dt 2 lc rgb "#238b45" lw 1.5
        set label 1 "|φ| = ζ" at 1.2,8*zeta(n)**2 tc rgb "#238b45"
    }
    set bmargin 6
    unset key
    set title "conic model"
    plot for [c=1:8] sprintf("figure%d-conic.csv", n) using 1:(shown(column(c+1))) with lines lw 1.8 lc rgb step_colour[c]
    set title "linearised model, s stepped after p"
    set key at screen 0.5,0.04 center horizontal maxrows 1 samplen 2
    plot for [c=1:8] sprintf("figure%d-linearised.csv", n) using 1:(shown(column(c+1))) with lines lw 1.8 lc rgb step_colour[c] title columnheader(c+1)
    unset multiplot
    unset output
}

# ---- the rules ------------------------------------------------------------------------------

reset
set datafile separator ","
set encoding utf8
set grid ytics lc rgb "#dddddd"
set border lc rgb "#444444"
set tics nomirror
array rule_colour[4] = ["#bbbbbb", "#6baed6", "#fdae6b", "#238b45"]
array rule_name[4] = ["fixed, r = 1", "foerg: r* of eq. 32", "contact: one r each", "adaptive"]
eval use("1260,540")
set output "rules.png"
set multiplot layout 1,2 title "Beyond the paper: four rules for r" font ",13"

set size 0.6,0.93
set origin 0,0
set title "iterations to a relative residual of 10^{-8} (a bar up to the top: not in 3000)"
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 border -1
set boxwidth 0.95
set logscale y
set yrange [0.7:3000]
set ylabel "iterations"
set xtics rotate by -35 scale 0
set key outside top center horizontal samplen 2
plot for [c=1:4] "rules.csv" every ::1 using c+1:xtic(1) lc rgb rule_colour[c] title rule_name[c]

set size 0.38,0.93
set origin 0.62,0
set title "five boxes, the top one pushed"
set style data lines
set xtics norotate scale 1 auto
set grid xtics
set xlabel "iteration"
set ylabel "relative residual"
set logscale x
set xrange [1:1000]
set yrange [1e-9:100]
set format y "10^{%T}"
set key inside bottom left vertical
plot for [c=1:4] "rules-history.csv" every ::1 using 1:c+1 with lines lw 2 lc rgb rule_colour[c] title rule_name[c]
unset multiplot
