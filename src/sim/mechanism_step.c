/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A step of size h of a mechanism.
 *
 *   1. gyroscopic terms   M (v' - v) = -h C(q, (v + v' + k)/2), C quadratic in the velocities and
 *                         k = v+ - v' of the last step: midpoint rule, by fixed point.  v is the
 *                         velocity in the middle of a step; energy there has second order.  Free
 *                         spin keeps energy and angular momentum to rounding, for any h.  If it
 *                         does not converge (about a radian a step), C is taken at v and v' is
 *                         scaled to the energy of v.
 *   2. forces             A v_free = M v' + h (efforts - gravity - K (q - rest)),
 *                         A = M + h D + h^2 K, with springs and dampers of joints and actuators
 *                         inside their limits.  They enter 1 by k alone: a force that a contact
 *                         balances at once produces no velocity.
 *   3. problem            A v+ = A v_free + H r; in an impact M v+ = M v + H r, in a projection
 *                         M d = H r
 *   4. positions          q+ = q moved by h v+
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "problem/problem_data.h"
#include "sim/mechanism.h"

enum { MOST_ROUNDS = 30 };
static const double SETTLED = 1e-13; /* of the velocities, in the metric of M */
static const double IMPACT = 2;      /* energy of a kick over that of gravity and turning */

/* ---- links ----------------------------------------------------------------------------------- */

static void copy_to_links(mo_world *world, const mo_sim_mechanism *mechanism, size_t field)
{
    for (int i = 0; i < mechanism->tree.links; ++i) {
        mo_sim_body *body = world->body + mechanism->body[i];
        memcpy((char *)body + field, mechanism->motion[i], 6 * sizeof(double));
    }
}

static void to_links(mo_world *world, mo_sim_mechanism *mechanism, const double *v, size_t field)
{
    mo_linkage_motions(&mechanism->tree, v, mechanism->motion);
    copy_to_links(world, mechanism, field);
}

/* Are the poses of these coordinates in mechanism->pose? */
static int has_poses(const mo_sim_mechanism *mechanism, const double *q)
{
    return memcmp(mechanism->posed_q, q, (size_t)mechanism->tree.coordinates * sizeof *q) == 0;
}

void mo_mechanism_place_links(mo_world *world, mo_sim_mechanism *mechanism)
{
    mo_linkage *tree = &mechanism->tree;
    if (has_poses(mechanism, mechanism->q))
        mo_linkage_place_ahead(tree, mechanism->pose);
    else
        mo_linkage_place(tree, mechanism->q);
    mo_tendons_place(mechanism);
    for (int i = 0; i < tree->links; ++i) {
        mo_sim_body *body = world->body + mechanism->body[i];
        mo_vec3_copy(tree->link[i].x, body->x);
        memcpy(body->orientation, tree->pose[i].orientation, sizeof body->orientation);
        memcpy(body->world_inertia, tree->link[i].world_inertia, sizeof body->world_inertia);
    }
    to_links(world, mechanism, mechanism->v, offsetof(mo_sim_body, v));
}

int mo_mechanism_moves(const mo_world *world, const mo_sim_mechanism *mechanism)
{
    for (int i = 0; i < mechanism->tree.links; ++i)
        if (mo_moves_freely(world->body + mechanism->body[i])) return 1;
    return 0;
}

void mo_mechanism_wake(mo_world *world, const mo_sim_mechanism *mechanism)
{
    for (int i = 0; i < mechanism->tree.links; ++i)
        mo_body_wake(world, mechanism->body[i]);
}

/* ---- free velocities ------------------------------------------------------------------------- */

static double energy(int n, const double *M, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += v[i] * mo_dot(n, M + (size_t)i * (size_t)n, v);
    return sum;
}

/* out = v - h M^-1 C(q, at), by the factor of M. */
static void turn_from(mo_sim_mechanism *mechanism, const double *at, double h, double *out)
{
    static const double weightless[3] = {0};
    const int n = mechanism->tree.dofs;
    mo_linkage_inverse(&mechanism->tree, at, NULL, weightless, mechanism->bias);
    mo_solve_factored(n, mechanism->F, mechanism->bias);
    mo_along(n, mechanism->start_v, -h, mechanism->bias, out);
}

/* v' into mechanism->turned. */
static void turn_freely(mo_sim_mechanism *mechanism, double h)
{
    const int n = mechanism->tree.dofs;
    double *turned = mechanism->turned, *middle = mechanism->row;
    const double before = energy(n, mechanism->M, mechanism->start_v);
    double last = 0; /* change of the last round */
    memcpy(turned, mechanism->start_v, (size_t)n * sizeof *turned);
    for (int round = 0; round < MOST_ROUNDS && before > 0; ++round) {
        for (int k = 0; k < n; ++k)
            middle[k] = 0.5 * (mechanism->start_v[k] + turned[k] + mechanism->kick[k]);
        memcpy(mechanism->rhs, turned, (size_t)n * sizeof *turned);
        turn_from(mechanism, middle, h, turned);
        mo_along(n, mechanism->rhs, -1, turned, mechanism->rhs);
        const double change = energy(n, mechanism->M, mechanism->rhs);
        const double next = change < last ? change * (change / last) : change;
        if (next <= SETTLED * SETTLED * before) return;
        last = change;
        if (!isfinite(change)) break;
    }
    if (before > 0) {
        turn_from(mechanism, mechanism->start_v, h, turned);
        const double after = energy(n, mechanism->M, turned);
        mo_scale(n, after > before ? sqrt(before / after) : 1, turned);
    }
}

void mo_mechanism_add_forces(const mo_world *world, mo_sim_mechanism *mechanism, double h)
{
    const mo_linkage *tree = &mechanism->tree;
    for (int i = 0; i < tree->links; ++i) {
        const mo_sim_body *body = world->body + mechanism->body[i];
        double line[6];
        memcpy(line, body->force, sizeof line);
        mo_vec3_along(line, (1 - mechanism->gravity_compensation[i]) * tree->link[i].mass,
                      world->def.gravity, line);
        if (tree->link[i].last_dof < 0 || mo_vec3_norm(line) + mo_vec3_norm(line + 3) == 0)
            continue;
        double arm[3], moment[3];
        mo_vec3_minus(tree->link[i].x, tree->point, arm);
        mo_vec3_cross(arm, line, moment);
        mo_vec3_along(line + 3, 1, moment, line + 3);
        for (int j = tree->link[i].last_dof; j >= 0; j = tree->dof[j].parent)
            mechanism->rhs[j] += h * mo_spatial_dot(tree->dof[j].S, line);
    }
}

/* Springs, dampers and known friction of one joint, into A and rhs. */
static void add_joint(mo_sim_mechanism *mechanism, int k, double h)
{
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const mo_axis_def *def = &mechanism->axis[k].def;
    const int n = mechanism->tree.dofs, count = mo_axis_v_count(joint->kind);
    double stretch[6];
    mo_axis_stretch(mechanism, k, stretch);
    for (int i = 0; i < count; ++i) {
        const int j = joint->v_at + i;
        mechanism->A[(size_t)j * (size_t)n + (size_t)j] +=
            h * def->damping + h * h * def->stiffness;
        mechanism->rhs[j] -=
            h * (def->stiffness * stretch[i] + def->dry_friction * mechanism->axis[k].slides);
    }
}

static void add_actuator(mo_sim_mechanism *mechanism, const mo_sim_actuator *actuator, double h)
{
    const int n = mechanism->tree.dofs;
    const mo_actuator_line line = mo_actuator_line_of(mechanism, actuator, h);
    if (line.slope > 0 && actuator->is_row) return;
    const double effort = line.slope > 0
                              ? line.constant
                              : fmin(fmax(line.constant, actuator->def.lower), actuator->def.upper);
    const double *row = line.drive.row;
    for (int i = line.drive.from; i < line.drive.to; ++i) {
        const double own = row[i - line.drive.from];
        if (own == 0) continue;
        mechanism->rhs[i] += h * effort * own;
        for (int j = line.drive.from; line.slope > 0 && j < line.drive.to; ++j) {
            mechanism->A[(size_t)i * (size_t)n + (size_t)j] +=
                h * line.slope * own * row[j - line.drive.from];
        }
    }
}

void mo_mechanism_free(const mo_world *world, mo_sim_mechanism *mechanism, double h)
{
    const int n = mechanism->tree.dofs;
    const size_t square = (size_t)n * (size_t)n;
    mo_linkage_mass_matrix(&mechanism->tree, mechanism->M);
    mo_scale((int)square, mo_mass_scale(world, h), mechanism->M);
    memcpy(mechanism->F, mechanism->M, square * sizeof *mechanism->F);
    mechanism->is_singular = !mo_factor_symmetric(n, mechanism->F);
    if (mechanism->is_singular) return;
    turn_freely(mechanism, h);
    memcpy(mechanism->A, mechanism->M, square * sizeof *mechanism->A);
    for (int i = 0; i < n; ++i)
        mechanism->rhs[i] = h * mechanism->effort[i];
    mo_mechanism_add_forces(world, mechanism, h);
    memcpy(mechanism->bias, mechanism->rhs, (size_t)n * sizeof *mechanism->bias);
    mo_solve_first(n, mechanism->F, mechanism->bias);
    mechanism->pull = mo_dot(n, mechanism->bias, mechanism->bias);
    for (int i = 0; i < n; ++i)
        mechanism->rhs[i] += mo_dot(n, mechanism->M + (size_t)i * (size_t)n, mechanism->turned);
    mo_mechanism_drag(mechanism, h);
    for (int k = 0; k < mechanism->tree.joints; ++k)
        add_joint(mechanism, k, h);
    for (int k = 0; k < mechanism->tendons; ++k)
        mo_tendon_pull(mechanism, mechanism->tendon + k, h);
    for (int k = 0; k < mechanism->actuators; ++k)
        add_actuator(mechanism, mechanism->actuator + k, h);
    memcpy(mechanism->free_v, mechanism->rhs, (size_t)n * sizeof *mechanism->free_v);
    if (mechanism->free_count < n ||
        memcmp(mechanism->A, mechanism->M, square * sizeof *mechanism->A) != 0) {
        memcpy(mechanism->F, mechanism->A, square * sizeof *mechanism->F);
        mo_mechanism_hold(mechanism, mechanism->F, mechanism->free_v);
        mechanism->is_singular = !mo_factor_symmetric(n, mechanism->F);
    }
    mo_solve_factored(n, mechanism->F, mechanism->free_v);
    memcpy(mechanism->next_v, mechanism->free_v, (size_t)n * sizeof *mechanism->next_v);
}

/* F is the factor of A. */
double mo_mechanism_response(const mo_sim_mechanism *mechanism, double *row)
{
    const int n = mechanism->tree.dofs;
    for (int k = 0; k < mechanism->tree.joints; ++k)
        row[mechanism->tree.joint[k].v_at] *= !mechanism->axis[k].holds;
    mo_solve_first(n, mechanism->F, row);
    return mo_dot(n, row, row);
}

/* ---- the parts of a step --------------------------------------------------------------------- */

void mo_mechanisms_begin(mo_world *world, double h)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (!mechanism) continue;
        const int n = mechanism->tree.dofs;
        memcpy(mechanism->start_v, mechanism->v, (size_t)n * sizeof(double));
        if (world->def.first_order > 0) memset(mechanism->start_v, 0, (size_t)n * sizeof(double));
        memcpy(mechanism->next_v, mechanism->v, (size_t)n * sizeof(double));
        memcpy(mechanism->effort, mechanism->push, (size_t)n * sizeof(double));
        for (int i = 0; i < mechanism->actuators; ++i)
            mechanism->actuator[i].is_row = mechanism->actuator[i].is_saturated;
        mo_mechanism_begin_friction(world, mechanism, h);
        if (mechanism->control) {
            mechanism->control(mechanism->control_user, world->time, h, mechanism->q, mechanism->v,
                               mechanism->effort);
        }
    }
}

void mo_mechanisms_free(mo_world *world, double h)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mo_mechanism_moves(world, mechanism)) {
            mo_mechanism_free(world, mechanism, h);
            to_links(world, mechanism, mechanism->free_v, offsetof(mo_sim_body, free_v));
            copy_to_links(world, mechanism, offsetof(mo_sim_body, next_v));
            mo_mechanism_choose(mechanism, h);
        }
    }
}

mo_error mo_mechanisms_check(const mo_world *world, mo_message *why)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        const mo_sim_mechanism *mechanism = world->mechanism[k];
        MO_REFUSE_IF(
            mechanism && mechanism->is_singular, why,
            "the mass matrix of mechanism '%.64s' is not positive definite: give every moving "
            "link mass and inertia (or shapes with density), or its joints armature",
            mechanism->name);
    }
    return MO_OK;
}

static void free_again(mo_world *world, mo_sim_mechanism *mechanism, double h)
{
    mo_mechanism_free(world, mechanism, h);
    to_links(world, mechanism, mechanism->free_v, offsetof(mo_sim_body, free_v));
}

int mo_mechanisms_release(mo_world *world, double h, int all)
{
    int count = 0;
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mo_mechanism_moves(world, mechanism) &&
            mo_mechanism_release(mechanism, h, all)) {
            free_again(world, mechanism, h);
            world->canonical = MO_CANONICAL_UNKNOWN;
            ++count;
        }
    }
    return count;
}

/* Limits and actuators that the solution violates; returns their number. */
int mo_mechanisms_look_again(mo_world *world, double h)
{
    int count = 0;
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mo_mechanism_moves(world, mechanism)) {
            const int more = mo_mechanism_look_again(mechanism, h);
            if (more > 0) free_again(world, mechanism, h);
            count += more;
        }
    }
    return count;
}

void mo_mechanism_add_block(mo_world *world, int place, const mo_phase *phase)
{
    mo_sim_mechanism *mechanism = world->mechanism[place];
    const int n = mechanism->tree.dofs;
    if (mechanism->block != MO_NONE) return;
    if (phase->kind == MO_PHASE_STEP || phase->kind == MO_PHASE_FORCE) {
        mechanism->block = mo_mechanism_add_free_block(world, mechanism);
    } else {
        mo_linkage_mass_matrix(&mechanism->tree, mechanism->M);
        for (int i = 0; i < n; ++i) {
            mechanism->row[i] =
                phase->kind == MO_PHASE_IMPACT
                    ? mo_dot(n, mechanism->M + (size_t)i * (size_t)n, mechanism->start_v)
                    : 0;
        }
        mechanism->block = mo_builder_add_body(world->builder, n, mechanism->M, mechanism->row);
        mechanism->block_dofs = n;
    }
    for (int i = 0; i < mechanism->tree.links; ++i)
        if (mechanism->tree.link[i].last_dof >= 0)
            world->body[mechanism->body[i]].block = mechanism->block;
}

void mo_mechanisms_assemble(mo_world *world, const mo_phase *phase)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mo_mechanism_moves(world, mechanism) &&
            mo_mechanism_has_rows(mechanism, phase))
            mo_mechanism_add_block(world, k, phase);
        if (mechanism) mo_mechanism_add_rows(world, mechanism, phase);
    }
}

void mo_mechanisms_velocities(mo_world *world)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            mo_mechanism_read_velocities(
                mechanism, world->result.v + world->problem->body_start[mechanism->block],
                mechanism->next_v);
            to_links(world, mechanism, mechanism->next_v, offsetof(mo_sim_body, next_v));
        }
    }
}

void mo_mechanisms_accept_impact(mo_world *world)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            memcpy(mechanism->start_v, mechanism->next_v,
                   (size_t)mechanism->tree.dofs * sizeof(double));
            memset(mechanism->kick, 0, (size_t)mechanism->tree.dofs * sizeof(double));
        }
    }
}

/* Twice the kinetic energy, of the velocities before and after an impact. */
void mo_mechanisms_kinetic(const mo_world *world, double *before, double *after)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        const mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            *before += 0.5 * energy(mechanism->tree.dofs, mechanism->M, mechanism->start_v);
            *after += 0.5 * energy(mechanism->tree.dofs, mechanism->M, mechanism->next_v);
        }
    }
}

/* ---- positions ------------------------------------------------------------------------------- */

/* The links' next poses. */
void mo_mechanisms_poses(mo_world *world, double h)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (!mechanism) continue;
        mo_linkage_move(&mechanism->tree, mechanism->q, mechanism->next_v,
                        mo_mechanism_moves(world, mechanism) ? h : 0, mechanism->next_q);
        if (!has_poses(mechanism, mechanism->next_q)) {
            mo_linkage_poses(&mechanism->tree, mechanism->next_q, mechanism->pose);
            memcpy(mechanism->posed_q, mechanism->next_q,
                   (size_t)mechanism->tree.coordinates * sizeof *mechanism->q);
        }
        for (int i = 0; i < mechanism->tree.links; ++i) {
            mo_sim_body *body = world->body + mechanism->body[i];
            memcpy(body->next_orientation, mechanism->pose[i].orientation,
                   sizeof body->next_orientation);
            mo_pose_point(mechanism->pose + i, body->centre, body->next_x);
        }
    }
}

/* A kick that exceeds those of gravity and turning alone is an impact, which does not go on. */
static void keep_kick(mo_sim_mechanism *mechanism)
{
    const int n = mechanism->tree.dofs;
    mo_along(n, mechanism->next_v, -1, mechanism->turned, mechanism->kick);
    mo_along(n, mechanism->turned, -1, mechanism->start_v, mechanism->row);
    if (energy(n, mechanism->M, mechanism->kick) >
        IMPACT * (mechanism->pull + energy(n, mechanism->M, mechanism->row)))
        memset(mechanism->kick, 0, (size_t)n * sizeof *mechanism->kick);
}

void mo_mechanisms_accept(mo_world *world, double h)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (!mechanism) continue;
        const size_t n = (size_t)mechanism->tree.dofs;
        memset(mechanism->push, 0, n * sizeof(double));
        for (int i = 0; i < mechanism->actuators; ++i)
            mo_actuator_follow(mechanism->actuator + i, h);
        if (mo_mechanism_moves(world, mechanism)) {
            mo_mechanism_predict_friction(mechanism, h);
            memcpy(mechanism->q, mechanism->next_q,
                   (size_t)mechanism->tree.coordinates * sizeof(double));
            keep_kick(mechanism);
            memcpy(mechanism->v, mechanism->next_v, n * sizeof(double));
            mo_mechanism_place_links(world, mechanism);
        }
    }
}

/* Moves by the displacement next_v of a projection, in a unit of length. */
void mo_mechanisms_displace(mo_world *world, double unit)
{
    for (int k = 0; k < world->mechanism_places; ++k) {
        mo_sim_mechanism *mechanism = world->mechanism[k];
        if (mechanism && mechanism->block != MO_NONE) {
            mo_linkage_move(&mechanism->tree, mechanism->q, mechanism->next_v, unit, mechanism->q);
            mo_mechanism_place_links(world, mechanism);
        }
    }
}
