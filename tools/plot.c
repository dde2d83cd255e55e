/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "plot.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_status.h"
#include "text.h"

static const char *const SCRIPT = "figures.gp", *const VECTORS = "figures-svg.gp";
enum { NO_PROGRAM = 127, NO_FOLDER = 126 };

static int write_script(const char *folder, const char *name, const char *script, size_t size)
{
    char path[1024];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "w") : NULL;
    if (!file) return 0;
    const size_t written = fwrite(script, 1, size, file);
    return fclose(file) == 0 && written == size;
}

/* In the child: never returns. */
static void become_gnuplot(const char *folder, const char *name)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (chdir(folder) != 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(NO_FOLDER);
    setenv("LC_ALL", "C.UTF-8", 1); /* the scripts are UTF-8 in any locale */
    execlp("gnuplot", "gnuplot", name, (char *)NULL);
    _exit(NO_PROGRAM);
}

/* Writes the script and runs it. */
static plot_outcome run_script(const char *folder, const char *name, const char *script,
                               size_t size)
{
    int status = 0;
    if (!write_script(folder, name, script, size)) return PLOT_NO_FILE;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) become_gnuplot(folder, name);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return PLOT_GNUPLOT_FAILED;
    return WEXITSTATUS(status) == 0            ? PLOT_DRAWN
           : WEXITSTATUS(status) == NO_PROGRAM ? PLOT_NO_GNUPLOT
                                               : PLOT_GNUPLOT_FAILED;
}

/* ---- the same figures as vector files -------------------------------------------------------- */

/* Terminal settings of scripts for PNG, and their replacements for SVG. */
static const char *const CHANGES[][2] = {
    {"strstrt(GPVAL_TERMINALS, \"pngcairo\") > 0 ? \"pngcairo\" : \"png\"", "\"svg\""},
    {".png\"", ".svg\""},
};
enum { CHANGE_COUNT = sizeof CHANGES / sizeof *CHANGES };

/* The script for SVG as new memory; NULL if it draws no PNG or memory runs out. */
static char *vector_script(const char *script, size_t size)
{
    char *text = malloc(size + 1), *to = text; /* no replacement makes it longer */
    int changed = 0;
    for (size_t at = 0; text && at < size;) {
        size_t taken = 0;
        for (int k = 0; k < CHANGE_COUNT && !taken; ++k) {
            const size_t length = strlen(CHANGES[k][0]);
            if (size - at >= length && memcmp(script + at, CHANGES[k][0], length) == 0) {
                to = stpcpy(to, CHANGES[k][1]);
                taken = length;
                changed = 1;
            }
        }
        if (!taken) {
            *to++ = script[at];
            taken = 1;
        }
        at += taken;
    }
    if (text) *to = '\0';
    if (!changed) {
        free(text);
        text = NULL;
    }
    return text;
}

plot_outcome plot_draw(const char *folder, const unsigned char *script, size_t size)
{
    const plot_outcome drawn = run_script(folder, SCRIPT, (const char *)script, size);
    char *vectors = drawn == PLOT_DRAWN ? vector_script((const char *)script, size) : NULL;
    if (!vectors) return drawn;
    const plot_outcome outcome = run_script(folder, VECTORS, vectors, strlen(vectors));
    free(vectors);
    return outcome;
}

int plot_explain(plot_outcome drawn, const char *folder)
{
    static const char *const command = "reproduce";
    switch (drawn) {
    case PLOT_DRAWN:
        return EXIT_DONE;
    case PLOT_NO_GNUPLOT:
        say(command,
            "gnuplot is missing, so no figure was drawn; install it (on Debian and Ubuntu: "
            "apt install gnuplot-nox) and run this again; the data are in %.400s",
            folder);
        return EXIT_DONE;
    case PLOT_GNUPLOT_FAILED:
        say(command, "gnuplot could not draw %.400s/%s", folder, SCRIPT);
        return EXIT_FAILED;
    default:
        say(command, "%.400s/%s cannot be written", folder, SCRIPT);
        return EXIT_FAILED;
    }
}
