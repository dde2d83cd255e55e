/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Forward kinematics.
 *
 * From the root outwards, the pose of a link is that of its parent, its home pose, then its joints
 * in order.  A rotation about an axis through the anchor keeps the anchor fixed.  With c the
 * reference point of the linkage (the centre of mass of its first link):
 *
 *     rotation about a through p:   S = (a x (c - p), a)      translation along a:   S = (a, 0)
 */
#include "mechanism/linkage.h"

/* A frame on its way through the joints of a link, and where axes are noted. */
typedef struct walker {
    mo_pose at;
    mo_linkage_axis *next;
    double *turn; /* the angle and quaternion that are kept of a single turn */
} walker;

static void note(walker *walk, int is_turn, const double axis[3], const double point[3])
{
    walk->next->is_turn = is_turn;
    mo_vec3_copy(axis, walk->next->axis);
    mo_vec3_copy(point, walk->next->point);
    walk->next++;
}

static void slide(walker *walk, const double axis[3], double by)
{
    double a[3];
    mo_quat_turn(walk->at.orientation, axis, a);
    note(walk, 0, a, walk->at.position);
    mo_vec3_along(walk->at.position, by, a, walk->at.position);
}

/* By a quaternion in the frame's own axes, about its point `anchor`, which is at p. */
static void turn_by(walker *walk, const double turn[4], const double anchor[3], const double p[3])
{
    double turned[4], arm[3];
    mo_quat_multiply(walk->at.orientation, turn, turned);
    mo_quat_normalise(turned);
    memcpy(walk->at.orientation, turned, sizeof turned);
    mo_quat_turn(turned, anchor, arm);
    mo_vec3_minus(p, arm, walk->at.position);
}

static void turn(walker *walk, const double axis[3], const double anchor[3], double angle)
{
    double p[3], a[3];
    mo_pose_point(&walk->at, anchor, p);
    mo_quat_turn(walk->at.orientation, axis, a);
    note(walk, 1, a, p);
    const double *kept = walk->turn;
    if (!(kept[0] == angle) || signbit(kept[0]) != signbit(angle)) { /* a zero of either sign */
        double phi[3];
        mo_vec3_scale(angle, axis, phi);
        mo_quat_rotation(phi, walk->turn + 1);
        walk->turn[0] = angle;
    }
    turn_by(walk, walk->turn + 1, anchor, p);
}

/* The three rotations of a ball joint, about the final axes of the link. */
static void note_ball(walker *walk, const double p[3])
{
    double R[9];
    mo_quat_matrix(walk->at.orientation, R);
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {R[k], R[3 + k], R[6 + k]};
        note(walk, 1, axis, p);
    }
}

static void fly(walker *walk, const double *q)
{
    static const double AXES[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mo_vec3_copy(q, walk->at.position);
    memcpy(walk->at.orientation, q + 3, sizeof walk->at.orientation);
    for (int k = 0; k < 3; ++k)
        note(walk, 0, AXES[k], q);
    note_ball(walk, q);
}

static void pass_joint(walker *walk, const mo_linkage_joint *joint, const double *q)
{
    double p[3], other[3];
    switch (joint->kind) {
    case MO_AXIS_REVOLUTE:
        turn(walk, joint->axis, joint->anchor, q[0] - joint->reference);
        break;
    case MO_AXIS_PRISMATIC:
        slide(walk, joint->axis, q[0] - joint->reference);
        break;
    case MO_AXIS_BALL:
        mo_pose_point(&walk->at, joint->anchor, p);
        turn_by(walk, q, joint->anchor, p);
        note_ball(walk, p);
        break;
    case MO_AXIS_PLANAR:
        mo_vec3_cross(joint->axis, joint->side, other);
        slide(walk, joint->side, q[0]);
        slide(walk, other, q[1]);
        turn(walk, joint->axis, joint->anchor, q[2]);
        break;
    default:
        fly(walk, q);
    }
}

/* Poses of all links, and axes of all dofs. */
static void walk_all(const mo_linkage *linkage, const double *q, mo_pose *pose,
                     mo_linkage_axis *axis)
{
    for (int i = 0; i < linkage->links; ++i) {
        const mo_linkage_link *link = linkage->link + i;
        walker walk = {.at = link->home};
        if (link->parent >= 0) walk.at = mo_pose_compose(pose + link->parent, &link->home);
        for (int j = link->first_dof; j < link->first_dof + link->dof_count;) {
            const mo_linkage_joint *joint = linkage->joint + linkage->dof[j].joint;
            walk.next = axis + j;
            walk.turn = linkage->turn[j];
            pass_joint(&walk, joint, q + joint->q_at);
            j += mo_axis_v_count(joint->kind);
        }
        pose[i] = walk.at;
    }
}

void mo_linkage_poses(const mo_linkage *linkage, const double *q, mo_pose *pose)
{
    walk_all(linkage, q, pose, linkage->ahead);
}

static void place_mass(mo_linkage *linkage, int k)
{
    mo_linkage_link *link = linkage->link + k;
    double R[9], d[3];
    mo_quat_matrix(linkage->pose[k].orientation, R);
    mo_mat3_turn(R, link->inertia, link->world_inertia);
    mo_vec3_minus(link->x, linkage->point, d);
    const double square = mo_vec3_dot(d, d);
    link->weight.mass = link->mass;
    mo_vec3_scale(link->mass, d, link->weight.moment);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            link->weight.inertia[3 * i + j] =
                link->world_inertia[3 * i + j] + link->mass * ((i == j) * square - d[i] * d[j]);
        }
    }
}

/* All that follows from poses and axes. */
static void finish(mo_linkage *linkage)
{
    for (int i = 0; i < linkage->links; ++i)
        mo_pose_point(linkage->pose + i, linkage->link[i].centre, linkage->link[i].x);
    mo_vec3_copy(linkage->link[0].x, linkage->point);
    for (int i = 0; i < linkage->links; ++i)
        place_mass(linkage, i);
    for (int j = 0; j < linkage->dofs; ++j) {
        const mo_linkage_axis *at = linkage->axis + j;
        double *S = linkage->dof[j].S, arm[3];
        if (at->is_turn) {
            mo_vec3_minus(linkage->point, at->point, arm);
            mo_vec3_cross(at->axis, arm, S);
            mo_vec3_copy(at->axis, S + 3);
        } else {
            mo_vec3_copy(at->axis, S);
            mo_vec3_set(S + 3, 0, 0, 0);
        }
    }
}

void mo_linkage_place(mo_linkage *linkage, const double *q)
{
    walk_all(linkage, q, linkage->pose, linkage->axis);
    finish(linkage);
}

void mo_linkage_place_ahead(mo_linkage *linkage, const mo_pose *pose)
{
    memcpy(linkage->pose, pose, (size_t)linkage->links * sizeof *pose);
    memcpy(linkage->axis, linkage->ahead, (size_t)linkage->dofs * sizeof *linkage->axis);
    finish(linkage);
}

void mo_linkage_twists(const mo_linkage *linkage, const double *v)
{
    for (int i = 0; i < linkage->links; ++i) {
        const mo_linkage_link *link = linkage->link + i;
        double *twist = linkage->twist[i];
        if (link->parent < 0)
            memset(twist, 0, 6 * sizeof *twist);
        else
            memcpy(twist, linkage->twist[link->parent], 6 * sizeof *twist);
        for (int j = link->first_dof; j < link->first_dof + link->dof_count; ++j)
            mo_spatial_add(v[j], linkage->dof[j].S, twist);
    }
}
