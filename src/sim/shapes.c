/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Adding and removing shapes of bodies. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

/* relative to the size of a shape: sleeping bodies this close may rest on it, since they have no
 * contacts */
static const double NEAR = 1e-2;

static int take_shape_place(mo_world *world)
{
    for (int k = 0; world->free_shapes && k < world->shape_places; ++k) {
        if (!world->shape[k].generation) {
            world->free_shapes--;
            return k;
        }
    }
    const size_t needed = (size_t)world->shape_places + 1;
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->shape, world->shape_room, needed) ||
                   !MO_GROW(&world->allocator, world->near, world->near_room, needed),
               MO_NONE);
    return world->shape_places++;
}

mo_error mo_shape_enter(mo_world *world, int place)
{
    mo_sim_shape *shape = world->shape + place;
    world->pairs_are_stale = 1;
    shape->is_on_show = 0;
    if (isinf(shape->collider.size)) {
        MO_FAIL_IF(!MO_GROW(&world->allocator, world->boundless, world->boundless_room,
                            (size_t)world->boundless_count + 1),
                   MO_ERR_MEMORY);
        world->boundless[world->boundless_count++] = place;
        return MO_OK;
    }
    const mo_pose pose = mo_sim_body_pose(world->body + shape->body);
    shape->box = mo_collider_bounds(&shape->collider, &pose);
    shape->proxy = mo_tree_insert(world->tree, &shape->box, place);
    return shape->proxy < 0 ? MO_ERR_MEMORY : MO_OK;
}

/* The link of the body's list that leads to a shape. */
static int *link_to(mo_world *world, mo_sim_body *body, int place)
{
    int *link = &body->first_shape;
    while (*link != place)
        link = &world->shape[*link].next;
    return link;
}

static void unlink_shape(mo_world *world, mo_sim_body *body, int place)
{
    *link_to(world, body, place) = world->shape[place].next;
    body->shape_count--;
}

/* The end of the list, so that shapes keep the order in which they came. */
static void append_shape(mo_world *world, mo_sim_body *body, int place)
{
    *link_to(world, body, MO_NONE) = place;
    body->shape_count++;
}

void mo_forget_shape(mo_world *world, int place)
{
    mo_sim_shape *shape = world->shape + place;
    world->pairs_are_stale = 1;
    world->strayed -= shape->has_strayed;
    if (shape->proxy >= 0) mo_tree_remove(world->tree, shape->proxy);
    mo_list_remove(world->boundless, &world->boundless_count, place);
    mo_collider_clear(&world->allocator, &shape->collider);
    *shape = (mo_sim_shape){.next = MO_NONE, .proxy = MO_NONE};
    world->near[place] = (mo_shape_near){.body = MO_NONE, .surface = MO_NONE};
    for (world->free_shapes++; /* those at the end are no places any more */
         world->shape_places > 0 && !world->shape[world->shape_places - 1].generation;
         world->free_shapes--)
        world->shape_places--;
}

mo_shape_id mo_world_add_shape(mo_world *world, mo_body_id id, const mo_shape_def *def,
                               mo_message *why)
{
    MO_NEED_OR((mo_shape_id){0}, world && def, why);
    const mo_shape_id none = {0};
    const int owner = mo_body_place(world, id);
    if (owner < 0) {
        mo_fail_stale(why, "body", id.index, id.generation);
        return none;
    }
    const int is_drawn_only = def->layer == 0 && def->mask == 0;
    const int must_rest =
        def->kind == MO_SHAPE_PLANE || (def->kind == MO_SHAPE_MESH && !is_drawn_only);
    const int may_move =
        world->body[owner].kind == MO_BODY_FREE || world->body[owner].kind == MO_BODY_LINK;
    if (must_rest && may_move) {
        mo_fail(why, MO_ERR_ARGUMENT,
                "a %s must be on a static or kinematic body; dynamic bodies take hulls or boxes",
                mo_shape_name(def->kind));
        return none;
    }
    mo_collider collider;
    if (mo_collider_init(def, mo_is_planar(world), &world->allocator, &collider, why)) return none;
    mo_device_heap_bring_back(world);
    const int place = take_shape_place(world);
    if (place < 0) {
        mo_collider_clear(&world->allocator, &collider);
        mo_fail_memory(why);
        return none;
    }
    mo_sim_shape *shape = world->shape + place;
    *shape = (mo_sim_shape){.generation = world->generation,
                            .collider = collider,
                            .body = owner,
                            .next = MO_NONE,
                            .proxy = MO_NONE, /* not in the tree until mo_shape_enter */
                            .is_on_show = is_drawn_only};
    world->near[place] =
        (mo_shape_near){.body = owner,
                        .surface = mo_surface_number(world, &collider.def.material),
                        .collides_with_all = world->body[owner].kind == MO_BODY_FREE &&
                                             def->layer == 1 && (def->mask & 1) != 0};
    append_shape(world, world->body + owner, place);
    /* The mass is computed last, since it changes nothing on failure. */
    const mo_error error = !shape->is_on_show && mo_shape_enter(world, place)
                               ? mo_fail_memory(why)
                               : mo_body_update_mass(world, owner, why);
    if (error) {
        unlink_shape(world, world->body + owner, place);
        mo_forget_shape(world, place);
        return none;
    }
    world->generation++;
    return (mo_shape_id){place + 1, shape->generation};
}

static int wake_one(void *context, int item)
{
    mo_world *world = context;
    if (world->body[world->shape[item].body].is_asleep)
        mo_body_wake(world, world->shape[item].body);
    return 1;
}

void mo_wake_around(mo_world *world, int place)
{
    const mo_sim_shape *shape = world->shape + place;
    if (!world->def.sleeping) /* nothing does */
        return;
    if (shape->proxy >= 0) {
        const double near = NEAR * shape->collider.size;
        mo_bounds bounds = *mo_tree_bounds(world->tree, shape->proxy);
        for (int k = 0; k < 3; ++k) {
            bounds.low[k] -= near;
            bounds.high[k] += near;
        }
        mo_tree_query(world->tree, &bounds, wake_one, world);
    }
    for (int k = 0; isinf(shape->collider.size) && k < world->living_count; ++k)
        mo_body_wake(world, world->living[k]);
}

void mo_forget_contacts(mo_world *world, int body, int shape)
{
    int kept = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        const int side = contact->body[1] == body;
        const int is_its_own =
            contact->body[side] == body && (shape == MO_NONE || contact->shape[side] == shape);
        if (is_its_own)
            mo_body_wake(world, contact->body[!side]);
        else
            world->contacts.at[kept++] = *contact;
    }
    world->contacts.count = kept;
    world->found.count = 0;
}

/* The motion of the body is unchanged; the velocity now refers to another centre of mass. */
static void keep_motion(mo_sim_body *body, const double before[3])
{
    double arm[3], turning[3];
    if (body->mechanism == MO_NONE && body->mass > 0) {
        mo_vec3_minus(body->x, before, arm);
        mo_vec3_cross(body->v + 3, arm, turning);
        mo_vec3_along(body->v, 1, turning, body->v);
    }
}

mo_error mo_world_remove_shape(mo_world *world, mo_shape_id id, mo_message *why)
{
    MO_NEED(world, why);
    const int place = mo_shape_place(world, id);
    MO_NEED_ID(place >= 0, "shape", id, why);
    mo_device_heap_bring_back(world);
    const int owner = world->shape[place].body;
    int *link = link_to(world, world->body + owner, place);
    double before[3];
    mo_vec3_copy(world->body[owner].x, before);
    *link = world->shape[place].next;
    const mo_error error = mo_body_update_mass(world, owner, why);
    if (error) {
        *link = place;
        return error;
    }
    world->body[owner].shape_count--;
    keep_motion(world->body + owner, before);
    mo_body_wake(world, owner);
    mo_wake_around(world, place);
    mo_forget_contacts(world, owner, place);
    mo_forget_own_pairs(world, owner, place);
    mo_forget_shape(world, place);
    return MO_OK;
}
