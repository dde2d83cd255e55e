/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Up to which friction the cone is pointed, against closed forms; and the cones of rolling friction
 * and soft fingers. */
#include "check.h"

#include <string.h>

#include "moreau/moreau.h"
#include "problems.h"

enum { MOST = 5 };

/* One body with n velocities, M = I, f = 0, and contacts of d rows each. */
static mo_problem *body_with(int n, int count, int d, const mo_law *laws, const double *J)
{
    mo_builder *builder = NULL;
    mo_problem *problem = NULL;
    const double w[MOST] = {0};
    double M[36] = {0}, f[6] = {0};
    for (int k = 0; k < n; ++k)
        M[k * n + k] = 1;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, n, M, f);
    for (int i = 0; i < count; ++i) {
        mo_builder_add_constraint(builder, d, &laws[i], w);
        mo_builder_add_jacobian(builder, i, 0, d, n, J + i * d * n);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static int evidence_holds(const mo_problem *problem, const mo_condition *condition)
{
    mo_certificate_report report;
    CHECK(mo_condition_check(problem, condition, &report) == MO_OK);
    return report.holds;
}

/* A bracket of width 1e-6 around the closed form, both ends proven, and a lie about either
 * rejected. */
static void check_limit(mo_problem *problem, double expected)
{
    mo_friction_limit limit;
    CHECK(mo_friction_limit_find(problem, 1e-6, &limit) == MO_OK);
    CHECK(limit.below < limit.above);
    CHECK_BELOW(limit.above - limit.below, 1e-6 * limit.above);
    CHECK(limit.below <= expected * (1 + 1e-12) && expected <= limit.above * (1 + 1e-12));
    CHECK(limit.pointed.answer == MO_ANSWER_HOLDS && limit.blunt.answer == MO_ANSWER_FAILS);
    CHECK(limit.pointed.friction == limit.below && limit.blunt.friction == limit.above);
    CHECK(evidence_holds(problem, &limit.pointed) && evidence_holds(problem, &limit.blunt));
    limit.pointed.friction = expected * 1.01; /* no motion opens the contacts there */
    limit.blunt.friction = expected * 0.99;   /* no self-stress there */
    CHECK(!evidence_holds(problem, &limit.pointed) && !evidence_holds(problem, &limit.blunt));
    mo_friction_limit_clear(&limit);
    mo_problem_destroy(problem);
}

static void a_rod_on_a_rail_is_pointed_up_to_its_slope(void **state)
{
    (void)state;
    for (int i = 1; i < 20; ++i) {
        const double angle = acos(-1.0) / 2 * i / 20, mu = 0.1 * i;
        mo_problem *problem = NULL;
        CHECK(problem_painleve_rod(angle, mu, 1, -1, &problem, NULL) == MO_OK);
        check_limit(problem, tan(angle) / mu);
    }
}

/* A disc in a groove: both cones hold the line between the contacts where mu >= 1 / tan(a). */
static void a_disc_in_a_groove_is_pointed_up_to_its_opening(void **state)
{
    (void)state;
    for (int i = 1; i < 20; ++i) {
        const double a = acos(-1.0) / 2 * i / 20, s = sin(a), c = cos(a);
        const mo_law laws[2] = {mo_law_coulomb(0.7), mo_law_coulomb(0.7)};
        const double J[12] = {s, c, 0, c, -s, 1, -s, c, 0, c, s, 1};
        check_limit(body_with(3, 2, 2, laws, J), 1 / tan(a) / 0.7);
    }
}

/* One velocity: K* holds H' v for v > 0 exactly where J_N >= sqrt(mu^2 |J_T|^2 + ...), unit_cone.h
 * (2). */
static void round_cones_of_one_velocity_have_their_closed_form(void **state)
{
    (void)state;
    mo_random random = {2};
    for (int k = 0; k < 40; ++k) {
        double J[MOST];
        const double mu = uniform(&random, 0.05, 2), other = uniform(&random, 0.01, 1);
        fill_uniform(&random, -1, 1, MOST, J);
        J[0] = fabs(J[0]) + 0.1;
        const double slip = mu * hypot(J[1], J[2]);
        const mo_law coulomb = mo_law_coulomb(mu), finger = mo_law_soft_finger(mu, other),
                     rolling = mo_law_rolling(mu, other);
        check_limit(body_with(1, 1, 3, &coulomb, J), J[0] / slip);
        check_limit(body_with(1, 1, 4, &finger, J), J[0] / hypot(slip, other * J[3]));
        check_limit(body_with(1, 1, 5, &rolling, J), J[0] / (slip + other * hypot(J[3], J[4])));
    }
}

static void limits_that_are_not_finite_are_called_so(void **state)
{
    (void)state;
    const mo_law law = mo_law_coulomb(0.5), smooth = mo_law_coulomb(0);
    const mo_law laws[2] = {law, law};
    const double floor[4] = {1, 0, 0, 1};             /* a point on a floor: always pointed  */
    const double vice[8] = {1, 0, 0, 1, -1, 0, 0, 1}; /* a point between two walls: never */
    mo_problem *free_point = body_with(2, 1, 2, &law, floor);
    mo_problem *held = body_with(2, 2, 2, laws, vice);
    mo_problem *slippery = body_with(2, 1, 2, &smooth, floor);
    mo_friction_limit limit;
    CHECK(mo_friction_limit_find(free_point, 1e-6, &limit) == MO_OK);
    CHECK(limit.below > 1e6 && isinf(limit.above) && evidence_holds(free_point, &limit.pointed));
    mo_friction_limit_clear(&limit);
    CHECK(mo_friction_limit_find(held, 1e-6, &limit) == MO_OK);
    CHECK(limit.below == 0 && limit.above == 0 && evidence_holds(held, &limit.blunt));
    mo_friction_limit_clear(&limit);
    CHECK(mo_friction_limit_find(slippery, 1e-6, &limit) == MO_OK);
    CHECK(isinf(limit.above) && strstr(limit.message.text, "no friction"));
    mo_friction_limit_clear(&limit);
    CHECK(mo_friction_limit_find(held, 0, &limit) == MO_ERR_ARGUMENT);
    mo_problem_destroy(free_point);
    mo_problem_destroy(held);
    mo_problem_destroy(slippery);
}

/* ---- moments --------------------------------------------------------------------------------- */

/* u_N less what the groups of rows take of it: (2) of unit_cone.h, from the paper's definition. */
static double room_of_motion(const mo_law *law, const double *u)
{
    const double slip = law->mu * hypot(u[1], u[2]);
    return u[0] - (law->kind == MO_LAW_ROLLING ? slip + law->mu_rolling * hypot(u[3], u[4])
                                               : hypot(slip, law->mu_torsion * u[3]));
}

static double room_of_impulse(const mo_law *law, const double *r)
{
    const double part = hypot(r[1], r[2]) / law->mu;
    return r[0] - (law->kind == MO_LAW_ROLLING ? fmax(part, hypot(r[3], r[4]) / law->mu_rolling)
                                               : hypot(part, r[3] / law->mu_torsion));
}

/* The evidence, multiplied out by hand: 1 pointed, 0 not. */
static int pointed_by_hand(const mo_problem *problem, int count, int d, const mo_law *laws,
                           const double *J)
{
    mo_condition c;
    double sum[6] = {0}, size = 0;
    CHECK(mo_condition_decide(problem, MO_CONDITION_POINTED, &c) == MO_OK);
    CHECK(c.answer != MO_ANSWER_UNKNOWN && evidence_holds(problem, &c));
    for (int i = 0; i < count; ++i) {
        double u[MOST] = {0};
        for (int k = 0; k < 6 * d; ++k) {
            const double entry = J[i * d * 6 + k];
            u[k / 6] += c.motion ? entry * c.motion[k % 6] : 0;
            sum[k % 6] += c.impulse ? entry * c.impulse[i * d + k / 6] : 0;
        }
        CHECK(!c.motion || room_of_motion(&laws[i], u) > 0);
        CHECK(!c.impulse || room_of_impulse(&laws[i], c.impulse + i * d) > -1e-14);
        size += c.impulse ? c.impulse[i * d] : 0;
    }
    for (int k = 0; k < 6 && c.impulse; ++k)
        CHECK_BELOW(fabs(sum[k]), 1e-9 * size);
    const int pointed = c.answer == MO_ANSWER_HOLDS;
    mo_condition_clear(&c);
    return pointed;
}

static void moments_in_space_are_decided_with_evidence(void **state)
{
    (void)state;
    mo_random random = {31};
    int seen[2] = {0};
    for (int trial = 0; trial < 40; ++trial) {
        const int rolls = trial % 2, d = rolls ? 5 : 4, count = 1 + trial % 4;
        double J[4 * MOST * 6];
        mo_law laws[4];
        fill_uniform(&random, -1, 1, count * d * 6, J);
        for (int i = 0; i < count; ++i) {
            const double mu = uniform(&random, 0.1, 1), other = uniform(&random, 0.05, 0.5);
            laws[i] = rolls ? mo_law_rolling(mu, other) : mo_law_soft_finger(mu, other);
        }
        mo_problem *problem = body_with(6, count, d, laws, J);
        ++seen[pointed_by_hand(problem, count, d, laws, J)];
        mo_problem_destroy(problem);
    }
    CHECK(seen[0] > 0 && seen[1] > 5);
}

/* Pointed: a solution exists for every f and w, and a method finds one. */
static void pointed_problems_with_moments_are_solved(void **state)
{
    (void)state;
    mo_random random = {37};
    for (int trial = 0; trial < 20; ++trial) {
        const int d = trial % 2 ? 5 : 4;
        const mo_law law = trial % 2 ? mo_law_rolling(0.4, 0.1) : mo_law_soft_finger(0.4, 0.1);
        mo_builder *builder = NULL;
        mo_problem *problem = NULL;
        mo_check_result check = {0};
        double M[36] = {0}, f[6], w[MOST], J[MOST * 6];
        for (int k = 0; k < 6; ++k)
            M[k * 7] = 1;
        fill_uniform(&random, -1, 1, 6, f);
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        mo_builder_add_body(builder, 6, M, f);
        for (int i = 0; i < 2; ++i) {
            fill_uniform(&random, -1, 1, d, w);
            fill_uniform(&random, -0.5, 0.5, d * 6, J);
            J[2] = 2; /* both normals point up, more or less */
            mo_builder_add_constraint(builder, d, &law, w);
            mo_builder_add_jacobian(builder, i, 0, d, 6, J);
        }
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_builder_destroy(builder);
        CHECK(mo_check(problem, 0, &check) == MO_OK);
        assert_int_equal(check.conditions[MO_CONDITION_POINTED].answer, MO_ANSWER_HOLDS);
        assert_int_equal(check.conditions[MO_CONDITION_STRICT].answer, MO_ANSWER_HOLDS);
        assert_int_equal(check.conditions[MO_CONDITION_CLOSED].answer, MO_ANSWER_UNKNOWN);
        assert_int_equal(check.verdict, MO_VERDICT_EXISTS);
        CHECK(check.was_solved);
        mo_check_clear(&check);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_on_a_rail_is_pointed_up_to_its_slope),
        cmocka_unit_test(a_disc_in_a_groove_is_pointed_up_to_its_opening),
        cmocka_unit_test(round_cones_of_one_velocity_have_their_closed_form),
        cmocka_unit_test(limits_that_are_not_finite_are_called_so),
        cmocka_unit_test(moments_in_space_are_decided_with_evidence),
        cmocka_unit_test(pointed_problems_with_moments_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
