/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce lu-trinkle`: all experiments in order, and their output. */
#include <stdio.h>

#include "json.h"
#include "lu_trinkle.h"
#include "lu_trinkle_gp.h"
#include "papers.h"
#include "rerun.h"

static const char *const FIGURES[] = {"figure2.png", "figure3.png", "figure4.png",
                                      "figure5.png", "rules.png",   NULL};

typedef struct lt_results {
    paper_claim claims[LT_CLAIM_COUNT];
    lt_comparison rules[]; /* lt_comparison_count */
} lt_results;

static mo_error measure(void *results, mo_message *why)
{
    lt_results *r = results;
    const mo_error error = lt_compare(r->rules);
    (void)why;
    return error ? error : lt_check_claims(r->rules, r->claims);
}

static mo_error write_all(const char *folder, const void *results, mo_message *why)
{
    const lt_results *r = results;
    return lt_write_data(folder, r->rules, r->claims, why);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_rules(const lt_comparison *rules)
{
    printf("\nIterations of prox to a relative residual of 1e-8, by its rule for r, and of nsgs\n"
           "(-: not in %d; of several problems, the one that needs most)\n\n",
           LT_RULE_MOST);
    printf("%-28s", "");
    for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver)
        printf("%10s", lt_solver_names[solver]);
    for (int k = 0; k < lt_comparison_count; ++k) {
        printf("\n%-28s", rules[k].problem);
        for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver)
            if (rules[k].iterations[solver] < LT_RULE_MOST)
                printf("%10d", rules[k].iterations[solver]);
            else
                printf("%10s", "-");
    }
    printf("\n");
}

static void print(const void *results)
{
    const lt_results *r = results;
    printf("Lu and Trinkle 2015: a particle falls on a plane; one step by the prox iteration.\n"
           "g is the external force, r the step of the method.\n");
    paper_print_claims(r->claims, LT_CLAIM_COUNT);
    print_rules(r->rules);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put(json *j, const void *results)
{
    const lt_results *r = results;
    const lt_comparison *rules = r->rules;
    paper_put_claims(j, r->claims, LT_CLAIM_COUNT);
    json_array(j, "rules");
    for (int k = 0; k < lt_comparison_count; ++k) {
        json_object(j, NULL);
        json_text(j, "problem", rules[k].problem);
        for (int solver = 0; solver < LT_SOLVER_COUNT; ++solver)
            if (rules[k].iterations[solver] < LT_RULE_MOST)
                json_whole(j, lt_solver_names[solver], rules[k].iterations[solver]);
            else
                json_null(j, lt_solver_names[solver]); /* not solved */
        json_object_end(j);
    }
    json_array_end(j);
}

PAPER_RERUN(paper_lu_trinkle, "lu-trinkle",
            sizeof(lt_results) + (size_t)lt_comparison_count * sizeof(lt_comparison), lu_trinkle_gp)
