/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "solve_ladder.h"

#include <math.h>
#include <stdio.h>

#include "moreau/law.h"
#include "number.h"
#include "text.h"

static int has_law(const mo_facts *facts, int kind)
{
    return facts->laws >> kind & 1u;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void facts_json(json *j, const mo_facts *f)
{
    json_object(j, "facts");
    json_whole(j, "islands", f->islands);
    json_whole(j, "constraints", f->constraints);
    json_whole(j, "rows", f->rows);
    json_whole(j, "velocities", f->velocities);
    json_array(j, "laws");
    for (int kind = 0; kind < MO_LAW_KIND_COUNT; ++kind)
        if (has_law(f, kind)) json_text(j, NULL, mo_law_name((mo_law_kind)kind));
    json_array_end(j);
    json_truth(j, "linear", f->is_linear);
    json_number(j, "redundancy", f->redundancy);
    if (f->space) {
        json_text(j, "space", f->space);
        json_number(j, "factor_cost", f->factor_cost);
    }
    json_number(j, "sweep_cost", f->sweep_cost);
    if (isfinite(f->start_residual)) json_number(j, "start_residual", f->start_residual);
    json_number(j, "tolerance", f->tolerance);
    json_object_end(j);
}

void solve_ladder_json(json *j, const mo_explanation *e)
{
    json_object(j, "explanation");
    facts_json(j, &e->facts);
    json_array(j, "rungs");
    for (int k = 0; k < e->rung_count; ++k) {
        const mo_rung_report *rung = &e->rung[k];
        json_object(j, NULL);
        json_text(j, "name", rung->name);
        json_text(j, "reason", rung->reason);
        json_whole(j, "islands", rung->islands);
        json_whole(j, "iterations", rung->iterations);
        json_number(j, "residual", rung->residual);
        json_number(j, "seconds", rung->seconds);
        json_object_end(j);
    }
    json_array_end(j);
    json_object_end(j);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void put_facts(const mo_facts *f)
{
    printf("  %-18s", "properties");
    if (f->islands > 1) {
        printf("%s; the largest of those that were tried:\n%20s",
               number_count(f->islands, "island").text, "");
    }
    printf("%s, %s", number_count(f->constraints, "constraint").text,
           number_count(f->rows, "row").text);
    if (f->velocities)
        printf(", %s velocities (%.2f rows each)", number_whole(f->velocities).text, f->redundancy);
    for (int kind = 0, count = 0; kind < MO_LAW_KIND_COUNT; ++kind)
        if (has_law(f, kind)) printf("%s%s", count++ ? ", " : "; ", mo_law_name((mo_law_kind)kind));
    printf("\n%20s", "");
    if (f->space) {
        printf("factorisation %s operations in the space of %s, a ",
               number_real(f->factor_cost).text, f->space);
    }
    printf("sweep %s\n", number_real(f->sweep_cost).text);
    if (isfinite(f->start_residual)) {
        printf("%20sresidual of the initial impulses %s\n", "",
               number_real(f->start_residual).text);
    }
}

void solve_ladder_put(const mo_explanation *e)
{
    if (e->rung_count == 0) {
        printf("  %-18snone: the initial impulses are a solution\n", "methods tried");
        return;
    }
    put_facts(&e->facts);
    for (int k = 0; k < e->rung_count; ++k) {
        const mo_rung_report *rung = &e->rung[k];
        printf("  %-18s%-12s  %16s  %8s  %9s", k == 0 ? "methods tried" : "", rung->name,
               number_count(rung->iterations, "iteration").text, number_real(rung->residual).text,
               number_seconds(rung->seconds).text);
        if (e->facts.islands > 1) printf("  %s", number_count(rung->islands, "island").text);
        fputc('\n', stdout);
    }
    printf("%20sdocs/methods/auto.md describes them\n", "");
}
