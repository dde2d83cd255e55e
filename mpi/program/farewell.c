/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * mpiexec ends a run whose rank has died by SIGTERM to all others, and by SIGKILL some time later.
 * Rank 0 then writes a sentence; if it is the one that died, rank 1 does, where it runs on the same
 * machine.  Sentences are made beforehand, as a handler may not.  The writer waits until mpiexec
 * has read its pipe: one that is gone at once may not be heard.
 */
#include "farewell.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "call.h"

enum { WAITS = 500, NAME = MPI_MAX_PROCESSOR_NAME };
static const long WAIT = 2000000; /* ns */

static char with_checkpoint[4400];
static const char without_checkpoint[] =
    "moreau-mpi: a rank has died, or the run was terminated; there is no checkpoint yet\n";
static const char *checkpoint_file;
static pid_t first_rank; /* the process of rank 0, where it may speak; 0 on that rank */

static void wait_for_reader(void)
{
    const struct timespec wait = {.tv_nsec = WAIT};
    int left = 1;
    for (int k = 0; k < WAITS && ioctl(STDERR_FILENO, FIONREAD, &left) == 0 && left > 0; ++k)
        nanosleep(&wait, NULL);
}

static void end_early(int number)
{
    const int is_there = checkpoint_file && access(checkpoint_file, R_OK) == 0;
    const char *text = is_there ? with_checkpoint : without_checkpoint;
    (void)number;
    if (first_rank == 0 || kill(first_rank, 0) != 0) {
        const ssize_t written = write(STDERR_FILENO, text, strlen(text));
        if (written > 0) wait_for_reader();
    }
    _exit(EXIT_FAILED);
}

/* Does this rank run on the machine of rank 0?  Its process, too. */
static int is_beside_first(int rank, pid_t *first)
{
    char own[NAME] = {0}, other[NAME];
    long long process = (long long)getpid();
    int length;
    MPI_Get_processor_name(own, &length);
    memcpy(other, own, sizeof other);
    MPI_Bcast(other, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(&process, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    *first = rank == 0 ? 0 : (pid_t)process;
    return memcmp(own, other, sizeof own) == 0;
}

void farewell_prepare(const char *checkpoint)
{
    int rank;
    checkpoint_file = checkpoint;
    if (checkpoint) {
        snprintf(with_checkpoint, sizeof with_checkpoint,
                 "moreau-mpi: a rank has died, or the run was terminated; the checkpoint %.3000s "
                 "is whole: go on with --restart\n",
                 checkpoint);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (is_beside_first(rank, &first_rank) && rank < 2) signal(SIGTERM, end_early);
}

/* No rank exits before all have left the handler. */
void farewell_end(void)
{
    signal(SIGTERM, SIG_DFL);
    MPI_Barrier(MPI_COMM_WORLD);
}
