/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The rarer paths of the readers of models: what is refused, and what is read with a note or a
 * warning.  Each file is read once more for every request for memory that it makes, which fails.
 */
#define _XOPEN_SOURCE 700
#include "model_text.h"

#include "moreau/robot.h"
#include "scarce_memory.h"

#define BODY(inside) "<body name='b'><joint name='j'/><geom name='g' size='.1'/>" inside "</body>"
#define AND(after) MJCF("<worldbody>" BODY("<site name='s'/>") "</worldbody>" after)
#define ACTS(inside) AND("<actuator>" inside "</actuator>")
#define BALL "<worldbody><body><joint name='q' type='ball'/><geom size='.1'/></body></worldbody>"
#define TETRA "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'"
#define ROBOT(inside) "<robot name='r'><link name='a'/>" inside "</robot>"
#define LINK "<link name='b'><inertial><mass value='1'/></inertial></link>"
#define TURNS(inside)                                                                              \
    LINK "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>" inside "</joint>"
#define SDF(inside) "<sdf version='1.7'><model name='m'>" inside "</model></sdf>"
#define WEIGHT "<inertial><mass>1</mass></inertial>"
#define PART(inside) "<link name='l'>" WEIGHT inside "</link>"
#define SHAPE(inside) PART("<collision name='c'>" inside "</collision>")
#define SPHERE "<geometry><sphere><radius>1</radius></sphere></geometry>"

/* A file in others, with assets of its own. */
#define PART_FILE                                                                                  \
    MJCF("<asset>" TETRA "/><hfield name='h' nrow='2' ncol='2' size='1 1 1 .1'/></asset><default>" \
         "<geom density='500'/></default><worldbody><body name='b'><joint name='j'/>"              \
         "<geom type='mesh' mesh='m'/></body></worldbody>")

typedef struct sample {
    const char *name, *text, *says;
} sample;

static const sample REFUSED[] = {
    {"a.xml", ACTS("<general joint='j' dynprm='x'/>"), "dynprm"},
    {"a.xml", ACTS("<muscle joint='j' range='1'/>"), "range"},
    {"a.xml", ACTS("<muscle joint='j' lmin='x'/>"), "lmin"},
    {"a.xml", ACTS("<cylinder joint='j' area='-1'/>"), "area"},
    {"a.xml", MJCF("<asset><mesh name='m'/></asset>"), "neither a file nor points"},
    {"a.xml", MJCF("<asset><hfield name='h' nrow='x'/></asset>"), "nrow"},
    {"a.xml", MJCF("<asset><hfield name='h' file='none.bin' size='1 1 1 0'/></asset>"), "none.bin"},
    {"a.xml", WORLD("<body mocap='true'><joint/><geom size='.1'/></body>"), "is a mocap body"},
    {"a.xml", WORLD("<geom size='.1' group='x'/>"), "group"},
    {"a.xml", WORLD("<site type='box' fromto='0 0 0 0 0 0'/>"), "fromto"},
    {"a.xml", AND("<contact><pair geom1='g' geom2='g' friction='x'/></contact>"), ""},
    {"a.xml", AND("<equality><joint joint1='j' polycoef='x'/></equality>"), "polycoef"},
    {"a.xml", AND("<keyframe><key mpos='x'/></keyframe>"), "mpos"},
    {"a.xml", AND("<tendon><fixed springlength='x'><joint joint='j' coef='1'/></fixed></tendon>"),
     "springlength"},
    {"a.urdf", ROBOT(TURNS("<dynamics damping='x'/>")), "damping"},
    {"a.urdf", ROBOT(TURNS("<origin quat_xyzw='0 0 0 0'/>")), "quat_xyzw"},
    {"a.urdf", ROBOT(TURNS("<mimic joint='none'/>")), "none"},
    {"a.sdf", SDF(SHAPE("<pose relative_to='none'>0 0 0 0 0 0</pose>" SPHERE)), "none"},
    {"a.sdf", SDF(SHAPE("")), "geometry"},
    {"a.sdf",
     SDF(PART("") "<joint name='j' type='revolute'><parent>world</parent><child>l</child>"
                  "<axis><xyz expressed_in='none'>0 0 1</xyz></axis></joint>"),
     "none"},
};

static const sample NOTED[] = {
    {"a.xml", MJCF(BALL "<actuator><motor jointinparent='q'/></actuator>"), "ball or free joint"},
    {"a.xml", ACTS("<general site='s' refsite='s'/>"), "refsite"},
    {"a.xml", ACTS("<adhesion body='b'/>"), "not read"},
    {"a.xml",
     ACTS("<general joint='j' biastype='muscle' gaintype='muscle' lengthrange='0.1 1'"
          " gainprm='0.75 1.05 -1 200 0.5 1.6 1.5 1.3 1.2' biasprm='0.7'/>"),
     "biasprm differs"},
    {"a.xml",
     MJCF("<option><flag actuation='disable'/></option><worldbody>" BODY(
         "") "</worldbody>"
             "<actuator><motor joint='j'/></actuator>"),
     ""},
    {"a.xml",
     MJCF("<asset>" TETRA " inertia='convex'/></asset><worldbody><geom type='mesh' mesh='m'/>"
          "</worldbody>"),
     "convex"},
    {"a.xml", MJCF("<asset>" TETRA "/></asset><worldbody><geom type='box' mesh='m'/></worldbody>"),
     ""},
    {"a.xml", WORLD(BODY("<geom type='plane' size='1 1 1'/>")), "moving body"},
    {"a.xml",
     AND("<worldbody><geom name='h' size='.1'/></worldbody><contact>"
         "<pair geom1='g' geom2='h' friction='1 2'/></contact>"),
     "differs between directions"},
    {"a.xml", AND("<equality><distance geom1='g' geom2='g'/></equality>"),
     "not a supported equality"},
    {"a.urdf", ROBOT("<xacro:macro xmlns:xacro='x'/>"), "xacro"},
    {"a.urdf",
     ROBOT("<link name='b'><inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1'/>"
           "</inertial></link><joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
           "</joint>"),
     "zero mass"},
    {"a.sdf",
     "<sdf version='1.7'><world name='w'><actor name='a'/><model name='m'>" PART(
         "") "</model></world></sdf>",
     "ignored"},
    {"a.sdf", SDF(SHAPE("<pose relative_to='l'>0 0 1 0 0 0</pose>" SPHERE)), ""},
    /* what other tests read with plenty of memory */
    {"a.xml",
     MJCF("<default><default class='c'><geom size='.2'/></default></default>"
          "<worldbody><geom class='c'/></worldbody>"),
     ""},
    {"a.xml",
     MJCF("<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 .1' elevation='0 1 1 0'/></asset>"
          "<worldbody><geom type='hfield' hfield='h'/></worldbody>"),
     ""},
    {"a.xml",
     AND("<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed><spatial><site site='s'/>"
         "<geom geom='g'/><site site='s'/></spatial></tendon><sensor><framepos objtype='geom'"
         " objname='g'/><tendonpos tendon='t'/></sensor>"),
     ""},
    {"a.xml",
     MJCF("<asset><model name='o' file='part.xml'/></asset><worldbody>"
          "<attach model='o' body='b' prefix='x'/></worldbody>"),
     ""},
    {"a.xml", MJCF("<include file='part.xml'/>"), ""},
    {"a.xml",
     WORLD("<replicate count='2' offset='1 0 0'><body><freejoint/><geom size='.1'/></body>"
           "</replicate><frame euler='0 0 90'><geom size='.1'/></frame>"),
     ""},
    {"a.urdf",
     ROBOT("<link name='b'><inertial><mass value='1'/></inertial><collision><geometry><torus/>"
           "</geometry></collision></link><joint name='j' type='fixed'><parent link='a'/>"
           "<child link='b'/></joint>"),
     "not supported"},
    {"a.urdf",
     ROBOT("<material name='red'><color rgba='1 0 0 1'/></material>" TURNS(
         "<calibration rising='0'/><safety_controller k_velocity='1'/>")),
     ""},
    {"a.sdf",
     SDF(PART("<visual name='v'><geometry><mesh><uri>file://none.obj</uri></mesh></geometry>"
              "</visual>")),
     ""},
};

/* And its world is built. */
static mo_error read_model(const char *path, const mo_allocator *allocator, mo_model *model,
                           mo_message *why)
{
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    mo_error error = mo_model_read(path, allocator, model, why);
    if (!error) {
        const mo_world_def def = mo_model_world(model);
        error = mo_world_create(&def, allocator, &world, why);
    }
    error = error ? error : mo_model_build(model, world, allocator, &robot, why);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    return error;
}

static void starve(const char *path, mo_error expected)
{
    scarce memory = {.left = -1};
    for (long k = 0; memory.left < 0; ++k) {
        mo_model model = {0};
        mo_message why = {{0}};
        memory = (scarce){.left = k};
        const mo_allocator allocator = {scarce_reallocate, &memory};
        const mo_error error = read_model(path, &allocator, &model, &why);
        mo_model_clear(&model);
        if (memory.live || error != (memory.left < 0 ? MO_ERR_MEMORY : expected)) {
            fail_msg("%s: request %ld: error %d, '%s', %ld blocks are left", path, k, (int)error,
                     why.text, memory.live);
        }
    }
}

static void the_rest_is_refused_with_a_sentence(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < sizeof REFUSED / sizeof *REFUSED; ++k) {
        const char *path = folder_put(&folder, REFUSED[k].name, REFUSED[k].text);
        mo_model model = {0};
        mo_message why = {{0}};
        const mo_error error = mo_model_read(path, NULL, &model, &why);
        if (!error || !why.text[0] || !strstr(why.text, REFUSED[k].says)) {
            print_error("%s\n  '%s' lacks '%s'\n", REFUSED[k].text, why.text, REFUSED[k].says);
            wrong += 1;
        }
        mo_model_clear(&model);
        starve(path, error);
    }
    CHECK(!wrong);
}

static int has_note(const mo_model *model, const char *says)
{
    for (int k = 0; k < model->note_count; ++k)
        if (strstr(model->notes[k].text, says)) return 1;
    return !says[0];
}

static void omitted_elements_are_noted(void **state)
{
    (void)state;
    int wrong = 0;
    folder_put(&folder, "part.xml", PART_FILE);
    for (size_t k = 0; k < sizeof NOTED / sizeof *NOTED; ++k) {
        const char *path = folder_put(&folder, NOTED[k].name, NOTED[k].text);
        mo_model model = {0};
        mo_message why = {{0}};
        const mo_error error = read_model(path, NULL, &model, &why);
        if (error || !has_note(&model, NOTED[k].says)) {
            print_error("%s\n  '%s', no note '%s'\n", NOTED[k].text, why.text, NOTED[k].says);
            wrong += 1;
        }
        mo_model_clear(&model);
        starve(path, error);
    }
    CHECK(!wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_is_refused_with_a_sentence),
        cmocka_unit_test(omitted_elements_are_noted),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
