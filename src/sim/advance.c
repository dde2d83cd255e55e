/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Free velocities before the solve, new poses after it.
 *
 * Translation.  (1 + h d) v_free = v + h (g + F/m), with implicit damping d.
 *
 * Rotation.  With orientation R, inertia J(R) in world axes and angular momentum L = J(R) w, w_free
 * solves
 *
 *     J(exp(h w) R) w = L + h T        (implicit in the orientation at the end of the step)
 *
 * so a torque-free body conserves its angular momentum to rounding.  In body axes this is J0 y =
 * exp(-h y) l with y = R' w and l = R'(L + h T), solved by Newton's method from y = J0^-1 l.
 *
 * The mass matrix of the problem is J(R) at the start.  The step ends with R+ = exp(h w+) R, whose
 * axis is w+, so w+' J(R+) w+ = w+' J(R) w+: the energy bounded by the solve is the actual energy.
 * (With J at the free orientation, thin jointed links would gain spin about their long axis.)
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/free_spin.h"
#include "sim/world_data.h"

void mo_advance_spin(const double J0[9], const double l[3], double h, double y[3])
{
    mo_spin_freely(J0, l, h, 0, y);
}

static void free_spin(const mo_sim_body *body, double h, double out[3])
{
    double R[9], w0[3], l[3], moment[3], y[3];
    mo_quat_matrix(body->orientation, R);
    mo_mat3_apply_transposed(R, body->start_v + 3, w0);
    mo_mat3_apply(body->inertia, w0, l);
    mo_mat3_apply_transposed(R, body->force + 3, moment);
    mo_vec3_along(l, h, moment, l);
    mo_advance_spin(body->inertia, l, h, y);
    mo_mat3_apply(R, y, out);
    mo_vec3_scale(1 / (1 + h * body->def.angular_damping), out, out);
}

/* The first-order world: M v = tau F.  Velocities are not kept from step to step. */
static void free_first_order(const mo_world *world, mo_sim_body *body)
{
    const double tau = world->def.first_order;
    double spin[3];
    mo_body_turn_inertia(body);
    memset(body->free_v, 0, sizeof body->free_v);
    for (int k = 0; k < world->def.dimension; ++k)
        body->free_v[k] = tau * (world->def.gravity[k] + body->force[k] / body->mass);
    if (mo_is_planar(world)) {
        body->free_v[5] = tau * body->force[5] / body->inertia[8];
    } else {
        mo_mat3_solve(body->world_inertia, body->force + 3, spin);
        mo_vec3_scale(tau, spin, body->free_v + 3);
    }
}

void mo_advance_body(const mo_world *world, mo_sim_body *body, double h)
{
    if (world->def.first_order > 0) {
        free_first_order(world, body);
        return;
    }
    const double damp = 1 / (1 + h * body->def.linear_damping);
    for (int k = 0; k < 3; ++k) {
        body->free_v[k] =
            damp * (body->start_v[k] + h * (world->def.gravity[k] + body->force[k] / body->mass));
    }
    if (mo_is_planar(world)) {
        body->free_v[2] = body->free_v[3] = body->free_v[4] = 0;
        body->free_v[5] = (body->start_v[5] + h * body->force[5] / body->inertia[8]) /
                          (1 + h * body->def.angular_damping);
        return;
    }
    if (body->is_ball) { /* its angular momentum lies along its spin, which only moments change */
        const double still = 1 / (1 + h * body->def.angular_damping);
        for (int k = 3; k < 6; ++k)
            body->free_v[k] = still * (body->start_v[k] + h * body->force[k] / body->inertia[0]);
        return;
    }
    free_spin(body, h, body->free_v + 3);
    mo_body_turn_inertia(body);
}

/* The velocity that moves a kinematic body to its prescribed pose at the end of the step. */
static void driven_velocity(const mo_world *world, mo_sim_body *body, double h)
{
    memcpy(body->free_v, body->v, sizeof body->free_v);
    if (!body->def.motion) return;
    mo_pose goal = mo_pose_identity();
    body->def.motion(body->def.motion_user, world->time + h, &goal);
    mo_quat_normalise(goal.orientation);
    double centre[3], turn[4];
    mo_pose_point(&goal, body->centre, centre);
    for (int k = 0; k < 3; ++k)
        body->free_v[k] = (centre[k] - body->x[k]) / h;
    const double *q = body->orientation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    mo_quat_multiply(goal.orientation, back, turn);
    const double sine = mo_vec3_norm(turn + 1) * (turn[0] < 0 ? -1 : 1);
    const double angle = 2 * atan2(fabs(sine), fabs(turn[0]));
    mo_vec3_scale(sine != 0 ? angle / (sine * h) : 0, turn + 1, body->free_v + 3);
}

static void start(const mo_world *world, mo_sim_body *body)
{
    if (world->def.first_order > 0)
        memset(body->start_v, 0, sizeof body->start_v);
    else
        memcpy(body->start_v, body->v, sizeof body->v);
}

void mo_advance_driven(mo_world *world, double h)
{
    world->has_driven = 0;
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (body->kind == MO_BODY_DRIVEN) {
            driven_velocity(world, body, h);
            memcpy(body->start_v, body->free_v, sizeof body->start_v);
            world->has_driven |= mo_is_driven(body);
        }
    }
}

static void advance_all(mo_world *world, double h, int starts)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 64);
        mo_living_prefetch(world, k, 0, offsetof(mo_sim_body, world_inertia));
        mo_living_prefetch(world, k, offsetof(mo_sim_body, def.linear_damping), 2 * sizeof(double));
        mo_pace_every(k, 64);
        if (starts && body->kind != MO_BODY_DRIVEN) start(world, body);
        if (body->kind == MO_BODY_FREE && !body->is_asleep)
            mo_advance_body(world, body, h);
        else if (body->kind != MO_BODY_DRIVEN)
            memset(body->free_v, 0, sizeof body->free_v);
        memcpy(body->next_v, body->free_v, sizeof body->next_v);
        mo_body_let_go(body);
    }
    mo_pace();
    mo_mechanisms_free(world, h);
}

void mo_advance_start(mo_world *world, double h)
{
    advance_all(world, h, 1);
}

void mo_advance_free(mo_world *world, double h)
{
    advance_all(world, h, 0);
}

void mo_advance_turn(const double orientation[4], const double spin[3], double h, double out[4])
{
    double phi[3], turn[4], turned[4];
    mo_vec3_scale(h, spin, phi);
    mo_quat_rotation(phi, turn);
    mo_quat_multiply(turn, orientation, turned);
    mo_quat_normalise(turned);
    memcpy(out, turned, sizeof turned);
}

/* Its velocities no longer change once the poses are known; it is moved when the step is
 * accepted. */
static int moves_at_once(const mo_world *world, const mo_sim_body *body)
{
    return body->mechanism == MO_NONE && world->jointed_count == 0 && body->carrier == MO_NONE;
}

static void move(const mo_sim_body *body, double h, double x[3], double orientation[4])
{
    mo_vec3_along(body->x, body->part * h, body->next_v, x);
    mo_advance_turn(body->orientation, body->next_v + 3, body->part * h, orientation);
}

/* Sum of squares of the next position, velocity and rotation; NaN if one of them is. */
static double squares(const mo_world *world, const mo_sim_body *body, double h)
{
    const double *v = body->next_v, *q = body->next_orientation, *x = body->next_x;
    const double speeds = mo_vec3_dot(v, v) + mo_vec3_dot(v + 3, v + 3);
    if (moves_at_once(world, body)) {
        const double turn[3] = {h * v[3], h * v[4], h * v[5]};
        const double at[3] = {body->x[0] + h * v[0], body->x[1] + h * v[1], body->x[2] + h * v[2]};
        return speeds + mo_vec3_dot(at, at) + mo_vec3_dot(turn, turn);
    }
    return speeds + mo_vec3_dot(x, x) + (q[0] + q[1] + q[2] + q[3]);
}

void mo_advance_carry(mo_world *world, double h)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 512);
        if (body->carrier == MO_NONE) continue;
        const mo_sim_body *by = world->body + body->carrier;
        const double t = body->part * h;
        double from[3], to[3], arm[3], turn[4], turned[3], q[4], by_rest[3];
        move(body, h, body->next_x, q);
        mo_vec3_along(by->x, t, by->next_v, from);
        mo_vec3_along(by->x, h, by->next_v, to);
        mo_vec3_minus(body->next_x, from, arm);
        mo_vec3_scale(h - t, by->next_v + 3, by_rest);
        mo_quat_rotation(by_rest, turn);
        mo_quat_turn(turn, arm, turned);
        mo_vec3_along(to, 1, turned, body->next_x);
        mo_advance_turn(q, by->next_v + 3, h - t, body->next_orientation);
    }
    mo_pace();
}

void mo_advance_ends(mo_world *world, double h)
{
    mo_mechanisms_poses(world, h);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 128);
        if (body->kind != MO_BODY_FIXED && body->mechanism == MO_NONE)
            move(body, h, body->next_x, body->next_orientation);
    }
    mo_pace();
}

mo_error mo_advance_poses(mo_world *world, double h, mo_message *why)
{
    mo_mechanisms_poses(world, h);
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 64);
        mo_living_prefetch(world, k, 0, offsetof(mo_sim_body, start_v));
        mo_living_prefetch(world, k, offsetof(mo_sim_body, next_v), sizeof body->next_v);
        if (body->mechanism == MO_NONE && !moves_at_once(world, body) && body->carrier == MO_NONE)
            move(body, h, body->next_x, body->next_orientation);
        MO_REFUSE_IF(!(squares(world, body, h) <= MO_LARGEST * MO_LARGEST), why,
                     "the step would move body %d '%.64s' to a place or with a speed that is "
                     "not finite, or above 1e100: its forces, its prescribed motion or the step "
                     "are out of range",
                     k, body->def.name);
    }
    mo_pace();
    return MO_OK;
}

void mo_advance_accept(mo_world *world, double h)
{
    const int is_missed = world->step.has_missed || world->step.ease > 0;
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 64);
        mo_living_prefetch(world, k, 0, offsetof(mo_sim_body, world_inertia));
        if (body->kind != MO_BODY_FIXED && !body->is_asleep) {
            if (moves_at_once(world, body)) {
                move(body, h, body->x, body->orientation);
            } else {
                mo_vec3_copy(body->next_x, body->x);
                memcpy(body->orientation, body->next_orientation, sizeof body->orientation);
            }
        }
        memcpy(body->v, body->next_v, sizeof body->v);
        memset(body->force, 0, sizeof body->force);
        body->was_coarse = body->accuracy == MO_COARSE;
        body->misses = is_missed ? body->misses + 1 : 0;
    }
    mo_pace();
    mo_mechanisms_accept(world, h);
    world->time += h;
    world->steps++;
    world->last_step = h;
}
