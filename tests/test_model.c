/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models: what is read from MJCF, against closed forms. */
#define _XOPEN_SOURCE 700
#include "model_text.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- small files ----------------------------------------------------------------------------- */

static void a_body_of_two_geoms_has_their_common_inertia(void **state)
{
    (void)state;
    mo_model model;
    read_text(WORLD("<body><joint/><geom type='box' size='.5 .5 .5' mass='2' pos='1 0 0'/>"
                    "<geom type='sphere' size='.1' mass='2' pos='-1 0 0'/></body>"),
              &model);
    const mo_model_body *body = model.bodies + 1;
    assert_int_equal(model.body_count, 2);
    CHECK_NEAR(body->mass, 4, 1e-14);
    CHECK_NEAR(body->centre[0], 0, 1e-15);
    CHECK_NEAR(body->inertia[0], 2. / 6 + 0.4 * 2 * 0.01, 1e-14);
    CHECK_NEAR(body->inertia[1], 2. / 6 + 0.4 * 2 * 0.01 + 4, 1e-14);
    mo_model_clear(&model);
}

static void defaults_go_down_the_classes(void **state)
{
    (void)state;
    mo_model model;
    read_text(MJCF("<default><geom size='0.1' friction='0.3'/><default class='big'><geom size='2'/>"
                   "<default class='rough'><geom friction='0.9'/></default></default></default>"
                   "<worldbody><geom/><geom class='big'/><body childclass='rough'><geom/>"
                   "<body><geom class='main'/><geom size='5'/></body></body></worldbody>"),
              &model);
    const double radius[] = {0.1, 2, 2, 0.1, 5}, friction[] = {0.3, 0.3, 0.9, 0.3, 0.9};
    assert_int_equal(model.geom_count, 5);
    for (int k = 0; k < 5; ++k) {
        CHECK_NEAR(model.geoms[k].shape.radius, radius[k], 0);
        CHECK_NEAR(model.geoms[k].shape.material.friction, friction[k], 0);
    }
    mo_model_clear(&model);
}

static void unsupported_elements_are_listed_once_with_their_line(void **state)
{
    (void)state;
    mo_model model;
    read_text("<mujoco>\n<worldbody>\n<geom size='1' wobble='2'/>\n<geom size='1' wobble='3'/>\n"
              "<camera name='eye' fovy='20'/>\n</worldbody>\n<deformable><flex/></deformable>\n"
              "<sensor><clock/></sensor>\n</mujoco>",
              &model);
    assert_int_equal(model.note_count, 2);
    assert_string_equal(model.notes[0].text,
                        "line 3: <geom wobble> is not supported: ignored (and 1 more like it)");
    assert_string_equal(model.notes[1].text,
                        "line 7: <deformable> is not supported: ignored, with its content");
    mo_model_clear(&model);
}

static void includes_are_put_where_they_stand(void **state)
{
    (void)state;
    mo_model model;
    folder_put(&folder, "leg.xml",
               "<any><body name='leg'><include file='foot.xml'/><geom size='1'/></body></any>");
    folder_put(&folder, "foot.xml",
               "<any>\n<body name='foot'><geom size='1' odd='1'/></body></any>");
    read_text(WORLD("<body name='first'/><include file='leg.xml'/><body name='last'/>"), &model);
    assert_int_equal(model.body_count, 5);
    assert_string_equal(model.bodies[2].name, "leg");
    assert_string_equal(model.bodies[3].name, "foot");
    assert_int_equal(model.bodies[3].parent, 2);
    assert_string_equal(model.bodies[4].name, "last");
    assert_string_equal(model.notes[0].text,
                        "foot.xml, line 2: <geom odd> is not supported: ignored");
    mo_model_clear(&model);
}

static void a_file_is_found_beside_the_one_that_includes_it(void **state)
{
    (void)state;
    const double half[3] = {1, 1, 1}, shift[3] = {0};
    char stl[84 + 600], inner[400];
    mo_model model;
    snprintf(inner, sizeof inner, "%s/parts", folder.path);
    CHECK(mkdir(inner, 0700) == 0);
    folder_put_bytes(&folder, "parts/foot.stl", stl, write_stl(stl, half, shift));
    folder_put(&folder, "parts/leg.xml",
               "<any><asset><mesh file='foot.stl'/></asset><worldbody><include file='toe.xml'/>"
               "<geom type='mesh' mesh='foot'/></worldbody></any>");
    folder_put(&folder, "parts/toe.xml", "<any><body name='toe'/></any>");
    read_text(MJCF("<include file='parts/leg.xml'/>"), &model);
    assert_int_equal(model.geom_count, 1);
    assert_string_equal(model.bodies[1].name, "toe");
    mo_model_clear(&model);
    for (int k = 0; k < 4; ++k) /* the folder goes before those of the test group do */
        remove(folder.file[folder.count - 1 - k]);
    rmdir(inner);
}

static void a_chain_of_two_hundred_bodies_is_read(void **state)
{
    (void)state;
    static char text[40000];
    char *at = text + sprintf(text, "<mujoco><worldbody>");
    for (int k = 0; k < 200; ++k)
        at += sprintf(at, "<body pos='0 0 1'><joint/><geom size='.1'/>");
    for (int k = 0; k < 200; ++k)
        at += sprintf(at, "</body>");
    sprintf(at, "</worldbody></mujoco>");
    mo_model model;
    read_text(text, &model);
    assert_int_equal(model.body_count, 201);
    mo_model_clear(&model);
}

static void keyframes_have_unit_quaternions(void **state)
{
    (void)state;
    mo_model model;
    read_text(MJCF("<worldbody><body><freejoint/><geom size='1'/></body></worldbody><keyframe>"
                   "<key qpos='1 2 3 0 0 0 0'/><key qpos='1 2 3 0 0 2 0'/></keyframe>"),
              &model);
    CHECK_NEAR(model.keys[0].q[3], 1, 0);
    CHECK_NEAR(model.keys[1].q[5], 1, 0);
    assert_int_equal(model.note_count, 1);
    CHECK(strstr(model.notes[0].text, "quaternion of length zero"));
    mo_model_clear(&model);
}

static void soft_contact_settings_of_mujoco_are_one_note(void **state)
{
    (void)state;
    mo_model model;
    read_text(WORLD("<geom size='1' solref='1 1' solimp='.9 .9 .1' margin='1'/><body>"
                    "<joint solreflimit='1 1'/><geom size='1' gap='1'/></body>"),
              &model);
    assert_int_equal(model.note_count, 1);
    assert_int_equal(model.notes[0].count, 5);
    mo_model_clear(&model);
}

/* ---- visual shapes --------------------------------------------------------------------------- */

static void check_colour(const mo_model *model, int geom, double r, double g, double b, double a)
{
    const double expected[4] = {r, g, b, a};
    for (int k = 0; k < 4; ++k)
        CHECK_NEAR(model->geoms[geom].shape.colour[k], expected[k], 0);
}

static void colours_come_from_the_geom_its_class_or_its_material(void **state)
{
    (void)state;
    mo_model model;
    read_text(MJCF("<default><default class='d'><geom rgba='0 1 0 1'/></default><default class='m'>"
                   "<material rgba='.1 .2 .3 .4'/></default></default>"
                   "<asset><material name='red' rgba='1 0 0 .5'/><material name='of' class='m'/>"
                   "<material name='white'/></asset><worldbody><geom size='1'/>"
                   "<geom size='1' material='red'/><geom size='1' class='d'/>"
                   "<geom size='1' material='of'/><geom size='1' material='red' rgba='0 0 1 1'/>"
                   "<geom size='1' material='white' rgba=''/></worldbody>"),
              &model);
    assert_int_equal(model.note_count, 0);
    check_colour(&model, 0, 0.5, 0.5, 0.5, 1);
    check_colour(&model, 1, 1, 0, 0, 0.5);
    check_colour(&model, 2, 0, 1, 0, 1);
    check_colour(&model, 3, 0.1, 0.2, 0.3, 0.4);
    check_colour(&model, 4, 0, 0, 1, 1);
    check_colour(&model, 5, 1, 1, 1, 1);
    mo_model_clear(&model);
}

static void check_finish(const mo_model *model, int geom, double metallic, double roughness)
{
    CHECK_NEAR(model->geoms[geom].shape.metallic, metallic, 1e-15);
    CHECK_NEAR(model->geoms[geom].shape.roughness, roughness, 1e-15);
}

static void materials_are_metal_or_rubber_if_the_file_defines_it(void **state)
{
    (void)state;
    mo_model model;
    read_text(MJCF("<default><default class='d'><geom material='metal'/></default></default>"
                   "<asset><material name='plain' rgba='1 0 0 1'/>"
                   "<material name='metal' metallic='1' roughness='0.25'/>"
                   "<material name='rubber' specular='0'/>"
                   "<material name='chrome' specular='1' shininess='1' reflectance='0.8'/>"
                   "<material name='paint' shininess='0.25'/></asset>"
                   "<worldbody><geom size='1' material='plain'/><geom size='1' class='d'/>"
                   "<geom size='1' material='rubber'/><geom size='1' material='chrome'/>"
                   "<geom size='1' material='paint'/><geom size='1'/></worldbody>"),
              &model);
    assert_int_equal(model.note_count, 0);
    check_finish(&model, 0, 0, 0);
    check_finish(&model, 1, 1, 0.25);
    check_finish(&model, 2, 0, 1);
    check_finish(&model, 3, 0.8, 0.05);
    check_finish(&model, 4, 0, 0.75);
    check_finish(&model, 5, 0, 0);
    mo_model_clear(&model);
}

static void a_mesh_that_only_shows_keeps_its_triangles(void **state)
{
    (void)state;
    const double half[3] = {1, 1, 1}, shift[3] = {0};
    char stl[84 + 600];
    mo_model model;
    folder_put_bytes(&folder, "shown.stl", stl, write_stl(stl, half, shift));
    read_text(MJCF("<asset><mesh file='shown.stl'/></asset><worldbody><body><joint/>"
                   "<geom type='mesh' mesh='shown' contype='0' conaffinity='0'/>"
                   "<geom type='mesh' mesh='shown' contype='0' conaffinity='0' name='paired'/>"
                   "<geom type='mesh' mesh='shown'/></body><geom name='floor' type='plane'/>"
                   "</worldbody><contact><pair geom1='floor' geom2='paired'/></contact>"),
              &model);
    assert_int_equal(model.geom_count, 4);
    const mo_model_geom *g = model.geoms;
    CHECK(g[1].shape.kind == MO_SHAPE_MESH && g[1].is_visual);
    assert_int_equal(g[1].shape.index_count, 36);
    CHECK(g[2].shape.kind == MO_SHAPE_HULL && g[3].shape.kind == MO_SHAPE_HULL);
    assert_int_equal(mo_model_drop_visuals(&model), 1);
    assert_int_equal(model.geom_count, 3);
    CHECK(model.pairs[0].a == 0 && model.pairs[0].b == 1);
    mo_model_clear(&model);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static void a_mesh_of_a_box_weighs_like_the_box(void **state)
{
    (void)state;
    const double half[3] = {0.5, 0.25, 0.125}, shift[3] = {1, 2, 3};
    char stl[84 + 600], obj[4000] = "# a box\n";
    mo_model model;
    folder_put_bytes(&folder, "box.stl", stl, write_stl(stl, half, shift));
    for (int k = 0; k < 8; ++k) {
        double x[3];
        box_corner(k, half, x);
        snprintf(obj + strlen(obj), 100, "v %g %g %g\n", x[0] + 1, x[1] + 2, x[2] + 3);
    }
    for (int t = 0; t < 12; ++t) {
        snprintf(obj + strlen(obj), 100, "f %d/1 %d//2 %d\n", BOX_TRIANGLE[t][0] + 1,
                 BOX_TRIANGLE[t][1] - 8, BOX_TRIANGLE[t][2] + 1);
    }
    folder_put(&folder, "box2.obj", obj);
    read_text(
        MJCF("<asset><mesh file='box.stl' scale='1 1 2'/><mesh file='box2.obj' scale='1 1 2'/>"
             "<mesh name='points' vertex='.5 1.75 5.75 1.5 1.75 5.75 .5 2.25 5.75 1.5 2.25 5.75"
             " .5 1.75 6.25 1.5 1.75 6.25 .5 2.25 6.25 1.5 2.25 6.25 1 2 6'/></asset>"
             "<worldbody><body><joint/><geom type='mesh' mesh='box'/></body>"
             "<body><joint/><geom type='mesh' mesh='box2'/></body>"
             "<body><joint/><geom type='mesh' mesh='points'/></body></worldbody>"),
        &model);
    for (int k = 1; k < 4; ++k) {
        const mo_model_body *body = model.bodies + k;
        CHECK_NEAR(body->mass, 1000 * 8 * 0.5 * 0.25 * 0.25, 1e-10);
        CHECK_NEAR(body->centre[0], 1, 1e-14);
        CHECK_NEAR(body->centre[2], 6, 1e-14);
        CHECK_NEAR(body->inertia[0], body->mass / 3 * 2 * 0.0625, 1e-11);
        CHECK_NEAR(body->inertia[3], 0, 1e-11);
        assert_int_equal(model.geoms[k - 1].shape.kind, MO_SHAPE_HULL);
        assert_int_equal(model.geoms[k - 1].shape.point_count, 8);
    }
    mo_model_clear(&model);
}

/* A sticker: two triangles that hold no volume, and the shell of a cube, whose moment is 5/18 m
 * a^2. */
static void meshes_without_volume_have_the_mass_of_a_shell(void **state)
{
    (void)state;
    const double half[3] = {0.5, 0.5, 0.5}, shift[3] = {0};
    char stl[84 + 600];
    mo_model model;
    folder_put_bytes(&folder, "cube.stl", stl, write_stl(stl, half, shift));
    folder_put(&folder, "flat.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    folder_put(&folder, "points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n");
    read_text(
        MJCF("<compiler exactmeshinertia='true'/><asset><mesh file='flat.obj'/>"
             "<mesh file='cube.stl' inertia='shell'/><mesh file='points.obj'/></asset>"
             "<worldbody><body><joint/><geom type='mesh' mesh='flat' mass='3'/></body>"
             "<body><joint/><geom type='mesh' mesh='cube' mass='6'/></body>"
             "<body><joint/><geom type='mesh' mesh='points' density='6'/></body></worldbody>"),
        &model);
    CHECK_NEAR(model.bodies[1].mass, 3, 1e-14);
    CHECK_NEAR(model.bodies[1].centre[0], 1, 1e-14);
    CHECK_NEAR(model.bodies[1].inertia[0], 3 * 1.0 / 12, 1e-14);
    CHECK_NEAR(model.bodies[1].inertia[1], 3 * 4.0 / 12, 1e-14);
    CHECK_NEAR(model.bodies[1].inertia[2], 3 * 5.0 / 12, 1e-14);
    CHECK_NEAR(model.bodies[2].inertia[1], 6 * 5.0 / 18, 1e-13);
    CHECK_NEAR(model.bodies[3].mass, 1, 1e-14); /* a tetrahedron of 1/6: the hull of its points */
    assert_int_equal(model.geom_count, 2);      /* the flat one cannot touch */
    assert_int_equal(model.note_count, 1);
    CHECK(strstr(model.notes[0].text, "<geom> has a mesh without volume: the shape is left out"));
    mo_model_clear(&model);
}

/* A frame moves what is in it; classes of frames count. */
static void frames_transform_their_contents(void **state)
{
    (void)state;
    mo_model model;
    read_text(
        MJCF("<default><default class='small'><geom size='.25'/></default></default>"
             "<worldbody><frame pos='1 0 0' euler='0 0 90' childclass='small'><geom pos='1 0 0'/>"
             "<frame pos='0 0 2'><body pos='1 0 0'><joint/><geom pos='3 0 0'/>"
             "<site name='s' pos='0 0 1'/></body></frame></frame></worldbody>"),
        &model);
    assert_int_equal(model.note_count, 0);
    CHECK_NEAR(model.geoms[0].shape.radius, 0.25, 0);
    CHECK_NEAR(model.geoms[0].shape.pose.position[0], 1, 1e-15);
    CHECK_NEAR(model.geoms[0].shape.pose.position[1], 1, 1e-15);
    CHECK_NEAR(model.bodies[1].pose.position[0], 1, 1e-15);
    CHECK_NEAR(model.bodies[1].pose.position[1], 1, 1e-15);
    CHECK_NEAR(model.bodies[1].pose.position[2], 2, 1e-15);
    CHECK_NEAR(model.geoms[1].shape.pose.position[0], 3, 1e-15); /* in its body */
    CHECK_NEAR(model.sites[0].pose.position[2], 1, 1e-15);
    mo_model_clear(&model);
}

/* kp and kv of MuJoCo 3, through classes; the range of the joint; the effort that a joint allows.
 */
static void servos_of_later_versions_are_read(void **state)
{
    (void)state;
    mo_model model;
    read_text(
        MJCF("<default><position kp='100' kv='7'/><default class='weak'><position kp='20'/>"
             "</default></default><worldbody><body><joint name='a' range='-1 3' limited='true' "
             "actuatorfrcrange='-10 10'/><geom size='1'/></body></worldbody><compiler "
             "angle='radian'/><actuator><position joint='a'/><position joint='a' class='weak' "
             "gear='-2' forcerange='-3 9'/><position joint='a' kp='4' kv='1' inheritrange='.5'/>"
             "<position joint='a' dampratio='.5'/><position joint='a' timeconst='.25'/>"
             "</actuator>"),
        &model);
    assert_int_equal(model.note_count, 0);
    const double gain[] = {100, 20, 4, 100, 100}, damping[] = {7, 7, 1, 0, 7};
    for (int k = 0; k < 5; ++k) {
        const mo_model_actuator *a = model.actuators + k;
        CHECK_NEAR(a->gain, gain[k], 0);
        CHECK_NEAR(a->bias[1], -gain[k], 0);
        CHECK_NEAR(a->bias[2], -damping[k], 0);
    }
    CHECK_NEAR(model.actuators[0].force_range[0], -10, 0);
    CHECK_NEAR(model.actuators[1].force_range[0], -3, 0);
    CHECK_NEAR(model.actuators[1].force_range[1], 5, 0);
    CHECK_NEAR(model.actuators[2].control_range[0], 0, 1e-15);
    CHECK_NEAR(model.actuators[2].control_range[1], 2, 1e-15);
    CHECK_NEAR(model.actuators[3].damping_ratio, 0.5, 0);
    assert_int_equal(model.actuators[4].dynamics, MO_DYNAMICS_FILTER_EXACT);
    mo_model_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_of_two_geoms_has_their_common_inertia),
        cmocka_unit_test(defaults_go_down_the_classes),
        cmocka_unit_test(unsupported_elements_are_listed_once_with_their_line),
        cmocka_unit_test(includes_are_put_where_they_stand),
        cmocka_unit_test(a_file_is_found_beside_the_one_that_includes_it),
        cmocka_unit_test(a_chain_of_two_hundred_bodies_is_read),
        cmocka_unit_test(keyframes_have_unit_quaternions),
        cmocka_unit_test(soft_contact_settings_of_mujoco_are_one_note),
        cmocka_unit_test(colours_come_from_the_geom_its_class_or_its_material),
        cmocka_unit_test(materials_are_metal_or_rubber_if_the_file_defines_it),
        cmocka_unit_test(a_mesh_that_only_shows_keeps_its_triangles),
        cmocka_unit_test(a_mesh_of_a_box_weighs_like_the_box),
        cmocka_unit_test(meshes_without_volume_have_the_mass_of_a_shell),
        cmocka_unit_test(frames_transform_their_contents),
        cmocka_unit_test(servos_of_later_versions_are_read),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
