/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Energies and momenta of the dynamic bodies and the links of a world. */
#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"
#include "sim/world_data.h"

static int has_mass(const mo_sim_body *body)
{
    return body->kind == MO_BODY_FREE || body->kind == MO_BODY_LINK;
}

/* J w in world axes at the present orientation. */
static void angular_momentum(const mo_world *world, const mo_sim_body *body, double out[3])
{
    if (mo_is_planar(world)) {
        mo_vec3_set(out, 0, 0, body->inertia[8] * body->v[5]);
        return;
    }
    if (body->is_ball) {
        mo_vec3_scale(body->inertia[0], body->v + 3, out);
        return;
    }
    if (body->kind == MO_BODY_LINK) { /* its inertia has turned with it */
        mo_mat3_apply(body->world_inertia, body->v + 3, out);
        return;
    }
    double R[9], local[3], l[3];
    mo_quat_matrix(body->orientation, R);
    mo_mat3_apply_transposed(R, body->v + 3, local);
    mo_mat3_apply(body->inertia, local, l);
    mo_mat3_apply(R, l, out);
}

double mo_body_kinetic_now(const mo_world *world, const mo_sim_body *body)
{
    double L[3];
    if (!has_mass(body)) return 0;
    angular_momentum(world, body, L);
    return 0.5 * (body->mass * mo_vec3_dot(body->v, body->v) + mo_vec3_dot(L, body->v + 3));
}

double mo_body_kinetic(const mo_world *world, const mo_sim_body *body, const double v[6])
{
    double Jw[3];
    if (mo_is_planar(world))
        mo_vec3_set(Jw, 0, 0, body->inertia[8] * v[5]);
    else
        mo_mat3_apply(body->world_inertia, v + 3, Jw);
    return 0.5 * (body->mass * mo_vec3_dot(v, v) + mo_vec3_dot(v + 3, Jw));
}

double mo_body_potential(const mo_world *world, const mo_sim_body *body)
{
    return has_mass(body) ? -body->mass * mo_vec3_dot(world->def.gravity, body->x) : 0;
}

/* The sum over all bodies; `other` is that of the mechanisms. */
static double sum_up(const mo_world *world, double (*of)(const mo_world *, const mo_sim_body *),
                     mo_energy *other)
{
    double sum = 0;
    mo_device_heap_fetch(world);
    for (int k = 0; k < world->living_count; ++k) {
        mo_pace_every(k, 256);
        sum += of(world, world->body + world->living[k]);
    }
    mo_pace();
    mo_mechanisms_energy(world, other);
    return sum;
}

double mo_world_kinetic_energy(const mo_world *world)
{
    MO_NEED_OR(0, world, NULL);
    mo_energy other = {0};
    const double sum = sum_up(world, mo_body_kinetic_now, &other);
    return sum + other.rotation;
}

double mo_world_potential_energy(const mo_world *world)
{
    MO_NEED_OR(0, world, NULL);
    mo_energy other = {0};
    const double sum = sum_up(world, mo_body_potential, &other);
    return sum + (other.springs + other.gravity);
}

mo_energy mo_world_energy(const mo_world *world)
{
    mo_device_heap_fetch(world);
    mo_energy energy = {0};
    MO_NEED_OR(energy, world, NULL);
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (has_mass(body)) {
            double L[3];
            angular_momentum(world, body, L);
            energy.translation += 0.5 * body->mass * mo_vec3_dot(body->v, body->v);
            energy.rotation += 0.5 * mo_vec3_dot(L, body->v + 3);
            energy.gravity += mo_body_potential(world, body);
        }
    }
    mo_mechanisms_energy(world, &energy);
    return energy;
}

void mo_world_momentum(const mo_world *world, double linear[3], double angular[3])
{
    mo_device_heap_fetch(world);
    MO_NEED_OR(, world && linear && angular, NULL);
    mo_vec3_set(linear, 0, 0, 0);
    mo_vec3_set(angular, 0, 0, 0);
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (has_mass(body)) {
            double p[3], L[3], orbital[3];
            mo_vec3_scale(body->mass, body->v, p);
            angular_momentum(world, body, L);
            mo_vec3_cross(body->x, p, orbital);
            mo_vec3_along(linear, 1, p, linear);
            mo_vec3_along(angular, 1, L, angular);
            mo_vec3_along(angular, 1, orbital, angular);
        }
    }
}
