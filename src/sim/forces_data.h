/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The acceleration level:
 *
 *   forces.c         the computation and its result
 *   forces_instant.c contacts, problem, methods
 *   forces_drift.c   (d/dt J') v of contacts and joints
 *   forces_rows.c    joints and mechanisms in the problem
 *   forces_joints.c  reactions and efforts at joints
 *   forces_step.c    a step at the acceleration level, in pieces (forces_piece.c)
 */
#ifndef MO_SIM_FORCES_DATA_H
#define MO_SIM_FORCES_DATA_H

#include "moreau/forces.h"
#include "sim/joint_rows.h"
#include "sim/mechanism.h"

/* Of a contact: (d/dt J') v of its rows, and whether it slides, in which direction of its tangents.
 */
typedef struct mo_contact_instant {
    double drift[MO_CONTACT_ROWS];
    int is_sliding;
    double direction[2];
} mo_contact_instant;

/* The same of a joint. */
typedef struct mo_joint_instant {
    double hold[MO_JOINT_ROWS], coordinate;
} mo_joint_instant;

struct mo_instant {
    double speed;    /* lower speeds count as rest */
    double per_step; /* 1/d if the forces act for a time d; otherwise 0 */
    int is_pyramid;
    mo_contact_instant *contact;        /* as world->contacts */
    mo_joint_instant *joint;            /* by place */
    mo_sim_contacts moved;              /* contacts a moment before or after */
    double (*rate)[3][MO_CONTACT_ROWS]; /* of each contact: before, now, after */
    int (*has_rate)[3];
    mo_joint_instant (*joint_rate)[3];
    struct mo_place {
        double x[3], orientation[4], v[6];
        int is_asleep;
    } * kept; /* of each living body */
    double *kept_q;
    const mo_force_options *options;
    int *known_constraint; /* of each known acceleration */
};

/* forces_instant.c, in the order of their calls */
void mo_instant_begin(mo_world *world, mo_instant *instant); /* nothing sleeps; instant->kept */
void mo_instant_keep_touching(mo_world *world, double gap);
mo_error mo_instant_make(mo_world *world, mo_instant *instant);
/* constraint 0: takes part; mode APART: already separates. */
void mo_instant_classify(mo_world *world, mo_instant *instant, mo_forces *forces);
mo_error mo_instant_assemble(mo_world *world, const mo_instant *instant, mo_message *why);
mo_error mo_instant_solve(mo_world *world, const mo_force_options *options, mo_forces *forces,
                          mo_message *why);
/* If no forces exist: writes the impulse to world->result if it changes velocities by more than
 * `least` (forces->is_impulsive). */
mo_error mo_instant_impulse(mo_world *world, const mo_force_options *options, double least,
                            mo_forces *forces, mo_message *why);
void mo_instant_free(mo_world *world, mo_instant *instant);

/* forces_drift.c: into instant->contact and ->joint. */
mo_error mo_instant_drift(mo_world *world, mo_instant *instant);
void mo_instant_stop(mo_instant *instant, int k, int first, int end);

/* forces_rows.c: f of a mechanism into rhs, its matrix; which of its limits take part. */
void mo_instant_mechanism(mo_world *world, mo_sim_mechanism *mechanism, const mo_instant *instant);
/* Over a time d: limits and actuators of mechanisms that the solution violates; returns their
 * number. */
int mo_instant_look_again(mo_world *world, const mo_instant *instant);
/* Of springs and damping of joint k. */
void mo_instant_passive(const mo_sim_mechanism *mechanism, int k, double effort[6]);
/* Forces of joints, limits, friction and actuators, as those of a step of h. */
void mo_instant_write_joints(mo_world *world, const mo_instant *instant, double h);

/* forces_joints.c: after contacts and accelerations were reported. */
mo_error mo_forces_write_joints(mo_world *world, const mo_instant *instant, mo_forces *forces);

#endif
