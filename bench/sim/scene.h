/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * An engine-independent description of a scene, made from a world at its start.
 *
 * The frame of a body is at its centre of mass, along its principal axes, so its inertia has three
 * numbers.  Capsules and cylinders are along the z axis of their own frame; a plane is solid at z
 * <= 0.  In planar scenes bodies move along x and y and rotate about z; discs become balls, and
 * rectangles are as deep as they are wide.
 *
 * Shapes of dynamic bodies are enlarged by 1e-7, so that surfaces built in contact touch in every
 * engine: some generate no contact, or fail, if surfaces just meet.  Moreau steps the original
 * world without this.
 *
 * Features that the engines do not share are refused: joints, kinematic bodies, meshes, planar
 * polygons, layers, rolling and torsional friction.
 */
#ifndef BENCH_SIM_SCENE_H
#define BENCH_SIM_SCENE_H

#include "moreau/moreau.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sim_shape {
    mo_shape_kind kind;  /* ball, box, capsule, cylinder, hull, plane */
    mo_pose pose;        /* in the frame of its body */
    double radius;       /* ball, capsule, cylinder */
    double half[3];      /* box; half[2]: of the axis of capsule or cylinder */
    const double *point; /* hull: 3 numbers a corner, in the scene's list */
    int point_count;
    double friction, restitution;
} sim_shape;

typedef struct sim_body {
    int is_free;
    mo_pose pose;                /* principal axes at the centre of mass */
    mo_pose own;                 /* of the frame of our world, in this one */
    double velocity[3], spin[3]; /* in world axes */
    double mass, inertia[3];
    double size; /* the smallest half extent of its shapes */
    int first_shape, shape_count;
} sim_body;

typedef struct sim_scene {
    int dimension; /* 2 or 3 */
    double gravity[3];
    double step;         /* s */
    double bounce_speed; /* m/s: slower impacts are plastic */
    double size;         /* of the smallest dynamic body: the r of every table */
    double tol;          /* tolerance of our steps; 0: that of the world */
    int body_count, shape_count;
    sim_body *body;
    sim_shape *shape;
    double *point;   /* of all hulls */
    mo_world *world; /* its source */
} sim_scene;

/* False if the scene is not supported by peers, or memory runs out: `why` receives the reason. */
int sim_scene_take(mo_world *world, double step, sim_scene *scene, mo_message *why);
void sim_scene_clear(sim_scene *scene); /* not the world */

/* State of a body: the pose of its principal axes, velocities in world axes. */
typedef struct sim_motion {
    mo_pose pose;
    double velocity[3], spin[3];
} sim_motion;

void sim_scene_start(const sim_scene *scene, sim_motion *motions);

/* Inertia in world axes, row-major. */
void sim_body_inertia(const sim_body *body, const mo_pose *pose, double inertia[9]);

#ifdef __cplusplus
}
#endif
#endif
