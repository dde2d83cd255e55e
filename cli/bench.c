/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau bench`: the benchmarks, whose sources are in bench/, by name. */
#include <stddef.h>
#include <string.h>

#include "bench.h"
#include "command.h"
#include "experiments.h"

static const args_command COMMAND = {
    .name = "bench",
    .operands = "[NAME]",
    .summary = "measure performance on this machine",
    .about =
        "Without a name, lists the benchmarks. moreau bench NAME --help lists further flags and"
        " operands, where a benchmark has any.",
    .examples = "  moreau bench            list the benchmarks\n"
                "  moreau bench sweep      run one of them\n"
                "  moreau bench sweep --contacts 20000 --json\n"
                "  moreau bench solvers problems/ --out board\n"
                "  moreau bench sim --quick\n",
    .least = 0,
    .most = 1,
};

/* A new benchmark is one file in bench/ and one row here. */
static const experiment BENCHES[] = {
    {"sweep",
     "a Gauss-Seidel sweep over a million contacts of each kind, compared with the time to read "
     "its data",
     bench_sweep, 0},
    {"beads",
     "balls dropped into a box: time of a step, penetration, residual, up to --contacts balls",
     bench_beads, 0},
    {"families",
     "number of towers, generated problems and packings that auto solves, up to --contacts",
     bench_families, 50},
    {"scaling",
     "time and memory of the default method on packings of a thousand to a million contacts",
     bench_scaling, 0},
    {"collide", "collision of each pair of shape kinds: time, contacts and error", bench_collide,
     10},
    {"links", "inverse and forward dynamics, mass matrix and step of trees of 10 to 1,000 joints",
     bench_links, 1},
    {"levels", "time stepping and the acceleration level: error against the step size",
     bench_levels, 3},
    {"solvers",
     "every method on every problem: time to a given residual; moreau bench solvers --help",
     bench_solvers, 0},
    {"slower", "regressions between two runs of bench solvers; moreau bench slower --help",
     bench_slower, 0},
    {"sim", "the same scenes in MuJoCo, ODE and Bullet; moreau bench sim --help", bench_sim, 0},
    {"standing",
     "stacks, walls and towers for a minute: drift, penetration; moreau bench standing --help",
     bench_standing, 0},
    {"passive", "energy and memory over many steps; moreau bench passive --help", bench_passive, 0},
    {"lasting", "a million steps of scenes and robots: memory, energy and drift", bench_lasting, 0},
    {"violent", "extreme speeds, spins, loads and overlaps: tunnelling, energy gain, overlap",
     bench_violent, 60},
    {"overlap", "heaps: overlap at the end of a step, and its cost; moreau bench overlap --help",
     bench_overlap, 0},
    {"deadline", "heaps: calls that exceed their time limit; moreau bench deadline --help",
     bench_deadline, 0},
};

/* Benchmarks with their own flags and operands. */
typedef struct own_command {
    const char *name;
    int (*run)(int argc, char **argv);
} own_command;

static const own_command OWN[] = {
    {"solvers", bench_solvers_command},   {"slower", bench_slower_command},
    {"beads", bench_beads_command},       {"sim", bench_sim_command},
    {"standing", bench_standing_command}, {"passive", bench_passive_command},
    {"lasting", bench_lasting_command},   {"overlap", bench_overlap_command},
    {"deadline", bench_deadline_command}};

static const args_flag CONTACTS = {.name = "contacts",
                                   .operand = "N",
                                   .text = "size of the generated problem",
                                   .initial = "1000000"};

/* If a benchmark with its own flags and operands is named, moves its name to the front. */
static const own_command *find_own(int argc, char **argv)
{
    int at = 0;
    while (at < argc && strncmp(argv[at], "--", 2) == 0)
        at += strcmp(argv[at], "--out") == 0 ? 2 : 1;
    for (size_t k = 0; k < sizeof OWN / sizeof *OWN && at < argc; ++k) {
        if (strcmp(argv[at], OWN[k].name) == 0) {
            char *const name = argv[at];
            memmove(argv + 1, argv, (size_t)at * sizeof *argv);
            argv[0] = name;
            return OWN + k;
        }
    }
    return NULL;
}

int command_bench(int argc, char **argv)
{
    const int count = (int)(sizeof BENCHES / sizeof BENCHES[0]);
    const own_command *own = find_own(argc, argv);
    if (own) return own->run(argc - 1, argv + 1);
    return experiments_command(&COMMAND, &CONTACTS, BENCHES, count, argc, argv);
}
