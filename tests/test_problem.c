/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The problem: building in any order, refusals, velocities against dense algebra, the reduced view,
 * colours, and memory that runs out at every possible request.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "building.h"
#include "moreau/problem.h"
#include "moreau/solve.h"
#include "problem/colouring.h"
#include "problem/views.h"
#include "scarce_memory.h"
#include "scenes.h"

static const double M2[4] = {2, 0.5, 0.5, 1}, M1[1] = {4};
static const double f2[2] = {1, -2}, f1[1] = {3};
static const double J22[4] = {1, 0, 0.25, 1}, J21[2] = {-1, 0.5}, w2[2] = {0.1, -0.2};

/* Two bodies (2 and 1 velocities), one planar contact between them, one limit on the second. */
static mo_problem *small_problem(int in_order)
{
    mo_builder *builder = new_builder();
    const mo_law contact = mo_law_coulomb(0.5), limit = mo_law_frictionless();
    const double one = 1;
    if (in_order) {
        CHECK(mo_builder_add_body(builder, 2, M2, f2) == 0);
        CHECK(mo_builder_add_body(builder, 1, M1, f1) == 1);
        CHECK(mo_builder_add_constraint(builder, 2, &contact, w2) == 0);
        CHECK(mo_builder_add_constraint(builder, 1, &limit, NULL) == 1);
        mo_builder_add_jacobian(builder, 0, 0, 2, 2, J22);
        mo_builder_add_jacobian(builder, 0, 1, 2, 1, J21);
        mo_builder_add_jacobian(builder, 1, 1, 1, 1, &one);
    } else { /* blocks first, halves of them twice, bodies last */
        double half[4];
        for (int k = 0; k < 4; ++k)
            half[k] = J22[k] / 2;
        mo_builder_add_jacobian(builder, 1, 1, 1, 1, &one);
        mo_builder_add_jacobian(builder, 0, 1, 2, 1, J21);
        mo_builder_add_jacobian(builder, 0, 0, 2, 2, half);
        mo_builder_add_constraint(builder, 2, &contact, w2);
        mo_builder_add_body(builder, 2, M2, f2);
        mo_builder_add_jacobian(builder, 0, 0, 2, 2, half);
        mo_builder_add_constraint(builder, 1, &limit, NULL);
        mo_builder_add_body(builder, 1, M1, f1);
    }
    mo_problem *problem = NULL;
    mo_message why = {{0}};
    if (mo_builder_finish(builder, &problem, &why)) fail_msg("%s", why.text);
    mo_builder_destroy(builder);
    return problem;
}

static void blocks_may_come_in_any_order(void **state)
{
    (void)state;
    mo_problem *a = small_problem(1), *b = small_problem(0);
    CHECK(mo_problem_form(a) == MO_FORM_GLOBAL && mo_problem_body_count(a) == 2);
    CHECK(mo_problem_dof_count(a) == 3 && mo_problem_row_count(a) == 3);
    for (int i = 0; i < 2; ++i) {
        const mo_constraint_view x = mo_problem_constraint(a, i), y = mo_problem_constraint(b, i);
        CHECK(x.dim == y.dim && x.offset == y.offset && x.block_count == y.block_count);
        CHECK(x.law.kind == y.law.kind && x.law.mu == y.law.mu);
        CHECK(memcmp(x.w, y.w, sizeof(double) * x.dim) == 0);
        for (int k = 0; k < x.block_count; ++k) {
            const mo_block_view p = mo_problem_block(a, i, k), q = mo_problem_block(b, i, k);
            const int n = mo_problem_body(a, p.index).dim;
            CHECK(p.index == q.index &&
                  memcmp(p.values, q.values, sizeof(double) * x.dim * n) == 0);
        }
    }
    mo_problem_destroy(a);
    mo_problem_destroy(b);
}

static void velocities_follow_from_impulses(void **state)
{
    (void)state;
    mo_problem *problem = small_problem(1);
    const double r[3] = {0.7, -0.2, 0.4};
    double v[3], u[3], again[3];
    mo_problem_velocity(problem, r, v);
    /* M v = J' r + f, by hand */
    const double p0 = f2[0] + J22[0] * r[0] + J22[2] * r[1],
                 p1 = f2[1] + J22[1] * r[0] + J22[3] * r[1];
    CHECK_NEAR(2 * v[0] + 0.5 * v[1], p0, 1e-14);
    CHECK_NEAR(0.5 * v[0] + v[1], p1, 1e-14);
    CHECK_NEAR(4 * v[2], f1[0] + J21[0] * r[0] + J21[1] * r[1] + r[2], 1e-14);
    mo_problem_relative_velocity(problem, v, u);
    CHECK_NEAR(u[0], w2[0] + v[0] - v[2], 1e-14);
    CHECK_NEAR(u[1], w2[1] + 0.25 * v[0] + v[1] + 0.5 * v[2], 1e-14);
    CHECK_NEAR(u[2], v[2], 1e-14);
    CHECK(mo_problem_response(problem, r, again) == MO_OK);
    CHECK(memcmp(u, again, sizeof u) == 0);
    mo_problem_destroy(problem);
}

static void the_reduced_problem_responds_like_the_full_one(void **state)
{
    (void)state;
    mo_random random = {5};
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        scene_random_def def = scene_random_default();
        def.seed = seed;
        def.bodies = 8;
        def.constraints = 20;
        def.laws = SCENE_COULOMB | SCENE_BILATERAL | SCENE_BOX | SCENE_FRICTIONLESS;
        mo_problem *problem, *reduced, *twice;
        CHECK(scene_random(&def, &problem, NULL, NULL) == MO_OK);
        mo_message why;
        if (mo_problem_reduce(problem, &reduced, &why) || mo_problem_reduce(reduced, &twice, &why))
            fail_msg("%s", why.text);
        CHECK(mo_problem_form(reduced) == MO_FORM_REDUCED);
        const int rows = mo_problem_row_count(problem);
        double *r = malloc(sizeof(double) * rows), *u = malloc(sizeof(double) * rows * 3);
        fill_uniform(&random, -1, 1, rows, r);
        CHECK(mo_problem_response(problem, r, u) == MO_OK);
        CHECK(mo_problem_response(reduced, r, u + rows) == MO_OK);
        CHECK(mo_problem_response(twice, r, u + 2 * rows) == MO_OK);
        for (int k = 0; k < rows; ++k) {
            CHECK_NEAR(u[k], u[rows + k], 1e-9 * (1 + fabs(u[k])));
            CHECK(u[rows + k] == u[2 * rows + k]);
        }
        double untouched[2] = {1, 2}; /* a reduced problem has no velocities of bodies */
        mo_problem_velocity(reduced, r, untouched);
        mo_problem_relative_velocity(reduced, r, untouched);
        CHECK(untouched[0] == 1 && untouched[1] == 2);
        free(r);
        free(u);
        mo_problem_destroy(problem);
        mo_problem_destroy(reduced);
        mo_problem_destroy(twice);
    }
}

static void W_of_bodies_is_symmetric_to_the_last_bit(void **state)
{
    (void)state;
    scene_stack_def def = scene_stack_default();
    mo_problem *problem, *reduced;
    CHECK(scene_box_stack(&def, &problem, NULL) == MO_OK);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    for (int i = 0; i < mo_problem_constraint_count(reduced); ++i) {
        const mo_constraint_view row = mo_problem_constraint(reduced, i);
        for (int k = 0; k < row.block_count; ++k) {
            const mo_block_view block = mo_problem_block(reduced, i, k);
            const mo_constraint_view other = mo_problem_constraint(reduced, block.index);
            int found = 0;
            for (int m = 0; m < other.block_count; ++m) {
                const mo_block_view mirror = mo_problem_block(reduced, block.index, m);
                for (int a = 0; mirror.index == i && a < 9; ++a) {
                    CHECK(mirror.values[a] == block.values[a % 3 * 3 + a / 3]);
                    found = 1;
                }
            }
            CHECK(found);
        }
    }
    mo_problem_destroy(problem);
    mo_problem_destroy(reduced);
}

static void an_unsymmetric_mass_gives_an_unsymmetric_response(void **state)
{
    (void)state;
    const double M[4] = {2, 0.8, -0.6, 1}, J[4] = {1, 0, 0.25, 1}, x[2] = {0.3, -0.7};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder = new_builder();
    mo_problem *problem, *reduced;
    mo_builder_add_unsymmetric_body(builder, 2, M, f2);
    mo_builder_add_constraint(builder, 2, &law, w2);
    mo_builder_add_jacobian(builder, 0, 0, 2, 2, J);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    CHECK(!mo_problem_body(problem, 0).is_symmetric);
    double v[2], u[2], again[2];
    mo_problem_velocity(problem, x, v);
    CHECK_NEAR(2 * v[0] + 0.8 * v[1], f2[0] + x[0] + 0.25 * x[1], 1e-14);
    CHECK_NEAR(-0.6 * v[0] + v[1], f2[1] + x[1], 1e-14);
    CHECK(mo_problem_response(problem, x, u) == MO_OK);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    CHECK(mo_problem_response(reduced, x, again) == MO_OK);
    CHECK_NEAR(u[0], again[0], 1e-14);
    CHECK_NEAR(u[1], again[1], 1e-14);
    const double *W = mo_problem_block(reduced, 0, 0).values;
    CHECK(fabs(W[1] - W[2]) > 0.1);
    mo_result result = {0};
    CHECK(mo_solve(problem, NULL, &result) == MO_OK && result.status == MO_SOLVED);
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_problem_destroy(reduced);
    mo_builder_destroy(builder);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void spoil(int which, mo_builder *builder)
{
    const mo_law contact = mo_law_coulomb(0.5), minus = mo_law_coulomb(-1);
    const double nan4[4] = {1, NAN, NAN, 1}, indefinite[4] = {1, 2, 2, 1},
                 skew[4] = {1, 0.1, 0.2, 1};
    const double one[6] = {1, 0, 0, 1, 0, 0};
    mo_builder_add_body(builder, 2, M2, f2);
    mo_builder_add_constraint(builder, 2, &contact, w2);
    switch (which) {
    case 0:
        mo_builder_add_body(builder, 0, M2, f2);
        break;
    case 1:
        mo_builder_add_body(builder, 2, NULL, f2);
        break;
    case 2:
        mo_builder_add_body(builder, 2, nan4, f2);
        break;
    case 3:
        mo_builder_add_body(builder, 2, M2, nan4);
        break;
    case 4:
        mo_builder_add_body(builder, 2, indefinite, f2);
        break;
    case 5:
        mo_builder_add_body(builder, 2, skew, f2);
        break;
    case 6:
        mo_builder_add_constraint(builder, 2, &minus, w2);
        break;
    case 7:
        mo_builder_add_constraint(builder, 4, &contact, w2);
        break;
    case 8:
        mo_builder_add_constraint(builder, 2, &contact, nan4);
        break;
    case 9:
        mo_builder_add_constraint(builder, 2, NULL, w2);
        break;
    case 10:
        mo_builder_add_jacobian(builder, 0, 0, 2, 3, one);
        break;
    case 11:
        mo_builder_add_jacobian(builder, 0, 1, 2, 2, one);
        break;
    case 12:
        mo_builder_add_jacobian(builder, 1, 0, 2, 2, one);
        break;
    case 13:
        mo_builder_add_jacobian(builder, -1, 0, 2, 2, one);
        break;
    case 14:
        mo_builder_add_jacobian(builder, 0, 0, 2, 2, nan4);
        break;
    case 15:
        mo_builder_add_jacobian(builder, 0, 0, 2, 2, NULL);
        break;
    case 16:
        mo_builder_add_jacobian(builder, 0, 0, 0, 2, one);
        break;
    case 18:
        mo_builder_add_unsymmetric_body(builder, 2, indefinite, f2);
        break;
    case 17:
        mo_builder_add_coupling(builder, 0, 0, 2, 2, one);
        break;
    default:
        fail();
    }
}

static void error_messages_name_the_fault_and_its_place(void **state)
{
    (void)state;
    for (int which = 0; which <= 18; ++which) {
        mo_builder *builder = new_builder();
        mo_problem *problem = NULL;
        mo_message why = {{0}};
        spoil(which, builder);
        const mo_error error = mo_builder_finish(builder, &problem, &why);
        CHECK(error == MO_ERR_PROBLEM || (which == 9 && error == MO_ERR_ARGUMENT));
        CHECK(problem == NULL && strlen(why.text) > 15);
        if (which != 17) /* which body or constraint */
            CHECK(strpbrk(why.text, "0123456789") != NULL);
        /* The builder can be used again. */
        const mo_law contact = mo_law_coulomb(0.5);
        mo_builder_add_constraint(builder, 2, &contact, w2);
        CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
        mo_problem_destroy(problem);
        mo_builder_destroy(builder);
    }
}

static void an_empty_problem_is_a_problem(void **state)
{
    (void)state;
    mo_builder *builder = new_builder();
    mo_problem *problem, *reduced;
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    CHECK(mo_problem_row_count(problem) == 0 && mo_problem_dof_count(problem) == 0);
    CHECK(mo_problem_bytes(problem) > 0);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    mo_problem_destroy(reduced);
    mo_problem_destroy(problem);
    mo_problem_destroy(NULL);
    mo_builder_destroy(builder);
    mo_builder_destroy(NULL);
}

static void compliance_is_kept_where_only_some_blocks_have_it(void **state)
{
    (void)state;
    mo_builder *builder = new_builder();
    const double soft[2] = {0.25, 0.5};
    mo_law hard = mo_law_coulomb(0.5), compliant = mo_law_coulomb(0.5);
    compliant.compliance = soft;
    mo_builder_add_constraint(builder, 2, &hard, w2);
    mo_builder_add_constraint(builder, 2, &compliant, w2);
    mo_builder_add_constraint(builder, 2, &hard, w2);
    mo_problem *problem;
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    CHECK(mo_problem_constraint(problem, 0).law.compliance[1] == 0);
    CHECK(mo_problem_constraint(problem, 1).law.compliance[1] == 0.5);
    CHECK(mo_problem_constraint(problem, 2).law.compliance[0] == 0);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

/* ---- colours --------------------------------------------------------------------------------- */

static void constraints_of_one_colour_share_no_body(void **state)
{
    (void)state;
    mo_problem *problem;
    CHECK(scene_packing(3000, 7, &problem, NULL) == MO_OK);
    const int count = problem->constraint_count;
    uint8_t *colour = malloc((size_t)count);
    uint64_t *used = malloc(sizeof *used * (size_t)count);
    int *owner = malloc(sizeof *owner * (size_t)problem->body_count);
    mo_colour_constraints(problem, colour, used);
    for (int c = 0; c < MO_COLOUR_REST; ++c) {
        memset(owner, -1, sizeof *owner * (size_t)problem->body_count);
        for (int i = 0; i < count; ++i) {
            for (int k = problem->block_start[i]; colour[i] == c && k < problem->block_start[i + 1];
                 ++k) {
                CHECK(owner[problem->block_index[k]] == -1);
                owner[problem->block_index[k]] = i;
            }
        }
    }
    free(colour);
    free(used);
    free(owner);
    mo_problem_destroy(problem);
}

static void a_body_with_a_hundred_contacts_is_coloured_with_a_rest(void **state)
{
    (void)state;
    mo_builder *builder = new_builder();
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const mo_law law = mo_law_coulomb(0.3);
    mo_builder_add_body(builder, 3, identity, NULL);
    for (int i = 0; i < 100; ++i) {
        mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_jacobian(builder, i, 0, 3, 3, identity);
    }
    mo_problem *problem;
    const mo_sweep *sweep;
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    CHECK(mo_problem_sweep(problem, MO_SWEEP_COLOURED, &sweep) == MO_OK);
    CHECK(sweep->group_count == MO_COLOURS && sweep->last_is_sequential);
    CHECK(sweep->group_start[MO_COLOUR_REST] == MO_COLOUR_REST &&
          sweep->group_start[MO_COLOURS] == 100);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static mo_error build_and_solve(const mo_allocator *allocator)
{
    mo_builder *builder = NULL;
    mo_problem *problem = NULL, *reduced = NULL;
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, down[3] = {-1, 0.2, 0},
                 soft[3] = {0.1, 0, 0};
    mo_law law = mo_law_coulomb(0.3);
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_message why;
    options.history = 1;
    options.nsgs.order = 2;
    law.compliance = soft;
    mo_error error = mo_builder_create(allocator, &builder);
    if (!error) {
        mo_builder_add_jacobian(builder, 1, 0, 3, 3, identity);
        mo_builder_add_jacobian(builder, 0, 0, 3, 3, identity); /* out of order: has to be sorted */
        mo_builder_add_body(builder, 3, identity, down);
        mo_builder_add_constraint(builder, 3, &law, NULL);
        mo_builder_add_constraint(builder, 3, &law, NULL);
        error = mo_builder_finish(builder, &problem, &why);
    }
    error = error ? error : mo_problem_reduce(problem, &reduced, &why);
    error = error ? error : mo_solve(problem, &options, &result);
    options.method = "prox";
    options.start = result.r;
    error = error ? error : mo_solve(reduced, &options, &result);
    mo_result_clear(&result);
    mo_problem_destroy(reduced);
    mo_problem_destroy(problem);
    mo_builder_destroy(builder);
    return error;
}

static void memory_that_runs_out_anywhere_is_an_error_and_nothing_leaks(void **state)
{
    (void)state;
    long needed = 0;
    for (;; ++needed) {
        scarce m = {needed, 0};
        const mo_allocator allocator = {scarce_reallocate, &m};
        const mo_error error = build_and_solve(&allocator);
        CHECK(m.live == 0);
        if (error == MO_OK) break;
        CHECK(error == MO_ERR_MEMORY);
        CHECK(needed < 1000);
    }
    CHECK(needed > 20); /* it did fail in many places before it passed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_may_come_in_any_order),
        cmocka_unit_test(velocities_follow_from_impulses),
        cmocka_unit_test(the_reduced_problem_responds_like_the_full_one),
        cmocka_unit_test(W_of_bodies_is_symmetric_to_the_last_bit),
        cmocka_unit_test(an_unsymmetric_mass_gives_an_unsymmetric_response),
        cmocka_unit_test(error_messages_name_the_fault_and_its_place),
        cmocka_unit_test(an_empty_problem_is_a_problem),
        cmocka_unit_test(compliance_is_kept_where_only_some_blocks_have_it),
        cmocka_unit_test(constraints_of_one_colour_share_no_body),
        cmocka_unit_test(a_body_with_a_hundred_contacts_is_coloured_with_a_rest),
        cmocka_unit_test(memory_that_runs_out_anywhere_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
