/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The material of a contact: that of the pair (own_pairs.c), or the combination of the two
 * materials.
 *
 * A world has few materials and many contacts, so the first few materials get numbers, and their
 * combinations are cached.  Materials beyond those are combined on each use.
 */
#include "sim/world_data.h"

static int are_equal(const mo_material *a, const mo_material *b)
{
    return a->friction == b->friction && a->restitution == b->restitution &&
           a->rolling == b->rolling && a->torsion == b->torsion && a->rule == b->rule &&
           a->dims == b->dims && a->priority == b->priority;
}

/* By the rules of the world, or by its function if it has one. */
static mo_material combine(const mo_world *world, const mo_material *a, const mo_material *b)
{
    const mo_world_def *def = &world->def;
    mo_material both = mo_material_combine_by(a, b, def->friction_rule, def->restitution_rule);
    if (def->combine) def->combine(def->combine_user, a, b, &both);
    return both;
}

void mo_surfaces_renew(mo_world *world)
{
    mo_surfaces *surfaces = &world->surfaces;
    for (int i = 0; i < surfaces->count; ++i)
        for (int k = 0; k < surfaces->count; ++k)
            surfaces->both[i][k] = combine(world, surfaces->own + i, surfaces->own + k);
}

int mo_surface_number(mo_world *world, const mo_material *material)
{
    mo_surfaces *surfaces = &world->surfaces;
    for (int k = 0; k < surfaces->count; ++k)
        if (are_equal(surfaces->own + k, material)) return k;
    if (surfaces->count == MO_SURFACES) return MO_NONE;
    const int own = surfaces->count++;
    surfaces->own[own] = *material;
    for (int k = 0; k <= own; ++k) {
        surfaces->both[own][k] = combine(world, material, surfaces->own + k);
        surfaces->both[k][own] = combine(world, surfaces->own + k, material);
    }
    return own;
}

const mo_material *mo_surface_between(const mo_world *world, int a, int b, mo_material *found)
{
    const mo_material *own = world->own_pairs.count > 0 ? mo_own_pair(world, a, b) : NULL;
    const int one = world->near[a].surface, other = world->near[b].surface;
    if (own) {
        *found = mo_material_combine(own, own);
        return found;
    }
    if (one != MO_NONE && other != MO_NONE) return &world->surfaces.both[one][other];
    *found = combine(world, &world->shape[a].collider.def.material,
                     &world->shape[b].collider.def.material);
    return found;
}
