/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Free objects and manipulators at the acceleration level: the left half of [trinkle1997, section 2].
 *
 * A *mechanism* is one body block of a problem: an object with six velocities (v, omega) of its centre of mass in
 * world axes, or a serial chain of links on a fixed base with one coordinate a joint.  Everything is
 * described in world axes at the reference configuration; a configuration is a displacement q from there (for an
 * object a translation, then a rotation vector; for a chain the joint coordinates).
 *
 *     M qdd = f + (what contacts do),   f = applied + gravity - velocity products          (eq. 1, 3)
 *
 * A *part* is one rigid piece of a mechanism: the object itself, or a link.  At a configuration q and a
 * velocity qd it has
 *
 *     T(X) = Q X + s             where the point X of the reference configuration is now
 *     v, omega                   motion of its centre of mass: Jv qd, Jw qd
 *     a, alpha                   their rates while qdd = 0: the velocity products
 */
#ifndef SCENES_MECHANISM_H
#define SCENES_MECHANISM_H

enum { JOINTS_MOST = 8, COORDINATES_MOST = 8 };

typedef struct mechanism_link { /* at the reference configuration */
    double mass;
    double centre[3];
    double inertia[9]; /* about the centre */
} mechanism_link;

typedef struct mechanism_joint { /* turns or slides the links from this one on */
    int slides;
    double point[3], axis[3];
    double rotor; /* inertia of its drive, seen from the joint */
} mechanism_joint;

typedef struct mechanism {
    int joints; /* 0: a free object, whose only link is link[0] */
    mechanism_joint joint[JOINTS_MOST];
    mechanism_link link[JOINTS_MOST];
    double applied[COORDINATES_MOST]; /* force and moment on an object, or joint efforts */
} mechanism;

typedef struct part_motion {
    double Q[9], s[3];
    double centre[3], v[3], omega[3], a[3], alpha[3];
    double Jv[3 * COORDINATES_MOST], Jw[3 * COORDINATES_MOST]; /* 3 x coordinates, row-major */
} part_motion;

/* 6, or the number of joints. */
int mechanism_coordinates(const mechanism *m);
/* 1, or the number of joints. */
int mechanism_parts(const mechanism *m);

/* All parts at q, qd (NULL: zero). */
void mechanism_move(const mechanism *m, const double *q, const double *qd, part_motion *parts);

/* M (n x n, symmetric to the last bit) and f at that motion. */
void mechanism_dynamics(const mechanism *m, const part_motion *parts, double *M, double *f);

/* The configuration and the velocity a time t later, along constant accelerations, to second order in t. */
void mechanism_advance(const mechanism *m, const double *q, const double *qd, const double *qdd,
                       double t, double *q_t, double *qd_t);

#endif
