/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contact problems built in code, shared by tests, benchmarks and the reruns of the papers.
 *
 * Every scene is one step of length h of a time-stepping scheme, with gravity g and the velocity v0
 * before the step; v and u in m/s and rad/s, r in N s, w the gap over the step:
 *
 *     M v = H r + f,   f = M (v0 + h g),   u = H' v + w.
 *
 * A rigid body has the velocity of its centre of mass and its angular velocity, in world axes.  The
 * rows of a contact are its normal, then its tangents; the normal points from the first body (or
 * the world) into the second, on which r acts.
 *
 * The *_default() of a scene fills its struct, so that a caller names only what it changes.  The
 * same struct gives the same bits.  The problem belongs to the caller (mo_problem_destroy); on
 * failure it is NULL and `why` (or NULL) holds a sentence.
 */
#ifndef SCENES_H
#define SCENES_H

#include <stdint.h>

#include "moreau/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SCENE_GRAVITY 9.81 /* m/s^2 */

/* ---- a particle above a plane: [lu2015, section IV] ------------------------------------------ */

/*
 * One body with three velocities in the contact frame (n, t, o), one coulomb contact, J = I.
 *
 *     f = m nu + h m g e_N,   w = (psi / h) e_N,   W = I / m
 *
 * Closed form, with b = nu + h g e_N + w and b_N < 0: r_N = -m b_N, and r_T = -m b_T where |b_T| <=
 * -mu b_N (it sticks), else r_T = -mu r_N b_T / |b_T| (it slides on).  b_N >= 0: r = 0. The default
 * is the paper's: m = 1, psi = 0.15, nu = (-1, 1, 0), g = -10, h = 0.1, mu = 0.5, which slides: b =
 * (-0.5, 1, 0), r = (0.5, -0.25, 0), u = (0, 0.75, 0).  At g = -5 it touches without impulse.
 */
typedef struct scene_particle_def {
    double mass;        /* kg */
    double gap;         /* psi, m */
    double velocity[3]; /* nu before the step, along n, t, o */
    double gravity;     /* acceleration along n: negative pulls it down */
    double step;        /* h, s */
    double mu;
    double compliance; /* on all three rows (zeta of eq. 11); 0 is hard  */
} scene_particle_def;

scene_particle_def scene_particle_default(void);
mo_error scene_particle(const scene_particle_def *def, mo_problem **problem, mo_message *why);

/* ---- a block on a slope ---------------------------------------------------------------------- */

/*
 * A box of 1 x 1 x 0.5 m and 1 kg, at rest on four corner contacts on an incline; z is the normal
 * of the slope, x points downhill.  12 rows on 6 velocities: W has rank 6, r is not unique, v is.
 *
 * Closed form for mu <= 2 and angle <= atan 2 (it does not tip).  The normal impulses sum to m g h
 * cos(angle).  tan(angle) <= mu: v = 0.  Otherwise v_x = g h (sin(angle) - mu cos(angle)), all else
 * zero.
 */
typedef struct scene_slope_def {
    double angle; /* rad */
    double mu;
    double step; /* h, s */
} scene_slope_def;

scene_slope_def scene_slope_default(void); /* 20 degrees, mu 0.5, h 0.01 */
mo_error scene_block_on_slope(const scene_slope_def *def, mo_problem **problem, mo_message *why);

/* ---- a stack of boxes ------------------------------------------------------------------------ */

/*
 * Cubes of 1 m on top of each other, on a fixed floor, four corner contacts a face, at rest; z is
 * up. The mass runs from 1 kg at the bottom to mass_ratio at the top, each the same multiple of the
 * one below.  The top cube is pushed along x, at its centre, with push times its weight.
 *
 * Closed form.  push <= mu, and push m_top (j - 1/2) <= (the mass of the j upper cubes) / 2 for
 * every j (nothing tips; 0 <= push <= 1/2 will do where no cube is lighter than those above):
 * everything stays at rest.  In any case the normal impulses of the face under the j upper cubes
 * sum to their mass times g h while no cube leaves another.
 */
typedef struct scene_stack_def {
    int boxes;
    double mass_ratio; /* mass of the top over mass of the bottom */
    double mu;
    double push; /* in weights of the top cube */
    double step; /* h, s */
} scene_stack_def;

scene_stack_def scene_stack_default(void); /* 5 cubes of 1 kg, mu 0.5, no push, h 0.01 */
mo_error scene_box_stack(const scene_stack_def *def, mo_problem **problem, mo_message *why);

/* ---- a wall of bricks ------------------------------------------------------------------------ */

/*
 * Bricks of 0.24 x 0.12 x 0.08 m and 4 kg in running bond on a fixed floor: every brick lies on
 * halves of two others, and odd courses begin and end with half a brick.  Each pair of faces
 * touches at the four corners of its overlap (at two points in the plane), so that a brick on two
 * others has eight contacts and, without friction, three velocities that they can stop: W is
 * heavily rank deficient, and most of r is not unique.
 *
 * At rest without shake: v = 0 for any mu, and the normal impulses under a course sum to the weight
 * of all that is on it, times h.  With shake each brick moves at random before the step, up to that
 * speed in each direction.
 */
typedef struct scene_wall_def {
    int courses, length; /* courses, and whole bricks in an even one */
    double mu;
    int frictionless; /* contacts have their normal row only */
    int in_plane;     /* three velocities a brick, two contacts a face */
    double shake;     /* m/s */
    double step;      /* h, s */
    uint64_t seed;    /* of the shake */
} scene_wall_def;

scene_wall_def scene_wall_default(void); /* 4 courses of 4 bricks, mu 0.6, at rest, h 0.01 */
mo_error scene_wall(const scene_wall_def *def, mo_problem **problem, mo_message *why);

/* ---- a chain of joints ----------------------------------------------------------------------- */

/*
 * A straight chain of rods of 1 m and 1 kg, at rest, hung from a fixed point by a ball joint and
 * joined by ball joints: bilateral blocks of three rows only.  It leans from the vertical by
 * `angle`, towards x; z is up.  Closed, its lower end is joined to a fixed point too: along the
 * chain there is then one row more than there are velocities, W is singular, and v is unique but r
 * is not.
 *
 * Closed form at angle 0, open: v = 0, and the joint above the k lowest rods carries k m g h
 * upwards.
 */
typedef struct scene_chain_def {
    int links;
    double angle; /* rad */
    int closed;   /* the lower end is held too */
    double step;  /* h, s */
} scene_chain_def;

scene_chain_def scene_chain_default(void); /* 10 links at 60 degrees, open, h 0.01 */
mo_error scene_joint_chain(const scene_chain_def *def, mo_problem **problem, mo_message *why);

/* ---- a packing of spheres -------------------------------------------------------------------- */

/*
 * A bed of stones in a box with a floor and four walls.  Spheres of about 0.1 m and 1 kg sit near
 * the sites of a close packing (hexagonal layers, twelve neighbours), each moved a little at
 * random, and have random radii; all radii are then scaled together until exactly `contacts` pairs
 * touch.  About three contacts a body, as in packings of real grains.  They move at random before
 * the step (a bed that has been shaken), so that contacts open, stick and slide from the first
 * sweep on.
 *
 * mu = 0.3, h = 0.01 s.  Bodies and contacts are numbered layer by layer, so that neighbours in
 * space are near each other in memory.
 */
mo_error scene_packing(int contacts, uint64_t seed, mo_problem **problem, mo_message *why);

/* The same bed of other bodies. */
typedef enum scene_grain {
    SCENE_BALLS,
    SCENE_STONES, /* three moments of inertia; one contact a pair or two, off the line of centres */
    SCENE_SOFT_BALLS /* contacts but the first have a compliance, which keeps them in rows */
} scene_grain;
mo_error scene_packing_of(scene_grain grain, int contacts, uint64_t seed, mo_problem **problem,
                          mo_message *why);

/* ---- a cannonball pile of disks: [anitescu2004, section 5.3] --------------------------------- */

/*
 * Disks of one size in the plane, `rows` of them side by side on a floor, one less in each row
 * above, all touching: rows (rows + 1) / 2 disks; `rows` contacts with the floor, rows (rows - 1) /
 * 2 within the rows, twice as many between them, and two more with walls beside the lowest row.
 * They start from rest under gravity.
 *
 * Numbered row by row from the floor, left to right; each disk brings its contacts with those below
 * (left, right), then with its left neighbour.  The paper gives the radius 3 and h = 0.05, but
 * neither mass nor gravity: homogeneous disks of 1 kg and SCENE_GRAVITY here.
 *
 * Without walls a free pile stands only where mu is large enough: for three disks mu >= tan 15 =
 * 0.268.
 */
typedef struct scene_cannonball_def {
    int rows;
    double mu;
    double radius; /* m  */
    double mass;   /* kg */
    double step;   /* h, s */
    int has_walls;
} scene_cannonball_def;

scene_cannonball_def scene_cannonball_default(void); /* 6 rows (21 disks), mu 0.05, no walls */
mo_error scene_cannonball(const scene_cannonball_def *def, mo_problem **problem, mo_message *why);

/* ---- a hexagonal pyramid on a table: [anitescu2004, section 3] ------------------------------- */

/*
 * One homogeneous pyramid on a regular hexagon, at rest on six corner contacts; z is up.  18 rows
 * on 6 velocities.  v = 0, and the weight may rest on corners 0, 2, 4 alone (r_N = m g h / 3 each),
 * on 1, 3, 5 alone, or on any mixture.  As solutions of the paper's complementarity problem
 * (2.7-2.8), which also holds a slip speed lambda for each contact, free where r_N = 0, the first
 * two are solutions whose average is none: that set of solutions is not convex, for any mu > 0.
 */
typedef struct scene_hexagonal_pyramid_def {
    double mass, side, height;
    double mu;
    int facets; /* of the friction cone, 4 in the paper; 0: the true cone */
    double step;
} scene_hexagonal_pyramid_def;

scene_hexagonal_pyramid_def scene_hexagonal_pyramid_default(void); /* 1 kg, 1 m, mu 0.1, 4 facets */
mo_error scene_hexagonal_pyramid(const scene_hexagonal_pyramid_def *def, mo_problem **problem,
                                 mo_message *why);

/* ---- random problems ------------------------------------------------------------------------- */

/* Laws of a random scene. */
enum {
    SCENE_COULOMB = 1 << MO_LAW_COULOMB,
    SCENE_FRICTIONLESS = 1 << MO_LAW_FRICTIONLESS,
    SCENE_BILATERAL = 1 << MO_LAW_BILATERAL, /* joints of one to three rows (two in the plane) */
    SCENE_BOX = 1 << MO_LAW_BOX,             /* one row, bounds on both sides of zero */
    SCENE_ROLLING = 1 << MO_LAW_ROLLING,     /* in space only */
    SCENE_SOFT_FINGER = 1 << MO_LAW_SOFT_FINGER, /* in space only */
    SCENE_EVERY_LAW = SCENE_COULOMB | SCENE_FRICTIONLESS | SCENE_BILATERAL | SCENE_BOX |
                      SCENE_ROLLING | SCENE_SOFT_FINGER
};

/*
 * Bodies with random full mass matrices and random constraints between two of them, or one and the
 * world, at random points and in random directions: no geometry stands behind them.
 *
 * Without a plan, w is a random gap over the step (or zero) on the normals of unilateral laws and
 * zero elsewhere, so that v = 0 is feasible and a solution exists [acary2011, section 4].  With
 * `planted`, a pair (u, r) that obeys every law, some contacts open, some stuck, some sliding, is
 * drawn first, and w is set so that r solves the problem; other solutions may exist beside it.
 */
typedef struct scene_random_def {
    uint64_t seed;
    int bodies, constraints;
    int in_plane;          /* 3 velocities and contacts in 2D, instead of 6 and 3D */
    unsigned laws;         /* which are drawn, each with the same chance */
    double mu_min, mu_max; /* friction coefficients lie between these */
    double mass_ratio;     /* heaviest over lightest; the logarithm is uniform */
    double compliance;     /* of every row */
} scene_random_def;

scene_random_def scene_random_default(void); /* 10 bodies, 15 constraints, coulomb, mu 0.1 to 0.9 */

/* planted: NULL, or where to put the planted r (row_count numbers), which the caller frees. */
mo_error scene_random(const scene_random_def *def, mo_problem **problem, double **planted,
                      mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
