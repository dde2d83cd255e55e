/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A hanging chain of thin links that swings out of its plane loses energy, at short steps and at
 * long ones. */
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"
#include "worlds.h"

static double energy(const mo_world *world)
{
    return mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
}

/* Level at the start, with sideways velocities that turn every link another way. */
static mo_world *make_chain(double ratio, double *scale)
{
    const world_scene *scene = world_scene_find("chain");
    double values[WORLD_PARAMETERS];
    mo_world *world;
    world_default_values(scene, values);
    values[0] = 5;
    values[2] = ratio;
    CHECK(scene->build(values, &world, NULL) == MO_OK);
    *scale = 0;
    for (int k = 0; k < 5; ++k) {
        const mo_body_id link = mo_world_body(world, k);
        mo_body_state state = mo_body_get(world, link);
        state.velocity[1] = 0.3 * k + (k == 4 ? 1.5 : 0);
        CHECK(mo_body_set(world, link, &state.pose, state.velocity, state.spin, NULL) == MO_OK);
        *scale += state.mass * 9.81; /* weight times the length of 1 m */
    }
    return world;
}

static void it_loses_energy(void **state)
{
    (void)state;
    static const double STEPS[] = {0.005, 1.0 / 60}, RATIOS[] = {1, 0.01};
    for (int s = 0; s < 2; ++s) {
        for (int r = 0; r < 2; ++r) {
            double scale;
            mo_world *world = make_chain(RATIOS[r], &scale);
            CHECK(mo_world_step(world, STEPS[s], NULL, NULL) == MO_OK); /* the joints hold */
            const double first = energy(world);
            for (int k = 0; k < 1200; ++k) {
                CHECK(mo_world_step(world, STEPS[s], NULL, NULL) == MO_OK);
                CHECK_BELOW(energy(world), first + 0.02 * scale);
            }
            CHECK_BELOW(energy(world), first - 0.05 * scale);
            mo_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_loses_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
