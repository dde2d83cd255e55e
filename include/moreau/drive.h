/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Tendons and actuators of mechanisms (mechanism.h).
 *
 * A tendon has a length l(q).  A fixed tendon sums up joints, which are revolute or prismatic:
 * l = c_1 q_1 + c_2 q_2 + ...  A spatial tendon is a string through points of links: l is the
 * length of its path, and its moment arms are dl/dq.  A tendon may be limited, pull as a spring
 * while l is outside the slack, be damped, rub, be driven by an actuator, and follow another one
 * (mo_mechanism_couple).
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
    /* the tendon passes around it, where it is in the way of the sites before and after it */
    MO_TENDON_BALL,
    MO_TENDON_CYLINDER, /* infinitely long, about z of its pose */
    /* what comes before and after it are two strings; lengths that follow are divided by divisor */
    MO_TENDON_PULLEY,
    MO_TENDON_POINT_KINDS
} mo_tendon_point_kind;

/*
 * A point of a path.  A path, and every part of it between pulleys, begins and ends with a site; an
 * obstacle is between two sites.
 *
 * With a side point outside the obstacle, the tendon passes on that side of it, even where the
 * straight line would miss the obstacle on the other.  With a side point inside the obstacle, the
 * tendon passes through it (a ring): where the straight line misses it, the tendon touches it from
 * inside at one point.  This is the convention of MJCF.
 */
typedef struct mo_tendon_point {
    mo_tendon_point_kind kind;
    int link;      /* on which it is; -1: fixed in the world */
    mo_pose pose;  /* in the link */
    double radius; /* of an obstacle, m */
    int has_side;
    int side_link; /* as link */
    double side[3];
    double divisor; /* of a pulley */
} mo_tendon_point;

typedef struct mo_tendon_def {
    const int *joints; /* in the order of the definition; copied; unused with a path */
    const double *coefficients;
    int count;
    /* of a spatial tendon; copied */
    const mo_tendon_point *path;
    int path_count;
    int has_limits;
    double lower, upper;
    double stiffness;
    /* shorter and longer than these the spring pulls; both -1, with a path: its length while each
     * revolute and prismatic joint is at its rest */
    double slack[2];
    double damping;
    double dry_friction;
    const char *name; /* copied; may be NULL */
} mo_tendon_def;

MO_API mo_tendon_def mo_default_tendon(void);

/* ---- actuators ------------------------------------------------------------------------------- */

typedef enum mo_transmission {
    MO_ON_JOINT, /* l = gear . q (of a ball: of its rotation vector; of a free joint: 0) */
    /* l = gear[0] times its length */
    MO_ON_TENDON,
    /* gear is a force and a moment in the axes of a place on a link: a thruster; l = 0 */
    MO_ON_LINK
} mo_transmission;

/* What the gain multiplies: the target itself, or a state that follows it. */
typedef enum mo_actuator_dynamics {
    MO_DYNAMICS_NONE,
    /* its rate is the target */
    MO_DYNAMICS_INTEGRATOR,
    /* its rate is (target - state) / time_constant */
    MO_DYNAMICS_FILTER,
    /* the same, with the exponential of the step */
    MO_DYNAMICS_FILTER_EXACT,
    /* the activation of a muscle, from 0 to 1: a filter whose time constants depend on it */
    MO_DYNAMICS_MUSCLE
} mo_actuator_dynamics;

/*
 * A muscle, as MuJoCo has it.  With the resting length L0, L = l / L0 shifted so that length_range
 * is `range`, and V = l' / (L0 vmax),
 *
 *     e = -force (activation FL(L) FV(V) + FP(L)):
 *
 * FL is 1 at L = 1 and 0 outside [lmin, lmax]; FV is 0 where it shortens with V = -1, 1 at rest and
 * fvmax at most; FP, of the passive muscle, is 0 up to L = 1 and fpmax / 2 at L = (1 + lmax) / 2.
 */
typedef struct mo_muscle {
    double range[2];        /* of L over the range of its length; 0.75 to 1.05 is usual */
    double force;           /* at L = 1, at rest, fully active; N */
    double lmin, lmax;      /* 0.5, 1.6 */
    double vmax;            /* L0 a second; 1.5 */
    double fpmax, fvmax;    /* 1.3, 1.2 */
    double length_range[2]; /* m */
} mo_muscle;

/*
 * The length l of what it drives and its speed l' give the effort
 *
 *     e = (gain + gain_length l + gain_speed l') target + bias[0] + bias[1] l + bias[2] l',
 *     lower <= e <= upper,
 *
 * which acts on the velocities as gear e.  Negative factors of l and l' are implicit (l and l' of
 * the end of the step).  With dynamics, a state takes the place of the target; a step uses the one
 * at its start.
 */
typedef struct mo_actuator_def {
    /* MO_ON_JOINT: in the order of the definition */
    int joint;
    /* as many as the joint has velocities */
    double gear[6];
    double gain;
    double bias[3];
    /* of the effort; infinities allowed */
    double lower, upper;
    int has_target_range;
    /* targets are put into it */
    double target_lower, target_upper;
    /* at first */
    double target;
    mo_transmission on;
    /* MO_ON_TENDON, MO_ON_LINK */
    int tendon, link;
    /* MO_ON_LINK: in the link's frame */
    mo_pose place;
    double gain_length, gain_speed;
    mo_actuator_dynamics dynamics;
    /* s */
    double time_constant;
    /* s; of a muscle whose activation falls */
    double time_constant_off;
    /* the effort is that of the muscle; gain and bias do not count */
    int is_muscle;
    mo_muscle muscle;
    int has_state_range;
    /* the state stays within it */
    double state_lower, state_upper;
    const char *name; /* copied; may be NULL */
} mo_actuator_def;

MO_API mo_actuator_def mo_actuator_motor(int joint); /* e = target */
MO_API mo_actuator_def mo_actuator_position(
    int joint, double stiffness, double damping); /* e = stiffness (target - l) - damping l' */
MO_API mo_actuator_def mo_actuator_velocity(int joint,
                                            double damping); /* e = damping (target - l') */

#ifdef __cplusplus
}
#endif
#endif
