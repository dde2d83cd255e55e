/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Models in a world: our scenes stand, grasp, turn and push as they are meant to; what may touch is what MJCF says; and, where MuJoCo is installed, poses, mass matrices
 * and bias forces of our scenes and of random trees are MuJoCo's.
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <string.h>

#include "linalg/vec3.h"
#include "model_files.h"
#include "moreau/joint.h"
#include "moreau/robot.h"
#ifdef MOREAU_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

typedef struct robot_world {
    mo_model model;
    mo_world *world;
    mo_robot *robot;
} robot_world;

static model_folder folder;

static int open_folder(void **state)
{
    (void)state;
    folder_make(&folder);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    folder_remove(&folder);
    return 0;
}

static void open_file(const char *path, robot_world *w)
{
    mo_message why = {{0}};
    if (mo_model_read(path, NULL, &w->model, &why)) {
        fail_msg("%s: %s", path, why.text);
    }
    const mo_world_def def = mo_model_world(&w->model);
    if (mo_world_create(&def, NULL, &w->world, &why) ||
        mo_model_build(&w->model, w->world, NULL, &w->robot, &why)) {
        fail_msg("%s: %s", path, why.text);
    }
}

static void open_text(const char *text, robot_world *w)
{
    open_file(folder_put(&folder, "model.xml", text), w);
}

static void open_scene(const char *name, const char *key, robot_world *w)
{
    char path[600];
    mo_message why = {{0}};
    snprintf(path, sizeof path, "%s/scenes/models/%s.xml", MOREAU_SOURCE_DIR, name);
    open_file(path, w);
    assert_int_equal(w->model.note_count, 0);
    if (key) {
        const int k = mo_model_find_key(&w->model, key);
        CHECK(k >= 0);
        if (mo_robot_set_key(w->robot, w->world, w->model.keys + k, &why)) {
            fail_msg("%s", why.text);
        }
    }
}

static void close_world(robot_world *w)
{
    mo_robot_destroy(w->robot);
    mo_world_destroy(w->world);
    mo_model_clear(&w->model);
}

/* Steps of the model's length, all of which must be solved. */
static void run(robot_world *w, double time)
{
    const int steps = (int)ceil(time / w->model.step - 1e-6);
    for (int k = 0; k < steps; ++k) {
        mo_step_report report;
        mo_message why = {{0}};
        if (mo_world_step(w->world, w->model.step, &report, &why)) {
            fail_msg("step %d: %s", k, why.text);
        }
        if (report.status != MO_SOLVED) {
            fail_msg("step %d at t = %g is not solved: %s", k, mo_world_time(w->world),
                     report.message.text);
        }
    }
}

static mo_body_state body_of(const robot_world *w, const char *name)
{
    const int k = mo_model_find_body(&w->model, name);
    CHECK(k >= 0);
    return mo_body_get(w->world, mo_robot_body(w->robot, k));
}

/* The force that the contacts of the last step put on a body. */
static void force_on(const robot_world *w, const char *name, double force[3])
{
    const mo_body_id id = mo_robot_body(w->robot, mo_model_find_body(&w->model, name));
    memset(force, 0, 3 * sizeof *force);
    for (int k = 0; k < mo_world_contact_count(w->world); ++k) {
        const mo_contact c = mo_world_contact(w->world, k);
        const double sign = c.b.index == id.index ? 1 : c.a.index == id.index ? -1 : 0;
        mo_vec3_along(force, sign / w->model.step, c.impulse, force);
    }
}

/* ---- our scenes ----------------------------------------------------------------------------------- */

static void the_quadruped_stands_on_its_feet(void **state)
{
    (void)state;
    static const char *const FEET[] = {"front_right_foot", "front_left_foot", "rear_right_foot",
                                       "rear_left_foot"};
    robot_world w;
    double sum = 0, mass = 0, before[4][3];
    open_scene("quadruped", "stand", &w);
    run(&w, 6);
    for (int k = 0; k < 4; ++k) {
        mo_vec3_copy(body_of(&w, FEET[k]).pose.position, before[k]);
    }
    run(&w, 1);
    for (int k = 0; k < 4; ++k) {
        double force[3], moved[3];
        force_on(&w, FEET[k], force);
        CHECK(force[2] > 10);
        sum += force[2];
        mo_vec3_minus(body_of(&w, FEET[k]).pose.position, before[k], moved);
        CHECK_BELOW(mo_vec3_norm(moved), 1e-9);
    }
    for (int k = 1; k < w.model.body_count; ++k) {
        mass += w.model.bodies[k].mass;
    }
    CHECK_NEAR(sum, 9.81 * mass, 1e-6 * sum);
    CHECK(body_of(&w, "trunk").pose.position[2] > 0.25);
    close_world(&w);
}

static void the_biped_stands(void **state)
{
    (void)state;
    robot_world w;
    open_scene("biped", "stand", &w);
    run(&w, 2);
    CHECK(body_of(&w, "torso").pose.position[2] > 0.85);
    CHECK_BELOW(mo_vec3_norm(body_of(&w, "torso").velocity), 1e-3);
    close_world(&w);
}

static void the_arm_pushes_the_box(void **state)
{
    (void)state;
    robot_world w;
    open_scene("arm", "push", &w);
    const double before = body_of(&w, "box").pose.position[1];
    run(&w, 2.5);
    CHECK(body_of(&w, "box").pose.position[1] > before + 0.03);
    CHECK_NEAR(body_of(&w, "box").pose.position[2], 0.28, 1e-4);
    close_world(&w);
}

static void the_gripper_lifts_the_bar(void **state)
{
    (void)state;
    robot_world w;
    open_scene("gripper", "lift", &w);
    run(&w, 1.5);
    const mo_body_state bar = body_of(&w, "bar");
    CHECK(bar.pose.position[2] > 0.12);
    CHECK_BELOW(mo_vec3_norm(bar.velocity), 1e-3);
    close_world(&w);
}

static void the_hand_turns_the_ball(void **state)
{
    (void)state;
    robot_world w;
    open_scene("hand", "grasp", &w);
    run(&w, 0.5);
    const double height = body_of(&w, "ball").pose.position[2];
    mo_message why;
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(mo_robot_set_control(w.robot, w.world, 3 * k, 0.3, &why), MO_OK);
    }
    run(&w, 0.5);
    const mo_body_state ball = body_of(&w, "ball");
    CHECK(fabs(ball.pose.orientation[3]) > 0.05); /* turned about z */
    CHECK_NEAR(ball.pose.position[2], height, 0.01);
    close_world(&w);
}

static void the_loop_of_the_linkage_stays_closed(void **state)
{
    (void)state;
    robot_world w;
    open_scene("linkage", "turn", &w);
    for (int k = 0; k < 20; ++k) {
        run(&w, 0.1);
        const mo_body_state rocker = body_of(&w, "rocker"), coupler = body_of(&w, "coupler");
        const double end[3] = {0, 0, 0.2}, tip[3] = {0.3, 0, 0.1};
        double a[3], b[3], apart[3];
        mo_pose_point(&rocker.pose, end, a);
        mo_pose_point(&coupler.pose, tip, b);
        mo_vec3_minus(a, b, apart);
        CHECK_BELOW(mo_vec3_norm(apart), 1e-4);
    }
    double q[3];
    mo_robot_get(w.robot, w.world, q, NULL);
    CHECK(fabs(q[0]) > 6.3); /* the crank went round */
    close_world(&w);
}

static void the_crank_pin_stays_in_its_bearing(void **state)
{
    (void)state;
    robot_world w;
    double far_left = 1, far_right = -1;
    open_scene("slider_crank", "start", &w);
    for (int k = 0; k < 100; ++k) {
        run(&w, 0.01);
        const mo_body_state crank = body_of(&w, "crank"), rod = body_of(&w, "rod");
        const double pin[3] = {0.05, 0, 0}, ring[3] = {-0.15, 0, 0};
        double a[3], b[3], apart[3], q[3];
        mo_pose_point(&crank.pose, pin, a);
        mo_pose_point(&rod.pose, ring, b);
        mo_vec3_minus(a, b, apart);
        CHECK_BELOW(mo_vec3_norm(apart), 1.3e-3);
        mo_robot_get(w.robot, w.world, q, NULL);
        far_left = fmin(far_left, q[1]);
        far_right = fmax(far_right, q[1]);
    }
    CHECK_NEAR(far_right - far_left, 0.1, 0.003); /* the stroke is twice the crank */
    close_world(&w);
}

/* ---- what may touch -------------------------------------------------------------------------------- */

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
    if (mo_world_step(w.world, 1e-6, &report, &why)) {
        fail_msg("%s", why.text);
    }
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
    assert_int_equal(contacts_of("<geom/>" FREE("<geom pos='1.9 0 0'/>")), 1);
    assert_int_equal(contacts_of("<geom contype='2'/>" FREE(
                         "<geom pos='1.9 0 0' conaffinity='2' contype='0'/>")),
                     1);
    assert_int_equal(contacts_of("<geom contype='2' conaffinity='0'/>" FREE(
                         "<geom pos='1.9 0 0' conaffinity='4' contype='1'/>")),
                     0);
    assert_int_equal(contacts_of("<geom contype='2' conaffinity='0'/>" FREE(
                         "<geom pos='1.9 0 0' conaffinity='2' contype='0'/>")),
                     1);
    /* parent and child do not; a grandchild does; with the world as the parent they do */
    assert_int_equal(contacts_of(HINGE("<geom/>" HINGE("<geom pos='1.9 0 0'/>"))), 0);
    assert_int_equal(
        contacts_of(HINGE("<geom/>" HINGE(
            "<inertial mass='1' diaginertia='1 1 1'/>" HINGE("<geom pos='1.9 0 0'/>")))),
        1);
    assert_int_equal(contacts_of("<body><geom/>" HINGE("<geom pos='1.9 0 0'/>") "</body>"), 1);
    /* what is fixed to each other counts as one body */
    assert_int_equal(contacts_of(HINGE("<geom/><body><geom pos='1.9 0 0'/></body>")), 0);
    assert_int_equal(contacts_of(HINGE("<geom/><body>" HINGE("<geom pos='1.9 0 0'/>") "</body>")),
                     0);
    assert_int_equal(
        contacts_of(HINGE("<inertial mass='1' diaginertia='1 1 1'/><body><geom/></body>"
                          "<body><geom pos='1.9 0 0'/></body>")),
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

/* q and v go in and come out, also those of free bodies, whose centre of mass is elsewhere. */
static void what_is_set_is_what_is_got(void **state)
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
    for (int k = 0; k < w.model.q_count; ++k) {
        CHECK_NEAR(got_q[k], q[k], 1e-14);
    }
    for (int k = 0; k < w.model.v_count; ++k) {
        CHECK_NEAR(got_v[k], v[k], 1e-13);
    }
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
    for (int k = 0; k < 10; ++k) {
        assert_int_equal(mo_world_step(world, 0.01, &report, &why), MO_OK);
    }
    double q[8], v[7];
    mo_robot_get(robot, world, q, v);
    CHECK_NEAR(v[2], -0.981, 1e-9);
    CHECK_NEAR(v[6], 0, 1e-9);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
}

/* A model that starts far beyond a limit comes back to it without a kick. */
static void a_start_beyond_a_limit_is_mended_slowly(void **state)
{
    (void)state;
    robot_world w;
    double q = 0, v = 0, fastest = 0;
    open_text(
        "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody><body><joint damping='100' "
        "range='30 70'/><geom type='capsule' size='.05' fromto='0 0 0 1 0 "
        "0'/></body></worldbody></mujoco>",
        &w);
    for (int k = 0; k < 200; ++k) {
        run(&w, 0.01);
        mo_robot_get(w.robot, w.world, &q, &v);
        fastest = fmax(fastest, fabs(v));
    }
    const double degree = 3.14159265358979323846 / 180;
    CHECK(q >= 30 * degree - 1e-6 && q < 40 * degree);
    CHECK_BELOW(fastest, 0.4 * degree / 0.01 * 1.0001);
    close_world(&w);
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

/* A motor turns one of two fingers; the other follows, along a polynomial, in MJCF and as a mimic in URDF. */
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
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(box.pose.position[c], expected[c], 1e-6);
        }
        CHECK_NEAR(fabs(box.pose.orientation[3]), sqrt(0.5), 1e-6);
        close_world(&w);
    }
}

/* ---- with MuJoCo ------------------------------------------------------------------------------------ */

#ifdef MOREAU_HAVE_MUJOCO

/* The dynamics of each mechanism are blocks of MuJoCo's. */
static void compare_dynamics(const robot_world *w, const mjModel *m, mjData *d)
{
    double *full = malloc((size_t)m->nv * (size_t)m->nv * sizeof *full);
    mj_fullM(m, full, d->qM);
    for (int first = 0; first < w->model.joint_count;) {
        const mo_mechanism_id id = mo_robot_joint(w->robot, first, NULL);
        const int from = w->model.joints[first].first_v;
        if (!id.index) {
            ++first;
            continue;
        }
        const int n = mo_mechanism_get(w->world, id).v_count;
        double *M = malloc((size_t)n * (size_t)n * sizeof *M),
               *bias = malloc((size_t)n * sizeof *bias);
        assert_int_equal(mo_mechanism_mass_matrix(w->world, id, M, NULL), MO_OK);
        assert_int_equal(mo_mechanism_bias(w->world, id, bias, NULL), MO_OK);
        double size = 0, force = 0;
        for (int k = 0; k < n; ++k) {
            size = fmax(size, M[k * n + k]);
            force = fmax(force, fabs(bias[k]));
        }
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(bias[i], d->qfrc_bias[from + i], 1e-10 * fmax(force, 1));
            for (int j = 0; j < n; ++j) {
                CHECK_NEAR(M[i * n + j], full[(from + i) * m->nv + from + j], 1e-10 * size);
            }
        }
        free(M);
        free(bias);
        while (first < w->model.joint_count &&
               mo_robot_joint(w->robot, first, NULL).index == id.index) {
            ++first;
        }
    }
    free(full);
}

static void compare_poses(const robot_world *w, const mjModel *m, const mjData *d)
{
    for (int k = 1; k < m->nbody; ++k) {
        const mo_body_state body = mo_body_get(w->world, mo_robot_body(w->robot, k));
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(body.pose.position[c], d->xpos[3 * k + c], 1e-11);
            if (body.kind != MO_BODY_FIXED) {
                CHECK_NEAR(body.centre[c], d->xipos[3 * k + c], 1e-10);
            }
        }
    }
}

static void compare_with_mujoco(const char *path, mo_random *random)
{
    char error[1000] = "";
    robot_world w;
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    mjData *d = mj_makeData(m);
    mo_message why = {{0}};
    open_file(path, &w);
    fill_uniform(random, -1, 1, m->nq, d->qpos);
    fill_uniform(random, -1, 1, m->nv, d->qvel);
    for (int k = 0; k < m->njnt; ++k) {
        if (m->jnt_type[k] == mjJNT_FREE || m->jnt_type[k] == mjJNT_BALL) {
            mo_quat_normalise(d->qpos + m->jnt_qposadr[k] + (m->jnt_type[k] == mjJNT_FREE ? 3 : 0));
        }
    }
    if (mo_robot_set(w.robot, w.world, d->qpos, d->qvel, &why)) {
        fail_msg("%s: %s", path, why.text);
    }
    mj_forward(m, d);
    compare_poses(&w, m, d);
    compare_dynamics(&w, m, d);
    close_world(&w);
    mj_deleteData(d);
    mj_deleteModel(m);
}

static void the_dynamics_of_our_scenes_are_mujocos(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"arm",     "biped",     "gripper",     "hand",
                                        "linkage", "quadruped", "slider_crank"};
    mo_random random = {11};
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; ++k) {
        char path[600];
        snprintf(path, sizeof path, "%s/scenes/models/%s.xml", MOREAU_SOURCE_DIR, NAMES[k]);
        compare_with_mujoco(path, &random);
    }
}

/* Everything that the frames of bodies, joints and inertias can do, on one chain with a branch. */
static void the_dynamics_of_an_odd_tree_are_mujocos(void **state)
{
    (void)state;
    mo_random random = {12};
    const char *path = folder_put(
        &folder, "odd.xml",
        "<mujoco><compiler eulerseq='zYx'/><worldbody><body pos='1 2 3' euler='10 20 30'>"
        "<body pos='.1 .2 .3' axisangle='1 2 3 40'><joint type='slide' axis='1 1 0' ref='.3'/>"
        "<joint pos='.3 .2 .1' axis='1 2 3' ref='20' armature='.1'/><inertial pos='.1 .2 .3' "
        "mass='2' euler='30 40 50' diaginertia='.1 .2 .25'/>"
        "<body pos='.5 0 0' zaxis='1 2 3'><joint type='ball' pos='.1 .1 .1'/>"
        "<geom type='capsule' size='.1 .3' euler='10 20 30' pos='.1 0 0'/>"
        "<body pos='0 .4 0'><geom type='ellipsoid' size='.1 .2 .3' mass='1.5'/></body></body>"
        "<body xyaxes='1 2 3 -2 1 0'><joint type='slide'/><geom type='box' size='.1 .2 .3' "
        "fromto='0 0 0 1 2 3'/></body></body></body>"
        "<body pos='5 5 5'><freejoint/><geom size='.3' pos='.1 .2 .3'/>"
        "<body pos='1 0 0'><joint axis='1 0 1'/><geom size='.2' pos='.2 .2 .2'/></body></body>"
        "</worldbody></mujoco>");
    for (int k = 0; k < 10; ++k) {
        compare_with_mujoco(path, &random);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geoms_touch_as_in_mjcf),
        cmocka_unit_test(frictions_combine_as_in_mjcf),
        cmocka_unit_test(a_body_without_mass_gets_a_sentence),
        cmocka_unit_test(what_is_set_is_what_is_got),
        cmocka_unit_test(a_released_root_falls),
        cmocka_unit_test(a_mass_without_inertia_takes_that_of_the_shapes),
        cmocka_unit_test(a_start_beyond_a_limit_is_mended_slowly),
        cmocka_unit_test(coupled_joints_follow),
        cmocka_unit_test(welds_hold_their_pose),
#ifdef MOREAU_HAVE_MUJOCO
        cmocka_unit_test(the_dynamics_of_our_scenes_are_mujocos),
        cmocka_unit_test(the_dynamics_of_an_odd_tree_are_mujocos),
#endif
        cmocka_unit_test(the_quadruped_stands_on_its_feet),
        cmocka_unit_test(the_biped_stands),
        cmocka_unit_test(the_arm_pushes_the_box),
        cmocka_unit_test(the_gripper_lifts_the_bar),
        cmocka_unit_test(the_hand_turns_the_ball),
        cmocka_unit_test(the_loop_of_the_linkage_stays_closed),
        cmocka_unit_test(the_crank_pin_stays_in_its_bearing),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
