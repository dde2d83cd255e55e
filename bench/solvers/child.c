/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine.h"

/* In the child: never returns. */
static void become_worker(int (*work)(const void *input, FILE *out), const void *input,
                          int pipe_end)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    FILE *out = fdopen(pipe_end, "w");
    if (nowhere < 0 || !out || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(1);
    signal(SIGPROF, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* without the program the answer is not read */
#endif
    const int status = work(input, out);
    fflush(out);
    _exit(status);
}

/* Reads until the other end is closed; false if the time is up first. */
static int read_until(int fd, double deadline, char *answer, size_t room)
{
    size_t length = 0;
    char rest[512]; /* the rest is read and discarded */
    answer[0] = '\0';
    for (;;) {
        const double left = deadline - machine_clock();
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        const int ready = left > 0 ? poll(&wait, 1, (int)(1e3 * left) + 1) : 0;
        if (ready == 0) return 0;
        if (ready < 0 && errno == EINTR) continue;
        const int fits = length + 1 < room;
        const ssize_t got =
            read(fd, fits ? answer + length : rest, fits ? room - 1 - length : sizeof rest);
        if (got <= 0) return 1;
        length += fits ? (size_t)got : 0;
        answer[length] = '\0';
    }
}

static child_end end_of(int status, int in_time)
{
    if (WIFEXITED(status)) {
        return WEXITSTATUS(status) == 0               ? CHILD_DONE
               : WEXITSTATUS(status) == CHILD_REFUSES ? CHILD_REFUSED
                                                      : CHILD_CRASHED;
    }
    return !in_time || WTERMSIG(status) == SIGPROF ? CHILD_TIME : CHILD_CRASHED;
}

child_end child_run(int (*work)(const void *input, FILE *out), const void *input, double seconds,
                    char *answer, size_t room)
{
    int ends[2], status = 0;
    answer[0] = '\0';
    if (pipe(ends) != 0) return CHILD_NOT_STARTED;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_worker(work, input, ends[1]);
    }
    close(ends[1]);
    int in_time = 1;
    if (child > 0) {
        in_time = read_until(ends[0], machine_clock() + seconds, answer, room);
        if (!in_time) kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return child > 0 ? end_of(status, in_time) : CHILD_NOT_STARTED;
}
