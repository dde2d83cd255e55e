/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce baraff`: all experiments in order, and their output. */
#include <stdio.h>

#include "baraff.h"
#include "baraff_gp.h"
#include "json.h"
#include "papers.h"
#include "rerun.h"

static const char *const FIGURES[] = {"cost.png", "pivots.png", NULL};

typedef struct run_results {
    br_results all;
    paper_claim claims[BR_CLAIM_COUNT];
    br_cost cost[]; /* BR_PILE_COUNT * br_size_count, of `all` */
} run_results;

static mo_error measure(void *results, mo_message *why)
{
    run_results *r = results;
    (void)why;
    r->all.cost = r->cost;
    mo_error error = br_measure_cost(r->cost);
    error = error ? error : br_count_pivots(r->all.pivots);
    error = error ? error : br_try_static(r->all.fixed);
    error = error ? error : br_try_dynamic(r->all.sliding);
    if (!error) br_check_claims(&r->all, r->claims);
    return error;
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    const run_results *r = results;
    return br_write_data(folder, &r->all, r->claims, why);
}

/* ---- text ------------------------------------------------------------------------------------ */

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
    for (int k = 0; k < BR_FRICTION_COUNT; ++k)
        printf(" %16s", br_friction_names[k]);
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
        for (int c = 0; c < 3; ++c)
            printf("       %4d %4d %4d  ", rows[c]->at_once, rows[c]->solved, rows[c]->rays);
        printf("\n");
    }
}

static void print(const void *results)
{
    const run_results *r = results;
    printf("Baraff 1994: Dantzig's pivoting for contact forces, with friction.\n");
    paper_print_claims(r->claims, BR_CLAIM_COUNT);
    print_cost(r->cost);
    print_pivots(r->all.pivots);
    print_trials(&r->all);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

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

static void put(json *j, const void *results)
{
    const run_results *r = results;
    paper_put_claims(j, r->claims, BR_CLAIM_COUNT);
    json_cost(j, r->cost);
    json_pivots(j, r->all.pivots);
    json_trials(j, "static", r->all.fixed, BR_STATIC_ROWS);
    json_trials(j, "dynamic", r->all.sliding, BR_MUS);
}

PAPER_RERUN(paper_baraff, "baraff",
            sizeof(run_results) + (size_t)(BR_PILE_COUNT * br_size_count) * sizeof(br_cost),
            baraff_gp)
