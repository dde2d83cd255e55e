/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* auto: from one contact to thousands without an option, and the truth about what it could not
 * solve. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "moreau/moreau.h"
#include "scenes.h"

/* Solved by auto with nothing set; the residual is measured anew. */
static mo_result solve(const mo_problem *problem, double tol)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_residual residual;
    options.tol = tol;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
    /* to rounding */
    CHECK_NEAR(result.residual.natural, residual.natural, 1e-10 * residual.natural);
    CHECK((result.status == MO_SOLVED) == (residual.natural_relative <= tol));
    return result;
}

static void check_solved(const mo_problem *problem, double tol, const char *what)
{
    mo_result result = solve(problem, tol);
    if (result.status != MO_SOLVED) {
        fail_msg("%s: %s at %g. %s", what, mo_status_name(result.status),
                 result.residual.natural_relative, result.message.text);
    }
    mo_result_clear(&result);
}

static void one_contact_needs_one_visit_and_no_summary(void **state)
{
    (void)state;
    scene_particle_def def = scene_particle_default();
    mo_problem *problem;
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    mo_result result = solve(problem, 1e-12);
    CHECK(result.status == MO_SOLVED && result.iterations == 1 && result.message.text[0] == '\0');
    CHECK_NEAR(result.r[0], 0.5, 1e-14);
    CHECK_NEAR(result.r[1], -0.25, 1e-14);
    CHECK_NEAR(result.u[1], 0.75, 1e-14); /* u and v are those of this r */
    CHECK_NEAR(result.v[1], 0.75, 1e-14);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void towers_stand_or_are_pushed(void **state)
{
    (void)state;
    static const double ratios[] = {1e-6, 1, 1e6}, pushes[] = {0, 0.3, 2}, mus[] = {0.1, 0.5, 1.5};
    for (int k = 0; k < 27; ++k) {
        scene_stack_def def = scene_stack_default();
        mo_problem *problem;
        char what[80];
        def.boxes = 2 + k % 7;
        def.mass_ratio = ratios[k % 3];
        def.push = pushes[k / 3 % 3];
        def.mu = mus[k / 9];
        CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
        snprintf(what, sizeof what, "%d boxes, ratio %g, mu %g, push %g", def.boxes, def.mass_ratio,
                 def.mu, def.push);
        check_solved(problem, 1e-8, what);
        mo_problem_destroy(problem);
    }
}

static void planted_problems_of_every_size_are_solved(void **state)
{
    (void)state;
    static const int sizes[] = {5, 20, 60, 150};
    for (int k = 0; k < 24; ++k) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        double *planted;
        char what[80];
        def.seed = (uint64_t)(900 + k);
        def.constraints = sizes[k % 4];
        def.bodies = def.constraints / 2;
        def.mass_ratio = k % 3 == 0 ? 1 : k % 3 == 1 ? 1e2 : 1e4;
        def.mu_max = k % 2 ? 0.9 : 0.4;
        def.laws = k % 5 ? SCENE_COULOMB : SCENE_COULOMB | SCENE_BILATERAL;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        snprintf(what, sizeof what, "planted %d, %d constraints", 900 + k, def.constraints);
        check_solved(problem, 1e-8, what);
        free(planted);
        mo_problem_destroy(problem);
    }
}

/* A loose tolerance is met by sweeps: no method that factors is started. */
static void a_packing_at_simulation_accuracy_is_swept(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(1500, 2, &problem, NULL) == MO_OK);
    mo_result result = solve(problem, 1e-3);
    CHECK(result.status == MO_SOLVED && strstr(result.message.text, "newton") == NULL);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void momentum_reaches_the_same_residual_in_fewer_sweeps(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(1500, 2, &problem, NULL) == MO_OK);
    int sweeps[2];
    for (int k = 0; k < 2; ++k) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = "nsgs";
        options.tol = 1e-3;
        options.nsgs.momentum = 10 * k;
        CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
        sweeps[k] = result.iterations;
        mo_result_clear(&result);
    }
    CHECK(2 * sweeps[1] < sweeps[0]);
    mo_problem_destroy(problem);
}

/* Friction at which momentum alone would diverge: the guard keeps the best residual falling. */
static void momentum_does_no_harm_at_large_friction(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    mo_problem *problem;
    def.mu = 1.5;
    def.push = 0.3;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    double residual[2];
    for (int k = 0; k < 2; ++k) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = "nsgs";
        options.tol = 0;
        options.max_iter = 500;
        options.nsgs.momentum = 10 * k;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        residual[k] = result.residual.natural;
        mo_result_clear(&result);
    }
    CHECK_BELOW(residual[1], 2 * residual[0]);
    mo_problem_destroy(problem);
}

static void every_limit_is_kept_in_the_midst_of_every_stage(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(300, 1, &problem, NULL) == MO_OK);
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.max_iter = 0;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    CHECK(result.status == MO_ITERATION_LIMIT && result.iterations == 0);
    for (int limit = 1; limit < 120; limit += 17) { /* in the midst of every stage */
        options.max_iter = limit;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(result.status == MO_SOLVED ||
              (result.status == MO_ITERATION_LIMIT && result.iterations == limit));
    }
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* Joints alone are equations: a sweep carries news of a pull along one link, Newton's method along
 * all. */
static void a_chain_of_joints_takes_a_few_steps_and_no_sweep(void **state)
{
    (void)state;
    for (int links = 2; links <= 200; links *= 10) {
        scene_chain_def def = scene_chain_default();
        mo_problem *problem;
        mo_result result = {0};
        def.links = links;
        CHECK(scene_joint_chain(&def, &problem, NULL) == MO_OK);
        CHECK(mo_solve(problem, NULL, &result) == MO_OK);
        CHECK(result.status == MO_SOLVED && result.iterations <= 5);
        CHECK(strstr(result.message.text, "sweeps") == NULL);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* A packing to 1e-8 takes steps that factor; a limit on these ends the solve, and sweeps go on. */
static void steps_that_factor_are_limited(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(300, 1, &problem, NULL) == MO_OK);
    for (int limit = 0; limit <= 8; limit += 4) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.ladder.steps = limit;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        int steps = 0;
        for (int k = 0; k < result.explanation.rung_count; ++k) {
            const mo_rung_report *rung = result.explanation.rung + k;
            const int sweeps = strstr(rung->name, "sweeps") != NULL;
            steps += sweeps ? 0 : rung->iterations;
        }
        CHECK(limit == 0 ? steps > 8 : steps == limit);
        CHECK((result.status == MO_SOLVED) == (limit == 0));
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_needs_one_visit_and_no_summary),
        cmocka_unit_test(towers_stand_or_are_pushed),
        cmocka_unit_test(planted_problems_of_every_size_are_solved),
        cmocka_unit_test(a_packing_at_simulation_accuracy_is_swept),
        cmocka_unit_test(momentum_reaches_the_same_residual_in_fewer_sweeps),
        cmocka_unit_test(momentum_does_no_harm_at_large_friction),
        cmocka_unit_test(every_limit_is_kept_in_the_midst_of_every_stage),
        cmocka_unit_test(a_chain_of_joints_takes_a_few_steps_and_no_sweep),
        cmocka_unit_test(steps_that_factor_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
