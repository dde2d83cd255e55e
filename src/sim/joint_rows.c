/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The rows of each kind of joint, linear in the velocities, and their errors.
 *
 * With p the anchors, x the centres, v and s velocities and angular velocities of bodies a and b:
 *
 *   along e, coincident anchors      e.(v_b + s_b x (p_b - x_b)) - e.(v_a + s_a x (p_a - x_a))
 *                                    error e.(p_b - p_a)
 *   across the axis of a, b slides   the same with p_b instead of p_a: e rotates with a
 *   rotation about e                 e.(s_b - s_a)              error: the rotation about e
 *
 * In the plane only rows in x, y and the rotation about z remain.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/joint_rows.h"

typedef struct place {
    double centre[2][3], anchor[2][3], axis[2][3], orientation[2][4];
} place;

static place place_of(const mo_world *world, const mo_sim_joint *joint)
{
    place at = {0};
    for (int side = 0; side < 2; ++side) {
        mo_pose pose = mo_pose_identity();
        if (joint->body[side] >= 0) {
            pose = mo_sim_body_pose(world->body + joint->body[side]);
            mo_vec3_copy(world->body[joint->body[side]].x, at.centre[side]);
        }
        memcpy(at.orientation[side], pose.orientation, sizeof at.orientation[side]);
        mo_pose_point(&pose, joint->anchor[side], at.anchor[side]);
        mo_pose_vector(&pose, joint->axis[side], at.axis[side]);
    }
    return at;
}

void mo_joint_anchors(const mo_world *world, const mo_sim_joint *joint, double anchor[2][3])
{
    const place at = place_of(world, joint);
    memcpy(anchor, at.anchor, sizeof at.anchor);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_along(mo_joint_rows *rows, const place *at, const double e[3], const double on_a[3],
                      double error)
{
    const int k = rows->count++;
    const double *point[2] = {on_a, at->anchor[1]};
    for (int side = 0; side < 2; ++side) {
        double arm[3], *line = rows->line[side][k];
        mo_vec3_minus(point[side], at->centre[side], arm);
        mo_vec3_scale(side ? 1 : -1, e, line);
        mo_vec3_cross(arm, line, line + 3);
    }
    rows->error[k] = error;
}

static void add_spin(mo_joint_rows *rows, const double e[3], double error)
{
    const int k = rows->count++;
    for (int side = 0; side < 2; ++side) {
        mo_vec3_set(rows->line[side][k], 0, 0, 0);
        mo_vec3_scale(side ? 1 : -1, e, rows->line[side][k] + 3);
    }
    rows->error[k] = error;
}

static const double WORLD_AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void hold_point(const mo_world *world, const place *at, mo_joint_rows *rows)
{
    for (int k = 0; k < world->def.dimension; ++k)
        add_along(rows, at, WORLD_AXES[k], at->anchor[0], at->anchor[1][k] - at->anchor[0][k]);
}

/* The turn of b against a since the joint was added, as a rotation vector in world axes. */
static void relative_turn(const mo_sim_joint *joint, const place *at, double turn[3])
{
    const double *qa = at->orientation[0], *qb = at->orientation[1];
    double expected[4], back[4], rest[4];
    mo_quat_multiply(qa, joint->relative, expected); /* pose of b without error */
    memcpy(back, expected, sizeof back);
    mo_vec3_scale(-1, back + 1, back + 1);
    mo_quat_multiply(qb, back, rest);
    const double sine = mo_vec3_norm(rest + 1), sign = rest[0] < 0 ? -1 : 1;
    const double angle = 2 * atan2(sine, fabs(rest[0]));
    mo_vec3_scale(sine > 0 ? sign * angle / sine : 2 * sign, rest + 1, turn);
}

static void hold_orientation(const mo_world *world, const mo_sim_joint *joint, const place *at,
                             mo_joint_rows *rows)
{
    double turn[3];
    relative_turn(joint, at, turn);
    for (int k = mo_is_planar(world) ? 2 : 0; k < 3; ++k)
        add_spin(rows, WORLD_AXES[k], turn[k]);
}

static void hold_axis(const place *at, mo_joint_rows *rows)
{
    double t[3], o[3], tilt[3];
    mo_vec3_tangents(at->axis[0], t, o);
    mo_vec3_cross(at->axis[0], at->axis[1], tilt);
    add_spin(rows, t, mo_vec3_dot(tilt, t));
    add_spin(rows, o, mo_vec3_dot(tilt, o));
}

static void hold_line(const mo_world *world, const place *at, mo_joint_rows *rows)
{
    double t[3], o[3], apart[3];
    mo_vec3_minus(at->anchor[1], at->anchor[0], apart);
    if (mo_is_planar(world)) {
        mo_vec3_set(t, -at->axis[0][1], at->axis[0][0], 0);
        add_along(rows, at, t, at->anchor[1], mo_vec3_dot(apart, t));
        return;
    }
    mo_vec3_tangents(at->axis[0], t, o);
    add_along(rows, at, t, at->anchor[1], mo_vec3_dot(apart, t));
    add_along(rows, at, o, at->anchor[1], mo_vec3_dot(apart, o));
}

/* The unit vector from anchor to anchor (arbitrary if they coincide), and their distance. */
static double direction(const place *at, double e[3])
{
    double apart[3];
    mo_vec3_minus(at->anchor[1], at->anchor[0], apart);
    const double distance = mo_vec3_norm(apart);
    if (distance > 0)
        mo_vec3_scale(1 / distance, apart, e);
    else
        mo_vec3_set(e, 1, 0, 0);
    return distance;
}

void mo_joint_hold(const mo_world *world, const mo_sim_joint *joint, mo_joint_rows *rows)
{
    const place at = place_of(world, joint);
    double e[3];
    rows->count = 0;
    switch (joint->def.kind) {
    case MO_JOINT_BALL:
        hold_point(world, &at, rows);
        break;
    case MO_JOINT_REVOLUTE:
        hold_point(world, &at, rows);
        if (!mo_is_planar(world)) hold_axis(&at, rows);
        break;
    case MO_JOINT_PRISMATIC:
        hold_line(world, &at, rows);
        hold_orientation(world, joint, &at, rows);
        break;
    case MO_JOINT_WELD:
        hold_point(world, &at, rows);
        hold_orientation(world, joint, &at, rows);
        break;
    case MO_JOINT_DISTANCE:
        if (!joint->def.has_limits) { /* otherwise it may vary between them */
            const double distance = direction(&at, e);
            add_along(rows, &at, e, at.anchor[0], distance - joint->length);
        }
        break;
    default:
        break;
    }
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* The angle nearest to the last one among those that differ by whole turns. */
static double unwrapped(double angle, double last)
{
    const double turn = 2 * acos(-1.0);
    return angle + turn * round((last - angle) / turn);
}

/* The turn about the axis of a: the twist of the relative rotation (its swing is held at zero). */
static double hinge_angle(const mo_world *world, const mo_sim_joint *joint, const place *at)
{
    const double *qa = at->orientation[0], *qb = at->orientation[1];
    const double axis[3] = {0, 0, 1};
    double expected[4], rest[4];
    mo_quat_multiply(qa, joint->relative, expected);
    mo_vec3_scale(-1, expected + 1, expected + 1);
    mo_quat_multiply(qb, expected, rest);
    const double sine = mo_vec3_dot(rest + 1, mo_is_planar(world) ? axis : at->axis[0]);
    return unwrapped(2 * atan2(sine, rest[0]), joint->q);
}

void mo_joint_coordinate(const mo_world *world, const mo_sim_joint *joint, mo_joint_rows *rows)
{
    const place at = place_of(world, joint);
    const int is_hinge = joint->def.kind == MO_JOINT_REVOLUTE ||
                         (joint->def.kind == MO_JOINT_BALL && mo_is_planar(world));
    double e[3];
    rows->count = 0;
    if (is_hinge) {
        add_spin(rows, mo_is_planar(world) ? WORLD_AXES[2] : at.axis[0],
                 hinge_angle(world, joint, &at));
    } else if (joint->def.kind == MO_JOINT_PRISMATIC) {
        double apart[3];
        mo_vec3_minus(at.anchor[1], at.anchor[0], apart);
        add_along(rows, &at, at.axis[0], at.anchor[1], mo_vec3_dot(apart, at.axis[0]));
    } else if (joint->def.kind == MO_JOINT_DISTANCE) {
        const double distance = direction(&at, e);
        add_along(rows, &at, e, at.anchor[0], distance);
    }
}
