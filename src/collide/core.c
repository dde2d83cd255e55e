/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Supports and features of convex cores: see core.h. */
#include "collide/core.h"

#include <math.h>

#include "linalg/vec3.h"

/* ---- placing --------------------------------------------------------------------------------- */

MO_OWN void to_world(const mo_core *core, const double local[3], double world[3])
{
    mo_mat3_apply(core->Q, local, world);
    mo_vec3_along(world, 1, core->at, world);
}

MO_OWN void place_capsule(const mo_shape_def *def, mo_core *core)
{
    core->kind = MO_CORE_SEGMENT;
    core->radius = def->radius;
    for (int k = 0; k < 2; ++k)
        to_world(core, def->ends[k], core->corner[k]);
    for (int k = 0; k < 3; ++k)
        core->centre[k] = 0.5 * (core->corner[0][k] + core->corner[1][k]);
}

MO_EVERYWHERE void mo_core_place(const mo_placed *from, const double origin[3], mo_core *core)
{
    const mo_shape_def *def = &from->collider->def;
    core->hull = from->collider->hull;
    core->radius = 0;
    core->size = from->collider->size;
    core->vertex = -1;
    mo_quat_matrix(from->pose.orientation, core->Q);
    mo_vec3_minus(from->pose.position, origin, core->at);
    mo_vec3_copy(core->at, core->centre);
    switch (def->kind) {
    case MO_SHAPE_BALL:
        core->kind = MO_CORE_POINT;
        core->radius = def->radius;
        break;
    case MO_SHAPE_CAPSULE:
        place_capsule(def, core);
        break;
    case MO_SHAPE_CYLINDER:
        core->kind = MO_CORE_CYLINDER;
        mo_vec3_set(core->half, def->radius, def->radius, def->half[2]);
        break;
    case MO_SHAPE_BOX:
        core->kind = MO_CORE_BOX;
        mo_vec3_copy(def->half, core->half);
        break;
    default:
        core->kind = MO_CORE_HULL;
        to_world(core, core->hull->centre, core->centre);
    }
}

MO_EVERYWHERE void mo_core_triangle(double corner[3][3], const double plane[4], mo_core *core)
{
    core->kind = MO_CORE_TRIANGLE;
    core->radius = 0;
    memcpy(core->corner, corner, sizeof core->corner);
    memcpy(core->plane, plane, sizeof core->plane);
    for (int i = 0; i < 3; ++i)
        core->centre[i] = (corner[0][i] + corner[1][i] + corner[2][i]) / 3;
    core->size = 0;
    for (int k = 0; k < 3; ++k) {
        double d[3];
        mo_vec3_minus(corner[k], core->centre, d);
        core->size = fmax(core->size, mo_vec3_norm(d));
    }
}

/* ---- support --------------------------------------------------------------------------------- */

MO_OWN void cylinder_support(const mo_core *c, const double d[3], double x[3])
{
    const double axis[3] = {c->Q[2], c->Q[5], c->Q[8]};
    double across[3];
    const double along = mo_vec3_dot(axis, d);
    mo_vec3_along(d, -along, axis, across);
    /* again, since rounding along the axis is large relative to a short remainder */
    mo_vec3_along(across, -mo_vec3_dot(axis, across), axis, across);
    const double square = mo_vec3_dot(across, across);
    mo_vec3_along(c->at, along < 0 ? -c->half[2] : c->half[2], axis, x);
    if (square > 1e-28 * along * along) mo_vec3_along(x, c->half[0] / sqrt(square), across, x);
}

MO_EVERYWHERE void mo_core_support(mo_core *c, const double d[3], double x[3])
{
    double local[3];
    switch (c->kind) {
    case MO_CORE_POINT:
        mo_vec3_copy(c->at, x);
        return;
    case MO_CORE_SEGMENT:
        c->vertex = mo_vec3_dot(c->corner[1], d) > mo_vec3_dot(c->corner[0], d);
        mo_vec3_copy(c->corner[c->vertex], x);
        return;
    case MO_CORE_TRIANGLE:
        c->vertex = mo_highest(3, c->corner, d);
        mo_vec3_copy(c->corner[c->vertex], x);
        return;
    case MO_CORE_CYLINDER:
        cylinder_support(c, d, x);
        return;
    case MO_CORE_BOX:
        mo_mat3_apply_transposed(c->Q, d, local);
        c->vertex = (local[0] > 0) | (local[1] > 0) << 1 | (local[2] > 0) << 2;
        for (int k = 0; k < 3; ++k)
            local[k] = local[k] > 0 ? c->half[k] : -c->half[k];
        to_world(c, local, x);
        return;
    default:
        mo_mat3_apply_transposed(c->Q, d, local);
        c->vertex = mo_hull_support(c->hull, c->vertex, local);
        to_world(c, c->hull->vertex[c->vertex], x);
    }
}

MO_EVERYWHERE double mo_core_gap(mo_core *a, mo_core *b, const double n[3])
{
    double against[3], on_a[3], on_b[3], apart[3];
    mo_vec3_scale(-1, n, against);
    mo_core_support(a, n, on_a);
    mo_core_support(b, against, on_b);
    mo_vec3_minus(on_b, on_a, apart);
    return mo_vec3_dot(apart, n);
}

/* ---- features -------------------------------------------------------------------------------- */

MO_OWN void add_line(const double from[3], const double to[3], mo_feature *f)
{
    double *along = f->line[f->lines];
    mo_vec3_minus(to, from, along);
    const double length = mo_vec3_norm(along);
    if (length > 0) {
        mo_vec3_scale(1 / length, along, along);
        f->from[f->lines] = 0;
        f->to[f->lines++] = length;
    }
}

/*
 * The entries of a vertex's ring that are to be looked at: all, or where there are many those whose
 * edges lie most across n.
 */
MO_OWN int pick_ring(const mo_hull *hull, int vertex, const double n[3], int picked[MO_CORE_AROUND])
{
    const int first = hull->ring_start[vertex], count = hull->ring_start[vertex + 1] - first;
    if (count <= MO_CORE_AROUND) {
        for (int k = 0; k < count; ++k)
            picked[k] = first + k;
        return count;
    }
    double slope[MO_CORE_AROUND];
    int kept = 0;
    for (int k = first; k < first + count; ++k) {
        const double now = fabs(mo_vec3_dot(hull->ring_edge[k], n));
        int at = kept < MO_CORE_AROUND ? kept++ : kept;
        for (; at > 0 && slope[at - 1] > now; --at) {
            if (at < MO_CORE_AROUND) {
                slope[at] = slope[at - 1];
                picked[at] = picked[at - 1];
            }
        }
        if (at < MO_CORE_AROUND) {
            slope[at] = now;
            picked[at] = k;
        }
    }
    return kept;
}

MO_OWN void hull_feature(const mo_core *c, const double n[3], mo_feature *f)
{
    const mo_hull *hull = c->hull;
    double local[3];
    int picked[MO_CORE_AROUND];
    mo_mat3_apply_transposed(c->Q, n, local);
    f->normals = f->lines = pick_ring(hull, c->vertex, local, picked);
    f->is_whole = f->lines == hull->ring_start[c->vertex + 1] - hull->ring_start[c->vertex];
    for (int k = 0; k < f->lines; ++k) {
        const double *edge = hull->ring_edge[picked[k]];
        mo_mat3_apply(c->Q, hull->plane[hull->ring_face[picked[k]]], f->normal[k]);
        mo_mat3_apply(c->Q, edge, f->line[k]);
        f->from[k] = 0;
        f->to[k] = edge[3];
        f->sides[k] = 1u << k | 1u << (k > 0 ? k - 1 : f->lines - 1);
    }
    f->has_sides = f->is_whole;
}

MO_OWN void cylinder_feature(const mo_core *c, const double n[3], mo_feature *f)
{
    mo_vec3_set(f->axis, c->Q[2], c->Q[5], c->Q[8]);
    const double side = mo_vec3_dot(f->axis, n) < 0 ? -1 : 1;
    f->normals = f->lines = f->has_rim = 1;
    f->is_vertex = f->is_whole = 0;
    mo_vec3_scale(side, f->axis, f->normal[0]);
    mo_vec3_copy(f->axis, f->line[0]);
    f->from[0] = -c->half[2];
    f->to[0] = c->half[2];
    mo_vec3_copy(c->at, f->on_line);
    mo_vec3_along(c->at, side * c->half[2], f->axis, f->rim);
    f->rim_radius = c->half[0];
}

MO_EVERYWHERE void mo_core_feature(mo_core *c, const double n[3], mo_feature *f)
{
    f->normals = f->lines = f->has_rim = f->has_sides = 0;
    f->is_vertex = f->is_whole = 1;
    mo_core_support(c, n, f->point);
    mo_vec3_copy(f->point, f->on_line);
    if (c->kind == MO_CORE_BOX) { /* columns of Q, with the signs of the vertex */
        for (int k = 0; k < 3; ++k) {
            const double sign = c->vertex >> k & 1 ? 1 : -1;
            mo_vec3_set(f->normal[k], sign * c->Q[k], sign * c->Q[3 + k], sign * c->Q[6 + k]);
            mo_vec3_scale(-1, f->normal[k], f->line[k]);
            f->from[k] = 0;
            f->to[k] = 2 * c->half[k];
            f->sides[k] = 7u & ~(1u << k);
        }
        f->has_sides = 1;
        f->normals = f->lines = 3;
    } else if (c->kind == MO_CORE_HULL) {
        hull_feature(c, n, f);
    } else if (c->kind == MO_CORE_SEGMENT) {
        add_line(f->point, c->corner[!c->vertex], f);
    } else if (c->kind == MO_CORE_TRIANGLE) {
        mo_vec3_copy(c->plane, f->normal[f->normals++]);
        for (int k = 1; k < 3; ++k)
            add_line(f->point, c->corner[(c->vertex + k) % 3], f);
    } else if (c->kind == MO_CORE_CYLINDER) {
        cylinder_feature(c, n, f);
    }
}
