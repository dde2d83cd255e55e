/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * moreau-mpi join: merges the files of the ranks.  Lines of CSV files are sorted by time, then
 * body, as in each part, and merged line by line.  For recordings see record.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "record.h"
#include "spread.h"

static const call_command COMMAND = {
    .name = "join",
    .operands = "FILE",
    .about =
        "make one file of FILE.rank-0, FILE.rank-1, ... (CSV or recordings), which are removed",
    .examples = "  moreau-mpi join beads.csv\n"
                "  moreau-mpi join heap.hdf5 && moreau view heap.hdf5\n",
    .least = 1,
    .most = 1,
};

enum { MOST_PARTS = 4096, LINE = 1024 };

typedef struct part {
    FILE *file;
    char line[LINE];
    double time;
    unsigned body;
    int is_over;
} part;

/* The next line of a part; false if it is none of ours. */
static int read_line(part *p)
{
    char *end;
    if (!fgets(p->line, LINE, p->file)) {
        p->is_over = 1;
        return !ferror(p->file); /* a folder, say */
    }
    p->time = strtod(p->line, &end);
    if (*end != ',') return 0;
    p->body = (unsigned)strtoul(end + 1, &end, 10);
    return *end == ',' && strchr(p->line, '\n') != NULL;
}

static void path_of(const char *file, int rank, char *path, size_t size)
{
    snprintf(path, size, "%.4096s.rank-%d", file, rank);
}

static int open_parts(const char *file, part **parts)
{
    char path[4200];
    int count = 0;
    *parts = calloc(MOST_PARTS, sizeof **parts);
    for (; *parts && count < MOST_PARTS; ++count) {
        path_of(file, count, path, sizeof path);
        (*parts)[count].file = fopen(path, "r");
        if (!(*parts)[count].file) break;
    }
    return count;
}

static part *least_of(part *parts, int count)
{
    part *least = NULL;
    for (int k = 0; k < count; ++k) {
        part *p = parts + k;
        if (!p->is_over &&
            (!least || p->time < least->time || (p->time == least->time && p->body < least->body)))
            least = p;
    }
    return least;
}

static int merge(const char *file, part *parts, int count, FILE *out)
{
    fputs("time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", out);
    for (int k = 0; k < count; ++k) {
        if (!read_line(parts + k)) {
            call_say("join: %.500s.rank-%d: its first line is not a row", file, k);
            return EXIT_FAILED;
        }
    }
    for (part *p = least_of(parts, count); p; p = least_of(parts, count)) {
        fputs(p->line, out);
        if (!read_line(p)) {
            call_say("join: %.500s.rank-%d: a line is cut short or no row", file, (int)(p - parts));
            return EXIT_FAILED;
        }
    }
    return EXIT_DONE;
}

static void remove_parts(const char *file, int count)
{
    char path[4200];
    for (int k = 0; k < count; ++k) {
        path_of(file, k, path, sizeof path);
        unlink(path);
    }
}

/* A rank without bodies writes an empty CSV file; a recording is never empty. */
static int is_recording(const char *file)
{
    static const char END[] = ".hdf5";
    const size_t length = strlen(file), n = sizeof END - 1;
    return length > n && strcmp(file + length - n, END) == 0;
}

static int write_joined(const char *file, part *parts, int count)
{
    char beside[4200];
    mo_message why = {""};
    if (mo_mpi_check_target(file, &why)) {
        call_say("join: %s", why.text);
        return EXIT_FAILED;
    }
    snprintf(beside, sizeof beside, "%.4096s.part", file);
    FILE *out = fopen(beside, "w");
    int status = out ? merge(file, parts, count, out) : EXIT_FAILED;
    const int is_cut = out && ferror(out); /* closing does not tell */
    if (!out || fclose(out) != 0 || is_cut || (status == EXIT_DONE && rename(beside, file) != 0)) {
        call_say("join: %.500s: %s", file, strerror(errno));
        status = EXIT_FAILED;
    }
    if (status != EXIT_DONE) {
        unlink(beside);
        return status;
    }
    remove_parts(file, count);
    return EXIT_DONE;
}

/* Recordings by rank become one. */
static int join_recordings(const char *file, int count)
{
    mo_message why = {""};
    if (record_join(file, count, &why)) {
        call_say("join: %s", why.text);
        return EXIT_FAILED;
    }
    remove_parts(file, count);
    return EXIT_DONE;
}

int command_join(int argc, char **argv)
{
    const char *file;
    part *parts;
    int count;
    const int asked = call_read(&COMMAND, NULL, 0, argc, argv, &file, &count);
    if (asked >= 0 || !call_is_root()) return asked >= 0 ? asked : EXIT_DONE;
    count = open_parts(file, &parts);
    int status = EXIT_FAILED;
    char first[4200];
    path_of(file, 0, first, sizeof first);
    if (count == 0)
        call_say("join: %.500s: %s", first, strerror(errno));
    else if (record_is_part(first))
        status = join_recordings(file, count);
    else if (is_recording(file))
        call_say("join: %.500s: is no recording of a rank", first);
    else
        status = write_joined(file, parts, count);
    for (int k = 0; k < count; ++k)
        fclose(parts[k].file);
    free(parts);
    return status;
}
