/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Drag of a medium against closed forms: terminal velocities, decay by viscosity, wind. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#define FALLING(option, geom)                                                                      \
    "<mujoco><option timestep='.01' " option "/><worldbody><body name='b'><freejoint/>" geom       \
    "</body></worldbody></mujoco>"

/* A box with edges 0.2, 0.4, 0.6 (x, y, z) of 3 kg, falling along z: m g = 3 pi d nu v + rho x y
 * v^2 / 2 with d the mean of its edges. */
static void a_box_falls_with_its_terminal_velocity(void **state)
{
    (void)state;
    robot_world w;
    double v[6];
    open_text(FALLING("density='5' viscosity='.7' gravity='0 0 -10' wind='0 0 1'",
                      "<geom type='box' size='.1 .2 .3' mass='3'/>"),
              &w);
    assert_int_equal(w.model.note_count, 0);
    run(&w, 100);
    mo_robot_get(w.robot, w.world, NULL, v);
    const double speed = 1 - v[2], pi = acos(-1); /* against the wind */
    CHECK_NEAR(3 * pi * 0.4 * 0.7 * speed + 0.5 * 5 * 0.2 * 0.4 * speed * speed, 30, 1e-9);
    CHECK_NEAR(v[0], 0, 1e-12);
    close_world(&w);
}

/* A ball that spins and drifts in what is only viscous: both decay by their rates.  Its box has
 * edges of sqrt(12 / 5) radii. */
static void viscosity_slows_a_ball_down(void **state)
{
    (void)state;
    robot_world w;
    double v[6] = {1, 0, 0, 0, 0, 2};
    const double m = 2, r = 0.5, nu = 0.3, edge = sqrt(12.0 / 5) * r, pi = acos(-1), time = 1;
    open_text("<mujoco><option timestep='.0005' viscosity='.3' gravity='0 0 0'/><worldbody><body>"
              "<freejoint/><geom size='.5' mass='2'/></body></worldbody></mujoco>",
              &w);
    CHECK(mo_robot_set(w.robot, w.world, w.model.q, v, NULL) == MO_OK);
    run(&w, time);
    mo_robot_get(w.robot, w.world, NULL, v);
    CHECK_NEAR(v[0], exp(-3 * pi * edge * nu * time / m), 3e-4); /* first order in the step */
    CHECK_NEAR(v[5], 2 * exp(-pi * edge * edge * edge * nu * time / (0.4 * m * r * r)), 2e-3);
    close_world(&w);
}

/* A milligram in syrup: drag takes it along with the wind and never beyond. */
static void drag_never_reverses_a_motion(void **state)
{
    (void)state;
    robot_world w;
    double v[6] = {50, 0, 0, 0, 0, 300}, now[6];
    open_text(FALLING("density='1000' viscosity='100' gravity='0 0 0' wind='0 3 0'",
                      "<geom size='.01' mass='1e-6'/>"),
              &w);
    CHECK(mo_robot_set(w.robot, w.world, w.model.q, v, NULL) == MO_OK);
    run(&w, 0.01);
    mo_robot_get(w.robot, w.world, NULL, now);
    CHECK(now[0] >= 0 && now[0] < 1 && now[5] >= 0 && now[5] < 1);
    CHECK(now[1] > 2.9 && now[1] <= 3);
    close_world(&w);
}

static void unread_attributes_of_a_medium_are_noted(void **state)
{
    (void)state;
    mo_model model;
    read_text(FALLING("density='1'", "<geom size='.1' fluidshape='ellipsoid'/>"), &model);
    assert_int_equal(model.note_count, 1);
    CHECK(strstr(model.notes[0].text, "fluidshape"));
    mo_model_clear(&model);
    read_text(FALLING("", "<geom size='.1' fluidshape='ellipsoid'/>"), &model);
    assert_int_equal(model.note_count, 0);
    mo_model_clear(&model);
    mo_message why = {{0}};
    CHECK(mo_model_read(
              folder_put(&folder, "model.xml", FALLING("viscosity='-1'", "<geom size='.1'/>")),
              NULL, &model, &why) != MO_OK);
    CHECK(strstr(why.text, "viscosity"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_falls_with_its_terminal_velocity),
        cmocka_unit_test(viscosity_slows_a_ball_down),
        cmocka_unit_test(drag_never_reverses_a_motion),
        cmocka_unit_test(unread_attributes_of_a_medium_are_noted),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
