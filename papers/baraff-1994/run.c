/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce baraff`: everything in order, and what the user sees of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "baraff.h"
#include "baraff_gp.h"
#include "command.h"
#include "common.h"
#include "experiments.h"
#include "json.h"
#include "papers.h"
#include "text.h"

static const char *const COMMAND = "reproduce";

static const char *const figures[] = {"cost.png", "pivots.png"};
enum { FIGURE_COUNT = sizeof figures / sizeof figures[0] };

/* ---- for a person ---------------------------------------------------------------------------- */

static void print_claims(const br_claim *claims)
{
    printf("Baraff 1994: Dantzig's pivoting for contact forces, with friction.\n");
    for (int k = 0; k < BR_CLAIM_COUNT; ++k) {
        printf("\n%2d  ", k + 1);
        text_put_wrapped(stdout, claims[k].claim, 4, 4);
        printf("    paper    ");
        text_put_wrapped(stdout, claims[k].paper, 13, 13);
        printf("    ours     ");
        text_put_wrapped(stdout, claims[k].ours, 13, 13);
        printf("    verdict  ");
        text_put_wrapped(stdout, claims[k].verdict, 13, 13);
    }
}

static void print_cost(const br_cost *rows)
{
    printf("\nWithout friction: time from the matrix to the forces, beside dgesv on the same "
           "matrix\n\n"
           "%-12s %5s %5s %7s %11s %11s %6s %6s\n",
           "", "n", "rank", "pivots", "dgesv", "pivots take", "ratio", "call");
    for (int k = 0; k < BR_PILE_COUNT * br_size_count; ++k) {
        const br_cost *row = &rows[k];
        printf("%-12s %5d %5d %7d %8.1f us %8.1f us %6.2f %6.2f%s\n", br_pile_names[row->pile],
               row->n, row->rank, row->pivots, 1e6 * row->gauss, 1e6 * row->pivoting,
               row->pivoting / row->gauss, row->call / row->gauss,
               row->is_solved ? "" : "  not solved");
    }
}

static void print_pivots(const br_pivots *rows)
{
    printf("\nPivots of walls with n contacts, at rest / shaken\n\n%-22s", "");
    for (int k = 0; k < BR_FRICTION_COUNT; ++k) {
        printf(" %16s", br_friction_names[k]);
    }
    for (int size = 0; size < BR_PIVOT_SIZES; ++size) {
        printf("\nn about %-14d", rows[size].contacts);
        for (int k = 0; k < BR_FRICTION_COUNT; ++k) {
            const br_pivots *rest = &rows[2 * k * BR_PIVOT_SIZES + size],
                            *shaken = rest + BR_PIVOT_SIZES;
            printf(" %7d /%5d%s ", rest->pivots, shaken->pivots,
                   rest->is_solved && shaken->is_solved ? "  " : " *");
        }
    }
    printf("\n(*: not solved to 1e-9)\n");
}

static void print_trials(const br_results *results)
{
    printf("\nRandom problems with 30 contacts: solved from the first start, solved, unbounded "
           "steps\n\n"
           "%8s %22s %22s %22s\n",
           "mu", "static in the plane", "static in space", "dynamic in the plane");
    for (int k = 0; k < BR_MUS; ++k) {
        const br_trials *rows[3] = {&results->fixed[k], &results->fixed[BR_MUS + k],
                                    &results->sliding[k]};
        printf("%8g", br_mus[k]);
        for (int c = 0; c < 3; ++c) {
            printf("       %4d %4d %4d  ", rows[c]->at_once, rows[c]->solved, rows[c]->rays);
        }
        printf("\n");
    }
}

static void print_files(const char *folder, paper_drawn drawn)
{
    printf("\nIn ");
    text_put(stdout, folder);
    printf(": the tables as CSV%s\n", drawn == PAPER_DRAWN ? ", cost.png and pivots.png" : "");
}

/* ---- for a program --------------------------------------------------------------------------- */

static void json_claims(json *j, const br_claim *claims)
{
    json_array(j, "claims");
    for (int k = 0; k < BR_CLAIM_COUNT; ++k) {
        json_object(j, NULL);
        json_text(j, "claim", claims[k].claim);
        json_text(j, "paper", claims[k].paper);
        json_text(j, "ours", claims[k].ours);
        json_text(j, "verdict", claims[k].verdict);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_cost(json *j, const br_cost *rows)
{
    json_array(j, "cost");
    for (int k = 0; k < BR_PILE_COUNT * br_size_count; ++k) {
        json_object(j, NULL);
        json_text(j, "pile", br_pile_names[rows[k].pile]);
        json_whole(j, "n", rows[k].n);
        json_whole(j, "rank", rows[k].rank);
        json_whole(j, "pivots", rows[k].pivots);
        json_number(j, "gauss_seconds", rows[k].gauss);
        json_number(j, "pivoting_seconds", rows[k].pivoting);
        json_number(j, "call_seconds", rows[k].call);
        json_number(j, "residual_relative", rows[k].residual);
        json_truth(j, "solved", rows[k].is_solved);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_pivots(json *j, const br_pivots *rows)
{
    json_array(j, "pivots");
    for (int k = 0; k < BR_PIVOT_ROWS; ++k) {
        json_object(j, NULL);
        json_text(j, "friction", br_friction_names[rows[k].friction]);
        json_truth(j, "shaken", rows[k].is_shaken);
        json_whole(j, "contacts", rows[k].contacts);
        json_whole(j, "pivots", rows[k].pivots);
        json_number(j, "residual_relative", rows[k].residual);
        json_truth(j, "solved", rows[k].is_solved);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_trials(json *j, const char *key, const br_trials *rows, int count)
{
    json_array(j, key);
    for (int k = 0; k < count; ++k) {
        json_object(j, NULL);
        json_number(j, "mu", rows[k].mu);
        json_truth(j, "in_space", rows[k].in_space);
        json_whole(j, "trials", rows[k].trials);
        json_whole(j, "first_start", rows[k].at_once);
        json_whole(j, "solved", rows[k].solved);
        json_whole(j, "rays", rows[k].rays);
        json_object_end(j);
    }
    json_array_end(j);
}

static void print_json(const br_results *results, const br_claim *claims, const char *folder,
                       paper_drawn drawn)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "baraff");
    json_claims(&j, claims);
    json_cost(&j, results->cost);
    json_pivots(&j, results->pivots);
    json_trials(&j, "static", results->fixed, BR_STATIC_ROWS);
    json_trials(&j, "dynamic", results->sliding, BR_MUS);
    json_text(&j, "folder", folder);
    json_array(&j, "figures");
    for (int k = 0; drawn == PAPER_DRAWN && k < FIGURE_COUNT; ++k) {
        json_text(&j, NULL, figures[k]);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_in(const char *folder, int as_json, br_results *results)
{
    br_claim claims[BR_CLAIM_COUNT];
    mo_message why = {""};
    mo_error error = br_measure_cost(results->cost);
    error = error ? error : br_count_pivots(results->pivots);
    error = error ? error : br_try_static(results->fixed);
    error = error ? error : br_try_dynamic(results->sliding);
    if (!error) {
        br_check_claims(results, claims);
        error = br_write_data(folder, results, claims, &why);
    }
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    const paper_drawn drawn = paper_draw(folder, baraff_gp, sizeof baraff_gp);
    if (as_json) {
        print_json(results, claims, folder, drawn);
    } else {
        print_claims(claims);
        print_cost(results->cost);
        print_pivots(results->pivots);
        print_trials(results);
        print_files(folder, drawn);
    }
    const int status = paper_explain_drawing(drawn, folder);
    return output_is_good() ? status : EXIT_FAILED;
}

int paper_baraff(const experiment_call *asked)
{
    const char *folder = asked->out ? asked->out : "out/baraff";
    if (!paper_make_folder(folder)) {
        say(COMMAND, "the folder %.400s cannot be made: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    br_results *results = calloc(1, sizeof *results);
    br_cost *cost = calloc((size_t)(BR_PILE_COUNT * br_size_count), sizeof *cost);
    int status = EXIT_FAILED;
    if (results && cost) {
        results->cost = cost;
        status = run_in(folder, asked->json, results);
    } else {
        say(COMMAND, "%s", mo_error_text(MO_ERR_MEMORY));
    }
    free(cost);
    free(results);
    return status;
}
