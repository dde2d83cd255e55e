/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Tendons and actuators of a model (model.h). */
#ifndef MOREAU_MODEL_DRIVE_H
#define MOREAU_MODEL_DRIVE_H

#include "moreau/drive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A fixed tendon, with the length sum of coefficient q over joints, or a spatial tendon with a path
 * (drive.h), in which links are bodies of the model. */
typedef struct mo_model_tendon {
    const char *name;
    int *joints;
    double *coefficients; /* of q */
    int count;
    mo_tendon_point *path;
    int path_count; /* 0: fixed */
    int has_limits;
    double range[2];              /* m or rad */
    double stiffness, slack[2];   /* of a spring, as in drive.h */
    double damping, dry_friction; /* N s/m or N m s/rad; N or N m */
    int line;
} mo_model_tendon;

/*
 * As in drive.h: with l = gear . q and l' = gear . v of the joint, the actuator gives
 *
 *     force = (gain + gain_length l + gain_speed l') control + bias[0] + bias[1] l + bias[2] l'
 *
 * within its limits, and acts on the joint with gear force.  It may also drive a tendon (l =
 * gear[0] times its length), or act at a site (l = 0) with the force and moment gear in the axes of
 * the site.  With dynamics, a state that follows the control replaces it.  A motor has gain 1 and
 * no bias, a position servo bias[1] = -gain, a velocity servo bias[2] = -gain.
 */
typedef enum mo_model_actuator_kind {
    MO_MODEL_MOTOR,
    MO_MODEL_POSITION,
    MO_MODEL_VELOCITY,
    /* none of these three */
    MO_MODEL_AFFINE,
    MO_MODEL_MUSCLE,
    MO_MODEL_IGNORED /* noted; keeps its index in keyframes */
} mo_model_actuator_kind;

MO_API const char *mo_model_actuator_name(mo_model_actuator_kind kind); /* "motor", ... */

typedef struct mo_model_actuator {
    const char *name;
    mo_model_actuator_kind kind;
    int joint, tendon, site; /* one of these; the others are -1 */
    double gear[6];          /* one per velocity of the joint */
    double gain, bias[3];
    double gain_length, gain_speed;
    /* not 0: bias[2] follows from this damping ratio and the mass at the reference configuration */
    double damping_ratio;
    /* rad/s, not 0: gain and bias are those of a critically damped position servo with this natural
     * frequency */
    double servo_rate;
    mo_actuator_dynamics dynamics;
    double time_constant, time_constant_off; /* s */
    /* length_range of zeros: from the joint limits; negative force: muscle_scale over the
     * acceleration per unit of force at the reference configuration, as in MJCF */
    mo_muscle muscle;
    double muscle_scale; /* m/s^2 or rad/s^2 */
    int has_state_range;
    double state_range[2]; /* units of the state */
    int has_control_range, has_force_range;
    double control_range[2], force_range[2]; /* units of the control; N or N m */
    int line;
} mo_model_actuator;

#ifdef __cplusplus
}
#endif
#endif
