/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Verdicts against closed forms (Painleve's rod), against brute force over all modes, and against
 * the measure; and certificates that lie against their checker.
 */
#include "check.h"

#include <string.h>

#include "linalg/dense.h"
#include "moreau/moreau.h"

/* ---- problems -------------------------------------------------------------------------------- */

/* The rod of [acary2011, eq. 2.5] with m = l = h = 1, v0 = 0: u_N = sin v, u_T = cos v + u0, v =
 * sin g + H r. */
static mo_problem *painleve(double theta, double mu, double u0, double g)
{
    const double M = 1, f = g * sin(theta), w[2] = {0, u0}, J[2] = {sin(theta), cos(theta)};
    const mo_law law = mo_law_coulomb(mu);
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 1, &M, &f);
    mo_builder_add_constraint(builder, 2, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 2, 1, J);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* u = W r + q with `count` blocks of d rows, all of one law. */
static mo_problem *reduced(int count, int d, const mo_law *law, const double *W, const double *q)
{
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    const int n = count * d;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int i = 0; i < count; ++i)
        mo_builder_add_constraint(builder, d, law, q + i * d);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            double block[9];
            for (int k = 0; k < d * d; ++k)
                block[k] = W[(i * d + k / d) * n + j * d + k % d];
            mo_builder_add_coupling(builder, i, j, d, d, block);
        }
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* A disc of mass m in the plane with contacts at random angles, its velocity at random: W has rank
 * 3. */
static mo_problem *random_disc(mo_random *random, int count, double mu, double mass)
{
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    const mo_law law = mo_law_coulomb(mu);
    double M[9] = {mass, 0, 0, 0, mass, 0, 0, 0, 0.5 * mass}, f[3];
    fill_uniform(random, -mass, mass, 3, f);
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 3, M, f);
    for (int i = 0; i < count; ++i) {
        const double a = uniform(random, 0, 3.2), arm = uniform(random, -1, 1);
        const double J[6] = {cos(a), sin(a), arm, -sin(a), cos(a), 1};
        double w[2];
        fill_uniform(random, -0.2, 0.2, 2, w);
        mo_builder_add_constraint(builder, 2, &law, w);
        mo_builder_add_jacobian(builder, i, 0, 2, 3, J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static mo_verdict verdict_of(mo_problem *problem)
{
    mo_solution_set set = {0};
    CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
    const mo_verdict verdict = set.verdict;
    mo_solution_set_clear(&set);
    return verdict;
}

/* ---- Painleve -------------------------------------------------------------------------------- */

/* [acary2011, eq. 2.6] and, for g = +1, what inspection gives: taking off always solves it, and
 * sliding (sticking, where u0 = 0) does as well where friction drives the rod down, u0 >= 0 and tan
 * theta < mu. */
static mo_verdict painleve_closed_form(double theta, double mu, double u0, double g)
{
    const int wedged = u0 >= 0 && tan(theta) < mu;
    if (g > 0) return wedged ? MO_VERDICT_SEVERAL : MO_VERDICT_UNIQUE;
    return u0 > 0 && tan(theta) <= mu ? MO_VERDICT_NONE : MO_VERDICT_UNIQUE;
}

static void check_painleve(double theta, double mu, double u0, double g)
{
    mo_problem *problem = painleve(theta, mu, u0, g);
    const mo_verdict verdict = verdict_of(problem),
                     expected = painleve_closed_form(theta, mu, u0, g);
    if (verdict != expected) {
        fail_msg("theta %.17g mu %.17g u0 %g g %g: %s, not %s", theta, mu, u0, g,
                 mo_verdict_name(verdict), mo_verdict_name(expected));
    }
    mo_problem_destroy(problem);
}

static void painleves_rod_has_the_solutions_of_the_closed_form(void **state)
{
    (void)state;
    static const double speeds[] = {-1, -1e-3, 0, 1e-3, 1};
    for (int i = 1; i <= 25; ++i) {
        const double theta = acos(-1.0) / 2 * i / 26;
        for (int j = 0; j < 40; ++j) {
            for (int k = 0; k < 5; ++k) {
                check_painleve(theta, 0.013 + 0.05 * j, speeds[k], -1);
                check_painleve(theta, 0.013 + 0.05 * j, speeds[k], 1);
            }
        }
    }
}

static void the_verdict_changes_within_1e_9_of_the_border(void **state)
{
    (void)state;
    for (int i = 1; i <= 25; ++i) {
        const double theta = acos(-1.0) / 2 * i / 26;
        for (int side = -1; side <= 1; side += 2) {
            check_painleve(theta, tan(theta) * (1 + side * 1e-9), 1, -1);
            check_painleve(theta, tan(theta) * (1 + side * 1e-9), 1, 1);
            check_painleve(theta, tan(theta) * (1 + side * 1e-9), -1, -1);
        }
    }
}

/* Section 5.3 of the paper says that the case of section 5.4 has one solution; it has two. */
static void section_5_4_is_right_and_lists_both(void **state)
{
    (void)state;
    mo_problem *problem = painleve(acos(-1.0) / 4, 2, 1, 1);
    mo_solution_set set = {0};
    CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
    assert_int_equal(set.verdict, MO_VERDICT_SEVERAL);
    assert_int_equal(set.count, 2);
    CHECK(set.checked.holds);
    for (int k = 0; k < 2; ++k) {
        const mo_found_solution *s = &set.solutions[k];
        const int apart = s->modes[0] == MO_FOUND_APART;
        CHECK(s->is_proven);
        CHECK_NEAR(s->v[0], apart ? sqrt(0.5) : 0, 1e-14);
        CHECK_NEAR(s->r[0], apart ? 0 : 1, 1e-14); /* sin (r_N - 2 r_N) = -sin */
        CHECK(apart || s->modes[0] == MO_FOUND_SLIDE);
    }
    mo_solution_set_clear(&set);
    mo_problem_destroy(problem);
}

/* ---- brute force ----------------------------------------------------------------------------- */

enum { MOST_CONTACTS = 6, MOST_ROWS = 2 * MOST_CONTACTS, MOST_FOUND = 64 };

typedef struct brute {
    int count;
    double u[MOST_FOUND][MOST_ROWS];
    int is_doubtful; /* some mode is too near to its border to judge */
} brute;

/* One combination of modes: its root, and whether it is a solution. */
static void try_modes(int contacts, double mu, const double *W, const double *q, int code, brute *b)
{
    const int n = 2 * contacts;
    double E[MOST_ROWS * MOST_ROWS] = {0}, c[MOST_ROWS] = {0}, r[MOST_ROWS], u[MOST_ROWS];
    int mode[MOST_CONTACTS];
    for (int i = 0; i < contacts; ++i, code /= 4) {
        const int N = 2 * i, T = N + 1;
        mode[i] = code % 4;
        if (mode[i] == 0) {
            E[N * n + N] = E[T * n + T] = 1;
            continue;
        }
        memcpy(E + N * n, W + N * n, (size_t)n * sizeof *E);
        c[N] = -q[N];
        if (mode[i] == 1) {
            memcpy(E + T * n, W + T * n, (size_t)n * sizeof *E);
            c[T] = -q[T];
        } else {
            E[T * n + T] = 1;
            E[T * n + N] = mode[i] == 2 ? mu : -mu;
        }
    }
    if (mo_solve_small(n, E, c, r) < n) {
        b->is_doubtful = 1;
        return;
    }
    double least = INFINITY;
    for (int i = 0; i < n; ++i)
        u[i] = q[i] + mo_dot(n, W + i * n, r);
    for (int i = 0; i < contacts; ++i) {
        const double uN = u[2 * i], uT = u[2 * i + 1], rN = r[2 * i], rT = r[2 * i + 1];
        least = fmin(least, mode[i] == 0   ? uN
                            : mode[i] == 1 ? mu * rN - fabs(rT)
                            : mode[i] == 2 ? fmin(rN, uT)
                                           : fmin(rN, -uT));
    }
    b->is_doubtful |= fabs(least) < 1e-7;
    if (least >= 0) {
        CHECK(b->count < MOST_FOUND);
        memcpy(b->u[b->count++], u, sizeof u);
    }
}

static double distance(int n, const double *x, const double *y)
{
    double most = 0;
    for (int k = 0; k < n; ++k)
        most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

static void compare_with_brute_force(mo_random *random, int contacts, int seen[4])
{
    const int n = 2 * contacts;
    const double mu = uniform(random, 0.05, 2);
    double W[MOST_ROWS * MOST_ROWS], q[MOST_ROWS];
    brute b = {0};
    fill_uniform(random, -1, 1, n * n, W);
    fill_uniform(random, -1, 1, n, q);
    for (int k = 0; k < n; ++k)
        W[k * n + k] += 0.5;
    for (int code = 0; code < 1 << (2 * contacts); ++code)
        try_modes(contacts, mu, W, q, code, &b);
    if (b.is_doubtful) return;
    const mo_law law = mo_law_coulomb(mu);
    mo_problem *problem = reduced(contacts, 2, &law, W, q);
    mo_solution_set set = {0};
    CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
    assert_int_equal(set.count, b.count);
    assert_int_equal(set.verdict, b.count == 0   ? MO_VERDICT_NONE
                                  : b.count == 1 ? MO_VERDICT_UNIQUE
                                                 : MO_VERDICT_SEVERAL);
    CHECK(set.checked.holds);
    for (int s = 0; s < set.count; ++s) {
        double nearest = INFINITY;
        for (int k = 0; k < b.count; ++k)
            nearest = fmin(nearest, distance(n, set.solutions[s].u, b.u[k]));
        CHECK_BELOW(nearest, 1e-8);
        CHECK(set.solutions[s].is_proven);
    }
    ++seen[b.count < 3 ? b.count : 3];
    mo_solution_set_clear(&set);
    mo_problem_destroy(problem);
}

static void the_list_equals_brute_force_over_all_modes(void **state)
{
    (void)state;
    mo_random random = {11};
    int seen[4] = {0};
    for (int trial = 0; trial < 1000; ++trial) {
        /* 4^k modes each */
        static const int contacts[] = {1, 2, 3, 4, 1, 2, 3, 4, 5, MOST_CONTACTS};
        compare_with_brute_force(&random, contacts[trial % 10], seen);
    }
    CHECK(seen[0] > 20 && seen[1] > 100 && seen[2] > 20 && seen[3] > 20); /* every kind occurred */
    CHECK(seen[0] + seen[1] + seen[2] + seen[3] > 950);
}

/* ---- problems of deficient rank -------------------------------------------------------------- */

/* What a method solves is in the list; where the verdict is none, no method solves it. */
static void check_against_methods(mo_problem *problem, const mo_solution_set *set)
{
    static const char *const methods[] = {"lemke", "nsgs", "newton"};
    for (int k = 0; k < 3; ++k) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.method = methods[k];
        options.tol = 1e-10;
        options.max_iter = 3000;
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        double nearest = INFINITY;
        for (int s = 0; s < set->count; ++s) {
            nearest =
                set->solutions[s].dimension > 0
                    ? 0
                    : fmin(nearest, distance(result.row_count, set->solutions[s].u, result.u));
        }
        if (result.status == MO_SOLVED) CHECK_BELOW(nearest, 1e-5);
        mo_result_clear(&result);
    }
}

static void rank_deficient_discs_get_a_verdict_that_no_method_contradicts(void **state)
{
    (void)state;
    mo_random random = {5};
    int seen[MO_VERDICT_COUNT] = {0};
    for (int trial = 0; trial < 120; ++trial) {
        const double mass = pow(10, uniform(&random, -3, 3));
        mo_problem *problem =
            random_disc(&random, 1 + trial % 5, trial % 7 ? uniform(&random, 0, 2) : 0, mass);
        mo_solution_set set = {0};
        CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
        ++seen[set.verdict];
        for (int s = 0; s < set.count; ++s) {
            double scaled = 1;
            CHECK(mo_measure_scaled(problem, set.solutions[s].r, &scaled) == MO_OK);
            CHECK_BELOW(scaled, 1e-8);
        }
        check_against_methods(problem, &set);
        mo_solution_set_clear(&set);
        mo_problem_destroy(problem);
    }
    assert_int_equal(seen[MO_VERDICT_UNKNOWN] + seen[MO_VERDICT_EXISTS], 0);
}

/* ---- other laws ------------------------------------------------------------------------------ */

/* One contact with W positive definite has one solution, that of the law's own solver. */
static void one_contact_of_each_law_is_unique(void **state)
{
    (void)state;
    mo_random random = {3};
    for (int trial = 0; trial < 200; ++trial) {
        double A[9], W[9], q[3], r[3];
        const double s[2] = {0.6, 0.8};
        const mo_law laws[] = {mo_law_faceted(0.7, 3 + trial % 9), mo_law_pyramid(0.7),
                               mo_law_sliding(0.1, s), mo_law_coulomb(0)};
        fill_uniform(&random, -1, 1, 9, A);
        fill_uniform(&random, -1, 1, 3, q);
        for (int k = 0; k < 9; ++k)
            W[k] = mo_dot(3, A + k / 3 * 3, A + k % 3 * 3) + (k % 4 == 0 ? 2 : 0);
        const mo_law *law = &laws[trial % 4];
        mo_problem *problem = reduced(1, 3, law, W, q);
        mo_solution_set set = {0};
        CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
        mo_law_solve(law, 3, W, q, r);
        assert_int_equal(set.verdict, MO_VERDICT_UNIQUE);
        CHECK_BELOW(distance(3, r, set.solutions[0].r), 1e-9);
        mo_solution_set_clear(&set);
        mo_problem_destroy(problem);
    }
}

static void a_wall_against_a_wall_leaves_nothing_and_no_contact_leaves_one(void **state)
{
    (void)state;
    /* A ball between two planes that close in on it [acary2011, figure 3]. */
    const double W[4] = {1, -1, -1, 1}, q[2] = {-0.5, -0.5}, loose[2] = {-0.5, 0.5};
    const mo_law law = mo_law_frictionless();
    mo_problem *crushed = reduced(2, 1, &law, W, q), *held = reduced(2, 1, &law, W, loose);
    assert_int_equal(verdict_of(crushed), MO_VERDICT_NONE);
    assert_int_equal(verdict_of(held), MO_VERDICT_UNIQUE);
    mo_problem_destroy(crushed);
    mo_problem_destroy(held);
    mo_builder *builder = NULL;
    mo_problem *empty = NULL;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    CHECK(mo_builder_finish(builder, &empty, NULL) == MO_OK);
    mo_builder_destroy(builder);
    assert_int_equal(verdict_of(empty), MO_VERDICT_UNIQUE);
    mo_problem_destroy(empty);
}

/* A contact that slides without friction, u_N = 0 whatever r_N >= 0 is, and u_T = 0.25 + r_N. */
static void a_set_of_positive_dimension_is_called_one(void **state)
{
    (void)state;
    const double s[1] = {1}, W[4] = {0, 0, 1, 0}, q[2] = {0, 0.25};
    const mo_law law = mo_law_sliding(0, s);
    mo_problem *problem = reduced(1, 2, &law, W, q);
    mo_solution_set set = {0};
    CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
    assert_int_equal(set.verdict, MO_VERDICT_SEVERAL);
    int dimension = 0;
    for (int k = 0; k < set.count; ++k)
        dimension = set.solutions[k].dimension > dimension ? set.solutions[k].dimension : dimension;
    assert_int_equal(dimension, 1);
    mo_solution_set_clear(&set);
    mo_problem_destroy(problem);
}

/* ---- certificates that lie ------------------------------------------------------------------- */

/* One change at random. */
static void mutate(mo_random *random, mo_certificate *c)
{
    const size_t node = c->node_count ? mo_random_bits(random) % c->node_count : 0;
    const size_t value = c->value_count ? mo_random_bits(random) % c->value_count : 0;
    switch (mo_random_bits(random) % 6) {
    case 0:
        c->nodes[node].kind = (mo_proof_kind)(mo_random_bits(random) % 4);
        break;
    case 1:
        c->nodes[node].unit = (int)(mo_random_bits(random) % 4) - 1;
        break;
    case 2:
        c->nodes[node].solution = (int)(mo_random_bits(random) % 3) - 1;
        break;
    case 3:
        c->nodes[node].values = mo_random_bits(random) % (c->value_count + 2);
        break;
    case 4:
        if (c->value_count) c->values[value] *= uniform(random, -2, 2);
        break;
    default:
        memmove(c->nodes + node, c->nodes + node + 1,
                (c->node_count - node - 1) * sizeof *c->nodes);
        --c->node_count;
    }
}

/* The certificate of one problem is offered for another, with its solutions taken out and up to
 * three changes: it must never hold, since the other one has a solution that is not listed. */
static void a_certificate_that_leaves_out_a_solution_never_holds(void **state)
{
    (void)state;
    mo_random random = {17};
    int offered = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        double W[16], q[4];
        const mo_law law = mo_law_coulomb(0.5);
        fill_uniform(&random, -1, 1, 16, W);
        fill_uniform(&random, -1, 1, 4, q);
        mo_problem *problem = reduced(2, 2, &law, W, q);
        mo_solution_set set = {0};
        CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
        if (set.count > 0 && set.solutions[0].is_proven && set.checked.holds) {
            mo_certificate_report report;
            set.certificate.solution_count = 0;
            for (int k = 0; k < 3; ++k) {
                mutate(&random, &set.certificate);
                CHECK(mo_certificate_check(problem, &set.certificate, &report) == MO_OK);
                CHECK(!report.holds);
                ++offered;
            }
        }
        mo_solution_set_clear(&set);
        mo_problem_destroy(problem);
    }
    CHECK(offered > 5000);
}

/* A proof that none exists, told of a problem that has a solution. */
static void a_certificate_does_not_hold_for_another_problem(void **state)
{
    (void)state;
    mo_problem *none = painleve(0.5, 1, 1, -1), *one = painleve(0.5, 0.3, 1, -1);
    mo_solution_set set = {0};
    mo_certificate_report report;
    CHECK(mo_find_all_solutions(none, 0, &set) == MO_OK);
    assert_int_equal(set.verdict, MO_VERDICT_NONE);
    CHECK(mo_certificate_check(none, &set.certificate, &report) == MO_OK && report.holds);
    CHECK(mo_certificate_check(one, &set.certificate, &report) == MO_OK && !report.holds);
    mo_solution_set_clear(&set);
    mo_problem_destroy(none);
    mo_problem_destroy(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painleves_rod_has_the_solutions_of_the_closed_form),
        cmocka_unit_test(the_verdict_changes_within_1e_9_of_the_border),
        cmocka_unit_test(section_5_4_is_right_and_lists_both),
        cmocka_unit_test(the_list_equals_brute_force_over_all_modes),
        cmocka_unit_test(rank_deficient_discs_get_a_verdict_that_no_method_contradicts),
        cmocka_unit_test(one_contact_of_each_law_is_unique),
        cmocka_unit_test(a_wall_against_a_wall_leaves_nothing_and_no_contact_leaves_one),
        cmocka_unit_test(a_set_of_positive_dimension_is_called_one),
        cmocka_unit_test(a_certificate_that_leaves_out_a_solution_never_holds),
        cmocka_unit_test(a_certificate_does_not_hold_for_another_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
