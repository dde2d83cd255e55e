/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The ladder of auto: its page, joints alone, small islands, the facts and the explanation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "check.h"
#include "ladder_rungs.h"
#include "moreau/moreau.h"
#include "scarce_memory.h"
#include "scenes.h"

/* ---- the page -------------------------------------------------------------------------------- */

static const char *budget_text(int budget)
{
    static char text[40];
    if (budget >= 1000)
        snprintf(text, sizeof text, "%d,%03d", budget / 1000, budget % 1000);
    else
        snprintf(text, sizeof text, "%d", budget);
    return budget == MO_ALL || budget == MO_BACK ? "all"
           : budget == MO_SLICES                 ? "slices of 40, 80, 160, ..."
           : budget == MO_MORE                   ? "at most 20"
                                                 : text;
}

static void the_page_shows_the_ladder(void **state)
{
    (void)state;
    static const char *const scopes[] = {"", "whole", "island", "both"};
    static const char *const starts[] = {"at the best", "where the last ended", "at a given start",
                                         "at zero"};
    FILE *page = fopen(MOREAU_SOURCE_DIR "/docs/methods/auto.md", "r");
    char line[1000], expected[1000];
    int rows = 0;
    CHECK(page != NULL);
    while (fgets(line, sizeof line, page)) {
        if (line[0] != '|' || strncmp(line, "| rung", 6) == 0 || line[1] == '-') continue;
        CHECK(rows < mo_ladder_count);
        const mo_rung *rung = mo_ladder + rows++;
        snprintf(expected, sizeof expected, "| %s | %s | %s | %s | %s | %s |\n", rung->name,
                 scopes[rung->scope], rung->method->name, rung->reason, budget_text(rung->budget),
                 starts[rung->start]);
        assert_string_equal(line, expected);
    }
    fclose(page);
    CHECK(rows == mo_ladder_count && rows <= MO_RUNGS_MOST);
    assert_string_equal(mo_rung_in_place->name, "few sweeps");
}

/* ---- joints alone ---------------------------------------------------------------------------- */

/* `chains` chains of ball joints that share no body, each hung from the world. */
static mo_problem *make_chains(const mo_allocator *allocator, int chains, int links)
{
    static const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[3] = {-1, 0.3, 0.1}, w[3] = {0};
    static const double minus[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
    const mo_law law = mo_law_bilateral();
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(allocator, &builder) == MO_OK);
    for (int k = 0; k < chains * links; ++k) {
        mo_builder_add_body(builder, 3, M, f);
        mo_builder_add_constraint(builder, 3, &law, w);
        mo_builder_add_jacobian(builder, k, k, 3, 3, M);
        if (k % links > 0) mo_builder_add_jacobian(builder, k, k - 1, 3, 3, minus);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* Equations: at any tolerance, and in any number of islands. */
static void joints_alone_are_never_swept(void **state)
{
    (void)state;
    static const double tols[] = {1e-8, 1e-5, 1e-3};
    for (int k = 0; k < 9; ++k) {
        mo_problem *problem = make_chains(NULL, 1 + k / 3, 80);
        mo_result result = solve(problem, tols[k % 3]);
        CHECK(result.status == MO_SOLVED && result.iterations <= 5);
        CHECK(!taken(&result, "few sweeps") && !taken(&result, "long sweeps"));
        CHECK(taken(&result, "newton")->islands == 1 + k / 3);
        CHECK(result.explanation.facts.is_linear);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* Islands of few rows, in a problem of too many for the dense form. */
static void small_islands_are_solved_in_dense_form(void **state)
{
    (void)state;
    mo_problem *problem = make_chains(NULL, 5, 10);
    mo_result result = solve(problem, 1e-8);
    CHECK(result.status == MO_SOLVED && result.iterations <= 5);
    CHECK(taken(&result, "few steps") && taken(&result, "few steps")->islands == 5);
    CHECK(!taken(&result, "newton"));
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* No cost is made up where memory runs out in its plan. */
static void facts_are_whole_where_memory_runs_out(void **state)
{
    (void)state;
    int failures = 0;
    for (long n = 0; n < 100; ++n) {
        scarce memory = {.left = SCARCE_PLENTY};
        const mo_allocator allocator = {scarce_reallocate, &memory};
        mo_problem *problem = make_chains(&allocator, 1, 20);
        const mo_options options = mo_default_options();
        mo_run run = {.problem = problem, .options = &options, .q_scale = 1, .best = INFINITY};
        mo_walk walk;
        memset(&walk, 0x7f, sizeof walk);
        memory.left = n;
        walk = mo_walk_begin(&run);
        const mo_error error = mo_walk_plan(&walk, &run);
        CHECK(!error || (walk.facts.factor_cost == 0 && !walk.facts.space && walk.afford == 0));
        CHECK(error || walk.facts.factor_cost > 0);
        CHECK(walk.facts.constraints == 20 && walk.facts.rows == 60);
        failures += error != MO_OK;
        mo_problem_destroy(problem);
        CHECK(memory.live == 0);
    }
    CHECK(failures > 0 && failures < 100);
}

/*
 * A packing of many balls, swept without success to a rough tolerance: its factors cost hundreds of
 * sweeps, so it is swept on.  With factors as cheap as those of columns of boxes the path follows.
 */
static void dear_factors_are_avoided_after_rough_sweeps(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(2000, 1, &problem, NULL) == MO_OK);
    mo_options options = mo_default_options();
    options.tol = 2e-3;
    mo_result result = {.iterations = 600};
    mo_run run = {
        .problem = problem, .options = &options, .result = &result, .q_scale = 1, .best = 1};
    mo_walk walk = mo_walk_begin(&run);
    CHECK(mo_walk_plan(&walk, &run) == MO_OK);
    walk.has_swept = 2;
    mo_walk cheap = walk;
    cheap.afford = 700;
    CHECK(strcmp(mo_walk_next(&walk, &run)->name, "sweeps alone") == 0);
    CHECK(strcmp(mo_walk_next(&cheap, &run)->name, "ipm") == 0);
    mo_problem_destroy(problem);
}

static void the_explanation_adds_up(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(300, 1, &problem, NULL) == MO_OK);
    mo_result result = solve(problem, 1e-8);
    const mo_explanation *e = &result.explanation;
    int iterations = 0;
    double seconds = 0;
    for (int k = 0; k < e->rung_count; ++k) {
        CHECK(e->rung[k].islands >= 1 && e->rung[k].seconds >= 0 && e->rung[k].reason[0]);
        iterations += e->rung[k].iterations;
        seconds += e->rung[k].seconds;
    }
    CHECK(e->rung_count > 0 && iterations == result.iterations && seconds <= result.seconds);
    CHECK(e->rung[e->rung_count - 1].residual <= 1e-8);
    CHECK(e->facts.factor_cost > e->facts.sweep_cost && e->facts.sweep_cost > 0);
    CHECK(e->facts.laws == 1u << MO_LAW_COULOMB && e->facts.start_residual > 1);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_shows_the_ladder),
        cmocka_unit_test(joints_alone_are_never_swept),
        cmocka_unit_test(small_islands_are_solved_in_dense_form),
        cmocka_unit_test(facts_are_whole_where_memory_runs_out),
        cmocka_unit_test(dear_factors_are_avoided_after_rough_sweeps),
        cmocka_unit_test(the_explanation_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
