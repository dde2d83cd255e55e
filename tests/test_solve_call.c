/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What a call of mo_solve promises for every method: starts, limits, watchers, bits, memory
 * (every_method.h). */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "every_method.h"
#include "moreau/moreau.h"
#include "scenes.h"

/* ---- the call -------------------------------------------------------------------------------- */

static mo_problem *stack(int boxes)
{
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.boxes = boxes;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    return problem;
}

static void a_warm_start_at_the_solution_needs_no_iteration(void **state)
{
    (void)state;
    mo_problem *problem = stack(3);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, problem)) continue;
        mo_options options = options_of(m);
        mo_result result = solved(m, problem, 1e-8);
        CHECK(result.iterations > 0);
        options.tol = 1e-8;
        options.start = result.r; /* the result's own vector: allowed */
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_SOLVED && result.iterations == 0);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void every_limit_ends_with_its_own_status_and_the_best_iterate(void **state)
{
    (void)state;
    mo_problem *problem = stack(4);
    const int stop = 1;
    for (int m = 0; m < mo_method_count(); ++m) {
        mo_options options = options_of(m);
        mo_result result = {0};
        options.tol = 0;
        options.max_iter = 0;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_ITERATION_LIMIT && result.iterations == 0);
        const double at_start = result.residual.natural;
        options.max_iter = 7;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        if (result.status != MO_STALLED) /* a direct method may be through before that */
            CHECK(result.status == MO_ITERATION_LIMIT && result.iterations == 7);
        CHECK(result.residual.natural < at_start);
        options.time_limit = 0;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_TIME_LIMIT);
        options.time_limit = INFINITY;
        options.cancel = &stop;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_CANCELLED);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

typedef struct watcher {
    int calls, stop_after, stop;
    double last;
} watcher;

static void watch(void *user, const mo_progress *now, const double *r)
{
    watcher *w = user;
    CHECK(r != NULL && now->residual >= 0);
    w->last = now->residual;
    w->stop = ++w->calls >= w->stop_after;
}

static void a_watcher_sees_every_check_and_can_stop_the_run(void **state)
{
    (void)state;
    mo_problem *problem = stack(4);
    for (int m = 0; m < mo_method_count(); ++m) {
        mo_options options = options_of(m);
        mo_result result = {0};
        watcher w = {.stop_after = 5};
        options.tol = 0;
        options.progress = watch;
        options.progress_user = &w;
        options.cancel = &w.stop;
        options.history = 1;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        if (result.status ==
            MO_STALLED) /* a direct method that was through before the fifth check */
            CHECK(w.calls < 5);
        else
            CHECK(result.status == MO_CANCELLED && w.calls == 5);
        CHECK(result.history_count == w.calls && result.history[0].iteration == 0);
        CHECK(result.history[w.calls - 1].residual == w.last);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void a_long_history_is_thinned_not_grown(void **state)
{
    (void)state;
    mo_problem *problem = stack(4);
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = "nsgs";
    options.tol = 0;
    options.history = 1;
    options.max_iter = 20000;
    options.nsgs.check_every = 1;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(result.history_count > 1000 && result.history_count <= 4096);
    for (int k = 1; k < result.history_count; ++k)
        CHECK(result.history[k].iteration > result.history[k - 1].iteration);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* r and v of a few iterations, for one to three threads and twice each. */
static void check_bits(const mo_problem *problem, int method)
{
    mo_result first = {0};
    for (int run = 0; run < 6; ++run) {
        mo_options options = options_of(method);
        mo_result result = {0};
        options.max_iter = 12;
        options.threads = 1 + run / 2;
        const mo_error error = mo_solve(problem, &options, &result);
        if (error == MO_ERR_UNSUPPORTED) { /* too large for it, and it says so */
            CHECK(strlen(result.message.text) > 20);
            continue;
        }
        CHECK(error == MO_OK);
        if (!first.r) {
            first = result;
            continue;
        }
        CHECK(memcmp(first.r, result.r, sizeof(double) * (size_t)first.row_count) == 0);
        CHECK(memcmp(first.v, result.v, sizeof(double) * (size_t)first.dof_count) == 0);
        CHECK(first.residual.natural == result.residual.natural);
        mo_result_clear(&result);
    }
    mo_result_clear(&first);
}

static void the_same_call_gives_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    mo_problem *small, *large;
    CHECK(scene_packing(200, 3, &small, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m)
        check_bits(small, m);
    mo_problem_destroy(small);
    CHECK(scene_packing(6000, 3, &large, NULL) == MO_OK); /* large enough for sweeps by colours */
    check_bits(large, mo_method_find("auto"));
    check_bits(large, mo_method_find("nsgs"));
    check_bits(large, mo_method_find("prox"));
    mo_problem_destroy(large);
}

static void a_wrong_call_is_an_error_with_a_sentence(void **state)
{
    (void)state;
    mo_problem *problem = stack(2);
    double start[64] = {0};
    mo_result result = {0};
    mo_options options = mo_default_options();
    CHECK(mo_solve(NULL, &options, &result) == MO_ERR_ARGUMENT && result.message.text[0]);
    options.method = "no such method";
    CHECK(mo_solve(problem, &options, &result) == MO_ERR_ARGUMENT);
    CHECK(strstr(result.message.text, "no such method"));
    options = mo_default_options();
    start[3] = NAN;
    options.start = start;
    CHECK(mo_solve(problem, &options, &result) == MO_ERR_ARGUMENT);
    CHECK(strstr(result.message.text, "finite"));
    options = mo_default_options();
    options.tol = -1;
    CHECK(mo_solve(problem, &options, &result) == MO_ERR_ARGUMENT);
    CHECK(strstr(result.message.text, "tol"));
    CHECK(mo_solve(problem, NULL, &result) == MO_OK); /* and the result is still good for use */
    CHECK(result.status == MO_SOLVED);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void a_result_is_used_again_for_a_larger_problem(void **state)
{
    (void)state;
    mo_result result = {0};
    for (int boxes = 1; boxes <= 3; ++boxes) {
        mo_problem *problem = stack(boxes);
        CHECK(mo_solve(problem, NULL, &result) == MO_OK && result.status == MO_SOLVED);
        CHECK(result.dof_count == 6 * boxes);
        mo_problem_destroy(problem);
    }
    mo_result_clear(&result);
    mo_result_clear(&result); /* harmless */
}

static void methods_and_statuses_describe_themselves(void **state)
{
    (void)state;
    CHECK(mo_method_count() >= 2);
    int defaults = 0;
    for (int m = 0; m < mo_method_count(); ++m) {
        const mo_method_info info = mo_method_describe(m);
        CHECK(strlen(info.name) > 2 && strlen(info.summary) > 10 && strlen(info.paper) > 2 &&
              info.laws);
        CHECK(mo_method_find(info.name) == m);
        defaults += info.is_default;
    }
    CHECK(defaults == 1 && mo_method_find("") == -1 && mo_method_describe(-1).name == NULL);
    for (int s = 0; s < MO_STATUS_COUNT; ++s) {
        CHECK(strlen(mo_status_name((mo_status)s)) > 3 &&
              strlen(mo_status_text((mo_status)s)) > 10);
    }
    assert_string_equal(mo_status_name((mo_status)99), "unknown");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void *counting(void *user, void *p, size_t size)
{
    if (size == 0) {
        free(p);
        return NULL;
    }
    ++*(long *)user;
    return realloc(p, size);
}

static void nothing_is_allocated_inside_iterations(void **state)
{
    (void)state;
    long requests = 0;
    const mo_allocator allocator = {counting, &requests};
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, down[3] = {-1, 0.2, 0},
                 turn[9] = {0, 1, 0, 0.6, 0, 0.8, 0.8, 0, -0.6};
    const mo_law law = mo_law_coulomb(0.3);
    for (int m = 0; m < mo_method_count(); ++m) {
        long counts[2];
        for (int k = 0; k < 2; ++k) {
            mo_builder *builder;
            CHECK(mo_builder_create(&allocator, &builder) == MO_OK);
            mo_builder_add_body(builder, 3, identity, down);
            mo_builder_add_constraint(builder, 3, &law, NULL);
            mo_builder_add_constraint(builder, 3, &law, down);
            mo_builder_add_jacobian(builder, 0, 0, 3, 3, identity);
            mo_builder_add_jacobian(builder, 1, 0, 3, 3, turn);
            mo_problem *problem = finish(builder);
            mo_options options = options_of(m);
            mo_result result = {0};
            options.tol = 0;
            options.max_iter = k ? 20 : 2;
            if (m ==
                /* auto asks for memory between its stages, of which the first has two iterations */
                0)
                options.max_iter = k ? 2 : 1;
            requests = 0;
            CHECK(mo_solve(problem, &options, &result) == MO_OK);
            CHECK(result.bytes > 0);
            counts[k] = requests;
            mo_result_clear(&result);
            mo_problem_destroy(problem);
        }
        CHECK(counts[0] == counts[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warm_start_at_the_solution_needs_no_iteration),
        cmocka_unit_test(every_limit_ends_with_its_own_status_and_the_best_iterate),
        cmocka_unit_test(a_watcher_sees_every_check_and_can_stop_the_run),
        cmocka_unit_test(a_long_history_is_thinned_not_grown),
        cmocka_unit_test(the_same_call_gives_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_wrong_call_is_an_error_with_a_sentence),
        cmocka_unit_test(a_result_is_used_again_for_a_larger_problem),
        cmocka_unit_test(methods_and_statuses_describe_themselves),
        cmocka_unit_test(nothing_is_allocated_inside_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
