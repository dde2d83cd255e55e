/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Coupled joints of a mechanism: q_a - ref_a = p(q_b - ref_b), one bilateral row each,
 *
 *     u = v_a - p' v_b + w,      w = (q_a - ref_a - p) / h in a step, 0 in an impact.
 *
 * Every solve begins with an impulse of zero there, so that nothing need be kept from step to step.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "sim/mechanism.h"

static int is_single(const mo_sim_mechanism *mechanism, int k)
{
    const mo_axis_kind kind = mechanism->axis[k].def.kind;
    return kind == MO_AXIS_REVOLUTE || kind == MO_AXIS_PRISMATIC;
}

/* How far q is from the reference. */
static double offset_of(const mo_sim_mechanism *mechanism, int k)
{
    return mechanism->q[mechanism->tree.joint[k].q_at] - mechanism->axis[k].def.reference;
}

/* The error of the coupling, and p'. */
static double error_of(const mo_sim_mechanism *mechanism, const mo_coupling_def *def, double *slope)
{
    const double x = def->b >= 0 ? offset_of(mechanism, def->b) : 0;
    double value = 0;
    *slope = 0;
    for (int k = 4; k >= 0; --k) {
        *slope = *slope * x + value;
        value = value * x + def->polynomial[k];
    }
    return offset_of(mechanism, def->a) - value;
}

static mo_error check(const mo_sim_mechanism *mechanism, const mo_coupling_def *def,
                      mo_message *why)
{
    const int joints = mechanism->tree.joints;
    if (def->a < 0 || def->a >= joints || def->b < -1 || def->b >= joints || def->a == def->b) {
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "a coupling of mechanism '%.64s' names the joints %d and %d; it has %d",
                       mechanism->name, def->a, def->b, joints);
    }
    if (!is_single(mechanism, def->a) || (def->b >= 0 && !is_single(mechanism, def->b))) {
        return mo_fail(why, MO_ERR_ARGUMENT,
                       "a coupling of mechanism '%.64s' is for revolute and prismatic joints",
                       mechanism->name);
    }
    for (int k = 0; k < 5; ++k) {
        if (!isfinite(def->polynomial[k])) {
            return mo_fail(why, MO_ERR_ARGUMENT, "a coupling of mechanism '%.64s' must be finite",
                           mechanism->name);
        }
    }
    return MO_OK;
}

mo_error mo_mechanism_couple(mo_world *world, mo_mechanism_id id, const mo_coupling_def *def,
                             mo_message *why)
{
    mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    if (!mechanism) {
        return mo_fail(why, MO_ERR_ARGUMENT, "this mechanism is not in the world");
    }
    const mo_error error = check(mechanism, def, why);
    if (error) {
        return error;
    }
    if (!mo_memory_grow(&world->allocator, (void **)&mechanism->coupling, &mechanism->coupling_room,
                        (size_t)mechanism->couplings + 1, sizeof *mechanism->coupling)) {
        return mo_fail_memory(why);
    }
    mechanism->coupling[mechanism->couplings++] = *def;
    mo_mechanism_wake(world, mechanism);
    return MO_OK;
}

void mo_mechanism_add_couplings(mo_world *world, mo_sim_mechanism *mechanism, const mo_phase *phase)
{
    const int n = mechanism->tree.dofs;
    const mo_law law = mo_law_bilateral();
    for (int k = 0; k < mechanism->couplings; ++k) {
        const mo_coupling_def *def = mechanism->coupling + k;
        double slope;
        const double error = error_of(mechanism, def, &slope);
        const double w = phase->kind == MO_PHASE_IMPACT ? 0 : error / phase->h;
        memset(mechanism->row, 0, (size_t)n * sizeof *mechanism->row);
        mechanism->row[mechanism->tree.joint[def->a].v_at] = 1;
        if (def->b >= 0) {
            mechanism->row[mechanism->tree.joint[def->b].v_at] = -slope;
        }
        const int own = mo_builder_add_constraint(world->builder, 1, &law, &w);
        mo_builder_add_jacobian(world->builder, own, mechanism->block, 1, n, mechanism->row);
    }
}
