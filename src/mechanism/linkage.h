/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A linkage: a tree of links with joints, and the recursive algorithms on it [featherstone2008].
 *
 *   kinematics.c         q -> poses, axes, inertias; v -> twists
 *   configuration.c      integration of q
 *   mass_matrix.c        M, by composite rigid bodies
 *   inverse_dynamics.c   efforts from accelerations, by Newton-Euler
 *   forward_dynamics.c   accelerations from efforts, by articulated bodies
 *   jacobian.c           velocities of links from v, and forces on links as efforts
 *
 * Every joint is split into degrees of freedom (dofs), one number of v each: a rotation about an
 * axis through a point, or a translation along it.  Dof j gives its link and all descendants the
 * motion S_j v_j (spatial.h).  Dofs of a link are consecutive; `parent` of a dof is the next one
 * towards the root.  The algorithms see dofs only, not kinds of joints.  The axis of a dof is fixed
 * to the frame before its group: one dof, or the three rotations of a ball joint.
 */
#ifndef MO_MECHANISM_LINKAGE_H
#define MO_MECHANISM_LINKAGE_H

#include "base/memory.h"
#include "mechanism/spatial.h"
#include "moreau/mechanism.h"

enum { MO_NO_LINK = -1 };

typedef struct mo_linkage_link {
    int parent;               /* or MO_NO_LINK: the world */
    int first_dof, dof_count; /* its own */
    int last_dof; /* the last one that moves it, its own or of a link below; MO_NO_LINK */
    mo_pose home; /* in the parent, at the reference */
    double mass, centre[3], inertia[9];

    /* At the present q: */
    double x[3];               /* centre of mass, world */
    double world_inertia[9];   /* about it */
    mo_spatial_inertia weight; /* about the linkage's point c  */
} mo_linkage_link;

typedef struct mo_linkage_joint {
    mo_axis_kind kind;
    int link;
    int q_at, v_at;
    double anchor[3], axis[3], side[3]; /* link frame; axis and side are unit vectors */
    double reference;
} mo_linkage_joint;

typedef struct mo_linkage_dof {
    int link, joint;
    int parent;       /* the next dof towards the root, or MO_NO_LINK */
    int starts_group; /* otherwise it shares the frame before it with the last dof */
    double armature;
    double S[6]; /* at the present q */
} mo_linkage_dof;

/* The axis of a dof at some q: a rotation about it, through the point, or a translation. */
typedef struct mo_linkage_axis {
    int is_turn;
    double axis[3], point[3];
} mo_linkage_axis;

typedef struct mo_linkage {
    int links, joints, dofs, coordinates;
    mo_linkage_link *link;
    mo_linkage_joint *joint;
    mo_linkage_dof *dof;
    mo_linkage_axis *axis, *ahead; /* of each dof: at the present q, and at that of poses ahead */
    mo_pose *pose;                 /* of each link, world, at the present q */
    double point[3];               /* c */
    /* Working space: */
    double (*twist)[6], (*rate)[6], (*force)[6]; /* of each link */
    mo_spatial_inertia *composite;               /* of each link */
    double (*articulated)[36];                   /* of each link */
    double (*push)[6], (*product)[6];            /* of each dof: U = I S, c */
    double *pivot, *rest;                        /* of each dof: D, u */
    /* Of each dof that is a single turn: its last angle, and the quaternion of it.  Poses ahead
     * and the poses used next then share one sine. */
    double (*turn)[5];
} mo_linkage;

static inline int mo_axis_q_count(mo_axis_kind kind)
{
    return kind == MO_AXIS_BALL ? 4 : kind == MO_AXIS_FREE ? 7 : kind == MO_AXIS_PLANAR ? 3 : 1;
}

static inline int mo_axis_v_count(mo_axis_kind kind)
{
    return kind == MO_AXIS_BALL || kind == MO_AXIS_PLANAR ? 3 : kind == MO_AXIS_FREE ? 6 : 1;
}

/* Index of the quaternion of a joint in the coordinates; -1: it has none. */
static inline int mo_linkage_turn_at(const mo_linkage_joint *joint)
{
    return joint->kind == MO_AXIS_BALL   ? joint->q_at
           : joint->kind == MO_AXIS_FREE ? joint->q_at + 3
                                         : -1;
}

/* linkage.c: from a definition that was checked; MO_ERR_MEMORY. */
mo_error mo_linkage_init(mo_linkage *linkage, const mo_mechanism_def *def,
                         const mo_allocator *allocator);
void mo_linkage_clear(mo_linkage *linkage, const mo_allocator *allocator);
void mo_linkage_initial(const mo_linkage *linkage, const mo_mechanism_def *def, double *q);

/* kinematics.c */
void mo_linkage_poses(const mo_linkage *linkage, const double *q, mo_pose *pose); /* alone */
void mo_linkage_place(mo_linkage *linkage, const double *q); /* everything "at the present q" */
/* The same at the q of the last mo_linkage_poses, from its poses. */
void mo_linkage_place_ahead(mo_linkage *linkage, const mo_pose *pose);
void mo_linkage_twists(const mo_linkage *linkage, const double *v); /* into linkage->twist */

/* configuration.c: out = q moved by h v; out may be q. */
void mo_linkage_move(const mo_linkage *linkage, const double *q, const double *v, double h,
                     double *out);
/* 0 if the length of a quaternion is zero. */
int mo_linkage_has_turns(const mo_linkage *linkage, const double *q);
/* Scales quaternions to length one. */
void mo_linkage_normalise(const mo_linkage *linkage, double *q);
/* The rotation vector of a unit quaternion, not longer than half a turn. */
void mo_rotation_vector(const double q[4], double phi[3]);

/* mass_matrix.c: n x n. */
void mo_linkage_mass_matrix(const mo_linkage *linkage, double *M);

/* inverse_dynamics.c: efforts = M a + b(v) with gravity; a NULL: zero. */
void mo_linkage_inverse(const mo_linkage *linkage, const double *v, const double *a,
                        const double gravity[3], double *effort);

/* forward_dynamics.c: 0 if a dof carries no inertia. */
int mo_linkage_forward(const mo_linkage *linkage, const double *v, const double *effort,
                       const double gravity[3], double *a);

/* jacobian.c: the line (force, moment about `at`) of a link as a row over the n velocities. */
void mo_linkage_row(const mo_linkage *linkage, int link, const double at[3], const double line[6],
                    double *row);
/* Velocity of the centre of mass, and spin, of every link; moves[k] is 6 numbers. */
void mo_linkage_motions(const mo_linkage *linkage, const double *v, double (*motion)[6]);
/* Acceleration of a link's point at `at`, and of its spin, that v alone causes (J' v). */
void mo_linkage_drift(const mo_linkage *linkage, const double *v, int link, const double at[3],
                      double out[6]);

#endif
