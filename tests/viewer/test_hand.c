/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The hand that drags bodies in the viewer is stable and critically damped. */
#include <string.h>

#include "check.h"

#include "hand.h"
#include "moreau/moreau.h"
#include "worlds.h"

/* A rod of 2 m along x in empty space, held at its end. */
static mo_world *make_rod(int dimension, mo_body_id *rod)
{
    mo_world_def def = dimension == 2 ? mo_default_planar_world() : mo_default_world();
    mo_body_def body = mo_default_body(MO_BODY_FREE);
    const mo_shape_def shape = mo_shape_box(1, 0.05, 0.05);
    mo_world *world;
    memset(def.gravity, 0, sizeof def.gravity);
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    *rod = mo_world_add_body(world, &body, NULL);
    CHECK(mo_world_add_shape(world, *rod, &shape, NULL).index);
    return world;
}

static double distance_to_target(const mo_world *world, const hand *h)
{
    const mo_pose pose = mo_body_get(world, h->body).pose;
    double at[3];
    mo_pose_point(&pose, h->local, at);
    return hypot(hypot(at[0] - h->target[0], at[1] - h->target[1]), at[2] - h->target[2]);
}

/* Along the first moments it follows the closed form of critical damping: distance d0 (1 + w t)
 * exp(-w t), w = 15. */
static void the_held_point_follows_critically_damped(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        const double h = 2e-4;
        mo_body_id rod;
        mo_world *world = make_rod(dimension, &rod);
        const hand held = {.body = rod, .local = {1, 0, 0}, .target = {1, 0.01, 0}, .load = 1};
        for (int k = 1; k <= 1500; ++k) {
            hand_pull(&held, world, h);
            CHECK(mo_world_step(world, h, NULL, NULL) == MO_OK);
            if (k % 250 == 0) {
                const double t = k * h, d = 0.01 * (1 + 15 * t) * exp(-15 * t);
                /* In the plane the rod's rotation is damped, which holds it back a little. */
                CHECK_NEAR(distance_to_target(world, &held), d,
                           (dimension == 2 ? 0.03 : 0.01) * 0.01);
            }
        }
        mo_world_destroy(world);
    }
}

/* At any step, also where it is long, the point comes nearer and stays. */
static void the_hand_is_stable_at_any_step(void **state)
{
    (void)state;
    static const double STEPS[] = {0.005, 0.01, 1.0 / 60, 0.05, 0.2, 1};
    for (size_t s = 0; s < sizeof STEPS / sizeof STEPS[0]; ++s) {
        mo_body_id rod;
        mo_world *world = make_rod(3, &rod);
        const hand held = {
            .body = rod, .local = {0.8, 0.05, 0}, .target = {0.8, 0.1, 0.2}, .load = 1};
        for (double t = 0; t < 100 * STEPS[s] + 1; t += STEPS[s]) {
            hand_pull(&held, world, STEPS[s]);
            CHECK(mo_world_step(world, STEPS[s], NULL, NULL) == MO_OK);
            CHECK_BELOW(distance_to_target(world, &held), 1);
        }
        CHECK_BELOW(distance_to_target(world, &held), 1e-3);
        mo_world_destroy(world);
    }
}

/* The light end of a chain drags a thousand times its mass: the energy stays bounded, and the end
 * arrives. */
static void a_light_link_drags_a_heavy_chain(void **state)
{
    (void)state;
    const double h = 1.0 / 60;
    const world_scene *scene = world_scene_find("chain");
    double values[WORLD_PARAMETERS], most = 0;
    mo_world *world;
    world_default_values(scene, values);
    values[0] = 5;
    values[2] = 1e-2; /* the last link has a hundredth of the others' mass */
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    const mo_body_id end = mo_world_body(world, mo_world_body_count(world) - 1);
    const hand held =
        hand_take(world, end, (const double[3]){0.1, 0, 0}, (const double[3]){0.6, 0.2, 0});
    CHECK_NEAR(held.load, 4.01 / 0.01, 1e-6 * 401);
    for (int k = 0; k < 600; ++k) {
        hand_pull(&held, world, h);
        CHECK(mo_world_step(world, h, NULL, NULL) == MO_OK);
        most = fmax(most, mo_world_kinetic_energy(world));
    }
    /* At first it fell, from rest, by less than its length of 1 m. */
    double weight = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k)
        weight += 9.81 * mo_body_get(world, mo_world_body(world, k)).mass;
    CHECK_BELOW(most, weight);
    CHECK_BELOW(mo_world_kinetic_energy(world), 0.02 * weight);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_held_point_follows_critically_damped),
        cmocka_unit_test(the_hand_is_stable_at_any_step),
        cmocka_unit_test(a_light_link_drags_a_heavy_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
