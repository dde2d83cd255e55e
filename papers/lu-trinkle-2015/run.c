/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce lu-trinkle`: everything in order, and what the user sees of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "common.h"
#include "experiments.h"
#include "json.h"
#include "lu_trinkle.h"
#include "lu_trinkle_gp.h"
#include "papers.h"
#include "text.h"

static const char *const COMMAND = "reproduce";

static const char *const figures[] = {"figure2.png", "figure3.png", "figure4.png", "figure5.png",
                                      "rules.png"};
enum { FIGURE_COUNT = sizeof figures / sizeof figures[0] };

/* ---- for a person ---------------------------------------------------------------------------- */

static void print_claims(const lt_claim *claims)
{
    printf("Lu and Trinkle 2015: a particle falls on a plane; one step by the prox iteration.\n"
           "g is the external force, r the step of the method.\n");
    for (int k = 0; k < LT_CLAIM_COUNT; ++k) {
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

static void print_rules(const lt_comparison *rules)
{
    printf("\nIterations of prox to a relative residual of 1e-8, by its rule for r, and of nsgs\n"
           "(-: not in %d; of several problems, the one that needs most)\n\n",
           LT_RULE_MOST);
    printf("%-28s", "");
    for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver) {
        printf("%10s", lt_solver_names[solver]);
    }
    for (int k = 0; k < lt_comparison_count; ++k) {
        printf("\n%-28s", rules[k].problem);
        for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver) {
            if (rules[k].iterations[solver] < LT_RULE_MOST) {
                printf("%10d", rules[k].iterations[solver]);
            } else {
                printf("%10s", "-");
            }
        }
    }
    printf("\n");
}

static void print_files(const char *folder, paper_drawn drawn)
{
    printf("\nIn ");
    text_put(stdout, folder);
    printf(": the data as CSV");
    for (int k = 0; drawn == PAPER_DRAWN && k < FIGURE_COUNT; ++k) {
        printf("%s%s", k + 1 < FIGURE_COUNT ? ", " : " and ", figures[k]);
    }
    printf("\n");
}

/* ---- for a program --------------------------------------------------------------------------- */

static void print_json(const lt_claim *claims, const lt_comparison *rules, const char *folder,
                       paper_drawn drawn)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "experiment", "lu-trinkle");
    json_array(&j, "claims");
    for (int k = 0; k < LT_CLAIM_COUNT; ++k) {
        json_object(&j, NULL);
        json_text(&j, "claim", claims[k].claim);
        json_text(&j, "paper", claims[k].paper);
        json_text(&j, "ours", claims[k].ours);
        json_text(&j, "verdict", claims[k].verdict);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_array(&j, "rules");
    for (int k = 0; k < lt_comparison_count; ++k) {
        json_object(&j, NULL);
        json_text(&j, "problem", rules[k].problem);
        for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver) {
            if (rules[k].iterations[solver] < LT_RULE_MOST) {
                json_whole(&j, lt_solver_names[solver], rules[k].iterations[solver]);
            } else {
                json_null(&j, lt_solver_names[solver]); /* not solved */
            }
        }
        json_object_end(&j);
    }
    json_array_end(&j);
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

static int run_in(const char *folder, int as_json, lt_comparison *rules)
{
    lt_claim claims[LT_CLAIM_COUNT];
    mo_message why = {""};
    mo_error error = lt_compare(rules);
    error = error ? error : lt_check_claims(rules, claims);
    error = error ? error : lt_write_data(folder, rules, claims, &why);
    if (error) {
        say(COMMAND, "%s", why.text[0] ? why.text : mo_error_text(error));
        return EXIT_FAILED;
    }
    const paper_drawn drawn = paper_draw(folder, lu_trinkle_gp, sizeof lu_trinkle_gp);
    if (as_json) {
        print_json(claims, rules, folder, drawn);
    } else {
        print_claims(claims);
        print_rules(rules);
        print_files(folder, drawn);
    }
    const int status = paper_explain_drawing(drawn, folder);
    return output_is_good() ? status : EXIT_FAILED;
}

int paper_lu_trinkle(const experiment_call *asked)
{
    const char *folder = asked->out ? asked->out : "out/lu-trinkle";
    if (!paper_make_folder(folder)) {
        say(COMMAND, "the folder %.400s cannot be made: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    lt_comparison *rules = calloc((size_t)lt_comparison_count, sizeof *rules);
    if (!rules) {
        say(COMMAND, "%s", mo_error_text(MO_ERR_MEMORY));
        return EXIT_FAILED;
    }
    const int status = run_in(folder, asked->json, rules);
    free(rules);
    return status;
}
