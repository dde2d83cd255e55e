/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Lengths, speeds and moment arms of spatial tendons, and what they and muscles do to a robot, are
 * MuJoCo's.
 * Built where MuJoCo is installed. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <mujoco/mujoco.h>
#include <string.h>

static mjModel *load(const char *path)
{
    char error[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) fail_msg("%s: %s", path, error);
    return m;
}

static void normalise_all(const mjModel *m, double *q)
{
    for (int k = 0; k < m->njnt; ++k)
        if (m->jnt_type[k] == mjJNT_FREE || m->jnt_type[k] == mjJNT_BALL)
            mo_quat_normalise(q + m->jnt_qposadr[k] + (m->jnt_type[k] == mjJNT_FREE ? 3 : 0));
}

#define GEOM "<geom size='.05' mass='1' contype='0' conaffinity='0'/>"
#define ODD                                                                                        \
    "<worldbody><site name='w' pos='.1 -.5 .2'/><site name='s' pos='0 200 500'/>"                  \
    "<body name='f' pos='.3 0 .4'><freejoint/>" GEOM                                               \
    "<geom name='ball' size='.2' pos='.1 .1 0' contype='0' conaffinity='0'/>"                      \
    "<site name='f' pos='.3 .2 .1'/><site name='in' pos='.55 .35 .1'/>"                            \
    "<geom name='ring' type='cylinder' size='.1 .1' pos='.5 .4 .1' euler='.3 .4 0' contype='0' "   \
    "conaffinity='0'/><body pos='1 0 0'><joint type='ball'/>" GEOM                                 \
    "<geom name='drum' type='cylinder' size='.15 .1' pos='.2 0 0' contype='0' conaffinity='0'/>"   \
    "<site name='b' pos='.1 .4 0'/><body pos='.5 0 0'><joint name='h' axis='1 1 0' "               \
    "springref='.3' ref='.1'/>" GEOM "<site name='h' pos='.5 .1 -.2'/></body></body></body>"       \
    "<body pos='2 1 0'><joint type='slide'/>" GEOM "<site name='t'/></body></worldbody>"

/* The side point of the ball is far away: MuJoCo 2.2 takes one whose projection into the plane of
 * the path is inside the ball for a ring, later versions and Moreau do not. */
static void lengths_and_speeds_of_paths_are_mujocos(void **state)
{
    (void)state;
    const char *path = folder_put(
        &folder, "paths.xml",
        "<mujoco><compiler angle='radian'/>" ODD "<tendon><spatial stiffness='7'><site site='w'/>"
        "<geom geom='ball' sidesite='s'/><site site='b'/><geom geom='drum'/><site site='h'/>"
        "</spatial><spatial><site site='w'/><geom geom='ball'/><site site='t'/><pulley "
        "divisor='3'/><site site='f'/><geom geom='drum' sidesite='b'/><site site='t'/><site "
        "site='h'/></spatial><spatial><site site='f'/><geom geom='ring' sidesite='in'/><site "
        "site='t'/></spatial></tendon></mujoco>");
    /* MuJoCo looks for the point on a ring with a tolerance of 1e-6. */
    static const double CLOSE[] = {1e-10, 1e-10, 1e-5};
    mo_random random = {21};
    robot_world w;
    mjModel *m = load(path);
    mjData *d = mj_makeData(m);
    open_file(path, &w);
    for (int round = 0; round < 500; ++round) {
        fill_uniform(&random, -1, 1, m->nq, d->qpos);
        fill_uniform(&random, -1, 1, m->nv, d->qvel);
        normalise_all(m, d->qpos);
        CHECK(mo_robot_set(w.robot, w.world, d->qpos, d->qvel, NULL) == MO_OK);
        mj_forward(m, d);
        for (int k = 0; k < m->ntendon; ++k) {
            int number = -1;
            const mo_mechanism_id id = mo_robot_tendon(w.robot, k, &number);
            const mo_tendon_state t = mo_mechanism_tendon(w.world, id, number);
            CHECK_NEAR(t.length, d->ten_length[k], CLOSE[k]);
            CHECK_NEAR(t.speed, d->ten_velocity[k], 10 * CLOSE[k]);
        }
    }
    close_world(&w);
    mj_deleteData(d);
    mj_deleteModel(m);
}

/* Runs both with one short step; positions agree to the order of the step. */
static void compare_motion(const char *path, double time, double close)
{
    robot_world w;
    mjModel *m = load(path);
    mjData *d = mj_makeData(m);
    open_file(path, &w);
    assert_int_equal(w.model.note_count, 0);
    double q[50], moved = 0;
    for (int k = 0; k < m->nu; ++k) {
        d->ctrl[k] = 0.6;
        CHECK(mo_robot_set_control(w.robot, w.world, k, 0.6, NULL) == MO_OK);
    }
    run(&w, time);
    for (int k = (int)ceil(time / m->opt.timestep - 1e-6); k > 0; --k)
        mj_step(m, d);
    mo_robot_get(w.robot, w.world, q, NULL);
    for (int k = 0; k < m->nq; ++k) {
        CHECK_NEAR(q[k], d->qpos[k], close);
        moved = fmax(moved, fabs(q[k] - m->qpos0[k]));
    }
    CHECK(moved > 20 * close); /* or nothing was seen */
    close_world(&w);
    mj_deleteData(d);
    mj_deleteModel(m);
}

static void springs_dampers_and_motors_on_paths_move_as_in_mujoco(void **state)
{
    (void)state;
    compare_motion(
        folder_put(
            &folder, "moves.xml",
            "<mujoco><compiler angle='radian'/><option timestep='1e-5' gravity='0 0 -1'/>" ODD
            "<tendon><spatial name='a' stiffness='17' damping='.3'><site site='w'/><geom "
            "geom='ball' sidesite='s'/><site site='b'/><geom geom='drum'/><site site='h'/>"
            "</spatial><spatial name='c' stiffness='5' springlength='.5'><pulley "
            "divisor='2'/><site site='f'/><site site='t'/></spatial></tendon>"
            "<actuator><motor tendon='a' gear='2'/><position tendon='c' kp='3'/></actuator>"
            "</mujoco>"),
        0.2, 1e-4);
}

static void muscles_move_as_in_mujoco(void **state)
{
    (void)state;
    compare_motion(
        folder_put(&folder, "muscles.xml",
                   "<mujoco><compiler angle='radian'/><option timestep='1e-5' gravity='0 0 -1'/>"
                   "<default><general gaintype='muscle' biastype='muscle' dyntype='muscle' "
                   "dynprm='.02 .05'/></default>" ODD
                   "<tendon><spatial name='a' ><site site='w'/><geom geom='ball' sidesite='s'/>"
                   "<site site='b'/><geom geom='drum'/><site site='h'/></spatial><spatial "
                   "name='c'><site site='f'/><site site='t'/></spatial></tendon><actuator><muscle "
                   "tendon='a' lengthrange='.5 3' force='8'/><muscle tendon='c' lengthrange='.3 "
                   "2' force='6' range='.6 1.2' lmin='.4' lmax='1.8' vmax='3' fpmax='1.1' "
                   "fvmax='1.4' timeconst='.01 .02'/><muscle joint='h' gear='.3' scale='4' "
                   "lengthrange='-1 1'/></actuator></mujoco>"),
        0.05, 1e-4);
}

static void a_medium_slows_down_as_in_mujoco(void **state)
{
    (void)state;
    compare_motion(
        folder_put(
            &folder, "medium.xml",
            "<mujoco><compiler angle='radian'/><option timestep='1e-5' density='200' "
            "viscosity='2' wind='1 2 3' gravity='0 1 -3'/><worldbody><body><freejoint/><geom "
            "type='box' size='.1 .2 .3' euler='.3 .2 .1' mass='2'/><body pos='.5 0 0'>"
            "<joint axis='0 1 1'/><geom type='capsule' size='.05 .2' pos='.2 0 0' mass='1'/>"
            "</body></body></worldbody></mujoco>"),
        0.3, 3e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_and_speeds_of_paths_are_mujocos),
        cmocka_unit_test(muscles_move_as_in_mujoco),
        cmocka_unit_test(a_medium_slows_down_as_in_mujoco),
        cmocka_unit_test(springs_dampers_and_motors_on_paths_move_as_in_mujoco),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
