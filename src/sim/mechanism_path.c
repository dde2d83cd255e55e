/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Spatial tendons.  A path consists of straight segments from a to b with unit vectors u, and of
 * arcs on obstacles (mechanism/wrap.h):
 *
 *     l = sum (|b - a| + arc) / divisor,      dl/dq = sum (J_b' u - J_a' u) / divisor.
 *
 * Arcs do not contribute to dl/dq, since l is stationary in their ends.  Joints that move both ends
 * of a segment do not contribute either and are skipped, so their arms are exactly zero.
 */
#include <string.h>

#include "base/error.h"
#include "mechanism/wrap.h"
#include "sim/mechanism.h"

/* A point of the path now. */
typedef struct path_end {
    int link;
    double x[3];
} path_end;

static mo_pose pose_of(const mo_linkage *tree, int link)
{
    return link < 0 ? mo_pose_identity() : tree->pose[link];
}

static path_end end_of(const mo_linkage *tree, const mo_tendon_point *point)
{
    path_end end = {.link = point->link};
    const mo_pose pose = pose_of(tree, point->link);
    mo_pose_point(&pose, point->pose.position, end.x);
    return end;
}

static int last_dof(const mo_linkage *tree, int link)
{
    return link < 0 ? MO_NO_LINK : tree->link[link].last_dof;
}

/* The length of a straight part; its arms are added. */
static double add_part(const mo_linkage *tree, const path_end *a, const path_end *b, double factor,
                       double *arm)
{
    double force[6], to[3];
    mo_vec3_minus(b->x, a->x, force);
    const double length = mo_vec3_norm(force);
    if (!(length > 0)) return 0;
    mo_vec3_scale(1 / length, force, force);
    mo_vec3_minus(a->x, tree->point, to);
    mo_vec3_cross(to, force, force + 3);
    for (int i = last_dof(tree, a->link), j = last_dof(tree, b->link); i != j;) {
        if (i > j) {
            arm[i] -= factor * mo_spatial_dot(tree->dof[i].S, force);
            i = tree->dof[i].parent;
        } else {
            arm[j] += factor * mo_spatial_dot(tree->dof[j].S, force);
            j = tree->dof[j].parent;
        }
    }
    return factor * length;
}

/* From site a to site b around the obstacle between them. */
static double add_wrapped(const mo_linkage *tree, const path_end *a, const mo_tendon_point *around,
                          const path_end *b, double factor, double *arm)
{
    double side[3], touch[2][3];
    const mo_pose link = pose_of(tree, around->link);
    const mo_pose at = mo_pose_compose(&link, &around->pose);
    if (around->has_side) {
        const mo_pose on = pose_of(tree, around->side_link);
        mo_pose_point(&on, around->side, side);
    }
    const double arc = mo_wrap(a->x, b->x, &at, around->radius, around->kind == MO_TENDON_CYLINDER,
                               around->has_side ? side : NULL, touch);
    if (arc < 0) return add_part(tree, a, b, factor, arm);
    path_end first = {.link = around->link}, second = {.link = around->link};
    mo_vec3_copy(touch[0], first.x);
    mo_vec3_copy(touch[1], second.x);
    return add_part(tree, a, &first, factor, arm) + factor * arc +
           add_part(tree, &second, b, factor, arm);
}

static void place(mo_sim_mechanism *mechanism, mo_sim_tendon *tendon)
{
    const mo_linkage *tree = &mechanism->tree;
    double factor = 1;
    tendon->length = 0;
    memset(tendon->arm, 0, (size_t)tree->dofs * sizeof *tendon->arm);
    for (int k = 0; k + 1 < tendon->def.path_count; ++k) {
        const mo_tendon_point *point = tendon->path + k;
        if (point->kind == MO_TENDON_PULLEY) {
            factor = 1 / point->divisor;
            continue;
        }
        if (point->kind != MO_TENDON_SITE || point[1].kind == MO_TENDON_PULLEY) continue;
        const int is_free = point[1].kind == MO_TENDON_SITE;
        const path_end a = end_of(tree, point), b = end_of(tree, point + (is_free ? 1 : 2));
        tendon->length += is_free ? add_part(tree, &a, &b, factor, tendon->arm)
                                  : add_wrapped(tree, &a, point + 1, &b, factor, tendon->arm);
    }
}

void mo_tendons_place(mo_sim_mechanism *mechanism)
{
    for (int k = 0; k < mechanism->tendons; ++k)
        if (mechanism->tendon[k].path) place(mechanism, mechanism->tendon + k);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int is_link(const mo_mechanism_def *all, int link)
{
    return link >= -1 && link < all->link_count;
}

static int is_point(const mo_mechanism_def *all, const mo_tendon_point *point)
{
    const int is_obstacle = point->kind == MO_TENDON_BALL || point->kind == MO_TENDON_CYLINDER;
    if (point->kind == MO_TENDON_PULLEY)
        return point->divisor > 0 && mo_are_moderate(1, &point->divisor);
    return (point->kind == MO_TENDON_SITE || is_obstacle) && is_link(all, point->link) &&
           mo_are_moderate(3, point->pose.position) &&
           (!is_obstacle || (point->radius > 0 && mo_are_moderate(1, &point->radius) &&
                             mo_are_moderate(4, point->pose.orientation) &&
                             (!point->has_side || (is_link(all, point->side_link) &&
                                                   mo_are_moderate(3, point->side)))));
}

mo_error mo_tendon_check_path(const mo_mechanism_def *all, int k, mo_message *why)
{
    const mo_tendon_def *def = all->tendons + k;
    const char *name = def->name ? def->name : "";
    int parts = 0; /* straight or around an obstacle */
    for (int i = 0; i < def->path_count; ++i) {
        const mo_tendon_point *at = def->path + i;
        MO_REFUSE_IF(!is_point(all, at), why,
                     "point %d of tendon %d '%.64s' is on no link of the mechanism, or its "
                     "place, radius or divisor is out of range",
                     i, k, name);
        const mo_tendon_point_kind before = i > 0 ? at[-1].kind : MO_TENDON_PULLEY;
        const mo_tendon_point_kind after = i + 1 < def->path_count ? at[1].kind : MO_TENDON_PULLEY;
        const int is_obstacle = at->kind == MO_TENDON_BALL || at->kind == MO_TENDON_CYLINDER;
        MO_REFUSE_IF(is_obstacle && (before != MO_TENDON_SITE || after != MO_TENDON_SITE), why,
                     "point %d of tendon %d '%.64s' is an obstacle that is not between two "
                     "sites",
                     i, k, name);
        parts += at->kind == MO_TENDON_SITE && before != MO_TENDON_PULLEY;
    }
    return parts > 0
               ? MO_OK
               : mo_fail(why, MO_ERR_ARGUMENT,
                         "tendon %d '%.64s' has a path without two consecutive sites", k, name);
}
