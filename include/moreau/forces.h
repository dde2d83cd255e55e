/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The acceleration level: forces and accelerations of a world at one instant, without a step
 * [trinkle1997, sections 2 and 3].
 *
 * Contacts that touch (5) are divided into rolling, R (6), and sliding, S.  With a their relative
 * accelerations and c their forces,
 *     a = A c + b        A = J' M^-1 J,   b = J' M^-1 (forces) + (d/dt J') v         (21-23)
 *     all     0 <= a_n  perp  c_n >= 0                                               (7, 9, 12)
 *     in S    c_t opposes the sliding velocity with mu c_n                           (10)
 *     in R    Coulomb's law with accelerations for velocities, or its pyramid   (8, 11, 15, 16)
 *
 * This is a contact problem (problem.h).  Joints, limits, dry friction and actuators take part as
 * in a step; dry friction opposes the motion of a joint, or may hold it at rest.
 *
 * With sliding contacts such forces may not exist (Painleve).  The result is then the impulse of
 * [baraff1994, section 6], which time stepping finds in the limit of small steps.
 */
#ifndef MOREAU_FORCES_H
#define MOREAU_FORCES_H

#include "moreau/joint.h"
#include "moreau/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mo_friction_model {
    MO_FRICTION_CONE,
    /* at rolling contacts in space; its edges are the tangents of the contact's frame */
    MO_FRICTION_PYRAMID
} mo_friction_model;

/* Prescribes the acceleration of a velocity of a mechanism; its effort is unknown [trinkle1997,
 * section 2.5]. */
typedef struct mo_known_acceleration {
    mo_mechanism_id mechanism;
    int velocity; /* index in v */
    double acceleration;
} mo_known_acceleration;

typedef struct mo_force_options {
    mo_friction_model friction;
    /* method NULL: auto, then dantzig and lemke if it fails; for the pyramid lemke first */
    mo_options solver;
    /* m: contacts up to this gap touch; 0: 1e-6 of the smaller shape */
    double gap;
    /* m/s, rad/s: slower contacts and joints are at rest */
    double speed;
    /* compliance of a contact relative to its response to its own force; 0: hard.  A small value,
     * 1e-6, distributes forces that rigid bodies leave undetermined */
    double softness;
    /* for inverse dynamics with contact; may be NULL */
    const mo_known_acceleration *known;
    int known_count;
} mo_force_options;

/* The cone, a speed of 1e-6, default options of the solver. */
MO_API mo_force_options mo_default_force_options(void);

/* The transition of a contact [trinkle1997, section 2.3]. */
typedef enum mo_transition {
    /* keeps rolling */
    MO_TRANSITION_ROLLS,
    /* rolling, starts to slide */
    MO_TRANSITION_SLIPS,
    /* keeps sliding */
    MO_TRANSITION_SLIDES,
    /* the bodies separate */
    MO_TRANSITION_BREAKS,
    /* the bodies approach: an impact must come first; left out of the problem */
    MO_TRANSITION_IMPACT,
    MO_TRANSITION_COUNT
} mo_transition;

MO_API const char *mo_transition_name(mo_transition transition); /* "sticks", or NULL */

typedef struct mo_contact_force {
    mo_body_id a, b;
    /* m, world coordinates */
    double point[3];
    /* unit, from a to b */
    double normal[3];
    /* m */
    double gap;
    double mu;
    /* velocity of b relative to a, world axes, m/s */
    double velocity[3];
    /* its rate of change in the moving contact frame, m/s^2; for an impulse: the velocity after
     * it */
    double acceleration[3];
    double force[3]; /* on b, world axes, N; for an impulse: N s */
    /* torsional and rolling moment on b, N m */
    double moment[3];
    /* is in S */
    int is_sliding;
    mo_transition transition;
} mo_contact_force;

/*
 * Forces at joints, in N and N m, world axes; for an impulse N s and N m s.  Efforts act on joint
 * velocities, in N for slides and N m for hinges, and are positive if they increase the coordinate.
 */

/* Forces of a joint between bodies (joint.h), including loop closures of mechanisms. */
typedef struct mo_joint_force {
    mo_joint_id joint;
    /* a = {0}: the world */
    mo_body_id a, b;
    /* its anchor on b, world coordinates, m */
    double point[3];
    /* total force on b; the opposite acts on a at the same point */
    double force[3];
    /* total moment on b about the point */
    double moment[3];
    /* efforts on its coordinate q, included above: of its limits (positive for the lower one), of
     * dry friction, and of its motor or servo */
    double limit, friction, drive;
} mo_joint_force;

/* Force and moment from the parent on a link of a mechanism, through its joints or a weld. */
typedef struct mo_link_force {
    /* parent = {0}: the world */
    mo_body_id link, parent;
    double point[3]; /* anchor of its last joint, or its origin; world */
    double force[3]; /* on the link; the opposite acts on the parent there */
    /* on the link, about the point */
    double moment[3];
} mo_link_force;

/* Efforts on the velocities of a joint of a mechanism, by origin. */
typedef struct mo_axis_force {
    mo_mechanism_id mechanism;
    /* its index there */
    int joint;
    int v_count;
    double actuator[6]; /* gear times effort of all its actuators, without thrusters */
    /* springs and damping */
    double passive[6];
    /* mo_mechanism_push and the control callback */
    double applied[6];
    /* dry friction */
    double friction[6];
    /* positive for the lower limit */
    double limit[6];
    double tendon[6]; /* springs, damping, dry friction and limits of tendons */
    /* couplings (mo_mechanism_couple) */
    double coupling[6];
    /* additional effort for known accelerations */
    double known[6];
    /* the sum, which accelerates the link and its rotor */
    double effort[6];
} mo_axis_force;

/* Initialise with {0}. */
typedef struct mo_forces {
    mo_status status; /* of the last problem solved */
    /* in m/s^2, or m/s for an impulse */
    mo_residual residual;
    /* method that found the solution */
    const char *method;
    int iterations;
    mo_message message;
    /* 1: no forces were found; `force` and `acceleration` are impulses and velocity jumps */
    int is_impulsive;
    /* number of contacts of each kind */
    int rolling, sliding, impacts;

    mo_contact_force *contacts;
    int contact_count;
    double (*accelerations)[6]; /* per body (mo_world_body): linear, then angular */
    int body_count;
    double *joint_accelerations; /* of all mechanisms in turn, as their v */
    int joint_acceleration_count;
    double *known_efforts; /* additional effort for each known acceleration */
    int known_count;
    /* in the order of mo_world_joint */
    mo_joint_force *joints;
    int joint_count;
    mo_link_force *links; /* of all mechanisms in turn, as their links */
    int link_count;
    mo_axis_force *axes; /* of all mechanisms in turn, as their joints */
    int axis_count;
    double *actuator_efforts; /* of all mechanisms in turn, as their actuators, N or N m */
    int actuator_count;
    int *is_moving; /* per body: whether it accelerates */
    int moving;     /* number of accelerating bodies and links; 0: static equilibrium */

    mo_problem *problem; /* M, H, laws and w = (d/dt J') v */
    /* its result, in which v are accelerations */
    mo_result result;
    mo_allocator allocator;
} mo_forces;

/*
 * Computes the forces.  The world does not change.  Control callbacks are called with h = 0.  Fails
 * if a body has no mass; the outcome of the solve is in the status.  NULL options: the default.
 */
MO_API mo_error mo_world_forces(mo_world *world, const mo_force_options *options, mo_forces *forces,
                                mo_message *why);
MO_API void mo_forces_clear(mo_forces *forces);

#ifdef __cplusplus
}
#endif
#endif
