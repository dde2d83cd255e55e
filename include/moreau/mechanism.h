/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Mechanisms of the simulator: trees of links in joint coordinates.
 *
 * The links of a mechanism are numbered from 0, parents before children; the parent of a root is
 * the world.  Each link is a body of the world of kind MO_BODY_LINK, with an id, shapes, a name and
 * contacts.  A link that cannot move has the kind MO_BODY_FIXED.  Joints of a link act in the order
 * of the list; anchors and axes are given in the link frame, as in MJCF.
 *
 * With M the mass matrix and b the bias (gravity and forces quadratic in v), M a + b = efforts.  In
 * a step, a mechanism is one body block of the contact problem,
 *     (M + h D + h^2 K) v+ = M v' + h (efforts - gravity - K (q - rest)) + H r,
 * with D the damping and K the stiffness of joints and actuators, implicit and stable for any
 * stiffness; v' is v after the velocity-quadratic forces of the step (docs/mechanisms.md).  Limits,
 * dry friction and saturated actuators are rows of the problem.  Joints of joint.h between links
 * close loops.
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

/* ---- definition ------------------------------------------------------------------------------ */

typedef struct mo_link_def {
    /* an earlier link, or -1: the world */
    int parent;
    mo_pose pose; /* in the parent frame, with all joints at their reference */
    double mass;  /* kg; 0: from the shapes and their densities */
    /* kg m^2: xx yy zz xy xz yz about the centre of mass, link axes; all zero: that of the shapes,
     * scaled to the mass */
    double inertia[6];
    /* m: centre of mass in the link frame; used if mass is given */
    double centre[3];
    /* gravity compensation, as a fraction of the weight */
    double gravity_compensation;
    const char *name; /* copied; may be NULL */
} mo_link_def;

/*
 *   joint       q                                        v = velocities
 *   revolute    angle, rad                               its rate
 *   prismatic   displacement, m                          its rate
 *   ball        unit quaternion (4)                      angular velocity in link axes (3)
 *   planar      two displacements, then an angle (3)     their rates
 *   free        position, unit quaternion (7)            velocity of the origin in world axes,
 *                                                        angular velocity in link axes (6)
 */
typedef enum mo_axis_kind {
    MO_AXIS_REVOLUTE,
    MO_AXIS_PRISMATIC,
    MO_AXIS_BALL,
    MO_AXIS_PLANAR,
    /* only joint of a root; q is its pose in the world, and link.pose is ignored */
    MO_AXIS_FREE,
    MO_AXIS_KIND_COUNT
} mo_axis_kind;

/* A joint between a link and its parent. */
typedef struct mo_axis_def {
    mo_axis_kind kind;
    /* the link that it moves */
    int link;
    double anchor[3]; /* m: centre of rotation (revolute, ball, planar), link frame */
    /* revolute, prismatic; planar: the normal of the plane; link frame */
    double axis[3];
    double side[3]; /* planar: direction of the first displacement; zero: x or y, projected */
    /* revolute, prismatic: q at `pose` of the link */
    double reference;
    /* revolute, prismatic: initial q */
    double initial;
    int has_limits; /* revolute, prismatic; ball: upper limit of the rotation angle */
    double lower, upper;
    /* N or N m, for each velocity */
    double dry_friction;
    /* N s/m or N m s/rad, for each velocity */
    double damping;
    /* rotor inertia, kg or kg m^2, added to the diagonal of M */
    double armature;
    /* revolute, prismatic, ball: spring stiffness, N/m or N m/rad */
    double stiffness;
    /* revolute, prismatic: rest position of the spring; ball: the identity */
    double rest;
    const char *name; /* copied; may be NULL */
} mo_axis_def;

/* Called at the start of each step of h; adds to effort, which has v_count numbers. */
typedef void mo_control_fn(void *user, double time, double h, const double *q, const double *v,
                           double *effort);

/*
 * A medium such as air or water.  As in MuJoCo, each moving link is represented by a box with the
 * same mass and moments of inertia, with edges b along its principal axes.  With the velocity v of
 * its centre relative to the wind, its angular velocity w, both along these axes, and the mean edge
 * d,
 *
 *     force_x  = -3 pi d viscosity v_x - density b_y b_z |v_x| v_x / 2
 *     moment_x = -pi d^3 viscosity w_x - density b_x (b_y^4 + b_z^4) |w_x| w_x / 64
 *
 * and likewise for y and z.  They are implicit, with the factor |v| at the start of the step.
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
    /* 1: a link collides with its parent */
    int collide_parents;
    mo_medium medium; /* zeros: none */
    const char *name; /* copied; may be NULL */
} mo_mechanism_def;

MO_API mo_link_def mo_default_link(int parent);
MO_API mo_axis_def mo_default_axis(mo_axis_kind kind, int link); /* about or along z */
MO_API const char *mo_axis_name(mo_axis_kind kind);              /* "revolute"; NULL if invalid */
MO_API mo_mechanism_def mo_default_mechanism(void);

/* ---- adding and removing --------------------------------------------------------------------- */

/* Adds a mechanism.  Use mo_world_add_shape to add shapes to its links.  Planar worlds accept
 * revolute, prismatic and planar joints. */
MO_API mo_mechanism_id mo_world_add_mechanism(mo_world *world, const mo_mechanism_def *def,
                                              mo_message *why);
/* Removes a mechanism with its links, as does mo_world_remove_body of a link. */
MO_API mo_error mo_world_remove_mechanism(mo_world *world, mo_mechanism_id mechanism,
                                          mo_message *why);
MO_API int mo_world_mechanism_count(const mo_world *world);
MO_API mo_mechanism_id mo_world_mechanism(const mo_world *world, int k);

/*
 * Couples q of joint a to that of joint b, both revolute or prismatic, or the length of tendon a to
 * that of tendon b:
 *
 *     q_a - reference_a = c0 + c1 x + c2 x^2 + c3 x^3 + c4 x^4,      x = q_b - reference_b
 *
 * The reference of a tendon is its length with all joints at their reference.
 */
typedef struct mo_coupling_def {
    int a, b; /* indices of joints or tendons; b = -1: x = 0 */
    double polynomial[5];
    int of_tendons; /* 1: a and b are tendons */
} mo_coupling_def;

/* Joint a moves as joint b: c1 = 1, all else zero. */
MO_API mo_coupling_def mo_default_coupling(int a, int b);

MO_API mo_error mo_mechanism_couple(mo_world *world, mo_mechanism_id mechanism,
                                    const mo_coupling_def *def, mo_message *why);

/* Disables collisions between two bodies (links or others). */
MO_API mo_error mo_world_exclude(mo_world *world, mo_body_id a, mo_body_id b, mo_message *why);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct mo_mechanism_info {
    const char *name; /* "" if none was given; belongs to the world */
    int link_count, joint_count, actuator_count, tendon_count;
    int q_count, v_count;
    int is_asleep;
} mo_mechanism_info;

/* For a stale id: all zero, name "". */
MO_API mo_mechanism_info mo_mechanism_get(const mo_world *world, mo_mechanism_id mechanism);

MO_API mo_body_id mo_mechanism_link(const mo_world *world, mo_mechanism_id mechanism, int k);
/* The mechanism of a link, and its index there (`link` may be NULL); {0} for other bodies. */
MO_API mo_mechanism_id mo_body_mechanism(const mo_world *world, mo_body_id body, int *link);

typedef struct mo_axis_state {
    mo_axis_kind kind;
    const char *name;
    int link, parent;  /* the link it moves, and its parent; -1: the world */
    int q_at, q_count; /* range in q */
    /* range in v */
    int v_at, v_count;
    int has_limits;
    double lower, upper;       /* m or rad */
    double anchor[3], axis[3]; /* world */
    /* effort of its limits in the last step, N or N m; positive for the lower limit */
    double limit_effort;
    /* effort of its dry friction, for each velocity */
    double friction_effort[6];
} mo_axis_state;

MO_API mo_axis_state mo_mechanism_joint(const mo_world *world, mo_mechanism_id mechanism, int k);

typedef struct mo_tendon_state {
    const char *name;
    double length, speed; /* m or rad, m/s or rad/s */
    double limit_effort;  /* of its limits in the last step, N or N m; lower: positive */
    int has_limits;
    double lower, upper; /* m or rad */
} mo_tendon_state;

/* For an invalid index: name "". */
MO_API mo_tendon_state mo_mechanism_tendon(const mo_world *world, mo_mechanism_id mechanism, int k);

typedef struct mo_actuator_state {
    const char *name;
    int joint; /* -1: drives a tendon or a link */
    double target;
    double state; /* follows the target; without dynamics the target itself */
    /* present length and speed */
    double length, speed;
    double effort; /* of the last step, N or N m */
    int is_saturated;
    int has_target_range;
    double target_lower, target_upper;           /* units of the target */
    double gear[6], gain, bias[3], lower, upper; /* as defined */
} mo_actuator_state;

MO_API mo_actuator_state mo_mechanism_actuator(const mo_world *world, mo_mechanism_id mechanism,
                                               int k);

/* The coordinates and velocities; valid until the world changes; NULL for a stale id. */
MO_API const double *mo_mechanism_q(const mo_world *world, mo_mechanism_id mechanism);
MO_API const double *mo_mechanism_v(const mo_world *world, mo_mechanism_id mechanism);

/* ---- changing -------------------------------------------------------------------------------- */

/* Sets q and v; NULL keeps the present values.  Quaternions are normalised. */
MO_API mo_error mo_mechanism_set(mo_world *world, mo_mechanism_id mechanism, const double *q,
                                 const double *v, mo_message *why);
MO_API mo_error mo_mechanism_set_target(mo_world *world, mo_mechanism_id mechanism, int actuator,
                                        double target, mo_message *why);
/* Adds efforts (v_count numbers) that act during the next step only. */
MO_API mo_error mo_mechanism_push(mo_world *world, mo_mechanism_id mechanism, const double *effort,
                                  mo_message *why);
/* Sets the control callback; NULL removes it. */
MO_API mo_error mo_mechanism_set_control(mo_world *world, mo_mechanism_id mechanism,
                                         mo_control_fn *control, void *user, mo_message *why);

/* ---- dynamics at the present q and v --------------------------------------------------------- */

/* The mass matrix, n x n with n = v_count, including armature (composite rigid bodies). */
MO_API mo_error mo_mechanism_mass_matrix(const mo_world *world, mo_mechanism_id mechanism,
                                         double *M, mo_message *why);
/* The bias b: efforts that balance gravity and velocity products (Newton-Euler). */
MO_API mo_error mo_mechanism_bias(const mo_world *world, mo_mechanism_id mechanism, double *bias,
                                  mo_message *why);
/* Inverse dynamics: efforts = M a + b, without forming M; NULL a: zero. */
MO_API mo_error mo_mechanism_inverse(const mo_world *world, mo_mechanism_id mechanism,
                                     const double *acceleration, double *effort, mo_message *why);
/* Forward dynamics: a = M^-1 (efforts - b), without forming M (articulated bodies). */
MO_API mo_error mo_mechanism_forward(const mo_world *world, mo_mechanism_id mechanism,
                                     const double *effort, double *acceleration, mo_message *why);
/* The Jacobian, 6 x n, of the point of a link that is now at `at` (world): velocity (3 rows), then
 * angular velocity (3). */
MO_API mo_error mo_mechanism_jacobian(const mo_world *world, mo_mechanism_id mechanism, int link,
                                      const double at[3], double *J, mo_message *why);
/* The velocity product of that point: its acceleration, linear (3) and angular (3), is J a + drift.
 */
MO_API mo_error mo_mechanism_drift(const mo_world *world, mo_mechanism_id mechanism, int link,
                                   const double at[3], double drift[6], mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
