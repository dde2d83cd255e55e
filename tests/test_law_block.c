/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* One block alone, solved exactly for every law. */
#include "law_samples.h"

/* ---- one block alone ------------------------------------------------------------------------- */

/* The natural map of (W r + b, r) with step 1 / mean diagonal, over the size of r. */
static double block_error(const mo_law *law, int d, const double *W, const double *b,
                          const double *r)
{
    const mo_law_ops *ops = mo_law_ops_of(law->kind);
    double p[2 * MAX_D], u[MAX_D], z[MAX_D], trace = 0, size = 1e-300;
    mo_law_pack(law, d, p);
    mo_block_velocity(d, W, r, b, u);
    for (int k = 0; k < d; ++k)
        trace += W[k * d + k];
    const double step = trace > 0 ? d / trace : 1;
    mo_law_natural(ops, p, d, step, u, r, z);
    size += sqrt(mo_dot(d, r, r)) + step * sqrt(mo_dot(d, b, b));
    return sqrt(mo_dot(d, z, z)) / size;
}

static void one_block_alone_is_solved_exactly_for_every_law(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {14};
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const int d = samples[s].d;
        double worst = 0;
        for (int trial = 0; trial < TRIALS; ++trial) {
            double W[MAX_D * MAX_D], b[MAX_D], r[MAX_D];
            random_block(&random, d, d, trial % 3, 0, W);
            fill_uniform(&random, -1, 1, d, b);
            mo_law_solve(&samples[s].law, d, W, b, r);
            if (has_solution(&samples[s], W, b))
                worst = fmax(worst, block_error(&samples[s].law, d, W, b, r));
        }
        if (!(worst <= 1e-9)) {
            print_message("law %s, d = %d, mu = %g\n", mo_law_name(samples[s].law.kind), d,
                          samples[s].law.mu);
        }
        CHECK_BELOW(worst, 1e-9);
    }
}

static void a_contact_is_solved_for_blocks_that_are_not_symmetric(void **state)
{
    (void)state;
    mo_random random = {15};
    double worst = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const int d = 2 + trial % 2;
        const mo_law law = mo_law_coulomb(uniform(&random, 0, 2));
        double W[9], b[3], r[3];
        random_block(&random, d, d, 1, 0.1, W);
        fill_uniform(&random, -1, 1, d, b);
        mo_law_solve(&law, d, W, b, r);
        worst = fmax(worst, block_error(&law, d, W, b, r));
    }
    CHECK_BELOW(worst, 1e-9);
}

static void a_contact_with_mass_ratio_1e6_is_solved(void **state)
{
    (void)state;
    mo_random random = {16};
    double worst = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const mo_law law = mo_law_coulomb(pow(10, uniform(&random, -4, 1)));
        double W[9], b[3], r[3];
        random_block(&random, 3, 3, 3, 0, W); /* eigenvalues spread over 1e6 */
        fill_uniform(&random, -1, 1, 3, b);
        mo_law_solve(&law, 3, W, b, r);
        worst = fmax(worst, block_error(&law, 3, W, b, r));
    }
    CHECK_BELOW(worst, 1e-7);
}

static void a_contact_of_deficient_rank_is_solved_where_b_is_in_range(void **state)
{
    (void)state;
    mo_random random = {17};
    for (int trial = 0; trial < 5000; ++trial) {
        const mo_law law = mo_law_coulomb(uniform(&random, 0.05, 2));
        double W[9], b[3], r[3], c[3];
        random_block(&random, 3, 2, 0, 0, W);
        if (W[0] < 1e-3) continue;
        fill_uniform(&random, -1, 1, 3, c);
        for (int k = 0; k < 3; ++k)
            b[k] = mo_dot(3, W + 3 * k, c);
        mo_law_solve(&law, 3, W, b, r);
        CHECK_BELOW(block_error(&law, 3, W, b, r), 1e-9);
    }
}

static void a_sphere_on_a_plane_slides_and_sticks_by_the_book(void **state)
{
    (void)state;
    /* 1/m and 1/m + r^2/I, m = 1/2, hollow enough */
    const double W[9] = {2, 0, 0, 0, 7, 0, 0, 0, 7};
    const double b[3] = {-1, 3, 4};
    double r[3];
    const mo_law rough = mo_law_coulomb(2), smooth = mo_law_coulomb(0.2), none = mo_law_coulomb(0);
    mo_law_solve(&rough, 3, W, b, r); /* r = -W^-1 b */
    CHECK_NEAR(r[0], 0.5, 1e-15);
    CHECK_NEAR(r[1], -3.0 / 7, 1e-15);
    CHECK_NEAR(r[2], -4.0 / 7, 1e-15);
    mo_law_solve(&smooth, 3, W, b, r); /* |r_T| = mu r_N against (3, 4) / 5 */
    CHECK_NEAR(r[0], 0.5, 1e-15);
    CHECK_NEAR(r[1], -0.06, 1e-15);
    CHECK_NEAR(r[2], -0.08, 1e-15);
    mo_law_solve(&none, 3, W, b, r);
    CHECK_NEAR(r[0], 0.5, 1e-15);
    CHECK(r[1] == 0 && r[2] == 0);
}

static void infinite_friction_never_slides(void **state)
{
    (void)state;
    mo_random random = {18};
    const mo_law law = mo_law_coulomb(INFINITY);
    for (int trial = 0; trial < TRIALS; ++trial) {
        double W[9], b[3], r[3], u[3];
        random_block(&random, 3, 3, 1, 0, W);
        fill_uniform(&random, -1, 1, 3, b);
        mo_law_solve(&law, 3, W, b, r);
        mo_block_velocity(3, W, r, b, u);
        const int apart = r[0] == 0 && r[1] == 0 && r[2] == 0 && u[0] >= 0;
        const double rounding = 1e-14 * (1 + sqrt(mo_dot(3, r, r))); /* W may be nearly singular */
        CHECK(apart || hypot(u[1], u[2]) <= rounding);
        CHECK(r[0] >= 0);
        CHECK_BELOW(-u[0], rounding);
    }
}

static void very_large_friction_tends_to_infinite_friction(void **state)
{
    (void)state;
    const double W[9] = {1, 0.2, 0, 0.2, 1, 0, 0, 0, 1}, b[3] = {-1, 0.5, 0.5};
    const mo_law large = mo_law_coulomb(1e12), infinite = mo_law_coulomb(INFINITY);
    double r[3], limit[3];
    mo_law_solve(&large, 3, W, b, r);
    mo_law_solve(&infinite, 3, W, b, limit);
    CHECK_BELOW(sqrt(distance2(3, r, limit)), 1e-9);
}

static void hopeless_blocks_still_give_a_finite_impulse(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {19};
    static const double scales[] = {0, 1e-300, 1e-150, 1e150, 1e300};
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const int d = samples[s].d;
        for (int trial = 0; trial < 500; ++trial) {
            double W[MAX_D * MAX_D], b[MAX_D], r[MAX_D];
            random_block(&random, d, 1 + trial % d, 6, trial % 2 ? 0.5 : 0, W);
            for (int k = 0; k < d * d; ++k)
                W[k] *= scales[trial % 5];
            fill_uniform(&random, -1, 1, d, b);
            mo_law_solve(&samples[s].law, d, W, b, r);
            for (int k = 0; k < d; ++k)
                CHECK(isfinite(r[k]));
        }
    }
}

static void compliance_adds_to_the_diagonal(void **state)
{
    (void)state;
    const double W[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-3, 0, 0};
    const double compliance[3] = {1, 0.5, 0.5};
    mo_law law = mo_law_coulomb(0.5);
    double r[3];
    law.compliance = compliance;
    mo_law_solve(&law, 3, W, b, r);
    CHECK_NEAR(r[0], 1, 1e-15); /* -b / (2 + 1) */
}

static void newton_on_the_natural_map_agrees_with_the_exact_solution(void **state)
{
    (void)state;
    mo_random random = {20};
    int solved = 0;
    for (int trial = 0; trial < 500; ++trial) {
        const mo_law law = mo_law_coulomb(uniform(&random, 0.05, 0.8));
        double p[2], W[9], b[3], r[3], again[3];
        mo_law_pack(&law, 3, p);
        random_block(&random, 3, 3, 0, 0, W);
        for (int k = 0; k < 3; ++k)
            W[4 * k] += 0.5; /* well conditioned: the solution is unique */
        fill_uniform(&random, -1, 1, 3, b);
        b[0] = -fabs(b[0]);
        mo_law_solve(&law, 3, W, b, r);
        memset(again, 0, sizeof again);
        if (mo_law_solve_newton(&mo_law_coulomb_ops, p, 3, W, b, again)) {
            CHECK_BELOW(sqrt(distance2(3, r, again)), 1e-8);
            ++solved;
        }
    }
    CHECK(solved > 450);
}

/* u = W r + b, then one step of sweeps inside the block (relax.c). */
static void relax_block(const mo_law_ops *ops, const double *p, int d, const double *W,
                        const double *b, const double *r, double *next)
{
    double u[MAX_D];
    for (int k = 0; k < d; ++k)
        u[k] = mo_dot(d, W + k * d, r) + b[k];
    ops->relax(p, d, W, u, r, next);
}

static void solutions_are_fixed_points_of_a_step_inside_the_block(void **state)
{
    (void)state;
    sample samples[MAX_SAMPLES];
    mo_random random = {77};
    int tried = 0;
    for (int s = make_samples(samples) - 1; s >= 0; --s) {
        const mo_law_ops *ops = mo_law_ops_of(samples[s].law.kind);
        const int d = samples[s].d;
        for (int trial = 0; trial < 300 && ops->relax; ++trial, ++tried) {
            double W[MAX_D * MAX_D], b[MAX_D], p[MAX_D], r[MAX_D], next[MAX_D];
            random_block(&random, d, d, 1, 0, W);
            fill_uniform(&random, -1, 1, d, b);
            mo_law_pack(&samples[s].law, d, p);
            ops->solve(p, d, W, b, r);
            relax_block(ops, p, d, W, b, r, next);
            CHECK_BELOW(distance2(d, r, next), 1e-16 * (1 + mo_dot(d, r, r)));
        }
    }
    CHECK(tried >= 600);
}

/* With friction up to 1 and rows that are coupled as those of compact bodies are. */
static void steps_inside_a_block_lead_to_its_solution(void **state)
{
    (void)state;
    const mo_law laws[] = {mo_law_rolling(0.5, 0.1), mo_law_rolling(1, 0.01),
                           mo_law_soft_finger(0.5, 0.1), mo_law_soft_finger(1, 0.01)};
    mo_random random = {78};
    for (int trial = 0; trial < 400; ++trial) {
        const mo_law *law = laws + trial % 4;
        const mo_law_ops *ops = mo_law_ops_of(law->kind);
        const int d = law->kind == MO_LAW_ROLLING ? 5 : 4;
        double W[MAX_D * MAX_D], b[MAX_D], p[MAX_D], from[MAX_D], r[MAX_D] = {0};
        random_block(&random, d, d, 0, 0, W);
        for (int k = 0; k < d * d; ++k)
            W[k] *= k % (d + 1) ? 0.3 : 1;
        fill_uniform(&random, -1, 1, d, b);
        mo_law_pack(law, d, p);
        for (int step = 0; step < 3000; ++step) {
            memcpy(from, r, sizeof from);
            relax_block(ops, p, d, W, b, from, r);
        }
        CHECK_BELOW(block_error(law, d, W, b, r), 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_fixed_points_of_a_step_inside_the_block),
        cmocka_unit_test(steps_inside_a_block_lead_to_its_solution),
        cmocka_unit_test(one_block_alone_is_solved_exactly_for_every_law),
        cmocka_unit_test(a_contact_is_solved_for_blocks_that_are_not_symmetric),
        cmocka_unit_test(a_contact_with_mass_ratio_1e6_is_solved),
        cmocka_unit_test(a_contact_of_deficient_rank_is_solved_where_b_is_in_range),
        cmocka_unit_test(a_sphere_on_a_plane_slides_and_sticks_by_the_book),
        cmocka_unit_test(infinite_friction_never_slides),
        cmocka_unit_test(very_large_friction_tends_to_infinite_friction),
        cmocka_unit_test(hopeless_blocks_still_give_a_finite_impulse),
        cmocka_unit_test(compliance_adds_to_the_diagonal),
        cmocka_unit_test(newton_on_the_natural_map_agrees_with_the_exact_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
