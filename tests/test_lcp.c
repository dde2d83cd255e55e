/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The LCP view.  Its matrix is multiplied out against the problem's own response, the form with M
 * kept against the one without, and the relaxations against what the paper says of them.
 */
#include "restate.h"

#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "problem/lcp.h"
#include "problem/lcp_joints.h"
#include "problem/views.h"
#include "scenes.h"

/* A view with its matrix and vector, in one piece of memory. */
typedef struct view {
    mo_lcp lcp;
    int n;
    double *A, *b;
    size_t fill;
    void *memory;
} view;

static view make_view(const mo_problem *problem, mo_lcp_variant variant, int facets)
{
    view v;
    const mo_contact_space *space;
    mo_arena arena = {0};
    mo_lcp_layout(problem, variant, facets, &arena, &v.lcp);
    v.memory = aligned_alloc(MO_ARENA_ALIGN, (arena.used / MO_ARENA_ALIGN + 1) * MO_ARENA_ALIGN);
    arena = (mo_arena){.base = v.memory};
    mo_lcp_layout(problem, variant, facets, &arena, &v.lcp);
    v.n = v.lcp.size;
    v.A = malloc(((size_t)v.n * (size_t)v.n + 1) * sizeof *v.A);
    v.b = malloc(((size_t)v.n + 1) * sizeof *v.b);
    double *scratch =
        malloc((size_t)(problem->dof_count + problem->row_count + 1) * sizeof *scratch);
    CHECK(mo_problem_contact_space(problem, &space) == MO_OK);
    mo_lcp_matrix(&v.lcp, space->W, v.A);
    v.fill = mo_lcp_fill(&v.lcp, space->W);
    mo_lcp_vector(&v.lcp, scratch, scratch + problem->dof_count, v.b);
    free(scratch);
    return v;
}

static void free_view(view *v)
{
    free(v->A);
    free(v->b);
    free(v->memory);
}

/* A problem with every law that the view takes. */
static mo_problem *mixed_problem(uint64_t seed, int in_plane, int facets, double compliance)
{
    scene_random_def def = scene_random_default();
    mo_problem *problem, *copy;
    def.seed = seed;
    def.bodies = 5;
    def.constraints = 9;
    def.in_plane = in_plane;
    def.laws = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX;
    def.compliance = compliance;
    CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
    copy = restate(problem, facets);
    mo_problem_destroy(problem);
    return copy;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* w by the matrix, and w by way of r and the velocity that it causes. */
static void check_matrix(const mo_problem *problem, mo_lcp_variant variant, mo_random *random)
{
    view v = make_view(problem, variant, 5);
    const size_t rows = (size_t)problem->row_count;
    double *z = malloc(((size_t)v.n + 1) * sizeof *z), *w = malloc(((size_t)v.n + 1) * sizeof *w);
    double *r = malloc((rows + 1) * sizeof *r), *u = malloc((rows + 1) * sizeof *u);
    fill_uniform(random, -1, 1, v.n, z);
    mo_lcp_impulse(&v.lcp, z, r);
    CHECK(mo_problem_response(problem, r, u) == MO_OK);
    mo_lcp_slack(&v.lcp, z, r, u, w);
    for (int k = 0; k < v.n; ++k)
        CHECK_NEAR(v.b[k] + mo_dot(v.n, v.A + (size_t)k * v.n, z), w[k], 1e-11 * (1 + fabs(w[k])));
    size_t used = 0;
    for (size_t k = 0; k < (size_t)v.n * (size_t)v.n; ++k)
        used += v.A[k] != 0;
    CHECK(used <= v.fill);
    free(z);
    free(w);
    free(r);
    free(u);
    free_view(&v);
}

static void the_matrix_agrees_with_the_response_of_the_problem(void **state)
{
    (void)state;
    mo_random random = {31};
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        for (int facets = 0; facets <= 6; facets += 3) {
            mo_problem *problem = mixed_problem(seed, seed % 3 == 0, facets, seed % 2 ? 0.1 : 0),
                       *reduced;
            CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
            for (int variant = MO_LCP_EXACT; variant <= MO_LCP_FIXED_SLIP; ++variant) {
                check_matrix(problem, (mo_lcp_variant)variant, &random);
                check_matrix(reduced, (mo_lcp_variant)variant, &random);
            }
            mo_problem_destroy(problem);
            mo_problem_destroy(reduced);
        }
    }
}

/* What the unknown adds to the impulse of `row`, and what its w reads of the velocity there. */
static double impulse_on(const mo_lcp_unknown *z, int row)
{
    return row >= z->row && row < z->row + z->rows ? z->impulse[row - z->row] : 0;
}

static double test_on(const mo_lcp_unknown *z, int row)
{
    return row >= z->row && row < z->row + z->rows ? z->test[row - z->row] : 0;
}

/*
 * The LCP with M kept, v its first unknowns:
 *
 *     [ M       -H R ] [v]   [ -f - H r0 ]   [0]
 *     [ T' H'     C  ] [z] + [ T' w + c0 ] = [w],   C with the compliance and the ties
 */
static void keep_mass(const mo_lcp *lcp, double *A, double *b)
{
    const mo_problem *problem = lcp->problem;
    const int dofs = problem->dof_count, all = dofs + lcp->size;
    memset(A, 0, (size_t)all * (size_t)all * sizeof *A);
    for (int body = 0; body < problem->body_count; ++body) {
        const int n = mo_body_dim(problem, body), at = problem->body_start[body];
        const double *M = problem->M + problem->mass_start[body];
        for (int i = 0; i < n * n; ++i)
            A[(size_t)(at + i / n) * all + at + i % n] = M[i];
    }
    for (int k = 0; k < all; ++k)
        b[k] = k < dofs ? -problem->f[k] : lcp->constant[k - dofs];
    for (int i = 0; i < problem->constraint_count; ++i) {
        const double *J = problem->values + problem->value_start[i];
        for (int e = problem->block_start[i]; e < problem->block_start[i + 1]; ++e) {
            const int body = problem->block_index[e], at = problem->body_start[body];
            for (int row = problem->row_start[i]; row < problem->row_start[i + 1]; ++row) {
                for (int c = at; c < at + mo_body_dim(problem, body); ++c, ++J) {
                    b[c] -= *J * lcp->offset[row];
                    for (int k = 0; k < lcp->size; ++k) {
                        A[(size_t)c * all + dofs + k] -= *J * impulse_on(lcp->unknown + k, row);
                        A[(size_t)(dofs + k) * all + c] += *J * test_on(lcp->unknown + k, row);
                    }
                }
            }
        }
    }
    for (int row = 0; row < problem->row_count; ++row) {
        const double soft = problem->compliance ? problem->compliance[row] : 0;
        for (int k = 0; k < lcp->size; ++k) {
            const double test = test_on(lcp->unknown + k, row);
            b[dofs + k] += test * (problem->w[row] + soft * lcp->offset[row]);
            for (int l = 0; l < lcp->size; ++l) {
                A[(size_t)(dofs + k) * all + dofs + l] +=
                    test * soft * impulse_on(lcp->unknown + l, row);
            }
        }
    }
    for (int t = 0; t < lcp->tie_count; ++t)
        A[(size_t)(dofs + lcp->tie[t].row) * all + dofs + lcp->tie[t].column] += lcp->tie[t].value;
}

static void with_the_mass_kept_the_velocity_can_be_pivoted_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        mo_problem *problem = mixed_problem(seed, seed % 2 == 0, 4, seed == 3 ? 0.2 : 0);
        view v = make_view(problem, MO_LCP_DIRECTIONS, 4);
        const int dofs = problem->dof_count, all = dofs + v.n;
        double *A = malloc((size_t)all * (size_t)all * sizeof *A),
               *b = malloc((size_t)all * sizeof *b);
        double *S = malloc((size_t)v.n * (size_t)v.n * sizeof *S),
               *c = malloc((size_t)v.n * sizeof *c);
        keep_mass(&v.lcp, A, b);
        /* v are the free unknowns here: what eliminates joints eliminates them */
        mo_lcp_joints joints;
        mo_arena arena = {0};
        mo_lcp_joints_layout(dofs, v.n, &arena, &joints);
        void *memory =
            aligned_alloc(MO_ARENA_ALIGN, (arena.used / MO_ARENA_ALIGN + 1) * MO_ARENA_ALIGN);
        arena = (mo_arena){.base = memory};
        mo_lcp_joints_layout(dofs, v.n, &arena, &joints);
        mo_lcp_joints_eliminate(&joints, A, b, S, c);
        CHECK(joints.rank == dofs);
        for (int k = 0; k < v.n; ++k) {
            CHECK_NEAR(c[k], v.b[k], 1e-11 * (1 + fabs(v.b[k])));
            for (int l = 0; l < v.n; ++l) {
                const size_t at = (size_t)k * v.n + l;
                CHECK_NEAR(S[at], v.A[at], 1e-11 * (1 + fabs(v.A[at])));
            }
        }
        free(A);
        free(b);
        free(S);
        free(c);
        free(memory);
        free_view(&v);
        mo_problem_destroy(problem);
    }
}

/* ---- sizes and roles ------------------------------------------------------------------------- */

/* One body with six velocities, and one constraint of each law that is given, with random
 * Jacobians. */
static mo_problem *contacts(int count, const mo_law *laws, const int *dims)
{
    mo_builder *builder;
    mo_problem *problem;
    mo_random random = {77};
    double M[36] = {0}, J[18];
    for (int k = 0; k < 6; ++k)
        M[7 * k] = 1 + k;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 6, M, NULL);
    for (int i = 0; i < count; ++i) {
        mo_builder_add_constraint(builder, dims[i], &laws[i], NULL);
        fill_uniform(&random, -1, 1, 6 * dims[i], J);
        mo_builder_add_jacobian(builder, i, 0, dims[i], 6, J);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static void the_size_is_what_the_papers_count(void **state)
{
    (void)state;
    const double s2[1] = {1}, s3[2] = {0, 1};
    const mo_law laws[] = {mo_law_sliding(0.3, s3), mo_law_pyramid(0.3),    mo_law_pyramid(0.3),
                           mo_law_sliding(0.3, s2), mo_law_faceted(0.3, 7), mo_law_coulomb(0.3),
                           mo_law_coulomb(0.3),     mo_law_bilateral(),     mo_law_pyramid(0)};
    const int dims[] = {3, 3, 3, 2, 3, 2, 3, 2, 3};
    /* n_S + 5 n_R, k + 2, 3 in the plane (4 by directions), facets + 2, the joint, and r_N alone
     * without friction */
    const struct {
        mo_lcp_variant variant;
        int size;
    } expected[] = {{MO_LCP_EXACT, 2 + 10 + 9 + 3 + 6 + 2 + 1},
                    {MO_LCP_RELAXED, 2 + 10 + 9 + 3 + 6 + 2 + 1},
                    {MO_LCP_DIRECTIONS, 2 + 14 + 9 + 4 + 6 + 2 + 1},
                    {MO_LCP_FIXED_SLIP, 2 + 10 + 8 + 3 + 5 + 2 + 1}};
    mo_problem *problem = contacts(9, laws, dims);
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        view v = make_view(problem, expected[k].variant, 4);
        CHECK(v.n == expected[k].size && v.lcp.free_count == 2 && v.lcp.uses_facets);
        CHECK(v.lcp.unknown[0].role == MO_LCP_JOINT && v.lcp.unknown[1].constraint == 7);
        CHECK(v.lcp.unknown[v.lcp.pair_start[4]].role == MO_LCP_NORMAL);
        free_view(&v);
    }
    mo_problem_destroy(problem);
}

static void bounds_of_every_kind_become_pairs(void **state)
{
    (void)state;
    const double lower[4] = {-1, -INFINITY, -INFINITY, 0.5}, upper[4] = {2, 3, INFINITY, 0.5};
    const mo_law law = mo_law_box(lower, upper);
    mo_builder *builder;
    mo_problem *problem;
    const double W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                 q[4] = {0.25, 0.5, 0.75, 1};
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_constraint(builder, 4, &law, q);
    mo_builder_add_coupling(builder, 0, 0, 4, 4, W);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    view v = make_view(problem, MO_LCP_EXACT, 4);
    CHECK(v.n == 4 &&
          v.lcp.free_count == 1); /* the free row; distance and press; distance from above */
    CHECK(v.lcp.unknown[1].role == MO_LCP_BOUNDED && v.lcp.unknown[2].role == MO_LCP_PRESS);
    const double z[4] = {7, 1, 0, 0.5};
    double r[4];
    mo_lcp_impulse(&v.lcp, z, r);
    CHECK(r[0] == 0 && r[1] == 2.5 && r[2] == 7 && r[3] == 0.5);
    CHECK_NEAR(v.b[1], 0.25 - 1, 1e-15);   /* u at the lower bound */
    CHECK_NEAR(v.b[2], 3, 1e-15);          /* the width */
    CHECK_NEAR(v.b[3], -(0.5 + 3), 1e-15); /* -u at the upper bound */
    free_view(&v);
    mo_problem_destroy(problem);
}

/* ---- properties of the matrices in the papers ------------------------------------------------ */

static double form(const view *v, const double *z)
{
    double sum = 0;
    for (int k = 0; k < v->n; ++k)
        sum += z[k] * mo_dot(v->n, v->A + (size_t)k * v->n, z);
    return sum;
}

static void by_directions_it_is_copositive_and_relaxed_it_is_semidefinite(void **state)
{
    (void)state;
    mo_random random = {33};
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        mo_problem *problem = mixed_problem(seed, seed % 2 == 0, (int)(seed % 3) * 3, 0);
        view exact = make_view(problem, MO_LCP_DIRECTIONS, 4),
             relaxed = make_view(problem, MO_LCP_RELAXED, 4);
        view fixed = make_view(problem, MO_LCP_FIXED_SLIP, 4);
        double *z = malloc((size_t)exact.n * sizeof *z);
        for (int trial = 0; trial < 300; ++trial) {
            fill_uniform(&random, -1, 1, exact.n, z);
            CHECK(form(&relaxed, z) >= -1e-10 && form(&fixed, z) >= -1e-10);
            for (int k = exact.lcp.free_count; k < exact.n; ++k)
                z[k] = fabs(z[k]);
            CHECK(form(&exact, z) >= -1e-10);
        }
        free(z);
        free_view(&exact);
        free_view(&relaxed);
        free_view(&fixed);
        mo_problem_destroy(problem);
    }
}

/* |min(z, A z + b)| over the pairs, |A z + b| over the free ones. */
static double defect(const view *v, const double *z)
{
    double worst = 0;
    for (int k = 0; k < v->n; ++k) {
        const double w = v->b[k] + mo_dot(v->n, v->A + (size_t)k * v->n, z);
        worst = fmax(worst, fabs(k < v->lcp.free_count ? w : fmin(z[k], w)));
    }
    return worst;
}

/* Lemma 1 of [anitescu2004]: at Gamma = mu lambda the relaxation has the solutions of the problem.
 */
static void the_relaxation_at_the_right_gamma_is_the_problem(void **state)
{
    (void)state;
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    mo_options options = mo_default_options();
    mo_result result = {0};
    def.rows = 4;
    def.mu = 0.15;
    CHECK(scene_cannonball(&def, &problem, NULL) == MO_OK);
    options.method = "lemke";
    options.tol = 1e-11;
    CHECK(mo_solve(problem, &options, &result) == MO_OK && result.status == MO_SOLVED);
    view exact = make_view(problem, MO_LCP_EXACT, 4),
         relaxed = make_view(problem, MO_LCP_RELAXED, 4);
    double *z = malloc((size_t)exact.n * sizeof *z), slip = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const double *r = result.r + 2 * i, *u = result.u + 2 * i;
        const int first = exact.lcp.pair_start[i];
        z[first] = fmax(0, r[0]);
        z[first + 1] = fmax(0, def.mu * r[0] + r[1]);
        z[first + 2] = fmax(0, -u[1]);
        relaxed.b[first] += def.mu * fabs(u[1]);
        slip = fmax(slip, fabs(u[1]));
    }
    CHECK(slip > 1e-3); /* something slides */
    CHECK_BELOW(defect(&exact, z), 1e-9);
    CHECK_BELOW(defect(&relaxed, z), 1e-9);
    free(z);
    free_view(&exact);
    free_view(&relaxed);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
}

static void infinite_friction_is_no_lcp(void **state)
{
    (void)state;
    const mo_law laws[] = {mo_law_coulomb(INFINITY), mo_law_coulomb(5)};
    const int dims[] = {3, 2};
    mo_problem *problem = contacts(2, laws, dims);
    CHECK(!mo_lcp_takes(problem, 0) && mo_lcp_takes(problem, 1));
    mo_problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_agrees_with_the_response_of_the_problem),
        cmocka_unit_test(with_the_mass_kept_the_velocity_can_be_pivoted_out),
        cmocka_unit_test(the_size_is_what_the_papers_count),
        cmocka_unit_test(bounds_of_every_kind_become_pairs),
        cmocka_unit_test(by_directions_it_is_copositive_and_relaxed_it_is_semidefinite),
        cmocka_unit_test(the_relaxation_at_the_right_gamma_is_the_problem),
        cmocka_unit_test(infinite_friction_is_no_lcp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
