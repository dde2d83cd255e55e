/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#ifndef MO_MECHANISM_MUSCLE_H
#define MO_MECHANISM_MUSCLE_H

#include "moreau/drive.h"

/* The effort of a muscle of that activation, length and speed, and its derivatives by the last
 * two: negative when it pulls. */
typedef struct mo_muscle_effort {
    double effort, by_length, by_speed;
} mo_muscle_effort;

mo_muscle_effort mo_muscle_pull(const mo_muscle *muscle, double activation, double length,
                                double speed);
/* The rate of the activation; tau: time constants of activation and deactivation, s. */
double mo_muscle_rate(double control, double activation, const double tau[2]);

#endif
