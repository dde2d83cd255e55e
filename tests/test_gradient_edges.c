/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Derivatives of solutions: by hand, at the edges of modes, on bad input, and where memory runs
 * out. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "scarce_memory.h"
#include "scenes.h"
#include "solve_closely.h"

/* ---- closed forms and edges ------------------------------------------------------------------ */

static mo_problem *brick(mo_law law, double f_N, double f_T, double w_N)
{
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, f[3] = {f_N, f_T, 0}, w[3] = {w_N, 0, 0};
    const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static mo_gradient_status status_of(mo_law law, double f_N, double f_T, double w_N, mo_mode *mode)
{
    mo_problem *problem = brick(law, f_N, f_T, w_N);
    mo_result result = {0};
    mo_gradient *gradient;
    CHECK(solve_closely(problem, NULL, &result));
    CHECK(mo_gradient_create(problem, result.r, &gradient, NULL) == MO_OK);
    const mo_gradient_info info = mo_gradient_describe(gradient);
    const mo_gradient_block block = mo_gradient_block_of(gradient, 0);
    CHECK(info.edge_count == (block.is_on_edge != 0) && info.loose_count == (block.is_loose != 0));
    *mode = block.mode;
    mo_gradient_destroy(gradient);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return info.status;
}

static void modes_and_edges_are_reported(void **state)
{
    (void)state;
    const mo_law rough = mo_law_coulomb(0.5), infinite = mo_law_coulomb(INFINITY);
    mo_mode mode;
    CHECK(status_of(rough, -2, 6, 0, &mode) == MO_GRADIENT_EXACT && mode == MO_MODE_SLIDING);
    CHECK(status_of(rough, -2, 0.9, 0, &mode) == MO_GRADIENT_EXACT && mode == MO_MODE_HELD);
    CHECK(status_of(rough, 2, 6, 0, &mode) == MO_GRADIENT_EXACT && mode == MO_MODE_FREE);
    CHECK(status_of(rough, -2, 1, 0, &mode) == MO_GRADIENT_EDGE); /* about to slide */
    CHECK(status_of(rough, -2, 6, 1, &mode) == MO_GRADIENT_EDGE); /* touches, no impulse */
    CHECK(status_of(rough, -2, 1, 1, &mode) == MO_GRADIENT_EDGE);
    CHECK(status_of(infinite, -2, 6, 0, &mode) == MO_GRADIENT_EXACT && mode == MO_MODE_HELD);
    CHECK(status_of(infinite, 2, 6, 0, &mode) == MO_GRADIENT_EXACT && mode == MO_MODE_FREE);
    CHECK(status_of(mo_law_coulomb(0), -2, 6, 0, &mode) == MO_GRADIENT_EXACT &&
          mode == MO_MODE_SLIDING);
    for (int status = 0; status < MO_GRADIENT_STATUS_COUNT; ++status) {
        CHECK(strlen(mo_gradient_status_name((mo_gradient_status)status)) > 3);
        CHECK(strlen(mo_gradient_status_text((mo_gradient_status)status)) > 10);
    }
}

/* r_N = -f_N, r_T = mu f_N: dv_T = (df_T + mu df_N + f_N dmu) / m, all by hand; no dependence on
 * w_T. */
static void a_sliding_brick_by_hand(void **state)
{
    (void)state;
    mo_problem *problem = brick(mo_law_coulomb(0.5), -2, 6, 0);
    mo_result result = {0};
    mo_gradient *gradient;
    CHECK(solve_closely(problem, NULL, &result));
    CHECK(mo_gradient_create(problem, result.r, &gradient, NULL) == MO_OK);
    double v[3] = {0, 1, 0}, f[3], w[3], mu[1];
    const mo_solution_vector seed = {.v = v};
    const mo_data_vector out = {.f = f, .w = w, .mu = mu};
    mo_gradient_adjoint(gradient, &seed, &out);
    CHECK_NEAR(f[0], 0.25, 1e-12);
    CHECK_NEAR(f[1], 0.5, 1e-12);
    CHECK_NEAR(f[2], 0, 1e-12);
    CHECK_NEAR(w[0], 0.5, 1e-12); /* r_N = -f_N - m w_N, friction follows: v_T += mu dw_N */
    CHECK_NEAR(w[1], 0, 1e-12);
    CHECK_NEAR(mu[0], -1, 1e-12);
    mo_gradient_destroy(gradient);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* A free body under a contact whose Jacobian is s times the identity: W is s^2 / 2. */
static void no_derivative_overflows(void **state)
{
    (void)state;
    static const double SCALES[] = {1e-150, 1e-140, 1e-40, 1, 1e40, 1e140, 1e150};
    int made = 0;
    for (size_t k = 0; k < sizeof SCALES / sizeof *SCALES; ++k) {
        const double s = SCALES[k], M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
        const double J[9] = {s, 0, 0, 0, s, 0, 0, 0, s}, f[3] = {-2, 0.5, 0};
        const double r[3] = {2 / s, -0.5 / s, 0};
        const mo_law law = mo_law_coulomb(0.5);
        double df[3] = {1, 1, 1}, dr[3], dv[3];
        mo_builder *builder;
        mo_problem *problem;
        mo_gradient *gradient;
        mo_message why = {{0}};
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        mo_builder_add_body(builder, 3, M, f);
        mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_jacobian(builder, 0, 0, 3, 3, J);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_builder_destroy(builder);
        if (mo_gradient_create(problem, r, &gradient, &why)) {
            CHECK(!gradient && strstr(why.text, "overflow"));
        } else {
            ++made;
            mo_gradient_forward(gradient, &(mo_data_vector){.f = df},
                                &(mo_solution_vector){.r = dr, .v = dv}, NULL);
            for (int a = 0; a < 3; ++a) {
                CHECK_NEAR(dr[a] * s, -1, 1e-9); /* it stays held */
                CHECK_NEAR(dv[a], 0, 1e-9);
            }
        }
        mo_gradient_destroy(gradient);
        mo_problem_destroy(problem);
    }
    CHECK(made == 3);
}

static void no_contacts_and_bad_input(void **state)
{
    (void)state;
    const double M[1] = {2}, f[1] = {3};
    mo_builder *builder;
    mo_problem *problem;
    mo_gradient *gradient;
    mo_message why;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 1, M, f);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    double none[1] = {0}, df[1] = {1}, dv[1];
    CHECK(mo_gradient_create(problem, none, &gradient, &why) == MO_OK);
    const mo_data_vector in = {.f = df};
    const mo_solution_vector out = {.v = dv};
    mo_gradient_forward(gradient, &in, &out, NULL);
    CHECK_NEAR(dv[0], 0.5, 1e-15);
    CHECK(mo_gradient_describe(gradient).status == MO_GRADIENT_EXACT);
    mo_gradient_destroy(gradient);
    mo_problem_destroy(problem);

    problem = brick(mo_law_coulomb(0.5), -2, 6, 0);
    const double bad[3] = {NAN, 0, 0}, wrong[3] = {5, 1, 0};
    CHECK(mo_gradient_create(problem, bad, &gradient, &why) == MO_ERR_ARGUMENT && !gradient);
    CHECK(strlen(why.text) > 10);
    CHECK(mo_gradient_create(problem, wrong, &gradient, &why) ==
          MO_OK); /* no solution: it says so */
    CHECK(mo_gradient_describe(gradient).status == MO_GRADIENT_EDGE);
    mo_gradient_destroy(gradient);
    mo_gradient_destroy(NULL);
    mo_problem_destroy(problem);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A garbage collector destroys in any order; seen by the sanitizers. */
static void a_gradient_may_be_destroyed_after_its_problem(void **state)
{
    (void)state;
    mo_problem *problem = brick(mo_law_coulomb(0.5), -2, 6, 0);
    mo_result result = {0};
    mo_gradient *gradient;
    CHECK(solve_closely(problem, NULL, &result));
    CHECK(mo_gradient_create(problem, result.r, &gradient, NULL) == MO_OK);
    mo_problem_destroy(problem);
    mo_gradient_destroy(gradient);
    mo_result_clear(&result);
}

static void a_lack_of_memory_is_reported_and_leaves_nothing_behind(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    mo_problem *scene;
    mo_result result = {0};
    CHECK(scene_block_on_slope(&def, &scene, NULL) == MO_OK);
    CHECK(solve_closely(scene, NULL, &result));
    scarce s = {.left = SCARCE_PLENTY};
    const mo_allocator allocator = {scarce_reallocate, &s};
    int failures = 0, done = 0;
    for (int n = 0; n < 200 && !done; ++n) {
        mo_builder *builder;
        mo_problem *problem;
        mo_gradient *gradient;
        mo_message why = {{0}};
        s.left = SCARCE_PLENTY;
        CHECK(mo_builder_create(&allocator, &builder) == MO_OK);
        const mo_body_view body = mo_problem_body(scene, 0);
        mo_builder_add_body(builder, body.dim, body.M, body.f);
        for (int i = 0; i < mo_problem_constraint_count(scene); ++i) {
            const mo_constraint_view view = mo_problem_constraint(scene, i);
            mo_builder_add_constraint(builder, view.dim, &view.law, view.w);
            mo_builder_add_jacobian(builder, i, 0, view.dim, body.dim,
                                    mo_problem_block(scene, i, 0).values);
        }
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_builder_destroy(builder);
        s.left = n;
        const mo_error error = mo_gradient_create(problem, result.r, &gradient, &why);
        s.left = SCARCE_PLENTY;
        CHECK(error == MO_OK || (error == MO_ERR_MEMORY && !gradient && strlen(why.text) > 5));
        failures += error != MO_OK;
        done = error == MO_OK;
        mo_gradient_destroy(gradient);
        mo_problem_destroy(problem);
    }
    CHECK(done && failures > 5);
    mo_result_clear(&result);
    mo_problem_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_and_edges_are_reported),
        cmocka_unit_test(a_sliding_brick_by_hand),
        cmocka_unit_test(no_derivative_overflows),
        cmocka_unit_test(no_contacts_and_bad_input),
        cmocka_unit_test(a_gradient_may_be_destroyed_after_its_problem),
        cmocka_unit_test(a_lack_of_memory_is_reported_and_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
