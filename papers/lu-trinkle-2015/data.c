/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The data behind the figures and tables, one CSV file each, with a first line that names the
 * columns. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lu_trinkle.h"

/* The folder being written, and the first error. */
typedef struct writer {
    const char *folder;
    mo_error error;
    mo_message *why;
} writer;

static void MO_PRINTF(3, 4) fail(writer *w, mo_error error, const char *format, ...)
{
    if (!w->error) {
        va_list values;
        va_start(values, format);
        vsnprintf(w->why->text, sizeof w->why->text, format, values);
        va_end(values);
        w->error = error;
    }
}

static FILE *open_file(writer *w, const char *name, char *path, size_t room)
{
    const int length = snprintf(path, room, "%s/%s", w->folder, name);
    FILE *file = length > 0 && (size_t)length < room ? fopen(path, "w") : NULL;
    if (!file) fail(w, MO_ERR_FILE, "%.400s cannot be written", path);
    return file;
}

static void close_file(writer *w, FILE *file, const char *path)
{
    const int bad = ferror(file);
    if (fclose(file) != 0 || bad)
        fail(w, MO_ERR_FILE, "%.400s could not be written to its end", path);
}

/* ---- figure 2 -------------------------------------------------------------------------------- */

static int iterations(writer *w, lt_reading_index reading, double gravity, double r)
{
    lt_trace trace;
    if (reading != LT_READ_CONIC) {
        lt_read(reading, gravity, r, LT_TOLERANCE, &trace);
        return trace.iterations;
    }
    const lt_trial trial = {.gravity = gravity, .step = r, .tolerance = LT_TOLERANCE};
    const mo_error error = lt_solve(&trial, &trace); /* by the library */
    if (error) fail(w, error, "the particle could not be solved: %s", mo_error_text(error));
    return trace.iterations;
}

/* One line for each r, one column for each external force. */
static void write_figure_2(writer *w, lt_reading_index reading)
{
    enum { GRID = 200 }; /* 0 < r <= 2 */
    char name[80], path[1024];
    snprintf(name, sizeof name, "figure2-%s.csv", lt_readings[reading].name);
    FILE *file = open_file(w, name, path, sizeof path);
    if (!file) return;
    fprintf(file, "r");
    for (int k = 0; k < lt_force_count; ++k)
        fprintf(file, ",g = %g", lt_forces[k]);
    for (int step = 1; step <= GRID; ++step) {
        const double r = 2.0 * step / GRID;
        fprintf(file, "\n%g", r);
        for (int k = 0; k < lt_force_count; ++k)
            fprintf(file, ",%d", iterations(w, reading, lt_forces[k], r));
    }
    fprintf(file, "\n");
    close_file(w, file, path);
}

/* The result of each reading for the statements about figure 2. */
static void write_readings(writer *w)
{
    static const struct {
        double gravity, r;
    } at[] = {{-10, 1},  {-10, 0.9}, {-10, 1.23}, {-10, 1.25},  {-4, 0.05},
              {-4, 0.5}, {-4, 1.5},  {-5.001, 1}, {-5.001, 1.3}};
    enum { COUNT = sizeof at / sizeof at[0] };
    char path[1024];
    FILE *file = open_file(w, "readings.csv", path, sizeof path);
    if (!file) return;
    fprintf(file, "reading");
    for (int k = 0; k < COUNT; ++k)
        fprintf(file, ",g = %g r = %g", at[k].gravity, at[k].r);
    fprintf(file, ",what it is\n");
    for (int reading = 0; reading < LT_READING_COUNT; ++reading) {
        fprintf(file, "%s", lt_readings[reading].name);
        for (int k = 0; k < COUNT; ++k)
            fprintf(file, ",%d", iterations(w, (lt_reading_index)reading, at[k].gravity, at[k].r));
        fprintf(file, ",\"%s\"\n", lt_readings[reading].text);
    }
    close_file(w, file, path);
}

/* ---- figures 3 to 5 -------------------------------------------------------------------------- */

/* One line for each iteration, one column for each step r: total error of eq. 31. */
static void write_errors(writer *w, int figure, double zeta, int linearised)
{
    char name[80], path[1024];
    snprintf(name, sizeof name, "figure%d-%s.csv", figure, linearised ? "linearised" : "conic");
    lt_trace *traces = calloc((size_t)lt_step_count, sizeof *traces);
    FILE *file = traces ? open_file(w, name, path, sizeof path) : NULL;
    if (!traces) fail(w, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY));
    for (int k = 0; file && k < lt_step_count; ++k) {
        const lt_trial trial = {.gravity = -10,
                                .step = lt_steps[k],
                                .zeta = zeta,
                                .linearised = linearised,
                                .gauss_seidel = linearised};
        const mo_error error = lt_solve(&trial, &traces[k]);
        if (error) fail(w, error, "the particle could not be solved: %s", mo_error_text(error));
    }
    if (file) {
        fprintf(file, "iteration");
        for (int k = 0; k < lt_step_count; ++k)
            fprintf(file, ",r = %g", lt_steps[k]);
        for (int iteration = 1; iteration <= LT_MOST; ++iteration) {
            fprintf(file, "\n%d", iteration);
            for (int k = 0; k < lt_step_count; ++k)
                fprintf(file, ",%.6g", traces[k].error[iteration]);
        }
        fprintf(file, "\n");
        close_file(w, file, path);
    }
    free(traces);
}

/* ---- beyond the paper ------------------------------------------------------------------------ */

static void write_rules(writer *w, const lt_comparison *rules)
{
    char path[1024];
    FILE *file = open_file(w, "rules.csv", path, sizeof path);
    if (!file) return;
    fprintf(file, "problem");
    for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver)
        fprintf(file, ",%s", lt_solver_names[solver]);
    for (int k = 0; k < lt_comparison_count; ++k) {
        fprintf(file, "\n\"%s\"", rules[k].problem);
        for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver)
            fprintf(file, ",%d", rules[k].iterations[solver]);
    }
    fprintf(file, "\n");
    close_file(w, file, path);
}

/* One line for each iteration, one column for each rule; empty where the run has ended. */
static void write_rule_history(writer *w)
{
    enum { MOST = 1000 };
    static const char *const columns = "iteration,fixed,foerg,contact,adaptive\n";
    double *residual = calloc((size_t)LT_RULE_COUNT * (MOST + 1), sizeof *residual);
    char path[1024];
    const char *problem;
    if (!residual) {
        fail(w, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY));
        return;
    }
    for (int rule = 0; rule < LT_RULE_COUNT; ++rule) {
        const mo_error error = lt_rule_history(rule, MOST, residual + rule * (MOST + 1), &problem);
        if (error) fail(w, error, "the boxes could not be solved: %s", mo_error_text(error));
    }
    FILE *file = open_file(w, "rules-history.csv", path, sizeof path);
    if (file) {
        fprintf(file, "%s", columns);
        for (int iteration = 1; iteration <= MOST; ++iteration) {
            fprintf(file, "%d", iteration);
            for (int rule = 0; rule < LT_RULE_COUNT; ++rule) {
                const double value = residual[rule * (MOST + 1) + iteration];
                fprintf(file, ",");
                if (value >= 0) fprintf(file, "%.6g", value);
            }
            fprintf(file, "\n");
        }
        close_file(w, file, path);
    }
    free(residual);
}

static void write_claims(writer *w, const paper_claim *claims)
{
    char path[1024];
    FILE *file = open_file(w, "claims.csv", path, sizeof path);
    if (!file) return;
    paper_write_claims(file, claims, LT_CLAIM_COUNT);
    close_file(w, file, path);
}

mo_error lt_write_data(const char *folder, const lt_comparison *rules, const paper_claim *claims,
                       mo_message *why)
{
    static const lt_reading_index shown[] = {LT_READ_CONIC, LT_READ_PRINTED, LT_READ_TOGETHER,
                                             LT_READ_SEQUENCE, LT_READ_SEQUENCE_PHI};
    static const double zetas[] = {0, 1e-12, 1e-6};
    writer w = {.folder = folder, .why = why};
    for (size_t k = 0; k < sizeof shown / sizeof shown[0]; ++k)
        write_figure_2(&w, shown[k]);
    for (int k = 0; k < 3; ++k) {
        write_errors(&w, 3 + k, zetas[k], 0);
        write_errors(&w, 3 + k, zetas[k], 1);
    }
    write_readings(&w);
    write_rules(&w, rules);
    write_rule_history(&w);
    write_claims(&w, claims);
    return w.error;
}
