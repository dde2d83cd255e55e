/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Joints and mechanisms at the acceleration level.
 *
 *   part                at rest                              in motion
 *   hold                bilateral, w = drift                 the same
 *   limit               frictionless where it is reached     none (an impact comes first)
 *   dry friction        box                                  the force against the motion
 *   motor               box at its speed                     its whole effort towards it
 *   position drive      box: keeps its velocity
 *   springs, damping, actuators of mechanisms: forces, by q and v now
 *
 * A force that is known is a box of no width.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "sim/forces_data.h"

static const double REACHED = 1e-6; /* rad or m: a limit */

/* ---- joints ----------------------------------------------------------------------------------- */

static void add_box(mo_world *world, mo_sim_joint *joint, mo_joint_part part,
                    const mo_joint_rows *rows, double lower, double upper, double w)
{
    const mo_law law = mo_law_box(&lower, &upper);
    mo_joint_add_part(world, joint, part, &law, rows, 1, &w);
}

static void add_coordinate(mo_world *world, mo_sim_joint *joint, const mo_instant *instant,
                           double w)
{
    const mo_joint_def *def = &joint->def;
    mo_joint_rows rows;
    mo_joint_coordinate(world, joint, &rows);
    if (rows.count == 0) {
        return;
    }
    double speed = 0;
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; joint->body[side] >= 0 && i < 6; ++i) {
            speed += rows.line[side][0][i] * world->body[joint->body[side]].v[i];
        }
    }
    const double q = rows.error[0], slow = instant->speed, minus = -w;
    const mo_law one_sided = mo_law_frictionless();
    if (def->has_limits && q - def->lower <= REACHED && speed <= slow) {
        mo_joint_add_part(world, joint, MO_PART_LOWER, &one_sided, &rows, 1, &w);
    }
    if (def->has_limits && def->upper - q <= REACHED && speed >= -slow) {
        mo_joint_add_part(world, joint, MO_PART_UPPER, &one_sided, &rows, -1, &minus);
    }
    const double most = def->max_effort, behind = def->target - speed;
    if (def->drive != MO_DRIVE_NONE && most > 0) {
        const int is_off = def->drive == MO_DRIVE_VELOCITY && fabs(behind) > slow && isfinite(most);
        add_box(world, joint, MO_PART_DRIVE, &rows, is_off && behind > 0 ? most : -most,
                is_off && behind < 0 ? -most : most, w);
    }
    if (def->dry_friction > 0) {
        const double hold = def->dry_friction;
        add_box(world, joint, MO_PART_FRICTION, &rows, speed < -slow ? hold : -hold,
                speed > slow ? -hold : hold, w);
    }
}

void mo_instant_joint(mo_world *world, int place, const mo_instant *instant)
{
    mo_sim_joint *joint = world->joint + place;
    const mo_law held = mo_law_bilateral();
    mo_joint_rows rows;
    mo_joint_hold(world, joint, &rows);
    if (rows.count > 0) {
        mo_joint_add_part(world, joint, MO_PART_HOLD, &held, &rows, 1, instant->joint[place].hold);
    }
    add_coordinate(world, joint, instant, instant->joint[place].coordinate);
}

/* ---- mechanisms ------------------------------------------------------------------------------- */

static void add_springs(mo_sim_mechanism *mechanism, int k)
{
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const mo_axis_def *def = &mechanism->axis[k].def;
    double stretch[6] = {0};
    if (joint->kind == MO_AXIS_BALL) {
        mo_rotation_vector(mechanism->q + joint->q_at, stretch);
    } else if (mo_axis_v_count(joint->kind) == 1) {
        stretch[0] = mechanism->q[joint->q_at] - def->rest;
    }
    for (int i = 0; i < mo_axis_v_count(joint->kind); ++i) {
        const int j = joint->v_at + i;
        mechanism->rhs[j] -= def->stiffness * stretch[i] + def->damping * mechanism->v[j];
    }
}

void mo_instant_mechanism(mo_world *world, mo_sim_mechanism *mechanism, double speed)
{
    static const double weightless[3] = {0};
    const int n = mechanism->tree.dofs;
    const size_t square = (size_t)n * (size_t)n;
    mo_linkage_mass_matrix(&mechanism->tree, mechanism->M);
    memcpy(mechanism->F, mechanism->M, square * sizeof *mechanism->F);
    mechanism->is_singular = n > 0 && !mo_factor_symmetric(n, mechanism->F);
    mo_linkage_inverse(&mechanism->tree, mechanism->v, NULL, weightless, mechanism->rhs);
    for (int i = 0; i < n; ++i) {
        mechanism->rhs[i] = mechanism->effort[i] - mechanism->rhs[i];
    }
    mo_mechanism_add_forces(world, mechanism, 1);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        add_springs(mechanism, k);
    }
    for (int k = 0; k < mechanism->tendons; ++k) {
        mo_tendon_pull(mechanism, mechanism->tendon + k, 0);
    }
    for (int k = 0; k < mechanism->actuators; ++k) {
        const double effort = mo_actuator_effort(mechanism, mechanism->actuator + k);
        mo_axpy(n, effort, mechanism->row, mechanism->rhs);
    }
    mo_mechanism_choose_reached(mechanism, REACHED, speed);
}

/* ---- known accelerations ---------------------------------------------------------------------- */

/* a_j = what is known: a bilateral row whose force is the effort. */
void mo_instant_known(mo_world *world, const mo_instant *instant)
{
    const mo_law law = mo_law_bilateral();
    for (int k = 0; instant->options && k < instant->options->known_count; ++k) {
        const mo_known_acceleration *known = instant->options->known + k;
        mo_sim_mechanism *mechanism = mo_mechanism_at(world, known->mechanism);
        const double w = -known->acceleration;
        memset(mechanism->row, 0, (size_t)mechanism->tree.dofs * sizeof *mechanism->row);
        mechanism->row[known->velocity] = 1;
        instant->known_constraint[k] = mo_builder_add_constraint(world->builder, 1, &law, &w);
        mo_builder_add_jacobian(world->builder, instant->known_constraint[k], mechanism->block, 1,
                                mechanism->tree.dofs, mechanism->row);
    }
}
