/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Laws.  Projections are judged by the variational inequality that defines them, derivatives by
 * finite differences, one-block solutions by the natural map of the law and by closed forms.
 */
#include "check.h"

#include <string.h>

#include "law/law_ops.h"
#include "linalg/dense.h"

enum { TRIALS = 3000 };

/* A law with its dimension, as the loops below run over them. */
typedef struct sample {
    mo_law law;
    int d;
} sample;

static const double box_lower[3] = {-1, -INFINITY, 0.25}, box_upper[3] = {2, 0.5, INFINITY};
static const double slide_plane[1] = {-1}, slide_space[2] = {0.6, -0.8};

static int make_samples(sample *out)
{
    static const double mus[] = {0, 0.01, 0.3, 1, 2, 50, INFINITY};
    int count = 0;
    for (int d = 2; d <= 3; ++d) {
        for (int k = 0; k < 7; ++k) {
            out[count++] = (sample){mo_law_coulomb(mus[k]), d};
        }
    }
    out[count++] = (sample){mo_law_frictionless(), 1};
    out[count++] = (sample){mo_law_bilateral(), 1};
    out[count++] = (sample){mo_law_bilateral(), 5};
    out[count++] = (sample){mo_law_box(box_lower, box_upper), 1};
    out[count++] = (sample){mo_law_box(box_lower, box_upper), 3};
    out[count++] = (sample){mo_law_rolling(0.4, 0.1), 5};
    out[count++] = (sample){mo_law_rolling(0, 0.5), 5};
    out[count++] = (sample){mo_law_rolling(1.5, 0), 5};
    for (int k = 0; k < 6; ++k) { /* from a ray to a needle, a ball in the middle */
        static const double torsions[] = {0, 0.3, 0.3, 1e-3, 0, 5};
        out[count++] = (sample){mo_law_soft_finger(mus[k], torsions[k]), 4};
    }
    out[count++] = (sample){mo_law_soft_finger(0, 0.4), 4};
    for (int k = 0; k < 6; ++k) {
        static const int facets[] = {4, 3, 5, 8, 6, 64};
        out[count++] = (sample){mo_law_faceted(mus[k], facets[k]), 3};
        out[count++] = (sample){mo_law_pyramid(mus[k]), 3};
        out[count++] =
            (sample){mo_law_sliding(mus[k], k % 2 ? slide_space : slide_plane), 2 + k % 2};
    }
    return count;
}

enum { MAX_SAMPLES = 64, MAX_D = 6 };

/* A sliding contact whose own impulse pushes it in has no solution once it is driven in. */
static int has_solution(const sample *s, const double *W, const double *b)
{
    double effect = W[0];
    for (int k = 1; k < s->d && s->law.kind == MO_LAW_SLIDING; ++k) {
        effect -= s->law.mu * W[k] * s->law.direction[k - 1];
    }
    return b[0] >= 0 || effect > 0;
}

static double distance2(int d, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < d; ++k) {
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    }
    return sum;
}

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
            for (int k = 0; k < d; ++k) {
                product += (x[k] - y[k]) * (inside[k] - y[k]);
            }
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
        ops->pack(&samples[s].law, d, p);
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
                for (int j = 0; j < d; ++j) {
                    worst = fmax(worst, fabs((high[j] - low[j]) / (2 * h) - J[j * d + k]));
                }
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
        ops->pack(&samples[s].law, d, p);
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
                for (int j = 0; j < d; ++j) {
                    CHECK_NEAR((high[j] - low[j]) / (2 * h), G[j * d + k], 1e-6);
                }
            }
        }
    }
}

/* ---- one block alone ------------------------------------------------------------------------- */

/* W = A A' + skew part, A d x rank with columns of very different length. */
static void random_block(mo_random *random, int d, int rank, double spread, double skew, double *W)
{
    double A[MAX_D * MAX_D];
    for (int k = 0; k < rank; ++k) {
        const double length = pow(10, uniform(random, -spread, 0));
        for (int i = 0; i < d; ++i) {
            A[i * MAX_D + k] = length * uniform(random, -1, 1);
        }
    }
    for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
            W[i * d + j] = 0;
            for (int k = 0; k < rank; ++k) {
                W[i * d + j] += A[i * MAX_D + k] * A[j * MAX_D + k];
            }
        }
    }
    for (int i = 0; i < d; ++i) {
        for (int j = i + 1; j < d; ++j) {
            const double twist = skew * uniform(random, -1, 1) * sqrt(W[i * d + i] * W[j * d + j]);
            W[i * d + j] += twist;
            W[j * d + i] -= twist;
        }
    }
}

/* The natural map of (W r + b, r) with step 1 / mean diagonal, over the size of r. */
static double block_error(const mo_law *law, int d, const double *W, const double *b,
                          const double *r)
{
    const mo_law_ops *ops = mo_law_ops_of(law->kind);
    double p[2 * MAX_D], u[MAX_D], z[MAX_D], trace = 0, size = 1e-300;
    ops->pack(law, d, p);
    mo_block_velocity(d, W, r, b, u);
    for (int k = 0; k < d; ++k) {
        trace += W[k * d + k];
    }
    const double step = trace > 0 ? d / trace : 1;
    ops->natural(p, d, step, u, r, z);
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
            if (has_solution(&samples[s], W, b)) {
                worst = fmax(worst, block_error(&samples[s].law, d, W, b, r));
            }
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
        if (W[0] < 1e-3) {
            continue;
        }
        fill_uniform(&random, -1, 1, 3, c);
        for (int k = 0; k < 3; ++k) {
            b[k] = mo_dot(3, W + 3 * k, c);
        }
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
            for (int k = 0; k < d * d; ++k) {
                W[k] *= scales[trial % 5];
            }
            fill_uniform(&random, -1, 1, d, b);
            mo_law_solve(&samples[s].law, d, W, b, r);
            for (int k = 0; k < d; ++k) {
                CHECK(isfinite(r[k]));
            }
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
        mo_law_coulomb_ops.pack(&law, 3, p);
        random_block(&random, 3, 3, 0, 0, W);
        for (int k = 0; k < 3; ++k) {
            W[4 * k] += 0.5; /* well conditioned: the solution is unique */
        }
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
        ops->pack(&samples[s].law, d, p);
        for (int trial = 0; trial < 300; ++trial) {
            double W[MAX_D * MAX_D], b[MAX_D], r[MAX_D], u[MAX_D], x[MAX_D], y[MAX_D];
            random_block(&random, d, d, 0, 0, W);
            for (int k = 0; k < d; ++k) {
                W[k * d + k] += 0.2;
            }
            fill_uniform(&random, -1, 1, d, b);
            if (!has_solution(&samples[s], W, b)) {
                continue;
            }
            mo_law_solve(&samples[s].law, d, W, b, r);
            mo_block_velocity(d, W, r, b, u);
            const double step = pow(10, uniform(&random, -2, 1));
            for (int k = 0; k < d; ++k) {
                x[k] = r[k] - step * u[k];
            }
            ops->prox(p, d, x, y);
            if (samples[s].law.mu == INFINITY && r[0] <= 1e-12) {
                continue; /* held without being pressed: the prox map lets go */
            }
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
        ops->pack(&samples[s].law, d, p);
        for (int trial = 0; trial < 200; ++trial) {
            mo_law_failure failure;
            random_block(&random, d, d, 0, 0, W);
            for (int k = 0; k < d; ++k) {
                W[k * d + k] += 0.2;
            }
            fill_uniform(&random, -1, 1, d, b);
            if (!has_solution(&samples[s], W, b)) {
                continue;
            }
            mo_law_solve(&samples[s].law, d, W, b, r);
            mo_block_velocity(d, W, r, b, u);
            ops->failure(p, d, u, r, &failure);
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
        cmocka_unit_test(a_solution_is_a_fixed_point_of_the_prox_map_for_every_step),
        cmocka_unit_test(facets_span_the_cone_from_inside),
        cmocka_unit_test(bad_parameters_are_refused_with_a_sentence),
        cmocka_unit_test(the_failure_of_a_solved_block_is_at_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
