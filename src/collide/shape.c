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

static double combined_friction(const mo_material *a, const mo_material *b)
{
    if (a->rule == MO_FRICTION_LARGER || b->rule == MO_FRICTION_LARGER) {
        return fmax(a->friction, b->friction);
    }
    /* 0 times infinity is no number: without friction on one side there is none. */
    const double product = a->friction > 0 && b->friction > 0 ? a->friction * b->friction : 0;
    return a->friction == b->friction ? a->friction : sqrt(product);
}

static int are_alike(const mo_material *a, const mo_material *b)
{
    return a->friction == b->friction && a->restitution == b->restitution &&
           a->rolling == b->rolling && a->torsion == b->torsion && a->rule == b->rule &&
           a->dims == 0 && b->dims == 0 && a->priority == b->priority;
}

mo_material mo_material_combine(const mo_material *a, const mo_material *b)
{
    MO_NEED_OR((mo_material){0}, a && b, NULL);
    if (are_alike(a, b)) { /* as most are in a heap */
        return *a;
    }
    const double restitution = fmax(a->restitution, b->restitution);
    if (a->priority != b->priority) {
        a = b = a->priority > b->priority ? a : b;
    }
    mo_material both = {.friction = combined_friction(a, b),
                        .restitution = restitution,
                        .rolling = fmax(a->rolling, b->rolling),
                        .torsion = fmax(a->torsion, b->torsion),
                        .rule = a->rule > b->rule ? a->rule : b->rule,
                        .dims = a->dims > b->dims ? a->dims : b->dims,
                        .priority = a->priority};
    if (both.dims == 1) {
        both.friction = 0;
    }
    if (both.dims > 0 && both.dims < 4) {
        both.torsion = 0;
    }
    if (both.dims > 0 && both.dims < 6) {
        both.rolling = 0;
    }
    return both;
}

const char *mo_shape_name(mo_shape_kind kind)
{
    static const char *const NAMES[MO_SHAPE_KIND_COUNT] = {"ball", "box",   "capsule", "cylinder",
                                                           "hull", "plane", "mesh"};
    return kind >= 0 && kind < MO_SHAPE_KIND_COUNT ? NAMES[kind] : NULL;
}

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
