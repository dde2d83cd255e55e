/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Poses, mass matrices and bias forces of our scenes and of odd trees are MuJoCo's.  Built where
 * MuJoCo is installed. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <mujoco/mujoco.h>
#include <string.h>

#include "moreau/forces.h"

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
            for (int j = 0; j < n; ++j)
                CHECK_NEAR(M[i * n + j], full[(from + i) * m->nv + from + j], 1e-10 * size);
        }
        free(M);
        free(bias);
        while (first < w->model.joint_count &&
               mo_robot_joint(w->robot, first, NULL).index == id.index)
            ++first;
    }
    free(full);
}

static void compare_poses(const robot_world *w, const mjModel *m, const mjData *d)
{
    for (int k = 1; k < m->nbody; ++k) {
        const mo_body_state body = mo_body_get(w->world, mo_robot_body(w->robot, k));
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(body.pose.position[c], d->xpos[3 * k + c], 1e-11);
            if (body.kind != MO_BODY_FIXED) CHECK_NEAR(body.centre[c], d->xipos[3 * k + c], 1e-10);
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
    for (int k = 0; k < m->njnt; ++k)
        if (m->jnt_type[k] == mjJNT_FREE || m->jnt_type[k] == mjJNT_BALL)
            mo_quat_normalise(d->qpos + m->jnt_qposadr[k] + (m->jnt_type[k] == mjJNT_FREE ? 3 : 0));
    if (mo_robot_set(w.robot, w.world, d->qpos, d->qvel, &why)) fail_msg("%s: %s", path, why.text);
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
    for (int k = 0; k < 10; ++k)
        compare_with_mujoco(path, &random);
}

/* Springs, dampers and drives of joints, tendons and sites make the accelerations that MuJoCo has
 * without constraints. */
static void drives_accelerate_as_in_mujoco(void **state)
{
    (void)state;
    const char *path = folder_put(
        &folder, "drives.xml",
        "<mujoco><compiler angle='radian'/><default><geom contype='0' conaffinity='0'/></default>"
        "<worldbody><body name='a' pos='0 0 1'><joint name='a' type='slide' axis='1 2 0' "
        "damping='.3' "
        "stiffness='4'/><geom size='.1'/><body name='b' pos='.2 0 0' euler='.1 .2 .3'><joint "
        "name='b' "
        "axis='0 1 1'/><geom type='box' size='.1 .2 .3' pos='0 .3 0'/><site name='s' pos='.1 .2 "
        ".3' "
        "euler='.4 .5 .6'/></body></body><body name='c' pos='3 0 0'><joint name='c' axis='1 0 0'/>"
        "<geom size='.2' pos='0 .2 .1'/></body><body name='d' pos='5 0 0'><freejoint/><geom "
        "type='box' "
        "size='.1 .2 .3'/><site name='d' pos='.1 .1 .1'/></body></worldbody>"
        "<tendon><fixed name='t' stiffness='7' damping='2' springlength='.4'><joint joint='a' "
        "coef='2'/>"
        "<joint joint='b' coef='-.5'/><joint joint='c' coef='.7'/></fixed></tendon>"
        "<actuator><motor tendon='t' gear='3'/><position joint='b' kp='5'/><damper joint='c' "
        "kv='2' "
        "ctrlrange='0 9'/><motor site='s' gear='1 2 3 .4 .5 .6'/><motor site='d' gear='0 0 9 0 0 "
        ".2'/>"
        "<general tendon='t' gaintype='affine' gainprm='.2 .3 .4' biastype='affine' biasprm='1 -2 "
        "-.3'/>"
        "<velocity joint='a' kv='3'/></actuator></mujoco>");
    char error[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) fail_msg("%s", error);
    mjData *d = mj_makeData(m);
    mo_random random = {7};
    for (int round = 0; round < 5; ++round) {
        robot_world w;
        mo_forces forces = {0};
        mo_message why = {{0}};
        open_file(path, &w);
        fill_uniform(&random, -1, 1, m->nq, d->qpos);
        fill_uniform(&random, -1, 1, m->nv, d->qvel);
        fill_uniform(&random, 0, 1, m->nu, d->ctrl);
        mo_quat_normalise(d->qpos + m->nq - 4);
        if (mo_robot_set(w.robot, w.world, d->qpos, d->qvel, &why) ||
            mo_robot_set_controls(w.robot, w.world, d->ctrl, &why) ||
            mo_world_forces(w.world, NULL, &forces, &why))
            fail_msg("%s", why.text);
        mj_forward(m, d);
        assert_int_equal(forces.joint_acceleration_count,
                         m->nv); /* one mechanism with a, b, c; one with d */
        for (int k = 0; k < m->nv; ++k) {
            CHECK_NEAR(forces.joint_accelerations[k], d->qacc_smooth[k],
                       1e-9 * (1 + fabs(d->qacc_smooth[k])));
        }
        mo_forces_clear(&forces);
        close_world(&w);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dynamics_of_our_scenes_are_mujocos),
        cmocka_unit_test(the_dynamics_of_an_odd_tree_are_mujocos),
        cmocka_unit_test(drives_accelerate_as_in_mujoco),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
