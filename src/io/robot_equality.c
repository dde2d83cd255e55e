/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Equalities of a model: connect and weld become joints of the world, equalities of joints and
 * tendons become couplings of their mechanism.
 */
#include <string.h>

#include "collide/pose.h"
#include "io/robot_data.h"
#include "linalg/vec3.h"
#include "moreau/joint.h"

/* Of one mechanism, since what is coupled is joined; q of a joint is put where the coupling has it.
 */
static mo_error add_coupling(mo_building *b, const mo_model_equality *e)
{
    const int of_tendons = e->kind == MO_MODEL_TENDONS;
    const mo_robot *robot = b->robot;
    const mo_mechanism_id id =
        of_tendons ? robot->tendons[e->a].mechanism : robot->joints[e->a].mechanism;
    mo_coupling_def def = mo_default_coupling(
        of_tendons ? robot->tendons[e->a].number : robot->joints[e->a].number, -1);
    def.of_tendons = of_tendons;
    if (of_tendons && !id.index) {
        return MO_OK; /* between still bodies */
    }
    if (e->b >= 0 && (!of_tendons || robot->tendons[e->b].mechanism.index)) {
        def.b = of_tendons ? robot->tendons[e->b].number : robot->joints[e->b].number;
    }
    memcpy(def.polynomial, e->polynomial, sizeof def.polynomial);
    mo_error error = mo_mechanism_couple(b->world, id, &def, b->why);
    if (!error && !of_tendons && e->polynomial[0] != 0) {
        const int n = mo_mechanism_get(b->world, id).q_count;
        memcpy(robot->q, mo_mechanism_q(b->world, id), (size_t)n * sizeof(double));
        robot->q[robot->joints[e->a].at_q] = b->model->joints[e->a].ref + e->polynomial[0];
        error = mo_mechanism_set(b->world, id, robot->q, NULL, b->why);
    }
    return error;
}

/* A free body that is welded at a given pose is put there: to lift it afterwards would take energy
 * from nowhere. */
static mo_error move_to_weld(mo_building *b, const mo_joint_def *def, int first)
{
    const double still[3] = {0};
    if (!def->has_pose || mo_body_get(b->world, def->b).kind != MO_BODY_FREE) {
        return MO_OK;
    }
    const mo_pose pose = mo_pose_compose(&b->pose[first], &def->pose);
    return mo_body_set(b->world, def->b, &pose, still, still, b->why);
}

mo_error mo_building_add_equality(mo_building *b, const mo_model_equality *e)
{
    if (e->kind == MO_MODEL_COUPLE || e->kind == MO_MODEL_TENDONS) {
        return add_coupling(b, e);
    }
    if (b->group[e->a] == 0 && b->group[e->b] == 0) {
        return MO_OK;
    }
    /* The second body of a joint must be dynamic. */
    const int swapped = b->group[e->b] == 0;
    const int first = swapped ? e->b : e->a, second = swapped ? e->a : e->b;
    mo_joint_def def = mo_default_joint(e->kind == MO_MODEL_WELD ? MO_JOINT_WELD : MO_JOINT_BALL,
                                        b->robot->bodies[first], b->robot->bodies[second]);
    def.collide = 1;
    mo_pose_point(&b->pose[e->a], e->anchor, def.anchor);
    if (e->kind == MO_MODEL_WELD) {
        memcpy(def.anchor, b->pose[second].position, sizeof def.anchor);
        def.has_pose = e->has_pose;
        def.pose = swapped ? mo_pose_inverse(&e->pose) : e->pose;
        if (move_to_weld(b, &def, first)) {
            return MO_ERR_ARGUMENT;
        }
    }
    return mo_world_add_joint(b->world, &def, b->why).index ? MO_OK : MO_ERR_ARGUMENT;
}
