/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Steps with a time limit.  With a limit of nothing a step is suspended wherever it can be: what a
 * caller sees meanwhile is the state of its start, to the last bit.
 */
#include "scene_world.h"

#include <stdlib.h>
#include <string.h>

#include "moreau/moreau.h"

static void set_limit(mo_world *world, double seconds)
{
    mo_world_def def = mo_world_definition(world);
    def.solver.time_limit = seconds;
    CHECK(mo_world_change(world, &def, NULL) == MO_OK);
}

typedef struct saved {
    char *bytes;
    size_t size;
} saved;

static saved save(const mo_world *world)
{
    saved s = {.size = mo_world_save(world, NULL, 0)};
    s.bytes = malloc(s.size);
    CHECK(s.bytes && mo_world_save(world, s.bytes, s.size) == s.size);
    return s;
}

static int is_same(const saved *a, const saved *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Scenes with contacts, impacts, joints and sleep. */
static const struct {
    const char *name, *parameter;
    double value;
    int sleeping;
} SCENES[] = {
    {"stack", "count", 3, 0}, {"heap", "count", 12, 0}, {"chain", "links", 4, 0},
    {"cradle", NULL, 0, 0},   {"stack", "count", 3, 1},
};

static void a_waiting_step_shows_the_state_of_its_start(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof SCENES / sizeof *SCENES; ++s) {
        mo_world *world = scene_world(SCENES[s].name, SCENES[s].parameter, SCENES[s].value);
        mo_world_def def = mo_world_definition(world);
        def.sleeping = SCENES[s].sleeping;
        CHECK(mo_world_change(world, &def, NULL) == MO_OK);
        for (int k = 0; k < 60; ++k) {
            CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
        }
        set_limit(world, 0);
        const double penetration = mo_world_penetration(world), time = mo_world_time(world);
        const mo_body_id body = mo_world_body(world, 1);
        saved start = save(world);
        mo_step_report report = {.is_waiting = 1};
        int calls = 0;
        for (; report.is_waiting; ++calls) {
            CHECK(calls < 100000 && mo_world_step(world, 0.01, &report, NULL) == MO_OK);
            saved now = save(world);
            CHECK(is_same(&start, &now) == report.is_waiting);
            CHECK(mo_body_get(world, body).user_data == &report || calls == 0);
            CHECK(mo_body_set_user_data(world, body, &report, NULL) == MO_OK); /* no change */
            CHECK(!report.is_waiting || report.status == MO_TIME_LIMIT);
            CHECK(!report.is_waiting || report.kinetic_energy == mo_world_kinetic_energy(world));
            CHECK(!report.is_waiting || mo_world_penetration(world) == penetration);
            free(now.bytes);
        }
        CHECK(calls > 10); /* it was suspended in many places */
        CHECK_NEAR(mo_world_time(world), time + 0.01, 1e-12);
        free(start.bytes);
        mo_world_destroy(world);
    }
}

/* The bits of a step do not depend on where it was suspended, as long as its solves end by
 * themselves: here they need one iteration. */
static void a_step_in_pieces_is_the_step(void **state)
{
    (void)state;
    mo_world *whole = scene_world("stack", "count", 3), *pieces = scene_world("stack", "count", 3);
    for (int k = 0; k < 30; ++k) {
        CHECK(mo_world_step(whole, 0.01, NULL, NULL) == MO_OK);
        CHECK(mo_world_step(pieces, 0.01, NULL, NULL) == MO_OK);
    }
    for (int k = 0; k < 5; ++k) {
        mo_step_report report = {.is_waiting = 1};
        CHECK(mo_world_step(whole, 0.01, NULL, NULL) == MO_OK);
        set_limit(pieces, 0);
        for (int call = 0; call < 20; ++call) {
            CHECK(mo_world_step(pieces, 0.01, &report, NULL) == MO_OK && report.is_waiting);
        }
        set_limit(pieces, INFINITY);
        CHECK(mo_world_step(pieces, 0.01, &report, NULL) == MO_OK && !report.is_waiting);
        CHECK(report.status == MO_SOLVED);
        saved a = save(whole), b = save(pieces);
        CHECK(is_same(&a, &b));
        free(a.bytes);
        free(b.bytes);
    }
    mo_world_destroy(whole);
    mo_world_destroy(pieces);
}

/* Wherever a step waits: a change gives it up and counts, and a world can be destroyed. */
static void a_step_is_given_up_anywhere(void **state)
{
    (void)state;
    const double start[3] = {0, 0, 0}, up[3] = {0, 0, 2};
    int waits = 1;
    for (int calls = 1; waits && calls < 1000; ++calls) {
        mo_world *world = scene_world("stack", "count", 2);
        mo_step_report report = {.is_waiting = 1};
        set_limit(world, 0);
        for (int k = 0; k < calls && report.is_waiting; ++k) {
            CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
        }
        waits = report.is_waiting;
        if (waits && calls % 2) {
            const double time = mo_world_time(world);
            const mo_body_id top = mo_world_body(world, 2);
            const mo_body_state before = mo_body_get(world, top);
            CHECK(mo_body_set(world, top, &before.pose, up, start, NULL) == MO_OK);
            CHECK(mo_world_time(world) == time);
            set_limit(world, INFINITY);
            CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK);
            CHECK(report.status == MO_SOLVED && !report.is_waiting);
            CHECK_NEAR(mo_body_get(world, top).velocity[2], 2 - 0.0981, 1e-9);
        }
        mo_world_destroy(world);
    }
    CHECK(!waits);
}

/* A step of another length is another step. */
static void another_length_gives_a_step_up(void **state)
{
    (void)state;
    mo_world *world = scene_world("stack", "count", 2);
    mo_step_report report;
    set_limit(world, 0);
    for (int k = 0; k < 30; ++k) {
        CHECK(mo_world_step(world, 0.01, &report, NULL) == MO_OK && report.is_waiting);
    }
    set_limit(world, INFINITY);
    CHECK(mo_world_step(world, 0.02, &report, NULL) == MO_OK && !report.is_waiting);
    CHECK_NEAR(mo_world_time(world), 0.02, 1e-15);
    mo_world_destroy(world);
}

/* A world that is changed at every call advances all the same. */
static void a_world_that_is_changed_at_every_call_advances(void **state)
{
    (void)state;
    mo_world *world = scene_world("heap", "count", 20);
    const double force[3] = {0, 0, 0.1};
    set_limit(world, 2e-4);
    for (int k = 0; k < 20000 && mo_world_time(world) < 0.5; ++k) {
        const mo_body_id body = mo_world_body(world, 7);
        const mo_body_state s = mo_body_get(world, body);
        CHECK(mo_body_apply_force(world, body, force, s.centre, NULL) == MO_OK);
        CHECK(mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    }
    CHECK(mo_world_time(world) >= 0.5);
    mo_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_waiting_step_shows_the_state_of_its_start),
        cmocka_unit_test(a_step_in_pieces_is_the_step),
        cmocka_unit_test(a_step_is_given_up_anywhere),
        cmocka_unit_test(another_length_gives_a_step_up),
        cmocka_unit_test(a_world_that_is_changed_at_every_call_advances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
