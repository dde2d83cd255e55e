/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The acceleration level: forces and accelerations of a world at one instant, without a step
 * [trinkle1997, sections 2 and 3].
 *
 * Contacts that touch (5) are divided into rolling, R (6), and sliding, S.  With a their relative
 * accelerations and c their forces,
 *
 *     a = A c + b        A = J' M^-1 J,   b = J' M^-1 (forces) + (d/dt J') v         (21-23)
 *
 *     all     0 <= a_n  perp  c_n >= 0                                               (7, 9, 12)
 *     in S    c_t opposes the sliding velocity with mu c_n                           (10)
 *     in R    Coulomb's law with the acceleration in the place of the velocity   (8, 11),
 *             or its pyramid                                                     (15, 16)
 *
 * which is a contact problem (problem.h) with accelerations for velocities and forces for impulses.
 * Joints, limits, dry friction and actuators take part as in a step, each by its state: what moves
 * has the friction of its direction, what is at rest may hold.
 *
 * With sliding contacts there may be no such forces (Painleve).  Then there is an impulse
 * [baraff1994, section 6]: the one that time stepping finds as its step goes to zero.
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

/* A velocity of a mechanism whose acceleration is known, its effort not [trinkle1997, section 2.5].
 */
typedef struct mo_known_acceleration {
    mo_mechanism_id mechanism;
    int velocity; /* its number in v */
    double acceleration;
} mo_known_acceleration;

typedef struct mo_force_options {
    mo_friction_model friction;
    /* method NULL: auto, then dantzig and lemke where it fails; lemke first for the pyramid */
    mo_options solver;
    /* m: contacts up to this gap touch; 0: 1e-6 of the smaller shape */
    double gap;
    /* m/s, rad/s: slower is at rest: a contact sticks, a joint holds */
    double speed;
    /* compliance of contacts, over the response of each to its own force; 0: hard. A small one
     * spreads forces that rigid bodies leave undetermined */
    double softness;
    /* inverse dynamics through contact; or NULL */
    const mo_known_acceleration *known;
    int known_count;
} mo_force_options;

/* The cone, 1e-6 m/s, the solver's defaults. */
MO_API mo_force_options mo_default_force_options(void);

/* What becomes of a contact [trinkle1997, section 2.3]. */
typedef enum mo_transition {
    /* rolling, and goes on */
    MO_TRANSITION_ROLLS,
    /* rolling, and starts to slide */
    MO_TRANSITION_SLIPS,
    /* sliding, and goes on */
    MO_TRANSITION_SLIDES,
    /* the bodies separate */
    MO_TRANSITION_BREAKS,
    /* they approach: no force, but an impact has to come first; left out of the problem */
    MO_TRANSITION_IMPACT,
    MO_TRANSITION_COUNT
} mo_transition;

MO_API const char *mo_transition_name(mo_transition transition); /* "sticks", or NULL */

typedef struct mo_contact_force {
    mo_body_id a, b;
    /* world */
    double point[3];
    /* unit, from a to b */
    double normal[3];
    /* m */
    double gap;
    double mu;
    /* of b against a, world axes, m/s */
    double velocity[3];
    /* of that, as the contact moves, m/s^2; of an impulse: the velocity after it */
    double acceleration[3];
    double force[3]; /* on b, world axes, N; of an impulse: N s */
    /* on b: torsion and rolling */
    double moment[3];
    /* in S */
    int is_sliding;
    mo_transition transition;
} mo_contact_force;

/*
 * What acts at joints.  Forces in N, moments in N m, in world axes; of an impulse N s and N m s.
 * Efforts act on velocities: N along a slide, N m about an axis, positive where they drive the
 * coordinate upwards.
 */

/* A joint between bodies (joint.h), loop closures of mechanisms among them. */
typedef struct mo_joint_force {
    mo_joint_id joint;
    /* a may be none: the world */
    mo_body_id a, b;
    /* its anchor on b, world */
    double point[3];
    /* on b, all parts together; the opposite acts on a at the same point */
    double force[3];
    /* on b about the point, all parts together */
    double moment[3];
    double limit; /* part of these on its coordinate q: of its limits (a lower one pushes up) ... */
    /* ... of dry friction ... */
    double friction;
    /* ... of its motor or servo */
    double drive;
} mo_joint_force;

/* How a link of a mechanism is held: all that its parent does to it, through its joints or a weld.
 */
typedef struct mo_link_force {
    /* the parent of a root is none: the world */
    mo_body_id link, parent;
    double point[3]; /* world: the anchor of its last joint; its origin where it has none */
    double force[3]; /* on the link; the opposite acts on the parent at the same point */
    /* on the link about the point */
    double moment[3];
} mo_link_force;

/* Efforts on the velocities of a joint of a mechanism, by what they come from. */
typedef struct mo_axis_force {
    mo_mechanism_id mechanism;
    /* its number there */
    int joint;
    int v_count;
    double actuator[6]; /* gear times effort, of all actuators that drive it; not thrusters */
    /* springs and damping */
    double passive[6];
    /* mo_mechanism_push, and the control of the host */
    double applied[6];
    /* dry friction */
    double friction[6];
    /* a lower limit pushes up */
    double limit[6];
    double tendon[6]; /* springs, damping, dry friction and limits of its tendons */
    /* of mo_mechanism_couple */
    double coupling[6];
    /* what has to act where accelerations are known */
    double known[6];
    /* the sum: what drives the link, its rotor included */
    double effort[6];
} mo_axis_force;

/* Start from {0}. */
typedef struct mo_forces {
    mo_status status; /* of the problem that was solved last */
    /* in m/s^2, or m/s of an impulse */
    mo_residual residual;
    /* the one that found it */
    const char *method;
    int iterations;
    mo_message message;
    /* no forces were found: `force` and `acceleration` are impulses and jumps of velocity */
    int is_impulsive;
    /* contacts of each kind */
    int rolling, sliding, impacts;

    mo_contact_force *contacts;
    int contact_count;
    double (*accelerations)[6]; /* of each body (mo_world_body): centre of mass, then spin */
    int body_count;
    double *joint_accelerations; /* of each mechanism after the other, as long as its v  */
    int joint_acceleration_count;
    double *known_efforts; /* of each known acceleration: what has to act besides everything else */
    int known_count;
    /* as mo_world_joint */
    mo_joint_force *joints;
    int joint_count;
    mo_link_force *links; /* of each mechanism after the other, as its links */
    int link_count;
    mo_axis_force *axes; /* of each mechanism after the other, as its joints */
    int axis_count;
    double *actuator_efforts; /* of each mechanism after the other, as its actuators, N or N m */
    int actuator_count;
    int *is_moving; /* of each body: is it accelerated? */
    int moving; /* free bodies and links that are accelerated: 0 where an assembly at rest holds */

    mo_problem *problem; /* M, H, laws and w = (d/dt J') v, with ... */
    /* ... its answer: v is the accelerations */
    mo_result result;
    mo_allocator allocator;
} mo_forces;

/*
 * The world stays as it is.  Controls of mechanisms are asked as for a step of no time.  An error
 * where a body has no mass; what was found is in the status.  NULL options are the default ones.
 */
MO_API mo_error mo_world_forces(mo_world *world, const mo_force_options *options, mo_forces *forces,
                                mo_message *why);
MO_API void mo_forces_clear(mo_forces *forces);

#ifdef __cplusplus
}
#endif
#endif
