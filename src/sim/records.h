/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The records of a world: bodies, shapes, materials, joints, islands. */
#ifndef MO_SIM_RECORDS_H
#define MO_SIM_RECORDS_H

#include "collide/collide.h"
#include "moreau/joint.h"
#include "moreau/world.h"

/* Tolerance to which an island is solved: the fine one, the fine one if that takes few iterations,
 * or the coarse one; in this order. */
typedef enum mo_accuracy { MO_FINE, MO_TRIED, MO_COARSE } mo_accuracy;

/* Members that loops over contacts read come first. */
typedef struct mo_sim_body {
    uint32_t generation; /* 0: this place is free */
    mo_body_kind kind;
    int is_asleep;
    int is_displaced;     /* by the projection of this step */
    mo_accuracy accuracy; /* of its island in this step (accuracy.c) */
    int was_coarse;       /* in the last step */
    int misses;           /* last steps, one after another, with no solution or an eased one */
    int is_ball;          /* its inertia is the same about every axis */
    int block;            /* its body block in the problem of this step, or MO_NONE */
    int mechanism;        /* its index, for a link; otherwise MO_NONE */
    int leader;           /* of the island with which it sleeps */
    int carrier;          /* kinematic body that carries it after it was held back, or MO_NONE */
    int is_ghost;         /* a copy of a body of another process (team.h) */
    uint32_t id;          /* for colouring constraints: its place, or its id in the team */
    uint32_t island;      /* in a team: the least id of the bodies of its island (accuracy.c) */
    double mass;
    double slack;      /* m: gaps of its contacts up to this count as zero (accuracy.c) */
    double x[3];       /* centre of mass, world */
    double start_v[6]; /* at the start of the step, after its impacts */
    double free_v[6];  /* at the end of the step, without constraints */
    double next_v[6];  /* at the end of the step */
    double v[6];       /* velocity of the centre, spin */

    double orientation[4];
    double centre[3];  /* of mass, in the body's frame */
    double lift;       /* J: by the projection of this step */
    double part;       /* fraction of the displacement of a step: below 1 if held back */
    double size;       /* radius about the centre of mass that holds the shapes */
    double force[6];   /* and moment, for the next step */
    double inertia[9]; /* about the centre of mass, body axes */
    double world_inertia[9];
    double next_x[3], next_orientation[4]; /* of links, and of bodies if there are joints */
    int quiet_steps;                       /* steps since it last moved visibly */
    int link;                              /* in its mechanism */
    int copy;                              /* of the world, to which it belongs (copies.c) */
    int first_shape;                       /* a list through mo_sim_shape.next */
    int shape_count;
    int first_joint; /* a list through mo_sim_joint.next */

    mo_body_def def;   /* as given */
    char *name;        /* the world's copy, also in def */
    void *motion_data; /* likewise */
} mo_sim_body;

typedef struct mo_sim_shape {
    uint32_t generation;
    int body, next;
    int proxy;      /* in the tree; MO_NONE for shapes without bounds */
    int is_on_show; /* visual only: it does not collide */

    /* At the start of the step: */
    int has_strayed; /* it left its box in the tree: its pairs are searched again */
    double turn;     /* largest displacement of a point by rotation */
    double turning;  /* the fastest that next_v turns its outline, m/s (overlap.c) */
    mo_bounds path;  /* largest displacement along each axis, without rotation */
    mo_bounds reach; /* bounds with path, turn and the margin */
    mo_bounds box;   /* in the tree */
    mo_pose pose;    /* in the world */

    mo_collider collider;
} mo_sim_shape;

/* Data of a shape for loops over pairs, in one cache line; at the start of the step. */
typedef struct mo_shape_near {
    double x[3];   /* of its pose */
    double size;   /* of its collider */
    double motion; /* upper bound on the displacement of its points in the step */
    double speed;  /* upper bound on the speed of its points before the step */
    int body;
    int surface;        /* its material in world->surfaces, or MO_NONE */
    uint8_t is_round;   /* a ball, or a disk in the plane, of radius `size` about x */
    uint8_t is_central; /* round, and centred at the centre of mass of its body */
    uint8_t moves;      /* its body is dynamic */
    /* no joint, mechanism or layer prevents it from colliding with others of this kind */
    uint8_t collides_with_all;
    /* it moves farther than predicted, but within its box: its pairs are known */
    int reaches_out;
} mo_shape_near;

/* The first few materials of a world, and their combinations (surfaces.c). */
enum { MO_SURFACES = 8 };
typedef struct mo_surfaces {
    int count;
    mo_material own[MO_SURFACES];
    mo_material both[MO_SURFACES][MO_SURFACES];
} mo_surfaces;

/* The constraints of a joint in a problem: bilateral rows, two limits, drive, dry friction. */
typedef enum mo_joint_part {
    MO_PART_HOLD,
    MO_PART_LOWER,
    MO_PART_UPPER,
    MO_PART_DRIVE,
    MO_PART_FRICTION,
    MO_PART_COUNT
} mo_joint_part;
enum { MO_JOINT_ROWS = 6, MO_JOINT_IMPULSES = MO_JOINT_ROWS + MO_PART_COUNT - 1 };

typedef struct mo_sim_joint {
    uint32_t generation;
    mo_joint_def def;
    int body[2];         /* MO_NONE: the world */
    int next[2];         /* of the lists of the two bodies */
    double anchor[2][3]; /* in each body's frame (world if there is none) */
    double axis[2][3];   /* likewise */
    double relative[4];  /* orientation of b in a when the joint was added */
    double length;       /* distance: when the joint was added */
    double q; /* last value of the coordinate, which makes angles continuous beyond half a turn */
    /* of the last step: hold rows, then one for each other part */
    double impulse[MO_JOINT_IMPULSES];
    int constraint[MO_PART_COUNT];      /* in the problem of this step, or MO_NONE */
    double force[3], moment[3], effort; /* on b in the last step */
} mo_sim_joint;

enum { MO_GAIN_TERMS = 4 };

/* Properties of an island in this step, stored at its leader (accuracy.c). */
typedef struct mo_island_facts {
    int64_t contacts, moves;
    int has_joints;                           /* bodies with joints, or links, among them */
    int is_driven;                            /* it touches a kinematic body */
    int was_coarse;                           /* some body of it, in the last step */
    uint32_t name;                            /* in a team: the least id of its bodies */
    double fastest;                           /* m/s, of its bodies at the start of the step */
    int64_t exponent, sum[2 * MO_GAIN_TERMS]; /* energies in binary fractions (island_gain.c) */
    double loss;                              /* J: of energy, in the step */
} mo_island_facts;

#endif
