/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Pairs of shapes that touch with a surface of their own, whatever else keeps them apart: sorted by their places. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sim/ball_step.h"
#include "sim/world_data.h"

struct mo_own_pair {
    mo_pair shapes;
    mo_material material;
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

const mo_material *mo_own_pair(const mo_world *world, int a, int b)
{
    const int first = a < b ? a : b, second = a < b ? b : a;
    const int at = place_of(world, first, second);
    const int is_there = at < world->own_pair_count && world->own_pair[at].shapes.a == first &&
                         world->own_pair[at].shapes.b == second;
    return is_there ? &world->own_pair[at].material : NULL;
}

static int shape_place(const mo_world *world, mo_shape_id id)
{
    const int place = id.index - 1;
    const int is_there = place >= 0 && place < world->shape_places && id.generation &&
                         world->shape[place].generation == id.generation;
    return is_there ? place : MO_NONE;
}

mo_error mo_world_pair(mo_world *world, mo_shape_id one, mo_shape_id other,
                       const mo_material *material, mo_message *why)
{
    const int p = shape_place(world, one), q = shape_place(world, other);
    const int a = p < q ? p : q, b = p < q ? q : p;
    if (a < 0 || a == b || !(material->friction >= 0) || !(material->torsion >= 0) ||
        !(material->rolling >= 0) || !(material->restitution >= 0)) {
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "a pair is made of two shapes of the world, with friction, torsion, rolling "
                       "and restitution that are not negative");
    }
    mo_ball_step_leave(world);
    const int at = place_of(world, a, b);
    if (!mo_own_pair(world, a, b)) {
        if (!mo_memory_grow(&world->allocator, (void **)&world->own_pair, &world->own_pair_room,
                            (size_t)world->own_pair_count + 1, sizeof *world->own_pair)) {
            return mo_fail_memory(why);
        }
        memmove(world->own_pair + at + 1, world->own_pair + at,
                (size_t)(world->own_pair_count++ - at) * sizeof *world->own_pair);
        world->own_pair[at].shapes = (mo_pair){a, b};
    }
    world->own_pair[at].material = *material;
    world->pairs_are_stale = 1;
    mo_body_wake(world, world->shape[a].body);
    mo_body_wake(world, world->shape[b].body);
    return MO_OK;
}

void mo_forget_own_pair(mo_world *world, int a, int b)
{
    if (mo_own_pair(world, a, b)) {
        const int at = place_of(world, a < b ? a : b, a < b ? b : a);
        memmove(world->own_pair + at, world->own_pair + at + 1,
                (size_t)(--world->own_pair_count - at) * sizeof *world->own_pair);
        world->pairs_are_stale = 1;
    }
}

void mo_forget_own_pairs(mo_world *world, int body)
{
    int kept = 0;
    for (int k = 0; k < world->own_pair_count; ++k) {
        const mo_pair pair = world->own_pair[k].shapes;
        if (world->shape[pair.a].body != body && world->shape[pair.b].body != body) {
            world->own_pair[kept++] = world->own_pair[k];
        }
    }
    world->own_pair_count = kept;
}
