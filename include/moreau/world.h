/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The simulator: a world of rigid bodies with contacts and joints, and its time steps.
 *
 * A step of size h solves one contact problem (problem.h) for the velocities v+ at its end,
 *
 *     M (v+ - v) = h F + H r,     gap/h + u_N >= 0 and Coulomb's law at every contact,
 *
 * and moves the bodies with v+ [anitescu2004, eq. 2.7-2.8].  docs/simulation.md describes
 * restitution, stabilisation, warm starts and accuracy.
 *
 * Numbers above 1e100 in magnitude are refused, except where infinity is allowed.
 *
 * Ids are values that may be copied and stored; {0} is the null id.  The id of a removed object is
 * stale, and recognised as such.  A world may be used by one thread at a time.
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
    /* from 1 */
    int32_t index;
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

/* The unknowns of a step: velocities at its end (time stepping), or forces at its start, with
 * impacts (forces.h). */
typedef enum mo_level { MO_LEVEL_VELOCITY, MO_LEVEL_ACCELERATION } mo_level;

/* Computes the material of a contact between surfaces a and b.  `both` contains the result of the
 * rules of the world, and may be changed.  Must be symmetric in a and b and deterministic. */
typedef void mo_combine_fn(void *user, const mo_material *a, const mo_material *b,
                           mo_material *both);

typedef struct mo_world_def {
    /* 3, or 2 for the plane z = 0 */
    int dimension;
    /* m/s^2 */
    double gravity[3];
    /* m: contacts are generated up to this gap, and farther for fast bodies; 0: from the sizes */
    double margin;
    /* fraction of the size of the smaller shape, above 0: if shapes overlap by more at the end of a
     * step, the step is solved again or they are moved apart; infinity: neither */
    double overlap;
    /* 1: also close joints between bodies by a projection of positions at the end of a step */
    int projection;
    /* 1: islands at rest sleep until something touches them */
    int sleeping;
    mo_level level;
    /* s; 0: Newton's second law.  Otherwise first-order dynamics without inertia,
     * M v = first_order * force; large values give quasistatic motion. */
    double first_order;
    /* m/s: slower impacts are plastic */
    double restitution_speed;
    /* rules for two surfaces; MO_COMBINE_WORLD: geometric mean for friction, maximum for
     * restitution */
    mo_combine_rule friction_rule, restitution_rule;
    /* overrides the rules, for example by a table; may be NULL; called when a shape is added */
    mo_combine_fn *combine;
    void *combine_user;
    /* relative tolerance of islands of more than 64 contacts in which bodies move: an error of
     * velocity relative to g h.  Steps aim at a tenth of it while that is cheap.  Used if
     * solver.tol has its default value and is finer; 0: all islands are solved to solver.tol */
    double moving_tol;
    /* method, tolerance, threads; time_limit applies to a call of mo_world_step
     * (mo_step_report.is_waiting); start, cancel and progress are set by the world */
    mo_options solver;
} mo_world_def;

/* Three dimensions, gravity (0, 0, -9.81), plastic impacts below 1e-2 m/s, the default solver with
 * at most 3000 iterations, moving_tol 1e-3. */
MO_API mo_world_def mo_default_world(void);
/* The same in two dimensions, with gravity (0, -9.81, 0). */
MO_API mo_world_def mo_default_planar_world(void);

/* Creates an empty world.  A NULL definition stands for mo_default_world(). */
MO_API mo_error mo_world_create(const mo_world_def *def, const mo_allocator *allocator,
                                mo_world **world, mo_message *why);
MO_API void mo_world_destroy(mo_world *world);

MO_API mo_world_def mo_world_definition(const mo_world *world);
/* Changes gravity, margin, overlap, projection, sleeping, level and solver; the rest is fixed. */
MO_API mo_error mo_world_change(mo_world *world, const mo_world_def *def, mo_message *why);
/* s */
MO_API double mo_world_time(const mo_world *world);

/* ---- bodies ---------------------------------------------------------------------------------- */

typedef enum mo_body_kind {
    /* dynamic: moves by forces and contacts */
    MO_BODY_FREE,
    /* static: never moves */
    MO_BODY_FIXED,
    /* kinematic: moves as prescribed */
    MO_BODY_DRIVEN,
    /* link of a mechanism (mechanism.h), created and removed with it */
    MO_BODY_LINK
} mo_body_kind;

/* The pose of a kinematic body at a time in s. */
typedef void mo_motion_fn(void *user, double time, mo_pose *pose);

typedef struct mo_body_def {
    mo_body_kind kind;
    /* pose of the body frame, whose origin need not be the centre of mass */
    mo_pose pose;
    /* velocity of the centre of mass, world axes, m/s */
    double velocity[3];
    /* angular velocity, world axes, rad/s; in two dimensions spin[2] */
    double spin[3];
    /* kg; 0: from the shapes and their densities */
    double mass;
    /* kg m^2: xx yy zz xy xz yz about the centre of mass, body axes; in two dimensions zz alone.
     * Used if mass is given; all zero: that of the shapes, scaled to the mass. */
    double inertia[6];
    /* m: centre of mass in the body frame; used if mass and inertia are given */
    double centre[3];
    /* 1/s, implicit */
    double linear_damping, angular_damping;
    /* kinematic: NULL moves with the given velocity and spin */
    mo_motion_fn *motion;
    void *motion_user;
    /* if not 0, this many bytes at motion_user are copied, and `motion` receives the copy */
    size_t motion_user_size;
    /* copied; may be NULL */
    const char *name;
    /* not used by the library */
    void *user_data;
} mo_body_def;

MO_API mo_body_def mo_default_body(mo_body_kind kind);
MO_API mo_body_id mo_world_add_body(mo_world *world, const mo_body_def *def, mo_message *why);
MO_API mo_shape_id mo_world_add_shape(mo_world *world, mo_body_id body, const mo_shape_def *def,
                                      mo_message *why);
/* Adds a body with one shape at a pose (NULL: identity).  Returns {0} and adds nothing if either is
 * invalid. */
MO_API mo_body_id mo_world_add_solid(mo_world *world, mo_body_kind kind, const mo_shape_def *shape,
                                     const mo_pose *pose, mo_message *why);
/* Makes the two shapes collide with this material, regardless of layers, masks, joints, links
 * and exclusions.  A second call changes the material. */
MO_API mo_error mo_world_pair(mo_world *world, mo_shape_id a, mo_shape_id b,
                              const mo_material *material, mo_message *why);
/* Removes a shape and its contacts, and wakes bodies in contact.  Mass, centre and inertia are
 * recomputed from the remaining shapes unless the definition gives them.  A dynamic body without
 * shapes and mass must get either before the next step. */
MO_API mo_error mo_world_remove_shape(mo_world *world, mo_shape_id shape, mo_message *why);
/* Removes a body with its shapes and joints. */
MO_API mo_error mo_world_remove_body(mo_world *world, mo_body_id body, mo_message *why);

MO_API int mo_world_has_body(const mo_world *world, mo_body_id body);
MO_API int mo_world_body_count(const mo_world *world);
/* The k-th body in the order of creation. */
MO_API mo_body_id mo_world_body(const mo_world *world, int k);

typedef struct mo_body_state {
    mo_body_kind kind;
    mo_pose pose;
    /* velocity of the centre of mass, m/s, and angular velocity, rad/s; world axes */
    double velocity[3], spin[3];
    /* kg */
    double mass;
    /* m: centre of mass in the world */
    double centre[3];
    /* kg m^2: xx yy zz xy xz yz about the centre of mass, body axes */
    double inertia[6];
    int is_asleep;
    /* "" if none was given; valid until the world changes */
    const char *name;
    int shape_count;
    void *user_data;
} mo_body_state;

/* For a stale id (see mo_world_has_body): all zero, at the identity. */
MO_API mo_body_state mo_body_get(const mo_world *world, mo_body_id body);
/* The pose of the body's frame: position in m, unit quaternion. */
MO_API mo_error mo_body_pose(const mo_world *world, mo_body_id body, mo_pose *pose,
                             mo_message *why);
/* Sets the pose and the velocities of a body (m/s, rad/s), and wakes it. */
MO_API mo_error mo_body_set(mo_world *world, mo_body_id body, const mo_pose *pose,
                            const double velocity[3], const double spin[3], mo_message *why);
/* Adds a force (N, world axes) that acts at a point (m, world) during the next step only. */
MO_API mo_error mo_body_apply_force(mo_world *world, mo_body_id body, const double force[3],
                                    const double at[3], mo_message *why);
/* Adds a torque (N m, world axes) that acts during the next step only. */
MO_API mo_error mo_body_apply_torque(mo_world *world, mo_body_id body, const double torque[3],
                                     mo_message *why);
/* Applies an impulse (N s) at a point (m), both in world axes: velocities change immediately, on
 * a link those of its mechanism by M^-1 J' impulse.  Contacts and joints act in the next step. */
MO_API mo_error mo_body_apply_impulse(mo_world *world, mo_body_id body, const double impulse[3],
                                      const double at[3], mo_message *why);
/* Replaces the user data, which mo_body_get, mo_body_shape and mo_joint_get return. */
MO_API mo_error mo_body_set_user_data(mo_world *world, mo_body_id body, void *user_data,
                                      mo_message *why);
MO_API mo_error mo_shape_set_user_data(mo_world *world, mo_shape_id shape, void *user_data,
                                       mo_message *why);

/* The k-th shape of a body as it was defined.  Its arrays belong to the world. */
MO_API mo_shape_def mo_body_shape(const mo_world *world, mo_body_id body, int k);
/* The id of that shape; {0} if there is none. */
MO_API mo_shape_id mo_body_shape_id(const mo_world *world, mo_body_id body, int k);
/* The body of a shape; {0} for a stale id. */
MO_API mo_body_id mo_shape_body(const mo_world *world, mo_shape_id shape);
/* Sets the material of all shapes of the body. */
MO_API mo_error mo_body_set_material(mo_world *world, mo_body_id body, const mo_material *material,
                                     mo_message *why);

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct mo_step_report {
    /* sizes of the contact problem of this step */
    int contacts, joints, bodies, islands;
    /* status of the solve; an unsolved step is still taken */
    mo_status status;
    mo_residual residual;
    /* coarsest relative tolerance in this step, solver.tol or moving_tol of mo_world_def; a solved
     * step has residual.natural_relative at or below it */
    double tolerance;
    /* residual.power over r' W r: for a heap at rest its mean downward velocity after the step,
     * relative to g h; about 1 if the impulses do not carry its weight (docs/measure.md) */
    double sinking;
    int iterations;
    /* m: largest at the start of the step */
    double penetration;
    /* largest overlap after and before the projection of positions, over the smaller size */
    double overlap, overlap_before;
    /* number of solves in this step */
    int rounds;
    /* late contacts and impacts that were left after the last solve; if any, the step is
     * unsolved */
    int late_contacts, impacts_left;
    /* bodies that were stopped before they passed through another; if any, the step is unsolved */
    int held_back;
    /* 1: the step needs more time than the limit of one call.  State and time have not changed, the
     * next call resumes the step (docs/simulation.md), and other members describe it so far */
    int is_waiting;
    /* 1: no solution was found, and the contacts were made compliant */
    int is_compliant;
    int is_canonical;        /* 1: the impulses have the least norm of all with this motion */
    double friction_reduced; /* fraction taken off friction in a jam; above 0: unsolved */
    double energy_removed;   /* J: gained by joint correction or an inexact solution, and removed */
    /* J, at the end of the step */
    double kinetic_energy, potential_energy;
    /* s: wall time of all calls for this step */
    double seconds_collide, seconds_assemble, seconds_solve, seconds_advance, seconds_project;
    /* reason, if the step is unsolved */
    mo_message message;
} mo_step_report;

/* Takes one step of h seconds; `report` may be NULL.  After an error the state has not changed.
 * A step that would make the state infinite or NaN is refused. */
MO_API mo_error mo_world_step(mo_world *world, double h, mo_step_report *report, mo_message *why);

/* ---- contacts of the last step --------------------------------------------------------------- */

typedef enum mo_contact_mode {
    MO_CONTACT_APART,
    MO_CONTACT_STICKS,
    MO_CONTACT_SLIDES
} mo_contact_mode;

typedef struct mo_contact {
    mo_body_id a, b;
    /* constant from step to step as long as the same features touch */
    uint64_t id;
    /* m: midway between the surfaces at the start of the step, world */
    double point[3];
    /* unit vector from a to b */
    double normal[3];
    /* m: at the start of the step */
    double gap;
    /* N s: on b, world axes; the force is impulse / h */
    double impulse[3];
    /* N m s: torsional and rolling moment on b, world axes */
    double moment[3];
    /* m/s: of b relative to a at the point, at the end of the step, world axes */
    double velocity[3];
    double mu; /* friction coefficient */
    mo_contact_mode mode;
} mo_contact;

/* The contacts of the problem, and those that only bounced at the start of the step. */
MO_API int mo_world_contact_count(const mo_world *world);
MO_API mo_contact mo_world_contact(const mo_world *world, int k);
/* Copies at most `room` contacts of the last step, of all bodies or of one.  Returns their total
 * number. */
MO_API int mo_world_contacts(const mo_world *world, mo_contact *contacts, int room);
MO_API int mo_body_contacts(const mo_world *world, mo_body_id body, mo_contact *contacts, int room);
/* Sums the contact forces on a body in the last step (impulse / h), N, and their moments about its
 * centre of mass, N m; zero before the first step. */
MO_API mo_error mo_body_contact_force(const mo_world *world, mo_body_id body, double force[3],
                                      double moment[3], mo_message *why);

/* The contact problem of the last step and its result; NULL before the first step and while one
 * is suspended.  They belong to the world and are valid until the next step. */
MO_API const mo_problem *mo_world_problem(const mo_world *world);
MO_API const mo_result *mo_world_result(const mo_world *world);

/* Where the last step ran: "cpu", the name of a GPU, or "cpu (...)" with the reason why a GPU was
 * requested but not used for the whole step (docs/gpu.md). */
MO_API void mo_world_device(const mo_world *world, mo_message *where);

/* ---- energy, momentum, state ----------------------------------------------------------------- */

/* Energies, J; the potential energy is zero at the origin. */
MO_API double mo_world_kinetic_energy(const mo_world *world);
MO_API double mo_world_potential_energy(const mo_world *world);
/* Linear momentum (kg m/s), and angular momentum about the origin (kg m^2/s). */
MO_API void mo_world_momentum(const mo_world *world, double linear[3], double angular[3]);
/* Computes the largest penetration at the present poses, m. */
MO_API double mo_world_penetration(mo_world *world);
/* The same over the size of the smaller shape of each pair, the radius of a ball about it. */
MO_API double mo_world_relative_penetration(mo_world *world);

/* Writes and reads the state of a world.  A world that was built in the same way continues from it
 * bit for bit.  mo_world_save returns the size; it writes nothing to NULL or without room. */
MO_API size_t mo_world_save(const mo_world *world, void *bytes, size_t room);
MO_API mo_error mo_world_load(mo_world *world, const void *bytes, size_t size, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
