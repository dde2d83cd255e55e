/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A model of a file beside MuJoCo's of the same file: bodies, joints, geoms, actuators, tendons and
 * keyframes. */
#ifndef MO_TESTS_MODEL_COMPARE_H
#define MO_TESTS_MODEL_COMPARE_H

#include "model_text.h"

#include <mujoco/mujoco.h>
#include <string.h>

#include "io/model_reader.h"
#include "linalg/principal.h"

static inline void full_inertia(const mjModel *m, int body, double inertia[6])
{
    double Q[9], D[9] = {0}, I[9];
    for (int k = 0; k < 3; ++k)
        D[4 * k] = m->body_inertia[3 * body + k];
    mo_quat_matrix(m->body_iquat + 4 * body, Q);
    mo_mat3_turn(Q, D, I);
    const double six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    memcpy(inertia, six, sizeof six);
}

/* Relative to the size of the numbers, and to 1 where they are small. */
static inline void check_all(const char *what, const double *ours, const double *theirs, int count,
                             double scale, double tolerance)
{
    for (int k = 0; k < count; ++k)
        if (!(fabs(ours[k] - theirs[k]) <= tolerance * fmax(scale, fabs(theirs[k]))))
            fail_msg("%s[%d] is %.17g, in MuJoCo %.17g", what, k, ours[k], theirs[k]);
}

/* The same orientation: quaternions up to their sign. */
static inline void check_turn(const char *what, const double *ours, const double *theirs,
                              double tolerance)
{
    double dot = 0;
    for (int k = 0; k < 4; ++k)
        dot += ours[k] * theirs[k];
    const double sign = dot < 0 ? -1 : 1,
                 q[4] = {sign * ours[0], sign * ours[1], sign * ours[2], sign * ours[3]};
    check_all(what, q, theirs, 4, 1, tolerance);
}

static inline int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/*
 * MuJoCo keeps principal moments and axes.  Where it must find them, it stops turning at angles of
 * some 1e-6: the axes are known that well, and the moments, in which the angle enters squared, to
 * 1e-12.  So the moments are compared closely, and the whole matrix closely where nothing had to be
 * found.
 */
static inline void compare_inertia(const mo_model *model, const mjModel *m, int body,
                                   double tolerance)
{
    const double *ours = model->bodies[body].inertia;
    double theirs[6], values[3], Q[9], principal[3];
    int geoms = 0;
    for (int k = 0; k < model->geom_count; ++k)
        geoms += model->geoms[k].body == body;
    mo_principal_axes(ours, values, Q);
    memcpy(principal, m->body_inertia + 3 * body, sizeof principal);
    qsort(values, 3, sizeof *values, by_size);
    qsort(principal, 3, sizeof *principal, by_size);
    check_all("principal moment", values, principal, 3, principal[2], tolerance);
    full_inertia(m, body, theirs);
    const int is_full = geoms == 0 && (ours[3] != 0 || ours[4] != 0 || ours[5] != 0);
    check_all("inertia", ours, theirs, 6, principal[2], geoms > 1 || is_full ? 3e-6 : tolerance);
}

static inline void compare_bodies(const mo_model *model, const mjModel *m, double tolerance)
{
    assert_int_equal(model->body_count, m->nbody);
    for (int k = 1; k < model->body_count; ++k) {
        const mo_model_body *body = model->bodies + k;
        assert_int_equal(body->parent, m->body_parentid[k]);
        check_all("mass", &body->mass, m->body_mass + k, 1, 0, tolerance);
        check_all("centre", body->centre, m->body_ipos + 3 * k, 3, 1, tolerance);
        compare_inertia(model, m, k, tolerance);
        check_all("position", body->pose.position, m->body_pos + 3 * k, 3, 1, 1e-14);
        check_turn("orientation", body->pose.orientation, m->body_quat + 4 * k, 1e-12);
    }
}

static inline void compare_joints(const mo_model *model, const mjModel *m)
{
    assert_int_equal(model->joint_count, m->njnt);
    assert_int_equal(model->q_count, m->nq);
    assert_int_equal(model->v_count, m->nv);
    check_all("q", model->q, m->qpos0, m->nq, 1, 1e-12);
    for (int k = 0; k < m->njnt; ++k) {
        const mo_model_joint *joint = model->joints + k;
        const int v = m->jnt_dofadr[k], q = m->jnt_qposadr[k];
        assert_int_equal((int)joint->kind, m->jnt_type[k]);
        assert_int_equal(joint->body, m->jnt_bodyid[k]);
        assert_int_equal(joint->first_q, q);
        assert_int_equal(joint->first_v, v);
        assert_int_equal(joint->has_limits, m->jnt_limited[k]);
        check_all("damping", &joint->damping, m->dof_damping + v, 1, 0, 1e-14);
        check_all("armature", &joint->armature, m->dof_armature + v, 1, 0, 1e-14);
        check_all("dry friction", &joint->dry_friction, m->dof_frictionloss + v, 1, 0, 1e-14);
        check_all("stiffness", &joint->stiffness, m->jnt_stiffness + k, 1, 0, 1e-14);
        if (joint->has_limits) check_all("range", joint->range, m->jnt_range + 2 * k, 2, 1, 1e-14);
        if (joint->kind >= MO_MODEL_SLIDE) {
            check_all("axis", joint->axis, m->jnt_axis + 3 * k, 3, 1, 1e-14);
            check_all("spring", &joint->spring_ref, m->qpos_spring + q, 1, 1, 1e-14);
        }
        if (joint->kind != MO_MODEL_FREE)
            check_all("anchor", joint->anchor, m->jnt_pos + 3 * k, 3, 1, 1e-14);
    }
}

static inline void compare_geoms(const mo_model *model, const mjModel *m)
{
    assert_int_equal(model->geom_count, m->ngeom);
    for (int k = 0; k < m->ngeom; ++k) {
        const mo_model_geom *geom = model->geoms + k;
        const mo_material *material = &geom->shape.material;
        assert_int_equal((int)geom->shape.layer, m->geom_contype[k]);
        assert_int_equal((int)geom->shape.mask, m->geom_conaffinity[k]);
        assert_int_equal(material->dims, m->geom_condim[k]);
        assert_int_equal(material->priority, m->geom_priority[k]);
        const double friction[3] = {material->friction, material->torsion, material->rolling};
        check_all("friction", friction, m->geom_friction + 3 * k, 3, 0, 1e-14);
        if (m->geom_type[k] != mjGEOM_MESH) {
            check_all("place", geom->shape.pose.position, m->geom_pos + 3 * k, 3, 1, 1e-13);
            check_turn("turn", geom->shape.pose.orientation, m->geom_quat + 4 * k, 1e-12);
        }
    }
}

static inline void compare_actuators(const mo_model *model, const mjModel *m)
{
    assert_int_equal(model->actuator_count, m->nu);
    for (int k = 0; k < m->nu; ++k) {
        const mo_model_actuator *a = model->actuators + k;
        const int target = a->joint >= 0 ? a->joint : a->tendon >= 0 ? a->tendon : a->site;
        assert_int_equal(m->actuator_trntype[k], a->joint >= 0    ? mjTRN_JOINT
                                                 : a->tendon >= 0 ? mjTRN_TENDON
                                                                  : mjTRN_SITE);
        assert_int_equal(target, m->actuator_trnid[2 * k]);
        if (m->actuator_gaintype[k] == mjGAIN_AFFINE) {
            check_all("gain of length", &a->gain_length, m->actuator_gainprm + mjNGAIN * k + 1, 1,
                      0, 1e-14);
            check_all("gain of speed", &a->gain_speed, m->actuator_gainprm + mjNGAIN * k + 2, 1, 0,
                      1e-14);
        }
        assert_int_equal(m->actuator_dyntype[k], a->dynamics == MO_DYNAMICS_NONE ? mjDYN_NONE
                                                 : a->dynamics == MO_DYNAMICS_INTEGRATOR
                                                     ? mjDYN_INTEGRATOR
                                                     : mjDYN_FILTER);
        if (a->dynamics == MO_DYNAMICS_FILTER) {
            check_all("time constant", &a->time_constant, m->actuator_dynprm + mjNDYN * k, 1, 0,
                      1e-14);
        }
        check_all("gear", a->gear, m->actuator_gear + 6 * k, 6, 0, 1e-14);
        check_all("gain", &a->gain, m->actuator_gainprm + mjNGAIN * k, 1, 0, 1e-14);
        if (m->actuator_biastype[k] == mjBIAS_AFFINE)
            check_all("bias", a->bias, m->actuator_biasprm + mjNBIAS * k, 3, 0, 1e-14);
        assert_int_equal(a->has_control_range, m->actuator_ctrllimited[k]);
        assert_int_equal(a->has_force_range, m->actuator_forcelimited[k]);
        if (a->has_control_range) {
            check_all("control range", a->control_range, m->actuator_ctrlrange + 2 * k, 2, 0,
                      1e-14);
        }
        if (a->has_force_range)
            check_all("force range", a->force_range, m->actuator_forcerange + 2 * k, 2, 0, 1e-14);
    }
}

static inline void compare_tendons(const mo_model *model, const mjModel *m)
{
    assert_int_equal(model->tendon_count, m->ntendon);
    for (int k = 0; k < m->ntendon; ++k) {
        const mo_model_tendon *t = model->tendons + k;
        assert_int_equal(t->count, m->tendon_num[k]);
        for (int i = 0; i < t->count; ++i) {
            assert_int_equal(t->joints[i], m->wrap_objid[m->tendon_adr[k] + i]);
            check_all("coefficient", t->coefficients + i, m->wrap_prm + m->tendon_adr[k] + i, 1, 0,
                      1e-14);
        }
        check_all("stiffness", &t->stiffness, m->tendon_stiffness + k, 1, 0, 1e-14);
        check_all("damping", &t->damping, m->tendon_damping + k, 1, 0, 1e-14);
        check_all("friction", &t->dry_friction, m->tendon_frictionloss + k, 1, 0, 1e-14);
        check_all("spring length", t->slack, m->tendon_lengthspring + k, 1, 1e-14, 1e-14);
        assert_int_equal(t->has_limits, m->tendon_limited[k]);
        if (t->has_limits) check_all("range", t->range, m->tendon_range + 2 * k, 2, 0, 1e-14);
    }
}

static inline void compare_keys(const mo_model *model, const mjModel *m)
{
    assert_int_equal(model->key_count, m->nkey);
    for (int k = 0; k < m->nkey; ++k) {
        check_all("key q", model->keys[k].q, m->key_qpos + k * m->nq, m->nq, 1, 1e-12);
        check_all("key v", model->keys[k].v, m->key_qvel + k * m->nv, m->nv, 1, 1e-14);
        check_all("key control", model->keys[k].control, m->key_ctrl + k * m->nu, m->nu, 1, 1e-14);
    }
}

static inline void compare_file(const char *path, double tolerance)
{
    char error[1000] = "";
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    mo_model model;
    if (!m) {
        fail_msg("MuJoCo does not load %s: %s", path, error);
        return;
    }
    read_file(path, &model);
    compare_bodies(&model, m, tolerance);
    compare_joints(&model, m);
    compare_geoms(&model, m);
    compare_actuators(&model, m);
    compare_tendons(&model, m);
    compare_keys(&model, m);
    check_all("gravity", model.gravity, m->opt.gravity, 3, 0, 0);
    check_all("step", &model.step, &m->opt.timestep, 1, 0, 0);
    mo_model_clear(&model);
    mj_deleteModel(m);
}

#endif
