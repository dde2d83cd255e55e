/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

static const char *const SCRIPT = "figures.gp";
enum { NO_PROGRAM = 127, NO_FOLDER = 126 };

#if defined(__GNUC__) && !defined(__APPLE__)
__attribute__((weak)) void openblas_set_num_threads(int threads);
#define HAS_THREAD_CALL (openblas_set_num_threads != NULL)
#else
static void openblas_set_num_threads(int threads)
{
    (void)threads;
}
#define HAS_THREAD_CALL 0
#endif

void paper_use_one_blas_thread(void)
{
    if (HAS_THREAD_CALL) {
        openblas_set_num_threads(1);
    }
}

int paper_make_folder(const char *folder)
{
    char path[1024];
    const size_t length = strlen(folder);
    if (length == 0 || length >= sizeof path) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        return 0;
    }
    memcpy(path, folder, length + 1);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            return 0;
        }
        *slash = '/';
    }
    struct stat found;
    return (mkdir(path, 0777) == 0 || errno == EEXIST) && stat(path, &found) == 0 &&
           (S_ISDIR(found.st_mode) || (errno = ENOTDIR, 0));
}

mo_error paper_open_sheet(const char *folder, const char *name, paper_sheet *s, mo_message *why)
{
    const int length = snprintf(s->path, sizeof s->path, "%s/%s", folder, name);
    s->file = length > 0 && (size_t)length < sizeof s->path ? fopen(s->path, "w") : NULL;
    if (!s->file && why) {
        snprintf(why->text, sizeof why->text, "%.400s cannot be written", s->path);
    }
    return s->file ? MO_OK : MO_ERR_FILE;
}

mo_error paper_close_sheet(paper_sheet *s, mo_message *why)
{
    const int bad = ferror(s->file);
    if (fclose(s->file) == 0 && !bad) {
        return MO_OK;
    }
    if (why) {
        snprintf(why->text, sizeof why->text, "%.400s could not be written to its end", s->path);
    }
    return MO_ERR_FILE;
}

void paper_show_progress(const char *format, ...)
{
    char line[80];
    va_list values;
    if (isatty(STDERR_FILENO)) {
        va_start(values, format);
        vsnprintf(line, sizeof line, format, values);
        va_end(values);
        fprintf(stderr, "\r%-60s\r", line);
    }
}

double paper_processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int write_script(const char *folder, const unsigned char *script, size_t size)
{
    char path[1024];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, SCRIPT);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "w") : NULL;
    if (!file) {
        return 0;
    }
    const size_t written = fwrite(script, 1, size, file);
    return fclose(file) == 0 && written == size;
}

/* In the child: never returns. */
static void become_gnuplot(const char *folder)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (chdir(folder) != 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
        _exit(NO_FOLDER);
    }
    setenv("LC_ALL", "C.UTF-8", 1); /* the scripts are UTF-8, whatever the user's locale is */
    execlp("gnuplot", "gnuplot", SCRIPT, (char *)NULL);
    _exit(NO_PROGRAM);
}

paper_drawn paper_draw(const char *folder, const unsigned char *script, size_t size)
{
    int status = 0;
    if (!write_script(folder, script, size)) {
        return PAPER_NO_FILE;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        become_gnuplot(folder);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return PAPER_GNUPLOT_FAILED;
    }
    return WEXITSTATUS(status) == 0            ? PAPER_DRAWN
           : WEXITSTATUS(status) == NO_PROGRAM ? PAPER_NO_GNUPLOT
                                               : PAPER_GNUPLOT_FAILED;
}

int paper_explain_drawing(paper_drawn drawn, const char *folder)
{
    static const char *const command = "reproduce";
    switch (drawn) {
    case PAPER_DRAWN:
        return EXIT_DONE;
    case PAPER_NO_GNUPLOT:
        say(command,
            "gnuplot is missing, so that no figure was drawn; install it (on Debian and Ubuntu: "
            "apt install gnuplot-nox) and run this again; the data are in %.400s",
            folder);
        return EXIT_DONE;
    case PAPER_GNUPLOT_FAILED:
        say(command, "gnuplot could not draw %.400s/%s", folder, SCRIPT);
        return EXIT_FAILED;
    default:
        say(command, "%.400s/%s cannot be written", folder, SCRIPT);
        return EXIT_FAILED;
    }
}
