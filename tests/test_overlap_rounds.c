/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Which overlap at the end of a step asks for another round, and which rotation is none. */
#include "mechanism_worlds.h"
#include "worlds.h"

/* A rod or a roller of 1 cm that rolls along a wall of 1 mm at 30 m/s: 300 rad a step about its own
 * axis, which moves no point of its outline. */
static void check_roller(const mo_shape_def *shape, double radius)
{
    mo_message why = {{0}};
    mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    const mo_shape_def wall = mo_shape_box(20, 20, 5e-4);
    def.gravity[2] = -10;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &wall, NULL, &why);
    mo_body_def rolls = mo_default_body(MO_BODY_FREE);
    rolls.pose = mo_pose_turned(0, 0, 5e-4 + radius, (const double[3]){1, 0, 0}, PI / 2);
    rolls.velocity[0] = 30;
    rolls.spin[1] = 30 / radius;
    const mo_body_id body = mo_world_add_body(world, &rolls, &why);
    CHECK(mo_world_add_shape(world, body, shape, &why).index > 0);
    for (int k = 0; k < 20; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        CHECK(report.status == MO_SOLVED && report.held_back == 0);
        CHECK_NEAR(mo_body_get(world, body).pose.position[2], 5e-4 + radius, 1e-6);
    }
    CHECK_NEAR(mo_body_get(world, body).pose.position[0], 6, 1e-6);
    mo_world_destroy(world);
}

static void rotation_about_an_axis_of_symmetry_is_not_stopped(void **state)
{
    (void)state;
    const double a[3] = {0, 0, -0.004}, b[3] = {0, 0, 0.004};
    const mo_shape_def rod = mo_shape_capsule(a, b, 0.001), roller = mo_shape_cylinder(0.002, 5e-3);
    check_roller(&rod, 0.001);
    check_roller(&roller, 0.002);
}

/* A ball on a hinge, moved off its place, beside a floor: what closes the joint leaves
 * contacts out where any overlap is let be. */
static void joints_close_where_overlap_is_let_be(void **state)
{
    (void)state;
    static const double OVERLAPS[] = {INFINITY, 1e100, 1, 1e-3};
    const mo_shape_def ball = mo_shape_ball(0.4999), floor = mo_shape_plane();
    const double still[3] = {0};
    for (int k = 0; k < (int)(sizeof OVERLAPS / sizeof *OVERLAPS); ++k) {
        mo_message why = {{0}};
        mo_world_def def = mo_default_world();
        mo_world *world = NULL;
        mo_step_report report;
        def.overlap = OVERLAPS[k], def.projection = 1;
        CHECK(mo_world_create(&def, NULL, &world, &why) == MO_OK);
        mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, &why);
        mo_pose pose = mo_pose_at(0, 0, 0.5);
        const mo_body_id body = mo_world_add_solid(world, MO_BODY_FREE, &ball, &pose, &why);
        mo_joint_def hinge = mo_default_joint(MO_JOINT_REVOLUTE, (mo_body_id){0}, body);
        hinge.anchor[2] = 0.5;
        hinge.axis[0] = 0, hinge.axis[2] = 1;
        CHECK(mo_world_add_joint(world, &hinge, &why).index > 0);
        pose.position[0] = 1e-3;
        CHECK(mo_body_set(world, body, &pose, still, still, &why) == MO_OK);
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        CHECK(report.status == MO_SOLVED && isfinite(report.kinetic_energy));
        const mo_body_state now = mo_body_get(world, body);
        CHECK_NEAR(now.pose.position[0], 0, 1e-8);
        CHECK_NEAR(now.pose.position[2], 0.5, 1e-8);
        CHECK(isfinite(now.spin[2]));
        mo_world_destroy(world);
    }
}

/* Rounds of a heap of boxes that falls, with or without a pendulum far away. */
static int rounds_of_heap(int has_pendulum)
{
    const world_scene *scene = world_scene_find("heap");
    double values[WORLD_PARAMETERS];
    mo_message why = {{0}};
    mo_world *world = NULL;
    int rounds = 0;
    world_default_values(scene, values);
    CHECK(world_set_value(scene, values, "count", 40, &why) == MO_OK);
    CHECK(world_set_value(scene, values, "shape", 2, &why) == MO_OK);
    CHECK(scene->build(values, &world, &why) == MO_OK);
    if (has_pendulum) add_chain(world, 1, 0);
    for (int k = 0; k < 60; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.01, &report, &why) == MO_OK);
        rounds += report.rounds;
    }
    mo_world_destroy(world);
    return rounds;
}

static void a_mechanism_leaves_the_rounds_of_a_heap_beside_it(void **state)
{
    (void)state;
    const int without = rounds_of_heap(0), with = rounds_of_heap(1);
    CHECK(without > 60 && with <= without + without / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation_about_an_axis_of_symmetry_is_not_stopped),
        cmocka_unit_test(joints_close_where_overlap_is_let_be),
        cmocka_unit_test(a_mechanism_leaves_the_rounds_of_a_heap_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
