/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Transforms of points and vectors to and from the frame of a pose; the result may alias the
 * argument.
 */
#ifndef MO_COLLIDE_POSE_H
#define MO_COLLIDE_POSE_H

#include "linalg/vec3.h"
#include "moreau/shape.h"

MO_ANY void mo_vector_out(const mo_pose *pose, const double local[3], double world[3])
{
    mo_quat_turn(pose->orientation, local, world);
}

MO_ANY void mo_point_out(const mo_pose *pose, const double local[3], double world[3])
{
    mo_quat_turn(pose->orientation, local, world);
    mo_vec3_along(world, 1, pose->position, world);
}

MO_ANY void mo_vector_in(const mo_pose *pose, const double world[3], double local[3])
{
    const double *q = pose->orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    mo_quat_turn(back, world, local);
}

MO_ANY void mo_point_in(const mo_pose *pose, const double world[3], double local[3])
{
    double arm[3];
    mo_vec3_minus(world, pose->position, arm);
    mo_vector_in(pose, arm, local);
}

/* The pose in another frame, both given in the world. */
MO_ANY mo_pose mo_pose_in(const mo_pose *frame, const mo_pose *pose)
{
    const double *q = frame->orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    mo_pose in = {{0}, {0}};
    mo_point_in(frame, pose->position, in.position);
    mo_quat_multiply(back, pose->orientation, in.orientation);
    return in;
}

/* The pose of a in b from that of b in a. */
MO_ANY mo_pose mo_pose_inverse(const mo_pose *pose)
{
    const double origin[3] = {0}, *q = pose->orientation;
    mo_pose back = {.orientation = {q[0], -q[1], -q[2], -q[3]}};
    mo_point_in(pose, origin, back.position);
    return back;
}

#endif
