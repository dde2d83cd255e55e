/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Forces and impulses on a body, its pose, contacts and user data.  Every function refuses a stale
 * id with an error message.
 */
#include <string.h>

#include "base/error.h"
#include "linalg/vec3.h"
#include "moreau/mechanism.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

mo_error mo_fail_stale(mo_message *why, const char *what, int32_t index, uint32_t generation)
{
    return mo_fail(
        why, MO_ERR_ARGUMENT,
        "there is no %s with this id (index %d, generation %u): it was removed, or it is "
        "of another world",
        what, (int)index, (unsigned)generation);
}

static mo_error check(const mo_world *world, mo_body_id id, const double *x, const double *y,
                      int *place, mo_message *why)
{
    *place = mo_body_place(world, id);
    MO_NEED_ID(*place >= 0, "body", id, why);
    return mo_are_moderate(3, x) && (!y || mo_are_moderate(3, y))
               ? MO_OK
               : mo_fail(why, MO_ERR_ARGUMENT,
                         "forces, impulses and their points must be finite, and at most %g",
                         MO_LARGEST);
}

mo_error mo_body_pose(const mo_world *world, mo_body_id id, mo_pose *pose, mo_message *why)
{
    mo_device_heap_fetch(world);
    MO_NEED(world && pose, why);
    const int place = mo_body_place(world, id);
    MO_NEED_ID(place >= 0, "body", id, why);
    *pose = mo_sim_body_pose(world->body + place);
    return MO_OK;
}

/* ---- forces ---------------------------------------------------------------------------------- */

static mo_error add_force(mo_world *world, int place, const double force[3], const double moment[3],
                          mo_message *why)
{
    double sum[6];
    mo_vec3_along(world->body[place].force, 1, force, sum);
    mo_vec3_along(world->body[place].force + 3, 1, moment, sum + 3);
    MO_REFUSE_IF(!mo_are_moderate(6, sum), why, "the forces on body '%.64s' sum to more than %g",
                 world->body[place].def.name, MO_LARGEST);
    mo_device_heap_bring_back(world);
    memcpy(world->body[place].force, sum, sizeof sum);
    mo_body_wake(world, place);
    return MO_OK;
}

mo_error mo_body_apply_force(mo_world *world, mo_body_id id, const double force[3],
                             const double at[3], mo_message *why)
{
    MO_NEED(world && force && at, why);
    int place;
    MO_TRY(check(world, id, force, at, &place, why));
    double arm[3], moment[3];
    mo_device_heap_fetch(world);
    mo_vec3_minus(at, world->body[place].x, arm);
    mo_vec3_cross(arm, force, moment);
    return add_force(world, place, force, moment, why);
}

mo_error mo_body_apply_torque(mo_world *world, mo_body_id id, const double torque[3],
                              mo_message *why)
{
    MO_NEED(world && torque, why);
    int place;
    const mo_error error = check(world, id, torque, NULL, &place, why);
    return error ? error : add_force(world, place, (const double[3]){0}, torque, why);
}

/* ---- impulses -------------------------------------------------------------------------------- */

static mo_error kick_body(const mo_world *world, mo_sim_body *body, const double impulse[3],
                          const double at[3], mo_message *why)
{
    double arm[3], moment[3], turn[3] = {0}, v[6];
    mo_vec3_minus(at, body->x, arm);
    mo_vec3_cross(arm, impulse, moment);
    mo_vec3_along(body->v, 1 / body->mass, impulse, v);
    if (mo_is_planar(world)) {
        v[2] = 0;
        turn[2] = moment[2] / body->inertia[8];
    } else {
        mo_mat3_solve(body->world_inertia, moment, turn);
    }
    mo_vec3_along(body->v + 3, 1, turn, v + 3);
    MO_FAIL_IF(
        !mo_are_moderate(6, v),
        mo_fail(why, MO_ERR_ARGUMENT,
                "body '%.64s' has no mass or no inertia, or the impulse would move it faster "
                "than %g",
                body->def.name, MO_LARGEST));
    memcpy(body->v, v, sizeof v);
    return MO_OK;
}

/* v += M^-1 J' impulse: the acceleration caused by the efforts J' impulse. */
static mo_error kick_link(mo_world *world, mo_body_id id, const double impulse[3],
                          const double at[3], mo_message *why)
{
    int link;
    const mo_mechanism_id mechanism = mo_body_mechanism(world, id, &link);
    const size_t n = (size_t)mo_mechanism_get(world, mechanism).v_count;
    double *room = mo_memory_array(&world->allocator, 9 * n, sizeof *room);
    MO_NEED_MEMORY(room, why);
    double *J = room, *effort = room + 6 * n, *with = effort + n, *without = with + n;
    memset(effort, 0, n * sizeof *effort);
    mo_error error = mo_mechanism_jacobian(world, mechanism, link, at, J, why);
    error = error ? error : mo_mechanism_forward(world, mechanism, effort, without, why);
    for (size_t k = 0; k < n && !error; ++k)
        effort[k] = J[k] * impulse[0] + J[n + k] * impulse[1] + J[2 * n + k] * impulse[2];
    error = error ? error : mo_mechanism_forward(world, mechanism, effort, with, why);
    const double *v = mo_mechanism_v(world, mechanism);
    for (size_t k = 0; k < n && !error; ++k)
        with[k] = v[k] + (with[k] - without[k]);
    error = error ? error : mo_mechanism_set(world, mechanism, NULL, with, why);
    mo_memory_free(&world->allocator, room);
    return error;
}

mo_error mo_body_apply_impulse(mo_world *world, mo_body_id id, const double impulse[3],
                               const double at[3], mo_message *why)
{
    MO_NEED(world && impulse && at, why);
    int place;
    MO_TRY(check(world, id, impulse, at, &place, why));
    const mo_sim_body *body = world->body + place;
    if (body->kind == MO_BODY_LINK) return kick_link(world, id, impulse, at, why);
    if (body->kind == MO_BODY_FREE) { /* nothing moves a fixed or driven body */
        mo_device_heap_bring_back(world);
        MO_TRY(kick_body(world, world->body + place, impulse, at, why));
        mo_body_wake(world, place);
    }
    return MO_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

int mo_world_contacts(const mo_world *world, mo_contact *contacts, int room)
{
    (void)mo_device_heap_fetch_contacts(world);
    MO_NEED_OR(0, world && (contacts || room <= 0), NULL);
    const int count = mo_world_contact_count(world);
    for (int k = 0; k < count && k < room; ++k)
        contacts[k] = mo_world_contact(world, k);
    return count;
}

int mo_body_contacts(const mo_world *world, mo_body_id id, mo_contact *contacts, int room)
{
    (void)mo_device_heap_fetch_contacts(world);
    MO_NEED_OR(0, world && (contacts || room <= 0), NULL);
    const int place = mo_body_place(world, id);
    int count = 0;
    for (int k = 0; place >= 0 && k < world->contacts.count; ++k) {
        const int *body = world->contacts.at[k].body;
        if (body[0] == place || body[1] == place) {
            if (count < room) contacts[count] = mo_world_contact(world, k);
            ++count;
        }
    }
    return count;
}

mo_error mo_body_contact_force(const mo_world *world, mo_body_id id, double force[3],
                               double moment[3], mo_message *why)
{
    mo_device_heap_fetch(world);
    (void)mo_device_heap_fetch_contacts(world);
    MO_NEED(world && force && moment, why);
    const int place = mo_body_place(world, id);
    MO_NEED_ID(place >= 0, "body", id, why);
    const double *x = world->body[place].x;
    mo_vec3_set(force, 0, 0, 0);
    mo_vec3_set(moment, 0, 0, 0);
    for (int k = 0; k < world->contacts.count && world->last_step > 0; ++k) {
        const int *body = world->contacts.at[k].body;
        if (body[0] == place || body[1] == place) {
            const mo_contact contact = mo_world_contact(world, k);
            const double per = (body[1] == place ? 1 : -1) / world->last_step;
            double arm[3], turn[3];
            mo_vec3_minus(contact.point, x, arm);
            mo_vec3_cross(arm, contact.impulse, turn);
            mo_vec3_along(force, per, contact.impulse, force);
            mo_vec3_along(moment, per, turn, moment);
            mo_vec3_along(moment, per, contact.moment, moment);
        }
    }
    return MO_OK;
}

/* ---- shapes and user data -------------------------------------------------------------------- */

mo_shape_id mo_body_shape_id(const mo_world *world, mo_body_id id, int k)
{
    MO_NEED_OR((mo_shape_id){0}, world, NULL);
    const int place = mo_body_place(world, id);
    int shape = place < 0 || k < 0 ? MO_NONE : world->body[place].first_shape;
    for (int skip = 0; shape != MO_NONE && skip < k; ++skip)
        shape = world->shape[shape].next;
    return shape == MO_NONE ? (mo_shape_id){0}
                            : (mo_shape_id){shape + 1, world->shape[shape].generation};
}

mo_body_id mo_shape_body(const mo_world *world, mo_shape_id id)
{
    MO_NEED_OR((mo_body_id){0}, world, NULL);
    const int place = mo_shape_place(world, id);
    return mo_body_id_of(world, place < 0 ? MO_NONE : world->shape[place].body);
}

mo_error mo_body_set_user_data(mo_world *world, mo_body_id id, void *user_data, mo_message *why)
{
    MO_NEED(world, why);
    const int place = mo_body_place(world, id);
    MO_NEED_ID(place >= 0, "body", id, why);
    world->body[place].def.user_data = user_data;
    if (world->step.is_waiting && world->step.stage >= MO_STAGE_ACCEPT)
        world->step.kept[place].def.user_data = user_data;
    return MO_OK;
}

mo_error mo_shape_set_user_data(mo_world *world, mo_shape_id id, void *user_data, mo_message *why)
{
    MO_NEED(world, why);
    const int place = mo_shape_place(world, id);
    MO_NEED_ID(place >= 0, "shape", id, why);
    world->shape[place].collider.def.user_data = user_data;
    return MO_OK;
}

mo_error mo_joint_set_user_data(mo_world *world, mo_joint_id id, void *user_data, mo_message *why)
{
    MO_NEED(world, why);
    const int place = mo_joint_place(world, id);
    MO_NEED_ID(place >= 0, "joint", id, why);
    world->joint[place].def.user_data = user_data;
    return MO_OK;
}
