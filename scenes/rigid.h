/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Rigid bodies in space, as the scenes need them: masses, contact frames, Jacobians. */
#ifndef SCENES_RIGID_H
#define SCENES_RIGID_H

#include "moreau/problem.h"

enum { RIGID = 6 }; /* velocities of a rigid body in space */

/* Fills the message (if there is one) and returns the code. */
mo_error scene_fail(mo_message *why, mo_error code, const char *format, ...) MO_PRINTF(3, 4);

/* M of a body whose principal axes are those of the world. */
void rigid_mass(double mass, const double inertia[3], double M[RIGID * RIGID]);

/* Adds a homogeneous box with these sides, at rest, that receives an impulse at its centre. */
int rigid_add_box(mo_builder *builder, double mass, const double sides[3], const double impulse[3]);

/* Rows n, t, o of a right-handed orthonormal frame with this unit normal. */
void rigid_frame(const double normal[3], double frame[9]);

/*
 * J (rows x 6) of the body's point at `arm` from its centre, seen along the rows of the frame: the
 * velocity along the axis a is a.(v + omega x arm) = a.v + (arm x a).omega.  sign is +1 or -1.
 */
void rigid_jacobian(int rows, const double *frame, const double arm[3], double sign, double *J);

#endif
