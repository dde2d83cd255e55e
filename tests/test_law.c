/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Laws.  Projections are judged by the variational inequality that defines them, derivatives by
 * finite differences, one-block solutions by the natural map of the law and by closed forms.
 */
#include "law_samples.h"

/* ---- projections ----------------------------------------------------------------------------- */

static void a_projection_is_the_nearest_point_of_its_set(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {11};
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const mo_law *law = &samples[s].law;
        const int d = samples[s].d;
        for (int trial = 0; trial < TRIALS; ++trial) {
            double x[MAX_D], y[MAX_D], again[MAX_D], other[MAX_D], inside[MAX_D];
            fill_uniform(&random, -3, 3, d, x);
            fill_uniform(&random, -3, 3, d, other);
            mo_law_project(law, d, x, y);
            mo_law_project(law, d, other, inside); /* some point of the set */
            mo_law_project(law, d, y, again);
            CHECK_BELOW(distance2(d, y, again), 1e-28); /* y is in the set */
            double product = 0;                         /* (x - y).(k - y) <= 0 for k in the set */
            for (int k = 0; k < d; ++k)
                product += (x[k] - y[k]) * (inside[k] - y[k]);
            CHECK_BELOW(product, 1e-13);
        }
    }
}

static void the_derivative_of_a_projection_matches_finite_differences(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {12};
    const double h = 1e-6;
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const mo_law_ops *ops = mo_law_ops_of(samples[s].law.kind);
        const int d = samples[s].d;
        double p[2 * MAX_D];
        int wrong = 0;
        mo_law_pack(&samples[s].law, d, p);
        for (int trial = 0; trial < 300; ++trial) {
            double x[MAX_D], J[MAX_D * MAX_D], worst = 0;
            fill_uniform(&random, -3, 3, d, x);
            ops->project_derivative(p, d, x, J);
            for (int k = 0; k < d; ++k) {
                double high[MAX_D], low[MAX_D], at[MAX_D];
                memcpy(at, x, sizeof at);
                at[k] = x[k] + h;
                ops->project(p, d, at, high);
                at[k] = x[k] - h;
                ops->project(p, d, at, low);
                for (int j = 0; j < d; ++j)
                    worst = fmax(worst, fabs((high[j] - low[j]) / (2 * h) - J[j * d + k]));
            }
            wrong += worst > 1e-4; /* only where a kink lies within h of x */
        }
        CHECK(wrong <= 1);
    }
}

static void the_derivative_of_the_shift_matches_finite_differences(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {13};
    const double h = 1e-6;
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const mo_law_ops *ops = mo_law_ops_of(samples[s].law.kind);
        const int d = samples[s].d;
        double p[2 * MAX_D], u[MAX_D], G[MAX_D * MAX_D];
        mo_law_pack(&samples[s].law, d, p);
        for (int trial = 0; trial < 100; ++trial) {
            fill_uniform(&random, 0.5, 3, d, u);
            ops->shift_derivative(p, d, u, G);
            for (int k = 0; k < d; ++k) {
                double high[MAX_D], low[MAX_D], at[MAX_D];
                memcpy(at, u, sizeof at);
                at[k] = u[k] + h;
                ops->shift(p, d, at, high);
                at[k] = u[k] - h;
                ops->shift(p, d, at, low);
                for (int j = 0; j < d; ++j)
                    CHECK_NEAR((high[j] - low[j]) / (2 * h), G[j * d + k], 1e-6);
            }
        }
    }
}

/* ---- the prox map, facets, checks ------------------------------------------------------------ */

static void a_solution_is_a_fixed_point_of_the_prox_map_for_every_step(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {21};
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const mo_law_ops *ops = mo_law_ops_of(samples[s].law.kind);
        const int d = samples[s].d;
        double p[2 * MAX_D];
        mo_law_pack(&samples[s].law, d, p);
        for (int trial = 0; trial < 300; ++trial) {
            double W[MAX_D * MAX_D], b[MAX_D], r[MAX_D], u[MAX_D], x[MAX_D], y[MAX_D];
            random_block(&random, d, d, 0, 0, W);
            for (int k = 0; k < d; ++k)
                W[k * d + k] += 0.2;
            fill_uniform(&random, -1, 1, d, b);
            if (!has_solution(&samples[s], W, b)) continue;
            mo_law_solve(&samples[s].law, d, W, b, r);
            mo_block_velocity(d, W, r, b, u);
            const double step = pow(10, uniform(&random, -2, 1));
            for (int k = 0; k < d; ++k)
                x[k] = r[k] - step * u[k];
            ops->prox(p, d, x, y);
            if (samples[s].law.mu == INFINITY && r[0] <= 1e-12)
                continue; /* held without being pressed: the prox map lets go */
            if (!(distance2(d, r, y) <= 1e-16)) {
                print_message("law %s, d = %d, mu = %g\n", mo_law_name(samples[s].law.kind), d,
                              samples[s].law.mu);
            }
            CHECK_BELOW(sqrt(distance2(d, r, y)), 1e-8);
        }
    }
}

static void facets_span_the_cone_from_inside(void **state)
{
    (void)state;
    const double mu[2] = {0.7, 0.2};
    mo_law_facets facets;
    for (int count = 3; count <= 12; ++count) {
        mo_law_coulomb_ops.facets(mu, 3, count, &facets);
        CHECK(facets.groups == 1 && facets.start[1] == count);
        double sum[3] = {0};
        for (int j = 0; j < count; ++j) {
            CHECK_NEAR(mo_dot(3, facets.direction[j], facets.direction[j]), 1, 1e-15);
            CHECK(facets.direction[j][0] == 0);
            mo_axpy(3, 1, facets.direction[j], sum);
        }
        CHECK_BELOW(sqrt(mo_dot(3, sum, sum)), 1e-14); /* evenly spread */
    }
    mo_law_rolling_ops.facets(mu, 5, 4, &facets);
    CHECK(facets.groups == 2 && facets.start[2] == 8 && facets.mu[1] == 0.2);
    mo_law_coulomb_ops.facets(mu, 2, 8, &facets);
    CHECK(facets.start[1] == 2 && facets.direction[0][1] == 1 && facets.direction[1][1] == -1);
}

static void bad_parameters_are_refused_with_a_sentence(void **state)
{
    (void)state;
    const double nan2[2] = {NAN, NAN}, two[2] = {2, 2}, one[2] = {1, 1}, minus[3] = {-1, 0, 0};
    mo_law soft = mo_law_coulomb(0.5);
    soft.compliance = minus;
    const struct {
        mo_law law;
        int d;
    } bad[] = {
        {mo_law_coulomb(-0.1), 3},
        {mo_law_coulomb(NAN), 3},
        {mo_law_coulomb(0.5), 1},
        {mo_law_coulomb(0.5), 4},
        {mo_law_frictionless(), 2},
        {mo_law_bilateral(), 0},
        {mo_law_bilateral(), 65},
        {mo_law_box(two, one), 2},
        {mo_law_box(nan2, one), 2},
        {mo_law_box(NULL, one), 2},
        {mo_law_box(one, two), 7},
        {mo_law_rolling(0.5, -1), 5},
        {mo_law_rolling(0.5, 1), 3},
        {soft, 3},
        {{.kind = MO_LAW_KIND_COUNT}, 3},
        {mo_law_faceted(0.5, 2), 3},
        {mo_law_faceted(0.5, 65), 3},
        {mo_law_faceted(0.5, 4), 2},
        {mo_law_faceted(-1, 4), 3},
        {mo_law_faceted(INFINITY, 4), 3},
        {mo_law_pyramid(NAN), 3},
        {mo_law_pyramid(INFINITY), 3},
        {mo_law_pyramid(0.5), 2},
        {mo_law_sliding(0.5, NULL), 3},
        {mo_law_sliding(0.5, two), 3},
        {mo_law_sliding(0.5, slide_space), 5},
        {mo_law_sliding(INFINITY, slide_space), 3},
        {mo_law_sliding(-0.5, slide_space), 3},
        {mo_law_soft_finger(0.5, 0.1), 3},
        {mo_law_soft_finger(0.5, -1), 4},
        {mo_law_soft_finger(NAN, 1), 4},
        {mo_law_soft_finger(0.5, INFINITY), 4},
        {mo_law_rolling(0.5, INFINITY), 5},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        mo_message why = {{0}};
        CHECK(mo_law_check(&bad[k].law, bad[k].d, &why) != MO_OK);
        CHECK(strlen(why.text) > 10);
        CHECK(mo_law_check(&bad[k].law, bad[k].d, NULL) != MO_OK);
    }
    CHECK(mo_law_name(MO_LAW_KIND_COUNT) == NULL);
    assert_string_equal(mo_law_name(MO_LAW_BOX), "box");
}

static void the_failure_of_a_solved_block_is_at_rounding(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {22};
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const mo_law_ops *ops = mo_law_ops_of(samples[s].law.kind);
        const int d = samples[s].d;
        double p[2 * MAX_D], W[MAX_D * MAX_D], b[MAX_D], r[MAX_D], u[MAX_D];
        mo_law_pack(&samples[s].law, d, p);
        for (int trial = 0; trial < 200; ++trial) {
            mo_law_failure failure;
            random_block(&random, d, d, 0, 0, W);
            for (int k = 0; k < d; ++k)
                W[k * d + k] += 0.2;
            fill_uniform(&random, -1, 1, d, b);
            if (!has_solution(&samples[s], W, b)) continue;
            mo_law_solve(&samples[s].law, d, W, b, r);
            mo_block_velocity(d, W, r, b, u);
            mo_law_failure_of(ops, p, d, u, r, &failure);
            CHECK_BELOW(failure.penetration_rate, 1e-8);
            CHECK_BELOW(failure.cone_violation, 1e-8);
            CHECK_BELOW(failure.dissipation, 1e-7);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_projection_is_the_nearest_point_of_its_set),
        cmocka_unit_test(the_derivative_of_a_projection_matches_finite_differences),
        cmocka_unit_test(the_derivative_of_the_shift_matches_finite_differences),
        cmocka_unit_test(a_solution_is_a_fixed_point_of_the_prox_map_for_every_step),
        cmocka_unit_test(facets_span_the_cone_from_inside),
        cmocka_unit_test(bad_parameters_are_refused_with_a_sentence),
        cmocka_unit_test(the_failure_of_a_solved_block_is_at_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
