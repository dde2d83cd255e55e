/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Derivatives of solutions.  Forward products are judged by central differences of problems that
 * are solved again, adjoint products by the identity <s, D d> = <D' s, d>; what is said about loose
 * impulses by cases where it is known.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "moreau/moreau.h"
#include "scenes.h"
#include "solve_closely.h"

/* ---- problems with other data ---------------------------------------------------------------- */

typedef struct data {
    double *f, *w, *mu, *moment;
} data;

static data make_data(const mo_problem *problem)
{
    const size_t dofs = (size_t)mo_problem_dof_count(problem);
    const size_t rows = (size_t)mo_problem_row_count(problem);
    const size_t count = (size_t)mo_problem_constraint_count(problem);
    double *all = test_calloc(dofs + rows + 2 * count + 1, sizeof *all);
    return (data){all, all + dofs, all + dofs + rows, all + dofs + rows + count};
}

static mo_data_vector as_vector(data d)
{
    return (mo_data_vector){d.f, d.w, d.mu, d.moment};
}

typedef mo_law (*law_change)(mo_law law, int d);

static mo_law same_law(mo_law law, int d)
{
    (void)d;
    return law;
}

/* The problem with f + t df, w + t dw and so on, and other laws if wanted. */
static mo_problem *moved(const mo_problem *problem, data d, double t, law_change change)
{
    mo_builder *builder;
    mo_problem *copy;
    double f[64], w[64];
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int b = 0; b < mo_problem_body_count(problem); ++b) {
        const mo_body_view body = mo_problem_body(problem, b);
        for (int k = 0; k < body.dim; ++k)
            f[k] = body.f[k] + t * d.f[body.offset + k];
        if (body.is_symmetric)
            mo_builder_add_body(builder, body.dim, body.M, f);
        else
            mo_builder_add_unsymmetric_body(builder, body.dim, body.M, f);
    }
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        mo_law law = change(view.law, view.dim);
        for (int k = 0; k < view.dim; ++k)
            w[k] = view.w[k] + t * d.w[view.offset + k];
        law.mu += t * d.mu[i];
        law.mu_rolling += t * d.moment[i];
        law.mu_torsion += t * d.moment[i];
        mo_builder_add_constraint(builder, view.dim, &law, w);
    }
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            if (mo_problem_form(problem) == MO_FORM_GLOBAL) {
                mo_builder_add_jacobian(builder, i, block.index, view.dim,
                                        mo_problem_body(problem, block.index).dim, block.values);
            } else {
                mo_builder_add_coupling(builder, i, block.index, view.dim,
                                        mo_problem_constraint(problem, block.index).dim,
                                        block.values);
            }
        }
    }
    CHECK(mo_builder_finish(builder, &copy, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return copy;
}

/* ---- comparing ------------------------------------------------------------------------------- */

typedef struct tally {
    int compared, loose, edges;
    double worst; /* of |difference - derivative| / |derivative| */
} tally;

static double norm(int n, const double *x)
{
    return sqrt(mo_dot(n, x, x));
}

/* |x - y| / |x + y|-ish: relative to the larger of the two, with a floor. */
static double apart(int n, const double *x, const double *y, double floor)
{
    double sum = 0;
    for (int k = 0; k < n; ++k)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum) / fmax(floor, fmax(norm(n, x), norm(n, y)));
}

static void check_adjoint(mo_gradient *gradient, const mo_problem *problem, data d,
                          mo_random *random)
{
    const int dofs = mo_problem_dof_count(problem), rows = mo_problem_row_count(problem);
    const int count = mo_problem_constraint_count(problem);
    double *all = test_calloc((size_t)(2 * dofs + 4 * rows) + 1, sizeof *all);
    const mo_solution_vector seed = {all, all + dofs, all + dofs + rows};
    const mo_solution_vector ds = {all + dofs + 2 * rows, seed.r + rows + dofs,
                                   seed.r + 2 * rows + dofs};
    data back = make_data(problem);
    const mo_data_vector in = as_vector(d), out = as_vector(back);
    fill_uniform(random, -1, 1, dofs + 2 * rows, all);
    mo_gradient_forward(gradient, &in, &ds, NULL);
    mo_gradient_adjoint(gradient, &seed, &out);
    const double left =
        mo_dot(dofs, seed.v, ds.v) + mo_dot(rows, seed.u, ds.u) + mo_dot(rows, seed.r, ds.r);
    const double right = mo_dot(dofs, d.f, back.f) + mo_dot(rows, d.w, back.w) +
                         mo_dot(count, d.mu, back.mu) + mo_dot(count, d.moment, back.moment);
    const double size = norm(dofs, ds.v) + norm(rows, ds.u) + norm(rows, ds.r);
    CHECK_NEAR(left, right, 1e-9 * (1 + size));
    test_free(all);
    test_free(back.f);
}

/* Random direction; only f where w would contradict itself, and no coefficient that would turn
 * negative. */
static data draw_direction(const mo_problem *problem, mo_random *random, int with_w)
{
    data d = make_data(problem);
    fill_uniform(random, -1, 1, mo_problem_dof_count(problem), d.f);
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        fill_uniform(random, with_w ? -1 : 0, with_w ? 1 : 0, view.dim, d.w + view.offset);
        const int kind = (int)view.law.kind;
        const int rubs =
            kind != MO_LAW_FRICTIONLESS && kind != MO_LAW_BILATERAL && kind != MO_LAW_BOX;
        const int has_moment = kind == MO_LAW_ROLLING || kind == MO_LAW_SOFT_FINGER;
        d.mu[i] = rubs && view.law.mu > 0 && isfinite(view.law.mu) ? uniform(random, -1, 1) : 0;
        d.moment[i] = has_moment ? uniform(random, -0.3, 0.3) : 0;
    }
    return d;
}

/* Central differences along d beside the forward product; with r where it is unique. */
/* Problems with friction may have several solutions: is the difference of these two a motion of one
 * of them, and no jump to another? */
static int are_near(const mo_result *a, const mo_result *b)
{
    double most = 0, jump = 0;
    for (int k = 0; k < a->dof_count; ++k) {
        most = fmax(most, fabs(a->v[k]));
        jump = fmax(jump, fabs(a->v[k] - b->v[k]));
    }
    for (int k = 0; k < a->row_count; ++k) {
        most = fmax(most, fabs(a->u[k]));
        jump = fmax(jump, fabs(a->u[k] - b->u[k]));
    }
    return jump <= 1e-2 * (1 + most);
}

static void compare(const mo_problem *problem, const mo_result *at, mo_gradient *gradient, data d,
                    tally *sum)
{
    const int dofs = mo_problem_dof_count(problem), rows = mo_problem_row_count(problem);
    const mo_gradient_info info = mo_gradient_describe(gradient);
    const double h = 2e-6;
    mo_problem *ahead = moved(problem, d, h, same_law), *behind = moved(problem, d, -h, same_law);
    mo_result high = {0}, low = {0};
    double *all = test_calloc((size_t)(2 * dofs + 4 * rows) + 1, sizeof *all);
    double *dv = all, *du = dv + dofs, *dr = du + rows;
    double *fd_v = dr + rows, *fd_u = fd_v + dofs, *fd_r = fd_u + rows, defect;
    const mo_solution_vector out = {dv, du, dr};
    const mo_data_vector in = as_vector(d);
    mo_gradient_forward(gradient, &in, &out, &defect);
    if (solve_closely(ahead, at->r, &high) && solve_closely(behind, at->r, &low) &&
        are_near(&high, &low)) {
        for (int k = 0; k < dofs; ++k)
            fd_v[k] = (high.v[k] - low.v[k]) / (2 * h);
        for (int k = 0; k < rows; ++k) {
            fd_u[k] = (high.u[k] - low.u[k]) / (2 * h);
            fd_r[k] = (high.r[k] - low.r[k]) / (2 * h);
        }
        const double error = fmax(apart(dofs, dv, fd_v, 1), apart(rows, du, fd_u, 1));
        sum->worst = fmax(sum->worst, error);
        if (info.status == MO_GRADIENT_EXACT)
            sum->worst = fmax(sum->worst, apart(rows, dr, fd_r, 1));
        CHECK_BELOW(defect, 1e-9);
        ++sum->compared;
    }
    mo_result_clear(&high);
    mo_result_clear(&low);
    mo_problem_destroy(ahead);
    mo_problem_destroy(behind);
    test_free(all);
}

/* The whole examination of one problem. */
static void examine(const mo_problem *problem, mo_random *random, tally *sum)
{
    mo_result result = {0};
    mo_gradient *gradient;
    if (!solve_closely(problem, NULL, &result)) {
        mo_result_clear(&result);
        return;
    }
    CHECK(mo_gradient_create(problem, result.r, &gradient, NULL) == MO_OK);
    const mo_gradient_info info = mo_gradient_describe(gradient);
    sum->loose += info.status == MO_GRADIENT_LOOSE;
    sum->edges += info.status == MO_GRADIENT_EDGE;
    data d = draw_direction(problem, random, info.status == MO_GRADIENT_EXACT);
    if (info.status <= MO_GRADIENT_LOOSE) compare(problem, &result, gradient, d, sum);
    check_adjoint(gradient, problem, d, random);
    test_free(d.f);
    mo_gradient_destroy(gradient);
    mo_result_clear(&result);
}

static void report(const char *name, const tally *sum)
{
    print_message("%s: %d compared, %d loose, %d on an edge, worst %g\n", name, sum->compared,
                  sum->loose, sum->edges, sum->worst);
}

/* ---- random systems -------------------------------------------------------------------------- */

static void random_systems_of_all_laws_match_differences(void **state)
{
    (void)state;
    tally sum = {0};
    mo_random random = {41};
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem, *reduced;
        def.seed = seed;
        def.bodies = 5;
        def.constraints = 7;
        def.in_plane = seed % 3 == 0;
        def.laws = SCENE_EVERY_LAW;
        def.mu_max = 0.4;
        def.mass_ratio = seed % 4 == 1 ? 1e3 : 1;
        def.compliance = seed % 5 == 0 ? 0.02 : 0;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        examine(problem, &random, &sum);
        CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
        examine(reduced, &random, &sum);
        mo_problem_destroy(problem);
        mo_problem_destroy(reduced);
    }
    report("all laws", &sum);
    CHECK(sum.compared > 110);
    CHECK_BELOW(sum.worst, 2e-5);
}

static mo_law by_facets(mo_law law, int d)
{
    if (law.kind != MO_LAW_COULOMB || d != 3) return law;
    const double mu = law.mu;
    return mu < 0.25 ? mo_law_faceted(mu, 5) : mo_law_pyramid(mu);
}

static mo_law known_slip(mo_law law, int d)
{
    static const double s[2] = {0.6, -0.8};
    return law.kind == MO_LAW_COULOMB && d == 3 && law.mu < 0.2 ? mo_law_sliding(law.mu, s) : law;
}

static void polyhedral_and_sliding_laws_match_differences(void **state)
{
    (void)state;
    tally sum[2] = {{0}};
    mo_random random = {42};
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        scene_random_def def = scene_random_default();
        mo_problem *problem;
        def.seed = seed;
        def.bodies = 5;
        def.constraints = 6;
        def.laws = SCENE_COULOMB | SCENE_BILATERAL;
        def.mu_max = 0.4;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        data none = make_data(problem);
        for (int k = 0; k < 2; ++k) {
            mo_problem *other = moved(problem, none, 0, k ? known_slip : by_facets);
            examine(other, &random, &sum[k]);
            mo_problem_destroy(other);
        }
        test_free(none.f);
        mo_problem_destroy(problem);
    }
    for (int k = 0; k < 2; ++k) {
        report(k ? "sliding" : "by facets", &sum[k]);
        CHECK(sum[k].compared > 20);
        CHECK_BELOW(sum[k].worst, 2e-5);
    }
}

static void an_unsymmetric_mass_is_differentiated(void **state)
{
    (void)state;
    enum { MOST = 12 };
    tally sum = {0};
    mo_random random = {43};
    for (int trial = 0; trial < 40; ++trial) {
        mo_builder *builder;
        mo_problem *problem;
        const int n = trial % 2 ? MOST : 3; /* large bodies are factored from the last row on */
        const double c = uniform(&random, -0.5, 0.5), mu = uniform(&random, 0.05, 0.5);
        const mo_law law = mo_law_coulomb(mu);
        double M[MOST * MOST] = {0}, f[MOST], J[3 * MOST];
        for (int k = 0; k < n; ++k) {
            M[k * n + k] = 2;
            if (k + 1 < n) {
                M[k * n + k + 1] = c;
                M[(k + 1) * n + k] = -c;
            }
        }
        CHECK(mo_builder_create(NULL, &builder) == MO_OK);
        for (int b = 0; b < 2; ++b) {
            fill_uniform(&random, -2, 2, n, f);
            mo_builder_add_unsymmetric_body(builder, n, M, f);
        }
        for (int i = 0; i < 2; ++i) {
            mo_builder_add_constraint(builder, 3, &law, NULL);
            for (int b = 0; b < 2; ++b) {
                fill_uniform(&random, -1, 1, 3 * n, J);
                mo_builder_add_jacobian(builder, i, b, 3, n, J);
            }
        }
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_builder_destroy(builder);
        examine(problem, &random, &sum);
        mo_problem_destroy(problem);
    }
    report("unsymmetric", &sum);
    CHECK(sum.compared > 20);
    CHECK_BELOW(sum.worst, 2e-5);
}

/* ---- impulses that are not unique ------------------------------------------------------------ */

static void a_box_on_four_corners_moves_as_it_must(void **state)
{
    (void)state;
    tally sum = {0};
    mo_random random = {44};
    for (int trial = 0; trial < 12; ++trial) {
        scene_slope_def def = scene_slope_default();
        mo_problem *problem;
        def.angle =
            (trial % 2 ? 10 : 40) * acos(-1.0) / 180; /* sticks at 10 degrees, slides at 40 */
        def.mu = 0.5 + 0.02 * trial;
        CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
        examine(problem, &random, &sum);
        mo_problem_destroy(problem);
    }
    report("box on a slope", &sum);
    CHECK(sum.loose == 12);
    CHECK_BELOW(sum.worst, 2e-5);
}

/* The same box on impulses that leave one corner without load: v, and its derivative, are the same.
 */
static void an_unloaded_corner_makes_no_difference(void **state)
{
    (void)state;
    for (int slides = 0; slides < 2; ++slides) {
        scene_slope_def def = scene_slope_default();
        mo_problem *problem;
        mo_result result = {0};
        mo_gradient *whole, *unloaded;
        double other[12], f[6], dv[2][6];
        mo_random random = {46};
        def.angle = slides ? 0.7 : 0;
        CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
        CHECK(solve_closely(problem, NULL, &result));
        CHECK(mo_problem_row_count(problem) == 12);
        for (int k = 0; k < 12 && !slides; ++k) /* at rest on the level: each carries a quarter */
            result.r[k] = k % 3 ? 0 : SCENE_GRAVITY * def.step / 4;
        /* Corners 0 and 3 are opposite, as are 1 and 2: the normals (1, -1, -1, 1) cause nothing,
         * and with friction that follows them neither does that. */
        const double least = fmin(result.r[0], result.r[9]);
        const int empty = result.r[0] <= result.r[9] ? 0 : 3;
        for (int i = 0; i < 4; ++i) {
            const double sign = i == 0 || i == 3 ? -1 : 1;
            for (int k = 0; k < 3; ++k) {
                other[3 * i + k] = result.r[3 * i + k] +
                                   sign * least * result.r[3 * empty + k] / result.r[3 * empty];
            }
        }
        mo_residual residual;
        CHECK(mo_measure(problem, other, &residual) == MO_OK);
        CHECK_BELOW(residual.natural_relative, 1e-12);
        CHECK(fabs(other[3 * empty]) < 1e-15);
        CHECK(mo_gradient_create(problem, result.r, &whole, NULL) == MO_OK);
        CHECK(mo_gradient_create(problem, other, &unloaded, NULL) == MO_OK);
        CHECK(mo_gradient_describe(unloaded).status == MO_GRADIENT_LOOSE);
        CHECK(mo_gradient_describe(unloaded).is_centred);
        fill_uniform(&random, -1, 1, 6, f);
        for (int k = 0; k < 2; ++k) {
            const mo_data_vector in = {.f = f};
            const mo_solution_vector out = {.v = dv[k]};
            mo_gradient_forward(k ? unloaded : whole, &in, &out, NULL);
        }
        CHECK_BELOW(apart(6, dv[0], dv[1], 1), 1e-9);
        CHECK(slides == (norm(6, dv[0]) > 1e-3));
        mo_gradient_destroy(whole);
        mo_gradient_destroy(unloaded);
        mo_result_clear(&result);
        mo_problem_destroy(problem);
    }
}

static void raising_one_corner_contradicts_the_modes(void **state)
{
    (void)state;
    scene_slope_def def = scene_slope_default();
    mo_problem *problem;
    mo_result result = {0};
    mo_gradient *gradient;
    def.angle = 0.1;
    CHECK(scene_block_on_slope(&def, &problem, NULL) == MO_OK);
    CHECK(solve_closely(problem, NULL, &result));
    CHECK(mo_gradient_create(problem, result.r, &gradient, NULL) == MO_OK);
    data d = make_data(problem);
    const mo_data_vector in = as_vector(d);
    const mo_solution_vector out = {0};
    double defect;
    d.w[0] = -1; /* one of four */
    mo_gradient_forward(gradient, &in, &out, &defect);
    CHECK(defect > 0.1);
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) /* all of them together */
        d.w[mo_problem_constraint(problem, i).offset] = -1;
    mo_gradient_forward(gradient, &in, &out, &defect);
    CHECK_BELOW(defect, 1e-12);
    test_free(d.f);
    mo_gradient_destroy(gradient);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void stacks_walls_and_chains_match_differences(void **state)
{
    (void)state;
    tally sum = {0};
    mo_random random = {45};
    mo_problem *problem;
    scene_stack_def stack = scene_stack_default();
    CHECK(scene_box_stack(&stack, &problem, NULL) == MO_OK);
    examine(problem, &random, &sum);
    mo_problem_destroy(problem);
    scene_chain_def chain = scene_chain_default();
    CHECK(scene_joint_chain(&chain, &problem, NULL) == MO_OK);
    examine(problem, &random, &sum);
    mo_problem_destroy(problem);
    scene_wall_def wall = scene_wall_default();
    CHECK(scene_wall(&wall, &problem, NULL) == MO_OK);
    examine(problem, &random, &sum);
    mo_problem_destroy(problem);
    report("scenes", &sum);
    CHECK(sum.compared == 3 &&
          sum.loose == 2); /* what a method leaves on an edge is moved off it */
    CHECK_BELOW(sum.worst, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_of_all_laws_match_differences),
        cmocka_unit_test(polyhedral_and_sliding_laws_match_differences),
        cmocka_unit_test(an_unsymmetric_mass_is_differentiated),
        cmocka_unit_test(a_box_on_four_corners_moves_as_it_must),
        cmocka_unit_test(an_unloaded_corner_makes_no_difference),
        cmocka_unit_test(raising_one_corner_contradicts_the_modes),
        cmocka_unit_test(stacks_walls_and_chains_match_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
