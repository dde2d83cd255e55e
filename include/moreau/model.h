/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What a robot's file says: bodies in a tree, joints, shapes, actuators, loop closures, keyframes.
 *
 * MJCF (root <mujoco>, as MuJoCo 2.2 documents it) and URDF (root <robot>) are read into one form,
 * in which defaults are resolved, includes are put in, angles are in radians, inertias are found,
 * and quaternions are (w, x, y, z).  A model knows no world; mechanism.h and world.h do the moving.
 * docs/models.md says what is read, what is not, and what differs from MuJoCo.
 *
 * Files are untrusted: whatever is in them, the answer is a model or a sentence with the line.
 * What is not understood is listed once, in `notes`.  Files that a model names (includes, meshes)
 * must lie in its folder, or in the nearest folder above that has a package.xml (a ROS package), or
 * below.
 *
 * Coordinates are those of MuJoCo, joint after joint in the order of the bodies:
 *
 *   joint    numbers in q                          in v
 *   free    position, quaternion (7)    velocity of the origin in world axes, spin in body axes (6)
 *   ball     quaternion (4)                        spin in body axes (3)
 *   slide    displacement, m (1)                   speed (1)
 *   hinge    angle, rad (1)                        speed (1)
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

MO_API const char *mo_model_joint_word(mo_model_joint_kind kind); /* "hinge", ...; NULL: no kind */
MO_API int mo_model_joint_q(mo_model_joint_kind kind);            /* numbers in q: 7, 4, 1, 1 */
/* in v: 6, 3, 1, 1 */
MO_API int mo_model_joint_v(mo_model_joint_kind kind);

/* Body 0 is the world.  A parent comes before its children. */
typedef struct mo_model_body {
    const char *name; /* "" where it has none; so for all names here */
    /* -1: of the world */
    int parent;
    /* in the parent, at the reference configuration */
    mo_pose pose;
    /* kg */
    double mass;
    /* of mass, in the body's frame */
    double centre[3];
    /* xx yy zz xy xz yz about that centre, body axes */
    double inertia[6];
    /* none: fixed to the parent */
    int first_joint, joint_count;
    /* the part of its weight that is compensated from outside (gravcomp of MJCF) */
    double gravity_compensation;
    /* stands where the user puts it, and nothing moves it */
    int is_mocap;
    /* in the file; 0: made by the reader */
    int line;
} mo_model_body;

/* A place on a body, with a volume: ball, box, capsule, cylinder, or hull for an ellipsoid. */
typedef struct mo_model_site {
    const char *name;
    int body;
    mo_pose pose; /* in the body */
    mo_shape_kind kind;
    double size[3]; /* as MJCF has them: radius, half length; half edges; half axes */
    int line;
} mo_model_site;

/* Several joints of one body act one after the other, the first nearest to the parent. */
typedef struct mo_model_joint {
    const char *name;
    mo_model_joint_kind kind;
    int body;
    /* its places in q and v */
    int first_q, first_v;
    /* in the body's frame */
    double anchor[3];
    /* unit, in the body's frame */
    double axis[3];
    /* q at the reference configuration */
    double ref;
    int has_limits;
    double range[2];
    /* of a spring, and the q where it is at rest */
    double stiffness, spring_ref;
    double damping, armature;
    /* N m or N */
    double dry_friction;
    /* of what actuators do to it; each of them has it in its own range */
    int has_effort_range;
    double effort_range[2];
    int line;
} mo_model_joint;

typedef struct mo_model_geom {
    const char *name;
    int body;
    /* pose in the body, density, material, and colour; arrays are the model's own.  A mesh collides
     * as its hull; one that collides with nothing is the mesh itself, to be drawn */
    mo_shape_def shape;
    /* as used in the body's mass; 0 where that is given otherwise */
    double mass;
    /* half axes, where the file has an ellipsoid and the shape is a hull */
    double ellipsoid[3];
    /* collides with nothing */
    int is_visual;
    int line;
} mo_model_geom;

/* Two geoms that touch each other whatever else is said, with a surface of their own. */
typedef struct mo_model_pair {
    int a, b; /* geoms */
    mo_material material;
    int line;
} mo_model_pair;

typedef enum mo_model_equality_kind {
    /* the anchor of body a stays on the same point of body b */
    MO_MODEL_CONNECT,
    /* body b keeps its pose in body a */
    MO_MODEL_WELD,
    /* q of joint a follows the polynomial of joint b, both from their ref */
    MO_MODEL_COUPLE,
    /* the same of the lengths of two tendons */
    MO_MODEL_TENDONS
} mo_model_equality_kind;

typedef struct mo_model_equality {
    const char *name;
    mo_model_equality_kind kind;
    /* bodies; joints or tendons for the last two, where b may be -1: a constant */
    int a, b;
    /* connect: in a's frame */
    double anchor[3];
    /* weld: otherwise that of the reference configuration */
    int has_pose;
    /* weld: of b in a */
    mo_pose pose;
    double polynomial[5];
    int line;
} mo_model_equality;

/* What they measure is in sensor.h. */
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
    MO_SENSOR_CLOCK,
    MO_SENSOR_IGNORED /* noted; keeps its place and reads zero */
} mo_model_sensor_kind;

MO_API const char *mo_model_sensor_word(mo_model_sensor_kind kind); /* "jointpos", ... */

typedef struct mo_model_sensor {
    const char *name;
    mo_model_sensor_kind kind;
    /* joint, tendon, actuator or site, by its kind */
    int object;
    /* of sites and frames: the body, and the frame in it */
    int body;
    mo_pose pose;
    /* its place in the values, and how many it has */
    int first, count;
    /* values stay within it; 0: none */
    double cutoff;
    int line;
} mo_model_sensor;

typedef struct mo_model_key {
    const char *name;
    double time;
    /* q_count, v_count, actuator_count */
    double *q, *v, *control;
    /* mocap_count, in the order of the bodies */
    mo_pose *mocap;
    int line;
} mo_model_key;

/* Something that was not read, or read in another sense, each kind once. */
typedef struct mo_model_note {
    /* where it came first */
    int line;
    /* how often */
    int count;
    const char *file; /* "" in the first file, otherwise as it was included */
    const char *text; /* a sentence that names the line */
} mo_model_note;

/* Start from {0}. */
typedef struct mo_model {
    const char *name;
    const char *format; /* "MJCF", "URDF" or "SDF" */
    double step;        /* s; 0: the file does not say */
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
    int (*exclusions)[2]; /* bodies that do not touch each other */
    mo_model_key *keys;
    mo_model_note *notes;
    int body_count, joint_count, geom_count, actuator_count, equality_count, exclusion_count,
        key_count, note_count, tendon_count, site_count, pair_count, mocap_count, sensor_count;
    int sensor_values; /* numbers of all sensors */
    int q_count, v_count;
    double *q; /* the reference configuration */
    /* 1: a body and its parent may touch each other, which they do not otherwise */
    int parents_touch;

    /* of everything in it, set by the reader; the library's own from here on */
    mo_allocator allocator;
    void *pool;
    size_t room[12];
} mo_model;

MO_API mo_error mo_model_read(const char *path, const mo_allocator *allocator, mo_model *model,
                              mo_message *why);
/* The same; files that the model names may also lie in `folder`, or below (NULL: as mo_model_read).
 */
MO_API mo_error mo_model_read_with(const char *path, const char *folder,
                                   const mo_allocator *allocator, mo_model *model, mo_message *why);
MO_API void mo_model_clear(mo_model *model);
/* Writes MJCF that MuJoCo 2.2 reads, with everything resolved and without what is only drawn; the
 * file is whole or untouched. */
MO_API mo_error mo_model_write(const char *path, const mo_model *model, mo_message *why);

/* Takes out what is only drawn (geoms with is_visual), so that worlds are smaller; returns how many
 * there were. */
MO_API int mo_model_drop_visuals(mo_model *model);

/* Gives a free joint to a body that the file fixes to the world, as URDF does with the base of
 * every robot. */
MO_API mo_error mo_model_release(mo_model *model, int body, mo_message *why);

/*
 * Motors on hinges and slides become servos in position, so that a robot whose file has motors only
 * (every URDF) can hold itself: each brings the mass that it feels at the reference configuration
 * back at `rate` (rad/s), critically damped, within the motor's own limits of force.  Controls are
 * then positions.  Returns how many there are.
 */
MO_API int mo_model_servo(mo_model *model, double rate);

/* By name; -1 where there is none. */
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
