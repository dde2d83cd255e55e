/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The recursive algorithms against each other, against finite differences and against the bodies
 * that links are. */
#include <stdlib.h>

#include "linalg/dense.h"
#include "random_mechanism.h"

static mo_world *world_with(const random_mechanism *tree, mo_mechanism_id *id)
{
    mo_world *world;
    mo_message why = {{0}};
    const mo_world_def def = mo_default_world();
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    *id = mo_world_add_mechanism(world, &tree->def, &why);
    if (!id->index) fail_msg("%s", why.text);
    return world;
}

static double largest(int n, const double *x, const double *y)
{
    double worst = 0, size = 1;
    for (int k = 0; k < n; ++k) {
        worst = fmax(worst, fabs(x[k] - y[k]));
        size = fmax(size, fabs(y[k]));
    }
    return worst / size;
}

static void forward_and_inverse_dynamics_undo_each_other(void **state)
{
    (void)state;
    mo_random random = {7};
    for (int joints = 1; joints <= 60; joints += 7) {
        random_mechanism tree;
        mo_mechanism_id id;
        make_random_mechanism(&random, joints, &tree);
        mo_world *world = world_with(&tree, &id);
        random_state(&random, world, id);
        const int n = mo_mechanism_get(world, id).v_count;
        double effort[MOST_DOFS], a[MOST_DOFS], back[MOST_DOFS];
        fill_uniform(&random, -5, 5, n, effort);
        CHECK(mo_mechanism_forward(world, id, effort, a, NULL) == MO_OK);
        CHECK(mo_mechanism_inverse(world, id, a, back, NULL) == MO_OK);
        CHECK_BELOW(largest(n, back, effort), 1e-10);
        fill_uniform(&random, -5, 5, n, a);
        CHECK(mo_mechanism_inverse(world, id, a, effort, NULL) == MO_OK);
        CHECK(mo_mechanism_forward(world, id, effort, back, NULL) == MO_OK);
        CHECK_BELOW(largest(n, back, a), 1e-10);
        mo_world_destroy(world);
    }
}

static void the_mass_matrix_is_what_unit_accelerations_need(void **state)
{
    (void)state;
    mo_random random = {8};
    for (int round = 0; round < 20; ++round) {
        random_mechanism tree;
        mo_mechanism_id id;
        make_random_mechanism(&random, 1 + round, &tree);
        mo_world *world = world_with(&tree, &id);
        random_state(&random, world, id);
        const int n = mo_mechanism_get(world, id).v_count;
        double *M = malloc((size_t)(n * n) * sizeof *M), bias[MOST_DOFS], column[MOST_DOFS];
        mo_mechanism_mass_matrix(world, id, M, NULL);
        mo_mechanism_bias(world, id, bias, NULL);
        double energy = 0;
        const double *v = mo_mechanism_v(world, id);
        for (int j = 0; j < n; ++j) {
            double unit[MOST_DOFS] = {0};
            unit[j] = 1;
            mo_mechanism_inverse(world, id, unit, column, NULL);
            for (int i = 0; i < n; ++i) {
                CHECK_NEAR(M[i * n + j], column[i] - bias[i], 1e-10);
                energy += 0.5 * v[i] * M[i * n + j] * v[j];
            }
        }
        /* the bodies' own sum */
        CHECK_NEAR(mo_world_kinetic_energy(world), energy, 1e-11 * energy);
        free(M);
        mo_world_destroy(world);
    }
}

/* Positions and velocities of links, by moving the coordinates a little with mo_linkage's own step
 * of time. */
static void jacobians_and_velocities_are_the_rates_of_poses(void **state)
{
    (void)state;
    mo_random random = {9};
    const double h = 1e-6;
    for (int round = 0; round < 10; ++round) {
        random_mechanism tree;
        mo_mechanism_id id;
        make_random_mechanism(&random, 1 + 2 * round, &tree);
        mo_world *world = world_with(&tree, &id);
        random_state(&random, world, id);
        const mo_mechanism_info info = mo_mechanism_get(world, id);
        const int link = (int)(mo_random_bits(&random) % (uint64_t)info.link_count),
                  n = info.v_count;
        const mo_body_id body = mo_mechanism_link(world, id, link);
        const mo_body_state before = mo_body_get(world, body);
        double local[3], at[3], J[6 * MOST_DOFS], velocity[6] = {0}, u[3];
        fill_uniform(&random, -1, 1, 3, local);
        mo_pose_point(&before.pose, local, at);
        CHECK(mo_mechanism_jacobian(world, id, link, at, J, NULL) == MO_OK);
        for (int i = 0; i < 6; ++i)
            velocity[i] = mo_dot(n, J + i * n, mo_mechanism_v(world, id));
        double arm[3], by_body[3];
        mo_vec3_minus(at, before.centre, arm);
        mo_vec3_cross(before.spin, arm, by_body);
        mo_vec3_along(by_body, 1, before.velocity, by_body);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(by_body[i], velocity[i], 1e-12 * (1 + fabs(velocity[i])));
            CHECK_NEAR(before.spin[i], velocity[3 + i], 1e-12 * (1 + fabs(velocity[3 + i])));
        }
        /* a tiny step without gravity moves the coordinates by h v to first order */
        mo_world_def def = mo_world_definition(world);
        mo_vec3_set(def.gravity, 0, 0, 0);
        CHECK(mo_world_change(world, &def, NULL) == MO_OK);
        CHECK(mo_world_step(world, h, NULL, NULL) == MO_OK);
        const mo_body_state after = mo_body_get(world, body);
        mo_pose_point(&after.pose, local, u);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR((u[i] - at[i]) / h, velocity[i], 1e-3 * (1 + fabs(velocity[i])));
        mo_world_destroy(world);
    }
}

/* M' = C + C' is what makes kinetic energy change by the work of efforts alone: v.(b without
 * gravity) = v' M' v / 2. */
static void bias_forces_do_the_work_that_the_changing_mass_matrix_asks_for(void **state)
{
    (void)state;
    mo_random random = {10};
    for (int round = 0; round < 10; ++round) {
        random_mechanism tree;
        mo_mechanism_id id;
        make_random_mechanism(&random, 3 + round, &tree);
        mo_world *world = world_with(&tree, &id);
        mo_world_def def = mo_world_definition(world);
        mo_vec3_set(def.gravity, 0, 0, 0);
        CHECK(mo_world_change(world, &def, NULL) == MO_OK);
        random_state(&random, world, id);
        const int n = mo_mechanism_get(world, id).v_count;
        double v[MOST_DOFS], bias[MOST_DOFS];
        memcpy(v, mo_mechanism_v(world, id), (size_t)n * sizeof *v);
        mo_mechanism_bias(world, id, bias, NULL);
        const double power = mo_dot(n, bias, v), h = 1e-6;
        /* the coordinates a little earlier and later, at the same v: by steps against the bias */
        double energy[2];
        for (int side = 0; side < 2; ++side) {
            mo_world *moved = world_with(&tree, &id);
            CHECK(mo_world_change(moved, &def, NULL) == MO_OK);
            double back[MOST_DOFS];
            for (int k = 0; k < n; ++k)
                back[k] = side ? v[k] : -v[k];
            CHECK(mo_mechanism_set(moved, id, mo_mechanism_q(world, id), back, NULL) == MO_OK);
            CHECK(mo_mechanism_push(moved, id, bias, NULL) == MO_OK);
            CHECK(mo_world_step(moved, h, NULL, NULL) == MO_OK);
            CHECK(mo_mechanism_set(moved, id, NULL, v, NULL) == MO_OK);
            energy[side] = mo_world_kinetic_energy(moved);
            mo_world_destroy(moved);
        }
        CHECK_NEAR((energy[1] - energy[0]) / (2 * h), power, 1e-4 * (1 + fabs(power)));
        mo_world_destroy(world);
    }
}

/* Links at the end of a step, where poses were found ahead, are where the coordinates put them, but
 * for the rounding of quaternions that are normalised. */
static void a_step_leaves_links_where_their_coordinates_put_them(void **state)
{
    (void)state;
    mo_random random = {11};
    for (int round = 0; round < 10; ++round) {
        random_mechanism tree;
        mo_mechanism_id id;
        make_random_mechanism(&random, 1 + 2 * round, &tree);
        mo_world *world = world_with(&tree, &id), *other = world_with(&tree, &id);
        random_state(&random, world, id);
        for (int step = 0; step < 3; ++step)
            CHECK(mo_world_step(world, 1e-3, NULL, NULL) == MO_OK);
        const mo_mechanism_info info = mo_mechanism_get(world, id);
        CHECK(mo_mechanism_set(other, id, mo_mechanism_q(world, id), mo_mechanism_v(world, id),
                               NULL) == MO_OK);
        double bias[2][MOST_DOFS];
        mo_mechanism_bias(world, id, bias[0], NULL);
        mo_mechanism_bias(other, id, bias[1], NULL);
        CHECK_BELOW(largest(info.v_count, bias[0], bias[1]), 1e-13);
        for (int k = 0; k < info.link_count; ++k) {
            const mo_body_state a = mo_body_get(world, mo_mechanism_link(world, id, k)),
                                b = mo_body_get(other, mo_mechanism_link(other, id, k));
            CHECK_BELOW(largest(3, a.pose.position, b.pose.position), 1e-14);
            CHECK_BELOW(largest(3, a.velocity, b.velocity), 1e-14);
        }
        mo_world_destroy(world);
        mo_world_destroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_and_inverse_dynamics_undo_each_other),
        cmocka_unit_test(the_mass_matrix_is_what_unit_accelerations_need),
        cmocka_unit_test(jacobians_and_velocities_are_the_rates_of_poses),
        cmocka_unit_test(a_step_leaves_links_where_their_coordinates_put_them),
        cmocka_unit_test(bias_forces_do_the_work_that_the_changing_mass_matrix_asks_for),
    };
    return cmocka_run_group_tests_name("linkage", tests, NULL, NULL);
}
