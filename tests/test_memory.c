/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A long run holds no more memory than a short one: bytes and blocks that a world has in hand,
 * counted by its allocator. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

typedef struct counter {
    size_t bytes, blocks;
} counter;

/* Each block begins with its size, in the room of the strictest scalar. */
static void *reallocate(void *user, void *p, size_t size)
{
    enum { HEAD = sizeof(max_align_t) };
    counter *count = user;
    char *old = p ? (char *)p - HEAD : NULL;
    size_t had = 0;
    if (old) memcpy(&had, old, sizeof had);
    char *block = NULL;
    if (size == 0)
        free(old);
    else if (!(block = realloc(old, size + HEAD)))
        return NULL;
    else
        memcpy(block, &size, sizeof size);
    count->bytes += size - had;
    count->blocks += (size_t)(size > 0) - (size_t)(old != NULL);
    return block ? block + HEAD : NULL;
}

static void add(mo_world *world, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    mo_body_def def = mo_default_body(kind);
    def.pose = pose;
    shape.material.restitution = 0.2;
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &def, NULL), &shape, NULL).index > 0);
}

/* Two bodies that bounce on a plate which shakes: contacts come and go for ever. */
static void shaken(void *user, double time, mo_pose *pose)
{
    (void)user;
    *pose = mo_pose_at(0, 0, 0.05 * sin(20 * time));
}

static void twenty_thousand_steps_hold_no_more_memory_than_two_thousand(void **state)
{
    (void)state;
    counter count = {0, 0}, early = {0, 0};
    const mo_allocator allocator = {reallocate, &count};
    const mo_world_def def = mo_default_world();
    mo_body_def plate = mo_default_body(MO_BODY_DRIVEN);
    const mo_shape_def plane = mo_shape_plane();
    mo_world *world;
    size_t most = 0;
    int touches = 0;
    plate.motion = shaken;
    CHECK(mo_world_create(&def, &allocator, &world, NULL) == MO_OK);
    CHECK(mo_world_add_shape(world, mo_world_add_body(world, &plate, NULL), &plane, NULL).index >
          0);
    add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(0, 0, 0.5));
    add(world, MO_BODY_FREE, mo_shape_box(0.1, 0.1, 0.1), mo_pose_at(1, 0, 0.5));
    for (int k = 0; k < 20000; ++k) {
        mo_step_report report;
        CHECK(mo_world_step(world, 0.005, &report, NULL) == MO_OK);
        touches += report.contacts > 0;
        most = count.bytes > most ? count.bytes : most;
        if (k == 2000) early = (counter){most, count.blocks};
    }
    if (!(touches > 1000 && touches < 19999)) fail_msg("%d steps with contacts", touches);
    CHECK(most <= early.bytes + early.bytes / 10);
    CHECK(count.blocks <= early.blocks + 2);
    mo_world_destroy(world);
    CHECK(count.bytes == 0 && count.blocks == 0);
}

/* A result, a reduced problem and a gradient of the problem of a world. */
static void results_of_a_world_may_outlive_it(void **state)
{
    (void)state;
    counter count = {0};
    const mo_allocator allocator = {reallocate, &count};
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_problem *reduced;
    mo_gradient *gradient;
    mo_world *world;
    CHECK(mo_world_create(NULL, &allocator, &world, NULL) == MO_OK);
    add(world, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
    add(world, MO_BODY_FREE, mo_shape_ball(0.1), mo_pose_at(0, 0, 0.1));
    CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    const mo_problem *problem = mo_world_problem(world);
    options.tol = 1e-12;
    CHECK(problem && mo_solve(problem, &options, &result) == MO_OK);
    CHECK(mo_problem_reduce(problem, &reduced, NULL) == MO_OK);
    CHECK(mo_gradient_create(problem, result.r, &gradient, NULL) == MO_OK);
    mo_world_destroy(world);
    CHECK(count.blocks > 0 && result.row_count == 3 && result.r[0] > 0);
    CHECK(mo_solve(reduced, &options, &result) == MO_OK && result.row_count == 3);
    mo_result_clear(&result);
    mo_gradient_destroy(gradient);
    mo_problem_destroy(reduced);
    CHECK(count.bytes == 0 && count.blocks == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_a_world_may_outlive_it),
        cmocka_unit_test(twenty_thousand_steps_hold_no_more_memory_than_two_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
