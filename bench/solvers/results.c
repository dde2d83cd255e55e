/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "exit_status.h"
#include "report.h"
#include "text.h"

static const char *const COMMAND = "bench solvers";

enum { NAME_SIZE = 128, PATH_SIZE = 1024 };

/* The commit of the sources, by git in the current folder, or "unknown". */
static void find_commit(char *text, size_t room)
{
    FILE *git = popen("git describe --always --dirty 2>/dev/null", "r");
    text[0] = '\0';
    if (git) {
        if (!fgets(text, (int)room, git)) text[0] = '\0';
        pclose(git);
    }
    text[strcspn(text, "\r\n")] = '\0';
    if (!text[0]) snprintf(text, room, "unknown");
}

int results_keep(const board *b, const char *folder)
{
    char commit[NAME_SIZE], date[NAME_SIZE], path[PATH_SIZE];
    const time_t now = time(NULL);
    struct tm utc;
    find_commit(commit, sizeof commit);
    strftime(date, sizeof date, "%Y-%m-%dT%H%M%S", gmtime_r(&now, &utc));
    const int written = report_write(b, folder, REPORT_PROFILES);
    if (written != EXIT_DONE) return written;
    const int length = snprintf(path, sizeof path, "%s/%s-%s.csv", folder, date, commit);
    FILE *file = (size_t)length < sizeof path ? fopen(path, "w") : NULL;
    if (!file) {
        say(COMMAND, "%.400s cannot be written: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    const char *slash = strrchr(folder, '/');
    fprintf(file, "# machine: %s\n", slash && slash[1] ? slash + 1 : folder);
    fprintf(file, "# date: %s\n# commit: %s\n", date, commit);
    fprintf(file, "# compiler: %s\n# flags: %s\n", BENCH_COMPILER, BENCH_FLAGS);
    report_put_runs(file, b, 0);
    const int lost = ferror(file) != 0;
    if (fclose(file) != 0 || lost) {
        say(COMMAND, "%.400s could not be written; is the disk full?", path);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}
