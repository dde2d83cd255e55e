/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Tendons: l' = c . v with the row c = dl/dq.  A sum of joints, l = c . q, has a constant row; that
 * of a path is computed by mechanism_path.c.
 *
 *   spring     stiffness times the length outside its slack, implicit:  A += h^2 k c' c,
 *              rhs -= h k stretch c'
 *   damping    A += h d c' c
 *   friction   a bounded variable with dry_friction h
 *   limits     as those of joints (mechanism_rows.c)
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/forces_data.h"

mo_tendon_def mo_default_tendon(void)
{
    return (mo_tendon_def){0};
}

/* Those of all tendons, one after the other. */
static mo_tendon_point *copy_points(const mo_mechanism_def *def, const mo_allocator *allocator)
{
    size_t count = 0;
    for (int k = 0; k < def->tendon_count; ++k)
        count += (size_t)def->tendons[k].path_count;
    mo_tendon_point *points = mo_memory_array(allocator, count + 1, sizeof *points);
    count = 0;
    for (int k = 0; points && k < def->tendon_count; ++k) {
        const size_t own = (size_t)def->tendons[k].path_count;
        if (own > 0) memcpy(points + count, def->tendons[k].path, own * sizeof *points);
        count += own;
    }
    return points;
}

mo_error mo_tendons_make(mo_sim_mechanism *mechanism, const mo_mechanism_def *def,
                         const mo_allocator *allocator)
{
    const size_t count = (size_t)def->tendon_count, n = (size_t)mechanism->tree.dofs;
    mechanism->tendons = def->tendon_count;
    if (count == 0) return MO_OK;
    mechanism->tendon = mo_memory_array(allocator, count, sizeof *mechanism->tendon);
    double *arms = mo_memory_array(allocator, count * n + 1, sizeof *arms);
    mo_tendon_point *points = copy_points(def, allocator);
    if (!mechanism->tendon || !arms || !points) {
        MO_FREE(allocator, points, arms, mechanism->tendon);
        mechanism->tendon = NULL;
        return MO_ERR_MEMORY;
    }
    memset(arms, 0, (count * n + 1) * sizeof *arms);
    mechanism->tendon_points = points;
    for (size_t k = 0; k < count; ++k) {
        const mo_tendon_def *from = def->tendons + k;
        mo_sim_tendon *tendon = mechanism->tendon + k;
        *tendon = (mo_sim_tendon){.def = *from, .arm = arms + k * n};
        tendon->def.joints = NULL;
        tendon->def.coefficients = NULL;
        tendon->def.path = NULL;
        if (from->path_count > 0) {
            tendon->path = points;
            points += from->path_count;
            continue;
        }
        for (int i = 0; i < from->count; ++i) {
            const mo_linkage_joint *joint = mechanism->tree.joint + from->joints[i];
            tendon->arm[joint->v_at] += from->coefficients[i];
            tendon->reference += from->coefficients[i] * joint->reference;
        }
    }
    return MO_OK;
}

/* q at which single joints are at their reference, or at the rest of their springs. */
static void place_at(mo_sim_mechanism *mechanism, int at_rest, double *q)
{
    memcpy(q, mechanism->q, (size_t)mechanism->tree.coordinates * sizeof *q);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        const mo_linkage_joint *joint = mechanism->tree.joint + k;
        if (mo_axis_q_count(joint->kind) == 1)
            q[joint->q_at] = at_rest ? mechanism->axis[k].def.rest : joint->reference;
    }
    mo_linkage_place(&mechanism->tree, q);
    mo_tendons_place(mechanism);
}

void mo_tendons_measure(mo_sim_mechanism *mechanism, double *q)
{
    place_at(mechanism, 0, q);
    for (int k = 0; k < mechanism->tendons; ++k) {
        mo_sim_tendon *tendon = mechanism->tendon + k;
        tendon->reference = tendon->path ? tendon->length : tendon->reference;
    }
    place_at(mechanism, 1, q);
    for (int k = 0; k < mechanism->tendons; ++k) {
        mo_sim_tendon *tendon = mechanism->tendon + k;
        if (tendon->path && tendon->def.slack[0] == -1 && tendon->def.slack[1] == -1)
            tendon->def.slack[0] = tendon->def.slack[1] = tendon->length;
    }
}

double mo_tendon_length(const mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon)
{
    if (tendon->path) return tendon->length;
    double length = 0;
    for (int j = 0; j < mechanism->tree.dofs; ++j) {
        if (tendon->arm[j] != 0) {
            const mo_linkage_joint *joint = mechanism->tree.joint + mechanism->tree.dof[j].joint;
            length += tendon->arm[j] * mechanism->q[joint->q_at];
        }
    }
    return length;
}

double mo_tendon_stretch(const mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon)
{
    const double length = mo_tendon_length(mechanism, tendon);
    return fmin(length - tendon->def.slack[0], 0) + fmax(length - tendon->def.slack[1], 0);
}

void mo_tendon_pull(mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon, double h)
{
    const int n = mechanism->tree.dofs;
    const double stretch = mo_tendon_stretch(mechanism, tendon);
    const double stiffness = stretch != 0 ? tendon->def.stiffness : 0,
                 damping = tendon->def.damping;
    if (stiffness == 0 && damping == 0) return;
    const double pull =
        stiffness * stretch + (h > 0 ? 0 : damping * mo_dot(n, tendon->arm, mechanism->v));
    const double implicit = h * (damping + h * stiffness);
    for (int i = 0; i < n; ++i) {
        if (tendon->arm[i] == 0) continue;
        mechanism->rhs[i] -= (h > 0 ? h : 1) * pull * tendon->arm[i];
        for (int j = 0; h > 0 && j < n; ++j) {
            mechanism->A[(size_t)i * (size_t)n + (size_t)j] +=
                implicit * tendon->arm[i] * tendon->arm[j];
        }
    }
}

void mo_tendon_add_friction(mo_world *world, mo_sim_mechanism *mechanism, mo_sim_tendon *tendon,
                            const mo_phase *phase)
{
    const double most = tendon->def.dry_friction * phase->h;
    const int n = mechanism->tree.dofs;
    if (!(most > 0)) return;
    /* At an instant, friction opposes the motion. */
    const double speed = mo_dot(n, tendon->arm, mechanism->v);
    const int is_instant = phase->instant && !(phase->instant->per_step > 0);
    const double slow = is_instant ? phase->instant->speed : INFINITY;
    const double lower = speed < -slow ? most : -most, upper = speed > slow ? -most : most;
    const double w = phase->instant ? phase->instant->per_step * speed : 0;
    const mo_law law = mo_law_box(&lower, &upper);
    tendon->friction_constraint = mo_builder_add_constraint(world->builder, 1, &law, &w);
    memcpy(mechanism->row, tendon->arm, (size_t)n * sizeof *mechanism->row);
    mo_mechanism_add_jacobian(world, mechanism, tendon->friction_constraint, 1, mechanism->row);
}

mo_tendon_state mo_mechanism_tendon(const mo_world *world, mo_mechanism_id id, int k)
{
    MO_NEED_OR((mo_tendon_state){0}, world, NULL);
    const mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    if (!mechanism || k < 0 || k >= mechanism->tendons) return (mo_tendon_state){.name = ""};
    const mo_sim_tendon *tendon = mechanism->tendon + k;
    const double h = world->last_step > 0 ? world->last_step : 1;
    return (mo_tendon_state){.name = tendon->def.name,
                             .length = mo_tendon_length(mechanism, tendon),
                             .speed = mo_dot(mechanism->tree.dofs, tendon->arm, mechanism->v),
                             .limit_effort =
                                 (tendon->stop.impulse[0] - tendon->stop.impulse[1]) / h,
                             .has_limits = tendon->def.has_limits,
                             .lower = tendon->def.lower,
                             .upper = tendon->def.upper};
}
