/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce anitescu-hart`: all experiments in order, and their output. */
#include <math.h>
#include <stdio.h>

#include "anitescu_hart.h"
#include "anitescu_hart_gp.h"
#include "json.h"
#include "papers.h"
#include "progress.h"
#include "rerun.h"

static const char *const FIGURES[] = {"pile.png", "rates.png", NULL};

/* ---- text ------------------------------------------------------------------------------------ */

static void print_pyramids(const ah_pyramid *rows)
{
    printf("Anitescu and Hart 2004: contact with small friction through convex problems.\n\n"
           "Section 3, the hexagonal pyramid at rest: how far from (2.7-2.8)\n\n"
           "%8s %14s %14s %14s %12s %14s\n",
           "mu", "solution 1", "solution 2", "their average", "mu m g h / 6", "largest |v|");
    for (int k = 0; k < AH_PYRAMIDS; ++k) {
        printf("%8g %14.1e %14.1e %14.6f %12.6f %14.1e\n", rows[k].mu, rows[k].violation[0],
               rows[k].violation[1], rows[k].violation[2], rows[k].mu * rows[k].share / 2,
               rows[k].speed);
    }
    printf("\n(%d of %d methods solve it at each mu; normal impulses over m g h / 3:\n",
           rows[0].solved, rows[0].methods);
    for (int s = 0; s < 2; ++s) {
        printf(" solution %d:", s + 1);
        for (int j = 0; j < AH_CORNERS; ++j)
            printf(" %.6f", rows[0].normal[s][j] / rows[0].share);
        printf("%s\n", s ? ")" : "");
    }
}

static void print_table(const ah_row *rows)
{
    printf("\nTable 1: 210 disks, the first step (seconds of processor time; error: 2-norm of "
           "min(r_N, u_N))\n\n"
           "%5s %12s %12s %12s %12s %9s | %12s %10s %12s\n",
           "mu", "paper LCP0", "LCP3", "error", "ours LCP0", "pivots", "LCP3", "error", "residual");
    for (int k = 0; k < AH_ROWS; ++k) {
        const ah_row *row = &rows[k];
        printf("%5g ", row->mu);
        if (isnan(row->paper_lcp0))
            printf("%12s", "max iter");
        else
            printf("%12.2f", row->paper_lcp0);
        printf(" %12.2f %12.0e ", row->paper_lcp3, row->paper_error);
        if (row->lcp0.status == MO_SOLVED)
            printf("%12.2f", row->lcp0.seconds);
        else
            printf("%12s", mo_status_name(row->lcp0.status));
        printf(" %9d | %12.3f %10.1e %12.1e\n", row->lcp0.iterations, row->lcp3.seconds,
               row->lcp3.discrepancy, row->lcp3.residual);
    }
}

static void print_run(const char *name, const ah_run *run)
{
    printf("  %-20s %-16s %10d %9.3f %11.1e", name, mo_status_name(run->status), run->iterations,
           run->seconds, run->residual);
    if (run->contraction > 0)
        printf(" %12.2f", run->contraction);
    else
        printf(" %12s", "-");
    if (isnan(run->difference))
        printf(" %12s\n", "-");
    else
        printf(" %12.1e\n", run->difference);
}

static void print_steps(const ah_step *steps)
{
    for (int k = 0; k < AH_STEPS; ++k) {
        const ah_step *step = &steps[k];
        printf("\n%d disks, %d contacts, mu = %g, the first step%s\n\n", step->disks,
               step->contacts, step->mu, k ? " (the paper: LCP0, LCP1 and LCP2 fail)" : "");
        printf("  %-20s %-16s %10s %9s %11s %12s %12s\n", "", "", "iterations", "seconds",
               "residual", "contraction", "|v - LCP0|");
        for (int m = 0; m < AH_METHODS; ++m)
            print_run(ah_paper_names[m], &step->run[m]);
        print_run("LCP1 as published", &step->published[AH_LCP1]);
        print_run("LCP2 as published", &step->published[AH_LCP2]);
    }
}

static void print_rates(const ah_rate *rows)
{
    printf("\n21 disks: contraction factor of the maps, and LCP3 against the solution\n\n"
           "%6s %10s %10s %16s %16s\n",
           "mu", "chi_1", "chi_2", "error of v", "mu lambda");
    for (int k = 0; k < AH_RATES; ++k) {
        printf("%6g", rows[k].mu);
        for (int m = 0; m < 2; ++m)
            if (isnan(rows[k].contraction[m]))
                printf(" %10s", "diverges");
            else
                printf(" %10.3f", rows[k].contraction[m]);
        printf(" %16.2e %16.2e\n", rows[k].error, rows[k].slip);
    }
}

static void print(const void *results)
{
    const ah_results *r = results;
    print_pyramids(r->pyramid);
    print_table(r->row);
    print_steps(r->step);
    print_rates(r->rate);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_run(json *j, const char *key, const ah_run *run)
{
    json_object(j, key);
    json_text(j, "status", mo_status_name(run->status));
    json_whole(j, "iterations", run->iterations);
    json_number(j, "seconds", run->seconds);
    json_number(j, "residual_relative", run->residual);
    json_number(j, "contraction", run->contraction > 0 ? run->contraction : NAN);
    json_number(j, "error", run->discrepancy);
    json_number(j, "difference_from_lcp0", run->difference);
    json_object_end(j);
}

static void put_pyramids(json *j, const ah_pyramid *rows)
{
    json_array(j, "pyramid");
    for (int k = 0; k < AH_PYRAMIDS; ++k) {
        json_object(j, NULL);
        json_number(j, "mu", rows[k].mu);
        json_number(j, "violation_of_first", rows[k].violation[0]);
        json_number(j, "violation_of_second", rows[k].violation[1]);
        json_number(j, "violation_of_average", rows[k].violation[2]);
        json_number(j, "largest_speed", rows[k].speed);
        json_whole(j, "methods", rows[k].methods);
        json_whole(j, "solved", rows[k].solved);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_table(json *j, const ah_row *rows)
{
    json_array(j, "table1");
    for (int k = 0; k < AH_ROWS; ++k) {
        json_object(j, NULL);
        json_number(j, "mu", rows[k].mu);
        json_number(j, "paper_lcp0_seconds", rows[k].paper_lcp0);
        json_number(j, "paper_lcp3_seconds", rows[k].paper_lcp3);
        json_number(j, "paper_lcp3_error", rows[k].paper_error);
        put_run(j, "lcp0", &rows[k].lcp0);
        put_run(j, "lcp3", &rows[k].lcp3);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_steps(json *j, const ah_step *steps)
{
    static const char *const keys[AH_METHODS] = {"lcp0", "lcp1", "lcp2", "lcp3"};
    json_array(j, "first_steps");
    for (int k = 0; k < AH_STEPS; ++k) {
        json_object(j, NULL);
        json_whole(j, "disks", steps[k].disks);
        json_whole(j, "contacts", steps[k].contacts);
        json_number(j, "mu", steps[k].mu);
        for (int m = 0; m < AH_METHODS; ++m)
            put_run(j, keys[m], &steps[k].run[m]);
        put_run(j, "lcp1_as_published", &steps[k].published[AH_LCP1]);
        put_run(j, "lcp2_as_published", &steps[k].published[AH_LCP2]);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put_rates(json *j, const ah_rate *rows)
{
    json_array(j, "rates");
    for (int k = 0; k < AH_RATES; ++k) {
        json_object(j, NULL);
        json_number(j, "mu", rows[k].mu);
        json_number(j, "contraction_lcp1", rows[k].contraction[0]);
        json_number(j, "contraction_lcp2", rows[k].contraction[1]);
        json_number(j, "lcp3_error", rows[k].error);
        json_number(j, "mu_lambda", rows[k].slip);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put(json *j, const void *results)
{
    const ah_results *r = results;
    put_pyramids(j, r->pyramid);
    put_table(j, r->row);
    put_steps(j, r->step);
    put_rates(j, r->rate);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error measure(void *to_fill, mo_message *why)
{
    ah_results *results = to_fill;
    static const int rows[AH_STEPS] = {6, 16};
    static const double mus[AH_STEPS] = {0.05, 0.2};
    progress_line("the hexagonal pyramid");
    mo_error error = ah_solve_pyramids(results->pyramid, why);
    for (int k = 0; !error && k < AH_STEPS; ++k) {
        progress_line("%s", k ? "136 disks" : "21 disks");
        error = ah_solve_step(rows[k], mus[k], &results->step[k], why);
    }
    progress_line("contraction factors");
    error = error ? error : ah_measure_rates(results->rate, why);
    progress_line("table 1: 210 disks");
    error = error ? error : ah_solve_table(results->row, why);
    return error;
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    return ah_write_data(folder, results, why);
}

PAPER_RERUN(paper_anitescu_hart, "anitescu-hart", sizeof(ah_results), anitescu_hart_gp)
