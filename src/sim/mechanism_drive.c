/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Actuators: transmission, effort and state.
 *
 * With the length l that it drives, its speed l' and the target s (or the state that follows it),
 * an actuator has the effort
 *
 *     e = (gain + gain_length l + gain_speed l') s + bias[0] + bias[1] l + bias[2] l',
 *
 * or that of a muscle (mechanism/muscle.h).  Negative derivatives b1 and b2 of e by l and l' are
 * implicit, with l+ = l + h l'+:
 *
 *     e+ = constant - slope l'+,      constant = e - min(b2, 0) l',
 *     slope = -(h min(b1, 0) + min(b2, 0)).
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "mechanism/muscle.h"
#include "sim/mechanism.h"

static double joint_length(const mo_sim_mechanism *mechanism, const mo_actuator_def *def)
{
    const mo_linkage_joint *joint = mechanism->tree.joint + def->joint;
    const double *q = mechanism->q + joint->q_at;
    double at[3];
    if (joint->kind == MO_AXIS_FREE) return 0;
    if (joint->kind == MO_AXIS_BALL) {
        mo_rotation_vector(q, at);
        q = at;
    }
    return mo_dot(mo_axis_v_count(joint->kind), def->gear, q);
}

/* The force and moment of gear, in the axes of its place on the link. */
static void measure_link(const mo_sim_mechanism *mechanism, const mo_actuator_def *def, double *row)
{
    const mo_pose at = mo_pose_compose(mechanism->tree.pose + def->link, &def->place);
    double line[6];
    mo_pose_vector(&at, def->gear, line);
    mo_pose_vector(&at, def->gear + 3, line + 3);
    mo_linkage_row(&mechanism->tree, def->link, at.position, line, row);
}

mo_actuator_drive mo_actuator_measure(const mo_sim_mechanism *mechanism,
                                      const mo_sim_actuator *actuator, const double *v, double *row)
{
    const mo_actuator_def *def = &actuator->def;
    const int n = mechanism->tree.dofs;
    mo_actuator_drive out = {.row = row, .to = n};
    if (def->on == MO_ON_TENDON) {
        const mo_sim_tendon *tendon = mechanism->tendon + def->tendon;
        out.length = def->gear[0] * mo_tendon_length(mechanism, tendon);
        for (int j = 0; j < n; ++j)
            row[j] = def->gear[0] * tendon->arm[j];
    } else if (def->on == MO_ON_LINK) {
        measure_link(mechanism, def, row);
    } else {
        const mo_linkage_joint *joint = mechanism->tree.joint + def->joint;
        out.length = joint_length(mechanism, def);
        out.from = joint->v_at;
        out.to = joint->v_at + mo_axis_v_count(joint->kind);
        out.row = def->gear;
    }
    out.speed = mo_actuator_speed(&out, v);
    return out;
}

void mo_actuator_write_row(const mo_sim_mechanism *mechanism, const mo_actuator_drive *drive,
                           double *row)
{
    const size_t count = (size_t)(drive->to - drive->from);
    memmove(row + drive->from, drive->row, count * sizeof *row);
    memset(row, 0, (size_t)drive->from * sizeof *row);
    memset(row + drive->to, 0, (size_t)(mechanism->tree.dofs - drive->to) * sizeof *row);
}

/* The effort, and its derivatives b1 and b2 by length and speed. */
static mo_muscle_effort effort_at(const mo_sim_actuator *actuator, double length, double speed)
{
    const mo_actuator_def *def = &actuator->def;
    const double input = mo_actuator_input(actuator);
    if (def->is_muscle) return mo_muscle_pull(&def->muscle, input, length, speed);
    const double b0 = def->gain * input + def->bias[0],
                 b1 = def->gain_length * input + def->bias[1],
                 b2 = def->gain_speed * input + def->bias[2];
    return (mo_muscle_effort){
        .effort = b0 + b1 * length + b2 * speed, .by_length = b1, .by_speed = b2};
}

mo_actuator_line mo_actuator_line_of(const mo_sim_mechanism *mechanism,
                                     const mo_sim_actuator *actuator, double h)
{
    const mo_actuator_drive drive =
        mo_actuator_measure(mechanism, actuator, mechanism->start_v, mechanism->row);
    const mo_muscle_effort at = effort_at(actuator, drive.length, drive.speed);
    return (mo_actuator_line){.constant = at.effort - fmin(at.by_speed, 0) * drive.speed,
                              .slope = -(h * fmin(at.by_length, 0) + fmin(at.by_speed, 0)),
                              .drive = drive};
}

double mo_actuator_effort(mo_sim_mechanism *mechanism, const mo_sim_actuator *actuator)
{
    const mo_actuator_drive drive =
        mo_actuator_measure(mechanism, actuator, mechanism->v, mechanism->row);
    const double effort = effort_at(actuator, drive.length, drive.speed).effort;
    mo_actuator_write_row(mechanism, &drive, mechanism->row);
    return fmin(fmax(effort, actuator->def.lower), actuator->def.upper);
}

void mo_actuator_follow(mo_sim_actuator *actuator, double h)
{
    const mo_actuator_def *def = &actuator->def;
    const double behind = actuator->target - actuator->state;
    switch (def->dynamics) {
    case MO_DYNAMICS_INTEGRATOR:
        actuator->state += h * actuator->target;
        break;
    case MO_DYNAMICS_FILTER:
        actuator->state += h * behind / def->time_constant;
        break;
    case MO_DYNAMICS_FILTER_EXACT:
        actuator->state -= behind * expm1(-h / def->time_constant);
        break;
    case MO_DYNAMICS_MUSCLE: {
        const double tau[2] = {def->time_constant, def->time_constant_off};
        actuator->state += h * mo_muscle_rate(actuator->target, actuator->state, tau);
        break;
    }
    default:
        return;
    }
    if (def->has_state_range)
        actuator->state = fmin(fmax(actuator->state, def->state_lower), def->state_upper);
}
