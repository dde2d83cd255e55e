/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The contract of mo_solve, asked of every method in the list: a new method joins these tests by itself.
 * Answers are judged by the measure and by closed forms, never by what a method says of itself.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scenes.h"

static const double degree = 0.017453292519943295;

static mo_options options_of(int method)
{
    mo_options options = mo_default_options();
    options.method = mo_method_describe(method).name;
    options.max_iter = 200000;
    return options;
}

/* The laws of a problem as bits, and those of blocks with more than two rows. */
static unsigned laws_of(const mo_problem *problem, int least_dim)
{
    unsigned bits = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        bits |= view.dim >= least_dim ? 1u << view.law.kind : 0;
    }
    return bits;
}

/* Does the method take these laws, and as they are?  Some replace the cone by facets, or relax it. */
static int is_exact(int method, const mo_problem *problem)
{
    const mo_method_info info = mo_method_describe(method);
    const unsigned laws = laws_of(problem, 0);
    return !(laws & ~info.laws) && !(laws & info.relaxed) && !(laws_of(problem, 3) & info.by_facets);
}

/* Solves to `tol` and checks the answer with the measure. */
static mo_result solved(int method, const mo_problem *problem, double tol)
{
    mo_options options = options_of(method);
    mo_result result = {0};
    options.tol = tol;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s after %d iterations, residual %g. %s", options.method,
                 mo_status_word(result.status), result.iterations, result.residual.natural_relative,
                 result.message.text);
    }
    mo_residual residual;
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    CHECK_BELOW(residual.natural_relative, tol);
    CHECK(residual.natural == result.residual.natural);
    return result;
}

/* ---- closed forms -------------------------------------------------------------------------- */

static void a_block_on_a_gentle_slope_sticks_for_every_method(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    def.angle = 20 * degree; /* tan 20 < 0.5 */
    mo_problem *problem;
    CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, problem)) {
            continue;
        }
        mo_result result = solved(m, problem, 1e-9);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(result.v[k], 0, 1e-8);
        }
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void a_block_on_a_steep_slope_slides_as_newton_says(void **state)
{
    (void)state;
    for (int mu = 0; mu <= 4; ++mu) {
        scene_slope_def def = scene_slope_default();
        def.angle = 35 * degree;
        def.mu = 0.15 * mu; /* tan 35 = 0.70 */
        mo_problem *problem;
        CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
        for (int m = 0; m < mo_method_count(); ++m) {
            if (!is_exact(m, problem)) {
                continue;
            }
            mo_result result = solved(m, problem, 1e-10);
            const double speed = SCENE_GRAVITY * def.step * (sin(def.angle) - def.mu * cos(def.angle));
            double pressed = 0;
            for (int i = 0; i < 4; ++i) {
                pressed += result.r[3 * i];
            }
            CHECK_NEAR(result.v[0], speed, 1e-8);
            CHECK_NEAR(pressed, SCENE_GRAVITY * def.step * cos(def.angle), 1e-8);
            for (int k = 1; k < 6; ++k) {
                CHECK_NEAR(result.v[k], 0, 1e-8);
            }
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

static void a_particle_is_solved_by_every_method_as_on_paper(void **state)
{
    (void)state;
    static const double gravities[] = {-10, -5.1, -5, -4, 0};
    for (int g = 0; g < 5; ++g) {
        scene_particle_def def = scene_particle_default();
        def.gravity = gravities[g];
        mo_problem *problem;
        CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
        const double b_N = def.velocity[0] + def.step * def.gravity + def.gap / def.step;
        for (int m = 0; m < mo_method_count(); ++m) {
            if (!is_exact(m, problem)) {
                continue;
            }
            mo_result result = solved(m, problem, 1e-12);
            CHECK_NEAR(result.r[0], fmax(0, -b_N), 1e-11);
            CHECK_NEAR(result.r[1], -0.5 * fmax(0, -b_N), 1e-11);
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

static void a_hanging_chain_carries_its_weight_in_its_joints(void **state)
{
    (void)state;
    scene_chain_def def = scene_chain_default();
    def.links = 4;
    def.angle = 0;
    mo_problem *problem;
    CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, problem)) {
            continue;
        }
        mo_result result = solved(m, problem, 1e-10);
        for (int k = 0; k < result.dof_count; ++k) {
            CHECK_NEAR(result.v[k], 0, 1e-7);
        }
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void a_stack_at_rest_stays_at_rest(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    def.boxes = 3;
    def.push = 0.2;
    mo_problem *problem;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, problem)) {
            continue;
        }
        mo_result result = solved(m, problem, 1e-8);
        for (int k = 0; k < result.dof_count; ++k) {
            CHECK_NEAR(result.v[k], 0, 1e-5);
        }
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

/* ---- extremes ------------------------------------------------------------------------------ */

static mo_problem *finish(mo_builder *builder)
{
    mo_problem *problem;
    mo_message why;
    if (mo_builder_finish(builder, &problem, &why)) {
        fail_msg("%s", why.text);
    }
    mo_builder_destroy(builder);
    return problem;
}

static mo_builder *new_builder(void)
{
    mo_builder *builder = NULL;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    return builder;
}

static void no_contact_at_all_is_solved_at_once(void **state)
{
    (void)state;
    const double M[4] = {2, 0, 0, 4}, f[2] = {1, 1};
    mo_builder *builder = new_builder();
    mo_problem *empty = finish(new_builder());
    mo_builder_add_body(builder, 2, M, f);
    mo_problem *free_body = finish(builder);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, empty)) {
            continue;
        }
        mo_result result = solved(m, empty, 1e-8);
        CHECK(result.iterations == 0 && result.row_count == 0);
        mo_result_clear(&result);
        result = solved(m, free_body, 1e-8);
        CHECK_NEAR(result.v[0], 0.5, 1e-15);
        CHECK_NEAR(result.v[1], 0.25, 1e-15);
        mo_result_clear(&result);
    }
    mo_problem_destroy(empty);
    mo_problem_destroy(free_body);
}

static void contacts_between_fixed_things_are_solved_or_refuted(void **state)
{
    (void)state;
    const double apart[3] = {0.5, 1, 0}, into[3] = {-0.5, 1, 0}, still[2] = {0, 0}, moving[2] = {0, 0.1};
    const mo_law contact = mo_law_coulomb(0.4), joint = mo_law_bilateral();
    for (int bad = 0; bad < 3; ++bad) { /* none, a contact, a joint */
        mo_builder *builder = new_builder();
        mo_builder_add_constraint(builder, 3, &contact, apart);
        mo_builder_add_constraint(builder, 3, &contact, bad == 1 ? into : apart);
        mo_builder_add_constraint(builder, 2, &joint, bad == 2 ? moving : still);
        mo_problem *problem = finish(builder);
        for (int m = 0; m < mo_method_count(); ++m) {
            mo_options options = options_of(m);
            mo_result result = {0};
            CHECK(mo_solve(problem, &options, &result) == MO_OK);
            CHECK(result.status == (bad ? MO_NO_SOLUTION : MO_SOLVED));
            if (bad) { /* says which one */
                CHECK(strstr(result.message.text, bad == 1 ? "constraint 1" : "constraint 2"));
            }
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

static void one_contact_is_solved_for_every_mu_from_zero_to_infinity(void **state)
{
    (void)state;
    static const double mus[] = {0, 1e-6, 0.1, 0.5, 1, 2, 1e3};
    for (int k = 0; k < 7; ++k) {
        scene_particle_def def = scene_particle_default();
        def.mu = mus[k];
        mo_problem *problem;
        CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
        for (int m = 0; m < mo_method_count(); ++m) {
            if (!is_exact(m, problem)) {
                continue;
            }
            mo_result result = solved(m, problem, 1e-12);
            CHECK_NEAR(result.r[0], 0.5, 1e-9);
            CHECK_NEAR(result.r[1], -fmin(1, 0.5 * mus[k]), 1e-9);
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

static void a_heavy_box_on_a_light_one_is_solved_or_said_not_to_be(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    def.boxes = 2;
    def.mass_ratio = 1e6;
    mo_problem *problem;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        mo_options options = options_of(m);
        mo_result result = {0};
        options.max_iter = 2000;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        mo_residual residual;
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= options.tol));
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void joints_with_a_redundant_row_are_solved(void **state)
{
    (void)state;
    scene_chain_def def = scene_chain_default();
    def.links = 3;
    def.closed = 1;
    def.angle = 0.3;
    mo_problem *problem;
    CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, problem)) {
            continue;
        }
        mo_result result = solved(m, problem, 1e-8);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void global_and_reduced_form_give_the_same_velocity(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    def.angle = 35 * degree;
    mo_problem *problem, *reduced;
    CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, problem)) {
            continue;
        }
        mo_result a = solved(m, problem, 1e-11), b = solved(m, reduced, 1e-11);
        CHECK(b.dof_count == 0);
        for (int k = 0; k < a.row_count; ++k) {
            CHECK_NEAR(a.u[k], b.u[k], 1e-8);
        }
        mo_result_clear(&a);
        mo_result_clear(&b);
    }
    mo_problem_destroy(problem);
    mo_problem_destroy(reduced);
}

static void laws_of_all_kinds_together_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.bodies = 6;
        def.constraints = 8;
        def.in_plane = seed % 2 == 0;
        def.laws = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX |
                   (def.in_plane ? 0u : (unsigned)(SCENE_ROLLING | SCENE_SOFT_FINGER));
        def.mu_max = 0.5;
        def.compliance = seed % 3 == 0 ? 1e-2 : 0;
        mo_problem *problem;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        mo_result first = solved(0, problem, 1e-9);
        for (int m = 1; m < mo_method_count(); ++m) {
            if (!is_exact(m, problem)) {
                continue;
            }
            mo_result result = solved(m, problem, 1e-9);
            for (int k = 0; k < result.dof_count; ++k) { /* small mu: the velocity is unique */
                CHECK_NEAR(result.v[k], first.v[k], 1e-5);
            }
            mo_result_clear(&result);
        }
        mo_result_clear(&first);
        mo_problem_destroy(problem);
    }
}

/* A method that solves another law than the problem's says so by its status, never by silence. */
static void a_method_that_solves_another_law_is_judged_by_the_true_one(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    def.angle = 35 * degree;
    mo_problem *problem;
    CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        mo_options options = options_of(m);
        mo_result result = {0};
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        mo_residual residual;
        CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
        CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= options.tol));
        if (!is_exact(m, problem)) { /* a block that slides downhill: facets and relaxations both show */
            CHECK(result.status == MO_SOLVED || strlen(result.message.text) > 20);
        }
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

/* ---- the call ------------------------------------------------------------------------------ */

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
        if (!is_exact(m, problem)) {
            continue;
        }
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
        if (result.status != MO_STALLED) { /* a direct method may be through before that */
            CHECK(result.status == MO_ITERATION_LIMIT && result.iterations == 7);
        }
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
        if (result.status == MO_STALLED) { /* a direct method that was through before the fifth check */
            CHECK(w.calls < 5);
        } else {
            CHECK(result.status == MO_CANCELLED && w.calls == 5);
        }
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
    for (int k = 1; k < result.history_count; ++k) {
        CHECK(result.history[k].iteration > result.history[k - 1].iteration);
    }
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
    for (int m = 0; m < mo_method_count(); ++m) {
        check_bits(small, m);
    }
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
        CHECK(strlen(info.name) > 2 && strlen(info.summary) > 10 && strlen(info.paper) > 2 && info.laws);
        CHECK(mo_method_find(info.name) == m);
        defaults += info.is_default;
    }
    CHECK(defaults == 1 && mo_method_find("") == -1 && mo_method_describe(-1).name == NULL);
    for (int s = 0; s < MO_STATUS_COUNT; ++s) {
        CHECK(strlen(mo_status_word((mo_status)s)) > 3 && strlen(mo_status_text((mo_status)s)) > 10);
    }
    assert_string_equal(mo_status_word((mo_status)99), "unknown");
}

/* ---- memory -------------------------------------------------------------------------------- */

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
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, down[3] = {-1, 0.2, 0}, turn[9] = {0, 1, 0, 0.6, 0, 0.8, 0.8, 0, -0.6};
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
            if (m == 0) { /* auto asks for memory between its stages, of which the first has two iterations */
                options.max_iter = k ? 2 : 1;
            }
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
        cmocka_unit_test(a_block_on_a_gentle_slope_sticks_for_every_method),
        cmocka_unit_test(a_block_on_a_steep_slope_slides_as_newton_says),
        cmocka_unit_test(a_particle_is_solved_by_every_method_as_on_paper),
        cmocka_unit_test(a_hanging_chain_carries_its_weight_in_its_joints),
        cmocka_unit_test(a_stack_at_rest_stays_at_rest),
        cmocka_unit_test(no_contact_at_all_is_solved_at_once),
        cmocka_unit_test(contacts_between_fixed_things_are_solved_or_refuted),
        cmocka_unit_test(one_contact_is_solved_for_every_mu_from_zero_to_infinity),
        cmocka_unit_test(a_heavy_box_on_a_light_one_is_solved_or_said_not_to_be),
        cmocka_unit_test(joints_with_a_redundant_row_are_solved),
        cmocka_unit_test(global_and_reduced_form_give_the_same_velocity),
        cmocka_unit_test(laws_of_all_kinds_together_are_solved),
        cmocka_unit_test(a_method_that_solves_another_law_is_judged_by_the_true_one),
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
