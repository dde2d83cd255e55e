/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_status.h"
#include "text.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int by_base_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(base_name(*x), base_name(*y));
}

int path_is_folder(const char *path)
{
    const size_t length = strlen(path);
    return length > 0 && path[length - 1] == '/';
}

/* Two inputs with the same name would be written to the same file. */
static int names_differ(const char *command, const char *flag, char **inputs, int count)
{
    const char **sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted) {
        say(command, "memory ran out");
        return 0;
    }
    for (int k = 0; k < count; ++k)
        sorted[k] = inputs[k];
    qsort(sorted, (size_t)count, sizeof *sorted, by_base_name);
    int differ = 1;
    for (int k = 1; k < count && differ; ++k) {
        if (by_base_name(&sorted[k - 1], &sorted[k]) == 0) {
            say(command,
                "%s would write the results of %.500s and of %.500s to the same file; give them"
                " folders of their own",
                flag, sorted[k - 1], sorted[k]);
            differ = 0;
        }
    }
    free(sorted);
    return differ;
}

/* One file for one input: its folder must exist. */
static int check_file(const char *command, const char *flag, const char *value, int count)
{
    if (count > 1) {
        say(command,
            "%s %.500s names one file, but there are %d inputs; name a folder, with a slash at"
            " its end",
            flag, value, count);
        return EXIT_CALL;
    }
    struct stat about;
    if (stat(value, &about) == 0 && !S_ISREG(about.st_mode)) {
        say(command, "%s %.1000s is %s", flag, value,
            S_ISDIR(about.st_mode) ? "a folder; append a slash, or name a file in it"
                                   : "not a regular file; name another one");
        return EXIT_CALL;
    }
    if (stat(value, &about) != 0 && errno != ENOENT) { /* too long a name, a loop of links */
        say(command, "%s %.1000s cannot be written: %s", flag, value, strerror(errno));
        return EXIT_FAILED;
    }
    const int length = (int)(base_name(value) - value);
    char *folder = malloc((size_t)length + 2);
    if (!folder) {
        say(command, "memory ran out");
        return EXIT_FAILED;
    }
    snprintf(folder, (size_t)length + 2, "%.*s", length > 0 ? length : 1, length > 0 ? value : ".");
    const int usable = access(folder, W_OK) == 0;
    if (!usable) say(command, "%s %.1000s cannot be written: %s", flag, value, strerror(errno));
    free(folder);
    return usable ? EXIT_DONE : EXIT_FAILED;
}

static int check_folder(const char *command, const char *flag, const char *value, char **inputs,
                        int count)
{
    if (!names_differ(command, flag, inputs, count)) return EXIT_CALL;
    struct stat about;
    if (mkdir(value, 0777) != 0 && (stat(value, &about) != 0 || !S_ISDIR(about.st_mode))) {
        say(command, "the folder %.1000s of %s could not be created: %s", value, flag,
            strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

int path_check(const char *command, const char *flag, const char *value, char **inputs, int count)
{
    return path_is_folder(value) ? check_folder(command, flag, value, inputs, count)
                                 : check_file(command, flag, value, count);
}

char *path_for(const char *value, const char *input, const char *suffix)
{
    const int in_folder = path_is_folder(value);
    const char *name = in_folder ? base_name(input) : "", *tail = in_folder ? suffix : "";
    const size_t size = strlen(value) + strlen(name) + strlen(tail) + 1;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s%s%s", value, name, tail);
    return path;
}

int path_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
