/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The faceted, the pyramid and the sliding law against the printed conditions that define them, on
 * blocks that are symmetric, unsymmetric and of deficient rank; what all laws share is in
 * test_law.c.
 */
#include "check.h"

#include <string.h>

#include "law/law_ops.h"
#include "linalg/dense.h"

enum { TRIALS = 4000 };

/* W = A A' with A 3 x rank, plus a skew part. */
static void random_block(mo_random *random, int rank, double skew, double W[9])
{
    double A[9];
    fill_uniform(random, -1, 1, 3 * rank, A);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            W[3 * i + j] = mo_dot(rank, A + i * rank, A + j * rank);
    for (int i = 0; i < 3; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            const double twist = skew * uniform(random, -1, 1) * sqrt(W[4 * i] * W[4 * j]);
            W[3 * i + j] += twist;
            W[3 * j + i] -= twist;
        }
    }
}

/* b in the range of W, so that a contact of deficient rank has a solution. */
static void random_velocity(mo_random *random, const double W[9], int rank, double b[3])
{
    double c[3];
    fill_uniform(random, -1, 1, 3, c);
    for (int k = 0; k < 3; ++k)
        b[k] = rank < 3 ? mo_dot(3, W + 3 * k, c) : c[k];
}

/* [anitescu2004, eq. 2.5]: the largest failure of the faceted law with k directions. */
static double faceted_failure(double mu, int k, const double u[3], const double r[3])
{
    const double half = acos(-1.0) / k;
    double slip = -INFINITY, worst = fmax(fmax(0, -u[0]), fmax(0, -r[0]));
    for (int j = 0; j < k; ++j) {
        slip = fmax(slip, -cos(2 * half * j) * u[1] - sin(2 * half * j) * u[2]);
        const double middle = half * (2 * j + 1);
        const double outward = cos(middle) * r[1] + sin(middle) * r[2];
        worst = fmax(worst, outward - mu * r[0] * cos(half)); /* inside every edge */
    }
    worst = fmax(worst, fabs(u[0] * r[0]));
    return fmax(worst, fabs(mu * r[0] * slip + r[1] * u[1] + r[2] * u[2])); /* takes out the most */
}

/* [trinkle1997, eq. 15-16]. */
static double pyramid_failure(double mu, const double u[3], const double r[3])
{
    double worst = fmax(fmax(fmax(0, -u[0]), fmax(0, -r[0])), fabs(u[0] * r[0]));
    for (int k = 1; k < 3; ++k) {
        worst = fmax(worst, fabs(r[k]) - mu * r[0]);
        worst = fmax(worst, fabs(mu * r[0] * u[k] + r[k] * fabs(u[k])));
    }
    return worst;
}

static void a_faceted_contact_obeys_the_printed_conditions(void **state)
{
    (void)state;
    mo_random random = {41};
    for (int trial = 0; trial < TRIALS; ++trial) {
        const int k = 3 + trial % 10, rank = trial % 4 ? 3 : 2;
        const mo_law law = mo_law_faceted(uniform(&random, 0.05, 2), k);
        double W[9], b[3], r[3], u[3];
        random_block(&random, rank, trial % 3 ? 0 : 0.2, W);
        if (W[0] < 1e-2 || (rank == 2 && trial % 3 == 0))
            continue; /* a twist takes b out of the range */
        random_velocity(&random, W, rank, b);
        mo_law_solve(&law, 3, W, b, r);
        mo_block_velocity(3, W, r, b, u);
        CHECK_BELOW(faceted_failure(law.mu, k, u, r), 1e-9 * (1 + mo_dot(3, r, r)));
    }
}

static void a_pyramid_contact_obeys_the_printed_conditions(void **state)
{
    (void)state;
    mo_random random = {42};
    for (int trial = 0; trial < TRIALS; ++trial) {
        const int rank = trial % 4 ? 3 : 2;
        const mo_law law = mo_law_pyramid(uniform(&random, 0.05, 2));
        double W[9], b[3], r[3], u[3];
        random_block(&random, rank, trial % 3 ? 0 : 0.2, W);
        if (W[0] < 1e-2 || (rank == 2 && trial % 3 == 0)) continue;
        random_velocity(&random, W, rank, b);
        mo_law_solve(&law, 3, W, b, r);
        mo_block_velocity(3, W, r, b, u);
        CHECK_BELOW(pyramid_failure(law.mu, u, r), 1e-9 * (1 + mo_dot(3, r, r)));
    }
}

static void many_facets_come_near_the_cone(void **state)
{
    (void)state;
    const double W[9] = {2, 0.1, -0.2, 0.1, 3, 0.3, -0.2, 0.3, 2.5}, b[3] = {-1, 2, 1.3};
    const mo_law cone = mo_law_coulomb(0.4);
    double exact[3], last = INFINITY;
    mo_law_solve(&cone, 3, W, b, exact);
    for (int k = 4; k <= 64; k *= 2) {
        const mo_law law = mo_law_faceted(0.4, k);
        double r[3], distance = 0;
        mo_law_solve(&law, 3, W, b, r);
        for (int i = 0; i < 3; ++i)
            distance = hypot(distance, r[i] - exact[i]);
        CHECK(distance < last);
        last = 0.8 * distance; /* at least a little each time */
    }
    CHECK_BELOW(last, 0.02);
}

static void a_faceted_contact_slides_along_a_corner_and_across_an_edge(void **state)
{
    (void)state;
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const mo_law law = mo_law_faceted(0.5, 4);
    const double along[3] = {-1, 2, 0.4}, across[3] = {-1, 2, 2}, slow[3] = {-1, 0.1, 0.2};
    double r[3];
    mo_law_solve(&law, 3, W, along, r); /* against the first direction alone */
    CHECK_NEAR(r[0], 1, 1e-15);
    CHECK_NEAR(r[1], -0.5, 1e-15);
    CHECK_NEAR(r[2], 0, 1e-15);
    mo_law_solve(&law, 3, W, across, r); /* the middle of an edge, by symmetry */
    CHECK_NEAR(r[1], -0.25, 1e-15);
    CHECK_NEAR(r[2], -0.25, 1e-15);
    mo_law_solve(&law, 3, W, slow, r); /* sticks */
    CHECK_NEAR(r[1], -0.1, 1e-15);
    CHECK_NEAR(r[2], -0.2, 1e-15);
}

static void a_pyramid_contact_slides_in_one_row_and_sticks_in_the_other(void **state)
{
    (void)state;
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 2, 0.4};
    const mo_law law = mo_law_pyramid(0.5);
    double r[3];
    mo_law_solve(&law, 3, W, b, r);
    CHECK_NEAR(r[0], 1, 1e-15);
    CHECK_NEAR(r[1], -0.5, 1e-15);
    CHECK_NEAR(r[2], -0.4, 1e-15);
}

static void a_sliding_contact_ties_its_friction_to_its_pressure(void **state)
{
    (void)state;
    mo_random random = {43};
    for (int trial = 0; trial < TRIALS; ++trial) {
        const double angle = uniform(&random, 0, 6.3), s[2] = {cos(angle), sin(angle)};
        const mo_law law = mo_law_sliding(uniform(&random, 0, 1), s);
        double W[9], b[3], r[3], u[3];
        random_block(&random, 3, 0, W);
        fill_uniform(&random, -1, 1, 3, b);
        mo_law_solve(&law, 3, W, b, r);
        mo_block_velocity(3, W, r, b, u);
        const double effect = W[0] - law.mu * (W[1] * s[0] + W[2] * s[1]);
        CHECK(r[0] >= 0 && (r[0] == 0) == (b[0] >= 0 || effect <= 0));
        CHECK_NEAR(r[1], -law.mu * r[0] * s[0], 1e-15 * (1 + r[0]));
        CHECK_NEAR(r[2], -law.mu * r[0] * s[1], 1e-15 * (1 + r[0]));
        CHECK(r[0] == 0 || fabs(u[0]) <= 1e-12 * (1 + r[0]));
    }
}

/* Open, to the last bit: what the driver uses to find contradictions must not see any. */
static void an_open_contact_has_a_natural_map_of_exactly_zero(void **state)
{
    (void)state;
    mo_random random = {44};
    const double zero[3] = {0, 0, 0}, s[2] = {0.6, 0.8};
    for (int trial = 0; trial < TRIALS; ++trial) {
        const double mu = uniform(&random, 0, 2);
        const mo_law laws[] = {mo_law_faceted(mu, 3 + trial % 14), mo_law_pyramid(mu),
                               mo_law_sliding(mu, s)};
        double u[3], p[6], z[3];
        fill_uniform(&random, -1, 1, 3, u);
        u[0] = trial % 2 ? 0 : fabs(u[0]);
        for (int k = 0; k < 3; ++k) {
            const mo_law_ops *ops = mo_law_ops_of(laws[k].kind);
            mo_law_pack(&laws[k], 3, p);
            mo_law_natural(ops, p, 3, 1, u, zero, z);
            CHECK(z[0] == 0 && z[1] == 0 && z[2] == 0);
        }
    }
}

static void facets_describe_each_law(void **state)
{
    (void)state;
    const double s[2] = {0.6, -0.8};
    const mo_law faceted = mo_law_faceted(0.7, 5), pyramid = mo_law_pyramid(0.2),
                 sliding = mo_law_sliding(0.5, s);
    mo_law_facets facets;
    double p[6];
    mo_law_pack(&faceted, 3, p);
    mo_law_faceted_ops.facets(p, 3, 99, &facets); /* its own number, not the one asked for */
    CHECK(facets.groups == 1 && facets.start[1] == 5 && facets.mu[0] == 0.7 && facets.axis[0] == 1);
    CHECK_NEAR(facets.direction[1][1], cos(acos(-1.0) * 0.4), 1e-15);
    mo_law_pack(&pyramid, 3, p);
    mo_law_pyramid_ops.facets(p, 3, 4, &facets);
    CHECK(facets.groups == 2 && facets.start[1] == 2 && facets.start[2] == 4 &&
          facets.direction[3][2] == -1);
    mo_law_pack(&sliding, 3, p);
    mo_law_sliding_ops.facets(p, 3, 4, &facets);
    CHECK(facets.groups == 0 && facets.axis[0] == 1);
    CHECK_NEAR(facets.axis[1], -0.3, 1e-16);
    CHECK_NEAR(facets.axis[2], 0.4, 1e-16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faceted_contact_obeys_the_printed_conditions),
        cmocka_unit_test(a_pyramid_contact_obeys_the_printed_conditions),
        cmocka_unit_test(many_facets_come_near_the_cone),
        cmocka_unit_test(a_faceted_contact_slides_along_a_corner_and_across_an_edge),
        cmocka_unit_test(a_pyramid_contact_slides_in_one_row_and_sticks_in_the_other),
        cmocka_unit_test(a_sliding_contact_ties_its_friction_to_its_pressure),
        cmocka_unit_test(an_open_contact_has_a_natural_map_of_exactly_zero),
        cmocka_unit_test(facets_describe_each_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
