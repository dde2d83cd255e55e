/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Tendons and actuators of mechanisms (mechanism.h).
 *
 * A tendon has a length l(q).  A fixed tendon is a sum over revolute or prismatic joints: l = c_1
 * q_1 + c_2 q_2 + ...  A spatial tendon is a string through points of links: l is the length of its
 * path, and its moment arms are dl/dq.  A tendon may have limits, a spring with slack, damping, dry
 * friction and actuators, and may be coupled to another tendon (mo_mechanism_couple).
 */
#ifndef MOREAU_DRIVE_H
#define MOREAU_DRIVE_H

#include "moreau/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tendons --------------------------------------------------------------------------------- */

typedef enum mo_tendon_point_kind {
    /* the tendon passes through it */
    MO_TENDON_SITE,
    /* the tendon wraps around it if it is between the sites before and after it */
    MO_TENDON_BALL,
    MO_TENDON_CYLINDER, /* infinitely long, about z of its pose */
    /* ends one string and starts another, whose length is divided by divisor */
    MO_TENDON_PULLEY,
    MO_TENDON_POINT_KINDS
} mo_tendon_point_kind;

/*
 * A point of a path.  A path, and each of its parts between pulleys, begins and ends with a site;
 * an obstacle is between two sites.
 *
 * With a side point outside the obstacle, the tendon passes on that side, even if the straight
 * line would miss the obstacle on the other side.  With a side point inside the obstacle, the
 * tendon passes through it (a ring): if the straight line misses it, the tendon touches it from
 * inside at one point.  This is the convention of MJCF.
 */
typedef struct mo_tendon_point {
    mo_tendon_point_kind kind;
    int link;      /* its link; -1: the world */
    mo_pose pose;  /* in the link frame */
    double radius; /* of an obstacle, m */
    int has_side;
    int side_link; /* link of the side point */
    double side[3];
    double divisor; /* of a pulley */
} mo_tendon_point;

typedef struct mo_tendon_def {
    const int *joints; /* indices in the definition; copied; unused with a path */
    const double *coefficients;
    int count;
    /* path of a spatial tendon; copied */
    const mo_tendon_point *path;
    int path_count;
    int has_limits;
    double lower, upper; /* of the length: m, or that of coefficient q */
    double stiffness;    /* N/m, or N m/rad */
    /* the spring acts below the first and above the second length; both -1, with a path: the length
     * with every revolute and prismatic joint at its rest position */
    double slack[2];
    double damping;      /* N s/m, or N m s/rad */
    double dry_friction; /* N or N m */
    const char *name;    /* copied; may be NULL */
} mo_tendon_def;

MO_API mo_tendon_def mo_default_tendon(void);

/* ---- actuators ------------------------------------------------------------------------------- */

typedef enum mo_transmission {
    MO_ON_JOINT, /* l = gear . q (ball: of the rotation vector; free joint: 0) */
    /* l = gear[0] times the length of the tendon */
    MO_ON_TENDON,
    /* thruster: gear is a force and a moment in the axes of a frame on a link; l = 0 */
    MO_ON_LINK
} mo_transmission;

/* The gain multiplies the target, or a state that follows it. */
typedef enum mo_actuator_dynamics {
    MO_DYNAMICS_NONE,
    /* rate of the state: target */
    MO_DYNAMICS_INTEGRATOR,
    /* rate of the state: (target - state) / time_constant */
    MO_DYNAMICS_FILTER,
    /* the same, integrated exactly over the step */
    MO_DYNAMICS_FILTER_EXACT,
    /* activation of a muscle, from 0 to 1: a filter with activation-dependent time constants */
    MO_DYNAMICS_MUSCLE
} mo_actuator_dynamics;

/*
 * The muscle of MuJoCo.  With the resting length L0, L = l / L0 shifted so that length_range
 * is `range`, and V = l' / (L0 vmax),
 *
 *     e = -force (activation FL(L) FV(V) + FP(L)):
 *
 * FL is 1 at L = 1 and 0 outside [lmin, lmax]; FV is 0 at V = -1, 1 at rest and at most fvmax; FP,
 * the passive force, is 0 up to L = 1 and fpmax / 2 at L = (1 + lmax) / 2.
 */
typedef struct mo_muscle {
    double range[2];        /* range of L; usually 0.75 to 1.05 */
    double force;           /* N, at L = 1, at rest, fully active */
    double lmin, lmax;      /* usually 0.5, 1.6 */
    double vmax;            /* L0 per second; usually 1.5 */
    double fpmax, fvmax;    /* usually 1.3, 1.2 */
    double length_range[2]; /* m */
} mo_muscle;

/*
 * An actuator drives a joint, tendon or link of length l and speed l' with the effort
 *
 *     e = (gain + gain_length l + gain_speed l') target + bias[0] + bias[1] l + bias[2] l',
 *     lower <= e <= upper,
 *
 * which acts on the velocities as gear e.  Negative coefficients of l and l' are implicit (l and l'
 * at the end of the step).  With dynamics, a state replaces the target; a step uses the state at
 * its start.
 */
typedef struct mo_actuator_def {
    /* MO_ON_JOINT: index in the definition */
    int joint;
    /* one per velocity of the joint */
    double gear[6];
    double gain;    /* effort (N or N m) per unit of the target or state */
    double bias[3]; /* effort; effort per unit of l; effort per unit of l' */
    /* limits of the effort; may be infinite */
    double lower, upper;
    int has_target_range;
    /* targets are clamped to this range */
    double target_lower, target_upper;
    /* initial target */
    double target;
    mo_transmission on;
    /* MO_ON_TENDON: tendon; MO_ON_LINK: link */
    int tendon, link;
    /* MO_ON_LINK: frame in the link frame */
    mo_pose place;
    double gain_length, gain_speed; /* gain per unit of l and of l' */
    mo_actuator_dynamics dynamics;
    /* s */
    double time_constant;
    /* s; muscle: for decreasing activation */
    double time_constant_off;
    /* 1: the effort is that of the muscle; gain and bias are ignored */
    int is_muscle;
    mo_muscle muscle;
    int has_state_range;
    /* the state is clamped to this range */
    double state_lower, state_upper;
    const char *name; /* copied; may be NULL */
} mo_actuator_def;

/* e = target */
MO_API mo_actuator_def mo_actuator_motor(int joint);
/* e = stiffness (target - l) - damping l' */
MO_API mo_actuator_def mo_actuator_position(int joint, double stiffness, double damping);
/* e = damping (target - l') */
MO_API mo_actuator_def mo_actuator_velocity(int joint, double damping);

#ifdef __cplusplus
}
#endif
#endif
