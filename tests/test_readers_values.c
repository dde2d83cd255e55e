/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every value of a model or mesh file is wrong once, and every tag is missing once: the seeds of
 * the fuzzer, which have each kind of element, are read and built.  What is refused gets a sentence
 * and leaves no memory behind; a wrong value is never reported as a lack of memory.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <string.h>

#include "fuzz/fuzz_tools.h"
#include "io/mesh_file.h"
#include "moreau/robot.h"
#include "scarce_memory.h"

typedef mo_error read_fn(const char *path, const mo_allocator *allocator, mo_message *why);

static mo_error read_model(const char *path, const mo_allocator *allocator, mo_message *why)
{
    mo_model model = {0};
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    mo_error error = mo_model_read(path, allocator, &model, why);
    if (!error) {
        const mo_world_def def = mo_model_world(&model);
        error = mo_world_create(&def, allocator, &world, why);
    }
    error = error ? error : mo_model_build(&model, world, allocator, &robot, why);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
    return error;
}

static mo_error read_mesh(const char *path, const mo_allocator *allocator, mo_message *why)
{
    mo_mesh_file mesh = {0};
    size_t size = 0;
    const mo_error error = mo_mesh_file_read(path, "mesh", 1 << 20, allocator, &mesh, &size, why);
    mo_mesh_file_clear(allocator, &mesh);
    return error;
}

typedef struct sweep {
    const char *name, *file;
    read_fn *read;
    int cases, refused;
} sweep;

/* Reads text[0 .. from), `by`, text[to .. size). */
static void read_changed(sweep *s, const char *text, size_t size, size_t from, size_t to,
                         const char *by)
{
    enum { ROOM = 1 << 16 };
    static char changed[ROOM];
    CHECK(size + strlen(by) < ROOM);
    const int length =
        snprintf(changed, ROOM, "%.*s%s%.*s", (int)from, text, by, (int)(size - to), text + to);
    scarce memory = {.left = SCARCE_PLENTY};
    const mo_allocator allocator = {scarce_reallocate, &memory};
    mo_message why = {{0}};
    const mo_error error =
        s->read(file_of(s->file, (const uint8_t *)changed, (size_t)length), &allocator, &why);
    ++s->cases;
    s->refused += error != MO_OK;
    if (error == MO_ERR_MEMORY || (error && !why.text[0]) || memory.live != 0) {
        fail_msg("%s: '%s' for '%.*s': error %d, '%s', %ld blocks are left", s->name, by,
                 (int)(to - from), text + from, (int)error, why.text, memory.live);
    }
}

/* Values stand between quotes, or between tags. */
static void change_all(void *user, const void *bytes, size_t size)
{
    static const char *const VALUES[] = {"x", "", "nan", "-1", "0", "1e300", "99999999", "0 0 0 0"};
    const char *text = bytes, *end = text + size;
    for (const char *at = text; at < end; ++at) {
        const char close = *at == '>' ? '<' : *at;
        const char *to = *at == '\'' || *at == '"' || *at == '>'
                             ? memchr(at + 1, close, (size_t)(end - at) - 1)
                             : NULL;
        for (size_t k = 0; to > at + 1 && k < sizeof VALUES / sizeof *VALUES; ++k)
            read_changed(user, text, size, (size_t)(at + 1 - text), (size_t)(to - text), VALUES[k]);
        at = to && close != '<' ? to : at;
        const char *tag = *at == '<' ? memchr(at, '>', (size_t)(end - at)) : NULL;
        if (tag) read_changed(user, text, size, (size_t)(at - text), (size_t)(tag + 1 - text), "");
    }
}

static void every_value_may_be_wrong(void **state)
{
    (void)state;
    sweep sweeps[] = {{"mjcf", "in.xml", read_model, 0, 0},
                      {"urdf", "in.urdf", read_model, 0, 0},
                      {"sdf", "in.sdf", read_model, 0, 0},
                      {"collada", "in.dae", read_mesh, 0, 0}};
    for (size_t k = 0; k < sizeof sweeps / sizeof *sweeps; ++k) {
        fuzz_target_find(sweeps[k].name)->seeds(change_all, &sweeps[k]);
        assert_true(sweeps[k].cases > 200 && sweeps[k].refused > sweeps[k].cases / 10);
    }
}

/* ---- robots whose bodies are gone ------------------------------------------------------------ */

static const char ROBOT[] =
    "<mujoco><worldbody><body mocap='true'><geom size='.1'/></body><body name='a' pos='0 0 1'>"
    "<joint name='j'/><geom size='.1'/></body><body name='b' pos='0 0 2'><freejoint/>"
    "<geom size='.1'/></body></worldbody><actuator><motor joint='j'/></actuator><keyframe><key "
    "time='0'/></keyframe>"
    "</mujoco>";

/* The call is refused, and its sentence has these words. */
static void check_refused(mo_error error, const mo_message *why, const char *words)
{
    assert_int_equal(error, MO_ERR_ARGUMENT);
    if (!strstr(why->text, words)) fail_msg("'%s' does not say '%s'", why->text, words);
}

static void calls_on_a_robot_without_its_bodies_are_refused(void **state)
{
    (void)state;
    const double nan = NAN, zero = 0, q[8] = {0, 0, 0, 2, 1, 0, 0, 0};
    mo_pose pose = mo_pose_identity();
    mo_model model;
    mo_world *world;
    mo_robot *robot;
    mo_message why = {{0}};
    const char *path = file_of("in.xml", (const uint8_t *)ROBOT, sizeof ROBOT - 1);
    CHECK(mo_model_read(path, NULL, &model, &why) == MO_OK);
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    CHECK(mo_model_build(&model, world, NULL, &robot, &why) == MO_OK);
    CHECK(mo_robot_set(robot, world, q, NULL, &why) == MO_OK);
    check_refused(mo_robot_set_controls(robot, world, &nan, &why), &why, "control 0");
    pose.orientation[0] = 2;
    mo_model_key key = model.keys[0];
    key.mocap = &pose;
    check_refused(mo_robot_set_key(robot, world, &key, &why), &why, "unit quaternion");
    CHECK(mo_world_remove_body(world, mo_robot_body(robot, 3), &why) == MO_OK);
    check_refused(mo_robot_set(robot, world, q, NULL, &why), &why, "joint 1");
    CHECK(mo_world_remove_body(world, mo_robot_body(robot, 2), &why) == MO_OK);
    check_refused(mo_robot_set(robot, world, q, NULL, &why), &why, "no longer in the world");
    check_refused(mo_robot_set_controls(robot, world, &zero, &why), &why, "no longer in the world");
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_may_be_wrong),
        cmocka_unit_test(calls_on_a_robot_without_its_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
