/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Bodies in a contact problem: their masses, and the velocities that they have without constraints.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vec3.h"
#include "sim/assemble.h"

static void mass_matrix(const mo_world *world, const mo_sim_body *body, double *M)
{
    const int n = mo_body_rows(world);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    const int linear = n == 3 ? 2 : 3;
    for (int k = 0; k < linear; ++k)
        M[k * n + k] = body->mass;
    if (n == 3) {
        M[8] = body->inertia[8];
        return;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            M[(3 + i) * 6 + 3 + j] = body->world_inertia[3 * i + j];
}

/* In the plane: the two of the centre, and the spin. */
void mo_to_block(const mo_world *world, const double v[6], double *out)
{
    if (mo_is_planar(world))
        mo_vec3_set(out, v[0], v[1], v[5]);
    else
        memcpy(out, v, 6 * sizeof *out);
}

int mo_block_rows(const mo_world *world, const mo_sim_body *body)
{
    return body->mechanism == MO_NONE ? mo_body_rows(world)
                                      : world->mechanism[body->mechanism]->tree.dofs;
}

/* A link: over the velocities of its mechanism. */
void mo_block_row(const mo_world *world, const mo_sim_body *body, const double line[6], double *row)
{
    if (body->mechanism == MO_NONE)
        mo_to_block(world, line, row);
    else
        mo_linkage_row(&world->mechanism[body->mechanism]->tree, body->link, body->x, line, row);
}

void mo_add_jacobian(mo_world *world, int constraint, const mo_sim_body *body, int rows)
{
    if (body->mechanism != MO_NONE) {
        mo_mechanism_add_jacobian(world, world->mechanism[body->mechanism], constraint, rows,
                                  world->jacobian);
    } else {
        mo_builder_add_jacobian(world->builder, constraint, body->block, rows, mo_body_rows(world),
                                world->jacobian);
    }
}

void mo_from_block(const mo_world *world, const double *in, double v[6])
{
    if (mo_is_planar(world)) {
        const double all[6] = {in[0], in[1], 0, 0, 0, in[2]};
        memcpy(v, all, sizeof all);
    } else {
        memcpy(v, in, 6 * sizeof *v);
    }
}

/* Largest entry of h K over the least on the diagonal of M; beyond, M + h K has lost M by rounding,
 * as for torn joints of bodies at 1e5 rad/s, and K is left out. */
static const double STIFFEST = 1e12;

/* Joints held ahead: M gains h K and f gains h K v* (joint_ahead.c). */
static void add_stiffness(mo_world *world, const mo_sim_body *body, double h, double *M, double *f)
{
    static const int PLANAR[3] = {0, 1, 5}, SPATIAL[6] = {0, 1, 2, 3, 4, 5};
    const int n = mo_body_rows(world), *row = n == 3 ? PLANAR : SPATIAL;
    double K[36], largest = 0, least = INFINITY;
    mo_joints_stiffness(world, (int)(body - world->body), h, K);
    for (int k = 0; k < 36; ++k)
        largest = fmax(largest, h * fabs(K[k]));
    for (int i = 0; i < n; ++i)
        least = fmin(least, M[i * n + i]);
    if (!(largest <= STIFFEST * least)) return;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            M[i * n + j] += h * K[row[i] * 6 + row[j]];
            f[i] += h * K[row[i] * 6 + row[j]] * body->next_v[row[j]];
        }
    }
}

/* The velocities that the body has without constraints. */
static const double *free_motion(const mo_sim_body *body, const mo_phase *phase)
{
    static const double rest[6] = {0};
    return phase->kind == MO_PHASE_STEP     ? body->free_v
           : phase->kind == MO_PHASE_IMPACT ? body->start_v
                                            : rest;
}

static void add_rigid_body(mo_world *world, mo_sim_body *body, const mo_phase *phase, double scale)
{
    const double *v = free_motion(body, phase);
    double J[9], f[6];
    for (int k = 0; k < 9; ++k)
        J[k] = scale * body->world_inertia[k];
    mo_vec3_scale(scale * body->mass, v, f);
    mo_mat3_apply(J, v + 3, f + 3);
    body->block = mo_builder_add_rigid_body(world->builder, scale * body->mass, J, f);
}

static void add_body(mo_world *world, mo_sim_body *body, const mo_phase *phase)
{
    const int n = mo_body_rows(world);
    const double scale = phase->kind == MO_PHASE_STEP ? mo_mass_scale(world, phase->h) : 1;
    const int is_held_ahead =
        phase->kind == MO_PHASE_STEP && world->step.joints_hold == MO_HOLD_AHEAD;
    double M[36], v[6], f[6];
    if (n == 6 && !is_held_ahead && phase->kind != MO_PHASE_FORCE) {
        add_rigid_body(world, body, phase, scale);
        return;
    }
    mass_matrix(world, body, M);
    if (phase->kind == MO_PHASE_FORCE) {
        mo_instant_force(world, body, phase->instant, v);
        mo_to_block(world, v, f);
        body->block = mo_builder_add_body(world->builder, n, M, f);
        return;
    }
    mo_scale(n * n, scale, M);
    mo_to_block(world, free_motion(body, phase), v);
    for (int i = 0; i < n; ++i) {
        f[i] = 0;
        for (int j = 0; j < n; ++j)
            f[i] += M[i * n + j] * v[j];
    }
    if (is_held_ahead) add_stiffness(world, body, phase->h, M, f);
    body->block = mo_builder_add_body(world->builder, n, M, f);
}

void mo_assemble_body(mo_world *world, int place, const mo_phase *phase)
{
    mo_sim_body *body = place >= 0 ? world->body + place : NULL;
    if (body && mo_moves_freely(body) && body->block == MO_NONE) {
        if (body->mechanism == MO_NONE)
            add_body(world, body, phase);
        else
            mo_mechanism_add_block(world, body->mechanism, phase);
    }
}
