/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The largest penetration at the present poses, by the narrow phase on a separate tree.  The world
 * does not change, so a suspended step can be resumed.
 */
#include <math.h>

#include "base/error.h"
#include "sim/device_heap.h"
#include "sim/pairs.h"

typedef struct look {
    const mo_world *world;
    mo_tree *tree;
    mo_touch_list touches;
    double deepest; /* m */
    double overlap; /* the largest over the size */
} look;

static void look_at(look *at, int a, int b)
{
    const mo_world *world = at->world;
    const mo_sim_shape *one = world->shape + a, *other = world->shape + b;
    if (!mo_shapes_may_touch(world, a, b)) return;
    const mo_pose poses[2] = {mo_shape_pose(world->body + one->body, one),
                              mo_shape_pose(world->body + other->body, other)};
    at->touches.count = 0;
    mo_collide_at(&one->collider, poses, &other->collider, poses + 1, 0, &at->touches);
    for (int k = 0; k < at->touches.count; ++k) {
        const double depth = -at->touches.touch[k].gap;
        at->deepest = fmax(at->deepest, depth);
        at->overlap = fmax(at->overlap, depth / fmin(one->collider.size, other->collider.size));
    }
}

static int found(void *context, int a, int b)
{
    look_at(context, a < b ? a : b, a < b ? b : a);
    return 1;
}

/* Shapes with bounds go into the tree; each meets those without. */
static mo_error insert(look *at)
{
    const mo_world *world = at->world;
    for (int k = 0; k < world->shape_places; ++k) {
        const mo_sim_shape *shape = world->shape + k;
        if (!shape->generation || shape->is_on_show || shape->proxy < 0) continue;
        const mo_pose pose = mo_shape_pose(world->body + shape->body, shape);
        const mo_bounds bounds = mo_collider_bounds_at(&shape->collider, &pose);
        MO_FAIL_IF(mo_tree_insert(at->tree, &bounds, k) < 0, MO_ERR_MEMORY);
        for (int i = 0; i < world->boundless_count; ++i)
            found(at, k, world->boundless[i]);
    }
    return MO_OK;
}

/* NaN if memory runs out. */
static look look_at_all(mo_world *world)
{
    mo_device_heap_fetch(world);
    look at = {.world = world, .touches.allocator = world->allocator};
    const int failed = mo_tree_create(&world->allocator, &at.tree) || insert(&at) ||
                       mo_tree_pairs(at.tree, found, &at);
    mo_tree_destroy(at.tree);
    mo_memory_free(&world->allocator, at.touches.touch);
    at.deepest = failed ? NAN : at.deepest;
    at.overlap = failed ? NAN : at.overlap;
    return at;
}

double mo_world_penetration(mo_world *world)
{
    MO_NEED_OR(0, world, NULL);
    return look_at_all(world).deepest;
}

double mo_world_relative_penetration(mo_world *world)
{
    MO_NEED_OR(0, world, NULL);
    return look_at_all(world).overlap;
}
