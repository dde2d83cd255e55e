/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Prepares a shape for collision: checks, copies, masses, bounds. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "collide/collide.h"
#include "collide/hull.h"
#include "collide/mesh.h"
#include "linalg/vec3.h"

/* ---- checks ---------------------------------------------------------------------------------- */

mo_error mo_material_check(const mo_material *m, int is_planar, mo_message *why)
{
    MO_REFUSE_IF(!(m->friction >= 0), why,
                 "the friction of a material is %g, but must not be negative", m->friction);
    MO_REFUSE_IF(!(m->restitution >= 0 && m->restitution <= 1), why,
                 "the restitution of a material is %g, but must be between 0 and 1",
                 m->restitution);
    MO_REFUSE_IF(!(m->rolling >= 0 && m->rolling <= MO_LARGEST) ||
                     !(m->torsion >= 0 && m->torsion <= MO_LARGEST),
                 why, "rolling and torsion of a material must be finite and not negative");
    MO_REFUSE_IF(is_planar && (m->rolling > 0 || m->torsion > 0), why,
                 "rolling and torsional friction are for worlds in space");
    return MO_OK;
}

static mo_error check_density(const mo_shape_def *def, mo_message *why)
{
    MO_REFUSE_IF(!(def->density >= 0) || isinf(def->density), why,
                 "the density of a shape is %g, but must be finite and not negative", def->density);
    return MO_OK;
}

static int is_length(double x)
{
    return x > 0 && x <= MO_LARGEST;
}

static mo_error check_sizes(const mo_shape_def *def, int is_planar, mo_message *why)
{
    const char *name = mo_shape_name(def->kind);
    switch (def->kind) {
    case MO_SHAPE_BALL:
        return is_length(def->radius)
                   ? MO_OK
                   : mo_fail(why, MO_ERR_ARGUMENT,
                             "the radius of a ball is %g, but must be finite and above zero",
                             def->radius);
    case MO_SHAPE_BOX:
        for (int k = 0; k < (is_planar ? 2 : 3); ++k) {
            MO_REFUSE_IF(!is_length(def->half[k]), why,
                         "half edge %d of a box is %g, but must be finite and above zero", k,
                         def->half[k]);
        }
        return MO_OK;
    case MO_SHAPE_CAPSULE:
        return is_length(def->radius) && mo_are_moderate(3, def->ends[0]) &&
                       mo_are_moderate(3, def->ends[1])
                   ? MO_OK
                   : mo_fail(why, MO_ERR_ARGUMENT,
                             "a capsule has finite ends and a radius above zero");
    case MO_SHAPE_CYLINDER:
        MO_REFUSE_IF(is_planar, why, "planar worlds have no cylinders: use a ball or a box");
        return is_length(def->radius) && is_length(def->half[2])
                   ? MO_OK
                   : mo_fail(why, MO_ERR_ARGUMENT,
                             "a cylinder has a radius and a half height above zero");
    case MO_SHAPE_HULL:
    case MO_SHAPE_PLANE:
    case MO_SHAPE_MESH:
        return MO_OK;
    default:
        return mo_fail(why, MO_ERR_ARGUMENT, "%d is not a kind of shape",
                       name ? 0 : (int)def->kind);
    }
}

static mo_error check(const mo_shape_def *def, int is_planar, mo_message *why)
{
    const double *q = def->pose.orientation;
    MO_REFUSE_IF(!mo_pose_is_valid(&def->pose), why,
                 "the pose of a shape must be finite, with a unit quaternion");
    MO_REFUSE_IF(is_planar && (q[1] != 0 || q[2] != 0), why,
                 "a shape of a planar world rotates about z only");
    MO_REFUSE_IF(!mo_are_moderate(1, &def->radius) || !mo_are_moderate(3, def->half) ||
                     !mo_are_moderate(6, def->ends[0]),
                 why, "the sizes of a shape must be finite, also those that its kind does not use");
    const double looks[6] = {def->colour[0], def->colour[1], def->colour[2],
                             def->colour[3], def->metallic,  def->roughness};
    for (int k = 0; k < 6; ++k) {
        MO_REFUSE_IF(!(looks[k] >= 0 && looks[k] <= MO_LARGEST), why,
                     "a colour or finish of a shape is %g, but must be from 0 to 1", looks[k]);
    }
    mo_error error = check_sizes(def, is_planar, why);
    error = error ? error : mo_material_check(&def->material, is_planar, why);
    return error ? error : check_density(def, why);
}

/* ---- construction ---------------------------------------------------------------------------- */

/* Radius about the origin of the shape's frame. */
static double size_of(const mo_collider *c)
{
    const mo_shape_def *def = &c->def;
    double size = 0;
    switch (def->kind) {
    case MO_SHAPE_BALL:
        return def->radius;
    case MO_SHAPE_CAPSULE:
        return fmax(mo_vec3_norm(def->ends[0]), mo_vec3_norm(def->ends[1])) + def->radius;
    case MO_SHAPE_CYLINDER:
        return hypot(def->radius, def->half[2]);
    case MO_SHAPE_PLANE:
        return INFINITY;
    case MO_SHAPE_MESH:
        for (int k = 0; k < def->index_count; ++k)
            size = fmax(size, mo_vec3_norm(def->points + 3 * def->indices[k]));
        return size;
    default:
        for (int k = 0; k < c->hull->vertex_count; ++k)
            size = fmax(size, mo_vec3_norm(c->hull->vertex[k]));
        return size;
    }
}

/* For shapes that are solid on both sides of their centre: the radius of an inscribed ball. */
static double thickness_of(const mo_collider *c)
{
    const mo_shape_def *def = &c->def;
    double least = INFINITY;
    switch (def->kind) {
    case MO_SHAPE_BALL:
    case MO_SHAPE_CAPSULE:
        return def->radius;
    case MO_SHAPE_CYLINDER:
        return fmin(def->radius, def->half[2]);
    default:
        for (int k = 0; c->hull && k < c->hull->face_count; ++k) {
            const double *plane = c->hull->plane[k];
            least = fmin(least, plane[3] - mo_vec3_dot(plane, c->hull->centre));
        }
        return least;
    }
}

mo_error mo_collider_init(const mo_shape_def *def, int is_planar, const mo_allocator *allocator,
                          mo_collider *c, mo_message *why)
{
    MO_TRY(check(def, is_planar, why));
    *c = (mo_collider){.def = *def, .is_planar = is_planar};
    c->def.points = NULL;
    c->def.indices = NULL;
    c->def.point_count = c->def.index_count = 0;
    if (def->kind == MO_SHAPE_BOX)
        c->hull = mo_hull_create_box(allocator, is_planar, def->half, why);
    else if (def->kind == MO_SHAPE_HULL)
        c->hull = mo_hull_create(allocator, is_planar, def->points, def->point_count, why);
    MO_FAIL_IF((def->kind == MO_SHAPE_BOX || def->kind == MO_SHAPE_HULL) && !c->hull,
               MO_ERR_ARGUMENT);
    if (def->kind == MO_SHAPE_MESH) {
        c->mesh = mo_mesh_create(allocator, is_planar, def, why);
        MO_FAIL_IF(!c->mesh, MO_ERR_ARGUMENT);
        c->def.points = c->mesh->point[0];
        c->def.point_count = c->mesh->point_count;
        c->def.indices = c->mesh->index;
        c->def.index_count = c->mesh->sides * c->mesh->face_count;
    }
    if (def->kind == MO_SHAPE_HULL) { /* hulls are represented by their corners from here on */
        c->def.points = c->hull->vertex[0];
        c->def.point_count = c->hull->vertex_count;
    }
    if (is_planar) c->def.ends[0][2] = c->def.ends[1][2] = c->def.pose.position[2] = 0;
    c->size = size_of(c);
    c->thickness = thickness_of(c);
    return MO_OK;
}

void mo_collider_clear(const mo_allocator *allocator, mo_collider *c)
{
    mo_hull_destroy(allocator, c->hull);
    mo_mesh_destroy(allocator, c->mesh);
    *c = (mo_collider){0};
}

/* ---- masses ---------------------------------------------------------------------------------- */

static const double PI = 3.14159265358979323846;

static void ball_mass(double radius, int is_planar, double *volume, double inertia[6])
{
    *volume = is_planar ? PI * radius * radius : 4.0 / 3 * PI * radius * radius * radius;
    const double I = (is_planar ? 0.5 : 0.4) * *volume * radius * radius;
    inertia[0] = inertia[1] = inertia[2] = I;
}

void mo_rod_mass(double radius, double l, int is_round, int is_planar, double *volume,
                 double inertia[6])
{
    const double r2 = radius * radius;
    if (is_planar) {
        const double strip = 2 * radius * l, disk = PI * r2, offset = 4 * radius / (3 * PI);
        *volume = strip + disk;
        /* a half disk about its own centre of mass, then about the middle */
        const double own = disk * (r2 / 2 - offset * offset), arm = l / 2 + offset;
        inertia[2] = strip * (l * l + 4 * r2) / 12 + own + disk * arm * arm;
        inertia[0] = inertia[1] = inertia[2];
        return;
    }
    const double rod = PI * r2 * l, ball = is_round ? 4.0 / 3 * PI * r2 * radius : 0;
    *volume = rod + ball;
    inertia[2] = rod * r2 / 2 + ball * 0.4 * r2;
    const double offset = 3.0 / 8 * radius, arm = l / 2 + offset;
    inertia[0] = inertia[1] =
        rod * (r2 / 4 + l * l / 12) + ball * (0.4 * r2 - offset * offset) + ball * arm * arm;
}

static void capsule_mass(const mo_collider *c, double *volume, double centre[3], double inertia[6])
{
    double along[3], Q[9];
    mo_vec3_minus(c->def.ends[1], c->def.ends[0], along);
    const double length = mo_vec3_norm(along);
    mo_rod_mass(c->def.radius, length, 1, c->is_planar, volume, inertia);
    for (int k = 0; k < 3; ++k)
        centre[k] = 0.5 * (c->def.ends[0][k] + c->def.ends[1][k]);
    if (length > 0 && !c->is_planar) { /* columns t, o, axis */
        double t[3], o[3];
        mo_vec3_scale(1 / length, along, along);
        mo_vec3_tangents(along, t, o);
        for (int k = 0; k < 3; ++k)
            mo_vec3_set(Q + 3 * k, t[k], o[k], along[k]);
        mo_inertia_turn(Q, inertia);
    }
}

void mo_collider_mass(const mo_collider *c, double *volume, double centre[3], double inertia[6])
{
    *volume = 0;
    memset(centre, 0, 3 * sizeof *centre);
    memset(inertia, 0, 6 * sizeof *inertia);
    if (c->def.kind == MO_SHAPE_BALL)
        ball_mass(c->def.radius, c->is_planar, volume, inertia);
    else if (c->def.kind == MO_SHAPE_CAPSULE)
        capsule_mass(c, volume, centre, inertia);
    else if (c->def.kind == MO_SHAPE_CYLINDER)
        mo_rod_mass(c->def.radius, 2 * c->def.half[2], 0, 0, volume, inertia);
    else if (c->hull)
        mo_hull_mass(c->hull, volume, centre, inertia);
    double Q[9];
    mo_quat_matrix(c->def.pose.orientation, Q);
    mo_inertia_turn(Q, inertia);
    mo_pose_point(&c->def.pose, centre, centre);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The bounding box of a rotated box: half edges |Q| half. */
static mo_bounds turned_box(const mo_bounds *box, const mo_pose *pose)
{
    double Q[9], middle[3], half[3], x[3];
    mo_bounds bounds;
    mo_quat_matrix(pose->orientation, Q);
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * (box->low[k] + box->high[k]);
        half[k] = 0.5 * (box->high[k] - box->low[k]);
    }
    mo_mat3_apply(Q, middle, x);
    for (int k = 0; k < 3; ++k) {
        const double *row = Q + 3 * k, at = pose->position[k] + x[k];
        const double reach =
            fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
        bounds.low[k] = at - reach;
        bounds.high[k] = at + reach;
    }
    return bounds;
}

mo_bounds mo_collider_bounds(const mo_collider *c, const mo_pose *body)
{
    const mo_pose pose = mo_pose_compose(body, &c->def.pose);
    return mo_collider_bounds_at(c, &pose);
}

mo_bounds mo_collider_bounds_at(const mo_collider *c, const mo_pose *pose)
{
    mo_bounds bounds = mo_bounds_empty();
    double x[3];
    switch (c->def.kind) {
    case MO_SHAPE_BALL:
        mo_bounds_add(&bounds, pose->position, c->size);
        break;
    case MO_SHAPE_CYLINDER: /* half the height of the axis, and of a disk across it */
        mo_pose_vector(pose, (const double[3]){0, 0, 1}, x);
        for (int k = 0; k < 3; ++k) {
            const double reach =
                c->def.half[2] * fabs(x[k]) + c->def.radius * sqrt(fmax(0, 1 - x[k] * x[k]));
            bounds.low[k] = pose->position[k] - reach;
            bounds.high[k] = pose->position[k] + reach;
        }
        break;
    case MO_SHAPE_CAPSULE:
        for (int k = 0; k < 2; ++k) {
            mo_pose_point(pose, c->def.ends[k], x);
            mo_bounds_add(&bounds, x, c->def.radius);
        }
        break;
    case MO_SHAPE_BOX:
    case MO_SHAPE_HULL:
        return turned_box(&c->hull->bounds, pose);
    case MO_SHAPE_MESH:
        return turned_box(&c->mesh->bounds, pose);
    default:
        mo_bounds_add(&bounds, pose->position, INFINITY);
    }
    return bounds;
}
