/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce acary-cadoux`: all experiments in order, and their output. */
#include <stdio.h>

#include "acary_cadoux_2011.h"
#include "acary_cadoux_gp.h"
#include "json.h"
#include "papers.h"
#include "rerun.h"

static const char *const FIGURES[] = {"figure9.png", "verdicts.png", NULL};
static const double PATIENCE = 1; /* seconds for one run of an engine */

/* ---- text ------------------------------------------------------------------------------------ */

static void print_rates(const ac_results *results)
{
    printf("Acary, Cadoux, Lemaréchal and Malick 2011: convex problems in a fixed point.\n\n"
           "Figure 9: the factor by which a round of s = F(s) shrinks the left side of (6.1), %d "
           "contacts\n\n"
           "%8s %16s %16s\n",
           AC_CONTACTS, "mu", "in motion", "from rest");
    for (int k = 0; k < AC_MUS; ++k) {
        const ac_rate *moving = &results->rates[k], *released = &results->rates[AC_MUS + k];
        printf("%8g %16.3f %16.3f\n", moving->mu, moving->factor, released->factor);
    }
}

static void print_costs(const ac_results *results)
{
    printf(
        "\nSection 6: the convex solvers, mu = 0.3; convex problems and time to (6.1) with "
        "1e-4, then to a\n"
        "residual of 1e-4, from zero and from a neighbouring solution (*: not within a second)\n\n"
        "%-10s %8s %14s %9s %15s %15s\n",
        "engine", "contacts", "(6.1)", "residual", "1e-4", "1e-4, warm");
    for (int k = 0; k < AC_ENGINES * AC_SIZES; ++k) {
        const ac_cost *c = &results->costs[k];
        printf("%-10s %8d %3d %7.1f ms %9.1e %3d %8.1f ms%s %3d %8.1f ms%s\n",
               ac_engine_names[c->engine], c->contacts, c->rounds, 1e3 * c->seconds, c->residual,
               c->full_rounds, 1e3 * c->full_seconds, c->is_solved ? " " : "*", c->warm_rounds,
               1e3 * c->warm_seconds, c->is_warm_solved ? " " : "*");
    }
}

static void print_rod(const ac_rod *rod)
{
    printf("\nExample 2.1, the rod: (2.6) says that %d of %d problems have a solution; %d of these "
           "are solved,\n"
           "and %d of the %d others are not.\n",
           rod->solvable, rod->tried, rod->solved, rod->refused, rod->tried - rod->solvable);
}

static void print_map(const ac_map *map)
{
    printf("\nSections 5.2 to 5.5, how many solutions it has: %d of %d verdicts over (angle, mu, "
           "sign of "
           "u0, sign of g)\n"
           "are those of the closed form, and %d of %d at 1e-9 from the border.\n",
           map->agree, map->tried, map->border_agree, map->border_tried);
}

static void print(const void *results)
{
    const ac_results *r = results;
    print_rates(r);
    print_costs(r);
    print_rod(&r->rod);
    print_map(&r->map);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_rates(json *j, const ac_results *results)
{
    json_array(j, "rates");
    for (int k = 0; k < AC_STATES * AC_MUS; ++k) {
        const ac_rate *rate = &results->rates[k];
        json_object(j, NULL);
        json_text(j, "state", ac_state_names[rate->state]);
        json_number(j, "mu", rate->mu);
        json_number(j, "factor", rate->factor);
        json_number(j, "contraction", rate->contraction);
        json_whole(j, "rounds", rate->rounds);
        json_object_end(j);
    }
    json_array_end(j);
}

static void json_costs(json *j, const ac_results *results)
{
    json_array(j, "engines");
    for (int k = 0; k < AC_ENGINES * AC_SIZES; ++k) {
        const ac_cost *c = &results->costs[k];
        json_object(j, NULL);
        json_text(j, "engine", ac_engine_names[c->engine]);
        json_whole(j, "contacts", c->contacts);
        json_whole(j, "rounds", c->rounds);
        json_number(j, "seconds", c->seconds);
        json_number(j, "residual_relative", c->residual);
        json_whole(j, "full_rounds", c->full_rounds);
        json_number(j, "full_seconds", c->full_seconds);
        json_truth(j, "solved", c->is_solved);
        json_whole(j, "warm_rounds", c->warm_rounds);
        json_number(j, "warm_seconds", c->warm_seconds);
        json_truth(j, "warm_solved", c->is_warm_solved);
        json_object_end(j);
    }
    json_array_end(j);
}

static void put(json *j, const void *from)
{
    const ac_results *results = from;
    json_rates(j, results);
    json_costs(j, results);
    json_object(j, "rod");
    json_whole(j, "problems", results->rod.tried);
    json_whole(j, "solvable", results->rod.solvable);
    json_whole(j, "solved", results->rod.solved);
    json_whole(j, "not_solved_of_the_others", results->rod.refused);
    json_object_end(j);
    json_object(j, "verdicts");
    json_whole(j, "problems", results->map.tried);
    json_whole(j, "as_in_the_closed_form", results->map.agree);
    json_whole(j, "at_the_border", results->map.border_tried);
    json_whole(j, "as_in_the_closed_form_at_the_border", results->map.border_agree);
    json_object_end(j);
}

/* ---- the command ----------------------------------------------------------------------------- */

static mo_error measure(void *to_fill, mo_message *why)
{
    ac_results *results = to_fill;
    (void)why;
    mo_error error = MO_OK;
    for (int k = 0; k < AC_STATES * AC_MUS && !error; ++k) {
        error = ac_measure_rate(AC_CONTACTS, (ac_state)(k / AC_MUS), 0.1 * (k % AC_MUS + 1),
                                &results->rates[k]);
    }
    for (int k = 0; k < AC_ENGINES * AC_SIZES && !error; ++k)
        error = ac_measure_cost(k / AC_SIZES, ac_sizes[k % AC_SIZES], PATIENCE, &results->costs[k]);
    error = error ? error : ac_try_rod(&results->rod);
    return error ? error : ac_draw_map(&results->map);
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    return ac_write_data(folder, results, why);
}

PAPER_RERUN(paper_acary_cadoux, "acary-cadoux", sizeof(ac_results), acary_cadoux_gp)
