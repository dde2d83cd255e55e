/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The table of pairs. */
#include "collide/collide.h"

#include <math.h>

#include "collide/narrow.h"
#include "linalg/vec3.h"

void mo_touch_add(mo_touch_list *list, const mo_touch *touch)
{
    if (!isfinite(touch->gap)) /* for an invalid pose */
        return;
    if (!MO_GROW(&list->allocator, list->touch, list->room, (size_t)list->count + 1)) {
        list->is_short = 1;
        return;
    }
    list->touch[list->count++] = *touch;
}

/*
 * Row: the kind of a, which is not after that of b, the column.  NULL: this pair never collides
 * (both are static).
 */
static mo_pair_fn *const IN_SPACE[MO_SHAPE_KIND_COUNT][MO_SHAPE_KIND_COUNT] = {
    [MO_SHAPE_BALL] = {[MO_SHAPE_BALL] = mo_collide_ball_ball,
                       [MO_SHAPE_BOX] = mo_collide_ball_solid,
                       [MO_SHAPE_CAPSULE] = mo_collide_ball_capsule,
                       [MO_SHAPE_CYLINDER] = mo_collide_ball_solid,
                       [MO_SHAPE_HULL] = mo_collide_ball_solid,
                       [MO_SHAPE_PLANE] = mo_collide_ball_plane,
                       [MO_SHAPE_MESH] = mo_collide_convex_mesh},
    [MO_SHAPE_BOX] = {[MO_SHAPE_BOX] = mo_collide_convex,
                      [MO_SHAPE_CAPSULE] = mo_collide_convex,
                      [MO_SHAPE_CYLINDER] = mo_collide_convex,
                      [MO_SHAPE_HULL] = mo_collide_convex,
                      [MO_SHAPE_PLANE] = mo_collide_hull_plane,
                      [MO_SHAPE_MESH] = mo_collide_convex_mesh},
    [MO_SHAPE_CAPSULE] = {[MO_SHAPE_CAPSULE] = mo_collide_capsule_capsule,
                          [MO_SHAPE_CYLINDER] = mo_collide_convex,
                          [MO_SHAPE_HULL] = mo_collide_convex,
                          [MO_SHAPE_PLANE] = mo_collide_capsule_plane,
                          [MO_SHAPE_MESH] = mo_collide_convex_mesh},
    [MO_SHAPE_CYLINDER] = {[MO_SHAPE_CYLINDER] = mo_collide_convex,
                           [MO_SHAPE_HULL] = mo_collide_convex,
                           [MO_SHAPE_PLANE] = mo_collide_cylinder_plane,
                           [MO_SHAPE_MESH] = mo_collide_convex_mesh},
    [MO_SHAPE_HULL] = {[MO_SHAPE_HULL] = mo_collide_convex,
                       [MO_SHAPE_PLANE] = mo_collide_hull_plane,
                       [MO_SHAPE_MESH] = mo_collide_convex_mesh},
};

static mo_pair_fn *pair_in_plane(mo_shape_kind a, mo_shape_kind b)
{
    if (a == MO_SHAPE_PLANE || a == MO_SHAPE_MESH) return NULL;
    if (b == MO_SHAPE_MESH) return mo_collide_planar_chain;
    return b == MO_SHAPE_PLANE ? mo_collide_planar_half : mo_collide_planar;
}

void mo_collide_at(const mo_collider *a, const mo_pose *shape_a, const mo_collider *b,
                   const mo_pose *shape_b, double reach, mo_touch_list *touches)
{
    const int is_turned = a->def.kind > b->def.kind;
    const mo_placed pa = {a, *shape_a}, pb = {b, *shape_b};
    const mo_placed *first = is_turned ? &pb : &pa, *second = is_turned ? &pa : &pb;
    const mo_shape_kind kind_1 = first->collider->def.kind, kind_2 = second->collider->def.kind;
    mo_pair_fn *pair = a->is_planar ? pair_in_plane(kind_1, kind_2) : IN_SPACE[kind_1][kind_2];
    const int before = touches->count;
    const double *last = touches->last_normal;
    double back[3];
    if (is_turned && last) {
        mo_vec3_scale(-1, last, back);
        touches->last_normal = back;
    }
    if (pair) pair(first, second, reach, touches);
    touches->last_normal = last;
    for (int k = before; is_turned && k < touches->count; ++k)
        mo_vec3_scale(-1, touches->touch[k].normal, touches->touch[k].normal);
}
