/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Removal of energy that joints have added to the velocities at the end of a step (passive.c).
 *
 * Bodies connected by joints form a cluster.  Its velocities are split into those of a rigid body
 * and the rest,
 *
 *     v_b = V + S x (x_b - c) + d_b,    s_b = S + t_b,
 *
 * with the linear and angular momentum of the cluster in V and S alone, so the kinetic energies
 * add.  All d and t are scaled by one factor,
 *
 *     f^2 = 1 - gain / (kinetic energy of d and t).
 *
 * A cluster that is attached to the world, or to a static or kinematic body, has V = S = 0.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "sim/world_data.h"

typedef struct cluster {
    int is_held;
    double mass, centre[3], V[3], S[3];
    double L[3], inertia[9];
} cluster;

static int is_free(const mo_world *world, int place)
{
    return place >= 0 && world->body[place].block != MO_NONE;
}

static int is_jointed(const mo_world *world, int place)
{
    return is_free(world, place) && world->body[place].first_joint != MO_NONE;
}

/* The first body of each cluster: joints propagate the lower number until nothing changes.  Islands
 * reset the leaders after the step. */
static void find_leaders(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k)
        if (is_jointed(world, world->living[k]))
            world->body[world->living[k]].leader = world->living[k];
    for (int changes = 1; changes > 0;) {
        changes = 0;
        for (int k = 0; k < world->jointed_count; ++k) {
            const mo_sim_joint *joint = world->joint + world->jointed[k];
            if (is_free(world, joint->body[0]) && is_free(world, joint->body[1])) {
                int *a = &world->body[joint->body[0]].leader,
                    *b = &world->body[joint->body[1]].leader;
                changes += *a != *b;
                *a = *b = *a < *b ? *a : *b;
            }
        }
    }
}

static void inertia_of(const mo_world *world, const mo_sim_body *body, double J[9])
{
    if (mo_is_planar(world)) {
        memset(J, 0, 9 * sizeof *J);
        J[0] = J[4] = J[8] = body->inertia[8];
    } else {
        memcpy(J, body->world_inertia, 9 * sizeof *J);
    }
}

/* Position of the body at the end of the step, from the cluster's centre. */
static void arm_of(const mo_sim_body *body, const cluster *c, double h, double arm[3])
{
    mo_vec3_along(body->x, h, body->next_v, arm);
    mo_vec3_minus(arm, c->centre, arm);
}

static void add_momentum(const mo_sim_body *body, double h, cluster *c)
{
    double x[3];
    mo_vec3_along(body->x, h, body->next_v, x);
    c->mass += body->mass;
    mo_vec3_along(c->centre, body->mass, x, c->centre);
    mo_vec3_along(c->V, body->mass, body->next_v, c->V);
}

static void add_turn(const mo_world *world, const mo_sim_body *body, double h, cluster *c)
{
    double arm[3], v[3], turn[3], J[9], L[3];
    arm_of(body, c, h, arm);
    mo_vec3_minus(body->next_v, c->V, v);
    mo_vec3_cross(arm, v, turn);
    inertia_of(world, body, J);
    mo_mat3_apply(J, body->next_v + 3, L);
    mo_vec3_along(c->L, body->mass, turn, c->L);
    mo_vec3_along(c->L, 1, L, c->L);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c->inertia[3 * i + j] +=
                J[3 * i + j] + body->mass * ((i == j) * mo_vec3_dot(arm, arm) - arm[i] * arm[j]);
        }
    }
}

/* V and S of all clusters, at the places of their leaders. */
static void move_rigidly(mo_world *world, double h, cluster *clusters)
{
    find_leaders(world);
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        for (int side = 0; side < 2; ++side)
            if (is_free(world, joint->body[side]) && !is_free(world, joint->body[!side]))
                clusters[world->body[joint->body[side]].leader].is_held = 1;
    }
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (is_jointed(world, world->living[k]) && !clusters[body->leader].is_held)
            add_momentum(body, h, clusters + body->leader);
    }
    for (int k = 0; k < world->body_places; ++k) {
        const double over = clusters[k].mass > 0 ? 1 / clusters[k].mass : 0;
        mo_vec3_scale(over, clusters[k].centre, clusters[k].centre);
        mo_vec3_scale(over, clusters[k].V, clusters[k].V);
    }
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (is_jointed(world, world->living[k]) && !clusters[body->leader].is_held)
            add_turn(world, body, h, clusters + body->leader);
    }
    for (int k = 0; k < world->body_places; ++k)
        if (clusters[k].mass > 0) mo_mat3_solve(clusters[k].inertia, clusters[k].L, clusters[k].S);
}

/* d and t of a body. */
static void rest_of(const mo_sim_body *body, const cluster *c, double h, double rest[6])
{
    double arm[3], turn[3];
    arm_of(body, c, h, arm);
    mo_vec3_cross(c->S, arm, turn);
    for (int i = 0; i < 3; ++i) {
        rest[i] = body->next_v[i] - c->V[i] - turn[i];
        rest[3 + i] = body->next_v[3 + i] - c->S[i];
    }
}

/* f; 0 if there is not enough energy to remove. */
static double factor(const mo_world *world, double h, double gain, const cluster *clusters)
{
    double sum = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (is_jointed(world, world->living[k])) {
            double rest[6];
            rest_of(body, clusters + body->leader, h, rest);
            sum += mo_body_kinetic(world, body, rest);
        }
    }
    return gain < sum ? sqrt(1 - gain / sum) : 0;
}

static void shrink(mo_world *world, double h, double f, const cluster *clusters)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        if (is_jointed(world, world->living[k])) {
            double rest[6];
            rest_of(body, clusters + body->leader, h, rest);
            for (int i = 0; i < 6; ++i)
                body->next_v[i] -= (1 - f) * rest[i];
        }
    }
}

int mo_remove_energy_gain(mo_world *world, double h, double gain, int does_it)
{
    cluster *clusters =
        mo_memory_array(&world->allocator, (size_t)world->body_places, sizeof *clusters);
    if (!clusters) return 0;
    memset(clusters, 0, (size_t)world->body_places * sizeof *clusters);
    move_rigidly(world, h, clusters);
    const double f = factor(world, h, gain, clusters);
    if (f > 0 && does_it) shrink(world, h, f, clusters);
    mo_memory_free(&world->allocator, clusters);
    return f > 0;
}
