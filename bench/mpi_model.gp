# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Moreau authors
# The model of docs/mpi.md: time of a sweep against nodes, for 1e6 to 1e10 contacts.  Run in a
# folder for the figure:
#     gnuplot mpi_model.gp
set terminal svg size 760,460 font "sans,12" background rgb "white"
set output "mpi_model.svg"
set grid lc rgb "#dddddd"
set border 3 lc rgb "#444444"
set tics nomirror
set logscale xy
set format y "10^{%L}"
set xlabel "nodes"
set ylabel "seconds a sweep"
set key outside right
set samples 200
work = 0.75e-9    # s a contact: 300 bytes at 400 GB/s
latency = 14 * 5e-6 # s a sweep: 14 colours
shared(n) = 6 * (n / 3) ** (2.0 / 3) # balls of a node that others hold too
taken(N, P) = N / P * work + (P > 1 ? latency + 64 * 3 * shared(N / P) / 25e9 : 0)
set xrange [1:1000]
set title "a sweep over balls, model of docs/mpi.md"
plot for [k = 6:10] taken(10.0 ** k, x) lw 2 title sprintf("10^{%d} contacts", k)
