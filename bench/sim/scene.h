/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A scene in the words that every engine understands, taken from a world at its start.
 *
 * A body's frame lies at its centre of mass, along its principal axes, so that its inertia is three
 * numbers.  A capsule and a cylinder lie along the z of their own frame, a plane is solid at z <= 0
 * of it.  A scene in the plane stays one: its bodies move along x and y and turn about z; its discs
 * are balls, its rectangles are as deep as they are wide.
 *
 * The shapes of free bodies are larger by a ten-millionth, so that what is built touching touches
 * in every engine: some make no contact, or stop with an error, where surfaces only just meet.
 * Ours steps the world itself, without that.
 *
 * What no engine here has in common with us is refused: joints, driven bodies, meshes, polygons in
 * the plane, layers, rolling and torsional friction.
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
    mo_pose own;                 /* of the frame that our world knows, in this one */
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
    double size;         /* of the smallest free body: the r of every table */
    double tol;          /* what ours solves a step to; 0: what the world says */
    int body_count, shape_count;
    sim_body *body;
    sim_shape *shape;
    double *point;   /* of all hulls */
    mo_world *world; /* what it was taken from */
} sim_scene;

/* False if the scene is not one for others, or memory runs out: `why` has the reason. */
int sim_scene_take(mo_world *world, double step, sim_scene *scene, mo_message *why);
void sim_scene_clear(sim_scene *scene); /* not the world */

/* A body as it moves: the pose of its principal axes, velocities in world axes. */
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
