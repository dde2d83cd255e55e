/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench scaling`: time and memory of the default method on packings of spheres of growing
 * size.
 *
 * Packings of 1,000, 10,000, ... contacts, up to --contacts, are solved by `auto` on one thread
 * with the tolerance 1e-4 and no other option.  Small packings vary, so each size up to SEEDED_MOST
 * is the mean over SEEDS packings. mo_measure computes the residual of every result; the table
 * shows the largest of each size.
 *
 *   exponent   slope of a line through (log contacts, log value): 1 is linear
 *   memory     bytes of the problem, its views, the solver and the result, by the library's count
 *
 * With --out: scaling.csv and the figure scaling.svg.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "number.h"
#include "progress.h"
#include "scaling_gp.h"
#include "scenes.h"
#include "text.h"

#include "plot.h"
#include "sheet.h"

static const char *const COMMAND = "bench";
static const double TOLERANCE = 1e-4;

enum {
    LEAST = 1000,
    MOST = 1000000,
    MOST_ASKED = 50000000,
    SEEDS = 5,
    SEEDED_MOST = 10000,
    SIZES_MOST = 8
};

typedef struct scaling_row {
    int contacts, packings, solved;
    double seconds, sweeps, bytes; /* means */
    double residual;               /* the worst by mo_measure */
} scaling_row;

typedef struct scaling_report {
    int count;
    scaling_row rows[SIZES_MOST];
    double time_exponent, memory_exponent;
} scaling_report;

/* ---- measuring ------------------------------------------------------------------------------- */

static mo_error solve_one(int contacts, int seed, scaling_row *row, mo_message *why)
{
    mo_problem *problem;
    mo_error error = scene_packing(contacts, (uint64_t)seed, &problem, why);
    if (error) return error;
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.tol = TOLERANCE;
    const double start = machine_clock();
    error = mo_solve(problem, &options, &result);
    row->seconds += machine_clock() - start;
    row->sweeps += result.iterations;
    row->solved += result.status == MO_SOLVED;
    row->residual = fmax(row->residual, result.residual.natural_relative);
    const double vectors =
        sizeof(double) * (mo_problem_dof_count(problem) + 3.0 * mo_problem_row_count(problem));
    row->bytes += (double)mo_problem_bytes(problem) + (double)result.bytes + vectors;
    ++row->packings;
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return error;
}

/* Contacts of all packings of a size, and of this size and those after it. */
static double contacts_of(double size)
{
    return size * (size <= SEEDED_MOST ? SEEDS : 1);
}

static double contacts_from(double size, int most)
{
    double sum = 0;
    for (; size <= most; size *= 10)
        sum += contacts_of(size);
    return sum;
}

static mo_error measure_size(int contacts, scaling_row *row, mo_message *why)
{
    const int seeds = contacts <= SEEDED_MOST ? SEEDS : 1;
    mo_error error = MO_OK;
    *row = (scaling_row){.contacts = contacts};
    for (int seed = 1; seed <= seeds && !error; ++seed)
        error = solve_one(contacts, seed, row, why);
    row->seconds /= seeds;
    row->sweeps /= seeds;
    row->bytes /= seeds;
    return error;
}

/* The slope of the line of least squares through (log contacts, log value). */
static double exponent(const scaling_report *report, size_t value)
{
    double x_mean = 0, y_mean = 0, xy = 0, xx = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < report->count; ++k) {
            const scaling_row *row = &report->rows[k];
            const double x = log(row->contacts),
                         y = log(*(const double *)((const char *)row + value));
            if (pass == 0) {
                x_mean += x / report->count;
                y_mean += y / report->count;
            } else {
                xy += (x - x_mean) * (y - y_mean);
                xx += (x - x_mean) * (x - x_mean);
            }
        }
    }
    return xx > 0 ? xy / xx : NAN;
}

static mo_error measure_all(int most, scaling_report *report, mo_message *why)
{
    mo_error error = MO_OK;
    double a_contact = 0; /* s, of the last size */
    for (double size = LEAST; size <= most && report->count < SIZES_MOST && !error; size *= 10) {
        const double start = machine_clock();
        progress_expect(a_contact * contacts_from(size, most));
        progress_line("packings of %.0f contacts", size);
        error = measure_size((int)size, &report->rows[report->count++], why);
        a_contact = (machine_clock() - start) / contacts_of(size);
    }
    progress_line("%s", "");
    report->time_exponent = exponent(report, offsetof(scaling_row, seconds));
    report->memory_exponent = exponent(report, offsetof(scaling_row, bytes));
    return error;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_report(const scaling_report *report)
{
    printf("Packings of spheres solved by auto to a residual of %g, one thread\n\n", TOLERANCE);
    printf("  contacts packings solved     seconds  us a contact  sweeps  bytes a contact  worst "
           "residual\n");
    for (int k = 0; k < report->count; ++k) {
        const scaling_row *row = &report->rows[k];
        printf("%10d %8d %6d %11.4g %13.3g %7.0f %16.0f %15.1e\n", row->contacts, row->packings,
               row->solved, row->seconds, 1e6 * row->seconds / row->contacts, row->sweeps,
               row->bytes / row->contacts, row->residual);
    }
    if (report->count > 1) {
        printf("\nexponent of time %.2f, of memory %.2f (1 is linear)\n", report->time_exponent,
               report->memory_exponent);
    }
}

static void print_json(const scaling_report *report)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "scaling");
    json_number(&j, "tolerance", TOLERANCE);
    json_number(&j, "time_exponent", report->time_exponent);
    json_number(&j, "memory_exponent", report->memory_exponent);
    json_array(&j, "sizes");
    for (int k = 0; k < report->count; ++k) {
        const scaling_row *row = &report->rows[k];
        json_object(&j, NULL);
        json_whole(&j, "contacts", row->contacts);
        json_whole(&j, "packings", row->packings);
        json_whole(&j, "solved", row->solved);
        json_number(&j, "seconds", row->seconds);
        json_number(&j, "sweeps", row->sweeps);
        json_number(&j, "bytes", row->bytes);
        json_number(&j, "residual", row->residual);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* scaling.csv and the figure; false if they cannot be written; the error is reported. */
static int write_files(const scaling_report *report, const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%.900s/scaling.csv", folder);
    FILE *file = sheet_make_folder(folder) ? fopen(path, "w") : NULL;
    if (!file) {
        say(COMMAND, "%.900s cannot be written: choose another folder after --out", path);
        return 0;
    }
    fprintf(file, "contacts,packings,solved,seconds,sweeps,bytes,worst_residual\n");
    for (int k = 0; k < report->count; ++k) {
        const scaling_row *row = &report->rows[k];
        fprintf(file, "%d,%d,%d,%.6g,%.6g,%.6g,%.3g\n", row->contacts, row->packings, row->solved,
                row->seconds, row->sweeps, row->bytes, row->residual);
    }
    const int is_written = fclose(file) == 0;
    const plot_outcome drawn = plot_draw(folder, scaling_gp, sizeof scaling_gp);
    return plot_explain(drawn, folder) == 0 && is_written;
}

/* ---- the command ----------------------------------------------------------------------------- */

int bench_scaling(const experiment_call *asked)
{
    scaling_report report = {0};
    mo_message why = {""};
    const int most = asked_contacts(asked, MOST, LEAST, MOST_ASKED);
    if (most == 0) return EXIT_CALL;
    if (asked_folder(COMMAND, asked->out)) return EXIT_FAILED;
    const mo_error error = measure_all(most, &report, &why);
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    if (asked->json)
        print_json(&report);
    else
        print_report(&report);
    return !asked->out || write_files(&report, asked->out) ? EXIT_DONE : EXIT_FAILED;
}
