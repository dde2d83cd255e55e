/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Materials and definitions of shapes. */
#include <math.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "moreau/shape.h"

mo_material mo_default_material(void)
{
    return (mo_material){.friction = 0.5};
}

MO_NAMES(mo_combine_name, mo_combine_rule, "unknown", "world", "geometric", "mean", "product",
         "minimum", "maximum")

/* avoids 0 times infinity: the product is 0 if one factor is */
static double product_of(double a, double b)
{
    return a > 0 && b > 0 ? a * b : 0;
}

static double combine(mo_combine_rule rule, double a, double b)
{
    switch (rule) {
    case MO_COMBINE_MEAN:
        return 0.5 * (a + b);
    case MO_COMBINE_PRODUCT:
        return product_of(a, b);
    case MO_COMBINE_MINIMUM:
        return fmin(a, b);
    case MO_COMBINE_MAXIMUM:
        return fmax(a, b);
    default:
        return a == b ? a : sqrt(product_of(a, b));
    }
}

static int are_alike(const mo_material *a, const mo_material *b)
{
    return a->friction == b->friction && a->restitution == b->restitution &&
           a->rolling == b->rolling && a->torsion == b->torsion && a->rule == b->rule &&
           a->dims == 0 && b->dims == 0 && a->priority == b->priority;
}

mo_material mo_material_combine(const mo_material *a, const mo_material *b)
{
    return mo_material_combine_by(a, b, MO_COMBINE_WORLD, MO_COMBINE_WORLD);
}

/* Is x, combined with itself, x again? */
static int keeps_equals(mo_combine_rule rule)
{
    return rule != MO_COMBINE_PRODUCT;
}

mo_material mo_material_combine_by(const mo_material *a, const mo_material *b,
                                   mo_combine_rule friction, mo_combine_rule restitution)
{
    MO_NEED_OR((mo_material){0}, a && b, NULL);
    const mo_combine_rule own = a->rule > b->rule ? a->rule : b->rule;
    const mo_combine_rule rule = own ? own : friction;
    if (are_alike(a, b) && keeps_equals(rule) && keeps_equals(restitution)) /* as in a heap */
        return *a;
    const double bounce =
        combine(restitution ? restitution : MO_COMBINE_MAXIMUM, a->restitution, b->restitution);
    if (a->priority != b->priority) a = b = a->priority > b->priority ? a : b;
    mo_material both = {.friction = combine(rule, a->friction, b->friction),
                        .restitution = bounce,
                        .rolling = fmax(a->rolling, b->rolling),
                        .torsion = fmax(a->torsion, b->torsion),
                        .rule = own,
                        .dims = a->dims > b->dims ? a->dims : b->dims,
                        .priority = a->priority};
    if (both.dims == 1) both.friction = 0;
    if (both.dims > 0 && both.dims < 4) both.torsion = 0;
    if (both.dims > 0 && both.dims < 6) both.rolling = 0;
    return both;
}

MO_NAMES(mo_shape_name, mo_shape_kind, NULL, "ball", "box", "capsule", "cylinder", "hull", "plane",
         "mesh")

mo_shape_def mo_default_shape(mo_shape_kind kind)
{
    return (mo_shape_def){.kind = kind,
                          .pose = mo_pose_identity(),
                          .material = mo_default_material(),
                          .density = 1000,
                          .layer = 1,
                          .mask = ~0u};
}

mo_shape_def mo_shape_ball(double radius)
{
    mo_shape_def def = mo_default_shape(MO_SHAPE_BALL);
    def.radius = radius;
    return def;
}

mo_shape_def mo_shape_box(double half_x, double half_y, double half_z)
{
    mo_shape_def def = mo_default_shape(MO_SHAPE_BOX);
    mo_vec3_set(def.half, half_x, half_y, half_z);
    return def;
}

mo_shape_def mo_shape_capsule(const double a[3], const double b[3], double radius)
{
    MO_NEED_OR((mo_shape_def){0}, a && b, NULL);
    mo_shape_def def = mo_default_shape(MO_SHAPE_CAPSULE);
    mo_vec3_copy(a, def.ends[0]);
    mo_vec3_copy(b, def.ends[1]);
    def.radius = radius;
    return def;
}

mo_shape_def mo_shape_cylinder(double radius, double half_height)
{
    mo_shape_def def = mo_default_shape(MO_SHAPE_CYLINDER);
    def.radius = radius;
    def.half[2] = half_height;
    return def;
}

mo_shape_def mo_shape_hull(const double *points, int point_count)
{
    mo_shape_def def = mo_default_shape(MO_SHAPE_HULL);
    def.points = points;
    def.point_count = point_count;
    return def;
}

mo_shape_def mo_shape_plane(void)
{
    return mo_default_shape(MO_SHAPE_PLANE);
}

mo_shape_def mo_shape_mesh(const double *points, int point_count, const int *indices,
                           int index_count)
{
    mo_shape_def def = mo_default_shape(MO_SHAPE_MESH);
    def.points = points;
    def.point_count = point_count;
    def.indices = indices;
    def.index_count = index_count;
    return def;
}
