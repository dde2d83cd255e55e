/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The records of a world: bodies, shapes, materials, joints, islands. */
#ifndef MO_SIM_RECORDS_H
#define MO_SIM_RECORDS_H

#include "collide/collide.h"
#include "moreau/joint.h"
#include "moreau/world.h"

/* Islands are solved to the fine tolerance, to it if that takes few iterations, or to the coarse
 * one.  In rising order. */
typedef enum mo_accuracy { MO_FINE, MO_TRIED, MO_COARSE } mo_accuracy;

/* The data that loops over contacts read of a body come first. */
typedef struct mo_sim_body {
    uint32_t generation; /* 0: this place is free */
    mo_body_kind kind;
    int is_asleep;
    int is_displaced;     /* by the projection of this step */
    mo_accuracy accuracy; /* to which this step solves its island (accuracy.c) */
    int is_ball;          /* one and the same inertia about every axis */
    int block;            /* its body block in the problem of this step, or MO_NONE */
    int mechanism;        /* its index, for a link; otherwise MO_NONE */
    int leader;           /* of the island with which it sleeps */
    int carrier;     /* the kinematic body that moves it on after it was held back, or MO_NONE */
    int is_ghost;    /* a copy of one that another world of the team owns (team.h) */
    uint32_t id;     /* by which constraints are coloured: its place, or that of the team */
    uint32_t island; /* in a team: the least id of the bodies of its island (accuracy.c) */
    double mass;
    double slack;      /* m: gaps of its contacts up to this count as zero (accuracy.c) */
    double x[3];       /* centre of mass, world */
    double start_v[6]; /* at the start of the step, after its impacts */
    double free_v[6];  /* at the end of the step, were there no constraint */
    double next_v[6];  /* with them */
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
    int is_on_show; /* it touches nothing, and is in no list of the collision */

    /* At the start of the step: */
    int has_strayed; /* out of its box in the tree: its pairs are to be sought */
    double turn;     /* how far a point of it may move by turning */
    mo_bounds path;  /* how far it may move along each axis, turning apart */
    mo_bounds reach; /* bounds with path, turn and the margin */
    mo_bounds box;   /* in the tree */
    mo_pose pose;    /* in the world */

    mo_collider collider;
} mo_sim_shape;

/* What loops over pairs of shapes read of each: a cache line.  At the start of the step. */
typedef struct mo_shape_near {
    double x[3];   /* of its pose */
    double size;   /* of its collider */
    double motion; /* how far a point of it may move in the step, at most */
    double speed;  /* of its fastest point before the step, at most */
    int body;
    int surface;        /* its material in world->surfaces, or MO_NONE */
    uint8_t is_round;   /* a ball, or a disk in the plane, of radius `size` about x */
    uint8_t is_central; /* a round one about the centre of its body, which turns in place */
    uint8_t moves;      /* its body does, freely */
    /* no joint, mechanism or layer keeps it from any other of that kind */
    uint8_t collides_with_all;
    /* it moves further than was thought, but within its box: its pairs are there */
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
    double q; /* the coordinate at the last look, so that angles go on beyond half a turn */
    /* of the last step: hold rows, then one for each other part */
    double impulse[MO_JOINT_IMPULSES];
    int constraint[MO_PART_COUNT];      /* in the problem of this step, or MO_NONE */
    double force[3], moment[3], effort; /* on b in the last step */
} mo_sim_joint;

enum { MO_GAIN_TERMS = 4 };

/* Of an island in this step, by its leader (accuracy.c). */
typedef struct mo_island_facts {
    int64_t contacts, moves;
    int has_joints;
    int is_driven;                            /* it touches a kinematic body */
    uint32_t name;                            /* in a team: the least id of its bodies */
    double fastest;                           /* m/s, of its bodies at the start of the step */
    int64_t exponent, sum[2 * MO_GAIN_TERMS]; /* energies in binary fractions (island_gain.c) */
    double loss;                              /* J: of energy, in the step */
} mo_island_facts;

#endif
