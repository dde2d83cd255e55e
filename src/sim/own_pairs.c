/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Pairs of shapes that always collide, with their own material, or that never collide, and pairs of
 * bodies that never collide: two tables, sorted by index.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "moreau/mechanism.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

struct mo_own_pair {
    mo_pair pair;
    mo_material material;
    int never; /* they never collide */
};

/* Place of the pair (a < b), or where it would be inserted. */
static int place_of(const mo_pair_table *table, int a, int b)
{
    int low = 0, high = table->count;
    while (low < high) {
        const int half = (low + high) / 2;
        const mo_pair *at = &table->at[half].pair;
        if (at->a < a || (at->a == a && at->b < b))
            low = half + 1;
        else
            high = half;
    }
    return low;
}

static struct mo_own_pair *find(const mo_pair_table *table, int a, int b)
{
    const int first = a < b ? a : b, second = a < b ? b : a, at = place_of(table, first, second);
    const int is_there =
        at < table->count && table->at[at].pair.a == first && table->at[at].pair.b == second;
    return is_there ? table->at + at : NULL;
}

const mo_material *mo_own_pair(const mo_world *world, int a, int b)
{
    const struct mo_own_pair *own = find(&world->own_pairs, a, b);
    return own && !own->never ? &own->material : NULL;
}

int mo_pair_never_touches(const mo_world *world, int a, int b)
{
    const struct mo_own_pair *own = find(&world->own_pairs, a, b);
    return own && own->never;
}

int mo_is_excluded(const mo_world *world, int a, int b)
{
    return find(&world->excluded, a, b) != NULL;
}

/* Finds or adds the pair, without a material; NULL if memory runs out. */
static struct mo_own_pair *take(mo_world *world, mo_pair_table *table, int a, int b)
{
    const mo_pair pair = {a < b ? a : b, a < b ? b : a};
    struct mo_own_pair *own = find(table, a, b);
    if (!own) {
        const int at = place_of(table, pair.a, pair.b);
        MO_FAIL_IF(!MO_GROW(&world->allocator, table->at, table->room, (size_t)table->count + 1),
                   NULL);
        own = table->at + at;
        memmove(own + 1, own, (size_t)(table->count++ - at) * sizeof *own);
    }
    *own = (struct mo_own_pair){.pair = pair};
    world->pairs_are_stale = 1;
    return own;
}

static struct mo_own_pair *take_shapes(mo_world *world, int a, int b)
{
    struct mo_own_pair *own = take(world, &world->own_pairs, a, b);
    if (own) {
        mo_body_wake(world, world->shape[a].body);
        mo_body_wake(world, world->shape[b].body);
    }
    return own;
}

mo_error mo_pair_part(mo_world *world, int a, int b)
{
    struct mo_own_pair *own = take_shapes(world, a, b);
    if (own) own->never = 1;
    return own ? MO_OK : MO_ERR_MEMORY;
}

/* Such a mesh has no tree (collide/mesh.h). */
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
    MO_REFUSE_IF(a < 0 || a == b, why, "a pair is made of two shapes of the world");
    MO_TRY(mo_material_check(material, mo_is_planar(world), why));
    MO_REFUSE_IF(is_drawn_mesh(world->shape + a) || is_drawn_mesh(world->shape + b), why,
                 "a mesh without layer and mask is visual and cannot be in a pair");
    mo_device_heap_bring_back(world);
    struct mo_own_pair *own = take_shapes(world, a, b);
    MO_FAIL_IF(!own || (world->shape[a].is_on_show && mo_shape_enter(world, a)) ||
                   (world->shape[b].is_on_show && mo_shape_enter(world, b)),
               mo_fail_memory(why));
    own->material = *material;
    return MO_OK;
}

mo_error mo_world_exclude(mo_world *world, mo_body_id a, mo_body_id b, mo_message *why)
{
    MO_NEED(world, why);
    const int one = mo_body_place(world, a), other = mo_body_place(world, b);
    MO_REFUSE_IF(one < 0 || other < 0, why, "a body to be excluded is not in the world");
    if (one == other || mo_is_excluded(world, one, other)) return MO_OK;
    mo_device_heap_bring_back(world);
    MO_NEED_MEMORY(take(world, &world->excluded, one, other), why);
    mo_body_wake(world, one);
    mo_body_wake(world, other);
    return MO_OK;
}

static int is_of(const mo_world *world, const mo_pair_table *table, int place, int body, int shape)
{
    return table == &world->excluded ? place == body
           : shape == MO_NONE        ? world->shape[place].body == body
                                     : place == shape;
}

void mo_forget_own_pairs(mo_world *world, int body, int shape)
{
    mo_pair_table *const tables[2] = {&world->own_pairs, &world->excluded};
    for (int t = 0; t < (shape == MO_NONE ? 2 : 1); ++t) {
        mo_pair_table *table = tables[t];
        int kept = 0;
        for (int k = 0; k < table->count; ++k) {
            const mo_pair pair = table->at[k].pair;
            if (!is_of(world, table, pair.a, body, shape) &&
                !is_of(world, table, pair.b, body, shape))
                table->at[kept++] = table->at[k];
        }
        table->count = kept;
    }
}
