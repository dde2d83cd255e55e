/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Mass matrix, bias, inverse dynamics and Jacobians in the coordinates of the model: those of its
 * mechanisms and free bodies, put together joint by joint.  v of a free body is the velocity of its
 * origin in world axes and its spin in body axes; with c from the origin to the centre of mass, m
 * the mass, I the inertia about the centre, w the spin and R the axes (world = R body),
 *
 *   v_c = v - c x w_world,   M = [m, -m c^ R; R' m c^, R' (I - m c^ c^) R],   c^ x = c x x
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/robot_data.h"
#include "linalg/vec3.h"
#include "moreau/sensor.h"

/* ---- free bodies ----------------------------------------------------------------------------- */

/* 6 x 6: velocity of a point (world) and spin (world) from v of a free body. */
static void free_jacobian(const mo_body_state *body, const double at[3], double J[36])
{
    double R[9], arm[3];
    mo_quat_matrix(body->pose.orientation, R);
    mo_vec3_minus(at, body->pose.position, arm);
    memset(J, 0, 36 * sizeof *J);
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {R[k], R[3 + k], R[6 + k]};
        double turn[3];
        mo_vec3_cross(axis, arm, turn);
        J[6 * k + k] = 1;
        for (int c = 0; c < 3; ++c) {
            J[6 * c + 3 + k] = turn[c];
            J[6 * (3 + c) + 3 + k] = axis[c];
        }
    }
}

/* World inertia about the centre of mass. */
static void world_inertia(const mo_body_state *body, double I[9])
{
    double local[9], R[9];
    mo_mat3_symmetric(body->inertia, local);
    mo_quat_matrix(body->pose.orientation, R);
    mo_mat3_turn(R, local, I);
}

/* J' diag(m, I) J with J at the centre of mass. */
static void free_mass(const mo_body_state *body, double M[36])
{
    double J[36], I[9], P[36] = {0};
    free_jacobian(body, body->centre, J);
    world_inertia(body, I);
    for (int j = 0; j < 6; ++j) {
        for (int c = 0; c < 3; ++c) {
            P[6 * c + j] = body->mass * J[6 * c + j];
            for (int e = 0; e < 3; ++e)
                P[6 * (3 + c) + j] += I[3 * c + e] * J[6 * (3 + e) + j];
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            M[6 * i + j] = 0;
            for (int k = 0; k < 6; ++k)
                M[6 * i + j] += J[6 * k + i] * P[6 * k + j];
        }
    }
}

/* Efforts that keep v against gravity and inertia: J' (m (drift - g), w x I w). */
static void free_bias(const mo_body_state *body, const double gravity[3], double bias[6])
{
    double J[36], I[9], L[3], arm[3], turn[3], wrench[6];
    free_jacobian(body, body->centre, J);
    world_inertia(body, I);
    mo_mat3_apply(I, body->spin, L);
    mo_vec3_cross(body->spin, L, wrench + 3);
    mo_vec3_minus(body->centre, body->pose.position, arm);
    mo_vec3_cross(body->spin, arm, turn);
    mo_vec3_cross(body->spin, turn, wrench);
    for (int c = 0; c < 3; ++c)
        wrench[c] = body->mass * (wrench[c] - gravity[c]);
    for (int i = 0; i < 6; ++i) {
        bias[i] = 0;
        for (int k = 0; k < 6; ++k)
            bias[i] += J[6 * k + i] * wrench[k];
    }
}

/* ---- joint by joint -------------------------------------------------------------------------- */

/* Copies the columns of joint k of a mechanism matrix of width `wide` to those of the model. */
static void scatter(const mo_robot *robot, int rows, mo_mechanism_id id, int wide,
                    const double *from, double *to)
{
    for (int k = 0; k < robot->joint_count; ++k) {
        const mo_robot_place *at = robot->joints + k;
        for (int r = 0; at->mechanism.index == id.index && r < rows; ++r) {
            memcpy(to + (size_t)r * (size_t)robot->v_count + at->first_v,
                   from + (size_t)r * (size_t)wide + at->at_v, (size_t)at->v_count * sizeof *to);
        }
    }
}

static double *take(const mo_robot *robot, size_t count, mo_message *why)
{
    double *made = mo_memory_array(&robot->allocator, count + 1, sizeof *made);
    if (!made) mo_fail_memory(why);
    return made;
}

/* Is joint k the first of its mechanism? */
static int begins(const mo_robot *robot, int k)
{
    return robot->joints[k].mechanism.index && robot->joints[k].number == 0;
}

mo_error mo_robot_mass_matrix(const mo_robot *robot, const mo_world *world, double *M,
                              mo_message *why)
{
    MO_NEED(robot && world && M, why);
    const size_t n = (size_t)robot->v_count;
    mo_error error = MO_OK;
    memset(M, 0, n * n * sizeof *M);
    for (int k = 0; k < robot->joint_count && !error; ++k) {
        const mo_robot_place *at = robot->joints + k;
        if (!at->mechanism.index) {
            double own[36];
            const mo_body_state body = mo_body_get(world, at->body);
            free_mass(&body, own);
            for (int i = 0; i < 6; ++i) {
                memcpy(M + ((size_t)at->first_v + (size_t)i) * n + at->first_v, own + 6 * i,
                       6 * sizeof *M);
            }
        } else if (begins(robot, k)) {
            const int m = mo_mechanism_get(world, at->mechanism).v_count;
            double *own = take(robot, (size_t)m * (size_t)m, why);
            error = own ? mo_mechanism_mass_matrix(world, at->mechanism, own, why) : MO_ERR_MEMORY;
            for (int j = k; j < robot->joint_count && !error; ++j) { /* rows of joint j */
                const mo_robot_place *row = robot->joints + j;
                for (int i = 0; row->mechanism.index == at->mechanism.index && i < row->v_count;
                     ++i) {
                    scatter(robot, 1, at->mechanism, m,
                            own + ((size_t)row->at_v + (size_t)i) * (size_t)m,
                            M + ((size_t)row->first_v + (size_t)i) * n);
                }
            }
            mo_memory_free(&robot->allocator, own);
        }
    }
    return error;
}

mo_error mo_robot_inverse(const mo_robot *robot, const mo_world *world, const double *acceleration,
                          double *effort, mo_message *why)
{
    MO_NEED(robot && world && acceleration && effort, why);
    const mo_world_def def = mo_world_definition(world);
    double *own = take(robot, 2 * (size_t)robot->v_count, why);
    mo_error error = own ? MO_OK : MO_ERR_MEMORY;
    for (int k = 0; k < robot->joint_count && !error; ++k) {
        const mo_robot_place *at = robot->joints + k;
        if (!at->mechanism.index) {
            double M[36], *to = effort + at->first_v;
            const mo_body_state body = mo_body_get(world, at->body);
            free_mass(&body, M);
            free_bias(&body, def.gravity, to);
            for (int i = 0; i < 36; ++i)
                to[i / 6] += M[i] * acceleration[at->first_v + i % 6];
        } else if (begins(robot, k)) {
            for (int j = k; j < robot->joint_count; ++j) {
                const mo_robot_place *part = robot->joints + j;
                if (part->mechanism.index == at->mechanism.index) {
                    memcpy(own + part->at_v, acceleration + part->first_v,
                           (size_t)part->v_count * sizeof *own);
                }
            }
            error = mo_mechanism_inverse(world, at->mechanism, own, own + robot->v_count, why);
            scatter(robot, 1, at->mechanism, 0, own + robot->v_count, effort);
        }
    }
    mo_memory_free(&robot->allocator, own);
    return error;
}

mo_error mo_robot_bias(const mo_robot *robot, const mo_world *world, double *bias, mo_message *why)
{
    MO_NEED(robot && world && bias, why);
    double *none = take(robot, (size_t)robot->v_count, why);
    MO_NEED_MEMORY(none, NULL);
    memset(none, 0, (size_t)robot->v_count * sizeof *none);
    const mo_error error = mo_robot_inverse(robot, world, none, bias, why);
    mo_memory_free(&robot->allocator, none);
    return error;
}

mo_error mo_robot_jacobian(const mo_robot *robot, const mo_world *world, int body,
                           const double at[3], double *J, mo_message *why)
{
    MO_NEED(robot && world && at && J, why);
    const mo_body_id id = mo_robot_body(robot, body);
    int link = 0;
    const mo_mechanism_id mechanism = mo_body_mechanism(world, id, &link);
    memset(J, 0, 6 * (size_t)robot->v_count * sizeof *J);
    MO_REFUSE_IF(body < 0 || body >= robot->body_count, why, "%d is not a body; there are %d", body,
                 robot->body_count);
    if (mechanism.index) {
        const int m = mo_mechanism_get(world, mechanism).v_count;
        double *own = take(robot, 6 * (size_t)m, why);
        const mo_error error =
            own ? mo_mechanism_jacobian(world, mechanism, link, at, own, why) : MO_ERR_MEMORY;
        if (!error) scatter(robot, 6, mechanism, m, own, J);
        mo_memory_free(&robot->allocator, own);
        return error;
    }
    for (int k = 0; k < robot->joint_count; ++k) {
        const mo_robot_place *place = robot->joints + k;
        if (!place->mechanism.index && place->body.index == id.index) {
            double own[36];
            const mo_body_state state = mo_body_get(world, id);
            free_jacobian(&state, at, own);
            for (int r = 0; r < 6; ++r) {
                memcpy(J + (size_t)r * (size_t)robot->v_count + place->first_v, own + 6 * r,
                       6 * sizeof *J);
            }
        }
    }
    return MO_OK;
}

mo_pose mo_robot_site(const mo_robot *robot, const mo_world *world, int site)
{
    MO_NEED_OR(mo_pose_identity(), robot && world, NULL);
    if (site < 0 || site >= robot->site_count) return mo_pose_identity();
    const mo_pose body = mo_body_get(world, mo_robot_body(robot, robot->sites[site].body)).pose;
    return mo_pose_compose(&body, &robot->sites[site].pose);
}

mo_error mo_robot_site_jacobian(const mo_robot *robot, const mo_world *world, int site, double *J,
                                mo_message *why)
{
    MO_NEED(robot && world && J, why);
    MO_REFUSE_IF(site < 0 || site >= robot->site_count, why, "%d is not a site; there are %d", site,
                 robot->site_count);
    const mo_pose at = mo_robot_site(robot, world, site);
    return mo_robot_jacobian(robot, world, robot->sites[site].body, at.position, J, why);
}
