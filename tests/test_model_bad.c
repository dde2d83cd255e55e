/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Model files that are wrong, or mean harm: each gets a sentence with its line, and nothing leaks.
 * At the end our own scenes are damaged at random, some hundred times.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/xml.h"
#include "model_group.h"
#include "moreau/robot.h"

/* Says on standard error why not. */
static int is_refused(const char *path, const char *fragment)
{
    mo_model model;
    mo_message why = {{0}};
    if (!mo_model_read(path, NULL, &model, &why)) {
        mo_model_clear(&model);
        print_error("%s was read, and should not have been: %s\n", path, fragment);
        return 0;
    }
    assert_null(model.bodies);
    if (!strstr(why.text, fragment)) {
        print_error("'%s' does not say '%s'\n", why.text, fragment);
        return 0;
    }
    return 1;
}

static void check_refused(const char *path, const char *fragment)
{
    CHECK(is_refused(path, fragment));
}

#define WORLD(inside) "<mujoco>\n<worldbody>\n" inside "\n</worldbody>\n</mujoco>"
#define MESH(inside)                                                                               \
    "<mujoco><asset>" inside "</asset><worldbody><geom type='mesh' "                               \
    "mesh='m'/></worldbody></mujoco>"
/* Two hinges with a ball joint between them, geoms and a site; more behind the bodies. */
#define HINGES(more)                                                                               \
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom name='g' size='.1'/>"                \
    "<site name='s'/><body name='b'><joint name='ball' type='ball'/><geom name='h' size='.1'/>"    \
    "<geom name='box' type='box' size='1 1 1'/></body></body></worldbody>" more "</mujoco>"
#define ROBOT(inside)                                                                              \
    "<robot name='r'>\n<link name='a'/><link name='b'><inertial><mass "                            \
    "value='1'/></inertial></link>\n" inside "\n</robot>"
#define JOINT(type, inside)                                                                        \
    ROBOT("<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" inside "</joint>")

static const struct {
    const char *text, *says;
} WRONG[] = {
    {"", "empty"},
    {"hello", "not well-formed"},
    {"<mujoco>\n<worldbody></mujoco>", "line 2: not well-formed"},
    {"<html/>", "line 1: <html> is not a model"},
    {"<mujoco/>", "no <worldbody>"},
    {"<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><mujoco model='&b;'/>",
     "document type"},
    {"<!DOCTYPE m SYSTEM 'file:///etc/passwd'><mujoco/>", "document type"},
    {"<mujoco model='&b;'/>", "not well-formed"},
    {"<mujoco><include file='model.xml'/></mujoco>", "a second time"},
    {"<mujoco>\n<include file='../model.xml'/></mujoco>",
     "line 2: <include> ../model.xml is outside the model's folder"},
    {"<mujoco><include file='/etc/passwd'/></mujoco>", "outside the model's folder"},
    {"<mujoco><include file='nowhere.xml'/></mujoco>", "is not there"},
    {"<mujoco><include/></mujoco>", "has no file"},
    {"<mujoco><include file='.'/></mujoco>", "not a plain file"},
    {"<mujoco><option timestep='0'/><worldbody/></mujoco>", "must be positive"},
    {"<mujoco><option timestep='nan'/><worldbody/></mujoco>", "not a finite number"},
    {"<mujoco><compiler angle='turns'/><worldbody/></mujoco>",
     "none of its values: radian, degree"},
    {"<mujoco><default>\n<geom type='capsul'/></default><worldbody>\n<geom size='1'/></worldbody>"
     "</mujoco>",
     "line 2: <geom> has type=\"capsul\""},
    {"<mujoco><default>\n<default class='a'><geom size='x'/></default></default><worldbody>\n\n"
     "<geom class='a'/></worldbody></mujoco>",
     "line 2: <geom> has size=\"x\""},
    {"<mujoco><compiler coordinate='global'/><worldbody/></mujoco>", "global"},
    {"<mujoco><compiler eulerseq='abc'/><worldbody/></mujoco>", "eulerseq"},
    {"<mujoco><default><default/></default><worldbody/></mujoco>", "has no class"},
    {WORLD("<geom class='none' size='1'/>"), "line 3: <geom> has the class 'none'"},
    {WORLD("<geom size='inf'/>"), "not a finite number"},
    {WORLD("<geom size='1,2'/>"), "not a finite number"},
    {WORLD("<geom size='0x10'/>"), "not a finite number"},
    {WORLD("<geom size='-1'/>"), "positive number"},
    {WORLD("<geom size='1 2 3 4'/>"), "with 4 numbers"},
    {WORLD("<geom/>"), "needs 1 positive"},
    {WORLD("<geom size='1' mass='-1'/>"), "negative mass"},
    {WORLD("<geom size='1' condim='2'/>"), "condim"},
    {WORLD("<geom size='1' friction='-1'/>"), "negative friction"},
    {WORLD("<geom type='box' size='1' fromto='0 0 0 0 0 0'/>"), "two equal points"},
    {WORLD("<geom size='1' quat='0 0 0 0'/>"), "length zero"},
    {WORLD("<geom size='1' quat='1 0 0 0' euler='0 0 0'/>"), "2 orientations"},
    {WORLD("<geom size='1' xyaxes='1 0 0 2 0 0'/>"), "parallel"},
    {WORLD("<joint/>"), "has a joint"},
    {WORLD("<body><joint axis='0 0 0'/></body>"), "axis of length zero"},
    {WORLD("<body><joint range='2 1'/></body>"), "must be smaller"},
    {WORLD("<body><joint limited='true'/></body>"), "has no range"},
    {WORLD("<body><joint damping='-1'/></body>"), "must not be negative"},
    {WORLD("<body><joint name='a'/><joint name='a'/></body>"), "which is already in use"},
    {WORLD("<body><body><freejoint/></body></body>"), "not a child of the world"},
    {WORLD("<body><freejoint/><joint/></body>"), "and other joints"},
    {WORLD("<body><inertial mass='-1' diaginertia='1 1 1'/></body>"), "negative mass"},
    {WORLD("<body><inertial mass='1' diaginertia='1 1 -1'/></body>"), "not positive"},
    {WORLD("<body><inertial mass='1'/></body>"), "diaginertia"},
    {"<mujoco><worldbody/><actuator><motor joint='none'/></actuator></mujoco>", "not defined"},
    {"<mujoco><worldbody/><actuator><motor/></actuator></mujoco>", "has no joint"},
    {"<mujoco><worldbody/><contact><exclude body1='a' body2='b'/></contact></mujoco>",
     "not defined"},
    {"<mujoco><worldbody/><equality><connect body1='world'/></equality></mujoco>", "no anchor"},
    {"<mujoco><worldbody/><keyframe><key qpos='1'/></keyframe></mujoco>", "1 numbers"},
    {MESH("<mesh name='m' file='../m.stl'/>"), "outside the model's folder"},
    {MESH("<mesh name='m' file='m.dae'/>"), "is not there"},
    {MESH("<mesh name='m' file='model.xml'/>"), ".stl, .obj, .dae and .msh"},
    {MESH("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/>"), "<mesh>"},
    {MESH("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 1' face='0 1 9'/>"), "point 9"},
    {MESH("<mesh name='n' vertex='0 0 0 1 0 0 0 1 0 1 1 1'/>"), "not among the assets"},
    {"<robot/>", "has no <link>"},
    {ROBOT(""), "one root link"},
    {"<robot><link/></robot>", "has no name"},
    {JOINT("screw", ""), "line 3: <joint> has the type 'screw'"},
    {JOINT("revolute", "<axis xyz='0 0 0'/>"), "length zero"},
    {JOINT("revolute", "<dynamics damping='-1'/>"), "negative"},
    {ROBOT("<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>"),
     "not a link"},
    {ROBOT("<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
           "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
     "no root"},
    {"<robot><link name='a'><inertial><mass value='-1'/></inertial></link></robot>", "mass of -1"},
    {"<robot><link name='a'><collision><geometry><mesh filename='package://p/../../x.stl'/>"
     "</geometry></collision></link></robot>",
     "outside the model's folder"},
    {"<robot><link name='a'><collision><geometry><sphere radius='-1'/>"
     "</geometry></collision></link></robot>",
     "positive radius"},
    /* defaults, frames, bodies */
    {"<mujoco><default><default class='a'><default class='b'/></default><default class='b'/>"
     "</default><worldbody/></mujoco>",
     "'b', which is already defined inside another class"},
    {WORLD("<geom size='1' contype='1.5'/>"), "not a whole number"},
    {WORLD("<geom size='1' axisangle='0 0 0 1'/>"), "axisangle"},
    {WORLD("<geom size='1' xyaxes='0 0 0 0 1 0'/>"), "x axis"},
    {WORLD("<geom type='plane' size='1 1 1' fromto='0 0 0 1 0 0'/>"), "cannot have fromto"},
    {WORLD("<body><inertial mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/></body>"),
     "both diaginertia and fullinertia"},
    {WORLD("<body><inertial mass='x'/></body>"), "not a finite number"},
    {WORLD("<body><geom size='1'/><body mocap='true'/></body>"), "not a child of the world"},
    /* meshes */
    {MESH("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1'/>"), "each triangle"},
    {MESH("<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' refquat='0 0 0 0'/>"), "refquat"},
    {MESH("<mesh name='m' vertex='0 0 0 1 0'/>"), "<mesh>"},
    {MESH("<mesh name='m' scale='a b c' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"), "not a finite"},
    {MESH("<mesh name='m' file=''/>"), "empty name"},
    /* pairs, equalities, tendons, actuators, sensors */
    {HINGES("<contact><pair geom1='g' geom2='h' condim='5'/></contact>"), "it is 1, 3, 4 or 6"},
    {HINGES("<contact><pair geom1='g' geom2='h' friction='-1'/></contact>"), "negative friction"},
    {HINGES("<contact><pair geom1='g' geom2='none'/></contact>"), "'none'"},
    {HINGES("<equality><joint joint1='j' joint2='ball'/></equality>"), "not hinges or slides"},
    {HINGES("<equality><connect site1='s' site2='none'/></equality>"), "'none'"},
    {HINGES("<tendon><fixed><joint joint='ball' coef='1'/></fixed></tendon>"),
     "neither a hinge nor a slide"},
    {HINGES("<tendon><fixed springlength='2 1'><joint joint='j' coef='1'/></fixed></tendon>"),
     "the first must be smaller"},
    {HINGES("<tendon><spatial><site site='s'/><geom geom='box'/><site site='s'/></spatial>"
            "</tendon>"),
     "neither a sphere nor a cylinder"},
    {HINGES("<tendon><spatial><site site='s'/><pulley divisor='0'/><site site='s'/></spatial>"
            "</tendon>"),
     "divisor"},
    {HINGES("<actuator><position joint='j' kp='-1'/></actuator>"), "must not be negative"},
    {HINGES("<actuator><velocity joint='j' kv='-1'/></actuator>"), "must not be negative"},
    {HINGES("<actuator><general joint='j' dyntype='filter' dynprm='-1'/></actuator>"),
     "time constant"},
    {HINGES("<sensor><framepos objname='a'/></sensor>"), "objtype"},
    /* URDF */
    {ROBOT("<joint name='j' type='revolute'><parent link='a'/><child link='b'/><mimic joint='j'/>"
           "</joint>"),
     "follows itself"},
    {"<robot><link name='a'><collision><geometry><mesh/></geometry></collision></link></robot>",
     "has no filename"},
    {"<robot><link name='a'><collision><geometry><box/></geometry></collision></link></robot>",
     "size"},
    {"<robot><link name='a'><collision><geometry><box size='1 -1 1'/></geometry></collision>"
     "</link></robot>",
     "three positive"},
    {"<robot><link name='a'><collision><geometry/></collision></link></robot>", "<geometry>"},
    {ROBOT("<link name='c'/><link name='d'/><joint name='j' type='fixed'><parent link='a'/>"
           "<child link='b'/></joint><joint name='k' type='fixed'><parent link='c'/>"
           "<child link='d'/></joint><joint name='l' type='fixed'><parent link='d'/>"
           "<child link='c'/></joint>"),
     "cycle"},
};

static void a_wrong_file_gets_a_sentence_with_its_line(void **state)
{
    (void)state;
    int good = 1;
    for (size_t k = 0; k < sizeof WRONG / sizeof WRONG[0]; ++k)
        good &= is_refused(folder_put(&folder, "model.xml", WRONG[k].text), WRONG[k].says);
    CHECK(good);
}

static void paths_that_are_not_files_get_an_error_message(void **state)
{
    (void)state;
    char path[400];
    check_refused("/nowhere/at/all.xml", "cannot be opened");
    check_refused("/tmp", "not a plain file");
    check_refused("/dev/zero", "not a plain file");
    if (access("/sys/kernel/uevent_seqnum", R_OK) == 0) /* it has fewer bytes than it says */
        check_refused("/sys/kernel/uevent_seqnum", "could not be read to its end");
    snprintf(path, sizeof path, "%s/pipe.xml", folder.path);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refused(path, "not a plain file");
    remove(path);
}

static void a_link_out_of_the_folder_is_not_followed(void **state)
{
    (void)state;
    char path[400];
    snprintf(path, sizeof path, "%s/link.xml", folder.path);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    check_refused(folder_put(&folder, "model.xml", "<mujoco><include file='link.xml'/></mujoco>"),
                  "outside the model's folder");
    remove(path);
}

static void includes_in_a_circle_end(void **state)
{
    (void)state;
    folder_put(&folder, "a.xml", "<m><include file='b.xml'/></m>");
    folder_put(&folder, "b.xml", "<m>\n<include file='a.xml'/></m>");
    check_refused(folder_put(&folder, "model.xml", "<mujoco><include file='a.xml'/></mujoco>"),
                  "b.xml, line 2: <include> includes a.xml a second time");
}

static void depth_and_numbers_of_elements_have_bounds(void **state)
{
    (void)state;
    enum { DEEP = 5000, MANY = MO_XML_ELEMENTS + 10 };
    char *text = malloc(8 * (size_t)MANY + 100);
    char *at = text + sprintf(text, "<mujoco>");
    for (int k = 0; k < DEEP; ++k)
        at += sprintf(at, "<body>");
    check_refused(folder_put(&folder, "model.xml", text), "levels deep");
    at = text + sprintf(text, "<mujoco>");
    for (int k = 0; k < MANY; ++k)
        at += sprintf(at, "<geom/>");
    check_refused(folder_put(&folder, "model.xml", text), "more than 100000 elements");
    free(text);
}

/* Includes nest, too: each level of files adds its elements to those around it. */
static void depth_is_bounded_across_files(void **state)
{
    (void)state;
    char name[32], text[2000];
    for (int k = 0; k < 18; ++k) {
        char *at = text + sprintf(text, "<m>");
        for (int b = 0; b < 30; ++b)
            at += sprintf(at, "<body>");
        at += sprintf(at, "<include file='d%d.xml'/>", k + 1);
        for (int b = 0; b < 30; ++b)
            at += sprintf(at, "</body>");
        sprintf(at, "</m>");
        snprintf(name, sizeof name, "d%d.xml", k);
        folder_put(&folder, name, text);
    }
    check_refused(folder_put(&folder, "model.xml", WORLD("<include file='d0.xml'/>")), "deep");
}

static void meshes_that_are_cut_off_get_a_sentence(void **state)
{
    (void)state;
    char stl[84 + 50] = {0};
    const char *model = MESH("<mesh name='m' file='m.stl'/>");
    stl[80] = 12;
    folder_put_bytes(&folder, "m.stl", stl, sizeof stl);
    check_refused(folder_put(&folder, "model.xml", model), "before its last triangle");
    stl[80] = (char)255, stl[81] = (char)255, stl[82] = (char)255, stl[83] = (char)255;
    folder_put_bytes(&folder, "m.stl", stl, sizeof stl);
    check_refused(folder_put(&folder, "model.xml", model), "before its last triangle");
    folder_put(&folder, "m.stl", "solid\nvertex 1 2\nendsolid");
    check_refused(folder_put(&folder, "model.xml", model), "three numbers");
    folder_put(&folder, "m.obj", "v 0 0 0\nf 1 2 3\n");
    check_refused(folder_put(&folder, "model.xml", MESH("<mesh name='m' file='m.obj'/>")),
                  "does not exist");
}

/* ---- memory that runs out -------------------------------------------------------------------- */

typedef struct rationed {
    int left; /* requests that are granted */
    int live; /* blocks not yet freed */
} rationed;

static void *take_rationed(void *user, void *p, size_t size)
{
    rationed *r = user;
    if (size == 0) {
        r->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (r->left-- <= 0) return NULL;
    void *q = realloc(p, size);
    r->live += q && !p;
    return q;
}

static void memory_that_runs_out_at_any_request_is_reported(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/scenes/models/gripper.xml", MOREAU_SOURCE_DIR);
    for (int granted = 0;; ++granted) {
        rationed r = {.left = granted};
        const mo_allocator allocator = {take_rationed, &r};
        mo_model model;
        mo_message why = {{0}};
        const mo_error error = mo_model_read(path, &allocator, &model, &why);
        mo_model_clear(&model);
        assert_int_equal(r.live, 0);
        if (!error) {
            CHECK(granted > 5);
            return;
        }
        assert_int_equal(error, MO_ERR_MEMORY);
    }
}

/* ---- damage at random ------------------------------------------------------------------------ */

/* A few bytes changed, lost or doubled, or a number replaced by one that is out of the ordinary. */
static size_t damage(mo_random *random, char *text, size_t size)
{
    static const char *const ODD[] = {"-1",  "0", "1e308",           "1e-308",
                                      "nan", "",  "1 1 1 1 1 1 1 1", "-0"};
    for (int n = 1 + (int)(mo_random_bits(random) % 3); n > 0 && size > 100; --n) {
        const size_t at = mo_random_bits(random) % (size - 50);
        const size_t length = 1 + mo_random_bits(random) % 40;
        switch (mo_random_bits(random) % 4) {
        case 0:
            text[at] = (char)(32 + mo_random_bits(random) % 95);
            break;
        case 1:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
            break;
        case 2:
            memmove(text + at + length, text + at, size - at);
            size += length;
            break;
        default: {
            char *quote = memchr(text + at, '"', size - at);
            char *end = quote ? memchr(quote + 1, '"', size - (size_t)(quote + 1 - text)) : NULL;
            const char *odd = ODD[mo_random_bits(random) % 8];
            if (end) {
                const size_t rest = size - (size_t)(end - text), put = strlen(odd);
                memmove(quote + 1 + put, end, rest);
                memcpy(quote + 1, odd, put);
                size = (size_t)(quote + 1 - text) + put + rest;
            }
        }
        }
    }
    return size;
}

/* What could be read is put into a world, which steps or says why not. */
static void try_out(const mo_model *model)
{
    mo_world *world;
    mo_robot *robot;
    mo_message why = {{0}};
    mo_world_def def = mo_model_world(model);
    def.solver.max_iter = 50;
    if (mo_world_create(&def, NULL, &world, &why)) {
        CHECK(why.text[0]);
        return;
    }
    if (mo_model_build(model, world, NULL, &robot, &why)) {
        CHECK(why.text[0]);
        mo_world_destroy(world);
        return;
    }
    for (int k = 0; k < 2; ++k) {
        mo_step_report report;
        mo_message refused = {{0}};
        const mo_error error = mo_world_step(world, model->step, &report, &refused);
        CHECK(!error || refused.text[0]);
    }
    for (int k = 0; k < model->key_count; ++k)
        mo_robot_set_key(robot, world, model->keys + k, &why);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
}

static void damaged_files_are_read_or_refused(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"arm", "biped", "gripper", "linkage", "quadruped"};
    mo_random random = {5};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    int read = 0, refused = 0;
    for (int k = 0; k < 400; ++k) {
        char path[600], *bytes = NULL, *room;
        size_t size = 0;
        mo_model model;
        mo_message why = {{0}};
        snprintf(path, sizeof path, "%s/scenes/models/%s.xml", MOREAU_SOURCE_DIR, NAMES[k % 5]);
        assert_int_equal(mo_file_read(path, "", MO_XML_BYTES, &allocator, &bytes, &size, NULL),
                         MO_OK);
        room = malloc(size + 1000);
        memcpy(room, bytes, size);
        size = damage(&random, room, size);
        const mo_error error =
            mo_model_read(folder_put_bytes(&folder, "model.xml", room, size), NULL, &model, &why);
        refused += error != MO_OK;
        read += error == MO_OK;
        CHECK(!error || why.text[0]);
        if (!error) try_out(&model);
        mo_model_clear(&model);
        free(room);
        mo_memory_free(&allocator, bytes);
    }
    CHECK(read > 0 && refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_file_gets_a_sentence_with_its_line),
        cmocka_unit_test(paths_that_are_not_files_get_an_error_message),
        cmocka_unit_test(a_link_out_of_the_folder_is_not_followed),
        cmocka_unit_test(includes_in_a_circle_end),
        cmocka_unit_test(depth_and_numbers_of_elements_have_bounds),
        cmocka_unit_test(depth_is_bounded_across_files),
        cmocka_unit_test(meshes_that_are_cut_off_get_a_sentence),
        cmocka_unit_test(memory_that_runs_out_at_any_request_is_reported),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
