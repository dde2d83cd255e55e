/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Poses, materials and shapes of the simulator.
 *
 * In a planar world a shape represents its section with the plane z = 0 of its body: a ball is a
 * disc, a box a rectangle, a hull a convex polygon, a plane a half-plane, a mesh a chain of
 * segments.  Densities are per area, and z is ignored.
 */
#ifndef MOREAU_SHAPE_H
#define MOREAU_SHAPE_H

#include "moreau/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Position and orientation of a frame: x_world = rotate(orientation, x_local) + position. */
typedef struct mo_pose {
    /* m */
    double position[3];
    /* unit quaternion (w, x, y, z) with Hamilton's product */
    double orientation[4];
} mo_pose;

MO_API mo_pose mo_pose_identity(void);
MO_API mo_pose mo_pose_at(double x, double y, double z);
/* A pose at a point, rotated by `angle` (rad) about an axis of any length. */
MO_API mo_pose mo_pose_turned(double x, double y, double z, const double axis[3], double angle);
MO_API mo_pose mo_pose_planar(double x, double y, double angle);

/* The pose `inner`, given in the frame `outer`, expressed in the parent frame of `outer`. */
MO_API mo_pose mo_pose_compose(const mo_pose *outer, const mo_pose *inner);
MO_API void mo_pose_point(const mo_pose *pose, const double local[3], double world[3]);
MO_API void mo_pose_vector(const mo_pose *pose, const double local[3], double world[3]);
MO_API void mo_pose_point_back(const mo_pose *pose, const double world[3], double local[3]);
MO_API void mo_pose_vector_back(const mo_pose *pose, const double world[3], double local[3]);
/* The angle of a planar pose, rad, in (-pi, pi]. */
MO_API double mo_pose_angle(const mo_pose *pose);

/*
 * Rules that combine a property x of two surfaces a and b.  Friction and restitution follow the
 * rules of the world (mo_world_def: friction_rule, restitution_rule), unless a material has its own
 * rule, as those of MJCF do (the maximum).  If both materials have one, the rule further down this
 * list applies.  Rolling and torsional friction are the larger of the two values.
 */
typedef enum mo_combine_rule {
    /* the rule of the world */
    MO_COMBINE_WORLD,
    /* sqrt(x_a x_b); 0 on one side gives 0 */
    MO_COMBINE_GEOMETRIC,
    /* (x_a + x_b) / 2 */
    MO_COMBINE_MEAN,
    /* x_a x_b; 0 on one side gives 0 */
    MO_COMBINE_PRODUCT,
    MO_COMBINE_MINIMUM,
    MO_COMBINE_MAXIMUM,
    MO_COMBINE_COUNT
} mo_combine_rule;

/* "geometric", "mean", "product", "minimum", "maximum"; "world" for 0. */
MO_API const char *mo_combine_name(mo_combine_rule rule);

typedef struct mo_material {
    /* mu, 0 to infinity */
    double friction;
    /* e of Newton's law, 0 to 1 */
    double restitution;
    /* rolling moment over normal force, m */
    double rolling;
    /* torsional moment over normal force, m */
    double torsion;
    /* rule for friction */
    mo_combine_rule rule;
    /* as condim of MJCF: 1: no friction, 3: no torsion or rolling, 4: no rolling, 6: all; a pair
     * uses the larger value; 0: all that are not zero.  Rolling friction excludes torsion. */
    int dims;
    /* of two materials the one with the higher priority determines friction, rolling, torsion and
     * dims */
    int priority;
} mo_material;

/* Friction 0.5, all other members zero. */
MO_API mo_material mo_default_material(void);
/* Combines two materials by the default rules of a world. */
MO_API mo_material mo_material_combine(const mo_material *a, const mo_material *b);
/* Combines two materials by the given rules; MO_COMBINE_WORLD: geometric mean for friction, maximum
 * for restitution. */
MO_API mo_material mo_material_combine_by(const mo_material *a, const mo_material *b,
                                          mo_combine_rule friction, mo_combine_rule restitution);

typedef enum mo_shape_kind {
    /* radius */
    MO_SHAPE_BALL,
    /* half[3]: half extents */
    MO_SHAPE_BOX,
    /* all points within radius of the segment from ends[0] to ends[1] */
    MO_SHAPE_CAPSULE,
    /* radius, half[2]: half height along local z; not in two dimensions */
    MO_SHAPE_CYLINDER,
    /* convex hull of the points */
    MO_SHAPE_HULL,
    /* the half-space z <= 0 (y <= 0 in two dimensions); on static or kinematic bodies */
    MO_SHAPE_PLANE,
    /* triangles (in two dimensions a chain of segments) on static or kinematic bodies; on any body
     * if layer and mask are 0: such a shape is visual and does not collide */
    MO_SHAPE_MESH,
    MO_SHAPE_KIND_COUNT
} mo_shape_kind;

/* "ball", or NULL for an invalid kind */
MO_API const char *mo_shape_name(mo_shape_kind kind);

/* The definition of a shape.  Its arrays are copied when the shape is added. */
typedef struct mo_shape_def {
    mo_shape_kind kind;
    /* pose in the body frame */
    mo_pose pose;
    /* m */
    double radius;
    double half[3];    /* m: half edges of a box; half[2]: half height of a cylinder */
    double ends[2][3]; /* m: of the axis of a capsule */
    /* hull, mesh: 3 coordinates per point, also in two dimensions */
    const double *points;
    int point_count;
    /* mesh: 3 points per triangle, counterclockwise seen from outside; in two dimensions 2 points
     * per segment, with the solid on its right */
    const int *indices;
    int index_count;
    mo_material material;
    /* kg/m^3 (kg/m^2 in two dimensions); used if the mass of the body is not given */
    double density;
    /* shapes a and b collide if (a.layer & b.mask) and (b.layer & a.mask) */
    unsigned layer;
    unsigned mask;
    /* 1 on either shape: one of these two conditions is sufficient */
    int either_mask;
    /* for drawing: red, green, blue and opacity from 0 to 1; all zero: not given */
    double colour[4];
    /* for drawing: metallic and roughness from 0 to 1; both zero: not given */
    double metallic, roughness;
    /* not used by the library */
    void *user_data;
} mo_shape_def;

/* Identity pose, default material, density 1000, layer 1, all bits of the mask. */
MO_API mo_shape_def mo_default_shape(mo_shape_kind kind);
MO_API mo_shape_def mo_shape_ball(double radius);
MO_API mo_shape_def mo_shape_box(double half_x, double half_y, double half_z);
MO_API mo_shape_def mo_shape_capsule(const double a[3], const double b[3], double radius);
MO_API mo_shape_def mo_shape_cylinder(double radius, double half_height);
MO_API mo_shape_def mo_shape_hull(const double *points, int point_count);
MO_API mo_shape_def mo_shape_plane(void);
MO_API mo_shape_def mo_shape_mesh(const double *points, int point_count, const int *indices,
                                  int index_count);
/* The half-space normal . x <= offset (m) in the body frame, and the half-plane in two dimensions.
 * The normal may have any length. */
MO_API mo_shape_def mo_shape_half_space(const double normal[3], double offset);
MO_API mo_shape_def mo_shape_half_plane(const double normal[2], double offset);

/*
 * Computes the points and indices of a height field for mo_shape_mesh: z = heights[row * columns +
 * column] (m) at x = column * spacing, y = row * spacing (m), solid below, two triangles per cell.
 * Writes 3 * rows * columns numbers to points and 6 * (rows - 1) * (columns - 1) to indices.
 */
MO_API void mo_height_field_mesh(int rows, int columns, double spacing, const double *heights,
                                 double *points, int *indices);

/*
 * Computes the faces of the convex hull of points, 3 coordinates each, and passes each face to
 * `take` as indices of points, counterclockwise seen from outside; in two dimensions the polygon is
 * the only face.  Fails if mo_world_add_shape would refuse the hull.
 */
typedef void mo_face_fn(void *user, int count, const int *corners);
MO_API mo_error mo_hull_faces(const double *points, int point_count, int dimension,
                              mo_face_fn *take, void *user, mo_message *why);

#ifdef __cplusplus
}
#endif
#endif
