/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The library has no global state: two worlds, and solves of one method each, in threads of one
 * process give the bits that they give one after the other.  Under ThreadSanitizer (preset threads)
 * the same test looks for races.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"

enum { STEPS = 30, THREADS = 3 };

typedef struct run {
    int number;
    size_t size;
    char *state; /* at the end */
} run;

/* Boxes and balls on a plane, different ones for each number. */
static mo_world *make(int number)
{
    mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    const mo_shape_def floor = mo_shape_plane(), ball = mo_shape_ball(0.2),
                       box = mo_shape_box(0.2, 0.15, 0.1);
    def.solver.threads = 1 + number % 2;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    for (int k = 0; k < 10; ++k) {
        const mo_pose at = mo_pose_at(0.05 * number * (k % 3), 0.03 * (k % 2), 0.2 + 0.35 * k);
        mo_world_add_solid(world, MO_BODY_FREE, k % 2 ? &ball : &box, &at, NULL);
    }
    return world;
}

static void *go(void *user)
{
    run *r = user;
    mo_world *world = make(r->number);
    for (int k = 0; k < STEPS; ++k)
        mo_world_step(world, 0.01, NULL, NULL);
    r->size = mo_world_save(world, NULL, 0);
    r->state = malloc(r->size);
    if (r->state) mo_world_save(world, r->state, r->size);
    mo_world_destroy(world);
    return NULL;
}

static void worlds_in_threads_give_the_bits_of_worlds_in_turn(void **state)
{
    (void)state;
    run apart[THREADS], beside[THREADS];
    pthread_t thread[THREADS];
    for (int k = 0; k < THREADS; ++k) {
        apart[k] = beside[k] = (run){.number = k};
        go(apart + k);
    }
    for (int k = 0; k < THREADS; ++k)
        CHECK(pthread_create(thread + k, NULL, go, beside + k) == 0);
    for (int k = 0; k < THREADS; ++k)
        CHECK(pthread_join(thread[k], NULL) == 0);
    for (int k = 0; k < THREADS; ++k) {
        CHECK(apart[k].state && beside[k].state && apart[k].size == beside[k].size);
        CHECK(memcmp(apart[k].state, beside[k].state, apart[k].size) == 0);
        free(apart[k].state);
        free(beside[k].state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_in_threads_give_the_bits_of_worlds_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
