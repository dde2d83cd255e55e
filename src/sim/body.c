/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Masses, state and motion of bodies.  Forces and impulses are in apply.c. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

/* With the centre of mass at x. */
static mo_pose pose_at(const mo_sim_body *body, const double x[3], const double orientation[4])
{
    mo_pose pose;
    memcpy(pose.orientation, orientation, sizeof pose.orientation);
    mo_vec3_copy(x, pose.position);
    if (mo_vec3_dot(body->centre, body->centre) != 0) {
        double arm[3];
        mo_quat_turn(orientation, body->centre, arm);
        mo_vec3_minus(x, arm, pose.position);
    }
    return pose;
}

mo_pose mo_sim_body_pose(const mo_sim_body *body)
{
    return pose_at(body, body->x, body->orientation);
}

mo_pose mo_shape_pose(const mo_sim_body *body, const mo_sim_shape *shape)
{
    return mo_shape_pose_at(body, body->x, body->orientation, shape);
}

mo_pose mo_shape_pose_at(const mo_sim_body *body, const double x_body[3],
                         const double orientation[4], const mo_sim_shape *shape)
{
    const mo_pose *in_body = &shape->collider.def.pose, pose = pose_at(body, x_body, orientation);
    const double *x = in_body->position, *q = in_body->orientation;
    const int is_same =
        x[0] == 0 && x[1] == 0 && x[2] == 0 && q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0;
    return is_same ? pose : mo_pose_compose(&pose, in_body);
}

/* ---- masses ---------------------------------------------------------------------------------- */

typedef struct weight {
    double mass, centre[3], inertia[9]; /* inertia about the centre */
} weight;

/* Steiner: A += m (|d|^2 I - d d'). */
static void add_offset(double mass, const double d[3], double A[9])
{
    const double square = mo_vec3_dot(d, d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            A[3 * i + j] += mass * ((i == j) * square - d[i] * d[j]);
}

static weight weigh_shapes(const mo_world *world, const mo_sim_body *body)
{
    weight all = {0};
    for (int k = body->first_shape; k != MO_NONE; k = world->shape[k].next) {
        const mo_collider *collider = &world->shape[k].collider;
        double volume, centre[3], inertia[6];
        mo_collider_mass(collider, &volume, centre, inertia);
        const double mass = collider->def.density * volume;
        mo_vec3_along(all.centre, mass, centre, all.centre);
        all.mass += mass;
    }
    if (!(all.mass > 0)) return (weight){0};
    mo_vec3_scale(1 / all.mass, all.centre, all.centre);
    for (int k = body->first_shape; k != MO_NONE; k = world->shape[k].next) {
        const mo_collider *collider = &world->shape[k].collider;
        double volume, centre[3], inertia[6], own[9];
        mo_collider_mass(collider, &volume, centre, inertia);
        mo_mat3_symmetric(inertia, own);
        mo_vec3_minus(centre, all.centre, centre);
        mo_axpy(9, collider->def.density, own, all.inertia);
        add_offset(collider->def.density * volume, centre, all.inertia);
    }
    return all;
}

/* Mass, centre and inertia of the definition, if given. */
static weight weigh(const mo_world *world, const mo_sim_body *body)
{
    weight all = weigh_shapes(world, body);
    const mo_body_def *def = &body->def;
    if (!(def->mass > 0)) return all;
    static const double NOTHING[3] = {0};
    if (mo_vec3_are_equal(def->inertia, NOTHING) && mo_vec3_are_equal(def->inertia + 3, NOTHING)) {
        const double scale = all.mass > 0 ? def->mass / all.mass : 0;
        mo_scale(9, scale, all.inertia);
        if (body->first_shape == MO_NONE) /* a point */
            mo_vec3_copy(def->centre, all.centre);
    } else {
        mo_mat3_symmetric(def->inertia, all.inertia);
        mo_vec3_copy(def->centre, all.centre);
    }
    all.mass = def->mass;
    return all;
}

/* Radius about the centre of mass, with room for the shapes that have bounds. */
static double size_of(const mo_world *world, const mo_sim_body *body)
{
    double size = 0;
    for (int k = body->first_shape; k != MO_NONE; k = world->shape[k].next) {
        const mo_collider *collider = &world->shape[k].collider;
        double arm[3];
        mo_vec3_minus(collider->def.pose.position, body->centre, arm);
        size = fmax(size, mo_vec3_norm(arm) + collider->size);
    }
    return size;
}

/*
 * The frame of the body stays where it is; only the centre of mass moves in it.  A free body
 * without mass yet (its shapes come later) has mass zero here; the step refuses it.
 */
void mo_body_turn_inertia(mo_sim_body *body)
{
    if (body->is_ball) {
        memcpy(body->world_inertia, body->inertia, sizeof body->world_inertia);
    } else {
        double R[9];
        mo_quat_matrix(body->orientation, R);
        mo_mat3_turn(R, body->inertia, body->world_inertia);
    }
}

mo_error mo_body_update_mass(mo_world *world, int place, mo_message *why)
{
    mo_sim_body *body = world->body + place;
    const mo_pose frame = mo_sim_body_pose(body);
    weight all = weigh(world, body);
    const int is_planar = mo_is_planar(world);
    int is_fit =
        all.mass <= MO_LARGEST && mo_are_moderate(9, all.inertia) && mo_are_moderate(3, all.centre);
    if (!is_fit && body->kind != MO_BODY_FREE && body->kind != MO_BODY_LINK) {
        all = (weight){0}; /* nothing moves it */
        is_fit = 1;
    }
    if (body->kind == MO_BODY_FREE && all.mass > 0 &&
        (body->def.mass > 0 || body->first_shape != MO_NONE)) {
        const int may_wait =
            body->first_shape == MO_NONE && all.inertia[0] + all.inertia[4] + all.inertia[8] == 0;
        is_fit = is_fit && (may_wait || (is_planar ? all.inertia[8] > 0
                                                   : mo_mat3_is_positive_definite(all.inertia)));
    }
    MO_REFUSE_IF(!is_fit, why, "the inertia of body '%.64s' is not positive definite, or above %g",
                 body->def.name, MO_LARGEST);
    body->mass = all.mass;
    body->is_ball = !is_planar && mo_mat3_is_isotropic(all.inertia, 1e-12);
    memcpy(body->inertia, all.inertia, sizeof body->inertia);
    mo_vec3_copy(all.centre, body->centre);
    mo_pose_point(&frame, body->centre, body->x);
    body->size = size_of(world, body);
    mo_body_turn_inertia(body);
    world->masses_are_fit = 0;
    if (body->mechanism != MO_NONE) mo_mechanism_update_mass(world, place);
    return MO_OK;
}

/* ---- access ---------------------------------------------------------------------------------- */

mo_body_state mo_body_get(const mo_world *world, mo_body_id id)
{
    mo_device_heap_fetch(world);
    MO_NEED_OR((mo_body_state){0}, world, NULL);
    const int place = mo_body_place(world, id);
    if (place < 0) return (mo_body_state){.pose = mo_pose_identity(), .name = ""};
    const mo_sim_body *body = world->body + place;
    mo_body_state state = {.kind = body->kind,
                           .pose = mo_sim_body_pose(body),
                           .mass = body->mass,
                           .is_asleep = body->is_asleep,
                           .name = body->def.name,
                           .user_data = body->def.user_data,
                           .shape_count = body->shape_count};
    mo_vec3_copy(body->v, state.velocity);
    mo_vec3_copy(body->v + 3, state.spin);
    mo_vec3_copy(body->x, state.centre);
    mo_mat3_six(body->inertia, state.inertia);
    return state;
}

mo_error mo_body_set(mo_world *world, mo_body_id id, const mo_pose *pose, const double velocity[3],
                     const double spin[3], mo_message *why)
{
    MO_NEED(world && pose && velocity && spin, why);
    const int place = mo_body_place(world, id);
    MO_NEED_ID(place >= 0, "body", id, why);
    MO_REFUSE_IF(!mo_pose_is_valid(pose) || !mo_are_moderate(3, velocity) ||
                     !mo_are_moderate(3, spin),
                 why, "a body needs a finite pose with a unit quaternion, and finite velocities");
    if (world->body[place].mechanism != MO_NONE)
        return mo_mechanism_set_root(world, place, pose, velocity, spin, why);
    mo_device_heap_bring_back(world);
    mo_sim_body *body = world->body + place;
    memcpy(body->orientation, pose->orientation, sizeof body->orientation);
    mo_quat_normalise(body->orientation);
    double arm[3];
    mo_quat_turn(body->orientation, body->centre, arm);
    mo_vec3_along(pose->position, 1, arm, body->x);
    mo_vec3_copy(velocity, body->v);
    mo_vec3_copy(spin, body->v + 3);
    if (mo_is_planar(world)) body->x[2] = body->v[2] = body->v[3] = body->v[4] = 0;
    mo_body_wake(world, place);
    return MO_OK;
}

void mo_body_wake(mo_world *world, int place)
{
    if (world->body[place].is_asleep) mo_islands_wake(world, place);
    world->body[place].quiet_steps = 0;
}

mo_shape_def mo_body_shape(const mo_world *world, mo_body_id id, int k)
{
    MO_NEED_OR((mo_shape_def){0}, world, NULL);
    const int shape = mo_shape_place(world, mo_body_shape_id(world, id, k));
    return shape == MO_NONE ? (mo_shape_def){.kind = MO_SHAPE_KIND_COUNT}
                            : world->shape[shape].collider.def;
}

mo_error mo_body_set_material(mo_world *world, mo_body_id id, const mo_material *material,
                              mo_message *why)
{
    MO_NEED(world && material, why);
    const int place = mo_body_place(world, id);
    MO_NEED_ID(place >= 0, "body", id, why);
    MO_FAIL_IF(mo_material_check(material, mo_is_planar(world), why), MO_ERR_ARGUMENT);
    mo_device_heap_bring_back(world);
    for (int k = world->body[place].first_shape; k != MO_NONE; k = world->shape[k].next) {
        world->shape[k].collider.def.material = *material;
        world->near[k].surface = mo_surface_number(world, material);
    }
    mo_body_wake(world, place);
    return MO_OK;
}
