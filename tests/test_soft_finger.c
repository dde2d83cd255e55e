/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Torsional friction.  A disc or a sphere that spins, slides, or both, on a plane, against closed
 * forms and the limit laws (coulomb without torsion, a pivot without sliding friction); random
 * systems through every method that takes the law.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "law/ellipsoid.h"
#include "law/law_ops.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "scenes.h"

/* ---- closed forms ---------------------------------------------------------------------------- */

enum { RADIUS = 2 };
static const double MASS = 3, INERTIA = 0.8, GRAVITY = 10;

/*
 * One step h of a sphere of radius 2 that touches the plane z = 0, with velocity v and spin about
 * the vertical; d = 4. Velocities (v_x, v_y, v_z, omega_x, omega_y, omega_z); rows: normal z,
 * tangents x and y, spin.
 */
static mo_problem *sphere_on_plane(mo_law law, double h, double v_x, double v_y, double spin)
{
    const double M[36] = {MASS, 0, 0,    0, 0,       0, 0, MASS, 0, 0,       0, 0,
                          0,    0, MASS, 0, 0,       0, 0, 0,    0, INERTIA, 0, 0,
                          0,    0, 0,    0, INERTIA, 0, 0, 0,    0, 0,       0, INERTIA};
    const double f[6] = {MASS * v_x, MASS * v_y, -h * MASS * GRAVITY, 0, 0, INERTIA * spin};
    const double J[24] = {0, 0, 1, 0,      0, 0, 1, 0, 0, 0, -RADIUS, 0,
                          0, 1, 0, RADIUS, 0, 0, 0, 0, 0, 0, 0,       1};
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 6, M, f);
    mo_builder_add_constraint(builder, 4, &law, NULL);
    mo_builder_add_jacobian(builder, 0, 0, 4, 6, J);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static mo_result solved(const mo_problem *problem, const char *method, double tol)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    options.method = method;
    options.tol = tol;
    options.max_iter = 20000;
    CHECK(mo_solve(problem, &options, &result) == MO_OK);
    if (result.status != MO_SOLVED) {
        print_message("%s: %s, %g\n", method, mo_status_name(result.status),
                      result.residual.natural_relative);
    }
    CHECK(result.status == MO_SOLVED);
    return result;
}

static void a_spinning_sphere_slows_down_by_its_torsional_moment(void **state)
{
    (void)state;
    const double h = 0.01, mu_torsion = 0.05, spin = 3;
    mo_problem *problem = sphere_on_plane(mo_law_soft_finger(0.4, mu_torsion), h, 0, 0, spin);
    mo_result result = solved(problem, "nsgs", 1e-14);
    const double press = h * MASS * GRAVITY;
    CHECK_NEAR(result.r[0], press, 1e-14);
    CHECK_NEAR(result.r[3], -mu_torsion * press, 1e-14);
    CHECK_NEAR(result.v[5], spin - mu_torsion * press / INERTIA, 1e-13);
    CHECK_NEAR(hypot(result.r[1], result.r[2]), 0, 1e-14);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void a_slow_spin_stops_within_the_step(void **state)
{
    (void)state;
    const double h = 0.01, mu_torsion = 0.05,
                 spin = 0.9 * mu_torsion * h * MASS * GRAVITY / INERTIA;
    mo_problem *problem = sphere_on_plane(mo_law_soft_finger(0.4, mu_torsion), h, 0, 0, spin);
    mo_result result = solved(problem, "nsgs", 1e-14);
    CHECK_NEAR(result.r[3], -INERTIA * spin, 1e-15);
    CHECK_NEAR(result.v[5], 0, 1e-15);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

/* r_F = -r_N D^2 u_F / |D u_F| at the velocity after the step, and |D^-1 r_F| = r_N: on the
 * ellipse. */
static void slip_and_spin_together_end_on_the_ellipse(void **state)
{
    (void)state;
    const double h = 0.01, mu = 0.4, mu_torsion = 0.05, press = h * MASS * GRAVITY;
    for (int k = 0; k < 20; ++k) {
        const double spin = 0.5 * k - 5, v_x = 1 + 0.1 * k, v_y = -0.7;
        mo_problem *problem =
            sphere_on_plane(mo_law_soft_finger(mu, mu_torsion), h, v_x, v_y, spin);
        mo_result result = solved(problem, "nsgs", 1e-14);
        const double *r = result.r, *u = result.u;
        const double slip = hypot(mu * hypot(u[1], u[2]), mu_torsion * u[3]);
        CHECK_NEAR(r[0], press, 1e-14);
        CHECK_NEAR(r[1], -press * mu * mu * u[1] / slip, 1e-13);
        CHECK_NEAR(r[2], -press * mu * mu * u[2] / slip, 1e-13);
        CHECK_NEAR(r[3], -press * mu_torsion * mu_torsion * u[3] / slip, 1e-13);
        /* and the momenta, by hand */
        CHECK_NEAR(u[1], v_x + r[1] * (1 / MASS + RADIUS * RADIUS / INERTIA), 1e-13);
        CHECK_NEAR(u[3], spin + r[3] / INERTIA, 1e-13);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* A disc on a plane, spinning and sliding, until both stop: neither can end before the other where
 * it starts at the ratio of the eigenvectors, v / spin constant. */
static void a_disc_that_slides_and_spins_stops_by_the_law_of_the_ellipse(void **state)
{
    (void)state;
    /* Frictional deceleration of (m v, I w): g m D^2 (v, w) / |D (v, w)|.  With I = m mu_t^2 / mu^2
     * both shrink alike: d|D(v, w)|/dt = -g mu^2, and the direction stays. */
    const double mu = 0.5, mu_torsion = 0.2, h = 1e-3;
    const double inertia = MASS * mu_torsion * mu_torsion / (mu * mu);
    const double M[9] = {MASS, 0, 0, 0, MASS, 0, 0, 0, inertia};
    const double J[12] = {0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1}; /* v_x, v_z, omega */
    double v[3] = {1.2, 0, 4};
    const mo_law law = mo_law_soft_finger(mu, mu_torsion);
    const double size = hypot(mu * v[0], mu_torsion * v[2]);
    for (int step = 1; step <= 200; ++step) {
        const double f[3] = {MASS * v[0], MASS * v[1] - h * MASS * GRAVITY, inertia * v[2]};
        mo_builder *builder;
        mo_problem *problem;
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        mo_builder_add_body(builder, 3, M, f);
        mo_builder_add_constraint(builder, 4, &law, NULL);
        mo_builder_add_jacobian(builder, 0, 0, 4, 3, J);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_builder_destroy(builder);
        mo_result result = solved(problem, "nsgs", 1e-14);
        memcpy(v, result.v, sizeof v);
        const double expected = fmax(0, size - step * h * GRAVITY * mu * mu);
        CHECK_NEAR(v[0], 1.2 * expected / size, 1e-12);
        CHECK_NEAR(v[2], 4 * expected / size, 1e-12);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void without_torsion_it_is_coulomb_and_without_sliding_friction_a_pivot(void **state)
{
    (void)state;
    mo_random random = {31};
    for (int trial = 0; trial < 2000; ++trial) {
        double A[16], W[16], W3[9], b[4], r[4], r3[3];
        fill_uniform(&random, -1, 1, 16, A);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                W[i * 4 + j] = mo_dot(4, A + 4 * i, A + 4 * j) + 0.1 * (i == j);
        fill_uniform(&random, -1, 1, 4, b);
        const double mu = uniform(&random, 0.05, 1.5);
        const mo_law finger = mo_law_soft_finger(mu, 0), point = mo_law_coulomb(mu);
        for (int i = 0; i < 9; ++i)
            W3[i] = W[i / 3 * 4 + i % 3];
        mo_law_solve(&finger, 4, W, b, r);
        mo_law_solve(&point, 3, W3, b, r3);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(r[k], r3[k], 1e-12 * (1 + fabs(r3[0])));
        CHECK(r[3] == 0);
        /* The spin alone: coulomb in the plane on the rows (normal, spin). */
        const mo_law pivot = mo_law_soft_finger(0, mu), line = mo_law_coulomb(mu);
        const double W2[4] = {W[0], W[3], W[12], W[15]}, b2[2] = {b[0], b[3]};
        double r2[2];
        mo_law_solve(&pivot, 4, W, b, r);
        mo_law_solve(&line, 2, W2, b2, r2);
        CHECK_NEAR(r[0], r2[0], 1e-12 * (1 + fabs(r2[0])));
        CHECK_NEAR(r[3], r2[1], 1e-12 * (1 + fabs(r2[0])));
        CHECK(r[1] == 0 && r[2] == 0);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static double natural_error(const mo_law *law, const double *W, const double *b, const double *r)
{
    double p[2], u[4], z[4];
    const double step = 4 / (W[0] + W[5] + W[10] + W[15]);
    mo_law_pack(law, 4, p);
    mo_block_velocity(4, W, r, b, u);
    mo_law_natural(&mo_law_soft_finger_ops, p, 4, step, u, r, z);
    return sqrt(mo_dot(4, z, z)) / (sqrt(mo_dot(4, r, r)) + step * sqrt(mo_dot(4, b, b)));
}

/* Columns of A of length 10^-spread to 1; `rank` of them. */
static void draw_block(mo_random *random, int rank, double spread, double skew, double *W)
{
    double A[16];
    for (int k = 0; k < rank; ++k) {
        const double length = pow(10, uniform(random, -spread, 0));
        for (int i = 0; i < 4; ++i)
            A[4 * i + k] = length * uniform(random, -1, 1);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            W[4 * i + j] = mo_dot(rank, A + 4 * i, A + 4 * j);
    for (int i = 0; i < 4 && skew > 0; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            const double twist = skew * uniform(random, -1, 1) * sqrt(W[5 * i] * W[5 * j]);
            W[4 * i + j] += twist;
            W[4 * j + i] -= twist;
        }
    }
}

static void unsymmetric_heavy_and_deficient_blocks_are_solved(void **state)
{
    (void)state;
    mo_random random = {32};
    double worst[3] = {0};
    for (int trial = 0; trial < 12000; ++trial) {
        const mo_law law = mo_law_soft_finger(pow(10, uniform(&random, -2, 0.3)),
                                              pow(10, uniform(&random, -3, 0.3)));
        double W[16], b[4], c[4], r[4];
        const int kind = trial % 3; /* not symmetric; eigenvalues over 1e6; singular, b in range */
        draw_block(&random, kind == 2 ? 2 + trial % 2 : 4, kind == 1 ? 3 : 0, kind == 0 ? 0.1 : 0,
                   W);
        fill_uniform(&random, -1, 1, 4, b);
        if (kind == 2) {
            memcpy(c, b, sizeof c);
            for (int i = 0; i < 4; ++i)
                b[i] = mo_dot(4, W + 4 * i, c);
        }
        if (W[0] < 1e-3) continue;
        mo_law_solve(&law, 4, W, b, r);
        worst[kind] = fmax(worst[kind], natural_error(&law, W, b, r));
    }
    CHECK_BELOW(worst[0], 1e-9);
    CHECK_BELOW(worst[1], 1e-7);
    CHECK_BELOW(worst[2], 1e-9);
}

static void the_ellipsoid_is_projected_on_and_shrunk_by_to_the_last_digits(void **state)
{
    (void)state;
    mo_random random = {33};
    for (int trial = 0; trial < 5000; ++trial) {
        double a[3], x[3], y[3], left[3], on[3], unit = 0, normal[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = pow(10, uniform(&random, -3, 1));
            x[k] = uniform(&random, -4, 4);
        }
        mo_ellipsoid_project(3, a, x, y, NULL);
        for (int k = 0; k < 3; ++k)
            unit += y[k] / a[k] * (y[k] / a[k]);
        CHECK_BELOW(unit, 1 + 1e-13);
        /* A point of the rim, pushed out along its normal by so little that x hardly knows: shrink
         * gives it back. */
        double length = 0;
        for (int k = 0; k < 3; ++k) {
            x[k] = uniform(&random, -1, 1);
            length += x[k] * x[k];
        }
        for (int k = 0; k < 3; ++k) {
            on[k] = a[k] * x[k] / sqrt(length);
            normal[k] = on[k] / (a[k] * a[k]);
        }
        const double push = 1e-12 / sqrt(mo_dot(3, normal, normal));
        double over = 0;
        for (int k = 0; k < 3; ++k) {
            x[k] = on[k] + push * normal[k];
            over += push * normal[k] * normal[k]; /* of |x / a|, to first order */
        }
        mo_ellipsoid_shrink(3, a, x, over, left);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(left[k], push * normal[k], 1e-5 * 1e-12);
    }
}

static void facets_lie_in_the_cone_and_touch_it(void **state)
{
    (void)state;
    const double p[2] = {0.5, 0.1}, ray[2] = {0, 0}, pivot[2] = {0, 0.3};
    mo_law_facets facets;
    mo_law_soft_finger_ops.facets(p, 4, 6, &facets);
    CHECK(facets.groups == 1 && facets.start[1] == 8 && facets.mu[0] == 1);
    for (int j = 0; j < 8; ++j) {
        const double *D = facets.direction[j];
        CHECK_NEAR(hypot(hypot(D[1], D[2]) / 0.5, D[3] / 0.1), 1, 1e-15);
        CHECK(D[0] == 0);
    }
    mo_law_soft_finger_ops.facets(ray, 4, 6, &facets);
    CHECK(facets.groups == 0);
    mo_law_soft_finger_ops.facets(pivot, 4, 6, &facets);
    CHECK(facets.groups == 1 && facets.start[1] == 2 && facets.direction[1][3] == -0.3);
}

/* ---- systems --------------------------------------------------------------------------------- */

static void every_method_that_takes_the_law_solves_random_systems(void **state)
{
    (void)state;
    for (int k = 0; k < mo_method_count(); ++k) {
        const mo_method_info info = mo_method_describe(k);
        const unsigned bit = 1u << MO_LAW_SOFT_FINGER;
        if (!(info.laws & bit) || (info.by_facets & bit) || (info.relaxed & bit)) continue;
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            scene_random_def def = scene_random_default();
            mo_problem *problem;
            def.seed = seed;
            def.bodies = 6;
            def.constraints = 8;
            def.laws = SCENE_SOFT_FINGER;
            def.mu_max = 0.5;
            def.mass_ratio = seed % 2 ? 1 : 100;
            CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
            mo_result result = solved(problem, info.name, 1e-8);
            mo_residual residual;
            CHECK(mo_measure(problem, result.r, &residual) == MO_OK);
            CHECK_BELOW(residual.natural_relative, 1e-8);
            CHECK_BELOW(residual.dissipation.value, 1e-6);
            mo_result_clear(&result);
            mo_problem_destroy(problem);
        }
    }
}

static void a_planted_solution_is_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        double *planted;
        mo_residual residual;
        def.seed = seed;
        def.laws = SCENE_SOFT_FINGER | SCENE_COULOMB;
        def.compliance = seed % 3 ? 0 : 0.1;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        CHECK(mo_measure(problem, planted, &residual) == MO_OK);
        CHECK_BELOW(residual.natural_relative, 1e-14);
        free(planted);
        mo_problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spinning_sphere_slows_down_by_its_torsional_moment),
        cmocka_unit_test(a_slow_spin_stops_within_the_step),
        cmocka_unit_test(slip_and_spin_together_end_on_the_ellipse),
        cmocka_unit_test(a_disc_that_slides_and_spins_stops_by_the_law_of_the_ellipse),
        cmocka_unit_test(without_torsion_it_is_coulomb_and_without_sliding_friction_a_pivot),
        cmocka_unit_test(unsymmetric_heavy_and_deficient_blocks_are_solved),
        cmocka_unit_test(the_ellipsoid_is_projected_on_and_shrunk_by_to_the_last_digits),
        cmocka_unit_test(facets_lie_in_the_cone_and_touch_it),
        cmocka_unit_test(every_method_that_takes_the_law_solves_random_systems),
        cmocka_unit_test(a_planted_solution_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
