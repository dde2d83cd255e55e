/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Assembles a contact problem from contacts and joints, and distributes its solution.
 *
 * Bodies without constraints are left out and keep their free velocities.  For the others
 *
 *     M v = M v_free + H r,      u = H' v + w.
 *
 * w of a contact, including the velocities of kinematic bodies:
 *
 *     w_N = gap / h               the gap linearised over the step [anitescu2004, eq. 2.3].  For a
 *                                 shallow penetration at most the speed that gravity restores in
 *                                 one step; for a deeper one zero, left to the projection
 *     w_N of a late contact       overlap.c
 *     w_N = e u_N before impact   in the problem of an impact (Newton's law; impact.c)
 *     w_T = slip / h              of a sticking contact: removes the slip that the tolerance
 *                                 allowed, against creep.  Not at coarse tolerances, where the
 *                                 correction would be as large as the tolerance itself
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "problem/problem_data.h"
#include "sim/forces_data.h"

/*
 * Roundings of a place, which are taken off a gap.  Divided by a short step they would be speeds,
 * different at each contact of a face, which no motion of rigid bodies has.
 */
static const double TOUCHES = 8;
/* Of the size of a body: what a projection takes back in one step, of what was not there when the
 * step began. */
static const double RECOVERY = 0.1;
/* The same: what velocities take back in a step; deeper overlap must not grow. */
static const double SHALLOW = 1e-3;
/* The same: what errors of a solve leave, which is taken back where there is no gravity, too. */
static const double ROUNDED = 1e-6;
static const double LEAVES = 0.5; /* of the overlap that may be left: what a projection leaves */
static const double TAKES_BACK = 1e-6; /* tolerances up to this */
static const double SLIDING = 1e-8;    /* m/s: slower is sticking */
static const double ON_CONE =
    1e-7; /* distance from the cone's edge over its width: nearer slides */

/* ---- bodies ---------------------------------------------------------------------------------- */

static void mass_matrix(const mo_world *world, const mo_sim_body *body, double *M)
{
    const int n = mo_body_rows(world);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    const int linear = n == 3 ? 2 : 3;
    for (int k = 0; k < linear; ++k) {
        M[k * n + k] = body->mass;
    }
    if (n == 3) {
        M[8] = body->inertia[8];
        return;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M[(3 + i) * 6 + 3 + j] = body->world_inertia[3 * i + j];
        }
    }
}

/* In the plane: the two of the centre, and the spin. */
void mo_to_block(const mo_world *world, const double v[6], double *out)
{
    if (mo_is_planar(world)) {
        mo_vec3_set(out, v[0], v[1], v[5]);
    } else {
        memcpy(out, v, 6 * sizeof *out);
    }
}

int mo_block_rows(const mo_world *world, const mo_sim_body *body)
{
    return body->mechanism == MO_NONE ? mo_body_rows(world)
                                      : world->mechanism[body->mechanism]->tree.dofs;
}

/* A link: over the velocities of its mechanism. */
void mo_block_row(const mo_world *world, const mo_sim_body *body, const double line[6], double *row)
{
    if (body->mechanism == MO_NONE) {
        mo_to_block(world, line, row);
    } else {
        mo_linkage_row(&world->mechanism[body->mechanism]->tree, body->link, body->x, line, row);
    }
}

static void from_block(const mo_world *world, const double *in, double v[6])
{
    if (mo_is_planar(world)) {
        const double all[6] = {in[0], in[1], 0, 0, 0, in[2]};
        memcpy(v, all, sizeof all);
    } else {
        memcpy(v, in, 6 * sizeof *v);
    }
}

/* Joints held ahead: M gains h K and f gains h K v* (joint_ahead.c). */
static void add_stiffness(mo_world *world, const mo_sim_body *body, double h, double *M, double *f)
{
    static const int PLANAR[3] = {0, 1, 5}, SPATIAL[6] = {0, 1, 2, 3, 4, 5};
    const int n = mo_body_rows(world), *row = n == 3 ? PLANAR : SPATIAL;
    double K[36];
    mo_joints_stiffness(world, (int)(body - world->body), h, K);
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
    for (int k = 0; k < 9; ++k) {
        J[k] = scale * body->world_inertia[k];
    }
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
    for (int k = 0; k < n * n; ++k) {
        M[k] *= scale;
    }
    mo_to_block(world, free_motion(body, phase), v);
    for (int i = 0; i < n; ++i) {
        f[i] = 0;
        for (int j = 0; j < n; ++j) {
            f[i] += M[i * n + j] * v[j];
        }
    }
    if (is_held_ahead) {
        add_stiffness(world, body, phase->h, M, f);
    }
    body->block = mo_builder_add_body(world->builder, n, M, f);
}

static void need_body(mo_world *world, int place, const mo_phase *phase)
{
    mo_sim_body *body = place >= 0 ? world->body + place : NULL;
    if (body && mo_moves_freely(body) && body->block == MO_NONE) {
        if (body->mechanism == MO_NONE) {
            add_body(world, body, phase);
        } else {
            mo_mechanism_add_block(world, body->mechanism, phase);
        }
    }
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Is one of the two a link of a mechanism? */
static int has_link(const mo_world *world, const mo_sim_contact *contact)
{
    return world->body[contact->body[0]].mechanism != MO_NONE ||
           world->body[contact->body[1]].mechanism != MO_NONE;
}

/* May steps be solved by sweeps, to a coarse tolerance? */
static int is_swept(const mo_world *world)
{
    return fmax(world->def.solver.tol, world->def.moving_tol) > MO_FINE_TOLERANCE;
}

/* A frictionless contact of rigid bodies has three rows where it may be swept: then it is compact,
 * and is visited in lanes.  Other methods are faster with one row. */
static int contact_rows(const mo_world *world, const mo_sim_contact *contact)
{
    const int is_plain = !(contact->mu > 0);
    if (mo_is_planar(world)) {
        return is_plain ? 1 : 2;
    }
    return contact->rolling > 0                                         ? 5
           : contact->torsion > 0 && !is_plain                          ? 4
           : is_plain && (has_link(world, contact) || !is_swept(world)) ? 1
                                                                        : 3;
}

/* The axis of row k: normal and tangents for the first three, then the axes of the moments. */
static const double *row_axis(const mo_sim_contact *contact, int rows, int k)
{
    const int axis = k < 3       ? k
                     : rows == 4 ? 0
                                 : k - 2; /* spin about the normal, or rolling about the tangents */
    return contact->frame + 3 * axis;
}

static mo_law contact_law(const mo_world *world, const mo_sim_contact *contact)
{
    switch (contact_rows(world, contact)) {
    case 1:
        return mo_law_frictionless();
    case 4:
        return mo_law_soft_finger(contact->mu, contact->torsion);
    case 5:
        return mo_law_rolling(contact->mu, contact->rolling);
    default:
        return mo_law_coulomb(contact->mu);
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
    const int rows = contact_rows(world, contact), n = mo_block_rows(world, body);
    const double sign = side ? 1 : -1;
    double arm[3];
    mo_contact_arm(world, contact, side, arm);
    for (int k = 0; k < rows; ++k) {
        double line[6] = {0};
        const double *axis = row_axis(contact, rows, k);
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

/* The law of a contact at an instant: one that slides has its friction's direction; the pyramid
 * where it is asked for. */
static mo_law instant_law(const mo_world *world, const mo_sim_contact *contact,
                          const mo_instant *instant)
{
    const mo_contact_instant *at = instant->contact + (contact - world->contacts.at);
    const int rows = contact_rows(world, contact);
    if (at->is_sliding && rows > 1) {
        return mo_law_sliding(contact->mu, at->direction);
    }
    return instant->is_pyramid && rows == 3 ? mo_law_pyramid(contact->mu)
                                            : contact_law(world, contact);
}

/* Does the whole of it move freely: a free body, or a mechanism that floats? */
static int floats(const mo_world *world, const mo_sim_body *body)
{
    if (body->mechanism == MO_NONE) {
        return body->kind == MO_BODY_FREE;
    }
    const mo_linkage *tree = &world->mechanism[body->mechanism]->tree;
    return tree->joints > 0 && tree->joint[0].kind == MO_AXIS_FREE;
}

/* May joints wedge the two together, so that no velocity parts them?  Their overlap is left to the
 * projection of positions. */
static int may_be_wedged(const mo_world *world, const mo_sim_contact *contact)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    return has_link(world, contact) &&
           (a->mechanism == b->mechanism || (!floats(world, a) && !floats(world, b)));
}

double mo_contact_normal_w(const mo_world *world, const mo_sim_contact *contact,
                           const mo_phase *phase)
{
    if (phase->kind == MO_PHASE_IMPACT) {
        return phase->restitution * contact->restitution * mo_contact_approach(world, contact);
    }
    if (phase->kind == MO_PHASE_PROJECTION) {
        const double leave = LEAVES * world->def.overlap;
        return (fmax(contact->gap, -RECOVERY * contact->size) + leave * contact->size) / phase->h;
    }
    if (mo_contact_is_late(contact)) {
        return fmax(0, contact->gap - world->step.late[contact->late].before) / phase->h;
    }
    if (contact->gap < 0 && may_be_wedged(world, contact)) {
        return 0;
    }
    const double deepest = -fmin(world->def.overlap, SHALLOW) * contact->size;
    const double rounding = TOUCHES * DBL_EPSILON * mo_vec3_norm(contact->point);
    const double gap = contact->gap - fmax(-rounding, fmin(contact->gap, rounding));
    const double most = fmax(mo_vec3_norm(world->def.gravity) * phase->h,
                             ROUNDED * contact->size / phase->h); /* which gravity takes back */
    return gap > deepest ? fmax(gap / phase->h, -most) : 0;
}

/* What driven bodies add to u. */
static void add_driven(const mo_world *world, const mo_sim_contact *contact, int side, double *w)
{
    const mo_sim_body *body = world->body + contact->body[side];
    double J[MO_CONTACT_ROWS * 6], v[6];
    contact_jacobian(world, contact, side, J);
    mo_to_block(world, body->free_v, v);
    const int n = mo_body_rows(world);
    for (int k = 0; k < contact_rows(world, contact); ++k) {
        for (int i = 0; i < n; ++i) {
            w[k] += J[k * n + i] * v[i];
        }
    }
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
            if (!mo_is_planar(world)) {
                mo_mat3_solve(body->world_inertia, line + 3, turned);
            }
            sum += 1 / body->mass + (mo_is_planar(world) ? spin : mo_vec3_dot(turned, line + 3));
        }
    }
    return sum;
}

/* A plain Coulomb contact between rigid bodies, one of which at least moves freely? */
static int is_compact(const mo_world *world, const mo_sim_contact *contact, const mo_phase *phase)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    const int is_held_ahead =
        phase->kind == MO_PHASE_STEP && world->step.joints_hold == MO_HOLD_AHEAD;
    return contact_rows(world, contact) == 3 && isfinite(contact->mu) && !(phase->softness > 0) &&
           phase->kind != MO_PHASE_FORCE && !is_held_ahead && !has_link(world, contact) &&
           (a->block != MO_NONE || b->block != MO_NONE);
}

static void add_compact(mo_world *world, mo_sim_contact *contact, const double w[3])
{
    mo_rigid_contact own = {.mu = contact->mu};
    for (int k = 0; k < 2; ++k) { /* u = v_b - v_a */
        own.body[k] = world->body[contact->body[!k]].block;
        mo_contact_arm(world, contact, !k, own.arm[k]);
    }
    memcpy(own.frame, contact->frame, sizeof own.frame);
    mo_vec3_copy(w, own.w);
    contact->constraint = mo_builder_add_contact(world->builder, &own);
}

static void add_contact(mo_world *world, mo_sim_contact *contact, const mo_phase *phase)
{
    const int rows = contact_rows(world, contact);
    double w[MO_CONTACT_ROWS] = {mo_contact_normal_w(world, contact, phase)};
    if (phase->kind == MO_PHASE_FORCE) {
        memcpy(w, phase->instant->contact[contact - world->contacts.at].drift, sizeof w);
    }
    for (int k = 1; k < rows && k < 3 && phase->kind == MO_PHASE_STEP; ++k) {
        w[k] = mo_vec3_dot(contact->slip, contact->frame + 3 * k) / phase->h;
    }
    for (int side = 0; side < 2; ++side) {
        const int has_motion = phase->kind == MO_PHASE_STEP || phase->kind == MO_PHASE_IMPACT;
        if (world->body[contact->body[side]].kind == MO_BODY_DRIVEN && has_motion) {
            add_driven(world, contact, side, w);
        }
        need_body(world, contact->body[side], phase);
    }
    if (is_compact(world, contact, phase)) {
        add_compact(world, contact, w);
        return;
    }
    mo_law law = phase->kind == MO_PHASE_FORCE ? instant_law(world, contact, phase->instant)
                                               : contact_law(world, contact);
    double compliance[MO_CONTACT_ROWS];
    if (phase->softness > 0) {
        const double all = phase->softness * response(world, contact);
        for (int k = 0; k < rows; ++k) {
            compliance[k] = all;
        }
        law.compliance = compliance;
    }
    contact->constraint = mo_builder_add_constraint(world->builder, rows, &law, w);
    /* by rising blocks, as the problem keeps them: the builder then need not sort */
    const int turned = world->body[contact->body[0]].block > world->body[contact->body[1]].block;
    for (int k = 0; k < 2; ++k) {
        const int side = k ^ turned;
        const mo_sim_body *body = world->body + contact->body[side];
        if (body->block != MO_NONE) {
            contact_jacobian(world, contact, side, world->jacobian);
            mo_builder_add_jacobian(world->builder, contact->constraint, body->block, rows,
                                    mo_block_rows(world, body), world->jacobian);
        }
    }
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void write_contact_start(const mo_world *world, const mo_sim_contact *contact, double *start)
{
    const int rows = contact_rows(world, contact);
    double *r = start + world->problem->row_start[contact->constraint];
    for (int k = 0; k < rows; ++k) {
        r[k] = mo_vec3_dot(k < 3 ? contact->impulse : contact->moment, row_axis(contact, rows, k));
    }
}

static mo_error write_start(mo_world *world)
{
    const size_t rows = (size_t)mo_problem_row_count(world->problem);
    if (!mo_memory_grow(&world->allocator, (void **)&world->start, &world->start_room, rows + 1,
                        sizeof *world->start)) {
        return MO_ERR_MEMORY;
    }
    memset(world->start, 0, rows * sizeof *world->start);
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 64);
        if (mo_contact_is_taken(world->contacts.at + k)) {
            write_contact_start(world, world->contacts.at + k, world->start);
        }
    }
    mo_pace();
    for (int k = 0; k < world->jointed_count; ++k) {
        mo_joint_write_start(world, world->jointed[k], world->start);
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        if (world->mechanism[k]) {
            mo_mechanism_write_start(world, world->mechanism[k], world->start);
        }
    }
    return MO_OK;
}

/* Room for the contacts that take part, so that nothing is moved while they come, and for one
 * Jacobian of any block. */
static mo_error reserve(mo_world *world)
{
    size_t widest = 6;
    for (int k = 0; k < world->mechanism_places; ++k) {
        if (world->mechanism[k] && (size_t)world->mechanism[k]->tree.dofs > widest) {
            widest = (size_t)world->mechanism[k]->tree.dofs;
        }
    }
    if (!mo_memory_grow(&world->allocator, (void **)&world->jacobian, &world->jacobian_room,
                        widest * MO_JOINT_ROWS, sizeof *world->jacobian)) {
        return MO_ERR_MEMORY;
    }
    size_t count = 0;
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 512);
        count += mo_contact_is_taken(world->contacts.at + k);
    }
    mo_pace();
    const size_t values = mo_is_planar(world) ? 2 * 6 * count : 0;
    mo_builder_reserve(world->builder, (size_t)world->living_count, count, 2 * count, values);
    return MO_OK;
}

/* A loop over contacts at k will read the bodies of later ones. */
static void look_ahead(const mo_world *world, int k)
{
    const mo_sim_contact *contact = world->contacts.at + k;
    if (k + 2 * MO_AHEAD < world->contacts.count) {
        mo_prefetch(contact + 2 * MO_AHEAD, offsetof(mo_sim_contact, rolling));
    }
    for (int side = 0; side < 2 && k + MO_AHEAD < world->contacts.count; ++side) {
        const mo_sim_body *body = world->body + contact[MO_AHEAD].body[side];
        mo_prefetch(body, offsetof(mo_sim_body, v));
        mo_prefetch(body->world_inertia, sizeof body->world_inertia);
    }
}

mo_error mo_assemble(mo_world *world, const mo_phase *phase, mo_message *why)
{
    mo_problem_destroy(world->problem);
    world->problem = NULL;
    for (int k = 0; k < world->living_count; ++k) {
        mo_pace_every(k, 256);
        world->body[world->living[k]].block = MO_NONE;
    }
    mo_pace();
    for (int k = 0; k < world->mechanism_places; ++k) {
        if (world->mechanism[k]) {
            world->mechanism[k]->block = MO_NONE;
        }
    }
    mo_pace();
    if (reserve(world)) {
        return mo_fail_memory(why);
    }
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        need_body(world, joint->body[0], phase);
        need_body(world, joint->body[1], phase);
        mo_joint_assemble(world, world->jointed[k], phase);
    }
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 64);
        look_ahead(world, k);
        if (mo_contact_is_taken(world->contacts.at + k)) {
            add_contact(world, world->contacts.at + k, phase);
        }
    }
    for (int k = 0; k < world->living_count && phase->kind == MO_PHASE_FORCE; ++k) {
        need_body(world, world->living[k], phase); /* accelerations of all are told */
    }
    mo_mechanisms_assemble(world, phase);
    if (phase->kind == MO_PHASE_FORCE) {
        mo_instant_known(world, phase->instant);
    }
    mo_pace();
    const mo_error error = mo_builder_finish(world->builder, &world->problem, why);
    return error ? error : write_start(world) ? mo_fail_memory(why) : MO_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static mo_contact_mode mode_of(const mo_sim_contact *contact, const double *r, double tangential,
                               double slip_speed)
{
    if (!(r[0] > 0)) {
        return MO_CONTACT_APART;
    }
    const int on_cone = tangential >= contact->mu * r[0] * (1 - ON_CONE);
    const int slides = contact->mu > 0 ? on_cone && slip_speed > SLIDING : 1;
    return slides ? MO_CONTACT_SLIDES : MO_CONTACT_STICKS;
}

static void read_contact(const mo_world *world, mo_sim_contact *contact, double h)
{
    const int offset = world->problem->row_start[contact->constraint],
              rows = mo_constraint_dim(world->problem, contact->constraint);
    const double *r = world->result.r + offset, *u = world->result.u + offset;
    double *impulse = contact->impulse, *moment = contact->moment;
    memset(impulse, 0, 3 * sizeof *impulse);
    memset(moment, 0, 3 * sizeof *moment);
    memset(contact->slip, 0, sizeof contact->slip);
    for (int k = 0; k < rows; ++k) {
        double *into = k < 3 ? impulse : moment;
        mo_vec3_along(into, r[k], row_axis(contact, rows, k), into);
    }
    double slip[3] = {0};
    for (int k = 1; k < rows && k < 3; ++k) {
        mo_vec3_along(slip, u[k], contact->frame + 3 * k, slip);
    }
    double tangential[3];
    mo_vec3_along(impulse, -r[0], contact->frame, tangential);
    contact->mode = mode_of(contact, r, mo_vec3_norm(tangential), mo_vec3_norm(slip));
    const double tol = mo_is_coarse(world, contact) ? world->step.tol : world->def.solver.tol;
    if (contact->mode == MO_CONTACT_STICKS && tol <= TAKES_BACK) {
        mo_vec3_scale(h, slip, contact->slip);
    }
}

/* Of b against a at the point. */
void mo_contact_velocity(const mo_world *world, const mo_sim_contact *contact, double out[3])
{
    double u[2][3];
    for (int side = 0; side < 2; ++side) {
        const double *v = world->body[contact->body[side]].next_v;
        double arm[3];
        mo_contact_arm(world, contact, side, arm);
        mo_vec3_cross(v + 3, arm, u[side]);
        mo_vec3_along(u[side], 1, v, u[side]);
    }
    mo_vec3_minus(u[1], u[0], out);
}

void mo_assemble_finish(mo_world *world)
{
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 64);
        look_ahead(world, k);
        mo_sim_contact *contact = world->contacts.at + k;
        if (mo_contact_is_taken(contact) || mo_vec3_dot(contact->impact, contact->impact) > 0) {
            mo_contact_velocity(world, contact, contact->velocity);
            if (mo_contact_is_late(contact)) { /* from now on it is one of the last step's */
                contact->gap -= world->step.late[contact->late].before;
                contact->late = MO_NONE;
            }
        }
    }
    mo_pace();
}

void mo_assemble_velocities(mo_world *world)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 256);
        if (body->block != MO_NONE && body->mechanism == MO_NONE) {
            from_block(world, world->result.v + world->problem->body_start[body->block],
                       body->next_v);
        }
    }
    mo_pace();
    mo_mechanisms_velocities(world);
}

void mo_assemble_answer(mo_world *world, double h)
{
    mo_assemble_velocities(world);
    for (int k = 0; k < world->contacts.count; ++k) {
        mo_pace_every(k, 64);
        if (mo_contact_is_taken(world->contacts.at + k)) {
            read_contact(world, world->contacts.at + k, h);
        }
    }
    mo_pace();
    for (int k = 0; k < world->jointed_count; ++k) {
        mo_joint_answer(world, world->jointed[k], h);
    }
    for (int k = 0; k < world->mechanism_places; ++k) {
        if (world->mechanism[k] && mo_mechanism_moves(world, world->mechanism[k])) {
            mo_mechanism_read_rows(world, world->mechanism[k], h, 1, 1 / h);
        }
    }
}
