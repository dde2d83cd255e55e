/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The benchmarks, as rows of `moreau bench`.  One file here is one benchmark. */
#ifndef BENCH_H
#define BENCH_H

struct experiment_call; /* cli/experiments.h */

/* One Gauss-Seidel sweep over contacts of each kind, beside streaming the bytes it reads. */
int bench_sweep(const struct experiment_call *asked);

/* Heaps of balls that fall and come to rest: time of a step, penetration, residual. */
int bench_beads(const struct experiment_call *asked);
int bench_beads_command(int argc, char **argv);

/* Number of towers, generated problems and packings that the default method solves. */
int bench_families(const struct experiment_call *asked);

/* Time and memory of the default method against the size of a packing. */
int bench_scaling(const struct experiment_call *asked);

/* The collision of each two kinds of shapes. */
int bench_collide(const struct experiment_call *asked);

/* Dynamics of trees of links as they grow. */
int bench_links(const struct experiment_call *asked);

/* Time stepping and the acceleration level, against the step size. */
int bench_levels(const struct experiment_call *asked);

/* Every method on every problem, the time to a residual; as a row, and with its own flags and
 * operands. */
int bench_solvers(const struct experiment_call *asked);
int bench_solvers_command(int argc, char **argv);

/* Regressions between two of its runs. */
int bench_slower(const struct experiment_call *asked);
int bench_slower_command(int argc, char **argv);

/* The same scenes in other simulators; as a row, and with its own flags. */
int bench_sim(const struct experiment_call *asked);
int bench_sim_command(int argc, char **argv);

/* Structures at rest, and passive scenes: as rows, and with their own flags. */
int bench_standing(const struct experiment_call *asked);
int bench_standing_command(int argc, char **argv);
int bench_passive(const struct experiment_call *asked);
int bench_passive_command(int argc, char **argv);
int bench_lasting(const struct experiment_call *asked);
int bench_lasting_command(int argc, char **argv);

/* Overlap of shapes at the end of a step, and the cost of preventing it. */
int bench_overlap(const struct experiment_call *asked);
int bench_overlap_command(int argc, char **argv);

/* Steps that exceed a time limit. */
int bench_deadline(const struct experiment_call *asked);
int bench_deadline_command(int argc, char **argv);

/* Extreme speeds, spins, loads and initial overlaps: counts the failures. */
int bench_violent(const struct experiment_call *asked);

#endif
