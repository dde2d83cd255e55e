/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Worlds that are stepped as a whole on a device: the ways to run one, equal bits, and the laws of
 * Newton and Coulomb from what the world reports.
 */
#ifndef MO_TESTS_DEVICE_HEAP_CHECKS_H
#define MO_TESTS_DEVICE_HEAP_CHECKS_H

#include "heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/vec3.h"
#include "sim/device_heap.h"

static const double H = 0.02, G = 9.81;

/* The ways in which the host may run a launch, and the GPU where there is one. */
enum { WAYS = 5 };

static inline int send_to(mo_world *world, int way)
{
    static const mo_index_order ORDERS[] = {MO_FORWARD, MO_BACKWARD, MO_SHUFFLED, MO_FORWARD};
    const mo_allocator own = mo_allocator_or_default(NULL);
    mo_device *device = NULL;
    if (way < 4)
        CHECK(mo_device_open_host(NULL, way == 3 ? 2 : 1, ORDERS[way], &device) == MO_OK);
    else if (mo_device_has_gpu())
        CHECK(mo_device_open_gpu(&own, &device, NULL) == MO_OK);
    CHECK(!device || mo_device_heap_begin(world, device, 1, NULL) == MO_OK);
    return device != NULL;
}

typedef mo_world *world_on_fn(int way);

/* The world after so many steps is the same, bit for bit, in every way. */
static inline void check_bits(world_on_fn *make, int steps)
{
    char *first = NULL;
    size_t size = 0;
    for (int way = 0; way < WAYS; ++way) {
        mo_world *world = make(way);
        if (!world) continue;
        heap_step(world, steps);
        CHECK(mo_device_heap_is_away(world));
        const size_t own = mo_world_save(world, NULL, 0);
        char *bytes = malloc(own);
        CHECK(bytes && mo_world_save(world, bytes, own) == own);
        if (way == 0) {
            first = bytes;
            size = own;
        } else {
            CHECK(own == size && memcmp(bytes, first, size) == 0);
            free(bytes);
        }
        mo_world_destroy(world);
    }
    free(first);
}

/* ---- the laws -------------------------------------------------------------------------------- */

typedef struct motion {
    double v[6], sum[6]; /* before the step; impulses and moments of its contacts */
    double x[3];
} motion;

static inline int index_of(const mo_world *world, mo_body_id id)
{
    for (int k = 0; k < mo_world_body_count(world); ++k)
        if (mo_world_body(world, k).index == id.index) return k;
    return -1;
}

static inline void add_contact(const mo_world *world, const mo_contact *c, motion *all)
{
    for (int side = 0; side < 2; ++side) {
        motion *m = all + index_of(world, side ? c->b : c->a);
        double arm[3], moment[3];
        mo_vec3_minus(c->point, m->x, arm);
        mo_vec3_cross(arm, c->impulse, moment);
        mo_vec3_along(m->sum, side ? 1 : -1, c->impulse, m->sum);
        mo_vec3_along(m->sum + 3, side ? 1 : -1, moment, m->sum + 3);
    }
}

/* M (v+ - v) = h M g + H r for every body of isotropic inertia, to rounding: impulses and
 * velocities belong together. */
static inline void check_newton(mo_world *world, const motion *all)
{
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        if (s.kind != MO_BODY_FREE) continue;
        for (int i = 0; i < 3; ++i) {
            const double gain = s.velocity[i] - all[k].v[i] + (i == 2 ? H * G : 0);
            CHECK_NEAR(s.mass * gain, all[k].sum[i], 1e-10);
            CHECK_NEAR(s.inertia[0] * (s.spin[i] - all[k].v[3 + i]), all[k].sum[3 + i], 1e-10);
        }
    }
}

/* |r - proj(r - (u + w + mu |u_T| n))|^2 of a contact, w = gap / h; the cone's projection anew. */
static inline double natural_of(const mo_contact *c)
{
    double r_T[3], u_T[3], y_T[3];
    const double r_N = mo_vec3_dot(c->impulse, c->normal),
                 u_N = mo_vec3_dot(c->velocity, c->normal) + c->gap / H;
    mo_vec3_along(c->impulse, -r_N, c->normal, r_T);
    mo_vec3_along(c->velocity, -mo_vec3_dot(c->velocity, c->normal), c->normal, u_T);
    mo_vec3_minus(r_T, u_T, y_T);
    const double y_N = r_N - u_N - c->mu * mo_vec3_norm(u_T), length = mo_vec3_norm(y_T);
    double p_N = 0, part = 0;
    if (length <= c->mu * y_N) {
        p_N = y_N, part = 1;
    } else if (c->mu * length > -y_N) {
        p_N = (y_N + c->mu * length) / (1 + c->mu * c->mu);
        part = c->mu * p_N / length;
    }
    double z[3];
    mo_vec3_along(r_T, -part, y_T, z);
    return (r_N - p_N) * (r_N - p_N) + mo_vec3_dot(z, z);
}

static inline void forget_restitution(mo_world *world)
{
    mo_material plain = mo_default_material();
    plain.friction = 0.3;
    for (int k = 0; k < mo_world_body_count(world); ++k)
        CHECK(mo_body_set_material(world, mo_world_body(world, k), &plain, NULL) == MO_OK);
}

/* One step more, without restitution: w is the gap over h. */
static inline void check_laws(mo_world *world, int least_contacts)
{
    const int bodies = mo_world_body_count(world);
    motion *all = calloc((size_t)bodies, sizeof *all);
    for (int k = 0; k < bodies; ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        memcpy(all[k].v, s.velocity, sizeof s.velocity);
        memcpy(all[k].v + 3, s.spin, sizeof s.spin);
        memcpy(all[k].x, s.centre, sizeof s.centre);
    }
    const mo_step_report report = heap_step(world, 1);
    CHECK(report.status == MO_SOLVED && report.contacts > least_contacts);
    CHECK(mo_world_contact_count(world) == report.contacts && mo_world_problem(world) == NULL);
    double natural = 0, fastest = 0;
    for (int k = 0; k < report.contacts; ++k) {
        const mo_contact c = mo_world_contact(world, k);
        add_contact(world, &c, all);
        natural += natural_of(&c);
        fastest = fmax(fastest, -(mo_vec3_dot(c.velocity, c.normal) + c.gap / H));
    }
    check_newton(world, all);
    CHECK_NEAR(sqrt(natural), report.residual.natural, 1e-6 * report.residual.natural);
    CHECK_NEAR(fastest, report.residual.penetration_rate.value, 1e-10);
    free(all);
}

#endif
