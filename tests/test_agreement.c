/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * All methods agree: on small scenes, most of them with more rows than velocities, every method in
 * the list that takes the laws as they are reaches a residual of 1e-9, and the velocities, which
 * are unique here, are the same.  Impulses are not compared: they are not unique.  A new method
 * joins by itself.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"
#include "restate.h"
#include "scenes.h"

static const double TOLERANCE = 1e-9;
static const double AGREEMENT =
    1e-6; /* of v, in m/s and rad/s: a residual of 1e-9, and what the conditioning adds */

enum { CONES = -1, PYRAMIDS = 0 }; /* or a number of facets */

static unsigned laws_of(const mo_problem *problem, int least_dim)
{
    unsigned bits = 0;
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        bits |= view.dim >= least_dim ? 1u << view.law.kind : 0;
    }
    return bits;
}

/* Does the method take these laws, and neither relax them nor replace them by facets? */
static int is_exact(const mo_method_info *info, const mo_problem *problem)
{
    const unsigned laws = laws_of(problem, 0);
    return !(laws & ~info->laws) && !(laws & info->relaxed) &&
           !(laws_of(problem, 3) & info->by_facets);
}

static void solve(const char *method, const char *scene, const mo_problem *problem,
                  mo_result *result)
{
    mo_options options = mo_default_options();
    mo_residual residual;
    options.method = method;
    options.tol = TOLERANCE;
    options.max_iter = 200000;
    CHECK(mo_solve(problem, &options, result) == MO_OK);
    CHECK(mo_measure(problem, result->r, &residual) == MO_OK);
    if (result->status != MO_SOLVED || !(residual.natural_relative <= TOLERANCE)) {
        fail_msg("%s on %s: %s, residual %g. %s", method, scene, mo_status_name(result->status),
                 residual.natural_relative, result->message.text);
    }
}

/* All methods on one problem, which is destroyed; at least `least` of them must take it. */
static void compare(const char *scene, mo_problem *problem, int least)
{
    const int n = mo_problem_dof_count(problem);
    mo_result first = {0}, other = {0};
    int count = 0;
    for (int m = 0; m < mo_method_count(); ++m) {
        const mo_method_info info = mo_method_describe(m);
        if (!is_exact(&info, problem)) continue;
        solve(info.name, scene, problem, count ? &other : &first);
        for (int k = 0; count && k < n; ++k) {
            if (!(fabs(first.v[k] - other.v[k]) <= AGREEMENT)) {
                fail_msg("%s: v[%d] is %.12g by %s and %.12g by %s", scene, k, first.v[k],
                         first.method, other.v[k], info.name);
            }
        }
        ++count;
    }
    CHECK(count >= least);
    mo_result_clear(&first);
    mo_result_clear(&other);
    mo_problem_destroy(problem);
}

/* The scene with these laws, by all methods; the scene is destroyed. */
static void compare_laws(const char *name, mo_problem *scene, int laws)
{
    if (laws == CONES) {
        compare(name, scene, 4);
        return;
    }
    mo_problem *problem = restate(scene, laws);
    mo_problem_destroy(scene);
    compare(name, problem, 6);
}

static void on_a_box_on_four_corners(void **state)
{
    (void)state;
    static const double angles[] = {0, 0.3, 0.6};
    static const int laws[] = {CONES, PYRAMIDS, 4, 8};
    for (int a = 0; a < 3; ++a) {
        for (int k = 0; k < 4; ++k) {
            scene_slope_def def = scene_slope_default();
            mo_problem *scene;
            def.angle = angles[a];
            CHECK(scene_block_on_slope(&def, &scene, NULL) == MO_OK);
            compare_laws("a box on a slope", scene, laws[k]);
        }
    }
}

static void on_walls_of_bricks(void **state)
{
    (void)state;
    for (int in_plane = 0; in_plane < 2; ++in_plane) {
        for (int laws = CONES; laws <= PYRAMIDS; ++laws) {
            scene_wall_def def = scene_wall_default();
            mo_problem *scene;
            def.courses = def.length = 2;
            def.in_plane = in_plane;
            CHECK(scene_wall(&def, &scene, NULL) == MO_OK);
            if (in_plane) {
                compare("a wall in the plane", scene, 6);
                break;
            }
            compare_laws("a wall", scene, laws);
        }
    }
}

static void on_a_pile_of_disks(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 5; rows += 2) {
        scene_cannonball_def def = scene_cannonball_default(); /* mu = 0.05: v is unique */
        mo_problem *scene;
        def.rows = rows;
        CHECK(scene_cannonball(&def, &scene, NULL) == MO_OK);
        compare("a pile of disks", scene, 6);
    }
}

static void on_a_hexagonal_pyramid(void **state)
{
    (void)state;
    for (int facets = 0; facets <= 8; facets += 4) {
        scene_hexagonal_pyramid_def def = scene_hexagonal_pyramid_default();
        mo_problem *scene;
        def.facets = facets;
        CHECK(scene_hexagonal_pyramid(&def, &scene, NULL) == MO_OK);
        compare("a hexagonal pyramid", scene, 4);
    }
}

/*
 * A closed loop: a plate on two feet, and a plate above it on three parallel bars, one of them
 * redundant (a row each), both pushed along the floor.
 */
static mo_problem *two_plates(double mu, double push)
{
    static const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 1};
    const double weight = -0.1, f[2][3] = {{push, 2 * weight, 0}, {push, 2 * weight, 0.02}};
    const mo_law contact = mo_law_coulomb(mu), bar = mo_law_bilateral();
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    for (int k = 0; k < 2; ++k)
        mo_builder_add_body(builder, 3, M, f[k]);
    for (int x = -1; x <= 1; ++x) {
        const double lower[3] = {0, -1, -x}, upper[3] = {0, 1, x};
        const int row = mo_builder_add_constraint(builder, 1, &bar, NULL);
        mo_builder_add_jacobian(builder, row, 0, 1, 3, lower);
        mo_builder_add_jacobian(builder, row, 1, 1, 3, upper);
    }
    for (int x = -1; x <= 1; x += 2) {
        const double foot[6] = {0, 1, x, 1, 0, 0.25};
        const int row = mo_builder_add_constraint(builder, 2, &contact, NULL);
        mo_builder_add_jacobian(builder, row, 0, 2, 3, foot);
    }
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

static void on_a_closed_loop_of_joints_with_contacts(void **state)
{
    (void)state;
    compare("two plates that stick", two_plates(0.5, 0.05), 6);
    compare("two plates that slide", two_plates(0.5, 0.3), 6);
    compare("two plates on ice", two_plates(0.0, 0.05), 6);
}

static void on_a_chain_with_both_ends_held(void **state)
{
    (void)state;
    scene_chain_def def = scene_chain_default();
    mo_problem *scene;
    def.links = 3;
    def.closed = 1;
    CHECK(scene_joint_chain(&def, &scene, NULL) == MO_OK);
    compare("a closed chain", scene, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_box_on_four_corners),
        cmocka_unit_test(on_walls_of_bricks),
        cmocka_unit_test(on_a_pile_of_disks),
        cmocka_unit_test(on_a_hexagonal_pyramid),
        cmocka_unit_test(on_a_closed_loop_of_joints_with_contacts),
        cmocka_unit_test(on_a_chain_with_both_ends_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
