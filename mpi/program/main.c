/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* moreau-mpi: the program for MPI. */
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "spread.h"

typedef struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} command;

static const command COMMANDS[] = {
    {"solve", "solve the contact problem of an FCLIB file", command_solve},
    {"run", "simulate a heap of balls or other shapes", command_run},
    {"join", "merge CSV files or recordings of the ranks", command_join},
    {"bench", "measure sweeps over a packing: time, messages, bytes", command_bench},
};
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static void put_help(void)
{
    printf("moreau-mpi: contact problems and heaps over MPI, with PETSc\n\n"
           "Usage: mpiexec -n RANKS moreau-mpi COMMAND [FLAGS] ...\n\nCommands:\n");
    for (int k = 0; k < COMMAND_COUNT; ++k)
        printf("  %-8s %s\n", COMMANDS[k].name, COMMANDS[k].summary);
    printf("\nFlags:\n"
           "  --help     this text; moreau-mpi COMMAND --help has flags and examples\n"
           "  --version  the version of the library\n");
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "--version") == 0) {
        if (call_is_root()) {
            if (name[2] == 'h')
                put_help();
            else
                printf("moreau-mpi %s\n", mo_version());
        }
        return argc > 1 ? EXIT_DONE : EXIT_CALL;
    }
    for (int k = 0; k < COMMAND_COUNT; ++k)
        if (strcmp(name, COMMANDS[k].name) == 0) return COMMANDS[k].run(argc - 2, argv + 2);
    call_say("there is no command %.80s; see moreau-mpi --help", name);
    return EXIT_CALL;
}

/* Ranks with others would wait for each other without end. */
static int have_same_arguments(int argc, char **argv)
{
    uint64_t hash = 0;
    for (int k = 1; k < argc; ++k)
        hash = 3 * hash + mo_mpi_hash(argv[k], strlen(argv[k]));
    return mo_mpi_all_equal(MPI_COMM_WORLD, hash);
}

int main(int argc, char **argv)
{
    if (mo_mpi_begin(&argc, &argv)) {
        fputs("moreau-mpi: MPI or PETSc could not be started\n", stderr);
        return EXIT_FAILED;
    }
    int status = EXIT_CALL;
    if (have_same_arguments(argc, argv))
        status = run(argc, argv);
    else
        call_say("the ranks have different arguments; give all the same");
    fflush(stdout);
    mo_mpi_end();
    return status;
}
