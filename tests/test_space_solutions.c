/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Verdicts for Coulomb's cone in space: the rod of Painleve turned about the normal, one contact,
 * two contacts. */
#include "check.h"

#include <string.h>

#include "linalg/dense.h"
#include "moreau/moreau.h"

static double distance(int n, const double *x, const double *y)
{
    double most = 0;
    for (int k = 0; k < n; ++k)
        most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

static mo_problem *reduced(int count, const mo_law *law, const double *W, const double *q)
{
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    const int n = 3 * count;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int i = 0; i < count; ++i)
        mo_builder_add_constraint(builder, 3, law, q + 3 * i);
    for (int i = 0; i < count * count; ++i) {
        double block[9];
        for (int k = 0; k < 9; ++k)
            block[k] = W[(i / count * 3 + k / 3) * n + i % count * 3 + k % 3];
        mo_builder_add_coupling(builder, i / count, i % count, 3, 3, block);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* The rod of [acary2011, eq. 2.5] in a plane at an angle about the normal. */
static mo_problem *rod(double theta, double turn, double mu, double u0, double g)
{
    const double c = cos(turn), s = sin(turn), M = 1, f = g * sin(theta),
                 w[3] = {0, c * u0, s * u0};
    const double J[3] = {sin(theta), c * cos(theta), s * cos(theta)};
    const mo_law law = mo_law_coulomb(mu);
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 1, &M, &f);
    mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 3, 1, J);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static void painleves_rod_in_space_has_the_verdicts_of_the_plane(void **state)
{
    (void)state;
    for (int trial = 0; trial < 60; ++trial) {
        const double theta = 0.2 + 0.25 * (trial % 5), mu = 0.1 + 0.37 * (trial % 4),
                     u0 = trial % 3 ? 1 : -1;
        const double turn = 0.1 + 0.9 * trial, g = trial % 2 ? 1 : -1;
        const int wedged = u0 > 0 && tan(theta) < mu;
        mo_problem *problem = rod(theta, turn, mu, u0, g);
        mo_solution_set set;
        CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
        const mo_verdict expected = g < 0 ? (wedged ? MO_VERDICT_NONE : MO_VERDICT_UNIQUE)
                                          : (wedged ? MO_VERDICT_SEVERAL : MO_VERDICT_UNIQUE);
        if (set.verdict != expected) {
            fail_msg("theta %g turn %g mu %g u0 %g g %g: %s, not %s", theta, turn, mu, u0, g,
                     mo_verdict_name(set.verdict), mo_verdict_name(expected));
        }
        mo_solution_set_clear(&set);
        mo_problem_destroy(problem);
    }
}

/* One contact with W positive definite and symmetric: what the law's own solver finds, and nothing
 * else. */
static void one_contact_has_the_unique_solution_of_its_law(void **state)
{
    (void)state;
    mo_random random = {41};
    int modes[MO_FOUND_MODE_COUNT] = {0};
    for (int trial = 0; trial < 100; ++trial) {
        double A[9], W[9], q[3], r[3], u[3];
        fill_uniform(&random, -1, 1, 9, A);
        fill_uniform(&random, -1, 1, 3, q);
        for (int k = 0; k < 9; ++k)
            W[k] = mo_dot(3, A + k / 3 * 3, A + k % 3 * 3) + (k % 4 == 0 ? 1 : 0);
        const mo_law law = mo_law_coulomb(uniform(&random, 0.1, 1));
        mo_problem *problem = reduced(1, &law, W, q);
        mo_solution_set set;
        CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
        mo_law_solve(&law, 3, W, q, r);
        for (int k = 0; k < 3; ++k)
            u[k] = q[k] + mo_dot(3, W + 3 * k, r);
        assert_int_equal(set.verdict, MO_VERDICT_UNIQUE);
        CHECK(set.checked.holds);
        CHECK_BELOW(distance(3, u, set.solutions[0].u), 1e-7);
        ++modes[set.solutions[0].modes[0]];
        mo_solution_set_clear(&set);
        mo_problem_destroy(problem);
    }
    CHECK(modes[MO_FOUND_APART] > 10 && modes[MO_FOUND_STICK] > 3 && modes[MO_FOUND_SLIDE] > 10);
}

/* The same proof with a solution moved, and with none listed. */
static void check_that_lies_are_rejected(const mo_problem *problem, mo_solution_set *set)
{
    mo_certificate_report report;
    const double scale = fmax(1, distance(6, set->certificate.u, (double[6]){0}));
    set->certificate.u[0] += 0.1 * scale;
    CHECK(mo_certificate_check(problem, &set->certificate, &report) == MO_OK && !report.holds);
    set->certificate.u[0] -= 0.1 * scale;
    set->certificate.solution_count = 0;
    CHECK(mo_certificate_check(problem, &set->certificate, &report) == MO_OK && !report.holds);
}

/* Two contacts, W neither symmetric nor definite: no start leads a method out of a list that is
 * proven complete. */
static void no_method_leaves_a_complete_list(void **state)
{
    (void)state;
    mo_random random = {43};
    int complete = 0, seen[MO_VERDICT_COUNT] = {0};
    for (int trial = 0; trial < 60; ++trial) {
        double W[36], q[6];
        fill_uniform(&random, -1, 1, 36, W);
        fill_uniform(&random, -1, 1, 6, q);
        for (int k = 0; k < 6; ++k)
            W[7 * k] += 0.7;
        const mo_law law = mo_law_coulomb(uniform(&random, 0.2, 1));
        mo_problem *problem = reduced(2, &law, W, q);
        mo_solution_set set;
        CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
        complete += set.checked.holds;
        ++seen[set.verdict];
        for (int start = 0; start < 10 && set.checked.holds; ++start) {
            double r[6], nearest = INFINITY;
            mo_options options = mo_default_options();
            mo_result result = {0};
            fill_uniform(&random, 0, 3, 6, r);
            options.start = r;
            options.tol = 1e-10;
            options.method = start % 2 ? "newton" : "nsgs";
            CHECK(mo_solve(problem, &options, &result) == MO_OK);
            for (int s = 0; s < set.count; ++s)
                nearest = fmin(nearest, distance(6, result.u, set.solutions[s].u));
            if (result.status == MO_SOLVED) CHECK_BELOW(nearest, 1e-5);
            mo_result_clear(&result);
        }
        if (set.checked.holds && set.count > 0) check_that_lies_are_rejected(problem, &set);
        mo_solution_set_clear(&set);
        mo_problem_destroy(problem);
    }
    CHECK(complete >= 50);
    CHECK(seen[MO_VERDICT_NONE] > 4 && seen[MO_VERDICT_UNIQUE] > 20 &&
          seen[MO_VERDICT_SEVERAL] > 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painleves_rod_in_space_has_the_verdicts_of_the_plane),
        cmocka_unit_test(one_contact_has_the_unique_solution_of_its_law),
        cmocka_unit_test(no_method_leaves_a_complete_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
