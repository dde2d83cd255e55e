/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce trinkle-pang`: all data sets in order, and what the user sees of it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "papers.h"
#include "plot.h"
#include "rerun.h"
#include "sheet.h"
#include "text.h"
#include "trinkle_pang_gp.h"

static const char *const COMMAND = "reproduce";
static const char *const FIGURE = "table.png";

/* ---- text ------------------------------------------------------------------------------------ */

static void show_progress(int done)
{
    if (!isatty(STDERR_FILENO)) return;
    if (done < TRINKLE_PANG_SETS)
        fprintf(stderr, "\r%d of %d data sets", done, TRINKLE_PANG_SETS);
    else
        fprintf(stderr, "\r%40s\r", "");
}

/* A column; a dash for NAN. */
static void print_number(double value, int digits)
{
    if (isnan(value))
        printf("%7s", "-");
    else
        printf("%7.*f", digits, value);
}

static void print_table(const tp_row *rows)
{
    printf("Trinkle, Pang, Sudarsky and Lo 1997: random grasps as LCPs (eq. 32-35), by Lemke's "
           "algorithm and\n"
           "by feasible interior points.  Solved: a residual of at most %.0e.  Averages over those "
           "solved.\n\n",
           TP_TOLERANCE);
    printf("           ---------------- lemke ----------------  ----------------- fip "
           "-----------------\n"
           "               solved        starts    iterations        solved        starts    "
           "iterations\n"
           "size sets   paper   ours  paper   ours  paper   ours  paper   ours  paper   ours  "
           "paper   ours\n");
    for (int r = 0; r < TP_ROWS; ++r) {
        printf("%4d %4d", rows[r].size, rows[r].sets);
        for (int method = 0; method < TP_METHOD_COUNT; ++method) {
            const tp_figures *paper = &rows[r].paper[method], *ours = &rows[r].ours[method];
            print_number(paper->fraction, 2);
            print_number(ours->fraction, 2);
            print_number(paper->starts, 1);
            print_number(ours->starts, 1);
            print_number(paper->iterations, 1);
            print_number(ours->iterations, 1);
        }
        printf("\n");
    }
}

static void print_left(const tp_set *sets)
{
    char name[64];
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        const trinkle_pang_set *set = &sets[k].set;
        if (!sets[k].run[TP_LEMKE].solved && !sets[k].run[TP_FIP].solved) {
            tp_name_left(set, name, sizeof name);
            printf("  %s  size %3d, %2d rolling, %2d sliding, mu %.3f\n      fip: ", name,
                   set->size, set->def.rolling, set->def.sliding, set->def.mu);
            text_put_wrapped(stdout, sets[k].run[TP_FIP].message.text, 11, 11);
        }
    }
}

static void print_all(const tp_set *sets, const tp_row *rows, const char *folder,
                      plot_outcome drawn)
{
    const tp_total total = tp_add_up(sets);
    print_table(rows);
    printf("\nOf all %d sets lemke solves %d (%.1f s), fip %d (%.1f s), one of them %d: %.1f %%.  "
           "The paper: 229.\n",
           TRINKLE_PANG_SETS, total.solved[TP_LEMKE], total.seconds[TP_LEMKE], total.solved[TP_FIP],
           total.seconds[TP_FIP], total.either, 100.0 * total.either / TRINKLE_PANG_SETS);
    if (total.either < TRINKLE_PANG_SETS) {
        printf("\nLeft over, each in a file from which it can be rebuilt:\n");
        print_left(sets);
    }
    printf("\nIn ");
    text_put(stdout, folder);
    printf(": table.csv, sets.csv%s%s\n", drawn == PLOT_DRAWN ? ", " : "",
           drawn == PLOT_DRAWN ? FIGURE : "");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* json_number writes null for NAN. */
static void put_figures(json *j, const char *key, const tp_figures *figures)
{
    json_object(j, key);
    json_number(j, "solved", figures->fraction);
    json_number(j, "starts", figures->starts);
    json_number(j, "iterations", figures->iterations);
    json_object_end(j);
}

static void put_rows(json *j, const tp_row *rows)
{
    json_array(j, "table");
    for (int r = 0; r < TP_ROWS; ++r) {
        json_object(j, NULL);
        json_whole(j, "size", rows[r].size);
        json_whole(j, "sets", rows[r].sets);
        for (int method = 0; method < TP_METHOD_COUNT; ++method) {
            json_object(j, tp_method_names[method]);
            put_figures(j, "paper", &rows[r].paper[method]);
            put_figures(j, "ours", &rows[r].ours[method]);
            json_object_end(j);
        }
        json_number(j, "lemke_within_100_pivots", rows[r].within_100);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_left(json *j, const tp_set *sets)
{
    char name[64];
    json_array(j, "left_over");
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        if (!sets[k].run[TP_LEMKE].solved && !sets[k].run[TP_FIP].solved) {
            tp_name_left(&sets[k].set, name, sizeof name);
            json_object(j, NULL);
            json_text(j, "file", name);
            json_whole(j, "set", sets[k].set.number);
            json_whole(j, "size", sets[k].set.size);
            json_number(j, "mu", sets[k].set.def.mu);
            json_text(j, "lemke", sets[k].run[TP_LEMKE].message.text);
            json_text(j, "fip", sets[k].run[TP_FIP].message.text);
            json_object_end(j);
        }
    }
    json_array_end(j);
}

static void print_json(const tp_set *sets, const tp_row *rows, const char *folder,
                       plot_outcome drawn)
{
    const tp_total total = tp_add_up(sets);
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "trinkle-pang");
    json_number(&j, "tolerance", TP_TOLERANCE);
    put_rows(&j, rows);
    json_whole(&j, "sets", TRINKLE_PANG_SETS);
    json_whole(&j, "solved_by_lemke", total.solved[TP_LEMKE]);
    json_whole(&j, "solved_by_fip", total.solved[TP_FIP]);
    json_whole(&j, "solved_by_either", total.either);
    json_whole(&j, "solved_by_either_in_the_paper", 229);
    put_left(&j, sets);
    json_text(&j, "folder", folder);
    json_array(&j, "figures");
    if (drawn == PLOT_DRAWN) json_text(&j, NULL, FIGURE);
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error solve_all(tp_set *sets, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; !error && k < TRINKLE_PANG_SETS; ++k) {
        show_progress(k);
        error = tp_solve(k, &sets[k], why);
    }
    show_progress(TRINKLE_PANG_SETS);
    return error;
}

static int run_in(const char *folder, int as_json, tp_set *sets)
{
    tp_row rows[TP_ROWS];
    mo_message why = {""};
    mo_error error = solve_all(sets, &why);
    if (!error) {
        tp_make_table(sets, rows);
        error = tp_write(folder, sets, rows, &why);
    }
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    const plot_outcome drawn = plot_draw(folder, trinkle_pang_gp, sizeof trinkle_pang_gp);
    if (as_json)
        print_json(sets, rows, folder, drawn);
    else
        print_all(sets, rows, folder, drawn);
    const int status = plot_explain(drawn, folder);
    return output_is_good() ? status : EXIT_FAILED;
}

int paper_trinkle_pang(const experiment_call *asked)
{
    const char *folder = asked->out ? asked->out : "out/trinkle-pang";
    if (!sheet_make_folder(folder)) {
        say(COMMAND, "the folder %.400s cannot be made: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    tp_set *sets = calloc(TRINKLE_PANG_SETS, sizeof *sets);
    if (!sets) {
        say(COMMAND, "%s", mo_error_text(MO_ERR_MEMORY));
        return EXIT_FAILED;
    }
    const int status = run_in(folder, asked->json, sets);
    free(sets);
    return status;
}
