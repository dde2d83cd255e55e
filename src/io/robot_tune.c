/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Actuator parameters that depend on the mechanism at its reference configuration: servo gains from
 * the moving mass, peak forces of muscles from the acceleration they cause, and length ranges of
 * muscles from the joint limits.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/robot_data.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "sim/mechanism.h"

/* ---- servos ---------------------------------------------------------------------------------- */

/* The row of an actuator over all velocities, at the present q; its length. */
static double measure(const mo_sim_mechanism *mechanism, const mo_sim_actuator *actuator,
                      double *row)
{
    const mo_actuator_drive drive = mo_actuator_measure(mechanism, actuator, mechanism->v, row);
    mo_actuator_write_row(mechanism, &drive, row);
    return drive.length;
}

/* Is `above` the link or one of its ancestors? */
static int hangs_on(const mo_linkage *tree, int link, int above)
{
    while (link >= 0 && link != above)
        link = tree->link[link].parent;
    return link == above;
}

/* Mass, or moment of inertia about the axis, of all links that a joint of a free tree does not
 * move. */
static double mass_beyond(const mo_linkage *tree, int joint)
{
    const mo_linkage_axis *dof = tree->axis + tree->joint[joint].v_at;
    double sum = 0;
    for (int i = 0; i < tree->links; ++i) {
        const mo_linkage_link *link = tree->link + i;
        if (hangs_on(tree, i, tree->joint[joint].link)) continue;
        double arm[3], across[3], turned[3];
        mo_vec3_minus(link->x, dof->point, arm);
        mo_vec3_cross(dof->axis, arm, across);
        mo_mat3_apply(link->world_inertia, dof->axis, turned);
        sum += dof->is_turn
                   ? link->mass * mo_vec3_dot(across, across) + mo_vec3_dot(dof->axis, turned)
                   : link->mass;
    }
    return sum;
}

/*
 * Servos by the mass m that they feel, the sum of M_jj / gear_j^2 over the velocities they act on,
 * at the reference configuration: the damping from its ratio z, as MuJoCo 3 has it, 2 z sqrt(gain
 * m); or stiffness and damping from a rate w, m w^2 and 2 m w.  On a tree that is free in the world
 * such a servo may have to hold what is on either side of its joint (an ankle carries all of a
 * robot that stands), so there m is the larger one of both.
 */
static mo_error tune_servos(mo_building *b, mo_sim_mechanism *mechanism, mo_mechanism_id id)
{
    const int n = mechanism->tree.dofs;
    for (int k = 0; k < b->model->actuator_count; ++k) {
        const mo_model_actuator *a = b->model->actuators + k;
        if (!(a->damping_ratio > 0 || a->servo_rate > 0) ||
            b->robot->actuators[k].mechanism.index != id.index)
            continue;
        double *M = mo_pool_take(&b->pool, (size_t)n * (size_t)n + 1, sizeof *M);
        double *row = mo_pool_take(&b->pool, (size_t)n + 1, sizeof *row), mass = 0;
        MO_NEED_MEMORY(M && row, b->why);
        mo_sim_actuator *actuator = mechanism->actuator + b->robot->actuators[k].number;
        mo_linkage_mass_matrix(&mechanism->tree, M);
        measure(mechanism, actuator, row);
        for (int j = 0; j < n; ++j)
            mass += row[j] != 0 ? M[(size_t)j * (size_t)n + (size_t)j] / (row[j] * row[j]) : 0;
        if (a->servo_rate > 0) {
            const int is_free = mechanism->tree.joint[0].kind == MO_AXIS_FREE;
            mass = is_free ? fmax(mass, mass_beyond(&mechanism->tree, actuator->def.joint)) : mass;
            actuator->def.gain = mass * a->servo_rate * a->servo_rate;
            actuator->def.bias[1] = -actuator->def.gain;
            actuator->def.bias[2] = -2 * mass * a->servo_rate;
        } else {
            actuator->def.bias[2] = -2 * a->damping_ratio * sqrt(fmax(a->gain, 0) * mass);
        }
    }
    return MO_OK;
}

/* ---- muscles --------------------------------------------------------------------------------- */

static double length_at(mo_sim_mechanism *mechanism, const mo_sim_actuator *actuator,
                        const double *q, double *row)
{
    memcpy(mechanism->q, q, (size_t)mechanism->tree.coordinates * sizeof *q);
    mo_linkage_place(&mechanism->tree, mechanism->q);
    mo_tendons_place(mechanism);
    return measure(mechanism, actuator, row);
}

/* q a step of `size` along sign row, within the limits of joints; joints without limits stay. */
static void climb(const mo_sim_mechanism *mechanism, const double *row, double size,
                  const double *q, double *out)
{
    memcpy(out, q, (size_t)mechanism->tree.coordinates * sizeof *q);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        const mo_linkage_joint *joint = mechanism->tree.joint + k;
        const mo_axis_def *def = &mechanism->axis[k].def;
        if (mo_axis_q_count(joint->kind) == 1 && def->has_limits && row[joint->v_at] != 0 &&
            isfinite(def->upper - def->lower)) {
            out[joint->q_at] =
                fmin(fmax(q[joint->q_at] + size * row[joint->v_at], def->lower), def->upper);
        }
    }
}

/* The length where it is largest (sign 1) or smallest (-1), from the reference configuration on:
 * projected steps along the gradient, longer while they help. */
static double farthest(mo_sim_mechanism *mechanism, const mo_sim_actuator *actuator, int sign,
                       const double *start, double *q, double *next)
{
    enum { ROUNDS = 400 };
    double *row = mechanism->row, size = 1;
    memcpy(q, start, (size_t)mechanism->tree.coordinates * sizeof *q);
    double best = length_at(mechanism, actuator, q, row);
    for (int round = 0; round < ROUNDS && size > 1e-9; ++round) {
        climb(mechanism, row, sign * size, q, next);
        const double length = length_at(mechanism, actuator, next, row);
        if (sign * (length - best) > 0) {
            best = length;
            memcpy(q, next, (size_t)mechanism->tree.coordinates * sizeof *q);
            size *= 2;
        } else {
            size /= 4;
            length_at(mechanism, actuator, q, row);
        }
    }
    return best;
}

static mo_error find_range(mo_building *b, mo_sim_mechanism *mechanism, mo_sim_actuator *actuator)
{
    const size_t count = (size_t)mechanism->tree.coordinates + 1;
    double *q = mo_pool_take(&b->pool, 3 * count, sizeof *q);
    MO_NEED_MEMORY(q, b->why);
    double *start = q + 2 * count;
    memcpy(start, mechanism->q, (count - 1) * sizeof *start);
    const double low = farthest(mechanism, actuator, -1, start, q, q + count);
    const double high = farthest(mechanism, actuator, 1, start, q, q + count);
    memcpy(mechanism->q, start, (count - 1) * sizeof *start);
    mo_mechanism_place_links(b->world, mechanism);
    if (!(high > low)) {
        return mo_robot_keep_note(b->robot, b->why,
                                  "no limit of a joint bounds the length of the muscle '%.80s': "
                                  "its length is taken to range from 0 to 1 m; give lengthrange",
                                  actuator->def.name);
    }
    actuator->def.muscle.length_range[0] = low;
    actuator->def.muscle.length_range[1] = high;
    return MO_OK;
}

/* The norm of M^-1 row'. */
static mo_error find_acceleration(mo_building *b, mo_sim_mechanism *mechanism,
                                  const mo_sim_actuator *actuator, double *out)
{
    const int n = mechanism->tree.dofs;
    double *M = mo_pool_take(&b->pool, (size_t)n * (size_t)n + 1, sizeof *M);
    double *row = mo_pool_take(&b->pool, (size_t)n + 1, sizeof *row);
    MO_NEED_MEMORY(M && row, b->why);
    mo_linkage_mass_matrix(&mechanism->tree, M);
    measure(mechanism, actuator, row);
    if (mo_factor_symmetric(n, M)) mo_solve_factored(n, M, row);
    *out = sqrt(mo_dot(n, row, row));
    return MO_OK;
}

static mo_error tune_muscles(mo_building *b, mo_sim_mechanism *mechanism, mo_mechanism_id id)
{
    static const double LEAST = 1e-15; /* of the acceleration, as in MuJoCo */
    mo_error error = MO_OK;
    for (int k = 0; k < b->model->actuator_count && !error; ++k) {
        const mo_model_actuator *a = b->model->actuators + k;
        if (a->kind != MO_MODEL_MUSCLE || b->robot->actuators[k].mechanism.index != id.index)
            continue;
        mo_sim_actuator *actuator = mechanism->actuator + b->robot->actuators[k].number;
        double acceleration = 0;
        if (a->muscle.force < 0) {
            error = find_acceleration(b, mechanism, actuator, &acceleration);
            actuator->def.muscle.force = a->muscle_scale / fmax(acceleration, LEAST);
        }
        if (!error && a->muscle.length_range[0] == a->muscle.length_range[1])
            error = find_range(b, mechanism, actuator);
    }
    return error;
}

mo_error mo_building_tune(mo_building *b, mo_mechanism_id id)
{
    mo_sim_mechanism *mechanism = mo_mechanism_at(b->world, id);
    const mo_error error = tune_servos(b, mechanism, id);
    return error ? error : tune_muscles(b, mechanism, id);
}
