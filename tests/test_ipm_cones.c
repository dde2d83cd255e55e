/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The cones of interior points: the algebra of the Lorentz cone, and the laws as cones. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "law/cones.h"
#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "problem/problem_data.h"

/* ---- the Lorentz cone ------------------------------------------------------------------------ */

/* A point inside, at a relative distance of about `depth` from the boundary. */
static void draw_inside(mo_random *random, int n, double size, double depth, double *x)
{
    fill_uniform(random, -size, size, n, x);
    x[0] = sqrt(mo_dot(n - 1, x + 1, x + 1)) * (1 + depth) + depth * size;
}

static void the_scaling_takes_both_points_to_the_same_place(void **state)
{
    (void)state;
    mo_random random = {5};
    for (int draw = 0; draw < 2000; ++draw) {
        const int n = 1 + draw % MO_LORENTZ_MAX;
        const double depth = pow(10, uniform(&random, -6, 0));
        double p[4], z[4], a[4], b[4], back[4], Q[16];
        mo_scaling T;
        draw_inside(&random, n, pow(10, uniform(&random, -4, 4)), depth, p);
        draw_inside(&random, n, pow(10, uniform(&random, -4, 4)), depth, z);
        CHECK(mo_scaling_set(n, p, z, &T));
        mo_scaling_apply(n, &T, p, a);
        mo_scaling_undo(n, &T, z, b);
        mo_scaling_undo(n, &T, a, back);
        mo_scaling_square(n, &T, Q);
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(a[k], b[k], 1e-9 * a[0]); /* T p = T^-1 z */
            CHECK_NEAR(back[k], p[k], 1e-9 / depth * p[0]);
            CHECK_NEAR(mo_dot(n, Q + k * n, p), z[k], 1e-9 / depth * z[0]); /* T^2 p = z */
        }
        CHECK(a[0] > 0 && mo_lorentz_det(n, a) > 0);
    }
}

static void a_point_on_the_boundary_has_no_scaling(void **state)
{
    (void)state;
    const double inside[3] = {2, 0, 1}, boundary[3] = {1, 0.6, 0.8}, outside[3] = {-2, 0, 0};
    const double broken[3] = {NAN, 0, 0};
    mo_scaling T;
    CHECK(!mo_scaling_set(3, inside, boundary, &T) || mo_lorentz_det(3, boundary) > 0);
    CHECK(!mo_scaling_set(3, outside, inside, &T));
    CHECK(!mo_scaling_set(3, inside, broken, &T));
    CHECK(mo_scaling_set(3, inside, inside, &T));
}

static void division_undoes_the_product(void **state)
{
    (void)state;
    mo_random random = {6};
    for (int draw = 0; draw < 500; ++draw) {
        const int n = 1 + draw % MO_LORENTZ_MAX;
        double l[4], x[4], y[4], again[4];
        draw_inside(&random, n, 1, 0.1, l);
        fill_uniform(&random, -1, 1, n, x);
        mo_lorentz_product(n, l, x, y);
        CHECK_NEAR(y[0], mo_dot(n, l, x), 1e-15);
        mo_lorentz_divide(n, l, y, again);
        for (int k = 0; k < n; ++k)
            CHECK_NEAR(again[k], x[k], 1e-12);
    }
}

static void a_step_ends_on_the_boundary_or_is_the_longest_allowed(void **state)
{
    (void)state;
    mo_random random = {7};
    int walls = 0;
    for (int draw = 0; draw < 2000; ++draw) {
        const int n = 1 + draw % MO_LORENTZ_MAX;
        double x[4], dx[4], there[4];
        draw_inside(&random, n, 1, 0.05, x);
        fill_uniform(&random, -2, 2, n, dx);
        const double t = mo_lorentz_step(n, x, dx, 1.5);
        CHECK(t > 0 && t <= 1.5);
        for (int part = 0; part <= 4; ++part) { /* inside all the way */
            for (int k = 0; k < n; ++k)
                there[k] = x[k] + 0.25 * part * t * (1 - 1e-9) * dx[k];
            CHECK(there[0] > 0 && mo_lorentz_det(n, there) > 0);
        }
        if (t < 1.5) {
            CHECK_NEAR(mo_lorentz_det(n, there), 0, 1e-7);
            ++walls;
        }
    }
    CHECK(walls > 500 && walls < 1900);
    const double x[2] = {1, 0}, nan_step[2] = {NAN, 0};
    CHECK(mo_lorentz_step(2, x, nan_step, 1) == 0);
}

/* ---- laws as cones --------------------------------------------------------------------------- */

static const double lower[3] = {-0.3, 0.1, -INFINITY}, upper[3] = {0.2, 0.1, 0.5};

/* A law with its dimension; the box has a fixed row and an open bound. */
typedef struct sample {
    mo_law law;
    int d;
} sample;

enum { SAMPLES = 16 };

static sample sample_of(int k)
{
    const sample samples[SAMPLES] = {
        {mo_law_coulomb(0.4), 3},        {mo_law_coulomb(1.7), 3},
        {mo_law_coulomb(0), 3},          {mo_law_coulomb(0.6), 2},
        {mo_law_rolling(0.5, 0.2), 5},   {mo_law_rolling(0, 0.2), 5},
        {mo_law_rolling(0.5, 0), 5},     {mo_law_faceted(0.7, 5), 3},
        {mo_law_faceted(0.7, 8), 3},     {mo_law_faceted(0, 4), 3},
        {mo_law_pyramid(0.8), 3},        {mo_law_frictionless(), 1},
        {mo_law_box(lower, upper), 3},   {mo_law_soft_finger(0.5, 0.2), 4},
        {mo_law_soft_finger(0, 0.2), 4}, {mo_law_soft_finger(0.5, 0), 4}};
    return samples[k];
}

/* The packed form of a sample and its cones. */
typedef struct described {
    double p[8];
    mo_law_cone cones[64];
    mo_law_rows rows;
    int count;
} described;

static void describe(const sample *s, described *out)
{
    mo_law_pack(&s->law, s->d, out->p);
    out->count = mo_law_cones(s->law.kind, out->p, s->d, out->cones, &out->rows);
    CHECK(out->count == mo_law_cones(s->law.kind, out->p, s->d, NULL, NULL));
    CHECK(out->count > 0 && out->count <= 64);
}

/* How far r is inside all cones; negative outside, and where a fixed row is not at its value. */
static double depth_of(const described *law, int d, const double *r)
{
    double least = INFINITY;
    for (int k = 0; k < law->count; ++k) {
        const mo_law_cone *cone = law->cones + k;
        double p[MO_LORENTZ_MAX] = {0};
        for (int a = 0; a < cone->dim; ++a)
            p[a] = mo_dot(d, cone->E + a * d, r);
        p[0] += cone->offset;
        least = fmin(least, p[0] - sqrt(mo_dot(cone->dim - 1, p + 1, p + 1)));
    }
    for (int k = 0; k < d; ++k)
        least = law->rows.fixed[k] ? fmin(least, -fabs(r[k] - law->rows.value[k])) : least;
    return least;
}

static void the_cones_hold_exactly_the_impulses_of_the_law(void **state)
{
    (void)state;
    mo_random random = {11};
    for (int k = 0; k < SAMPLES; ++k) {
        const sample s = sample_of(k);
        described law;
        describe(&s, &law);
        int inside = 0, outside = 0;
        for (int draw = 0; draw < 400; ++draw) {
            double x[6], y[6], moved = 0;
            fill_uniform(&random, -1, 1, s.d, x);
            for (int j = 0; j < s.d; ++j)
                x[j] = law.rows.fixed[j] ? law.rows.value[j] : j == 0 ? fabs(x[j]) : 0.3 * x[j];
            mo_law_project(&s.law, s.d, x, y);
            CHECK(depth_of(&law, s.d, y) >= -1e-13);
            for (int j = 0; j < s.d; ++j)
                moved = fmax(moved, fabs(y[j] - x[j]));
            const double depth = depth_of(&law, s.d, x);
            CHECK(moved > 1e-12 ? depth < 1e-12 : depth > -1e-12);
            inside += moved <= 1e-12;
            outside += moved > 1e-12;
        }
        CHECK(inside > 10 && (outside > 10 || s.d == 1 || law.rows.fixed[1]));
    }
}

/* sum E' z is normal to the set where z is perpendicular to the slack: then proj(r - uhat) = r. */
static void the_multipliers_of_the_cones_are_the_normals_of_the_law(void **state)
{
    (void)state;
    mo_random random = {12};
    for (int k = 0; k < SAMPLES; ++k) {
        const sample s = sample_of(k);
        described law;
        describe(&s, &law);
        for (int draw = 0; draw < 200; ++draw) {
            double r[6], uhat[6] = {0}, x[6], y[6];
            fill_uniform(&random, -2, 2, s.d, x);
            mo_law_project(&s.law, s.d, x, r); /* often on the rim */
            for (int c = 0; c < law.count; ++c) {
                const mo_law_cone *cone = law.cones + c;
                double p[MO_LORENTZ_MAX] = {0}, size = uniform(&random, 0, 1);
                for (int a = 0; a < cone->dim; ++a)
                    p[a] = mo_dot(s.d, cone->E + a * s.d, r);
                p[0] += cone->offset;
                const double tail = sqrt(mo_dot(cone->dim - 1, p + 1, p + 1));
                if (p[0] - tail > 1e-12) continue;                  /* inside: z = 0 */
                for (int a = 1; a < cone->dim && tail > 1e-12; ++a) /* z along J p */
                    mo_axpy(s.d, -size * p[a] / tail, cone->E + a * s.d, uhat);
                mo_axpy(s.d, size, cone->E, uhat);
            }
            for (int j = 0; j < s.d; ++j) { /* fixed rows move as they like */
                uhat[j] += law.rows.fixed[j] ? uniform(&random, -1, 1) : 0;
                x[j] = r[j] - uhat[j];
            }
            mo_law_project(&s.law, s.d, x, y);
            for (int j = 0; j < s.d; ++j)
                CHECK_NEAR(y[j], r[j], 1e-11);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scaling_takes_both_points_to_the_same_place),
        cmocka_unit_test(a_point_on_the_boundary_has_no_scaling),
        cmocka_unit_test(division_undoes_the_product),
        cmocka_unit_test(a_step_ends_on_the_boundary_or_is_the_longest_allowed),
        cmocka_unit_test(the_cones_hold_exactly_the_impulses_of_the_law),
        cmocka_unit_test(the_multipliers_of_the_cones_are_the_normals_of_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
