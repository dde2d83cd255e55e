/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Model files that ask for too much, or for what cannot be: counts above the bounds, sizes of
 * nothing, images and files that are too large.  Each gets a sentence, before memory is taken.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model_text.h"
#include "moreau/robot.h"

static void check_refused(const char *path, const char *fragment)
{
    mo_model model;
    mo_message why = {{0}};
    if (!mo_model_read(path, NULL, &model, &why)) {
        mo_model_clear(&model);
        fail_msg("%s was read, and should not have been: %s", path, fragment);
    }
    if (!strstr(why.text, fragment)) fail_msg("'%s' does not say '%s'", why.text, fragment);
}

/* ---- one sentence each ----------------------------------------------------------------------- */

#define LINK(inside) "<sdf><model name='m'><link name='a'>" inside "</link></model></sdf>"
#define COLLISION(shape) LINK("<collision name='c'><geometry>" shape "</geometry></collision>")
#define ACTUATOR(defaults, inside)                                                                 \
    "<mujoco><default>" defaults "</default><worldbody><body><joint name='j'/><geom size='1'/>"    \
    "</body></worldbody><actuator>" inside "</actuator></mujoco>"

#define FIT(how)                                                                                   \
    MJCF("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"             \
         "<geom type='box' mesh='m' " how "/></worldbody>")
#define FOLDER_AS_FIELD                                                                            \
    MJCF("<asset><hfield name='h' size='1 1 1 1' file='.'/></asset><worldbody>"                    \
         "<geom type='hfield' hfield='h'/></worldbody>")

static void invalid_input_gets_an_error_message(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *sentence;
    } CASES[] = {
        {"m.sdf", COLLISION("<plane><normal>0 0 0</normal></plane>"), "normal of length zero"},
        {"m.sdf", COLLISION("<ellipsoid/>"), "has no radii"},
        {"m.sdf", COLLISION("<ellipsoid><radii>1 0 1</radii></ellipsoid>"), "three positive radii"},
        {"m.sdf", COLLISION("<sphere><radius>-1</radius></sphere>"), "radius"},
        {"m.sdf",
         LINK("<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
              "<surface><friction><ode><mu>nan</mu></ode></friction></surface></collision>"),
         "nan"},
        {"m.sdf", LINK("<inertial><pose>nan 0 0 0 0 0</pose></inertial>"), "nan"},
        {"m.sdf",
         "<sdf><model name='m'><link name='a'/><joint name='j' type='revolute'><parent>a</parent>"
         "<child>b::c</child></joint><model name='b'><link name='d'/></model></model></sdf>",
         "'c"},
        {"m.xml", ACTUATOR("<general gainprm='-3'/>", "<position joint='j'/>"), "kp=\"-3\""},
        {"m.xml", ACTUATOR("<general gainprm='-3'/>", "<velocity joint='j'/>"), "kv=\"-3\""},
        {"m.urdf",
         "<robot name='r'><link name='a'><collision><geometry><box size='1 1 -1'/>"
         "</geometry></collision></link></robot>",
         "three positive numbers"},
        {"m.urdf", "<robot name='r'><link name='a'><inertial/></link></robot>", "no <mass value>"},
        {"m.xml", FIT("fitscale='0'"), "cannot be fitted"},
        {"m.xml", FIT("fitscale='x'"), "fitscale"},
        {"m.xml", FOLDER_AS_FIELD, "plain file"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k)
        check_refused(folder_put(&folder, CASES[k].name, CASES[k].text), CASES[k].sentence);
}

/* ---- counts ---------------------------------------------------------------------------------- */

enum { ROOM = 1 << 20 };
static char text[ROOM];

/* HEAD, then PIECE with its number COUNT times, then TAIL. */
static const char *repeated(const char *head, const char *before, const char *after, int count,
                            const char *tail)
{
    int used = snprintf(text, ROOM, "%s", head);
    for (int k = 0; k < count; ++k) {
        used += snprintf(text + used, (size_t)(ROOM - used), "%s%d%s", before, k, after);
        assert_true(used < ROOM / 2);
    }
    snprintf(text + used, (size_t)(ROOM - used), "%s", tail);
    return text;
}

static void counts_have_bounds(void **state)
{
    (void)state;
    check_refused(folder_put(&folder, "m.xml",
                             repeated("<mujoco><default>", "<default class='c", "'/>", 3001,
                                      "</default></mujoco>")),
                  "more than 3000 default");
    check_refused(folder_put(&folder, "m.xml",
                             repeated("<mujoco><default>", "<default class='c",
                                      "'><geom/></default>", 1501, "</default></mujoco>")),
                  "more than 3000 default");
    check_refused(folder_put(&folder, "m.xml",
                             repeated("<mujoco><worldbody>", "<body name='b",
                                      "'><geom size='1'/></body>", 10001, "</worldbody></mujoco>")),
                  "more than 10000 bodies");
}

/* More files than the folder keeps the names of. */
static void put_includes(int count, int is_there)
{
    char path[TEMPORARY_ROOM + 32];
    for (int k = 0; k < count; ++k) {
        snprintf(path, sizeof path, "%s/i%d.xml", folder.path, k);
        if (!is_there) {
            CHECK(remove(path) == 0);
            continue;
        }
        FILE *file = fopen(path, "w");
        CHECK(file && fputs("<mujoco/>", file) >= 0 && fclose(file) == 0);
    }
}

static void includes_have_a_bound(void **state)
{
    (void)state;
    put_includes(501, 1);
    check_refused(folder_put(&folder, "m.xml",
                             repeated("<mujoco>", "<include file='i", ".xml'/>", 501, "</mujoco>")),
                  "the limit of 500 included files");
    put_includes(501, 0);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* A file without content that is a terabyte long costs nothing, on disk and here. */
static void large_files_are_refused_unread(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"m.xml", "m.urdf", "m.sdf"};
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; ++k) {
        const char *path = folder_put(&folder, NAMES[k], "<mujoco/>");
        if (truncate(path, (off_t)1 << 36) == 0) check_refused(path, "has more than");
        CHECK(truncate(path, 0) == 0);
    }
}

/* A path that no folder can have. */
static void long_paths_are_refused(void **state)
{
    (void)state;
    static char path[3 * 4096];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 6] = '/';
    memcpy(path + sizeof path - 5, ".xml", 5);
    check_refused(path, "");
}

/* An image of 65,000 times 65,000 pixels, of which there is only the head. */
static void images_of_too_many_pixels_are_refused(void **state)
{
    (void)state;
    static const unsigned char HEAD[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
        0x52, 0x00, 0x00, 0xfd, 0xe8, 0x00, 0x00, 0xfd, 0xe8, 0x08, 0x00, 0x00, 0x00, 0x00, 0x87,
        0x3c, 0x86, 0xd6, 0x00, 0x00, 0x00, 0x00, 0x49, 0x44, 0x41, 0x54, 0x35, 0xaf, 0x06, 0x1e};
    folder_put_bytes(&folder, "f.png", HEAD, sizeof HEAD);
    check_refused(folder_put(&folder, "m.xml",
                             "<mujoco><asset><hfield name='h' size='1 1 1 1' file='f.png'/></asset>"
                             "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"),
                  "pixels");
}

/* ---- COLLADA --------------------------------------------------------------------------------- */

#define TRIANGLE                                                                                   \
    "<library_geometries><geometry id='g'><mesh><source id='s'><float_array id='f'>0 0 0 1 0 0 0 " \
    "1 0</float_array><technique_common><accessor source='#f' stride='%d'/></technique_common>"    \
    "</source><vertices id='v'><input semantic='POSITION' source='#s'/></vertices><triangles "     \
    "count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></triangles></mesh>"   \
    "</geometry></library_geometries>"

static void scenes_of_meshes_have_bounds(void **state)
{
    (void)state;
    static const char MODEL[] = "<mujoco><asset><mesh name='h' file='m.dae'/></asset><worldbody>"
                                "<geom type='mesh' mesh='h'/></worldbody></mujoco>";
    char head[2048], scene[4096];
    snprintf(head, sizeof head, "<COLLADA>" TRIANGLE "</COLLADA>", 2);
    folder_put(&folder, "m.dae", head);
    check_refused(folder_put(&folder, "m.xml", MODEL), "fewer than three numbers");
    /* Each of 15 nodes shows the one below it twice: the triangle 32,768 times. */
    int used = snprintf(scene, sizeof scene, "<COLLADA>" TRIANGLE "<library_nodes>", 3);
    for (int k = 0; k < 15; ++k) {
        used += snprintf(scene + used, sizeof scene - (size_t)used,
                         "<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/>"
                         "</node>",
                         k, k + 1, k + 1);
    }
    snprintf(scene + used, sizeof scene - (size_t)used,
             "<node id='n15'><instance_geometry url='#g'/></node></library_nodes>"
             "<library_visual_scenes><visual_scene id='a'><node><instance_node url='#n0'/></node>"
             "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#a'/>"
             "</scene></COLLADA>");
    folder_put(&folder, "m.dae", scene);
    check_refused(folder_put(&folder, "m.xml", MODEL), "20000");
}

/* ---- bodies at one place --------------------------------------------------------------------- */

/* They are sought when the model is built; too many are not a lack of memory. */
static void too_many_pairs_are_named_as_such(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        WORLD("<replicate count='300'><replicate count='10'><body><freejoint/><geom size='.1'/>"
              "</body></replicate></replicate>"),
        WORLD("<replicate count='300'><replicate count='10'><body><joint/>"
              "<geom type='box' size='1 1 1'/></body></replicate>"
              "</replicate>"),
    };
    for (int k = 0; k < 2; ++k) {
        mo_model model;
        mo_message why = {{0}};
        mo_world *world;
        mo_robot *robot = NULL;
        read_text(TEXTS[k], &model);
        const mo_world_def def = mo_model_world(&model);
        CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
        CHECK(mo_model_build(&model, world, NULL, &robot, &why) == MO_ERR_ARGUMENT);
        CHECK(!robot && strstr(why.text, "pairs") && mo_world_body_count(world) == 0);
        mo_world_destroy(world);
        mo_model_clear(&model);
    }
}

/* ---- memory of a build ----------------------------------------------------------------------- */

static void *add_up(void *user, void *p, size_t size)
{
    *(size_t *)user += size;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

/* Bytes that are requested to build so many mechanisms of one link. */
static size_t bytes_of_build(const char *inside)
{
    size_t bytes = 0;
    const mo_allocator allocator = {add_up, &bytes};
    mo_model model;
    mo_world *world;
    mo_robot *robot;
    read_text(inside, &model);
    CHECK(mo_world_create(NULL, NULL, &world, NULL) == MO_OK);
    CHECK(mo_model_build(&model, world, &allocator, &robot, NULL) == MO_OK);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
    return bytes;
}

static void memory_of_a_build_grows_linearly(void **state)
{
    (void)state;
#define HINGES(count)                                                                              \
    WORLD("<replicate count='" count "' offset='1 0 0'><body><joint/><geom size='.1'/></body>"     \
          "</replicate>")
    assert_true(bytes_of_build(HINGES("256")) < 3 * bytes_of_build(HINGES("128")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_input_gets_an_error_message),
        cmocka_unit_test(counts_have_bounds),
        cmocka_unit_test(includes_have_a_bound),
        cmocka_unit_test(large_files_are_refused_unread),
        cmocka_unit_test(long_paths_are_refused),
        cmocka_unit_test(images_of_too_many_pixels_are_refused),
        cmocka_unit_test(scenes_of_meshes_have_bounds),
        cmocka_unit_test(too_many_pairs_are_named_as_such),
        cmocka_unit_test(memory_of_a_build_grows_linearly),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
