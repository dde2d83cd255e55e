/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The figures, by gnuplot.  Its script travels inside the program and is left beside the data. */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figures_gp.h"
#include "lu_trinkle.h"

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
    const size_t written = fwrite(figures_gp, 1, sizeof figures_gp, file);
    return fclose(file) == 0 && written == sizeof figures_gp;
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

lt_drawn lt_draw(const char *folder)
{
    int status = 0;
    if (!write_script(folder)) {
        return LT_NO_FILE;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        become_gnuplot(folder);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return LT_GNUPLOT_FAILED;
    }
    switch (WEXITSTATUS(status)) {
    case 0:
        return LT_DRAWN;
    case NO_PROGRAM:
        return LT_NO_GNUPLOT;
    default:
        return LT_GNUPLOT_FAILED;
    }
}
