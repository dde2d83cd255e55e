/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Friction and restitution of two surfaces, by the rules of a world and by a function. */
#include "check.h"

#include "moreau/moreau.h"

static void two_numbers_follow_their_rule(void **state)
{
    (void)state;
    const mo_material a = {.friction = 0.9, .restitution = 0.1},
                      b = {.friction = 0.4, .restitution = 0.6};
    const double friction[] = {0.6, 0.6, 0.65, 0.36, 0.4, 0.9};
    const double bounce[] = {0.6, sqrt(0.06), 0.35, 0.06, 0.1, 0.6};
    for (int k = 0; k < MO_COMBINE_COUNT; ++k) {
        const mo_combine_rule rule = (mo_combine_rule)k;
        const mo_material both = mo_material_combine_by(&a, &b, rule, rule);
        const mo_material swapped = mo_material_combine_by(&b, &a, rule, rule);
        CHECK_NEAR(both.friction, friction[k], 1e-15);
        CHECK_NEAR(both.restitution, bounce[k], 1e-15);
        CHECK(both.friction == swapped.friction && both.restitution == swapped.restitution);
    }
    const mo_material same = mo_material_combine_by(&b, &b, MO_COMBINE_PRODUCT, 0);
    CHECK_NEAR(same.friction, 0.16, 1e-15); /* equal surfaces too */
    CHECK_NEAR(same.restitution, 0.6, 1e-15);
}

static void zero_and_infinity_give_a_number(void **state)
{
    (void)state;
    const mo_material none = {.friction = 0}, all = {.friction = INFINITY};
    CHECK(mo_material_combine_by(&none, &all, MO_COMBINE_GEOMETRIC, 0).friction == 0);
    CHECK(mo_material_combine_by(&none, &all, MO_COMBINE_PRODUCT, 0).friction == 0);
    CHECK(mo_material_combine_by(&none, &all, MO_COMBINE_MINIMUM, 0).friction == 0);
    CHECK(isinf(mo_material_combine_by(&none, &all, MO_COMBINE_MEAN, 0).friction));
}

/* A surface with a rule of its own, as those of MJCF have, does not follow the world. */
static void an_own_rule_comes_before_that_of_the_world(void **state)
{
    (void)state;
    const mo_material own = {.friction = 0.9, .rule = MO_COMBINE_MAXIMUM},
                      other = {.friction = 0.4};
    CHECK(mo_material_combine_by(&other, &own, MO_COMBINE_MINIMUM, 0).friction == 0.9);
}

static void halve(void *user, const mo_material *a, const mo_material *b, mo_material *both)
{
    (void)a;
    (void)b;
    both->friction *= *(const double *)user;
}

/* The friction of the one contact of a ball of friction 0.9 on a floor of 0.4. */
static double friction_of(mo_world_def def, mo_combine_rule later)
{
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_shape_def plane = mo_shape_plane(), ball = mo_shape_ball(0.5);
    plane.material.friction = 0.4;
    ball.material.friction = 0.9;
    const mo_body_def fixed = mo_default_body(MO_BODY_FIXED);
    mo_body_def moving = mo_default_body(MO_BODY_FREE);
    moving.pose = mo_pose_at(0, 0, 0.5);
    const mo_body_id floor = mo_world_add_body(world, &fixed, NULL);
    const mo_body_id body = mo_world_add_body(world, &moving, NULL);
    CHECK(mo_world_add_shape(world, floor, &plane, NULL).index > 0);
    CHECK(mo_world_add_shape(world, body, &ball, NULL).index > 0);
    def.friction_rule = later;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    CHECK(mo_world_contact_count(world) == 1);
    const double mu = mo_world_contact(world, 0).mu;
    mo_world_destroy(world);
    return mu;
}

static void contacts_follow_the_world(void **state)
{
    (void)state;
    mo_world_def def = mo_default_world();
    double half = 0.5;
    CHECK_NEAR(friction_of(def, MO_COMBINE_WORLD), 0.6, 1e-15);
    CHECK_NEAR(friction_of(def, MO_COMBINE_MINIMUM), 0.4, 1e-15);
    def.friction_rule = MO_COMBINE_MEAN;
    CHECK_NEAR(friction_of(def, MO_COMBINE_MEAN), 0.65, 1e-15);
    CHECK_NEAR(friction_of(def, MO_COMBINE_MAXIMUM), 0.9, 1e-15);
    def.combine = halve;
    def.combine_user = &half;
    CHECK_NEAR(friction_of(def, MO_COMBINE_MAXIMUM), 0.45, 1e-15);
    def.friction_rule = MO_COMBINE_COUNT;
    mo_world *world;
    mo_message why;
    CHECK(mo_world_create(&def, NULL, &world, &why) == MO_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_numbers_follow_their_rule),
        cmocka_unit_test(zero_and_infinity_give_a_number),
        cmocka_unit_test(an_own_rule_comes_before_that_of_the_world),
        cmocka_unit_test(contacts_follow_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
