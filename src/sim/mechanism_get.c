/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Reading and changing a mechanism, and its dynamics on request. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/mechanism.h"

/* ---- access ---------------------------------------------------------------------------------- */

MO_GETTER(int, mo_world_mechanism_count, mo_world, mechanism_count)

mo_mechanism_id mo_world_mechanism(const mo_world *world, int k)
{
    MO_NEED_OR((mo_mechanism_id){0}, world, NULL);
    for (int place = 0; k >= 0 && place < world->mechanism_places; ++place) {
        const mo_sim_mechanism *mechanism = world->mechanism[place];
        if (mechanism && k-- == 0) return (mo_mechanism_id){place + 1, mechanism->generation};
    }
    return (mo_mechanism_id){0};
}

mo_mechanism_info mo_mechanism_get(const mo_world *world, mo_mechanism_id id)
{
    MO_NEED_OR((mo_mechanism_info){0}, world, NULL);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    if (!mechanism) return (mo_mechanism_info){.name = ""};
    return (mo_mechanism_info){.name = mechanism->name,
                               .link_count = mechanism->tree.links,
                               .joint_count = mechanism->tree.joints,
                               .actuator_count = mechanism->actuators,
                               .tendon_count = mechanism->tendons,
                               .q_count = mechanism->tree.coordinates,
                               .v_count = mechanism->tree.dofs,
                               .is_asleep = mechanism->tree.dofs > 0 &&
                                            !mo_mechanism_moves(world, mechanism)};
}

mo_body_id mo_mechanism_link(const mo_world *world, mo_mechanism_id id, int k)
{
    MO_NEED_OR((mo_body_id){0}, world, NULL);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    const int is_there = mechanism && k >= 0 && k < mechanism->tree.links;
    return is_there ? mo_body_id_of(world, mechanism->body[k]) : (mo_body_id){0};
}

mo_mechanism_id mo_body_mechanism(const mo_world *world, mo_body_id id, int *link)
{
    MO_NEED_OR((mo_mechanism_id){0}, world, NULL);
    const int place = mo_body_place(world, id);
    const int at = place < 0 ? MO_NONE : world->body[place].mechanism;
    if (link) *link = at < 0 ? MO_NONE : world->body[place].link;
    return at < 0 ? (mo_mechanism_id){0}
                  : (mo_mechanism_id){at + 1, world->mechanism[at]->generation};
}

mo_axis_state mo_mechanism_joint(const mo_world *world, mo_mechanism_id id, int k)
{
    MO_NEED_OR((mo_axis_state){0}, world, NULL);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    if (!mechanism || k < 0 || k >= mechanism->tree.joints) {
        return (mo_axis_state){
            .kind = MO_AXIS_KIND_COUNT, .name = "", .link = MO_NONE, .parent = MO_NONE};
    }
    const mo_sim_axis *axis = mechanism->axis + k;
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const double h = world->last_step > 0 ? world->last_step : 1;
    mo_axis_state state = {.kind = joint->kind,
                           .name = axis->def.name,
                           .link = joint->link,
                           .parent = mechanism->tree.link[joint->link].parent,
                           .q_at = joint->q_at,
                           .q_count = mo_axis_q_count(joint->kind),
                           .v_at = joint->v_at,
                           .v_count = mo_axis_v_count(joint->kind),
                           .has_limits = axis->def.has_limits,
                           .lower = axis->def.lower,
                           .upper = axis->def.upper,
                           .limit_effort = (axis->stop.impulse[0] - axis->stop.impulse[1]) / h};
    const mo_linkage_axis *last = mechanism->tree.axis + joint->v_at + state.v_count - 1;
    mo_vec3_copy(last->point, state.anchor);
    mo_vec3_copy(last->axis, state.axis);
    for (int i = 0; i < state.v_count; ++i)
        state.friction_effort[i] = axis->friction_impulse[i] / h;
    return state;
}

mo_actuator_state mo_mechanism_actuator(const mo_world *world, mo_mechanism_id id, int k)
{
    MO_NEED_OR((mo_actuator_state){0}, world, NULL);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    if (!mechanism || k < 0 || k >= mechanism->actuators)
        return (mo_actuator_state){.name = "", .joint = MO_NONE};
    const mo_sim_actuator *actuator = mechanism->actuator + k;
    mo_actuator_state state = {.name = actuator->def.name,
                               .joint =
                                   actuator->def.on == MO_ON_JOINT ? actuator->def.joint : MO_NONE,
                               .target = actuator->target,
                               .state = mo_actuator_input(actuator),
                               .effort = actuator->effort,
                               .is_saturated = actuator->is_saturated,
                               .has_target_range = actuator->def.has_target_range,
                               .target_lower = actuator->def.target_lower,
                               .target_upper = actuator->def.target_upper,
                               .gain = actuator->def.gain,
                               .lower = actuator->def.lower,
                               .upper = actuator->def.upper};
    memcpy(state.gear, actuator->def.gear, sizeof state.gear);
    memcpy(state.bias, actuator->def.bias, sizeof state.bias);
    const mo_actuator_drive drive =
        mo_actuator_measure(mechanism, actuator, mechanism->v, mechanism->bias);
    state.length = drive.length;
    state.speed = drive.speed;
    return state;
}

const double *mo_mechanism_q(const mo_world *world, mo_mechanism_id id)
{
    MO_NEED_OR(NULL, world, NULL);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    return mechanism ? mechanism->q : NULL;
}

const double *mo_mechanism_v(const mo_world *world, mo_mechanism_id id)
{
    MO_NEED_OR(NULL, world, NULL);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    return mechanism ? mechanism->v : NULL;
}

/* ---- moving ---------------------------------------------------------------------------------- */

mo_error mo_mechanism_set(mo_world *world, mo_mechanism_id id, const double *q, const double *v,
                          mo_message *why)
{
    MO_NEED(world, why);
    mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    const mo_linkage *tree = &mechanism->tree;
    MO_REFUSE_IF(
        (q && !mo_are_moderate(tree->coordinates, q)) || (q && !mo_linkage_has_turns(tree, q)) ||
            (v && !mo_are_moderate(tree->dofs, v)),
        why,
        "mechanism '%.64s' needs finite coordinates and velocities, and quaternions that are not "
        "zero",
        mechanism->name);
    mo_step_give_up(world);
    if (q) {
        memmove(mechanism->q, q, (size_t)tree->coordinates * sizeof *q);
        mo_linkage_normalise(tree, mechanism->q);
    }
    if (v) {
        memmove(mechanism->v, v, (size_t)tree->dofs * sizeof *v);
        memset(mechanism->kick, 0, (size_t)tree->dofs * sizeof *v);
    }
    mo_mechanism_place_links(world, mechanism);
    mo_mechanism_wake(world, mechanism);
    return MO_OK;
}

/* A root on a free joint may be set as other bodies are. */
mo_error mo_mechanism_set_root(mo_world *world, int place, const mo_pose *pose,
                               const double velocity[3], const double spin[3], mo_message *why)
{
    const mo_sim_body *body = world->body + place;
    mo_sim_mechanism *mechanism = world->mechanism[body->mechanism];
    const mo_linkage_link *link = mechanism->tree.link + body->link;
    const mo_linkage_joint *joint =
        link->dof_count == 6 ? mechanism->tree.joint + mechanism->tree.dof[link->first_dof].joint
                             : NULL;
    MO_REFUSE_IF(!joint || joint->kind != MO_AXIS_FREE, why,
                 "the pose of link '%.64s' follows from its joints: set their coordinates with "
                 "mo_mechanism_set",
                 body->def.name);
    mo_step_give_up(world);
    double *q = mechanism->q + joint->q_at, *v = mechanism->v + joint->v_at, arm[3], turn[3];
    mo_vec3_copy(pose->position, q);
    memcpy(q + 3, pose->orientation, 4 * sizeof *q);
    mo_quat_normalise(q + 3);
    mo_pose_vector(pose, world->body[place].centre,
                   arm); /* from the origin, whose velocity is given */
    mo_vec3_cross(spin, arm, turn);
    mo_vec3_minus(velocity, turn, v);
    mo_pose_vector_back(pose, spin, v + 3);
    memset(mechanism->kick, 0, (size_t)mechanism->tree.dofs * sizeof *v);
    mo_mechanism_place_links(world, mechanism);
    mo_mechanism_wake(world, mechanism);
    return MO_OK;
}

mo_error mo_mechanism_set_target(mo_world *world, mo_mechanism_id id, int k, double target,
                                 mo_message *why)
{
    MO_NEED(world, why);
    mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    MO_REFUSE_IF(k < 0 || k >= mechanism->actuators || !isfinite(target), why,
                 "mechanism '%.64s' has %d actuators, whose targets must be finite",
                 mechanism->name, mechanism->actuators);
    mo_sim_actuator *actuator = mechanism->actuator + k;
    const double put =
        actuator->def.has_target_range
            ? fmin(fmax(target, actuator->def.target_lower), actuator->def.target_upper)
            : target;
    if (put != actuator->target) {
        mo_step_give_up(world);
        actuator->target = put;
        mo_mechanism_wake(world, mechanism);
    }
    return MO_OK;
}

mo_error mo_mechanism_push(mo_world *world, mo_mechanism_id id, const double *effort,
                           mo_message *why)
{
    MO_NEED(world && effort, why);
    mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    int is_finite = 1;
    for (int k = 0; k < mechanism->tree.dofs && is_finite; ++k) {
        const double sum = mechanism->push[k] + effort[k];
        is_finite = mo_are_moderate(1, effort + k) && mo_are_moderate(1, &sum);
    }
    MO_REFUSE_IF(!is_finite, why, "efforts on mechanism '%.64s' must be finite", mechanism->name);
    mo_step_give_up(world);
    for (int k = 0; k < mechanism->tree.dofs; ++k)
        mechanism->push[k] += effort[k];
    mo_mechanism_wake(world, mechanism);
    return MO_OK;
}

mo_error mo_mechanism_set_control(mo_world *world, mo_mechanism_id id, mo_control_fn *control,
                                  void *user, mo_message *why)
{
    MO_NEED(world, why);
    mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    mo_step_give_up(world);
    mechanism->control = control;
    mechanism->control_user = user;
    mo_mechanism_wake(world, mechanism);
    return MO_OK;
}

/* ---- for the step ---------------------------------------------------------------------------- */

void mo_mechanism_rest(mo_world *world, int place)
{
    mo_sim_mechanism *mechanism = world->mechanism[place];
    memset(mechanism->v, 0, (size_t)mechanism->tree.dofs * sizeof *mechanism->v);
    memset(mechanism->kick, 0, (size_t)mechanism->tree.dofs * sizeof *mechanism->kick);
}

/* A control may move it at any time. */
int mo_mechanism_stays_awake(const mo_world *world, int place)
{
    const mo_sim_mechanism *mechanism = world->mechanism[place];
    int follows = 0; /* a state that evolves */
    for (int k = 0; k < mechanism->actuators; ++k)
        follows |= mechanism->actuator[k].def.dynamics != MO_DYNAMICS_NONE;
    return mechanism->control != NULL || follows;
}

int mo_mechanism_first(const mo_world *world, int place)
{
    const mo_sim_mechanism *mechanism = world->mechanism[place];
    int i = 0;
    while (i < mechanism->tree.links - 1 && mechanism->tree.link[i].last_dof < 0)
        ++i;
    return mechanism->body[i];
}

/* Energy of springs; adds that of rotors to *kinetic. */
void mo_mechanisms_energy(const mo_world *world, mo_energy *energy)
{
    for (int place = 0; place < world->mechanism_places; ++place) {
        const mo_sim_mechanism *mechanism = world->mechanism[place];
        for (int j = 0; mechanism && j < mechanism->tree.dofs; ++j) {
            energy->rotation +=
                0.5 * mechanism->tree.dof[j].armature * mechanism->v[j] * mechanism->v[j];
        }
        for (int k = 0; mechanism && k < mechanism->tree.joints; ++k) {
            double stretch[6];
            mo_axis_stretch(mechanism, k, stretch);
            energy->springs +=
                0.5 * mechanism->axis[k].def.stiffness * mo_vec3_dot(stretch, stretch);
        }
        for (int k = 0; mechanism && k < mechanism->tendons; ++k) {
            const mo_sim_tendon *tendon = mechanism->tendon + k;
            const double stretch = mo_tendon_stretch(mechanism, tendon);
            energy->springs += 0.5 * tendon->def.stiffness * stretch * stretch;
        }
        for (int i = 0; mechanism && i < mechanism->tree.links; ++i) {
            if (mechanism->tree.link[i].last_dof >= 0) { /* compensated weight has no energy */
                const mo_linkage_link *link = mechanism->tree.link + i;
                energy->gravity += mechanism->gravity_compensation[i] * link->mass *
                                   mo_vec3_dot(world->def.gravity, link->x);
            }
        }
    }
}

/* ---- dynamics -------------------------------------------------------------------------------- */

mo_error mo_mechanism_mass_matrix(const mo_world *world, mo_mechanism_id id, double *M,
                                  mo_message *why)
{
    MO_NEED(world && M, why);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    mo_linkage_mass_matrix(&mechanism->tree, M);
    return MO_OK;
}

mo_error mo_mechanism_bias(const mo_world *world, mo_mechanism_id id, double *bias, mo_message *why)
{
    MO_NEED(world && bias, why);
    return mo_mechanism_inverse(world, id, NULL, bias, why);
}

mo_error mo_mechanism_inverse(const mo_world *world, mo_mechanism_id id, const double *acceleration,
                              double *effort, mo_message *why)
{
    MO_NEED(world && effort, why);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    mo_linkage_inverse(&mechanism->tree, mechanism->v, acceleration, world->def.gravity, effort);
    return MO_OK;
}

mo_error mo_mechanism_forward(const mo_world *world, mo_mechanism_id id, const double *effort,
                              double *acceleration, mo_message *why)
{
    MO_NEED(world && effort && acceleration, why);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    MO_REFUSE_IF(
        !mo_linkage_forward(&mechanism->tree, mechanism->v, effort, world->def.gravity,
                            acceleration),
        why,
        "a joint of mechanism '%.64s' moves no mass: give its link mass and inertia, or the "
        "joint armature",
        mechanism->name);
    return MO_OK;
}

static mo_error check_link(const mo_sim_mechanism *mechanism, int link, mo_message *why)
{
    return link >= 0 && link < mechanism->tree.links
               ? MO_OK
               : mo_fail(why, MO_ERR_ARGUMENT,
                         "mechanism '%.64s' has %d links; there is no link %d", mechanism->name,
                         mechanism->tree.links, link);
}

mo_error mo_mechanism_jacobian(const mo_world *world, mo_mechanism_id id, int link,
                               const double at[3], double *J, mo_message *why)
{
    MO_NEED(world && at && J, why);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    MO_TRY(check_link(mechanism, link, why));
    for (int k = 0; k < 6; ++k) {
        double line[6] = {0};
        line[k] = 1;
        mo_linkage_row(&mechanism->tree, link, at, line, J + k * mechanism->tree.dofs);
    }
    return MO_OK;
}

mo_error mo_mechanism_drift(const mo_world *world, mo_mechanism_id id, int link, const double at[3],
                            double drift[6], mo_message *why)
{
    MO_NEED(world && at && drift, why);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    MO_TRY(check_link(mechanism, link, why));
    mo_linkage_drift(&mechanism->tree, mechanism->v, link, at, drift);
    return MO_OK;
}
