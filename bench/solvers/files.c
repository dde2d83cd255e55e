/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The scoreboard in files: runs.csv, and the performance profiles as tables and as pictures. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "number.h"
#include "plot.h"
#include "report.h"
#include "sheet.h"
#include "solvers_gp.h"
#include "text.h"

static const char *const COMMAND = "bench solvers";
static const char *const HEADER =
    "problem,contacts,rows,form,of,solver,target,status,seconds,residual,iterations,tolerance";

enum { PATH_SIZE = 1024, PEERS_DRAWN = 5 };

/* Names come from files and may hold anything. */
static void put_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; ++text) {
        if (*text == '"') fputc('"', file);
        fputc((unsigned char)*text < ' ' ? '?' : *text, file);
    }
    fputc('"', file);
}

/* A number, or nothing if there is none. */
static void put_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, ",%s", number_exact(value).text);
    else
        fputc(',', file);
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = (size_t)length < sizeof path ? fopen(path, "w") : NULL;
    if (!file) say(COMMAND, "%.400s/%s cannot be written: %s", folder, name, strerror(errno));
    return file;
}

static int close_file(FILE *file, const char *folder, const char *name)
{
    const int lost = ferror(file) != 0;
    if (fclose(file) != 0 || lost) {
        say(COMMAND, "%.400s/%s could not be written; is the disk full?", folder, name);
        return 0;
    }
    return 1;
}

int report_is_header(const char *line)
{
    return strncmp(line, HEADER, strlen(HEADER)) == 0;
}

void report_put_runs(FILE *file, const board *b, int with_peer)
{
    fprintf(file, "%s\n", HEADER);
    for (int k = 0; k < b->run_count; ++k) {
        const board_run *run = &b->runs[k];
        if (run->is_peer && !with_peer) continue;
        const board_problem *problem = &b->problems[run->problem];
        put_quoted(file, problem->name);
        fprintf(file, ",%d,%d,%s,%s,%s,%s,%s", problem->contacts, problem->rows,
                problem->form == MO_FORM_GLOBAL ? "global" : "reduced",
                run->is_peer ? b->peer : "moreau", run->solver,
                trial_target_name(b->call.targets[run->target]).text, run->line.status);
        put_number(file, run->line.seconds);
        put_number(file, run->line.residual);
        fprintf(file, ",%ld", run->line.iterations);
        put_number(file, run->line.tolerance);
        fputc('\n', file);
    }
}

static int write_runs(const board *b, const char *folder)
{
    static const char *const name = "runs.csv";
    FILE *file = open_in(folder, name);
    if (!file) return 0;
    report_put_runs(file, b, 1);
    return close_file(file, folder, name);
}

/* ---- profiles -------------------------------------------------------------------------------- */

enum { CURVES_MOST = 128 };

/* The curves to draw, with their names: ours, then the peer's best of all and its best few.
 * Returns how many. */
static int choose_curves(const board *b, int target, const board_solver *list, int count, int ours,
                         board_curve *curves, char names[][2 * BOARD_NAME_SIZE])
{
    int n = 0, last = count < ours + PEERS_DRAWN ? count : ours + PEERS_DRAWN;
    last = last < CURVES_MOST ? last : CURVES_MOST - 1;
    for (int k = 0; k < last; ++k) {
        if (k == ours) {
            snprintf(names[n], sizeof names[n], "best of all %s", b->peer);
            curves[n++] = board_curve_make(b, target, 1, NULL);
        }
        snprintf(names[n], sizeof names[n], "%s%s%s", list[k].is_peer ? b->peer : "",
                 list[k].is_peer ? " " : "", list[k].name);
        curves[n++] = board_curve_make(b, target, list[k].is_peer, list[k].name);
    }
    return n;
}

/* One column a curve. */
static void put_profile(FILE *file, const board_curve *curves, char names[][2 * BOARD_NAME_SIZE],
                        int count)
{
    enum { POINTS = 161 };
    fputs("tau", file);
    for (int k = 0; k < count; ++k)
        fprintf(file, ",%s", names[k]);
    for (int point = 0; point < POINTS; ++point) {
        const double tau = pow(10, 4.0 * point / (POINTS - 1));
        fprintf(file, "\n%.6g", tau);
        for (int k = 0; k < count; ++k)
            fprintf(file, ",%.6g", board_curve_at(&curves[k], tau));
    }
    fputc('\n', file);
}

/* profile-TARGET.csv.  Returns how many of its curves are ours; -1: failed. */
static int write_profile(const board *b, const char *folder, int target)
{
    char name[64], names[CURVES_MOST][2 * BOARD_NAME_SIZE];
    board_curve curves[CURVES_MOST];
    int count = 0, ours = 0;
    board_solver *list = board_solvers(b, target, &count);
    snprintf(name, sizeof name, "profile-%s.csv", trial_target_name(b->call.targets[target]).text);
    FILE *file = list ? open_in(folder, name) : NULL;
    if (!file) {
        free(list);
        return -1;
    }
    for (int k = 0; k < count; ++k)
        ours += !list[k].is_peer;
    const int drawn = choose_curves(b, target, list, count, ours, curves, names);
    put_profile(file, curves, names, drawn);
    for (int k = 0; k < drawn; ++k)
        board_curve_clear(&curves[k]);
    free(list);
    return close_file(file, folder, name) ? ours : -1;
}

/* The script with the names of the targets and the number of our methods before it. */
static int draw(const board *b, const char *folder, int ours)
{
    enum { SIZE = 8192 };
    char script[SIZE];
    int length = snprintf(script, sizeof script, "ours = %d\ntargets = \"", ours);
    for (int t = 0; t < b->call.target_count; ++t) {
        length += snprintf(script + length, sizeof script - (size_t)length, "%s%s", t ? " " : "",
                           trial_target_name(b->call.targets[t]).text);
    }
    length += snprintf(script + length, sizeof script - (size_t)length, "\"\n%.*s",
                       (int)sizeof solvers_gp, (const char *)solvers_gp);
    switch (plot_draw(folder, (const unsigned char *)script, (size_t)length)) {
    case PLOT_DRAWN:
        return EXIT_DONE;
    case PLOT_NO_GNUPLOT:
        say(COMMAND,
            "gnuplot is missing, so that no profile was drawn; install it (on Debian and Ubuntu: "
            "apt install gnuplot-nox); the data are in %.400s",
            folder);
        return EXIT_DONE;
    default:
        say(COMMAND, "the profiles in %.400s could not be drawn", folder);
        return EXIT_FAILED;
    }
}

int report_write(const board *b, const char *folder, report_parts parts)
{
    if (!sheet_make_folder(folder)) {
        say(COMMAND, "the folder %.400s could not be made: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    int ours = 0;
    if (parts == REPORT_ALL && !write_runs(b, folder)) return EXIT_FAILED;
    for (int t = 0; t < b->call.target_count; ++t) {
        ours = write_profile(b, folder, t);
        if (ours < 0) return EXIT_FAILED;
    }
    return draw(b, folder, ours);
}

/* ---- reading back ---------------------------------------------------------------------------- */

int report_split(char *line, char **fields, int most)
{
    int count = 0;
    for (char *at = line; count < most;) {
        fields[count++] = at;
        if (*at == '"') {
            char *to = at;
            for (++at; *at && (*at != '"' || at[1] == '"'); ++at) {
                at += *at == '"';
                *to++ = *at;
            }
            at += *at == '"';
            char *const end = at;
            at = strchr(end, ',');
            *to = '\0';
        } else {
            at = strchr(at, ',');
        }
        if (!at) break;
        *at++ = '\0';
    }
    return count;
}

static double number_of(const char *text)
{
    return text[0] ? strtod(text, NULL) : NAN;
}

static int target_of(const board *b, double value)
{
    for (int t = 0; t < b->call.target_count; ++t)
        if (fabs(b->call.targets[t] - value) <= 1e-6 * value) return t;
    return -1;
}

/* Takes the run of one line where it is the peer's and belongs here. */
static int take(board *b, char **field)
{
    enum {
        PROBLEM,
        CONTACTS,
        ROWS,
        FORM,
        OF,
        SOLVER,
        TARGET,
        STATUS,
        SECONDS,
        RESIDUAL,
        ITERATIONS
    };
    const int target = target_of(b, number_of(field[TARGET]));
    if (strcmp(field[OF], b->peer) != 0 || target < 0) return 0;
    for (int p = 0; p < b->problem_count; ++p) {
        if (strcmp(field[PROBLEM], b->problems[p].name) == 0 &&
            strtol(field[ROWS], NULL, 10) == b->problems[p].rows) {
            trial_line line = {.target = b->call.targets[target],
                               .seconds = number_of(field[SECONDS]),
                               .residual = number_of(field[RESIDUAL]),
                               .iterations = strtol(field[ITERATIONS], NULL, 10),
                               .tolerance = number_of(field[ITERATIONS + 1])};
            snprintf(line.status, sizeof line.status, "%s", field[STATUS]);
            board_add(b, p, target, 1, field[SOLVER], &line);
            return 1;
        }
    }
    return 0;
}

int report_read_peer(board *b, const char *path)
{
    char line[2048], *fields[REPORT_FIELDS];
    FILE *file = fopen(path, "r");
    int taken = 0;
    if (!file) {
        say(COMMAND, "--peer-results %.400s cannot be read: %s", path, strerror(errno));
        return -1;
    }
    if (!fgets(line, sizeof line, file) || !report_is_header(line)) {
        say(COMMAND, "--peer-results %.400s is no runs.csv that bench solvers --out has written",
            path);
        fclose(file);
        return -1;
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        taken += report_split(line, fields, REPORT_FIELDS) == REPORT_FIELDS && take(b, fields);
    }
    fclose(file);
    return taken;
}
