/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Poses: positions and unit quaternions. */
#include "collide/pose.h"
#include "base/error.h"

mo_pose mo_pose_identity(void)
{
    return (mo_pose){.orientation = {1, 0, 0, 0}};
}

mo_pose mo_pose_at(double x, double y, double z)
{
    return (mo_pose){.position = {x, y, z}, .orientation = {1, 0, 0, 0}};
}

mo_pose mo_pose_turned(double x, double y, double z, const double axis[3], double angle)
{
    MO_NEED_OR((mo_pose){0}, axis, NULL);
    mo_pose pose = mo_pose_at(x, y, z);
    const double size = mo_vec3_norm(axis);
    if (size > 0) {
        double phi[3];
        mo_vec3_scale(angle / size, axis, phi);
        mo_quat_rotation(phi, pose.orientation);
    }
    return pose;
}

mo_pose mo_pose_planar(double x, double y, double angle)
{
    return mo_pose_turned(x, y, 0, (const double[3]){0, 0, 1}, angle);
}

mo_pose mo_pose_compose(const mo_pose *outer, const mo_pose *inner)
{
    MO_NEED_OR((mo_pose){0}, outer && inner, NULL);
    mo_pose both = *outer;
    if (mo_vec3_dot(inner->position, inner->position) != 0)
        mo_pose_point(outer, inner->position, both.position);
    mo_quat_multiply(outer->orientation, inner->orientation, both.orientation);
    return both;
}

void mo_pose_vector(const mo_pose *pose, const double local[3], double world[3])
{
    MO_NEED_OR(, pose && local && world, NULL);
    mo_vector_out(pose, local, world);
}

void mo_pose_point(const mo_pose *pose, const double local[3], double world[3])
{
    MO_NEED_OR(, pose && local && world, NULL);
    mo_point_out(pose, local, world);
}

void mo_pose_vector_back(const mo_pose *pose, const double world[3], double local[3])
{
    MO_NEED_OR(, pose && world && local, NULL);
    mo_vector_in(pose, world, local);
}

void mo_pose_point_back(const mo_pose *pose, const double world[3], double local[3])
{
    MO_NEED_OR(, pose && world && local, NULL);
    mo_point_in(pose, world, local);
}

double mo_pose_angle(const mo_pose *pose)
{
    MO_NEED_OR(0, pose, NULL);
    const double angle = 2 * atan2(pose->orientation[3], pose->orientation[0]);
    const double turn = 2 * acos(-1.0);
    return angle > turn / 2 ? angle - turn : angle <= -turn / 2 ? angle + turn : angle;
}
