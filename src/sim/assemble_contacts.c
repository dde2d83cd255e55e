/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contacts in a contact problem: rows of H, laws, and w.
 *
 * w of a contact, including the velocities of kinematic bodies:
 *
 *     w_N = gap / h               the gap linearised over the step [anitescu2004, eq. 2.3].  For a
 *                                 shallow penetration at most the speed that gravity restores in
 *                                 one step; for a deeper one zero, left to the projection; zero for
 *                                 gaps that a coarse tolerance left, near rest (accuracy.c), and
 *                                 in rounds that leave errors of position (answer.c)
 *     w_N of a late contact       overlap.c
 *     w_N = e u_N before impact   in the problem of an impact (Newton's law; impact.c)
 *     w_T = slip / h              of a sticking contact: removes the slip that the tolerance
 *                                 allowed, against creep, at most as fast as a penetration.  Not at
 *                                 coarse tolerances, where the correction would be as large as the
 *                                 tolerance itself
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "problem/builder_data.h"
#include "sim/assemble.h"

/*
 * Rounding error of a position, subtracted from a gap.  Divided by a short step it would give
 * different speeds at the contacts of a face, which no rigid motion has.
 */
static const double TOUCHES = 8;
/* Relative to the size of a body: penetration added in a step that a projection removes in one
 * step. */
static const double RECOVERY = 0.1;
/* The same: the most penetration that velocities remove in a step; deeper overlap must not grow. */
static const double SHALLOW = 4e-3;
/* The same: penetration left by solver errors, removed without gravity, too. */
static const double ROUNDED = 1e-6;
static const double LEAVES = 0.5; /* of the allowed overlap: remainder after a projection */

/* May steps be solved by sweeps, to a coarse tolerance? */
static int is_swept(const mo_world *world)
{
    return fmax(world->def.solver.tol, world->def.moving_tol) > MO_FINE_TOLERANCE;
}

/* A frictionless contact of rigid bodies has three rows if it may be solved by sweeps: then it
 * is compact, and is visited in vector lanes.  Other methods are faster with one row. */
int mo_contact_rows(const mo_world *world, const mo_sim_contact *contact)
{
    const int is_plain = !(contact->mu > 0), is_planar = mo_is_planar(world);
    if (!is_plain && !(contact->rolling > 0) && !(contact->torsion > 0)) return is_planar ? 2 : 3;
    if (is_planar) return is_plain ? 1 : 2;
    return contact->rolling > 0                                                    ? 5
           : contact->torsion > 0 && !is_plain                                     ? 4
           : is_plain && (mo_contact_has_link(world, contact) || !is_swept(world)) ? 1
                                                                                   : 3;
}

const double *mo_contact_axis(const mo_sim_contact *contact, int rows, int k)
{
    const int axis = k < 3       ? k
                     : rows == 4 ? 0
                                 : k - 2; /* spin about the normal, or rolling about the tangents */
    return contact->frame + 3 * axis;
}

static mo_law contact_law(const mo_world *world, const mo_sim_contact *contact)
{
    const double part = mo_step_friction(world, contact);
    switch (mo_contact_rows(world, contact)) {
    case 1:
        return mo_law_frictionless();
    case 4:
        return mo_law_soft_finger(part * contact->mu, contact->torsion);
    case 5:
        return mo_law_rolling(part * contact->mu, contact->rolling);
    default:
        return mo_law_coulomb(part * contact->mu);
    }
}

/*
 * Rows of the Jacobian of one of the bodies for the relative velocity at the point along the axes
 * of the frame, and for the relative spin about the tangents (rolling): sign * (a, (point - x) x
 * a), sign * (0, a).
 */
static void contact_jacobian(const mo_world *world, const mo_sim_contact *contact, int side,
                             double *J)
{
    const mo_sim_body *body = world->body + contact->body[side];
    const int rows = mo_contact_rows(world, contact), n = mo_block_rows(world, body);
    const double sign = side ? 1 : -1;
    double arm[3];
    mo_contact_arm(world, contact, side, arm);
    for (int k = 0; k < rows; ++k) {
        double line[6] = {0};
        const double *axis = mo_contact_axis(contact, rows, k);
        if (k < 3) {
            mo_vec3_copy(axis, line);
            mo_vec3_cross(arm, axis, line + 3);
        } else {
            mo_vec3_copy(axis, line + 3);
        }
        mo_vec3_scale(sign, line, line);
        mo_vec3_scale(sign, line + 3, line + 3);
        mo_block_row(world, body, line, J + k * n);
    }
}

/* The law of a contact at an instant: sliding in a known direction, or the pyramid if requested. */
static mo_law instant_law(const mo_world *world, const mo_sim_contact *contact,
                          const mo_instant *instant)
{
    const mo_contact_instant *at = instant->contact + (contact - world->contacts.at);
    const int rows = mo_contact_rows(world, contact);
    if (at->is_sliding && rows > 1) return mo_law_sliding(contact->mu, at->direction);
    return instant->is_pyramid && rows == 3 ? mo_law_pyramid(contact->mu)
                                            : contact_law(world, contact);
}

/* Does it move freely as a whole: a free body, or a floating mechanism? */
static int floats(const mo_world *world, const mo_sim_body *body)
{
    if (body->mechanism == MO_NONE) return body->kind == MO_BODY_FREE;
    const mo_linkage *tree = &world->mechanism[body->mechanism]->tree;
    return tree->joints > 0 && tree->joint[0].kind == MO_AXIS_FREE;
}

/* May joints hold the two together, so that no velocity separates them?  Their overlap is left
 * to the projection of positions. */
static int may_be_wedged(const mo_world *world, const mo_sim_contact *contact)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    return mo_contact_has_link(world, contact) &&
           (a->mechanism == b->mechanism || (!floats(world, a) && !floats(world, b)));
}

/* The fastest correction of an error of position by velocities: the speed that gravity restores in
 * one step.  An unsolved step may leave larger errors, whose correction would add energy. */
static double fastest_correction(const mo_world *world, const mo_sim_contact *contact, double h)
{
    return fmax(mo_vec3_norm(world->def.gravity) * h, ROUNDED * contact->size / h);
}

double mo_contact_normal_w(const mo_world *world, const mo_sim_contact *contact,
                           const mo_phase *phase)
{
    if (phase->kind == MO_PHASE_IMPACT)
        return phase->restitution * contact->restitution * mo_contact_approach(world, contact);
    if (phase->kind == MO_PHASE_PROJECTION) {
        const double leave = LEAVES * mo_overlap_limit(world);
        return (fmax(contact->gap, -RECOVERY * contact->size) + leave * contact->size) / phase->h;
    }
    if (mo_contact_is_late(contact))
        return fmax(0, contact->gap - world->step.late[contact->late].before) / phase->h;
    if (contact->gap < 0 && may_be_wedged(world, contact)) return 0;
    if (fabs(contact->gap) <= world->body[contact->body[0]].slack ||
        fabs(contact->gap) <= world->body[contact->body[1]].slack)
        return 0;
    const double rounding = TOUCHES * DBL_EPSILON * mo_vec3_norm(contact->point);
    if (contact->gap > rounding) return (contact->gap - rounding) / phase->h;
    const double deepest = -fmin(mo_overlap_limit(world), SHALLOW) * contact->size;
    const double gap = fmin(0, contact->gap + rounding);
    const double fastest = fastest_correction(world, contact, phase->h);
    return gap > deepest ? fmax(gap / phase->h, -fastest) : 0;
}

static void add_slip(const mo_world *world, const mo_sim_contact *contact, double h, int rows,
                     double *w)
{
    const double square = mo_vec3_dot(contact->slip, contact->slip);
    if (square > 0) {
        const double speed = sqrt(square) / h;
        const double part = fmin(1, fastest_correction(world, contact, h) / speed);
        for (int k = 1; k < rows && k < 3; ++k)
            w[k] = part * mo_vec3_dot(contact->slip, contact->frame + 3 * k) / h;
    }
}

/* Contribution of kinematic bodies to u. */
static void add_driven(const mo_world *world, const mo_sim_contact *contact, int side, double *w)
{
    const mo_sim_body *body = world->body + contact->body[side];
    double J[MO_CONTACT_ROWS * 6], v[6];
    contact_jacobian(world, contact, side, J);
    mo_to_block(world, body->free_v, v);
    const int n = mo_body_rows(world);
    for (int k = 0; k < mo_contact_rows(world, contact); ++k)
        for (int i = 0; i < n; ++i)
            w[k] += J[k * n + i] * v[i];
}

/* The normal velocity that a unit of normal impulse causes. */
static double response(const mo_world *world, const mo_sim_contact *contact)
{
    double sum = 0;
    for (int side = 0; side < 2; ++side) {
        const mo_sim_body *body = world->body + contact->body[side];
        double line[6], arm[3], turned[3];
        mo_contact_arm(world, contact, side, arm);
        mo_vec3_copy(contact->frame, line);
        mo_vec3_cross(arm, line, line + 3);
        if (body->mechanism != MO_NONE && body->block != MO_NONE) {
            mo_block_row(world, body, line, world->jacobian);
            sum += mo_mechanism_response(world->mechanism[body->mechanism], world->jacobian);
        } else if (body->block != MO_NONE) {
            const double spin = line[5] * line[5] / body->inertia[8];
            if (!mo_is_planar(world)) mo_mat3_solve(body->world_inertia, line + 3, turned);
            sum += 1 / body->mass + (mo_is_planar(world) ? spin : mo_vec3_dot(turned, line + 3));
        }
    }
    return sum;
}

/* A plain Coulomb contact between rigid bodies, one of which at least moves freely? */
static int is_compact(const mo_world *world, const mo_sim_contact *contact, int rows,
                      const mo_phase *phase)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    const int is_held_ahead =
        phase->kind == MO_PHASE_STEP && world->step.joints_hold == MO_HOLD_AHEAD;
    return rows == 3 && isfinite(contact->mu) && !(phase->softness > 0) &&
           phase->kind != MO_PHASE_FORCE && !is_held_ahead &&
           !mo_contact_has_link(world, contact) && (a->block != MO_NONE || b->block != MO_NONE);
}

static void add_compact(mo_world *world, mo_sim_contact *contact, const double w[3])
{
    const double mu = mo_step_friction(world, contact) * contact->mu;
    mo_compact_contact *own = mo_builder_extend_contacts(world->builder, mu, w);
    if (own) {
        for (int k = 0; k < 2; ++k) { /* u = v_b - v_a */
            own->body[k] = world->body[contact->body[!k]].block;
            mo_contact_arm(world, contact, !k, own->arm[k]);
        }
        memcpy(own->frame, contact->frame, sizeof own->frame);
        contact->constraint = (int)world->builder->law.count - 1;
    }
}

/* Corrections of position, of which w consists so far, are left out of rounds that are eased. */
static void leave_errors(mo_world *world, int rows, double *w)
{
    for (int k = 0; k < rows; ++k) {
        const int corrects = k == 0 ? w[0] < 0 : w[k] != 0;
        world->step.has_corrections |= corrects;
        w[k] = corrects && world->step.ease > 0 ? 0 : w[k];
    }
}

int mo_assemble_contact(mo_world *world, mo_sim_contact *contact, const mo_phase *phase)
{
    const int rows = mo_contact_rows(world, contact);
    double w[MO_CONTACT_ROWS] = {mo_contact_normal_w(world, contact, phase)};
    if (phase->kind == MO_PHASE_FORCE)
        memcpy(w, phase->instant->contact[contact - world->contacts.at].drift, sizeof w);
    if (phase->kind == MO_PHASE_STEP) {
        add_slip(world, contact, phase->h, rows, w);
        leave_errors(world, rows, w);
    }
    for (int side = 0; side < 2; ++side) {
        const int has_motion = phase->kind == MO_PHASE_STEP || phase->kind == MO_PHASE_IMPACT;
        if (world->body[contact->body[side]].kind == MO_BODY_DRIVEN && has_motion) {
            add_driven(world, contact, side, w);
            world->step.has_pushed |= contact->mu > 0;
        }
        if (world->body[contact->body[side]].block == MO_NONE)
            mo_assemble_body(world, contact->body[side], phase);
    }
    if (is_compact(world, contact, rows, phase)) {
        add_compact(world, contact, w);
        return rows;
    }
    mo_law law = phase->kind == MO_PHASE_FORCE ? instant_law(world, contact, phase->instant)
                                               : contact_law(world, contact);
    double compliance[MO_CONTACT_ROWS];
    if (phase->softness > 0) {
        const double all = phase->softness * response(world, contact);
        for (int k = 0; k < rows; ++k)
            compliance[k] = all;
        law.compliance = compliance;
    }
    contact->constraint = mo_builder_add_constraint(world->builder, rows, &law, w);
    /* in increasing order of blocks, so the builder need not sort */
    const int turned = world->body[contact->body[0]].block > world->body[contact->body[1]].block;
    for (int k = 0; k < 2; ++k) {
        const int side = k ^ turned;
        const mo_sim_body *body = world->body + contact->body[side];
        if (body->block != MO_NONE) {
            contact_jacobian(world, contact, side, world->jacobian);
            mo_add_jacobian(world, contact->constraint, body, rows);
        }
    }
    return rows;
}
