/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Ten thousand random small linear complementarity problems of each class, as reduced problems with
 * frictionless rows: 0 <= u = W r + q perpendicular to r >= 0.  Pivoting must solve what theory
 * says it solves, and whatever a method calls solved is multiplied out here, apart from the
 * library's measure.
 */
#include "check.h"

#include <string.h>

#include "linalg/dense.h"
#include "moreau/moreau.h"

enum { MAX_N = 7, COUNT = 10000 };

typedef struct lcp {
    int n;
    double W[MAX_N * MAX_N], q[MAX_N];
} lcp;

static mo_problem *problem_of(const lcp *p)
{
    mo_builder *builder;
    mo_problem *problem;
    const mo_law law = mo_law_frictionless();
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int i = 0; i < p->n; ++i) {
        mo_builder_add_constraint(builder, 1, &law, &p->q[i]);
        for (int j = 0; j < p->n; ++j)
            mo_builder_add_coupling(builder, i, j, 1, 1, &p->W[i * p->n + j]);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* The failure of r >= 0, W r + q >= 0 and their product, relative to the numbers that enter. */
static double failure(const lcp *p, const double *r)
{
    double worst = 0, scale = 1;
    for (int i = 0; i < p->n; ++i) {
        const double u = p->q[i] + mo_dot(p->n, p->W + i * p->n, r);
        scale = fmax(scale, fmax(fabs(r[i]), fabs(p->q[i])));
        worst = fmax(worst, fmax(fmax(-r[i], -u), fmin(fabs(r[i]), fabs(u))));
    }
    return worst / scale;
}

/* W = B B' of some rank, plus a skew part. */
static void fill_semidefinite(mo_random *random, int rank, double skew, lcp *p)
{
    double B[MAX_N * MAX_N];
    fill_uniform(random, -1, 1, p->n * rank, B);
    for (int i = 0; i < p->n; ++i)
        for (int j = 0; j < p->n; ++j)
            p->W[i * p->n + j] = mo_dot(rank, B + i * rank, B + j * rank);
    for (int i = 0; i < p->n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double twist = skew * uniform(random, -1, 1);
            p->W[i * p->n + j] += twist;
            p->W[j * p->n + i] -= twist;
        }
    }
}

/* q such that some r >= 0 and u >= 0 with r.u = 0 solve the problem. */
static void plant(mo_random *random, lcp *p)
{
    double r[MAX_N], u[MAX_N];
    for (int i = 0; i < p->n; ++i) {
        const int pressed = mo_random_unit(random) < 0.5;
        r[i] = pressed ? uniform(random, 0.1, 1) : 0;
        u[i] = pressed ? 0 : uniform(random, 0.1, 1);
    }
    for (int i = 0; i < p->n; ++i)
        p->q[i] = u[i] - mo_dot(p->n, p->W + i * p->n, r);
}

typedef enum kind { POSITIVE, SEMIDEFINITE_SOLVABLE, SEMIDEFINITE, COPOSITIVE, INDEFINITE } kind;

static void draw(mo_random *random, kind which, lcp *p)
{
    p->n = 1 + (int)uniform(random, 0, MAX_N);
    fill_uniform(random, -1, 1, p->n, p->q);
    switch (which) {
    case POSITIVE:
        fill_semidefinite(random, p->n, 0.5, p);
        for (int i = 0; i < p->n; ++i)
            p->W[i * p->n + i] += 0.1;
        break;
    case SEMIDEFINITE_SOLVABLE:
        fill_semidefinite(random, 1 + p->n / 2, 0.5, p);
        plant(random, p);
        break;
    case SEMIDEFINITE:
        fill_semidefinite(random, 1 + p->n / 3, 0, p);
        break;
    case COPOSITIVE:
        fill_uniform(random, 0, 1, p->n * p->n, p->W);
        break;
    case INDEFINITE:
        fill_uniform(random, -1, 1, p->n * p->n, p->W);
        break;
    }
}

/* How many of COUNT the method solves; every "solved" is checked. */
static int count_solved(const char *method, kind which)
{
    mo_random random = {100 + (uint64_t)which};
    int solved = 0;
    for (int trial = 0; trial < COUNT; ++trial) {
        lcp p;
        mo_result result = {0};
        mo_options options = mo_default_options();
        draw(&random, which, &p);
        mo_problem *problem = problem_of(&p);
        options.method = method;
        options.tol = 1e-9;
        options.max_iter = 2000; /* nothing runs for ever */
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        if (result.status == MO_SOLVED) {
            CHECK_BELOW(failure(&p, result.r), 1e-7);
            ++solved;
        }
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
    return solved;
}

static void positive_problems_are_all_solved(void **state)
{
    (void)state;
    CHECK(count_solved("lemke", POSITIVE) == COUNT);
    CHECK(count_solved("dantzig", POSITIVE) == COUNT);
}

static void semidefinite_problems_with_a_solution_are_all_solved_by_lemke(void **state)
{
    (void)state;
    CHECK(count_solved("lemke", SEMIDEFINITE_SOLVABLE) == COUNT);
}

static void no_unsolved_problem_of_other_classes_is_reported_as_solved(void **state)
{
    (void)state;
    for (int which = SEMIDEFINITE; which <= INDEFINITE; ++which) {
        const int solved = count_solved("lemke", (kind)which);
        CHECK(solved > COUNT / 10); /* and many are */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positive_problems_are_all_solved),
        cmocka_unit_test(semidefinite_problems_with_a_solution_are_all_solved_by_lemke),
        cmocka_unit_test(no_unsolved_problem_of_other_classes_is_reported_as_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
