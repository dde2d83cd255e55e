/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Dry friction of the joints of a mechanism, |r| <= h dry_friction, in one of three forms:
 *
 *   row     a bounded variable of the problem: any case
 *   slides  a joint that moves on has a known force, r = -h dry_friction sign(v)
 *   holds   a joint at rest keeps v_j = 0 and leaves the problem; r_j = (A v - rhs - H r)_j
 *
 * The last step predicts the form, the solution is checked: v of joints that slide keeps its sign,
 * r of joints that hold is within its bounds.  Those that fail become rows, and the step is solved
 * again, so that the result is that of rows.  No joint gets another form for some steps after that.
 *
 * Only joints of one velocity slide or hold.  Joints with a limit that is reached, a saturated
 * actuator, a tendon or a coupling, and those inside of a loop, do not hold: their rows may
 * contradict v_j = 0.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "sim/assemble.h"
#include "sim/forces_data.h"
#include "sim/mechanism.h"

static const double EXACT = 1e-10; /* of the bound: rounding */
/* Changes of the velocity as in the last step after which a joint is expected to slide still. */
static const double FAST = 3;
/* rad/s or m/s: the error of solves; slower joints are at rest */
static const double STILL = 1e-8;
static const double SAFE = 0.9; /* of the bound: a joint that needs less is expected to hold */
static const double SHORTEST = 5, LONGEST = 320; /* steps without new forms after a wrong one */

/* ---- choice of the form ---------------------------------------------------------------------- */

int mo_friction_is_row(const mo_sim_axis *axis)
{
    return axis->def.dry_friction > 0 && axis->slides == 0 && !axis->holds;
}

/* Lists the velocities that are not held. */
static void list_free(mo_sim_mechanism *mechanism)
{
    const mo_linkage *tree = &mechanism->tree;
    mechanism->free_count = 0;
    for (int k = 0; k < tree->joints; ++k)
        for (int i = 0; i < mo_axis_v_count(tree->joint[k].kind) && !mechanism->axis[k].holds; ++i)
            mechanism->free_dof[mechanism->free_count++] = tree->joint[k].v_at + i;
}

/* Velocities of the path of a link, from its base. */
static void release_path(mo_sim_mechanism *mechanism, int link, double *is_on_path)
{
    const mo_linkage *tree = &mechanism->tree;
    for (int j = tree->link[link].last_dof; j >= 0; j = tree->dof[j].parent)
        is_on_path[j] = 1 - is_on_path[j];
}

/* Joints on one side of a joint between two bodies: those before both do not move it. */
static void release_loops(const mo_world *world, mo_sim_mechanism *mechanism)
{
    double *is_on_path = mechanism->bias;
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        memset(is_on_path, 0, (size_t)mechanism->tree.dofs * sizeof *is_on_path);
        for (int side = 0; side < 2; ++side) {
            const mo_sim_body *body =
                joint->body[side] >= 0 ? world->body + joint->body[side] : NULL;
            if (body && body->mechanism != MO_NONE &&
                world->mechanism[body->mechanism] == mechanism)
                release_path(mechanism, body->link, is_on_path);
        }
        for (int i = 0; i < mechanism->tree.joints; ++i)
            if (is_on_path[mechanism->tree.joint[i].v_at] > 0) mechanism->axis[i].holds = 0;
    }
}

static void release_tendon(mo_sim_mechanism *mechanism, const mo_sim_tendon *tendon)
{
    for (int k = 0; k < mechanism->tree.joints; ++k)
        if (tendon->arm[mechanism->tree.joint[k].v_at] != 0) mechanism->axis[k].holds = 0;
}

/* Joints that rows of others may move cannot be held. */
static void release_driven(const mo_world *world, mo_sim_mechanism *mechanism)
{
    for (int k = 0; k < mechanism->tendons; ++k)
        release_tendon(mechanism, mechanism->tendon + k);
    for (int k = 0; k < mechanism->couplings; ++k) {
        const mo_coupling_def *def = &mechanism->coupling[k].def;
        if (!def->of_tendons) {
            mechanism->axis[def->a].holds = 0;
            mechanism->axis[def->b >= 0 ? def->b : def->a].holds = 0;
        }
    }
    for (int k = 0; k < mechanism->actuators; ++k) {
        const mo_sim_actuator *actuator = mechanism->actuator + k;
        if (actuator->is_row && actuator->def.on == MO_ON_JOINT)
            mechanism->axis[actuator->def.joint].holds = 0;
    }
    release_loops(world, mechanism);
}

/* Is the joint at rest, within its limits and well within its friction? */
static int may_hold(const mo_world *world, const mo_sim_mechanism *mechanism, int k)
{
    const mo_sim_axis *axis = mechanism->axis + k;
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const double most = axis->def.dry_friction * world->last_step, q = mechanism->q[joint->q_at];
    const int is_inside = !axis->def.has_limits || (q > axis->def.lower && q < axis->def.upper);
    return axis->def.dry_friction > 0 && mo_axis_v_count(joint->kind) == 1 && is_inside &&
           axis->stop.impulse[0] == 0 && axis->stop.impulse[1] == 0 &&
           fabs(mechanism->v[joint->v_at]) <= STILL &&
           fabs(axis->friction_impulse[0]) <= SAFE * most;
}

void mo_mechanism_begin_friction(mo_world *world, mo_sim_mechanism *mechanism, double h)
{
    int holds = 0, changes = 0;
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        mo_sim_axis *axis = mechanism->axis + k;
        const double speed = axis->slip * mechanism->v[mechanism->tree.joint[k].v_at];
        const int may_have_form = h > 0 && (axis->had_form > 0 || mechanism->wait == 0);
        axis->slides = may_have_form && speed > 0 ? axis->slip : 0;
        axis->holds = may_have_form && may_hold(world, mechanism, k);
        holds |= axis->holds;
    }
    if (holds) release_driven(world, mechanism);
    list_free(mechanism);
    for (int k = 0; k < mechanism->tree.joints && h > 0; ++k) {
        mo_sim_axis *axis = mechanism->axis + k;
        changes |= (axis->slides != 0 || axis->holds) != (axis->had_form > 0);
    }
    if (changes) /* least-norm impulses differ without the rows */
        world->canonical = MO_CANONICAL_UNKNOWN;
}

void mo_mechanism_predict_friction(mo_sim_mechanism *mechanism, double h)
{
    mechanism->last_wait = fmax(0, mechanism->last_wait - (mechanism->wait == 0));
    mechanism->wait = fmax(0, mechanism->wait - 1);
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        mo_sim_axis *axis = mechanism->axis + k;
        const int at = mechanism->tree.joint[k].v_at;
        const double most = axis->def.dry_friction * h, now = mechanism->next_v[at];
        const int is_overcome = most > 0 && mo_axis_v_count(axis->def.kind) == 1 &&
                                fabs(axis->friction_impulse[0]) >= (1 - EXACT) * most;
        const int is_fast = fabs(now) > fmax(STILL, FAST * fabs(now - mechanism->start_v[at]));
        axis->slip = is_overcome && is_fast ? (now > 0 ? 1 : -1) : 0;
        axis->had_form = axis->slides != 0 || axis->holds;
    }
}

/* No further forms for a number of steps, which increases each time. */
int mo_mechanism_release(mo_sim_mechanism *mechanism, double h, int all)
{
    int count = 0;
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        mo_sim_axis *axis = mechanism->axis + k;
        const double most = (1 + EXACT) * h * axis->def.dry_friction;
        const int turns = axis->slides * mechanism->next_v[mechanism->tree.joint[k].v_at] < 0;
        const int slips = axis->holds && !(fabs(axis->friction_impulse[0]) <= most);
        if (turns || slips || (all && (axis->slides != 0 || axis->holds))) {
            axis->slides = axis->holds = 0;
            ++count;
        }
    }
    if (count > 0) {
        mechanism->last_wait = fmin(fmax(2 * mechanism->last_wait, SHORTEST), LONGEST);
        mechanism->wait = mechanism->last_wait;
        list_free(mechanism);
    }
    return count;
}

/* ---- in the problem -------------------------------------------------------------------------- */

void mo_mechanism_hold(const mo_sim_mechanism *mechanism, double *A, double *f)
{
    const size_t n = (size_t)mechanism->tree.dofs;
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        const size_t j = (size_t)mechanism->tree.joint[k].v_at;
        if (mechanism->axis[k].holds) {
            for (size_t i = 0; i < n; ++i)
                A[i * n + j] = A[j * n + i] = 0;
            A[j * n + j] = 1;
            f[j] = 0;
        }
    }
}

/* The numbers of velocities that are free, in their order; out may be x. */
static void pick_free(const mo_sim_mechanism *mechanism, const double *x, double *out)
{
    for (int i = 0; i < mechanism->free_count; ++i)
        out[i] = x[mechanism->free_dof[i]];
}

int mo_mechanism_add_free_block(mo_world *world, mo_sim_mechanism *mechanism)
{
    const int n = mechanism->tree.dofs, count = mechanism->free_count;
    double *A = mechanism->packed;
    mechanism->block_dofs = count;
    if (count == 0) /* links are treated as static bodies */
        return MO_NONE;
    if (count == n) return mo_builder_add_body(world->builder, n, mechanism->A, mechanism->rhs);
    for (int i = 0; i < count; ++i) {
        pick_free(mechanism, mechanism->A + (size_t)mechanism->free_dof[i] * (size_t)n,
                  A + (size_t)i * (size_t)count);
    }
    pick_free(mechanism, mechanism->rhs, mechanism->row);
    return mo_builder_add_body(world->builder, count, A, mechanism->row);
}

void mo_mechanism_add_jacobian(mo_world *world, const mo_sim_mechanism *mechanism, int constraint,
                               int rows, double *J)
{
    const int n = mechanism->tree.dofs, count = mechanism->block_dofs;
    for (int k = 0; k < rows && count < n; ++k)
        pick_free(mechanism, J + k * n, J + k * count);
    mo_builder_add_jacobian(world->builder, constraint, mechanism->block, rows, count, J);
}

void mo_mechanism_read_velocities(const mo_sim_mechanism *mechanism, const double *v, double *out)
{
    const int n = mechanism->tree.dofs, count = mechanism->block_dofs;
    if (count == n) {
        memcpy(out, v, (size_t)n * sizeof *out);
        return;
    }
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < count; ++i)
        out[mechanism->free_dof[i]] = v[i];
}

void mo_mechanism_add_friction(mo_world *world, mo_sim_mechanism *mechanism, int k,
                               const mo_phase *phase)
{
    const mo_linkage_joint *joint = mechanism->tree.joint + k;
    const double most = mechanism->axis[k].def.dry_friction * phase->h;
    const int n = mechanism->tree.dofs, count = mo_axis_v_count(joint->kind);
    if (!mo_friction_is_row(mechanism->axis + k)) return;
    double lower[6], upper[6];
    double w[6] = {0};
    const double p = phase->instant ? phase->instant->per_step : 0;
    const double slow = phase->instant && !(p > 0) ? phase->instant->speed : INFINITY;
    memset(world->jacobian, 0, (size_t)(count * n) * sizeof *world->jacobian);
    for (int i = 0; i < count;
         ++i) { /* at an instant, friction opposes the motion of moving joints */
        const double speed = mechanism->v[joint->v_at + i];
        lower[i] = speed < -slow ? most : -most;
        upper[i] = speed > slow ? -most : most;
        w[i] = p * speed;
        world->jacobian[i * n + joint->v_at + i] = 1;
    }
    const mo_law law = mo_law_box(lower, upper);
    const int own = mo_builder_add_constraint(world->builder, count, &law, w);
    mo_mechanism_add_jacobian(world, mechanism, own, count, world->jacobian);
    mechanism->axis[k].friction_constraint = own;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* out -= H r of the contact at one of its bodies, a link. */
static void subtract_contact(const mo_world *world, mo_sim_mechanism *mechanism,
                             const mo_sim_contact *contact, int side, double *out)
{
    const mo_sim_body *body = world->body + contact->body[side];
    const double sign = side ? 1 : -1;
    double line[6], arm[3];
    mo_contact_arm(world, contact, side, arm);
    mo_vec3_scale(sign, contact->impulse, line);
    mo_vec3_cross(arm, line, line + 3);
    mo_vec3_along(line + 3, sign, contact->moment, line + 3);
    mo_linkage_row(&mechanism->tree, body->link, body->x, line, mechanism->row);
    mo_axpy(mechanism->tree.dofs, -1, mechanism->row, out);
}

/* r of joints that hold: (A v - rhs - H r)_j. */
static void read_held(const mo_world *world, mo_sim_mechanism *mechanism)
{
    const int n = mechanism->tree.dofs;
    double *r = mechanism->bias;
    for (int j = 0; j < n; ++j) {
        r[j] =
            mo_dot(n, mechanism->A + (size_t)j * (size_t)n, mechanism->next_v) - mechanism->rhs[j];
    }
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *contact = world->contacts.at + k;
        for (int side = 0; side < 2 && mo_contact_is_taken(contact); ++side) {
            const int place = world->body[contact->body[side]].mechanism;
            if (place != MO_NONE && world->mechanism[place] == mechanism)
                subtract_contact(world, mechanism, contact, side, r);
        }
    }
    for (int k = 0; k < mechanism->tree.joints; ++k)
        if (mechanism->axis[k].holds)
            mechanism->axis[k].friction_impulse[0] = r[mechanism->tree.joint[k].v_at];
}

void mo_mechanism_read_friction(const mo_world *world, mo_sim_mechanism *mechanism, double h)
{
    for (int k = 0; k < mechanism->tree.joints; ++k) {
        mo_sim_axis *axis = mechanism->axis + k;
        if (axis->slides != 0)
            axis->friction_impulse[0] = -axis->slides * h * axis->def.dry_friction;
    }
    if (mechanism->free_count < mechanism->tree.dofs) read_held(world, mechanism);
}
