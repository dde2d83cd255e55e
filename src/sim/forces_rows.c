/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Joints and mechanisms at the acceleration level.
 *
 *   part                at rest                              in motion
 *   hold                bilateral, w = drift                 the same
 *   limit               frictionless if reached              none (an impact comes first)
 *   dry friction        box                                  the force opposite to the motion
 *   motor               box at its speed                     its full effort towards it
 *   position drive      box: keeps its velocity
 *   springs, damping, actuators of mechanisms: forces from the present q and v
 *
 * A known force is a box of zero width.
 *
 * If the accelerations act for a time d (forces_step.c), these are the rows of a step of d in other
 * units: boxes and limits refer to the velocity at its end, friction may stop a joint, springs,
 * damping and servos are implicit, and free rotation does not gain energy.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "sim/forces_data.h"

static const double REACHED = 1e-6; /* rad or m: a limit */

/* ---- free bodies ----------------------------------------------------------------------------- */

/* Forces, weight, and the gyroscopic moment: now, or the mean over a time d, as in a step of d
 * (advance.c). */
void mo_instant_force(const mo_world *world, mo_sim_body *body, const mo_instant *instant,
                      double f[6])
{
    double L[3] = {0, 0, body->inertia[8] * body->v[5]}, turning[3];
    if (instant->per_step > 0) {
        mo_advance_body(world, body, 1 / instant->per_step);
        for (int k = 0; k < 6; ++k)
            f[k] = instant->per_step * (body->free_v[k] - body->start_v[k]);
        mo_vec3_scale(body->mass, f, f);
        mo_mat3_apply(body->world_inertia, f + 3, turning);
        mo_vec3_set(f + 3, turning[0], turning[1],
                    mo_is_planar(world) ? body->inertia[8] * f[5] : turning[2]);
        memset(body->free_v, 0, sizeof body->free_v);
        return;
    }
    if (!mo_is_planar(world)) mo_mat3_apply(body->world_inertia, body->v + 3, L);
    mo_vec3_cross(body->v + 3, L, turning);
    for (int k = 0; k < 3; ++k) {
        f[k] = body->force[k] +
               body->mass * (world->def.gravity[k] - body->def.linear_damping * body->v[k]);
        f[3 + k] = body->force[3 + k] - turning[k] - body->def.angular_damping * L[k];
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

static void add_box(mo_world *world, mo_sim_joint *joint, mo_joint_part part,
                    const mo_joint_rows *rows, double lower, double upper, double w)
{
    const mo_law law = mo_law_box(&lower, &upper);
    mo_joint_add_part(world, joint, part, &law, rows, 1, &w);
}

/* Of a servo with gains: the effort that it gives at this speed. */
static double servo_effort(const mo_joint_def *def, double q, double speed)
{
    const double effort = def->stiffness * (def->target - q) - def->damping * speed;
    return fmax(-def->max_effort, fmin(def->max_effort, effort));
}

static int has_gains(const mo_joint_def *def)
{
    return def->drive == MO_DRIVE_POSITION && (def->stiffness > 0 || def->damping > 0);
}

/* At one instant; w is the velocity product. */
static void add_coordinate(mo_world *world, mo_sim_joint *joint, const mo_joint_rows *rows,
                           double slow, double w)
{
    const mo_joint_def *def = &joint->def;
    const double q = rows->error[0], speed = mo_joint_speed(world, joint, rows), minus = -w;
    const mo_law one_sided = mo_law_frictionless();
    if (def->has_limits && q - def->lower <= REACHED && speed <= slow)
        mo_joint_add_part(world, joint, MO_PART_LOWER, &one_sided, rows, 1, &w);
    if (def->has_limits && def->upper - q <= REACHED && speed >= -slow)
        mo_joint_add_part(world, joint, MO_PART_UPPER, &one_sided, rows, -1, &minus);
    const double most = def->max_effort, behind = def->target - speed;
    if (has_gains(def)) {
        const double effort = servo_effort(def, q, speed);
        add_box(world, joint, MO_PART_DRIVE, rows, effort, effort, w);
    } else if (def->drive != MO_DRIVE_NONE && most > 0) {
        const int is_off = def->drive == MO_DRIVE_VELOCITY && fabs(behind) > slow && isfinite(most);
        add_box(world, joint, MO_PART_DRIVE, rows, is_off && behind > 0 ? most : -most,
                is_off && behind < 0 ? -most : most, w);
    }
    if (def->dry_friction > 0) {
        const double hold = def->dry_friction;
        add_box(world, joint, MO_PART_FRICTION, rows, speed < -slow ? hold : -hold,
                speed > slow ? -hold : hold, w);
    }
}

void mo_instant_joint(mo_world *world, int place, const mo_instant *instant)
{
    mo_sim_joint *joint = world->joint + place;
    const mo_law held = mo_law_bilateral();
    mo_joint_rows rows;
    mo_joint_hold(world, joint, &rows);
    if (rows.count > 0)
        mo_joint_add_part(world, joint, MO_PART_HOLD, &held, &rows, 1, instant->joint[place].hold);
    const double product = instant->joint[place].coordinate;
    mo_joint_coordinate(world, joint, &rows);
    if (rows.count > 0 && instant->per_step > 0) {
        const double p = instant->per_step; /* 1/d: u = (speed+ - target) / d */
        mo_joint_add_coordinate(world, joint, &rows, 1 / p, p,
                                product + p * mo_joint_speed(world, joint, &rows));
    } else if (rows.count > 0) {
        add_coordinate(world, joint, &rows, instant->speed, product);
    }
}

/* ---- mechanisms ------------------------------------------------------------------------------ */

void mo_instant_passive(const mo_sim_mechanism *mechanism, int k, double effort[6])
{
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const mo_axis_def *def = &mechanism->axis[k].def;
    double stretch[6];
    mo_axis_stretch(mechanism, k, stretch);
    for (int i = 0; i < mo_axis_v_count(joint->kind); ++i)
        effort[i] = 0 - def->stiffness * stretch[i] - def->damping * mechanism->v[joint->v_at + i];
}

/* M a = f at this instant. */
static void set_forces(mo_world *world, mo_sim_mechanism *mechanism, double speed)
{
    static const double weightless[3] = {0};
    const int n = mechanism->tree.dofs;
    const size_t square = (size_t)n * (size_t)n;
    mo_linkage_mass_matrix(&mechanism->tree, mechanism->M);
    memcpy(mechanism->F, mechanism->M, square * sizeof *mechanism->F);
    mechanism->is_singular = !mo_factor_symmetric(n, mechanism->F);
    mo_linkage_inverse(&mechanism->tree, mechanism->v, NULL, weightless, mechanism->rhs);
    for (int i = 0; i < n; ++i)
        mechanism->rhs[i] = mechanism->effort[i] - mechanism->rhs[i];
    mo_mechanism_add_forces(world, mechanism, 1);
    mo_mechanism_drag(mechanism, 0);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        double effort[6];
        mo_instant_passive(mechanism, k, effort);
        mo_axpy(mo_axis_v_count(mechanism->axis[k].def.kind), 1, effort,
                mechanism->rhs + mechanism->tree.joint[k].v_at);
    }
    for (int k = 0; k < mechanism->tendons; ++k)
        mo_tendon_pull(mechanism, mechanism->tendon + k, 0);
    for (int k = 0; k < mechanism->actuators; ++k) {
        const double effort = mo_actuator_effort(mechanism, mechanism->actuator + k);
        mo_axpy(n, effort, mechanism->row, mechanism->rhs);
    }
    memcpy(mechanism->A, mechanism->M, square * sizeof *mechanism->A);
    mo_mechanism_choose_reached(mechanism, REACHED, speed);
}

/* A a = f over a time d: A (v + d a) is the right side of a step of d (mechanism_step.c). */
static void set_forces_over(mo_world *world, mo_sim_mechanism *mechanism, double per_step)
{
    const int n = mechanism->tree.dofs;
    mo_mechanism_free(world, mechanism, 1 / per_step);
    for (int i = 0; i < n; ++i) {
        const double now = mo_dot(n, mechanism->A + (size_t)i * (size_t)n, mechanism->v);
        mechanism->rhs[i] = per_step * (mechanism->rhs[i] - now);
    }
}

void mo_instant_mechanism(mo_world *world, mo_sim_mechanism *mechanism, const mo_instant *instant)
{
    if (mechanism->tree.dofs == 0)
        mechanism->is_singular = 0;
    else if (instant->per_step > 0)
        set_forces_over(world, mechanism, instant->per_step);
    else
        set_forces(world, mechanism, instant->speed);
}

/* next_v holds accelerations. */
static void end_velocities(mo_sim_mechanism *mechanism, double d)
{
    mo_along(mechanism->tree.dofs, mechanism->v, d, mechanism->next_v, mechanism->next_v);
}

int mo_instant_look_again(mo_world *world, const mo_instant *instant)
{
    const double d = 1 / instant->per_step;
    int count = 0;
    mo_assemble_velocities(world);
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            end_velocities(mechanism, d);
            count += mo_mechanism_look_again(mechanism, d);
        }
    }
    return count;
}

void mo_instant_write_joints(mo_world *world, const mo_instant *instant, double h)
{
    mo_assemble_velocities(world);
    for (int k = 0; k < world->jointed_count; ++k) {
        mo_sim_joint *joint = world->joint + world->jointed[k];
        mo_joint_answer(world, world->jointed[k], 1);
        for (size_t i = 0; i < sizeof joint->impulse / sizeof *joint->impulse; ++i)
            joint->impulse[i] *= h;
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            end_velocities(mechanism, 1 / instant->per_step);
            mo_mechanism_read_rows(world, mechanism, 1 / instant->per_step, h, 1);
        }
    }
}

/* ---- given accelerations --------------------------------------------------------------------- */

/* a_j = known value: a bilateral row whose force is the effort. */
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
