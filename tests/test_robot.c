/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models in a world: what may touch is what MJCF says, and joints, couplings, welds and limits do
 * what the file means. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>

#include "moreau/joint.h"

/* ---- collision filters ----------------------------------------------------------------------- */

static int contacts_of(const char *inside)
{
    char text[4000];
    robot_world w;
    mo_step_report report;
    mo_message why = {{0}};
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 0'/><default><geom size='1'/></default><worldbody>%s"
             "</worldbody></mujoco>",
             inside);
    open_text(text, &w);
    if (mo_world_step(w.world, 1e-6, &report, &why)) fail_msg("%s", why.text);
    const int count = mo_world_contact_count(w.world);
    close_world(&w);
    return count;
}

#define FREE(inside) "<body><freejoint/>" inside "</body>"
#define HINGE(inside) "<body><joint pos='.5 .7 0'/>" inside "</body>"
#define BALL(inside) "<body><joint type='ball'/>" inside "</body>"

static void geoms_touch_as_in_mjcf(void **state)
{
    (void)state;
    /* one of (contype, conaffinity) against the other, either way */
    assert_int_equal(contacts_of("<geom/>" FREE("<geom pos='1.995 0 0'/>")), 1);
    assert_int_equal(contacts_of("<geom contype='2'/>" FREE(
                         "<geom pos='1.995 0 0' conaffinity='2' contype='0'/>")),
                     1);
    assert_int_equal(contacts_of("<geom contype='2' conaffinity='0'/>" FREE(
                         "<geom pos='1.995 0 0' conaffinity='4' contype='1'/>")),
                     0);
    assert_int_equal(contacts_of("<geom contype='2' conaffinity='0'/>" FREE(
                         "<geom pos='1.995 0 0' conaffinity='2' contype='0'/>")),
                     1);
    /* parent and child do not; a grandchild does; with the world as the parent they do */
    assert_int_equal(contacts_of(HINGE("<geom/>" HINGE("<geom pos='1.995 0 0'/>"))), 0);
    assert_int_equal(
        contacts_of(HINGE("<geom/>" HINGE(
            "<inertial mass='1' diaginertia='1 1 1'/>" HINGE("<geom pos='1.995 0 0'/>")))),
        1);
    assert_int_equal(contacts_of("<body><geom/>" HINGE("<geom pos='1.995 0 0'/>") "</body>"), 1);
    /* what is fixed to each other counts as one body */
    assert_int_equal(contacts_of(HINGE("<geom/><body><geom pos='1.995 0 0'/></body>")), 0);
    assert_int_equal(contacts_of(HINGE("<geom/><body>" HINGE("<geom pos='1.995 0 0'/>") "</body>")),
                     0);
    assert_int_equal(
        contacts_of(HINGE("<inertial mass='1' diaginertia='1 1 1'/><body><geom/></body>"
                          "<body><geom pos='1.995 0 0'/></body>")),
        0);
}

static void frictions_combine_as_in_mjcf(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        double mu;
    } CASES[] = {{"friction='0.3'", "friction='0.7'", 0.7},
                 {"friction='0.3' priority='1'", "friction='0.7'", 0.3},
                 {"condim='1'", "condim='3' friction='0.4'", 1},
                 {"condim='1'", "condim='1'", 0}};
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        char text[600];
        robot_world w;
        mo_step_report report;
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><geom size='1' %s/>" FREE(
                     "<geom size='1' pos='0 0 1.99' %s/>") "</worldbody></mujoco>",
                 CASES[k].a, CASES[k].b);
        open_text(text, &w);
        assert_int_equal(mo_world_step(w.world, 1e-3, &report, NULL), MO_OK);
        assert_int_equal(mo_world_contact_count(w.world), 1);
        CHECK_NEAR(mo_world_contact(w.world, 0).mu, CASES[k].mu, 0);
        close_world(&w);
    }
}

static void a_body_without_mass_gets_a_sentence(void **state)
{
    (void)state;
    mo_model model;
    mo_world *world;
    mo_robot *robot;
    mo_message why = {{0}};
    const char *path =
        folder_put(&folder, "model.xml", "<mujoco><worldbody>\n" HINGE("") "</worldbody></mujoco>");
    assert_int_equal(mo_model_read(path, NULL, &model, &why), MO_OK);
    const mo_world_def def = mo_model_world(&model);
    assert_int_equal(mo_world_create(&def, NULL, &world, &why), MO_OK);
    CHECK(mo_model_build(&model, world, NULL, &robot, &why) != MO_OK);
    CHECK(strstr(why.text, "line 2: the body '' moves but has no mass") != NULL);
    mo_world_destroy(world);
    mo_model_clear(&model);
}

static void a_refused_model_leaves_nothing_behind(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    open_text("<mujoco><worldbody><geom size='1'/><body><freejoint/><geom size='1'/></body>"
              "<body><joint/><geom size='1'/><body><joint/><geom size='1'/></body></body>"
              "</worldbody></mujoco>",
              &w);
    const int count = mo_world_body_count(w.world);
    mo_robot *second = NULL;
    w.model.geoms[w.model.geom_count - 1].shape.radius = -1;
    CHECK(mo_model_build(&w.model, w.world, NULL, &second, &why) != MO_OK && why.text[0]);
    CHECK(mo_world_body_count(w.world) == count && second == NULL);
    CHECK(mo_world_step(w.world, 1e-3, NULL, NULL) == MO_OK);
    close_world(&w);
}

/* q and v go in and come out, also those of free bodies, whose centre of mass is elsewhere. */
static void values_that_are_set_are_read_back(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    mo_random random = {3};
    double q[12], v[10], got_q[12], got_v[10];
    open_text("<mujoco><worldbody>" FREE("<geom size='1' pos='1 2 3'/>")
                  HINGE("<geom size='1'/>" BALL("<geom size='1'/>")) "</worldbody></mujoco>",
              &w);
    assert_int_equal(w.model.q_count, 12);
    assert_int_equal(w.model.v_count, 10);
    fill_uniform(&random, -1, 1, w.model.q_count, q);
    fill_uniform(&random, -1, 1, w.model.v_count, v);
    mo_quat_normalise(q + 3);
    mo_quat_normalise(q + 8);
    assert_int_equal(mo_robot_set(w.robot, w.world, q, v, &why), MO_OK);
    mo_robot_get(w.robot, w.world, got_q, got_v);
    for (int k = 0; k < w.model.q_count; ++k)
        CHECK_NEAR(got_q[k], q[k], 1e-14);
    for (int k = 0; k < w.model.v_count; ++k)
        CHECK_NEAR(got_v[k], v[k], 1e-13);
    close_world(&w);
}

/* A URDF robot that walks: its root set free falls as a whole, and its joints keep their places. */
static void a_released_root_falls(void **state)
{
    (void)state;
    mo_model model;
    mo_world *world;
    mo_robot *robot;
    mo_message why = {{0}};
    const char *path = folder_put(
        &folder, "free.urdf",
        "<robot name='r'><link name='base'><inertial><mass value='3'/><inertia ixx='1' iyy='1' "
        "izz='1'/></inertial></link><link name='leg'><inertial><mass value='1'/><inertia ixx='1' "
        "iyy='1' izz='1'/></inertial></link><joint name='hip' type='continuous'><parent "
        "link='base'/><child link='leg'/><origin xyz='0 0 -1'/><axis xyz='0 1 "
        "0'/></joint></robot>");
    assert_int_equal(mo_model_read(path, NULL, &model, &why), MO_OK);
    assert_int_equal(mo_model_release(&model, 1, &why), MO_OK);
    CHECK(mo_model_release(&model, 1, &why) != MO_OK);
    assert_int_equal(model.q_count, 8);
    assert_int_equal(model.v_count, 7);
    assert_int_equal(model.joints[1].first_q, 7);
    assert_int_equal(model.actuators[0].joint, 1);
    const mo_world_def def = mo_model_world(&model);
    assert_int_equal(mo_world_create(&def, NULL, &world, &why), MO_OK);
    assert_int_equal(mo_model_build(&model, world, NULL, &robot, &why), MO_OK);
    mo_step_report report;
    for (int k = 0; k < 10; ++k)
        assert_int_equal(mo_world_step(world, 0.01, &report, &why), MO_OK);
    double q[8], v[7];
    mo_robot_get(robot, world, q, v);
    CHECK_NEAR(v[2], -0.981, 1e-9);
    CHECK_NEAR(v[6], 0, 1e-9);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
}

/* A mass without inertia is spread over the shapes. */
static void a_mass_without_inertia_takes_that_of_the_shapes(void **state)
{
    (void)state;
    robot_world w;
    double M = 0;
    open_text("<robot name='r'><link name='a'/><link name='b'><inertial><mass "
              "value='3'/></inertial><collision>"
              "<geometry><sphere radius='0.5'/></geometry></collision></link><joint name='j' "
              "type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
              &w);
    assert_int_equal(mo_mechanism_mass_matrix(w.world, mo_robot_joint(w.robot, 0, NULL), &M, NULL),
                     MO_OK);
    CHECK_NEAR(M, 0.4 * 3 * 0.25, 1e-12);
    close_world(&w);
}

/* A motor turns one of two fingers; the other follows, along a polynomial, in MJCF and as a mimic
 * in URDF. */
static void coupled_joints_follow(void **state)
{
    (void)state;
    static const char *const FILES[] = {
        "<mujoco><option gravity='0 0 0'/><worldbody><body name='palm'><joint name='p'/><geom "
        "size='.1'/>"
        "<body pos='1 0 0'><joint name='a' axis='0 1 0' damping='.1'/><geom size='.2' pos='0 0 "
        ".5'/></body>"
        "<body pos='-1 0 0'><joint name='b' axis='0 1 0' ref='10'/><geom size='.2' pos='0 0 "
        ".5'/></body></body>"
        "</worldbody><equality><joint joint1='b' joint2='a' polycoef='0.1 -1.5 0.2'/></equality>"
        "<actuator><motor name='a' joint='a'/></actuator></mujoco>",
        "<robot name='r'><link name='palm'/><link name='f'><inertial><mass value='1'/><inertia "
        "ixx='1' "
        "iyy='1' izz='1'/></inertial></link><link name='g'><inertial><mass value='1'/><inertia "
        "ixx='1' "
        "iyy='1' izz='1'/></inertial></link><joint name='a' type='continuous'><parent "
        "link='palm'/><child "
        "link='f'/></joint><joint name='b' type='prismatic'><parent link='f'/><child "
        "link='g'/><mimic "
        "joint='a' multiplier='-1.5' offset='0.1'/></joint></robot>"};
    for (int k = 0; k < 2; ++k) {
        robot_world w;
        double q[3];
        mo_message why = {{0}};
        open_text(FILES[k], &w);
        const int motor = mo_model_find_actuator(&w.model, "a");
        assert_int_equal(mo_robot_set_control(w.robot, w.world, motor, 3, &why), MO_OK);
        w.model.step = 0.002;
        run(&w, 0.5);
        mo_robot_get(w.robot, w.world, q, NULL);
        const double a = q[k ? 0 : 1],
                     b = q[k ? 1 : 2] - (k ? 0 : 10 * 3.14159265358979323846 / 180);
        CHECK(fabs(a) > 0.01);
        CHECK_NEAR(b, 0.1 - 1.5 * a + (k ? 0 : 0.2 * a * a), 1e-5);
        close_world(&w);
    }
}

/* A weld holds a free body where relpose has it, in either order of the two. */
static void welds_hold_their_pose(void **state)
{
    (void)state;
    static const char *const WELDS[] = {
        "<weld body1='base' body2='box' relpose='1 2 3 .7071067811865476 0 0 .7071067811865476'/>",
        "<weld body1='box' body2='base' relpose='-2 1 -3 .7071067811865476 0 0 "
        "-.7071067811865476'/>"};
    for (int k = 0; k < 2; ++k) {
        char text[1000];
        robot_world w;
        snprintf(
            text, sizeof text,
            "<mujoco><worldbody><body name='base' pos='0 0 5'/><body name='box' pos='1 2 "
            "7.9'><freejoint/>"
            "<geom type='box' size='.1 .2 .3'/></body></worldbody><equality>%s</equality></mujoco>",
            WELDS[k]);
        open_text(text, &w);
        run(&w, 0.2);
        const mo_body_state box = body_of(&w, "box");
        const double expected[3] = {1, 2, 8};
        for (int c = 0; c < 3; ++c)
            CHECK_NEAR(box.pose.position[c], expected[c], 1e-6);
        CHECK_NEAR(fabs(box.pose.orientation[3]), sqrt(0.5), 1e-6);
        close_world(&w);
    }
}

/* Two links on a base, whose shapes overlap while all joints are at zero: in URDF they never touch,
 * and a third one does. */
static void links_of_urdf_that_overlap_at_zero_do_not_touch(void **state)
{
    (void)state;
#define URDF_LINK(name)                                                                            \
    "<link name='" name                                                                            \
    "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"                   \
    "<collision><geometry><box size='1 1 1'/></geometry></collision></link>"
#define URDF_SLIDE(name, at)                                                                       \
    "<joint name='" name "' type='prismatic'><parent link='base'/><child link='" name "'/>"        \
    "<origin xyz='" at "'/><axis xyz='0 0 1'/><limit lower='-9' upper='9' effort='1'/></joint>"
    robot_world w;
    mo_step_report report;
    mo_message why = {{0}};
    open_file(folder_put(&folder, "overlap.urdf",
                         "<robot name='r'><link name='base'/>" URDF_LINK("a") URDF_LINK("b")
                             URDF_LINK("c") URDF_SLIDE("a", "0 0 0") URDF_SLIDE("b", ".2 .1 .3")
                                 URDF_SLIDE("c", "0 0 -1") "</robot>"),
              &w);
    assert_int_equal(mo_robot_note_count(w.robot), 1);
    CHECK(strstr(mo_robot_note(w.robot, 0), "'a' and 'b' overlap at the reference configuration"));
    if (mo_world_step(w.world, 1e-3, &report, &why)) fail_msg("%s", why.text);
    assert_int_equal(report.status, MO_SOLVED);
    for (int k = 0; k < mo_world_contact_count(w.world); ++k) {
        const mo_contact c = mo_world_contact(w.world, k);
        const int c_body = mo_robot_body(w.robot, mo_model_find_body(&w.model, "c")).index;
        CHECK(c.a.index == c_body || c.b.index == c_body);
    }
    CHECK(mo_world_contact_count(w.world) > 0);
    close_world(&w);
}

/*
 * In MJCF links of one tree that overlap by more than a hundredth do not touch; a base that stands
 * still parts by the shape, so that the ground in the same body stays; a free robot that starts in
 * a floor is pushed out of it.
 */
static void links_that_overlap_deeply_do_not_touch(void **state)
{
    (void)state;
    robot_world w;
    open_text("<mujoco><option timestep='.002'/><worldbody><geom type='plane' size='9 9 1' pos='0 "
              "0 -2'/><geom type='box' "
              "size='.3 .3 .3'/><body pos='0 0 .4'><joint axis='1 0 0'/><inertial mass='1' pos='0 "
              "0 .1' diaginertia='.1 "
              ".1 .1'/><body pos='0 0 .1'><joint pos='0 .4 0' axis='0 1 0' damping='1'/><geom "
              "type='box' size='.3 .3 "
              ".3'/><body pos='0 0 .3'><joint pos='.2 0 0' axis='0 1 0' damping='1'/><inertial "
              "mass='1' pos='0 0 "
              ".1' diaginertia='.1 .1 .1'/><body pos='0 0 .1'><joint pos='.2 .1 0' axis='1 0 0' "
              "damping='1'/><geom "
              "type='box' size='.2 .2 .2'/></body></body></body></body><body name='foot' pos='3 0 "
              "-1.95'><freejoint/>"
              "<geom type='box' size='.1 .1 .1'/><body pos='0 0 .3'><joint/><geom "
              "size='.1'/></body></body></worldbody>"
              "</mujoco>",
              &w);
    assert_int_equal(mo_robot_note_count(w.robot), 1);
    CHECK(strstr(mo_robot_note(w.robot, 0),
                 "2 pairs of parts overlap at the reference configuration"));
    run(&w, 2);
    CHECK_NEAR(body_of(&w, "foot").pose.position[2], -1.9, 1e-6);
    close_world(&w);
}

/* A pair touches though contype, conaffinity and an exclusion keep its geoms apart, with its own
 * friction: on a slope of tan 0.5 one block slides, one sticks. */
static void a_pair_touches_with_its_own_surface(void **state)
{
    (void)state;
    robot_world w;
    double v[12];
    open_text("<mujoco><option gravity='4.905 0 -9.81' timestep='.002'/><default><geom contype='0' "
              "conaffinity='0' "
              "friction='1'/></default><worldbody><body name='ground'><geom name='floor' "
              "type='plane' size='9 9 "
              "1'/></body><body name='a' pos='0 0 .1'><freejoint/><geom name='a' type='box' "
              "size='.1 .1 .1'/></body>"
              "<body name='b' pos='0 1 .1'><freejoint/><geom name='b' type='box' size='.1 .1 "
              ".1'/></body></worldbody>"
              "<contact><pair geom1='a' geom2='floor' friction='.25 .25'/><pair geom1='floor' "
              "geom2='b'/><exclude "
              "body1='a' body2='ground'/></contact></mujoco>",
              &w);
    assert_int_equal(w.model.note_count, 0);
    run(&w, 0.5);
    mo_robot_get(w.robot, w.world, NULL, v);
    CHECK_NEAR(v[0], (4.905 - 0.25 * 9.81) * 0.5, 1e-6);
    CHECK_NEAR(v[2], 0, 1e-9);
    CHECK_NEAR(v[6], 0, 1e-9);
    close_world(&w);
}

/*
 * A ball of 1 kg that spins about the vertical, and one that rolls.  condim 4: the moment is
 * torsion times weight against the spin.  condim 6: rolling times weight against rolling; a ball
 * that rolls loses speed at 5/7 of rolling g / radius.
 */
static void torsion_and_rolling_slow_a_ball(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    double v[12] = {0};
    open_text("<mujoco><option gravity='0 0 -10' timestep='.002'/><worldbody><geom type='plane' "
              "size='9 9 1' "
              "friction='.8 .0 .0' condim='1'/><body pos='0 0 .1'><freejoint/><geom size='.1' "
              "mass='1' condim='4' "
              "friction='.8 .002 .1'/></body><body pos='0 2 .1'><freejoint/><geom size='.1' "
              "mass='1' condim='6' "
              "friction='.8 .002 .005'/></body></worldbody></mujoco>",
              &w);
    v[5] = 20;            /* spins, rad/s */
    v[6] = 2, v[10] = 20; /* rolls along x */
    CHECK(mo_robot_set(w.robot, w.world, NULL, v, &why) == MO_OK);
    run(&w, 0.4);
    mo_robot_get(w.robot, w.world, NULL, v);
    const double inertia = 0.4 * 1 * 0.01;
    CHECK_NEAR(v[5], 20 - 0.002 * 10 / inertia * 0.4, 1e-3);
    CHECK_NEAR(v[6], 2 - 0.005 * 10 / 0.1 * 5 / 7 * 0.4, 2e-2);
    CHECK_NEAR(v[10], v[6] / 0.1, 1e-5);
    close_world(&w);
}

/* A rod hangs on a ball joint that may turn by 30 degrees, under gravity to the side: it stops
 * there, and its moment is that of the weight. */
static void a_ball_joint_stops_at_its_limit(void **state)
{
    (void)state;
    robot_world w;
    double q[4], v[3];
    open_text("<mujoco><option gravity='0 10 0' timestep='.002'/><worldbody><body><joint "
              "type='ball' range='0 30' "
              "limited='true' damping='.3'/><geom type='capsule' size='.02' fromto='0 0 0 0 0 -1' "
              "mass='1'/></body>"
              "</worldbody></mujoco>",
              &w);
    run(&w, 4);
    mo_robot_get(w.robot, w.world, q, v);
    const double angle = 2 * acos(fmin(q[0], 1)), degree = 3.14159265358979323846 / 180;
    CHECK_NEAR(angle, 30 * degree, 1e-6);
    CHECK_NEAR(q[1], sin(15 * degree), 1e-6); /* about x */
    const mo_axis_state joint = mo_mechanism_joint(w.world, mo_robot_joint(w.robot, 0, NULL), 0);
    CHECK_NEAR(joint.limit_effort, -10 * 0.5 * cos(30 * degree), 1e-3);
    close_world(&w);
}

/* A URDF arm of motors, which falls limp: as servos they hold it, with a sag of moment over
 * stiffness; with a target it goes there. */
static void servos_hold_an_arm_of_motors(void **state)
{
    (void)state;
    robot_world w;
    mo_message why = {{0}};
    double q = 0;
    const double rate = 20, inertia = 0.1 + 2 * 0.25;
    const char *path = folder_put(&folder, "arm.urdf",
                                  "<robot name='arm'><link name='base'/><link "
                                  "name='arm'><inertial><origin xyz='.5 0 0'/><mass value='2'/>"
                                  "<inertia ixx='.1' iyy='.1' izz='.1'/></inertial></link><joint "
                                  "name='j' type='revolute'><parent "
                                  "link='base'/><child link='arm'/><axis xyz='0 1 0'/><limit "
                                  "lower='-2' upper='2' effort='100'/></joint>"
                                  "</robot>");
    CHECK(mo_model_read(path, NULL, &w.model, &why) == MO_OK);
    assert_int_equal(mo_model_servo(&w.model, rate), 1);
    const mo_world_def def = mo_model_world(&w.model);
    CHECK(mo_world_create(&def, NULL, &w.world, &why) == MO_OK);
    CHECK(mo_model_build(&w.model, w.world, NULL, &w.robot, &why) == MO_OK);
    w.model.step = 0.002;
    run(&w, 2);
    mo_robot_get(w.robot, w.world, &q, NULL);
    const double stiffness = inertia * rate * rate;
    CHECK_NEAR(stiffness * q, 9.81 * 2 * 0.5 * cos(q), 1e-6);
    CHECK(mo_robot_set_control(w.robot, w.world, 0, -1, &why) == MO_OK);
    run(&w, 2);
    mo_robot_get(w.robot, w.world, &q, NULL);
    CHECK_NEAR(stiffness * (q + 1), 9.81 * 2 * 0.5 * cos(q), 1e-6);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geoms_touch_as_in_mjcf),
        cmocka_unit_test(links_of_urdf_that_overlap_at_zero_do_not_touch),
        cmocka_unit_test(links_that_overlap_deeply_do_not_touch),
        cmocka_unit_test(a_pair_touches_with_its_own_surface),
        cmocka_unit_test(torsion_and_rolling_slow_a_ball),
        cmocka_unit_test(a_ball_joint_stops_at_its_limit),
        cmocka_unit_test(servos_hold_an_arm_of_motors),
        cmocka_unit_test(frictions_combine_as_in_mjcf),
        cmocka_unit_test(a_body_without_mass_gets_a_sentence),
        cmocka_unit_test(a_refused_model_leaves_nothing_behind),
        cmocka_unit_test(values_that_are_set_are_read_back),
        cmocka_unit_test(a_released_root_falls),
        cmocka_unit_test(a_mass_without_inertia_takes_that_of_the_shapes),
        cmocka_unit_test(coupled_joints_follow),
        cmocka_unit_test(welds_hold_their_pose),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
