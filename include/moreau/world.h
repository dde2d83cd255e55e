/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The simulator: a world of rigid bodies that touch, stick, slide and are joined, and its time
 * steps.
 *
 * A step of length h solves one contact problem (problem.h) for the velocities v+ at its end,
 *
 *     M (v+ - v) = h F + H r,     gap/h + u_N >= 0 and Coulomb's law at every contact,
 *
 * and moves the bodies with v+ [anitescu2004, eq. 2.7-2.8].  docs/simulation.md tells the rest:
 * restitution, stabilisation, what is kept from step to step, what is promised.
 *
 * Ids are small values that may be copied and stored; zero ({0}) is none.  An id of a thing that
 * was removed is recognised as stale.  A world belongs to one thread at a time.
 */
#ifndef MOREAU_WORLD_H
#define MOREAU_WORLD_H

#include <stdint.h>

#include "moreau/base.h"
#include "moreau/measure.h"
#include "moreau/options.h"
#include "moreau/problem.h"
#include "moreau/result.h"
#include "moreau/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mo_world mo_world;

typedef struct mo_body_id {
    int32_t index; /* from 1 */
    uint32_t generation;
} mo_body_id;

typedef struct mo_shape_id {
    int32_t index;
    uint32_t generation;
} mo_shape_id;

typedef struct mo_joint_id {
    int32_t index;
    uint32_t generation;
} mo_joint_id;

/* ---- the world ------------------------------------------------------------------------------- */

/* What a step solves for: velocities at its end (time stepping), or forces at its start and at its
 * impacts (forces.h). */
typedef enum mo_level { MO_LEVEL_VELOCITY, MO_LEVEL_ACCELERATION } mo_level;

typedef struct mo_world_def {
    /* 3, or 2 for the plane z = 0 */
    int dimension;
    /* m/s^2 */
    double gravity[3];
    /* m: contacts are made up to this gap, and further for what moves fast; 0: by size */
    double margin;
    /* 1: positions are also projected out of penetration at the end of a step */
    int projection;
    /* 1: islands at rest are left out until something touches them */
    int sleeping;
    mo_level level;
    /* s; 0: Newton's law. Else the first-order world, M v = first_order force: without inertia,
     * what is pushed moves and what is not rests. A large one is quasistatic motion: forces balance
     */
    double first_order;
    /* m/s: slower impacts are plastic */
    double restitution_speed;
    /* method, tolerance, threads; start, cancel and progress are the world's own */
    mo_options solver;
} mo_world_def;

/* Space, gravity (0, 0, -9.81), plastic below 1e-2 m/s, the solver's defaults with at most 3000
 * iterations. */
MO_API mo_world_def mo_default_world(void);
/* The same in the plane: gravity (0, -9.81, 0). */
MO_API mo_world_def mo_default_planar_world(void);

/* A world without bodies; a NULL def is mo_default_world(). */
MO_API mo_error mo_world_create(const mo_world_def *def, const mo_allocator *allocator,
                                mo_world **world, mo_message *why);
MO_API void mo_world_destroy(mo_world *world);

MO_API mo_world_def mo_world_definition(const mo_world *world);
/* Changes what may change between steps: gravity, margin, projection, sleeping, level, solver. */
MO_API mo_error mo_world_change(mo_world *world, const mo_world_def *def, mo_message *why);
MO_API double mo_world_time(const mo_world *world); /* s */

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef enum mo_body_kind {
    MO_BODY_FREE,
    MO_BODY_FIXED,
    MO_BODY_DRIVEN, /* moves as prescribed, whatever it meets */
    MO_BODY_LINK    /* of a mechanism (mechanism.h), with which it comes and goes */
} mo_body_kind;

/* Where a driven body is at a time, in s. */
typedef void mo_motion_fn(void *user, double time, mo_pose *pose);

typedef struct mo_body_def {
    mo_body_kind kind;
    mo_pose pose;       /* of the body's frame; the centre of mass need not be at its origin */
    double velocity[3]; /* of the centre of mass, world axes, m/s  */
    double spin[3];     /* angular velocity, world axes, rad/s; in the plane spin[2] */
    double mass;        /* kg; 0: from the shapes and their densities */
    /* xx yy zz xy xz yz about the centre of mass, in the body's axes; planar: zz alone; used with
     * mass, all zero: that of the shapes, scaled to the mass */
    double inertia[6];
    /* of mass, in the body's frame; used with mass and inertia */
    double centre[3];
    double linear_damping, angular_damping; /* 1/s, implicit */
    mo_motion_fn *motion; /* driven: NULL moves with the given velocity and spin */
    void *motion_user;
    /* where not 0: so many bytes at motion_user are copied, and the copy is handed over */
    size_t motion_user_size;
    const char *name; /* copied; may be NULL */
} mo_body_def;

MO_API mo_body_def mo_default_body(mo_body_kind kind);
MO_API mo_body_id mo_world_add_body(mo_world *world, const mo_body_def *def, mo_message *why);
MO_API mo_shape_id mo_world_add_shape(mo_world *world, mo_body_id body, const mo_shape_def *def,
                                      mo_message *why);
/* A body with one shape at a pose (NULL: identity).  Returns {0} and adds nothing where either is
 * refused. */
MO_API mo_body_id mo_world_add_solid(mo_world *world, mo_body_kind kind, const mo_shape_def *shape,
                                     const mo_pose *pose, mo_message *why);
/* From now on the two shapes touch with this surface, whatever layers, masks, joints, links and
 * exclusions say; once more changes the surface. */
MO_API mo_error mo_world_pair(mo_world *world, mo_shape_id a, mo_shape_id b,
                              const mo_material *material, mo_message *why);
/* A body goes with its shapes and joints. */
MO_API void mo_world_remove_body(mo_world *world, mo_body_id body);

MO_API int mo_world_has_body(const mo_world *world, mo_body_id body);
MO_API int mo_world_body_count(const mo_world *world);
MO_API mo_body_id mo_world_body(const mo_world *world, int k); /* in the order they were added */

typedef struct mo_body_state {
    mo_body_kind kind;
    mo_pose pose;
    double velocity[3], spin[3];
    double mass;
    double centre[3];  /* of mass, in the world */
    double inertia[6]; /* xx yy zz xy xz yz about the centre of mass, in the body's axes */
    int is_asleep;
    const char *name; /* "" where none was given; the world's own until it changes */
    int shape_count;
} mo_body_state;

MO_API mo_body_state mo_body_get(const mo_world *world, mo_body_id body);
/* Puts a body somewhere with some velocity, and wakes it. */
MO_API mo_error mo_body_set(mo_world *world, mo_body_id body, const mo_pose *pose,
                            const double velocity[3], const double spin[3], mo_message *why);
/* A force (N, world axes) at a point of the world, and a moment, during the next step only. */
MO_API void mo_body_push(mo_world *world, mo_body_id body, const double force[3],
                         const double at[3]);
MO_API void mo_body_twist(mo_world *world, mo_body_id body, const double moment[3]);

/* The k-th shape of a body as it was defined, arrays being the world's own. */
MO_API mo_shape_def mo_body_shape(const mo_world *world, mo_body_id body, int k);
MO_API void mo_body_set_material(mo_world *world, mo_body_id body, const mo_material *material);

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct mo_step_report {
    /* in the problem of this step */
    int contacts, joints, bodies;
    int islands;
    /* of the solve; a step with another one than solved is taken all the same, and counted */
    mo_status status;
    mo_residual residual;
    int iterations;
    double penetration; /* deepest at the start of the step, m; 0 where there is none */
    double kinetic_energy, potential_energy; /* at the end of the step, J */
    double seconds_collide, seconds_assemble, seconds_solve, seconds_advance;
    mo_message message; /* where it was not solved: why */
} mo_step_report;

/*
 * One step of h seconds.  Nothing changes where it returns an error: a step that would bring a
 * number that is not finite into the state is refused.
 */
MO_API mo_error mo_world_step(mo_world *world, double h, mo_step_report *report, mo_message *why);

/* ---- what touched in the last step ----------------------------------------------------------- */

typedef enum mo_contact_mode {
    MO_CONTACT_APART,
    MO_CONTACT_STICKS,
    MO_CONTACT_SLIDES
} mo_contact_mode;

typedef struct mo_contact {
    mo_body_id a, b;
    uint64_t id;     /* the same from step to step while these features touch */
    double point[3]; /* world, midway between the surfaces, at the start of the step */
    /* unit, from a to b */
    double normal[3];
    /* at the start of the step, m */
    double gap;
    /* on b, world axes, N s; the force is impulse / h */
    double impulse[3];
    /* on b: torsion and rolling, world axes, N m s */
    double moment[3];
    double velocity[3]; /* of b against a at the point, at the end of the step, world axes */
    double mu;
    mo_contact_mode mode;
} mo_contact;

MO_API int mo_world_contact_count(const mo_world *world);
MO_API mo_contact mo_world_contact(const mo_world *world, int k);

/* The contact problem of the last step, or NULL before the first; the world's own until the next
 * one. */
MO_API const mo_problem *mo_world_problem(const mo_world *world);
MO_API const mo_result *mo_world_result(const mo_world *world);

/* ---- the whole of it ------------------------------------------------------------------------- */

MO_API double mo_world_kinetic_energy(const mo_world *world);
MO_API double mo_world_potential_energy(const mo_world *world); /* zero at the origin */
/* Linear momentum, and the angular one about the origin. */
MO_API void mo_world_momentum(const mo_world *world, double linear[3], double angular[3]);
MO_API double mo_world_penetration(mo_world *world); /* deepest now, m; found anew */

/*
 * Everything that changes in a step, as bytes: a world built in the same way and given them goes on
 * with the same bits.  mo_world_save returns the size; with NULL, or too little room, it writes
 * nothing.
 */
MO_API size_t mo_world_save(const mo_world *world, void *bytes, size_t room);
MO_API mo_error mo_world_load(mo_world *world, const void *bytes, size_t size, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
