/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Pairs of shapes that always collide, with their own material, or that never collide; sorted by
 * index.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

struct mo_own_pair {
    mo_pair shapes;
    mo_material material;
    int never; /* they do not touch at all */
};

/* Where the pair (a < b) is, or would be. */
static int place_of(const mo_world *world, int a, int b)
{
    int low = 0, high = world->own_pair_count;
    while (low < high) {
        const int half = (low + high) / 2;
        const mo_pair *at = &world->own_pair[half].shapes;
        if (at->a < a || (at->a == a && at->b < b)) {
            low = half + 1;
        } else {
            high = half;
        }
    }
    return low;
}

static struct mo_own_pair *find(const mo_world *world, int a, int b)
{
    const int first = a < b ? a : b, second = a < b ? b : a;
    const int at = place_of(world, first, second);
    const int is_there = at < world->own_pair_count && world->own_pair[at].shapes.a == first &&
                         world->own_pair[at].shapes.b == second;
    return is_there ? world->own_pair + at : NULL;
}

const mo_material *mo_own_pair(const mo_world *world, int a, int b)
{
    const struct mo_own_pair *own = find(world, a, b);
    return own && !own->never ? &own->material : NULL;
}

int mo_pair_never_touches(const mo_world *world, int a, int b)
{
    const struct mo_own_pair *own = find(world, a, b);
    return own && own->never;
}

/* Finds or adds the pair (a < b); NULL if memory runs out. */
static struct mo_own_pair *take(mo_world *world, int a, int b)
{
    struct mo_own_pair *own = find(world, a, b);
    if (!own) {
        const int at = place_of(world, a, b);
        if (!MO_GROW(&world->allocator, world->own_pair, world->own_pair_room,
                     (size_t)world->own_pair_count + 1)) {
            return NULL;
        }
        own = world->own_pair + at;
        memmove(own + 1, own, (size_t)(world->own_pair_count++ - at) * sizeof *own);
    }
    *own = (struct mo_own_pair){.shapes = {a, b}};
    world->pairs_are_stale = 1;
    mo_body_wake(world, world->shape[a].body);
    mo_body_wake(world, world->shape[b].body);
    return own;
}

mo_error mo_pair_part(mo_world *world, int a, int b)
{
    struct mo_own_pair *own = take(world, a < b ? a : b, a < b ? b : a);
    if (own) {
        own->never = 1;
    }
    return own ? MO_OK : MO_ERR_MEMORY;
}

/* Such a mesh has no search tree (collide/mesh.h). */
static int is_drawn_mesh(const mo_sim_shape *shape)
{
    return shape->is_on_show && shape->collider.def.kind == MO_SHAPE_MESH;
}

mo_error mo_world_pair(mo_world *world, mo_shape_id one, mo_shape_id other,
                       const mo_material *material, mo_message *why)
{
    MO_NEED(world && material, why);
    const int p = mo_shape_place(world, one), q = mo_shape_place(world, other);
    const int a = p < q ? p : q, b = p < q ? q : p;
    MO_FAIL_IF(a < 0 || a == b,
               mo_fail(why, MO_ERR_ARGUMENT, "a pair is made of two shapes of the world"));
    MO_TRY(mo_material_check(material, mo_is_planar(world), why));
    MO_FAIL_IF(is_drawn_mesh(world->shape + a) || is_drawn_mesh(world->shape + b),
               mo_fail(why, MO_ERR_ARGUMENT,
                       "a mesh without layer and mask is drawn only, and is in no pair"));
    mo_device_heap_bring_back(world);
    struct mo_own_pair *own = take(world, a, b);
    MO_FAIL_IF(!own || (world->shape[a].is_on_show && mo_shape_enter(world, a)) ||
                   (world->shape[b].is_on_show && mo_shape_enter(world, b)),
               mo_fail_memory(why));
    own->material = *material;
    return MO_OK;
}

static int is_of(const mo_world *world, int place, int body, int shape)
{
    return shape == MO_NONE ? world->shape[place].body == body : place == shape;
}

void mo_forget_own_pairs(mo_world *world, int body, int shape)
{
    int kept = 0;
    for (int k = 0; k < world->own_pair_count; ++k) {
        const mo_pair pair = world->own_pair[k].shapes;
        if (!is_of(world, pair.a, body, shape) && !is_of(world, pair.b, body, shape)) {
            world->own_pair[kept++] = world->own_pair[k];
        }
    }
    world->own_pair_count = kept;
}
