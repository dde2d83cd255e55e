/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Every method on problems whose answer is known, and on extreme ones (every_method.h). */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "every_method.h"
#include "moreau/moreau.h"
#include "scenes.h"

static const double degree = 0.017453292519943295;

/* ---- closed forms ---------------------------------------------------------------------------- */

static void a_block_on_a_gentle_slope_sticks_for_every_method(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    def.angle = 20 * degree; /* tan 20 < 0.5 */
    mo_problem *problem;
    CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, problem)) continue;
        mo_result result = solved(m, problem, 1e-9);
        for (int k = 0; k < 6; ++k)
            CHECK_NEAR(result.v[k], 0, 1e-8);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

static void a_block_on_a_steep_slope_slides_by_newtons_law(void **state)
{
    (void)state;
    for (int mu = 0; mu <= 4; ++mu) {
        scene_slope_def def = scene_slope_default();
        def.angle = 35 * degree;
        def.mu = 0.15 * mu; /* tan 35 = 0.70 */
        mo_problem *problem;
        CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
        for (int m = 0; m < mo_method_count(); ++m) {
            if (!is_exact(m, problem)) continue;
            mo_result result = solved(m, problem, 1e-10);
            const double speed =
                SCENE_GRAVITY * def.step * (sin(def.angle) - def.mu * cos(def.angle));
            double pressed = 0;
            for (int i = 0; i < 4; ++i)
                pressed += result.r[3 * i];
            CHECK_NEAR(result.v[0], speed, 1e-8);
            CHECK_NEAR(pressed, SCENE_GRAVITY * def.step * cos(def.angle), 1e-8);
            for (int k = 1; k < 6; ++k)
                CHECK_NEAR(result.v[k], 0, 1e-8);
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
            if (!is_exact(m, problem)) continue;
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
        if (!is_exact(m, problem)) continue;
        mo_result result = solved(m, problem, 1e-10);
        for (int k = 0; k < result.dof_count; ++k)
            CHECK_NEAR(result.v[k], 0, 1e-7);
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
        if (!is_exact(m, problem)) continue;
        mo_result result = solved(m, problem, 1e-8);
        for (int k = 0; k < result.dof_count; ++k)
            CHECK_NEAR(result.v[k], 0, 1e-5);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

/* ---- extremes -------------------------------------------------------------------------------- */

static void no_contact_at_all_is_solved_at_once(void **state)
{
    (void)state;
    const double M[4] = {2, 0, 0, 4}, f[2] = {1, 1};
    mo_builder *builder = new_builder();
    mo_problem *empty = finish(new_builder());
    mo_builder_add_body(builder, 2, M, f);
    mo_problem *free_body = finish(builder);
    for (int m = 0; m < mo_method_count(); ++m) {
        if (!is_exact(m, empty)) continue;
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
    const double apart[3] = {0.5, 1, 0}, into[3] = {-0.5, 1, 0}, still[2] = {0, 0},
                 moving[2] = {0, 0.1};
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
            if (bad) /* says which one */
                CHECK(strstr(result.message.text, bad == 1 ? "constraint 1" : "constraint 2"));
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
            if (!is_exact(m, problem)) continue;
            mo_result result = solved(m, problem, 1e-12);
            CHECK_NEAR(result.r[0], 0.5, 1e-9);
            CHECK_NEAR(result.r[1], -fmin(1, 0.5 * mus[k]), 1e-9);
            mo_result_clear(&result);
        }
        mo_problem_destroy(problem);
    }
}

static void a_heavy_box_on_a_light_one_is_solved_or_reported_as_unsolved(void **state)
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
        if (!is_exact(m, problem)) continue;
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
        if (!is_exact(m, problem)) continue;
        mo_result a = solved(m, problem, 1e-11), b = solved(m, reduced, 1e-11);
        CHECK(b.dof_count == 0);
        for (int k = 0; k < a.row_count; ++k)
            CHECK_NEAR(a.u[k], b.u[k], 1e-8);
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
            if (!is_exact(m, problem)) continue;
            mo_result result = solved(m, problem, 1e-9);
            for (int k = 0; k < result.dof_count; ++k) /* small mu: the velocity is unique */
                CHECK_NEAR(result.v[k], first.v[k], 1e-5);
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
        if (!is_exact(m,
                      problem)) /* a block that slides downhill: facets and relaxations both show */
            CHECK(result.status == MO_SOLVED || strlen(result.message.text) > 20);
        mo_result_clear(&result);
    }
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_gentle_slope_sticks_for_every_method),
        cmocka_unit_test(a_block_on_a_steep_slope_slides_by_newtons_law),
        cmocka_unit_test(a_particle_is_solved_by_every_method_as_on_paper),
        cmocka_unit_test(a_hanging_chain_carries_its_weight_in_its_joints),
        cmocka_unit_test(a_stack_at_rest_stays_at_rest),
        cmocka_unit_test(no_contact_at_all_is_solved_at_once),
        cmocka_unit_test(contacts_between_fixed_things_are_solved_or_refuted),
        cmocka_unit_test(one_contact_is_solved_for_every_mu_from_zero_to_infinity),
        cmocka_unit_test(a_heavy_box_on_a_light_one_is_solved_or_reported_as_unsolved),
        cmocka_unit_test(joints_with_a_redundant_row_are_solved),
        cmocka_unit_test(global_and_reduced_form_give_the_same_velocity),
        cmocka_unit_test(laws_of_all_kinds_together_are_solved),
        cmocka_unit_test(a_method_that_solves_another_law_is_judged_by_the_true_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
