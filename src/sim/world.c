/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Creation and destruction of worlds; adding and removing bodies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "base/recycler.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

mo_world_def mo_default_world(void)
{
    mo_world_def def = {.dimension = 3,
                        .gravity = {0, 0, -9.81},
                        .restitution_speed = 1e-2,
                        .overlap = 1e-3,
                        .moving_tol = 1e-3};
    def.solver = mo_default_options();
    def.solver.canonical = 1;
    /* an unsolved step is taken and reported */
    def.solver.max_iter = 3000;
    return def;
}

mo_world_def mo_default_planar_world(void)
{
    mo_world_def def = mo_default_world();
    def.dimension = 2;
    mo_vec3_set(def.gravity, 0, -9.81, 0);
    return def;
}

static mo_error check_definition(const mo_world_def *def, mo_message *why)
{
    MO_REFUSE_IF(def->dimension != 2 && def->dimension != 3, why,
                 "a world has dimension 2 or 3, not %d", def->dimension);
    MO_REFUSE_IF(!mo_are_moderate(3, def->gravity), why, "gravity must be finite, and at most %g",
                 MO_LARGEST);
    MO_REFUSE_IF(!(def->margin >= 0) || isinf(def->margin), why,
                 "the margin of contacts is %g, but must be finite and not negative", def->margin);
    MO_REFUSE_IF(!(def->overlap > 0), why, "overlap is %g, but must be above zero", def->overlap);
    MO_REFUSE_IF(!(def->moving_tol >= 0 && def->moving_tol <= 1), why,
                 "moving_tol is %g, but must be from 0 to 1", def->moving_tol);
    MO_REFUSE_IF(def->level != MO_LEVEL_VELOCITY && def->level != MO_LEVEL_ACCELERATION, why,
                 "%d is not a level of a step", (int)def->level);
    MO_REFUSE_IF(!(def->first_order >= 0) || isinf(def->first_order), why,
                 "first_order is %g, but must be finite and not negative", def->first_order);
    MO_REFUSE_IF(def->first_order > 0 && def->level == MO_LEVEL_ACCELERATION, why,
                 "a first-order world has no accelerations: use MO_LEVEL_VELOCITY");
    MO_REFUSE_IF(!(def->restitution_speed >= 0), why,
                 "restitution_speed is %g, but must not be negative", def->restitution_speed);
    MO_REFUSE_IF((unsigned)def->friction_rule >= MO_COMBINE_COUNT ||
                     (unsigned)def->restitution_rule >= MO_COMBINE_COUNT,
                 why, "friction_rule and restitution_rule are among mo_combine_rule");
    MO_REFUSE_IF(def->solver.method && mo_method_find(def->solver.method) < 0, why,
                 "there is no method '%.64s'", def->solver.method);
    return mo_options_check(&def->solver, why);
}

/* Problems and results are made anew in each step, from the same memory. */
static mo_error make_parts(mo_world *world)
{
    const mo_allocator again = mo_recycler_allocator(world->recycler);
    world->result.allocator = world->side_result.allocator = again;
    const mo_error error = mo_tree_create(&world->allocator, &world->tree);
    return error ? error : mo_builder_create(&again, &world->builder);
}

mo_error mo_world_create(const mo_world_def *def, const mo_allocator *allocator, mo_world **world,
                         mo_message *why)
{
    MO_NEED(world, why);
    const mo_world_def usual = mo_default_world();
    def = def ? def : &usual;
    *world = NULL;
    MO_TRY(check_definition(def, why));
    const mo_allocator own = mo_allocator_or_default(allocator);
    mo_world *made = mo_memory_array(&own, 1, sizeof *made);
    MO_NEED_MEMORY(made, why);
    memset(made, 0, sizeof *made);
    made->allocator = own;
    made->def = *def;
    made->generation = 1;
    made->touches.allocator = own;
    made->recycler = mo_recycler_create(&own);
    if (!made->recycler || make_parts(made)) {
        mo_world_destroy(made);
        return mo_fail_memory(why);
    }
    *world = made;
    return MO_OK;
}

void mo_world_destroy(mo_world *world)
{
    if (!world) return;
    const mo_allocator own = world->allocator;
    mo_step_give_up(world);
    mo_paced_destroy(world->step.paced);
    mo_device_heap_drop(world);
    for (int k = 0; k < world->shape_places; ++k)
        if (world->shape[k].generation) mo_collider_clear(&own, &world->shape[k].collider);
    for (int k = 0; k < world->body_places; ++k)
        MO_FREE(&own, world->body[k].name, world->body[k].motion_data);
    mo_mechanisms_clear(world);
    mo_tree_destroy(world->tree);
    mo_builder_destroy(world->builder);
    mo_problem_destroy(world->problem);
    mo_result_clear(&world->result);
    mo_problem_destroy(world->side_problem);
    mo_result_clear(&world->side_result);
    mo_recycler_destroy(world->recycler);
    void *arrays[] = {world->body,
                      world->living,
                      world->shape,
                      world->boundless,
                      world->joint,
                      world->jointed,
                      world->pairs.at,
                      world->touches.touch,
                      world->contacts.at,
                      world->before.at,
                      world->found.at,
                      world->start,
                      world->spare_pairs.at,
                      world->fresh_pairs.at,
                      world->step.crowd,
                      world->pair_start,
                      world->near,
                      world->leader,
                      world->contacts.open,
                      world->before.open,
                      world->found.open,
                      world->contacts.fast,
                      world->before.fast,
                      world->found.fast,
                      world->touch_start,
                      world->touching,
                      world->seen,
                      world->step.late,
                      world->step.overlapping.at,
                      world->step.kept,
                      world->step.kept_joint,
                      world->step.kept_mechanisms,
                      world->side_contacts.at,
                      world->side_contacts.open,
                      world->side_contacts.fast,
                      world->island};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        mo_memory_free(&own, arrays[k]);
    mo_memory_free(&own, world);
}

mo_world_def mo_world_definition(const mo_world *world)
{
    MO_NEED_OR((mo_world_def){0}, world, NULL);
    return world->def;
}

static int changes_the_time_limit_alone(const mo_world *world, const mo_world_def *def)
{
    mo_world_def other;
    memcpy(&other, def, sizeof other);
    other.solver.time_limit = world->def.solver.time_limit;
    return def->solver.time_limit >= 0 &&
           memcmp((const char *)&other, (const char *)&world->def, sizeof other) == 0;
}

mo_error mo_world_change(mo_world *world, const mo_world_def *def, mo_message *why)
{
    MO_NEED(world && def, why);
    if (changes_the_time_limit_alone(world, def)) { /* a suspended step is resumed */
        world->def.solver.time_limit = def->solver.time_limit;
        return MO_OK;
    }
    MO_REFUSE_IF(def->dimension != world->def.dimension, why,
                 "the dimension of a world cannot change");
    MO_TRY(check_definition(def, why));
    mo_device_heap_bring_back(world);
    world->def = *def;
    mo_surfaces_renew(world);
    for (int k = 0; k < world->living_count; ++k)
        mo_body_wake(world, world->living[k]);
    return MO_OK;
}

MO_GETTER(double, mo_world_time, mo_world, time)

/* ---- ids ------------------------------------------------------------------------------------- */

MO_PLACE_FINDER(mo_body_place, mo_body_id, body)

mo_body_id mo_body_id_of(const mo_world *world, int place)
{
    return place < 0 ? (mo_body_id){0} : (mo_body_id){place + 1, world->body[place].generation};
}

MO_PLACE_FINDER(mo_shape_place, mo_shape_id, shape)
MO_PLACE_FINDER(mo_joint_place, mo_joint_id, joint)

int mo_world_has_body(const mo_world *world, mo_body_id body)
{
    MO_NEED_OR(0, world, NULL);
    return mo_body_place(world, body) >= 0;
}

MO_GETTER(int, mo_world_body_count, mo_world, living_count)

mo_body_id mo_world_body(const mo_world *world, int k)
{
    MO_NEED_OR((mo_body_id){0}, world, NULL);
    return k < 0 || k >= world->living_count ? (mo_body_id){0}
                                             : mo_body_id_of(world, world->living[k]);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

mo_body_def mo_default_body(mo_body_kind kind)
{
    return (mo_body_def){.kind = kind, .pose = {.orientation = {1, 0, 0, 0}}};
}

static mo_error check_body(const mo_world *world, const mo_body_def *def, mo_message *why)
{
    MO_REFUSE_IF(def->kind == MO_BODY_LINK, why, "links are created by mo_world_add_mechanism");
    MO_REFUSE_IF(def->kind != MO_BODY_FREE && def->kind != MO_BODY_FIXED &&
                     def->kind != MO_BODY_DRIVEN,
                 why, "%d is not a kind of body", (int)def->kind);
    const double *q = def->pose.orientation;
    MO_REFUSE_IF(!mo_are_moderate(3, def->pose.position) || !mo_are_moderate(4, q) ||
                     !mo_are_moderate(3, def->velocity) || !mo_are_moderate(3, def->spin),
                 why, "the pose and the velocities of a body must be finite");
    MO_REFUSE_IF(
        !mo_quat_is_unit(q), why,
        "the orientation of a body must be a unit quaternion (w, x, y, z), not (%g, %g, %g, %g)",
        q[0], q[1], q[2], q[3]);
    MO_REFUSE_IF(mo_is_planar(world) && (q[1] != 0 || q[2] != 0), why,
                 "a body of a planar world rotates about z only");
    MO_REFUSE_IF(!(def->mass >= 0 && def->mass <= MO_LARGEST), why,
                 "the mass of a body is %g, but must be between 0 and %g", def->mass, MO_LARGEST);
    MO_REFUSE_IF(!mo_are_moderate(6, def->inertia) || !mo_are_moderate(3, def->centre), why,
                 "the inertia and the centre of a body must be finite");
    MO_REFUSE_IF(!(def->linear_damping >= 0) || isinf(def->linear_damping) ||
                     !(def->angular_damping >= 0) || isinf(def->angular_damping),
                 why, "the damping of a body must be finite and not negative");
    MO_FAIL_IF(world->copies > 0 && def->kind != MO_BODY_FIXED,
               mo_fail(why, MO_ERR_UNSUPPORTED,
                       "a body that moves cannot be added to copies of a world: add it to the "
                       "world, and copy that again"));
    return MO_OK;
}

/* A free place in an array of things with a generation, or a new one at its end. */
static int take_body_place(mo_world *world)
{
    for (int k = 0; world->living_count < world->body_places && k < world->body_places; ++k)
        if (!world->body[k].generation) return k;
    const size_t needed = (size_t)world->body_places + 1;
    MO_FAIL_IF(!MO_GROW(&world->allocator, world->body, world->body_room, needed) ||
                   !MO_GROW(&world->allocator, world->leader, world->leader_room, needed),
               MO_NONE);
    return world->body_places++;
}

/* A copy of this many bytes (at least one); NULL for lack of memory. */
static void *copy_bytes(const mo_world *world, const void *bytes, size_t size)
{
    void *copy = mo_memory_array(&world->allocator, size, 1);
    return copy && size ? memcpy(copy, bytes, size) : copy;
}

mo_body_id mo_world_add_body(mo_world *world, const mo_body_def *def, mo_message *why)
{
    MO_NEED_OR((mo_body_id){0}, world && def, why);
    if (check_body(world, def, why)) return (mo_body_id){0};
    mo_device_heap_bring_back(world);
    const char *text = def->name ? def->name : "";
    char *name = copy_bytes(world, text, strlen(text) + 1);
    void *motion_data = copy_bytes(world, def->motion_user, def->motion_user_size);
    const int has_room = MO_GROW(&world->allocator, world->living, world->living_room,
                                 (size_t)world->living_count + 1);
    const int place = name && motion_data && has_room ? take_body_place(world) : MO_NONE;
    if (place < 0) {
        MO_FREE(&world->allocator, name, motion_data);
        mo_fail_memory(why);
        return (mo_body_id){0};
    }
    mo_sim_body *body = world->body + place;
    *body = (mo_sim_body){.generation = world->generation++, .kind = def->kind, .def = *def};
    body->def.name = body->name = name;
    body->motion_data = motion_data;
    if (def->motion_user_size > 0) body->def.motion_user = motion_data;
    body->first_shape = body->first_joint = body->block = body->mechanism = MO_NONE;
    body->leader = place;
    mo_body_let_go(body);
    body->id = (uint32_t)place;
    memcpy(body->orientation, def->pose.orientation, sizeof body->orientation);
    mo_quat_normalise(body->orientation);
    mo_vec3_copy(def->pose.position, body->x);
    mo_vec3_copy(def->velocity, body->v);
    mo_vec3_copy(def->spin, body->v + 3);
    if (mo_is_planar(world)) body->x[2] = body->v[2] = body->v[3] = body->v[4] = 0;
    world->living[world->living_count++] = place;
    if (mo_body_update_mass(world, place, why)) {
        mo_world_remove_body(world, mo_body_id_of(world, place), NULL);
        return (mo_body_id){0};
    }
    return mo_body_id_of(world, place);
}

mo_body_id mo_world_add_solid(mo_world *world, mo_body_kind kind, const mo_shape_def *shape,
                              const mo_pose *pose, mo_message *why)
{
    MO_NEED_OR((mo_body_id){0}, world && shape, why);
    mo_body_def def = mo_default_body(kind);
    def.pose = pose ? *pose : def.pose;
    const mo_body_id body = mo_world_add_body(world, &def, why);
    if (body.index && !mo_world_add_shape(world, body, shape, why).index) {
        mo_world_remove_body(world, body, NULL);
        return (mo_body_id){0};
    }
    return body;
}

mo_error mo_world_remove_body(mo_world *world, mo_body_id id, mo_message *why)
{
    MO_NEED(world, why);
    const int place = mo_body_place(world, id);
    MO_NEED_ID(place >= 0, "body", id, why);
    MO_FAIL_IF(world->copies > 0,
               mo_fail(why, MO_ERR_UNSUPPORTED,
                       "a body cannot be removed from copies of a world: copy the world again"));
    mo_device_heap_bring_back(world);
    if (world->body[place].mechanism != MO_NONE) {
        mo_mechanism_remove_place(world, world->body[place].mechanism);
        return MO_OK;
    }
    mo_forget_own_pairs(world, place, MO_NONE);
    mo_sim_body *body = world->body + place;
    mo_forget_contacts(world, place, MO_NONE);
    while (body->first_joint != MO_NONE) {
        const int j = body->first_joint;
        mo_world_remove_joint(world, (mo_joint_id){j + 1, world->joint[j].generation}, NULL);
    }
    for (int k = body->first_shape; k != MO_NONE;) {
        const int next = world->shape[k].next;
        mo_wake_around(world, k);
        mo_forget_shape(world, k);
        k = next;
    }
    MO_FREE(&world->allocator, body->name, body->motion_data);
    *body = (mo_sim_body){.mechanism = MO_NONE};
    mo_list_remove(world->living, &world->living_count, place);
    return MO_OK;
}
