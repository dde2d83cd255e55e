/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Corners of the readers of models: flags that switch things off, equalities between sites, planar
 * and floating joints of URDF, bodies that are set free, and what a robot answers to numbers that
 * name nothing.
 */
#define _XOPEN_SOURCE 700
#include "model_text.h"

#include <string.h>

#include "moreau/moreau.h"

#define JOINTED                                                                                    \
    "<worldbody><body name='base' pos='1 2 3'><geom size='.1'/><body name='arm' pos='0 0 1'>"      \
    "<joint name='j' range='0 1' limited='true' damping='1' stiffness='2' frictionloss='3'/>"      \
    "<geom size='.1'/><body name='hand' pos='0 0 1'><joint name='k'/><geom size='.1'/></body>"     \
    "</body></body></worldbody><tendon><fixed name='t' limited='true' range='0 1' stiffness='4' "  \
    "damping='5' frictionloss='6'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed>"  \
    "</tendon><equality><joint joint1='j' joint2='k'/></equality><sensor><jointpos joint='k'/>"    \
    "</sensor><actuator><motor joint='k'/></actuator>"                                             \
    "<keyframe><key qpos='.25 .5' qvel='1 2'/></keyframe>"

static int has_note(const mo_model *model, const char *words)
{
    for (int k = 0; k < model->note_count; ++k)
        if (strstr(model->notes[k].text, words)) return 1;
    return 0;
}

static void flags_turn_off_the_named_effect(void **state)
{
    (void)state;
    mo_model on, off;
    read_text(MJCF(JOINTED), &on);
    CHECK(on.joints[0].has_limits && on.joints[0].dry_friction == 3 && on.equality_count == 1);
    CHECK(on.tendons[0].has_limits && on.tendons[0].stiffness == 4 && on.gravity[2] < 0);
    read_text(MJCF("<option collision='predefined'><flag gravity='disable' constraint='disable' "
                   "passive='disable'/></option>" JOINTED),
              &off);
    for (int k = 0; k < 3; ++k)
        CHECK(off.gravity[k] == 0);
    CHECK(!off.joints[0].has_limits && off.joints[0].dry_friction == 0);
    CHECK(off.joints[0].damping == 0 && off.joints[0].stiffness == 0);
    CHECK(!off.tendons[0].has_limits && off.tendons[0].dry_friction == 0);
    CHECK(off.tendons[0].damping == 0 && off.tendons[0].stiffness == 0);
    CHECK(off.equality_count == 0 && off.geoms[0].shape.mask == 0);
    CHECK(has_note(&off, "predefined") && !has_note(&on, "predefined"));
    mo_model_clear(&on);
    mo_model_clear(&off);
}

/* The pose of b in a is the one in which both sites are one frame. */
static void a_weld_of_sites_brings_them_together(void **state)
{
    (void)state;
    mo_model model;
    read_text(MJCF("<worldbody><body name='a'><freejoint/><geom size='.1'/><site name='p' "
                   "pos='1 .5 0' euler='10 20 30'/></body><body name='b'><freejoint/><geom "
                   "size='.1'/><site name='q' pos='0 2 .25' euler='0 90 45'/></body></worldbody>"
                   "<equality><weld site1='p' site2='q'/><connect site1='p' site2='q'/>"
                   "</equality>"),
              &model);
    assert_int_equal(model.equality_count, 2);
    const mo_model_equality *weld = model.equalities, *connect = model.equalities + 1;
    const mo_pose meets = mo_pose_compose(&weld->pose, &model.sites[1].pose);
    CHECK(weld->has_pose && weld->a == 1 && weld->b == 2);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(meets.position[k], model.sites[0].pose.position[k], 1e-14);
        CHECK_NEAR(connect->anchor[k], model.sites[0].pose.position[k], 0);
    }
    double cosine = 0;
    for (int k = 0; k < 4; ++k)
        cosine += meets.orientation[k] * model.sites[0].pose.orientation[k];
    CHECK_NEAR(fabs(cosine), 1, 1e-14);
    mo_model_clear(&model);
}

/* What names a joint still names the same one, and the others keep their coordinates. */
static void a_body_that_is_set_free_renumbers_joints(void **state)
{
    (void)state;
    mo_model model;
    mo_message why = {{0}};
    read_text(MJCF(JOINTED), &model);
    assert_int_equal(mo_model_release(&model, 1, &why), MO_OK);
    assert_int_equal(model.joint_count, 3);
    CHECK(model.joints[0].kind == MO_MODEL_FREE && model.joints[0].body == 1);
    assert_string_equal(model.joints[model.sensors[0].object].name, "k");
    assert_string_equal(model.joints[model.actuators[0].joint].name, "k");
    assert_string_equal(model.joints[model.equalities[0].a].name, "j");
    assert_string_equal(model.joints[model.equalities[0].b].name, "k");
    assert_string_equal(model.joints[model.tendons[0].joints[0]].name, "j");
    assert_string_equal(model.joints[model.tendons[0].joints[1]].name, "k");
    const double q[9] = {1, 2, 3, 1, 0, 0, 0, 0.25, 0.5}, v[8] = {0, 0, 0, 0, 0, 0, 1, 2};
    assert_int_equal(model.q_count, 9);
    assert_memory_equal(model.keys[0].q, q, sizeof q);
    assert_memory_equal(model.keys[0].v, v, sizeof v);
    CHECK(model.joints[1].first_q == 7 && model.joints[2].first_v == 7);
    CHECK(mo_model_release(&model, 0, &why) != MO_OK && mo_model_release(&model, 2, &why) != MO_OK);
    assert_non_null(strstr(why.text, "fixed to the world"));
    mo_model_clear(&model);
}

#define MASS "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define LINK(name) "<link name='" name "'>" MASS "</link>"
#define BETWEEN(type, name, a, b, more)                                                            \
    "<joint name='" name "' type='" type "'><parent link='" a "'/><child link='" b "'/>" more      \
    "</joint>"

static int count_kind(const mo_model *model, int body, mo_model_joint_kind kind)
{
    int count = 0;
    for (int k = 0; k < model->joint_count; ++k)
        count += model->joints[k].body == body && model->joints[k].kind == kind;
    return count;
}

/* A planar joint is two slides in the plane and a turn about its normal; a floating one is free in
 * the world, or three slides and a ball joint on what moves. */
static void planar_and_floating_joints_are_made_of_parts(void **state)
{
    (void)state;
    mo_model model;
    read_file(folder_put(&folder, "parts.urdf",
                         "<robot name='r'><link name='w'/>" LINK("a") LINK("b") LINK("c")
                             BETWEEN("floating", "f", "w", "a", "<origin xyz='1 2 3'/>")
                                 BETWEEN("planar", "p", "a", "b", "<axis xyz='0 0 2'/>")
                                     BETWEEN("floating", "g", "b", "c", "") "</robot>"),
              &model);
    int at[3] = {-1, -1, -1};
    for (int k = 1; k < model.body_count; ++k) {
        const char *name = model.bodies[k].name;
        if (strlen(name) == 1 && name[0] >= 'a' && name[0] <= 'c') at[name[0] - 'a'] = k;
    }
    CHECK(at[0] > 0 && at[1] > 0 && at[2] > 0);
    CHECK(count_kind(&model, at[0], MO_MODEL_FREE) == 1 && model.bodies[at[0]].parent == 0);
    CHECK(model.bodies[at[0]].pose.position[2] == 3);
    CHECK(count_kind(&model, at[1], MO_MODEL_SLIDE) == 2);
    CHECK(count_kind(&model, at[1], MO_MODEL_HINGE) == 1);
    CHECK(count_kind(&model, at[2], MO_MODEL_SLIDE) == 3);
    CHECK(count_kind(&model, at[2], MO_MODEL_BALL) == 1);
    for (int k = 0; k < model.joint_count; ++k) {
        if (model.joints[k].body == at[1]) {
            const int turns = model.joints[k].kind == MO_MODEL_HINGE;
            CHECK_NEAR(fabs(model.joints[k].axis[2]), turns, 1e-15);
        }
    }
    mo_model_clear(&model);
}

static void numbers_that_name_nothing_are_refused(void **state)
{
    (void)state;
    mo_model model;
    mo_message why = {{0}};
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    read_text(WORLD("<body pos='0 0 1'><freejoint/><geom size='.1'/></body>"), &model);
    const mo_world_def def = mo_model_world(&model), plane = mo_default_planar_world();
    CHECK(mo_world_create(&plane, NULL, &world, NULL) == MO_OK);
    CHECK(mo_model_build(&model, world, NULL, &robot, &why) == MO_ERR_ARGUMENT);
    assert_non_null(strstr(why.text, "three-dimensional"));
    mo_world_destroy(world);
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    CHECK(mo_model_build(&model, world, NULL, &robot, &why) == MO_OK);
    for (int k = -1; k < 6; k += 6) {
        int number = 7;
        CHECK(mo_robot_set_control(robot, world, k, 0, &why) == MO_ERR_ARGUMENT);
        assert_non_null(strstr(why.text, "is not an actuator"));
        CHECK(!mo_robot_joint(robot, k, &number).index && !mo_robot_tendon(robot, k, NULL).index);
        CHECK(!mo_robot_actuator(robot, k, &number).index && number == 7);
        CHECK(mo_robot_site(robot, world, k).orientation[0] == 1);
    }
    const double nowhere[7] = {0};
    CHECK(mo_robot_set(robot, world, nowhere, NULL, &why) == MO_ERR_ARGUMENT);
    assert_non_null(strstr(why.text, "length zero"));
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_turn_off_the_named_effect),
        cmocka_unit_test(a_weld_of_sites_brings_them_together),
        cmocka_unit_test(a_body_that_is_set_free_renumbers_joints),
        cmocka_unit_test(planar_and_floating_joints_are_made_of_parts),
        cmocka_unit_test(numbers_that_name_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
