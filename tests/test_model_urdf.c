/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models: what is read from URDF, against MJCF and closed forms; files as the field writes them. */
#define _XOPEN_SOURCE 700
#include "model_text.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void urdf_and_mjcf_of_one_arm_are_the_same(void **state)
{
    (void)state;
    mo_model urdf, mjcf;
    read_file(folder_put(&folder, "arm.urdf",
                         "<robot name='arm'><link name='world'/>"
                         "<link name='upper'><inertial><origin xyz='0 0 .2' rpy='.1 .2 .3'/>"
                         "<mass value='2'/><inertia ixx='.02' iyy='.03' izz='.04' ixy='.001' "
                         "ixz='.002' iyz='.003'/></inertial>"
                         "<collision><origin xyz='0 0 .2'/><geometry><cylinder radius='.05' "
                         "length='.4'/></geometry></collision></link>"
                         "<joint name='shoulder' type='revolute'><parent link='world'/><child "
                         "link='upper'/><origin xyz='0 0 1' rpy='.5 -.4 .3'/><axis xyz='0 2 0'/>"
                         "<limit lower='-1' upper='2' effort='30' velocity='1'/>"
                         "<dynamics damping='.5' friction='.25'/></joint></robot>"),
              &urdf);
    read_text(MJCF("<compiler angle='radian' eulerseq='XYZ'/><worldbody><body name='world_'>"
                   "<body name='upper' pos='0 0 1' euler='.5 -.4 .3'>"
                   "<joint name='shoulder' axis='0 1 0' range='-1 2' damping='.5' "
                   "frictionloss='.25'/><inertial pos='0 0 .2' euler='.1 .2 .3' mass='2' "
                   "fullinertia='.02 .03 .04 .001 .002 .003'/><geom type='cylinder' size='.05 .2' "
                   "pos='0 0 .2'/></body></body></worldbody>"),
              &mjcf);
    assert_int_equal(urdf.body_count, 3);
    assert_int_equal(urdf.joint_count, 1);
    assert_int_equal(urdf.actuator_count, 1);
    const mo_model_body *a = urdf.bodies + 2, *b = mjcf.bodies + 2;
    for (int k = 0; k < 4; ++k)
        CHECK_NEAR(a->pose.orientation[k], b->pose.orientation[k], 1e-15);
    for (int k = 0; k < 6; ++k)
        CHECK_NEAR(a->inertia[k], b->inertia[k], 1e-15);
    CHECK_NEAR(urdf.joints[0].range[1], 2, 0);
    CHECK_NEAR(urdf.joints[0].dry_friction, mjcf.joints[0].dry_friction, 0);
    CHECK_NEAR(urdf.joints[0].axis[1], 1, 0);
    CHECK_NEAR(urdf.actuators[0].force_range[1], 30, 0);
    mo_model_clear(&urdf);
    mo_model_clear(&mjcf);
}

/* Files of the field name meshes in formats and places that are not here: the rest of the robot is
 * read. */
static void urdf_colours_are_those_of_the_material(void **state)
{
    (void)state;
    mo_model model;
    read_file(
        folder_put(&folder, "colours.urdf",
                   "<robot name='r'><material name='blue'><color rgba='0 0 1 .5'/></material>"
                   "<link name='a'><visual><geometry><sphere radius='1'/></geometry>"
                   "<material name='blue'/></visual><visual><geometry><sphere radius='1'/>"
                   "</geometry><material name='own'><color rgba='1 .5 0 1'/></material></visual>"
                   "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
                   "</robot>"),
        &model);
    const double expected[3][4] = {{0, 0, 1, 0.5}, {1, 0.5, 0, 1}, {0}};
    assert_int_equal(model.geom_count, 3);
    for (int k = 0; k < 3; ++k)
        assert_memory_equal(model.geoms[k].shape.colour, expected[k], sizeof expected[k]);
    mo_model_clear(&model);
}

static void common_errors_are_corrected_with_a_note(void **state)
{
    (void)state;
    mo_model model;
    read_file(
        folder_put(
            &folder, "custom.urdf",
            "<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='0.1, 0, 0.2' "
            "rpy='0 0 0 0'/><mass value='1'/><inertia ixx='1' iyy='1' izz='-1e-8'/></inertial>"
            "<collision><geometry><sphere radius='0'/></geometry></collision></link>"
            "<link name='c'><collision><geometry><mesh filename='no.dae'/></geometry></collision>"
            "</link><link name='d'/><joint name='j' type='revolute'><parent link='a'/><child "
            "link='b'/><limit lower='1' upper='-1'/></joint><joint name='k' type='continuous'>"
            "<parent link='b'/><child link='c'/><mimic joint='f' offset='.3'/></joint>"
            "<joint name='f' type='fixed'><parent link='b'/><child link='d'/></joint></robot>"),
        &model);
    assert_int_equal(model.joint_count, 2);
    CHECK(!model.joints[0].has_limits);
    CHECK_NEAR(model.bodies[2].centre[0], 0.1, 0);
    CHECK_NEAR(model.bodies[2].centre[2], 0.2, 0);
    CHECK_NEAR(model.bodies[2].inertia[2], 1e-6, 1e-15);
    CHECK_NEAR(model.bodies[3].mass, 1e-3, 0);
    assert_int_equal(model.equality_count, 1);
    CHECK(model.equalities[0].b == -1 && model.equalities[0].polynomial[0] == 0.3);
    assert_int_equal(model.note_count, 7);
    mo_model_clear(&model);
    read_file(folder_put(&folder, "rounded.urdf",
                         "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia "
                         "ixx='-5e-20' iyy='0' izz='0'/></inertial></link></robot>"),
              &model);
    for (int k = 0; k < 6; ++k)
        CHECK_NEAR(model.bodies[1].inertia[k], 0, 0);
    mo_model_clear(&model);
}

/* Bullet's files: ball joints, and meshes whose names begin at the folder of the file. */
static void habits_of_bullet_are_understood(void **state)
{
    (void)state;
    mo_model model;
    folder_put(&folder, "part.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    read_file(folder_put(&folder, "bullet.urdf",
                         "<robot name='r'><link name='a'/><link name='b'><collision><geometry>"
                         "<mesh filename='/part.obj'/></geometry></collision><collision><geometry>"
                         "<mesh filename='/nowhere/at/all.obj'/></geometry></collision></link>"
                         "<joint name='j' type='spherical'><parent link='a'/><child link='b'/>"
                         "</joint></robot>"),
              &model);
    assert_int_equal(model.joints[0].kind, MO_MODEL_BALL);
    assert_int_equal(model.geom_count, 1);
    CHECK_NEAR(model.bodies[2].mass, 1000. / 6, 1e-9);
    mo_model_clear(&model);
}

static void urdf_meshes_that_cannot_be_read_are_noted(void **state)
{
    (void)state;
    mo_model model;
    read_file(
        folder_put(
            &folder, "dae.urdf",
            "<robot name='r'><link name='a'><visual><geometry><mesh "
            "filename='package://p/look.ply'/></geometry></visual>\n"
            "<collision><geometry><mesh filename='package://p/hand.ply'/></geometry></collision>\n"
            "<collision><geometry><mesh filename='gone.stl'/></geometry></collision></link>\n"
            "<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
            "izz='1'/></inertial>"
            "</link><joint name='j' type='continuous'><parent link='a'/><child "
            "link='b'/><joint_properties damping='0'/></joint></robot>"),
        &model);
    assert_int_equal(model.geom_count, 0);
    assert_int_equal(model.joint_count, 1);
    assert_int_equal(model.note_count, 3);
    assert_string_equal(model.notes[0].text,
                        "line 4: <joint_properties> of a joint is not supported: ignored");
    assert_string_equal(model.notes[1].text,
                        "line 2: <mesh> is not a .stl, .obj, .dae or .msh file: the shape is left "
                        "out; convert it: 'package://p/hand.ply'");
    assert_string_equal(model.notes[2].text,
                        "line 3: <mesh> was not found: the shape is left out; searched the file's "
                        "folder and in --meshes: 'gone.stl'");
    mo_model_clear(&model);
}

#define LINK(name, inside) "<link name='" name "'>" inside "</link>"
#define MASS "<inertial><mass value='2'/><inertia ixx='.1' iyy='.1' izz='.1'/></inertial>"
#define BOX(kind) "<" kind "><geometry><box size='1 2 3'/></geometry></" kind ">"
#define JOINT(name, type, above, below)                                                            \
    "<joint name='" name "' type='" type "'><parent link='" above "'/><child link='" below         \
    "'/></joint>"

/* Frames that only name a place hang on joints in many files, and files without <inertial> are
 * drawings with joints. */
static void urdf_joints_that_move_no_mass_are_fixed_and_shapes_weigh(void **state)
{
    (void)state;
    mo_model model;
    read_file(folder_put(&folder, "frames.urdf",
                         "<robot name='r'>" LINK("a", MASS) LINK("b", MASS) LINK("tip", "")
                             JOINT("turn", "continuous", "a", "b")
                                 JOINT("nothing", "continuous", "b", "tip") "</robot>"),
              &model);
    assert_int_equal(model.joint_count, 1);
    assert_int_equal(model.actuator_count, 1);
    assert_int_equal(model.note_count, 1);
    CHECK(strstr(model.notes[0].text, "moves no mass: treated as fixed: 'nothing'"));
    mo_model_clear(&model);
    read_file(folder_put(&folder, "shapes.urdf",
                         "<robot name='r'>" LINK("a", BOX("collision")) LINK("b", BOX("collision"))
                             JOINT("turn", "continuous", "a", "b") "</robot>"),
              &model);
    assert_int_equal(model.joint_count, 1);
    CHECK_NEAR(model.bodies[2].mass, 6000, 1e-9);
    CHECK_NEAR(model.bodies[2].inertia[0], 6000 * (4 + 9) / 12.0, 1e-8);
    CHECK(strstr(model.notes[0].text, "1000 kg/m^3"));
    mo_model_clear(&model);
}

/* What the parsers of ROS let pass: a comment before the declaration, and one that ends with >
 * alone. */
static void a_declaration_need_not_come_first(void **state)
{
    (void)state;
    static const char *const STARTS[] = {
        "\n<!-- made by hand --><?xml version='1.0'?>\n", "<?xml version=\"1.0\">",
        "<?xml version='1.0' encoding='UTF-8'?>", "\xef\xbb\xbf<?xml version='1.0'?>"};
    for (size_t k = 0; k < sizeof STARTS / sizeof STARTS[0]; ++k) {
        char text[400];
        mo_model model;
        snprintf(text, sizeof text, "%s<robot name='r'>%s\n<odd/></robot>", STARTS[k],
                 LINK("a", MASS));
        read_file(folder_put(&folder, "start.urdf", text), &model);
        assert_int_equal(model.body_count, 2);
        CHECK(strstr(model.notes[0].text, k == 0 ? "line 4" : "line 2")); /* lines are kept */
        mo_model_clear(&model);
    }
}

static mo_error read_mesh(const char *name, mo_message *why)
{
    char text[900];
    mo_model model;
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'><collision><geometry><mesh filename='%s'/></geometry>"
             "</collision></link></robot>",
             name);
    const mo_error error =
        mo_model_read(folder_put(&folder, "inner/a/bad.urdf", text), NULL, &model, why);
    mo_model_clear(&model);
    return error;
}

/* Up to four levels, into a folder that is not hidden. */
static void above_the_folder_of_a_model_only_folders_are_opened(void **state)
{
    (void)state;
    static const char *const inner[] = {"inner", "inner/a", "inner/b", "inner/.c"};
    static const char *const at[] = {"inner/b/m.stl", "inner/.c/m.stl", "inner/m.stl"};
    const double half[3] = {1, 1, 1}, shift[3] = {0};
    char stl[84 + 600], path[500];
    mo_message why = {{0}};
    for (int k = 0; k < 4; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder.path, inner[k]);
        CHECK(mkdir(path, 0700) == 0);
    }
    for (int k = 0; k < 3; ++k)
        folder_put_bytes(&folder, at[k], stl, write_stl(stl, half, shift));
    CHECK(read_mesh("../b/m.stl", &why) == MO_OK);
    CHECK(read_mesh("../../inner/b/m.stl", &why) == MO_OK);
    snprintf(path, sizeof path, "../../../../../../../../../../../..%s/inner/b/m.stl", folder.path);
    const char *const outside[] = {"../.c/m.stl", "../m.stl", "../b/../m.stl", path};
    for (size_t k = 0; k < sizeof outside / sizeof *outside; ++k) {
        CHECK(read_mesh(outside[k], &why) == MO_ERR_FORMAT);
        CHECK(strstr(why.text, "outside the model's folder"));
    }
    while (folder.count > 0 && strstr(folder.file[folder.count - 1], "/inner/"))
        remove(folder.file[--folder.count]);
    for (int k = 3; k >= 0; --k) {
        snprintf(path, sizeof path, "%s/%s", folder.path, inner[k]);
        CHECK(rmdir(path) == 0);
    }
}

/* The layout of a ROS package: meshes beside the folder of the file. */
static void meshes_of_the_package_are_found(void **state)
{
    (void)state;
    const double half[3] = {1, 1, 1}, shift[3] = {0};
    char stl[84 + 600], inner[400], path[400];
    mo_model model;
    mo_message why = {{0}};
    const char *text = "<robot name='r'>" LINK(
        "a", "<collision><geometry><mesh filename='../meshes/box.stl'/></geometry></collision>"
             "<collision><geometry><mesh filename='package://any/meshes/box.stl'/></geometry>"
             "</collision>") "</robot>";
    snprintf(inner, sizeof inner, "%s/urdf", folder.path);
    CHECK(mkdir(inner, 0700) == 0);
    snprintf(inner, sizeof inner, "%s/meshes", folder.path);
    CHECK(mkdir(inner, 0700) == 0);
    folder_put_bytes(&folder, "meshes/box.stl", stl, write_stl(stl, half, shift));
    snprintf(path, sizeof path, "%s", folder_put(&folder, "urdf/r.urdf", text));
    assert_int_equal(mo_model_read(path, NULL, &model, &why), MO_OK);
    assert_int_equal(model.geom_count, 1);
    assert_int_equal(model.note_count, 1); /* there is no package */
    mo_model_clear(&model);
    assert_int_equal(mo_model_read_with(path, folder.path, NULL, &model, &why), MO_OK);
    assert_int_equal(model.geom_count, 2);
    mo_model_clear(&model);
    /* in a folder of the package's name, without a package.xml */
    const char *name = strrchr(folder.path, '/') + 1;
    char by_name[900];
    snprintf(by_name, sizeof by_name,
             "<robot name='r'><link name='a'><collision><geometry><mesh filename="
             "'package://%s/meshes/box.stl'/></geometry></collision></link></robot>",
             name);
    char named[200];
    snprintf(named, sizeof named, "%s", folder_put(&folder, "urdf/n.urdf", by_name));
    assert_int_equal(mo_model_read(named, NULL, &model, &why), MO_OK);
    assert_int_equal(model.geom_count, 1);
    mo_model_clear(&model);
    const char *package = folder_put(&folder, "package.xml", "<package/>");
    assert_int_equal(mo_model_read(path, NULL, &model, &why), MO_OK);
    assert_int_equal(model.geom_count, 2);
    assert_int_equal(model.note_count, 0);
    mo_model_clear(&model);
    remove(package);
    snprintf(inner, sizeof inner, "%s/meshes", folder.path);
    for (int k = 1; k < 5; ++k)
        remove(folder.file[folder.count - k]);
    rmdir(inner);
    snprintf(inner, sizeof inner, "%s/urdf", folder.path);
    rmdir(inner);
}

static void a_mass_without_inertia_is_a_ball(void **state)
{
    (void)state;
    mo_model model;
    read_file(folder_put(&folder, "points.urdf",
                         "<robot name='r'><link name='base'/><link name='arm'><inertial>"
                         "<mass value='.2'/><inertia ixx='0' iyy='0' izz='0'/></inertial></link>"
                         "<joint name='j' type='continuous'><parent link='base'/>"
                         "<child link='arm'/></joint></robot>"),
              &model);
    const double volume = 0.2 / 1000, pi = 3.14159265358979323846;
    const double square = pow(3 * volume / (4 * pi), 2.0 / 3);
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(model.bodies[2].inertia[k], 0.4 * 0.2 * square, 1e-18);
    assert_int_equal(model.note_count, 1);
    CHECK(strstr(model.notes[0].text, "has a mass and no inertia"));
    mo_model_clear(&model);
}

/* Published files have boxes of size zero, and joints to a link of another file. */
static void shapes_of_size_zero_and_parents_of_other_files_are_noted(void **state)
{
    (void)state;
    mo_model model;
    read_file(folder_put(&folder, "part.urdf",
                         "<robot name='r'><joint name='mount' type='fixed'><parent link='wrist'/>"
                         "<child link='hand'/><origin xyz='0 0 1'/></joint>"
                         "<joint name='other' type='fixed'><parent link='wrist'/>"
                         "<child link='cover'/></joint><link name='cover'/>"
                         "<link name='hand'><collision><geometry><box size='0 0 0'/></geometry>"
                         "</collision><collision><geometry><cylinder radius='1' length='0'/>"
                         "</geometry></collision><collision><geometry><box size='1 1 1'/>"
                         "</geometry></collision></link></robot>"),
              &model);
    assert_int_equal(model.body_count, 4); /* the world, the assumed link and its two */
    assert_string_equal(model.bodies[1].name, "wrist");
    CHECK_NEAR(model.bodies[mo_model_find_body(&model, "hand")].pose.position[2], 1, 0);
    assert_int_equal(model.geom_count, 1);
    assert_int_equal(model.note_count, 3);
    CHECK(strstr(model.notes[0].text, "'wrist'"));
    CHECK(strstr(model.notes[0].text, "is not a link of this file: an empty link is assumed"));
    CHECK(strstr(model.notes[1].text, "has a size of zero: the shape is left out"));
    mo_model_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_size_zero_and_parents_of_other_files_are_noted),
        cmocka_unit_test(a_mass_without_inertia_is_a_ball),
        cmocka_unit_test(urdf_and_mjcf_of_one_arm_are_the_same),
        cmocka_unit_test(common_errors_are_corrected_with_a_note),
        cmocka_unit_test(urdf_colours_are_those_of_the_material),
        cmocka_unit_test(habits_of_bullet_are_understood),
        cmocka_unit_test(urdf_meshes_that_cannot_be_read_are_noted),
        cmocka_unit_test(urdf_joints_that_move_no_mass_are_fixed_and_shapes_weigh),
        cmocka_unit_test(a_declaration_need_not_come_first),
        cmocka_unit_test(above_the_folder_of_a_model_only_folders_are_opened),
        cmocka_unit_test(meshes_of_the_package_are_found),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
