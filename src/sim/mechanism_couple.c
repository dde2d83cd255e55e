/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Couplings of joints or tendons of a mechanism: q_a - ref_a = p(q_b - ref_b), one bilateral row
 * each,
 *
 *     u = v_a - p' v_b + w,      w = (q_a - ref_a - p) / h in a step, 0 in an impact,
 *
 * and at the acceleration level  u = a_a - p' a_b - p'' v_b^2 (plus error correction if the
 * accelerations act for a time).
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/dense.h"
#include "sim/forces_data.h"

static int is_single(const mo_sim_mechanism *mechanism, int k)
{
    const mo_axis_kind kind = mechanism->axis[k].def.kind;
    return kind == MO_AXIS_REVOLUTE || kind == MO_AXIS_PRISMATIC;
}

/* Difference of q, or the length, from the reference; 0 if there is none. */
static double offset_of(const mo_sim_mechanism *mechanism, const mo_coupling_def *def, int k)
{
    if (k < 0) return 0;
    if (def->of_tendons) {
        const mo_sim_tendon *tendon = mechanism->tendon + k;
        return mo_tendon_length(mechanism, tendon) - tendon->reference;
    }
    return mechanism->q[mechanism->tree.joint[k].q_at] - mechanism->axis[k].def.reference;
}

/* Adds factor times the row of one side. */
static void add_side(const mo_sim_mechanism *mechanism, const mo_coupling_def *def, int k,
                     double factor, double *row)
{
    if (k < 0) return;
    if (def->of_tendons)
        mo_axpy(mechanism->tree.dofs, factor, mechanism->tendon[k].arm, row);
    else
        row[mechanism->tree.joint[k].v_at] += factor;
}

/* Its rate. */
static double rate_of(const mo_sim_mechanism *mechanism, const mo_coupling_def *def, int k)
{
    return k < 0             ? 0
           : def->of_tendons ? mo_dot(mechanism->tree.dofs, mechanism->tendon[k].arm, mechanism->v)
                             : mechanism->v[mechanism->tree.joint[k].v_at];
}

/* Error of the coupling, p' and p''. */
typedef struct coupling_state {
    double error, slope, curve;
} coupling_state;

static coupling_state state_of(const mo_sim_mechanism *mechanism, const mo_coupling_def *def)
{
    const double x = offset_of(mechanism, def, def->b);
    double value = 0, slope = 0, curve = 0;
    for (int k = 4; k >= 0; --k) {
        curve = curve * x + 2 * slope;
        slope = slope * x + value;
        value = value * x + def->polynomial[k];
    }
    return (coupling_state){
        .error = offset_of(mechanism, def, def->a) - value, .slope = slope, .curve = curve};
}

static mo_error check(const mo_sim_mechanism *mechanism, const mo_coupling_def *def,
                      mo_message *why)
{
    const int count = def->of_tendons ? mechanism->tendons : mechanism->tree.joints;
    MO_REFUSE_IF(def->a < 0 || def->a >= count || def->b < -1 || def->b >= count ||
                     def->a == def->b,
                 why, "a coupling of mechanism '%.64s' names the %s %d and %d; it has %d",
                 mechanism->name, def->of_tendons ? "tendons" : "joints", def->a, def->b, count);
    if (def->of_tendons) return MO_OK;
    MO_REFUSE_IF(!is_single(mechanism, def->a) || (def->b >= 0 && !is_single(mechanism, def->b)),
                 why, "a coupling of mechanism '%.64s' is for revolute and prismatic joints",
                 mechanism->name);
    for (int k = 0; k < 5; ++k) {
        MO_REFUSE_IF(!isfinite(def->polynomial[k]), why,
                     "a coupling of mechanism '%.64s' must be finite", mechanism->name);
    }
    return MO_OK;
}

mo_error mo_mechanism_couple(mo_world *world, mo_mechanism_id id, const mo_coupling_def *def,
                             mo_message *why)
{
    MO_NEED(world && def, why);
    mo_sim_mechanism *mechanism = mo_mechanism_at(world, id);
    MO_NEED_ID(mechanism, "mechanism", id, why);
    MO_TRY(check(mechanism, def, why));
    MO_NEED_MEMORY(MO_GROW(&world->allocator, mechanism->coupling, mechanism->coupling_room,
                           (size_t)mechanism->couplings + 1),
                   why);
    mechanism->coupling[mechanism->couplings++] = (mo_sim_coupling){.def = *def};
    mo_mechanism_wake(world, mechanism);
    return MO_OK;
}

/* w of the row. */
static double w_of(const mo_sim_mechanism *mechanism, const mo_coupling_def *def,
                   const coupling_state *at, const mo_phase *phase)
{
    const double v_a = rate_of(mechanism, def, def->a), v_b = rate_of(mechanism, def, def->b);
    if (phase->kind == MO_PHASE_FORCE) {
        const double p = phase->instant->per_step, part = p > 0 ? 0.5 : 1; /* forces_drift.c */
        return -part * at->curve * v_b * v_b + p * (v_a - at->slope * v_b + p * at->error);
    }
    return phase->kind == MO_PHASE_PROJECTION ? at->error / phase->h : 0;
}

double mo_mechanism_coupling_error(const mo_sim_mechanism *mechanism)
{
    double worst = 0;
    for (int k = 0; k < mechanism->couplings; ++k)
        worst = fmax(worst, fabs(state_of(mechanism, &mechanism->coupling[k].def).error));
    return worst;
}

void mo_coupling_row(const mo_sim_mechanism *mechanism, int k, double *row)
{
    const mo_coupling_def *def = &mechanism->coupling[k].def;
    memset(row, 0, (size_t)mechanism->tree.dofs * sizeof *row);
    add_side(mechanism, def, def->a, 1, row);
    add_side(mechanism, def, def->b, -state_of(mechanism, def).slope, row);
}

void mo_mechanism_add_couplings(mo_world *world, mo_sim_mechanism *mechanism, const mo_phase *phase)
{
    const mo_law law = mo_law_bilateral();
    for (int k = 0; k < mechanism->couplings; ++k) {
        const mo_coupling_def *def = &mechanism->coupling[k].def;
        const coupling_state at = state_of(mechanism, def);
        const double w = w_of(mechanism, def, &at, phase);
        mo_coupling_row(mechanism, k, mechanism->row);
        const int own = mo_builder_add_constraint(world->builder, 1, &law, &w);
        mechanism->coupling_constraint = k == 0 ? own : mechanism->coupling_constraint;
        mo_mechanism_add_jacobian(world, mechanism, own, 1, mechanism->row);
    }
}
