/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Bounds on the error of an approximate solution against solutions that are known: planted ones,
 * closed forms, and those of the convex problem with frozen sliding speeds. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "problems.h"
#include "scenes.h"

enum { MOST = 120 };

static double largest(int n, const double *x, const double *y)
{
    double most = 0;
    for (int k = 0; k < n; ++k)
        most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

/* |x - y| in the norm of M */
static double energy_norm(const mo_problem *problem, const double *x, const double *y)
{
    double sum = 0;
    for (int b = 0, start = 0; b < mo_problem_body_count(problem); ++b) {
        const mo_body_view view = mo_problem_body(problem, b);
        for (int k = 0; k < view.dim * view.dim; ++k) {
            const int i = start + k / view.dim, j = start + k % view.dim;
            sum += (x[i] - y[i]) * view.M[k] * (x[j] - y[j]);
        }
        start += view.dim;
    }
    return sqrt(fmax(0, sum));
}

/* ---- planted solutions ----------------------------------------------------------------------- */

/* r moved by about `size` of its entries: the bound holds, and is not much more than the distance.
 */
static int check_planted(const mo_problem *problem, const double *planted, mo_random *random,
                         double size)
{
    const int rows = mo_problem_row_count(problem), dofs = mo_problem_dof_count(problem);
    double r[MOST], v[MOST], exact[MOST], most = 0;
    mo_error_bound bound;
    for (int k = 0; k < rows; ++k)
        most = fmax(most, fabs(planted[k]));
    for (int k = 0; k < rows; ++k)
        r[k] = planted[k] + size * most * uniform(random, -1, 1);
    mo_problem_velocity(problem, planted, exact);
    mo_problem_velocity(problem, r, v);
    CHECK(mo_bound_error(problem, v, r, &bound) == MO_OK);
    if (!bound.is_proven) {
        CHECK(isinf(bound.v) && isinf(bound.r) && bound.message.text[0]);
        return 0;
    }
    const double far_r = largest(rows, r, planted), far_v = largest(dofs, v, exact);
    const double far_energy = energy_norm(problem, v, exact);
    CHECK(bound.r >= far_r * (1 - 1e-6) - 1e-11 * most && bound.r <= 1.001 * far_r + 1e-9 * most);
    CHECK(bound.v >= far_v * (1 - 1e-6) - 1e-11 && bound.v <= 1.001 * far_v + 1e-8);
    CHECK(bound.v_energy >= far_energy * (1 - 1e-6) - 1e-11);
    return 1;
}

static void planted_solutions_are_found_again(void **state)
{
    (void)state;
    static const unsigned laws[] = {SCENE_COULOMB, SCENE_COULOMB | SCENE_BILATERAL,
                                    SCENE_SOFT_FINGER, SCENE_ROLLING, SCENE_EVERY_LAW};
    mo_random random = {3};
    int proven = 0;
    for (int trial = 0; trial < 60; ++trial) {
        scene_random_def def = {.seed = (uint64_t)trial + 1,
                                .bodies = 5,
                                .constraints = 4,
                                .in_plane = trial % 6 == 5,
                                .laws =
                                    trial % 6 == 5 ? SCENE_COULOMB | SCENE_BOX : laws[trial % 6],
                                .mu_min = 0.2,
                                .mu_max = 0.8,
                                .mass_ratio = 10};
        mo_problem *problem = NULL;
        double *planted = NULL;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        proven += check_planted(problem, planted, &random, 0);
        proven += check_planted(problem, planted, &random, 1e-6);
        free(planted);
        mo_problem_destroy(problem);
    }
    CHECK(proven >=
          116); /* of 120; a planar body with two contacts that stick has no unique impulses */
}

/* [lu2015, section IV]: r = (0.5, -0.25, 0), u = (0, 0.75, 0). */
static void a_sliding_particle_is_known_to_the_last_digits(void **state)
{
    (void)state;
    const scene_particle_def def = scene_particle_default();
    const double r[3] = {0.5, -0.25, 0}, rough[3] = {0.51, -0.25, 0.001}, none[3] = {0};
    double v[3];
    mo_problem *problem = NULL;
    mo_error_bound bound;
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    mo_problem_velocity(problem, r, v);
    CHECK(mo_bound_error(problem, v, r, &bound) == MO_OK);
    CHECK(bound.is_proven);
    CHECK_BELOW(fmax(bound.v, fmax(bound.u, bound.r)), 1e-14);
    CHECK(mo_bound_error(problem, NULL, rough, &bound) == MO_OK);
    CHECK(bound.is_proven && isinf(bound.v));
    CHECK_NEAR(bound.r, 0.01, 1e-12);
    CHECK(mo_bound_error(problem, NULL, none, &bound) == MO_OK); /* the solution is 0.5 away */
    CHECK(bound.is_proven);
    CHECK_NEAR(bound.r, 0.5, 1e-12);
    const double bad[3] = {NAN, 0, 0};
    CHECK(mo_bound_error(problem, NULL, bad, &bound) == MO_ERR_ARGUMENT);
    mo_problem_destroy(problem);
}

/* Neither velocity nor load: u = 0 and r = 0, both exactly, are those of an open contact. */
static void a_particle_that_rests_without_load_is_known_exactly(void **state)
{
    (void)state;
    scene_particle_def def = scene_particle_default();
    const double r[3] = {0};
    double v[3];
    mo_problem *problem = NULL;
    mo_error_bound bound;
    def.gap = def.gravity = def.velocity[0] = def.velocity[1] = 0;
    CHECK(scene_particle(&def, &problem, NULL) == MO_OK);
    mo_problem_velocity(problem, r, v);
    CHECK(mo_bound_error(problem, v, r, &bound) == MO_OK);
    CHECK(bound.is_proven);
    CHECK_BELOW(fmax(bound.v, fmax(bound.u, bound.r)), 1e-300);
    mo_problem_destroy(problem);
}

/* Where there is no solution, nothing is ever proven to be near one. */
static void nothing_is_proven_where_no_solution_exists(void **state)
{
    (void)state;
    mo_random random = {17};
    for (int trial = 0; trial < 300; ++trial) {
        const double angle = uniform(&random, 0.1, 1.4);
        const double mu = tan(angle) * uniform(&random, 1.01, 3);
        double r[2], v[1];
        mo_problem *problem = NULL;
        mo_error_bound bound;
        CHECK(problem_painleve_rod(angle, mu, 1, -1, &problem, NULL) == MO_OK);
        fill_uniform(&random, -2, 2, 2, r);
        mo_problem_velocity(problem, r, v);
        CHECK(mo_bound_error(problem, v, r, &bound) == MO_OK);
        CHECK(!bound.is_proven && isinf(bound.v));
        mo_problem_destroy(problem);
    }
}

/* A sliding contact in space that methods solve to 1e-10 is within that of a solution: the list
 * agrees. */
static void proven_solutions_are_in_the_list_of_all_solutions(void **state)
{
    (void)state;
    for (int trial = 0; trial < 12; ++trial) {
        scene_random_def def = {.seed = (uint64_t)trial + 100,
                                .bodies = 2,
                                .constraints = 2,
                                .laws = SCENE_COULOMB,
                                .mu_min = 0.1,
                                .mu_max = 0.5,
                                .mass_ratio = 3};
        mo_problem *problem = NULL;
        mo_result result = {0};
        mo_options options = mo_default_options();
        mo_error_bound bound;
        mo_solution_set set = {0};
        options.tol = 1e-6;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        CHECK(mo_solve(problem, &options, &result) == MO_OK);
        CHECK(mo_bound_error(problem, result.v, result.r, &bound) == MO_OK);
        CHECK(mo_find_all_solutions(problem, 0, &set) == MO_OK);
        if (bound.is_proven) {
            double nearest = INFINITY;
            for (int s = 0; s < set.count; ++s)
                nearest = fmin(nearest, largest(result.row_count, set.solutions[s].u, result.u));
            CHECK_BELOW(nearest, bound.u + 1e-9);
        }
        CHECK(bound.is_proven || trial % 2 == 0 || set.count > 0);
        mo_solution_set_clear(&set);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

/* ---- frozen sliding speeds ------------------------------------------------------------------- */

/* The solution of the convex problem with q + shift: projected gradients on the dual, W being well
 * conditioned. */
static void solve_frozen(const mo_problem *problem, const double *shift, double *r)
{
    const int n = mo_problem_row_count(problem);
    double u[MOST], next[MOST], step = 0.02;
    memset(r, 0, (size_t)n * sizeof *r);
    for (int round = 0; round < 40000; ++round) {
        CHECK(mo_problem_response(problem, r, u) == MO_OK);
        double change = 0;
        for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
            const mo_constraint_view view = mo_problem_constraint(problem, i);
            double x[8];
            for (int k = 0; k < view.dim; ++k)
                x[k] = r[view.offset + k] - step * (u[view.offset + k] + shift[view.offset + k]);
            mo_law_project(&view.law, view.dim, x, next + view.offset);
        }
        change = largest(n, next, r);
        memcpy(r, next, (size_t)n * sizeof *r);
        if (change < 1e-14) break;
    }
}

static void the_duality_gap_bounds_the_error_of_the_frozen_problem(void **state)
{
    (void)state;
    mo_random random = {41};
    for (int trial = 0; trial < 16; ++trial) {
        scene_random_def def = {.seed = (uint64_t)trial + 7,
                                .bodies = 3,
                                .constraints = 3,
                                .laws = trial % 2 ? SCENE_COULOMB | SCENE_BILATERAL | SCENE_BOX
                                                  : SCENE_COULOMB | SCENE_FRICTIONLESS,
                                .mu_min = 0.1,
                                .mu_max = 0.7,
                                .mass_ratio = 2};
        mo_problem *problem = NULL;
        double *planted = NULL, r[MOST], v[MOST], exact_r[MOST], exact[MOST], shift[MOST];
        mo_frozen_bound bound;
        CHECK(scene_random(&def, &problem, &planted, NULL) == MO_OK);
        for (int rough = 0; rough < 3; ++rough) {
            static const double sizes[] = {0, 1e-4, 0.1};
            for (int k = 0; k < mo_problem_row_count(problem); ++k)
                r[k] = planted[k] + sizes[rough] * uniform(&random, -1, 1);
            mo_problem_velocity(problem, r, v);
            CHECK(mo_bound_frozen(problem, v, r, shift, &bound) == MO_OK);
            CHECK(isfinite(bound.v_energy));
            solve_frozen(problem, shift, exact_r);
            mo_problem_velocity(problem, exact_r, exact);
            const double far = energy_norm(problem, v, exact);
            CHECK_BELOW(far, bound.v_energy + 1e-9);
            CHECK(rough != 0 || bound.v_energy < 1e-6); /* the root of the rounding in the gap */
        }
        free(planted);
        mo_problem_destroy(problem);
    }
}

static void problems_that_are_not_convex_have_no_duality_gap(void **state)
{
    (void)state;
    mo_problem *problem = NULL, *reduced = NULL;
    mo_frozen_bound bound;
    const double r[2] = {1, 1}, v[3] = {0};
    const problem_scene *rod = problem_scene_find("sliding-rod");
    double values[WORLD_PARAMETERS];
    world_default_values(&rod->about, values);
    CHECK(rod->build(values, &problem, NULL) == MO_OK);
    CHECK(mo_bound_frozen(problem, v, r, NULL, &bound) == MO_OK);
    CHECK(isinf(bound.v_energy) && bound.message.text[0]);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    CHECK(mo_bound_frozen(reduced, NULL, r, NULL, &bound) == MO_OK);
    CHECK(isinf(bound.v_energy) && bound.message.text[0]);
    mo_problem_destroy(reduced);
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_solutions_are_found_again),
        cmocka_unit_test(a_sliding_particle_is_known_to_the_last_digits),
        cmocka_unit_test(a_particle_that_rests_without_load_is_known_exactly),
        cmocka_unit_test(nothing_is_proven_where_no_solution_exists),
        cmocka_unit_test(proven_solutions_are_in_the_list_of_all_solutions),
        cmocka_unit_test(the_duality_gap_bounds_the_error_of_the_frozen_problem),
        cmocka_unit_test(problems_that_are_not_convex_have_no_duality_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
