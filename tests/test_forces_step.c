/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Steps by forces (--level acceleration): where things stop and bounce, beside time stepping. */
#include "forces_tools.h"

/* v^2 / (2 mu g), and it stays there. */
static double stopping_error(double h)
{
    const double mu = 0.5, v = 1;
    mo_world *world = by_forces(new_world(3));
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity(), mu);
    const mo_body_id block =
        add(world, MO_BODY_FREE, mo_shape_box(0.2, 0.15, 0.02), mo_pose_at(0, 0, 0.02), mu);
    set(world, block, v, 0, 0, 0, 0, 0);
    run(world, h, 1);
    const mo_body_state body = mo_body_get(world, block);
    CHECK_BELOW(fabs(body.velocity[0]), 1e-9);
    mo_world_destroy(world);
    return fabs(body.pose.position[0] - v * v / (2 * mu * G));
}

static void a_block_stepped_by_forces_stops_where_it_should(void **state)
{
    (void)state;
    const double coarse = stopping_error(4e-3), fine = stopping_error(2e-3);
    CHECK_BELOW(coarse, 4e-3);
    CHECK_BELOW(fine, 0.6 * coarse);
}

static void a_ball_stepped_by_forces_bounces_when_it_should(void **state)
{
    (void)state;
    mo_world *world = by_forces(new_world(3));
    mo_body_def def = mo_default_body(MO_BODY_FIXED);
    mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.1);
    plane.material.restitution = ball.material.restitution = 0.7;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &def, NULL), &plane, NULL).index);
    def = mo_default_body(MO_BODY_FREE);
    def.pose = mo_pose_at(0, 0, 1.1);
    const mo_body_id body = mo_world_add_body(world, &def, NULL);
    CHECK(mo_world_add_shape(world, body, &ball, NULL).index);
    const double fall = sqrt(2 / G), up = 0.7 * G * fall, after = 0.3, h = 1e-3;
    run(world, h, fall + after);
    const double z = 0.1 + up * after - G * after * after / 2;
    CHECK_NEAR(mo_body_get(world, body).pose.position[2], z, 10 * h);
    run(world, h, 6); /* it comes to rest */
    CHECK_NEAR(mo_body_get(world, body).pose.position[2], 0.1, 1e-4);
    CHECK_BELOW(mo_world_kinetic_energy(world), 1e-6);
    mo_world_destroy(world);
}

/* The tripod, the ball and the arm, moved by forces and by time stepping: the same to first order. */
static double level_difference(double h)
{
    mo_pose end[2][2];
    double q[2][3];
    for (int level = 0; level < 2; ++level) {
        mo_mechanism_id arm;
        mo_world *world = make_mixture(&arm);
        world = level ? by_forces(world) : world;
        run(world, h, 0.3);
        end[level][0] = mo_body_get(world, mo_world_body(world, 1)).pose;
        end[level][1] = mo_body_get(world, mo_world_body(world, 2)).pose;
        memcpy(q[level], mo_mechanism_q(world, arm), sizeof q[level]);
        mo_world_destroy(world);
    }
    double worst = 0;
    for (int i = 0; i < 3; ++i) {
        worst = fmax(worst, fabs(q[0][i] - q[1][i]));
        for (int k = 0; k < 2; ++k) {
            worst = fmax(worst, fabs(end[0][k].position[i] - end[1][k].position[i]));
        }
    }
    return worst;
}

static void both_levels_move_alike(void **state)
{
    (void)state;
    const double coarse = level_difference(4e-3), fine = level_difference(1e-3);
    CHECK_BELOW(coarse, 2e-2);
    CHECK_BELOW(fine, 0.4 * coarse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stepped_by_forces_stops_where_it_should),
        cmocka_unit_test(a_ball_stepped_by_forces_bounces_when_it_should),
        cmocka_unit_test(both_levels_move_alike),
    };
    return cmocka_run_group_tests_name("steps by forces", tests, NULL, NULL);
}
