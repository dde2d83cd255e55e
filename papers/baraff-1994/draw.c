/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The figures, by gnuplot.  Its script travels inside the program and is left beside the data. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baraff.h"
#include "baraff_gp.h"

static const char *const SCRIPT = "figures.gp";
enum { NO_PROGRAM = 127, NO_FOLDER = 126 };

static int write_script(const char *folder)
{
    char path[1024];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, SCRIPT);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "w") : NULL;
    if (!file) {
        return 0;
    }
    const size_t written = fwrite(baraff_gp, 1, sizeof baraff_gp, file);
    return fclose(file) == 0 && written == sizeof baraff_gp;
}

/* In the child: never returns. */
static void become_gnuplot(const char *folder)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (chdir(folder) != 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
        _exit(NO_FOLDER);
    }
    execlp("gnuplot", "gnuplot", SCRIPT, (char *)NULL);
    _exit(NO_PROGRAM);
}

br_drawn br_draw(const char *folder)
{
    int status = 0;
    if (!write_script(folder)) {
        return BR_NO_FILE;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        become_gnuplot(folder);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return BR_GNUPLOT_FAILED;
    }
    return WEXITSTATUS(status) == 0            ? BR_DRAWN
           : WEXITSTATUS(status) == NO_PROGRAM ? BR_NO_GNUPLOT
                                               : BR_GNUPLOT_FAILED;
}
