/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Correction of positions at the end of a step [anitescu2004, sec. 2].
 *
 * The smallest displacement d, in the mass metric, that opens the gaps and closes the joints to
 * first order:
 *
 *   min d' M d / 2   subject to   gap + J d >= 0 at the contacts,    error + J d = 0 at the joints.
 *
 * Its optimality conditions are a frictionless contact problem with f = 0 and the gaps as w, in
 * units of length.  It contains the contacts of overlapping bodies and of bodies that it has moved,
 * and is repeated if curvature leaves an error.  Velocities do not change, and angular velocities
 * rotate with their bodies, so no kinetic energy is added.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/joint_rows.h"
#include "sim/mechanism.h"
#include "sim/pairs.h"
#include "solver/canonical.h"

enum { MOST_ROUNDS = 10, FREE_ROUNDS = 2, MOST_ITERATIONS = 300 };
static const double CLOSED = 1e-11; /* of the size of a body, or rad: error of a joint */
static const double NEARLY = 1e-3;  /* the same, of a joint whose drift the next step corrects */
/* The relative residual: a displacement somewhat above the smallest does no harm.  Overlap is
 * limited by the largest error of one contact, relative to the unit, which is the permitted one. */
static const double TOLERANCE = 0.2, OFF = 0.25;
static const double GAIN = 0.8; /* of the error of joints: a late round that leaves more ends it */
static const double TURN = 0.1; /* rad: of a link, in one projection */
/* Contacts of the step are kept where rotation moves points off their lines by less than the first,
 * of the permitted overlap, and points slip by less than the second, of the size of a body. */
static const double CURVED = 0.1, SLIPS = 0.05;
/* Of the unit, of joints: they are closed to the last digits. */
static const double JOINT_TOLERANCE = 1e-7;
/* Shapes that may overlap by their size are not moved apart: joints alone are closed. */
static const double WHOLE = 1;

/* ---- errors to correct ----------------------------------------------------------------------- */

static void mark(mo_world *world, int body)
{
    world->body[body].is_displaced = mo_moves_freely(world->body + body);
}

/* The worst error of a joint that a projection closes, over the size of a body. */
static double joint_error(const mo_world *world)
{
    double worst = 0;
    for (int k = 0; k < world->jointed_count; ++k) {
        const mo_sim_joint *joint = world->joint + world->jointed[k];
        mo_joint_rows rows;
        const int is_projected = mo_joint_is_projected(world, joint);
        if (is_projected || world->step.has_open_joints) {
            mo_joint_hold(world, joint, &rows);
            const double error = mo_joint_gap(world, joint, &rows);
            worst = is_projected || error > NEARLY ? fmax(worst, error) : worst;
        }
    }
    return worst;
}

/* Does the projection move one of the two? */
static int is_concerned(const mo_world *world, const mo_sim_contact *contact)
{
    return world->body[contact->body[0]].is_displaced || world->body[contact->body[1]].is_displaced;
}

/* Makes the contacts from `first` on frictionless; *deepest grows by their overlap, over the
 * size. */
static void smooth(mo_sim_contacts *list, int first, double *deepest)
{
    for (int k = first; k < list->count; ++k) {
        mo_sim_contact *contact = list->at + k;
        contact->mu = contact->rolling = contact->torsion = 0;
        contact->constraint = 0;
        *deepest = fmax(*deepest, -contact->gap / contact->size);
    }
}

/* Touches of a pair at the present poses, where its gap is at most `reach`: frictionless contacts
 * at the end of world->side_contacts. */
static mo_error collide(mo_world *world, const mo_near_pair *pair, double reach, double *deepest)
{
    mo_sim_contacts *list = &world->side_contacts;
    const int first = list->count;
    const mo_sim_shape *a = world->shape + pair->shapes.a, *b = world->shape + pair->shapes.b;
    const mo_pose at[2] = {mo_shape_pose(world->body + a->body, a),
                           mo_shape_pose(world->body + b->body, b)};
    double along[3];
    const double gap = mo_near_pair_gap(world, pair, at, INFINITY, along); /* at least */
    if (gap > reach) {
        *deepest = fmax(*deepest, -gap / pair->size);
        return MO_OK;
    }
    const mo_error error =
        mo_contacts_collide(world, &pair->shapes, at, pair->normal, fmax(0, reach), list);
    smooth(list, first, deepest);
    return error;
}

/* ---- contacts that are kept ------------------------------------------------------------------ */

/* Have the two hardly moved against each other in the step?  Then its contacts still hold. */
static int is_kept(const mo_world *world, const mo_sim_contact *contact, int count)
{
    const mo_sim_body *a = world->body + contact->body[0], *b = world->body + contact->body[1];
    const double most = CURVED * mo_overlap_limit(world) * contact->size, h = world->step.h;
    if (mo_curved_by(a, a->v + 3, h) + mo_curved_by(b, b->v + 3, h) > most) return 0;
    for (int k = 0; k < count; ++k)
        if (contact[k].was_late ||
            world->step.h * mo_vec3_norm(contact[k].velocity) > SLIPS * contact->size)
            return 0;
    return 1;
}

/* A contact of the step at its end: its point moves with both bodies. */
static mo_sim_contact carry(const mo_world *world, const mo_sim_contact *contact)
{
    const double h = world->step.h;
    const int side = world->body[contact->body[1]].kind != MO_BODY_FIXED;
    const mo_sim_body *body = world->body + contact->body[side];
    double x[3], arm[3], turned[3];
    mo_sim_contact out = *contact;
    mo_vec3_along(body->x, -h, body->v, x);
    mo_vec3_minus(contact->point, x, arm);
    mo_vec3_cross(body->v + 3, arm, turned);
    mo_vec3_along(out.point, h, body->v, out.point);
    mo_vec3_along(out.point, h, turned, out.point);
    mo_vec3_along(out.point, side ? -h / 2 : h / 2, contact->velocity, out.point);
    out.gap += h * mo_vec3_dot(contact->frame, contact->velocity);
    return out;
}

static mo_error keep(mo_world *world, const mo_sim_contact *contact, int count, double reach,
                     double *deepest)
{
    mo_sim_contacts *list = &world->side_contacts;
    const int first = list->count;
    MO_FAIL_IF(!MO_GROW(&world->allocator, list->at, list->room, (size_t)(first + count)),
               MO_ERR_MEMORY);
    for (int k = 0; k < count; ++k) {
        const mo_sim_contact own = carry(world, contact + k);
        if (mo_contact_is_taken(contact + k) && own.gap <= reach) list->at[list->count++] = own;
    }
    smooth(list, first, deepest);
    return MO_OK;
}

/* ---- all islands ----------------------------------------------------------------------------- */

/* What is sought: contacts after the step, after a displacement, or overlap that is left. */
typedef enum sought { AT_FIRST, THEN, LEFT } sought;

/* Was overlap of this pair found at the end of the step?  *k: the first that is not before it. */
static int overlaps(const mo_world *world, int *k, const mo_sim_contact *contact)
{
    const mo_pairs *pairs = &world->step.overlapping;
    while (*k < pairs->count &&
           (pairs->at[*k].a < contact->shape[0] ||
            (pairs->at[*k].a == contact->shape[0] && pairs->at[*k].b < contact->shape[1])))
        ++*k;
    return *k < pairs->count && pairs->at[*k].a == contact->shape[0] &&
           pairs->at[*k].b == contact->shape[1];
}

/* Contacts between displaced bodies and others into world->side_contacts, of pairs that overlap by
 * more than may be left where that is sought; the deepest overlap of those, over the size. */
static mo_error find_contacts(mo_world *world, sought what, double *deepest)
{
    const mo_sim_contacts *of = &world->contacts;
    const int count = mo_overlap_limit(world) < WHOLE ? of->count : 0;
    mo_error error = MO_OK;
    int overlapping = 0;
    mo_contacts_clear(&world->side_contacts);
    *deepest = 0;
    for (int k = 0, next; k < count && !error; k = next) {
        const mo_sim_contact *contact = of->at + k;
        mo_pace_every(k, 16);
        next = mo_contacts_end_of_pair(of, k);
        if (!is_concerned(world, contact)) continue;
        const double reach = what == LEFT ? -mo_overlap_limit(world) * contact->size
                                          : mo_margin_for(world, contact->size);
        if (what == AT_FIRST && !overlaps(world, &overlapping, contact) &&
            is_kept(world, contact, next - k)) {
            error = keep(world, contact, next - k, reach, deepest);
        } else {
            const mo_near_pair pair = mo_near_pair_of(contact, next - k);
            error = collide(world, &pair, reach, deepest);
        }
    }
    mo_pace();
    *deepest = mo_team_largest(world, *deepest);
    return mo_team_agree(world, error, NULL);
}

/* ---- a displacement -------------------------------------------------------------------------- */

static void displace(mo_world *world, double unit)
{
    for (int k = 0; k < world->living_count; ++k) {
        mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 256);
        if (body->block == MO_NONE) continue;
        mark(world, world->living[k]);
        if (body->mechanism == MO_NONE) {
            double turned[4], turn[4], spin[3], by[3];
            body->lift -= unit * body->mass * mo_vec3_dot(world->def.gravity, body->next_v);
            mo_vec3_along(body->x, unit, body->next_v, body->x);
            mo_advance_turn(body->orientation, body->next_v + 3, unit, turned);
            memcpy(body->orientation, turned, sizeof turned);
            mo_vec3_scale(unit, body->next_v + 3, by);
            mo_quat_rotation(by, turn);
            mo_quat_turn(turn, body->v + 3, spin);
            mo_vec3_copy(spin, body->v + 3);
        }
    }
    mo_pace();
    mo_mechanisms_displace(world, unit);
}

/* Saves the problem and result of the step; a second call restores them. */
static void change_sides(mo_world *world)
{
    mo_problem *problem = world->problem;
    world->problem = world->side_problem;
    world->side_problem = problem;
    const mo_result result = world->result;
    world->result = world->side_result;
    world->side_result = result;
    const mo_sim_contacts contacts = world->contacts;
    world->contacts = world->side_contacts;
    world->side_contacts = contacts;
}

static mo_error solve(mo_world *world, mo_message *why)
{
    mo_options options = world->def.solver;
    const int has_joints = world->jointed_count > 0 || world->mechanism_count > 0;
    options.tol = has_joints ? JOINT_TOLERANCE : TOLERANCE;
    options.method = has_joints ? options.method : "nsgs"; /* few, coarse, frictionless */
    options.penetration_rate = OFF;
    options.max_iter = options.max_iter < MOST_ITERATIONS ? options.max_iter : MOST_ITERATIONS;
    options.start = NULL;
    options.canonical = MO_CANONICAL_NO; /* displacements alone are read */
    options.time_limit = INFINITY;       /* few iterations, which must be made */
    const mo_error error = mo_team_solve(world, &options);
    return error ? mo_fail(why, error, "the projection was not taken: %.400s",
                           world->result.message.text)
                 : MO_OK;
}

/*
 * A displacement of links is linear in their joints, and where levers are short it may be far
 * beyond that: the part of it that turns no link by more than TURN.
 */
static double part_of_displacement(const mo_world *world, double unit)
{
    double most = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (body->block != MO_NONE && body->mechanism != MO_NONE)
            most = fmax(most, unit * mo_vec3_norm(body->next_v + 3));
    }
    return most > TURN ? TURN / most : 1;
}

static mo_error project_once(mo_world *world, double unit, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_PROJECTION, .h = unit};
    change_sides(world);
    mo_error error = mo_team_agree(world, mo_assemble(world, &phase, why), why);
    error = error ? error : solve(world, why);
    if (!error) {
        double sum = 0;
        mo_assemble_velocities(world);
        for (int k = 0; k < world->result.dof_count; ++k)
            sum += world->result.v[k];
        if (!mo_team_any(world, !isfinite(sum))) {
            displace(world, unit * part_of_displacement(world, unit));
            error = mo_team_share(world, MO_SHARED_POSE) ? mo_fail_memory(why) : MO_OK;
        }
    }
    change_sides(world);
    return error;
}

/* The overlap that may be left of the smallest body, in m. */
static double unit_of(const mo_world *world)
{
    double size = INFINITY;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k, 512);
        size = mo_moves_freely(body) && body->size > 0 ? fmin(size, body->size) : size;
    }
    size = mo_team_least(world, size);
    return fmin(mo_overlap_limit(world), WHOLE) * (isfinite(size) ? size : 1);
}

/* How far it is to go: overlap, and errors of joints, loops and limits.  A round that has hardly
 * lessened the latter is the last for them: no joint can undo it, or rounding is left.  One that
 * has not lessened overlap may have pushed bodies into others, which the next round takes in. */
typedef struct progress {
    double deepest, open;
} progress;

static int needs(mo_world *world, int round, progress *now)
{
    const int overlaps = round == 0 && mo_team_any(world, world->step.overlapping.count);
    const double of_joints = joint_error(world);
    const double open = of_joints > CLOSED ? of_joints : mo_mechanisms_worst(world);
    const int closes = round < FREE_ROUNDS || open < GAIN * now->open;
    now->open = open;
    return round < MOST_ROUNDS &&
           (now->deepest > mo_overlap_limit(world) || overlaps || (closes && open > CLOSED));
}

mo_error mo_project_positions(mo_world *world, double *deepest, mo_message *why)
{
    mo_error error = MO_OK;
    *deepest = 0;
    for (int k = 0; k < world->living_count; ++k) {
        mo_pace_every(k, 512);
        world->body[world->living[k]].is_displaced = 0;
        world->body[world->living[k]].lift = 0;
    }
    mo_pace();
    for (int k = 0; k < world->step.overlapping.count; ++k) {
        mark(world, world->near[world->step.overlapping.at[k].a].body);
        mark(world, world->near[world->step.overlapping.at[k].b].body);
    }
    MO_FAIL_IF(mo_team_share(world, MO_SHARED_MARK), mo_fail_memory(why));
    progress now = {0};
    for (int round = 0; !error && needs(world, round, &now); ++round) {
        MO_FAIL_IF(find_contacts(world, round == 0 ? AT_FIRST : THEN, &now.deepest),
                   mo_fail_memory(why));
        error = project_once(world, unit_of(world), why);
        if (!error && find_contacts(world, LEFT, &now.deepest)) error = mo_fail_memory(why);
    }
    *deepest = now.deepest;
    world->side_contacts.count = 0;
    return error;
}
