/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "render_video.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

extern char **environ;

static int spawn(video *f, int from, char *const words[])
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    error = error ? error : posix_spawnp(&f->program, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

enum { MOST_WORDS = 24 };

/* Splits a line at spaces; the number of words. */
static int split(char *line, char *words[])
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " ", &rest); word && count < MOST_WORDS - 2;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    return count;
}

int video_begin(video *f, const char *path, int width, int height, double fps)
{
    char name[OUTPUT_PATH + 2], line[256], *words[MOST_WORDS];
    int ends[2];
    /* a name beginning with '-' would be an option */
    const int length = snprintf(name, sizeof name, "%s%s", path[0] == '-' ? "./" : "", path);
    if (length < 0 || (size_t)length >= sizeof name) return ENAMETOOLONG;
    snprintf(line, sizeof line,
             "ffmpeg -v error -y -f rawvideo -pix_fmt rgb24 -s %dx%d -r %g -i - -pix_fmt yuv420p "
             "-r %g",
             width, height, fps, fps);
    const int count = split(line, words);
    words[count] = name; /* whole, whatever is in it */
    words[count + 1] = NULL;
    if (pipe(ends)) return errno;
    /* Other children do not inherit either end: ffmpeg ends when the writing end is closed. */
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const int error = spawn(f, ends[0], words);
    close(ends[0]);
    if (error) {
        close(ends[1]);
        return error;
    }
    signal(SIGPIPE, SIG_IGN); /* if ffmpeg fails, the write fails */
    f->to = ends[1];
    return 0;
}

int video_add(video *f, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(f->to, bytes, size);
        if (written < 0 && errno != EINTR) return 0;
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return 1;
}

int video_end(video *f)
{
    int status = 0;
    pid_t ended;
    close(f->to);
    do {
        ended = waitpid(f->program, &status, 0);
    } while (ended < 0 && errno == EINTR);
    return ended == f->program && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
