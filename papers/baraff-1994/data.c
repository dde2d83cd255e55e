/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The tables as CSV. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "baraff.h"

typedef struct writer {
    const char *folder;
    mo_message *why;
    mo_error error;
    FILE *file;
    char path[1024];
} writer;

static void fail(writer *w)
{
    if (!w->error) {
        snprintf(w->why->text, sizeof w->why->text, "%.400s cannot be written: %s", w->path,
                 strerror(errno));
        w->error = MO_ERR_FILE;
    }
}

static int open_file(writer *w, const char *name)
{
    const int length = snprintf(w->path, sizeof w->path, "%s/%s", w->folder, name);
    w->file = length > 0 && (size_t)length < sizeof w->path ? fopen(w->path, "w") : NULL;
    if (!w->file) fail(w);
    return w->file != NULL;
}

static void close_file(writer *w)
{
    const int failed = ferror(w->file);
    if (fclose(w->file) != 0 || failed) fail(w);
}

static void write_cost(writer *w, const br_cost *rows)
{
    if (!open_file(w, "cost.csv")) return;
    fprintf(w->file, "pile,n,rank,pressed,pivots,gauss_us,pivoting_us,call_us,ratio,call_ratio,"
                     "residual,solved\n");
    for (int k = 0; k < BR_PILE_COUNT * br_size_count; ++k) {
        const br_cost *row = &rows[k];
        fprintf(w->file, "%s,%d,%d,%d,%d,%.2f,%.2f,%.2f,%.3f,%.3f,%.1e,%d\n",
                br_pile_names[row->pile], row->n, row->rank, row->pressed, row->pivots,
                1e6 * row->gauss, 1e6 * row->pivoting, 1e6 * row->call, row->pivoting / row->gauss,
                row->call / row->gauss, row->residual, row->is_solved);
    }
    close_file(w);
}

static void write_pivots(writer *w, const br_pivots *rows)
{
    if (!open_file(w, "pivots.csv")) return;
    fprintf(w->file,
            "friction,shaken,contacts,rows,pivots,pivots_per_contact,ms,residual,solved\n");
    for (int k = 0; k < BR_PIVOT_ROWS; ++k) {
        const br_pivots *row = &rows[k];
        fprintf(w->file, "%s,%d,%d,%d,%d,%.3f,%.3f,%.1e,%d\n", br_friction_names[row->friction],
                row->is_shaken, row->contacts, row->rows, row->pivots,
                (double)row->pivots / row->contacts, 1e3 * row->seconds, row->residual,
                row->is_solved);
    }
    close_file(w);
}

static void write_trials(writer *w, const br_results *results)
{
    if (!open_file(w, "friction.csv")) return;
    fprintf(w->file, "friction,mu,trials,first_start,solved,rays,pivots\n");
    for (int k = 0; k < BR_STATIC_ROWS + BR_MUS; ++k) {
        const int slides = k >= BR_STATIC_ROWS;
        const br_trials *row = slides ? &results->sliding[k - BR_STATIC_ROWS] : &results->fixed[k];
        fprintf(w->file, "%s,%g,%d,%d,%d,%d,%.1f\n",
                slides          ? "dynamic in the plane"
                : row->in_space ? "static in space"
                                : "static in the plane",
                row->mu, row->trials, row->at_once, row->solved, row->rays, row->pivots);
    }
    close_file(w);
}

static void write_claims(writer *w, const paper_claim *claims)
{
    if (!open_file(w, "claims.csv")) return;
    paper_write_claims(w->file, claims, BR_CLAIM_COUNT);
    close_file(w);
}

mo_error br_write_data(const char *folder, const br_results *results, const paper_claim *claims,
                       mo_message *why)
{
    writer w = {.folder = folder, .why = why};
    write_cost(&w, results->cost);
    write_pivots(&w, results->pivots);
    write_trials(&w, results);
    write_claims(&w, claims);
    return w.error;
}
