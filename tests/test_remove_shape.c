/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A single shape is removed from a body. */
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

static const double H = 0.01;

/* A dumbbell: a light ball at the origin of the body and one of the same size at (1, 0, 0). */
typedef struct dumbbell {
    mo_world *world;
    mo_body_id body;
    mo_shape_id near, far;
} dumbbell;

static dumbbell make_dumbbell(double height, const double gravity[3])
{
    dumbbell made = {0};
    mo_world_def def = mo_default_world();
    memcpy(def.gravity, gravity, sizeof def.gravity);
    def.sleeping = 1;
    CHECK(mo_world_create(&def, NULL, &made.world, NULL) == MO_OK);
    mo_body_def body = mo_default_body(MO_BODY_FREE);
    body.pose = mo_pose_at(0, 0, height);
    made.body = mo_world_add_body(made.world, &body, NULL);
    mo_shape_def ball = mo_shape_ball(0.1);
    made.near = mo_world_add_shape(made.world, made.body, &ball, NULL);
    ball.pose = mo_pose_at(1, 0, 0);
    made.far = mo_world_add_shape(made.world, made.body, &ball, NULL);
    CHECK(made.near.index && made.far.index);
    return made;
}

static const double DOWN[3] = {0, 0, -9.81}, NOWHERE[3] = {0};

static void the_remaining_shapes_define_mass_and_velocity(void **state)
{
    (void)state;
    dumbbell made = make_dumbbell(0, NOWHERE);
    const mo_body_state before = mo_body_get(made.world, made.body);
    CHECK_NEAR(before.centre[0], 0.5, 1e-15);
    CHECK(mo_body_set(made.world, made.body, &before.pose, (const double[3]){0, 0, 1},
                      (const double[3]){0, 0, 2}, NULL) == MO_OK);
    CHECK(mo_world_remove_shape(made.world, made.far, NULL) == MO_OK);
    const mo_body_state after = mo_body_get(made.world, made.body);
    CHECK(after.shape_count == 1);
    CHECK_NEAR(after.mass, before.mass / 2, 1e-12);
    CHECK_NEAR(after.centre[0], 0, 1e-15);
    CHECK_NEAR(after.pose.position[0], 0, 1e-15); /* the frame has not moved */
    /* spin x (-0.5, 0, 0) */
    CHECK_NEAR(after.velocity[1], -1, 1e-15);
    CHECK_NEAR(after.velocity[2], 1, 1e-15);
    CHECK_NEAR(after.spin[2], 2, 1e-15);
    mo_world_destroy(made.world);
}

static void a_removed_shape_is_gone_and_its_id_is_stale(void **state)
{
    (void)state;
    dumbbell made = make_dumbbell(0, NOWHERE);
    mo_message why = {{0}};
    CHECK(mo_world_remove_shape(made.world, made.near, NULL) == MO_OK);
    CHECK(mo_body_shape_id(made.world, made.body, 0).index == made.far.index);
    CHECK(mo_body_shape_id(made.world, made.body, 1).index == 0);
    CHECK(mo_shape_body(made.world, made.near).index == 0);
    CHECK(mo_world_remove_shape(made.world, made.near, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "there is no shape"));
    /* its place is taken again, by another generation */
    const mo_shape_def box = mo_shape_box(0.2, 0.2, 0.2);
    const mo_shape_id made_now = mo_world_add_shape(made.world, made.body, &box, NULL);
    CHECK(made_now.index == made.near.index && made_now.generation != made.near.generation);
    CHECK(mo_world_remove_shape(made.world, made.near, &why) == MO_ERR_ARGUMENT);
    CHECK(mo_world_remove_shape(NULL, made.near, &why) == MO_ERR_ARGUMENT);
    mo_world_destroy(made.world);
}

static void step_often(mo_world *world, int steps)
{
    mo_step_report report;
    for (int k = 0; k < steps; ++k)
        CHECK(mo_world_step(world, H, &report, NULL) == MO_OK && report.status == MO_SOLVED);
}

/* A plank on two posts of one fixed body; without one of them it tips over. */
static void bodies_that_rested_on_it_wake_and_fall(void **state)
{
    (void)state;
    dumbbell made = make_dumbbell(10, DOWN);
    CHECK(mo_world_remove_body(made.world, made.body, NULL) == MO_OK);
    mo_body_def posts = mo_default_body(MO_BODY_FIXED);
    const mo_body_id fixed = mo_world_add_body(made.world, &posts, NULL);
    mo_shape_def post = mo_shape_box(0.1, 0.1, 0.5);
    post.pose = mo_pose_at(-1, 0, 0.5);
    CHECK(mo_world_add_shape(made.world, fixed, &post, NULL).index);
    post.pose = mo_pose_at(1, 0, 0.5);
    const mo_shape_id right = mo_world_add_shape(made.world, fixed, &post, NULL);
    const mo_shape_def plank = mo_shape_box(1.1, 0.1, 0.05);
    const mo_pose at = mo_pose_at(0, 0, 1.05);
    const mo_body_id body = mo_world_add_solid(made.world, MO_BODY_FREE, &plank, &at, NULL);
    step_often(made.world, 200);
    CHECK(mo_body_get(made.world, body).is_asleep);
    CHECK(mo_world_remove_shape(made.world, right, NULL) == MO_OK);
    CHECK(!mo_body_get(made.world, body).is_asleep);
    step_often(made.world, 30);
    CHECK(mo_world_contact_count(made.world) > 0);
    for (int k = 0; k < mo_world_contact_count(made.world); ++k)
        CHECK(mo_world_contact(made.world, k).point[0] < 0);
    CHECK(mo_body_get(made.world, body).centre[2] < 0.9);
    mo_world_destroy(made.world);
}

/* On a plane, which has no bounds, and on a box. */
static void bodies_that_slept_on_a_removed_body_fall(void **state)
{
    (void)state;
    const mo_shape_def support[2] = {mo_shape_plane(), mo_shape_box(1, 1, 1)};
    const mo_pose below[2] = {mo_pose_identity(), mo_pose_at(0, 0, -1)}, at = mo_pose_at(0, 0, 0.1);
    for (int k = 0; k < 2; ++k) {
        mo_world_def def = mo_default_world();
        def.sleeping = 1;
        mo_world *world;
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        const mo_body_id floor =
            mo_world_add_solid(world, MO_BODY_FIXED, support + k, below + k, NULL);
        const mo_shape_def box = mo_shape_box(0.1, 0.1, 0.1);
        const mo_body_id body = mo_world_add_solid(world, MO_BODY_FREE, &box, &at, NULL);
        step_often(world, 200);
        CHECK(mo_body_get(world, body).is_asleep);
        CHECK(mo_world_remove_body(world, floor, NULL) == MO_OK);
        step_often(world, 30);
        CHECK(mo_body_get(world, body).centre[2] < -0.1);
        mo_world_destroy(world);
    }
}

static void a_body_without_shapes_and_mass_is_refused_by_the_step(void **state)
{
    (void)state;
    dumbbell made = make_dumbbell(0, DOWN);
    mo_message why = {{0}};
    CHECK(mo_world_remove_shape(made.world, made.near, NULL) == MO_OK);
    CHECK(mo_world_remove_shape(made.world, made.far, NULL) == MO_OK);
    CHECK(mo_world_step(made.world, H, NULL, &why) == MO_ERR_ARGUMENT);
    const mo_shape_def box = mo_shape_box(0.2, 0.2, 0.2);
    CHECK(mo_world_add_shape(made.world, made.body, &box, NULL).index);
    step_often(made.world, 1);
    mo_world_destroy(made.world);
}

/* A state of before the removal does not fit; one of after it does, to the bit. */
static void states_go_on_after_a_removal(void **state)
{
    (void)state;
    dumbbell made = make_dumbbell(1, DOWN);
    const mo_shape_def ground = mo_shape_plane();
    CHECK(mo_world_add_solid(made.world, MO_BODY_FIXED, &ground, NULL, NULL).index);
    step_often(made.world, 20);
    CHECK(mo_world_remove_shape(made.world, made.near, NULL) == MO_OK);
    static char bytes[1 << 16];
    const size_t size = mo_world_save(made.world, bytes, sizeof bytes);
    CHECK(size > 0 && size <= sizeof bytes);
    step_often(made.world, 40);
    const mo_body_state first = mo_body_get(made.world, made.body);
    CHECK(mo_world_load(made.world, bytes, size, NULL) == MO_OK);
    step_often(made.world, 40);
    const mo_body_state again = mo_body_get(made.world, made.body);
    CHECK(memcmp(&first.pose, &again.pose, sizeof first.pose) == 0);
    mo_world_destroy(made.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_remaining_shapes_define_mass_and_velocity),
        cmocka_unit_test(a_removed_shape_is_gone_and_its_id_is_stale),
        cmocka_unit_test(bodies_that_rested_on_it_wake_and_fall),
        cmocka_unit_test(bodies_that_slept_on_a_removed_body_fall),
        cmocka_unit_test(a_body_without_shapes_and_mass_is_refused_by_the_step),
        cmocka_unit_test(states_go_on_after_a_removal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
