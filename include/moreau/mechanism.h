/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Mechanisms of the simulator: trees of links in joint coordinates.
 *
 * A mechanism has links, numbered from 0 so that a parent comes before its children; the parent of
 * a root is the world.  Each link is a body of the world of kind MO_BODY_LINK (with an id, shapes,
 * a name, contacts like any other), whose pose follows from the coordinates q of the joints.  A
 * link without joints above it does not move, and is of kind MO_BODY_FIXED.
 *
 *   joint       q                                        v = velocities
 *   revolute    angle, rad                               its rate
 *   prismatic   displacement, m                          its rate
 *   ball        unit quaternion (4)                      spin in the axes of the link (3)
 *   planar      two displacements, then an angle (3)     their rates
 *   free        position, unit quaternion (7)          velocity of the link's origin in world axes,
 *                                                        spin in the axes of the link (6)
 *
 * A link may have any number of joints, which act one after the other as they are listed; none
 * fixes it to its parent.  Anchors and axes are given in the frame of the link, whose pose in its
 * parent is `pose` while every joint is at its reference.  (All this is the convention of MJCF.)
 *
 * With M the mass matrix and b the bias (gravity, and forces that are quadratic in v), M a + b =
 * efforts.  A step takes a mechanism as one body block of the contact problem,
 *
 *     (M + h D + h^2 K) v+ = M v' + h (efforts - gravity - K (q - rest)) + H r,
 *
 * with D the damping and K the stiffness of joints and actuators, so that these are implicit and
 * stable however stiff they are; v' is v after the velocity-quadratic forces of the step
 * (docs/mechanisms.md).  Limits, dry friction and actuators at their limit of effort are rows of
 * the problem. Loops are closed by the joints of joint.h between links.
 */
#ifndef MOREAU_MECHANISM_H
#define MOREAU_MECHANISM_H

#include "moreau/drive.h"
#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mo_mechanism_id {
    int32_t index; /* from 1 */
    uint32_t generation;
} mo_mechanism_id;

/* ---- what it is made of ---------------------------------------------------------------------- */

typedef struct mo_link_def {
    /* an earlier link, or -1: the world */
    int parent;
    mo_pose pose; /* of the link's frame in its parent's, while all joints are at their reference */
    double mass;  /* kg; 0: from the shapes that are added later, and their densities */
    /* xx yy zz xy xz yz about the centre of mass, in the link's axes; all zero: that of the shapes,
     * scaled to the mass */
    double inertia[6];
    /* of mass, in the link's frame; used with mass */
    double centre[3];
    /* the part of its weight that is compensated from outside: 0 none, 1 all of it */
    double gravity_compensation;
    const char *name; /* copied; may be NULL */
} mo_link_def;

typedef enum mo_axis_kind {
    MO_AXIS_REVOLUTE,
    MO_AXIS_PRISMATIC,
    MO_AXIS_BALL,
    MO_AXIS_PLANAR,
    /* of a root, as its only joint; q is then the pose in the world, whatever the link's own is */
    MO_AXIS_FREE,
    MO_AXIS_KIND_COUNT
} mo_axis_kind;

/* A joint between a link and its parent. */
typedef struct mo_axis_def {
    mo_axis_kind kind;
    /* the one it moves */
    int link;
    double anchor[3]; /* revolute, ball, planar: the point about which it turns, link frame */
    /* revolute, prismatic; planar: the normal of the plane; link frame */
    double axis[3];
    double side[3]; /* planar: along the first displacement; zero: x, or y, put into the plane */
    /* revolute, prismatic: q at the pose given above */
    double reference;
    /* revolute, prismatic: q at first */
    double initial;
    int has_limits; /* revolute, prismatic; ball: the angle of its rotation stays below upper */
    double lower, upper;
    /* against each velocity, N or N m */
    double dry_friction;
    /* N s/m or N m s/rad, on each velocity */
    double damping;
    /* inertia of a rotor, added to M on each velocity */
    double armature;
    /* revolute, prismatic, ball: of a spring, N/m or N m/rad */
    double stiffness;
    /* revolute, prismatic: q at which the spring is slack; a ball's is at the identity */
    double rest;
    const char *name; /* copied; may be NULL */
} mo_axis_def;

/* Called once at the start of each step of h: adds to effort (as long as v). */
typedef void mo_control_fn(void *user, double time, double h, const double *q, const double *v,
                           double *effort);

/*
 * What a mechanism moves in: air, water.  Each link that moves is a box of its mass and moments of
 * inertia, with edges b along its principal axes, as in MuJoCo.  With the velocity v of its centre
 * against the wind and its spin w, both along these axes, and d the mean of its edges,
 *
 *     force_x  = -3 pi d viscosity v_x - density b_y b_z |v_x| v_x / 2
 *     moment_x = -pi d^3 viscosity w_x - density b_x (b_y^4 + b_z^4) |w_x| w_x / 64
 *
 * and so on.  A step takes them implicitly, with the factor |v| of its start.
 */
typedef struct mo_medium {
    double density;   /* kg/m^3 */
    double viscosity; /* Pa s */
    double wind[3];   /* m/s */
} mo_medium;

typedef struct mo_mechanism_def {
    const mo_link_def *links;
    int link_count;
    const mo_axis_def *joints;
    int joint_count;
    const mo_actuator_def *actuators;
    int actuator_count;
    const mo_tendon_def *tendons;
    int tendon_count;
    mo_control_fn *control; /* or NULL */
    void *control_user;
    /* 1: a link may touch its parent */
    int collide_parents;
    mo_medium medium; /* zeros: none */
    const char *name; /* copied; may be NULL */
} mo_mechanism_def;

MO_API mo_link_def mo_default_link(int parent);
MO_API mo_axis_def mo_default_axis(mo_axis_kind kind, int link); /* about, or along, z */
MO_API const char *mo_axis_name(
    mo_axis_kind kind); /* "revolute", or NULL for a number that is no kind */
MO_API mo_mechanism_def mo_default_mechanism(void);

/* ---- they come and go ------------------------------------------------------------------------ */

/* Its links' shapes are added with mo_world_add_shape.  A world in the plane takes revolute,
 * prismatic and planar joints. */
MO_API mo_mechanism_id mo_world_add_mechanism(mo_world *world, const mo_mechanism_def *def,
                                              mo_message *why);
/* With its links; so does mo_world_remove_body of one of them. */
MO_API mo_error mo_world_remove_mechanism(mo_world *world, mo_mechanism_id mechanism,
                                          mo_message *why);
MO_API int mo_world_mechanism_count(const mo_world *world);
MO_API mo_mechanism_id mo_world_mechanism(const mo_world *world, int k);

/*
 * From now on q of joint a follows that of joint b, both revolute or prismatic, or the length of
 * tendon a that of tendon b:
 *
 *     q_a - reference_a = c0 + c1 x + c2 x^2 + c3 x^3 + c4 x^4,      x = q_b - reference_b
 *
 * The reference of a tendon is its length while all its joints are at theirs.
 */
typedef struct mo_coupling_def {
    int a, b; /* joints of the mechanism; b = -1: x = 0 */
    double polynomial[5];
    int of_tendons; /* a and b are tendons */
} mo_coupling_def;

MO_API mo_error mo_mechanism_couple(mo_world *world, mo_mechanism_id mechanism,
                                    const mo_coupling_def *def, mo_message *why);

/* Two bodies (links or others) never touch, from now on. */
MO_API mo_error mo_world_exclude(mo_world *world, mo_body_id a, mo_body_id b, mo_message *why);

/* ---- looking --------------------------------------------------------------------------------- */

typedef struct mo_mechanism_info {
    const char *name; /* "" where none was given; the world's own */
    int link_count, joint_count, actuator_count, tendon_count;
    int q_count, v_count;
    int is_asleep;
} mo_mechanism_info;

/* All zero, and name "", for a stale id. */
MO_API mo_mechanism_info mo_mechanism_get(const mo_world *world, mo_mechanism_id mechanism);

MO_API mo_body_id mo_mechanism_link(const mo_world *world, mo_mechanism_id mechanism, int k);
/* The mechanism of a link, and its number there (NULL: not wanted); {0} for other bodies. */
MO_API mo_mechanism_id mo_body_mechanism(const mo_world *world, mo_body_id body, int *link);

typedef struct mo_axis_state {
    mo_axis_kind kind;
    const char *name;
    int link, parent;  /* the one it moves, and the one above it; -1: the world */
    int q_at, q_count; /* its part of q */
    /* and of v */
    int v_at, v_count;
    int has_limits;
    double lower, upper;
    double anchor[3], axis[3]; /* world */
    /* of its limits in the last step, N or N m (lower: positive) */
    double limit_effort;
    /* of its dry friction, on each velocity */
    double friction_effort[6];
} mo_axis_state;

MO_API mo_axis_state mo_mechanism_joint(const mo_world *world, mo_mechanism_id mechanism, int k);

typedef struct mo_tendon_state {
    const char *name;
    double length, speed;
    double limit_effort; /* of its limits in the last step (lower: positive) */
    int has_limits;
    double lower, upper;
} mo_tendon_state;

/* Name "" where there is none. */
MO_API mo_tendon_state mo_mechanism_tendon(const mo_world *world, mo_mechanism_id mechanism, int k);

typedef struct mo_actuator_state {
    const char *name;
    int joint; /* -1: it drives something else */
    double target;
    double state; /* that follows the target; the target itself without dynamics */
    /* now */
    double length, speed;
    double effort; /* in the last step */
    int is_saturated;
    int has_target_range;
    double target_lower, target_upper;
    double gear[6], gain, bias[3], lower, upper; /* of its definition */
} mo_actuator_state;

MO_API mo_actuator_state mo_mechanism_actuator(const mo_world *world, mo_mechanism_id mechanism,
                                               int k);

/* The coordinates and velocities, the world's own until it changes; NULL for a stale id. */
MO_API const double *mo_mechanism_q(const mo_world *world, mo_mechanism_id mechanism);
MO_API const double *mo_mechanism_v(const mo_world *world, mo_mechanism_id mechanism);

/* ---- moving ---------------------------------------------------------------------------------- */

/* NULL leaves q or v as it is.  Quaternions are normalised. */
MO_API mo_error mo_mechanism_set(mo_world *world, mo_mechanism_id mechanism, const double *q,
                                 const double *v, mo_message *why);
MO_API mo_error mo_mechanism_set_target(mo_world *world, mo_mechanism_id mechanism, int actuator,
                                        double target, mo_message *why);
/* Efforts (as long as v), added to what acts in the next step only. */
MO_API mo_error mo_mechanism_push(mo_world *world, mo_mechanism_id mechanism, const double *effort,
                                  mo_message *why);
/* NULL: no control from now on. */
MO_API mo_error mo_mechanism_set_control(mo_world *world, mo_mechanism_id mechanism,
                                         mo_control_fn *control, void *user, mo_message *why);

/* ---- dynamics at the present q and v --------------------------------------------------------- */

/* n x n with n = v_count, armature included (composite rigid bodies). */
MO_API mo_error mo_mechanism_mass_matrix(const mo_world *world, mo_mechanism_id mechanism,
                                         double *M, mo_message *why);
/* b: the efforts that keep v as it is against gravity and inertia (Newton-Euler). */
MO_API mo_error mo_mechanism_bias(const mo_world *world, mo_mechanism_id mechanism, double *bias,
                                  mo_message *why);
/* efforts = M a + b, without forming M; NULL a: zero. */
MO_API mo_error mo_mechanism_inverse(const mo_world *world, mo_mechanism_id mechanism,
                                     const double *acceleration, double *effort, mo_message *why);
/* a = M^-1 (efforts - b), without forming M (articulated bodies). */
MO_API mo_error mo_mechanism_forward(const mo_world *world, mo_mechanism_id mechanism,
                                     const double *effort, double *acceleration, mo_message *why);
/* 6 x n: velocity (3 rows) and spin (3) of the point of a link that is at `at` (world) now. */
MO_API mo_error mo_mechanism_jacobian(const mo_world *world, mo_mechanism_id mechanism, int link,
                                      const double at[3], double *J, mo_message *why);
/* The acceleration (3) of that point, and of the link's spin (3), that the velocities cause while
 * theirs are zero: of J a + drift. */
MO_API mo_error mo_mechanism_drift(const mo_world *world, mo_mechanism_id mechanism, int link,
                                   const double at[3], double drift[6], mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
