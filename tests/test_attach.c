/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models that are attached to others: names, defaults, units and sections are those of the part. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>

static const char LEG[] =
    "<mujoco><compiler angle='radian' eulerseq='zyx'/><default><geom size='.2'/><motor gear='7'/>"
    "<default class='knee'><joint range='-1 1' limited='true'/></default></default><worldbody>"
    "<body name='thigh' pos='0 0 .1'><joint name='hip' type='ball'/><geom/><site name='s'/><body "
    "name='shin' pos='1 0 0' euler='.1 .2 .3'><joint name='knee' class='knee'/><geom name='g' "
    "mass='2'/><site name='t'/></body></body><body name='other'><geom/></body></worldbody><contact>"
    "<exclude body1='thigh' body2='shin'/></contact><tendon><spatial name='string'><site site='s'/>"
    "<site site='t'/></spatial></tendon><equality><joint "
    "joint1='knee'/></equality><actuator><motor "
    "name='m' joint='knee'/></actuator><sensor><jointpos name='p' joint='knee'/></sensor>"
    "<keyframe><key qpos='1 0 0 0 1'/></keyframe></mujoco>";

static const char BODY[] =
    "<mujoco><compiler angle='degree'/><asset><model name='leg' file='leg.xml'/></asset><default>"
    "<geom size='.5'/></default><worldbody><body name='trunk' pos='0 0 2'><freejoint/><geom "
    "name='g'/><frame pos='0 1 0'><attach model='leg' body='thigh' prefix='left_'/></frame>"
    "<attach model='leg' body='thigh' prefix='right_'/></body></worldbody></mujoco>";

static void a_part_keeps_its_names_units_and_defaults(void **state)
{
    (void)state;
    mo_model model;
    folder_put(&folder, "leg.xml", LEG);
    read_text(BODY, &model);
    assert_int_equal(model.note_count, 1); /* the keyframe */
    assert_int_equal(model.body_count, 6);
    assert_int_equal(model.joint_count, 5);
    const int left = mo_model_find_body(&model, "left_thigh"),
              shin = mo_model_find_body(&model, "right_shin"),
              knee = mo_model_find_joint(&model, "right_knee");
    CHECK(left > 0 && shin > 0 && knee > 0 && mo_model_find_body(&model, "other") < 0);
    CHECK_NEAR(model.bodies[left].pose.position[1], 1, 0);
    CHECK_NEAR(model.bodies[left].pose.position[2], 0.1, 0);
    CHECK_NEAR(model.joints[knee].range[1], 1, 0); /* radians */
    double turn[4],
        about[3][4] = {{cos(0.05), 0, 0, sin(0.05)},
                       {cos(0.1), 0, sin(0.1), 0},
                       {cos(0.15), sin(0.15), 0, 0}},
        two[4];
    mo_quat_multiply(about[0], about[1], two);
    mo_quat_multiply(two, about[2], turn);
    for (int k = 0; k < 4; ++k)
        CHECK_NEAR(model.bodies[shin].pose.orientation[k], turn[k], 1e-15);
    assert_int_equal(model.geom_count, 5);
    CHECK_NEAR(model.geoms[0].shape.radius, 0.5, 0); /* of the trunk */
    CHECK_NEAR(model.geoms[1].shape.radius, 0.2, 0); /* of the leg */
    assert_int_equal(model.actuator_count, 2);
    assert_int_equal(model.actuators[1].joint, knee);
    CHECK_NEAR(model.actuators[1].gear[0], 7, 0);
    assert_int_equal(model.tendon_count, 2);
    assert_int_equal(model.tendons[1].path[1].link, shin);
    assert_int_equal(model.equality_count, 2);
    assert_int_equal(model.exclusion_count, 2);
    assert_int_equal(model.sensor_count, 2);
    CHECK(mo_model_find_sensor(&model, "right_p") == 1);
    mo_model_clear(&model);
}

/* A part of a part: prefixes add up.  An asset without a name has that of its file.  Without a body
 * all of the world is attached. */
static void parts_have_parts(void **state)
{
    (void)state;
    mo_model model;
    folder_put(&folder, "leg.xml", LEG);
    folder_put(&folder, "half.xml",
               "<mujoco model='half'><compiler angle='degree'/><asset><model name='l' "
               "file='leg.xml'/></asset><worldbody><body name='hip'><joint name='j' range='-90 90' "
               "limited='true'/><geom "
               "size='.1'/><attach model='l' body='thigh' prefix='a_'/></body></worldbody>"
               "</mujoco>");
    read_text("<mujoco><compiler angle='radian'/><asset><model file='half.xml'/></asset>"
              "<worldbody><attach model='half' prefix='b_'/></worldbody></mujoco>",
              &model);
    const int j = mo_model_find_joint(&model, "b_j"),
              knee = mo_model_find_joint(&model, "b_a_knee");
    CHECK(j >= 0 && knee > j);
    CHECK_NEAR(model.joints[j].range[1], acos(0), 1e-15);
    CHECK_NEAR(model.joints[knee].range[1], 1, 0);
    CHECK_NEAR(model.actuators[0].gear[0], 7, 0);
    CHECK_NEAR(model.geoms[1].shape.radius, 0.2, 0);
    mo_model_clear(&model);
}

/* A mesh without a name has that of its file, with the prefix of the part: two parts have one each.
 */
static void meshes_of_parts_are_named_after_their_files(void **state)
{
    (void)state;
    mo_model model;
    folder_put(&folder, "tetra.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    folder_put(&folder, "foot.xml",
               "<mujoco><asset><mesh file='tetra.obj'/></asset><worldbody><body name='foot'>"
               "<geom type='mesh' mesh='tetra'/></body></worldbody></mujoco>");
    read_text("<mujoco><asset><model name='foot' file='foot.xml'/></asset><worldbody><body>"
              "<freejoint/><geom size='.1'/><attach model='foot' body='foot' prefix='left_'/>"
              "<attach model='foot' body='foot' prefix='right_'/></body></worldbody></mujoco>",
              &model);
    assert_int_equal(model.note_count, 0);
    assert_int_equal(model.geom_count, 3);
    for (int k = 1; k < 3; ++k)
        CHECK(model.geoms[k].shape.kind == MO_SHAPE_HULL && model.geoms[k].shape.point_count == 4);
    mo_model_clear(&model);
}

static void elements_that_cannot_be_attached_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *assets, *attach, *sentence;
    } CASES[] = {
        {"", "<attach model='leg'/>", "'leg', which is not among the assets"},
        {"<model name='leg' file='leg.xml'/>", "<attach/>", "not among the assets"},
        {"<model name='leg' file='leg.xml'/>", "<attach model='leg' body='arm'/>", "'arm'"},
        {"<model name='leg' file='none.xml'/>", "<attach model='leg'/>", "none.xml"},
        {"<model name='leg' file='self.xml'/>", "<attach model='leg'/>", "levels deep"},
        {"<model name='leg' file='leg.xml'/>",
         "<attach model='leg' body='thigh'/><attach model='leg' body='thigh'/>", "thigh"},
    };
    folder_put(&folder, "leg.xml", LEG);
    folder_put(&folder, "self.xml",
               "<mujoco><asset><model name='s' file='self.xml'/></asset><worldbody><attach "
               "model='s'/></worldbody></mujoco>");
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        char text[600];
        mo_model model;
        mo_message why = {{0}};
        snprintf(text, sizeof text, "<mujoco><asset>%s</asset><worldbody>%s</worldbody></mujoco>",
                 CASES[k].assets, CASES[k].attach);
        CHECK(mo_model_read(folder_put(&folder, "model.xml", text), NULL, &model, &why) != MO_OK);
        if (!strstr(why.text, CASES[k].sentence))
            fail_msg("'%s' has no '%s'", why.text, CASES[k].sentence);
    }
}

static const char ROW[] =
    "<mujoco><compiler angle='degree'/><worldbody><replicate count='3' offset='1 0 0' "
    "euler='0 0 90' sep='-'><body name='b' pos='0 0 .5'><joint name='j'/><replicate count='2' "
    "offset='0 0 2'><geom name='g' size='.1'/></replicate></body></replicate></worldbody>"
    "<actuator><motor joint='j-2'/></actuator></mujoco>";

static void replicas_are_moved_turned_and_numbered(void **state)
{
    (void)state;
    mo_model model;
    read_text(ROW, &model);
    assert_int_equal(model.note_count, 0);
    assert_int_equal(model.joint_count, 3);
    const int last = mo_model_find_body(&model, "b-2"), joint = mo_model_find_joint(&model, "j-2");
    CHECK(last > 0 && joint >= 0 && mo_model_find_body(&model, "b") < 0);
    assert_int_equal(model.actuator_count, 1);
    const mo_pose *pose = &model.bodies[last].pose; /* 1 along x, a quarter turn, twice */
    CHECK_NEAR(pose->position[0], 1, 1e-15);
    CHECK_NEAR(pose->position[1], 1, 1e-15);
    CHECK_NEAR(pose->position[2], 0.5, 0);
    CHECK_NEAR(fabs(pose->orientation[3]), 1, 1e-15);
    mo_model_clear(&model);
}

static const char CRADLE[] =
    "<mujoco><default><joint limited='true'/></default><worldbody><site name='top' pos='0 0 2'/>"
    "<replicate count='2' offset='1 0 0'><body name='ball'><joint type='free'/><geom size='.1'/>"
    "<site name='hook'/><replicate count='2' offset='0 0 1'><body name='arm'><joint name='turn' "
    "range='-9 9'/><geom size='.1'/></body></replicate></body></replicate></worldbody>"
    "<actuator><motor name='m' tendon='rope'/><motor joint='turn'/></actuator>"
    "<tendon><spatial name='rope'><site site='top'/><site site='hook'/></spatial></tendon>"
    "<contact><exclude body1='ball' body2='arm'/></contact></mujoco>";

/* Tendons, actuators and exclusions are replicated with what they refer to. */
static void references_to_replicas_are_replicated(void **state)
{
    (void)state;
    mo_model model;
    read_text(CRADLE, &model);
    assert_int_equal(model.v_count, 2 * (6 + 2));
    assert_int_equal(model.tendon_count, 2);
    assert_int_equal(model.actuator_count, 2 + 4);
    CHECK(mo_model_find_actuator(&model, "m1") >= 0 && mo_model_find_actuator(&model, "m") < 0);
    for (int k = 0; k < model.joint_count; ++k)
        CHECK(model.joints[k].has_limits == (model.joints[k].kind != MO_MODEL_FREE));
    mo_model_clear(&model);
}

static void replicas_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {{"<replicate><geom size='1'/></replicate>", "count=\"\""},
                 {"<replicate count='0'/>", "from 1 to 400"},
                 {"<replicate count='2x'/>", "from 1 to 400"},
                 {"<replicate count='400'><replicate count='400'><geom size='1'/></replicate>"
                  "</replicate>",
                  "elements"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[400];
        mo_model model;
        mo_message why = {{0}};
        snprintf(text, sizeof text, WORLD("%s"), cases[k].text);
        CHECK(mo_model_read(folder_put(&folder, "model.xml", text), NULL, &model, &why) != MO_OK);
        CHECK(strstr(why.text, cases[k].why));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replicas_are_moved_turned_and_numbered),
        cmocka_unit_test(references_to_replicas_are_replicated),
        cmocka_unit_test(replicas_that_cannot_be_are_refused),
        cmocka_unit_test(a_part_keeps_its_names_units_and_defaults),
        cmocka_unit_test(parts_have_parts),
        cmocka_unit_test(meshes_of_parts_are_named_after_their_files),
        cmocka_unit_test(elements_that_cannot_be_attached_are_named),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
