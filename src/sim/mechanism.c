/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Adding and removing mechanisms. */
#include <string.h>

#include "base/error.h"
#include "sim/device_heap.h"
#include "sim/mechanism.h"
#include "sim/world_data.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static char *copy_text(const mo_allocator *allocator, const char *text)
{
    text = text ? text : "";
    const size_t size = strlen(text) + 1;
    char *copy = mo_memory_array(allocator, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

static void free_mechanism(const mo_allocator *allocator, mo_sim_mechanism *mechanism)
{
    const int names =
        mechanism->names ? mechanism->tree.joints + mechanism->actuators + mechanism->tendons : 0;
    for (int k = 0; k < names; ++k)
        mo_memory_free(allocator, mechanism->names[k]);
    void *arrays[] = {mechanism->coupling,
                      mechanism->name,
                      mechanism->names,
                      mechanism->body,
                      mechanism->weld,
                      mechanism->axis,
                      mechanism->numbers,
                      mechanism->pose,
                      mechanism->free_dof,
                      mechanism->motion,
                      mechanism->actuator,
                      mechanism->neighbour,
                      mechanism->gravity_compensation,
                      mechanism->box,
                      mechanism->span,
                      mechanism->tendon ? mechanism->tendon->arm : NULL,
                      mechanism->tendon_points,
                      mechanism->tendon};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        mo_memory_free(allocator, arrays[k]);
    mo_linkage_clear(&mechanism->tree, allocator);
    mo_memory_free(allocator, mechanism);
}

/* One block of memory for all numbers. */
static mo_error share_numbers(mo_sim_mechanism *mechanism, const mo_allocator *allocator)
{
    const size_t n = (size_t)mechanism->tree.dofs, nq = (size_t)mechanism->tree.coordinates;
    const size_t vectors = 11, all = 3 * nq + vectors * n + 4 * n * n;
    mechanism->numbers = mo_memory_array(allocator, all, sizeof *mechanism->numbers);
    MO_NEED_MEMORY(mechanism->numbers, NULL);
    memset(mechanism->numbers, 0, all * sizeof *mechanism->numbers);
    double *at = mechanism->numbers;
    mechanism->q = at;
    mechanism->next_q = at + nq;
    mechanism->posed_q = at + 2 * nq;
    at += 3 * nq;
    double **vector[] = {&mechanism->v,      &mechanism->start_v, &mechanism->free_v,
                         &mechanism->next_v, &mechanism->push,    &mechanism->effort,
                         &mechanism->rhs,    &mechanism->row,     &mechanism->bias,
                         &mechanism->turned, &mechanism->kick};
    for (size_t k = 0; k < vectors; ++k, at += n)
        *vector[k] = at;
    mechanism->M = at;
    mechanism->A = at + n * n;
    mechanism->F = at + 2 * n * n;
    mechanism->packed = at + 3 * n * n;
    mechanism->free_dof = mo_memory_array(allocator, n + 1, sizeof *mechanism->free_dof);
    MO_NEED_MEMORY(mechanism->free_dof, NULL);
    return MO_OK;
}

/* In the plane: axes of turns along z, of slides in it. */
static mo_axis_def put_into_world(const mo_world *world, mo_axis_def def)
{
    if (mo_is_planar(world)) {
        def.anchor[2] = 0;
        if (def.kind == MO_AXIS_PRISMATIC) {
            def.axis[2] = 0;
        } else {
            mo_vec3_set(def.axis, 0, 0, 1);
            def.side[2] = 0;
        }
    }
    return def;
}

static mo_error copy_parts(const mo_world *world, const mo_mechanism_def *def,
                           mo_sim_mechanism *mechanism)
{
    const mo_allocator *allocator = &world->allocator;
    const size_t links = (size_t)def->link_count, joints = (size_t)def->joint_count,
                 actuators = (size_t)def->actuator_count,
                 names = joints + actuators + (size_t)def->tendon_count;
    mechanism->name = copy_text(allocator, def->name);
    mechanism->body = mo_memory_array(allocator, links, sizeof *mechanism->body);
    mechanism->weld = mo_memory_array(allocator, links, sizeof *mechanism->weld);
    mechanism->neighbour = mo_memory_array(allocator, links, sizeof *mechanism->neighbour);
    mechanism->pose = mo_memory_array(allocator, links, sizeof *mechanism->pose);
    mechanism->motion = mo_memory_array(allocator, links, sizeof *mechanism->motion);
    mechanism->axis = mo_memory_array(allocator, joints, sizeof *mechanism->axis);
    mechanism->actuator = mo_memory_array(allocator, actuators, sizeof *mechanism->actuator);
    mechanism->box = mo_memory_array(allocator, links, sizeof *mechanism->box);
    mechanism->gravity_compensation =
        mo_memory_array(allocator, links, sizeof *mechanism->gravity_compensation);
    mechanism->names = mo_memory_array(allocator, names, sizeof *mechanism->names);
    if (!mechanism->name || !mechanism->body || !mechanism->weld || !mechanism->neighbour ||
        !mechanism->pose || !mechanism->motion || !mechanism->axis || !mechanism->actuator ||
        !mechanism->gravity_compensation || !mechanism->names || !mechanism->box ||
        mo_tendons_make(mechanism, def, allocator) != MO_OK) {
        mo_memory_free(allocator, mechanism->names); /* its entries are not there yet */
        mechanism->names = NULL;
        return MO_ERR_MEMORY;
    }
    mo_error error = MO_OK;
    for (size_t k = 0; k < names; ++k) {
        const char *text = k < joints               ? def->joints[k].name
                           : k < joints + actuators ? def->actuators[k - joints].name
                                                    : def->tendons[k - joints - actuators].name;
        mechanism->names[k] = copy_text(allocator, text);
        error = mechanism->names[k] ? error : MO_ERR_MEMORY;
    }
    for (size_t k = 0; k < joints; ++k) {
        mechanism->axis[k] = (mo_sim_axis){.def = put_into_world(world, def->joints[k])};
        mechanism->axis[k].def.name = mechanism->names[k];
    }
    for (size_t k = 0; k < links; ++k)
        mechanism->gravity_compensation[k] = def->links[k].gravity_compensation;
    for (int k = 0; k < mechanism->tendons; ++k)
        mechanism->tendon[k].def.name = mechanism->names[joints + actuators + (size_t)k];
    for (size_t k = 0; k < actuators; ++k) {
        mechanism->actuator[k] =
            (mo_sim_actuator){.def = def->actuators[k], .target = def->actuators[k].target};
        mechanism->actuator[k].def.name = mechanism->names[joints + k];
    }
    return error;
}

static mo_error make_tree(const mo_world *world, const mo_mechanism_def *def,
                          mo_sim_mechanism *mechanism)
{
    mo_mechanism_def own = *def;
    mo_axis_def *joints =
        mo_memory_array(&world->allocator, (size_t)def->joint_count, sizeof *joints);
    MO_NEED_MEMORY(joints, NULL);
    for (int k = 0; k < def->joint_count; ++k)
        joints[k] = put_into_world(world, def->joints[k]);
    own.joints = joints;
    mo_error error = mo_linkage_init(&mechanism->tree, &own, &world->allocator);
    error = error ? error : copy_parts(world, def, mechanism);
    error = error ? error : share_numbers(mechanism, &world->allocator);
    if (!error) {
        mo_linkage_initial(&mechanism->tree, &own, mechanism->q);
        mo_tendons_measure(mechanism, mechanism->next_q);
        memcpy(mechanism->posed_q, mechanism->q,
               (size_t)mechanism->tree.coordinates * sizeof *mechanism->q);
        mo_linkage_poses(&mechanism->tree, mechanism->q, mechanism->pose);
    }
    mo_memory_free(&world->allocator, joints);
    return error;
}

/* Rigid groups: a link without joints belongs to its parent's. */
static void find_groups(mo_sim_mechanism *mechanism)
{
    for (int i = 0; i < mechanism->tree.links; ++i) {
        const mo_linkage_link *link = mechanism->tree.link + i;
        const int below = link->parent < 0 ? MO_NO_LINK : mechanism->weld[link->parent];
        const int is_own = link->dof_count > 0;
        mechanism->weld[i] = is_own ? i : below;
        mechanism->neighbour[i] = is_own             ? below
                                  : link->parent < 0 ? MO_NO_LINK
                                                     : mechanism->neighbour[link->parent];
    }
}

int mo_mechanism_keeps_apart(const mo_world *world, const mo_sim_body *a, const mo_sim_body *b)
{
    const mo_sim_mechanism *mechanism = world->mechanism[a->mechanism];
    const int first = mechanism->weld[a->link], second = mechanism->weld[b->link];
    const int are_neighbours =
        mechanism->neighbour[a->link] == second || mechanism->neighbour[b->link] == first;
    return first == second || (are_neighbours && !mechanism->collides_parents);
}

/* ---- addition and removal -------------------------------------------------------------------- */

static int take_place(mo_world *world)
{
    for (int k = 0; k < world->mechanism_places; ++k)
        if (!world->mechanism[k]) return k;
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->mechanism, world->mechanism_room,
                        (size_t)world->mechanism_places + 1),
               MO_NONE);
    world->mechanism[world->mechanism_places] = NULL;
    return world->mechanism_places++;
}

static void remove_links(mo_world *world, mo_sim_mechanism *mechanism, int count)
{
    for (int i = count - 1; i >= 0; --i) {
        world->body[mechanism->body[i]].mechanism = MO_NONE;
        mo_world_remove_body(world, mo_body_id_of(world, mechanism->body[i]), NULL);
    }
}

/* A body for each link. */
static mo_error add_links(mo_world *world, const mo_mechanism_def *def, int place,
                          mo_sim_mechanism *mechanism, mo_message *why)
{
    for (int i = 0; i < def->link_count; ++i) {
        const mo_link_def *link = def->links + i;
        mo_body_def body = mo_default_body(MO_BODY_FIXED);
        body.mass = link->mass;
        memcpy(body.inertia, link->inertia, sizeof body.inertia);
        mo_vec3_copy(link->centre, body.centre);
        body.name = link->name;
        mo_message reason = {{0}};
        const int at = mo_body_place(world, mo_world_add_body(world, &body, &reason));
        if (at < 0) {
            remove_links(world, mechanism, i);
            return mo_fail(why, MO_ERR_ARGUMENT, "%.400s", reason.text);
        }
        mechanism->body[i] = at;
        world->body[at].mechanism = place;
        world->body[at].link = i;
        world->body[at].kind = mechanism->tree.link[i].last_dof >= 0 ? MO_BODY_LINK : MO_BODY_FIXED;
    }
    return MO_OK;
}

mo_mechanism_id mo_world_add_mechanism(mo_world *world, const mo_mechanism_def *def,
                                       mo_message *why)
{
    MO_NEED_OR((mo_mechanism_id){0}, world && def, why);
    const mo_mechanism_id none = {0};
    if (mo_mechanism_check(world, def, why)) return none;
    mo_device_heap_bring_back(world);
    const int place = take_place(world);
    mo_sim_mechanism *mechanism =
        place < 0 ? NULL : mo_memory_array(&world->allocator, 1, sizeof *mechanism);
    if (!mechanism) {
        mo_fail_memory(why);
        return none;
    }
    *mechanism = (mo_sim_mechanism){.actuators = def->actuator_count,
                                    .control = def->control,
                                    .control_user = def->control_user,
                                    .collides_parents = def->collide_parents,
                                    .medium = def->medium,
                                    .block = MO_NONE};
    mo_error error = make_tree(world, def, mechanism) ? mo_fail_memory(why) : MO_OK;
    if (!error) {
        find_groups(mechanism);
        world->mechanism[place] = mechanism;
        error = add_links(world, def, place, mechanism, why);
    }
    if (error) {
        world->mechanism[place] = NULL;
        free_mechanism(&world->allocator, mechanism);
        return none;
    }
    mechanism->generation = world->generation++;
    world->mechanism_count++;
    for (int i = 0; i < def->link_count; ++i)
        mo_mechanism_update_mass(world, mechanism->body[i]);
    return (mo_mechanism_id){place + 1, mechanism->generation};
}

void mo_mechanism_remove_place(mo_world *world, int place)
{
    mo_sim_mechanism *mechanism = world->mechanism[place];
    remove_links(world, mechanism, mechanism->tree.links);
    world->mechanism[place] = NULL;
    world->mechanism_count--;
    free_mechanism(&world->allocator, mechanism);
}

mo_error mo_world_remove_mechanism(mo_world *world, mo_mechanism_id id, mo_message *why)
{
    MO_NEED(world, why);
    MO_NEED_ID(mo_mechanism_at(world, id), "mechanism", id, why);
    mo_step_give_up(world);
    mo_mechanism_remove_place(world, id.index - 1);
    return MO_OK;
}

void mo_mechanisms_clear(mo_world *world)
{
    for (int k = 0; k < world->mechanism_places; ++k)
        if (world->mechanism[k]) free_mechanism(&world->allocator, world->mechanism[k]);
    MO_FREE(&world->allocator, world->mechanism, world->excluded.at, world->own_pairs.at,
            world->jacobian);
}

/* The mass of a link's body has changed. */
void mo_mechanism_update_mass(mo_world *world, int place)
{
    const mo_sim_body *body = world->body + place;
    mo_sim_mechanism *mechanism = world->mechanism[body->mechanism];
    mo_linkage_link *link = mechanism->tree.link + body->link;
    link->mass = body->mass;
    mo_vec3_copy(body->centre, link->centre);
    memcpy(link->inertia, body->inertia, sizeof link->inertia);
    mo_mechanism_find_box(mechanism, body->link);
    if (mechanism->generation) /* else its other links are not there yet */
        mo_mechanism_place_links(world, mechanism);
}
