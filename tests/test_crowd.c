/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Bodies at one place: the contacts of a step grow linearly with the bodies, and a step with more
 * pairs than can matter is refused with a sentence and changes nothing.  Bodies that merely touch
 * are not affected, however many neighbours they have.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

static mo_world *crowd(int count, mo_shape_def shape)
{
    mo_world_def def = mo_default_world();
    mo_world *world;
    const mo_shape_def floor = mo_shape_plane();
    const mo_pose above = mo_pose_at(0, 0, 2);
    def.solver.tol = 1e-4;
    def.solver.max_iter = 100;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    for (int k = 0; k < count; ++k)
        CHECK(mo_world_add_solid(world, MO_BODY_FREE, &shape, &above, NULL).index > 0);
    return world;
}

static void contacts_of_a_crowd_grow_linearly(void **state)
{
    (void)state;
    const mo_shape_def kinds[] = {mo_shape_ball(0.1), mo_shape_box(0.1, 0.1, 0.1)};
    for (int k = 0; k < 2; ++k) {
        enum { COUNT = 120, OF_BODY = 16, OF_PAIR = 9 };
        mo_step_report report;
        mo_world *world = crowd(COUNT, kinds[k]);
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        CHECK(report.contacts >= COUNT && report.contacts <= OF_BODY * COUNT * OF_PAIR);
        CHECK(k == 1 || report.contacts <= OF_BODY * COUNT);
        CHECK(report.status != MO_SOLVED && report.message.text[0]);
        CHECK(isfinite(report.kinetic_energy));
        mo_world_destroy(world);
    }
}

/* 20,000 equal boxes: a tree of them that is a chain would take minutes. */
static void a_step_with_too_many_pairs_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    mo_world *world = crowd(20000, mo_shape_ball(0.1));
    const size_t size = mo_world_save(world, NULL, 0);
    char *before = malloc(size), *after = malloc(size);
    mo_message why = {{0}};
    CHECK(before && after && mo_world_save(world, before, size) == size);
    for (int round = 0; round < 2; ++round) {
        why.text[0] = '\0';
        CHECK(mo_world_step(world, 0.01, NULL, &why) == MO_ERR_ARGUMENT);
        CHECK(strstr(why.text, "pairs"));
    }
    CHECK(mo_world_save(world, after, size) == size && memcmp(before, after, size) == 0);
    while (mo_world_body_count(world) > 2) /* and goes on once they are gone */
        mo_world_remove_body(world, mo_world_body(world, mo_world_body_count(world) - 1), NULL);
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    free(before);
    free(after);
    mo_world_destroy(world);
}

/* A plate on 400 balls, which rest on the floor: 400 neighbours, none of them left out. */
static void neighbours_that_touch_all_count(void **state)
{
    (void)state;
    enum { SIDE = 20 };
    mo_world *world = crowd(0, mo_shape_ball(0.1));
    const mo_shape_def ball = mo_shape_ball(0.1), plate = mo_shape_box(3, 3, 0.1);
    for (int k = 0; k < SIDE * SIDE; ++k) {
        const mo_pose at = mo_pose_at(0.25 * (k % SIDE) - 2.4, 0.25 * (k / SIDE) - 2.4, 0.1);
        mo_world_add_solid(world, MO_BODY_FREE, &ball, &at, NULL);
    }
    const mo_pose on_top = mo_pose_at(0, 0, 0.3);
    mo_step_report report;
    mo_world_add_solid(world, MO_BODY_FREE, &plate, &on_top, NULL);
    CHECK(mo_world_step(world, 0.005, &report, NULL) == MO_OK);
    CHECK(report.contacts == 2 * SIDE * SIDE);
    CHECK(!strstr(report.message.text, "left out"));
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_of_a_crowd_grow_linearly),
        cmocka_unit_test(a_step_with_too_many_pairs_is_refused_and_changes_nothing),
        cmocka_unit_test(neighbours_that_touch_all_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
