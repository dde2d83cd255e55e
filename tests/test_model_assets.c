/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Height fields (in the file, MuJoCo's own, PNG) and COLLADA meshes: where their points are, what
 * rests on them, what they weigh, and sentences for what cannot be read. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <stdint.h>
#include <string.h>

/* ---- height fields --------------------------------------------------------------------------- */

/* Two rows of three heights, the row of the smallest y first: 0 .5 0, 0 0 1 times 4. */
static void check_field(const char *asset)
{
    static const double Z[6] = {0, 2, 0, 0, 0, 4};
    char text[600];
    mo_model model;
    snprintf(text, sizeof text,
             "<mujoco><asset><hfield name='f' size='3 2 4 .1' %s/></asset><worldbody><geom "
             "type='hfield' hfield='f'/></worldbody></mujoco>",
             asset);
    read_text(text, &model);
    assert_int_equal(model.note_count, 0);
    const mo_shape_def *shape = &model.geoms[0].shape;
    assert_int_equal(shape->kind, MO_SHAPE_MESH);
    assert_int_equal(shape->point_count, 6);
    assert_int_equal(shape->index_count, 12);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(shape->points[3 * k], 3 * (k % 3 - 1), 1e-15);
        CHECK_NEAR(shape->points[3 * k + 1], k < 3 ? -2 : 2, 1e-15);
        CHECK_NEAR(shape->points[3 * k + 2], Z[k], 1e-6);
    }
    mo_model_clear(&model);
}

/* A grey image of 3 times 2 pixels: 10 10 210, 10 110 10. */
static const unsigned char PNG[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8,
    0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xe0,
    0xe2, 0xba, 0xc4, 0xc0, 0x95, 0xc7, 0x05, 0x00, 0x05, 0xa8, 0x01, 0x69, 0x94, 0xbf, 0x1d,
    0x08, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

typedef struct own_field {
    int32_t counts[2];
    float height[6];
} own_field;

static const own_field OWN = {{2, 3}, {-1, 0, -1, -1, -1, 1}};

static void height_fields_are_read_from_three_sources(void **state)
{
    (void)state;
    folder_put_bytes(&folder, "f.png", PNG, sizeof PNG);
    folder_put_bytes(&folder, "f.bin", &OWN, sizeof OWN);
    check_field("nrow='2' ncol='3' elevation='7 7 9  7 8 7'");
    check_field("file='f.bin'");
    check_field("file='f.png'");
}

/* A terrace: the half with y > 0 is 1 m higher.  Balls rest on both levels. */
static void balls_rest_on_a_height_field(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco><asset><hfield name='f' nrow='4' ncol='2' size='2 3 1 .1' elevation='1 1 1 "
              "1 0 0 0 0'/></asset><worldbody><geom type='hfield' hfield='f' pos='0 0 .5'/><body "
              "name='low' pos='0 -2 .75'><freejoint/><geom size='.2' condim='6' friction='1 1 "
              "1'/></body><body name='high' pos='.3 2 1.75'><freejoint/><geom size='.2' "
              "condim='6' friction='1 1 1'/></body></worldbody></mujoco>",
              &w);
    run(&w, 0.5);
    CHECK_NEAR(body_of(&w, "low").pose.position[2], 0.7, 1e-5);
    CHECK_NEAR(body_of(&w, "high").pose.position[2], 1.7, 1e-5);
    close_world(&w);
}

static void expect(const char *text, const char *sentence)
{
    mo_model model;
    mo_message why = {{0}};
    if (mo_model_read(folder_put(&folder, "model.xml", text), NULL, &model, &why) == MO_OK)
        fail_msg("read, without '%s': %s", sentence, text);
    if (!strstr(why.text, sentence)) fail_msg("'%s' has no '%s'", why.text, sentence);
}

static void bad_height_fields_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *asset, *sentence;
    } CASES[] = {
        {"size='1 1 1 .1' nrow='2' ncol='3' elevation='1 2'", "elevation"},
        {"size='1 1 0 .1' nrow='2' ncol='3'", "positive"},
        {"size='1 1 1 .1'", "rows"},
        {"size='1 1 1 .1' nrow='1e9' ncol='1e9'", "rows"},
        {"size='1 1 1 .1' nrow='2.5' ncol='3'", "rows"},
        {"size='1 1 1 .1' file='no.bin'", "no.bin"},
        {"size='1 1 1 .1' file='short.bin'", "does not match"},
        {"size='1 1 1 .1' file='f.bin' name='g'", "'f', which is not among"},
        {"size='1 1 1 .1' file='bad.png'", "PNG"},
        {"size='1 1 1 .1' file='half.png'", "PNG"},
    };
    folder_put_bytes(&folder, "f.bin", &OWN, sizeof OWN);
    folder_put_bytes(&folder, "short.bin", &OWN, sizeof OWN - 1);
    folder_put_bytes(&folder, "bad.png", &OWN, sizeof OWN);
    folder_put_bytes(&folder, "half.png", PNG, 50);
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><asset><hfield %s %s/></asset><worldbody><geom type='hfield' "
                 "hfield='f'/></worldbody></mujoco>",
                 strstr(CASES[k].asset, "name=") ? "" : "name='f'", CASES[k].asset);
        expect(text, CASES[k].sentence);
    }
}

/* ---- COLLADA --------------------------------------------------------------------------------- */

#define POINTS                                                                                     \
    "<source id='p'><float_array id='n' count='24'>0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 "     \
    "1 1 1</float_array><technique_common><accessor source='#n' stride='3'/></technique_common>"   \
    "</source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
/* The unit cube as four quads and four triangles; texture coordinates are beside the corners. */
#define FACES                                                                                      \
    "<polylist count='4'><input semantic='VERTEX' source='#v' offset='1'/><input "                 \
    "semantic='TEXCOORD' source='#t' offset='0'/><vcount>4 4 4 4</vcount><p>9 0 9 2 9 3 9 1  9 4 " \
    "9 5 9 7 9 6  9 0 9 1 9 5 9 4  9 2 9 6 9 7 9 3</p></polylist><triangles count='4'><input "     \
    "semantic='VERTEX' source='#v' offset='0'/><p>0 4 6 0 6 2 1 3 7 1 7 5</p></triangles>"
#define GEOMETRIES(faces)                                                                          \
    "<library_geometries><geometry id='g'><mesh>" POINTS faces "</mesh></geometry>"                \
    "</library_geometries>"
#define SCENE(inside)                                                                              \
    "<library_visual_scenes><visual_scene id='s'>" inside                                          \
    "</visual_scene></library_visual_scenes>"                                                      \
    "<scene><instance_visual_scene url='#s'/></scene>"
#define COLLADA(unit, inside)                                                                      \
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>" unit   \
    "</asset>" inside "</COLLADA>"
#define USER                                                                                       \
    "<mujoco><compiler exactmeshinertia='true'/><asset><mesh file='m.dae'/></asset><worldbody>"    \
    "<body><freejoint/><geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>"

static void check_collada(const char *file, double mass, const double centre[3])
{
    mo_model model;
    folder_put(&folder, "m.dae", file);
    read_text(USER, &model);
    CHECK_NEAR(model.bodies[1].mass, mass, 1e-12 * mass);
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(model.bodies[1].centre[k], centre[k], 1e-12);
    assert_int_equal(model.geoms[0].shape.point_count, 8);
    mo_model_clear(&model);
}

static void collada_meshes_have_their_place_and_unit(void **state)
{
    (void)state;
    check_collada(COLLADA("", GEOMETRIES(FACES)), 1, (const double[]){0.5, 0.5, 0.5});
    check_collada(COLLADA("<unit meter='.1'/>", GEOMETRIES(FACES)), 1e-3,
                  (const double[]){0.05, 0.05, 0.05});
    /* x, y, z to 2 + 3 x, ..., turned by a right angle about z: (-y, x, z) */
    check_collada(
        COLLADA("", GEOMETRIES(FACES) SCENE(
                        "<node><translate>2 0 0</translate><node><rotate>0 0 2 90</rotate><scale>3 "
                        "1 1</scale><instance_geometry url='#g'/></node></node>")),
        3, (const double[]){1.5, 1.5, 0.5});
    /* a mirror, by a matrix, through another node */
    check_collada(COLLADA("", "<library_nodes><node id='n'><instance_geometry "
                              "url='#g'/></node></library_nodes>" GEOMETRIES(FACES)
                                  SCENE("<node><matrix>-2 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix>"
                                        "<instance_node url='#n'/></node>")),
                  2, (const double[]){0, 2.5, 3.5});
}

static void bad_collada_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file, *sentence;
    } CASES[] = {
        {"<mujoco/>", "<COLLADA>"},
        {COLLADA("", ""), "no triangles"},
        {COLLADA("", GEOMETRIES("<triangles><input semantic='VERTEX' source='#v'/><p>0 1 "
                                "8</p></triangles>")),
         "not among the positions"},
        {COLLADA("", GEOMETRIES("<triangles><input semantic='VERTEX' source='#v'/><p>0 1 "
                                "-1</p></triangles>")),
         "not among the positions"},
        {COLLADA("", GEOMETRIES("<triangles><input semantic='VERTEX' source='#v'/><p>0 1 "
                                "two</p></triangles>")),
         "contains other text"},
        {COLLADA("", GEOMETRIES("<polylist><input semantic='VERTEX' source='#v'/><vcount>3 "
                                "9</vcount><p>0 1 2 3</p></polylist>")),
         "more corners"},
        {COLLADA("", GEOMETRIES("<triangles><p>0 1 2</p></triangles>")), "no corners"},
        {COLLADA("", GEOMETRIES(FACES) SCENE("<node><matrix>1 2</matrix></node>")), "transform"},
        {COLLADA(
             "",
             "<library_nodes><node id='n'><instance_node url='#n'/></node></library_nodes>" SCENE(
                 "<instance_node url='#n'/>")),
         "too deep"},
        {COLLADA("", "<library_geometries><geometry><mesh/></geometry></library_geometries>"),
         "no positions"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        folder_put(&folder, "m.dae", CASES[k].file);
        expect(USER, CASES[k].sentence);
    }
}

/* A geometry that a scene shows 20,001 times. */
static void scenes_of_collada_have_bounds(void **state)
{
    (void)state;
    static const char ONE[] = "<instance_geometry url='#g'/>";
    enum { MOST = 20001, ROOM = MOST * (int)sizeof ONE + 10000 };
    char *text = malloc(ROOM);
    CHECK(text != NULL);
    int at = snprintf(text, ROOM, "%s",
                      "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema'>" GEOMETRIES(
                          "<triangles><input semantic='VERTEX' source='#v'/><p>0 1 2</p>"
                          "</triangles>") "<library_visual_scenes><visual_scene id='s'><node>");
    for (int k = 0; k < MOST; ++k)
        at += snprintf(text + at, (size_t)(ROOM - at), "%s", ONE);
    snprintf(text + at, (size_t)(ROOM - at), "%s",
             "</node></visual_scene></library_visual_scenes><scene>"
             "<instance_visual_scene url='#s'/></scene></COLLADA>");
    folder_put(&folder, "m.dae", text);
    expect(USER, "more than 20000 instances of geometries");
    free(text);
}

/* A tetrahedron in MuJoCo's own format: counts, points, normals, texture coordinates, triangles. */
typedef struct own_mesh {
    int32_t counts[4];
    float points[4][3], normals[1][3], texture[2][2];
    int32_t triangles[4][3];
} own_mesh;

static void meshes_in_the_format_of_mujoco_are_read(void **state)
{
    (void)state;
    own_mesh mesh = {{4, 1, 2, 4},
                     {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                     {{0, 0, 1}},
                     {{0, 0}, {1, 1}},
                     {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
    static const char TEXT[] =
        "<mujoco><asset><mesh name='m' file='m.msh' "
        "inertia='exact'/></asset><worldbody><body><freejoint/>"
        "<geom type='mesh' mesh='m' density='6'/></body></worldbody></mujoco>";
    mo_model model;
    mo_message why = {{0}};
    folder_put_bytes(&folder, "m.msh", (const char *)&mesh, sizeof mesh);
    read_text(TEXT, &model);
    CHECK_NEAR(model.bodies[model.body_count - 1].mass, 1, 1e-12);
    mo_model_clear(&model);
    mesh.triangles[3][2] = 4;
    folder_put_bytes(&folder, "m.msh", (const char *)&mesh, sizeof mesh);
    CHECK(mo_model_read(folder_put(&folder, "model.xml", TEXT), NULL, &model, &why) != MO_OK);
    CHECK(strstr(why.text, "a point that does not exist"));
    folder_put_bytes(&folder, "m.msh", (const char *)&mesh, sizeof mesh - 4);
    CHECK(mo_model_read(folder_put(&folder, "model.xml", TEXT), NULL, &model, &why) != MO_OK);
    CHECK(strstr(why.text, "is not as long as its counts say"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_in_the_format_of_mujoco_are_read),
        cmocka_unit_test(height_fields_are_read_from_three_sources),
        cmocka_unit_test(balls_rest_on_a_height_field),
        cmocka_unit_test(bad_height_fields_are_refused),
        cmocka_unit_test(collada_meshes_have_their_place_and_unit),
        cmocka_unit_test(bad_collada_files_are_refused),
        cmocka_unit_test(scenes_of_collada_have_bounds),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
