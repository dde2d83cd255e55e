/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Poses, materials and shapes of the simulator.
 *
 * A world is planar or spatial.  In a planar world every shape means its cut with the plane z = 0
 * of its body: a ball is a disk, a box a rectangle, a hull a convex polygon, a plane a half-plane,
 * a mesh a chain of segments; densities are per area, and z is ignored throughout.
 */
#ifndef MOREAU_SHAPE_H
#define MOREAU_SHAPE_H

#include "moreau/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a frame is: x_world = rotate(orientation, x_local) + position. */
typedef struct mo_pose {
    /* m */
    double position[3];
    double orientation[4]; /* unit quaternion (w, x, y, z), Hamilton's product */
} mo_pose;

MO_API mo_pose mo_pose_identity(void);
MO_API mo_pose mo_pose_at(double x, double y, double z);
/* At a point, turned by `angle` (rad) about an axis of any length; in the plane about +z. */
MO_API mo_pose mo_pose_turned(double x, double y, double z, const double axis[3], double angle);
MO_API mo_pose mo_pose_planar(double x, double y, double angle);

/* pose of `inner`, given in the frame `outer`, in the frame that `outer` is given in. */
MO_API mo_pose mo_pose_compose(const mo_pose *outer, const mo_pose *inner);
MO_API void mo_pose_point(const mo_pose *pose, const double local[3], double world[3]);
MO_API void mo_pose_vector(const mo_pose *pose, const double local[3], double world[3]);
MO_API void mo_pose_point_back(const mo_pose *pose, const double world[3], double local[3]);
MO_API void mo_pose_vector_back(const mo_pose *pose, const double world[3], double local[3]);
MO_API double mo_pose_angle(const mo_pose *pose); /* of a planar pose, in (-pi, pi] */

/*
 * What a surface is like.  Two surfaces in contact have
 *
 *     friction      the geometric mean  sqrt(mu_a mu_b)   (0 on one side gives 0)
 *     restitution   the larger
 *     rolling       the larger
 *     torsion       the larger
 *
 * unless they say otherwise below, as surfaces of MJCF do.
 */
typedef enum mo_friction_rule {
    MO_FRICTION_MEAN,
    MO_FRICTION_LARGER /* on one side or both: the larger of the two */
} mo_friction_rule;

typedef struct mo_material {
    /* mu, 0 to infinity */
    double friction;
    /* e of Newton's law, 0 to 1 */
    double restitution;
    /* length: moment against rolling over normal force, m */
    double rolling;
    /* length: moment against spinning over normal force, m */
    double torsion;
    mo_friction_rule rule;
    /* 1: no friction, 3: no torsion nor rolling, 4: no rolling, 6: all; a pair has the larger. 0:
     * as the numbers say */
    int dims;
    /* of two surfaces the one with the higher priority speaks for both (friction, rolling, torsion,
     * dims) */
    int priority;
} mo_material;

MO_API mo_material mo_default_material(void); /* friction 0.5, else zero */
MO_API mo_material mo_material_combine(const mo_material *a, const mo_material *b);

typedef enum mo_shape_kind {
    /* radius */
    MO_SHAPE_BALL,
    /* half[3]: half edges */
    MO_SHAPE_BOX,
    /* all within radius of the segment from ends[0] to ends[1] */
    MO_SHAPE_CAPSULE,
    /* radius, half[2]: half height along local z; space only */
    MO_SHAPE_CYLINDER,
    /* convex hull of the points */
    MO_SHAPE_HULL,
    /* z <= 0 is solid (y <= 0 in the plane); of fixed or driven bodies */
    MO_SHAPE_PLANE,
    /* triangles (in the plane a chain of segments) of fixed or driven bodies; of any body where
     * layer and mask are 0: such a shape is drawn and touches nothing */
    MO_SHAPE_MESH,
    MO_SHAPE_KIND_COUNT
} mo_shape_kind;

MO_API const char *mo_shape_name(
    mo_shape_kind kind); /* "ball", or NULL for a number that is no kind */

/* A shape to be added to a body.  Arrays are copied when it is. */
typedef struct mo_shape_def {
    mo_shape_kind kind;
    mo_pose pose; /* in the body's frame */
    double radius;
    double half[3];
    double ends[2][3];
    /* hull, mesh: 3 numbers a point, also in the plane */
    const double *points;
    int point_count;
    /* mesh: 3 points a triangle, counterclockwise seen from outside; */
    const int *indices;
    /* in the plane 2 a segment, solid on the right as one walks it */
    int index_count;
    mo_material material;
    double density; /* kg/m^3 (kg/m^2 in the plane), used where the body's mass is not given */
    /* shapes collide where (a.layer & b.mask) and (b.layer & a.mask) */
    unsigned layer;
    unsigned mask;
    /* 1, on one side or both: one of the two is enough */
    int either_mask;
    /* for drawing: red, green, blue and opacity from 0 to 1; all zero: none is given */
    double colour[4];
} mo_shape_def;

/* Everything at rest: pose identity, default material, density 1000, layer 1, mask all. */
MO_API mo_shape_def mo_default_shape(mo_shape_kind kind);
MO_API mo_shape_def mo_shape_ball(double radius);
MO_API mo_shape_def mo_shape_box(double half_x, double half_y, double half_z);
MO_API mo_shape_def mo_shape_capsule(const double a[3], const double b[3], double radius);
MO_API mo_shape_def mo_shape_cylinder(double radius, double half_height);
MO_API mo_shape_def mo_shape_hull(const double *points, int point_count);
MO_API mo_shape_def mo_shape_plane(void);
MO_API mo_shape_def mo_shape_mesh(const double *points, int point_count, const int *indices,
                                  int index_count);

#ifdef __cplusplus
}
#endif
#endif
