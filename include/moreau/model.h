/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Models of robots from files: a tree of bodies, joints, shapes, actuators, loop closures,
 * keyframes.
 *
 * MJCF (as documented by MuJoCo 2.2), URDF and SDF are read into one representation: defaults and
 * includes are resolved, angles are in radians, inertias are computed, and quaternions are (w, x,
 * y, z).  robot.h adds a model to a world.  docs/models.md lists supported elements.
 *
 * Files are untrusted input: reading returns a model or an error message with the line.
 * Unsupported elements are listed once, in `notes`.  Includes and meshes must be inside the folder
 * of the file or inside its ROS package, the nearest parent folder with a package.xml.
 *
 * Coordinates q and v are those of MuJoCo, joint by joint in the order of the bodies: free 7 and 6
 * (position, quaternion; velocity of the origin in world axes, angular velocity in body axes), ball
 * 4 and 3, slide and hinge 1 and 1 (m, rad).
 */
#ifndef MOREAU_MODEL_H
#define MOREAU_MODEL_H

#include "moreau/mechanism.h"
#include "moreau/model_drive.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mo_model_joint_kind {
    MO_MODEL_FREE,
    MO_MODEL_BALL,
    MO_MODEL_SLIDE,
    MO_MODEL_HINGE,
    MO_MODEL_JOINT_KINDS
} mo_model_joint_kind;

MO_API const char *mo_model_joint_name(mo_model_joint_kind kind); /* "hinge"; NULL: invalid */
MO_API int mo_model_joint_q(mo_model_joint_kind kind);            /* numbers in q: 7, 4, 1, 1 */
/* in v: 6, 3, 1, 1 */
MO_API int mo_model_joint_v(mo_model_joint_kind kind);

/* Body 0 is the world.  A parent comes before its children. */
typedef struct mo_model_body {
    const char *name; /* "" if it has none, as all names below */
    /* -1: body 0 itself */
    int parent;
    /* in the parent frame, at the reference configuration */
    mo_pose pose;
    /* kg */
    double mass;
    /* m: centre of mass in the body frame */
    double centre[3];
    /* kg m^2: xx yy zz xy xz yz about the centre of mass, body axes */
    double inertia[6];
    /* range of joints; none: fixed to the parent */
    int first_joint, joint_count;
    /* gravity compensation as a fraction of the weight (gravcomp of MJCF) */
    double gravity_compensation;
    /* 1: its pose is set by the user */
    int is_mocap;
    /* line in the file; 0: created by the reader */
    int line;
} mo_model_body;

/* A frame on a body, with a volume: ball, box, capsule, cylinder, or hull for an ellipsoid. */
typedef struct mo_model_site {
    const char *name;
    int body;
    mo_pose pose; /* in the body frame */
    mo_shape_kind kind;
    double size[3]; /* as in MJCF: radius, half length; half extents; semi-axes */
    int line;
} mo_model_site;

/* Joints of one body act in their order, the first nearest to the parent. */
typedef struct mo_model_joint {
    const char *name;
    mo_model_joint_kind kind;
    int body;
    /* index of its first number in q and in v */
    int first_q, first_v;
    /* m, body frame */
    double anchor[3];
    /* unit vector, body frame */
    double axis[3];
    /* q at the reference configuration */
    double ref;
    int has_limits;
    double range[2]; /* m or rad */
    /* spring stiffness, and q at rest */
    double stiffness, spring_ref;
    double damping, armature; /* N s/m or N m s/rad; kg or kg m^2 */
    /* N m or N */
    double dry_friction;
    /* limits of the total actuator effort; also part of the range of each actuator */
    int has_effort_range;
    double effort_range[2]; /* N or N m */
    int line;
} mo_model_joint;

typedef struct mo_model_geom {
    const char *name;
    int body;
    /* pose in the body frame, density, material and colour; arrays belong to the model.  A mesh is
     * its convex hull, or the mesh itself if it does not collide */
    mo_shape_def shape;
    /* kg: its part of the mass of the body; 0 if the body has its own mass */
    double mass;
    /* semi-axes, if the file has an ellipsoid, whose shape is a hull */
    double ellipsoid[3];
    /* 1: does not collide */
    int is_visual;
    int line;
} mo_model_geom;

/* Two geoms that collide in any case, with this material. */
typedef struct mo_model_pair {
    int a, b; /* geoms */
    mo_material material;
    int line;
} mo_model_pair;

typedef enum mo_model_equality_kind {
    /* the anchor of body a coincides with a point of body b */
    MO_MODEL_CONNECT,
    /* body b has a constant pose in body a */
    MO_MODEL_WELD,
    /* q of joint a is a polynomial of that of joint b, both relative to ref */
    MO_MODEL_COUPLE,
    /* the same for the lengths of two tendons */
    MO_MODEL_TENDONS
} mo_model_equality_kind;

typedef struct mo_model_equality {
    const char *name;
    mo_model_equality_kind kind;
    /* bodies, or joints or tendons for the last two kinds; there b = -1: a constant */
    int a, b;
    /* connect: in the frame of a */
    double anchor[3];
    /* weld: 0: the pose at the reference configuration */
    int has_pose;
    /* weld: pose of b in a */
    mo_pose pose;
    double polynomial[5]; /* couplings, as in mo_coupling_def */
    int line;
} mo_model_equality;

/* sensor.h describes them. */
typedef enum mo_model_sensor_kind {
    MO_SENSOR_JOINTPOS,
    MO_SENSOR_JOINTVEL,
    MO_SENSOR_BALLQUAT,
    MO_SENSOR_BALLANGVEL,
    MO_SENSOR_JOINTACTUATORFRC,
    MO_SENSOR_TENDONPOS,
    MO_SENSOR_TENDONVEL,
    MO_SENSOR_ACTUATORPOS,
    MO_SENSOR_ACTUATORVEL,
    MO_SENSOR_ACTUATORFRC,
    MO_SENSOR_ACCELEROMETER,
    MO_SENSOR_VELOCIMETER,
    MO_SENSOR_GYRO,
    MO_SENSOR_FORCE,
    MO_SENSOR_TORQUE,
    MO_SENSOR_TOUCH,
    MO_SENSOR_FRAMEPOS,
    MO_SENSOR_FRAMEQUAT,
    MO_SENSOR_FRAMEXAXIS,
    MO_SENSOR_FRAMEYAXIS,
    MO_SENSOR_FRAMEZAXIS,
    MO_SENSOR_FRAMELINVEL,
    MO_SENSOR_FRAMEANGVEL,
    MO_SENSOR_FRAMELINACC,
    MO_SENSOR_FRAMEANGACC,
    MO_SENSOR_SUBTREECOM,
    MO_SENSOR_SUBTREELINVEL,
    MO_SENSOR_SUBTREEANGMOM,
    MO_SENSOR_CLOCK,
    MO_SENSOR_IGNORED /* noted; keeps its index, value zero */
} mo_model_sensor_kind;

MO_API const char *mo_model_sensor_name(mo_model_sensor_kind kind); /* "jointpos", ... */

typedef struct mo_model_sensor {
    const char *name;
    mo_model_sensor_kind kind;
    /* index of the joint, tendon, actuator or site, by kind */
    int object;
    /* sites and frames: the body, and the pose in its frame; the first body of a subtree */
    int body;
    mo_pose pose;
    /* range in the values */
    int first, count;
    /* values are clamped to +-cutoff; 0: no cutoff */
    double cutoff;
    int line;
} mo_model_sensor;

typedef struct mo_model_key {
    const char *name;
    double time; /* s */
    /* q_count, v_count, actuator_count */
    double *q, *v, *control;
    /* mocap_count, in the order of the bodies */
    mo_pose *mocap;
    int line;
} mo_model_key;

/* An element that was ignored or interpreted; each kind is listed once. */
typedef struct mo_model_note {
    /* line of the first occurrence */
    int line;
    /* number of occurrences */
    int count;
    const char *file; /* "": the main file; otherwise the included file */
    const char *text; /* a sentence with the line */
} mo_model_note;

/* Initialise with {0}. */
typedef struct mo_model {
    const char *name;
    const char *format; /* "MJCF", "URDF" or "SDF" */
    double step;        /* s; 0: not given */
    double gravity[3];
    mo_medium medium;

    mo_model_body *bodies;
    mo_model_joint *joints;
    mo_model_geom *geoms;
    mo_model_actuator *actuators;
    mo_model_equality *equalities;
    mo_model_tendon *tendons;
    mo_model_site *sites;
    mo_model_pair *pairs;
    mo_model_sensor *sensors;
    int (*exclusions)[2]; /* pairs of bodies that do not collide */
    mo_model_key *keys;
    mo_model_note *notes;
    int body_count, joint_count, geom_count, actuator_count, equality_count, exclusion_count,
        key_count, note_count, tendon_count, site_count, pair_count, mocap_count, sensor_count;
    int sensor_values; /* number of values of all sensors */
    int q_count, v_count;
    double *q; /* the reference configuration */
    /* 1: a body collides with its parent */
    int parents_touch;

    /* private from here on */
    mo_allocator allocator;
    void *pool;
    size_t room[12];
} mo_model;

MO_API mo_error mo_model_read(const char *path, const mo_allocator *allocator, mo_model *model,
                              mo_message *why);
/* The same; includes and meshes may also be inside `folder` (NULL: as mo_model_read). */
MO_API mo_error mo_model_read_with(const char *path, const char *folder,
                                   const mo_allocator *allocator, mo_model *model, mo_message *why);
MO_API void mo_model_clear(mo_model *model);
/* Writes the model as MJCF for MuJoCo 2.2, without visual geoms.  The file is never half
 * written. */
MO_API mo_error mo_model_write(const char *path, const mo_model *model, mo_message *why);

/* Removes visual geoms, to save memory; returns their number. */
MO_API int mo_model_drop_visuals(mo_model *model);

/* Adds a free joint to a body that the file fixes to the world, such as the base of a URDF robot.
 * Without a mass, the body gets that of its shapes at 1000 kg/m^3, with a note. */
MO_API mo_error mo_model_release(mo_model *model, int body, mo_message *why);

/*
 * Turns motors on hinges and slides into critically damped position servos with the natural
 * frequency `rate` (rad/s), computed with the mass at the reference configuration, within the force
 * limits of the motors.  Controls are then positions.  A URDF robot can hold its pose this way.
 * Returns the number of servos.
 */
MO_API int mo_model_servo(mo_model *model, double rate);

/* The index of a named object, or -1. */
MO_API int mo_model_find_body(const mo_model *model, const char *name);
MO_API int mo_model_find_joint(const mo_model *model, const char *name);
MO_API int mo_model_find_actuator(const mo_model *model, const char *name);
MO_API int mo_model_find_tendon(const mo_model *model, const char *name);
MO_API int mo_model_find_site(const mo_model *model, const char *name);
MO_API int mo_model_find_sensor(const mo_model *model, const char *name);
MO_API int mo_model_find_key(const mo_model *model, const char *name);

#ifdef __cplusplus
}
#endif
#endif
