/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "exit_status.h"
#include "json.h"
#include "plot.h"
#include "sheet.h"
#include "sim_gp.h"
#include "text.h"

static const char *const COMMAND = "bench sim";
static const char *const QUESTIONS[SIM_QUESTION_COUNT] = {"settle", "stand", "rest", "slide",
                                                          "roll"};

/* ---- text ------------------------------------------------------------------------------------ */

/* A number in a column, "-" if there is none. */
static void put(int width, double value)
{
    if (isnan(value))
        printf(" %*s", width, "-");
    else
        printf(" %*.*g", width, 2, value);
}

static void print_entry(const sim_board *board, const sim_entry *entry)
{
    const sim_outcome *o = &entry->outcome;
    char name[64];
    snprintf(name, sizeof name, "%s %s", entry->engine, entry->config);
    printf("  %-26s", name);
    if (o->steps > 0) {
        const int width = 9;
        printf(" %8.3g", 1e3 * o->seconds / o->steps);
        put(width, sim_entry_ratio(board, entry));
        put(width, o->penetration / o->size);
        put(width, o->penetration_mean / o->size);
        put(width, o->drift / o->size);
        put(width, o->creep);
        put(width, o->energy_rise / o->size);
        put(width, o->speed);
        put(width, o->residual);
        put(width, o->residual_worst);
        printf("  ");
    } else {
        printf(" %8s %99s  ", "-", "");
    }
    text_put(stdout, sim_entry_words(board, entry).text);
    printf("\n");
}

void sim_report_row(const sim_board *board, int row)
{
    const sim_row *r = board->row + row;
    double size = 0;
    for (int k = 0; k < board->entry_count; ++k)
        size = board->entry[k].row == row ? fmax(size, board->entry[k].outcome.size) : size;
    printf("\n%s: %s; %d steps of %g s, r = %g m", r->name, r->text, sim_row_steps(r), r->step,
           size);
    if (r->seeds > 1) printf("; mean of %d seeds", r->seeds);
    printf("\n  %-26s %8s %9s %19s %9s %9s %9s %9s %19s\n", "", "ms", "over the", "penetration, r",
           "drift", "creep", "energy", "speed", "residual");
    printf("  %-26s %8s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "", "a step", "fastest", "worst",
           "mean", "r", "m/s", "r", "m/s", "median", "worst");
    for (int k = 0; k < board->entry_count; ++k)
        if (board->entry[k].row == row) print_entry(board, board->entry + k);
    fflush(stdout);
}

void sim_report_end(const sim_board *board)
{
    printf(
        "\nms: processor time of the engine alone, then relative to the fastest other engine that\n"
        "finished.  The name of a configuration of Moreau is the relative residual of every step; "
        "in\n"
        "heaps the last one is the residual of that engine.  penetration: the deepest of all "
        "steps, by\n"
        "our collision detection; mean: over the engine's own overlapping points.  drift: the "
        "largest\n"
        "displacement of a body.  creep: that of the second half, over its time.  energy: the "
        "largest\n"
        "rise above an earlier level, over the weight of all bodies.  speed: root mean square at "
        "the\n"
        "end.  residual: of the engine's own contact impulses, by mo_measure, in up to 20 steps of "
        "the\n"
        "second half.\n");
    for (int k = 0; k < board->missing_count; ++k)
        printf("%s\n", board->missing[k]);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_entry(json *j, const sim_board *board, const sim_entry *entry)
{
    const sim_words words = sim_entry_words(board, entry);
    json_object(j, NULL);
    json_text(j, "engine", entry->engine);
    json_text(j, "configuration", entry->config);
    json_text(j, "status", entry->outcome.status);
    json_text(j, "message", entry->outcome.message);
    json_text(j, "verdict", words.text);
    json_truth(j, "right", words.is_right);
    json_number(j, "ratio_to_fastest_peer", sim_entry_ratio(board, entry));
#define SIM_FIELD(name) json_number(j, #name, entry->outcome.name);
    SIM_FIGURES(SIM_FIELD)
#undef SIM_FIELD
    json_object_end(j);
}

void sim_report_json(const sim_board *board)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "sim");
    json_number(&j, "time_limit", board->limit);
    json_array(&j, "missing");
    for (int k = 0; k < board->missing_count; ++k)
        json_text(&j, NULL, board->missing[k]);
    json_array_end(&j);
    json_array(&j, "scenes");
    for (int row = 0; row < board->row_count; ++row) {
        const sim_row *r = board->row + row;
        json_object(&j, NULL);
        json_text(&j, "name", r->name);
        json_text(&j, "scene", r->scene);
        json_text(&j, "question", QUESTIONS[r->question]);
        json_number(&j, "step", r->step);
        json_whole(&j, "steps_asked", sim_row_steps(r));
        json_whole(&j, "seeds", r->seeds > 1 ? r->seeds : 1);
        json_array(&j, "runs");
        for (int k = 0; k < board->entry_count; ++k)
            if (board->entry[k].row == row) json_entry(&j, board, board->entry + k);
        json_array_end(&j);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_rows(const sim_board *board, FILE *file)
{
    fprintf(file, "name,question,engine,configuration,status,right");
#define SIM_FIELD(name) fprintf(file, "," #name);
    SIM_FIGURES(SIM_FIELD)
#undef SIM_FIELD
    fprintf(file, "\n");
    for (int k = 0; k < board->entry_count; ++k) {
        const sim_entry *entry = board->entry + k;
        const sim_row *row = board->row + entry->row;
        fprintf(file, "%s,%s,%s,%s,%s,%d", row->name, QUESTIONS[row->question], entry->engine,
                entry->config, entry->outcome.status, sim_entry_words(board, entry).is_right);
#define SIM_FIELD(name) fprintf(file, ",%.9g", entry->outcome.name);
        SIM_FIGURES(SIM_FIELD)
#undef SIM_FIELD
        fprintf(file, "\n");
    }
}

int sim_report_write(const sim_board *board, const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%.900s/sim.csv", folder);
    FILE *file = sheet_make_folder(folder) ? fopen(path, "w") : NULL;
    if (!file) {
        say(COMMAND, "%.900s cannot be written: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    write_rows(board, file);
    if (fclose(file) != 0) {
        say(COMMAND, "%.900s cannot be written: %s", path, strerror(errno));
        return EXIT_FAILED;
    }
    return plot_explain(plot_draw(folder, sim_gp, sizeof sim_gp), folder);
}
