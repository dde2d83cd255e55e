/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * How many touches a pair has, and that they span what they stand for; shapes that touch nothing.
 */
#include <math.h>

#include "check.h"
#include "collide_bodies.h"

#include "collide/collide.h"
#include "linalg/vec3.h"
#include "moreau/moreau.h"

enum { AROUND = 64, HANDFUL = 9 };

static const double PI = 3.14159265358979323846;

static mo_touch_list touches_of(const mo_shape_def *a, mo_pose at_a, const mo_shape_def *b,
                                mo_pose at_b, double reach)
{
    mo_touch_list list = {.allocator = mo_allocator_or_default(NULL)};
    mo_collider ca, cb;
    CHECK(mo_collider_init(a, 0, &list.allocator, &ca, NULL) == MO_OK);
    CHECK(mo_collider_init(b, 0, &list.allocator, &cb, NULL) == MO_OK);
    collide_bodies(&ca, &at_a, &cb, &at_b, reach, &list);
    mo_collider_clear(&list.allocator, &ca);
    mo_collider_clear(&list.allocator, &cb);
    return list;
}

/* A disk of 64 corners above and below. */
static mo_shape_def many_sided(double *points)
{
    for (int k = 0; k < 2 * AROUND; ++k) {
        const double angle = 2 * PI * (k % AROUND) / AROUND;
        mo_vec3_set(points + 3 * k, cos(angle), sin(angle), k < AROUND ? -0.2 : 0.2);
    }
    return mo_shape_hull(points, 2 * AROUND);
}

/* How far the touches reach along a direction of the plane. */
static double reach_along(const mo_touch_list *list, double angle)
{
    double most = -INFINITY;
    for (int k = 0; k < list->count; ++k) {
        most =
            fmax(most, cos(angle) * list->touch[k].point[0] + sin(angle) * list->touch[k].point[1]);
    }
    return most;
}

static void a_face_of_many_corners_has_a_handful_of_touches_that_span_it(void **state)
{
    (void)state;
    double points[6 * AROUND];
    const mo_shape_def disk = many_sided(points), plane = mo_shape_plane(),
                       box = mo_shape_box(3, 3, 1);
    for (int k = 0; k < 40; ++k) {
        const int on_box = k % 2, is_tilted = k / 2 % 2;
        const double tilt = is_tilted ? 1e-3 : 0;
        const mo_pose at = mo_pose_turned(0.04 * k, 0, 0.2, (const double[3]){1, 0.3 * k, 0}, tilt);
        mo_touch_list list =
            touches_of(&disk, at, on_box ? &box : &plane, mo_pose_at(0, 0, on_box ? -1 : 0), 0.01);
        CHECK(list.count >= 4 && list.count <= HANDFUL);
        double deepest = INFINITY, truth = INFINITY;
        for (int i = 0; i < list.count; ++i)
            deepest = fmin(deepest, list.touch[i].gap);
        for (int i = 0; i < AROUND; ++i) {
            double x[3];
            mo_pose_point(&at, points + 3 * i, x);
            truth = fmin(truth, x[2]);
        }
        CHECK_NEAR(deepest, truth, 1e-9);
        for (int i = 0; i < 16 && !is_tilted && 0.04 * k < 1.9; ++i) {
            const double angle = 2 * PI * i / 16;
            CHECK_BELOW(0.9, reach_along(&list, angle) - 0.04 * k * cos(angle));
        }
        mo_memory_free(&list.allocator, list.touch);
    }
}

/*
 * Two rods that cross at a small angle: where an end is above the other rod within the reach, it
 * touches.
 */
/* A foot of sixteen corners below a bevel, a little wider and higher, which is within reach. */
static void the_corners_that_bear_stay_below_a_bevel(void **state)
{
    (void)state;
    enum { CORNERS = 16 };
    static const double LOW = 1e-9, BEVEL = 3e-4;
    double points[9 * CORNERS];
    for (int k = 0; k < 3 * CORNERS; ++k) {
        const double angle = 2 * PI * (k % CORNERS) / CORNERS, z[] = {0, BEVEL, 0.3};
        const double radius = k < CORNERS ? 1 : 1 + BEVEL;
        mo_vec3_set(points + 3 * k, radius * cos(angle), radius * sin(angle), z[k / CORNERS]);
    }
    const mo_shape_def foot = mo_shape_hull(points, 3 * CORNERS), plane = mo_shape_plane();
    mo_touch_list list =
        touches_of(&plane, mo_pose_at(0, 0, 0), &foot, mo_pose_at(0, 0, LOW), 2 * BEVEL);
    int low = 0;
    for (int k = 0; k < list.count; ++k)
        if (list.touch[k].gap < 2 * LOW) list.touch[low++] = list.touch[k];
    list.count = low;
    CHECK(low >= 8 && low <= HANDFUL);
    for (int k = 0; k < 8; ++k)
        CHECK_NEAR(reach_along(&list, k * PI / 4), 1, 1e-9);
    mo_memory_free(&list.allocator, list.touch);
}

static void the_ends_of_rods_that_cross_touch_as_well(void **state)
{
    (void)state;
    const double r = 0.1, gap = 0.01, reach = 0.05, angle = 0.05;
    const mo_shape_def rods[2] = {
        mo_shape_capsule((const double[3]){0, 0, -1}, (const double[3]){0, 0, 1}, r),
        mo_shape_cylinder(r, 1)};
    const mo_pose lying = mo_pose_turned(0, 0, 0, (const double[3]){1, 0, 0}, PI / 2);
    for (int k = 0; k < 4; ++k) {
        const mo_pose turn = mo_pose_turned(0, 0, 2 * r + gap, (const double[3]){0, 0, 1}, angle);
        mo_touch_list list =
            touches_of(rods + k / 2, lying, rods + k % 2, mo_pose_compose(&turn, &lying), reach);
        double near = 0, far = 0; /* how far the touches reach along the rods, both ways */
        for (int i = 0; i < list.count; ++i) {
            near = fmin(near, list.touch[i].point[1]);
            far = fmax(far, list.touch[i].point[1]);
            CHECK_BELOW(gap - 1e-12, list.touch[i].gap);
            CHECK_BELOW(list.touch[i].gap, reach);
        }
        CHECK(list.count >= 3 && list.count <= HANDFUL);
        CHECK(near < -0.95 && far > 0.95);
        mo_memory_free(&list.allocator, list.touch);
    }
}

static void bounds_hold_the_shape_wherever_it_is_turned(void **state)
{
    (void)state;
    mo_random random = {5};
    double points[3 * 20], axis[3];
    fill_uniform(&random, -1, 1, 60, points);
    const mo_shape_def hull = mo_shape_hull(points, 20);
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_collider c;
    CHECK(mo_collider_init(&hull, 0, &allocator, &c, NULL) == MO_OK);
    for (int k = 0; k < 200; ++k) {
        fill_uniform(&random, -1, 1, 3, axis);
        const mo_pose at = mo_pose_turned(uniform(&random, -9, 9), 1, 2, axis, k);
        const mo_bounds bounds = mo_collider_bounds(&c, &at);
        for (int i = 0; i < 60; ++i) {
            double x[3];
            mo_pose_point(&at, points + 3 * (i / 3), x);
            CHECK_BELOW(bounds.low[i % 3], x[i % 3] + 1e-12);
            CHECK_BELOW(x[i % 3], bounds.high[i % 3] + 1e-12);
        }
    }
    mo_collider_clear(&allocator, &c);
}

/* A ball on show falls through the floor, until the two are made a pair. */
static void a_shape_on_show_touches_only_what_it_is_paired_with(void **state)
{
    (void)state;
    for (int is_paired = 0; is_paired < 2; ++is_paired) {
        mo_world *world;
        const mo_world_def def = mo_default_world();
        const mo_material material = mo_default_material();
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        mo_shape_def ball = mo_shape_ball(0.1), floor = mo_shape_box(5, 5, 1);
        ball.layer = ball.mask = 0;
        mo_body_def body = mo_default_body(MO_BODY_FIXED);
        body.pose = mo_pose_at(0, 0, -1);
        const mo_body_id ground = mo_world_add_body(world, &body, NULL);
        const mo_shape_id of_ground = mo_world_add_shape(world, ground, &floor, NULL);
        body = mo_default_body(MO_BODY_FREE);
        body.pose = mo_pose_at(0, 0, 0.2);
        const mo_body_id falls = mo_world_add_body(world, &body, NULL);
        const mo_shape_id of_ball = mo_world_add_shape(world, falls, &ball, NULL);
        CHECK(of_ground.index && of_ball.index);
        if (is_paired) CHECK(mo_world_pair(world, of_ball, of_ground, &material, NULL) == MO_OK);
        for (int k = 0; k < 60; ++k)
            CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
        const double height = mo_body_get(world, falls).pose.position[2];
        if (is_paired)
            CHECK_NEAR(height, 0.1, 1e-6);
        else
            CHECK_BELOW(height, -1);
        mo_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_face_of_many_corners_has_a_handful_of_touches_that_span_it),
        cmocka_unit_test(the_corners_that_bear_stay_below_a_bevel),
        cmocka_unit_test(the_ends_of_rods_that_cross_touch_as_well),
        cmocka_unit_test(bounds_hold_the_shape_wherever_it_is_turned),
        cmocka_unit_test(a_shape_on_show_touches_only_what_it_is_paired_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
