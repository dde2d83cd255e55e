/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Links made of several shapes touch as if they were made of one. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <stdio.h>
#include <string.h>

static const double MASS = 4, H = 0.002, G = 10;

/* A slider of four boxes side by side, each a quarter of it, or of one; its bottom is at z = 0. */
static void open_slider(int boxes, const char *gravity, double mu, robot_world *w)
{
    char text[2000], geoms[800] = "";
    for (int k = 0; k < boxes; ++k) {
        const double half = boxes == 1 ? 0.1 : 0.05, at = boxes == 1 ? 0 : 0.05;
        char one[200];
        snprintf(one, sizeof one,
                 "<geom type='box' size='%g %g .02' pos='%g %g .02' mass='%g' friction='%g'/>",
                 half, half, k % 2 ? at : -at, k / 2 ? at : -at, MASS / boxes, mu);
        strcat(geoms, one);
    }
    snprintf(text, sizeof text,
             "<mujoco><option gravity='%s' timestep='%g'/><worldbody>"
             "<geom type='box' size='2 2 1' pos='0 0 -1' friction='%g'/>"
             "<body name='pad'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
             "<joint type='slide' axis='0 0 1'/><joint type='ball'/>%s</body>"
             "</worldbody></mujoco>",
             gravity, H, mu, geoms);
    open_text(text, w);
}

static void four_boxes_touch_at_the_corners_of_one(void **state)
{
    (void)state;
    for (int boxes = 1; boxes <= 4; boxes += 3) {
        robot_world w;
        double sum = 0;
        open_slider(boxes, "0 0 -10", 0.5, &w);
        run(&w, 0.2);
        assert_int_equal(mo_world_contact_count(w.world), 4);
        for (int k = 0; k < 4; ++k) {
            const mo_contact contact = mo_world_contact(w.world, k);
            CHECK_NEAR(fabs(contact.point[0]), 0.1, 1e-6);
            CHECK_NEAR(fabs(contact.point[1]), 0.1, 1e-6);
            CHECK_NEAR(fabs(contact.impulse[2]), MASS * G * H / 4, 1e-9);
            sum += fabs(contact.impulse[2]);
        }
        CHECK_NEAR(sum, MASS * G * H, 1e-9);
        close_world(&w);
    }
}

/* On a slope of 45 degrees with mu = 0.5: g (sin - mu cos) / sqrt(2), along the slope. */
static void four_boxes_slide_as_one(void **state)
{
    (void)state;
    for (int boxes = 1; boxes <= 4; boxes += 3) {
        robot_world w;
        double q[7], v[6];
        open_slider(boxes, "10 0 -10", 0.5, &w);
        run(&w, 0.2);
        mo_robot_get(w.robot, w.world, q, v);
        CHECK_NEAR(v[0], (1 - 0.5) * G * 0.2, 1e-7);
        CHECK_NEAR(q[2], 0, 1e-8);
        CHECK_NEAR(v[4], 0, 1e-7); /* it does not tip */
        close_world(&w);
    }
}

/* Two boxes in a row on two boxes in a row, pressed together by 10 um.  Where each begins lies a
 * face of the other, in its inside; without friction it slides freely. */
static void inner_faces_of_links_hold_nothing(void **state)
{
    (void)state;
    robot_world w;
    double q[2], v[2];
    open_text("<mujoco><option gravity='1 0 -10' timestep='0.002'/><worldbody>"
              "<geom type='box' size='.5 .2 .1' pos='.5 0 -.1' friction='0'/>"
              "<geom type='box' size='.5 .2 .1' pos='-.5 0 -.1' friction='0'/>"
              "<body pos='0 0 -1e-5'><joint type='slide' axis='1 0 0'/>"
              "<joint type='slide' axis='0 0 1'/>"
              "<geom type='box' size='.2 .1 .05' pos='.2 0 .05' friction='0'/>"
              "<geom type='box' size='.2 .1 .05' pos='-.2 0 .05' friction='0'/></body>"
              "</worldbody></mujoco>",
              &w);
    run(&w, 0.2);
    mo_robot_get(w.robot, w.world, q, v);
    CHECK_NEAR(v[0], 0.2, 1e-9);
    for (int k = 0; k < mo_world_contact_count(w.world); ++k)
        CHECK_NEAR(fabs(mo_world_contact(w.world, k).normal[2]), 1, 1e-9);
    close_world(&w);
}

/* A block on the lower of two floors is pushed against the higher: the face of the step is no inner
 * face, although the lower floor covers part of it. */
static void a_step_of_the_floor_stops_a_link(void **state)
{
    (void)state;
    robot_world w;
    double q[2], v[2], push = 0;
    open_text("<mujoco><option gravity='1 0 -10' timestep='0.002'/><worldbody>"
              "<geom type='box' size='.5 .5 .1' pos='-.5 0 -.1' friction='0'/>"
              "<geom type='box' size='.5 .5 .1' pos='.5 0 -.05' friction='0'/>"
              "<body name='block' pos='-.1 0 .1'><joint type='slide' axis='1 0 0'/>"
              "<joint type='slide' axis='0 0 1'/>"
              "<geom type='box' size='.1 .1 .1' friction='0' mass='1'/></body>"
              "</worldbody></mujoco>",
              &w);
    run(&w, 0.2);
    mo_robot_get(w.robot, w.world, q, v);
    CHECK_NEAR(q[0], 0, 1e-9);
    CHECK_NEAR(v[0], 0, 1e-9);
    for (int k = 0; k < mo_world_contact_count(w.world); ++k)
        push += fabs(mo_world_contact(w.world, k).impulse[0]);
    CHECK_NEAR(push, 1 * 0.002, 1e-9);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_boxes_touch_at_the_corners_of_one),
        cmocka_unit_test(four_boxes_slide_as_one),
        cmocka_unit_test(inner_faces_of_links_hold_nothing),
        cmocka_unit_test(a_step_of_the_floor_stops_a_link),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
