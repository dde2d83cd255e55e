/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Access to a robot in the coordinates of its model. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collide/collide.h"
#include "io/robot_data.h"
#include "linalg/vec3.h"

void mo_robot_destroy(mo_robot *robot)
{
    if (robot) {
        const mo_allocator allocator = robot->allocator;
        MO_FREE(&allocator, robot->bodies, robot->joints, robot->actuators, robot->tendons,
                robot->mocap, robot->sensors, robot->sites, robot->parts, robot->last, robot->q,
                robot->v, (void *)robot->notes);
        mo_pool_clear(&robot->texts);
        mo_memory_free(&allocator, robot);
    }
}

mo_body_id mo_robot_body(const mo_robot *robot, int body)
{
    MO_NEED_OR((mo_body_id){0}, robot, NULL);
    return body >= 0 && body < robot->body_count ? robot->bodies[body] : (mo_body_id){0};
}

mo_error mo_robot_keep_note(mo_robot *robot, mo_message *why, const char *format, ...)
{
    char said[400];
    va_list values;
    va_start(values, format);
    vsnprintf(said, sizeof said, format, values);
    va_end(values);
    const char **notes = mo_memory_resize(&robot->allocator, (void *)robot->notes,
                                          ((size_t)robot->note_count + 1) * sizeof *notes);
    MO_NEED_MEMORY(notes, why);
    robot->notes = notes;
    notes[robot->note_count] = mo_pool_text(&robot->texts, said, strlen(said));
    return notes[robot->note_count++] ? MO_OK : mo_fail_memory(why);
}

MO_GETTER(int, mo_robot_note_count, mo_robot, note_count)

const char *mo_robot_note(const mo_robot *robot, int k)
{
    MO_NEED_OR(NULL, robot, NULL);
    return k >= 0 && k < robot->note_count ? robot->notes[k] : NULL;
}

mo_mechanism_id mo_robot_joint(const mo_robot *robot, int joint, int *number)
{
    MO_NEED_OR((mo_mechanism_id){0}, robot, NULL);
    if (joint < 0 || joint >= robot->joint_count) return (mo_mechanism_id){0};
    if (number) *number = robot->joints[joint].number;
    return robot->joints[joint].mechanism;
}

/* The mechanism of entry k of a list, and its number there. */
static mo_mechanism_id control_at(const mo_robot_control *list, int count, int k, int *number)
{
    if (k < 0 || k >= count) return (mo_mechanism_id){0};
    if (number) *number = list[k].number;
    return list[k].mechanism;
}

mo_mechanism_id mo_robot_actuator(const mo_robot *robot, int actuator, int *number)
{
    MO_NEED_OR((mo_mechanism_id){0}, robot, NULL);
    return control_at(robot->actuators, robot->actuator_count, actuator, number);
}

mo_mechanism_id mo_robot_tendon(const mo_robot *robot, int tendon, int *number)
{
    MO_NEED_OR((mo_mechanism_id){0}, robot, NULL);
    return control_at(robot->tendons, robot->tendon_count, tendon, number);
}

/* ---- free bodies ----------------------------------------------------------------------------- */

/* From the origin of the body to its centre of mass, world axes. */
static void arm_of(const mo_body_state *state, double arm[3])
{
    mo_vec3_minus(state->centre, state->pose.position, arm);
}

static void get_free(const mo_world *world, mo_body_id body, double *q, double *v)
{
    const mo_body_state state = mo_body_get(world, body);
    if (q) {
        memcpy(q, state.pose.position, 3 * sizeof *q);
        memcpy(q + 3, state.pose.orientation, 4 * sizeof *q);
    }
    if (v) {
        double arm[3], turn[3];
        arm_of(&state, arm);
        mo_vec3_cross(state.spin, arm, turn);
        mo_vec3_minus(state.velocity, turn, v);
        mo_pose_vector_back(&state.pose, state.spin, v + 3);
    }
}

/* Arguments of mo_body_set; if q or v is NULL, the body keeps its own. */
static void place_free(const mo_world *world, mo_body_id body, const double *q, const double *v,
                       mo_pose *pose, double velocity[3], double spin[3])
{
    double now_q[7], now_v[6], arm[3], turn[3], local[3];
    const mo_body_state before = mo_body_get(world, body);
    get_free(world, body, now_q, now_v);
    q = q ? q : now_q;
    v = v ? v : now_v;
    memcpy(pose->position, q, sizeof pose->position);
    memcpy(pose->orientation, q + 3, sizeof pose->orientation);
    mo_quat_normalise(pose->orientation);
    arm_of(&before, arm);
    mo_pose_vector_back(&before.pose, arm, local);
    mo_pose_vector(pose, local, arm);
    mo_pose_vector(pose, v + 3, spin);
    mo_vec3_cross(spin, arm, turn);
    mo_vec3_along(v, 1, turn, velocity);
}

static mo_error set_free(mo_world *world, mo_body_id body, const double *q, const double *v,
                         mo_message *why)
{
    mo_pose pose;
    double velocity[3], spin[3];
    place_free(world, body, q, v, &pose, velocity, spin);
    return mo_body_set(world, body, &pose, velocity, spin, why);
}

/* ---- checks: all of a call, before any of it is done ----------------------------------------- */

/* The last four of four or seven coordinates are a quaternion. */
static bool is_configuration(int count, const double *q)
{
    double square = count < 4;
    for (int k = count - 4; count >= 4 && k < count; ++k)
        square += q[k] * q[k];
    return mo_are_moderate(count, q) && square > 1e-20;
}

static mo_error check_joint(const mo_robot *robot, const mo_world *world, int k, const double *q,
                            const double *v, mo_message *why)
{
    const mo_robot_place *at = robot->joints + k;
    const bool is_free = !at->mechanism.index;
    mo_pose pose;
    double velocity[3], spin[3];
    MO_REFUSE_IF(is_free ? !(mo_body_get(world, at->body).mass > 0)
                         : !mo_mechanism_q(world, at->mechanism),
                 why, "joint %d of the robot is no longer in the world", k);
    q = q ? q + at->first_q : NULL;
    v = v ? v + at->first_v : NULL;
    bool good = (!q || is_configuration(at->q_count, q)) && (!v || mo_are_moderate(at->v_count, v));
    if (good && is_free) {
        place_free(world, at->body, q, v, &pose, velocity, spin);
        good = mo_are_moderate(3, velocity) && mo_are_moderate(3, spin);
    }
    return good ? MO_OK
                : mo_fail(why, MO_ERR_ARGUMENT,
                          "joint %d of the robot is given a quaternion of length zero, or a number "
                          "that is not finite",
                          k);
}

static mo_error check_joints(const mo_robot *robot, const mo_world *world, const double *q,
                             const double *v, mo_message *why)
{
    mo_error error = MO_OK;
    for (int k = 0; k < robot->joint_count && !error; ++k)
        error = check_joint(robot, world, k, q, v, why);
    return error;
}

static mo_error check_controls(const mo_robot *robot, const mo_world *world, const double *controls,
                               mo_message *why)
{
    MO_NEED(controls || robot->actuator_count == 0, why);
    for (int k = 0; k < robot->actuator_count; ++k) {
        const mo_mechanism_id id = robot->actuators[k].mechanism;
        MO_REFUSE_IF(!isfinite(controls[k]) || (id.index && !mo_mechanism_q(world, id)), why,
                     "control %d is not finite, or its actuator is no longer in the world", k);
    }
    return MO_OK;
}

static mo_error check_mocap(const mo_robot *robot, const mo_pose *poses, mo_message *why)
{
    MO_NEED(poses || robot->mocap_count == 0, why);
    for (int k = 0; k < robot->mocap_count; ++k) {
        MO_REFUSE_IF(!mo_pose_is_valid(poses + k), why,
                     "the pose of mocap body %d must be finite, with a unit quaternion", k);
    }
    return MO_OK;
}

/* ---- state, controls and keyframes ----------------------------------------------------------- */

void mo_robot_get(const mo_robot *robot, const mo_world *world, double *q, double *v)
{
    MO_NEED_OR(, robot && world, NULL);
    for (int k = 0; k < robot->joint_count; ++k) {
        const mo_robot_place *at = robot->joints + k;
        double *own_q = q ? q + at->first_q : NULL, *own_v = v ? v + at->first_v : NULL;
        if (!at->mechanism.index) {
            get_free(world, at->body, own_q, own_v);
            continue;
        }
        const double *all_q = mo_mechanism_q(world, at->mechanism);
        const double *all_v = mo_mechanism_v(world, at->mechanism);
        if (own_q && all_q) memcpy(own_q, all_q + at->at_q, (size_t)at->q_count * sizeof *q);
        if (own_v && all_v) memcpy(own_v, all_v + at->at_v, (size_t)at->v_count * sizeof *v);
    }
}

/* All joints of the mechanism of joint k. */
static mo_error set_mechanism(const mo_robot *robot, mo_world *world, int k, const double *q,
                              const double *v, mo_message *why)
{
    const mo_mechanism_id id = robot->joints[k].mechanism;
    for (int j = k; j < robot->joint_count; ++j) {
        const mo_robot_place *part = robot->joints + j;
        if (part->mechanism.index != id.index) continue;
        if (q) memcpy(robot->q + part->at_q, q + part->first_q, (size_t)part->q_count * sizeof *q);
        if (v) memcpy(robot->v + part->at_v, v + part->first_v, (size_t)part->v_count * sizeof *v);
    }
    return mo_mechanism_set(world, id, q ? robot->q : NULL, v ? robot->v : NULL, why);
}

mo_error mo_robot_set(const mo_robot *robot, mo_world *world, const double *q, const double *v,
                      mo_message *why)
{
    MO_NEED(robot && world, why);
    mo_error error = check_joints(robot, world, q, v, why);
    for (int k = 0; k < robot->joint_count && !error; ++k) {
        const mo_robot_place *at = robot->joints + k;
        if (!at->mechanism.index) {
            error = set_free(world, at->body, q ? q + at->first_q : NULL,
                             v ? v + at->first_v : NULL, why);
        } else if (at->number == 0) { /* the first one of its mechanism */
            error = set_mechanism(robot, world, k, q, v, why);
        }
    }
    return error;
}

mo_error mo_robot_set_control(const mo_robot *robot, mo_world *world, int actuator, double control,
                              mo_message *why)
{
    MO_NEED(robot && world, why);
    MO_REFUSE_IF(actuator < 0 || actuator >= robot->actuator_count, why,
                 "%d is not an actuator; there are %d", actuator, robot->actuator_count);
    const mo_robot_control *at = robot->actuators + actuator;
    return at->mechanism.index
               ? mo_mechanism_set_target(world, at->mechanism, at->number, control, why)
               : MO_OK;
}

mo_error mo_robot_set_controls(const mo_robot *robot, mo_world *world, const double *controls,
                               mo_message *why)
{
    MO_NEED(robot && world, why);
    mo_error error = check_controls(robot, world, controls, why);
    for (int k = 0; k < robot->actuator_count && !error; ++k)
        error = mo_robot_set_control(robot, world, k, controls[k], why);
    return error;
}

mo_error mo_robot_set_key(const mo_robot *robot, mo_world *world, const mo_model_key *key,
                          mo_message *why)
{
    MO_NEED(robot && world && key, why);
    mo_error error = check_mocap(robot, key->mocap, why);
    error = error ? error : check_controls(robot, world, key->control, why);
    error = error ? error : mo_robot_set(robot, world, key->q, key->v, why);
    for (int k = 0; k < robot->mocap_count && !error; ++k)
        error = mo_robot_move_mocap(robot, world, robot->mocap[k], key->mocap + k, 0, why);
    return error ? error : mo_robot_set_controls(robot, world, key->control, why);
}

/* ---- mocap bodies ---------------------------------------------------------------------------- */

mo_error mo_robot_move_mocap(const mo_robot *robot, mo_world *world, int body, const mo_pose *to,
                             double time, mo_message *why)
{
    MO_NEED(robot && world && to, why);
    const mo_body_id id = mo_robot_body(robot, body);
    int k = 0;
    while (k < robot->mocap_count && robot->mocap[k] != body)
        ++k;
    MO_REFUSE_IF(k == robot->mocap_count || !(time >= 0), why,
                 "body %d of the model is not a mocap body", body);
    double velocity[3] = {0}, spin[3] = {0};
    if (!(time > 0)) return mo_body_set(world, id, to, velocity, spin, why);
    const mo_pose from = mo_body_get(world, id).pose;
    double back[4], turn[4];
    memcpy(back, from.orientation, sizeof back);
    mo_vec3_scale(-1, back + 1, back + 1);
    mo_quat_multiply(to->orientation, back, turn);
    const double sine = mo_vec3_norm(turn + 1), sign = turn[0] < 0 ? -1 : 1;
    const double angle = 2 * atan2(sine, fabs(turn[0]));
    mo_vec3_scale(sine > 0 ? sign * angle / (sine * time) : 0, turn + 1, spin);
    for (int c = 0; c < 3; ++c)
        velocity[c] = (to->position[c] - from.position[c]) / time;
    return mo_body_set(world, id, &from, velocity, spin, why);
}
