/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every request for memory of a robot's step fails once, with all that follow, on the level of
 * velocities and on that of accelerations: the error is that of memory with a sentence, the saved
 * state is as it was, and the step taken again has the bits of one that never failed.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scarce_memory.h"

#include "moreau/moreau.h"

enum { MOST = 20000 /* requests of one step */ };

typedef struct actor {
    scarce memory;
    mo_allocator allocator;
    mo_world *world;
    mo_robot *robot;
} actor;

static void begin(actor *a, const mo_model *model, mo_level level, int steps)
{
    mo_world_def def = mo_model_world(model);
    def.level = level;
    a->memory = (scarce){.left = SCARCE_PLENTY};
    a->allocator = (mo_allocator){scarce_reallocate, &a->memory};
    CHECK(mo_world_create(&def, &a->allocator, &a->world, NULL) == MO_OK);
    CHECK(mo_model_build(model, a->world, &a->allocator, &a->robot, NULL) == MO_OK);
    for (int k = 0; k < steps; ++k)
        CHECK(mo_world_step(a->world, 0.005, NULL, NULL) == MO_OK);
}

static void end(actor *a)
{
    mo_robot_destroy(a->robot);
    mo_world_destroy(a->world);
    CHECK(a->memory.live == 0);
}

static char *saved(const mo_world *world, size_t *size)
{
    *size = mo_world_save(world, NULL, 0);
    char *bytes = malloc(*size);
    CHECK(bytes && mo_world_save(world, bytes, *size) == *size);
    return bytes;
}

static int is_saved(const mo_world *world, const char *bytes, size_t size)
{
    size_t own;
    char *now = saved(world, &own);
    const int same = own == size && memcmp(now, bytes, size) == 0;
    free(now);
    return same;
}

/* The request of number k fails; false where there is none. */
static int starve(const mo_model *model, mo_level level, int steps, long k, const char *next,
                  size_t next_size)
{
    actor a;
    mo_message why = {{0}};
    mo_step_report report;
    size_t size;
    begin(&a, model, level, steps);
    char *before = saved(a.world, &size);
    a.memory.left = k;
    const mo_error error = mo_world_step(a.world, 0.005, &report, &why);
    const int failed = a.memory.left < 0;
    a.memory.left = SCARCE_PLENTY;
    if (error && (error != MO_ERR_MEMORY || !why.text[0] || !is_saved(a.world, before, size))) {
        fail_msg("%s: request %ld of step %d, level %d: error %d '%s', or the state changed",
                 model->name, k, steps, (int)level, (int)error, why.text);
    }
    CHECK(!error || mo_world_step(a.world, 0.005, NULL, &why) == MO_OK);
    /* a projection that failed, or a search that was cut short, is said in the report */
    if (!is_saved(a.world, next, next_size) && (error || !failed || !report.message.text[0])) {
        fail_msg("%s: request %ld of step %d, level %d: the next step differs", model->name, k,
                 steps, (int)level);
    }
    free(before);
    end(&a);
    return failed;
}

static void starve_model(const char *path, mo_level level)
{
    mo_model model;
    CHECK(mo_model_read(path, NULL, &model, NULL) == MO_OK);
    for (int steps = 0; steps <= 60; steps += 6) {
        actor other;
        size_t size;
        begin(&other, &model, level, steps + 1);
        char *next = saved(other.world, &size);
        end(&other);
        long k = 0;
        while (k < MOST && starve(&model, level, steps, k, next, size))
            k += k < 100 ? 1 : 7;
        CHECK(k < MOST);
        free(next);
    }
    mo_model_clear(&model);
}

static void steps_on_the_level_of_velocities(void **state)
{
    (void)state;
    starve_model(MOREAU_SOURCE_DIR "/scenes/models/quadruped.xml", MO_LEVEL_VELOCITY);
    starve_model(MOREAU_SOURCE_DIR "/scenes/models/hand.xml", MO_LEVEL_VELOCITY);
}

static void steps_on_the_level_of_accelerations(void **state)
{
    (void)state;
    starve_model(MOREAU_SOURCE_DIR "/scenes/models/arm.xml", MO_LEVEL_ACCELERATION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_on_the_level_of_velocities),
        cmocka_unit_test(steps_on_the_level_of_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
