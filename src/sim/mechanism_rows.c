/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Rows of the joints of a mechanism in a problem, in its own velocities.
 *
 *   part      law            row              w                    bounds            compliance
 *   limit     frictionless   its rate (+, -)  (q - lower) / h, ...
 *   friction  box            its velocities   0                    dry_friction h
 *   actuator  box            gear             -constant / slope    (lower, upper) h  1/(h slope)
 *
 * At an instant (forces_rows.c) bounds are forces, and w is that of accelerations; if these act for
 * a time d, w refers to the velocity at its end, over d.
 *
 * The effort of an actuator over the step is e = constant - slope l'+.  Within its limits it is
 * part of the mass matrix (mechanism_step.c), which gives the same solution as the box at no cost.
 * If the solution exceeds the limits, the actuator becomes a row and the step is solved again; the
 * next step starts with that choice.  A limit is a row only if the step may reach it.
 * Friction of joints that keep sliding or sticking needs no row (mechanism_friction.c).
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "sim/forces_data.h"

static const double LATE = 1e-9;    /* rad or m: violation from which on a limit takes part */
static const double SHALLOW = 1e-6; /* rad or m: deeper beyond a limit is left to the projection */
static const double BACK = 0.01;    /* fraction of the range of a joint that one step corrects */
static const double CLOSED = 1e-8;  /* rad or m: a limit that holds in an impact */
static const double BEYOND = 1e-10; /* of an effort's limits */

/* ---- limits ---------------------------------------------------------------------------------- */

typedef struct limit {
    double gap, most_back; /* maximum correction in a step */
    int at, count;         /* velocities that change it */
    double row[3];
    const double *arm; /* of a tendon: all of them, times sign */
    double sign;
} limit;

/* Maximum correction per step of a joint beyond its limit; models often start there. */
static double recovery(double range)
{
    return BACK * (range > 0 && isfinite(range) ? range : 1);
}

/* Joints, then tendons. */
static mo_sim_stop *stop_of(mo_sim_mechanism *mechanism, int k)
{
    const int joints = mechanism->tree.joints;
    return k < joints ? &mechanism->axis[k].stop : &mechanism->tendon[k - joints].stop;
}

static int stop_count(const mo_sim_mechanism *mechanism)
{
    return mechanism->tree.joints + mechanism->tendons;
}

static limit tendon_limit(const mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon, int side)
{
    const mo_tendon_def *def = &tendon->def;
    if (!def->has_limits || !isfinite(side ? def->upper : def->lower)) return (limit){.gap = 0};
    const double length = mo_tendon_length(mechanism, tendon);
    return (limit){.gap = side ? def->upper - length : length - def->lower,
                   .most_back = recovery(def->upper - def->lower),
                   .count = mechanism->tree.dofs,
                   .arm = tendon->arm,
                   .sign = side ? -1 : 1};
}

/* side 0: lower, 1: upper; count 0 where there is none. */
static limit limit_of(const mo_sim_mechanism *mechanism, int k, int side)
{
    if (k >= mechanism->tree.joints)
        return tendon_limit(mechanism, mechanism->tendon + k - mechanism->tree.joints, side);
    const mo_axis_def *def = &mechanism->axis[k].def;
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const double *q = mechanism->q + joint->q_at;
    limit out = {.at = joint->v_at,
                 .most_back =
                     recovery(joint->kind == MO_AXIS_BALL ? def->upper : def->upper - def->lower)};
    if (!def->has_limits || !isfinite(side ? def->upper : def->lower)) return out;
    if (joint->kind == MO_AXIS_BALL && side == 1) {
        double phi[3];
        mo_rotation_vector(q, phi);
        const double angle = mo_vec3_norm(phi);
        out.gap = def->upper - angle;
        out.count = angle > 0 ? 3 : 0;
        mo_vec3_scale(angle > 0 ? -1 / angle : 0, phi, out.row);
    } else if (joint->kind == MO_AXIS_REVOLUTE || joint->kind == MO_AXIS_PRISMATIC) {
        out.gap = side ? def->upper - q[0] : q[0] - def->lower;
        out.count = 1;
        out.row[0] = side ? -1 : 1;
    }
    return out;
}

int mo_mechanism_limit_row(const mo_sim_mechanism *mechanism, int k, int side, double row[3])
{
    const limit at = limit_of(mechanism, k, side);
    mo_vec3_copy(at.row, row);
    return at.count;
}

static double limit_rate(const limit *at, const double *v)
{
    double rate = 0;
    for (int i = 0; i < at->count; ++i)
        rate += (at->arm ? at->sign * at->arm[i] : at->row[i]) * v[at->at + i];
    return rate;
}

/* ---- actuators ------------------------------------------------------------------------------- */

static double beyond(const mo_actuator_def *def)
{
    const double lower = isfinite(def->lower) ? fabs(def->lower) : 0;
    const double upper = isfinite(def->upper) ? fabs(def->upper) : 0;
    return BEYOND * fmax(lower, upper);
}

/* ---- at the end of a step -------------------------------------------------------------------- */

/* Adds limits that are exceeded or near; returns the largest violation. */
static double take_reached(mo_sim_mechanism *mechanism)
{
    double worst = 0;
    for (int k = 0; k < stop_count(mechanism); ++k) {
        for (int side = 0; side < 2; ++side) {
            const limit at = limit_of(mechanism, k, side);
            stop_of(mechanism, k)->takes[side] = at.count > 0 && at.gap <= at.most_back;
            worst = at.count > 0 ? fmax(worst, -at.gap) : worst;
        }
    }
    return worst;
}

double mo_mechanisms_worst(mo_world *world)
{
    double worst = 0;
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mo_mechanism_moves(world, mechanism)) {
            const double beyond = take_reached(mechanism);
            worst = fmax(worst, beyond > SHALLOW ? beyond : 0);
            worst = fmax(worst, mo_mechanism_coupling_error(mechanism));
        }
    }
    return worst;
}

/* ---- choice of rows -------------------------------------------------------------------------- */

void mo_mechanism_choose(mo_sim_mechanism *mechanism, double h)
{
    for (int k = 0; k < stop_count(mechanism); ++k) {
        for (int side = 0; side < 2; ++side) {
            const limit at = limit_of(mechanism, k, side);
            mo_sim_stop *stop = stop_of(mechanism, k);
            const double rate =
                fmin(limit_rate(&at, mechanism->start_v), limit_rate(&at, mechanism->free_v));
            stop->takes[side] =
                at.count > 0 && (at.gap + h * fmin(rate, 0) <= 0 || stop->impulse[side] > 0);
        }
    }
}

void mo_mechanism_choose_reached(mo_sim_mechanism *mechanism, double gap, double speed)
{
    for (int k = 0; k < stop_count(mechanism); ++k) {
        for (int side = 0; side < 2; ++side) {
            const limit at = limit_of(mechanism, k, side);
            stop_of(mechanism, k)->takes[side] =
                at.count > 0 && at.gap <= gap && limit_rate(&at, mechanism->v) <= speed;
        }
    }
}

int mo_mechanism_look_again(mo_sim_mechanism *mechanism, double h)
{
    int count = 0;
    for (int k = 0; k < stop_count(mechanism); ++k) {
        for (int side = 0; side < 2; ++side) {
            int *takes = &stop_of(mechanism, k)->takes[side];
            if (*takes) continue;
            const limit at = limit_of(mechanism, k, side);
            *takes = at.count > 0 && at.gap + h * limit_rate(&at, mechanism->next_v) < -LATE;
            count += *takes;
        }
    }
    for (int k = 0; k < mechanism->actuators; ++k) {
        mo_sim_actuator *actuator = mechanism->actuator + k;
        const mo_actuator_line line = mo_actuator_line_of(mechanism, actuator, h);
        const double effort =
            line.constant - line.slope * mo_actuator_speed(&line.drive, mechanism->next_v);
        const double off = fmax(actuator->def.lower - effort, effort - actuator->def.upper);
        if (line.slope > 0 && !actuator->is_row && off > beyond(&actuator->def)) {
            actuator->is_row = 1;
            ++count;
        }
    }
    return count;
}

/* Does time pass, so that friction forces act? */
static int has_forces(const mo_phase *phase)
{
    return phase->kind == MO_PHASE_STEP || phase->kind == MO_PHASE_FORCE;
}

/* 1/d, where forces act for a time d. */
static double per_step_of(const mo_phase *phase)
{
    return phase->instant ? phase->instant->per_step : 0;
}

/* Its length: of a step, or of accelerations that act for a time; 0 for none. */
static double takes_time(const mo_phase *phase)
{
    return phase->kind == MO_PHASE_STEP ? phase->h
           : per_step_of(phase) > 0     ? 1 / per_step_of(phase)
                                        : 0;
}

int mo_mechanism_has_rows(const mo_sim_mechanism *mechanism, const mo_phase *phase)
{
    if (mechanism->couplings > 0) return 1;
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        const mo_sim_axis *axis = mechanism->axis + k;
        if (axis->stop.takes[0] || axis->stop.takes[1] ||
            (has_forces(phase) && mo_friction_is_row(axis)))
            return 1;
    }
    for (int k = 0; k < mechanism->tendons; ++k) {
        const mo_sim_tendon *tendon = mechanism->tendon + k;
        if (tendon->stop.takes[0] || tendon->stop.takes[1] ||
            (has_forces(phase) && tendon->def.dry_friction > 0))
            return 1;
    }
    for (int k = 0; k < mechanism->actuators && takes_time(phase) > 0; ++k)
        if (mechanism->actuator[k].is_row) return 1;
    return 0;
}

/* ---- in the problem -------------------------------------------------------------------------- */

static void add_limit(mo_world *world, mo_sim_mechanism *mechanism, int k, int side,
                      const mo_phase *phase)
{
    mo_sim_stop *stop = stop_of(mechanism, k);
    if (!stop->takes[side]) return;
    const limit at = limit_of(mechanism, k, side);
    if (at.count == 0 || (phase->kind == MO_PHASE_IMPACT && at.gap > CLOSED)) return;
    const int n = mechanism->tree.dofs;
    const int is_gap_open = phase->kind == MO_PHASE_STEP || phase->kind == MO_PHASE_PROJECTION;
    const double p = per_step_of(phase);
    const double gap =
        phase->kind == MO_PHASE_STEP && at.gap < -SHALLOW ? 0 : fmax(at.gap, -at.most_back);
    const double w = is_gap_open ? gap / phase->h : p * (limit_rate(&at, mechanism->v) + p * gap);
    const mo_law law = mo_law_frictionless();
    memset(mechanism->row, 0, (size_t)n * sizeof *mechanism->row);
    for (int i = 0; i < at.count; ++i)
        mechanism->row[at.at + i] = at.arm ? at.sign * at.arm[i] : at.row[i];
    const int own = mo_builder_add_constraint(world->builder, 1, &law, &w);
    mo_mechanism_add_jacobian(world, mechanism, own, 1, mechanism->row);
    stop->constraint[side] = own;
}

static void add_actuator(mo_world *world, mo_sim_mechanism *mechanism, mo_sim_actuator *actuator,
                         const mo_phase *phase)
{
    const double h = takes_time(phase), p = per_step_of(phase);
    const mo_actuator_line line = mo_actuator_line_of(mechanism, actuator, h);
    if (!actuator->is_row || !(line.slope > 0)) return;
    const double lower = phase->h * actuator->def.lower, upper = phase->h * actuator->def.upper;
    const double behind = -line.constant / line.slope, compliance = 1 / (h * line.slope);
    const double w = p > 0 ? p * (mo_actuator_speed(&line.drive, mechanism->v) + behind) : behind;
    mo_law law = mo_law_box(&lower, &upper);
    law.compliance = &compliance;
    actuator->constraint = mo_builder_add_constraint(world->builder, 1, &law, &w);
    mo_actuator_write_row(mechanism, &line.drive, mechanism->row);
    mo_mechanism_add_jacobian(world, mechanism, actuator->constraint, 1, mechanism->row);
}

void mo_mechanism_add_rows(mo_world *world, mo_sim_mechanism *mechanism, const mo_phase *phase)
{
    for (int k = 0; k < stop_count(mechanism); ++k) {
        mo_sim_stop *stop = stop_of(mechanism, k);
        stop->constraint[0] = stop->constraint[1] = MO_NONE;
    }
    for (int k = 0; k < mechanism->tree.joints; ++k)
        mechanism->axis[k].friction_constraint = MO_NONE;
    for (int k = 0; k < mechanism->tendons; ++k)
        mechanism->tendon[k].friction_constraint = MO_NONE;
    for (int k = 0; k < mechanism->actuators; ++k)
        mechanism->actuator[k].constraint = MO_NONE;
    mechanism->coupling_constraint = MO_NONE;
    if (mechanism->block == MO_NONE) return;
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        add_limit(world, mechanism, k, 0, phase);
        add_limit(world, mechanism, k, 1, phase);
        if (has_forces(phase)) mo_mechanism_add_friction(world, mechanism, k, phase);
    }
    for (int k = 0; k < mechanism->tendons; ++k) {
        add_limit(world, mechanism, mechanism->tree.joints + k, 0, phase);
        add_limit(world, mechanism, mechanism->tree.joints + k, 1, phase);
        if (has_forces(phase))
            mo_tendon_add_friction(world, mechanism, mechanism->tendon + k, phase);
    }
    mo_mechanism_add_couplings(world, mechanism, phase);
    for (int k = 0; k < mechanism->actuators && takes_time(phase) > 0; ++k)
        add_actuator(world, mechanism, mechanism->actuator + k, phase);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static double *rows_of(const mo_world *world, int constraint, double *of_all)
{
    return of_all + mo_problem_constraint(world->problem, constraint).offset;
}

static void write_stop(const mo_world *world, const mo_sim_stop *stop, double *start)
{
    for (int side = 0; side < 2; ++side)
        if (stop->constraint[side] != MO_NONE)
            *rows_of(world, stop->constraint[side], start) = stop->impulse[side];
}

static void read_stop(const mo_world *world, mo_sim_stop *stop, double to_impulse)
{
    for (int side = 0; side < 2; ++side) {
        const int own = stop->constraint[side];
        stop->impulse[side] =
            own == MO_NONE ? 0 : to_impulse * *rows_of(world, own, world->result.r);
    }
}

void mo_mechanism_write_start(const mo_world *world, const mo_sim_mechanism *mechanism,
                              double *start)
{
    for (int k = 0; k < mechanism->tendons; ++k) {
        const mo_sim_tendon *tendon = mechanism->tendon + k;
        write_stop(world, &tendon->stop, start);
        if (tendon->friction_constraint != MO_NONE)
            *rows_of(world, tendon->friction_constraint, start) = tendon->friction_impulse;
    }
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        const mo_sim_axis *axis = mechanism->axis + k;
        write_stop(world, &axis->stop, start);
        if (axis->friction_constraint != MO_NONE) {
            memcpy(rows_of(world, axis->friction_constraint, start), axis->friction_impulse,
                   (size_t)mo_axis_v_count(axis->def.kind) * sizeof *start);
        }
    }
    for (int k = 0; k < mechanism->actuators; ++k) {
        const mo_sim_actuator *actuator = mechanism->actuator + k;
        if (actuator->constraint != MO_NONE)
            *rows_of(world, actuator->constraint, start) = actuator->effort * world->last_step;
    }
    for (int k = 0; k < mechanism->couplings && mechanism->coupling_constraint != MO_NONE; ++k)
        *rows_of(world, mechanism->coupling_constraint + k, start) = mechanism->coupling[k].impulse;
}

static void read_actuator(const mo_world *world, mo_sim_mechanism *mechanism,
                          mo_sim_actuator *actuator, double d, double to_effort)
{
    const mo_actuator_line line = mo_actuator_line_of(mechanism, actuator, d);
    const mo_actuator_def *def = &actuator->def;
    if (actuator->constraint != MO_NONE) {
        actuator->effort = to_effort * *rows_of(world, actuator->constraint, world->result.r);
    } else {
        const double effort =
            line.constant - line.slope * mo_actuator_speed(&line.drive, mechanism->next_v);
        actuator->effort = fmin(fmax(effort, def->lower), def->upper);
    }
    const double off = beyond(def);
    actuator->is_saturated =
        actuator->effort <= def->lower + off || actuator->effort >= def->upper - off;
}

void mo_mechanism_read_rows(const mo_world *world, mo_sim_mechanism *mechanism, double d,
                            double to_impulse, double to_effort)
{
    double *r = world->result.r;
    mo_mechanism_read_friction(world, mechanism, d);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        mo_sim_axis *axis = mechanism->axis + k;
        read_stop(world, &axis->stop, to_impulse);
        for (int i = 0; i < mo_axis_v_count(axis->def.kind) && axis->friction_constraint != MO_NONE;
             ++i) {
            axis->friction_impulse[i] =
                to_impulse * rows_of(world, axis->friction_constraint, r)[i];
        }
    }
    for (int k = 0; k < mechanism->tendons; ++k) {
        mo_sim_tendon *tendon = mechanism->tendon + k;
        read_stop(world, &tendon->stop, to_impulse);
        if (tendon->friction_constraint != MO_NONE)
            tendon->friction_impulse = to_impulse * *rows_of(world, tendon->friction_constraint, r);
    }
    for (int k = 0; k < mechanism->couplings && mechanism->coupling_constraint != MO_NONE; ++k) {
        mechanism->coupling[k].impulse =
            to_impulse * *rows_of(world, mechanism->coupling_constraint + k, r);
    }
    for (int k = 0; k < mechanism->actuators; ++k)
        read_actuator(world, mechanism, mechanism->actuator + k, d, to_effort);
}
