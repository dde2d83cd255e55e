/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Command line of a command: flags with values, switches and operands, parsed by every rank; only
 * rank 0 prints.
 */
#ifndef MOREAU_MPI_CALL_H
#define MOREAU_MPI_CALL_H

#include "moreau/mpi.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_CALL = 2 };

/* The values of a flag that may be given several times. */
enum { CALL_TEXTS = 32 };
typedef struct call_texts {
    const char *at[CALL_TEXTS];
    int count;
} call_texts;

/* One flag; `number` or `text` is where its value goes, `is_set` of a switch. */
typedef struct call_flag {
    const char *name;    /* "tol", typed --tol           */
    const char *operand; /* "X" or "FILE"; NULL: a switch */
    const char *about;
    double *number;
    double least, most; /* of the number */
    const char **text;
    call_texts *texts;
    int *is_set;
} call_flag;

typedef struct call_command {
    const char *name, *operands, *about, *examples;
    int least, most; /* operands */
} call_command;

/* Rank 0 of MPI_COMM_WORLD? */
int call_is_root(void);

/* "moreau-mpi: sentence" on standard error, by rank 0. */
void call_say(const char *format, ...) MO_PRINTF(1, 2);

/* Progress of a command: lines on standard error by rank 0, one a second at most, if they are asked
 * for or standard error is a terminal, which it is not under mpiexec. */
typedef struct call_progress {
    int is_asked;
    double last; /* s; 0: none yet */
} call_progress;
int call_progress_is_due(call_progress *progress);
#define CALL_PROGRESS(where)                                                                       \
    {                                                                                              \
        .name = "progress", .about = "print the progress to standard error, one line a second",    \
        .is_set = &(where)                                                                         \
    }

/*
 * Reads flags and operands; operands[] (of `most` entries) become the latter.  Returns -1 to go on,
 * else an exit status: the help was printed, or a sentence about what is wrong.
 */
int call_read(const call_command *command, const call_flag *flags, int flag_count, int argc,
              char **argv, const char **operands, int *operand_count);

/* Is the pair NAME=NUMBER with this name?  Then *value becomes the number. */
int call_setting(const char *pair, const char *name, double *value);

int command_solve(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_run(int argc, char **argv);
int command_join(int argc, char **argv);

#endif
